"""Gates of a benchmark's questions: one unit per unit of questions, judged by other code than built.

Verdicts depend on the protocols that are configured to ask (what they send of each clip), on the
tables an answer rests on, on what models answer that are shown less, and on what people decided.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import polars as pl

from assets.benchmarks import about
from assets.options import Options, Tell
from assets.protocols.asked import GAZE, SHOWN_READS, media_of
from assets.protocols.declared import protocol_of
from assets.question_reviews.stage import outcomes_and_flows
from assets.questions.guessing import Guesser, guessers
from assets.questions.inputs import recordings_by_unit, unit_keys
from assets.questions.kit.builder import Builder, Tables, builders
from assets.questions.model_steps.checking import Judged, judge_questions
from assets.questions.model_steps.forms import Form
from assets.questions.model_steps.steps import CheckingStep, checking_steps
from assets.questions.stage import STAGE as STAGE_OF_QUESTIONS
from assets.questions.stage import (
    AcceptedRewordings,
    all_configured_builders,
    configured_builders,
    partition_reads,
    split_unit,
    translating,
    unit_name,
)
from assets.sources.reviews.patches import patched
from assets.stage import Columns, Inputs, Stage, Unit, merge_reads, with_keys
from assets.step_models import StepModel
from assets.translations.in_use import in_use, with_translations
from expectations.gates import EvidenceTables, judge, reads_of
from expectations.gates.base import NO_MODEL_VERDICT
from expectations.gates.judging import Derivations, functions_of
from expectations.gates.registry import derivations
from expectations.schemas import TABLES
from expectations.schemas.identity import digest, row_hashes
from resources.config import Settings
from resources.models.costs.estimate import PlannedCalls
from resources.models.runs import RunConfig
from resources.plugins import benchmark_packages
from resources.store.code_version import code_version
from resources.store.incremental import Output
from resources.store.ledger import read_complete

_REVIEWED = ("pool", "question_id", "question_hash", "state", "verdict", "reason", "reviewer")
_FRAME = ("recording_id", "grid", "t_s", "part", "source_frame", "source_pts", "residual_ms")


def protocols_of(settings: Settings, benchmark: str) -> dict[str, str | None]:
    """Sampling rule of each protocol under which a configured run asks a benchmark.

    A variant asks what its protocol asks, and is judged with it.
    """
    found = {}
    for run in settings.runs.values():
        if not run.benchmarks or benchmark in run.benchmarks:
            protocol = protocol_of(settings, benchmark, run)
            found[protocol.judged_as] = (
                None if protocol.sampling is None else str(protocol.sampling)
            )
    return dict(sorted(found.items()))


def configured_derivations(settings: Settings) -> Derivations:
    """Derivations of all benchmarks, plug-ins included."""
    packages = benchmark_packages(settings.plugins, settings.home)
    return derivations(tuple(package.__name__ for package in packages))


def gate_reads(builder: Builder, known: Derivations | None = None) -> dict[str, Columns]:
    """What the gates read of a unit: their own tables, and those evidence may name.

    Args:
        builder: Builder of the unit's questions.
        known: Derivations; the built-in ones if null.
    """
    derived = reads_of(builder.benchmark, known)
    own = {**dict.fromkeys(builder.reads), **derived, "frames": _FRAME}
    if "graph_edges" in own:
        own["graph_patches"] = None
    return with_keys(with_translations(own))


def _unit_reads(settings: Settings, builder: Builder, known: Derivations) -> dict[str, Columns]:
    """What the gates read of a unit, with what the steps of a configured model read beside."""
    config = settings.benchmarks.get(builder.benchmark)
    steps = checking_steps(builder.benchmark) if config is not None and config.checker else []
    reads = [with_keys(step.reads) for step in steps]
    if config is not None and config.single_frame:
        run = settings.runs[config.single_frame]
        if protocol_of(settings, builder.benchmark, run).crop == "gaze":
            reads.append({"frames": GAZE})
    return merge_reads(gate_reads(builder, known), *reads)


def _configured_reads(settings: Settings) -> dict[str, Columns]:
    """What the gates read for the questions of plug-in benchmarks and for released ones."""
    known = configured_derivations(settings)
    return merge_reads(
        *(_unit_reads(settings, builder, known) for builder in all_configured_builders(settings))
    )


def _partition_reads(settings: Settings, benchmark: str) -> dict[str, Columns]:
    """What the gates of one benchmark read."""
    known = configured_derivations(settings)
    built = configured_builders(settings, benchmark).values()
    return merge_reads(
        {"questions": None, "reviews": None},
        partition_reads(settings, benchmark),
        *(_unit_reads(settings, builder, known) for builder in built),
        *_reads_of_models(settings, benchmark),
    )


def _reads_of_models(settings: Settings, benchmark: str) -> list[dict[str, Columns]]:
    """What is read to ask the models that are shown less, and the one that judges questions."""
    config, shown = settings.benchmarks[benchmark], dict(SHOWN_READS)
    sees = config.checker and any(step.shows is not None for step in checking_steps(benchmark))
    if config.single_frame or sees:
        return [shown]
    return [{"recordings": shown["recordings"]}] if config.blind else []


def _shared(
    settings: Settings,
    benchmark: str,
    asking: Sequence[Guesser],
    checker: StepModel | None,
    known: Derivations,
) -> list[str]:
    """What every verdict depends on."""
    return [
        code_version(*functions_of(benchmark, known)),
        repr(protocols_of(settings, benchmark)),
        *(guesser.identity() for guesser in asking),
        *_checked_by(benchmark, checker),
        *(["accepted_only"] if settings.benchmarks[benchmark].accepted_only else []),
    ]


def _reviews(inputs: Inputs) -> dict[str, dict[str, dict[str, Any]]]:
    """What people decided on questions, by unit of the questions and question id.

    Where only accepted questions are published, with the state of a review in steps.
    """
    settings, benchmark = inputs.settings, inputs.partition
    screenings = about(benchmark, settings.benchmark_folders).screenings
    in_steps = screenings if settings.benchmarks[benchmark].accepted_only else 0
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for source in settings.sources_of(benchmark):
        outcomes, stands = outcomes_and_flows(settings, benchmark, source, in_steps)
        rows = outcomes.get("question_reviews")
        if rows is not None:
            for row in rows.drop_nulls("pool").select(_REVIEWED).iter_rows(named=True):
                flow = stands.get(row["question_id"])
                steps = {} if flow is None else {"flow": flow.state, "waits": flow.message}
                found.setdefault(row["pool"], {})[row["question_id"]] = row | steps
    return found


def _checker(
    settings: Settings, benchmark: str, options: Options | None = None, tell: Tell | None = None
) -> StepModel | None:
    """The model that judges questions of a benchmark; None where none is configured."""
    name = settings.benchmarks[benchmark].checker
    return StepModel(settings, name, options, tell, "a model judges questions") if name else None


def _checked_by(benchmark: str, checker: StepModel | None) -> list[str]:
    """What the model's verdicts depend on beside the questions and what is annotated."""
    steps = [] if checker is None else checking_steps(benchmark)
    if checker is None or not steps:
        return []
    functions = dict.fromkeys(function for step in steps for function in step.functions)
    asked = [part for s in steps for part in (s.form.identity, checker.identity(s.form))]
    return [code_version(*functions, Form), digest(asked)]


def _applied(benchmark: str, checker: StepModel) -> list[CheckingStep]:
    """Steps that a model can be asked in: one that takes no pictures is shown none."""
    steps = checking_steps(benchmark)
    return [s for s in steps if s.shows is None or checker.takes_pictures(s.form)]


def _judged(
    settings: Settings,
    benchmark: str,
    checker: StepModel | None,
    questions: pl.DataFrame,
    tables: Tables,
) -> Judged:
    """What the configured model says of questions of one unit."""
    if checker is None or questions.is_empty() or not checking_steps(benchmark):
        return Judged({}, set())
    steps = _applied(benchmark, checker)
    if not steps:
        return Judged({}, set())
    model = checker.label(steps[0].form)
    # All questions of a unit are of one source.
    media = partial(media_of, settings, questions["source"][0], tables["recordings"])
    ask = partial(checker.ask, media=media)
    return judge_questions(steps, questions.to_dicts(), tables, ask, model)


def _units(inputs: Inputs) -> Iterator[Unit]:
    """Units of questions that hold any."""
    settings, benchmark = inputs.settings, inputs.partition
    with_questions = set(inputs.units_with_rows("questions"))
    reviews = _reviews(inputs)
    asking = guessers(settings, benchmark)
    known = configured_derivations(settings)
    shared = _shared(settings, benchmark, asking, _checker(settings, benchmark), known)
    recipes = configured_builders(settings, benchmark)
    for source in settings.sources_of(benchmark):
        for recipe, builder in recipes.items():
            reads = _unit_reads(settings, builder, known)
            for unit, uids in recordings_by_unit(inputs, source, builder.unit).items():
                name = unit_name(source, recipe, unit)
                if name in with_questions:
                    questions = inputs.row_hashes({"questions": None}, {"questions": (name,)})
                    decided = map(repr, reviews.get(name, {}).values())
                    yield Unit(
                        name,
                        unit_keys(reads, unit, uids),
                        (
                            *shared,
                            *questions,
                            *(t for g in asking for t in g.tokens(name)),
                            *decided,
                        ),
                        reads=reads,
                        source=source,
                        code=translating(inputs, reads, source, uids),
                    )


def _compute(
    inputs: Inputs, units: Sequence[Unit], options: Options, tell: Tell
) -> Iterator[Output]:
    settings, benchmark = inputs.settings, inputs.partition
    protocols = protocols_of(settings, benchmark)
    asking = guessers(settings, benchmark, options.retry_errors)
    checker = _checker(settings, benchmark, options, tell)
    known = configured_derivations(settings)
    shared = _shared(settings, benchmark, asking, checker, known)
    recipes = configured_builders(settings, benchmark)
    reviews = _reviews(inputs)
    reworded = AcceptedRewordings(inputs)
    for batch in inputs.batches(units):
        for unit in batch.units:
            tables = in_use(batch.of(unit))
            if "graph_patches" in tables:
                # Where people corrected rows of the graph, verdicts rest on the corrected ones.
                tables = patched(tables, tables.pop("graph_patches"))
            source, recipe, _ = split_unit(unit.name)
            words = reworded.of(source, recipe)
            if words is not None:
                tables["wordings"] = words
            questions = inputs.store.read(TABLES["questions"], benchmark, [unit.name])
            decided = reviews.get(unit.name, {})
            rest_on = _input_hashes(questions, recipes[recipe], inputs, unit)
            hashes = {
                row["question_id"]: digest(
                    [
                        *shared,
                        rest_on[row["question_id"]],
                        *(guesser.token(row["question_hash"]) for guesser in asking),
                        repr(decided.get(row["question_id"])),
                    ]
                )
                for row in questions.select("question_id", "question_hash").iter_rows(named=True)
            }
            now = pl.DataFrame(
                {"question_id": list(hashes), "input_hash": list(hashes.values())},
                schema={"question_id": pl.String, "input_hash": pl.String},
            )
            # A pool is large and one recording of it changes: what rests on others keeps its verdict.
            kept = inputs.store.read(TABLES["question_gates"], benchmark, [unit.name])
            kept = kept.join(now, on=["question_id", "input_hash"], how="semi")
            anew = questions.filter(~pl.col("question_id").is_in(kept["question_id"].to_list()))
            guesses = {
                guesser.gate: guesser.guesses(anew, buy=options.may_ask(guesser.run))
                for guesser in asking
            }
            by_model = _judged(settings, benchmark, checker, anew, tables)
            frames = tables.pop("frames").partition_by("recording_id", as_dict=True)
            given = EvidenceTables(
                tables,
                {str(key[0]): rows for key, rows in frames.items()},
                protocols,
                guesses,
                known,
                decided,
                by_model.checked,
                accepted_only=settings.benchmarks[benchmark].accepted_only,
            )
            # Where a call failed, a verdict has no input hash yet: it is judged again when there is a
            # reply.
            missing = {
                key
                for guesser in asking
                for key in anew["question_hash"]
                if guesser.is_asked(key) and key not in guesses[guesser.gate]
            }
            owed = anew.filter(pl.col("question_hash").is_in(sorted(missing | by_model.open)))
            unsettled = any(
                h in by_model.open or any(guesser.is_unsettled(h) for guesser in asking)
                for h in owed["question_hash"]
            )
            settled = now.join(owed, on="question_id", how="anti")
            judged = judge(anew, given).drop("input_hash")
            judged = judged.join(settled, on="question_id", how="left", maintain_order="left")
            rows = pl.concat([kept, judged.select(kept.columns)])
            yield Output([unit.name], {"question_gates": rows}, lasting=not unsettled)
    if checker is not None:
        checker.record_costs()
    for guesser in asking:
        guesser.record_costs()


def _input_hashes(
    questions: pl.DataFrame, builder: Builder, inputs: Inputs, unit: Unit
) -> dict[str, str]:
    """Hash of what each question's verdicts rest on beside what all share, by question id.

    Of a pool and of a released set only the recordings that a question shows count; a take, a
    recording and a source count whole.
    """
    assert unit.reads is not None
    reads, source = unit.reads, unit.source
    of_recording = {n: c for n, c in reads.items() if TABLES[n].unit == "recording_id"}
    others = {n: c for n, c in reads.items() if TABLES[n].unit not in ("recording_id", "pool")}
    of_pool = {n: c for n, c in reads.items() if TABLES[n].unit == "pool"}
    uids = unit.keys["recordings"]
    known = {
        uid: digest(inputs.row_hashes(of_recording, dict.fromkeys(of_recording, (uid,)), source))
        for uid in uids
    }
    always = digest(inputs.row_hashes(others, {}, source))
    whole_pool = digest(inputs.row_hashes(of_pool, unit.keys, source))
    # A source has thousands of recordings: they are put together once, not per question.
    is_source = builder.unit == "source"
    whole_source = [digest([known.get(uid, uid) for uid in sorted(uids)])] if is_source else []
    content = dict(
        zip(questions["question_id"], row_hashes(TABLES["questions"], questions), strict=True)
    )
    hashes = {}
    for key, media, evidence in questions.select("question_id", "media", "evidence").iter_rows():
        of_media = builder.unit in ("pool", "question_set")
        whole = set[str]() if is_source else set(uids)
        shown = {m["recording_id"] for m in media} if of_media else whole
        named = {e["table"] for e in evidence} & of_pool.keys()
        hashes[key] = digest(
            [
                content[key],
                always,
                *([whole_pool] if named else []),
                *whole_source,
                *(known.get(uid, uid) for uid in sorted(shown)),
            ]
        )
    return hashes


def planned_guesses(settings: Settings, benchmark: str, options: Options) -> list[PlannedCalls]:
    """Calls that the gates `blind` and `single_frame` would make, if no question changed before."""
    return [guesser.planned() for guesser in guessers(settings, benchmark, options.retry_errors)]


def _due(inputs: Inputs, options: Options) -> frozenset[str]:
    """Units whose engine or model failed and is to be asked again, though nothing changed."""
    settings, benchmark = inputs.settings, inputs.partition
    again: set[str] = set()
    for guesser in guessers(settings, benchmark, options.retry_errors):
        failed = guesser.failed(due=True)
        again |= set(guesser.unjudged(failed)["pool"]) if failed else set()
    if _has_failed_checks(settings, benchmark, options, due=True):
        again |= set(_without_model_verdict(settings, benchmark)["pool"])
    return frozenset(again)


def _has_failed_checks(
    settings: Settings, benchmark: str, options: Options | None, *, due: bool
) -> bool:
    checker = _checker(settings, benchmark, options)
    forms = [step.form for step in checking_steps(benchmark)]
    return checker is not None and checker.failed_calls(forms, due=due) > 0


def _without_model_verdict(settings: Settings, benchmark: str) -> pl.DataFrame:
    """Questions on which the model that judges them gave no verdict: `pool`, `question_hash`."""
    columns = ("pool", "question_hash", "rule", "message")
    rows = settings.store.scan(TABLES["question_gates"], benchmark, columns=columns)
    # A gate that found several faults names the others in its message.
    lacking = pl.any_horizontal(
        pl.col(name).str.contains(NO_MODEL_VERDICT, literal=True) for name in ("rule", "message")
    )
    return rows.filter(lacking).select("pool", "question_hash").unique().collect()


def failed_model_verdicts(settings: Settings, benchmark: str) -> int:
    """Questions that the model that judges them gave no verdict on because its calls failed."""
    if not _has_failed_checks(settings, benchmark, None, due=False):
        return 0
    return len(_without_model_verdict(settings, benchmark))


def failed_guesses(settings: Settings, benchmark: str) -> dict[str, int]:
    """Questions without a verdict because calls failed, by gate; of gates that have any."""
    counts = {}
    for guesser in guessers(settings, benchmark):
        failed = guesser.failed()
        if failed:
            counts[guesser.gate] = len(guesser.unjudged(failed))
    return {gate: n for gate, n in counts.items() if n}


def _note(inputs: Inputs) -> str:
    """Which gates do not apply, since no model is configured for them, and which steps the model cannot do."""
    settings, benchmark = inputs.settings, inputs.partition
    notes = []
    absent = settings.benchmarks[benchmark].gates_not_applied
    if absent:
        does = "gate {} does not apply" if len(absent) == 1 else "gates {} do not apply"
        notes.append(f"{does.format(' and '.join(absent))}: no model is configured")
    checker = _checker(settings, benchmark)
    if checker is not None:
        applied = _applied(benchmark, checker)
        blind = [s.form.name for s in checking_steps(benchmark) if s not in applied]
        if blind:
            notes.append(
                f"{checker.run.name} takes no pictures and is not asked {', '.join(blind)}"
            )
    return "; ".join(notes)


def verdicts(settings: Settings, benchmark: str) -> pl.DataFrame:
    """All verdicts on a benchmark's questions.

    Raises:
        IncompleteUpstream: The gates were interrupted.
    """
    read_complete(settings.store, STAGE.name, benchmark)
    return settings.store.read(TABLES["question_gates"], benchmark)


def _asks(settings: Settings) -> Iterator[RunConfig]:
    for benchmark, config in settings.benchmarks.items():
        for name in filter(None, config.gate_runs.values()):
            yield settings.runs[name]
        checker = _checker(settings, benchmark)
        if checker is not None and checking_steps(benchmark):
            yield checker.run


STAGE = Stage(
    name="question_gates",
    group="questions",
    summary="Verdicts of the gates on each question.",
    partition="benchmark",
    tables=("question_gates",),
    reads=merge_reads(
        {"questions": None, "reviews": None},
        STAGE_OF_QUESTIONS.reads,
        *(gate_reads(builder) for builder in builders().values()),
        SHOWN_READS,
    ),
    configured_reads=_configured_reads,
    partition_reads=_partition_reads,
    units=_units,
    compute=_compute,
    again=_due,
    code=(judge,),
    adds_to=("calls", "costs"),
    asks=_asks,
    note=_note,
    lineage={
        "question_gates": {
            "verdict": [
                ("questions", "answer"),
                ("questions", "media"),
                ("questions", "evidence"),
                ("frames", "t_s"),
                ("reviews", "verdict"),
            ],
            "question_hash": [("questions", "question_hash")],
        },
    },
)
