"""A reply in which every mention of an option is one character, however the option is named.

"B", "(B)", "option B", "B. in a pot", "in a pot (B)" and "in a pot" all become the same token
(`declarations.as_token`), so that what is said of an option is looked for once and not once for each form of naming it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from assets.predictions.extract.declarations import as_letter, as_token, is_word
from assets.predictions.extract.guarded import Guarded
from assets.predictions.extract.option_texts import mark_texts
from assets.predictions.extract.short_names import mark_short_names

# An option named by its letter, and by its text alone.
ONE_OPTION = r"[\uE000-\uE039]"
_BY_TEXT = 0x20
_NOUN = (
    r"(?:options?|choices?|videos?|clips?|candidates?|letters?|views?|statements?|alternatives?|opción|opciones|vídeos?|respuesta"
    r"|vidéos?|réponse|antwort|opção|opzione|alternativ[ae])"
)
_CJK_NOUN = (
    "选项|視頻|视频|片段|选择|選項|动画|動画|候補|ビデオ|選択肢|映像|선택지|보기|영상|비디오|옵션"
)
_LETTER = re.compile(
    rf"(?:(?<![\w-])(?:the\s+|la\s+|l')?(?:(?:exo|ego)(?:centric)?[\s-]+|(?:first|third)[\s-]person\s+)?{_NOUN}\s+|(?:{_CJK_NOUN})\s*)?"
    r"[(\[{<\"'*_]{0,4}(?<![A-Za-z0-9\uE000-\uE039])(?P<letter>[A-Z])(?![A-Za-z0-9]|['’][A-Za-z]|-[a-z])[)\]}>\"'*_]{0,4}",
    re.IGNORECASE,
)
_NAMED = Guarded(rf"{_NOUN}\s+\W*$|(?:{_CJK_NOUN})\s*\W*$", re.IGNORECASE)
# Verbs and adverbs behind which a capital A is an option and no article.
_A_DOES = re.compile(
    r"\s+(?:(?:best|correctly|accurately|clearly|also|still|only|most closely)\s+)?"
    r"(?:makes?|works?|wins?|holds?|stands?|checks?|sounds?|describes?|captures?|answers?|satisfies|meets|edges|beats|gets|must|can|cannot|can't"
    r"|will|won't|is|are|was|isn't|doesn't|fits?|matches|agrees|applies|best|then|it is|more than|high|low|first|second|nor|vs|versus|es|est|ist|passt|stimmt"
    r"|trifft|parece|semble|scheint|coincide|correspond|encaja|no|not|pas|nicht|y|et|und|ni|noch|ou|oder|sein|wählen|sagen|richtig|statt|to [(\"'*]*(?:option\s+)?[B-Z]|the (?:best|correct|right|most|only)|\d+)\b"
    r"|\s+(?:car|parce|porque|weil|da)\b"
)
# "B. in a pot (B)", "B, in a pot", 'B: "in a pot"': one mention.
_SAME = re.compile(
    rf"(?P<first>{ONE_OPTION})(?:[\s:;.()\[\]\"'=/*_–—-]|\bi\.e\.|\bthat is\b|\bnamely\b|\b(?:the|a|an)\b){{1,6}}(?P<second>{ONE_OPTION})(?:\s?[)\]\"'])?"
)


def mark_mentions(text: str, letters: Sequence[str], texts: Sequence[str]) -> str:
    """Text in which each mention of an option is one token; letters of no option of the question too.

    Args:
        text: Reply without its wrapping.
        letters: Letters of the question.
        texts: Texts of the options; empty where they have none.
    """
    return _marked(text, tuple(letters), tuple(texts))


@lru_cache(64)
def _marked(text: str, letters: tuple[str, ...], texts: tuple[str, ...]) -> str:
    marked = mark_short_names(
        mark_texts(text, letters, texts) if texts else text, letters, texts, as_token
    )
    marked = re.sub(ONE_OPTION, lambda match: chr(ord(match[0]) + _BY_TEXT), marked)

    def token(match: re.Match[str]) -> str:
        letter = match["letter"]
        start, end = match.span("letter")
        named = bool(_NAMED.search(match[0][: start - match.start()]))
        closed = match.end() > end and match.start() < start
        if letter.islower() and not (named and letter.upper() in letters):
            bracketed = marked[start - 1 : start] == "(" and marked[end : end + 1] == ")"
            if not bracketed or letter.upper() not in letters:
                return match[0]
        elif (
            not (named or closed)
            and is_word(marked, start, end)
            and not (letter == "A" and _A_DOES.match(marked, end))
        ):
            return match[0]
        return as_token(letter.upper())

    marked = _LETTER.sub(token, marked)
    for _ in range(2):
        marked = _SAME.sub(_joined, marked)
    return marked


def _joined(match: re.Match[str]) -> str:
    first, second = match["first"], match["second"]
    return min(first, second) if option_of(first) == option_of(second) else match[0]


def option_of(token: str) -> str:
    """Letter of the option that a token stands for."""
    return as_letter(chr(0xE000 + (ord(token) - 0xE000) % _BY_TEXT))


def is_by_text(token: str) -> bool:
    """Whether a token stands for an option that is named without its letter."""
    return ord(token) - 0xE000 >= _BY_TEXT
