"""Compared clips, votes and sessions of EgoExoLearn's layout, and what is wrong with them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assets.sources.egoexolearn import LAYOUT
from tests.assets.sources.reading_parts import Read, read_parts

UIDS = [f"bee9{n:04x}-ac78-11ee-819f-80615f12b59e" for n in range(4)]
EXO = [f"2c23{n:04x}-56c4-11ee-88ee-80615f12b59e" for n in range(2)]
FOLDER = "skill_benchmark/annotations"
A, B, C, D = (f"13_{uid}_100_200" for uid in UIDS)
HEADER = "pair,annotator,better\n"
SESSIONS = "video_uid,participant,environment,self_assessment,demonstrations\n"


def read(**files: str) -> Read:
    names = {
        "train": f"{FOLDER}/skill_train.txt",
        "val": f"{FOLDER}/skill_val.txt",
        "votes": f"{FOLDER}/skill_votes.csv",
        "sessions": "sessions.csv",
    }
    meta = [
        {"video_uid": uid, "num_frames": 5000.0, "fps": 25.0, "width": 4.0, "height": 4.0,
         "view": view, "scene": "kitchen", "task": "task1"}
        for uids, view in ((UIDS, "ego"), (EXO, "exo"))
        for uid in uids
    ]  # fmt: skip
    given: dict[str, object] = {"video_meta_downsampled.json": meta}
    return read_parts(LAYOUT, given | {names[name]: text for name, text in files.items()})


def votes(*rows: tuple[str, str, str]) -> str:
    return HEADER + "".join(f"{pair},{who},{better}\n" for pair, who, better in rows)


def test_a_list_gives_outcomes_without_votes() -> None:
    made = read(train=f"{A} {B}\n", val=f"{A} {B}\n{C} {D}\n")
    rows = {row["pair_id"]: row for row in made.rows("skill_votes").rows(named=True)}
    assert made.refused == []
    first = rows[f"{A} {B}"]
    assert (first["action"], first["action_name"]) == ("13", "Cutting into chunks")
    assert (first["first_recording_id"], first["second_recording_id"]) == (UIDS[0], UIDS[1])
    assert (first["first_start_s"], first["first_end_s"]) == (4.0, 8.0)
    assert (first["stated_better"], first["votes"], first["splits"]) == (
        "first",
        None,
        ["train", "val"],
    )
    assert rows[f"{C} {D}"]["splits"] == ["val"]


def test_votes_turn_with_the_order_of_the_list() -> None:
    made = read(
        train=f"{A} {B}\n",
        votes=votes(
            (f"{B} {A}", "y", "right"),
            (f"{A} {B}", "x", "left"),
            (f"{A} {B}", "z", "neither"),
            (f"{D} {C}", "x", "left"),
        ),
    )
    assert made.refused == []
    rows = {row["pair_id"]: row for row in made.rows("skill_votes").rows(named=True)}
    assert rows[f"{A} {B}"]["votes"] == [
        {"annotator": "x", "better": "first"},
        {"annotator": "y", "better": "first"},
        {"annotator": "z", "better": "neither"},
    ]
    only = rows[f"{C} {D}"]
    assert (only["stated_better"], only["splits"]) == (None, [])
    assert only["votes"] == [{"annotator": "x", "better": "second"}]


@pytest.mark.parametrize(
    ("files", "rows", "said"),
    [
        ({"train": f"{A} {A}\n"}, 0, "compared with itself"),
        ({"train": f"{A} 14{B[2:]}\n"}, 0, "two actions"),
        ({"train": f"{A}\n{A} {B}\n"}, 1, "no two clips"),
        ({"train": f"{A} {B} {C}\n"}, 0, "no two clips"),
        ({"train": f"{A} 13_{UIDS[1]}_-5_9\n"}, 0, "no two clips"),
        ({"train": f"{A} {B}\n{A} {B}\n"}, 1, "listed twice"),
        ({"train": f"{A} 13_{UIDS[1]}_200_200\n"}, 0, "ends at or before its start"),
        ({"train": f"{A} 13_{UIDS[1][:-1]}f_1_9\n"}, 0, "names nothing in recordings"),
        ({"votes": votes((f"{A} {B}", "x", "first"))}, 0, "not one of left, right and neither"),
        ({"votes": votes((f"{A} {B}", "", "left"))}, 0, "annotator is empty"),
        ({"votes": votes((f"{A} {A}", "x", "left"))}, 0, "compared with itself"),
        (
            {"votes": votes((f"{A} {B}", "x", "left"), (f"{B} {A}", "x", "right"))},
            1,
            "given twice",
        ),
        (
            {"votes": votes((f"{A} {B}", "x", "left"), (f"{B} {A}", "x", "left"))},
            0,
            "different things",
        ),
    ],
)
def test_refused(files: dict[str, str], rows: int, said: str) -> None:
    made = read(**files)
    assert made.rows("skill_votes").height == rows
    assert len(made.refused) == 1
    assert said in made.refused[0]["message"]
    assert made.refused[0]["remedy"]


def test_an_annotator_who_contradicts_himself_costs_his_vote_alone() -> None:
    pair = f"{A} {B}"
    made = read(
        votes=votes(
            *((pair, "x", side) for side in ("left", "right", "right")), (pair, "y", "left")
        )
    )
    assert len(made.refused) == 2
    assert made.rows("skill_votes")["votes"].to_list() == [[{"annotator": "y", "better": "first"}]]


def test_demonstrations_in_kitchens_come_from_the_web_unless_sessions_say_where() -> None:
    made = read(sessions=f"{SESSIONS}{EXO[0]},p9,studio,,\n")
    places = dict(made.rows("recordings").select("recording_id", "environment_id").rows())
    assert places == {**dict.fromkeys(UIDS), **{uid: f"web:{uid}" for uid in EXO}, EXO[0]: "studio"}


def test_sessions_fill_who_where_and_whom_they_followed() -> None:
    text = f"{UIDS[0]},p1,home,2,{EXO[0]} {EXO[1]}\n{UIDS[1]},p2,,,{EXO[0]}\n{EXO[0]},p9,studio,,\n"
    made = read(sessions=SESSIONS + text)
    assert made.refused == []
    people = {r["recording_id"]: r for r in made.rows("recordings").rows(named=True)}
    assert (people[UIDS[0]]["person_id"], people[UIDS[0]]["environment_id"]) == ("p1", "home")
    assert (people[EXO[0]]["person_id"], people[UIDS[2]]["person_id"]) == ("p9", None)
    links = made.rows("take_links").select("take_id", "link", "other_take_id").rows()
    assert set(links) == {
        (UIDS[0], "follows", EXO[0]),
        (UIDS[0], "follows", EXO[1]),
        (UIDS[1], "follows", EXO[0]),
    }
    (level,) = made.rows("skill_levels").rows(named=True)
    assert (level["take_id"], level["actor_id"], level["scale"], level["level"]) == (
        UIDS[0],
        "p1",
        "self_assessed",
        2,
    )


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (f"{UIDS[0]},p,,,{UIDS[1]}", "only an egocentric recording follows"),
        (f"{EXO[0]},p,,,{EXO[1]}", "only an egocentric recording follows"),
        (f"{UIDS[0]},p,,-1,", "below 0"),
        (f"{UIDS[0]},p,,good,", "not a number"),
        ("me,p,,,", "not a UUID"),
        (f"{UIDS[0]},p,,,{EXO[0]} {EXO[0]}", "named twice"),
        (f"{UIDS[0][:-1]}f,p,,,", "does not name"),
    ],
)
def test_refused_sessions(row: str, said: str) -> None:
    made = read(sessions=f"{SESSIONS}{row}\n")
    assert len(made.refused) == 1
    assert said in made.refused[0]["message"]
    assert made.rows("recordings").height == len(UIDS) + len(EXO)


def test_the_released_list(shared: Path) -> None:
    """Counted by splitting the file's lines."""
    root = shared / "data/egoexolearn"
    path = f"{FOLDER}/skill_train.txt"
    meta = json.loads((root / "video_meta_downsampled.json").read_text())
    made = read_parts(
        LAYOUT, {path: (root / path).read_bytes(), "video_meta_downsampled.json": meta}
    )
    rows = made.rows("skill_votes")
    assert made.refused == []
    assert rows.height == 13_722
    assert set(rows["pair_id"]) == set((root / path).read_text().splitlines())
    assert rows["votes"].null_count() == rows.height
    counted = dict(rows.group_by("action").len().rows())
    assert counted == {
        "06": 1162,
        "13": 2403,
        "14": 3253,
        "15": 2726,
        "18": 1246,
        "20": 2932,
    }
