"""Ego-EASG: graphs of what the wearer of Ego4D clips does to which thing, with boxes and hands.

Traps, seen in the real files: the graphs for language models count frames of the whole video, the
pickles those of the clip; `min_ts` and `max_ts` are frames; 18 graphs are empty; one clip may have
several graphs of one PNR; `left_hand` and `left hand` are one; `both_hands` is two boxes; boxes
reach beyond the picture; entries are repeated. Several files tell of one graph and are joined.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from assets.sources.easg_graph import MOMENTS, Box, Graph
from assets.sources.easg_paths import (
    CLIP,
    DOWNSTREAM,
    EGO4D,
    FPS,
    LICENCE,
    MASTER,
    NARRATIONS,
    PICKLE,
    VIDEO_UIDS,
    VOCABULARY,
)
from assets.sources.easg_read import Known, read_all
from assets.sources.easg_words import acting_side, hand_side, role_of, spelling
from assets.sources.guard import Guard
from assets.sources.json_reading import document_of, member_of
from assets.sources.layout import Layout, Medium, Part, PartFiles, Rows
from assets.sources.reading import Malformed
from assets.sources.recording_rows import video_media
from expectations.schemas import TABLES

_MOMENT = {"pre": "pre", "pnr": "contact", "post": "post"}
_TOLERANCE = 1e-6
"""A box counts as clipped where it reaches further than float32 sums are off."""


# -- recordings ------------------------------------------------------------------------------------


def read_recordings(part: PartFiles) -> Rows:
    """Clips that any file of graphs names, placed on their video where its start is known.

    Other clips of Ego4D may lie in the same folder: they are no part of this dataset.
    """
    media = _media(part.media)
    guard = Guard("recordings")
    # What is wrong inside the files is said once, by the part that fills `segments`.
    clips = read_all(part.files, Guard("segments"), guard).clips
    rows = [_recording(part.source, uid, known, media.get(uid)) for uid, known in clips.items()]
    clocks = [
        {
            "source": part.source,
            "recording_id": uid,
            "take_id": known.video,
            "offset_s": known.start / FPS,
            "rate": 1.0,
            "method": "frame_aligned",
            "source_file": known.file,
        }
        for uid, known in clips.items()
        if known.video is not None and known.start is not None
    ]
    if not rows:
        guard.refuse(
            "easg-downstream/ALL_GRAPHS_FOR_DOWNSTREAM.json",
            None,
            "file_missing",
            None,
            "no file of graphs is here",
            "restore ALL_GRAPHS_FOR_DOWNSTREAM.json or the pickles",
        )
    tables = {
        "recordings": TABLES["recordings"].frame(rows),
        "clocks": TABLES["clocks"].frame(clocks),
    }
    return Rows(tables, tuple(guard.refused))


def _media(media: Mapping[str, Medium]) -> dict[str, Medium]:
    """Clips by id; whole ones go before scaled ones."""
    found: dict[str, Medium] = {}
    for path in sorted(media, key=lambda p: ("540ss" in p, p)):
        match = re.fullmatch(CLIP, path)
        if match is not None:
            found.setdefault(match[1], media[path])
    return found


def _recording(source: str, uid: str, known: Known, medium: Medium | None) -> dict:
    width, height = known.size_px or (None, None)
    return {
        "source": source,
        "recording_id": uid,
        # Clips of one video show one performance.
        "take_id": known.video or uid,
        "view": "ego",
        "split": known.split,
        **video_media(medium),
        "duration_s": known.length_s,
        "declared_fps": FPS,
        "width_px": width,
        "height_px": height,
        "licence": LICENCE,
        "source_file": known.file,
        "source_key": uid,
    }


# -- graphs ----------------------------------------------------------------------------------------


def read_segments(part: PartFiles) -> Rows:
    """One segment per graph, from PRE to POST, and a relation per triplet."""
    guard = Guard("segments")
    graphs = read_all(part.files, guard, guard).graphs.values()
    texts = _narrations(part.files, guard)
    tables = {
        "segments": TABLES["segments"].frame([_segment(part.source, g, texts) for g in graphs]),
        "relations": TABLES["relations"].frame(
            [row for g in graphs for row in _relations(part.source, g)]
        ),
    }
    return Rows(tables, tuple(guard.refused))


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


def _narrations(files: Mapping[str, bytes], guard: Guard) -> dict[str, str]:
    """Narration of each annotation."""
    path = next((p for p in files if re.fullmatch(NARRATIONS, p)), None)
    if path is None:
        return {}
    try:
        listed = member_of(document_of(files[path]), "mappings", list)
    except Malformed as error:
        guard.unreadable(path, error)
        return {}
    found: dict[str, str] = {}
    for at, item in enumerate(listed):
        made = guard.make(path, at, lambda i=item: _narration(i))
        for aid, text in (made or {}).items():
            guard.keep_first(found, aid, text, file=path, row=at)
    return found


def _narration(item: object) -> dict:
    if not isinstance(item, dict):
        raise Malformed("a mapping is no object", item)
    texts: dict[str, str] = {}
    for aid, one in item.items():
        text = one.get("narration_text") if isinstance(one, dict) else None
        if not isinstance(text, str):
            raise Malformed("a mapping holds no narration text", str(one)[:80])
        if text.strip():
            texts[aid] = text.strip()
    return texts


# -- boxes -----------------------------------------------------------------------------------------


def read_objects(part: PartFiles) -> Rows:
    """Boxes of things and hands before, at and after each PNR."""
    guard = Guard("boxes")
    graphs = read_all(part.files, Guard("segments"), Guard("recordings")).graphs.values()
    rows = [row for graph in graphs for row in _boxes(part.source, graph)]
    return Rows({"boxes": TABLES["boxes"].frame(rows)}, tuple(guard.refused))


def _boxes(source: str, graph: Graph) -> Iterator[dict]:
    """Rows of a graph; boxes of one name and moment are numbered from the left."""
    count: dict[tuple[str, str], int] = {}
    for box in sorted(
        graph.boxes, key=lambda b: (MOMENTS.index(b.moment), b.name, b.numbers, b.instance or "")
    ):
        at = count.get((box.moment, box.name), 0)
        count[box.moment, box.name] = at + 1
        frame = graph.frame(box.moment)
        key = f"{graph.uid}|{_MOMENT[box.moment]}|{box.name}|{at}"
        yield {
            "source": source,
            "recording_id": graph.clip,
            "box_id": key,
            "source_frame": frame,
            "t_s": None if frame is None else frame / FPS,
            "segment_id": graph.uid,
            "moment": _MOMENT[box.moment],
            "class_name": box.name,
            "object_id": box.instance,
            "hand_side": hand_side(box.name),
            "image_space": "stored",
            **_edges(box),
            "raw": list(box.numbers),
            "raw_form": "xywh_norm" if box.size_px is None else "xywh_px",
            "method": "manual",
            "source_file": graph.file,
            "source_key": key,
        }


def _edges(box: Box) -> dict:
    """Edges in shares of the picture, cut at its border."""
    left, top, width, height = box.numbers
    across, down = box.size_px or (1, 1)
    whole = (left / across, top / down, (left + width) / across, (top + height) / down)
    inside = tuple(min(max(edge, 0.0), 1.0) for edge in whole)
    names = ("x_min", "y_min", "x_max", "y_max")
    clipped = any(abs(a - b) > _TOLERANCE for a, b in zip(whole, inside, strict=True))
    return {**dict(zip(names, inside, strict=True)), "clipped": clipped}


# -- vocabularies ----------------------------------------------------------------------------------


def read_taxonomies(part: PartFiles) -> Rows:
    """Verbs and objects of scene graph generation; a class is its line, from 0."""
    guard = Guard("taxonomies")
    rows = []
    for path, data in part.files.items():
        match = re.fullmatch(VOCABULARY, path)
        if match is None:
            continue
        rows += [
            {
                "source": part.source,
                "taxonomy": "verb" if match[1] == "verbs" else "object",
                "class_id": line - 1,
                **made,
                "source_file": path,
            }
            for line, made in guard.lines(path, data, lambda t: {"label": t, "terms": [t]})
        ]
    return Rows({"taxonomies": TABLES["taxonomies"].frame(rows)}, tuple(guard.refused))


_GRAPHS = rf"{DOWNSTREAM}|{PICKLE}|{MASTER}|{EGO4D}"

LAYOUT = Layout(
    name="easg",
    title="Ego-EASG (Ego4D)",
    licence=LICENCE,
    certainty="verified",
    parts=(
        Part("recordings", read_recordings, rf"{_GRAPHS}|{VIDEO_UIDS}", CLIP),
        Part("segments", read_segments, rf"{_GRAPHS}|{NARRATIONS}"),
        Part("objects", read_objects, _GRAPHS),
        Part("taxonomies", read_taxonomies, VOCABULARY),
    ),
)
