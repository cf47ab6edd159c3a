"""Gate `well_formed`: letters, one answer, differing options and media, existing evidence, its hash."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from expectations.gates.base import LETTERS, Derived, Finding, Gate, Question, finite
from expectations.gates.candidates import broken_sequences, sequence_faults
from expectations.gates.seen_hash import seen_hash
from expectations.gates.tables import EVIDENCE_KEYS, EvidenceTables
from expectations.gates.words import plain

NAME = "well_formed"
_ROLES = re.compile(r"query|reference(_\d+)?|clip_\d+|video_\d+|option_[A-T]")
_LEFT_OVER = re.compile(
    r"\{\{|\}\}|\{%|%\}|\{[a-z_]*\}|<[a-z_]+>|\bNone\b|\bnull\b|\bnan\b|\bundefined\b"
)
_SAME_INSTANT_S = 1e-6
# A container's stated length and its last frame's end differ by up to a frame.
_END_TOLERANCE_S = 0.1
_SHORTEST_CLIP_S = 0.2
_MEDIA_KINDS = ("clip", "frames", "image")
_MARK_KINDS = ("box",)
_WIDEST_LINE = 0.2
# An option that says of two videos that they are the same.
_TWO_VIDEOS = re.compile(r"Video(\d+)-Video(\d+)")


def broken_shape(question: Question) -> Iterator[Finding]:
    """What leaves nothing to judge: no options, no media, clips without times."""
    if not plain(question.text):
        yield _fault("text_empty", "the question has no text")
    is_open = question.is_released and not question.options
    if question.is_sequence:
        yield from broken_sequences(question)
    elif len(question.options) < 2 and not is_open:
        yield _fault("too_few_options", f"{len(question.options)} options", len(question.options))
    for option in question.options:
        unsaid = option["is_answer"] is None and not question.is_withheld
        if option["letter"] is None or unsaid:
            yield _fault("option_incomplete", f"an option lacks letter or is_answer: {option}")
    if not question.media:
        yield _fault("no_media", "the question shows no medium")
    for medium in question.media:
        name = f"{medium['role']} of {medium['recording_id']}"
        if not medium["recording_id"] or not medium["role"]:
            yield _fault("medium_incomplete", f"medium {name} lacks a role or a recording")
            continue
        start, end = medium["start_s"], medium["end_s"]
        if question.is_released and not medium["content"] and not finite(start, end):
            yield _fault("media_missing", f"medium {name} is not here: fetch it with its source")
        elif not finite(start, end):
            yield _fault("clip_without_times", f"medium {name} has times {start}..{end}")
        elif (medium["media_kind"] != "image" and end - start <= _SAME_INSTANT_S) or end < start:
            yield _fault("clip_empty", f"medium {name} shows {start}..{end} s", end - start, 0.0)


def _judge(question: Question, given: EvidenceTables, notes: Derived) -> Iterator[Finding]:  # noqa: ARG001
    shape = list(broken_shape(question))
    yield from shape
    if not shape and seen_hash(question.row) != question.row["question_hash"]:
        yield _fault(
            "question_hash",
            f"question_hash is {question.row['question_hash']}, what is shown hashes to"
            f" {seen_hash(question.row)}: text, options or media were changed afterwards",
        )
    if question.is_released:
        yield from () if shape else _released_form(question, given)
        return
    yield from sequence_faults(question) if question.is_sequence else _letters(question)
    yield from _texts(question)
    yield from _media(question, given)
    yield from _evidence(question, given)
    yield from _rationale(question, given)


def _released_form(question: Question, given: EvidenceTables) -> Iterator[Finding]:
    """What must hold of a question that others worded: options that differ, clips in their recordings."""
    if question.options and not question.is_withheld:
        yield from _letters(question)
    if question.in_words:
        seen: dict[str, str] = {}
        for option in question.options:
            letter, text = str(option["letter"]), " ".join(str(option["text"] or "").split())
            if not text:
                yield _fault("option_empty", f"option {letter} has no text")
            elif text in seen:
                yield _fault("option_twice", f"options {seen[text]} and {letter} read {text!r}")
            seen.setdefault(text, letter)
    for medium in question.media:
        yield from _inside(medium, given)
    yield from _evidence(question, given)


def _letters(question: Question) -> Iterator[Finding]:
    kind = question.row.get("answer_kind")
    if kind not in (None, "option"):
        yield _fault("answer_kind", f"a question with options is answered by one, not by {kind}")
    if question.candidates:
        n = len(question.candidates)
        yield _fault("candidates_beside", f"{n} candidates stand beside the options", n, 0)
    letters = question.letters
    if letters != list(LETTERS[: len(letters)]):
        yield _fault("letters", f"letters are {', '.join(letters)}, not A, B, ... in order")
    right = [str(o["letter"]) for o in question.options if o["is_answer"]]
    if len(right) != 1:
        yield _fault("one_answer", f"{len(right)} options are marked as the answer", len(right), 1)
    if question.answer not in letters:
        yield _fault("answer_letter", f"the answer {question.answer!r} is not option's letter")
    elif len(right) == 1 and right[0] != question.answer:
        yield _fault("answer_letter", f"the answer is {question.answer}, but {right[0]} is marked")
    chance = question.row["chance"]
    fair = 1.0 / max(1, len(letters))
    if not finite(chance) or abs(chance - fair) > 1e-9:
        yield _fault("chance", f"chance is {chance}, one of {len(letters)} is {fair:g}", chance)


def _texts(question: Question) -> Iterator[Finding]:
    hidden = [c for c in _unseen(question.text) if c != "\n"]
    hidden += [c for o in question.options for c in _unseen(str(o["text"] or ""))]
    explained = {
        "answer_text": question.row["answer_text"],
        "detailed_answer": question.row["detailed_answer"],
        **{f"step {s['step']} of the rationale": s["text"] for s in question.rationale},
    }
    hidden += [c for text in explained.values() for c in _unseen(text or "") if c != "\n"]
    if hidden:
        codes = ", ".join(sorted({f"U+{ord(c):04X}" for c in hidden}))
        yield _fault("text_control", f"texts hold characters nobody sees: {codes}")
    for name, text in {"the text": question.text, **explained}.items():
        left_over = _LEFT_OVER.search(text or "")
        if left_over:
            yield _fault("text_unrendered", f"{name} holds {left_over.group()!r}")
    if question.in_words:
        seen: dict[str, str] = {}
        for option in question.options:
            letter, text = str(option["letter"]), str(option["text"] or "")
            words = re.sub(r"[\W_]+", " ", plain(text)).strip()
            if not words:
                yield _fault("option_empty", f"option {letter} has no text")
            elif words in seen:
                yield _fault("option_twice", f"options {seen[words]} and {letter} read {text!r}")
            if _LEFT_OVER.search(text):
                yield _fault("text_unrendered", f"option {letter} reads {text!r}")
            seen.setdefault(words, letter)
        values: dict[str, str] = {}
        for option in question.options:
            value = option["value"]
            if value is not None and value in values:
                yield _fault(
                    "option_twice",
                    f"options {values[value]} and {option['letter']} mean {value!r}",
                )
            if value is not None:
                values[value] = str(option["letter"])
    valued = [str(o["letter"]) for o in question.options if o["value"] is not None]
    if valued and not question.in_words:
        yield _fault("option_value", f"options {', '.join(valued)} are media and have a value")
    lacking = [str(o["letter"]) for o in question.options if o["value"] is None]
    if question.in_words and 0 < len(lacking) < len(question.options):
        yield _fault("value_missing", f"options {', '.join(lacking)} have no value, others have")
    told, option = question.row["answer_text"], question.answer_option
    if told is not None and option is not None and question.in_words and not plain(told):
        yield _fault("answer_text_empty", "answer_text is blank")


@lru_cache(maxsize=4096)
def _unseen(text: str) -> tuple[str, ...]:
    """Characters of a text that nobody sees; its line ends are among them."""
    return tuple(c for c in text if unicodedata.category(c) in ("Cc", "Cf"))


def _media(question: Question, given: EvidenceTables) -> Iterator[Finding]:
    roles = [str(m["role"]) for m in question.media]
    for role in dict.fromkeys(roles):
        if not _ROLES.fullmatch(role):
            yield _fault("role", f"medium role {role!r} is not known")
        if roles.count(role) > 1:
            yield _fault("role_twice", f"{roles.count(role)} media have the role {role}")
    if question.subject is None:
        yield _fault("no_query", "no medium has the role query")
    if not question.in_words:
        wanted = {f"option_{x}" for x in question.letters}
        shown = {r for r in roles if r.startswith("option_")}
        if wanted != shown:
            odd = ", ".join(sorted(wanted ^ shown))
            yield _fault("option_media", f"options and their media do not match: {odd}")
    duplicates = _duplicates(question)
    seen: dict[tuple[Any, ...], str] = {}
    for medium in question.media:
        role, start, end = str(medium["role"]), medium["start_s"], medium["end_s"]
        if not finite(start, end):
            continue
        # The same pixels under another recording's name are the same medium.
        whose = medium["content"] or medium["recording_id"]
        # Equal pictures with other boxes on them are other media.
        drawn = repr([sorted(overlay.items(), key=str) for overlay in medium["overlays"] or ()])
        same = (whose, round(start, 3), round(end, 3), tuple(medium["times_s"] or ()), drawn)
        if same in seen and {seen[same], role} != duplicates:
            yield _fault(
                "medium_twice", f"{seen[same]} and {role} show the same {start:.2f}..{end:.2f} s"
            )
        seen.setdefault(same, role)
        yield from _inside(medium, given)


def _duplicates(question: Question) -> set[str]:
    """Roles of the two videos that the right option calls the same, where options are pairs of videos."""
    option = question.answer_option
    named = _TWO_VIDEOS.fullmatch(str(option["text"] or "")) if option is not None else None
    return set() if named is None else {f"video_{number}" for number in named.groups()}


def _inside(medium: dict[str, Any], given: EvidenceTables) -> Iterator[Finding]:
    role, start, end = str(medium["role"]), medium["start_s"], medium["end_s"]
    kind, instants = medium["media_kind"], medium["times_s"] or ()
    if kind not in _MEDIA_KINDS:
        yield _fault("media_kind", f"{role} is a {kind}; use {', '.join(_MEDIA_KINDS)}")
    elif kind == "image" and end - start > _SAME_INSTANT_S:
        yield _fault("media_kind", f"{role} is an image and lasts {end - start:.3f} s", end - start)
    if bool(instants) != (medium["sampling"] == "given") and kind == "clip":
        yield _fault(
            "times_unused",
            f"{role} names {len(instants)} instants and has the sampling rule"
            f" {medium['sampling']}; instants belong to `given`",
        )
    if start < -_SAME_INSTANT_S:
        yield _fault("clip_outside", f"{role} starts before its recording", start, 0.0)
    if medium["media_kind"] == "clip" and _SAME_INSTANT_S < end - start < _SHORTEST_CLIP_S:
        yield _fault(
            "clip_too_short", f"{role} lasts {end - start:.3f} s", end - start, _SHORTEST_CLIP_S
        )
    recording = (
        given.one("recordings", recording_id=medium["recording_id"])
        if given.has("recordings")
        else None
    )
    if recording is None:
        yield _fault("recording_missing", f"{role} is of {medium['recording_id']}, which is not")
        return
    lengths = [recording[c] for c in ("duration_s", "media_duration_s") if finite(recording.get(c))]
    shown = given.frames.get(str(medium["recording_id"]))
    if not lengths and shown is not None and not shown.frames.is_empty():
        lengths = [float(shown.frames["t_s"].max())]  # type: ignore[arg-type]
    if lengths and end > max(lengths) + _END_TOLERANCE_S:
        yield _fault(
            "clip_outside",
            f"{role} ends at {end:.3f} s, its recording at {max(lengths):.3f} s",
            end,
            max(lengths),
        )
    for t in medium["times_s"] or ():
        if not finite(t) or not start - _SAME_INSTANT_S <= t <= end + _SAME_INSTANT_S:
            yield _fault("time_outside", f"{role} asks for {t} s, its clip is {start}..{end} s", t)
    for overlay in medium["overlays"] or ():
        if overlay["kind"] not in _MARK_KINDS:
            yield _fault(
                "overlay_kind", f"{role} draws a {overlay['kind']}; only a box can be drawn"
            )
        if not finite(overlay["width"]) or not 0 < overlay["width"] <= _WIDEST_LINE:
            yield _fault("overlay_width", f"{role} draws a line of width {overlay['width']}")
        box = [overlay[c] for c in ("x_min", "y_min", "x_max", "y_max")]
        inside = finite(*box) and all(0.0 <= v <= 1.0 for v in box)
        if not inside or box[0] >= box[2] or box[1] >= box[3]:
            yield _fault("overlay_outside", f"{role} draws the box {box}, which is not valid")
        t = overlay["t_s"]
        if t is not None and not start - _SAME_INSTANT_S <= t <= end + _SAME_INSTANT_S:
            yield _fault("overlay_outside", f"{role} draws a box at {t} s, outside its clip", t)


def _evidence(question: Question, given: EvidenceTables) -> Iterator[Finding]:
    if not question.evidence:
        yield _fault("no_evidence", "the question names no row it rests on")
    rows = [(e["table"], e["key"], e["role"]) for e in question.evidence]
    for table, key, role in dict.fromkeys(r for r in rows if rows.count(r) > 1):
        yield _fault("evidence_twice", f"{table}:{key} stands twice as {role}")
    for row in question.evidence:
        yield from _exists(str(row["table"]), str(row["key"]), "evidence", given)


def _rationale(question: Question, given: EvidenceTables) -> Iterator[Finding]:
    steps = question.rationale
    if [s["step"] for s in steps] != list(range(1, len(steps) + 1)):
        yield _fault("rationale_order", f"steps are numbered {[s['step'] for s in steps]}")
    known = {str(e["key"]) for e in question.evidence}
    known |= {f"{e['table']}:{e['key']}" for e in question.evidence}
    for step in steps:
        name = f"step {step['step']} of the rationale"
        if not plain(step["text"] or ""):
            yield _fault("rationale_empty", f"{name} has no text")
        if not step["evidence"]:
            yield _fault("rationale_without_evidence", f"{name} names no row")
        for key in step["evidence"] or ():
            if key in known:
                continue
            table, colon, rest = str(key).partition(":")
            if colon and table in EVIDENCE_KEYS:
                yield from _exists(table, rest, name, given)
            else:
                yield _fault("rationale_evidence", f"{name} names {key!r}, which is not evidence")


def _exists(table: str, key: str, whose: str, given: EvidenceTables) -> Iterator[Finding]:
    rows = given.evidence_rows(table, key)
    if rows is None:
        yield Finding(
            NAME, "evidence_unread", f"{whose} names {table}:{key}, not read here", "unknown"
        )
    elif not rows:
        yield _fault("evidence_missing", f"{whose} names {table}:{key}, which does not exist")


def _fault(
    rule: str, message: str, value: float | None = None, threshold: float | None = None
) -> Finding:
    value = float(value) if finite(value) else None  # type: ignore[arg-type]
    return Finding(NAME, rule, message, "refuse", value=value, threshold=threshold)


GATE = Gate(
    name=NAME,
    of_form=True,
    about="Letters, one answer, options and media that differ, evidence that exists, the hash of what"
    " is shown.",
    judge=_judge,
)
