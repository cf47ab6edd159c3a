"""Labels of narrations without a vocabulary: a row per verb, and per thing or person in its event.

Rows carry lemmas and no class. `rule` names the path through the parse that gave the row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from assets.labels.open.events import find_events
from assets.labels.open.model import DEFAULT_MODEL, parse
from assets.labels.open.schema import Event, Object
from assets.labels.open.tokens import WEARER, Token

if TYPE_CHECKING:
    from assets.labels.open.tree import Doc

NO_PART = "none"


class OpenLabel(NamedTuple):
    """A verb or noun of one narration.

    Attributes:
        clause: Number of its event, from 0.
        kind: `verb` or `noun`.
        lemma: Lemma, with a verb's particle and the nouns that belong to a noun.
        term: Words of the narration, lower case.
        body_part: Part of the body that acts in the event; `none` where none is named.
        actor_id: Who acts: null for the segment's own actor, a name, or `nobody`.
        status: How far the action came: done, attempted, negated, stopped, about_to.
        role: `action`, or the part a noun plays.
        direction: Direction of the action, of a verb; null where none is named.
        quantity: How many, of a noun; null where the narration does not say.
        span_start: First character in the narration.
        span_end: Character after the last.
        rule: Path through the parse.
    """

    clause: int
    kind: str
    lemma: str
    term: str
    body_part: str
    actor_id: str | None
    status: str
    role: str
    direction: str | None
    quantity: int | None
    span_start: int
    span_end: int
    rule: str


def read_narrations(
    narrations: Sequence[str], model: str = DEFAULT_MODEL
) -> Iterator[list[OpenLabel]]:
    """Labels of narrations, in order; those of each in the order of its events and places.

    Args:
        narrations: Narrations as written.
        model: Name of an installed spaCy model for English.

    Raises:
        ParserUnavailableError: The model is not installed.
    """
    by_narration = groupby(parse(narrations, model), key=lambda piece: piece.narration)
    for narration, (_, pieces) in zip(narrations, by_narration, strict=True):
        labels: list[OpenLabel] = []
        for piece in pieces:
            first = labels[-1].clause + 1 if labels else 0
            labels += label_narration(narration, piece.tokens, piece.doc, first)
        yield labels


def label_narration(
    narration: str, tokens: Sequence[Token], doc: Doc, first: int = 0
) -> list[OpenLabel]:
    """Labels of one parsed narration, or of a piece of one.

    Args:
        narration: Narration as written.
        tokens: The words that were parsed.
        doc: Their parse.
        first: Number of the first event.
    """
    labels: list[OpenLabel] = []
    # A word that was filled in is not an event: it stands nowhere in the narration.
    events = [e for e in find_events(doc, tokens) if tokens[e.node].start < tokens[e.node].end]
    for number, event in enumerate(events, first):
        verb = _verb(number, event, narration, tokens)
        labels.append(verb)
        taken = {(verb.span_start, verb.lemma)}
        for each in event.objects:
            noun = _noun(verb, each, narration, tokens)
            is_written = noun.span_start < noun.span_end and bool(noun.lemma)
            if is_written and (noun.span_start, noun.lemma) not in taken:
                taken.add((noun.span_start, noun.lemma))
                labels.append(noun)
    return labels


def _verb(number: int, event: Event, narration: str, tokens: Sequence[Token]) -> OpenLabel:
    start, end = tokens[event.node].start, tokens[event.node].end
    if event.particle is not None and event.particle == event.node + 1:
        end = tokens[event.particle].end
    return OpenLabel(
        clause=number,
        kind="verb",
        lemma=event.lemma,
        term=narration[start:end].lower(),
        body_part=event.body_part or NO_PART,
        actor_id=None if event.actor == WEARER else event.actor,
        status=event.status,
        role="action",
        direction=event.direction,
        quantity=None,
        span_start=start,
        span_end=end,
        rule=f"open;{event.path}",
    )


def _noun(verb: OpenLabel, each: Object, narration: str, tokens: Sequence[Token]) -> OpenLabel:
    start, end = tokens[each.first].start, tokens[each.node].end
    first, last = each.named or (each.first, each.node)
    words = each.lemma.split(" ")
    if len(words) == last - first + 1:
        words = [f"{tokens[first + at].prefix} {word}".strip() for at, word in enumerate(words)]
    else:
        words.insert(0, tokens[first].prefix)
    return verb._replace(
        kind="noun",
        lemma=" ".join(filter(None, (*words, tokens[last].tail))),
        term=narration[start:end].lower(),
        role=each.role,
        direction=None,
        quantity=each.count,
        span_start=start,
        span_end=end,
        rule=f"open;{each.path}",
    )
