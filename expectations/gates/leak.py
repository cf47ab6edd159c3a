"""Gate `leak`: neither text, nor reference, nor overlay, nor a look ahead tells the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from expectations.gates.base import (
    CannotTell,
    Derived,
    Finding,
    Gate,
    Question,
    overlap_s,
    span_of,
)
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import holds, plain, tokens

NAME = "leak"
# A shared border is not an overlap: annotated times are floats.
_LEAST_OVERLAP_S = 0.05
_BOX_OVERLAP = 0.3
_OVERLAY_NEAR_S = 0.5
_TELLS = re.compile(r"\b(?:answer|correct|solution|key)\b(?P<after>[^.?!]{0,200})", re.IGNORECASE)
_LETTER = re.compile(r"(?<![\w'])[A-T](?![\w'])")
_MARKED = re.compile(r"correct|right answer|\banswer\b|\btrue\b|[✓✔☑★*]|\[x\]", re.IGNORECASE)
_HANDS = re.compile(r"\b(left|right|both)(?=[\s-]+(?:hand|hands|arm|foot|eye|side of the body)\b)")
# Words any question may use of its media; as words of a narration they tell nothing.
_NEUTRAL = frozenset(
    "a an the of to in on at by with and or is are it its this that which what where when who how"
    " shows show shown clip clips video videos query candidate option options view camera wearer"
    " person observer action actions same other first third frame frames film filmed picture image"
    " scene hand hands c one two each all does do be from for as into your you someone something"
    " take look".split()
)


def _judge(question: Question, given: EvidenceTables, notes: Derived) -> Iterator[Finding]:
    yield from _text(question, notes)
    yield from _options(question)
    yield from _media_alike(question)
    yield from _references(question, given)
    yield from _ahead(question, notes)
    yield from _overlays(question, notes)


def _text(question: Question, notes: Derived) -> Iterator[Finding]:
    # A text that lists candidates tells their numbers and no letters.
    for told in _TELLS.finditer("" if question.is_sequence else question.text):
        letters = set(_LETTER.findall(told.group("after"))) & set(question.letters)
        others = set(question.letters) - {question.answer}
        if letters in ({question.answer}, others):
            yield _fault("letter_told", f"the text says {told.group().strip()!r}")
    option = question.answer_option
    if option is not None and question.in_words:
        whole = plain(question.text)
        text = _HANDS.sub(" ", whole)
        # A hand's side is not a direction, but an option may be about that hand.
        told_by = [
            o
            for o in question.options
            if holds(
                whole if _HANDS.search(plain(str(o["text"] or ""))) else text, str(o["text"] or "")
            )
        ]
        # A text that lists all options tells none of them.
        if option in told_by and len(told_by) < len(question.options):
            yield _fault("answer_in_text", f"the text holds the answer {option['text']!r}")
        long_form = question.row["detailed_answer"]
        if long_form and holds(question.text, str(long_form)):
            yield _fault("answer_in_text", "the text holds the detailed answer")
    if question.is_sequence:
        flat = plain(question.text)
        if any(re.search(_ordered(numbers), flat) for numbers, _ in question.sequences):
            yield _fault("sequence_told", "the text holds the numbers of a valid sequence in order")
    for secret in dict.fromkeys(notes.secrets):
        words = [w for w in tokens(secret) if w not in _NEUTRAL]
        said = {_stem(w) for w in tokens(question.text)}
        if words and all(_stem(w) in said for w in words):
            yield _fault("action_in_text", f"the text names what is to be seen: {secret!r}")


def _ordered(numbers: Sequence[int]) -> str:
    """Pattern of numbers one after the other, with nothing but marks between them."""
    return r"(?<!\d)" + r"[\s,;>\[\]()-]+".join(map(str, numbers)) + r"(?!\d)"


def _options(question: Question) -> Iterator[Finding]:
    option = question.answer_option
    if option is None or not question.in_words:
        return
    others = [o for o in question.options if o is not option]
    if _MARKED.search(str(option["text"])) and not all(
        _MARKED.search(str(o["text"] or "")) for o in others
    ):
        yield _fault("option_marked", f"option {option['letter']} reads {option['text']!r}")
    looks = {_look(str(o["text"] or "")) for o in others}
    mine = _look(str(option["text"] or ""))
    if len(others) > 1 and len(looks) == 1 and mine not in looks:
        yield _fault("answer_stands_out", f"{option['text']!r} is written unlike all others")


def _look(text: str) -> tuple[object, ...]:
    """How a text is written, whatever it says."""
    bare = text.strip()
    invisible = any(not c.isprintable() or c in "\u00a0\u2009" for c in text)
    return (
        text != bare,
        bare[-1:] in ".!?;,:",
        bare[:1].isupper(),
        bare[:1] in "\"'([",
        invisible,
        not bare.isascii(),
    )


def _media_alike(question: Question) -> Iterator[Finding]:
    """The answer's medium is sent and drawn on like the others'."""
    shown = {x: m for x in question.letters if (m := question.shown_of(x)) is not None}
    mine = shown.pop(question.answer, None)
    looks = {_sent_as(m) for m in shown.values()}
    if mine is not None and len(shown) > 1 and len(looks) == 1 and _sent_as(mine) not in looks:
        yield _fault(
            "answer_stands_out", f"{mine['role']} is sampled or drawn on unlike all other options"
        )


def _sent_as(medium: dict[str, Any]) -> tuple[object, ...]:
    drawn = sorted(
        (str(o["kind"]), str(o["colour"]), bool(o["label"])) for o in medium["overlays"] or ()
    )
    return medium["media_kind"], medium["sampling"], len(medium["times_s"] or ()), tuple(drawn)


def _references(question: Question, given: EvidenceTables) -> Iterator[Finding]:
    option = question.answer_option
    answer = None if option is None else question.shown_of(str(option["letter"]))
    if answer is None:
        return
    for medium in question.media:
        if not str(medium["role"]).startswith(("reference", "clip_")):
            continue
        shared = _shared_s(medium, answer, given)
        if shared > _LEAST_OVERLAP_S:
            yield _fault(
                "reference_shows_answer",
                f"{medium['role']} and the answer share {shared:.2f} s of one performance",
                shared,
                _LEAST_OVERLAP_S,
            )


def _shared_s(a: dict[str, Any], b: dict[str, Any], given: EvidenceTables) -> float:
    """Seconds that two media share: in one recording, or by their take's clock."""
    if a["recording_id"] == b["recording_id"]:
        return overlap_s(span_of(a), span_of(b))
    try:
        (take_a, off_a, rate_a) = given.take_time(str(a["recording_id"]))
        (take_b, off_b, rate_b) = given.take_time(str(b["recording_id"]))
    except CannotTell:
        return 0.0
    if take_a != take_b:
        return 0.0
    first, second = span_of(a), span_of(b)
    return overlap_s(
        (off_a + rate_a * first[0], off_a + rate_a * first[1]),
        (off_b + rate_b * second[0], off_b + rate_b * second[1]),
    )


def _ahead(question: Question, notes: Derived) -> Iterator[Finding]:
    for hidden in notes.hidden:
        for medium in question.media:
            if medium["recording_id"] != hidden.recording_id:
                continue
            shared = overlap_s(span_of(medium), (hidden.start_s, hidden.end_s))
            if shared > _LEAST_OVERLAP_S:
                yield _fault(
                    hidden.rule,
                    f"{medium['role']} shows {shared:.2f} s of what it must not: {hidden.what}",
                    shared,
                    _LEAST_OVERLAP_S,
                )


def _overlays(question: Question, notes: Derived) -> Iterator[Finding]:
    option = question.answer_option
    for medium in question.media:
        for overlay in medium["overlays"] or ():
            label = str(overlay["label"] or "")
            if option is not None and label and question.in_words:
                told = [o for o in question.options if holds(label, str(o["text"] or ""))]
                if option in told:
                    yield _fault("overlay_tells", f"{medium['role']} is labelled {label!r}")
            yield from _drawn_on_answer(medium, overlay, notes)


def _drawn_on_answer(
    medium: dict[str, Any], overlay: dict[str, Any], notes: Derived
) -> Iterator[Finding]:
    drawn = tuple(float(overlay[c] or 0.0) for c in ("x_min", "y_min", "x_max", "y_max"))
    for answer in notes.answer_boxes:
        if answer.recording_id != medium["recording_id"]:
            continue
        times = (overlay["t_s"], answer.t_s)
        if None not in times and abs(times[0] - times[1]) > _OVERLAY_NEAR_S:
            continue
        share = _overlap_of_boxes(drawn, answer.box)
        if share > _BOX_OVERLAP:
            yield _fault(
                "overlay_on_answer",
                f"{medium['role']} draws a box on the answer (overlap {share:.2f})",
                share,
                _BOX_OVERLAP,
            )
            return


def _overlap_of_boxes(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    """Shared area over joint area."""
    wide = max(0.0, min(a[2], b[2]) - max(a[0], b[0]))
    high = max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
    areas = sum(max(0.0, x[2] - x[0]) * max(0.0, x[3] - x[1]) for x in (a, b))
    joint = areas - wide * high
    return wide * high / joint if joint > 0 else 0.0


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    """A word without its usual endings: cut, cuts, cutting are one."""
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] == word[-2]:
        word = word[:-1]
    return word.removesuffix("e")


def _fault(
    rule: str, message: str, value: float | None = None, threshold: float | None = None
) -> Finding:
    return Finding(NAME, rule, message, "refuse", value=value, threshold=threshold)


GATE = Gate(
    name=NAME,
    about="Neither text, reference, overlay nor a look ahead tells the answer.",
    judge=_judge,
)
