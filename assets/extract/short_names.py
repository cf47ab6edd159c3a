"""Short names of options: by number ("the second person"), by place ("the third option"), by noun ("the mug", "the red one").

Each is a name only where it fits one option alone: a number where the options differ by numbers, a noun that no other option
has, an adjective that only one has.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache

from assets.extract.guarded import Guarded
from assets.words.case import fold

ORDINALS = (
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
)
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_PLACE = Guarded(
    rf"\b(?:the\s+)?(?:(?P<ordinal>{'|'.join(ORDINALS)}|last)\s+(?:option|choice|alternative|candidate|answer(?! (?:is|was))|statement)"
    rf"|(?:option|choice|alternative)\s+(?:no\.?\s*|number\s+|#)?(?P<number>\d{{1,2}}|{'|'.join(_NUMBERS)}))\b(?!\s*(?:of|out of)\b)",
    re.IGNORECASE,
)
_PLACE_HAN = Guarded(
    r"(?:第\s*(?P<zh>[一二三四五六七八九十]|\d{1,2})\s*(?:个|個|项|項)?\s*(?:选项|選項|答案)|(?P<ja>[一二三四五六七八九十]|\d{1,2})\s*(?:番目|つ目)\s*の?\s*(?:選択肢|候補|答え)"
    r"|(?P<ko>첫|두|세|네|다섯|여섯|\d{1,2})\s*번째\s*(?:보기|선택지|옵션|답))"
)
_ABROAD_ORDINALS = (
    r"premi[eè]re?|prim[eo]ra?|prima|primo|erste[nrs]?|primeir[ao]",
    r"deuxième|seconde?|segund[ao]|second[ao]|zweite[nrs]?",
    r"troisième|tercer[ao]?|terz[ao]|dritte[nrs]?|terceir[ao]",
    r"quatrième|cuart[ao]|quart[ao]|vierte[nrs]?",
    r"cinquième|quint[ao]|fünfte[nrs]?",
)
_PLACE_ABROAD = Guarded(
    r"\b(?:(?:la|le|el|il|lo|die|der|das|a|o)\s+)?(?:"
    + "|".join(f"(?P<n{at}>{one})" for at, one in enumerate(_ABROAD_ORDINALS))
    + r")\s+(?:option|opción|opzione|opção|réponse|respuesta|risposta|resposta|proposition|antwort|antwortmöglichkeit|möglichkeit|alternativ[ae])\b",
    re.IGNORECASE,
)
_DIGITS_HAN = {one: at + 1 for at, one in enumerate("一二三四五六七八九十")} | {
    one: at + 1 for at, one in enumerate("첫 두 세 네 다섯 여섯".split())
}
_ARTICLE = re.compile(r"^(?:an?|the|his|her|their)\s+", re.IGNORECASE)
_MODIFIED = re.compile(
    r"\s+(?:in|on|with|of|by|at|from|for|to|wearing|holding|that|who|which|next|near|behind|made|under|inside|and|or|is|are)\b.*",
    re.IGNORECASE,
)
_DETERMINER = r"\b(?:the|an?|this|that|his|her|their|its|one|only|no)"
_NOT_NUMBERED = {"more", "less", "than", "happens", "first", "times", "time", "once"}


def mark_short_names(
    text: str, letters: Sequence[str], texts: Sequence[str], token: Callable[[str], str]
) -> str:
    """Text in which short names of options are tokens.

    Args:
        text: Reply in which full texts are tokens already.
        letters: Letters of the question.
        texts: Texts of the options; empty where they have none.
        token: What stands for an option, by its letter.
    """
    if not _list_places(tuple(texts)):
        text = _PLACE.sub(lambda match: _placed(match, letters, token), text)
        text = _PLACE_ABROAD.sub(lambda match: _placed_abroad(match, letters, token), text)
        if not text.isascii():
            text = _PLACE_HAN.sub(lambda match: _placed_han(match, letters, token), text)
    numbered = _numbered(tuple(letters), tuple(texts)) if texts else None
    folded = text.lower()
    if numbered is not None and any(word in folded for word in (*numbered[0], *ORDINALS)):
        pattern, several = _patterns_with_numbers(numbered[0])
        numbers = numbered[1]
        text = several.sub(lambda match: _each(match, numbers, token), text)
        text = pattern.sub(lambda match: _with_number(match, numbers, token), text)
    for letter, words, name in _nouns(tuple(letters), tuple(texts)):
        if any(word in folded for word in words):
            text = _pattern(name).sub(token(letter), text)
    return text


@lru_cache(512)
def _list_places(texts: tuple[str, ...]) -> bool:
    """Whether options speak of options themselves."""
    return any(re.search(r"\boption|\bchoice", one, re.IGNORECASE) for one in texts)


def _value(word: str) -> int:
    word = fold(word)
    for words in (ORDINALS, _NUMBERS):
        if word in words:
            return words.index(word) + 1
    return int(word)


def _placed(match: re.Match[str], letters: Sequence[str], token: Callable[[str], str]) -> str:
    word = match["ordinal"] or match["number"]
    place = len(letters) if word.lower() == "last" else _value(word)
    return token(letters[place - 1]) if 1 <= place <= len(letters) else match[0]


def _placed_abroad(
    match: re.Match[str], letters: Sequence[str], token: Callable[[str], str]
) -> str:
    place = next(at for at in range(len(_ABROAD_ORDINALS)) if match[f"n{at}"])
    return token(letters[place]) if place < len(letters) else match[0]


def _placed_han(match: re.Match[str], letters: Sequence[str], token: Callable[[str], str]) -> str:
    word = match["zh"] or match["ja"] or match["ko"]
    place = _DIGITS_HAN.get(word) or int(word)
    return token(letters[place - 1]) if 1 <= place <= len(letters) else match[0]


def _with_number(match: re.Match[str], numbers: dict[str, str], token: Callable[[str], str]) -> str:
    letter = numbers.get(str(_value(match["number"] or match["ordinal"])))
    return token(letter) if letter else match[0]


def _each(match: re.Match[str], numbers: dict[str, str], token: Callable[[str], str]) -> str:
    return re.sub(
        r"\d{1,2}",
        lambda one: token(numbers[one[0]]) if one[0] in numbers else one[0],
        match["list"],
    )


@lru_cache(512)
def _numbered(
    letters: tuple[str, ...], texts: tuple[str, ...]
) -> tuple[tuple[str, ...], dict[str, str]] | None:
    """Where options differ by a number alone: the nouns that it may stand behind, and the letter of each number."""
    numbers: dict[str, str] = {}
    frames: set[str] = set()
    for letter, text in zip(letters, texts, strict=False):
        found = re.findall(r"\d{1,2}", text)
        timed = re.search(r"\d\s*(?:s|sec\w*|min\w*|%)(?![a-z])|[.:]\d", text)
        if len(found) == 1 and re.search(r"[A-Za-z]{3}", text) and timed is None:
            numbers[found[0]] = letter
            frames.add(re.sub(r"\d{1,2}", "#", text.lower()))
    if len(numbers) < 2 or len(frames) != 1:
        return None
    frame = frames.pop()
    nouns = sorted(set(re.findall(r"[a-z]{4,}", frame)) - _NOT_NUMBERED)
    nouns += ["cam", "camera"] if re.match(r"cam\b", frame) else []
    return tuple(nouns) or ("video",), numbers


@lru_cache(512)
def _patterns_with_numbers(words: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns for naming one option, and several, by a noun and a number."""
    nouns = "|".join(words)
    one = re.compile(
        rf"(?:\bthe\s+)?(?:\b(?:{nouns})\s+(?:no\.?\s*|number\s+|#)?(?P<number>\d{{1,2}}|{'|'.join(_NUMBERS)})(?:'s\s+(?:{nouns}))?\b"
        rf"|\b(?P<ordinal>{'|'.join(ORDINALS)})(?:\s+(?:{nouns}|one)\b|(?=\s*(?:or|and)\s+(?:the\s+)?(?:{'|'.join(ORDINALS)})\b|\s*[.,;]|\s+(?:is|looks|seems|appears|shows|works|performs)\b)))",
        re.IGNORECASE,
    )
    several = re.compile(
        rf"\b(?:{nouns})s\s+(?P<list>\d{{1,2}}(?:\s*,\s*\d{{1,2}})*,?\s*(?:and|or|&)\s*\d{{1,2}})(?![\d.])",
        re.IGNORECASE,
    )
    return one, several


@lru_cache(512)
def _nouns(
    letters: tuple[str, ...], texts: tuple[str, ...]
) -> tuple[tuple[str, tuple[str, ...], str], ...]:
    """Options that are things: words of which its short names hold one, and a pattern for the noun or the adjective that each alone has."""
    if sum(bool(_ARTICLE.match(one)) for one in texts) * 2 <= len(texts) and not _share_noun(texts):
        return ()
    everywhere = Counter(word for one in texts for word in set(re.findall(r"[a-z]+", one.lower())))
    names: list[tuple[str, tuple[str, ...], str]] = []
    for letter, text in zip(letters, texts, strict=False):
        words = re.findall(r"[a-z]+", _MODIFIED.sub("", _ARTICLE.sub("", text.strip(" ."))).lower())
        if not words or len(words) > 4 or not text.isascii():
            continue
        *adjectives, head = words
        own = "|".join(adjectives)
        patterns: list[str] = []
        if everywhere[head] == 1 and len(head) > 2 and _ARTICLE.match(text):
            patterns.append(
                rf"{_DETERMINER}\s+(?:(?:{own})\s+)*{head}\b(?!['-])"
                if own
                else rf"{_DETERMINER}\s+{head}\b(?!['-])"
            )
        single = [word for word in adjectives if everywhere[word] == 1]
        if single:
            patterns.append(
                rf"\bthe\s+(?:{'|'.join(single)})\s+one\b|\bthe\s+(?:{'|'.join(single)})(?=\s*(?:[.,;!?]|$))"
            )
        if patterns:
            names.append((letter, (head, *single), "|".join(patterns)))
    return tuple(names)


@lru_cache(4096)
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(name, re.IGNORECASE)


def _share_noun(texts: Sequence[str]) -> bool:
    """Whether options are the same noun with different adjectives: "left hand", "right hand"."""
    ends = [re.findall(r"[a-z]+", one.lower()) for one in texts]
    heads = Counter(words[-1].rstrip("s") for words in ends if len(words) == 2)
    return bool(heads) and heads.most_common(1)[0][1] >= max(2, len(texts) - 1)
