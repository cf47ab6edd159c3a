"""What letter a reply declares.

Read as a careful person reads: the last declaration wins, only this question's letters count, a
letter is a word and not a character of one. What stays open stays open: two letters that nothing
decides between are `ambiguous`; nothing is guessed and nothing in a reply is executed.

Rules in order: the whole reply; JSON; declarations ("the answer is D", "so D", "D is right"); a
label the reply starts or ends with; refusals; the option's full text; the only letter mentioned.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from assets.predictions.extract.declarations import (
    is_word,
    last_declaration,
    mentions,
    ruled_out_after,
    ruled_out_before,
)

Status = Literal["parsed", "ambiguous", "refused", "truncated", "empty", "error"]


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


# A runaway reply is read at its ends: answers stand first or last, and time stays bounded.
_HEAD_CHARS, _TAIL_CHARS = 2_000, 18_000
_LABEL = re.compile(
    r"^\s*(?:(?:option|choice|answer)\s+)?[(\[\"'<]*(?P<letter>[A-Za-z])"
    r"(?:[)\]\"'>]+\s*[.:,-]?|\s*[.:](?!\w)|(?=\s*\n)|(?=\s*\()|(?=\s*$))",
    re.IGNORECASE,
)
_CANNOT = r"\b(?:cannot|can\s?not|can't|could not|couldn't)"
_REFUSAL = re.compile(
    rf"(?:{_CANNOT}|\bunable to|\bnot able to|\bimpossible to|\bnot possible to)\s+(?:\w+\s+)?"
    r"(?:determin|tell|answer|identif|decid|say|see|help|assist|process|choos|provid|view)"
    rf"|{_CANNOT} be (?:determin|told|answer|identif|decid|seen|inferred|known)"
    r"|\bi(?:'m| am) sorry\b|^sorry\b|\bdo(?:n't| not) know\b"
    r"|\b(?:not enough|insufficient) (?:information|evidence|context)"
    r"|\bnone of (?:the|these)\b|\bno (?:correct |right )?(?:answer|option)\b|^failed to obtain\b"
    r"|\b(?:answer|option|choice)\s*(?:is|:)\s*(?:none|unknown|unclear|undetermined)\b",
    re.IGNORECASE,
)
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
_PLACEHOLDERS = {"none", "n/a", "na", "nan", "null", "nil", "[error]"}
_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_JSON_KEYS = {
    "answer", "prediction", "choice", "option", "letter", "selection", "final_answer",
    "predicted_answer", "correct_answer", "best_answer", "best_option", "selected_option",
}  # fmt: skip


def read_reply(
    reply: str | None,
    letters: Sequence[str],
    option_texts: Sequence[str] = (),
    truncated: bool = False,
) -> Reading:
    """Letter a reply declares.

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
    text = _clean(reply or "")
    if "</think>" in text:
        text = text.rsplit("</think>", 1)[1].strip()
    elif "<think>" in text:
        return Reading(None, "truncated", "open_reasoning")
    if not any(c.isalnum() for c in text):
        return Reading(None, "truncated" if truncated else "empty", "no_text")
    if text.strip(" .\"'").lower() in _PLACEHOLDERS:
        return Reading(None, "empty", "placeholder")
    if truncated:
        return _cut_off(text, known, option_texts)
    return (
        _whole(text, known, option_texts)
        or _json(text, known, option_texts)
        or _said(text, known, option_texts)
        or Reading(None, "ambiguous", "no_declaration")
    )


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
    return found if found and settled else Reading(None, "truncated", "cut_off")


def _open_json(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """The answer of an object that breaks off later, in the reason it gives."""
    found = _OPEN_FIELD.match(text)
    if found is None or found["key"].lower().replace(" ", "_") not in _JSON_KEYS:
        return None
    read = _whole(_clean(found["value"]), letters, texts)
    return None if read is None else Reading(read.letter, read.status, f"json_open_{read.rule}")


def _said(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    return (
        _declared(text, letters)
        or _label(text, letters, texts)
        or _refusal(text)
        or _option_text(text, letters, texts)
        or _mention(text, letters)
    )


def _clean(reply: str) -> str:
    if len(reply) > _HEAD_CHARS + _TAIL_CHARS:
        reply = reply[:_HEAD_CHARS] + "\n" + reply[-_TAIL_CHARS:]
    # NFKC turns full-width letters, brackets and colons into the plain ones.
    text = unicodedata.normalize("NFKC", reply).replace("【", "[").replace("】", "]")
    text = text.replace("。", ".").replace("’", "'")
    # Emphasis marks say nothing about the letter they wrap.
    text = re.sub(r"[*`]+|__|^#+[ \t]*", "", text, flags=re.MULTILINE)
    text = re.sub(r"[^\S\n]+", " ", text)
    return re.sub(r"\n\s*\n", "\n\n", text).strip()


def _squash(text: str) -> str:
    return " ".join(_clean(text).lower().split()).strip(" .\"'")


def _whole(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """The reply is a letter, an option's text, or "the first option", and nothing else."""
    bare = text.strip(" \t\n.,:;!?()[]{}<>\"'+-=")
    if len(bare) == 1 and bare.upper() in letters:
        return Reading(bare.upper(), "parsed", "letter_alone")
    squashed = _squash(text)
    same = [letter for letter, t in zip(letters, texts, strict=False) if _squash(t) == squashed]
    if len(same) == 1:
        return Reading(same[0], "parsed", "text_alone")
    if len(same) > 1:
        return Reading(None, "ambiguous", "text_of_several_options")
    ordinal = re.fullmatch(r"(?:the )?(\w+) (?:option|choice|answer|one)", squashed)
    if ordinal and ordinal[1] in _ORDINALS[: len(letters)]:
        return Reading(letters[_ORDINALS.index(ordinal[1])], "parsed", "ordinal")
    return None


def _objects(text: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder()
    at = text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError):
            at = text.find("{", at + 1)
            continue
        if isinstance(value, dict):
            yield value
        at = text.find("{", end)


def _json(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """The last JSON object that answers."""
    declared = [
        value
        for item in _objects(text)
        for key, value in item.items()
        if key.strip().lower().replace(" ", "_") in _JSON_KEYS
    ]
    if not declared:
        # A lone object that breaks off before its answer was cut, whoever cut it.
        cut = text.startswith(("{", "json")) and text.count("{") > text.count("}")
        if cut and (early := _open_json(text, letters, texts)) is not None:
            return early
        open_end = cut and last_declaration(text) is None
        return Reading(None, "truncated", "open_json") if open_end else None
    value = declared[-1]
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if value is None:
        return Reading(None, "refused", "json_null")
    if isinstance(value, list):
        return Reading(None, "ambiguous", "json_several")
    if not isinstance(value, str):
        return Reading(None, "ambiguous", "json_not_a_letter")
    inner = _clean(value)
    found = _whole(inner, letters, texts) or _said(inner, letters, texts)
    if found is None:
        return Reading(None, "ambiguous", "json_not_a_letter")
    return Reading(found.letter, found.status, f"json_{found.rule}")


def _declared(text: str, letters: Sequence[str]) -> Reading | None:
    """The last declaration."""
    found = last_declaration(text)
    if found is None:
        return None
    if found.also is not None:
        return Reading(None, "ambiguous", f"{found.pattern}_several")
    if found.letter not in letters:
        return Reading(None, "ambiguous", f"{found.pattern}_foreign_letter")
    return Reading(found.letter, "parsed", found.pattern)


def _label(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """A label the reply starts with ("D. text"), or a last line that is only a letter."""
    lines = [line for line in text.split("\n") if line.strip()]
    labelled: list[tuple[str, str, int]] = []
    for line in lines:
        match = _LABEL.match(line)
        if match is None or match["letter"].upper() not in letters:
            continue
        if not is_word(line, *match.span("letter")):
            labelled.append((match["letter"].upper(), line, match.end()))
    if not labelled:
        return None
    if len({letter for letter, _, _ in labelled}) > 1:
        # Options repeated one per line decide nothing, unless only the last line is a bare letter.
        bare = [line for _, line, _ in labelled if _bare(line) in letters]
        if bare == [lines[-1]]:
            return Reading(_bare(lines[-1]), "parsed", "last_line")
        return Reading(None, "ambiguous", "several_labels")
    letter, line, end = labelled[0]
    if line not in (lines[0], lines[-1]) or ruled_out_after(line, end):
        return None
    rest = _squash(line[end:])
    other = [x for x, t in zip(letters, texts, strict=False) if rest and _squash(t) == rest]
    if other and letter not in other:
        return Reading(None, "ambiguous", "label_and_text_differ")
    # "B. C": a second letter right behind the label.
    if len(rest) == 1 and rest.upper() in letters and rest.upper() != letter:
        return Reading(None, "ambiguous", "several_labels")
    return Reading(letter, "parsed", "label")


def _bare(line: str) -> str:
    return line.strip(" .()[]\"'")


def _refusal(text: str) -> Reading | None:
    return Reading(None, "refused", "refusal") if _REFUSAL.search(text) else None


def _option_text(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """The full text of exactly one option, at the end of a sentence of the reply."""
    body = _squash(text)
    found: dict[str, str] = {}
    for letter, option in zip(letters, texts, strict=False):
        wanted = _squash(option)
        # It must close its sentence: "grabs it with the right hand and stirs" names no option.
        # "front-left" is not the option "left".
        ends = rf"(?<![\w-]){re.escape(wanted)}(?=[\"')\]]*\s*(?:[.,;:!?]|$))"
        hit = re.search(ends, body) if wanted else None
        if hit and not ruled_out_before(body, hit.start()):
            found[letter] = wanted
    # "on the board" inside "on the board by the sink" is no second answer.
    longest = [x for x, t in found.items() if not any(t != u and t in u for u in found.values())]
    if len(longest) == 1 and set(mentions(text, letters)) <= set(longest):
        return Reading(longest[0], "parsed", "text_inside")
    return Reading(None, "ambiguous", "several_texts") if longest else None


def _mention(text: str, letters: Sequence[str]) -> Reading | None:
    """The only letter that is mentioned and not ruled out."""
    found = set(mentions(text, letters))
    if len(found) == 1:
        return Reading(found.pop(), "parsed", "only_mention")
    return Reading(None, "ambiguous", "several_mentions") if found else None
