"""The static pages: complete, self-contained, and deaf to what data would like them to be."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from assets.report.cards import evidence_keys, shown_questions, state_of
from assets.report.chain_rows import ChainMetric, ChainRow
from assets.report.model import funnel, refusals, refused_by
from assets.report.parts import Frame, FrontEntry, Strip
from assets.report.render import file_name, jpeg_uri, render_front, render_page
from assets.report.rows import Marks, place_of, row_key, strip_of, thinned
from assets.scores.table import score
from expectations.schemas import TABLES
from resources.media.overlays import Overlay
from resources.models.prompt import Clip
from tests.assets.report.page_reader import Page
from tests.assets.report.report_sample import (
    HOSTILE,
    candidates,
    costs,
    gates,
    jpeg,
    model,
    quarantine,
    questions,
    replies,
    strips,
    strips_everywhere,
)


def test_page_says_it_all() -> None:
    page = Page(render_page(model()))
    for said in (
        "These scores test the machine, not the models",
        "8 questions, 6 with all their media here",
        "at most 2 questions that no gate refuses and 1 that one does",
        "5 of 8 are on this page",
        "recipe@1",
        "the second",
        "Both show a lid.",
        "A lid moves. e7",
        "says it",
        "file.csv",
        "row 7",
        "3.25 degrees to the border",
        "sector border",
        "2 of 8 frames sent, midpoints(8)",
        "Name the letter.",
        "100.0",
        "4 unparsed",
        "8 unparsed",
        "chance 33.3",
        "n 8 from 4 recordings",
        "refused",
        "segment ends before its start",
        "fine_0.csv · 12 · -3.2",
        "correct the times",
        "I cannot determine it.",
        "✓ right option",
        "id-k30",
        "seg-option_C",
        "c0ffee",
        "pairs pair7",
        "key-good-id-k30",
        "model@7",
        "Eight frames.",
        "absent",
    ):
        assert said in page.text, said


def test_page_says_of_each_run_what_was_sent() -> None:
    calls = replies(questions())[0].sort("run", "call_key").with_row_index()
    first = pl.col("index") % 8 < 3
    calls = calls.with_columns(
        clips_sent_as=pl.when(pl.col("run") != "good").then(pl.lit("images")).when(first).then(pl.lit("videos")).otherwise(pl.lit("both")),
        asked_without=pl.when((pl.col("run") == "good") & first).then(pl.lit(["temperature", "json_schema"])).otherwise(pl.lit([], pl.List(pl.String))),
    ).drop("index")  # fmt: skip
    # Calls that failed, or that another model answered, say nothing of it.
    failed = calls.head(1).with_columns(status=pl.lit("error"), clips_sent_as=pl.lit("images"))
    older = calls.head(1).with_columns(model=pl.lit("former"), asked_at=pl.lit("2025"))
    page = Page(
        render_page(model(calls=pl.concat([calls, failed, older]), run_notes={"lost": "Greedy."}))
    )
    text = " ".join(page.text.split())
    assert (
        "good Clips were sent as videos in 3 calls, as videos and single images together in 5 calls."
        " `json_schema` was not sent in 3 of 8 calls. `temperature` was not sent in 3 of 8 calls."
    ) in text
    # Runs under one protocol are told apart.
    assert "lost Greedy. Clips were sent as single images." in text
    assert "were sent" not in Page(render_page(model())).text


def test_answers_in_words_that_mean_the_same_stand_below_the_score() -> None:
    scores = score(replies(questions())[1])
    matched = scores.filter(pl.col("run") == "good").with_columns(
        metric=pl.lit("matched_accuracy"), value=pl.lit(0.625)
    )
    unknown = matched.with_columns(slice=pl.lit("macro"), value=pl.lit(None, dtype=pl.Float64))
    rows = pl.concat([scores, matched.filter(slice="micro"), unknown.head(1)])
    page = Page(render_page(model(scores=rows)))
    assert page.text.count("62.5 % in words that mean the same") == 1
    assert page.text.count("in words that mean the same") == 1
    assert "in words that mean the same" not in Page(render_page(model())).text


def test_outcomes_of_chains_have_a_section_of_their_own() -> None:
    metric = ChainMetric(value=0.4, low=0.1, high=0.8, n=5, chance=0.125)
    outcomes = {"unparsed": 1, "wrong_length": 0, "wrong_steps": 2, "right_steps": 2}
    metrics = {
        "chain_steps": metric,
        "chain_directions": replace(metric, value=None, low=None, n=0, chance=None),
    }
    row = ChainRow("good", "chain_of_actions", outcomes, ((0, 2, 1), (2, 2, 1)), metrics)
    text = " ".join(Page(render_page(replace(model(), chains=(row,)))).text.split())
    assert (
        "good chain of actions 1 0 2 2 0 of 2: 1, 2 of 2: 1 40.0 % n 5, 10.0 to 80.0, chance 12.5"
        in text
    )
    assert "no value n 0" in text
    assert "Wrong length" not in Page(render_page(model())).text


def test_a_judged_score_stands_beside_the_errors_of_its_judge() -> None:
    page = Page(render_page(model()))
    rows = [row.split() for row in page.text.split("judged accuracy, %")]
    new, strict = (" ".join(row) for row in rows[1:])
    assert new.startswith("new parity judge@1 not tested: nothing is known of its errors")
    assert "no value n judged 7, 3 by rule 2 unjudged" in new
    assert strict.startswith(
        "strict judge@1 0.0 % of 18 right answers called wrong 12.5 % of 24 wrong answers called right"
        " 25.0 % of 12 attempts to turn it that succeed"
        " 50.0 % of 20 faulty rationales marked as high as the reference 1 without a verdict"
    )
    assert "62.5 31.2 to 62.5 n judged 7" in strict
    assert "reasoning score R, of 5" in strict and "3.25 1.62 to 3.25" in strict
    assert "new, strict open 5 1 0.80 0.55 0 – – –" in strict


def test_a_card_shows_what_judges_decided_of_each_reply() -> None:
    card = " ".join(Page(render_page(model())).text.split("Judges (2 verdicts)")[1].split())
    assert "good strict open wrong rule judge 1.5 no lid The judge's reply as it came I say" in card
    assert "good, reply 2 strict open unjudged rule judge no lid" in card


def test_a_card_says_that_its_clip_shows_what_is_asked_to_come_next() -> None:
    note = "The clip already shows the beginning of what is asked to come next"
    for visible, n in ((True, 1), (False, 0), (None, 0)):
        (asked,) = questions().filter(pl.col("question_id") == "id-k32").to_dicts()
        row = TABLES["questions"].frame([asked | {"answer_visible": visible}])
        others = questions().filter(pl.col("question_id") != "id-k32")
        page = Page(render_page(model(questions=pl.concat([row, others]), per_subtask=8)))
        assert page.text.count(note) == n


def test_domains_and_their_mean_stand_after_the_other_means() -> None:
    asked = questions()
    _, answers = replies(asked)
    named = ("wards", "works")
    domains = {uid: named[i % 2] for i, uid in enumerate(asked["question_id"])}
    built = model(scores=score(answers, domains=domains), domains=named)
    assert built.slices == ("macro", "micro", "macro_domains", *named, "k3", "k4")
    assert "macro domains weighs domains alike" in " ".join(Page(render_page(built)).text.split())
    plain = model()
    assert plain.slices == ("macro", "micro", "k3", "k4")
    assert "weighs domains alike" not in Page(render_page(plain)).text


def test_costs_stand_beside_what_was_estimated() -> None:
    page = Page(render_page(model()))
    table = page.text.split("Estimated for actual")[1]
    assert (
        "dear direct/1 some-vlm 4 6 2 12,000 read, 800 of them cached, 90 written; 1 replies not"
        " counted 3 min $0.12 9,500 read for 9,000, 64 written for 70, $0.10 for $0.10 (3 replies)"
    ) in table
    assert "free direct/1 random 4 4 0 not counted under a minute no price stated –" in table
    assert "Estimated for actual" not in Page(render_page(model(costs=None))).text


def test_costs_of_judges_stand_behind_those_of_the_runs() -> None:
    own = costs()
    judge = own.filter(run="dear").with_columns(
        benchmark=pl.lit("texts.judging"), run=pl.lit("a-judge"), protocol=pl.lit("judging/1")
    )
    other = own.with_columns(benchmark=pl.lit("other"), run=pl.lit("a-run-of-another"))
    table = Page(render_page(model(costs=pl.concat([judge, other, own])))).text
    table = table.split("Estimated for actual")[1]
    assert "a-judge judging, for all benchmarks judging/1 some-vlm 4 6 2" in table
    assert table.index("free direct/1") < table.index("a-judge judging")
    assert "a-run-of-another" not in table


def test_without_judges_nothing_is_said_of_them() -> None:
    page = Page(render_page(model(judged_scores=None, agreements=None, judgements=None)))
    for word in ("Judged scores", "Agreement of judges", "Judges ("):
        assert word not in page.text


def _policy(page: Page) -> dict[str, list[str]]:
    said = [a["content"] or "" for t, a in page.tags if t == "meta" and "http-equiv" in a]
    assert len(said) == 1
    parts = [part.split() for part in said[0].split(";")]
    return {part[0]: part[1:] for part in parts}


def _hash(html: str, tag: str) -> str:
    """Hash as a browser takes it: of all between the tags."""
    text = re.search(f"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
    assert text is not None
    return f"'sha256-{base64.b64encode(hashlib.sha256(text[1].encode()).digest()).decode()}'"


FRONT = [FrontEntry("b", "Bench", 8, 3, ("k3", "k4"), model().runs, is_sample=True, written=True)]


@pytest.mark.parametrize("html", [render_page(model()), render_front("Parallax", "pages", FRONT)])
def test_page_needs_nothing_from_outside(html: str) -> None:
    page = Page(html)
    assert page.count("link") == page.count("iframe") == page.count("object") == 0
    assert page.count("script") == page.count("style") == 1
    assert not any("style" in a or name.startswith("on") for _, a in page.tags for name in a)
    sources = [a["src"] or "" for _, a in page.tags if "src" in a]
    assert len(sources) == (4 if "id-k32" in html else 0)
    assert all(s.startswith("data:image/jpeg;base64,") for s in sources)
    links = [a["href"] or "" for t, a in page.tags if "href" in a]
    assert all(re.fullmatch(r"#[\w-]+|(\.\./)?(\w+/)?\w+\.html(#subtask=\w+)?", x) for x in links)
    for word in ("http://", "https://", "url(", "@import", "fetch(", "innerHTML", "eval("):
        assert word not in html


@pytest.mark.parametrize("html", [render_page(model()), render_front("Parallax", "pages", FRONT)])
def test_policy_allows_this_page_its_own_script_and_style_alone(html: str) -> None:
    policy = _policy(Page(html))
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == ["'none'"]
    assert policy["img-src"] == ["data:"]
    assert policy["script-src"] == [_hash(html, "script")]
    assert policy["style-src"] == [_hash(html, "style")]


def test_frames_are_labelled_in_the_clock_of_their_question() -> None:
    """A question asks about 14 s of its clip: no frame over it may say 82 s."""
    asked = questions().with_columns(
        media=pl.col("media").list.eval(
            pl.element().struct.with_fields(start_s=pl.lit(68.0), end_s=pl.lit(83.0))
        )
    )
    frames = tuple(Frame(jpeg(), t_s, 4 / 3) for t_s in (67.99, 82.0))
    shown = {key: Strip(frames, "every(2)", 8) for key in strips()}
    html = render_page(model(questions=asked, strips=shown))
    times = re.findall(r'<span class="time" title="([^"]*)">([^<]*)</span>', html)
    assert set(times) == {
        ("0.00 s of the clip, 67.99 s of the recording", "0.0 s"),
        ("14.00 s of the clip, 82.00 s of the recording", "14.0 s"),
    }
    assert "clip 0.00–15.00 s, in the recording 68.00–83.00 s · rec2" in Page(html).text
    assert 'alt="query, frame 2, 14.00 s of the clip"' in html


@pytest.mark.parametrize(
    ("reached", "text"),
    [(0.4, "effective 40.0"), (None, "effective not known: too few questions")],
)
def test_effective_chance_stands_beside_chance(reached: float | None, text: str) -> None:
    found = score(replies(questions(""), "")[1]).with_columns(
        effective_chance=pl.lit(reached, dtype=pl.Float64())
    )
    page = Page(render_page(model(scores=found)))
    assert f"chance 33.3, {text}" in " ".join(page.text.split())


def test_hostile_text_stays_text_in_every_field() -> None:
    tame, hostile = Page(render_page(model())), Page(render_page(model(HOSTILE)))
    # Not one element, attribute or style more than the tame page has.
    assert _policy(hostile) == _policy(tame)
    assert [t for t, _ in hostile.tags] == [t for t, _ in tame.tags]
    assert [sorted(a) for _, a in hostile.tags] == [sorted(a) for _, a in tame.tags]
    assert "49" not in hostile.text.replace("5f4f", "")
    flat = " ".join(HOSTILE.split())
    for field in (
        "Parallax",
        "5f4f",
        "good",
        "lost",
        "direct/1",
        "Eight frames.",
        "model@7",
        "src",
        "listed",
        "CC BY",
        "sources",
        "end_after_start",
        "fine_0.csv",
        "12",
        "-3.2",
        "segment ends before its start",
        "correct the times",
        "k3",
        "Which clip, k3 2?",
        "recipe@1",
        "the second",
        "Both show a lid.",
        "A lid moves.",
        "e7",
        "says it",
        "file.csv",
        "3.25 degrees to the border",
        "sector_border",
        "margin",
        "candidate",
        "lid",
        "table",
        "0.0 to 2.5",
        "f:2",
        "midpoints(8)",
        "Name the letter.",
        "text C",
        "rec0",
        "seg-query",
        "c0ffee",
        "val",
        "pairs",
        "pair7",
        "pair",
        "answer_is",
        "Answer: B",
        "I cannot determine it.",
        "id-k30",
        "0k3",
        "key-good-id-k30",
    ):
        shown = {field + flat, (field + flat).replace("_", " ")}
        assert any(s in hostile.text for s in shown), field


def test_same_model_same_page() -> None:
    assert render_page(model()) == render_page(model())


def test_empty_benchmark_has_a_page() -> None:
    names = ("questions", "calls", "answers", "scores", "candidates", "quarantine", "recordings")
    empty: dict[str, Any] = {name: TABLES[name].empty() for name in names}
    empty["gates"] = TABLES["question_gates"].empty()
    page = Page(render_page(model(**empty, source_status={}, is_sample=False)))
    for said in (
        "No run has been scored yet",
        "Nothing was refused",
        "There are no questions yet",
        "No source is configured",
    ):
        assert said in page.text
    assert "test the machine" not in page.text


def test_intervals_are_drawn_and_told() -> None:
    html = render_page(model())
    page = Page(html)
    labels = [a["aria-label"] or "" for t, a in page.tags if t == "svg" and "aria-label" in a]
    assert len(labels) == 2 * 4 + 1, "two runs in four slices, and a plan"
    # All four of four recordings right: Wilson with n = 4 and t of 3 degrees of freedom (3.182),
    # low end 4 / (4 + 3.182 ** 2) = 28.3 %.
    assert any("100.0 percent, 95 percent interval 28.3 to 100.0, chance 33.3" in x for x in labels)


def test_single_recording_has_no_whisker() -> None:
    one = TABLES["scores"].frame(
        [
            {
                "benchmark": "b",
                "run": "good",
                "slice": "k3",
                "metric": "accuracy",
                "value": 0.5,
                "n": 2,
                "n_unparsed": 0,
                "n_clusters": 1,
                "chance": 0.2,
            }
        ]
    )
    page = Page(render_page(model(scores=one)))
    assert "no interval: 1 recording" in page.text
    assert page.count("path", class_="whisker") == 0
    assert "not asked" in page.text


@pytest.mark.parametrize("junk", [b"", b"<svg onload=alert(1)>", b"\x89PNG\r\n"])
def test_only_jpeg_becomes_an_image(junk: bytes) -> None:
    with pytest.raises(ValueError, match="does not start like a JPEG"):
        jpeg_uri(junk)


def test_funnel_counts_who_reached_a_stage() -> None:
    stages = ["not_chosen"] * 5 + ["sets"] * 4 + ["negatives_5"] * 3 + ["negatives_20"] * 2
    steps = [(s.stage, s.n) for s in funnel(candidates(stages, "src"))]
    assert steps == [
        ("candidates", 14),
        ("sentence", 10),
        ("chosen", 5),
        ("negatives_5", 5),
        ("negatives_20", 2),
        ("verified", 0),
    ]


def test_funnel_counts_what_the_cap_leaves_out() -> None:
    kept = candidates(["not_chosen"] * 5 + ["negatives_20"] * 2, "src")
    steps = [(s.stage, s.n) for s in funnel(kept, {"src": 93})]
    assert steps[:3] == [("candidates", 100), ("kept", 7), ("sentence", 7)]


def test_refusals_are_counted_by_rule() -> None:
    found = [(r.rule, r.n, r.where) for r in refusals(quarantine(""))]
    assert found == [
        ("end_after_start", 2, "fine_0.csv · 12 · -3.2"),
        ("reference", 1, "fine_1.csv · 12 · -3.2"),
    ]


def test_scores_of_other_readers_stand_with_their_effect_and_the_replies_that_differ() -> None:
    page = Page(render_page(model()))
    assert "released published, accuracy 0.0 (-100.0) n 8, 8 read otherwise, 4 unread" in page.text
    assert "Replies that are read in two ways 12 of 12, those that move a score first" in page.text
    assert "B B none (unread) lost Answer: B" in page.text.replace("good released ", "")
    shown = {card.question_id for card in model().cards}
    links = [a["href"] for t, a in page.tags if t == "a" and a.get("class") == "id"]
    assert {link.removeprefix("#question-") for link in links if link} == shown
    without = Page(render_page(model(parity_answers=None)))
    assert "Other readers" not in without.text


def test_questions_without_verdicts_are_not_judged() -> None:
    page = Page(render_page(model(gates=TABLES["question_gates"].empty(), published=())))
    assert "Not judged: no gate has judged the questions of this benchmark yet" in page.text
    assert {a["data-state"] for t, a in page.tags if "data-state" in a} == {"not judged"}


def test_gates_without_a_model_are_named() -> None:
    page = Page(render_page(model(gates_not_applied=("blind", "single_frame"))))
    assert "Not applied: blind, single frame (no model is configured)" in page.text
    assert "Not applied" not in Page(render_page(model())).text


def test_verdicts_on_another_wording_do_not_count() -> None:
    stale = questions().with_columns(question_hash="new " + questions()["question_hash"])
    assert not model(questions=stale).judged


def test_funnel_goes_from_built_to_published() -> None:
    said = {f.subtask: f for f in model().subtasks}
    k3, k4 = said["k3"], said["k4"]
    assert (k3.built, k3.judged, k3.refused, k3.published, k3.asked) == (4, 4, 1, 2, 4)
    assert k3.by_gate == (("margin", 1),)
    assert (k4.built, k4.judged, k4.refused, k4.published) == (4, 0, 0, 0)


def test_cards_say_their_state_and_outcomes() -> None:
    page = Page(render_page(model()))
    cards = [a for t, a in page.tags if t == "details" and a.get("class") == "card"]
    told = [(a["data-subtask"], a["data-state"]) for a in cards]
    assert told == [
        ("k3", "published"),
        ("k3", "published"),
        ("k3", "refused"),
        ("k4", "not judged"),
        ("k4", "not judged"),
    ]
    assert {a["data-outcomes"] for a in cards} == {"good=right\nlost=unparsed"}


@pytest.mark.parametrize(
    ("verdicts", "is_published", "state"),
    [
        ([], False, "not judged"),
        ([], True, "not judged"),
        (["pass"], True, "published"),
        (["refuse", "pass"], True, "published"),  # refused under one protocol alone
        (["refuse", "unknown"], False, "refused"),
        (["unknown", "pass"], False, "undecided"),
    ],
)
def test_state_of_a_question(verdicts: list[str], is_published: bool, state: str) -> None:
    assert state_of(verdicts, is_published) == state


def test_gaze_and_boxes_lie_where_they_are() -> None:
    page = Page(render_page(model()))
    pictures = [a for t, a in page.tags if t == "svg" and a.get("viewbox") == "0 0 1333 1000"]
    assert len(pictures) == 4
    assert page.count("circle", cx="333.3", cy="500.0") == 4
    # 0.1 .. 0.4 of a width of 1333 thousandths, 0.2 .. 0.6 of the height.
    assert page.count("rect", x="133.3", y="200.0", width="400.0", height="400.0") == 2
    assert page.count("g", class_="layer sent") == page.count("g", class_="layer annotated") == 2


@pytest.mark.parametrize("name", ["../x", "a/b", "", "a b", "<b>"])
def test_a_page_lies_nowhere_else(name: str) -> None:
    with pytest.raises(ValueError, match="is not a name"):
        file_name(name)


def test_front_page_leads_to_every_benchmark() -> None:
    entries = [*FRONT, FrontEntry("c", "See", 0, None, (), (), is_sample=False, written=False)]
    page = Page(render_front("Parallax", "pages", entries))
    links = [a["href"] for t, a in page.tags if t == "a"]
    assert links == ["pages/b.html", "pages/b.html#subtask=k3", "pages/b.html#subtask=k4"]
    for said in (
        "These scores test the machine, not the models",
        "8 questions , 3 published",
        "0 questions , not judged by gates yet",
        "its page has not been written yet",
        "No run has been scored yet",
    ):
        assert said.replace(" ,", ",") in page.text.replace(" ,", ","), said


def test_browser_prefers_questions_with_pixels_and_ignores_row_order() -> None:
    rows = [
        {
            "benchmark": "b",
            "source": "s",
            "subtask": "k",
            "question_id": h,
            "question_hash": h,
            "media_present": h != "a",
            "media": [],
        }
        for h in "dacb"
    ]
    frame = TABLES["questions"].frame(rows)
    for given in (frame, frame.reverse()):
        assert shown_questions(given, 2)["question_id"].to_list() == ["b", "c"]
        one_gate = dict.fromkeys("bd", "leak")
        assert shown_questions(given, 2, one_gate)["question_id"].to_list() == ["c", "a", "b"]
        # Every gate that refuses something is shown refusing.
        two_gates = {"b": "leak", "c": "leak", "d": "margin"}
        assert shown_questions(given, 2, two_gates)["question_id"].to_list() == ["a", "b", "d"]


def test_a_refused_question_is_shown_under_the_first_gate_that_refuses_it() -> None:
    rows = [
        {"question_id": key, "gate": gate, "verdict": verdict}
        for key, gate, verdict in (
            ("a", "margin", "refuse"),
            ("a", "answer", "refuse"),
            ("b", "seen_by_sampling", "refuse"),
            ("c", "leak", "pass"),
        )
    ]
    gates = TABLES["question_gates"].frame(rows)
    assert refused_by(gates, []) == {"a": "answer", "b": "seen_by_sampling"}
    assert refused_by(gates, ["b"]) == {"a": "answer"}


def test_evidence_and_segments_are_looked_up() -> None:
    found = evidence_keys(questions())
    assert found["src", "pairs"] == {"pair7"}
    assert found["src", "segments"] == {"seg-query", "seg-option_A", "seg-option_B", "seg-option_C"}


@pytest.mark.parametrize(
    ("table", "row", "key"),
    [
        ("segments", {"segment_id": "s1"}, "s1"),
        ("boxes", {"box_id": "b1"}, "b1"),
        ("objects_3d", {"object_id": "cup", "pose": 7}, "cup/7"),
        ("graph_edges", {"edge_id": "e"}, "e"),
        ("recordings", {"recording_id": "r"}, "r"),
    ],
)
def test_rows_are_found_by_the_keys_evidence_uses(table: str, row: dict, key: str) -> None:
    frame = TABLES[table].frame([row])
    assert frame.select(row_key(TABLES[table])).item() == key


def test_a_row_tells_where_it_comes_from() -> None:
    row = {"start_s": 1.0, "narration": "lifts\nthe lid", "source_file": "a.csv", "source_key": "9"}
    place = place_of(TABLES["segments"], "s1", row)
    assert (place.file, place.row) == ("a.csv", "9")
    assert place.says == "narration lifts the lid · start_s 1.00"
    derived = place_of(
        TABLES["graph_edges"], "e", {"source_table": "relations", "source_row": "r1"}
    )
    assert (derived.file, derived.row) == ("table relations", "r1")
    fact = place_of(TABLES["spatial_facts"], "f", {"evidence": ["boxes:b1"]})
    assert fact.row == "boxes:b1"


def _clip(n: int, marked: int | None = None) -> Clip:
    box = Overlay("box", "1", "red", 0.01, None, (0.1, 0.1, 0.5, 0.5))
    return Clip(
        role="query",
        recording_id="r",
        content="c",
        start_s=0.0,
        end_s=float(n),
        frames=tuple((0, i, float(i)) for i in range(n)),
        sampling="every(1)",
        overlays=tuple((box,) if i == marked else () for i in range(n)),
    )


def test_long_clips_are_thinned_and_keep_what_is_marked() -> None:
    assert thinned(_clip(3), 8) == [0, 1, 2]
    assert thinned(_clip(32), 4) == [0, 10, 21, 31]
    assert thinned(_clip(32, marked=5), 4) == [0, 5, 10, 21, 31]


def test_gaze_and_boxes_belong_to_their_instant() -> None:
    ticks = [
        {"recording_id": "r", "tick": i, "t_s": i / 25, "residual_ms": 0.0, "gaze_x": i / 100}
        | {"gaze_y": 0.5}
        for i in range(30)
    ]
    boxes = [
        {"box_id": f"b{t}", "t_s": t, "class_name": f"at {t}", "x_min": 0.1, "y_min": 0.1}
        | {"x_max": 0.5, "y_max": 0.5}
        for t in (0.0, 0.9, 1.04, 1.2)
    ]
    strip = strip_of(
        _clip(3, marked=1),
        [1, 2],
        [(jpeg(), 1.0), (jpeg(), 1.0)],
        Marks(TABLES["frames"].frame(ticks), TABLES["boxes"].frame(boxes)),
    )
    first, last = strip.frames
    assert first.gaze == pytest.approx((0.25, 0.5))
    assert [(b.layer, b.label) for b in first.boxes] == [("sent", "1"), ("annotated", "at 1.04")]
    assert last.gaze is None and last.boxes == ()
    assert (strip.n_sent, strip.sampling) == (3, "every(1)")


def test_clip_without_frames_is_shown_by_its_times() -> None:
    page = Page(render_page(model()))
    assert "No frames here: clip 0.00–0.50 s, in the recording 1.00–1.50 s · rec0" in page.text


def test_a_row_of_evidence_gives_the_seconds_of_the_clip_too() -> None:
    """A question asks about 14 s of its clip: the row that proves it says 82 s, and 14 s."""
    media = [
        {"role": "query", "recording_id": "r", "start_s": 68.0, "end_s": 83.0},
        {"role": "option_A", "recording_id": "r", "start_s": 100.0, "end_s": 101.0},
    ]
    row = {"recording_id": "r", "start_s": 82.0, "end_s": 100.5}
    place = place_of(TABLES["segments"], "s", row, media)
    assert place.says == (
        "start_s 82.00 (14.00 s of the clip query) · end_s 100.50 (0.50 s of the clip option A)"
        " · recording_id r"
    )
    elsewhere = place_of(TABLES["segments"], "s", row | {"recording_id": "other"}, media)
    assert "of the clip" not in elsewhere.says
    after = place_of(TABLES["segments"], "s", {"recording_id": "r", "t_s": 84.0}, media)
    assert after.says == "t_s 84.00 · recording_id r"


def test_pictures_keep_their_place_before_they_are_loaded() -> None:
    html = render_page(model(strips=strips_everywhere()))
    sizes = [(a.get("width"), a.get("height")) for t, a in Page(html).tags if t == "img"]
    assert set(sizes) == {("1333", "1000")} and len(sizes) == 5 * 4 * 8


def test_every_card_has_an_address_of_its_own() -> None:
    page = Page(render_page(model()))
    ids = [a["id"] for t, a in page.tags if t == "details" and "id" in a]
    links = [a["href"] for t, a in page.tags if t == "a" and a.get("class") == "permalink"]
    assert len(ids) == len(set(ids)) == 5
    assert links == [f"#{name}" for name in ids]
    assert "question-id-k30" in ids
    # New wording, another hash: the same address.
    reworded = questions().with_columns(text=pl.lit("Else?"), question_hash=pl.lit("else"))
    again = Page(render_page(model(questions=reworded, gates=gates())))
    assert {a["id"] for t, a in again.tags if t == "details" and "id" in a} <= {
        f"question-{uid}" for uid in questions()["question_id"]
    }


@pytest.mark.parametrize(
    ("narrating", "note"),
    [
        ([], "models are sent the clip without it."),
        (["direct/1"], "of the runs below, only good, lost reads the narrations"),
    ],
)
def test_narrations_of_clips_say_that_no_model_is_shown_them(
    narrating: list[str], note: str
) -> None:
    page = Page(render_page(model(narrating_protocols=narrating)))
    assert page.text.count("narration, not shown to the model: text A") == 5
    assert page.text.count(note) == 5


@pytest.mark.parametrize(
    "change",
    [
        {"segment_id": pl.lit(None, dtype=pl.String())},
        {"text": pl.lit("the person in the box")},
    ],
    ids=["clips of no segment", "one text for all"],
)
def test_texts_that_narrate_no_segment_are_descriptions(change: dict[str, pl.Expr]) -> None:
    changed = pl.element().struct.with_fields(**change)
    asked = questions().with_columns(options=pl.col("options").list.eval(changed))
    page = Page(render_page(model(questions=asked, narrating_protocols=["direct/1"])))
    text = "text A" if "segment_id" in change else "the person in the box"
    assert page.text.count(f"description, not shown to the model: {text}") >= 5
    assert page.text.count("Beside each letter stands what its clip shows") == 5
    assert page.text.count("only good, lost reads these texts.") == 5
    assert "narration" not in page.text


def test_options_in_words_are_no_narrations() -> None:
    words = pl.element().struct.with_fields(segment_id=pl.lit(None, dtype=pl.String()))
    asked = questions().with_columns(
        options=pl.col("options").list.eval(words), media=pl.col("media").list.head(1)
    )
    page = Page(render_page(model(questions=asked)))
    assert "text A" in page.text and "narration" not in page.text


def test_baselines_are_marked_and_stand_below_models() -> None:
    page = model(baselines={"good": "guesses a letter"})
    assert [(run.name, run.baseline) for run in page.runs] == [
        ("lost", ""),
        ("good", "guesses a letter"),
    ]
    entry = FrontEntry("b", "Bench", 8, 3, ("k3", "k4"), page.runs, is_sample=True, written=True)
    for html in (render_page(page), render_front("Parallax", "pages", [entry])):
        read = Page(html)
        assert read.count("tr", class_="baseline") == 1
        assert read.count("span", class_="tag baseline", title="guesses a letter") == 1
    assert "baseline" not in Page(render_page(model(baselines={}))).text


@pytest.mark.parametrize("subtasks", [("k3",), ("k3", "k4")])
def test_means_over_subtasks_stand_where_there_are_several(subtasks: tuple[str, ...]) -> None:
    chosen = pl.col("subtask").is_in(subtasks)
    asked = questions().filter(chosen)
    answers = replies(asked)[1]
    unjudged = {"judged_scores": None, "agreements": None}
    page = model(questions=asked, answers=answers, scores=score(answers), **unjudged)
    several = len(subtasks) > 1
    assert page.slices == (("macro", "micro") if several else ()) + subtasks
    entry = FrontEntry("b", "Bench", 8, 3, subtasks, page.runs, is_sample=True, written=True)
    for html in (render_page(page), render_front("Parallax", "pages", [entry])):
        text = Page(html).text
        assert ("macro" in text, "micro" in text) == (several, several)
        # One value of each run and slice, none twice.
        shown = html.count('class="value"')
        assert shown == 2 * (1 if not several else 4 if "Questions" in text else 2)
