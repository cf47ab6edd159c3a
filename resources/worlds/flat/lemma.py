"""Writes takes of a flat in the raw layout of LEMMA, as its authors' code reads it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from resources.worlds.flat import Action, Flat, FlatSpec, Take, plan_flat
from resources.worlds.flat.media_jobs import Progress, Stream, draw_all, frame_count

FPS: Final = 24
# Frames without an action are marked as such where they last so long.
_IDLE_FRAMES: Final = 12
# What the second person does, in takes of two.
_SECOND: Final = {
    "make cereal": "wash dishes",
    "wash dishes": "make sandwich",
    "make stew": "make salad",
}
_TEMPLATES: Final = {
    "get": "Get [{object}] from [{source}] using [hand]",
    "put": "Put [{object}] to [{target}] using [hand]",
    "open": "Open [{object}] using [hand]",
    "close": "Close [{object}] using [hand]",
    "turn on": "Turn-on [{object}] using [hand]",
    "turn off": "Turn-off [{object}] using [hand]",
    "cut": "Cut [{object}] using [{tool}]",
    "pour": "Pour from [{object}] into [{target}] using [hand]",
    "wash": "Wash [{object}] using [{target},hand]",
    "wipe": "Clean [{object}] using [{tool}]",
}
_SHARED: Final = ("turn on", "turn off")


def video_id(take: Take, index: int) -> str:
    """Id of a take's video, in the form of the dataset: place, people and tasks, number."""
    place = "l" if "living" in take.task else "k"
    people = len(take.agents)
    return f"{26 + index // 2}{place}-{people}{people}-{index + 1}-{1 + index % 2}"


def hoi(take: Take, action: Action) -> str:
    """An action as the dataset writes it."""
    names = {
        slot: take.name_of(instance) if instance else ""
        for slot in ("object", "source", "target", "tool")
        for instance in (getattr(action, slot),)
    }
    return _TEMPLATES[action.verb].format(**names)


def tasks_of(take: Take, action: Action) -> str:
    """Tasks an action serves, joined by commas: taps and hobs serve both people's."""
    own, other = take.task, _SECOND.get(take.task) if len(take.agents) > 1 else None
    if action.actor == "P2" and other is not None:
        own, other = other, own
    return f"{own},{other}" if other is not None and action.verb in _SHARED else own


def _intervals(take: Take, person: str) -> Iterator[tuple[str, int, int, str]]:
    """Name, first frame, frame after the last, tasks; `null$` where nothing is done for long."""
    before = 0
    for action in take.actions:
        if action.actor != person:
            continue
        start, end = round(action.start_s * FPS), round(action.end_s * FPS)
        if start - before >= _IDLE_FRAMES:
            yield ("null$", before, start, "")
        yield (hoi(take, action), start, end, tasks_of(take, action))
        before = end


def _json(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")


def _annotations(flat: Flat, folder: Path) -> None:
    intervals: dict[str, dict[str, list]] = {}
    lengths: dict[str, dict[str, int]] = {}
    splits: dict[str, list[str]] = {"train": [], "val": [], "test": []}
    actions: set[str] = set()
    things: set[str] = {"hand"}
    tasks: set[str] = set()
    names: set[str] = set()
    for index, take in enumerate(flat.takes):
        vid = video_id(take, index)
        people = [agent.person_id for agent in take.agents]
        intervals[vid] = {p: [list(i) for i in _intervals(take, p)] for p in people}
        lengths[vid] = dict.fromkeys(people, frame_count(take.duration_s, FPS))
        splits[("train", "test", "val")[index % 3]].append(vid)
        for action in take.actions:
            actions.add(action.verb.replace(" ", "-"))
            slots = (action.object, action.source, action.target, action.tool)
            things.update(take.name_of(instance) for instance in slots if instance)
            tasks.update(tasks_of(take, action).split(","))
            names.add(hoi(take, action))
    _json(folder / "annotations/new_annotations/per_act_intervals.json", intervals)
    for name, value in (
        ("actions", actions),
        ("objects", things),
        ("tasks", tasks),
        ("hois", names),
    ):
        _json(folder / f"metadata/{name}.json", sorted(value))
    _json(folder / "metadata/lengths.json", lengths)
    for split, vids in splits.items():
        _json(folder / f"splits/all_{split}.json", vids)


def write_lemma(
    spec_or_flat: FlatSpec | Flat,
    folder: Path,
    progress: Progress | None = None,
    workers: int = 2,
) -> None:
    """Writes takes of kind `lemma` in this layout (see `side_by_side.Writer`).

    Args:
        spec_or_flat: What to write; a flat whose takes were changed has to be without pictures.
        folder: Folder to create or fill.
        progress: See `Writer`.
        workers: See `Writer`.
    """
    flat = spec_or_flat if isinstance(spec_or_flat, Flat) else plan_flat(spec_or_flat, "lemma")
    spec = flat.spec
    _annotations(flat, folder)
    views = {"ego": "fpv1", "ego2": "fpv2", "master": "master"}
    streams = [
        Stream(spec, index, name, folder / f"videos/{video_id(take, index)}/{views[name]}.mp4", FPS)
        for index, take in enumerate(flat.takes)
        for name in take.cameras
    ]
    draw_all(streams, progress, workers)
