"""Wordings are rendered from slots and parsed back into the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assets.questions.kit.recipe import Clip, Option, Recipe, template
from assets.questions.kit.wording import wording, wordings

TEXTS = """
{% block question %}
Which {% if things %}of them{% endif %}?
{% endblock %}
{% block released_one %}
Which {{ tool }} was in the {{ hand }} hand from {{ "%.2f" | format(start_s) }}s to {{ "%.0f" | format(end_s) }}s?
{% endblock %}
{% block released_two %}
{{ verb }} {{ target }} at {{ at_s }}s
{% endblock %}
{% block option_count %}
{{ n_kinds }}
{% endblock %}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "held.j2"
    path.write_text(TEXTS, encoding="utf-8")
    return path


def test_blocks_are_found_by_the_start_of_their_name(path: Path) -> None:
    assert [w.name for w in wordings(path, "released_")] == ["released_one", "released_two"]
    assert [w.slots for w in wordings(path, "released_")] == [
        ("tool", "hand", "start_s", "end_s"),
        ("verb", "target", "at_s"),
    ]


@pytest.mark.parametrize(
    ("block", "text", "values"),
    [
        (
            "released_one",
            "Which suction cannula was in the left hand from 0.50s to 14s?",
            {"tool": "suction cannula", "hand": "left", "start_s": 0.5, "end_s": 14},
        ),
        (
            "released_two",
            "grasp specimen bag at 5s",
            {"verb": "grasp", "target": "specimen bag", "at_s": 5},
        ),
        ("released_two", "cut it at 5.0s", {"verb": "cut", "target": "it", "at_s": 5.0}),
        ("option_count", "12", {"n_kinds": 12}),
    ],
)
def test_a_text_is_parsed_and_rendered_again(
    path: Path, block: str, text: str, values: dict[str, object]
) -> None:
    (wording,) = wordings(path, block)
    parsed = wording.parse(text)
    assert parsed == values
    assert parsed is not None and wording.render(parsed) == text
    # As builders render it, by the template engine itself.
    rendered = template(str(path.with_suffix(".py")), path.name)
    context = rendered.new_context(dict(parsed))
    assert "".join(rendered.blocks[block](context)).strip() == text


@pytest.mark.parametrize(
    "text",
    [
        "Which hook was in the left hand from 0.5s to 14s?",
        "Which hook was in the left hand from 0.50s to 14.0s?",
        "Which 'hook' was in the left hand from 0.50s to 14s?",
        "Which hook was in the left upper hand from 0.50s to 14s?",
        "Which hook was in the left hand from 0.50s to 14s? ",
        "which hook was in the left hand from 0.50s to 14s?",
    ],
)
def test_another_text_is_not_of_the_wording(path: Path, text: str) -> None:
    (wording,) = wordings(path, "released_one")
    assert wording.parse(text) is None


def test_a_text_that_can_be_read_in_two_ways_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "two.j2"
    path.write_text("{% block released_x %}{{ tool }} {{ target }}{% endblock %}", encoding="utf-8")
    (wording,) = wordings(path, "released_")
    assert wording.parse("hook bag") == {"tool": "hook", "target": "bag"}
    with pytest.raises(ValueError, match="in several ways"):
        wording.parse("hook specimen bag")


def test_a_slot_that_stands_twice_has_one_value(tmp_path: Path) -> None:
    path = tmp_path / "twice.j2"
    path.write_text("{% block released_x %}{{ a }}, {{ a }}{% endblock %}", encoding="utf-8")
    (wording,) = wordings(path, "released_")
    assert wording.parse("x, x") == {"a": "x"} and wording.parse("x, y") is None


def test_a_slot_without_a_value_is_an_error(path: Path) -> None:
    (wording,) = wordings(path, "released_two")
    with pytest.raises(KeyError, match="at_s"):
        wording.render({"verb": "cut", "target": "it"})


@pytest.mark.parametrize(
    "body", ["{% if a %}x{% endif %}", "{{ a | upper }}", '{{ "%s" | format(a) }}', "{{ a.b }}"]
)
def test_a_released_wording_holds_text_and_slots_alone(tmp_path: Path, body: str) -> None:
    path = tmp_path / "odd.j2"
    path.write_text(f"{{% block released_x %}}{body}{{% endblock %}}", encoding="utf-8")
    with pytest.raises(ValueError, match=r"odd\.j2: block released_x holds"):
        wordings(path, "released_")


def test_one_wording_is_named_by_its_whole_name(path: Path) -> None:
    module = str(path.with_name("module.py"))
    assert wording(module, "held.j2", "released_two").slots == ("verb", "target", "at_s")
    with pytest.raises(ValueError, match="has no block released_t; add it"):
        wording(module, "held.j2", "released_t")


def test_a_recipe_asks_in_the_released_words_under_the_papers_reading(tmp_path: Path) -> None:
    """One template holds ours, another theirs; only what the paper's reading asks differs."""
    (tmp_path / "ours.j2").write_text(
        "{% block question %}What is cut?{% endblock %}{% block answer %}The {{ thing }}.{% endblock %}"
    )
    (tmp_path / "theirs.j2").write_text(
        "{% block released_x %}\nWhat does the {{ animal }} cut?\n{% endblock %}"
    )
    module = str(tmp_path / "module.py")
    theirs = wording(module, "theirs.j2", "released_x")
    ours = Recipe("b", "cut", 1, template(module, "ours.j2"))
    recording = {"recording_id": "r", "source": "s", "split": "val", "media": "missing",
                 "media_hashes": [], "licence": "L", "duration_s": 3.0}  # fmt: skip

    def asked(recipe: Recipe, reading: str) -> tuple[str, str]:
        row = recipe.under(reading).question(
            anchor=("r",),
            text={"thing": "pear", "animal": "cat"},
            answer=Option("pear", "pear"),
            distractors=[Option("fig", "fig")],
            media=[Clip(recording, 0.0, 3.0)],
        )
        return row["text"], row["detailed_answer"]

    both = replace(ours, released=theirs)
    assert asked(both, "strict") == ("What is cut?", "The pear.")
    assert asked(both, "paper") == ("What does the cat cut?", "The pear.")
    assert asked(ours, "paper") == ("What is cut?", "The pear.")
