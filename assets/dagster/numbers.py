"""Numbers of a table's rows in one partition, which the Dagster UI plots over its materialisations."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import polars as pl

DIGITS = 4
Number = int | float
Numbers = Callable[[pl.LazyFrame], dict[str, Number]]


def numbers(table: str, rows: pl.LazyFrame) -> dict[str, Number]:
    """Numbers of a table's rows beside their count; empty for a table that has no further ones.

    Args:
        table: Name of the table.
        rows: Its rows in one partition.
    """
    count = _NUMBERS.get(table)
    counted = {} if count is None else count(rows)
    return {name: round(value, DIGITS) for name, value in counted.items()}


def _one_row(rows: pl.LazyFrame, **columns: pl.Expr) -> dict[str, Number]:
    """Values by name (with spaces for underscores), without those that are unknown."""
    values = rows.select(expr.alias(name) for name, expr in columns.items()).collect()
    return {
        name.replace("_", " "): value
        for name, value in values.row(0, named=True).items()
        if value is not None
    }


def _listing(rows: pl.LazyFrame) -> dict[str, Number]:
    gone = pl.col("is_gone").fill_null(value=False)
    return _one_row(
        rows,
        files=(~gone).sum(),
        bytes=pl.col("bytes").filter(~gone).sum(),
        media_files=(pl.col("is_media") & ~gone).sum(),
        files_gone=gone.sum(),
    )


def _recordings(rows: pl.LazyFrame) -> dict[str, Number]:
    return _one_row(
        rows,
        hours=pl.col("duration_s").sum() / 3600,
        recordings_with_media=(pl.col("media") == "present").sum(),
    )


def _frames(rows: pl.LazyFrame) -> dict[str, Number]:
    return _one_row(rows, ticks_with_gaze=(pl.col("gaze_valid") > 0).sum())


def _labels(rows: pl.LazyFrame) -> dict[str, Number]:
    is_open = pl.col("reader") == "open"
    marked = pl.col("contradicts").is_not_null()
    narrations = pl.col("segment_id").filter(is_open).n_unique()
    counts = _one_row(
        rows,
        narrations_parsed=narrations,
        narrations_read_differently=pl.col("segment_id").filter(marked).n_unique(),
        labels_without_class=is_open.sum(),
    )
    return counts if counts["narrations parsed"] else {}


def _questions(rows: pl.LazyFrame) -> dict[str, Number]:
    counts = rows.group_by("subtask").len().sort("subtask").collect()
    return _one_row(rows, mean_chance=pl.col("chance").mean()) | {
        f"n of {subtask}": n for subtask, n in counts.iter_rows()
    }


def _gates(rows: pl.LazyFrame) -> dict[str, Number]:
    questions = pl.col("question_id")
    return _one_row(
        rows,
        questions_judged=questions.n_unique(),
        questions_refused=questions.filter(pl.col("verdict") == "refuse").n_unique(),
        questions_warned_of=questions.filter(pl.col("verdict") == "warn").n_unique(),
    )


def _calls(rows: pl.LazyFrame) -> dict[str, Number]:
    return _one_row(
        rows,
        calls=pl.len(),
        errors=(pl.col("status") == "error").sum(),
        prompt_tokens=pl.col("prompt_tokens").sum(),
        completion_tokens=pl.col("completion_tokens").sum(),
        seconds_of_calls=pl.col("seconds").sum(),
    )


def _answers(rows: pl.LazyFrame) -> dict[str, Number]:
    # As scores count them: a reply whose right answer is withheld counts nowhere else.
    replied = pl.col("status") != "error"
    known = replied & pl.col("right").is_not_null()
    return _one_row(
        rows,
        n=known.sum(),
        right=(known & pl.col("right")).sum(),
        withheld=(replied & pl.col("right").is_null()).sum(),
        unparsed=(known & (pl.col("status") != "parsed")).sum(),
        errors=(~replied).sum(),
    )


def _judgements(rows: pl.LazyFrame) -> dict[str, Number]:
    verdict = pl.col("verdict")
    return _one_row(
        rows,
        judged=(verdict != "unjudged").sum(),
        unjudged=(verdict == "unjudged").sum(),
        decided_by_rule=((verdict != "unjudged") & pl.col("call_key").is_null()).sum(),
    )


def _judge_tests(rows: pl.LazyFrame) -> dict[str, Number]:
    judged = pl.col("verdict") != "unjudged"
    return _one_row(
        rows,
        judged=judged.sum(),
        unjudged=(~judged).sum(),
        errors=(judged & (pl.col("verdict") != pl.col("expected"))).sum(),
    )


def _costs(rows: pl.LazyFrame) -> dict[str, Number]:
    names = ("n_calls", "prompt_tokens", "completion_tokens", "seconds", "dollars")
    sums = rows.select(pl.col(*names).sum(), n_priced=pl.col("dollars").count()).collect()
    row = sums.row(0, named=True)
    found = {"calls": row["n_calls"], "tokens read": row["prompt_tokens"]}
    found |= {
        "tokens written": row["completion_tokens"],
        "seconds": round(row["seconds"] or 0.0, 3),
    }
    return found | ({"dollars": row["dollars"]} if row["n_priced"] else {})


def _scores(rows: pl.LazyFrame) -> dict[str, Number]:
    micro = rows.filter(slice="micro", metric="accuracy").collect()
    if micro.is_empty():
        return {}
    row = micro.row(0, named=True)
    matched = rows.filter(slice="micro", metric="matched_accuracy").collect()["value"]
    found = {
        "accuracy": row["value"],
        "matched accuracy": matched[0] if len(matched) else None,
        "accuracy low": row["low"],
        "accuracy high": row["high"],
        "chance": row["chance"],
        "n": row["n"],
        "unparsed": row["n_unparsed"],
        "errors": row["n_errors"],
    }
    return {name: value for name, value in found.items() if value is not None}


def _review_agreement(rows: pl.LazyFrame) -> dict[str, Number]:
    """Alpha of the latest round of each kind in which it is defined."""
    known = rows.filter(pl.col("alpha").is_not_null()).sort("item_kind", "round").collect()
    latest = known.unique("item_kind", keep="last", maintain_order=True)
    return {
        f"alpha of {kind}s": alpha
        for kind, alpha in latest.select("item_kind", "alpha").iter_rows()
    }


def _skill_transitivity(rows: pl.LazyFrame) -> dict[str, Number]:
    """Alpha of the votes on all pairs of an action, over the actions in which it is defined."""
    whole = rows.filter((pl.col("split") == "all") & (pl.col("mode") == "paper"))
    return _one_row(
        whole,
        mean_alpha=pl.col("alpha").mean(),
        lowest_alpha=pl.col("alpha").min(),
        actions_with_alpha=pl.col("alpha").count(),
    )


_NUMBERS: Mapping[str, Numbers] = {
    "files": _listing,
    "recordings": _recordings,
    "frames": _frames,
    "labels": _labels,
    "questions": _questions,
    "question_gates": _gates,
    "calls": _calls,
    "answers": _answers,
    "costs": _costs,
    "judgements": _judgements,
    "judge_tests": _judge_tests,
    "review_agreement": _review_agreement,
    "scores": _scores,
    "skill_transitivity": _skill_transitivity,
}
