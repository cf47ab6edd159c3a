"""Texts parsed into statements, slot by slot."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from expectations.gates.statements import (
    Box,
    Choice,
    Each,
    Exact,
    Meaning,
    Name,
    Number,
    Quote,
    Slot,
    Statement,
    match,
    parse,
)
from expectations.gates.words import sector_of

KETTLES = Each("the {name}[, at {box}]", (
    {"name": Name(("salt and pepper",)), "box": Box(((0.1, 0.2, 0.3, 0.4),), 0.005)},
    {"name": Name(("RedCup_1", "red cup"))},
    {"name": Name(("jar",))},
))  # fmt: skip

SLOTS: list[tuple[Slot, str, bool]] = [
    (Number(3.06, 0.05), "3.1", True),
    (Number(3.04, 0.05), "3.1", False),
    (Number(-2.0, 0.05), "-2.0", True),
    (Number(2.0, 0.0), "2", True),
    (Name(("RedCup_1",)), "the red cup 1", True),
    (Name(("RedCup_1",)), "the cup", False),
    (Name(("cup", "mug")), "mug", True),
    (Quote(("Turn-on [sink] using [hand]",)), "turn on the sink with hand", True),
    (Quote(("Pour from [jug] into [cup]",)), "pour from cup into jug", False),
    (Quote(()), "anything", False),
    (Exact("T|fpv1"), "T|fpv1", True),
    (Exact("T|fpv1"), "t|FPV1", False),
    (Choice(("to the left of",), ("to the left of", "to the right of")), "to  the left of", True),
    (Choice(("to the left of",), ("to the left of", "to the right of")), "to the right of", False),
    (Meaning(7, sector_of, "front-left"), "front-left", True),
    (Meaning(7, sector_of, "front-left"), "left", False),
    (Meaning(7, sector_of, "front-left"), "sideways", False),
    (Box(((0.1, 0.2, 0.3, 0.4),), 0.005), "[0.10, 0.20, 0.30, 0.40]", True),
    (Box(((0.1, 0.2, 0.3, 0.4),), 0.005), "[0.30, 0.20, 0.10, 0.40]", False),
    (Box(((0.1, 0.2, 0.3, 0.4),), 0.005), "[0.10, 0.20, 0.30]", False),
    (Box((), 0.005), "[0.10, 0.20, 0.30, 0.40]", False),
    (KETTLES, "the salt and pepper, the red cup and the jar", True),
    (KETTLES, "the jar, the red cup, and the salt and pepper, at [0.10, 0.20, 0.30, 0.40]", True),
    (KETTLES, "the salt and pepper, at [0.50, 0.20, 0.60, 0.40], the red cup and the jar", False),
    (KETTLES, "the salt and pepper and the jar", False),
    (KETTLES, "the salt and pepper, the red cup, the jar and the jar", False),
    (KETTLES, "the salt and pepper, the red cup, the jar and the spoon", False),
]


@pytest.mark.parametrize(("slot", "text", "agrees"), SLOTS)
def test_a_slot_agrees_with_its_rows_or_says_how_it_differs(
    slot: Slot, text: str, agrees: bool
) -> None:
    assert (list(slot.errors(text)) == []) is agrees
    # What agrees is also what the pattern lets stand there.
    assert match("it is {slot}.", {"slot": slot}, f"it is {text}.") is not None or not agrees


SEEN = Statement("sight", ("The {thing} was seen[ at {time} s].",),
                 {"thing": Name(("cup",)), "time": Number(2.0, 0.05)}, ("boxes:1",))  # fmt: skip
SAID = Statement("words", ('They said "{words}".',), {"words": Quote(('Stop. Say "now".',))}, ())


def test_a_text_is_parsed_sentence_by_sentence() -> None:
    parsed = parse('The  cup was seen at 2.0 s. They said "Stop. Say "now"."', [SEEN, SAID])
    assert parsed.unmatched == ['They said "Stop. Say "now"."']  # its full stop is missing
    parsed = parse('THE CUP was seen. They said "Stop. Say "now".".', [SEEN, SAID])
    assert [m.statement.name for m in parsed.matches] == ["sight", "words"]
    assert parsed.matches[0].values == {"thing": "CUP"}
    assert [m.errors() for m in parsed.matches] == [[], []]
    assert parsed.unmatched == []


def test_what_no_statement_says_is_kept_apart() -> None:
    parsed = parse("First of all. The jar was seen at 3.0 s. And so on. And on.", [SEEN])
    assert parsed.unmatched == ["First of all.", "And so on. And on."]
    (found,) = parsed.matches
    assert found.errors() == ["thing 'jar' instead of 'cup'", "time 3.0 instead of 2"]


def test_a_statement_that_is_untrue_is_wrong_whatever_it_holds() -> None:
    untrue = Statement("sight", SEEN.forms, SEEN.slots, (), untrue="nobody saw it")
    (found,) = parse("The cup was seen.", [untrue]).matches
    assert found.errors() == ["nobody saw it"]


@given(st.text(max_size=60))
def test_any_text_is_parsed_and_none_of_it_is_lost(text: str) -> None:
    parsed = parse(text, [SEEN, SAID])
    assert bool(parsed.matches or parsed.unmatched) == bool("".join(text.split()))
