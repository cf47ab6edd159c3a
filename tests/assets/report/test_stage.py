"""A page counts as up to date only where its files are those of the inputs it names."""

from __future__ import annotations

from pathlib import Path

import pytest

from assets.questions.stage import STAGE as QUESTIONS
from assets.report import stage
from assets.report.stage import page_is_fresh, write_page
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
