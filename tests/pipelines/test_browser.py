"""The graph in a real browser: Dagster's own server on a tiny store, clicked through."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

from expectations.schemas import TABLES
from resources.store.tables import TableStore
from tests.browser import Watch, chromium
from tests.expectations.suites.suite_worlds import questions_world
from tests.installation import CONFIG, environment, parallax

if TYPE_CHECKING:
    from playwright.sync_api import Page

REPOSITORY = Path(__file__).parents[2]
LONGEST_S = 120


@dataclass
class Served:
    """A running Dagster UI."""

    url: str
    page: Page
    watch: Watch

    def open(self, path: str) -> Page:
        """Open a place of the UI."""
        self.page.goto(self.url + path)
        return self.page


def _fill(base: Path) -> None:
    """Questions and verdicts of the gates, one of them a refusal."""
    store = TableStore(str(base / "tables"))
    asked = questions_world(12)["questions"].with_columns(
        benchmark=pl.lit("egobridge"), pool=pl.lit("u"), question_hash=pl.col("question_id")
    )
    verdicts = TABLES["question_gates"].frame(
        {
            "benchmark": "egobridge",
            "pool": "u",
            "subtask": row["subtask"],
            "question_id": row["question_id"],
            "question_hash": row["question_hash"],
            "gate": gate,
            "protocol": "",
            "verdict": "refuse" if (row["question_id"], gate) == ("q7", "leak") else "pass",
            "rule": "word",
            "message": "the answer <b>stands</b> in the text",
        }
        for row in asked.iter_rows(named=True)
        for gate in ("leak", "margin", "well_formed")
    )
    store.replace(TABLES["questions"], "egobridge", ["u"], asked)
    store.replace(TABLES["question_gates"], "egobridge", ["u"], verdicts)


@pytest.fixture(scope="module")
def ui(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    base = tmp_path_factory.mktemp("ui")
    (base / "parallax.toml").write_text(CONFIG)
    _fill(base)
    parallax(base, "check", "--name", "gates")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        str(Path(sys.executable).with_name("dagster-webserver")),
        "-m",
        "pipelines.definitions",
    ]
    log = (base / "server.log").open("wb")
    server = subprocess.Popen(
        [*command, "-h", "127.0.0.1", "-p", str(port)],
        cwd=REPOSITORY,
        env=environment(base),
        stdout=log,
        stderr=log,
        start_new_session=True,  # its code server is a child of its own
    )
    try:
        url = f"http://127.0.0.1:{port}"
        _wait(f"{url}/server_info", server, base / "server.log")
        with chromium() as browser:
            page = browser.new_page(viewport={"width": 1600, "height": 1000})
            page.set_default_timeout(45_000)
            watch = Watch()
            watch.on(page)
            yield Served(url, page, watch)
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()
        log.close()


def _wait(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + LONGEST_S
    while time.monotonic() < until:
        assert server.poll() is None, log.read_text()
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.3)
    pytest.fail(f"no answer from {url} in {LONGEST_S} s\n{log.read_text()}")


def test_the_graph_shows_the_stages_and_leads_to_a_table(ui: Served) -> None:
    page = ui.open("/asset-groups")
    page.get_by_text("predictions", exact=True).first.wait_for()
    for group in ("raw_files", "media", "people", "frames", "labels", "questions", "scores"):
        assert page.get_by_text(group, exact=True).first.is_visible(), group
    page.wait_for_timeout(2000)  # the graph moves into view
    page.get_by_text("questions", exact=True).last.click()
    # The graph is larger than the window: people jump to a table by its name.
    page.get_by_placeholder("Jump to").fill("question_gates")
    page.get_by_text("question_gates", exact=True).first.click()
    page.get_by_text("One row per verdict of one gate on one question.").first.wait_for()
    page.get_by_text("Failed", exact=True).first.wait_for()
    page.get_by_text("contract", exact=True).first.wait_for()
    page.get_by_text("gates", exact=True).first.wait_for()


def test_a_table_tells_its_description_owner_and_columns(ui: Served) -> None:
    page = ui.open("/assets/questions/questions")
    page.get_by_text("One row per question with its options").first.wait_for()
    assert page.get_by_text("benchmarks", exact=True).first.is_visible()
    page.get_by_text("question_hash", exact=True).first.wait_for()
    assert page.get_by_text("Hash of everything a model or reader sees.").first.is_visible()


def test_a_check_shows_its_verdicts_and_the_refused_question(ui: Served) -> None:
    page = ui.open("/assets/questions/question_gates?view=checks&checkDetail=gates")
    page.get_by_text("1 of 12 questions are refused").first.wait_for()
    shown = page.get_by_text("Show Markdown")
    shown.first.click()
    # Text of data, with its own mark-up escaped: shown as it is written.
    page.get_by_text("the answer <b>stands</b> in the text").wait_for()
    page.get_by_role("button", name="Close").click()
    shown.nth(1).click()
    drawing = page.get_by_role("img", name="verdicts by gate")
    drawing.wait_for()
    assert drawing.evaluate("image => image.naturalWidth") > 100


def test_the_browser_asked_nothing_but_this_server(ui: Served) -> None:
    ui.open("/assets/questions/questions").get_by_text(
        "One row per question with its"
    ).first.wait_for()
    ours = (ui.url, f"blob:{ui.url}", ui.url.replace("http", "ws"))
    assert [url for url in ui.watch.requests if not url.startswith(ours)] == []
    assert ui.watch.errors == []
