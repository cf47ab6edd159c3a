"""Forms of English words, as far as their endings tell."""

from __future__ import annotations

from collections.abc import Callable

_PAST = {
    "rang": "ring",
    "fell": "fall",
    "broke": "break",
    "came": "come",
    "went": "go",
    "sank": "sink",
    "spun": "spin",
    "flew": "fly",
    "froze": "freeze",
    "burst": "burst",
    "stopped": "stop",
    "slipped": "slip",
    "boiled": "boil",
    "dropped": "drop",
    "opened": "open",
    "started": "start",
}


def base_of_past(word: str) -> str | None:
    """Base form of a past tense of what happens by itself: the ring of "rang"; None where none is known."""
    return _PAST.get(word)


def singular(plural: str) -> str:
    """Singular of a plural that the parser took for a verb."""
    if plural.endswith(("aves", "alves", "elves")):
        return f"{plural[:-3]}f"
    if plural.endswith("knives"):
        return f"{plural[:-3]}fe"
    if plural.endswith(("sses", "xes", "ches", "shes")):
        return plural[:-2]
    return plural[:-1]


def base_of_ing(word: str, is_verb: Callable[[str], bool]) -> str | None:
    """Base form of the verb that a word in -ing belongs to; None where there is none."""
    before, hyphen, last = word.rpartition("-")
    if hyphen:
        base = base_of_ing(last, is_verb)  # "stir-frying"
        return None if base is None else f"{before}-{base}"
    stem = word[:-3]
    if not set(stem) & set("aeiouy"):
        return None  # "string", "cling"
    doubled = stem[:-1] if len(stem) > 2 and stem[-1] == stem[-2] else stem
    return next((base for base in (stem, f"{stem}e", doubled) if is_verb(base)), None)


def bases_of_s(word: str) -> list[str]:
    """Base forms that a third person singular may belong to."""
    if not word.endswith("s") or word.endswith("ss"):
        return []
    bases = [word[:-1]]
    if word.endswith("es"):
        bases.append(word[:-2])
    if word.endswith("ies"):
        bases.append(f"{word[:-3]}y")
    return bases
