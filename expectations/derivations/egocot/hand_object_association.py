"""Right option of hand-object association: the hand and the direct object of what is done at the moment."""

from __future__ import annotations

import re
from typing import Any

from expectations.derivations import action_path, actions, hands
from expectations.derivations.actions import Words, active_objects, part_played, parts_played
from expectations.derivations.boxes import boxes_drawn_for, note_answer_box
from expectations.derivations.clips import check_length_between
from expectations.derivations.evidence import check_evidence_at
from expectations.derivations.nodes import check_named_node
from expectations.derivations.reads import merge_reads
from expectations.derivations.wording import moment_asked
from expectations.gates.base import CannotTell, Derivation, Derived, Margin, Question, span_of
from expectations.gates.statements import Choice, Name, Number, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import name_words

_OPTION = re.compile(r"the (left|right) hand on the (\S.*)", re.IGNORECASE)
# For so long nothing is done with the other object.
_LEFT_ALONE_S = 2.0
_SHORTEST_S, _LONGEST_S = 8.0, 60.0
_ROUNDED_S = 0.05
_DIRECT = ("direct",)

Held = dict[Words, set[str]]


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    recording = str(question.query["recording_id"])
    clip = start, end = span_of(question.query)
    moment = moment_asked(question, notes, start, end)
    check_length_between(notes, clip, _SHORTEST_S, _LONGEST_S)
    now = actions.actions_at(recording, moment, given, notes)
    check_evidence_at(question, given, notes, moment)
    mine = actions.wearers_actions(now, moment, given, notes)
    on = _hands_on(mine, given, notes)
    said = _judge_options(question, now, on, given, notes)
    actions.note_action_seen(mine, moment, clip, notes)
    notes.asks.append(
        Statement(
            "question",
            (
                "At {time} s, the last moment of the clip, which hand is the camera wearer using, and"
                " on which object?",
            ),
            {"time": Number(moment - start, _ROUNDED_S)},
            (),
        )
    )
    if question.answer not in said:
        raise CannotTell("the answer names no hand and no object")
    side, answer = said[question.answer]
    for action in mine:
        for box in boxes_drawn_for(action, answer, given):
            note_answer_box(box, notes)
    asked = max(mine, key=lambda a: name_words(answer) in active_objects(a, given, _DIRECT))
    path = action_path.action_path(asked, answer, _DIRECT, moment, given)
    path.rest_on(notes, "answer")
    for letter in question.letters:
        option = next(o for o in question.options if o["letter"] == letter)
        notes.rests_on(f"option_{letter}", "graph_nodes", [_node(option)])
    untrue = hands.note_other_hand(recording, moment, side, given, notes)
    others = dict.fromkeys(o for _, o in said.values() if name_words(o) != name_words(answer))
    for other in others:
        untrue += _other_object(recording, moment, other, given, notes)
    notes.statements += path.statements(start, given)
    notes.statements.append(_conclusion(question, side, path, tuple(others), "; ".join(untrue)))


def _hands_on(mine: list[dict[str, Any]], given: EvidenceTables, notes: Derived) -> Held:
    """Sides of the hands on each object that is acted on."""
    on: Held = {}
    for action in mine:
        for thing in active_objects(action, given, _DIRECT):
            on.setdefault(thing, set()).update(hands.sides(action, given))
    if not on:
        raise CannotTell("what is done at the moment has no direct object")
    if not all(on.values()):
        message = "the annotations do not say which hand acts at the moment"
        notes.refuse("consistent", "hand_not_annotated", message)
        raise CannotTell(message)
    return on


def _judge_options(
    question: Question,
    now: list[dict[str, Any]],
    on: Held,
    given: EvidenceTables,
    notes: Derived,
) -> dict[str, tuple[str, str]]:
    """Judge the options; return hand and object that each names, by letter."""
    parts: dict[Words, str] = {}
    for action in now:
        parts.update(parts_played(action, given))
    said: dict[str, tuple[str, str]] = {}
    for option in question.options:
        letter, found = str(option["letter"]), _OPTION.fullmatch(str(option["text"] or "").strip())
        if found is None:
            notes.option(letter, None, f"{option['text']!r} names no hand and object")
            continue
        side, thing = said[letter] = (found[1].lower(), found[2])
        meant, node = str(option["value"]).partition("|")[0], _node(option)
        check_named_node(question, option, node, thing, given, notes)
        if meant != side:
            message = f"option {letter} reads {option['text']!r} and means the {meant} hand"
            notes.refuse("consistent", "value_differs_from_text", message)
        name = name_words(thing)
        part = "" if name in on else part_played(name, parts)
        if side in on.get(name, ()):
            notes.option(letter, True, f"the {side} hand acts on it at the moment")
        elif letter != question.answer and part:
            notes.option(letter, True, f"it takes part in what is done at the moment, as {part}")
        else:
            notes.option(letter, False, f"the {side} hand does not act on it at the moment")
    return said


def _node(option: dict[str, Any]) -> str:
    return str(option["value"]).partition("|")[2]


def _other_object(
    recording: str, moment: float, other: str, given: EvidenceTables, notes: Derived
) -> list[str]:
    """Note how long the other object is left alone, and refuse it if it may be in a hand."""
    held = actions.last_action_may_hold(other, moment, recording, given)
    if held:
        notes.refuse("distractors", "may_be_held", held)
    apart = actions.apart_s(
        name_words(other), actions.actions_with_things(recording, given), moment
    )
    if apart is None:
        return []
    notes.margins.append(
        Margin("left_alone", apart, _LEFT_ALONE_S, "s", f"the {other} is left alone")
    )
    busy = f"something is done with the {other} {apart:.2f} s from it"
    return [busy] if apart < _LEFT_ALONE_S else []


def _conclusion(
    question: Question,
    side: str,
    path: action_path.ActionPath,
    others: tuple[str, ...],
    untrue: str,
) -> Statement:
    links = tuple(f"graph_edges:{edge['edge_id']}" for edge in path.acts_on)
    keys = tuple(dict.fromkeys(f"graph_nodes:{_node(option)}" for option in question.options))
    opposite = tuple(one for one in hands.SIDES if one != side)
    return Statement(
        "other hand and object",
        (
            "Within {alone} s of that moment, nothing is done with the {other_side} hand, and within"
            " {clear} s nothing is done with the {other}, so it is the {side} hand on the {object}.",
        ),
        {
            "alone": Number(hands.ALONE_S, 0.0),
            "other_side": Choice(opposite, hands.SIDES),
            "clear": Number(_LEFT_ALONE_S, 0.0),
            "other": Name(others or ("",)),
            "side": Choice((side,), hands.SIDES),
            "object": Name(path.objects),
        },
        (*links, *keys),
        cited=(frozenset(links), *(frozenset({key}) for key in keys)),
        untrue=untrue,
    )


DERIVATION = Derivation(
    benchmark="egocot",
    subtasks=("hand_object_association",),
    reads=merge_reads(actions.READS, action_path.READS),
    derive=_derive,
    recipes=("hand_object_association",),
    explained_in=("detailed_answer", "rationale"),
)
