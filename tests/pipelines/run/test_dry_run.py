"""What a dry run finds out: that it tells the truth, and changes nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from assets.options import Options
from assets.predictions.stage import STAGE as PREDICTIONS
from assets.scores.stage import STAGE as SCORES
from expectations.schemas import TABLES
from pipelines.run.dry_run import DryRun, PlannedStage, dry_run, plan_lines
from pipelines.run.estimates import estimate_lines
from pipelines.run.steps import Scope, steps
from resources.config import Settings, load_settings
from resources.errors import UnknownName
from resources.media.crops import SHARE, Crop
from resources.models import BUILT_IN
from resources.models.costs.estimate import PlannedCalls, estimate
from resources.models.costs.forecast import picture_tokens
from resources.models.prompt import Clip, Prompt
from resources.models.runs import RunConfig
from resources.store.incremental import Pending, Plan
from resources.store.ledger import Entry
from resources.worlds import HouseholdSpec
from tests.installation import CONFIG, install

OTHER = """
[runs.other]
engine = "paid"
protocol = "direct"
limit = 4
prompt_price = 1
completion_price = 1
"""
KEY = "egobridge.other"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small installation, updated without Dagster."""
    spec = HouseholdSpec(ego=2, exo=2, render="small")
    base = install(tmp_path_factory.mktemp("dry") / "home", spec)
    settings = load_settings(base / "parallax.toml")
    for step in steps(settings, Scope()):
        for stage in step.stages:
            stage.refresh(settings, step.partition, Options(), lambda _step: lambda *_: None)
    return base


@pytest.fixture
def settings(home: Path) -> Settings:
    """The installation as it was updated; a test that changes its files puts them back."""
    (home / "parallax.toml").write_text(CONFIG)
    return load_settings(home / "parallax.toml")


def contents(home: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path.relative_to(home)): (path.stat().st_mtime_ns, path.read_bytes())
        for path in home.rglob("*")
        if path.is_file() and path.suffix != ".mp4"
    }


def planned(found: DryRun) -> dict[str, PlannedStage]:
    return {f"{stage.stage} of {stage.partition}": stage for stage in found.stages}


def test_where_nothing_changed_nothing_is_planned_but_the_report(settings):
    found = dry_run(settings, Scope(), Options())
    assert [stage.stage for stage in found.stages if not stage.is_fresh] == ["page"]
    report, last = plan_lines(found)
    assert report == "page of egobridge: 1 missing, 0 up to date"
    fresh = len(found.stages) - 1
    assert last.endswith(f"1 units to compute; {fresh} stages up to date; 0 model calls to ask")


def test_a_run_that_was_not_asked_is_planned_with_its_calls_and_then_makes_exactly_these(
    home, settings, monkeypatch
):
    # A guess has no price; an engine of a plug-in may have one.
    monkeypatch.setitem(BUILT_IN, "paid", BUILT_IN["random"])
    (home / "parallax.toml").write_text(CONFIG + OTHER)
    settings = load_settings(home / "parallax.toml")
    before = contents(home)
    found = dry_run(settings, Scope(runs=("other",)), Options())
    said = list(plan_lines(found))
    assert contents(home) == before
    assert not (home / ".dagster").exists()
    replies, answers, costs = planned(found)[f"predictions of {KEY}"].pending
    assert (replies.changes, replies.up_to_date) == ({"new": 4}, 0)
    assert answers.depends_on == costs.depends_on == ("replies",)
    assert planned(found)[f"scores of {KEY}"].depends_on == (f"predictions of {KEY}",)
    (call,) = found.calls
    assert (call.purpose, call.n_asked, call.n_from_log) == (KEY, 4, 0)
    asking = f"calls of {KEY} to other (paid): 4 to ask, 0 answered from the log; "
    assert [line for line in said if line.startswith(asking)]
    assert said[-1].startswith("dry run, nothing was changed: 4 units to compute")

    # What was foretold is what happens, and then there is nothing more to do.
    report, *_ = PREDICTIONS.refresh(settings, KEY, Options(), lambda _step: lambda *_: None)
    assert len(report.computed) == report.calls.asked == call.n_asked
    SCORES.refresh(settings, KEY, Options(), lambda _step: lambda *_: None)
    again = dry_run(settings, Scope(runs=("other",), only=True), Options())
    assert planned(again)[f"predictions of {KEY}"].is_fresh
    assert again.calls == ()


def test_what_lies_behind_a_change_is_not_counted(home, settings):
    meta = home / "sample" / "video_meta_downsampled.json"
    as_it_was = meta.read_text()
    rows = json.loads(as_it_was)
    rows[0]["num_frames"] += 25.0
    meta.write_text(json.dumps(rows))
    try:
        before = contents(home)
        found = dry_run(settings, Scope(), Options())
        by_stored = dry_run(settings, Scope(), Options(), as_stored=True)
        assert contents(home) == before
    finally:
        meta.write_text(as_it_was)
    stages = planned(found)
    (files, *parts) = stages["sources of sample-egoexolearn"].pending
    assert files.changes == {"files new or changed": 1}
    assert [share.name for share in parts if share.changes] == ["sources.recordings"]
    frames = stages["frames of sample-egoexolearn"]
    assert frames.depends_on == ("sources of sample-egoexolearn",)
    assert frames.pending == ()
    assert found.calls == ()
    assert found.uncounted == (
        "egobridge.random: depends on questions and frames, at most 20 (the limit of run random)",
    )
    assert "more may follow" in list(plan_lines(found))[-1]
    # An estimate counts what is stored: all of it was asked.
    assert by_stored.uncounted == () and by_stored.calls == ()


def test_unknown_names_are_refused_as_by_a_run(settings):
    with pytest.raises(UnknownName, match="nope"):
        dry_run(settings, Scope(), Options(subtasks=("nope",)))
    with pytest.raises(UnknownName, match="nope"):
        dry_run(settings, Scope(only=True), Options(recordings=("nope",)))


# -- reasons and costs -----------------------------------------------------------------------------


def entry(unit: str, input_hash: str = "old", status: str = "ok", code: str = "now") -> Entry:
    return Entry(unit, input_hash, status, "content", 0, {}, code)


@pytest.mark.parametrize(
    ("stored", "why"),
    [
        (None, "new"),
        (entry("u", status="writing", input_hash=""), "interrupted"),
        (entry("u", input_hash=""), "failed before"),
        (entry("u", input_hash="new"), "failed before"),
        (entry("u"), "inputs changed"),
        (entry("u", code="before"), "code changed"),
        (entry("u", code=""), "inputs or code changed"),
    ],
)
def test_every_unit_is_planned_with_its_reason(stored, why):
    entries = {} if stored is None else {"u": stored}
    plan = Plan({"u": "new"}, ("u",), ("gone", "too"), (), (), entries, lambda _unit: "now")
    assert plan.changes() == {why: 1, "deleted": 2}


def test_where_code_is_not_recorded_nobody_claims_to_know():
    plan = Plan({"u": "new"}, ("u",), (), (), (), {"u": entry("u")}, lambda _unit: "")
    assert plan.changes() == {"inputs or code changed": 1}


def run(**settings) -> RunConfig:
    return RunConfig(name="r", engine="random", protocol="direct", concurrency=2, **settings)


def past(
    *rows: tuple[str, int | None, int | None, float], n_bytes: int = 400, n_frames: int = 0
) -> pl.DataFrame:
    """Past calls: protocol, tokens read and written, seconds; each with so much text and so many frames."""
    schema = {
        name: TABLES["calls"].schema[name]
        for name in ("protocol", "prompt_tokens", "completion_tokens", "seconds")
    }
    calls = pl.DataFrame(list(rows), schema=schema, orient="row")
    return calls.with_columns(
        n_bytes=pl.lit(n_bytes), n_frames=pl.lit(n_frames), n_requests=pl.lit(1)
    )


def served(**settings) -> RunConfig:
    where = {"base_url": "http://127.0.0.1:1/v1", "model": "m", "concurrency": 2}
    where["engine"] = "openai_server"
    return RunConfig(name="r", protocol="direct", **(where | settings))


def test_past_calls_tell_what_texts_and_frames_need_and_not_how_many_there_are():
    price = {"price_per_million_tokens": {"prompt": 2.5, "completion": 10.0}}
    calls = counted(2_000, 300, 80_000, **price)
    blind = past(("direct+blind/1", 100, 4, 0.4))
    # A call without frames says nothing of frames, nor of replies under another protocol.
    cost, unasked = estimate(calls, blind), estimate(calls, past())
    assert cost == unasked and cost is not None
    assert (cost.prompt_tokens, cost.completion_tokens, cost.seconds) == (82_000, 160, None)
    assert cost.frames_by == "size" and cost.dollars == pytest.approx(82_000 * 2.5e-6 + 160e-5)
    # One with frames does, of as many as are sent: 500 tokens each beside a text of 100 and its template.
    other = past(("cot/1", 1_116, 90, 9.0), n_frames=2)
    by_others = estimate(calls, pl.concat([blind, other]))
    assert by_others is not None and by_others.frames_by == "other protocols"
    assert by_others.prompt_tokens == 2_000 + 10 * 16 + 300 * 500
    assert (by_others.completion_tokens, by_others.seconds) == (160, None)
    alike = past(("direct/1", 716, 5, 2.0), n_frames=2)
    best = estimate(calls, pl.concat([blind, other, alike]))
    assert best is not None and (best.n_past, best.same_protocol) == (1, True)
    assert best.prompt_tokens == 2_000 + 10 * 16 + 300 * 300 and best.completion_tokens == 50
    # Texts alone: by tokens per byte.
    texts = estimate(counted(2_000), past(("cot/1", 200, 4, 0.4)))
    assert texts is not None and texts.prompt_tokens == 2_000 * 4 * 200 / 400


def test_options_that_a_server_scores_count_each_request_of_them():
    shown = Clip("query", "r1", "c", 0.0, 1.0, ((0, 0, 0.0), (0, 5, 0.5)))
    prompt = Prompt("k", ("Which one?", shown), likelihood="sum", choices=("A", "B"), choice_texts=("left", "right"))  # fmt: skip
    sizes = {("r1", 0): (280, 280)}
    local, remote = (
        PlannedCalls.of(KEY, spec, "m", "direct/1", [prompt], lambda _: True, sizes)
        for spec in (run(), served(engine="vllm", price_per_million_tokens=1))
    )
    assert (local.n_requests, local.n_frames, local.n_frames_sent, local.frame_tokens) == (
        1,
        2,
        2,
        200,
    )
    assert (remote.n_requests, remote.n_frames, remote.n_frames_sent, remote.frame_tokens) == (3, 2, 6, 600)  # fmt: skip
    assert remote.text_bytes == 3 * len("Which one?")
    assert remote.dearest is not None and remote.dearest >= 3 * 2 * 2_000 / 1e6


def test_frames_that_a_model_merges_in_videos_count_once(tmp_path):
    def clip(role: str, n: int) -> Clip:
        return Clip(role, "r1", "c", 0.0, 4.0, tuple((0, at, float(at)) for at in range(n)))

    video = Prompt("v", ("What?", clip("query", 5)))
    # Of two clips with times of their own, vLLM takes single images.
    images = Prompt("i", ("What?", clip("query", 5), clip("reference", 3)))
    sizes = {("r1", 0): (280, 280)}

    def tokens(prompt: Prompt, **settings) -> int | None:
        spec = served(model=str(tmp_path), **settings)
        return PlannedCalls.of(KEY, spec, "m", "p/1", [prompt], lambda _: True, sizes).frame_tokens

    assert tokens(video, engine="vllm") == 500
    (tmp_path / "preprocessor_config.json").write_text('{"temporal_patch_size": 2}')
    assert tokens(video, engine="vllm") == tokens(video, video=True) == 300
    assert tokens(images, engine="vllm") == 800 and tokens(video) == 500


@pytest.mark.parametrize(
    ("spec", "seconds"),
    [
        # A call a second; 10 of them.
        (served(concurrency=4), 2.5),
        (served(concurrency=4, requests_per_minute=20), 30.0),
        (served(concurrency=4, tokens_per_minute=3_000), 60 * 10 * (100 + 5) / 3_000),
        (served(concurrency=4, requests_per_minute=6_000), 2.5),
        # In process, each call has its share of the time already.
        (run(), 10.0),
        (RunConfig("r", "vllm", "direct", model="m", python="python3"), 10 / 16),
    ],
)
def test_the_time_follows_from_what_overlaps_and_from_the_limits_per_minute(spec, seconds):
    calls = replace(counted(1_000), run=spec)
    cost = estimate(calls, past(("direct/1", 100, 5, 1.0)))
    assert cost is not None and cost.seconds == pytest.approx(seconds) and not cost.seconds_at_least


def test_limits_tell_the_least_time_of_a_model_that_was_never_asked(settings):
    calls = replace(counted(1_000), run=served(requests_per_minute=2))
    cost = estimate(calls, past())
    assert cost is not None and (cost.seconds, cost.seconds_at_least) == (300.0, True)
    _, row, *_ = estimate_lines(settings, DryRun((), (calls,), (cost,)))
    assert "≥ 5 min" in row
    told = next(line for line in plan_lines(DryRun((), (calls,), (cost,))) if "to ask" in line)
    assert "at least 5 min" in told


def test_a_budget_that_the_last_calls_may_not_fit_is_no_all_clear(settings):
    calls = counted(2_000, price_per_million_tokens=1_000, budget=3.0)
    said = []
    for one in (replace(calls, dearest=0.5), replace(calls, dearest=1.5)):
        *_, last = estimate_lines(settings, DryRun((), (one,), (estimate(one, past()),)))
        said.append(last)
    assert said[0].endswith("the rest is enough for this")
    assert said[1].endswith("each is made only while up to $1.50 for it are left")


def test_the_cost_follows_from_calls_of_the_same_protocol_where_there_are_any():
    calls = PlannedCalls("p", served(prompt_price=2.0, completion_price=10.0), "m", "direct/1", 10)
    cost = estimate(
        calls, past(("direct/1", 100, 4, 1.0), ("direct/1", 300, 8, 3.0), ("cot/1", 9_000, 900, 60))
    )
    assert cost is not None and cost.n_past == 2 and cost.same_protocol
    assert (cost.prompt_tokens, cost.completion_tokens) == (2_000, 60)
    assert cost.seconds == 10 * 2.0 / 2
    assert cost.dollars == pytest.approx((2_000 * 2.0 + 60 * 10.0) / 1e6)
    # Where nobody counted what is sent, calls under other protocols tell nothing.
    assert estimate(calls, past(("cot/1", 9_000, 900, 60.0))) is None


def test_no_price_is_made_up():
    unpriced = PlannedCalls("p", run(), "m", "direct/1", 10)
    cost = estimate(unpriced, past(("direct/1", 100, 4, 1.0)))
    assert cost is not None and cost.dollars is None
    priced = PlannedCalls("p", run(prompt_price=2.0, completion_price=1.0), "m", "direct/1", 10)
    untold = estimate(priced, past(("direct/1", None, None, 1.0)))
    assert untold is not None and untold.dollars is None and untold.prompt_tokens is None
    assert estimate(priced, past()) is None


def test_costs_and_reasons_are_said_in_words():
    calls = PlannedCalls(
        KEY, run(prompt_price=2.0, completion_price=10.0), "m", "direct/1", 1_000, 3
    )
    cost = estimate(calls, past(("direct/1", 2_000, 4, 1.0)))
    unknown = PlannedCalls("gate blind of egobridge", run(), "n", "direct/1", 2)
    parts = (
        Pending("files", {"files new or changed": 2}),
        Pending("sources.boxes", {"files or code changed": None}),
        Pending("sources.events", depends_on=("sources.recordings",)),
        Pending("sources.people", up_to_date=3),
    )
    found = DryRun(
        (
            PlannedStage("sources", "house", parts),
            PlannedStage("frames", "house", depends_on=("a of b", "c of d", "e of f", "g of h")),
            PlannedStage("labels", "house", (Pending("labels", {"deleted": 1, "new": 2}),)),
            PlannedStage("predictions", "x.y", problem="no server at \x1b[1m"),
            PlannedStage("scores", "x.y", (Pending("scores", up_to_date=1),)),
        ),
        (calls, unknown),
        (cost, None),
    )
    assert list(plan_lines(found)) == [
        "sources of house: files 2 files new or changed, 0 up to date; sources.boxes files or code "
        "changed (how many units shows when files are read), 0 up to date; sources.events depends on "
        "sources.recordings",
        "frames of house: depends on a of b, c of d, e of f and 1 more",
        "labels of house: 1 deleted, 2 new, 0 up to date",
        "predictions of x.y: cannot be updated: no server at \\x1b[1m",
        f"calls of {KEY} to r (random): 1000 to ask, 3 answered from the log; roughly 2,000,000 tokens "
        "read, 4,000 tokens written, 16 min 40 s, $4.04 (by 1 past calls of this model under this protocol)",
        "calls of gate blind of egobridge to r (random): 2 to ask, 0 answered from the log; no past "
        "call of this model to judge the cost by",
        "dry run, nothing was changed: 2 units to compute, and what 1 stages behind them turn out to "
        "need; 1 stages up to date; 1,002 model calls to ask",
    ]


# -- estimates -------------------------------------------------------------------------------------


def counted(
    tokens: int, frames: int = 0, frame_tokens: int | None = None, **settings
) -> PlannedCalls:
    return PlannedCalls(
        KEY,
        run(**settings),
        "m",
        "direct/1",
        10,
        3,
        10,
        frames,
        tokens,
        False,
        160,
        frame_tokens,
        text_bytes=4 * tokens,
        n_requests=10,
        n_frames_sent=frames,
    )


def test_a_model_that_was_never_asked_is_estimated_by_its_texts():
    cost = estimate(counted(2_000, price_per_million_tokens=10), past())
    assert cost is not None and (cost.n_past, cost.seconds) == (0, None)
    assert (cost.prompt_tokens, cost.completion_tokens) == (2_000, 160)
    assert cost.dollars == pytest.approx(2_160 * 10 / 1e6)


def test_frames_for_a_model_that_was_never_asked_count_by_their_size():
    frames = tuple((0, pts, pts / 10) for pts in range(4))
    whole = Clip("query", "r1", "c", 0.0, 1.0, frames)
    cut = replace(whole, recording_id="r2", crops=(Crop("centre", 0.5, 0.5),) * 4)
    unstated = replace(whole, recording_id="r3")
    prompts = [
        Prompt("a", ("What is it?", whole, cut), short_side_px=224, max_tokens=16),
        Prompt("b", (unstated,), max_tokens=16),
        Prompt("c", (whole,), max_tokens=16),
    ]
    sizes = {("r1", 0): (448, 224), ("r2", 0): (1000, 500)}

    def planned(known):
        return PlannedCalls.of(KEY, run(), "m", "direct/1", prompts, lambda key: key != "c", known)

    calls = planned(sizes)
    side = sizes["r2", 0][1] * SHARE
    assert calls.n_frames == 12 and side > 224
    assert calls.frame_tokens == 4 * 16 * 8 + 4 * 8 * 8 + 4 * picture_tokens(None, None)
    cost = estimate(calls, past())
    assert cost is not None and not cost.lacks_frames
    assert cost.prompt_tokens == (calls.text_tokens or 0) + (calls.frame_tokens or 0)
    unsized = estimate(planned(None), past())
    assert unsized is not None and unsized.lacks_frames
    assert planned(None).frame_tokens is None
    assert picture_tokens((100, 50), 224) == 4 * 2


def test_the_line_of_a_priced_run_says_that_frames_count_by_size(settings):
    calls = counted(500, 80, 9_500, price_per_million_tokens=1_000, budget=100.0)
    cost = estimate(calls, past())
    _, row, together, *_, budget = estimate_lines(settings, DryRun((), (calls,), (cost,)))
    assert " 10,000 " in row and row.endswith("the length of the texts and the size of frames")
    assert together.endswith("in 10 calls frames are priced by their size alone")
    assert budget.endswith("the rest is enough for this if frames cost what their size suggests")


def test_an_estimate_is_a_table_that_says_where_its_numbers_come_from(settings):
    spec = {"price_per_million_tokens": 1_000, "budget": 3.0}
    known, new, shows = counted(2_000), counted(2_000, **spec), counted(500, 80, **spec)
    found = DryRun(
        (PlannedStage("frames", "house", depends_on=("sources of house",)),),
        (known, new, shows),
        (
            estimate(known, past(("direct/1", 100, 4, 6.0))),
            estimate(new, past()),
            estimate(shows, past()),
        ),
        ("x.y: depends on questions",),
    )
    head, first, second, third, *rest = estimate_lines(settings, found)
    assert head.split("  ")[0] == "calls of"
    assert "no price" in first and first.endswith("1 past calls under this protocol")
    assert " 2,000 " in second and "≤ 160" in second and second.endswith("the length of the texts")
    assert "500 + frames" in third and "0.66 + frames" in third
    assert rest == [
        "together 30 calls, $2.82; of 20 calls nobody can tell the whole price yet",
        "9 calls are answered from the log and cost nothing",
        "counted by what is stored: 1 stages depend on others that are to be updated before, and may"
        " change it",
        "not counted: x.y: depends on questions",
        "run r: $0.00 of its budget of $3.00 are spent; nobody can tell yet whether the rest is enough",
    ]
    less = replace(new, run=run(price_per_million_tokens=1_000, budget=1.0))
    *_, last = estimate_lines(settings, DryRun((), (less,), (estimate(less, past()),)))
    assert last.endswith("the rest is not enough for this: the run would stop")


def test_a_tokenizer_on_this_machine_counts_texts(tmp_path):
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = Tokenizer(models.WordLevel({"a": 0, "b": 1, "?": 2}, unk_token="?"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    words.save(str(tmp_path / "tokenizer.json"))
    prompts = [Prompt("k1", ("a b a",), system="b"), Prompt("k1", ("a b a",)), Prompt("k2", ("a",))]
    spec = RunConfig("r", "openai_server", "direct", model=str(tmp_path))
    found = PlannedCalls.of("p", spec, "m", "direct/1", prompts, lambda key: key == "k1")
    assert (found.n_asked, found.n_from_log, found.text_tokens, found.by_tokenizer) == (
        1,
        1,
        4,
        True,
    )
    (tmp_path / "tokenizer.json").write_text("{")
    found = PlannedCalls.of("p", spec, "m", "direct/1", prompts, lambda key: True)
    assert (found.n_asked, found.by_tokenizer) == (2, False)
