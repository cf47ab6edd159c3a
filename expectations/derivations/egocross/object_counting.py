"""Right option of object counting: how many kinds of tools the annotated pictures of the clip show (C15)."""

from __future__ import annotations

import re

from expectations.derivations.egocross._annotated_clips import (
    REFINED_READS,
    annotation_of,
    is_of_bench,
    pictures_of,
    rest_on_view,
    sent_of,
    tools_in_view,
)
from expectations.derivations.wording import options_said
from expectations.gates.base import Derivation, Derived, Question, Sight, span_of
from expectations.gates.statements import Number, Statement
from expectations.gates.tables import EvidenceTables

_CLIP_S = (10.0, 20.0)
_BENCH_CLIP_S = (10.0,)
_FURTHEST = 3
_SEEN_S = 0.01
_WHOLE = re.compile(r"\d+")
_ASKS = "How many different kinds of tools are in view in this video, whether fully or in part?"
# As the released testbed asks, of CholecTrack20 and of EgoSurgery.
_ASKS_AS_PAPER = (
    "How many distinct types of surgical instruments were fully or partially visible in the video"
    " segment from {start}s to {end}s?",
    "How many distinct types of objects (e.g., tools, instruments) were visible in the video segment"
    " from {start}s to {end}s?",
)
_ASKS_OF_BENCH = (
    "How many different kinds of things are in view in this video, whether fully or in part? Tools,"
    " devices and components count; things of one kind, such as buttons or boards, count as one."
)
_ASKS_OF_BENCH_AS_PAPER = (
    "How many distinct types of objects (e.g. tools, components, buttons as a single category) were"
    " visible in the video segment from {start}s to {end}s?",
)


def _number(text: str | None) -> int | None:
    """Whole number that a text or a value is; None for any other text."""
    said = (text or "").strip()
    return int(said) if _WHOLE.fullmatch(said) else None


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    notes.check_option_count(question, 4)
    start_s, end_s = span_of(question.query)
    of_bench = is_of_bench(question)
    pictures = pictures_of(question, given, notes, _BENCH_CLIP_S if of_bench else _CLIP_S)
    view = tools_in_view(question, given, pictures)
    sent = sent_of(pictures, start_s, end_s)
    count = len(view)
    for tool, rows in sorted(view.items()):
        shown = {row["source_frame"] for row in rows}
        at = tuple((pictures[n], pictures[n]) for n in sorted(shown))
        notes.sights.append(Sight("query", at, _SEEN_S, f"the {tool}"))
        if not question.as_paper and not shown & sent:
            why = f"the {tool} is counted, and in none of the pictures that are sent"
            notes.refuse("consistent", "kind_not_sent", why)
    for letter, number in options_said(question, notes, _number, "number"):
        why = f"{count} kinds are in view: {', '.join(sorted(view)) or 'none'}"
        notes.option(letter, number == count, why)
        if abs(number - count) > _FURTHEST:
            far = f"option {letter} is {abs(number - count)} from the count, {_FURTHEST} at most"
            notes.refuse("distractors", "far_from_count", far, abs(number - count), _FURTHEST)
    frames = rest_on_view(view, pictures, "answer", annotation_of(question).noun, notes)
    span = {"start": Number(0.0, _SEEN_S), "end": Number(end_s - start_s, _SEEN_S)}
    released = _ASKS_OF_BENCH_AS_PAPER if of_bench else _ASKS_AS_PAPER
    ours = _ASKS_OF_BENCH if of_bench else _ASKS
    asks = (released, span) if question.as_paper else ((ours,), {})
    notes.asks.append(Statement("question", *asks, frames))
    groups = [frozenset(f"boxes:{row['box_id']}" for row in rows) for rows in view.values()]
    rows = tuple(sorted(key for group in groups for key in group))
    said = ("Different kinds in all: {n}.",)
    notes.statements.append(
        Statement("count", said, {"n": Number(count, 0.0)}, rows, tuple(groups))
    )


DERIVATION = Derivation(
    benchmark="egocross",
    subtasks=("object_counting",),
    reads=REFINED_READS,
    derive=_derive,
    recipes=("object_counting", "object_counting_enigma51"),
    explained_in=("detailed_answer", "rationale"),
)
