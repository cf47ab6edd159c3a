"""Graphs of Ego-EASG as written for language models: no boxes, in frames of the canonical video.

What places them in the clip is one number per clip, where the clip starts in its video. Three files
may tell it: `ego4d.json` says it; the pickles hold the same graphs in frames of the clip, so that
all their frames differ by it. A clip of which neither tells has no times: its graphs are refused,
for no rule gives the number (0 for half of the clips, 240 or 241 frames before a multiple of five
minutes for most others, anything for the rest).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from assets.sources.easg.files import DOWNSTREAM, EGO4D, FPS, uid_or_none
from assets.sources.easg.graph import Graph, check_order
from assets.sources.easg.words import Triplet, distinct, text_triplets
from assets.sources.reading.json import document_of, member_of
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number, text_or_none, whole_number

Frames = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Written:
    """A graph as written.

    Attributes:
        at: Its place in the clip's list, to be found again.
        frames: PRE, PNR and POST frame of the video.
        triplets: Its relations.
        verb: Its verb.
        noun: What it is done to.
    """

    at: int
    frames: Frames
    triplets: tuple[Triplet, ...]
    verb: str
    noun: str


@dataclass(frozen=True, slots=True)
class Clip:
    """A clip of the file.

    Attributes:
        uid: Its id.
        video: Video it is cut from, where told.
        split: Its split, where told.
        graphs: Its graphs that can be read.
        file: File that holds it.
    """

    uid: str
    video: str | None
    split: str | None
    graphs: tuple[Written, ...]
    file: str


def written_clips(files: Mapping[str, bytes], reader: RowReader) -> dict[str, Clip]:
    """Clips with their graphs.

    Args:
        files: Claimed files; only the file of graphs is looked at.
        reader: Collects what cannot be read, and graphs without a word.
    """
    path = next((p for p in files if re.fullmatch(DOWNSTREAM, p)), None)
    if path is None:
        return {}
    made = reader.json_object(
        path, files[path], lambda u, i: {"clip": u, "made": _clip(path, u, i, reader)}
    )
    return {row["clip"]: row["made"] for row in made}


def _clip(path: str, uid: str, item: object, reader: RowReader) -> Clip:
    if uid_or_none(uid) is None:
        raise Malformed("a clip's id is not a UUID", uid)
    if not isinstance(item, dict) or not isinstance(item.get("graphs"), list):
        raise Malformed("a clip holds no list of graphs", type(item).__name__)
    split = text_or_none(item.get("split"), "split")
    video = uid_or_none(item.get("video_uid"))
    graphs = []
    for at, one in enumerate(item["graphs"]):
        row = f"{uid}|{_said(one)}"
        if _is_empty(one):
            reader.reject(
                path, row, "empty_graph", one, "the graph holds no word",
                "complete the graph, or remove it", uid,
            )  # fmt: skip
            continue
        made = reader.make(path, row, lambda a=at, o=one: {"it": _written(a, o)}, uid)
        if made is not None:
            graphs.append(made["it"])
    return Clip(uid, video, split, tuple(graphs), path)


def _said(one: object) -> object:
    return one[0] if isinstance(one, list) and one else one


def _is_empty(one: object) -> bool:
    return isinstance(one, list) and len(one) == 4 and one[3] == ["", "", ""]


def _written(at: int, one: object) -> Written:
    if not isinstance(one, list) or len(one) != 4:
        raise Malformed("a graph is not PNR, PRE, POST and words", one)
    pnr, pre, post = (whole_number(value) for value in one[:3])
    check_order(pre, pnr, post)
    words = one[3]
    if not isinstance(words, list) or not all(isinstance(w, str) for w in words) or len(words) < 3:
        raise Malformed("a graph's words are not graph, verb and noun", words)
    return Written(at, (pre, pnr, post), text_triplets(words[0]), words[1], words[2])


# -- where clips start -----------------------------------------------------------------------------


def clip_starts(
    clips: Mapping[str, Clip],
    pickled: Iterable[Graph],
    declared: Mapping[str, tuple[int, float | None]],
) -> dict[str, int]:
    """First frame of each clip in its video, for those where a file tells it.

    Args:
        clips: Clips as written.
        pickled: Graphs in frames of the clip.
        declared: Start and length that `ego4d.json` states (see `declared_clips`).
    """
    by_clip: dict[str, list[Frames]] = defaultdict(list)
    for graph in pickled:
        by_clip[graph.clip].append((graph.pre, graph.pnr, graph.post))
    starts = {uid: start for uid, (start, _) in declared.items() if uid in clips}
    for uid, clip in clips.items():
        if uid not in starts and uid in by_clip:
            start = _shift([g.frames for g in clip.graphs], by_clip[uid])
            if start is not None:
                starts[uid] = start
    return starts


def _shift(video: list[Frames], clip: list[Frames]) -> int | None:
    """The one number that makes more than half of the clip's frames those of the video."""
    votes = Counter(
        there[1] - here[1]
        for here in clip
        for there in video
        if there[0] - here[0] == there[1] - here[1] == there[2] - here[2]
    )
    ranked = votes.most_common(2)
    if not ranked or 2 * ranked[0][1] <= len(clip):
        return None
    if len(ranked) > 1 and ranked[1][1] == ranked[0][1]:
        return None
    return ranked[0][0]


def declared_clips(
    files: Mapping[str, bytes], reader: RowReader
) -> dict[str, tuple[int, float | None]]:
    """First frame in the video and length in seconds of clips, as `ego4d.json` states them."""
    path = next((p for p in files if re.fullmatch(EGO4D, p)), None)
    if path is None:
        return {}
    try:
        listed = member_of(document_of(files[path]), "clips", list)
    except Malformed as error:
        reader.unreadable(path, error)
        return {}
    found = {}
    for item in listed:
        key = item.get("clip_uid") if isinstance(item, dict) else None
        made = reader.make(path, key, lambda i=item: _declared(i))
        if made is not None:
            found[made["uid"]] = (made["start"], made["length_s"])
    return found


def _declared(item: object) -> dict:
    uid = uid_or_none(item.get("clip_uid")) if isinstance(item, dict) else None
    if uid is None or not isinstance(item, dict):
        raise Malformed("a clip has no id", item)
    first, last = item.get("video_start_frame"), item.get("video_end_frame")
    start = whole_number(first)
    return {
        "uid": uid,
        "start": start,
        "length_s": None if last is None else (number(last) - start) / FPS,
    }


# -- in frames of the clip -------------------------------------------------------------------------


def placed_graphs(
    clips: Mapping[str, Clip],
    pickled: Mapping[str, Graph],
    starts: Mapping[str, int],
    reader: RowReader,
) -> Iterator[Graph]:
    """Graphs as written, in frames of the clip, with what the pickle of the same graph adds.

    Where a clip has several graphs of one PNR, the id `<clip>_<PNR>` is that of the one the pickles
    hold; the others' ids tell PRE and POST too.
    """
    for uid, clip in clips.items():
        if uid not in starts:
            if clip.graphs:
                _not_placed(clip, reader)
            continue
        shared = Counter(one.frames[1] for one in clip.graphs)
        for one in clip.graphs:
            pre, pnr, post = (frame - starts[uid] for frame in one.frames)
            key = f"{uid}_{pnr:06d}"
            row = f"{uid}|{one.frames[1]}"
            if reader.make(clip.file, row, lambda f=(pre, pnr, post): _ordered(f), uid) is None:
                continue
            same = pickled.get(key)
            if same is not None and (same.pre, same.post) != (pre, post):
                same = None
            if same is None and (key in pickled or shared[one.frames[1]] > 1):
                key = f"{key}:{pre}-{post}"
            graph = Graph(
                key, uid, pre, pnr, post, one.verb, one.noun, one.triplets,
                split=clip.split, file=clip.file,
            )  # fmt: skip
            yield graph if same is None else merged(graph, same)


def merged(graph: Graph, other: Graph) -> Graph:
    """A graph with the relations, boxes and narrations that another file adds to it."""
    return replace(
        graph,
        triplets=distinct([*graph.triplets, *other.triplets]),
        boxes=other.boxes or graph.boxes,
        narrations=other.narrations or graph.narrations,
    )


def _ordered(frames: Frames) -> dict:
    check_order(*frames)
    return {}


def _not_placed(clip: Clip, reader: RowReader) -> None:
    reader.reject(
        clip.file,
        clip.uid,
        "clip_start_unknown",
        f"{len(clip.graphs)} graphs",
        "frames are counted in the whole video, and no file tells where this clip starts in it",
        "add easg_train.pkl and easg_val.pkl, or ego4d.json, to the folder",
        clip.uid,
    )
