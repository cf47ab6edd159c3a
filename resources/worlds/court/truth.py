"""What is true on the court: frozen types, never written to disk as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from resources.worlds.flat.palette import Colour
from resources.worlds.flat.truth import Render, Side

LEVELS: Final = ("Novice", "Early Expert", "Intermediate Expert", "Late Expert")
"""The release's names of proficiency, the lowest first."""


@dataclass(frozen=True)
class CourtSpec:
    """What to simulate and how richly to draw it.

    Attributes:
        seed: Name of the world; another seed is another set of takes on the same court.
        render: `full` readable pictures, `small` tiny ones at 3 distinct pictures a second, `none`
            annotations only.
        picture_hz: Distinct pictures a second where they are readable; a video's frames repeat them.
    """

    seed: str = "parallax"
    render: Render = "full"
    picture_hz: int = 5

    def __post_init__(self) -> None:
        if self.render not in ("full", "small", "none"):
            raise ValueError(f"render={self.render!r}: use 'full', 'small' or 'none'")
        if not 1 <= self.picture_hz <= 30:
            raise ValueError(f"picture_hz={self.picture_hz}: need 1 <= picture_hz <= 30")


@dataclass(frozen=True)
class Player:
    """Somebody on the court; the left and the right limbs differ in colour.

    Attributes:
        number: The release's participant number; 0 for a partner, who is not a participant.
        shirt: Colour of the shirt.
        sleeves: Colours of the arms.
        shoes: Colours of the shoes.
    """

    number: int
    shirt: Colour
    sleeves: dict[Side, Colour]
    shoes: dict[Side, Colour]


@dataclass(frozen=True)
class Deed:
    """Something done, as an annotator would tell it.

    Attributes:
        actor: `C` for the wearer, `O` for the partner.
        text: Sentence without its subject.
        part: Body part that does it: `left foot`, `right hand`, `both hands`, `legs`.
        start_s: The limb or the body sets out.
        contact_s: The limb touches or lets go of the thing; of a movement its middle.
        end_s: It is over.
        thing: Instance that is touched, "" if none.
        direction: Where the body moves meanwhile, seen by itself: `left`, `right`, `forward`, `up`;
            "" if it stays.
    """

    actor: str
    text: str
    part: str
    start_s: float
    contact_s: float
    end_s: float
    thing: str = ""
    direction: str = ""


@dataclass(frozen=True)
class Step:
    """A keystep of setting up a course."""

    thing: str
    start_s: float
    end_s: float


@dataclass(frozen=True)
class Prop:
    """A thing to be set up.

    Attributes:
        instance: How it is called.
        size_m: Extent in x, y, z.
        colour: Its colour, which nothing else has.
        essential: Whether the course needs it.
        spot: Where it belongs, x and y.
    """

    instance: str
    size_m: tuple[float, float, float]
    colour: Colour
    essential: bool
    spot: tuple[float, float]
