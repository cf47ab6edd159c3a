"""The notebook runs from raw files to its figures, in a kernel of its own."""

from __future__ import annotations

import base64
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

PROJECT = Path(__file__).parents[2]
NOTEBOOK = PROJECT / "docs" / "notebooks" / "accuracy_by_subtask.ipynb"


def test_the_notebook_goes_from_raw_files_to_two_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(PROJECT))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("MPLCONFIGDIR", str(tmp_path / "matplotlib"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(
        notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    ).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    figures = [o["data"]["image/png"] for o in outputs if "image/png" in o.get("data", {})]
    assert [base64.b64decode(png)[:8] for png in figures] == [b"\x89PNG\r\n\x1a\n"] * 2
    shown = "".join(o.get("text", "") + o.get("data", {}).get("text/plain", "") for o in outputs)
    subtasks = [f"association_{way}_{k}" for way in ("ego2exo", "exo2ego") for k in ("k20", "k5")]
    assert all(shown.count(subtask) >= 2 for subtask in subtasks)
    assert "scores of egobridge.random" in shown
