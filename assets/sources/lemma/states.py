"""World states of EgoTaskQA (`parsed.json`): what holds for things before and after each action.

`{vid: {"all_segments": [[header, _, states]]}}`, header `[index, agent, [actions], start, end]`; a
state names a thing, `before` or `after`, attributes with `yes`, `no`, `N/A`, `unknow` (so written) or
a word, and relations `{o1, rel, o2}`. Known from the authors' code. Values stay as written; what is
null was not annotated and gives no row.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from assets.sources.lemma.files import FPS, is_person, recording_of, vid_or_none, view_of
from assets.sources.reading.row_reader import REMEDY_ROW, RowReader
from assets.sources.reading.values import Malformed, whole_number

HOLDS = "yes"
"""Value of a relation that has no second thing: the word the attributes use."""


def state_rows(
    source: str,
    files: Mapping[str, Callable[[], Iterable[bytes]]],
    segments: Collection[str],
    reader: RowReader,
) -> Iterator[dict]:
    """Rows of `object_states`.

    Args:
        source: Source.
        files: World-state files, given in pieces; of several the shortest path is read.
        segments: Known segments: an action that is not one of them gives states without a segment.
        reader: Takes the refusals.
    """
    path = min(files, key=lambda p: (len(p), p), default=None)
    if path is None:
        return
    for video in reader.large_json(path, files[path](), [], _video):
        vid = video["vid"]
        for at, item in enumerate(video["segments"]):
            key = f"{vid}/{at}"
            made = reader.make(path, key, lambda v=vid, i=item: _header(v, i))
            if made is None:
                continue
            uid = recording_of(vid, view_of(made["pid"]))
            made["segment_id"] = next((s for s in made["keys"] if s in segments), None)
            # A relation is stated with each of its two things.
            seen: set[tuple[str, str]] = set()
            for place, state in enumerate(made["states"]):
                for said in _said(path, f"{key}/{place}", uid, state, reader):
                    row = _row(vid, uid, made, said)
                    if (row["state_id"], row["value"]) not in seen:
                        seen.add((row["state_id"], row["value"]))
                        yield {"source": source, **row, "source_file": path}


def _video(vid: object, said: Any) -> dict:
    name = vid_or_none(vid)
    if name is None:
        raise Malformed(f"{vid!r} is not an id of a video", vid)
    segments = said.get("all_segments") if isinstance(said, dict) else None
    if not isinstance(segments, list):
        raise Malformed("the video has no list all_segments", str(said)[:80])
    return {"vid": name, "segments": segments}


def _header(vid: str, item: Any) -> dict:
    if not isinstance(item, list) or len(item) != 3 or not isinstance(item[2], list):
        raise Malformed("a segment is not a list of header, details and states", str(item)[:80])
    header = item[0]
    if not isinstance(header, list) or len(header) != 5:
        raise Malformed("a header is not a list of five", str(header)[:80])
    index, pid, actions, start, end = header
    if not is_person(pid):
        raise Malformed(f"{pid!r} is not an agent (P1, P2)", pid)
    if not isinstance(actions, list) or not all(isinstance(a, str) for a in actions):
        raise Malformed("actions are not a list of texts", str(actions)[:80])
    first, last = whole_number(start), whole_number(end)
    if not 0 <= first <= last:
        raise Malformed("the segment ends before it begins", f"{first}-{last}")
    return {
        "pid": pid,
        "index": whole_number(index),
        "first": first,
        "last": last,
        # An action's key in the intervals, which the same annotators wrote.
        "keys": [f"{vid}|{pid}|{first}|{last}|{name.strip()}" for name in actions],
        "states": item[2],
    }


def _said(file: str, row: str, uid: str, state: Any, reader: RowReader) -> Iterator[dict]:
    """Thing, moment, attribute and value of what a state says, each judged alone."""
    made = reader.make(file, row, lambda: _thing(state), uid)
    if made is None:
        return
    for name, value in made["state"].items():
        if value is None:
            continue
        if not isinstance(value, str) or not value.strip():
            reader.reject(file, f"{row}/{name}", "unreadable_row", str(value)[:80],
                         f"row cannot be read: {name} is not text", REMEDY_ROW, uid)  # fmt: skip
            continue
        yield {**made, "attribute": name, "value": value, "what": "state"}
    for kind, items in made["rel"].items():
        for at, item in enumerate(items if isinstance(items, list) else [items]):
            if item is None:
                continue
            tie = reader.make(file, f"{row}/{kind}/{at}", lambda i=item: _tie(i), uid)
            if tie is not None:
                yield {**made, **tie, "what": kind}


def _thing(state: Any) -> dict:
    if not isinstance(state, dict):
        raise Malformed("a state is not an object", str(state)[:80])
    thing, moment = state.get("obj"), state.get("type")
    if not isinstance(thing, str) or not thing.strip():
        raise Malformed("obj is not text", str(thing)[:80])
    if moment not in ("before", "after"):
        raise Malformed("type is neither before nor after", str(moment)[:80])
    held = {}
    for name in ("state", "rel"):
        # Null: not annotated.
        value = state.get(name)
        if value is not None and not isinstance(value, dict):
            raise Malformed(f"{name} is not an object", str(value)[:80])
        held[name] = value or {}
    return {"object": thing, "moment": moment, **held}


def _tie(item: Any) -> dict:
    fields = [item.get(n) for n in ("o1", "rel", "o2")] if isinstance(item, dict) else [None]
    if not all(isinstance(f, str) and f.strip() for f in fields[:2]):
        raise Malformed("a relation has no o1 and rel", str(item)[:80])
    if fields[2] is not None and not isinstance(fields[2], str):
        raise Malformed("o2 is not text", str(fields[2])[:80])
    return {"object": fields[0], "attribute": fields[1], "value": fields[2] or HOLDS}


def _row(vid: str, uid: str, made: Mapping[str, Any], said: Mapping[str, Any]) -> dict:
    at = (made["first"] if said["moment"] == "before" else made["last"]) / FPS
    names = (vid, made["pid"], made["index"], said["moment"], said["object"], said["what"])
    key = "|".join(map(str, (*names, said["attribute"])))
    if said["what"] != "state":
        key = f"{key}|{said['value']}"
    return {
        "recording_id": uid,
        "state_id": key,
        "segment_id": made["segment_id"],
        "moment": said["moment"],
        "start_s": at,
        "end_s": at,
        "object": said["object"],
        "attribute": said["attribute"],
        "value": said["value"],
        "actor_id": made["pid"],
        "source_key": key,
    }
