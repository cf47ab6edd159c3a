"""What changes nothing in what a reply says does not make it another letter."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assets.extract.declarations import ANSWER_ABROAD
from assets.extract.letters import read_reply

REPLIES = Path(__file__).parent / "replies"
# A sentence in front makes these replies, which name an option in passing, another letter.
KNOWN_WRONG = {"b-letter-370"}


def kept() -> list[dict[str, Any]]:
    """Every ninth complete reply about letters."""
    lines = [
        line
        for path in sorted(REPLIES.glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()[::9]
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


def complete() -> list[dict[str, Any]]:
    """The tenth author's complete replies, and every ninth one of the others."""
    tenth = (REPLIES / "tenth_author.jsonl").read_text(encoding="utf-8").splitlines()
    rows = {row["id"]: row for row in (*kept(), *map(json.loads, tenth)) if not row.get("cut")}
    return list(rows.values())


MARKUP: dict[str, Callable[[str], str]] = {
    "tags in capitals": lambda text: re.sub(r"</?[a-z_]{3,}>", lambda tag: tag[0].upper(), text),
    "emphasis with underscores": lambda text: text.replace("**", "__"),
    "keys with a capital": lambda text: re.sub(
        r'"(?:answer|choice|option|prediction|final_answer)"\s*:', lambda key: key[0].title(), text
    ),
    "ends of lines": lambda text: text.replace("\n", "\r\n"),
}


@pytest.mark.parametrize("change", MARKUP)
def test_markup_in_another_form_makes_no_other_letter(change: str) -> None:
    changed = 0
    for row in complete():
        reply = MARKUP[change](row["reply"])
        if reply == row["reply"]:
            continue
        assert letter_of(row, reply) == letter_of(row, row["reply"]), row["id"]
        changed += 1
    assert changed > 15


def test_letters_and_options_that_change_places_together_change_the_reading() -> None:
    """B and C change places in the reply and in the list of options with their texts."""
    swapped = {"B": "C", "C": "B"}
    compared = 0
    for row in complete():
        reply, options = row["reply"], row["options"]
        placed = re.search(
            r"\b(?:first|second|third|last|one|two|three|four|former|latter|[1-9])\b|[^\x00-\x7f]",
            reply.lower(),
        )
        lettered = any(re.search(r"(?<![\w'])[A-Z](?![\w'])", text) for text in options.values())
        small = re.search(r"(?<![\w'])[b-h](?![\w'])", reply)
        read = letter_of(row, reply)
        if f"'{read}'" in reply or "assistantfinal" in reply:
            continue  # a letter that touches a mark or a word keeps its place below
        if len(options) < 3 or not all(options.values()) or placed or lettered or small:
            continue
        other = re.sub(r"(?<![\w'])[BC](?![\w'])", lambda match: swapped[match[0]], reply)
        exchanged = {letter: options[swapped.get(letter, letter)] for letter in options}
        expected = swapped.get(read or "", read)
        assert letter_of({**row, "options": exchanged}, other) == expected, row["id"]
        compared += 1
    assert compared > 100


# Replies that settle on an option, and only later take it back.
LATER_TAKEN_BACK = re.compile(
    rf"^[^\w]*(?:```(?:json)?\s*)?(?:\{{|<?(?:my |the )?(?:final )?(?:best )?(?:correct )?(?:answer|selected|option|best)|{ANSWER_ABROAD}|정답은|답은|答案|正解|答え|\(?[A-Z]\b)",
    re.IGNORECASE,
)


@pytest.mark.parametrize("share", [0.3, 0.5, 0.7, 0.9])
def test_a_reply_cut_short_gives_no_letter_that_it_does_not_open_with(share: float) -> None:
    """Reasoning that is cut has not come to its answer; only a reply that opens with one has given it."""
    cut = 0
    for row in complete():
        reply = row["reply"][: int(len(row["reply"]) * share)].rstrip()
        if len(reply) < 15 or LATER_TAKEN_BACK.match(reply):
            continue
        texts = list(row["options"].values())
        read = read_reply(reply, list(row["options"]), texts if all(texts) else (), truncated=True)
        assert read.letter in (None, row["reading"]["value"]), (row["id"], read)
        cut += 1
    assert cut > 200


TEXTS = ("jump", "run", "sit", "kneel")
LISTS = {
    "dots": [f"{letter}. {text}" for letter, text in zip("ABCD", TEXTS, strict=True)],
    "brackets": [f"({letter}) {text}" for letter, text in zip("ABCD", TEXTS, strict=True)],
    "dashes": [f"{letter} - {text}" for letter, text in zip("ABCD", TEXTS, strict=True)],
    "letters": list("ABCD"),
    "texts": list(TEXTS),
}
INTRODUCTIONS = ("", "The options are: ", "Options:\n", "I watched all of the frames. ", "She may ")


@pytest.mark.parametrize("items", LISTS)
@pytest.mark.parametrize("between", ["\n", "; ", ", ", ". "])
@pytest.mark.parametrize("introduction", INTRODUCTIONS)
def test_options_that_are_only_listed_are_no_answer(
    items: str, between: str, introduction: str
) -> None:
    for end in ("", "."):
        reply = introduction + between.join(LISTS[items]) + end
        for truncated in (False, True):
            assert read_reply(reply, "ABCD", TEXTS, truncated=truncated).letter is None, reply
