"""In which direction a thing lies from the wearer's camera, and options that are directions."""

from __future__ import annotations

import math
from dataclasses import dataclass

from expectations.derivations import places
from expectations.derivations.facts import SAME_BEARING_DEG, SAME_DISTANCE_M
from expectations.derivations.geometry import axis_from_vertical_deg, bearing_deg, sector_and_margin
from expectations.derivations.places import camera_at, centre_at
from expectations.derivations.things import namesakes
from expectations.derivations.wording import options_said
from expectations.gates.base import CannotTell, Derived, Margin, Question
from expectations.gates.statements import Choice, Meaning, Number, Slot
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import SECTORS, sector_of

# A camera that looks straight down has no forward on the ground.
_VERTICAL_DEG = 20.0
# Explanations tell degrees whole and metres with one decimal.
_ROUNDED_DEG = 0.5 + SAME_BEARING_DEG
_ROUNDED_M = 0.05 + SAME_DISTANCE_M
SIDES = ("to the left of", "to the right of")


@dataclass(frozen=True, slots=True)
class Direction:
    """Where a thing lies from the wearer's camera at an instant.

    Attributes:
        recording: Recording of the camera.
        thing: The thing.
        at_s: The instant, in seconds.
        bearing_deg: Bearing on the ground plane: 0 ahead, right positive.
        distance_m: Distance to the thing's centre.
        off_deg: How far off the bearing may be; 0 where things are annotated.
        off_m: How far off the distance may be.
    """

    recording: str
    thing: str
    at_s: float
    bearing_deg: float
    distance_m: float
    off_deg: float = 0.0
    off_m: float = 0.0

    @property
    def sector(self) -> int:
        """Sector of 45 degrees on the ring: 0 front, clockwise."""
        return sector_and_margin(self.bearing_deg)[0]

    def slots(self) -> dict[str, Slot]:
        """What may stand where a text tells `bearing`, `side`, `distance` and `direction`."""
        bearing = self.bearing_deg
        sides = [side for side, sign in zip(SIDES, (-1, 1), strict=True) if sign * bearing >= 0]
        if min(abs(bearing), 180.0 - abs(bearing)) <= SAME_BEARING_DEG:
            sides = list(SIDES)
        return {
            "bearing": Number(abs(bearing), _ROUNDED_DEG),
            "side": Choice(tuple(sides), SIDES),
            "distance": Number(self.distance_m, _ROUNDED_M),
            "direction": Meaning(self.sector, sector_of, SECTORS[self.sector]),
        }


def direction_to(
    thing: str, recording: str, at_s: float, least_deg: float, given: EvidenceTables, notes: Derived
) -> Direction:
    """Return where a thing lies at an instant, and note its margins.

    Args:
        thing: The thing.
        recording: Recording of the wearer's camera.
        at_s: The instant, in seconds.
        least_deg: Least distance of the bearing to a sector's border; how far off the bearing may be is
            added, unless it is 0.
        given: The tables.
        notes: Filled in.

    Raises:
        CannotTell: The pose of the camera or the thing is not known then.
    """
    camera = camera_at(recording, at_s, given)
    vertical = axis_from_vertical_deg(camera)
    if vertical < _VERTICAL_DEG:
        words = "camera axis to the vertical"
        notes.margins.append(Margin("axis_vertical", vertical, _VERTICAL_DEG, "deg", words))
    centre = centre_at(recording, thing, at_s, given)
    bearing = bearing_deg(camera, centre)
    off = places.off_m(recording, thing, at_s, given)
    turn_off = places.off_deg(off, centre - camera.shift)
    words = f"bearing {bearing:.1f} to its border"
    margin = sector_and_margin(bearing)[1]
    least = least_deg + turn_off if least_deg > 0 else least_deg
    notes.margins.append(Margin("sector_border", margin, least, "deg", words))
    away = math.dist(camera.shift, centre)
    return Direction(recording, thing, at_s, bearing, away, turn_off, off)


def judge_directions(
    question: Question, direction: Direction, given: EvidenceTables, notes: Derived
) -> None:
    """Note whether each option is the direction of a thing, or of another that the text names as well.

    Args:
        question: The question; its options are directions in words.
        direction: Where the thing lies.
        given: The tables.
        notes: Filled in.
    """
    twins = {
        sector_and_margin(bearing)[0]: name
        for bearing, _, name in namesake_directions(question, direction, given)
    }
    measured = f"the bearing is {direction.bearing_deg:.1f} deg, {SECTORS[direction.sector]}"
    said = dict(options_said(question, notes, sector_of, "direction"))
    for letter, sector in said.items():
        if sector == direction.sector:
            notes.option(letter, True, measured)
        elif letter != question.answer and sector in twins:
            notes.option(letter, True, f"there is {twins[sector]}, of the same name")
        else:
            notes.option(letter, False, measured)
    check_neighbours(list(said.values()), direction.sector, notes)


def check_neighbours(offered: list[int], right: int, notes: Derived) -> None:
    """Refuse options of which more than one lies beside the right one.

    Args:
        offered: Sectors of the options.
        right: Right sector.
        notes: Filled in.
    """
    neighbours = sum((sector - right) % 8 in (1, 7) for sector in offered)
    if neighbours > 1:
        notes.refuse(
            "margin",
            "neighbours",
            f"{neighbours} options lie beside the right one, one may",
            neighbours,
            1,
        )


def namesake_directions(
    question: Question, direction: Direction, given: EvidenceTables
) -> list[tuple[float, float, str]]:
    """Return bearing, distance and name of other things that the question's words name as well.

    Args:
        question: The question.
        direction: Where the thing it asks for lies.
        given: The tables.
    """
    recording, at_s = direction.recording, direction.at_s
    camera = camera_at(recording, at_s, given)
    found = []
    for other, name in namesakes(question.text, direction.thing, given, recording):
        try:
            centre = centre_at(recording, other, at_s, given)
        except CannotTell:
            continue
        away = math.dist(camera.shift, centre)
        found.append((bearing_deg(camera, centre), away, f"{name} ({other})"))
    return found
