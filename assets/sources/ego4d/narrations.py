"""Narrations of Ego4D: instants and summaries, written by two people per video.

`{video_uid: {...}}`, in a later release below `videos`. `#C` tells of the wearer, `#O` of others;
`#unsure` stands where the narrator did not know a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from assets.sources.ego4d.files import uid_or_none
from assets.sources.reading.json_streaming import json_members
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number
from expectations.schemas.identity import digest

PASSES = ("narration_pass_1", "narration_pass_2")
REDACTED = "redacted"
_TAG = re.compile(r"\s*#\s*([A-Za-z]+)\s*")
_UNSURE = re.compile(r"#\s*unsure\b", re.IGNORECASE)
_ACTORS = {"c": "C", "o": "O"}
_SUMMARY = "summary"


def narration_rows(
    source: str, file: str, pieces: Callable[[], Iterable[bytes]], reader: RowReader
) -> Iterator[dict]:
    """Rows of `segments`.

    Args:
        source: Source.
        file: Path, for the refusals.
        pieces: Gives the document from its beginning.
        reader: Takes the refusals.
    """
    try:
        for uid, video in _videos(pieces):
            for row in _of_video(file, uid, video, reader):
                yield {"source": source, **row, "source_file": file}
    except Malformed as error:
        reader.unreadable(file, error)


def _videos(pieces: Callable[[], Iterable[bytes]]) -> Iterator[tuple[Any, Any]]:
    """Videos by id, wherever the release keeps them."""
    members = json_members(pieces(), ["videos"])
    try:
        first = next(members, None)
    except Malformed:
        yield from json_members(pieces())
        return
    if first is not None:
        yield first
        yield from members


def _of_video(file: str, uid: Any, video: Any, reader: RowReader) -> Iterator[dict]:
    def checked() -> dict:
        if isinstance(video, Malformed):
            raise video
        if uid_or_none(uid) is None:
            raise Malformed(f"{uid!r} is not an id of a video", uid)
        if not isinstance(video, dict):
            raise Malformed("the video's narrations are not an object", str(video)[:80])
        return video

    # A release may state things of itself beside the videos.
    if not isinstance(video, dict | Malformed) and uid_or_none(uid) is None:
        return
    said = reader.make(file, uid, checked)
    if said is None:
        return
    if said.get("status") == REDACTED:
        reader.reject(file, uid, "redacted", REDACTED, "the narrated pictures were blacked out",
                     "nothing to do: the release withholds this video", uid)  # fmt: skip
        return
    for name in PASSES:
        held = said.get(name)
        if held is None:
            continue
        for kind, make in (("narrations", _point), ("summaries", _summary)):
            items = held.get(kind) if isinstance(held, dict) else None
            if not isinstance(items, list):
                reader.reject(file, f"{uid}/{name}", "unreadable_row", str(held)[:80],
                             f"row cannot be read: the pass has no list of {kind}",
                             "correct the row in the annotation file", uid)  # fmt: skip
                continue
            for at, item in enumerate(items):
                row = reader.make(
                    file, f"{uid}/{name}/{kind}/{at}", lambda i=item, n=name, m=make: m(uid, n, i),
                    uid,
                )  # fmt: skip
                if row is not None:
                    yield row


def _point(uid: str, name: str, item: Any) -> dict:
    if not isinstance(item, dict):
        raise Malformed("a narration is not an object", str(item)[:80])
    raw = _text(item.get("narration_text"), "narration_text")
    actor, words = cut_text(raw)
    at = number(item.get("timestamp_sec"))
    key = f"{uid}/{name}/{item.get('annotation_uid')}/{at:.6f}/{digest([raw])[:8]}"
    return {
        "segment_id": key,
        "recording_id": uid,
        "kind": "atomic",
        "actor_id": actor,
        "is_point": True,
        "start_s": at,
        "end_s": at,
        "narration": words,
        "narration_original": raw,
        "source_key": key,
    }


def _summary(uid: str, name: str, item: Any) -> dict:
    if not isinstance(item, dict):
        raise Malformed("a summary is not an object", str(item)[:80])
    raw = _text(item.get("summary_text"), "summary_text")
    start, end = number(item.get("start_sec")), number(item.get("end_sec"))
    _, words = cut_text(raw)
    key = f"{uid}/{name}/{item.get('annotation_uid')}/{start:.6f}-{end:.6f}/{digest([raw])[:8]}"
    return {
        "segment_id": key,
        "recording_id": uid,
        "kind": "coarse",
        "start_s": start,
        "end_s": end,
        "narration": words,
        "narration_original": raw,
        "source_key": key,
    }


def _text(value: object, name: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise Malformed(f"{name} is not text", value)
    return value


def cut_text(raw: str) -> tuple[str | None, str | None]:
    """Actor (`C` the wearer, `O` somebody else, None where not said) and words without marks."""
    words = raw
    actor: str | None = None
    while (match := _TAG.match(words)) is not None:
        tag = match[1].lower()
        if tag not in (*_ACTORS, _SUMMARY):
            break
        actor = actor or _ACTORS.get(tag)
        words = words[match.end() :]
    return actor, " ".join(_UNSURE.sub(" ", words).split()) or None
