"""Duplicate identification: which two of five videos are the same (EgoExoBench B.1).

"Each question presents five video clips, two of which are exact duplicates." The paper takes 100 of them from
Ego-Exo4D, in both views; any source whose recordings show enough takes will do. It says nothing of where
the other clips come from. Here they come from three other takes, so that no two of them show one moment from
two sides, and are of the same view, split and length, so that nothing but their content tells the two.

The ten pairs are the options, for chance and gates; the paper's prompt does not list them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import polars as pl

from assets.pairs.choice import number_of
from assets.questions.kit.builder import Need, Tables
from assets.questions.kit.choice import by_hash
from assets.questions.kit.funnel import refuse
from assets.questions.kit.recipe import RECORDING_COLUMNS, Clip, Option, Recipe, Row, template

RECIPE = Recipe(
    "egoexobench_duplicates",
    "duplicate_identification",
    1,
    template(__file__, "duplicate_identification.j2"),
)
VIDEOS = 5
LENGTH_S = 8.0
"""Length of every clip: the paper states none, and sends 8 frames of each."""
MOST = 100
"""Questions of a source, as many as the paper asks."""
MOST_PER_RECORDING = 6
BESIDE, FEW = "beside_three_other_takes", "few_of_one_source"
PAIRS = tuple(combinations(range(1, VIDEOS + 1), 2))


@dataclass(frozen=True, slots=True)
class Moment:
    """A part of a recording that a question may show."""

    row: Mapping[str, Any]
    start_s: float

    @property
    def key(self) -> str:
        """What tells it from all others of the source."""
        return f"{self.row['recording_id']}@{self.start_s:g}"

    @property
    def take(self) -> str:
        """The take; a recording of no known take is one by itself."""
        return str(self.row["take_id"] or self.row["recording_id"])

    @property
    def clip(self) -> Clip:
        """As it is shown."""
        return Clip(self.row, self.start_s, self.start_s + LENGTH_S)

    def may_stand_beside(self, other: Moment) -> bool:
        """Whether both are of one view and split, and of takes and files that differ."""
        same = all(self.row[name] == other.row[name] for name in ("view", "split"))
        files = {*(self.row["media_hashes"] or ())} & {*(other.row["media_hashes"] or ())}
        return same and self.take != other.take and not files


def questions(tables: Tables, _reading: str) -> Iterator[Row]:
    """At most `MOST` questions, of both views alike where both have enough.

    Args:
        tables: Rows of `recordings` of a whole source.
    """
    moments = [
        moment
        for row in tables["recordings"].sort("recording_id").iter_rows(named=True)
        for moment in _moments(row)
    ]
    made: dict[str, list[Row]] = {"ego": [], "exo": []}
    for moment in by_hash(moments, "duplicate", key=lambda m: m.key):
        of_view = made[moment.row["view"]]
        if len(of_view) == MOST:
            refuse(FEW)
            continue
        row = _question(moment, moments)
        if row is None:
            refuse(BESIDE)
        else:
            of_view.append(row)
    ego, exo = made["ego"], made["exo"]
    half = MOST // 2
    asked = [*ego[: max(half, MOST - len(exo))], *exo[: max(half, MOST - len(ego))]]
    refuse(FEW, len(ego) + len(exo) - len(asked))
    yield from asked


def _moments(row: Mapping[str, Any]) -> Iterator[Moment]:
    """Parts of a recording that lie side by side around its middle."""
    length_s = row["duration_s"]
    if length_s is None or row["view"] not in ("ego", "exo"):
        return
    count = min(MOST_PER_RECORDING, int(length_s // LENGTH_S))
    before_s = (length_s - count * LENGTH_S) / 2
    for n in range(count):
        yield Moment(row, round(before_s + n * LENGTH_S, 3))


def _question(twice: Moment, moments: Sequence[Moment]) -> Row | None:
    """The question in which one part is shown twice; None if there are too few others."""
    identity = RECIPE.id(str(twice.row["source"]), twice.key)
    others: list[Moment] = []
    for other in by_hash(moments, identity, "other", key=lambda m: m.key):
        if other.may_stand_beside(twice) and all(other.may_stand_beside(o) for o in others):
            others.append(other)
        if len(others) == VIDEOS - 2:
            break
    if len(others) < VIDEOS - 2:
        return None
    first, second = PAIRS[number_of(f"pair {identity}") % len(PAIRS)]
    left = iter(others)
    shown = [twice if n in (first, second) else next(left) for n in range(1, VIDEOS + 1)]
    options = {pair: Option(_name(pair), value=f"{pair[0]}-{pair[1]}") for pair in PAIRS}
    answer = options.pop((first, second))
    return RECIPE.question(
        anchor=(twice.key,),
        text={
            "first": first,
            "second": second,
            "recording": twice.row["recording_id"],
            "start_s": twice.start_s,
            "end_s": twice.start_s + LENGTH_S,
            "apart": [
                {"video": n, "recording": moment.row["recording_id"]}
                for n, moment in enumerate(shown, 1)
                if moment is not twice
            ],
        },
        answer=answer,
        distractors=options.values(),
        media=[moment.clip for moment in shown],
        roles=[f"video_{n}" for n in range(1, VIDEOS + 1)],
        evidence=[
            ("recordings", str(twice.row["recording_id"]), "answer"),
            *(
                ("recordings", str(moment.row["recording_id"]), f"video_{n}")
                for n, moment in enumerate(shown, 1)
                if moment is not twice
            ),
        ],
    )


def _name(pair: tuple[int, int]) -> str:
    return f"Video{pair[0]}-Video{pair[1]}"


def _too_few_takes(tables: Tables) -> str | None:
    rows = tables["recordings"].filter(pl.col("duration_s") >= LENGTH_S)
    takes = rows.with_columns(take=pl.coalesce("take_id", "recording_id"))
    counts = takes.group_by("view", "split").agg(pl.col("take").n_unique())
    if counts.filter(pl.col("take") >= VIDEOS - 1).height:
        return None
    return f"no view has recordings of {VIDEOS - 1} takes of one split, {LENGTH_S:g} s long or more"


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads={"recordings": (*RECORDING_COLUMNS, "take_id", "view")},
    needs=(
        Need(
            {"recordings": ("recording_id", "take_id", "view", "split", "duration_s")},
            _too_few_takes,
        ),
    ),
    limits=(
        f"a part of {LENGTH_S:g} s, and as long parts of {VIDEOS - 2} other takes of the same view and"
        " split"
    ),
    paper=False,
    rules=(BESIDE, FEW),
    one_frame=True,
)
