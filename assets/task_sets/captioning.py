"""Referenced captioning: caption an egocentric clip, given 0, 1 or 2 exocentric clips with theirs.

The paper (6.5.1, 6.5.2) takes references at random within the split, trains on 1,000 egocentric clips
alone, and lets all exocentric clips of a split be references; its model chooses references by the
association network (6.5.3). Both choices are made here: `ego_random` and `ego_association`, each an
item with up to two references in order: K-shot takes the first K. `exo` lists the references, which
co-training and exo-only training take for items of their own. Which clips the authors drew is not
released; draws here go by content hash, each of its own, so that a clip that is added moves only what
falls to it.

Association stands for the pairs of the source (same verbs and nouns): it knows the words that are
asked for, so that it bounds what a network's choice can give. A clip without a partner has none.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import polars as pl

from assets.pairs.choice import number_of, numbers, pair_ranks
from assets.task_sets.clips import RECORDINGS, SEGMENTS, fine_clips, placed
from assets.task_sets.task_set import Made, Mode, Tables, TaskSet
from expectations.schemas import TABLES

SHOTS = 2
TRAINING_CUT = 1_000
"""Egocentric training clips; those of lowest hash."""
RULES = ("random", "association")
_SEEDS = tuple(number_of(f"captioning reference {shot}") for shot in range(SHOTS))
_ITEMS = TABLES["task_sets"]


def make(tables: Tables, mode: Mode) -> Made:
    """Items of both rules, and the references as items of their own."""
    clips = fine_clips(tables, mode, "narration").rename({"narration": "text"})
    told = pl.col("text").is_not_null()
    # A released list without narrations says which clips are to be captioned, and withholds how.
    asked = told if mode == "paper" else told | (pl.col("split") != "train")
    ego = cut(clips.filter((pl.col("view") == "ego") & asked))
    exo = clips.filter((pl.col("view") == "exo") & told)
    pairs = tables["pairs"]
    if mode == "parity":
        # Pairs of recordings whose split is ours are not any of the release's.
        listed = tables["recordings"].filter(pl.col("split_from") == "published")
        pairs = pairs.join(
            listed, left_on="query_recording_id", right_on="recording_id", how="semi"
        )
    chosen = {"random": at_random(ego, exo), "association": by_pairs(ego, exo, pairs)}
    frames = [
        ego.with_columns(
            list=pl.lit(f"ego_{rule}"),
            item_id=pl.lit(f"{rule}:") + pl.col("segment_id"),
            references=_references(chosen[rule], exo),
        )
        for rule in RULES
    ]
    empty = pl.lit([], dtype=_ITEMS.schema["references"])
    frames.append(
        exo.with_columns(
            list=pl.lit("exo"), item_id=pl.lit("exo:") + pl.col("segment_id"), references=empty
        )
    )
    return Made(_ITEMS.fit(placed(pl.concat(frames))), TABLES["set_classes"].empty())


def cut(ego: pl.DataFrame) -> pl.DataFrame:
    """Clips with at most `TRAINING_CUT` of the training split, the others as they are."""
    training = ego.filter(pl.col("split") == "train")
    lowest = (
        training.with_columns(hash=numbers(training["segment_id"]))
        .sort("hash", "segment_id")
        .head(TRAINING_CUT)
    )
    kept = (pl.col("split") != "train") | pl.col("segment_id").is_in(lowest["segment_id"].implode())
    return ego.filter(kept)


def at_random(ego: pl.DataFrame, exo: pl.DataFrame) -> list[list[int]]:
    """Rows of `exo` drawn for each row of `ego`, of its split, no row twice.

    Clips and references lie on a ring by their hashes, on another for each draw; a clip takes the
    first reference that follows it, or the next if it has that one.
    """
    found: list[list[int]] = [[] for _ in range(ego.height)]
    own, other = numbers(ego["segment_id"]), numbers(exo["segment_id"])
    for (split,), group in ego.with_row_index("row").group_by("split", maintain_order=True):
        rows = group["row"].to_list()
        among = np.flatnonzero((exo["split"] == split).to_numpy())
        for shot in range(min(SHOTS, among.size)):
            seed = pl.Series([_SEEDS[shot]], dtype=pl.UInt64)
            places = pair_ranks(other.gather(among), seed.gather([0] * among.size)).to_numpy()
            ring = among[np.argsort(places, kind="stable")]
            begin = pair_ranks(own.gather(rows), seed.gather([0] * len(rows))).to_numpy()
            at = np.searchsorted(np.sort(places), begin)
            for row, start in zip(rows, at.tolist(), strict=True):
                step = 0
                while (one := int(ring[(start + step) % ring.size])) in found[row]:
                    step += 1
                found[row].append(one)
    return found


def by_pairs(ego: pl.DataFrame, exo: pl.DataFrame, pairs: pl.DataFrame) -> list[list[int]]:
    """Rows of `exo` that are partners of each row of `ego` in its split, lowest hash first."""
    place = {segment: row for row, segment in enumerate(exo["segment_id"])}
    splits = exo["split"].to_list()
    mine = pairs.filter(pl.col("direction") == "ego2exo").select(
        "query_segment_id", "positive_segment_id"
    )
    rank = pair_ranks(numbers(mine["query_segment_id"]), numbers(mine["positive_segment_id"]))
    partners: dict[str, list[int]] = defaultdict(list)
    for query, positive, _ in (
        mine.with_columns(rank).unique().sort("rank", "positive_segment_id").iter_rows()
    ):
        if positive in place:
            partners[query].append(place[positive])
    return [
        [row for row in partners.get(segment, ()) if splits[row] == split][:SHOTS]
        for segment, split in ego.select("segment_id", "split").iter_rows()
    ]


def _references(chosen: list[list[int]], exo: pl.DataFrame) -> pl.Series:
    rows = exo.select(
        pl.struct("segment_id", "recording_id", "start_s", "end_s", "text")
    ).to_series()
    items = pl.DataFrame({"row": pl.Series(chosen, dtype=pl.List(pl.UInt32))}).with_row_index(
        "item"
    )
    drawn = items.explode("row").drop_nulls()
    held = drawn.with_columns(reference=rows.gather(drawn["row"])).group_by("item").agg("reference")
    said = items.join(held, on="item", how="left", maintain_order="left")["reference"]
    none = pl.Series([[]], dtype=said.dtype)
    return said.fill_null(none).cast(_ITEMS.schema["references"]).alias("references")


TASK_SET = TaskSet(
    name="captioning",
    reads={
        "recordings": (*RECORDINGS, "split_from"),
        "segments": (*SEGMENTS, "narration"),
        "pairs": ("direction", "query_segment_id", "query_recording_id", "positive_segment_id"),
    },
    make=make,
    optional=frozenset({"pairs"}),
)
