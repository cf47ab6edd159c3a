"""Sequence alignment: how two performances of one activity differ in their steps (EgoExoBench A.4).

"Video pairs are selected from the same activity category, with each pair containing at least two shared
steps." One take is seen in the wearer's view and another in an observer's. A language model wrote the
paper's questions; here the keysteps themselves give the statements, so that every claim is one of rows:

- order: two steps that both takes show once, in one order in Video 1 and in the other in Video 2;
- presence: a step that one of the takes shows and the other does not.

The right statement has three false ones beside it: the same of the videos exchanged, and both of a second
pair of steps that come in the same order, or of a step that both takes show. The four therefore read alike,
whichever is right, and each false one contradicts an annotated step: it says that a step is missing where
it is annotated, or that it comes earlier or later than it does.

A step counts as missing if no step of the take has its name in more or fewer words. Takes are shown from
the start of their first keystep to the end of their last. Where there is a choice, steps are asked about
that fill at least an eighth of both clips, since eight frames show those; the others come after.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from assets.questions.egoexobench.steps import Step, StepSequence, common_length, kept, swapped
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import by_hash
from assets.questions.kit.funnel import refuse
from assets.questions.kit.needs import rows_where, take_with_both_views
from assets.questions.kit.recipe import RECORDING_COLUMNS, Clip, Option, Recipe, Row, template
from assets.questions.kit.takes import SYNCHRONOUS, Camera, cameras, synchronous_clocks

RECIPE = Recipe("egoexobench", "sequence_alignment", 1, template(__file__, "sequence_alignment.j2"))
LEAST_SHARED = 2
PARTNERS = 2
"""With so many other takes a take is compared, per kind of difference."""
_FRAMES = 8


@dataclass(frozen=True, slots=True)
class Performance:
    """A take with its keysteps, on its wearer's recording, and its observers."""

    take_id: str
    split: str | None
    sequence: StepSequence
    wearer: Camera
    observers: tuple[Camera, ...]

    def clip(self, camera: Camera) -> Clip:
        """From the first keystep to the last, as a camera films it."""
        start_s, end_s = (self.wearer.clock.to_take(t) for t in self.sequence.span)
        limit = camera.row["duration_s"] or float("inf")
        return Clip(
            camera.row,
            max(0.0, camera.clock.from_take(start_s)),
            min(limit, camera.clock.from_take(end_s)),
        )

    def fills(self, class_id: int) -> bool:
        """Whether a step lasts an eighth of the clip, so that one of eight frames shows it."""
        start_s, end_s = self.sequence.span
        longest = max((s.end_s - s.start_s for s in self.sequence.all_of(class_id)), default=0.0)
        return longest * _FRAMES >= end_s - start_s


@dataclass(frozen=True, slots=True)
class Difference:
    """What tells two performances apart, and what does not.

    Attributes:
        kind: `order` or `presence`.
        right: Steps the right statement is about: two, or one.
        wrong: Steps two of the false statements are about.
        has: Video that does the first of two steps first, or shows the step: 1 or 2.
    """

    kind: str
    right: tuple[int, ...]
    wrong: tuple[int, ...]
    has: int


def questions(tables: Tables, _reading: str) -> Iterator[Row]:
    """Questions about the takes of a scenario that have keysteps.

    Args:
        tables: Rows of `recordings`, `clocks` and `segments` of the scenario's recordings.
    """
    performances = list(_performances(tables))
    for worn in performances:
        others = [p for p in performances if p.take_id != worn.take_id and p.split == worn.split]
        for kind in ("order", "presence"):
            found = 0
            for seen in by_hash(others, "partner", kind, worn.take_id, key=lambda p: p.take_id):
                if found == PARTNERS:
                    refuse("few_partners")
                    continue
                row = _question(kind, worn, seen)
                if row is not None:
                    yield row
                    found += 1


def _question(kind: str, worn: Performance, seen: Performance) -> Row | None:
    """The question about a take in the wearer's view and another in an observer's; None if there is none."""
    ids = worn.sequence.ids, seen.sequence.ids
    common = common_length(*ids)
    if len({*ids[0]} & {*ids[1]}) < LEAST_SHARED or common < LEAST_SHARED or ids[0] == ids[1]:
        refuse("alike_but_not_the_same")
        return None
    anchor = (kind, worn.take_id, seen.take_id)
    seed = RECIPE.id(str(worn.wearer.row["source"]), *anchor)
    # Which of the two is Video 1 must not depend on the view.
    videos = by_hash((worn, seen), seed, "video", key=lambda p: p.take_id)
    difference = (_order if kind == "order" else _presence)(videos, seed)
    if difference is None:
        refuse("a_difference_and_a_likeness")
        return None
    observer = by_hash(seen.observers, seed, "camera", key=lambda c: c.uid)[0]
    clips = [p.clip(worn.wearer if p is worn else observer) for p in videos]
    right, wrong = (
        [_Told.of(videos, step) for step in steps] for steps in (difference.right, difference.wrong)
    )
    answer, *others = _options(difference, videos, right, wrong)
    right, wrong = (sorted(steps, key=lambda step: step.first_s) for steps in (right, wrong))
    return RECIPE.question(
        anchor=anchor,
        text={"kind": kind, "right": right, "wrong": wrong, "has": difference.has},
        answer=answer,
        distractors=others,
        media=clips,
        roles=["video_1", "video_2"],
    )


@dataclass(frozen=True, slots=True)
class _Told:
    """A step as texts tell it: its name, and when each video first shows it."""

    class_id: int
    name: str
    first_s: float
    second_s: float

    @classmethod
    def of(cls, videos: Sequence[Performance], class_id: int) -> _Told:
        steps = [p.sequence.all_of(class_id) for p in videos]
        name = next(step.name for own in steps for step in own)
        # Both clips begin with the first step of their take.
        starts = [
            own[0].start_s - p.sequence.span[0] if own else 0.0
            for p, own in zip(videos, steps, strict=True)
        ]
        return cls(class_id, name, *starts)


def _options(
    difference: Difference,
    videos: Sequence[Performance],
    right: Sequence[_Told],
    wrong: Sequence[_Told],
) -> list[Option]:
    """The right statement, the same of the videos exchanged, and both of the other steps."""
    state = _order_statement if difference.kind == "order" else _presence_statement
    made = []
    for steps in (right, wrong):
        ids = [step.class_id for step in steps]
        rows = tuple(
            ("segments", step.segment_id)
            for performance in videos
            for step in performance.sequence.steps
            if step.class_id in ids
        )
        for video in (difference.has, 3 - difference.has):
            value = f"{difference.kind}:{video}:{'<'.join(map(str, ids))}"
            made.append(Option(state(steps, video), value=value, evidence=rows))
    return made


def _order_statement(steps: Sequence[_Told], video: int) -> str:
    first, second = (s.name for s in steps)
    return (
        f'Video {video} shows "{first}" before "{second}", while Video {3 - video} shows it after.'
    )


def _presence_statement(steps: Sequence[_Told], video: int) -> str:
    return f'Video {video} includes "{steps[0].name}", while Video {3 - video} does not.'


def _order(videos: Sequence[Performance], seed: str) -> Difference | None:
    one, two = (p.sequence for p in videos)
    right = _chosen(videos, swapped(one, two), seed, "right")
    if right is None:
        return None
    # Other steps first: a step of the right statement in a false one would help to rule it out.
    alike = kept(one, two)
    apart = [pair for pair in alike if not {*pair} & {*right}]
    wrong = _chosen(videos, apart, seed, "wrong") or _chosen(videos, alike, seed, "wrong")
    if wrong is None:
        return None
    # Which of two steps is named first must not depend on their order.
    first = by_hash(right, seed, "first", key=str)
    named = by_hash(wrong, seed, "first", key=str)
    return Difference("order", tuple(first), tuple(named), 1 if first[0] == right[0] else 2)


def _presence(videos: Sequence[Performance], seed: str) -> Difference | None:
    one, two = (p.sequence for p in videos)
    only = [
        (step,)
        for own, other in ((one, two), (two, one))
        for step in dict.fromkeys(own.ids)
        if not other.may_contain(own.all_of(step)[0].name)
    ]
    both = [(step,) for step in dict.fromkeys(one.ids) if step in set(two.ids)]
    right, wrong = _chosen(videos, only, seed, "right"), _chosen(videos, both, seed, "wrong")
    if right is None or wrong is None:
        return None
    return Difference("presence", right, wrong, 1 if one.all_of(right[0]) else 2)


def _chosen(
    videos: Sequence[Performance], steps: Sequence[tuple[int, ...]], *seed: str
) -> tuple[int, ...] | None:
    """Of groups of steps, one whose steps fill enough of the clips; by hash."""
    filling = {
        group
        for group in steps
        if all(p.fills(step) for step in group for p in videos if p.sequence.all_of(step))
    }
    ranked = by_hash(steps, *seed, key=str, kinds=[filling])
    return ranked[0] if ranked else None


def _performances(tables: Tables) -> Iterator[Performance]:
    """Takes with keysteps, a worn camera and an observer's, by id."""
    clocks = synchronous_clocks(tables["clocks"])
    worn, fixed = (cameras(tables["recordings"], clocks, view) for view in ("ego", "exo"))
    observers: dict[str, list[Camera]] = defaultdict(list)
    for camera in fixed:
        observers[camera.row["take_id"]].append(camera)
    steps: dict[str, list[Step]] = defaultdict(list)
    for row in _keysteps(tables["segments"]).iter_rows(named=True):
        steps[row["recording_id"]].append(_step(row))
    for camera in worn:
        take, own = camera.row["take_id"], steps.get(camera.uid)
        if own and observers[take]:
            sequence = StepSequence(tuple(own))
            yield Performance(take, camera.row["split"], sequence, camera, tuple(observers[take]))


def _keysteps(segments: pl.DataFrame) -> pl.DataFrame:
    return segments.filter(
        (pl.col("kind") == "keystep")
        & pl.col("class_id").is_not_null()
        & pl.col("class_name").is_not_null()
        & (pl.col("end_s") > pl.col("start_s"))
    ).sort("recording_id", "start_s", "segment_id")


def _step(row: Mapping[str, Any]) -> Step:
    return Step(row["segment_id"], row["class_id"], row["class_name"], row["start_s"], row["end_s"])


BUILDER = RECIPE.builder(
    questions,
    unit="scenario",
    reads={
        "recordings": (*RECORDING_COLUMNS, "take_id", "view", "scenario"),
        "clocks": ("recording_id", "offset_s", "rate", "method"),
        "segments": (
            "segment_id",
            "recording_id",
            "kind",
            "class_id",
            "class_name",
            "start_s",
            "end_s",
        ),
    },
    needs=(
        take_with_both_views(SYNCHRONOUS),
        rows_where(
            "segments",
            ("kind", "class_id"),
            (pl.col("kind") == "keystep") & pl.col("class_id").is_not_null(),
            "no keystep",
        ),
    ),
    limits=(
        "two takes of a scenario and split that share at least two keysteps in one order, and either two"
        " keysteps in another order or a keystep that one of them lacks"
    ),
    paper=False,
    rules=("few_partners", "alike_but_not_the_same", "a_difference_and_a_likeness"),
)
