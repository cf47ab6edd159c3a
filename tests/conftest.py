"""Fixtures for all tests."""

from __future__ import annotations

import os
import signal
import threading
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


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep copies and frames beside the tests' own files, and not among a person's."""
    base = tmp_path_factory.getbasetemp()
    # Workers have folders of their own in that of the session.
    shared_base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    os.environ.setdefault("PARALLAX_CACHE", str(shared_base / "cache"))


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


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Give SIGTERM its effect back, for the processes that tests start.

    Dagster copies the handler of SIGINT to it, and in a shell's background SIGINT is ignored.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


# Fixtures of a whole session that take long: what uses one of them stays on the worker that has it.
COSTLY = (
    *("many", "few", "household", "small_household"),
    *("sequences", "easg_flat", "own_flat", "drawn_surgery"),
)
# Folders whose files take longest. They come first, so that no worker is left with one at the end; those that start
# processes come after those that compute, since `make check` runs beside the first.
LONGEST = ("truth", "pipelines")


# Before xdist, which writes the groups it finds into the names of the tests.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep tests that share a fixture or a file on one worker, so that nothing is set up twice.

    A group for each of 18,000 tests would also cost half a minute: xdist looks through all groups after each test.
    """
    here = Path(__file__).parent
    for item in items:
        fixtures = {}
        if isinstance(item, pytest.Function):
            known = item._fixtureinfo.name2fixturedefs
            fixtures = {name: found[-1] for name, found in known.items()}
        costly = next((fixtures[name] for name in COSTLY if name in fixtures), None)
        if costly is not None:
            item.add_marker(pytest.mark.xdist_group(f"{costly.baseid}/{costly.argname}"))
        else:
            item.add_marker(pytest.mark.xdist_group(item.path.relative_to(here).as_posix()))
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: rank(item.path.relative_to(here).parts[0]))


def rank(folder: str) -> int:
    """Place of a folder in the order in which workers take up its files."""
    return LONGEST.index(folder) if folder in LONGEST else len(LONGEST)
