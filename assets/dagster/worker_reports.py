"""Reports of processes that a step starts: their log lines appear in the step's, by Dagster Pipes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import dagster as dg

from resources.models.engines.worker_reports import Channel


def pipes_channel(context: dg.AssetExecutionContext) -> Channel:
    """A channel into the log of a step, for `resources.models.engines.worker_reports.reporting_to`.

    Args:
        context: Context of the step.
    """

    @contextmanager
    def channel(about: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
        with dg.open_pipes_session(
            context=context,
            context_injector=dg.PipesEnvContextInjector(),
            message_reader=dg.PipesTempFileMessageReader(),
            extras=dict(about),
        ) as session:
            yield session.get_bootstrap_env_vars()

    return channel
