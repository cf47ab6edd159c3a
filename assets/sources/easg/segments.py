"""Segments of Ego-EASG."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from assets.sources.easg.clips import ALL_GRAPHS
from assets.sources.easg.files import (
    FPS,
    NARRATIONS,
)
from assets.sources.easg.graph import Graph
from assets.sources.easg.words import acting_side, hand_side, role_of, spelling
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.json import document_of, member_of
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed
from expectations.schemas import TABLES


def read_segments(part: PartFiles) -> Rows:
    """One segment per graph, from PRE to POST, and a relation per triplet."""
    reader = RowReader("segments")
    graphs = part.document(ALL_GRAPHS, reader).graphs.values()
    texts = _narrations(part.files, reader)
    tables = {
        "segments": TABLES["segments"].frame([_segment(part.source, g, texts) for g in graphs]),
        "relations": TABLES["relations"].frame(
            [row for g in graphs for row in _relations(part.source, g)]
        ),
    }
    return Rows(tables, tuple(reader.refused))


def _segment(source: str, graph: Graph, texts: Mapping[str, str]) -> dict:
    told = sorted({texts[aid] for aid in graph.narrations if aid in texts})
    return {
        "source": source,
        "segment_id": graph.uid,
        "recording_id": graph.clip,
        "kind": "interaction",
        "is_point": graph.pre == graph.post,
        "start_s": graph.pre / FPS,
        "end_s": graph.post / FPS,
        "split": graph.split,
        "class_name": " ".join(word for word in (graph.verb, graph.noun) if word),
        "narration": "; ".join(told) or None,
        "source_file": graph.file,
        "source_key": graph.uid,
    }


def _relations(source: str, graph: Graph) -> Iterator[dict]:
    for one in graph.triplets:
        subject, relation, thing = one
        verb = thing if relation == "verb" else subject
        # A hand itself tells its side; everything else is done with the hand the verb is done with.
        side = hand_side(thing) or acting_side(verb, graph.triplets)
        key = "|".join((graph.uid, *spelling(one)))
        yield {
            "source": source,
            "recording_id": graph.clip,
            "relation_id": key,
            "segment_id": graph.uid,
            "subject": subject,
            "relation": relation,
            "object": thing,
            "role": role_of(relation, thing),
            "hand_side": side,
            "source_file": graph.file,
            "source_key": key,
        }


def _narrations(files: Mapping[str, bytes], reader: RowReader) -> dict[str, str]:
    """Narration of each annotation."""
    path = next((p for p in files if re.fullmatch(NARRATIONS, p)), None)
    if path is None:
        return {}
    try:
        listed = member_of(document_of(files[path]), "mappings", list)
    except Malformed as error:
        reader.unreadable(path, error)
        return {}
    found: dict[str, str] = {}
    for at, item in enumerate(listed):
        made = reader.make(path, at, lambda i=item: _narration(i))
        for aid, text in (made or {}).items():
            reader.keep_first(found, aid, text, file=path, row=at)
    return found


def _narration(item: object) -> dict:
    if not isinstance(item, dict):
        raise Malformed("a mapping is not an object", item)
    texts: dict[str, str] = {}
    for aid, one in item.items():
        text = one.get("narration_text") if isinstance(one, dict) else None
        if not isinstance(text, str):
            raise Malformed("a mapping holds no narration text", str(one)[:80])
        if text.strip():
            texts[aid] = text.strip()
    return texts
