"""Graphs of Ego-EASG as pickled for scene graph generation: with boxes, in frames of the clip."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from assets.sources.easg.files import PICKLE, graph_place
from assets.sources.easg.graph import MOMENTS, Box, Graph, check_order
from assets.sources.easg.words import WEARER, Triplet, distinct, thing_name, triplet
from assets.sources.reading.pickles import plain_pickle
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number, whole_number


def pickled_graphs(files: Mapping[str, bytes], reader: RowReader) -> dict[str, Graph]:
    """Graphs by id; one given twice is taken from the first file.

    Args:
        files: Claimed files; only the pickles are looked at.
        reader: Collects what cannot be read.
    """
    found: dict[str, Graph] = {}
    for path, data in files.items():
        match = re.fullmatch(PICKLE, path)
        if match is None:
            continue
        try:
            document = plain_pickle(data)
            if not isinstance(document, dict):
                raise Malformed("the pickle holds no dict", type(document).__name__)
            if not document:
                raise Malformed("the pickle's dict is empty")
        except Malformed as error:
            reader.unreadable(path, error)
            continue
        for key, item in document.items():
            place = graph_place(key)
            uid = None if place is None else place[0]
            made = reader.make(
                path, key, lambda k=key, i=item, p=path, s=match[1]: {"it": _graph(k, i, p, s)}, uid
            )
            if made is not None:
                found.setdefault(made["it"].uid, made["it"])
    return found


def _graph(key: object, item: Any, path: str, split: str) -> Graph:
    place = graph_place(key)
    if place is None:
        raise Malformed("a graph's id is not clip and frame", key)
    frames, told = _field(item, "clip_frame_number", dict), _field(item, "annotations", dict)
    pre, pnr, post = (whole_number(frames.get(moment)) for moment in MOMENTS)
    check_order(pre, pnr, post)
    if pnr != place[1]:
        raise Malformed("a graph's id and its frame differ", pnr)
    entries = [entry for held in told.values() for entry in _entries(held)]
    triplets = distinct(t for entry in entries for t in _triplets(entry))
    direct = next((t for t in triplets if t[1] == "direct object"), None)
    return Graph(
        uid=str(key),
        clip=place[0],
        pre=pre,
        pnr=pnr,
        post=post,
        verb=triplets[0][2] if triplets else "",
        noun="" if direct is None else direct[2],
        triplets=triplets,
        boxes=tuple(dict.fromkeys(box for entry in entries for box in _boxes(entry))),
        narrations=tuple(sorted(str(aid) for aid in told)),
        split=split,
        file=path,
    )


def _field(item: Any, name: str, kind: type) -> Any:
    value = item.get(name) if isinstance(item, dict) else None
    if not isinstance(value, kind):
        raise Malformed(f"{name} is absent or no {kind.__name__}", str(value)[:80])
    return value


def _entries(held: Any) -> list[Any]:
    if not isinstance(held, list):
        raise Malformed("an annotation is not a list", type(held).__name__)
    return held


def _triplets(entry: Any) -> tuple[Triplet, Triplet]:
    verb, relation, thing = (_field(entry, name, str) for name in ("verb", "rel", "obj"))
    return triplet(WEARER, "verb", verb), triplet(verb, relation, thing)


def _boxes(entry: Any) -> Iterator[Box]:
    name = thing_name(_field(entry, "obj", str))
    for moment, array in _field(entry, "bbox", dict).items():
        if moment not in MOMENTS:
            raise Malformed(f"moment {moment!r} is not one of {', '.join(MOMENTS)}", moment)
        if not isinstance(array, np.ndarray) or array.ndim != 2 or array.shape[1] != 4:
            raise Malformed("boxes are not an array of four columns", str(array)[:80])
        for row in array.tolist():
            x, y, width, height = (number(value) for value in row)
            yield Box(name, moment, (x, y, width, height))
