"""Labels of frames as runs: what segmentation metrics count on, read fast from frames or text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

_KEY_BYTES = 8


@dataclass(frozen=True, slots=True)
class Runs:
    """A label per frame, as maximal runs of equal labels.

    Attributes:
        labels: Label of each run; neighbours differ.
        lengths: int64 [runs], frames of each run, all at least 1.
    """

    labels: tuple[str, ...]
    lengths: np.ndarray

    @property
    def frames(self) -> int:
        """Number of frames."""
        return int(self.lengths.sum())

    @property
    def ends(self) -> np.ndarray:
        """int64 [runs]: frame after the last of each run."""
        return np.cumsum(self.lengths)

    def cut(self, frames: int) -> Runs:
        """The first frames."""
        ends = np.minimum(self.ends, max(frames, 0))
        lengths = steps(ends)
        kept = int(np.count_nonzero(lengths))
        return Runs(self.labels[:kept], lengths[:kept])


def steps(ends: np.ndarray) -> np.ndarray:
    """Differences from the one before, the first from 0: numpy's own takes ten times as long on few."""
    lengths = ends.copy()
    lengths[1:] -= ends[:-1]
    return lengths


def runs_of(given: Runs | np.ndarray | Sequence[Any]) -> Runs:
    """Runs of a label per frame, or of `[label, frames]` pairs.

    Labels are compared as text: 7 and "7" are one label.

    Args:
        given: Runs; labels of frames (text or integers, list or array); or pairs of label and length.
            Pairs of equal neighbours are joined, pairs of length 0 left out.
    """
    if isinstance(given, Runs):
        return given
    if isinstance(given, np.ndarray):
        return _of_array(given)
    if len(given) and isinstance(given[0], (list, tuple)):
        return _of_pairs((str(label), int(n)) for label, n in given)
    return _of_frames(given)


def runs_of_text(text: bytes | str, separator: str = "\n") -> Runs:
    """Runs of labels between separators, empty ones included: a label file without a last newline."""
    data = text.encode() if isinstance(text, str) else text
    parsed = _of_bytes(data, ord(separator))
    return parsed if parsed is not None else _of_items(data.decode().split(separator))


def runs_of_words(text: bytes | str) -> Runs:
    """Runs of labels between blanks of any kind and number: one line of a prediction file."""
    data = text.encode() if isinstance(text, str) else text
    letters = np.frombuffer(data, dtype=np.uint8)
    # Blanks beside the space are control characters, or such as only a decoder can tell.
    plain = bool(len(data)) and letters.min() >= 32 and letters.max() <= 126
    parsed = _of_bytes(data, ord(" ")) if plain else None
    return parsed if parsed is not None else _of_frames(data.decode().split())


def _of_frames(frames: Sequence[Any]) -> Runs:
    if not len(frames):
        return Runs((), np.zeros(0, dtype=np.int64))
    try:
        joined = "\n".join(frames).encode()
    except TypeError:
        array = np.asarray(frames)
        return _of_array(array) if array.dtype.kind in "iu" else _of_items(map(str, frames))
    parsed = _of_bytes(joined, ord("\n"))
    whole = parsed is not None and parsed.frames == len(frames)
    return parsed if parsed is not None and whole else _of_items(frames)


def _of_array(frames: np.ndarray) -> Runs:
    if not len(frames):
        return Runs((), np.zeros(0, dtype=np.int64))
    starts = np.flatnonzero(np.concatenate(([True], frames[1:] != frames[:-1])))
    labels = tuple(str(label) for label in frames[starts].tolist())
    return Runs(labels, np.diff(starts, append=len(frames)))


def _of_bytes(data: bytes, separator: int) -> Runs | None:
    """Runs by comparing bytes with those one label before; None where that cannot be done.

    No array is longer than the text in bytes: with millions of frames the time goes into memory.
    None: a label is empty, longer than eight bytes, or holds a NUL.
    """
    mark = bytes((separator,))
    letters = np.frombuffer(mark + data + mark, dtype=np.uint8)
    gaps = letters == separator
    wanted = int(np.count_nonzero(gaps)) - 1
    found: list[np.ndarray] = []
    widths: list[int] = []
    # At the gap before a label: whether the bytes after it are free of gaps so far.
    free = gaps
    for width in range(1, _KEY_BYTES + 1):
        step = width + 1
        if step >= len(letters):
            break
        free = free[: len(letters) - step] > gaps[width : len(letters) - 1]
        begins = free & gaps[step:]
        here = int(np.count_nonzero(begins))
        wanted -= here
        if here:
            same = gaps[: max(len(begins) - step, 0)] & begins[step:]
            for at in range(1, step):
                same &= letters[at : at + len(same)] == letters[at + step : at + step + len(same)]
            begins[step:] ^= same
            found.append(np.flatnonzero(begins))
            widths.append(width)
        if not wanted:
            break
    if wanted or b"\0" in data:
        return None
    gap = np.concatenate(found)
    size = np.repeat(widths, [len(part) for part in found])
    order = np.argsort(gap)
    gap, size = gap[order], size[order]
    lengths = np.diff(gap, append=len(letters) - 1) // (size + 1)
    spans = zip(gap.tolist(), (gap + size).tolist(), strict=True)
    words = [data[start:stop] for start, stop in spans]
    names = {word: word.decode() for word in set(words)}
    return Runs(tuple(map(names.__getitem__, words)), lengths)


def _of_items(frames: Iterable[str]) -> Runs:
    return _of_pairs((label, sum(1 for _ in run)) for label, run in groupby(frames))


def _of_pairs(pairs: Iterable[tuple[str, int]]) -> Runs:
    labels: list[str] = []
    lengths: list[int] = []
    for label, n in pairs:
        if n < 0:
            raise ValueError(f"run of label {label!r} has {n} frames; lengths are at least 0")
        if n and labels and labels[-1] == label:
            lengths[-1] += n
        elif n:
            labels.append(label)
            lengths.append(n)
    return Runs(tuple(labels), np.array(lengths, dtype=np.int64))
