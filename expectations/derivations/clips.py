"""Clips that stand for a segment: what of it they show and say, and what else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from expectations.gates.base import (
    CannotTell,
    Derived,
    Question,
    Sight,
    finite,
    overlap_s,
    span_of,
)
from expectations.gates.tables import EvidenceTables

LONGEST_S = 30.0
SHORTEST_S = 2.0
# Share of what a clip can show of its segment that it must show, unless it may be cut.
LEAST_SHARE = 0.95
_SLACK_S = 0.1
_LENGTH_SLACK_S = 0.05
_SAME_LENGTH_S = 0.02
# Times are floats: exactly half may come out less.
_ROUNDING = 1e-6
# An action seen for less is not "shown".
GLIMPSE_S = 0.5


def in_recording(
    span: tuple[float, float], of: str, to: str, given: EvidenceTables
) -> tuple[float, float] | None:
    """A span of one recording as a span of another, by the take's clock; None if takes differ.

    Raises:
        CannotTell: A recording has no clock.
    """
    if of == to:
        return span
    take_of, off_of, rate_of = given.take_time(of)
    take_to, off_to, rate_to = given.take_time(to)
    if take_of != take_to:
        return None
    start, end = ((off_of + rate_of * t - off_to) / rate_to for t in span)
    return start, end


def judge_options(
    question: Question,
    given: EvidenceTables,
    notes: Derived,
    judge: Callable[[str, dict[str, Any], dict[str, Any], tuple[float, float]], None],
    least: float = LEAST_SHARE,
) -> None:
    """Check the clip of each option and judge it; note those of which nothing can be told.

    Args:
        question: The question.
        given: The tables.
        notes: Filled in.
        judge: Called with an option's letter, its medium, its segment, and the segment's span in
            the medium's recording. May raise `CannotTell`.
        least: As for `check_clip`.
    """
    for letter in question.letters:
        shown = question.shown_of(letter)
        if shown is None:
            notes.option(letter, None, "it has no medium")
            continue
        try:
            judge(letter, shown, *check_clip(shown, given, notes, least))
        except CannotTell as silent:
            notes.option(letter, None, str(silent))


def check_clip(
    medium: Mapping[str, Any], given: EvidenceTables, notes: Derived, least: float = LEAST_SHARE
) -> tuple[dict[str, Any], tuple[float, float]]:
    """Note whether a medium shows its segment, and that it must be seen.

    Args:
        medium: The medium.
        given: The tables.
        notes: Filled in.
        least: Share of what a clip can show of its segment that it must show.

    Returns:
        The segment and its span in the medium's recording.

    Raises:
        CannotTell: The medium names no segment that is here, or there is no clock.
    """
    role = str(medium["role"])
    segment = given.segment(medium["segment_id"])
    recording = str(medium["recording_id"])
    if not finite(segment["start_s"], segment["end_s"]):
        raise CannotTell(f"segment {medium['segment_id']} has no times")
    own = (float(segment["start_s"]), float(segment["end_s"]))
    span = in_recording(own, str(segment["recording_id"]), recording, given)
    if span is None:
        notes.refuse(
            "consistent",
            "another_performance",
            f"{role} shows {recording}, its segment {segment['segment_id']} is of"
            f" {segment['recording_id']}, another take",
        )
        raise CannotTell(f"{role} does not show the take of its segment")
    clip = span_of(medium)
    shared = overlap_s(clip, span)
    length, shown = span[1] - span[0], clip[1] - clip[0]
    share = shared / max(min(length, shown, LONGEST_S), 1e-9)
    if share < LEAST_SHARE:
        notes.refuse(
            "consistent",
            "shifted_time",
            f"{role} shows {clip[0]:.2f}..{clip[1]:.2f} s, its segment is"
            f" {span[0]:.2f}..{span[1]:.2f} s",
            share,
            LEAST_SHARE,
        )
    elif shown < (least - _ROUNDING) * min(length, LONGEST_S):
        notes.refuse(
            "consistent",
            "clip_cuts_segment",
            f"{role} shows {shown:.2f} s of a segment of {length:.2f} s",
            shown,
            min(length, LONGEST_S),
        )
    elif shown > max(length, SHORTEST_S) + _SLACK_S:
        notes.refuse(
            "consistent",
            "clip_too_wide",
            f"{role} shows {shown:.2f} s for a segment of {length:.2f} s",
            shown,
            max(length, SHORTEST_S),
        )
    seen = (max(clip[0], span[0]), min(clip[1], span[1]))
    spans = (seen,) if seen[1] >= seen[0] else ()
    notes.sights.append(Sight(role, spans, 0.0, f"segment {segment['segment_id']}"))
    return segment, span


def check_length_between(
    notes: Derived, span: tuple[float, float], shortest_s: float, longest_s: float
) -> None:
    """Note a clip that is too short or too long.

    Args:
        notes: Filled in.
        span: Start and end of the clip.
        shortest_s: Least length.
        longest_s: Greatest length.
    """
    length = span[1] - span[0]
    if not shortest_s - _LENGTH_SLACK_S <= length <= longest_s + _LENGTH_SLACK_S:
        notes.refuse(
            "consistent",
            "clip_length",
            f"the clip lasts {length:.2f} s, {shortest_s:g} to {longest_s:g} s are asked",
            length,
        )


def check_length_among(
    notes: Derived, span: tuple[float, float], lengths_s: tuple[float, ...]
) -> None:
    """Note a clip that has none of a few lengths.

    Args:
        notes: Filled in.
        span: Start and end of the clip.
        lengths_s: Lengths it may have, at least two.
    """
    length = span[1] - span[0]
    if min(abs(length - one) for one in lengths_s) > _LENGTH_SLACK_S:
        *first, last = (f"{one:g}" for one in lengths_s)
        notes.refuse(
            "consistent",
            "clip_length",
            f"the clip lasts {length:.2f} s, not {', '.join(first)} or {last} s",
            length,
        )


def segments_in(
    recording_id: str, span: tuple[float, float], given: EvidenceTables, kinds: tuple[str, ...]
) -> list[str]:
    """Segments of a recording that a span shows for more than a glimpse, or most of."""
    memo = given.memo.setdefault(("segments_in", kinds), {})
    arrays = memo.get(recording_id)
    if arrays is None:
        rows = [r for r in given.rows("segments", recording_id=recording_id) if r["kind"] in kinds]
        arrays = (
            np.array([r["start_s"] for r in rows], dtype=float),
            np.array([r["end_s"] for r in rows], dtype=float),
            [str(r["segment_id"]) for r in rows],
        )
        memo[recording_id] = arrays
    starts, ends, ids = arrays
    if not ids:
        return []
    shared = np.minimum(ends, span[1]) - np.maximum(starts, span[0])
    least = np.minimum(GLIMPSE_S, 0.5 * (ends - starts))
    return [ids[i] for i in np.flatnonzero(shared > least)]


def check_views(
    question: Question, given: EvidenceTables, notes: Derived, query: str, option: str
) -> None:
    """Note media whose view is not the one asked for; an empty name asks for none."""
    for medium in question.media:
        role = str(medium["role"])
        wanted = query if role == "query" else option if role.startswith("option_") else ""
        view = given.recording(str(medium["recording_id"]))["view"]
        if wanted and view != wanted:
            notes.refuse(
                "consistent",
                "swapped_view",
                f"{role} shows {medium['recording_id']}, which is {view}, not {wanted}",
            )


def rest_on_segments(question: Question, notes: Derived, tables: tuple[str, ...]) -> None:
    """Note that the evidence names, for every medium, the rows of its segment in these tables."""
    for medium in question.media:
        for table in tables:
            notes.rests_on(str(medium["role"]), table, [str(medium["segment_id"])])


def check_one_recording(question: Question, notes: Derived) -> None:
    """Note options of several recordings: another look of the place would tell them apart."""
    answer = question.shown_of(question.answer)
    if answer is None:
        return
    for letter in question.letters:
        shown = question.shown_of(letter)
        if shown is not None and shown["recording_id"] != answer["recording_id"]:
            notes.refuse(
                "consistent",
                "option_of_another_recording",
                f"option {letter} shows {shown['recording_id']}, the answer"
                f" {answer['recording_id']}",
            )


def check_same_length(question: Question, notes: Derived) -> None:
    """Note options whose clips do not last equally long, where that may tell the right one.

    Args:
        question: The question.
        notes: Filled in.
    """
    spans = [span_of(m) for m in question.media if str(m["role"]).startswith("option_")]
    lengths = [end_s - start_s for start_s, end_s in spans]
    if lengths and max(lengths) - min(lengths) > _SAME_LENGTH_S:
        notes.refuse(
            "leak",
            "clip_lengths_differ",
            f"options last {min(lengths):.2f} to {max(lengths):.2f} s",
            max(lengths) - min(lengths),
            _SAME_LENGTH_S,
        )


def gap_s(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Seconds between two spans; negative where they overlap."""
    return max(a[0], b[0]) - min(a[1], b[1])
