"""Whether an English text can be the translation of a Chinese narration.

Rules that need no model: they find texts that are not a translation at all, and those that lose or
invent what later stages read (which hand acts, numbers). The bounds of length are wide around what
the released pairs of EgoExoLearn show: 0.5 to 2.1 English words per Chinese character.
"""

from __future__ import annotations

import re

_CJK = re.compile(
    "[\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003ffff]"
)
_REFUSED = re.compile(
    r"\bas an ai\b|\bas a language model\b|\bi(?:'|\u2019)m sorry\b|\bi am sorry\b|\bi apologi[sz]e\b"
    r"|\b(?:i|we) (?:cannot|can(?:'|\u2019)t|can not|am unable to|am not able to|won(?:'|\u2019)t)"
    r" (?:\w+ )?(?:translate|help|assist|provide|comply|process|fulfil)"
    r"|\b(?:cannot|unable to) (?:translate|assist|comply)\b|\bno translation\b"
    r"|\bplease provide (?:the|a|more|me)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z0-9]+(?:['\u2019-][A-Za-z0-9]+)*")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_WORDS_OF_NUMBERS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
)  # fmt: skip
_ORDINALS = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth",
             "ninth", "tenth", "eleventh", "twelfth")  # fmt: skip
_MANY = re.compile(r"\b(?:half|once|twice|single|pair|an?)\b", re.IGNORECASE)
_FEWEST, _MOST = 0.35, 3.0
_SLACK_WORDS = 4

_LEFT_ZH = re.compile("\u5de6(?:\u53f3)?(?:\u624b|\u81c2|\u638c|\u8fb9\u7684\u624b)")
_RIGHT_ZH = re.compile("\u53f3(?:\u624b|\u81c2|\u638c|\u8fb9\u7684\u624b)")
_BOTH_ZH = re.compile(
    "[\u53cc\u4e24\u4fe9](?:\u53ea|\u4e2a)?\u624b|\u5de6\u53f3\u624b|\u5de6\u53f3\u4e24\u624b"
)
_BODY = (
    r"(?:[\s-]+(?:hand|palm|fist|arm|wrist|index|middle|ring|little|thumb|finger|forefinger|elbow))"
)
_LEFT = re.compile(
    rf"\bleft(?:{_BODY}|(?:\s+(?:and|or)\s+(?:the\s+)?right)?{_BODY}|\b)", re.IGNORECASE
)
_RIGHT = re.compile(r"\bright\b", re.IGNORECASE)
_LEFT_HAND = re.compile(rf"\bleft{_BODY}", re.IGNORECASE)
_RIGHT_HAND = re.compile(rf"\bright{_BODY}", re.IGNORECASE)
_BOTH = re.compile(
    r"\bboth\b|\btwo[\s-]+(?:\w+[\s-]+)?hand|\bhands\b|\b(?:each|either)\s+hand\b|\btogether\b"
    r"|\bone hand\b.*\bother\b|\bleft\b.*\bright\b|\bright\b.*\bleft\b",
    re.IGNORECASE | re.DOTALL,
)
_BOTH_HANDS = re.compile(r"\b(?:both|two)\s+(?:of\s+)?(?:\w+\s+)?hands\b", re.IGNORECASE)
_ANY_LEFT_RIGHT_ZH = re.compile("[\u5de6\u53f3\u53cc\u4e24\u4fe9]")

RULES = (
    "empty", "cut_short", "refused", "untranslated", "several_lines", "length", "numbers",
    "hand_lost", "hand_invented",
)  # fmt: skip
"""Rules in the order they are tried; a text is refused by the first that it breaks."""


def tidy(reply: str) -> str:
    """A model's reply as one text: without blanks around, a label in front, or quotes about it."""
    text = reply.strip()
    text = re.sub(r"^(?:english\s+)?translation\s*:\s*", "", text, count=1, flags=re.IGNORECASE)
    pairs = {'"': '"', "\u201c": "\u201d", "'": "'", "`": "`"}
    if len(text) > 1 and pairs.get(text[0]) == text[-1] and text[0] not in text[1:-1]:
        text = text[1:-1].strip()
    return text


def broken_rule(original: str, text: str | None, finish_reason: str | None = None) -> str | None:
    """The first of `RULES` that a translation breaks; None where it passes.

    Args:
        original: Narration as it was written; the rules on hands look for Chinese words.
        text: English text.
        finish_reason: Why the model stopped, where it says.
    """
    if text is None or not text.strip():
        return "empty"
    if finish_reason == "length":
        return "cut_short"
    if _REFUSED.search(text) and not _CJK.search(text):
        return "refused"
    if _CJK.search(text):
        return "untranslated"
    if "\n" in text.strip():
        return "several_lines"
    if not _WORD.search(text) or not _is_long_enough(original, text):
        return "length"
    if not _keeps_numbers(original, text):
        return "numbers"
    return _hands(original, text)


def _is_long_enough(original: str, text: str) -> bool:
    """Whether the length fits; other scripts than Chinese are not measured."""
    said = len(_CJK.findall(original))
    if not said:
        return True
    words = len(_WORD.findall(text))
    return _FEWEST * said - _SLACK_WORDS <= words <= _MOST * said + _SLACK_WORDS


def _keeps_numbers(original: str, text: str) -> bool:
    lower = text.lower()
    held = {_plain(number) for number in _NUMBER.findall(lower.replace(",", ""))}
    for number in _NUMBER.findall(original):
        if _plain(number) in held:
            continue
        value = int(number) if number.isdigit() else -1
        if value == 1 and _MANY.search(lower):
            continue
        named = value in range(len(_WORDS_OF_NUMBERS)) and re.search(
            rf"\b(?:{_WORDS_OF_NUMBERS[value]}|{_ORDINALS[value] or 'zero'})\b", lower
        )
        if not named:
            return False
    return True


def _plain(number: str) -> str:
    """A number without what does not change it."""
    whole, _, part = number.partition(".")
    part = part.rstrip("0")
    return f"{whole.lstrip('0') or '0'}{'.' if part else ''}{part}"


def _hands(original: str, text: str) -> str | None:
    both = _BOTH_ZH.search(original) is not None
    left = _LEFT_ZH.search(original) is not None
    right = _RIGHT_ZH.search(original) is not None
    if (
        (both and not _BOTH.search(text))
        or (left and not _LEFT.search(text) and not (both and _BOTH.search(text)))
        or (right and not _RIGHT.search(text) and not (both and _BOTH.search(text)))
    ):
        return "hand_lost"
    if not _CJK.search(original):
        return None
    # "The other hand" may be either; a named one is only known from a named one, or from both.
    if (
        (_LEFT_HAND.search(text) and "\u5de6" not in original and not both)
        or (_RIGHT_HAND.search(text) and "\u53f3" not in original and not both)
        or (_BOTH_HANDS.search(text) and not _ANY_LEFT_RIGHT_ZH.search(original))
    ):
        return "hand_invented"
    return None
