"""Body part action against what the simulations let hands and feet do."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from assets.labels.stage import STAGE as LABELS
from assets.options import Options, silent
from assets.questions.egoexobench.body_part_action_egoexo4d import BUILDER as OF_MOMENTS
from assets.questions.egoexobench.body_part_action_egoexolearn import BUILDER as OF_HANDS
from assets.questions.kit.builder import Builder
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from resources.config import load_settings
from resources.worlds import HouseholdSpec, plan, write_egoexolearn
from resources.worlds.court.egoexo4d import sessions_of, take_of, write_court
from resources.worlds.court.plan import plan_court
from resources.worlds.court.truth import CourtSpec

Rows = list[dict[str, Any]]
COURT = plan_court(CourtSpec(render="none"))
HOUSEHOLD = plan(HouseholdSpec(ego=5, exo=3, render="none"))


def questions(folder: Path, layout: str, builder: Builder) -> Rows:
    """Questions of each scenario of the raw files in a folder."""
    config = folder / "parallax.toml"
    config.write_text(
        f'store = "tables"\n[sources.world]\nlayout = "{layout}"\nroot = "raw"\n', encoding="utf-8"
    )
    settings = load_settings(config)
    for stage in (SOURCES, LABELS):
        stage.refresh(settings, "world", Options(), silent)
    given = {name: settings.store.read(TABLES[name], "world") for name in builder.reads}
    made: Rows = []
    for _, members in given["recordings"].group_by("scenario", maintain_order=True):
        ids = members.select("recording_id")
        part = {n: rows.join(ids, on="recording_id", how="semi") for n, rows in given.items()}
        made += builder.make(part).to_dicts()
    return made


@pytest.fixture(scope="module")
def court(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    folder = tmp_path_factory.mktemp("court")
    write_court(COURT, folder / "raw", workers=1)
    return questions(folder, "egoexo4d", OF_MOMENTS)


@pytest.fixture(scope="module")
def household(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    folder = tmp_path_factory.mktemp("household")
    write_egoexolearn(HOUSEHOLD, folder / "raw")
    return questions(folder, "egoexolearn", OF_HANDS)


def test_the_limb_that_is_named_touches_the_thing_at_that_time(court: Rows) -> None:
    takes = {session.name: take_of(session) for session in sessions_of(COURT)}
    assert len(court) >= 20
    assert {"hands", "feet"} == {re.findall(r"hands|feet", q["text"])[0] for q in court}
    for q in court:
        quoted = re.findall(r'"([^"]*)"', q["answer_text"])
        for medium, words in zip(q["media"], quoted, strict=True):
            take = takes[medium["recording_id"].partition("|")[0]]
            middle = [d for d in take.deeds if medium["start_s"] <= d.contact_s <= medium["end_s"]]
            parts = {d.part for d in middle if f"The person {d.text}." == words}
            (named,) = re.findall(r"(?:left|right) (?:hand|foot)", words)
            assert named in parts


def test_hands_are_those_of_the_plan(household: Rows) -> None:
    recordings = {r.uid: r for r in HOUSEHOLD.recordings}
    assert len(household) >= 5
    for q in household:
        quoted = re.findall(r'"([^"]*)"', q["answer_text"])
        for medium, words in zip(q["media"], quoted, strict=True):
            middle = (medium["start_s"] + medium["end_s"]) / 2
            (fine,) = (
                f
                for f in recordings[medium["recording_id"]].fine
                if f.start_s <= middle <= f.end_s
                and words in (f.narration.text, f.narration.hand_prompt)
            )
            # What the other hand does, if anything, is told of it; the main one is the plan's.
            assert fine.hand in re.findall(r"(left|right) hand", words.lower())
            assert fine.said == fine.hand
