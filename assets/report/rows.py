"""Rows behind a question: where evidence comes from, and what lies over a frame."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from assets.report.parts import Box, Frame, Place, Strip
from expectations.gates.tables import EVIDENCE_KEYS
from expectations.schemas import Table
from resources.models.prompt import Clip

# Columns that tell what a row says, in the order they are said.
_TELLING = (
    "kind",
    "operator",
    "class_name",
    "name",
    "object_name",
    "narration",
    "subject",
    "relation",
    "object",
    "role",
    "hand_side",
    "moment",
    "from_node",
    "to_node",
    "track_id",
    "value",
    "sector",
    "margin_deg",
    "t_s",
    "start_s",
    "end_s",
    "recording_id",
)
_TIMES = ("t_s", "start_s", "end_s")
# A clip cut at a row's end holds that end, though both were rounded.
_CLOCK_S = 0.005
_LONGEST = 160
# A box belongs to the frame shown if it was drawn within half a step of 10 fps.
_BOX_REACH_S = 0.05
_MOST_BOXES = 16
# A tick's gaze belongs to the frame it shows; native frames lie within half a step of 25 fps.
_GAZE_REACH_S = 0.021
# Rows by the recording their key counts within (empty where it needs none) and their key.
NamedRows = Mapping[tuple[str, str], Mapping[str, Any]]


def key_columns(table: Table) -> Sequence[str]:
    """Columns that make the key of a table's rows, as evidence names them."""
    below = [c for c in table.key if c not in ("source", "recording_id")] or ["recording_id"]
    return EVIDENCE_KEYS.get(table.name, below)


def row_key(table: Table) -> pl.Expr:
    """Key of a table's rows as evidence names them: columns joined by `/`."""
    columns = [pl.col(c).cast(pl.String) for c in key_columns(table)]
    return pl.concat_str(columns, separator="/")


def named_rows(
    rows: pl.LazyFrame, table: Table, keys: Collection[str], recordings: Collection[str]
) -> NamedRows:
    """Rows of one source that evidence names; of several rows with one key the first in key order.

    Args:
        rows: Rows of the table.
        table: The table.
        keys: Keys as evidence names them.
        recordings: Recordings of whoever names them: some keys count within a recording.
    """
    within = "recording_id" in table.key and "recording_id" not in key_columns(table)
    wanted = row_key(table).is_in(sorted(keys))
    if within:
        wanted &= pl.col("recording_id").is_in(sorted(recordings))
    chosen = rows.filter(wanted).with_columns(row_key(table).alias("_key")).sort(table.key)
    found: dict[tuple[str, str], Mapping[str, Any]] = {}
    for row in chosen.collect().iter_rows(named=True):
        found.setdefault((row["recording_id"] if within else "", row.pop("_key")), row)
    return found


def named_row(rows: NamedRows, key: str, recordings: Iterable[str]) -> Mapping[str, Any] | None:
    """The row a key names for whom these recordings are shown, the first of them before others."""
    return next((rows[uid, key] for uid in ("", *recordings) if (uid, key) in rows), None)


def place_of(
    table: Table, key: str, row: Mapping[str, Any], media: Sequence[Mapping[str, Any]] = ()
) -> Place:
    """Where a row comes from and what it says.

    Args:
        table: Its table.
        key: Its key as evidence names it.
        row: The row; its times are those of its recording.
        media: Media of the question that names it; a time inside one is also given in seconds of
            that clip, as the question counts them.
    """
    told = [
        f"{name} {_short(row[name])}{_in_clip(name, row, media)}"
        for name in _TELLING
        if row.get(name) not in (None, "")
    ]
    if row.get("source_file"):
        file, at = row["source_file"], row.get("source_key") or ""
    elif row.get("source_table"):
        file, at = f"table {row['source_table']}", " to ".join(source_rows(row))
    else:
        rests = row.get("evidence") or ()
        file, at = ("rows", ", ".join(rests)[:_LONGEST]) if rests else ("", "")
    return Place(table.name, key, "", " · ".join(told), file, at)


def source_rows(row: Mapping[str, Any]) -> list[str]:
    """Keys of the rows of its `source_table` that a row was made from: one, or the first and the last of several."""
    keys = (row.get(name) for name in ("source_row", "first_row", "last_row"))
    return [*dict.fromkeys(key for key in keys if key)]


def _in_clip(name: str, row: Mapping[str, Any], media: Sequence[Mapping[str, Any]]) -> str:
    """A time of a row in seconds of the first clip that holds it; empty if no clip does."""
    if name not in _TIMES:
        return ""
    for medium in media:
        start_s, end_s = medium["start_s"], medium["end_s"]
        same = medium["recording_id"] == row.get("recording_id")
        if same and start_s - _CLOCK_S <= row[name] <= end_s + _CLOCK_S:
            at_s = max(0.0, row[name] - start_s)
            return f" ({at_s:.2f} s of the clip {medium['role'].replace('_', ' ')})"
    return ""


def thinned(clip: Clip, most: int) -> list[int]:
    """Indices of the frames shown of a clip: all, or `most` of them evenly with first and last.

    Frames with a mark are always among them.
    """
    n = len(clip.frames)
    if n <= most:
        return list(range(n))
    chosen = {round(i * (n - 1) / max(1, most - 1)) for i in range(most)}
    marked = [i for i, marks in enumerate(clip.overlays) if marks]
    if len(marked) < n:
        chosen.update(marked[:most])
    return sorted(chosen)


class Marks:
    """Gaze and boxes of one recording, found by the time of a frame.

    Args:
        frames: Ticks of the recording.
        boxes: Rows of `boxes` of the recording.
    """

    def __init__(self, frames: pl.DataFrame, boxes: pl.DataFrame) -> None:
        shown_at = pl.col("t_s") + pl.col("residual_ms").cast(pl.Float64) / 1000
        looked = (
            frames.sort("tick")
            .select("gaze_x", "gaze_y", shown_at=shown_at)
            .drop_nulls(["gaze_x", "shown_at"])
        )
        self._looked_at = looked["shown_at"].to_numpy()
        self._gaze = looked.select("gaze_x", "gaze_y").rows()
        drawn = boxes.drop_nulls(["t_s", "x_min"]).sort("box_id")
        self._drawn_at = drawn["t_s"].to_numpy()
        self._boxes = drawn.select("class_name", "x_min", "y_min", "x_max", "y_max").rows()

    def gaze(self, t_s: float) -> tuple[float, float] | None:
        """Gaze of the nearest tick, of two the earlier; None where none shows this frame."""
        if not self._gaze:
            return None
        away = np.abs(self._looked_at - t_s)
        nearest = int(away.argmin())
        if away[nearest] > _GAZE_REACH_S:
            return None
        x, y = self._gaze[nearest]
        return float(x), float(y)

    def boxes(self, t_s: float) -> list[Box]:
        """Boxes annotated on the frame."""
        near = np.flatnonzero(np.abs(self._drawn_at - t_s) <= _BOX_REACH_S)[:_MOST_BOXES]
        rows = (self._boxes[at] for at in near)
        return [Box("annotated", name, *(float(value) for value in box)) for name, *box in rows]


def strip_of(
    clip: Clip,
    at: Sequence[int],
    pictures: Sequence[tuple[bytes, float]],
    marks: Marks,
) -> Strip:
    """Frames of a clip with gaze and boxes over them.

    Args:
        clip: What the protocol sends of the medium.
        at: Indices of the frames shown.
        pictures: Their JPEG bytes and width over height.
        marks: Gaze and boxes of the recording.
    """
    shown = [
        Frame(
            jpeg=jpeg,
            t_s=clip.frames[i][2],
            ratio=ratio,
            gaze=marks.gaze(clip.frames[i][2]),
            boxes=(
                *(
                    Box("sent", o.label, *o.box)
                    for o in (clip.overlays[i] if clip.overlays else ())
                ),
                *marks.boxes(clip.frames[i][2]),
            ),
        )
        for i, (jpeg, ratio) in zip(at, pictures, strict=True)
    ]
    return Strip(tuple(shown), clip.sampling, len(clip.frames))


def _short(value: object) -> str:
    text = f"{value:.2f}" if isinstance(value, float) else " ".join(str(value).split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
