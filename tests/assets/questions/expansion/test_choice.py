"""Which rewording a question is asked in, and that others move nothing but the questions that choose them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assets.questions.expansion.choice import Rewording, in_chosen_words
from assets.questions.expansion.reviews import in_plain_words, wording_samples
from assets.questions.expansion.templates import plain_texts, read, templates
from assets.questions.kit.identity import question_hash

Row = dict[str, Any]
TEMPLATE = "Which tool does {holder} use longest in this video?"
WORDINGS = (
    "In this video, which tool does {holder} use longest?",
    "Which tool is used longest by {holder} in this video?",
    "Of all tools, which does {holder} use longest in this video?",
)
KNOWN = [Rewording(f"w{n}", TEMPLATE, wording) for n, wording in enumerate(WORDINGS)]
HOLDERS = ("the main surgeon's left hand", "the main surgeon's right hand", "the assistant")


def row(n: int, *options: str) -> Row:
    shown = [{"letter": x, "text": t} for x, t in zip("ABCD", options, strict=False)]
    text = TEMPLATE.format(holder=HOLDERS[n % 3])
    return {
        "question_id": f"q{n}",
        "question_hash": question_hash(text, shown, []),
        "text": text,
        "options": shown,
        "media": [],
        "evidence": [{"table": "boxes", "key": "b", "role": "answer"}],
    }


ROWS = [row(n, "grasper", "hook", "bipolar", "scissors") for n in range(200)]


def asked_in(known: list[Rewording]) -> dict[str, Row]:
    return {one["question_id"]: in_chosen_words(one, known) for one in ROWS}


def wording_of(question: Row) -> str:
    return "".join(e["key"] for e in question["evidence"] if e["role"] == "wording")


def test_each_wording_is_asked_in_about_as_often_and_the_plain_one_too() -> None:
    asked = asked_in(KNOWN)
    counts = Counter(wording_of(question) for question in asked.values())
    assert len(counts) == 4 and min(counts.values()) > 30, counts
    for before in ROWS:
        after = asked[before["question_id"]]
        holder = read(TEMPLATE, before["text"])
        assert holder is not None and holder["holder"] in after["text"]
        assert in_plain_words(after, {one.wording_id: one for one in KNOWN}) == before
        assert (after["question_hash"] != before["question_hash"]) == bool(wording_of(after))


@pytest.mark.parametrize("other", range(3))
def test_one_more_rewording_moves_only_the_questions_that_choose_it(other: int) -> None:
    """And one that is withdrawn only those that had it."""
    fewer = [one for one in KNOWN if one.wording_id != f"w{other}"]
    before, after = asked_in(fewer), asked_in(KNOWN)
    moved = {uid for uid in before if before[uid] != after[uid]}
    assert moved == {uid for uid, one in after.items() if wording_of(one) == f"w{other}"} != set()


def test_a_rewording_that_names_an_option_is_not_chosen() -> None:
    named = Rewording("w9", TEMPLATE, "Beside the hook, which tool does {holder} use longest here?")
    asked = [in_chosen_words(one, [named]) for one in ROWS]
    assert asked == ROWS
    others = [in_chosen_words(row(n, "grasper", "clipper"), [named]) for n in range(40)]
    assert {wording_of(one) for one in others} == {"", "w9"}


def test_a_question_of_another_template_stays_as_it_is() -> None:
    other = {**ROWS[0], "text": "How many different kinds of tools are in view in this video?"}
    assert in_chosen_words(other, KNOWN) == other


def test_people_see_one_in_ten_of_the_questions_of_a_rewording_at_least_one() -> None:
    seen = wording_samples(ROWS, KNOWN[0], "surgery")
    assert len(seen) == 20 and all(wording_of(one) == "w0" for one in seen)
    assert {one["question_id"] for one in seen} < {one["question_id"] for one in ROWS}
    assert wording_samples(ROWS[::-1], KNOWN[0], "surgery") == seen, "the order does not matter"
    assert len(wording_samples(ROWS[:1], KNOWN[0], "surgery")) == 1
    assert wording_samples([], KNOWN[0], "surgery") == []


def test_conditions_make_several_templates_and_anything_else_is_named(tmp_path: Path) -> None:
    path = tmp_path / "one.j2"
    path.write_text(
        "{% block question %}\nWhat does {{ who.name }}{% if hand %}'s {{ hand }} hand{% endif %} do"
        ' at {{ "%.1f" | format(at_s) }} s?\n{% endblock %}\n{% block steps %}{{ 1 + 1 }}{% endblock %}'
    )
    texts = plain_texts(path)
    assert texts == (
        "What does {name}'s {hand} hand do at {at_s} s?",
        "What does {name} do at {at_s} s?",
    )
    assert read(texts[1], "What does the cook do at 3.0 s?") == {"name": "the cook", "at_s": "3.0"}
    assert read(texts[1], "What does the cook do at noon s?") is None
    assert read("{a} and {b}", "salt and pepper and oil") is None, "it divides in two ways"
    (tmp_path / "two.j2").write_text(path.read_text())
    shared = templates({"one": path, "two": tmp_path / "two.j2"})
    assert [one.recipes for one in shared] == [("one", "two")] * 2
    path.write_text("{% block question %}{{ names | join(', ') }}?{% endblock %}")
    with pytest.raises(ValueError, match=r"one\.j2: the block question prints Filter"):
        plain_texts(path)
    path.write_text("{% block question %}{% for x in y %}{{ x }}{% endfor %}{% endblock %}")
    with pytest.raises(ValueError, match="holds For"):
        plain_texts(path)
