"""Recordings of Own recordings."""

from __future__ import annotations

import re
from collections.abc import Mapping

from assets.sources.layout import Medium, PartFiles, Rows
from assets.sources.own.files import GRAPH_FILE, LICENCE, VIDEO
from assets.sources.own.graphs import (
    OwnGraph,
    read_graph,
    size_of,
)
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number, text_or_none
from assets.sources.recording_rows import video_media, videos_by_id
from expectations.schemas import TABLES

_ABOUT = frozenset(
    {
        "take", "view", "person", "device", "scenario", "scene", "environment", "split",
        "take_offset_s", "width_px", "height_px",
    }
)  # fmt: skip


def read_recordings(part: PartFiles) -> Rows:
    """A recording per graph; its video may be missing. A video without a graph is refused."""
    reader = RowReader("recordings")
    media = videos_by_id(part.media, VIDEO)
    rows: list[dict] = []
    clocks: list[dict] = []
    graphs = {m[1]: path for path in part.files if (m := re.fullmatch(GRAPH_FILE, path))}
    for uid, path in graphs.items():
        # What is wrong inside is reported by the parts that hold it; that there is no graph, here.
        found = read_graph(
            path, part.files[path], uid, inner := RowReader("recordings"), RowReader("")
        )
        if found is None:
            reader.refused += inner.refused
            continue
        made = reader.make(
            path, "recording", lambda f=found, u=uid, p=path: _about(part.source, p, u, f, media),
            uid,
        )  # fmt: skip
        if made is not None:
            rows.append(made["recording"])
            clocks.append(made["clock"])
    for uid in sorted(media.keys() - graphs.keys()):
        reader.reject(media[uid].path, None, "no_graph", uid, "the video has no graph beside it",
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
    return Rows(tables, tuple(reader.refused))


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
        raise Malformed("split is not one of train, val and test", about["split"])
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
