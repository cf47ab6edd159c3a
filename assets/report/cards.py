"""Questions of the browser: from rows to cards."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import polars as pl

from assets.protocols.rendering import options_are_words
from assets.questions.egoprox.planner import Trace
from assets.report.judged import judged_answers
from assets.report.parts import (
    ClipKey,
    Medium,
    Option,
    Place,
    QuestionCard,
    RunReply,
    Step,
    Strip,
    Verdict,
)
from assets.report.plan_drawing import draw
from assets.report.plan_view import PlanView
from expectations.gates.base import SEVERITY
from expectations.schemas import TABLES

_LONGEST_REPLY = 2000
_LONGEST_PROMPT = 4000
# By question id, table and key: another question may mean another recording's row by that key.
Places = Mapping[tuple[str, str, str], Place]


def shown_questions(
    questions: pl.DataFrame,
    per_subtask: int = 3,
    refused: Mapping[str, str] | None = None,
    also: Collection[str] = (),
) -> pl.DataFrame:
    """Questions of the browser: per subtask those of lowest hash, with media before without.

    Args:
        questions: Rows of `questions`.
        per_subtask: At most so many per subtask that no gate refuses, and half as many refused; of
            the refused at least one for each gate that refuses some.
        refused: Gate that refuses a question, by its id.
        also: Ids of questions that are shown beside these.

    Returns:
        The rows, sorted by subtask, the refused ones last, then in the order of choice.
    """
    gates = pl.DataFrame(
        {"question_id": list(refused or {}), "_gate": list((refused or {}).values())},
        schema={"question_id": pl.String, "_gate": pl.String},
    )
    order = (~pl.col("media_present"), "question_hash")
    marked = (
        questions.join(gates, on="question_id", how="left", maintain_order="left")
        .with_columns(pl.col("_gate").is_not_null().alias("_refused"))
        .sort("subtask", "_refused", *order)
        .with_columns(pl.int_range(pl.len()).over("subtask", "_gate").alias("_turn"))
        # Each gate's first refusal comes before any gate's second.
        .sort("subtask", "_refused", pl.when("_refused").then("_turn").otherwise(0), *order)
    )
    most = pl.when("_refused").then(max(1, per_subtask // 2)).otherwise(per_subtask)
    place = pl.int_range(pl.len()).over("subtask", "_refused")
    first_of_gate = pl.col("_refused") & (pl.col("_turn") == 0)
    named = pl.col("question_id").is_in(sorted(also))
    return marked.filter((place < most) | first_of_gate | named).drop("_gate", "_refused", "_turn")


def evidence_keys(questions: pl.DataFrame) -> dict[tuple[str, str], set[str]]:
    """Keys of the rows the cards name, by source and table."""
    found: dict[tuple[str, str], set[str]] = {}
    for row in questions.iter_rows(named=True):
        for table, key in evidence_of(row):
            found.setdefault((row["source"], table), set()).add(key)
    return found


def evidence_of(question: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Table and key of the rows a question's card names; segments of its media included."""
    for e in question["evidence"] or ():
        yield e["table"], e["key"]
    for medium in question["media"]:
        if medium["segment_id"] is not None:
            yield "segments", medium["segment_id"]


def state_of(verdicts: Sequence[str], is_published: bool) -> str:
    """State of a question: `published`, `refused`, `undecided` or `not judged`."""
    if not verdicts:
        return "not judged"
    if is_published:
        return "published"
    return "refused" if "refuse" in verdicts else "undecided"


def build_cards(
    questions: pl.DataFrame,
    answers: pl.DataFrame,
    calls: pl.DataFrame,
    gates: pl.DataFrame,
    published: Collection[str],
    strips: Mapping[ClipKey, Strip],
    places: Places,
    narrating_protocols: Collection[str] = (),
    judgements: pl.DataFrame | None = None,
    timelines: Mapping[str, str] | None = None,
    plans: Mapping[str, PlanView] = MappingProxyType({}),
    traces: Mapping[str, Trace] = MappingProxyType({}),
) -> tuple[QuestionCard, ...]:
    """Cards of some questions.

    Args:
        questions: Rows of `questions`, in shown order.
        answers: Rows of `answers`.
        calls: Rows of `calls`.
        gates: Rows of `question_gates`.
        published: Ids of published questions.
        strips: Frames per medium.
        places: Origin of the rows the questions name.
        narrating_protocols: Labels of the protocols that send the narrations of options that are clips.
        judgements: Rows of `judgements`; None where nothing is judged.
        timelines: Scene graphs over time as SVG text, by the id of the question.
        plans: What lies around the wearer, by the id of the question.
        traces: Calls of tools, by the id of the question.
    """
    judged = TABLES["judgements"].empty() if judgements is None else judgements
    read = answers.join(
        calls.select("run", "call_key", "attempt", "reply", "error", "prompt", "protocol"),
        on=["run", "call_key", "attempt"],
        how="left",
    ).sort("run", "sample")
    cards: list[QuestionCard] = []
    for row in questions.iter_rows(named=True):
        uid = row["question_id"]
        mine = (pl.col("question_id") == uid) & (pl.col("question_hash") == row["question_hash"])
        replied = read.filter(mine)
        replies = tuple(_reply(a) for a in replied.iter_rows(named=True))
        describes = _kind_of_text(row)
        readers = replied.filter(pl.col("protocol").is_in(sorted(narrating_protocols)))["run"]
        readers = readers.unique(maintain_order=True)
        verdicts = _verdicts(gates.filter(mine))
        media = [_medium(m, uid, strips) for m in row["media"]]
        of_options = {m.role: m for m in media}
        options = tuple(
            Option(
                letter=o["letter"],
                text=o["text"] or "",
                is_answer=bool(o["is_answer"]),
                medium=of_options.get(f"option_{o['letter']}"),
                chosen_by=tuple(r.label for r in replies if r.letter == o["letter"]),
                describes=describes if o["text"] else "",
            )
            for o in row["options"]
        )
        cards.append(
            QuestionCard(
                question_id=uid,
                question_hash=row["question_hash"],
                subtask=row["subtask"],
                recipe=row["recipe"] or "",
                source=row["source"],
                split=row["split"] or "",
                text=row["text"],
                state=state_of([v.verdict for v in verdicts], uid in published),
                given=tuple(m for m in media if m not in [o.medium for o in options]),
                options=options,
                answer=row["answer"] or "",
                answer_text=row["answer_text"] or "",
                detailed_answer=row["detailed_answer"] or "",
                rationale=tuple(
                    Step(s["text"], tuple(s["evidence"] or ())) for s in row["rationale"] or ()
                ),
                replies=replies,
                verdicts=verdicts,
                evidence=tuple(
                    _place(places, uid, e["table"], e["key"], e["role"])
                    for e in row["evidence"] or ()
                ),
                segments=tuple(
                    _place(places, uid, "segments", m.segment_id, m.role)
                    for m in media
                    if m.segment_id
                ),
                licence=row["licence"],
                read_by=tuple(readers) if describes else (),
                judged=judged_answers(judged.filter(mine), _LONGEST_REPLY),
                timeline=(timelines or {}).get(uid, ""),
                plan=draw(plans[uid]) if uid in plans else None,
                trace=traces.get(uid),
                answer_visible=row["answer_visible"],
            )
        )
    return tuple(cards)


def _kind_of_text(question: Mapping[str, Any]) -> str:
    """What the texts of options that are clips are; empty where the options are words."""
    if options_are_words(question):
        return ""
    options = question["options"]
    of_segments = all(option["segment_id"] is not None for option in options)
    # A text that all options share, such as the task of a skill question, narrates none of them.
    return "narration" if of_segments and len({o["text"] for o in options}) > 1 else "description"


def _medium(row: Mapping[str, Any], question_id: str, strips: Mapping[ClipKey, Strip]) -> Medium:
    return Medium(
        role=row["role"],
        recording_id=row["recording_id"],
        segment_id=row["segment_id"] or "",
        start_s=row["start_s"],
        end_s=row["end_s"],
        content=row["content"],
        strip=strips.get((question_id, row["role"])),
        in_order=row["media_kind"] == "frames",
    )


def _reply(row: Mapping[str, Any]) -> RunReply:
    parsed = {True: "right", False: "wrong", None: "withheld"}[row["right"]]
    outcome = {"parsed": parsed, "error": "failed"}
    return RunReply(
        run=row["run"],
        letter=row["letter"],
        status=row["status"],
        rule=row["rule"],
        right=row["right"],
        outcome=outcome.get(row["status"], "unparsed"),
        reply=(row["reply"] or row["error"] or "")[:_LONGEST_REPLY],
        prompt=(row["prompt"] or "")[:_LONGEST_PROMPT],
        call_key=row["call_key"],
        sample=row["sample"] or 0,
    )


def _verdicts(gates: pl.DataFrame) -> tuple[Verdict, ...]:
    found = [
        Verdict(**row)
        for row in gates.select(Verdict.__dataclass_fields__.keys()).iter_rows(named=True)
    ]
    return tuple(sorted(found, key=lambda v: (SEVERITY[v.verdict], v.gate, v.protocol)))


def _place(places: Places, question_id: str, table: str, key: str, role: str) -> Place:
    known = places.get((question_id, table, key), Place(table, key, role))
    return replace(known, role=role)
