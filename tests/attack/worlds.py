"""What is attacked: the sample worlds of all layouts, of few recordings each, as files in memory."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from assets.sources.layout import Layout, Medium
from assets.sources.registry import layouts
from assets.sources.reviews.forms import QUEUE, queue_csv, queue_label_studio
from resources.media.video import container_duration
from resources.worlds.samples import Sample, samples

_LAYOUT = {"court": "egoexo4d", "egotaskqa": "lemma", "extremesportfpv": "extremesportfpv"}
_SMALLER: dict[str, dict[str, object]] = {
    "egoexolearn": {"ego": 5, "exo": 2},
    "adt": {"takes": 1},
    "lemma": {"takes": 2},
    "easg": {"takes": 2},
    "cvmhat": {"takes": 4},
    "egome": {"takes": 2},
    "tf2023": {"takes": 2},
    "enigma51": {"duration_s": 36},
    "extremesportfpv": {"runs": 3},
}


@dataclass(frozen=True)
class World:
    """A source to attack.

    Attributes:
        name: Name of the sample world.
        layout: Its layout.
        files: Content by path of the files the layout reads.
        media: Its media.
    """

    name: str
    layout: Layout
    files: Mapping[str, bytes]
    media: Mapping[str, Medium]


def names() -> list[str]:
    """All worlds, those that are not sample worlds last; without those that have the files of another."""
    alike = ("club", "errands", "kitchens", "training")
    alike += ("clinic", "outings", "theatre", "walks", "workshop")
    return [*(n for n in samples("none") if n not in alike), "pupil_invisible", "reviews"]


def world(name: str, home: Path, render: str = "none") -> World:
    """A world, written under a folder unless it is there already."""
    if name == "reviews":
        return World(name, layouts()["reviews"], _reviews(), {})
    root = home / name
    origin = "egoexolearn" if name == "pupil_invisible" else name
    if not root.exists():
        one = samples(render)[origin]
        one = replace(one, spec=replace(one.spec, **_SMALLER.get(origin, {})))
        _write(one, root)
    if name == "pupil_invisible":
        root = root / "pupil"
    layout = layouts()[_LAYOUT.get(name, name)]
    return World(name, layout, *_files(layout, root))


def _write(one: Sample, root: Path) -> None:
    one.write(one.spec, root, None)


def _files(layout: Layout, root: Path) -> tuple[dict[str, bytes], dict[str, Medium]]:
    files: dict[str, bytes] = {}
    media: dict[str, Medium] = {}
    for place in sorted(root.rglob("*")):
        path = place.relative_to(root).as_posix()
        claim = layout.claim(path) if place.is_file() else None
        if claim is None:
            continue
        if claim[1]:
            media[path] = _medium(path, place)
        else:
            files[path] = place.read_bytes()
    return files, media


def _medium(path: str, place: Path) -> Medium:
    duration = None
    if place.suffix in (".mp4", ".mov"):
        with place.open("rb") as handle:
            duration = container_duration(handle)
    return Medium(path, place.stat().st_size, f"content of {path}", duration)


# -- decisions of people ---------------------------------------------------------------------------

_LABELS = (
    '[{"actor":null,"at":0,"class":"take","clause":0,"hand":"left","kind":"verb","role":null,'
    '"term":"takes"}]'
)


def _queue() -> pl.DataFrame:
    rows = [
        {
            "source": "house",
            "item_kind": "label",
            "item_id": f"fine:{at}",
            "item_hash": f"h{at}",
            "why": "no_verb",
            "text": f"Takes cup {at}.",
            "original": None,
            "shown": _LABELS,
            "recording_id": f"r{at % 3}",
            "start_s": 1.0 + at,
            "end_s": 2.5 + at,
        }
        for at in range(12)
    ]
    return pl.DataFrame(rows, schema=QUEUE)


def _reviews() -> dict[str, bytes]:
    """Both forms, filled in."""
    rows = list(csv.DictReader(io.StringIO(queue_csv(_queue()), newline="")))
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, rows[0].keys())
    writer.writeheader()
    for at, row in enumerate(rows):
        decided = f"2024-05-{at + 1:02d}T10:00:00Z"
        verdict = ("accept", "reject", "accept")[at % 3]
        writer.writerow(row | {"verdict": verdict, "reviewer": "ada", "decided_at": decided})
    tasks = [
        {
            "id": at,
            "data": task["data"],
            "annotations": [
                {
                    "id": 100 + at,
                    "completed_by": 7,
                    "created_at": "2024-06-01T10:00:00Z",
                    "result": [
                        {
                            "from_name": "verdict",
                            "to_name": "text",
                            "type": "choices",
                            "value": {"choices": ["reject"]},
                        }
                    ],
                }
            ],
        }
        for at, task in enumerate(json.loads(queue_label_studio(_queue())))
    ]
    return {"round1.csv": out.getvalue().encode(), "tasks.json": json.dumps(tasks).encode()}
