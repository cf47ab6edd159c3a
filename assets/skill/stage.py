"""Skill of a source: one unit per action and mode, made from all its pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from assets.skill.sets import MODES, EvidenceTables, make_sets
from assets.stage import Batch, Inputs, Stage, Unit
from assets.translations.in_use import TRANSLATED, in_use, with_used
from expectations.schemas.labels import DONE
from resources.store.incremental import Output

RELEASED_BY = "egoexolearn"
"""Layout whose released pairs `parity` keeps."""
SELF_ASSESSED = "self_assessed"


def _units(inputs: Inputs) -> Iterator[Unit]:
    """Actions in each mode."""
    is_released = inputs.settings.sources[inputs.partition].layout == RELEASED_BY
    for action in inputs.units_with_rows("skill_votes"):
        for mode in MODES:
            if mode == "paper" or is_released:
                yield Unit(f"{action}/{mode}", {"skill_votes": (action,)}, (mode,))


def _make(batch: Batch) -> Iterator[Output]:
    rest = _rest(batch.of(batch.units[0]))
    for unit in batch.units:
        action, _, mode = unit.name.partition("/")
        votes = batch.of(unit)["skill_votes"].sort("pair_id")
        sets = make_sets(EvidenceTables(votes, **rest), "parity" if mode == "parity" else "paper")
        head = {"source": batch.source, "set": unit.name, "mode": mode, "action": action}
        named = {k: pl.lit(v) for k, v in head.items()}
        yield Output([unit.name], {name: rows.with_columns(**named) for name, rows in sets.items()})


def _rest(tables: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """What `EvidenceTables` holds beside the votes."""
    tables = in_use(tables)
    recordings, labels = tables["recordings"].sort("recording_id"), tables["labels"]
    told = (pl.col("kind") == "fine") & pl.col("narration").is_not_null()
    takes = recordings.select("take_id", "recording_id")
    return {
        "recordings": recordings,
        "segments": tables["segments"].filter(told).sort("segment_id"),
        "verbs": _done(labels.filter(pl.col("kind") == "verb")).select("segment_id", "term"),
        "links": tables["take_links"]
        .filter(pl.col("link") == "follows")
        .sort("take_id", "other_take_id"),
        "levels": tables["skill_levels"]
        .filter(pl.col("scale") == SELF_ASSESSED)
        .join(takes, on="take_id")
        .unique("recording_id", keep="none")
        .sort("recording_id"),
    }


def _done(verbs: pl.DataFrame) -> pl.DataFrame:
    """Verbs of the vocabulary without those of which a parse says that they were not done."""
    classed = verbs.filter(pl.col("class_id").is_not_null()).with_row_index("row")
    undone = verbs.filter(pl.col("status") != DONE).select("segment_id", *_SPAN)
    said_of = classed.join(undone, on="segment_id", suffix="_undone").filter(
        (pl.col("span_start") < pl.col("span_end_undone"))
        & (pl.col("span_start_undone") < pl.col("span_end"))
    )
    return classed.join(said_of, on="row", how="anti", maintain_order="left")


_SPAN = ("span_start", "span_end")
_CLIP = {
    f"{side}_{part}": [("skill_votes", f"{side}_{part}")]
    for side in ("first", "second")
    for part in ("clip_id", "recording_id", "start_s", "end_s")
}

STAGE = Stage(
    name="skill",
    group="skill",
    summary="Pairs of clips that annotators agree on, the order they make, chains and triplets.",
    partition="source",
    tables=(
        "skill_triplets",
        "skill_chains",
        "skill_clips",
        "skill_transitivity",
        "skill_pairs",
    ),
    derived_from={
        "skill_pairs": ("skill_votes", "skill_levels", "recordings"),
        "skill_clips": ("skill_pairs",),
        "skill_transitivity": ("skill_pairs",),
        "skill_chains": ("skill_pairs", "skill_clips"),
        "skill_triplets": ("skill_pairs", "take_links", "segments", "translations", "labels"),
    },
    reads={
        "skill_votes": None,
        "skill_levels": ("take_id", "scale", "level"),
        "take_links": ("take_id", "link", "other_take_id"),
        "recordings": (
            "recording_id",
            "take_id",
            "view",
            "split",
            "split_from",
            "scenario",
            "media_duration_s",
        ),
        "segments": ("segment_id", "recording_id", "kind", "start_s", "end_s", "narration"),
        "translations": TRANSLATED,
        "labels": ("segment_id", "kind", "class_id", "term", "status", *_SPAN),
    },
    units=_units,
    make=_make,
    code=(make_sets, with_used),
    lineage={
        "skill_pairs": {
            "pair_id": [("skill_votes", "pair_id")],
            **_CLIP,
            "better": [("skill_votes", "votes"), ("skill_votes", "stated_better")],
            "state": [("skill_votes", "votes"), ("recordings", "split")],
            "split": [("recordings", "split"), ("skill_votes", "splits")],
            "n_votes": [("skill_votes", "votes")],
            "agreement": [("skill_votes", "votes")],
            "first_self_level": [("skill_levels", "level")],
            "second_self_level": [("skill_levels", "level")],
        },
        "skill_clips": {
            "clip_id": [("skill_votes", "first_clip_id"), ("skill_votes", "second_clip_id")],
            "cycle": [("skill_votes", "votes"), ("skill_votes", "stated_better")],
        },
        "skill_transitivity": {
            "n_pairs": [("skill_votes", "pair_id")],
            "n_decided": [("skill_votes", "votes"), ("skill_votes", "stated_better")],
            "n_self_disagree": [("skill_votes", "votes"), ("skill_levels", "level")],
            "alpha": [("skill_votes", "votes")],
            "kappa": [("skill_votes", "votes")],
        },
        "skill_chains": {
            "clip_ids": [("skill_votes", "first_clip_id"), ("skill_votes", "second_clip_id")],
        },
        "skill_triplets": {
            "pair_id": [("skill_votes", "pair_id")],
            "reference_segment_id": [
                ("segments", "segment_id"),
                ("translations", "text"),
                ("labels", "term"),
                ("labels", "status"),
            ],
            "rule": [("take_links", "other_take_id"), ("recordings", "scenario")],
        },
    },
)
