"""Model calls through the store: bought once, safe as they arrive, asked again where they failed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from expectations.schemas import TABLES
from expectations.schemas.identity import canonical_json
from resources.masking import register_names
from resources.models import Capabilities, EngineUnavailableError, Media
from resources.models.calls import call_log
from resources.models.calls.call_log import MAX_REPLY_BYTES, CallLog
from resources.models.costs.budget import BudgetReachedError
from resources.models.costs.estimate import past_calls
from resources.models.costs.spending import spent_by
from resources.models.prompt import Clip, Prompt
from resources.models.reply import Reply
from resources.models.runs import RunConfig
from resources.models.server.openai_server import OpenAIServerEngine, Patience
from resources.store.tables import StoreError, TableStore
from tests.resources.models.chat_server import ChatServer, Say, chat_server, completion

QUICK = Patience(attempts=2, wait_s=0.01, wait_max_s=0.02, jitter_s=0.0, reply_s=1.0)
CALLS = TABLES["calls"]
PARTITION = "b.r"
OOPS = Say(500, {"error": {"message": "oops"}})


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as made:
        yield made


@pytest.fixture
def store(tmp_path: Path) -> TableStore:
    return TableStore(str(tmp_path / "tables"))


def requests(n: int, first: int = 0) -> list[Prompt]:
    return [
        Prompt(
            key=f"key-{i:03}",
            seed=f"h{i}",
            parts=(f"Which one? {i}",),
            media_recipe="{}",
            choices=("A", "B", "C"),
            choice_texts=(),
            short_side_px=None,
            encoding="rgb",
            temperature=0.0,
            max_tokens=16,
            model="m",
        )
        for i in range(first, first + n)
    ]


def no_media(recording: str, part: int, pts: list[int]) -> list[np.ndarray]:
    raise AssertionError("no pixels should be read")


def log(store: TableStore, url: str, retry_errors: bool = False, **settings: Any) -> CallLog:
    """A log of a new process, as it were."""
    settings = {"concurrency": 1} | settings
    run = RunConfig("r", "openai_server", "direct", base_url=url, model="m", **settings)
    engine = OpenAIServerEngine(run, QUICK)
    return CallLog(store, PARTITION, "b", run, lambda: engine, ("reply",), retry_errors)


def rows(store: TableStore) -> list[dict[str, Any]]:
    return store.read(CALLS, PARTITION).sort("call_key", "attempt").to_dicts()


def journal(store: TableStore) -> list[Path]:
    return sorted(p for p in Path(store.url, ".journal").rglob("*") if p.is_file())


def asked(server: ChatServer) -> list[int]:
    return [int(got.texts()[0].split()[-1]) for got in server.got]


# --- once, and again where it failed ----------------------------------------------------------------


def test_a_good_reply_is_bought_once_in_any_process(store: TableStore, server: ChatServer) -> None:
    log(store, server.url).buy(requests(5), no_media)
    again = log(store, server.url)
    again.buy(requests(5), no_media)
    again.buy(requests(8), no_media)
    assert asked(server) == list(range(8))
    assert [row["reply"] for row in rows(store)] == ["B"] * 8
    assert {row["failures"] for row in rows(store)} == {None}
    assert journal(store) == []


def test_a_call_records_what_was_sent(store: TableStore, server: ChatServer) -> None:
    refusal = Say(400, {"error": {"message": "Unsupported parameter: 'temperature'"}})
    server.script = [Say(), refusal]
    # Its row is from before anything of this was recorded.
    old = replace(CALLS, columns=CALLS.columns[:-2])
    asked_before = log(store, server.url)
    asked_before.buy(requests(1), no_media)
    (row,) = rows(store)
    before = TableStore(f"{store.url}-before")
    before.append(old, PARTITION, old.frame([{name: row[name] for name in old.schema}]))

    later = log(before, server.url)
    clip = Clip("query", "rec", "content", 0.0, 1.0, ((0, 0, 0.0), (0, 1, 0.1)))
    shown = replace(requests(2)[1], parts=(clip, "Which one? 1"), encoding="jpeg-90")
    later.buy([*requests(1), shown], lambda *_: [np.zeros((8, 8, 3), np.uint8)] * 2)
    # The engine of a plug-in, perhaps, that holds replies to nothing.
    engine = later._engine()
    engine.capabilities = Capabilities(images=True)  # pyright: ignore[reportAttributeAccessIssue]
    later.buy([replace(requests(3)[2], json_schema="{}")], no_media)
    assert [(row["clips_sent_as"], row["asked_without"]) for row in rows(before)] == [
        (None, None),
        ("images", ["temperature"]),
        (None, ["temperature", "json_schema"]),
    ]


def test_requests_that_are_the_same_are_one_call(store: TableStore, server: ChatServer) -> None:
    log(store, server.url).buy([*requests(2), *requests(2)], no_media)
    assert asked(server) == [0, 1]


def test_a_failed_call_is_asked_by_so_many_runs_and_no_more(
    store: TableStore, server: ChatServer
) -> None:
    refused = Say(400, {"error": {"message": "too many images"}})
    server.script = [refused] * 20
    for run in range(1, 6):
        one = log(store, server.url, max_attempts=3)
        one.buy(requests(1), no_media)
        one.buy(requests(1), no_media)  # not twice in one run
        assert len(server.got) == min(run, 3)
        assert one.is_settled("key-000") == (run >= 3)
    assert [(r["attempt"], r["failures"], r["status"]) for r in rows(store)] == [
        (0, 1, "error"),
        (1, 2, "error"),
        (2, 3, "error"),
    ]
    # `--retry-errors` counts anew, and the runs after it go on from there.
    for run, retry in ((4, True), (5, False), (6, False), (6, False)):
        one = log(store, server.url, retry, max_attempts=3)
        one.buy(requests(1), no_media)
        assert len(server.got) == run
    assert [r["failures"] for r in rows(store)] == [1, 2, 3, 1, 2, 3]
    # A reply settles it.
    server.script = []
    log(store, server.url, retry_errors=True).buy(requests(1), no_media)
    log(store, server.url, retry_errors=True).buy(requests(1), no_media)
    assert len(server.got) == 7
    assert (rows(store)[-1]["status"], rows(store)[-1]["failures"]) == ("ok", None)


def test_an_error_that_an_older_version_stored_for_good_is_asked_again(
    store: TableStore, server: ChatServer
) -> None:
    server.script = [Say(400, {"error": {"message": "no"}})]
    log(store, server.url).buy(requests(2), no_media)
    table = store.read(CALLS, PARTITION)
    # As the table was: without the two columns.
    Path(store.url).rename(Path(store.url).with_name("new"))
    old = Path(store.location(CALLS))
    old.parent.mkdir(parents=True)
    (
        table.drop("reply_cut_bytes", "failures")
        .with_columns(attempt=pl.lit(7, pl.Int64), partition_key=pl.lit(PARTITION))
        .write_delta(old, delta_write_options={"partition_by": ["partition_key"]})
    )
    log(store, server.url).buy(requests(2), no_media)
    assert asked(server) == [0, 1, 0]
    found = [(r["call_key"], r["attempt"], r["status"]) for r in rows(store)]
    assert found == [("key-000", 7, "error"), ("key-000", 8, "ok"), ("key-001", 7, "ok")]


# --- a server that fails ----------------------------------------------------------------------------


def test_what_a_failing_server_was_not_asked_stays_unasked(
    store: TableStore, server: ChatServer
) -> None:
    server.script = [Say(), Say(), *[OOPS] * 100]
    one = log(store, server.url, stop_after_failures=4)
    with pytest.raises(EngineUnavailableError, match=r"failed 4 calls in a row \(last: .*oops\)"):
        one.buy(requests(50), no_media)
    # Two attempts each, and no row of what failed: another request would have failed as well.
    assert len(server.got) == 2 + 4 * 2
    assert [(r["call_key"], r["status"]) for r in rows(store)] == [
        ("key-000", "ok"),
        ("key-001", "ok"),
    ]
    server.script = []
    server.got.clear()
    log(store, server.url).buy(requests(50), no_media)
    assert asked(server) == list(range(2, 50))


def test_failures_between_replies_are_rows(store: TableStore, server: ChatServer) -> None:
    server.script = [OOPS, OOPS, Say(), OOPS, OOPS]
    log(store, server.url).buy(requests(3), no_media)
    assert [r["status"] for r in rows(store)] == ["error", "ok", "error"]
    assert rows(store)[0]["error"] == "BusyError: status 500: oops"


def test_a_server_that_dies_midway_and_comes_back(store: TableStore) -> None:
    with chat_server() as first:
        first.script = [Say()] * 3 + [Say(hang_up=True)]
        first.dies_after = 4
        with pytest.raises(EngineUnavailableError, match="cannot be reached") as stop:
            log(store, first.url).buy(requests(10), no_media)
    assert str(stop.value).startswith(f"run r: server {first.url} cannot be reached: ")
    assert str(stop.value).endswith("then run again")
    assert len(rows(store)) == 3
    with chat_server(port=first.port) as second:
        log(store, second.url).buy(requests(10), no_media)
        assert sorted(asked(second)) == list(range(3, 10))
    assert [r["status"] for r in rows(store)] == ["ok"] * 10


# --- kills ------------------------------------------------------------------------------------------

PROGRAM = """
import sys
from tests.resources.models.test_call_log import TableStore, log, no_media, requests
store, url, n, concurrency = TableStore(sys.argv[1]), sys.argv[2], *map(int, sys.argv[3:])
log(store, url, concurrency=concurrency).buy(requests(n), no_media)
"""


def killed_buyer(store: TableStore, server: ChatServer, after: int, n: int, at_once: int) -> None:
    """Kill a process that buys when the server has got so many requests."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, store.url, server.url, str(n), str(at_once)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
    )
    until = time.monotonic() + 60
    while len(server.got) < after and process.poll() is None and time.monotonic() < until:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()


@pytest.mark.parametrize(("after", "at_once"), [(17, 1), (22, 4)])
def test_a_kill_repays_no_more_than_the_calls_under_way(
    store: TableStore, server: ChatServer, after: int, at_once: int
) -> None:
    server.script = [Say(wait_s=0.03) for _ in range(200)]
    killed_buyer(store, server, after, 30, at_once)
    paid = len(server.got)
    assert after <= paid < 30
    log(store, server.url).buy(requests(30), no_media)
    assert len(server.got) <= 30 + at_once
    assert set(asked(server)) == set(range(30))
    # Nothing twice in the table either, and nothing left beside it.
    assert [(r["call_key"], r["attempt"]) for r in rows(store)] == [
        (f"key-{i:03}", 0) for i in range(30)
    ]
    assert journal(store) == []


def test_a_journal_that_is_in_the_table_already_adds_nothing(
    store: TableStore, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill between adding rows to the table and clearing the journal."""
    one = log(store, server.url)
    with monkeypatch.context() as patch:
        patch.setattr(one._journal, "clear", lambda names: None)
        one.buy(requests(3), no_media)
    assert len(journal(store)) == 3
    # Whoever only reads sees each call once.
    assert len(log(store, server.url).known()) == 3
    log(store, server.url).buy(requests(4), no_media)
    assert asked(server) == [0, 1, 2, 3]
    assert [r["call_key"] for r in rows(store)] == [f"key-{i:03}" for i in range(4)]
    assert journal(store) == []


def test_a_damaged_journal_is_named(store: TableStore, server: ChatServer) -> None:
    folder = Path(store.url, ".journal", f"calls.{PARTITION}")
    folder.mkdir(parents=True)
    (folder / "a-00000001.jsonl").write_text('{"call_key": "key-0')
    (folder / "b-00000001.jsonl.part").write_text("never finished")
    with pytest.raises(StoreError, match=r"a-00000001.jsonl is damaged .*: delete it"):
        log(store, server.url).buy(requests(1), no_media)
    (folder / "a-00000001.jsonl").unlink()
    log(store, server.url).buy(requests(1), no_media)
    assert journal(store) == []


def test_two_processes_buy_each_reply_once(store: TableStore, server: ChatServer) -> None:
    server.script = [Say(wait_s=0.01) for _ in range(40)]
    both = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, store.url, server.url, "20", "2"],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
        )
        for _ in range(2)
    ]
    assert [process.wait(60) for process in both] == [0, 0]
    assert sorted(asked(server)) == list(range(20))
    assert len(rows(store)) == 20


def test_replies_survive_a_kill_on_an_object_store(
    s3_options: dict[str, str], server: ChatServer
) -> None:
    store = TableStore(f"s3://parallax/calls-{time.time_ns()}", s3_options, lease_s=2.0)

    class Killed(BaseException):
        pass

    one = log(store, server.url)
    # As a kill would leave it: the journal written, the table not.
    one._fold = lambda: (_ for _ in ()).throw(Killed())  # type: ignore[method-assign]
    with pytest.raises(Killed):
        one.buy(requests(3), no_media)
    assert store.version(CALLS) is None
    assert len(log(store, server.url).known()) == 3
    log(store, server.url).buy(requests(5), no_media)
    assert asked(server) == list(range(5))
    assert len(rows(store)) == 5
    assert log(store, server.url)._journal.names() == []


# --- what is stored ---------------------------------------------------------------------------------

KEY = "sk-never-to-be-stored-987654"


def test_a_key_that_a_server_repeats_is_stored_nowhere(
    store: TableStore, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALLS_KEY", KEY)
    register_names(["CALLS_KEY"])
    echo = f"Your headers: {{'authorization': 'Bearer {KEY}'}}. Answer: B"
    server.script = [
        Say(body=completion(echo)),
        Say(body=completion(choices=[{"index": 0, "finish_reason": KEY, "message": {"content": "B"}}])),
        Say(400, {"error": {"message": "x" * 280 + KEY}}),
        Say(400, {"detail": [{"headers": {"authorization": KEY}}]}),
    ]  # fmt: skip
    log(store, server.url, api_key_env="CALLS_KEY").buy(requests(4), no_media)
    found = rows(store)
    assert found[0]["reply"] == "Your headers: {'authorization': 'Bearer ***'}. Answer: B"
    assert [r["status"] for r in found] == ["ok", "ok", "error", "error"]
    for part in (KEY, KEY[:12], KEY[-12:]):
        assert part not in repr(found)
    written = [path for path in Path(store.url).rglob("*") if path.is_file()]
    assert not [path for path in written if KEY.encode() in path.read_bytes()]


@pytest.mark.parametrize(
    ("text", "kept", "cut"),
    [
        ("B", "B", None),
        ("x" * MAX_REPLY_BYTES, "x" * MAX_REPLY_BYTES, None),
        ("x" * (MAX_REPLY_BYTES + 5), "x" * MAX_REPLY_BYTES, 5),
        # Cut between characters, counted in bytes.
        ("x" + "é" * (MAX_REPLY_BYTES // 2), "x" + "é" * (MAX_REPLY_BYTES // 2 - 1), 2),
    ],
    ids=["short", "as long as is kept", "longer", "two bytes a character"],
)
def test_a_long_reply_is_cut_and_says_so(
    store: TableStore, server: ChatServer, text: str, kept: str, cut: int | None
) -> None:
    server.script = [Say(body=json.dumps(completion(text), ensure_ascii=False).encode())]
    log(store, server.url).buy(requests(1), no_media)
    (row,) = rows(store)
    assert row["reply"] == kept, len(row["reply"])
    assert row["reply_cut_bytes"] == cut


def test_an_endless_reply_is_cut_and_says_so(
    store: TableStore, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALLS_KEY", KEY)
    server.script = [Say(body=completion("B " + KEY * 800_000))]
    log(store, server.url, api_key_env="CALLS_KEY").buy(requests(1), no_media)
    (row,) = rows(store)
    assert row["status"] == "ok"
    assert row["reply"].startswith("B ***")
    assert len(row["reply"]) <= MAX_REPLY_BYTES
    assert row["reply_cut_bytes"] > 20_000_000
    assert KEY[:6] not in row["reply"]


def test_halves_of_characters_are_stored_as_what_can_be(
    store: TableStore, server: ChatServer
) -> None:
    body = b'{"choices": [{"index": 0, "message": {"content": "B \\ud83d"}}]}'
    server.script = [Say(body=body)]
    log(store, server.url).buy(requests(1), no_media)
    assert rows(store)[0]["reply"] == "B ?"


@pytest.mark.parametrize("tokens", [-1, 1 << 70, 3.5, "many", True])
def test_counts_that_cannot_be_are_left_out(
    store: TableStore, server: ChatServer, tokens: Any
) -> None:
    server.script = [Say(body=completion(usage={"prompt_tokens": tokens}))]
    log(store, server.url).buy(requests(1), no_media)
    assert rows(store)[0]["prompt_tokens"] is None


# --- prompts that are made while others are asked ---------------------------------------------------


class Echo:
    """Replies with the prompt's text, a few at a time."""

    capabilities = Capabilities()
    model = "m"

    def __init__(self, fails: str = "") -> None:
        self.asked: list[str] = []
        self._fails = fails

    def ask(self, batch: Sequence[Prompt], media: Media) -> list[Reply]:
        if self._fails in [prompt.key for prompt in batch]:
            raise EngineUnavailableError("gone")
        self.asked += [prompt.key for prompt in batch]
        return [Reply(prompt.key, "ok", prompt.text) for prompt in batch]


def echoing(store: TableStore, engine: Echo, opened: list[int] | None = None) -> CallLog:
    def open_it() -> Echo:
        if opened is not None:
            opened.append(1)
        return engine

    run = RunConfig("r", "echo", "direct", concurrency=4)
    return CallLog(store, PARTITION, "b", run, open_it)


def in_table(store: TableStore) -> set[str]:
    return set(store.read(CALLS, PARTITION, columns=("call_key",))["call_key"])


def test_prompts_that_come_back_have_their_calls_in_the_table(
    store: TableStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_log, "_FOLD_ROWS", 16)
    echoing(store, Echo()).buy(requests(5))
    engine = Echo()
    # Known ones, and some that are the same.
    prompts = [*requests(50), *requests(10, 40), *requests(3)]
    found: list[str] = []
    sizes = []
    for group in echoing(store, engine).stream(iter(prompts)):
        found += [prompt.key for prompt in group]
        assert set(found) <= in_table(store)
        sizes.append(len(group))
    assert Counter(found) == Counter(prompt.key for prompt in prompts)
    assert engine.asked == [prompt.key for prompt in requests(45, 5)]
    # Small batches, and not a commit for every reply.
    assert len(sizes) <= 5 and max(sizes) <= 16 + 4 + 18


def test_no_engine_is_opened_where_every_prompt_is_known(store: TableStore) -> None:
    echoing(store, Echo()).buy(requests(5))
    opened: list[int] = []
    found = list(echoing(store, Echo(), opened).stream(iter(requests(5))))
    assert [prompt.key for group in found for prompt in group] == [f"key-{i:03}" for i in range(5)]
    assert opened == []
    assert list(echoing(store, Echo(), opened).stream(iter(()))) == []


def test_whoever_stops_taking_keeps_what_was_answered_and_frees_the_lock(
    store: TableStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_log, "_FOLD_ROWS", 8)
    engine = Echo()
    first = echoing(store, engine).stream(iter(requests(50)))
    next(first)
    first.close()
    assert len(engine.asked) == 8
    again = Echo()
    echoing(store, again).buy(requests(50))
    assert sorted(engine.asked + again.asked) == [prompt.key for prompt in requests(50)]


def test_a_model_that_goes_keeps_the_replies_it_gave(store: TableStore) -> None:
    engine = Echo(fails="key-030")
    with pytest.raises(EngineUnavailableError, match="gone"):
        list(echoing(store, engine).stream(iter(requests(50))))
    assert in_table(store) == set(engine.asked) == {prompt.key for prompt in requests(28)}
    again = Echo()
    list(echoing(store, again).stream(iter(requests(50))))
    assert again.asked == [prompt.key for prompt in requests(22, 28)]


# --- money ------------------------------------------------------------------------------------------

# A call of the server has 120 tokens read and 2 written: $0.122 at this price.
PRICED = {"price_per_million_tokens": 1_000}
UNREADABLE = Say(200, completion([1]))


def dollars(store: TableStore) -> list[float]:
    return [round(row["dollars"], 3) for row in rows(store)]


def test_a_call_is_stored_with_its_price(store: TableStore, server: ChatServer) -> None:
    server.script = [UNREADABLE, UNREADABLE, Say(), OOPS, OOPS]
    log(store, server.url, **PRICED).buy(requests(3), no_media)
    first, *_ = rows(store)
    # Two answers that could not be used were billed; an error of the server is not.
    assert [(r["status"], round(r["dollars"], 3)) for r in rows(store)] == [
        ("error", 0.244),
        ("ok", 0.122),
        ("error", 0.0),
    ]
    assert first["estimated_prompt_tokens"] > 0
    # A run without a price has no price, and one that states it later reckons by the tokens.
    other = TableStore(store.url + "2")
    log(other, server.url).buy(requests(2), no_media)
    assert [row["dollars"] for row in rows(other)] == [None, None]
    priced = RunConfig("r", "random", "direct", price_per_million_tokens=1_000)
    assert spent_by(other, priced) == pytest.approx(0.244)


def test_a_budget_stops_before_it_is_passed_and_a_higher_one_goes_on(
    store: TableStore, server: ChatServer
) -> None:
    with pytest.raises(BudgetReachedError, match=r"\$\d\.\d+ of \$1\.00 are spent"):
        log(store, server.url, budget=1.0, concurrency=4, **PRICED).buy(requests(30), no_media)
    n = len(server.got)
    assert 5 <= n <= 8 and dollars(store) == [0.122] * n
    # Nothing is asked while it stands, and no reply is bought again once it is raised.
    with pytest.raises(BudgetReachedError):
        log(store, server.url, budget=1.0, **PRICED).buy(requests(30), no_media)
    assert len(server.got) == n
    log(store, server.url, budget=10.0, **PRICED).buy(requests(30), no_media)
    assert sorted(asked(server)) == list(range(30))


def test_a_budget_is_that_of_the_run_on_all_benchmarks(
    store: TableStore, server: ChatServer
) -> None:
    log(store, server.url, **PRICED).buy(requests(7), no_media)
    run = RunConfig("r", "openai_server", "direct", base_url=server.url, model="m", budget=1.0, **PRICED)  # fmt: skip
    elsewhere = CallLog(store, "c.r", "c", run, lambda: OpenAIServerEngine(run, QUICK))
    with pytest.raises(BudgetReachedError, match=r"\$0\.8540 of \$1\.00"):
        elsewhere.buy(requests(5, first=50), no_media)
    assert len(server.got) == 7
    # Another run's calls are not its own.
    other = replace(run, name="other")
    CallLog(store, "c.other", "c", other, lambda: OpenAIServerEngine(other, QUICK)).buy(
        requests(2, first=50), no_media
    )
    assert len(server.got) == 9


def showing(n_frames: int, name: str) -> Prompt:
    """A prompt that shows so many frames."""
    frames = tuple((0, at, float(at)) for at in range(n_frames))
    clip = Clip("query", "rec", "content", 0.0, 60.0, frames)
    recipe = canonical_json({"media": [clip.recipe()], "short_side_px": None})
    return replace(requests(1)[0], key=name, parts=("Which?", clip), media_recipe=recipe, asked_as="p/1")  # fmt: skip


def grey(_recording: str, _part: int, stamps: list[int]) -> list[np.ndarray]:
    return [np.zeros((8, 8, 3), np.uint8) for _ in stamps]


def test_a_budget_holds_where_later_prompts_are_longer_than_earlier_ones(
    store: TableStore, server: ChatServer
) -> None:
    def answer(body: dict[str, Any]) -> Say:
        n = sum(part["type"] == "image_url" for part in body["messages"][-1]["content"])
        usage = {"prompt_tokens": 50 + 300 * n, "completion_tokens": 2}
        return Say(body=completion(usage=usage), wait_s=0.05)

    server.answer = answer
    log(store, server.url, **PRICED).buy([showing(2, f"short{i}") for i in range(3)], grey)
    found = past_calls(store, "m").drop("seconds", "protocol").unique().to_dicts()
    assert found == [
        {"n_bytes": 6, "n_frames": 2, "prompt_tokens": 650, "completion_tokens": 2, "n_requests": 1}
    ]
    # $12.052 for each long call: one fits beside the $1.956 that are spent, and not two of what they may cost.
    tight: dict[str, Any] = PRICED | {"budget": 26.5, "max_frame_tokens": 320, "concurrency": 8}
    long = [showing(40, f"long{i}") for i in range(8)]
    with pytest.raises(
        BudgetReachedError, match=r"\$14\.0080 of \$26\.50.*up to \$12\.9.* at 320 tokens"
    ):
        log(store, server.url, **tight).buy(long, grey)
    assert len(server.got) == 4


def test_answers_that_cannot_be_used_are_paid_from_the_budget(
    store: TableStore, server: ChatServer
) -> None:
    server.script = [Say(), *[UNREADABLE] * 100]
    with pytest.raises(EngineUnavailableError):
        log(store, server.url, budget=1.0, concurrency=4, stop_after_failures=50, **PRICED).buy(
            requests(30), no_media
        )
    # Each attempt is asked for, not each prompt; what failed is stored, since it was billed.
    assert len(server.got) * 0.122 <= 1.0
    assert sum(dollars(store)) == pytest.approx(len(server.got) * 0.122, abs=0.01)


def test_what_a_failing_server_billed_is_stored_though_it_counts_as_not_asked(
    store: TableStore, server: ChatServer
) -> None:
    server.script = [UNREADABLE] * 100
    with pytest.raises(EngineUnavailableError, match="in a row"):
        log(store, server.url, stop_after_failures=2, max_attempts=1, **PRICED).buy(
            requests(5), no_media
        )
    assert sum(dollars(store)) == pytest.approx(len(server.got) * 0.122, abs=0.01)
    assert {row["failures"] for row in rows(store)} == {None}
    server.script = []
    log(store, server.url, max_attempts=1, **PRICED).buy(requests(5), no_media)
    assert [r["reply"] for r in rows(store) if r["status"] == "ok"] == ["B"] * 5
