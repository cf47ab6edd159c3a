"""What a judge's reply says: verdict, mark and reason.

The reply is unwrapped as any other. A JSON object with the fields counts before lines of the form
`Mark: 3`, and these before a single word or, of reasoning, a mark alone. An answer may hold a verdict of its own, to be echoed by the
judge: an object that stands in the answer is not the judge's. Where verdicts differ, a mark is not from 0
to 5, or verdict and mark contradict each other, nothing is read: the answer is unjudged, and the rule says
why.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from assets.extract.json_answers import Found, find_json
from assets.extract.released.egocross import RIGHT_FROM, read_open
from assets.extract.wrapping import plain, unwrap
from assets.predictions.judging.cases import Case, Kind, Mode, Ruling, Verdict

HIGHEST = 5
WEAK_UP_TO = 2
"""Highest mark of a reasoning that EgoCoT-Bench calls weak."""
# A verdict of the other side of the middle mark contradicts the mark.
_MIDDLE = 3
_WORDS: dict[str, Verdict] = {
    **dict.fromkeys(("correct", "right", "true", "yes"), "right"),
    **dict.fromkeys(("incorrect", "wrong", "false", "no", "not correct"), "wrong"),
}
_VERDICT_KEYS = ("verdict", "judgement", "judgment", "evaluation", "correct")
_MARK_KEYS = ("mark", "score", "rating")
_REASON_KEYS = ("reason", "rationale", "explanation")
_MARK = re.compile(r"\+?(\d+(?:\.\d+)?)(?:\s*(?:/|out of)\s*5)?")
_NAMES = "|".join((*_VERDICT_KEYS, *_MARK_KEYS))
_LINE = re.compile(
    rf"^[ \t>*_#•-]*({_NAMES})[ \t*_]*[:=][ \t*_\"']*([^\n]{{1,60}}?)[ \t*_\"',.]*$",
    re.IGNORECASE | re.MULTILINE,
)
_FIELD = re.compile(rf"[\"']?\b({_NAMES})\b\\?[\"']?\s*:\s*([^,}}\n]{{1,60}})", re.IGNORECASE)
_FENCE = re.compile(r"\A\s*```\w*\s*\n?(.*?)\s*```\s*\Z", re.DOTALL)
_MOST_NESTED = 4


@dataclass(frozen=True, slots=True)
class _Said:
    """One verdict of a reply.

    Attributes:
        verdict: Verdict as it stands; None where the field is absent.
        mark: Mark as it stands; None where the field is absent.
        reason: Reason; None where the field is absent.
        is_doubtful: Whether a field stands there twice with different values.
    """

    verdict: Any = None
    mark: Any = None
    reason: str | None = None
    is_doubtful: bool = False


def read_judge(case: Case, mode: Mode, reply: str, *, truncated: bool = False) -> Ruling:
    """Ruling of a judge's reply.

    Args:
        case: What it was asked about.
        mode: See `assets.predictions.judging.cases.decide`.
        reply: Reply as it came.
        truncated: Whether it was cut off.
    """
    if case.kind == "open" and mode == "parity":
        return _released(case, reply)
    read = unwrap(reply)
    if not read.text:
        cut = truncated or read.thinking == "open"
        return _unjudged("truncated" if cut else "empty")
    verdicts = list(_objects(reply, read.text))
    if verdicts:
        echoed = {_content(one) for one in _objects(case.given, unwrap(case.given).text)}
        verdicts = [one for one in verdicts if _content(one) not in echoed]
        if not verdicts:
            return _unjudged("echo")
    else:
        verdicts = list(_lines(read.text, case)) or _word(read.text, case.kind)
    if not verdicts:
        return _unjudged("truncated" if truncated else "no_verdict")
    if len({(repr(one.verdict), repr(one.mark)) for one in verdicts}) > 1 or any(
        one.is_doubtful for one in verdicts
    ):
        return _unjudged("several_verdicts", verdicts[-1].reason)
    return _ruling(verdicts[-1], case.kind)


def _ruling(said: _Said, kind: Kind) -> Ruling:
    mark = _number(said.mark)
    if said.mark is not None and mark is None:
        return _unjudged("mark_not_a_number", said.reason)
    if mark is not None and not 0 <= mark <= HIGHEST:
        return _unjudged("mark_out_of_range", said.reason)
    if kind == "reasoning":
        if mark is None:
            return _unjudged("no_mark", said.reason)
        return Ruling("right" if mark > WEAK_UP_TO else "wrong", mark, said.reason, "judge")
    if said.verdict is None:
        # The published format has a mark and no verdict: then the released threshold decides.
        assert mark is not None
        verdict: Verdict = "right" if mark >= RIGHT_FROM else "wrong"
        return Ruling(verdict, mark, said.reason, "mark_alone")
    known = _verdict(said.verdict)
    if known is None:
        return _unjudged("unknown_verdict", said.reason)
    if mark is None:
        return Ruling(known, None, said.reason, "verdict_alone")
    if (known == "right" and mark < _MIDDLE) or (known == "wrong" and mark > _MIDDLE):
        return _unjudged("contradiction", said.reason)
    return Ruling(known, mark, said.reason, "judge")


def _unjudged(rule: str, reason: str | None = None) -> Ruling:
    return Ruling("unjudged", None, reason, rule)


def _released(case: Case, reply: str) -> Ruling:
    """Ruling of the released EgoCross script, which reads the first shortest `{...}`."""
    try:
        read = read_open(case.in_parity, case.reference, reply)
    except (RecursionError, ValueError):
        # Brackets nested a thousand deep and numbers of thousands of digits end the script as well.
        return _unjudged("no_verdict")
    if read.right is None:
        return _unjudged("mark_not_a_number")
    mark = _float(read.mark)
    reason = next((one.reason for one in _objects(reply, reply)), None)
    return Ruling(
        "right" if read.right else "wrong", mark if math.isfinite(mark) else None, reason, "judge"
    )


def _verdict(value: Any) -> Verdict | None:
    return _WORDS.get(" ".join(plain(str(value)).casefold().strip(" .!\"'").split()))


def _number(value: Any) -> float | None:
    """A mark as a number; None where it is not a finite number."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        found = _MARK.fullmatch(value.strip())
        return float(found[1]) if found else None
    if isinstance(value, int | float):
        number = _float(value)
        return number if math.isfinite(number) else None
    return None


def _float(value: float) -> float:
    """A number as a float; infinite where it has too many digits for one."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


# -- finding verdicts --------------------------------------------------------------------------------


def _objects(reply: str, text: str) -> Iterator[_Said]:
    """Verdicts in JSON: the reply as a whole where it is sound, else every object in its text."""
    fenced = _FENCE.fullmatch(reply)
    whole = (fenced[1] if fenced else reply).strip()
    try:
        # As it came: unwrapping makes plain quotation marks of typographic ones.
        values: list[Any] = [_loads(whole)]
    except (ValueError, RecursionError):
        values = [_found(text, found) for found in find_json(text)]
    for value in values:
        yield from _collected(value, _MOST_NESTED)


class _Doubtful(dict[str, Any]):
    """An object in which a key stands twice with different values."""


def _loads(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_pairs)


def _pairs(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    twice = any(repr(fields[key]) != repr(value) for key, value in pairs)
    return _Doubtful(fields) if twice else fields


def _found(text: str, found: Found) -> Any:
    """A value found in a text, marked as doubtful where its repair may have mixed two verdicts."""
    part = text[found.start : found.end]
    try:
        return _loads(part)
    except (ValueError, RecursionError):
        value = found.value
    if not isinstance(value, dict):
        return value
    if not found.closed:
        # What was written last may be cut: "1" of "1.5", "correct" of "correctly refused".
        *whole, last = value
        value = {key: value[key] for key in whole} | (
            {last: value[last]} if str(last).lower() in _REASON_KEYS else {}
        )
    fields: dict[str, set[str]] = {}
    for name, raw in _FIELD.findall(part):
        fields.setdefault(name.lower(), set()).add(raw.strip(" \"'\\").lower())
    return _Doubtful(value) if any(len(raw) > 1 for raw in fields.values()) else value


def _collected(value: Any, depth: int) -> Iterator[_Said]:
    """Verdicts of a JSON value: of an object with such fields, else of what it holds."""
    if isinstance(value, dict):
        fields = {str(key).strip().lower(): content for key, content in value.items()}
        verdict = _first(fields, _VERDICT_KEYS)
        mark = _first(fields, _MARK_KEYS)
        if _is_plain(verdict) and _is_plain(mark) and (verdict is not None or mark is not None):
            reason = _first(fields, _REASON_KEYS)
            yield _Said(
                verdict,
                mark,
                None if reason is None else str(reason),
                isinstance(value, _Doubtful),
            )
            return
        value = list(value.values())
    if isinstance(value, list) and depth:
        for one in value:
            yield from _collected(one, depth - 1)


def _is_plain(value: Any) -> bool:
    return not isinstance(value, dict | list)


def _first(fields: dict[str, Any], keys: Sequence[str]) -> Any:
    return next((fields[key] for key in keys if fields.get(key) is not None), None)


def _lines(text: str, case: Case) -> Iterator[_Said]:
    """A verdict in lines `Verdict: ...` and `Mark: ...`, without those that stand in the answer."""
    fields: dict[str, str] = {}
    doubtful = False
    for found in _LINE.finditer(text):
        if found[0].strip() in case.given:
            continue
        key = "verdict" if found[1].lower() in _VERDICT_KEYS else "mark"
        doubtful |= fields.setdefault(key, found[2]).lower() != found[2].lower()
    if fields:
        yield _Said(fields.get("verdict"), fields.get("mark"), None, doubtful)


def _word(text: str, kind: Kind) -> list[_Said]:
    """A verdict that is the whole reply, in one word; of reasoning, a mark alone."""
    if kind == "open":
        return [_Said(text)] if _verdict(text) is not None else []
    return [_Said(mark=text)] if _MARK.fullmatch(plain(text).strip(" .")) else []


def _content(said: _Said) -> tuple[str, str, str]:
    return str(said.verdict).casefold(), str(said.mark), " ".join((said.reason or "").split())
