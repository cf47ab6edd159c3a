"""Interaction temporal localisation (EgoCross, Localization): when an animal first interacts with something.

The first interaction with the object that the question names is right. Clips begin with their recording, so
that "first" holds in both, and times of the text are those of the clip. All options last as long as the
right one and lie at least 2 s before or after it: the annotators' times are whole seconds. One that is already going on when the clip begins is not asked
about: it would always be the earliest option. Which of the four the right one is in time is chosen by hash, as far as the clip has room; spans in which other
interactions begin come first. Chance is 25 %.

The reading `paper` shows whole recordings and draws any spans that do not touch the right one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from assets.questions.egocross.cells import Cell
from assets.questions.egocross.interactions import (
    EVERY_S,
    NEEDS,
    PRECISION_S,
    READS,
    RULES,
    UNNAMED,
    Interaction,
    Searched,
    searched,
)
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import Candidate, by_hash, few
from assets.questions.kit.funnel import FEW_RULES, UNBUILT, refuse
from assets.questions.kit.recipe import Clip, Option, Recipe, Row, template
from assets.questions.kit.wording import wording

RECIPE: Final = Recipe(
    "egocross",
    "interaction_localisation",
    1,
    template(__file__, "interaction_localisation.j2"),
    released=wording(__file__, "released/interaction_localisation.j2", "released_egopet"),
)
CELL: Final = Cell(
    dataset="EgoPet",
    shortest_s=4.0,
    longest_s=60.0,
    answer_type="span of whole seconds",
    program="first interaction with an object, in order of start",
    distractors="spans of the same length, where other interactions begin first, 2 s from the right one",
    coverage="all interactions of the recording are listed, with whole seconds",
)
DISTRACTORS: Final = 3
MOST: Final = 10
GAP_S: Final = 2
NAMED, IN_CLIP, BEGINS = "object_is_named", "inside_clip", "begins_in_clip"
ENDED, SEEN = "not_taken_up_again", "is_sent"
Asked = tuple[Searched, Interaction, float]


@dataclass(frozen=True, slots=True)
class _Spans:
    """Where options may start: whole seconds, by the right one's start, length and least distance."""

    start: int
    length: int
    end: int
    gap: int

    def places(self) -> list[int]:
        """Starts of all spans in the clip that are far enough from the right one."""
        starts = range(self.end - self.length + 1)
        return [s for s in starts if abs(s - self.start) >= self.length + self.gap]


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions of one recording or several.

    Args:
        tables: Rows of `recordings` and `segments`.
        reading: Under `paper`, show recordings whole and keep no distance.
    """
    recipe = RECIPE.under(reading)
    for recording in searched(tables):
        yield from few(
            _candidates(recipe, recording),
            partial(_question, recipe),
            most=MOST,
            most_per_answer=MOST,
            apart_s=0.0,
        )


def _candidates(recipe: Recipe, recording: Searched) -> Iterator[Candidate[Asked]]:
    """The first interaction with each object."""
    clip_end_s = recording.end_s if recipe.as_paper else min(recording.end_s, CELL.longest_s)
    known: dict[str, Interaction] = {}
    for one in recording.interactions:
        known.setdefault(one.thing, one)
    for thing, one in known.items():
        again = any(
            x.thing == thing and x is not one and x.start_s < one.end_s + GAP_S
            for x in recording.interactions
        )
        if thing == UNNAMED:
            refuse(NAMED)
        elif one.end_s > clip_end_s:
            refuse(IN_CLIP)
        elif one.start_s < PRECISION_S and not recipe.as_paper:
            refuse(BEGINS)
        elif again and not recipe.as_paper:
            refuse(ENDED)
        elif not recipe.as_paper and not one.is_seen(0.0):
            refuse(SEEN)
        else:
            identity = recipe.id(recording.row["source"], one.segment_id)
            content = (recording, one, clip_end_s)
            yield Candidate(identity, (one.segment_id,), thing, one.start_s, one.start_s, content)


def _starts(spans: _Spans, liked: set[int], identity: str, *, any_place: bool) -> Sequence[int]:
    """Starts of three other options, at least a sampling period apart; fewer if there is no room."""
    ordered = by_hash(spans.places(), identity, "distractor", kinds=[] if any_place else [liked])
    apart: list[int] = []
    for place in ordered:
        if all(abs(place - other) >= EVERY_S for other in apart):
            apart.append(place)
    if any_place:
        return apart[:DISTRACTORS]
    before = [s for s in apart if s < spans.start]
    after = [s for s in apart if s > spans.start]
    for place in by_hash(range(DISTRACTORS + 1), identity, "place"):
        if place <= len(before) and DISTRACTORS - place <= len(after):
            return [*before[:place], *after[: DISTRACTORS - place]]
    return []


def _question(recipe: Recipe, asked: Candidate[Asked]) -> Row | None:
    recording, one, end_s = asked.content
    length = round(one.end_s - one.start_s)
    gap = 0 if recipe.as_paper else GAP_S
    spans = _Spans(round(one.start_s), length, int(end_s), gap)
    liked = {round(x.start_s) for x in recording.interactions}
    starts = _starts(spans, liked, asked.identity, any_place=recipe.as_paper)
    if len(starts) < DISTRACTORS:
        return None
    shown = [x for x in recording.interactions if x.start_s < end_s]
    others = [x for x in shown if x is not one]

    def option(start: int) -> Option:
        stop = start + length
        words = f"{start}.0-{stop}.0 seconds" if recipe.as_paper else f"{start} s to {stop} s"
        return Option(words, f"{start}-{stop}")

    return recipe.question(
        anchor=asked.anchor,
        text={
            "animal": recording.row["species"],
            "interaction": one,
            "shown": shown,
            "object": one.thing,
        },
        answer=option(spans.start),
        distractors=[option(start) for start in starts],
        media=[Clip(recording.row, 0.0, end_s)],
        evidence=[
            ("segments", one.segment_id, "answer"),
            *(("segments", x.segment_id, "context") for x in others),
            ("recordings", recording.row["recording_id"], "coverage"),
        ],
        steps=[
            [f"recordings:{recording.row['recording_id']}"],
            [f"segments:{x.segment_id}" for x in shown],
            [f"segments:{one.segment_id}"],
        ],
    )


BUILDER = RECIPE.builder(
    questions,
    unit="recording",
    reads=READS,
    needs=NEEDS,
    limits=CELL.limits,
    rules=(*RULES, NAMED, IN_CLIP, BEGINS, ENDED, SEEN, *FEW_RULES, UNBUILT),
)
