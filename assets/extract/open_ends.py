"""Replies that end without a choice: between two options, by a condition that nobody knows, or by saying so."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assets.extract.declarations import letters_in
from assets.extract.guarded import Guarded
from assets.extract.labels import LABEL
from assets.extract.letter_readings import Reading, declared

# "I would have to leave it at C or D.", at the end.
_BETWEEN = Guarded(
    r"(?:\b(?:leave it (?:at|with|between)|toss-up between|torn between|undecided between|i(?:'d| would) say (?:either )?)\s*(?:option )?)"
    r"\(?(?P<first>[A-Z])\)? (?:or|and) (?:option )?\(?(?P<second>[A-Z])\)?\W*$",
    re.IGNORECASE,
)
# "If the map has north at the top, it's B; if not, it's D", at the end.
_BY_CASE = Guarded(
    r"\bif\b[^.;!?\n]{3,160}[,:]\s*(?:then )?[^.;,!?\n]{0,40}?\b(?:option |answer )?\(?(?P<first>[A-Z])\)?\s*[.;,]\s*(?:and |but |or )?(?:if\b|otherwise\b|else\b|in the other case\b)"
    r"[^.;!?\n]{0,160}?[,:\s]\s*(?:then )?[^.;,!?\n]{0,40}?\b\(?(?!\1)(?P<second>[A-Z])\)?(?:\W*$|[.;])"
    r"|\b(?P<one>[A-Z])\)? if\b[^.;!?\n]{3,100}\b(?:and|or|but) (?:option )?\(?(?P<other>[A-Z])\)? (?:if|otherwise)\b[^.!?\n]{0,100}[.!]?\s*$",
    re.IGNORECASE,
)
# "I no longer stand by C, and would rather leave this open."
_UNDECIDED = (
    r"leav(?:e|ing) (?:this|it|that|the answer|the question)(?: one)? (?:open|undecided)",
    r"leav(?:e|ing) it at that",
    r"no longer stand by (?:it|that|my answer|\(?[A-Z]\)?)",
    r"no longer (?:sure|certain|convinced) (?:of|about) (?:either|any|it|this)",
    r"(?:cannot|can't|could not|couldn't|unable to|not able to) (?:\w+ ){0,2}(?:decide|choose|commit|pick|settle)\b[^.!?\n]{0,40}\b[A-Z]\b[^.!?\n]{1,12}\b[A-Z]\b",
    r"(?:cannot|can't) (?:decide|choose|separate|tell) between (?:the two|them)",
    r"(?:cannot|can't) (?:honestly )?(?:name|choose|pick|decide)(?: one| which\b[^.!?\n]{0,40})?(?=[.!]?\s*$)",
    r"(?:cannot|can't) (?:settle|resolve) (?:this|it|that)(?=[.!]?\s*$)",
    r"(?:either|any) of the (?:two|three|four) (?:could|may|might) \w+",
    r"(?:could|might|may) (?:well |just as well )?be \(?[A-Z]\)?[^.!?\n]{0,30}\b(?:could|might|may)\b[^.!?\n]{0,20}\bbe \(?[A-Z]",
    r"[A-Z] and [A-Z] (?:both )?(?:stay|remain|are)(?: still)? (?:on the table|in play|in the running)(?=[.!]?\s*$)",
)
# What leaves it open only where no answer is declared.
_EVEN = (
    r"(?:do not|don't) (?:think|believe) (?:that )?i can (?:name|choose|pick|decide)(?: one)?(?=[.!]?\s*$)",
    r"(?:either|any) of the (?:two|three|four) can \w+",
    r"[A-Z] and [A-Z] (?:both )?(?:stay|remain|are)(?: still)? possible(?=[.!]?\s*$)",
    r"same (?:probability|likelihood|chance)",
    r"equally (?:likely|plausible|possible|probable)",
)
_QUESTION = (
    r"(?:question|prompt) (?:does not|doesn't|did not|didn't) (?:say|specify|tell)\b[^.!?\n]{0,60}"
)
_LEAVES_OPEN = Guarded(
    rf"\b(?:{'|'.join(_UNDECIDED)}|(?P<question>{_QUESTION})|(?P<even>{'|'.join(_EVEN)}))\b",
    re.IGNORECASE,
)
_ENDING = 220


def open_end(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """An ambiguous reading of a reply that ends without a choice; None where it may have made one.

    Args:
        text: A reply without its wrapping.
        letters: Letters of the options.
        texts: Texts of the options; empty where they have none.
    """
    between = _BETWEEN.search(text)
    if between is not None and {between["first"], between["second"]} <= set(letters):
        return Reading(None, "ambiguous", "left_open")
    if _decides_by_case(text, letters):
        return Reading(None, "ambiguous", "by_case")
    return Reading(None, "ambiguous", "left_open") if _leaves_open(text, letters, texts) else None


def _decides_by_case(text: str, letters: Sequence[str]) -> bool:
    """Whether a condition decides between two options, and no option is named behind it."""
    cases = _BY_CASE.search(text)
    if cases is None or letters_in(text[cases.end() :], letters):
        return False
    return {letter for letter in cases.groups() if letter} <= set(letters)


def _leaves_open(text: str, letters: Sequence[str], texts: Sequence[str]) -> bool:
    """Whether a reply says at its end that it does not choose, and names no option behind that."""
    if not _LEAVES_OPEN.may_match(text):
        return False
    end = text[-_ENDING:]
    last = next(reversed(list(_LEAVES_OPEN.pattern.finditer(end))), None)
    if last is None or letters_in(end[last.end() :], letters):
        return False
    if any(last[0].casefold() in one.casefold() for one in texts):
        return False  # an option that says so
    if last["question"] and LABEL.match(text):
        return False  # "B. The question does not say which hand is meant."
    return not last["even"] or declared(text, letters) is None
