"""EgoExoBench action relation in the household: answerable from its pixels, and only so."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl
import pytest

from assets.pairs.choice import number_of
from assets.predictions.sampling import SamplingRule, choose_frames
from assets.questions.egoexobench.action_relation_egoexolearn import RECIPE
from expectations.schemas import TABLES
from resources.files import open_root
from resources.media import MediaReader
from resources.worlds import HouseholdSpec, write_egoexolearn
from tests.truth.household import tables_of
from tests.truth.solvers.exam import Span, span_of
from tests.truth.solvers.household_choice import Clip, read_clip, solve

SOURCE, BENCHMARK = "household", "egoexobench"
# Another household than the solver's weights come from: two wearers who follow two demonstrations.
SPEC = HouseholdSpec(ego=2, exo=2, seed="another household")
EIGHT = SamplingRule.parse("midpoints(8)")
# Half the width of a 95 % interval, in standard deviations.
Z = 1.96
# What the solver reaches at least.
LEAST_RIGHT = 0.95


@dataclass(frozen=True)
class Exam:
    """Questions of the household and what the frames a protocol sends of each clip show.

    Attributes:
        questions: The questions.
        shown: What each clip shows, and what its middle picture shows alone.
    """

    questions: list[dict[str, Any]]
    shown: Mapping[Span, tuple[Clip, Clip]]

    def media(self, q: dict[str, Any], *, still: bool = False) -> list[Clip]:
        """What query and options of a question show, the query first."""
        by_role = {m["role"]: m for m in q["media"]}
        roles = ["query", *(f"option_{o['letter']}" for o in q["options"])]
        return [self.shown[span_of(by_role[role])][still] for role in roles]

    def share_right(self, answer: Callable[[dict[str, Any]], int]) -> float:
        """Share of right answers."""
        right = [q["options"][answer(q)]["is_answer"] for q in self.questions]
        return sum(right) / len(right)

    @property
    def margin(self) -> float:
        """Half the 95 % interval of guessing one of four."""
        return Z * math.sqrt(0.25 * 0.75 / len(self.questions))

    def by_chance(self, share: float) -> bool:
        """Whether a share lies inside the 95 % interval of guessing one of four."""
        return abs(share - 0.25) <= self.margin


@pytest.fixture(scope="module")
def exam(tmp_path_factory: pytest.TempPathFactory) -> Exam:
    folder = tmp_path_factory.mktemp("action")
    write_egoexolearn(SPEC, folder / "raw", workers=1)
    settings = tables_of(folder, SOURCE, BENCHMARK)
    questions = settings.store.read(TABLES["questions"], BENCHMARK)
    asked = questions.filter(pl.col("recipe") == RECIPE).to_dicts()
    names = ("recordings", "images", "frames")
    tables = {name: settings.store.read(TABLES[name], SOURCE) for name in names}
    reader = MediaReader.of(open_root(str(folder / "raw")), tables["recordings"], tables["images"])
    return Exam(asked, _shown(asked, tables["frames"], reader))


def _shown(
    questions: list[dict[str, Any]], frames: pl.DataFrame, reader: MediaReader
) -> dict[Span, tuple[Clip, Clip]]:
    """What each clip shows; every picture is read once."""
    clips = sorted({span_of(m) for q in questions for m in q["media"]})
    sent: dict[Span, list[tuple[int, int]]] = {}
    wanted: dict[tuple[str, int], set[int]] = defaultdict(set)
    for uid, start_s, end_s in clips:
        chosen = choose_frames(frames.filter(pl.col("recording_id") == uid), EIGHT, start_s, end_s)
        sent[uid, start_s, end_s] = chosen.select("part", "source_pts").rows()
        for part, stamp in sent[uid, start_s, end_s]:
            wanted[uid, part].add(stamp)
    pictures = {
        (uid, part): dict(zip(sorted(at), reader(uid, part, sorted(at)), strict=True))
        for (uid, part), at in wanted.items()
    }
    return {
        clip: read_clip([pictures[clip[0], part][stamp] for part, stamp in rows])
        for clip, rows in sent.items()
    }


def _another(exam: Exam, q: dict[str, Any]) -> dict[str, Any]:
    """A question of another pool, whose query cannot show an option's action."""
    others = [o for o in exam.questions if o["pool"] != q["pool"]]
    return others[number_of(f"swap {q['question_id']}") % len(others)]


def test_there_are_enough_questions(exam: Exam) -> None:
    assert 50 <= len(exam.questions) <= 150
    assert len({q["pool"] for q in exam.questions}) == 2
    assert {m["role"] for q in exam.questions for m in q["media"]} >= {"query", "option_D"}


def test_pixels_tell_the_answer(exam: Exam) -> None:
    def seen(q: dict[str, Any]) -> int:
        query, *options = exam.media(q)
        return solve(query, options)

    share = exam.share_right(seen)
    print(f"{share:.3f} of {len(exam.questions)} right")
    assert share >= LEAST_RIGHT


def test_one_picture_of_each_clip_does_not_tell_it(exam: Exam) -> None:
    """The solver judges by what moves: its middle picture alone leaves it at chance.

    That bounds this solver, not what a picture can tell. Most distractors differ from the query in
    a thing, and who names what is in hand in one picture may do better than chance.
    """

    def seen(q: dict[str, Any]) -> int:
        query, *options = exam.media(q, still=True)
        return solve(query, options)

    assert exam.by_chance(exam.share_right(seen))


def test_nothing_but_pixels_tells_it(exam: Exam) -> None:
    assert exam.by_chance(exam.share_right(lambda q: number_of(f"guess {q['question_id']}") % 4))


def test_another_video_does_not_tell_it(exam: Exam) -> None:
    def swapped(q: dict[str, Any]) -> int:
        return solve(exam.media(_another(exam, q))[0], exam.media(q)[1:])

    assert exam.by_chance(exam.share_right(swapped))
