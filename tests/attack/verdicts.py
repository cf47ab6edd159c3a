"""What an edit of one file may do to a source's rows, and what it may not.

Nothing here knows how a layout is read. Rows are compared with those of the files before the edit:
rows may not vanish, lose a value or change in other places without a refusal that names the file; a
changed number is written three times, and what comes of it must move in step with it.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import polars as pl

from expectations.schemas import TABLES
from tests.attack.mutations import Mutation
from tests.attack.reading import Read

_SHIFTING = {
    "contradict_line", "contradict_item", "delete_line", "duplicate_line", "truncate", "delete_item", "repeat_item", "delete_header",
    "flip_bytes", "quote", "crlf",
}  # fmt: skip
"""Edits behind which lines and indices have other numbers."""
_DELETING = {"delete_line", "delete_item", "delete_key"}
_LOCAL = {"change_number", "swap_cells", "wrong_type", "make_null", "break_encoding", "nul"}
_EMPTYING = {"empty", "blank", "no_items"}
_MANGLING = {
    "wrong_type",
    "odd_number",
    "repeat_key",
    "break_encoding",
    "nul",
    "change_cells",
    "quote",
}
_UNTEXT = ("\ufffd", "\0")

Key = tuple


@dataclass
class Change:
    """How one table differs.

    Attributes:
        lost: Rows that are gone, by key.
        added: Rows that are new, by key.
        changed: Old and new value of cells of rows whose key stayed, by key and column.
    """

    lost: dict[Key, dict] = field(default_factory=dict)
    added: dict[Key, dict] = field(default_factory=dict)
    changed: dict[tuple[Key, str], tuple[object, object]] = field(default_factory=dict)


def changes(before: Read, after: Read, shifted: bool) -> dict[str, Change]:
    """Tables that differ."""
    found: dict[str, Change] = {}
    for name in sorted({*before.tables, *after.tables}):
        old, new = (r.tables.get(name, TABLES[name].empty()) for r in (before, after))
        if old is new or old.equals(new):
            continue
        change = _change(name, old, new, shifted)
        if change.lost or change.added or change.changed:
            found[name] = change
    return found


def _change(name: str, old: pl.DataFrame, new: pl.DataFrame, shifted: bool) -> Change:
    key = list(TABLES[name].key)
    made = Change()
    kept, now = (_by_key(frame, key) for frame in (old, new))
    for k, row in kept.items():
        other = now.get(k)
        if other is None:
            made.lost[k] = row
            continue
        for column, value in row.items():
            if shifted and column == "source_key":
                continue
            if other[column] != value and not (_is_nan(value) and _is_nan(other[column])):
                made.changed[k, column] = (value, other[column])
    made.added = {k: row for k, row in now.items() if k not in kept}
    return made


def _by_key(frame: pl.DataFrame, key: list[str]) -> dict[Key, dict]:
    return {tuple(str(row[c]) for c in key): row for row in frame.iter_rows(named=True)}


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def new_refusals(before: Read, after: Read) -> list[dict]:
    """Refusals that were not there before the edit."""
    count = Counter(_refusal_key(r) for r in before.refused)
    found = []
    for one in after.refused:
        key = _refusal_key(one)
        if count[key]:
            count[key] -= 1
        else:
            found.append(one)
    return found


def _names(one: Mapping, path: str) -> bool:
    """Whether a refusal names a file, as its own or beside the one it is about."""
    name = path.rsplit("/", 1)[-1]
    folder = one["file"] and path.startswith(f"{one['file']}/")
    return (
        one["file"] == path or folder or name in f"{one['value']} {one['message']} {one['remedy']}"
    )


def _refusal_key(one: Mapping) -> tuple:
    return (one.get("table"), one["file"], one["rule"], str(one["value"])[:50], one["message"][:50])


@dataclass(frozen=True)
class Finding:
    """Something an edit may not do."""

    rule: str
    table: str
    text: str


def judge(
    mutation: Mutation, before: Read, after: Read, others: tuple[tuple[float, Read], ...] = ()
) -> Iterator[Finding]:
    """What is wrong with the rows after an edit.

    Args:
        mutation: The edit.
        before: Rows without it.
        after: Rows with it.
        others: Other values of the same number, and the rows then.
    """
    kind = mutation.kind
    found = changes(before, after, kind in _SHIFTING)
    refused = new_refusals(before, after)
    named = [r for r in refused if _names(r, mutation.path)]
    for one in refused:
        lacking = [k for k in ("file", "rule", "message", "remedy") if not one[k]]
        if lacking:
            yield Finding("refusal_incomplete", str(one.get("table")), f"{lacking}: {one}")
    for table, change in found.items():
        rows = [*change.added.values(), *({c: new} for (_, c), (_, new) in change.changed.items())]
        odd = [
            v
            for row in rows
            for v in row.values()
            if isinstance(v, str) and any(u in v for u in _UNTEXT)
        ]
        if odd:
            yield Finding("untext_stored", table, repr(odd[0])[:120])
        net = len(change.lost) - len(change.added)
        if kind in ("bom", "crlf") and not named:
            yield Finding("not_equal", table, _shown(change))
            continue
        if named:
            continue
        if kind in _EMPTYING:
            yield Finding("emptied_silently", table, _shown(change))
        elif kind in ("remove_column", "repeat_column", "delete_header"):
            yield Finding("column_lost_silently", table, _shown(change))
        elif kind == "truncate":
            if not _is_lines(mutation):
                yield Finding("truncated_silently", table, _shown(change))
        elif net > 0 and kind not in _DELETING:
            rule = "rows_lost_named_elsewhere" if refused else "rows_lost_silently"
            said = str([(r["file"], r["rule"], r["message"]) for r in refused][:2])[:300]
            yield Finding(rule, table, _shown(change) + said)
        elif kind in _DELETING and len(change.added) > len(change.lost):
            yield Finding("rows_appear", table, _shown(change))
        elif kind in _MANGLING:
            nulled = [
                k
                for k, (old, new) in change.changed.items()
                if old not in (None, "", []) and new in (None, "", [])
            ]
            if nulled:
                yield Finding("value_lost_silently", table, _shown(change))
        if kind in _LOCAL:
            touched = {
                row.get("recording_id") for row in (*change.lost.values(), *change.added.values())
            } | {_recording(table, key, before) for key, _ in change.changed}
            if len(touched - {None}) > 1:
                yield Finding("many_recordings", table, f"{sorted(map(str, touched))[:4]}")
    if kind in _EMPTYING and not named and not found:
        yield Finding("emptied_unsaid", "", mutation.note)
    if kind == "change_cells" and not named and not found:
        yield Finding("cells_unsaid", "", mutation.note)
    if kind in ("contradict_line", "contradict_item") and not refused and not found:
        yield Finding("contradiction_unsaid", "", mutation.note)
    if kind in ("nul", "break_encoding", "change_cells") and not refused and found:
        yield Finding("bytes_unsaid", "", mutation.note)
    if kind == "change_number":
        yield from _in_step(mutation, before, found, bool(refused), others)


def _recording(table: str, key: Key, before: Read) -> object:
    names = list(TABLES[table].key)
    return key[names.index("recording_id")] if "recording_id" in names else None


def _in_step(
    mutation: Mutation,
    before: Read,
    found: Mapping[str, Change],
    refused: bool,
    others: tuple[tuple[float, Read], ...],
) -> Iterator[Finding]:
    """A number's cells are the number, or move in step with it."""
    seen = [(mutation.new, found, refused)]
    for value, read in others:
        seen.append((value, changes(before, read, False), bool(new_refusals(before, read))))
    had_effect = [bool(f or r) for _, f, r in seen]
    if any(had_effect) and not all(had_effect):
        yield Finding("number_sometimes_ignored", ",".join(sorted(found)), str(had_effect))
    for table, change in found.items():
        other = next(((v, f[table]) for v, f, r in seen[1:] if table in f and not r), None)
        for (key, column), (old, new) in change.changed.items():
            old, new = _number(old), _number(new)
            if old is None or new is None:
                continue
            if _close(new, mutation.new) or other is None:
                continue
            value, there = other
            pair = there.changed.get((key, column))
            there_new = None if pair is None else _number(pair[1])
            if there_new is None:
                continue
            slope = (new - old) / (mutation.new - mutation.old)
            expected = old + slope * (value - mutation.old)
            noise = 4e-6 * max(abs(old), abs(new), 1e-3)
            ratio = abs((value - mutation.old) / (mutation.new - mutation.old))
            if abs(there_new - expected) > noise * (1 + ratio):
                yield Finding(
                    "number_out_of_step", table, f"{column}: {old} -> {new}, {there_new} at {key}"
                )
                break


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)


def _close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9)


def _is_lines(mutation: Mutation) -> bool:
    return mutation.path.endswith((".csv", ".txt", ".jsonl", ".bundle", ".tsv"))


def _shown(change: Change) -> str:
    sizes = f"-{len(change.lost)} +{len(change.added)} ~{len(change.changed)}"
    cell = next(iter(change.changed.items()), None)
    lost = next(iter(change.lost), None)
    return f"{sizes} {'' if lost is None else lost} {'' if cell is None else cell}"[:260]


def summary(findings: list[tuple[str, Mutation, Finding]]) -> dict[tuple, list]:
    """Findings by world, rule, table, kind of edit and name of the file without its digits."""
    grouped: dict[tuple, list] = defaultdict(list)
    for world, mutation, one in findings:
        name = "".join("#" if c.isdigit() else c for c in mutation.path.rsplit("/", 1)[-1])
        grouped[world, one.rule, one.table, mutation.kind, name].append((mutation, one))
    return grouped
