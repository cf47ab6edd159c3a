"""Temporal action segmentation: frame accuracy, edit score, F1 at overlaps.

EgoBridge Sec. 6.4.1 and Tab. 10 (accuracy, edit, F1@Avg = mean of F1@10, 25, 50, after MS-TCN).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from assets.scores.metrics.edit_distance import levenshtein
from assets.scores.metrics.frame_runs import Runs, runs_of, runs_of_text, runs_of_words, steps
from expectations.schemas.metrics import Mode, UndefinedMetric, check_mode

OVERLAPS = (0.10, 0.25, 0.50)
# The paper's class 0 is "no action". The released evaluator looks for this word, which no file holds.
BACKGROUND: dict[str, tuple[str, ...]] = {"paper": ("0",), "parity": ("background",)}
_INDEX_ERROR = "IndexError: list index out of range"
_NO_SEGMENT = "ValueError: attempt to get argmax of an empty sequence"

Labels = Runs | np.ndarray | Sequence[Any]


@dataclass(frozen=True, slots=True)
class VideoCounts:
    """What one video adds to the metrics.

    Attributes:
        correct: Frames with the true label.
        total: True frames.
        edit: Edit score in percent; None (paper) or NaN (parity) where neither side has a segment.
        matched: Per overlap: (true positives, false positives, false negatives) of segments.
        n_predicted: Predicted segments that are not background.
        n_true: True segments that are not background.
    """

    correct: int
    total: int
    edit: float | None
    matched: dict[float, tuple[int, int, int]]
    n_predicted: int
    n_true: int


@dataclass(frozen=True, slots=True)
class SegmentationScore:
    """Metrics of a set of videos, in percent; None where nothing is to be counted.

    Attributes:
        accuracy: Over all frames of all videos.
        edit: Mean over videos.
        f1: Per overlap, from counts summed over videos.
        f1_avg: Mean of `f1` (`F1@Avg` of Tab. 10).
        average: Mean of accuracy, edit and the three F1 (`Avg` of the released printout).
        n_videos: Videos scored.
        n_frames: True frames scored.
    """

    accuracy: float | None
    edit: float | None
    f1: dict[float, float | None]
    f1_avg: float | None
    average: float | None
    n_videos: int
    n_frames: int


def truth_of_file(text: bytes | str | Sequence[Any], mode: Mode = "paper") -> Runs:
    """Labels of a ground-truth file: one line per frame.

    Args:
        text: The file, or its lines as runs (as it splits at newlines).
        mode: `parity` drops what follows the last newline, as the release does: its files have no last
            newline, so the last frame is lost. `paper` drops it only where it is empty.
    """
    parity = check_mode(mode)
    if isinstance(text, bytes | str):
        text = _lines(text)
    runs = runs_of_text(text) if isinstance(text, bytes) else runs_of(text)
    return runs.cut(runs.frames - 1) if parity or runs.labels[-1:] == ("",) else runs


def prediction_of_file(text: bytes | str) -> Runs:
    """Labels of a prediction file: second line, a label per frame between blanks.

    Raises:
        UndefinedMetric: There is no second line.
    """
    lines = _lines(text).split(b"\n", 2)
    if len(lines) < 2:
        raise UndefinedMetric("a prediction file has its labels in line 2", _INDEX_ERROR)
    return runs_of_words(lines[1])


def count_video(
    predicted: Labels,
    truth: Labels,
    mode: Mode = "paper",
    background: Collection[str] | None = None,
    overlaps: Sequence[float] = OVERLAPS,
) -> VideoCounts:
    """Counts of one video.

    A predicted segment is compared with the true segment of its label that it overlaps most
    (intersection over union, ties to the earlier); it is right if that reaches the overlap and no
    earlier one took it.

    `parity`: class 0 is a class like any other; predicted frames beyond the truth count in edit and
    F1; the last segment on either side ends one frame early, so that one of a single frame is never
    matched. `paper`: background leaves edit and F1; predictions are cut to the truth; missing frames
    are wrong.

    Args:
        predicted: Label per frame, or runs. Labels compare as text, whole numbers without a point.
        truth: The same, as `truth_of_file` gives it.
        mode: Reading.
        background: Labels that make no segment; None: the reading's own.
        overlaps: Bounds on intersection over union, above 0.

    Raises:
        ValueError: Labels are one text, or an overlap is not above 0.
        UndefinedMetric: In `parity`: a side is empty, the prediction is shorter than the truth, or
            there are predicted segments but no true one.
    """
    parity = check_mode(mode)
    if min(overlaps) <= 0:
        raise ValueError(f"overlap {min(overlaps)} matches segments that are apart: above 0")
    guess, true = _runs(predicted), _runs(truth)
    total = true.frames
    if parity and (guess.frames < total or not guess.frames or not total):
        raise UndefinedMetric(
            f"{guess.frames} frames are predicted, {total} are true: predict each", _INDEX_ERROR
        )
    if not parity:
        guess = guess.cut(total)
    codes: defaultdict[str, int] = defaultdict(count().__next__)
    left, right = (
        np.fromiter(map(codes.__getitem__, runs.labels), dtype=np.int64, count=len(runs.labels))
        for runs in (guess, true)
    )
    words = BACKGROUND[mode] if background is None else map(_word, background)
    unseen = {codes[word] for word in words if word in codes}
    found, wanted = _segments(guess, left, unseen, parity), _segments(true, right, unseen, parity)
    n_predicted, n_true = len(found.codes), len(wanted.codes)
    if parity and n_predicted and not n_true:
        raise UndefinedMetric("the truth holds background alone", _NO_SEGMENT)
    longest = max(n_predicted, n_true)
    edit = float("nan") if parity else None
    if longest:
        edit = (1 - levenshtein(found.codes.tolist(), wanted.codes.tolist()) / longest) * 100
    return VideoCounts(
        _equal_frames(guess, left, true, right),
        total,
        edit,
        _match(found, wanted, overlaps),
        n_predicted,
        n_true,
    )


def score_videos(
    videos: Iterable[VideoCounts],
    mode: Mode = "paper",
) -> SegmentationScore:
    """Metrics of all videos together.

    Raises:
        UndefinedMetric: In `parity`: there is no frame.
    """
    parity = check_mode(mode)
    counted = list(videos)
    n_frames = sum(video.total for video in counted)
    if parity and not n_frames:
        raise UndefinedMetric("no frame to score", "ZeroDivisionError: division by zero")
    accuracy = 100 * sum(video.correct for video in counted) / n_frames if n_frames else None
    edits = [video.edit for video in counted if video.edit is not None]
    edit = sum(edits) / len(edits) if edits else None
    overlaps = list(counted[0].matched) if counted else list(OVERLAPS)
    f1 = {
        overlap: _f1([video.matched[overlap] for video in counted], parity) for overlap in overlaps
    }
    known = [value for value in f1.values() if value is not None]
    f1_avg = sum(known) / len(known) if len(known) == len(f1) else None
    average = None
    if accuracy is not None and edit is not None and f1_avg is not None:
        average = (accuracy + edit + sum(known)) / (2 + len(known))
    return SegmentationScore(accuracy, edit, f1, f1_avg, average, len(counted), n_frames)


def score(
    pairs: Iterable[tuple[Labels, Labels]],
    mode: Mode = "paper",
    background: Collection[str] | None = None,
) -> SegmentationScore:
    """Metrics of (predicted, true) label sequences, one pair per video; see `count_video`."""
    return score_videos((count_video(p, y, mode, background) for p, y in pairs), mode)


def _word(label: Any) -> str:
    whole = isinstance(label, (float, np.floating)) and float(label).is_integer()
    return str(int(label) if whole else label)


def _runs(given: Labels) -> Runs:
    """Runs with whole numbers written as such, be they float or not."""
    if isinstance(given, (str, bytes, bytearray)):
        raise ValueError(  # noqa: TRY004 - as other inputs that do not fit
            "labels are one text: a label per frame is wanted, as `truth_of_file` and "
            "`prediction_of_file` give them"
        )
    if isinstance(given, Runs):
        return given
    if not isinstance(given, np.ndarray) and len(given):
        if isinstance(given[0], (list, tuple)):
            return runs_of([(_word(label), n) for label, n in given])
        if hasattr(given, "__array__") or isinstance(given[0], (int, float, np.number)):
            array = np.asarray(given)
            given = array if array.dtype.kind in "iuf" else given
    if isinstance(given, np.ndarray) and given.dtype.kind == "f":
        runs = runs_of(given)
        return Runs(tuple(_word(float(label)) for label in runs.labels), runs.lengths)
    return runs_of(given)


def _lines(text: bytes | str) -> bytes:
    data = text.encode() if isinstance(text, str) else text
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data


class _Segments(NamedTuple):
    """Segments in the order of time: codes of their labels, first frames, frames after the last."""

    codes: np.ndarray
    starts: np.ndarray
    ends: np.ndarray


def _segments(runs: Runs, codes: np.ndarray, unseen: set[int], ends_early: bool) -> _Segments:
    """Segments that are not background."""
    ends = runs.ends
    starts = ends - runs.lengths
    if ends_early:
        ends[-1:] -= 1
    if not unseen:
        return _Segments(codes, starts, ends)
    seen = ~np.isin(codes, list(unseen))
    return _Segments(codes[seen], starts[seen], ends[seen])


def _equal_frames(guess: Runs, left: np.ndarray, true: Runs, right: np.ndarray) -> int:
    """Frames of one label on both sides, up to the end of the shorter."""
    one, other = guess.ends, true.ends
    if not len(one) or not len(other):
        return 0
    stops = np.sort(np.concatenate((one, other)))
    stops = stops[stops <= min(one[-1], other[-1])]
    same = left[np.searchsorted(one, stops)] == right[np.searchsorted(other, stops)]
    return int(steps(stops)[same].sum())


def _match(
    found: _Segments, wanted: _Segments, overlaps: Sequence[float]
) -> dict[float, tuple[int, int, int]]:
    """True positives, false positives and false negatives per overlap."""
    first = np.searchsorted(wanted.ends, found.starts, side="right")
    meets = np.maximum(np.searchsorted(wanted.starts, found.ends, side="left") - first, 0)
    # All pairs of a found and a wanted segment that share time, and of these those of one label.
    one = np.repeat(np.arange(len(found.codes)), meets)
    other = np.arange(len(one)) - np.repeat(np.cumsum(meets) - meets, meets) + first[one]
    same = found.codes[one] == wanted.codes[other]
    one, other = one[same], other[same]
    stops = found.ends[one], wanted.ends[other]
    starts = found.starts[one], wanted.starts[other]
    shared = np.minimum(*stops) - np.maximum(*starts)
    joint = np.maximum(*stops) - np.minimum(*starts)
    real = shared > 0
    one, other = one[real], other[real]
    iou = shared[real] / joint[real]
    # Of each found segment the pair of highest overlap, the earlier of equals.
    order = np.lexsort((other, -iou, one))
    ranked = one[order]
    leads = np.ones(len(order), dtype=bool)
    np.not_equal(ranked[1:], ranked[:-1], out=leads[1:])
    best = order[leads]
    out = {}
    for overlap in overlaps:
        # Of all that choose one true segment the earliest takes it; the others are wrong.
        right = len(set(other[best[iou[best] >= overlap]].tolist()))
        out[overlap] = (right, len(found.codes) - right, len(wanted.codes) - right)
    return out


def _f1(matched: list[tuple[int, int, int]], parity: bool) -> float | None:
    tp, fp, fn = (sum(column) for column in zip(*matched, strict=True)) if matched else (0, 0, 0)
    if not tp + fp + fn:
        return 0.0 if parity else None
    precision = tp / (tp + fp) if tp + fp else 0.0
    recall = tp / (tp + fn) if tp + fn else 0.0
    both = precision + recall
    return 100 * (2.0 * (precision * recall) / both if both else 0.0)
