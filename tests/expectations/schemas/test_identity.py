"""Content hashes: equal values, equal hashes; different values, different hashes."""

from __future__ import annotations

from datetime import date

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from expectations.schemas import Column, Table
from expectations.schemas.identity import digest, digest_map, row_hashes, unit_hashes

WORDS = pl.List(pl.String)
NESTED = pl.List(WORDS)
STRUCT = pl.Struct({"a": pl.Int64, "b": WORDS})


def table(dtype: pl.DataType) -> Table:
    return Table(
        "t",
        "stage",
        "row",
        (
            Column("unit", pl.String(), "Unit."),
            Column("k", pl.Int64(), "Key."),
            Column("v", dtype, "Value.", nullable=True),
            Column("when", pl.String(), "Clock.", nullable=True, volatile=True),
        ),
        ("unit", "k"),
        "unit",
    )


def hashed(values: list | pl.Series, dtype: pl.DataType) -> str:
    """Hash of column `v` of one unit."""
    rows = pl.DataFrame(
        {"unit": ["u"] * len(values), "k": range(len(values)), "v": pl.Series(values, dtype=dtype)},
        schema_overrides={"k": pl.Int64},
    ).with_columns(when=pl.lit(None, pl.String))
    ((_, n, columns),) = unit_hashes(table(dtype), rows)
    assert n == len(values)
    return columns["v"]


@pytest.mark.parametrize(
    ("dtype", "values"),
    [
        (pl.String(), [[None], [""], ["\0"], ["a"], ["a", ""], ["", "a"], ["", None], [None, ""]]),
        (
            WORDS,
            [[None], [[]], [[""]], [[None]], [["a", "b"]], [["ab"]], [["a"], ["b"]], [["a", None]]],
        ),
        (WORDS, [[["a"], []], [[], ["a"]], [["a"], None], [None, ["a"]]]),
        (
            NESTED,
            [
                *([None], [[]], [[[]]], [[None]], [[[None]]], [[[""]]], [[[], []]]),
                *([[["a"], ["b"]]], [[["a", "b"]]], [[["a", "b"], []]], [[[], ["a", "b"]]]),
                *([[["a"]], [["b"]]], [[["a"], ["b"]], []], [[], [["a"], ["b"]]]),
            ],
        ),
        (
            STRUCT,
            [
                *([None], [{"a": None, "b": None}], [{"a": None, "b": []}], [{"a": 0, "b": None}]),
                *([{"a": 0, "b": []}], [{"a": 0, "b": [None]}], [{"a": 0, "b": [""]}]),
            ],
        ),
        (
            pl.List(STRUCT),
            [[None], [[]], [[None]], [[{"a": None, "b": None}]], [[{"a": None, "b": []}]]],
        ),
        (pl.Float64(), [[None], [0.0], [float("nan")], [float("inf")], [5e-324], [1.0]]),
        (pl.Boolean(), [[None], [False], [True], [False, False]]),
        (pl.Int32(), [[None], [0], [1], [-1], [0, 0], [256]]),
        (pl.Binary(), [[None], [b""], [b"\0"], [b"ab"], [b"a", b"b"]]),
        (pl.Date(), [[None], [date(1970, 1, 1)], [date(1970, 1, 2)]]),
    ],
)
def test_different_content_has_different_hashes(dtype, values):
    hashes = [hashed(v, dtype) for v in values]
    assert len(set(hashes)) == len(values), list(zip(hashes, values, strict=True))


@pytest.mark.parametrize(
    ("one", "other", "dtype"),
    [
        ([0.0], [-0.0], pl.Float64()),
        ([float("nan")], [-float("nan")], pl.Float32()),
        ([[0.0, float("nan")]], [[-0.0, -float("nan")]], pl.List(pl.Float64())),
    ],
)
def test_equal_numbers_have_equal_hashes(one, other, dtype):
    assert hashed(one, dtype) == hashed(other, dtype)


def test_what_lies_under_a_null_does_not_count():
    mask = pa.py_buffer(bytes([0b01]))
    items = pa.array(["x", "y", "z"])
    offsets = pa.py_buffer(b"".join(i.to_bytes(8, "little") for i in (0, 1, 3)))
    junk = pa.LargeListArray.from_buffers(
        pa.large_list(pa.string()), 2, [mask, offsets], children=[items]
    )
    assert hashed(pl.Series(junk), WORDS) == hashed([["x"], None], WORDS)

    fields = [pa.array([1, 2]), pa.array([["x"], ["y"]], pa.large_list(pa.string()))]
    struct = pa.StructArray.from_arrays(fields, ["a", "b"], mask=pa.array([False, True]))
    assert hashed(pl.Series(struct), STRUCT) == hashed([{"a": 1, "b": ["x"]}, None], STRUCT)


_values = st.lists(
    st.none()
    | st.lists(st.none() | st.lists(st.none() | st.text(max_size=3), max_size=3), max_size=3),
    min_size=1,
    max_size=6,
)


@settings(max_examples=60, deadline=None)
@given(values=_values, other=_values, cut=st.integers(0, 6), seed=st.integers(0, 99))
def test_buffers_and_row_order_do_not_count(values, other, cut, seed):
    whole = hashed(values, NESTED)
    series = pl.Series(values, dtype=NESTED)
    padded = pl.concat([pl.Series(other, dtype=NESTED), series, pl.Series(other, dtype=NESTED)])
    assert hashed(padded.slice(len(other), len(values)), NESTED) == whole
    chunked = pl.concat([series[:cut], series[cut:]], rechunk=False)
    assert hashed(chunked, NESTED) == whole
    assert (hashed(other, NESTED) == whole) == (other == values)

    rows = pl.DataFrame({"unit": ["u"] * len(values), "k": range(len(values)), "v": series})
    rows = rows.with_columns(when=pl.lit(None, pl.String)).sample(
        fraction=1, shuffle=True, seed=seed
    )
    ((_, _, columns),) = unit_hashes(table(NESTED), rows)
    assert columns["v"] == whole


def test_units_are_hashed_by_themselves_and_without_volatile_columns():
    rows = pl.DataFrame(
        {
            "unit": ["b", "a", "b"],
            "k": [2, 1, 1],
            "v": [["x"], ["y"], []],
            "when": ["now", None, "then"],
        }
    )
    found = {unit: (n, columns) for unit, n, columns in unit_hashes(table(WORDS), rows)}
    assert list(found) == ["a", "b"]
    assert found["b"][0] == 2
    assert found["b"][1].keys() == {"unit", "k", "v"}
    ((_, _, alone),) = unit_hashes(table(WORDS), rows.filter(pl.col("unit") == "b"))
    assert alone == found["b"][1]
    assert list(unit_hashes(table(WORDS), rows.clear())) == []


def test_a_type_no_table_may_store_is_named():
    rows = pl.DataFrame({"unit": ["u"], "k": [1], "v": [object()], "when": [None]})
    with pytest.raises(TypeError, match="'v'"):
        list(unit_hashes(table(pl.Object()), rows))


def test_boundaries_between_strings_count():
    assert digest(["ab", "c"]) != digest(["a", "bc"]) != digest(["a", "b", "c"])
    assert digest_map({"a": "b", "c": "d"}) == digest_map({"c": "d", "a": "b"})
    assert digest_map({"a": "b", "c": "d"}) != digest_map({"a": "d", "c": "b"})


NESTED_ROWS = [
    *([None], [[]], [[""]], [["a", ""]], [["a"]], [["", "a"]], [[None]], [["a", None]]),
    *([["ab"]], [["a", "b"]]),
]


@pytest.mark.parametrize("turned", [False, True])
def test_rows_have_hashes_of_their_own(turned: bool) -> None:
    """Rows that differ in one cell differ, whatever lies around them; volatile columns say nothing."""
    values = [v for (v,) in NESTED_ROWS]
    rows = pl.DataFrame(
        {"unit": "u", "k": 0, "v": pl.Series(values, dtype=WORDS), "when": "now"},
        schema_overrides={"k": pl.Int64},
    )
    said = row_hashes(table(WORDS), rows)
    assert len(set(said)) == len(values)
    others = rows.reverse() if turned else rows.with_columns(when=pl.lit("later"))
    again = row_hashes(table(WORDS), others)
    assert again == (said[::-1] if turned else said)
    assert row_hashes(table(WORDS), rows[3:4]) == said[3:4]
    assert row_hashes(table(WORDS), rows.clear()) == []
