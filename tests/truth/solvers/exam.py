"""Questions about a simulated flat and the pictures a protocol sends, for solvers to answer."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from assets.frames.stage import STAGE as FRAMES
from assets.labels.stage import STAGE as LABELS
from assets.options import Options, silent
from assets.pairs.choice import number_of
from assets.questions.kit.builder import Builder
from assets.scene_graphs.stage import STAGE as SCENE_GRAPHS
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from expectations.schemas.sampling import SamplingRule, choose_frames
from resources.config import load_settings
from resources.media.reader import MediaReader
from resources.roots.open import open_root

Frame = tuple[float, np.ndarray]
Question = dict[str, Any]
Span = tuple[str, float, float]
_UNITS = {
    "take": "take_id",
    "recording": "recording_id",
    "scenario": "scenario",
    "source": "source",
}
# Half the width of a 95 % interval, in standard deviations.
Z = 1.96


@dataclass(frozen=True)
class Exam:
    """Questions, and the frames of each clip with their times in the recording."""

    questions: list[Question]
    frames: Mapping[Span, list[Frame]]

    def shown(self, question: Question, role: str) -> list[Frame]:
        """Frames of one of a question's clips."""
        (medium,) = (m for m in question["media"] if m["role"] == role)
        return self.frames[span_of(medium)]

    def share_right(self, answer: Callable[[Question], int | None]) -> float:
        """Share of right answers; where nothing was seen the question's hash guesses."""
        right = 0
        for q in self.questions:
            said = answer(q)
            guess = number_of(f"guess {q['question_id']}") % len(q["options"])
            right += q["options"][guess if said is None else said]["is_answer"]
        return right / len(self.questions)

    @property
    def margin(self) -> float:
        """Half the 95 % interval of guessing one of four."""
        return Z * math.sqrt(0.25 * 0.75 / len(self.questions))

    def by_chance(self, share: float) -> bool:
        """Whether a share lies inside the 95 % interval of guessing one of four."""
        return abs(share - 0.25) <= self.margin

    def other(self, question: Question, differs: str) -> Question:
        """Another question, of another recording or take (`recording_id`, or a key made of it)."""
        others = [q for q in self.questions if not _same(q, question, differs)]
        return others[number_of(f"swap {question['question_id']}") % len(others)]


def _same(one: Question, two: Question, differs: str) -> bool:
    first, second = one["recording_id"], two["recording_id"]
    if differs == "take":
        first, second = first.partition("|")[0], second.partition("|")[0]
    return first == second


def span_of(medium: Mapping[str, Any]) -> Span:
    """What of which recording a medium shows."""
    return medium["recording_id"], medium["start_s"], medium["end_s"]


def sit(folder: Path, layout: str, builder: Builder, rule: str) -> Exam:
    """Questions a builder makes of raw files in `folder/raw`, with decoded frames.

    Args:
        folder: Folder that holds the raw files, for tables too.
        layout: Their layout.
        builder: Makes the questions.
        rule: Which frames of each clip are sent.
    """
    made, tables = asked(folder, layout, builder)
    reader = MediaReader.of(open_root(str(folder / "raw")), tables["recordings"], tables["images"])
    return Exam(made, _sent(made, tables["frames"], reader, SamplingRule.parse(rule)))


def asked(
    folder: Path, layout: str, builder: Builder
) -> tuple[list[Question], dict[str, pl.DataFrame]]:
    """Questions a builder makes of raw files in `folder/raw`, and the tables they come from.

    Args:
        folder: Folder that holds the raw files, for tables too.
        layout: Their layout.
        builder: Makes the questions.
    """
    config = folder / "parallax.toml"
    config.write_text(
        f'store = "tables"\n[sources.flat]\nlayout = "{layout}"\nroot = "raw"\n', encoding="utf-8"
    )
    settings = load_settings(config)
    labels = [LABELS.refresh] if "labels" in builder.reads else []
    for bring_up in (SOURCES.refresh, *labels, FRAMES.refresh, SCENE_GRAPHS.refresh):
        bring_up(settings, "flat", Options(), silent)
    names = {"recordings", "images", "frames", *builder.reads}
    tables = {name: settings.store.read(TABLES[name], "flat") for name in sorted(names)}
    made: list[Question] = []
    for _, members in tables["recordings"].group_by(_UNITS[builder.unit], maintain_order=True):
        ids = members["recording_id"].implode()
        part = {n: tables[n].filter(pl.col("recording_id").is_in(ids)) for n in builder.reads}
        made += builder.make(part).to_dicts()
    made.sort(key=lambda q: q["question_id"])
    return made, tables


def _sent(
    questions: list[Question], frames: pl.DataFrame, reader: MediaReader, rule: SamplingRule
) -> dict[Span, list[Frame]]:
    """Frames of each clip; every picture is read once."""
    chosen: dict[Span, pl.DataFrame] = {}
    wanted: dict[str, set[int]] = defaultdict(set)
    for span in {span_of(m) for q in questions for m in q["media"]}:
        of_recording = frames.filter(pl.col("recording_id") == span[0])
        chosen[span] = choose_frames(of_recording, rule, span[1], span[2])
        wanted[span[0]] |= set(chosen[span]["source_pts"])
    pictures = {
        uid: dict(zip(sorted(stamps), reader(uid, 0, sorted(stamps)), strict=True))
        for uid, stamps in wanted.items()
    }
    return {
        span: [
            (t_s, pictures[span[0]][pts])
            for t_s, pts in found.select("t_s", "source_pts").iter_rows()
        ]
        for span, found in chosen.items()
    }
