"""Static pages beside the report about what the expectation suites found, and which of them are current."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from assets.report.suites import suite_file, suites_folder, summary_tag
from assets.stage import Stage
from expectations.checks.results import SuiteResult
from expectations.schemas.identity import digest
from expectations.suites import Outcome, Suite
from resources.config import Settings
from resources.store.code_version import code_version

_VERSION = re.compile(r'<meta name="judged" content="([0-9a-f]+)">')
_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #1c2429 }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid #d8dee2; vertical-align: top }
.no { color: #a8322a; font-weight: 600 } .yes { color: #2c7a3f }
.scroll { overflow-x: auto }
"""


def folder(settings: Settings) -> Path:
    """Folder of the pages, beside the report's front page."""
    return suites_folder(settings.page)


def page_of(settings: Settings, table: str, partition: str) -> Path:
    """Page about a suite in one partition."""
    return suite_file(settings.page, table, partition)


def is_current(settings: Settings, suite: Suite, partition: str, stages: Iterable[Stage]) -> bool:
    """Whether the page about a suite tells of the tables and expectations as they are."""
    path = page_of(settings, suite.table, partition)
    if not path.is_file():
        return False
    version = _VERSION.search(path.read_text(encoding="utf-8"))
    return version is not None and version[1] == judged_version(settings, suite, partition, stages)


def judged_version(
    settings: Settings, suite: Suite, partition: str, stages: Iterable[Stage]
) -> str:
    """Digest of what a suite's result depends on: the content of the tables, and the expectations."""
    writers = {name: stage for stage in stages for name in stage.tables}
    return digest(
        [
            *(
                f"{name}={writers[name].data_version(settings.store, name, partition)}"
                for name in sorted(suite.reads)
            ),
            *(repr(expectation) for view in suite.views for expectation in view.expectations),
            code_version(*(view.make for view in suite.views)),
        ]
    )


def write_page(settings: Settings, result: SuiteResult) -> Path:
    """Write the page about what a suite found, and the list of all pages.

    Returns:
        The page.
    """
    # Imported late: the definitions hold the checks that write these pages.
    from pipelines.definitions import STAGES

    version = judged_version(settings, result.suite, result.partition, STAGES)
    path = page_of(settings, result.suite.table, result.partition)
    path.parent.mkdir(parents=True, exist_ok=True)
    _put(path, render(result, version))
    _put(path.with_name("index.html"), _index(path.parent))
    return path


def render(result: SuiteResult, version: str) -> str:
    """A page about what a suite found: needs no other file, and text from data is escaped.

    Args:
        result: What it found.
        version: What the result was made from.
    """
    title = f"Expectations of {result.suite.table}: {result.partition}"
    rows = [
        f"<tr>{_cells(outcome)}</tr>"
        for outcome in sorted(result.outcomes, key=lambda o: o.success)
    ]
    heads = "".join(
        f"<th>{head}</th>"
        for head in ("holds", "expectation", "observed", "limit", "rows", "outside", "why")
    )
    return _document(
        title,
        f'<meta name="judged" content="{version}">{summary_tag(result.sentence)}',
        f"<p>{escape(result.sentence)}.</p>",
        f'<div class="scroll"><table><tr>{heads}</tr>{"".join(rows)}</table></div>',
        result.drawing or "",
        *_failing(result.broken),
        '<p><a href="index.html">All suites</a></p>',
    )


def _cells(outcome: Outcome) -> str:
    holds = '<td class="yes">yes</td>' if outcome.success else '<td class="no">no</td>'
    shown = (
        outcome.expectation,
        outcome.observed,
        outcome.limit,
        outcome.n,
        outcome.n_unexpected,
        outcome.reason,
    )
    return holds + "".join(f"<td>{escape(str(value))}</td>" for value in shown)


def _failing(broken: Iterable[Outcome]) -> Iterator[str]:
    for outcome in broken:
        if outcome.failing:
            keys = "".join(f"<li><code>{escape(key)}</code></li>" for key in outcome.failing)
            name = escape(outcome.expectation)
            yield f"<h2>First rows that break {name}</h2><ul>{keys}</ul>"


def _index(pages: Path) -> str:
    links = "".join(
        f'<li><a href="{escape(path.name)}">{escape(path.stem)}</a></li>'
        for path in sorted(pages.glob("*.html"))
        if path.name != "index.html"
    )
    return _document("Expectation suites", "", f"<ul>{links}</ul>")


def _document(title: str, head: str, *body: str) -> str:
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">{head}'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>"
        f"<body><h1>{escape(title)}</h1>{''.join(body)}</body></html>\n"
    )


def _put(path: Path, text: str) -> None:
    """Write a file as a whole: readers and other processes see the old one or the new one."""
    fresh = path.with_suffix(".new")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)
