"""Segments of EgoExoLearn: fine annotations, narrations of the association lists, coarse steps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath

from assets.sources.egoexolearn.files import ASSOCIATION, COARSE, FINE, SEMANTIC, uid_or_none
from assets.sources.egoexolearn.taxonomies import class_number, coarse_classes
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.archives import tar_members
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, int_list, number, text_or_none
from expectations.schemas import TABLES

Values = Mapping[str, str]


def read_segments(part: PartFiles) -> Rows:
    """Fine and coarse segments; a narration given by several files is taken from the first."""
    reader = RowReader("segments")
    rows: dict[str, dict] = {}
    first: dict[tuple[str, str], int] = {}
    # Association lists first: they alone hold the released classes.
    for path in sorted(part.files, key=lambda p: (not re.fullmatch(ASSOCIATION, p), p)):
        data = part.files[path]
        if re.fullmatch(ASSOCIATION, path):
            made = _fine_rows(part.source, path, data, _association, _ASSOCIATION_NAMES, reader)
        elif re.fullmatch(FINE, path):
            made = _fine_rows(part.source, path, data, _fine, _FINE_NAMES, reader)
        elif path == COARSE:
            made = _coarse_rows(part.source, data, part.files.get(SEMANTIC), reader)
        else:
            continue
        for at, row in made:
            if not re.fullmatch(FINE, path):
                # Released sets follow the order of these files; lines and indices, not a count of
                # rows, so that a refused one moves no other.
                start = first.setdefault((path, row["recording_id"]), 0 if path == COARSE else at)
                row["list_position"] = at - start
            _merge(rows, row, at, reader)
    table = TABLES["segments"]
    return Rows({"segments": table.frame(rows.values())}, tuple(reader.refused))


def _merge(rows: dict[str, dict], row: dict, at: object, reader: RowReader) -> None:
    """Keep one row per segment; a second file may only repeat or add to what the first said."""
    known = rows.setdefault(row["segment_id"], row)
    if known is row:
        return
    clash = [
        name
        for name, value in row.items()
        if name not in {"source_file", "source_key", "split", "list_position"}
        and value is not None
        and known.get(name) is not None
        and known[name] != value
    ]
    if clash or known["source_file"] == row["source_file"]:
        reader.reject(
            row["source_file"],
            at,
            "segment_twice",
            row["segment_id"],
            f"segment is already given by {known['source_file']}"
            + (f" with other {', '.join(clash)}" if clash else ""),
            "keep one of the rows",
            row["recording_id"],
        )
        return
    known.update({k: v for k, v in row.items() if known.get(k) is None})


# -- fine ------------------------------------------------------------------------------------------

_FINE_NAMES = ("video_uid", "start_sec", "end_sec")
_ASSOCIATION_NAMES = (*_FINE_NAMES, "annotation_id", "narration_en", "verb", "noun")


def _fine_rows(
    source: str,
    path: str,
    data: bytes,
    make: Callable[[Values, str], dict],
    names: tuple[str, ...],
    reader: RowReader,
) -> Iterator[tuple[int, dict]]:
    """Rows with the lines they start on."""

    def row(values: Values) -> dict:
        uid = uid_or_none(values["video_uid"])
        if uid is None:
            raise Malformed("video_uid is not a UUID", values["video_uid"])
        # The released test list says `annotation_id`, its description `annotation_uid`.
        key = values.get("annotation_id") or values.get("annotation_uid")
        if not key:
            raise Malformed("annotation_id is empty")
        return {
            "source": source,
            "segment_id": f"fine:{key}",
            "source_key": key,
            "recording_id": uid,
            "kind": "fine",
            "start_s": number(values["start_sec"]),
            "end_s": number(values["end_sec"]),
            "source_file": path,
            **make(values, path),
        }

    yield from reader.csv(path, data, names, row, lambda v: uid_or_none(v["video_uid"]))


def _fine(values: Values, _path: str) -> dict:
    return {
        "split": values.get("subset") or None,
        "narration": values.get("narration_en") or None,
    }


def _association(values: Values, path: str) -> dict:
    return {
        "split": PurePosixPath(path).stem.partition("_")[2],
        "narration": values["narration_en"] or None,
        "narration_original": values.get("narration_ch") or None,
        "released_verbs": int_list(values["verb"]),
        "released_nouns": int_list(values["noun"]),
    }


# -- coarse ----------------------------------------------------------------------------------------


def _coarse_rows(
    source: str, data: bytes, semantic: bytes | None, reader: RowReader
) -> Iterator[tuple[int, dict]]:
    """Rows with their index in the recording's list."""
    # Unreadable classes are refused once, by the part that fills `taxonomies`.
    names = coarse_classes(semantic or b"", RowReader("taxonomies"))
    if not names:
        reader.reject(
            SEMANTIC,
            None,
            "file_missing",
            None,
            "without class names the coarse annotations cannot be read",
            f"restore {SEMANTIC}",
        )
        return
    for name, content in tar_members(data, r"l1/[^/]+\.json"):
        place = f"{COARSE}:{name}" if name else COARSE
        uid = uid_or_none(PurePosixPath(name).stem)
        if isinstance(content, Malformed):
            reader.unreadable(place, content, uid)
        elif uid is None:
            reader.unreadable(place, Malformed("member is not named by a video uid", name))
        else:
            for at, row in reader.json(
                place, content, lambda item, uid=uid: _coarse(uid, item, names), uid
            ):
                yield at, {"source": source, **row, "source_file": place}


def _coarse(uid: str, item: object, names: Mapping[int, str]) -> dict:
    if not isinstance(item, dict):
        raise Malformed(f"{item!r} is not an object", item)
    key, attribute = item.get("id"), item.get("attribute")
    if not isinstance(key, str) or not key:
        raise Malformed(f"id {key!r} is not text", key)
    class_id = class_number(attribute)
    if class_id not in names:
        raise Malformed(f"attribute {attribute} is not a class of {SEMANTIC}", attribute)
    start_s, end_s = number(item.get("start")), number(item.get("end"))
    return {
        "segment_id": f"coarse:{uid}:{key}",
        "source_key": key,
        "recording_id": uid,
        "kind": "coarse",
        "start_s": start_s,
        "end_s": end_s,
        # Steps without a length are annotations that were begun and left; released lists count them.
        "is_point": start_s == end_s or None,
        "class_id": class_id,
        "class_name": names[class_id],
        "narration": text_or_none(item.get("textAttribute_en"), "textAttribute_en"),
    }
