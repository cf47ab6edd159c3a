"""Large CSV files with a header, by column name: sensors write a thousand rows a second.

`csv_reading` judges every row of an annotation file; here only the columns asked for are kept, as
numbers or text. The same rows are refused: those with another number of cells than the header, with
bytes that are not text, or with a value that is not a number (the first hundred of each by line, the
rest in one refusal).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from assets.sources.reading.csv import NO_ROW, check_header, csv_rows
from assets.sources.reading.row_reader import REMEDY_ROW, RowReader
from assets.sources.reading.values import Malformed, loose_text, unfit

_TOLD = 100
_BOM = b"\xef\xbb\xbf"
LINE = "line"
"""Column with the line a row stands on (a header is line 1)."""


def wide_csv(
    reader: RowReader,
    file: str,
    data: bytes,
    *,
    ints: Sequence[str] = (),
    floats: Sequence[str] = (),
    texts: Sequence[str] = (),
    gaps: Sequence[str] = (),
    present: Sequence[str] = (),
    recording_id: str | None = None,
    header: Sequence[str] = (),
) -> pl.DataFrame:
    """Columns of a CSV file, blanks around values stripped; column `line` is added.

    Args:
        reader: Takes the refusals.
        file: Path, for the refusals.
        data: The file.
        ints: Columns of whole numbers, kept in 64 bits: stamps and ids never pass through floats.
        floats: Columns of finite numbers.
        texts: Columns of text.
        gaps: Number columns that may be empty or absent: null there.
        present: Those of `gaps` that may be empty and not absent.
        recording_id: Recording the file belongs to.
        header: Names of the columns of a file that has no header of its own.

    Raises:
        Malformed: The file is empty or holds no row, or lacks a column or has it twice.
    """
    names = list(dict.fromkeys([*ints, *floats, *texts]))
    names += [name for name in present if name not in names]
    columns = _Columns(reader, file, recording_id, names, gaps)
    text = columns.read(data, header)
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
            reader,
            file,
            text.filter(faults),
            made.filter(faults),
            [*ints, *floats, *gaps],
            recording_id,
        )
        made = made.filter(~faults)
    return made


def first_of_each(
    reader: RowReader, file: str, rows: pl.DataFrame, keys: Sequence[str], recording_id: str | None
) -> pl.DataFrame:
    """The first row of each key; a later one that says something else is refused.

    Args:
        reader: Takes the refusals.
        file: Path, for the refusals.
        rows: Rows with their `line`.
        keys: Columns that tell rows apart.
        recording_id: Recording the file belongs to.
    """
    again = rows.filter(~pl.struct(keys).is_first_distinct())
    if again.is_empty():
        return rows
    kept = rows.filter(pl.struct(keys).is_first_distinct())
    others = [name for name in rows.columns if name not in (*keys, LINE)]
    both = again.join(kept, on=keys, how="left", suffix=" of the first", maintain_order="left")
    differs = pl.any_horizontal(pl.col(n).ne_missing(pl.col(f"{n} of the first")) for n in others)
    for row in both.filter(differs).head(_TOLD).iter_rows(named=True):
        named = ", ".join(f"{key} {row[key]}" for key in keys)
        reader.reject(
            file, row[LINE], "contradicting_row", named,
            f"line {row[f'{LINE} of the first']} says something else of {named}; it is used",
            "remove one of the rows", recording_id,
        )  # fmt: skip
    return kept


class _Columns:
    """Reads the columns asked for as text; rows that are not the header's are refused."""

    def __init__(
        self,
        reader: RowReader,
        file: str,
        recording_id: str | None,
        required: Sequence[str],
        gaps: Sequence[str],
    ) -> None:
        self._reader = reader
        self._file = file
        self._recording_id = recording_id
        self._required = required
        self._gaps = gaps

    def read(self, data: bytes, header: Sequence[str]) -> pl.DataFrame:
        """Line numbers and the columns' texts, stripped; absent gaps are empty."""
        shift = 0
        if header:
            shift, data = -1, ",".join(header).encode() + b"\n" + data
        plain = b'"' not in data and data.count(b"\r") == data.count(b"\r\n")
        text = (self._plain if plain else self._quoted)(data, shift)
        absent = [name for name in self._gaps if name not in text.columns]
        return text.with_columns(pl.lit("").alias(name) for name in absent)

    def _names(self, header: Sequence[str]) -> list[str]:
        """Columns that are kept."""
        check_header(header, self._required)
        kept = dict.fromkeys([*self._required, *self._gaps])
        return [name for name in kept if name in header]

    def _quoted(self, data: bytes, shift: int) -> pl.DataFrame:
        """Row by row: behind a quote, commas and line ends may be text."""
        kept: dict[str, list] | None = None
        faults: list[tuple[int, Malformed]] = []
        for line, values in csv_rows(data, self._required):
            if isinstance(values, Malformed):
                faults.append((line + shift, values))
                continue
            if kept is None:
                kept = {LINE: [], **{name: [] for name in self._names(list(values))}}
            for name, held in kept.items():
                held.append(line + shift if name == LINE else values[name].strip())
        self._refuse(faults)
        kept = kept or {LINE: [], **{name: [] for name in self._required}}
        return pl.DataFrame(kept, schema={n: pl.Int64 if n == LINE else pl.String for n in kept})

    def _plain(self, data: bytes, shift: int) -> pl.DataFrame:
        """All rows at once: every line is a row, and every comma ends a cell."""
        data = data.removeprefix(_BOM)
        raw = np.frombuffer(data, dtype=np.uint8)
        ends = np.flatnonzero(raw == ord("\n"))
        if not data.endswith(b"\n"):
            ends = np.append(ends, len(raw))
        starts = np.concatenate([[0], ends[:-1] + 1])
        # The end of a line may be two bytes.
        cut = np.append(raw, 0)[np.maximum(ends - 1, 0)] == ord("\r")
        filled = np.flatnonzero(ends - cut > starts)
        if not len(filled):
            raise Malformed("the file is empty")
        first, rows = filled[0], filled[1:]
        header_line = loose_text(data[starts[first] : ends[first]])
        if (fault := unfit(header_line)) is not None:
            raise fault
        header = [name.strip() for name in header_line.split(",")]
        names = self._names(header)
        if not len(rows):
            raise Malformed(NO_ROW)
        commas = np.flatnonzero(raw == ord(","))
        cells = np.searchsorted(commas, ends[rows]) - np.searchsorted(commas, starts[rows]) + 1
        odd = cells != len(header)
        if b"\0" in data or not _is_utf8(data):
            strange = np.flatnonzero((raw >= 0x80) | (raw == 0))
            odd |= np.searchsorted(strange, ends[rows]) > np.searchsorted(strange, starts[rows])
        faults: list[tuple[int, Malformed]] = []
        for at in np.flatnonzero(odd):
            line = data[starts[rows[at]] : ends[rows[at]]]
            said = unfit(loose_text(line))
            if said is None and cells[at] != len(header):
                counts = f"row has {cells[at]} fields, the header {len(header)}"
                said = Malformed(counts, loose_text(line)[:200])
            if said is None:
                odd[at] = False
            else:
                faults.append((int(rows[at]) + 1 + shift, said))
        self._refuse(faults)
        good = rows[~odd]
        schema = {LINE: pl.Int64, **dict.fromkeys(names, pl.String)}
        if not len(good):
            return pl.DataFrame(schema=schema)
        if len(good) < len(ends) - first - 1:
            data = b"\n".join(data[starts[at] : ends[at]] for at in (first, *good))
        else:
            data = data[starts[first] :]
        places = [header.index(name) for name in names]
        read = pl.read_csv(
            data,
            has_header=False,
            skip_rows=1,
            columns=sorted(set(places)),
            infer_schema=False,
            quote_char=None,
        )
        by_place = dict(zip(sorted(set(places)), read.columns, strict=True))
        return read.select(
            pl.Series(LINE, good + 1 + shift, dtype=pl.Int64),
            *(
                pl.col(by_place[place]).fill_null("").str.strip_chars().alias(name)
                for name, place in zip(names, places, strict=True)
            ),
        )

    def _refuse(self, faults: Sequence[tuple[int, Malformed]]) -> None:
        for line, fault in faults[:_TOLD]:
            self._reader.reject(
                self._file, line, "unreadable_row", fault.value,
                f"row cannot be read: {fault}", REMEDY_ROW, self._recording_id,
            )  # fmt: skip
        if len(faults) > _TOLD:
            more = len(faults) - _TOLD
            self._reader.reject(
                self._file, None, "unreadable_row", more,
                f"{more} more rows cannot be read", REMEDY_ROW, self._recording_id,
            )  # fmt: skip


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _finite(name: str) -> pl.Expr:
    value = pl.col(name).cast(pl.Float64, strict=False)
    return pl.when(value.is_finite()).then(value).alias(name)


def _refuse(
    reader: RowReader,
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
        reader.reject(
            file, said[LINE], "unreadable_row", said[name], f"{name} is not a number", REMEDY_ROW,
            recording_id,
        )  # fmt: skip
    if text.height > _TOLD:
        reader.reject(
            file, None, "unreadable_row", text.height - _TOLD,
            f"{text.height - _TOLD} more rows hold values that are not numbers", REMEDY_ROW,
            recording_id,
        )  # fmt: skip
