"""What an engine that sees no video prefers: scores for the gate `blind`.

The engine is that of a configured run under a protocol that scores option texts by likelihood. Its
calls are kept with that run's, so that a question asked here is not bought again there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cached_property

import polars as pl

from assets.protocols.declared import protocol_of
from assets.protocols.rendering import build_prompt
from assets.questions.stage import STAGE as QUESTIONS
from expectations.gates import BlindScores
from expectations.gates.blind import NAME as BLIND
from expectations.gates.blind import asked_letters
from expectations.schemas import TABLES
from resources.config import ConfigError, Settings
from resources.models import Engine, open_engine
from resources.models.calls.call_log import CallLog
from resources.models.costs.estimate import PlannedCalls
from resources.models.prompt import Prompt
from resources.models.protocol import Protocol
from resources.models.runs import RunConfig
from resources.store.code_version import code_version
from resources.store.ledger import read_complete

_READ = ("question_hash", "protocol", "model", "option_scores")


class Blind:
    """The blind engine of a benchmark, opened once per step; without one nothing is scored."""

    def __init__(
        self,
        settings: Settings,
        benchmark: str,
        retry_errors: bool = False,
        may_ask: Callable[[RunConfig], bool] | None = None,
    ) -> None:
        self.settings = settings
        self._may_ask = may_ask
        self._retry_errors = retry_errors
        self.benchmark = benchmark
        config = settings.benchmarks[benchmark]
        self.run = settings.runs[config.blind] if config.blind else None
        self.limit = config.blind_limit
        self._unsettled: set[str] = set()
        if self.run is not None and self.protocol.answer_by != "option_likelihood":
            raise ConfigError(
                f"benchmark {benchmark}: run {config.blind} asks for letters; the gate `blind` needs"
                " a protocol that scores option texts by likelihood"
            )

    @cached_property
    def protocol(self) -> Protocol:
        """Protocol of the run."""
        assert self.run is not None
        return protocol_of(self.settings, self.benchmark, self.run)

    @cached_property
    def engine(self) -> Engine:
        """Engine of the run."""
        assert self.run is not None
        return open_engine(self.run, self.protocol.needs)

    @cached_property
    def _chosen(self) -> dict[str, list[str]]:
        """Hashes of the questions scored, by unit."""
        if self.run is None:
            return {}
        read_complete(self.settings.store, QUESTIONS.name, self.benchmark)
        columns = ("pool", "subtask", "question_hash", "options")
        rows = self.settings.store.read(TABLES["questions"], self.benchmark, columns=columns)
        # Where there is no option, there is none to prefer: chains and open questions are not scored.
        rows = rows.filter(pl.col("options").list.len() > 0)
        if self.limit is not None:
            # Equal contents have one turn: the order of rows must not decide between them.
            turn = pl.col("question_hash").rank("dense").over("subtask")
            rows = rows.filter(turn <= self.limit)
        found = (
            rows.sort("question_hash").group_by("pool", maintain_order=True).agg("question_hash")
        )
        return dict(found.iter_rows())

    def made_from(self) -> str:
        """What scores depend on beside the questions."""
        if self.run is None:
            return "no blind engine"
        return f"{code_version(build_prompt, asked_letters)} {self.protocol!r} {self.engine.model}"

    def chosen(self, unit: str) -> list[str]:
        """Hashes of a unit's questions that are scored."""
        return self._chosen.get(unit, [])

    def scores(self, questions: pl.DataFrame) -> dict[str, BlindScores]:
        """Scores of a unit's questions by question hash; what was not asked before is asked now."""
        if self.run is None or questions.is_empty():
            return {}
        wanted = set(self.chosen(questions["pool"][0]))
        prompts: list[Prompt] = []
        for row in questions.filter(pl.col("question_hash").is_in(wanted)).iter_rows(named=True):
            prompts.append(
                build_prompt(row, self.protocol, self.engine.model, letters=asked_letters(row))
            )
        calls = self._log.ask(prompts, buy=self._may_buy())
        scores: dict[str, BlindScores] = {}
        for prompt in prompts:
            call = calls.get(prompt.key)
            if call is not None and call.is_answered and call.row["option_scores"] is not None:
                scores[prompt.seed] = BlindScores(
                    dict(zip(prompt.choices, call.row["option_scores"], strict=True)),
                    self.engine.model,
                    self.engine.capabilities.path_test,
                )
        self._unsettled |= {p.seed for p in prompts if not self._log.is_settled(p.key)}
        return scores

    def _may_buy(self) -> bool:
        """Whether the engine may be asked; one that costs nothing always may."""
        run = self.run
        return run is None or not run.may_cost or self._may_ask is None or self._may_ask(run)

    def planned(self) -> PlannedCalls | None:
        """Calls that scoring all chosen questions would make; None without an engine."""
        if self.run is None:
            return None
        chosen = {key for keys in self._chosen.values() for key in keys}
        rows = self.settings.store.read(TABLES["questions"], self.benchmark)
        model = self.engine.model
        prompts = (
            build_prompt(row, self.protocol, model, letters=asked_letters(row))
            for row in rows.filter(pl.col("question_hash").is_in(chosen)).iter_rows(named=True)
        )
        self._log.known()
        purpose, label = f"gate {BLIND} of {self.benchmark}", self.protocol.label
        return PlannedCalls.of(purpose, self.run, model, label, prompts, self._log.is_due)

    def is_unsettled(self, question_hash: str) -> bool:
        """Whether a later run asks again about a question that `scores` was given."""
        return question_hash in self._unsettled

    def failed(self, *, due: bool = False) -> set[str]:
        """Hashes of questions whose last call failed, as the engine is asked now.

        Args:
            due: Only those that this run would ask again.
        """
        if self.run is None:
            return set()
        failed = self._log.failed(self.protocol.label, due=due)
        return {row["question_hash"] for row in failed}

    def unscored(self, hashes: Collection[str]) -> pl.DataFrame:
        """Verdicts that lack a score, of questions with these hashes: `pool`, `question_hash`."""
        columns = ("gate", "rule", "pool", "question_hash")
        verdicts = self.settings.store.scan(
            TABLES["question_gates"], self.benchmark, columns=columns
        )
        lacking = (pl.col("gate") == BLIND) & (pl.col("rule") == "not_asked")
        named = pl.col("question_hash").is_in(sorted(hashes))
        return verdicts.filter(lacking & named).select("pool", "question_hash").unique().collect()

    @cached_property
    def _log(self) -> CallLog:
        run = self.run
        assert run is not None
        return CallLog(
            self.settings.store,
            f"{self.benchmark}.{run.name}",
            self.benchmark,
            run,
            lambda: self.engine,
            _READ,
            self._retry_errors,
        )
