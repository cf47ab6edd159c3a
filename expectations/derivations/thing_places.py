"""Where a thing is at a moment, by what is done to it: put somewhere, and not taken away since, or being taken.

The words that tell it are listed here a second time: the scene graph has its own list (`assets/scene_graphs/places.toml`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from expectations.derivations.action_path import action_path
from expectations.derivations.actions import (
    VERB,
    actions_with_things,
    apart_s,
    is_direct,
    is_wearers,
)
from expectations.derivations.narrated_verbs import kinds_of_word
from expectations.derivations.nodes import check_node
from expectations.derivations.wording import SAID_S
from expectations.gates.base import (
    CannotTell,
    Derived,
    Margin,
    Question,
    Sight,
    finite,
    span_of,
)
from expectations.gates.statements import Choice, Name, Slot, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import name_words

READS: dict[str, tuple[str, ...]] = {
    "relations": ("segment_id", "recording_id", "subject", "relation", "object", "role"),
    "segments": ("segment_id", "recording_id", "start_s", "end_s"),
    "tracks": ("recording_id", "name", "start_s", "end_s", "moves", "start_place", "end_place"),
    "graph_nodes": ("node_id", "recording_id", "kind", "name"),
    "graph_edges": (
        "edge_id",
        "recording_id",
        "segment_id",
        "from_node",
        "relation",
        "to_node",
        "start_s",
        "end_s",
        "preposition",
    ),
}
_PUTS = {"hang", "keep", "leave", "position", "rest", "return", "set"}
_NO_PUTS = {"give", "put off", "put on"}
_TAKES = {"bring out", "collect", "fetch", "pull out", "raise", "unhang", "uproot", "withdraw"}
_NO_TAKES = {"cut off", "take off", "tear off"}
_STAYS = {"check", "examine", "inspect", "look at", "pet", "point at", "read", "tap", "watch"}
_STAY_KINDS = {"close", "open", "press", "switch_off", "switch_on"}
_ON = {"on": "on", "onto": "on", "upon": "on"}
_IN = {"in": "in", "inside": "in", "into": "in"}
_UNDER = dict.fromkeys(("below", "beneath", "under", "underneath"), "under")
_NEAR = dict.fromkeys(("at", "behind", "beside", "by", "near", "next to"), "near")
_FROM = {"from": "at", "off": "at", "out of": "at", "on": "on", "in": "in", "inside": "in"}
_JOINED = {
    "put": _ON | _IN | _UNDER | _NEAR,
    "take": _FROM | {"under": "under", "underneath": "under"},
}
_HAND = re.compile(r"(?:(?:left|right|both) )?hands?")
_SETTLED_S = 0.5
_NEAR_S = 0.5
# An annotated movement may begin and end so long beside the action that is narrated.
_MOVED_S = 0.5
_EDGE_S = 1e-6

Row = dict[str, Any]
Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Handled:
    """Something done with a thing.

    Attributes:
        what: `put`, `take`, `stay` (it stays where it is), `use` (it is in a hand) or `other`.
        segment: Row of `segments`.
        places: Words of where it is put or taken from, with how it is to the place.
    """

    what: str
    segment: Row
    places: dict[Words, str]

    @property
    def start_s(self) -> float:
        """Start."""
        return float(self.segment["start_s"])

    @property
    def end_s(self) -> float:
        """End."""
        return float(self.segment["end_s"])


@dataclass(frozen=True, slots=True)
class At:
    """A thing at a place.

    Attributes:
        place: Words of the place.
        preposition: How it is to the place: `on`, `in`, `under`, `near` or `at`.
        told: The action that tells it.
    """

    place: Words
    preposition: str
    told: Handled

    @property
    def words(self) -> str:
        """Where the thing is, as texts read."""
        return f"{self.preposition} the {' '.join(self.place)}"


def _does(verb: str) -> str:
    words = " ".join(re.findall(r"[a-z]+", verb.casefold()))
    both = {words, words.partition(" ")[0]}
    kinds = kinds_of_word(verb)
    if not both & _NO_PUTS and ("put" in kinds or both & _PUTS):
        return "put"
    if not both & _NO_TAKES and ("take" in kinds or both & _TAKES):
        return "take"
    return "stay" if kinds & _STAY_KINDS or both & _STAYS else "other"


def handled_of(recording: str, name: Words, given: EvidenceTables) -> list[Handled]:
    """Return all that is done with a thing, by whomever, in time order.

    Args:
        recording: Id of the recording.
        name: Words of the thing's name.
        given: The tables.
    """
    actions: list[Handled] = []
    for segment in given.rows("segments", recording_id=recording):
        if finite(segment["start_s"], segment["end_s"]):
            rows = given.rows("relations", segment_id=segment["segment_id"])
            tracks = given.rows("tracks", recording_id=recording) if given.has("tracks") else []
            moves = [t for t in tracks if t["moves"] and name_words(str(t["name"])) == name]
            actions += _handled(segment, name, rows, moves)
    return sorted(actions, key=lambda h: (h.start_s, h.end_s, str(h.segment["segment_id"])))


def _handled(segment: Row, name: Words, rows: list[Row], moves: list[Row]) -> list[Handled]:
    actions = []
    for verb in dict.fromkeys(str(row["object"]) for row in rows if row["relation"] == VERB):
        joined = [row for row in rows if row["subject"] == verb and row["relation"] != VERB]
        mine = [row for row in joined if name_words(str(row["object"] or "")) == name]
        what, places = _does(verb), {}
        for row in joined:
            words = name_words(str(row["object"] or ""))
            relation = " ".join(re.findall(r"[a-z]+", str(row["relation"]).casefold()))
            is_hand = row["role"] == "hand" or _HAND.fullmatch(" ".join(words))
            if not is_direct(row) and not is_hand and relation in _JOINED.get(what, {}):
                places[words] = _JOINED[what][relation]
        for row in mine:
            if is_direct(row):
                # "Put on" alone may be said of clothes; a thing whose movement ends with it is put.
                puts = what == "other" and "put" in kinds_of_word(verb.split("-")[0].split()[0])
                moved = _moved("put" if puts else what, segment, moves)
                actions.append(Handled("put" if puts and moved else what, segment, places or moved))
            elif row["role"] == "tool" or row["relation"] in ("with", "using"):
                actions.append(Handled("use", segment, {}))
    return actions


def _moved(what: str, segment: Row, moves: list[Row]) -> dict[Words, str]:
    """Fixture at which the only movement of a thing that fits an action ends or begins."""
    end = {"put": "end", "take": "start"}.get(what)
    fitting = [
        row
        for row in moves
        if end is not None
        and segment["start_s"] - _MOVED_S <= row[f"{end}_s"] <= segment["end_s"] + _MOVED_S
    ]
    fixture = str(fitting[0][f"{end}_place"] or "") if len(fitting) == 1 else ""
    bare = re.sub(r"^P\d+_|[._]\d+$", "", fixture)
    return {name_words(bare): "at"} if bare else {}


def place_at(recording: str, name: Words, t_s: float, given: EvidenceTables) -> list[At]:
    """Return where a thing is at a moment; empty where nothing tells it.

    Args:
        recording: Id of the recording.
        name: Words of the thing's name.
        t_s: The moment (s in the recording).
        given: The tables.
    """
    done = handled_of(recording, name, given)
    puts = [h for h in done if h.what == "put" and h.places and h.end_s <= t_s + _EDGE_S]
    last = max(puts, key=lambda h: h.end_s, default=None)
    if last is not None and t_s <= _until(last, done, _covered_s(recording, given)) + _EDGE_S:
        return [At(place, way, last) for place, way in last.places.items()]
    begins = [h for h in done if h.what == "take" and abs(h.start_s - t_s) <= SAID_S]
    return [At(place, way, h) for h in begins for place, way in h.places.items()]


def _until(put: Handled, done: list[Handled], covered_s: float) -> float:
    """Until when a thing is where it was put, as far as anything tells; before its end if nothing does."""
    after = [
        h
        for h in done
        if h.end_s > put.end_s
        and h.what != "stay"
        and h.segment["segment_id"] != put.segment["segment_id"]
    ]
    following = min(after, key=lambda h: h.start_s, default=None)
    if following is None:
        return covered_s
    if following.start_s < put.end_s:
        return -1.0
    from_elsewhere = (
        following.what == "take"
        and following.places
        and not set(following.places) & set(put.places)
    )
    return put.end_s if following.what in ("put", "use") or from_elsewhere else following.start_s


def _covered_s(recording: str, given: EvidenceTables) -> float:
    """End of the last annotated action."""
    memo = given.memo.setdefault("covered_s", {})
    if recording not in memo:
        acts = {r["segment_id"] for r in given.rows("relations", recording_id=recording)}
        ends = (
            float(row["end_s"])
            for row in given.rows("segments", recording_id=recording)
            if row["segment_id"] in acts and finite(row["start_s"], row["end_s"])
        )
        memo[recording] = max(ends, default=0.0)
    return memo[recording]


def known_place(
    question: Question, name: Words, t_s: float, given: EvidenceTables, notes: Derived
) -> At:
    """Return the only place at which a thing is at a moment, and note what makes that doubtful.

    Args:
        question: The question.
        name: Words of the thing's name.
        t_s: The moment (s in the recording).
        given: The tables.
        notes: Filled in.

    Raises:
        CannotTell: No place is known, or several are.
    """
    recording, thing = str(question.query["recording_id"]), " ".join(name)
    places = place_at(recording, name, t_s, given)
    if len(places) != 1:
        message = f"{len(places)} places of the {thing} are known at {t_s:.2f} s"
        notes.refuse("consistent", "place_not_known", message)
        raise CannotTell(message)
    for words in (name, places[0].place):
        if len(_nodes(recording, words, given)) > 1:
            message = f"several things are called {' '.join(words)}"
            notes.refuse("consistent", "name_of_several", message)
    return places[0]


def judge_options(question: Question, at: At, given: EvidenceTables, notes: Derived) -> None:
    """Judge options that are places: right is where the thing is, and where that place is itself.

    Args:
        question: The question.
        at: Where the thing is.
        given: The tables.
        notes: Filled in.
    """
    right = {at.place, *_around(str(question.query["recording_id"]), at.place, given)}
    for option in question.options:
        check_node(question, option, given, notes)
        named = name_words(str(option["text"] or ""))
        notes.option(str(option["letter"]), named in right, f"it is {at.words} then")
        notes.rests_on(f"option_{option['letter']}", "graph_nodes", [str(option["value"])])


def _around(recording: str, place: Words, given: EvidenceTables) -> set[Words]:
    """Places at which a place is ever put or taken from, and so on outwards."""
    reached: set[Words] = set()
    left = [place]
    while left:
        handled = handled_of(recording, left.pop(), given)
        new = {words for h in handled for words in h.places} - reached
        reached |= new
        left += new
    return reached


def place_edges(
    question: Question, name: Words, at: At, t_s: float, given: EvidenceTables
) -> tuple[str, ...]:
    """Return the edges that say that a thing is at a place at a moment.

    Args:
        question: The question.
        name: Words of the thing's name.
        at: Where it is.
        t_s: The moment (s in the recording).
        given: The tables.
    """
    recording = str(question.query["recording_id"])
    things, places = (_nodes(recording, words, given) for words in (name, at.place))
    return tuple(
        str(edge["edge_id"])
        for edge in given.rows("graph_edges", recording_id=recording)
        if edge["relation"] == "located"
        and edge["from_node"] in things
        and edge["to_node"] in places
        and edge["preposition"] == at.preposition
        and edge["segment_id"] == at.told.segment["segment_id"]
        and edge["start_s"] - SAID_S <= t_s <= edge["end_s"] + SAID_S
    )


def place_told(
    name: str, form: str, thing: str, at: At, slots: Mapping[str, Slot], keys: tuple[str, ...]
) -> Statement:
    """Return a step of an explanation that tells where a thing is.

    Args:
        name: Name of the statement.
        form: Its wording, with `{object}`, `{preposition}` and `{place}`.
        thing: Name of the thing.
        at: Where it is.
        slots: What else stands in the wording.
        keys: Rows that it cites.
    """
    known = ("on", "in", "under", "near", "at")
    where = {
        "object": Name((thing,)),
        "preposition": Choice((at.preposition,), known),
        "place": Name((" ".join(at.place),)),
    }
    return Statement(name, (form,), {**slots, **where}, keys)


def check_settled(
    question: Question, thing: str, t_s: float, given: EvidenceTables, notes: Derived
) -> None:
    """Note how long before and after a moment nothing is done with a thing.

    Args:
        question: The question.
        thing: Name of the thing.
        t_s: The moment (s in the recording).
        given: The tables.
        notes: Filled in.
    """
    used = actions_with_things(str(question.query["recording_id"]), given)
    apart = apart_s(name_words(thing), used, t_s)
    if apart is not None:
        words = f"the {thing} is left alone"
        notes.margins.append(Margin("settled", apart, _SETTLED_S, "s", words))


def note_action(
    question: Question,
    thing: str,
    done: Handled,
    number: int,
    given: EvidenceTables,
    notes: Derived,
) -> None:
    """Note an action of the wearer that the clip shows whole: evidence, sight and explanation.

    Args:
        question: The question.
        thing: Name of what it is done to.
        done: The action.
        number: Its number, with which roles of the evidence end.
        given: The tables.
        notes: Filled in.

    Raises:
        CannotTell: The action is not the wearer's, or the clip does not show it.
    """
    segment, (start, end) = done.segment, span_of(question.query)
    span = (done.start_s, done.end_s)
    if not is_wearers(segment, given) or span[1] <= start or span[0] >= end:
        message = f"the clip shows no action of the camera wearer that tells where the {thing} is"
        notes.refuse("consistent", "not_in_clip", message)
        raise CannotTell(message)
    if span[0] < start - _EDGE_S or span[1] > end + _EDGE_S:
        notes.refuse("consistent", "action_cut", f"the clip cuts what is done to the {thing}")
    path = action_path(segment, thing, ("direct",), span[0], given)
    notes.sights.append(Sight("query", (span,), _NEAR_S, f"what is done to the {thing}"))
    path.rest_whole_on(notes, number)
    notes.statements.append(path.whole_statement(thing, number, start))


def _nodes(recording: str, name: Words, given: EvidenceTables) -> set[str]:
    return {
        str(row["node_id"])
        for row in given.rows("graph_nodes", recording_id=recording)
        if row["kind"] == "object" and name_words(str(row["name"])) == name
    }
