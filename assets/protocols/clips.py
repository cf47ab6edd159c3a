"""A medium of a question under a protocol: the frames that are sent of it, and the marks on each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from expectations.schemas.sampling import (
    Chosen,
    NoFrameError,
    Rates,
    ShownFrames,
    instants_of,
    is_in_order,
    rule_of,
)
from resources.media.crops import place_crops
from resources.media.overlays import Overlay
from resources.models.prompt import Clip
from resources.models.protocol import Protocol

# A mark belongs to the frame sent for its instant: ticks of 25 fps lie 0.04 s apart.
_OVERLAY_REACH_S = 0.05


def build_clip(
    medium: Mapping[str, Any],
    protocol: Protocol,
    frames: pl.DataFrame | ShownFrames,
    rates: Rates | None = None,
    view: str | None = None,
) -> Clip:
    """A medium under a protocol: the frames that are sent, and the marks on each.

    A medium's own `sampling` overrides the protocol's. A mark without an instant is on every frame;
    one with an instant is on the frame sent for that instant.

    Args:
        medium: Struct of `questions.media`.
        protocol: Protocol that sends media.
        frames: Frames or ticks of its recording.
        rates: Rates of that recording; None reads them from the frames.
        view: `ego` or `exo`; needed where the protocol crops.

    Raises:
        NoFrameError: No frame is there, or the medium says something that cannot be sent.
    """
    if protocol.sampling is None:
        raise ValueError(f"protocol {protocol.name} sends no media")
    if protocol.crop != "full" and view is None:
        raise KeyError(f"the view of recording {medium['recording_id']} was not given")
    shown = ShownFrames.of(frames)
    try:
        rule = rule_of(medium, protocol.sampling)
        chosen = shown.choose_of_medium(medium, protocol.sampling)
        marks = tuple(Overlay.of(row) for row in medium.get("overlays") or ())
        placed = _place(marks, chosen)
        crops = (
            ()
            if view is None or protocol.crop == "full"
            else place_crops(
                protocol.crop,
                view,
                shown.frames,
                chosen.frame(),
                medium["start_s"],
                medium["end_s"],
            )
        )
        if marks and crops:
            raise NoFrameError(
                f"medium {medium['role']} has marks, which a crop may cut away: ask it under a"
                f" protocol of whole frames, not under {protocol.label}"
            )
    except NoFrameError:
        raise
    except ValueError as cause:
        raise NoFrameError(f"medium {medium['role']} cannot be sent: {cause}") from cause
    length_s = medium["end_s"] - medium["start_s"]
    rates = shown.rates if rates is None else rates
    return Clip(
        role=medium["role"],
        recording_id=medium["recording_id"],
        content=medium["content"],
        start_s=medium["start_s"],
        end_s=medium["end_s"],
        frames=tuple(zip(chosen.part, chosen.source_pts, chosen.t_s, strict=True)),
        sampling=str(rule),
        times_s=tuple(sorted(instants_of(medium))) if rule.kind == "given" else (),
        overlays=placed,
        # Pictures in an order have no rate that could be stated.
        sampling_fps=None
        if is_in_order(shown.frames)
        else _rate(rule.every_s, len(chosen.t_s), length_s, rates.presampled_fps),
        original_fps=rates.original_fps,
        presampled_fps=rates.presampled_fps,
        crops=crops,
    )


def _rate(
    every_s: float | None, n: int, length_s: float, presampled_fps: float | None
) -> float | None:
    if every_s is not None:
        rate = 1 / every_s
        return round(rate if presampled_fps is None else min(rate, presampled_fps), 3)
    return None if n < 2 or length_s <= 0 else round(n / length_s, 3)


def _place(marks: tuple[Overlay, ...], chosen: Chosen) -> tuple[tuple[Overlay, ...], ...]:
    """Marks per chosen frame; empty where there are none.

    Raises:
        NoFrameError: No frame is sent for a mark's instant: the question would speak of a box that
            nobody sees.
    """
    if not marks:
        return ()
    placed: list[list[Overlay]] = [[] for _ in chosen.t_s]
    times = [*zip(chosen.wanted_s, chosen.t_s, strict=True)]
    for mark in marks:
        if mark.t_s is None:
            on = list(range(len(placed)))
        else:
            off = [min(abs(mark.t_s - wanted), abs(mark.t_s - t)) for wanted, t in times]
            on = [i for i, d in enumerate(off) if d <= _OVERLAY_REACH_S and d == min(off)]
        if not on:
            raise NoFrameError(
                f"no frame is sent for the mark at {mark.t_s} s (frames at"
                f" {[round(t, 3) for _, t in times]}): give the medium its own instants"
            )
        for i in on:
            placed[i].append(mark)
    return tuple(tuple(each) for each in placed)
