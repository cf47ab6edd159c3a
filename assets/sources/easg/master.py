"""The master release of Ego-EASG: triplets and boxes in pixels, twins told apart by `:0`, `:1`.

Known from the authors' loader, never seen. It has no frames: a graph gets its times from the
pickles (by its id, or the id of an annotation), or from its own id where that tells the PNR frame.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from assets.sources.easg.downstream import merged
from assets.sources.easg.files import MASTER, graph_place, uid_or_none
from assets.sources.easg.graph import MOMENTS, Box, Graph
from assets.sources.easg.words import DIRECT, Triplet, distinct, thing_name, triplet
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number, text_or_none, whole_number

_TWIN = re.compile(r"(.+):\d+")


@dataclass(frozen=True, slots=True)
class MasterClip:
    """A clip of the master file.

    Attributes:
        uid: Its id.
        split: Its split, where told.
        size_px: Width and height of its pictures.
        graphs: Its graphs as they stand in the file.
        file: File that holds it.
    """

    uid: str
    split: str | None
    size_px: tuple[int, int]
    graphs: tuple[object, ...]
    file: str


def master_clips(files: Mapping[str, bytes], reader: RowReader) -> dict[str, MasterClip]:
    """Clips of the master file, if it is here."""
    path = next((p for p in files if re.fullmatch(MASTER, p)), None)
    if path is None:
        return {}
    made = reader.json_object(
        path, files[path], lambda u, i: {"clip": u, "made": _clip(path, u, i)}
    )
    return {row["clip"]: row["made"] for row in made}


def _clip(path: str, uid: str, item: object) -> MasterClip:
    if uid_or_none(uid) is None:
        raise Malformed("a clip's id is not a UUID", uid)
    if not isinstance(item, dict) or not isinstance(item.get("graphs"), list):
        raise Malformed("a clip holds no list of graphs", type(item).__name__)
    width, height = whole_number(item.get("W")), whole_number(item.get("H"))
    if min(width, height) < 1:
        raise Malformed("a clip's pictures have no size", f"{width} x {height}")
    split = text_or_none(item.get("split"), "split")
    return MasterClip(uid, split, (width, height), tuple(item["graphs"]), path)


def master_graphs(
    clips: Mapping[str, MasterClip], known: Mapping[str, Graph], reader: RowReader
) -> Iterator[Graph]:
    """Graphs of the master file, joined to the known ones; its boxes replace the pickles'."""
    by_annotation = {aid: graph for graph in known.values() for aid in graph.narrations}
    for clip in clips.values():
        for item in clip.graphs:
            uid = item.get("graph_uid") if isinstance(item, dict) else None
            made = reader.make(
                clip.file, uid, lambda c=clip, i=item: {"it": _graph(c, i)}, clip.uid
            )
            if made is None:
                continue
            graph: Graph = made["it"]
            same = known.get(graph.uid) or by_annotation.get(graph.uid)
            if same is not None:
                yield replace(merged(same, graph), narrations=same.narrations)
            elif graph_place(graph.uid) is None:
                reader.reject(
                    clip.file,
                    uid,
                    "graph_without_time",
                    uid,
                    "neither the graph's id nor another file tells its frame",
                    "add easg_train.pkl and easg_val.pkl to the folder",
                    clip.uid,
                )
            else:
                yield graph


def _graph(clip: MasterClip, item: object) -> Graph:
    if not isinstance(item, dict) or not isinstance(item.get("graph_uid"), str):
        raise Malformed("a graph has no id", str(item)[:80])
    uid = item["graph_uid"]
    place = graph_place(uid)
    if place is not None and place[0] != clip.uid:
        raise Malformed("a graph's id names another clip", uid)
    told = item.get("triplets")
    if not isinstance(told, list) or not all(isinstance(t, list) and len(t) == 3 for t in told):
        raise Malformed("a graph holds no list of triplets", str(told)[:80])
    triplets: tuple[Triplet, ...] = distinct(triplet(*fields) for fields in told)
    if not triplets:
        raise Malformed("a graph holds no triplet", uid)
    pnr = 0 if place is None else place[1]
    return Graph(
        uid=uid,
        clip=clip.uid,
        pre=pnr,
        pnr=pnr,
        post=pnr,
        verb=next((t[2] for t in triplets if t[1] == "verb"), ""),
        noun=next((t[2] for t in triplets if t[1] == DIRECT), ""),
        triplets=triplets,
        boxes=tuple(_boxes(item.get("groundings"), clip.size_px)),
        split=clip.split,
        file=clip.file,
        only_pnr=True,
    )


def _boxes(groundings: object, size_px: tuple[int, int]) -> Iterator[Box]:
    if groundings is None:
        return
    if not isinstance(groundings, dict) or not groundings.keys() <= set(MOMENTS):
        raise Malformed("boxes are not given by moment", str(groundings)[:80])
    for moment, things in groundings.items():
        if not isinstance(things, dict):
            raise Malformed("boxes of a moment are not given by thing", str(things)[:80])
        for name, box in things.items():
            if not isinstance(box, dict):
                raise Malformed("a box is not an object", str(box)[:80])
            left, top, width, height = (
                number(box.get(field)) for field in ("left", "top", "width", "height")
            )
            twin = _TWIN.fullmatch(name)
            yield Box(
                thing_name(name if twin is None else twin[1]),
                moment,
                (left, top, width, height),
                size_px,
                None if twin is None else name,
            )
