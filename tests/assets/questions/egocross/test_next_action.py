"""Next action from a few operations put down by hand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

from assets.questions.egocross.next_action import BEGINS, BUILDER
from assets.questions.egocross.next_phase import NAMES
from assets.questions.kit.funnel import counting
from tests.assets.questions.egocross.animals import Row, Tables, assert_whole, released, segment
from tests.assets.questions.egocross.test_next_phase import asked, operation, source

ALL = tuple(NAMES)
# An action that begins each phase, and nothing else.
BEGIN = (
    "grasper,grasp,omentum",
    "hook,dissect,cystic_duct",
    "clipper,clip,cystic_duct",
    "hook,dissect,gallbladder",
    "grasper,pack,gallbladder",
    "irrigator,aspirate,fluid",
    "grasper,grasp,specimen_bag",
)
Done = tuple[str, float, float]


def acting(
    uid: str, spans: list[tuple[str, float, float]], done: list[Done]
) -> tuple[Row, list[Row]]:
    row, phases = operation(uid, *spans)
    return row, [*phases, *(segment(uid, *one) for one in done)]


def in_order(n: int = 3) -> list[tuple[Row, list[Row]]]:
    """Operations in which each phase comes once, and one action begins it a second later."""
    spans = [(x, 20.0 * i, 20.0 * (i + 1)) for i, x in enumerate(ALL)]
    done = [(x, 20.0 * i + 1, 20.0 * i + 10) for i, x in enumerate(BEGIN)]
    return [acting(f"V{i}", spans, done) for i in range(n)]


def changed(*done: Done) -> Tables:
    """The operations, and one with two phases from 0 to 20 and to 40 s in which this is done."""
    spans = [(ALL[1], 0.0, 20.0), (ALL[2], 20.0, 40.0)]
    return source(*in_order(), acting("x", spans, [*done]))


@pytest.mark.parametrize("reading", ["strict", "paper"])
def test_the_first_action_of_the_next_phase_is_right(reading: str) -> None:
    given = changed((BEGIN[1], 2, 9), (BEGIN[2], 22, 30), ("scissors,cut,cystic_duct", 24, 26))
    made = BUILDER.under(reading).make(given)
    assert_whole(made)
    (q,) = asked(made, "x")
    (right,) = [o for o in q["options"] if o["is_answer"]]
    said = "use the clipper to clip the cystic duct", "use clipper to clip cystic duct"
    assert (right["value"], right["text"]) == (BEGIN[2], said[reading == "paper"])
    assert q["answer_visible"] is (reading == "paper")
    (clip,) = q["media"]
    assert clip["end_s"] == (19.0 if reading == "strict" else 30.0)


def test_the_explanation_names_both_phases_and_the_action() -> None:
    (q,) = asked(BUILDER.make(changed((BEGIN[2], 22, 30))), "x")
    assert q["detailed_answer"] == (
        'The clip shows the phase "Calot triangle dissection", annotated from 0 s to 20 s of the'
        " recording. The phase that begins at 20 s: Clipping and cutting. The first of the actions that"
        " begins in it, at 22 s: use the clipper to clip the cystic duct."
    )
    assert [(e["key"], e["role"]) for e in q["evidence"]] == [
        ("x/0-20/calotTriangleDissection", "context"),
        ("x/20-40/clippingAndCutting", "context"),
        ("x/22-30/clipper,clip,cystic_duct", "answer"),
    ]


@pytest.mark.parametrize(
    ("done", "strict", "paper"),
    [
        ([], None, None),
        ([(BEGIN[2], 26, 30)], None, BEGIN[2]),
        ([(BEGIN[2], 19, 30)], None, None),
        ([(BEGIN[2], 5, 9), (BEGIN[2], 22, 30)], None, BEGIN[2]),
        ([("grasper,retract,null_target", 20, 30), (BEGIN[2], 22, 30)], BEGIN[2], BEGIN[2]),
        ([(BEGIN[4], 10, 14), (BEGIN[4], 20, 24), (BEGIN[2], 22, 30)], BEGIN[2], BEGIN[4]),
    ],
    ids=["nothing", "late", "before", "seen", "no target", "another seen"],
)
def test_what_begins_first_is_asked_or_counted(
    done: list[Done], strict: str | None, paper: str | None
) -> None:
    for reading, answer in (("strict", strict), ("paper", paper)):
        with counting() as refused:
            made = BUILDER.under(reading).make(changed(*done))
        found = [o["value"] for q in asked(made, "x") for o in q["options"] if o["is_answer"]]
        assert found == ([] if answer is None else [answer])
        assert refused[BEGINS] == (answer is None)


def test_nothing_is_offered_that_is_done_as_the_phase_begins() -> None:
    given = changed((BEGIN[2], 20, 30), (BEGIN[3], 10, 22), (BEGIN[4], 24, 26))
    (q,) = asked(BUILDER.make(given), "x")
    assert not {BEGIN[3], BEGIN[4]} & {o["value"] for o in q["options"]}
    together = changed((BEGIN[2], 20, 30), (BEGIN[3], 20, 22))
    for _ in ("strict", "paper"):
        (q,) = asked(BUILDER.under(_).make(together), "x")
        assert len({BEGIN[2], BEGIN[3]} & {o["value"] for o in q["options"]}) == 1


def test_actions_that_start_in_the_same_phase_are_not_offered_together() -> None:
    """Elsewhere the duct is cut as clipping begins, and once clipped as the gallbladder is dissected."""
    cut = "scissors,cut,cystic_duct"
    spans = [(ALL[1], 0.0, 20.0), (ALL[2], 20.0, 40.0), (ALL[3], 40.0, 60.0)]
    more = [acting(f"y{i}", spans, [(cut, 21, 25), (BEGIN[2], 50, 55)]) for i in range(4)]
    made = BUILDER.make(source(*in_order(), *more)).to_dicts()
    offered = [{o["value"] for o in q["options"]} for q in made]
    assert any(cut in values for values in offered)
    assert not any({cut, BEGIN[2]} <= values for values in offered)
    assert not any({BEGIN[3], BEGIN[2]} <= values for values in offered)


def test_no_action_is_a_good_guess() -> None:
    spans = [(ALL[1], 0.0, 20.0), (ALL[2], 20.0, 40.0)]
    rows = [acting(f"x{i}", spans, [(BEGIN[2], 21, 25)]) for i in range(30)]
    made = BUILDER.make(source(*rows, *in_order())).to_dicts()
    right = Counter(o["value"] for q in made for o in q["options"] if o["is_answer"])
    offered = Counter(o["value"] for q in made for o in q["options"])
    assert right[BEGIN[2]] >= 3
    assert all(abs(4 * right[x] - n) <= 6 for x, n in offered.items())


def test_the_released_testbed_asks_alike(shared: Path) -> None:
    theirs = released(shared, "next action prediction")
    assert len(theirs) == 24
    made = BUILDER.under("paper").make(source(*in_order(6))).to_dicts()
    assert {q["text"] for q in made} == {i["question_text"] for i in theirs}
    options = {text.partition(": ")[2] for i in theirs for text in i["options"]}
    ours = {o["text"] for q in made for o in q["options"]}
    assert len(ours & options) >= 5


def test_order_of_rows_means_nothing() -> None:
    given = source(*in_order())
    turned = {name: frame.reverse() for name, frame in given.items()}
    assert_frame_equal(BUILDER.make(given), BUILDER.make(turned))


def test_the_builder_reads_what_it_says() -> None:
    given = source(*in_order())
    narrowed = {name: given[name].select(columns) for name, columns in BUILDER.reads.items()}
    assert_frame_equal(BUILDER.make(narrowed), BUILDER.make(given))
