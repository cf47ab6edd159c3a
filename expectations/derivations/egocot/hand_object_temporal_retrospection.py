"""Right option of hand-object temporal retrospection: the order in which things are first acted on in the clip."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from expectations.derivations import action_path, actions
from expectations.derivations.clips import check_length_between
from expectations.derivations.nodes import check_named_node
from expectations.derivations.reads import merge_reads
from expectations.gates.base import (
    CannotTell,
    Derivation,
    Derived,
    Margin,
    Question,
    Sight,
    span_of,
)
from expectations.gates.statements import Each, Name, Quote, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import name_words

_SHORTEST_S, _LONGEST_S = 8.0, 60.0
_BEGIN_APART_S = 1.0
# Frames of a clip are further apart than this only if they miss what is done.
_NEAR_S = 0.5
_EDGE_S = 1e-6
_DIRECT = ("direct",)
_THEN = ", then the "

Row = dict[str, Any]


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    recording = str(question.query["recording_id"])
    clip = span_of(question.query)
    check_length_between(notes, clip, _SHORTEST_S, _LONGEST_S)
    said = {
        str(option["letter"]): _things(str(option["text"] or "")) for option in question.options
    }
    things = said.get(question.answer, ())
    if len(things) < 2:
        raise CannotTell("the answer names no order of things")
    first = {thing: _first(recording, thing, clip, given, notes) for thing in things}
    order = sorted(things, key=lambda thing: (first[thing]["start_s"], thing))
    for thing in order[1:]:
        # Holding it from the start would come before what is first done to it.
        held = actions.last_action_may_hold(thing, clip[0], recording, given)
        if held:
            notes.refuse("consistent", "may_be_held", held)
    _judge_options(question, said, order, given, notes)
    for one, two in pairwise(order):
        begun = first[two]["start_s"] - first[one]["start_s"]
        words = f"from the {one} to the {two}"
        notes.margins.append(Margin("begin_apart", begun, _BEGIN_APART_S, "s", words))
        gap = first[two]["start_s"] - first[one]["end_s"]
        notes.margins.append(Margin("in_turn", gap, 0.0, "s", words))
    names = tuple({"name": Name((thing,))} for thing in sorted(things))
    notes.asks.append(
        Statement(
            "question",
            ("In which order does the camera wearer first act on {things} in this clip?",),
            {"things": Each("[the ]{name}", names)},
            (),
        )
    )
    for number, thing in enumerate(order, 1):
        segment = first[thing]
        path = action_path.action_path(segment, thing, _DIRECT, segment["start_s"], given)
        span = max(segment["start_s"], clip[0]), min(segment["end_s"], clip[1])
        notes.sights.append(Sight("query", (span,), _NEAR_S, f"what is done to the {thing}"))
        path.rest_whole_on(notes, number)
        notes.statements.append(path.whole_statement(thing, number, clip[0]))
    for option in question.options:
        nodes = _nodes(option)
        notes.rests_on(f"option_{option['letter']}", "graph_nodes", nodes)
    answer = question.answer_option
    keys = [f"graph_nodes:{node}" for node in _nodes(answer or {})]
    notes.statements.append(
        Statement(
            "order",
            ("Nothing is done with any of them earlier in the clip, so the order is {order}.",),
            {"order": Quote((_in_words(order),))},
            tuple(keys),
            cited=tuple(frozenset({key}) for key in keys),
        )
    )


def _first(
    recording: str, thing: str, clip: tuple[float, float], given: EvidenceTables, notes: Derived
) -> Row:
    """Segment in which the wearer first acts on a thing in the clip; what makes it another is noted.

    Raises:
        CannotTell: The clip shows no action on it.
    """
    name, (start, end) = name_words(thing), clip
    mine = actions.wearers_actions_of(recording, given)
    on = [row for row in mine if name in actions.active_objects(row, given, _DIRECT)]
    shown = [row for row in on if row["end_s"] > start + _EDGE_S and row["start_s"] < end - _EDGE_S]
    if not shown:
        notes.refuse("consistent", "not_in_clip", f"the clip shows no action on the {thing}")
        raise CannotTell(f"the camera wearer does not act on the {thing} in the clip")
    first = shown[0]
    if first["start_s"] < start - _EDGE_S or first["end_s"] > end + _EDGE_S:
        notes.refuse(
            "consistent",
            "action_cut",
            f"the clip {start:.2f}..{end:.2f} s cuts what is first done to the {thing},"
            f" {first['start_s']:.2f}..{first['end_s']:.2f} s",
        )
    used = actions.actions_with_things(recording, given)
    before = [s for s, e, names in used if name in names and start < e and s < first["start_s"]]
    if before:
        notes.refuse(
            "consistent",
            "used_before",
            f"the {thing} takes part in another action {min(before) - start:.2f} s into the clip",
        )
    return first


def _judge_options(
    question: Question,
    said: dict[str, tuple[str, ...]],
    order: list[str],
    given: EvidenceTables,
    notes: Derived,
) -> None:
    right = [name_words(thing) for thing in order]
    for option in question.options:
        letter, nodes = str(option["letter"]), _nodes(option)
        names = [name_words(thing) for thing in said[letter]]
        if len(nodes) != len(names) or sorted(names) != sorted(right):
            notes.option(letter, None, f"{option['text']!r} orders other things than the answer")
            message = f"option {letter} reads {option['text']!r} and means {option['value']!r}"
            notes.refuse("consistent", "value_differs_from_text", message)
            continue
        for node, thing in zip(nodes, said[letter], strict=True):
            check_named_node(question, option, node, thing, given, notes)
        notes.option(letter, names == right, f"they are first acted on as {_in_words(order)}")


def _things(text: str) -> tuple[str, ...]:
    """Things in the order that an option names them."""
    return tuple(text.strip().removeprefix("the ").split(_THEN))


def _in_words(order: list[str]) -> str:
    return f"the {_THEN.join(order)}"


def _nodes(option: Row) -> list[str]:
    return str(option.get("value")).split(" > ")


DERIVATION = Derivation(
    benchmark="egocot",
    subtasks=("hand_object_temporal_retrospection",),
    reads=merge_reads(actions.READS, action_path.READS),
    derive=_derive,
    recipes=("hand_object_temporal_retrospection",),
    explained_in=("detailed_answer", "rationale"),
)
