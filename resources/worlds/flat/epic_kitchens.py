"""Writes takes of a flat as EPIC-KITCHENS-100 with VISOR and EPIC-SOUNDS, quirks included."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import numpy as np

from resources.worlds.flat import Action, Flat, FlatSpec, Take, plan_flat
from resources.worlds.flat.files import Progress, each_take, write_csv, write_json
from resources.worlds.flat.kitchen_words import SOUNDS, Told, clock, noun_rows, told, verb_rows
from resources.worlds.flat.visor import dense_of, picture_of
from resources.worlds.tools.encode import write_video

REPOSITORY: Final = "epic-kitchens-100-annotations"
_FULL: Final = (
    "narration_id,participant_id,video_id,narration_timestamp,start_timestamp,stop_timestamp,"
    "start_frame,stop_frame,narration,verb,verb_class,noun,noun_class,all_nouns,all_noun_classes"
)
_BARE: Final = ",".join(_FULL.split(",")[:8])
_SOUND: Final = (
    "annotation_id,participant_id,video_id,start_timestamp,stop_timestamp,start_sample,stop_sample"
)
_VISOR_NOUNS: Final = ("hand:left", "hand:right", "foot", "glove:left", "glove:right")
UNREADABLE: Final = "900"
LATE: Final = "901"
"""Numbers of the two broken rows of the first video: a list that is not one, an end after the video."""


@dataclass(frozen=True, slots=True)
class Video:
    """A video of the release; pictures address 60 frames a second, or 50 with three digits."""

    video_id: str
    fps: Fraction
    split: str

    @property
    def base(self) -> int:
        """Released pictures a second."""
        return 50 if len(self.video_id) == 7 else 60


VIDEOS: Final = (
    Video("P01_01", Fraction(60000, 1001), "train"),
    Video("P01_101", Fraction(50), "val"),
    Video("P02_05", Fraction(30000, 1001), "train"),
    Video("P02_109", Fraction(50), "test"),
)
ABSENT: Final = ("P03_02", 612.5)
"""A video that is listed with its length and does not lie here."""


def video_of(index: int) -> Video:
    """Video of a take; takes beyond the fourth are more videos like the first ones."""
    model = VIDEOS[index % len(VIDEOS)]
    lap = index // len(VIDEOS)
    number = model.video_id[4:]
    name = f"P{int(model.video_id[1:3]) + 10 * lap:02d}_{number}"
    return Video(name, model.fps, model.split)


def narration_id(index: int, number: int) -> str:
    """Id of an action: the video, and a number."""
    return f"{video_of(index).video_id}_{number}"


def frame_at(t_s: float, base: int) -> int:
    """Number of the released picture at a printed time."""
    return max(1, int(t_s * base + 1e-6))


def printed_s(t_s: float) -> float:
    """A time as it is printed: cut to hundredths."""
    return int(t_s * 100 + 1e-6) / 100


def _row(index: int, number: int, action: Action, said: Told) -> list[object]:
    video = video_of(index)
    start, stop = printed_s(action.start_s), printed_s(action.end_s)
    heard = "" if number % 7 == 3 else clock(action.contact_s, 3)
    return [
        narration_id(index, number), video.video_id[:3], video.video_id, heard,
        clock(start, 2), clock(stop, 2), frame_at(start, video.base), frame_at(stop, video.base),
        said.text, said.verb, said.verb_class, said.nouns[0], said.noun_classes[0],
        repr(list(said.nouns)), repr(list(said.noun_classes)),
    ]  # fmt: skip


def _broken(take: Take) -> Iterator[list[object]]:
    """Two rows of the first video that no reader should take."""
    action = take.actions[0]
    first = _row(0, int(UNREADABLE), action, told(take, action))
    first[13] = "[cup"
    yield first
    late = _row(0, int(LATE), action, told(take, action))
    late[5] = clock(take.duration_s + 5, 2)
    late[7] = frame_at(take.duration_s + 5, video_of(0).base)
    yield late


def _lists(flat: Flat, root: Path) -> None:
    folder = root / REPOSITORY
    rows: dict[str, list[list[object]]] = {"train": [], "val": [], "test": []}
    source: list[list[object]] = []
    target: list[list[object]] = []
    for index, take in enumerate(flat.takes):
        video = video_of(index)
        made = [_row(index, n, a, told(take, a)) for n, a in enumerate(take.actions)]
        if index == 0:
            made += _broken(take)
        rows[video.split] += made
        # Domain adaptation splits the same videos otherwise: by whether they are of the extension.
        if video.split == "train":
            source += [row for row in made if not str(row[0]).endswith((UNREADABLE, LATE))]
        elif video.base == 50:
            target += [row[:8] for row in made]
    write_csv(folder / "EPIC_100_train.csv", _FULL, rows["train"])
    write_csv(folder / "EPIC_100_validation.csv", _FULL, rows["val"])
    write_csv(folder / "EPIC_100_test_timestamps.csv", _BARE, [r[:8] for r in rows["test"]])
    adaptation = folder / "UDA_annotations"
    write_csv(adaptation / "EPIC_100_uda_source_train.csv", _FULL, source)
    write_csv(adaptation / "EPIC_100_uda_target_train_timestamps.csv", _BARE, target)
    write_csv(folder / "EPIC_100_verb_classes.csv", "id,key,instances,category", verb_rows())
    classes = "id,key,instances,category"
    write_csv(folder / "EPIC_100_noun_classes.csv", classes, noun_rows())
    # The second version ends its list with the classes of VISOR.
    fill = tuple(f"unused:{n}" for n in range(len(noun_rows()), 300))
    write_csv(folder / "EPIC_100_noun_classes_v2.csv", classes, noun_rows((*fill, *_VISOR_NOUNS)))


def _info(flat: Flat, root: Path) -> None:
    rows: list[list[object]] = []
    for index, take in enumerate(flat.takes):
        video, camera = video_of(index), take.camera("ego")
        rows.append([video.video_id, f"{take.duration_s:.6f}", float(video.fps),
                     f"{camera.width_px}x{camera.height_px}"])  # fmt: skip
    rows.append([ABSENT[0], ABSENT[1], 59.9400599400599, "1920x1080"])
    folder = root / REPOSITORY
    write_csv(folder / "EPIC_100_video_info.csv", "video_id,duration,fps,resolution", rows)
    header = "Participant,ReturningKitchen,ChangingKitchen,NewParticipant"
    write_csv(folder / "Extension_Participants.csv", header, [("P01", 0, 1, 0), ("P02", 1, 0, 0)])


def _sounds(flat: Flat, root: Path) -> None:
    rows: dict[str, list[list[object]]] = {"train": [], "val": [], "test": []}
    for index, take in enumerate(flat.takes):
        video, number = video_of(index), 0
        for action in take.actions:
            if action.verb in SOUNDS:
                class_id, name = SOUNDS[action.verb]
                start, stop = action.contact_s, action.end_s
                rows[video.split].append([
                    f"{video.video_id}_{number}", video.video_id[:3], video.video_id,
                    clock(start, 3), clock(stop, 3), round(start * 24000), round(stop * 24000),
                    action.verb, name, class_id,
                ])  # fmt: skip
                number += 1
    folder = root / "epic-sounds-annotations"
    full = f"{_SOUND},description,class,class_id"
    write_csv(folder / "EPIC_Sounds_train.csv", full, rows["train"])
    write_csv(folder / "EPIC_Sounds_validation.csv", full, rows["val"])
    bare = [row[:7] for row in rows["test"]]
    write_csv(folder / "EPIC_Sounds_recognition_test_timestamps.csv", _SOUND, bare)


# -- VISOR -----------------------------------------------------------------------------------------


def sparse_pictures(take: Take, index: int) -> list[dict[str, Any]]:
    """Outlined pictures of a take: one at each action's contact."""
    video = video_of(index)
    made = []
    for number, action in enumerate(take.actions, 1):
        frame = int(action.contact_s * video.base) + 1
        t_s = (frame - 1) / video.base
        made.append(picture_of(take, video.video_id, frame, t_s, action, number))
    return made


def _visor(take: Take, index: int, root: Path) -> dict[str, Any]:
    """Writes the outlines of one take; returns what is wrong in them, by picture and hand."""
    video = video_of(index)
    pictures = sparse_pictures(take, index)
    wrong: dict[str, dict[str, str]] = {}
    if index == 0:
        # As in the release, some contacts are wrong and corrected by a file beside.
        for picture in pictures:
            hand = next(
                (one for one in picture["annotations"]
                 if len(one.get("in_contact_object", "")) == 32), None
            )  # fmt: skip
            if hand is not None:
                wrong[picture["image"]["name"]] = {hand["name"]: hand["in_contact_object"]}
                hand["in_contact_object"] = "hand-not-in-contact"
                break
    if index == 1:
        for one in (o for p in pictures for o in p["annotations"] if o["name"] == "right hand"):
            one["name"] = "rigth hand"
            break
    folder = root / "VISOR/GroundTruth-SparseAnnotations/annotations"
    split = "train" if video.split == "train" else "val"
    path = folder / split / f"{video.video_id}.json"
    write_json(path, {"info": {"version": "2.0"}, "video_annotations": pictures})
    if index == 0:
        dense = list(dense_of(take, video.video_id, video.base, take.actions[1]))
        home = root / "VISOR/Interpolations-DenseAnnotations" / split
        write_json(
            home / f"{video.video_id}_interpolations.json",
            {"info": {}, "video_annotations": dense},
        )
    return wrong


# -- videos ----------------------------------------------------------------------------------------


def _write(take: Take, root: Path) -> str:
    """Writes pixels and outlines of one take."""
    index = int(take.take_id.rpartition("_")[2]) - 1
    video = video_of(index)
    if take.spec.render != "none":
        camera = take.camera("ego")
        path = root / f"EPIC-KITCHENS/{video.video_id[:3]}/videos/{video.video_id}.MP4"
        path.parent.mkdir(parents=True, exist_ok=True)
        count = round(take.duration_s * float(video.fps))
        ticks, step = video.fps.numerator, video.fps.denominator
        t_s = (np.arange(count) * step / ticks).tolist()
        write_video(
            path, take.frames("ego", t_s), [n * step for n in range(count)], ticks,
            (camera.width_px, camera.height_px), fps=round(video.fps), repeated=True,
        )  # fmt: skip
    return video.video_id


def write_epic_kitchens(
    spec: FlatSpec, root: Path, progress: Progress | None = None, workers: int = 2
) -> None:
    """Writes takes of kind `easg`, one wearer each, in this layout (see `side_by_side.Writer`)."""
    flat = plan_flat(spec, "easg")
    _lists(flat, root)
    _info(flat, root)
    _sounds(flat, root)
    corrections: dict[str, Any] = {}
    stamps: dict[str, float] = {}
    for index, take in enumerate(flat.takes):
        video = video_of(index)
        if video.split != "test":
            corrections |= _visor(take, index, root)
            for action in take.actions:
                frame = int(action.contact_s * video.base) + 1
                name = f"{video.video_id}_frame_{frame:010d}.jpg"
                stamps[name] = (frame - 1) / video.base
    write_json(root / "VISOR/visor/correct.json", corrections)
    write_json(
        root / "VISOR/frames_to_timestamps.json",
        {"info": "timestamps of all sparse frames, in seconds", "timestamps": stamps},
    )
    each_take(_write, flat.takes, root, progress, workers)
