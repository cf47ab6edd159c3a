"""Questions in the form of EgoProx's released samples, and replies read from its result files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assets.extract.released import egoprox
from assets.questions.egoprox.released_form import (
    CHAIN,
    AskedSample,
    UnknownGroupError,
    group_of,
    sample_file,
)
from assets.questions.kit.builder import builders
from resources.models.engines.given_replies import ReplyFileError
from resources.models.engines.predictions import read_predictions
from tests.derivations.registry import fresh

PICTURES = ("media/q/query/0000.jpg", "media/q/query/0001.jpg")


def sample(name: str, system: str = "You look around.") -> dict[str, Any]:
    row = fresh(name).questions().row(0, named=True)
    asked = AskedSample(row, system, row["text"], PICTURES, f"shown-{name}")
    return json.loads(sample_file([asked]))[0]


def test_a_sample_holds_pictures_then_text_and_what_is_right() -> None:
    found = sample("intention_relative")
    assert found["source"] == "Intention_Relative"
    assert found["correct_option"] == "C"
    assert "correct_answer" not in found
    system, user = found["data"]
    assert system == {"role": "system", "content": [{"type": "text", "text": "You look around."}]}
    assert [part["type"] for part in user["content"]] == ["image", "image", "text"]
    assert [part["image"] for part in user["content"][:2]] == list(PICTURES)
    assert [turn["role"] for turn in sample("intention_relative", "")["data"]] == ["user"]


def test_a_chain_holds_every_valid_answer() -> None:
    found = sample("chain_of_actions")
    assert found["source"] == CHAIN
    assert found["correct_answer"] == [
        {"node": [2, 6, 4], "edge": ["A", "C"]},
        {"node": [6, 2, 4], "edge": ["B", "E"]},
    ]
    assert "correct_option" not in found
    # What the released evaluator makes of these answers.
    answers = [(tuple(a["node"]), tuple(a["edge"])) for a in found["correct_answer"]]
    score = egoprox.score_chain("[[6, 2, 4], [B, E]]", answers)
    assert score is not None and (score.right, score.strict) == (True, 1.0)


@pytest.mark.parametrize(
    ("subtask", "group"),
    [
        ("intention_relative", "Intention_Relative"),
        ("intention_approximate", "Intention_Approx"),
        ("exploration_relative", "Exploration_Relative"),
        ("exploitation_place_approximate", "Exploitation_Approx"),
        ("chain_of_actions", CHAIN),
    ],
)
def test_groups_are_those_of_the_released_evaluator(subtask: str, group: str) -> None:
    assert group_of(subtask) == group


def test_every_subtask_of_the_benchmark_has_a_group() -> None:
    for builder in builders().values():
        if builder.benchmark == "egoprox":
            assert all(map(group_of, builder.subtasks))


@pytest.mark.parametrize("subtask", ["association", "intention", "navigation_relative"])
def test_other_subtasks_have_no_group(subtask: str) -> None:
    with pytest.raises(UnknownGroupError, match=subtask):
        group_of(subtask)


def results(tmp_path: Path, *answers: Any) -> Path:
    """A result file as the inference script writes it: samples with an answer each."""
    rows = [
        sample("intention_relative") | {"question_id": f"q{n}", "answer": answer}
        for n, answer in enumerate(answers)
    ]
    path = tmp_path / "qwen.json"
    path.write_text(json.dumps(rows, ensure_ascii=False, indent=2), encoding="utf-8")
    return path


def test_replies_are_read_from_a_result_file(tmp_path: Path) -> None:
    chain = '[[6, 2, 4], ["B", "E"]]'
    found = read_predictions(results(tmp_path, "B", None, chain, ""))
    assert [(row.question_id, row.text) for row in found] == [
        ("q0", "The correct answer is <B>"),
        # Nothing was read: a reply all the same, which is wrong.
        ("q1", "null"),
        ("q2", chain),
        ("q3", "null"),
    ]
    assert {row.prompt_hash for row in found} == {"shown-intention_relative"}
    assert egoprox.read_letter(found[0].text) == "B"


def test_samples_that_nobody_answered_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "samples.json"
    path.write_text(json.dumps([sample("intention_relative")]), encoding="utf-8")
    with pytest.raises(ReplyFileError, match="prediction"):
        read_predictions(path)
