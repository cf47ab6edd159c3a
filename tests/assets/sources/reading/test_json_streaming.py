"""Large JSON documents, cut member by member: the same values as reading them whole."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.sources.reading import json_streaming
from assets.sources.reading.json_streaming import json_members
from assets.sources.reading.values import Malformed


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    yield from (data[at : at + size] for at in range(0, len(data), size))


def members(text: str | bytes, *path: str, size: int = 7) -> list[tuple[Any, Any]]:
    data = text.encode() if isinstance(text, str) else text
    return [
        (at, str(item) if isinstance(item, Malformed) else item)
        for at, item in json_members(pieces(data, size), path, may_be_empty=True)
    ]


@pytest.mark.parametrize("text", ["[]", "{}", '{"a": []}', '{"a": {}}', " [ ] ", '{"a": {"b": 1}}'])
def test_a_list_or_object_without_members_is_refused_unless_it_may_be(text: str) -> None:
    path = ["a"] if "a" in text else []
    given = list(json_members([text.encode()], path, may_be_empty=True))
    if "b" in text:
        assert given == list(json_members([text.encode()], path)) == [("b", 1)]
        return
    assert given == []
    with pytest.raises(Malformed, match="is empty"):
        list(json_members([text.encode()], path))


TEXT = st.text(st.sampled_from('ab"\\{}[],:é\n漢 '), max_size=6)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(JSON, max_size=4) | st.dictionaries(TEXT, JSON, max_size=4),
    st.dictionaries(TEXT, JSON, max_size=3),
    st.lists(TEXT, max_size=2),
    st.integers(1, 40),
    st.sampled_from([None, 1]),
    st.booleans(),
)
def test_members_are_those_of_the_whole_document(held, others, path, size, indent, plain) -> None:
    document: Any = held
    for key in reversed(path):
        document = {**others, key: document, "after": [1, {"x": []}]}
    wanted: Any = document
    for key in path:
        wanted = wanted[key]
    text = json.dumps(document, indent=indent, ensure_ascii=plain)
    if not isinstance(wanted, list | dict):
        with pytest.raises(Malformed):
            members(text, *path, size=size)
        return
    expected = list(enumerate(wanted) if isinstance(wanted, list) else wanted.items())
    assert members(text, *path, size=size) == expected


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_strings_may_hold_anything(size: int) -> None:
    held = ['"', "\\", '\\"', "]}", ",", "\\\\", '{"a": [', "é漢"]
    assert members(json.dumps(held), size=size) == list(enumerate(held))
    assert members(b"\xef\xbb\xbf" + json.dumps(held).encode(), size=size) == list(enumerate(held))
    assert members("[]", size=size) == []


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ('{"a": NaN}', "NaN is not a JSON number"),
        ('{"a": 1, "a": 2}', "key 'a' is given twice"),
        ("{'a': 1}", "not JSON"),
        ("", "not JSON"),
        ('{"a": 1', "not JSON"),
        ('"\\ud800"', "not Unicode"),
    ],
)
def test_a_broken_member_costs_itself(item: str, said: str) -> None:
    if item.count("{") > item.count("}"):
        item += "]}"  # brackets of two kinds that make the depth right
        item = item.replace("]}", "]")
    found = members(f'{{"videos": [1, {item}, 2]}}', "videos")
    assert [found[0], found[-1]] == [(0, 1), (2, 2)]
    assert said in found[1][1]


def test_a_key_given_twice_is_refused_where_it_comes_again() -> None:
    found = members('{"a": 1, "b": 2, "a": 3}')
    assert found[:2] == [("a", 1), ("b", 2)]
    assert "twice" in found[2][1]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("", ()),
        ("5", ()),
        ("no json", ()),
        ("x[1]", ()),
        ("[1, 2", ()),
        ('["a]', ()),
        ("[1]]", ()),
        ('{"a": [1]}', ("b",)),
        ('{"a": 5}', ("a",)),
        ('{"a": [{"b": []}]}', ("a", "b")),
        ("[[1]]", ("a",)),
        ('{"x": {"a": []}}', ("a",)),
    ],
)
def test_what_is_not_there_is_said(text: str, path: tuple[str, ...]) -> None:
    with pytest.raises(Malformed):
        members(text, *path)


def test_a_member_that_never_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_streaming, "MEMBER_BYTES", 1000)
    with pytest.raises(Malformed, match="never ends"):
        members('[{"a": ' + "[" * 10 + "1," * 1000)


def test_memory_is_that_of_a_member_and_a_piece() -> None:
    """20 MB, of which no more than a few are held."""
    member = json.dumps({"uid": "x" * 36, "text": "word, " * 20_000}).encode()
    count = 20_000_000 // len(member)

    def document() -> Iterator[bytes]:
        yield b'{"version": "2", "skipped": [' + b"1," * 100_000 + b'1], "videos": [' + member
        for _ in range(count - 1):
            yield b", " + member
        yield b"]}"

    tracemalloc.start()
    found = sum(1 for _, item in json_members(document(), ["videos"]) if isinstance(item, dict))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found == count
    assert peak < 16e6
