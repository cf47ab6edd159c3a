"""Answers what comes next in an operation, and when an action begins, from pixels alone, as one who knows operations.

Given is what a model is given: the text, the options' texts, and frames. Known of the simulated table is how the
rim of a picture looks in each phase; known of operations is in which order phases come, and how each begins.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from tests.truth.solvers.surgery_tools import shown

RIMS = {
    "Preparation": (200, 60, 60),
    "Calot triangle dissection": (110, 40, 20),
    "Clipping and cutting": (220, 140, 110),
    "Gallbladder dissection": (150, 110, 60),
    "Gallbladder packaging": (190, 150, 180),
    "Cleaning and coagulation": (120, 70, 100),
    "Gallbladder extraction": (215, 185, 150),
}
ORDER = [*RIMS]
# Tools at work in each phase with what they do, as one learns it: what begins a phase is new in it.
WORK = {
    "Calot triangle dissection": ("hook dissect cystic",),
    "Clipping and cutting": ("clipper clip", "scissors cut", "irrigator retract"),
    "Gallbladder dissection": ("hook dissect gallbladder", "bipolar coagulate", "grasper retract"),
    "Gallbladder packaging": ("grasper pack", "grasper grasp specimen"),
    "Cleaning and coagulation": (
        "irrigator aspirate",
        "bipolar coagulate",
        "grasper retract liver",
    ),
    "Gallbladder extraction": ("grasper grasp specimen",),
}
# What a hand does with a tool that it uses for several things, by the phases in which it does: as one learns it.
DOES = {
    "main surgeon left": {
        "grasper": {
            "retract the gallbladder": ORDER[:4],
            "pack the gallbladder": ORDER[4:5],
            "retract the liver": ORDER[5:6],
            "grasp the specimen bag": ORDER[6:],
        }
    },
    "main surgeon right": {
        "bipolar": {"dissect the omentum": ORDER[:1], "coagulate the liver": ORDER[3:6]},
        "hook": {
            "dissect the cystic duct": ORDER[1:2],
            "dissect the cystic artery": ORDER[1:2],
            "dissect the gallbladder": ORDER[3:4],
        },
    },
    "assistant surgeon right": {
        "grasper": {"retract the liver": ORDER[:4], "grasp the specimen bag": ORDER[4:]}
    },
}
# How the stripe behind the head looks, which tells two such actions in one phase apart.
VESSELS = {"dissect the cystic duct": (140, 140, 20), "dissect the cystic artery": (205, 20, 40)}
_LEAST_PX = 8
_START = re.compile(r"does the (.*)'s (\w+) hand begin to use the (\w+) to (.*)\?")
_PALETTE = np.array([*RIMS.values()], dtype=np.int32)
_FAR = 40.0
"""A pixel farther from every rim than this belongs to a tool that hides it."""


def phase_shown(image: np.ndarray) -> str | None:
    """Phase whose colour most of a picture's outermost pixels have; None where they have that of none."""
    edge = np.concatenate([image[0], image[-1], image[:, 0], image[:, -1]]).astype(np.int32)
    distance = np.sqrt(((edge[:, None, :] - _PALETTE) ** 2).sum(axis=-1))
    near = distance.argmin(axis=1)[distance.min(axis=1) <= _FAR]
    return ORDER[Counter(near.tolist()).most_common(1)[0][0]] if near.size else None


def phase_after(pictures: Iterable[str | None]) -> str | None:
    """Phase that comes after the last one that pictures show; None if that is the last of all."""
    seen = [phase for phase in pictures if phase is not None]
    at = ORDER.index(seen[-1]) + 1 if seen else len(ORDER)
    return ORDER[at] if at < len(ORDER) else None


def solve_phase(options: Sequence[str], pictures: Iterable[str | None]) -> int | None:
    """Index of the phase that comes next; None where no option is.

    Args:
        options: Texts of the options.
        pictures: Phase that each picture sent shows.
    """
    following = phase_after(pictures)
    return options.index(following) if following in options else None


def solve_action(options: Sequence[str], pictures: Iterable[str | None]) -> int | None:
    """Index of the action that begins the phase that comes next; None where none does, or several may.

    Args:
        options: Texts of the options.
        pictures: Phase that each picture sent shows.
    """
    following = phase_after(pictures)
    bare = [
        option.replace("use the ", "").replace("to ", "").replace("the ", "") for option in options
    ]
    fits = [i for i, text in enumerate(bare) if text.startswith(WORK.get(following or "", ()))]
    return fits[0] if len(fits) == 1 else None


def solve_start(
    text: str, options: Sequence[str], frames: Iterable[tuple[float, np.ndarray]]
) -> int | None:
    """Index of the time of the first picture in which a hand has a tool and does with it what is asked.

    Args:
        text: The question.
        options: Texts of the options: seconds of the clip.
        frames: Pictures sent, with their times.
    """
    match = _START.search(text)
    if match is None:
        return None
    holder, side, tool, does = match.groups()
    hand = f"{holder} {side}"
    phases = DOES[hand].get(tool, {}).get(does, ORDER)
    times = [float(option.removesuffix(" s")) for option in options]
    for t_s, image in frames:
        is_there = phase_shown(image) in phases and (tool, f"{hand} hand") in shown(image)
        if is_there and (does not in VESSELS or _coloured(image, VESSELS[does]) >= _LEAST_PX):
            return times.index(t_s) if t_s in times else None
    return None


def _coloured(image: np.ndarray, colour: tuple[int, int, int]) -> int:
    """Pixels of a colour."""
    return int((((image.astype(np.int32) - colour) ** 2).sum(axis=-1) < _FAR**2).sum())
