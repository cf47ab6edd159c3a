"""Model calls of a piece of work: asked, failed, and answered from the log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(slots=True)
class CallCounts:
    """Numbers of model calls.

    Attributes:
        asked: Calls that reached a model, those that failed included.
        failed: Calls of these that failed.
        from_log: Prompts that were answered by a stored reply.
    """

    asked: int = 0
    failed: int = 0
    from_log: int = 0

    def __bool__(self) -> bool:
        return bool(self.asked or self.from_log)

    def add(self, other: CallCounts) -> None:
        """Add the numbers of other work."""
        self.asked += other.asked
        self.failed += other.failed
        self.from_log += other.from_log

    def sentence(self) -> str:
        """One phrase for people."""
        failed = f" ({self.failed} failed)" if self.failed else ""
        return f"{self.asked} calls asked{failed}, {self.from_log} answered from the log"


_COUNTED: ContextVar[CallCounts | None] = ContextVar("counted_calls", default=None)


@contextmanager
def counted_calls() -> Iterator[CallCounts]:
    """Count the calls that are made inside, also by code that knows nothing of it."""
    counts = CallCounts()
    outer = _COUNTED.set(counts)
    try:
        yield counts
    finally:
        _COUNTED.reset(outer)


def count_calls(asked: int = 0, failed: int = 0, from_log: int = 0) -> None:
    """Add to the counts of the work under way, where anybody counts."""
    counts = _COUNTED.get()
    if counts is not None:
        counts.add(CallCounts(asked, failed, from_log))
