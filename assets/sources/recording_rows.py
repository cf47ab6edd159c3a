"""Rows that many layouts make alike beside their recordings: clocks, and pictures by number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from assets.sources.layout import Medium


def clock_row(
    recording: Mapping[str, object], method: str, residual_ms: float | None = None
) -> dict:
    """Row of `clocks` of a recording whose time is its take's.

    Args:
        recording: Its row of `recordings`.
        method: `alone` where the take has no other recording, `same_index` where equal frame numbers
            are the same time.
        residual_ms: Stated or known error, milliseconds; None if unknown.
    """
    return {
        "source": recording["source"],
        "recording_id": recording["recording_id"],
        "take_id": recording["take_id"],
        "offset_s": 0.0,
        "rate": 1.0,
        "method": method,
        "residual_ms": residual_ms,
        "source_file": recording["source_file"],
    }


def image_rows(
    source: object,
    recording_id: object,
    pictures: Mapping[int, Medium],
    t_s: Callable[[int], float] | None = None,
) -> Iterator[dict]:
    """Rows of `images` by the source's own numbers, ascending.

    Args:
        source: Source.
        recording_id: Recording.
        pictures: Pictures by number.
        t_s: Time of a number in seconds; None where numbers have no rate.
    """
    for number in sorted(pictures):
        yield {
            "source": source,
            "recording_id": recording_id,
            "source_frame": number,
            "path": pictures[number].path,
            "content": pictures[number].content,
            "t_s": None if t_s is None else t_s(number),
        }
