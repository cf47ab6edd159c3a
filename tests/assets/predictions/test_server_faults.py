"""Every fault of a model server: what is stored, how the run ends, and what the next run does."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.options import Options, silent
from assets.predictions import stage
from assets.report import stage as report
from assets.scores import stage as scores
from expectations.schemas import TABLES
from resources.config import Settings, load_settings
from resources.models import EngineUnavailableError
from resources.models.server import openai_server
from resources.models.server.openai_server import Patience
from tests.installation import own_copy
from tests.resources.models.chat_server import ChatServer, Say, chat_server, completion

SECRET = "sk-never-to-be-stored-987654"
KEY = "egobridge.served"
N = 4
RUN = """
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
QUICK = Patience(attempts=2, costly_attempts=2, wait_s=0.01, wait_max_s=0.02, jitter_s=0.0,
                 reply_s=0.3, whole_s=0.5)  # fmt: skip


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", SECRET)
    monkeypatch.setattr(openai_server, "Patience", lambda: QUICK)


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with chat_server() as made:
        yield made


@pytest.fixture(scope="module")
def installation(
    server: ChatServer, small_household: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    runs = RUN.format(url=server.url)
    return own_copy(small_household, tmp_path_factory.mktemp("faults") / "own", runs)


@pytest.fixture
def settings(installation: Path, server: ChatServer) -> Settings:
    """An installation with questions, and no reply of the run."""
    made = load_settings(installation / "parallax.toml")
    server.script, server.got = [], []
    for table in ("requests", "answers", "scores", "calls", "ledger"):
        partition = KEY if table != "ledger" else None
        for name in made.store.partitions(TABLES[table]):
            if name == partition or (partition is None and name.endswith(KEY)):
                units = made.store.read(TABLES[table], name)[TABLES[table].unit].unique()
                made.store.replace(TABLES[table], name, units.to_list(), TABLES[table].empty())
    return made


def bring_up(settings: Settings, **options: Any) -> str:
    """Ask, read and score; why it stopped, or nothing."""
    try:
        stage.STAGE.refresh(settings, KEY, Options(**options), silent)
    except EngineUnavailableError as stop:
        return str(stop)
    scores.STAGE.refresh(settings, KEY, Options(), silent)
    return ""


def statuses(settings: Settings) -> list[str]:
    """Outcome of the last attempt at each call."""
    calls = settings.store.read(TABLES["calls"], KEY).sort("call_key", "attempt")
    last = calls.group_by("call_key", maintain_order=True).last()
    return sorted(last["status"])


def micro(settings: Settings) -> tuple[float | None, int, int, int]:
    """Value, n, unparsed and errors of the score over all questions."""
    rows = settings.store.read(TABLES["scores"], KEY).filter(slice="micro")
    return rows.select("value", "n", "n_unparsed", "n_errors").row(0)


OVERLOADED = {"error": {"message": "overloaded", "code": 503}}
FAULTS: dict[str, Say] = {
    "429 with Retry-After": Say(429, {"error": {"message": "slow"}}, {"Retry-After": "0.01"}),
    "500": Say(500, {"error": {"message": "out of memory"}}),
    "too slow": Say(wait_s=0.5),
    "drips": Say(drip_s=0.02),
    "hangs up": Say(hang_up=True),
    "truncated body": Say(body=completion(), claims_bytes=9000),
    "invalid JSON": Say(body=b'{"choices": [{"mess'),
    "wrong content type": Say(body=b"<html>proxy</html>", content_type="text/html"),
    "200 with an error body": Say(body=OVERLOADED),
    "empty choices": Say(body=completion(choices=[])),
    "no such model": Say(404, {"error": {"message": "no such model"}}),
}


PASSING = {name: fault for name, fault in FAULTS.items() if fault.status != 404}


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING.keys())
def test_a_fault_that_passes_costs_an_attempt_and_no_reply(
    settings: Settings, server: ChatServer, fault: Say
) -> None:
    server.script = [fault]
    assert bring_up(settings) == ""
    assert statuses(settings) == ["ok"] * N
    assert len(server.got) == N + 1
    assert micro(settings)[1:] == (N, 0, 0)


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_that_stays_stops_the_run_and_leaves_calls_unasked(
    settings: Settings, server: ChatServer, fault: Say
) -> None:
    server.script = [fault] * 99
    why = bring_up(settings)
    assert why.startswith(f"run served: server {server.url} failed 3 calls in a row (last: ")
    assert "run again" in why
    assert len(server.got) <= 2 + 2 + 2
    assert statuses(settings) == []
    assert settings.store.read(TABLES["scores"], KEY).is_empty()
    # It comes back: the next run asks everything.
    server.script, server.got = [], []
    assert not stage.STAGE.is_fresh(settings, KEY, Options())
    assert bring_up(settings) == ""
    assert (len(server.got), statuses(settings)) == (N, ["ok"] * N)
    assert micro(settings)[1:] == (N, 0, 0)
    assert stage.STAGE.is_fresh(settings, KEY, Options())


def test_a_server_that_is_not_there_leaves_all_unasked(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        gone = RUN.format(url=f"http://127.0.0.1:{taken.getsockname()[1]}/v1")
        config = settings.home / "gone.toml"
        config.write_text(
            (settings.home / "parallax.toml").read_text().partition("[runs.served]")[0] + gone
        )
        why = bring_up(load_settings(config))
    assert "cannot be reached" in why
    assert statuses(settings) == []


def test_failed_calls_are_asked_again_and_are_no_wrong_answers(
    settings: Settings, server: ChatServer
) -> None:
    refused = Say(400, {"error": {"message": "too many images"}})
    server.script = [refused] * N
    assert bring_up(settings) == ""
    assert statuses(settings) == ["error"] * N
    assert micro(settings) == (None, 0, 0, N), "no value is given where every call failed"
    failed = stage.failed_calls(settings, KEY)
    assert failed is not None
    assert failed.sentence() == (
        "4 of 4 calls failed (last: RefusedError: status 400: too many images); the next run asks 4"
        " of them again"
    )
    # The next run: one of them fails again, one is a reply without a letter.
    server.script = [refused, Say(body=completion("who knows"))]
    server.got = []
    assert not stage.STAGE.is_fresh(settings, KEY, Options())
    assert bring_up(settings) == ""
    assert len(server.got) == N
    assert micro(settings)[1:] == (3, 1, 1)
    server.script = [refused]
    assert bring_up(settings) == ""
    # Three attempts are over: it is left alone, and said so, until a person asks for it.
    server.got = []
    assert stage.STAGE.is_fresh(settings, KEY, Options())
    assert bring_up(settings) == ""
    assert server.got == []
    failed = stage.failed_calls(settings, KEY)
    assert failed is not None and failed.n_given_up == 1
    assert "1 of 4 calls failed" in failed.sentence()
    assert "`--retry-errors`" in failed.sentence()
    assert not stage.STAGE.is_fresh(settings, KEY, Options(retry_errors=True))
    assert bring_up(settings, retry_errors=True) == ""
    assert len(server.got) == 1
    assert micro(settings)[1:] == (N, 1, 0)
    assert stage.failed_calls(settings, KEY) is None


def test_an_error_the_ledger_holds_for_good_is_asked_again(
    settings: Settings, server: ChatServer
) -> None:
    """As older versions left it: the unit is done, and the call has failed uncounted."""
    server.script = [Say(400, {"error": {"message": "no"}})]
    bring_up(settings)
    calls = settings.store.read(TABLES["calls"], KEY)
    old = calls.with_columns(failures=pl.lit(None, pl.Int64), attempt=pl.lit(5, pl.Int64))
    settings.store.replace(TABLES["calls"], KEY, calls["call_key"].to_list(), old)
    server.got = []
    bring_up(settings)
    assert len(server.got) == 1
    assert statuses(settings) == ["ok"] * N
    assert micro(settings)[3] == 0


def test_a_key_in_a_reply_reaches_no_table(settings: Settings, server: ChatServer) -> None:
    server.script = [Say(body=completion(f"I was sent Authorization: Bearer {SECRET}. Answer: B"))]
    bring_up(settings)
    calls = settings.store.read(TABLES["calls"], KEY)
    said = [reply for reply in calls["reply"] if "sent" in reply]
    assert said == ["I was sent Authorization: Bearer ***. Answer: B"]
    assert settings.store.read(TABLES["answers"], KEY)["letter"].to_list() == ["B"] * N
    # A row of an older version holds it: no page shows it.
    shown = calls.with_columns(reply=pl.lit(f"my key is {SECRET}"), error=pl.lit(SECRET))
    assert SECRET not in repr(report._without_secrets(shown, set(calls["question_id"])).to_dicts())


def test_a_cut_reply_is_read_as_one(settings: Settings, server: ChatServer) -> None:
    server.script = [Say(body=completion("Option B shows the pot, " + "so " * 50_000))] * N
    bring_up(settings)
    assert settings.store.read(TABLES["calls"], KEY)["reply_cut_bytes"].min() > 50_000
    answers = settings.store.read(TABLES["answers"], KEY)
    assert answers["status"].to_list() == ["truncated"] * N


def with_budget(settings: Settings, dollars: float) -> Settings:
    """The installation with a price, $0.122 for a call of the server, and a budget."""
    run = replace(settings.runs["served"], price_per_million_tokens=1_000, budget=dollars)
    return replace(settings, runs={**settings.runs, "served": run})


def test_a_budget_stops_a_run_cleanly_and_a_higher_one_goes_on(
    settings: Settings, server: ChatServer
) -> None:
    assert bring_up(with_budget(settings, 0.45)) == (
        "run served: stopped by its budget, $0.1220 of $0.45 are spent and the next call might pass"
        " it (it may cost up to $0.3590); 3 of 4 questions have no reply yet; raise `budget` and run again to go on"
    )
    assert (len(server.got), statuses(settings)) == (1, ["ok"])
    # A part is not scored as if it were the whole.
    assert settings.store.read(TABLES["scores"], KEY).is_empty()
    assert not stage.STAGE.is_fresh(with_budget(settings, 0.45), KEY, Options())
    assert bring_up(with_budget(settings, 2.0)) == ""
    assert (len(server.got), micro(settings)[1:]) == (N, (N, 0, 0))
