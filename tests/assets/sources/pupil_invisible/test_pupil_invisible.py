"""Pupil Invisible folders as a source of their own, and what a broken one does to it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

if TYPE_CHECKING:
    from conftest import Source


@pytest.fixture
def pupil(household: Path, source_of: Callable[..., Source], tmp_path: Path) -> Source:
    root = tmp_path / "pupil"
    shutil.copytree(household / "pupil", root)
    source = source_of("pupil_invisible", root)
    source.ingest()
    return source


def test_every_folder_is_a_recording(pupil: Source) -> None:
    rows = pupil.rows("recordings")
    assert rows.height == 5
    assert rows["recording_id"].to_list() == sorted(p.name for p in pupil.root.iterdir())
    assert rows["media_paths"].list.len().to_list().count(2) == 1
    assert pupil.rows("gaze_samples")["recording_id"].n_unique() == 5
    assert pupil.quarantine() == []


@pytest.mark.parametrize(
    ("info", "rule"),
    [
        (b"", "unreadable_file"),
        (b"[]", "unreadable_file"),
        (b"[" * 99_999, "unreadable_file"),
        (b"\xff", "unreadable_file"),
        (b'{"duration": "long"}', "unreadable_file"),
        (b'{"duration": NaN}', "unreadable_file"),
        (b'{"duration": -5}', "range:duration_s"),
    ],
)
def test_a_broken_info_file_takes_its_folder_only(pupil: Source, info: bytes, rule: str) -> None:
    before = pupil.tables()
    uid = "bee912e4-ac78-11ee-819f-80615f12b59e"
    (pupil.root / uid / "info.json").write_bytes(info)
    pupil.ingest()
    said = {(r["file"], r["rule"]) for r in pupil.quarantine()}
    assert (f"{uid}/info.json", rule) in said
    assert {r for _, r in said} == {rule, "unknown_recording"}
    assert all(r["remedy"] for r in pupil.quarantine())
    for name in ("recordings", "gaze_samples", "frame_stamps", "cameras"):
        kept = before[name].filter(pl.col("recording_id") != uid)
        assert pupil.rows(name).equals(kept), name


def test_a_folder_without_info_is_told(pupil: Source) -> None:
    uid = "bee912e4-ac78-11ee-819f-80615f12b59e"
    (pupil.root / uid / "info.json").unlink()
    pupil.ingest()
    said = {(r["rule"], r["file"]) for r in pupil.quarantine()}
    assert ("file_gone", f"{uid}/info.json") in said
    pupil.ingest(allow_deletes=True)
    assert {r["rule"] for r in pupil.quarantine()} == {"unknown_recording"}
    assert pupil.rows("recordings").height == 4


def test_gaze_in_another_number_format_is_not_guessed(pupil: Source) -> None:
    uid = "bee912e4-ac78-11ee-819f-80615f12b59e"
    (pupil.root / uid / "gaze.dtype").write_bytes(b'[("x", "float64"), ("y", "float64")]')
    pupil.ingest()
    assert [(r["file"], r["rule"]) for r in pupil.quarantine()] == [
        (f"{uid}/gaze.dtype", "gaze_dtype")
    ]
    assert uid not in pupil.rows("gaze_samples")["recording_id"].to_list()
