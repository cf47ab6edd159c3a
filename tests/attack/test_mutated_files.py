"""Edited annotation files of all layouts: nothing raises, is lost or changes without a word.

A few edits run with all tests; `PARALLAX_ATTACK=5000` runs that many over all worlds (about fifteen
minutes of one core), `PARALLAX_ATTACK_SEED` others. `python -m tests.attack.attack` prints figures.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.attack.attack import attacks, emptied
from tests.attack.reading import Reader
from tests.attack.worlds import names, world

COUNT = int(os.environ.get("PARALLAX_ATTACK", "0"))
SEED = int(os.environ.get("PARALLAX_ATTACK_SEED", "1"))
QUICK = (
    "egoexolearn", "lemma", "egotaskqa", "cholectrack20", "egosurgery", "extremesportfpv", "egopet",
    "charades_ego", "egoschema", "egocross_testbed", "enigma51", "meccano", "reviews",
)  # fmt: skip
"""Worlds that are written without media in no time, and have rows then."""
FEW = 5


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the worlds."""
    return tmp_path_factory.mktemp("worlds")


@pytest.mark.parametrize("name", names() if COUNT else QUICK)
def test_an_emptied_file_of_any_form_is_refused(name: str, home: Path) -> None:
    one = world(name, home, "small" if COUNT else "none")
    reader = Reader(one.layout, one.media)
    found = [
        f"{mutation.kind} of {mutation.path} ({mutation.note}): {finding}"
        for mutation, findings in emptied(one, reader)
        for finding in findings
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", names() if COUNT else QUICK)
def test_an_edit_is_read_as_it_says_or_refused(name: str, home: Path) -> None:
    one = world(name, home, "small" if COUNT else "none")
    reader = Reader(one.layout, one.media)
    assert any(frame.height for frame in reader.read(one.files).tables.values())
    count = -(-COUNT // len(names())) if COUNT else FEW
    found = [
        f"{mutation.kind} of {mutation.path} ({mutation.note}): {finding}"
        for mutation, findings in attacks(one, reader, count, SEED)
        for finding in findings
    ]
    assert not found, "\n".join(found)
