"""A small world written by hand: tables of one unit and one good question, and what spoils it.

No builder is called: what is right follows from what is written in the modules of the subtasks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import polars as pl

from assets.questions.kit.identity import question_hash
from expectations.gates import EvidenceTables, Guesses, NotAsked
from expectations.schemas import TABLES
from expectations.schemas.sampling import ShownFrames

Row = dict[str, Any]


LETTERS = "ABCDEFGHIJKLMNOPQRST"


FPS = 10
# Groups of faults, by the kind of question they fit.
EVERY = "every"
EXPLAINED = "explained"
STEPS = "explained in steps"
CLIPS = "options are clips"
LABELS = "right by labels"
WORDS = "options are words"
BOXED = "the answer has a box"
PEOPLE = "boxes are drawn around people"
PICTURES = "media are pictures without times"
SEQUENCES = "answered by a sequence of candidates"
# Of all questions with options.
LETTERED = "options have letters"
# Of all questions whose media have times.
TIMED = "media have times"


@dataclass
class World:
    """One question and the tables it rests on.

    Attributes:
        question: A row of `questions` without a fault.
        tables: Rows of each table.
        groups: Groups of faults that fit this question, beside its own.
        protocols: Sampling rule of each protocol.
        frame_times: Seconds of the frames of each recording.
        guesses: What models answered that are shown less, by gate and hash of the question.
        seen_s: Start and end, in seconds of the query's recording, of all frames that show what
            the answer rests on; for clips that stand for segments it follows from the segment.
        answer_box: Box of the answer in the picture, if it has one: x_min, y_min, x_max, y_max
            as shares.
        retold: For options that are clips, what the query shows in other words.
        elsewhere: For options that are clips, a recording that is not the options' own.
        optional_evidence: Table and role of rows that a question may but need not name.
        copied_from: The world that this one was copied from to be spoiled.
        unspoiled: Tables of this world that copies of it share, as far as they were needed.
    """

    question: Row
    tables: dict[str, list[Row]]
    groups: frozenset[str] = frozenset()
    protocols: dict[str, str | None] = field(default_factory=lambda: {"direct/1": "midpoints(8)"})
    frame_times: dict[str, list[float]] = field(default_factory=dict)
    guesses: dict[str, dict[str, Guesses | NotAsked]] = field(default_factory=dict)
    seen_s: tuple[float, float] | None = None
    answer_box: tuple[float, float, float, float] | None = None
    retold: str = ""
    elsewhere: str = ""
    optional_evidence: frozenset[tuple[str, str]] = frozenset()
    copied_from: World | None = None
    unspoiled: dict[str, pl.DataFrame] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.rehash()

    def rehash(self) -> None:
        """Make `question_hash` that of what the question shows now, as builders write it."""
        row = self.question
        row["question_hash"] = question_hash(row["text"], row["options"], row["media"])

    def given(self) -> EvidenceTables:
        tables = {name: self._table(name) for name in self.tables}
        frames = {uid: ticks(times) for uid, times in self.frame_times.items()}
        return EvidenceTables(tables, frames, self.protocols, self.guesses)

    def _table(self, name: str) -> pl.DataFrame:
        """Rows as a table; a fault spoils few tables, and the others are those of the world as it was."""
        rows, before = self.tables[name], self.copied_from
        if before is None or rows != before.tables.get(name):
            return TABLES[name].frame(rows)
        if name not in before.unspoiled:
            before.unspoiled[name] = TABLES[name].frame(rows)
        return before.unspoiled[name]

    def guess(self, gate: str, known: Guesses | NotAsked) -> None:
        """Say what the model of a gate answered."""
        self.guesses = {gate: {self.question["question_hash"]: known}}

    def questions(self) -> pl.DataFrame:
        return TABLES["questions"].frame([self.question])

    @property
    def options(self) -> list[Row]:
        return self.question["options"]

    @property
    def answer(self) -> Row:
        return next(o for o in self.options if o["letter"] == self.question["answer"])

    @property
    def others(self) -> list[Row]:
        return [o for o in self.options if o is not self.answer]

    def medium(self, role: str) -> Row:
        return next(m for m in self.question["media"] if m["role"] == role)

    def shown(self, option: Row) -> Row:
        return self.medium(f"option_{option['letter']}")

    @property
    def query(self) -> Row:
        """What the question is about: the query, the first of two videos, or the reference."""
        roles = [m["role"] for m in self.question["media"]]
        return self.medium(next(r for r in ("query", "video_1", "reference") if r in roles))

    def row(self, table: str, **where: Any) -> Row:
        return next(r for r in self.tables[table] if all(r.get(k) == v for k, v in where.items()))


def ticks(times: Sequence[float]) -> ShownFrames:
    return _ticks(tuple(times))


@lru_cache
def _ticks(times: tuple[float, ...]) -> ShownFrames:
    frames = pl.DataFrame(
        {
            "t_s": times,
            "part": [0] * len(times),
            "source_frame": list(range(len(times))),
            "source_pts": [round(t * 1000) for t in times],
            "residual_ms": [0.0] * len(times),
        },
        schema_overrides={"t_s": pl.Float64, "source_pts": pl.Int64},
    )
    return ShownFrames(frames)


def seconds(length: float) -> list[float]:
    return [i / FPS for i in range(int(length * FPS) + 1)]


def recording(uid: str, view: str, length: float, **more: Any) -> Row:
    return {
        "source": "s",
        "recording_id": uid,
        "take_id": uid,
        "view": view,
        "scenario": "cooking",
        "split": "val",
        "media": "present",
        "media_hashes": [f"hash-{uid}"],
        "duration_s": length,
        "licence": "MIT",
        **more,
    }


def medium(role: str, uid: str, start: float, end: float, **more: Any) -> Row:
    return {
        "role": role,
        "recording_id": uid,
        "segment_id": None,
        "media_kind": "clip",
        "start_s": start,
        "end_s": end,
        "sampling": None,
        "times_s": [],
        "overlays": [],
        "content": f"hash-{uid}",
        **more,
    }


def option(letter: str, text: str, right: bool, **more: Any) -> Row:
    return {
        "letter": letter,
        "text": text,
        "segment_id": None,
        "value": None,
        "is_answer": right,
        **more,
    }


def question(
    benchmark: str, subtask: str, options: list[Row], media: list[Row], **more: Any
) -> Row:
    recipe = more.get("recipe", f"{subtask}@1")
    return {
        "benchmark": benchmark,
        "source": "s",
        "pool": f"s/{recipe}/unit",
        "subtask": subtask,
        "recipe": recipe,
        "question_id": "id-1",
        "split": "val",
        "recording_id": media[0]["recording_id"],
        "options": options,
        "media": media,
        "answer": next(o["letter"] for o in options if o["is_answer"]),
        "chance": 1 / len(options),
        "media_present": True,
        "answer_text": None,
        "detailed_answer": None,
        "rationale": [],
        "licence": "MIT",
        **more,
    }


def overlay(box: tuple[float, float, float, float], t_s: float | None, label: str = "") -> Row:
    names = ("x_min", "y_min", "x_max", "y_max")
    drawn = dict(zip(names, box, strict=True))
    return {"kind": "box", "label": label, "colour": "red", "width": 0.005, "t_s": t_s, **drawn}


@dataclass(frozen=True)
class Fault:
    """A fault with the gate and the rule that must refuse it.

    Attributes:
        name: Name of the function that plants it.
        fits: Names of worlds, or groups of them, into which it is planted.
        gate: Name of the gate that must refuse the question.
        rule: Rule, or a part of the refusal's text, that must name the fault.
        plant: Spoils a world in place.
        keeps_hash: Whether the question keeps the hash it had before.
    """

    name: str
    fits: frozenset[str]
    gate: str
    rule: str
    plant: Callable[[World], Any]
    keeps_hash: bool = False


def collect(faults: list[Fault]) -> Callable[..., Any]:
    """Return a decorator that appends a function as a fault.

    Args:
        faults: The faults of a module.
    """

    def fault(
        fits: tuple[str, ...] | str, gate: str, rule: str, *, keeps_hash: bool = False
    ) -> Callable[..., Any]:
        def keep(plant: Callable[[World], Any]) -> Callable[[World], Any]:
            names = frozenset((fits,) if isinstance(fits, str) else fits)
            faults.append(Fault(plant.__name__, names, gate, rule, plant, keeps_hash))
            return plant

        return keep

    return fault


def key_to(w: World, letter: str) -> None:
    """Make another letter the key, in every place that states it."""
    for option in w.options:
        option["is_answer"] = option["letter"] == letter
    w.question["answer"] = letter
    if w.question["answer_text"] is not None:
        w.question["answer_text"] = w.answer["text"]


def reword(w: World, old: str, new: str) -> None:
    """Change words of the question; they must stand there."""
    assert old in w.question["text"]
    w.question["text"] = w.question["text"].replace(old, new)


def explain(w: World, old: str, new: str) -> None:
    """Change a claim in every place that explains the answer; it must stand there."""
    row = w.question
    assert old in row["detailed_answer"]
    row["detailed_answer"] = row["detailed_answer"].replace(old, new)
    for step in row["rationale"]:
        step["text"] = step["text"].replace(old, new)
