"""The files of one recording's folder, read one at a time: a bad file costs only what it holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from assets.sources.layout import PartFiles
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed
from expectations.contracts import Refusal

_T = TypeVar("_T")


class Folder:
    """Files of one recording by name inside its folder.

    Attributes:
        source: Name of the source.
        uid: Recording.
        home: The folder under the root.
        files: Content by name.
        refused: Refusals so far.
    """

    def __init__(self, part: PartFiles, home: str) -> None:
        if part.recording is None:
            raise ValueError("the part is read per recording")
        self.source = part.source
        self.uid = str(part.recording["recording_id"])
        self.home = home
        self.files = {path.removeprefix(f"{home}/"): data for path, data in part.files.items()}
        self.refused: list[Refusal] = []

    def read(
        self,
        name: str,
        table: str,
        make: Callable[[RowReader, str, bytes], _T],
        *,
        told: bool = True,
    ) -> _T | None:
        """What `make(reader, path, data)` gives; None where the file is absent or unreadable.

        Args:
            name: Name inside the folder.
            table: Table the refusals are of.
            make: Reader of the file.
            told: Whether refusals are kept; not, where another part tells them.
        """
        data = self.files.get(name)
        if data is None:
            return None
        reader, path = RowReader(table), f"{self.home}/{name}"
        try:
            return make(reader, path, data)
        except Malformed as error:
            reader.unreadable(path, error, self.uid)
            return None
        finally:
            if told:
                self.refused.extend(reader.refused)
