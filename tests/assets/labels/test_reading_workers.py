"""Many narrations are read by several processes as by one."""

from __future__ import annotations

from assets.labels import reading_workers
from assets.labels.open.model import DEFAULT_MODEL
from assets.labels.reading_workers import read_in_workers

TEXTS = ["C opens the jar.", "The lid opens.", "He fails to cut the rope with both hands.", "#C C waves at the man"]  # fmt: skip


def test_workers_read_as_one_process_does(monkeypatch) -> None:
    monkeypatch.setattr(reading_workers, "_CHUNK", 1)
    alone = list(read_in_workers(TEXTS, DEFAULT_MODEL, workers=1))
    assert [labels[0].lemma for labels in alone] == ["open", "open", "cut", "wave"]
    assert list(read_in_workers(TEXTS, DEFAULT_MODEL, workers=2)) == alone
