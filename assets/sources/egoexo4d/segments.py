"""Descriptions and keysteps of Ego-Exo4D, on the wearer's recording of their take."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from assets.sources.egoexo4d.recordings import TAKE_LIST, Take
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.json import document_of, member_of
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number, text_or_none, whole_number
from expectations.schemas import TABLES

ATOMIC = r"annotations/atomic_descriptions_(?:train|val|test)\.json"
KEYSTEPS = r"annotations/keystep_(?:train|val|test)\.json"
BENCHMARK = r"annotations/keystep_benchmark/keystep_segment_(?:train|val)\.json"
_YES = {True, "1", "true", "True"}
_NO = {False, None, "0", "false", "False"}


def read_segments(part: PartFiles) -> Rows:
    """Atomic descriptions (instants) and keysteps (intervals)."""
    reader = RowReader("segments")
    takes = part.document(TAKE_LIST)
    rows: dict[str, dict] = {}
    readers = ((ATOMIC, _atomic), (KEYSTEPS, _keysteps), (BENCHMARK, _benchmark))
    for pattern, read in readers:
        for path in (p for p in part.files if re.fullmatch(pattern, p)):
            try:
                for row in read(reader, path, document_of(part.files[path]), takes):
                    # The benchmark's lists repeat the keysteps; two equal sentences of one instant
                    # are one.
                    known = rows.setdefault(
                        row["segment_id"], {**row, "source": part.source, "source_file": path}
                    )
                    if any(known[name] != row[name] for name in ("end_s", "narration")):
                        reader.reject(
                            path, row["source_key"], "contradicting_row", row["segment_id"],
                            f"{known['source_file']} says something else of the segment; it is used",
                            "correct one of the files", row["recording_id"],
                        )  # fmt: skip
            except Malformed as error:
                reader.unreadable(path, error)
    return Rows({"segments": TABLES["segments"].frame(rows.values())}, tuple(reader.refused))


def _by_take(document: object) -> dict:
    return member_of(document, "annotations", dict)


def _ego(reader: RowReader, file: str, uid: object, takes: Mapping[str, Take]) -> str | None:
    """The wearer's recording of a take; annotations name takes that were not downloaded too."""
    take = takes.get(uid) if isinstance(uid, str) else None
    if take is None or take.ego is None:
        reader.reject(
            file, uid, "unknown_take", uid, "annotations of a take that takes.json does not list",
            "download the take, or leave its annotations out",
        )  # fmt: skip
        return None
    return take.ego.recording_id


def _atomic(
    reader: RowReader, file: str, document: object, takes: Mapping[str, Take]
) -> Iterator[dict]:
    for uid, passes in _by_take(document).items():
        ego = _ego(reader, file, uid, takes)
        if ego is None:
            continue
        for one in passes if isinstance(passes, list) else ():
            if not isinstance(one, dict) or not isinstance(one.get("annotation_uid"), str):
                reader.reject(
                    file,
                    uid,
                    "unreadable_row",
                    one,
                    "pass without annotation_uid",
                    "correct the file",
                    ego,
                )
                continue
            if flag(one.get("rejected")):
                reader.reject(
                    file, one["annotation_uid"], "rejected_pass", one.get("reject_reason"),
                    "the annotators rejected this pass", "nothing: it is left out", ego,
                )  # fmt: skip
                continue
            listed = one.get("descriptions")
            for item in listed if isinstance(listed, list) else ():
                row = reader.make(
                    file,
                    one["annotation_uid"],
                    lambda i=item, o=one, e=ego: _description(i, o["annotation_uid"], e),
                    ego,
                )
                if row is not None and row.pop("unsure"):
                    reader.reject(
                        file, row["source_key"], "marked_unsure", row["narration"],
                        "the annotator was not sure", "nothing: it is left out", ego,
                    )  # fmt: skip
                elif row is not None:
                    yield row


def _description(item: object, annotation: str, ego: str) -> dict:
    if not isinstance(item, dict):
        raise Malformed("description is not an object", item)
    text = text_or_none(item.get("text"), "text")
    at = number(item.get("timestamp"))
    if text is None:
        raise Malformed("description without text", item.get("timestamp"))
    # Called `narration_subject` in the documentation and `subject` in the release.
    subject = item.get("subject", item.get("narration_subject"))
    key = f"{annotation}|{at:g}|{text}"
    return {
        "segment_id": key,
        "recording_id": ego,
        "kind": "atomic",
        "actor_id": text_or_none(subject, "subject"),
        "is_point": True,
        "start_s": at,
        "end_s": at,
        "narration": text,
        "ego_visible": _flag_or_none(item.get("ego_visible")),
        "source_key": key,
        "unsure": flag(item.get("unsure")),
    }


def flag(value: object) -> bool:
    """A yes or no, written as true and false or as "0" and "1" in one file.

    Raises:
        Malformed: Anything else.
    """
    if isinstance(value, bool | str | None):
        if value in _YES:
            return True
        if value in _NO:
            return False
    raise Malformed("value is neither yes nor no", value)


def _flag_or_none(value: object) -> bool | None:
    return None if value is None else flag(value)


def _keysteps(
    reader: RowReader, file: str, document: object, takes: Mapping[str, Take]
) -> Iterator[dict]:
    for uid, one in _by_take(document).items():
        ego = _ego(reader, file, uid, takes)
        listed = one.get("segments") if isinstance(one, dict) else None
        if ego is None:
            continue
        for item in listed if isinstance(listed, list) else ():
            row = reader.make(file, uid, lambda i=item, u=uid, e=ego: _keystep(i, u, e), ego)
            if row is not None:
                yield row


def _benchmark(
    reader: RowReader, file: str, document: object, takes: Mapping[str, Take]
) -> Iterator[dict]:
    listed = document.get("segments") if isinstance(document, dict) else None
    if not isinstance(listed, list):
        raise Malformed("the document has no list `segments`", type(document).__name__)
    for item in listed:
        uid = item.get("take_uid") if isinstance(item, dict) else None
        ego = _ego(reader, file, uid, takes)
        if ego is not None:
            row = reader.make(file, uid, lambda i=item, u=uid, e=ego: _keystep(i, str(u), e), ego)
            if row is not None:
                yield row


def _keystep(item: object, uid: str, ego: str) -> dict:
    if not isinstance(item, dict):
        raise Malformed("segment is not an object", item)
    start, end = number(item.get("start_time")), number(item.get("end_time"))
    step = whole_number(item.get("step_unique_id"))
    key = f"{uid}|keystep|{step}|{start:g}"
    return {
        "segment_id": key,
        "recording_id": ego,
        "kind": "keystep",
        "start_s": start,
        "end_s": end,
        "class_id": step,
        # The benchmark's lists do not say it.
        "essential": _flag_or_none(item.get("is_essential")),
        "class_name": text_or_none(item.get("step_name"), "step_name"),
        "narration": text_or_none(item.get("step_description"), "step_description"),
        "source_key": key,
    }
