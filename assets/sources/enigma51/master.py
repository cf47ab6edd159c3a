"""The master file of ENIGMA-51, of which only the name and the kinds of content are known.

**Assumed form**, one member per annotated frame:

    "79_6166": {
      "timestamp": 205.533,
      "interactions": [{"category": "take", "hand_side": "right", "object_id": 3}],
      "objects": [{"id": 3, "class_id": 7, "class_name": "screwdriver",
                   "bbox": [x, y, width, height], "state": "active"}],
      "hands": [{"hand_side": "right", "bbox": [x, y, width, height]}]
    }

Pixels are those of 2272x1278. `object_id` names an object of the same frame; it, `hand_side` of an
interaction and the timestamp may be absent. Every member is taken to list all objects and both hands
of its frame, which is assumed too: absence and counts rest on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assets.sources.enigma51.files import Shot, category, check_time, side
from assets.sources.reading.json import sound
from assets.sources.reading.values import Malformed, number, text_or_none, whole_number


@dataclass(frozen=True, slots=True)
class Thing:
    """An object of a frame.

    Attributes:
        uid: Its id in the frame.
        class_id: Class, as the file counts.
        name: Name of the class.
        box: Left, top, width, height in pixels.
        active: Whether a hand uses it; None if not said.
    """

    uid: str
    class_id: int
    name: str
    box: tuple[float, ...]
    active: bool | None


@dataclass(frozen=True, slots=True)
class Act:
    """An interaction of a frame: kind, hand and id of the object where they are stated."""

    category: str
    side: str | None
    object_uid: str | None


def items(shot: Shot, item: object, name: str) -> list[object]:
    """A list of a frame's member, each item still to be read.

    Raises:
        Malformed: The member is not an object, holds no such list, or its time is another frame's.
    """
    held = _fields(item)
    if held.get("timestamp") is not None:
        # Cut to a whole number of milliseconds: the stamp stands for one.
        check_time(shot, round(number(held["timestamp"]) * 1000))
    found = held.get(name, [])
    if not isinstance(found, list):
        raise Malformed(f"{name} is not a list", str(found)[:80])
    return found


def thing_of(item: object) -> Thing:
    """An object.

    Raises:
        Malformed: It cannot be read.
    """
    held = _fields(sound(item))
    name = text_or_none(held.get("class_name"), "class_name")
    if name is None:
        raise Malformed("the object has no class_name", held.get("id"))
    state = held.get("state")
    if state not in (None, "active", "passive"):
        raise Malformed("an object is active or passive", state)
    return Thing(
        str(whole_number(held.get("id"))),
        whole_number(held.get("class_id")),
        name,
        box_of(held.get("bbox")),
        None if state is None else state == "active",
    )


def hand_of(item: object) -> tuple[str, tuple[float, ...]]:
    """Side and box of a hand.

    Raises:
        Malformed: It cannot be read.
    """
    held = _fields(sound(item))
    return side(held.get("hand_side")), box_of(held.get("bbox"))


def act_of(item: object) -> Act:
    """An interaction.

    Raises:
        Malformed: It cannot be read.
    """
    held = _fields(sound(item))
    hand, uid = held.get("hand_side"), held.get("object_id")
    return Act(
        category(held.get("category")),
        None if hand is None else side(hand),
        None if uid is None else str(whole_number(uid)),
    )


def box_of(given: object) -> tuple[float, ...]:
    """Four numbers.

    Raises:
        Malformed: Anything else.
    """
    if not isinstance(given, list) or len(given) != 4:
        raise Malformed("a box is not a list of four numbers", str(given)[:80])
    return tuple(number(value) for value in given)


def _fields(item: object) -> Mapping[str, Any]:
    if not isinstance(item, dict):
        sound(item)
        raise Malformed("the item is not an object", str(item)[:80])
    return item
