"""Tables of operations put down by hand: which tool is in whose hand in which second."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import cycle, islice
from typing import Any

from expectations.schemas import TABLES
from tests.assets.questions.egocross.animals import Row, Tables
from tests.assets.questions.egocross.test_object_localisation import recording

Seen = Mapping[tuple[str, str | None], Iterable[int]]
SECONDS = 10
TOOLS = ("grasper", "bipolar", "hook", "scissors", "clipper", "irrigator", "specimenbag")


def box(uid: str, t: int, tool: str, who: str | None, **changed: object) -> Row:
    number = 25 * t + 1
    return {
        "source": "s", "recording_id": uid, "box_id": f"{uid}/{number}/{tool}/{who}",
        "source_frame": number, "t_s": float(t), "class_name": tool, "operator": who,
        "image_space": "stored", "x_min": 0.4, "y_min": 0.4, "x_max": 0.6, "y_max": 0.6,
        "raw": [0.0] * 4, "raw_form": "xywh_norm", "clipped": False, "method": "manual",
        "source_file": "f", "source_key": f"{number}", **changed,
    }  # fmt: skip


def operations(
    seen: Mapping[str, Seen],
    length: int = SECONDS,
    annotated: Mapping[str, Iterable[int]] | None = None,
) -> Tables:
    """Recordings of some seconds, in all of which all tools are boxed.

    Args:
        seen: Seconds in which each tool is boxed with its operator, by recording.
        length: Length of each recording, in seconds.
        annotated: Seconds in which tools are boxed completely, where these are not all.
    """
    boxes = [
        box(uid, t, tool, who)
        for uid, held in seen.items()
        for (tool, who), times in held.items()
        for t in times
    ]
    frames: list[dict[str, Any]] = [
        {
            "source": "s",
            "recording_id": uid,
            "what": "tools",
            "source_frame": 25 * t + 1,
            "t_s": float(t),
        }
        for uid in seen
        for t in (annotated or {}).get(uid, range(length))
    ]
    rows = [recording(recording_id=uid, take_id=uid, media_kind="video", media_duration_s=float(length),
                      media_paths=["a.mp4"]) for uid in seen]  # fmt: skip
    return {
        "recordings": TABLES["recordings"].frame(rows),
        "images": TABLES["images"].frame([]),
        "boxes": TABLES["boxes"].frame(boxes),
        "annotated_frames": TABLES["annotated_frames"].frame(frames),
        "taxonomies": TABLES["taxonomies"].empty(),
    }


def counting_as(tables: Tables, **refined: str) -> Tables:
    """Tables of a source whose reviewed list counts some classes of tools as others."""
    rows = [
        {
            "source": "s",
            "taxonomy": "tool",
            "class_id": number,
            "label": tool,
            "terms": [tool],
            "refined": refined.get(tool, tool),
            "source_file": "f",
        }
        for number, tool in enumerate(TOOLS)
    ]
    return tables | {"taxonomies": TABLES["taxonomies"].frame(rows)}


def in_turn(n: int, tools: Iterable[str] = TOOLS) -> dict[str, Seen]:
    """Recordings in which the main surgeon's right hand holds one tool after the other."""
    return {
        f"V{i:02}": {(tool, "MSRH"): range(SECONDS)}
        for i, tool in enumerate(islice(cycle(tools), n))
    }


def assert_even(made: list[Row], slack: int = 6) -> None:
    """Every option is right about as often as chance has it."""
    right = Counter(q["answer_text"] for q in made)
    shown = Counter(o["text"] for q in made for o in q["options"])
    assert all(abs(4 * right[text] - n) <= slack for text, n in shown.items())
