"""Direction prediction against the plan of the court, and by the pixels of its cameras."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from assets.questions.egoexobench.direction_prediction import BUILDER
from resources.worlds.court.egoexo4d import sessions_of, take_of, write_court
from resources.worlds.court.plan import plan_court
from resources.worlds.court.take import Take
from resources.worlds.court.truth import CourtSpec
from tests.truth.solvers.direction import Watcher
from tests.truth.solvers.exam import Exam, Question, sit

# Five drills: the dark one cannot be seen, and courses are described without directions.
COURT = plan_court(CourtSpec(render="small"))
DRILLS = replace(COURT, takes=COURT.takes[:5])
TAKES = {session.name: take_of(session) for session in sessions_of(DRILLS)}


@pytest.fixture(scope="module")
def exam(tmp_path_factory: pytest.TempPathFactory) -> Exam:
    folder = tmp_path_factory.mktemp("court")
    write_court(DRILLS, folder / "raw", workers=1)
    return sit(folder, "egoexo4d", BUILDER, "midpoints(8)")


def _turns(question: Question) -> dict[str, float]:
    """Letter and how the plan says that its camera sees the wearer go: 0 away, right positive, degrees."""
    (query,) = (m for m in question["media"] if m["role"] == "query")
    take_name = query["recording_id"].partition("|")[0]
    found = {}
    for medium in question["media"]:
        _, _, letter = medium["role"].partition("option_")
        if letter:
            camera = medium["recording_id"].partition("|")[2]
            turn = TAKES[take_name].seen_turn_deg(camera, query["start_s"], query["end_s"])
            assert turn is not None
            found[letter] = turn
    return found


def _asked(question: Question) -> float:
    """Direction that a text names, degrees."""
    words = set(re.findall("background|foreground|left|right", question["text"]))
    along = {"background": 0.0, "foreground": 180.0}
    (depth,) = {along[w] for w in words & along.keys()} or {90.0}
    if not words & {"left", "right"}:
        return depth
    return (-1 if "left" in words else 1) * (90.0 if len(words) == 1 else (depth + 90.0) / 2)


def _apart(one: float, two: float) -> float:
    return abs((one - two + 180) % 360 - 180)


def test_the_plan_has_the_wearer_go_there_in_the_answers_view_alone(exam: Exam) -> None:
    assert len(exam.questions) >= 20
    for question in exam.questions:
        off = {letter: _apart(t, _asked(question)) for letter, t in _turns(question).items()}
        assert set(off) == set("ABCD")
        # The plan judges by where the wearer sets out; any judgement is to agree.
        assert off.pop(question["answer"]) < 31
        assert min(off.values()) > 44


def test_the_person_is_in_all_pictures_from_the_first_to_the_last(exam: Exam) -> None:
    for question in exam.questions:
        for medium in question["media"]:
            name, _, camera = medium["recording_id"].partition("|")
            if camera != "aria01":
                for t_s in (medium["start_s"], medium["end_s"]):
                    assert _is_seen(TAKES[name], camera, t_s), (question["text"], camera, t_s)


def _is_seen(take: Take, camera: str, t_s: float) -> bool:
    first = take.owner("C")
    owners = take.picture(camera, t_s).owners
    return int(((owners >= first) & (owners < first + 5)).sum()) >= 12


def test_every_named_movement_of_the_drills_is_asked_about_at_most_once(exam: Exam) -> None:
    moments = [q["media"][0]["segment_id"] for q in exam.questions]
    assert len(set(moments)) == len(moments)
    told = " ".join(moments)
    assert "steps to the left" in told and "dribbles the ball forward" in told
    # Nobody goes anywhere along the ground.
    assert "jumps" not in told and "throws" not in told


def test_pixels_tell_the_answer_and_shortcuts_do_not(exam: Exam) -> None:
    watcher = Watcher(exam)
    assert exam.share_right(lambda q: watcher.by_motion(q, q)) >= 0.95
    assert exam.by_chance(exam.share_right(lambda _: None))
    most = 0.25 + exam.margin
    assert exam.share_right(lambda q: watcher.by_motion(q, exam.other(q, "take"))) <= most
    assert exam.share_right(watcher.by_one_picture) <= most
