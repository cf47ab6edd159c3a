"""Writes takes of a flat in the raw layout of Ego-EASG: graphs, boxes, clips of Ego4D."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import numpy as np

from resources.worlds.flat import Action, Flat, FlatSpec, Sight, Take, plan_flat
from resources.worlds.flat.media_jobs import Progress, Stream, draw_all
from resources.worlds.tools.chance import digest
from resources.worlds.tools.slips import Slip

FPS: Final = 30
RELATIONS: Final = (
    "around", "dobj", "from", "in", "inside", "into", "on", "onto", "through", "to", "towards",
    "under", "with",
)  # fmt: skip
# Where clips start in their video: at its start, or eight seconds before a multiple of five
# minutes, or anywhere.
_STARTS: Final = (0, 8759, 0, 8760, 0, 46)
_VERBS: Final = {"get": "take", "wipe": "wipe"}
# Annotators draw a little too wide, so that boxes at the border of the picture reach beyond it.
_SLACK_PX: Final = 1.5
# Fewer pixels are not boxed.
_LEAST_PX: Final = 6
_SUMMARY: Final = "#Summary #C C did the task {task}"
# Task, number of the action and instance, and how an annotator writes it there.
_SLIPS: Final = {
    ("make cereal", 4, "GreenBottle_1"): "the bottle",
    ("tidy living room", 4, "NavyLamp_1"): "DeskLamp",
}


@dataclass(frozen=True, slots=True)
class _Graph:
    """One graph; frames are those of the clip."""

    pre: int
    pnr: int
    post: int
    verb: str
    noun: str
    # (relation, thing as named, instances whose boxes it has)
    links: tuple[tuple[str, str, tuple[str, ...]], ...]
    action: Action


def clip_uid(take: Take) -> str:
    """Id of a take's clip."""
    return str(UUID(bytes=digest("clip", take.spec.seed, take.take_id), version=4))


def video_uid(take: Take, index: int) -> str:
    """Id of the video a clip is cut from; the first two clips are of one."""
    return str(UUID(bytes=digest("video", take.spec.seed, max(index, 1)), version=4))


def clip_start(index: int) -> int:
    """First frame of a clip in its video."""
    return _STARTS[index % len(_STARTS)]


def planned_slips(flat: Flat) -> tuple[Slip, ...]:
    """What annotators got wrong in a flat's takes."""
    if not flat.spec.slips:
        return ()
    cereal, living = flat.takes[2], flat.takes[5]
    lamp = living.actions[4]
    return (
        Slip(
            "joined words",
            clip_uid(living),
            "The lamp is written DeskLamp once: no other row knows such a thing.",
            gates=("answer", "consistent", "explanation"),
            things=("desklamp",),
            span_s=(lamp.start_s, lamp.end_s),
        ),
        Slip(
            "article",
            clip_uid(cereal),
            "The bottle is once written with its article, as if it were another thing: it is taken"
            " within two seconds of moments at which it is stated to be left alone.",
            gates=("consistent", "margin", "explanation"),
            things=("bottle",),
            span_s=(cereal.actions[3].start_s, cereal.actions[5].end_s),
        ),
    )


def _name(take: Take, action: Action, instance: str) -> str:
    """What the annotator of an action calls an instance."""
    number = take.actions.index(action)
    slip = _SLIPS.get((take.task, number, instance)) if take.spec.slips else None
    return slip or take.name_of(instance)


def _links(take: Take, action: Action) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    def link(relation: str, instance: str) -> tuple[str, str, tuple[str, ...]]:
        return relation, _name(take, action, instance), (instance,)

    yield link("dobj", action.object)
    if action.source:
        yield link("from", action.source)
    if action.target:
        into = {"pour": "into", "wash": "in"}.get(action.verb, "on")
        yield link(into, action.target)
    if action.tool:
        yield link("with", action.tool)
    sides = ("left", "right") if action.hand == "both" else (action.hand,)
    name = "both_hands" if action.hand == "both" else f"{action.hand}_hand"
    yield "with", name, tuple(f"{action.actor}/{side}" for side in sides)


def _graphs(take: Take) -> list[_Graph]:
    return [
        _Graph(
            round(action.start_s * FPS),
            round(action.contact_s * FPS),
            round(action.end_s * FPS),
            _VERBS.get(action.verb, action.verb),
            _name(take, action, action.object),
            tuple(_links(take, action)),
            action,
        )
        for action in take.actions
    ]


# -- graphs for language models ---------------------------------------------------------------------


def _written(graph: _Graph, start: int) -> list[Any]:
    """PNR, PRE and POST frame of the video, and the graph in words."""
    parts = [f"Camera wearer - verb - {graph.verb}"]
    parts += [
        f"{graph.verb} - {'direct object' if relation == 'dobj' else relation} - {name}"
        for relation, name, _ in graph.links
    ]
    frames = [frame + start for frame in (graph.pnr, graph.pre, graph.post)]
    return [*frames, ["; ".join(parts), graph.verb, graph.noun]]


def _downstream(flat: Flat) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for index, take in enumerate(flat.takes):
        start, graphs = clip_start(index), _graphs(take)
        rows = [_written(graph, start) for graph in graphs]
        if index == 0:
            # As in the release, some graphs were never written.
            last = rows[-1]
            rows.append([last[0] + 1, last[1] + 1, last[2] + 1, ["", "", ""]])
        out[clip_uid(take)] = {
            "graphs": sorted(rows, key=lambda row: row[0]),
            "summaries": [_SUMMARY.format(task=take.task)] if index % 2 == 0 else [],
            "split": _split(index),
            # Frames, whatever the names say.
            "min_ts": min(row[1] for row in rows),
            "max_ts": max(row[1] for row in rows),
            "video_uid": video_uid(take, index),
        }
    return out


def _split(index: int) -> str:
    return "val" if index % 3 == 2 else "train"


# -- graphs with boxes ------------------------------------------------------------------------------


def _annotation_id(take: Take, graph: _Graph) -> str:
    return (digest("aid", clip_uid(take), graph.pnr) * 2).hex()


def _pickled(take: Take) -> dict[str, Any]:
    """Graphs of a clip by id, with boxes of what is seen before, at and after each PNR."""
    out: dict[str, Any] = {}
    side = take.camera("ego").width_px
    for number, graph in enumerate(_graphs(take)):
        frames = {"pre": graph.pre, "pnr": graph.pnr, "post": graph.post}
        # Boxes fit the picture the video shows at that frame.
        sights = {
            moment: take.sights("ego", take.picture_time(frame / FPS))
            for moment, frame in frames.items()
        }
        verb = graph.verb.replace(" ", "-")
        entries = [
            {"obj": name, "bbox": _boxes(sights, instances, side), "verb": verb, "rel": relation}
            for relation, name, instances in graph.links
        ]
        if number % 5 == 4:
            # As in the release, some entries are there twice.
            entries.append(entries[0])
        out[f"{clip_uid(take)}_{graph.pnr:06d}"] = {
            "annotations": {_annotation_id(take, graph): entries},
            "clip_frame_number": frames,
        }
    return out


def _boxes(
    sights: dict[str, dict[str, Sight]], instances: tuple[str, ...], side: int
) -> dict[str, np.ndarray]:
    """Moment -> (N, 4) float32 left, top, width and height in shares of the picture."""
    out: dict[str, np.ndarray] = {}
    for moment, seen in sights.items():
        rows = [
            (
                s.x_min - _SLACK_PX,
                s.y_min - _SLACK_PX,
                s.x_max - s.x_min + 2 * _SLACK_PX,
                s.y_max - s.y_min + 2 * _SLACK_PX,
            )
            for s in (seen[instance] for instance in instances if instance in seen)
            if s.pixels >= _LEAST_PX
        ]
        if rows:
            out[moment] = (np.array(rows) / side).astype(np.float32)
    return out


def plain_bytes(value: object) -> bytes:
    """A pickle that depends on the value alone, not on which equal texts are one object."""
    texts: dict[str, str] = {}

    def one(item: Any) -> Any:
        if isinstance(item, str):
            return texts.setdefault(item, item)
        if isinstance(item, dict):
            return {one(key): one(held) for key, held in item.items()}
        if isinstance(item, list):
            return [one(held) for held in item]
        return item.copy() if isinstance(item, np.ndarray) else item

    return pickle.dumps(one(value), protocol=4)


# -- files ------------------------------------------------------------------------------------------


def _narration(take: Take, graph: _Graph) -> dict[str, Any]:
    words = [graph.verb, *(f"{r} {n}" if r != "dobj" else f"the {n}" for r, n, _ in graph.links)]
    text = f"CameraWearer {' '.join(words).replace('_', ' ')}"
    return {
        _annotation_id(take, graph): {
            "narration_text": text,
            "subject": "CameraWearer",
            "verb": graph.verb,
            "direct_object": graph.noun,
            "preposition_object_pairs": [{n: r} for r, n, _ in graph.links if r != "dobj"],
            "action_clip_start_frame": max(0, graph.pre - 12),
            "action_clip_end_frame": graph.post + 12,
            "action_clip_start_sec": max(0, graph.pre - 12) / FPS,
            "action_clip_end_sec": (graph.post + 12) / FPS,
        }
    }


def _json(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def _annotations(flat: Flat, folder: Path) -> None:
    prepared = folder / "easg-labeling-system/input-preparation"
    boxed = folder / "easg-generation/annts_in_new_format"
    boxed.mkdir(parents=True, exist_ok=True)
    _json(folder / "easg-downstream/ALL_GRAPHS_FOR_DOWNSTREAM.json", _downstream(flat))
    clips = {clip_uid(take): video_uid(take, index) for index, take in enumerate(flat.takes)}
    _json(prepared / "clip_video_uids_mapping.json", clips)
    told = [_narration(take, graph) for take in flat.takes for graph in _graphs(take)]
    _json(prepared / "narration_annotation_mappings_unict_all.json", {"mappings": told})
    held: dict[str, dict[str, Any]] = {"train": {}, "val": {}}
    verbs: set[str] = set()
    things: set[str] = set()
    for index, take in enumerate(flat.takes):
        held[_split(index)] |= _pickled(take)
        for graph in _graphs(take):
            verbs.add(graph.verb.replace(" ", "-"))
            things.update(name for _, name, _ in graph.links)
    for split, graphs in held.items():
        if graphs:  # a release has no empty split, and one take fills only the first
            (boxed / f"easg_{split}.pkl").write_bytes(plain_bytes(graphs))
    lists = (("objects", sorted(things)), ("verbs", sorted(verbs)), ("relationships", RELATIONS))
    for name, words in lists:
        (boxed / f"{name}.txt").write_text("".join(f"{word}\n" for word in words), "utf-8")


def write_easg(
    spec: FlatSpec, folder: Path, progress: Progress | None = None, workers: int = 2
) -> None:
    """Writes takes of kind `easg` in this layout (see `side_by_side.Writer`)."""
    flat = plan_flat(spec, "easg")
    _annotations(flat, folder)
    streams = [
        Stream(spec, index, "ego", folder / f"v2/clips/{clip_uid(take)}.mp4", FPS)
        for index, take in enumerate(flat.takes)
    ]
    draw_all(streams, progress, workers)
