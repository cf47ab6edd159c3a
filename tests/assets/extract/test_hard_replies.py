"""Replies that are hard to read, written by thirty-nine authors, thirty-five of whom had not seen the extractor."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assets.extract.chains import Chain, read_chain
from assets.extract.declarations import AT_END, ENDS_WITH_LETTER, PATTERNS
from assets.extract.evidence import Evidence, read_evidence
from assets.extract.letters import read_reply
from assets.extract.open_answers import OpenAnswer, read_open
from assets.extract.pairs import read_pair
from assets.extract.readings import Read
from assets.extract.times import Time, read_time

REPLIES = Path(__file__).parent / "replies"
AUTHORS = (
    "first_author",
    "second_author",
    "third_author",
    "fourth_author",
    "fifth_author",
    "sixth_author",
    "seventh_author",
    "eighth_author",
    "ninth_author",
    "tenth_author",
    "eleventh_author",
    "twelfth_author",
    "thirteenth_author",
    "fourteenth_author",
    "fifteenth_author",
    "sixteenth_author",
    "seventeenth_author",
    "eighteenth_author",
    "nineteenth_author",
    "twentieth_author",
    "twenty_first_author",
    "twenty_second_author",
    "twenty_third_author",
    "twenty_fourth_author",
    "twenty_fifth_author",
    "twenty_sixth_author",
    "twenty_seventh_author",
    "twenty_eighth_author",
    "twenty_ninth_author",
    "thirtieth_author",
    "thirty_first_author",
    "thirty_second_author",
    "thirty_third_author",
    "thirty_fourth_author",
    "thirty_fifth_author",
    "thirty_sixth_author",
    "thirty_seventh_author",
    "thirty_eighth_author",
    "thirty_ninth_author",
)
# Sentences that name what is cited in words of their own; times and boxes are read, names are not the same.
KNOWN_WRONG_EVIDENCE = {"b-evidence-005", "b-evidence-006", "b-evidence-007"}

# Answers whose letter the account before them contradicts; a wearer and a talker with letters for names, a
# duration in words behind another one, a rank that is called second, JSON that prose changes field by field, a place that
# "I should say" puts right, an answer that is called the last but one.
KNOWN_WRONG_LETTERS = {
    "h-letter-183",
    "h-letter-185",
    "s-170",
    "s-265",
    "u-217",
    "cc-165",
    "cc-200",
    "cc-240",
    # Corrections that name nothing of the first answer, or say the second one in words that no option has.
    "hh-007",
    "hh-031",
    "hh-048",
    "hh-069",
    "hh-070",
    "hh-080",
    "hh-090",
    "hh-091",
    "hh-133",
    "hh-134",
    "hh-146",
    "hh-159",
}

Row = dict[str, Any]


def rows_of(author: str) -> list[Row]:
    lines = (REPLIES / f"{author}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def letters_of(author: str) -> list[Row]:
    return [row for row in rows_of(author) if row["kind"].startswith("letter")]


def read(row: Row) -> tuple[str, str | None]:
    letters, texts = list(row["options"]), list(row["options"].values())
    cut = row.get("cut", False)
    reading = read_reply(row["reply"], letters, texts if all(texts) else (), truncated=cut)
    return {"parsed": "answered"}.get(reading.status, reading.status), reading.letter


def same(expected: tuple[str, Any], status: str, value: Any) -> bool:
    """A complete reply that commits to nothing and one that names two are both without an answer."""
    open_ended = expected[0] == "unparsed" and status in ("ambiguous", "refused", "empty")
    return (status, value) == expected or open_ended


@pytest.mark.parametrize(
    ("author", "least"),
    [
        ("first_author", 0.99),
        ("second_author", 0.87),
        ("third_author", 0.98),
        ("fourth_author", 0.98),
        ("fifth_author", 0.99),
        ("sixth_author", 0.9),
        ("seventh_author", 0.93),
        ("eighth_author", 0.95),
        ("ninth_author", 0.97),
        ("tenth_author", 0.98),
        ("eleventh_author", 0.98),
        ("twelfth_author", 0.99),
        ("thirteenth_author", 0.99),
        ("fourteenth_author", 0.98),
        ("fifteenth_author", 0.97),
        ("sixteenth_author", 0.97),
        ("seventeenth_author", 0.98),
        ("eighteenth_author", 0.85),
        ("nineteenth_author", 0.985),
        ("twentieth_author", 0.98),
        ("twenty_first_author", 0.99),
        ("twenty_second_author", 0.965),
        ("twenty_third_author", 0.94),
        ("twenty_fourth_author", 0.95),
        ("twenty_fifth_author", 0.96),
        ("twenty_sixth_author", 0.99),
        ("twenty_seventh_author", 0.99),
        ("twenty_eighth_author", 0.92),
        ("twenty_ninth_author", 0.89),
        ("thirtieth_author", 0.95),
        ("thirty_first_author", 0.93),
        ("thirty_second_author", 0.98),
        ("thirty_third_author", 0.81),
        ("thirty_fourth_author", 0.99),
        ("thirty_fifth_author", 0.99),
        ("thirty_sixth_author", 0.99),
        ("thirty_seventh_author", 0.99),
        ("thirty_eighth_author", 0.99),
        ("thirty_ninth_author", 0.99),
    ],
)
def test_hard_replies(author: str, least: float) -> None:
    rows = letters_of(author)
    wrong, right = set(), 0
    for row in rows:
        status, letter = read(row)
        expected = row["reading"]["status"], row["reading"]["value"]
        right += same(expected, status, letter)
        if letter is not None and letter != expected[1]:
            wrong.add(row["id"])
    assert wrong <= KNOWN_WRONG_LETTERS
    assert right / len(rows) >= least


def test_no_refusal_is_read_as_an_answer() -> None:
    for author in AUTHORS:
        for row in letters_of(author):
            if row["reading"]["status"] in ("refused", "empty"):
                assert read(row)[1] is None, row["id"]


@pytest.mark.parametrize(
    ("plain", "odd"),
    [("i", "ı"), ("s", "ſ"), ("k", "\u212a"), ("I", "İ"), ("1", "１"), ("e", "e\u0301")],
)
def test_letters_that_look_like_others_raise_nothing(plain: str, odd: str) -> None:
    """Patterns without case take these for others, which no table of words has."""
    rows = [row for author in AUTHORS for row in letters_of(author)][::19]
    changed = 0
    for row in rows:
        reply = row["reply"].replace(plain, odd)
        changed += reply != row["reply"]
        status, letter = read({**row, "reply": reply})
        assert (letter is None) == (status != "answered")
    assert changed > 50


def chain(value: Chain) -> Any:
    return {"steps": list(value.steps), "edges": list(value.edges)}


def time(value: Time) -> Any:
    return {"seconds": value.seconds, "frame": value.frame, "unit": value.unit}


def evidence(value: Evidence) -> Any:
    boxes = [list(box) for box in value.boxes]
    return {"times": list(value.times), "objects": list(value.objects), "boxes": boxes}


def answer(value: OpenAnswer) -> Any:
    return {"answer": value.answer, "reason": value.reason}


def n_videos(row: Row) -> int:
    return 10 if "ten videos" in row["question"] else 5


READERS: dict[str, tuple[Callable[[Row], Read[Any]], Callable[[Any], Any], float, set[str]]] = {
    "chain": (lambda row: read_chain(row["reply"], n_candidates=10), chain, 0.97, set()),
    "pair": (lambda row: read_pair(row["reply"], n_videos(row)), list, 0.97, set()),
    "time": (lambda row: read_time(row["reply"], row["question"]), time, 1.0, set()),
    "open": (lambda row: read_open(row["reply"]), answer, 1.0, set()),
    "evidence": (lambda row: read_evidence(row["reply"]), evidence, 0.88, KNOWN_WRONG_EVIDENCE),
}


@pytest.mark.parametrize("kind", READERS)
def test_hard_replies_of_other_kinds(kind: str) -> None:
    reader, form, least, known = READERS[kind]
    rows = [row for author in AUTHORS for row in rows_of(author) if row["kind"] == kind]
    wrong, right = set(), 0
    for row in rows:
        reading = reader(row)
        status = {"parsed": "answered"}.get(reading.status, reading.status)
        value = None if reading.value is None else form(reading.value)
        expected = row["reading"]["status"], row["reading"]["value"]
        right += same(expected, status, value)
        if value is not None and value != expected[1]:
            wrong.add(row["id"])
    assert len(rows) > 30
    assert wrong <= known
    assert right / len(rows) >= least


def test_each_reply_is_told_with_its_reading_and_reason() -> None:
    ids: set[str] = set()
    for author in AUTHORS:
        for row in rows_of(author):
            assert row["why"], row["id"]
            assert (row["reading"]["value"] is None) == (row["reading"]["status"] != "answered")
            assert row["id"] not in ids
            ids.add(row["id"])
    assert len(ids) > 2_000


def test_patterns_that_end_a_text_need_a_letter_there() -> None:
    replies = [row["reply"] for author in AUTHORS for row in letters_of(author)]
    matched: set[str] = set()
    for name, guarded in PATTERNS:
        for reply in replies:
            if guarded.pattern.search(reply):
                matched.add(name)
                assert name not in AT_END or ENDS_WITH_LETTER.search(reply), (name, reply)
    assert len(matched) > 0.9 * len(PATTERNS)
