"""Directions that people write of described movements, and what makes such a decision count (EgoExoBench A.3).

An annotator states who or what moves in which direction in one of the fixed cameras' views, or rejects the moment
as unclear. In a later round somebody who took no part so far accepts it, if that view and no other fits. Only then
does a question follow from it.
"""

from __future__ import annotations

import json

import polars as pl

from assets.sources.reviews.standing import item_hash, standing

KIND = "direction"


def direction_items(segments: pl.DataFrame, recordings: pl.DataFrame) -> pl.DataFrame:
    """What there is to judge: described moments, with the views of their take.

    Args:
        segments: Rows of `segments`.
        recordings: Rows of `recordings` of the source.

    Returns:
        `item_id`, `item_hash` (of the description and of all views and their files), `recording_id`.
    """
    takes: dict[str, list[str]] = {}
    take_of: dict[str, str] = {}
    for row in recordings.sort("recording_id").iter_rows(named=True):
        files = "+".join(row["media_hashes"] or ())
        takes.setdefault(row["take_id"], []).append(f"{row['view']} {row['recording_id']} {files}")
        take_of[row["recording_id"]] = row["take_id"]
    described = segments.filter((pl.col("kind") == "atomic") & pl.col("narration").is_not_null())
    rows = [
        {
            "item_id": row["segment_id"],
            "item_hash": item_hash(
                KIND, row["narration"], str(row["start_s"]), *takes[take_of[row["recording_id"]]]
            ),
            "recording_id": row["recording_id"],
        }
        for row in described.iter_rows(named=True)
        if row["recording_id"] in take_of
    ]
    return pl.DataFrame(
        rows, schema={"item_id": pl.String, "item_hash": pl.String, "recording_id": pl.String}
    )


def unusable_directions(
    reviews: pl.DataFrame, items: pl.DataFrame, recordings: pl.DataFrame
) -> dict[str, str]:
    """Standing decisions that no question follows from, by item, and why.

    Args:
        reviews: Decisions on directions of one source.
        items: As `direction_items` gives them.
        recordings: Rows of `recordings` of the source.
    """
    take_of = dict(recordings.select("recording_id", "take_id").iter_rows())
    views: dict[str, set[str]] = {}
    for uid, take in recordings.filter(pl.col("view") == "exo").select("recording_id", "take_id").iter_rows():  # fmt: skip
        views.setdefault(take, set()).add(uid)
    places = dict(items.select("item_id", "recording_id").iter_rows())
    found: dict[str, str] = {}
    held = standing(reviews, items).filter(pl.col("state") == "standing")
    for row in held.filter(pl.col("verdict") != "reject").iter_rows(named=True):
        known = views.get(take_of[places[row["item_id"]]], set())
        why = _unwritten(row["value"], known) or _unreviewed(row, reviews)
        if why:
            found[row["item_id"]] = why
    return found


def _unwritten(value: str | None, views: set[str]) -> str:
    """Why a value states no direction in one of the views; empty if it does."""
    if value is None:
        return "no direction is written: state one, or reject the moment"
    view = json.loads(value)["view"]
    if view not in views:
        return f"view {view!r} is not one of the fixed cameras of the take: name one of {sorted(views)}"
    return ""


def _unreviewed(row: dict[str, str | int], reviews: pl.DataFrame) -> str:
    """Why nobody but its annotators has accepted a direction; empty if somebody has."""
    same = (pl.col("item_id") == row["item_id"]) & (pl.col("item_hash") == row["item_hash"])
    before = reviews.filter(same & (pl.col("round") < row["round"]))
    last = reviews.filter(same & (pl.col("round") == row["round"]))
    annotators = set(before["reviewer"])
    written = before.filter((pl.col("value") == row["value"]) & (pl.col("verdict") != "reject"))
    reviewers = set(last["reviewer"])
    if row["verdict"] == "accept" and written.height and not annotators & reviewers:
        return ""
    names = ", ".join(sorted(annotators | reviewers))
    return (
        f"nobody but {names} has judged this direction: somebody else accepts it, as it is, in a later"
        " round"
    )
