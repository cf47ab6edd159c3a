"""Which option a reply chooses, by its letter, its text or its place in the list.

Read as a careful person reads: the last commitment wins, a correction takes back what stands before it,
only this question's letters count, a letter is a word and not a character of one. What stays open stays
open: two letters that nothing decides between are `ambiguous`; nothing is guessed and nothing in a reply
is executed.

Rules in order, after the wrapping is off (`wrapping.py`): the whole reply; answer tags; JSON and what
corrects it; what is said of each option; a correction; declarations ("the answer is D", "so D", "D is
right"); a label the reply starts or ends with; what its statements come to (`stances.py`, `commitments.py`); refusals; an option's
text or what describes it (`option_contents.py`); the only letter mentioned. A letter that the
statements about it ask, suppose or deny is not upheld, nor is one behind which the reply comes to another one: only a word of
correction or conclusion puts the second answer in the place of the first. A question the model invents after its answer is not read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from assets.predictions.extract.commitments import committed
from assets.predictions.extract.declarations import (
    as_letter,
    is_word,
    last_declaration,
    letters_in,
    mentions,
    ruled_out_after,
    ruled_out_in,
)
from assets.predictions.extract.doubts import (
    ASIDE,
    CHECKS,
    CONTRAST,
    CORRECTION,
    INVENTED,
    OFFER,
    OUTRIGHT,
    SECOND_LOOK,
    TAKEN_BACK,
    breaks_off,
    breaks_off_in_cjk,
    is_unfinished,
    stops_short,
)
from assets.predictions.extract.json_answers import Found, find_json
from assets.predictions.extract.option_contents import described
from assets.predictions.extract.option_mentions import ONE_OPTION, mark_mentions, option_of
from assets.predictions.extract.option_texts import (
    Named,
    chosen_by_place,
    mark_texts,
    named_alone,
    named_as_total,
    named_by_clock,
    named_by_direction,
    named_by_numbers,
    named_in_sentence,
    named_inflected,
    named_inside,
    normal,
)
from assets.predictions.extract.readings import Status
from assets.predictions.extract.refusals import is_refusal
from assets.predictions.extract.stances import Stance, is_narrated, letters_of, stances_in
from assets.predictions.extract.verdicts import Verdict, read_verdicts, single_highest
from assets.predictions.extract.wrapping import plain, spell_ranges, tagged, unwrap


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read.

    Attributes:
        letter: Letter, upper case; None unless `status` is `parsed`.
        status: What could be done.
        rule: Rule that decided.
    """

    letter: str | None
    status: Status
    rule: str


_LABEL = re.compile(
    r"^\s*(?:\d{1,2}[.)]\s+)?(?:(?:option|choice|answer|video|clip)\s+)?[(\[\"'<]*(?P<letter>[A-Za-z])"
    r"(?:(?:[)\]\">]|'(?!\w))+\s*[.:,-]?|\s*[.:](?!\w)|(?=\s*\n)|(?=\s*\()|(?=\s*$)|(?=\s+[-–—=]))",
    re.IGNORECASE,
)
_LABEL_START = re.compile(r"(?:option\s+)?[(\[]?([A-Z])[)\].:,]")
_INLINE_LABEL = re.compile(r"(?<![A-Za-z0-9])\(?([A-Z])(?:[).:]|\s*[-=]\s|\s\()")
# The first field of an object, complete: "{"prediction": "B", "reason": "the ha".
_OPEN_FIELD = re.compile(
    r"^(?:json\s*)?\{\s*\"(?P<key>[\w ]{1,40})\"\s*:\s*\"(?P<value>[^\"\\\n]{1,400})\"\s*,"
)
# A clause at the very start that says "the answer is" and has ended: what follows explains it.
_FIRST_CLAUSE = re.compile(
    r"^(?P<clause>(?:the |my )?(?:(?:final|best|correct|right|most appropriate) )?"
    r"(?:answer|option|choice|prediction)\b(?: is\b|:)[^.,;\n]{0,60}?)"
    r"(?:[.,;\n]|\s(?:because|since|as)\b)",
    re.IGNORECASE,
)
# "Q: which sport is it? A: surfing": what is asked, and a letter that only stands for "answer".
_QUESTION_AND_ANSWER = re.compile(r"^\s*Q\s*[:.][^\n]{0,1000}\n+\s*A\s*[:.]\s*")
# A box that holds more than a letter, or a figure.
_BOX_OF_WORDS = re.compile(r"\\boxed\s*\{\s*([^{}\n]{2,200}|\d)\s*\}")
# "ans: c because": a small letter that no article or pronoun is.
_ABBREVIATED = re.compile(r"^\W*ans(?:wer)?\s*[:=]\s*\(?([b-hj-z])\)?(?=\s+(?!(?:or|and|to)\b)\w)")
_TOKEN = re.compile("[\ue000-\ue019]")
_TOKEN_THEN = re.compile(r"[\uE000-\uE019](?=\s+(?:then|it is|after all)\b)")
_LAST_TEXT = re.compile(
    r"\b(?:is|was|be|are|'s)\s+(?:in fact |really |probably |clearly |indeed )?(?P<text>[\uE000-\uE019])\W*$"
)
_LATTER = re.compile(
    r"\b(?:the )?(?:latter|(?P<former>former))\b|[后後]者|(?P<before>前者)|후자|(?P<earlier>전자)"
)
# What stands before an answer that is given first and explained afterwards.
_HEADED = re.compile(
    r"\W*(?:[\w' ]{0,40}(?:answer|option|choice|prediction)[\w' ]{0,12}\W*)?$", re.IGNORECASE
)
_IN_PERSON = re.compile(
    r"\bsorry\b|\bapolog|\bI(?:'m)?\b|\bas an ai\b|\bprovided\b|\bplease\b|抱歉|对不起|我|申し訳|すみません|죄송|お答え|도와",
    re.IGNORECASE,
)
_OPEN_MATTER = re.compile(
    r"determin|tell|say\b|know|decid|establish|unclear|information|evidence|sure|none of|neither|no (?:way|match|such)"
    r"|确定|判断|確定|判斷|判断|不明|わから|分から|결정|판단|알 수|확인",
    re.IGNORECASE,
)
# A last sentence that says the answer outright.
_FINAL_WORDS = re.compile(
    r"(?:^|[.!?]\s|\n)\W*(?:so |therefore,? |thus,? )?(?:(?:the|my) )?(?:(?:final|correct|right|best) )?(?:answer|choice)\s*(?:is|:|=)\W*"
    r"(?:option )?\(?(?P<letter>[A-Z])\)?\W*$",
    re.IGNORECASE,
)
# Words of correction that are looked at, the last ones: more are no train of thought.
_MARKERS = 6
_BOLD = re.compile(r"\*\*([^*\n]{1,120})\*\*")
_UNDECIDED_RULES = {"several_labels", "several_mentions", "several_texts"}
_APOLOGY = re.compile(r"\b(?:sorry|apolog|guideline|polic)|抱歉|对不起|申し訳|죄송", re.IGNORECASE)
_WHETHER = re.compile(r"\b(?:whether|if)\b[^.\n]{0,60}$", re.IGNORECASE)
# "B's correct", not "B's shirt".
_IS = re.compile(
    r"(?<![A-Za-z0-9])([A-Z])'s(?= (?:the (?:one|answer|best|correct|right|only|most)|correct|right|my|clearly|definitely|likely|probably|most|it\b|best|not|wrong|out|closest|better|more)\b)"
)
_TOO = re.compile(
    r"\b(?:too|as well)(?=\s*(?:[.,;!]|$))|\balso (?:fits|correct|right|matches|likely)\b|\bso (?:is|does)\b|也|も|도",
    re.IGNORECASE,
)
# "A: the hand is on the left. B: it is on the right": what is said of each.
_LABELS_IN_LINE = re.compile(
    r"(?:(?:option|video|clip)\s+)?\(?([A-Z])\)?:\s[^\n]{3,200}?[.;,]\s+(?:(?:option|video|clip)\s+)?\(?(?!\1)[A-Z]\)?:\s",
    re.IGNORECASE,
)
# A short reply that says nothing but that it is not sure.
_UNSURE = re.compile(
    r"(?:(?:well|hmm+|honestly|sorry)[,.]? )?(?:i(?:'m| am) (?:really |honestly )?(?:not (?:entirely |really |quite |completely )?sure|unsure)|not sure|unknown|no idea|hard to (?:say|tell)"
    r"|(?:i(?:'m| am) )?not sure which (?:of (?:these|those|them|the)|one|option|action|video)\b[^,.;:\ue000-\ue019]{0,40}"
    r"|i need (?:more|additional|further) (?:context|information|frames|details?))\b[^A-Z]{0,40}",
    re.IGNORECASE,
)
_OR = re.compile(r"\b(?:or|alternatively)\b|或者|または|또는", re.IGNORECASE)
_JOINED = re.compile(
    r"(?<![A-Za-z])([A-Z])[)\]\"']*\s*(?:,\s*(?:or\s+)?|/|\bor\b|\band\b|和|与|或|还是|か|と|や|(?:이나|과|와|또는))\s*[(\[\"']*([A-Z])"
    r"(?![A-Za-z])"
)
_PLACEHOLDERS = {"none", "n/a", "na", "nan", "null", "nil", "[error]", "{}", "[]"}
_JSON_KEYS = {
    "answer", "prediction", "choice", "option", "letter", "selection", "final_answer", "final", "ans",
    "predicted_answer", "correct_answer", "best_answer", "best_option", "selected_option", "result",
    "response", "correct_option", "pick", "verdict", "selected", "chosen", "output", "answer_letter",
    "option_letter", "choice_letter", "答案", "最终答案", "选择", "选项", "回答", "答え", "정답", "final_choice", "best", "revised",
}  # fmt: skip
# "corrected_answer" replaces "answer".
_NEW_KEY = re.compile(r"^(?:corrected|revised|updated|final|new)_")
_REASON_FIRST = re.compile(
    r"(?:json\s*)?\{\s*\"(?:reason\w*|explanation|analysis|thoughts?|thinking|rationale|evidence)\"\s*:\s*\"[^\"]*$",
    re.IGNORECASE,
)
_REPLACES = re.compile(
    r"\b(?:correct\w*|final|revis\w*|updat\w*|chang\w*|should|now|better|fix\w*)\b|->|→|⇒",
    re.IGNORECASE,
)
_NAME_KEYS = {
    "letter",
    "option",
    "choice",
    "label",
    "id",
    "key",
    "name",
    "answer",
    "candidate",
    "clip",
}
_YES_NO = {
    "yes": True, "true": True, "correct": True, "match": True, "✓": True, "✔": True, "✅": True, "是": True,
    "no": False, "false": False, "incorrect": False, "wrong": False, "no match": False, "✗": False, "✘": False,
    "❌": False, "否": False,
}  # fmt: skip
_TEXT_KEYS = {"answer_text", "text", "option_text", "choice_text", "label", "content"}


def read_reply(
    reply: str | None,
    letters: Sequence[str],
    option_texts: Sequence[str] = (),
    truncated: bool = False,
) -> Reading:
    """Letter a reply chooses.

    Args:
        reply: Reply as it came.
        letters: Letters of this question, upper case, in shown order.
        option_texts: Texts of the options in the same order; empty where they have none.
        truncated: Whether the model was cut off (finish reason `length`). Then only what is said
            before any reasoning counts: a letter or label the reply starts with, a first clause
            that declares one, the answer field of JSON. What reasoning leans to before its end is
            not an answer.

    Raises:
        ValueError: Letters are not single capitals, or there are not as many texts.
    """
    known = tuple(letters)
    if not known or any(not re.fullmatch("[A-Z]", letter) for letter in known):
        raise ValueError(f"letters {letters} are not single capitals A-Z")
    if option_texts and len(option_texts) != len(known):
        raise ValueError(f"{len(option_texts)} option texts for {len(known)} letters")
    unwrapped = unwrap(reply or "")
    text = _IS.sub(r"\1 is", unwrapped.text) if "'s" in unwrapped.text else unwrapped.text
    text = spell_ranges(_QUESTION_AND_ANSWER.sub("", text), known)
    if unwrapped.thinking == "open":
        return Reading(None, "truncated", "open_reasoning")
    text = _ABBREVIATED.sub(lambda found: f"Answer: {found[1].upper()}.", text)
    bare = re.sub(r"^```\w*\s*|\s*```$", "", text).strip(" .\"'*`\n").lower()
    if bare in _PLACEHOLDERS or (text.startswith("```") and not bare):
        return Reading(None, "empty", "placeholder")
    fields = tagged(text)
    if len({one.strip().lower() for one in fields if one.strip()}) > 1 and not CORRECTION.search(
        text
    ):
        return Reading(None, "ambiguous", "several_tags")
    if fields and not any(c.isalnum() for c in fields[-1]):
        return Reading(None, "empty", "empty_tag")
    if not any(c.isalnum() for c in text):
        return Reading(None, "truncated" if truncated else "empty", "no_text")
    if truncated:
        return _cut_off(plain(text), known, option_texts)
    if fields and (inner := _read(fields[-1].strip(), known, option_texts)).status == "parsed":
        tail = plain(text[text.rindex(fields[-1]) + len(fields[-1]) :].partition(">")[2])
        later = _after_answer(inner.letter, tail, known, option_texts)
        return later or Reading(inner.letter, "parsed", f"tag_{inner.rule}")
    return _first_answer(text, known, option_texts) or _read(text, known, option_texts)


def _first_answer(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """The answer before a question that the model invents; None if it invents none."""
    for turn in INVENTED.finditer(text):
        head = text[: turn.start()].strip()
        if head:
            found = _committed(head, letters, texts) or _whole(plain(head), letters, texts)
            return found if found is not None and found.status == "parsed" else None
    return None


def _committed(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    body = plain(text)
    return _json(body, letters, texts) or _declared(body, letters) or _label(body, letters, texts)


def _read(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading:
    if texts and "\\boxed" in text:
        text = _letters_in_boxes(text, letters, texts)
    body = plain(text)
    found = (
        _whole(body, letters, texts)
        or _json(body, letters, texts)
        or _unless_declared(read_verdicts(text, letters), body, letters)
        or _unless_declared(_verdict_by_text(text, letters, texts), body, letters)
    )
    if found is None:
        rest = _without_list(body, letters, texts)
        if not any(c.isalnum() for c in rest):
            return Reading(None, "ambiguous", "options_repeated")
        found = _said(rest, letters, texts)
        if found is None or found.rule in _UNDECIDED_RULES:
            found = _emphasised(text, letters, texts) or found
    if found is not None:
        within = found.rule in _UNDECIDED_RULES and is_unfinished(body)
        cut = within and ("\n" in body or breaks_off(body))
        return Reading(None, "truncated", "cut_off") if cut else found
    stops = breaks_off(body) or breaks_off_in_cjk(body)
    cut = len(body) > 6 and stops and not letters_in(body, letters)
    return Reading(None, "truncated" if cut else "ambiguous", "no_declaration")


def _emphasised(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """The only option in bold, in the last sentence of a reply that names others plainly and denies or doubts nothing of it."""
    bold = _BOLD.findall(text)
    named = [_whole(one, letters, texts) for one in bold]
    if not bold or any(one is None or one.letter is None for one in named):
        return None
    found = {one.letter for one in named if one is not None}
    last = re.split(r"[.!?]\s|\n", text.strip())[-1]
    if len(found) != 1 or not re.search(r"\*\*\W*$", last) or breaks_off(plain(text)):
        return None
    letter = found.pop()
    own = [
        one
        for one in stances_in(mark_mentions(plain(text), letters, texts))
        if letter in one.options
    ]
    kept = bool(own) and all(one.kind in ("mentioned", "stated", "chosen", "alone") for one in own)
    doubted = re.search(r"\b(?:not|no|never|or|if|could|might|may|perhaps|maybe)\b|n't\b|\?", last)
    return Reading(letter, "parsed", "emphasised") if letter and kept and not doubted else None


def _letters_in_boxes(text: str, letters: Sequence[str], texts: Sequence[str]) -> str:
    r"""Text in which a box that holds an option's text holds its letter: `\boxed{3}` where A is "3"."""

    def spell(match: re.Match[str]) -> str:
        named = named_alone(match[1], letters, texts)
        return f"\\boxed{{{named.letter}}}" if named is not None and named.letter else match[0]

    return _BOX_OF_WORDS.sub(spell, text)


def _verdict(found: Verdict | Named | None) -> Reading | None:
    if found is None:
        return None
    return Reading(found.letter, "parsed" if found.letter else "ambiguous", found.rule)


def _unless_declared(found: Verdict | None, body: str, letters: Sequence[str]) -> Reading | None:
    """What is said of each option, unless the reply then declares another one its answer."""
    if found is None:
        return None
    below = body.rsplit("|", 1)[-1].strip() if found.letter is None and "|" in body else ""
    if below and (_declared(below, letters) or _bare_start(below, letters)):
        return None
    end = _FINAL_WORDS.search(body)
    if found.letter is None or end is None or end["letter"] not in set(letters) - {found.letter}:
        return _verdict(found)
    return None


def _bare_start(text: str, letters: Sequence[str]) -> bool:
    """Whether a text behind a table starts with a letter that stands alone or before its option's text: "→ D (Lentils)"."""
    found = re.match(r"\W*([A-Z])(?![\w'])\W*(?:\([^()]*\)\W*)?$", text)
    return found is not None and found[1] in letters


def _verdict_by_text(text: str, letters: Sequence[str], texts: Sequence[str]) -> Verdict | None:
    """What is said of each option, where options are named by their texts."""
    marked = mark_texts(text, letters, texts)
    if len(set(_TOKEN.findall(marked))) < 2:
        return None
    return read_verdicts(_TOKEN.sub(lambda found: f"{as_letter(found[0])}. ", marked), letters)


def _without_list(text: str, letters: Sequence[str], texts: Sequence[str]) -> str:
    """Text without the list of options, where it repeats nearly all of them."""
    spans = []
    folded = text.casefold()
    there = [
        (letter, words)
        for letter, option in zip(letters, texts, strict=False)
        if (words := re.findall(r"\w+", option)[:40])
        and all(word.casefold() in folded for word in words)
    ]
    # A pattern is made only where enough options can be there: that is what takes time.
    if len(there) < max(2, len(letters) - 1):
        return text
    for letter, option in there:
        words = r"\W+".join(map(re.escape, option))
        found = re.search(rf"\(?{letter}\)?\s*[.:)]?\s*{words}[.]?", text, re.IGNORECASE)
        if found is not None:
            spans.append(found.span())
    if len(spans) < max(2, len(letters) - 1):
        return text
    spans.sort()
    if any(start < end for (_, end), (start, _) in pairwise(spans)):
        return text
    # One that stands behind other words is the answer and not a part of the list.
    gaps = [text[end:start] for (_, end), (start, _) in pairwise(spans)]
    if any(len(gap) > 12 or re.search(r"[^\W\d_]{2}", gap) for gap in gaps):
        return text
    for start, end in reversed(spans):
        text = text[:start] + " " + text[end:]
    return text.strip()


def _said(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    text = ASIDE.sub(" ", text).strip() or text
    text = OFFER.sub("", text).strip() or text
    return _upheld(_found_in(text, letters, texts), text, letters, texts)


_MAY_FAIL = re.compile(
    r"\b(?:not|no|nor|or|and|both|if|whether|doubt|least|worst|less|let|look\w*|start\w*|consider|check\w*|about|include\w*|mean|suppos\w+|assum\w+|would|were|too|also|but|said|says?|thinks?|chose|suggests?|wrong|incorrect|need|tempt\w+|unlikely|rule[sd]?|ruling|exclud\w*"
    r"|o|y|ou|et|oder|und|ni|como|nicht|pas|falsch|fausse|incorrect\w*|si|wäre|descart\w+|exclus|scheidet)\b|n't\b|[?/&、,]|[^\x00-\x7f]",
    re.IGNORECASE,
)


def _upheld(
    found: Reading | None, text: str, letters: Sequence[str], texts: Sequence[str]
) -> Reading | None:
    """A letter, unless the statements that name its option ask, suppose or deny it, or name another one with it."""
    if found is None or found.letter is None:
        return found
    if found.rule != "is_right" and not _MAY_FAIL.search(text):
        return found
    if found.rule.startswith(
        ("corrected_", "latter", "first_ranked", "stance_left", "stance_elimination")
    ) or found.rule.endswith("_left"):
        return found
    marked = mark_mentions(text, letters, texts)
    stances = stances_in(marked)
    own = [one for one in stances if found.letter in one.options]
    if not own:
        return found
    denied = all(one.kind in ("ruled_out", "supposed", "asked") for one in own)
    together = all(len(one.options) > 1 and one.kind != "ruled_out" for one in own)
    # "It could be A. It could also be B."
    rivals = letters_of(stances, "leaning") - {found.letter} - letters_of(stances, "ruled_out")
    equal = bool(rivals) and all(one.kind in ("leaning", "mentioned") for one in own)
    # "A is correct, and B is correct too."
    unturned = found.rule == "is_right" and not CONTRAST.search(text)
    stated = found.rule != "label" and (unturned or _TOO.search(text))
    common = committed(marked, letters) if stated else None
    equal = equal or (common is not None and common.rule == "stance_several")
    if denied:
        # The caption says that it is C, which misleads: the bowl points to A.
        instead = committed(marked, letters)
        if (
            instead is not None
            and instead.letter not in (None, found.letter)
            and instead.rule in ("stance_chosen", "stance_stated")
        ):
            return Reading(instead.letter, "parsed", f"{instead.rule}_instead")
    if denied or together or equal or _overtaken(found.letter, stances):
        return Reading(None, "ambiguous", f"{found.rule}_not_upheld")
    return found


def _overtaken(letter: str, stances: Sequence[Stance]) -> bool:
    """Whether the last choice of the reply is another option, concluded or corrected to ("B. Moment, ... damit ist C richtig")."""
    last = next((one for one in reversed(stances) if one.kind == "chosen"), None)
    if last is None or letter in last.options or not (last.concludes or last.corrects):
        return False
    later = stances[stances.index(last) + 1 :]
    return not any(letter in one.options or set(one.options) & set(last.options) for one in later)


def _found_in(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    marked = mark_texts(text, letters, texts)
    return (
        _corrected(text, marked, letters, texts)
        or _withdrawn_at_a_cut(text)
        or (_withdrawn_at_a_cut(marked) if marked != text else None)
        or _unless_or(_agreeing(_declared(text, letters), marked), text, letters, texts)
        or _verdict(chosen_by_place(text, letters))
        or _latter(marked, letters)
        or _opening_label(text, letters, texts)
        or (_declared_text(marked, letters) if marked != text else None)
        or _by_stance(text, letters, texts)
        or _option_that_declines(text, letters, texts)
        or _refusal(text, letters)
        or _weak(text, marked, letters, texts)
    )


def _by_stance(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """What the statements of a reply come to, however they name the options; a reply that breaks off has not come to it."""
    if breaks_off(text) or (is_unfinished(text) and CONTRAST.search(text)):
        return None
    marked = mark_mentions(text, letters, texts)
    if re.search(r"[<>%]", marked):
        ranked = read_verdicts(
            re.sub(ONE_OPTION, lambda found: option_of(found[0]), marked), letters
        )
        if ranked is not None:
            return _verdict(ranked)
    found = committed(marked, letters)
    return (
        None
        if found is None or found.letter is None
        else Reading(found.letter, "parsed", found.rule)
    )


def _commitment(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """The option that a part of a reply chooses or names alone."""
    found = committed(mark_mentions(text, letters, texts), letters)
    chosen = (
        found is not None
        and found.letter is not None
        and found.rule in ("stance_chosen", "stance_stated", "stance_alone")
    )
    return Reading(found.letter, "parsed", found.rule) if chosen and found is not None else None


def _opening_label(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """A label, unless its own line says that it is not the answer ("A. on the table is close, but B. in a pot is better")."""
    found = _label(text, letters, texts)
    if found is None or found.letter is None or found.rule != "label":
        return found
    stances = stances_in(mark_mentions(text.strip().split("\n", 1)[0], letters, texts))
    if len(stances) < 2:
        return found
    if _LABELS_IN_LINE.match(text.strip()):
        return None
    # "A: The answer is in a pot": that A stands for "answer".
    chosen = [one for one in stances[1:] if one.kind == "chosen" and one.options != (found.letter,)]
    echoed = text.lstrip()[:2] in ("A:", "A.") and any(one.concludes for one in chosen)
    turned = stances[0].kind == "mentioned" and bool(chosen)
    return (
        None
        if echoed or turned or stances[0].kind in ("leaning", "withdrawn", "ruled_out", "asked")
        else found
    )


def _latter(marked: str, letters: Sequence[str]) -> Reading | None:
    """The latter of two, or the former ("Between A and B, I take the latter"), where exactly two options stand before."""
    match = _LATTER.search(marked)
    if match is None:
        return None
    head = marked[: match.start()]
    named = list(
        dict.fromkeys(
            [as_letter(token) for token in _TOKEN.findall(head)] or list(mentions(head, letters))
        )
    )
    if len(named) != 2 or ruled_out_after(marked, match.end()):
        return None
    return Reading(
        named[0 if match["former"] or match["before"] or match["earlier"] else 1],
        "parsed",
        "latter",
    )


def _withdrawn_at_a_cut(text: str) -> Reading | None:
    """A declaration within reasoning that turns against it and stops within a sentence."""
    if not is_unfinished(text) or (found := last_declaration(text)) is None:
        return None
    head, tail = text[: found.start], text[found.start :]
    first = not re.search(r"[.!?\n]\s", head.strip()) and not found.hedged and _HEADED.match(head)
    turned = CONTRAST.search(tail)
    first = first and not SECOND_LOOK.search(tail)
    if turned is None or first or not re.search(r"[.!?;\n]", tail):
        return None
    return Reading(None, "truncated", "withdrawn_at_a_cut")


def _weak(text: str, marked: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """What is only named or left over; a text that stops within a sentence had not come to its end."""
    ended = re.search(r"[.!?]\s+[A-Z\u3040-\u9fff\uac00-\ud7af]", text)
    doubted = stops_short(text) and CONTRAST.search(text)
    if doubted or (is_unfinished(text) and (breaks_off(text) or ended)):
        return Reading(None, "truncated", "cut_off")
    total = None if letters_in(text, letters) else named_as_total(text, letters, texts)
    return (
        _verdict(total)
        or _option_text(text, letters, texts)
        or _by_words(text, letters, texts)
        or _mention(text, marked, letters)
    )


# -- letters in text -------------------------------------------------------------------------------


def _corrected(
    text: str, marked: str, letters: Sequence[str], texts: Sequence[str]
) -> Reading | None:
    """What a reply says after it takes something back.

    What follows the last word of correction counts if it commits to an option. If it does not but names
    one other option alone after an outright retraction, that one counts; if it rules out what was said
    before, or names several, nothing does.
    """
    markers = list(CORRECTION.finditer(marked))[-_MARKERS:]
    if not markers:
        return None
    cut = stops_short(text)
    for marker in reversed(markers):
        head, tail = marked[: marker.start()], marked[marker.end() :].strip(" ,.:;!-–—\n")
        if not (letters_in(head, letters) or _TOKEN.search(head)):
            break
        if not tail:
            continue
        found = _bare_letter(tail, letters) or _declared(tail, letters)
        token = _TOKEN_THEN.search(tail) or _TOKEN.match(tail)
        if found is None and token is not None:
            found = Reading(as_letter(token[0]), "parsed", "text")
        if found is None and (start := _LABEL_START.match(tail)) and start[1].upper() in letters:
            found = _label(tail, letters, ())
        if found is None and not cut and not CHECKS.search(tail):
            found = _commitment(tail, letters, texts)
        if found is not None:
            return Reading(found.letter, found.status, f"corrected_{found.rule}")
        ruled_out = ruled_out_in(tail, letters)
        if TAKEN_BACK.match(marker[0].strip(" .!?;…-–—\n")) or ruled_out:
            named = set(mentions(tail, letters)) | {as_letter(t) for t in _TOKEN.findall(tail)}
            named -= ruled_out
            if len(named) == 1 and not cut and not CHECKS.search(tail):
                return Reading(named.pop(), "parsed", "corrected_only_mention")
            if named or ruled_out:
                whole = None if cut else _commitment(text, letters, texts)
                settled = (
                    whole is not None and whole.rule == "stance_chosen" and whole.letter in named
                )
                return (
                    whole
                    if settled
                    else Reading(None, "truncated" if cut else "ambiguous", "taken_back")
                )
    return _left_open(marked, markers, letters, cut=cut)


def _left_open(
    marked: str, markers: Sequence[re.Match[str]], letters: Sequence[str], *, cut: bool
) -> Reading | None:
    """Whether an outright retraction, or a doubt that names another option, is left standing.

    What stood before it is then no answer, and nothing behind it was read as one.
    """
    for marker in reversed(markers):
        head, tail = marked[: marker.start()], marked[marker.end() :]
        before = letters_in(head, letters) | {as_letter(t) for t in _TOKEN.findall(head)}
        if not before:
            break
        named = set(mentions(tail, letters)) | {as_letter(t) for t in _TOKEN.findall(tail)}
        last = last_declaration(head)
        kept = last.letter if last is not None else head.strip()[:1]
        outright = bool(OUTRIGHT.match(marked, marker.start()))
        opens = bool(re.search(r"(?:^|[.!?;:,…—–\n-])\s*$", head) or marker[0][0] in ".!?;…\n")
        doubted = opens and (cut or bool(named - before))
        if (outright and kept not in named) or doubted:
            return Reading(None, "truncated" if cut else "ambiguous", "taken_back")
    return None


def _bare_letter(text: str, letters: Sequence[str]) -> Reading | None:
    bare = text.strip(" \t\n.,:;!?()[]{}<>\"'+-=|")
    return Reading(bare, "parsed", "letter_alone") if len(bare) == 1 and bare in letters else None


def _declared(text: str, letters: Sequence[str]) -> Reading | None:
    """The last declaration."""
    found = last_declaration(text)
    if found is None:
        return None
    left = {found.letter, found.also} - ruled_out_in(text, letters) if found.also else set()
    if len(left) == 1:
        # "So A or B; it can't be A."
        return Reading(left.pop(), "parsed", f"{found.pattern}_left")
    if found.also is not None:
        # "Before I can pick A, B, C or D": nothing is chosen.
        refused = is_refusal(text) and len(letters_in(text, letters)) == len(letters)
        return Reading(None, "refused" if refused else "ambiguous", f"{found.pattern}_several")
    if found.letter not in letters:
        return Reading(None, "ambiguous", f"{found.pattern}_foreign_letter")
    return Reading(found.letter, "parsed", found.pattern)


def _declared_text(marked: str, letters: Sequence[str]) -> Reading | None:
    """The last declaration of an option by its text."""
    found = _declared(marked, letters)
    if found is not None and found.rule == "last_sentence" and _listed(marked):
        found = None
    declared = None if found is None else last_declaration(marked)
    if declared is not None and is_narrated(marked[: declared.start]):
        found = None
    if found is None:
        last = _LAST_TEXT.search(marked)
        if last is not None:
            found = Reading(as_letter(last["text"]), "parsed", "is_text")
    return None if found is None else Reading(found.letter, found.status, f"text_{found.rule}")


def _listed(marked: str) -> bool:
    """Whether other options are named in the same way, each in a clause of its own or one by one."""
    tokens = _TOKEN.findall(marked)
    alike = re.findall(r"(?:^|[:：.\n])\s*(?:[-•\d.)]+\s*)?([\uE000-\uE019])(?!\s*[?!])", marked)
    return len(set(alike)) > 1 or (len(set(tokens)) > 2 and marked.rstrip()[-1] not in ".!)\"'")


def _agreeing(found: Reading | None, marked: str) -> Reading | None:
    """A declared letter, unless the text of another option stands right behind it."""
    if found is None or found.letter is None:
        return found
    behind = re.search(
        rf"\b{found.letter}\s?[,:(]\s*(?:the\s+|i\.e\.,?\s+|that is,?\s+|namely\s+)?(?P<text>[\uE000-\uE019])(?=\W*(?:[.\n]|$))",
        marked,
    )
    if behind is not None and as_letter(behind["text"]) != found.letter:
        return Reading(None, "ambiguous", "letter_and_text_differ")
    return found


_OR_ELSE = re.compile(
    rf"(?:^|[.!?;,]\s*|\s)(?:or|alternatively|或者|または|또는)(?: maybe| perhaps| possibly| even| else| it (?:could|might|may) be| is it)*,?\s*(?P<other>{ONE_OPTION})\W*$",
    re.IGNORECASE,
)


def _unless_or(
    found: Reading | None, text: str, letters: Sequence[str], texts: Sequence[str]
) -> Reading | None:
    """A declared letter, unless the reply ends with another one that it might be ("It's A. Or maybe B.")."""
    if found is None or found.letter is None:
        return found
    other = (
        _OR_ELSE.search(mark_mentions(text[-80:], letters, texts))
        if _OR.search(text[-80:])
        else None
    )
    if other is not None and option_of(other["other"]) != found.letter:
        return Reading(None, "ambiguous", f"{found.rule}_or")
    return found


def _label(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """A label the reply starts with ("D. text"), or a last line that is only a letter."""
    lines = [line for line in text.split("\n") if line.strip()]
    labelled: list[tuple[str, str, int]] = []
    for line in lines:
        match = _LABEL.match(line)
        if match is None or match["letter"].upper() not in letters:
            continue
        if len(set(_INLINE_LABEL.findall(line[:400])) & set(letters)) > 2:
            return None
        if not is_word(line, *match.span("letter")):
            labelled.append((match["letter"].upper(), line, match.end()))
    if not labelled:
        return None
    if len({letter for letter, _, _ in labelled}) > 1:
        # Options repeated one per line decide nothing, unless only the last line is a bare letter.
        bare = [line for _, line, _ in labelled if _bare(line) in letters]
        if _bare(lines[0]) in letters and re.match(r"[^\n]+\n\n", text.lstrip()) and len(bare) == 1:
            # The answer, and below it what is said of the options.
            return Reading(_bare(lines[0]), "parsed", "first_line")
        if bare == [lines[-1]]:
            return Reading(_bare(lines[-1]), "parsed", "last_line")
        return Reading(None, "ambiguous", "several_labels")
    letter, line, end = labelled[0]
    if line not in (lines[0], lines[-1]) or ruled_out_after(line, end):
        return None
    if line != lines[0] and line[end:].strip() and mark_texts(lines[0], letters, texts) != lines[0]:
        return None
    rest = normal(line[end:])
    other = [x for x, t in zip(letters, texts, strict=False) if rest and normal(t) == rest]
    if other and letter not in other:
        return Reading(None, "ambiguous", "label_and_text_differ")
    # "B. C": a second letter right behind the label.
    if len(rest) == 1 and rest.upper() in letters and rest.upper() != letter:
        return Reading(None, "ambiguous", "several_labels")
    return Reading(letter, "parsed", "label")


def _bare(line: str) -> str:
    return line.strip(" .()[]\"'")


def _mention(text: str, marked: str, letters: Sequence[str]) -> Reading | None:
    """The only letter that is mentioned and not ruled out, where no other option's text stands."""
    found: set[str] = set()
    for letter in mentions(text, letters):
        found.add(letter)
        if len(found) > 1:
            return Reading(None, "ambiguous", "several_mentions")
    texts = {as_letter(token) for token in _TOKEN.findall(marked)}
    stances = stances_in(mark_mentions(text, letters, ()))
    if len(found) == 1 and not _is_single(found, stances):
        return Reading(None, "ambiguous", "several_mentions")
    if len(found) == 1 and texts <= found:
        return Reading(found.pop(), "parsed", "only_mention")
    return Reading(None, "ambiguous", "several_mentions") if found else None


def _is_single(found: set[str], stances: Sequence[Stance]) -> bool:
    """Whether a reply names this option as one that may be it, and no other one so."""
    out = letters_of(stances, "ruled_out")
    if {letter for one in stances for letter in one.options} == found:
        return any(one.kind not in ("ruled_out", "supposed") for one in stances) and not out
    standing = letters_of(stances, "chosen", "stated", "alone", "leaning")
    together = any(
        len(one.options) > 1 and found & set(one.options) and one.kind != "ruled_out"
        for one in stances
    )
    named = standing | letters_of(stances, "mentioned")
    return not together and found <= named - out and not standing - out - found


# -- texts and refusals ----------------------------------------------------------------------------


def _whole(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """The reply is a letter, an option's text, or "the first option", and nothing else."""
    bare = text.strip(" \t\n.,:;!?()[]{}<>\"'+-=|#")
    if len(bare) == 1 and bare.upper() in letters:
        return Reading(bare.upper(), "parsed", "letter_alone")
    same = set(re.split(r"[\s,./&|]+", bare)) if len(bare) < 400 and bare[:1] in letters else set()
    if same and same <= set(letters):
        if len(same) > 1:
            return Reading(None, "ambiguous", "several_letters")
        return Reading(same.pop(), "parsed", "letter_repeated")
    return _verdict(named_alone(text, letters, texts))


def _option_text(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """The full text of exactly one option, where no other letter is mentioned."""
    found = named_inside(text, letters, texts)
    if found is None or found.letter is None:
        return _verdict(found)
    if not set(mentions(text, letters)) <= {found.letter}:
        return Reading(None, "ambiguous", "text_and_letter_differ")
    return _verdict(found)


def _by_words(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """An option by other forms of its words, where no letter is named and nothing is taken back."""
    if not texts or letters_in(text, letters) or CORRECTION.search(text) or is_unfinished(text):
        return None
    return _verdict(
        named_inflected(text, letters, texts)
        or named_by_numbers(text, letters, texts)
        or named_by_clock(text, letters, texts)
        or named_by_direction(text, letters, texts)
        or named_in_sentence(text, letters, texts)
        or described(text, letters, texts)
    )


def _option_that_declines(
    text: str, letters: Sequence[str], texts: Sequence[str]
) -> Reading | None:
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
    if _IN_PERSON.search(text) or not _OPEN_MATTER.search(text):
        return None
    return Reading(declining[0], "parsed", "option_that_declines")


def _refusal(text: str, letters: Sequence[str]) -> Reading | None:
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
    return Reading(None, "ambiguous" if undecided else "refused", "refusal")


# -- JSON ------------------------------------------------------------------------------------------


def _json(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """The last JSON value that answers, unless what follows corrects it."""
    found = list(find_json(text))
    answered = [(one, read) for one in found if (read := _answer_in(one, letters, texts))]
    if not answered:
        # A lone object that breaks off before its answer was cut, whoever cut it.
        cut = text.startswith(("{", "json")) and text.count("{") > text.count("}")
        open_end = cut and (last_declaration(text) is None or _REASON_FIRST.match(text))
        return Reading(None, "truncated", "open_json") if open_end else None
    last, read = answered[-1]
    if len(answered) > 1 and read.letter and answered[-2][1].letter not in (None, read.letter):
        between = text[answered[-2][0].end : last.start]
        if not (CORRECTION.search(between) or _REPLACES.search(between)):
            return Reading(None, "ambiguous", "json_several")
    later = _after_answer(read.letter, text[last.end :].strip(" `\n"), letters, texts)
    read = later or read
    return Reading(read.letter, read.status, f"json_{read.rule}")


def _after_answer(
    letter: str | None, tail: str, letters: Sequence[str], texts: Sequence[str]
) -> Reading | None:
    """What prose behind an answer in a field or a tag makes of it; None where it lets it stand.

    Prose that corrects it counts; prose that chooses another option without a word of correction leaves two answers.
    """
    if not any(c.isalpha() for c in tail):
        return None
    text = f"({letters[0]}) {tail}"
    later = _corrected(text, mark_texts(text, letters, texts), letters, texts)
    if later is not None or letter is None:
        return later
    said = _declared(tail, letters) or _commitment(tail, letters, texts)
    if said is None or said.letter in (None, letter):
        return None
    return Reading(None, "ambiguous", "contradicted")


def _answer_in(found: Found, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    read = _value(found.value, letters, texts)
    # The text of an answer that breaks off is not one.
    if read is not None and not found.closed and read.status != "parsed":
        return Reading(None, "truncated", "open")
    return read


def _value(value: Any, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """Answer of an object or of a list of records; None if it has none."""
    if isinstance(value, list):
        return _records(value, letters, texts)
    fields = {str(key).strip().lower().replace(" ", "_"): field for key, field in value.items()}
    answers = [field for key, field in fields.items() if key in _JSON_KEYS]
    answers += [
        field for key, field in fields.items() if _NEW_KEY.sub("", key) in _JSON_KEYS - {key}
    ]
    if answers:
        read = _field(answers[-1], letters, texts)
        spelled = [field for key, field in fields.items() if key in _TEXT_KEYS]
        if read is not None and read.letter and spelled and isinstance(spelled[0], str):
            other = named_alone(spelled[0], letters, texts)
            if other is not None and other.letter not in (None, read.letter):
                return Reading(None, "ambiguous", "letter_and_text_differ")
        return read
    bare = {re.sub(r"^(?:option|choice|video|clip)_", "", key): f for key, f in fields.items()}
    named = {key.upper(): field for key, field in bare.items() if key.upper() in letters}
    if named and len(named) == len(fields):
        return _per_letter(named)
    nested = [
        one
        for one in fields.values()
        if isinstance(one, dict) or (isinstance(one, list) and one and isinstance(one[0], dict))
    ]
    reads = [read for one in nested if (read := _value(one, letters, texts)) is not None]
    return reads[-1] if reads else None


def _field(value: Any, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if value is None:
        return Reading(None, "refused", "null")
    if isinstance(value, list):
        return Reading(None, "ambiguous", "several") if value else Reading(None, "empty", "empty")
    if isinstance(value, dict) and len(value) == 1:
        return _field(next(iter(value.values())), letters, texts)
    if isinstance(value, dict):
        labels = [one for key, one in value.items() if str(key).strip().lower() in _NAME_KEYS]
        labelled = _field(labels[0], letters, texts) if len(labels) == 1 else None
        return (
            _value(value, letters, texts)
            or (labelled if labelled is not None and labelled.letter else None)
            or Reading(None, "ambiguous", "not_a_letter")
        )
    if isinstance(value, bool):
        return Reading(None, "ambiguous", "not_a_letter")
    inner = str(value).strip()
    if isinstance(value, str) and not inner:
        return Reading(None, "empty", "empty")
    inner = re.sub(r"^(?:option|choice|answer)[_-](?=\w$)", "", inner, flags=re.IGNORECASE)
    found = _whole(plain(inner), letters, texts)
    if found is None and isinstance(value, str):
        found = _said(plain(inner), letters, texts)
    return found or Reading(None, "ambiguous", "not_a_letter")


def _per_letter(named: dict[str, Any]) -> Reading | None:
    """A truth value or a number for each letter."""
    named = {letter: _YES_NO.get(str(v).strip().lower(), v) for letter, v in named.items()}
    if all(isinstance(value, bool) for value in named.values()):
        true = [letter for letter, value in named.items() if value]
        letter = true[0] if len(true) == 1 else None
        return Reading(letter, "parsed" if letter else "ambiguous", "truth_values")
    numbers = {
        letter: float(value)
        for letter, value in named.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    if len(numbers) == len(named) > 1:
        return _verdict(single_highest(numbers, "scores"))
    return Reading(next(iter(named)), "parsed", "letter_as_key") if len(named) == 1 else None


def _records(values: Sequence[Any], letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """A list of one record per option, or of one answer."""
    records = [value for value in values if isinstance(value, dict)]
    if len(records) == 1 and len(values) == 1:
        return _value(records[0], letters, texts)
    named: dict[str, Any] = {}
    for record in records:
        fields = {str(key).lower(): value for key, value in record.items()}
        letter = next((str(fields[k]).upper() for k in _NAME_KEYS if k in fields), None)
        said = {k: _YES_NO.get(str(v).strip().lower(), v) for k, v in fields.items()}
        marks = [
            v for k, v in said.items() if k not in _NAME_KEYS and isinstance(v, bool | int | float)
        ]
        if letter is not None and letter in letters and len(marks) == 1:
            named[letter] = marks[0]
    return _per_letter(named) if len(named) > 1 else None


# -- cut off ---------------------------------------------------------------------------------------


def _cut_off(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading:
    """What a reply that was cut off had settled before its end."""
    first, *more = text.split("\n", 1)
    found = _whole(first, letters, ()) if more or len(text) <= 3 else None
    found = found or _json(text, letters, texts) or _open_json(text, letters, texts)
    if found is None:
        head = _FIRST_CLAUSE.match(text)
        found = _label(first, letters, ()) if _LABEL.match(first) else None
        if found is None and head is not None:
            found = _declared(head["clause"], letters)
    settled = found is not None and found.status == "parsed"
    # An idea that is taken back before the end is not an answer, and what would replace it is not there.
    turns = list(CORRECTION.finditer(text))
    taken_back = bool(turns) and bool(letters_in(text[: turns[-1].start()], letters))
    return found if found and settled and not taken_back else Reading(None, "truncated", "cut_off")


def _open_json(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """The answer of an object that breaks off later, in the reason it gives."""
    found = _OPEN_FIELD.match(text)
    if found is None or found["key"].lower().replace(" ", "_") not in _JSON_KEYS:
        return None
    read = _whole(plain(found["value"]), letters, texts)
    return None if read is None else Reading(read.letter, read.status, f"json_open_{read.rule}")
