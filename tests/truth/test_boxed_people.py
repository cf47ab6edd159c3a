"""EgoExoBench's questions about boxed people on the square: the boxed pixels answer, nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from assets.protocols.declared import default_protocols
from assets.questions.egoexobench.egocentric_wearer_identification import BUILDER as WEARER
from assets.questions.egoexobench.person_relation import BUILDER as PERSON
from resources.worlds.square import SquareSpec, plan_square, write_cvmhat, write_tf2023
from tests.truth.solvers.boxed_people import BoxedExam, same_person, sit_boxed, who_is_not_seen
from tests.truth.solvers.exam import Question

FROM_ABOVE = SquareSpec("cvmhat", takes=6, frames=64)
FROM_THE_SIDE = SquareSpec("tf2023", takes=6, frames=64)
Solver = Callable[[BoxedExam, Question, Question], int | None]


@pytest.fixture(scope="module")
def from_above(tmp_path_factory: pytest.TempPathFactory) -> BoxedExam:
    folder = tmp_path_factory.mktemp("cvmhat")
    write_cvmhat(FROM_ABOVE, folder / "raw")
    return sit_boxed(folder, "cvmhat", PERSON, default_protocols()["egoexobench_direct"])


@pytest.fixture(scope="module")
def from_the_side(tmp_path_factory: pytest.TempPathFactory) -> BoxedExam:
    folder = tmp_path_factory.mktemp("tf2023")
    write_tf2023(FROM_THE_SIDE, folder / "raw")
    return sit_boxed(folder, "tf2023", WEARER, default_protocols()["egoexobench_direct"])


CASES = [("from_above", same_person), ("from_the_side", who_is_not_seen)]


@pytest.mark.parametrize(("name", "solve"), CASES)
def test_pixels_tell_the_answer(name: str, solve: Solver, request: pytest.FixtureRequest) -> None:
    exam = request.getfixturevalue(name)
    assert len(exam.questions) >= 30
    assert exam.share_right(lambda q: solve(exam, q, q)) >= 0.95
    # Without pictures nothing is known; those of another place may mislead, as few wear few colours.
    assert exam.by_chance(exam.share_right(lambda _: None))
    swapped = exam.share_right(lambda q: solve(exam, q, other_place(exam, q)))
    assert swapped <= 0.25 + exam.margin


def other_place(exam: BoxedExam, question: Question) -> Question:
    """A question about another shot; takes that share one begin alike."""

    def shot(q: Question) -> str:
        return q["recording_id"].partition("_")[0].partition("-")[0]

    others = [q for q in exam.questions if shot(q) != shot(question)]
    return others[sum(question["question_id"].encode()) % len(others)]


def test_the_answer_is_who_is_truly_there(from_above: BoxedExam) -> None:
    """Against the plan of the square: nobody but the person boxed is where the answer's box is."""
    takes = {take.name: take for take in plan_square(FROM_ABOVE).takes}
    for q in from_above.questions:
        take = takes[q["recording_id"].removesuffix("_hor")]
        shown = next(m for m in q["media"] if m["role"] == f"option_{q['answer']}")
        asked = {e["key"].rpartition("/")[2] for e in q["evidence"] if e["role"] == "query"}
        (person,) = {int(key) for key in asked if key.isdigit()}
        for overlay in shown["overlays"]:
            # The camera above sees 16 x 9 m, its pictures begin with number 1.
            x, y = take.walker(person).at(int(overlay["t_s"]) + 1)
            middle = (overlay["x_min"] + overlay["x_max"]) / 2 * 16.0 - 8.0
            along = 4.5 - (overlay["y_min"] + overlay["y_max"]) / 2 * 9.0
            assert abs(middle - x) < 0.1 and abs(along - y) < 0.1


def test_the_answer_truly_wears_the_camera(from_the_side: BoxedExam) -> None:
    for q in from_the_side.questions:
        worn = q["recording_id"].partition("_")[2]
        keys = (e["key"] for e in q["evidence"] if e["role"] == f"option_{q['answer']}")
        assert {key.rpartition("/")[2] for key in keys} == {worn}


def test_no_letter_is_a_good_guess(from_above: BoxedExam) -> None:
    letters = Counter(q["answer"] for q in from_above.questions)
    assert max(letters.values()) / letters.total() <= 0.25 + 1.5 * from_above.margin
