"""Writes a household in the raw layout of EgoExoLearn (see the formats note for every file)."""

from __future__ import annotations

import csv
import gzip
import io
import json
import tarfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from resources.worlds.household import words
from resources.worlds.household.clocks import parts
from resources.worlds.household.draw import Artist
from resources.worlds.household.gaze import measure
from resources.worlds.household.plan import plan
from resources.worlds.household.pupil import cloud_folder, write_cloud, write_native
from resources.worlds.household.sentences import narrate
from resources.worlds.household.skills import write_skills
from resources.worlds.household.tasks import Action
from resources.worlds.household.truth import FineAction, HouseholdSpec, Recording, World
from resources.worlds.household.video_questions import write_video_questions
from resources.worlds.tools.chance import short_id
from resources.worlds.tools.encode import write_video
from resources.worlds.tools.side_by_side import each
from resources.worlds.tools.slips import Slip

Progress = Callable[[int, int, str], None]

FINE_HEADER = (
    "video_uid", "annotation_id", "subset", "view", "scene", "start_sec", "end_sec", "narration_en",
    "narration_en_hand_prompt", "narration_en_no_hand_prompt",
)  # fmt: skip
_TAS = "temporal_action_segmentation_benchmark/tas_annotation"
_FIXED_TIME = 1_694_000_000
# Demonstrations, by index, in which annotators tell something twice.
_IN_FEWER_WORDS, _RUNNING_ON = 2, 1
_TOLD_AGAIN = 17


def _csv(path: Path, header: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8", newline="")


def _json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value), encoding="utf-8")


def _meta(rec: Recording) -> dict[str, object]:
    # As in the release, the metadata describe the 25 fps copy whatever rate the file at hand has.
    return {
        "video_uid": rec.uid, "num_frames": float(rec.num_frames), "fps": 25.0,
        "width": float(rec.width_px), "height": float(rec.height_px), "view": rec.view,
        "scene": rec.scene, "task": rec.task,
    }  # fmt: skip


def planned_slips(world: World) -> tuple[Slip, ...]:
    """What annotators got wrong in a household."""
    return tuple(slip for _, _, slip in _told_twice(world))


def _told_twice(world: World) -> list[tuple[Recording, FineAction, Slip]]:
    """Recordings in which an action is narrated once more: the further telling, and the slip it makes."""
    if not world.spec.slips:
        return []
    found = []
    demonstrations = {r.index: r for r in world.recordings if r.view == "exo"}
    rec = demonstrations.get(_IN_FEWER_WORDS)
    if rec is not None:
        # Two seconds and more: shorter clips are padded, each in its own way.
        first = next(
            f for f in rec.fine if f.action.clauses[0].verb == "hold" and f.end_s - f.start_s >= 2.0
        )
        here = (rec.seed, first.annotation_id, "fewer words")
        action = Action(first.action.clauses[1:])
        told = narrate(action, first.said, here)
        again = replace(first, annotation_id=short_id(*here), action=action, narration=told)
        slip = Slip(
            "one stretch told twice",
            rec.uid,
            "Two annotators told one stretch of video, one in fewer words: two options may show the"
            " same clip.",
            gates=("well_formed",),
            segments=(first.annotation_id, again.annotation_id),
        )
        found.append((rec, again, slip))
    rec = demonstrations.get(_RUNNING_ON)
    if rec is not None:
        first, after = rec.fine[_TOLD_AGAIN : _TOLD_AGAIN + 2]
        here = (rec.seed, first.annotation_id, "running on")
        again = replace(first, annotation_id=short_id(*here), end_s=after.end_s - 0.2)
        slip = Slip(
            "told again and running on",
            rec.uid,
            "An action is narrated again and ends inside the next one: clips of the next show both.",
            gates=("distractors",),
            segments=(after.annotation_id, again.annotation_id),
        )
        found.append((rec, again, slip))
    return found


def _fine_rows(world: World) -> list[tuple[object, ...]]:
    told = [(r, f) for r in world.recordings for f in r.fine]
    told += [(r, again) for r, again, _ in _told_twice(world)]
    rows = [
        (
            r.uid, f.annotation_id, r.split, r.view, r.scene, f.start_s, f.end_s, f.narration.text,
            f.narration.hand_prompt, f.narration.no_hand_prompt,
        )
        for r, f in told
    ]  # fmt: skip
    # The release is in no order that means anything; by id, a new recording moves no other row.
    return sorted(rows, key=lambda row: str(row[1]))


def _l1(rec: Recording) -> list[dict[str, object]]:
    items: list[dict[str, object]] = [
        {
            "start": c.start_s, "end": c.end_s, "attribute": str(c.value),
            "duration": rec.num_frames / 25, "id": c.step_id, "type": 0, "textAttribute_en": c.text,
        }
        for c in rec.coarse
    ]  # fmt: skip
    return sorted(items, key=lambda item: str(item["id"]))


def _tar(path: Path, files: Iterable[tuple[str, bytes]]) -> None:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, content in files:
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(content), _FIXED_TIME
            tar.addfile(info, io.BytesIO(content))
    path.write_bytes(gzip.compress(raw.getvalue(), 6, mtime=_FIXED_TIME))


def write_annotations(world: World, root: Path) -> None:
    """Writes the shared files: metadata, annotations, taxonomies, splits, skill, sessions, questions."""
    notes, tas = root / "annotations", root / _TAS
    (tas / "splits").mkdir(parents=True, exist_ok=True)
    notes.mkdir(parents=True, exist_ok=True)
    _json(root / "video_meta_downsampled.json", [_meta(r) for r in world.recordings])
    fine = _fine_rows(world)
    _csv(notes / "fine_annotation_trainvaltest_en.csv", FINE_HEADER, fine)
    for kind in ("verb", "noun"):
        _csv(
            notes / f"narration_{kind}_taxonomy.csv", ("label", "group"), words.taxonomy_rows(kind)
        )
    kitchen = [r for r in world.recordings if r.view == "ego" and r.scene == "kitchen"]
    texts = ((f"l1/{r.uid}.json", json.dumps(_l1(r)).encode()) for r in kitchen)
    _tar(notes / "coarse_annotations.tar.gz", texts)
    classes = [{"key": name, "value": str(value)} for name, value in words.COARSE_ID.items()]
    _json(tas / "semantic_en.json", classes)
    for view in ("ego", "exo"):
        for split in ("train", "val", "test"):
            members = [r.uid for r in world.recordings if (r.view, r.split) == (view, split)]
            text = "\n".join(f"{uid}.txt" for uid in members)
            if text:  # an empty list is refused, and a small household has no recording in some
                (tas / "splits" / f"{view}_{split}_annotations.bundle").write_text(text)
    write_skills(world, root)
    write_video_questions(world, root)


def write_recording(rec: Recording, root: Path) -> str:
    """Writes the media and gaze of one recording; returns its uid."""
    if rec.form == "native":
        write_native(rec, root / "pupil" / rec.uid)
    elif rec.form == "cloud":
        write_cloud(rec, root / "pupil" / cloud_folder(rec))
    else:
        (part,) = parts(rec)
        write_video(
            root / "videos" / f"{rec.uid}.mp4", Artist(rec).frames(part.t_s), part.pts.tolist(),
            part.ticks, (rec.width_px, rec.height_px), fps=rec.fps, b_frames=rec.b_frames,
            rotated=rec.rotated,
        )  # fmt: skip
        if rec.view == "ego":
            _gaze_npy(rec, root / "gazes_30fps_npy" / f"{rec.uid}.npy")
    return rec.uid


def _gaze_npy(rec: Recording, path: Path) -> None:
    """Gaze in the released form: float32 (N, 3) x, y in [0, 1] and validity, row i at i/30 s."""
    seen = measure(rec, 120.0, regular=False)
    t_s = np.arange(int(np.ceil(rec.duration_s * 30))) / 30
    nearest = np.clip(np.searchsorted(seen.t_s, t_s), 0, seen.t_s.size - 1)
    xy = seen.xy_px[nearest] / (rec.width_px, rec.height_px)
    valid = seen.worn[nearest] & (seen.blink[nearest] == 0) & ((xy >= 0) & (xy <= 1)).all(axis=1)
    xy[~valid] = 0.5
    with path.open("wb") as file:
        np.save(file, np.column_stack([xy, valid]).astype(np.float32), allow_pickle=False)


def write_egoexolearn(
    spec_or_world: HouseholdSpec | World,
    root: Path,
    progress: Progress | None = None,
    workers: int = 2,
) -> None:
    """Writes a household under `root` in the raw layout; equal worlds give equal bytes.

    Args:
        spec_or_world: what to write; the truth itself is never written.
        root: folder to create or fill. Files of another household in it are not removed.
        progress: called with (recordings done, recordings in all, uid) in no particular order.
        workers: processes that draw; 1 draws in this process.
    """
    world = spec_or_world if isinstance(spec_or_world, World) else plan(spec_or_world)
    write_annotations(world, root)
    if world.spec.render == "none":
        return
    for name in ("videos", "gazes_30fps_npy", "pupil"):
        (root / name).mkdir(exist_ok=True)
    each(write_recording, [(rec, root) for rec in world.recordings], progress, workers)
