"""Which models the work under way may ask: the last look before a call, whoever makes it.

A stage asks for leave before it asks a model, and does without where it gets none. One that forgets to ask for
leave ends here, before it costs anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from resources.models.runs import RunConfig

_MAY_ASK: ContextVar[Callable[[RunConfig], bool] | None] = ContextVar("may_ask", default=None)


class NotPermittedError(RuntimeError):
    """A model was about to be asked that the work under way may not ask."""


@contextmanager
def asking_only(may_ask: Callable[[RunConfig], bool]) -> Iterator[None]:
    """Let only some models be asked inside.

    Args:
        may_ask: Whether a model may be asked.
    """
    outer = _MAY_ASK.set(may_ask)
    try:
        yield
    finally:
        _MAY_ASK.reset(outer)


def require_permission(run: RunConfig) -> None:
    """Check that a model may be asked.

    Raises:
        NotPermittedError: It may not.
    """
    may_ask = _MAY_ASK.get()
    if may_ask is not None and not may_ask(run):
        raise NotPermittedError(
            f"{run.name} may not be asked by a run that automation started; no call was made"
        )
