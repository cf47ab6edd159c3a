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

from assets.extract import stance_words as words
from assets.extract import stance_words_abroad as abroad
from assets.extract.declarations import leads_from_another
from assets.extract.doubts import CORRECTION
from assets.extract.guarded import Guarded, GuardedTable
from assets.extract.option_mentions import ONE_OPTION, is_by_text, option_of
from assets.extract.refusals import is_refusal
from assets.words.case import fold

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
_AND = rf"(?:[)\]\"'.]*\s*(?:,\s*)?(?:/|&|\band\b(?!\s+{ONE_OPTION}\s+(?:is|isn't|was|does|doesn't|shows|has|looks|seems|fits|matches)\b)|\b(?:or|nor|vs\.?|y|e|et|und|o|ou|u|oder|ni|noch|as well as|como|als auch)\b(?:\s+(?:la|el|le|die|der|das|the|option))?|và|hoặc|dan|atau|ve|veya|и|или|en|of|og|och|eller|i|lub|oraz|和|与|及|或者?|还是|跟|と|や|か|または|및|와|과|나|이나|또는|하고)\s*[(\[\"']*)"
_COMMA = r"(?:[)\]\"'.]*\s*,\s*[(\[\"']*)"
# "A and B", "A, B and D", "A, B, C are wrong"; of "unlike A and C, B fits" the last one is apart.
_GROUP = re.compile(
    rf"{ONE_OPTION}(?:{_COMMA}{ONE_OPTION})*{_AND}{ONE_OPTION}(?:{_AND}{ONE_OPTION})*|{ONE_OPTION}(?:{_COMMA}{ONE_OPTION}){{2,}}"
    rf"|{ONE_OPTION}(?:{_COMMA}{ONE_OPTION})+(?=\s*(?:都|均|也|は|も|는|은|모두|皆|are|were|do\b|can all|all))|{ONE_OPTION}"
)
# Sentences and mentions beyond these are left out, the middle ones: time stays bounded.
_MOST_SENTENCES, _MOST_MENTIONS = 36, 28
_REACH = 140
# Of a longer sentence what stands further ahead of a mention says nothing of it.
_LONG_SENTENCE = 600
_COMMITS: tuple[Kind, ...] = ("chosen", "stated", "alone", "leaning", "mentioned")
# Tables that a few words open: which of them a reply has is looked up once. The others have many and are in most replies.
_ALL_TABLES = [
    (name, table)
    for module in (words, abroad)
    for name, table in vars(module).items()
    if isinstance(table, Guarded)
]
_RARE_TABLES = GuardedTable(
    (name, table) for name, table in _ALL_TABLES if table.needs and len(table.needs.parts) < 6
)
_COMMON_TABLES = frozenset(
    table for _, table in _ALL_TABLES if not table.needs or len(table.needs.parts) >= 6
)
# A sentence with one of these is not looked up in the tables of other languages.
_OPTION = re.compile(ONE_OPTION)
_WORD = re.compile(r"\w")
_NO = re.compile(r"\W*(?:no|nein|non)\W*")
_ENGLISH = re.compile(r"\b(?:the|The|is|it|It|of|that|this|are|I|be|not|to|and)\b")


# "Is" and "it" are words of other languages too.
_FOREIGN = re.compile(
    r"\b(?:het|een|niet|mijn|antwoord|daarom|dus|der|die|das|ist|und|ich|les?|est|il|è|che|och|är|på|og|ikke|que|los?|las|el|não|na|jest|się)\b"
)


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
    declines = is_refusal(marked)
    present = _COMMON_TABLES.union(table for _, table in _RARE_TABLES.that_may_match(marked))
    may_correct = CORRECTION.may_match(marked)
    since, opening = "", True
    for number, sentence in enumerate(kept):
        if _OPTION.search(sentence):
            found.extend(
                _in_sentence(
                    sentence,
                    since,
                    found[-1].kind if found else None,
                    present,
                    may_correct=may_correct,
                    declines=declines,
                    opens=opening,
                    ends=number + 1 == len(kept),
                )
            )
            since = _OPTION.split(sentence)[-1]
        elif (
            found
            and (verdict := words.VERDICT.match(fold(sentence)))
            and found[-1].kind in ("asked", "mentioned", "supposed", "leaning")
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


def _in_sentence(
    sentence: str,
    since: str,
    previous: Kind | None,
    present: frozenset[Guarded],
    *,
    may_correct: bool,
    declines: bool,
    opens: bool,
    ends: bool,
) -> Iterator[Stance]:
    groups = list(_GROUP.finditer(sentence))
    folded = fold(sentence)
    if len(groups) > _MOST_MENTIONS:
        groups = groups[-_MOST_MENTIONS:]
    refuses = declines and is_refusal(sentence)
    foreign = _FOREIGN.search(sentence) is not None
    replaced = _replaced(sentence) if abroad.NOT_BUT_ABROAD in present else {}
    before: Kind | None = None
    for at, group in enumerate(groups):
        ahead = folded[max(0, group.start() - _LONG_SENTENCE) : group.start()]
        lead = folded[groups[at - 1].end() if at else 0 : group.start()][-_REACH:]
        behind = groups[at + 1].start() if at + 1 < len(groups) else len(sentence)
        tail = folded[group.end() : min(behind, group.end() + _REACH)]
        clause = _clause_before(ahead[-_REACH:])
        following = folded[group.end() : group.end() + _REACH]
        around = sentence[: group.start()] + sentence[group.end() : group.end() + _REACH]
        english = not foreign and _ENGLISH.search(around) is not None
        tokens = _OPTION.findall(group[0])
        by_text = all(map(is_by_text, tokens))
        one = _Mention(
            lead, tail, following, clause, ahead, at == 0, opens, by_text, not english, present
        )
        kind = replaced.get(group.start()) or _kind(one)
        if (
            kind == "withdrawn"
            and before in ("ruled_out", "leaning")
            and words.WHEREAS.match(clause)
        ):
            # "E does not match, whereas A does": A is set against E and not conceded.
            kind = _put_forward(one)
        if (
            refuses
            and kind in _COMMITS
            and not one.has(words.EXCEPT_BEFORE, lead)
            and not words.EXCEPT_FIRST_BEFORE.match(lead)
            and not one.has(words.CONTRASTS, ahead)
            and not words.STILL_CHOOSES.search(ahead)
        ):
            kind = "supposed"
        if (
            before == "ruled_out"
            and one.has(words.GAPPED_LEAD, lead)
            and words.GAPPED_TAIL.match(tail)
            and (kind == "mentioned" or words.GAPPED_REASON.match(tail))
        ):
            # "A is ruled out by the floor, B by the window."
            kind = "ruled_out"
        if (
            kind in ("chosen", "stated", "mentioned")
            and before in _COMMITS[:-1]
            and (
                one.has(words.SO_IS, lead)
                or one.has(words.ALSO_BEFORE, lead)
                or words.ALSO_AFTER.match(tail)
            )
        ):
            # "A fits, and so does B."
            kind = before
        if (
            kind == "asked"
            and ends
            and not words.QUESTION.match(folded)
            and not words.QUESTION_END.match(following)
        ):
            # "Not sure, maybe C?"
            kind = "leaning"
        if at == 0 and previous == "ruled_out" and words.ALSO_STARTS.match(folded):
            # "A is out. So is C."
            kind = "ruled_out"
        options = tuple(dict.fromkeys(map(option_of, tokens)))
        if kind in ("chosen", "stated") and len(options) > 1 and words.DOWN_TO_BEFORE.search(lead):
            kind = "mentioned"
        before = kind
        concludes = one.has(words.CONCLUDES, ahead)
        # A word of correction opens its sentence: "; no, B" is ". no, B".
        corrects = may_correct and CORRECTION.found_in(f"{since}. {lead}" if at == 0 else lead)
        if kind == "mentioned" and by_text and ends and words.MOST_OF_ALL_AFTER.match(tail):
            kind = "chosen"
        if kind == "mentioned" and by_text:
            kind = _of_text(clause, lead, tail, at, ends=ends)
        yield Stance(options, kind, concludes, corrects, ends, by_text)


def _replaced(sentence: str) -> dict[int, Kind]:
    """Places of what a sentence denies and of what it puts in its place: "non C ma D"."""
    kinds: dict[int, Kind] = {}
    for match in abroad.NOT_BUT_ABROAD.finditer(sentence):
        for name, option in match.groupdict().items():
            if option:
                kinds[match.start(name)] = "chosen" if name.endswith("yes") else "ruled_out"
    return kinds


def _of_text(clause: str, lead: str, tail: str, at: int, *, ends: bool) -> Kind:
    """Stance of a clause that just has an option's text: where all ends, the background, what a turn leads to, or a mention."""
    if (
        words.ENDS_BEFORE.search(lead)
        and words.CLOSES.match(tail)
        and not words.DENIES.search(lead)
    ):
        return "chosen" if ends else "mentioned"
    if words.GRANTS.match(clause) or (at == 0 and words.BACKGROUND.match(clause + tail)):
        return "withdrawn"
    if at > 0 and words.CONCEDES.match(clause) and words.RESTS_AFTER.match(tail):
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


# One is made for each mention; a frozen one would take three times as long.
@dataclass(slots=True)
class _Mention:
    """Where options stand in a sentence, which is folded.

    Attributes:
        lead: What stands before them, from the mention before.
        tail: What stands behind them, up to the next mention.
        following: What stands behind them, other mentions too.
        clause: Their clause up to them.
        sentence: Their sentence up to them.
        first: Whether nothing is mentioned before them in the sentence.
        opens: Whether the sentence opens the reply.
        by_text: Whether they are named without their letters.
        abroad: Whether the sentence may be of another language than English.
        present: Tables of which the reply may have something.
    """

    lead: str
    tail: str
    following: str
    clause: str
    sentence: str
    first: bool
    opens: bool
    by_text: bool
    abroad: bool
    present: frozenset[Guarded]

    def has(self, table: Guarded, part: str) -> bool:
        """Whether a part of the sentence has something of a table."""
        return table in self.present and table.found_in(part)


def _kind(one: _Mention) -> Kind:
    for rule in (_asked, _set_apart, _compared, _ruled_out, _supposed):
        kind = rule(one)
        if kind is not None:
            return kind
    kind = _put_forward(one)
    granted = words.CONCEDES.match(one.clause) is not None
    if granted and kind == "mentioned" and words.POSSIBLE.search(one.clause):
        # While it is possible that she looks for the phone: C is granted and not chosen.
        return "withdrawn"
    return "withdrawn" if granted and kind in ("leaning", "chosen", "stated", "alone") else kind


def _asked(one: _Mention) -> Kind | None:
    if words.QUESTION_END.match(one.following):
        return "asked"
    if (
        "?" in one.following
        and words.QUESTION.match(one.sentence)
        and one.following.rstrip("\"' )").endswith("?")
    ):
        return "asked"
    if not words.ASKED_AFTER.match(one.tail):
        return None
    ends = one.tail.lstrip("\"')")[:1] == "?"
    return "asked" if ends or words.ASKS_BEFORE.search(one.lead) else None


def _set_apart(one: _Mention) -> Kind | None:
    """Whether an exception leaves its option out ("all but B fit", "none but B fails") or sets it apart."""
    found = words.EXCEPT_BEFORE.search(one.lead) if words.EXCEPT_BEFORE in one.present else None
    if abroad.ONLY_BEFORE_HAN.search(one.lead):
        return "chosen"
    if found is None and one.first and words.EXCEPT_FIRST_BEFORE.match(one.lead):
        rest = words.EXCEPT_FIRST_AFTER.match(one.following)
        if rest is not None:
            excludes = words.EXCLUDES.search(rest["clause"]) is not None
            none = words.NONE.match(rest["all"]) is not None
            return "ruled_out" if none == excludes else "chosen"
    if found is None:
        apart = abroad.EXCEPT_BEFORE_HAN.search(one.lead) and abroad.EXCEPT_AFTER_HAN.match(
            one.tail
        )
        only = not one.following.isascii() and abroad.ONLY_AFTER_HAN.match(one.following)
        if not apart and one.abroad and abroad.EXCEPT_BEFORE_ABROAD.search(one.lead):
            apart = abroad.WRONG_ABROAD.match(one.following)
        return "chosen" if apart or only else None
    clause = one.lead[found.start() :] + one.tail
    if not words.NONE.match(found["all"]) and words.AGAINST_QUERY.match(one.tail):
        return "chosen"
    excludes = words.EXCLUDES.search(clause) is not None
    fits = words.FITS.search(clause) is not None
    if not excludes and not fits and not words.NONE.match(found["all"]):
        # "All but C show a window" says nothing of whether the answer does.
        return "mentioned"
    left_out = excludes if words.NONE.match(found["all"]) else not excludes
    return "ruled_out" if left_out else "chosen"


def _compared(one: _Mention) -> Kind | None:
    """The second of two that are weighed against each other."""
    if one.has(words.LESS_THAN, one.lead):
        return "chosen"
    if words.THAN_AFTER.match(one.tail) and words.MORE_BEFORE.search(one.lead):
        return "chosen"  # "more likely D than C"
    if one.first:
        return None
    if words.CHANGES_FROM.search(one.sentence) and re.fullmatch(r"\W*(?:to|into)\s+\W*", one.lead):
        return "chosen"
    if words.THAN_BEFORE_ABROAD.fullmatch(one.lead) and words.RATHER_ABROAD.search(one.sentence):
        return "ruled_out"  # "plutôt D que B"
    second = words.SECOND_OF_TWO.match(one.lead)
    return (
        "ruled_out"
        if second and (" to" not in one.lead or words.PREFERS.search(one.sentence))
        else None
    )


def _ruled_out(one: _Mention) -> Kind | None:
    if "against" in one.lead and words.NOTHING_AGAINST.search(one.sentence):
        return None
    answers_no = one.first and _NO.fullmatch(one.lead)
    if one.has(words.RULED_OUT_BEFORE, one.lead) and not answers_no:
        return "ruled_out"
    # "More than half, but not all": what is denied comes next.
    turns = one.tail.rstrip().endswith("but not")
    if not turns and words.RULED_OUT_AFTER.match(one.tail):
        han = not one.following.isascii() and abroad.CHOSEN_AFTER_HAN.match(one.following)
        return None if han else "ruled_out"
    if one.abroad:
        if one.has(abroad.RULED_OUT_BEFORE_ABROAD, one.lead) and not answers_no:
            return "ruled_out"
        alone = one.tail.strip(" ,").lower() in ("no", "nicht", "pas")
        if abroad.RULED_OUT_AFTER_ABROAD.match(one.tail) and not alone:
            return "ruled_out"
    if one.lead.isascii() and one.following.isascii():
        return None
    if abroad.RULED_OUT_BEFORE_HAN.search(one.lead) and not one.tail.lstrip().startswith("莫属"):
        together = abroad.TOGETHER_BEFORE_HAN.search(one.lead)
        if not together or not abroad.CHOSEN_AFTER_HAN.match(one.following):
            return "ruled_out"
    denied = abroad.RULED_OUT_AFTER_HAN.match(one.tail) or abroad.RULED_OUT_AFTER_KO.match(one.tail)
    return "ruled_out" if denied and not abroad.CHOSEN_AFTER_HAN.match(one.following) else None


def _supposed(one: _Mention) -> Kind | None:
    """What is only supposed, looked at, tempting, somebody else's, or a first idea."""
    turned = one.has(words.CONTRASTS, one.sentence) or one.has(words.CONCLUDES, one.sentence)
    if words.IF_BEHIND.match(one.tail) or (
        not one.sentence.isascii() and words.SUPPOSES_HAN.search(one.sentence) and not turned
    ):
        return "supposed"
    if one.has(words.LOOKED_AT, one.lead) or (
        not one.by_text and words.LOOKED_AT_HAN.match(one.tail)
    ):
        return "supposed"
    if one.has(words.QUOTES, one.clause) or one.has(words.NEEDS, one.sentence):
        return "supposed"
    if one.has(words.MIGHT_CHOOSE, one.lead) or one.has(words.LOOKS_THERE, one.lead):
        return "supposed"
    if one.has(words.WOULD_BE, one.lead) and words.IF_AFTER.match(one.tail):
        return "supposed"
    if one.has(words.WOULD_POINT, one.lead) and words.TURNS_AFTER.search(one.following):
        return "supposed"
    if words.SUPPOSES.search(one.clause) or one.has(words.TEMPTS, one.clause):
        return "supposed"
    conditional = words.SUPPOSES.match(one.sentence)
    if words.WOULD.match(one.tail) and (conditional or words.IF_AFTER.match(one.tail)):
        return "supposed"
    if conditional and words.WOULD_THEN.search(one.sentence):
        return "supposed"
    first = words.AT_FIRST_AFTER.match(one.tail) is not None
    return "withdrawn" if first or one.has(words.WITHDRAWN, one.clause) else None


def _put_forward(one: _Mention) -> Kind:
    if words.SINGLED_OUT_AFTER.match(one.following):
        return "leaning"
    if words.LEANING_AFTER.match(one.tail) or one.has(words.LEANING_BEFORE, one.lead):
        return "leaning"
    if abroad.LEANING_AFTER_ABROAD.match(one.following) or (
        one.abroad and one.has(abroad.LEANING_BEFORE_ABROAD, one.lead)
    ):
        return "leaning"
    if not one.first and words.MORE_AFTER.match(one.tail):
        # "A is possible, D more so."
        return "chosen"
    if "would" in one.lead and words.WOULD_SPEAK_BEFORE.search(one.lead):
        return "leaning"
    if _is_chosen(one) or (one.first and words.BECAUSE_AFTER.match(one.tail)):
        return "chosen"
    closes = words.CLOSES.match(one.tail) and not one.has(words.SO_IS, one.lead)
    if closes and one.has(words.PROPOSES, one.lead):
        return "stated"
    if closes and one.has(words.STATED_BEFORE, one.lead):
        return "stated"
    if one.has(words.MAKES_BEFORE, one.lead) and words.MADE_AFTER.match(one.tail):
        return "chosen"
    if one.has(words.ITEM_BEFORE, one.lead):
        return "mentioned"
    if words.SHARE_AFTER.match(one.tail):
        return "leaning"
    if (
        one.opens
        and one.first
        and not _WORD.search(one.lead)
        and words.EXPLAINED_AFTER.match(one.tail)
    ):
        return "stated"
    alone = not _WORD.search(one.tail) and not _WORD.search(one.clause)
    return "alone" if alone else "mentioned"


def _is_chosen(one: _Mention) -> bool:
    if not one.first and (arrow := words.ARROW_ALONE.fullmatch(one.lead)) is not None:
        start = len(one.sentence) - len(one.lead) + arrow.start(1)
        line = one.sentence + "_" + one.following
        return not leads_from_another(line, start, len(one.sentence) + 1)
    if words.CHOSEN_AFTER.match(one.following):
        return not (one.by_text and words.ACTS_AFTER.match(one.tail))
    if words.BUT_ONLY.search(one.lead) and words.DOES_AFTER.match(one.tail):
        # "C and D start alike, but only D ends with a jump."
        return True
    if one.has(words.CHOSEN_BEFORE, one.lead):
        return not (one.by_text and is_narrated(one.sentence))
    if one.abroad and (
        abroad.CHOSEN_AFTER_ABROAD.match(one.following)
        or one.has(abroad.CHOSEN_BEFORE_ABROAD, one.lead)
    ):
        return True
    if not one.following.isascii() and (
        abroad.CHOSEN_AFTER_HAN.match(one.following) or abroad.CHOSEN_AFTER_KO.match(one.following)
    ):
        return True
    return not one.lead.isascii() and bool(
        abroad.CHOSEN_BEFORE_HAN.search(one.lead) or abroad.CHOSEN_BEFORE_KO.search(one.lead)
    )


def is_narrated(ahead: str) -> bool:
    """Whether what stands before an option's text tells what somebody does with it ("leaving the kitchen"), and chooses nothing.

    Args:
        ahead: Reply up to the text.
    """
    ahead = fold(re.split(r"[.!?\n]\s", ahead[-2 * _REACH :])[-1])
    if words.ANSWERS.search(ahead) or words.I_CHOOSE.search(ahead):
        return False
    return bool(words.NARRATED_BEFORE.search(ahead) or words.TOLD_BEFORE.search(ahead))


def letters_of(stances: Sequence[Stance], *kinds: Kind) -> set[str]:
    """Letters towards which a reply takes one of these stances anywhere."""
    return {letter for one in stances if one.kind in kinds for letter in one.options}
