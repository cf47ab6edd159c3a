"""How far the reviewers of a round agree on what they judged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

import polars as pl

from assets.agreement import Judgement, agreement
from assets.reviews.states import Judged
from expectations.schemas import TABLES

Outcome = tuple[str, str | None]
"""Verdict of a reviewer, and what holds if it is followed."""


def review_agreement(judged: Judged) -> pl.DataFrame:
    """Rows of `review_agreement`: the rounds in which anybody judged.

    Only decisions on the same content are compared, whether that content is still in force or not. Of a
    reviewer's decisions on it in the round the latest counts; where no time tells which is the latest and they
    differ, none does.
    """
    places = dict(judged.items.select("item_id", "recording_id").iter_rows())
    rounds: dict[int, dict[tuple[str, str], dict[str, list[dict[str, Any]]]]] = defaultdict(dict)
    for row in judged.reviews.sort("decision_id").iter_rows(named=True):
        items = rounds[row["round"]].setdefault((row["item_id"], row["item_hash"]), {})
        items.setdefault(row["reviewer"], []).append(row)
    table = TABLES["review_agreement"]
    rows = []
    for round_, items in rounds.items():
        outcomes: dict[tuple[str, str], dict[str, Outcome]] = {}
        for key, said in items.items():
            latest = {name: _latest(decisions) for name, decisions in said.items()}
            outcomes[key] = {name: one for name, one in latest.items() if one is not None}
        names = {key: " ".join(key) for key in outcomes}
        found = agreement(
            (
                Judgement(reviewer, names[key], verdict)
                for key, said in outcomes.items()
                for reviewer, (verdict, _) in said.items()
            ),
            {names[key]: (places.get(key[0]) or key[0],) for key in outcomes},
        )
        rows.append(
            {
                "source": judged.source,
                "item_kind": judged.item_kind,
                "round": round_,
                **found.columns(),
                "same_outcome": _same_outcome(outcomes.values()),
            }
        )
    return table.frame(rows).sort(table.key)


def _latest(decisions: list[dict[str, Any]]) -> Outcome | None:
    """What a reviewer decided at last; None where that cannot be said."""
    last = max(row["decided_at"] or "" for row in decisions)
    leading = {_outcome(row) for row in decisions if row["decided_at"] in (None, "", last)}
    return leading.pop() if len(leading) == 1 else None


def _outcome(row: Mapping[str, Any]) -> Outcome:
    return row["verdict"], None if row["verdict"] == "reject" else row["value"]


def _same_outcome(items: Iterable[Mapping[str, Outcome]]) -> float | None:
    """Share of pairs of reviewers with the same effect; accepting what is shown is like stating it."""
    same = [
        (one[0] == "reject", one[1]) == (two[0] == "reject", two[1])
        for said in items
        for one, two in combinations(said.values(), 2)
    ]
    return sum(same) / len(same) if same else None
