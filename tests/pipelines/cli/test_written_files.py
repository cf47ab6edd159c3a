"""Files of an export: where they lie, and what they hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipelines.cli.written_files import UnwritableFile, write_files, writing


def test_texts_are_written_as_they_are(tmp_path: Path) -> None:
    files = {"b/c.txt": "é\r\n", "a.txt": ""}
    written = write_files(tmp_path / "out", files)
    assert [p.relative_to(tmp_path / "out").as_posix() for p in written] == ["a.txt", "b/c.txt"]
    assert [p.read_bytes() for p in written] == [b"", "é\r\n".encode()]


def test_nothing_is_written_where_a_path_leads_out(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"'\.\./x' would lie outside"):
        write_files(tmp_path / "out", {"a": "1", "../x": "2"})
    assert not list(tmp_path.iterdir())


def test_a_place_that_cannot_be_written_is_named_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path, tmp_path / "file" / "below", tmp_path / "absent" / "below"):
        match = f"{place} cannot be written: .*; name another"
        with pytest.raises(UnwritableFile, match=match), writing(place):
            place.write_text("x")
    with pytest.raises(UnwritableFile, match=f"{tmp_path / 'file'} cannot be written"):
        write_files(tmp_path / "file", {"a": "1"})
