"""Edits of raw files in the layouts beside EgoExoLearn's, one recording, take or clip each."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from PIL import Image

from tests.pipelines.edits import rewrite

INTERVALS = "annotations/new_annotations/per_act_intervals.json"
GRAPHS = "easg-downstream/ALL_GRAPHS_FOR_DOWNSTREAM.json"
CLIPS = "v2/clips"


def edit_json(path: Path, change: Callable[[Any], Any]) -> None:
    """Replace a JSON file by what `change` makes of it (in place, or the value it gives)."""
    said = json.loads(path.read_text(encoding="utf-8"))
    made = change(said)
    rewrite(path, json.dumps(said if made is None else made).encode())


def shorten_interval(root: Path, vid: str, frames: int) -> None:
    """End a LEMMA agent's first interval with an action some frames earlier."""

    def change(said: dict) -> None:
        first = next(i for i in said[vid]["P1"] if i[0] != "null$")
        first[2] -= frames

    edit_json(root / INTERVALS, change)


def without_takes(root: Path, vids: Iterable[str]) -> None:
    """Take LEMMA videos out of every file."""
    gone = set(vids)
    for path in (root / INTERVALS, root / "metadata" / "lengths.json"):
        edit_json(path, lambda said: {k: v for k, v in said.items() if k not in gone})
    for path in sorted((root / "splits").glob("*.json")):
        edit_json(path, lambda said: [v for v in said if v not in gone])
    for vid in gone:
        shutil.rmtree(root / "videos" / vid)


def move_box(path: Path) -> None:
    """Shift the first tool of the middle frame of a CholecTrack20 file a little to the left."""

    def change(said: dict) -> None:
        frames = sorted(said["annotations"], key=int)
        tools = said["annotations"][frames[len(frames) // 2]]
        tools[0]["tool_bbox"][0] += 0.01

    edit_json(path, change)


def edit_row(path: Path, row: int, change: Callable[[dict[str, str]], None]) -> None:
    """Edit one row of a CSV file."""
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
    change(rows[row])
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    rewrite(path, text.getvalue().encode())


def edit_graph(root: Path, clip: str) -> None:
    """Say that the first graph of an EASG clip was done with the other hand."""

    def change(said: dict) -> None:
        first = said[clip]["graphs"][0][3]
        other = {"left_hand": "right_hand", "right_hand": "left_hand", "both_hands": "left_hand"}
        words = first[0].rsplit(" ", 1)
        first[0] = f"{words[0]} {other[words[1]]}"

    edit_json(root / GRAPHS, change)


def repaint(path: Path) -> None:
    """Replace a picture by one with a black corner."""
    with Image.open(path) as picture:
        pixels = picture.convert("RGB")
    pixels.paste((0, 0, 0), (0, 0, 8, 8))
    content = io.BytesIO()
    pixels.save(content, "PNG")
    rewrite(path, content.getvalue())
