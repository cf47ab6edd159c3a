"""Numbers, ordinals, times and lengths that a reply writes in another way than the options: "forty seconds" for "40 s".

Where most options have a figure, words for numbers become figures in the reply and in the options; where all
options are durations, lengths, angles or times of day, they are compared by what they amount to.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

_ENGLISH = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
# Numbers from one on, by language.
_OTHERS = (
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
_ORDINALS = {
    **{word: n for n, word in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split(), 1)},
    **{f"{n}{end}": n for n, end in enumerate("st nd rd th th th th th th th".split(), 1)},
}  # fmt: skip
# Words of these that are others in English or articles stand for no number.
_OTHER_WORDS = frozenset("to on fire sex due sei en én um un uma une elf once".split())
_WORDS: dict[str, str] = {}
for _names, _start in ((_ENGLISH, 0), *((_one, 1) for _one in _OTHERS)):
    for _number, _word in enumerate(_names.split(), _start):
        if _word not in _OTHER_WORDS:
            _WORDS.setdefault(_word, str(_number))
for _ten, _word in enumerate(_TENS, 2):
    _WORDS[_word] = str(10 * _ten)
    for _unit, _name in enumerate(_ENGLISH.split()[1:10], 1):
        _WORDS[f"{_word}-{_name}"] = _WORDS[f"{_word} {_name}"] = str(10 * _ten + _unit)
_WORDS |= {"once": "1 time", "twice": "2 times", "thrice": "3 times"}
_NUMBER = re.compile(
    rf"(?<![\w-])(?:{'|'.join(sorted(map(re.escape, _WORDS), key=len, reverse=True))})(?![\w-])",
    re.IGNORECASE,
)
_ORDINAL = re.compile(rf"(?<![\w-])(?:{'|'.join(_ORDINALS)})(?![\w-])", re.IGNORECASE)
_HAN = dict(zip("一二三四五六七八九十两兩", (*range(1, 11), 2, 2), strict=True))
_HAN_NUMBER = re.compile(
    r"(?<!第)(?:(?P<han>[一二三四五六七八九十两兩])(?=[个個次回つ人本只件杯张張度歩步秒分])|(?<![가-힣])(?P<ko>한|두|세|네|다섯|여섯|일곱|여덟|아홉|열)(?= ?(?:번|개|명|잔|회|초|마리)))"
)
_KO = {word: n for n, word in enumerate("한 두 세 네 다섯 여섯 일곱 여덟 아홉 열".split(), 1)}
_FIGURE = re.compile(r"\d")


@lru_cache(8192)
def in_figures(text: str) -> str:
    """Text in which words for numbers are figures."""
    text = _NUMBER.sub(lambda found: _WORDS[found[0].lower()], text)
    if text.isascii():
        return text
    return _HAN_NUMBER.sub(
        lambda found: str(_HAN[found["han"]] if found["han"] else _KO[found["ko"]]), text
    )


def _ordinals_in_figures(text: str) -> str:
    return _ORDINAL.sub(lambda found: f"no{_ORDINALS[found[0].lower()]}", text)


def spell_in_figures(text: str, texts: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
    """Reply and options with figures for number words and articles; None unless most options then differ by figures.

    Args:
        text: A reply.
        texts: Texts of the options.
    """
    said = text
    numbered = [_STAGE.fullmatch(one.strip()) for one in texts]
    nouns = {one[1].casefold() for one in numbered if one is not None}
    if len(nouns) == 1 and len(numbered) > 1 and all(numbered):
        text = re.sub(
            rf"\b({re.escape(nouns.pop())})\s+(?P<roman>[IVX]{{1,4}})\b",
            lambda found: f"{found[1]} {_ROMAN.get(found['roman'], found['roman'])}",
            text,
            flags=re.IGNORECASE,
        )
    if sum(_ORDINAL.search(one) is not None for one in texts) > 1:
        places = tuple(map(_ordinals_in_figures, texts))
        return _ordinals_in_figures(text), places
    options = tuple(_ONE_THING.sub("1 ", in_figures(one)) for one in texts)
    counted = sum(_FIGURE.search(one) is not None for one in options)
    if counted < max(2, len(options) - 1) or len(set(options)) < len(options):
        return None
    spelled = _ONE_THING.sub("1 ", in_figures(text))
    if _FIGURE_ALONE.search(spelled) is None:
        return None
    return None if spelled == said and options == tuple(texts) else (spelled, options)


# "Stage 3", and "Stage III".
_STAGE = re.compile(r"(\w+) \d{1,2}\.?")
_ROMAN = {roman: str(n) for n, roman in enumerate("I II III IV V VI VII VIII IX X".split(), 1)}
_FIGURE_ALONE = re.compile(r"(?<![A-Za-z0-9])\d")
# "A knife" beside "two forks".
_ONE_THING = re.compile(r"(?<![\w'])(?:an?|a single|1 single) (?=[a-z]{2})|\bsingle (?=[a-z]{3})")


# Units with what they measure, and how many seconds, metres, grams or degrees they are.
_UNITS: dict[str, tuple[str, float]] = {
    word: (kind, factor)
    for kind, units in {
        "time": {"s sec secs second seconds": 1.0, "min mins minute minutes": 60.0, "h hr hrs hour hours": 3600.0},
        "length": {
            "mm millimetre millimetres millimeter millimeters": 0.001,
            "cm centimetre centimetres centimeter centimeters": 0.01,
            "m metre metres meter meters": 1.0,
            "km kilometre kilometres kilometer kilometers": 1000.0,
        },
        "angle": {"deg degree degrees °": 1.0},
    }.items()
    for words, factor in units.items()
    for word in words.split()
}  # fmt: skip
_UNIT = "|".join(sorted(_UNITS, key=len, reverse=True))
_PART = rf"\d+(?:\.\d+)?\s?(?:{_UNIT})(?![^\W\d_])"
_AMOUNTS = re.compile(rf"{_PART}(?:,?\s*(?:and\s+)?{_PART}){{0,2}}", re.IGNORECASE)
_AMOUNT = re.compile(rf"(\d+(?:\.\d+)?)\s?({_UNIT})(?![^\W\d_])", re.IGNORECASE)
_Amount = tuple[str, float]
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
    said = in_figures(text.lower())
    if isinstance(options[0], str):
        found: set[_Amount | str] = set(_times_of_day(said))
        spans = [_amount(one[0]) for one in _AMOUNTS.finditer(said)]
        if len(spans) == 1 and spans[0][0] == "time" and not _NOT_THE_ONE.search(said):
            # "15 seconds in" is 0:15.
            found.add(f"{int(spans[0][1]) // 60}:{int(spans[0][1]) % 60:02d}")
    else:
        found = {_amount(one[0]) for one in _AMOUNTS.finditer(said)}
        found = set() if _NOT_THE_ONE.search(said) else found
    same = [x for x, one in zip(letters, options, strict=True) if {one} == found]
    return same[0] if len(same) == 1 else None


@lru_cache(1024)
def _amounts(texts: tuple[str, ...]) -> tuple[_Amount | str, ...] | None:
    """Options as amounts, or as times of day without a leading zero; None where they are neither or not all different."""
    options = [in_figures(one.lower()).strip(" .").removeprefix("at ") for one in texts]
    amounts: list[_Amount | str]
    if options and all(_AMOUNTS.fullmatch(one) for one in options):
        amounts = [_amount(one) for one in options]
    elif options and all(_CLOCK.fullmatch(one) for one in options):
        amounts = [f"{int(one.partition(':')[0])}:{one.partition(':')[2]}" for one in options]
    else:
        return None
    return tuple(amounts) if len(set(amounts)) == len(amounts) else None


def _amount(text: str) -> _Amount:
    """What a text measures, and how much it is."""
    parts = [(float(figure), *_UNITS[unit.lower()]) for figure, unit in _AMOUNT.findall(text)]
    kinds = {kind for _, kind, _ in parts}
    return "/".join(sorted(kinds)), round(sum(figure * factor for figure, _, factor in parts), 6)


def _times_of_day(text: str) -> set[str]:
    """Times of day that a text says in words; none where it has one in figures."""
    found: set[str] = set()
    if ":" in text:
        return found
    for match in _PAST.finditer(text):
        part = {"quarter": 15, "half": 30}.get(match["part"]) or int(match["part"].split()[0])
        hour = int(match["hour"])
        if match["way"] in ("to", "before"):
            part, hour = 60 - part, hour - 1 or 12
        found.add(f"{hour}:{part:02d}")
    return found or {f"{int(one[1])}:{one[2]}" for one in _SPOKEN.finditer(text)}
