"""A page counts as up to date only where its files are those of the inputs it names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assets.questions.stage import STAGE as QUESTIONS
from assets.report import stage
from assets.report.stage import page_is_fresh, page_of, write_page
from assets.report.suites import suite_file, summary_tag
from resources.config import Settings, load_settings
from resources.store.ledger import Entry, write_entries

CONFIG = """
store = "tables"
[sources.s]
layout = "egome"
root = "raw"
[benchmarks.egoprox]
sources = ["s"]
"""


class Died(BaseException):
    """As kill -9: nothing after it runs."""


def questions_are(settings: Settings, version: str) -> None:
    """Let the ledger hold other questions."""
    entry = Entry("p", version, "ok", version, 0, {"questions": (1, {"text": version})})
    write_entries(settings.store, QUESTIONS.name, "egoprox", [entry])


@pytest.mark.parametrize("breaks_at", ["_front_entry", "the ledger"])
def test_a_page_that_was_left_half_written_is_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, breaks_at: str
) -> None:
    (tmp_path / "raw").mkdir()
    (tmp_path / "parallax.toml").write_text(CONFIG)
    settings = load_settings(tmp_path / "parallax.toml")
    questions_are(settings, "first")
    write_page(settings, "egoprox")
    assert page_is_fresh(settings, "egoprox")

    def die(*_args: object, **_more: object) -> None:
        raise Died

    def die_at_the_end(store: object, name: str, of: str, entries: list, gone: object = ()) -> None:
        if entries:
            raise Died
        write_entries(store, name, of, entries, gone)  # type: ignore[arg-type]

    questions_are(settings, "second")
    with monkeypatch.context() as patch:
        if breaks_at == "the ledger":
            patch.setattr(stage, "write_entries", die_at_the_end)
        else:
            patch.setattr(stage, breaks_at, die)
        with pytest.raises(Died):
            write_page(settings, "egoprox")
    # The inputs go back to what the ledger named before: the files on disk need not.
    questions_are(settings, "first")
    assert not page_is_fresh(settings, "egoprox")
    write_page(settings, "egoprox")
    assert page_is_fresh(settings, "egoprox")


def test_a_report_is_written_again_once_a_suite_of_its_tables_was_judged(tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    (tmp_path / "parallax.toml").write_text(CONFIG)
    settings = load_settings(tmp_path / "parallax.toml")
    write_page(settings, "egoprox")
    page = page_of(settings, "egoprox")
    assert "-checks/" not in page.read_text()

    suite = suite_file(settings.page, "frames", "s")
    suite.parent.mkdir()
    for result in ("4 of 5 expectations hold", "5 of 5 expectations hold"):
        suite.write_text(summary_tag(result))
        assert not page_is_fresh(settings, "egoprox")
        write_page(settings, "egoprox")
        assert page_is_fresh(settings, "egoprox")
        assert result in page.read_text()
    # Suites of other sources do not matter to this benchmark.
    suite_file(settings.page, "frames", "other").write_text("")
    assert page_is_fresh(settings, "egoprox")
    (link,) = re.findall(r'href="([^"]*-checks/[^"]*)"', page.read_text())
    assert (page.parent / link).resolve() == suite
