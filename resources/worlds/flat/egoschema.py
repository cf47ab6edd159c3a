"""Writes questions in EgoSchema's form: what a clip of a longer video is about, five options.

The clip of a question lies somewhere in its Ego4D video. Answers are public for every other
question; one public answer belongs to no question.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from resources.worlds.flat import FlatSpec, Take, plan_flat
from resources.worlds.flat.files import write_json
from resources.worlds.flat.media_jobs import Progress, Stream, draw_all, frame_count
from resources.worlds.tools.chance import digest

FPS: Final = 10
_TASKS: Final = (
    "make tea", "make cereal", "make sandwich", "wash dishes", "tidy living room", "make stew",
)  # fmt: skip
REFUSED: Final = {("imported_questions", "answer_without_question"): 1}
"""What readers must refuse, by table and rule."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about a take.

    Attributes:
        uid: Its id, and that of its clip.
        take: The take.
        options: Option texts in order.
        right: Index of the right one.
        public: Whether its answer is released.
        start_s: Where the clip starts in its Ego4D video.
    """

    uid: str
    take: Take
    options: tuple[str, ...]
    right: int
    public: bool
    start_s: float

    @property
    def duration_s(self) -> float:
        """Length of the clip."""
        return frame_count(self.take.duration_s, FPS) / FPS


def _uid(*parts: object) -> str:
    return str(UUID(bytes=digest("egoschema", *map(str, parts)), version=4))


def asked(spec: FlatSpec) -> list[Asked]:
    """A question a take."""
    made = []
    for index, take in enumerate(plan_flat(spec, "lemma").takes):
        uid = _uid(spec.seed, index)
        others = sorted((t for t in _TASKS if t != take.task), key=lambda t: digest(uid, t))[:4]
        order = sorted((take.task, *others), key=lambda t: digest(uid, "order", t))
        options = tuple(f"C wants to {task}." for task in order)
        made.append(Asked(uid, take, options, order.index(take.task), index % 2 == 0, 60.0 * index))
    return made


def write_egoschema(
    spec: FlatSpec, root: Path, progress: Progress | None = None, workers: int = 2
) -> None:
    """Writes questions on takes of kind `lemma`, and their clips (see `side_by_side.Writer`)."""
    questions = asked(spec)
    rows: list[dict[str, Any]] = [
        {
            "q_uid": one.uid,
            "google_drive_id": one.uid[:8],
            "question": "What is C about to achieve over the whole video?",
            **{f"option {at}": text for at, text in enumerate(one.options)},
        }
        for one in questions
    ]
    answers = {one.uid: one.right for one in questions if one.public}
    places = {
        one.uid: {
            "video_uid": _uid(spec.seed, "video", at),
            "starting_sec": one.start_s,
            "ending_sec": one.start_s + one.duration_s,
        }
        for at, one in enumerate(questions)
    }
    write_json(root / "questions.json", rows, indent=1)
    write_json(root / "subset_answers.json", {**answers, _uid("nobody's"): 0}, indent=1)
    write_json(root / "uid_to_ego4d.json", places, indent=1)
    draw_all(
        [
            Stream(spec, at, "ego", root / f"videos/{one.uid}.mp4", FPS)
            for at, one in enumerate(questions)
        ],
        progress,
        workers,
    )
