"""What a choice of subtasks needs of a release: derived from what builders read, never guessed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assets.questions.kit.builder import builders
from assets.sources.layout import PART_TABLES
from assets.sources.registry import layouts
from assets.sources.release_sizes import CERTAINTIES, Released, released
from expectations.schemas import TABLES
from pipelines.cli.fetch_plan import chosen_builders, needed, plan_lines, tables_needed
from pipelines.definitions import STAGES
from resources.config import Settings, SourceConfig
from resources.errors import UnknownName
from resources.store.tables import TableStore


def _all_released() -> list[Released]:
    return [one for layout in layouts().values() for one in released(layout)]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    store = TableStore(str(tmp_path / "tables"))
    files = TABLES["files"]
    rows = [
        {
            "source": "house",
            "path": path,
            "bytes": size,
            "stamp": "",
            "content": "",
            "part": part,
            "is_media": media,
        }
        for path, size, part, media in (
            ("video_meta_downsampled.json", 100, "recordings", False),
            ("videos/0e2c0adc-ac78-11ee-819f-80615f12b59e.mp4", 5000, "recordings", True),
            ("videos/1e2c0adc-ac78-11ee-819f-80615f12b59e.mp4", 7000, "recordings", True),
            ("readme.txt", 9, None, False),
        )
    ]
    store.replace(files, "house", [r["path"] for r in rows], files.frame(rows))
    source = SourceConfig("house", "egoexolearn", str(tmp_path))
    return Settings(tmp_path, store, tmp_path / "page.html", {"house": source})


def test_every_table_a_builder_reads_leads_to_a_source() -> None:
    made = {t for stage in STAGES for t in stage.tables} | {
        t for tables in PART_TABLES.values() for t in tables
    }
    for builder in builders().values():
        assert builder.reads.keys() <= made, builder.recipe
        # Frames are sent by every protocol, so all need media.
        assert "recordings" in tables_needed([builder])


def test_geometry_is_asked_only_where_it_is_read() -> None:
    assert "objects_3d" in tables_needed(chosen_builders(["egoprox"], []))
    bridge = tables_needed(chosen_builders(["egobridge"], []))
    assert not {"objects_3d", "camera_poses", "boxes"} & bridge.keys()
    assert {"segments", "taxonomies"} <= bridge.keys()


def test_files_and_media_here_are_counted_apart(settings: Settings) -> None:
    plan = {
        (n.part, n.is_media): n
        for n in needed(settings, chosen_builders(["egobridge"], []), ["egoexolearn"])
    }
    files, media = plan["recordings", False], plan["recordings", True]
    assert (files.here, files.bytes_here) == (1, 100)
    assert (media.here, media.bytes_here) == (2, 12000)
    assert ("splits", False) not in plan


def test_files_too_large_to_be_held_are_in_the_plan(settings: Settings) -> None:
    named = "annotations/narration.json", "ego4d.json", "annotations/ego_pose/val/body/annotation/1.json"  # fmt: skip
    plan = needed(settings, chosen_builders([], []), ["ego4d", "egoexo4d"])
    patterns = [one.pattern for one in plan if not one.is_media]
    for path in named:
        assert any(re.fullmatch(pattern, path) for pattern in patterns), path


def test_the_plan_in_words(settings: Settings) -> None:
    said = "\n".join(plan_lines(settings, ["egobridge"], [], ["egoexolearn"]))
    assert "here: 2 files, 12.0 kB" in said
    assert "annotations/coarse_annotations.tar.gz: 365.8 kB (verified: released file)" in said
    assert re.search(r"videos/\*.mp4 \(745 videos\): size not known \(documented", said)
    assert "not needed: splits" in said
    assert re.search(
        r"known sizes of the full release: \S+ MB, and \d+ items of unknown size", said
    )


@pytest.mark.parametrize(
    "asked", [(["nope"], [], []), ([], ["nope"], []), ([], [], ["nope"])], ids=str
)
def test_unknown_names_are_told(settings: Settings, asked) -> None:
    with pytest.raises(UnknownName, match="nope"):
        list(plan_lines(settings, *asked))


def test_declared_sizes_are_of_parts_that_there_are() -> None:
    known = layouts()
    for one in _all_released():
        part = known[one.layout].part(one.part)
        assert part is not None, one
        assert (part.media if one.is_media else part.files) is not None, one
        assert one.certainty in CERTAINTIES
        assert one.bytes is None or one.bytes > 0


def test_verified_sizes_are_those_of_the_real_files(shared: Path) -> None:
    folders = {"egoexolearn": "egoexolearn", "easg": "ego4d-easg", "tf2023": "tf2023"}
    compared = 0
    for one in _all_released():
        if one.certainty != "verified" or one.layout not in folders:
            continue
        for path in (shared / "data" / folders[one.layout]).rglob(Path(one.what).name):
            if path.as_posix().endswith(one.what):
                assert path.stat().st_size == one.bytes, one.what
                compared += 1
    assert compared >= 10
