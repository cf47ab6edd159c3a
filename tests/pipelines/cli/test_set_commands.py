"""`parallax sets` and `parallax score-sets`: what they say where there is nothing to read."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipelines.cli import app


@pytest.mark.parametrize(
    ("source", "said"), [("nobody", "no source 'nobody'"), ("s", "none, run it first")]
)
@pytest.mark.parametrize(
    ("command", "option"), [("sets", "--out"), ("score-sets", "--predictions")]
)
def test_what_is_missing_is_said(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    option: str,
    source: str,
    said: str,
) -> None:
    config = tmp_path / "parallax.toml"
    config.write_text('store = "tables"\n[sources.s]\nlayout = "egoexolearn"\nroot = "raw"\n')
    monkeypatch.setenv("PARALLAX_CONFIG", str(config))
    words = [command, source, "--set", "planning/paper", option, str(tmp_path / "named")]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1
    assert said in done.output
    assert not (tmp_path / "named").exists()
    assert not (tmp_path / "data").exists()
