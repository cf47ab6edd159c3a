"""Questions of a benchmark: one unit per source, recipe and unit of that recipe's builder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import polars as pl

from assets.benchmarks import published_counts
from assets.pairs.stage import POOLED
from assets.questions.inputs import recordings_by_unit, unit_keys
from assets.questions.kit.builder import Builder, builders
from assets.questions.kit.funnel import counting, funnel_steps, funnel_totals
from assets.questions.released import released_builder
from assets.stage import Batch, Columns, Inputs, Stage, Unit, merge_reads, with_keys
from assets.translations.in_use import in_use, with_translations, with_used
from expectations.checks.markdown import table
from expectations.schemas import TABLES
from expectations.schemas.core import Reads
from expectations.schemas.readings import STRICT, bare_recipe
from resources.config import Settings
from resources.store.incremental import Output

_RECORDINGS: Reads = merge_reads(
    {"recordings": POOLED}, {"recordings": ("recording_id", "take_id")}
)


def builders_of(
    benchmark: str, reading: str = STRICT, plugins: tuple[str, ...] = (), home: Path | None = None
) -> dict[str, Builder]:
    """Builders of a benchmark's questions under a reading, by recipe, ascending."""
    known = builders(plugins, home).values()
    read = (b.under(reading) for b in known if b.benchmark == benchmark)
    return {b.recipe: b for b in sorted(read, key=lambda b: b.recipe)}


def configured_builders(settings: Settings, benchmark: str) -> dict[str, Builder]:
    """Builders of a benchmark under its configured reading, by recipe; plug-ins count too.

    A benchmark of released questions has the one that hands these on, whatever its name.
    """
    config = settings.benchmarks[benchmark]
    if config.released:
        builder = released_builder(benchmark)
        return {builder.recipe: builder}
    return builders_of(benchmark, config.reading, settings.plugins, settings.home)


def all_configured_builders(settings: Settings) -> list[Builder]:
    """Builders of all configured benchmarks, plug-ins included."""
    return [
        builder
        for benchmark in sorted(settings.benchmarks)
        for builder in configured_builders(settings, benchmark).values()
    ]


def unit_name(source: str, recipe: str, unit: str) -> str:
    """Unit of questions; also their `pool`. Only the last part may hold slashes."""
    return f"{source}/{recipe}/{unit}"


def split_unit(name: str) -> tuple[str, str, str]:
    """Source, recipe and unit of a unit's name."""
    source, recipe, unit = name.split("/", 2)
    return source, recipe, unit


def builder_reads(builder: Builder) -> dict[str, Columns]:
    """What a builder reads, with the keys of the tables and the translations of narrations."""
    return with_keys(with_translations(builder.reads))


def _configured_reads(settings: Settings) -> dict[str, Columns]:
    """What builders of plug-in benchmarks and of released questions read."""
    return merge_reads(*(builder_reads(builder) for builder in all_configured_builders(settings)))


def partition_reads(settings: Settings, benchmark: str) -> dict[str, Columns]:
    """What the builders of one benchmark read, and what its units are made of."""
    built = configured_builders(settings, benchmark).values()
    pools: Reads = {"pairs": ("pair_id",)} if any(b.unit == "pool" for b in built) else {}
    return merge_reads(_RECORDINGS, pools, *(builder_reads(builder) for builder in built))


def _units(inputs: Inputs) -> Iterator[Unit]:
    """Units of every builder of the benchmark in every source."""
    settings, benchmark = inputs.settings, inputs.partition
    recipes = configured_builders(settings, benchmark)
    for source in settings.sources_of(benchmark):
        for recipe, builder in recipes.items():
            reads = builder_reads(builder)
            for unit, uids in recordings_by_unit(inputs, source, builder.unit).items():
                yield Unit(
                    unit_name(source, recipe, unit),
                    unit_keys(reads, unit, uids),
                    reads=reads,
                    source=source,
                    parameters=(repr(_published(settings, benchmark, source, builder)),),
                    code=(builder.make, funnel_steps, *translating(inputs, reads, source, uids)),
                )


def translating(inputs: Inputs, reads: Reads, source: str, uids: Iterable[str]) -> tuple[Any, ...]:
    """What chooses the narration in use, for recordings that have translations."""
    if "translations" not in reads:
        return ()
    translated = set(inputs.stored_units("translations", source))
    return () if translated.isdisjoint(uids) else (with_used,)


def _make(batch: Batch) -> Iterator[Output]:
    benchmark = batch.partition
    recipes = configured_builders(batch.settings, benchmark)
    for unit in batch.units:
        source, recipe, _ = split_unit(unit.name)
        builder = recipes[recipe]
        with counting() as refused:
            rows = builder.make(in_use(batch.of(unit)))
        steps = funnel_steps(recipe, builder.rules, refused, rows.height)
        place = {
            "benchmark": benchmark,
            "source": source,
            "pool": unit.name,
            "subtask": _funnel_subtask(builder),
            "recipe": recipe,
            "published": _published(batch.settings, benchmark, source, builder),
        }
        funnel = TABLES["question_funnels"].frame(
            {**place, "step": step, "rule": rule, "refused": n, "left": left}
            for step, (rule, n, left) in enumerate(steps if steps[0][-1] else ())
        )
        tables = {
            "question_funnels": funnel,
            "questions": rows.with_columns(pool=pl.lit(unit.name)),
        }
        yield Output([unit.name], tables)


def _funnel_subtask(builder: Builder) -> str:
    """Subtask of a recipe's funnel; the recipe's name where it has several."""
    return builder.subtasks[0] if len(builder.subtasks) == 1 else bare_recipe(builder.recipe)


def _published(settings: Settings, benchmark: str, source: str, builder: Builder) -> int | None:
    """Questions that the paper has of a subtask from a source's dataset."""
    counts = published_counts(benchmark, settings.benchmark_folders)
    return counts.get((_funnel_subtask(builder), settings.sources[source].layout))


def _funnel_pictures(rows: pl.DataFrame) -> dict[str, str]:
    """Candidates that each rule leaves, beside the paper's questions, as Markdown."""
    totals = funnel_totals(rows).drop("step")
    shown = table(totals.columns, totals.iter_rows(named=True), totals.height)
    return {"candidates by rule": shown} if totals.height else {}


STAGE = Stage(
    name="questions",
    group="questions",
    summary="Questions with ordered options, media, answer and evidence; gates judge each of them.",
    partition="benchmark",
    tables=("questions", "question_funnels"),
    reads=merge_reads(
        _RECORDINGS,
        {"pairs": ("pair_id",)},
        *(builder_reads(builder) for builder in builders().values()),
    ),
    configured_reads=_configured_reads,
    partition_reads=partition_reads,
    units=_units,
    make=_make,
    plots={"question_funnels": _funnel_pictures},
    lineage={
        "questions": {
            "options": [
                ("pairs", "positive_segment_id"),
                ("pairs", "negative_segment_ids"),
                ("segments", "class_name"),
                ("boxes", "x_min"),
                ("spatial_facts", "sector"),
                ("graph_nodes", "name"),
            ],
            "media": [
                ("segments", "start_s"),
                ("segments", "end_s"),
                ("clocks", "offset_s"),
                ("spatial_facts", "t_s"),
                ("recordings", "media_hashes"),
            ],
            "answer": [
                ("pairs", "positive_segment_id"),
                ("segments", "segment_id"),
                ("boxes", "class_name"),
                ("spatial_facts", "value"),
                ("graph_edges", "to_node"),
            ],
            "question_id": [
                ("pairs", "query_segment_id"),
                ("pairs", "positive_recording_id"),
                ("segments", "segment_id"),
            ],
            "rationale": [("graph_edges", "relation"), ("graph_nodes", "boxes")],
            "evidence": [
                ("segments", "segment_id"),
                ("boxes", "box_id"),
                ("graph_edges", "edge_id"),
                ("spatial_facts", "fact_id"),
            ],
        },
    },
)
