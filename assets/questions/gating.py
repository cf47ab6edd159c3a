"""Gates of a benchmark's questions: one unit per unit of questions, judged by other code than built.

Verdicts depend on the protocols that are configured to ask (what they send of each clip), on the
tables an answer rests on, and on what an engine without eyes prefers.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import polars as pl

from assets.options import Options, Tell
from assets.protocols.declared import protocol_of
from assets.questions.blind import Blind
from assets.questions.inputs import Inputs
from assets.questions.kit.builder import Builder
from assets.questions.stage import STAGE as QUESTIONS
from assets.questions.stage import UNITS as QUESTION_UNITS
from assets.questions.stage import configured_builders, grouped, unit_name
from expectations.gates import Given, judge, reads_of
from expectations.gates.judging import Derivations, functions_of
from expectations.gates.registry import derivations
from expectations.schemas import TABLES
from expectations.schemas.core import Reads
from expectations.schemas.identity import digest, row_hashes
from resources.config import Settings
from resources.plugins import benchmark_packages
from resources.store.code_version import code_version
from resources.store.incremental import Output, Report, Stage, make_plan, run_stage
from resources.store.ledger import read_complete

STAGE = Stage("question_gates", (TABLES["question_gates"],))
_FRAME = ("recording_id", "grid", "t_s", "part", "source_frame", "source_pts", "residual_ms")


def protocols_of(settings: Settings, benchmark: str) -> dict[str, str | None]:
    """Sampling rule of each protocol under which a configured run asks a benchmark."""
    found = {}
    for run in settings.runs.values():
        if not run.benchmarks or benchmark in run.benchmarks:
            protocol = protocol_of(settings, benchmark, run)
            found[protocol.label] = None if protocol.sampling is None else str(protocol.sampling)
    return dict(sorted(found.items()))


def configured_derivations(settings: Settings) -> Derivations:
    """Derivations of all benchmarks, plug-ins included."""
    packages = benchmark_packages(settings.plugins, settings.home)
    return derivations(tuple(package.__name__ for package in packages))


def _reads(settings: Settings, builder: Builder) -> dict[str, tuple[str, ...] | None]:
    """What the gates read of a unit: their own tables, and those evidence may name."""
    return {
        **dict.fromkeys(builder.reads),
        **reads_of(builder.benchmark, configured_derivations(settings)),
        "frames": _FRAME,
    }


def _shared(settings: Settings, benchmark: str, blind: Blind) -> list[str]:
    """What every verdict depends on."""
    return [
        code_version(*functions_of(benchmark, configured_derivations(settings))),
        repr(protocols_of(settings, benchmark)),
        blind.made_from(),
    ]


def wanted(settings: Settings, benchmark: str) -> dict[str, str]:
    """Units of questions, and what their verdicts are made from."""
    questions = read_complete(settings.store, QUESTIONS.name, benchmark)
    content = TABLES["questions"].content_columns
    blind = Blind(settings, benchmark)
    shared = _shared(settings, benchmark, blind)
    units = {}
    for source in settings.sources_of(benchmark):
        inputs = Inputs(settings.store, source)
        for recipe, builder in configured_builders(settings, benchmark).items():
            reads = _reads(settings, builder)
            for unit, uids in inputs.units(builder.unit).items():
                name = unit_name(source, recipe, unit)
                if name in questions and questions[name].n_rows:
                    parts = [*shared, questions[name].inputs("questions", content)]
                    parts += [*blind.chosen(name), *inputs.hashes(reads, unit, uids)]
                    units[name] = digest(parts)
    return units


def _compute(
    settings: Settings, benchmark: str, retry_errors: bool, todo: list[str]
) -> Iterator[Output]:
    protocols = protocols_of(settings, benchmark)
    blind = Blind(settings, benchmark, retry_errors)
    shared = _shared(settings, benchmark, blind)
    for builder, inputs, units in grouped(settings, benchmark, todo):
        reads = _reads(settings, builder)
        for unit, tables in inputs.read(reads, units):
            name = unit_name(inputs.source, builder.recipe, unit)
            questions = settings.store.read(TABLES["questions"], benchmark, [name])
            made_from = _made_from(questions, builder, inputs, reads, unit, units[unit])
            chosen = set(blind.chosen(name))
            made_from = {
                row["question_id"]: digest(
                    [*shared, made_from[row["question_id"]], str(row["question_hash"] in chosen)]
                )
                for row in questions.select("question_id", "question_hash").iter_rows(named=True)
            }
            now = pl.DataFrame(
                {"question_id": list(made_from), "made_from": list(made_from.values())},
                schema={"question_id": pl.String, "made_from": pl.String},
            )
            # A pool is large and one recording of it changes: what rests on others keeps its verdict.
            held = settings.store.read(TABLES["question_gates"], benchmark, [name])
            held = held.join(now, on=["question_id", "made_from"], how="semi")
            anew = questions.filter(~pl.col("question_id").is_in(held["question_id"].to_list()))
            frames = tables.pop("frames").partition_by("recording_id", as_dict=True)
            scores = blind.scores(anew)
            given = Given(
                tables,
                {str(key[0]): rows for key, rows in frames.items()},
                protocols,
                scores,
                configured_derivations(settings),
            )
            # What the engine failed on is made from nothing yet: it is judged again when there is a
            # score.
            owed = anew.filter(pl.col("question_hash").is_in(chosen - scores.keys()))
            unsettled = any(blind.is_unsettled(h) for h in owed["question_hash"])
            said_of = now.join(owed, on="question_id", how="anti")
            judged = judge(anew, given).drop("made_from")
            judged = judged.join(said_of, on="question_id", how="left", maintain_order="left")
            verdicts_now = pl.concat([held, judged.select(held.columns)])
            yield Output([name], {"question_gates": verdicts_now}, lasting=not unsettled)


def _made_from(
    questions: pl.DataFrame,
    builder: Builder,
    inputs: Inputs,
    reads: Reads,
    unit: str,
    uids: list[str],
) -> dict[str, str]:
    """What each question's verdicts are made from beside what all share, by question id.

    Of a pool only the recordings that a question shows count; a take and a recording count whole.
    """
    of_recording = {n: c for n, c in reads.items() if TABLES[n].unit == "recording_id"}
    others = {n: c for n, c in reads.items() if TABLES[n].unit not in ("recording_id", "pool")}
    of_pool = {n: c for n, c in reads.items() if TABLES[n].unit == "pool"}
    known = {uid: digest(inputs.hashes(of_recording, uid, [uid])) for uid in uids}
    always = digest(inputs.hashes(others, "", []))
    whole_pool = digest(inputs.hashes(of_pool, unit, []))
    content = dict(
        zip(questions["question_id"], row_hashes(TABLES["questions"], questions), strict=True)
    )
    found = {}
    for key, media, evidence in questions.select("question_id", "media", "evidence").iter_rows():
        shown = {m["recording_id"] for m in media} if builder.unit == "pool" else set(uids)
        named = {e["table"] for e in evidence} & of_pool.keys()
        found[key] = digest(
            [
                content[key],
                always,
                *([whole_pool] if named else []),
                *(known.get(uid, uid) for uid in sorted(shown)),
            ]
        )
    return found


def _due(settings: Settings, benchmark: str, options: Options) -> frozenset[str]:
    """Units whose engine failed and is to be asked again, though nothing moved."""
    blind = Blind(settings, benchmark, options.retry_errors)
    failed = blind.failed(due=True)
    return frozenset(blind.unscored(failed)["pool"]) if failed else frozenset()


def bring_up(settings: Settings, benchmark: str, options: Options, tell: Tell) -> list[Report]:
    """Build the questions whose inputs changed, then judge those whose evidence did."""
    questions = QUESTION_UNITS.bring_up(settings, benchmark, options, tell)
    gates = run_stage(
        settings.store,
        STAGE,
        benchmark,
        lambda: wanted(settings, benchmark),
        partial(_compute, settings, benchmark, options.retry_errors),
        again=_due(settings, benchmark, options),
        progress=tell(STAGE.name),
    )
    return [*questions, gates]


def is_fresh(settings: Settings, benchmark: str, options: Options) -> bool:
    """Whether no unit is to be built or judged."""
    if not QUESTION_UNITS.is_fresh(settings, benchmark, options):
        return False
    again = _due(settings, benchmark, options)
    now = wanted(settings, benchmark)
    return make_plan(settings.store, STAGE, benchmark, now, again=again).is_fresh


def failed_blind_calls(settings: Settings, benchmark: str) -> int:
    """Questions without a verdict of the gate `blind` because its engine failed."""
    blind = Blind(settings, benchmark)
    failed = blind.failed()
    return len(blind.unscored(failed)) if failed else 0


def verdicts(settings: Settings, benchmark: str) -> pl.DataFrame:
    """All verdicts on a benchmark's questions.

    Raises:
        IncompleteUpstream: The gates were interrupted.
    """
    read_complete(settings.store, STAGE.name, benchmark)
    return settings.store.read(TABLES["question_gates"], benchmark)
