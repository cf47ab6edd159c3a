"""Writes a testbed in EgoCross's form: questions on pictures of the slope and the animals' path.

Pictures are taken every two seconds. As in the release there are no answers, options of one type are
in alphabetical order, and one dataset's name is misspelt. One folder lacks a picture, one question
names pictures of two folders.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from PIL import Image

from resources.worlds.animal.draw import Artist as AnimalArtist
from resources.worlds.animal.plan import plan_animals
from resources.worlds.animal.truth import ANIMALS, AnimalSpec, Clip
from resources.worlds.flat.files import write_json
from resources.worlds.flat.media_jobs import Progress
from resources.worlds.slope.draw import Artist as SlopeArtist
from resources.worlds.slope.plan import plan_slope
from resources.worlds.slope.truth import DIRECTIONS, SPORTS, Run, SlopeSpec
from resources.worlds.tools.chance import digest
from resources.worlds.tools.side_by_side import each

EVERY_S: Final = 2.0
LIST: Final = "datasets/egocross_testbed_imgs.json"
REFUSED: Final = {
    ("recordings", "picture_missing"): 1,
    ("imported_questions", "unreadable_row"): 1,
}
"""What readers must refuse, by table and rule."""
_JPEG: Final = {"quality": 80, "subsampling": 2}
_WORDS: Final = {"curveleft": "Curve left", "curveright": "Curve right", "leftright": "Left right"}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, with the answer that the file leaves out.

    Attributes:
        dataset: Name in the testbed.
        video: Folder of the video.
        code: Folder of the question.
        group: Primary category.
        kind: Question type.
        text: Question.
        options: Option texts in order.
        right: Index of the right one.
        shown: Run or clip that is shown.
        end_s: Where the shown part ends; it starts at 0.
    """

    dataset: str
    video: str
    code: str
    group: str
    kind: str
    text: str
    options: tuple[str, ...]
    right: int
    shown: Run | Clip
    end_s: float

    @property
    def folder(self) -> str:
        """Folder of its pictures."""
        return f"egocross_testbed/{self.dataset}/generated/{self.video}/frames/{self.code}"

    @property
    def times(self) -> list[float]:
        """Times of its pictures."""
        return [n * EVERY_S for n in range(int(self.end_s / EVERY_S) + 1)]


def asked(spec: AnimalSpec) -> list[Asked]:
    """All questions: a sport and a direction of each run, an animal of each clip."""
    slope = plan_slope(SlopeSpec(runs=len(SPORTS), seed=spec.seed, render=spec.render))
    made = [one for run in slope.runs if run.stored for one in _of_run(run)]
    return [*made, *(_of_clip(clip) for clip in plan_animals(spec).clips)]


def _of_run(run: Run) -> Iterator[Asked]:
    names = tuple(sport.title() for sport in SPORTS)
    yield Asked("ExtrameSportFPV", run.video_id, "si_q1", "Identification",
                "sport identification", "Which sport is being performed in the video segment?",
                names, SPORTS.index(run.sport), run, 8.0)  # fmt: skip
    # The segment ends where the next action, a direction of its own, begins.
    after = run.next_direction(10.0)
    if after is None:
        return
    others = sorted((d for d in DIRECTIONS if d != after.label),
                    key=lambda d: digest(run.video_id, d))[:3]  # fmt: skip
    options = tuple(sorted(_said(d) for d in (after.label, *others)))
    yield Asked("ExtrameSportFPV", run.video_id, "ndp_q2", "Prediction",
                "next direction prediction", "Which direction follows the video segment?",
                options, options.index(_said(after.label)), run, after.start_s)  # fmt: skip


def _of_clip(clip: Clip) -> Asked:
    names = tuple(animal.title() for animal in ANIMALS)
    return Asked("EgoPet", str(int(clip.number)), "ai_q1", "Identification",
                 "animal identification", "Which animal wears the camera in this video segment?",
                 names, ANIMALS.index(clip.animal), clip, 6.0)  # fmt: skip


def _said(direction: str) -> str:
    return _WORDS.get(direction, direction.capitalize())


def _row(number: int, one: Asked) -> dict[str, Any]:
    letters = "ABCD"
    return {
        "id": number,
        "dataset": one.dataset,
        "primary_category": one.group,
        "question_type": one.kind,
        "question_text": one.text,
        "options": [f"{letters[at]}: {text}" for at, text in enumerate(one.options)],
        "original_video_fps": 30.0,
        "video_path": [f"/{one.folder}/frame_{n:05d}.jpg" for n in range(len(one.times))],
    }


def _draw(one: Asked, root: Path, missing: int | None) -> str:
    artist = SlopeArtist(one.shown) if isinstance(one.shown, Run) else AnimalArtist(one.shown)
    folder = root / one.folder
    folder.mkdir(parents=True, exist_ok=True)
    for n, t_s in enumerate(one.times):
        if n != missing:
            picture = Image.fromarray(artist.frame(t_s))
            picture.save(folder / f"frame_{n:05d}.jpg", "JPEG", **_JPEG)
    return one.folder


def write_egocross_testbed(
    spec: AnimalSpec, root: Path, progress: Progress | None = None, workers: int = 2
) -> None:
    """Writes questions on the path, and on the slope of the same seed (see `side_by_side.Writer`)."""
    questions = asked(spec)
    rows = [_row(number, one) for number, one in enumerate(questions, 1)]
    strayed = {**rows[0], "id": len(rows) + 1}
    strayed["video_path"] = [rows[0]["video_path"][0], rows[1]["video_path"][0]]
    write_json(root / LIST, [*rows, strayed], indent=2)
    if spec.render == "none":
        return
    each(
        _draw,
        [(one, root, 1 if at == 0 else None) for at, one in enumerate(questions)],
        progress,
        workers,
    )
