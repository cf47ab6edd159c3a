"""Models that are shown less than a question shows: without video, and with one frame of each clip."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from assets.options import Options, silent
from assets.questions import guessing
from assets.questions.gating import STAGE as GATES
from assets.questions.gating import failed_guesses, planned_guesses
from assets.questions.guessing import Guesser
from assets.questions.kit.builder import builders
from assets.questions.kit.identity import question_hash
from assets.questions.stage import configured_builders
from expectations.checks.results import gates_check
from expectations.gates import EvidenceTables, Guesses, judge
from expectations.schemas import TABLES
from resources.config import ConfigError, Settings, load_settings
from resources.models import BUILT_IN, Capabilities
from resources.models.base import ask_each
from resources.models.prompt import Prompt
from tests.derivations.registry import fresh
from tests.installation import own_copy
from tests.resources.models.chat_server import ChatServer, Got, Say, chat_server, completion

Row = dict[str, Any]
COLOURS = ("red", "blue", "green", "grey")
WORDS = """
store = "tables"
[sources.s]
layout = "egoexolearn"
root = "raw"
[benchmarks.b]
sources = ["s"]
blind = "reader"
[runs.reader]
engine = "openai_server"
model = "m"
base_url = "{url}"
protocol = "blind"
max_attempts = 2
"""


# -- the gate `blind`: a model behind a server reads the words ---------------------------------------


def asked(name: str, text: str, answer: str = "B", options: tuple[str, ...] = COLOURS) -> Row:
    """A question with options in words."""
    rows = [
        {"letter": x, "text": t, "segment_id": None, "is_answer": x == answer}
        for x, t in zip("ABCD", options, strict=True)
    ]
    row = fresh("active_object").question
    media = row["media"]
    return row | {
        "benchmark": "b",
        "source": "s",
        "pool": "s/task@1/all",
        "subtask": "task",
        "recipe": "task@1",
        "question_id": name,
        "question_hash": question_hash(text, rows, media),
        "text": text,
        "options": rows,
        "answer": answer,
    }


TELLING = asked("telling", "What colour is the blue cup on the left?")
SOUND = asked("sound", "What colour is the cup on the left?")
REFERRING = asked("referring", "What is it?", options=("a", "b", "c", "none of the above"))


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as running:
        running.answer = _reads
        yield running


def _reads(body: dict[str, Any]) -> Say:
    """Name the option whose text the question holds, else the first one."""
    content = body["messages"][-1]["content"]
    text = content if isinstance(content, str) else content[-1]["text"]
    question, *lines = text.splitlines()
    options = dict(m.groups() for line in lines if (m := re.match(r"([A-D])\. (.+)", line)))
    named = [letter for letter, words in options.items() if f" {words} " in question]
    return Say(body=completion(f"The answer is {(named or ['A'])[0]}."))


def installed(tmp_path: Path, server: ChatServer, *rows: Row, more: str = "") -> Settings:
    """An installation whose table of questions holds these rows."""
    text = WORDS.format(url=server.url).replace('blind = "reader"', f'blind = "reader"\n{more}')
    (tmp_path / "parallax.toml").write_text(text)
    settings = load_settings(tmp_path / "parallax.toml")
    frame = TABLES["questions"].frame(list(rows))
    settings.store.replace(TABLES["questions"], "b", frame["pool"].unique().to_list(), frame)
    return settings


def verdicts(settings: Settings, *rows: Row) -> dict[str, Row]:
    """Ask, and judge by the gate `blind`: its verdict by question."""
    frame = TABLES["questions"].frame(list(rows))
    known = Guesser(settings, "b", "blind").guesses(frame, buy=True)
    made = judge(frame, EvidenceTables({}, guesses={"blind": known}))
    blind = made.filter(pl.col("gate") == "blind")
    return {row["question_id"]: row for row in blind.iter_rows(named=True)}


def test_a_question_whose_text_tells_is_refused_and_a_preferred_letter_refuses_none(
    tmp_path: Path, server: ChatServer
) -> None:
    settings = installed(tmp_path, server, TELLING, SOUND)
    found = verdicts(settings, TELLING, SOUND)
    told, sound = found["telling"], found["sound"]
    assert (told["verdict"], told["rule"], told["value"]) == ("refuse", "answered_blind", 1.0)
    # The server always says A where nothing is told: right in one order of four, whatever the key.
    assert (sound["verdict"], sound["value"], sound["threshold"]) == ("pass", 0.25, 0.625)
    assert {(row["orders"], row["model"] is not None) for row in found.values()} == {(4, True)}
    places = Counter(
        match.groups()
        for got in server.got
        for match in re.finditer(r"([A-D])\. (\w+)", got.texts()[-1])
    )
    assert set(places.values()) == {2}, "every option of both questions stood in every place once"
    assert len(places) == 16
    assert len(server.got) == 8


def test_what_was_asked_is_not_asked_again_and_other_orders_or_models_are(
    tmp_path: Path, server: ChatServer
) -> None:
    settings = installed(tmp_path, server, TELLING, more="option_orders = 2")
    (row,) = verdicts(settings, TELLING).values()
    assert (row["orders"], len(server.got)) == (2, 2)
    assert verdicts(settings, TELLING)["telling"] == row
    assert len(server.got) == 2
    settings = installed(tmp_path, server, TELLING, more="option_orders = 3\nchance_margin = 0.9")
    (row,) = verdicts(settings, TELLING).values()
    assert (row["orders"], row["threshold"]) == (3, pytest.approx(0.925))
    assert len(server.got) == 3, "two of the three orders were asked before"
    run = replace(settings.runs["reader"], model="another")
    other = replace(settings, runs={"reader": run})
    verdicts(other, TELLING)
    assert len(server.got) == 6


def test_a_failed_call_is_no_verdict_and_only_it_is_asked_again(
    tmp_path: Path, server: ChatServer
) -> None:
    settings = installed(tmp_path, server, TELLING)
    refusal = Say(400, {"error": {"message": "no", "type": "invalid_request_error"}})
    server.script = [Say(body=completion("B")), refusal]
    frame = TABLES["questions"].frame([TELLING])
    guesser = Guesser(settings, "b", "blind")
    assert guesser.guesses(frame, buy=True) == {}
    assert guesser.is_unsettled(TELLING["question_hash"])
    assert guesser.failed(due=True) == set(), "one run asks nothing twice"
    assert Guesser(settings, "b", "blind").failed(due=True) == {TELLING["question_hash"]}
    n = len(server.got)
    found = Guesser(settings, "b", "blind").guesses(frame, buy=True)[TELLING["question_hash"]]
    assert isinstance(found, Guesses)
    assert (found.orders, len(server.got)) == (4, n + 1)
    given = EvidenceTables({}, guesses={"blind": {}})
    (row,) = judge(frame, given).filter(pl.col("gate") == "blind").to_dicts()
    assert (row["verdict"], row["rule"]) == ("unknown", "not_asked")


def test_replies_that_name_nothing_decide_nothing(tmp_path: Path, server: ChatServer) -> None:
    server.answer = lambda _body: Say(body=completion("I cannot see any video."))
    (row,) = verdicts(installed(tmp_path, server, SOUND), SOUND).values()
    assert (row["verdict"], row["rule"], row["orders"]) == ("unknown", "not_read", 4)


def test_options_that_name_each_other_have_no_other_order(
    tmp_path: Path, server: ChatServer
) -> None:
    (row,) = verdicts(installed(tmp_path, server, REFERRING), REFERRING).values()
    assert (row["verdict"], row["rule"]) == ("unknown", "one_order")
    assert not server.got


def test_with_a_limit_those_of_lowest_hash_are_asked(tmp_path: Path, server: ChatServer) -> None:
    settings = installed(tmp_path, server, TELLING, SOUND, more="blind_limit = 1")
    found = verdicts(settings, TELLING, SOUND)
    lowest = min((TELLING, SOUND), key=lambda row: row["question_hash"])
    assert [name for name, row in found.items() if row["rule"] != "not_asked"] == [
        lowest["question_id"]
    ]
    assert len(server.got) == 4


@pytest.mark.parametrize(
    ("gate", "protocol", "said"),
    [
        ("blind", "open", "asks for answers in words; name one that offers options"),
        ("single_frame", "option_text", "sends no video, of which one frame could be shown"),
        ("single_frame", "direct+shuffled_frames", "cannot be asked so"),
    ],
)
def test_protocols_that_cannot_be_asked_so_are_refused(
    tmp_path: Path, server: ChatServer, gate: str, protocol: str, said: str
) -> None:
    settings = installed(tmp_path, server, SOUND, more='single_frame = "reader"')
    run = replace(settings.runs["reader"], protocol=protocol)
    with pytest.raises(ConfigError, match=said):
        Guesser(replace(settings, runs={"reader": run}), "b", gate)


# -- the gate `single_frame`: engines look at pictures -----------------------------------------------


RUNS = """
[runs.pixels]
engine = "pixel_statistics"
protocol = "direct"
[runs.weak]
engine = "weak"
protocol = "direct"
max_attempts = 2
"""
SUBTASK = "association_ego2exo_k5"
BENCHMARK = 'sources = ["sample-egoexolearn", "not-configured"]\n'


def configured(home: Path, **entries: Any) -> Settings:
    """Settings of a household with further keys of its benchmark, in place of those it had."""
    file = home / "parallax.toml"
    lines = "".join(f"{name} = {value}\n" for name, value in entries.items())
    before, after = file.read_text().split(BENCHMARK)
    file.write_text(before + BENCHMARK + lines + after[after.index("[runs.random]") :])
    return load_settings(file)


@pytest.fixture
def household(small_household: Path, tmp_path: Path) -> Path:
    """A small installation with three questions per unit, and models that see."""
    home = own_copy(small_household, tmp_path / "own", RUNS)
    store, table = load_settings(home / "parallax.toml").store, TABLES["questions"]
    rows = store.read(table, "egobridge").sort("question_hash")
    few = rows.group_by("pool", maintain_order=True).head(3).select(rows.columns)
    store.replace(table, "egobridge", few["pool"].unique().to_list(), few)
    return home


def judged(settings: Settings) -> pl.DataFrame:
    """Verdicts of the gate `single_frame`, after the gates were brought up to date."""
    GATES.refresh(settings, "egobridge", Options(), silent)
    rows = settings.store.read(TABLES["question_gates"], "egobridge")
    return rows.filter(pl.col("gate") == "single_frame").sort("question_id")


def n_calls(settings: Settings, run: str) -> int:
    return settings.store.read(TABLES["calls"], f"egobridge.{run}").height


def frames_sent(settings: Settings, run: str) -> list[list[int]]:
    """Frames per clip, of every call."""
    recipes = settings.store.read(TABLES["calls"], f"egobridge.{run}")["media_recipe"]
    return [[len(m["frames"]) for m in json.loads(recipe)["media"]] for recipe in recipes]


class Weak:
    """Names A of every question and looks at nothing; may fail where a test says so."""

    capabilities = Capabilities(images=True, ignores_media=True)
    model = "weak@1"

    def __init__(self) -> None:
        self.fails: set[str] = set()
        self.asked: list[Prompt] = []

    def ask(self, batch: Any, media: Any) -> list[Any]:
        return ask_each(batch, self._answer)

    def _answer(self, prompt: Prompt) -> tuple[str, None, None]:
        self.asked.append(prompt)
        if prompt.item in self.fails:
            raise ValueError("told to fail")
        return "A", None, None


@pytest.fixture
def weak(monkeypatch: pytest.MonkeyPatch) -> Weak:
    engine = Weak()
    monkeypatch.setitem(BUILT_IN, "weak", lambda run: engine)
    return engine


def test_without_a_model_the_gate_does_not_apply_and_it_is_said(household: Path) -> None:
    settings = configured(household)
    (report,) = GATES.refresh(settings, "egobridge", Options(), silent)
    gates = settings.store.read(TABLES["question_gates"], "egobridge")
    assert {"blind", "single_frame"}.isdisjoint(gates["gate"])
    assert "gates blind and single_frame do not apply: no model is configured" in report.sentence()
    assert planned_guesses(settings, "egobridge", Options()) == []
    said = gates_check(settings, "egobridge").metadata["gates not applied"].value
    assert said == "blind, single_frame"


def plant(settings: Settings) -> tuple[Row, pl.DataFrame]:
    """Give a question away: the answer's clip is made the query itself, so that whatever frame is sent tells."""
    rows = settings.store.read(TABLES["questions"], "egobridge").sort("question_hash")
    row = rows.filter(pl.col("subtask") == SUBTASK).row(0, named=True)
    query = next(m for m in row["media"] if m["role"] == "query")
    shown = f"option_{row['answer']}"
    row["media"] = [{**query, "role": shown} if m["role"] == shown else m for m in row["media"]]
    row["question_hash"] = question_hash(row["text"], row["options"], row["media"])
    planted = TABLES["questions"].frame([row])
    settings.store.replace(TABLES["questions"], "egobridge", [row["pool"]], planted)
    return row, planted


def _sees(body: dict[str, Any]) -> Say:
    """Name the option whose picture is the query's, else the first one."""
    query, *options = Got("", {}, body).images()
    alike = [np.array_equal(query, option) for option in options]
    return Say(body=completion("ABCDE"[alike.index(True)] if any(alike) else "A"))


def test_a_model_behind_a_server_is_shown_the_frames_and_what_it_costs_is_recorded(
    household: Path, server: ChatServer
) -> None:
    server.answer = _sees
    run = f"""
[runs.paid]
engine = "openai_server"
model = "m"
base_url = "{server.url}"
protocol = "direct"
benchmarks = ["egobridge"]
subtasks = ["{SUBTASK}"]
price_per_million_tokens = 1.0
"""
    file = household / "parallax.toml"
    file.write_text(file.read_text() + run)
    settings = configured(household, single_frame='"paid"')
    row, _ = plant(settings)
    others = set(settings.store.read(TABLES["questions"], "egobridge")["pool"]) - {row["pool"]}
    table = TABLES["questions"]
    settings.store.replace(table, "egobridge", sorted(others), table.empty())
    (verdict,) = judged(settings).to_dicts()
    assert (verdict["verdict"], verdict["value"], verdict["orders"]) == ("refuse", 1.0, 5)
    assert len(server.got) == 5
    assert {len(got.images()) for got in server.got} == {6}
    (costs,) = settings.store.read(TABLES["costs"], "egobridge.paid").to_dicts()
    assert (costs["n_calls"], costs["protocol"]) == (5, "direct+single_frame/2")
    judged(settings)
    assert len(server.got) == 5


def test_a_question_that_one_frame_gives_away_is_refused(household: Path) -> None:
    settings = configured(household, single_frame='"pixels"')
    row, planted = plant(settings)
    known = Guesser(settings, "egobridge", "single_frame").guesses(planted, buy=True)
    found = known[row["question_hash"]]
    assert isinstance(found, Guesses)
    assert found.named == (row["answer"],) * 5, "in every order"
    made = judge(planted, EvidenceTables({}, guesses={"single_frame": known}))
    (verdict,) = made.filter(pl.col("gate") == "single_frame").to_dicts()
    assert (verdict["verdict"], verdict["rule"]) == ("refuse", "answered_from_one_frame")
    assert (verdict["value"], verdict["orders"]) == (1.0, 5)
    assert verdict["model"].startswith("pixel-statistics@")
    assert frames_sent(settings, "pixels") == [[1] * 6] * 5, "one frame of each clip"


def test_a_model_without_eyes_is_right_by_chance_and_is_asked_once(
    household: Path, weak: Weak
) -> None:
    settings = configured(household, single_frame='"weak"', single_frame_limit=2)
    (plan,) = planned_guesses(settings, "egobridge", Options())
    found = judged(settings)
    asked = found.filter(pl.col("rule") != "not_asked")
    assert (found.height - asked.height) > 0, "beyond the limit nothing is asked, and it is said"
    assert set(asked["verdict"]) == {"pass"}
    # A stands for each of five options once.
    few = asked.filter(pl.col("subtask") == SUBTASK)
    assert set(few["value"]) == {0.2}
    assert few["threshold"].to_list() == pytest.approx([0.6] * few.height)
    assert set(asked["orders"]) == {5}
    assert set(asked["model"]) == {"weak@1"}
    assert len(weak.asked) == plan.n_asked == asked.height * 5 == n_calls(settings, "weak")
    assert {n for sent in frames_sent(settings, "weak") for n in sent} == {1}
    # Unchanged, nothing is asked and nothing computed.
    assert GATES.is_fresh(settings, "egobridge", Options())
    assert judged(settings).equals(found)
    assert len(weak.asked) == asked.height * 5
    assert [one.n_asked for one in planned_guesses(settings, "egobridge", Options())] == [0]
    # Another margin is another verdict on the same replies.
    strict = configured(
        household, single_frame='"weak"', single_frame_limit=2, chance_margin=0.0, option_orders=3
    )
    again = judged(strict).filter(pl.col("rule") != "not_asked")
    assert set(again["orders"]) == {3}
    assert {"refuse", "pass"} >= set(again["verdict"])
    assert len(weak.asked) == asked.height * 5, "three of five orders were asked before"
    # Another model is asked again.
    weak.model = "weak@2"
    assert set(judged(strict)["model"].drop_nulls()) == {"weak@2"}
    assert len(weak.asked) == asked.height * 8


def test_a_failed_call_is_no_verdict_and_is_asked_again(household: Path, weak: Weak) -> None:
    settings = configured(household, single_frame='"weak"', single_frame_limit=1, option_orders=2)
    rows = settings.store.read(TABLES["questions"], "egobridge")
    lowest = rows.sort("question_hash").group_by("subtask", maintain_order=True).first()
    (failing,) = lowest.filter(pl.col("subtask") == SUBTASK)["question_id"]
    weak.fails = {failing}
    found = judged(settings).filter(pl.col("question_id") == failing).to_dicts()
    assert [(row["verdict"], row["rule"]) for row in found] == [("unknown", "not_asked")]
    assert failed_guesses(settings, "egobridge") == {"single_frame": 1}
    assert not GATES.is_fresh(settings, "egobridge", Options())
    weak.fails = set()
    n = len(weak.asked)
    (row,) = judged(settings).filter(pl.col("question_id") == failing).to_dicts()
    assert (row["verdict"], row["orders"]) == ("pass", 2)
    assert len(weak.asked) == n + 2, "what was answered is not asked again"
    assert failed_guesses(settings, "egobridge") == {}
    assert GATES.is_fresh(settings, "egobridge", Options())


def test_what_one_frame_answers_by_design_is_not_asked(
    household: Path, weak: Weak, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = configured(household, single_frame='"weak"', single_frame_limit=1, option_orders=1)

    def declared(*args: Any) -> dict[str, Any]:
        built = configured_builders(*args)
        return {name: replace(builder, one_frame=True) for name, builder in built.items()}

    monkeypatch.setattr(guessing, "configured_builders", declared)
    found = judged(settings)
    assert set(found["rule"]) == {"one_frame_by_design"}
    assert set(found["verdict"]) == {"pass"}
    assert not weak.asked


def test_what_is_sent_as_one_frame_anyway_is_not_asked(household: Path, weak: Weak) -> None:
    stills = '[protocols.still]\nextends = "direct"\nsampling = "midpoints(1)"\n'
    file = household / "parallax.toml"
    file.write_text(file.read_text() + stills)
    settings = configured(household, single_frame='"weak"', single_frame_limit=1)
    run = replace(settings.runs["weak"], protocol="still")
    found = judged(replace(settings, runs={**settings.runs, "weak": run}))
    assert set(found["rule"]) == {"sent_as_one_frame"}
    assert set(found["verdict"]) == {"pass"}
    assert not weak.asked


def test_recipes_that_one_frame_answers_are_those_that_the_documentation_names() -> None:
    by_design: dict[bool, set[str]] = {True: set(), False: set()}
    for builder in builders().values():
        by_design[builder.one_frame].update(builder.subtasks)
    assert by_design[True].isdisjoint(by_design[False])
    text = Path("docs/questions.md").read_text(encoding="utf-8")
    _, _, named = text.partition("`sent_as_one_frame`). These are ")
    assert set(re.findall(r"`(\w+)`", named.partition("How well")[0])) == by_design[True]
