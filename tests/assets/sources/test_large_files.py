"""Parts whose files are too large to hold: read piece by piece, from any root, told like others."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assets.sources.layout import Part, Rows
from resources.roots.base import LocalRoot, UnreadableFile

if TYPE_CHECKING:
    from conftest import Source

PLUGIN = """
from assets.sources.reading.row_reader import RowReader
from assets.sources.layout import Layout, Part, Rows
from expectations.schemas import TABLES


def read_recordings(part):
    assert not part.files
    reader = RowReader("recordings")
    rows = []
    for path, pieces in part.large.items():
        rows += reader.large_json(path, pieces(), ["videos"], lambda key, video: {
            "source": part.source, "recording_id": key, "take_id": key, "view": "ego",
            "media_kind": "video", "time_base": "pts", "media": "missing", "media_paths": [],
            "media_hashes": [], "duration_s": float(video["length"]), "licence": "x",
            "source_file": path, "source_key": key})
    return Rows({"recordings": TABLES["recordings"].frame(rows)}, tuple(reader.refused))


LAYOUT = Layout("large", "Large", "CC0", "verified",
                (Part("recordings", read_recordings, None, large=r"all\\.json"),))
"""


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plugin") / "large_files.py"
    path.write_text(PLUGIN)
    return path


@pytest.fixture
def large(tmp_path: Path, plugin: Path, source_of) -> Source:
    (tmp_path / "root").mkdir()
    source = source_of("large", tmp_path / "root", (str(plugin),))
    write(source, {f"v{n}": {"length": n} for n in range(20)})
    return source


def write(source: Source, videos: dict) -> None:
    document = json.dumps({"version": 1, "videos": videos})
    (source.root / "all.json").write_text(document.replace("-1", "NaN"))


def test_one_edited_member_moves_one_recording(large: Source) -> None:
    large.ingest()
    assert large.rows("recordings").height == 20
    before = dict(large.rows("ledger").select("unit", "content_hash").iter_rows())
    write(large, {f"v{n}": {"length": n + 100 * (n == 7)} for n in range(20)})
    large.ingest()
    after = dict(large.rows("ledger").select("unit", "content_hash").iter_rows())
    assert {unit for unit in before if before[unit] != after[unit]} == {"v7"}


def test_a_broken_member_and_a_cut_document_are_told(large: Source) -> None:
    write(large, {f"v{n}": {"length": -1 if n == 3 else n} for n in range(20)})
    large.ingest()
    assert large.rows("recordings").height == 19
    (said,) = large.quarantine()
    assert (said["file"], said["row"], said["rule"]) == ("all.json", "v3", "unreadable_row")
    path = large.root / "all.json"
    path.write_text(path.read_text()[:-30])
    large.ingest(allow_deletes=True)
    assert {r["rule"] for r in large.quarantine()} == {"unreadable_row", "unreadable_file"}
    assert len(large.quarantine()) == 2
    assert 15 <= large.rows("recordings").height < 19


def test_it_may_lie_in_an_archive(large: Source, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("PARALLAX_CACHE", str(tmp_path / "cache"))
    large.ingest()
    expected = large.rows("recordings")
    path = large.root / "all.json"
    with zipfile.ZipFile(large.root / "release.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(path, "release/all.json")
    path.unlink()
    version = large.settings.store.version
    from expectations.schemas import TABLES

    before = version(TABLES["recordings"])
    large.ingest()
    assert version(TABLES["recordings"]) == before
    assert large.rows("recordings").equals(expected)


def test_what_may_not_be_read_costs_the_file(large: Source, monkeypatch) -> None:
    large.ingest()
    write(large, {"v1": {"length": 5}})

    def refused(_self, path: str):
        raise UnreadableFile(path, "not permitted")

    monkeypatch.setattr(LocalRoot, "open", refused)
    large.ingest(allow_deletes=True)
    assert [r["rule"] for r in large.quarantine()] == ["unreadable_file"]


def test_large_files_belong_to_no_single_recording() -> None:
    with pytest.raises(ValueError, match="per source"):
        Part("segments", lambda _: Rows({}), r"(?P<recording>.+)\.csv", large=r"all\.json")
