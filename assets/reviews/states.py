"""How decisions stand now, and what each reviewer of a round changed (EgoBridge B15)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from assets.sources.reviews.standing import decision_states, standing
from expectations.schemas import TABLES

_WHY = {
    "stale": "what was judged has changed since: judge it again",
    "gone": "the source has no such item any more",
    "conflict": "reviewers of this round disagree: decide in a later round",
}


@dataclass(frozen=True, slots=True)
class Judged:
    """What was decided on the items of one kind.

    Attributes:
        source: Source judged.
        item_kind: Kind of the items.
        reviews: Its decisions of this kind.
        items: What there is to judge now: `item_id`, `item_hash`, `recording_id`.
        unusable: Standing corrections that do not fit the source, by item, and why.
    """

    source: str
    item_kind: str
    reviews: pl.DataFrame
    items: pl.DataFrame
    unusable: Mapping[str, str]


_KEPT = ("item_id", "verdict", "value", "reviewer", "round", "decided_at", "stale")


def review_states(judged: Judged) -> pl.DataFrame:
    """Rows of `review_states`: every judged item with what its decisions are worth."""
    table = TABLES["review_states"]
    places = dict(judged.items.select("item_id", "recording_id").iter_rows())
    rows = []
    for row in standing(judged.reviews, judged.items).iter_rows(named=True):
        state = _state(row, judged.unusable)
        said = judged.unusable.get(row["item_id"]) if state == "unusable" else _WHY.get(state)
        rows.append(
            {
                **{name: row[name] for name in _KEPT},
                "source": judged.source,
                "item_kind": judged.item_kind,
                "recording_id": places.get(row["item_id"]),
                "state": state,
                "message": said,
            }
        )
    return table.frame(rows).sort(table.key)


def review_changes(judged: Judged) -> pl.DataFrame:
    """Rows of `review_changes`: who judged how much in which round, and what became of it."""
    table = TABLES["review_changes"]
    groups: dict[tuple[int, str], list[dict[str, Any]]] = defaultdict(list)
    for row in decision_states(judged.reviews, judged.items).iter_rows(named=True):
        groups[row["round"], row["reviewer"]].append(row)
    rows = []
    for (round_, reviewer), said in groups.items():
        verdicts = [row["verdict"] for row in said]
        states = [_state(row, judged.unusable) for row in said]
        rows.append(
            {
                "source": judged.source,
                "item_kind": judged.item_kind,
                "round": round_,
                "reviewer": reviewer,
                "items": len({row["item_id"] for row in said}),
                "accepted": verdicts.count("accept"),
                "rejected": verdicts.count("reject"),
                "corrected": verdicts.count("correct"),
                "changed": sum(
                    row["verdict"] == "correct" and row["value"] != row["shown"] for row in said
                ),
                "standing": states.count("standing"),
                "superseded": states.count("superseded"),
                "stale": states.count("stale") + states.count("gone"),
                "conflicts": states.count("conflict"),
                "unusable": states.count("unusable"),
            }
        )
    return table.frame(rows).sort(table.key)


def _state(row: Mapping[str, Any], unusable: Mapping[str, str]) -> str:
    refused = row["state"] == "standing" and row["item_id"] in unusable
    return "unusable" if refused else row["state"]
