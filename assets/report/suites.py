"""Where the pages about expectation suites lie beside the report, and what the report says of them.

The pages are written when suites are judged, which may be after the report or never; the report links
those that exist.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from urllib.parse import quote

from assets.report.parts import SuitePage
from expectations.suites import SUITES

_SUMMARY = re.compile(r'<meta name="description" content="([^"]*)">')


def suites_folder(report: Path) -> Path:
    """Folder of the pages about suites.

    Args:
        report: The report's front page; the folder lies beside it.
    """
    return report.parent / f"{report.stem}-checks"


def suite_file(report: Path, table: str, partition: str) -> Path:
    """Page about the suite of a table in one partition, whether or not it has been written."""
    name = re.sub("[^A-Za-z0-9_.-]", "_", partition)
    return suites_folder(report) / f"{table}.{name}.html"


def summary_tag(summary: str) -> str:
    """Tag in the head of a suite's page that carries its result in one sentence."""
    return f'<meta name="description" content="{html.escape(summary)}">'


def written_suites(report: Path, partition: str) -> tuple[SuitePage, ...]:
    """Pages about the suites of a source or benchmark that have been written, by table.

    Args:
        report: The report's front page.
        partition: Source or benchmark.
    """
    found = []
    for table in sorted(SUITES):
        file = suite_file(report, table, partition)
        if file.is_file():
            summary = _SUMMARY.search(file.read_text(encoding="utf-8"))
            # Pages of benchmarks lie in a folder of their own beside the front page.
            href = f"../{quote(file.parent.name)}/{quote(file.name)}"
            found.append(SuitePage(table, href, html.unescape(summary[1]) if summary else ""))
    return tuple(found)
