"""What an engine that sees no video prefers: scores for the gate `blind`.

The engine is that of a configured run under a protocol that scores option texts by likelihood. Its
calls are kept with that run's, so that a question asked here is not bought again there.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cached_property

import polars as pl

from assets.predictions.protocols import Protocol
from assets.predictions.replies import call_row
from assets.predictions.requests import Request, build_request
from assets.questions.stage import STAGE as QUESTIONS
from expectations.gates import BlindScores
from expectations.gates.blind import asked_letters
from expectations.schemas import TABLES
from resources.code_version import code_version
from resources.config import ConfigError, Settings
from resources.engines import Engine, open_engine
from resources.ledger import read_complete

CALLS = TABLES["calls"]
# What a process that dies has to pay again at most.
_BATCH = 16


class Blind:
    """The blind engine of a benchmark, opened once per step; without one nothing is scored."""

    def __init__(self, settings: Settings, benchmark: str) -> None:
        self.settings = settings
        self.benchmark = benchmark
        config = settings.benchmarks[benchmark]
        self.run = settings.runs[config.blind] if config.blind else None
        self.limit = config.blind_limit
        if self.run is not None and self.protocol.answer_by != "option_likelihood":
            raise ConfigError(
                f"benchmark {benchmark}: run {config.blind} asks for letters; the gate `blind` needs"
                " a protocol that scores option texts by likelihood"
            )

    @cached_property
    def protocol(self) -> Protocol:
        """Protocol of the run."""
        assert self.run is not None
        return self.settings.protocol_of(self.benchmark, self.run)

    @cached_property
    def engine(self) -> Engine:
        """Engine of the run."""
        assert self.run is not None
        return open_engine(self.run, self.protocol)

    @cached_property
    def _chosen(self) -> dict[str, list[str]]:
        """Hashes of the questions scored, by unit."""
        if self.run is None:
            return {}
        read_complete(self.settings.store, QUESTIONS.name, self.benchmark)
        columns = ("pool", "subtask", "question_hash")
        rows = self.settings.store.read(TABLES["questions"], self.benchmark, columns=columns)
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
        return f"{code_version(build_request, asked_letters)} {self.protocol!r} {self.engine.model}"

    def chosen(self, unit: str) -> list[str]:
        """Hashes of a unit's questions that are scored."""
        return self._chosen.get(unit, [])

    def scores(self, questions: pl.DataFrame) -> dict[str, BlindScores]:
        """Scores of a unit's questions by question hash; what was not asked before is asked now."""
        if self.run is None or questions.is_empty():
            return {}
        wanted = set(self.chosen(questions["pool"][0]))
        asked: dict[str, tuple[str, Request]] = {}
        for row in questions.filter(pl.col("question_hash").is_in(wanted)).iter_rows(named=True):
            letters = asked_letters(row)
            fewer = {**row, "options": [o for o in row["options"] if o["letter"] in letters]}
            request = build_request(fewer, self.protocol, self.engine.model)
            asked[request.call_key] = (row["question_hash"], request)
        known, _ = self._calls
        self._ask([request for key, (_, request) in asked.items() if key not in known])
        return {
            question_hash: BlindScores(
                dict(zip(request.letters, known[key], strict=True)),
                self.engine.model,
                self.engine.capabilities.path_test,
            )
            for key, (question_hash, request) in asked.items()
            if key in known
        }

    @property
    def _partition(self) -> str:
        assert self.run is not None
        return f"{self.benchmark}.{self.run.name}"

    @cached_property
    def _calls(self) -> tuple[dict[str, list[float]], dict[str, int]]:
        """Scores of good calls, and the next attempt's number, both by call key."""
        columns = ("call_key", "status", "option_scores", "attempt")
        rows = self.settings.store.read(CALLS, self._partition, columns=columns)
        good = rows.filter((pl.col("status") == "ok") & pl.col("option_scores").is_not_null())
        after = rows.group_by("call_key").agg(pl.col("attempt").max() + 1)
        known = good.select("call_key", "option_scores")
        return dict(known.iter_rows()), dict(after.iter_rows())

    def _ask(self, requests: list[Request]) -> None:
        if not requests:
            return
        assert self.run is not None

        def no_media(recording_id: str, part: int, stamps: list[int]) -> list:
            what = f"frames {stamps} of {recording_id}, part {part}"
            raise AssertionError(f"a protocol without media sends no {what}")

        known, attempts = self._calls
        for at in range(0, len(requests), _BATCH):
            batch = requests[at : at + _BATCH]
            rows = []
            for request, reply in zip(batch, self.engine.ask(batch, no_media), strict=True):
                now = datetime.now(UTC).isoformat(timespec="milliseconds")
                attempt = attempts.get(request.call_key, 0)
                rows.append(call_row(self.benchmark, self.run.name, request, reply, attempt, now))
                attempts[request.call_key] = attempt + 1
                if reply.status == "ok" and reply.option_scores is not None:
                    known[request.call_key] = list(reply.option_scores)
            self.settings.store.append(CALLS, self._partition, CALLS.frame(rows))
