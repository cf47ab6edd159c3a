"""A reply in which every mention of an option is one character, however the option is named.

"B", "(B)", "option B", "B. in a pot", "in a pot (B)" and "in a pot" all become the same token
(`declarations.as_token`), so that what is said of an option is looked for once and not once for each form of naming it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from assets.extract.declarations import as_letter, as_token, is_word
from assets.extract.guarded import Guarded, for_folded
from assets.extract.option_texts import mark_texts
from assets.extract.short_names import ORDINALS, mark_short_names
from assets.words.case import fold

# An option named by its letter, and by its text alone.
ONE_OPTION = r"[\uE000-\uE039]"
_OPTION = re.compile(ONE_OPTION)
# How far the token of an option that is named without its letter lies behind the other one.
BY_TEXT = 0x20
_NOUNS = frozenset(
    "option options choice choices video videos clip clips candidate candidates letter letters view views statement statements"
    " exo exocentric alternative alternatives opción opciones vídeo vídeos respuesta vidéo vidéos réponse antwort opção opzione alternativa".split()
)
_NOUN = f"(?:{'|'.join(sorted(_NOUNS))})"
_CJK_NOUN = (
    "选项|視頻|视频|片段|选择|選項|动画|動画|候補|ビデオ|選択肢|映像|선택지|보기|영상|비디오|옵션"
)
_LETTER = re.compile(
    r"(?<![A-Za-z0-9\u00C0-\u024F\uE000-\uE039])[A-Za-z](?![A-Za-z0-9\u00C0-\u024F]|['’][A-Za-z]|-[A-Za-z])[)\]}>\"'*_]{0,4}"
)
# What stands before a letter and belongs to it: its noun, and brackets.
_BEFORE = for_folded(
    rf"(?:(?<![\w-])(?:the\s+|la\s+|l')?(?:(?:exo|ego)(?:centric)?[\s-]+|(?:first|third)[\s-]person\s+)?{_NOUN}\s+|(?:{_CJK_NOUN})\s*)"
    r"[(\[{<\"'*_]{0,4}$"
)
_WORD_BEFORE = re.compile(r"(\w+)\s*$")
_BRACKETS = "([{<\"'*_"
# Of a text with more letters the first and the last ones are looked at.
_MOST_LETTERS = 60
_LONGEST_BEFORE, _MOST_BRACKETS = 80, 4
_NAMED = Guarded(rf"{_NOUN}\s+\W*$|(?:{_CJK_NOUN})\s*\W*$", re.IGNORECASE)
# Verbs and adverbs behind which a capital A is an option and no article.
_A_DOES = re.compile(
    r"\s+(?:(?:best|correctly|accurately|clearly|also|still|only|most closely)\s+)?"
    r"(?:makes?|works?|wins?|holds?|stands?|checks?|sounds?|describes?|captures?|answers?|satisfies|meets|edges|beats|gets|must|can|cannot|can't"
    r"|will|won't|is|are|was|isn't|doesn't|fits?|matches|agrees|applies|best|then|it is|more than|high|low|first|second|nor|vs|versus|es|est|ist|passt|stimmt"
    r"|trifft|parece|semble|scheint|coincide|correspond|encaja|no|not|pas|nicht|y|et|und|ni|noch|ou|oder|sein|wählen|sagen|richtig|statt|to [(\"'*]*(?:option\s+)?[B-Z]|the (?:best|correct|right|most|only)|\d+)\b"
    r"|\s+(?:car|parce|porque|weil|da|değil|ise|bukan|nie|не|är|er|ei)\b"
)
# "A (no dog), C (wrong street) and D (night)": the reason in brackets, which says nothing of the list.
_ITEM_REASON = re.compile(
    rf"({ONE_OPTION})\s*\((?![^()]*{ONE_OPTION})[^()]{{2,60}}\)(?=\s*(?:,\s*(?:and|or|nor)?|and|or|nor|&)\s*{ONE_OPTION}\s*\()"
)
# "B. in a pot (B)", "B, in a pot", 'B: "in a pot"': one mention.
_SAME = re.compile(
    rf"(?P<first>{ONE_OPTION})(?:[\s:;.()\[\]\"'=/*_–—-]|\bi\.e\.|\bthat is\b|\bnamely\b|\b(?:the|a|an)\b){{1,6}}(?P<second>{ONE_OPTION})(?:\s?[)\]\"'])?"
)


# "The second clip (B)": a place in the list, and the letter that stands there.
_PLACE_AND_LETTER = Guarded(
    rf"\b(?:the\s+)?(?P<place>{'|'.join(ORDINALS)}|last)\s+(?:clip|video|view|image|picture|one|candidate|option|choice|person|step)?\s*\(?(?:labell?ed|marked|i\.e\.,?|that is,?)?\s*(?P<option>{ONE_OPTION})\)?",
    re.IGNORECASE,
)


def _of_one_place(match: re.Match[str], letters: Sequence[str]) -> str:
    word = fold(match["place"])
    place = len(letters) - 1 if word == "last" else ORDINALS.index(word)
    same = place < len(letters) and letters[place] == option_of(match["option"])
    return match["option"] if same else match[0]


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
    marked = _OPTION.sub(lambda match: chr(ord(match[0]) + BY_TEXT), marked)

    pieces: list[str] = []
    at = 0
    found = list(_LETTER.finditer(marked))
    if len(found) > 2 * _MOST_LETTERS:
        found = found[:_MOST_LETTERS] + found[-_MOST_LETTERS:]
    for match in found:
        first = _start(marked, at, match.start())
        if _is_option(marked, first, match.start(), match.end(), letters):
            pieces += [marked[at:first], as_token(match[0][0].upper())]
            at = match.end()
    marked = "".join([*pieces, marked[at:]])
    for _ in range(2):
        marked = _SAME.sub(_joined, marked)
    if texts:
        marked = _without_own_words(marked, letters, texts)
    marked = _PLACE_AND_LETTER.sub(lambda found: _of_one_place(found, letters), marked)
    return _ITEM_REASON.sub(r"\1", marked) if "(" in marked else marked


def _start(text: str, least: int, letter: int) -> int:
    """Where what belongs to the letter at `letter` starts: its noun and brackets, at `least` or behind it."""
    before = text[max(least, letter - _LONGEST_BEFORE) : letter]
    bare = before.rstrip(_BRACKETS)
    word = _WORD_BEFORE.search(bare[-24:])
    if word is not None and (not word[1].isascii() or fold(word[1]) in _NOUNS):
        found = _BEFORE.search(fold(before))
        if found is not None:
            return letter - len(before) + found.start()
    return letter - min(len(before) - len(bare), _MOST_BRACKETS)


def _is_option(text: str, first: int, start: int, last: int, letters: tuple[str, ...]) -> bool:
    """Whether the letter at `start` is an option; what belongs to it stands from `first` to `last`."""
    letter, end = text[start], start + 1
    named = _NAMED.found_in(text[first:start])
    if letter.islower() and not (named and letter.upper() in letters):
        bracketed = text[start - 1 : start] == "(" and text[end : end + 1] == ")"
        return bracketed and letter.upper() in letters
    closed = last > end and first < start
    if named or closed or not is_word(text, start, end):
        return True
    return letter == "A" and _A_DOES.match(text, end) is not None


# "blue (B)" where B is "the blue team".
_WORD_THEN_OPTION = re.compile(rf"(?<=[A-Za-z] ){ONE_OPTION}")
_WORDS = re.compile(r"(?:[A-Za-z'-]+ ){1,5}$")
_LITTLE = frozenset(
    "a an the in on at to of is it and or not no with from into onto before after by for up down".split()
)


def _without_own_words(text: str, letters: tuple[str, ...], texts: tuple[str, ...]) -> str:
    """Text in which a mention has no words of the option's own text right before it."""
    pieces: list[str] = []
    at = 0
    for match in _WORD_THEN_OPTION.finditer(text):
        letter = option_of(match[0])
        before = _WORDS.search(text[max(at, match.start() - _LONGEST_BEFORE) : match.start()])
        if letter not in letters or before is None:
            continue
        own = _words_of(texts[letters.index(letter)])
        words = before[0].split()
        kept = len(words)
        while kept and fold(words[kept - 1]) in own:
            kept -= 1
        if any(fold(one) not in _LITTLE for one in words[kept:]):
            taken = sum(len(one) + 1 for one in words[kept:])
            pieces.append(text[at : match.start() - taken])
            at = match.start()
    return "".join([*pieces, text[at:]])


@lru_cache(4096)
def _words_of(text: str) -> frozenset[str]:
    return frozenset(fold(one) for one in re.findall(r"[A-Za-z'-]+", text))


def _joined(match: re.Match[str]) -> str:
    first, second = match["first"], match["second"]
    return min(first, second) if option_of(first) == option_of(second) else match[0]


def option_of(token: str) -> str:
    """Letter of the option that a token stands for."""
    return as_letter(chr(0xE000 + (ord(token) - 0xE000) % BY_TEXT))


def is_by_text(token: str) -> bool:
    """Whether a token stands for an option that is named without its letter."""
    return ord(token) - 0xE000 >= BY_TEXT
