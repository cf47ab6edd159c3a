"""Judge questions by every gate, and say which may be published."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from expectations.gates.base import (
    SEVERITY,
    CannotTell,
    Derivation,
    Derived,
    Finding,
    Gate,
    Question,
    listed,
)
from expectations.gates.registry import derivations, gates
from expectations.gates.rewordings import plain_question
from expectations.gates.tables import EVIDENCE_KEYS, EvidenceTables
from expectations.gates.well_formed import broken_shape
from expectations.schemas import TABLES
from expectations.schemas.readings import bare_recipe

_RECORDINGS = (
    "source",
    "recording_id",
    "take_id",
    "view",
    "split",
    "media",
    "media_hashes",
    "duration_s",
    "media_duration_s",
    "licence",
)
_OF_QUESTION = ("benchmark", "source", "pool", "subtask", "question_id", "question_hash")
_OF_FINDING = (
    *("gate", "protocol", "verdict", "rule", "value", "threshold", "model", "orders"),
    "message",
)
_SHOWN_MESSAGES = 6
RELEASED = "released"
"""Rule of the verdicts that gates give on released questions without judging them."""
_AS_RELEASED = "not judged: the question stands as it was released, and no row derives its answer"


def judge(questions: pl.DataFrame, given: EvidenceTables) -> pl.DataFrame:
    """Verdicts of all gates on questions.

    One row per question and gate that applies; `seen_by_sampling` gives one per protocol instead. A gate that
    found several faults names the worst in `rule` and tells the others in `message`.

    Args:
        questions: Rows of `questions` of one or several units of one source.
        given: Tables and frames of these units.

    Returns:
        Rows of `question_gates` in key order.
    """
    table = TABLES["question_gates"]
    columns: dict[str, list[Any]] = {name: [] for name in (*_OF_QUESTION, *_OF_FINDING)}
    for row in questions.iter_rows(named=True):
        for finding in judge_one(row, given):
            for name in _OF_QUESTION:
                columns[name].append(row[name])
            for name in _OF_FINDING:
                columns[name].append(getattr(finding, name))
    rows = pl.DataFrame(columns, schema={name: table.schema[name] for name in columns})
    # Who asks for verdicts knows what they are made from.
    return rows.select(
        pl.col(name) if name in columns else pl.lit(None, dtype).alias(name)
        for name, dtype in table.schema.items()
    ).sort(table.key)


def judge_one(row: Mapping[str, Any], given: EvidenceTables) -> list[Finding]:
    """Verdicts on one row of `questions`, one per gate (and protocol), by gate name."""
    question = Question(row)
    broken = list(broken_shape(question))
    notes = Derived()
    if broken:
        notes.unknown = "the question is not well formed: " + broken[0].message
    elif not question.is_released:
        _derive(question, given, notes)
        checked = given.checked.get(str(row["question_hash"]))
        if checked is not None:
            notes.findings += [replace(f, model=f.model or checked.model) for f in checked.findings]
    said: list[Finding] = []
    for gate in gates().values():
        if gate.asks and gate.name not in given.guesses and not notes.said_by(gate.name):
            continue
        if broken and gate.name != "well_formed":
            said.append(Finding(gate.name, "not_well_formed", notes.unknown, "unknown"))
            continue
        if question.is_released and not gate.of_form:
            said.append(Finding(gate.name, RELEASED, _AS_RELEASED, "pass"))
            continue
        # A derivation speaks in a gate's name where only it knows the rule.
        found = [*gate.judge(question, given, notes)]
        found += [f for f in notes.said_by(gate.name) if f not in found]
        said.extend(_verdicts(gate, found, given))
    return said


Derivations = Mapping[tuple[str, str], Derivation]


def reads_of(benchmark: str, known: Derivations | None = None) -> dict[str, tuple[str, ...]]:
    """Tables the gates of a benchmark's questions read, with the columns used, sorted.

    `frames` comes beside: `EvidenceTables.frames`, per recording of the questions' media.
    """
    reads: dict[str, set[str]] = {"recordings": set(_RECORDINGS)}
    for (of, _), derivation in (derivations() if known is None else known).items():
        if of == benchmark:
            for table, columns in derivation.reads.items():
                reads.setdefault(table, set()).update(columns)
                reads[table].update(EVIDENCE_KEYS.get(table, ()))
    return {table: tuple(sorted(columns)) for table, columns in sorted(reads.items())}


def functions_of(benchmark: str, known: Derivations | None = None) -> list[Callable[..., Any]]:
    """Functions whose code decides about a benchmark's questions (for a code version)."""
    known = derivations() if known is None else known
    deriving = {d.derive for (of, _), d in known.items() if of == benchmark}
    return [
        judge,
        *(gate.judge for gate in gates().values()),
        *sorted(deriving, key=lambda f: f.__module__),
    ]


def published(
    questions: pl.DataFrame,
    verdicts: pl.DataFrame,
    protocol: str = "",
) -> pl.DataFrame:
    """Questions that may be published.

    No gate refuses them in the form they have now (a verdict on another `question_hash` says
    nothing), and every mandatory gate could judge them: `unknown` is not passed. A refusal under
    one protocol keeps a question from that protocol; where no protocol is named, a question stays
    unless all protocols it was judged under refuse it.

    Args:
        questions: Rows of `questions`.
        verdicts: Rows of `question_gates`.
        protocol: Label of the protocol it is to be asked under; empty for any.

    Returns:
        Rows of `questions`, in their order.
    """
    needed = [g.name for g in gates().values() if g.mandatory and not g.per_protocol]
    key = ["benchmark", "question_id", "question_hash"]
    of_all = pl.col("protocol") == ""
    refused = pl.col("verdict") == "refuse"
    blocked = verdicts.filter(of_all & refused).select(key).unique()
    judged = (
        verdicts.filter(of_all & pl.col("gate").is_in(needed) & (pl.col("verdict") != "unknown"))
        .group_by(key)
        .agg(pl.col("gate").n_unique().alias("judged"))
        .filter(pl.col("judged") == len(needed))
    )
    named = verdicts.filter(~of_all)
    if protocol:
        unseen = named.filter((pl.col("protocol") == protocol) & refused).select(key).unique()
    else:
        unseen = named.group_by(key).agg(refused.all()).filter("verdict").select(key)
    kept = questions.join(blocked, on=key, how="anti", maintain_order="left")
    if needed:
        kept = kept.join(judged, on=key, how="semi", maintain_order="left")
    return kept.join(unseen, on=key, how="anti", maintain_order="left")


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    known = derivations() if given.derivations is None else given.derivations
    derivation = known.get((question.benchmark, question.subtask))
    if derivation is None:
        notes.unknown = (
            f"no derivation is declared for {question.benchmark}/{question.subtask}: "
            "add a module with one"
        )
        return
    if bare_recipe(question.recipe) not in derivation.recipes:
        notes.refuse(
            "consistent",
            "unknown_recipe",
            f"recipe {question.recipe} is not one of {listed(derivation.recipes)}, whose questions"
            f" {question.benchmark}/{question.subtask} holds",
        )
    notes.explained_in = derivation.explained_in
    try:
        derivation.derive(plain_question(question, given, notes), given, notes)
    except CannotTell as silent:
        notes.unknown = str(silent)


def _verdicts(gate: Gate, found: list[Finding], given: EvidenceTables) -> list[Finding]:
    """One finding per protocol the gate speaks of: the worst, with the others in its message."""
    by_protocol: dict[str, list[Finding]] = {}
    for finding in found:
        by_protocol.setdefault(finding.protocol, []).append(finding)
    if not by_protocol:
        if gate.per_protocol:
            # Protocols that send nothing say nothing; without any protocol, that is reported.
            silent = Finding(gate.name, "no_protocol", "no protocol was given", "unknown")
            return [] if given.protocols else [silent]
        return [Finding(gate.name, "kept", "nothing was found against it", "pass")]
    return [_worst(by_protocol[p]) for p in sorted(by_protocol)]


def _worst(found: list[Finding]) -> Finding:
    ordered = sorted(found, key=lambda f: SEVERITY[f.verdict])
    worst = ordered[0]
    same = [f for f in ordered if f.verdict == worst.verdict]
    if worst.verdict == "pass" or len(same) == 1:
        return worst
    others = [f"{f.rule}: {f.message}" for f in same[1:_SHOWN_MESSAGES]]
    more = len(same) - 1 - len(others)
    tail = [f"and {more} more"] if more > 0 else []
    return replace(worst, message="; ".join([worst.message, *others, *tail]))
