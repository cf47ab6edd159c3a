"""The deletion guard: which units stay as they are because too much would be deleted at once.

A folder that is not mounted, half a copy, or an annotation file that is missing look like a person who
removed things. So a listing that takes away much of a source takes away nothing until a person says that
it is meant. Two rules, each applied to one part of one source:

- Units: more than 5 % of them would go, and either more than ten or more than half. Of parts with few
  units (vocabularies, split sets, question sets) more than 5 % is enough.
- Rows: more than ten rows and more than 5 % of a table would go, and either the units that lose some are
  more than ten, or more than half of the table's rows would go. Media files count like rows, from the
  first one on.

A unit that belongs to something that was deleted before goes with it, whatever share it is. One recording removed of three is deleted, ten of ten are not; a few rows removed by hand are deleted,
the rows of a whole annotation file are not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from resources.store.ledger import Entry

SHARE = 0.05
COUNT = 10
_ROWS = "rows of "

Sizes = Mapping[str, Mapping[str, int]]
"""What units hold, counted by name: rows by table, and media files."""


def _no_sizes() -> Sizes:
    return {}


@dataclass(frozen=True, slots=True)
class Loss:
    """What the guard knows of the inputs, beside the units that are wanted.

    Attributes:
        sizes: What the inputs give each unit now; empty where nobody knows before they are read.
        held: What the tables hold of each unit now, beside the rows that the ledger counts.
        lost_files: Units that are wanted and lost a file.
        free: Units that may go unasked: what they belong to was deleted before.
        few_units: Whether the part has few units by nature, so that each counts.
        by_units_alone: Whether units may go whatever share of the rows they hold.
    """

    sizes: Sizes
    held: Callable[[], Sizes] = _no_sizes
    lost_files: Collection[str] = ()
    free: Collection[str] = ()
    few_units: bool = False
    by_units_alone: bool = False


def no_loss() -> Loss:
    """Nothing is known beside the units that are wanted."""
    return Loss({})


@dataclass(frozen=True, slots=True)
class Kept:
    """What the guard keeps.

    Attributes:
        units: Units that stay as they are.
        reasons: What would go, in words.
    """

    units: frozenset[str]
    reasons: tuple[str, ...] = ()


def kept_units(
    entries: Mapping[str, Entry],
    wanted: Collection[str],
    changed: Collection[str],
    loss: Loss,
) -> Kept:
    """Units that the guard keeps as they are.

    Args:
        entries: The stage's ledger; units that are half-written hold nothing to be kept.
        wanted: Units the inputs give.
        changed: Wanted units whose inputs differ from the ledger's.
        loss: What is known of the inputs.
    """
    held = {u: e for u, e in entries.items() if e.status == "ok" and e.n_rows}
    going = {u for u in held.keys() - set(wanted) if u not in loss.free}
    going |= held.keys() & set(changed) & set(loss.lost_files)
    reasons = []
    units: set[str] = set()
    if is_too_much(len(going), len(held), len(going), few_units=loss.few_units):
        units |= going
        reasons.append(f"{len(going)} of {len(held)} units")
    losing = held.keys() & set(changed) & set(wanted) if loss.sizes else set()
    losing |= set() if loss.by_units_alone else going
    for name, (lost, total, losers) in _lost_rows(held, losing, loss).items():
        is_edit = name.startswith(_ROWS) and lost <= COUNT
        if not is_edit and is_too_much(lost, total, len(losers)):
            units |= losers
            reasons.append(f"{lost} of {total} {name}")
    return Kept(frozenset(units), tuple(reasons))


def is_too_much(lost: int, total: int, units: int, *, few_units: bool = False) -> bool:
    """Whether a loss needs a person's word.

    Args:
        lost: Units or rows that would go.
        total: Units or rows that are held.
        units: Units that the loss is spread over.
        few_units: Whether the share alone decides.
    """
    return lost > SHARE * total and (few_units or units > COUNT or 2 * lost > total)


def _lost_rows(
    held: Mapping[str, Entry], losing: Collection[str], loss: Loss
) -> dict[str, tuple[int, int, set[str]]]:
    """Rows that units lose, rows that are held, and the units that lose some, by table."""
    if not losing:
        return {}
    before: dict[str, dict[str, int]] = {
        unit: {f"{_ROWS}{name}": rows for name, (rows, _) in entry.tables.items()}
        for unit, entry in held.items()
    }
    for unit, sizes in loss.held().items():
        if unit in before:
            before[unit].update(sizes)
    totals: dict[str, int] = {}
    for sizes in before.values():
        for name, count in sizes.items():
            totals[name] = totals.get(name, 0) + count
    found: dict[str, tuple[int, int, set[str]]] = {}
    for unit in sorted(losing):
        now = loss.sizes.get(unit, {})
        for name, count in before[unit].items():
            fewer = count - now.get(name.removeprefix(_ROWS), 0)
            if fewer > 0:
                lost, total, losers = found.get(name, (0, totals[name], set()))
                found[name] = (lost + fewer, total, losers | {unit})
    return found
