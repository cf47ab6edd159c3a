"""Scene graphs on the cards of questions: which questions have one, and what it marks."""

from __future__ import annotations

import base64
import re
from typing import Any

import polars as pl

from assets.report.render import render_page
from assets.report.timelines import timelines
from assets.scene_graphs.timeline import GRAPH
from expectations.schemas import TABLES
from tests.assets.report.report_sample import model, questions
from tests.assets.scene_graphs.test_timeline import ACTS, graph_of

GRAPH_ROWS = dict(zip(GRAPH, graph_of(ACTS), strict=True))
EDGES = GRAPH_ROWS["graph_edges"]
TOOL = next(e["edge_id"] for e in EDGES if e["function"] == "tool")


def asked(**more: Any) -> dict[str, Any]:
    medium = {"role": "query", "recording_id": "r", "start_s": 1.0, "end_s": 9.0}
    return {
        "question_id": "id",
        "source": "it",
        "recording_id": "r",
        "text": "At 5.0 s, the last moment of the clip, which?",
        "media": [medium],
        "evidence": [{"table": "graph_edges", "key": TOOL, "role": "answer"}],
    } | more


def drawn(*rows: dict[str, Any]) -> dict[str, str]:
    read: list[tuple[str, ...]] = []

    def rows_of(table: str, source: str, recordings: list[str]) -> pl.DataFrame:
        read.append((table, source, *recordings))
        return TABLES[table].frame(GRAPH_ROWS[table])

    found = timelines(TABLES["questions"].frame(rows), rows_of)
    assert set(read) <= {(table, "it", "r") for table in GRAPH}
    return found


def test_a_question_about_edges_shows_its_clip_and_moment() -> None:
    svg = drawn(asked())["id"]
    assert "clip 0.0 to 8.0 s, moment asked about 5.0 s" in svg
    assert svg.count("stroke-dasharray") == 1
    assert svg.count('stroke="#a8322a"') == 2  # the moment and the tool
    assert ">0 s<" in svg
    assert ">8 s<" in svg
    assert ">10 s<" not in svg


def test_evidence_after_the_clip_is_shown_too() -> None:
    late = next(e["edge_id"] for e in EDGES if e["relation"] == "acts_on" and e["start_s"] == 12)
    evidence = [{"table": "graph_edges", "key": late, "role": "answer"}]
    svg = drawn(asked(evidence=evidence, text="What is done next?"))["id"]
    assert ">jar<" in svg
    assert ">12 s<" in svg
    assert "stroke-dasharray" not in svg


def test_other_questions_have_none() -> None:
    other = [{"table": "pairs", "key": "p", "role": "pair"}]
    assert drawn(asked(evidence=other)) == {}
    assert drawn(asked(media=[{"role": "query", "recording_id": "x"}])) == {}


def test_the_card_shows_it_as_a_picture_that_can_run_nothing() -> None:
    first = questions()["question_id"][0]
    html = render_page(model(timelines={first: drawn(asked())["id"]}))
    (data,) = re.findall(r'class="timeline".*?base64,([^"]+)"', html)
    assert base64.b64decode(data).decode().startswith("<svg ")
    assert 'class="timeline"' not in render_page(model())
