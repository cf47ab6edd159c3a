"""Where things are put and taken from, where annotators state it of whole movements (`tracks` of HD-EPIC).

A movement leads from the fixture at which a thing is picked up to that at which it is put down. Narrations of the same
recording tell the actions, without places. An action that puts a thing belongs to the movement of a thing of the same name
that ends in it or half a second beside it, one that takes it to the movement that begins so. If there are several, two
things of one name are moved, and none is meant.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from assets.scene_graphs.places import What
from expectations.word_kinds import verb_kinds

_NEAR_S = 0.5
# Kitchen and number of a fixture: `P01_counter.003` is a counter.
_FIXTURE = re.compile(r"(?:P\d+_)?(.+?)(?:[._]\d+)?")
_ENDS = {"put": ("end_s", "end_place", "target"), "take": ("start_s", "start_place", "source")}


@dataclass(frozen=True, slots=True)
class Fixture:
    """A fixture at which an action puts a thing, or from which it takes it.

    Attributes:
        name: What it is.
        key: Tells it from others of its name; the name where the recording has one.
        row: Row of `tracks` that states it, with the role that the fixture plays.
    """

    name: str
    key: str
    row: Mapping[str, Any]


def moved_by(verb: str, what: What) -> What:
    """What an action does with a thing's place where a movement of the thing ends with it: "put on the lid" puts it.

    Alone the verb does not tell: clothes are put on, too.

    Args:
        verb: The verb, lower case, blanks between words.
        what: What the verb alone tells.
    """
    puts = what == "other" and "put" in verb_kinds(verb.partition(" ")[0])
    return "put" if puts else what


class Movements:
    """Movements of one recording.

    Args:
        tracks: Its rows of `tracks`.
        shown: Name of a thing as graphs show it.
    """

    def __init__(self, tracks: pl.DataFrame, shown: Callable[[str], str]) -> None:
        """Index the movements by the thing that is moved."""
        self._of: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        self._shown = shown
        self._tracks: set[str] = set()
        fixtures: dict[str, set[str]] = defaultdict(set)
        for row in tracks.filter("moves").sort("start_s", "track_id").iter_rows(named=True):
            self._of[shown(row["name"])].append(row)
            self._tracks.add(row["track_id"])
            for place in (row["start_place"], row["end_place"]):
                if place is not None:
                    fixtures[self._name(place)].add(place)
        self._several = {name for name, of in fixtures.items() if len(of) > 1}

    def has(self, track: str) -> bool:
        """Whether a track is a movement."""
        return track in self._tracks

    def fixture(self, thing: str, what: What, start_s: float, end_s: float) -> Fixture | None:
        """Where an action puts a thing, or takes it from; None if no movement states it, or several do.

        Args:
            thing: Name of the thing.
            what: What the action does with its place.
            start_s: Start of the action.
            end_s: End of the action.
        """
        if what not in _ENDS:
            return None
        time, place, role = _ENDS[what]
        fitting = [
            row
            for row in self._of.get(thing, ())
            if start_s - _NEAR_S <= row[time] <= end_s + _NEAR_S
        ]
        if len(fitting) != 1 or fitting[0][place] is None:
            return None
        (row,) = fitting
        name = self._name(row[place])
        key = row[place] if name in self._several else name
        return Fixture(name, key, {**row, "role": role, "source_table": "tracks"})

    def _name(self, fixture: str) -> str:
        parts = _FIXTURE.fullmatch(fixture)
        return self._shown(parts[1] if parts else fixture)
