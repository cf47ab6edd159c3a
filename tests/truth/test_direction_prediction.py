"""Direction prediction against the plan of the court, and by the pixels of its cameras."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image

from assets.questions.egoexobench.direction_prediction import BUILDER
from assets.sources.reviews.forms import label_studio_interface, queue_label_studio
from expectations.schemas import TABLES
from pipelines.cli.direction_queue import directions_of
from resources.config import load_settings
from resources.worlds.court.body import Body
from resources.worlds.court.egoexo4d import sessions_of, take_of, write_court
from resources.worlds.court.ground import CAMERAS, PARTNER
from resources.worlds.court.motion import Feet
from resources.worlds.court.performer import Performer
from resources.worlds.court.plan import plan_court
from resources.worlds.court.take import Take
from resources.worlds.court.truth import CourtSpec
from resources.worlds.flat.tracks import BodyTrack
from tests.truth.solvers.direction import Watcher
from tests.truth.solvers.exam import Exam, Question, sit, span_of

# Five drills: the dark one cannot be seen, and courses are described without directions.
COURT = plan_court(CourtSpec(render="small"))
DRILLS = replace(COURT, takes=COURT.takes[:5])
SESSIONS = {session.name: session for session in sessions_of(DRILLS)}
TAKES = {name: take_of(session) for name, session in SESSIONS.items()}
BESIDE_M = 0.8


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("court")


@pytest.fixture(scope="module")
def exam(folder: Path) -> Exam:
    write_court(DRILLS, folder / "raw", workers=1)
    return sit(folder, "egoexo4d", BUILDER, "midpoints(8)")


def _turns(question: Question) -> dict[str, float]:
    """Letter and how the plan says that its camera sees the wearer go: 0 away, right positive, degrees."""
    (query,) = (m for m in question["media"] if m["role"] == "query")
    take_name = query["recording_id"].partition("|")[0]
    found = {}
    for medium in question["media"]:
        _, _, letter = medium["role"].partition("option_")
        if letter:
            camera = medium["recording_id"].partition("|")[2]
            turn = TAKES[take_name].seen_turn_deg(camera, query["start_s"], query["end_s"])
            assert turn is not None
            found[letter] = turn
    return found


def _asked(question: Question) -> float:
    """Direction that a text names, degrees."""
    words = set(re.findall("background|foreground|left|right", question["text"]))
    along = {"background": 0.0, "foreground": 180.0}
    (depth,) = {along[w] for w in words & along.keys()} or {90.0}
    if not words & {"left", "right"}:
        return depth
    return (-1 if "left" in words else 1) * (90.0 if len(words) == 1 else (depth + 90.0) / 2)


def _apart(one: float, two: float) -> float:
    return abs((one - two + 180) % 360 - 180)


def test_the_plan_has_the_wearer_go_there_in_the_answers_view_alone(exam: Exam) -> None:
    assert len(exam.questions) >= 20
    for question in exam.questions:
        off = {letter: _apart(t, _asked(question)) for letter, t in _turns(question).items()}
        assert set(off) == set("ABCD")
        # The plan judges by where the wearer sets out; any judgement is to agree.
        assert off.pop(question["answer"]) < 31
        assert min(off.values()) > 44


def test_the_person_is_in_all_pictures_from_the_first_to_the_last(exam: Exam) -> None:
    for question in exam.questions:
        for medium in question["media"]:
            name, _, camera = medium["recording_id"].partition("|")
            if camera != "aria01":
                for t_s in (medium["start_s"], medium["end_s"]):
                    assert _is_seen(TAKES[name], camera, t_s), (question["text"], camera, t_s)


def _is_seen(take: Take, camera: str, t_s: float) -> bool:
    first = take.owner("C")
    owners = take.picture(camera, t_s).owners
    return int(((owners >= first) & (owners < first + 5)).sum()) >= 12


def test_every_named_movement_of_the_drills_is_asked_about_at_most_once(exam: Exam) -> None:
    moments = [q["media"][0]["segment_id"] for q in exam.questions]
    assert len(set(moments)) == len(moments)
    told = " ".join(moments)
    assert "steps to the left" in told and "dribbles the ball forward" in told
    # Nobody goes anywhere along the ground.
    assert "jumps" not in told and "throws" not in told


def test_pixels_tell_the_answer_and_shortcuts_do_not(exam: Exam) -> None:
    watcher = Watcher(exam)
    assert exam.share_right(lambda q: watcher.by_motion(q, q)) >= 0.95
    assert exam.by_chance(exam.share_right(lambda _: None))
    most = 0.25 + exam.margin
    assert exam.share_right(lambda q: watcher.by_motion(q, exam.other(q, "take"))) <= most
    assert exam.share_right(watcher.by_one_picture) <= most


# -- what people are shown ---------------------------------------------------------------------------


def test_people_are_shown_frames_of_every_view_in_the_order_of_the_text(
    exam: Exam, folder: Path, tmp_path: Path
) -> None:
    settings = load_settings(folder / "parallax.toml")
    whole = directions_of(settings, "flat", 1)
    assert whole["frames"].list.len().sum() == 0
    (row,) = directions_of(settings, "flat", 1, 1, tmp_path / "shown").to_dicts()
    assert row == {**whole.row(0, named=True), "frames": row["frames"]}
    views = [part.partition(" from ")[0] for part in row["text"].split("; ")[1:]]
    assert [view.partition("|")[2] for view in views] == ["aria01", *sorted(CAMERAS)]
    assert len(row["frames"]) == 8 * len(views)
    pictures = [
        np.asarray(Image.open(tmp_path / path.removeprefix("/data/local-files/?d="))).astype(int)
        for path in row["frames"]
    ]
    # What a question about the movement sends of its clips is what people have seen of them.
    (question,) = (q for q in exam.questions if q["media"][0]["segment_id"] == row["item_id"])
    for medium in question["media"]:
        at = 8 * views.index(medium["recording_id"])
        sent = [picture.astype(int) for _, picture in exam.frames[span_of(medium)]]
        for seen, picture in zip(pictures[at : at + 8], sent, strict=True):
            assert seen.shape == picture.shape
            assert np.abs(seen - picture).mean() < 6
    fixed = [pictures[8 * at] for at in range(1, len(views))]
    assert min(np.abs(a - b).mean() for a, b in combinations(fixed, 2)) > 12
    (task,) = json.loads(queue_label_studio(whole.head(1)))
    assert task["data"]["frames"] == []
    assert 'valueList="$frames"' in label_studio_interface("direction")


# -- who hides the wearer --------------------------------------------------------------------------


def _accompanied(take: Take, angle: float) -> Take:
    """The take with its other person going along with the wearer, `BESIDE_M` away at an angle from the east."""
    placed = [(float(t), *take.bodies["C"].track.place(float(t))) for t in take.bodies["C"].track.t]
    east, north = BESIDE_M * math.cos(angle), BESIDE_M * math.sin(angle)
    walk = [(t, x + east, y + north) for t, x, y in placed]
    other = Performer("O", walk[0][1:], 0.0)
    track = BodyTrack(walk, other.turns, other.hands, take.duration_s)
    return _with_bodies(take, O=Body(PARTNER, track, Feet(track, ()), ()))


def _with_bodies(take: Take, **others: Body) -> Take:
    """The take with its wearer and only these people besides."""
    return replace(take, bodies={"C": take.bodies["C"], **others}, _scenes={}, _shown={})


def _trunk_px(take: Take, question: Question) -> list[int]:
    """Pixels of the wearer's trunk and head in each view, over three instants of a movement."""
    query = question["media"][0]
    start_s, end_s = query["start_s"], query["end_s"]
    times = [start_s + (end_s - start_s) * share for share in (1 / 6, 1 / 2, 5 / 6)]
    owner = take.owner("C")
    return [int(sum((take.picture(c, t).owners == owner).sum() for t in times)) for c in CAMERAS]


def _with_a_second_wearer(
    tables: dict[str, pl.DataFrame], name: str, joined: Take
) -> dict[str, pl.DataFrame]:
    """Tables of a take whose other person wears glasses too, at the place the plan has them."""
    worn, second = f"{name}|aria01", f"{name}|aria02"
    place = SESSIONS[name].capture.place.rotation
    out = dict(tables)
    for table in ("recordings", "clocks", "cameras", "camera_poses"):
        rows = tables[table].filter(pl.col("recording_id") == worn).to_dicts()
        for row in rows:
            row["recording_id"] = second
            if table == "camera_poses":
                me, other = (joined.bodies[who].head(row["t_s"]).position for who in "CO")
                for axis, metres in zip(("tx", "ty", "tz"), place @ (other - me), strict=True):
                    row[axis] += float(metres)
        out[table] = pl.concat(
            [tables[table], TABLES[table].frame(rows).select(tables[table].columns)]
        )
    return out


def test_a_movement_is_asked_about_where_the_plans_pictures_show_who_goes(
    exam: Exam, folder: Path
) -> None:
    """All four views are needed, so that one in which somebody stands before the wearer takes the question."""
    settings = load_settings(folder / "parallax.toml")
    name = exam.questions[0]["recording_id"].partition("|")[0]
    mine = [q for q in exam.questions if q["recording_id"].startswith(name)]
    uid = pl.col("recording_id").str.starts_with(f"{name}|")
    tables = {n: settings.store.read(TABLES[n], "flat").filter(uid) for n in sorted(BUILDER.reads)}
    alone = {q["question_id"]: _trunk_px(_with_bodies(TAKES[name]), q) for q in mine}
    hidden, seen = [], []
    for angle in range(0, 360, 30):
        joined = _accompanied(TAKES[name], math.radians(angle))
        made = BUILDER.make(_with_a_second_wearer(tables, name, joined))
        asked = set(made["question_id"])
        for question in mine:
            key = question["question_id"]
            pixels = _trunk_px(joined, question)
            share = min(px / of for px, of in zip(pixels, alone[key], strict=True))
            # In between are those of whom half is hidden, or the trunk, but not the head.
            if share < 0.2:
                hidden.append(key in asked)
            elif share > 0.7:
                seen.append(key in asked)
    assert len(hidden) >= 5 and not any(hidden)
    assert len(seen) >= 20 and all(seen)
