"""Right option of location retrospection: the place at which a thing was at an earlier time of the clip."""

from __future__ import annotations

import re

from expectations.derivations import action_path, actions, thing_places
from expectations.derivations.clips import check_length_between
from expectations.derivations.reads import merge_reads
from expectations.derivations.thing_places import At, Handled
from expectations.derivations.wording import SAID_S, moment_asked
from expectations.gates.base import (
    CannotTell,
    Derivation,
    Derived,
    Margin,
    Question,
    Sight,
    span_of,
)
from expectations.gates.statements import Name, Number, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import name_words

_SHORTEST_S, _LONGEST_S = 8.0, 60.0
# An earlier place is no longer looked at when the clip ends.
_EARLIER_S = 2.0
_NEAR_S = 0.5
_ROUNDED_S = 0.05
_THING = re.compile(r"which of these is the (\S.*?)\?", re.IGNORECASE)
_ASKS = "Look back to the moment {time} s into the clip. On, in or under which of these is the {object}?"


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    clip = start, end = span_of(question.query)
    moment = moment_asked(question, notes, start, end)
    check_length_between(notes, clip, _SHORTEST_S, _LONGEST_S)
    named = _THING.search(question.text)
    if named is None:
        notes.refuse("consistent", "text", "the text names no thing that was at a place")
        raise CannotTell("the text names no thing that was at a place")
    thing, name = named[1], name_words(named[1])
    words = "from the moment asked about to the end of the clip"
    notes.margins.append(Margin("earlier", end - moment, _EARLIER_S, "s", words))
    at = thing_places.known_place(question, name, moment, given, notes)
    thing_places.judge_options(question, at, given, notes)
    time = Number(moment - start, _ROUNDED_S)
    notes.asks.append(Statement("question", (_ASKS,), {"time": time, "object": Name((thing,))}, ()))
    then = (moment - _NEAR_S, moment + _NEAR_S)
    notes.sights.append(Sight("query", (then,), _NEAR_S, f"the {thing} at the moment asked about"))
    thing_places.note_action(question, thing, at.told, 1, given, notes)
    is_taken = at.told.what == "take"
    if not is_taken:
        thing_places.check_settled(question, thing, moment, given, notes)
    edges = thing_places.place_edges(question, name, at, moment, given)
    notes.rests_on("place", "graph_edges", edges, "one")
    keys = tuple(f"graph_edges:{edge}" for edge in edges)
    form = (
        "The action begins at {time} s, when the {object} is still {preposition} the {place}."
        if is_taken
        else "From {since} s to {time} s of the clip, the {object} is {preposition} the {place}."
    )
    since = Number(at.told.end_s - start, _ROUNDED_S)
    statement = thing_places.place_told(
        "place", form, thing, at, {"time": time} | ({} if is_taken else {"since": since}), keys
    )
    form = "So at {time} s the {object} is {preposition} the {place}."
    nodes = tuple(f"graph_nodes:{o['value']}" for o in question.options if o["is_answer"])
    last = thing_places.place_told("conclusion", form, thing, at, {"time": time}, (*keys, *nodes))
    notes.statements.append(statement)
    _note_end(question, thing, at, given, notes)
    notes.statements.append(last)


def _note_end(
    question: Question, thing: str, at: At, given: EvidenceTables, notes: Derived
) -> None:
    """Note what is so when the clip ends: the thing is at a place, or was taken from the earlier one.

    Raises:
        CannotTell: Neither is known.
    """
    name, (start, end) = name_words(thing), span_of(question.query)
    recording = str(question.query["recording_id"])
    if thing_places.place_at(recording, name, end, given):
        later = thing_places.known_place(question, name, end, given, notes)
        thing_places.check_settled(question, thing, end, given, notes)
        edges = thing_places.place_edges(question, name, later, end, given)
        notes.rests_on("place_at_end", "graph_edges", edges, "one")
        form = "When the clip ends, at {time} s, the {object} is {preposition} the {place}."
        slots = {"time": Number(end - start, _ROUNDED_S)}
        keys = tuple(f"graph_edges:{edge}" for edge in edges)
        notes.statements.append(
            thing_places.place_told("place at the end", form, thing, later, slots, keys)
        )
        return
    taken = _taking(recording, name, at, given)
    if taken is None or taken.end_s > end + SAID_S:
        message = f"nothing tells where the {thing} is when the clip ends, or that it was taken"
        notes.refuse("consistent", "end_not_known", message)
        raise CannotTell(message)
    if taken is not at.told:
        thing_places.note_action(question, thing, taken, 2, given, notes)


def _taking(recording: str, name: tuple[str, ...], at: At, given: EvidenceTables) -> Handled | None:
    """What took a thing away from where it was."""
    if at.told.what == "take":
        return at.told
    done = thing_places.handled_of(recording, name, given)
    later = [h for h in done if h.start_s >= at.told.end_s and h.what != "stay"]
    return later[0] if later and later[0].what == "take" else None


DERIVATION = Derivation(
    benchmark="egocot",
    subtasks=("location_visibility_retrospection",),
    reads=merge_reads(actions.READS, action_path.READS, thing_places.READS),
    derive=_derive,
    recipes=("location_visibility_retrospection",),
    explained_in=("detailed_answer", "rationale"),
)
