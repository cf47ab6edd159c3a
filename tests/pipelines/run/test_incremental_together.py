"""Several processes at once, deletions, selections, and recordings that join a large pool."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.labels.parse import parse_labels
from assets.labels.stage import load_supplement
from assets.pairs.association import make_pairs
from assets.pairs.candidates import find_candidates
from assets.questions.egobridge.association import BUILDER
from assets.sources.layout import PartFiles
from assets.sources.registry import layout
from expectations.schemas import TABLES
from resources.store.tables import TableStore
from resources.worlds import HouseholdSpec, plan, write_egoexolearn
from tests.pipelines import edits

make_questions = BUILDER.make

# Attacks run many rounds; a test run takes its share of them.
ROUNDS = int(os.environ.get("PARALLAX_COLD_ROUNDS") or 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("same", "dagster"),
    [(False, True), (False, False), (True, False)],
    ids=["different recordings, dagster", "different recordings", "the same recording"],
)
def test_two_processes_at_once_end_as_one_after_the_other(same, dagster, ready, server, tmp_path):
    """Each changes a file and runs; the second changes its file while the first is at work."""
    native = [r.uid for r in ready.world.recordings if r.form == "native"]
    first, second = native[0], native[0] if same else native[1]

    def spoil(made: Any, uid: str, times: int) -> None:
        for _ in range(times):
            edits.spoil_gaze(made.raw, uid)

    serial = ready.copy(tmp_path / "serial")
    spoil(serial, first, 1)
    server.succeed(serial.home, dagster=dagster)
    spoil(serial, second, 2)
    expected = server.succeed(serial.home, dagster=dagster)

    made = ready.copy(tmp_path / "together")
    spoil(made, first, 1)
    one = server.start(made.home, dagster=dagster)
    spoil(made, second, 2)
    two = server.start(made.home, dagster=dagster)
    for outcome in (one.wait(), two.wait()):
        assert outcome.status == 0, outcome.told.get("traceback")
    last = server.succeed(made.home, dagster=dagster)
    assert last.told["commits"] == 0
    assert last.digests == expected.digests


@pytest.mark.slow
def test_processes_that_run_first_together_end_as_one(few, server, tmp_path):
    """Nothing is there yet: no store, no table, no home of Dagster."""
    alone = few.copy(tmp_path / "alone")
    expected = server.succeed(alone.home, dagster=True)
    for number in range(ROUNDS):
        made = few.copy(tmp_path / f"together{number}")
        runs = [server.start(made.home, dagster=True) for _ in range(3 if number % 5 == 4 else 2)]
        for outcome in [run.wait() for run in runs]:
            assert outcome.status == 0, (number, outcome.told.get("traceback"))
        last = server.succeed(made.home, dagster=True)
        assert (last.told["counts"]["stages_launched"], last.told["commits"]) == (0, 0)
        assert last.digests == expected.digests
        shutil.rmtree(made.home)


def test_many_recordings_that_vanish_are_kept_until_deletes_are_allowed(many, copy, server):
    made = copy(many)
    gone = {r.uid for at, r in enumerate(many.world.recordings) if at % 5 < 2}
    assert len(gone) == 12
    edits.remove(made.raw, gone, many.world)
    guarded = server.succeed(made.home)
    held = guarded.told["reports"]["sources.recordings.house"]["held_back"]
    assert set(held) == gone
    by_recording = ("recordings", "segments", "gaze_samples", "streams", "frames", "labels")
    for key, said in many.outcome.digests.items():
        if key[0] in by_recording:
            assert guarded.digests[key] == said, key

    allowed = server.succeed(made.home, options={"allow_deletes": True})
    kept = {key: said for key, said in many.outcome.digests.items() if key[2] not in gone}
    for table in by_recording:
        before = {k: v for k, v in kept.items() if k[0] == table}
        assert {k: v for k, v in allowed.digests.items() if k[0] == table} == before


def test_a_selection_never_deletes(many, copy, server):
    made = copy(many)
    gone, kept = many.world.recordings[0].uid, many.world.recordings[5].uid
    edits.remove(made.raw, [gone], many.world)
    picked = server.succeed(made.home, options={"recordings": [kept]})
    limited = server.succeed(made.home, options={"limit": 3})
    by_recording = ("recordings", "segments", "frames", "labels")
    for outcome in (picked, limited):
        for table in by_recording:
            key = (table, "house", gone)
            assert outcome.digests[key] == many.outcome.digests[key]
    answers = {key for key in many.outcome.digests if key[0] == "answers"}
    assert answers <= limited.digests.keys()


@pytest.mark.parametrize("how", ["empty", "unmounted"])
def test_a_root_without_files_stops_the_command_and_deletes_nothing(how, many, copy, server):
    made = copy(many)
    shutil.rmtree(made.raw)
    if how == "empty":
        made.raw.mkdir()
    store = TableStore(str(made.home / "tables"))
    before = {name: store.version(table) for name, table in TABLES.items()}
    ended = subprocess.run(
        [sys.executable, "-c", "from pipelines.cli import app; app()", "run", "--allow-deletes"],
        env={
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": str(Path(__file__).parents[3]),
            "PARALLAX_CONFIG": str(made.home / "parallax.toml"),
            "PARALLAX_DAGSTER_HOME": str(made.home / "dagster"),
        },
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ended.returncode == 1
    assert "nothing was deleted" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert {name: store.version(table) for name, table in TABLES.items()} == before


Given = tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]


@pytest.mark.slow
def test_a_recording_that_joins_300_leaves_the_questions_of_others_as_they_are(tmp_path):
    """The pool it joins keeps at least 98 % of its questions byte for byte; other pools all."""
    new = plan(HouseholdSpec(ego=188, exo=113, render="none")).recordings[187]
    assert new.split == "test"
    mine = (new.task, new.scene, new.split)
    before, after = _tables(tmp_path / "300", 187), _tables(tmp_path / "301", 188)
    assert before[2].height == 300

    # Nothing of another recording moves, whatever its pool: not its row, segments or labels.
    other = pl.col("recording_id") != new.uid
    for then, now in zip(before, after, strict=True):
        assert now.filter(other).equals(then)
        assert now.height > then.height

    elsewhere = ("task3", "kitchen", "test")
    assert elsewhere != mine
    for pool in (mine, elsewhere):
        then, now = _questions(before, pool), _questions(after, pool)
        assert then.height > 1000
        if pool == elsewhere:
            assert now.equals(then)
        same = then.join(now, on=["question_id", "question_hash"], how="semi")
        assert same.height >= 0.98 * then.height


def _tables(folder: Path, ego: int) -> Given:
    """Segments, labels and recordings of a world, by the pure functions from its raw files."""
    write_egoexolearn(HouseholdSpec(ego=ego, exo=113, render="none"), folder)
    found: dict[str, pl.DataFrame] = {}
    for part in layout("egoexolearn").parts:
        if part.per_recording:
            continue
        files = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and part.claims(path.relative_to(folder).as_posix())
        }
        found.update(part.read(PartFiles("house", files)).tables)
    labels = parse_labels(found["segments"], found["taxonomies"], load_supplement())
    # Where a row stands in its file is not content.
    made = (found["segments"], labels, found["recordings"])
    return tuple(
        frame.sort(TABLES[name].key).drop("source_key", strict=False)
        for name, frame in zip(("segments", "labels", "recordings"), made, strict=True)
    )


def _questions(given: Given, pool: tuple[str, str, str]) -> pl.DataFrame:
    """Questions of a pool, of pairs chosen by their own id."""
    task, scene, split = pool
    segments, labels, recordings = given
    recordings = recordings.filter(scenario=task, scene=scene, split=split)
    members = pl.col("recording_id").is_in(recordings["recording_id"].implode())
    there = (segments.filter(members), labels.filter(members), recordings)
    pairs = make_pairs(find_candidates(*there), *there)
    # One pair in four: a pool of this size gives 8,000 questions.
    few = pairs.filter(pl.col("pair_id").str.contains("^[0-3]"))
    return make_questions({"pairs": few, "segments": there[0], "recordings": there[2]})
