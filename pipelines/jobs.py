"""Jobs that a person starts by name in the Dagster UI, and an example of a schedule.

They do what `parallax run` does: compare first, and launch a run for each partition that is out of date.
Started by a schedule or a sensor they ask no model that may cost money, unless it says so (see `Options.may_ask`).
"""

import re
from collections.abc import Callable, Iterable, Iterator

import dagster as dg

from assets.dagster import OptionsResource, SettingsResource
from assets.options import Options
from pipelines.errors import sentence
from pipelines.run.invocation import name_invocation
from pipelines.run.progress import Display, LogLines
from resources.config import Settings
from resources.masking import mask_exception

EVERY_NIGHT = "0 3 * * *"
Update = Callable[[Settings, Options, Display], object]


def jobs(settings: Settings) -> Iterator[dg.JobDefinition]:
    """`refresh_sources`, and `benchmark_<name>` for each configured benchmark."""
    yield _job("refresh_sources", "Reads what changed in the files of every source.", _sources)
    for job, name in _job_names(settings.benchmarks).items():
        yield _job(
            job,
            f"Brings {name} up to date from its sources to its report, and asks the models that its "
            "runs are configured to ask. Started by a schedule it asks only those with `auto = true`.",
            _benchmark(name),
        )


def _job_names(benchmarks: Iterable[str]) -> dict[str, str]:
    """Benchmarks by the name of their job, which may hold letters, digits and `_` alone."""
    named: dict[str, str] = {}
    for benchmark in benchmarks:
        name = base = f"benchmark_{re.sub('[^A-Za-z0-9_]', '_', benchmark)}"
        number = 1
        while name in named:
            number += 1
            name = f"{base}_{number}"
        named[name] = benchmark
    return named


def schedules(defined: list[dg.JobDefinition]) -> list[dg.ScheduleDefinition]:
    """An example, switched off until somebody switches it on: sources are refreshed every night.

    Args:
        defined: Jobs of the configuration.
    """
    return [
        dg.ScheduleDefinition(
            name="refresh_sources_every_night",
            job=job,
            cron_schedule=EVERY_NIGHT,
            default_status=dg.DefaultScheduleStatus.STOPPED,
            description="An example: for roots that are filled by others, where no sensor watches.",
        )
        for job in defined
        if job.name == "refresh_sources"
    ]


def _job(name: str, about: str, update: Update) -> dg.JobDefinition:
    """A job with one step, which launches the runs of the partitions that are out of date."""

    @dg.op(name=f"update_for_{name}", description=about)
    def launch(
        context: dg.OpExecutionContext, settings: SettingsResource, options: OptionsResource
    ) -> None:
        name_invocation(f"job {name}, {context.run_id[:8]}")
        try:
            # Runs that are launched here have none of this run's tags: the options tell them who started it.
            chosen = options.options(context.run.tags)
            update(settings.load(), chosen, LogLines(context.log.info))
        except Exception as error:
            expected = sentence(error)
            if expected is None:
                mask_exception(error)
                raise
            # The run of the partition has the log; here the sentence is enough.
            raise dg.Failure(expected, allow_retries=False) from None

    @dg.job(name=name, description=about, executor_def=dg.in_process_executor)
    def job() -> None:
        launch()

    return job


def _sources(settings: Settings, options: Options, display: Display) -> object:
    # Imported late: it imports the definitions, which hold these jobs.
    from pipelines.run.orchestrate import update_sources
    from pipelines.run.side_by_side import default_workers

    return update_sources(settings, options, display, default_workers())


def _benchmark(name: str) -> Update:
    def update(settings: Settings, options: Options, display: Display) -> object:
        from pipelines.run.orchestrate import update as update_scope
        from pipelines.run.side_by_side import default_workers
        from pipelines.run.steps import Scope

        return update_scope(
            settings, Scope(benchmarks=(name,)), options, display, default_workers()
        )

    return update
