"""Released labels of frames: a file per recording, with the coarse class of each frame at 25 fps.

Classes count from 1 as in the coarse annotations, and 0 is not an action. The files are the truth that the
released evaluator reads. They lack the last newline, so that the evaluator loses the last frame; that
is a matter of scoring, and all lines are kept here.
"""

from __future__ import annotations

from itertools import groupby

from assets.sources.egoexolearn.files import SEMANTIC
from assets.sources.egoexolearn.taxonomies import coarse_classes
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import REMEDY_FILE, RowReader
from assets.sources.reading.values import Malformed, loose_text, whole_number
from expectations.contracts import printable
from expectations.schemas import TABLES

NO_ACTION = 0


def read_frames(part: PartFiles) -> Rows:
    """Labels of one recording's frames; a file with one bad line is refused as a whole."""
    reader = RowReader("released_frames")
    uid = str((part.recording or {})["recording_id"])
    # Unreadable classes are refused once, by the part that fills `taxonomies`.
    names = coarse_classes(part.files.get(SEMANTIC, b""), RowReader("taxonomies"))
    rows = []
    for path, data in part.files.items():
        if path == SEMANTIC:
            continue
        runs = _runs(path, data, frozenset(names), uid, reader)
        if runs:
            rows.append(
                {"source": part.source, "recording_id": uid, "runs": runs, "source_file": path}
            )
    return Rows({"released_frames": TABLES["released_frames"].frame(rows)}, tuple(reader.refused))


def _runs(
    path: str, data: bytes, known: frozenset[int], uid: str, reader: RowReader
) -> list[dict[str, int]]:
    """Runs of equal labels; empty, and a refusal, where a line is not a label."""
    lines = [line.strip() for line in loose_text(data).split("\n")]
    if not lines[-1]:
        lines.pop()
    if not data.strip():
        reader.unreadable(path, Malformed("the file is empty"), uid)
        return []
    runs: list[dict[str, int]] = []
    at = 1
    for label, equal in groupby(lines):
        n = sum(1 for _ in equal)
        class_id = _class(label, known)
        if class_id is None:
            # A frame cannot be left out: all labels behind it would move.
            reader.reject(
                path, at, "unreadable_row", printable(label),
                f"line cannot be read: {printable(label)[:80]!r} is neither 0 nor a class of {SEMANTIC};"
                " no label of the file is used",
                REMEDY_FILE, uid,
            )  # fmt: skip
            return []
        runs.append({"class_id": class_id, "n": n})
        at += n
    return runs


def _class(label: str, known: frozenset[int]) -> int | None:
    """The class a line names; None where it names none. Without class names any number is one."""
    if not (label.isascii() and label.isdecimal()):
        return None
    try:
        class_id = whole_number(label)
    except Malformed:
        return None
    return class_id if class_id == NO_ACTION or class_id in known or not known else None
