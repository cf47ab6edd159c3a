"""What is annotated of the videos of a question, as a language model is given it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assets.questions.kit.builder import Tables
from assets.questions.kit.recipe import Row
from expectations.action_words import readable_action

_SUBJECT = re.compile(r"^C\b")
VIDEOS = ("video_1", "video_2")


@dataclass(frozen=True, slots=True)
class Annotated:
    """Annotations of a unit.

    Attributes:
        words: What each segment is said to show, by segment.
        steps: Segment and name of each keystep of a take in order of their starts, by recording of the take.
    """

    words: Mapping[str, str]
    steps: Mapping[str, Sequence[tuple[str, str]]]

    def narrated(self, row: Row) -> tuple[str, str]:
        """What the two videos of a question are narrated as."""
        first, second = (self.words[evidence_key(row, role)] for role in VIDEOS)
        return first, second

    def sequences(self, row: Row) -> tuple[list[str], list[str]]:
        """Names of the steps of the two videos of a question."""
        shown = {medium["role"]: medium["recording_id"] for medium in row["media"]}
        first, second = ([name for _, name in self.steps[shown[role]]] for role in VIDEOS)
        return first, second

    def step_evidence(self, row: Row) -> list[dict[str, str]]:
        """Segments of the steps of the two videos of a question, as evidence."""
        shown = {medium["role"]: medium["recording_id"] for medium in row["media"]}
        return [
            {"table": "segments", "key": key, "role": role}
            for role in VIDEOS
            for key, _ in self.steps[shown[role]]
        ]


def annotated(tables: Tables) -> Annotated:
    """Annotations of a unit's segments.

    Args:
        tables: Rows of `recordings` and `segments`.
    """
    words: dict[str, str] = {}
    of_recording: dict[str, list[tuple[float, str, str]]] = defaultdict(list)
    for row in tables["segments"].iter_rows(named=True):
        narration, name = row.get("narration"), row.get("class_name")
        said = narration if row["kind"] != "action" and narration else readable_action(name or "")
        words[row["segment_id"]] = _SUBJECT.sub("The person", (said or "").strip())
        if row["kind"] == "keystep" and name:
            of_recording[row["recording_id"]].append((row["start_s"], row["segment_id"], name))
    takes: dict[str, list[str]] = defaultdict(list)
    for uid, take in tables["recordings"].select("recording_id", "take_id").iter_rows():
        takes[take].append(uid)
    steps: dict[str, Sequence[tuple[str, str]]] = {}
    for uids in takes.values():
        own = sorted(step for uid in uids for step in of_recording.get(uid, ()))
        steps |= dict.fromkeys(uids, tuple((key, name) for _, key, name in own))
    return Annotated(words, steps)


def evidence_key(row: Row, role: str) -> str:
    """Segment that a question's evidence names under a role.

    Raises:
        KeyError: It names none.
    """
    for item in row["evidence"]:
        if item["table"] == "segments" and item["role"] == role:
            return str(item["key"])
    raise KeyError(f"question {row['question_id']} names no segment as {role}")
