"""EgoCoT questions about states in the flat, against what was truly done to each thing and the pictures."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from assets.questions.egocot.manipulation_state_perception import BUILDER
from assets.questions.egocot.state_retrospection import BUILDER as EARLIER
from expectations.schemas import TABLES
from resources.worlds.flat import FlatSpec, plan_flat
from resources.worlds.flat.own import called, recordings_of, write_own
from tests.truth.easg_flat import EasgFlat
from tests.truth.egocot_flat import KINDS, true_state
from tests.truth.solvers.active_object import Frame
from tests.truth.solvers.exam import Exam, Question, sit
from tests.truth.solvers.states import solve
from tests.truth.test_states import graphs_of

OPPOSITE = {"open": "closed", "on": "off", "full": "empty", "held": "no longer held"}
OPPOSITE |= {two: one for one, two in OPPOSITE.items()}
DOES = {
    "get": "takes",
    "put": "puts",
    "open": "opens",
    "close": "closes",
    "turn on": "turns on",
    "turn off": "turns off",
    "fill": "fills",
    "pour": "pours",
    "wash": "washes",
    "wipe": "wipes",
    "cut": "cuts",
    "clean": "cleans",
}
"""Verbs of the plan as texts say them of the camera wearer."""


def named(text: str) -> dict[str, str]:
    """State of each thing that an option names."""
    parts = (part.removeprefix("the ").partition(" is ") for part in text.split(" and "))
    return {name: state for name, _, state in parts}


def truly(q: Question, flat: EasgFlat, at_s: float) -> dict[str, str | None]:
    take = flat.takes[q["recording_id"]]
    return {
        name: true_state(take, name, KINDS[state], at_s)
        for name, state in named(q["answer_text"]).items()
    }


@pytest.fixture(scope="module")
def exam(easg_flat: EasgFlat) -> Exam:
    """All questions, however often a combination of states is right."""
    return sit(easg_flat.folder, "easg", BUILDER.under("paper"), "endpoints(16)")


def test_the_states_are_those_at_the_end(exam: Exam, easg_flat: EasgFlat) -> None:
    """Against the plan of the flat, which no stage has seen."""
    assert len(exam.questions) >= 30
    for q in exam.questions:
        end_s = q["media"][0]["end_s"]
        assert named(q["answer_text"]) == truly(q, easg_flat, end_s)
    assert len({named(q["answer_text"]).popitem()[1] for q in exam.questions}) >= 4


def test_what_the_rationale_says_was_done_was_done(exam: Exam, easg_flat: EasgFlat) -> None:
    for q in exam.questions:
        take, start_s = easg_flat.takes[q["recording_id"]], q["media"][0]["start_s"]
        for step in q["rationale"][:-1:2]:
            words = step["text"].split()
            began_s, ended_s = start_s + float(words[1]), start_s + float(words[4])
            assert any(
                abs(a.start_s - began_s) < 0.1
                and abs(a.end_s - ended_s) < 0.1
                and f"wearer {DOES[a.verb]} the {take.name_of(a.object)}" in step["text"]
                for a in take.actions
            ), step["text"]


def seen(q: Question, frames: list[Frame]) -> int | None:
    return solve([o["text"] for o in q["options"]], frames)


def test_pixels_tell_the_states(exam: Exam) -> None:
    assert exam.share_right(lambda q: seen(q, exam.shown(q, "query"))) >= 0.95


def test_neither_the_words_nor_habit_tell_the_states(easg_flat: EasgFlat) -> None:
    """Each combination of two kinds of state is right equally often."""
    strict = sit(easg_flat.folder, "easg", BUILDER, "endpoints(16)")
    assert len(strict.questions) >= 8
    right: dict[frozenset[str], Counter[frozenset[str]]] = {}
    for q in strict.questions:
        states = frozenset(named(q["answer_text"]).values())
        kinds = frozenset(KINDS[state] for state in states)
        right.setdefault(kinds, Counter())[states] += 1
    assert right
    for kinds, counts in right.items():
        assert len(kinds) == 2
        assert len(counts) == 4
        assert len(set(counts.values())) == 1
    assert strict.by_chance(strict.share_right(lambda _: None))

    def swapped(q: Question) -> int | None:
        return seen(q, strict.shown(strict.other(q, "recording_id"), "query"))

    assert strict.by_chance(strict.share_right(swapped))


# -- states at an earlier time ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def earlier(easg_flat: EasgFlat) -> Exam:
    """All questions, however often a combination of states is right, or still so at the end."""
    return sit(easg_flat.folder, "easg", EARLIER.under("paper"), "endpoints(2)")


def asked_s(q: Question) -> float:
    """Time that the text asks about, in the recording."""
    return q["media"][0]["start_s"] + float(q["text"].split()[5])


def at_end(q: Question, flat: EasgFlat) -> int | None:
    """Place of the option that is so in the last frame."""
    now = truly(q, flat, q["media"][0]["end_s"])
    return next(i for i, option in enumerate(q["options"]) if named(option["text"]) == now)


def test_the_states_are_those_at_the_earlier_time(earlier: Exam, easg_flat: EasgFlat) -> None:
    assert len(earlier.questions) >= 30
    for q in earlier.questions:
        assert q["media"][0]["end_s"] - asked_s(q) >= 2.0
        assert named(q["answer_text"]) == truly(q, easg_flat, asked_s(q))
        end = q["rationale"][-2]["text"].partition(" s, ")[2].removesuffix(".")
        assert named(end) == truly(q, easg_flat, q["media"][0]["end_s"])
    assert len({named(q["answer_text"]).popitem()[1] for q in earlier.questions}) >= 4


def test_neither_habit_nor_the_last_frame_tells_the_earlier_states(easg_flat: EasgFlat) -> None:
    """Who reads the true states off the last frame is right once in four, as who guesses."""
    strict = sit(easg_flat.folder, "easg", EARLIER, "endpoints(2)")
    assert len(strict.questions) >= 8
    right: dict[frozenset[str], Counter[frozenset[str]]] = {}
    for q in strict.questions:
        states = frozenset(named(q["answer_text"]).values())
        right.setdefault(frozenset(KINDS[state] for state in states), Counter())[states] += 1
    assert all(len(set(counts.values())) == 1 for counts in right.values())
    assert strict.by_chance(strict.share_right(lambda _: None))
    assert strict.share_right(lambda q: at_end(q, easg_flat)) == 0.25


def test_annotated_states_are_what_was_so(tmp_path: Path) -> None:
    """Own recordings, of which the flat itself says what is full, open or on."""
    spec = FlatSpec("lemma", takes=6, render="none")
    write_own(spec, tmp_path / "raw", workers=1)
    settings = graphs_of(tmp_path, "own")
    tables = {name: settings.store.read(TABLES[name], "flat") for name in BUILDER.reads}
    plans = {
        uid: take
        for index, take in enumerate(plan_flat(spec, "lemma").takes)
        for uid in recordings_of(take, index)
    }
    checked = Counter[str]()
    for q in BUILDER.under("paper").make(tables).iter_rows(named=True):
        take, end_s = plans[q["recording_id"]], q["media"][0]["end_s"]
        things = {called(take, uid): uid for uid in take.instances}
        for name, state in named(q["answer_text"]).items():
            told = take.state_of(things[name], end_s).values()
            if state in told or OPPOSITE[state] in told:
                assert state in told, (q["answer_text"], told)
                checked[state] += 1
    assert checked.total() >= 8
    assert len(checked) >= 3
