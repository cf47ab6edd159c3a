"""Interactions and walks of EgoPet, its lists as splits, its objects as a vocabulary.

A row of interactions holds lists with semicolons: `0:00;0:05`, `person;person`. NONE is no
interaction: a segment that `object_interaction` lists and that has none was searched for them, so
that their absence is known. Times are whole seconds of a player, which rounds up: ends are up to a
second beyond the stated length, and kept as they are; those further beyond are refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from assets.sources.egopet.files import OBJECTS, Listed, listed, set_of
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number, whole_number
from expectations.schemas import TABLES

PRECISION_S: Final = 1.0
"""All times are whole seconds."""

NOTHING: Final = "NONE"
_TIME = re.compile(r"([0-9]{1,3}):([0-5][0-9])")


def read_segments(part: PartFiles) -> Rows:
    """Interactions with an object, and spans for which a trajectory was made (`locomotion`)."""
    reader, untold = RowReader("segments"), RowReader("segments")
    rows: dict[str, dict] = {}
    for file, data in sorted(part.files.items()):
        if set_of(file) == "pretrain":
            continue
        # Rows that name no segment are reported by the part that makes recordings.
        for row in listed(file, data, untold):
            interactions = set_of(file) == "object_interaction"
            made = _interactions(file, row, reader) if interactions else _walk(file, row, reader)
            for one in made:
                fixed = {
                    "source": part.source,
                    "recording_id": row.uid,
                    "precision_s": PRECISION_S,
                    "split": row.split,
                    "source_file": file,
                }
                # The quarter of the training list repeats its rows.
                known = rows.setdefault(one["segment_id"], {**fixed, **one})
                said = {name: known[name] for name in one if name != "source_key"}
                if said != {name: one[name] for name in said}:
                    reader.reject(
                        file, row.line, "contradicting_row", one["segment_id"],
                        f"a row of {known['source_file']} says something else of the segment; it is"
                        " used",
                        "remove one of the rows", row.uid,
                    )  # fmt: skip
    return Rows({"segments": TABLES["segments"].frame(rows.values())}, tuple(reader.refused))


def seconds(text: str) -> float | None:
    """Seconds of `M:SS`; None for NONE.

    Raises:
        Malformed: Neither.
    """
    if text == NOTHING:
        return None
    match = _TIME.fullmatch(text)
    if match is None:
        raise Malformed("times are written M:SS, or NONE", text)
    return 60.0 * int(match[1]) + int(match[2])


def _interactions(file: str, row: Listed, reader: RowReader) -> list[dict]:
    try:
        total_s = number(row.values["total_time"])
    except Malformed as error:
        reader.reject(
            file, row.line, "unreadable_row", error.value, f"row cannot be read: {error}",
            "correct total_time", row.uid,
        )  # fmt: skip
        return []
    columns = ("start_time", "end_time", "interacting_object")
    lists = [[part.strip() for part in row.values[name].split(";")] for name in columns]
    if len({len(one) for one in lists}) > 1:
        counts = ", ".join(f"{len(one)} {name}" for one, name in zip(lists, columns, strict=True))
        reader.reject(
            file, row.line, "lists_differ", counts, "the lists of the row differ in length",
            "give each interaction a start, an end and an object", row.uid,
        )  # fmt: skip
        return []
    made: list[dict] = []
    for start, end, thing in zip(*lists, strict=True):
        one = reader.make(
            file,
            f"{row.line} {start}-{end}",
            lambda s=start, e=end, t=thing: _interaction(row.uid, s, e, t, total_s),
            row.uid,
        )
        if one and one["segment_id"] in {known["segment_id"] for known in made}:
            reader.reject(
                file, f"{row.line} {start}-{end}", "interaction_twice", thing,
                "the row gives the same interaction twice", "remove one of the two", row.uid,
            )  # fmt: skip
        elif one:
            made.append(one)
    return made


def _interaction(uid: str, start: str, end: str, thing: str, total_s: float) -> dict:
    """One interaction; an empty row for NONE."""
    begins, ends = seconds(start), seconds(end)
    if begins is None and ends is None and thing == NOTHING:
        return {}
    if begins is None or ends is None or thing == NOTHING:
        raise Malformed("only a part of the interaction is NONE", f"{start}-{end} {thing}")
    if not thing:
        raise Malformed("the interaction names no object", f"{start}-{end}")
    if ends > total_s + PRECISION_S:
        raise Malformed(f"the interaction ends after the segment, {total_s:g} s long", end)
    return {
        "segment_id": f"{uid}/interaction/{start}-{end}/{thing}",
        "kind": "interaction",
        "start_s": begins,
        "end_s": ends,
        "class_id": OBJECTS.index(thing) if thing in OBJECTS else None,
        "class_name": thing,
        "source_key": f"{uid}/{start}-{end}/{thing}",
    }


def _walk(file: str, row: Listed, reader: RowReader) -> list[dict]:
    def make(values: Mapping[str, str]) -> dict:
        stride = whole_number(values["stride"])
        start, end = (float(whole_number(values[name])) for name in ("start_time", "end_time"))
        return {
            "segment_id": f"{row.uid}/locomotion/{stride}",
            "kind": "coarse",
            "start_s": start,
            "end_s": end,
            "class_name": "locomotion",
            "source_key": f"{row.uid}/stride {stride}",
        }

    made = reader.make(file, row.line, lambda: make(row.values), row.uid)
    return [] if made is None else [made]
