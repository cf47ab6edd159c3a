"""Links, folders, devices, odd names, missing rights and broken media under a root."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from assets.frames.stage import STAGE as FRAMES
from assets.options import Options, silent
from assets.sources.stage import STAGE as SOURCES
from resources.roots.base import RootError

if TYPE_CHECKING:
    from conftest import Sample

META = "video_meta_downsampled.json"
FINE = "annotations/fine_annotation_trainvaltest_en.csv"
VERBS = "annotations/narration_verb_taxonomy.csv"
STRANGER = "00000000-56c4-11ee-88ee-80615f12b59e"


# -- what is not a file -------------------------------------------------------------------------------


def _link_out(sample: Sample) -> str:
    outside = sample.root.parent / "outside.mp4"
    outside.write_bytes(b"secret")
    (sample.root / "videos" / f"{STRANGER}.mp4").symlink_to(outside)
    return str(outside)


def _folder_out(sample: Sample) -> str:
    outside = sample.root.parent / "outside"
    outside.mkdir()
    (outside / "gaze.csv").write_text("secret")
    (sample.root / "pupil" / STRANGER).symlink_to(outside)
    return str(outside)


def _relative_out(sample: Sample) -> str:
    link = sample.root / "videos" / f"{STRANGER}.mp4"
    link.symlink_to("../../../.." + "/.." * 20 + "/etc/hostname")
    return os.path.realpath(link)


def _dangling(sample: Sample) -> str:
    (sample.root / "videos" / f"{STRANGER}.mp4").symlink_to("nothing.mp4")
    return f"videos/{STRANGER}.mp4"


def _to_itself(sample: Sample) -> str:
    (sample.root / "videos" / f"{STRANGER}.mp4").symlink_to(f"{STRANGER}.mp4")
    return f"videos/{STRANGER}.mp4"


def _circle(sample: Sample) -> str:
    (sample.root / "videos" / "up").symlink_to("..")
    return str(sample.root)


def _crossed_circle(sample: Sample) -> str:
    (sample.root / "one").mkdir()
    (sample.root / "two").mkdir()
    (sample.root / "one" / "link").symlink_to("../two")
    (sample.root / "two" / "link").symlink_to("../one")
    return str(sample.root / "one")


def _pipe(sample: Sample) -> str:
    os.mkfifo(sample.root / "videos" / f"{STRANGER}.mp4")
    return "prw-r--r--"


NOT_FOLLOWED: dict[str, tuple[Callable[[Sample], str], list[tuple[str, str, str | None]]]] = {
    # name: (fault, giving the value; file, rule, value or None for the given one)
    "link out of the root": (_link_out, [(f"videos/{STRANGER}.mp4", "outside_root", None)]),
    "folder out of the root": (_folder_out, [(f"pupil/{STRANGER}", "outside_root", None)]),
    "relative link out": (_relative_out, [(f"videos/{STRANGER}.mp4", "outside_root", None)]),
    "link to nothing": (_dangling, [(f"videos/{STRANGER}.mp4", "dangling_link", None)]),
    "link to itself": (_to_itself, [(f"videos/{STRANGER}.mp4", "dangling_link", None)]),
    "link to a folder above": (_circle, [("videos/up", "link_circle", None)]),
    "links that cross": (
        _crossed_circle,
        [
            ("one/link/link", "link_circle", None),
            ("two/link/link", "link_circle", "{root}/two"),
        ],
    ),
    "pipe": (_pipe, [(f"videos/{STRANGER}.mp4", "not_a_file", None)]),
}


@pytest.mark.parametrize("name", sorted(NOT_FOLLOWED))
def test_what_is_not_followed(sample: Sample, name: str) -> None:
    fault, said = NOT_FOLLOWED[name]
    value = fault(sample)
    sample.check(
        [
            (None, file, None, rule, value if v is None else v.format(root=sample.root))
            for file, rule, v in said
        ]
    )
    assert SOURCES.is_fresh(sample.settings, "it", Options())


def test_a_link_inside_the_root_is_a_file_like_any_other(sample: Sample) -> None:
    path = sample.root / "videos" / f"{sample.uid['exo']}.mp4"
    path.rename(sample.root / "elsewhere.mp4")
    path.symlink_to("../elsewhere.mp4")
    sample.check([])


def test_a_folder_where_a_file_is_expected(sample: Sample) -> None:
    (sample.root / VERBS).unlink()
    (sample.root / VERBS / "inside").mkdir(parents=True)
    sample.check(
        [(None, VERBS, None, "not_a_file", "folder")],
        {"taxonomies": pl.col("taxonomy") == "verb"},
    )


def test_a_list_of_recordings_that_is_a_folder(sample: Sample) -> None:
    (sample.root / META).unlink()
    (sample.root / META).mkdir()
    sample.ingest()
    said = [(r["file"], r["rule"]) for r in sample.quarantine() if r["file"] == META]
    assert sorted(said) == [(META, "file_missing"), (META, "not_a_file")]


# -- names -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "Videos/{uid}.mp4",
        "videos/{uid}.MP4",
        "annotations/Fine_Annotation_test.csv",
        "VIDEO_META_DOWNSAMPLED.json",
    ],
)
def test_a_name_in_another_case_is_told(sample: Sample, name: str) -> None:
    path = name.format(uid=STRANGER)
    sample.put(path, b"x")
    sample.check([(None, path, None, "name_case", path)])


@pytest.mark.parametrize(
    "name",
    ["videos/a b.mp4", 'videos/it\'s "q".mp4', "videos/new\nline.mp4", "videos/ä漢.mp4", "🎥"],
)
def test_names_of_no_use_here_are_listed_and_nothing_else(sample: Sample, name: str) -> None:
    sample.put(name, b"x")
    sample.check([])
    assert name in sample.rows("files")["path"].to_list()


def test_a_name_that_is_no_text(sample: Sample) -> None:
    with open(os.fsencode(sample.root) + b"/videos/caf\xe9.mp4", "wb") as handle:
        handle.write(b"x")
    shown = "videos/caf\\udce9.mp4"
    sample.check([(None, shown, None, "name_not_utf8", shown)])


# -- rights and machinery --------------------------------------------------------------------------


def _refuse(monkeypatch: pytest.MonkeyPatch, name: str, error: OSError) -> None:
    """Let one file fail to open: root may read everything, so that modes prove nothing."""
    real = Path.open

    def opened(self: Path, *args: Any, **more: Any) -> Any:
        if self.name == name:
            raise error
        return real(self, *args, **more)

    monkeypatch.setattr(Path, "open", opened)


def test_a_file_that_may_not_be_read(sample: Sample, monkeypatch: pytest.MonkeyPatch) -> None:
    sample.put(VERBS, sample.get(VERBS) + b" ")
    error = PermissionError(errno.EACCES, "Permission denied")
    _refuse(monkeypatch, Path(VERBS).name, error)
    sample.check(
        [(None, VERBS, None, "unreadable_file", "Permission denied")],
        {"taxonomies": pl.col("taxonomy") == "verb"},
    )
    # Told again and again without work, until it can be read.
    assert SOURCES.is_fresh(sample.settings, "it", Options())
    monkeypatch.undo()
    sample.put(VERBS, sample.get(VERBS).rstrip(b" "))
    sample.check([])


def test_rights_taken_between_listing_and_reading(
    sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file known by content is only opened when its part is read again."""
    other = "annotations/narration_noun_taxonomy.csv"
    sample.put(other, sample.get(other) + b"\n")
    _refuse(monkeypatch, Path(VERBS).name, PermissionError(errno.EACCES, "Permission denied"))
    sample.check(
        [(None, VERBS, None, "unreadable_file", "Permission denied")],
        {"taxonomies": pl.col("taxonomy") == "verb"},
    )
    monkeypatch.undo()
    assert not SOURCES.is_fresh(sample.settings, "it", Options())
    sample.check([])


@pytest.mark.parametrize("number", [errno.EIO, errno.ESTALE, errno.ENOENT])
def test_a_disk_that_fails_stops_the_run(
    sample: Sample, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    sample.put(VERBS, b"label,group\n")
    _refuse(monkeypatch, Path(VERBS).name, OSError(number, os.strerror(number)))
    with pytest.raises(RootError, match="narration_verb"):
        sample.ingest()
    for name, rows in sample.tables().items():
        assert rows.equals(sample.before[name]), name


def test_a_folder_that_cannot_be_listed_stops_the_run(
    sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.scandir

    def listed(path: Any) -> Any:
        if Path(path).name == "videos":
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", listed)
    with pytest.raises(RootError, match="cannot list"):
        sample.ingest()
    assert sample.rows("recordings").equals(sample.before["recordings"])


@pytest.mark.parametrize("state", ["gone", "empty", "a file", "only hidden files"])
def test_a_root_that_is_not_there_stops_the_run_and_deletes_nothing(
    sample: Sample, state: str
) -> None:
    sample.root.rename(sample.root.parent / "moved")
    if state == "a file":
        sample.root.write_text("x")
    elif state != "gone":
        sample.root.mkdir()
        if state == "only hidden files":
            (sample.root / ".keep").write_text("x")
    for _ in range(2):
        with pytest.raises(RootError, match="nothing was deleted"):
            sample.ingest(allow_deletes=True)
        with pytest.raises(RootError):
            SOURCES.is_fresh(sample.settings, "it", Options())
    for name, rows in sample.tables().items():
        assert rows.equals(sample.before[name]), name


# -- media -----------------------------------------------------------------------------------------

_OF_MEDIA = {"recordings": ["media_hashes", "media_duration_s"]}

MEDIA: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "zero-length": (lambda _: b"", "video_empty"),
    "truncated": (lambda d: d[: len(d) // 2], "video_unreadable"),
    "text": (lambda _: b"not a video, whatever it is called" * 99, "video_unreadable"),
    "zeros": (lambda _: b"\0" * 99_999, "video_unreadable"),
    "a web page": (lambda _: b"<html>404</html>", "video_unreadable"),
}


@pytest.mark.parametrize("name", sorted(MEDIA))
def test_a_broken_video_is_told_by_the_frame_index(sample: Sample, name: str) -> None:
    change, rule = MEDIA[name]
    uid = sample.uid["exo"]
    path = f"videos/{uid}.mp4"
    sample.put(path, change(sample.get(path)))
    sample.check([], other=_OF_MEDIA)
    other = "2ce62c4f-56c4-11ee-88ee-80615f12b59e"
    FRAMES.refresh(sample.settings, "it", Options(recordings=(uid, other)), silent)
    said = [(r["file"], r["rule"], r["recording_id"]) for r in sample.quarantine()]
    assert said == [(path, rule, uid)]
    assert all(r["remedy"] for r in sample.quarantine())
    assert sample.rows("streams")["recording_id"].to_list() == [other]


def test_a_video_nobody_lists(sample: Sample) -> None:
    path = f"videos/{STRANGER}.mp4"
    sample.put(path, sample.get(f"videos/{sample.uid['exo']}.mp4"))
    sample.check([("recordings", path, None, "unknown_recording", STRANGER)])


def test_a_video_that_is_absent_leaves_the_annotations(sample: Sample) -> None:
    uid = sample.uid["exo"]
    (sample.root / "videos" / f"{uid}.mp4").unlink()
    sample.check(
        [], other={"recordings": ["media", "media_paths", "media_hashes", "media_duration_s"]}
    )
    row = sample.rows("recordings").row(by_predicate=pl.col("recording_id") == uid, named=True)
    assert (row["media"], row["media_paths"]) == ("missing", [])
