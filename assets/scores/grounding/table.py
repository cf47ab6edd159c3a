"""From replies with their questions' evidence to the tables of grounding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import polars as pl

from assets.extract.evidence import Evidence, read_evidence
from assets.scores.grounding.matching import Facts, grounding
from assets.scores.table import MACRO, NO_GROUPS, Groups, mean_of_questions, slices
from assets.words.matching import NO_SYNONYMS, Synonyms
from expectations.schemas.grounding import CITED_KINDS, GROUNDING_SCORES, GROUNDINGS

_COPIED = (
    "benchmark",
    "run",
    "question_id",
    "question_hash",
    "subtask",
    "recording_id",
    "call_key",
    "attempt",
)
_READ = ("cited", "nothing")
_NOTHING = ("nothing_cited", "no_items")


def groundings(
    replies: Iterable[Mapping[str, Any]],
    facts: Mapping[str, Facts],
    synonyms: Mapping[str, Synonyms] | None = None,
) -> pl.DataFrame:
    """Rows of `groundings`.

    Args:
        replies: Answers with their reply, finish reason and source.
        facts: Evidence by question id.
        synonyms: What knows synonyms, by source.
    """
    rows = (_row(reply, facts[reply["question_id"]], synonyms or {}) for reply in replies)
    return GROUNDINGS.frame(rows).sort(GROUNDINGS.key)


def _row(
    reply: Mapping[str, Any], facts: Facts, synonyms: Mapping[str, Synonyms]
) -> dict[str, Any]:
    is_cut = reply["finish_reason"] == "length"
    read = read_evidence(reply["reply"], truncated=is_cut)
    status = "cited" if read.status == "parsed" else read.status
    # A lone letter looks like the start of a sentence.
    if read.rule in _NOTHING or (read.rule == "cut_off" and not is_cut):
        status = "nothing"
    counts = grounding(read.value or Evidence(), facts, synonyms.get(reply["source"], NO_SYNONYMS))
    return {
        **{name: reply[name] for name in _COPIED},
        "sample": reply["sample"] or 0,
        "status": status,
        **{
            f"{plural}_{part}": getattr(counts[kind], part)
            for kind, plural in CITED_KINDS.items()
            for part in ("cited", "supported", "known", "found")
        },
    }


def grounding_scores(rows: pl.DataFrame, groups: Groups = NO_GROUPS) -> pl.DataFrame:
    """Precision and recall of a run on every subtask and over all.

    Args:
        rows: Rows of `groundings`.
        groups: Subtasks of each group.

    Returns:
        Rows of `grounding_scores`. A reply whose evidence could not be read is in no value and is counted; one that
        cites nothing finds nothing, and has no precision; neither has one that cites what the evidence says nothing of.
    """
    by_run = rows.partition_by("benchmark", "run", as_dict=True)
    scores = (
        {"benchmark": benchmark, "run": run, **score}
        for (benchmark, run), part in sorted(by_run.items())
        for score in _scores(part, groups)
    )
    return GROUNDING_SCORES.frame(scores).sort(GROUNDING_SCORES.key)


def _scores(rows: pl.DataFrame, groups: Groups) -> Iterator[dict[str, Any]]:
    subtasks, by_slice = set(rows["subtask"]), slices(rows, groups)
    for kind, plural in CITED_KINDS.items():
        for metric, hits, of in (
            ("precision", f"{plural}_supported", f"{plural}_cited"),
            ("recall", f"{plural}_found", f"{plural}_known"),
        ):
            for name, part in by_slice.items():
                yield {
                    "slice": name,
                    "metric": f"{kind}_{metric}",
                    **_score(part, hits, of, subtasks if name == MACRO else None),
                }


def _score(rows: pl.DataFrame, hits: str, of: str, subtasks: set[str] | None) -> dict[str, Any]:
    """Mean share with its interval; over the subtasks where these are given."""
    read = rows.filter(pl.col("status").is_in(_READ))
    counts = (pl.col(of) > 0) & pl.col(hits).is_not_null()
    shares = read.filter(counts).with_columns(value=pl.col(hits) / pl.col(of))
    return mean_of_questions(shares, subtasks) | {"n_unread": rows.height - read.height}
