"""Answers about runs down a slope from pixels alone, as a person would who knows the course.

Given is what a model is given: the text, the options' texts, and frames with their times in the clip. Known of the
simulated slope is how each sport looks and how fast it is, and the colour of the band that lies across the track where
an action begins: how far ahead a band lies says when its action begins.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache
from typing import cast

import numpy as np
from scipy import ndimage

Frame = tuple[float, np.ndarray]
Colour = tuple[int, int, int]
Begin = tuple[float, str]
"""Time in the clip at which an action begins, and its name."""
# Colours as one sees them: sky, hills, ground, spots on it, track.
SPORTS: dict[str, tuple[Colour, ...]] = {
    "skiing": (
        (70, 130, 215), (120, 140, 170), (236, 240, 248), (205, 215, 232), (176, 196, 226),
    ),
    "mountain bike": (
        (165, 205, 235), (50, 90, 50), (88, 140, 60), (66, 112, 44), (168, 124, 78),
    ),
    "jetski": (
        (195, 225, 245), (180, 160, 110), (40, 105, 150), (64, 132, 172), (150, 205, 215),
    ),
    "parkour": (
        (225, 190, 160), (90, 70, 80), (128, 128, 132), (104, 104, 110), (196, 190, 180),
    ),
}  # fmt: skip
GEAR: dict[str, Colour] = {
    "skiing": (205, 30, 60),
    "mountain bike": (45, 45, 50),
    "jetski": (245, 200, 20),
    "parkour": (225, 170, 140),
}
SPEEDS = {"skiing": 9.0, "mountain bike": 7.0, "jetski": 10.0, "parkour": 4.0}
"""Metres in a second."""
BANDS: dict[str, Colour] = {
    "forward": (20, 20, 20),
    "left": (255, 0, 0),
    "right": (0, 0, 255),
    "curve left": (255, 150, 0),
    "curve right": (0, 215, 255),
    "left then right": (170, 0, 255),
    "jump": (255, 0, 190),
    "spin": (255, 255, 0),
    "flip": (0, 110, 50),
    "roll": (110, 255, 0),
    "bumpy forward": (150, 90, 150),
    "slide stop": (120, 0, 0),
    "run": (255, 180, 160),
    "walk": (90, 60, 40),
}
ABSENT = {
    "skiing": {"roll", "bumpy forward", "run", "walk"},
    "mountain bike": {"spin", "roll", "slide stop", "run", "walk"},
    "jetski": {"flip", "bumpy forward", "slide stop", "run", "walk"},
    "parkour": {"spin", "bumpy forward", "slide stop"},
}
"""What nobody does in a sport."""
SUN = (255, 240, 120)
_FOCAL = 0.55
"""Over the picture's width."""
_EYE_M = 1.6
_FAR = 45.0
_SCENE = 5
"""Colours of a sport."""
_LEAST_PX = 6
_BAND_M2 = 6.4 * 4.0
_LEAST_SHARE = 0.3
_PLENTY_PX = 40
_FARTHEST_M = 45.0
_CUT_M = -1.0
_BEHIND_M = 8.0
_SAME = 25.0
_GEAR_TOP = 0.78
"""Of the picture's height: above it nothing of the gear is in view."""
_PARTS = (0.3, 0.5, 0.7)
_NARROW = ((1.0, 0.5), (1.0, 0.75), (0.75, 0.5), (0.75, 0.75))
"""Shares of light and of tint that a narrow band keeps."""
_LIGHT = np.array([0.299, 0.587, 0.114])
_NEAR_RAD = 0.2
"""Below the horizon: what lies nearer than 8 m."""
_DOUBT_M = 3.0
_SAME_S = 1.2
"""Sightings of one band say when its action begins within this."""
_TUMBLES = ("flip", "roll")
_AHEAD_S = 2.0
_TIMES = re.compile(r"from (\d+\.\d) s to (\d+\.\d) s")


def solve(text: str, options: Sequence[str], frames: Sequence[Frame], end_s: float) -> int | None:
    """Index of the option that the frames show; None where they show none.

    Args:
        text: The question: which sport, trick, sequence or next direction, or when an action begins.
        options: Texts of the options.
        frames: Frames sent, with their times in the clip.
        end_s: Length of the clip.
    """
    sport = _sport([image for _, image in frames])
    if text.startswith("Which extreme sport"):
        return options.index(sport) if sport in options else None
    begins = _begins(frames, sport)
    if text.startswith("In which direction"):
        return _nearest([b for b in begins if b[1] in options and b[0] > end_s], end_s + 1, options)
    if text.startswith("Which sequence"):
        tumbles = _is_upside_down(frames[0][1], sport)
        return _sequence(begins, options, end_s, tumbles)
    if text.startswith("At what time"):
        asked = text.split("'")[1]
        named = [(metres, t_s) for metres, t_s, name in _sightings(frames, sport) if name == asked]
        times = [float(option.rstrip(" s")) for option in options]
        option = _time(named, times)
        return _time_out_of_sight(frames, sport, times) if option is None else option
    (span,) = _TIMES.findall(text)
    return _nearest([b for b in begins if b[1] in options], float(span[0]), options)


def _nearest(begins: Sequence[Begin], at_s: float, options: Sequence[str]) -> int | None:
    found = min(begins, key=lambda one: abs(one[0] - at_s), default=None)
    return None if found is None else options.index(found[1])


def _time(sightings: Sequence[tuple[float, float]], options: Sequence[float]) -> int | None:
    """The time that sightings of a band tell, those from near by before those from far away."""
    votes = [
        sum(math.exp(-2 * abs(at_s - t_s)) / (_DOUBT_M + metres) for metres, t_s in sightings)
        for at_s in options
    ]
    return votes.index(max(votes)) if max(votes) else None


def _time_out_of_sight(frames: Sequence[Frame], sport: str, options: Sequence[float]) -> int | None:
    """The only time before which no frame shows the ground ahead: elsewhere the band would be seen."""
    hidden = [
        index
        for index, at_s in enumerate(options)
        if not any(
            0.0 < at_s - t_s < _AHEAD_S and not _is_upside_down(image, sport)
            for t_s, image in frames
        )
    ]
    return hidden[0] if len(hidden) == 1 else None


def _sequence(
    begins: Sequence[Begin], options: Sequence[str], end_s: float, tumbles: bool
) -> int | None:
    """The sequence of which most is seen to begin, and whose first action looks like the first picture."""
    first = [name for t_s, name in begins if t_s <= 0.3]
    then = [name for t_s, name in begins if 0.3 < t_s < end_s - 0.9]
    scores = []
    for option in options:
        one, *others = option.split(" → ")
        looks = (one in first) + ((one in _TUMBLES) == tumbles)
        scores.append(2 * _in_order(others, then) + looks)
    return scores.index(max(scores)) if max(scores) else None


def _in_order(actions: Sequence[str], seen: Sequence[str]) -> int:
    """How many of the actions are seen, one after the other."""
    left = list(seen)
    found = 0
    for action in actions:
        if action in left:
            left = left[left.index(action) + 1 :]
            found += 1
    return found


# -- what a picture shows --------------------------------------------------------------------------


def _sport(images: Sequence[np.ndarray]) -> str:
    """The sport whose colours most pixels have."""
    filled = {
        sport: sum(int((((seen := _seen(x, sport)) >= 0) & (seen < _SCENE)).sum()) for x in images)
        for sport in SPORTS
    }
    return max(filled, key=lambda sport: filled[sport])


def _is_upside_down(image: np.ndarray, sport: str) -> bool:
    """Whether more of the sky is below than above, or no horizon is in view."""
    seen = _seen(image, sport)
    above = (seen == 0) | (seen == 1)
    half = len(above) // 2
    return above[half:].mean() > above[:half].mean() or not 0.05 < above.mean() < 0.95


def _begins(frames: Sequence[Frame], sport: str) -> list[Begin]:
    """When actions begin, in order, each by the nearest sighting of its band."""
    found: list[Begin] = []
    for _, at_s, name in _sightings(frames, sport):
        if all(name != other or abs(at_s - t_s) > _SAME_S for t_s, other in found):
            found.append((at_s, name))
    return sorted(found)


def _sightings(frames: Sequence[Frame], sport: str) -> list[tuple[float, float, str]]:
    """How far away bands are seen, in metres, and when what begins there does, the nearest first."""
    found = []
    for t_s, image in frames:
        own: list[tuple[float, str]] = []
        for metres, name in sorted(_bands(image, sport)):
            # What lies right behind is the same band, of which something hides a part.
            if all(name != other or metres - its > _BEHIND_M for its, other in own):
                own.append((metres, name))
        found += [(metres, t_s + metres / SPEEDS[sport], name) for metres, name in own]
    return sorted(found)


def _bands(image: np.ndarray, sport: str) -> list[tuple[float, str]]:
    """How far away bands lie, in metres, and what begins there; empty where the horizon is not in view."""
    return _bands_of(image.tobytes(), image.shape, sport)


@cache
def _bands_of(pixels: bytes, shape: tuple[int, ...], sport: str) -> list[tuple[float, str]]:
    """The same; each picture is looked at once."""
    image = np.frombuffer(pixels, np.uint8).reshape(shape)
    seen = _seen(image, sport)
    height, width = seen.shape
    above = ((seen == 0) | (seen == 1)).ravel()[::7]
    if not 0.05 < above.mean() < 0.95:
        return []
    focal = _FOCAL * width
    y, x = np.mgrid[:height, :width].astype(np.float32) + 0.5
    y, x = (y - height / 2) / focal, (x - width / 2) / focal
    # The line between what is above and what is below, whichever way the picture is turned.
    sides = np.stack([x.ravel()[::7], y.ravel()[::7], np.ones(above.size)], axis=1)
    slope = np.linalg.lstsq(sides, above.astype(np.float64), rcond=None)[0]
    down = -(x * slope[0] + y * slope[1]) / math.hypot(slope[0], slope[1])
    tilt = np.arctan(down) - math.atan(np.quantile(down.ravel()[::7], above.mean()))
    worn = (image.astype(np.int32) - GEAR[sport]) ** 2
    gear = (worn.sum(axis=-1) < _SAME**2) & (np.arange(height) > _GEAR_TOP * height)[:, None]
    ground = np.logical_not(ndimage.binary_dilation(gear, iterations=3))
    found = []
    # Near bands are plain; a narrow one far away takes on colour of the ground around it.
    for kinds, zone in ((seen, tilt >= _NEAR_RAD), (_seen(image, sport, mixed=True), _far(tilt))):
        patched = ndimage.label((kinds > _SCENE) & zone & ground, np.ones((3, 3)))
        patches, _ = cast("tuple[np.ndarray, int]", patched)
        for number, place in enumerate(ndimage.find_objects(patches), 1):
            mask = patches[place] == number
            votes = np.bincount(kinds[place][mask])
            name = _performed(sport)[int(votes.argmax()) - _SCENE - 1]
            lowest = float(np.quantile(tilt[place][mask], 0.98))
            metres = _EYE_M / math.tan(lowest)
            # What is smaller than a band there is a spot on the ground.
            least = _LEAST_SHARE * _EYE_M * _BAND_M2 * focal**2 / metres**3
            if mask.sum() >= max(_LEAST_PX, min(least, _PLENTY_PX)) and metres < _FARTHEST_M:
                # What the lower border cuts has begun, or begins now.
                cut = place[0].stop == height or place[0].start == 0
                found.append((_CUT_M if cut else metres, name))
    return found


def _far(tilt: np.ndarray) -> np.ndarray:
    return (tilt > 0.01) & (tilt < _NEAR_RAD)


def _seen(image: np.ndarray, sport: str, *, mixed: bool = False) -> np.ndarray:
    """What each pixel shows: place of its nearest colour, -1 where none is near or it is no plain one."""
    red, green, blue = (image[..., channel] >> 3 for channel in range(3))
    return _table(sport, mixed)[red, green, blue]


@cache
def _table(sport: str, mixed: bool) -> np.ndarray:
    """The same of each colour in steps of 8; mixed, colours of bands may be half those of the ground."""
    steps = np.arange(0, 256, 8) + 4.0
    grid = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1)
    sky, hills, ground, spots, track = SPORTS[sport]
    plain = [*SPORTS[sport], SUN]
    known = [(number, np.array(colour, float)) for number, colour in enumerate(plain)]
    if mixed:
        seams = [(hills, ground), (hills, track), (ground, track), (ground, spots), (sky, hills)]
        known += [(-1, _mixed(one, two, part, part)) for one, two in seams for part in _PARTS]
    for number, name in enumerate(_performed(sport), len(plain)):
        known.append((number, np.array(BANDS[name], float)))
        if mixed:
            known += [
                (number, _mixed(BANDS[name], below, light, tint))
                for below in (ground, track)
                for light, tint in _NARROW
            ]
    least, best = np.full(grid.shape[:-1], _FAR**2), np.full(grid.shape[:-1], -1)
    for number, colour in known:
        far = ((grid - colour) ** 2).sum(axis=-1)
        best[far < least] = number
        least = np.minimum(far, least)
    return best


def _mixed(one: Colour, two: Colour, light: float, tint: float) -> np.ndarray:
    """A colour between two, with shares of the first's light and tint: video keeps tints at half the detail."""
    first, second = np.array(one, float), np.array(two, float)
    mixed = tint * first + (1 - tint) * second
    return mixed + (light * first + (1 - light) * second - mixed) @ _LIGHT


def _performed(sport: str) -> list[str]:
    return [name for name in BANDS if name not in ABSENT[sport]]
