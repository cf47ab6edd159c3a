"""A point in time with its unit (EgoCross, temporal localisation; its timestamps and frame indices).

The canonical form is `Time(seconds, frame, unit)`: seconds for all units of time, the frame's index where the reply
gives a frame, never one made from the other; `seconds_at` converts a frame with the rate that the caller knows.

Rules, after the wrapping is off:

- Units: seconds, milliseconds, minutes, minutes with seconds, clock times (mm:ss, hh:mm:ss, with fractions, 2'17"),
  frames; figures or words ("half a minute"), decimal commas, full-width digits, Chinese, Japanese and Korean units.
- A number alone is in seconds.
- Lengths ("lasts 30 s"), rates ("30 fps") and tolerances ("± 0.5 s") are not points in time.
- A range has no point: ambiguous, unless a point is named behind it.
- Of several times the last one counts if a word of correction or conclusion leads to it, and "not at 0:10 but at
  0:13" rules the first one out; else the one whose clause shares most words with the question, and otherwise the reply is ambiguous.
- A time beside its frame is the answer, a frame alone stays a frame.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from assets.extract.inflection import stems
from assets.extract.json_answers import find_json
from assets.extract.readings import (
    Candidate,
    Read,
    is_cut,
    nothing_found,
    prepare,
    settle,
)
from assets.words.numerals import figures

Unit = Literal["s", "ms", "min", "min+s", "clock", "frame"]


@dataclass(frozen=True, slots=True)
class Time:
    """A point in time as a reply gives it.

    Attributes:
        seconds: Seconds from the start; None for a frame.
        frame: Index of the frame; None for a time.
        unit: How the reply gives it.
    """

    seconds: float | None
    frame: int | None
    unit: Unit

    def seconds_at(self, fps: float, first_frame: int = 0) -> float:
        """Seconds from the start, for a frame too.

        Args:
            fps: Frames per second that the reply counts in.
            first_frame: Index of the frame at 0 s.
        """
        if self.seconds is not None:
            return self.seconds
        return ((self.frame or 0) - first_frame) / fps


@dataclass(frozen=True, slots=True)
class Named:
    """A time, or a range of two, that a text names at [start, end)."""

    first: Time
    last: Time | None
    start: int
    end: int


_N = r"\d{1,7}(?:\.\d{1,6})?"
_ABROAD_S = r"segundos?\b|secondes?\b|sekunden?\b|second[oi]\b|sekund\w{0,2}\b|секунд\w{0,3}\b|saniye\b|detik\b|giây\b"
_ABROAD_M = r"minutos?\b|minuten\b|minut[oi]\b|minut\w?\b|минут\w{0,3}\b|dakika\b|menit\b|phút\b"
_S = rf"(?:secs?\b\.?|seconds?\b|s\b|秒|초|{_ABROAD_S})"
_M = rf"(?:minutes?\b|mins?\b\.?|m\b|分钟?|分鐘|분|{_ABROAD_M})"
_H = r"(?:hours?\b|hrs?\b|h\b|小时|時間|시간)"
_ONE_TIME = rf"""
    (?P<clock>(?<![\d:.])(?:(?P<ch>\d{{1,2}}):)?(?P<cm>\d{{1,3}}):(?P<cs>\d{{2}}(?:[.,]\d{{1,6}})?)(?![\d:]))
  | (?P<primes>(?<!\d)(?P<pm>\d{{1,3}})\s?'\s?(?P<ps>\d{{1,2}}(?:\.\d+)?)\s?(?:"|''))
  | (?P<hms>(?<![\d.])(?P<hh>\d{{1,2}})\s{{0,3}}{_H}\s{{0,3}}(?:(?P<hm>\d{{1,2}})\s{{0,3}}{_M})?\s{{0,3}}(?:(?P<hs>{_N})\s{{0,3}}{_S})?)
  | (?P<ms_>(?<![\d.])(?P<mm>\d{{1,3}})\s{{0,3}}{_M}[\s,]*(?:and\s+)?(?P<sec>{_N})\s{{0,3}}{_S})
  | (?P<milli>(?<![\d.])(?P<ml>{_N})\s{{0,3}}(?:ms\b|milliseconds?\b|毫秒|ミリ秒|밀리초))
  | (?P<frame>\bframes?\s{{0,3}}(?:index|number|no\.?|id)?\s{{0,3}}(?:is|=|:|\#|at)?\s{{0,3}}\#?\s{{0,3}}(?P<fn>\d{{1,7}})(?!\.\d|\s{{0,3}}(?:fps|frames))
      | (?:帧|フレーム|프레임)\s{{0,3}}(?:番号|索引)?\s{{0,3}}[:：#]?\s{{0,3}}(?P<fc>\d{{1,7}})
      | (?:第\s{{0,3}})?(?P<fz>\d{{1,7}})\s{{0,3}}(?:帧|幀|フレーム(?:目)?|번째\s{{0,3}}프레임|프레임)
      | \b(?P<fo>\d{{1,7}})(?:st|nd|rd|th)\s+frame)
  | (?P<secs>(?<![\d.])(?P<s>{_N})\s{{0,3}}-?\s{{0,3}}{_S}(?!-(?!\d)))
  | (?P<mins>(?<![\d.])(?P<m>{_N})\s{{0,3}}(?:minutes?\b|mins?\b\.?|分钟?|分鐘|분|{_ABROAD_M})(?!-(?!\d)))
  | (?P<nth>\b(?P<ns>\d{{1,5}})(?:st|nd|rd|th)\s+second\b|\bsecond\s+\#?(?P<sn>\d{{1,5}})(?![.:]?\d|\s{{0,3}}{_S}))
"""
_TIME = re.compile(_ONE_TIME, re.VERBOSE | re.IGNORECASE)
_RANGE = re.compile(
    r"\s*(?:-|–|—|~|〜|\bto\b|\buntil\b|\btill\b|\bthrough\b|\band\b|到|至|から|부터|和|と|->|→)\s*(?:the\s+|frame\s+|第\s*)?",
    re.IGNORECASE,
)
_RANGE_START = re.compile(
    rf"(?:\b(?P<between>between|from)\s+)?(?<![\d.:])(?P<n>{_N})\s*(?P<to>-|–|—|~|〜|\bto\b|\band\b|到|至)\s*$",
    re.IGNORECASE,
)
_NOT_A_POINT_BEFORE = re.compile(
    r"(?:\b(?:lasts?|lasting|duration(?: of| is|:)?|long|for|within|over|every|last|takes?|of length|total(?: of)?|plus or minus|give or take"
    r"|by|after about|sampled (?:at|every)|shorter than|longer than|length(?: of| is|:)?)\s+(?:about |around |approximately |the |only |a )*"
    r"|±\s*|\+/-\s*)$",
    re.IGNORECASE,
)
_NOT_A_POINT_AFTER = re.compile(
    r"\s*(?:long\b|in (?:length|total)\b|video\b|clip\b|(?:later|earlier|before|apart|per)\b|after (?:the |it )?(?:clip|video|end)\w*|intervals?\b|间隔|长|間|の動画|길이)",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"(?:\b(?:not|isn't|never|rather than|instead of|neither|nor)\s+(?:yet\s+)?(?:at|in|around|before)?\s*(?:about\s+)?|不是(?:在)?\s*)$",
    re.IGNORECASE,
)
_FORCED = re.compile(
    r"\b(?:final|answer|if i (?:have|had) to|one moment|best (?:guess|estimate)|so|therefore|thus|hence|exactly|i(?:'d| would) say)\b",
    re.IGNORECASE,
)
_KEYS = {
    "time", "timestamp", "answer", "seconds", "second", "t", "start", "prediction", "frame_index", "frame", "time_s", "start_time", "sec",
    "value", "final_answer", "timestamp_s", "ms", "milliseconds", "minutes", "frame_number", "时间", "時刻", "答案", "시간",
}  # fmt: skip
_BARE = re.compile(
    rf"(?:answer|time|t|at|final answer|答案|答え|정답)?\s*(?:is|:|=|≈|~)?\s*(?:about |approximately |around |t = )?[~≈]?\s*({_N})\s*\.?",
    re.IGNORECASE,
)
# Numbers of a text that are looked at, the last ones.
_MOST = 300
_WORDS = re.compile(
    r"\b(?:half a minute|an? (?:half )?minute(?: and a half)?|(\d+) and a half (minute|second)s?|half a second|an? second)\b",
    re.IGNORECASE,
)


def read_time(reply: str | None, question: str = "", truncated: bool = False) -> Read[Time]:
    """Point in time that a reply answers with.

    Args:
        reply: Reply as it came.
        question: The question; of several times the one said of what it asks about counts.
        truncated: Whether the model was cut off (finish reason `length`).
    """
    prepared = prepare(reply, truncated=truncated)
    if prepared.stop is not None:
        return Read(None, *prepared.stop)
    text = readable(prepared.text)
    for one in reversed(list(find_json(text))):
        field = _field(one.value)
        if field is not None and one.closed:
            tail = list(_points(text[one.end :]))
            if not tail:
                return field
    bare = _BARE.fullmatch(text.strip(" .*\n"))
    if bare is not None:
        return Read(Time(float(bare[1]), None, "s"), "parsed", "bare_number")
    cut = truncated or is_cut(prepared.text)
    named = list(times_in(text))
    points = [one for one in named if one.last is None and not _negated(text, one)]
    ranges = [one for one in named if one.last is not None]
    if ranges and not (points and points[-1].start > ranges[-1].start):
        return Read(None, "truncated" if cut and not points else "ambiguous", "range")
    if ranges:
        points = [one for one in points if one.start > ranges[-1].start]
    points = _without_frames(points)
    candidates = [Candidate(one.first, one.start, one.end, "time") for one in points]
    if cut and (not candidates or candidates[-1].end < len(text.rstrip()) - 2):
        head = (
            candidates
            and candidates[0].start < 40
            and re.search(r"\banswer\b|^\W*$", text[: candidates[0].start], re.IGNORECASE)
        )
        if not head:
            return nothing_found(prepared, "no_time", truncated=True)
    if not candidates:
        return nothing_found(prepared, "no_time", truncated=truncated)
    read = _asked(text, candidates, question) or settle(text, candidates)
    return read or nothing_found(prepared, "no_time", truncated=truncated)


def readable(text: str) -> str:
    """Text with number words, decimal commas and spoken minutes in figures."""
    text = _WORDS.sub(_spoken, figures(text))
    text = re.sub(r"(?<![\d,.])(\d{1,5}),(\d{1,3})(?=\s*(?:s\b|sec|秒|초|ms\b))", r"\1.\2", text)
    return (
        re.sub(r"\\[,;!~ ]|\\approx|\\text\b|[{}](?=\s*s?\b)", " ", text) if "\\" in text else text
    )


def _spoken(match: re.Match[str]) -> str:
    words = match[0].lower()
    if match[1]:
        return f"{float(match[1]) + 0.5:g} {match[2]}s"
    if "second" in words:
        return "0.5 s" if "half" in words else "1 s"
    return (
        "0.5 min"
        if words.startswith("half") or "half minute" in words
        else "1.5 min"
        if "half" in words
        else "1 min"
    )


def times_in(text: str) -> Iterator[Named]:
    """Points and ranges of time that a text names, in order; lengths, rates and tolerances are left out.

    Args:
        text: Text in which numbers are figures (`readable`).
    """
    numbers = [match.start() for match in re.finditer(r"\d+", text)]
    if not numbers:
        return
    at = numbers[-_MOST] if len(numbers) > _MOST else 0
    while (match := _TIME.search(text, at)) is not None:
        start, end, at = match.start(), match.end(), match.end()
        first = _time(match)
        before = text[max(0, start - 40) : start]
        half = _RANGE_START.search(before)
        if half is not None and (half["to"] != "and" or half["between"]):
            # "4-7 s": the first number has no unit of its own.
            scale = first.seconds / _number(match) if first.seconds and _number(match) else 1.0
            low = (
                first
                if first.frame is not None
                else Time(float(half["n"]) * scale, None, first.unit)
            )
            yield Named(low, first, start - len(half[0]), end)
            continue
        link = _RANGE.match(text, end)
        second = _TIME.match(text, link.end()) if link is not None else None
        if second is not None and link is not None:
            joined = link[0].strip().lower()
            spoken = joined not in ("and", "和", "と") or re.search(
                r"\bbetween\s+(?:about |the |frame |第)*$|第?$", before, re.IGNORECASE
            )
            between = re.search(
                r"\bbetween\b|之间|の間|사이",
                text[max(0, start - 30) : second.end() + 10],
                re.IGNORECASE,
            )
            if joined not in ("and", "和", "と") or (spoken and between):
                at = second.end()
                yield Named(first, _time(second), start, second.end())
                continue
        if _NOT_A_POINT_BEFORE.search(before) or _NOT_A_POINT_AFTER.match(text, end):
            continue
        if re.match(r"\s*(?:fps|frames? per|フレーム/)", text[end : end + 16], re.IGNORECASE):
            continue
        yield Named(first, None, start, end)


def _points(text: str) -> Iterator[Named]:
    return (one for one in times_in(text) if one.last is None)


def _number(match: re.Match[str]) -> float:
    kept = match["s"] or match["m"] or match["ml"]
    return float(kept) if kept else 0.0


def _time(match: re.Match[str]) -> Time:
    if match["clock"]:
        hours, minutes = int(match["ch"] or 0), int(match["cm"])
        return Time(
            hours * 3600 + minutes * 60 + float(match["cs"].replace(",", ".")), None, "clock"
        )
    if match["primes"]:
        return Time(int(match["pm"]) * 60 + float(match["ps"]), None, "clock")
    if match["hms"]:
        seconds = int(match["hh"]) * 3600 + int(match["hm"] or 0) * 60 + float(match["hs"] or 0)
        return Time(seconds, None, "min+s")
    if match["ms_"]:
        return Time(int(match["mm"]) * 60 + float(match["sec"]), None, "min+s")
    if match["milli"]:
        return Time(float(match["ml"]) / 1000, None, "ms")
    if match["frame"]:
        index = match["fn"] or match["fc"] or match["fz"] or match["fo"]
        return Time(None, int(index), "frame")
    if match["secs"] or match["nth"]:
        return Time(float(match["s"] or match["ns"] or match["sn"]), None, "s")
    return Time(float(match["m"]) * 60, None, "min")


def _negated(text: str, one: Named) -> bool:
    return bool(_NEGATED.search(text[max(0, one.start - 30) : one.start]))


def _without_frames(points: Sequence[Named]) -> list[Named]:
    """Points without the frames that stand beside a time, and without times named twice in a row."""
    timed = [one for one in points if one.first.seconds is not None]
    return timed or list(points)


def _asked(text: str, candidates: Sequence[Candidate[Time]], question: str) -> Read[Time] | None:
    """The time whose clause shares most words with the question, where nothing else decides."""
    if len({one.value for one in candidates}) < 2 or not question:
        return None
    last, before = candidates[-1], candidates[-2]
    settled = settle(text, candidates)
    if settled is not None and (settled.value is not None or settled.rule.endswith("_repeated")):
        return settled
    if _FORCED.search(text[before.end : last.start]):
        return Read(last.value, "parsed", "concluded")
    question_stems = {word for word, _, _ in stems(question.lower())} - {
        "at",
        "what",
        "time",
        "when",
        "do",
        "doe",
        "i",
        "in",
        "on",
        "and",
    }
    starts = [0, *(one.end for one in candidates[:-1])]
    shared: list[int] = []
    for one, start in zip(candidates, starts, strict=True):
        clause = re.split(r"[.;,\n]|\band\b", text[start : one.start])[-1]
        clause += re.split(r"[.;,\n]|\band\b", text[one.end : one.end + 80])[0]
        shared.append(len(question_stems & {word for word, _, _ in stems(clause.lower())}))
    best = max(shared)
    if best and shared.count(best) == 1:
        return Read(candidates[shared.index(best)].value, "parsed", "asked_about")
    return None


def _field(value: Any) -> Read[Time] | None:
    """Time in an object; None if it has none."""
    if not isinstance(value, dict):
        return None
    fields = {str(key).strip().lower().replace(" ", "_"): field for key, field in value.items()}
    unit = str(fields.get("unit", fields.get("units", ""))).strip().lower()
    for key in ("final_answer", "answer", *fields):
        field = fields.get(key)
        if key not in _KEYS or field is None:
            continue
        if isinstance(field, bool):
            continue
        if isinstance(field, dict):
            inner = _field(field)
            if inner is not None:
                return inner
            continue
        if isinstance(field, int | float):
            return Read(_of_number(float(field), key, unit), "parsed", "json_number")
        read = read_time(
            f"{field} {unit}".strip() if re.fullmatch(rf"\s*{_N}\s*", str(field)) else str(field)
        )
        if read.value is not None and key.startswith("frame") and read.rule == "bare_number":
            return Read(
                _of_number(float(read.value.seconds or 0), key, unit), "parsed", "json_number"
            )
        return Read(read.value, read.status, f"json_{read.rule}")
    return None


def _of_number(number: float, key: str, unit: str) -> Time:
    if key.startswith("frame") or unit.startswith("frame"):
        return Time(None, int(number), "frame")
    if unit in ("ms", "millisecond", "milliseconds") or key in ("ms", "milliseconds"):
        return Time(number / 1000, None, "ms")
    if unit in ("min", "minute", "minutes") or key == "minutes":
        return Time(number * 60, None, "min")
    return Time(number, None, "s")
