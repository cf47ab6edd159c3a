"""No reply raises, names a letter that does not exist, or takes long, whatever is in it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.extract.chains import read_chain
from assets.extract.evidence import read_evidence
from assets.extract.letters import read_reply
from assets.extract.moments import Moment, read_moment
from assets.extract.open_answers import read_open
from assets.extract.pairs import read_pair
from assets.extract.times import Time, read_time
from assets.extract.words import read_words

LETTERS = "ABCD"
TEXTS = ("On the table.", "On the cutting board.", "In a pot.", "On the windowsill.")
LONGEST = 65_536
# 50 ms of CPU are the limit; a machine that others keep busy takes up to twice as long.
LIMIT_S = 0.1

READERS: dict[str, Callable[[str], Any]] = {
    "letter": lambda reply: read_reply(reply, LETTERS, TEXTS),
    "cut letter": lambda reply: read_reply(reply, LETTERS, TEXTS, truncated=True),
    "ten": lambda reply: read_reply(
        reply, "ABCDEFGHIJ", [f"clip {number}" for number in range(1, 11)]
    ),
    "chain": lambda reply: read_chain(reply, n_candidates=10),
    "pair": lambda reply: read_pair(reply, 5),
    "time": lambda reply: read_time(reply, "When does the hand touch the knife?"),
    "open": read_open,
    "words": lambda reply: read_words(reply, "knife"),
    "moment": lambda reply: read_moment(reply, Moment(Time(6.0, None, "s"), Time(9.0, None, "s"))),
    "evidence": read_evidence,
}
PIECES = (
    "A", "A ", "A, ", "not A ", "A or ", "the answer is ", "wait ", "no ", "so A. ", "if A would ", "instead of ",
    "1. ", "1-2 ", "Video1-Video2 ", "[[1,", "1 -> ", "A -> ", "00:01 ", "1 s ", "1 s - ", '{"a":', "{", "[", "(", '"',
    "<think>", "</answer>", "```", "~~", "\\boxed{", "$\\", "<|", "| A | ", "\n- ", "on the table ", "clip 1 ", "I ",
    "A: 10% ", "A=0.1 ", "A✗ ", "✓ ", "1'2\" ", "第一", "left and right ", "? ", " ", "\n", "Question: a?\n", "“", "[1, 2, 3, 4] ",
    "rather than ", "neither A nor ", "because ", "in a pot ", "USER: ", "\u200b", "不是A", "、", "x1=1 y1=2 ", "ı ", "the answer is ı ", "fırst option ", "to the rıght behınd ", "İ ",
)  # fmt: skip


@pytest.mark.parametrize("name", READERS)
def test_repeated_pieces_take_bounded_time(name: str) -> None:
    reader = READERS[name]
    reader('{"answer": "A", because')
    slow: list[tuple[float, str]] = []
    for piece in PIECES:
        took = _seconds(reader, _repeated(piece, 0))
        # The first reading may compile patterns, and nothing is remembered of a reply with another end.
        for again in range(1, 4):
            if took > LIMIT_S:
                took = _seconds(reader, _repeated(piece, again))
        if took > LIMIT_S:
            slow.append((took, piece))
    assert not slow


def _repeated(piece: str, number: int) -> str:
    end = f" {number}."
    return (piece * LONGEST)[: LONGEST - len(end)] + end


def _seconds(reader: Callable[[str], Any], reply: str) -> float:
    began = time.process_time()
    reader(reply)
    return time.process_time() - began


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=12)), max_size=40).map("".join))
@settings(max_examples=60)
def test_any_reply_is_read(reply: str) -> None:
    for name, reader in READERS.items():
        read = reader(reply)
        if name in ("letter", "cut letter", "ten"):
            assert (read.letter is None) == (read.status != "parsed")
            assert read.letter is None or read.letter in "ABCDEFGHIJ"[: 10 if name == "ten" else 4]
        else:
            assert (read.value is None) == (read.status != "parsed")
        assert read == reader(reply)
