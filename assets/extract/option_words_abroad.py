"""An option that a short reply in another language than English names by its words, with other endings.

"Человек кладёт тарелку" is "тарелка", "Elle coupe le pain" is "couper le pain", "トマトを洗っています" is "洗う". Words are the
same where they share most of their letters from the start; a reply that denies, doubts or supposes anything is left open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from rapidfuzz.distance import Prefix

from assets.extract.last_words import OPEN
from assets.extract.option_texts import Named

_LONGEST = 160
_ENGLISH = re.compile(
    r"\b(?:the|is|are|of|and|with|he|she|it|his|her|they|this|that)\b", re.IGNORECASE
)
# What was before, or comes later.
_OTHER_TIME = re.compile(
    r"\b(?:nachdem|bevor|après|avant|después|antes|dopo|prima|depois|nadat|voordat|efter|innan|после|перед|sonra|önce|po|przed|setelah|sebelum|sau|trước)\b|[てで]から|た後|前に|은 후|한 후|기 전",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")
_SENTENCE = re.compile(r"[.!?。]\s*(?=\S)")
# Verbs of Japanese and Korean, up to their endings.
_JAPANESE = re.compile(r"([\u4e00-\u9fff][\u3040-\u309f]{0,2}?)[うくぐすつぬぶむる]$")
_KOREAN = re.compile(r"([\uac00-\ud7a3]{1,4})다$")
_LEAST = 3


def named_abroad(text: str, letters: Sequence[str], texts: Sequence[str]) -> Named | None:
    """The only option of which a reply of one sentence has all words of its own; None where it has words of another one too.

    Args:
        text: A reply without its wrapping, which names no letter.
        letters: Letters of the options.
        texts: Texts of the options.
    """
    if len(text) > _LONGEST or _SENTENCE.search(text.strip().rstrip(".!?。")):
        return None
    if _ENGLISH.search(" ".join((text, *texts))) or OPEN.search(text) or _OTHER_TIME.search(text):
        return None
    words_here = _words(text)
    own = _own_words(tuple(texts))
    hits = [
        [any(_same(one, other) for other in words_here) or _has_verb(one, text) for one in words]
        for words in own
    ]
    some = [at for at, hit in enumerate(hits) if any(hit)]
    if len(some) != 1 or not all(hits[some[0]]):
        return None
    return Named(letters[some[0]], "words_abroad")


@lru_cache(1024)
def _own_words(texts: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Words of each option that not all of them have."""
    found = [_words(one) for one in texts]
    return tuple(
        tuple(
            one
            for one in words
            if not all(any(_same(one, other) for other in others) for others in found)
        )
        for words in found
    )


def _words(text: str) -> tuple[str, ...]:
    words = (one.casefold() for one in _WORD.findall(text))
    return tuple(one for one in words if len(one) >= _LEAST or not one.isascii())


def _same(one: str, other: str) -> bool:
    """Whether two words share most of their letters from the start."""
    longest = max(len(one), len(other))
    shared = Prefix.similarity(one, other)
    return shared == longest or (shared >= _LEAST and 5 * shared >= 3 * longest)


def _has_verb(word: str, text: str) -> bool:
    """Whether a text has a Japanese or Korean verb in another form."""
    japanese, korean = _JAPANESE.fullmatch(word), _KOREAN.fullmatch(word)
    if japanese is not None:
        return re.search(re.escape(japanese[1]) + r"[\u3040-\u309f]", text) is not None
    return korean is not None and re.search(rf"(?<![\uac00-\ud7a3]){korean[1]}", text) is not None
