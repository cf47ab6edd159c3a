"""When to stop asking a server that fails."""

from __future__ import annotations

import threading

REMEDY = "start it or correct the run"
"""What a person is to do about a server that is asked no more, where nothing else is known to help."""


class Breaker:
    """Counts calls that a server failed in a row, and says when to stop; threads share it.

    Args:
        limit: Calls in a row after which the server is asked no more.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self.failures = 0
        self.reason = ""
        self.remedy = REMEDY

    @property
    def is_open(self) -> bool:
        """Whether the server is asked no more."""
        return self._stopped.is_set()

    def resume(self) -> None:
        """Ask again after a pause; failures in a row are still counted where none tripped it."""
        with self._lock:
            if self.reason:
                self.failures, self.reason, self.remedy = 0, "", REMEDY
            self._stopped.clear()

    def pause(self) -> None:
        """Stop for now, for a reason that is not the server's."""
        self._stopped.set()

    def succeeded(self) -> None:
        """A call was answered."""
        with self._lock:
            if not self._stopped.is_set():
                self.failures = 0

    def failed(self, reason: str) -> None:
        """A call failed, and the server may be at fault.

        Args:
            reason: What went wrong, for the sentence that tells why it is asked no more.
        """
        with self._lock:
            self.failures += 1
            if self.failures >= self._limit and not self._stopped.is_set():
                self.reason = f"failed {self.failures} calls in a row (last: {reason})"
                self._stopped.set()

    def trip(self, reason: str, remedy: str = REMEDY) -> None:
        """Stop at once: nothing more is to be had.

        Args:
            reason: What went wrong, for the sentence that tells why it is asked no more.
            remedy: What a person is to do about it.
        """
        with self._lock:
            if not self._stopped.is_set():
                self.reason, self.remedy = reason, remedy
                self._stopped.set()

    def sleep(self, seconds: float) -> bool:
        """Wait between two attempts; whether the server may still be asked afterwards."""
        return not self._stopped.wait(seconds)
