"""Plausible rows for the suites, and ways to spoil them."""

from __future__ import annotations

from typing import Any

import polars as pl

from expectations.schemas import TABLES


def frames_world(**change: Any) -> dict[str, pl.DataFrame]:
    """Four recordings of 100 ticks at 25 fps with 120 Hz gaze; `change` replaces frame columns."""
    frames = TABLES["frames"].frame(
        {
            "source": "s",
            "recording_id": f"r{r}",
            "grid": "cfr25",
            "tick": i,
            "t_s": i / 25,
            "part": 0,
            "source_frame": i,
            "source_pts": i,
            "residual_ms": 3.0,
            "gaze_x": 0.5,
            "gaze_y": 0.5,
            "gaze_valid": 4,
            "gaze_samples": 5,
            "gaze_residual_ms": 6.0,
        }
        for r in range(4)
        for i in range(100)
    )
    for name, value in change.items():
        if name in frames.columns:
            frames = frames.with_columns(value.cast(frames.schema[name]).alias(name))
    rows = [{"source": "s", "recording_id": f"r{r}"} for r in range(change.get("recordings", 4))]
    present = {"media": "present", "time_base": "pts", "duration_s": 4.0}
    return {
        "frames": frames,
        "streams": TABLES["streams"].frame(
            r | {"part": 0, "interval_median_ms": 40.0} for r in rows
        ),
        "recordings": TABLES["recordings"].frame(r | present for r in rows),
    }


def labels_world(**change: Any) -> dict[str, pl.DataFrame]:
    """Twenty narrated segments with a verb and two nouns each, over ten classes of each kind."""
    labels = TABLES["labels"].frame(
        {
            "source": "s",
            "recording_id": "r",
            "segment_id": f"g{i}",
            "clause": 0,
            "kind": "verb" if k == 0 else "noun",
            "class_id": (i + k) % 10,
            "term": "take" if k == 0 else "pan",
            "body_part": "left_hand",
            "span_start": 8 * k,
            "span_end": 8 * k + 4,
        }
        for i in range(20)
        for k in range(3)
    )
    for name, value in change.items():
        if name in labels.columns:
            labels = labels.with_columns(value.cast(labels.schema[name]).alias(name))
    return {
        "labels": change.get("only", lambda x: x)(labels),
        "segments": TABLES["segments"].frame(
            {"segment_id": f"g{i}", "recording_id": "r", "kind": "fine", "narration": "take pan"}
            for i in range(20)
        ),
        "taxonomies": TABLES["taxonomies"].frame(
            {"taxonomy": kind, "class_id": c, "label": f"{kind} {c}"}
            for kind in ("verb", "noun")
            for c in range(10)
        ),
    }


def questions_world(n: int = 40, **change: Any) -> dict[str, pl.DataFrame]:
    """Questions of one subtask with four options, answers spread over the letters."""
    questions = TABLES["questions"].frame(
        {
            "question_id": f"q{i}",
            "subtask": "k",
            "recording_id": f"r{i % 5}",
            "answer": "ABCD"[i % 4],
            "chance": 0.25,
            "options": [{"letter": x, "is_answer": x == "ABCD"[i % 4]} for x in "ABCD"],
            "text": "Where is the red cup?",
            "media": [{"role": "query", "recording_id": f"r{i % 5}"}],
            "media_present": True,
            "evidence": [{"table": "boxes", "key": "b", "role": "answer"}],
        }
        for i in range(n)
    )
    for name, value in change.items():
        questions = questions.with_columns(value.alias(name))
    return {"questions": questions}
