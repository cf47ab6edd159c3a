"""Changes of phase in an operation, and questions about which phase comes next.

A phase is known by the pictures that are labelled with it, so that it may be over any time after the last
of them: a clip that must not show the next phase ends with that picture. Where pictures between two phases
are not annotated nobody knows when the first one ended, or whether another came between them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, Final

import polars as pl

from assets.questions.egocross.cells import Cell
from assets.questions.egocross.even import EVEN, Even, evenly
from assets.questions.egocross.tools import EVERY_S
from assets.questions.kit.builder import Need, Tables
from assets.questions.kit.choice import Candidate, by_hash
from assets.questions.kit.funnel import ENOUGH, refuse
from assets.questions.kit.needs import rows_where
from assets.questions.kit.recipe import RECORDING_COLUMNS, Clip, Option, Recipe, Row
from assets.questions.kit.wording import wording

RELEASED: Final = wording(__file__, "released/next_phase.j2", "released_cholectrack20")
RELEASED_OPTION: Final = wording(__file__, "released/next_phase.j2", "option_cholectrack20")
SEGMENTS: Final = (
    *("recording_id", "segment_id", "kind", "class_name"),
    *("start_s", "end_s", "precision_s"),
)
"""Columns of `segments` that `changes` reads."""
READS: Final = {"recordings": (*RECORDING_COLUMNS, "source"), "segments": SEGMENTS}
SHORTEST_S: Final = 8.0
LONGEST_S: Final = 30.0
LONGEST_AS_PAPER_S: Final = 50.0
"""Most that is shown of the phase that ends, under the reading `paper`."""
AFTER_S: Final = 10.0
"""Most that is shown of the next phase, under the reading `paper`."""
DISTRACTORS: Final = 3
NO_GAP, LONG_ENOUGH = "no_gap_between_phases", "long_enough"
RULES: Final = (NO_GAP, LONG_ENOUGH, EVEN, ENOUGH)
LIMITS: Final = (
    f"a phase is shown for {SHORTEST_S:g} to {LONGEST_S:g} s until its last picture; the next one begins"
    " with the next annotated picture"
)
_ROUNDING: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase, in seconds of its recording; `precision_s` is the time from one picture to the next."""

    segment_id: str
    label: str
    start_s: float
    end_s: float
    precision_s: float


@dataclass(frozen=True, slots=True)
class Change:
    """Two phases of a recording that follow each other, and the clip that is shown of them."""

    recording: Mapping[str, Any]
    before: Phase
    after: Phase
    clip: tuple[float, float]

    def candidate(self, recipe: Recipe) -> Candidate[Change]:
        """The question about what comes after the first phase."""
        anchor = (self.before.segment_id, self.after.segment_id)
        uid, identity = self.recording["recording_id"], recipe.id(self.recording["source"], *anchor)
        return Candidate(identity, anchor, uid, self.after.start_s, self.after.label, self)


def next_phase_cell(dataset: str) -> Cell:
    """What the cell of next phase declares on a dataset."""
    return Cell(
        dataset=dataset,
        shortest_s=SHORTEST_S,
        longest_s=LONGEST_S,
        answer_type="phase",
        program="phase that begins with the next annotated picture after the one shown",
        distractors="other phases, each about as often as it is right",
        coverage="the phase of every picture up to the next phase",
    )


def needs_phases(labels: Collection[str]) -> Need:
    """A source needs phases of these labels, with the time from one picture to the next."""
    columns = ("kind", "class_name", "precision_s")
    return rows_where("segments", columns, _is_one_of(labels), "no phases of an operation")


def phases_of(tables: Tables, labels: Collection[str]) -> dict[str, list[Phase]]:
    """Phases of these labels by recording, in order of time."""
    rows = tables["segments"].filter(_is_one_of(labels))
    found: dict[str, list[Phase]] = {}
    for row in rows.sort("start_s", "segment_id").iter_rows(named=True):
        spans = (row["start_s"], row["end_s"], row["precision_s"])
        one = Phase(row["segment_id"], row["class_name"], *spans)
        found.setdefault(row["recording_id"], []).append(one)
    return found


def _is_one_of(labels: Collection[str]) -> pl.Expr:
    return (
        (pl.col("kind") == "phase")
        & pl.col("class_name").is_in(list(labels))
        & pl.col("precision_s").is_not_null()
    )


def changes(tables: Tables, labels: Collection[str], *, as_paper: bool) -> Iterator[Change]:
    """Changes from one phase to another that can be shown.

    Args:
        tables: Rows of `recordings` and `segments` of a whole source.
        labels: Labels of phases.
        as_paper: Whether clips show the beginning of the next phase too.
    """
    found = phases_of(tables, labels)
    for recording in tables["recordings"].sort("recording_id").iter_rows(named=True):
        for before, after in pairwise(found.get(recording["recording_id"], [])):
            if before.label == after.label:
                continue
            clip = _clip(before, after, as_paper)
            if abs(after.start_s - before.end_s) > _ROUNDING:
                refuse(NO_GAP)
            elif clip is None:
                refuse(LONG_ENOUGH)
            else:
                yield Change(recording, before, after, clip)


def _clip(before: Phase, after: Phase, as_paper: bool) -> tuple[float, float] | None:
    """Whole sampling periods of the first phase; None if it is too short, or the next one has one picture."""
    longest, end_s = LONGEST_S, after.start_s - before.precision_s
    last = end_s
    if as_paper:
        longest, end_s = LONGEST_AS_PAPER_S, after.start_s
        last = min(end_s + AFTER_S, after.end_s - after.precision_s)
    shown_s = min(longest, end_s - before.start_s)
    length_s = EVERY_S * math.floor(shown_s / EVERY_S + _ROUNDING)
    if length_s < SHORTEST_S or last < end_s or (as_paper and last == end_s):
        return None
    return round(end_s - length_s, 6), round(last, 6)


def phase_questions(
    recipe: Recipe, names: Mapping[str, str], released: Mapping[str, str], tables: Tables
) -> Iterator[Row]:
    """Which phase comes next, once for each change of phase.

    Args:
        recipe: Recipe under the reading asked for; under `paper` clips show the beginning of the next phase,
            the text names the one before, and other phases are drawn by hash.
        names: Labels of phases, and how options name them.
        released: The same in the words of the testbed.
        tables: Rows of `recordings` and `segments` of a whole source.
    """
    found = (x.candidate(recipe) for x in changes(tables, names, as_paper=recipe.as_paper))
    yield from evenly(found, partial(_question, recipe, released if recipe.as_paper else names))


def _question(
    recipe: Recipe, names: Mapping[str, str], asked: Candidate[Change], even: Even
) -> Row | None:
    before, after = asked.content.before, asked.content.after
    named = {after.label, before.label} if recipe.as_paper else {after.label}
    others = by_hash((x for x in names if x not in named), asked.identity, "distractor")
    if not recipe.as_paper:
        others.sort(key=even.ahead, reverse=True)
    others = others[:DISTRACTORS]
    if not recipe.as_paper and not even.allows([after.label], others):
        return None
    even.add([after.label], others)

    def option(label: str) -> Option:
        name = names[label]
        return Option(RELEASED_OPTION.render({"name": name}) if recipe.as_paper else name, label)

    keys = (before.segment_id, after.segment_id)
    return recipe.question(
        anchor=asked.anchor,
        text={
            "phase": names[before.label],
            "next": names[after.label],
            "start_s": before.start_s,
            "end_s": before.end_s,
        },
        answer=option(after.label),
        distractors=[option(x) for x in others],
        media=[Clip(asked.content.recording, *asked.content.clip)],
        evidence=[("segments", keys[0], "context"), ("segments", keys[1], "answer")],
        steps=[[f"segments:{key}"] for key in keys],
        answer_visible=recipe.as_paper,
    )
