"""Right option of progress reasoning: which of two steps is under way, completed or not begun at the end of the clip."""

from __future__ import annotations

import math
import re
from typing import Any

from expectations.derivations.actions import READS, is_wearers
from expectations.derivations.clips import check_length_between
from expectations.derivations.reads import merge_reads
from expectations.derivations.wording import moment_asked
from expectations.gates.base import (
    CannotTell,
    Derivation,
    Derived,
    Hidden,
    Margin,
    Question,
    Sight,
    finite,
    span_of,
)
from expectations.gates.statements import Choice, Number, Quote, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import name_words

_SHORTEST_S, _LONGEST_S = 8.0, 60.0
_BESIDE_S = 0.35
_NEAR_S = 0.5
_ROUNDED_S = 0.05
_EDGE_S = 1e-6
_ASKED = re.compile(r'first "([^"]*)", then "([^"]*)"\.')
_CLAUSE = re.compile(r'"([^"]*)" (is under way|is completed|has not begun)')
_MEANT = {"is under way": "under way", "is completed": "completed", "has not begun": "not begun"}
_ASKS = (
    'Two steps follow each other: first "{first}", then "{second}". At {time} s, the last moment of the clip,'
    " how far has the camera wearer got with them?"
)
_READS = {
    "segments": (
        "segment_id",
        "recording_id",
        "kind",
        "start_s",
        "end_s",
        "class_name",
        "step_order",
    ),
    "graph_edges": ("edge_id", "recording_id", "segment_id", "relation", "source_table"),
}

Row = dict[str, Any]


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    clip = start, end = span_of(question.query)
    moment = moment_asked(question, notes, start, end)
    check_length_between(notes, clip, _SHORTEST_S, _LONGEST_S)
    names = _ASKED.search(question.text)
    if names is None:
        raise CannotTell("the text names no two steps")
    steps = _steps(str(question.query["recording_id"]), given)
    first = _named(names[1], [s for s in steps if s["start_s"] < end], clip, notes)
    second = _named(names[2], [s for s in steps if s["start_s"] > first["start_s"]], clip, notes)
    _check_in_turn(first, second, steps, start, notes)
    pair = (first, second)
    borders = [abs(moment - s[edge]) for s in steps for edge in ("start_s", "end_s")]
    notes.margins.append(
        Margin(
            "border", min(borders), _BESIDE_S, "s", "from the moment to the start or end of a step"
        )
    )
    now = (moment - _NEAR_S, moment)
    notes.sights.append(Sight("query", (now,), 0.0, "how far the steps have come"))
    others = [s for s in steps if s not in pair and s["start_s"] <= moment <= s["end_s"]]
    if others:
        message = f"another step is under way at {moment:.2f} s: {others[0]['class_name']}"
        notes.refuse("consistent", "another_step", message)
    _judge_options(question, pair, moment, notes)
    quotes = {"first": Quote((_name(first),)), "second": Quote((_name(second),))}
    time = {"time": Number(moment - start, _ROUNDED_S)}
    notes.asks.append(Statement("question", (_ASKS,), quotes | time, ()))
    for number, step in enumerate(pair, 1):
        _note_step(question, step, number, moment, given, notes)
    texts = tuple(str(o["text"]).casefold() for o in question.options)
    answer = str((question.answer_option or {}).get("text")).casefold()
    keys = tuple(f"segments:{step['segment_id']}" for step in pair)
    notes.statements.append(
        Statement(
            "progress",
            ("So at {time} s {answer}.",),
            time | {"answer": Choice((answer,), texts)},
            keys,
            cited=tuple(frozenset({key}) for key in keys),
        )
    )


def _steps(recording: str, given: EvidenceTables) -> list[Row]:
    """Rows of `segments` that are steps of the wearer, in time order."""
    steps = [
        row
        for row in given.rows("segments", recording_id=recording)
        if (row["kind"] == "keystep" or (row["kind"] == "action" and row["step_order"] is not None))
        and finite(row["start_s"], row["end_s"])
        and row["class_name"] is not None
        and is_wearers(row, given)
    ]
    return sorted(steps, key=lambda row: (row["start_s"], row["end_s"], row["segment_id"]))


def _named(name: str, steps: list[Row], clip: tuple[float, float], notes: Derived) -> Row:
    """The step that a text names; several of one name in the clip are refused.

    Raises:
        CannotTell: There is none.
    """
    named = [s for s in steps if name_words(_name(s)) == name_words(name) and s["end_s"] > clip[0]]
    if not named:
        message = f"the camera wearer does no step {name!r} in or after the clip"
        notes.refuse("consistent", "no_such_step", message)
        raise CannotTell(message)
    if sum(s["start_s"] < clip[1] for s in named) > 1:
        notes.refuse(
            "consistent", "name_of_several", f"several steps of the clip are called {name!r}"
        )
    return named[0]


def _check_in_turn(first: Row, second: Row, steps: list[Row], start: float, notes: Derived) -> None:
    """Refuse steps of which the first is cut, or that do not follow each other alone."""
    if first["start_s"] < start - _EDGE_S:
        notes.refuse(
            "consistent", "step_cut", f"the clip cuts the start of {first['class_name']!r}"
        )
    between = [
        s
        for s in steps
        if s not in (first, second)
        and s["end_s"] > first["start_s"]
        and s["start_s"] < second["end_s"]
    ]
    if between:
        message = f"{between[0]['class_name']!r} is done between them or at the same time"
        notes.refuse("consistent", "not_in_turn", message)
    pause = second["start_s"] - first["end_s"]
    words = "from the end of the first step to the start of the second"
    notes.margins.append(Margin("pause", pause, 2 * _BESIDE_S, "s", words))


def _status(step: Row, moment: float) -> str:
    if step["start_s"] > moment:
        return "not begun"
    return "under way" if step["end_s"] > moment else "completed"


def _judge_options(
    question: Question, pair: tuple[Row, Row], moment: float, notes: Derived
) -> None:
    by_name = {name_words(_name(step)): step for step in pair}
    for option in question.options:
        letter, text = str(option["letter"]), str(option["text"] or "")
        clauses = [
            (by_name.get(name_words(name)), _MEANT[so]) for name, so in _CLAUSE.findall(text)
        ]
        left = " ".join(_CLAUSE.sub("", text).split())
        uid, _, meant = str(option["value"]).rpartition("|")
        notes.rests_on(f"option_{letter}", "segments", [uid])
        if not clauses or left not in ("", "and") or any(step is None for step, _ in clauses):
            notes.option(letter, None, f"{text!r} says nothing of the two steps")
            continue
        (step, status), *_ = clauses
        if step is None or (step["segment_id"], status) != (uid, meant):
            message = f"option {letter} reads {text!r} and means {option['value']!r}"
            notes.refuse("consistent", "value_differs_from_text", message)
        wrong = [so for one, so in clauses if one is not None and _status(one, moment) != so]
        notes.option(
            letter, not wrong, f"not so at {moment:.2f} s: {', '.join(wrong) or 'nothing'}"
        )


def _note_step(
    question: Question,
    step: Row,
    number: int,
    moment: float,
    given: EvidenceTables,
    notes: Derived,
) -> None:
    """Note evidence of a step, what of it must and must not be seen, and what an explanation says of it."""
    start = span_of(question.query)[0]
    does = [
        str(edge["edge_id"])
        for edge in given.rows("graph_edges", segment_id=step["segment_id"])
        # What is read out of a step's words was not annotated.
        if edge["relation"] == "does" and edge["source_table"] != "labels"
    ]
    segment = str(step["segment_id"])
    notes.rests_on(f"step_{number}", "segments", [segment])
    notes.rests_on(f"action_{number}", "graph_edges", does, "one" if does else "none")
    status, what = _status(step, moment), f"the step {step['class_name']!r}"
    later = {"not begun": step["start_s"], "under way": step["end_s"], "completed": math.inf}[
        status
    ]
    recording = str(question.query["recording_id"])
    if later < math.inf:
        notes.hidden.append(Hidden(recording, float(later), math.inf, "shows_later_step", what))
    if status != "not begun":
        span = (float(step["start_s"]), min(float(step["end_s"]), moment))
        notes.sights.append(Sight("query", (span,), _NEAR_S, what))
    forms = {
        "completed": 'The step "{step}" lasts from {start} s to {end} s of the clip, so it is completed.',
        "under way": (
            'The step "{step}" begins at {start} s of the clip and goes on for {rest} s after the clip ends, so it is under way.'
        ),
        "not begun": 'The step "{step}" does not begin until {ahead} s after the clip ends.',
    }
    slots = {
        "step": Quote((_name(step),)),
        "start": Number(step["start_s"] - start, _ROUNDED_S),
        "end": Number(step["end_s"] - start, _ROUNDED_S),
        "rest": Number(step["end_s"] - moment, _ROUNDED_S),
        "ahead": Number(step["start_s"] - moment, _ROUNDED_S),
    }
    keys = (f"segments:{segment}", *(f"graph_edges:{edge}" for edge in does))
    form = forms[status]
    used = {name: slot for name, slot in slots.items() if f"{{{name}}}" in form}
    notes.statements.append(
        Statement(f"step {number}", (form,), used, keys, cited=(frozenset({keys[0]}),))
    )


def _name(step: Row) -> str:
    return " ".join(re.sub(r"[_-]+", " ", str(step["class_name"])).split())


DERIVATION = Derivation(
    benchmark="egocot",
    subtasks=("progress_reasoning",),
    reads=merge_reads(READS, _READS),
    derive=_derive,
    recipes=("progress_reasoning",),
    explained_in=("detailed_answer", "rationale"),
)
