"""Narrated actions of HD-EPIC, from the released pickle or from a CSV file made of it.

The release has them as a pickled pandas table. It is read here without pandas, and nothing it names
is imported or called (see `frame_pickle`); a table written by a version that stores columns otherwise
is refused, and `pandas.read_pickle(...).to_csv(...)` beside it helps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from assets.sources.hd_epic.files import (
    NARRATIONS,
    NARRATIONS_PICKLE,
    first_of,
    video_id,
    video_or_none,
)
from assets.sources.reading.pickled_frames import frame_pickle
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.text_columns import text_columns
from assets.sources.reading.values import (
    Malformed,
    number,
    python_value,
    text_or_none,
    whole_number,
)

WEARER = "Camera wearer"
REMEDY = (
    'write it as CSV beside the pickle: python -c "import pandas;'
    " pandas.read_pickle('HD_EPIC_Narrations.pkl').to_csv('HD_EPIC_Narrations.csv', index=False)\""
)
_PRECISION_S = 0.01
_HANDS = {"left hand": "left", "right hand": "right", "both hands": "both"}
_TEXTS = ("unique_narration_id", "video_id", "narration")
_TIMES = ("start_timestamp", "end_timestamp")
_LISTS = ("pairs", "main_actions", "verb_classes", "noun_classes", "hands")
_COLUMNS = (*_TEXTS, *_TIMES, *_LISTS)


def narrations_of(
    source: str, files: Mapping[str, bytes], reader: RowReader
) -> tuple[list[dict], list[dict]]:
    """Rows of `segments` and `relations`."""
    segments: list[dict] = []
    relations: list[dict] = []
    for file, row, values in _rows(files, reader):
        said = video_or_none(values.get("video_id"))
        made = reader.make(file, row, lambda v=values, f=file: _read(source, f, v), said)
        if made is not None:
            segments.append(made["segment"])
            relations += made["relations"]
    return segments, relations


# -- both forms ------------------------------------------------------------------------------------


def _rows(
    files: Mapping[str, bytes], reader: RowReader
) -> Iterator[tuple[str, object, dict[str, Any]]]:
    """File, row and values by column; lists as lists."""
    table, pickled = first_of(files, NARRATIONS), first_of(files, NARRATIONS_PICKLE)
    if table is not None:
        columns = text_columns(reader, table, files[table], _COLUMNS)
        if columns is None:
            return
        read: dict[str, list[Any]] = {
            **{name: columns.texts[name] for name in _TEXTS},
            **{name: columns.read(name, number) for name in _TIMES},
            **{name: columns.read(name, _listed(name)) for name in _LISTS},
        }
        columns.reject(reader, [video_or_none(text) for text in columns.texts["video_id"]])
        for at, line in enumerate(columns.rows):
            if at not in columns.faults:
                yield table, line, {name: read[name][at] for name in _COLUMNS}
    elif pickled is not None:
        try:
            held = frame_pickle(files[pickled], _COLUMNS)
            missing = [name for name in _COLUMNS if name not in held]
            if missing:
                raise Malformed(f"missing columns {missing}", ", ".join(missing))
            if not held["unique_narration_id"]:
                raise Malformed("the table has no row")
        except Malformed as error:
            said = f"the pickled table cannot be read without running it: {error}"
            reader.reject(pickled, None, "unreadable_file", error.value, said, REMEDY)
            return
        keys = held["unique_narration_id"]
        for at, key in enumerate(keys):
            yield pickled, key, {name: held[name][at] for name in _COLUMNS}


def _listed(name: str) -> Callable[[str], object]:
    def read(text: str) -> object:
        value = python_value(text)
        if not isinstance(value, list):
            raise Malformed(f"{name} is not a list", text[:80])
        return value

    return read


# -- rows ------------------------------------------------------------------------------------------


def _read(source: str, file: str, values: Mapping[str, Any]) -> dict:
    uid = text_or_none(values["unique_narration_id"], "unique_narration_id")
    video = video_id(str(values["video_id"]))
    if uid is None or not uid.startswith(f"{video}-"):
        raise Malformed(f"unique_narration_id is not one of {video}", uid)
    pairs, main = (_pairs(values[name], name) for name in ("pairs", "main_actions"))
    segment = {
        "source": source,
        "segment_id": uid,
        "recording_id": video,
        "kind": "action",
        "start_s": number(values["start_timestamp"]),
        "end_s": number(values["end_timestamp"]),
        "precision_s": _PRECISION_S,
        "class_name": ", ".join(f"{verb} {noun}" for verb, noun in main or pairs) or None,
        "narration": text_or_none(values["narration"], "narration"),
        "released_verbs": _numbers(values["verb_classes"], "verb_classes"),
        "released_nouns": _numbers(values["noun_classes"], "noun_classes"),
        "source_file": file,
        "source_key": uid,
    }
    side = _side(values["hands"])
    # The contract refuses a span without a length: nothing may refer to it.
    lasts = segment["end_s"] > segment["start_s"]
    rows = _relations(segment, pairs or main, side) if lasts else ()
    return {"segment": segment, "relations": list(rows)}


def _relations(
    segment: Mapping[str, Any], pairs: list[tuple[str, str]], side: str | None
) -> Iterator[dict]:
    """Each verb the wearer does, what it is done to, and the hand where only one is mentioned."""
    rows: dict[str, dict] = {}

    def add(key: str, subject: str, relation: str, thing: str, role: str | None) -> None:
        rows.setdefault(
            key,
            {
                "source": segment["source"],
                "recording_id": segment["recording_id"],
                "relation_id": f"{segment['segment_id']}|{key}",
                "segment_id": segment["segment_id"],
                "subject": subject,
                "relation": relation,
                "object": thing,
                "role": role,
                "hand_side": side,
                "source_file": segment["source_file"],
                "source_key": f"{segment['segment_id']}|{key}",
            },
        )

    for verb, noun in pairs:
        add(verb, WEARER, "verb", verb, None)
        add(f"{verb}|{noun}", verb, "direct object", noun, "direct")
    if side is not None and pairs:
        hand = "both hands" if side == "both" else f"{side} hand"
        add(f"{pairs[0][0]}|with|{hand}", pairs[0][0], "with", hand, "hand")
    yield from rows.values()


def _side(hands: Any) -> str | None:
    """The side, where every mentioned hand is the same: two hands may do two things."""
    if not isinstance(hands, list | tuple):
        raise Malformed("hands is not a list", str(hands)[:80])
    sides = {_HANDS.get(one) for one in hands if isinstance(one, str)}
    return next(iter(sides)) if len(sides) == 1 else None


def _pairs(said: Any, name: str) -> list[tuple[str, str]]:
    """Verb and noun; those without a noun are not pairs."""
    if not isinstance(said, list | tuple):
        raise Malformed(f"{name} is not a list", str(said)[:80])
    found: list[tuple[str, str]] = []
    for one in said:
        if (
            not isinstance(one, list | tuple)
            or len(one) != 2
            or not all(isinstance(w, str) and w.strip() for w in one)
        ):
            raise Malformed(f"{name} holds something else than verb and noun", str(one)[:80])
        found.append((one[0].strip(), one[1].strip()))
    return found


def _numbers(said: Any, name: str) -> list[int]:
    if not isinstance(said, list | tuple):
        raise Malformed(f"{name} is not a list", str(said)[:80])
    return [whole_number(one) for one in said]
