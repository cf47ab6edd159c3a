"""When each state of a thing holds, from annotated states and from what verbs leave behind.

Two kinds of statement meet here. An annotator says that a thing is in a state over an interval, or
before, during or after an action (`object_states`). A verb leaves its direct object in a state at the
end of its segment (`states.toml`). The rules, per thing and dimension:

1. Annotated states win. A state derived from a verb is dropped where an annotated state covers the
   moment it would begin at, or is given for the end of the same segment.
2. A stated interval, and a `during`, hold exactly as long as they say.
3. `after`, and a state derived from a verb, hold until the next statement of the same dimension, else
   to the end of the recording. Places (`on`, `in` ...) are one dimension in which several may hold at
   once: those said of one moment do not end each other.
4. `before` reaches back to the previous statement of the same dimension, else to the start of the
   recording. Where that statement says another state and lasts, it keeps the time between the two:
   nothing tells when the change was, and the `before` holds at its own moment alone.
5. A state is caused by an action only if it is a change: the statement before says another state, or
   there is none. What a verb leaves is caused by its action. An annotated state is caused by an action on the
   thing that it begins with (`after`, `during`, or a stated start after the action's): the only one whose
   verb's rule predicts it, else the only one at all if a statement before says another state. Verbs
   that are known to leave something else cause no state that other verbs are known to leave.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

PLACES = frozenset(
    "above at behind below beside by in inside into near next to on onto outside over to under"
    " underneath with".split()
)
"""Words that make an attribute a place, whose value is a second thing."""
PLACE = "place"
"""Dimension of places."""
_YES = frozenset({"yes", "true"})
_NO = frozenset({"no", "false"})
_UNKNOWN = frozenset({"", "n/a", "na", "unknow", "unknown"})

Meanings = Mapping[tuple[str, str], tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Named:
    """A state in words.

    Attributes:
        dimension: What is described: states of one dimension follow each other (places may also be
            several at once).
        name: Name as shown.
        key: Tells the state from others of the recording.
    """

    dimension: str
    name: str
    key: str


def named_state(attribute: str, value: str, meanings: Meanings) -> Named | None:
    """The state that an annotated attribute and value name, or None if the value is not known.

    Args:
        attribute: Attribute, lower case, blanks between words.
        value: Value, written in the same way.
        meanings: Dimension and state of attributes with values that mean what a verb leaves behind.
    """
    if value in _UNKNOWN:
        return None
    meant = meanings.get((attribute, value))
    if meant is not None:
        # One node with the state that verbs leave.
        return Named(meant[0], meant[1], meant[1])
    dimension, name = attribute, f"{attribute}: {value}"
    if value in _YES:
        name = attribute
    elif value in _NO:
        name = f"not {attribute}"
    elif attribute.partition(" ")[0] in PLACES:
        dimension, name = PLACE, f"{attribute} {value}"
    return Named(dimension, name, f"{attribute}={value}")


@dataclass(frozen=True, slots=True)
class Statement:
    """Something said of the state of one thing.

    Attributes:
        thing: The thing; statements of one thing and dimension are put in order.
        state: The state.
        low_s: When it is known to hold from.
        high_s: When it is known to hold to; equal to `low_s` for an instant.
        reach: Whether it holds on, or held before, beyond these.
        clear_s: Earliest time to which a later `before` may reach back past this statement.
        key: Row and edge, to break ties.
        segment_id: Segment at whose edge it is stated.
        annotated: Whether a person said it.
        moment: `before`, `during` or `after` the segment, if said so.
        cause: Edge of the action that left it, if derived from a verb.
    """

    thing: str
    state: Named
    low_s: float
    high_s: float
    reach: Literal["forward", "backward", "none"]
    clear_s: float
    key: str
    segment_id: str | None
    annotated: bool
    moment: str | None = None
    cause: str | None = None


@dataclass(frozen=True, slots=True)
class Act:
    """An action on a thing, as a possible cause.

    Attributes:
        thing: The thing.
        segment_id: Its segment.
        start_s: Start.
        end_s: End.
        edge: Edge from the action to the thing.
        leaves: Dimension and name of the state that the verb's rule predicts of the thing.
    """

    thing: str
    segment_id: str
    start_s: float
    end_s: float
    edge: str
    leaves: tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class Interval:
    """A statement with the interval it holds over, and the edge of the action that caused it."""

    statement: Statement
    start_s: float
    end_s: float
    caused_by: str | None


def state_intervals(
    statements: Iterable[Statement], acts: Iterable[Act], end_s: float, by_verbs: Collection[str]
) -> Iterator[Interval]:
    """Intervals of all statements that stand, by the rules above.

    Args:
        statements: What is said of the things of one recording.
        acts: Actions on them.
        end_s: End of the recording.
        by_verbs: Dimensions of the states that verbs are known to leave.
    """
    groups: dict[tuple[str, str], list[Statement]] = defaultdict(list)
    for statement in statements:
        groups[statement.thing, statement.state.dimension].append(statement)
    by_thing: dict[str, list[Act]] = defaultdict(list)
    for act in acts:
        by_thing[act.thing].append(act)
    for (thing, _), group in groups.items():
        yield from _intervals(_standing(group), by_thing[thing], end_s, by_verbs)


def _standing(group: Sequence[Statement]) -> list[Statement]:
    """Statements in time order, without the derived ones that an annotated one overrules."""
    annotated = [s for s in group if s.annotated]

    def overruled(derived: Statement) -> bool:
        at = derived.low_s
        return any(
            said.low_s <= at < said.high_s
            or (said.moment == "after" and said.segment_id == derived.segment_id)
            for said in annotated
        )

    kept = [s for s in group if s.annotated or not overruled(s)]
    return sorted(kept, key=lambda s: (s.low_s, s.high_s, s.key))


def _intervals(
    ordered: Sequence[Statement], acts: Sequence[Act], end_s: float, by_verbs: Collection[str]
) -> Iterator[Interval]:
    for at, statement in enumerate(ordered):
        start, end = statement.low_s, statement.high_s
        if statement.reach == "forward":
            together = statement.state.dimension == PLACE
            later = (
                s.low_s
                for s in ordered[at + 1 :]
                if s.low_s > end or (s.low_s == end and not together)
            )
            end = max(next(later, end_s), end)
        elif statement.reach == "backward":
            start = min(_back_to(statement, ordered[:at]), start)
        yield Interval(statement, start, end, _cause(statement, ordered[:at], acts, by_verbs))


def _back_to(statement: Statement, earlier: Sequence[Statement]) -> float:
    if not earlier:
        return 0.0
    if earlier[-1].reach == "forward" and statement.state.key not in _last(earlier):
        return statement.low_s
    return max(s.clear_s for s in earlier)


def _last(earlier: Sequence[Statement]) -> set[str]:
    """States said of the latest moment."""
    return {s.state.key for s in earlier if s.low_s == earlier[-1].low_s}


def _cause(
    statement: Statement,
    ordered: Sequence[Statement],
    acts: Sequence[Act],
    by_verbs: Collection[str],
) -> str | None:
    earlier = [s for s in ordered if s.low_s < statement.low_s]
    if earlier and statement.state.key in _last(earlier):
        return None
    if not statement.annotated:
        return statement.cause
    if statement.moment == "before":
        return None
    if statement.moment is not None:
        near = [act for act in acts if act.segment_id == statement.segment_id]
    else:
        near = [act for act in acts if act.start_s < statement.low_s <= act.end_s]
    dimension, name = statement.state.dimension, statement.state.name
    by_rule = [act for act in near if act.leaves == (dimension, name)]
    if by_rule:
        same = {act.segment_id for act in by_rule}
        return min(act.edge for act in by_rule) if len(same) == 1 else None
    if dimension in by_verbs:
        near = [act for act in near if act.leaves is None]
    return near[0].edge if earlier and len(near) == 1 else None
