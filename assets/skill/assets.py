"""Dagster assets of skill."""

from __future__ import annotations

from assets.factory import StageDefinition
from assets.skill.stage import bring_up, is_fresh

_CLIP = {
    f"{side}_{part}": [("skill_votes", f"{side}_{part}")]
    for side in ("first", "second")
    for part in ("clip_id", "recording_id", "start_s", "end_s")
}

STAGE = StageDefinition(
    name="skill",
    summary="Pairs of clips that annotators agree on, the order they make, chains and triplets.",
    tables=("skill_pairs", "skill_clips", "skill_transitivity", "skill_chains", "skill_triplets"),
    partitions="source",
    deps=(
        "skill_votes",
        "skill_levels",
        "take_links",
        "recordings",
        "segments",
        "translations",
        "labels",
    ),
    bring_up=bring_up,
    is_fresh=is_fresh,
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
            ],
            "rule": [("take_links", "other_take_id"), ("recordings", "scenario")],
        },
    },
)
