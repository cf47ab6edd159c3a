"""Names each pixel of a household clip by its colour, on one canvas for all its pictures.

What is known of the household is how its things, tables and sleeves look. The pictures are brought
to one place: the wearer's head moves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import fft, ndimage

from resources.worlds.household.things import HOMES, LOOKS, Colour

Array = npt.NDArray[Any]

# Colours as one sees them in the pictures, besides those of things and homes.
SKINS: tuple[Colour, ...] = ((236, 190, 160), (141, 96, 70), (214, 164, 128), (104, 68, 50))
SLEEVES: tuple[Colour, ...] = ((40, 110, 220), (240, 130, 30))
CLOTHES: tuple[Colour, ...] = (
    (70, 74, 84), (196, 92, 120), (88, 120, 92), (82, 96, 150), (170, 130, 70)
)  # fmt: skip
STATES: dict[str, Colour] = {
    "glow": (240, 60, 20), "flow": (60, 140, 240), "hole": (20, 20, 20), "lamp": (255, 80, 60),
    "touched": (20, 250, 40), "foam": (130, 5, 255),
}  # fmt: skip
# Where things are put: these are compared by nearness.
FURNITURE = (
    "cutting_board", "bowl", "bowl'", "plate'", "pan", "pan'", "pot", "pot'", "lid", "sink",
    "faucet", "stove", "stove'", "beaker", "rack", "scale", "scale'", "centrifuge", "tip", "cup",
    "cup'", "dish", "dish'", "bottle", "glow",
)  # fmt: skip
ENV, SKIN, LEFT, RIGHT, ELBOW, BLUR, UNSEEN = 200, 201, 202, 203, 204, 254, 255
# Luma counts less than hue: video compresses hue coarsely but keeps its level.
_YCC = np.array([[0.2093, 0.4109, 0.0798], [-0.2361, -0.4635, 0.6996], [0.6998, -0.5860, -0.1138]])
SAME_COLOUR, OTHER_COLOUR, NEAR_COLOUR = 10.0, 30.0, 14.0
# Pixels per metre on the table, per pixel of picture width.
EGO_SCALE, EXO_SCALE = 288 / 272, 223 / 320
TABLE_FROM = 0.42
"""Share of the room camera's picture above the table."""
EGO_STEP = 2
"""Every so many pixels are looked at; the room's camera shows things smaller, so it takes all."""
EDGE = 30


def _apart(colours: Sequence[Colour], others: Sequence[Colour] | Array) -> Array:
    """Distances of colours as one sees them, (len(colours), len(others))."""
    one, other = (np.array(c, dtype=float) @ _YCC.T for c in (colours, others))
    return np.linalg.norm(one[:, None] - other[None], axis=2)


def _shade(colour: Colour, factor: float) -> Colour:
    r, g, b = (round(c * factor) for c in colour)
    return r, g, b


_NAMED: dict[str, Colour] = {
    **{n: look.colour for n, look in LOOKS.items() if look.shape != "spot"},
    **{f"{n}'": look.accent for n, look in LOOKS.items() if look.shape != "spot"},
    **STATES,
}


def _classes() -> dict[str, int]:
    """Class of each named colour: colours that look the same share one."""
    found: list[Colour] = []
    classes = {}
    for name, colour in _NAMED.items():
        near = [i for i, c in enumerate(found) if _apart([colour], [c])[0, 0] < SAME_COLOUR]
        if not near:
            found.append(colour)
        classes[name] = near[0] if near else len(found) - 1
    return classes


CLASS = _classes()
COUNT = max(CLASS.values()) + 1
_FIRST = {i: n for n, i in reversed(CLASS.items())}
_COLOURS = [_NAMED[_FIRST[i]] for i in range(COUNT)]
KIN = np.exp(-((_apart(_COLOURS, _COLOURS) / NEAR_COLOUR) ** 2))
_HANDS: tuple[tuple[int, Colour], ...] = (
    *((SKIN, _shade(c, f)) for c in SKINS for f in (1.0, 0.9)),
    (LEFT, SLEEVES[0]), (RIGHT, SLEEVES[1]), *((ELBOW, _shade(c, 0.78)) for c in SLEEVES),
)  # fmt: skip
_LIKE_HANDS = np.append(_apart(_COLOURS, [c for _, c in _HANDS]).min(axis=1) < 40, False)
PLACES = sorted({CLASS[n] for n in FURNITURE})


def _surroundings(home: str) -> list[Colour]:
    k = HOMES[home]
    return [
        k.table, k.table_accent, k.floor, _shade(k.floor, 0.88), _shade(k.table, 0.7),
        _shade(k.table_accent, 0.6),
    ]  # fmt: skip


@cache
def _names(home: str) -> Array:
    """Class of each colour in a home, (64, 64, 64) by the upper six bits of red, green, blue."""
    around = [*_surroundings(home), *CLOTHES]
    codes = [CLASS[n] for n in _NAMED] + [ENV] * len(around) + [code for code, _ in _HANDS]
    colours = [*_NAMED.values(), *around, *(c for _, c in _HANDS)]
    levels = np.arange(64) * 4 + 2
    cube = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), -1).reshape(-1, 3) @ _YCC.T
    best = np.full(len(cube), OTHER_COLOUR**2)
    out = np.full(len(cube), BLUR, dtype=np.uint8)
    for code, colour in zip(codes, colours, strict=True):
        away = ((cube - np.array(colour) @ _YCC.T) ** 2).sum(axis=1) * (0.7 if code == ENV else 1)
        nearer = away < best
        best[nearer], out[nearer] = away[nearer], code
    return out.reshape(64, 64, 64)


@cache
def _told_apart(home: str) -> Array:
    """Which classes do not look like the home's table and floor."""
    return _apart(_COLOURS, _surroundings(home)).min(axis=1) >= 12


def _home(images: Sequence[Array]) -> str:
    """The home whose table covers most of the pictures."""
    some = np.concatenate([im[im.shape[0] // 3 :: 6, ::6].reshape(-1, 3) for im in images[::3]])
    shares = {h: (_apart([k.table], some)[0] < 8).mean() for h, k in HOMES.items()}
    return max(shares, key=lambda h: shares[h])


@dataclass(frozen=True)
class Scene:
    """A clip's pictures as classes, laid on one canvas.

    Attributes:
        seen: (T, height, width) class of each pixel, every pixel or every other.
        scale: pixels of `seen` per metre on the table.
        ego: whether the wearer's camera took them.
        known: classes that look unlike this home.
        home: the home.
    """

    seen: Array
    scale: float
    ego: bool
    known: Array
    home: str

    def still(self) -> Scene:
        """The middle picture alone, as often as there are pictures."""
        return replace(self, seen=np.broadcast_to(self.seen[len(self.seen) // 2], self.seen.shape))

    def each(self, look: Callable[[Array], Any]) -> list[Any]:
        """What each picture gives; a still one is looked at once."""
        if not self.seen.strides[0]:
            return [look(self.seen[0])] * len(self.seen)
        return [look(one) for one in self.seen]

    @cached_property
    def _new(self) -> list[tuple[Array, Array]]:
        first, last = self.ends
        return self.each(lambda one: (new_in(one, first), new_in(one, last)))

    def changes(self, look: Callable[[Array, Array, Array, Scene], Any]) -> list[Any]:
        """What each picture gives, with where it is unlike the first and unlike the last one."""
        if not self.seen.strides[0]:
            return [look(self.seen[0], *self._new[0], self)] * len(self.seen)
        return [look(one, *new, self) for one, new in zip(self.seen, self._new, strict=True)]

    @cached_property
    def ends(self) -> tuple[Array, Array]:
        """(height, width) the first and the last class of each pixel that no hand hides."""
        first = np.full(self.seen.shape[1:], UNSEEN, dtype=np.uint8)
        last = first.copy()
        for one in self.seen:
            told = one <= ENV
            begins = (first == UNSEEN) & told
            first[begins], last[told] = one[begins], one[told]
        return first, last

    @cached_property
    def tips(self) -> Array:
        """(T, 2, 2) where the left and the right hand are; nan where a sleeve is not seen."""
        return np.array(self.each(lambda one: _tips(one, self)))


def _edges(image: Array) -> Array:
    out = np.zeros(image.shape[:2], dtype=bool)
    for channel in range(3):
        wide = image[..., channel].astype(np.int16)
        down = np.abs(wide[1:] - wide[:-1]) > EDGE
        out[1:] |= down
        out[:-1] |= down
        across = np.abs(wide[:, 1:] - wide[:, :-1]) > EDGE
        out[:, 1:] |= across
        out[:, :-1] |= across
    return out


def _spectrum(edges: Array) -> Array:
    h, w = (n // 2 * 2 for n in edges.shape)
    small = edges[:h, :w].reshape(h // 2, 2, w // 2, 2).mean(axis=(1, 3), dtype=np.float32)
    return np.asarray(fft.rfft2(small - small.mean(), (256, 256)))


def _moved(a: Array, b: Array, edges_a: Array, edges_b: Array) -> tuple[int, int]:
    """How far the camera went between two pictures, pixels to the right and down."""
    match = np.asarray(fft.irfft2(a * np.conj(b), (256, 256)))
    y, x = (2 * ((int(v) + 128) % 256 - 128) for v in divmod(int(np.argmax(match)), 256))
    h, w = edges_a.shape

    def agree(dx: int, dy: int) -> float:
        one = edges_a[max(dy, 0) : h + min(dy, 0), max(dx, 0) : w + min(dx, 0)]
        other = edges_b[max(-dy, 0) : h + min(-dy, 0), max(-dx, 0) : w + min(-dx, 0)]
        return np.count_nonzero(one & other) / one.size if one.size else 0.0

    near = [(dx, dy) for dx in range(x - 2, x + 3) for dy in range(y - 2, y + 3)]
    return max(near, key=lambda step: agree(*step))


def scene_of(images: Sequence[Array]) -> Scene:
    """A clip's pictures, in time order, as classes on one canvas."""
    height, width = images[0].shape[:2]
    ego = width < 1.2 * height
    pace, home = EGO_STEP if ego else 1, _home(images)
    names, edges = _names(home), [_edges(im) for im in images]
    shift = np.zeros((len(images), 2), dtype=int)
    if ego:
        spectra = [_spectrum(e) for e in edges]
        for i in range(len(images) - 1):
            step = _moved(spectra[i], spectra[i + 1], edges[i], edges[i + 1])
            shift[i + 1] = shift[i] + step
        shift -= shift.min(axis=0)
    rows, columns = (
        (height + shift[:, 1].max()) // pace + 1,
        (width + shift[:, 0].max()) // pace + 1,
    )
    seen = np.full((len(images), rows, columns), UNSEEN, dtype=np.uint8)
    for t, image in enumerate(images):
        x, y = -shift[t] % pace
        small, edge = image[y::pace, x::pace] >> 2, edges[t][y::pace, x::pace]
        one = names[small[..., 0], small[..., 1], small[..., 2]].copy()
        hands = (one > ENV) & (one <= ELBOW)
        hands &= solid(hands)
        beside = ndimage.binary_dilation(hands, np.ones((3, 3)))
        thing = one < COUNT
        one[thing & (edge | (beside & _LIKE_HANDS[np.minimum(one, COUNT)]))] = BLUR
        if not ego:
            top = one[: int(TABLE_FROM * len(one))]
            top[top <= ENV] = ENV
        top, left = (shift[t][1] + y) // pace, (shift[t][0] + x) // pace
        seen[t, top : top + one.shape[0], left : left + one.shape[1]] = one
    scale = (EGO_SCALE if ego else EXO_SCALE) * width / pace
    return Scene(seen, scale, ego, _told_apart(home), home)


def _tips(one: Array, scene: Scene) -> Array:
    """(2, 2) where the hands are in a picture."""
    out = np.full((2, 2), np.nan)
    whole = solid(one)
    for side, code in enumerate((LEFT, RIGHT)):
        y, x = np.nonzero(whole & (one == code))
        if len(y) < 15:
            continue
        if scene.ego:
            low = np.argsort(y)[-max(3, len(y) // 10) :]
            fx, fy = x[low].mean(), y[low].mean()
        else:
            ey, ex = np.nonzero(one == ELBOW)
            mine = (ex < one.shape[1] / 2) == (x.mean() < one.shape[1] / 2)
            if not mine.any():
                continue
            fx, fy = ex[mine].mean(), np.quantile(ey[mine], 0.9)
        away = np.hypot(x - fx, y - fy)
        far = away >= np.quantile(away, 0.95)
        wx, wy = x[far].mean(), y[far].mean()
        more = (0.05 if scene.ego else 0.04) * scene.scale / max(1.0, np.hypot(wx - fx, wy - fy))
        out[side] = wx + (wx - fx) * more, wy + (wy - fy) * more
    return out


def solid(one: Array) -> Array:
    """Pixels in a square of four of their class."""
    same = (one[1:, 1:] == one[:-1, 1:]) & (one[1:, 1:] == one[1:, :-1])
    same &= one[1:, 1:] == one[:-1, :-1]
    out = np.zeros(one.shape, dtype=bool)
    for down in (slice(0, -1), slice(1, None)):
        for right in (slice(0, -1), slice(1, None)):
            out[down, right] |= same
    return out


def new_in(one: Array, other: Array) -> Array:
    """Where a picture shows what the other does not show there, nor one pixel beside it."""
    wide = np.pad(other, 1, constant_values=UNSEEN)
    rows, columns = one.shape
    out = np.ones(one.shape, dtype=bool)
    for y in range(3):
        for x in range(3):
            out &= one != wide[y : y + rows, x : x + columns]
    return out


def cosine(one: Array, other: Array) -> float:
    """Cosine in which colours that look alike count as nearly the same."""
    size = np.sqrt((one @ KIN @ one) * (other @ KIN @ other))
    return float(one @ KIN @ other / size) if size > 1e-9 else 0.0


def alike(one: Array, other: Array) -> float:
    """Agreement of two lists of nearness; 1 where they are equal."""
    return float(1 - np.abs(one - other).sum() / (1 + one.sum() + other.sum()))
