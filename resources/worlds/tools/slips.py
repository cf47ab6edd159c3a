"""Problems of annotation and recording, drawn into sample worlds: what a gate must refuse.

Real datasets hold such slips, and builders cannot know them: they propose the question all the same.
A plan states each slip with the gate that refuses what comes of it, so that a sample shows refusals
with their reasons and tests hold every refusal against the plan.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Slip:
    """One slip, and what follows from it.

    Attributes:
        name: What it is, in a word or two.
        recording_id: Recording it happened to.
        what: What happened, in a sentence.
        gates: Gates that refuse a question which rests on it; each of them names the slip.
        things: Names that questions about it hold, as builders write them.
        segments: Ids of the segments annotated wrongly.
        span_s: Seconds of the recording that it concerns; None for no stretch of time.
    """

    name: str
    recording_id: str
    what: str
    gates: tuple[str, ...]
    things: tuple[str, ...] = ()
    segments: tuple[str, ...] = ()
    span_s: tuple[float, float] | None = None
