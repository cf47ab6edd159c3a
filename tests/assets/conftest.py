"""A small household with its questions, made once and copied for each test that changes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from assets.frames.stage import STAGE as FRAMES
from assets.labels.stage import STAGE as LABELS
from assets.options import Options, silent
from assets.sources.stage import STAGE as SOURCES
from resources.config import load_settings
from resources.worlds import HouseholdSpec
from tests.installation import install
from tests.stages import refresh_pairs, refresh_questions


@pytest.fixture(scope="session")
def small_household(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of an installation with questions and no replies; not to be changed."""
    base = install(
        tmp_path_factory.mktemp("small") / "household", HouseholdSpec(6, 3, render="small")
    )
    made = load_settings(base / "parallax.toml")
    for refresh in (SOURCES.refresh, FRAMES.refresh, LABELS.refresh, refresh_pairs):
        refresh(made, "sample-egoexolearn", Options(), silent)
    refresh_questions(made, "egobridge", Options(), silent)
    return base
