"""A dataset from outside the repository: one file, named in the configuration, and nothing edited.

The made-up layout "kettle" holds what the household holds, written otherwise. Its author's file is
below; the proof is that every stage makes of it what it makes of the household.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest
from typer.testing import CliRunner

from assets.frames.stage import STAGE as FRAMES
from assets.labels.stage import STAGE as LABELS
from assets.options import Options, silent
from assets.sources.registry import UnknownLayout, layout
from assets.sources.release_sizes import released
from assets.sources.stage import STAGE as SOURCES
from expectations.checks.results import released_check
from expectations.published import figures
from expectations.schemas import TABLES
from pipelines.cli import app
from resources.config import Settings, load_settings
from resources.store.code_version import code_version
from tests.stages import refresh_pairs, refresh_questions

if TYPE_CHECKING:
    from conftest import Sample

PLUGIN = '''
"""Kettle: cameras.csv, movies/<name>.mp4, notes/<name>.json, words/<kind>.csv."""

from assets.sources.reading.row_reader import RowReader
from assets.sources.layout import Layout, Part, Rows
from assets.sources.reading.values import Malformed, number
from expectations.schemas import TABLES


def read_recordings(part):
    media = {path.split("/")[1].removesuffix(".mp4"): m for path, m in part.media.items()}
    reader = RowReader("recordings")

    def recording(values):
        film = media.get(values["name"])
        return {
            "source": part.source,
            "recording_id": values["name"],
            "take_id": values["name"],
            "view": "ego" if values["worn"] == "yes" else "exo",
            "scenario": values["job"],
            "scene": values["room"],
            "split": values["share"],
            "media_kind": "video",
            "time_base": "pts",
            "duration_s": number(values["minutes"]) * 60,
            "media_duration_s": film.duration_s if film else None,
            "media": "present" if film else "missing",
            "media_paths": [film.path] if film else [],
            "media_hashes": [film.content] if film else [],
            "licence": "mine",
            "source_file": "cameras.csv",
        }

    names = ("name", "worn", "job", "room", "share", "minutes")
    rows = [
        {**row, "source_key": str(line)}
        for path, data in part.files.items()
        for line, row in reader.csv(path, data, names, recording)
    ]
    return Rows({"recordings": TABLES["recordings"].frame(rows)}, tuple(reader.refused))


def read_notes(part):
    reader = RowReader("segments")
    uid = part.recording["recording_id"]
    rows = []
    for path, data in part.files.items():

        def note(item):
            if not isinstance(item, dict) or not isinstance(item.get("said"), str):
                raise Malformed("a note says nothing", item)
            return {
                "source": part.source,
                "segment_id": f"{item['layer']}:{item['no']}",
                "recording_id": item.get("whose", uid),
                "kind": item["layer"],
                "start_s": number(item.get("from")),
                "end_s": number(item.get("to")),
                "split": part.recording["split"],
                "narration": item["said"],
                "source_file": path,
            }

        rows += [{**r, "source_key": str(at)} for at, r in reader.json(path, data, note, uid)]
    return Rows({"segments": TABLES["segments"].frame(rows)}, tuple(reader.refused))


def read_words(part):
    reader = RowReader("taxonomies")
    rows = []
    for path, data in part.files.items():
        kind = path.split("/")[1].removesuffix(".csv")

        def word(values):
            return {
                "source": part.source,
                "taxonomy": kind,
                "class_id": int(number(values["no"])),
                "label": values["word"],
                "terms": values["forms"].split("|"),
                "source_file": path,
            }

        rows += [row for _, row in reader.csv(path, data, ("no", "word", "forms"), word)]
    return Rows({"taxonomies": TABLES["taxonomies"].frame(rows)}, tuple(reader.refused))


LAYOUT = Layout(
    name="kettle",
    title="Kettle",
    licence="mine",
    certainty="verified",
    parts=(
        Part("recordings", read_recordings, r"cameras\\.csv", r"movies/[^/]+\\.mp4"),
        Part(
            "segments",
            read_notes,
            r"notes/(?P<recording>[^/]+)\\.json",
            needs=("recording_id", "split"),
        ),
        Part("taxonomies", read_words, r"words/(?:verb|noun)\\.csv"),
    ),
)
'''

CONFIG = """
store = "tables"
plugins = ["plugins/kettle_layout.py"]

[sources.mine]
layout = "kettle"
root = "kettle"

[benchmarks.egobridge]
sources = ["mine"]
"""


def _csv(path: Path, rows: list[tuple[object, ...]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def _write_kettle(sample: Sample, root: Path) -> None:
    """The household's exocentric and released recordings with their videos, the others without."""
    (root / "notes").mkdir(parents=True)
    (root / "movies").mkdir()
    table: list[tuple[object, ...]] = [("minutes", "name", "worn", "job", "room", "share")]
    for row in sample.before["recordings"].iter_rows(named=True):
        worn = "yes" if row["view"] == "ego" else "no"
        uid, minutes = row["recording_id"], row["duration_s"] / 60
        table.append((minutes, uid, worn, row["scenario"], row["scene"], row["split"]))
        if row["media_paths"][0].startswith("videos/"):
            data = sample.get(row["media_paths"][0])
            (root / "movies" / f"{uid}.mp4").write_bytes(data)
        notes = [
            {
                "no": s["segment_id"].partition(":")[2],
                "layer": s["kind"],
                "from": s["start_s"],
                "to": s["end_s"],
                "said": s["narration"],
            }
            for s in sample.before["segments"].iter_rows(named=True)
            if s["recording_id"] == uid
        ]
        (root / "notes" / f"{uid}.json").write_text(json.dumps(notes))
    _csv(root / "cameras.csv", table)
    for kind in ("verb", "noun"):
        classes = sample.before["taxonomies"].filter(pl.col("taxonomy") == kind)
        lines = [
            (r["class_id"], r["label"], "|".join(r["terms"])) for r in classes.iter_rows(named=True)
        ]
        _csv(root / "words" / f"{kind}.csv", [("no", "word", "forms"), *lines])


def _all_stages(settings: Settings, source: str) -> None:
    for stage in (SOURCES.refresh, FRAMES.refresh, LABELS.refresh, refresh_pairs):
        stage(settings, source, Options(), silent)
    refresh_questions(settings, "egobridge", Options(), silent)


@pytest.fixture
def settings(sample: Sample, tmp_path: Path) -> Settings:
    home = tmp_path / "installation"
    _write_kettle(sample, home / "kettle")
    (home / "plugins").mkdir()
    (home / "plugins" / "kettle_layout.py").write_text(PLUGIN)
    (home / "parallax.toml").write_text(CONFIG)
    import sys

    # Each test is an installation of its own.
    sys.modules.pop("parallax_plugin_kettle_layout", None)
    return load_settings(home / "parallax.toml")


def test_its_rows_go_through_every_stage(sample: Sample, settings: Settings) -> None:
    sample.ingest()
    for stage in (LABELS.refresh, refresh_pairs):
        stage(sample.settings, "it", Options(), silent)
    _all_stages(settings, "mine")

    def both(table: str, *columns: str) -> tuple[list, list]:
        theirs, ours = settings.store.read(TABLES[table]), sample.rows(table)
        return sorted(theirs.select(columns).rows()), sorted(ours.select(columns).rows())

    compared = {
        "recordings": ("recording_id", "view", "scenario", "split"),
        "segments": ("recording_id", "kind", "start_s", "end_s", "narration"),
        "labels": (
            "recording_id",
            "segment_id",
            "clause",
            "kind",
            "class_id",
            "term",
            "span_start",
        ),
        "candidates": ("ego_segment_id", "exo_segment_id", "pool"),
    }
    for table, columns in compared.items():
        theirs, ours = both(table, *columns)
        assert theirs == ours, table
        assert len(theirs) >= 8
    pairs = settings.store.read(TABLES["pairs"]).height
    assert pairs == sample.rows("pairs").height > 50
    assert settings.store.read(TABLES["questions"]).height >= pairs
    streams = settings.store.read(TABLES["streams"])
    assert streams.height == 3
    assert settings.store.read(TABLES["quarantine"]).filter(pl.col("stage") != "frames").is_empty()
    assert SOURCES.is_fresh(settings, "mine", Options())


def test_the_example_of_the_guide_is_a_dataset(tmp_path: Path) -> None:
    guide = (Path(__file__).parents[3] / "docs/datasets.md").read_text(encoding="utf-8")
    code, config = (guide.split(f"```{kind}\n")[1].split("```")[0] for kind in ("python", "toml"))
    (tmp_path / "my_dataset.py").write_text(code)
    root = tmp_path / "data"
    (root / "segments").mkdir(parents=True)
    (root / "walk.mp4").write_bytes(b"no video, and nobody opens it")
    lines = ("id,clip,from,to,text", "1,walk,0.5,2,takes a cup", "2,walk,soon,9,x", "3,run,0,1,x")
    (root / "segments/all.csv").write_text("\n".join(lines))
    (tmp_path / "parallax.toml").write_text(
        'store = "tables"\n' + config.replace("/data/mine", str(root))
    )
    settings = load_settings(tmp_path / "parallax.toml")
    SOURCES.refresh(settings, "mine", Options(), silent)
    (recording,) = settings.store.read(TABLES["recordings"]).to_dicts()
    assert (recording["recording_id"], recording["media"]) == ("walk", "present")
    (clock,) = settings.store.read(TABLES["clocks"]).to_dicts()
    assert (clock["method"], clock["take_id"]) == ("alone", "walk")
    (segment,) = settings.store.read(TABLES["segments"]).to_dicts()
    assert (segment["start_s"], segment["narration"]) == (0.5, "takes a cup")
    refused = settings.store.read(TABLES["quarantine"]).filter(pl.col("table") == "segments")
    assert sorted(refused["value"]) == ["run", "soon"]


def test_its_broken_rows_are_refused_like_any_other(settings: Settings) -> None:
    root = Path(settings.sources["mine"].root)
    uid = "2cbf795a-56c4-11ee-88ee-80615f12b59e"
    path = root / "notes" / f"{uid}.json"
    notes = json.loads(path.read_text())
    notes[0]["said"] = 7
    notes[1]["to"] = notes[1]["from"]
    notes[2]["from"], notes[2]["to"] = 1e5, 2e5
    notes[3]["from"] = "soon"
    notes[4]["whose"] = "bee9b11b-ac78-11ee-819f-80615f12b59e"
    notes[6]["no"] = notes[5]["no"]
    notes[6]["layer"] = notes[5]["layer"]
    path.write_text(json.dumps(notes))
    (root / "notes" / "nobody.json").write_text("[]")
    SOURCES.refresh(settings, "mine", Options(), silent)
    said = settings.store.read(TABLES["quarantine"])
    found = sorted(said.select("file", "row", "rule").rows(), key=str)
    assert found == [
        (f"notes/{uid}.json", "0", "unreadable_row"),
        (f"notes/{uid}.json", "1", "end_after_start"),
        (f"notes/{uid}.json", "2", "outside_recording"),
        (f"notes/{uid}.json", "3", "unreadable_row"),
        (f"notes/{uid}.json", "4", "other_recording"),
        (f"notes/{uid}.json", "6", "unique_key"),
        ("notes/nobody.json", None, "unknown_recording"),
    ]
    mine = settings.store.read(TABLES["segments"]).filter(pl.col("recording_id") == uid)
    assert mine.height == len(notes) - 6


def test_its_code_is_part_of_what_rows_are_made_from(settings: Settings) -> None:
    declared = layout("kettle", settings.plugins, settings.home)
    notes = declared.part("segments")
    words = declared.part("taxonomies")
    assert notes is not None
    assert words is not None
    assert code_version(notes.read) != code_version(words.read)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("x = 1\n", "declares no LAYOUT"),
        (None, "neither a Python file"),
        ("LAYOUT = 5\n", "no LAYOUT"),
    ],
)
def test_a_plug_in_that_is_none(tmp_path: Path, text: str | None, word: str) -> None:
    path = tmp_path / f"none_{len(text or '')}.py"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UnknownLayout, match=word):
        layout("egoexolearn", (path.name,), tmp_path)


def test_a_plug_in_may_not_take_a_name(settings: Settings, tmp_path: Path) -> None:
    twice = tmp_path / "kettle_again.py"
    twice.write_text(PLUGIN.replace('"kettle"', '"egoexolearn"'))
    with pytest.raises(UnknownLayout, match="declared twice"):
        layout("egoexolearn", (str(twice),))


def test_two_plug_ins_of_one_file_name(settings: Settings, tmp_path: Path) -> None:
    layout("kettle", settings.plugins, settings.home)
    other = tmp_path / "kettle_layout.py"
    other.write_text(PLUGIN)
    with pytest.raises(UnknownLayout, match="same name"):
        layout("kettle", (str(other),))


def test_unknown_names_are_told_with_the_known() -> None:
    with pytest.raises(UnknownLayout, match=r"egoexolearn.*pupil_invisible.*videos"):
        layout("nothing")


# -- a folder that brings all that a built-in dataset has --------------------------------------------

FOLDER = {
    "__init__.py": """
from pathlib import Path

from assets.sources.layout import Layout, Part

from .recordings import read_recordings
from .sample import write_sample

LAYOUT = Layout(
    name="teapot",
    title="Teapot",
    licence="mine",
    certainty="verified",
    parts=(Part("recordings", read_recordings, r"list\\.csv"),),
    folder=Path(__file__).parent,
    sample=write_sample,
)
""",
    "recordings.py": """
from assets.sources.layout import Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.recording_rows import recording_tables, video_media


def read_recordings(part):
    reader = RowReader("recordings")

    def recording(values):
        uid = values["id"]
        return {
            "source": part.source, "recording_id": uid, "take_id": uid, "view": "ego",
            **video_media(None), "licence": "mine", "source_file": "list.csv", "source_key": uid,
        }

    rows = [
        row
        for path, data in part.files.items()
        for _, row in reader.csv(path, data, ("id",), recording)
    ]
    return Rows(recording_tables(rows, "alone"), tuple(reader.refused))
""",
    "sample.py": """
def write_sample(folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "list.csv").write_text("id\\nfirst\\nsecond\\n")
""",
    "published.toml": """
[[figure]]
about = "recordings"
value = 4
said = "the label on the pot"
table = "recordings"
measure = "rows"
""",
    "release_sizes.csv": """part,media,what,bytes,certainty,said_in
recordings,false,list.csv,21,verified,released file
""",
}


def test_a_folder_brings_figures_sizes_and_a_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "plugins/teapot"
    home.mkdir(parents=True)
    for name, text in FOLDER.items():
        (home / name).write_text(text)
    (tmp_path / "parallax.toml").write_text(
        'store = "tables"\nplugins = ["plugins/teapot"]\n'
        '[sources.pot]\nlayout = "teapot"\nroot = "data/sample/teapot"\n'
    )
    monkeypatch.setenv("PARALLAX_CONFIG", str(tmp_path / "parallax.toml"))
    written = CliRunner().invoke(app, ["sample", "--layout", "teapot"])
    assert written.exit_code == 0, written.output
    again = CliRunner().invoke(app, ["sample", "--layout", "teapot"])
    assert "sample world is there already" in again.output
    settings = load_settings(tmp_path / "parallax.toml")
    SOURCES.refresh(settings, "pot", Options(), silent)
    stored = settings.store.read(TABLES["recordings"])
    assert sorted(stored["recording_id"]) == ["first", "second"]
    pot = layout("teapot", settings.plugins, settings.home)
    printed = figures(pot.name, pot.text_beside("published.toml"))
    shown = str(released_check(settings, "pot", printed).metadata["figures"].value)
    (checked,) = shown.splitlines()[2:]
    assert "the label on the pot" in checked
    assert "-50.0%" in checked
    (size,) = released(pot)
    assert (size.bytes, size.certainty) == (21, "verified")
    read = pot.parts[0].read
    before = code_version(read)
    assert read.__module__ == "parallax_plugin_teapot.recordings"
    assert before


def test_a_folder_without_a_layout_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty_pot").mkdir()
    with pytest.raises(
        UnknownLayout, match=r"empty_pot is neither a Python file nor a folder with"
    ):
        layout("egoexolearn", ("./empty_pot",), tmp_path)
