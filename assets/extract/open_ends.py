"""Replies that end without a choice: between two options, by a condition that nobody knows, or by saying so."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assets.extract.declarations import letters_in
from assets.extract.guarded import Guarded, GuardedTable
from assets.extract.labels import LABEL
from assets.extract.letter_readings import Reading, declared

# "I would have to leave it at C or D.", at the end.
_BETWEEN = Guarded(
    r"(?:\b(?:leave it (?:at|with|between)|toss-up between|torn between|undecided between|(?:it|this|answer) (?:stays|remains|is)(?: still)? between|it's (?:still )?between|i(?:'d| would) say (?:either )?)\s*(?:option )?)"
    r"\(?(?P<first>[A-Z])\)? (?:or|and) (?:option )?\(?(?P<second>[A-Z])\)?\W*$",
    re.IGNORECASE,
)
# "My final choices: A, C", at the end.
_LISTED = Guarded(
    r"\b(?:choices|answers|options|picks)(?: are)?\s*[:=]?\s*\(?[A-Z]\)?(?:\s*(?:,|\band\b|&|/)\s*(?:and\s+)?\(?[A-Z]\)?)+\W*$"
)
_EXCLUDING = re.compile(
    r"\b(?:rul\w+ out|exclud\w*|eliminat\w*|reject\w*|dismiss\w*|discard\w*|wrong|incorrect|other|remaining|not|of the|between|among|against)\b|n't\b",
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
    r"leav(?:e|ing) (?:this|it|that|the answer|the question) (?:open|undecided),? (?:whether|if|which|between)\b[^.!?\n]{0,60}(?=[.!]?\s*$)",
    r"leav(?:e|ing) (?:this|it|that|the answer|the question)(?: one)? (?:open|undecided)",
    r"leav(?:e|ing) (?:both|all|the two)(?: of (?:these|them))?(?: options)? (?:in play|open|standing|on the table)",
    r"(?:have|see) no (?:clear |strong |particular )?preference\b[^.!?\n]{0,40}(?=[.!]?\s*$)",
    r"no (?:final |clear )?(?:choice|answer|pick|decision) from (?:me|my side)(?=[.!]?\s*$)",
    r"(?:treat|count|mark|regard) (?:it|this|that) as (?:undecided|open|unresolved)\b[^.!?\n]{0,40}(?=[.!]?\s*$)",
    r"no longer stand by (?:it|that|my answer|\(?[A-Z]\)?)",
    r"no longer (?:sure|certain|convinced) (?:of|about) (?:either|any|it|this)",
    r"(?:cannot|can't|could not|couldn't|unable to|not able to) (?:\w+ ){0,2}(?:decide|choose|commit|pick|settle)\b[^.!?\n]{0,40}\b[A-Z]\b[^.!?\n]{1,12}\b[A-Z]\b",
    r"(?:cannot|can't|unable to|not able to) (?:decide|choose|separate|tell) between (?:the two|them)",
    r"(?:cannot|can't) (?:honestly )?(?:name|choose|pick|decide)(?: one| which\b[^.!?\n]{0,40})?(?=[.!]?\s*$)",
    r"(?:cannot|can't) (?:settle|resolve) (?:this|it|that)(?=[.!]?\s*$)",
    r"(?:either|any) of the (?:two|three|four) (?:could|may|might) \w+",
    r"(?:does not|doesn't|do not|don't|can't|cannot|could not|couldn't) (?:let (?:me|us) )?(?:go|get|say|be|narrow (?:it|this|that)|come)(?: any| much| the \w+)?(?: down)? (?:further|farther|closer|more (?:\w+ )?)\w* ?than [^.!?\n]{1,30}(?=[.!\"']*\s*$)",
    r"(?:cannot|can't|could not|couldn't|not possible to) narrow (?:it|this|that|them) down\b[^.!?\n]{0,40}(?=[.!]?\s*$)",
    r"(?:might|could|may) (?:just as well )?be (?:either|any) (?:of (?:the (?:two|three|four)|them|these|those)|one)\b[^.!?\n]{0,60}(?=[.!]?\s*$)",
    r"nothing (?:that |in it |here |in the \w+ )?(?:decides|settles|separates|distinguishes|tells)\b[^.!?\n]{0,30}(?=[.!]?\s*$)",
    r"(?:could|might|may) (?:well |just as well )?be \(?[A-Z]\)?[^.!?\n]{0,30}\b(?:could|might|may)\b[^.!?\n]{0,20}\bbe \(?[A-Z]",
    r"[A-Z] and [A-Z] (?:both )?(?:stay|remain|are)(?: still)? (?:on the table|in play|in the running)(?=[.!]?\s*$)",
)
# What leaves it open unless it is said of all options, which is a refusal.
_NO_WAY = (
    r"(?:no|not any|without any) way (?:to|of) (?:tell\w*|choos\w+|decid\w+|separat\w+|distinguish\w*|know\w*)\b[^.!?\n]{0,60}(?=[.!]?\s*$)",
)
# What leaves it open only where no answer is declared.
_EVEN = (
    r"question is (?:ill-posed|badly posed|ambiguous|not well posed)(?=[.!]?\s*$)",
    r"leav(?:e|ing) it at that",
    r"(?:do not|don't) (?:think|believe) (?:that )?i can (?:name|choose|pick|decide)(?: one)?(?=[.!]?\s*$)",
    r"(?:either|any) of the (?:two|three|four) can \w+",
    r"[A-Z] and [A-Z] (?:both )?(?:stay|remain|are)(?: still)? possible(?=[.!]?\s*$)",
    r"same (?:probability|likelihood|chance)",
    r"equally (?:likely|plausible|possible|probable)",
)
_QUESTION = (
    r"(?:question|prompt) (?:does not|doesn't|did not|didn't) (?:say|specify|tell)\b[^.!?\n]{0,60}"
)
# The same in other languages, where it may also be a refusal.
_UNDECIDED_ABROAD = (
    r"\b(?:(?:non so|non riesco a) decider\w*|no (?:puedo|logro|sé) decidir\w*|(?:je )?ne (?:peux|sais|parviens)(?: à)? pas (?:trancher|décider|choisir)|(?:kann|möchte|will) mich (?:\w+ ){0,3}nicht (?:entscheiden|festlegen)|lasse (?:es|das|die frage) offen|não (?:consigo|sei) decidir|не могу (?:решить|выбрать)|nie potrafię (?:zdecydować|wybrać))\b|"
    r"[A-Z](?:和|与|、|,)[A-Z](?:都|均|皆)有?可能|收回(?:这个|我的|刚才的|上述|之前的)*(?:答案|回答|选择|判断)|没有定论|无法定夺|难以(?:抉择|取舍)|无法(?:取舍|抉择|二选一|(?:进一步|再)?(?:区分|分辨))|也可能是[A-Z][,.][^.。]{0,12}(?:无法|不能|难以)|(?:两种|两个|都)[^.。!?\n]{0,12}(?:说得通|有道理|讲得通)"
    r"|撤回(?:し|致)|取り消し(?:ます|た)|決め(?:かね|られま|られな|きれ)|どちらとも(?:言え|決め|取れ|考え)|決める(?:こと|の)(?:が|は)(?:でき|難し)|保留(?:し|と)|判断を保留|결정(?:할|을 내릴) 수 없|고르지 못|고를 수 없|정하지 못|정할 수 없|판단을 보류|철회(?:합|하)|취소(?:합|하)"
)
# Patterns by what must hold beside.
_LEAVES_OPEN = GuardedTable(
    (kind, Guarded(rf"\b(?:{one})\b" if kind != "abroad" else one, re.IGNORECASE))
    for kind, many in (
        ("undecided", _UNDECIDED),
        ("no_way", _NO_WAY),
        ("question", (_QUESTION,)),
        ("even", _EVEN),
        ("abroad", (_UNDECIDED_ABROAD,)),
    )
    for one in many
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
    if _LISTED.search(text) is not None and _EXCLUDING.search(text) is None:
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
    end = text[-_ENDING:]
    found = [
        (match, kind)
        for kind, guarded in _LEAVES_OPEN.that_may_match(end)
        for match in guarded.matches_unguarded(end)
    ]
    if not found:
        return False
    # Of those that start at one place the longest.
    last, kind = max(found, key=lambda one: one[0].span())
    if letters_in(end[last.end() :], letters):
        return False
    if any(last[0].casefold() in one.casefold() for one in texts):
        return False  # an option that says so
    named = letters_in(text, letters)
    if (kind == "abroad" and not named) or (kind == "no_way" and len(named) == len(letters)):
        return False  # a refusal
    if kind == "question" and LABEL.match(text):
        return False  # "B. The question does not say which hand is meant."
    return kind != "even" or declared(text, letters) is None
