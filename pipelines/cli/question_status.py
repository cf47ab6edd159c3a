"""How many questions each recipe has of a source, or why it has none."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from assets.questions.kit.builder import Builder, Need, Tables, builders
from assets.questions.kit.needs import rows_of
from assets.questions.stage import STAGE as QUESTIONS
from assets.questions.stage import configured_builders, split_unit
from expectations.gates.judging import published
from expectations.gates.registry import gates
from expectations.schemas import TABLES
from resources.config import Settings
from resources.store.ledger import read_ledger
from resources.store.tables import TableStore

_SHOWN_GATES = 3
_READ = rows_of("recordings", "nothing is read yet")


def question_lines(settings: Settings, source: str) -> Iterator[str]:
    """A line per recipe of the benchmarks that use a source, and one about the other benchmarks.

    Args:
        settings: Configuration.
        source: A source of recordings.
    """
    configured = [b for b in sorted(settings.benchmarks) if source in settings.sources_of(b)]
    for benchmark, recipe, outcome in outcomes(settings, source):
        yield f"    {benchmark}, {recipe}: {outcome}"
    others = sorted(
        {b.benchmark for b in builders(settings.plugins, settings.home).values()} - set(configured)
    )
    if others:
        yield (
            f"    no questions of {', '.join(others)}: `sources` of"
            f" {'these benchmarks does' if len(others) > 1 else 'this benchmark does'} not name it"
        )


def outcomes(settings: Settings, source: str) -> Iterator[tuple[str, str, str]]:
    """How many questions each recipe has of a source, or why it has none.

    Args:
        settings: Configuration.
        source: A source of recordings.

    Returns:
        Benchmark, recipe and outcome in words, of each benchmark that uses the source.
    """
    tables = _Tables(settings.store, source)
    for benchmark in sorted(settings.benchmarks):
        if source in settings.sources_of(benchmark):
            for recipe, builder in configured_builders(settings, benchmark).items():
                yield benchmark, recipe, _outcome(settings, tables, builder)


def _outcome(settings: Settings, tables: _Tables, builder: Builder) -> str:
    questions = _rows(settings.store, "questions", builder, tables.source)
    if questions.height:
        return _counted(settings.store, builder, questions, tables.source)
    if _READ.missing(tables.of(_READ)) is not None:
        return "no question: nothing is read yet"
    for need in builder.needs:
        why = need.missing(tables.of(need))
        if why is not None:
            return f"no question: {why}"
    if not _is_computed(settings.store, builder, tables.source):
        return "not computed yet: run `parallax run`"
    return f"no question: nothing meets its limits ({builder.limits})"


def _counted(store: TableStore, builder: Builder, questions: pl.DataFrame, source: str) -> str:
    subtasks = dict(questions.group_by("subtask").len().iter_rows())
    count = f"{questions.height} question{'' if questions.height == 1 else 's'}"
    lacking = [name for name in builder.subtasks if name not in subtasks]
    if lacking:
        count += f" (none of {', '.join(lacking)})"
    verdicts = _rows(store, "question_gates", builder, source)
    if verdicts.is_empty():
        return f"{count}, not judged yet"
    kept = published(questions, verdicts).height
    if kept:
        absent = questions.filter(~pl.col("media_present")).height
        lacking_media = (
            f", {absent} without their media here: no frame can be sent" if absent else ""
        )
        return f"{count}, {kept} published{lacking_media}"
    # What keeps a question back: a refusal, or a mandatory gate that could not tell.
    mandatory = [g.name for g in gates().values() if g.mandatory and not g.per_protocol]
    refused = verdicts.filter(
        (pl.col("verdict") == "refuse")
        | (
            (pl.col("verdict") == "unknown")
            & (pl.col("rule") != "not_well_formed")
            & pl.col("gate").is_in(mandatory)
        )
    )
    by_gate = refused.group_by("gate").agg(pl.col("question_id").n_unique().alias("n"))
    named = ", ".join(
        f"{gate} {n}"
        for gate, n in by_gate.sort(["n", "gate"], descending=[True, False])
        .head(_SHOWN_GATES)
        .iter_rows()
    )
    return f"{count}, none published: refused by {named}"


def _rows(store: TableStore, table: str, builder: Builder, source: str) -> pl.DataFrame:
    """Rows of a recipe and source in a table of questions, without what only readers see."""
    heavy = {"text", "media", "rationale", "detailed_answer", "evidence", "options", "message"}
    columns = [name for name in TABLES[table].schema if name not in heavy]
    rows = store.scan(TABLES[table], builder.benchmark, columns=columns)
    prefix = f"{source}/{builder.recipe}/"
    return rows.filter(pl.col("pool").str.starts_with(prefix)).collect()


def _is_computed(store: TableStore, builder: Builder, source: str) -> bool:
    units = read_ledger(store, QUESTIONS.name, builder.benchmark)
    return any(split_unit(unit)[:2] == (source, builder.recipe) for unit in units)


class _Tables:
    """Columns of a source's tables, each read once."""

    def __init__(self, store: TableStore, source: str) -> None:
        self.store, self.source = store, source
        self._read: dict[tuple[str, tuple[str, ...], int | None], pl.DataFrame] = {}

    def of(self, need: Need) -> Tables:
        """What a need looks at."""
        columns_by_table = {}
        for name, columns in need.reads.items():
            key = (name, columns, need.rows)
            if key not in self._read:
                rows = self.store.scan(TABLES[name], self.source, columns=columns)
                self._read[key] = (rows if need.rows is None else rows.head(need.rows)).collect()
            columns_by_table[name] = self._read[key]
        return columns_by_table
