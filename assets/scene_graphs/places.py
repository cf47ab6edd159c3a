"""When each thing is at which place, from what people do with it (EgoCoT-Bench 3.2.2: LVR and GOT rest on it).

A scene graph tells actions. Which of them put a thing somewhere, which take it away and which words name the
place stands in `places.toml`, which people review. The rules, per thing:

1. What is put is at the place from the end of the action to the start of the next one that takes it or does
   anything else with it, except what leaves things where they are (`stay`), else to the end of coverage.
2. Of what is taken from a place only the moment at which the action begins is known: the thing may have been
   brought there before by someone whom nobody noted.
3. Where a taking is missing (the next action puts the thing somewhere or works with it, or takes it from another
   place), nothing tells when the thing left. It was at the place when the putting ended, and that is all.
4. A putting that ends while something else is done with the thing tells nothing.

Coverage ends with the last annotated action of the recording. Nothing is claimed before the first action that names
a place.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from expectations.word_kinds import VERB, verb_kinds, words_of

What = Literal["put", "take", "stay", "use", "other"]
"""What an action does with the place of a thing; `use` is done with the thing in hand."""


@dataclass(frozen=True, slots=True)
class _Rule:
    acts: frozenset[str]
    verbs: frozenset[str]
    not_verbs: frozenset[str]
    places: Mapping[str, str]

    def holds(self, verb: str) -> bool:
        """Whether a verb, perhaps with its particle, falls under the rule."""
        first = verb.partition(" ")[0]
        if self.not_verbs & {verb, first}:
            return False
        return bool(self.verbs & {verb, first} or self.acts & verb_kinds(verb))


@cache
def _rules() -> Mapping[str, _Rule]:
    text = Path(__file__).with_name("places.toml").read_text(encoding="utf-8")
    return {what: _rule(what, rule) for what, rule in tomllib.loads(text).items()}


def _rule(what: str, said: Mapping[str, Any]) -> _Rule:
    for kind in said["acts"]:
        words_of(VERB, kind)  # a kind that no verb has is a slip of the pen
    places: dict[str, str] = {}
    for how, words in said.get("places", {}).items():
        for word in words:
            if places.setdefault(word, how) != how:
                raise ValueError(f"{what}: {word!r} means {places[word]!r} and {how!r}")
    return _Rule(
        frozenset(said["acts"]),
        frozenset(said["verbs"]),
        frozenset(said.get("not_verbs", ())),
        places,
    )


def does_with_place(verb: str) -> What:
    """What an action does with the place of its direct object.

    Args:
        verb: The verb, lower case, blanks between words.
    """
    for what in ("put", "take", "stay"):
        if _rules()[what].holds(verb):
            return what
    return "other"


def way_to_place(what: What, word: str) -> str | None:
    """How a thing is to a place that a word joins to the verb: `on`, `in`, `under`, `near` or `at`; None if not at it.

    Args:
        what: What the action does with the place.
        word: The word, lower case, blanks between words.
    """
    rule = _rules().get(what)
    return None if rule is None else rule.places.get(word)


@dataclass(frozen=True, slots=True)
class Place:
    """A place that an action names.

    Attributes:
        node: Node of the place.
        way: How the thing is to it.
        row: Row that names it.
    """

    node: str
    way: str
    row: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Handling:
    """An action on a thing, as far as it tells where the thing is.

    Attributes:
        thing: Node of the thing.
        what: What is done with its place.
        start_s: Start.
        end_s: End.
        edge: Edge from the action to the thing.
        segment_id: Its segment.
        places: Where the thing is put, or taken from.
    """

    thing: str
    what: What
    start_s: float
    end_s: float
    edge: str
    segment_id: str
    places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Stay:
    """A thing at a place.

    Attributes:
        begun_by: The action that tells it.
        place: The place.
        start_s: Since when.
        end_s: Until when; the start for a moment alone.
        ended_by: Edge of the action that ends it; None at the end of coverage and for a moment alone.
    """

    begun_by: Handling
    place: Place
    start_s: float
    end_s: float
    ended_by: str | None = None


def stays(handlings: Iterable[Handling], covered_s: float) -> Iterator[Stay]:
    """Where things are, by the rules above.

    Args:
        handlings: What is done to the things of one recording.
        covered_s: End of coverage.
    """
    by_thing: dict[str, list[Handling]] = defaultdict(list)
    for one in sorted(handlings, key=lambda h: (h.start_s, h.end_s, h.edge)):
        by_thing[one.thing].append(one)
    for mine in by_thing.values():
        for one in mine:
            if one.what == "take":
                yield from (Stay(one, place, one.start_s, one.start_s) for place in one.places)
            elif one.what == "put":
                yield from _put(one, mine, covered_s)


def _put(one: Handling, mine: Sequence[Handling], covered_s: float) -> Iterator[Stay]:
    lasting = (h for h in mine if h.end_s > one.end_s and h.segment_id != one.segment_id)
    following = next((h for h in lasting if h.what != "stay"), None)
    if following is None:
        for place in one.places:
            yield Stay(one, place, one.end_s, max(covered_s, one.end_s))
        return
    if following.start_s < one.end_s:
        return
    named = {place.node for place in following.places}
    for place in one.places:
        elsewhere = following.what == "take" and named and place.node not in named
        if following.what in ("put", "use") or elsewhere:
            yield Stay(one, place, one.end_s, one.end_s)
        else:
            yield Stay(one, place, one.end_s, following.start_s, following.edge)
