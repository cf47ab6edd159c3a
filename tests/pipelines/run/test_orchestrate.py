"""The order of a run: tables, then what judges them, then reports."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import dagster as dg
import pytest

from assets.options import Options
from pipelines.run import orchestrate
from pipelines.run.launch import Blocked, RunFailed
from pipelines.run.progress import Display
from pipelines.run.steps import Scope, Step
from resources.config import load_settings

CONFIG = """
store = "tables"
[sources.good]
layout = "egome"
root = "raw"
[sources.broken]
layout = "egome"
root = "raw"
[benchmarks.egoprox]
sources = ["good"]
[benchmarks.egocot]
sources = ["broken"]
"""


def test_tables_are_judged_before_reports_unless_they_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "parallax.toml").write_text(CONFIG)
    settings = load_settings(tmp_path / "parallax.toml")
    events: list[object] = []

    def update(run: orchestrate._Update, wave: Sequence[Step]) -> None:
        events.extend(step.partition for step in wave)
        if any(step.partition == "broken" for step in wave):
            run.blocked["broken"] = Blocked("its contract does not hold")

    monkeypatch.setattr(orchestrate, "home_in_use", lambda: tmp_path)
    monkeypatch.setattr(orchestrate, "open_instance", lambda _: dg.DagsterInstance.ephemeral())
    monkeypatch.setattr(orchestrate, "definitions", lambda *_, **__: dg.Definitions())
    monkeypatch.setattr(orchestrate._Update, "update", update)
    monkeypatch.setattr(
        orchestrate._Update, "update_reports", lambda _, names: events.append(("reports", *names))
    )
    with pytest.raises(RunFailed, match="its contract does not hold"):
        orchestrate.update(
            settings, Scope(), Options(), Display(), before_reports=lambda p: events.append(set(p))
        )
    assert events == [
        *("good", "broken", "egoprox", "egocot"),
        {"good", "egoprox"},
        ("reports", "egoprox", "egocot"),
    ]
