"""Screening, cross-check and adjudication of questions, as a state machine and by hand."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from assets.question_reviews.flow import (
    CRITERIA,
    STATES,
    criteria_failed,
    criterion_agreement,
    flows,
    review_flow,
)
from expectations.schemas import TABLES

SCREENINGS = 4


def said(round_: int, reviewer: str, verdict: str, note: str | None = None, **more: Any) -> Any:
    if verdict == "reject" and note is None:
        note = "target: two cups"
    row = {"round": round_, "reviewer": reviewer, "verdict": verdict, "note": note}
    return {**row, "decided_at": None, "item_id": "q", "item_hash": "v0", **more}


def screened(*verdicts: str) -> list[Any]:
    return [said(1, f"s{n}", verdict) for n, verdict in enumerate(verdicts)]


def state(*decisions: Any) -> str:
    return review_flow(decisions, SCREENINGS).state


class Review(RuleBasedStateMachine):
    """Decisions come one by one; the state that each leads to is written down here."""

    def __init__(self) -> None:
        super().__init__()
        self.begin("v0")

    def begin(self, version: str) -> None:
        self.version, self.decisions, self.expected = version, [], "screening"
        self.screens: list[str] = []
        self.people = 0

    def add(self, round_: int, verdict: str, note: str | None = None) -> None:
        self.people += 1
        self.decisions.append(said(round_, f"p{self.people}", verdict, note))

    @precondition(lambda self: self.expected == "screening")
    @rule(verdict=st.sampled_from(["accept", "accept", "reject"]))
    def screen(self, verdict: str) -> None:
        self.add(1, verdict)
        self.screens.append(verdict)
        if len(self.screens) == SCREENINGS:
            self.expected = "cross_check" if "accept" in self.screens else "refused"

    @precondition(lambda self: self.expected == "cross_check")
    @rule(verdict=st.sampled_from(["accept", "accept", "reject"]))
    def cross_check(self, verdict: str) -> None:
        self.add(2, verdict)
        agree = {*self.screens, verdict} == {"accept"}
        self.expected = "accepted" if agree else "adjudication"

    @precondition(lambda self: self.expected == "adjudication")
    @rule(
        decision=st.sampled_from(
            [
                ("accept", None, "accepted"),
                ("reject", "evidence: not in the video", "refused"),
                ("reject", "return: target: name the red cup", "returned"),
            ]
        )
    )
    def adjudicate(self, decision: tuple[str, str | None, str]) -> None:
        verdict, note, self.expected = decision
        self.add(3, verdict, note)

    @precondition(lambda self: self.decisions)
    @rule(later=st.sampled_from([1, 2, 5]), verdict=st.sampled_from(["accept", "reject"]))
    def who_took_part_before_judges_again_later(self, later: int, verdict: str) -> None:
        """Annotators and those who check them are kept apart: the decision does not count."""
        first = min(self.decisions, key=lambda row: row["round"])
        self.decisions.append(said(first["round"] + later, first["reviewer"], verdict))

    @rule()
    def the_question_is_changed(self) -> None:
        self.begin(f"{self.version}'")

    @invariant()
    def it_stands_as_expected(self) -> None:
        assert state(*self.decisions) == self.expected
        assert state(*reversed(self.decisions)) == self.expected


Review.TestCase.settings = settings(max_examples=60, stateful_step_count=14, deadline=None)
TestReview = Review.TestCase

# Verdict of each person in each round, in any order and out of turn.
DECIDED = st.dictionaries(
    st.tuples(st.integers(1, 4), st.sampled_from([f"p{n}" for n in range(8)])),
    st.sampled_from(["accept", "reject"]),
    max_size=16,
)


@settings(max_examples=150, deadline=None)
@given(DECIDED)
def test_nothing_is_accepted_against_a_judge_without_a_lead(decided: dict[Any, str]) -> None:
    found = review_flow(
        (said(n, who, verdict) for (n, who), verdict in decided.items()), SCREENINGS
    )
    assert found.state in STATES
    people = (*found.screeners, *found.checkers, *found.leads)
    assert len(people) == len({*people})
    screened = [decided[1, who] for who in found.screeners]
    checked = [decided[2, who] for who in found.checkers]
    if found.state == "accepted":
        assert len(screened) >= SCREENINGS
        assert checked
        assert found.leads or {*screened, *checked} == {"accept"}
    if found.state == "refused" and not found.leads:
        assert {*screened} == {"reject"}
    if found.state == "adjudication":
        assert {*screened, *checked} == {"accept", "reject"}


@pytest.mark.parametrize("order", [*permutations(range(3))][:4])
def test_a_check_that_comes_early_counts_once_all_have_screened(order: tuple[int, ...]) -> None:
    early, last = said(2, "c", "accept"), said(1, "s3", "accept")
    three = screened("accept", "accept", "accept")
    assert state(*three, early) == "screening"
    parts = [three, [early], [last]]
    assert state(*(row for n in order for row in parts[n])) == "accepted"


def test_one_lead_more_settles_what_leads_disagree_about() -> None:
    disputed = [*screened("accept", "accept", "reject", "accept"), said(2, "c", "accept")]
    assert state(*disputed) == "adjudication"
    leads = [said(3, "l", "accept"), said(3, "m", "reject")]
    assert review_flow([*disputed, *leads], SCREENINGS).message.startswith("leads disagree")
    assert state(*disputed, *leads, said(4, "n", "reject")) == "refused"


def test_the_latest_decision_of_a_person_counts() -> None:
    rows = screened("accept", "accept", "accept")
    changed = [
        said(1, "s3", "reject", decided_at="2026-01-01"),
        said(1, "s3", "accept", decided_at="2026-01-02"),
    ]
    assert state(*rows, *changed, said(2, "c", "accept")) == "accepted"
    # Nothing tells which of the two is the latest.
    undated = [said(1, "s3", "reject"), said(1, "s3", "accept")]
    assert state(*rows, *undated, said(2, "c", "accept")) == "screening"


def test_a_note_names_the_criteria_that_a_question_fails() -> None:
    assert criteria_failed("target: two cups; Distractors: B is right too") == {
        "target",
        "distractors",
    }
    assert criteria_failed("return: first  person: somebody else does it") == {"first person"}
    assert criteria_failed("the cup is red") == criteria_failed(None) == set()


def reviews(*decisions: Any) -> pl.DataFrame:
    made = [
        {**row, "source": "house", "decision_id": str(n), "item_kind": "question", "benchmark": "b"}
        for n, row in enumerate(decisions)
    ]
    return TABLES["reviews"].frame(made)


ITEMS = pl.DataFrame(
    {"item_id": ["q", "r"], "item_hash": ["v0", "v1"], "recording_id": ["one", "two"]}
)


def test_decisions_on_another_version_or_a_question_that_is_gone_do_not_count() -> None:
    rows = [
        *screened("reject", "reject", "reject", "reject"),
        *(said(1, f"s{n}", "reject", item_id="r") for n in range(4)),
        said(1, "s0", "reject", item_id="gone"),
    ]
    found = flows(reviews(*rows), ITEMS, SCREENINGS)
    assert {uid: flow.state for uid, flow in found.items()} == {"q": "refused", "r": "screening"}


def test_reviewers_agree_on_one_criterion_and_not_on_another() -> None:
    rows = [
        said(1, "a", "reject", "target: two cups"),
        said(1, "b", "reject", "target: which; distractors: B is right"),
        said(1, "a", "accept", item_id="r", item_hash="v1"),
        said(1, "b", "accept", item_id="r", item_hash="v1"),
        said(1, "c", "reject", "poor"),  # names no criterion
    ]
    found = {name: one for _, name, one in criterion_agreement(reviews(*rows), ITEMS)}
    assert [*found] == [*CRITERIA]
    assert found["target"].alpha == pytest.approx(1.0)
    assert found["distractors"].alpha == pytest.approx(0.0)
    assert found["reasoning"].alpha is None
    assert {one.n_annotators for one in found.values()} == {2}


def test_a_question_is_screened_at_least_once() -> None:
    with pytest.raises(ValueError, match="screened at least once"):
        review_flow([], 0)
