"""No sentence is read twice by one version of the open reader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from assets.labels import kept_readings
from assets.labels.kept_readings import read_once
from assets.labels.open.reader import OpenLabel
from resources.store.kept_texts import KeptTexts
from resources.store.tables import TableStore

LABEL = OpenLabel(0, "noun", "onion", "onions", "both_hands", "o", "done", "direct", None, 2, 4, 10, "open;dobj")  # fmt: skip


def test_each_sentence_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def reader(narrations: Sequence[str], parser: str) -> Iterator[list[OpenLabel]]:
        read.extend(narrations)
        return ([LABEL, LABEL._replace(term=text, quantity=None)] for text in narrations)

    monkeypatch.setattr(kept_readings, "read_in_workers", reader)
    kept = KeptTexts(TableStore(str(tmp_path)), "readings", "v1")
    first = read_once(kept, ["b", "a", "b"], "parser")
    assert read == ["a", "b"]
    again = read_once(kept, ["c", "a"], "parser")
    assert read == ["a", "b", "c"]
    # What is kept comes back as it was read.
    assert again == {"a": first["a"], "c": [LABEL, LABEL._replace(term="c", quantity=None)]}
    read_once(KeptTexts(TableStore(str(tmp_path)), "readings", "v2"), ["a"], "parser")
    assert read == ["a", "b", "c", "a"]
