"""Intention, relative: facts about one recording, with the question they make worked out by hand."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import polars as pl
import pytest

from assets.questions.egoprox.intention_relative import BUILDER
from assets.questions.kit.directions import NAMES, option_sectors, ring_distance
from assets.questions.kit.funnel import counting
from expectations.schemas import TABLES

make_questions = BUILDER.make

RING = range(8)


def fact(operator: str, t_s: float, *, of: str = "7", **more: Any) -> dict[str, Any]:
    return {
        "source": "s",
        "recording_id": "R",
        "fact_id": f"{operator}/{of}/{t_s:g}",
        "operator": operator,
        "object_id": of,
        "object_name": "mug",
        "t_s": t_s,
        "frame": "camera" if operator == "bearing" else "world",
        "plane": "ground" if operator == "bearing" else "none",
        "evidence": [],
        **more,
    }


def facts(**changed: dict[str, Any] | None) -> list[dict[str, Any]]:
    """A mug seen at 13 to 16 s, looked at from 20 s on, so that the last frame is at 19 s."""
    by_name = {
        "event": fact("fixation", 20.0, end_s=20.6),
        "bearing": fact("bearing", 19.0, value=100.0, sector=2, margin_deg=12.5),
        "distance": fact("distance", 19.0, value=1.25),
        "visible": fact("visible", 13.0, end_s=16.0, value=0.9),
        "found": fact("visible", 19.6, end_s=25.0, value=0.9),
    }
    for name, change in changed.items():
        if change is None:
            del by_name[name]
        else:
            by_name[name] = {**by_name.get(name, {}), **change}
    return list(by_name.values())


def tables(
    rows: list[dict[str, Any]], names: dict[str, str] | None = None, **recording: Any
) -> dict[str, pl.DataFrame]:
    return {
        "recordings": TABLES["recordings"].frame(
            [
                {
                    "source": "s",
                    "recording_id": "R",
                    "view": "ego",
                    "split": "val",
                    "media": "present",
                    "media_hashes": ["hash-R"],
                    "duration_s": 60.0,
                    "licence": "free",
                    **recording,
                }
            ]
        ),
        "spatial_facts": TABLES["spatial_facts"].frame(rows),
        "objects_3d": TABLES["objects_3d"].frame(
            {"source": "s", "recording_id": "R", "object_id": i, "pose": 0, "name": name}
            for i, name in (names or {"7": "mug", "8": "bowl"}).items()
        ),
    }


def test_the_question_is_what_the_facts_say() -> None:
    made = make_questions(tables(facts()))
    assert made.schema == TABLES["questions"].schema
    (row,) = made.iter_rows(named=True)
    assert row["text"] == (
        "Seen from above and relative to the person's viewpoint in the last frame, in which"
        " direction does the person need to look to see the mug?"
    )
    (medium,) = row["media"]
    assert (medium["start_s"], medium["end_s"]) == (11.0, 19.0)
    assert (medium["sampling"], medium["role"]) == ("endpoints", "query")
    (answer,) = [o for o in row["options"] if o["is_answer"]]
    assert (answer["text"], answer["value"], answer["letter"]) == ("right", "2", row["answer"])
    assert row["answer_text"] == "right"
    assert len(row["options"]) == 5
    assert row["chance"] == 0.2
    assert row["detailed_answer"] == (
        "The mug was last in view 3.0 s before the last frame. In the last frame its bearing on the"
        " ground plane is 100 degrees to the right of the camera's forward axis, at 1.2 m: right."
        " 1.0 s later the person looks at it."
    )
    assert {(e["key"], e["role"]) for e in row["evidence"]} == {
        ("fixation/7/20", "event"),
        ("bearing/7/19", "answer"),
        ("visible/7/13", "seen"),
        ("distance/7/19", "distance"),
    }
    assert {e["table"] for e in row["evidence"]} == {"spatial_facts"}
    assert (row["split"], row["recording_id"], row["licence"]) == ("val", "R", "free")


def test_the_last_sight_counts_also_where_no_sent_frame_shows_it() -> None:
    # endpoints(8) of 11..19 s sends 16.7 and 17.9 s: nothing of 17.0..17.5 s.
    (row,) = make_questions(
        tables([*facts(), fact("visible", 17.0, end_s=17.5, value=0.9)])
    ).iter_rows(named=True)
    assert row["detailed_answer"].startswith("The mug was last in view 1.5 s before")
    seen = {e["key"] for e in row["evidence"] if e["role"] == "seen"}
    assert seen == {"visible/7/13", "visible/7/17"}


REFUSED = {
    "margin under 7.5 degrees": ("clear_of_borders", {"bearing": {"margin_deg": 7.4}}),
    "bearing not known": ("direction_known", {"bearing": None}),
    "bearing of another instant": ("direction_known", {"bearing": {"t_s": 18.9}}),
    "direction in the picture": ("direction_known", {"bearing": {"plane": "image"}}),
    "direction in the world": ("direction_known", {"bearing": {"frame": "world"}}),
    "never in view": ("seen_earlier_in_the_clip", {"visible": None}),
    "in view too early": ("seen_earlier_in_the_clip", {"visible": {"t_s": 5.0, "end_s": 10.9}}),
    "in view only between two frames sent": (
        "seen_earlier_in_the_clip",
        {"visible": {"t_s": 12.3, "end_s": 13.2}},
    ),
    "in view within the last half second": (
        "out_of_view_and_of_the_hand",
        {"visible": {"end_s": 18.5}},
    ),
    "in view at the end": ("out_of_view_and_of_the_hand", {"found": {"t_s": 19.0}}),
    "in the hand": (
        "out_of_view_and_of_the_hand direction_known",
        {"held": fact("contact", 18.0, end_s=19.5)},
    ),
    "no event": ("", {"event": None}),
}


@pytest.mark.parametrize(("rules", "changed"), REFUSED.values(), ids=REFUSED.keys())
def test_refused_and_counted(rules: str, changed: dict[str, Any]) -> None:
    with counting() as refused:
        assert make_questions(tables(facts(**changed))).is_empty()
    # Each look and each touch is a candidate; without one there is none.
    assert refused == dict.fromkeys(rules.split(), 1)


def test_just_allowed() -> None:
    rows = facts(bearing={"margin_deg": 7.5}, visible={"end_s": 18.49}, found={"t_s": 19.01})
    assert make_questions(tables(rows)).height == 1


def at(shift_s: float) -> list[dict[str, Any]]:
    """The same facts at another time."""
    return [
        row
        | {"t_s": row["t_s"] + shift_s, "end_s": row["end_s"] + shift_s if "end_s" in row else None}
        for row in facts()
    ]


@pytest.mark.parametrize(("shift_s", "n"), [(-15.1, 0), (-15.0, 1), (-12.0, 1)])
def test_four_seconds_must_come_before(shift_s: float, n: int) -> None:
    """The last frame is at 19 s + shift; shorter clips than 8 s start with the recording."""
    rows = at(shift_s)
    if shift_s == -15.0:
        rows = [
            r | {"t_s": 1.0, "end_s": 2.0} if r["fact_id"] == "visible/7/13" else r for r in rows
        ]
    made = make_questions(tables(rows))
    assert made.height == n
    for media in made["media"]:
        assert media[0]["start_s"] == 0.0


def test_the_clip_lies_inside_the_recording() -> None:
    assert make_questions(tables(facts(), duration_s=18.9)).is_empty()
    assert make_questions(tables(facts(), duration_s=None)).height == 1


def test_an_observers_camera_is_not_asked() -> None:
    assert make_questions(tables(facts(), view="exo")).is_empty()


@pytest.mark.parametrize(
    ("names", "n"),
    [
        ({"7": "mug", "8": "Mug_2"}, 0),
        ({"7": "mug", "8": "RedMug"}, 0),
        ({"7": "mug", "8": "mug rack"}, 1),
        ({"7": "mug"}, 1),
    ],
    ids=str,
)
def test_twins_are_not_asked(names: dict[str, str], n: int) -> None:
    assert make_questions(tables(facts(), names)).height == n


def test_a_goal_is_named_without_its_number() -> None:
    rows = [row | {"object_name": "RedMug_3"} for row in facts()]
    (text,) = make_questions(tables(rows, {"7": "RedMug_3", "8": "BlueMug_1"}))["text"]
    assert text.endswith("look to see the red mug?")


@pytest.mark.parametrize("name", ["kitchen wall", "floor", "left hand"])
def test_some_things_are_no_goals(name: str) -> None:
    rows = [row | {"object_name": name} for row in facts()]
    assert make_questions(tables(rows, {"7": name})).is_empty()


def test_a_look_and_the_touch_that_follows_are_one_event() -> None:
    """The earlier one is asked; a touch two seconds later would be another."""

    def touch(t_s: float) -> list[dict[str, Any]]:
        return [
            fact("contact", t_s, end_s=t_s + 1.0),
            fact("bearing", t_s - 1.0, value=100.0, sector=2, margin_deg=12.5),
        ]

    rows = facts(found={"t_s": 22.0})
    first = make_questions(tables(rows))
    assert make_questions(tables([*rows, *touch(20.9)])).equals(first)
    both = make_questions(tables([*rows, *touch(21.5)]))
    assert both.height == 2
    assert set(first["question_id"]) < set(both["question_id"])


def test_two_goals_of_one_moment_are_two_questions() -> None:
    other = [
        row
        | {"fact_id": row["fact_id"].replace("/7/", "/8/"), "object_id": "8", "object_name": "bowl"}
        for row in facts()
    ]
    made = make_questions(tables([*facts(), *other]))
    assert made.height == 2
    before = make_questions(tables(facts()))
    assert made.filter(pl.col("question_id").is_in(before["question_id"].implode())).equals(before)


def test_order_of_rows_does_not_matter() -> None:
    rows = [*facts(), *at(30.0)]
    for i, row in enumerate(rows):
        row["fact_id"] = f"{i}"
    made = make_questions(tables(rows))
    assert made.height == 2
    assert made.equals(make_questions(tables(rows[::-1], {"8": "bowl", "7": "mug"})))


def test_a_new_recording_changes_no_question() -> None:
    """Units are recordings: given together, both make what each makes alone."""
    one = tables(facts())
    two = {
        n: t.with_columns(recording_id=pl.lit("Q"))
        for n, t in tables(facts(bearing={"sector": 5, "value": -130.0})).items()
    }
    both = make_questions({n: pl.concat([one[n], two[n]]) for n in one})
    assert both.height == 2
    assert both.filter(pl.col("recording_id") == "R").equals(make_questions(one))


def test_it_reads_no_more_than_it_says() -> None:
    given = tables(facts())
    told = {
        name: given[name]
        if columns is None
        else TABLES[name].frame(given[name].select("source", *columns).to_dicts())
        for name, columns in BUILDER.reads.items()
    }
    assert make_questions(told).equals(make_questions(given))


@pytest.mark.parametrize("truth", RING)
def test_no_option_has_two_neighbours_and_the_truth_takes_every_place(truth: int) -> None:
    sets = {tuple(option_sectors(truth, f"question {i}")) for i in range(64)}
    assert len(sets) == 5
    for sectors in sets:
        assert len(set(sectors)) == 5
        assert truth in sectors
        for one in sectors:
            assert sum(ring_distance(one, s) == 1 for s in sectors) <= 1


def test_the_set_of_options_does_not_give_the_answer_away() -> None:
    """Whichever set is shown, each of its five sectors is the truth as often as the others."""
    sets: dict[tuple[int, ...], list[int]] = {}
    for truth in RING:
        for i in range(400):
            sets.setdefault(tuple(option_sectors(truth, f"{i}/{truth}")), []).append(truth)
    assert len(sets) == 8
    for shown, truths in sets.items():
        counts = [truths.count(sector) for sector in shown]
        assert sum(counts) == len(truths)
        assert min(counts) > 50  # 80 expected, standard deviation 8


LOOKS = {
    "parity": lambda sector, others: sector % 2,
    "neighbours": lambda sector, others: sum(ring_distance(sector, o) == 1 for o in others),
    "an opposite": lambda sector, others: any(ring_distance(sector, o) == 4 for o in others),
    "at right angles": lambda sector, others: sum(ring_distance(sector, o) == 2 for o in others),
    "words": lambda sector, others: len(NAMES[sector].split("-")),
}


@pytest.mark.parametrize("look", LOOKS)
def test_no_look_at_the_ring_tells_right_from_wrong(look: str) -> None:
    """Options of each look are right in one of five, whatever is looked at."""
    right: Counter[object] = Counter()
    shown: Counter[object] = Counter()
    for truth in RING:
        for i in range(250):
            sectors = option_sectors(truth, f"{i}/{truth}")
            for sector in sectors:
                value = LOOKS[look](sector, [s for s in sectors if s != sector])
                shown[value] += 1
                right[value] += sector == truth
    for value, n in shown.items():
        assert right[value] / n == pytest.approx(0.2, abs=0.03), (value, right[value], n)


def test_sectors_are_the_ring_of_the_paper() -> None:
    assert len(NAMES) == 8
    # Neighbours share a word ("front", "front-right"); opposites share none.
    for one, other in pairwise((*NAMES, NAMES[0])):
        assert set(one.split("-")) & set(other.split("-"))
    for i, name in enumerate(NAMES):
        assert not set(name.split("-")) & set(NAMES[(i + 4) % 8].split("-"))
    assert (NAMES[0], NAMES[2]) == ("front", "right")
