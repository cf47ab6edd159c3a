"""From tables to what the page shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from assets.scores.page import (
    ClipKey,
    FunnelStep,
    Medium,
    Option,
    PageModel,
    QuestionCard,
    Refusal,
    Run,
    RunReply,
    Score,
    Source,
)
from assets.scores.table import MACRO, MICRO
from expectations.schemas.derived import STAGES_OF_ASSOCIATION

_LONGEST_REPLY = 2000
# What a candidate has that reached the stage, for readers who have not seen the code.
_STAGES = {
    "candidates": "same verb and noun set, other view",
    "sets": "chosen as the positive of a query",
    "negatives_5": "with negatives for 5 options",
    "negatives_20": "with negatives for 20 options",
}


def shown_questions(questions: pl.DataFrame, per_subtask: int = 3) -> pl.DataFrame:
    """Questions of the browser: per subtask those of lowest hash, with media before without.

    Args:
        questions: Rows of `questions`.
        per_subtask: At most so many per subtask.

    Returns:
        The rows, sorted by subtask, then in the order of choice.
    """
    return (
        questions.sort("subtask", ~pl.col("media_present"), "question_hash")
        .group_by("subtask", maintain_order=True)
        .head(per_subtask)
    )


def clips_of(questions: pl.DataFrame) -> list[tuple[str, ClipKey]]:
    """Clips the browser shows of these questions, each once: source and clip."""
    found = {
        (row["source"], (m["recording_id"], m["start_s"], m["end_s"]))
        for row in questions.iter_rows(named=True)
        if row["media_present"]
        for m in row["media"]
    }
    return sorted(found)


def build_page_model(
    *,
    title: str,
    benchmark: str,
    questions: pl.DataFrame,
    calls: pl.DataFrame,
    answers: pl.DataFrame,
    scores: pl.DataFrame,
    candidates: pl.DataFrame,
    quarantine: pl.DataFrame,
    recordings: pl.DataFrame,
    source_status: Mapping[str, str],
    frames: Mapping[ClipKey, Sequence[bytes]],
    is_sample: bool,
    protocol_notes: Mapping[str, str] | None = None,
    state: str = "",
    per_subtask: int = 3,
) -> PageModel:
    """What the page shows of one benchmark.

    Args:
        title: Title of the page.
        benchmark: Benchmark; tables may hold others, which are left out.
        questions: Rows of `questions`.
        calls: Rows of `calls`.
        answers: Rows of `answers`.
        scores: Rows of `scores`.
        candidates: Rows of `candidates` of the sources shown.
        quarantine: Rows of `quarantine` of the sources shown.
        recordings: Rows of `recordings` of the sources shown.
        source_status: Status per configured source (`listed`, `absent` ...).
        frames: JPEG bytes per clip, see `clips_of`; a clip without any is shown by its times.
        is_sample: Whether the sources are sample worlds.
        protocol_notes: What a protocol sends, by its label (`direct/1`).
        state: Digest or release of the data.
        per_subtask: Questions in the browser per subtask.
    """
    questions = questions.filter(pl.col("benchmark") == benchmark)
    answers = answers.filter(pl.col("benchmark") == benchmark)
    scores = scores.filter(pl.col("benchmark") == benchmark)
    calls = calls.filter(pl.col("benchmark") == benchmark)
    subtasks = sorted({*questions["subtask"], *scores["slice"]} - {MICRO, MACRO})
    return PageModel(
        title=title,
        benchmark=benchmark,
        state=state,
        n_questions=len(questions),
        n_with_media=int(questions["media_present"].sum()),
        is_sample=is_sample,
        slices=(MACRO, MICRO, *subtasks),
        runs=_runs(scores, calls, protocol_notes or {}),
        funnel=funnel(candidates),
        refusals=refusals(quarantine),
        sources=_sources(recordings, source_status),
        cards=_cards(shown_questions(questions, per_subtask), answers, calls, frames),
    )


def funnel(candidates: pl.DataFrame) -> tuple[FunnelStep, ...]:
    """Candidates per source and stage reached; a later stage implies the earlier ones."""
    steps: list[FunnelStep] = []
    for source in sorted(candidates["source"].unique()):
        reached = candidates.filter(pl.col("source") == source)["stage"].to_list()
        steps.append(FunnelStep(source, "candidates", _STAGES["candidates"], len(reached)))
        for i, stage in enumerate(STAGES_OF_ASSOCIATION):
            n = sum(s in STAGES_OF_ASSOCIATION[i:] for s in reached)
            steps.append(FunnelStep(source, stage, _STAGES.get(stage, stage), n))
    return tuple(steps)


def refusals(quarantine: pl.DataFrame) -> tuple[Refusal, ...]:
    """Refusals per source, stage and rule, most frequent first, with the first as example."""
    groups = (
        quarantine.sort("refusal")
        .group_by("source", "stage", "rule", maintain_order=True)
        .agg(pl.len().alias("n"), pl.col("file", "row", "value", "message", "remedy").first())
        .sort("n", "source", "stage", "rule", descending=[True, False, False, False])
    )
    return tuple(
        Refusal(
            source=row["source"],
            stage=row["stage"],
            rule=row["rule"],
            n=row["n"],
            where=" · ".join(str(row[k]) for k in ("file", "row", "value") if row[k] is not None),
            message=row["message"],
            remedy=row["remedy"],
        )
        for row in groups.iter_rows(named=True)
    )


def _sources(recordings: pl.DataFrame, status: Mapping[str, str]) -> tuple[Source, ...]:
    rows: list[Source] = []
    for name in sorted({*status, *recordings["source"].unique()}):
        part = recordings.filter(pl.col("source") == name)
        present = int((part["media"] == "present").sum())
        rows.append(
            Source(
                name=name,
                status=status.get(name, "not configured"),
                recordings=len(part),
                present=present,
                missing=len(part) - present,
                licence=", ".join(sorted(part["licence"].unique())),
            )
        )
    return tuple(rows)


def _runs(scores: pl.DataFrame, calls: pl.DataFrame, notes: Mapping[str, str]) -> tuple[Run, ...]:
    latest = calls.sort("asked_at", "attempt", "call_key").group_by("run").last()
    said = {row["run"]: row for row in latest.select("run", "model", "protocol").to_dicts()}
    runs: list[Run] = []
    for name in sorted(scores["run"].unique()):
        cells = {
            row["slice"]: Score(**row)
            for row in scores.filter((pl.col("run") == name) & (pl.col("metric") == "accuracy"))
            .select(Score.__dataclass_fields__.keys())
            .to_dicts()
        }
        about = said.get(name, {"model": "", "protocol": ""})
        protocol = about["protocol"]
        runs.append(Run(name, about["model"], protocol, notes.get(protocol, ""), cells))
    return tuple(runs)


def _medium(row: dict[str, Any], frames: Mapping[ClipKey, Sequence[bytes]]) -> Medium:
    key = (row["recording_id"], row["start_s"], row["end_s"])
    return Medium(
        recording_id=row["recording_id"],
        segment_id=row["segment_id"],
        start_s=row["start_s"],
        end_s=row["end_s"],
        content=row["content"],
        jpegs=tuple(frames.get(key, ())),
    )


def _cards(
    questions: pl.DataFrame,
    answers: pl.DataFrame,
    calls: pl.DataFrame,
    frames: Mapping[ClipKey, Sequence[bytes]],
) -> tuple[QuestionCard, ...]:
    read = answers.join(
        calls.select("run", "call_key", "attempt", "reply", "error"),
        on=["run", "call_key", "attempt"],
        how="left",
    ).sort("run")
    cards: list[QuestionCard] = []
    for row in questions.iter_rows(named=True):
        replies = tuple(
            RunReply(
                run=a["run"],
                letter=a["letter"],
                status=a["status"],
                rule=a["rule"],
                right=a["right"],
                reply=(a["reply"] or a["error"] or "")[:_LONGEST_REPLY],
                call_key=a["call_key"],
            )
            for a in read.filter(
                (pl.col("question_id") == row["question_id"])
                & (pl.col("question_hash") == row["question_hash"])
            ).iter_rows(named=True)
        )
        media = {m["role"]: _medium(m, frames) for m in row["media"]}
        cards.append(
            QuestionCard(
                question_id=row["question_id"],
                question_hash=row["question_hash"],
                subtask=row["subtask"],
                source=row["source"],
                split=row["split"] or "",
                text=row["text"],
                query=media.get("query"),
                options=tuple(
                    Option(
                        letter=o["letter"],
                        text=o["text"] or "",
                        is_answer=o["is_answer"],
                        medium=media.get(f"option_{o['letter']}"),
                        chosen_by=tuple(r.run for r in replies if r.letter == o["letter"]),
                    )
                    for o in row["options"]
                ),
                replies=replies,
                evidence=tuple((e["table"], e["key"], e["role"]) for e in row["evidence"]),
                licence=row["licence"],
            )
        )
    return tuple(cards)
