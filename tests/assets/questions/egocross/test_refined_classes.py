"""Refined classes: what a changed line of the reviewed list changes in questions about tools, and what it leaves."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from assets.questions.egocross.object_counting import BUILDER as COUNTING
from assets.questions.egocross.object_not_visible import BUILDER as NOT_VISIBLE
from assets.questions.kit.builder import Builder
from assets.questions.stage import builders_of
from assets.sources.refined import refined_classes
from tests.assets.questions.egocross.animals import Row, Tables, assert_whole, released
from tests.assets.questions.egocross.surgeries import TOOLS, Seen, counting_as, operations

# Subtasks that count things at a workbench as the list of ENIGMA-51 says.
OF_THINGS = ("dominant_object", "object_counting", "object_not_visible")
# Tools in view in each recording: four of seven, in turn; none shows all.
SEEN: dict[str, Seen] = {
    f"V{i:02}": {(TOOLS[(i + k) % 7], None): range(10) for k in range(4)} for i in range(14)
}


@pytest.fixture(scope="module")
def tables() -> Tables:
    return counting_as(operations(SEEN))


def by_id(builder: Builder, tables: Tables) -> dict[str, Row]:
    made = builder.make(tables)
    assert_whole(made)
    return {q["question_id"]: q for q in made.to_dicts()}


def moved(before: dict[str, Row], after: dict[str, Row]) -> set[str]:
    """Questions that a change adds, takes away or changes in any column."""
    return {uid for uid in before.keys() | after.keys() if before.get(uid) != after.get(uid)}


@pytest.mark.parametrize("reading", ["strict", "paper"])
@pytest.mark.parametrize("builder", [COUNTING, NOT_VISIBLE], ids=lambda b: b.recipe)
def test_a_list_without_mergers_changes_nothing(
    builder: Builder, reading: str, tables: Tables
) -> None:
    bare = operations(SEEN)
    assert bare["taxonomies"].is_empty()
    builder = builder.under(reading)
    assert by_id(builder, bare) == by_id(builder, tables)


def test_two_classes_that_count_as_one_are_counted_once(tables: Tables) -> None:
    """Only clips that show both move, and each of these by one."""
    builder = COUNTING.under("paper")
    before = by_id(builder, tables)
    after = by_id(builder, counting_as(tables, hook="bipolar"))
    both = {
        uid
        for uid, q in before.items()
        if {("hook", None), ("bipolar", None)} <= SEEN[q["recording_id"]].keys()
    }
    told = {uid for uid, q in before.items() if ("hook", None) in SEEN[q["recording_id"]]}
    assert both and both < told < before.keys()
    assert moved(before, after) == told, "the explanation names what was counted"
    for uid, q in after.items():
        fewer = int(before[uid]["answer_text"]) - int(q["answer_text"])
        assert fewer == (uid in both)
    assert all(before[uid]["question_hash"] == after[uid]["question_hash"] for uid in told - both)


@pytest.mark.parametrize("builder", [COUNTING, NOT_VISIBLE], ids=lambda b: b.recipe)
def test_a_changed_line_about_a_class_that_is_never_boxed_moves_nothing(
    builder: Builder, tables: Tables
) -> None:
    seen = {uid: {k: v for k, v in held.items() if k[0] != "hook"} for uid, held in SEEN.items()}
    given = operations(seen)
    before = by_id(builder, counting_as(given))
    assert moved(before, by_id(builder, counting_as(given, hook="bipolar"))) == set()


def test_what_is_in_view_under_another_class_is_not_absent(tables: Tables) -> None:
    after = by_id(NOT_VISIBLE, counting_as(tables, hook="bipolar"))
    for q in after.values():
        seen = {tool for tool, _ in SEEN[q["recording_id"]]}
        seen = {"bipolar" if tool == "hook" else tool for tool in seen}
        values = {o["value"]: o["is_answer"] for o in q["options"]}
        assert "hook" not in values
        assert [v for v in values if v not in seen] == [v for v, right in values.items() if right]


def test_a_changed_line_reaches_no_other_recipe_of_the_benchmark() -> None:
    """What a recipe does not read changes none of its questions."""
    built = builders_of("egocross").values()
    assert {b.recipe for b in built if "taxonomies" in b.reads} == {
        COUNTING.recipe,
        NOT_VISIBLE.recipe,
        *(f"{subtask}_enigma51@1" for subtask in OF_THINGS),
    }


HEAD = "taxonomy,label,refined,version,reviewed\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tool,hook,hook\n", "columns"),
        (HEAD + "tool,hook,hook,1,\n", "no review"),
        (HEAD + "tool,hook,hook,new,me\n", "no version"),
        (HEAD + "tool,hook,hook,1,me\ntool,hook,bipolar,2,me\n", "twice"),
        (HEAD + "tool,hook,bipolar,1,me\ntool,bipolar,forceps,1,me\n", "counts as another"),
    ],
)
def test_a_list_that_nobody_reviewed_or_that_contradicts_itself_is_refused(
    text: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "refined.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        refined_classes(str(tmp_path / "x.py"), "refined.csv")


@pytest.mark.parametrize(
    ("layout", "taxonomy", "n", "refined"),
    [
        ("cholectrack20", "tool", 7, 7),
        ("egosurgery", "tool", 15, 15),
        ("enigma51", "object", 25, 17),
    ],
)
def test_the_lists_of_the_datasets_name_each_class(
    layout: str, taxonomy: str, n: int, refined: int
) -> None:
    folder = Path(refined_classes.__code__.co_filename).parent / layout
    known = refined_classes(str(folder / "taxonomies.py"), "refined.csv")
    assert len(known) == n and {of for of, _ in known} == {taxonomy}
    assert pl.Series([*known.values()]).n_unique() == refined


def test_classes_of_a_workbench_count_as_the_testbed_names_them(shared: Path) -> None:
    """Every option of its questions about things is a class of the list, and every label is real."""
    folder = Path(refined_classes.__code__.co_filename).parent / "enigma51"
    known = refined_classes(str(folder / "taxonomies.py"), "refined.csv")
    counted = {refined.replace("_", " ") for refined in known.values()}
    asked = ("dominant held-object identification", "object not visible identification")
    items = [i for kind in asked for i in released(shared, kind) if i["dataset"] == "ENIGMA"]
    assert {o[3:] for i in items for o in i["options"]} <= counted
    file = shared / "data/enigma-51/Experiments/Q5_ENIGMA_TEST.json"
    answers = json.loads(file.read_text(encoding="utf-8"))["answers"].values()
    shown = {name for options in answers for option in options.values() for name in option}
    assert shown == {label for _, label in known}
