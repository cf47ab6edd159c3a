"""EgoCross object localisation on the simulated table: answerable from its pixels, and only so."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl
import pytest

from assets.frames.stage import STAGE as FRAMES
from assets.options import Options, silent
from assets.pairs.choice import number_of
from assets.questions.egocross.object_localisation import BUILDER
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from expectations.schemas.sampling import SamplingRule, choose_frames
from resources.config import Settings, load_settings
from resources.media.reader import MediaReader
from resources.roots.open import open_root
from resources.worlds.surgery import SurgerySpec, Video, plan_surgery, write_cholectrack20
from tests.truth.solvers.object_localisation import Frame, solve, time_asked

make_questions = BUILDER.make

SOURCE = "table"
SPEC = SurgerySpec(render="small")
VIDEOS: dict[str, Video] = {v.video_id: v for v in plan_surgery(SPEC).videos}
EVERY = SamplingRule.parse("every(2)")
# Half the width of a 95 % interval, in standard deviations.
Z = 1.96


@dataclass(frozen=True)
class Exam:
    """Questions of the table, and the frames a protocol sends for each, with times in the clip."""

    settings: Settings
    questions: list[dict[str, Any]]
    frames: Mapping[str, list[Frame]]

    def share_right(self, answers: Mapping[str, int | None]) -> float:
        """Share of right answers; where nothing was seen the question's hash guesses."""
        right = 0
        for q in self.questions:
            said = answers[q["question_id"]]
            guess = number_of(f"guess {q['question_id']}") % len(q["options"])
            right += q["options"][guess if said is None else said]["is_answer"]
        return right / len(self.questions)

    def by_chance(self, share: float) -> bool:
        """Whether a share lies inside the 95 % interval of guessing one of four."""
        return abs(share - 0.25) <= Z * math.sqrt(0.25 * 0.75 / len(self.questions))


@pytest.fixture(scope="module")
def exam(tmp_path_factory: pytest.TempPathFactory) -> Exam:
    folder = tmp_path_factory.mktemp("surgery")
    write_cholectrack20(SPEC, folder / "raw", workers=1)
    config = folder / "parallax.toml"
    config.write_text(
        f'store = "tables"\n[sources.{SOURCE}]\nlayout = "cholectrack20"\nroot = "raw"\n',
        encoding="utf-8",
    )
    settings = load_settings(config)
    for refresh in (SOURCES.refresh, FRAMES.refresh):
        refresh(settings, SOURCE, Options(), silent)
    names = ("recordings", "images", "boxes", "annotated_frames", "frames")
    tables = {name: settings.store.read(TABLES[name], SOURCE) for name in names}
    questions = make_questions(tables).to_dicts()
    reader = MediaReader.of(open_root(str(folder / "raw")), tables["recordings"], tables["images"])
    return Exam(settings, questions, _sent(questions, tables["frames"], reader))


def _sent(
    questions: list[dict[str, Any]], frames: pl.DataFrame, reader: MediaReader
) -> dict[str, list[Frame]]:
    """Frames of each question; every picture is read once."""
    chosen: dict[str, pl.DataFrame] = {}
    wanted: dict[str, set[int]] = defaultdict(set)
    for q in questions:
        (medium,) = q["media"]
        uid = medium["recording_id"]
        of_recording = frames.filter(pl.col("recording_id") == uid)
        found = choose_frames(of_recording, EVERY, medium["start_s"], medium["end_s"])
        chosen[q["question_id"]] = found
        wanted[uid] |= set(found["source_pts"])
    pictures = {
        uid: dict(zip(sorted(stamps), reader(uid, 0, sorted(stamps)), strict=True))
        for uid, stamps in wanted.items()
    }
    return {
        q["question_id"]: [
            (t_s - q["media"][0]["start_s"], pictures[q["recording_id"]][pts])
            for t_s, pts in chosen[q["question_id"]].select("t_s", "source_pts").iter_rows()
        ]
        for q in questions
    }


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
    answers = {}
    for q in exam.questions:
        others = [o for o in exam.questions if o["recording_id"] != q["recording_id"]]
        other = others[number_of(f"swap {q['question_id']}") % len(others)]
        answers[q["question_id"]] = _answer(q, exam.frames[other["question_id"]])
    assert exam.by_chance(exam.share_right(answers))


def test_another_instant_does_not_tell_it(exam: Exam) -> None:
    answers = {}
    for q in exam.questions:
        at_s = time_asked(q["text"])
        others = [f for f in exam.frames[q["question_id"]] if abs(f[0] - at_s) > 1]
        frame = others[number_of(f"single {q['question_id']}") % len(others)]
        answers[q["question_id"]] = _answer(q, [frame])
    assert exam.by_chance(exam.share_right(answers))
