"""Questions in the form of EgoCross's released testbed, which its inference scripts read.

An item holds a question, its options, its pictures and its answer; the scripts need four keys that the file
without answers lacks (`question_id`, `correct_option_letter`, `answer_text`, `detailed_answer`). They skip
pictures that they do not find without a word, and hand on no other key of an item: which question was shown,
and in which wording, stands in the name of the folder of its pictures.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

ITEMS = "datasets/egocross_testbed_imgs.json"
"""Where the scripts look for their questions, below the folder they are run in."""
SCRIPTS_FPS = 0.5
PNG_FPS = 1.0
_SURGERY_IN_PNG = "CholecTrack20"


@dataclass(frozen=True, slots=True)
class _Dataset:
    """A dataset as the testbed has it: its name, misspelt or not, and the rate it states for videos."""

    name: str
    video_fps: float


_DATASETS = {
    "cholectrack20": _Dataset(_SURGERY_IN_PNG, 25.0),
    "egosurgery": _Dataset("EgoSurgery", 25.0),
    "enigma51": _Dataset("ENIGMA", 30.0),
    "extremesportfpv": _Dataset("ExtrameSportFPV", 30.0),
    "egopet": _Dataset("EgoPet", 30.0),
}
TESTBED_LAYOUT = "egocross_testbed"
# By subtask: category, question type and the short name of its folders.
_TYPES = {
    "interaction_identification": ("Identification", "interaction identification", "ii"),
    "animal_identification": ("Identification", "animal identification", "ai"),
    "dominant_object": ("Identification", "dominant held-object identification", "dhoi"),
    "object_not_visible": ("Identification", "object not visible identification", "onvi"),
    "action_sequence_identification": ("Identification", "action sequence identification", "asi"),
    "special_action_identification": ("Identification", "special action identification", "sai"),
    "sport_identification": ("Identification", "sport identification", "si"),
    "action_localisation": ("Localization", "action temporal localization", "atl"),
    "interaction_localisation": ("Localization", "interaction temporal localization", "itl"),
    "object_localisation": ("Localization", "object spatial localization", "osl"),
    "next_direction": ("Prediction", "next direction prediction", "ndp"),
    "next_interaction": ("Prediction", "next interaction prediction", "nip"),
    "next_action": ("Prediction", "next action prediction", "nap"),
    "next_phase": ("Prediction", "next phase prediction", "npp"),
    "object_counting": ("Counting", "object counting", "oc"),
}
_RELEASED_TYPES = {kind: (group, kind, code) for group, kind, code in _TYPES.values()}


SUBTASKS = {kind: subtask for subtask, (_, kind, _) in _TYPES.items()}
"""Our subtask of each question type of the testbed."""


def testbed_layout(recording_id: str) -> str | None:
    """Layout of the dataset that a recording of the testbed comes from; None for other recordings."""
    name = recording_id.partition("/")[0]
    return next((layout for layout, one in _DATASETS.items() if one.name == name), None)


class NotOfTheTestbed(ValueError):
    """A question does not fit the testbed's form."""


@dataclass(frozen=True, slots=True)
class AskedItem:
    """A question as a run asks it.

    Attributes:
        question: Row of `questions`.
        layout: Layout of its source.
        pictures: Frames in time order, below the folder the scripts are run in.
        original_fps: Rate of the video; None where it is not known.
    """

    question: Mapping[str, Any]
    layout: str
    pictures: Sequence[str]
    original_fps: float | None


def items_file(items: Iterable[AskedItem]) -> str:
    """The file of questions, numbered from 1.

    Raises:
        NotOfTheTestbed: A question is of another dataset or subtask.
    """
    rows = [_item(number, one) for number, one in enumerate(items, 1)]
    return json.dumps(rows, ensure_ascii=False, indent=2) + "\n"


def picture_folder(question: Mapping[str, Any], layout: str, prompt_hash: str) -> str:
    """Folder of a question's pictures, below the folder the scripts are run in.

    Args:
        question: Row of `questions`.
        layout: Layout of its source.
        prompt_hash: Hash of what a person would be shown.

    Raises:
        NotOfTheTestbed: It is of another dataset or subtask.
    """
    dataset, (_, _, code) = _dataset(question, layout), _type(question)
    video = re.sub(r"[^\w.-]+", "_", question["recording_id"]).strip("._") or "video"
    shown = f"{code}_{question['question_id']}_{prompt_hash}"
    return f"{TESTBED_LAYOUT}/{dataset.name}/generated/{video}/frames/{shown}"


def picture_suffix(layout: str, sampling_fps: float | None) -> str:
    """Ending of a question's pictures: the scripts state 1 fps for PNGs of CholecTrack20, 0.5 otherwise."""
    known = _DATASETS.get(layout)
    is_png = known is not None and known.name == _SURGERY_IN_PNG and sampling_fps == PNG_FPS
    return ".png" if is_png else ".jpg"


def states_rate(layout: str, sampling_fps: float | None) -> bool:
    """Whether the scripts state the rate at which a question's frames were taken.

    Args:
        layout: Layout of the question's source.
        sampling_fps: That rate; None where there is none, so that nothing contradicts what is stated.
    """
    stated = PNG_FPS if picture_suffix(layout, sampling_fps) == ".png" else SCRIPTS_FPS
    return sampling_fps is None or sampling_fps == stated


def _item(number: int, one: AskedItem) -> dict[str, Any]:
    row = one.question
    dataset, (group, kind, _) = _dataset(row, one.layout), _type(row)
    right = next((option["text"] for option in row["options"] if option["is_answer"]), None)
    return {
        "id": number,
        "dataset": dataset.name,
        "primary_category": group,
        "question_type": kind,
        "question_id": row["question_id"],
        "question_text": row["text"],
        "options": [f"{option['letter']}: {option['text']}" for option in row["options"]],
        # Empty where the release withholds it: the scripts then count every reply as wrong.
        "correct_option_letter": row["answer"] or "",
        "answer_text": row["answer_text"] or right or "",
        "detailed_answer": row["detailed_answer"] or "",
        "original_video_fps": one.original_fps or dataset.video_fps,
        "video_path": list(one.pictures),
    }


def _dataset(question: Mapping[str, Any], layout: str) -> _Dataset:
    of_testbed = layout == TESTBED_LAYOUT
    named = testbed_layout(question["recording_id"]) if of_testbed else layout
    known = _DATASETS.get(named or "")
    if known is None:
        raise NotOfTheTestbed(
            f"question {question['question_id']} is about {question['recording_id']} of layout {layout}, which"
            f" EgoCross's scripts do not know ({', '.join(sorted(_DATASETS))}); export another form"
        )
    return known


def _type(question: Mapping[str, Any]) -> tuple[str, str, str]:
    subtask = question["subtask"]
    known = _TYPES.get(subtask) or _RELEASED_TYPES.get(subtask)
    if known is None:
        raise NotOfTheTestbed(
            f"subtask {subtask} is not a question type of EgoCross's testbed; export another form"
        )
    return known
