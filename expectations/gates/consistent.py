"""Gate `consistent`: the question agrees with the annotations it is made from."""

from __future__ import annotations

from collections.abc import Iterator

from expectations.gates.base import Finding, Gate, Notes, Question, listed
from expectations.gates.given import Given

NAME = "consistent"


def _judge(question: Question, given: Given, notes: Notes) -> Iterator[Finding]:
    yield from _recordings(question, given)
    yield from _evidence(question, given)
    for option in question.options:
        shown = question.shown_of(str(option["letter"]))
        if shown is not None and option["segment_id"] != shown["segment_id"]:
            yield _fault(
                "option_shows_another_segment",
                f"option {option['letter']} stands for {option['segment_id']}, its medium is of"
                f" {shown['segment_id']}",
            )
    told, option = question.row["answer_text"], question.answer_option
    if told is not None and option is not None and question.in_words and told != option["text"]:
        yield _fault(
            "answer_text", f"answer_text is {told!r}, option {question.answer} reads otherwise"
        )
    if notes.unknown:
        yield Finding(NAME, "not_derived", notes.unknown, "unknown")


def _recordings(question: Question, given: Given) -> Iterator[Finding]:
    query = question.of_role("query")
    if query is not None and query["recording_id"] != question.recording_id:
        yield _fault(
            "another_recording",
            f"the question is about {question.recording_id}, its query shows"
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
    elif splits and question.row["split"] not in (*splits, None):
        yield _fault(
            "another_split", f"the question says {question.row['split']}, its media {splits.pop()}"
        )
    told = {part.strip() for part in str(question.row["licence"] or "").split(";")}
    lacking = sorted({str(row["licence"]) for row in rows if row["licence"]} - told)
    # A licence may hold a semicolon itself.
    lacking = [x for x in lacking if x not in str(question.row["licence"])]
    if lacking:
        yield _fault("licence", f"the question does not name the licence {listed(lacking)}")
    for medium in question.media:
        row = by_id.get(medium["recording_id"])
        if row is None or row["media"] != "present":
            continue
        content = "+".join(row["media_hashes"] or ())
        if content and (medium["content"] or "") != content:
            yield _fault(
                "content_of_another_file",
                f"{medium['role']} is content {medium['content']!r}, {row['recording_id']} is"
                f" {content!r}",
            )
    if rows:
        present = all(row["media"] == "present" for row in rows)
        if bool(question.row["media_present"]) != present:
            yield _fault("media_present", f"media_present is {question.row['media_present']}")


def _evidence(question: Question, given: Given) -> Iterator[Finding]:
    shown = {str(m["recording_id"]) for m in question.media}
    for row in question.evidence:
        found = given.evidence_rows(str(row["table"]), str(row["key"])) or []
        where = {str(f["recording_id"]) for f in found if f.get("recording_id") is not None}
        if where and not where & shown:
            yield _fault(
                "evidence_of_another_recording",
                f"{row['table']}:{row['key']} is of {listed(sorted(where))}, the media of"
                f" {listed(sorted(shown))}",
            )


def _fault(rule: str, message: str) -> Finding:
    return Finding(NAME, rule, message)


GATE = Gate(
    name=NAME,
    about="Recordings, views, times, splits and licences agree with the annotations.",
    judge=_judge,
)
