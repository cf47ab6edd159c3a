"""What the page shows, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from assets.questions.egoprox.planner import Trace
from assets.report.chain_rows import ChainRow
from assets.report.comparisons import Comparison
from assets.report.costs import CostRow
from assets.report.domain_gap import DomainGap
from assets.report.judged import JudgedAnswer, Judging
from assets.report.plan_drawing import Drawing
from assets.report.readings import Readings
from assets.report.reasons import CitedRow, WeakReason
from assets.report.reviewed import Review
from assets.report.rule_funnels import RuleFunnel
from assets.scores.published import PublishedRow
from assets.statistics.plots import Plot

# A medium of a question, as (question id, role).
ClipKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Score:
    """Cell of the headline table (a row of `scores`); no value where every call failed."""

    slice: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    n_unparsed: int
    n_errors: int
    n_withheld: int | None
    n_clusters: int
    chance: float | None
    effective_chance: float | None

    @property
    def failed(self) -> str:
        """How many calls failed or gave a reply that no reader could read, in words; empty where none did."""
        if not self.n_errors:
            return ""
        asked = self.n + (self.n_withheld or 0) + self.n_errors
        return f"{self.n_errors} of {asked} calls failed or could not be read"


@dataclass(frozen=True, slots=True)
class Run:
    """Row of the headline table.

    Attributes:
        name: Run.
        model: Model and revision.
        protocol: Protocol name and version.
        about: One sentence on what the protocol sends.
        note: What the run sets otherwise than its protocol, and how its calls were sent.
        scores: Cell per slice; a slice the run was not asked on is absent.
        baseline: What a run does that is not a model under test, in a few words; empty for models.
        matched: Share of answers in words that mean the same as the released one, per slice with such answers.
    """

    name: str
    model: str
    protocol: str
    about: str
    scores: Mapping[str, Score]
    note: str = ""
    baseline: str = ""
    matched: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FunnelStep:
    """Candidates of a source that reached a stage (those that went further included)."""

    source: str
    stage: str
    meaning: str
    n: int


@dataclass(frozen=True, slots=True)
class SubtaskFunnel:
    """Questions of a subtask from built to published.

    Attributes:
        subtask: Subtask.
        built: Questions there are.
        judged: Of these, with verdicts on their present form.
        refused: Of these, refused by a gate.
        published: Of these, kept by all gates.
        asked: Of all, asked by at least one run.
        by_gate: Questions each gate refused; one may be refused by several.
    """

    subtask: str
    built: int
    judged: int
    refused: int
    published: int
    asked: int
    by_gate: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Refusals of one rule, with the first as example."""

    source: str
    stage: str
    rule: str
    n: int
    where: str
    message: str
    remedy: str


@dataclass(frozen=True, slots=True)
class SuitePage:
    """A page about what the expectation suite of a table found.

    Attributes:
        table: Table the suite judges.
        href: Address of the page, relative to the page of a benchmark.
        summary: Its result in one sentence; empty where the page does not state it.
    """

    table: str
    href: str
    summary: str


@dataclass(frozen=True, slots=True)
class Source:
    """A configured source, what of it is here, pictures of what it holds, and pages about its suites."""

    name: str
    status: str
    recordings: int
    present: int
    missing: int
    licence: str
    plots: tuple[Plot, ...] = ()
    suites: tuple[SuitePage, ...] = ()


@dataclass(frozen=True, slots=True)
class Box:
    """A box over a frame, upright picture, 0 to 1.

    Attributes:
        layer: `sent` where the protocol draws it into the picture, `annotated` where it is a row of
            `boxes`.
        label: Name shown on it.
    """

    layer: str
    label: str
    x_min: float
    y_min: float
    x_max: float
    y_max: float


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame of a clip.

    Attributes:
        jpeg: Its bytes, without anything drawn into it.
        t_s: Its time in the recording.
        ratio: Width over height.
        gaze: Mean gaze at its tick, over width and height; None where there is none.
        boxes: Boxes over it.
    """

    jpeg: bytes
    t_s: float
    ratio: float
    gaze: tuple[float, float] | None = None
    boxes: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True)
class Strip:
    """Frames of a clip, and how many of those sent they are."""

    frames: tuple[Frame, ...]
    sampling: str
    n_sent: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row comes from.

    Attributes:
        table: Table.
        key: Key of the row.
        role: Part it plays for the question.
        says: What the row says, in short.
        file: File under the source's root, or the table it is derived from; empty if not known.
        row: Key of the row in it.
    """

    table: str
    key: str
    role: str
    says: str = ""
    file: str = ""
    row: str = ""


@dataclass(frozen=True, slots=True)
class Medium:
    """A clip of a question: where it lies, and its frames.

    Attributes:
        in_order: Whether it is pictures in an order, without times: seconds are places in it.
    """

    role: str
    recording_id: str
    segment_id: str
    start_s: float
    end_s: float
    content: str
    strip: Strip | None = None
    in_order: bool = False


@dataclass(frozen=True, slots=True)
class Option:
    """An option as shown, and the runs that chose it.

    Attributes:
        describes: What the text is if the option is a clip: `narration` of its segment, or
            `description` of what it shows (a task, the person in a box). Only protocols that read
            the texts of clips send it to a model. Empty for options in words.
    """

    letter: str
    text: str
    is_answer: bool
    medium: Medium | None
    chosen_by: tuple[str, ...] = ()
    describes: str = ""


@dataclass(frozen=True, slots=True)
class RunReply:
    """What one run made of one question.

    Attributes:
        outcome: `right`, `wrong`, `unparsed`, `withheld` where a letter was read and the release keeps the
            answer, or `failed` where the call did and there is no reply.
        sample: Number of the reply, from 0, where the run asks for several.
    """

    run: str
    letter: str | None
    status: str
    rule: str
    right: bool | None
    outcome: str
    reply: str
    prompt: str
    call_key: str
    sample: int = 0

    @property
    def label(self) -> str:
        """Run, and of further replies their number."""
        return f"{self.run}, reply {self.sample + 1}" if self.sample else self.run


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a gate said."""

    gate: str
    protocol: str
    verdict: str
    rule: str
    value: float | None
    threshold: float | None
    message: str


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a rationale and the keys of its evidence."""

    text: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QuestionCard:
    """A question of the browser.

    Attributes:
        state: `published`, `refused`, `undecided` (a gate could not judge) or `not judged`.
        given: Media that are not options: query, reference.
        read_by: Runs that were sent the narrations of options that are clips.
        judged: What judges decided of the replies.
        timeline: The scene graph around the clip as SVG text; empty where no edge of one is evidence.
        plan: What lies around the wearer, seen from above; None where the question is not about that.
        trace: Calls of tools that give the answer; None where none are declared for such questions.
        answer_visible: Whether the clip shows the beginning of what is asked to come next; None where that
            is not asked.
    """

    question_id: str
    question_hash: str
    subtask: str
    recipe: str
    source: str
    split: str
    text: str
    state: str
    given: tuple[Medium, ...]
    options: tuple[Option, ...]
    answer: str
    answer_text: str
    detailed_answer: str
    rationale: tuple[Step, ...]
    replies: tuple[RunReply, ...]
    verdicts: tuple[Verdict, ...]
    evidence: tuple[Place, ...]
    segments: tuple[Place, ...]
    licence: str
    read_by: tuple[str, ...] = ()
    judged: tuple[JudgedAnswer, ...] = ()
    timeline: str = ""
    plan: Drawing | None = None
    trace: Trace | None = None
    answer_visible: bool | None = None

    @property
    def anchor(self) -> str:
        """Id of the card on its page: it stays when the wording of the question changes."""
        return f"question-{self.question_id}"

    @property
    def media(self) -> tuple[Medium, ...]:
        """All media in shown order."""
        return (*self.given, *(o.medium for o in self.options if o.medium is not None))

    @property
    def outcomes(self) -> str:
        """Runs and their outcomes as one text, for the filter: `run=right`, one a line."""
        return "\n".join(f"{r.run}={r.outcome}" for r in self.replies)


@dataclass(frozen=True, slots=True)
class PageModel:
    """Everything the page of a benchmark says.

    Attributes:
        title: Title.
        paper: Where the benchmark is described; empty leaves it out.
        benchmark: Benchmark the scores belong to.
        others: All benchmarks that have a page, this one included.
        state: Which state of the data is shown (digest or release); empty leaves it out.
        n_questions: Questions of the benchmark.
        n_with_media: Of these, with every pixel here.
        is_sample: Whether any source is a sample world: then the page says what scores mean.
        slices: Slices in shown order.
        runs: Runs in shown order.
        funnel: Steps of the pair search in shown order; empty where pairs play no part.
        subtasks: Questions per subtask, from built to published.
        judged: Whether any gate has judged any question.
        gates_not_applied: Gates that judge nothing, since no model is configured for them.
        expansion: How templates are reworded, in sentences; empty where the benchmark rewords none.
        refusals: Rules in shown order.
        sources: Sources in shown order.
        cards: Questions in shown order.
        per_subtask: Most questions of a subtask that are shown.
        suites: Pages about the suites of the benchmark's own tables.
        readings: What other readers make of the replies.
        chains: What became of replies with chains of actions.
        judging: What judges make of the runs; None where the benchmark names no judge.
        cited: What replies with reasoning cite of their evidence.
        silent_runs: Runs of which no reply cites anything that can be checked, though they were asked for reasoning.
        weak_reasons: Right letters whose reasons are weak.
        gap: Domains beside questions about daily life; None where nothing is compared.
        review: How far the review of the questions has come; None where nobody judged one.
        costs: What the calls of the runs cost.
        published: Scores that the paper prints.
        contradictions: Where these disagree with each other.
        rules: Candidates that each rule of a recipe leaves, by subtask and source.
        comparisons: Differences between runs.
    """

    title: str
    paper: str
    benchmark: str
    others: tuple[str, ...]
    state: str
    n_questions: int
    n_with_media: int
    is_sample: bool
    slices: tuple[str, ...]
    runs: tuple[Run, ...]
    funnel: tuple[FunnelStep, ...]
    subtasks: tuple[SubtaskFunnel, ...]
    judged: bool
    refusals: tuple[Refusal, ...]
    sources: tuple[Source, ...]
    cards: tuple[QuestionCard, ...]
    per_subtask: int
    suites: tuple[SuitePage, ...] = ()
    readings: Readings = field(default_factory=Readings)
    chains: tuple[ChainRow, ...] = ()
    judging: Judging | None = None
    cited: tuple[CitedRow, ...] = ()
    silent_runs: tuple[str, ...] = ()
    weak_reasons: tuple[WeakReason, ...] = ()
    gap: DomainGap | None = None
    costs: list[CostRow] = field(default_factory=list)
    published: tuple[PublishedRow, ...] = ()
    contradictions: tuple[str, ...] = ()
    rules: tuple[RuleFunnel, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    gates_not_applied: tuple[str, ...] = ()
    expansion: tuple[str, ...] = ()
    review: Review | None = None


@dataclass(frozen=True, slots=True)
class FrontEntry:
    """A benchmark on the front page."""

    benchmark: str
    title: str
    n_questions: int
    n_published: int | None
    subtasks: tuple[str, ...]
    runs: tuple[Run, ...]
    is_sample: bool
    written: bool
