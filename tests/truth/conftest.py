"""One household for all tests against the truth."""

from __future__ import annotations

import pytest

from tests.truth.household import Household, make


@pytest.fixture(scope="session")
def household(tmp_path_factory: pytest.TempPathFactory) -> Household:
    """The household and its tables, made once."""
    return make(tmp_path_factory.mktemp("truth"))
