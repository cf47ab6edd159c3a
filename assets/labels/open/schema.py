"""What is read off a narration: events, and the things and people that take part in them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Object:
    """A thing or person that takes part in an event.

    Attributes:
        lemma: Its noun in the singular, with the nouns that belong to it: `cutting board`.
        role: Part it plays: direct, recipient, tool, source, target or location.
        node: Its word in the parse.
        first: First word of its phrase that is counted to it.
        count: How many, where the narration says.
        path: Dependencies from the verb to it.
        named: First and last word of its name, where `node` is a pronoun that stands for it.
    """

    lemma: str
    role: str
    node: int
    first: int
    path: str
    count: int | None = None
    named: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """One verb of a narration.

    Attributes:
        lemma: Its lemma with its particle: `pick up`.
        node: Its word in the parse.
        particle: Word of its particle.
        actor: Who acts: `WEARER`, a name, or `NOBODY`.
        body_part: Part of the actor's body that acts, or None.
        status: How far the action came: done, attempted, negated, stopped, about_to.
        direction: Where it goes, by a word of direction, or None.
        objects: What it acts on, in the order of the narration.
        path: Dependencies from the root to it.
    """

    lemma: str
    node: int
    actor: str
    status: str
    path: str
    particle: int | None = None
    body_part: str | None = None
    direction: str | None = None
    objects: tuple[Object, ...] = field(default=())
