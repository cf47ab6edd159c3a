"""Judgements of a run's answers: one unit per question; and tests of judges: one unit per judge.

Every call of a judge is in `calls`, in the partition `texts.judging.<judge>`, and is made once per prompt and
model, however many runs give the same answer. The model and everything else that decides a verdict are part
of what a unit is computed from: another judge judges anew.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import polars as pl

from assets.options import Options, Tell
from assets.predictions.answers import was_cut_off
from assets.predictions.judging.cases import (
    MAX_TOKENS,
    VERSION,
    Case,
    Kind,
    Ruling,
    decide,
    open_case,
    prompt_of,
    reasoning_case,
)
from assets.predictions.judging.known_answers import KnownAnswer, known_answers
from assets.predictions.judging.replies import read_judge
from assets.protocols.declared import protocol_of
from assets.stage import Inputs, Stage, Unit
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from resources.config import JudgeConfig, Settings
from resources.models import EngineUnavailableError
from resources.models.calls.calls import TextModel, TextReply
from resources.models.costs.costs import refresh_costs
from resources.models.costs.estimate import PlannedCalls
from resources.models.runs import RunConfig
from resources.store.incremental import Output, Progress
from resources.store.tables import TableStore

PURPOSE = "judging"
_CALL_ERROR, _NOT_ASKED = "call_error", "not_asked"
_AT_ONCE = 200
_ASKED = (
    "question_id",
    "question_hash",
    "subtask",
    "recording_id",
    "text",
    "answer_text",
    "detailed_answer",
    "rationale",
)
_TESTED = (*_ASKED, "options")


@dataclass(frozen=True, slots=True)
class Decision:
    """A ruling, and the call it rests on.

    Attributes:
        ruling: The ruling.
        reply: The judge's reply; None without one.
        call_key: Its call; None where none was made.
        settled: Whether asking again is not worth it.
    """

    ruling: Ruling
    reply: str | None = None
    call_key: str | None = None
    settled: bool = True


class Judge:
    """A configured judge, opened once per step.

    Args:
        store: Table store.
        config: The judge.
        options: A person's choices.
    """

    def __init__(self, store: TableStore, config: JudgeConfig, options: Options) -> None:
        self.name = config.name
        self.mode: Any = config.mode
        self._store, self._run = store, config.model
        self._buy = options.may_ask(config.model, needs_auto=True)
        self._model = TextModel(
            store,
            PURPOSE,
            config.model,
            VERSION,
            max_tokens=MAX_TOKENS,
            retry_errors=options.retry_errors,
        )

    def record_costs(self) -> None:
        """Sum up what all its calls cost, those of other benchmarks included."""
        refresh_costs(self._store, self._model.partition, self._run)

    @cached_property
    def identity(self) -> str:
        """What decides its verdicts beside the answers."""
        return digest([self.name, self.mode, self.model, self._model.identity])

    @property
    def model(self) -> str:
        """Model and revision."""
        return self._model.engine.model

    def judge(self, cases: Mapping[str, Case], progress: Progress) -> dict[str, Decision]:
        """Decisions on cases, those that need no call included.

        Args:
            cases: Cases by name; the name is recorded with the call.
            progress: Called with prompts done, prompts to do, and the last name.

        Raises:
            EngineUnavailableError: The judge cannot be asked.
        """
        rulings = {name: decide(case, self.mode) for name, case in cases.items()}
        prompts = self.prompts(cases)
        replies = self._model.ask(prompts, buy=self._buy, progress=progress) if prompts else {}
        return {
            name: self._decision(cases[name], replies[name]) if ruling is None else Decision(ruling)
            for name, ruling in rulings.items()
        }

    def prompts(self, cases: Mapping[str, Case]) -> dict[str, str]:
        """Prompts of the cases that need a call."""
        return {
            name: prompt_of(case, self.mode)
            for name, case in cases.items()
            if decide(case, self.mode) is None
        }

    def planned(self, purpose: str, cases: Mapping[str, Case]) -> PlannedCalls:
        """Calls that judging cases would make."""
        return self._model.planned(purpose, self.prompts(cases))

    def _decision(self, case: Case, reply: TextReply) -> Decision:
        if reply.status != "ok":
            rule = _CALL_ERROR if reply.status == "error" else _NOT_ASKED
            ruling = Ruling("unjudged", None, reply.error, rule)
            return Decision(ruling, None, reply.call_key, reply.settled)
        text = reply.text or ""
        ruling = read_judge(case, self.mode, text, truncated=reply.finish_reason == "length")
        return Decision(ruling, text, reply.call_key)


def judged_kind(settings: Settings, key: str) -> Kind | None:
    """What is judged of an evaluation; None where its benchmark names no judge or nothing is to be judged.

    Args:
        settings: Configuration.
        key: The evaluation, `benchmark.run`.
    """
    benchmark, _, run = key.partition(".")
    if not settings.benchmarks[benchmark].judges:
        return None
    protocol = protocol_of(settings, benchmark, settings.runs[run])
    # A protocol for certain subtasks asks for answers of a form (chains, pairs), which need no judge.
    if protocol.answer_by == "words" and not protocol.subtasks:
        return "open"
    return "reasoning" if protocol.asks_reasoning else None


def tested_kinds(settings: Settings, benchmark: str) -> list[Kind]:
    """What judges of a benchmark are tested on: what they judge of any of its runs."""
    keys = [key for key in settings.evaluations() if key.partition(".")[0] == benchmark]
    return sorted({kind for key in keys if (kind := judged_kind(settings, key)) is not None})


def _judges(settings: Settings, benchmark: str, options: Options) -> list[Judge]:
    return [Judge(settings.store, one, options) for one in settings.judges_of(benchmark)]


def _questions(settings: Settings, benchmark: str, columns: Sequence[str] = _ASKED) -> pl.DataFrame:
    rows = settings.store.read(TABLES["questions"], benchmark, columns=columns)
    return rows.sort("question_id")


def _has_reference(kind: Kind) -> pl.Expr:
    if kind == "open":
        return pl.col("answer_text").str.strip_chars().str.len_chars() > 0
    return pl.col("rationale").list.len() > 0


# -- judgements ----------------------------------------------------------------------------------------


def _units(inputs: Inputs) -> Iterator[Unit]:
    """Questions with a reply and a reference to judge it by."""
    settings, key = inputs.settings, inputs.partition
    kind = judged_kind(settings, key)
    if kind is None:
        return
    benchmark = key.partition(".")[0]
    inputs.stored_units("answers")
    identities = [judge.identity for judge in _judges(settings, benchmark, Options())]
    for row in _to_judge(inputs, kind).iter_rows(named=True):
        name = row["question_id"]
        parameters = (kind, *identities, digest([repr(row)]))
        # An answer names the call it was read from, which never changes.
        yield Unit(name, {"answers": (name,), "questions": (), "calls": ()}, parameters)


def _to_judge(inputs: Inputs, kind: Kind) -> pl.DataFrame:
    """Questions with a reply and a reference to judge it by, ascending."""
    benchmark = inputs.partition.partition(".")[0]
    questions = _questions(inputs.settings, benchmark).filter(_has_reference(kind))
    answered = _replied(inputs).select("question_id", "question_hash").unique()
    current = questions.join(answered, on=["question_id", "question_hash"], how="semi")
    return current.sort("question_id")


def cases_to_judge(settings: Settings, key: str) -> list[tuple[dict[str, Any], Case]]:
    """Answers of an evaluation that a judge is asked about, each with its case; no engine is opened.

    Args:
        settings: Configuration.
        key: The evaluation.
    """
    kind = judged_kind(settings, key)
    if kind is None:
        return []
    inputs = Inputs(settings, STAGE, key)
    asked = _to_judge(inputs, kind)
    answers, cases = _cases(inputs, asked["question_id"].to_list(), asked)
    return [(row, cases[_item(row)]) for row in answers.iter_rows(named=True)]


def _replied(inputs: Inputs, units: Collection[str] | None = None) -> pl.DataFrame:
    """Answers with a reply: a failed call is not an answer."""
    return inputs.read("answers", units=units).filter(pl.col("status") != "error")


def _cases(
    inputs: Inputs, units: Sequence[str], asked: pl.DataFrame
) -> tuple[pl.DataFrame, dict[str, Case]]:
    """Answers to some questions, and their cases by `question_id/sample`."""
    settings, key = inputs.settings, inputs.partition
    kind = judged_kind(settings, key)
    mine = asked.filter(pl.col("question_id").is_in(units))
    questions = {row["question_id"]: row for row in mine.iter_rows(named=True)}
    answers = _replied(inputs, units)
    columns = ("call_key", "attempt", "reply", "finish_reason", "reply_cut_bytes")
    calls = settings.store.read(
        TABLES["calls"], key, answers["call_key"].unique().to_list(), columns=columns
    )
    replies = {(row["call_key"], row["attempt"]): row for row in calls.iter_rows(named=True)}
    cases = {}
    for row in answers.iter_rows(named=True):
        question = questions[row["question_id"]]
        call = replies.get((row["call_key"], row["attempt"]))
        reply, cut = ("", False) if call is None else (call["reply"] or "", was_cut_off(call))
        if kind == "open":
            case = open_case(question, reply, truncated=cut)
            cases[_item(row)] = replace(case, matched=row["match"] or "")
        else:
            cases[_item(row)] = reasoning_case(question, reply)
    return answers, cases


def _item(answer: Mapping[str, Any]) -> str:
    return f"{answer['question_id']}/{answer['sample'] or 0}"


def _compute(
    inputs: Inputs, units: Sequence[Unit], options: Options, tell: Tell
) -> Iterator[Output]:
    """Ask each judge about some answers at a time; what it cannot be asked now is asked again."""
    benchmark = inputs.partition.partition(".")[0]
    judges = _judges(inputs.settings, benchmark, options)
    questions = _questions(inputs.settings, benchmark)
    names = [unit.name for unit in units]
    for at in range(0, len(names), _AT_ONCE):
        batch = names[at : at + _AT_ONCE]
        answers, cases = _cases(inputs, batch, questions)
        rows: list[dict[str, Any]] = []
        waiting: set[str] = set()
        for judge in judges:
            found = judge.judge(cases, tell(f"{judge.name} judges"))
            for answer in answers.iter_rows(named=True):
                decision = found[_item(answer)]
                case = cases[_item(answer)]
                rows.append(_judgement(answer, judge, case, decision))
                if not decision.settled:
                    waiting.add(answer["question_id"])
        judgements = TABLES["judgements"].frame(rows)
        is_waiting = pl.col("question_id").is_in(sorted(waiting))
        for lasting, mine in (
            (True, judgements.filter(~is_waiting)),
            (False, judgements.filter(is_waiting)),
        ):
            done = [name for name in batch if (name in waiting) != lasting]
            if done:
                yield Output(done, {"judgements": mine}, lasting=lasting)
    for judge in judges:
        judge.record_costs()


def _judgement(
    answer: Mapping[str, Any], judge: Judge, case: Case, decision: Decision
) -> dict[str, Any]:
    copied = ("benchmark", "run", "question_id", "question_hash", "subtask", "recording_id")
    return {
        **{name: answer[name] for name in copied},
        "sample": answer["sample"] or 0,
        "answer_call_key": answer["call_key"],
        **_decided(judge, case, decision),
    }


def _decided(judge: Judge, case: Case, decision: Decision) -> dict[str, Any]:
    ruling = decision.ruling
    return {
        "judge": judge.name,
        "kind": case.kind,
        "mode": judge.mode,
        "model": judge.model,
        "verdict": ruling.verdict,
        "mark": ruling.mark,
        "reason": ruling.reason,
        "rule": ruling.rule,
        "reply": decision.reply,
        "call_key": decision.call_key,
    }


def _again(inputs: Inputs, options: Options) -> Collection[str]:
    """Questions whose judge failed too often, where a person wants them asked again."""
    if not options.retry_errors or judged_kind(inputs.settings, inputs.partition) is None:
        return ()
    columns = ("question_id", "rule")
    rows = inputs.store.read(TABLES["judgements"], inputs.partition, columns=columns)
    return set(rows.filter(rule=_CALL_ERROR)["question_id"])


def failed_judgements(settings: Settings, key: str) -> int:
    """Answers of an evaluation that a judge failed on."""
    if judged_kind(settings, key) is None:
        return 0
    rows = settings.store.read(TABLES["judgements"], key, columns=("rule",))
    return int((rows["rule"] == _CALL_ERROR).sum())


def planned_judgements(settings: Settings, key: str, options: Options) -> list[PlannedCalls]:
    """Calls that an update would make for the answers there are, judge by judge.

    Args:
        settings: Configuration.
        key: The evaluation.
        options: A person's choices.
    """
    inputs = Inputs(settings, STAGE, key)
    names = list(inputs.units())
    if not names:
        return []
    benchmark = key.partition(".")[0]
    _, cases = _cases(inputs, names, _questions(inputs.settings, benchmark))
    judges = _judges(inputs.settings, benchmark, options)
    return [judge.planned(f"judgements of {key}", cases) for judge in judges]


def _filled(settings: Settings, key: str) -> Collection[str]:
    return ("judgements",) if judged_kind(settings, key) is not None else ()


def _asks(settings: Settings) -> Iterator[RunConfig]:
    for key in settings.evaluations():
        if judged_kind(settings, key) is not None:
            yield from (one.model for one in settings.judges_of(key.partition(".")[0]))


STAGE = Stage(
    name="judgements",
    group="predictions",
    summary="Judges decide on answers in words, and mark the reasoning beside letters.",
    partition="evaluation",
    tables=("judgements",),
    reads={"answers": None, "questions": _ASKED, "calls": None},
    units=_units,
    compute=_compute,
    again=_again,
    code=(decide, prompt_of, read_judge, open_case, reasoning_case),
    adds_to=("calls", "costs"),
    asks=_asks,
    fills=_filled,
    lineage={
        "judgements": {
            "answer_call_key": [("answers", "call_key")],
            **{
                column: [
                    ("calls", "reply"),
                    ("questions", "answer_text"),
                    ("questions", "detailed_answer"),
                    ("questions", "rationale"),
                ]
                for column in ("verdict", "mark", "reason", "rule", "reply", "call_key")
            },
        }
    },
)


# -- tests of judges -----------------------------------------------------------------------------------


def _tests(settings: Settings, benchmark: str) -> list[KnownAnswer]:
    questions = _questions(settings, benchmark, _TESTED).to_dicts()
    return [
        test
        for kind in tested_kinds(settings, benchmark)
        for test in known_answers(questions, kind)
    ]


def _tested_judges(inputs: Inputs) -> Iterator[Unit]:
    """Judges of the benchmark, where anything of it is judged."""
    settings, benchmark = inputs.settings, inputs.partition
    if not _tested(settings, benchmark):
        return
    inputs.stored_units("questions")
    content = digest(repr(test) for test in _tests(settings, benchmark))
    for judge in _judges(settings, benchmark, Options()):
        yield Unit(judge.name, {"questions": ()}, (judge.identity, content))


def _test(inputs: Inputs, units: Sequence[Unit], options: Options, tell: Tell) -> Iterator[Output]:
    settings, benchmark = inputs.settings, inputs.partition
    tests = _tests(settings, benchmark)
    cases = {f"{test.case.kind}/{test.item}": test.case for test in tests}
    due = {unit.name for unit in units}
    for judge in _judges(settings, benchmark, options):
        if judge.name not in due:
            continue
        try:
            found = judge.judge(cases, tell(f"{judge.name} is tested"))
        except EngineUnavailableError:
            # The evaluations say so where they need it; they must not wait for a test.
            yield Output([judge.name], {}, lasting=False)
            continue
        decided = [(test, found[f"{test.case.kind}/{test.item}"]) for test in tests]
        rows = [_test_row(benchmark, test, judge, decision) for test, decision in decided]
        yield Output(
            [judge.name],
            {"judge_tests": TABLES["judge_tests"].frame(rows)},
            lasting=all(decision.settled for _, decision in decided),
        )
        judge.record_costs()


def _test_row(
    benchmark: str, test: KnownAnswer, judge: Judge, decision: Decision
) -> dict[str, Any]:
    return {
        "benchmark": benchmark,
        "item": test.item,
        "question_id": test.question_id,
        "test_class": test.test_class,
        "test": test.test,
        "text": test.case.given,
        "expected": test.expected,
        **_decided(judge, test.case, decision),
    }


def planned_tests(settings: Settings, benchmark: str, options: Options) -> list[PlannedCalls]:
    """Calls that testing the judges of a benchmark would make, judge by judge."""
    if not _tested(settings, benchmark):
        return []
    inputs = Inputs(settings, TESTS, benchmark)
    cases = {
        f"{test.case.kind}/{test.item}": test.case for test in _tests(inputs.settings, benchmark)
    }
    judges = _judges(inputs.settings, benchmark, options)
    return [judge.planned(f"tests of judges of {benchmark}", cases) for judge in judges]


def _tested(settings: Settings, benchmark: str) -> bool:
    return bool(settings.benchmarks[benchmark].judges) and bool(tested_kinds(settings, benchmark))


def _filled_tests(settings: Settings, benchmark: str) -> Collection[str]:
    return ("judge_tests",) if _tested(settings, benchmark) else ()


def _asks_in_tests(settings: Settings) -> Iterator[RunConfig]:
    for benchmark in settings.benchmarks:
        if _tested(settings, benchmark):
            yield from (one.model for one in settings.judges_of(benchmark))


TESTS = Stage(
    name="judge_tests",
    group="predictions",
    summary="Judges are tested on answers known to be right or wrong, made to turn them, or with one fault.",
    partition="benchmark",
    tables=("judge_tests",),
    reads={"questions": _TESTED},
    units=_tested_judges,
    compute=_test,
    code=(known_answers, decide, prompt_of, read_judge),
    adds_to=("calls", "costs"),
    asks=_asks_in_tests,
    fills=_filled_tests,
    lineage={
        "judge_tests": {
            "text": [
                ("questions", "answer_text"),
                ("questions", "rationale"),
                ("questions", "options"),
            ],
            "verdict": [("questions", "answer_text"), ("questions", "rationale")],
        }
    },
)
