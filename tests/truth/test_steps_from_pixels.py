"""EgoExoBench's sequence alignment and duplicate videos on the court: pixels tell them, nothing else does."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from assets.questions.egoexobench.sequence_alignment import BUILDER
from assets.questions.egoexobench_duplicates.duplicate_identification import BUILDER as DUPLICATES
from resources.worlds.court.egoexo4d import write_court
from resources.worlds.court.plan import plan_court
from resources.worlds.court.truth import CourtSpec
from tests.truth.solvers.court_steps import Course, solve
from tests.truth.solvers.exam import Exam, Question, Span, Z, sit, span_of

Read = dict[Span, Course]


@pytest.fixture(scope="module")
def court(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The takes of the sample world in which a course is set up."""
    folder = tmp_path_factory.mktemp("court")
    planned = plan_court(CourtSpec())
    courses = tuple(take for take in planned.takes if take.steps)
    write_court(replace(planned, takes=courses), folder / "raw", workers=1)
    return folder


@pytest.fixture(scope="module")
def exam(court: Path) -> Exam:
    return sit(court, "egoexo4d", BUILDER, "midpoints(8)")


@pytest.fixture(scope="module")
def read(exam: Exam) -> Read:
    """What each clip shows, read once."""
    return {span: Course.seen_in([p for _, p in frames]) for span, frames in exam.frames.items()}


def answer(read: Read, asked: Question, shown: Question) -> int | None:
    """Answer to a question from the videos of another."""
    videos = [read[span_of(medium)] for medium in shown["media"]]
    return solve([option["text"] for option in asked["options"]], videos)


def test_pixels_tell_the_answer(exam: Exam, read: Read) -> None:
    assert len(exam.questions) >= 12
    views = {m["recording_id"].partition("|")[2][:3] for q in exam.questions for m in q["media"]}
    assert views == {"ari", "cam"}
    assert exam.share_right(lambda q: answer(read, q, q)) >= 0.95


def test_without_videos_nothing_tells_it(exam: Exam) -> None:
    assert exam.by_chance(exam.share_right(lambda _: None))


def test_videos_of_other_questions_do_not_tell_it(exam: Exam, read: Read) -> None:
    """Of every other question's videos, so that the share hangs on no choice of one."""
    shares = []
    for step in range(1, len(exam.questions)):
        turned = exam.questions[step:] + exam.questions[:step]
        other = {q["question_id"]: o for q, o in zip(exam.questions, turned, strict=True)}
        shares.append(
            exam.share_right(lambda q, other=other: answer(read, q, other[q["question_id"]]))
        )
    assert exam.by_chance(float(np.mean(shares)))


def test_one_picture_of_one_video_does_not_tell_it(exam: Exam) -> None:
    shares = []
    for number in (0, 1):
        one = {s: Course.seen_in([f[len(f) // 2][1]]) for s, f in exam.frames.items()}
        blank = Course(np.zeros_like(next(iter(one.values())).misfits), 1)

        def alone(q: Question, number: int = number, one: Read = one) -> int | None:
            videos = [blank, blank]
            videos[number] = one[span_of(q["media"][number])]
            return solve([option["text"] for option in q["options"]], videos)

        shares.append(exam.share_right(alone))
    assert exam.by_chance(float(np.mean(shares)))


def test_one_picture_of_each_video_tells_a_part(exam: Exam) -> None:
    """Things stay where they are put, so that a picture tells what was set up before it, and no more."""
    middle = {s: Course.seen_in([f[len(f) // 2][1]]) for s, f in exam.frames.items()}
    assert exam.share_right(lambda q: answer(middle, q, q)) < 0.95


# -- duplicate videos ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def duplicates(court: Path) -> Exam:
    return sit(court, "egoexo4d", DUPLICATES, "midpoints(2)")


def most_alike(exam: Exam, asked: Question, shown: Question) -> int:
    """Option that names the two most alike of another question's videos."""
    videos = [[p.astype(int) for _, p in exam.frames[span_of(m)]] for m in shown["media"]]
    apart = {
        f"{i + 1}-{j + 1}": float(
            np.mean([np.abs(a - b).mean() for a, b in zip(videos[i], videos[j], strict=True)])
        )
        for i, j in combinations(range(len(videos)), 2)
    }
    nearest = min(apart, key=lambda pair: apart[pair])
    return [option["value"] for option in asked["options"]].index(nearest)


def test_pixels_tell_duplicates_and_those_of_other_questions_do_not(duplicates: Exam) -> None:
    asked = duplicates.questions
    assert len(asked) >= 30
    assert {m["recording_id"].partition("|")[2][:3] for q in asked for m in q["media"]} == {
        "ari",
        "cam",
    }
    assert duplicates.share_right(lambda q: most_alike(duplicates, q, q)) == 1.0
    most = 0.1 + Z * math.sqrt(0.1 * 0.9 / len(asked))
    assert duplicates.share_right(lambda _: None) <= most
    swapped = duplicates.share_right(
        lambda q: most_alike(duplicates, q, duplicates.other(q, "recording_id"))
    )
    assert swapped <= most


def test_duplicates_stand_among_videos_of_other_takes(duplicates: Exam) -> None:
    for q in duplicates.questions:
        first, second = (int(n) for n in q["answer_text"].replace("Video", "").split("-"))
        takes = [m["recording_id"].partition("|")[0] for m in q["media"]]
        assert takes[first - 1] == takes[second - 1]
        assert len(set(takes)) == 4
