"""`parallax score-sets`: what it says where there is nothing to score."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipelines.cli import app


@pytest.mark.parametrize(
    ("source", "said"), [("nobody", "no source 'nobody'"), ("s", "none, run it first")]
)
def test_what_is_missing_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, said: str
) -> None:
    config = tmp_path / "parallax.toml"
    config.write_text('store = "tables"\n[sources.s]\nlayout = "egoexolearn"\nroot = "raw"\n')
    monkeypatch.setenv("PARALLAX_CONFIG", str(config))
    words = ["score-sets", source, "--set", "planning/paper", "--predictions", str(tmp_path)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1
    assert said in done.output
    assert not (tmp_path / "data").exists()
