"""The static pages: a front page, and per benchmark scores, funnels, refusals and its questions.

Everything on them comes from data that others wrote: every text is escaped by the template engine,
images are data URIs of bytes that are JPEG, and each page's own policy allows no network and no
script or style but the ones whose hashes it names.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from assets.questions.egoprox.tools import TOOLS
from assets.report.parts import FrontEntry, PageModel, QuestionCard
from assets.report.reasons import METRICS, SHOWN

_HERE = Path(__file__).parent / "templates"
_SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


def jpeg_uri(jpeg: bytes) -> str:
    """Data URI of a JPEG.

    Raises:
        ValueError: The bytes are no JPEG.
    """
    if not jpeg.startswith(b"\xff\xd8\xff"):
        raise ValueError(f"frame of {len(jpeg)} bytes does not start like a JPEG: {jpeg[:4]!r}")
    return "data:image/jpeg;base64," + base64.b64encode(jpeg).decode("ascii")


def svg_uri(drawing: str) -> str:
    """Data URI of a drawing of ours; shown as an image, it can run and load nothing."""
    return "data:image/svg+xml;base64," + base64.b64encode(drawing.encode()).decode("ascii")


def percent(value: float) -> str:
    """Share as percent with one decimal."""
    return f"{100 * value:.1f}"


def printed(value: float) -> str:
    """A printed number with the one or two decimals it is printed with."""
    return f"{value:.1f}" if round(value, 1) == value else f"{value:.2f}"


def words(name: str) -> str:
    """A name of ours with blanks for underscores."""
    return name.replace("_", " ")


def file_name(benchmark: str) -> str:
    """File of a benchmark's page, beside the front page.

    Raises:
        ValueError: The name has characters a path may not have.
    """
    if not _SAFE_NAME.fullmatch(benchmark):
        raise ValueError(f"benchmark {benchmark!r} is not a name: letters, digits, `-` and `_`")
    return f"{benchmark}.html"


@cache
def _pages() -> Environment:
    pages = Environment(
        loader=FileSystemLoader(_HERE),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters["jpeg_uri"] = jpeg_uri
    pages.filters["svg_uri"] = svg_uri
    pages.filters["percent"] = percent
    pages.filters["printed"] = printed
    pages.filters["words"] = words
    pages.filters["file_name"] = file_name
    pages.globals["tools"] = TOOLS
    return pages


def by_subtask(cards: Sequence[QuestionCard]) -> dict[str, list[QuestionCard]]:
    """Cards per subtask, both in their order."""
    groups: dict[str, list[QuestionCard]] = {}
    for card in cards:
        groups.setdefault(card.subtask, []).append(card)
    return groups


def _ours(name: str) -> tuple[Markup, str]:
    """Text of a file of ours as it stands in the page, and its hash for the policy."""
    text = "\n" + (_HERE / name).read_text(encoding="utf-8")
    digest = hashlib.sha256(text.encode()).digest()
    # Ours, not data: the file lies beside this module.
    return Markup(text), f"'sha256-{base64.b64encode(digest).decode('ascii')}'"  # noqa: S704


def _render(template: str, **given: object) -> str:
    style, style_hash = _ours("page.css")
    script, script_hash = _ours("page.js")
    policy = (
        f"default-src 'none'; img-src data:; style-src {style_hash}; script-src {script_hash};"
        " base-uri 'none'; form-action 'none'"
    )
    page = _pages().get_template(template)
    return page.render(style=style, script=script, policy=policy, **given)


def render_page(model: PageModel, front: str = "page.html") -> str:
    """The page of a benchmark as one HTML text that needs no other file and no network.

    Args:
        model: What it says.
        front: File name of the front page, one folder up.

    Raises:
        ValueError: A frame is not a JPEG.
    """
    return _render(
        "benchmark.html.j2",
        page=model,
        groups=by_subtask(model.cards),
        front=front,
        cited_metrics=METRICS,
        weak_reasons_shown=SHOWN,
    )


def render_front(title: str, folder: str, entries: Sequence[FrontEntry]) -> str:
    """The front page: every benchmark with its scores and the way to its page.

    Args:
        title: Title.
        folder: Folder of the benchmarks' pages, relative to the front page.
        entries: Benchmarks in shown order.
    """
    return _render("front.html.j2", title=title, folder=folder, entries=entries)
