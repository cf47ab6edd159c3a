"""What a reader made, judged and cut into units before it is written."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import polars as pl

from assets.sources.layout import Rows
from expectations.contracts import Refusal, check
from expectations.schemas import Table
from expectations.schemas.identity import digest, unit_hashes

WHOLE = "*"
"""Unit of refusals that belong to no unit with rows."""
TOLERANCE_S = 0.5
"""How far a row may reach beyond its video: annotators' players round up."""


def inside_recordings(rows: Rows, durations: pl.DataFrame) -> Rows:
    """Refuse rows that lie outside the video, where its container says how long it is.

    Args:
        rows: What a reader made.
        durations: `recording_id` and `media_duration_s`. What the dataset declares is not asked:
            several real recordings declare a length that is another one's.
    """
    tables = dict(rows.tables)
    refused = list(rows.refused)
    for name, frame in rows.tables.items():
        if not {"recording_id", "start_s", "end_s"} <= set(frame.columns):
            continue
        joined = frame.join(durations, on="recording_id", how="left", maintain_order="left")
        # NaN is above every number; its own rule refuses it later.
        late = pl.col("end_s").is_finite() & (
            pl.col("end_s") > pl.col("media_duration_s") + TOLERANCE_S
        )
        outside = joined.filter(late.fill_null(False))
        tables[name] = joined.filter(~late.fill_null(False)).drop("media_duration_s")
        refused.extend(
            Refusal(
                row["source_file"],
                row["source_key"],
                "outside_recording",
                f"{row['start_s']:g}-{row['end_s']:g} s",
                f"ends after its video, which is {row['media_duration_s']:.3f} s long",
                "correct the times, or restore the whole video",
                table=name,
                recording_id=row["recording_id"],
            )
            for row in outside.iter_rows(named=True)
        )
    return replace(rows, tables=tables, refused=tuple(refused))


def of_recording(rows: Rows, tables: Sequence[Table], uid: str, files: Iterable[str] = ()) -> Rows:
    """Refuse rows of another recording than the one whose files were read, or against a contract.

    Args:
        rows: What a reader made.
        tables: Tables it may fill.
        uid: The recording.
        files: Its files, to name one in refusals of rows that do not.
    """
    kept = dict(rows.tables)
    refused = list(rows.refused)
    for table in tables:
        frame = kept.get(table.name)
        if frame is None:
            continue
        other = frame[table.unit].ne_missing(uid)
        kept[table.name] = frame.filter(~other)
        refused.extend(
            Refusal(
                str(row.get("source_file") or ""),
                row.get("source_key"),
                "other_recording",
                row[table.unit],
                f"row does not belong to recording {uid}, whose file holds it",
                f"correct {table.unit}, or move the row to its recording's file",
                table=table.name,
                recording_id=uid,
            )
            for row in frame.filter(other).iter_rows(named=True)
        )
    return contracted(replace(rows, tables=kept, refused=tuple(refused)), tables, {}, files)


def contracted(
    rows: Rows,
    tables: Sequence[Table],
    references: Mapping[str, pl.Series],
    files: Iterable[str] = (),
) -> Rows:
    """Apply the tables' contracts to all rows of a source.

    The writer applies them again, but sees only the units that are written: which of two rows with
    one key is refused must not depend on what changed, and only here is it known which files the
    rows came from.

    Args:
        rows: What a reader made.
        tables: Tables it may fill.
        references: Values that exist, by `table.column`.
        files: Files that were read.
    """
    place = _common_place(files)
    kept = dict(rows.tables)
    refused = list(rows.refused)
    for table in tables:
        if table.name not in kept:
            continue
        checked = check(table, kept[table.name], references)
        kept[table.name] = checked.accepted
        for one in checked.refused:
            uid = str(one.recording_id)
            file = one.file or rows.files.get((table.name, uid), place)
            refused.append(replace(one, file=file))
    return replace(rows, tables=kept, refused=tuple(refused))


def _common_place(files: Iterable[str]) -> str | None:
    """The only file, or the folder that all of them lie in; None where none is known."""
    paths = list(files)
    if len(paths) < 2:
        return paths[0] if paths else None
    return posixpath.commonpath(paths) or "."


def by_unit(tables: Iterable[Table], rows: Rows) -> dict[str, str]:
    """Hash of each unit's rows and refusals."""
    said: dict[str, list[str]] = defaultdict(list)
    for table in tables:
        if table.name in rows.tables:
            for unit, count, hashes in unit_hashes(table, rows.tables[table.name]):
                said[unit].append(f"{table.name} {count} {sorted(hashes.items())}")
    units = frozenset(said)
    for one in rows.refused:
        said[unit_of(one, units)].append(str(sorted(one.items())))
    return {unit: digest(sorted(parts)) for unit, parts in said.items()}


def sizes_by_unit(tables: Iterable[Table], rows: Rows) -> dict[str, dict[str, int]]:
    """Number of each unit's rows, by table."""
    sizes: dict[str, dict[str, int]] = defaultdict(dict)
    for table in tables:
        if table.name in rows.tables:
            for unit, count in rows.tables[table.name].group_by(table.unit).len().iter_rows():
                sizes[unit][table.name] = count
    return dict(sizes)


def unit_of(one: Refusal, units: Collection[str]) -> str:
    """Unit a refusal belongs to: its recording if that has rows here, else the source."""
    uid = one.recording_id
    return uid if uid is not None and uid in units else WHOLE
