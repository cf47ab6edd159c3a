"""Questions about what comes next in the simulated operations, held against what was planned, and judged by the gates."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.options import Options, silent
from assets.questions.egocross.next_action import BUILDER as ACTION
from assets.questions.egocross.next_phase import BUILDER as PHASE
from assets.questions.egocross.next_phase_egosurgery import BUILDER as OPEN_PHASE
from assets.questions.kit.builder import Builder
from assets.sources.stage import STAGE as SOURCES
from expectations.gates import EvidenceTables, judge
from expectations.schemas import TABLES
from resources.config import load_settings
from resources.worlds.surgery import (
    SurgerySpec,
    plan_surgery,
    write_cholectrack20,
    write_egosurgery,
)
from resources.worlds.surgery.egosurgery import sessions
from resources.worlds.surgery.open_table import PHASE_NAMES
from resources.worlds.surgery.truth import PHASES, Video
from tests.derivations.world import seconds, ticks

Tables = dict[str, pl.DataFrame]
Row = dict[str, Any]
SPEC = SurgerySpec(videos=12, duration_s=200, render="none")
SURGERY = plan_surgery(SPEC)
WRITE: dict[str, Callable[[SurgerySpec, Path], None]] = {
    "cholectrack20": write_cholectrack20,
    "egosurgery": write_egosurgery,
}
VIDEOS: dict[str, dict[str, Video]] = {
    "cholectrack20": {video.video_id: video for video in SURGERY.videos},
    "egosurgery": {session.uid: session.video for session in sessions(SURGERY)},
}
STEP_S = {"cholectrack20": 1, "egosurgery": 2}
# Words of the plan's phases: those of the options, and those of the testbed.
WORDS: dict[str, str] = dict(
    zip(
        PHASES,
        (
            *("Preparation", "Calot triangle dissection", "Clipping and cutting"),
            *("Gallbladder dissection", "Gallbladder packaging", "Cleaning and coagulation"),
            "Gallbladder extraction",
        ),
        strict=True,
    )
)
BUILDERS = {"cholectrack20": PHASE, "egosurgery": OPEN_PHASE}
CASES = [(layout, reading) for layout in WRITE for reading in ("strict", "paper")]
# Half the width of a 95 % interval, in standard deviations.
Z = 1.96


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Tables]:
    """Tables by layout. Lengths are filled in from the plan: without pictures nothing tells them."""
    found: dict[str, Tables] = {}
    for layout, write in WRITE.items():
        folder = tmp_path_factory.mktemp(layout)
        write(SPEC, folder / "raw")
        (folder / "parallax.toml").write_text(
            f'store = "tables"\n[sources.s]\nlayout = "{layout}"\nroot = "raw"\n', encoding="utf-8"
        )
        settings = load_settings(folder / "parallax.toml")
        SOURCES.refresh(settings, "s", Options(), silent)
        tables = {name: settings.store.read(TABLES[name], "s") for name in PHASE.reads}
        length = pl.lit(float(SPEC.duration_s))
        found[layout] = tables | {
            "recordings": tables["recordings"].with_columns(duration_s=length)
        }
    return found


def word(layout: str, phase: str) -> str:
    """A phase of the plan as options name it in lower case."""
    return (WORDS[phase] if layout == "cholectrack20" else PHASE_NAMES[phase]).lower()


def said(text: str) -> str:
    """An option in the words of the plan; the testbed misspells one phase."""
    return text.lower().removesuffix(" phase").replace("carlot", "calot")


def at_chance(share: float, n: int) -> bool:
    """Whether a share is not above the 95 % interval of guessing one of four."""
    return share - 0.25 <= Z * math.sqrt(0.25 * 0.75 / n)


def by_habit(questions: list[Row]) -> float:
    """Share right of who knows how often each option is right in the other questions."""
    right = 0
    for q in questions:
        others = [o for o in questions if o is not q]
        known = Counter(o["answer_text"] for o in others)
        offered = Counter(option["text"] for o in others for option in o["options"])
        best = max(q["options"], key=lambda o: known[o["text"]] / (offered[o["text"]] or 1))
        right += best["is_answer"]
    return right / len(questions)


@pytest.mark.parametrize(("layout", "reading"), CASES)
def test_the_next_phase_is_the_plans(layout: str, reading: str, worlds: dict[str, Tables]) -> None:
    """By the plan: pictures of one phase, then, under the paper's reading alone, of the right one."""
    questions = BUILDERS[layout].under(reading).make(worlds[layout]).to_dicts()
    assert len(questions) >= 60
    for q in questions:
        (clip,) = q["media"]
        video = VIDEOS[layout][q["recording_id"]]
        times = range(math.ceil(clip["start_s"]), math.floor(clip["end_s"]) + 1, STEP_S[layout])
        shown = [video.phase_at(t) for t in times]
        assert all(video.annotated(t) for t in times)
        following = PHASES[PHASES.index(shown[0]) + 1]
        assert said(q["answer_text"]) == word(layout, following)
        assert set(shown) == ({shown[0]} if reading == "strict" else {shown[0], following})
        assert q["answer_visible"] is (reading == "paper")
        if reading == "strict":
            assert video.phase_at(clip["end_s"] + STEP_S[layout]) == following
            assert word(layout, shown[0]) not in q["text"].lower()


@pytest.mark.parametrize("layout", WRITE)
def test_the_released_text_alone_tells_the_next_phase(
    layout: str, worlds: dict[str, Tables]
) -> None:
    """Phases keep one order, and the text names the one that ends: nobody needs the video."""
    order = [word(layout, phase) for phase in PHASES]
    questions = BUILDERS[layout].under("paper").make(worlds[layout]).to_dicts()
    for q in questions:
        named = re.search("'([^']+)'", q["text"])
        assert named is not None
        assert said(q["answer_text"]) == order[order.index(said(named[1])) + 1]


@pytest.mark.parametrize("layout", WRITE)
def test_without_the_video_the_order_of_phases_does_not_tell_the_next_one(
    layout: str, worlds: dict[str, Tables]
) -> None:
    """Nor does it whether the phase before an option is offered too, or how often each is right."""
    order = [word(layout, phase) for phase in PHASES]
    questions = BUILDERS[layout].make(worlds[layout]).to_dicts()

    def before(text: str) -> str | None:
        at = order.index(said(text)) if said(text) in order else 0
        return order[at - 1] if at else None

    for is_offered in (True, False):
        shares = []
        for q in questions:
            texts = {said(o["text"]) for o in q["options"]}
            fits = [o for o in q["options"] if (before(o["text"]) in texts) is is_offered]
            picked = fits or q["options"]
            shares.append(sum(o["is_answer"] for o in picked) / len(picked))
        assert at_chance(sum(shares) / len(shares), len(shares))
    assert at_chance(by_habit(questions), len(questions))


def started(video: Video, t_s: int) -> set[str]:
    """Actions that a picture shows and the one before does not, in the words of the options."""

    def done(at_s: int) -> set[str]:
        tools = (one.instrument for one in video.tools_at(at_s))
        return {
            f"{x.tool} {x.verb} {x.target}".replace("_", " ")
            for x in tools
            if x.verb is not None and x.target is not None
        }

    return done(t_s) - done(t_s - 1)


def bare(text: str) -> str:
    """An option as tool, verb and target."""
    return " ".join(word for word in text.split() if word not in ("use", "the", "to"))


@pytest.mark.parametrize("reading", ["strict", "paper"])
def test_the_next_action_is_the_plans(reading: str, worlds: dict[str, Tables]) -> None:
    """By the plan: of the four it is the first that is seen to start in the next phase."""
    questions = ACTION.under(reading).make(worlds["cholectrack20"]).to_dicts()
    assert len(questions) >= (35 if reading == "strict" else 60)
    for q in questions:
        (clip,) = q["media"]
        video = VIDEOS["cholectrack20"][q["recording_id"]]
        at = int(clip["start_s"])
        border = next(t for t in range(at, 200) if video.phase_at(t) != video.phase_at(at))
        starts = {o["text"]: 200 for o in q["options"]}
        for t in reversed(range(border, border + (6 if reading == "strict" else 10))):
            if video.annotated(t):
                starts |= {x: t for x in starts if bare(x) in started(video, t)}
        first = min(starts, key=lambda text: starts[text])
        assert first == q["answer_text"]
        assert sum(t == starts[first] for t in starts.values()) == 1
        shown = range(at, math.floor(clip["end_s"]) + 1)
        tools = (one.instrument for t in shown for one in video.tools_at(t))
        seen = {f"{x.tool} {x.verb} {x.target}".replace("_", " ") for x in tools}
        assert (bare(first) in seen) is (reading == "paper")


def test_no_action_is_a_good_guess(worlds: dict[str, Tables]) -> None:
    questions = ACTION.make(worlds["cholectrack20"]).to_dicts()
    assert at_chance(by_habit(questions), len(questions))


@pytest.mark.parametrize(("layout", "reading"), CASES)
def test_the_gates_agree(layout: str, reading: str, worlds: dict[str, Tables]) -> None:
    assert_published(BUILDERS[layout].under(reading), layout, worlds[layout])


def assert_published(builder: Builder, layout: str, tables: Tables) -> None:
    questions = builder.make(tables).with_columns(pool=pl.format("s/{}/unit", "recipe"))
    frames = dict.fromkeys(VIDEOS[layout], ticks(seconds(float(SPEC.duration_s))))
    given = EvidenceTables(tables, frames, {"egocross_close/1": "every(2)"}, {})
    verdicts = judge(questions.head(40), given).filter(~pl.col("gate").is_in(["blind", "reviewed"]))
    assert set(verdicts["verdict"]) == {"pass"}, verdicts.filter(pl.col("verdict") != "pass")


@pytest.mark.parametrize("reading", ["strict", "paper"])
def test_the_gates_agree_on_actions(reading: str, worlds: dict[str, Tables]) -> None:
    assert_published(ACTION.under(reading), "cholectrack20", worlds["cholectrack20"])
