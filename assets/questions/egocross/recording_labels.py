"""Questions about the one label of a recording, such as the animal that wears the camera, or the sport.

The other options are labels of other recordings of the source. They are drawn by weight, so that each
label is offered about as often as it is right; one that a viewer may take for another is not offered beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from assets.questions.egocross.cells import Cell, length_s
from assets.questions.kit import draw
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import Candidate, few
from assets.questions.kit.clips import cut
from assets.questions.kit.funnel import FEW_RULES, UNBUILT, refuse
from assets.questions.kit.names import distinct
from assets.questions.kit.recipe import RECORDING_COLUMNS, Clip, Option, Recipe, Row

DISTRACTORS: Final = 3
MOST: Final = 200
MOST_PER_ANSWER: Final = 15
PASSES: Final = 3
LABELLED, LONG_ENOUGH = "recording_is_labelled", "long_enough"
RULES: Final = (LABELLED, LONG_ENOUGH, *FEW_RULES, UNBUILT)
COLUMNS: Final = (*RECORDING_COLUMNS, "source", "media_duration_s")


@dataclass(frozen=True, slots=True)
class _Source:
    """Recordings of a source by label, and how to ask about them."""

    recipe: Recipe
    cell: Cell
    recordings: Mapping[str, list[Mapping[str, Any]]]
    released_form: Callable[[str], str]

    def shown(self, label: str) -> str:
        """A label as an option: as it is, or as the testbed writes it."""
        return self.released_form(label) if self.recipe.as_paper else label


def questions_about(
    recipe: Recipe,
    cell: Cell,
    column: str,
    tables: Tables,
    released_form: Callable[[str], str],
) -> Iterator[Row]:
    """One question per recording with a label, few with one answer.

    Args:
        recipe: Recipe under the reading asked for; under `paper` clips are whole recordings and other
            labels are drawn by hash alone.
        cell: The cell.
        column: Column of `recordings` that holds the label.
        tables: Rows of `recordings` of a whole source.
        released_form: A label as the testbed writes it; used under `paper`.
    """
    labelled: dict[str, list[Mapping[str, Any]]] = {}
    for row in tables["recordings"].sort("recording_id").iter_rows(named=True):
        if row[column] is None:
            refuse(LABELLED)
        elif (length_s(row) or 0.0) < cell.shortest_s:
            refuse(LONG_ENOUGH)
        else:
            labelled.setdefault(row[column], []).append(row)
    source = _Source(recipe, cell, labelled, released_form)
    yield from draw.balanced_rows(
        partial(_drawn, source),
        (source.shown(label) for label in labelled),
        1 if recipe.as_paper else PASSES,
    )


def _drawn(source: _Source, weights: Mapping[str, float]) -> Iterator[Row]:
    recipe = source.recipe
    candidates = []
    for label, rows in source.recordings.items():
        for row in rows:
            uid = str(row["recording_id"])
            identity = recipe.id(row["source"], uid)
            candidates.append(Candidate(identity, (uid,), uid, 0.0, label, (label, row)))
    yield from few(
        candidates,
        partial(_question, source, weights),
        most=MOST,
        most_per_answer=MOST_PER_ANSWER,
        apart_s=0.0,
        as_paper=recipe.as_paper,
    )


def _question(
    source: _Source,
    weights: Mapping[str, float],
    asked: Candidate[tuple[str, Mapping[str, Any]]],
) -> Row | None:
    label, recording = asked.content

    def place(other: str) -> tuple[float, str]:
        return draw.place(asked.identity, source.shown(other), weights[source.shown(other)]), other

    possible = sorted(
        (x for x in source.recordings if x != label and source.shown(x) in weights), key=place
    )
    others = distinct(possible, str, label)[:DISTRACTORS]
    if len(others) < DISTRACTORS:
        return None
    # The recording of lowest key stands for its label.
    witness = {x: str(source.recordings[x][0]["recording_id"]) for x in others}
    uid = str(recording["recording_id"])
    end_s = length_s(recording) or 0.0
    start_s, end_s = (
        (0.0, end_s)
        if source.recipe.as_paper
        else cut((0.0, end_s), end_s / 2, min(end_s, source.cell.longest_s))
    )
    return source.recipe.question(
        anchor=asked.anchor,
        text={"label": label, "elsewhere": others},
        answer=Option(source.shown(label), label),
        distractors=[
            Option(source.shown(x), x, evidence=(("recordings", witness[x]),)) for x in others
        ],
        media=[Clip(recording, start_s, end_s)],
        evidence=[("recordings", uid, "answer")],
        steps=[[f"recordings:{key}" for key in witness.values()], [f"recordings:{uid}"]],
    )
