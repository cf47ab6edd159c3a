"""Segments of LEMMA."""

from __future__ import annotations

from collections.abc import Iterator

from assets.sources.layout import PartFiles, Rows
from assets.sources.lemma.files import (
    FPS,
    recording_of,
    view_of,
)
from assets.sources.lemma.hoi import Hoi, parse_hoi, words_of
from assets.sources.lemma.intervals import PEOPLE, Interval
from assets.sources.lemma.states import state_rows
from assets.sources.reading.row_reader import RowReader
from expectations.schemas import TABLES


def read_segments(part: PartFiles) -> Rows:
    """Actions of each agent on the agent's own recording, what they are done to and with, and states."""
    reader = RowReader("segments")
    segments, relations = [], []
    for people in part.document(PEOPLE, reader).values():
        for intervals in people.values():
            for one in intervals:
                if one.is_null:
                    continue
                uid = recording_of(one.vid, view_of(one.pid))
                made = reader.make(one.file, one.key, lambda i=one: {"hoi": parse_hoi(i.name)}, uid)
                if made is not None:
                    segments.append(_segment(part.source, one, uid))
                    relations.extend(_relations(part.source, one, uid, made["hoi"]))
    tables = {
        "segments": TABLES["segments"].frame(segments),
        "relations": TABLES["relations"].frame(relations),
    }
    if part.large:
        known = {segment["segment_id"] for segment in segments}
        states = RowReader("object_states")
        rows = list(state_rows(part.source, part.large, known, states))
        tables["object_states"] = TABLES["object_states"].frame(rows)
        reader.refused += states.refused
    return Rows(tables, tuple(reader.refused))


def _segment(source: str, one: Interval, uid: str) -> dict:
    return {
        "source": source,
        "segment_id": one.key,
        "recording_id": uid,
        "kind": "action",
        "actor_id": one.pid,
        "start_s": one.start / FPS,
        "end_s": one.end / FPS,
        "class_name": one.name,
        "narration": words_of(one.name),
        "source_file": one.file,
        "source_key": one.key,
    }


def _relations(source: str, one: Interval, uid: str, hoi: Hoi) -> Iterator[dict]:
    """Actor to verb, and verb to each thing; a thing named twice in one part counts once."""
    sides = {thing.hand_side for thing in hoi.things if thing.hand_side is not None}
    side = sides.pop() if len(sides) == 1 else "both" if sides else None
    triples = [(one.pid, "verb", hoi.verb, None)]
    triples += [(hoi.verb, thing.relation, thing.name, thing.role) for thing in hoi.things]
    for subject, relation, thing, role in dict.fromkeys(triples):
        key = f"{one.key}|{relation}|{thing}"
        yield {
            "source": source,
            "recording_id": uid,
            "relation_id": key,
            "segment_id": one.key,
            "subject": subject,
            "relation": relation,
            "object": thing,
            "role": role,
            "hand_side": side,
            "actor_id": one.pid,
            "source_file": one.file,
            "source_key": key,
        }
