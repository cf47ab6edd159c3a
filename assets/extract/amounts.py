"""Numbers, ordinals, times and lengths that a reply writes in another way than the options: "forty seconds" for "40 s".

Where most options have a figure, words for numbers become figures in the reply and in the options; where all
options are durations, lengths, angles or times of day, they are compared by what they amount to.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from assets.extract.short_names import ORDINALS
from assets.words.case import fold
from assets.words.numerals import NUMBERS, figures
from assets.words.quantities import UNITS

# Numbers from one on in other languages.
_ABROAD = (
    "uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "une deux trois quatre cinq six sept huit neuf dix onze douze",
    "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "uno due tre quattro cinque sei sette otto nove dieci undici dodici",
    "um dois três quatro cinco seis sete oito nove dez onze doze",
    "uma duas três quatro cinco seis sete oito nove dez onze doze",
    "één twee drie vier vijf zes zeven acht negen tien elf twaalf",
    "один два три четыре пять шесть семь восемь девять десять",
    "одна две три четыре пять шесть семь восемь девять десять",
    "en två tre fyra fem sex sju åtta nio tio",
    "én to tre fire fem seks syv otte ni ti",
    "jeden dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć",
    "bir iki üç dört beş altı yedi sekiz dokuz on",
    "satu dua tiga empat lima enam tujuh delapan sembilan sepuluh",
    "một hai ba bốn năm sáu bảy tám chín mười",
)
# Words of these that are others in English or articles stand for no number.
_OTHER_WORDS = frozenset("to on fire sex due sei en én um un uma une elf once".split())
_WORDS = {
    **{
        word: str(n)
        for names in reversed(_ABROAD)
        for n, word in enumerate(names.split(), 1)
        if word not in _OTHER_WORDS
    },
    **{word: str(n) for word, n in NUMBERS.items()},
    "once": "1 time",
    "twice": "2 times",
    "thrice": "3 times",
}
_NUMBER = re.compile(
    rf"(?<![\w-])(?:{'|'.join(sorted(map(re.escape, _WORDS), key=len, reverse=True))})(?![\w-])",
    re.IGNORECASE,
)
_PLACES = {
    **{word: n for n, word in enumerate(ORDINALS, 1)},
    **{f"{n}{end}": n for n, end in enumerate(["st", "nd", "rd", *["th"] * 7], 1)},
}
_PLACE = re.compile(rf"(?<![\w-])(?:{'|'.join(_PLACES)})(?![\w-])", re.IGNORECASE)
_KOREAN = {
    word: str(n) for n, word in enumerate("한 두 세 네 다섯 여섯 일곱 여덟 아홉 열".split(), 1)
}
# Numbers of Chinese, Japanese and Korean before what they count.
_COUNTED = re.compile(
    r"(?<!第)(?:(?P<han>[一二三四五六七八九十两兩])(?=[个個次回つ人本只件杯张張度歩步秒分])"
    rf"|(?<![가-힣])(?P<korean>{'|'.join(_KOREAN)})(?= ?(?:번|개|명|잔|회|초|마리)))"
)
_FIGURE = re.compile(r"\d")
# A figure that is no part of a word such as "A1".
_FIGURE_ALONE = re.compile(r"(?<![A-Za-z0-9])\d")
# "A knife" beside "two forks".
_ONE_THING = re.compile(r"(?<![\w'])(?:an?|a single|1 single) (?=[a-z]{2})|\bsingle (?=[a-z]{3})")
# "2 forks", but not "view 2".
_COUNTED_THING = re.compile(r"(?<![\w.:])\d{1,2} [^\W\d_]{2}")
# "Stage 3", and "Stage III".
_STAGE = re.compile(r"(\w+) \d{1,2}\.?")
_ROMAN = {roman: str(n) for n, roman in enumerate("I II III IV V VI VII VIII IX X".split(), 1)}


@lru_cache(8192)
def _in_figures(text: str) -> str:
    """Text in which words for numbers are figures."""
    text = _NUMBER.sub(lambda word: _WORDS[fold(word[0])], text)
    if text.isascii():
        return text
    return _COUNTED.sub(lambda word: _KOREAN.get(word[0]) or figures(word[0]), text)


def _with_places(text: str) -> str:
    """Text in which "second" and "2nd" are the same."""
    return _PLACE.sub(lambda word: f"no{_PLACES[fold(word[0])]}", text)


def differ_in_figures(text: str, texts: tuple[str, ...]) -> bool:
    """Whether either a reply or its options have figures, and the others none."""
    return (_FIGURE.search(text) is not None) != _have_figures(texts)


@lru_cache(1024)
def _have_figures(texts: tuple[str, ...]) -> bool:
    return any(map(_FIGURE.search, texts))


def spell_in_figures(text: str, texts: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
    """Reply and options with figures for number words and articles; None unless most options then differ by figures.

    Args:
        text: A reply.
        texts: Texts of the options.
    """
    plain = _without_roman(text, texts)
    if sum(_PLACE.search(one) is not None for one in texts) > 1:
        return _with_places(plain), tuple(map(_with_places, texts))
    options = tuple(_ONE_THING.sub("1 ", _in_figures(one)) for one in texts)
    counted = sum(_FIGURE.search(one) is not None for one in options)
    if counted < max(2, len(options) - 1) or len(set(options)) < len(options):
        return None
    spelled = _in_figures(plain)
    if any(map(_COUNTED_THING.search, options)):
        spelled = _ONE_THING.sub("1 ", spelled)
    if _FIGURE_ALONE.search(spelled) is None:
        return None
    return None if spelled == text and options == tuple(texts) else (spelled, options)


def _without_roman(text: str, texts: Sequence[str]) -> str:
    """Text with "Stage 3" for "Stage III" where the options are numbered stages."""
    stages = [_STAGE.fullmatch(one.strip()) for one in texts]
    nouns = {stage[1].casefold() for stage in stages if stage is not None}
    if len(nouns) != 1 or len(stages) < 2 or not all(stages):
        return text
    return re.sub(
        rf"\b({re.escape(nouns.pop())})\s+([IVX]{{1,4}})\b",
        lambda stage: f"{stage[1]} {_ROMAN.get(stage[2], stage[2])}",
        text,
        flags=re.IGNORECASE,
    )


# Metric ones alone: feet and inches may be parts of a body or of a thing. A reply's "m" is a metre.
_METRIC = {UNITS[word] for word in "s min h mm cm metre km degree".split()}
_UNITS = {word: unit for word, unit in UNITS.items() if unit in _METRIC} | {
    "m": UNITS["metre"],
    "deg": UNITS["degree"],
}
_UNIT = "|".join(sorted(_UNITS, key=len, reverse=True))
_PART = rf"\d+(?:\.\d+)?\s?(?:{_UNIT})(?![^\W\d_])"
_AMOUNTS = re.compile(rf"{_PART}(?:,?\s*(?:and\s+)?{_PART}){{0,2}}", re.IGNORECASE)
_AMOUNT = re.compile(rf"(\d+(?:\.\d+)?)\s?({_UNIT})(?![^\W\d_])", re.IGNORECASE)
_Amount = tuple[str, Fraction]
_CLOCK = re.compile(r"(?<![\d:.])(\d{1,2}):(\d{2})(?![\d:])")
# "Ten fifty" and "a quarter past ten", once their words are figures.
_SPOKEN = re.compile(r"(?<![\d:])(\d{1,2})[ -](\d{2})(?![\d:])")
_PAST = re.compile(
    r"\b(?P<part>quarter|half|\d{1,2}(?: minutes?)?) (?P<way>past|after|to|before) (?P<hour>\d{1,2})(?![\d:])"
)
_NOT_THE_ONE = re.compile(
    r"\b(?:not|no|never|or|either|than|least|most|between|if|could|might|may|before|after|until|up to|under|over)\b|n't\b|\?"
)
_LONGEST = 120


def named_by_amount(text: str, letters: Sequence[str], texts: Sequence[str]) -> str | None:
    """Letter of the option that is as long, as far or the same time of day as a short reply says; None if there is none.

    Args:
        text: A reply without its wrapping.
        letters: Letters of the options.
        texts: Texts of the options.
    """
    options = _amounts(tuple(texts)) if 0 < len(text) <= _LONGEST else None
    if options is None:
        return None
    spelled = _in_figures(text.lower())
    named: set[_Amount | str]
    if isinstance(options[0], str):
        named = set(_times_of_day(spelled))
    elif _NOT_THE_ONE.search(spelled):
        return None
    else:
        named = {_amount(one[0]) for one in _AMOUNTS.finditer(spelled)}
    same = [letter for letter, one in zip(letters, options, strict=True) if {one} == named]
    return same[0] if len(same) == 1 else None


@lru_cache(1024)
def _amounts(texts: tuple[str, ...]) -> tuple[_Amount | str, ...] | None:
    """Options as amounts, or as times of day without a leading zero; None where they are neither or not all different."""
    options = [_in_figures(one.lower()).strip(" .").removeprefix("at ") for one in texts]
    amounts: list[_Amount | str]
    if options and all(_AMOUNTS.fullmatch(one) for one in options):
        amounts = [_amount(one) for one in options]
    elif options and all(_CLOCK.fullmatch(one) for one in options):
        amounts = [f"{int(one.partition(':')[0])}:{one.partition(':')[2]}" for one in options]
    else:
        return None
    return tuple(amounts) if len(set(amounts)) == len(amounts) else None


def _amount(text: str) -> _Amount:
    """What a text measures, and how much it is in the base unit."""
    measured = [(Fraction(figure), *_UNITS[fold(unit)]) for figure, unit in _AMOUNT.findall(text)]
    dimensions = sorted({dimension for _, dimension, _ in measured})
    return "/".join(dimensions), sum((value * factor for value, _, factor in measured), Fraction())


def _times_of_day(text: str) -> set[str]:
    """Times of day that a text says in words; none where it has one in figures."""
    if ":" in text:
        return set()
    times: set[str] = set()
    for match in _PAST.finditer(text):
        part = {"quarter": 15, "half": 30}.get(match["part"]) or int(match["part"].split()[0])
        hour = int(match["hour"])
        if match["way"] in ("to", "before"):
            part, hour = 60 - part, hour - 1 or 12
        times.add(f"{hour}:{part:02d}")
    return times or {f"{int(one[1])}:{one[2]}" for one in _SPOKEN.finditer(text)}
