"""The command, as a newcomer meets it, on a small sample world."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from resources.models.server import openai_server
from resources.models.server.openai_server import Patience
from resources.worlds import HouseholdSpec, plan
from tests.installation import BIN, environment, install, interruptible, own_copy, parallax
from tests.resources.models.chat_server import Say, chat_server

SPEC = HouseholdSpec(ego=6, exo=3, render="small")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installation brought up to date once; tests only read it."""
    base = install(tmp_path_factory.mktemp("cli"), SPEC)
    parallax(base, "run")
    return base


def table(base: Path, name: str) -> pl.DataFrame:
    return pl.read_delta(str(base / "tables" / name))


def test_status_counts_what_is_there(made: Path) -> None:
    said = parallax(made, "status").stdout
    assert "9 recordings listed, 9 with media, 9 readable" in said
    assert "source not-configured is not configured: empty" in said
    segments = sum(len(r.fine) for r in plan(SPEC).recordings)
    kinds = table(made, "segments").group_by("kind").len()
    assert dict(kinds.iter_rows())["fine"] == segments


def test_every_table_is_plain_delta_with_its_declared_columns(made: Path) -> None:
    from expectations.schemas import TABLES

    for name, declared in TABLES.items():
        place = made / "tables" / name
        if place.exists():
            columns = pl.scan_delta(str(place)).collect_schema().names()
            assert columns[: len(declared.schema)] == list(declared.schema), name


def test_why_walks_from_a_score_to_file_hashes(made: Path) -> None:
    said = parallax(made, "why", "egobridge.random/micro").stdout
    question = re.search(r"question ([0-9a-f]{32})", said)
    assert question
    walked = parallax(made, "why", question[1][:10]).stdout
    row = table(made, "questions").filter(pl.col("question_id") == question[1]).row(0, named=True)
    reply = table(made, "calls").filter(pl.col("question_id") == question[1]).row(0, named=True)
    assert reply["call_key"] in walked
    for medium in row["media"]:
        assert medium["segment_id"] in walked
        assert medium["recording_id"] in walked
    contents = dict(table(made, "files").select("path", "content").iter_rows())
    for path, content in re.findall(r"(videos/\S+\.mp4|pupil/.+\.mp4) ([0-9a-f]{32})", walked):
        assert contents[path] == content
    assert re.search(r"fine_annotation_\w+\.csv row \w{8}", walked)


def test_why_of_nothing_says_what_could_be_asked(made: Path) -> None:
    said = parallax(made, "why", "ffffffffff", ok=False).stderr
    assert "no question has an id that begins with 'ffffffffff'" in said
    assert "egobridge.random" in said


def test_second_run_reuses_everything_and_says_so(made: Path) -> None:
    before = parallax(made, "digest", "--by", "unit").stdout
    versions = delta_versions(made)
    said = parallax(made, "run").stdout
    assert "\n0 units computed, 0 deleted, " in said
    assert delta_versions(made) == versions
    assert parallax(made, "digest", "--by", "unit").stdout == before


def delta_versions(base: Path) -> dict[str, int]:
    return {
        log.parent.name: len(list(log.glob("*.json")))
        for log in sorted((base / "tables").glob("*/_delta_log"))
    }


def test_the_page_holds_the_scores(made: Path) -> None:
    page = (made / "page.html").read_text(encoding="utf-8")
    micro = table(made, "scores").filter(slice="micro").row(0, named=True)
    assert f"{100 * micro['value']:.1f}" in page
    assert "These scores test the machine" in page


def test_unknown_source_and_broken_configuration_are_told(made: Path, tmp_path: Path) -> None:
    assert "no source 'nope'" in parallax(made, "run", "--source", "nope", ok=False).stderr
    (tmp_path / "parallax.toml").write_text('store = "tables"\nsuorces = {}\n')
    assert "suorces is not a known key" in parallax(tmp_path, "run", ok=False).stderr


def test_a_selection_narrows_and_deletes_nothing(tmp_path: Path) -> None:
    from tests.resources.broken_videos import b_frames

    (tmp_path / "mine").mkdir()
    for name in ("a", "b", "c"):
        b_frames(tmp_path / "mine" / f"{name}.mp4")
    (tmp_path / "parallax.toml").write_text(
        'store = "tables"\npage = "page.html"\n[sources.mine]\nlayout = "videos"\nroot = "mine"\n'
    )
    parallax(tmp_path, "run", "--source", "mine", "--recordings", "a")
    first = set(table(tmp_path, "frames")["recording_id"])
    parallax(tmp_path, "run", "--source", "mine", "--recordings", "b")
    assert len(first) == 1
    assert first < set(table(tmp_path, "frames")["recording_id"])
    assert table(tmp_path, "frames")["recording_id"].n_unique() == 2
    parallax(tmp_path, "run")
    assert table(tmp_path, "frames")["recording_id"].n_unique() == 3


def test_empty_root_stops_the_run_and_deletes_nothing(made: Path, tmp_path: Path) -> None:
    base = own_copy(made, tmp_path / "own")
    before = parallax(base, "digest", "--by", "unit").stdout
    (base / "sample").rename(base / "unmounted")
    assert "is not a folder" in parallax(base, "run", ok=False).stderr
    (base / "sample").mkdir()
    assert "holds no file" in parallax(base, "run", ok=False).stderr
    assert parallax(base, "digest", "--by", "unit").stdout == before


def test_gc_changes_no_digest(made: Path, tmp_path: Path) -> None:
    base = own_copy(made, tmp_path / "own")
    before = parallax(base, "digest", "--by", "unit").stdout
    meta = base / "sample" / "video_meta_downsampled.json"
    rows = json.loads(meta.read_text())
    rows[0]["num_frames"] += 25.0
    meta.write_text(json.dumps(rows))
    parallax(base, "run")
    changed = parallax(base, "digest", "--by", "unit").stdout
    assert changed != before
    files = len(list((base / "tables").rglob("*.parquet")))
    parallax(base, "gc", "--keep-hours", "0")
    assert parallax(base, "digest", "--by", "unit").stdout == changed
    assert len(list((base / "tables").rglob("*.parquet"))) < files


def test_a_source_stopped_by_a_check_stops_no_other(tmp_path: Path) -> None:
    from tests.resources.broken_videos import b_frames

    for name in ("good", "torn"):
        (tmp_path / name).mkdir()
    b_frames(tmp_path / "good" / "a.mp4")
    for name in ("a", "b"):
        (tmp_path / "torn" / f"{name}.mp4").write_bytes(b"no video")
    sources = "".join(
        f'[sources.{at}-{name}]\nlayout = "videos"\nroot = "{name}"\n'
        for at, name in (("a", "torn"), ("b", "good"))
    )
    (tmp_path / "parallax.toml").write_text(
        f'store = "tables"\npage = "page.html"\n{sources}[benchmarks.egobridge]\nsources = ["a-torn"]\n'
    )
    ran = parallax(tmp_path, "run", ok=False)
    assert "check 'contract' of streams: 2 of 2 rows were refused" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert "egobridge: skipped, because a check stopped a-torn" in ran.stdout
    assert set(table(tmp_path, "frames")["source"]) == {"b-good"}


SECRET = "sk-never-to-be-shown-987654"
SERVED = """
[runs.served]
engine = "openai_server"
protocol = "blind"
model = "some-vlm"
base_url = "{url}"
api_key_env = "SOME_KEY"
limit = 4
concurrency = 1
stop_after_failures = 3
"""


def test_the_exit_code_says_that_calls_failed(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pipelines.cli import app

    quick = Patience(attempts=2, wait_s=0.01, wait_max_s=0.02, jitter_s=0.0)
    monkeypatch.setattr(openai_server, "Patience", lambda: quick)
    with chat_server() as server:
        base = own_copy(made, tmp_path / "own", SERVED.format(url=server.url))
        for name, value in {**environment(base), "SOME_KEY": SECRET}.items():
            if os.environ.get(name) != value:
                monkeypatch.setenv(name, value)

        def run() -> Any:
            return CliRunner().invoke(app, ["run", "--workers", "1"])

        server.script = [Say(400, {"error": {"message": f"no, {SECRET}"}})] * 4
        first = run()
        assert first.exit_code == 3, first.output
        why = "4 of 4 calls failed (last: RefusedError: status 400: no, ***); the next run asks 4"
        assert f"parallax: egobridge.served: {why}" in first.stderr
        assert "4 of 4 calls failed" in first.stdout
        page = (base / "page-benchmarks" / "egobridge.html").read_text()
        assert "no value" in page and "4 of 4 calls failed" in page
        assert SECRET not in first.output + page
        status = CliRunner().invoke(app, ["status"]).stdout
        assert f"egobridge.served: 4 asked, 0 parsed, 0 unparsed; {why}" in status

        # The server fails all: the rest is brought up all the same, and one line says it.
        server.script = [Say(500, {"error": {"message": "down"}})] * 99
        second = run()
        assert second.exit_code == 3, second.output
        (line,) = second.stderr.splitlines()
        assert line.startswith("parallax: egobridge.served: run served: server ")
        assert "failed 3 calls in a row (last: status 500: down)" in line
        assert "egobridge  random" in re.sub(" +", "  ", second.stdout)

        server.script, server.got = [], []
        third = run()
        assert third.exit_code == 0, third.output
        assert "calls failed" not in third.output
        assert len(server.got) == 4
        written = [path for path in base.rglob("*") if path.is_file()]
        assert not [path for path in written if SECRET.encode() in path.read_bytes()]


def test_ctrl_c_keeps_every_reply_and_the_next_run_asks_only_the_rest(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pipelines.cli import app

    with chat_server() as server:
        base = own_copy(made, tmp_path / "own", SERVED.format(url=server.url))
        known = {**environment(base), "SOME_KEY": SECRET}
        server.script = [Say(), Say(), Say(wait_s=60.0)]
        run = subprocess.Popen(
            [str(BIN / "parallax"), "run"],
            env=known,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=interruptible,
        )
        deadline = time.monotonic() + 300
        while len(server.got) < 3:
            assert run.poll() is None and time.monotonic() < deadline, run.communicate()
            time.sleep(0.05)
        began = time.monotonic()
        os.killpg(run.pid, signal.SIGINT)
        _, errors = run.communicate()
        assert time.monotonic() - began < 4, "two seconds, on a machine that does nothing else"
        assert run.returncode == 130
        assert errors.splitlines() == [
            "parallax: interrupted; what was finished is kept, and the next run goes on from there"
        ]
        asked = [got.body["messages"] for got in server.got[:2]]
        server.got, server.script = [], []
        for name, value in known.items():
            if os.environ.get(name) != value:
                monkeypatch.setenv(name, value)
        again = CliRunner().invoke(app, ["run", "--workers", "1"])
        assert again.exit_code == 0, again.stderr
        assert len(server.got) == 2
        assert not [got for got in server.got if got.body["messages"] in asked]


UNAVAILABLE = """
[runs.elsewhere]
engine = "not_installed"
protocol = "direct"
[runs.keyless]
engine = "openai_server"
protocol = "direct"
model = "some-vlm"
base_url = "http://127.0.0.1:9/v1"
api_key_env = "A_KEY_NOBODY_SET"
[runs.down]
engine = "openai_server"
protocol = "blind"
model = "some-vlm"
base_url = "http://127.0.0.1:9/v1"
[runs.again]
engine = "random"
protocol = "direct"
limit = 2
"""


def test_unavailable_runs_are_skipped_with_a_line_and_the_rest_is_updated(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pipelines.cli import app

    base = own_copy(made, tmp_path / "own", UNAVAILABLE)
    for name, value in environment(base).items():
        if os.environ.get(name) != value:
            monkeypatch.setenv(name, value)
    ran = CliRunner().invoke(app, ["run", "--workers", "1"])
    assert ran.exit_code == 3, ran.output
    first = ran.stdout[: ran.stdout.index("sources of sample-egoexolearn")]
    for part in (
        "problem  run elsewhere: engine 'not_installed' is not one of",
        "problem  run keyless: environment variable A_KEY_NOBODY_SET",
        "problem  run down: server http://127.0.0.1:9/v1 cannot be reached",
    ):
        assert part in first, "said before anything is updated"
    (line,) = ran.stderr.splitlines()
    for name in ("elsewhere", "keyless", "down"):
        assert f"egobridge.{name}: " in line
    assert "Traceback" not in ran.output
    assert table(base, "scores").filter(run="again").height
