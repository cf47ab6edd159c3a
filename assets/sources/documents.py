"""Files that several parts of a layout read, parsed once per ingest.

A list of takes names recordings, and places segments, gaze and splits. Its layout declares one
`Document`; each part asks for it by `PartFiles.document`, and the first one to ask parses it. What is
wrong with the files is recorded by the one part that passes its `RowReader` along.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from assets.sources.reading.row_reader import RowReader
from expectations.contracts import Refusal

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Document(Generic[T]):
    """Files with one meaning, and the function that parses them.

    Attributes:
        table: Table its refusals are for.
        files: Pattern of whole paths under the root.
        parse: Pure function from content by path, ascending, to a value that no part changes; what
            it cannot read it rejects. It is also called where none of the files is there.
    """

    table: str
    files: str
    parse: Callable[[Mapping[str, bytes], RowReader], T]


class Documents:
    """Parsed documents of one ingest; a file keeps its content as long as it lasts."""

    def __init__(self) -> None:
        self._parsed: dict[tuple[object, ...], tuple[Any, tuple[Refusal, ...]]] = {}

    def parsed(
        self, document: Document[T], files: Mapping[str, bytes]
    ) -> tuple[T, tuple[Refusal, ...]]:
        """Value and refusals of a document; parsed at the first call for these paths.

        Args:
            document: The document.
            files: Content by path; files of other documents are left out.
        """
        pattern = re.compile(document.files)
        mine = {path: data for path, data in files.items() if pattern.fullmatch(path)}
        key = (document, *mine)
        if key not in self._parsed:
            reader = RowReader(document.table)
            value = document.parse(mine, reader)
            self._parsed[key] = (value, tuple(reader.refused))
        return self._parsed[key]
