"""LEMMA (also under EgoTaskQA): daily tasks of one or two agents, own cameras and a room camera.

No raw file of the release was seen; the layout is that of the authors' code and of projects that
read it. Traps: annotation frames count from 0 while pictures count from 1, at 24 frames a second,
and intervals end before their last number; one interval may serve several tasks, joined by commas;
`null$` and `NULL` say that nothing is done; videos of one agent have no P2; the room's camera shows
both agents and is nobody's.

EgoTaskQA's files are read where they lie beside: states of things before and after each action
(`parsed.json`) and its questions with open answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assets.sources.guard import Guard
from assets.sources.layout import Layout, Part, PartFiles, Rows
from assets.sources.lemma_hoi import Hoi, parse_hoi, words_of
from assets.sources.lemma_intervals import Interval, people_of
from assets.sources.lemma_paths import (
    EXO,
    FPS,
    IMAGE,
    INTERVALS,
    LENGTHS,
    LICENCE,
    QUESTIONS,
    SPLIT,
    STATES,
    VIDEO,
    VOCABULARY,
    recording_of,
    view_of,
)
from assets.sources.lemma_questions import read_questions
from assets.sources.lemma_recordings import read_recordings, split_vids
from assets.sources.lemma_states import state_rows
from assets.sources.reading import Malformed
from expectations.schemas import TABLES

_TAXONOMIES = {"ac": "verb", "ob": "object", "ta": "coarse", "ho": "action"}


def read_segments(part: PartFiles) -> Rows:
    """Actions of each agent on the agent's own recording, what they are done to and with, and states."""
    guard = Guard("segments")
    segments, relations = [], []
    for people in people_of(part.files, guard).values():
        for intervals in people.values():
            for one in intervals:
                if one.is_null:
                    continue
                uid = recording_of(one.vid, view_of(one.pid))
                made = guard.make(one.file, one.key, lambda i=one: {"hoi": parse_hoi(i.name)}, uid)
                if made is not None:
                    segments.append(_segment(part.source, one, uid))
                    relations.extend(_relations(part.source, one, uid, made["hoi"]))
    tables = {
        "segments": TABLES["segments"].frame(segments),
        "relations": TABLES["relations"].frame(relations),
    }
    if part.large:
        known = {segment["segment_id"] for segment in segments}
        states = Guard("object_states")
        rows = list(state_rows(part.source, part.large, known, states))
        tables["object_states"] = TABLES["object_states"].frame(rows)
        guard.refused += states.refused
    return Rows(tables, tuple(guard.refused))


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


def read_taxonomies(part: PartFiles) -> Rows:
    """Lists of actions, things, tasks and whole interactions; a class is the place in its list."""
    guard = Guard("taxonomies")
    rows: list[dict] = []
    seen: set[str] = set()
    for path, data in part.files.items():
        match = re.fullmatch(VOCABULARY, path)
        if match is None:
            continue
        taxonomy = _TAXONOMIES[match[1].removeprefix("all_")[:2]]
        if taxonomy in seen:
            continue
        seen.add(taxonomy)
        for at, row in guard.json(path, data, _label):
            rows.append(
                {
                    "source": part.source,
                    "taxonomy": taxonomy,
                    "class_id": at,
                    **row,
                    "source_file": path,
                }
            )
    return Rows({"taxonomies": TABLES["taxonomies"].frame(rows)}, tuple(guard.refused))


def _label(item: object) -> dict:
    if not isinstance(item, str) or not item.strip():
        raise Malformed(f"class {item!r} is no text", item)
    return {"label": item, "terms": [item]}


def read_splits(part: PartFiles) -> Rows:
    """Lists of videos by split; every recording of a listed video that annotations name is in it."""
    guard = Guard("splits")
    people = people_of(part.files, Guard("segments"))
    rows = []
    for path, data in part.files.items():
        match = re.fullmatch(SPLIT, path)
        if match is None:
            continue
        for at, vid in split_vids(path, data, guard):
            views = [*(view_of(pid) for pid in sorted(people.get(vid, {}))), EXO]
            rows.extend(
                {
                    "source": part.source,
                    "split_set": match[1],
                    "recording_id": recording_of(vid, view),
                    "split": match[2],
                    "position": at,
                    "source_file": path,
                }
                for view in views
            )
    return Rows({"splits": TABLES["splits"].frame(rows)}, tuple(guard.refused))


LAYOUT = Layout(
    name="lemma",
    title="LEMMA (EgoTaskQA)",
    licence=LICENCE,
    certainty="documented",
    parts=(
        Part(
            "recordings",
            read_recordings,
            rf"{INTERVALS}|{LENGTHS}|{SPLIT}",
            rf"{VIDEO}|{IMAGE}",
        ),
        Part("segments", read_segments, INTERVALS, large=STATES),
        Part("taxonomies", read_taxonomies, VOCABULARY),
        Part("splits", read_splits, rf"{SPLIT}|{INTERVALS}"),
        Part("questions", read_questions, QUESTIONS),
    ),
)
