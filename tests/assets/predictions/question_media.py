"""A medium of a question, as the table holds it."""

from __future__ import annotations

from typing import Any


def medium(role: str = "query", uid: str = "v", **changes: Any) -> dict[str, Any]:
    """A clip of eight seconds of a recording."""
    return {
        "role": role,
        "recording_id": uid,
        "segment_id": None,
        "media_kind": "clip",
        "start_s": 2.0,
        "end_s": 10.0,
        "sampling": None,
        "times_s": [],
        "overlays": [],
        "content": "c",
    } | changes
