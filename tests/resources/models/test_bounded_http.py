"""JSON documents that were cut."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.models.server.bounded_http import CUT, close_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


def is_start(part: Any, whole: Any) -> bool:
    """Whether a value is what had come of another."""
    if isinstance(part, str) and isinstance(whole, str):
        # Half of a pair of surrogates may be all that had come of a character.
        return part == whole or (
            part.endswith(CUT)
            and whole.encode("utf-16-le", "surrogatepass").startswith(
                part.removesuffix(CUT).encode("utf-16-le", "surrogatepass")
            )
        )
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) <= len(whole) and all(map(is_start, part, whole))
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and is_start(value, whole[key]) for key, value in part.items())
    return part == whole


@given(st.dictionaries(st.text(max_size=4), VALUES, min_size=1), st.data(), st.booleans())
def test_a_cut_document_is_a_start_of_the_whole(
    document: dict[str, Any], data: st.DataObject, ascii_only: bool
) -> None:
    text = json.dumps(document, ensure_ascii=ascii_only)
    cut = text[: data.draw(st.integers(1, len(text)))]
    assert is_start(json.loads(close_json(cut)), document), cut


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ('{"choices": [{"message": {"content": "Answer', {"choices": [{"message": {"content": f"Answer{CUT}"}}]}),
        ('{"choices": [{"message": {"content": "B"', {"choices": [{"message": {"content": "B"}}]}),
        ('{"content": "B", "finish_rea', {"content": "B"}),
        ('{"content": "B", "finish_reason": ', {"content": "B"}),
        ('{"content": "say \\"B', {"content": f'say "B{CUT}'}),
        ('{"content": "B\\', {"content": f"B{CUT}"}),
        ('{"content": "B\\u00', {"content": f"B{CUT}"}),
        ('["a", "b', ["a", f"b{CUT}"]),
        ('{"n": 12', {}),
    ],
)  # fmt: skip
def test_what_had_come_is_kept(text: str, closed: Any) -> None:
    assert json.loads(close_json(text)) == closed
