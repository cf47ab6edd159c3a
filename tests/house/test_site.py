"""The documentation site: it builds in strict mode, and asks no other site for anything."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from expectations.schemas import TABLES
from pipelines.definitions import PAGE, STAGES
from tests.house.test_documents import REPOSITORY

LOADS = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}
CSS_URL = re.compile(r"""(?:url\(|@import)\s*["']?(?:https?:)?//""")


class Loads(HTMLParser):
    """Addresses that a page makes a browser load."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if (tag, name) in LOADS]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `make site` builds it; a dead link or anchor stops the build."""
    out = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "-q", "-d", str(out)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return out


def test_there_is_a_page_for_every_document_stage_and_dataset(site: Path) -> None:
    pages = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    expected = {f"{path.stem}.html" for path in (REPOSITORY / "docs").glob("*.md")}
    expected |= {f"stages/{stage.name}.html" for stage in (*STAGES, PAGE)}
    for folder, place in (("sources", "datasets"), ("questions", "benchmarks")):
        readmes = (REPOSITORY / "assets" / folder).glob("*/README.md")
        expected |= {f"{place}/{path.parent.name}.html" for path in readmes}
    assert expected | {"index.html", "diagram.html"} <= pages


def test_no_page_loads_anything_from_another_site(site: Path) -> None:
    for path in site.rglob("*.html"):
        loads = Loads()
        loads.feed(path.read_text(encoding="utf-8"))
        assert loads.found, path
        assert not [url for url in loads.found if "//" in url], path
    for path in site.rglob("*.css"):
        assert not CSS_URL.search(path.read_text(encoding="utf-8")), path


def test_names_of_files_stand_above_their_blocks(site: Path) -> None:
    page = (site / "first-hour.html").read_text(encoding="utf-8")
    assert '<span class="filename">parallax.toml</span>' in page
    assert "```" not in page


def test_the_diagram_leads_to_every_table(site: Path) -> None:
    page = (site / "diagram.html").read_text(encoding="utf-8")
    tables = (site / "tables.html").read_text(encoding="utf-8")
    for name in TABLES:
        assert f'href="tables.html#{name}"' in page
        assert f'id="{name}"' in tables
