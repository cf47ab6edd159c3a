"""Answers about things and hands at a workbench from pixels alone, as a person would.

Given is what a model is given: the text, the options' texts, and frames with their times in the clip. Known of the
simulated bench is how things and hands look, and how hands move: a hand is below the thing that it touches, which then
has a yellow rim; it comes from below the picture, slower and slower, and goes back there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import cast

import numpy as np
from scipy import ndimage

Frame = tuple[float, np.ndarray]
Colour = tuple[int, int, int]
Point = tuple[float, float]
"""Column and row, shares of the picture's width and height."""
KINDS: dict[str, tuple[Colour, ...]] = {
    "button": ((215, 30, 30), (30, 165, 50)),
    "socket": ((245, 245, 245),),
    "oscilloscope": ((60, 70, 90),),
    "screwdriver": ((240, 200, 40),),
    "electric screwdriver": ((0, 120, 130),),
    "pliers": ((200, 60, 130),),
    "battery connector": ((20, 20, 20),),
    "board": ((0, 90, 40), (120, 80, 30)),
    "welder probe tip": ((60, 130, 240),),
}
HANDS: dict[str, Colour] = {"left": (255, 140, 40), "right": (150, 70, 210)}
OTHER: tuple[Colour, ...] = ((255, 245, 90), (196, 188, 172), (174, 166, 150))
_FAR = 40.0
_LEAST_SHARE = 0.0012
"""Of the picture: smaller patches are noise of the compression."""
_BELOW = 0.1
"""How far below the middle of a thing the hand is that touches it."""
_NEAR = 0.05
_TOUCHED = 0.12
"""Share of the rim's colour in the box of a thing that is touched."""
_PLACE = re.compile(
    r"^At ([\d.]+) s of this video, the operator's (\w+) hand [\w ]+? the (.*)\. In which"
)
_NEXT = re.compile(r"^What does the operator(?:'s (\w+) hand)? do next")
_WHEN = re.compile(
    r"^At what time in this video does the operator's (\w+) hand (begin to touch|take|stop touching|release) the (.*)\?"
)
_MEETS = ("begin to touch", "take")
_OUTSIDE: dict[str, Point] = {"left": (0.3, 1.2), "right": (0.7, 1.2)}
_COMES_S, _GOES_S = 1.5, 1.0
_UNTIL_NEXT_S = 1.1
"""From the last frame to what is next."""
_EVERY_S, _AFTER_S = 2.0, 0.5
"""What is asked about in time is half a second before a frame."""
_BOTTOM = 0.97
"""Of the picture: of a hand below this too little is in view to see where it is."""
_UNLIKE = 0.3
"""How far a hand in view is from one out of view, and one that touches from one that does not."""


def solve(text: str, options: Sequence[str], frames: Sequence[Frame]) -> int | None:
    """Index of the option that the frames show; None where they show none, or several.

    Args:
        text: The question: how many kinds, which is not in view, which a hand has longest, or where a thing is.
        options: Texts of the options.
        frames: Frames sent, with their times in the clip.
    """
    place = _PLACE.match(text)
    if place is not None:
        _, image = min(frames, key=lambda frame: abs(frame[0] - float(place[1])))
        cell = _cell(image, place[2])
        return options.index(cell) if cell in options else None
    following = _NEXT.match(text)
    if following is not None:
        return _best([_is_next(frames[-1][1], following[1], option) for option in options])
    when = _WHEN.match(text)
    if when is not None:
        return _best([_happens(frames, *when.groups(), float(o.rstrip(" s"))) for o in options])
    if text.startswith("How many"):
        right = [str(len({kind for _, image in frames for kind in _kinds(image)}))]
    elif "not in view" in text:
        seen = {kind for _, image in frames for kind in _kinds(image)}
        right = [option for option in options if option not in seen]
    else:
        hand = next(side for side in HANDS if f"{side} hand" in text)
        held = Counter(kind for _, image in frames if (kind := _held(image, hand)) is not None)
        counts = [(kind, n) for kind, n in held.most_common() if kind in options]
        right = [kind for kind, n in counts if n == counts[0][1]]
    found = [index for index, option in enumerate(options) if option in right]
    return found[0] if len(found) == len(right) == 1 else None


def _best(unlike: Sequence[float]) -> int | None:
    """The option of which the pictures look least unlike; None where none or several do."""
    least = min(unlike)
    nearest = [at for at, far in enumerate(unlike) if far <= least + 1e-9]
    return nearest[0] if least < _UNLIKE and len(nearest) == 1 else None


def _is_next(image: np.ndarray, hand: str | None, option: str) -> float:
    """How far a picture is from one in which a hand is about to do what an option says."""
    does, _, thing = option.partition(" the ")
    far = []
    for side in HANDS if hand is None else (hand,):
        if does in _MEETS:
            far.append(_coming(image, side, thing, _UNTIL_NEXT_S))
        else:
            far.append(_touching(image, side, thing))
    return min(far)


def _happens(frames: Sequence[Frame], hand: str, does: str, thing: str, at_s: float) -> float:
    """How far the frames before and after an instant are from those of a hand that does something then."""
    by_time = {round(t_s / _EVERY_S): image for t_s, image in frames}
    place = round((at_s + _AFTER_S) / _EVERY_S)
    before, after = by_time.get(place - 1), by_time.get(place)
    far = []
    if does in _MEETS:
        if before is not None:
            far.append(0.0 if _touching(before, hand, thing) else 2 * _UNLIKE)
        if after is not None:
            far.append(_touching(after, hand, thing))
    else:
        if before is not None and does == "release":
            far.append(_touching(before, hand, thing))
        elif before is not None:
            far.append(_coming(before, hand, thing, _EVERY_S - _AFTER_S - 1.0))
        if after is not None:
            far.append(_going(after, hand, thing, _AFTER_S))
    return sum(far) / len(far) if far else 1.0


def _coming(image: np.ndarray, hand: str, thing: str, until_s: float) -> float:
    return _on_way(image, hand, thing, (until_s / _COMES_S) ** 2)


def _going(image: np.ndarray, hand: str, thing: str, since_s: float) -> float:
    return _on_way(image, hand, thing, since_s / _GOES_S)


def _on_way(image: np.ndarray, hand: str, thing: str, outside: float) -> float:
    """How far a hand is from where it is on its way to a thing that it does not touch."""
    at = _hand(image, hand)
    if at is None:
        return _UNLIKE
    off = _OUTSIDE[hand]
    ways = [
        ((1 - outside) * x + outside * off[0], (1 - outside) * (y + _BELOW) + outside * off[1])
        for (x, y), _ in _named(image, thing)
    ]
    return min((abs(x - at[0]) + abs(y - at[1]) for x, y in ways), default=_UNLIKE)


def _touching(image: np.ndarray, hand: str, thing: str) -> float:
    """0 if a hand touches a thing of a name, else how unlike that is."""
    at = _hand(image, hand)
    near = [
        abs(x - at[0]) + abs(y + _BELOW - at[1])
        for (x, y), touched in _named(image, thing)
        if touched and at is not None
    ]
    return 0.0 if min(near, default=1.0) < 2 * _NEAR else _UNLIKE


def _named(image: np.ndarray, thing: str) -> list[tuple[Point, bool]]:
    """Middles of the things that a name fits, and whether they are touched."""
    kind = max((kind for kind in KINDS if kind in thing), key=len)
    colour = KINDS[kind][-1 if "green" in thing or "high" in thing else 0]
    return [
        ((x, y), touched)
        for number, (x, y), touched in _patches_of(image.tobytes(), image.shape)
        if _known()[number] == (kind, colour)
        if (x < 0.5) != thing.startswith("right ") or not thing.startswith(tuple(HANDS))
    ]


def _kinds(image: np.ndarray) -> set[str]:
    return {kind for kind, _, _ in _things(image)}


def _held(image: np.ndarray, hand: str) -> str | None:
    """Kind of the thing with a rim that is nearest above a hand; None if there is none."""
    at = _hand(image, hand)
    if at is None:
        return None
    far = [
        (abs(x - at[0]) + abs(y + _BELOW - at[1]), kind)
        for kind, (x, y), touched in _things(image)
        if touched
    ]
    gap, kind = min(far, default=(1.0, None))
    return kind if gap < 2 * _NEAR else None


def _cell(image: np.ndarray, hand: str) -> str | None:
    """Cell of the thing that a hand touches."""
    at = _hand(image, hand)
    touched = [where for _, where, is_touched in _things(image) if is_touched]
    if at is None or not touched:
        return None
    x, y = min(touched, key=lambda t: abs(t[0] - at[0]) + abs(t[1] + _BELOW - at[1]))
    row, column = ("top", "center", "bottom")[int(y * 3)], ("left", "center", "right")[int(x * 3)]
    return "center" if row == column == "center" else f"{row}-{column}"


def _hand(image: np.ndarray, hand: str) -> Point | None:
    """Middle of the upper end of a hand's colour; None if it is not in view."""
    mask = _seen(image) == _number(hand)
    if mask.mean() < _LEAST_SHARE:
        return None
    rows, columns = np.nonzero(mask)
    height, width = mask.shape
    return float(np.median(columns)) / width, rows.min() / height + 0.03


@cache
def _known() -> list[tuple[str, Colour]]:
    things = [(kind, colour) for kind, colours in KINDS.items() for colour in colours]
    return [*things, *HANDS.items(), *(("", colour) for colour in OTHER)]


def _number(name: str) -> int:
    return [known for known, _ in _known()].index(name)


@cache
def _table() -> np.ndarray:
    """Place of the nearest known colour of each colour in steps of 8, -1 where none is near."""
    steps = np.arange(0, 256, 8) + 4.0
    grid = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1)
    far = np.stack([((grid - colour) ** 2).sum(axis=-1) for _, colour in _known()])
    return np.where(far.min(axis=0) < _FAR**2, far.argmin(axis=0), -1)


def _seen(image: np.ndarray) -> np.ndarray:
    red, green, blue = (image[..., channel] >> 3 for channel in range(3))
    return _table()[red, green, blue]


def _things(image: np.ndarray) -> list[tuple[str, Point, bool]]:
    """Kind and middle of each thing in a picture, and whether it is touched."""
    patches = _patches_of(image.tobytes(), image.shape)
    return [(_known()[number][0], middle, touched) for number, middle, touched in patches]


@cache
def _patches_of(pixels: bytes, shape: tuple[int, ...]) -> list[tuple[int, Point, bool]]:
    """The same with the place of the colour among those known; each picture is looked at once."""
    seen = _seen(np.frombuffer(pixels, np.uint8).reshape(shape))
    height, width = seen.shape
    rim = seen == len(_known()) - len(OTHER)
    found = []
    for number, (kind, _) in enumerate(_known()):
        if kind not in KINDS:
            continue
        patches, _ = cast("tuple[np.ndarray, int]", ndimage.label(seen == number))
        sizes = np.bincount(patches.ravel())
        for one, place in enumerate(ndimage.find_objects(patches), 1):
            if sizes[one] < _LEAST_SHARE * seen.size:
                continue
            rows, columns = place
            around = rim[
                max(0, rows.start - 4) : rows.stop + 4, max(0, columns.start - 4) : columns.stop + 4
            ]
            middle = (
                (columns.start + columns.stop) / 2 / width,
                (rows.start + rows.stop) / 2 / height,
            )
            found.append((number, middle, bool(around.mean() > _TOUCHED)))
    return found
