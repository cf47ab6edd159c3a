"""Rows of CSV files with the line they start on, or what is wrong with them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from assets.sources.reading.values import Malformed, loose_text, printable, unfit

NO_ROW = "the file has a header and no row"


def csv_rows(
    data: bytes, required: Sequence[str], *, may_be_empty: bool = False, delimiter: str = ","
) -> Iterator[tuple[int, dict[str, str] | Malformed]]:
    """Rows of a CSV file with a header, in any column order, other columns included.

    A quote that is opened and never closed swallows what follows it; such a row is refused alone
    and reading goes on with the next line.

    Args:
        data: The file.
        required: Columns that must be there, once.
        may_be_empty: Whether a header without rows is a file like any other. An annotation list
            that lost its rows looks the same, so only files that are often empty say so.
        delimiter: What stands between two values.

    Yields:
        Line on which the row starts (1 is the header) and its values by column, or why there are
        none.

    Raises:
        Malformed: No header, or one without a required column; no row.
    """
    records = _records(loose_text(data), delimiter)
    _, header = next(records, (1, None))
    if header is None:
        raise Malformed("the file is empty")
    if isinstance(header, Malformed):
        raise header
    header = [name.strip() for name in header]
    check_header(header, required)
    is_empty = True
    for line, values in records:
        is_empty = False
        if isinstance(values, Malformed):
            yield line, values
        elif len(values) != len(header):
            yield (
                line,
                Malformed(f"row has {len(values)} fields, the header {len(header)}", len(values)),
            )
        else:
            yield line, dict(zip(header, values, strict=True))
    if is_empty and not may_be_empty:
        raise Malformed(NO_ROW)


def check_header(header: Sequence[str], required: Sequence[str]) -> None:
    """Every required column stands in the header, and no column twice.

    Raises:
        Malformed: One is missing, or a name occurs twice.
    """
    missing = [name for name in required if name not in header]
    if missing:
        raise Malformed(
            f"missing columns {missing}; the header has {list(header)}", ", ".join(missing)
        )
    # Also of columns that need not be there: which of the two is meant is never known.
    twice = sorted({name for name in header if name and header.count(name) > 1})
    if twice:
        raise Malformed(f"columns {twice} occur twice in the header", ", ".join(twice))


def _records(text: str, delimiter: str) -> Iterator[tuple[int, list[str] | Malformed]]:
    """Records of a CSV text with the line they start on, blank lines left out."""
    lines = list(io.StringIO(text, newline=""))
    start = 0
    while start < len(lines):
        rest = (lines[at] for at in range(start, len(lines)))
        reader = csv.reader(rest, strict=True, delimiter=delimiter)
        offset = start
        try:
            for values in reader:
                end = offset + reader.line_num
                if values:
                    yield start + 1, unfit("".join(lines[start:end])) or values
                start = end
        except csv.Error as error:
            # The reader may have run over any number of good lines in search of a closing quote.
            fault = Malformed(
                f"row is not valid CSV: {error}", printable(lines[start].rstrip("\r\n"))
            )
            yield start + 1, fault
            start += 1
