"""Reference rationales cite their own evidence; told of other times, hands or things they do not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assets.extract.evidence import read_evidence
from assets.predictions.judging.cases import rationale_text
from assets.predictions.judging.perturbations import later, other_option
from assets.questions.egocot import hand_object_grounded_cot, next_state_anticipation
from assets.questions.egocot.active_object_grounding import BUILDER
from assets.questions.kit.builder import Builder
from assets.scores.grounding.facts import READS, Rows, evidence_rows, facts
from assets.scores.grounding.matching import Counts, grounding
from expectations.schemas import TABLES
from resources.config import load_settings
from tests.truth.easg_flat import EasgFlat
from tests.truth.solvers.exam import Question, asked


@pytest.fixture(scope="module")
def questions(easg_flat: EasgFlat) -> list[Question]:
    return asked(easg_flat.folder, "easg", BUILDER)[0]


@pytest.fixture(scope="module")
def rows(easg_flat: EasgFlat) -> Rows:
    settings = load_settings(easg_flat.folder / "parallax.toml")
    return evidence_rows({name: settings.store.read(TABLES[name], "flat") for name in READS})


@pytest.fixture(scope="module")
def counted(questions: list[Question], rows: Rows) -> Callable[..., dict[str, Counts]]:
    """What a text cites of a question's evidence, summed over all questions."""

    def count(text_of: Callable[[Question], str | None]) -> dict[str, Counts]:
        found = [
            grounding(read_evidence(text).value, facts(question, rows))
            for question in questions
            if (text := text_of(question)) is not None
        ]
        assert len(found) >= 20
        return {
            kind: Counts(
                *(sum(getattr(one[kind], part) for one in found) for part in Counts.__slots__)
            )
            for kind in ("time", "box")
        }

    return count


def test_a_reference_cites_its_times_and_boxes(
    counted: Callable[..., dict[str, Counts]],
) -> None:
    found = counted(rationale_text)
    for kind in ("time", "box"):
        assert found[kind].cited > 20
        assert found[kind].supported == found[kind].cited
    assert found["time"].found == found["time"].known


@pytest.mark.parametrize(
    "builder", [hand_object_grounded_cot.BUILDER, next_state_anticipation.BUILDER]
)
def test_a_reference_cites_nothing_else(builder: Builder, easg_flat: EasgFlat, rows: Rows) -> None:
    """Neither times counted from the end of the clip nor quoted actions are taken for evidence."""
    questions = asked(easg_flat.folder, "easg", builder)[0]
    assert len(questions) >= 4
    for question in questions:
        reply = f"Answer: {question['answer']}\n{rationale_text(question)}"
        found = grounding(read_evidence(reply).value, facts(question, rows))
        assert found["time"].found == found["time"].known > 0
        assert all(one.supported in (one.cited, None) for one in found.values())


def test_later_times_are_not_those_of_the_evidence(
    counted: Callable[..., dict[str, Counts]],
) -> None:
    right, wrong = counted(rationale_text), counted(lambda q: later(rationale_text(q)))
    assert wrong["time"].supported <= 0.2 * right["time"].supported
    assert wrong["box"] == right["box"]


def test_a_wrong_option_leaves_the_times_as_they_are(
    questions: list[Question], counted: Callable[..., dict[str, Counts]]
) -> None:
    def told(question: Question) -> str | None:
        return other_option(rationale_text(question), question["options"])

    assert all(told(question) is not None for question in questions)
    assert counted(told) == counted(rationale_text)
