"""From tables to what the page shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

import polars as pl

from assets.questions.egoprox.planner import Trace
from assets.report.cards import Places, build_cards, shown_questions
from assets.report.chain_rows import chain_rows
from assets.report.comparisons import compare_runs
from assets.report.costs import cost_table
from assets.report.domain_gap import DomainGap
from assets.report.judged import judging
from assets.report.parts import (
    ClipKey,
    FunnelStep,
    PageModel,
    Refusal,
    Run,
    Score,
    Source,
    Strip,
    SubtaskFunnel,
    SuitePage,
)
from assets.report.plan_view import PlanView
from assets.report.readings import Readings, build_readings
from assets.report.reasons import WeakReason, cited_rows, shown_reasons, silent_runs
from assets.report.reviewed import Review
from assets.report.rule_funnels import rule_funnels
from assets.scores.published import contradictions, published_rows
from assets.scores.table import MACRO, MACRO_DOMAINS, MICRO
from assets.statistics.plots import plots
from expectations.schemas import TABLES
from expectations.schemas.pairs import STAGES_OF_ASSOCIATION

# What a candidate has that reached the stage, for readers who have not seen the code.
_STAGES = {
    "candidates": "same verb and noun set, other view",
    "kept": "of them within the cap of recordings per query",
    "sentence": "narrated as the same activity",
    "chosen": "chosen as the positive of a query",
    "negatives_5": "with negatives for 5 options",
    "negatives_20": "with negatives for 20 options",
    "verified": "accepted by a person",
}


def build_page_model(
    *,
    title: str,
    paper: str = "",
    benchmark: str,
    questions: pl.DataFrame,
    calls: pl.DataFrame,
    answers: pl.DataFrame,
    scores: pl.DataFrame,
    candidates: pl.DataFrame,
    quarantine: pl.DataFrame,
    recordings: pl.DataFrame,
    source_status: Mapping[str, str],
    strips: Mapping[ClipKey, Strip],
    is_sample: bool,
    gates: pl.DataFrame,
    published: Collection[str] = (),
    gates_not_applied: Collection[str] = (),
    expansion: Sequence[str] = (),
    places: Places | None = None,
    others: Collection[str] = (),
    protocol_notes: Mapping[str, str] | None = None,
    state: str = "",
    per_subtask: int = 3,
    over_cap: Mapping[str, int] | None = None,
    statistics: pl.DataFrame | None = None,
    baselines: Mapping[str, str] = MappingProxyType({}),
    run_notes: Mapping[str, str] = MappingProxyType({}),
    narrating_protocols: Collection[str] = (),
    suites: Mapping[str, tuple[SuitePage, ...]] = MappingProxyType({}),
    parity_answers: pl.DataFrame | None = None,
    costs: pl.DataFrame | None = None,
    published_scores: pl.DataFrame | None = None,
    judged_scores: pl.DataFrame | None = None,
    agreements: pl.DataFrame | None = None,
    judgements: pl.DataFrame | None = None,
    weak_reasons: Sequence[WeakReason] = (),
    gap: DomainGap | None = None,
    grounding_scores: pl.DataFrame | None = None,
    funnels: pl.DataFrame | None = None,
    timelines: Mapping[str, str] | None = None,
    plans: Mapping[str, PlanView] = MappingProxyType({}),
    groups: Collection[str] = (),
    domains: Sequence[str] = (),
    traces: Mapping[str, Trace] = MappingProxyType({}),
    review: Review | None = None,
) -> PageModel:
    """What the page shows of one benchmark.

    Args:
        title: Title of the page.
        paper: Where the benchmark is described; empty leaves it out.
        benchmark: Benchmark; tables may hold others, which are left out.
        questions: Rows of `questions`.
        calls: Rows of `calls`.
        answers: Rows of `answers`.
        scores: Rows of `scores`.
        candidates: Rows of `candidates` of the sources shown.
        quarantine: Rows of `quarantine` of the sources shown.
        recordings: Rows of `recordings` of the sources shown.
        source_status: Status per configured source (`listed`, `absent` ...).
        strips: Frames per medium of a shown question; a medium without any is shown by its times.
        is_sample: Whether the sources are sample worlds.
        gates: Rows of `question_gates`.
        published: Ids of published questions.
        gates_not_applied: Gates that judge nothing, since no model is configured for them.
        expansion: How templates are reworded, in sentences.
        places: Origin of the rows that cards name, by question, table and key.
        others: Benchmarks that have a page.
        protocol_notes: What a protocol sends, by its label (`direct/1`).
        state: Digest or release of the data.
        per_subtask: Questions in the browser per subtask.
        over_cap: Per source, pairs with the same sets that `candidates` does not hold.
        statistics: Rows of `statistics` of the sources shown.
        baselines: What each run that is not a model under test does instead, by run.
        run_notes: What a run sets otherwise than its protocol, by run.
        narrating_protocols: Labels of the protocols that send the narrations of options that are clips.
        suites: Pages about expectation suites that have been written, by source or benchmark.
        parity_answers: Rows of `parity_answers`; None for none.
        costs: Rows of `costs`; None for none.
        published_scores: Scores that the paper prints, as `read_published` gives them; None for none.
        judged_scores: Rows of `judged_scores`; None where the benchmark has no judges.
        agreements: Rows of `judge_agreements`, with these.
        judgements: Rows of `judgements` of the questions shown, with these.
        weak_reasons: Right letters whose reasons are weak; their questions are shown too.
        gap: Its domains beside questions about daily life; None where nothing is compared.
        grounding_scores: Rows of `grounding_scores`; None for none.
        funnels: Rows of `question_funnels`; None for none.
        timelines: Scene graphs over time of the questions shown, as SVG text by their ids.
        plans: What lies around the wearer of a question shown, by its id.
        groups: Groups of subtasks in shown order.
        domains: Domains that the paper has means of.
        traces: Calls of tools that answer a question shown, by its id.
        review: How far the review of its questions has come.
    """
    questions = questions.filter(pl.col("benchmark") == benchmark)
    answers = answers.filter(pl.col("benchmark") == benchmark)
    scores = scores.filter(pl.col("benchmark") == benchmark)
    calls = calls.filter(pl.col("benchmark") == benchmark)
    # A verdict on wording that has changed since does not count.
    gates = gates.filter(pl.col("benchmark") == benchmark).join(
        questions, on=["question_id", "question_hash"], how="semi"
    )
    published = frozenset(published)
    runs = runs_of(scores, calls, protocol_notes or {}, baselines, run_notes)
    scored = set(scores["slice"])
    of_groups = tuple(name for name in groups if name in scored)
    starts = tuple(f"{name}_" for name in domains)
    parts = sorted(x for x in scored if x in domains or x.startswith(starts))
    of_domains = [MACRO_DOMAINS, *parts] if MACRO_DOMAINS in scored else []
    subtasks = sorted({*questions["subtask"], *scored} - {MICRO, MACRO, *of_groups, *of_domains})
    cited = TABLES["grounding_scores"].empty() if grounding_scores is None else grounding_scores
    cited = cited.filter(pl.col("benchmark") == benchmark)
    # Of one subtask both means are its own value.
    means = (MACRO, MICRO, *of_domains, *of_groups)
    slices = (*means, *subtasks) if len(subtasks) != 1 else tuple(subtasks)
    return PageModel(
        title=title,
        paper=paper,
        benchmark=benchmark,
        others=tuple(sorted({benchmark, *others})),
        state=state,
        n_questions=len(questions),
        n_with_media=int(questions["media_present"].sum()),
        is_sample=is_sample,
        slices=slices,
        runs=runs,
        comparisons=compare_runs(
            answers, [(run.name, run.model, run.protocol) for run in runs if not run.baseline]
        ),
        funnel=funnel(candidates, over_cap or {}),
        subtasks=subtask_funnels(questions, gates, answers, published),
        judged=not gates.is_empty(),
        gates_not_applied=tuple(gates_not_applied),
        expansion=tuple(expansion),
        refusals=refusals(quarantine),
        sources=_sources(recordings, source_status, statistics, suites),
        cards=build_cards(
            shown_questions(
                questions, per_subtask, refused_by(gates, published), shown_reasons(weak_reasons)
            ),
            answers,
            calls,
            gates,
            published,
            strips,
            places or {},
            narrating_protocols,
            judgements,
            timelines=timelines,
            plans=plans,
            traces=traces,
        ),
        per_subtask=per_subtask,
        suites=suites.get(benchmark, ()),
        readings=Readings()
        if parity_answers is None
        else build_readings(
            parity_answers.filter(pl.col("benchmark") == benchmark),
            calls.select("run", "call_key", "attempt", "reply"),
            questions.select("question_id", "answer"),
        ),
        chains=chain_rows(answers, scores),
        costs=[] if costs is None else cost_table(costs, benchmark),
        published=() if published_scores is None else tuple(published_rows(published_scores)),
        contradictions=() if published_scores is None else tuple(contradictions(published_scores)),
        rules=()
        if funnels is None
        else rule_funnels(funnels, questions, published, judged=not gates.is_empty()),
        judging=None
        if judged_scores is None or agreements is None
        else judging(judged_scores, agreements),
        weak_reasons=tuple(weak_reasons),
        gap=gap,
        cited=cited_rows(cited, slices),
        silent_runs=silent_runs(cited),
        review=review,
    )


def funnel(
    candidates: pl.DataFrame, over_cap: Mapping[str, int] = MappingProxyType({})
) -> tuple[FunnelStep, ...]:
    """Candidates per source and stage reached; a later stage implies the earlier ones.

    Args:
        candidates: Columns source and stage of `candidates`.
        over_cap: Per source, pairs with the same sets that are not among them.
    """
    steps: list[FunnelStep] = []
    for source in sorted(candidates["source"].unique()):
        reached = Counter(candidates.filter(pl.col("source") == source)["stage"].to_list())
        kept, over = reached.total(), over_cap.get(source, 0)
        steps.append(FunnelStep(source, "candidates", _STAGES["candidates"], kept + over))
        if over:
            steps.append(FunnelStep(source, "kept", _STAGES["kept"], kept))
        chosen = STAGES_OF_ASSOCIATION[1:]
        steps.append(FunnelStep(source, "sentence", _STAGES["sentence"], kept - reached["sets"]))
        for i, stage in enumerate(("chosen", *chosen[1:])):
            n = sum(reached[s] for s in chosen[i:])
            steps.append(FunnelStep(source, stage, _STAGES[stage], n))
    return tuple(steps)


def refused_by(gates: pl.DataFrame, published: Collection[str]) -> dict[str, str]:
    """Questions that are refused, each with the first gate by name that refuses it.

    Refused under one protocol and published under another is not refused.
    """
    refusing = gates.filter(pl.col("verdict") == "refuse").sort("gate", descending=True)
    found = dict(refusing.select("question_id", "gate").iter_rows())
    kept = frozenset(published)
    return {key: gate for key, gate in found.items() if key not in kept}


def subtask_funnels(
    questions: pl.DataFrame,
    gates: pl.DataFrame,
    answers: pl.DataFrame,
    published: Collection[str],
) -> tuple[SubtaskFunnel, ...]:
    """Questions per subtask from built to published.

    Args:
        questions: Rows of `questions`.
        gates: Rows of `question_gates` on the questions as they are.
        answers: Rows of `answers`.
        published: Ids of published questions.
    """
    asked = set(answers["question_id"])
    found: list[SubtaskFunnel] = []
    refusing = gates.filter(pl.col("verdict") == "refuse")
    gone = refused_by(gates, published).keys()
    for (subtask,), part in sorted(questions.partition_by("subtask", as_dict=True).items()):
        ids = set(part["question_id"])
        refused = refusing.filter(pl.col("subtask") == subtask)
        by_gate = refused.group_by("gate").agg(pl.col("question_id").n_unique().alias("n"))
        judged = ids & set(gates["question_id"])
        found.append(
            SubtaskFunnel(
                subtask=str(subtask),
                built=len(ids),
                judged=len(judged),
                refused=len(ids & gone),
                published=len(judged & set(published)),
                asked=len(ids & asked),
                by_gate=tuple(by_gate.sort("gate").iter_rows()),
            )
        )
    return tuple(found)


def refusals(quarantine: pl.DataFrame) -> tuple[Refusal, ...]:
    """Refusals per source, stage and rule, most frequent first, with the first as example."""
    groups = (
        quarantine.sort("refusal")
        .group_by("source", "stage", "rule", maintain_order=True)
        .agg(pl.len().alias("n"), pl.col("file", "row", "value", "message", "remedy").first())
        .sort("n", "source", "stage", "rule", descending=[True, False, False, False])
    )
    return tuple(
        Refusal(
            source=row["source"],
            stage=row["stage"],
            rule=row["rule"],
            n=row["n"],
            where=" · ".join(str(row[k]) for k in ("file", "row", "value") if row[k] is not None),
            message=row["message"],
            remedy=row["remedy"],
        )
        for row in groups.iter_rows(named=True)
    )


def _sources(
    recordings: pl.DataFrame,
    status: Mapping[str, str],
    statistics: pl.DataFrame | None,
    suites: Mapping[str, tuple[SuitePage, ...]],
) -> tuple[Source, ...]:
    rows: list[Source] = []
    for name in sorted({*status, *recordings["source"].unique()}):
        part = recordings.filter(pl.col("source") == name)
        present = int((part["media"] == "present").sum())
        rows.append(
            Source(
                name=name,
                status=status.get(name, "not configured"),
                recordings=len(part),
                present=present,
                missing=len(part) - present,
                licence=", ".join(sorted(part["licence"].unique())),
                plots=()
                if statistics is None
                else tuple(plots(statistics.filter(pl.col("source") == name))),
                suites=suites.get(name, ()),
            )
        )
    return tuple(rows)


def runs_of(
    scores: pl.DataFrame,
    calls: pl.DataFrame,
    notes: Mapping[str, str],
    baselines: Mapping[str, str] = MappingProxyType({}),
    run_notes: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Run, ...]:
    """Runs with their scores per slice and what their protocol sends; models first, then baselines.

    Args:
        scores: Rows of `scores` of one benchmark.
        calls: Columns run, model, protocol, asked_at, attempt, call_key, status, clips_sent_as and
            asked_without of its `calls`.
        notes: What a protocol sends, by its label.
        baselines: What each run that is not a model under test does instead, by run.
        run_notes: What a run sets otherwise than its protocol, by run.
    """
    latest = calls.sort("asked_at", "attempt", "call_key").group_by("run").last()
    said = {row["run"]: row for row in latest.select("run", "model", "protocol").to_dicts()}
    runs: list[Run] = []
    for name in sorted(scores["run"].unique(), key=lambda run: (run in baselines, run)):
        cells = {
            row["slice"]: Score(**row)
            for row in scores.filter((pl.col("run") == name) & (pl.col("metric") == "accuracy"))
            .select(Score.__dataclass_fields__.keys())
            .to_dicts()
        }
        matched = scores.filter(
            (pl.col("run") == name) & (pl.col("metric") == "matched_accuracy")
        ).drop_nulls("value")
        about = said.get(name, {"model": "", "protocol": ""})
        protocol = about["protocol"]
        runs.append(
            Run(
                name=name,
                model=about["model"],
                protocol=protocol,
                about=notes.get(protocol, ""),
                note=" ".join(filter(None, (run_notes.get(name), _how_sent(calls, name, about)))),
                scores=cells,
                baseline=baselines.get(name, ""),
                matched=dict(matched.select("slice", "value").iter_rows()),
            )
        )
    return tuple(runs)


def _how_sent(calls: pl.DataFrame, run: str, asked: Mapping[str, str]) -> str:
    """What the clips of a run's replies were sent as, and which settings were not sent, in words.

    Args:
        calls: Calls of a benchmark.
        run: Run.
        asked: Model and protocol under which it is asked now: other calls do not count.
    """
    if not asked["model"]:
        return ""
    model, protocol = asked["model"], asked["protocol"]
    mine = calls.filter(run=run, model=model, protocol=protocol, status="ok")
    forms = dict(mine["clips_sent_as"].drop_nulls().value_counts().iter_rows())
    notes: list[str] = []
    if len(forms) == 1:
        notes.append(f"Clips were sent {_FORMS[next(iter(forms))]}.")
    elif forms:
        parts = [
            f"{words} in {forms[name]} calls" for name, words in _FORMS.items() if name in forms
        ]
        notes.append(f"Clips were sent {', '.join(parts)}.")
    without = mine["asked_without"].explode().drop_nulls().value_counts(sort=True)
    notes += [
        f"`{name}` was not sent in {n} of {len(mine)} calls."
        for name, n in sorted(without.iter_rows())
    ]
    return " ".join(notes)


_FORMS = {
    "videos": "as videos",
    "images": "as single images",
    "both": "as videos and single images together",
}
