"""Narrations of an action: many phrasings, one meaning.

The phrasings follow the manners of EgoExoLearn's `narration_en` ("The left hand holds ... while the
right hand ...", "Use your right hand to ...", "With my left hand, I am ...", no hand at all) and
carry the traps of real text: "left" and "right" as places, "left" as a verb, pronouns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from resources.worlds.household import words
from resources.worlds.household.tasks import Action, Clause
from resources.worlds.tools.chance import pick, unit

Hand = Literal["left", "right", "both", "unspecified"]
Form = Literal["base", "third", "gerund"]

_INFLECT: dict[Form, Callable[[str], str]] = {
    "base": str,
    "third": words.third,
    "gerund": words.gerund,
}
_INSTRUMENT = frozenset({"with"})
_FINE_GRAINED = frozenset({"salt", "sugar", "powder", "cheese"})
_HOT = frozenset({"spatula", "pot"})
_LEFTOVER = frozenset({"egg", "carrot", "cucumber"})


@dataclass(frozen=True)
class Mention:
    """A verb or noun that a narration names, and the hand that does it."""

    kind: Literal["verb", "noun"]
    key: str
    hand: Hand
    clause: int


@dataclass(frozen=True)
class Narration:
    """English text of a fine action in the release's three columns, with its true reading."""

    text: str
    hand_prompt: str
    no_hand_prompt: str
    mentions: tuple[Mention, ...]


def _np(noun: str, keys: tuple[object, ...], plain: bool) -> str:
    term = words.noun_terms(noun)[0] if plain else pick(words.noun_terms(noun), *keys, noun)
    return f"the {term}"


def _phrase(
    clause: Clause, form: Form, keys: tuple[object, ...], it: str | None = None, plain: bool = False
) -> str:
    """Verb, object and prepositions; `it` names the noun that a pronoun stands for."""
    options = words.verb_phrases(clause.verb)
    verb = options[0] if plain else pick(options, *keys, clause.verb)
    if verb == "sprinkle" and clause.obj not in _FINE_GRAINED:
        verb = "add"
    obj = "it" if clause.obj == it else _np(clause.obj, keys, plain)
    if clause.verb == "throw" and clause.obj in _LEFTOVER and obj != "it":
        obj = f"the rest of {obj}"
    out = f"{_INFLECT[form](verb)} {obj}"
    for prep, noun in clause.preps:
        preposition = "over" if verb == "sprinkle" and prep == "to" else prep
        out += f" {preposition} {_np(noun, keys, plain)}"
    if clause.verb == "show":
        out += " in front of the viewers"
    return out


def _cap(text: str) -> str:
    return text[0].upper() + text[1:] + "."


def _place(clause: Clause, keys: tuple[object, ...]) -> str:
    """A location trap for some single clauses: a side is not a hand."""
    chance = unit(*keys, "place")
    side = pick(("left", "right"), *keys, "side")
    if clause.verb in {"take", "put", "move"} and chance < 0.22:
        return f" on the {side} side"
    if clause.verb == "stir" and chance < 0.4 and _HOT & set(clause.nouns):
        return ", which is left to simmer"
    return ""


def _single(clause: Clause, hand: Hand, style: int, keys: tuple[object, ...]) -> str:
    forms: tuple[Form, ...] = ("base", "third", "gerund")
    base, third, ing = (_phrase(clause, form, keys) for form in forms)
    place = _place(clause, keys)
    tool = any(prep in _INSTRUMENT for prep, _ in clause.preps)
    if hand == "unspecified":
        return _cap((base, f"I am {ing}", base)[style % 3] + place)
    if hand == "both":
        return _cap(
            (
                f"both hands {base}{place}",
                f"use both hands to {base}",
                f"{base} with both hands",
                f"with both hands, I am {ing}",
            )[style % 4 if not tool else style % 2]
        )
    return _cap(
        (
            f"the {hand} hand {third}{place}",
            f"{base} {'in' if tool else 'with'} your {hand} hand{place}",
            f"use your {hand} hand to {base}",
            f"with my {hand} hand, I am {ing}",
            f"the {hand} hand {third}{place}",
        )[style % 5]
    )


def _together(a: Clause, b: Clause, main: Hand, style: int, keys: tuple[object, ...]) -> str:
    """The other hand does `a` while the main hand does `b`."""
    other = "left" if main == "right" else "right"
    it = a.obj if b.obj == a.obj else None
    left, right = f"{other} hand", f"{main} hand"
    forms: tuple[Form, ...] = ("base", "third", "gerund")
    a_base, a_third, a_ing = (_phrase(a, form, keys) for form in forms)
    b_base, b_third, b_ing = (_phrase(b, form, keys, it) for form in forms)
    b_first, a_last = _phrase(b, "third", keys), _phrase(a, "third", keys, it)
    return (
        f"The {left} {a_third} while the {right} {b_third}.",
        f"The {right} {b_first} while the {left} {a_last}.",
        f"In my {left}, I am {a_ing}. With my {right}, I am {b_ing}.",
        f"Use your {left} to {a_base} and use your {right} to {b_base}.",
        f"The {left} {a_third}, and the {right} {b_third}.",
    )[style % 5]


def _sequence(a: Clause, b: Clause, hand: Hand, style: int, keys: tuple[object, ...]) -> str:
    """One hand (or nobody named) does `a`, then `b`."""
    it = a.obj if b.obj == a.obj else None
    base = _phrase(a, "base", keys), _phrase(b, "base", keys, it)
    third = _phrase(a, "third", keys), _phrase(b, "third", keys, it)
    ing = _phrase(a, "gerund", keys), _phrase(b, "gerund", keys, it)
    if hand == "unspecified":
        return _cap((f"{base[0]} and {base[1]}", f"{base[0]}, then {base[1]}")[style % 2])
    if hand == "both":
        return _cap(f"both hands {base[0]} and {base[1]}")
    return _cap(
        (
            f"the {hand} hand {third[0]} and {third[1]}",
            f"use your {hand} hand to {base[0]} and {base[1]}",
            f"with my {hand} hand, I am {ing[0]} and {ing[1]}",
        )[style % 3]
    )


def _passing(clause: Clause, main: Hand, style: int, keys: tuple[object, ...]) -> str:
    other = "left" if main == "right" else "right"
    third, ing = _phrase(clause, "third", keys), _phrase(clause, "gerund", keys)
    return (
        f"The {other} hand {third} to the {main} hand.",
        f"With my {other} hand, I am {ing} to my {main} hand.",
    )[style % 2]


def two_handed(action: Action) -> bool:
    """Whether the clauses run at the same time in different hands."""
    return len(action.clauses) == 2 and action.clauses[0].verb == "hold"


def narrate(action: Action, said: Hand, keys: tuple[object, ...]) -> Narration:
    """Writes an action down.

    Args:
        action: what happens.
        said: hand the text names for the (main) clause; `unspecified` names none.
        keys: what the phrasing depends on.
    """
    style = int(unit(*keys, "style") * 60)
    first, last = action.clauses[0], action.clauses[-1]
    main: Hand = said if said in ("left", "right") else "right"
    other: Hand = "left" if main == "right" else "right"
    hands: tuple[Hand, ...] = (said,) * len(action.clauses)
    if first.verb == "pass":
        # The receiving hand is a goal, not the actor: the verb belongs to the giving hand.
        hands = (other,)
        text, plain = (_passing(first, main, s, keys) for s in (style, 0))
    elif two_handed(action) and said != "unspecified":
        hands = (other, main)
        text, plain = (_together(first, last, main, s, keys) for s in (style, 0))
    elif len(action.clauses) == 2:
        text, plain = (_sequence(first, last, said, s, keys) for s in (style, 0))
    else:
        text, plain = (_single(first, said, s, keys) for s in (style, 0))
    bare = ". ".join(
        p[0].upper() + p[1:] for p in (_phrase(c, "base", keys) for c in action.clauses)
    )
    mentions: list[Mention] = []
    for i, (clause, hand) in enumerate(zip(action.clauses, hands, strict=True)):
        mentions.append(Mention("verb", clause.verb, hand, i))
        mentions.extend(Mention("noun", noun, hand, i) for noun in clause.nouns)
    return Narration(text, plain, bare + ".", tuple(mentions))
