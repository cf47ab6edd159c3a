"""Sets of tasks as they are stored: read, or a word on why there is none."""

from __future__ import annotations

from assets.task_sets.stage import STAGE
from assets.task_sets.task_set import Made
from expectations.schemas import TABLES
from resources.config import Settings
from resources.errors import ExpectedError, unknown_name
from resources.store.ledger import read_complete


class NoSet(ExpectedError, ValueError):
    """A source holds no such set."""


def read_set(settings: Settings, source: str, name: str) -> Made:
    """Read a set.

    Args:
        settings: Configuration.
        source: Source the set was made of.
        name: `task/mode`.

    Raises:
        NoSet: The source or the set is not there.
        IncompleteUpstream: A run was interrupted while it wrote sets of the source.
    """
    if source not in settings.sources:
        raise unknown_name("source", source, settings.sources)
    known = read_complete(settings.store, STAGE.name, source)
    if name not in known:
        raise NoSet(
            str(unknown_name(f"set of {source}", name, known, "run it first (`parallax run`)"))
        )
    tables = ("task_sets", "set_classes", "released_truth")
    return Made(*(settings.store.read(TABLES[table], source, [name]) for table in tables))
