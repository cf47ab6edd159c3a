"""Rows of graphs that people correct: what follows, for which reasons, and what becomes of decisions on rows that moved."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from assets.options import Options, silent
from assets.reviews.stage import STAGE as REVIEWS
from assets.scene_graphs.stage import STAGE as SCENE_GRAPHS
from assets.sources.reading.values import Malformed
from assets.sources.reviews.patches import patched, why_unusable
from assets.sources.reviews.values import graph_patch
from assets.sources.stage import STAGE as SOURCES
from expectations.contracts import check
from expectations.schemas import TABLES
from pipelines.cli import app
from resources.config import load_settings
from tests.pipelines.cli.test_question_status import examples
from tests.stages import refresh_questions

CONFIG = """
store = "tables"
[sources.mine]
layout = "own"
root = "raw"
reviews = ["people"]
[sources.people]
layout = "reviews"
root = "people"
[benchmarks.egocot]
protocol = "egocot_direct"
sources = ["mine"]
"""
SUGAR = "relations/tea_1/e8"
"""The row that says which thing is picked up from 9 to 11 s."""


class Tea:
    """The recordings that the documentation shows, and what people decide about their graphs."""

    def __init__(self, base: Path) -> None:
        self.base, self.files = base, examples()
        self.graph: dict[str, Any] = self.files["recordings/tea_1.json"]
        (base / "people").mkdir()
        (base / "people" / "notes.txt").write_text("decisions lie here")
        (base / "parallax.toml").write_text(CONFIG)

    def refresh(self) -> list[str]:
        """Bring graphs, questions and verdicts up to date: recordings whose graph was computed."""
        for path, content in self.files.items():
            target = self.base / "raw" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content if isinstance(content, str) else json.dumps(content))
        self.settings = load_settings(self.base / "parallax.toml")
        SOURCES.refresh(self.settings, "people", Options(), silent)
        SOURCES.refresh(self.settings, "mine", Options(), silent)
        reports = SCENE_GRAPHS.refresh(self.settings, "mine", Options(), silent)
        REVIEWS.refresh(self.settings, "mine", Options(), silent)
        refresh_questions(self.settings, "egocot", Options(), silent)
        return [uid for report in reports for uid in report.computed]

    def decide(self, item: str, **said: str) -> None:
        """Fill in a row of the queue that the command writes."""
        number = len(list(self.base.glob("*.csv")))
        queue = self.base / f"queue-{number}.csv"
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PARALLAX_CONFIG", str(self.base / "parallax.toml"))
            done = CliRunner().invoke(
                app, ["review", "queue", "mine", "--what", "graphs", "--out", str(queue)]
            )
        assert done.exit_code == 0, done.output
        rows = list(csv.DictReader(io.StringIO(queue.read_text("utf-8-sig"))))
        (row,) = (row for row in rows if row["item_id"] == item)
        out = io.StringIO(newline="")
        writer = csv.DictWriter(out, row)
        writer.writeheader()
        writer.writerow({**row, "reviewer": "ada", **said})
        (self.base / "people" / f"{number}.csv").write_text(out.getvalue())

    def read(self, table: str, partition: str = "mine") -> pl.DataFrame:
        return self.settings.store.read(TABLES[table], partition)

    def picked_up(self) -> set[str]:
        """What the graph says is picked up from 9 s on."""
        nodes, edges = self.read("graph_nodes"), self.read("graph_edges")
        acts = edges.filter((pl.col("relation") == "acts_on") & (pl.col("start_s") == 9.0))
        return set(acts.join(nodes, left_on="to_node", right_on="node_id")["name"])

    def answers(self) -> set[tuple[str, str]]:
        """Right answers about the active object, and the worst verdict on each."""
        questions = self.read("questions", "egocot").filter(subtask="active_object_grounding")
        outcomes = set()
        for row in questions.iter_rows(named=True):
            gates = self.read("question_gates", "egocot").filter(question_id=row["question_id"])
            is_refused = "refuse" in gates["verdict"].to_list()
            outcomes.add((row["answer_text"], "refused" if is_refused else "published"))
        return outcomes

    def states(self) -> list[tuple]:
        return self.read("review_states").select("item_id", "state", "verdict").rows()


def test_a_correction_reaches_graph_question_and_verdict_until_its_row_moves(
    tmp_path: Path,
) -> None:
    tea = Tea(tmp_path)
    assert tea.refresh() == ["tea_1"]
    assert tea.picked_up() == {"sugar"}
    assert ("sugar", "published") in tea.answers()
    tea.decide(SUGAR, verdict="correct", value='{"reason": "link", "object": "honey"}')
    assert tea.refresh() == ["tea_1"]
    assert tea.picked_up() == {"honey"}
    answers = tea.answers()
    assert ("honey", "published") in answers
    assert "sugar" not in {text for text, _ in answers}
    assert tea.states() == [(SUGAR, "standing", "correct")]
    assert tea.read("graph_patches").select("patched_row", "reason", "reviewer").rows() == [
        ("tea_1/e8", "link", "ada")
    ]
    # The action lies elsewhere now: what was judged is not what is annotated.
    (action,) = (node for node in tea.graph["nodes"] if node["id"] == "a3")
    action["end_s"] = 11.2
    assert tea.refresh() == ["tea_1"]
    assert tea.states() == [(SUGAR, "stale", "correct")]
    assert tea.picked_up() == {"sugar"}
    assert tea.read("graph_patches").is_empty()


def test_a_rejected_row_makes_nothing_and_a_wrong_correction_is_shown(tmp_path: Path) -> None:
    tea = Tea(tmp_path)
    tea.refresh()
    tea.decide(SUGAR, verdict="reject", note="link: the hand is empty")
    tea.decide(
        "relations/tea_1/e4", verdict="correct", value='{"reason": "state", "value": "full"}'
    )
    tea.refresh()
    assert tea.picked_up() == set()
    assert set(tea.states()) == {
        (SUGAR, "standing", "reject"),
        ("relations/tea_1/e4", "unusable", "correct"),
    }


def test_a_rejection_names_one_of_four_reasons() -> None:
    row = {
        "source": "mine", "decision_id": "d", "item_kind": "graph", "item_id": SUGAR, "item_hash": "h",
        "verdict": "reject", "reviewer": "ada", "round": 1, "source_file": "a.csv", "source_key": "1",
    }  # fmt: skip
    notes = ("grounding: the box is a jar's", "identity", "stated wrongly", None)
    rows = TABLES["reviews"].frame(
        row | {"decision_id": str(n), "note": note} for n, note in enumerate(notes)
    )
    refused = check(TABLES["reviews"], rows, {}).refused
    assert [one.rule for one in refused] == ["patch_has_reason"] * 2


@pytest.mark.parametrize(
    ("item", "value", "why"),
    [
        (SUGAR, {"reason": "link", "hand_side": "left"}, ""),
        (SUGAR, {"reason": "identity", "object": "cup 2"}, ""),
        ("object_states/s", {"reason": "state", "value": "open", "start_s": 2.5}, ""),
        ("boxes/b", {"reason": "grounding", "x_min": 0.25}, ""),
        (
            SUGAR,
            {"reason": "identity", "object_id": "c"},
            "may change subject, object of relations",
        ),
        (SUGAR, {"reason": "grounding", "x_min": 0.25}, "changes nothing of relations"),
        (SUGAR, {"reason": "link", "hand_side": "third"}, "hand_side of relations cannot be"),
        (SUGAR, {"reason": "link", "object": None}, "object of relations cannot be"),
        ("boxes/b", {"reason": "grounding", "x_min": "left"}, "x_min of boxes cannot be"),
    ],
)
def test_each_reason_changes_its_own_columns(item: str, value: dict, why: str) -> None:
    assert why in why_unusable(item, json.dumps(graph_patch(value)))
    assert bool(why) == bool(why_unusable(item, json.dumps(value)))


@pytest.mark.parametrize(
    "value", [[], {"object": "cup"}, {"reason": "taste", "object": "cup"}, {"reason": "link"}]
)
def test_a_correction_of_another_form_is_refused(value: object) -> None:
    with pytest.raises(Malformed):
        graph_patch(value)


def test_a_box_moves_and_a_state_is_taken_back() -> None:
    key = {"source": "it", "recording_id": "r"}
    boxes = pl.DataFrame([{"box_id": "b", "x_min": 0.1}, {"box_id": "c", "x_min": 0.2}])
    states = pl.DataFrame([{"state_id": "s"}, {"state_id": "t"}])
    patches = TABLES["graph_patches"].frame(
        [
            key | {"patched_table": "boxes", "patched_row": "b", "verdict": "correct", "reviewer": "ada",
                   "reason": "grounding", "value": '{"reason": "grounding", "x_min": 0.4}'},
            key | {"patched_table": "object_states", "patched_row": "t", "verdict": "reject", "reviewer": "ada",
                   "reason": "state", "value": None},
        ]
    )  # fmt: skip
    right = patched({"boxes": boxes, "object_states": states}, patches)
    assert right["boxes"].rows() == [("b", 0.4), ("c", 0.2)]
    assert right["object_states"].rows() == [("s",)]
