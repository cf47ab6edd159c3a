"""Three of four: which votes make a pair, and what performers say of themselves beside it."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pytest

from assets.skill.judging import judged, with_self_levels
from expectations.schemas import TABLES


def pairs(*given: tuple[Sequence[str] | None, str | None]) -> pl.DataFrame:
    return TABLES["skill_votes"].frame(
        {
            "pair_id": f"p{at}",
            "first_recording_id": "r1",
            "second_recording_id": "r2",
            "votes": None
            if said is None
            else [{"annotator": str(i), "better": side} for i, side in enumerate(said)],
            "stated_better": stated,
        }
        for at, (said, stated) in enumerate(given)
    )


F, S, N = "first", "second", "neither"


@pytest.mark.parametrize(
    ("said", "better", "n_votes", "n_agree"),
    [
        ((F, F, F, F), "first", 4, 4),
        ((S, F, S, S), "second", 4, 3),
        ((F, F, S, S), None, 4, 2),
        ((F, F, N, S), None, 4, 2),
        ((F, F, F, N), "first", 4, 3),
        ((N, N, N, N), None, 4, 0),
        ((F, F, F), "first", 3, 3),
        ((F, F, S), None, 3, 2),
        ((F, F), None, 2, 2),
        ((F, F, F, S, S), None, 5, 3),
        ((F, F, F, F, S), "first", 5, 4),
        ((S, S, S, S, S, S, F, F), "second", 8, 6),
        ((S, S, S, S, S, F, F, F), None, 8, 5),
    ],
)
def test_votes_that_agree(
    said: Sequence[str], better: str | None, n_votes: int, n_agree: int
) -> None:
    (row,) = judged(pairs((said, None)), "paper").rows(named=True)
    assert (row["better"], row["n_votes"], row["n_agree"]) == (better, n_votes, n_agree)
    assert row["agreement"] == pytest.approx(n_agree / n_votes)
    assert row["agrees_with_release"] is None


def test_a_released_outcome_counts_where_there_are_no_votes() -> None:
    given = pairs((None, "first"), ((S, S, S, F), "first"), ((F, F, S, S), "first"), ((F,) * 4, F))
    paper = judged(given, "paper")
    assert paper["better"].to_list() == ["first", "second", None, "first"]
    assert paper["agrees_with_release"].to_list() == [None, False, None, True]
    assert paper["n_votes"].to_list() == [None, 4, 4, 4]
    parity = judged(given, "parity")
    assert parity["better"].to_list() == ["first"] * 4


def test_parity_holds_what_is_released_alone() -> None:
    assert judged(pairs(((F,) * 4, None), (None, "first")), "parity")["pair_id"].to_list() == ["p1"]


@pytest.mark.parametrize(
    ("levels", "better", "self_better", "agrees"),
    [
        ((3, 1), "first", "first", True),
        ((1, 3), "first", "second", False),
        ((2, 2), "first", "equal", None),
        ((3, None), "first", None, None),
        ((3, 1), None, "first", None),
    ],
)
def test_self_assessment_beside_the_votes(
    levels: tuple[int | None, int | None],
    better: str | None,
    self_better: str | None,
    agrees: bool | None,
) -> None:
    said = pl.DataFrame(
        [
            (uid, level)
            for uid, level in zip(("r1", "r2"), levels, strict=True)
            if level is not None
        ],
        schema={"recording_id": pl.String, "level": pl.Int64},
        orient="row",
    )
    rows = pairs((None, "first")).with_columns(better=pl.lit(better, pl.String))
    (row,) = with_self_levels(rows, said).rows(named=True)
    assert (row["self_better"], row["self_agrees"]) == (self_better, agrees)
    assert (row["first_self_level"], row["second_self_level"]) == levels
