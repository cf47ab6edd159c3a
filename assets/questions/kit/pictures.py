"""Pictures that have an order and no times: which of them a question shows, and the boxes drawn on them.

Two recordings of a take belong together by the numbers of their pictures. What a question shows of a
recording is told by places in its order, which stand for seconds (`frames_in_order`); where no picture
is here, what was annotated has the places instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import polars as pl

from assets.questions.kit.recipe import Clip, Row

SHOWN = 8
"""Pictures of a clip; the moment asked about is the one after the middle."""
# Outlines are drawn on what is sent: a share of its height, so that they are seen in any size.
LINE = 0.008
SIDES = ("x_min", "y_min", "x_max", "y_max")
Sides = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Line:
    """How boxes are drawn.

    Attributes:
        colour: Name or `#rrggbb`.
        width: Width over the picture's height.
    """

    colour: str
    width: float = LINE


@dataclass(frozen=True, slots=True)
class Boxed:
    """The box of a person in a picture.

    Attributes:
        box_id: Row of `boxes`.
        sides: Left, top, right and bottom over the picture's sides.
    """

    box_id: str
    sides: Sides

    @property
    def height(self) -> float:
        """Height over the picture's."""
        return self.sides[3] - self.sides[1]

    def covered(self, other: Boxed) -> float:
        """Area shared with another box, over the smaller of both."""
        (left, top, right, bottom), (a, b, c, d) = self.sides, other.sides
        shared = max(0.0, min(right, c) - max(left, a)) * max(0.0, min(bottom, d) - max(top, b))
        return shared / min((right - left) * (bottom - top), (c - a) * (d - b))


class Pictures:
    """Pictures of a recording in their order, and who is boxed in each.

    Attributes:
        row: Row of `recordings`.
        people: Box of each person by the number of the picture.
        places: Place of each picture in the order, by its number.
    """

    def __init__(
        self, row: Mapping[str, Any], images: pl.DataFrame, boxes: pl.DataFrame, *numbers: int
    ) -> None:
        """Put pictures in order.

        Args:
            row: Row of `recordings`.
            images: Rows of `images` of the take.
            boxes: Rows of `boxes` of the take.
            numbers: Numbers of pictures that other annotations name.
        """
        self.row = row
        of_this = pl.col("recording_id") == row["recording_id"]
        self.people: dict[int, dict[str, Boxed]] = {}
        drawn = boxes.filter(
            of_this & pl.col("person_id").is_not_null() & pl.col("x_min").is_not_null()
        ).sort("box_id")
        for number, person, box_id, *sides in drawn.select(
            "source_frame", "person_id", "box_id", *SIDES
        ).iter_rows():
            place: Sides = (sides[0], sides[1], sides[2], sides[3])
            self.people.setdefault(number, {})[person] = Boxed(box_id, place)
        shown = images.filter(of_this)["source_frame"].to_list() or {*self.people, *numbers}
        self.places = {number: place for place, number in enumerate(sorted(shown))}

    @property
    def uid(self) -> str:
        """Id of the recording."""
        return str(self.row["recording_id"])

    def clip(self, numbers: Sequence[int]) -> Clip:
        """Pictures as they are."""
        return self._clip(numbers, (), None)

    def boxed(self, numbers: Sequence[int], person: str, line: Line) -> Clip:
        """Pictures with a person's box drawn on each."""
        drawn = tuple(
            {
                "kind": "box",
                "label": "",
                "colour": line.colour,
                "width": line.width,
                "t_s": float(self.places[n]),
                **dict(zip(SIDES, self.people[n][person].sides, strict=True)),
            }
            for n in numbers
        )
        return self._clip(numbers, drawn, person)

    def evidence(self, numbers: Iterable[int], person: str) -> tuple[tuple[str, str], ...]:
        """The person's boxes in these pictures, as table and key."""
        return tuple(("boxes", self.people[n][person].box_id) for n in numbers)

    def _clip(self, numbers: Sequence[int], drawn: tuple[Row, ...], marked: str | None) -> Clip:
        times_s = tuple(float(self.places[n]) for n in numbers)
        return Clip(
            self.row,
            times_s[0],
            times_s[-1],
            sampling="given",
            times_s=times_s,
            overlays=drawn,
            marked=marked,
        )


class CommonNumbers:
    """Numbers of the pictures that all recordings shown have.

    Attributes:
        places: Place of each among them, ascending.
    """

    def __init__(self, one: Pictures, other: Pictures) -> None:
        numbers = sorted(one.places.keys() & other.places.keys())
        self.places = {number: place for place, number in enumerate(numbers)}
        self._step = min((b - a for a, b in pairwise(numbers)), default=1)

    def around(self, number: int, n: int = SHOWN) -> tuple[int, ...]:
        """Numbers that follow each other without a gap, around one of them; empty if there are not enough.

        Without a clock nobody knows how long a gap of the numbers lasts.

        Args:
            number: The one that is asked about.
            n: How many are shown.
        """
        wanted = tuple(number + self._step * (i - n // 2) for i in range(n))
        return wanted if all(w in self.places for w in wanted) else ()
