"""Automation: changed files start their source's stages; what follows is started by content."""

from collections.abc import Iterator

import dagster as dg

from assets.sources.stage import changed_files, layout_of, root_of
from assets.stage import Stage
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from resources.config import load_settings

SECONDS = 15


def source_sensor(stages: tuple[Stage, ...]) -> dg.SensorDefinition:
    """A sensor that compares file sets by content.

    A file that was only touched is hashed and found equal: nothing is started. A root that cannot
    be listed fails the tick, which shows in the UI, and deletes nothing.
    """
    tables = [dg.AssetKey(t) for s in stages if s.partition == "source" for t in s.tables]

    @dg.sensor(
        name="changed_files",
        asset_selection=tables,
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
                partition_key=name,
                asset_selection=tables,
                tags={"parallax/reason": f"{len(files)} files changed"},
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
