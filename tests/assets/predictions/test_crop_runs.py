"""Crops through the store: what is asked anew when gaze changes, and what was sent."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from assets.frames.stage import STAGE as FRAMES
from assets.options import Options, silent
from assets.predictions import stage
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from resources.config import Settings, load_settings
from tests.installation import own_copy

SOURCE = "sample-egoexolearn"
PROTOCOLS = {"whole": "direct", "centre": "egobridge_centre", "gaze": "egobridge_gaze"}
RUNS = "".join(
    f'[runs.{name}]\nengine = "random"\nprotocol = "{protocol}"\nlimit = 30\n'
    for name, protocol in PROTOCOLS.items()
)


@pytest.fixture(scope="module")
def settings(small_household: Path, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A small installation with questions, asked by a run per variant."""
    base = own_copy(small_household, tmp_path_factory.mktemp("crops") / "own", RUNS)
    made = load_settings(base / "parallax.toml")
    for run in PROTOCOLS:
        stage.STAGE.refresh(made, f"egobridge.{run}", Options(), silent)
    return made


def wanted(settings: Settings) -> dict[str, dict[str, str]]:
    """What the request of each question is made from, per run."""
    out = {}
    for run in PROTOCOLS:
        evaluation = stage.Evaluation(settings, f"egobridge.{run}")
        out[run] = evaluation.wanted(evaluation.questions(Options()))
    return out


def test_recipes_say_how_each_frame_was_cropped(settings: Settings) -> None:
    views = dict(
        settings.store.read(TABLES["recordings"], SOURCE).select("recording_id", "view").iter_rows()
    )
    ways: dict[str, set[str]] = {}
    for run in PROTOCOLS:
        calls = settings.store.read(TABLES["calls"], f"egobridge.{run}")
        assert calls.height == 30
        assert set(calls["status"]) == {"ok"}
        for recipe in map(json.loads, calls["media_recipe"]):
            for medium in recipe["media"]:
                crops = medium.get("crops")
                if run == "whole" or views[medium["recording_id"]] == "exo":
                    assert crops is None
                else:
                    assert len(crops) == len(medium["frames"]) == 8
                    ways.setdefault(run, set()).update(by for by, _, _ in crops)
    assert ways["centre"] == {"centre"}
    assert "gaze" in ways["gaze"]


def test_changed_gaze_asks_only_gaze_crops_of_that_recording_anew(settings: Settings) -> None:
    root = Path(settings.sources[SOURCE].root)
    before = wanted(settings)
    assert before == wanted(settings)
    path = min(root.rglob("*.npy"))
    gaze = np.load(path)
    gaze[:, 0] = np.clip(gaze[:, 0] + 0.1, 0, 1)
    np.save(path, gaze)
    SOURCES.refresh(settings, SOURCE, Options(), silent)
    FRAMES.refresh(settings, SOURCE, Options(), silent)
    after = wanted(settings)

    assert after["whole"] == before["whole"]
    assert after["centre"] == before["centre"]
    changed = {q for q, made in after["gaze"].items() if made != before["gaze"][q]}
    shown = {
        row["question_id"]: {m["recording_id"] for m in row["media"]}
        for row in settings.store.read(TABLES["questions"], "egobridge").iter_rows(named=True)
    }
    touched = {q for q in before["gaze"] if any(path.stem in uid for uid in shown[q])}
    assert changed == touched
    assert touched and touched != set(before["gaze"])
