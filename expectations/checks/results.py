"""Contracts, suites, gates and set checks as results of Dagster asset checks.

The contract check runs inside the step that writes the table. The others read what is stored and can
be run at any time: `QUALITY` declares them, `pipelines.checks` makes them runnable and adds the suites and
`released`.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl

from expectations.checks.drawing import histogram, stacked
from expectations.checks.keys import asset_key
from expectations.checks.markdown import picture, table
from expectations.gates import published
from expectations.gates.base import SEVERITY
from expectations.published import Figure, compare
from expectations.schemas import TABLES, Table
from expectations.set_checks.overlaps import judge_orders, judge_overlaps
from expectations.set_checks.pixels import ENGINE as PIXEL_ENGINE
from expectations.set_checks.pixels import pixel_shortcut
from expectations.set_checks.questions import check_sets
from expectations.set_checks.rows import COLUMNS as ASKED_COLUMNS
from expectations.set_checks.task_sets import ITEM_COLUMNS, check_task_sets
from expectations.suites import SUITES, Outcome, Suite, run_suite
from expectations.suites.judging import MAX_ROWS
from resources.config import Settings
from resources.store.incremental import Report
from resources.store.ledger import scope
from resources.store.tables import TableStore

QUARANTINE = TABLES["quarantine"]
REFUSED_SHARE = 0.5
SHOWN = 10
BINS = 40


def contract_spec(table: Table, partitions: dg.PartitionsDefinition) -> dg.AssetCheckSpec:
    """The check that reports a table's contract, partition by partition."""
    with warnings.catch_warnings():
        # Partitioned checks are a preview in Dagster 1.13; without them one source's result
        # would overwrite another's.
        warnings.simplefilter("ignore", dg.PreviewWarning)
        return dg.AssetCheckSpec(
            "contract",
            asset=asset_key(table.name),
            partitions_def=partitions,
            description=f"Rows keep the rules of `{table.name}`; refused ones are in quarantine.",
            blocking=True,
        )


def contract_check(
    store: TableStore, table: Table, partition: str, reports: Sequence[Report]
) -> dg.AssetCheckResult:
    """Result of a table's contract in one partition.

    A warning if any row was refused; an error, which stops what depends on the partition, if more
    than `REFUSED_SHARE` of the rows were.
    """
    refused = pl.concat(
        [QUARANTINE.empty()]
        + [store.read(QUARANTINE, scope(r.stage, partition)) for r in reports if r.refused]
    ).filter(pl.col("table") == table.name)
    kept = sum(report.rows(table.name) for report in reports)
    share = refused.height / max(1, refused.height + kept)
    too_many = share > REFUSED_SHARE
    return dg.AssetCheckResult(
        asset_key=asset_key(table.name),
        check_name="contract",
        passed=refused.is_empty(),
        severity=dg.AssetCheckSeverity.ERROR if too_many else dg.AssetCheckSeverity.WARN,
        description=_sentence(refused.height, kept, too_many),
        metadata={
            "rows kept": kept,
            "rows refused": refused.height,
            "refused": dg.MetadataValue.table(
                [
                    dg.TableRecord({k: _short(v) for k, v in row.items()})
                    for row in refused.select("rule", "file", "row", "value", "message", "remedy")
                    .head(SHOWN)
                    .iter_rows(named=True)
                ],
                schema=dg.TableSchema(
                    [
                        dg.TableColumn(n)
                        for n in ("rule", "file", "row", "value", "message", "remedy")
                    ]
                ),
            ),
        },
    )


def _sentence(refused: int, kept: int, too_many: bool) -> str:
    if not refused:
        return f"all {kept} rows keep the contract"
    text = f"{refused} of {refused + kept} rows were refused; see `quarantine`"
    return text + (
        f": more than {REFUSED_SHARE:.0%}, so nothing behind is made" if too_many else ""
    )


def _short(value: object) -> str:
    return "" if value is None else str(value)[:200]


@dataclass(frozen=True, slots=True)
class Quality:
    """A check of a stored table, partition by partition.

    Attributes:
        name: Name of the check.
        table: Table it is a check of.
        about: What it says, for the graph.
        judge: Result for a partition.
        expensive: Whether it costs seconds however small the table is; such a check runs when asked for,
            not with every run.
    """

    name: str
    table: str
    about: str
    judge: Callable[[Settings, str], dg.AssetCheckResult]
    expensive: bool = False


def _result(
    name: str, table_name: str, passed: bool, said: str, **rest: Any
) -> dg.AssetCheckResult:
    severity = rest.pop("severity", dg.AssetCheckSeverity.WARN)
    return dg.AssetCheckResult(
        asset_key=asset_key(table_name),
        check_name=name,
        passed=passed,
        severity=severity,
        description=said,
        metadata={k.replace("_", " "): v for k, v in rest.items()},
    )


# -- suites ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """What a suite found in one partition.

    Attributes:
        suite: The suite.
        partition: The partition.
        outcomes: What became of each expectation.
        drawing: Distribution of the suite's column, as SVG; None where there is nothing to draw.
    """

    suite: Suite
    partition: str
    outcomes: list[Outcome]
    drawing: str | None

    @property
    def broken(self) -> list[Outcome]:
        """Expectations that do not hold."""
        return [outcome for outcome in self.outcomes if not outcome.success]

    @property
    def sentence(self) -> str:
        """How many expectations hold, and which do not."""
        held = len(self.outcomes) - len(self.broken)
        text = f"{held} of {len(self.outcomes)} expectations hold"
        if self.broken:
            text += "; not: " + ", ".join(outcome.expectation for outcome in self.broken)
        return text


def judge_suite(settings: Settings, suite: Suite, partition: str) -> SuiteResult:
    """Judge a suite on one partition.

    Raises:
        SuiteError: The suite could not be judged, which is no fault of the data.
    """
    tables = {
        name: settings.store.scan(TABLES[name], partition, columns=columns)
        for name, columns in suite.reads.items()
    }
    outcomes = run_suite(suite, tables)
    return SuiteResult(suite, partition, outcomes, _distribution(suite, tables))


def suite_check(found: SuiteResult, page: Path) -> dg.AssetCheckResult:
    """Result of a suite: a warning if an expectation does not hold.

    Args:
        found: What the suite found.
        page: Where the page about it lies.
    """
    failing = [
        {"expectation": outcome.expectation, "failing row": key}
        for outcome in found.broken
        for key in outcome.failing
    ]
    what = _plotted(found.suite)
    drawing = "nothing to draw" if found.drawing is None else picture(what, found.drawing)
    return _result(
        "suite",
        found.suite.table,
        not found.broken,
        found.sentence,
        expectations=dg.MetadataValue.md(_outcomes(found.outcomes)),
        failing_rows=dg.MetadataValue.md(table(("expectation", "failing row"), failing, 40)),
        distribution=dg.MetadataValue.md(drawing),
        page=dg.MetadataValue.path(str(page)),
        expectations_broken=len(found.broken),
        rows_outside_limits=sum(outcome.n_unexpected for outcome in found.broken),
    )


def _outcomes(outcomes: Iterable[Outcome]) -> str:
    columns = ("holds", "expectation", "column", "observed", "limit", "n", "unexpected", "reason")
    rows = [
        asdict(o) | {"holds": "yes" if o.success else "NO", "unexpected": o.n_unexpected or None}
        for o in sorted(outcomes, key=lambda o: o.success)
    ]
    return table(columns, rows, 60)


def _plotted(suite: Suite) -> str:
    name, column = suite.plot
    return f"{column} per {next(v for v in suite.views if v.name == name).row}"


def _distribution(suite: Suite, tables: Mapping[str, pl.LazyFrame]) -> str | None:
    name, column = suite.plot
    view = next(v for v in suite.views if v.name == name)
    expected = next(e for e in view.expectations if e.column == column)
    values = pl.col(column).cast(pl.Float64).drop_nulls()
    frame = view.make(tables)
    low, middle, high = frame.select(
        values.min().alias("low"), values.quantile(0.99).alias("middle"), values.max().alias("high")
    ).collect().row(0)  # fmt: skip
    if low is None:
        return None
    # One stray value must not squeeze all others into one bar: what is above stands in the last.
    top = min(high, max(2 * middle, 1.2 * (expected.high or 0.0))) or 1.0
    low = min(low, 0.0)
    width = (top - low) / BINS
    place = ((pl.col(column).cast(pl.Float64) - low) / width).floor().clip(0, BINS - 1)
    found = dict(
        frame.filter(pl.col(column).is_not_null())
        .group_by(place.cast(pl.Int64).alias("bin"))
        .len()
        .collect()
        .iter_rows()
    )
    edges = [low + i * width for i in range(BINS + 1)]
    counts = [found.get(i, 0) for i in range(BINS)]
    return histogram(_plotted(suite), edges, counts, (expected.low, expected.high))


# -- released counts ---------------------------------------------------------------------------------


def released_check(
    settings: Settings, partition: str, figures: Sequence[Figure]
) -> dg.AssetCheckResult:
    """What a source holds of what its dataset's publication counts: a warning if it deviates.

    A source declared an excerpt is compared all the same, without a warning.

    Args:
        settings: Configuration.
        partition: Source.
        figures: Figures that the publication of its dataset prints.
    """
    source = settings.sources[partition]
    found = compare(
        figures,
        lambda name: settings.store.scan(TABLES[name], partition, columns=None),
    )
    off = [f for f in found if not f.holds]
    said = f"{len(found) - len(off)} of {len(found)} published figures are met"
    if not found:
        said = f"no published figures are known of {source.layout}"
    elif off and source.excerpt:
        said += "; the source is an excerpt"
    elif off:
        said += "; not: " + ", ".join(f"{f.figure.about} ({f.share - 1:+.1%})" for f in off)
    rows = [
        {
            "published": f.figure.value,
            "found": round(f.found, 2),
            "deviation": f"{f.share - 1:+.1%}",
            "what": f.figure.about,
            "printed in": f.figure.said,
        }
        for f in found
    ]
    columns = ("what", "published", "found", "deviation", "printed in")
    return _result(
        "released",
        "recordings",
        not off or source.excerpt,
        said,
        figures=dg.MetadataValue.md(table(columns, rows, 60)),
        figures_missed=len(off),
    )


# -- gates -------------------------------------------------------------------------------------------

VERDICTS = ("pass", "warn", "unknown", "refuse")


def gates_check(settings: Settings, partition: str) -> dg.AssetCheckResult:
    """Verdicts of the gates on a benchmark's questions.

    A warning if any question was refused or never judged; an error if a subtask has none left.
    """
    store = settings.store
    columns = ["question_id", "question_hash", "subtask"]
    questions = store.read(TABLES["questions"], partition, columns=columns)
    # A verdict on wording that has changed since does not count.
    verdicts = store.read(TABLES["question_gates"], partition).join(
        questions, on=["question_id", "question_hash"], how="semi"
    )
    refused = verdicts.filter(pl.col("verdict") == "refuse")
    gone = set(refused["question_id"])
    judged = set(verdicts["question_id"])
    emptied = [
        subtask
        for (subtask,), part in sorted(questions.partition_by("subtask", as_dict=True).items())
        if set(part["question_id"]) <= gone
    ]
    unjudged = questions.height - len(judged)
    said = f"{len(gone)} of {questions.height} questions are refused"
    if unjudged:
        said += f", {unjudged} were not judged"
    if emptied:
        said += f"; nothing is left of {', '.join(emptied)}"
    return _result(
        "gates",
        "question_gates",
        not gone and not unjudged,
        said,
        severity=dg.AssetCheckSeverity.ERROR if emptied else dg.AssetCheckSeverity.WARN,
        verdicts_by_gate=dg.MetadataValue.md(_verdicts(verdicts, "gate")),
        verdicts_by_subtask=dg.MetadataValue.md(_verdicts(verdicts, "subtask")),
        refused=dg.MetadataValue.md(
            table(
                ("question_id", "subtask", "gate", "rule", "value", "threshold", "message"),
                refused.sort("subtask", "gate", "question_id").iter_rows(named=True),
            )
        ),
        refused_questions=len(gone),
        judged_questions=len(judged),
        questions=questions.height,
        gates_not_applied=", ".join(settings.benchmarks[partition].gates_not_applied) or "none",
    )


def _verdicts(verdicts: pl.DataFrame, by: str) -> str:
    """Counts per verdict as a picture and as a table."""
    counts: dict[str, dict[str, int]] = {}
    for name, verdict, n in verdicts.group_by(by, "verdict").len().sort(by, "verdict").iter_rows():
        counts.setdefault(name, {})[verdict] = n
    if not counts:
        return "no verdicts"
    rows = [{by: name, **found} for name, found in counts.items()]
    what = f"verdicts by {by}"
    drawn = picture(what, stacked(list(counts.items()), what))
    return f"{drawn}\n\n{table((by, *VERDICTS), rows, 60)}"


# -- set checks --------------------------------------------------------------------------------------

VERDICT_COLUMNS = ("benchmark", "question_id", "question_hash", "gate", "protocol", "verdict")
SET_COLUMNS = ("verdict", "subtask", "check", "recipe", "value", "limit", "n", "message")


def set_check(settings: Settings, partition: str) -> dg.AssetCheckResult:
    """What the set checks say about a benchmark's questions together: those its gates keep.

    A warning if any warns, an error if any refuses.
    """
    store = settings.store
    # One chunk: rows of nested columns are slow to pick from many.
    questions = store.read(TABLES["questions"], partition, columns=ASKED_COLUMNS).rechunk()
    verdicts = store.read(TABLES["question_gates"], partition, columns=VERDICT_COLUMNS)
    kept = published(questions, verdicts) if len(verdicts) else questions
    sources = settings.sources_of(partition)
    splits = pl.concat(
        [TABLES["splits"].empty(), *(store.read(TABLES["splits"], s) for s in sources)]
    )
    places: dict[str, str | None] = {}
    for source in sources:
        names = ["recording_id", "environment_id"]
        places |= dict(store.read(TABLES["recordings"], source, columns=names).iter_rows())
    known = any(place is not None for place in places.values())
    rows = check_sets(kept, splits, places if known else None).to_dicts()
    rows.sort(key=lambda r: (SEVERITY[r["verdict"]], r["subtask"], r["recipe"] or "", r["check"]))
    worst = min((SEVERITY[r["verdict"]] for r in rows), default=3)
    bad = [r for r in rows if SEVERITY[r["verdict"]] < 2]
    said = f"{len(rows) - len(bad)} of {len(rows)} set checks say nothing against the benchmark"
    if bad:
        recipes = {(r["subtask"], r["recipe"]) for r in rows}
        several = Counter(subtask for subtask, _ in recipes)
        said += "; " + ", ".join(
            sorted(
                f"{r['check']} of {r['subtask'] or 'all'}"
                + (f" ({r['recipe'] or 'all recipes'})" if several[r["subtask"]] > 1 else "")
                for r in bad
            )
        )
    return _result(
        "set_checks",
        "questions",
        worst >= 2,
        said,
        severity=dg.AssetCheckSeverity.ERROR if worst == 0 else dg.AssetCheckSeverity.WARN,
        set_checks=dg.MetadataValue.md(table(SET_COLUMNS, rows, 80)),
        not_kept=len(bad),
    )


def pixel_check(settings: Settings, partition: str) -> dg.AssetCheckResult:
    """Whether pictures alone give answers away, by the scores of a run of the engine that compares them.

    An error if that run beats chance on a subtask by more than its interval. Scores of other engines say
    nothing about it.
    """
    run = settings.runs[partition.partition(".")[2]]
    if run.engine != PIXEL_ENGINE:
        said = f"run {run.name} asks another engine than {PIXEL_ENGINE}"
        return _result("pixel_shortcut", "scores", passed=True, said=said)
    scores = settings.store.read(TABLES["scores"], partition).filter(
        (pl.col("metric") == "accuracy") & (pl.col("slice") == pl.col("subtasks").list.first())
    )
    found = {row["slice"]: pixel_shortcut(row) for row in scores.sort("slice").to_dicts()}
    rows = [
        {"subtask": name, "verdict": out.verdict, "value": out.value, "limit": out.limit}
        | {"message": out.message}
        for name, out in found.items()
    ]
    bad = [row["subtask"] for row in rows if row["verdict"] == "refuse"]
    said = f"pictures alone give {len(bad)} of {len(rows)} subtasks away"
    return _result(
        "pixel_shortcut",
        "scores",
        not bad,
        said + (f": {', '.join(bad)}" if bad else ""),
        severity=dg.AssetCheckSeverity.ERROR if bad else dg.AssetCheckSeverity.WARN,
        subtasks=dg.MetadataValue.md(
            table(("subtask", "verdict", "value", "limit", "message"), rows, 80)
        ),
    )


def task_set_check(settings: Settings, partition: str) -> dg.AssetCheckResult:
    """What speaks against a source's sets of tasks: leakage, closed sets, answers shown.

    A warning if any check warns, an error if any refuses.
    """
    store = settings.store
    rows = check_task_sets(
        store.read(TABLES["task_sets"], partition, columns=ITEM_COLUMNS),
        store.read(TABLES["set_classes"], partition),
        store.read(TABLES["released_truth"], partition),
    ).to_dicts()
    rows.sort(key=lambda r: (SEVERITY[r["verdict"]], r["set"], r["check"]))
    bad = [r for r in rows if SEVERITY[r["verdict"]] < 2]
    said = f"{len(rows) - len(bad)} of {len(rows)} checks say nothing against the sets"
    if bad:
        said += "; " + ", ".join(sorted({f"{r['check']} of {r['set']}" for r in bad}))
    worst = min((SEVERITY[r["verdict"]] for r in rows), default=3)
    columns = ("verdict", "set", "check", "value", "limit", "n", "message")
    return _result(
        "task_set_checks",
        "task_sets",
        worst >= 2,
        said,
        severity=dg.AssetCheckSeverity.ERROR if worst == 0 else dg.AssetCheckSeverity.WARN,
        task_set_checks=dg.MetadataValue.md(table(columns, rows, 80)),
        not_kept=len(bad),
    )


def suite_quality(name: str, write: Callable[[Settings, SuiteResult], Path]) -> Quality:
    """The check `suite` of a table.

    Args:
        name: Name of the table.
        write: Writes a page about what the suite found, and gives its place.
    """

    def judge(settings: Settings, partition: str) -> dg.AssetCheckResult:
        found = judge_suite(settings, SUITES[name], partition)
        return suite_check(found, write(settings, found))

    return Quality(
        "suite",
        name,
        f"Distributions, rates and counts of `{name}` are what such data look like. Up to "
        f"{MAX_ROWS:,} rows are judged one by one by Great Expectations; of more, the counts are.",
        judge,
        expensive=True,
    )


def leakage_check(settings: Settings, partition: str) -> dg.AssetCheckResult:
    """What splits share: a warning if released ones do, an error if ours do."""
    found = judge_overlaps(settings.store.read(TABLES["split_overlaps"], partition))
    columns = ("unit", "set", "split", "other_set", "other_split", "n", "share", "examples")
    return _result(
        "leakage",
        "split_overlaps",
        found.passed,
        found.said,
        severity=dg.AssetCheckSeverity.ERROR if found.is_error else dg.AssetCheckSeverity.WARN,
        overlaps=dg.MetadataValue.md(table(columns, found.rows.to_dicts(), 40)),
    )


# -- people's decisions and translations ------------------------------------------------------------


def review_check(settings: Settings, partition: str) -> dg.AssetCheckResult:
    """Which decisions of people on a source do not count: a warning if any."""
    states = settings.store.read(TABLES["review_states"], partition)
    changes = settings.store.read(TABLES["review_changes"], partition)
    idle = states.filter(pl.col("state") != "standing").sort("state", "item_kind", "item_id")
    said = f"{states.height - idle.height} of {states.height} reviewed items count"
    if idle.height:
        counts = idle["state"].value_counts().sort("state").iter_rows()
        said += "; " + ", ".join(f"{n} {state}" for state, n in counts)
    columns = ("state", "item_kind", "item_id", "recording_id", "reviewer", "round", "message")
    rounds = [name for name in TABLES["review_changes"].schema if name != "source"]
    agreed = settings.store.read(TABLES["review_agreement"], partition)
    agreements = [name for name in TABLES["review_agreement"].schema if name != "source"]
    return _result(
        "reviews",
        "review_states",
        idle.is_empty(),
        said,
        not_counting=dg.MetadataValue.md(table(columns, idle.to_dicts(), 60)),
        rounds=dg.MetadataValue.md(table(rounds, changes.sort(rounds[:3]).to_dicts(), 40)),
        agreement=dg.MetadataValue.md(
            table(agreements, agreed.sort(agreements[:2]).to_dicts(), 40)
        ),
        items_not_counting=idle.height,
    )


def question_review_check(settings: Settings, partition: str) -> dg.AssetCheckResult:
    """What people decided on a benchmark's questions: a warning if decisions do not count."""
    store = settings.store
    states = store.read(TABLES["question_reviews"], partition)
    idle = states.filter(pl.col("state") != "standing").sort("state", "subtask", "question_id")
    rejected = states.filter((pl.col("state") == "standing") & (pl.col("verdict") == "reject"))
    said = f"{states.height - idle.height} of {states.height} reviewed questions count"
    said += f"; {rejected.height} are rejected" if states.height else ""
    columns = ("subtask", "state", "question_id", "reviewer", "reason", "message")
    rounds = store.read(TABLES["question_review_rounds"], partition).drop("benchmark")
    agreed = store.read(TABLES["question_review_agreement"], partition).drop("benchmark")
    by = ["subtask", "source", "round"]
    return _result(
        "question_reviews",
        "question_reviews",
        idle.is_empty(),
        said,
        rejected=dg.MetadataValue.md(table(columns, rejected.sort(columns[:3]).to_dicts(), 60)),
        not_counting=dg.MetadataValue.md(table(columns, idle.to_dicts(), 60)),
        rounds=dg.MetadataValue.md(table(rounds.columns, rounds.sort(by).to_dicts(), 60)),
        agreement=dg.MetadataValue.md(table(agreed.columns, agreed.sort(by).to_dicts(), 40)),
        questions_rejected=rejected.height,
        questions_not_counting=idle.height,
    )


def translation_check(settings: Settings, partition: str) -> dg.AssetCheckResult:
    """What became of narrations in another language: a warning where one has no usable text."""
    columns = ("segment_id", "origin", "status", "rule", "used")
    rows = settings.store.read(TABLES["translations"], partition, columns=columns)
    total = rows["segment_id"].n_unique()
    used = rows.filter("used")
    broken = used.filter(pl.col("rule").is_not_null()).height
    said = f"{used.height} of {total} narrations in another language have an English text"
    if total and settings.translation.engine:
        said += f"; {settings.translation.engine} is configured to translate"
    elif total:
        said += "; no model is configured: what is given is used"
    said += f"; {broken} used texts fail the check" if broken else ""
    counts = rows.group_by("origin", "status", "rule").len("texts").sort("origin", "status", "rule")
    return _result(
        "translations",
        "translations",
        used.height == total,
        said,
        texts=dg.MetadataValue.md(
            table(("origin", "status", "rule", "texts"), counts.to_dicts(), 40)
        ),
        without_text=total - used.height,
    )


def order_check(settings: Settings, partition: str) -> dg.AssetCheckResult:
    """Whether "better than" makes an order of each action's clips: a warning where it does not."""
    rows = settings.store.read(TABLES["skill_transitivity"], partition).sort("set", "split")
    passed, said = judge_orders(rows)
    columns = [
        c
        for c in rows.columns
        if c.startswith(("n_", "alpha")) or c in ("set", "split", "largest_knot", "kappa")
    ]
    shown = dg.MetadataValue.md(table(columns, rows.to_dicts(), 40))
    return _result("transitivity", "skill_transitivity", passed, said, actions=shown)


def released(published: Callable[[Settings, str], Sequence[Figure]]) -> Quality:
    """The check `released`.

    Args:
        published: Figures that are published of a source's dataset.
    """
    return Quality(
        "released",
        "recordings",
        "Counts, hours and classes against what the dataset's publication prints.",
        lambda settings, source: released_check(settings, source, published(settings, source)),
    )


QUALITY: tuple[Quality, ...] = (
    Quality(
        "reviews",
        "review_states",
        "Which decisions of people count, which are stale, in conflict, or fit nothing.",
        review_check,
    ),
    Quality(
        "translations",
        "translations",
        "Whether every narration in another language has an English text, and where it is from.",
        translation_check,
    ),
    Quality(
        "question_reviews",
        "question_reviews",
        "What people decided on questions, and which of these decisions are stale or in conflict.",
        question_review_check,
    ),
    Quality(
        "gates",
        "question_gates",
        "What the gates say about each question; a refused one is not published.",
        gates_check,
    ),
    Quality(
        "set_checks",
        "questions",
        "Balance, duplicates, leakage and shortcuts of whole sets, and their effective chance.",
        set_check,
    ),
    Quality(
        "pixel_shortcut",
        "scores",
        "Whether the option that looks most like the query is right more often than by chance.",
        pixel_check,
    ),
    Quality(
        "leakage",
        "split_overlaps",
        "Recordings, segments and pairs that lie in two splits, of one set or of two.",
        leakage_check,
    ),
    Quality(
        "transitivity",
        "skill_transitivity",
        "Whether annotators' choices make an order, or run in circles.",
        order_check,
    ),
    Quality(
        "task_set_checks",
        "task_sets",
        "Leakage between splits, closed sets, and answers that are shown, over whole sets of tasks.",
        task_set_check,
    ),
)
