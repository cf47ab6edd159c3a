"""Next action (EgoCross, Prediction): which action begins first when the phase that a clip shows is over.

Clips are those of `next_phase`. The first action that begins in the next phase is right, by tool, verb and
target, if it begins within 5 s and the clip does not show it. The other options begin phases too; none of the
four ever starts in a phase that another one begins, so that who knows which phase comes next can tell the right
one. None of the others is done in the first 5 s of the next phase, and each is right about as often as chance,
25 %, has it.

The reading `paper` asks in the words of the testbed, which name the phase that ends, about the first action that
begins, and its clips show it (`answer_visible`). Other actions of the source are drawn by hash.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from assets.questions.egocross.cells import Cell
from assets.questions.egocross.even import EVEN, Even, evenly
from assets.questions.egocross.next_phase import NAMES, RELEASED_NAMES
from assets.questions.egocross.phases import (
    AFTER_S,
    DISTRACTORS,
    LIMITS,
    LONG_ENOUGH,
    LONGEST_S,
    NO_GAP,
    READS,
    SHORTEST_S,
    Change,
    changes,
    needs_phases,
    phases_of,
)
from assets.questions.egocross.triplets import (
    Triplet,
    action_text,
    begun,
    needs_triplets,
    started_in,
    told_apart,
    triplets,
)
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import Candidate, by_hash
from assets.questions.kit.funnel import ENOUGH, refuse
from assets.questions.kit.recipe import Clip, Option, Recipe, Row, template
from assets.questions.kit.wording import wording

RECIPE: Final = Recipe(
    "egocross",
    "next_action",
    1,
    template(__file__, "next_action.j2"),
    released=wording(__file__, "released/next_action.j2", "released_cholectrack20"),
)
CELL: Final = Cell(
    dataset="CholecTrack20",
    shortest_s=SHORTEST_S,
    longest_s=LONGEST_S,
    answer_type="tool, verb and target",
    program="first action that begins in the next phase, within 5 s, and that the clip does not show",
    distractors="actions that begin other phases, each about as often as it is right",
    coverage="phase and actions of every picture up to 5 s after the phase begins",
)
WITHIN_S: Final = 5.0
BEGINS: Final = "a_new_action_begins"


@dataclass(frozen=True, slots=True)
class _Asked:
    """The action that begins first after a change of phase, and those that are done when it does."""

    change: Change
    first: Triplet
    meanwhile: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Source:
    """What may be offered: phases that each action begins and those in which it starts, by its label."""

    begins: Mapping[str, set[str]]
    starts: Mapping[str, set[str]]


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions of a source.

    Args:
        tables: Rows of `recordings` and `segments` of a whole source.
        reading: Under `paper`, show the beginning of the next phase and draw other actions by hash.
    """
    recipe = RECIPE.under(reading)
    starts = started_in(triplets(tables), phases_of(tables, NAMES))
    candidates = [*_candidates(recipe, tables)]
    begins: dict[str, set[str]] = defaultdict(set)
    for one in candidates:
        begins[one.content.first.label].add(one.content.change.after.label)
    yield from evenly(candidates, partial(_question, recipe, _Source(begins, starts)))


def _candidates(recipe: Recipe, tables: Tables) -> Iterator[Candidate[_Asked]]:
    actions = triplets(tables)
    for change in changes(tables, NAMES, as_paper=recipe.as_paper):
        found = change.candidate(recipe)
        mine = actions.get(change.recording["recording_id"], [])
        shown = {x.label for x in mine if x.overlaps(change.clip)}
        if recipe.as_paper:
            possible = [x for x in begun(mine, change, AFTER_S) if x.start_s < change.clip[1]]
        else:
            possible = [x for x in begun(mine, change, WITHIN_S) if x.label not in shown]
        if not possible:
            refuse(BEGINS)
            continue
        start_s = possible[0].start_s
        together = {x.label: x for x in possible if x.start_s == start_s}
        first = together[by_hash(together, found.identity, "answer")[0]]
        border_s = change.after.start_s
        near = (start_s, start_s) if recipe.as_paper else (border_s, border_s + WITHIN_S)
        meanwhile = frozenset(x.label for x in mine if x.overlaps(near))
        content = _Asked(change, first, meanwhile)
        anchor, thing = found.anchor, found.thing
        yield Candidate(found.identity, anchor, thing, found.t_s, first.label, content)


def _question(recipe: Recipe, source: _Source, asked: Candidate[_Asked], even: Even) -> Row | None:
    right = asked.content.first.label
    known = source.starts if recipe.as_paper else source.begins
    left = {x for x in known if x != right and x not in asked.content.meanwhile}
    others = by_hash(left, asked.identity, "distractor")
    if recipe.as_paper:
        chosen = others[:DISTRACTORS]
        return _row(recipe, asked, chosen) if len(chosen) == DISTRACTORS else None
    others.sort(key=even.ahead, reverse=True)
    for ways in told_apart(right, others, source.begins, source.starts, DISTRACTORS):
        if even.allows([right], ways):
            even.add([right], ways)
            return _row(recipe, asked, [*ways])
    return None


def _row(recipe: Recipe, asked: Candidate[_Asked], others: list[str]) -> Row:
    change, first = asked.content.change, asked.content.first
    names = RELEASED_NAMES if recipe.as_paper else NAMES

    def option(label: str) -> Option:
        return Option(action_text(label, as_paper=recipe.as_paper), label)

    keys = (change.before.segment_id, change.after.segment_id, first.segment_id)
    return recipe.question(
        anchor=asked.anchor,
        text={
            "phase": names[change.before.label],
            "next": names[change.after.label],
            "start_s": change.before.start_s,
            "end_s": change.before.end_s,
            "at_s": first.start_s,
            "action": action_text(first.label),
        },
        answer=option(first.label),
        distractors=[option(x) for x in others],
        media=[Clip(change.recording, *change.clip)],
        evidence=[
            *(("segments", key, "context") for key in keys[:2]),
            ("segments", keys[2], "answer"),
        ],
        steps=[[f"segments:{key}"] for key in keys],
        answer_visible=recipe.as_paper,
    )


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads=READS,
    needs=(needs_phases(NAMES), needs_triplets()),
    limits=LIMITS,
    rules=(NO_GAP, LONG_ENOUGH, BEGINS, EVEN, ENOUGH),
    one_frame=True,
)
