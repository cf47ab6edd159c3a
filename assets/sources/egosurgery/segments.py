"""Phases of EgoSurgery: labels of pictures, joined into spans.

A span holds consecutive numbers with one phase. It starts at its first picture and ends one step
(2 s) after its last: a label stands for the two seconds it was taken from. A number that is not in
the file ends a span, and the file says nothing about the time in between: it is unannotated, not "no phase".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from assets.sources.egosurgery.files import PHASES, STEP_S, shot_of
from assets.sources.egosurgery.recordings import phase_split
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed
from expectations.schemas import TABLES


def read_segments(part: PartFiles) -> Rows:
    """Spans of phases of one session."""
    assert part.recording is not None
    uid = str(part.recording["recording_id"])
    reader = RowReader("segments")
    rows: list[dict] = []
    used: str | None = None
    for file in sorted(part.files):
        if used is not None:
            reader.reject(
                file, None, "annotations_twice", used,
                "another file of phases of the session is used", "keep one of the files", uid,
            )  # fmt: skip
            continue
        used = file
        phases = _phases(file, part.files[file], uid, reader)
        for first, last, phase in _spans(sorted(phases.items())):
            rows.append(
                {
                    "source": part.source,
                    "segment_id": f"{uid}/phase/{first}",
                    "recording_id": uid,
                    "kind": "phase",
                    "start_s": (first - 1) * STEP_S,
                    "end_s": last * STEP_S,
                    "precision_s": STEP_S,
                    "split": phase_split(uid),
                    "class_id": PHASES.index(phase) if phase in PHASES else None,
                    "class_name": phase,
                    "source_file": file,
                    "source_key": f"{first}-{last}",
                }
            )
    return Rows({"segments": TABLES["segments"].frame(rows)}, tuple(reader.refused))


def _phases(file: str, data: bytes, uid: str, reader: RowReader) -> dict[int, str]:
    """Phase by number of the picture; none where rows contradict each other."""
    found: dict[int, str] = {}
    contradicted: dict[int, set[str]] = {}

    def row(values: Mapping[str, str]) -> dict:
        shot = shot_of(values["Frame"].strip())
        phase = values["Phase"].strip()
        if shot.recording_id != uid:
            raise Malformed(f"a picture of {shot.recording_id} in the file of {uid}", values)
        if not phase:
            raise Malformed("the row names no phase", values["Frame"])
        return {"number": shot.number, "phase": phase}

    for line, made in reader.csv(file, data, ("Frame", "Phase"), row, lambda _: uid):
        number, phase = made["number"], made["phase"]
        if number not in found:
            found[number] = phase
        elif found[number] == phase:
            reader.reject(
                file, line, "row_twice", number, "the same picture and phase are given twice",
                "remove one of the rows", uid,
            )  # fmt: skip
        else:
            contradicted.setdefault(number, {found[number]}).add(phase)
    for number, named in sorted(contradicted.items()):
        reader.reject(
            file, number, "contradicting_phase", ", ".join(sorted(named)),
            "rows of one picture name several phases; the picture has none",
            "correct the phase of the picture", uid,
        )  # fmt: skip
        del found[number]
    return found


def _spans(labels: Iterable[tuple[int, str]]) -> Iterator[tuple[int, int, str]]:
    """First and last number of runs without a gap and with one label."""
    run: tuple[int, int, str] | None = None
    for number, phase in labels:
        if run is not None and number == run[1] + 1 and phase == run[2]:
            run = (run[0], number, phase)
            continue
        if run is not None:
            yield run
        run = (number, number, phase)
    if run is not None:
        yield run
