"""One household, two sequences of a flat and its filmed takes for all tests against the truth."""

from __future__ import annotations

from typing import Any

import pytest

from tests.truth import drawn_surgery as operations
from tests.truth import easg_flat as easg_takes
from tests.truth import egocot_flat
from tests.truth import sequences as adt_sequences
from tests.truth.drawn_surgery import DrawnSurgery
from tests.truth.easg_flat import EasgFlat
from tests.truth.household import Household, make
from tests.truth.sequences import Sequences


@pytest.fixture(scope="session")
def household(tmp_path_factory: pytest.TempPathFactory) -> Household:
    """The household and its tables, made once."""
    return make(tmp_path_factory.mktemp("truth"))


@pytest.fixture(scope="session")
def sequences(tmp_path_factory: pytest.TempPathFactory) -> Sequences:
    """The two sequences and their tables, made once."""
    return adt_sequences.make(tmp_path_factory.mktemp("sequences"))


@pytest.fixture(scope="session")
def easg_flat(tmp_path_factory: pytest.TempPathFactory) -> EasgFlat:
    """Takes of a flat in EASG's form, drawn once."""
    return easg_takes.make(tmp_path_factory.mktemp("easg"))


@pytest.fixture(scope="session")
def own_flat(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Takes of a flat as own recordings with their graphs, made once."""
    return egocot_flat.own_recordings(tmp_path_factory.mktemp("own"))


@pytest.fixture(scope="session")
def drawn_surgery(tmp_path_factory: pytest.TempPathFactory) -> DrawnSurgery:
    """Operations in CholecTrack20's form, drawn once."""
    return operations.make(tmp_path_factory.mktemp("surgery"))
