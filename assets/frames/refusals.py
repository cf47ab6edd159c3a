"""Refusals of the frames stage: one row per rule and media part, not one per frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

import numpy as np

SHOWN = 5
"""Values listed before a list is cut."""


class Refusal(TypedDict):
    """A row of `quarantine`, less what the store adds (source, stage, unit, id)."""

    table: str | None
    recording_id: str | None
    file: str | None
    row: str | None
    rule: str
    value: str | None
    message: str
    remedy: str


def refuse(
    table: str,
    rule: str,
    *,
    message: str,
    remedy: str,
    recording_id: str | None = None,
    file: str | None = None,
    row: str | None = None,
    value: str | None = None,
) -> Refusal:
    """A refusal row; the value is cut at 200 characters."""
    return Refusal(
        table=table,
        recording_id=recording_id,
        file=file,
        row=row,
        rule=rule,
        value=None if value is None else value[:200],
        message=message,
        remedy=remedy,
    )


def sample(values: np.ndarray | Sequence[object]) -> str:
    """The first values, and how many more there are."""
    shown = ", ".join(str(v) for v in values[:SHOWN])
    more = len(values) - SHOWN
    return f"{shown} and {more} more" if more > 0 else shown
