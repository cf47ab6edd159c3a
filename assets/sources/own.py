"""Own recordings: a video, a scene graph in JSON and gaze in CSV (docs/own-recordings.md)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from assets.sources.guard import REMEDY_ROW, Guard
from assets.sources.layout import Layout, Medium, Part, PartFiles, Rows
from assets.sources.own_graph import (
    DIRECT,
    DOES,
    HAS_STATE,
    REMEDY,
    OwnGraph,
    Unfit,
    read_graph,
    size_of,
)
from assets.sources.reading import Malformed, number, text_or_none, whole_number
from assets.sources.recording_rows import video_media, videos_by_id
from assets.sources.wearer import WEARER, WEARER_WORDS
from assets.sources.wide_csv import LINE, wide_csv
from expectations.schemas import TABLES

LICENCE = "own recording"
_ID = r"[A-Za-z0-9][A-Za-z0-9_-]*"
GRAPH = rf"recordings/(?P<recording>{_ID})\.json"
_GRAPH = rf"recordings/({_ID})\.json"
VIDEO = rf"recordings/({_ID})\.mp4"
GAZE = rf"recordings/(?P<recording>{_ID})\.gaze\.csv"
_GAZE_COLUMNS = ("t_s", "x", "y")
_VALIDITY = "validity"
_GAZE_VALUES = ("valid", "blink", "not_worn", "flagged")
_ABOUT = frozenset(
    {
        "take", "view", "person", "device", "scenario", "scene", "environment", "split",
        "take_offset_s", "width_px", "height_px",
    }
)  # fmt: skip
_ROLES = {
    DIRECT: "direct", "with": "tool", "using": "tool", "from": "source", "off": "source",
    "to": "target", "into": "target", "onto": "target", "in": "container", "inside": "container",
    "on": "location", "at": "location", "under": "location", "near": "location",
}  # fmt: skip


# -- recordings ------------------------------------------------------------------------------------


def read_recordings(part: PartFiles) -> Rows:
    """A recording per graph; its video may be missing. A video without a graph is refused."""
    guard = Guard("recordings")
    media = videos_by_id(part.media, VIDEO)
    rows: list[dict] = []
    clocks: list[dict] = []
    graphs = {m[1]: path for path in part.files if (m := re.fullmatch(_GRAPH, path))}
    for uid, path in graphs.items():
        # What is wrong inside is said by the parts that hold it; that there is no graph, here.
        found = read_graph(path, part.files[path], uid, inner := Guard("recordings"), Guard(""))
        if found is None:
            guard.refused += inner.refused
            continue
        made = guard.make(
            path, "recording", lambda f=found, u=uid, p=path: _about(part.source, p, u, f, media),
            uid,
        )  # fmt: skip
        if made is not None:
            rows.append(made["recording"])
            clocks.append(made["clock"])
    for uid in sorted(media.keys() - graphs.keys()):
        guard.refuse(media[uid].path, None, "no_graph", uid, "the video has no graph beside it",
                     f"write recordings/{uid}.json, or read plain videos", uid)  # fmt: skip
    alone = {t for t in (c["take_id"] for c in clocks)
             if sum(c["take_id"] == t for c in clocks) == 1}  # fmt: skip
    for clock in clocks:
        if clock["take_id"] in alone:
            clock["method"] = "alone"
    tables = {
        "recordings": TABLES["recordings"].frame(rows),
        "clocks": TABLES["clocks"].frame(clocks),
    }
    return Rows(tables, tuple(guard.refused))


def _about(
    source: str, path: str, uid: str, graph: OwnGraph, media: Mapping[str, Medium]
) -> dict[str, dict]:
    about = graph.about
    other = sorted(about.keys() - _ABOUT)
    if other:
        raise Malformed("the form has no such field", ", ".join(other))
    texts = {name: text_or_none(about.get(name), name)
             for name in ("take", "person", "device", "scenario", "scene", "environment")}  # fmt: skip
    if about.get("view") not in ("ego", "exo"):
        raise Malformed("view is neither ego nor exo", about.get("view"))
    if about.get("split") not in (None, "train", "val", "test"):
        raise Malformed("split is none of train, val and test", about["split"])
    size = size_of(about) or (None, None)
    medium = media.get(uid)
    take = texts["take"] or uid
    recording = {
        "source": source,
        "recording_id": uid,
        "take_id": take,
        "view": about["view"],
        "device": texts["device"],
        "scenario": texts["scenario"],
        "scene": texts["scene"],
        "environment_id": texts["environment"],
        "person_id": _person_id(graph, texts["person"]),
        "split": about.get("split"),
        **video_media(medium),
        "width_px": size[0],
        "height_px": size[1],
        "licence": LICENCE,
        "source_file": path,
        "source_key": uid,
    }
    clock = {
        "source": source,
        "recording_id": uid,
        "take_id": take,
        "offset_s": number(about.get("take_offset_s", 0.0)),
        "rate": 1.0,
        "method": "timesync",
        "source_file": path,
    }
    return {"recording": recording, "clock": clock}


def _person_id(graph: OwnGraph, named: str | None) -> str | None:
    """Whose recording it is: the name the file gives, else the wearer's id.

    Where the file contradicts itself it is nobody's: a wrong wearer would be worse than none.
    """
    if graph.wearer is None and graph.about["view"] == "ego":
        return None if named in graph.nodes else named
    return named or graph.wearer


# -- segments --------------------------------------------------------------------------------------


def read_segments(part: PartFiles) -> Rows:
    """Actions, what they are done to and with, and states of things."""
    guard = Guard("segments")
    found = _graph(part, guard, Guard("boxes"))
    if found is None:
        # Said with the recordings.
        return Rows({})
    path, uid, graph = found
    tables = {
        "segments": TABLES["segments"].frame(list(_segments(part.source, path, uid, graph))),
        "relations": TABLES["relations"].frame(list(_relations(part.source, path, uid, graph))),
        "object_states": TABLES["object_states"].frame(
            list(_states(part.source, path, uid, graph))
        ),
    }
    return Rows(tables, tuple(guard.refused))


def _graph(part: PartFiles, guard: Guard, boxes: Guard) -> tuple[str, str, OwnGraph] | None:
    assert part.recording is not None
    uid = str(part.recording["recording_id"])
    for path, data in part.files.items():
        graph = read_graph(path, data, uid, guard, boxes)
        return None if graph is None else (path, uid, graph)
    return None


def _segments(source: str, path: str, uid: str, graph: OwnGraph) -> Iterator[dict]:
    for node in graph.nodes.values():
        if node["kind"] != "action":
            continue
        direct = [
            graph.nodes[e["to"]].get("name")
            for e in graph.edges
            if e["from"] == node["id"] and e["relation"] == DIRECT
        ]
        order = node.get("step_order")
        yield {
            "source": source,
            "segment_id": f"{uid}/{node['id']}",
            "recording_id": uid,
            "kind": "action",
            "actor_id": graph.actor(node["id"]),
            "start_s": number(node["start_s"]),
            "end_s": number(node["end_s"]),
            "step_order": None if order is None else whole_number(order),
            "essential": node.get("essential"),
            "class_name": " ".join([node["verb"], *(n for n in direct if n)]),
            "narration": node.get("narration") or None,
            "source_file": path,
            "source_key": node["id"],
        }


def _relations(source: str, path: str, uid: str, graph: OwnGraph) -> Iterator[dict]:
    sides = {e["to"]: e.get("hand") for e in graph.edges if e["relation"] == DOES}
    for edge in graph.edges:
        if edge["relation"] == HAS_STATE:
            continue
        start, end = graph.nodes[edge["from"]], graph.nodes[edge["to"]]
        does = edge["relation"] == DOES
        action = end if does else start
        hand = _side(end) or edge.get("hand") or sides.get(action["id"])
        yield {
            "source": source,
            "recording_id": uid,
            "relation_id": f"{uid}/{edge['id']}",
            "segment_id": f"{uid}/{action['id']}",
            "subject": _actor_word(graph, start) if does else start["verb"],
            "relation": "verb" if does else edge["relation"],
            "object": action["verb"] if does else name_of(end),
            "role": None
            if does
            else "hand"
            if end["kind"] == "hand"
            else _ROLES.get(edge["relation"], "other"),
            "hand_side": hand,
            "actor_id": graph.actor(action["id"]),
            "source_file": path,
            "source_key": edge["id"],
        }


def _actor_word(graph: OwnGraph, person: Mapping[str, Any]) -> str:
    """How a person who acts is called: by name, else by id.

    The wearer is known by the recording's person where the two are one, else by the word for it; a
    person of another role is not called by that word.
    """
    word = name_of(person)
    if graph.wearer is None:
        return word
    if person["id"] == graph.wearer:
        named = graph.about.get("person")
        return word if named in (None, person["id"]) else WEARER
    return f"person {word}" if " ".join(word.lower().split()) in WEARER_WORDS else word


def _side(node: Mapping[str, Any]) -> str | None:
    return node["side"] if node["kind"] == "hand" else None


def name_of(node: Mapping[str, Any]) -> str:
    """How a node is called: hands by their side, things and people by their name, else by id."""
    if node["kind"] == "hand":
        return f"{node['side']} hand"
    return node.get("name") or node["id"]


def _states(source: str, path: str, uid: str, graph: OwnGraph) -> Iterator[dict]:
    for edge in graph.edges:
        if edge["relation"] != HAS_STATE:
            continue
        thing, state = graph.nodes[edge["from"]], graph.nodes[edge["to"]]
        action = edge.get("action")
        yield {
            "source": source,
            "recording_id": uid,
            "state_id": f"{uid}/{edge['id']}",
            "segment_id": None if action is None else f"{uid}/{action}",
            "moment": edge.get("moment"),
            "start_s": None if action is not None else number(edge["start_s"]),
            "end_s": None if action is not None else number(edge["end_s"]),
            "object": name_of(thing),
            "object_id": thing["id"],
            "attribute": state["attribute"],
            "value": state["value"],
            "actor_id": None if action is None else graph.actor(action),
            "source_file": path,
            "source_key": edge["id"],
        }


# -- boxes -----------------------------------------------------------------------------------------


def read_objects(part: PartFiles) -> Rows:
    """Boxes of people, hands and things; those of no action are a track per node."""
    guard = Guard("boxes")
    found = _graph(part, Guard("segments"), guard)
    if found is None:
        return Rows({})
    path, uid, graph = found
    # Where it is no size, every box was refused.
    size = size_of(graph.about) if graph.boxes else None
    rows = []
    for node, box in graph.boxes if size is not None else ():
        raw = [number(box[name]) for name in ("x", "y", "width", "height")]
        edges, clipped = _edges(raw, size)  # type: ignore[arg-type]
        action, at = box.get("action"), number(box["t_s"])
        key = f"{uid}/{node['id']}/{at:.6f}/{action or ''}/{box.get('moment') or ''}"
        rows.append(
            {
                "source": part.source,
                "recording_id": uid,
                "box_id": key,
                "t_s": at,
                "segment_id": None if action is None else f"{uid}/{action}",
                "moment": box.get("moment"),
                "class_name": _boxed_as(node),
                "object_id": node["id"] if node["kind"] == "object" else None,
                "track_id": None if action is not None else f"{uid}/{node['id']}",
                "person_id": node["id"] if node["kind"] == "person" else node.get("of"),
                "hand_side": _side(node),
                "image_space": "upright",
                **edges,
                "raw": raw,
                "raw_form": "xywh_px",
                "clipped": clipped,
                "method": "manual",
                "source_file": path,
                "source_key": key,
            }
        )
    return Rows({"boxes": TABLES["boxes"].frame(rows)}, tuple(guard.refused))


def _boxed_as(node: Mapping[str, Any]) -> str:
    if node["kind"] == "person":
        return node.get("name") or "person"
    return name_of(node)


def _edges(raw: list[float], size: tuple[int, int]) -> tuple[dict, bool]:
    """Edges in shares of the picture, cut at its border, and whether they were cut."""
    left, top, width, height = raw
    whole = (left / size[0], top / size[1], (left + width) / size[0], (top + height) / size[1])
    inside = tuple(min(max(edge, 0.0), 1.0) for edge in whole)
    names = ("x_min", "y_min", "x_max", "y_max")
    clipped = any(abs(a - b) > 1e-9 for a, b in zip(whole, inside, strict=True))
    return dict(zip(names, inside, strict=True)), clipped


# -- gaze ------------------------------------------------------------------------------------------


def read_gaze(part: PartFiles) -> Rows:
    """Where the wearer looks in the picture, by the video's time."""
    assert part.recording is not None
    guard, table = Guard("gaze_samples"), TABLES["gaze_samples"]
    uid = str(part.recording["recording_id"])
    frames = [table.empty()]
    for path, data in part.files.items():
        try:
            frames.append(_gaze(part.source, uid, path, data, part.recording, guard))
        except Unfit as error:
            guard.refuse(path, None, error.rule, error.value, str(error), REMEDY, uid)
        except Malformed as error:
            guard.unreadable(path, error, uid)
    return Rows({"gaze_samples": pl.concat(frames)}, tuple(guard.refused))


def _gaze(
    source: str,
    uid: str,
    path: str,
    data: bytes,
    recording: Mapping[str, object],
    guard: Guard,
) -> pl.DataFrame:
    if recording["view"] != "ego":
        raise Unfit("gaze_not_ego", "gaze is that of the wearer: only ego recordings have it",
                    recording["view"])  # fmt: skip
    width, height = recording["width_px"], recording["height_px"]
    if width is None or height is None:
        raise Unfit("gaze_without_size", "gaze needs width_px and height_px of the recording")
    header = data.split(b"\n", 1)[0].decode("utf-8", "replace").lstrip("\ufeff")
    columns = [name.strip() for name in header.split(",")]
    missing = [name for name in _GAZE_COLUMNS if name not in columns]
    if missing:
        raise Malformed(f"missing columns {missing}; the header has {columns}", missing[0])
    for name in columns:
        if name not in (*_GAZE_COLUMNS, _VALIDITY):
            guard.refuse(path, 1, "unknown_field", name, "the form has no such column", REMEDY, uid)
    said = (_VALIDITY,) if _VALIDITY in columns else ()
    read = wide_csv(
        guard, path, data, floats=("t_s",), texts=said, gaps=("x", "y"), recording_id=uid
    )
    if not said:
        read = read.with_columns(pl.lit("").alias(_VALIDITY))
    known = pl.col(_VALIDITY).is_in(["", *_GAZE_VALUES])
    for row in read.filter(~known).iter_rows(named=True):
        message = f"validity is not one of {', '.join(_GAZE_VALUES)}"
        guard.refuse(path, row[LINE], "unreadable_row", row[_VALIDITY], message, REMEDY_ROW, uid)
    x, y = pl.col("x") / width, pl.col("y") / height  # type: ignore[operator]
    placed = pl.col("x").is_not_null() & pl.col("y").is_not_null()
    made = read.filter(known).select(
        source=pl.lit(source),
        recording_id=pl.lit(uid),
        sample=pl.col(LINE) - 2,
        t_s=pl.col("t_s"),
        x=pl.when(placed).then(x),
        y=pl.when(placed).then(y),
        validity=pl.when(~pl.col(_VALIDITY).is_in(["", "valid"]))
        .then(pl.col(_VALIDITY))
        .when(~placed)
        .then(pl.lit("flagged"))
        .when(~(x.is_between(0, 1) & y.is_between(0, 1)))
        .then(pl.lit("outside"))
        .otherwise(pl.lit("valid")),
    )
    return TABLES["gaze_samples"].fit(made)


LAYOUT = Layout(
    name="own",
    title="Own recordings",
    licence=LICENCE,
    certainty="verified",
    parts=(
        Part("recordings", read_recordings, _GRAPH, VIDEO),
        Part("segments", read_segments, GRAPH, needs=("recording_id",)),
        Part("sensors", read_gaze, GAZE, needs=("recording_id", "view", "width_px", "height_px")),
        Part("objects", read_objects, GRAPH, needs=("recording_id",)),
    ),
)
