"""What status says of a source: listed, present, readable and used are told apart, with reasons."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from assets.sources.manifest import take_manifest
from assets.sources.stage import layout_of, root_of
from expectations.schemas import TABLES
from pipelines.cli.source_status import source_lines, verify_source
from resources.config import Settings, SourceConfig
from resources.store.tables import TableStore


def recording(uid: str, media: str) -> dict:
    return {
        "source": "house",
        "recording_id": uid,
        "take_id": uid,
        "view": "ego",
        "media_kind": "video",
        "time_base": "pts",
        "media": media,
        "media_paths": [],
        "media_hashes": [],
        "licence": "x",
        "source_file": "f",
        "source_key": uid,
    }


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Five listed, three present, two readable; one question uses one."""
    store = TableStore(str(tmp_path / "tables"))

    def put(name: str, partition: str, rows: list[dict]) -> None:
        table = TABLES[name]
        store.replace(table, partition, [r[table.unit] for r in rows], table.frame(rows))

    put("recordings", "house", [recording(f"r{n}", "present") for n in (1, 2, 3)])
    put("recordings", "house", [recording(f"r{n}", "missing") for n in (4, 5)])
    put("frames", "house", [{"source": "house", "recording_id": f"r{n}"} for n in (1, 2)])
    media = [{"recording_id": "r1"}]
    put(
        "questions",
        "egobridge",
        [{"source": "house", "pool": "u", "question_id": "q", "media": media}],
    )
    refused = {"source": "house", "stage": "frames", "unit": "r3", "recording_id": "r3"}
    put("quarantine", "frames.house", [{**refused, "rule": "video_unreadable"}])
    source = SourceConfig("house", "egoexolearn", str(tmp_path / "raw"))
    return Settings(tmp_path, store, tmp_path / "page.html", {"house": source})


def test_counts_are_never_mixed_and_reasons_are_given(settings: Settings) -> None:
    said = "\n".join(source_lines(settings, "house"))
    assert (
        "house (egoexolearn): 5 recordings listed, 3 with media, 2 readable, 1 used in questions"
    ) in said
    assert "absent: 2 recordings (r4, r5): no media under the root" in said
    assert "not readable: 1 recordings (r3): video_unreadable 1" in said
    assert "1 rows in quarantine (video_unreadable 1)" in said
    assert "layout verified; MIT (annotations)" in said and "no frame on pages" in said
    assert "not listed yet" in said


def test_verifying_tells_what_differs_behind_an_unmoved_stamp(settings: Settings) -> None:
    path = settings.home / "raw" / "video_meta_downsampled.json"
    path.parent.mkdir()
    path.write_text("[1]")
    assert "1 files read (3 B), 1 differ" in verify_source(settings, "house")
    before = path.stat()
    path.write_text("[2]")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert "1 differ, first video_meta_downsampled.json" in verify_source(settings, "house")
    assert "0 differ" in verify_source(settings, "house")
    said = "\n".join(source_lines(settings, "house"))
    assert "files: 1 under the root, 1 of the layout (0 media), 3 B" in said
    assert "absent: no file of segments, taxonomies, splits" in said


UNREAD = {
    # name: (layout, files under the root, lines that say so)
    "media": (
        "videos",
        {"a.mp4": b"x", "b.ts": b"x", "c.MTS": b"x", "notes/todo.txt": b"x"},
        [
            "WARNING: 2 files (b.ts, c.MTS) look like media and are not read: layout videos "
            "expects other names (docs/datasets.md); rename or convert what should be read",
            "not of the layout: 1 file (notes/todo.txt)",
        ],
    ),
    "one of many": (
        "egoexolearn",
        {"video_meta_downsampled.json": b"[]", **{f"n{at}": b"x" for at in range(5)}, "x.mp4": b""},
        ["WARNING: 1 file (x.mp4) looks like media and is", "5 files (n0, n1, n2, ...)"],
    ),
    "nothing": ("egoexolearn", {"video_meta_downsampled.json": b"[]"}, []),
}


@pytest.mark.parametrize("name", UNREAD)
@pytest.mark.parametrize("form", ["folder", "zip", "zip in a folder"])
def test_files_that_no_part_of_the_layout_reads_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, name: str
) -> None:
    monkeypatch.setenv("PARALLAX_CACHE", str(tmp_path / "cache"))
    layout, files, expected = UNREAD[name]
    root = tmp_path / "raw"
    root.mkdir()
    if form == "folder":
        for path, data in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(data)
    else:
        with zipfile.ZipFile(root / "all.zip", "w") as archive:
            for path, data in files.items():
                archive.writestr(path, data)
    place = root / "all.zip" if form == "zip" else root
    source = SourceConfig("it", layout, str(place))
    store = TableStore(str(tmp_path / "tables"))
    settings = Settings(tmp_path, store, tmp_path / "page.html", {"it": source})
    take_manifest(store, "it", layout_of(settings, "it"), root_of(settings, "it"))
    said = [line.strip() for line in source_lines(settings, "it")]
    said = [s.replace(" (in all.zip)", "") for s in said if "look" in s or "not of the" in s]
    assert len(said) == len(expected), said
    for line, part in zip(said, expected, strict=True):
        assert part in line
