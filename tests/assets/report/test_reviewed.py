"""How far the review of questions has come, as the page and `parallax review status` show it."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from assets.agreement import Judgement, agreement
from assets.options import Options, silent
from assets.question_reviews.flow import STATES
from assets.question_reviews.outcomes import question_items
from assets.question_reviews.stage import STAGE as QUESTION_REVIEWS
from assets.question_reviews.stage import outcomes_and_flows, review_progress
from assets.report.render import render_page
from assets.report.reviewed import reviewed
from assets.report.stage import page_input_hash
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from pipelines.cli.review_status import question_lines
from resources.config import load_settings
from tests.assets.question_reviews.test_question_reviews import question
from tests.assets.report.page_reader import Page
from tests.assets.report.report_sample import model

ONE = [Judgement(who, "q", "fails") for who in "ab"]
TWO = [Judgement(who, "r", "fulfils") for who in "ab"]


def test_the_page_counts_questions_by_state_and_shows_agreement_per_criterion() -> None:
    counts = pl.DataFrame(
        {"subtask": ["order"] * 2, "state": ["accepted", "screening"], "questions": [3, 2]}
    )
    agreed = agreement([*ONE, *TWO], {"q": ("one",), "r": ("two",)})
    alone = agreement([ONE[0]], {"q": ("one",)})
    progress = {"house": (counts, [(1, "target", agreed), (2, "target", alone)])}
    found = reviewed(progress, 4)
    assert found is not None
    assert dict(zip(STATES, found.subtasks[0].counts, strict=True)) == {
        **dict.fromkeys(STATES, 0), "accepted": 3, "screening": 2,
    }  # fmt: skip
    assert [(row.criterion, row.round) for row in found.criteria] == [("target", 1)]
    html = render_page(model(review=found))
    assert 'href="#review"' in html
    text = Page(html).text
    assert "4 people screen each question" in text
    assert "Agreement per criterion" in text
    assert "Agreement per criterion" not in Page(render_page(model())).text
    assert "Questions that nobody has judged yet are published, too." in text
    none = {"house": (counts.clear(), [])}
    assert reviewed(none, 4) is None
    only = reviewed(none, 4, accepted_only=True)
    text = Page(render_page(model(review=only))).text
    assert "Only accepted questions are published and asked here." in text
    assert "Nobody has judged a question yet, so none is published." in text


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Two questions of EgoCoT-Bench, and what people decided about them."""
    (tmp_path / "people").mkdir()
    (tmp_path / "house").mkdir()
    (tmp_path / "parallax.toml").write_text(
        'store = "tables"\n[sources.house]\nlayout = "own"\nroot = "house"\nreviews = ["people"]\n'
        '[sources.people]\nlayout = "reviews"\nroot = "people"\n'
        '[benchmarks.egocot]\nsources = ["house"]\n',
        encoding="utf-8",
    )
    asked = [question(key, benchmark="egocot") for key in ("q1", "q2")]
    rows = TABLES["questions"].frame(asked)
    settings = load_settings(tmp_path / "parallax.toml")
    settings.store.append(TABLES["questions"], "egocot", rows)
    items = dict(question_items(rows).select("item_id", "item_hash").iter_rows())
    lines = ["source,item_kind,benchmark,item_id,item_hash,verdict,reviewer,round,note"]
    for round_, key, who, verdict, note in (
        *((1, "q1", f"s{n}", "accept", "") for n in range(4)),
        (2, "q1", "c", "accept", ""),
        *((1, "q2", f"s{n}", "accept", "") for n in range(3)),
        (1, "q2", "s3", "reject", "target: two cups"),
        (2, "q2", "c", "reject", "target: which cup"),
    ):
        lines.append(f"house,question,egocot,{key},{items[key]},{verdict},{who},{round_},{note}")
    (tmp_path / "people" / "decisions.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def test_decisions_in_a_file_become_states_of_the_review(home: Path) -> None:
    settings = load_settings(home / "parallax.toml")
    before = page_input_hash(settings, "egocot")
    SOURCES.refresh(settings, "people", Options(), silent)
    QUESTION_REVIEWS.refresh(settings, "egocot", Options(), silent)
    counts, agreed = review_progress(settings, "egocot", "house", 4)
    assert counts.rows() == [("order", "accepted", 1), ("order", "adjudication", 1)]
    _, flow_of = outcomes_and_flows(settings, "egocot", "house", 4)
    assert {key: flow.state for key, flow in flow_of.items()} == {
        "q1": "accepted",
        "q2": "adjudication",
    }
    first = {name: one for round_, name, one in agreed if round_ == 1}
    assert first["target"].n_annotators == 4
    assert first["target"].n_items == 2
    said = "\n".join(question_lines(settings, "egocot"))
    assert "order of house: 1 to adjudicate, 1 accepted" in said
    assert "house, round 1, criterion target: 2 items judged by several of 4 reviewers" in said
    assert page_input_hash(settings, "egocot") != before
