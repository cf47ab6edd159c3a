"""Contracts: a broken row is refused with its rule, the others are kept; a broken writer raises."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from expectations.contracts import (
    MESSAGE_LIMIT,
    VALUE_LIMIT,
    ContractError,
    Refusal,
    check,
    quarantine_rows,
)
from expectations.schemas import TABLES, Column, Rule, Table

TABLE = Table(
    name="cups",
    stage="sources",
    row="cup",
    key=("shelf", "cup"),
    unit="shelf",
    columns=(
        Column("shelf", pl.String(), "Shelf."),
        Column("cup", pl.Int64(), "Number."),
        Column("colour", pl.String(), "Colour.", nullable=True, one_of=("red", "blue")),
        Column("height_cm", pl.Float64(), "Height.", unit="cm", low=0.0, high=30.0),
        Column("weight_g", pl.Float64(), "Weight.", unit="g", nullable=True, low=0.0),
        Column("owner", pl.String(), "Owner.", nullable=True, refers_to="people.name"),
    ),
    rules=(
        Rule(
            "not_flat",
            pl.col("height_cm") != 1.0,
            "a cup of one centimetre is a plate",
            "move it to the plates",
        ),
    ),
)
GOOD: dict[str, Any] = {
    "shelf": "a",
    "cup": 1,
    "colour": "red",
    "height_cm": 9.5,
    "weight_g": 80.0,
    "owner": "Ada",
}
PEOPLE = {"people.name": pl.Series(["Ada", "Bo"])}


def _frame(*rows: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame([{**GOOD, **row} for row in rows], schema=TABLE.schema)


@pytest.mark.parametrize(
    ("change", "rule", "value"),
    [
        ({"shelf": None}, "required:shelf", None),
        ({"cup": None}, "required:cup", None),
        ({"colour": "green"}, "one_of:colour", "green"),
        ({"colour": ""}, "one_of:colour", ""),
        ({"height_cm": None}, "required:height_cm", None),
        ({"height_cm": float("nan")}, "finite:height_cm", "nan"),
        ({"height_cm": float("inf")}, "finite:height_cm", "inf"),
        ({"height_cm": float("-inf")}, "finite:height_cm", "-inf"),
        ({"height_cm": -0.001}, "range:height_cm", "-0.001"),
        ({"height_cm": 30.001}, "range:height_cm", "30.001"),
        ({"weight_g": float("nan")}, "finite:weight_g", "nan"),
        ({"weight_g": -1.0}, "range:weight_g", "-1.0"),
        ({"height_cm": 1.0}, "not_flat", "{'shelf': 'a', 'cup': 2}"),
        ({"owner": "Eve"}, "reference:owner", "Eve"),
    ],
)
def test_a_broken_row(change: dict[str, Any], rule: str, value: str | None) -> None:
    broken = {"cup": 2, **change}
    result = check(TABLE, _frame({}, broken, {"cup": 3}), PEOPLE)
    assert result.accepted["cup"].to_list() == [1, 3]
    (said,) = result.refused
    assert (said["rule"], said["value"], said["table"]) == (rule, value, "cups")
    assert result.units == ["a" if "shelf" not in change else None]
    assert said["message"]
    assert said["remedy"]


@pytest.mark.parametrize(
    "row",
    [
        {"colour": None},
        {"weight_g": None},
        {"owner": None},
        {"height_cm": 0.0},
        {"height_cm": 30.0},
        {"height_cm": -0.0},
    ],
)
def test_a_good_row(row: dict[str, Any]) -> None:
    result = check(TABLE, _frame(row), PEOPLE)
    assert (result.accepted.height, result.refused) == (1, [])


def test_a_reference_that_is_not_given_is_not_checked() -> None:
    assert check(TABLE, _frame({"owner": "Eve"})).refused == []


def test_an_empty_reference_resolves_nothing() -> None:
    none = {"people.name": pl.Series([], dtype=pl.String())}
    assert [r["rule"] for r in check(TABLE, _frame({}), none).refused] == ["reference:owner"]


def test_the_first_of_a_key_is_kept() -> None:
    result = check(TABLE, _frame({"weight_g": 1.0}, {"weight_g": 2.0}, {"shelf": "b"}))
    assert result.accepted["weight_g"].to_list() == [1.0, 80.0]
    assert [r["rule"] for r in result.refused] == ["unique_key"]


def test_a_broken_row_does_not_take_a_good_row_s_key() -> None:
    result = check(TABLE, _frame({"height_cm": -1.0}, {}))
    assert result.accepted["height_cm"].to_list() == [9.5]
    assert [r["rule"] for r in result.refused] == ["range:height_cm"]


def test_a_row_that_breaks_several_rules_names_the_first() -> None:
    result = check(TABLE, _frame({"colour": "green", "height_cm": -1.0, "owner": "Eve"}), PEOPLE)
    assert [r["rule"] for r in result.refused] == ["one_of:colour"]


def test_long_values_are_cut() -> None:
    (said,) = check(TABLE, _frame({"colour": "x" * 999})).refused
    assert said["value"] == "x" * VALUE_LIMIT


@pytest.mark.parametrize(
    "rows",
    [
        _frame({}).drop("colour"),
        _frame({}).with_columns(more=1),
        _frame({}).with_columns(cup=pl.lit("seven")),
        _frame({}).with_columns(pl.Series("cup", [["a"]])),
    ],
    ids=["column missing", "column unknown", "no cast", "a list"],
)
def test_a_wrong_shape_is_the_writer_s_error(rows: pl.DataFrame) -> None:
    with pytest.raises(ContractError, match="cups"):
        check(TABLE, rows)


def test_column_order_is_free() -> None:
    rows = _frame({}).select(sorted(TABLE.schema))
    assert check(TABLE, rows).accepted.columns == list(TABLE.schema)


def test_no_rows() -> None:
    result = check(TABLE, TABLE.empty())
    assert result.accepted.schema == TABLE.schema
    assert result.refused == []


def _is_good(row: dict[str, Any]) -> bool:
    """The contract said in plain words, for one row."""
    height, weight = row["height_cm"], row["weight_g"]
    return (
        row["colour"] in (None, "red", "blue")
        and height is not None
        and 0 <= height <= 30
        and height != 1
        and (weight is None or 0 <= weight < float("inf"))
        and row["owner"] in (None, "Ada", "Bo")
    )


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "colour": st.sampled_from([None, "red", "blue", "green"]),
                "height_cm": st.one_of(st.none(), st.floats(), st.sampled_from([0.0, 1.0, 30.0])),
                "weight_g": st.one_of(st.none(), st.floats()),
                "owner": st.sampled_from([None, "Ada", "Bo", "Eve"]),
            }
        ),
        max_size=12,
    )
)
def test_every_good_row_is_kept_and_every_other_refused_once(rows: list[dict[str, Any]]) -> None:
    rows = [{**row, "cup": n} for n, row in enumerate(rows)]
    result = check(TABLE, _frame(*rows), PEOPLE)
    good = [row["cup"] for row in rows if _is_good(row)]
    assert result.accepted["cup"].to_list() == good
    assert len(result.refused) == len(rows) - len(good)


# -- quarantine ------------------------------------------------------------------------------------

SAID = Refusal(None, None, "r", None, "m", "do")


def test_equal_refusals_of_a_unit_count_once() -> None:
    table = TABLES["quarantine"]
    rows = quarantine_rows(
        table, "it", "sources.x", [("a", SAID), ("a", replace(SAID)), ("b", SAID)]
    )
    assert rows.height == 2
    assert rows["unit"].to_list() == ["a", "b"]
    assert rows["file"].to_list() == [None, None]


def test_refusals_have_stable_ids_whatever_their_order() -> None:
    table = TABLES["quarantine"]
    other = replace(SAID, value=5, row=7)
    one = quarantine_rows(table, "it", "s", [("a", SAID), ("a", other)])
    two = quarantine_rows(table, "it", "s", [("a", replace(other)), ("a", SAID)])
    assert one.equals(two)
    assert set(one["value"].to_list()) == {None, "5"}


def test_quarantine_itself_keeps_its_contract() -> None:
    rows = quarantine_rows(TABLES["quarantine"], "it", "s", [("a", replace(SAID, value="v" * 999))])
    result = check(TABLES["quarantine"], rows)
    assert result.refused == []
    assert result.accepted["value"].str.len_chars().to_list() == [VALUE_LIMIT]


def test_a_refusal_is_storable_and_reads_like_a_row() -> None:
    one = Refusal("bad\udcff.csv", 7, "r", "v" * 999, "m" * 999, "do", table="cups")
    assert one.file == "bad\\udcff.csv"
    assert one["row"] == one.row == "7"
    assert (len(str(one.value)), len(one.message)) == (VALUE_LIMIT, MESSAGE_LIMIT)
    assert set(one) == {
        "file", "row", "rule", "value", "message", "remedy", "table", "recording_id",
    }  # fmt: skip
    assert one == replace(one)
    assert hash(one) == hash(replace(one))
    assert one != replace(one, recording_id="x")
    with pytest.raises(KeyError):
        one["unit"]
    with pytest.raises(FrozenInstanceError):
        one.rule = "other"  # type: ignore[misc]
