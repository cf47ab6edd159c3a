"""Questions about the simulated slope, held against what was planned, and judged by the gates."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.options import Options, silent
from assets.questions.egocross.action_localisation import BUILDER as START
from assets.questions.egocross.action_sequence_identification import BUILDER as SEQUENCE
from assets.questions.egocross.next_direction import AHEAD_S, NAMES
from assets.questions.egocross.next_direction import BUILDER as DIRECTION
from assets.questions.egocross.special_action_identification import BUILDER as SPECIAL
from assets.questions.egocross.sport_identification import BUILDER as SPORT
from assets.sources.stage import STAGE as SOURCES
from expectations.gates import EvidenceTables, judge
from expectations.schemas import TABLES
from resources.config import load_settings
from resources.worlds.slope.draw import Artist
from resources.worlds.slope.extremesportfpv import write_extremesportfpv
from resources.worlds.slope.plan import plan_slope
from resources.worlds.slope.truth import TRICKS, SlopeSpec
from tests.derivations.world import seconds, ticks
from tests.truth import sent_pictures
from tests.truth.drawn_surgery import Frame, Row
from tests.truth.sent_pictures import Sitting
from tests.truth.solvers.slope import solve
from tests.truth.test_surgery_tools import at_chance, by_habit

Tables = dict[str, pl.DataFrame]
SPEC = SlopeSpec(runs=24, render="none")
RUNS = {run.video_id: run for run in plan_slope(SPEC).runs}
WORDS = NAMES | {"slidestop": "slide stop", "bumpyforward": "bumpy forward"}
BUILDERS = (SPORT, DIRECTION, SPECIAL, START, SEQUENCE)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """Without videos nothing tells how long a run lasts: its length is filled in from the plan."""
    folder: Path = tmp_path_factory.mktemp("slope")
    write_extremesportfpv(SPEC, folder / "raw", workers=1)
    config = folder / "parallax.toml"
    config.write_text(
        'store = "tables"\n[sources.slope]\nlayout = "extremesportfpv"\nroot = "raw"\n',
        encoding="utf-8",
    )
    settings = load_settings(config)
    SOURCES.refresh(settings, "slope", Options(), silent)
    names = {name for builder in BUILDERS for name in builder.reads} | {"segments"}
    found = {name: settings.store.read(TABLES[name], "slope") for name in names}
    lengths = {uid: run.duration_s for uid, run in RUNS.items()}
    length = pl.col("recording_id").replace_strict(lengths, return_dtype=pl.Float64)
    return found | {"recordings": found["recordings"].with_columns(media_duration_s=length)}


def test_the_sport_is_the_runs(tables: Tables) -> None:
    questions = SPORT.make(tables).to_dicts()
    assert len(questions) >= 20
    for q in questions:
        assert q["answer_text"] == RUNS[q["recording_id"]].sport


@pytest.mark.parametrize("reading", ["strict", "paper"])
def test_the_next_direction_is_the_runs(reading: str, tables: Tables) -> None:
    """By the plan: the first direction that begins at or after the clip's end."""
    questions = DIRECTION.under(reading).make(tables).to_dicts()
    assert len(questions) >= 40
    assert {q["answer_text"].lower() for q in questions} == set(NAMES.values())
    for q in questions:
        (clip,) = q["media"]
        planned = RUNS[q["recording_id"]].next_direction(clip["end_s"])
        assert planned is not None
        ahead_s = planned.start_s - clip["end_s"]
        assert ahead_s == pytest.approx(AHEAD_S if reading == "strict" else 0.0)
        (right,) = [o for o in q["options"] if o["is_answer"]]
        assert right["value"] == planned.label
        assert right["text"].lower() == NAMES[planned.label]


def test_each_direction_is_offered_about_as_often_as_it_is_right(tables: Tables) -> None:
    questions = DIRECTION.make(tables).to_dicts()
    offered = Counter(o["value"] for q in questions for o in q["options"])
    right = Counter(o["value"] for q in questions for o in q["options"] if o["is_answer"])
    assert all(2 <= offered[label] / n <= 8 for label, n in right.items()), (offered, right)


@pytest.mark.parametrize("reading", ["strict", "paper"])
def test_the_special_action_is_the_runs(reading: str, tables: Tables) -> None:
    """By the plan: the trick that is performed between the times of the text."""
    questions = SPECIAL.under(reading).make(tables).to_dicts()
    assert len(questions) >= 40
    tricks = {trick for kinds in TRICKS.values() for trick in kinds}
    assert {q["answer_text"].lower() for q in questions} == tricks
    for q in questions:
        (clip,) = q["media"]
        times = [float(t) for t in re.findall(r"(\d+(?:\.\d+)?) ?s\b", q["text"])]
        planned = RUNS[q["recording_id"]].action_at(clip["start_s"] + sum(times) / 2)
        assert planned is not None
        (right,) = [o for o in q["options"] if o["is_answer"]]
        assert right["value"] == right["text"].lower() == planned.label
        spans = [t - clip["start_s"] for t in (planned.start_s, planned.end_s)]
        assert times == pytest.approx(spans, abs=0.051 if reading == "strict" else 1.0)


@pytest.mark.parametrize("reading", ["strict", "paper"])
def test_the_action_begins_when_it_does_in_the_run(reading: str, tables: Tables) -> None:
    """By the plan: of all that the clip shows, one action has the name, and begins at the time."""
    questions = START.under(reading).make(tables).to_dicts()
    assert len(questions) >= 40
    for q in questions:
        (clip,) = q["media"]
        assert clip["end_s"] - clip["start_s"] == pytest.approx(15.0)
        name = q["text"].split("'")[1]
        planned = [
            a.start_s - clip["start_s"]
            for a in RUNS[q["recording_id"]].actions
            if a.start_s < clip["end_s"] and a.end_s >= clip["start_s"]
            if name in (a.label, WORDS.get(a.label))
        ]
        assert planned == [pytest.approx(float(q["answer_text"].rstrip(" s")))]


@pytest.mark.parametrize("reading", ["strict", "paper"])
def test_the_sequence_is_the_runs(reading: str, tables: Tables) -> None:
    """By the plan: what is performed in the clip, or between the times of the text, and in which order."""
    questions = SEQUENCE.under(reading).make(tables).to_dicts()
    assert len(questions) >= 40
    for q in questions:
        (clip,) = q["media"]
        times = [clip["start_s"] + int(t) for t in re.findall(r"(\d+)s\b", q["text"])]
        first, last = times or (clip["start_s"], clip["end_s"])
        # Whole seconds may reach a second into what comes before and after.
        near = 1.0 if times else 0.01
        planned = [
            a.label
            for a in RUNS[q["recording_id"]].actions
            if a.start_s < last - near and a.end_s > first + near
        ]
        (right,) = [o for o in q["options"] if o["is_answer"]]
        assert right["value"].split() == planned
        assert [x.lower() for x in right["text"].split(" → ")] == [
            x if times else WORDS.get(x, x) for x in planned
        ]


def test_each_sequence_is_offered_about_as_often_as_it_is_right(tables: Tables) -> None:
    questions = SEQUENCE.make(tables).to_dicts()
    offered = Counter(o["value"] for q in questions for o in q["options"])
    right = Counter(o["value"] for q in questions for o in q["options"] if o["is_answer"])
    assert all(2 <= offered[x] / n <= 8 for x, n in right.items()), (offered, right)


def test_the_sequence_that_shares_most_with_the_others_is_no_good_guess(tables: Tables) -> None:
    """Nor is the one that shares least."""
    questions = SEQUENCE.make(tables).to_dicts()
    for sign in (1, -1):
        right = 0.0
        for q in questions:
            sequences = [o["value"].split() for o in q["options"]]
            shared = [
                sign * sum(a == b for y in sequences for a, b in zip(x, y, strict=True))
                for x in sequences
            ]
            best = [
                o["is_answer"]
                for o, n in zip(q["options"], shared, strict=True)
                if n == max(shared)
            ]
            right += sum(best) / len(best)
        assert at_chance(right / len(questions), len(questions))


def test_actions_begin_at_all_places_of_a_clip(tables: Tables) -> None:
    questions = START.make(tables)
    times = Counter(questions["answer_text"])
    assert len(times) == 7 and max(times.values()) <= 0.4 * questions.height, times


@pytest.mark.parametrize("builder", BUILDERS, ids=lambda b: b.recipe)
@pytest.mark.parametrize("reading", ["strict", "paper"])
def test_the_gates_agree(builder: Any, reading: str, tables: Tables) -> None:
    builder = builder.under(reading)
    pool = pl.format("slope/{}/unit", pl.col("recipe"))
    questions = builder.make(tables).with_columns(pool=pool)
    frames = {uid: ticks(seconds(run.duration_s)) for uid, run in RUNS.items()}
    given = EvidenceTables(tables, frames, {"egocross_close/1": "every(2)"}, {})
    verdicts = judge(questions, given).filter(~pl.col("gate").is_in(["blind", "reviewed"]))
    assert set(verdicts["verdict"]) == {"pass"}, verdicts.filter(pl.col("verdict") != "pass")


# -- from pixels -----------------------------------------------------------------------------------


@cache
def artist(uid: str) -> Artist:
    return Artist(RUNS[uid])


def answer(q: Row, frames: list[Frame]) -> int | None:
    (clip,) = q["media"]
    texts = [option["text"] for option in q["options"]]
    return solve(q["text"], texts, frames, clip["end_s"] - clip["start_s"])


@pytest.fixture(scope="module", params=BUILDERS, ids=lambda b: b.recipe)
def sitting(
    request: pytest.FixtureRequest, tables: Tables, tmp_path_factory: pytest.TempPathFactory
) -> Sitting:
    exam = sent_pictures.exam(
        request.param.make(tables).to_dicts(),
        artist,
        tmp_path_factory.mktemp("sent"),
        most=80 if request.param is START else 40,
    )
    assert len(exam.questions) >= 20
    return Sitting(exam, answer)


def test_pixels_tell_the_answer(sitting: Sitting) -> None:
    assert sitting.right() >= 0.95


@pytest.mark.parametrize("builder", BUILDERS, ids=lambda b: b.recipe)
def test_no_option_is_a_good_guess(builder: Any, tables: Tables) -> None:
    """Of those who see nothing and know how often each is right in all other questions."""
    questions = builder.make(tables).to_dicts()
    assert at_chance(by_habit(questions, lambda _: ""), len(questions))


def test_another_video_does_not_tell_it(sitting: Sitting) -> None:
    assert sitting.at_chance(sitting.swapped())


def test_one_picture_from_the_middle_tells_no_time_order_or_direction(sitting: Sitting) -> None:
    """Any picture shows the sport, and each clip about a special action has it in its middle."""
    subtask = sitting.exam.questions[0]["subtask"]
    if subtask in ("sport_identification", "special_action_identification"):
        assert sitting.one(0.5) >= 0.95
    elif subtask == "action_sequence_identification":
        # What one picture shows, an action or the next, another option has in the same place.
        assert sitting.one(0.5) < 0.45
        assert sitting.one(0.0) < 0.6
    else:
        assert sitting.at_chance(sitting.one(0.5))
