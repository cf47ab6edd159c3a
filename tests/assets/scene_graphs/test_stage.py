"""The stage on a real sequence: made once, found fresh, made again for the one that changed."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest

from assets.options import Options, silent
from assets.scene_graphs.stage import STAGE as SCENE_GRAPHS
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from resources.config import Settings, SourceConfig
from resources.store.tables import TableStore


@pytest.fixture
def settings(shared: Path, tmp_path: Path) -> Settings:
    root = tmp_path / "root"
    for name in ("one", "two"):
        shutil.copytree(shared / "data/adt", root / name, copy_function=shutil.copyfile)
        for path in (root / name, *(root / name).rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
    made = Settings(
        tmp_path,
        TableStore(str(tmp_path / "store")),
        tmp_path / "page.html",
        {"it": SourceConfig("it", "adt", str(root))},
    )
    SOURCES.refresh(made, "it", Options(), silent)
    return made


def test_a_recording_is_made_when_it_changes(settings: Settings) -> None:
    (report,) = SCENE_GRAPHS.refresh(settings, "it", Options(), silent)
    assert sorted(report.computed) == ["one", "two"]
    rows = settings.store.read(TABLES["calibrations"])
    assert rows.select("recording_id", "method").sort("recording_id").rows() == [
        ("one", "estimated"),
        ("two", "estimated"),
    ]
    visible = settings.store.read(TABLES["spatial_facts"]).filter(pl.col("operator") == "visible")
    assert visible["recording_id"].n_unique() == 2
    assert SCENE_GRAPHS.is_fresh(settings, "it", Options())
    path = Path(settings.sources["it"].root) / "two/2d_bounding_box.csv"
    lines = path.read_text().splitlines()
    # Rows of the grey cameras, which are not read: nothing changes.
    path.write_text("\n".join(line for line in lines if not line.startswith("1201-2,")))
    SOURCES.refresh(settings, "it", Options(), silent)
    assert SCENE_GRAPHS.is_fresh(settings, "it", Options())
    path.write_text("\n".join([lines[0], *lines[31:]]))
    SOURCES.refresh(settings, "it", Options(), silent)
    assert not SCENE_GRAPHS.is_fresh(settings, "it", Options())
    (report,) = SCENE_GRAPHS.refresh(settings, "it", Options(), silent)
    assert report.computed == ["two"]
