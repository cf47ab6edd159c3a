"""Where a process that answers on behalf of a step reports to.

A stage knows nothing of Dagster. What runs a stage as a step of Dagster names here how a process that
the step starts reports back; outside of Dagster nothing is named, and the process keeps its reports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

Channel = Callable[[Mapping[str, str]], AbstractContextManager[Mapping[str, str]]]
"""Given what the process is started for, opens a channel and gives the variables of its environment."""

_CHANNEL: ContextVar[Channel | None] = ContextVar("worker_reports", default=None)


@contextmanager
def reporting_to(channel: Channel) -> Iterator[None]:
    """Within it, processes report to a channel."""
    token = _CHANNEL.set(channel)
    try:
        yield
    finally:
        _CHANNEL.reset(token)


@contextmanager
def open_channel(about: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
    """Variables for the environment of a process; none where nobody listens.

    Args:
        about: What the process is started for, for whoever reads its reports.
    """
    channel = _CHANNEL.get()
    if channel is None:
        yield {}
        return
    with channel(about) as variables:
        yield variables
