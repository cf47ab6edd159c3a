"""Anticipation: verbs and nouns of the next fine action, one second ahead.

`paper` (6.2.1, 6.3.1): the video is seen up to s - 1 s. A class is in the closed set if each view of
each split has it, and if it is not rarer than 1/100 of the most frequent one that is left; clips
without a class of the set go. An action that starts within the first second has nothing before it and
takes no part. The split is that of the recording; recordings without one take no part.

`parity`: of the association lists' rows, those with a class of the released closed set, at most 20 s
long, with at most 10 nouns of the set (neither limit is in the paper), in the lists' order. The video
is seen for the two seconds up to s - 1 s that the released loader takes. The order of an item's
classes is the released one: that of a Python set of the numbers that stay.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import polars as pl

from assets.task_sets.released_form import anticipation_csv, anticipation_list, class_list
from assets.task_sets.steps import Listed, item_key, lists
from assets.task_sets.task_set import Form, Made, Mode, Tables, TaskSet, by_list, positions

AHEAD_S = 1.0
"""Time between what is seen and what is asked for (paper: tau)."""
RAREST = 100
"""A class rarer than one in so many of the most frequent is left out."""
LONGEST_S, MOST_NOUNS, CONTEXT_S = 20.0, 10, 2.0
"""Limits of the released files, and the context their loader takes."""
KINDS = ("verb", "noun")
_VIEWS = ("ego", "exo")

READS = {
    "recordings": ("recording_id", "view", "split"),
    "segments": (
        "segment_id",
        "recording_id",
        "kind",
        "start_s",
        "end_s",
        "is_point",
        "split",
        "list_position",
        "released_verbs",
        "released_nouns",
    ),
    "taxonomies": ("taxonomy", "class_id", "label", "closed_position"),
    "splits": ("split_set", "split", "recording_id", "position"),
    "labels": ("segment_id", "kind", "class_id"),
}


class Clip(NamedTuple):
    """A fine action and its classes by kind."""

    segment_id: str
    start_s: float
    end_s: float
    verb: Sequence[int]
    noun: Sequence[int]


class Closed(NamedTuple):
    """A class and what became of it."""

    n: int
    position: int | None
    reason: str | None


def make(tables: Tables, mode: Mode) -> Made:
    """Items and the closed set."""
    if mode == "parity":
        placed = list(_released(tables))
        closed = _released_classes(tables, [clip for _, clip in placed])
    else:
        placed = list(_labelled(tables))
        splits = tables["recordings"]["split"].drop_nulls().unique()
        cells = frozenset(product(_VIEWS, splits))
        closed = {kind: close(kind, placed, cells) for kind in KINDS}
    sets = {
        kind: {class_id for class_id, found in classes.items() if found.position is not None}
        for kind, classes in closed.items()
    }
    kept = ((place, within(clip, sets, mode)) for place, clip in placed)
    chosen = [(p, c) for p, c in kept if (c.verb or c.noun) and (mode == "paper" or fits(c))]
    return Made.of(_items(chosen, mode), _class_rows(tables["taxonomies"], closed))


def within(clip: Clip, sets: Mapping[str, Collection[int]], mode: Mode) -> Clip:
    """The clip with its classes of the closed set; ascending, or in the released order.

    The released order is that in which CPython walks a set of these numbers, built in their order:
    it depends on nothing else.
    """
    order = sorted if mode == "paper" else list
    verb = order({c for c in clip.verb if c in sets["verb"]})
    noun = order({c for c in clip.noun if c in sets["noun"]})
    return clip._replace(verb=verb, noun=noun)


def fits(clip: Clip) -> bool:
    """Whether the released files hold such a clip."""
    return clip.end_s - clip.start_s <= LONGEST_S and len(clip.noun) <= MOST_NOUNS


def close(
    kind: str,
    placed: Iterable[tuple[Listed, Clip]],
    cells: Collection[tuple[str, str]],
) -> dict[int, Closed]:
    """The closed set of a kind, and why other classes are not in it.

    Args:
        kind: `verb` or `noun`.
        placed: Clips with view and split.
        cells: All pairs of view and split.

    Returns:
        By class, ascending; positions count the classes kept, in this order.
    """
    n: Counter[int] = Counter()
    where: dict[int, set[tuple[str, str | None]]] = defaultdict(set)
    for place, clip in placed:
        for class_id in set(getattr(clip, kind)):
            n[class_id] += 1
            where[class_id].add((place.view, place.split))
    absent = {c: sorted(set(cells) - where[c]) for c in n}
    largest = max((n[c] for c, cells_ in absent.items() if not cells_), default=0)
    found: dict[int, Closed] = {}
    position = 0
    for class_id in sorted(n):
        reason = None
        if absent[class_id]:
            reason = "absent from " + ", ".join(" ".join(cell) for cell in absent[class_id])
        elif n[class_id] * RAREST < largest:
            reason = f"under 1/{RAREST} of the largest, which has {largest}"
        found[class_id] = Closed(n[class_id], None if reason else position, reason)
        position += reason is None
    return found


def _labelled(tables: Tables) -> Iterator[tuple[Listed, Clip]]:
    """Fine actions with labels of recordings with a split, with something to be seen before them."""
    classes: dict[tuple[str, str], set[int]] = defaultdict(set)
    for segment, kind, class_id in tables["labels"].iter_rows():
        classes[segment, kind].add(class_id)
    fine = tables["segments"].filter(
        (pl.col("kind") == "fine")
        & ~pl.col("is_point").fill_null(False)
        & (pl.col("start_s") > AHEAD_S)
    )
    clips: dict[str, list[Clip]] = defaultdict(list)
    for uid, segment, start_s, end_s in (
        fine.sort("recording_id", "start_s", "end_s", "segment_id")
        .select("recording_id", "segment_id", "start_s", "end_s")
        .iter_rows()
    ):
        verb, noun = (sorted(classes.get((segment, kind), ())) for kind in KINDS)
        clips[uid].append(Clip(segment, start_s, end_s, verb, noun))
    for place in lists(tables, "paper"):
        if place.split is not None and place.view in _VIEWS:
            yield from ((place, clip) for clip in clips.get(place.recording_id, ()))


def _released(tables: Tables) -> Iterator[tuple[Listed, Clip]]:
    """Rows of the association lists, in their order."""
    told = tables["segments"].filter(
        pl.col("released_verbs").is_not_null() & pl.col("released_nouns").is_not_null()
    )
    clips: dict[tuple[str, str], list[Clip]] = defaultdict(list)
    for uid, split, *clip in (
        told.sort("recording_id", "list_position", "segment_id", nulls_last=True)
        .select(
            *("recording_id", "split", "segment_id", "start_s", "end_s"),
            *("released_verbs", "released_nouns"),
        )
        .iter_rows()
    ):
        clips[uid, split].append(Clip(*clip))
    for place in lists(tables, "parity", "association"):
        if place.split is not None:
            key = (place.recording_id, place.split)
            yield from ((place, clip) for clip in clips.get(key, ()))


def _released_classes(tables: Tables, clips: Sequence[Clip]) -> dict[str, dict[int, Closed]]:
    found: dict[str, dict[int, Closed]] = {}
    for kind in KINDS:
        n = Counter(c for clip in clips for c in set(getattr(clip, kind)))
        mine = tables["taxonomies"].filter(pl.col("taxonomy") == kind).sort("class_id")
        found[kind] = {
            class_id: Closed(
                n[class_id], position, None if position is not None else "not in the released list"
            )
            for class_id, position in mine.select("class_id", "closed_position").iter_rows()
            if n[class_id] or position is not None
        }
    return found


def _items(chosen: Iterable[tuple[Listed, Clip]], mode: Mode) -> Iterator[dict]:
    position: Counter[tuple[str, str | None]] = Counter()
    for place, clip in chosen:
        seen_until_s = max(0.0, clip.start_s - AHEAD_S)
        yield {
            **place._asdict(),
            "item_id": item_key(place, mode, clip.segment_id),
            "position": position[place.list, place.split],
            "segment_id": clip.segment_id,
            "start_s": max(0.0, seen_until_s - CONTEXT_S) if mode == "parity" else None,
            "end_s": seen_until_s,
            "target_start_s": clip.start_s,
            "target_end_s": clip.end_s,
            "verbs": list(clip.verb),
            "nouns": list(clip.noun),
        }
        position[place.list, place.split] += 1


def _class_rows(
    taxonomies: pl.DataFrame, closed: Mapping[str, Mapping[int, Closed]]
) -> Iterator[dict]:
    labels = {(t, c): label for t, c, label, _ in taxonomies.iter_rows()}
    for kind, classes in closed.items():
        for class_id, found in classes.items():
            yield {
                "kind": kind,
                "class_id": class_id,
                "label": labels.get((kind, class_id), str(class_id)),
                "position": found.position,
                "n": found.n,
                "kept": found.position is not None,
                "reason": found.reason,
            }


def files(made: Made, tables: Tables) -> dict[str, str]:
    """A table per view and split, the closed sets, and what the released loader reads of each kind.

    (The released lists of a kind hold those of other splits too, by a fault; these do not.)
    """
    keys = dict(tables["segments"].select("segment_id", "source_key").iter_rows())
    scenes = dict(tables["recordings"].select("recording_id", "scene").iter_rows())
    known = {kind: positions(made.classes, kind) for kind in KINDS}
    folder = "balanced_full_annotation"
    said = {f"{folder}/valid_{kind}s.txt": class_list(list(known[kind])) for kind in KINDS}
    for (name, split), items in by_list(made.items).items():
        said[f"{folder}/{name}_{split}_valid.csv"] = anticipation_csv(items, keys, scenes)
        for kind in KINDS:
            said[f"{kind}/list_{name}_{split}_ego_exo-feature.txt"] = anticipation_list(
                items, f"{kind}s", known[kind]
            )
    return said


TASK_SET = TaskSet(
    name="anticipation",
    reads=READS,
    make=make,
    optional=frozenset({"splits", "labels"}),
    vocabularies=frozenset({"verb", "noun"}),
    views=frozenset(_VIEWS),
    form=Form(
        {"segments": ("segment_id", "source_key"), "recordings": ("recording_id", "scene")}, files
    ),
)
