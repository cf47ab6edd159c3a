"""Planning: the next eight coarse steps.

`paper` (6.2.1): the video is seen up to s_i, the start of step i, and steps i to i+7 are asked for,
with s_i < s_(i+1): of steps that start at once the longest stays. A step that starts with its
recording has nothing before it and is not asked for.

`parity`: as the released list states it, row by row. Where there is none: steps in the order of their starts; one that starts at or before the end of the one before
and has its class is joined to it, and the end of the later one holds, however early. The video is seen
up to the end of step i, and steps i+1 to i+8 are asked for: the first is never asked for, and a
recording with fewer than nine joined steps has no item. Recordings are in the order of the released
lists, and where there is no list in that of the split. A released row that the annotations give too has
the segment that it asks for; of another one only the recording, the time and the classes are known.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from assets.task_sets.released_form import number, planning_list, released_files
from assets.task_sets.released_truth import ROWS, TEXTS, differing, released_lists, truth_row
from assets.task_sets.steps import (
    Listed,
    Step,
    class_rows,
    coarse_labels,
    item_key,
    lists,
    set_of_steps,
    steps_of,
)
from assets.task_sets.task_set import Made, Mode, Tables, by_list, positions

AHEAD = 8
"""Steps asked for (paper: K)."""
FAMILIES = ("planning", "segmentation")


class Ask(NamedTuple):
    """One place in a recording from which steps are asked for."""

    seen_until_s: float
    steps: tuple[Step, ...]


def joined(steps: Sequence[Step]) -> list[Step]:
    """Neighbours of one class that touch, as one step each, as the released lists join them."""
    out: list[Step] = []
    for step in steps:
        if out and out[-1].class_id == step.class_id and step.start_s <= out[-1].end_s:
            out[-1] = out[-1]._replace(end_s=step.end_s)
        else:
            out.append(step)
    return out


def without_equal_starts(steps: Sequence[Step]) -> list[Step]:
    """One step per start, the longest; steps are ordered by start, then end."""
    out: list[Step] = []
    for step in steps:
        if out and out[-1].start_s == step.start_s:
            out.pop()
        out.append(step)
    return out


def asked(steps: Sequence[Step], mode: Mode) -> Iterator[Ask]:
    """Places steps are asked from, in order.

    Args:
        steps: Steps of a recording, as `steps_of` orders them.
        mode: Reading.
    """
    if mode == "paper":
        kept = without_equal_starts(steps)
        for at in range(len(kept) - AHEAD + 1):
            if kept[at].start_s > 0:
                yield Ask(kept[at].start_s, tuple(kept[at : at + AHEAD]))
        return
    kept = joined(steps)
    for at in range(len(kept) - AHEAD):
        yield Ask(kept[at].end_s, tuple(kept[at + 1 : at + 1 + AHEAD]))


def make(tables: Tables, mode: Mode) -> Made:
    """Items of all recordings with coarse steps, and of all rows of released lists."""
    steps = steps_of(tables["segments"], mode)
    released = released_lists(tables, "planning") if mode == "parity" else {}
    if not steps and not released:
        return Made.of(())
    asks: dict[tuple[str, str | None], list[tuple[Listed, Ask]]] = defaultdict(list)
    annotated: dict[tuple[str, str | None], set[str]] = defaultdict(set)
    for place in lists(tables, mode, *FAMILIES):
        key = place.list, place.split
        if place.recording_id in steps:
            annotated[key].add(place.recording_id)
        asks[key] += [(place, ask) for ask in asked(steps.get(place.recording_id, []), mode)]
    views = dict(tables["recordings"].select("recording_id", "view").iter_rows())
    items, truth = [], []
    for key in [*asks, *sorted(released.keys() - asks.keys())]:
        if key in released:
            found = released[key]
            mine = [
                (Listed(views[row["recording_id"]], key[0], key[1], row["recording_id"]), row)
                for row in found.rows
                if row["recording_id"] in views
            ]
            drawn = list(_stated_items(mine, asks.get(key, []), mode))
            truth += _truth(key, found.source_file, mine, asks.get(key, []), annotated[key])
        else:
            drawn = [_item(place, ask, mode) for place, ask in asks[key]]
        items += [{**item, "position": at} for at, item in enumerate(drawn)]
    n = Counter(s.class_id for found in steps.values() for s in found)
    return Made.of(items, class_rows(coarse_labels(tables["taxonomies"]), n), truth)


def _item(place: Listed, ask: Ask, mode: Mode) -> dict:
    first = ask.steps[0]
    return {
        **place._asdict(),
        "item_id": item_key(place, mode, first.segment_id),
        "segment_id": first.segment_id,
        "end_s": ask.seen_until_s,
        "target_start_s": first.start_s,
        "target_end_s": max(s.end_s for s in ask.steps),
        "classes": [s.class_id for s in ask.steps],
    }


_Stated = tuple[str, float, tuple[int, ...]]
"""Recording, end of what is shown (to a microsecond), classes."""


def _stated(uid: str, seen_until_s: float, classes: Iterable[int]) -> _Stated:
    return uid, round(seen_until_s, 6), tuple(classes)


def _of_ask(place: Listed, ask: Ask) -> _Stated:
    return _stated(place.recording_id, ask.seen_until_s, (s.class_id for s in ask.steps))


def _of_row(row: Mapping) -> _Stated:
    return _stated(row["recording_id"], row["seen_until_s"], row["classes"])


def _stated_items(
    rows: Iterable[tuple[Listed, Mapping]], asks: Iterable[tuple[Listed, Ask]], mode: Mode
) -> Iterator[dict]:
    """Items of released rows, in their order, with the segment where annotations give the same."""
    known: dict[_Stated, list[dict]] = defaultdict(list)
    for place, ask in asks:
        known[_of_ask(place, ask)].append(_item(place, ask, mode))
    for same in known.values():
        same.reverse()
    seen: Counter[tuple[str, float]] = Counter()
    for place, row in rows:
        same = known.get(_of_row(row))
        until_s = row["seen_until_s"]
        if same:
            yield same.pop() | {"end_s": until_s}
            continue
        # Two rows may end at one instant: the second is distinguished by a count of such rows.
        seen[place.recording_id, until_s] += 1
        count = seen[place.recording_id, until_s]
        parts = (place.recording_id, number(until_s), *([str(count)] if count > 1 else []))
        yield {
            **place._asdict(),
            "item_id": item_key(place, mode, *parts),
            "end_s": until_s,
            "classes": row["classes"],
        }


def _truth(
    key: tuple[str, str | None],
    source_file: str,
    rows: Iterable[tuple[Listed, Mapping]],
    asks: Iterable[tuple[Listed, Ask]],
    annotated: Collection[str],
) -> Iterator[dict]:
    """What the annotations give instead of a released list, recording by recording."""
    stated: dict[str, list[_Stated]] = defaultdict(list)
    derived: dict[str, list[_Stated]] = defaultdict(list)
    for _, row in rows:
        stated[row["recording_id"]].append(_of_row(row))
    for place, ask in asks:
        derived[place.recording_id].append(_of_ask(place, ask))
    for uid in sorted(stated.keys() | derived.keys()):
        mine = derived.get(uid, [])
        compared = (len(mine), differing(stated[uid], mine)) if uid in annotated else None
        yield truth_row(key, uid, source_file, len(stated[uid]), compared)


def files(made: Made, tables: Tables) -> dict[str, str]:
    """A list per list and split; released ones as they stand, those for training on both views too."""
    known = positions(made.classes, "coarse")
    lists = {
        f"annotation/{split}_{name}_anno_list.txt": planning_list(items, known)
        for (name, split), items in by_list(made.items).items()
    }
    if made.items["mode"].first() == "parity":
        lists |= released_files(tables["released_rows"], "planning")
    return lists


TASK_SET = set_of_steps(
    "planning", make, files, FAMILIES, {"released_rows": ROWS}, {"released_rows": TEXTS}
)
