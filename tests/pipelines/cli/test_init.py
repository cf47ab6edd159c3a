"""`parallax init`: what it recognises, and that what it writes is accepted."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assets.configuration import load_configuration
from assets.sources.recognition import Recognition, recognise
from assets.sources.registry import layouts
from pipelines.cli import app
from pipelines.cli.init import PROVIDERS, configuration_text, look
from pipelines.definitions import definitions
from resources.config import Settings

UID = "0a1b2c3d-0000-4000-8000-000000000001"
ADT = ("seq_1/metadata.json", "seq_1/aria_trajectory.csv", "seq_1/3d_bounding_box.csv",
       "seq_1/seq_1_preview_rgb.mp4")  # fmt: skip
OWN = ("recordings/tea_1.json", "recordings/tea_1.mp4", "recordings/tea_1.gaze.csv")
EGOEXO4D = ("takes.json", "annotations/splits.json", "annotations/keystep_train.json",
            "takes/cook_1/frame_aligned_videos/cam01.mp4",
            "takes/cook_2/frame_aligned_videos/cam01.mp4")  # fmt: skip
EASG = ("EASG/EASG_unict_master_final.json", "ego4d.json", f"clips/{UID}.mp4", "verbs.txt")
EGO4D = ("ego4d.json", "v2/annotations/narration.json", f"video_540ss/{UID}.mp4")


def below(folder: str, paths: Iterable[str]) -> list[str]:
    return [f"{folder}/{path}" if folder else path for path in paths]


def found(*paths: str) -> Recognition:
    return recognise(paths, layouts())


def places(recognition: Recognition) -> list[tuple[str, str]]:
    return [(one.folder, one.layout) for one in recognition.sources]


def write(root: Path, paths: Iterable[str]) -> Path:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(b"")
    return root


# -- recognising -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "paths"),
    [("adt", ADT), ("own", OWN), ("egoexo4d", EGOEXO4D), ("easg", EASG), ("ego4d", EGO4D)],
)
@pytest.mark.parametrize("folder", ["", "data/raw"])
def test_a_dataset_is_recognised_where_it_lies(
    layout: str, paths: tuple[str, ...], folder: str
) -> None:
    assert places(found(*below(folder, paths))) == [(folder, layout)]


def test_files_are_counted_and_parts_named() -> None:
    (one,) = found(*EGOEXO4D, "readme.txt").sources
    assert (one.annotations, one.media) == (3, 2)
    assert one.parts == ("recordings", "segments", "sensors", "skills", "taxonomies", "splits")


def test_several_datasets_lie_side_by_side() -> None:
    here = found(*below("a", ADT), *below("b/c", EGOEXO4D), *below("d", ADT), "films/x/y.mkv")
    assert places(here) == [("a", "adt"), ("b/c", "egoexo4d"), ("d", "adt"), ("films", "videos")]


@pytest.mark.parametrize(
    "paths",
    [
        ("package/metadata.json",),
        ("app/info.json", "app/main.py"),
        ("questions.json",),
        ("notes.csv", "list.json"),
    ],
)
def test_a_single_file_of_a_common_name_is_no_dataset(paths: tuple[str, ...]) -> None:
    assert places(found(*paths)) == []


def test_plain_videos_stay_apart_from_sources() -> None:
    videos = ("one.mp4", "trip/two.MOV")
    (alone,) = found(*videos).sources
    assert (alone.folder, alone.layout, alone.media) == ("", "videos", 2)
    beside = found(*below("adt", ADT), *videos)
    assert places(beside) == [("adt", "adt"), ("trip", "videos")]
    assert beside.loose_videos == 1
    assert places(found(*ADT, "seq_1/extra.mp4")) == [("", "adt")], "a source keeps its own files"


# -- what is written -------------------------------------------------------------------------------


def written(root: Path, variables: Iterable[str] = ()) -> tuple[str, Settings]:
    """The configuration for a folder, and what is read from it; it lies beside the folder."""
    text = configuration_text(look(root, variables), root.parent)
    path = root.parent / "parallax.toml"
    path.write_text(text, encoding="utf-8")
    return text, load_configuration(path)


def test_what_is_written_is_accepted(tmp_path: Path) -> None:
    root = write(
        tmp_path / "data", [*below("adt", ADT), *below("own", OWN), *below("f", ["v.mp4"])]
    )
    _, settings = written(root)
    assert {s.name: (s.layout, s.root) for s in settings.sources.values()} == {
        name: (layout, str(root / name))
        for name, layout in (("adt", "adt"), ("own", "own"), ("f", "videos"))
    }
    assert "adt" in settings.benchmarks["egoprox"].sources
    assert settings.benchmarks["egoprox"].protocol == "egoprox_direct"
    assert not any("f" in benchmark.sources for benchmark in settings.benchmarks.values())
    assert settings.runs.keys() == {"random", "shared-words"}
    assert definitions(settings).resolve_all_asset_specs()


@pytest.mark.parametrize("paths", [(), ("v.mp4",)])
def test_without_questions_the_file_is_accepted_too(tmp_path: Path, paths: tuple[str, ...]) -> None:
    text, settings = written(write(tmp_path / "data", (*paths, "notes.txt")))
    assert (len(settings.sources), settings.benchmarks, settings.runs) == (len(paths), {}, {})
    assert ("no benchmark can ask" in text) == bool(paths)
    assert definitions(settings).resolve_all_asset_specs()


def test_what_is_suggested_in_comments_is_accepted(tmp_path: Path) -> None:
    variables = [provider.variable for provider in PROVIDERS]
    text, settings = written(write(tmp_path / "data", below("adt", ADT)), variables)
    suggested = re.sub(r"^# (?=\[|[a-z_]+ = )", "", text, flags=re.MULTILINE)
    (tmp_path / "parallax.toml").write_text(suggested)
    more = load_configuration(tmp_path / "parallax.toml")
    named = {provider.name for provider in PROVIDERS} | {"local-server", "checkpoint"}
    assert more.runs.keys() - settings.runs.keys() == named
    keys = {run.api_key_env for run in more.runs.values()} - {""}
    assert keys == {provider.variable for provider in PROVIDERS if provider.is_key}


def test_names_that_toml_cannot_hold_as_they_are(tmp_path: Path) -> None:
    odd = 'a "b"\n[runs.x] \\ #\x7f\u202e'
    text, settings = written(write(tmp_path / odd, below("é 1", OWN)))
    (source,) = settings.sources.values()
    assert source.root == str(tmp_path / odd / "é 1")
    assert (source.name, settings.runs.keys()) == ("1", {"random", "shared-words"})
    assert "\u202e" not in text


def test_links_in_a_circle_and_stores_are_passed_over(tmp_path: Path) -> None:
    root = write(tmp_path / "data", [*OWN, ".hidden/x.mp4", "tables/calls/part.mp4"])
    (root / "recordings" / "again").symlink_to(root)
    (root / "tables" / "calls" / "_delta_log").mkdir()
    assert look(root, ()).files == len(OWN)


# -- the command -----------------------------------------------------------------------------------


def test_the_command_overwrites_nothing_and_shows_no_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "raw", below("adt", ADT))
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PARALLAX_CONFIG", raising=False)
    monkeypatch.delenv("PARALLAX_STORE", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-value-of-the-key")
    first = CliRunner().invoke(app, ["init", "raw"])
    assert first.exit_code == 0, first.output
    assert "parallax run" in first.output and "PARALLAX_CONFIG" not in first.output
    text = (tmp_path / "parallax.toml").read_text()
    assert 'root = "raw/adt"' in text and "OPENAI_API_KEY" in text
    assert "sk-value" not in text + first.output
    (tmp_path / "parallax.toml").write_text("mine")
    second = CliRunner().invoke(app, ["init", "raw"])
    assert second.exit_code == 1
    assert "parallax.toml exists: name another file by `--file`" in second.output
    assert (tmp_path / "parallax.toml").read_text() == "mine"
    elsewhere = CliRunner().invoke(app, ["init", "raw", "--file", "sub/other.toml"])
    assert f"export PARALLAX_CONFIG={tmp_path / 'sub' / 'other.toml'}" in elsewhere.output
    assert f'root = "{tmp_path}/raw/adt"' in (tmp_path / "sub" / "other.toml").read_text()
    assert CliRunner().invoke(app, ["init", "raw", "--force"]).exit_code == 0
    assert (tmp_path / "parallax.toml").read_text() == text
    assert CliRunner().invoke(app, ["init", "gone"]).exit_code == 1
