"""Outlines of what is seen in single pictures, and what each hand touches, as VISOR has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from resources.worlds.flat import Action, Take
from resources.worlds.flat.camera import Floats
from resources.worlds.flat.kitchen_words import NOUNS, noun_of
from resources.worlds.tools.chance import digest

SPARSE_PX: Final = (1920, 1080)
DENSE_PX: Final = (854, 480)
LEAST_PX: Final = 30
"""Fewer pixels are not outlined, in a picture of 256 px; in others in proportion."""
SIDES: Final = ("left", "right")
_ROWS: Final = 8
_DENSE_STEP_S: Final = 0.5


def uid(take: Take, frame: int, name: str) -> str:
    """Id of an annotation: 32 hexadecimal digits."""
    return (digest("visor", take.spec.seed, take.take_id, frame, name) * 2).hex()[:32]


def outline(mask: Floats, size: tuple[int, int]) -> list[list[float]]:
    """A polygon around a mask's rows, in pixels of a picture so large; extremes are exact.

    Args:
        mask: (H, W) bool.
        size: width and height the points are given in.
    """
    rows = np.flatnonzero(mask.any(1))
    lefts = mask[rows].argmax(1)
    rights = mask.shape[1] - mask[rows][:, ::-1].argmax(1)
    chosen = {0, len(rows) - 1, int(lefts.argmin()), int(rights.argmax())}
    chosen |= {int(n) for n in np.linspace(0, len(rows) - 1, _ROWS)}
    at = sorted(chosen)
    x_scale, y_scale = size[0] / mask.shape[1], size[1] / mask.shape[0]
    tops = [(lefts[n], rows[n]) for n in at], [(rights[n], rows[n]) for n in at]
    left = [(x, y) for x, y in tops[0]] + [(lefts[at[-1]], rows[-1] + 1)]
    right = [(rights[at[-1]], rows[-1] + 1)] + [(x, y) for x, y in reversed(tops[1])]
    return [[round(float(x) * x_scale, 2), round(float(y) * y_scale, 2)] for x, y in left + right]


def seen(take: Take, t_s: float) -> dict[str, Floats]:
    """Masks of hands (`left hand`) and things by instance in the picture the video shows then."""
    picture = take.picture("ego", take.picture_time(t_s))
    least = LEAST_PX * (picture.owners.shape[0] / 256) ** 2
    found: dict[str, Floats] = {}
    names = {f"{side} hand": f"P1/{side}" for side in SIDES}
    names |= {instance: instance for instance in take.instances}
    for name, instance in names.items():
        mask = picture.owners == take.owner(instance)
        if mask.sum() >= least:
            found[name] = mask
    return found


def touched(take: Take, side: str, t_s: float, action: Action) -> str:
    """Instance a hand holds or touches at an action's contact, "" if none."""
    for instance in (thing.instance for thing in take.things):
        who, sides = take.holder_of(instance, t_s)
        if who == "P1" and side in sides:
            return instance
    return action.object if action.hand in (side, "both") else ""


def picture_of(
    take: Take, video: str, frame: int, t_s: float, action: Action, number: int
) -> dict[str, Any]:
    """One picture of the sparse annotations: things of the action, both hands, what they touch."""
    masks = seen(take, t_s)
    wanted = {action.object, action.target, action.source, action.tool}
    wanted |= {touched(take, side, t_s, action) for side in SIDES}
    names = [n for n in masks if n in wanted or n.endswith(" hand")]
    annotations: list[dict[str, Any]] = []
    for name in names:
        hand = name.endswith(" hand")
        word = name if hand else take.name_of(name)
        one: dict[str, Any] = {
            "id": uid(take, frame, name),
            "name": word,
            "class_id": (300 + SIDES.index(name.split()[0])) if hand
            else NOUNS.index(noun_of(take, name)),
            # Of twins only one is outlined.
            "exhaustive": "y" if hand or take.is_unique(name) else "n",
            "segments": [outline(masks[name], SPARSE_PX)],
        }  # fmt: skip
        if hand:
            thing = touched(take, name.split()[0], t_s, action)
            if not thing:
                one["in_contact_object"] = "hand-not-in-contact"
            elif thing in masks:
                one["in_contact_object"] = uid(take, frame, thing)
            else:
                one["in_contact_object"] = "inconclusive"
        annotations.append(one)
    name = f"{video}_frame_{frame:010d}.jpg"
    image = {"image_path": f"{video}/{name}", "name": name, "video": video,
             "subsequence": f"{video}_seq_{number:05d}"}  # fmt: skip
    return {"image": image, "annotations": annotations}


def dense_of(take: Take, video: str, base: int, action: Action) -> Iterator[dict[str, Any]]:
    """Pictures between two of an action, with the outline of its object interpolated."""
    for t_s in np.arange(action.contact_s, action.end_s, _DENSE_STEP_S).tolist():
        frame = int(t_s * base) + 1
        mask = seen(take, (frame - 1) / base).get(action.object)
        if mask is not None:
            name = f"{video}_frame_{frame:010d}.jpg"
            yield {
                "image": {
                    "image_path": f"{video}/{name}", "name": name, "video": video,
                    "subsequence": f"{video}_seq_00001", "interpolation": "1",
                },
                "annotations": [
                    {
                        "name": take.name_of(action.object),
                        "class_id": NOUNS.index(noun_of(take, action.object)),
                        "segments": [outline(mask, DENSE_PX)],
                        "type": 0,
                    }
                ],
            }  # fmt: skip
