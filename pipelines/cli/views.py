"""What the command prints: scores, status, digests."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress

import polars as pl

from expectations.schemas import TABLES
from expectations.schemas.identity import digest, unit_hashes
from pipelines.cli.source_status import source_lines
from resources.config import Settings
from resources.store.kept_texts import drop_versions

_UNHASHED = {"ledger"}


def score_table(settings: Settings, evaluations: Collection[str]) -> str:
    """Scores of evaluations, one line per slice; a mean of one subtask says nothing more."""
    rows = settings.store.read(TABLES["scores"]).sort("benchmark", "run", "slice", "metric")
    key = pl.concat_str("benchmark", "run", separator=".")
    rows = rows.filter(key.is_in(sorted(evaluations)))
    means = pl.col("slice").is_in(["macro", "micro"])
    one_each = ~means & (pl.col("metric") == "accuracy")
    rows = rows.filter(~means | (one_each.sum().over("benchmark", "run") > 1))
    # A metric other than accuracy is named beside its slice.
    others = pl.concat_str("slice", pl.lit(": "), "metric")
    is_accuracy = pl.col("metric") == "accuracy"
    rows = rows.with_columns(slice=pl.when(is_accuracy).then("slice").otherwise(others))
    if rows.is_empty():
        return "no scores yet"
    names = ("benchmark", "run", "slice")
    widths = {name: 2 + max(len(name), *map(len, rows[name])) for name in names}
    lines = [
        "".join(f"{name:<{widths[name]}}" for name in names)
        + f"{'value':>9}  {'95 % interval':<16}{'chance':>7}{'effective':>10}{'n':>6}"
        f"{'unparsed':>9}{'failed':>7}"
    ]
    for row in rows.iter_rows(named=True):
        interval = (
            "-" if row["low"] is None else f"{100 * row['low']:.1f} to {100 * row['high']:.1f}"
        )
        value, chance, effective = (
            "-" if row[c] is None else f"{100 * row[c]:.1f}%"
            for c in ("value", "chance", "effective_chance")
        )
        withheld = row["n_withheld"] or 0
        if row["value"] is None and withheld:
            value = "withheld"
        failed = row["n_errors"]
        lines.append(
            "".join(f"{row[name]:<{widths[name]}}" for name in names)
            + f"{value:>9}  {interval:<16}{chance:>7}{effective:>10}{row['n']:>6}{row['n_unparsed']:>9}{failed:>7}"
            + (
                f"  {failed} of {row['n'] + withheld + failed} calls failed or could not be read"
                if failed
                else ""
            )
            + (f"  {withheld} replies to questions whose answer is withheld" if withheld else "")
        )
    return "\n".join(lines)


def status_text(settings: Settings) -> str:
    """Sources with what is listed, present, readable and used; then every table."""
    store = settings.store
    lines = [f"store: {store.url}", "", "sources"]
    for name in sorted(settings.sources):
        lines += source_lines(settings, name)
    lines += ["", "benchmarks"]
    for name, benchmark in sorted(settings.benchmarks.items()):
        absent = [s for s in benchmark.sources if s not in settings.sources]
        count = store.n_rows(TABLES["questions"], name)
        lines.append(f"  {name}: {count} questions from {', '.join(benchmark.sources)}")
        lines += [f"    source {s} is not configured: empty" for s in absent]
    lines += ["", "runs"]
    for key in settings.evaluations():
        lines.append(f"  {key}: {_replies(settings, key)}")
    lines += ["", "tables"]
    width = max(map(len, TABLES))
    for table in TABLES.values():
        count = store.n_rows(table)
        lines.append(f"  {table.name:<{width}}{count:>10} rows  (one per {table.row})")
    return "\n".join(lines)


def _replies(settings: Settings, key: str) -> str:
    """How many questions of an evaluation were asked, and what their replies are."""
    answers = settings.store.read(TABLES["answers"], key, columns=("question_id", "status"))
    if answers.is_empty():
        return "nothing asked yet"
    parsed, failed = (answers.filter(status=status).height for status in ("parsed", "error"))
    n_asked = answers["question_id"].n_unique()
    several = f" for {answers.height} replies" if n_asked < answers.height else ""
    unparsed = answers.height - parsed - failed
    text = f"{n_asked} asked{several}, {parsed} parsed, {unparsed} unparsed"
    if not failed:
        return text
    from assets.predictions.stage import failed_calls  # costs a tenth of the whole command

    failures = failed_calls(settings, key)
    return f"{text}; {failures.sentence() if failures else f'{failed} could not be asked'}"


def digest_lines(settings: Settings, by: str) -> Iterator[str]:
    """Digests of the stored rows, computed from the rows and not from the ledger.

    Args:
        settings: Configuration.
        by: `table`, `partition` or `unit`.

    Yields:
        Lines `table [partition [unit]] digest rows`; volatile columns are left out.
    """
    for table in TABLES.values():
        if table.name in _UNHASHED:
            continue
        parts = [
            (partition, unit, rows, digest(f"{c}={h}" for c, h in sorted(hashes.items())))
            for partition in settings.store.partitions(table)
            for unit, rows, hashes in unit_hashes(table, settings.store.read(table, partition))
        ]
        if by == "unit":
            for partition, unit, rows, content in parts:
                yield f"{table.name} {partition} {unit} {content} {rows}"
            continue
        groups: dict[str, list[tuple[str, int, str]]] = {}
        for partition, unit, rows, content in parts:
            group = partition if by == "partition" else ""
            groups.setdefault(group, []).append((f"{partition}/{unit}", rows, content))
        for group, units in sorted(groups.items()):
            total = digest(f"{unit}={content}" for unit, _, content in sorted(units))
            rows = sum(rows for _, rows, _ in units)
            yield " ".join(p for p in (table.name, group, total, str(rows)) if p)


def collect_garbage(settings: Settings, keep_hours: float) -> Iterator[str]:
    """Compact and vacuum every table; delete readings of narrations that no installed reader made."""
    store = settings.store
    for table in TABLES.values():
        for partition in store.partitions(table):
            with store.lock(f"gc.{table.name}.{partition}"):
                before, after = store.compact(table, partition)
            if before != after:
                yield f"{table.name} of {partition}: {before} files became {after}"
        deleted = store.vacuum(table, keep_hours)
        if deleted:
            yield f"{table.name}: {deleted} old files deleted"
    deleted = _drop_readings(settings)
    if deleted:
        yield f"{deleted} files of narrations read by other versions of the reader deleted"
    yield "done"


def _drop_readings(settings: Settings) -> int:
    """Delete readings by versions of the reader that are not installed; number of deleted files.

    Where none is installed, nothing is deleted: another machine that shares the store may have one.
    """
    from assets.labels.open.model import ParserUnavailableError
    from assets.labels.stage import READINGS, reader_version

    versions = set()
    for parser in {source.parser for source in settings.sources.values()}:
        with suppress(ParserUnavailableError):
            versions.add(reader_version(parser))
    return drop_versions(settings.store, READINGS, versions) if versions else 0
