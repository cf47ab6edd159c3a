"""Edits of raw files, as their owner would make them; shared files are replaced, never written into."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from resources.worlds import Recording, World, write_recording
from resources.worlds.household.egoexolearn import write_annotations

FINE = "annotations/fine_annotation_trainvaltest_en.csv"
META = "video_meta_downsampled.json"
MEDIA = ("videos", "gazes_30fps_npy", "pupil")


def rewrite(path: Path, content: bytes) -> None:
    """Replace a file by another with this content."""
    path.unlink()
    path.write_bytes(content)


def annotate(raw: Path, recordings: Iterable[Recording], world: World) -> None:
    """Write the annotation files for these recordings, in place of what is there."""
    # Files are shared with other installations: written anew, never written over.
    for path in raw.iterdir():
        if path.name not in MEDIA:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    write_annotations(replace(world, recordings=tuple(recordings)), raw)


def media_of(raw: Path, uid: str) -> list[Path]:
    """Files and folders of one recording."""
    return [path for folder in MEDIA for path in sorted((raw / folder).glob(f"{uid}*"))]


def remove(raw: Path, uids: Iterable[str], world: World) -> None:
    """Remove recordings everywhere."""
    gone = set(uids)
    annotate(raw, [r for r in world.recordings if r.uid not in gone], world)
    for uid in gone:
        for path in media_of(raw, uid):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def add(raw: Path, recording: Recording, world: World) -> None:
    """Add a recording everywhere."""
    annotate(raw, [*world.recordings, recording], world)
    write_recording(recording, raw)


def rename(raw: Path, uid: str, new: str, world: World) -> None:
    """Give a recording another id everywhere."""
    annotate(raw, [replace(r, uid=new) if r.uid == uid else r for r in world.recordings], world)
    for path in media_of(raw, uid):
        path.rename(path.with_name(path.name.replace(uid, new)))


def edit_line(
    raw: Path, chosen: Callable[[dict[str, str]], bool], change: Callable[[dict[str, str]], None]
) -> dict[str, str]:
    """Edit the first line of the fine annotations that is chosen; gives it as it was."""
    path = raw / FINE
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
    row = next(r for r in rows if chosen(r))
    before = dict(row)
    change(row)
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    rewrite(path, text.getvalue().encode())
    return before


def narrations(raw: Path) -> list[dict[str, str]]:
    """Lines of the fine annotations."""
    return list(csv.DictReader(io.StringIO((raw / FINE).read_text(encoding="utf-8"))))


def pools(raw: Path) -> dict[str, str]:
    """Pool of every recording, read off the raw files: task, scene and split."""
    split = {row["video_uid"]: row["subset"] for row in narrations(raw)}
    meta = json.loads((raw / META).read_text())
    return {
        m["video_uid"]: f"{m['task']}/{m['scene']}/{split[m['video_uid']]}"
        for m in meta
        if m["video_uid"] in split
    }


def spoil_gaze(raw: Path, uid: str) -> Path:
    """Move some gaze samples of a native recording by some pixels; gives the file."""
    (path,) = (raw / "pupil" / uid).glob("gaze ps1.raw")
    xy = np.frombuffer(path.read_bytes(), "<f4").copy()
    middle = xy.size // 4 * 2
    xy[middle : middle + 40 : 2] += 3
    rewrite(path, xy.tobytes())
    return path
