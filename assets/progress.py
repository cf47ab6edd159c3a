"""What stages report while they work: lines of a file, which the process that shows them reads.

Stages run in processes of their own where partitions are updated side by side. A line is written at once and
whole, so that the lines of several processes do not mix, and one that is killed leaves whole lines behind.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from assets.options import Tell
from resources.store.incremental import Progress, Report

_EVERY_S = 0.2
"""A stage with a million units writes no million lines."""


@dataclass(frozen=True, slots=True)
class Moved:
    """How far a step of a stage has come.

    Attributes:
        stage: Name of the stage.
        partition: Its partition.
        step: What it does; a stage may do several things.
        done: Units done, those that were done before this run included.
        total: Units of the partition.
    """

    stage: str
    partition: str
    step: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Finished:
    """What a stage did in one partition.

    Attributes:
        stage: Name in the ledger.
        partition: The partition.
        sentence: All of it, in words.
        computed: Units computed.
        up_to_date: Units that were up to date.
        deleted: Units deleted.
        refused: Rows in quarantine.
        asked: Model calls.
        failed: Model calls of these that failed.
        from_log: Prompts answered by a stored reply.
    """

    stage: str
    partition: str
    sentence: str
    computed: int
    up_to_date: int
    deleted: int
    refused: int
    asked: int
    failed: int
    from_log: int

    @classmethod
    def of(cls, report: Report) -> Finished:
        """The numbers of a report."""
        return cls(
            report.stage,
            report.partition,
            report.sentence(),
            len(report.computed),
            report.fresh,
            len(report.deleted),
            report.refused,
            report.calls.asked,
            report.calls.failed,
            report.calls.from_log,
        )


_KINDS: Mapping[str, type[Moved] | type[Finished]] = {"moved": Moved, "finished": Finished}
_NAMES = {kind: name for name, kind in _KINDS.items()}


class ProgressWriter:
    """Writes what stages report into a file; several processes may write one file.

    Args:
        path: The file; empty to write nothing.
    """

    def __init__(self, path: str) -> None:
        self._path = path

    def tell(self, stage: str, partition: str) -> Tell:
        """Progress callbacks of a stage, by the step they are for."""

        def told(step: str) -> Progress:
            written = float("-inf")

            def progress(done: int, total: int, _last: str) -> None:
                nonlocal written
                now = time.monotonic()
                if now - written >= _EVERY_S or done >= total:
                    written = now
                    self._write(Moved(stage, partition, step, done, total))

            return progress

        return told

    def finished(self, report: Report) -> None:
        """Write what a stage did."""
        self._write(Finished.of(report))

    def _write(self, event: Moved | Finished) -> None:
        if not self._path:
            return
        line = json.dumps({"kind": _NAMES[type(event)], **asdict(event)}) + "\n"
        handle = os.open(self._path, os.O_WRONLY | os.O_APPEND)
        try:
            os.write(handle, line.encode())
        finally:
            os.close(handle)


class ProgressReader:
    """Reads a file of `ProgressWriter` from where it stopped reading.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._at = 0

    def read(self) -> Iterator[Moved | Finished]:
        """What was written since, in order; a line that is still being written is read next time."""
        with self._path.open("rb") as file:
            file.seek(self._at)
            for line in file:
                if not line.endswith(b"\n"):
                    return
                self._at += len(line)
                fields: dict[str, Any] = json.loads(line)
                yield _KINDS[fields.pop("kind")](**fields)
