"""Task relation: by hand, on the sample household, and on recordings as many as the paper's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from assets.questions.egoexobench.task_relation import BUILDER
from expectations.schemas import TABLES

Row = dict[str, Any]
TASKS = ("make tea", "make soup", "make salad", "make cereal")


def recording(take: str, view: str, task: str, place: str | None = None, **more: Any) -> Row:
    return {
        "source": "s",
        "recording_id": f"{take}|{view}",
        "take_id": take,
        "view": view,
        "scenario": task,
        "scene": "kitchen",
        "environment_id": place,
        "split": "test",
        "media": "present",
        "media_hashes": [f"hash-{take}-{view}"],
        "duration_s": 30.0,
        "licence": "free",
        **more,
    }


def kitchens(*more: Row) -> list[Row]:
    """Four tasks seen from outside in places of their own, and tea made in another place."""
    exo = [recording(f"x{i}", "exo", task, f"k{i}") for i, task in enumerate(TASKS)]
    return [recording("e", "ego", "make tea", "k9"), *exo, *more]


def made(rows: list[Row], reading: str = "strict") -> list[Row]:
    builder = BUILDER.under(reading)
    return builder.make({"recordings": TABLES["recordings"].frame(rows)}).to_dicts()


def shown(question: Row) -> dict[str, str]:
    """Recording by role."""
    return {m["role"]: m["recording_id"] for m in question["media"]}


def test_the_same_task_in_another_place_is_right() -> None:
    (row,) = made(kitchens())
    assert shown(row)["query"] == "e|ego"
    right = shown(row)[f"option_{row['answer']}"]
    assert right == "x0|exo"
    assert sorted(o["text"] for o in row["options"]) == sorted(TASKS)
    assert row["answer_text"] is None
    assert ("recordings", right, "environment_different") in {
        (e["table"], e["key"], e["role"]) for e in row["evidence"]
    }
    assert row["text"].endswith("the activities observed in the query video?")


def test_both_views_ask() -> None:
    wearers = [recording(f"e{i}", "ego", task, f"h{i}") for i, task in enumerate(TASKS)]
    rows = made([*kitchens()[1:], *wearers])
    assert len(rows) == 8
    for row in rows:
        views = {role: uid.partition("|")[2] for role, uid in shown(row).items()}
        asked = views.pop("query")
        assert set(views.values()) == {"exo" if asked == "ego" else "ego"}


@pytest.mark.parametrize(
    ("place", "role"),
    [
        ("k9", None),
        (None, "environment_unknown"),
        ("k0", "environment_different"),
        ("web:x1", "environment_different"),
    ],
)
def test_the_answers_place_is_stated_and_never_the_querys(
    place: str | None, role: str | None
) -> None:
    rows = kitchens()
    rows[1]["environment_id"] = place
    found = [e["role"] for q in made(rows) for e in q["evidence"] if "environment" in e["role"]]
    assert found == ([] if role is None else [role])


def test_a_known_other_place_comes_before_an_unknown_one() -> None:
    for i in range(6):
        (row,) = made(kitchens(recording(f"u{i}", "exo", "make tea")))
        assert "x0|exo" in shown(row).values()


@pytest.mark.parametrize(
    "change",
    [
        {"scenario": "make tea, wash dishes"},
        {"scenario": None},
        {"split": "val"},
        {"scene": "living room"},
        {"duration_s": None},
        {"duration_s": 9.0},
        {"duration_s": 61.0},
        {"view": "ego"},
        {"take_id": "e"},
    ],
    ids=str,
)
def test_what_does_not_answer(change: Row) -> None:
    rows = kitchens()
    rows[1] |= change
    assert made(rows) == []


def test_a_take_in_which_another_person_does_another_task_is_left_out() -> None:
    second = recording("x0", "ego", "make tea, wash dishes", "k0") | {"recording_id": "x0|fpv2"}
    assert made(kitchens(second)) == []


def test_distractors_show_three_tasks_and_no_two_cameras_of_a_take() -> None:
    again = recording("x1", "exo", "make soup", "k1") | {"recording_id": "x1|cam2"}
    twice = recording("y1", "exo", "make soup", "k7")
    (row,) = made(kitchens(again, twice))
    assert len({o["text"] for o in row["options"]}) == 4
    gone = [r for r in kitchens(again, twice) if r["scenario"] != "make salad"]
    assert made(gone) == []  # soup twice is not a third task


def test_distractors_of_other_places_come_first() -> None:
    here = [recording(f"h{i}", "exo", task, "k9") for i, task in enumerate(TASKS[1:])]
    (row,) = made(kitchens(*here))
    assert {uid[0] for role, uid in shown(row).items() if role != "query"} == {"x"}


def test_clips_are_equally_long_and_from_the_middle() -> None:
    rows = kitchens()
    rows[2]["duration_s"] = 50.0
    (row,) = made(rows)
    spans = {m["recording_id"]: (m["start_s"], m["end_s"]) for m in row["media"]}
    assert spans["x1|exo"] == (10.0, 40.0)
    assert set(spans.values()) == {(10.0, 40.0), (0.0, 30.0)}


def test_the_paper_takes_the_same_take_and_shows_it_whole() -> None:
    rows = kitchens()
    rows[1] |= {"take_id": "e", "duration_s": 70.0}
    (row,) = made(rows, "paper")
    assert (row["recipe"], shown(row)[f"option_{row['answer']}"]) == (
        "task_relation_paper@1",
        "x0|exo",
    )
    assert {m["end_s"] for m in row["media"]} == {30.0, 70.0}
    assert "environment_same" in {e["role"] for e in row["evidence"]}


def test_order_of_rows_does_not_matter() -> None:
    rows = kitchens(*(recording(f"z{i}", "exo", t, f"z{i}") for i, t in enumerate(TASKS)))
    assert made(rows) == made(rows[::-1])


def lemma_recordings() -> Iterator[Row]:
    """324 takes of 15 tasks as LEMMA has, 10 in kitchens and 5 in living rooms; no place is told."""
    for i in range(324):
        task, people = f"task {i % 15}", 1 + (i // 15) % 2
        scene = "kitchen" if i % 15 < 10 else "living room"
        # A third of the takes shows two people with a task each.
        other = f"task {(i + 1) % 15}" if people == 2 and i % 3 < 2 else task
        whole = task if other == task else f"{task}, {other}"
        split, length_s = ("train", "val", "test")[(i // 15) % 3], 60.0 + 7 * (i % 11)
        more = {"scene": scene, "split": split, "duration_s": length_s}
        yield recording(f"v{i}", "ego", task, **more)
        if people == 2:
            yield recording(f"v{i}", "ego", other, **more) | {"recording_id": f"v{i}|fpv2"}
        yield recording(f"v{i}", "exo", whole, **more)


def egoexolearn_recordings() -> Iterator[Row]:
    """432 ego and 315 exo videos of 5 kitchen and 3 laboratory tasks as EgoExoLearn has."""
    for i in range(747):
        view = "ego" if i < 432 else "exo"
        lab = i % 8 >= 5
        yield recording(
            f"v{i}",
            view,
            f"task{i % 8 + 1}",
            "lab" if lab else f"home{view}{i % 17}",
            scene="lab" if lab else "kitchen",
            split=("train", "train", "val", "test")[i % 4 if i % 5 else 3],
            duration_s=200.0 + 13 * (i % 29),
        )


def egoexo4d_recordings() -> Iterator[Row]:
    """Every sixth of 5,035 takes of 43 tasks of 8 kinds in 131 places as Ego-Exo4D has."""
    for i in range(0, 5035, 6):
        task, place = i % 43, f"place {(i * 7) % 131}"
        more = {
            "scene": f"kind {task % 8}",
            "split": ("train", "val", "test")[i % 9 // 3],
            "duration_s": 40.0 + 17 * (i % 23),
        }
        yield recording(f"v{i}", "ego", f"task {task}", place, **more)
        for camera in range(4):
            uid = {"recording_id": f"v{i}|cam0{camera}"}
            yield recording(f"v{i}", "exo", f"task {task}", place, **more) | uid


@pytest.mark.parametrize(
    ("rows", "published"),
    [(lemma_recordings, 212), (egoexolearn_recordings, 108), (egoexo4d_recordings, 237)],
    ids=["LEMMA", "EgoExoLearn", "Ego-Exo4D"],
)
def test_as_many_recordings_as_the_papers_give_as_many_questions(rows: Any, published: int) -> None:
    table = TABLES["recordings"].frame(list(rows()))
    assert BUILDER.make({"recordings": table}).height >= published


def test_it_reads_no_more_than_it_says() -> None:
    table = TABLES["recordings"].frame(kitchens())
    columns = BUILDER.reads["recordings"]
    assert columns is not None
    told = TABLES["recordings"].frame(table.select("source", *columns).to_dicts())
    assert BUILDER.make({"recordings": told}).equals(BUILDER.make({"recordings": table}))
