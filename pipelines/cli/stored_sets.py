"""Sets of tasks as they are stored: read, or a word on why there is none."""

from __future__ import annotations

from assets.task_sets.released_truth import describe_truth
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


def truth_notes(settings: Settings, source: str, name: str, stored: Made) -> list[str]:
    """What of a set's truth was released, a line per list and split; see `describe_truth`.

    Args:
        settings: Configuration.
        source: Source the set was made of.
        name: `task/mode`.
        stored: The set.
    """
    task = name.partition("/")[0]
    listed: dict[tuple[str, str], int] = {}
    if task == "segmentation":
        columns = ("split_set", "split", "recording_id")
        splits = settings.store.read(TABLES["splits"], source, columns=columns)
        for split_set, split, n in splits.group_by("split_set", "split").len().iter_rows():
            family, _, view = split_set.partition("_")
            if family == task:
                listed[view, split] = n
    return describe_truth(stored.truth, stored.items, listed)
