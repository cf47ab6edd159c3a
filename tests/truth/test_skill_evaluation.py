"""Skill evaluation against what the simulations know of their performers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assets.labels.stage import STAGE as LABELS
from assets.options import Options, silent
from assets.questions.egoexobench.skill_evaluation_egoexo4d import BUILDER as BY_LEVELS
from assets.questions.egoexobench.skill_evaluation_egoexolearn import BUILDER as BY_VOTES
from assets.questions.kit.builder import Builder
from assets.skill.stage import STAGE as SKILL
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from resources.config import Settings, load_settings
from resources.worlds import HouseholdSpec, plan, write_egoexolearn
from resources.worlds.court.egoexo4d import sessions_of, take_of, write_court
from resources.worlds.court.plan import DRILL, plan_court
from resources.worlds.court.truth import CourtSpec
from resources.worlds.household.skills import comparisons

Rows = list[dict[str, Any]]
COURT = plan_court(CourtSpec(render="none"))
HOUSEHOLD = plan(HouseholdSpec(ego=8, exo=4, render="none"))


def settings_of(folder: Path, layout: str) -> Settings:
    config = folder / "parallax.toml"
    config.write_text(
        f'store = "tables"\n[sources.world]\nlayout = "{layout}"\nroot = "raw"\n', encoding="utf-8"
    )
    settings = load_settings(config)
    SOURCES.refresh(settings, "world", Options(), silent)
    return settings


def questions(settings: Settings, builder: Builder) -> Rows:
    """Questions of the whole source: of these worlds each has one scenario that is asked about."""
    given = {name: settings.store.read(TABLES[name], "world") for name in builder.reads}
    return builder.make(given).to_dicts()


def asked_for(row: dict[str, Any]) -> str:
    return "best" if " best " in row["text"] else "worst"


@pytest.fixture(scope="module")
def drills(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    folder = tmp_path_factory.mktemp("court")
    write_court(COURT, folder / "raw", workers=1)
    return questions(settings_of(folder, "egoexo4d"), BY_LEVELS)


@pytest.fixture(scope="module")
def chains(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    folder = tmp_path_factory.mktemp("household")
    write_egoexolearn(HOUSEHOLD, folder / "raw")
    settings = settings_of(folder, "egoexolearn")
    for stage in (LABELS, SKILL):
        stage.refresh(settings, "world", Options(), silent)
    return questions(settings, BY_VOTES)


def test_the_answer_is_the_drill_of_the_only_player_of_the_extreme_level(drills: Rows) -> None:
    takes = {session.name: take_of(session) for session in sessions_of(COURT)}
    expected = Counter({("best", 3): 4, ("worst", 0): 2})
    assert Counter((asked_for(q), _right_level(q, takes)) for q in drills) == expected
    for q in drills:
        shown = {m["role"]: takes[m["recording_id"].partition("|")[0]] for m in q["media"]}
        assert {take.task for take in shown.values()} == {DRILL}
        assert len({take.player.number for take in shown.values()}) == 5
        assert shown["reference"].level == 3
        # The take in the dark is of another split.
        assert not any(take.dark for take in shown.values())
        levels = [take.level for role, take in shown.items() if role != "reference"]
        assert levels.count(_right_level(q, takes)) == 1


def _right_level(q: dict[str, Any], takes: dict[str, Any]) -> int:
    (right,) = (m for m in q["media"] if m["role"] == f"option_{q['answer']}")
    return takes[right["recording_id"].partition("|")[0]].level


def test_the_answer_won_or_lost_all_its_comparisons(chains: Rows) -> None:
    won = {}
    for pair in comparisons(HOUSEHOLD):
        if pair.outcome in ("left", "right"):
            clips = (pair.left, pair.right)
            better, worse = clips if pair.outcome == "left" else clips[::-1]
            won[_place(better), _place(worse)] = True
    assert len(chains) >= 5
    assert {asked_for(q) for q in chains} == {"best", "worst"}
    for q in chains:
        places = {
            m["role"][-1]: (m["recording_id"], round(m["start_s"], 2))
            for m in q["media"]
            if m["role"].startswith("option_")
        }
        right = places.pop(q["answer"])
        for other in places.values():
            assert ((right, other) if asked_for(q) == "best" else (other, right)) in won


def _place(clip: Any) -> tuple[str, float]:
    _, uid, start, _ = clip.token.split("_")
    return uid, round(int(start) / 25, 2)
