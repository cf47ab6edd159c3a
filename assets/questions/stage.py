"""Questions of a benchmark: one unit per source, recipe and unit of that recipe's builder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from assets.benchmarks import about, published_counts
from assets.options import Options, Tell
from assets.pairs.stage import POOLED
from assets.questions.expansion.choice import accepted, expanded, rewordings
from assets.questions.inputs import recordings_by_unit, unit_keys
from assets.questions.kit.builder import Builder, builders
from assets.questions.kit.funnel import counting, funnel_steps, funnel_totals
from assets.questions.model_steps.forms import Form
from assets.questions.model_steps.rewriting import rewritten
from assets.questions.model_steps.steps import (
    WritingStep,
    expanding_step,
    writing_step,
    writing_steps,
)
from assets.questions.model_steps.writing import write_questions
from assets.questions.released import released_builder
from assets.stage import Columns, Inputs, Stage, Unit, merge_reads, with_keys
from assets.step_models import StepModel
from assets.translations.in_use import in_use, with_translations, with_used
from expectations.checks.markdown import table
from expectations.schemas import TABLES
from expectations.schemas.core import Reads
from expectations.schemas.readings import STRICT, bare_recipe
from resources.config import Settings
from resources.models.runs import RunConfig
from resources.store.incremental import Output

REWORDED: Reads = {
    "wordings": ("wording_id", "recipes", "template", "wording", "status"),
    "wording_reviews": ("domain", "wording_id", "state", "verdict"),
}
"""What tells in which rewordings questions are asked."""
WRITTEN = "sound_in_the_writers_words"
"""Rule of a funnel where a model writes: its reply has to make a sound question."""
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

    A benchmark of released questions has the one that hands these on, whatever its name. Extensions count where
    the configuration lists them.
    """
    config = settings.benchmarks[benchmark]
    if config.released:
        builder = released_builder(benchmark)
        return {builder.recipe: builder}
    built = builders_of(benchmark, config.reading, settings.plugins, settings.home)
    return {
        recipe: builder
        for recipe, builder in built.items()
        if not builder.extension or bare_recipe(recipe) in config.extensions
    }


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
    reworded = REWORDED if expanding_step(benchmark) is not None else {}
    return merge_reads(_RECORDINGS, pools, reworded, *(builder_reads(builder) for builder in built))


def domains_of(settings: Settings, benchmark: str) -> dict[str, str]:
    """Domain of each source of a benchmark; the benchmark's name for a source of none."""
    declared = about(benchmark, settings.benchmark_folders).domains
    of_layout = {layout: name for name, layouts in declared.items() for layout in layouts}
    return {
        source: of_layout.get(settings.sources[source].layout, benchmark)
        for source in settings.sources_of(benchmark)
    }


class AcceptedRewordings:
    """Rewordings in which a benchmark's questions are asked, by recipe and source; none for most benchmarks.

    Args:
        inputs: Of a stage that reads `REWORDED` of the benchmark.
    """

    def __init__(self, inputs: Inputs) -> None:
        benchmark = inputs.partition
        self._domains: dict[str, str] = {}
        self._wordings, self._reviews = pl.DataFrame(), pl.DataFrame()
        if expanding_step(benchmark) is not None:
            self._domains = domains_of(inputs.settings, benchmark)
            inputs.stored_units("wordings")  # which raises where they were interrupted
            self._wordings, self._reviews = (
                inputs.read(table, REWORDED[table]) for table in REWORDED
            )

    def of(self, source: str, recipe: str) -> pl.DataFrame | None:
        """Columns `REWORDED` of `wordings`; None where the benchmark rewords nothing."""
        if source not in self._domains:
            return None
        return accepted(self._wordings, self._reviews, recipe, self._domains[source])


def _units(inputs: Inputs) -> Iterator[Unit]:
    """Units of every builder of the benchmark in every source."""
    settings, benchmark = inputs.settings, inputs.partition
    recipes = configured_builders(settings, benchmark)
    writer = _writer(settings, benchmark)
    reworded = AcceptedRewordings(inputs)
    for source in settings.sources_of(benchmark):
        for recipe, builder in recipes.items():
            reads = builder_reads(builder)
            words = reworded.of(source, recipe)
            asked_in = () if words is None or words.is_empty() else (repr(words.rows()),)
            step = None if writer is None else writing_step(benchmark, recipe)
            for unit, uids in recordings_by_unit(inputs, source, builder.unit).items():
                yield Unit(
                    unit_name(source, recipe, unit),
                    unit_keys(reads, unit, uids),
                    (
                        repr(_published(settings, benchmark, source, builder)),
                        *_written_by(step, writer),
                        *asked_in,
                    ),
                    reads=reads,
                    source=source,
                    code=(
                        builder.make,
                        funnel_steps,
                        *(() if step is None else (*step.functions, Form, rewritten)),
                        *((expanded,) if asked_in else ()),
                        *translating(inputs, reads, source, uids),
                    ),
                )


def _writer(
    settings: Settings, benchmark: str, options: Options | None = None, tell: Tell | None = None
) -> StepModel | None:
    """The model that writes questions of a benchmark; None where none is configured."""
    name = settings.benchmarks[benchmark].writer
    return StepModel(settings, name, options, tell, "a model writes questions") if name else None


def _written_by(step: WritingStep | None, writer: StepModel | None) -> tuple[str, ...]:
    """What decides the words of a unit's questions beside what is asked about."""
    if step is None or writer is None:
        return ()
    return (f"{step.form.identity} {step.rounds}", writer.identity(step.form))


def translating(inputs: Inputs, reads: Reads, source: str, uids: Iterable[str]) -> tuple[Any, ...]:
    """What chooses the narration in use, for recordings that have translations."""
    if "translations" not in reads:
        return ()
    translated = set(inputs.stored_units("translations", source))
    return () if translated.isdisjoint(uids) else (with_used,)


def _compute(
    inputs: Inputs, units: Sequence[Unit], options: Options, tell: Tell
) -> Iterator[Output]:
    settings, benchmark = inputs.settings, inputs.partition
    recipes = configured_builders(settings, benchmark)
    writer = _writer(settings, benchmark, options, tell)
    reworded = AcceptedRewordings(inputs)
    for batch in inputs.batches(units):
        for unit in batch.units:
            source, recipe, _ = split_unit(unit.name)
            builder = recipes[recipe]
            tables = in_use(batch.of(unit))
            with counting() as refused:
                rows = builder.make(tables)
            words = reworded.of(source, recipe)
            if words is not None and words.height:
                rows = expanded(rows, rewordings(words))
            frames, is_open = {"questions": rows}, False
            step = None if writer is None else writing_step(benchmark, recipe)
            if step is not None and writer is not None:
                model = "" if rows.is_empty() else writer.label(step.form)
                made = write_questions(step, rows.to_dicts(), tables, writer.ask, model)
                frames = {
                    "question_steps": TABLES["question_steps"].frame(made.outcomes),
                    "questions": TABLES["questions"].frame(made.questions),
                }
                is_open = made.is_open
                refused[WRITTEN] = rows.height - frames["questions"].height
            frames["question_funnels"] = _funnel(
                settings, benchmark, source, builder, frames, refused
            )
            outputs = {name: _of_unit(name, frame, unit) for name, frame in frames.items()}
            yield Output([unit.name], outputs, lasting=not is_open)
    if writer is not None:
        writer.record_costs()


def _funnel(
    settings: Settings,
    benchmark: str,
    source: str,
    builder: Builder,
    frames: Mapping[str, pl.DataFrame],
    refused: Counter[str],
) -> pl.DataFrame:
    """Rows of `question_funnels` of a unit, its name left out; none where there was no candidate."""
    rules = (*builder.rules, WRITTEN) if "question_steps" in frames else builder.rules
    steps = funnel_steps(builder.recipe, rules, refused, frames["questions"].height)
    place = {
        "benchmark": benchmark,
        "source": source,
        "subtask": _funnel_subtask(builder),
        "recipe": builder.recipe,
        "published": _published(settings, benchmark, source, builder),
        "pool": "",
    }
    return TABLES["question_funnels"].frame(
        {**place, "step": step, "rule": rule, "refused": n, "left": left}
        for step, (rule, n, left) in enumerate(steps if steps[0][-1] else ())
    )


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


def _of_unit(table: str, rows: pl.DataFrame, unit: Unit) -> pl.DataFrame:
    return rows.with_columns(pool=pl.lit(unit.name)).sort(TABLES[table].key)


def _failed(settings: Settings, benchmark: str, options: Options | None, *, due: bool) -> list[str]:
    """Units of questions that are missing because a call failed; one that lacks several stands so often."""
    writer = _writer(settings, benchmark, options)
    forms = [step.form for step in writing_steps(benchmark)]
    if writer is None or not writer.failed_calls(forms, due=due):
        return []
    rows = settings.store.scan(TABLES["question_steps"], benchmark, columns=("pool", "status"))
    return rows.filter(pl.col("status") == "error").collect()["pool"].to_list()


def _due(inputs: Inputs, options: Options) -> Collection[str]:
    """Units whose model failed and is to be asked again, though nothing changed."""
    return set(_failed(inputs.settings, inputs.partition, options, due=True))


def failed_writing(settings: Settings, benchmark: str) -> int:
    """Questions of a benchmark that are missing because a call of their step failed."""
    return len(_failed(settings, benchmark, None, due=False))


def step_counts(settings: Settings, benchmark: str) -> list[tuple[str, str, str, int]]:
    """How many questions a model was asked to write: step, status, rule (may be empty) and number."""
    rows = settings.store.read(
        TABLES["question_steps"], benchmark, columns=("step", "status", "rule")
    )
    counts = Counter(
        (step, status, rule or "")
        for step, status, rule in rows.select("step", "status", "rule").iter_rows()
    )
    return [(*what, n) for what, n in sorted(counts.items())]


def _note(inputs: Inputs) -> str:
    """How many questions a model wrote, and what became of its other replies."""
    writer = inputs.settings.benchmarks[inputs.partition].writer
    if not writer:
        return ""
    parts = [
        f"{step}: {n} {status.replace('_', ' ')}" + (f" ({rule})" if rule else "")
        for step, status, rule, n in step_counts(inputs.settings, inputs.partition)
    ]
    return f"questions written by {writer}: {'; '.join(parts)}" if parts else ""


def _asks(settings: Settings) -> Iterator[RunConfig]:
    for benchmark in settings.benchmarks:
        writer = _writer(settings, benchmark)
        if writer is not None and writing_steps(benchmark):
            yield writer.run


STAGE = Stage(
    name="questions",
    group="questions",
    summary="Questions with ordered options, media, answer and evidence; gates judge each of them.",
    partition="benchmark",
    tables=("question_steps", "question_funnels", "questions"),
    reads=merge_reads(
        _RECORDINGS,
        {"pairs": ("pair_id",)},
        REWORDED,
        *(builder_reads(builder) for builder in builders().values()),
    ),
    configured_reads=_configured_reads,
    partition_reads=partition_reads,
    units=_units,
    compute=_compute,
    again=_due,
    adds_to=("calls", "costs"),
    asks=_asks,
    note=_note,
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
