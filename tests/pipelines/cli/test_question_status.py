"""What status says of questions: how many of each recipe, or what the source lacks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.options import Options, silent
from assets.questions.kit.builder import Need, builders
from assets.questions.kit.needs import pairs_with
from assets.scene_graphs.stage import STAGE as SCENE_GRAPHS
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from pipelines.cli.question_status import question_lines
from resources.config import Settings, load_settings
from tests.stages import refresh_questions

DOCS = Path(__file__).parents[3] / "docs/own-recordings.md"
CONFIG = """
store = "tables"
[sources.mine]
layout = "own"
root = "raw"
[benchmarks.egocot]
protocol = "egocot_direct"
sources = ["mine"]
[benchmarks.egoexobench]
protocol = "egoexobench_direct"
sources = ["mine"]
[benchmarks.egoprox]
protocol = "egoprox_direct"
sources = ["mine"]
"""
COT, EXO, PAIRS, PROX = (
    "egocot, active_object_grounding@2",
    "egoexobench, action_relation_lemma@1",
    "egoexobench, action_relation_egoexolearn@2",
    "egoprox, intention_relative@2",
)
Files = dict[str, Any]


def examples() -> Files:
    """Files that the page on own recordings shows, JSON parsed."""
    found = re.findall(
        r"```(\w+) (recordings/\S+)\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL
    )
    return {path: json.loads(text) if kind == "json" else text for kind, path, text in found}


def installed(
    folder: Path, files: Files, ask: tuple[str, ...] = ("egocot", "egoexobench")
) -> Settings:
    """A source with its graphs, and the questions of some benchmarks."""
    for path, content in files.items():
        target = folder / "raw" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content)
        target.write_text(text, encoding="utf-8")
    (folder / "parallax.toml").write_text(CONFIG, encoding="utf-8")
    settings = load_settings(folder / "parallax.toml")
    SOURCES.refresh(settings, "mine", Options(), silent)
    SCENE_GRAPHS.refresh(settings, "mine", Options(), silent)
    for benchmark in ask:
        refresh_questions(settings, benchmark, Options(), silent)
    return settings


def lines(settings: Settings) -> dict[str, str]:
    """Outcome by recipe."""
    said = (line.strip().partition(": ") for line in question_lines(settings, "mine"))
    return {head: outcome for head, _, outcome in said}


def test_the_examples_of_the_page_give_the_questions_it_names(tmp_path: Path) -> None:
    text = DOCS.read_text(encoding="utf-8")
    (named,) = re.findall(r"(\d+) questions of EgoCoT-Bench and (\d+) of EgoExoBench", text)
    settings = installed(tmp_path, examples())
    found = lines(settings)
    # The page's files come without videos.
    counts = {head: line.split()[0] for head, line in found.items() if " questions, " in line}
    for head, n in counts.items():
        unseen = f"{n} without their media here: no frame can be sent"
        assert found[head] == f"{n} questions, {n} published, {unseen}"
    assert sum(int(n) for head, n in counts.items() if head.startswith("egocot")) == int(named[0])
    assert counts[EXO] == named[1]
    assert found[PROX] == "no question: no objects in 3D, and no narrated thing in hands in 3D"
    assert "no recording has both a scenario and a split" in found[PAIRS]
    (others,) = [head for head in found if head.startswith("no questions of")]
    assert others == "no questions of egobridge, egocross, egoexobench_duplicates"
    # By hand from the page: from 8 s on the wearer picks up the sugar and closes the drawer; the
    # cup of 13.75 s has only the sugar and the drawer beside it that are acted on, too, and are
    # left alone then.
    questions = settings.store.read(TABLES["questions"], "egocot")
    answers = questions.group_by("subtask").agg(pl.col("answer_text").sort())
    assert dict(answers.iter_rows()) == {
        "active_object_grounding": ["drawer", "sugar"],
        # The hand of the drawer is not annotated.
        "hand_object_association": ["the left hand on the sugar", "the right hand on the cup"],
        # The last clip begins after the drawer was opened, and while the cup is filled.
        "hand_object_temporal_retrospection": [
            "the drawer, then the cup, then the spoon",
            "the spoon, then the sugar, then the drawer",
        ],
        # The drawer was opened, and the cup filled, when the sugar has been picked up.
        "local_cause_outcome_inference": [
            "the action from 1.0 s to 3.0 s",
            "the action from 3.8 s to 7.0 s",
        ],
        # The cup is stirred until 15 s, and the drawer closed at 20 s; the clips end at 13.75 and 20.75 s.
        "progress_reasoning": ['"close drawer" is completed', '"stir cup" is under way'],
    }


def two_actors(files: Files) -> None:
    graph = files["recordings/tea_1.json"]
    del graph["recording"]["person"]
    graph["nodes"].append({"id": "P2", "kind": "person"})
    next(e for e in graph["edges"] if e["id"] == "e12")["from"] = "P2"


def without_objects(files: Files) -> None:
    graph = files["recordings/tea_1.json"]
    graph["edges"] = [e for e in graph["edges"] if e["relation"] == "does"]


def only_the_start(files: Files) -> None:
    for node in files["recordings/tea_1.json"]["nodes"]:
        for name in ("start_s", "end_s"):
            if name in node:
                node[name] /= 3
    for edge in files["recordings/tea_1.json"]["edges"]:
        edge.pop("hand", None)


def from_outside(files: Files) -> None:
    files["recordings/tea_1.json"]["recording"]["view"] = "exo"


def few_things(files: Files) -> None:
    graph = files["recordings/tea_1.json"]
    gone = {"kettle", "sugar", "spoon"}
    graph["edges"] = [e for e in graph["edges"] if e["to"] not in gone]


def two_at_once(files: Files) -> None:
    graph = files["recordings/tea_1.json"]
    for action in ("a3", "a4", "a5"):
        edge = {"id": f"both {action}", "from": action, "to": "kettle"}
        graph["edges"].append(edge | {"relation": "direct object"})


@pytest.mark.parametrize(
    ("change", "recipe", "reason"),
    [
        (two_actors, COT, "no action is the camera wearer's"),
        (without_objects, COT, "no action of the camera wearer has a direct object"),
        (only_the_start, COT, "nothing is acted on 8 s or later"),
        (from_outside, COT, "no ego recording"),
        (few_things, COT, "a recording names at most 2 things"),
        (two_at_once, COT, "nothing meets its limits (one object acted on at a time"),
        (lambda f: f.pop("recordings/tea_1_room.json"), EXO, "no take has both an ego and an exo"),
        (lambda f: f["recordings/tea_1.json"].update(nodes=[], edges=[]), EXO,
         "no segment of kind action"),
        (lambda f: f["recordings/tea_1.json"].update(nodes=[], edges=[]), COT, "no relations"),
        (lambda f: f.pop("recordings/tea_1_room.json"), PAIRS, "no exo recording"),
    ],
)  # fmt: skip
def test_the_reason_is_what_the_source_lacks(
    tmp_path: Path, change: Callable[[Files], object], recipe: str, reason: str
) -> None:
    files = examples()
    change(files)
    # What a source lacks is told before any question is computed; limits only after.
    ask = ("egocot",) if "limits" in reason else ()
    found = lines(installed(tmp_path, files, ask))
    assert found[recipe].startswith(f"no question: {reason}")


def test_what_was_not_computed_yet_is_told_apart(tmp_path: Path) -> None:
    (tmp_path / "parallax.toml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "raw").mkdir()
    empty = lines(load_settings(tmp_path / "parallax.toml"))
    assert empty[COT] == "no question: nothing is read yet"
    found = lines(installed(tmp_path, examples(), ask=()))
    assert found[COT] == found[EXO] == "not computed yet: run `parallax run`"


def test_questions_that_no_gate_passes_name_the_gates(tmp_path: Path) -> None:
    settings = installed(tmp_path, examples(), ("egocot",))
    table = TABLES["question_gates"]
    verdicts = settings.store.read(table, "egocot").with_columns(
        verdict=pl.when(pl.col("gate") == "margin").then(pl.lit("refuse")).otherwise("verdict")
    )
    settings.store.replace(table, "egocot", verdicts["pool"].unique().to_list(), verdicts)
    assert lines(settings)[COT] == "2 questions, none published: refused by margin 2"


# -- pairs, whose stages are costly: the needs on tables written down by hand ----------------------


def recording(uid: str, view: str, **more: object) -> dict:
    return {"source": "s", "recording_id": uid, "view": view, "scenario": "tea"} | more


BOTH = [recording("e", "ego", split="val"), recording("x", "exo", split="val")]
FINE = [{"kind": "fine"}]
PAIR = {"split": "val", "negative_segment_ids": ["a"] * 4}


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ({}, "no ego and no exo recording"),
        ({"recordings": BOTH[:1]}, "no exo recording"),
        ({"recordings": [recording("e", "ego"), recording("x", "exo")]},
         "no recording has both a scenario and a split"),
        ({"recordings": [BOTH[0], recording("x", "exo", split="test")]},
         "no scenario and split has both"),
        ({"recordings": BOTH}, "no segment of kind fine"),
        ({"recordings": BOTH, "segments": FINE}, "no narration has a verb"),
        ({"recordings": BOTH, "segments": FINE, "labels": [{"class_id": None}]}, "no narration has a verb"),
        ({"recordings": BOTH, "segments": FINE, "labels": [{"class_id": 3}]}, "no ego and exo segment of one scenario"),
        ({"recordings": BOTH, "segments": FINE, "labels": [{"class_id": 3}],
          "candidates": [{"stage": "sets"}, {"stage": "sets"}, {"stage": "sentence"}]},
         "no candidate became a pair; they reached: sets 2, sentence 1"),
        ({"recordings": BOTH, "segments": FINE, "labels": [{"class_id": 3}], "pairs": [PAIR | {"split": "train"}]},
         "its pairs are of split train; val and test are asked"),
        ({"recordings": BOTH, "segments": FINE, "labels": [{"class_id": 3}], "pairs": [PAIR]},
         "a pair has at most 4 negatives; 19 are needed"),
        ({"recordings": BOTH, "segments": FINE, "labels": [{"class_id": 3}],
          "pairs": [PAIR | {"negative_segment_ids": ["a"] * 19}]}, None),
    ],
)  # fmt: skip
def test_the_reason_for_no_pairs(rows: dict[str, list[dict]], reason: str | None) -> None:
    def first(needs: tuple[Need, ...]) -> str | None:
        for need in needs:
            given = {
                name: TABLES[name].frame(rows.get(name, ())).select(columns)
                for name, columns in need.reads.items()
            }
            why = need.missing(given)
            if why is not None:
                return why
        return None

    why = first(pairs_with(19, ("val", "test")))
    assert why == reason if reason is None else (why or "").startswith(reason)


@pytest.mark.parametrize("module", sorted(builders()))
def test_every_recipe_says_what_it_needs(module: str) -> None:
    builder = builders()[module]
    assert builder.needs and builder.limits
    for need in builder.needs:
        for name, columns in need.reads.items():
            assert set(columns) <= set(TABLES[name].schema), name
        # Nothing at all is the least a source can hold: some need says so of it.
    empty = {name: TABLES[name].empty() for need in builder.needs for name in need.reads}
    assert any(need.missing(empty) for need in builder.needs)
