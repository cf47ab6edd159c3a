"""Questions about a simulated household and what the frames a protocol sends of each clip show."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from assets.pairs.choice import number_of
from expectations.schemas import TABLES
from expectations.schemas.sampling import SamplingRule, choose_frames
from resources.media.reader import MediaReader
from resources.roots.open import open_root
from tests.truth.household import tables_of
from tests.truth.solvers.exam import Question, Span, Z, span_of
from tests.truth.solvers.household_choice import Clip, read_clip

SOURCE = "household"
EIGHT = SamplingRule.parse("midpoints(8)")


@dataclass(frozen=True)
class Exam:
    """Questions of one subtask, as many options each, and what their clips show.

    Attributes:
        questions: The questions.
        shown: What each clip shows, and what its middle picture shows alone.
    """

    questions: list[Question]
    shown: Mapping[Span, tuple[Clip, Clip]]

    def media(self, q: Question, *, still: bool = False) -> list[Clip]:
        """What query and options of a question show, the query first."""
        by_role = {m["role"]: m for m in q["media"]}
        roles = ["query", *(f"option_{o['letter']}" for o in q["options"])]
        return [self.shown[span_of(by_role[role])][still] for role in roles]

    def share_right(self, answer: Callable[[Question], int]) -> float:
        """Share of right answers."""
        right = [q["options"][answer(q)]["is_answer"] for q in self.questions]
        return sum(right) / len(right)

    @property
    def chance(self) -> float:
        """Share of right answers by guessing: options have one count in a subtask."""
        (count,) = {len(q["options"]) for q in self.questions}
        return 1 / count

    @property
    def margin(self) -> float:
        """Half the 95 % interval of guessing."""
        return Z * math.sqrt(self.chance * (1 - self.chance) / len(self.questions))

    def by_chance(self, share: float) -> bool:
        """Whether a share lies inside the 95 % interval of guessing."""
        return abs(share - self.chance) <= self.margin

    def another(self, q: Question) -> Question:
        """A question of another pool, whose query cannot show an option's action."""
        others = [o for o in self.questions if o["pool"] != q["pool"]]
        return others[number_of(f"swap {q['question_id']}") % len(others)]


def sit(folder: Path, benchmarks: tuple[str, ...], recipes: tuple[str, ...]) -> dict[str, Exam]:
    """Exams by subtask.

    Args:
        folder: Folder that holds a household in `raw`, for tables too.
        benchmarks: Benchmarks asked.
        recipes: Recipes whose questions are asked.
    """
    # What the sentence match would leave out is asked too.
    settings = tables_of(folder, SOURCE, *benchmarks, matched=False)
    asked: dict[str, list[Question]] = defaultdict(list)
    for benchmark in benchmarks:
        questions = settings.store.read(TABLES["questions"], benchmark)
        for q in questions.filter(pl.col("recipe").is_in(recipes)).to_dicts():
            asked[q["subtask"]].append(q)
    names = ("recordings", "images", "frames")
    tables = {name: settings.store.read(TABLES[name], SOURCE) for name in names}
    reader = MediaReader.of(open_root(str(folder / "raw")), tables["recordings"], tables["images"])
    clips = sorted({span_of(m) for held in asked.values() for q in held for m in q["media"]})
    shown = _shown(clips, tables["frames"], reader)
    return {subtask: Exam(held, shown) for subtask, held in asked.items()}


def _shown(
    clips: list[Span], frames: pl.DataFrame, reader: MediaReader
) -> dict[Span, tuple[Clip, Clip]]:
    """What each clip shows; every picture is read once."""
    sent: dict[Span, list[tuple[int, int]]] = {}
    wanted: dict[tuple[str, int], set[int]] = defaultdict(set)
    for uid, start_s, end_s in clips:
        chosen = choose_frames(frames.filter(pl.col("recording_id") == uid), EIGHT, start_s, end_s)
        sent[uid, start_s, end_s] = chosen.select("part", "source_pts").rows()
        for part, stamp in sent[uid, start_s, end_s]:
            wanted[uid, part].add(stamp)
    pictures: dict[tuple[str, int], dict[int, Any]] = {
        (uid, part): dict(zip(sorted(at), reader(uid, part, sorted(at)), strict=True))
        for (uid, part), at in wanted.items()
    }
    return {
        clip: read_clip([pictures[clip[0], part][stamp] for part, stamp in rows])
        for clip, rows in sent.items()
    }
