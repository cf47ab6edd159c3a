"""Replies that decline to choose, and those that choose the option which says that nothing can be told."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assets.extract.declarations import letters_in, ruled_out_in
from assets.extract.letter_readings import Reading
from assets.extract.option_mentions import ONE_OPTION, mark_mentions
from assets.extract.option_texts import normal
from assets.extract.refusals import is_refusal
from assets.extract.stances import letters_of, stances_in

_IN_PERSON = re.compile(
    r"\bsorry\b|\bapolog|\bI(?:'m)?\b|\bas an ai\b|\bprovided\b|\bplease\b|抱歉|对不起|我|申し訳|すみません|죄송|お答え|도와",
    re.IGNORECASE,
)
_OPEN_MATTER = re.compile(
    r"determin|tell|say\b|know|decid|establish|unclear|information|evidence|sure|none of|neither|no (?:way|match|such)"
    r"|确定|判断|確定|判斷|判断|不明|わから|分から|결정|판단|알 수|확인",
    re.IGNORECASE,
)
_APOLOGY = re.compile(r"\b(?:sorry|apolog|guideline|polic)|抱歉|对不起|申し訳|죄송", re.IGNORECASE)
_WHETHER = re.compile(r"\b(?:whether|if)\b[^.\n]{0,60}$", re.IGNORECASE)
# A short reply that says nothing but that it is not sure.
_UNSURE = re.compile(
    r"(?:(?:well|hmm+|honestly|sorry)[,.]? )?(?:i(?:'m| am) (?:really |honestly )?(?:not (?:entirely |really |quite |completely )?sure|unsure)|not sure|unknown|no idea|hard to (?:say|tell)"
    r"|(?:i(?:'m| am) )?not sure which (?:of (?:these|those|them|the)|one|option|action|video)\b[^,.;:\ue000-\ue019]{0,40}"
    r"|i need (?:more|additional|further) (?:context|information|frames|details?))\b[^A-Z]{0,40}",
    re.IGNORECASE,
)
_JOINED = re.compile(
    r"(?<![A-Za-z])([A-Z])[)\]\"']*\s*(?:,\s*(?:or\s+)?|/|\bor\b|\band\b|和|与|或|还是|か|と|や|(?:이나|과|와|또는))\s*[(\[\"']*([A-Z])"
    r"(?![A-Za-z])"
)


# What offers several options: "both A and C could", "torn between sugar and salt", "either red or blue".
_PUTS_FORWARD = re.compile(
    r"\b(?:both|either|torn|between|could|might|may|possible|plausible|possibles?|one of these|zwischen|entre)\b|可能|どちら|둘",
    re.IGNORECASE,
)


def option_that_declines(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """An option such as "Cannot be determined", said by a reply in its words."""
    if len(texts) < len(letters) or not is_refusal(text):
        return None
    declining = [x for x, t in zip(letters, texts, strict=False) if t and is_refusal(t)]
    if len(declining) != 1 or letters_in(text, letters) - {declining[0]}:
        return None
    others = [t for x, t in zip(letters, texts, strict=False) if x != declining[0]]
    said = normal(text)
    if any(normal(t) and re.search(rf"(?<!\w){re.escape(normal(t))}(?!\w)", said) for t in others):
        return None
    # "It cannot be determined" is the option; "I cannot" and an apology decline.
    spelled = normal(texts[list(letters).index(declining[0])])
    if len(spelled.split()) > 1 and spelled in said and not _APOLOGY.search(text):
        return Reading(declining[0], "parsed", "option_that_declines")
    declines = " ".join(one for one in re.split(r"(?<=[.!?])\s+|\n+", text) if is_refusal(one))
    if _IN_PERSON.search(declines or text) or not _OPEN_MATTER.search(text):
        return None
    return Reading(declining[0], "parsed", "option_that_declines")


def refusal(text: str, letters: Sequence[str], texts: Sequence[str] = ()) -> Reading | None:
    """That a reply declines; that it names two options and leaves them open counts as undecided."""
    if _UNSURE.fullmatch(text.strip()):
        return Reading(None, "refused", "unsure")
    if not is_refusal(text):
        return None
    joined = {
        letter
        for pair in _JOINED.finditer(text)
        if not _WHETHER.search(text[: pair.start()])
        for letter in pair.groups()
    } & set(letters)
    named = letters_in(text, letters)
    undecided = (
        not _APOLOGY.search(text)
        and joined
        and 1 < len(named) < len(letters)
        and not ruled_out_in(text, letters)
    )
    undecided = undecided or _leaves_several(text, letters, texts)
    return Reading(None, "ambiguous" if undecided else "refused", "refusal")


def _leaves_several(text: str, letters: Sequence[str], texts: Sequence[str]) -> bool:
    """Whether a reply puts forward several options, not all of them, and only declines to decide between them."""
    if _APOLOGY.search(text):
        return False
    marked = mark_mentions(text, letters, texts)
    stances = stances_in(marked)
    named = {letter for one in stances for letter in one.options}
    if not 1 < len(named) < len(letters) or letters_of(stances, "ruled_out"):
        return False
    first = re.search(ONE_OPTION, marked)
    if first is None or _WHETHER.search(marked[: first.start()]):
        return False
    # "Mia or Bea. They wear the same jacket, and I can't tell which."
    opens = first.start() == 0 and len(stances[0].options) > 1
    joined = opens or any(len(one.options) > 1 and _PUTS_FORWARD.search(marked) for one in stances)
    return joined or len(letters_of(stances, "leaning", "chosen")) > 1
