"""What VLMEvalKit makes of an exported table: recorded, and anew where an environment that has it is named.

`PARALLAX_VLMEVALKIT_PYTHON` names its Python. The record is of ms-vlmeval 0.0.20 with pandas 3.1.1,
moviepy 1.0.3 and decorator 4.4.2 (with a later decorator that moviepy writes no video).
"""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from assets.extract.released.egoexobench import read_letter
from assets.questions.egoexobench.released_form import (
    RUNNER,
    TABLE,
    WrittenMedium,
    question_table,
    runner,
)
from resources.models.engines.predictions import read_predictions

NAMED = os.environ.get("PARALLAX_VLMEVALKIT_PYTHON", "")
RECORD = Path(__file__).parent / "vlmevalkit"
REPLIES = (
    *("A", "The answer is B.", "(C)", "D. because of the pan", "Certainly! A", "I am not sure"),
    *("Answer: B", "c", "Best answer: C", "The person\n\tcuts, so D.", '{"prediction": "B"}', "2"),
)
Ratings = dict[str, list[Any]]


def questions() -> list[tuple[dict[str, Any], list[WrittenMedium], str]]:
    """Twelve questions: options in words, options that are clips, and single pictures."""
    made = []
    for number in range(len(REPLIES)):
        of_clips = number % 3 == 1
        frames = 1 if number % 3 == 2 else 5
        roles = ["query", *(f"option_{letter}" for letter in "ABCD" if of_clips)]
        media = [
            WrittenMedium(
                role,
                role.capitalize(),
                tuple(f"media/q{number}/{role}/{frame:04d}.jpg" for frame in range(frames)),
            )
            for role in roles
        ]
        row = {
            "question_id": f"q{number}",
            "benchmark": "egoexobench",
            "source": "a source",
            "subtask": ("action_order", "task_relation")[number % 2],
            "text": "Which comes first,\ncutting or washing?",
            "options": [
                {"letter": letter, "text": f'Cut the "{letter.lower()}"\tleek, then wash'}
                for letter in "ABCD"
            ],
            "answer": "ABCD"[number * 7 % 4],
        }
        made.append((row, media, f"hash of {number}"))
    return made


def ratings(replies: dict[str, str]) -> Ratings:
    """Right and asked questions by subtask, as the official rating lists them."""
    right, asked = Counter(), Counter()
    for question, _, _ in questions():
        read = read_letter(replies[question["question_id"]], question["text"])
        for name in (question["subtask"], "overall"):
            asked[name] += 1
            right[name] += read == question["answer"]
    return {n: [right[n], asked[n], f"{100 * right[n] / asked[n]:.2f}%"] for n in asked}


def rated(folder: Path) -> Ratings:
    return json.loads((folder / "stub_EgoExoBench_MCQ_rating.json").read_text())


def check(folder: Path) -> None:
    """What the toolkit wrote below a folder agrees with our readers, and shows its scorer's trap."""
    file = folder / "stub" / "stub_EgoExoBench_MCQ.tsv"
    replies = {reply.question_id: reply.text for reply in read_predictions(file)}
    assert replies == {f"q{number}": reply.strip() for number, reply in enumerate(REPLIES)}
    assert rated(folder / "stub") == ratings(replies)
    # Rows that were cut out of a table, all of them wrong: the official scorer calls half of them right.
    cut = {reply.question_id: reply.text for reply in read_predictions(folder / "cut" / file.name)}
    assert ratings(cut)["overall"] == [0, 12, "0.00%"]
    assert rated(folder / "cut")["overall"] == [12, 24, "50.00%"]


def test_the_recorded_outcome_is_ours() -> None:
    check(RECORD)


def test_the_recorded_table_is_what_is_exported_now() -> None:
    text = (RECORD / "stub" / "stub_EgoExoBench_MCQ.tsv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter="\t"))
    now = csv.DictReader(io.StringIO(question_table(questions()), newline=""), delimiter="\t")
    assert [{**row, "prediction": reply} for row, reply in zip(now, REPLIES, strict=True)] == rows


@pytest.mark.slow
@pytest.mark.skipif(
    not NAMED,
    reason="VLMEvalKit itself not tested: PARALLAX_VLMEVALKIT_PYTHON names no Python that has it",
)
@pytest.mark.parametrize("form", ["frames", "video"])
def test_the_toolkit_itself_asks_and_scores_an_export(form: str, tmp_path: Path) -> None:
    folder, work = tmp_path / "out", tmp_path / "work"
    for _, media, _ in questions():
        for medium in media:
            for number, path in enumerate(medium.paths):
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                Image.new("RGB", (64, 48), (40 * number, 90, 60)).save(folder / path)
    (folder / TABLE).write_text(question_table(questions()), encoding="utf-8")
    (folder / RUNNER).write_text(runner(), encoding="utf-8")
    command = [NAMED, str(RECORD / "run_stub.py"), str(folder), str(work), form]
    environment = {
        "LMUData": str(tmp_path / "lmu"),
        "HF_HUB_OFFLINE": "1",
        "PATH": os.environ["PATH"],
    }
    subprocess.run([*command, json.dumps(REPLIES)], check=True, cwd=tmp_path, env=environment)
    check(work)
    shown = json.loads((work / "shown.json").read_text())
    if form == "video":
        assert shown[:3] == [["video"], ["video"] * 5, ["image"]]
    else:
        assert [len(media) for media in shown[:3]] == [5, 25, 1]
    for name in ("stub", "cut"):
        file = Path(name) / "stub_EgoExoBench_MCQ_rating.json"
        assert rated((work / file).parent) == rated((RECORD / file).parent)
