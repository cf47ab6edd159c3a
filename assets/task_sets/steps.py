"""Coarse steps of recordings and the lists recordings stand in, as segmentation and planning read them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import polars as pl

from assets.task_sets.task_set import Form, Made, Mode, Tables, TaskSet
from expectations.schemas.core import Reads

RECORDING = ("recording_id", "view", "split", "declared_frames", "declared_fps", "duration_s")
SEGMENT = (
    "segment_id",
    "recording_id",
    "kind",
    "start_s",
    "end_s",
    "stated_end_s",
    "is_point",
    "class_id",
    "list_position",
)
TAXONOMY = ("taxonomy", "class_id", "label")
SPLIT = ("split_set", "split", "recording_id", "position")
READS = {"recordings": RECORDING, "segments": SEGMENT, "taxonomies": TAXONOMY, "splits": SPLIT}


class Step(NamedTuple):
    """A coarse step: seconds from the recording's start, class as the source counts."""

    start_s: float
    end_s: float
    class_id: int
    segment_id: str


class Listed(NamedTuple):
    """A recording's place in a list."""

    view: str
    list: str
    split: str | None
    recording_id: str


def steps_of(segments: pl.DataFrame, mode: Mode) -> dict[str, list[Step]]:
    """Coarse steps by recording, by start.

    `parity` takes them as annotated: equal starts in the file's order, steps without a length, ends
    that were stated behind the recording's. `paper` leaves out what has no length; of steps that
    start at once the shorter comes first.
    """
    coarse = segments.filter((pl.col("kind") == "coarse") & pl.col("class_id").is_not_null())
    if mode == "paper":
        coarse = coarse.filter(~pl.col("is_point").fill_null(False)).sort(
            "recording_id", "start_s", "end_s", "segment_id"
        )
    else:
        coarse = coarse.with_columns(pl.coalesce("stated_end_s", "end_s").alias("end_s")).sort(
            "recording_id", "start_s", "list_position", "segment_id", nulls_last=True
        )
    found: dict[str, list[Step]] = defaultdict(list)
    for uid, *step in coarse.select("recording_id", *Step._fields).iter_rows():
        found[uid].append(Step(*step))
    return found


def lists(tables: Tables, mode: Mode, *families: str) -> Iterator[Listed]:
    """Recordings list by list, in the lists' order.

    Args:
        tables: `recordings` and `splits`.
        mode: `paper` has one list per view, by id, and the split is that of the recording. `parity`
            has the released lists; recordings that none of them holds follow, without a split.
        families: Names of split sets without the list's; of a list and split the first that holds
            something is taken.
    """
    views = dict(tables["recordings"].select("recording_id", "view").iter_rows())
    if mode == "paper":
        columns = ("view", "view", "split", "recording_id")
        own = tables["recordings"].sort("view", pl.col("split").fill_null("~"), "recording_id")
        yield from (Listed(*(row[c] for c in columns)) for row in own.iter_rows(named=True))
        return
    chosen: dict[tuple[str, str], list[str]] = {}
    for family in families:
        found: dict[tuple[str, str], list[str]] = defaultdict(list)
        mine = tables["splits"].filter(pl.col("split_set").str.starts_with(f"{family}_"))
        for name, split, uid in (
            mine.sort("split_set", "split", "position")
            .select("split_set", "split", "recording_id")
            .iter_rows()
        ):
            found[name.removeprefix(f"{family}_"), split].append(uid)
        for key, uids in found.items():
            chosen.setdefault(key, uids)
    listed: set[str] = set()
    for (name, split), uids in sorted(chosen.items()):
        listed.update(uids)
        yield from (Listed(views[uid], name, split, uid) for uid in uids if uid in views)
    for uid in sorted(views.keys() - listed):
        yield Listed(views[uid], views[uid], None, uid)


def item_key(place: Listed, mode: Mode, *parts: str) -> str:
    """Key of an item: a released recording may stand in several lists."""
    head = () if mode == "paper" else (place.list, place.split or "-")
    return ":".join((*head, *(parts or (place.recording_id,))))


def class_rows(labels: Mapping[int, str], n: Mapping[int, int]) -> list[dict]:
    """Rows of `set_classes` of coarse classes, all of which are kept.

    Args:
        labels: Names by number, in the set's order.
        n: How often each occurs.
    """
    return [
        {
            "kind": "coarse",
            "class_id": class_id,
            "label": label,
            "position": position,
            "n": n[class_id],
            "kept": True,
        }
        for position, (class_id, label) in enumerate(labels.items())
    ]


def set_of_steps(
    name: str,
    make: Callable[[Tables, Mode], Made],
    files: Callable[[Made, Tables], Mapping[str, str]],
    families: tuple[str, ...],
    released: Reads,
    form_reads: Mapping[str, tuple[str, ...]] | None = None,
) -> TaskSet:
    """Declaration of a set that is made from coarse steps and the lists alone, or was released."""
    return TaskSet(
        name=name,
        reads=READS,
        make=make,
        optional=frozenset({"splits"}),
        vocabularies=frozenset({"coarse"}),
        form=Form(form_reads or {}, files),
        released=released,
        families=families,
    )


def coarse_labels(taxonomies: pl.DataFrame) -> Mapping[int, str]:
    """Names of the coarse classes, ascending by number."""
    mine = taxonomies.filter(pl.col("taxonomy") == "coarse").sort("class_id")
    return dict(mine.select("class_id", "label").iter_rows())
