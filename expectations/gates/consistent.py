"""Gate `consistent`: the question agrees with the annotations it is made from."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from expectations.gates.base import (
    Derived,
    Finding,
    Gate,
    Question,
    finite,
    listed,
    overlap_s,
    span_of,
)
from expectations.gates.statements import parse
from expectations.gates.tables import EvidenceTables
from expectations.schemas.readings import unwritten_recipe

NAME = "consistent"
_DRAWN_NEAR_S = 0.5
_DRAWN_WITHIN = 0.02
_SIDES = ("x_min", "y_min", "x_max", "y_max")
_SHOWN_KEYS = 3
# No question is as long: parsing one would take minutes.
_LONGEST_CHARS = 2000


def _judge(question: Question, given: EvidenceTables, notes: Derived) -> Iterator[Finding]:
    yield from _recordings(question, given)
    yield from _evidence(question, given, notes)
    for option in question.options:
        shown = question.shown_of(str(option["letter"]))
        if shown is not None and option["segment_id"] != shown["segment_id"]:
            yield _fault(
                "option_shows_another_segment",
                f"option {option['letter']} stands for {option['segment_id']}, its medium is of"
                f" {shown['segment_id']}",
            )
    yield from _words(question)
    yield from _segments(question, given)
    yield from _marks(question, given)
    yield from _visible(question, notes)
    if notes.unknown:
        yield Finding(NAME, "not_derived", notes.unknown, "unknown")
    else:
        yield from _evidence_roles(question, notes)
        yield from _text(question, notes)


def _visible(question: Question, notes: Derived) -> Iterator[Finding]:
    """A question about what comes next says whether its clip shows the beginning of it; others say nothing."""
    said, right = question.row.get("answer_visible"), notes.answer_visible
    if said is not right:
        yield _fault("answer_visible", f"answer_visible is {said}, by the tables it is {right}")


def _words(question: Question) -> Iterator[Finding]:
    """The open form's answer is the option's text; only options in words have one."""
    text, option = question.row["answer_text"], question.answer_option
    if not question.in_words:
        if text is not None:
            yield _fault("answer_text", f"answer_text is {text!r}, the options are media")
    elif option is not None and text != option["text"]:
        yield _fault(
            "answer_text",
            f"answer_text is {text!r}, option {question.answer} reads {option['text']!r}",
        )
    prefix = f"{question.source}/{unwritten_recipe(question.recipe)}/"
    if not str(question.row["pool"]).startswith(prefix):
        yield _fault("another_pool", f"pool {question.row['pool']} does not begin with {prefix}")


def _segments(question: Question, given: EvidenceTables) -> Iterator[Finding]:
    """Options and media of questions in words stand for no segment, or for one they show."""
    if not question.in_words:
        return  # derivations compare each clip with its segment
    for option in question.options:
        if option["segment_id"] is not None:
            yield _fault(
                "option_segment",
                f"option {option['letter']} is in words and stands for segment"
                f" {option['segment_id']}",
            )
    for medium in question.media:
        key = medium["segment_id"]
        if key is None:
            continue
        row = given.one("segments", segment_id=key) if given.has("segments") else None
        if row is None or row["recording_id"] != medium["recording_id"]:
            yield _fault(
                "medium_segment",
                f"{medium['role']} stands for segment {key}, which is not one of"
                f" {medium['recording_id']}",
            )
        elif finite(row["start_s"], row["end_s"]) and not overlap_s(
            span_of(medium), (row["start_s"], row["end_s"])
        ):
            yield _fault("medium_segment", f"{medium['role']} shows nothing of segment {key}")


def _marks(question: Question, given: EvidenceTables) -> Iterator[Finding]:
    """What is drawn on a picture is a box that the evidence names."""
    boxes = [
        row for key in question.keys_of("boxes") for row in given.evidence_rows("boxes", key) or ()
    ]
    for medium in question.media:
        strange = [
            overlay
            for overlay in medium["overlays"] or ()
            if not any(_is_drawn(overlay, medium, row) for row in boxes)
        ]
        if strange:
            sides = [strange[0][c] for c in _SIDES]
            more = f" and {len(strange) - 1} more" if len(strange) > 1 else ""
            yield _fault(
                "mark_without_evidence",
                f"{medium['role']} draws {strange[0]['kind']} {sides}, which is the box of no"
                f" evidence row{more}",
            )


def _is_drawn(
    overlay: Mapping[str, Any], medium: Mapping[str, Any], row: Mapping[str, Any]
) -> bool:
    if row["recording_id"] != medium["recording_id"] or "x_min" not in row:
        return False
    times = (overlay["t_s"], row["t_s"])
    if finite(*times) and abs(times[0] - times[1]) > _DRAWN_NEAR_S:
        return False
    return all(
        finite(overlay[c], row[c]) and abs(overlay[c] - row[c]) <= _DRAWN_WITHIN for c in _SIDES
    )


def _recordings(question: Question, given: EvidenceTables) -> Iterator[Finding]:
    query = question.subject
    if query is not None and query["recording_id"] != question.recording_id:
        yield _fault(
            "another_recording",
            f"the question is about {question.recording_id}, its {query['role']} shows"
            f" {query['recording_id']}",
        )
    rows = [
        row
        for uid in dict.fromkeys(str(m["recording_id"]) for m in question.media)
        if given.has("recordings") and (row := given.one("recordings", recording_id=uid))
    ]
    by_id = {row["recording_id"]: row for row in rows}
    for row in rows:
        if row["source"] != question.source:
            yield _fault("another_source", f"{row['recording_id']} is of source {row['source']}")
    splits = {row["split"] for row in rows} - {None}
    if len(splits) > 1:
        yield _fault("across_splits", f"media come from the splits {listed(sorted(splits))}")
    elif rows and question.row["split"] != next(iter(splits), None):
        yield _fault(
            "another_split",
            f"the question says {question.row['split']}, its media {listed(sorted(splits)) or None}",
        )
    yield from _licences(str(question.row["licence"] or ""), rows)
    for medium in question.media:
        row = by_id.get(medium["recording_id"])
        if row is None:
            continue
        content = "+".join(row["media_hashes"] or ()) if row["media"] == "present" else ""
        if (medium["content"] or "") != content:
            yield _fault(
                "content_of_another_file",
                f"{medium['role']} is content {medium['content']!r}, {row['recording_id']} is"
                f" {content!r}",
            )
    if rows:
        present = all(row["media"] == "present" for row in rows)
        if bool(question.row["media_present"]) != present:
            yield _fault("media_present", f"media_present is {question.row['media_present']}")


def _licences(text: str, rows: list[dict[str, Any]]) -> Iterator[Finding]:
    """The question names the licences of its media and no others."""
    licences = sorted(
        {str(row["licence"]) for row in rows if row["licence"]}, key=len, reverse=True
    )
    missing = [x for x in licences if x not in text]
    if missing:
        yield _fault("licence", f"the question does not name the licence {listed(missing)}")
    rest = text
    # A licence may hold a semicolon itself.
    for licence in licences:
        rest = rest.replace(licence, "")
    if rest.strip("; ") and all(row["licence"] for row in rows):
        yield _fault("licence", f"the question names {rest.strip('; ')!r}, a licence of no medium")


def _evidence(question: Question, given: EvidenceTables, notes: Derived) -> Iterator[Finding]:
    shown = {str(m["recording_id"]) for m in question.media}
    # What the wearer does is annotated on the wearer's recording, also where an observer's is shown.
    derived = {(rule.table, key) for rule in notes.evidence for key in rule.keys}
    for row in question.evidence:
        table, key = str(row["table"]), str(row["key"])
        rows = given.evidence_rows(table, key)
        if rows is None:
            continue  # not read here, as `well_formed` says
        if not rows:
            yield _fault(
                "evidence_outside_unit",
                f"{table}:{key} is not a row of {listed(sorted(shown))} or anything else the"
                " question may rest on; it is of another unit, or does not exist",
            )
            continue
        where = {str(f["recording_id"]) for f in rows if f.get("recording_id") is not None}
        if where and not where & shown and (table, key) not in derived:
            yield _fault(
                "evidence_of_another_recording",
                f"{table}:{key} is of {listed(sorted(where))}, the media of"
                f" {listed(sorted(shown))}",
            )


def _text(question: Question, notes: Derived) -> Iterator[Finding]:
    """The text asks what the derivation answers, and states nothing else."""
    if question.is_written and not notes.asks:
        return  # the words are a model's own; its options are judged one by one
    if notes.unread:
        return
    if not notes.asks:
        yield Finding(
            NAME, "text_not_derived", "the derivation does not say what is asked", "unknown"
        )
        return
    text = question.text if notes.plain_text is None else notes.plain_text
    if len(text) > _LONGEST_CHARS:
        yield _fault("text", f"the text has {len(text)} characters, no question is as long")
        return
    parsed = parse(text, notes.asks)
    for match in parsed.matches:
        for error in match.errors():
            yield _fault("text", f"the text says {error}")
    for other in parsed.unmatched:
        yield _fault("text", f"the text says {other!r}, which is not what this subtask asks")
    names = [match.statement.name for match in parsed.matches]
    if not parsed.unmatched and sorted(names) != sorted(s.name for s in notes.asks):
        yield _fault("text", f"the text asks for {listed(names)}, once each is expected")


def _evidence_roles(question: Question, notes: Derived) -> Iterator[Finding]:
    """The evidence names the rows that the derivation rests on, each under its role."""
    if not notes.evidence:
        yield Finding(
            NAME, "evidence_not_derived", "the derivation names no rows it rests on", "unknown"
        )
        return
    allowed: dict[tuple[str, str], set[str]] = {}
    for rule in notes.evidence:
        allowed.setdefault((rule.role, rule.table), set()).update(rule.keys)
    named: dict[tuple[str, str], set[str]] = {}
    wrong: list[str] = []
    for row in question.evidence:
        role, table, key = (str(row[c]) for c in ("role", "table", "key"))
        named.setdefault((role, table), set()).add(key)
        keys = allowed.get((role, table), set())
        if key not in keys:
            instead = f" ({_shown(keys)} would be)" if keys else ""
            wrong.append(f"{table}:{key} is not the {role} of this question{instead}")
    if wrong:
        yield _fault("evidence_role", _shown(wrong))
    left_out: list[str] = []
    for rule in notes.evidence:
        missing = rule.keys - named.get((rule.role, rule.table), set())
        if (rule.needed == "all" and missing) or (rule.needed == "one" and missing == rule.keys):
            left_out.append(f"{rule.role} ({rule.table}:{_shown(missing) or 'none there'})")
    if left_out:
        yield _fault("evidence_left_out", f"the evidence does not name the {_shown(left_out)}")


def _shown(parts: Collection[str]) -> str:
    more = len(parts) - _SHOWN_KEYS
    return listed(sorted(parts)[:_SHOWN_KEYS]) + (f" and {more} more" if more > 0 else "")


def _fault(rule: str, message: str) -> Finding:
    return Finding(NAME, rule, message)


GATE = Gate(
    name=NAME,
    about="Recordings, views, times, splits, licences, option texts and evidence agree with the"
    " annotations.",
    judge=_judge,
)
