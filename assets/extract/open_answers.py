"""An answer in words with its reason (EgoCross, open form: JSON with answer and reason).

The canonical form is `OpenAnswer(answer, reason)`, both as the reply words them, without blanks and quotation marks around
them; the reason is None where none is given.

Rules, after the wrapping is off:

- The last object with an answer, under any of its usual names, in an object of its own or a field of one; broken JSON
  is repaired. Two objects with different answers are ambiguous unless words of correction stand between them.
- Fields, labelled lines ("Answer: ... Reason: ..."), "X, because Y", or the answer alone.
- An answer that declines is a refusal, a template that is not filled in commits to nothing, and an answer that breaks off is
  truncated; a reason that breaks off keeps its answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from assets.extract.json_answers import find_json
from assets.extract.readings import (
    Candidate,
    Prepared,
    Read,
    is_cut,
    prepare,
    settle,
)
from assets.extract.refusals import is_refusal
from assets.extract.wrapping import plain


@dataclass(frozen=True, slots=True)
class OpenAnswer:
    """An answer in words, and the reason given for it (None if there is none)."""

    answer: str
    reason: str | None = None


_ANSWER = "answer|final_answer|final answer|prediction|response|result|output|short_answer|object|action|ans|答案|回答|最终答案|答え|정답|답변|답"
_REASON = "reason|reasoning|explanation|rationale|why|justification|because|evidence|analysis|detailed_answer|理由|原因|解释|解释说明|説明|根拠|이유|설명|근거"
_ANSWER_KEYS, _REASON_KEYS = set(_ANSWER.split("|")), set(_REASON.split("|"))
_TEXT_KEYS = ("text", "value", "content", "answer", "name", "label")
_LABELS = re.compile(
    rf"^\W{{0,6}}(?P<label>(?:the |my |short )?(?:{_ANSWER})|(?:the |my |short )?(?:{_REASON}))\W{{0,4}}?[:=：]\W{{0,3}}?(?P<text>[^\n]*(?:\n(?!\W{{0,6}}(?:{_ANSWER}|{_REASON})\W{{0,4}}?[:=：])[^\n]*){{0,40}})",
    re.IGNORECASE | re.MULTILINE,
)
_FIELDS = re.compile(rf"<(?P<label>{_ANSWER}|{_REASON})>(?P<text>[^<]{{0,4000}})</", re.IGNORECASE)
# "Answer: a whisk. Reason: the eggs.", on one line.
_INLINE_REASON = re.compile(
    rf"(?:(?<=[.;,!?。；，])|\s)\s*[(（]?(?:{_REASON})\s*[:=：]\s*", re.IGNORECASE
)
_LEAD = re.compile(
    r"^(?:(?:sure|okay|ok|certainly|of course)[,!.]\s+)?(?:(?:the|my)\s+)?(?:(?:final|short|correct|best)\s+)*answer\s*(?:is\b|:|=)\s*(?:that\s+)?|^(?:答案|回答|答え|정답)\s*(?:是|为|は|은|는|:)?\s*",
    re.IGNORECASE,
)
_BECAUSE = re.compile(
    r",?\s+(?:because|since|as)\s+|[,;]\s+(?:because|since)\s+|[,，。.]?\s*(?:因为|なぜなら|왜냐하면)[,，\s]*",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(
    r"^[<\[{(]\s*(?:your|the|insert|short|brief|answer|reason|\.\.\.)[^<>\[\]{}]{0,80}[>\]})]$|^(?:your answer(?: here)?|\.{3}|…|xxx+|string|<answer>|<reason>)$",
    re.IGNORECASE,
)
_NO_ANSWER = {"", "none", "n/a", "null", "nan", "-"}


def read_open(reply: str | None, truncated: bool = False) -> Read[OpenAnswer]:
    """Answer and reason of a reply.

    Args:
        reply: Reply as it came.
        truncated: Whether the model was cut off (finish reason `length`).
    """
    read = _read(prepare(reply, truncated=truncated, folded=False), truncated=truncated)
    if read.status == "parsed" or (reply or "").isascii():
        return read
    # Full-width brackets and quotation marks are read as plain ones.
    again = _read(prepare(reply, truncated=truncated), truncated=truncated)
    return again if again.status == "parsed" or read.status == "ambiguous" else read


def _read(prepared: Prepared, *, truncated: bool) -> Read[OpenAnswer]:
    # Fields stand in the whole text, of which an answer tag is only one.
    if prepared.stop is not None:
        return Read(None, *prepared.stop)
    text = prepared.whole
    found: list[Candidate[OpenAnswer]] = []
    for one in find_json(text):
        answer = _of_value(one.value)
        if answer is None:
            continue
        if not one.closed and answer.reason is None and _open_string(text[one.start :]):
            return Read(None, "truncated", "open_json")
        found.append(Candidate(answer, one.start, one.end, "json"))
    if found:
        read = settle(text, found)
        return _checked(read) if read is not None else Read(None, "ambiguous", "json_example")
    if re.match(r"\s*(?:```\w*\s*)?\{", text):
        closed = text.count("{") <= text.count("}")
        if closed:
            return Read(
                None, "ambiguous" if re.search(r"\w", text) else "empty", "json_without_answer"
            )
        return Read(None, "truncated", "open_json")
    labelled = _labelled(text)
    if labelled is not None:
        return _checked(Read(labelled, "parsed", "labels"))
    return _in_words(prepared.text, truncated=truncated)


def _open_string(text: str) -> bool:
    """Whether an object breaks off within a text, and not behind it."""
    return text.count('"') % 2 == 1


def _of_value(value: Any) -> OpenAnswer | None:
    if isinstance(value, list):
        answers = [one for part in value if (one := _of_value(part)) is not None]
        return answers[0] if len(answers) == 1 else None
    if not isinstance(value, dict):
        return None
    fields = {str(key).strip().strip("'\"").lower(): field for key, field in value.items()}
    reasons = [_text(field) for key, field in fields.items() if key in _REASON_KEYS]
    reason = next((one for one in reasons if one), None)
    for key, field in fields.items():
        if key not in _ANSWER_KEYS:
            continue
        if isinstance(field, dict) and (inner := _of_value(field)) is not None:
            return OpenAnswer(inner.answer, inner.reason or reason)
        answer = _text(field)
        if answer is not None:
            return OpenAnswer(answer, reason)
    return next((one for part in fields.values() if (one := _of_value(part)) is not None), None)


def _text(field: Any) -> str | None:
    """Words of a field; an empty text where it is null."""
    if field is None:
        return ""
    if isinstance(field, bool):
        return "yes" if field else "no"
    if isinstance(field, int | float):
        return f"{field:g}" if isinstance(field, float) else str(field)
    if isinstance(field, list):
        parts = [_text(one) for one in field]
        return (
            ", ".join(one for one in parts if one)
            if all(one is not None for one in parts)
            else None
        )
    if isinstance(field, dict):
        return next((_text(field[key]) for key in _TEXT_KEYS if key in field), None)
    return _trimmed(str(field))


def _trimmed(text: str) -> str:
    text = plain(text).strip()
    return (
        text[1:-1].strip() if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text
    )


def _labelled(text: str) -> OpenAnswer | None:
    """Answer and reason behind their labels or in their fields."""
    parts = list(_FIELDS.finditer(text)) or list(_LABELS.finditer(plain(text)))
    answers = [_trimmed(part["text"]) for part in parts if _is_answer(part["label"])]
    reasons = [_trimmed(part["text"]) for part in parts if not _is_answer(part["label"])]
    if not answers:
        return None
    answer, reason = answers[-1], reasons[-1] if reasons else None
    inline = _INLINE_REASON.search(answer)
    if reason is None and inline is not None and answer[: inline.start()].strip():
        answer, reason = (
            answer[: inline.start()].strip(" ,;，；。"),
            _trimmed(answer[inline.end() :]),
        )
    if reason is None:
        answer, reason = _apart(answer)
    return OpenAnswer(answer, reason or None)


def _is_answer(label: str) -> bool:
    return re.sub(r"^(?:the|my|short) ", "", label.lower()) in _ANSWER_KEYS


def _apart(text: str) -> tuple[str, str | None]:
    """Answer and reason of "X, because Y"."""
    because = _BECAUSE.search(text)
    if because is None or not text[: because.start()].strip():
        return text, None
    return text[: because.start()].strip(" ,.。"), text[because.end() :].strip()


def _in_words(text: str, *, truncated: bool) -> Read[OpenAnswer]:
    if is_refusal(text):
        return Read(None, "refused", "refusal")
    body = _LEAD.sub("", text.strip())
    answer, reason = _apart(body)
    # A reason that breaks off keeps its answer; an answer that does is not one.
    if (truncated or is_cut(text)) and reason is None:
        return Read(None, "truncated", "cut_off")
    if not re.search(r"\w", answer):
        return Read(None, "truncated" if truncated else "empty", "no_words")
    return _checked(Read(OpenAnswer(_trimmed(answer), reason), "parsed", "words"))


def _checked(read: Read[OpenAnswer]) -> Read[OpenAnswer]:
    """The reading, unless it holds no answer."""
    if read.value is None:
        return read
    answer, reason = read.value.answer, read.value.reason or ""
    if answer.lower() in _NO_ANSWER:
        return Read(
            None,
            "refused" if reason else "empty",
            "no_answer",
        )
    if _TEMPLATE.match(answer):
        return Read(None, "ambiguous", "template")
    if is_refusal(answer) and len(answer.split()) > 2:
        return Read(None, "refused", "refusal")
    return read
