"""EgoExoBench's sequence alignment and duplicate videos on the court: pixels tell them, nothing else does.

The court's courses stay as they are set up, so that a late picture tells most of what came before. Here they are
rehearsed: each thing is back on the bench before the next one leaves it, and only the order of pictures tells.
"""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from assets.questions.egoexobench.sequence_alignment import BUILDER
from assets.questions.egoexobench_duplicates.duplicate_identification import BUILDER as DUPLICATES
from resources.worlds.court.egoexo4d import write_court
from resources.worlds.court.plan import plan_rehearsals
from resources.worlds.court.truth import CourtSpec
from tests.truth.solvers.court_steps import Course, solve
from tests.truth.solvers.exam import Exam, Question, Span, Z, sit, span_of

Read = dict[Span, Course]
N_FRAMES = 8


@pytest.fixture(scope="module")
def court(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Takes in which a course is rehearsed: no picture tells what was set up before it."""
    folder = tmp_path_factory.mktemp("court")
    write_court(plan_rehearsals(CourtSpec(render="small")), folder / "raw", workers=1)
    return folder


@pytest.fixture(scope="module")
def exam(court: Path) -> Exam:
    return sit(court, "egoexo4d", BUILDER, f"midpoints({N_FRAMES})")


@pytest.fixture(scope="module")
def read(exam: Exam) -> Read:
    """What each clip shows, read once."""
    return {span: Course.seen_in([p for _, p in frames]) for span, frames in exam.frames.items()}


@pytest.fixture(scope="module")
def glimpses(exam: Exam) -> list[Read]:
    """What each clip shows by its first picture alone, by its second, and so on."""
    return [
        {
            span: Course.seen_in([p if n == k else None for n, (_, p) in enumerate(frames)])
            for span, frames in exam.frames.items()
        }
        for k in range(N_FRAMES)
    ]


def answer(read: Read, asked: Question, shown: Question) -> int | None:
    """Answer to a question from the videos of another."""
    videos = [read[span_of(medium)] for medium in shown["media"]]
    return solve([option["text"] for option in asked["options"]], videos)


def test_pixels_tell_the_answer(exam: Exam, read: Read) -> None:
    assert len(exam.questions) == 24
    kinds = [q["options"][0]["value"].partition(":")[0] for q in exam.questions]
    assert kinds.count("order") == kinds.count("presence") == 12
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


def test_one_picture_of_each_video_does_not_tell_it(exam: Exam, glimpses: list[Read]) -> None:
    """A picture tells which thing is away just then, and nothing about what came before or after."""
    shares = [exam.share_right(lambda q, read=read: answer(read, q, q)) for read in glimpses]
    assert exam.by_chance(shares[N_FRAMES // 2])
    assert exam.by_chance(float(np.mean(shares)))


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
