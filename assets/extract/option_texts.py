"""Options that a reply names by their text, their number in the list, or as a figure.

Texts are compared without case, hyphens, dashes, articles and closing punctuation, numbers as figures.
A text counts inside a sentence where it closes a clause, so that "grabs it with the right hand and
stirs" names no option; "front-left" is not the option "left", and of two texts of which one holds the
other the longer counts. Texts of two options in one clause, or in two that nothing decides between, name none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz import fuzz

from assets.extract.declarations import as_token, ruled_out_before
from assets.extract.directions import as_direction, directions_in
from assets.extract.doubts import breaks_off
from assets.extract.guarded import Guarded
from assets.extract.inflection import each_stem, stems
from assets.extract.wrapping import plain
from assets.words.case import fold

_NUMBERS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
)  # fmt: skip
_NUMBER = Guarded(rf"\b(?:{'|'.join(_NUMBERS)})\b")
_ORDINALS = {
    "first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "sixth": 5, "last": -1, "1st": 0,
    "2nd": 1, "3rd": 2, "4th": 3, "5th": 4, "6th": 5, "seventh": 6, "7th": 6, "eighth": 7, "8th": 7,
    "ninth": 8, "9th": 8, "tenth": 9, "10th": 9, "second to last": -2, "last but one": -2, "penultimate": -2,
}  # fmt: skip
_ORDINAL = "|".join(_ORDINALS)
_LISTED = "option|choice|answer|one|clip|video|candidate|alternative|image|picture|photo"
_ORDINAL_ALONE = re.compile(
    rf"(?:(?:hence|so|thus|therefore|answer)[:,]? )?(?:the )?({_ORDINAL})(?: (?:{_LISTED}))?(?: of (?:the (?:two|three|four|five|list|\w+ (?:{_LISTED})s)|them|these|those))?"
)
_ORDINAL_CHOSEN = Guarded(
    rf"\b(?:choose|chose|select|pick|go(?:ing)? (?:for|with)|opt for|take|(?:answer|option|one) is|it is|it's|must be)"
    rf" (?:the )?({_ORDINAL})\b(?: (?:{_LISTED}))?(?=\s*(?:[.,;:!\n]|$))"
    rf"|\b(?:the )?({_ORDINAL}) (?:{_LISTED})(?:, [^.,;:\n]{{1,100}},)? (?:is|must be|seems|fits|matches|in (?:your|the) list)\b"
    r"(?! (?:not|wrong|incorrect|less|too|out|un\w+))",
)
_NUMBERED = re.compile(
    r"(?:the )?(?:answer|option|choice|number|no|clip|video)\b\.? ?(?:is )?#?(\d{1,2})"
)
# Places of one text in a reply that are looked at, the last ones.
_MOST = 40
_CJK_ORDINAL = re.compile(
    r"第\s*(?P<zh>[一二三四五六七八九十]|\d{1,2})\s*(?:个|個|项|項)?(?!\s*(?:步|次|帧|秒|段|分|人|视角|視角|視点|眼))"
    r"|(?:选项|選項|選択肢)\s*(?P<named>[一二三四五六七八九十]|\d{1,2})(?!\w)"
    r"|(?P<ja>[一二三四五六七八九十]|\d{1,2})\s*(?:番目|つ目)(?:の(?:選択肢|選択|候補))?"
    r"|(?P<last>倒数第)(?P<back>[一二三四])"
    r"|(?P<ko>첫|두|세|네|다섯|여섯|일곱|여덟|아홉|열)\s*번째\s*(?:보기|선택지|옵션|항목|것|답)?"
)
_CJK_CHOICE = re.compile("选|選|答|正|정답|보기|고르|선택|对|ます|です")
# Where many words stand, "the first one" may be anything.
_SHORT = 200
_NUMBER_CHOSEN = Guarded(
    r"\b(?:choose|select|pick|go (?:for|with)|answer is)\s+(?:the\s+)?(?:option|choice|number|no\.?)\s*#?(\d{1,2})\b",
    re.IGNORECASE,
)
# "between 2 s and 4 s" is "2-4 s".
_FROM_TO = Guarded(
    r"\b(?:between|from)\s+(?:the\s+)?(\d+(?:[.:]\d+)?)\s*(?:s|m|min)?\s+(?:and|to|until|till)\s+(\d)"
)
_CJK_DIGITS = dict(zip("一二三四五六七八九十", range(10), strict=True)) | dict(
    zip("첫 두 세 네 다섯 여섯 일곱 여덟 아홉 열".split(), range(10), strict=True)
)
# "So 3 cups", "In total: 3".
_TOTAL = re.compile(
    r"(?:^|[,:;]\s*)(?:(?:the )?(?:total|count|sum|answer|number)(?: \w+){0,3}? (?:is|=|comes to|would be)|so|therefore|thus|hence|that makes|that's|that is|in total|total|overall|altogether|final(?: count)?)\b[\s:,]*"
    r"(?:it's |it is |there are |there is )?(\d{1,3})(?:\s+[a-z]+){0,4}$"
    r"|\b(?:makes|making|giving|gives|for a total of|adds? up to|sums? to|comes? to) (?:a total of )?(\d{1,3})(?: (?!more|less|short|too)[a-z]+){0,2}(?: (?:in total|altogether|overall|in all))?$"
    r"|(?:\d{1,3}(?: [a-z]+){0,3} ?\+ ?)+\d{1,3}(?: [a-z]+){0,3} ?= ?(\d{1,3})(?: [a-z]+){0,3}$"
)
# Nouns with numbers of their own, where the options do not have them.
_COUNTED = frozenset(
    "frame frames step steps video videos clip clips second seconds figure fig image images view views camera"
    " cam person participant performer phase option choice page part segment at after in top first last".split()
)
_UNITS = frozenset(
    "s sec m min minute minutes hour hours h ms fps px cm mm km times percent th st nd rd".split()
)
_EDGES = re.compile(
    r"^(?:(?:it is|it's|they are|they're|there (?:is|are)|in|on|at|into|onto|to|by|with|the|a|an)\s+)+"
)
_CLOSES = re.compile(
    r"[\"')\]]*\s*(?:[.,;:!?\n]|$)"
    r"|(?<=[^\x00-\x7f])(?:です|だと|にあり|を|嘛|吧|了|입니다|이다)"
    r"|\s+(?:first|next|now)\W*$|\s+(?:cell|side|corner|area|region|part|interval|period|range|window|bracket|band|of the (?!\w+ (?:and|then))|of them|one)\b"
)
_ARTICLE = re.compile(r"^an? (?=\w\w)")
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—", "-"))
_LITTLE_WORDS = frozenset(
    "a an the in on at into onto to by with of and or is it its then from for after before".split()
)


# "Counter-clockwise" is one word, and not the option "clockwise".
_PREFIXED = Guarded(r"\b(?:counter|anti)[ -]?clockwise\b")
_JOINED_WORDS = re.compile(r"(?<=\w)\s*[-‐‑‒–—_/]\s*(?=\w)")
_ZEROS = Guarded(r"(?<=\d)\.0+(?!\d)")
_SECONDS_SPELLED = Guarded(r"\b(?:secs?|seconds?)\b")
_HAND_SIDE = Guarded(r"\b(left|right)[ -]hand side\b")
_NO_WORD = re.compile(r"\W+")
_PLAIN_WORD = re.compile(r"[^\W_]+")


class Named(NamedTuple):
    """Letter of the option named; None if several are."""

    letter: str | None
    rule: str


@lru_cache(8192)
def normal(text: str) -> str:
    """Text as it is compared: lower case, figures for number words, spaces for hyphens and dashes."""
    text = plain(text)
    text = (text if text.isascii() else unicodedata.normalize("NFKC", text)).lower()
    text = _PREFIXED.sub("counterclockwise", text)
    text = _JOINED_WORDS.sub(" ", text)
    text = _ZEROS.sub("", text)
    text = _SECONDS_SPELLED.sub("s", text).replace("centre", "center").replace("grey", "gray")
    text = _NUMBER.sub(lambda match: str(_NUMBERS.index(match[0])), text)
    text = _FROM_TO.sub(r"\1 \2", text)
    text = _HAND_SIDE.sub(r"\1 side", text)
    return " ".join(text.split()).strip(" .,;:!?\"'()[]")


def named_alone(text: str, letters: Sequence[str], texts: Sequence[str]) -> Named | None:
    """The whole reply is an option's text or its place in the list."""
    if len(text) > 2 * max(map(len, texts), default=0) + _SENTENCE:
        # Nothing else than an option is not so long.
        return None
    body = normal(text)
    if not body:
        return None
    known = _forms(tuple(letters), tuple(texts))
    for form, options in zip(_FORMS, known, strict=True):
        sought = form(text)
        if sought in options:
            return Named(options[sought], "text_alone")
    inflected = _inflected_alone(text, letters, texts) or _shortened(text, letters, texts)
    if inflected is not None:
        return inflected
    spelled = _misspelled(body, letters, texts)
    if spelled is not None:
        return spelled
    words = plain(text).lower().strip(" .,;:!?\"'()[]")
    place = _place(_ORDINAL_ALONE.fullmatch(words), letters)
    number = _NUMBERED.fullmatch(body) if place is None else None
    if number is None:
        return place
    # "The number is 3" is the third option only where no option is a number itself.
    counted = any(any(c.isdigit() for c in normal(one)) for one in texts)
    listed = re.match(r"(?:the )?(?:option|choice)\b", body)
    return None if counted and not listed else _number(number, letters)


@lru_cache(512)
def _forms(letters: tuple[str, ...], texts: tuple[str, ...]) -> tuple[dict[str, str | None], ...]:
    """For each way of comparing texts, the option that has a text; None where several have it."""
    known: list[dict[str, str | None]] = []
    for form in _FORMS:
        options: dict[str, str | None] = {}
        for letter, one in zip(letters, texts, strict=False):
            if text := form(one):
                options[text] = None if text in options else letter
        known.append(options)
    return tuple(known)


def chosen_by_place(text: str, letters: Sequence[str]) -> Named | None:
    """The option a reply chooses by its place: "I go for the third", "应该选第二个"."""
    last = _last_sentence(text)
    found = list(_ORDINAL_CHOSEN.finditer(last.lower()))
    if found and len(last) < _SHORT:
        return _place(found[-1], letters)
    numbered = _NUMBER_CHOSEN.search(text)
    if numbered is not None and 1 <= int(numbered[1]) <= len(letters):
        return Named(letters[int(numbered[1]) - 1], "ordinal")
    cjk = [] if last.isascii() else list(_CJK_ORDINAL.finditer(last))
    if cjk and len(last) < _SHORT and _CJK_CHOICE.search(last):
        match = cjk[-1]
        digit = match["zh"] or match["named"] or match["ja"] or match["ko"] or match["back"]
        index = _CJK_DIGITS[digit] if digit in _CJK_DIGITS else int(digit) - 1
        if match["last"]:
            index = len(letters) - 1 - index
        return Named(letters[index], "ordinal") if 0 <= index < len(letters) else None
    return None


_LAST = re.compile(r"[.!?]\s+|\n")


def _last_sentence(text: str) -> str:
    return _LAST.split(text.strip())[-1]


def named_by_numbers(text: str, letters: Sequence[str], texts: Sequence[str]) -> Named | None:
    """The option whose numbers are all the numbers of a short reply.

    Where all options have numbers and no two the same, as in "participant 3" or "4-6 s". A number with a
    unit or a noun that the options do not have ("frame 3", "12 %") is not one of theirs.
    """
    body = re.sub(r"\b(?:no|nr|number)\.?\s+(?=\d)", "#", normal(text))
    body = re.sub(r"\b(?:only |just )once$", "1 times", _times(body))
    if len(body) > _BRIEF:
        body = _CONCLUSION.split(body)[-1]
    bounded = [_bound(normal(one)) for one in texts]
    bound = _bound(body)
    if bound and bound in bounded:
        body = _BOUND.sub("", body)
    if (
        not texts
        or len(body) > _BRIEF
        or re.search(
            r"\b(?:not|no|never|wrong|or|either|than|at least|at most|up to|over|under)\b|n't\b",
            body,
        )
    ):
        return None
    option_numbers = [
        [*re.findall(r"\d+(?:\.\d+)?", _times(normal(one))), *filter(None, [limit])]
        for one, limit in zip(texts, bounded, strict=True)
    ]
    if not all(option_numbers) or len({tuple(one) for one in option_numbers}) < len(option_numbers):
        return None
    vocabulary = {w for one in texts for w in re.findall(r"[^\W\d_]+", _BOUND.sub("", normal(one)))}
    # Options that are bare figures may count how often something happens.
    counts = not vocabulary and len(re.findall(r"(?<![\d.:])\d+(?![\d:])", body)) == 1
    found: list[str] = []
    for match in re.finditer(r"(?<![\d.:])\d+(?:\.\d+)?(?![\d:])", body):
        before = re.search(r"([^\W\d_]+)[ .#]*$", body[: match.start()])
        after = re.match(r"\s?([^\W\d_]+|%)", body[match.end() :])
        if before and before[1] in _COUNTED - vocabulary and body[: match.start()].strip():
            return None
        units = _UNITS - {"times"} if counts else _UNITS
        if after and (after[1] == "%" or after[1] in units - vocabulary):
            return None
        found.append(match[0])
    found += [bound] if bound else []
    same = [letter for letter, one in zip(letters, option_numbers, strict=True) if one == found]
    return Named(same[0], "numbers") if len(same) == 1 else None


_BRIEF = 90
_CONCLUSION = re.compile(r"\b(?:so|thus|hence|therefore|that makes)\b")
_CLOCK = re.compile(r"(?<![\d:])(\d{1,2}):(\d{2})(?![\d:])")
_SPOKEN = re.compile(r"(\d{1,2}) ?(?:minutes?|mins?|m)(?:(?: and)? (\d{1,2}) ?s\b)?")
_SECONDS_ONLY = re.compile(r"(?<![\d.:])(\d{1,4})(?: ?s\b| (?=\d{1,4} ?s\b))")


def named_by_clock(text: str, letters: Sequence[str], texts: Sequence[str]) -> Named | None:
    """The option whose times a short reply gives in other words: "from 12 s to 18 s" is "00:12-00:18"."""
    if not all(_CLOCK.search(one) for one in texts):
        return None
    options = [_clock(one) for one in texts]
    if len(text) > _SHORT or not all(options) or len(set(options)) < len(options):
        return None
    if re.search(r"\b(?:not|no|never|before|after|until|or|than)\b|n't\b", text):
        return None
    found = _clock(text)
    same = [letter for letter, one in zip(letters, options, strict=False) if one == found]
    return Named(same[0], "clock") if found and len(same) == 1 else None


def _clock(text: str) -> tuple[int, ...]:
    """Times of a text in seconds, in order."""
    body = _SPOKEN.sub(lambda one: f" {int(one[1])}:{int(one[2] or 0):02d} ", normal(text))
    body = _CLOCK.sub(lambda one: f" {60 * int(one[1]) + int(one[2])} s ", body)
    return tuple(int(one[1]) for one in _SECONDS_ONLY.finditer(body))


def _times(text: str) -> str:
    """Text in which "twice" is "2 times"."""
    return re.sub(r"\btwice\b", "2 times", re.sub(r"\b(?:thrice|three times)\b", "3 times", text))


def _bound(text: str) -> str:
    """Which limit a number in a text is, if it is one: "more than 3" is not "3"."""
    found = _BOUND.search(text)
    return "" if found is None else _SAME_BOUND.get(str(found.lastgroup), str(found.lastgroup))


# "3 or more" and "3+" are "at least 3".
_SAME_BOUND = {"or_more": "least", "plus": "least"}
_BOUND = re.compile(
    r"\b(?:(?P<below>(?:less|fewer) than|under|below)|(?P<least>at least)|(?P<above>more than|over|above))\b"
    r"|(?<=\d)(?: or (?:(?P<most>fewer|less)|(?P<or_more>more))\b|(?P<plus>\+))"
)


def named_as_total(text: str, letters: Sequence[str], texts: Sequence[str]) -> Named | None:
    """The option that is the number with which a count ends: "1, 2, 3. So three."."""
    options = [normal(one) for one in texts]
    if sum(one.isdigit() for one in options) < max(2, len(options) - 1):
        return None
    concluded = _TOTAL.search(normal(_last_sentence(plain(text))))
    if concluded is not None:
        counted = {next(filter(None, concluded.groups()))}
    elif len(text) < _SHORT and not _COUNT_DOUBTED.search(text):
        counted = {one[1] or one[2] for one in _COUNTS_OF.finditer(_times(_once(normal(text))))}
    else:
        return None
    if len(counted) != 1 or options.count(number := counted.pop()) != 1:
        return None
    return Named(letters[options.index(number)], "total")


def _once(text: str) -> str:
    """Text in which "once" that ends a clause is "1 times"."""
    return re.sub(r"\b(?:exactly |only |just )?once(?=[.,;]|$)", "1 times", text)


# "I count 2 people", "it is repeated 4 times", "i.e. 2 plates".
_COUNTS_OF = re.compile(
    r"\b(?:i count|i counted|i\.e\.,?|that is,)\s+(?:a total of |exactly |only )?(\d{1,2})\b(?![.:]\d|\s*(?:s|%|min\w*)\b)|(?<![\d.:])(\d{1,2}) times\b(?! (?:more|less|as|larger|bigger|faster|longer|out))"
)
_COUNT_DOUBTED = re.compile(
    r"\b(?:not|never|or|if|could|might|may|maybe|perhaps|least|most|about|around|than|should|once (?:he|she|they|the|it))\b|n't\b|\?",
    re.IGNORECASE,
)


def _inflected_alone(text: str, letters: Sequence[str], texts: Sequence[str]) -> Named | None:
    """The option of which the reply has the words but for endings and little words."""
    if not text.isascii() or len(text) > _SHORT:
        return None
    vocabulary, options = _stemmed(tuple(letters), tuple(texts))
    if not vocabulary:
        return None
    words: list[str] = []
    for stem in each_stem(normal(text)):
        if stem in vocabulary:
            words.append(stem)
        elif stem not in _SEQUENCE:
            return None
    letter = options.get(tuple(words)) if len(words) > 1 else None
    return None if letter is None else Named(letter, "text_inflected")


@lru_cache(512)
def _stemmed(
    letters: tuple[str, ...], texts: tuple[str, ...]
) -> tuple[frozenset[str], dict[tuple[str, ...], str | None]]:
    """Stems of all options, and the option that has them in this order; None where several have."""
    options: dict[tuple[str, ...], str | None] = {}
    for letter, one in zip(letters, texts, strict=False):
        words = tuple(_stems(one))
        options[words] = None if words in options else letter
    return frozenset(stem for words in options for stem in words), options


_HEIGHTS = re.compile(r"\b(?:up|down|upper|lower|upwards?|downwards?|above|below)\b", re.IGNORECASE)


def named_by_direction(text: str, letters: Sequence[str], texts: Sequence[str]) -> Named | None:
    """The only direction that a short reply names, where all options are directions."""
    if len(text) > _SHORT or len(texts) < len(letters) or not directions_in(text):
        return None
    options = [as_direction(one) for one in texts]
    known = [one for one in options if one is not None]
    others = " ".join(one for one, way in zip(texts, options, strict=True) if way is None)
    if 2 * len(known) <= len(options) or len(set(known)) < len(known):
        return None
    if others and (_HEIGHTS.search(text) or set(_stems(others)) & set(_stems(text))):
        # "Up and to the left", where "up" is an option of its own.
        return None
    named = {found.name for found in directions_in(text)}
    if len(named) != 1 or re.search(
        r"\b(?:not|isn't|neither|nor|rather than)\b|不是|ではな|아니", text
    ):
        return None
    direction = named.pop()
    return Named(letters[options.index(direction)], "direction") if direction in options else None


def named_in_sentence(text: str, letters: Sequence[str], texts: Sequence[str]) -> Named | None:
    """The option whose text a reply of one short sentence holds, where words that cannot continue it follow.

    "A wrench is used to turn the bolt", "they will open the drawer to get a peeler", "the dog is resting in
    its basket". Sentences with a word of another option, with one of `_NOT_NOW`, or with "and" count for none.
    """
    body = normal(_ASIDE.sub("", plain(text)))
    if not 0 < len(body) <= _SENTENCE or not body.isascii() or re.search(r"[.!?;:\n]", body):
        return None
    options = {letter: normal(one) for letter, one in zip(letters, texts, strict=False)}
    here = {stem for stem, _, _ in stems(body)}
    found: list[str] = []
    for letter, option in options.items():
        core = _EDGES.sub("", option)
        if len(core) < 3 or core.isdigit() or core not in body:
            continue
        match = _word_apart(core).search(body)
        if match is None:
            continue
        rest = f"{body[: match.start()]}_{body[match.end() :]}"
        doing = core.endswith("ing") and core.isalpha() and _DOING.search(body[: match.start()])
        # What a relative clause says of the thing says nothing of the act.
        rest = _RELATIVE.sub(" ", rest)
        moves_on = doing or _MOVES_ON.match(body, match.end())
        if moves_on and not _NOT_NOW.search(rest) and not _PLAIN_NOT.search(rest):
            found.append(letter)
    if len(found) != 1:
        return None
    own = set(_stems(options[found[0]]))
    for letter, option in options.items():
        words = set(_stems(option)) - own
        if letter != found[0] and 2 * len(words & here) > len(words):
            return None
    return Named(found[0], "text_in_sentence")


def _shortened(text: str, letters: Sequence[str], texts: Sequence[str]) -> Named | None:
    """The only option that holds all words of the reply, in their order and half of its own at least.

    "To get the salt" is "to get the salt they forgot", "right" is "right hand".
    """
    if len(text) > _SENTENCE or not text.isascii():
        return None
    vocabulary = _core_vocabulary(tuple(texts))
    words: list[str] = []
    for stem in each_stem(_core(text)):
        if stem not in vocabulary:
            return None
        words.append(stem)
    if not words or len(words) > 12 or breaks_off(text.strip()):
        return None
    holding = [
        (letter, own)
        for letter, one in zip(letters, texts, strict=False)
        if _in_order(words, own := _stems(_core(one)))
    ]
    if len(holding) != 1 or 2 * len(words) < len(holding[0][1]):
        return None
    return Named(holding[0][0], "text_shortened")


@lru_cache(512)
def _core_vocabulary(texts: tuple[str, ...]) -> frozenset[str]:
    return frozenset(stem for one in texts for stem in _stems(_core(one)))


def _in_order(words: Sequence[str], text: Sequence[str]) -> bool:
    rest = iter(text)
    return all(word in rest for word in words)


def _inflected_subject(body: str, letters: Sequence[str], texts: Sequence[str]) -> Named | None:
    """The option whose words, but for endings, are what a last sentence calls likely: "Washing it is what comes next"."""
    found = [
        letter
        for letter, one in zip(letters, texts, strict=False)
        if len(words := _stems(one)) > 1
        and [stem for stem, _, _ in stems(body)][: len(words)] == words
        and _CALLED_LIKELY.match(body, stems(body)[len(words) - 1][2])
    ]
    return Named(found[0], "text_inflected") if len(found) == 1 else None


_SENTENCE = 140
_DOING = re.compile(r"\b(?:is|are|was|were|be|been|activity is)\s+(?:\w+ly\s+)?$")
# Words behind a text that are not part of a longer one of its kind.
_MOVES_ON = re.compile(
    r"(?:,? (?:to (?!(?:the|an?|his|her|their|its)\b)|in order to|so that|because|since|as\b|for\b|with\b|using|by\b|from|in\b|on\b|at\b|during"
    r"|throughout|while|into|onto|over|under|again|later|there|here|(?:is|are|was|were) (?:being |clearly |then )?(?:used|shown|visible|seen|held|the (?:one|tool|object|answer))\b"
    r"|hands?\b|who|that|which))",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r"(?<=_)\s+(?:that|which|who)\s+(?!(?:is|was|are|were) not)[^,_]*$")
_PLAIN_NOT = re.compile(
    r"\b(?:and|than|cannot|question|options?|which one|what|unclear|first|(?<!will )then)\b"
)
_SEQUENCE = frozenset(
    "first then next final finally last lastli second third and after that it in order".split()
)
_NOT_NOW = re.compile(
    r"\b(?:not|never|no|without|already|just|after|before|once|instead|rather|previous\w*|earlier|still|could|might"
    r"|may|maybe|perhaps|or|if|unless|whether|has|have|had|finished|done|stopp?ed|until|neither|nor|suggest\w*"
    r"|distract\w*|possible|possibly|both|wrong|incorrect|unlikely)\b|n't\b",
    re.IGNORECASE,
)


def named_inflected(text: str, letters: Sequence[str], texts: Sequence[str]) -> Named | None:
    """The option whose words, but for endings, close the last sentence of a short reply.

    "Next, the wearer opens the cupboard." is the option "open the cupboard". Sentences that say what was,
    what is not or what might be do not count, nor do words of two options.
    """
    if len(text) > 2 * _SHORT:
        return None
    if not text.isascii():
        return _inflected_cjk(text, letters, texts)
    body = normal(_ASIDE.sub("", plain(text)))
    last = _LATE.sub("", _last_sentence(body.rstrip(" .!")))
    if _NOT_NOW.search(last):
        return None
    subject = _inflected_subject(last, letters, texts)
    if subject is not None:
        return subject
    here = [stem for stem, _, _ in stems(last)]
    # What "so" and "the step that is missing is" conclude stands above what was named before.
    among = here if _CONCLUDES.match(last) else [stem for stem, _, _ in stems(body)]
    found = [
        letter
        for letter, one in zip(letters, texts, strict=False)
        if len(words := _stems(one)) > 1
        and here[-len(words) :] == words
        and not any(other != one and _within(_stems(other), among) for other in texts)
    ]
    return Named(found[0], "text_inflected") if len(found) == 1 else None


def _inflected_cjk(text: str, letters: Sequence[str], texts: Sequence[str]) -> Named | None:
    """The option whose words, but for the ending of the verb, all but close a Japanese or Korean reply."""
    last = _last_sentence(plain(text).rstrip(" .!"))
    if re.search(
        r"ない|ません|ずに|않|아니|못|없|[てで]から|た後|たばかり|은 후|한 후|기 전|前に", last
    ):
        return None
    found: list[str] = []
    for letter, one in zip(letters, texts, strict=False):
        words = plain(one).strip(" .")
        core = words[: -2 if words.endswith("다") else -1]
        if len(core) < 3 or not re.search(r"다$|[うくぐすつぬぶむる]$", words):
            return None
        at = last.rfind(core)
        if at >= 0 and len(last) - at - len(core) <= 14:
            found.append(letter)
        elif core in text:
            return None
    return Named(found[0], "text_inflected") if len(found) == 1 else None


# "After rinsing the pot, he pours": what was before. "rather than rinse": what is not.
_ASIDE = re.compile(
    r"(?:^|(?<=[.!?]\s))(?:after|before|once|having|when|while|since|as soon as)\b[^,.!?]{1,120},"
    r"|,?\s+(?:rather than|instead of|and not|but not|(?:before|after|while|when) \w+ing)\b[^,.!?]{1,120}",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(
    r"(?:(?:so|therefore|thus|hence),?\s|(?:so |therefore,? |thus,? )?the (?:\w+ )?(?:step|action|one|option|answer|object|tool|activity|thing) (?:that|which|who) (?:is|was|matches|fits|follows)\b"
    r"|the (?:missing|next|correct|remaining|most likely|following) \w+ (?:is|would be)\b)"
)
_CALLED_LIKELY = re.compile(
    r"\s+(?:is|seems|appears|looks|would be|will be)\s+(?:to be )?(?:the )?(?:clearly |indeed |by far )?"
    r"(?:(?:most |more )?(?:likely|probable|plausible)|next|correct|right|best|answer|what (?:comes|follows|happens)|most \w+)\b"
)
_LATE = re.compile(r"\s+(?:next|now|afterwards|then|soon|first|immediately|again|shortly)$")


# "It is unlikely that he rinses the pot", "frame 3": neither names an option.
_DENIES = re.compile(
    r"\b(?:unlikely|implausible|impossible|improbable|doubtful|never|won't|will not|wouldn't|not (?:going|about|likely) to|n't going to"
    r"|does(?:n't| not)|do(?:n't| not)|no longer|rul(?:e|es|ed|ing) out|exclud\w+|has (?:just|already)|have (?:just|already)|if)\b[^,]*$"
)
# "The gas is not turned off in" an option, but "not there but in" one.
_IS_NOT = re.compile(
    r"(?:\b(?:is|are|was|were|has|have|had|can|could|will|would) not\b|n't\b|\bnever\b)(?! only\b)(?:(?!\b(?:but|only|instead|rather|so|because|since|as|while|when|until)\b)[^,])*$"
)
_COUNTS = re.compile(
    rf"\b(?:(?:more|less|fewer|other) than|at least|at most|over|under|up to|{'|'.join(sorted(_COUNTED - {'at', 'after', 'in', 'top', 'first', 'last'}))})[ .#]*$"
)


@lru_cache(8192)
def _stems(text: str) -> list[str]:
    return [stem for stem, _, _ in stems(normal(text))]


def _within(words: Sequence[str], text: Sequence[str]) -> bool:
    return any(
        text[at : at + len(words)] == list(words) for at in range(len(text) - len(words) + 1)
    )


@lru_cache(8192)
def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORDS.findall(text.casefold()))


def named_inside(text: str, letters: Sequence[str], texts: Sequence[str]) -> Named | None:
    """The option whose text closes a clause of the reply."""
    sought = {
        letter: words
        for letter, option in zip(letters, texts, strict=False)
        if (words := _ARTICLE.sub("", normal(option))) and (len(words) > 1 or words.isdigit())
    }
    if not sought:
        return None
    body = unicodedata.normalize("NFKC", plain(text)).lower().translate(_DASHES)
    body = _NUMBER.sub(lambda match: str(_NUMBERS.index(match[0])), body)
    vocabulary = {word for words in sought.values() for word in words.split()} - _LITTLE_WORDS
    directions = _directions(tuple(letters), tuple(texts))
    present: set[str] = set()
    closing: set[str] = set()
    for letter, words in sought.items():
        if not all(word in body for word in words.split()):
            continue
        found = _inside_pattern(words)
        for match in list(found.finditer(body))[-_MOST:]:
            if (
                ruled_out_before(body, match.start())
                or _continues(body, match.start(), vocabulary)
                or _turns(body, match, directions.get(letter))
            ):
                continue
            sentence = re.split(r"[.!?;\n]", body[max(0, match.start() - 160) : match.start()])[-1]
            if (
                _DENIES.search(sentence)
                or _IS_NOT.search(sentence)
                or (words.isdigit() and _COUNTS.search(sentence))
            ):
                continue
            present.add(letter)
            if _CLOSES.match(body, match.end()):
                closing.add(letter)
    # "on the board" inside "on the board by the sink" is not a second answer.
    longest = {
        letter
        for letter in present
        if not any(
            other != letter and _bounded(sought[letter]).search(sought[other]) for other in present
        )
    }
    closing &= longest
    if not closing:
        return None
    if len(longest) == 1:
        # In a long text it must be what the text ends with.
        if len(body) > 3 * _SHORT and not any(sought[x] in body[-_SHORT:] for x in closing):
            return None
        return Named(closing.pop(), "text_inside")
    return Named(None, "several_texts")


def only_named(
    text: str, letters: Sequence[str], texts: Sequence[str], *, figures: bool = False
) -> Named | None:
    """The only option that a short reply has anything of, whatever follows: "A knife is lying in the sink".

    No other option's words may be there, no letter, and nothing that denies, doubts or puts off what it says.
    Directions and figures are said of many things and do not count.

    Args:
        text: Reply without its wrapping.
        letters: Letters of the question.
        texts: Texts of the options.
        figures: Whether options with figures count all the same.
    """
    if len(text) > _SHORT or not text.isascii() or len(texts) < len(letters):
        return None
    if any(as_direction(one) for one in texts) or text.rstrip().endswith("?"):
        return None
    body = normal(text)
    found: list[tuple[str, re.Match[str]]] = []
    for letter, one in zip(letters, texts, strict=True):
        words = _ARTICLE.sub("", normal(one))
        match = _inside_pattern(words).search(body) if len(words) > _LEAST_ALONE else None
        if match is not None and (figures or not any(c.isdigit() for c in words)):
            found.append((letter, match))
    if len(found) != 1:
        return None
    letter, match = found[0]
    rest = f"{body[: match.start()]}_{body[match.end() :]}"
    if _NOT_NOW.search(rest) or _DENIES.search(rest) or _UNDECIDED.search(rest):
        return None
    if set(re.findall(r"(?<![\w'])[A-Z](?![\w'])", plain(text)[1:])) & set(letters):
        return None
    own = set(_stems(texts[letters.index(letter)]))
    here = set(_stems(rest))
    others = {w for x, one in zip(letters, texts, strict=True) if x != letter for w in _stems(one)}
    return None if (others - own) & here else Named(letter, "only_text")


_LEAST_ALONE = 3
_UNDECIDED = re.compile(
    r"\b(?:between|depends?|either|neither|which|whichever|question|options?|choices?|would|might|could|first|then)\b"
)


def _continues(body: str, start: int, vocabulary: AbstractSet[str]) -> bool:
    """Whether the word before is one of the options' words too: "front left" is not "left"."""
    before = _WORD_BEFORE.search(body[max(0, start - 30) : start])
    if before is None:
        return False
    word = before[1].lower()
    # "upper left" is not "left" where "up" is an option too.
    return word in vocabulary or (word in _VERTICAL and not vocabulary.isdisjoint(_VERTICAL))


_WORD_BEFORE = re.compile(r"(\w+)[ -]$")
_VERTICAL = frozenset("up down upper lower top bottom above below upwards downwards".split())


@lru_cache(512)
def _directions(letters: tuple[str, ...], texts: tuple[str, ...]) -> dict[str, str]:
    """Direction of each option that is one, where at least two are."""
    found = {
        letter: direction
        for letter, one in zip(letters, texts, strict=False)
        if len(one) < _SHORT and (direction := as_direction(one)) is not None
    }
    return found if len(found) > 1 else {}


def _turns(text: str, match: re.Match[str], direction: str | None) -> bool:
    """Whether an option's direction is a part of another one there: "backwards and to the left" is not "left"."""
    if direction is None:
        return False
    start = max(0, match.start() - _SHORT)
    around = directions_in(text[start : match.end() + _SHORT], bare=True)
    return any(
        one.start < match.end() - start
        and match.start() - start < one.end
        and one.name != direction
        for one in around
    )


_LEADS = frozenset(["in", "on", "at", "into", "onto", "to", "with", "from", "by"])


def mark_texts(text: str, letters: Sequence[str], texts: Sequence[str]) -> str:
    """Text in which each option that is named by its text is one token: `_marked`."""
    return _marked(text, tuple(letters), tuple(texts))


@lru_cache(64)
def _marked(text: str, letters: tuple[str, ...], texts: tuple[str, ...]) -> str:
    """Text in which each option that is named by its text is one token (`declarations.as_token`).

    "A. on the table" becomes the token alone. Longer texts go first, and a text that other options' words
    continue is not one ("front left" is not "left").
    """
    known, vocabulary = _sought(letters, texts)
    if not known:
        return text
    # A pattern is made only for a text whose words are there: that is what takes time.
    folded = text.casefold()
    sought = {
        letter: option
        for letter, option, ends in known
        if all(word in folded for word in ends) and may_hold(text, option, apart=option.isascii())
    }
    directions = _directions(tuple(letters), tuple(texts)) if sought else {}
    for letter, option in sorted(sought.items(), key=lambda item: -len(item[1])):
        words = _words_to_find(option)
        if not words:
            continue
        found = _text_pattern(tuple(words), option.isascii())
        pieces: list[str] = []
        at = 0
        for match in list(found.finditer(text))[-_MOST:]:
            if _continues(text, match.start(), vocabulary) or _turns(
                text, match, directions.get(letter)
            ):
                continue
            label = _before_text(letter).search(text[max(at, match.start() - 24) : match.start()])
            start = match.start() - (len(label[0]) if label is not None else 0)
            end = match.end() + (text[match.end() : match.end() + 1] in ('"', "'", ")"))
            pieces += [text[at:start], as_token(letter)]
            at = end
        text = "".join([*pieces, text[at:]])
    return text


@lru_cache(512)
def _sought(
    letters: tuple[str, ...], texts: tuple[str, ...]
) -> tuple[tuple[tuple[str, str, tuple[str, ...]], ...], frozenset[str]]:
    """Options that can be named by their text, each with its last words, and the words of all options."""
    known = tuple(
        (letter, option, _words(option)[-3:])
        for letter, option in zip(letters, texts, strict=False)
        if (len(normal(option)) > 1 and normal(option) != letter.lower())
        or (len(option) == 1 and not option.isascii())
    )
    words = frozenset(word for option in texts for word in normal(option).split())
    return known, words - _LITTLE_WORDS


def may_hold(text: str, option: str, *, apart: bool = False) -> bool:
    """Whether a text holds the words of an option in their order, whatever stands between them and whatever their case.

    Args:
        text: Reply.
        option: Text of an option; an article that it starts with, and what stands beyond 40 words, is not looked for (`_words_to_find`).
        apart: Whether its words must be words of their own at both ends.
    """
    words = _sought_words(option)
    if not apart:
        return words in _words_in_line(text)
    return f" {words} " in _words_in_line(text)


def _words_to_find(option: str) -> list[str]:
    """Words of an option without an article at its start, and "third frame" of "in the third frame"; the first 40."""
    words = _WORDS.findall(option)[:40]
    if len(words) > 1 and words[0].lower() in ("a", "an", "the"):
        return words[1:]
    if len(words) > 3 and words[0].lower() in _LEADS and words[1].lower() == "the":
        return words[2:]
    return words


@lru_cache(8192)
def _sought_words(option: str) -> str:
    words = _words_to_find(option)
    return _words_in_line(" ".join(words)).strip()


@lru_cache(256)
def _words_in_line(text: str) -> str:
    """Words of a text in lower case, a blank between them and at both ends; "s" for "seconds"."""
    words = _PLAIN_WORD.findall(text.casefold())
    if not _SECOND.isdisjoint(words):
        words = ["s" if word in _SECOND else word for word in words]
    return f" {' '.join(words)} "


_WORDS = re.compile(r"\w+")
_SECOND = frozenset("s sec secs second seconds".split())
_SECONDS = "(?:s|secs?|seconds?)"


@lru_cache(4096)
def _text_pattern(words: tuple[str, ...], ascii_only: bool) -> re.Pattern[str]:
    """An option's words, with odd blanks and punctuation between them."""
    pattern = r"[\W_]{1,3}".join(
        _SECONDS if word.lower() in _SECOND else re.escape(word) for word in words
    )
    # Words of Chinese, Japanese and Korean are not set apart.
    apart = (r"(?<![\w.:])", r"(?![\w-])") if ascii_only else ("", "")
    if not ascii_only and len("".join(words)) == 1:
        # One character is a part of many words.
        apart = (
            r"(?:(?<=[是为選选:\"'(])|(?<=[是为選选:] )|(?<=[はがの은는])|(?<=[은는] )|(?<=よって)|(?<=答えは))",
            r"(?=\s*(?:[\"').,;!吧]|です|だ[.。]|でした|である|입니다|이다|이에요|예요|$))",
        )
    return re.compile(f"{apart[0]}{pattern}{apart[1]}", re.IGNORECASE)


@lru_cache(4096)
def _inside_pattern(words: str) -> re.Pattern[str]:
    """An option's normal form, with blanks, hyphens or slashes between its words."""
    pattern = r"[\s_/-]+".join(map(re.escape, words.split()))
    apart = (r"(?<![\w:.-])", r"(?![\w-])") if words.isascii() else ("", "")
    return re.compile(f"{apart[0]}{pattern}{apart[1]}")


@lru_cache(4096)
def _bounded(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(words)}\b")


@lru_cache(4096)
def _word_apart(words: str) -> re.Pattern[str]:
    """Words that stand apart, and are not part of a compound."""
    return re.compile(rf"(?<![\w-]){re.escape(words)}(?![\w-])")


@lru_cache(64)
def _before_text(letter: str) -> re.Pattern[str]:
    """What belongs to an option's text and stands before it: its label, a quotation mark, an article."""
    return re.compile(
        rf"(?:(?<![A-Za-z0-9])\(?{letter}\s?[).:,=-]+\s*)?[\"'(]?"
        r"(?:\b(?:the|a|an|its|his|her|option|answer)\s+)?$",
        re.IGNORECASE,
    )


_ONE_CHARACTER = re.compile(r"\w\b")


def _misspelled(body: str, letters: Sequence[str], texts: Sequence[str]) -> Named | None:
    """The option whose text the whole reply is but for a slip or two."""
    if not 6 <= len(body) <= 120 or not body.isascii() or _ONE_CHARACTER.match(body):
        return None
    scores = sorted(
        (
            (fuzz.ratio(body, normal(option)), letter)
            for letter, option in zip(letters, texts, strict=False)
        ),
        reverse=True,
    )
    if len(scores) < 2 or scores[0][0] < 86 or scores[0][0] - scores[1][0] < 15:
        return None
    return Named(scores[0][1], "text_with_slips")


@lru_cache(8192)
def _core(text: str) -> str:
    """Text without the words it may start with ("on the windowsill", "it is the windowsill")."""
    return _EDGES.sub("", normal(text))


@lru_cache(8192)
def _letters_only(text: str) -> str:
    """Text without spaces and punctuation, for words written together or apart."""
    joined = _NO_WORD.sub("", normal(text))
    return joined if len(joined) >= 6 else ""


# Ways of comparing texts, strict ones first.
_FORMS = (normal, _core, _letters_only)


def _place(match: re.Match[str] | None, letters: Sequence[str]) -> Named | None:
    if match is None:
        return None
    index = _ORDINALS[fold(next(group for group in match.groups() if group))]
    return Named(letters[index], "ordinal") if index < len(letters) else None


def _number(match: re.Match[str], letters: Sequence[str]) -> Named | None:
    if not 1 <= int(match[1]) <= len(letters):
        return None
    return Named(letters[int(match[1]) - 1], "ordinal")
