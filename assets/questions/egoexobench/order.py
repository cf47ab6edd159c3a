"""Which of two actions comes first, as a whole source shows it: the corpus of successive actions.

Two actions that one person does in a row are compared by their verbs and by the parts that common things
play in both: "get the cup from the counter, put the cup on the table" is taking and then putting what was
taken. Of such a pair the source holds many, or none the other way round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from assets.questions.egoexobench.acts import Act

Pattern = tuple[frozenset[str], frozenset[str], frozenset[tuple[str, str]]]
"""Verbs of the first and of the second action, and the parts each common thing plays in both."""
LEAST_SUPPORT = 5
# Parts of things that are in hand; others may be places.
_HELD = frozenset({"direct", "tool"})


def sequences(acts: Iterable[Act]) -> dict[str, list[Act]]:
    """What each wearer does, in time order, by recording."""
    found: dict[str, list[Act]] = {}
    for act in acts:
        found.setdefault(act.recording_id, []).append(act)
    return {
        uid: sorted(own, key=lambda a: (a.start_s, a.end_s, a.segment_id))
        for uid, own in sorted(found.items())
    }


def pattern(first: Act, second: Act) -> Pattern | None:
    """How two actions hang together; None if they share no thing or lack a verb."""
    parts = frozenset(
        (mine, theirs)
        for thing, mine in first.parts
        for other, theirs in second.parts
        if thing == other
    )
    if not parts or not first.verbs or not second.verbs:
        return None
    return first.verbs, second.verbs, parts


def reverse(one: Pattern) -> Pattern:
    """The same two actions in the other order."""
    first, second, parts = one
    return second, first, frozenset((theirs, mine) for mine, theirs in parts)


def counted(of_recordings: Mapping[str, Sequence[Act]]) -> Counter[Pattern]:
    """How often each pattern occurs among successive actions of one person."""
    return Counter(found for own in of_recordings.values() for found in _patterns(own))


def _patterns(own: Sequence[Act]) -> Iterator[Pattern]:
    for first, second in pairwise(own):
        found = pattern(first, second)
        if found is not None:
            yield found


def has_reason(first: Act, second: Act) -> bool:
    """Whether the second action takes up what the first is done to.

    A place that two actions share is not a reason ("turn on the sink, get the sponge from the sink"), unless
    it had to be opened.
    """
    done_to = {name for name, part in first.parts if part == "direct"}
    return any(
        name in done_to and (part in _HELD or not second.things or first.does("open"))
        for name, part in second.parts
    )


def is_settled(one: Pattern, counts: Mapping[Pattern, int]) -> bool:
    """Whether a pattern occurs often enough, and never the other way round."""
    return counts.get(one, 0) >= LEAST_SUPPORT and not counts.get(reverse(one), 0)
