"""Things that narrations and hands tell of: places by hand, rests and carries, and what nobody can know."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from assets.scene_graphs.handled import (
    HAND_M,
    HandTracks,
    hand_tracks,
    handled_things,
    handlings,
    narrated_contacts,
    narrated_placements,
    narrated_takings,
)
from expectations.schemas import TABLES

TIMES = np.arange(0, 20.0001, 0.1)
TABLE, SHELF = (1.0, 0.0, 0.7), (1.0, 2.0, 0.9)
VERBS = {"picks up": "pick up", "puts": "put", "touches": "touch", "opens": "open"}


def told(*rows: tuple[float, str, str, str], **more: object) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Segments and labels of narrations: time, verb, thing and the part of the body that acts."""
    segments, labels = [], []
    for n, (t_s, verb, thing, part) in enumerate(rows):
        text = f"C {verb} the {thing}."
        key = {"source": "s", "recording_id": "r", "segment_id": f"n{n}"}
        point = {"kind": "atomic", "is_point": True, "start_s": t_s, "end_s": t_s, "actor_id": "C"}
        segments.append({**key, **point, "narration": text})
        noun = thing.split()[-1]
        for kind, lemma, word in (("verb", VERBS[verb], verb), ("noun", noun, noun)):
            at = text.index(word)
            labels.append(
                {
                    **key,
                    "reader": "open",
                    "clause": 0,
                    "kind": kind,
                    "class_label": lemma,
                    "lemma": lemma,
                    "term": word,
                    "body_part": part if kind == "verb" else "none",
                    "status": "done",
                    "role": "action" if kind == "verb" else "direct",
                    "span_start": at,
                    "span_end": at + len(word),
                    "rule": "open",
                    **(more if kind == "verb" else {}),
                }
            )
    return TABLES["segments"].frame(segments), TABLES["labels"].frame(labels)


def tracks(**keys: list[tuple[float, tuple[float, float, float]]]) -> HandTracks:
    """Hands that go straight from one place to the next, five times a second."""
    times = np.arange(0, 20.0001, 0.2)
    return {
        side: (
            times,
            np.column_stack(
                [
                    np.interp(times, [t for t, _ in path], [at[i] for _, at in path])
                    for i in (0, 1, 2)
                ]
            ),
        )
        for side, path in keys.items()
    }


CARRIED = tracks(
    right=[(0, TABLE), (5.5, TABLE), (8.5, SHELF), (20, SHELF)],
    left=[(0, (9, 9, 9)), (20, (9, 9, 9))],
)
STORY = ((5.0, "picks up", "red cup", "right_hand"), (9.0, "puts", "red cup", "right_hand"))


def test_a_thing_rests_is_carried_and_rests_again() -> None:
    found = handlings(*told(*STORY), CARRIED, TIMES)
    (cup,) = handled_things(found, CARRIED, TIMES).values()
    assert (cup.object_id, cup.name) == ("red_cup", "red cup")
    assert len(cup.track.times_s) == len(TIMES)
    for t_s, place in (
        (0.0, TABLE),
        (4.9, TABLE),
        (7.0, (1.0, 1.0, 0.8)),
        (9.0, SHELF),
        (20.0, SHELF),
    ):
        assert cup.centre(int(cup.track.at(t_s))) == pytest.approx(place), t_s
    # At rest a hand's breadth; between two samples of a hand half the way between them besides.
    at = int(cup.track.at(7.0))
    way_m = math.dist(TABLE, SHELF) / 3 * 0.2
    assert cup.off_m(int(cup.track.at(2.0))) == pytest.approx(HAND_M)
    assert cup.off_m(at) == pytest.approx(HAND_M)
    assert cup.off_m(at + 1) == pytest.approx(math.hypot(HAND_M, way_m / 2))
    assert [cup.row(int(cup.track.at(t))) for t in (2.0, 7.0, 12.0)] == [
        "segments:n0",
        "segments:n0",
        "segments:n1",
    ]


def test_it_is_taken_and_put_down_as_narrated() -> None:
    found = handlings(*told(*STORY), CARRIED, TIMES)
    things = handled_things(found, CARRIED, TIMES)
    (contact,) = narrated_contacts(found)
    assert (contact.start_s, contact.end_s, contact.side) == (5.0, 9.0, "right")
    (taking,) = narrated_takings(found, things, 1.0)
    assert taking.moved_m == pytest.approx(math.dist(TABLE, SHELF))
    (placement,) = narrated_placements(found, things, 20.0)
    assert (placement.picked_s, placement.placed_s, placement.until_s) == (5.0, 9.0, 20.0)
    assert placement.end == pytest.approx(SHELF)
    assert placement.keys == ("segments:n0", "segments:n1")


def test_the_spread_of_a_moving_hand_counts() -> None:
    moving = tracks(right=[(0, TABLE), (20, (1.0, 20.0, 0.7))])
    (one,) = handlings(*told(STORY[0]), moving, TIMES)["red_cup"]
    # It goes 1 m a second: samples are at 4.8, 5 and 5.2 m.
    assert one.place == pytest.approx((1.0, 5.0, 0.7))
    assert one.spread_m == pytest.approx(0.2 * math.sqrt(2 / 3))


def test_both_hands_count_alike_and_their_distance_is_spread() -> None:
    apart = tracks(right=[(0, (1, 0, 1)), (20, (1, 0, 1))], left=[(0, (1, 1, 1)), (20, (1, 1, 1))])
    for part in ("both_hands", "unspecified_hand", "none"):
        (one,) = handlings(*told((5.0, "touches", "lid", part)), apart, TIMES)["lid"]
        assert one.place == pytest.approx((1, 0.5, 1))
        assert one.spread_m == pytest.approx(0.5)
        assert one.side is None
    only_right = {"right": apart["right"]}
    assert handlings(*told((5.0, "touches", "lid", "both_hands")), only_right, TIMES) == {}


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"status": "negated"}, "it was not done"),
        ({"actor_id": "O"}, "somebody else did it"),
        ({"body_part": "left_foot"}, "no hand did it"),
        ({"contradicts": "verb"}, "its readers contradict each other"),
    ],
)
def test_narrations_that_say_nothing_of_the_wearers_hands(more: dict, why: str) -> None:
    assert handlings(*told(STORY[0], **more), CARRIED, TIMES) == {}, why


def test_somebody_elses_narration_and_a_keystep_say_nothing() -> None:
    segments, labels = told(STORY[0])
    for changed in ({"actor_id": "O"}, {"is_point": False}, {"narration": None}):
        spoiled = segments.with_columns(**{k: pl.lit(v) for k, v in changed.items()})
        assert handlings(spoiled.cast(dict(segments.schema)), labels, CARRIED, TIMES) == {}


def test_several_things_of_a_name_have_no_place() -> None:
    segments, labels = told(STORY[0])
    two = labels.with_columns(quantity=pl.lit(2))
    assert handlings(segments, two, CARRIED, TIMES) == {}


def known(*rows: tuple[float, str, str, str]) -> list[bool]:
    """Whether a cup's place is known every second."""
    found = handlings(*told(*rows), CARRIED, TIMES)
    track = handled_things(found, CARRIED, TIMES)["red_cup"].track
    return [int(track.at(t)) >= 0 for t in np.arange(0.5, 20)]


def test_where_narrations_contradict_each_other_nothing_is_known() -> None:
    cup = ("red cup", "right_hand")
    # What is put down before it is taken was somewhere else.
    assert known((10.0, "puts", *cup)) == [False] * 10 + [True] * 10
    # Taken twice: there are two, or it was put down without a word.
    assert known((3.0, "picks up", *cup), (12.0, "picks up", *cup)) == [True] * 3 + [False] * 17
    # Put on the table and taken from the shelf: somebody moved it, or there are two.
    far = known((3.0, "puts", *cup), (12.0, "touches", *cup))
    assert far == [False] * 3 + [False] * 9 + [True] * 8
    near = known((3.0, "touches", *cup), (5.0, "touches", *cup))
    assert near == [True] * 20


def test_a_hand_that_is_not_known_for_long_hides_what_it_carries() -> None:
    times, places = CARRIED["right"]
    seldom = {"right": (times[(times < 6) | (times > 8)], places[(times < 6) | (times > 8)])}
    found = handlings(*told(*STORY), seldom, TIMES)
    track = handled_things(found, seldom, TIMES)["red_cup"].track
    assert [int(track.at(t)) >= 0 for t in (5.5, 7.0, 8.5)] == [True, False, True]


def test_hands_are_means_of_joints_of_the_wearer_in_the_world_of_the_poses() -> None:
    rows = [
        (0.0, "left", "wrist", None, "w", 1.0),
        (0.0, "left", "index_4", None, "w", 2.0),
        (0.0, "left", "palm", "other", "w", 9.0),
        (0.5, "left", "wrist", None, "v", 9.0),
    ]
    joints = TABLES["hand_joints"].frame(
        {
            "source": "s", "recording_id": "r", "sample": n, "t_s": t, "hand_side": side,
            "joint": joint, "person_id": person, "world_frame_id": world, "x": x, "y": 0.0, "z": 0.0,
        }
        for n, (t, side, joint, person, world, x) in enumerate(rows)
    )  # fmt: skip
    times, places = hand_tracks(joints, "w")["left"]
    assert times.tolist() == [0.0]
    assert places.tolist() == [[1.5, 0.0, 0.0]]
