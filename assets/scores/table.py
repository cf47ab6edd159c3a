"""From answers to the table of scores."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl

from assets.scores.accuracy import Estimate, accuracy
from expectations.schemas.predictions import CHAIN_RIGHT_STEPS
from expectations.schemas.scores import SCORES

# `micro`: every question weighs the same. `macro`: every subtask weighs the same; the papers'
# tables mean one or the other without saying which, so both are there under their own name.
MICRO, MACRO = "micro", "macro"
MACRO_DOMAINS = "macro_domains"
"""Every domain weighs the same, as in EgoCross's overall figure (Table 2)."""

Groups = Mapping[str, Collection[str]]
NO_GROUPS: Groups = MappingProxyType({})
NO_DOMAINS: Mapping[str, str] = MappingProxyType({})
Metric = Callable[[np.ndarray, np.ndarray, np.ndarray], Estimate]
METRICS: dict[str, Metric] = {"accuracy": accuracy}
MATCHED = "matched_accuracy"
"""Accuracy of answers in words where also those count that mean the same as the released one."""
_OF_CHAINS = {
    "chain_steps": pl.col("chain_outcome") == CHAIN_RIGHT_STEPS,
    "chain_directions": pl.col("right_directions") / pl.col("moves"),
    "chain_directions_relaxed": pl.col("near_directions") / pl.col("moves"),
}
# Of eight directions one is right, and three are right or next to right.
_CHANCE_OF_DIRECTIONS = {"chain_directions": 1 / 8, "chain_directions_relaxed": 3 / 8}
_UNMATCHED = ("none", "none_without_synsets")


def slices(rows: pl.DataFrame, groups: Groups = NO_GROUPS) -> dict[str, pl.DataFrame]:
    """Rows of every slice: each subtask, each group of which several subtasks are there, `micro` and `macro`.

    Args:
        rows: Rows with a column subtask.
        groups: Subtasks of each group.

    Raises:
        ValueError: A subtask has the name of a group or a mean.
    """
    subtasks = {str(name): part for (name,), part in rows.group_by("subtask", maintain_order=True)}
    if taken := sorted(subtasks.keys() & {MICRO, MACRO, *groups}):
        raise ValueError(f"subtask {taken[0]!r} is a reserved slice: rename it")
    of_groups = {
        name: rows.filter(pl.col("subtask").is_in(list(members)))
        for name, members in groups.items()
        if len(subtasks.keys() & set(members)) > 1
    }
    return {**subtasks, **of_groups, MICRO: rows, MACRO: rows}


def mean_of_questions(
    rows: pl.DataFrame, subtasks: Collection[str] | None = None
) -> dict[str, Any]:
    """Mean of a value over questions, with its interval clustered by recording.

    Of several replies to a question their mean counts.

    Args:
        rows: Rows with columns question_id, sample, subtask, recording_id and value (not null).
        subtasks: Weigh these alike, and give no value where one of them has no row; None to weigh questions alike.

    Returns:
        `n` questions, `n_clusters`, and `value`, `low` and `high`, null where there is none.
    """
    # Row order must not reach a float sum: equal content, equal score to the last bit.
    questions = (
        rows.sort("question_id", "sample")
        .group_by("subtask", "question_id", maintain_order=True)
        .agg(pl.col("value").mean(), pl.col("recording_id").first())
        .sort("subtask", "question_id")
    )
    recordings = questions["recording_id"]
    counts = {"n": questions.height, "n_clusters": recordings.n_unique()}
    if questions.is_empty() or set(subtasks or ()) - set(questions["subtask"]):
        return counts | dict.fromkeys(("value", "low", "high"))
    strata = (
        np.zeros(questions.height, dtype=int)
        if subtasks is None
        else questions["subtask"].to_numpy()
    )
    mean = accuracy(questions["value"].to_numpy(), strata, recordings.to_numpy())
    return counts | {"value": mean.value, "low": mean.low, "high": mean.high}


def domain_slices(
    rows: pl.DataFrame, groups: Groups, domains: Mapping[str, str]
) -> dict[str, pl.DataFrame]:
    """Rows of each domain, of each group within it (`surgery_counting`), and of all that are in one.

    Args:
        rows: Rows with columns question_id and subtask.
        groups: Subtasks of each group.
        domains: Domain of each question, by its id; a question without one is in no slice.

    Returns:
        Rows by name of the slice, with a column domain; none where there are fewer than two domains.
    """
    domain = pl.col("question_id").replace_strict(domains, default=None, return_dtype=pl.String())
    known = rows.with_columns(domain=domain).drop_nulls("domain") if domains else rows.clear()
    found: dict[str, pl.DataFrame] = {}
    parts = known.partition_by("domain", as_dict=True) if len(known) else {}
    for (name,), part in sorted(parts.items()):
        found[str(name)] = part
        for group, members in groups.items():
            mine = part.filter(pl.col("subtask").is_in(list(members)))
            if len(mine):
                found[f"{name}_{group}"] = mine
    return {**found, MACRO_DOMAINS: known} if len(parts) > 1 else {}


def score(
    answers: pl.DataFrame,
    chances: pl.DataFrame | None = None,
    groups: Groups = NO_GROUPS,
    domains: Mapping[str, str] = NO_DOMAINS,
) -> pl.DataFrame:
    """Scores of every run on every subtask, and over all questions and subtasks.

    Args:
        answers: Rows of `answers`.
        chances: Columns question_id and effective_chance; None where they were not worked out.
        groups: Subtasks of each group; a group's questions weigh the same.
        domains: Domain of each question, by its id.

    Returns:
        Rows of `scores`: slices are the subtasks, groups of them, `micro` and `macro`; where there are several
        domains each of these too, the groups within it, and `macro_domains`, their mean. Chance and effective
        chance are averaged as the value is. Of several replies to a question the mean counts, so that
        every question weighs the same. A failed call is not an answer: it is counted in `n_errors` and
        nowhere else, a reply to a question whose answer is withheld in `n_withheld`; where nothing
        else is there, no value is given. `macro` has none either where a subtask has none. Runs with
        answers in words have the metric `matched_accuracy` too, over the slices with such answers, and
        runs with chains of actions the three of `CHAIN_METRICS`.

    Raises:
        ValueError: A subtask has a reserved name, or an unparsed answer counts as right.
    """
    false_right = answers.filter(pl.col("right") & (pl.col("status") != "parsed"))
    if len(false_right):
        raise ValueError(
            f"question {false_right['question_id'][0]}: status {false_right['status'][0]!r}"
            " counts as right; only parsed answers can be"
        )
    if chances is None:
        answers = answers.with_columns(effective_chance=pl.lit(None, dtype=pl.Float64()))
    else:
        answers = answers.join(chances, on="question_id", how="left", maintain_order="left")
    rows: list[dict[str, Any]] = []
    for (benchmark, run), all_of_run in answers.group_by("benchmark", "run", maintain_order=True):
        parts = {**slices(all_of_run, groups), **domain_slices(all_of_run, groups, domains)}
        for name, rows_of_slice in parts.items():
            part, by_subtask = rows_of_slice, name in (MACRO, MACRO_DOMAINS)
            subtasks = part["subtask"].unique().sort().to_list()
            if name == MACRO_DOMAINS:
                part = part.with_columns(subtask="domain")
            common = {"benchmark": benchmark, "run": run, "slice": name, "subtasks": subtasks}
            for metric, function in METRICS.items():
                rows.append(
                    common | {"metric": metric} | _row(part, function, by_subtask=by_subtask)
                )
            rows += [
                common | {"metric": metric} | row
                for metric, row in _of_chains(part, by_subtask=by_subtask)
            ]
            worded = _worded(part)
            if not worded.is_empty():
                rows.append(
                    common | {"metric": MATCHED} | _row(worded, accuracy, by_subtask=by_subtask)
                )
    return SCORES.frame(rows).sort("benchmark", "run", "slice", "metric")


def _worded(part: pl.DataFrame) -> pl.DataFrame:
    """Answers of the subtasks that are answered in words, right where they match by any step."""
    compared = part.filter(pl.col("match").is_not_null())
    subtasks = compared["subtask"].unique().to_list()
    failed = part.filter((pl.col("status") == "error") & pl.col("subtask").is_in(subtasks))
    return pl.concat([compared, failed]).with_columns(
        right=(pl.col("status") == "parsed") & ~pl.col("match").is_in(_UNMATCHED)
    )


def _of_chains(part: pl.DataFrame, by_subtask: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """Metrics of chains of actions; nothing where no reply is one (EgoProx, 5.2).

    Those of directions are over replies with right steps, and of several such replies to a question their
    mean counts.
    """
    is_chain = pl.col("chain_outcome").is_not_null()
    subtasks = part.filter(is_chain)["subtask"].unique().to_list()
    failed = (pl.col("status") == "error") & pl.col("subtask").is_in(subtasks)
    chains = part.filter(is_chain | failed)
    # No shortcut is measured of steps and directions apart.
    unknown = pl.lit(None, dtype=pl.Float64())
    for metric, value in _OF_CHAINS.items() if subtasks else ():
        chance = _CHANCE_OF_DIRECTIONS.get(metric)
        of_steps = pl.col("chance") * (8.0 ** pl.col("moves"))
        counted = chains.with_columns(
            right=pl.when(is_chain).then(value),
            chance=of_steps if chance is None else pl.lit(chance),
            effective_chance=unknown,
        )
        if chance is not None:
            counted = counted.filter(failed | (pl.col("chain_outcome") == CHAIN_RIGHT_STEPS))
        row = _row(counted, accuracy, by_subtask, frozenset(subtasks))
        # Where no reply has right steps, there is none to count replies to a question in.
        yield metric, row | {"samples": _samples(chains)}


def _row(
    part: pl.DataFrame, metric: Metric, by_subtask: bool, subtasks: frozenset[str] = frozenset()
) -> dict[str, Any]:
    replies = part.filter(pl.col("status") != "error")
    # Row order must not reach a float sum: equal content, equal score to the last bit.
    all_replied = (
        replies.group_by("subtask", "question_id")
        .agg(
            pl.col("right").mean(),
            (pl.col("status") != "parsed").sum().alias("unparsed"),
            pl.col("recording_id", "chance", "effective_chance").first(),
        )
        .sort("subtask", "question_id")
    )
    replied = all_replied.filter(pl.col("right").is_not_null())
    asked = part.group_by("subtask", "question_id").len()
    counts = {
        "n": len(replied),
        "n_unparsed": int(replied["unparsed"].sum()),
        "n_errors": len(asked) - len(all_replied),
        "n_withheld": len(all_replied) - len(replied),
        "n_clusters": replied["recording_id"].n_unique(),
        "samples": _samples(part),
    }
    absent = {*part["subtask"], *subtasks} - {*replied["subtask"]} if by_subtask else set()
    if replied.is_empty() or absent:
        return counts | dict.fromkeys(("value", "low", "high", "chance", "effective_chance"))
    strata = replied["subtask"].to_numpy() if by_subtask else np.zeros(len(replied), dtype=np.int64)
    found = metric(replied["right"].to_numpy(), strata, replied["recording_id"].to_numpy())
    # A set that is too small to say has the chance that its options state.
    reached = pl.coalesce("effective_chance", "chance").alias("reached")
    chances = replied.select("subtask", "chance", reached)
    if by_subtask:
        chances = chances.group_by("subtask", maintain_order=True).agg(
            pl.col("chance", "reached").mean()
        )
    unknown = replied["effective_chance"].is_null().all()
    return counts | {
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "chance": float(np.mean(chances["chance"].to_numpy())),
        "effective_chance": None if unknown else float(np.mean(chances["reached"].to_numpy())),
    }


def _samples(part: pl.DataFrame) -> int | None:
    """Replies to each question, the most of any."""
    return part.group_by("subtask", "question_id").len()["len"].max()  # type: ignore[return-value]
