"""What decisions of people are worth now: the latest on the content as it is, stale and in conflict.

A decision is about content, by its hash. Only decisions on the content as it is now can stand; among
them those of the latest round, and in it each reviewer's latest (without a time: all). Reviewers of one round who disagree
are both shown and neither is followed: a later round decides.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from expectations.schemas.identity import digest

DECIDED = pl.Schema(
    {
        "item_id": pl.String(),
        "verdict": pl.String(),
        "value": pl.String(),
        "reviewer": pl.String(),
        "stale": pl.Boolean(),
        "state": pl.String(),
        "round": pl.Int64(),
        "decided_at": pl.String(),
        "item_hash": pl.String(),
        "reason": pl.String(),
    }
)
"""Columns of `standing`."""


def item_hash(item_kind: str, *content: str | None) -> str:
    """Hash of what is judged.

    Args:
        item_kind: Kind of the item.
        content: What a reviewer judges, and nothing that may change without making the judgement
            void: of a label set the narration it was read from.
    """
    return digest([item_kind, *(f"={part}" if part is not None else "" for part in content)])


def standing(reviews: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """The decision that holds for each item that was ever judged.

    Args:
        reviews: Rows of `reviews` on one source and of one kind.
        items: What there is to judge now: `item_id` (once each) and `item_hash`.

    Returns:
        One row per judged item, by item id, in the columns of `DECIDED`. `state` is `standing`,
        `stale` (the content is another one now), `gone` (there is no such item any more) or
        `conflict`; `stale` is true for the middle two. A conflict has no verdict and no value, and
        names all its reviewers. `reason` is what they remarked, separated by `; `. Only rows that stand
        are to be followed.
    """
    judged = decision_states(reviews, items)
    rows = []
    for (item,), group in judged.group_by("item_id", maintain_order=True):
        leading = [row for row in group.iter_rows(named=True) if row["leads"]]
        last = leading[-1]
        remarks = dict.fromkeys(row["note"] for row in leading if row["note"] is not None)
        agreed = last["state"] != "conflict"
        rows.append(
            {
                "item_id": item,
                "verdict": last["verdict"] if agreed else None,
                "value": last["value"] if agreed else None,
                "reviewer": ", ".join(sorted({row["reviewer"] for row in leading})),
                "stale": last["state"] in ("stale", "gone"),
                "state": last["state"],
                "round": last["round"],
                "decided_at": last["decided_at"],
                "item_hash": last["item_hash"],
                "reason": "; ".join(remarks) or None,
            }
        )
    return pl.DataFrame(rows, schema=DECIDED)


def decision_states(reviews: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """Every decision with what it is worth now.

    Args:
        reviews: Rows of `reviews` on one source and of one kind.
        items: As for `standing`.

    Returns:
        `reviews`, by item and time, with `state` (`standing`, `superseded` by a later decision on
        the same content, `stale`, `gone`, `conflict`) and `leads`: whether it is among the latest.
    """
    now = dict(items.select("item_id", "item_hash").iter_rows())
    if len(now) != items.height:
        raise ValueError("items to judge are given twice")
    by_item: dict[str, list[dict[str, Any]]] = defaultdict(list)
    order = ["item_id", "round", "decided_at", "reviewer", "decision_id"]
    for row in reviews.sort(order, nulls_last=False).iter_rows(named=True):
        by_item[row["item_id"]].append(row)
    rows = [row for item, said in by_item.items() for row in _judged(said, now.get(item))]
    schema = {**reviews.schema, "state": pl.String(), "leads": pl.Boolean()}
    return pl.DataFrame(rows, schema=schema)


def _judged(said: list[dict[str, Any]], now: str | None) -> Iterable[dict[str, Any]]:
    """Decisions on one item, in order of time."""
    fitting = [row for row in said if row["item_hash"] == now]
    leading = _latest(fitting or said)
    effects = {_effect(row) for row in leading}
    for row in said:
        leads = any(row is one for one in leading)
        if now is None:
            state = "gone"
        elif row["item_hash"] != now:
            state = "stale"
        elif not leads:
            state = "superseded"
        else:
            state = "conflict" if len(effects) > 1 else "standing"
        yield {**row, "state": state, "leads": leads}


def _latest(said: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each reviewer's latest decisions in the latest round; several only where no time tells.

    A decision without a time may be the latest: it stands beside the latest of those that have one.
    """
    last = max(row["round"] for row in said)
    of_round = [row for row in said if row["round"] == last]
    when: dict[str, str] = {}
    for row in of_round:
        when[row["reviewer"]] = max(when.get(row["reviewer"], ""), row["decided_at"] or "")
    return [row for row in of_round if row["decided_at"] in (None, "", when[row["reviewer"]])]


def _effect(row: Mapping[str, Any]) -> tuple[bool, str | None]:
    """What following a decision would do: accepting what was shown is like stating it."""
    return row["verdict"] != "reject", None if row["verdict"] == "reject" else row["value"]
