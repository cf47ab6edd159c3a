"""What gates and derivations are made of: a question, what was found about it, and verdicts.

A derivation goes back to the source tables and writes into `Derived` which options are right, what
must be seen, what must not be shown, and how wide the margins are. Gates turn notes into verdicts.
The derivations share nothing with the builders but the schemas, so that a fault of a builder is not
repeated by its judge.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

from expectations.schemas.readings import RELEASED_RECIPE, is_paper_recipe, is_written_recipe

if TYPE_CHECKING:
    from expectations.gates.statements import Statement
    from expectations.gates.tables import EvidenceTables

Outcome = Literal["pass", "refuse", "warn", "unknown"]
SEVERITY: Mapping[str, int] = {"refuse": 0, "warn": 1, "unknown": 2, "pass": 3}
LETTERS = "ABCDEFGHIJKLMNOPQRST"
NumberedSequence = tuple[tuple[int, ...], tuple[str, ...]]
"""Numbers of candidates in order, and the moves between them."""
NO_MODEL_VERDICT = "no_model_verdict"
"""Rule of findings where a model was to be asked and gave no verdict that can be read."""


class CannotTell(Exception):
    """The tables do not say what the derivation needs; the message names what is missing."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something a gate says about a question.

    Attributes:
        gate: Gate in whose name it is reported.
        rule: Short name of the rule that decided.
        message: What was found, with the value and its bound.
        verdict: What follows.
        value: What was measured, where a number decides.
        threshold: What it was held against.
        protocol: Protocol it holds under; empty for all.
        model: Model that was asked; None where none was.
        orders: Orders of the options in which it was asked; None where that says nothing.
    """

    gate: str
    rule: str
    message: str
    verdict: Outcome = "refuse"
    value: float | None = None
    threshold: float | None = None
    protocol: str = ""
    model: str | None = None
    orders: int | None = None


@dataclass(frozen=True, slots=True)
class Sight:
    """What a model must be able to see: a frame of a medium inside one of these spans.

    Attributes:
        role: Role of the medium.
        spans: `(start_s, end_s)` in the medium's recording; an instant has equal ends.
        tolerance_s: How far from a span a frame may lie.
        what: What is seen there, for the message.
    """

    role: str
    spans: tuple[tuple[float, float], ...]
    tolerance_s: float
    what: str


@dataclass(frozen=True, slots=True)
class Hidden:
    """What no medium of the question may show.

    Attributes:
        recording_id: Recording.
        start_s: Start of the span in it.
        end_s: End of the span; `inf` for all that follows.
        rule: Rule of `leak` it is refused by.
        what: What would be seen.
    """

    recording_id: str
    start_s: float
    end_s: float
    rule: str
    what: str


@dataclass(frozen=True, slots=True)
class Margin:
    """A measured distance to the nearest border, and the least it may be."""

    rule: str
    value: float
    threshold: float
    unit: str
    what: str


@dataclass(frozen=True, slots=True)
class AnswerBox:
    """Where the answer is in the picture: a drawn box there tells it.

    Attributes:
        recording_id: Recording.
        t_s: Instant; None for the whole clip.
        box: `(x_min, y_min, x_max, y_max)`, upright picture, 0 to 1.
    """

    recording_id: str
    t_s: float | None
    box: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class EvidenceRole:
    """Rows that may stand under one role of the evidence.

    Attributes:
        role: Role in `questions.evidence`.
        table: Table of the rows.
        keys: Keys that may stand there.
        needed: How many of them the evidence must name.
    """

    role: str
    table: str
    keys: frozenset[str]
    needed: Literal["all", "one", "none"]


@dataclass(slots=True)
class Derived:
    """What a derivation derived about one question; filled in as it goes.

    Attributes:
        right: Whether each option is right, by letter; None where the tables do not tell. Of sequences
            whether a candidate belongs to a valid one, by number.
        why: Reason, by letter.
        sequences: Valid sequences, where candidates are put in order; None where the tables do not tell.
        unknown: Why nothing could be derived; empty if it could.
        findings: What the derivation itself has to say, each in a gate's name.
        sights: What must be seen; all of them.
        hidden: What must not be shown.
        margins: Measured margins.
        answer_boxes: Where a drawn box would tell the answer.
        secrets: Phrases that must not stand in the question's text (the query's narration).
        evidence: Which rows the evidence must and may name, role by role.
        asks: What the question's text must say.
        statements: What an explanation must and may say.
        explained_in: Columns that must hold an explanation (`detailed_answer`, `rationale`).
        answer_visible: Of a question about what comes next, whether its clip shows the beginning of it.
        plain_text: The question in plain words, where a rewording asks it; None where it is plain itself.
        unread: Whether it is in a rewording that cannot be read back; what is wrong is a finding.
    """

    right: dict[str, bool | None] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)
    sequences: set[NumberedSequence] | None = None
    unknown: str = ""
    findings: list[Finding] = field(default_factory=list)
    sights: list[Sight] = field(default_factory=list)
    hidden: list[Hidden] = field(default_factory=list)
    margins: list[Margin] = field(default_factory=list)
    answer_boxes: list[AnswerBox] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)
    evidence: list[EvidenceRole] = field(default_factory=list)
    asks: list[Statement] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    explained_in: tuple[str, ...] = ()
    answer_visible: bool | None = None
    plain_text: str | None = None
    unread: bool = False

    def rests_on(
        self,
        role: str,
        table: str,
        keys: Iterable[str],
        needed: Literal["all", "one", "none"] = "all",
    ) -> None:
        """Note rows that the evidence may name under a role, and how many of them it must."""
        self.evidence.append(EvidenceRole(role, table, frozenset(keys), needed))

    def option(self, letter: str, right: bool | None, why: str) -> None:
        """Note whether an option is right."""
        self.right[letter] = right
        self.why[letter] = why

    def refuse(
        self,
        gate: str,
        rule: str,
        message: str,
        value: float | None = None,
        threshold: float | None = None,
    ) -> None:
        """Note a fault in a gate's name."""
        self.findings.append(
            Finding(gate, rule, message, "refuse", value=value, threshold=threshold)
        )

    def check_option_count(self, question: Question, count: int) -> None:
        """Refuse a question that has not so many options."""
        if len(question.options) != count:
            self.refuse(
                "well_formed",
                "option_count",
                f"{len(question.options)} options, {count} are asked",
                len(question.options),
                count,
            )

    def said_by(self, gate: str) -> list[Finding]:
        """Findings in a gate's name."""
        return [f for f in self.findings if f.gate == gate]


@dataclass(frozen=True, slots=True)
class Guesses:
    """What a model answered that was shown less than a question shows.

    It was asked in several orders of the options, each of which either names an option or scores all of
    them. Letters are those that the question gives its options, whatever they were called in that order.

    Attributes:
        model: Model and revision.
        named: Option named in each order; None where a reply names none. Empty where options are scored.
        scores: Log-likelihood of each option in each order, where the model scores options; else empty.
        margin: How much better than chance it may be: 0 is chance, 1 certainty.
        path_test: Whether the model is too weak to measure anything: its verdicts only warn.
    """

    model: str
    named: tuple[str | None, ...] = ()
    scores: tuple[Mapping[str, float], ...] = ()
    margin: float = 0.5
    path_test: bool = False

    @property
    def orders(self) -> int:
        """Orders in which it was asked."""
        return len(self.named) + len(self.scores)


@dataclass(frozen=True, slots=True)
class NotAsked:
    """Why a model that is shown less is not asked about a question.

    Attributes:
        rule: Short name of the reason.
        reason: The reason in words.
        verdict: What follows: `pass` where nothing is to be found out, else `unknown`.
    """

    rule: str
    reason: str
    verdict: Outcome = "unknown"


@dataclass(frozen=True, slots=True)
class Checked:
    """What a language model was asked about a question, and said.

    Attributes:
        findings: What follows, each in a gate's name.
        right: Whether each option is right by the annotations, by letter; None where the model gave no
            verdict that can be read. Options it was not asked about are absent.
        model: Who was asked.
    """

    findings: tuple[Finding, ...] = ()
    right: Mapping[str, bool | None] = field(default_factory=dict)
    model: str = ""


class Question:
    """One row of `questions`, with what gates ask of it."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.row = row
        self.benchmark: str = row["benchmark"]
        self.source: str = row["source"] or ""
        self.subtask: str = row["subtask"] or ""
        self.recipe: str = row["recipe"] or ""
        self.recording_id: str = row["recording_id"] or ""
        self.text: str = row["text"] or ""
        self.answer: str = row["answer"] or ""
        self.options: list[dict[str, Any]] = [o for o in row["options"] or () if o]
        self.media: list[dict[str, Any]] = [m for m in row["media"] or () if m]
        self.evidence: list[dict[str, Any]] = [e for e in row["evidence"] or () if e]
        self.rationale: list[dict[str, Any]] = [s for s in row["rationale"] or () if s]
        self.candidates: list[dict[str, Any]] = [c for c in row.get("candidates") or () if c]
        self.is_sequence = row.get("answer_kind") == "sequences"
        """Whether it is answered by a sequence of candidates, of which several may be right."""
        self._by_role: dict[Any, dict[str, Any]] = {}
        for medium in self.media:
            self._by_role.setdefault(medium["role"], medium)
        self.in_words = not any(str(role).startswith("option_") for role in self._by_role)
        """Whether options are texts, not media."""

    @property
    def as_paper(self) -> bool:
        """Whether it is built by what the paper says alone (recipe `..._paper@1`)."""
        return is_paper_recipe(self.recipe)

    @property
    def is_written(self) -> bool:
        """Whether a language model wrote its words (recipe `..._written@1`)."""
        return is_written_recipe(self.recipe)

    @property
    def is_released(self) -> bool:
        """Whether a dataset released it: no row derives its answer, and its words are the release's own."""
        return self.recipe == RELEASED_RECIPE

    @property
    def is_withheld(self) -> bool:
        """Whether its release keeps the answer."""
        known = self.row["answer"] if self.options else self.row["answer_text"]
        return self.is_released and known is None

    @property
    def letters(self) -> list[str]:
        """Letters in shown order."""
        return [str(o["letter"]) for o in self.options]

    @cached_property
    def sequences(self) -> list[NumberedSequence]:
        """Sequences the key calls right; one that cannot be read is left out."""
        found: list[NumberedSequence] = []
        for line in str(self.row["answer_text"] or "").splitlines() if self.is_sequence else ():
            try:
                numbers, moves = json.loads(line)
                found.append((tuple(map(int, numbers)), tuple(map(str, moves))))
            except (ValueError, TypeError):
                continue
        return found

    @property
    def choices(self) -> list[str]:
        """What a reply chooses from: letters of options, or numbers of candidates."""
        return [str(c["number"]) for c in self.candidates] if self.is_sequence else self.letters

    def called(self, choice: str) -> str:
        """A choice as messages name it."""
        return f"{'candidate' if self.is_sequence else 'option'} {choice}"

    @property
    def right_choices(self) -> set[str]:
        """Choices the key names: the answer's letter, or all candidates of valid sequences."""
        if not self.is_sequence:
            return {self.answer}
        return {str(number) for numbers, _ in self.sequences for number in numbers}

    def of_role(self, role: str) -> dict[str, Any] | None:
        """First medium of a role."""
        return self._by_role.get(role)

    @property
    def query(self) -> dict[str, Any]:
        """Medium the question is about.

        Raises:
            CannotTell: There is none.
        """
        if self.subject is None:
            raise CannotTell("no medium has the role query")
        return self.subject

    @property
    def subject(self) -> dict[str, Any] | None:
        """Medium the question is about, if there is one.

        That is its query; of candidates that are compared with a reference, the reference; of two
        videos that are compared with each other, the first.
        """
        found = self.of_role("query") or self.of_role("video_1")
        return found if found is not None or self.in_words else self.of_role("reference")

    def shown_of(self, letter: str) -> dict[str, Any] | None:
        """Medium of an option; None for options in words."""
        return self.of_role(f"option_{letter}")

    @property
    def answer_option(self) -> dict[str, Any] | None:
        """Option the key names."""
        return next((o for o in self.options if o["letter"] == self.answer), None)

    def keys_of(self, table: str) -> list[str]:
        """Evidence keys into a table, in order, once each."""
        keys = (e["key"] for e in self.evidence if e["table"] == table and e["key"] is not None)
        return list(dict.fromkeys(keys))


@dataclass(frozen=True, slots=True)
class Derivation:
    """How the right options of subtasks follow from the source tables.

    Attributes:
        benchmark: Benchmark.
        subtasks: Subtasks it derives.
        reads: Tables and the columns it uses.
        derive: Fills the notes; raises `CannotTell` where the tables are silent.
        recipes: Recipes whose questions it derives, without their versions.
        explained_in: Columns in which its questions must explain their answer.
    """

    benchmark: str
    subtasks: tuple[str, ...]
    reads: Mapping[str, tuple[str, ...]]
    derive: Callable[[Question, EvidenceTables, Derived], None]
    recipes: tuple[str, ...]
    explained_in: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Gate:
    """One judge of questions.

    Attributes:
        name: Name in `question_gates`.
        about: One sentence for readers of the report.
        judge: Findings about one question; none means it passes.
        mandatory: Whether a question whose verdict is `unknown` stays unpublished.
        per_protocol: Whether it gives one verdict per protocol instead of one for all.
        of_form: Whether it judges form alone, and so released questions too, of which no row derives the
            answer.
        asks: Whether it judges by what a model answers; where none is configured for it, it does not apply
            and gives no verdict.
    """

    name: str
    about: str
    judge: Callable[[Question, EvidenceTables, Derived], Iterable[Finding]]
    mandatory: bool = True
    per_protocol: bool = False
    of_form: bool = False
    asks: bool = False


def finite(*values: object) -> bool:
    """Whether all are numbers with a value."""
    for v in values:
        if type(v) is float:  # by far the most
            if not isfinite(v):
                return False
        elif isinstance(v, bool) or not isinstance(v, (int, float)) or not isfinite(v):
            return False
    return True


def overlap_s(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Length that two spans share."""
    return max(0.0, min(a[1], b[1]) - max(a[0], b[0]))


def span_of(medium: Mapping[str, Any]) -> tuple[float, float]:
    """Start and end of a medium."""
    return float(medium["start_s"]), float(medium["end_s"])


def listed(values: Sequence[object]) -> str:
    """Values as words."""
    return ", ".join(str(v) for v in values)
