"""Right option of active object grounding: the direct object of what is done at the moment (T3)."""

from __future__ import annotations

from typing import Any

from expectations.derivations import action_path, actions
from expectations.derivations.actions import (
    Words,
    active_objects,
    part_played,
    parts_played,
)
from expectations.derivations.boxes import boxes_drawn_for, note_answer_box
from expectations.derivations.clips import check_length_between
from expectations.derivations.evidence import check_evidence_at
from expectations.derivations.nodes import check_node
from expectations.derivations.reads import merge_reads
from expectations.derivations.wording import moment_asked
from expectations.gates.base import (
    CannotTell,
    Derivation,
    Derived,
    Question,
    span_of,
)
from expectations.gates.statements import Each, Name, Number, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import name_words

# For so long before and after the moment nothing is done with the other options: not as the object
# acted on, nor as tool, source, target, container or place.
_LEFT_ALONE_S = 2.0
# Length of a clip (EgoCoT-Bench, 3.2).
_SHORTEST_S, _LONGEST_S = 8.0, 60.0
# Texts tell times with one decimal.
_ROUNDED_S = 0.05


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    recording = str(question.query["recording_id"])
    clip = start, end = span_of(question.query)
    moment = moment_asked(question, notes, start, end)
    check_length_between(notes, clip, _SHORTEST_S, _LONGEST_S)
    now = actions.actions_at(recording, moment, given, notes)
    check_evidence_at(question, given, notes, moment)
    mine = actions.wearers_actions(now, moment, given, notes)
    # In the paper whatever is touched is active, a tool too.
    roles = ("direct", "tool") if question.as_paper else ("direct",)
    direct = {words for action in mine for words in active_objects(action, given, roles)}
    if not direct:
        raise CannotTell("what is done at the moment has no direct object")
    _judge_options(question, now, direct, given, notes)
    left_alone = actions.note_left_alone(question, moment, _LEFT_ALONE_S, given, notes)
    actions.note_action_seen(mine, moment, clip, notes)
    answer = str((question.answer_option or {}).get("text") or "")
    for action in mine:
        for box in boxes_drawn_for(action, answer, given):
            note_answer_box(box, notes)
    notes.asks.append(
        Statement(
            "question",
            (
                "At {time} s, the last moment of the clip, which object is the camera wearer acting"
                " on?",
            ),
            {"time": Number(moment - start, _ROUNDED_S)},
            (),
        )
    )
    named = question.keys_of("segments")
    asked = max(
        mine,
        key=lambda action: (
            name_words(answer) in active_objects(action, given, roles),
            action["segment_id"] in named,
        ),
    )
    path = action_path.action_path(asked, answer, roles, moment, given)
    path.rest_on(notes, "answer")
    for option in question.options:
        notes.rests_on(f"option_{option['letter']}", "graph_nodes", [str(option["value"])])
    notes.statements += path.statements(start, given)
    notes.statements.append(_others_statement(question, path.objects, left_alone))


def _judge_options(
    question: Question,
    now: list[dict[str, Any]],
    direct: set[Words],
    given: EvidenceTables,
    notes: Derived,
) -> None:
    parts: dict[Words, str] = {}
    for action in now:
        parts.update(parts_played(action, given))
    for option in question.options:
        letter, name = str(option["letter"]), name_words(str(option["text"] or ""))
        check_node(question, option, given, notes)
        part = part_played(name, parts)
        if name in direct:
            notes.option(letter, True, "it is the direct object at the moment")
        elif letter != question.answer and part:
            notes.option(letter, True, f"it takes part in what is done at the moment, as {part}")
        else:
            notes.option(letter, False, "it is not what is acted on at the moment")


def _others_statement(
    question: Question, objects: tuple[str, ...], left_alone: dict[str, float]
) -> Statement:
    others = [o for o in question.options if o["letter"] != question.answer]
    keys = [f"graph_nodes:{option['value']}" for option in others]
    busy = [
        f"something is done with the {o['text']} {left_alone[o['letter']]:.2f} s from it"
        for o in others
        if left_alone.get(o["letter"], _LEFT_ALONE_S) < _LEFT_ALONE_S
    ]
    return Statement(
        "things left alone",
        (
            "Within {seconds} s of that moment, nothing is done with {others}, so the active"
            " object is the {object}.",
        ),
        {
            "seconds": Number(_LEFT_ALONE_S, 0.0),
            "others": Each(
                "[the ]{name}", tuple({"name": Name((str(o["text"]),))} for o in others)
            ),
            "object": Name(objects),
        },
        tuple(keys),
        cited=tuple(frozenset({key}) for key in keys),
        untrue="; ".join(busy),
    )


DERIVATION = Derivation(
    benchmark="egocot",
    subtasks=("active_object_grounding",),
    reads=merge_reads(actions.READS, action_path.READS),
    derive=_derive,
    recipes=("active_object_grounding",),
    explained_in=("detailed_answer", "rationale"),
)
