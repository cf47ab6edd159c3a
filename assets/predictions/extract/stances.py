"""Where each statement of a reply stands towards each option it names.

The reply comes with one token for each mention of an option (`option_mentions.py`). Within a sentence, mentions that are
joined ("A, B and D") share a stance; what stands right before and right behind them decides it, by the tables of
`stance_words.py`. In order: asked, excepted, ruled out, supposed, withdrawn, only possible, chosen, named alone, and merely mentioned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from assets.predictions.extract import stance_words as words
from assets.predictions.extract import stance_words_abroad as abroad
from assets.predictions.extract.doubts import CORRECTION
from assets.predictions.extract.option_mentions import ONE_OPTION, is_by_text, option_of
from assets.predictions.extract.refusals import is_refusal

Kind = Literal[
    "chosen",
    "stated",
    "leaning",
    "ruled_out",
    "supposed",
    "withdrawn",
    "asked",
    "alone",
    "mentioned",
]

_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+|\n+|;\s*|\s*(?:…|\.\.\.)\s*")
_AND = r"(?:[)\]\"'.]*\s*(?:,\s*)?(?:/|&|\b(?:and|or|nor|vs\.?|y|e|et|und|o|ou|u|oder|ni|noch)\b|和|与|及|或者?|还是|跟|と|や|か|または|및|와|과|나|이나|또는|하고)\s*[(\[\"']*)"
_COMMA = r"(?:[)\]\"'.]*\s*,\s*[(\[\"']*)"
# "A and B", "A, B and D", "A, B, C are wrong"; of "unlike A and C, B fits" the last one is apart.
_GROUP = re.compile(
    rf"{ONE_OPTION}(?:{_COMMA}{ONE_OPTION})*{_AND}{ONE_OPTION}(?:{_AND}{ONE_OPTION})*|{ONE_OPTION}(?:{_COMMA}{ONE_OPTION}){{2,}}"
    rf"|{ONE_OPTION}(?:{_COMMA}{ONE_OPTION})+(?=\s*(?:都|均|也|は|も|는|은|모두|皆|are|were|do\b|can all|all))|{ONE_OPTION}"
)
_OR = re.compile(r"\b(?:or|o|ou|oder)\b|/|或|还是|または|또는")
_NEITHER_NOR = re.compile(r"\b(?:nor|ni|noch)\b")
# Sentences and mentions beyond these are left out, the middle ones: time stays bounded.
_MOST_SENTENCES, _MOST_MENTIONS = 40, 60
_REACH = 140


@dataclass(frozen=True, slots=True)
class Stance:
    """What one statement says of the options it names together.

    Attributes:
        options: Letters, in order; several where they are joined.
        kind: Stance.
        concludes: Whether the statement draws a conclusion ("so", "the answer").
        corrects: Whether a word of correction stands between it and what was said of an option before.
        ends: Whether it stands in the last sentence of the reply.
        by_text: Whether its options are named without their letters.
    """

    options: tuple[str, ...]
    kind: Kind
    concludes: bool
    corrects: bool
    ends: bool
    by_text: bool


@lru_cache(64)
def stances_in(marked: str) -> tuple[Stance, ...]:
    """Stances of a reply, in order.

    Args:
        marked: Reply in which options are tokens.
    """
    found: list[Stance] = []
    sentences = [one for one in _SENTENCE_END.split(marked) if one and one.strip()]
    half = _MOST_SENTENCES // 2
    kept = sentences if len(sentences) <= _MOST_SENTENCES else sentences[:half] + sentences[-half:]
    since, opening = "", True
    for number, sentence in enumerate(kept):
        if re.search(ONE_OPTION, sentence):
            found.extend(_in_sentence(sentence, since, opens=opening, ends=number + 1 == len(kept)))
            since = re.split(ONE_OPTION, sentence)[-1]
        elif (
            found
            and (verdict := words.VERDICT.match(sentence))
            and found[-1].kind in ("asked", "mentioned", "supposed")
        ):
            # "Let me check C. No, it does not match."
            found[-1] = replace(
                found[-1],
                kind="chosen" if verdict["yes"] else "ruled_out",
                ends=number + 1 == len(kept),
            )
        else:
            since += ". " + sentence
        opening = False
    return tuple(
        found[: _MOST_MENTIONS // 2] + found[-_MOST_MENTIONS // 2 :]
        if len(found) > _MOST_MENTIONS
        else found
    )


def _in_sentence(sentence: str, since: str, *, opens: bool, ends: bool) -> Iterator[Stance]:
    groups = list(_GROUP.finditer(sentence))
    if len(groups) > _MOST_MENTIONS:
        groups = groups[-_MOST_MENTIONS:]
    refuses = is_refusal(sentence)
    before: Kind | None = None
    for at, group in enumerate(groups):
        lead = sentence[groups[at - 1].end() if at else 0 : group.start()][-_REACH:]
        tail = sentence[
            group.end() : groups[at + 1].start() if at + 1 < len(groups) else len(sentence)
        ]
        following = sentence[group.end() :][:_REACH]
        clause = _clause_before(sentence[: group.start()][-_REACH:])
        kind = _kind(
            lead,
            tail[:_REACH],
            following,
            clause,
            sentence[: group.start()],
            first=at == 0,
            opens=opens,
        )
        excepted = words.EXCEPT_BEFORE.search(lead) is not None
        if (
            refuses
            and not excepted
            and kind in ("chosen", "stated", "alone", "leaning", "mentioned")
            and not words.CONTRASTS.search(sentence[: group.start()])
        ):
            kind = "supposed"
        if (
            kind == "mentioned"
            and before == "ruled_out"
            and words.GAPPED_LEAD.search(lead)
            and words.GAPPED_TAIL.match(tail)
        ):
            # "A is ruled out by the floor, B by the window."
            kind = "ruled_out"
        before = kind
        options = tuple(
            dict.fromkeys(option_of(token) for token in re.findall(ONE_OPTION, group[0]))
        )
        concludes = bool(words.CONCLUDES.search(sentence[: group.start()]))
        # A word of correction opens its sentence: "; no, B" is ". no, B".
        corrects = bool(CORRECTION.search(f"{since}. {lead}" if at == 0 else lead))
        by_text = all(is_by_text(token) for token in re.findall(ONE_OPTION, group[0]))
        if kind == "mentioned" and by_text:
            kind = _of_text(clause, lead, tail, at)
        yield Stance(options, kind, concludes, corrects, ends, by_text)


def _of_text(clause: str, lead: str, tail: str, at: int) -> Kind:
    """Stance of a clause that just has an option's text: the background, what a turn leads to, or a mention."""
    if words.CONCEDES.match(clause):
        return "withdrawn"
    turned = at > 0 and re.search(r"\b(?:but|however)\b", lead) is not None
    return (
        "stated"
        if turned and words.CLOSES.match(tail) and not words.DENIES.search(lead)
        else "mentioned"
    )


def _clause_before(lead: str) -> str:
    """The clause that a mention stands in, up to the mention."""
    end = 0
    for match in words.CLAUSE_END.finditer(lead):
        if words.CONCEDES.match(lead[match.start() :]) or words.SUPPOSES.match(
            lead[match.start() :]
        ):
            end = match.start()
        else:
            end = match.end()
    return lead[end:].lstrip(" ,:")


def _kind(
    lead: str,
    tail: str,
    following: str,
    clause: str,
    sentence_lead: str,
    *,
    first: bool,
    opens: bool,
) -> Kind:
    plain_tail = tail.strip(" .!,;:\"')*]")
    if words.ASKED_AFTER.match(tail) and (
        tail.lstrip("\"')")[:1] == "?" or words.ASKS_BEFORE.search(lead)
    ):
        return "asked"
    excepted = words.EXCEPT_BEFORE.search(lead)
    if excepted is not None:
        denied = bool(words.NONE.match(excepted["all"]))
        clause_of_all = lead[excepted.start() :] + tail
        # "All but B fit" leaves B out, and so does "none but B fails"; all else sets B apart.
        apart = (
            words.EXCLUDES.search(clause_of_all)
            if denied
            else words.FITS.search(clause_of_all) and not words.EXCLUDES.search(clause_of_all)
        )
        return "ruled_out" if apart else "chosen"
    if abroad.EXCEPT_BEFORE_HAN.search(lead) and abroad.EXCEPT_AFTER_HAN.match(tail):
        return "chosen"
    if (
        not first
        and words.CHANGES_FROM.search(sentence_lead)
        and re.fullmatch(r"\W*(?:to|into)\s+\W*", lead)
    ):
        return "chosen"
    if (
        not first
        and words.SECOND_OF_TWO.match(lead)
        and (" to" not in lead or words.PREFERS.search(sentence_lead))
    ):
        return "ruled_out"
    if words.LESS_THAN.search(lead):
        return "chosen"
    denied = words.RULED_OUT_BEFORE.search(lead) or abroad.RULED_OUT_BEFORE_ABROAD.search(lead)
    if denied and not (first and re.fullmatch(r"\W*(?:no|nein|non)\W*", lead, re.IGNORECASE)):
        return "ruled_out"
    if (
        not lead.isascii()
        and abroad.RULED_OUT_BEFORE_HAN.search(lead)
        and not re.match(r"\s*莫属", tail)
    ):
        return "ruled_out"
    if abroad.RULED_OUT_AFTER_ABROAD.match(tail) and tail.strip(" ,").lower() not in (
        "no",
        "nicht",
        "pas",
    ):
        return "ruled_out"
    han = not following.isascii() and not following.strip().isascii()
    if (
        han
        and (abroad.CHOSEN_AFTER_HAN.match(following) is None)
        and (abroad.RULED_OUT_AFTER_HAN.match(tail) or abroad.RULED_OUT_AFTER_KO.match(tail))
    ):
        return "ruled_out"
    if words.RULED_OUT_AFTER.match(tail):
        return "ruled_out"
    if (
        words.SUPPOSES.search(clause)
        or (
            words.WOULD.match(tail)
            and (words.IF_AFTER.match(tail) or words.SUPPOSES.match(sentence_lead))
        )
        or (words.SUPPOSES.match(sentence_lead) and words.WOULD_THEN.search(sentence_lead))
    ):
        return "supposed"
    if words.TEMPTS.search(clause):
        return "supposed"
    if words.WITHDRAWN.search(clause):
        return "withdrawn"
    concedes = bool(words.CONCEDES.match(clause))
    if (
        words.LEANING_AFTER.match(tail)
        or abroad.LEANING_AFTER_ABROAD.match(following)
        or words.LEANING_BEFORE.search(lead)
    ):
        return "withdrawn" if concedes else "leaning"
    if _is_chosen(lead, following) or (first and words.BECAUSE_AFTER.match(tail)):
        return "withdrawn" if concedes else "chosen"
    if (
        words.STATED_BEFORE.search(lead)
        and words.CLOSES.match(tail)
        and not words.SO_IS.search(lead)
    ):
        return "withdrawn" if concedes else "stated"
    if words.MAKES_BEFORE.search(lead) and words.MADE_AFTER.match(tail):
        return "chosen"
    if words.ITEM_BEFORE.search(lead):
        return "mentioned"
    if words.SHARE_AFTER.match(tail):
        return "leaning"
    if opens and first and not re.search(r"\w", lead) and words.EXPLAINED_AFTER.match(tail):
        return "stated"
    if not re.search(r"\w", plain_tail) and not re.search(r"\w", clause) and not concedes:
        return "alone"
    return "mentioned"


def _is_chosen(lead: str, following: str) -> bool:
    if words.CHOSEN_AFTER.match(following) or words.CHOSEN_BEFORE.search(lead):
        return True
    if abroad.CHOSEN_AFTER_ABROAD.match(following) or abroad.CHOSEN_BEFORE_ABROAD.search(lead):
        return True
    if not following.isascii() and (
        abroad.CHOSEN_AFTER_HAN.match(following) or abroad.CHOSEN_AFTER_KO.match(following)
    ):
        return True
    return not lead.isascii() and bool(
        abroad.CHOSEN_BEFORE_HAN.search(lead) or abroad.CHOSEN_BEFORE_KO.search(lead)
    )


def letters_of(stances: Sequence[Stance], *kinds: Kind) -> set[str]:
    """Letters towards which a reply takes one of these stances anywhere."""
    return {letter for one in stances if one.kind in kinds for letter in one.options}
