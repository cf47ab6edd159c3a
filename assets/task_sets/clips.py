"""Fine segments as captioning and recognition read them."""

from __future__ import annotations

import polars as pl

from assets.task_sets.task_set import Mode, Tables

RECORDINGS = ("recording_id", "view", "split")
SEGMENTS = ("segment_id", "recording_id", "kind", "start_s", "end_s", "is_point", "split")
RELEASED = ("released_verbs", "released_nouns")
LABELS = ("segment_id", "kind", "class_id")
TAXONOMIES = ("taxonomy", "class_id", "label")
KINDS = {"verb": "verbs", "noun": "nouns"}
CLASSED = {
    "recordings": RECORDINGS,
    "segments": (*SEGMENTS, *RELEASED),
    "labels": LABELS,
    "taxonomies": TAXONOMIES,
}
"""What `classed_clips` and `class_labels` read."""


def fine_clips(tables: Tables, mode: Mode, *columns: str) -> pl.DataFrame:
    """Fine segments with a split, by view, split, recording and time.

    Args:
        tables: `recordings` and `segments`.
        mode: `paper`: the split is that of the recording, one for all that is shown of it;
            `parity`: the one the annotation states, which the release has decided clip by clip.
        columns: Further columns of `segments`.

    Returns:
        Columns segment_id, recording_id, view, split, start_s, end_s and `columns`.
    """
    recordings = tables["recordings"].select("recording_id", "view", own="split")
    fine = (
        tables["segments"]
        .filter((pl.col("kind") == "fine") & ~pl.col("is_point").fill_null(False))
        .join(recordings, on="recording_id")
        .with_columns(split=pl.col("own" if mode == "paper" else "split"))
        .filter(pl.col("split").is_not_null() & pl.col("view").is_in(["ego", "exo"]))
    )
    order = ("view", "split", "recording_id", "start_s", "end_s", "segment_id")
    kept = ("segment_id", "recording_id", "view", "split", "start_s", "end_s", *columns)
    return fine.sort(order).select(kept)


def classed_clips(tables: Tables, mode: Mode) -> pl.DataFrame:
    """Fine segments with their classes: parsed ones (`paper`) or released ones (`parity`).

    Returns:
        As `fine_clips`, with `verbs` and `nouns`: ascending lists, empty where there are none.
    """
    if mode == "parity":
        clips = fine_clips(tables, mode, *RELEASED)
        return clips.select(
            pl.exclude(RELEASED),
            *(
                pl.col(f"released_{name}").fill_null([]).list.unique().list.sort().alias(name)
                for name in KINDS.values()
            ),
        )
    clips = fine_clips(tables, mode)
    for kind, name in KINDS.items():
        mine = (
            tables["labels"]
            .filter((pl.col("kind") == kind) & pl.col("class_id").is_not_null())
            .group_by("segment_id")
            .agg(pl.col("class_id").unique().sort().alias(name))
        )
        clips = clips.join(mine, on="segment_id", how="left", maintain_order="left")
        clips = clips.with_columns(pl.col(name).fill_null([]))
    return clips


def class_labels(taxonomies: pl.DataFrame) -> dict[tuple[str, int], str]:
    """Names of the classes, by kind and number."""
    return {(kind, number): label for kind, number, label in taxonomies.iter_rows()}


def placed(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows with `position`: their place in list and split, as they lie."""
    place = pl.int_range(pl.len(), dtype=pl.Int64).over("list", "split")
    return rows.with_columns(position=place)
