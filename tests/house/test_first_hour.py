"""The page `docs/first-hour.md`: its files are written, its commands run, its outputs compared.

All sections together are one installation, which is updated once.
"""

from __future__ import annotations

import contextlib
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assets.options import Options, silent
from expectations.schemas import TABLES
from pipelines.cli.views import status_text
from pipelines.run.steps import Scope, steps
from resources.config import Settings, load_settings
from resources.worlds.flat import FlatSpec
from resources.worlds.flat.lemma import write_lemma
from resources.worlds.tools.encode import write_video
from tests.resources.models.chat_server import ChatServer, chat_server

REPOSITORY = Path(__file__).parents[2]
PAGE = (REPOSITORY / "docs/first-hour.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
KEY = "a-key-of-the-test"
# What the page says of servers elsewhere; a stand-in answers in their place.
SERVERS = ("http://127.0.0.1:8000/v1", "https://api.openai.com/v1")
FPS = 5


@dataclass
class Hour:
    """What came of following the page.

    Attributes:
        settings: Configuration that the page builds up.
        printed: What `parallax status` prints in the end.
        server: The server that stood in for those of the page.
    """

    settings: Settings
    printed: str
    server: ChatServer


def _blocks(language: str) -> list[str]:
    return [text for kind, _, text in BLOCK.findall(PAGE) if kind == language]


def _files(server: str) -> dict[str, str]:
    """Files of the page by path, those shown several times joined, with the stand-in's address."""
    files: dict[str, str] = {}
    for _, path, text in BLOCK.findall(PAGE):
        if path:
            files[path] = files.get(path, "") + text
    for address in SERVERS:
        assert address in files["parallax.toml"]
        files["parallax.toml"] = files["parallax.toml"].replace(address, server)
    return files


def _video(path: Path, seconds: int) -> None:
    """A small video whose brightness says how late it is."""
    path.parent.mkdir(parents=True)
    n, size = seconds * FPS, (64, 48)
    frames = (np.full((size[1], size[0], 3), 60 + i % 128, np.uint8) for i in range(n))
    write_video(path, frames, range(n), FPS, size, fps=FPS)


def _follow(base: Path, command: str) -> None:
    """Run one command of the page, in this process where starting another would cost seconds."""
    program, *words = shlex.split(command)
    if program == "python" and words[0] == "-c":
        exec(compile(words[1], "first-hour.md", "exec"), {})
    elif program == "python":
        subprocess.run([sys.executable, *words], cwd=base, check=True)
    elif words[:1] == ["sample"]:
        # The command's own world has five takes.
        assert words[1:] == ["--layout", "lemma", "--root", "lemma", "--render", "small"]
        write_lemma(FlatSpec("lemma", takes=2, seed="hour", render="small"), base / "lemma")
    else:
        raise AssertionError(f"the page shows {command!r}, which this test does not know")


@pytest.fixture(scope="module")
def hour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hour]:
    base = tmp_path_factory.mktemp("hour")
    _video(base / "mine/recordings/tea_1.mp4", 30)
    _video(base / "plain/walk.mp4", 2)
    with chat_server() as server, pytest.MonkeyPatch.context() as patch, contextlib.chdir(base):
        patch.setenv("PARALLAX_CONFIG", str(base / "parallax.toml"))
        patch.setenv("PROVIDER_API_KEY", KEY)
        for path, text in _files(server.url).items():
            (base / path).write_text(text, encoding="utf-8")
        commands = "".join(_blocks("sh")).splitlines()
        # What every section ends with: here once, for all of them.
        assert {"parallax run", "parallax status"} < set(commands)
        for command in commands:
            if command not in ("parallax run", "parallax status"):
                _follow(base, command)
        settings = load_settings()
        # `parallax run` without Dagster's processes: the same stages in the same order.
        for step in steps(settings, Scope()):
            for stage in step.stages:
                stage.configured(settings).refresh(settings, step.partition, Options(), silent)
        yield Hour(settings, status_text(settings), server)


def test_the_page_has_a_section_for_everything_that_a_user_may_have() -> None:
    table = PAGE.partition("|---|")[2].partition("\n\n")[0]
    anchors = re.findall(r"\(#([a-z-]+)\)", table)
    headings = {h.lower().replace(" ", "-") for h in re.findall(r"^## (.+)$", PAGE, re.MULTILINE)}
    assert len(anchors) == 6 and set(anchors) <= headings


def test_every_output_that_the_page_shows_is_printed(hour: Hour) -> None:
    shown = [line for text in _blocks("text") for line in text.splitlines()]
    assert len(shown) >= 8
    for line in shown:
        assert line in hour.printed, f"{line!r} is not in\n{hour.printed}"


def test_every_run_of_the_page_has_a_score(hour: Hour) -> None:
    scores = hour.settings.store.read(TABLES["scores"]).filter(
        pl.col("metric") == "accuracy", pl.col("slice") == "micro"
    )
    n = {(row["benchmark"], row["run"]): row["n"] for row in scores.iter_rows(named=True)}
    assert {run for benchmark, run in n if benchmark == "egocot"} == {*hour.settings.runs}
    assert n["egocot", "random"] == n["egocot", "my-server"] == n["egocot", "provider"] == 11
    assert n["egocot", "checkpoint"] == 2
    assert n["egoexobench", "random"] > 0


def test_servers_are_sent_frames_and_only_the_provider_a_key(hour: Hour) -> None:
    by_model = {got.body["model"]: got for got in hour.server.got}
    local, provider = hour.settings.runs["my-server"].model, hour.settings.runs["provider"].model
    assert set(by_model) == {local, provider}
    assert all(len(got.images()) == 16 for got in by_model.values())
    assert by_model[provider].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in str(by_model[local].headers)
    assert KEY not in hour.printed
