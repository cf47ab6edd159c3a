"""EgoExoBench action relation on synchronous views of the flat: its pixels answer, nothing else."""

from __future__ import annotations

from collections import Counter

import pytest

from assets.questions.egoexobench.action_relation_lemma import BUILDER
from resources.worlds.flat import FlatSpec
from resources.worlds.flat.lemma import write_lemma
from tests.truth.solvers.action_relation import View, choose, views
from tests.truth.solvers.exam import Exam, Question, Span, sit, span_of
from tests.truth.solvers.flat_sight import is_ego

Read = dict[Span, list[View]]


@pytest.fixture(scope="module")
def exam(tmp_path_factory: pytest.TempPathFactory) -> Exam:
    folder = tmp_path_factory.mktemp("lemma")
    write_lemma(FlatSpec("lemma", takes=3), folder / "raw", workers=1)
    return sit(folder, "lemma", BUILDER, "midpoints(8)")


@pytest.fixture(scope="module")
def read(exam: Exam) -> Read:
    """What each clip shows, read once."""
    return {span: views(frames) for span, frames in exam.frames.items()}


def answer(exam: Exam, read: Read, asked: Question, shown: Question) -> int | None:
    """Answer to a question whose query is another question's."""
    (query,) = (m for m in shown["media"] if m["role"] == "query")
    spans = [
        span_of(m)
        for o in asked["options"]
        for m in asked["media"]
        if m["role"] == f"option_{o['letter']}"
    ]
    wearer_asks = is_ego(exam.frames[span_of(query)][0][1])
    return choose(read[span_of(query)], [read[span] for span in spans], wearer_asks)


def test_there_are_enough_questions_of_both_directions(exam: Exam) -> None:
    takes = Counter(q["recording_id"].partition("|")[0] for q in exam.questions)
    assert len(takes) == 3
    assert min(takes.values()) >= 10
    exo = sum(q["recording_id"].endswith("|master") for q in exam.questions)
    assert exo == len(exam.questions) - exo >= 30


def test_pixels_tell_the_answer(exam: Exam, read: Read) -> None:
    assert exam.share_right(lambda q: answer(exam, read, q, q)) >= 0.95


def test_nothing_but_pixels_tells_it(exam: Exam) -> None:
    assert exam.by_chance(exam.share_right(lambda _: None))


def test_another_query_does_not_tell_it(exam: Exam, read: Read) -> None:
    def swapped(q: Question) -> int | None:
        others = [
            o
            for o in exam.questions
            if o["recording_id"].endswith("|master") == q["recording_id"].endswith("|master")
            and o["recording_id"].partition("|")[0] != q["recording_id"].partition("|")[0]
        ]
        other = others[sum(q["question_id"].encode()) % len(others)]
        return answer(exam, read, q, other)

    assert exam.by_chance(exam.share_right(swapped))


def test_no_letter_is_a_good_guess(exam: Exam) -> None:
    letters = Counter(o["letter"] for q in exam.questions for o in q["options"] if o["is_answer"])
    assert exam.by_chance(max(letters.values()) / letters.total())
