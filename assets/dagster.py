"""Dagster assets from a stage: one per table, with schema, lineage, rows, previews and checks."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import dagster as dg

from assets.options import Options, Tell
from assets.progress import ProgressWriter
from assets.stage import Stage
from expectations.checks.markdown import table as markdown_table
from expectations.checks.results import contract_check, contract_spec
from expectations.schemas import TABLES, Table
from resources.config import Settings, load_settings
from resources.masking import mask_exception
from resources.store.incremental import Progress, Report
from resources.store.tables import TableStore

OWNER = "team:parallax"
PREVIEW_ROWS = 8
_LOG_EVERY_S = 10.0
PREVIEW_CHARS = 60
# What a table is about, shown on its node; others are plain tables.
KINDS: Mapping[str, str] = {
    "recordings": "video",
    "streams": "video",
    "frames": "video",
    "frame_stamps": "video",
    "images": "image",
    "annotated_frames": "image",
    "boxes": "image",
    "gaze_samples": "gaze",
    "gaze_rays": "gaze",
    "cameras": "3d",
    "camera_poses": "3d",
    "objects_3d": "3d",
    "hand_joints": "3d",
    "body_joints": "3d",
    "calibrations": "3d",
    "spatial_facts": "3d",
    "segments": "text",
    "labels": "text",
    "translations": "text",
    "relations": "graph",
    "graph_nodes": "graph",
    "graph_edges": "graph",
    "questions": "text",
    "question_gates": "gate",
    "calls": "model",
}

_CHANGED: dg.AutomationCondition = (
    dg.AutomationCondition.any_deps_match(dg.AutomationCondition.data_version_changed())
    | dg.AutomationCondition.missing()
    | dg.AutomationCondition.code_version_changed()
)
# Stops where content stops changing: a re-made table with an equal data version starts nothing.
AUTOMATION = (
    _CHANGED.since_last_handled()  # pyright: ignore[reportAttributeAccessIssue]
    & ~dg.AutomationCondition.in_progress()
    & ~dg.AutomationCondition.any_deps_in_progress()
)


class SettingsResource(dg.ConfigurableResource):
    """Configuration file of this installation, read when a step starts."""

    def load(self) -> Settings:
        """Settings as the file says now."""
        return load_settings()


class OptionsResource(dg.ConfigurableResource):
    """A person's choices for this run, and the file that stages report their progress to, if any."""

    recordings: list[str] = []
    subtasks: list[str] = []
    limit: int | None = None
    allow_deletes: bool = False
    retry_errors: bool = False
    progress: str = ""

    def options(self) -> Options:
        """The choices as stages take them."""
        return Options(
            tuple(self.recordings),
            tuple(self.subtasks),
            self.limit,
            self.allow_deletes,
            retry_errors=self.retry_errors,
        )


@dataclass(frozen=True)
class Partitions:
    """Partition definitions of one configuration, and how they map onto each other."""

    source: dg.StaticPartitionsDefinition
    benchmark: dg.StaticPartitionsDefinition
    evaluation: dg.StaticPartitionsDefinition
    maps: Mapping[tuple[str, str], dg.PartitionMapping]

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Partitions for everything that is configured, absent sources left out."""
        by_source: dict[str, set[str]] = {name: set() for name in settings.sources}
        for benchmark in settings.benchmarks.values():
            for source in benchmark.sources:
                if source in by_source:
                    by_source[source].add(benchmark.name)
        evaluations = settings.evaluations()
        by_benchmark = {
            name: {e for e in evaluations if e.partition(".")[0] == name}
            for name in settings.benchmarks
        }
        return cls(
            dg.StaticPartitionsDefinition(sorted(settings.sources)),
            dg.StaticPartitionsDefinition(sorted(settings.benchmarks)),
            dg.StaticPartitionsDefinition(evaluations),
            {
                ("source", "benchmark"): dg.StaticPartitionMapping(by_source),
                ("benchmark", "evaluation"): dg.StaticPartitionMapping(by_benchmark),
                ("evaluation", "benchmark"): dg.StaticPartitionMapping(
                    {key: key.partition(".")[0] for key in evaluations}
                ),
                # What people decided lies under another source than what they judged.
                ("reviews", "source"): dg.StaticPartitionMapping(
                    {
                        place: {s.name for s in settings.sources.values() if place in s.reviews}
                        for place in settings.sources
                    }
                ),
                ("source", "evaluation"): dg.StaticPartitionMapping(
                    {
                        source: {e for b in found for e in by_benchmark[b]}
                        for source, found in by_source.items()
                    }
                ),
            },
        )

    def of_kind(self, kind: str) -> dg.StaticPartitionsDefinition:
        """Partitions of a kind."""
        return getattr(self, kind)


def stage_assets(
    stage: Stage, partitions: Partitions, kinds: Mapping[str, str]
) -> dg.AssetsDefinition:
    """One multi-asset for a stage.

    Args:
        stage: The stage.
        partitions: Partition definitions.
        kinds: Partition kind of every table, for the mappings of dependencies.
    """
    parts = partitions.of_kind(stage.partition)
    specs = [
        dg.AssetSpec(
            name,
            deps=[dependency(dep, kinds[dep], stage.partition, partitions) for dep in stage.deps],
            description=_description(TABLES[name], stage),
            group_name=stage.group,
            owners=[OWNER],
            kinds={"deltalake", KINDS.get(name, "table")},
            tags=asset_tags(TABLES[name], stage),
            metadata=asset_metadata(TABLES[name], stage),
            automation_condition=AUTOMATION if stage.auto and stage.deps else None,
        )
        for name in stage.tables
    ]

    @dg.multi_asset(
        name=f"{stage.name}_stage",
        specs=specs,
        check_specs=[contract_spec(TABLES[name], parts) for name in stage.tables],
        partitions_def=parts,
        pool=stage.pool,
        description=stage.summary,
    )
    def run(
        context: dg.AssetExecutionContext, settings: SettingsResource, options: OptionsResource
    ) -> Iterator[dg.MaterializeResult]:
        loaded = settings.load()
        partition = context.partition_key
        chosen = options.options()
        if _is_automatic(context):
            # Engines with a price are asked by a person, or where their run says so.
            asks = stage.partition == "evaluation"
            auto = asks and loaded.runs[partition.partition(".")[2]].auto
            chosen = replace(chosen, ask=auto)
        writer = ProgressWriter(options.progress)
        told = _teller(context, writer.tell(stage.name, partition))
        try:
            reports = stage.refresh(loaded, partition, chosen, told)
        except Exception as error:
            # What is raised here is stored with the run and shown in the UI.
            mask_exception(error)
            raise
        for report in reports:
            context.log.info(report.sentence())
            writer.finished(report)
        for name in stage.tables:
            yield _result(loaded, stage, TABLES[name], partition, reports)

    return run


def dependency(name: str, upstream: str, downstream: str, partitions: Partitions) -> dg.AssetDep:
    """Dependency of an asset on an earlier table, with the partitions that belong together.

    Args:
        name: The table.
        upstream: Its kind of partitions.
        downstream: The asset's kind of partitions.
        partitions: Partition definitions.
    """
    own = partitions.maps.get((name, downstream))
    if own is not None:
        return dg.AssetDep(name, partition_mapping=own)
    if upstream == downstream:
        return dg.AssetDep(name)
    return dg.AssetDep(name, partition_mapping=partitions.maps[upstream, downstream])


def _is_automatic(context: dg.AssetExecutionContext) -> bool:
    return "dagster/from_automation_condition" in context.run.tags


def _result(
    settings: Settings,
    stage: Stage,
    table: Table,
    partition: str,
    reports: Sequence[Report],
) -> dg.MaterializeResult:
    mine = [r for r in reports if any(table.name in e.tables for e in r.entries.values())]
    check = contract_check(settings.store, table, partition, reports)
    metadata: dict[str, Any] = {
        "dagster/partition_row_count": settings.store.n_rows(table, partition),
        "dagster/column_lineage": column_lineage(table, stage),
        "preview": dg.MetadataValue.md(preview(settings.store, table, partition)),
        "location": settings.store.location(table),
    }
    if table.name in stage.plots:
        drawn = stage.plots[table.name](settings.store.read(table, partition))
        metadata |= {title: dg.MetadataValue.md(said) for title, said in drawn.items()}
    for report in mine:
        metadata["did"] = report.sentence()
    return dg.MaterializeResult(
        asset_key=table.name,
        data_version=dg.DataVersion(stage.data_version(settings.store, table.name, partition)),
        metadata=metadata,
        check_results=[check],
    )


def _teller(context: dg.AssetExecutionContext, written: Tell) -> Tell:
    """Progress callbacks that log to Dagster, a line every now and then, and write all they are told."""

    def told(step: str) -> Progress:
        write = written(step)
        logged = time.monotonic()

        def progress(done: int, total: int, last: str) -> None:
            nonlocal logged
            write(done, total, last)
            if time.monotonic() - logged >= _LOG_EVERY_S:
                logged = time.monotonic()
                context.log.info(f"{step}: {done} of {total} ({last})")

        return progress

    return told


def _description(table: Table, stage: Stage) -> str:
    return f"One row per {table.row}. {stage.summary}"


def asset_tags(table: Table, stage: Stage) -> dict[str, str]:
    """Tags to search the graph by: the stage, how it is cut, and whether rows are only added."""
    return {
        "parallax/stage": stage.group,
        "parallax/partitions": stage.partition,
        "parallax/unit": table.unit,
        "parallax/append_only": "yes" if table.append_only else "no",
    }


def asset_metadata(table: Table, stage: Stage) -> dict[str, Any]:
    """What is known of a table before any row is made: its columns, key and rules."""
    rules = "\n".join(f"- `{r.name}`: {r.message}" for r in table.rules)
    return {
        "dagster/column_schema": column_schema(table),
        "dagster/column_lineage": column_lineage(table, stage),
        "dagster/table_name": table.name,
        "key": ", ".join(table.key),
        "rules": dg.MetadataValue.md(rules or "what the columns state, no more"),
    }


def column_schema(table: Table) -> dg.TableSchema:
    """A table's declaration as Dagster's column schema."""
    return dg.TableSchema(
        columns=[
            dg.TableColumn(
                c.name,
                type=str(c.dtype),
                description=f"{c.meaning}" + (f" [{c.unit}]" if c.unit else ""),
                constraints=dg.TableColumnConstraints(
                    nullable=c.nullable,
                    unique=table.key == (c.name,),
                    other=[
                        *(f"one of {v}" for v in [c.one_of] if v),
                        *(f"in {c.refers_to}" for _ in [0] if c.refers_to),
                    ],
                ),
                tags={"volatile": ""} if c.volatile else {},
            )
            for c in table.columns
        ]
    )


def column_lineage(table: Table, stage: Stage) -> dg.TableColumnLineage:
    """Columns that a table's columns derive from, for Dagster."""
    return dg.TableColumnLineage(
        {
            column: [dg.TableColumnDep(dg.AssetKey(name), origin) for name, origin in origins]
            for column, origins in stage.column_origins(table.name).items()
        }
    )


def preview(store: TableStore, table: Table, partition: str) -> str:
    """First rows as a Markdown table; text from data is escaped."""
    rows = store.scan(table, partition).head(PREVIEW_ROWS).collect()
    if rows.is_empty():
        return "no rows"
    return markdown_table(rows.columns, rows.iter_rows(named=True), PREVIEW_ROWS, PREVIEW_CHARS)
