"""Rewordings of a benchmark's templates: what a model proposed, what rules refused, what people decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

import polars as pl

from assets.benchmarks import folder_of
from assets.options import Options, Tell
from assets.questions.expansion.proposals import proposals
from assets.questions.expansion.reviews import wording_outcomes
from assets.questions.expansion.rules import check
from assets.questions.expansion.templates import Template, templates
from assets.questions.model_steps.forms import Form
from assets.questions.model_steps.steps import expanding_step
from assets.questions.stage import configured_builders, domains_of
from assets.sources.stage import reviews_of
from assets.stage import Inputs, Stage, Unit
from assets.step_models import StepModel
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from expectations.schemas.readings import PAPER, bare_recipe
from expectations.schemas.reviews import WORDING
from resources.config import Settings
from resources.models.runs import RunConfig
from resources.store.incremental import Output


def templates_of(settings: Settings, benchmark: str) -> tuple[Template, ...]:
    """Plain templates that a benchmark's questions are asked in.

    Empty where it declares no rewording of templates, and under the paper's reading, which asks in released words.
    """
    if expanding_step(benchmark) is None or settings.benchmarks[benchmark].reading == PAPER:
        return ()
    folder = folder_of(benchmark, settings.benchmark_folders)
    names = map(bare_recipe, configured_builders(settings, benchmark))
    return templates({name: folder / f"{name}.j2" for name in names})


def _writer(
    settings: Settings, benchmark: str, options: Options | None = None, tell: Tell | None = None
) -> StepModel | None:
    """The model that rewords templates; None where none is configured."""
    name = settings.benchmarks[benchmark].writer
    return StepModel(settings, name, options, tell, "a model rewords templates") if name else None


def _decisions(settings: Settings, benchmark: str) -> pl.DataFrame:
    """Decisions on a benchmark's rewordings, from all sources of decisions of its sources."""
    decisions = [TABLES["reviews"].empty()]
    decisions += [
        reviews_of(settings, source, WORDING) for source in settings.sources_of(benchmark)
    ]
    return (
        pl.concat(decisions)
        .filter(pl.col("benchmark") == benchmark)
        .unique("decision_id", keep="first", maintain_order=True)
    )


def _units(inputs: Inputs) -> Iterator[Unit]:
    """The benchmark whole, if a model is configured that rewords its templates."""
    settings, benchmark = inputs.settings, inputs.partition
    step, writer = expanding_step(benchmark), _writer(settings, benchmark)
    known = templates_of(settings, benchmark)
    if step is None or writer is None or not known:
        return
    decided = _decisions(settings, benchmark).sort("decision_id")
    yield Unit(
        benchmark,
        dict.fromkeys(inputs.stage.reads, ()),
        (
            repr(known),
            step.form.identity,
            writer.identity(step.form),
            repr(sorted(step.slots.items())),
            repr(domains_of(settings, benchmark)),
            *decided["decision_id"],
            digest(repr(row) for row in decided.select("note").iter_rows()),
        ),
        code=step.functions,
    )


def _compute(
    inputs: Inputs, units: Sequence[Unit], options: Options, tell: Tell
) -> Iterator[Output]:
    settings, benchmark = inputs.settings, inputs.partition
    step, writer = expanding_step(benchmark), _writer(settings, benchmark, options, tell)
    assert step is not None
    assert writer is not None
    table = TABLES["wordings"]
    for unit in units:
        known = templates_of(settings, benchmark)
        proposed = proposals(step, known, writer.ask, writer.label(step.form))
        rows = table.frame(proposed.rows).sort(table.key)
        domains = set(domains_of(settings, benchmark).values())
        outcomes = wording_outcomes(benchmark, _decisions(settings, benchmark), rows, domains)
        yield Output([unit.name], {**outcomes, "wordings": rows}, lasting=not proposed.is_open)
    writer.record_costs()


def _failed(settings: Settings, benchmark: str, options: Options | None, *, due: bool) -> int:
    step, writer = expanding_step(benchmark), _writer(settings, benchmark, options)
    return 0 if step is None or writer is None else writer.failed_calls([step.form], due=due)


def _due(inputs: Inputs, options: Options) -> Collection[str]:
    """The unit, where the model failed and is to be asked again though nothing changed."""
    benchmark = inputs.partition
    return {benchmark} if _failed(inputs.settings, benchmark, options, due=True) else set()


def failed_rewordings(settings: Settings, benchmark: str) -> int:
    """Templates of a benchmark that have no rewordings because a call failed."""
    return _failed(settings, benchmark, None, due=False)


def expansion_lines(settings: Settings, benchmark: str) -> list[str]:
    """How a benchmark's templates are expanded, in sentences; empty where it declares no such step."""
    known = templates_of(settings, benchmark)
    writer = settings.benchmarks[benchmark].writer
    if not known:
        return []
    if not writer:
        return [
            "no model is configured to reword templates: all questions are asked in plain words"
        ]
    read = settings.store.read
    rows = read(TABLES["wordings"], benchmark, columns=("wording_id", "status", "rule"))
    counts = Counter(rows.select("status", "rule").iter_rows())
    parts = [
        f"{n} {status.replace('_', ' ')}" + (f" ({rule})" if rule else "")
        for (status, rule), n in sorted(counts.items(), key=lambda item: str(item[0]))
    ]
    lines = [f"rewordings of {len(known)} templates by {writer}: {', '.join(parts) or 'none yet'}"]
    reviews = read(TABLES["wording_reviews"], benchmark).filter(pl.col("state") != "gone")
    usable = counts["usable", None]
    for domain in sorted(set(domains_of(settings, benchmark).values())):
        mine = reviews.filter(domain=domain)
        settled = mine.filter(state="standing")["verdict"].to_list()
        good, bad = settled.count("accept"), settled.count("reject")
        lines.append(
            f"{domain}: {good} of {usable} rewordings accepted, {bad} rejected, the others are not asked in"
        )
    return lines


def _filled(_settings: Settings, benchmark: str) -> Collection[str]:
    """All tables, where the benchmark declares a step that rewords its templates."""
    return () if expanding_step(benchmark) is None else STAGE.tables


def _note(inputs: Inputs) -> str:
    return "; ".join(expansion_lines(inputs.settings, inputs.partition))


def _asks(settings: Settings) -> Iterator[RunConfig]:
    for benchmark in settings.benchmarks:
        writer = _writer(settings, benchmark)
        if writer is not None and expanding_step(benchmark) is not None:
            yield writer.run


STAGE = Stage(
    name="wordings",
    group="questions",
    summary="Rewordings of templates that a model proposed, with the rules that refuse some and the decisions"
    " of people on the others.",
    partition="benchmark",
    tables=("wording_reviews", "wording_agreement", "wordings"),
    reads={"reviews": None},
    units=_units,
    compute=_compute,
    again=_due,
    code=(proposals, check, templates, wording_outcomes, Form),
    adds_to=("calls", "costs"),
    asks=_asks,
    note=_note,
    fills=_filled,
    derived_from={
        "wordings": (),
        "wording_reviews": ("reviews", "wordings"),
        "wording_agreement": ("reviews", "wordings"),
    },
    lineage={
        "wording_reviews": {
            "state": [("reviews", "item_hash"), ("wordings", "wording")],
            "reason": [("reviews", "note")],
        },
        "wording_agreement": {
            "alpha": [("reviews", "verdict"), ("reviews", "reviewer"), ("reviews", "item_hash")],
            "kappa": [("reviews", "verdict"), ("reviews", "reviewer"), ("reviews", "item_hash")],
            "same_outcome": [("reviews", "verdict")],
        },
    },
)
