"""In which state a thing is at a moment, by what is done to it and what annotators say of it.

Only states with an opposite that excludes them are known here. Rows of `object_states` say when a state
holds; a verb leaves its direct object in one at its end, unless an annotated state says something of that moment.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from expectations.derivations.action_path import ActionPath, action_path
from expectations.derivations.actions import (
    VERB,
    actions_with_things,
    active_objects,
    apart_s,
    is_direct,
    wearers_actions_of,
)
from expectations.derivations.narrated_verbs import kinds_of_word
from expectations.derivations.nodes import check_named_node
from expectations.gates.base import CannotTell, Derived, Margin, Question, Sight, finite
from expectations.gates.statements import Choice, Name, Number, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import name_words

READS: dict[str, tuple[str, ...]] = {
    "object_states": (
        "recording_id",
        "segment_id",
        "moment",
        "start_s",
        "end_s",
        "object",
        "attribute",
        "value",
    ),
    "graph_nodes": ("node_id", "recording_id", "kind", "name"),
    "graph_edges": ("edge_id", "recording_id", "segment_id", "relation", "to_node", "caused_by"),
}
_PAIRS = (
    ("open", "closed"),
    ("on", "off"),
    ("full", "empty"),
    ("folded", "unfolded"),
    ("held", "no longer held"),
)
_OPPOSITE = {one: two for pair in _PAIRS for one, two in (pair, pair[::-1])}
STATES = tuple(_OPPOSITE)
"""States that have an opposite."""
_LEFT_BY = {
    "open": "open", "close": "closed", "switch_on": "on", "switch_off": "off", "fill": "full",
    "empty": "empty", "fold": "folded", "unfold": "unfolded", "take": "held", "put": "no longer held",
}  # fmt: skip
# Attributes whose value yes, or one of their words, is the first state of a pair.
_WRITTEN = {
    "open": ("open", "opened"),
    "on": ("on", "turned on"),
    "full": ("full",),
    "folded": ("folded",),
    "held": ("held", "in hand"),
}
_OPPOSITE_WRITTEN = {"closed": ("closed",), "off": ("off",), "empty": ("empty", "emptiness")}
_KINDS = {
    "open": ("opening", "lid", "door", "cap"),
    "on": ("power",),
    "full": ("filling", "content"),
    "folded": ("folding",),
    "held": ("holding",),
}
_OPTION = re.compile(r"the (\S.*?) is ([\w ]+) and the (\S.*?) is ([\w ]+)", re.IGNORECASE)
_SETTLED_S = 0.5
_NEAR_S = 0.5
_ROUNDED_S = 0.05
_EDGE_S = 1e-6

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Said:
    """A state said of a thing: over a span, or from (`before`: up to) an instant.

    Attributes:
        low_s: Start (s).
        high_s: End (s); equal to the start for an instant.
        state: The state.
        moment: `before`, `after` or `during` an action, or None; a verb's state holds after it.
        segment_id: Segment at whose edge it is stated.
        annotated: Whether an annotator says it.
    """

    low_s: float
    high_s: float
    state: str
    moment: str | None
    segment_id: str | None
    annotated: bool


def written_state(attribute: str, value: str) -> str | None:
    """Return the state that an attribute and value mean; None if it is not a state with an opposite.

    Args:
        attribute: Attribute as the dataset writes it.
        value: Its value.
    """
    name, text = (" ".join(re.sub(r"[_-]+", " ", t).lower().split()) for t in (attribute, value))
    for first, kinds in _KINDS.items():
        if name in kinds and text in (first, _OPPOSITE[first]):
            return text
    for words in (_WRITTEN, _OPPOSITE_WRITTEN):
        for state, names in words.items():
            if name in names and text in ("yes", "true", "no", "false"):
                return state if text in ("yes", "true") else _OPPOSITE[state]
    return None


def said_of(recording: str, thing: str, state: str, given: EvidenceTables) -> list[Said]:
    """Return what is stated about a thing that is a state or its opposite, in time order.

    Args:
        recording: Id of the recording.
        thing: Name of the thing.
        state: The state.
        given: The tables.
    """
    pair = (state, _OPPOSITE[state])
    name = name_words(thing)
    segments = {r["segment_id"]: r for r in given.rows("segments", recording_id=recording)}
    annotated = [
        said
        for row in given.rows("object_states", recording_id=recording)
        if name_words(re.sub(r":\d+$", "", str(row["object"]))) == name
        for said in _annotated(row, segments)
        if said.state in pair
    ]
    left = [
        Said(float(segment["end_s"]), float(segment["end_s"]), found, "after", uid, False)
        for uid, segment in segments.items()
        if finite(segment["start_s"], segment["end_s"])
        for found in _left(str(uid), name, given)
        if found in pair
    ]
    left = [
        one
        for one in left
        if not any(
            a.low_s <= one.low_s < a.high_s
            or (a.moment == "after" and a.segment_id == one.segment_id)
            for a in annotated
        )
    ]
    return sorted([*annotated, *left], key=lambda s: (s.low_s, s.high_s, s.state))


def _left(segment: str, name: tuple[str, ...], given: EvidenceTables) -> list[str]:
    """States in which a segment leaves a thing."""
    rows = given.rows("relations", segment_id=segment)
    verbs = {str(r["object"]) for r in rows if r["relation"] == VERB}
    mine = {
        str(r["subject"])
        for r in rows
        if is_direct(r) and name_words(str(r["object"] or "")) == name
    }
    kinds = {kind for verb in verbs & mine for kind in kinds_of_word(verb)}
    return [state for kind, state in _LEFT_BY.items() if kind in kinds]


def _annotated(row: Row, segments: dict[Any, Row]) -> list[Said]:
    state = written_state(str(row["attribute"]), str(row["value"]))
    segment = segments.get(row["segment_id"])
    start, end = row["start_s"], row["end_s"]
    if segment is not None and row["moment"] is not None:
        start = segment["start_s"] if start is None else start
        end = segment["end_s"] if end is None else end
    if state is None or not finite(start, end):
        return []
    edges = {"before": (start, start), "after": (end, end)}
    low, high = edges.get(str(row["moment"]), (start, end))
    return [Said(float(low), float(high), state, row["moment"], row["segment_id"], True)]


def state_at(said: list[Said], t_s: float) -> str | None:
    """Return the state at a time from what is stated about a thing; None if nothing tells.

    Args:
        said: A state and its opposite, in time order.
        t_s: Seconds in the recording.
    """
    spans = {s.state for s in said if s.high_s > s.low_s and s.low_s <= t_s <= s.high_s}
    if spans:
        return spans.pop() if len(spans) == 1 else None
    before = [s for s in said if s.high_s <= t_s]
    if before:
        last = max(before, key=lambda s: s.high_s)
        # What is stated for a span, or before an action, does not last.
        return last.state if last.moment == "after" else None
    after = [s for s in said if s.low_s > t_s]
    return after[0].state if after and after[0].moment == "before" else None


@dataclass(frozen=True, slots=True)
class InState:
    """A thing in a state at a moment, with what the wearer last did to it.

    Attributes:
        thing: Name of the thing.
        state: The state.
        path: The action.
        edges: Edges from the thing to the state.
        untrue: Why the state does not hold from the action to the moment; empty if it does.
    """

    thing: str
    state: str
    path: ActionPath
    edges: tuple[str, ...]
    untrue: str

    def note(self, notes: Derived, number: int, clip_start_s: float, t_s: float) -> None:
        """Note evidence of one of several states, and what an explanation says of it.

        Args:
            notes: Filled in.
            number: Number of the state; roles of evidence end with it.
            clip_start_s: Start of the clip, from which texts count seconds.
            t_s: Moment asked about (s in the recording).
        """
        self.path.rest_whole_on(notes, number)
        notes.rests_on(f"state_{number}", "graph_edges", self.edges, "one")
        span = (self.path.segment["start_s"], self.path.segment["end_s"])
        notes.sights.append(Sight("query", (span,), _NEAR_S, f"what is done to the {self.thing}"))
        notes.statements += [
            self.path.whole_statement(self.thing, number, clip_start_s),
            self.statement(number, clip_start_s, t_s),
        ]

    def statement(self, number: int, clip_start_s: float, t_s: float) -> Statement:
        """Return what an explanation says of the state: since the action it is so.

        Args:
            number: Number of the state.
            clip_start_s: Start of the clip, from which texts count seconds.
            t_s: Moment asked about (s in the recording).
        """
        links = tuple(f"graph_edges:{edge}" for edge in self.edges)
        return Statement(
            f"state {number}",
            ("From {start} s to {time} s of the clip, the {object} is {state}.",),
            {
                "start": Number(self.path.segment["end_s"] - clip_start_s, _ROUNDED_S),
                "time": Number(t_s - clip_start_s, _ROUNDED_S),
                "object": Name((self.thing,)),
                "state": Choice((self.state,), STATES),
            },
            links,
            cited=(frozenset(links),),
            untrue=self.untrue,
        )


def states_in_option(text: str) -> dict[str, str]:
    """Return the state of each thing that an option names; empty if it names no two.

    Args:
        text: Text of the option.
    """
    found = _OPTION.fullmatch(text.strip())
    states = {found[1]: found[2].lower(), found[3]: found[4].lower()} if found else {}
    return states if set(states.values()) <= set(STATES) and len(states) == 2 else {}


def judge_states(
    question: Question, t_s: float, clip: tuple[float, float], given: EvidenceTables, notes: Derived
) -> list[InState]:
    """Judge options that name the states of two things; return what holds, in the order of the actions.

    Args:
        question: The question.
        t_s: Moment asked about (s in the recording).
        clip: Start and end of the clip.
        given: The tables.
        notes: Filled in.

    Raises:
        CannotTell: The answer names no two things, or their states are not known.
    """
    named = states_in_option(str((question.answer_option or {}).get("text") or ""))
    if not named:
        raise CannotTell("the answer names no states of two things")
    held = [
        in_state(question, thing, state, t_s, clip, given, notes) for thing, state in named.items()
    ]
    judge_options(question, {one.thing: one.state for one in held}, given, notes)
    return sorted(held, key=lambda one: one.path.segment["start_s"])


def judge_options(
    question: Question, states: Mapping[str, str], given: EvidenceTables, notes: Derived
) -> None:
    """Judge options that name the states of things.

    Args:
        question: The question.
        states: True state of each thing.
        given: The tables.
        notes: Filled in.
    """
    true = {name_words(thing): state for thing, state in states.items()}
    for option in question.options:
        letter, said = str(option["letter"]), states_in_option(str(option["text"] or ""))
        if {name_words(thing) for thing in said} != set(true):
            notes.option(letter, None, f"{option['text']!r} names other things than the answer")
            message = f"option {letter} reads {option['text']!r}"
            notes.refuse("consistent", "value_differs_from_text", message)
            continue
        _check_value(question, option, said, given, notes)
        wrong = [t for t, state in said.items() if true[name_words(t)] != state]
        notes.option(letter, not wrong, f"wrong of: {', '.join(wrong) or 'nothing'}")


def in_state(
    question: Question,
    thing: str,
    asked: str,
    t_s: float,
    clip: tuple[float, float],
    given: EvidenceTables,
    notes: Derived,
) -> InState:
    """Return in which of two states a thing is at a moment, and note what makes that doubtful.

    Args:
        question: The question.
        thing: Name of the thing.
        asked: One of the two states.
        t_s: The moment (s in the recording).
        clip: Start and end of the clip.
        given: The tables.
        notes: Filled in.

    Raises:
        CannotTell: Nothing tells the state, or the clip shows nothing that is done to the thing.
    """
    recording = str(question.query["recording_id"])
    action = _last_action(recording, thing, t_s, clip, given, notes)
    state = known_state(question, thing, asked, t_s, given, notes)
    said = said_of(recording, thing, asked, given)
    end_s = float(action["end_s"])
    other = [
        s
        for s in said
        if s.state != state and s.low_s < t_s - _EDGE_S and s.high_s > end_s + _EDGE_S
    ]
    since = state_at(said, end_s) == state and not other
    return InState(
        thing,
        state,
        action_path(action, thing, ("direct",), float(action["start_s"]), given),
        state_edges(question, thing, state, (end_s, t_s), given),
        "" if since else f"the {thing} is {state} only later than {end_s:.2f} s",
    )


def known_state(
    question: Question,
    thing: str,
    asked: str,
    t_s: float,
    given: EvidenceTables,
    notes: Derived,
) -> str:
    """Return in which of two states a thing is at a moment, shown or not, and note what makes that doubtful.

    Args:
        question: The question.
        thing: Name of the thing.
        asked: One of the two states.
        t_s: The moment (s in the recording).
        given: The tables.
        notes: Filled in.

    Raises:
        CannotTell: Nothing tells the state.
    """
    recording, name = str(question.query["recording_id"]), name_words(thing)
    check_one(question, thing, given, notes)
    said = said_of(recording, thing, asked, given)
    state = state_at(said, t_s)
    if state is None:
        notes.refuse("consistent", "state_not_known", f"nothing tells the state of the {thing}")
        raise CannotTell(f"nothing tells whether the {thing} is {asked} at {t_s:.2f} s")
    _check_next(thing, state, [s for s in said if s.low_s > t_s], notes)
    changes = [
        max(s.low_s - t_s, t_s - s.high_s, 0.0) for s in said if s.annotated and s.state != state
    ]
    busy = apart_s(name, actions_with_things(recording, given), t_s)
    apart = min([*changes, math.inf if busy is None else busy])
    if apart < math.inf:
        words = f"the {thing} is left alone"
        notes.margins.append(Margin("settled", apart, _SETTLED_S, "s", words))
    return state


def check_one(question: Question, thing: str, given: EvidenceTables, notes: Derived) -> None:
    """Refuse a name that several things have.

    Args:
        question: The question.
        thing: Name of the thing.
        given: The tables.
        notes: Filled in.
    """
    nodes = _nodes(str(question.query["recording_id"]), thing, given)
    if len(nodes) > 1:
        notes.refuse("consistent", "name_of_several", f"{len(nodes)} things are called {thing}")


def _nodes(recording: str, thing: str, given: EvidenceTables) -> list[Row]:
    """Nodes of the things of a name."""
    return [
        row
        for row in given.rows("graph_nodes", recording_id=recording)
        if row["kind"] == "object" and name_words(str(row["name"])) == name_words(thing)
    ]


def is_caused(held: InState, given: EvidenceTables) -> bool:
    """Return whether what was last done to a thing made it what it is, and not only came before.

    The thing must become so with that action, from the opposite as far as anything is stated about before. The verb must
    be known to leave the state, or nothing of the kind where an annotator says that it changed.

    Args:
        held: The state, with the action.
        given: The tables.
    """
    segment, name = held.path.segment, name_words(held.thing)
    said = said_of(str(segment["recording_id"]), held.thing, held.state, given)
    begins = [s for s in said if s.state == held.state and _begins_with(s, segment)]
    if not begins:
        return False
    before = [s for s in said if s.low_s < begins[0].low_s]
    left = _left(str(segment["segment_id"]), name, given)
    if before and before[-1].state == held.state:
        return False
    return held.state in left or (not left and bool(before))


def causes(held: InState, given: EvidenceTables) -> list[str]:
    """Return the edges `causes` that lead from what was last done to a thing to its state.

    Args:
        held: The state, with the action.
        given: The tables.
    """
    done = {edge["edge_id"] for edge in held.path.acts_on}
    return [
        str(edge["edge_id"])
        for edge in given.rows("graph_edges", segment_id=held.path.segment["segment_id"])
        if edge["relation"] == "causes"
        and edge["caused_by"] in done
        and (given.one("graph_nodes", node_id=edge["to_node"]) or {}).get("name") == held.state
    ]


def _begins_with(said: Said, segment: Row) -> bool:
    if said.moment == "before":
        return False
    if said.moment is not None:
        return said.segment_id == segment["segment_id"]
    return segment["start_s"] + _EDGE_S < said.low_s <= segment["end_s"] + _EDGE_S


def _last_action(
    recording: str,
    thing: str,
    t_s: float,
    clip: tuple[float, float],
    given: EvidenceTables,
    notes: Derived,
) -> Row:
    """Segment in which the wearer last acts on a thing before a moment of a clip that shows all of it."""
    mine = [
        row
        for row in wearers_actions_of(recording, given)
        if row["end_s"] <= t_s + _EDGE_S
        and name_words(thing) in active_objects(row, given, ("direct",))
    ]
    last = max(mine, key=lambda row: row["end_s"], default=None)
    if last is None or last["end_s"] <= clip[0]:
        notes.refuse("consistent", "not_in_clip", f"nothing is done to the {thing} in the clip")
        raise CannotTell(f"the camera wearer does not act on the {thing} in the clip")
    if last["start_s"] < clip[0] - _EDGE_S:
        notes.refuse("consistent", "action_cut", f"the clip cuts what is done to the {thing}")
    return last


def _check_next(thing: str, state: str, later: list[Said], notes: Derived) -> None:
    """Refuse a state after which a change is missing: of what is taken twice nobody saw the putting down."""
    following = later[0] if later else None
    if following is None:
        if state == "held":
            message = f"nothing says that the {thing} is put down later: it may have been before"
            notes.refuse("consistent", "not_put_down", message)
    elif following.state == state and following.moment != "before":
        message = f"the {thing} becomes {state} at {following.low_s:.2f} s again"
        notes.refuse("consistent", "change_missing", message)


def state_edges(
    question: Question,
    thing: str,
    state: str,
    span: tuple[float, float],
    given: EvidenceTables,
) -> tuple[str, ...]:
    """Return the edges that say that a thing is in a state all through a span.

    Args:
        question: The question.
        thing: Name of the thing.
        state: The state.
        span: From when to when (s in the recording).
        given: The tables.
    """
    recording = str(question.query["recording_id"])
    things = {row["node_id"] for row in _nodes(recording, thing, given)}
    return tuple(
        str(edge["edge_id"])
        for edge in given.rows("graph_edges", recording_id=recording)
        if edge["relation"] == "has_state"
        and edge["from_node"] in things
        and edge["start_s"] <= span[0] + _EDGE_S
        and edge["end_s"] >= span[1]
        and (given.one("graph_nodes", node_id=edge["to_node"]) or {}).get("name") == state
    )


def _check_value(
    question: Question, option: Row, said: dict[str, str], given: EvidenceTables, notes: Derived
) -> None:
    meant = [part.rpartition("=") for part in str(option["value"]).split(" & ")]
    if [state for _, _, state in meant] != list(said.values()):
        message = (
            f"option {option['letter']} reads {option['text']!r} and means {option['value']!r}"
        )
        notes.refuse("consistent", "value_differs_from_text", message)
        return
    for (node, _, _), thing in zip(meant, said, strict=True):
        check_named_node(question, option, node, thing, given, notes)


def nodes_in_value(option: Row | None) -> list[str]:
    """Return the nodes of the things that an option's value names.

    Args:
        option: The option.
    """
    return [part.rpartition("=")[0] for part in str((option or {}).get("value")).split(" & ")]


def note_states(
    question: Question, held: list[InState], clip_start_s: float, t_s: float, notes: Derived
) -> None:
    """Note evidence of the states of two things and of the options, and what an explanation says of them.

    Args:
        question: The question.
        held: States of the things, in the order of the actions.
        clip_start_s: Start of the clip, from which texts count seconds.
        t_s: Moment asked about (s in the recording).
        notes: Filled in.
    """
    for number, state in enumerate(held, 1):
        state.note(notes, number, clip_start_s, t_s)
    for option in question.options:
        notes.rests_on(f"option_{option['letter']}", "graph_nodes", nodes_in_value(option))


def wording(states: Iterable[str], form: str, time_s: float) -> Statement:
    """Return what the question's text must ask.

    Args:
        states: Names of the two things.
        form: Its wording, with `{time}`, `{first}` and `{second}`.
        time_s: The time it tells.
    """
    one, two = sorted(states)
    slots = {"time": Number(time_s, _ROUNDED_S), "first": Name((one,)), "second": Name((two,))}
    return Statement("question", (form,), slots, ())


def states_told(
    name: str, states: Mapping[str, str], time_s: float, form: str, keys: Iterable[str]
) -> Statement:
    """Return a step of an explanation that names the states of two things.

    Args:
        name: Name of the statement.
        states: State of each thing.
        time_s: The time it tells.
        form: Its wording, with `{time}` and `{states}`.
        keys: Rows that it cites.
    """
    slots: dict[str, Any] = {"time": Number(time_s, _ROUNDED_S)}
    for place, (thing, state) in zip(("first", "second"), sorted(states.items()), strict=True):
        slots[place] = Name((thing,))
        slots[f"{place}_state"] = Choice((state,), STATES)
    words = "the {first} is {first_state} and the {second} is {second_state}"
    rows = tuple(keys)
    return Statement(
        name,
        (form.replace("{states}", words),),
        slots,
        rows,
        cited=tuple(frozenset({key}) for key in rows),
    )


def conclusion(
    question: Question, states: Mapping[str, str], time_s: float, form: str
) -> Statement:
    """Return the last step of an explanation, which names the states.

    Args:
        question: The question.
        states: State of each thing.
        time_s: Time asked about, as texts tell it.
        form: Its wording, with `{time}` and `{states}`.
    """
    keys = (f"graph_nodes:{node}" for node in nodes_in_value(question.answer_option))
    return states_told("states", states, time_s, form, keys)
