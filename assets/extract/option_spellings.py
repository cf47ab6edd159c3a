"""Options that a reply spells in another way: "tshirt" for "T-shirt", "two metres" for "2 m".

Two spellings are the same where their characters are, once words are joined, contractions written out, British
spellings made American, numbers made figures and units short. A place where a reply has an option so is
rewritten to the option's own text; all rules that follow compare texts alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

from assets.words.numerals import NUMBERS

_TOKEN = re.compile(r"\d+(?:[.:]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?")
_NUMBERS = {word: str(n) for word, n in NUMBERS.items() if n <= 20}
_UNITS = {
    word: short
    for short, words in {
        "m": "metre metres meter meters",
        "cm": "centimetre centimetres centimeter centimeters",
        "km": "kilometre kilometres kilometer kilometers",
        "s": "sec secs second seconds",
        "min": "mins minute minutes",
        "deg": "degree degrees",
    }.items()
    for word in words.split()
}
_SPELLINGS = {
    "grey": "gray", "doughnut": "donut", "doughnuts": "donuts", "tyre": "tire", "tyres": "tires",
    "plough": "plow", "kerb": "curb", "aluminium": "aluminum", "pyjamas": "pajamas", "moustache": "mustache",
    "aeroplane": "airplane", "cheque": "check", "storey": "story", "whisky": "whiskey", "yoghurt": "yogurt",
    "omelette": "omelet", "axe": "ax", "mould": "mold", "jewellery": "jewelry", "programme": "program",
    "disk": "disc", "disks": "discs", "sulphur": "sulfur", "artefact": "artifact", "sceptical": "skeptical",
    "cannot": "can not", "won't": "will not", "can't": "can not", "shan't": "shall not",
}  # fmt: skip
# Colour, centre, organise; "four" and "hour" are no such words, nor are "where" and "rise".
_OUR = re.compile(r"(?<=[a-z]{3})our(?=s?$|ed$|ing$|ful$)")
_RE = re.compile(r"(?<=[a-z]{2}[tb])re(?=s?$)")
# "Anaesthetist", "oesophagus"; "does" and "shoe" are no such words.
_AE = re.compile(r"ae(?=[a-z]{3})(?!ro)|^oe(?=[a-z]{4})")
_ISE = re.compile(r"(?<=[a-z]{4})is(?=e[sd]?$|ing$|ers?$)")
# Shorter ones are found in other words too easily; with a figure two characters say enough.
_LEAST = 4
_LONGEST_REPLY = 4000


def spell_options(text: str, texts: Sequence[str]) -> str:
    """Text in which options that are spelled in another way stand as they are written in the question.

    Options that differ in spelling alone are left as they are, and so is an option whose own text is there.

    Args:
        text: A reply.
        texts: Texts of the options.
    """
    if len(text) > _LONGEST_REPLY or not texts or not text.isascii():
        return text
    targets = [_joined(one) for one in texts]
    folded = text.casefold()
    sought = [
        (target, one)
        for target, one in zip(targets, texts, strict=True)
        if _can_be_told(target)
        and targets.count(target) == 1
        and not _stands_in(one.casefold(), folded)
    ]
    if not sought:
        return text
    tokens = list(_TOKEN.finditer(text))
    forms = [_form(token[0]) for token in tokens]
    line = "".join(forms)
    ends = list(accumulate(map(len, forms)))
    starts = {end - len(form): at for at, (end, form) in enumerate(zip(ends, forms, strict=True))}
    last = {end: at for at, end in enumerate(ends)}
    spans: list[tuple[int, int, str]] = []
    for target, one in sorted(sought, key=lambda pair: -len(pair[0])):
        at = line.find(target)
        while at >= 0:
            if at in starts and at + len(target) in last:
                first, end = tokens[starts[at]].start(), tokens[last[at + len(target)]].end()
                apart = all(end <= other or first >= stop for other, stop, _ in spans)
                if apart and not _same_words(text[first:end], one):
                    spans.append((first, end, one.strip(" .")))
            at = line.find(target, at + 1)
    for first, end, one in sorted(spans, reverse=True):
        text = f"{text[:first]}{one}{text[end:]}"
    return text


def without_shared_words(texts: Sequence[str]) -> tuple[str, ...] | None:
    """Options without the words that all of them begin with: "half full" of "It is half full".

    None where they share none, or where one has nothing but a figure or a single short word left.

    Args:
        texts: Texts of the options.
    """
    words = [one.split() for one in texts]
    least = min(map(len, words), default=0)
    shared = 0
    while shared < least - 1 and len({one[shared].casefold() for one in words}) == 1:
        shared += 1
    left = tuple(" ".join(one[shared:]) for one in words)
    if shared == 0 or any(
        len(one.strip(" .")) < _LEAST or one.strip(" .").isdigit() for one in left
    ):
        return None
    return left


# Words that may stand anywhere in a measure, and those behind which it is not the one.
_LITTLE = frozenset("a an the to of in on at by it is its about around roughly from away".split())
_NOT_THE_ONE = re.compile(
    r"\b(?:not|no|never|or|either|neither|nor|than|least|most|between|if|could|might|may|before|after|first|then|until)\b|n't\b|\?"
)
_LONGEST_MEASURE = 160
_FIGURE = re.compile(r"\d")


def measured(text: str, letters: Sequence[str], texts: Sequence[str]) -> str | None:
    """Letter of the only option whose figures and words a short reply has in another order; None if there is none.

    "Ahead, at about 1.2 metres" is "1.2 m ahead". Every option must have a figure, the reply no other figure, and no word
    that only other options have.

    Args:
        text: A reply without its wrapping.
        letters: Letters of the options.
        texts: Texts of the options.
    """
    if not texts or len(text) > _LONGEST_MEASURE or not all(map(_FIGURE.search, texts)):
        return None
    options = [_measure(one) for one in texts]
    here = _measure(text)
    if _NOT_THE_ONE.search(text.lower()) or len(set(options)) < len(options):
        return None
    same = [x for x, own in zip(letters, options, strict=True) if own <= here and len(own) > 2]
    if len(same) != 1:
        return None
    own = options[letters.index(same[0])]
    others = frozenset().union(*options) - own
    figures = {word for word in here if _FIGURE.match(word)}
    return same[0] if figures <= own and not others & here else None


@lru_cache(8192)
def _measure(text: str) -> frozenset[str]:
    tokens = _TOKEN.findall(text.replace("°", " degrees "))
    return frozenset(map(_form, tokens)) - _LITTLE


def _stands_in(option: str, text: str) -> bool:
    """Whether an option's own text is there, and not as a part of longer words ("200 m" of "200 metres")."""
    at = text.find(option)
    while at >= 0:
        behind = text[at + len(option) : at + len(option) + 1]
        if not (behind.isalnum() and option[-1:].isalnum()):
            return True
        at = text.find(option, at + 1)
    return False


def _same_words(one: str, other: str) -> bool:
    return _TOKEN.findall(one.casefold()) == _TOKEN.findall(other.casefold())


def _can_be_told(target: str) -> bool:
    return (
        len(target) >= (2 if any(c.isdigit() for c in target) else _LEAST) and not target.isdigit()
    )


@lru_cache(8192)
def _joined(text: str) -> str:
    return "".join(_form(token) for token in _TOKEN.findall(text)) if text.isascii() else ""


@lru_cache(16384)
def _form(token: str) -> str:
    """A word or a figure as it is compared."""
    word = token.lower().replace("’", "'")
    word = _SPELLINGS.get(word) or _NUMBERS.get(word) or _UNITS.get(word) or word
    word = _AE.sub("e", word)
    if word.endswith("n't"):
        word = f"{word[:-3]}not"
    word = _ISE.sub("iz", _RE.sub("er", _OUR.sub("or", word)))
    return word.replace(" ", "").replace("'", "")
