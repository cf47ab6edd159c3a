"""The money a run may spend, reserved before each call is made.

A call is reserved with the most that it may cost, and settled with what it did cost. It is refused where
all that was spent and is reserved would pass the budget with it. So a budget is never passed, however many
calls are under way, as long as no call costs more than was reserved for it. Until a first reply shows what
calls of its kind cost, one call is under way at a time: if it costs more than anybody stated, that is learned
once, and not by all that would be under way.
"""

from __future__ import annotations

import threading

from resources.models.base import EngineUnavailableError


class BudgetReachedError(EngineUnavailableError):
    """The next call might pass the budget of its run; everything that was answered is stored.

    Attributes:
        sentence: What happened, without what is left to do.
    """

    def __init__(self, sentence: str, left: str = "") -> None:
        super().__init__(f"{sentence}{left and f'; {left}'}; raise `budget` and run again to go on")
        self.sentence = sentence

    def with_left(self, left: str) -> BudgetReachedError:
        """The same, saying what is left to do."""
        return BudgetReachedError(self.sentence, left)


class Budget:
    """Money of one run; threads share it.

    Args:
        limit: Most that may be spent, in dollars.
        spent: What was spent before.
    """

    def __init__(self, limit: float, spent: float = 0.0) -> None:
        self.limit = limit
        self._spent = spent
        self._reserved: dict[str, float] = {}
        self._lock = threading.Lock()

    @property
    def spent(self) -> float:
        """Dollars spent, without what is reserved."""
        return self._spent

    def reserve(self, call_key: str, dollars: float) -> bool:
        """Set money aside for a call.

        Args:
            call_key: The call.
            dollars: The most that all its attempts may cost, those made included; what is set aside for
                it already counts towards it.

        Returns:
            Whether there is enough; if not, the next attempt must not be made.
        """
        with self._lock:
            before = self._reserved.get(call_key, 0.0)
            if dollars <= before:
                return True
            if self._spent + sum(self._reserved.values()) - before + dollars > self.limit:
                return False
            self._reserved[call_key] = dollars
            return True

    def holds(self, call_key: str) -> bool:
        """Whether anything is set aside for a call."""
        return call_key in self._reserved

    def reserve_alone(self, call_key: str, dollars: float) -> bool:
        """Set everything that is left aside for a call, so that no other is made beside it.

        Args:
            call_key: The call.
            dollars: The most that it may cost.

        Returns:
            Whether there is enough and nothing else is set aside; if not, it must not be made yet.
        """
        with self._lock:
            left = self.limit - self._spent
            if self._reserved or dollars > left:
                return False
            self._reserved[call_key] = left
            return True

    def settle(self, call_key: str, dollars: float) -> None:
        """Replace what is set aside for a call by what it cost.

        Args:
            call_key: The call, whether or not anything is set aside for it.
            dollars: What all its attempts cost.
        """
        with self._lock:
            self._reserved.pop(call_key, None)
            self._spent += dollars
