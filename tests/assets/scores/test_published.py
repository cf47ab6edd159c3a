"""Scores that papers print: read as data, checked against each other, and shown apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from assets.benchmarks import benchmark_folders, folder_of
from assets.report.render import render_page
from assets.scores.published import FILE, contradictions, published_rows, read_published
from resources.plugins import PluginError
from tests.assets.report.report_sample import model

HEAD = "place,model,questions,condition,subtask,percent\n"


def written(folder: Path, rows: str) -> Path:
    (folder / FILE).write_text(HEAD + rows)
    return folder


def test_what_egoexobench_prints():
    scores = read_published(folder_of("egoexobench"))
    rows = {(row.place, row.model, row.condition): row.percent for row in published_rows(scores)}
    # Table 1, typed from the paper: first row, last row, and one between.
    assert rows["Table 1", "Human (1min)", ""]["skill_evaluation"] == 34.4
    assert rows["Table 1", "GPT-o4-mini", ""]["egocentric_wearer_identification"] == 73.8
    assert rows["Table 1", "InternVL3-78B", ""]["action_prediction"] == 51.0
    assert rows["Table 2", "GPT-4o", "without reference"] == {
        "action_prediction": 26.1,
        "skill_evaluation": 26.5,
    }
    assert rows["Table 3", "Claude-3.7-Sonnet", ""] == {"duplicate_videos": 89.0}
    assert rows["Table 4", "Gemini 2.5 Pro", ""]["macro"] == 51.7
    assert {len(p) for (place, *_), p in rows.items() if place in {"Table 1", "Table 4"}} == {12}
    found = contradictions(scores)
    assert (
        "Qwen2.5-VL-72B, mean: printed as 44.7 (Table 1), 44.7 (Table 4), 45.3 (Table 5),"
        " 47.0 (section 4.2)" in found
    )
    # Every printed mean is that of its subtasks, as far as rounding tells.
    assert not [sentence for sentence in found if "subtasks give" in sentence]


@pytest.mark.parametrize("folder", benchmark_folders(), ids=lambda folder: folder.name)
def test_every_benchmarks_file_is_read(folder: Path):
    read_published(folder)


def test_a_wrong_mean_and_two_numbers_for_one_score_are_said(tmp_path: Path):
    rows = "T1,m,all,,macro,50.0\nT1,m,all,,a,40.0\nT1,m,all,,b,59.7\n"
    rows += "T2,m,all,,macro,50.0\nT2,m,all,,a,40.1\nT2,m,all,with,a,70\nT3,m,few,,a,10\n"
    assert contradictions(read_published(written(tmp_path, rows))) == [
        "T1: the mean of m is printed as 50.0; its 2 subtasks give 49.85",
        "T2: the mean of m is printed as 50.0; its 1 subtasks give 40.10",
        "m, a: printed as 40.0 (T1), 40.1 (T2)",
    ]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("T,m,all,,a,x\n", "could not parse `x`"),
        ("T,m,all,,a,101\n", "m has no percent from 0 to 100"),
        ("T,m,all,,a,\n", "m has no percent from 0 to 100"),
        ("T,m,all,,a,5\nT,m,all,,a,6\n", "T has a of m twice"),
    ],
)
def test_a_faulty_file_is_named(tmp_path: Path, rows: str, message: str):
    with pytest.raises(PluginError, match=message):
        read_published(written(tmp_path, rows))


def test_the_page_shows_them_apart_from_what_was_measured(tmp_path: Path):
    scores = read_published(
        written(tmp_path, "T1,<b>m</b>,all,,macro,50\nT2,<b>m</b>,all,,macro,51\n")
    )
    page = render_page(model(published_scores=scores), "index.html")
    section = page[page.index('<section id="published">') :].split("</section>")[0]
    assert "&lt;b&gt;m&lt;/b&gt;" in section
    assert "<b>m</b>" not in page
    assert "1 place where printed numbers disagree" in section
    assert '<section id="published">' not in render_page(model(), "index.html")
