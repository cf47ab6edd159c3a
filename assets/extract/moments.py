"""What a reply to a question about a time answers: a point in time or a span, with its unit.

A question asks for a time where its released answer is one as a whole ("13 s", "0:13", "frame 325", "13.4-15.4
seconds"), and it does not ask how long something takes. The form decides, and not the benchmark: a released set names the
subtask as it likes, and whatever it is called, "13 s" is a time.

Two times are the same if they amount to the same, whatever they are told in ("0:13", "13 s", "13000 ms"). No paper grants
a tolerance: what differs by more than the hundredth of a second, to which datasets annotate, is another time. A
frame is a time only by a rate. Which one a reply counts in is not known (the video's or that of the frames
sent), so a frame is the same as a second only where the reply states the rate itself.

A reply without a unit is in seconds, or in frames where the answer is a frame.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from assets.extract.json_answers import find_json
from assets.extract.open_answers import Accepted, read_open
from assets.extract.readings import Candidate, Read, prepare, settle
from assets.extract.times import Time, read_time, readable, times_in

SAME_S = 0.005
"""Most seconds between two tellings of one time: half of the hundredth of a second to which datasets annotate."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in time, or a span, as a reply or a released answer gives it.

    Attributes:
        first: The point, or the start of the span.
        last: End of the span; None for a point.
        fps: Frames per second that the reply says it counts in; None where it says nothing.
    """

    first: Time
    last: Time | None = None
    fps: float | None = None


# Longer texts are no time as a whole.
_LONGEST_CHARS = 60
_LEADING = re.compile(
    r"(?:at|from|between|around|about|approximately|approx\.?|~|≈)\s+", re.IGNORECASE
)
_ASKS_LENGTH = re.compile(
    r"\bhow long\b|\bdurations?\b|\bhow (?:many|much)\b|\bwhat (?:is|was) the length\b|多长|多久|どのくらい|何秒間|얼마나",
    re.IGNORECASE,
)
_N = r"\d{1,7}(?:\.\d{1,6})?"
_BARE_SPAN = re.compile(
    rf"(?:from\s+|between\s+|[\[(]\s*)?({_N})(?:\s*(?:-|–|—|~|to|and|until)\s*|,\s+)({_N})\s*[\])]?",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"\b(?:ends?|ending|stops?|finish(?:es)?|until|till|concludes?)\b", re.IGNORECASE
)
_UNIT_FIELD = re.compile(r"[\"']units?[\"']\s*:", re.IGNORECASE)
_RATE = re.compile(
    rf"({_N})\s*(?:fps\b|frames? (?:per|a|each) second\b|frames?/s\b)", re.IGNORECASE
)
_STARTS, _STOPS = (
    ("start", "start_time", "start_s", "from", "begin"),
    ("end", "end_time", "end_s", "to", "stop"),
)


def as_moment(text: str) -> Moment | None:
    """The time or span that a text is as a whole, its unit with it; None for any other text."""
    if len(text) > _LONGEST_CHARS or not text.strip():
        return None
    plain = readable(unicodedata.normalize("NFKC", text)).strip(" .\n")
    while (lead := _LEADING.match(plain)) is not None and not _BARE_SPAN.match(plain):
        plain = plain[lead.end() :]
    named = list(times_in(plain))
    if len(named) != 1 or (named[0].start, named[0].end) != (0, len(plain)):
        return None
    return Moment(named[0].first, named[0].last)


def asks_length(question: str) -> bool:
    """Whether a question asks how long something takes, and not when it happens."""
    return _ASKS_LENGTH.search(question) is not None


def read_moment(
    reply: str | None,
    released: Moment,
    question: str = "",
    *,
    truncated: bool = False,
    accepted: Accepted | None = None,
) -> Read[Moment]:
    """Point in time or span that a reply answers with.

    Its reason may name other times; what it answers is read first, as any answer in words is.

    Args:
        reply: Reply as it came.
        released: Released answer: a point or a span is looked for first.
        question: The question; of several times the one said of what it asks about counts.
        truncated: Whether the reply was cut off.
        accepted: Says of a text whether it is the released answer word for word.
    """
    words = read_open(reply, truncated, accepted) if accepted else read_open(reply, truncated)
    if words.value is None and words.status in ("refused", "empty"):
        return Read(None, words.status, words.rule)
    if words.value is None or (words.rule == "json" and _UNIT_FIELD.search(reply or "")):
        # An object with fields of times or of a unit, or a time in front of a sentence that was cut off.
        return _read(reply, released, question, truncated)
    read = _read(words.value.answer, released, question, truncated=False)
    rates = {float(rate) for rate in _RATE.findall(f"{words.value.answer} {words.value.reason}")}
    if read.value is None or len(rates) != 1 or not min(rates):
        return read
    return Read(Moment(read.value.first, read.value.last, rates.pop()), read.status, read.rule)


def same_moment(given: Moment, released: Moment) -> bool:
    """Whether two times amount to the same."""
    if (given.last is None) != (released.last is None):
        return False
    pairs = [(given.first, released.first)]
    if given.last is not None and released.last is not None:
        pairs.append((given.last, released.last))
    return all(_same(one, two, given.fps) for one, two in pairs)


def _same(given: Time, released: Time, fps: float | None) -> bool:
    if given.seconds is None and released.seconds is None:
        return given.frame == released.frame
    if released.seconds is None or (given.seconds is None and fps is None):
        return False
    seconds = given.seconds if given.seconds is not None else given.seconds_at(fps or 1.0)
    return abs(seconds - released.seconds) <= SAME_S


def _read(reply: str | None, released: Moment, question: str, truncated: bool) -> Read[Moment]:
    prepared = prepare(reply, truncated=truncated)
    if prepared.stop is None:
        text = readable(prepared.text)
        span = _span(text, is_expected=released.last is not None)
        if span is not None:
            return span
    read = read_time(reply, question, truncated)
    if read.value is None:
        return Read(None, read.status, read.rule)
    time = read.value
    if read.rule.endswith("bare_number") and released.first.frame is not None:
        time = Time(None, int(time.seconds or 0), "frame")
    return Read(Moment(time), "parsed", read.rule)


def _span(text: str, *, is_expected: bool) -> Read[Moment] | None:
    """Span that a text names; None where it names none.

    Args:
        text: Text in which numbers are figures.
        is_expected: Whether the released answer is a span, so that two bare numbers are one too.
    """
    if is_expected:
        for one in find_json(text):
            fields = _fields(one.value)
            if fields is not None:
                return Read(fields, "parsed", "json_span")
        bare = _BARE_SPAN.fullmatch(text.strip(" .*\n"))
        if bare is not None:
            first, last = (Time(float(number), None, "s") for number in bare.groups())
            return Read(Moment(first, last), "parsed", "bare_span")
    named = list(times_in(text))
    spans = [one for one in named if one.last is not None]
    points = [one for one in named if one.last is None]
    if not spans:
        if (
            not is_expected
            or len(points) != 2
            or not _ENDS.search(text, points[0].end, points[1].start)
        ):
            return None
        return Read(Moment(points[0].first, points[1].first), "parsed", "start_and_end")
    if points and points[-1].start > spans[-1].start:
        return None  # a point that is named behind a span is the answer
    found = [Candidate(Moment(one.first, one.last), one.start, one.end, "span") for one in spans]
    return settle(text, found)


def _fields(value: Any) -> Moment | None:
    """Start and end of an object in seconds; None where it has not both."""
    if not isinstance(value, dict):
        return None
    fields = {str(key).strip().lower(): field for key, field in value.items()}
    found: list[Time] = []
    for names in (_STARTS, _STOPS):
        field = next((fields[name] for name in names if name in fields), None)
        if isinstance(field, bool) or field is None:
            return None
        if isinstance(field, int | float):
            found.append(Time(float(field), None, "s"))
            continue
        moment = as_moment(str(field))
        if moment is None or moment.last is not None:
            return None
        found.append(moment.first)
    return Moment(found[0], found[1])
