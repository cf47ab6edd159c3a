"""What a text says the wearer does, read back as the verb of the annotation."""

from __future__ import annotations

import pytest

from expectations.derivations.action_path import ActionPath, Does, done_forms
from expectations.gates.statements import Choice, Each, Name, Quote, Statement, parse


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("opens", "open"),
        ("Picks up", "pick-up"),
        ("turns off", "turn_off"),
        ("washes", "wash"),
        ("closes", "close"),
        ("dries", "dry"),
        ("ties", "tie"),
        ("presses", "press"),
        ("has", "have"),
        ("does", "do"),
    ],
)
def test_a_verb_in_the_third_person_is_that_of_the_row(text: str, verb: str) -> None:
    assert list(Does(("hold", verb)).errors(text)) == []


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("opens", "close"),
        ("open", "open"),
        ("turns on", "turn off"),
        ("turns", "turn off"),
        ("turns off", "turn"),
        ("presses", "pres"),
        ("plays", "pla"),
    ],
)
def test_another_verb_or_particle_is_noticed(text: str, verb: str) -> None:
    assert list(Does((verb,)).errors(text)) == [f"{text!r} instead of {verb!r}"]


def moved(verb: str) -> Statement:
    path = ActionPath({}, 0.0, ("pan",), False, (verb,), ("left hand",), (), (), (), ())
    return Statement("done", done_forms("The wearer {done}."), path.done_slots(("pan",)), ())


@pytest.mark.parametrize(
    ("text", "verb", "errors"),
    [
        ("puts the pan on something with the left hand", "put-on", []),
        ("pours the pan into something", "pour into", []),
        ("puts the pan into something", "put-on", ["way 'into' instead of 'on'"]),
        ("pours the pan on something", "put-on", ["moves 'pours' instead of 'put'"]),
        ("puts the cup on something", "put-on", ["object 'cup' instead of 'pan'"]),
        ("puts the pan on something", "put", ["moves 'puts' instead of ''", "way 'on' instead of ''"]),
    ],
)  # fmt: skip
def test_what_is_moved_to_something_is_read_with_its_preposition(
    text: str, verb: str, errors: list[str]
) -> None:
    (found,) = parse(f"The wearer {text}.", [moved(verb)]).matches
    assert found.errors() == errors


DONE = Statement(
    "done",
    done_forms("The camera wearer {done}."),
    {
        "does": Does(("put",)),
        "action": Quote(("put",)),
        "object": Name(("pan with lid",)),
        "hands": Each("[the ]{hand}", ({"hand": Name(("left hand",))},)),
        "both": Choice((), ("both hands",)),
    },
    (),
)


@pytest.mark.parametrize(
    "text",
    [
        "puts the pan with lid",
        "puts the pan with lid somewhere",
        "puts the pan with lid with the left hand",
        "puts the pan with lid somewhere with the left hand",
        'performs the action "put" on the pan with lid with the left hand',
    ],
)
def test_all_wordings_of_one_action_are_read(text: str) -> None:
    (found,) = parse(f"The camera wearer {text}.", [DONE]).matches
    assert found.errors() == []


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("takes the pan with lid", "does 'takes' instead of 'put'"),
        (
            "puts the pan with lid with the right hand",
            "hands 'the right hand' instead of 'left hand'",
        ),
        ("puts the pan with lid with both hands", "both 'both hands' instead of ''"),
        ("puts the cup somewhere with the left hand", "object 'cup' instead of 'pan with lid'"),
        (
            'performs the action "take" on the pan with lid',
            "action 'take' instead of 'put'",
        ),
    ],
)
def test_what_is_told_otherwise_is_noticed(text: str, error: str) -> None:
    (found,) = parse(f"The camera wearer {text}.", [DONE]).matches
    assert error in found.errors()
