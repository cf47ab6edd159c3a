"""Tables of fine segments written down by hand, for the sets made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from assets.task_sets.task_set import TaskSet
from expectations.schemas import TABLES


class Clip(NamedTuple):
    """A fine segment: `uid` is `e` or `x` (its view) and its split's initial, then anything.

    The split of an `uid` that ends in `h` is by hash.
    """

    uid: str
    text: str | None = None
    verbs: Sequence[int] = ()
    nouns: Sequence[int] = ()
    stated: str | None = None
    released: bool = True


SPLITS = {"t": "train", "v": "val", "s": "test", "-": None}


def tables(
    task: TaskSet, clips: Iterable[Clip], pairs: Iterable[tuple[str, str]] = ()
) -> Mapping[str, pl.DataFrame]:
    """What a task reads. The n-th clip is segment `s<n>`, 2 s long from n seconds on."""
    clips = list(clips)
    recordings = [
        {
            "recording_id": uid,
            "view": {"e": "ego", "x": "exo"}[uid[0]],
            "split": SPLITS[uid[1]],
            "split_from": "hashed" if uid.endswith("h") else "published",
        }
        for uid in sorted({c.uid for c in clips})
    ]
    segments = [
        {
            "segment_id": f"s{at}",
            "recording_id": c.uid,
            "kind": "fine",
            "start_s": float(at),
            "end_s": at + 2.0,
            "split": c.stated,
            "narration": c.text,
            "released_verbs": list(c.verbs) if c.released else None,
            "released_nouns": list(c.nouns) if c.released else None,
        }
        for at, c in enumerate(clips)
    ]
    labels = [
        {"segment_id": f"s{at}", "kind": kind, "class_id": class_id}
        for at, c in enumerate(clips)
        for kind, classes in (("verb", c.verbs), ("noun", c.nouns))
        for class_id in classes
    ]
    taxonomies = [
        {"taxonomy": kind, "class_id": n, "label": f"{kind}{n}"}
        for kind in ("verb", "noun")
        for n in range(9)
    ]
    partners = [
        {
            "direction": "ego2exo",
            "query_segment_id": a,
            "query_recording_id": clips[int(a[1:])].uid,
            "positive_segment_id": b,
        }
        for a, b in pairs
    ]
    made = {
        "recordings": recordings,
        "segments": segments,
        "labels": labels,
        "taxonomies": taxonomies,
        "pairs": partners,
    }
    return {name: TABLES[name].frame(made[name]).select(task.reads[name]) for name in task.reads}
