"""Gaze of MECCANO: about 16 samples of 200 Hz to each frame of the video.

Which names the columns have is not known: they count by place (see `meccano`). The stamp is not read;
a sample's time is known to the frame it is given with, 1/12 s, and the samples of a frame are spread
evenly over it in the file's order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from assets.sources.layout import PartFiles, Rows
from assets.sources.meccano.files import FPS, SIZE_PX, frame_number, time_of
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number
from expectations.schemas import TABLES

_NOT_FINITE: Final = frozenset({"", "nan", "inf", "-inf", "null", "none"})


def read_sensors(part: PartFiles) -> Rows:
    """Gaze in the picture of one recording."""
    assert part.recording is not None
    uid = str(part.recording["recording_id"])
    reader = RowReader("gaze_samples")
    rows: list[dict] = []
    path, *others = sorted(part.files)
    for other in others:
        reader.reject(
            other, None, "gaze_twice", path, "another file has gaze of the video and is used",
            "keep one of the files", uid,
        )  # fmt: skip
    read = list(reader.csv(path, part.files[path], (), _sample, lambda _: uid))
    held = Counter(row["frame"] for _, row in read)
    passed: Counter[int] = Counter()
    for line, row in read:
        frame = row.pop("frame")
        rows.append(
            {
                "source": part.source,
                "recording_id": uid,
                "sample": line - 2,
                "t_s": time_of(frame) + passed[frame] / held[frame] / FPS,
                **row,
            }
        )
        passed[frame] += 1
    return Rows({"gaze_samples": TABLES["gaze_samples"].frame(rows)}, tuple(reader.refused))


def _sample(values: Mapping[str, str]) -> dict:
    cells = list(values.values())
    if len(cells) < 4:
        raise Malformed(f"a sample has four columns or more, not {len(cells)}", len(cells))
    frame = frame_number(cells[0])
    texts = [text.strip().lower() for text in cells[2:4]]
    if any(text in _NOT_FINITE for text in texts):
        return {"frame": frame, "x": None, "y": None, "validity": "not_finite"}
    x, y = (number(text) / side for text, side in zip(texts, SIZE_PX, strict=True))
    inside = 0 <= x <= 1 and 0 <= y <= 1
    return {"frame": frame, "x": x, "y": y, "validity": "valid" if inside else "outside"}
