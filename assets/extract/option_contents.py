"""Options that a reply describes in other words: by what sets their texts apart.

A text is the words that other options do not have ("a wrench" among tools is "wrench", "wash the carrot" among things done
to a carrot is "wash"). A clause describes an option if it has most of those words, whatever their endings and whichever common verb
for taking, putting or cutting it uses, and hardly any of another option's. Clauses that deny, suppose, ask or tell of what is over do not
count, and of two options described in different clauses neither is read unless the last one is concluded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from assets.extract.declarations import as_token
from assets.extract.directions import as_direction
from assets.extract.inflection import stem, stems
from assets.extract.option_mentions import ONE_OPTION, option_of
from assets.extract.option_texts import Named, normal
from assets.extract.short_names import mark_short_names
from assets.extract.stance_words import CONCLUDES, SUPPOSES
from assets.extract.wrapping import plain
from assets.words.case import fold

# Verbs that describe one act in everyday speech; the first of a line stands for all.
_SAME_ACTS = """
take pick grab grasp get fetch lift retrieve seize collect remove
put place set lay position return deposit
wash rinse clean wipe scrub
cut chop slice dice mince
close shut
start begin switch activate
hold carry grip use
throw toss discard dispose
stir mix blend whisk
speak talk chat converse
look watch view
""".strip().splitlines()
_SAME_PLACES = """
in into inside within
on onto upon atop
at by beside near next
under below beneath underneath
""".strip().splitlines()
_CANONICAL = {
    stem(word): stem(line.split()[0])
    for line in [*_SAME_ACTS, *_SAME_PLACES]
    for word in line.split()
}
_PLACE_STEMS = frozenset(stem(line.split()[0]) for line in _SAME_PLACES)
_LITTLE = _PLACE_STEMS | frozenset(
    stem(word)
    for word in "it is are be was were with from for up down off out over and or then this that they he she who which there one person wearer camera go turn move continue keep come get".split()
)
_OPPOSITES = {
    stem(a): stem(b)
    for pair in (
        "on off",
        "up down",
        "left right",
        "open close",
        "before after",
        "first last",
        "with without",
        "top bottom",
        "front back",
        "in out",
        "both neither",
        "more less",
        "same different",
        "start stop",
        "inside outside",
        "upper lower",
        "clockwise counterclockwise",
    )
    for a, b in (pair.split(), pair.split()[::-1])
}
_CLAUSE = re.compile(
    r"(?<=[.!?])\s+|\n+|[;:]\s|,?\s+\b(?:but|while|whereas|although|though|however|because|since|so that|which|as (?=the|he|she|they|it))\b|,\s+(?:so\b|and\b|then\b)?",
    re.IGNORECASE,
)
_NOT_SAID = re.compile(
    r"\b(?:not|never|no|without|neither|nor|cannot|unlikely|instead of|rather than|already|just|after|before|once|having|finished|done|previous\w*|earlier|(?:has|have|had)(?! (?:to|the|an?|his|her|their|its)\b)|unless|whether"
    r"|could|might|may|maybe|perhaps|or|if|initially|originally|would (?!be\b|next\b|likely\b|probably\b|then\b)|suggests? otherwise|possible|possibly|distract\w*|next to|option|question|asks?|wrong|incorrect|than|except|unlike|visible|lies?|lying|stands|background)\b|n't\b|\?",
    re.IGNORECASE,
)
_AIMS = re.compile(
    r"\b(?:will|going to|about to|next|likely|probably|answer|therefore|so|thus|indicat\w*|suggest\w*|must be|appears to|seems to|is to)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:not|never|neither|nor|cannot|rather than|instead of|rul(?:e|es|ed|ing) out|exclud\w+)\b|n't\b",
    re.IGNORECASE,
)
# Where options are faults, what is fine is not an option.
_FAULT = re.compile(r"\b(?:wrong|incorrect\w*|mistake\w*|faulty|forg[eo]t\w*)\b", re.IGNORECASE)
_APPROVED = re.compile(
    r"\b(?:fine|okay|ok|correct(?:ly)?|right size|proper(?:ly)?)\b", re.IGNORECASE
)
_OVER = re.compile(
    r"\b(?:before|after|once|while|during|when|has|have|had|already|just)\b", re.IGNORECASE
)
_IN_TIME = re.compile(
    r"^\W*(?:before|after|while|during|when|once)\b|\b(?:was|were|has been|have been|had)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"\b(?:it|them|one)\b", re.IGNORECASE)
_SHORT = 80
_LONGEST, _MOST_CLAUSES = 500, 12
# How much of what sets an option apart a clause must have, and how much of another's it may have.
_ENOUGH, _LITTLE_OF_OTHERS = 0.6, 0.4
# Of up to so many words that matter, none may be missing.
_FEW = 3
_DIGIT = re.compile(r"\d")


def described(text: str, letters: Sequence[str], texts: Sequence[str]) -> Named | None:
    """The only option that a reply describes.

    Args:
        text: Reply without its wrapping, in which no option is named by its letter.
        letters: Letters of the question.
        texts: Texts of the options.
    """
    if len(texts) < 2 or len(text) > _LONGEST:
        return None
    if not all(one.isascii() for one in texts) or not text.isascii():
        return _described_by_characters(text, letters, tuple(texts))
    profiles = _profiles(tuple(texts))
    if profiles is None:
        return _in_order(text, letters, tuple(texts))
    in_time = any(_IN_TIME.search(one) for one in texts)
    body = plain(text)
    clauses = [
        one
        for one in (
            re.split(r"(?<=[.!?])\s+|\n+|,?\s+\bbut\b", body) if in_time else _CLAUSE.split(body)
        )
        if one and one.strip()
    ]
    if len(body) < _SHORT:
        clauses = clauses if _found(clauses, letters, texts, profiles, in_time=in_time) else [body]
    found = _found(clauses[-_MOST_CLAUSES:], letters, texts, profiles, in_time=in_time)
    return None if found is None else Named(found, "described")


def _found(
    clauses: Sequence[str],
    letters: Sequence[str],
    texts: Sequence[str],
    profiles: Sequence[dict[str, float]],
    *,
    in_time: bool,
) -> str | None:
    """The option that the clauses describe; None where they describe several or the last one touches another."""
    found: list[tuple[str, bool]] = []
    denied: set[str] = set()
    last = ""
    own_words = {word for one in texts for word in re.findall(r"[a-z]+", one.lower())}
    numbered = not all(profiles)
    faults = _FAULT.search(" ".join(texts)) is not None
    for clause in clauses:
        if numbered and _DIGIT.search(normal(clause)):
            return None
        shares = dict(zip(letters, (_share(clause, one) for one in profiles), strict=True))
        for token in re.findall(ONE_OPTION, mark_short_names(clause, letters, texts, as_token)):
            shares[option_of(token)] = 1.0
        touched = {letter for letter, share in shares.items() if share > _LITTLE_OF_OTHERS}
        approved = faults and _APPROVED.search(clause)
        if approved or {found[0].lower() for found in _DENIED.finditer(clause)} - own_words:
            denied |= touched
            continue
        last = max(shares, key=shares.__getitem__) if touched else last
        best = max(shares, key=shares.__getitem__)
        if shares[best] < _ENOUGH:
            continue
        not_said = _OVER.sub(" ", clause) if in_time else clause
        doubts = {found[0].lower() for found in _NOT_SAID.finditer(not_said)}
        if doubts - own_words or SUPPOSES.match(fold(clause)):
            continue
        if len(touched) > 1:
            return None
        found.append((best, bool(CONCLUDES.found_in(clause) or _AIMS.search(clause))))
    named = {letter for letter, _ in found}
    if not named or last != found[-1][0]:
        return None
    if len(named) == 1 or (
        found[-1][1] and not any(aims for letter, aims in found if letter != last)
    ):
        return None if last in denied else last
    return None


@lru_cache(4096)
def _words(text: str) -> tuple[str, ...]:
    return tuple(_CANONICAL.get(one, one) for one, _, _ in stems(normal(text)))


@lru_cache(512)
def _profiles(texts: tuple[str, ...]) -> tuple[dict[str, float], ...] | None:
    """What each word of each option weighs; None where the options do not differ by their words."""
    if all(_DIGIT.search(normal(one)) for one in texts) or all(as_direction(one) for one in texts):
        return None
    sets = [set(_words(one)) for one in texts]
    same = len({frozenset(one) for one in sets}) < len(sets) and not any(map(_DIGIT.search, texts))
    if not all(sets) or same:
        return None
    profiles: list[dict[str, float]] = []
    for text in texts:
        weights = {
            word: (0.3 if word in _LITTLE else 1.0) / (1 if n == 1 else n)
            for word in _words(text)
            if (n := sum(word in other for other in sets)) < len(sets)
        }
        # What a number tells apart is not read by words.
        if _DIGIT.search(normal(text)):
            weights = {}
        elif not any(word not in _LITTLE for word in weights):
            return None
        profiles.append(weights)
    return tuple(profiles)


def _share(clause: str, profile: dict[str, float]) -> float:
    """How much of what sets an option apart a clause has, 0 to 1; 0 where it says the opposite."""
    here = set(_words(clause))
    if not profile:
        return 0.0
    for word in profile:
        other = _OPPOSITES.get(word)
        if other in here and word not in here:
            return 0.0
    first = next(
        (word for word, weight in profile.items() if word not in _LITTLE and weight == 1.0), None
    )
    if first is not None and first not in here:
        # What is done, of a thing done; which one, of a thing.
        return 0.0
    said = [word for word in _words(clause) if word not in _LITTLE]
    if first is not None and said[-1:] == [first] and len(said) <= _FEW:
        # "The person drills.": nothing is said of what, so nothing else is done to something else.
        return 1.0
    matter = [word for word in profile if word not in _LITTLE]
    share = sum(weight for word, weight in profile.items() if word in here) / sum(profile.values())
    missing = sum(word not in here for word in matter if profile[word] == 1.0)
    spared = (len(matter) > _FEW) + (len(matter) > 1 and _PRONOUN.search(clause) is not None)
    return min(share, _ENOUGH - 0.01) if missing > spared else share


def _in_order(text: str, letters: Sequence[str], texts: tuple[str, ...]) -> Named | None:
    """The option that has its steps in the order of the reply, where options are the same steps in different orders."""
    orders = [[word for word in _words(one) if word not in _LITTLE] for one in texts]
    if (
        len(orders[0]) < 2
        or len({tuple(sorted(one)) for one in orders}) != 1
        or len({tuple(one) for one in orders}) < len(orders)
    ):
        return None
    if re.search(r"\b(?:before|after|not|or|once|until)\b|n't\b", text, re.IGNORECASE):
        return None
    told = [word for word in _words(text) if word in orders[0]]
    same = [letter for letter, one in zip(letters, orders, strict=True) if one == told]
    return Named(same[0], "order") if len(same) == 1 else None


_CJK_NOT = re.compile(
    r"[不没未无非]|ない|ません|ずに|않|아니|못|없|已经|刚|た後|てから|た後|은 후|한 후|기 전|前に|之后|以后|之前|如果|可能|或|もし|まま|か\b|还是|\?"
)
_CJK_CLAUSE = re.compile(r"[,.!?;:\n]\s*|が,|但|因为|所以|因此|て,|며|지만")
_CONTENT = re.compile(r"[\u4e00-\u9fff\u30a0-\u30ff\uac00-\ud7af]")
_KO_ENDING = re.compile(r"(?:을|를|이|가|은|는|에|에서|으로|로|한다|는다|다|기|의|와|과|하기)$")


def _described_by_characters(
    text: str, letters: Sequence[str], texts: tuple[str, ...]
) -> Named | None:
    """The only option of which a clause has all characters that carry its meaning (Chinese, Japanese, Korean)."""
    parts = _parts(texts)
    if parts is None:
        return None
    short = re.sub(r"\W", "", plain(text))
    if 2 <= len(short) <= 8 and not _CJK_NOT.search(text):
        holding = [
            letter for letter, one in zip(letters, texts, strict=True) if _is_within(short, one)
        ]
        if len(holding) == 1:
            return Named(holding[0], "text_shortened")
    found: set[str] = set()
    for clause in [one for one in _CJK_CLAUSE.split(plain(text)) if one][-_MOST_CLAUSES:]:
        here = [
            letter
            for letter, own in zip(letters, parts, strict=True)
            if own and all(part in clause for part in own)
        ]
        if here and not _CJK_NOT.search(clause):
            found.update(here)
    return Named(found.pop(), "described") if len(found) == 1 else None


@lru_cache(512)
def _parts(texts: tuple[str, ...]) -> tuple[frozenset[str], ...] | None:
    parts: list[frozenset[str]] = []
    for one in texts:
        if re.search(r"[\uac00-\ud7af]", one):
            own = {
                _KO_ENDING.sub("", word) or word for word in re.findall(r"[\uac00-\ud7af]+", one)
            }
        else:
            own = set(_CONTENT.findall(one))
        if _DIGIT.search(one):
            return None
        parts.append(frozenset(own if len("".join(own)) > 1 else ()))
    if any(a <= b for a in parts for b in parts if a and a is not b):
        return None
    return tuple(parts)


def _is_within(short: str, text: str) -> bool:
    """Whether the characters of a short reply stand in a text in their order, and are half of it at least."""
    rest = iter(text)
    return 2 * len(short) >= len(text.strip(" .")) and all(character in rest for character in short)
