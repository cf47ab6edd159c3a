"""Counts of what each rule of a recipe refuses: they add up, and a fault moves one of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.benchmarks import PluginError, published_counts
from assets.questions.egoexobench.task_relation import BUILDER as TASK_RELATION
from assets.questions.kit.builder import builders
from assets.questions.kit.choice import Candidate, few
from assets.questions.kit.draw import balanced_rows
from assets.questions.kit.funnel import (
    ANSWERED,
    ENOUGH,
    FEW_RULES,
    NEAR,
    UNBUILT,
    counting,
    funnel_steps,
    funnel_totals,
    refuse,
)
from assets.questions.stage import STAGE
from assets.report.rule_funnels import rule_funnels
from expectations.schemas import TABLES
from tests.assets.questions.egoexobench.test_action_order import BUILDER as ACTION_ORDER
from tests.assets.questions.egoexobench.test_action_order import LONG, pairs
from tests.assets.questions.egoexobench.test_action_relation_lemma import take
from tests.assets.questions.egoexobench.test_task_relation import TASKS, recording

Row = dict[str, Any]


def wearers_and_observers() -> list[Row]:
    """Four tasks seen from both views, in places of their own."""
    exo = [recording(f"x{i}", "exo", task, f"k{i}") for i, task in enumerate(TASKS)]
    return [*exo, *(recording(f"e{i}", "ego", task, f"h{i}") for i, task in enumerate(TASKS))]


def task_funnel(rows: list[Row]) -> list[tuple[str, int, int]]:
    tables = {"recordings": TABLES["recordings"].frame(rows)}
    with counting() as refused:
        built = TASK_RELATION.make(tables).height
    return funnel_steps("task_relation", TASK_RELATION.rules, refused, built)


def refusals(steps: list[tuple[str, int, int]]) -> dict[str, int]:
    return {rule: n for rule, n, _ in steps if n}


def test_counts_add_up_to_what_there_is() -> None:
    rows = [*wearers_and_observers(), recording("alone", "ego", "make jam", "h9")]
    steps = task_funnel(rows)
    assert steps[0] == ("candidates", 0, len(rows))
    for (_, _, before), (_, refused, left) in pairwise(steps):
        assert before - refused == left
    assert steps[-1][2] == 8 and refusals(steps) == {"same_task_elsewhere": 1}


@pytest.mark.parametrize(
    ("fault", "moved"),
    [
        (lambda r: r | {"duration_s": 3.0, "recording_id": "new", "take_id": "new"},
         "one_known_task"),
        (lambda r: r | {"scenario": "make jam", "recording_id": "new", "take_id": "new"},
         "same_task_elsewhere"),
        (lambda r: r | {"split": "train", "recording_id": "new", "take_id": "new"},
         "same_task_elsewhere"),
    ],
)  # fmt: skip
def test_a_planted_fault_moves_exactly_one_count(fault: Callable[[Row], Row], moved: str) -> None:
    rows = wearers_and_observers()
    before = task_funnel(rows)
    after = task_funnel([*rows, fault(rows[-1])])
    changed = Counter(refusals(after))
    changed.subtract(refusals(before))
    assert {rule: n for rule, n in changed.items() if n} == {moved: 1}
    assert after[-1] == before[-1], "as many questions as before"


def test_an_order_that_is_not_settled_moves_its_own_count() -> None:
    def funnel(acts: Any) -> dict[str, int]:
        with counting() as refused:
            built = ACTION_ORDER.make(take(acts, LONG)).height
        steps = funnel_steps("action_order", ACTION_ORDER.rules, refused, built)
        # Each pair of successive actions of the only wearer is shown in two ways.
        assert steps[0][2] == 2 * (len({a["segment_id"] for a in acts if "class_name" in a}) - 1)
        return refusals(steps) | {"built": steps[-1][2]}

    whole, short = funnel(pairs()), funnel(pairs(things=("cup", "pan", "jar", "lid")))
    assert whole["built"] == 10 and short.get("built") == 0
    # With four pairs, one too few hold the order: all eight candidates fall by that rule alone.
    assert short["order_settled_in_the_source"] == 8
    assert "order_settled_in_the_source" not in whole


def candidates(*places: tuple[str, float, str]) -> list[Candidate[str]]:
    return [
        Candidate(str(n), (str(n),), thing, t_s, answer, answer)
        for n, (thing, t_s, answer) in enumerate(places)
    ]


def test_few_counts_for_every_recipe_that_draws_with_it() -> None:
    asked = candidates(
        ("cup", 0.0, "x"), ("cup", 1.0, "y"), ("pan", 0.0, "x"), ("lid", 0.0, "none"),
        ("jar", 0.0, "y"), ("pot", 0.0, "z"),
    )  # fmt: skip
    with counting() as refused:
        rows = list(
            few(asked, lambda c: None if c.answer == "none" else {"answer": c.answer},
                most=2, most_per_answer=1, apart_s=2.0)
        )  # fmt: skip
    assert [row["answer"] for row in rows] == ["x", "y"]
    assert refused == {NEAR: 1, ANSWERED: 1, UNBUILT: 1, ENOUGH: 1}
    assert funnel_steps("r", (*FEW_RULES, UNBUILT), refused, len(rows))[0][2] == len(asked)


def test_of_several_draws_the_last_counts() -> None:
    def draw(_weights: Any) -> list[Row]:
        refuse("rule", 3)
        return []

    with counting() as refused:
        balanced_rows(draw, ["cup"], 4)
    assert refused == {"rule": 3}


def test_a_rule_that_is_not_listed_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"recipe r refuses candidates by \['nowhere'\]"):
        funnel_steps("r", ("rule",), Counter(nowhere=1), 0)
    refuse("nobody counts")


def test_every_recipe_of_egoexobench_lists_its_rules() -> None:
    own = [b for b in builders().values() if b.benchmark == "egoexobench"]
    without = [b.recipe for b in own if not b.rules or len(set(b.rules)) != len(b.rules)]
    assert without == []


def test_the_papers_counts_are_all_there(tmp_path: Path) -> None:
    counts = published_counts("egoexobench")
    assert sum(counts.values()) == 7330
    of_subtasks = Counter[str]()
    for (subtask, _), n in counts.items():
        of_subtasks[subtask] += n
    assert of_subtasks["task_relation"] == 557 and of_subtasks["skill_evaluation"] == 823
    assert len(of_subtasks) == 11
    assert published_counts("egobridge") == {}
    (tmp_path / "published_counts.csv").write_text("subtask,layout,questions\nx,y,many\n")
    with pytest.raises(PluginError, match="give columns subtask, layout and questions"):
        published_counts(tmp_path.name, (tmp_path,))


def funnel_rows() -> pl.DataFrame:
    base = {"benchmark": "b", "source": "s", "subtask": "order", "recipe": "order@1"}
    units = {"s/order@1/a": (4, 1), "s/order@1/b": (3, 3)}
    return TABLES["question_funnels"].frame(
        {**base, "pool": pool, "step": step, "rule": rule, "refused": n, "left": left,
         "published": 782}
        for pool, (all_, refused) in units.items()
        for step, rule, n, left in ((0, "candidates", 0, all_), (1, "long", refused, all_ - refused))
    )  # fmt: skip


def test_units_are_added_up_for_dagster_and_the_page() -> None:
    rows = funnel_rows()
    assert funnel_totals(rows).select("rule", "refused", "left").rows() == [
        ("candidates", 0, 7),
        ("long", 4, 3),
    ]
    shown = STAGE.plots["question_funnels"](rows)["candidates by rule"]
    assert "| long | 4 | 3 | 782 |" in shown
    questions = pl.DataFrame(
        {"source": ["s"] * 3, "recipe": ["order@1"] * 3, "question_id": list("xyz")}
    )
    (funnel,) = rule_funnels(rows, questions, ["x", "z"], judged=True)
    assert [(s.rule, s.left) for s in funnel.steps] == [("candidates", 7), ("long", 3)]
    assert (funnel.published, funnel.in_paper) == (2, 782)
    (unjudged,) = rule_funnels(rows, questions, [], judged=False)
    assert unjudged.published is None
