"""Fixtures for all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes says how busy the machine is; all else stays as the machine has it.
settings.register_profile(
    "parallax", settings.get_profile(settings.get_current_profile_name()), deadline=None
)
settings.load_profile("parallax")


def missing(what: str, remedy: str) -> None:
    """Skip for want of something, or fail where nothing may be skipped (`PARALLAX_NO_SKIPS`)."""
    text = f"not tested: {what}; {remedy}"
    if os.environ.get("PARALLAX_NO_SKIPS"):
        pytest.fail(text)
    pytest.skip(text)


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder of real excerpts, named by `PARALLAX_SHARED`; tests skip where it is absent."""
    named = os.environ.get("PARALLAX_SHARED")
    if not named:
        missing("real excerpts", "set PARALLAX_SHARED to their folder")
    path = Path(str(named))
    if not path.is_dir():
        pytest.fail(f"PARALLAX_SHARED names {path}, which is not a folder")
    return path


# Tests that share a costly fixture stay on one worker: by the fixture, or else by where they stand.
FIXTURES = ("many", "household", "small_household")
FILES = ("pipelines/test_incremental_layouts", "pipelines/test_cli", "truth/")
FOLDERS = ("pipelines/test_incremental",)


# Before xdist, which writes the groups it finds into the names of the tests.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep tests that share a fixture together when tests run in parallel."""
    here = Path(__file__).parent
    for item in items:
        path = item.path.relative_to(here).as_posix()
        used = getattr(item, "fixturenames", ())
        group = next((name for name in FIXTURES if name in used), None)
        if group is None and path.startswith(FILES):
            group = path
        if group is None:
            group = next((start for start in FOLDERS if path.startswith(start)), None)
        if group is not None:
            item.add_marker(pytest.mark.xdist_group(group))
