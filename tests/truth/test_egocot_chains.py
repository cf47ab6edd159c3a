"""EgoCoT questions about chains of hand, time and state, and about progress in the flat, against what was truly done."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest

from assets.questions.egocot.hand_object_grounded_cot import BUILDER
from assets.questions.egocot.progress_reasoning import BUILDER as PROGRESS
from expectations.schemas import TABLES
from resources.config import load_settings
from resources.worlds.flat import Action, Take
from resources.worlds.flat.own import called
from tests.truth.easg_flat import EasgFlat
from tests.truth.egocot_flat import KINDS, LEAVES, refusals, true_state
from tests.truth.solvers.exam import Exam, Question, asked


@pytest.fixture(scope="module")
def exam(easg_flat: EasgFlat) -> Exam:
    """All questions, whichever hand is right and wherever the other action is."""
    return Exam(asked(easg_flat.folder, "easg", BUILDER.under("paper"))[0], {})


@pytest.fixture(scope="module")
def strict(easg_flat: EasgFlat) -> Exam:
    return Exam(asked(easg_flat.folder, "easg", BUILDER)[0], {})


def link(q: Question, text: str) -> tuple[str, float]:
    """Hand that an option names, and its time in the recording."""
    hand, at_s = re.fullmatch(r"the (\w+) hand, at ([\d.]+) s", text).groups()  # type: ignore[union-attr]
    return hand, q["media"][0]["start_s"] + float(at_s)


def thing_and_state(q: Question) -> tuple[str, str]:
    (found,) = re.findall(r"the clip, the (.*) is ([\w ]+)\.", q["text"])
    return found


def last_on(q: Question, flat: EasgFlat) -> Action:
    """What is truly last done to the thing in question before the clip ends."""
    take, (name, _) = flat.takes[q["recording_id"]], thing_and_state(q)
    end_s = q["media"][0]["end_s"]
    mine = [a for a in take.actions if take.name_of(a.object) == name and a.start_s <= end_s]
    return max(mine, key=lambda a: a.start_s)


def test_one_chain_is_true_of_the_last_action_on_the_thing(exam: Exam, easg_flat: EasgFlat) -> None:
    """Against the plan of the flat, which no stage has seen."""
    assert len(exam.questions) >= 30
    for q in exam.questions:
        last = last_on(q, easg_flat)
        true = []
        for option in q["options"]:
            hand, at_s = link(q, option["text"])
            if hand == last.hand and last.start_s - 0.1 <= at_s <= last.end_s + 0.1:
                true.append(option["letter"])
        assert true == [q["answer"]]


def test_the_action_changed_the_state_and_it_still_holds(exam: Exam, easg_flat: EasgFlat) -> None:
    states = Counter()
    for q in exam.questions:
        take, last, (name, state) = (
            easg_flat.takes[q["recording_id"]],
            last_on(q, easg_flat),
            thing_and_state(q),
        )
        assert LEAVES[last.verb][1] == state
        assert true_state(take, name, KINDS[state], last.start_s) != state
        assert true_state(take, name, KINDS[state], q["media"][0]["end_s"]) == state
        states[state] += 1
    assert len(states) >= 4


def test_at_the_other_time_something_else_is_done(exam: Exam, easg_flat: EasgFlat) -> None:
    for q in exam.questions:
        right = link(q, q["answer_text"])[1]
        (other,) = {at for _, at in (link(q, o["text"]) for o in q["options"])} - {right}
        take, (name, _) = easg_flat.takes[q["recording_id"]], thing_and_state(q)
        (then,) = easg_flat.actions_at(q["recording_id"], other)
        assert take.name_of(then.object) != name
        assert q["media"][0]["start_s"] <= then.start_s
        assert then.end_s <= q["media"][0]["end_s"]


def test_every_gate_passes_every_question(exam: Exam, strict: Exam, easg_flat: EasgFlat) -> None:
    settings = load_settings(easg_flat.folder / "parallax.toml")
    found = refusals(settings, [*exam.questions, *strict.questions])
    assert found.is_empty(), found.select("rule", "message").rows()


def test_neither_hand_nor_order_is_a_good_guess(strict: Exam) -> None:
    """Of each state either hand is right as often, and of each hand either time."""
    assert len(strict.questions) >= 8
    hands, places = Counter[tuple[str, str]](), Counter[tuple[str, bool]]()
    for q in strict.questions:
        hand, at_s = link(q, q["answer_text"])
        hands[thing_and_state(q)[1], hand] += 1
        places[hand, at_s == min(link(q, o["text"])[1] for o in q["options"])] += 1
        # From the later time on every clip goes on as long.
        later = max(link(q, o["text"])[1] for o in q["options"])
        assert q["media"][0]["end_s"] - later == pytest.approx(2.0, abs=0.06)
    assert all(hands[state, "left"] == hands[state, "right"] for state, _ in hands)
    assert len(places) == 4
    assert max(places.values()) - min(places.values()) <= 1
    assert strict.by_chance(strict.share_right(lambda _: None))


# -- progress ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def progress(own_flat: dict[str, Any]) -> Exam:
    store = own_flat["settings"].store
    tables = {name: store.read(TABLES[name], "flat") for name in PROGRESS.reads}
    return Exam(PROGRESS.make(tables).to_dicts(), {})


def step(take: Take, name: str, clip: dict[str, Any]) -> Action:
    """The wearer's one action of a name that a clip shows, or the first after it."""
    mine = [
        a
        for a in take.actions
        if a.actor == "P1"
        and f"{a.verb} {called(take, a.object)}" == name
        and a.end_s > clip["start_s"]
    ]
    assert [a.start_s < clip["end_s"] for a in mine].count(True) <= 1
    return min(mine, key=lambda a: a.start_s)


def test_one_option_is_true_at_the_last_moment(progress: Exam, own_flat: dict[str, Any]) -> None:
    assert len(progress.questions) >= 30
    for q in progress.questions:
        take, (clip,) = own_flat["plans"][q["recording_id"]], q["media"]
        at_s = clip["end_s"]
        first, second = (step(take, n, clip) for n in re.findall(r'"(.*?)"', q["text"]))
        assert clip["start_s"] <= first.start_s < first.end_s < second.start_s
        begun = [at_s > t for t in (first.start_s, first.end_s, second.start_s, second.end_s)]
        reached = begun.count(True) - 1
        texts = [
            f'"{first.verb} {called(take, first.object)}" is under way',
            "has not begun",
            f'"{second.verb} {called(take, second.object)}" is under way',
            f'"{second.verb} {called(take, second.object)}" is completed',
        ]
        assert q["answer_text"].endswith(texts[reached])
        # Nothing else of the wearer's is going on.
        now = [a for a in take.actions if a.actor == "P1" and a.start_s <= at_s <= a.end_s]
        assert now == [[first], [], [second], []][reached]


def test_nothing_that_can_be_read_tells_how_far_it_is(progress: Exam) -> None:
    """Of each text the clips have one length, and each of the four is right equally often."""
    reached = Counter[int]()
    for q in progress.questions:
        first, second = re.findall(r'"(.*?)"', q["text"])
        order = [
            f'"{first}" is under way',
            f'"{first}" is completed and "{second}" has not begun',
            f'"{second}" is under way',
            f'"{second}" is completed',
        ]
        assert sorted(order) == sorted(o["text"] for o in q["options"])
        reached[order.index(q["answer_text"])] += 1
    assert max(reached.values()) - min(reached.values()) <= 1
    assert progress.by_chance(progress.share_right(lambda _: None))


def test_every_gate_passes_every_question_about_progress(
    progress: Exam, own_flat: dict[str, Any]
) -> None:
    found = refusals(own_flat["settings"], progress.questions)
    assert found.is_empty(), found.select("rule", "message").rows()
