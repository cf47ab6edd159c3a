"""Pages of documentation about the stages, from their declarations and those of their checks."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from assets.stage import Stage
from expectations.checks.results import Quality
from expectations.schemas import TABLES
from expectations.schemas.core import Reads

_PARTITIONS = {
    "source": "one source",
    "benchmark": "one benchmark",
    "evaluation": "one run on one benchmark",
}
_CONTRACT = "Every row keeps its table's contract; rows that do not are in `quarantine`."


def module(stage: Stage) -> str:
    """Path of the module that declares a stage, from the repository's root.

    Raises:
        ValueError: The stage names no function, so that nothing says where it is.
    """
    for function in (stage.units, stage.make, stage.compute):
        if function is not None:
            return function.__module__.replace(".", "/") + ".py"
    if stage.own is not None:
        return stage.own.refresh.__module__.replace(".", "/") + ".py"
    raise ValueError(f"stage {stage.name} names no function")


def index(stages: Sequence[Stage]) -> str:
    """Markdown of a page with all stages, in the order of the data."""
    rows = [
        f"| [{stage.name}]({stage.name}.md) | {stage.summary} | {_names(stage.tables)} |"
        for stage in stages
    ]
    return "\n".join(
        [
            "# Stages",
            "",
            "The steps of the graph, in the order of the data. A stage reads tables of the stages before it"
            " and writes its own; made from the declarations in `assets/*/stage.py`.",
            "",
            "| stage | what it does | tables it writes |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )


def page(stage: Stage, stages: Iterable[Stage], checks: Iterable[Quality], tables: str) -> str:
    """Markdown of a stage's page: what it reads and writes, where its code is, what checks it.

    Args:
        stage: The stage.
        stages: All stages, to say who writes what this one reads.
        checks: Checks of stored tables beside the contracts.
        tables: Address of the tables' page.
    """
    writers = {table: other.name for other in stages for table in other.tables}
    lines = [
        f"# {stage.name}",
        "",
        stage.summary,
        "",
        f"One run covers {_PARTITIONS[stage.partition]}. Its declaration is in `{module(stage)}`.",
        "",
        *_reads(stage, stage.reads, writers, tables),
        *_writes(stage, tables),
        *_checks(stage, checks),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _reads(stage: Stage, reads: Reads, writers: Mapping[str, str], tables: str) -> Iterator[str]:
    yield from ("## Reads", "")
    if not reads:
        yield from ("Raw files of the source, and no tables.", "")
        return
    yield from ("| table | written by | columns |", "|---|---|---|")
    for table, columns in reads.items():
        writer = writers.get(table, "")
        by = (
            f"[{writer}]({writer}.md)"
            if writer not in ("", stage.name)
            else writer or "every stage"
        )
        which = "all" if columns is None else _names(columns) or "its rows' keys"
        yield f"| [`{table}`]({tables}#{table}) | {by} | {which} |"
    yield ""


def _writes(stage: Stage, tables: str) -> Iterator[str]:
    yield from ("## Writes", "")
    if not stage.tables:
        yield from ("Files, and no tables.", "")
        return
    yield from ("| table | one row per | unit |", "|---|---|---|")
    for name in stage.tables:
        table = TABLES[name]
        yield f"| [`{name}`]({tables}#{name}) | {table.row.replace('|', chr(92) + '|')} | `{table.unit}` |"
    yield ""


def _checks(stage: Stage, checks: Iterable[Quality]) -> Iterator[str]:
    if not stage.tables:
        return
    yield from ("## Checks", "", "| check | of | what it says |", "|---|---|---|")
    of_all = "its table" if len(stage.tables) == 1 else "each of its tables"
    yield f"| `contract` | {of_all} | {_CONTRACT} |"
    for check in checks:
        if check.table in stage.tables:
            yield f"| `{check.name}` | `{check.table}` | {check.about} |"


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
