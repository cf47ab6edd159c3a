"""Files of Decisions of people: where they lie and what they share."""

from __future__ import annotations

from assets.sources.reviews.forms import (
    DECISION,
    QUEUE,
    guarded,
    label_studio_interface,
    queue_csv,
    queue_label_studio,
    unguarded,
)
from assets.sources.reviews.standing import decision_states, item_hash, standing

FILES = r"(?:.+/)?[^/]+\.(?:csv|json)"


__all__ = [
    "DECISION",
    "LAYOUT",
    "QUEUE",
    "decision_states",
    "guarded",
    "item_hash",
    "label_studio_interface",
    "queue_csv",
    "queue_label_studio",
    "standing",
    "unguarded",
]
