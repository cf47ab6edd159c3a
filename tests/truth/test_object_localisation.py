"""EgoCross object localisation on the simulated table: answerable from its pixels, and only so."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from assets.pairs.choice import number_of
from assets.questions.egocross.object_localisation import BUILDER
from tests.truth.drawn_surgery import VIDEOS, DrawnSurgery, Exam, Frame
from tests.truth.solvers.object_localisation import solve, time_asked


@pytest.fixture(scope="module")
def exam(drawn_surgery: DrawnSurgery) -> Exam:
    return drawn_surgery.exam(BUILDER.make)


def _answer(q: dict[str, Any], frames: list[Frame]) -> int | None:
    return solve(q["text"], [o["text"] for o in q["options"]], frames)


def test_there_are_enough_questions_of_every_recording(exam: Exam) -> None:
    counts = Counter(q["recording_id"] for q in exam.questions)
    assert set(counts) == set(VIDEOS)
    assert 40 <= counts.total() <= 100
    assert min(counts.values()) >= 10


def test_the_answer_is_where_the_tool_truly_is(exam: Exam) -> None:
    """Against the plan of the table, which no stage has seen."""
    hands = {
        "MSLH": "main surgeon left hand",
        "MSRH": "main surgeon right hand",
        "ASRH": "assistant surgeon right hand",
    }
    for q in exam.questions:
        (medium,) = q["media"]
        t_s = medium["start_s"] + time_asked(q["text"])
        seen = [
            one
            for one in VIDEOS[q["recording_id"]].tools_at(t_s)
            if f"'{one.instrument.tool.replace('nbag', 'n-bag')}'" in q["text"]
            and hands[one.instrument.operator] in q["text"]
        ]
        assert len(seen) == 1, q["text"]
        one = seen[0]
        x = (max(0, one.x) + min(1, one.x + one.w)) / 2
        y = (max(0, one.y) + min(1, one.y + one.h)) / 2
        row, column = ("top", "center", "bottom")[int(y * 3)], int(x * 3)
        cell = f"{row}-{('left', 'center', 'right')[column]}".replace("center-center", "center")
        assert [o["text"] for o in q["options"] if o["is_answer"]] == [cell]
        assert q["answer_text"] == cell
        assert min(abs(v - line / 3) for v in (x, y) for line in (1, 2)) >= 0.03 - 1e-6


def test_pixels_tell_the_answer(exam: Exam) -> None:
    answers = {q["question_id"]: _answer(q, exam.frames[q["question_id"]]) for q in exam.questions}
    assert exam.share_right(answers) >= 0.95


def test_the_instant_asked_about_is_sent(exam: Exam) -> None:
    for q in exam.questions:
        at_s = time_asked(q["text"])
        assert min(abs(t - at_s) for t, _ in exam.frames[q["question_id"]]) < 1e-3


def test_nothing_but_pixels_tells_it(exam: Exam) -> None:
    blind = dict.fromkeys((q["question_id"] for q in exam.questions), None)
    assert exam.by_chance(exam.share_right(blind))


def test_no_cell_is_a_good_guess(exam: Exam) -> None:
    """The cell that is most often right in all other questions about the same hand."""
    hand = {q["question_id"]: q["text"].partition("(")[2].partition(")")[0] for q in exam.questions}
    answers = {}
    for q in exam.questions:
        known = Counter(
            o["answer_text"]
            for o in exam.questions
            if o is not q and hand[o["question_id"]] == hand[q["question_id"]]
        )
        texts = [o["text"] for o in q["options"]]
        answers[q["question_id"]] = max(range(4), key=lambda i, t=texts, k=known: (k[t[i]], t[i]))
    assert exam.by_chance(exam.share_right(answers))


def test_another_video_does_not_tell_it(exam: Exam) -> None:
    answers = {q["question_id"]: _answer(q, exam.swapped(q)) for q in exam.questions}
    assert exam.by_chance(exam.share_right(answers))


def test_another_instant_does_not_tell_it(exam: Exam) -> None:
    answers = {}
    for q in exam.questions:
        at_s = time_asked(q["text"])
        others = [f for f in exam.frames[q["question_id"]] if abs(f[0] - at_s) > 1]
        frame = others[number_of(f"single {q['question_id']}") % len(others)]
        answers[q["question_id"]] = _answer(q, [frame])
    assert exam.by_chance(exam.share_right(answers))
