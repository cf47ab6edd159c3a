"""Tells which hand acts on which object in the last picture of a clip, from its pixels alone."""

from __future__ import annotations

from collections.abc import Sequence

from tests.truth.solvers.active_object import NOWHERE, SIDES, Frame, look, touches


def solve(options: Sequence[str], frames: Sequence[Frame]) -> int | None:
    """Index of the option that the last frame shows; None where it shows none.

    Args:
        options: Both hands with each of two objects, in words.
        frames: Frames of the clip in time order.
    """
    said = [text.removeprefix("the ").split(" hand on the ") for text in options]
    things, shown = [thing for _, thing in said], look(frames[-1])
    by_side = {side: touches(things, shown, [side]) for side in SIDES}
    ranks = [by_side[side][i] for i, (side, _) in enumerate(said)]
    best = min(range(len(options)), key=lambda i: ranks[i])
    return best if ranks[best][0] < NOWHERE else None
