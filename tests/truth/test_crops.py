"""Gaze crops end to end: the part sent lies around what the wearer truly looked at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest

from assets.protocols.clips import build_clip
from assets.protocols.declared import default_protocols
from resources.media.reader import MediaReader
from resources.media.video import read_frames
from resources.models.base import decode_clip
from resources.roots.open import open_root
from resources.worlds import true_gaze
from resources.worlds.household.scene import look
from tests.truth.household import WORLD, Household
from tests.truth.times import camera

WEARERS = [r for r in WORLD.recordings if r.view == "ego"]
LIKE, NEAR_PX = 25, 6
VARIANTS = ("egobridge_gaze", "egobridge_centre", "direct")


@dataclass(frozen=True, eq=False)
class Shown:
    """One frame of a wearer as each variant sends it, and the truth of its time."""

    sent: dict[str, npt.NDArray[np.uint8]]
    whole: npt.NDArray[np.uint8]
    by: str
    gaze_px: tuple[float, float]
    colour: npt.NDArray[np.float64]


@pytest.fixture(scope="module")
def shown(household: Household) -> list[Shown]:
    """Sixteen frames of a clip of every wearer; all forms of raw files and a rotated one among them."""
    recordings = household.table("recordings")
    paths = dict(recordings.select("recording_id", "media_paths").iter_rows())
    media = MediaReader(open_root(str(household.root)), paths)
    out = []
    for rec in WEARERS:
        start = 0.3 * rec.duration_s
        medium = {"role": "query", "recording_id": rec.uid, "content": "c", "overlays": []}
        medium |= {"start_s": start, "end_s": start + 12.0, "sampling": "midpoints(16)"}
        clips = {
            name: build_clip(
                medium, default_protocols()[name], household.of("frames", rec), view="ego"
            )
            for name in VARIANTS
        }
        pictures = {name: decode_clip(clip, media, None) for name, clip in clips.items()}
        gaze = true_gaze(rec)
        for at, (part, pts, t_s) in enumerate(clips["direct"].frames):
            (whole,) = read_frames(str(household.root / paths[rec.uid][part]), [pts])
            told = float(camera(rec).true_of(np.array([t_s]))[0])
            noun = gaze.focus[int(np.argmin(np.abs(gaze.t_s - told)))]
            x, y = gaze.at(np.array([told]))[0]
            out.append(
                Shown(
                    {name: pictures[name][at] for name in VARIANTS},
                    whole,
                    clips["egobridge_gaze"].crops[at].by,
                    (float(x), float(y)),
                    np.array(look(rec, noun).colour, dtype=np.float64),
                )
            )
    assert {r.form for r in WEARERS} == {"native", "cloud", "released"}
    assert any(r.rotated for r in WEARERS)
    return out


def _place(part: npt.NDArray[np.uint8], whole: npt.NDArray[np.uint8]) -> tuple[int, int]:
    """Left and top of the only place where a picture holds a part, found by its pixels."""
    height, width = part.shape[:2]
    windows = np.lib.stride_tricks.sliding_window_view(whole[..., 1], (height, width))
    found = [
        (int(left), int(top))
        for top, left in np.argwhere(
            (windows[:, :, ::17, ::13] == part[::17, ::13, 1]).all(axis=(2, 3))
        )
        if np.array_equal(whole[top : top + height, left : left + width], part)
    ]
    assert len(found) == 1
    return found[0]


def test_parts_are_squares_of_the_picture_around_the_gaze(shown: list[Shown]) -> None:
    off = []
    for one in shown:
        height, width = one.whole.shape[:2]
        side = min(height, width) / 2
        assert np.array_equal(one.sent["direct"], one.whole)
        left, top = _place(one.sent["egobridge_centre"], one.whole)
        assert (left, top) == pytest.approx(((width - side) / 2, (height - side) / 2), abs=1)
        assert one.sent["egobridge_gaze"].shape == one.sent["egobridge_centre"].shape
        assert one.sent["egobridge_gaze"].shape[0] == pytest.approx(side, abs=0.5)
        if one.by != "gaze":
            continue
        left, top = _place(one.sent["egobridge_gaze"], one.whole)
        x, y = one.gaze_px
        wanted = (
            min(max(x - side / 2, 0), width - side),
            min(max(y - side / 2, 0), height - side),
        )
        off.append(np.hypot(left - wanted[0], top - wanted[1]) / width)
    assert len(off) > 0.8 * len(shown)
    # The tracker's own error: an offset, noise, and blinks' edges.
    assert np.median(off) < 0.03, np.median(off)
    assert np.mean(np.array(off) < 0.1) > 0.9


def test_the_thing_looked_at_is_in_the_middle_of_the_crop(shown: list[Shown]) -> None:
    """Where gaze is neither at the picture's middle nor so near a border that the part is shifted."""
    hits: dict[str, list[bool]] = {"egobridge_gaze": [], "egobridge_centre": []}
    for one in shown:
        height, width = one.whole.shape[:2]
        side = min(height, width) / 2
        x, y = one.gaze_px
        inside = side / 2 <= x <= width - side / 2 and side / 2 <= y <= height - side / 2
        aside = np.hypot(x - width / 2, y - height / 2) > side / 4
        if one.by != "gaze" or not (inside and aside):
            continue
        for name, found in hits.items():
            part = one.sent[name].astype(np.float64)
            middle = part.shape[0] // 2
            patch = part[
                middle - NEAR_PX : middle + NEAR_PX + 1, middle - NEAR_PX : middle + NEAR_PX + 1
            ]
            found.append(bool((np.abs(patch - one.colour).max(axis=2) < LIKE).any()))
    seen = {name: float(np.mean(found)) for name, found in hits.items()}
    assert len(hits["egobridge_gaze"]) >= 20
    assert seen["egobridge_gaze"] > 0.7, seen
    assert seen["egobridge_centre"] < seen["egobridge_gaze"] - 0.2, seen
