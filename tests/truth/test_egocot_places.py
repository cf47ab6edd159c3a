"""EgoCoT questions about places in the flat, against where things truly are, and from pixels."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from assets.questions.egocot.goal_oriented_object_tracking import BUILDER as FOLLOWED
from assets.questions.egocot.location_visibility_retrospection import BUILDER as EARLIER
from resources.worlds.flat import Take
from tests.truth.easg_flat import EasgFlat
from tests.truth.egocot_flat import lies_there
from tests.truth.solvers.active_object import Frame, look
from tests.truth.solvers.exam import Exam, Question, sit
from tests.truth.solvers.followed import ends_up
from tests.truth.solvers.places import place_of, solve

FUNCTIONS = {"uses as a tool": "tool", "uses as a container": "container", "acts on": "target"}
AT_END = re.compile(r"When the clip ends, at [\d.]+ s, the .* is \w+ the (.*)\.")


def places_at(take: Take, thing: str, places: list[str], at_s: float) -> list[str]:
    """Those of some places at which a thing truly rests."""
    of_name = {
        name: [i for i in take.instances if take.name_of(i) == name] for name in (thing, *places)
    }
    return [
        place
        for place in places
        if any(lies_there(take, one, on, at_s) for one in of_name[thing] for on in of_name[place])
    ]


def texts(q: Question) -> list[str]:
    return [option["text"] for option in q["options"]]


# -- earlier places ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def earlier(easg_flat: EasgFlat) -> Exam:
    """All questions, however often a place is right, or still so at the end."""
    return sit(easg_flat.folder, "easg", EARLIER.under("paper"), "endpoints(16)")


@pytest.fixture(scope="module")
def strict(easg_flat: EasgFlat) -> Exam:
    return sit(easg_flat.folder, "easg", EARLIER, "endpoints(2)")


def usual(exam: Exam) -> float:
    """Share of right answers of those who choose the place that is right most often in other recordings."""

    def answer(q: Question) -> int | None:
        right = Counter(
            other["answer_text"]
            for other in exam.questions
            if other["recording_id"] != q["recording_id"]
        )
        most = max(texts(q), key=lambda place: right[place])
        return texts(q).index(most) if right[most] else None

    return exam.share_right(answer)


def asked(q: Question) -> tuple[str, float]:
    """The thing, and the time that the text asks about, in the recording."""
    said_s, thing = re.findall(r"moment ([\d.]+) s .* is the (.*)\?", q["text"])[0]
    return thing, q["media"][0]["start_s"] + float(said_s)


def at_end(q: Question) -> str | None:
    """Place at the end of the clip that the rationale tells."""
    found = (AT_END.fullmatch(step["text"]) for step in q["rationale"])
    return next((match[1] for match in found if match), None)


def test_the_place_is_that_at_the_earlier_time(earlier: Exam, easg_flat: EasgFlat) -> None:
    assert len(earlier.questions) >= 25
    for q in earlier.questions:
        take, (thing, at_s) = easg_flat.takes[q["recording_id"]], asked(q)
        end_s, last = q["media"][0]["end_s"], at_end(q)
        assert end_s - at_s >= 2.0
        assert places_at(take, thing, texts(q), at_s) == [q["answer_text"]]
        if last is None:
            assert places_at(take, thing, texts(q), end_s) == []
        else:
            assert last in places_at(take, thing, [last], end_s)
            assert last in texts(q)


def test_what_the_last_frame_shows_is_right_once_in_four(strict: Exam) -> None:
    known = [q for q in strict.questions if at_end(q)]
    assert len(strict.questions) >= 8
    assert known
    assert 4 * sum(at_end(q) == q["answer_text"] for q in known) == len(known)


def test_pixels_tell_the_earlier_place(earlier: Exam) -> None:
    def answer(q: Question) -> int | None:
        thing, at_s = asked(q)
        return solve(thing, texts(q), earlier.shown(q, "query"), at_s)

    assert earlier.share_right(answer) >= 0.95


def test_no_place_is_right_so_often_that_it_need_not_be_seen(strict: Exam) -> None:
    assert usual(strict) <= 0.25 + strict.margin


def test_the_last_frame_alone_does_not_tell_it(strict: Exam) -> None:
    def last(q: Question) -> int | None:
        return place_of(asked(q)[0], texts(q), look(strict.shown(q, "query")[-1]))

    assert strict.share_right(last) <= 0.25 + strict.margin


# -- things that are followed ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def followed(easg_flat: EasgFlat) -> Exam:
    return sit(easg_flat.folder, "easg", FOLLOWED, "endpoints(16)")


def used(q: Question) -> tuple[str, float, float]:
    """The function that the text names, and from when to when, in the recording."""
    how, *times = re.findall(r"wearer (.*) from ([\d.]+) s to ([\d.]+) s", q["text"])[0]
    start_s, end_s = (q["media"][0]["start_s"] + float(said_s) for said_s in times)
    return FUNCTIONS[how], start_s, end_s


def test_what_was_used_is_truly_at_the_place_in_the_end(
    followed: Exam, easg_flat: EasgFlat
) -> None:
    assert len(followed.questions) >= 12
    for q in followed.questions:
        take, (function, start_s, end_s) = easg_flat.takes[q["recording_id"]], used(q)
        (action,) = (
            a for a in take.actions if abs(a.start_s - start_s) < 0.1 and abs(a.end_s - end_s) < 0.1
        )
        thing = {"tool": action.tool, "container": action.target, "target": action.object}[function]
        last_s = q["media"][0]["end_s"]
        there = [
            place
            for place in texts(q)
            if any(
                lies_there(take, thing, one, last_s)
                for one in take.instances
                if take.name_of(one) == place
            )
        ]
        assert there == [q["answer_text"]]
        # It was moved in between.
        assert any(
            a.object == thing and a.verb == "put" and a.start_s >= end_s - 0.1 for a in take.actions
        )


def end_place(q: Question, frames: list[Frame]) -> int | None:
    _, *span = used(q)
    return ends_up(texts(q), frames, (span[0], span[1]), q["media"][0]["end_s"])


def test_pixels_tell_what_was_used_and_where_it_ends_up(followed: Exam) -> None:
    """The solver finds the thing by the hands that are on it, and then where that thing is in the end."""
    assert followed.share_right(lambda q: end_place(q, followed.shown(q, "query"))) >= 0.95


def test_neither_one_frame_nor_another_clip_tells_where_it_ends_up(followed: Exam) -> None:
    def swapped(q: Question) -> int | None:
        other = followed.other(q, "recording_id")
        later_s = q["media"][0]["start_s"] - other["media"][0]["start_s"]
        return end_place(q, [(t_s + later_s, i) for t_s, i in followed.shown(other, "query")])

    assert followed.share_right(swapped) <= 0.25 + followed.margin
    for place in (8, -1):
        one = followed.share_right(
            lambda q, at=place: end_place(q, [followed.shown(q, "query")[at]])
        )
        assert one <= 0.25 + followed.margin


def test_no_place_in_the_end_is_right_so_often_that_it_need_not_be_seen(followed: Exam) -> None:
    assert usual(followed) <= 0.25 + followed.margin
