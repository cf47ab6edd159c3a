"""Actions of tools in an operation: tool, verb and target, in which phases each starts, and which it begins."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import polars as pl

from assets.questions.egocross.phases import Change, Phase
from assets.questions.kit.builder import Need, Tables
from assets.questions.kit.needs import rows_where
from assets.questions.kit.wording import wording

NO_TARGET: Final = "null_target"
BAG: Final = "specimenbag"
RELEASED_OPTION: Final = wording(__file__, "released/next_action.j2", "option_cholectrack20")
RELEASED_BAG: Final = wording(__file__, "released/next_action.j2", "option_cholectrack20_bag")
_ROUNDING: Final = 1e-6
_IS_TRIPLET: Final = (
    (pl.col("kind") == "interaction")
    & (pl.col("class_name").str.count_matches(",", literal=True) == 2)
    & ~pl.col("class_name").str.ends_with(f",{NO_TARGET}")
)


@dataclass(frozen=True, slots=True)
class Triplet:
    """An action of a tool, in seconds of its recording; `label` joins tool, verb and target by commas.

    `operator` is None where nobody is named, or the column was not read.
    """

    segment_id: str
    label: str
    start_s: float
    end_s: float
    operator: str | None = None

    def overlaps(self, span: tuple[float, float]) -> bool:
        """Whether it is done during a span, ends included."""
        return self.start_s <= span[1] + _ROUNDING and self.end_s > span[0] + _ROUNDING


def needs_triplets() -> Need:
    """A source needs actions with tool, verb and target."""
    missing = "no action of a tool with verb and target"
    return rows_where("segments", ("kind", "class_name"), _IS_TRIPLET, missing)


def triplets(tables: Tables) -> dict[str, list[Triplet]]:
    """Actions with tool, verb and target by recording, in order of time."""
    found: dict[str, list[Triplet]] = defaultdict(list)
    rows = tables["segments"].filter(_IS_TRIPLET).sort("start_s", "segment_id")
    for row in rows.iter_rows(named=True):
        times = (row["start_s"], row["end_s"])
        one = Triplet(row["segment_id"], row["class_name"], *times, row.get("actor_id"))
        found[row["recording_id"]].append(one)
    return found


def begun(actions: Iterable[Triplet], change: Change, within_s: float) -> list[Triplet]:
    """Actions that begin in the next phase, so many seconds after its first picture at most, in order."""
    start_s = change.after.start_s
    last_s = min(start_s + within_s, change.after.end_s)
    return [x for x in actions if start_s - _ROUNDING <= x.start_s <= last_s + _ROUNDING]


def started_in(
    actions: Mapping[str, Sequence[Triplet]], phases: Mapping[str, Sequence[Phase]]
) -> dict[str, set[str]]:
    """Labels of the phases in which each action starts at any time, in any recording."""
    found: dict[str, set[str]] = defaultdict(set)
    for uid, mine in actions.items():
        for one in mine:
            found[one.label] |= {
                phase.label
                for phase in phases.get(uid, ())
                if phase.start_s - _ROUNDING <= one.start_s < phase.end_s - _ROUNDING
            }
    return found


def told_apart(
    answer: str,
    others: Sequence[str],
    begins: Mapping[str, set[str]],
    starts: Mapping[str, set[str]],
    n: int,
) -> Iterator[tuple[str, ...]]:
    """Others, so many at a time, such that none of all starts in a phase that another one begins.

    Which phase comes next then tells the right one, and what is offered tells nothing without it.

    Args:
        answer: The right action.
        others: Actions that may be offered, in order of preference.
        begins: Labels of the phases that each action begins.
        starts: Labels of the phases in which each starts at any time.
        n: How many.
    """

    def apart(x: str, y: str) -> bool:
        return begins[x].isdisjoint(starts[y]) and begins[y].isdisjoint(starts[x])

    possible = [x for x in others if apart(answer, x)]
    for chosen in combinations(possible, n):
        if all(apart(x, y) for x, y in combinations(chosen, 2)):
            yield chosen


def action_text(label: str, *, as_paper: bool = False) -> str:
    """An action as an option: in our words, or as the testbed writes it."""
    tool, verb, target = (part.replace("_", " ") for part in label.split(","))
    if not as_paper:
        shown = "specimen bag" if tool == BAG else tool
        return f"use the {shown} to {verb} the {target}"
    if tool == BAG:
        return RELEASED_BAG.render({"verb": verb, "target": target})
    return RELEASED_OPTION.render({"tool": tool, "verb": verb, "target": target})
