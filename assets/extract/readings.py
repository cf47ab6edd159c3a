"""What every reader gives back, and how every reader but that of letters begins.

A reply without its wrapping is `Prepared`: its text, the contents of its answer tag if it has one, and, where
there is nothing to read, the status that says why. Each reader finds `Candidate`s in it and `settle`s
on one, by the same rules for all kinds: what is named as an example, a draft or a first idea does not count; the
last one counts where a word of correction or conclusion leads to it; two that nothing decides between
are `ambiguous`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from assets.extract.doubts import INVENTED
from assets.extract.refusals import is_refusal
from assets.extract.wrapping import plain, tagged, unwrap

Status = Literal["parsed", "ambiguous", "refused", "truncated", "empty", "error"]
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Read(Generic[Value]):
    """What was read.

    Attributes:
        value: Answer in its canonical form; None unless `status` is `parsed`.
        status: What could be done.
        rule: Rule that decided.
    """

    value: Value | None
    status: Status
    rule: str


@dataclass(frozen=True, slots=True)
class Prepared:
    """A reply without its wrapping.

    Attributes:
        text: Plain text: the answer tag's contents, where there is one, else the whole.
        whole: The whole text, markdown and tags still in it.
        stop: Status and rule where there is nothing to read.
    """

    text: str
    whole: str
    stop: tuple[Status, str] | None


@dataclass(frozen=True, slots=True)
class Candidate(Generic[Value]):
    """A value that a text names, and where: [start, end)."""

    value: Value
    start: int
    end: int
    rule: str


_NOTHING = {"none", "n/a", "na", "nan", "null", "nil", "[error]", "{}", "[]", '""'}
_ENDED = re.compile(r"[.!?)\]}>\"'…*|`]\s*$")
_NO_END = re.compile(
    r"(?:[,:(\[{-]|\b(?:the|a|an|and|or|but|of|to|in|on|at|with|for|from|by|is|are|was|were|be|that|which|this|then|so"
    r"|because|since|if|as|not|its|their|his|her|between|while|when|than|first|still))$",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    r"\b(?:e\.g\.|for example|for instance|such as|like|format(?: is| like)?|of the form|form|template|draft|sample|not"
    r"|instead of|rather than|one might think of|thought of|considered|initially|at first|originally|previously|if(?! (?:i|you|we|forced|pressed)\b)"
    r"|first (?:idea|thought|guess|draft)|isn't|wrong)\b(?:(?!\bbut\b|\brather\b|\bso\b)[^.\n\[{]){0,30}$|(?:例如|比如|たとえば|例えば|예를 들어|不是)[^.\n]{0,10}$",
    re.IGNORECASE,
)
_LEADS = re.compile(
    r"\b(?:correct(?:ion|ed)?|sorry|wait|no|nope|actually|rather|instead|oops|scratch|mistake|revised?|updated?|final(?:ly)?"
    r"|so|therefore|thus|hence|answer|conclusion|but|however|second thoughts?|on reflection|now|settle|choose|pick"
    r"|should be|must be|would be|is therefore)\b|更正|不对|应该|所以|因此|最终|答案|訂正|いや|正しく|答え|따라서|정답|아니",
    re.IGNORECASE,
)
_TAKES_BACK = re.compile(
    r"\b(?:correction|sorry|wait|no|nope|actually|instead|oops|scratch that|my mistake|i was wrong)\b|更正|不对|訂正",
    re.IGNORECASE,
)
_UNDECIDED = re.compile(
    r"\b(?:(?:cannot|can't|unable to|hard to) (?:decide|choose|tell)|(?:just|equally|as|also) (?:as )?(?:good|likely|possible|plausible|probable)"
    r"|alternatively|or else|either way|both (?:are|work|fit|seem)|undecided|not sure which)\b|或者|または|どちらか|또는",
    re.IGNORECASE,
)
_WRONG_AFTER = re.compile(
    r"[^\w\n]{0,4}(?:is|was|are|looks?|seems?|would be)?\s*(?:clearly |definitely |also )?"
    r"(?:wrong|not\b|incorrect|impossible|different|out\b|excluded|ruled out|no\b|does(?:n't| not)|do(?:n't| not)|isn't|aren't)",
    re.IGNORECASE,
)


def prepare(reply: str | None, *, truncated: bool = False, folded: bool = True) -> Prepared:
    """Take the wrapping off a reply.

    Args:
        reply: Reply as it came.
        truncated: Whether the model was cut off (finish reason `length`).
        folded: Whether full-width and other compatibility forms become plain ones.
    """
    unwrapped = unwrap(reply or "", folded=folded)
    whole = unwrapped.text
    if unwrapped.thinking == "open":
        return Prepared("", whole, ("truncated", "open_reasoning"))
    invented = next((m for m in INVENTED.finditer(whole) if whole[: m.start()].strip()), None)
    if invented is not None:
        whole = whole[: invented.start()].rstrip()
    bare = re.sub(r"^```\w*\s*|\s*```$", "", whole).strip(" .\"'*\n").lower()
    if bare in _NOTHING:
        return Prepared("", whole, ("empty", "placeholder"))
    if not any(c.isalnum() for c in whole):
        return Prepared("", whole, ("truncated" if truncated else "empty", "no_text"))
    fields = tagged(whole)
    if fields and not any(c.isalnum() for c in fields[-1]):
        return Prepared("", whole, ("empty", "empty_tag"))
    return Prepared(plain(fields[-1] if fields else whole), whole, None)


def settle(text: str, found: Sequence[Candidate[Value]]) -> Read[Value] | None:
    """The value that a text commits to; None if it names none.

    Args:
        text: Text in which the candidates stand.
        found: Candidates in order, none inside another.
    """
    standing = [
        one for one in found if not _EXAMPLE.search(text[max(0, one.start - 60) : one.start])
    ]
    standing = [one for one in standing if not _WRONG_AFTER.match(text, one.end)]
    if not standing:
        return None
    last = standing[-1]
    others = [one for one in standing if one.value != last.value]
    if others:
        between = text[others[-1].end : last.start]
        tail = text[last.end :]
        words = re.sub(r"\W+", " ", between).strip().lower()
        lead = re.sub(r"\W+", " ", text[: others[-1].start]).strip().lower()
        again = bool(words) and lead.endswith(words)
        led = _LEADS.search(between) or _TAKES_BACK.search(text[others[0].end : last.start])
        if again:
            return Read(None, "ambiguous", f"{last.rule}_repeated")
        if not led or words == "or":
            return Read(None, "ambiguous", f"{last.rule}_several")
        if _UNDECIDED.search(between) or _UNDECIDED.search(tail):
            return Read(None, "ambiguous", f"{last.rule}_undecided")
    return Read(last.value, "parsed", last.rule)


def nothing_found(prepared: Prepared, rule: str, *, truncated: bool = False) -> Read[Any]:
    """Why a reply that names no value has none: it declines, was cut off, or commits to nothing."""
    text = prepared.text.strip()
    if is_refusal(text):
        return Read(None, "refused", "refusal")
    if truncated or is_cut(text):
        return Read(None, "truncated", "cut_off")
    return Read(None, "ambiguous", rule)


def is_cut(text: str) -> bool:
    """Whether a text stops within a sentence or a bracket."""
    text = text.rstrip(" \n`")
    if any(text.count(a) > text.count(b) for a, b in ("[]", "{}")):
        return True
    if _ENDED.search(text) or not text.isascii():
        return False
    return bool(_NO_END.search(text)) or (len(text) > 30 and bool(re.search(r"[.!?:,]\s", text)))
