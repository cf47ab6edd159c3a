"""Scores that papers print: read as data, checked against each other, and shown apart."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from assets.benchmarks import about, benchmark_folders, folder_of, published_counts
from assets.report.render import render_page
from assets.scores.published import (
    FILE,
    PublishedRow,
    contradictions,
    published_rows,
    read_published,
)
from resources.plugins import PluginError
from tests.assets.report.report_sample import model

HEAD = "place,model,questions,condition,metric,subtask,value\n"


def written(folder: Path, rows: str) -> Path:
    (folder / FILE).write_text(HEAD + rows)
    return folder


def rows_of(scores: pl.DataFrame, metric: str) -> list[PublishedRow]:
    return [row for row in published_rows(scores) if row.metric == metric]


def test_what_egoexobench_prints():
    scores = read_published(folder_of("egoexobench"))
    rows = {(row.place, row.model, row.condition): row.values for row in published_rows(scores)}
    # Table 1, typed from the paper: first row, last row, and one between.
    assert rows["Table 1", "Human (1min)", ""]["skill_evaluation"] == 34.4
    assert rows["Table 1", "GPT-o4-mini", ""]["egocentric_wearer_identification"] == 73.8
    assert rows["Table 1", "InternVL3-78B", ""]["action_prediction"] == 51.0
    assert rows["Table 2", "GPT-4o", "without reference"] == {
        "action_prediction": 26.1,
        "skill_evaluation": 26.5,
    }
    # The brackets of Table 2.
    gains = {(row.place, row.model): row.values for row in rows_of(scores, "accuracy_gain")}
    assert gains["Table 2", "InternVL3-78B"] == {"action_prediction": 9.1, "skill_evaluation": -0.9}
    assert len(gains) == 3
    assert rows["Table 3", "Claude-3.7-Sonnet", ""] == {"duplicate_videos": 89.0}
    assert rows["Table 4", "Gemini 2.5 Pro", ""]["macro"] == 51.7
    assert {len(p) for (place, *_), p in rows.items() if place in {"Table 1", "Table 4"}} == {12}
    found = contradictions(scores)
    assert (
        "Qwen2.5-VL-72B, mean: printed as 44.7 (Table 1), 44.7 (Table 4), 45.3 (Table 5),"
        " 47.0 (section 4.2)" in found
    )
    assert [sentence for sentence in found if "gain" in sentence] == [
        "Table 2: the gain of GPT-4o, action prediction, is printed as +1.1; 27.7 less 26.1 is +1.6"
    ]
    # Every printed mean is that of its subtasks, as far as rounding tells.
    assert not [sentence for sentence in found if "subtasks give" in sentence]


# Questions of each subtask, the smallest numbers with which every printed percentage is a whole count.
EGOCOT = {
    "grounding_and_perception": {
        "active_object_grounding": 419,
        "hand_object_association": 114,
        "manipulation_state_perception": 213,
    },
    "spatio_temporal_retrospection": {
        "state_retrospection": 265,
        "location_visibility_retrospection": 496,
        "hand_object_temporal_retrospection": 32,
    },
    "predictive_and_causal_inference": {
        "next_state_anticipation": 392,
        "next_action_anticipation": 198,
        "local_cause_outcome_inference": 360,
    },
    "grounded_reasoning": {
        "progress_reasoning": 233,
        "hand_object_grounded_cot": 238,
        "goal_oriented_object_tracking": 212,
    },
}


def test_what_egocot_prints_are_means_over_questions():
    rows = published_rows(read_published(folder_of("egocot")))
    accuracy = {row.model: row.values for row in rows if row.metric == "accuracy"}
    # Typed from the paper: first and last row, and one of Table 3.
    assert accuracy["Human"]["goal_oriented_object_tracking"] == 91.98
    assert accuracy["Qwen3.5-397B-A17B"]["grounded_reasoning"] == 68.08
    weak = {r.model: r.values for r in rows if r.metric == "spurious_correct_rate"}
    assert weak["GPT-5.2"]["micro"] == 4.27 and len(weak) == 19 and len(accuracy) == 20
    assert about("egocot").groups == {name: tuple(parts) for name, parts in EGOCOT.items()}
    every = {name: n for parts in EGOCOT.values() for name, n in parts.items()}
    wrong = [
        (model, mean)
        for model, values in accuracy.items()
        for mean, sizes in {**EGOCOT, "micro": every}.items()
        if abs(sum(n * values[s] for s, n in sizes.items()) / sum(sizes.values()) - values[mean])
        > 0.06
    ]
    # Of these, replies that could not be read have left the denominator.
    assert sorted(wrong) == [
        ("Qwen3-VL-30B-A3B", "grounded_reasoning"),
        ("Qwen3-VL-30B-A3B", "micro"),
        ("Qwen3-VL-8B", "micro"),
        ("Qwen3-VL-Plus", "micro"),
    ]


@pytest.mark.parametrize("folder", benchmark_folders(), ids=lambda folder: folder.name)
def test_every_benchmarks_file_is_read(folder: Path):
    read_published(folder)


def test_a_wrong_mean_and_two_numbers_for_one_score_are_said(tmp_path: Path):
    rows = "".join(
        f"{row}\n"
        for row in (
            "T1,m,all,,accuracy,macro,50.0",
            "T1,m,all,,accuracy,a,40.0",
            "T1,m,all,,accuracy,b,59.7",
            "T2,m,all,,accuracy,macro,50.0",
            "T2,m,all,,accuracy,a,40.1",
            "T2,m,all,with,accuracy,a,70",
            "T3,m,few,,accuracy,a,10",
            "T3,m,all,,spurious_correct_rate,a,10",
        )
    )
    assert contradictions(read_published(written(tmp_path, rows))) == [
        "T1: the mean of m is printed as 50.0; its 2 subtasks give 49.85",
        "T2: the mean of m is printed as 50.0; its 1 subtasks give 40.10",
        "m, a: printed as 40.0 (T1), 40.1 (T2)",
    ]


def test_a_gain_is_held_against_the_numbers_it_is_the_difference_of(tmp_path: Path):
    """A difference of rounded numbers may be off by 0.15; without both numbers nothing is said."""
    rows = "".join(
        f"{row}\n"
        for row in (
            "T,m,all,before,accuracy,a,30.0",
            "T,m,all,after,accuracy,a,28.5",
            "T,m,all,after less before,accuracy_gain,a,-1.4",
            "T,n,all,before,accuracy,a,30.0",
            "T,n,all,after,accuracy,a,28.5",
            "T,n,all,after less before,accuracy_gain,a,1.5",
            "T,o,all,after,accuracy,a,28.5",
            "T,o,all,after less before,accuracy_gain,a,9",
        )
    )
    assert contradictions(read_published(written(tmp_path, rows))) == [
        "T: the gain of n, a, is printed as +1.5; 28.5 less 30.0 is -1.5"
    ]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("T,m,all,,accuracy,a,x\n", "could not parse `x`"),
        ("T,m,all,,accuracy,a,101\n", "m has no accuracy from 0 to 100"),
        ("T,m,all,,reasoning_score,a,6\n", "m has no reasoning_score from 0 to 5"),
        ("T,m,all,,accuracy,a,\n", "m has no accuracy from 0 to 100"),
        ("T,m,all,b less a,accuracy_gain,a,-101\n", "m has no accuracy_gain from -100 to 100"),
        ("T,m,all,,speed,a,1\n", "unknown metric 'speed'"),
        ("T,m,all,,accuracy,a,5\nT,m,all,,accuracy,a,6\n", "T has a of m twice"),
    ],
)
def test_a_faulty_file_is_named(tmp_path: Path, rows: str, message: str):
    with pytest.raises(PluginError, match=message):
        read_published(written(tmp_path, rows))


def test_the_page_shows_them_apart_from_what_was_measured(tmp_path: Path):
    scores = read_published(
        written(
            tmp_path, "T1,<b>m</b>,all,,accuracy,macro,50\nT2,<b>m</b>,all,,accuracy,macro,51.25\n"
        )
    )
    page = render_page(model(published_scores=scores), "index.html")
    section = page[page.index('<section id="published">') :].split("</section>")[0]
    assert "&lt;b&gt;m&lt;/b&gt;" in section
    assert "<b>m</b>" not in page
    assert "1 place where printed numbers disagree" in section
    assert ">50.0<" in section and ">51.25<" in section
    assert '<section id="published">' not in render_page(model(), "index.html")


# Questions of each domain by capability, in the released testbed.
EGOCROSS = {
    "surgery": {"counting": 50, "identification": 106, "localisation": 79, "prediction": 48},
    "industry": {"counting": 64, "identification": 64, "localisation": 64, "prediction": 53},
    "extreme_sports": {"identification": 111, "localisation": 75, "prediction": 60},
    "animals": {"identification": 117, "localisation": 66},
}
LAYOUTS = {
    "cholectrack20": "surgery",
    "egosurgery": "surgery",
    "enigma51": "industry",
    "extremesportfpv": "extreme_sports",
    "egopet": "animals",
}


def test_what_egocross_prints_are_whole_counts_and_means_of_four_domains():
    """Table 7 and 8 print capabilities, Table 2 domains: counts of the former sum to the latter."""
    rows = published_rows(read_published(folder_of("egocross")))
    domains = {(row.model, row.questions): row.values for row in rows if row.place == "Table 2"}
    assert len(domains) == 15
    fine = [row for row in rows if row.place in ("Table 7", "Table 8")]
    assert len(fine) == 15
    for row in fine:
        # Printed under two names.
        model = row.model.replace("VideoLLaMA3-8B", "VideoLLaMA3-7B")
        for domain, counts in EGOCROSS.items():
            right = {c: row.values[f"{domain}_{c}"] * n / 100 for c, n in counts.items()}
            assert all(abs(n - round(n)) <= 0.006 * counts[c] / 100 for c, n in right.items())
            share = 100 * sum(map(round, right.values())) / sum(counts.values())
            assert domains[model, row.questions][domain] == pytest.approx(share, abs=0.006)
    for values in domains.values():
        mean = sum(values[domain] for domain in EGOCROSS) / 4
        assert values["macro"] == pytest.approx(mean, abs=0.006)
    assert contradictions(read_published(folder_of("egocross"))) == []


def test_the_counts_of_egocross_are_those_of_its_domains_and_capabilities():
    groups = about("egocross").groups
    found: dict[str, dict[str, int]] = {domain: {} for domain in EGOCROSS}
    for (subtask, layout), n in published_counts("egocross").items():
        (group,) = [name for name, subtasks in groups.items() if subtask in subtasks]
        part = found[LAYOUTS[layout]]
        part[group] = part.get(group, 0) + n
    assert found == EGOCROSS
    assert sum(sum(part.values()) for part in found.values()) == 957
