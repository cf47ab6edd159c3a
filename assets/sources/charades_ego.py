"""Charades-Ego: the same script acted twice, once filmed by an observer and once by the actor.

The two recordings of a pair are asynchronous takes of their own, tied by `take_links`. Traps: cells
that hold lists apart by semicolons; the list of first-person videos repeats what the full list says;
actions that end behind their video (they are cut, the stated end is kept) or before they begin;
videos without a stated length, whose descriptions have no interval to stand in.
Version 1 of the release adds two columns (whether a video is egocentric, and its partner); only
version 0 was seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from assets.sources.guard import Guard
from assets.sources.layout import Layout, Medium, Part, PartFiles, Rows
from assets.sources.reading import Malformed, number
from assets.sources.recording_rows import video_media, videos_by_id
from expectations.schemas import TABLES

LICENCE = "AI2 non-commercial licence"
LIST = (
    r"(?:.*/)?CharadesEgo_v\d_(?P<split>train|test|egocentric_test)(?P<only>_only(?:1st|3rd))?\.csv"
)
CLASSES = r"(?:.*/)?[Cc]harades_v1_classes(?:_\w+)?\.txt"
VIDEO = r"(?:.*/)?CharadesEgo_v1_480/(?P<uid>[A-Z0-9]+)\.mp4"
EGO = "EGO"
_COLUMNS = ("id", "actions", "length")
_ACTION = re.compile(r"(c\d{3}) (\S+) (\S+)")
_CLASS = re.compile(r"c(\d{3}) (.+)")


def read_recordings(part: PartFiles) -> Rows:
    """Listed videos, and their ties; a video that no list names is none of the dataset's."""
    guard = Guard("recordings")
    media = videos_by_id(part.media, VIDEO)
    listed = _listed(part, guard)
    rows = [
        _recording(part.source, file, row, media.get(uid)) for uid, (file, row) in listed.items()
    ]
    links = [
        {
            "source": part.source,
            "take_id": uid,
            "link": "re_enacts",
            "other_take_id": partner,
            "source_file": file,
        }
        for uid, (file, row) in listed.items()
        if _is_ego(row) and (partner := _partner(row)) in listed
    ]
    tables = {
        "recordings": TABLES["recordings"].frame(rows),
        "take_links": TABLES["take_links"].frame(links),
    }
    return Rows(tables, tuple(guard.refused))


def read_segments(part: PartFiles) -> Rows:
    """Actions, and the whole video as a `scene` with each of its descriptions."""
    guard = Guard("segments")
    # What cannot be read of a list is told by the part that reads recordings.
    segments: dict[str, dict] = {}
    for uid, (file, row) in _listed(part, Guard("")).items():
        base = {"source": part.source, "recording_id": uid, "split": _split(file)}
        for made in (*_actions(guard, file, row), *_scenes(row)):
            # The same action at the same time twice is said once.
            segments.setdefault(made["segment_id"], {**base, "source_file": file, **made})
    return Rows(
        {"segments": TABLES["segments"].frame(list(segments.values()))}, tuple(guard.refused)
    )


def read_taxonomies(part: PartFiles) -> Rows:
    """The 157 action classes."""
    guard = Guard("taxonomies")
    rows = []
    for file, data in part.files.items():

        def make(text: str, file: str = file) -> dict:
            match = _CLASS.fullmatch(text)
            if match is None:
                raise Malformed("the line is no class", text[:80])
            return {
                "source": part.source,
                "taxonomy": "action",
                "class_id": int(match[1]),
                "label": match[2],
                "terms": [match[2]],
                "source_file": file,
            }

        rows += [row for _, row in guard.lines(file, data, make)]
    return Rows({"taxonomies": TABLES["taxonomies"].frame(rows)}, tuple(guard.refused))


def _listed(part: PartFiles, guard: Guard) -> dict[str, tuple[str, Mapping[str, str]]]:
    """Rows of all lists by video, each with its file; lists of one view alone come last."""
    found: dict[str, tuple[str, Mapping[str, str]]] = {}
    for file in sorted(part.files, key=lambda path: (bool(_list(path)["only"]), path)):
        for _, row in guard.csv(file, part.files[file], _COLUMNS, _video):
            uid = row["id"]
            first = found.setdefault(uid, (file, row))
            if first[1] != row:
                guard.refuse(
                    file, uid, "contradicting_row", row,
                    f"{first[0]} has another row of the video, which is used",
                    "remove one of the rows", uid,
                )  # fmt: skip
            if _split(first[0]) != _split(file):
                guard.refuse(
                    file,
                    uid,
                    "contradicting_split",
                    _split(file),
                    f"{first[0]} lists the video as {_split(first[0])}, which is used",
                    "remove the video from one of the lists",
                    uid,
                )
    return found


def _list(path: str) -> re.Match[str]:
    match = re.fullmatch(LIST, path)
    assert match is not None
    return match


def _split(path: str) -> str:
    return "train" if _list(path)["split"] == "train" else "test"


def _video(row: Mapping[str, str]) -> dict:
    if not re.fullmatch(r"[A-Z0-9]{5,8}", row["id"]):
        raise Malformed("the video has no usable id", row["id"])
    if (length := _length(row)) is not None and length <= 0:
        raise Malformed("the video has no length", row["length"])
    return dict(row)


def _length(row: Mapping[str, str]) -> float | None:
    return number(row["length"]) if row["length"].strip() else None


def _is_ego(row: Mapping[str, str]) -> bool:
    said = row.get("egocentric")
    return said == "Yes" if said else row["id"].endswith(EGO)


def _partner(row: Mapping[str, str]) -> str:
    return row.get("charades_video") or row["id"].removesuffix(EGO)


def _recording(source: str, file: str, row: Mapping[str, str], medium: Medium | None) -> dict:
    return {
        "source": source,
        "recording_id": row["id"],
        "take_id": row["id"],
        "view": "ego" if _is_ego(row) else "exo",
        "scene": row.get("scene") or None,
        "person_id": row.get("subject") or None,
        "split": _split(file),
        **video_media(medium),
        "duration_s": _length(row),
        "licence": LICENCE,
        "source_file": file,
        "source_key": row["id"],
    }


def _actions(guard: Guard, file: str, row: Mapping[str, str]) -> Iterator[dict]:
    uid = row["id"]
    length = _length(row)
    for said in filter(None, row["actions"].split(";")):

        def make(said: str = said) -> dict:
            match = _ACTION.fullmatch(said.strip())
            if match is None:
                raise Malformed("an action is `class start end`", said)
            start, end = number(match[2]), number(match[3])
            inside = end if length is None else min(end, length)
            if start >= inside:
                raise Malformed("the action ends before it begins, or begins after its video", said)
            return {
                "segment_id": f"{uid}/{match[1]}/{match[2]}-{match[3]}",
                "kind": "action",
                "start_s": start,
                "end_s": inside,
                "stated_end_s": end if end > inside else None,
                "class_id": int(match[1][1:]),
                "source_key": f"{uid}/{said.strip()}",
            }

        made = guard.make(file, uid, make, uid)
        if made is not None:
            yield made


def _scenes(row: Mapping[str, str]) -> Iterator[dict]:
    uid, length = row["id"], _length(row)
    if length is None:
        return
    for at, text in enumerate(filter(None, (row.get("descriptions") or "").split(";"))):
        yield {
            "segment_id": f"{uid}/description/{at}",
            "kind": "scene",
            "start_s": 0.0,
            "end_s": length,
            "narration": text.strip(),
            "source_key": f"{uid}/description/{at}",
        }


LAYOUT = Layout(
    name="charades_ego",
    title="Charades-Ego",
    licence=LICENCE,
    certainty="documented",
    assumed="the two columns that version 1 adds (version 0 was seen)",
    parts=(
        Part("recordings", read_recordings, LIST, VIDEO),
        Part("segments", read_segments, LIST),
        Part("taxonomies", read_taxonomies, CLASSES),
    ),
)
