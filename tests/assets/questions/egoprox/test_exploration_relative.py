"""Exploration, relative: facts and a way of one recording, with the question they make worked out by hand."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import polars as pl
import pytest

from assets.questions.egoprox.exploration_relative import BUILDER
from assets.questions.kit.directions import ring_distance
from expectations.schemas import TABLES
from tests.assets.questions.egoprox.test_intention_relative import fact, facts
from tests.assets.questions.egoprox.test_intention_relative import tables as measured

make_questions = BUILDER.make


def path(t_s: float = 19.0, of: str = "7", **more: Any) -> dict[str, Any]:
    """A way that begins 1 m to the north; the camera looks north-west, so that is front-right."""
    return {
        "source": "s",
        "recording_id": "R",
        "path_id": f"R|{of}|{t_s * 1000:.0f}",
        "object_id": of,
        "object_name": "mug",
        "t_s": t_s,
        "camera": {"x_m": 2.0, "y_m": 3.0},
        "heading_deg": 135.0,
        "start_offset_m": 0.0,
        "waypoints": [
            {"x_m": 2.0, "y_m": 3.0},
            {"x_m": 2.0, "y_m": 4.0},
            {"x_m": 4.0, "y_m": 4.0},
        ],
        "length_m": 3.0,
        "seen_share": 1.0,
        "steps": [],
        "grid_waypoints": [],
        "evidence": [],
        **more,
    }


def to(x: float, y: float) -> dict[str, Any]:
    """A way with another first bend."""
    way = [{"x_m": 2.0, "y_m": 3.0}, {"x_m": x, "y_m": y}, {"x_m": 4.0, "y_m": 4.0}]
    return {"waypoints": way}


def tables(
    *paths: dict[str, Any],
    rows: list[dict[str, Any]] | None = None,
    away_m: float = 2.0,
    **recording: Any,
) -> dict[str, pl.DataFrame]:
    """Ways, each to a goal that is so far from the camera."""
    ways = paths or (path(),)
    told = [row for row in rows or facts(event=None) if row["operator"] != "distance"]
    goals = {(way["t_s"], way["object_id"]) for way in ways}
    far = [fact("distance", t_s, of=of, value=away_m) for t_s, of in sorted(goals)]
    return measured([*told, *far], **recording) | {"paths": TABLES["paths"].frame(ways)}


def test_the_question_is_what_the_way_says() -> None:
    made = make_questions(tables())
    assert made.schema == TABLES["questions"].schema
    (row,) = made.iter_rows(named=True)
    assert row["text"] == (
        "Seen from above and relative to the person's viewpoint in the last frame, in which direction"
        " does the person need to walk first to reach the mug without walking into anything?"
    )
    (medium,) = row["media"]
    assert (medium["start_s"], medium["end_s"], medium["sampling"]) == (11.0, 19.0, "endpoints")
    (answer,) = [o for o in row["options"] if o["is_answer"]]
    assert (answer["text"], answer["value"]) == ("front-right", "1")
    assert len(row["options"]) == 5
    assert row["detailed_answer"] == (
        "The mug was last in view 3.0 s before the last frame. The way to it has a bend and is 3.0 m"
        " long. Its first 1.0 m lead 45 degrees to the right of the camera's forward axis on the ground"
        " plane: front-right."
    )
    assert [(e["table"], e["key"], e["role"]) for e in row["evidence"]] == [
        ("paths", "R|7|19000", "answer"),
        ("spatial_facts", "visible/7/13", "seen"),
    ]


@pytest.mark.parametrize(
    ("bend", "answer"),
    [
        ((1.0, 4.0), "front"),
        ((3.0, 4.0), "right"),
        ((3.0, 3.0), "back-right"),
        ((3.0, 2.0), "back"),
        ((1.0, 2.0), "left"),
        ((1.0, 3.0), "front-left"),
    ],
)
def test_the_first_bend_decides(bend: tuple[float, float], answer: str) -> None:
    (row,) = make_questions(tables(path(**to(*bend)))).iter_rows(named=True)
    assert row["answer_text"] == answer


REFUSED = {
    "too little of it was seen": path(seen_share=0.94),
    "it begins beside the wearer": path(start_offset_m=0.31),
    "its first leg is too short": path(**to(2.0, 3.49)),
    "it is too short": path(length_m=0.99),
    "its first leg lies near a border": path(**to(2 + math.sin(0.28), 3 + math.cos(0.28))),
    "it is the way of another instant": path(17.9),
    "it leads to a thing that is not seen": path(of="8"),
}


def test_what_is_within_reach_needs_no_way() -> None:
    assert make_questions(tables(away_m=1.51)).height == 1
    assert make_questions(tables(away_m=1.49)).is_empty()
    assert BUILDER.under("paper").make(tables(away_m=1.49)).height == 1


@pytest.mark.parametrize("way", REFUSED.values(), ids=REFUSED.keys())
def test_refused(way: dict[str, Any]) -> None:
    rows = facts(event=None, visible={"end_s": 17.8})
    assert make_questions(tables(rows=rows)).height == 1
    assert make_questions(tables(way, rows=rows)).is_empty()


@pytest.mark.parametrize(
    "changed",
    [
        {"visible": None},
        {"visible": {"t_s": 5.0, "end_s": 10.9}},
        {"visible": {"end_s": 18.5}},
        {"found": {"t_s": 19.0}},
        {"held": fact("contact", 18.0, end_s=19.5)},
    ],
    ids=["never seen", "seen too early", "seen too late", "in view at the end", "in the hand"],
)
def test_a_goal_must_have_been_seen_and_be_out_of_view(changed: dict[str, Any]) -> None:
    assert make_questions(tables(rows=facts(event=None, **changed))).is_empty()


def test_the_papers_reading_asks_about_ways_that_were_not_seen() -> None:
    way = path(seen_share=0.1, length_m=0.6, **to(2 + math.sin(0.28), 3 + math.cos(0.28)))
    assert make_questions(tables(way)).is_empty()
    (row,) = BUILDER.under("paper").make(tables(way)).iter_rows(named=True)
    assert row["recipe"] == "exploration_relative_paper@1"


def test_an_observers_camera_and_a_clip_beyond_the_video_are_not_asked() -> None:
    assert make_questions(tables(view="exo")).is_empty()
    assert make_questions(tables(duration_s=18.9)).is_empty()


def many() -> dict[str, pl.DataFrame]:
    """Sixty ways at instants 10 s apart, most of which begin behind."""
    bends = [(3.0, 2.0)] * 6 + [(3.0, 3.0)] * 2 + [(2.0, 4.0), (1.0, 4.0)]
    rows, ways = [], []
    for n in range(60):
        shift = 10.0 * n
        for row in facts(event=None, found=None, bearing=None, distance=None):
            rows.append(row | {"fact_id": f"{n}", "t_s": row["t_s"] + shift, "end_s": 16.0 + shift})
        ways.append(path(19.0 + shift, **to(*bends[n % 10])))
    return tables(*ways, rows=rows, duration_s=700.0)


def test_no_answer_is_asked_for_more_than_twice_in_a_recording() -> None:
    answers = Counter(make_questions(many())["answer_text"])
    assert answers == {"back": 2, "back-right": 2, "front-right": 2, "front": 2}


def test_directions_are_offered_about_five_times_as_often_as_they_are_right() -> None:
    offered: Counter[str] = Counter()
    for options in make_questions(many())["options"]:
        sectors = [int(o["value"]) for o in options]
        offered.update(sectors)
        for one in sectors:
            assert sum(ring_distance(one, other) == 1 for other in sectors) <= 1
    # Eight questions with five options: four directions are right twice each.
    assert sum(offered.values()) == 40
    assert all(5 <= offered[sector] <= 8 for sector in (0, 1, 3, 4))


def test_the_order_of_rows_does_not_matter() -> None:
    given = many()
    turned = {name: table.reverse() for name, table in given.items()}
    assert make_questions(turned).equals(make_questions(given))


def test_a_new_recording_changes_no_question() -> None:
    one = tables()
    other = {n: t.with_columns(recording_id=pl.lit("Q")) for n, t in tables().items()}
    both = make_questions({n: pl.concat([one[n], other[n]]) for n in one})
    assert both.height == 2
    assert both.filter(pl.col("recording_id") == "R").equals(make_questions(one))


def test_it_reads_no_more_than_it_says() -> None:
    given = tables()
    told = {
        name: given[name]
        if columns is None
        else TABLES[name].frame(given[name].select("source", *columns).to_dicts())
        for name, columns in BUILDER.reads.items()
    }
    assert make_questions(told).equals(make_questions(given))
