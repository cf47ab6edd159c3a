"""Homes and things: the colours and shapes that stay the same in every view."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

Colour = tuple[int, int, int]


@dataclass(frozen=True)
class Look:
    """How a thing is drawn: shape, main and accent colour, width and height in metres."""

    shape: str
    colour: Colour
    accent: Colour
    width_m: float
    height_m: float


@dataclass(frozen=True)
class Home:
    """Colours and mirror of a place; `texture` names how its table is drawn."""

    wall: Colour
    wall_accent: Colour
    table: Colour
    table_accent: Colour
    floor: Colour
    texture: str
    mirrored: bool


HOMES: Final[dict[str, Home]] = {
    "a": Home((238, 222, 190), (196, 120, 84), (176, 126, 82), (148, 100, 62), (120, 92, 74), "planks", False),
    "b": Home((150, 176, 196), (74, 104, 136), (226, 224, 220), (206, 188, 172), (96, 132, 84), "marble", True),
    "c": Home((176, 196, 156), (238, 238, 226), (98, 74, 64), (78, 56, 48), (168, 160, 140), "tiles", False),
    "lab": Home((232, 236, 240), (120, 160, 190), (202, 212, 216), (120, 190, 200), (178, 182, 188), "mat", False),
}  # fmt: skip

LOOKS: Final[dict[str, Look]] = {
    "beaker": Look("cup", (150, 214, 236), (90, 150, 180), 0.10, 0.12),
    "bottle": Look("bottle", (150, 84, 30), (240, 240, 230), 0.08, 0.15),
    "bowl": Look("disc", (24, 142, 134), (12, 92, 88), 0.17, 0.13),
    "bread": Look("loaf", (206, 138, 60), (240, 196, 120), 0.17, 0.10),
    "carrot": Look("stick", (248, 134, 104), (50, 150, 40), 0.17, 0.05),
    "centrifuge": Look("machine", (112, 122, 158), (60, 66, 90), 0.22, 0.18),
    "cheese": Look("wedge", (250, 206, 40), (214, 164, 20), 0.13, 0.10),
    "cloth": Look("cloth", (60, 190, 214), (240, 250, 250), 0.15, 0.12),
    "cucumber": Look("stick", (30, 118, 44), (130, 190, 90), 0.19, 0.055),
    "cup": Look("cup", (204, 44, 140), (140, 20, 90), 0.10, 0.11),
    "cutting_board": Look("board", (222, 184, 124), (180, 138, 84), 0.30, 0.20),
    "dish": Look("disc", (244, 170, 178), (190, 110, 124), 0.12, 0.09),
    "egg": Look("oval", (184, 240, 190), (120, 186, 140), 0.08, 0.09),
    "faucet": Look("faucet", (140, 146, 154), (84, 90, 98), 0.08, 0.14),
    "glove": Look("glove", (98, 120, 240), (60, 76, 180), 0.11, 0.12),
    "knife": Look("knife", (206, 214, 224), (40, 40, 46), 0.05, 0.21),
    "lemon": Look("oval", (244, 240, 50), (200, 190, 20), 0.10, 0.08),
    "lettuce": Look("leafy", (126, 214, 70), (76, 160, 40), 0.16, 0.13),
    "lid": Look("lid", (66, 96, 160), (30, 44, 84), 0.17, 0.12),
    "marker": Look("pen", (200, 20, 60), (30, 20, 24), 0.035, 0.15),
    "meat": Look("blob", (178, 46, 66), (240, 200, 196), 0.14, 0.10),
    "milk": Look("carton", (244, 246, 252), (24, 10, 240), 0.09, 0.15),
    "oil": Look("bottle", (222, 178, 16), (150, 120, 10), 0.08, 0.16),
    "onion": Look("ball", (152, 62, 164), (206, 150, 214), 0.10, 0.10),
    "pan": Look("pan", (104, 176, 128), (26, 26, 30), 0.20, 0.16),
    "peeler": Look("peeler", (146, 220, 20), (200, 206, 214), 0.05, 0.15),
    "pepper": Look("bell", (226, 32, 24), (40, 130, 40), 0.11, 0.11),
    "ground pepper": Look("shaker", (68, 92, 8), (196, 196, 200), 0.07, 0.12),
    "pipette": Look("pen", (98, 40, 180), (220, 214, 240), 0.045, 0.20),
    "plate": Look("disc", (240, 240, 246), (150, 170, 214), 0.20, 0.14),
    "pot": Look("pot", (98, 104, 116), (56, 60, 70), 0.20, 0.17),
    "potato": Look("oval", (214, 238, 132), (120, 152, 14), 0.11, 0.09),
    "powder": Look("shaker", (252, 252, 252), (200, 20, 210), 0.08, 0.11),
    "rack": Look("rack", (24, 10, 240), (16, 50, 120), 0.22, 0.11),
    "salt": Look("shaker", (214, 232, 252), (40, 80, 150), 0.07, 0.12),
    "sauce": Look("bottle", (74, 30, 22), (200, 40, 40), 0.07, 0.16),
    "scale": Look("machine", (54, 60, 66), (130, 240, 160), 0.20, 0.14),
    "sink": Look("sink", (188, 198, 206), (140, 150, 160), 0.30, 0.22),
    "spatula": Look("spatula", (240, 90, 120), (60, 50, 50), 0.06, 0.21),
    "spoon": Look("spoon", (84, 10, 100), (124, 158, 20), 0.055, 0.19),
    "stove": Look("stove", (36, 36, 42), (90, 90, 100), 0.30, 0.26),
    "sugar": Look("carton", (250, 180, 210), (220, 80, 140), 0.08, 0.12),
    "table": Look("spot", (0, 0, 0), (0, 0, 0), 0.1, 0.1),
    "tablet": Look("tablet", (90, 200, 250), (24, 26, 34), 0.14, 0.18),
    "tip": Look("rack", (250, 220, 90), (190, 150, 30), 0.13, 0.08),
    "tofu": Look("block", (250, 244, 222), (216, 204, 170), 0.13, 0.09),
    "tomato": Look("ball", (222, 36, 30), (40, 140, 50), 0.10, 0.10),
    "tube": Look("pen", (20, 206, 196), (240, 60, 50), 0.04, 0.13),
    "water": Look("bottle", (70, 150, 246), (220, 236, 252), 0.09, 0.16),
    "whisk": Look("whisk", (184, 150, 232), (100, 70, 150), 0.07, 0.20),
    "sponge": Look("block", (250, 210, 60), (60, 150, 80), 0.12, 0.07),
}  # fmt: skip
