"""One graph of Ego-EASG, whatever files tell of it."""

from __future__ import annotations

from dataclasses import dataclass

from assets.sources.easg.words import Triplet
from assets.sources.reading.values import Malformed

MOMENTS = ("pre", "pnr", "post")
Numbers = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """A boxed thing.

    Attributes:
        name: Name of the thing.
        moment: `pre`, `pnr` or `post`.
        numbers: Left, top, width and height.
        size_px: Width and height of the picture, where the numbers are pixels of it; else they are
            shares of the picture.
        instance: Name with the number that tells twins apart, `cup:0`, where it has one.
    """

    name: str
    moment: str
    numbers: Numbers
    size_px: tuple[int, int] | None = None
    instance: str | None = None


@dataclass(frozen=True, slots=True)
class Graph:
    """What is done around one point of no return (PNR).

    Attributes:
        uid: Id: clip and PNR frame; with more where a clip has several graphs of one PNR.
        clip: Clip it lies in.
        pre: First frame, of the clip, at 30 a second.
        pnr: Frame of contact or change.
        post: Last frame.
        verb: Verb of the wearer.
        noun: What it is done to; empty where not told.
        triplets: Relations in one spelling, each once.
        boxes: Boxes, each once.
        narrations: Ids of the annotations it is made of.
        split: Split of its clip.
        file: File it is made from first.
        only_pnr: Whether PRE and POST are not told (they hold the PNR then).
    """

    uid: str
    clip: str
    pre: int
    pnr: int
    post: int
    verb: str
    noun: str
    triplets: tuple[Triplet, ...]
    boxes: tuple[Box, ...] = ()
    narrations: tuple[str, ...] = ()
    split: str | None = None
    file: str = ""
    only_pnr: bool = False

    def frame(self, moment: str) -> int | None:
        """Frame of a moment, if it is known."""
        if moment == "pnr":
            return self.pnr
        if self.only_pnr:
            return None
        return self.pre if moment == "pre" else self.post


def check_order(pre: int, pnr: int, post: int) -> None:
    """Refuse frames of a graph that are out of order.

    Raises:
        Malformed: PNR outside PRE to POST, or a frame before the start.
    """
    if not 0 <= pre <= pnr <= post:
        raise Malformed("frames are not in the order PRE, PNR, POST", f"{pre}, {pnr}, {post}")
