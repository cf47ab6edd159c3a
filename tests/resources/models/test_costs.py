"""What a run's calls cost, summed from hand-made calls."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from expectations.schemas import TABLES
from resources.models.costs.costs import COSTS, COUNTED, cost_rows
from resources.models.costs.prices import Prices


def calls(*rows: dict[str, Any]) -> pl.DataFrame:
    base = {
        "run": "r",
        "benchmark": "b",
        "attempt": 0,
        "protocol": "direct/1",
        "model": "m",
        "status": "ok",
        "prompt_tokens": 100,
        "cached_tokens": None,
        "completion_tokens": 10,
        "seconds": 2.0,
        "dollars": 0.5,
        "estimated_prompt_tokens": 90,
        "estimated_completion_tokens": 16,
        "estimated_seconds": None,
    }
    made = [
        base | {"call_key": f"k{i}", "question_id": f"q{i}"} | row for i, row in enumerate(rows)
    ]
    schema = {name: TABLES["calls"].schema[name] for name in COUNTED}
    return pl.DataFrame(made, schema=schema).select(COUNTED)


def test_every_call_is_counted_and_estimates_are_compared_with_the_same_calls() -> None:
    rows = cost_rows(
        calls(
            {"cached_tokens": 60},
            {"estimated_seconds": 1.5},
            {"estimated_prompt_tokens": None, "estimated_completion_tokens": None},
            # Failed and billed, then answered; and one that was never sent.
            {"call_key": "k9", "question_id": "q9", "status": "error", "prompt_tokens": None, "completion_tokens": None, "dollars": 0.25},
            {"call_key": "k9", "question_id": "q9", "attempt": 1},
            {"call_key": "unasked-h", "status": "error", "dollars": None},
        ),
        Prices(1_000.0, 2_000.0),
    )  # fmt: skip
    assert rows.schema == COSTS.schema
    (row,) = rows.to_dicts()
    assert (row["n_questions"], row["n_calls"], row["n_failed"], row["n_uncounted"]) == (4, 5, 1, 0)
    assert (row["prompt_tokens"], row["cached_tokens"], row["completion_tokens"]) == (400, 60, 40)
    assert (row["seconds"], row["dollars"]) == (10.0, 2.25)
    assert (row["n_estimated"], row["estimated_prompt_tokens"]) == (3, 270)
    assert row["estimated_dollars"] == pytest.approx((270 * 1_000 + 48 * 2_000) / 1e6)
    assert (row["compared_prompt_tokens"], row["compared_dollars"]) == (300, 1.5)
    assert (row["estimated_seconds"], row["compared_seconds"]) == (1.5, 2.0)


def test_without_a_price_nothing_has_one() -> None:
    old = dict.fromkeys(("dollars", "estimated_prompt_tokens"))
    (row,) = cost_rows(calls(old, old), None).to_dicts()
    assert (row["dollars"], row["estimated_dollars"], row["compared_prompt_tokens"]) == (None,) * 3
    # Calls of before are priced by their tokens once the run states a price.
    (row,) = cost_rows(calls(old, old), Prices(1_000.0, 1_000.0)).to_dicts()
    assert row["dollars"] == pytest.approx(0.22)


def test_models_and_protocols_of_a_run_are_rows_of_their_own() -> None:
    rows = cost_rows(calls({}, {"model": "n"}, {"protocol": "cot/1"}, {}), None)
    found = rows.select("model", "protocol", "n_calls").rows()
    assert found == [("m", "cot/1", 1), ("m", "direct/1", 2), ("n", "direct/1", 1)]
    assert cost_rows(calls(), None).is_empty()
