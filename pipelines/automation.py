"""Automation: changed files start their source's stages; what follows is started by content."""

from collections.abc import Iterable, Iterator

import dagster as dg
from dagster._core.storage.tags import PARTITION_NAME_TAG

from assets.sources.stage import changed_files, layout_of, root_of
from assets.stage import Stage
from expectations.checks.keys import asset_key
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from resources.config import load_settings

SECONDS = 15


def source_sensor(stages: tuple[Stage, ...]) -> dg.SensorDefinition:
    """A sensor that compares file sets by content.

    A file that was only touched is hashed and found equal: nothing is started. A root that cannot
    be listed fails the tick, which shows in the UI, and deletes nothing.
    """
    of_sources = [stage for stage in stages if stage.partition == "source"]

    def assets(tables: Iterable[str]) -> list[dg.AssetKey]:
        return [asset_key(table) for table in tables]

    @dg.sensor(
        name="changed_files",
        asset_selection=assets(table for stage in of_sources for table in stage.tables),
        minimum_interval_seconds=SECONDS,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Starts a source's stages when the content of its files changed.",
    )
    def changed(context: dg.SensorEvaluationContext) -> Iterator[dg.RunRequest | dg.SkipReason]:
        settings = load_settings()
        quiet = True
        for name in sorted(settings.sources):
            declared = layout_of(settings, name)
            files = changed_files(settings.store, name, declared, root_of(settings, name))
            if not files:
                continue
            quiet = False
            context.log.info(f"{name}: {len(files)} files changed, first {next(iter(files))}")
            yield dg.RunRequest(
                # With the listing's version in it, going back to earlier content is a new key.
                run_key=digest(
                    [
                        name,
                        str(settings.store.version(TABLES["files"])),
                        *(f"{p}={c}" for p, c in files.items()),
                    ]
                ),
                asset_selection=assets(
                    table for stage in of_sources for table in stage.tables_of(settings, name)
                ),
                # By tag: the tables of a source do not all have the same partitions.
                tags={PARTITION_NAME_TAG: name, "parallax/reason": f"{len(files)} files changed"},
            )
        if quiet:
            yield dg.SkipReason("no file's content changed")

    return changed


def condition_sensor() -> dg.AutomationConditionSensorDefinition:
    """The sensor that evaluates the assets' automation conditions."""
    return dg.AutomationConditionSensorDefinition(
        "changed_content",
        target=dg.AssetSelection.all(),
        minimum_interval_seconds=SECONDS,
        default_status=dg.DefaultSensorStatus.RUNNING,
    )
