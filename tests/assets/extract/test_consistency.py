"""What changes nothing in what a reply says does not make it another letter."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from assets.extract.letters import read_reply

REPLIES = Path(__file__).parent / "replies"
# A sentence in front makes these replies, which name an option in passing, another letter.
KNOWN_WRONG = {"b-letter-370", "c-letter-617"}


def kept() -> list[dict[str, Any]]:
    """Every fourth complete reply about letters."""
    lines = [
        line
        for path in sorted(REPLIES.glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()[::4]
    ]
    rows = [json.loads(line) for line in lines]
    return [row for row in rows if row["kind"].startswith("letter") and not row.get("cut")]


def letter_of(row: dict[str, Any], reply: str) -> str | None:
    texts = list(row["options"].values())
    return read_reply(reply, list(row["options"]), texts if all(texts) else ()).letter


@pytest.mark.parametrize("sentence", ["The clip is short.\n\n", "\n  ", "\u200b"])
def test_a_neutral_sentence_in_front_makes_no_other_letter(sentence: str) -> None:
    rows = kept()
    read = {row["id"]: letter_of(row, row["reply"]) for row in rows}
    other = {
        row["id"]
        for row in rows
        if read[row["id"]] is not None
        and letter_of(row, sentence + row["reply"]) not in (None, read[row["id"]])
    }
    assert other <= KNOWN_WRONG
    assert sum(letter is not None for letter in read.values()) > 300


def test_letters_that_change_places_in_a_reply_change_places_in_its_reading() -> None:
    swapped = {"B": "C", "C": "B"}
    compared = 0
    for row in kept():
        reply, options = row["reply"], row["options"]
        # Places in the list and letters of other scripts stay where they are.
        placed = re.search(r"\b(?:first|second|third|last|[1-4])\b|[^\x00-\x7f]", reply)
        read = letter_of(row, reply)
        if any(options.values()) or len(options) < 3 or placed or read is None or read == "A":
            continue
        if not re.search(rf"(?<![\w']){read}(?![\w'])", reply):
            # A small letter stays where it is.
            continue
        other = re.sub(r"(?<![\w'])[BC](?![\w'])", lambda match: swapped[match[0]], reply)
        assert letter_of(row, other) == swapped.get(read, read), row["id"]
        compared += 1
    assert compared > 60
