"""Read rows one at a time: a row that cannot be read becomes a refusal, the rest goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from assets.sources.reading.csv import csv_rows
from assets.sources.reading.json import json_items, object_of
from assets.sources.reading.json_streaming import json_members
from assets.sources.reading.values import Malformed, text_lines
from expectations.contracts import Refusal

REMEDY_ROW = "correct the row in the annotation file"
REMEDY_FILE = "restore the file from the release"

_T = TypeVar("_T")
_K = TypeVar("_K")


class RowReader:
    """Collects the refusals of one table while its rows are made.

    Attributes:
        table: Table the rows are for.
        refused: Refusals so far.
    """

    def __init__(self, table: str) -> None:
        self.table = table
        self.refused: list[Refusal] = []

    def reject(
        self,
        file: str,
        row: object,
        rule: str,
        value: object,
        message: str,
        remedy: str,
        recording_id: str | None = None,
    ) -> None:
        """Note one refusal."""
        self.refused.append(
            Refusal(
                file, row, rule, value, message, remedy,
                table=self.table, recording_id=recording_id,
            )
        )  # fmt: skip

    def unreadable(self, file: str, error: Malformed, recording_id: str | None = None) -> None:
        """Note a file that cannot be read."""
        said = f"file cannot be read: {error}"
        self.reject(file, None, "unreadable_file", error.value, said, REMEDY_FILE, recording_id)

    def make(
        self, file: str, row: object, make: Callable[[], dict], recording_id: str | None = None
    ) -> dict | None:
        """What `make` gives; None, and a refusal, where it raises `Malformed`."""
        try:
            return make()
        except Malformed as error:
            said = f"row cannot be read: {error}"
            self.reject(file, row, "unreadable_row", error.value, said, REMEDY_ROW, recording_id)
            return None

    def keep_first(
        self,
        kept: dict[_K, _T],
        key: _K,
        value: _T,
        *,
        file: str,
        row: object,
        recording_id: str | None = None,
    ) -> None:
        """Keep a value under a key, unless there is one: an equal one is dropped, another refused."""
        if kept.setdefault(key, value) != value:
            self.reject(
                file, row, "contradicting_row", value,
                f"a row before says something else of {key}; the first is used",
                "remove one of the rows", recording_id,
            )  # fmt: skip

    def csv(
        self,
        file: str,
        data: bytes,
        required: tuple[str, ...],
        make: Callable[[Mapping[str, str]], dict],
        recording_of: Callable[[Mapping[str, str]], str | None] = lambda _: None,
        *,
        may_be_empty: bool = False,
        delimiter: str = ",",
    ) -> Iterator[tuple[int, dict]]:
        """Rows of a CSV file with the line they start on (see `csv_rows`)."""
        try:
            found = csv_rows(data, required, may_be_empty=may_be_empty, delimiter=delimiter)
            for line, values in found:
                uid = None if isinstance(values, Malformed) else recording_of(values)
                row = self.make(file, line, lambda v=values: make(_usable(v)), uid)
                if row is not None:
                    yield line, row
        except Malformed as error:
            self.unreadable(file, error)

    def lines(
        self,
        file: str,
        data: bytes,
        make: Callable[[str], dict],
        recording_id: str | None = None,
    ) -> Iterator[tuple[int, dict]]:
        """What `make` gives of lines of a text file, with their number (see `text_lines`)."""
        try:
            for at, line in text_lines(data):
                row = self.make(file, at, lambda t=line: make(_usable(t)), recording_id)
                if row is not None:
                    yield at, row
        except Malformed as error:
            self.unreadable(file, error, recording_id)

    def json(
        self,
        file: str,
        data: bytes,
        make: Callable[[object], dict],
        recording_id: str | None = None,
    ) -> Iterator[tuple[int, dict]]:
        """Rows of a JSON list with their index (see `json_items`)."""
        try:
            for at, item in json_items(data):
                row = self.make(file, at, lambda i=item: make(_usable(i)), recording_id)
                if row is not None:
                    yield at, row
        except Malformed as error:
            self.unreadable(file, error, recording_id)

    def large_json(
        self,
        file: str,
        pieces: Iterable[bytes],
        path: Sequence[str],
        make: Callable[[int | str, Any], dict],
        recording_id: str | None = None,
        *,
        may_be_empty: bool = False,
    ) -> Iterator[dict]:
        """What `make(index or key, member)` gives of members of a large document (`json_members`).

        What is wrong with one member is reported for it alone; where the document ends early, what was
        read before stays.
        """
        try:
            for at, item in json_members(pieces, path, may_be_empty=may_be_empty):
                row = self.make(file, at, lambda a=at, i=item: make(a, _usable(i)), recording_id)
                if row is not None:
                    yield row
        except Malformed as error:
            self.unreadable(file, error, recording_id)

    def json_object(
        self,
        file: str,
        data: bytes,
        make: Callable[[str, Any], dict],
    ) -> Iterator[dict]:
        """What `make` gives of each member of a JSON object; a file that holds none is refused."""
        try:
            document = object_of(data)
        except Malformed as error:
            self.unreadable(file, error)
            return
        for name, item in document.items():
            row = self.make(file, name, lambda n=name, i=item: make(n, i))
            if row is not None:
                yield row


def _usable(value: _T | Malformed) -> _T:
    if isinstance(value, Malformed):
        raise value
    return value
