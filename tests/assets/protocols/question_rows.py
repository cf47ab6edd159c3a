"""Rows of `questions`, and the frames of their recordings, in the shapes that protocols are asked about."""

from __future__ import annotations

from typing import Any

import polars as pl

VIEWS = {"ego1": "ego", "ego2": "ego", "ego3": "ego", "exo1": "exo", "exo2": "exo", "exo3": "exo"}
PLACES = {"s": {uid: (f"take{uid[-1]}", view) for uid, view in VIEWS.items()}}


def frames(n: int = 100, step_s: float = 0.1) -> dict[str, pl.DataFrame]:
    """Frames of every recording, with stamps that tell them apart."""
    return {
        uid: pl.DataFrame(
            {
                "t_s": [i * step_s for i in range(n)],
                "part": 0,
                "source_frame": range(n),
                "source_pts": [1000 * place + i for i in range(n)],
            }
        )
        for place, uid in enumerate(VIEWS)
    }


def medium(role: str, recording_id: str, **changes: Any) -> dict[str, Any]:
    """Four seconds of a recording."""
    return {
        "role": role,
        "recording_id": recording_id,
        "segment_id": None,
        "media_kind": "clip",
        "start_s": 0.0,
        "end_s": 4.0,
        "sampling": None,
        "times_s": [],
        "overlays": [],
        "content": "c",
    } | changes


def box(label: str = "1", t_s: float | None = None) -> dict[str, Any]:
    """A mark on a frame."""
    corners = {"x_min": 0.1, "y_min": 0.2, "x_max": 0.3, "y_max": 0.4}
    return {"kind": "box", "label": label, "colour": "red", "width": 0.02, "t_s": t_s} | corners


def question(
    media: list[dict[str, Any]], texts: tuple[str, ...] = ("the pot", "the pan"), **changes: Any
) -> dict[str, Any]:
    """A question; options are clips where a medium shows them, and then have a narration."""
    shown = {m["role"] for m in media}
    return {
        "benchmark": "b",
        "source": "s",
        "subtask": "task",
        "question_id": "q1",
        "question_hash": "h1",
        "recording_id": media[0]["recording_id"] if media else "",
        "text": "What is picked up next?",
        "options": [
            {
                "letter": letter,
                "text": text,
                "segment_id": f"seg{letter}" if f"option_{letter}" in shown else None,
            }
            for letter, text in zip("ABCDEFGHIJ", texts, strict=False)
        ],
        "media": media,
        "answer": "A",
        "answer_text": None,
        "media_present": True,
    } | changes
