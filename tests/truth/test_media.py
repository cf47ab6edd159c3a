"""What a protocol really sends: right picture, right time, right thing in it, end to end.

Frames are chosen and decoded as for protocol `direct`; what they should show is drawn anew from the
truth at the time the table tells.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest

from assets.protocols.declared import default_protocols
from expectations.schemas.sampling import choose_frames
from resources.media.video import read_frames
from resources.worlds import Recording, true_gaze
from resources.worlds.household.draw import Artist
from resources.worlds.household.scene import look
from tests.truth.household import WORLD, Household
from tests.truth.times import camera

RECORDINGS = {r.uid: r for r in WORLD.recordings}
SHIFTS_S = np.arange(-0.2, 0.201, 0.02)
NEAR_PX, LIKE = 4, 25


@dataclass(frozen=True, eq=False)
class Sent:
    """A frame as a model would get it.

    Attributes:
        rec: Its recording.
        told_s: True time of what the table says it shows.
        apart: Mean difference from pictures drawn at `told_s + SHIFTS_S`.
        here: Smallest difference of colour between the thing acted on and pixels at its true place.
        elsewhere: The same, half a picture beside.
    """

    rec: Recording
    told_s: float
    apart: npt.NDArray[np.float64]
    here: float
    elsewhere: float


@pytest.fixture(scope="module")
def sent(household: Household) -> list[Sent]:
    """Query and answer frames of about thirty questions, all forms of recordings among them."""
    rule = default_protocols()["direct"].sampling
    assert rule is not None
    paths = dict(household.table("recordings").select("recording_id", "media_paths").iter_rows())
    rows = household.table("questions").sort("question_id").to_dicts()
    out: list[Sent] = []
    for q in rows[:: len(rows) // 30]:
        for medium in q["media"]:
            if medium["role"] not in ("query", f"option_{q['answer']}"):
                continue
            rec = RECORDINGS[medium["recording_id"]]
            frames = household.of("frames", rec)
            chosen = choose_frames(frames, rule, medium["start_s"], medium["end_s"])
            assert chosen.height == 8
            assert chosen["t_s"].is_between(medium["start_s"] - 1e-3, medium["end_s"] + 1e-3).all()
            for t_s, part, pts in chosen.select("t_s", "part", "source_pts").iter_rows():
                (image,) = read_frames(str(household.root / paths[rec.uid][part]), [pts])
                out.append(_compared(rec, t_s, image))
    assert {s.rec.form for s in out} == {"native", "cloud", "released"}
    assert any(s.rec.rotated for s in out)
    return out


def _compared(rec: Recording, t_s: float, image: npt.NDArray[np.uint8]) -> Sent:
    assert image.shape == (rec.height_px, rec.width_px, 3)
    told = float(camera(rec).true_of(np.array([t_s]))[0])
    times = np.clip(told + SHIFTS_S, 0.0, rec.duration_s)
    drawn = [i.astype(np.float64) for i in Artist(rec).frames(times)]
    apart = np.array([np.abs(picture - image).mean() for picture in drawn])
    gaze = true_gaze(rec)
    noun = gaze.focus[int(np.argmin(np.abs(gaze.t_s - told)))]
    x, y = (int(v) for v in np.round(gaze.at(np.array([told]))[0]))
    colour = np.array(look(rec, noun).colour, dtype=np.float64)
    beside = (x + rec.width_px // 2) % rec.width_px
    return Sent(rec, told, apart, _unlike(image, x, y, colour), _unlike(image, beside, y, colour))


def _unlike(image: npt.NDArray[np.uint8], x: int, y: int, colour: npt.NDArray[np.float64]) -> float:
    top, left = max(0, y - NEAR_PX), max(0, x - NEAR_PX)
    patch = image[top : y + NEAR_PX + 1, left : x + NEAR_PX + 1].reshape(-1, 3)
    return float(np.abs(patch - colour).max(axis=1).min()) if patch.size else 255.0


@pytest.mark.parametrize("form", ["native", "cloud", "released"])
def test_pictures_are_of_the_time_the_table_tells(sent: list[Sent], form: str) -> None:
    total = sum(
        (s.apart for s in sent if s.rec.form == form and 0.3 < s.told_s < s.rec.duration_s - 0.3),
        np.zeros(SHIFTS_S.size),
    )
    best = int(np.argmin(total))
    assert abs(SHIFTS_S[best]) < 0.021, total / total.min()
    before, at, after = total[best - 1 : best + 2]
    shift = SHIFTS_S[best] + 0.01 * (before - after) / (before - 2 * at + after)
    assert abs(shift) < 0.015


def test_each_picture_is_the_one_drawn(sent: list[Sent]) -> None:
    middle = SHIFTS_S.size // 2
    wrong = [s for s in sent if s.apart[middle] > s.apart.min() + 1.0]
    assert len(wrong) <= 0.02 * len(sent), [(s.rec.uid, s.told_s) for s in wrong]
    # What the codec changes, not what moved.
    assert np.median([s.apart[middle] for s in sent]) < 8


def test_the_thing_acted_on_is_where_it_truly_was(sent: list[Sent]) -> None:
    here = np.array([s.here for s in sent])
    elsewhere = np.array([s.elsewhere for s in sent])
    assert (here < LIKE).mean() > 0.75
    assert (elsewhere < LIKE).mean() < 0.35
    by_view: dict[str, list[float]] = defaultdict(list)
    for s in sent:
        by_view[s.rec.view].append(s.here)
    for found in by_view.values():
        assert float(np.median(found)) < 15
