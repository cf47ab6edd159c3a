"""How decisions of reviewers stand: by round and reviewer, and which do not count and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from assets.benchmarks import about
from assets.question_reviews.stage import review_progress
from assets.questions.expansion.stage import expansion_lines
from assets.reviews.stage import QUEUES, queue
from expectations.schemas import TABLES
from resources.config import Settings
from resources.texts import one_line

SHOWN = 10
STATE_NAMES = {
    "screening": "to screen",
    "cross_check": "to cross-check",
    "adjudication": "to adjudicate",
    "accepted": "accepted",
    "returned": "returned",
    "refused": "refused",
}
SHOWN_CHARS = 160


def status_lines(settings: Settings, source: str) -> Iterator[str]:
    """Rounds, states and what does not count, of one source."""
    store = settings.store
    changes = store.read(TABLES["review_changes"], source).sort("item_kind", "round", "reviewer")
    states = store.read(TABLES["review_states"], source).sort("item_kind", "item_id")
    yield f"{source}: {states.height} items judged"
    for row in changes.iter_rows(named=True):
        yield (
            f"  round {row['round']}, {row['item_kind']}s by {one_line(row['reviewer'], SHOWN_CHARS)}: "
            f"{row['items']} items, {row['accepted']} accepted, {row['rejected']} rejected, "
            f"{row['corrected']} corrected ({row['changed']} changed); {row['standing']} count, "
            f"{row['superseded']} superseded, {row['stale']} stale, {row['conflicts']} in conflict, "
            f"{row['unusable']} unusable"
        )
    agreed = store.read(TABLES["review_agreement"], source).sort("item_kind", "round")
    for row in agreed.filter(pl.col("n_annotators") > 1).iter_rows(named=True):
        yield f"  round {row['round']}, {row['item_kind']}s: {_agreement(row)}"
    idle = states.filter(pl.col("state") != "standing")
    for row in idle.head(SHOWN).iter_rows(named=True):
        why = one_line(f"{row['item_id']} ({row['reviewer']}): {row['message']}", SHOWN_CHARS)
        yield f"  {row['state']} {row['item_kind']} {why}"
    if idle.height > SHOWN:
        yield f"  and {idle.height - SHOWN} more that do not count: table review_states"
    left = [f"{queue(settings, source, what).height} {what}" for what in QUEUES]
    yield f"  to decide: {', '.join(left)}"


def question_lines(settings: Settings, benchmark: str) -> Iterator[str]:
    """Rounds, agreement and what does not count of a benchmark's questions; nothing if none was judged."""
    store = settings.store
    states = store.read(TABLES["question_reviews"], benchmark)
    if states.is_empty():
        return
    order = ("source", "subtask", "round")
    rejected = states.filter((pl.col("state") == "standing") & (pl.col("verdict") == "reject"))
    yield f"{benchmark}: {states.height} questions judged, {rejected.height} rejected"
    rounds = store.read(TABLES["question_review_rounds"], benchmark).sort(*order, "reviewer")
    for row in rounds.iter_rows(named=True):
        yield (
            f"  {row['subtask'] or 'gone'} of {row['source']}, round {row['round']} by"
            f" {one_line(row['reviewer'], SHOWN_CHARS)}: {row['questions']} questions,"
            f" {row['accepted']} accepted, {row['rejected']} rejected; {row['standing']} count,"
            f" {row['superseded']} superseded, {row['stale']} stale, {row['conflicts']} in conflict"
        )
    agreed = store.read(TABLES["question_review_agreement"], benchmark).sort(*order)
    for row in agreed.filter(pl.col("n_annotators") > 1).iter_rows(named=True):
        place = f"{row['subtask'] or 'gone'} of {row['source']}, round {row['round']}"
        yield f"  {place}: {_agreement(row)}"
    screenings = about(benchmark, settings.benchmark_folders).screenings
    if screenings:
        for source in sorted(set(states["source"])):
            yield from _step_lines(settings, benchmark, source, screenings)
    idle = states.filter(pl.col("state") != "standing").sort("source", "question_id")
    for row in pl.concat([rejected.sort("source", "question_id"), idle]).head(SHOWN).to_dicts():
        what = "rejected" if row["state"] == "standing" else row["state"]
        said = row["reason"] if row["state"] == "standing" else row["message"]
        why = one_line(f"{row['question_id']} ({row['reviewer']}): {said}", SHOWN_CHARS)
        yield f"  {what} {row['subtask']} question {why}"


def wording_lines(settings: Settings, benchmark: str) -> Iterator[str]:
    """How the rewordings of a benchmark's templates stand, by domain; nothing if nobody judged any."""
    store = settings.store
    reviews = store.read(TABLES["wording_reviews"], benchmark).sort("domain", "wording_id")
    if reviews.is_empty():
        return
    yield f"{benchmark}: {reviews.height} rewordings judged"
    for line in expansion_lines(settings, benchmark)[1:]:
        yield f"  {line}"
    agreed = store.read(TABLES["wording_agreement"], benchmark).sort("domain", "round")
    for row in agreed.filter(pl.col("n_annotators") > 1).iter_rows(named=True):
        yield f"  {row['domain']}, round {row['round']}: {_agreement(row)}"
    unsettled = reviews.filter((pl.col("state") != "standing") | (pl.col("verdict") == "reject"))
    for row in unsettled.head(SHOWN).iter_rows(named=True):
        what = "rejected" if row["state"] == "standing" else row["state"]
        why = one_line(f"{row['wording_id']} ({row['reviewer']}): {row['reason']}", SHOWN_CHARS)
        yield f"  {what} rewording in {row['domain']} {why}"


def _step_lines(settings: Settings, benchmark: str, source: str, screenings: int) -> Iterator[str]:
    """Which step of the review judged questions wait for, and agreement on each criterion."""
    counts, agreed = review_progress(settings, benchmark, source, screenings)
    for (subtask,), part in counts.group_by("subtask", maintain_order=True):
        waiting = dict(part.select("state", "questions").iter_rows())
        told = (
            f"{waiting[state]} {STATE_NAMES[state]}" for state in STATE_NAMES if state in waiting
        )
        yield f"  {subtask} of {source}: {', '.join(told)}"
    for round_, criterion, agreement in agreed:
        if agreement.n_annotators > 1:
            row = {**agreement.columns(), "same_outcome": None}
            yield f"  {source}, round {round_}, criterion {criterion}: {_agreement(row)}"


def _agreement(row: Mapping[str, Any]) -> str:
    """How far the reviewers of a round agree, in words."""
    shared = f"{row['n_items']} items judged by several of {row['n_annotators']} reviewers"
    if row["alpha"] is None:
        return f"{shared}; no agreement beyond chance can be stated: {row['agreement_reason']}"
    alpha = f"alpha {row['alpha']:.2f}"
    if row["alpha_low"] is not None:
        alpha += f" ({row['alpha_low']:.2f} to {row['alpha_high']:.2f})"
    kappa = "" if row["kappa"] is None else f", kappa {row['kappa']:.2f}"
    same = row["same_outcome"]
    pairs = "" if same is None else f", {same:.0%} of pairs with the same outcome"
    return f"{shared}; {alpha}{kappa}{pairs}"


def stray_lines(settings: Settings) -> Iterator[str]:
    """Decisions that no configured source takes."""
    for name, configured in sorted(settings.sources.items()):
        if configured.layout != "reviews":
            continue
        rows = settings.store.read(TABLES["reviews"], name, columns=("source",))
        for judged, count in sorted(rows["source"].value_counts().iter_rows()):
            taker = settings.sources.get(judged)
            if taker is None or name not in taker.reviews:
                source = one_line(judged, SHOWN_CHARS)
                yield (
                    f"{count} decisions in {name} are on {source}, which does not take them: "
                    f'add reviews = ["{name}"] to it'
                )
