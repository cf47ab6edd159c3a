"""Tells who is in a box by the colours that people wear, from the pictures a model is sent.

Nothing but pixels and the roles of the media is looked at. Where the box is follows from the colour of its
line; shirts are read inside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from assets.options import Options, silent
from assets.protocols.clips import build_clip
from assets.questions.kit.builder import Builder
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from expectations.schemas.sampling import ShownFrames, frames_in_order
from resources.config import load_settings
from resources.media.overlays import colour_of
from resources.media.reader import MediaReader
from resources.models.base import decode_clip
from resources.models.protocol import Protocol
from resources.roots.open import open_root
from tests.truth.solvers.exam import Exam, Question

Image = np.ndarray
# Pictures are JPEGs: a shirt is not of one colour.
NEAR = 60.0


@dataclass(frozen=True)
class BoxedExam(Exam):
    """Questions, and the pictures of each medium as they are sent, boxes drawn."""

    sent: Mapping[tuple[str, str], list[Image]]

    def pictures(self, question: Question, role: str) -> list[Image]:
        """Every other picture of one medium, which is enough."""
        return self.sent[question["question_id"], role][::2]


def sit_boxed(folder: Path, layout: str, builder: Builder, protocol: Protocol) -> BoxedExam:
    """Questions a builder makes of raw files in `folder/raw`, with the pictures that are sent."""
    config = folder / "parallax.toml"
    config.write_text(
        f'store = "tables"\n[sources.square]\nlayout = "{layout}"\nroot = "raw"\n', encoding="utf-8"
    )
    settings = load_settings(config)
    SOURCES.refresh(settings, "square", Options(), silent)
    names = {"recordings", "images", *builder.reads}
    tables = {name: settings.store.read(TABLES[name], "square") for name in sorted(names)}
    made: list[Question] = []
    for _, members in tables["recordings"].group_by("take_id", maintain_order=True):
        ids = members["recording_id"].implode()
        part = {n: tables[n].filter(pl.col("recording_id").is_in(ids)) for n in builder.reads}
        made += builder.make(part).filter("media_present").to_dicts()
    made.sort(key=lambda q: q["question_id"])
    reader = MediaReader.of(open_root(str(folder / "raw")), tables["recordings"], tables["images"])
    shown = {
        str(uid): ShownFrames(frames_in_order(part))
        for (uid,), part in tables["images"].partition_by("recording_id", as_dict=True).items()
    }
    whole = replace(protocol, short_side_px=None)
    sent = {
        (q["question_id"], m["role"]): decode_clip(
            build_clip(m, whole, shown[m["recording_id"]]), reader, None
        )
        for q in made
        for m in q["media"]
    }
    return BoxedExam(made, {}, sent)


def box_in(picture: Image, colour: str) -> tuple[int, int, int, int]:
    """Inside of the box drawn in a colour: left, top, right, bottom."""
    drawn = (picture == np.array(colour_of(colour))).all(axis=2)
    rows, columns = np.flatnonzero(drawn.any(axis=1)), np.flatnonzero(drawn.any(axis=0))
    line = round(0.008 * len(picture))
    return columns[0] + line, rows[0] + line, columns[-1] - line + 1, rows[-1] - line + 1


def shirt_upright(picture: Image, colour: str) -> Any:
    """Colour of the shirt of a standing person in a box."""
    left, top, right, bottom = box_in(picture, colour)
    width, height = right - left, bottom - top
    chest = picture[
        top + height // 4 : top + height // 2 + 1,
        left + width // 3 : right - width // 3 + 1,
    ]
    return np.median(chest.reshape(-1, 3), axis=0) if chest.size else np.full(3, np.nan)


def shirt_from_above(picture: Image, colour: str) -> Any:
    """Colour of the shoulders of a person in a box, seen from above: a ring around the head."""
    left, top, right, bottom = box_in(picture, colour)
    inside = picture[top:bottom, left:right]
    rows, columns = np.indices(inside.shape[:2])
    middle = np.array(inside.shape[:2]) / 2
    off = np.hypot((rows - middle[0]) / middle[0], (columns - middle[1]) / middle[1])
    ring = inside[(off > 0.5) & (off < 0.8)]
    return np.median(ring, axis=0)


def same_person(exam: BoxedExam, asked: Question, shown: Question) -> int | None:
    """Option whose person wears what the person boxed in another question's query wears."""
    worn = np.nanmedian([shirt_upright(p, "blue") for p in exam.pictures(shown, "query")], axis=0)
    apart = []
    for option in asked["options"]:
        pictures = exam.pictures(asked, f"option_{option['letter']}")
        seen = np.median([shirt_from_above(p, "blue") for p in pictures], axis=0)
        apart.append(float(np.linalg.norm(seen - worn)))
    return int(np.argmin(apart))


def who_is_not_seen(exam: BoxedExam, asked: Question, shown: Question) -> int | None:
    """Option whose person another question's query shows least of: wearers do not see themselves."""
    pixels = np.concatenate([p.reshape(-1, 3) for p in exam.pictures(shown, "query")])[::5]
    seen = []
    for option in asked["options"]:
        pictures = exam.pictures(asked, f"option_{option['letter']}")
        worn = np.nanmedian([shirt_upright(p, "red") for p in pictures], axis=0)
        seen.append(int((np.linalg.norm(pixels - worn, axis=1) < NEAR).sum()))
    return int(np.argmin(seen))
