"""What a recipe fills in, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jinja2
import pytest

from assets.questions.kit.recipe import Clip, Option, Recipe, template
from expectations.schemas import TABLES

RECORDING = {
    "source": "s",
    "recording_id": "R",
    "split": "val",
    "media": "present",
    "media_hashes": ["h1", "h2"],
    "licence": "MIT",
    "duration_s": 60.0,
}
OTHER = {**RECORDING, "recording_id": "X", "media": "missing", "licence": "CC0"}
TEXTS = """
{% block question %}
Where is the {{ thing }}?
{% endblock %}
{% block steps %}
The {{ thing }} is {{ answer.text }}.
It is not {{ others | map(attribute="text") | sort | join(" or ") }}.
{% endblock %}
"""


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    (tmp_path / "place.j2").write_text(TEXTS, encoding="utf-8")
    return Recipe("b", "place", 3, template(str(tmp_path / "place.py"), "place.j2"))


def ask(recipe: Recipe, **changed: Any) -> dict[str, Any]:
    parts: dict[str, Any] = {
        "anchor": ("R", "cup"),
        "text": {"thing": "cup"},
        "answer": Option("left", "6", evidence=(("boxes", "b1"),)),
        "distractors": [Option("right", "2"), Option("front", "0")],
        "media": [Clip(RECORDING, 1.0, 5.0)],
        "evidence": [("boxes", "b1", "answer")],
        "steps": [["boxes:b1"], []],
    }
    return recipe.question(**(parts | changed))


def test_what_follows_from_the_parts_is_filled_in(recipe: Recipe) -> None:
    row = ask(recipe)
    TABLES["questions"].frame([row])
    assert row["question_id"] == recipe.id("s", "R", "cup")
    assert (row["recipe"], row["chance"], row["licence"]) == ("place@3", 1 / 3, "MIT")
    (right,) = [o for o in row["options"] if o["is_answer"]]
    assert (row["answer"], row["answer_text"]) == (right["letter"], "left")
    assert row["text"] == "Where is the cup?"
    assert [step["text"] for step in row["rationale"]] == [
        "The cup is left.",
        "It is not front or right.",
    ]
    assert row["detailed_answer"] == "The cup is left. It is not front or right."
    assert row["evidence"][-1] == {
        "table": "boxes",
        "key": "b1",
        "role": f"option_{right['letter']}",
    }
    assert row["media"][0]["content"] == "h1+h2" and row["media_present"]


def test_order_depends_on_the_id_and_the_keys_alone(recipe: Recipe) -> None:
    first = ask(recipe)["options"]
    turned = [Option("front", "0"), Option("right", "2")]
    assert ask(recipe, distractors=turned)["options"] == first
    orders = {
        tuple(o["value"] for o in ask(recipe, anchor=("R", str(i)))["options"]) for i in range(40)
    }
    assert len(orders) == 6


def test_clips_of_options_follow_the_query_in_shown_order(recipe: Recipe) -> None:
    clips = [Clip(OTHER, float(i), i + 1.0, f"s{i}") for i in range(3)]
    answer, *others = (Option(f"narration {i}", clip=c) for i, c in enumerate(clips))
    row = ask(recipe, answer=answer, distractors=others)
    assert [m["role"] for m in row["media"]] == ["query", "option_A", "option_B", "option_C"]
    assert [m["segment_id"] for m in row["media"][1:]] == [o["segment_id"] for o in row["options"]]
    assert row["answer_text"] is None, "the narration of a clip is not an answer to read"
    assert row["licence"] == "CC0; MIT" and not row["media_present"]
    assert row["media"][1]["content"] == ""


def test_a_reading_has_ids_of_its_own(recipe: Recipe) -> None:
    paper = recipe.under("paper")
    assert (paper.label, recipe.label) == ("place_paper@3", "place@3")
    assert ask(paper)["question_id"] != ask(recipe)["question_id"]


def test_steps_and_their_rows_must_match(recipe: Recipe) -> None:
    with pytest.raises(ValueError, match="b/place: the template writes 2 steps and the builder"):
        ask(recipe, steps=[["boxes:b1"]])


def test_an_option_has_a_value_or_a_segment(recipe: Recipe) -> None:
    with pytest.raises(ValueError, match="option 'left' has no value and no segment"):
        ask(recipe, answer=Option("left"))
    with pytest.raises(ValueError, match="is in words and has no clip"):
        _ = Option("left", "6").shown


def test_a_value_the_template_lacks_is_an_error(recipe: Recipe) -> None:
    with pytest.raises(jinja2.UndefinedError, match="thing"):
        ask(recipe, text={})
