"""Review of questions in steps: screening, cross-check, adjudication (EgoCoT-Bench 3.2.3).

The rounds of decisions are the steps. In round 1 people screen a question independently of each other; in round 2
others cross-check what was retained; in round 3 or later a lead, who took no part before, settles what the others
disagree about. A question is accepted when all its judges agree, or when the lead accepts it. Each decision counts for
the version of the question that was judged: one that is changed begins again with the screening.

A rejection says in its note which criteria the question fails, as `distractors: two are right; target: two cups`. The
lead may also return a question to those who build it (`return: name the red cup`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from assets.agreement import Agreement, Judgement, agreement

STATES: Final = ("screening", "cross_check", "adjudication", "accepted", "returned", "refused")
"""What a question waits for, or how its review ended."""
CRITERIA: Final = ("target", "first person", "reasoning", "distractors", "evidence")
"""What the paper's reviewers look at: ambiguous targets, weak relevance to the first person, inconsistent reasoning,
poor distractors, and evidence that is not in the video."""
SCREENING, CROSS_CHECK, ADJUDICATION = 1, 2, 3
_RETURN: Final = re.compile(r"\s*return\s*:", re.IGNORECASE)
_PART: Final = re.compile(r"(?:^|;)\s*(?:return\s*:\s*)?([a-z ]+?)\s*:", re.IGNORECASE)

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Flow:
    """Where the review of one version of a question stands.

    Attributes:
        state: One of `STATES`.
        screeners: Who screened it.
        checkers: Who cross-checked it.
        leads: Whose adjudication counts.
        message: What it waits for, or why it ended so.
    """

    state: str
    screeners: tuple[str, ...] = ()
    checkers: tuple[str, ...] = ()
    leads: tuple[str, ...] = ()
    message: str = ""


def review_flow(decisions: Iterable[Row], screenings: int) -> Flow:
    """Where the review of one version of a question stands; the order of the decisions is free.

    Who judges in an earlier round does not count in a later one. Of one reviewer's decisions in a round the latest
    counts; where no time tells which that is and they differ, none does.

    Args:
        decisions: Rows of `reviews` on this version.
        screenings: How many people have to screen it.

    Raises:
        ValueError: No screening is asked for.
    """
    if screenings < 1:
        raise ValueError(f"screenings is {screenings}: a question is screened at least once")
    rounds = _by_round(decisions)
    screened = rounds.get(SCREENING, {})
    checked = _without(rounds.get(CROSS_CHECK, {}), screened)
    last = max((n for n in rounds if _led(rounds, n, screened, checked)), default=ADJUDICATION)
    led = _led(rounds, last, screened, checked)
    people = tuple(sorted(screened)), tuple(sorted(checked)), tuple(sorted(led))
    if len(screened) < screenings:
        return Flow("screening", *people, f"{len(screened)} of {screenings} have screened it")
    if not any(_accepts(row) for row in screened.values()):
        return Flow("refused", *people, "everybody who screened it rejects it")
    if not checked:
        return Flow("cross_check", *people, "nobody else has checked it yet")
    if all(_accepts(row) for row in (*screened.values(), *checked.values())):
        return Flow("accepted", *people, "all judges agree")
    verdicts = {_ending(row) for row in led.values()}
    if len(verdicts) == 1:
        return Flow(verdicts.pop(), *people, "the lead decided")
    waits = "leads disagree: decide in a later round" if verdicts else "its judges disagree"
    return Flow("adjudication", *people, waits)


def criteria_failed(note: str | None) -> frozenset[str]:
    """Criteria that a rejection's note names.

    Args:
        note: `criterion: what is wrong`, several separated by semicolons.
    """
    named = (" ".join(part.lower().split()) for part in _PART.findall(note or ""))
    return frozenset(CRITERIA) & frozenset(named)


def flows(reviews: pl.DataFrame, items: pl.DataFrame, screenings: int) -> dict[str, Flow]:
    """Where the review of each judged question stands, by its id; questions that are gone are left out.

    Args:
        reviews: Rows of `reviews` on questions of one source.
        items: What there is to judge (`outcomes.question_items`).
        screenings: How many people have to screen a question.
    """
    now = dict(items.select("item_id", "item_hash").iter_rows())
    reviews_of: dict[str, list[Row]] = {
        uid: [] for uid in sorted({*reviews["item_id"]} & now.keys())
    }
    for row in reviews.iter_rows(named=True):
        if row["item_id"] in reviews_of and row["item_hash"] == now[row["item_id"]]:
            reviews_of[row["item_id"]].append(row)
    return {uid: review_flow(rows, screenings) for uid, rows in reviews_of.items()}


def criterion_agreement(
    reviews: pl.DataFrame, items: pl.DataFrame
) -> Iterator[tuple[int, str, Agreement]]:
    """How far the reviewers of each round agree on each criterion, in order.

    An accepted question fulfils all criteria; a rejection that names none tells nothing of them.

    Args:
        reviews: Rows of `reviews` on questions of one source.
        items: What there is to judge (`outcomes.question_items`).
    """
    places = dict(items.select("item_id", "recording_id").iter_rows())
    by_round: dict[int, dict[tuple[str, str], list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in reviews.iter_rows(named=True):
        by_round[row["round"]][row["item_id"], row["item_hash"]].append(row)
    for round_, versions in sorted(by_round.items()):
        latest = {
            (" ".join(key), reviewer): (row, places.get(key[0]) or key[0])
            for key, rows in versions.items()
            for reviewer, row in _by_round(rows)[round_].items()
        }
        telling = {
            (item, reviewer): (row, place)
            for (item, reviewer), (row, place) in latest.items()
            if _accepts(row) or criteria_failed(row["note"])
        }
        clusters = {item: (place,) for (item, _), (_, place) in telling.items()}
        for criterion in CRITERIA:
            verdicts = (
                Judgement(reviewer, item, "fails" if _fails(row, criterion) else "fulfils")
                for (item, reviewer), (row, _) in telling.items()
            )
            yield round_, criterion, agreement(verdicts, clusters)


def _by_round(decisions: Iterable[Row]) -> dict[int, dict[str, Row]]:
    """The decision of each reviewer that counts in each round."""
    by_round: dict[int, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in decisions:
        by_round[row["round"]][row["reviewer"]].append(row)
    latest: dict[int, dict[str, Row]] = {}
    for round_, by_reviewer in by_round.items():
        latest[round_] = {}
        for reviewer, rows in by_reviewer.items():
            last = max(row["decided_at"] or "" for row in rows)
            leading = [row for row in rows if row["decided_at"] in (None, last)]
            if len({(_ending(row), criteria_failed(row["note"])) for row in leading}) == 1:
                latest[round_][reviewer] = leading[0]
    return latest


def _led(
    rounds: Mapping[int, Mapping[str, Row]], round_: int, *earlier: Collection[str]
) -> dict[str, Row]:
    """Decisions of a round of adjudication by people who took no part in the steps before."""
    if round_ < ADJUDICATION:
        return {}
    return _without(rounds.get(round_, {}), {name for names in earlier for name in names})


def _without(said: Mapping[str, Row], people: Collection[str]) -> dict[str, Row]:
    return {reviewer: row for reviewer, row in said.items() if reviewer not in people}


def _accepts(row: Row) -> bool:
    return row["verdict"] == "accept"


def _fails(row: Row, criterion: str) -> bool:
    return not _accepts(row) and criterion in criteria_failed(row["note"])


def _ending(row: Row) -> str:
    """State in which a lead's decision leaves a question."""
    if _accepts(row):
        return "accepted"
    return "returned" if _RETURN.match(row["note"] or "") else "refused"
