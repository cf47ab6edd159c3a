"""What people in the flat do, in the words and classes of EPIC-KITCHENS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from resources.worlds.flat import Action, Take

VERBS: Final[dict[str, tuple[int, str, tuple[str, ...]]]] = {
    "get": (0, "take", ("take", "pick-up", "get", "take-from")),
    "put": (1, "put", ("put", "put-on", "put-in", "place")),
    "wash": (2, "wash", ("wash", "rinse", "wipe")),
    "wipe": (2, "wash", ("wash", "rinse", "wipe")),
    "open": (3, "open", ("open",)),
    "close": (4, "close", ("close", "shut")),
    "turn on": (6, "turn-on", ("turn-on", "switch-on")),
    "cut": (7, "cut", ("cut", "slice", "chop")),
    "turn off": (8, "turn-off", ("turn-off", "switch-off")),
    "pour": (9, "pour", ("pour", "pour-into")),
}
"""Class, key and instances by what is done; wiping is washing there."""
WRITTEN: Final = {"get": "take", "put": "put-on", "pour": "pour-into", "turn on": "turn-on",
                  "turn off": "turn-off"}  # fmt: skip
NOUNS: Final = (
    "tap", "spoon", "plate", "cupboard", "knife", "pan", "lid", "bowl", "drawer", "sponge", "glass",
    "hand", "fridge", "cup", "fork", "bottle", "onion", "cloth", "board:chopping", "bag", "spatula",
    "table:kitchen", "kettle", "bread", "sink", "stove", "counter", "jar", "box", "book", "lamp",
    "toy", "pot", "shelf", "sofa", "desk", "table:coffee",
)  # fmt: skip
SOUNDS: Final = {"open": (3, "open / close"), "close": (3, "open / close"), "pour": (19, "pour"),
                 "wash": (5, "water"), "cut": (2, "cut / chop"),
                 "put": (10, "metal / wood collision")}  # fmt: skip
"""What is heard of a deed; the rest is silent."""
_RELATED: Final = {"put": "on", "pour": "into", "wash": "in", "get": "from"}


@dataclass(frozen=True, slots=True)
class Told:
    """An action as it is narrated.

    Attributes:
        verb: As written: `put-on`.
        nouns: As written, head first: `table:kitchen`; the first is acted on.
    """

    text: str
    verb: str
    verb_class: int
    nouns: tuple[str, ...]
    noun_classes: tuple[int, ...]


def noun_of(take: Take, instance: str) -> str:
    """A noun as it is written: the head, then what tells it apart."""
    words = take.name_of(instance).split()
    return ":".join([words[-1], *words[:-1]])


def other_of(action: Action) -> str:
    """Thing or furniture that takes part beside the object, "" if none."""
    return action.target or action.source or action.tool


def told(take: Take, action: Action) -> Told:
    """The narration of an action."""
    verb = WRITTEN.get(action.verb, action.verb)
    nouns = [noun_of(take, action.object)]
    text = f"{action.verb} {take.name_of(action.object)}"
    other = other_of(action)
    if other:
        nouns.append(noun_of(take, other))
        joint = "with" if other == action.tool else _RELATED.get(action.verb, "at")
        text += f" {joint} {take.name_of(other)}"
    return Told(
        text.replace("get ", "take ", 1) if action.verb == "get" else text,
        verb,
        VERBS[action.verb][0],
        tuple(nouns),
        tuple(NOUNS.index(noun) for noun in nouns),
    )


def verb_rows() -> list[tuple[int, str, str, str]]:
    """Rows of the verb classes: class, key, instances as a Python list, category."""
    rows = {c: (c, key, repr(list(words)), "kitchen") for c, key, words in VERBS.values()}
    return [rows[c] for c in sorted(rows)]


def noun_rows(extra: tuple[str, ...] = ()) -> list[tuple[int, str, str, str]]:
    """Rows of the noun classes."""
    return [(n, noun, repr([noun]), "kitchen") for n, noun in enumerate((*NOUNS, *extra))]


def clock(t_s: float, digits: int) -> str:
    """`HH:MM:SS.fff`, cut after so many digits."""
    units = int(t_s * 10**digits + 1e-6)
    whole, part = divmod(units, 10**digits)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}.{part:0{digits}d}"
