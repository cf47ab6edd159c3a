"""EgoExoBench action relation in the household: answerable from its pixels, and only so."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl
import pytest

from assets.frames.stage import bring_up as bring_up_frames
from assets.labels.stage import bring_up as bring_up_labels
from assets.options import Options, silent
from assets.pairs.choice import number_of
from assets.pairs.stage import bring_up as bring_up_pairs
from assets.predictions.sampling import SamplingRule, choose_frames
from assets.questions.egoexobench.action_relation_egoexolearn import RECIPE
from assets.questions.gating import bring_up as bring_up_questions
from assets.sources.stage import bring_up as bring_up_sources
from expectations.schemas import TABLES
from resources.config import load_settings
from resources.files import open_root
from resources.media import MediaReader
from resources.worlds import HouseholdSpec, write_egoexolearn
from tests.truth.solvers.household_action import Action, describe, solve

SOURCE, BENCHMARK = "household", "egoexobench"
# Another household than the solver's weights come from: two wearers who follow two demonstrations.
SPEC = HouseholdSpec(ego=2, exo=2, seed="another household")
EIGHT = SamplingRule.parse("midpoints(8)")
# Half the width of a 95 % interval, in standard deviations.
Z = 1.96
# What the solver reaches at least. A person does better: it loses things of a few pixels behind
# the demonstrator's hands.
LEAST_RIGHT = 0.85

Clip = tuple[str, float, float]


@dataclass(frozen=True)
class Exam:
    """Questions of the household and what the frames a protocol sends of each clip show."""

    questions: list[dict[str, Any]]
    shown: Mapping[Clip, Action]

    def media(self, q: dict[str, Any]) -> list[Action]:
        """What query and options of a question show, the query first."""
        by_role = {m["role"]: m for m in q["media"]}
        roles = ["query", *(f"option_{o['letter']}" for o in q["options"])]
        return [self.shown[_clip(by_role[role])] for role in roles]

    def share_right(self, answers: Mapping[str, int]) -> float:
        """Share of right answers."""
        right = [q["options"][answers[q["question_id"]]]["is_answer"] for q in self.questions]
        return sum(right) / len(right)

    def by_chance(self, share: float) -> bool:
        """Whether a share lies inside the 95 % interval of guessing one of four."""
        return abs(share - 0.25) <= Z * math.sqrt(0.25 * 0.75 / len(self.questions))


def _clip(medium: dict[str, Any]) -> Clip:
    return medium["recording_id"], medium["start_s"], medium["end_s"]


@pytest.fixture(scope="module")
def exam(tmp_path_factory: pytest.TempPathFactory) -> Exam:
    folder = tmp_path_factory.mktemp("action")
    write_egoexolearn(SPEC, folder / "raw", workers=1)
    config = folder / "parallax.toml"
    config.write_text(
        'store = "tables"\n'
        f'[sources.{SOURCE}]\nlayout = "egoexolearn"\nroot = "raw"\n'
        f'[benchmarks.{BENCHMARK}]\nsources = ["{SOURCE}"]\n',
        encoding="utf-8",
    )
    settings = load_settings(config)
    for bring_up in (bring_up_sources, bring_up_frames, bring_up_labels, bring_up_pairs):
        bring_up(settings, SOURCE, Options(), silent)
    bring_up_questions(settings, BENCHMARK, Options(), silent)
    questions = settings.store.read(TABLES["questions"], BENCHMARK)
    asked = questions.filter(pl.col("recipe") == RECIPE).to_dicts()
    names = ("recordings", "images", "frames")
    tables = {name: settings.store.read(TABLES[name], SOURCE) for name in names}
    reader = MediaReader.of(open_root(str(folder / "raw")), tables["recordings"], tables["images"])
    return Exam(asked, _shown(asked, tables["frames"], reader))


def _shown(
    questions: list[dict[str, Any]], frames: pl.DataFrame, reader: MediaReader
) -> dict[Clip, Action]:
    """What each clip shows; every picture is read once."""
    clips = sorted({_clip(m) for q in questions for m in q["media"]})
    sent: dict[Clip, list[tuple[int, int]]] = {}
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
        clip: describe([pictures[clip[0], part][stamp] for part, stamp in rows])
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
    answers = {}
    for q in exam.questions:
        query, *options = exam.media(q)
        answers[q["question_id"]] = solve(query, options)
    share = exam.share_right(answers)
    print(f"{share:.3f} of {len(exam.questions)} right")
    assert share >= LEAST_RIGHT


def test_nothing_but_pixels_tells_it(exam: Exam) -> None:
    blind = {q["question_id"]: number_of(f"guess {q['question_id']}") % 4 for q in exam.questions}
    assert exam.by_chance(exam.share_right(blind))


def test_another_video_does_not_tell_it(exam: Exam) -> None:
    answers = {}
    for q in exam.questions:
        query = exam.media(_another(exam, q))[0]
        answers[q["question_id"]] = solve(query, exam.media(q)[1:])
    assert exam.by_chance(exam.share_right(answers))
