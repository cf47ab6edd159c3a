"""What the files of a whole source gave when they were last parsed, so that equal files are not parsed again.

A reading is a fact about files and code: from this input hash come these units, each with this hash
and so many rows. It says nothing about the tables. Whether the tables hold a reading is asked of the
ledger, unit by unit, as for every other stage. So no kill, no narrowed run, no order of commits and no
deletion that was held back can make a stored reading wrong; it can only be absent, which costs a parse.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from expectations.schemas.identity import digest, digest_map
from resources.store.ledger import Entry, read_ledger, write_entries
from resources.store.tables import TableStore

_HEADER = "reading"
_UNIT = "unit:"


@dataclass(frozen=True, slots=True)
class Reading:
    """What files gave.

    Attributes:
        units: Hash of the rows and refusals of each unit.
        sizes: What each unit holds, counted by name: rows by table, and media files.
    """

    units: Mapping[str, str]
    sizes: Mapping[str, Mapping[str, int]]


def recall_reading(
    store: TableStore, stage: str, partition: str, input_hash: str
) -> Reading | None:
    """The stored reading of a stage's files.

    Args:
        store: Table store.
        stage: Name of the stage.
        partition: Its source.
        input_hash: Hash of everything the reading depends on.

    Returns:
        None unless the last stored reading is of these inputs, and whole.
    """
    stored = read_ledger(store, _share(stage), partition)
    header = stored.pop(_HEADER, None)
    entries = {unit.removeprefix(_UNIT): entry for unit, entry in stored.items()}
    units = {unit: entry.input_hash for unit, entry in entries.items()}
    if header is None or header.input_hash != _header(input_hash, units):
        return None
    sizes = {
        unit: {name: count for name, (count, _) in entry.tables.items()}
        for unit, entry in entries.items()
    }
    return Reading(units, sizes)


def remember_reading(
    store: TableStore, stage: str, partition: str, input_hash: str, reading: Reading
) -> None:
    """Store a reading in the place of the last one, in one commit; one that is stored moves nothing."""
    if recall_reading(store, stage, partition, input_hash) == reading:
        return
    entries = [Entry(_HEADER, _header(input_hash, reading.units), "ok", "", 0, {})]
    for unit, unit_hash in reading.units.items():
        sizes = {name: (count, {}) for name, count in reading.sizes.get(unit, {}).items()}
        entries.append(Entry(f"{_UNIT}{unit}", unit_hash, "ok", "", 0, sizes))
    old = read_ledger(store, _share(stage), partition)
    gone = old.keys() - {entry.unit for entry in entries}
    write_entries(store, _share(stage), partition, entries, sorted(gone))


def _header(input_hash: str, units: Mapping[str, str]) -> str:
    """Ties the inputs to exactly these units."""
    return digest([input_hash, digest_map(units)])


def _share(stage: str) -> str:
    return f"{stage}.read"
