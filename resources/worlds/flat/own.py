"""Writes takes of a flat as own recordings: a video, a scene graph in JSON, and the wearer's gaze.

Where two people act the room's camera is a recording too. The first graph and the first gaze file hold
a few faults, and one file is of another form (`REFUSED`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np

from resources.worlds.flat import Action, FlatSpec, Take, plan_flat
from resources.worlds.flat.files import write_csv, write_json
from resources.worlds.flat.media_jobs import Progress, Stream, draw_all

FPS: Final = 24
GAZE_HZ: Final = 30
BLINK_EVERY: Final = 50
"""Every so many samples the eyes are closed for five."""
_LEAST_PX: Final = 6
REFUSED: Final[dict[tuple[str | None, str], int]] = {
    ("segments", "unknown_kind"): 1,
    ("segments", "unknown_node"): 1,
    ("segments", "action_without_actor"): 1,
    ("segments", "node_alone"): 1,
    ("gaze_samples", "unreadable_row"): 1,
    ("boxes", "unreadable_row"): 1,
    ("recordings", "unknown_form"): 1,
    # Its actions and boxes have no recording to lie in.
    (None, "unknown_recording"): 2,
}
"""What readers must refuse, by table and rule."""
_JOINTS: Final = {"pour": "into", "wash": "in"}


def recordings_of(take: Take, index: int) -> dict[str, str]:
    """Camera of each recording of a take."""
    name = f"{take.task.replace(' ', '-')}_{index + 1}"
    found = {f"{name}_ego": "ego"}
    return found if len(take.agents) == 1 else {**found, f"{name}_room": "master"}


def called(take: Take, instance: str) -> str:
    """Name of an instance that no other has."""
    name = take.name_of(instance)
    return name if take.is_unique(instance) else f"{name} {instance.rpartition('_')[2]}"


def boxes(take: Take, camera: str, action: Action, instance: str) -> Iterator[dict[str, Any]]:
    """Box of an instance at an action's contact, in the picture the video shows then."""
    sight = take.sights(camera, take.picture_time(action.contact_s)).get(instance)
    if sight is not None and sight.pixels >= _LEAST_PX:
        yield {
            "t_s": action.contact_s,
            "x": sight.x_min,
            "y": sight.y_min,
            "width": sight.x_max - sight.x_min,
            "height": sight.y_max - sight.y_min,
            "action": action.action_id,
            "moment": "contact",
        }


def spans(take: Take, instance: str) -> Iterator[tuple[str, str, float, float]]:
    """Aspect, value, start and end of what holds for a thing."""
    states = take.thing(instance).states
    for aspect in dict.fromkeys(name for _, name, _ in states):
        mine = [(at, value) for at, name, value in states if name == aspect]
        ends = [*mine, (take.duration_s, "")]
        for (start, value), (end, _) in pairwise(ends):
            if end > start:
                yield aspect, value, start, end


def graph(take: Take, camera: str) -> dict[str, Any]:
    """Nodes and edges of a take as one camera shows it."""
    cam = take.camera(camera)
    nodes: dict[str, dict[str, Any]] = {}
    edges: list[dict[str, Any]] = []

    def join(start: str, end: str, relation: str, **more: object) -> None:
        edge = {"id": f"e{len(edges)}", "from": start, "to": end, "relation": relation}
        edges.append({**edge, **more})

    for agent in take.agents:
        nodes[agent.person_id] = {"id": agent.person_id, "kind": "person"}
        for side in ("left", "right"):
            uid = f"{agent.person_id}/{side}"
            nodes[uid] = {"id": uid, "kind": "hand", "of": agent.person_id, "side": side,
                          "boxes": []}  # fmt: skip
    for instance in take.instances:
        nodes[instance] = {"id": instance, "kind": "object", "name": called(take, instance),
                           "boxes": []}  # fmt: skip
    for action in take.actions:
        uid = action.action_id
        nodes[uid] = {
            "id": uid,
            "kind": "action",
            "verb": action.verb,
            "start_s": action.start_s,
            "end_s": action.end_s,
            "narration": f"{action.actor} {action.verb}s the {take.name_of(action.object)}",
            "step_order": action.step,
        }
        join(action.actor, uid, "does", hand=action.hand)
        places = {"direct object": action.object, "from": action.source, "with": action.tool,
                  _JOINTS.get(action.verb, "on"): action.target}  # fmt: skip
        for relation, instance in places.items():
            if instance:
                join(uid, instance, relation)
        nodes[action.object]["boxes"] += boxes(take, camera, action, action.object)
        for side in ("left", "right") if action.hand == "both" else (action.hand,):
            hand = f"{action.actor}/{side}"
            join(uid, hand, "with")
            nodes[hand]["boxes"] += boxes(take, camera, action, hand)
    for thing in take.things:
        for aspect, value, start, end in spans(take, thing.instance):
            uid = f"{aspect}={value}"
            nodes.setdefault(uid, {"id": uid, "kind": "state", "attribute": aspect, "value": value})
            join(thing.instance, uid, "has_state", start_s=start, end_s=end)
    about = {
        "take": take.take_id,
        "view": "ego" if camera == "ego" else "exo",
        "person": "P1" if camera == "ego" else None,
        "scenario": take.task,
        "environment": "flat",
        "take_offset_s": 0.0,
        "width_px": cam.width_px,
        "height_px": cam.height_px,
    }
    used = {uid for edge in edges for uid in (edge["from"], edge["to"])}
    used |= {uid for uid, node in nodes.items() if node.get("boxes")}
    return {
        "form": "own recording 1",
        "recording": {name: value for name, value in about.items() if value is not None},
        "nodes": [node for uid, node in nodes.items() if uid in used],
        "edges": edges,
    }


def gaze(take: Take) -> list[tuple[float, float | None, float | None]]:
    """Time and place in the picture, in pixels, that the wearer looks at; no place in a blink."""
    camera = take.camera("ego")
    rows: list[tuple[float, float | None, float | None]] = []
    for n in range(int(take.duration_s * GAZE_HZ)):
        t_s = n / GAZE_HZ
        _, point = take.gaze_target(t_s)
        x, y = camera.project(take.camera_pose("ego", t_s).to_local(np.asarray(point)))
        blinks = n % BLINK_EVERY >= BLINK_EVERY - 5
        rows.append((t_s, None, None) if blinks else (t_s, float(x), float(y)))
    return rows


def _write_gaze(take: Take, path: Path, broken: bool) -> None:
    rows = [
        [f"{t_s:.4f}", *("" if v is None else f"{v:.2f}" for v in place),
         "blink" if place[0] is None else "valid"]
        for t_s, *place in gaze(take)
    ]  # fmt: skip
    if broken:
        rows.append(["soon", "1", "1", "valid"])
    write_csv(path, "t_s,x,y,validity", rows)


def _break(document: dict[str, Any]) -> None:
    nodes, edges = document["nodes"], document["edges"]
    nodes.append({"id": "fridge magnet", "kind": "thing"})
    nodes.append({"id": "spare spoon", "kind": "object", "name": "spare spoon"})
    nodes.append({"id": "nobody's", "kind": "action", "verb": "wave", "start_s": 1, "end_s": 2})
    edges.append({"id": "astray", "from": "P1", "to": "a-9", "relation": "does"})
    thing = next(node for node in nodes if node["kind"] == "object")
    thing["boxes"].append({"t_s": 1.0, "x": 3, "y": 4, "width": 0, "height": 9})


def write_own(
    spec: FlatSpec, root: Path, progress: Progress | None = None, workers: int = 2
) -> None:
    """Writes takes of kind `lemma`, all their cameras, in this layout (see `side_by_side.Writer`)."""
    flat = plan_flat(spec, "lemma")
    folder = root / "recordings"
    streams = []
    for index, take in enumerate(flat.takes):
        for uid, camera in recordings_of(take, index).items():
            document = graph(take, camera)
            if not index:
                _break(document)
            write_json(folder / f"{uid}.json", document, indent=1)
            if camera == "ego":
                _write_gaze(take, folder / f"{uid}.gaze.csv", broken=not index)
            streams.append(Stream(spec, index, camera, folder / f"{uid}.mp4", FPS))
    write_json(folder / "other.json", {"form": "own recording 0", "nodes": [], "edges": []})
    draw_all(streams, progress, workers)
