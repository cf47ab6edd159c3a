"""Persons that a question names by capitals: in "C passes the ball to A" neither letter is an option.

Where options tell what such persons do, a letter of theirs with a verb behind it is the person in the reply too, and
so is one behind "to" or "from" in the same sentence. It gets a name that no rule takes for a letter; an option that is named
as one ("option C", "(C)", "C is correct") stays a letter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

# A person does something, or something is done to one.
_ACTS = re.compile(
    r"(?<![\w'(])(?P<name>[A-Z])(?= (?!is (?:the |clearly |most |more |therefore )*(?:correct|right|best|answer|only|likely|wrong|incorrect|my|out\b)"
    r"|fits?\b|match|seems?\b|appears?\b|remains\b|corresponds\b|because\b|since\b|and\b|or\b|as\b|with\b|in\b|it\b|then\b|for\b|best\b|describes\b|shows?\b)[a-z]{2,})"
)
_ACTED_ON = re.compile(r"(?:(?<=\s(?:to|by|at)\s)|(?<=\sfrom\s))(?P<name>[A-Z])(?![\w'])")
_NAMED_BEFORE = re.compile(
    r"(?:option|answer|choice|statement|video|clip|select|choose|pick|letter)\s*$",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"((?<=[.!?])\s+|\n+)")


def rename_persons(text: str, texts: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Reply and options in which persons that are named by a capital have another name.

    Args:
        text: A reply.
        texts: Texts of the options.
    """
    options = tuple(texts)
    names = _persons(options)
    if not names:
        return text, options
    sentences = _SENTENCE.split(text)
    return "".join(_renamed(one, names) for one in sentences), tuple(
        re.sub(rf"\b([{names}])\b", r"\1person", one) for one in options
    )


@lru_cache(1024)
def _persons(texts: tuple[str, ...]) -> str:
    """Capitals that name persons in most of the options, each at the start of one; empty where they do not."""
    acting = [
        match["name"]
        for one in texts
        if (match := _ACTS.match(one.strip().removeprefix("#C "))) is not None
    ]
    if 2 * len(acting) < len(texts) or len(acting) < 2:
        return ""
    others = {match["name"] for one in texts for match in _ACTED_ON.finditer(one)}
    # "A person sits" begins with an article.
    persons = {*acting, *others}
    return "" if persons <= {"A", "I"} else "".join(sorted(persons))


def _renamed(sentence: str, names: str) -> str:
    acting = [
        match
        for match in _ACTS.finditer(sentence)
        if match["name"] in names and not _NAMED_BEFORE.search(sentence[: match.start()])
    ]
    if not acting:
        return sentence
    places = {match.start("name") for match in acting}
    places |= {match.start("name") for match in _ACTED_ON.finditer(sentence)}
    pieces, at = [], 0
    for place in sorted(places):
        pieces += [sentence[at : place + 1], "person"]
        at = place + 1
    return "".join([*pieces, sentence[at:]])
