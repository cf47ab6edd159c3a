"""Anticipation: verbs and nouns of the next fine action, one second ahead.

`paper` (6.2.1, 6.3.1): the video is seen up to s - 1 s. A class is in the closed set if each view of
each split has it, and if it is not rarer than 1/100 of the most frequent one that is left; clips
without a class of the set go. An action that starts within the first second has nothing before it and
takes no part. The split is that of the recording; recordings without one take no part.

`parity`: the rows of the released table of a view and split, as they stand. Where there is none: of the
association list's rows, those with a class of the released closed set, at most 20 s long, with at most
10 nouns of the set (neither limit is in the paper), in the list's order; the order of an item's classes
is then that of a Python set of the numbers that stay, as in the released tables. The video is seen for
the two seconds up to s - 1 s that the released loader takes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import polars as pl

from assets.task_sets.released_form import (
    anticipation_csv,
    anticipation_list,
    class_list,
    released_files,
)
from assets.task_sets.released_truth import (
    ROWS,
    TEXTS,
    ReleasedList,
    differing,
    released_lists,
    truth_row,
)
from assets.task_sets.steps import Listed, item_key, lists
from assets.task_sets.task_set import Form, Made, Mode, Tables, TaskSet, by_list, positions

AHEAD_S = 1.0
"""Time between what is seen and what is asked for (paper: tau)."""
RAREST = 100
"""A class rarer than one in so many of the most frequent is left out."""
LONGEST_S, MOST_NOUNS, CONTEXT_S = 20.0, 10, 2.0
"""Limits of the released files, and the context their loader takes."""
KINDS = ("verb", "noun")
FAMILIES = ("association",)
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
    """A fine action and its classes by kind.

    `is_segment` is false for a row of a released table whose annotation is not there; its id is then
    that of the row.
    """

    segment_id: str
    start_s: float
    end_s: float
    verb: Sequence[int]
    noun: Sequence[int]
    is_segment: bool = True


class Closed(NamedTuple):
    """A class and what became of it."""

    n: int
    position: int | None
    reason: str | None


def make(tables: Tables, mode: Mode) -> Made:
    """Items and the closed set."""
    if mode == "parity":
        return _as_released(tables)
    placed = list(_labelled(tables))
    splits = tables["recordings"]["split"].drop_nulls().unique()
    cells = frozenset(product(_VIEWS, splits))
    closed = {kind: close(kind, placed, cells) for kind in KINDS}
    sets = _kept(closed)
    kept = ((place, within(clip, sets, mode)) for place, clip in placed)
    chosen = [(place, clip) for place, clip in kept if clip.verb or clip.noun]
    return Made.of(_items(chosen, mode), _class_rows(tables["taxonomies"], closed))


def _as_released(tables: Tables) -> Made:
    """The set as it was released, list by list: a table where there is one, else a list's rows."""
    listed = _of_association(tables)
    released = released_lists(tables, "anticipation")
    stated = _of_tables(tables, released)
    used = {**listed, **stated}
    closed = _released_classes(tables, [clip for rows in used.values() for _, clip in rows])
    sets = _kept(closed)
    chosen: list[tuple[Listed, Clip]] = []
    truth: list[dict] = []
    for key in sorted(used):
        derived = list(_chosen(listed.get(key, ()), sets))
        if key not in stated:
            chosen += derived
            continue
        chosen += _as_stated(stated[key], sets)
        truth += _truth(key, released[key].source_file, stated[key], derived)
    items = _items(chosen, "parity")
    return Made.of(items, _class_rows(tables["taxonomies"], closed), truth)


def _kept(closed: Mapping[str, Mapping[int, Closed]]) -> dict[str, set[int]]:
    """Classes of the closed set, by kind."""
    return {
        kind: {class_id for class_id, found in classes.items() if found.position is not None}
        for kind, classes in closed.items()
    }


_Placed = Iterable[tuple[Listed, Clip]]
_Lists = dict[tuple[str, str], list[tuple[Listed, Clip]]]


def _chosen(clips: _Placed, sets: Mapping[str, Collection[int]]) -> Iterator[tuple[Listed, Clip]]:
    """Rows of an association list that the released tables would hold."""
    for place, clip in clips:
        left = within(clip, sets, "parity")
        if (left.verb or left.noun) and fits(left):
            yield place, left


def _as_stated(
    clips: _Placed, sets: Mapping[str, Collection[int]]
) -> Iterator[tuple[Listed, Clip]]:
    """Rows of a released table, whose classes keep their order."""
    for place, clip in clips:
        verb = [c for c in clip.verb if c in sets["verb"]]
        noun = [c for c in clip.noun if c in sets["noun"]]
        yield place, clip._replace(verb=verb, noun=noun)


def _truth(
    key: tuple[str, str], source_file: str, stated: _Placed, derived: _Placed
) -> Iterator[dict]:
    """What the association list gives instead of a released table, recording by recording.

    A row whose annotation the list does not hold cannot be compared.
    """
    mine: dict[str, list[Clip]] = defaultdict(list)
    other: dict[str, list[Clip]] = defaultdict(list)
    for place, clip in stated:
        mine[place.recording_id].append(clip)
    for place, clip in derived:
        other[place.recording_id].append(clip)
    for uid in sorted(mine.keys() | other.keys()):
        compared = None
        if other[uid]:
            known = {clip.segment_id for clip in other[uid]}
            both = [clip for clip in mine[uid] if clip.segment_id in known]
            compared = (len(other[uid]), differing(map(_content, both), map(_content, other[uid])))
        yield truth_row(key, uid, source_file, len(mine[uid]), compared)


def _content(clip: Clip) -> tuple:
    """What a row states, but for the order of its classes and the last digits of its times."""
    times = (round(clip.start_s, 6), round(clip.end_s, 6))
    return clip.segment_id, *times, frozenset(clip.verb), frozenset(clip.noun)


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
    for segment, kind, class_id in tables["labels"].drop_nulls("class_id").iter_rows():
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


def _of_association(tables: Tables) -> _Lists:
    """Rows of the association lists, in their order, by list and split."""
    listed_segments = tables["segments"].filter(
        pl.col("released_verbs").is_not_null() & pl.col("released_nouns").is_not_null()
    )
    clips: dict[tuple[str, str], list[Clip]] = defaultdict(list)
    for uid, split, *clip in (
        listed_segments.sort("recording_id", "list_position", "segment_id", nulls_last=True)
        .select(
            *("recording_id", "split", "segment_id", "start_s", "end_s"),
            *("released_verbs", "released_nouns"),
        )
        .iter_rows()
    ):
        clips[uid, split].append(Clip(*clip))
    found: _Lists = defaultdict(list)
    for place in lists(tables, "parity", *FAMILIES):
        if place.split is not None:
            mine = clips.get((place.recording_id, place.split), ())
            found[place.list, place.split] += [(place, clip) for clip in mine]
    # A list that is not grouped by recording has an order of its own.
    places = {
        key: {row["source_key"]: at for at, row in enumerate(each.rows)}
        for key, each in released_lists(tables, "association").items()
    }
    if places:
        keys = _segment_keys(tables)
        for key, rows in found.items():
            order = places.get(key, {})
            rows.sort(key=lambda one, o=order: o.get(keys.get(one[1].segment_id), len(o)))
    return {key: rows for key, rows in found.items() if rows}


def _of_tables(tables: Tables, released: Mapping[tuple[str, str], ReleasedList]) -> _Lists:
    """Rows of the released tables, in their order, by view and split."""
    if not released:
        return {}
    views = dict(tables["recordings"].select("recording_id", "view").iter_rows())
    segments = {key: segment for segment, key in _segment_keys(tables).items()}
    found: _Lists = {}
    for key, each in released.items():
        found[key] = [
            (
                Listed(views[row["recording_id"]], key[0], key[1], row["recording_id"]),
                Clip(
                    segments.get(row["source_key"], f"annotation:{row['source_key']}"),
                    row["target_start_s"],
                    row["target_end_s"],
                    row["verbs"],
                    row["nouns"],
                    row["source_key"] in segments,
                ),
            )
            for row in each.rows
            if row["recording_id"] in views
        ]
    return found


def _segment_keys(tables: Tables) -> dict[str, str]:
    """The release's own key of each fine segment."""
    fine = tables["segments"].filter(pl.col("kind") == "fine")
    return dict(fine.select("segment_id", "source_key").iter_rows())


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
            "segment_id": clip.segment_id if clip.is_segment else None,
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
    named = taxonomies.select("taxonomy", "class_id", "label")
    labels = {(taxonomy, class_id): label for taxonomy, class_id, label in named.iter_rows()}
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

    (The released lists of a kind hold those of other splits too, by a fault; these do not.) Released
    tables, and lists for training on both views, are written as they stand.
    """
    keys = dict(tables["segments"].select("segment_id", "source_key").iter_rows())
    scenes = dict(tables["recordings"].select("recording_id", "scene").iter_rows())
    known = {kind: positions(made.classes, kind) for kind in KINDS}
    folder = "balanced_full_annotation"
    said = {f"{folder}/valid_{kind}s.txt": class_list(list(known[kind])) for kind in KINDS}
    is_parity = made.items["mode"].first() == "parity"
    stated = released_files(tables["released_rows"], "anticipation") if is_parity else {}
    for (name, split), items in by_list(made.items).items():
        path = f"{folder}/{name}_{split}_valid.csv"
        if path not in stated:
            said[path] = anticipation_csv(items, keys, scenes)
        for kind in KINDS:
            said[f"{kind}/list_{name}_{split}_ego_exo-feature.txt"] = anticipation_list(
                items, f"{kind}s", known[kind], is_released=path in stated
            )
    return said | stated


TASK_SET = TaskSet(
    name="anticipation",
    reads=READS,
    make=make,
    optional=frozenset({"splits", "labels"}),
    vocabularies=frozenset({"verb", "noun"}),
    views=frozenset(_VIEWS),
    form=Form(
        {
            "segments": ("segment_id", "source_key"),
            "recordings": ("recording_id", "scene"),
            "released_rows": TEXTS,
        },
        files,
    ),
    released={"segments": ("source_key",), "released_rows": ROWS},
    orders=("association",),
    families=FAMILIES,
)
