"""Large CSV files with a header, by column name: sensors write a thousand rows a second.

`csv_reading` judges every row of an annotation file; here only the columns asked for are kept, as
numbers or text, and rows whose numbers are none are refused (the first hundred by line, the rest in
one refusal).
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from assets.sources.guard import REMEDY_ROW, Guard
from assets.sources.reading import Malformed

_TOLD = 100
LINE = "line"
"""Column with the line a row stands on (a header is line 1)."""


def wide_csv(
    guard: Guard,
    file: str,
    data: bytes,
    *,
    ints: Sequence[str] = (),
    floats: Sequence[str] = (),
    texts: Sequence[str] = (),
    gaps: Sequence[str] = (),
    recording_id: str | None = None,
    header: Sequence[str] = (),
) -> pl.DataFrame:
    """Columns of a CSV file, blanks around values stripped; column `line` is added.

    Args:
        guard: Takes the refusals.
        file: Path, for the refusals.
        data: The file.
        ints: Columns of whole numbers, kept in 64 bits: stamps and ids never pass through floats.
        floats: Columns of finite numbers.
        texts: Columns of text.
        gaps: Number columns that may be empty or absent: null there.
        recording_id: Recording the file belongs to.
        header: Names of the columns of a file that has no header of its own.

    Raises:
        Malformed: The file is no CSV, or lacks a column.
    """
    wanted = [*ints, *floats, *texts]
    first = 2
    if header:
        first, data = 1, ",".join(header).encode() + b"\n" + data
    try:
        read = pl.read_csv(
            data,
            infer_schema=False,
            truncate_ragged_lines=True,
            encoding="utf8-lossy",
        )
    except pl.exceptions.NoDataError:
        raise Malformed("the file is empty") from None
    except pl.exceptions.PolarsError as error:
        raise Malformed(f"the file is no CSV: {str(error).splitlines()[0]}") from None
    read = read.rename({name: name.strip().lstrip("\ufeff") for name in read.columns})
    missing = [name for name in wanted if name not in read.columns]
    if missing:
        raise Malformed(f"missing columns {missing}; the header has {read.columns}", missing[0])
    text = read.select(
        pl.int_range(first, pl.len() + first, dtype=pl.Int64).alias(LINE),
        *(
            pl.col(n).fill_null("").str.strip_chars()
            for n in dict.fromkeys([*wanted, *gaps])
            if n in read.columns
        ),
    ).with_columns(pl.lit("").alias(n) for n in gaps if n not in read.columns)
    made = text.with_columns(
        *(pl.col(n).cast(pl.Int64, strict=False) for n in ints),
        *(_finite(n) for n in (*floats, *gaps)),
    )
    bad = (
        pl.any_horizontal(pl.col(n).is_null() for n in (*ints, *floats))
        if ints or floats
        else pl.lit(False)
    )
    torn = (
        pl.any_horizontal(made[n].is_null() & (text[n] != "") for n in gaps)
        if gaps
        else pl.lit(False)
    )
    faults = made.select((bad | torn).alias("bad"))["bad"]
    if faults.any():
        _refuse(
            guard,
            file,
            text.filter(faults),
            made.filter(faults),
            [*ints, *floats, *gaps],
            recording_id,
        )
        made = made.filter(~faults)
    return made


def _finite(name: str) -> pl.Expr:
    value = pl.col(name).cast(pl.Float64, strict=False)
    return pl.when(value.is_finite()).then(value).alias(name)


def _refuse(
    guard: Guard,
    file: str,
    text: pl.DataFrame,
    made: pl.DataFrame,
    names: Sequence[str],
    recording_id: str | None,
) -> None:
    for said, got in zip(
        text.head(_TOLD).iter_rows(named=True), made.head(_TOLD).iter_rows(named=True), strict=True
    ):
        name = next(n for n in names if got[n] is None)
        guard.refuse(
            file, said[LINE], "unreadable_row", said[name], f"{name} is no number", REMEDY_ROW,
            recording_id,
        )  # fmt: skip
    if text.height > _TOLD:
        guard.refuse(
            file, None, "unreadable_row", text.height - _TOLD,
            f"{text.height - _TOLD} more rows hold values that are no numbers", REMEDY_ROW,
            recording_id,
        )  # fmt: skip
