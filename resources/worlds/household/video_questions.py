"""Writes questions about whole recordings in the form of EgoExoLearn's video questions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from resources.worlds.household.truth import Recording, World
from resources.worlds.tools.chance import digest

FILE: Final = "Video_QA/vid_vqa_video_tag_egoexolearn_video_mcq.jsonl"
_ASKED: Final = "Which of these is done first in the video?"
_SENT: Final = "Answer with the option's letter from the given choices directly."


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about a recording.

    Attributes:
        uid: Recording.
        options: Narrations in shown order.
        right: Index of the one that is done first.
    """

    uid: str
    options: tuple[str, ...]
    right: int


def asked(world: World) -> Iterator[Asked]:
    """One question an ego recording: four things done in it that are said differently."""
    for recording in world.recordings:
        said = _told_once(recording)
        if recording.view != "ego" or len(said) < 4:
            continue
        step = len(said) // 4
        chosen = said[::step][:4]
        shown = sorted(chosen, key=lambda text, uid=recording.uid: digest("asked", uid, text))
        yield Asked(recording.uid, tuple(shown), shown.index(chosen[0]))


def _told_once(recording: Recording) -> list[str]:
    texts = [action.narration.text for action in sorted(recording.fine, key=lambda a: a.start_s)]
    return [text for text in texts if texts.count(text) == 1]


def write_video_questions(world: World, root: Path) -> None:
    """Writes the file under `root`."""
    lines = []
    for one in asked(world):
        options = "\n".join(f"({'ABCD'[at]}) {text}" for at, text in enumerate(one.options))
        turns = [
            {"from": "human", "value": f"<video>\n{_ASKED}\n{options}\n{_SENT}"},
            {"from": "gpt", "value": "ABCD"[one.right]},
        ]
        row = {
            "id": f"{one.uid}_0",
            "conversations": turns,
            "image": {"video": f"{one.uid}.mp4"},
        }
        lines.append(json.dumps(row))
    path = root / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
