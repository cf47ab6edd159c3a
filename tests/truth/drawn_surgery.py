"""Operations drawn in CholecTrack20's form, and what questions about them send."""

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
from assets.options import Options, silent
from assets.pairs.choice import number_of
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from expectations.schemas.sampling import SamplingRule, choose_frames
from resources.config import load_settings
from resources.media.reader import MediaReader
from resources.roots.open import open_root
from resources.worlds.surgery import SurgerySpec, Video, plan_surgery, write_cholectrack20

SOURCE = "table"
SPEC = SurgerySpec(render="small")
VIDEOS: dict[str, Video] = {v.video_id: v for v in plan_surgery(SPEC).videos}
EVERY = SamplingRule.parse("every(2)")
# Half the width of a 95 % interval, in standard deviations.
Z = 1.96
Frame = tuple[float, np.ndarray]
"""Seconds in the clip, and the picture."""
Row = dict[str, Any]


@dataclass(frozen=True)
class DrawnSurgery:
    """The table's pictures, and what is read of them."""

    tables: dict[str, pl.DataFrame]
    reader: MediaReader

    def exam(self, make: Callable[[Mapping[str, pl.DataFrame]], pl.DataFrame]) -> Exam:
        """Questions of a builder, with the frames that a protocol sends."""
        questions = make(self.tables).to_dicts()
        return Exam(questions, self._sent(questions))

    def _sent(self, questions: list[Row]) -> dict[str, list[Frame]]:
        """Frames of each question; every picture is read once."""
        chosen: dict[str, pl.DataFrame] = {}
        wanted: dict[str, set[int]] = defaultdict(set)
        for q in questions:
            (medium,) = q["media"]
            uid = medium["recording_id"]
            of_recording = self.tables["frames"].filter(pl.col("recording_id") == uid)
            found = choose_frames(of_recording, EVERY, medium["start_s"], medium["end_s"])
            chosen[q["question_id"]] = found
            wanted[uid] |= set(found["source_pts"])
        pictures = {
            uid: dict(zip(sorted(stamps), self.reader(uid, 0, sorted(stamps)), strict=True))
            for uid, stamps in wanted.items()
        }
        return {
            q["question_id"]: [
                (t_s - q["media"][0]["start_s"], pictures[q["recording_id"]][pts])
                for t_s, pts in chosen[q["question_id"]].select("t_s", "source_pts").iter_rows()
            ]
            for q in questions
        }


@dataclass(frozen=True)
class Exam:
    """Questions of the table, and the frames a protocol sends for each, with times in the clip."""

    questions: list[Row]
    frames: Mapping[str, list[Frame]]

    def share_right(self, answers: Mapping[str, int | None]) -> float:
        """Share of right answers; where nothing was seen the question's hash guesses."""
        right = 0
        for q in self.questions:
            said = answers[q["question_id"]]
            guess = number_of(f"guess {q['question_id']}") % len(q["options"])
            right += q["options"][guess if said is None else said]["is_answer"]
        return right / len(self.questions)

    def by_chance(self, share: float) -> bool:
        """Whether a share lies inside the 95 % interval of guessing one of four."""
        return abs(share - 0.25) <= Z * math.sqrt(0.25 * 0.75 / len(self.questions))

    def swapped(self, q: Row) -> list[Frame]:
        """Frames of a question about another recording."""
        others = [o for o in self.questions if o["recording_id"] != q["recording_id"]]
        other = others[number_of(f"swap {q['question_id']}") % len(others)]
        return self.frames[other["question_id"]]


def make(folder: Path) -> DrawnSurgery:
    """Draw the table and read it.

    Args:
        folder: Empty folder.
    """
    write_cholectrack20(SPEC, folder / "raw", workers=1)
    config = folder / "parallax.toml"
    config.write_text(
        f'store = "tables"\n[sources.{SOURCE}]\nlayout = "cholectrack20"\nroot = "raw"\n',
        encoding="utf-8",
    )
    settings = load_settings(config)
    for refresh in (SOURCES.refresh, FRAMES.refresh):
        refresh(settings, SOURCE, Options(), silent)
    names = (
        *("recordings", "images", "segments", "taxonomies"),
        *("boxes", "annotated_frames", "frames"),
    )
    tables = {name: settings.store.read(TABLES[name], SOURCE) for name in names}
    reader = MediaReader.of(open_root(str(folder / "raw")), tables["recordings"], tables["images"])
    return DrawnSurgery(tables, reader)
