"""Lists that lost their items are refused by the functions that read them, whatever layout they are of."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from assets.sources.reading.csv import csv_rows
from assets.sources.reading.json import document_of, json_items, json_tree, json_trees, object_of
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.text_columns import text_columns
from assets.sources.reading.values import Malformed, text_lines

READERS: dict[str, tuple[Callable[[bytes], object], list[bytes]]] = {
    # name: (reader, documents without an item)
    "lines": (lambda d: list(text_lines(d)), [b"", b"\n", b"\r\n \n", b"\xef\xbb\xbf"]),
    "rows": (lambda d: list(csv_rows(d, ("a",))), [b"", b"a,b\n", b"a,b", b"a,b\r\n\r\n"]),
    "items": (lambda d: list(json_items(d)), [b"", b"[]", b" [ ]\n"]),
    "members": (lambda d: list(json_trees(d)), [b"", b"{}", b" { } "]),
    "object": (object_of, [b"", b"{}"]),
    "document": (document_of, [b"", b"{}", b"[]"]),
    "tree": (json_tree, [b"", b"{}", b"[]"]),
}
CASES = [(name, data) for name, (_, held) in READERS.items() for data in held]


@pytest.mark.parametrize(("name", "data"), CASES)
def test_nothing_is_not_read_as_a_list_of_nothing(name: str, data: bytes) -> None:
    with pytest.raises(Malformed):
        READERS[name][0](data)


def guarded(read: Callable[[RowReader], Iterable | None]) -> list[tuple]:
    """Refusals of a reading that gives no row."""
    reader = RowReader("segments")
    assert not list(read(reader) or ())
    return [(r["table"], r["file"], r["row"], r["rule"], bool(r["remedy"])) for r in reader.refused]


@pytest.mark.parametrize(
    "read",
    [
        lambda g: g.lines("f", b"\n", lambda text: {"text": text}),
        lambda g: g.csv("f", b"a\n", ("a",), dict),
        lambda g: g.json("f", b"[]", lambda item: {"item": item}),
        lambda g: g.json_object("f", b"{}", lambda name, item: {name: item}),
        lambda g: g.large_json("f", [b'{"a": []}'], ["a"], lambda at, item: {"item": item}),
        lambda g: text_columns(g, "f", b"a,b\n", ("a",)),
    ],
    ids=["lines", "csv", "json", "json_object", "large_json", "text_columns"],
)
def test_its_refusal_names_table_file_rule_and_remedy(read: Callable) -> None:
    assert guarded(read) == [("segments", "f", None, "unreadable_file", True)]


def test_files_that_are_often_empty_say_so() -> None:
    reader = RowReader("segments")
    assert not list(reader.csv("f", b"a\n", ("a",), dict, may_be_empty=True))
    assert not list(
        reader.large_json("f", [b"[]"], [], lambda at, item: {"item": item}, may_be_empty=True)
    )
    assert not reader.refused


def test_a_list_whose_rows_are_all_refused_is_not_called_empty() -> None:
    reader = RowReader("segments")
    assert not list(reader.lines("f", b"\xff\n", lambda text: {"text": text}))
    assert not list(reader.csv("f", b"a,b\n1\n", ("a",), dict))
    assert [(r["row"], r["rule"]) for r in reader.refused] == [
        ("1", "unreadable_row"),
        ("2", "unreadable_row"),
    ]


@pytest.mark.parametrize("header", ["a,b,b", "a,b,a", "b,a, a"])
def test_a_column_that_stands_twice_is_nobodys_guess(header: str) -> None:
    with pytest.raises(Malformed, match="twice"):
        list(csv_rows(f"{header}\n1,2,3\n".encode(), ("a",)))


def test_of_two_rows_with_one_key_an_equal_one_is_dropped_and_another_refused() -> None:
    reader, kept = RowReader("recordings"), {}
    for at, (key, value) in enumerate([("x", 1), ("x", 1), ("y", 2), ("x", 3)]):
        reader.keep_first(kept, key, value, file="f", row=at)
    assert kept == {"x": 1, "y": 2}
    assert [(r["row"], r["rule"], r["value"]) for r in reader.refused] == [
        ("3", "contradicting_row", "3")
    ]


def test_a_damaged_file_that_is_one_value_does_not_fill_quarantine() -> None:
    reader = RowReader("segments")
    reader.reject("f", 1, "rule", "x" * 10**6, "y" * 10**6, "remedy")
    assert len(str(reader.refused)) < 2000
