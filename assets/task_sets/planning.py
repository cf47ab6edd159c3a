"""Planning: the next eight coarse steps.

`paper` (6.2.1): the video is seen up to s_i, the start of step i, and steps i to i+7 are asked for,
with s_i < s_(i+1): of steps that start at once the longest stays. A step that starts with its
recording has nothing before it and is not asked for.

`parity`: steps in the order of their starts; one that starts at or before the end of the one before
and has its class is joined to it, and the end of the later one holds, however early. The video is seen
up to the end of step i, and steps i+1 to i+8 are asked for: the first is never asked for, and a
recording with fewer than nine joined steps has no item. Recordings are in the order of the released
lists, and where there is no list in that of the split.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assets.task_sets.released_form import planning_list
from assets.task_sets.steps import (
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
    """Items of all recordings with coarse steps."""
    steps = steps_of(tables["segments"], mode)
    if not steps:
        return Made.of(())
    position: Counter[tuple[str, str | None]] = Counter()
    items = []
    for place in lists(tables, mode, "planning", "segmentation"):
        for ask in asked(steps.get(place.recording_id, []), mode):
            first = ask.steps[0]
            items.append(
                {
                    **place._asdict(),
                    "item_id": item_key(place, mode, first.segment_id),
                    "position": position[place.list, place.split],
                    "segment_id": first.segment_id,
                    "end_s": ask.seen_until_s,
                    "target_start_s": first.start_s,
                    "target_end_s": max(s.end_s for s in ask.steps),
                    "classes": [s.class_id for s in ask.steps],
                }
            )
            position[place.list, place.split] += 1
    n = Counter(s.class_id for found in steps.values() for s in found)
    return Made.of(items, class_rows(coarse_labels(tables["taxonomies"]), n))


def files(made: Made, _tables: Tables) -> dict[str, str]:
    """A list per list and split."""
    known = positions(made.classes, "coarse")
    return {
        f"annotation/{split}_{name}_anno_list.txt": planning_list(items, known)
        for (name, split), items in by_list(made.items).items()
    }


TASK_SET = set_of_steps("planning", make, files)
