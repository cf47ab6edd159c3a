"""A page on which people reply to the questions of a run, in one file that needs no network.

It shows what the run would send, in the same order, and never which option is right. Replies are saved as the
file that engine `human` reads.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from expectations.schemas.identity import digest
from pipelines.cli.reply_sheets import engineless
from pipelines.cli.shown_questions import (
    Draw,
    Pictures,
    ShownQuestion,
    published_questions,
    sampled_questions,
)
from resources.config import Settings
from resources.models.engines.given_replies import shown_hash

PURPOSE = "human"
SHOWN_PX = 240
"""Short side of the frames on the page; the run's frames are not larger than its protocol sends them."""
_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Part:
    """A text, or a clip under its name with its frames as data URIs."""

    text: str | None = None
    label: str = ""
    frames: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageQuestion:
    """A question as the page shows it.

    Attributes:
        question_id: Its id.
        prompt_hash: Hash of what is shown (see `shown_hash`).
        benchmark: Benchmark.
        subtask: Subtask.
        system: System prompt; empty for none.
        parts: Texts and clips in shown order.
        choices: Letters to choose from; empty where the reply is free.
        licence: Licence of its media.
    """

    question_id: str
    prompt_hash: str
    benchmark: str
    subtask: str
    system: str
    parts: tuple[Part, ...]
    choices: tuple[str, ...]
    licence: str


def page_questions(
    settings: Settings,
    run: str,
    benchmarks: Sequence[str],
    per_subtask: int,
    per_group: int | None = None,
) -> Iterator[PageQuestion]:
    """So many questions of each subtask of a run, or of each group of subtasks, with their frames.

    Args:
        settings: Configuration.
        run: Run whose questions and protocol count; its engine is not opened, and its limit says nothing.
        benchmarks: Benchmarks to ask about.
        per_subtask: Questions per subtask, where there are so many.
        per_group: Questions per group of subtasks instead; None for none.

    Raises:
        ExpectedError: A benchmark has no question with media that are here.
    """
    settings = engineless(settings, run)
    pictures = Pictures(settings)
    draw = Draw(PURPOSE, per_subtask, per_group)
    for benchmark in benchmarks:
        questions = published_questions(settings, benchmark, run)
        for shown in sampled_questions(settings, benchmark, questions, draw, run):
            yield _question(shown, pictures)


def _question(shown: ShownQuestion, pictures: Pictures) -> PageQuestion:
    prompt, row = shown.prompt, shown.row
    px = min(prompt.short_side_px or SHOWN_PX, SHOWN_PX)
    small = ShownQuestion(row, replace(prompt, short_side_px=px))
    frames = {clip.role: tuple(map(_uri, jpegs)) for clip, jpegs in pictures.clips(small)}
    return PageQuestion(
        question_id=prompt.item,
        prompt_hash=shown_hash(prompt),
        benchmark=row["benchmark"],
        subtask=row["subtask"],
        system=prompt.system,
        parts=tuple(
            Part(text=part) if isinstance(part, str) else Part(None, part.label, frames[part.role])
            for part in prompt.parts
        ),
        choices=prompt.choices,
        licence=row["licence"],
    )


def _uri(jpeg: bytes) -> str:
    return "data:image/jpeg;base64," + base64.b64encode(jpeg).decode("ascii")


def reply_page(run: str, file: str, questions: Iterable[PageQuestion]) -> str:
    """The page as one HTML text; every text is escaped, and its policy allows nothing from elsewhere.

    Args:
        run: Run that the replies are for.
        file: Name of the file in which replies are saved.
        questions: Questions in shown order.
    """
    shown = list(questions)
    style, style_hash = _ours("reply_page.css")
    script, script_hash = _ours("reply_page.js")
    page = Environment(
        loader=FileSystemLoader(_HERE),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    ).get_template("reply_page.html.j2")
    return page.render(
        run=run,
        file=file,
        questions=shown,
        page_id=digest([run, *(question.prompt_hash for question in shown)]),
        style=style,
        script=script,
        policy=(
            f"default-src 'none'; img-src data:; style-src {style_hash}; script-src {script_hash};"
            " base-uri 'none'; form-action 'none'"
        ),
    )


def _ours(name: str) -> tuple[Markup, str]:
    """Text of a file of ours as it stands in the page, and its hash for the policy."""
    text = "\n" + (_HERE / name).read_text(encoding="utf-8")
    hashed = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
    # Ours, not data: the file lies beside this module.
    return Markup(text), f"'sha256-{hashed}'"  # noqa: S704
