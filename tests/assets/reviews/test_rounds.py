"""Agreement of the reviewers of a round, from decisions by hand."""

from __future__ import annotations

from typing import Any

import pytest

from assets.dagster.numbers import numbers
from assets.reviews.rounds import review_agreement
from assets.reviews.states import Judged
from expectations.schemas import TABLES
from pipelines.cli.review_status import _agreement


def decided(
    reviewer: str, item: str, verdict: str, value: str | None = None, **more: Any
) -> dict[str, Any]:
    row = {
        "source": "house",
        "item_kind": "label",
        "item_id": item,
        "item_hash": f"{item}'s content",
        "verdict": verdict,
        "value": value or (None if verdict == "reject" else f"{item}'s labels"),
        "reviewer": reviewer,
        "round": 1,
        "source_file": "a.csv",
    } | more
    return row | {"decision_id": " ".join(map(str, row.values()))}


def agreements(*rows: dict[str, Any]) -> list[dict[str, Any]]:
    items = sorted({row["item_id"] for row in rows})
    states = TABLES["review_states"].frame(
        {"item_id": item, "recording_id": f"r{int(item[1:]) % 3}"} for item in items
    )
    now = states.select("item_id", "recording_id")
    found = review_agreement(
        Judged("house", "label", TABLES["reviews"].frame(rows), now, unusable={})
    )
    assert found.schema == TABLES["review_agreement"].schema
    return found.to_dicts()


def test_reviewers_who_agree_beyond_chance() -> None:
    verdicts = {"ann": "arraarara", "bob": "arraararr"}
    names = {"a": "accept", "r": "reject"}
    rows = [
        decided(reviewer, f"i{n}", names[letter])
        for reviewer, said in verdicts.items()
        for n, letter in enumerate(said)
    ]
    (row,) = agreements(*rows)
    assert (row["n_annotators"], row["n_items"], row["round"]) == (2, 9, 1)
    # 8 of 9 agree; by chance (5 x 4 + 4 x 5) / 81.
    chance = (5 * 4 + 4 * 5) / 81
    assert row["kappa"] == pytest.approx((8 / 9 - chance) / (1 - chance))
    assert row["multi_kappa"] == pytest.approx(row["kappa"])
    assert row["same_outcome"] == pytest.approx(8 / 9)
    assert row["alpha_low"] < row["alpha"] < row["alpha_high"]
    assert row["agreement_reason"] is None
    frame = TABLES["review_agreement"].frame([row])
    assert _agreement(row) == (
        f"9 items judged by several of 2 reviewers; alpha {row['alpha']:.2f} ({row['alpha_low']:.2f} to"
        f" {row['alpha_high']:.2f}), kappa {row['kappa']:.2f}, 89% of pairs with the same outcome"
    )
    assert numbers("review_agreement", frame.lazy()) == {"alpha of labels": round(row["alpha"], 4)}


def test_corrections_are_one_verdict_and_different_outcomes() -> None:
    (row,) = agreements(
        decided("ann", "i1", "correct", "[1]"),
        decided("bob", "i1", "correct", "[2]"),
        decided("ann", "i2", "accept"),
        decided("bob", "i2", "correct", "i2's labels"),
        decided("ann", "i3", "reject"),
        decided("bob", "i3", "reject"),
    )
    assert row["same_outcome"] == pytest.approx(2 / 3)
    assert row["kappa"] == pytest.approx((2 / 3 - 3 / 9) / (1 - 3 / 9))


def test_one_reviewer_alone_and_one_verdict_alone() -> None:
    (row,) = agreements(decided("ann", "i1", "accept"), decided("ann", "i2", "reject"))
    assert (row["alpha"], row["same_outcome"]) == (None, None)
    assert row["agreement_reason"] == "only one annotator judged anything"
    (row,) = agreements(decided("ann", "i1", "accept"), decided("bob", "i1", "accept"))
    assert (row["alpha"], row["kappa"], row["same_outcome"]) == (None, None, 1.0)
    assert row["agreement_reason"] == "every judgement is the same, as it would be by chance"
    assert _agreement(row).endswith(
        "; no agreement beyond chance can be stated: every judgement is the same, as it would be by chance"
    )


def test_rounds_and_contents_are_kept_apart() -> None:
    rows = agreements(
        decided("ann", "i1", "accept"),
        decided("bob", "i1", "reject", round=2),
        decided("bob", "i1", "accept", item_hash="an older content"),
    )
    assert [(row["round"], row["n_items"], row["n_annotators"]) for row in rows] == [
        (1, 0, 2),
        (2, 0, 1),
    ]


def test_the_latest_decision_of_a_reviewer_counts() -> None:
    at = [f"2026-01-0{day}T00:00:00Z" for day in (1, 2)]
    same = [decided("ann", "i2", "reject"), decided("bob", "i2", "reject")]
    (row,) = agreements(
        *same,
        decided("ann", "i1", "reject", decided_at=at[0]),
        decided("ann", "i1", "accept", decided_at=at[1]),
        decided("bob", "i1", "accept", decided_at=at[0]),
    )
    assert row["kappa"] == 1.0
    # Without a time it may be the later one: nothing is known of what this reviewer decided.
    (row,) = agreements(
        *same,
        decided("ann", "i1", "reject"),
        decided("ann", "i1", "accept", decided_at=at[1]),
        decided("bob", "i1", "accept", decided_at=at[0]),
    )
    assert row["n_items"] == 1
