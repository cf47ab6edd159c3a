"""What a model answers that is shown less than a question shows, for the gates that judge by it.

The gate `blind` asks without video, the gate `single_frame` with one frame of each clip: the variants
`blind` and `single_frame` of the protocol of a configured run. A question is asked in several orders of its
options. The calls are kept with that run's, so that what is asked here is not bought again there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from assets.extract.words import read_option
from assets.protocols.asked import (
    Shown,
    by_source,
    frame_sizes,
    in_order_of_media,
    known_recordings,
    shown_by,
    suitable,
    vary_asked,
)
from assets.protocols.contexts import CONTEXT
from assets.protocols.declared import protocol_of
from assets.protocols.orders import has_one_order, moved, offering, shifts
from assets.protocols.rendering import build_prompt
from assets.protocols.variants import SINGLE_ALREADY
from assets.questions.stage import STAGE as QUESTIONS
from assets.questions.stage import configured_builders, split_unit
from expectations.gates import Guesses, NotAsked
from expectations.gates.blind import NAME as BLIND
from expectations.gates.guesses import MOST_OPTIONS, asked_letters
from expectations.gates.single_frame import NAME as SINGLE_FRAME
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from expectations.schemas.sampling import NoFrameError
from resources.config import ConfigError, Settings
from resources.models import Engine, open_engine
from resources.models.calls.call_log import CallLog, KnownCall, no_media
from resources.models.costs.costs import refresh_costs
from resources.models.costs.estimate import PlannedCalls
from resources.models.prompt import Prompt
from resources.models.protocol import Protocol
from resources.store.code_version import code_version
from resources.store.ledger import read_complete

MOST_ORDERS = MOST_OPTIONS
"""Orders in which a question is asked where the configuration names no number."""
_READ = ("question_hash", "protocol", "model")
_SCORES = ("option_scores",)
_REPLIES = ("reply", "finish_reason", "reply_cut_bytes")
_LIGHT = ("pool", "subtask", "question_id", "question_hash", "media_present")
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question in one order of its options.

    Attributes:
        prompt: What the model is asked.
        was: Letter that the question gives each option, by its letter in this order.
        texts: Texts of the options in this order.
    """

    prompt: Prompt
    was: Mapping[str, str]
    texts: tuple[str, ...]


@dataclass(slots=True)
class _Chosen:
    """Which questions of a benchmark are asked.

    Attributes:
        tokens: What is asked of each question beside what it shows (the text of its domain), by hash.
        not_asked: Why others are not, by hash.
        units: Hashes of all these questions by unit.
    """

    tokens: dict[str, str] = field(default_factory=dict)
    not_asked: dict[str, NotAsked] = field(default_factory=dict)
    units: dict[str, list[str]] = field(default_factory=dict)

    def token(self, question_hash: str) -> str:
        """What is to be known of a question to tell whether its verdict stands."""
        reason = self.not_asked.get(question_hash)
        return self.tokens.get(question_hash, "") if reason is None else reason.rule


class Guesser:
    """The model that a gate of a benchmark asks, opened once per step.

    Args:
        settings: Configuration; it names a run for the gate.
        benchmark: Benchmark.
        gate: A gate that judges by guesses; it is called like the variant under which it asks.
        retry_errors: Whether calls are asked again that have used up their attempts.

    Raises:
        ConfigError: The run's protocol cannot be asked so.
    """

    def __init__(
        self,
        settings: Settings,
        benchmark: str,
        gate: str,
        retry_errors: bool = False,
    ) -> None:
        config = settings.benchmarks[benchmark]
        self.gate = gate
        self.settings = settings
        self.benchmark = benchmark
        self.run = settings.runs[config.gate_runs[gate]]
        self.limit = config.blind_limit if gate == BLIND else config.single_frame_limit
        self.orders = config.option_orders or MOST_ORDERS
        self.margin = config.chance_margin
        self.protocol = _shortened(protocol_of(settings, benchmark, self.run), benchmark, gate)
        self.scores_options = self.protocol.answer_by == "option_likelihood"
        self._retry_errors = retry_errors
        self._unsettled: set[str] = set()

    @cached_property
    def engine(self) -> Engine:
        """Engine of the run."""
        return open_engine(self.run, self.protocol.needs)

    def identity(self) -> str:
        """What answers and verdicts depend on beside the questions."""
        functions: list[Callable[..., Any]] = [build_prompt, moved, shifts, asked_letters]
        if not self.scores_options:
            functions += [read_option, has_one_order]
        return (
            f"{self.gate} {code_version(*functions)} {self.protocol!r} {self.engine.model}"
            f" orders={self.orders} margin={self.margin}"
        )

    # -- which questions are asked -------------------------------------------------------------------

    @cached_property
    def _known(self) -> Mapping[str, Mapping[str, tuple[str, str, str]]]:
        return known_recordings(self.settings, self.benchmark, self.protocol)

    @cached_property
    def _chosen(self) -> _Chosen:
        read_complete(self.settings.store, QUESTIONS.name, self.benchmark)
        is_varied = bool(self.protocol.variants or self.protocol.contexts)
        is_read = is_varied or not self.scores_options
        columns = None if is_read else (*_LIGHT, "options")
        rows = self.settings.store.read(TABLES["questions"], self.benchmark, columns=columns)
        chosen = _Chosen()
        left = self._suitable(rows, chosen.not_asked)
        if is_varied:
            left = self._varied(left, chosen.not_asked)
        if self.limit is not None:
            # Equal contents have one turn: the order of rows must not decide between them.
            turn = pl.col("question_hash").rank("dense").over("subtask")
            left = left.filter(turn <= self.limit)
        texts = left[CONTEXT] if CONTEXT in left.columns else [""] * left.height
        for key, text in zip(left["question_hash"], texts, strict=True):
            chosen.tokens[key] = f"asked {digest([text])}" if text else "asked"
        of_unit = rows.sort("question_hash").group_by("pool", maintain_order=True)
        chosen.units = dict(of_unit.agg("question_hash").iter_rows())
        return chosen

    def _suitable(self, rows: pl.DataFrame, not_asked: dict[str, NotAsked]) -> pl.DataFrame:
        """Questions that the protocol can ask and the gate judges; why the others are not asked."""
        if self.gate == SINGLE_FRAME:
            by_design = _one_frame_units(self.settings, self.benchmark, rows["pool"].unique())
            alone = rows.filter(pl.col("pool").is_in(by_design))
            words = "one frame answers such questions by design (declared by their recipe)"
            reason = NotAsked("one_frame_by_design", words, "pass")
            not_asked |= dict.fromkeys(alone["question_hash"], reason)
            rows = rows.filter(~pl.col("pool").is_in(by_design))
        most = MOST_OPTIONS if self.gate == BLIND else None
        suited = suitable(rows, self.protocol, most)
        others = rows.filter(~pl.col("question_hash").is_in(suited["question_hash"].to_list()))
        words = (
            f"{self.protocol.label} cannot ask it: its form or subtask, or its media are not here"
        )
        not_asked |= dict.fromkeys(others["question_hash"], NotAsked("not_suitable", words))
        if self.scores_options:
            return suited
        fixed = [row["question_hash"] for row in suited.to_dicts() if has_one_order(row)]
        words = "its words name its options by letter or place, so that they have no other order"
        not_asked |= dict.fromkeys(fixed, NotAsked("one_order", words))
        return suited.filter(~pl.col("question_hash").is_in(fixed))

    def _varied(self, rows: pl.DataFrame, not_asked: dict[str, NotAsked]) -> pl.DataFrame:
        """Questions as the protocol asks them; why the others are not asked."""
        varied = vary_asked(self.settings, rows, self.protocol, self._known)
        hashes = dict(rows.select("question_id", "question_hash").iter_rows())
        for question_id, reason in varied.reasons.items():
            not_asked[hashes[question_id]] = self._unchanged(reason)
        return varied.asked

    def _unchanged(self, reason: str) -> NotAsked:
        """Why a question is not asked that the protocol's variants or contexts do not fit."""
        if self.gate == SINGLE_FRAME and reason in SINGLE_ALREADY:
            return NotAsked("sent_as_one_frame", reason, "pass")
        return NotAsked("not_suitable", reason)

    def tokens(self, unit: str) -> list[str]:
        """What the verdicts of a unit depend on beside what its questions show."""
        hashes = self._chosen.units.get(unit, [])
        return [f"{key} {self._chosen.token(key)}" for key in hashes]

    def token(self, question_hash: str) -> str:
        """The same of one question."""
        return self._chosen.token(question_hash)

    def is_asked(self, question_hash: str) -> bool:
        """Whether a question is among those that are asked."""
        return question_hash in self._chosen.tokens

    # -- asking --------------------------------------------------------------------------------------

    def guesses(self, questions: pl.DataFrame, *, buy: bool) -> dict[str, Guesses | NotAsked]:
        """What is known of a unit's questions, by hash; what was not asked before is asked now.

        A question of which a call failed is absent: a failure is not an answer.

        Args:
            questions: Questions of one unit.
            buy: Whether the model may be asked; else only its known replies are used.
        """
        if questions.is_empty():
            return {}
        hashes = questions["question_hash"].to_list()
        known_of: dict[str, Guesses | NotAsked] = {
            key: self._chosen.not_asked[key] for key in hashes if key in self._chosen.not_asked
        }
        rows = questions.filter(pl.col("question_hash").is_in(list(self._chosen.tokens)))
        # All questions of a unit are of one source.
        source = questions["source"][0]
        shown = self._shown(source, rows)
        orders_of: dict[str, tuple[_Asked, ...]] = {}
        for row in self._as_asked(rows).iter_rows(named=True):
            try:
                orders_of[row["question_hash"]] = self._orders_of(row, shown)
            except NoFrameError as error:
                known_of[row["question_hash"]] = self._unchanged(str(error))
        prompts = [one.prompt for orders in orders_of.values() for one in orders]
        self._log.known()
        is_due = buy and any(self._log.is_due(prompt.key) for prompt in prompts)
        # Videos may be out of reach where every reply is there.
        media = shown.media(self.settings, source) if shown is not None and is_due else no_media
        calls = self._log.ask(prompts, media, buy=buy)
        for key, orders in orders_of.items():
            known = self._answered(orders, calls)
            if known is not None:
                known_of[key] = known
            elif not all(self._log.is_settled(one.prompt.key) for one in orders):
                self._unsettled.add(key)
        return known_of

    def _shown(self, source: str, questions: pl.DataFrame) -> Shown | None:
        if not self.protocol.sends_media or questions.is_empty():
            return None
        return shown_by(self.settings, self.protocol, source, questions)

    def _as_asked(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Rows with the texts of their domains, where the protocol has any."""
        if self.protocol.contexts and not rows.is_empty():
            rows = vary_asked(self.settings, rows, self.protocol, self._known).asked
        return in_order_of_media(rows) if self.protocol.sends_media else rows

    def _orders_of(self, row: Row, shown: Shown | None) -> tuple[_Asked, ...]:
        """A question in the orders in which it is asked; in one where no order changes the prompt.

        Raises:
            NoFrameError: A clip cannot be shown so.
        """
        letters = (
            asked_letters(row) if self.gate == BLIND else [o["letter"] for o in row["options"]]
        )
        offered = offering(row, letters)

        def asked(places: int) -> _Asked:
            question, was = moved(offered, places)
            prompt = build_prompt(
                question,
                self.protocol,
                self.engine.model,
                None if shown is None else shown.frames,
                None if shown is None else shown.views,
            )
            return _Asked(prompt, was, tuple(o["text"] or "" for o in question["options"]))

        if self.scores_options:
            # Texts are scored one by one: where a prompt does not list them, their order changes nothing.
            first, second = asked(0), asked(1)
            if first.prompt.parts == second.prompt.parts:
                return (first,)
        return tuple(asked(places) for places in shifts(offered, self.orders))

    def _answered(
        self, orders: tuple[_Asked, ...], calls: Mapping[str, KnownCall]
    ) -> Guesses | None:
        """What the model answered; None where a call failed or was not made."""
        known = [calls.get(one.prompt.key) for one in orders]
        rows = [call.row for call in known if call is not None and call.is_answered]
        if len(rows) < len(orders):
            return None
        named: list[str | None] = []
        scores: list[dict[str, float]] = []
        for one, row in zip(orders, rows, strict=True):
            letters = tuple(one.was)
            if not self.scores_options:
                cut = row["finish_reason"] == "length" or row["reply_cut_bytes"] is not None
                read = read_option(row["reply"], letters, one.texts, truncated=cut)
                letter = read.letter if read.status == "parsed" else None
                named.append(None if letter is None else one.was[letter])
            elif row["option_scores"] is None:
                return None
            else:
                old = map(one.was.__getitem__, letters)
                scores.append(dict(zip(old, row["option_scores"], strict=True)))
        is_weak = self.engine.capabilities.path_test
        return Guesses(self.engine.model, tuple(named), tuple(scores), self.margin, is_weak)

    def record_costs(self) -> None:
        """Sum up what the calls of the run cost, where they may cost something."""
        if self.run.may_cost:
            refresh_costs(self.settings.store, self._partition, self.run)

    def planned(self) -> PlannedCalls:
        """Calls that asking all chosen questions would make."""
        rows = self.settings.store.read(TABLES["questions"], self.benchmark)
        rows = rows.filter(pl.col("question_hash").is_in(list(self._chosen.tokens)))
        self._log.known()
        sizes = frame_sizes(self.settings, rows) if self.protocol.sends_media else None
        purpose, model = f"gate {self.gate} of {self.benchmark}", self.engine.model
        prompts, is_due = self._prompts(rows), self._log.is_due
        return PlannedCalls.of(
            purpose, self.run, model, self.protocol.label, prompts, is_due, sizes
        )

    def _prompts(self, rows: pl.DataFrame) -> Iterator[Prompt]:
        """Prompts of questions; of those that can be shown."""
        for source, mine in by_source(rows):
            shown = self._shown(source, mine)
            for row in self._as_asked(mine).iter_rows(named=True):
                try:
                    orders = self._orders_of(row, shown)
                except NoFrameError:
                    continue
                yield from (one.prompt for one in orders)

    # -- what failed ---------------------------------------------------------------------------------

    def is_unsettled(self, question_hash: str) -> bool:
        """Whether a later run asks again about a question that `guesses` was given."""
        return question_hash in self._unsettled

    def failed(self, *, due: bool = False) -> set[str]:
        """Hashes of questions of which a last call failed, as the engine is asked now.

        Args:
            due: Only those that this run would ask again.
        """
        failed = self._log.failed(self.protocol.label, due=due)
        return {row["question_hash"] for row in failed}

    def unjudged(self, hashes: Collection[str]) -> pl.DataFrame:
        """Questions with these hashes that have no verdict yet: `pool`, `question_hash`."""
        columns = ("gate", "rule", "pool", "question_hash")
        verdicts = self.settings.store.scan(
            TABLES["question_gates"], self.benchmark, columns=columns
        )
        lacking = (pl.col("gate") == self.gate) & (pl.col("rule") == "not_asked")
        named = pl.col("question_hash").is_in(sorted(hashes))
        return verdicts.filter(lacking & named).select("pool", "question_hash").unique().collect()

    @property
    def _partition(self) -> str:
        return f"{self.benchmark}.{self.run.name}"

    @cached_property
    def _log(self) -> CallLog:
        return CallLog(
            self.settings.store,
            self._partition,
            self.benchmark,
            self.run,
            lambda: self.engine,
            (*_READ, *(_SCORES if self.scores_options else _REPLIES)),
            self._retry_errors,
        )


def guessers(
    settings: Settings,
    benchmark: str,
    retry_errors: bool = False,
) -> list[Guesser]:
    """Models that the gates of a benchmark ask; a gate that names no run has none."""
    return [
        Guesser(settings, benchmark, gate, retry_errors)
        for gate, run in settings.benchmarks[benchmark].gate_runs.items()
        if run
    ]


def _shortened(protocol: Protocol, benchmark: str, gate: str) -> Protocol:
    """A protocol as a gate asks under it.

    Raises:
        ConfigError: It asks for words, or sends no media where one frame is to be sent.
    """
    where = f"benchmark {benchmark}: {gate} names a run whose protocol {protocol.name}"
    if protocol.answer_by == "words":
        raise ConfigError(f"{where} asks for answers in words; name one that offers options")
    if gate == BLIND and not protocol.sends_media:
        return protocol
    if not protocol.sends_media:
        raise ConfigError(f"{where} sends no video, of which one frame could be shown")
    if gate in protocol.variants:
        return protocol
    try:
        return protocol.with_variants([gate])
    except ValueError as error:
        raise ConfigError(f"{where} cannot be asked so: {error}") from error


def _one_frame_units(settings: Settings, benchmark: str, units: Collection[str]) -> list[str]:
    """Units of recipes whose questions one frame answers by design."""
    recipes = configured_builders(settings, benchmark)
    named = {recipe for recipe, builder in recipes.items() if builder.one_frame}
    return [unit for unit in units if split_unit(unit)[1] in named]
