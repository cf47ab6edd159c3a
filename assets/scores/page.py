"""The static page: scores, funnel, refusals, sources and a browser of questions, in one HTML file.

Everything on it comes from data that others wrote: every text is escaped by the template engine,
images are data URIs of bytes that are JPEG, and the page's own policy forbids scripts and network.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

ClipKey = tuple[str, float, float]


@dataclass(frozen=True, slots=True)
class Score:
    """Cell of the headline table (a row of `scores`)."""

    slice: str
    value: float
    low: float | None
    high: float | None
    n: int
    n_unparsed: int
    n_clusters: int
    chance: float


@dataclass(frozen=True, slots=True)
class Run:
    """Row of the headline table.

    Attributes:
        name: Run.
        model: Model and revision.
        protocol: Protocol name and version.
        about: One sentence on what the protocol sends.
        scores: Cell per slice; a slice the run was not asked on is absent.
    """

    name: str
    model: str
    protocol: str
    about: str
    scores: Mapping[str, Score]


@dataclass(frozen=True, slots=True)
class FunnelStep:
    """Candidates of a source that reached a stage (those that went further included)."""

    source: str
    stage: str
    meaning: str
    n: int


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
class Source:
    """A configured source and what of it is here."""

    name: str
    status: str
    recordings: int
    present: int
    missing: int
    licence: str


@dataclass(frozen=True, slots=True)
class Medium:
    """Query or option clip: where it lies and its frames as JPEG bytes."""

    recording_id: str
    segment_id: str
    start_s: float
    end_s: float
    content: str
    jpegs: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Option:
    """An option as shown, and the runs that chose it."""

    letter: str
    text: str
    is_answer: bool
    medium: Medium | None
    chosen_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunReply:
    """What one run made of one question."""

    run: str
    letter: str | None
    status: str
    rule: str
    right: bool
    reply: str
    call_key: str


@dataclass(frozen=True, slots=True)
class QuestionCard:
    """A question of the browser with its replies and lineage."""

    question_id: str
    question_hash: str
    subtask: str
    source: str
    split: str
    text: str
    query: Medium | None
    options: tuple[Option, ...]
    replies: tuple[RunReply, ...]
    evidence: tuple[tuple[str, str, str], ...]
    licence: str


@dataclass(frozen=True, slots=True)
class PageModel:
    """Everything the page says.

    Attributes:
        title: Title.
        benchmark: Benchmark the scores belong to.
        state: Which state of the data is shown (digest or release); empty leaves it out.
        n_questions: Questions of the benchmark.
        n_with_media: Of these, with every pixel here.
        is_sample: Whether any source is a sample world: then the page says what scores mean.
        slices: Slices in shown order.
        runs: Runs in shown order.
        funnel: Steps in shown order.
        refusals: Rules in shown order.
        sources: Sources in shown order.
        cards: Questions in shown order.
    """

    title: str
    benchmark: str
    state: str
    n_questions: int
    n_with_media: int
    is_sample: bool
    slices: tuple[str, ...]
    runs: tuple[Run, ...]
    funnel: tuple[FunnelStep, ...]
    refusals: tuple[Refusal, ...]
    sources: tuple[Source, ...]
    cards: tuple[QuestionCard, ...]


def jpeg_uri(jpeg: bytes) -> str:
    """Data URI of a JPEG.

    Raises:
        ValueError: The bytes are no JPEG.
    """
    if not jpeg.startswith(b"\xff\xd8\xff"):
        raise ValueError(f"frame of {len(jpeg)} bytes does not start like a JPEG: {jpeg[:4]!r}")
    return "data:image/jpeg;base64," + base64.b64encode(jpeg).decode("ascii")


def percent(value: float) -> str:
    """Share as percent with one decimal."""
    return f"{100 * value:.1f}"


@cache
def _pages() -> Environment:
    pages = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "page"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters["jpeg_uri"] = jpeg_uri
    pages.filters["percent"] = percent
    return pages


def by_subtask(cards: Sequence[QuestionCard]) -> dict[str, list[QuestionCard]]:
    """Cards per subtask, both in their order."""
    groups: dict[str, list[QuestionCard]] = {}
    for card in cards:
        groups.setdefault(card.subtask, []).append(card)
    return groups


def render_page(model: PageModel) -> str:
    """The page as one HTML text that needs no other file and no network.

    Raises:
        ValueError: A frame is no JPEG.
    """
    style = (Path(__file__).parent / "page" / "page.css").read_text(encoding="utf-8")
    return (
        _pages()
        .get_template("page.html.j2")
        .render(page=model, groups=by_subtask(model.cards), style=style)
    )
