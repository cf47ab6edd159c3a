"""Dagster assets of leakage."""

from __future__ import annotations

from assets.factory import StageDefinition
from assets.leakage.stage import READS, bring_up, is_fresh

STAGE = StageDefinition(
    name="split_overlaps",
    summary="What two splits share, over everything of a source that is split.",
    tables=("split_overlaps",),
    partitions="source",
    deps=tuple(READS),
    bring_up=bring_up,
    is_fresh=is_fresh,
    lineage={
        "split_overlaps": {
            "split": [(name, "split") for name in READS if name != "skill_votes"]
            + [("skill_votes", "splits")],
            "n": [
                ("recordings", "recording_id"),
                ("task_sets", "segment_id"),
                ("skill_votes", "first_clip_id"),
                ("skill_votes", "second_clip_id"),
            ],
        }
    },
)
