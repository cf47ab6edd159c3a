"""Writes episodes in Charades-Ego's layout: the same script filmed from outside and from inside.

Lists and classes of version 1. One action ends behind its video, one before it begins, one video has
no stated length, and the list of first-person videos repeats rows of the full list.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Final

from resources.worlds.flat import FlatSpec
from resources.worlds.flat.episodes import Episode, Performance, episodes
from resources.worlds.flat.media_jobs import Progress, Stream, draw_all, frame_count
from resources.worlds.tools.chance import digest

FPS: Final = 24
_HEADER: Final = (
    "id,subject,scene,quality,relevance,verified,script,objects,descriptions,actions,length,"
    "egocentric,charades_video"
)
_LETTERS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
REFUSED: Final = {("segments", "unreadable_row"): 1}
"""What readers must refuse, by table and rule."""


def video_id(spec: FlatSpec, at: int) -> str:
    """Id of an episode's third-person video; the first-person one ends in `EGO`."""
    return "".join(_LETTERS[b % len(_LETTERS)] for b in digest("charades", spec.seed, str(at))[:5])


def class_names(made: list[Episode]) -> list[str]:
    """Names of the action classes, ascending; a class's number is its place."""
    both = (shown for episode in made for shown in (episode.exo, episode.ego))
    return sorted({shown.sentence(a).capitalize() for shown in both for a in shown.actions})


def length_s(shown: Performance) -> float:
    """Length of a performance's video."""
    return frame_count(shown.take.duration_s, FPS) / FPS


def _row(uid: str, shown: Performance, other: str, classes: list[str], at: int) -> list[object]:
    ego = shown.camera == "ego"
    length = length_s(shown)
    actions = []
    for action in shown.actions:
        number = classes.index(shown.sentence(action).capitalize())
        actions.append(f"c{number:03d} {action.start_s:.2f} {action.end_s:.2f}")
    if at == 0 and not ego:
        actions.append(f"c000 {length - 2:.2f} {length + 1:.2f}")
        actions.append("c001 6.00 5.00")
    told = ". ".join(shown.sentence(action).capitalize() for action in shown.actions[:3])
    things = sorted({shown.take.name_of(action.object) for action in shown.actions})
    return [
        uid,
        "S001",
        "Kitchen" if "living" not in shown.take.task else "Living room",
        "" if ego else 6,
        "" if ego else 7,
        "" if ego else "Yes",
        f"A person does this: {shown.take.task}.",
        ";".join(things),
        f"{told}.;A person, alone, does: {shown.take.task}",
        ";".join(actions),
        "" if ego and at == 1 else f"{length:.2f}",
        "Yes" if ego else "No",
        other if ego else "",
    ]


def _list(path: Path, rows: list[list[object]]) -> None:
    text = io.StringIO(newline="")
    text.write(_HEADER + "\r\n")
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8", newline="")


def write_charades_ego(
    spec: FlatSpec, root: Path, progress: Progress | None = None, workers: int = 2
) -> None:
    """Writes episodes in this layout (see `side_by_side.Writer`)."""
    made = episodes(spec, unfaithful=False)
    classes = class_names(made)
    folder = root / "CharadesEgo"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Charades_v1_classes.txt").write_text(
        "".join(f"c{n:03d} {name}\n" for n, name in enumerate(classes)), encoding="utf-8"
    )
    lists: dict[str, list[list[object]]] = {"train": [], "test": []}
    first_person: list[list[object]] = []
    streams = []
    for at, episode in enumerate(made):
        uid = video_id(spec, at)
        rows = lists["test" if at == len(made) - 1 else "train"]
        for name, shown in ((uid, episode.exo), (f"{uid}EGO", episode.ego)):
            row = _row(name, shown, uid, classes, at)
            rows.append(row)
            if shown.camera == "ego" and rows is lists["train"]:
                first_person.append(row)
            path = root / f"CharadesEgo_v1_480/{name}.mp4"
            streams.append(Stream(shown.spec, shown.index, shown.camera, path, FPS))
    for name, rows in lists.items():
        _list(folder / f"CharadesEgo_v1_{name}.csv", rows)
    _list(folder / "CharadesEgo_v1_train_only1st.csv", first_person)
    draw_all(streams, progress, workers)
