"""What people are asked to write about movements, and what others are asked to accept (EgoExoBench A.3).

In the first round annotators get described moments that name a direction or a way of going, with what follows
from poses as a suggestion where anything does. In later rounds somebody else gets what they wrote.
"""

from __future__ import annotations

import polars as pl

from assets.labels.narrated_verbs import NarratedVerbs
from assets.questions.egoexobench import direction_prediction as measured
from assets.questions.egoexobench.described import described_moments
from assets.questions.egoexobench.direction_prediction import DIRECTIONS, MOVES, names_a_way
from assets.questions.kit.builder import Tables
from assets.questions.kit.takes import cameras, synchronous_clocks
from assets.reviews.directions import KIND, direction_items
from assets.sources.reviews.forms import QUEUE
from assets.sources.reviews.values import canonical

DIRECTION_QUEUE = pl.Schema(
    {
        **QUEUE,
        "views": pl.List(
            pl.Struct({"recording_id": pl.String, "start_s": pl.Float64, "end_s": pl.Float64})
        ),
    }
)
"""A queue of movements with the clips that people watch: the wearer's, then each fixed camera's."""
_TEXT = "In which candidate view does {} move {}?"


def direction_queue(tables: Tables, round_: int) -> pl.DataFrame:
    """Moments of a take for people to decide on.

    Args:
        tables: What the builder reads, of the take; of `recordings` and `segments` all columns.
        round_: Round the decisions will belong to.

    Returns:
        Columns of `DIRECTION_QUEUE`, by time. `text` names the description and, for each view, its recording and the
        span to watch; `shown` is the suggestion, or from the second round on what annotators wrote.
    """
    states = tables["review_states"].filter(pl.col("item_kind") == KIND)
    held = {row["item_id"]: row for row in states.iter_rows(named=True)}
    suggested = _suggested(tables) if round_ == 1 else {}
    hashes = dict(
        direction_items(tables["segments"], tables["recordings"])
        .select("item_id", "item_hash")
        .iter_rows()
    )
    clocks = synchronous_clocks(tables["clocks"])
    worn, fixed = (cameras(tables["recordings"], clocks, view) for view in ("ego", "exo"))
    wearers = {camera.uid: camera for camera in worn}
    narrated = NarratedVerbs(tables["labels"])
    rows = []
    moments = described_moments(tables["segments"]).filter(pl.col("ego_visible").fill_null(False))
    for row in moments.iter_rows(named=True):
        key, wearer = str(row["segment_id"]), wearers.get(row["recording_id"])
        state = held.get(key)
        why = _why(None if state is None else state["state"], round_)
        if wearer is None or not why or not names_a_way(narrated.of(key)):
            continue
        span = (wearer.clock.to_take(row["shown_from"]), wearer.clock.to_take(row["shown_to"]))
        filming = [camera for camera in fixed if camera.films(span)]
        if len(filming) <= measured.DISTRACTORS:
            continue
        views = [
            {
                "recording_id": c.uid,
                "start_s": c.clock.from_take(span[0]),
                "end_s": c.clock.from_take(span[1]),
            }
            for c in (wearer, *filming)
        ]
        clips = [
            f"{view['recording_id']} from {view['start_s']:.2f} s to {view['end_s']:.2f} s"
            for view in views
        ]
        written = None if state is None else state["value"]
        rows.append(
            {
                "source": row["source"],
                "item_kind": KIND,
                "item_id": key,
                "item_hash": hashes[key],
                "why": why,
                "text": "; ".join([str(row["narration"]), *clips]),
                "original": None,
                "shown": suggested.get(key) if round_ == 1 else written,
                "other_reading": None,
                "recording_id": row["recording_id"],
                "start_s": row["shown_from"],
                "end_s": row["shown_to"],
                "views": views,
            }
        )
    return pl.DataFrame(rows, schema=DIRECTION_QUEUE)


def _why(state: str | None, round_: int) -> str:
    """Why somebody is asked in a round; empty if nobody is."""
    if round_ == 1:
        return "not_written" if state is None else state if state in ("stale", "gone") else ""
    return {"unusable": "not_accepted", "conflict": "conflict"}.get(state or "", "")


def _suggested(tables: Tables) -> dict[str, str]:
    """Direction that follows from poses, by description."""
    given = {name: tables[name] for name in measured.BUILDER.reads}
    given["review_states"] = given["review_states"].clear()
    found = {}
    for question in measured.BUILDER.make(given).iter_rows(named=True):
        role = f"option_{question['answer']}"
        shown = {medium["role"]: medium for medium in question["media"]}
        direction = next(d for d in DIRECTIONS if question["text"] == _TEXT.format(MOVES, d))
        said = {"view": shown[role]["recording_id"], "direction": direction, "moves": MOVES}
        found[shown["query"]["segment_id"]] = canonical(said)
    return found
