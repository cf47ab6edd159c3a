"""The court: what a reader of its files finds against what happened, in tables and in pixels."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import polars as pl
import pytest
from scipy.spatial.transform import Rotation

from assets.options import Options, silent
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from resources.config import Settings, SourceConfig
from resources.store.tables import TableStore
from resources.worlds.court import Court, CourtSpec, Deed, Take, plan_court, write_court
from resources.worlds.court.course import CLUB_ORDERS, ORDERS, REHEARSED
from resources.worlds.court.egoexo4d import POSED, is_seen, sessions_of, step_name, take_of
from resources.worlds.court.ground import BALL, CAMERAS, PROPS, SHOES, bench_slot
from resources.worlds.court.plan import plan_club, plan_rehearsals
from resources.worlds.court.pose import body_annotation, camera_annotation

FILMED = ("drill 2",)
Tables = dict[str, pl.DataFrame]


@pytest.fixture(scope="module")
def court() -> Court:
    return plan_court(CourtSpec(render="none"))


def _read(root: Path, home: Path, *names: str) -> Tables:
    settings = Settings(
        home,
        TableStore(str(home / "store")),
        home / "page.html",
        {"it": SourceConfig("it", "egoexo4d", str(root))},
    )
    SOURCES.refresh(settings, "it", Options(), silent)
    return {n: settings.store.read(TABLES[n]).sort(TABLES[n].key) for n in names}


@pytest.fixture(scope="module")
def root(court: Court, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("court") / "root"
    write_court(court, folder, workers=1)
    return folder


@pytest.fixture(scope="module")
def tables(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    names = (
        "recordings",
        "segments",
        "skill_levels",
        "splits",
        "quarantine",
        "cameras",
        "camera_poses",
        "body_joints",
        "hand_joints",
    )
    return _read(root, tmp_path_factory.mktemp("told"), *names)


@pytest.fixture(scope="module")
def filmed() -> Court:
    whole = plan_court(CourtSpec())
    return replace(whole, takes=tuple(t for t in whole.takes if t.take_id in FILMED))


@pytest.fixture(scope="module")
def films(filmed: Court, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("filmed") / "root"
    write_court(filmed, folder, workers=1)
    return folder


def named(court: Court) -> dict[str, Take]:
    """Takes by the release's name."""
    return {s.name: t for s in sessions_of(court) for t in court.takes if s.take is t}


# -- what is told ----------------------------------------------------------------------------------


def test_two_writes_are_equal(root: Path, tmp_path: Path) -> None:
    whole = plan_court(CourtSpec(render="none"))
    write_court(replace(whole, takes=(whole.takes[4], whole.takes[5])), tmp_path, workers=2)
    again = [p.relative_to(tmp_path) for p in (tmp_path / "takes").rglob("*") if p.is_file()]
    assert len(again) == 2 * 6
    for path in again:
        assert (tmp_path / path).read_bytes() == (root / path).read_bytes()


def test_five_cameras_a_take_each_in_its_place(court: Court, tables: Tables) -> None:
    assert tables["recordings"].height == 5 * len(court.takes) == 50
    gopros = tables["cameras"].filter(pl.col("model") == "kannala_brandt")
    assert gopros.height == 4 * len(court.takes)
    still = tables["camera_poses"].filter(pl.col("of") == "camera")
    assert still.height == 4 * len(court.takes)
    # A capture a player, a world a capture.
    assert still["world_frame_id"].n_unique() == 6
    lengths = tables["recordings"].filter(pl.col("view") == "ego")
    assert dict(lengths.select("take_id", "duration_s").iter_rows()) == pytest.approx(
        {name: t.duration_s for name, t in named(court).items()}, abs=0.04
    )


def test_descriptions_tell_what_was_done_but_in_the_dark(court: Court, tables: Tables) -> None:
    told = tables["segments"].filter(pl.col("kind") == "atomic")
    wanted = []
    for name, take in named(court).items():
        for deed in () if take.dark else take.deeds:
            text = f"{deed.actor} {deed.text}."
            wanted.append((f"{name}|aria01", text, deed.actor, is_seen(take, deed)))
    found = told.select("recording_id", "narration", "actor_id", "ego_visible").rows()
    assert sorted(found) == sorted(wanted)
    assert set(told["ego_visible"]) == {True, False}
    dark = next(t for t in court.takes if t.dark)
    refused = tables["quarantine"]["rule"].to_list()
    assert refused == ["marked_unsure"] * len(dark.deeds)


def test_keysteps_are_swapped_missing_and_extra(court: Court, tables: Tables) -> None:
    rows = tables["segments"].filter(pl.col("kind") == "keystep").sort("recording_id", "start_s")
    needed = {step_name(p.instance): p.essential for p in PROPS}
    assert dict(rows.select("class_name", "essential").iter_rows()) == needed
    told = dict(rows.group_by("recording_id", maintain_order=True).agg("class_name").iter_rows())
    assert told == {
        f"{name}|aria01": [step_name(s.thing) for s in t.steps]
        for name, t in named(court).items()
        if t.steps
    }
    usual, swapped, less, more = (told[f"court_soccer3{n}_4|aria01"] for n in (1, 2, 3, 4))
    assert swapped == [usual[1], usual[0], *usual[2:]]
    assert set(usual) - set(less) == {"Place the green hurdle"}
    assert set(more) - set(usual) == {"Place the purple flag"}
    assert all(len(set(usual) & set(other)) >= 2 for other in (swapped, less, more))


def test_levels_of_all_players(court: Court, tables: Tables) -> None:
    rows = tables["skill_levels"]
    wanted = [
        (name, str(t.player.number), t.level, t.task)
        for name, t in named(court).items()
        if t.level is not None
    ]
    assert sorted(rows.select("take_id", "actor_id", "level", "task").rows()) == sorted(wanted)
    assert sorted(rows["level"]) == [0, 0, 1, 2, 3, 3]
    people = dict(tables["recordings"].select("take_id", "person_id").iter_rows())
    assert all(people[row["take_id"]] == row["actor_id"] for row in rows.iter_rows(named=True))
    split = dict(tables["recordings"].select("take_id", "split").iter_rows())
    assert all(split[row["take_id"]] == row["split"] for row in rows.iter_rows(named=True))


def test_experts_remarks_are_lists_in_both_writings(root: Path) -> None:
    said = [
        remark["list"]
        for path in sorted((root / "annotations").glob("proficiency_demonstration_*.json"))
        for record in json.loads(path.read_text())
        for remark in record["good_executions"] + record["tips_for_improvement"]
    ]
    assert {type(one) for one in said} == {list, str}


def test_joints_are_read_as_they_were(court: Court, tables: Tables) -> None:
    posed = {s.name: s for s in sessions_of(court) if take_of(s).take_id in POSED}
    body, hands = tables["body_joints"], tables["hand_joints"]
    assert set(body["recording_id"]) == set(hands["recording_id"]) == {f"{n}|aria01" for n in posed}
    assert set(body["annotation"]) == set(hands["annotation"]) == {"manual"}
    for name, session in posed.items():
        take, place = take_of(session), session.capture.place
        mine = body.filter(pl.col("recording_id") == f"{name}|aria01")
        # One frame a second, and all joints of it.
        assert sorted(mine["sample"].unique()) == list(range(0, session.frames, 30))
        assert mine.height == 17 * mine["sample"].n_unique()
        assert mine["t_s"].to_list() == [n / 30 for n in mine["sample"]]
        heads_of = heads(tables, name)
        assert set(mine["world_frame_id"]) == set(heads_of["world_frame_id"])
        for row in mine.iter_rows(named=True):
            at = [row[a] for a in "xyz"]
            said = take.bodies["C"].joints(row["t_s"])[row["joint"].replace("_", "-")]
            assert at == pytest.approx(place.to_world(said), abs=1e-5)
            if row["joint"] == "nose":
                # The trajectory is another file, by another clock: the nose is below the glasses.
                assert np.linalg.norm(np.array(at) - head_at(heads_of, row["t_s"])) < 0.2
        wrists = hands.filter(pl.col("recording_id") == f"{name}|aria01")
        assert set(wrists["joint"]) == {"wrist"}
        both = mine.with_columns(pl.col("joint").str.split("_")).filter(
            pl.col("joint").list.last() == "wrist"
        )
        columns = ("sample", "x", "y", "z", "views")
        assert wrists.select("hand_side", *columns).rows() == (
            both.select(pl.col("joint").list.first().alias("hand_side"), *columns)
            .sort("sample", "hand_side")
            .rows()
        )


def test_joints_turn_with_the_body_and_feet_touch_the_ground(tables: Tables) -> None:
    """By the tables alone: left is on the left of the way the nose points, ankles are low."""
    wide = tables["body_joints"].pivot(
        "joint", index=("recording_id", "sample"), values=["x", "y", "z"]
    )
    ahead = wide.select(
        (pl.col(f"{a}_nose") - (pl.col(f"{a}_left_ear") + pl.col(f"{a}_right_ear")) / 2).alias(a)
        for a in "xy"
    ).to_numpy()
    left = wide.select((pl.col(f"{a}_left_ear") - pl.col(f"{a}_right_ear")).alias(a) for a in "xy")
    x, y = left.to_numpy().T
    assert (ahead[:, 0] * y - ahead[:, 1] * x > 0).all()
    tall = (
        wide["z_nose"] - wide.select(pl.min_horizontal("z_left_ankle", "z_right_ankle")).to_series()
    )
    assert tall.is_between(1.2, 1.7).all()


# -- what happens ----------------------------------------------------------------------------------


def test_who_knows_more_is_faster_strays_less_and_scores(court: Court) -> None:
    takes = [t for t in court.takes if t.level is not None and not t.dark]
    by_level = sorted(takes, key=lambda t: t.level or 0)
    assert [t.strays for t in by_level] == [2, 1, 0, 0, 0]
    assert [t.goal for t in by_level] == [False, False, True, True, True]
    lengths = [t.duration_s for t in by_level]
    assert lengths == sorted(lengths, reverse=True)
    for take in takes:
        x, y, _ = take.thing_at("ball", take.duration_s)
        assert (x > 3.8 and abs(y) < 1.2) == take.goal


@pytest.mark.parametrize("level", range(4))
def test_the_part_that_is_named_is_the_one_at_the_thing(court: Court, level: int) -> None:
    takes = [*(t for t in court.takes if t.level == level), court.takes[6 + level]]
    feet, tall = 0, {prop.instance: prop.size_m[2] for prop in PROPS}
    for take in takes:
        for deed in (d for d in take.deeds if d.part.endswith(("foot", "hand"))):
            side, _, limb = deed.part.partition(" ")
            body, t = take.bodies[deed.actor], deed.contact_s
            at = take.thing_at(deed.thing, t)
            if limb == "hand":
                at = at + np.array([0, 0, tall[deed.thing] / 2])
            reach = body.sole if limb == "foot" else body.hand
            far = {s: np.linalg.norm(reach(s, t) - at) for s in ("left", "right")}
            assert min(far, key=lambda s: far[s]) == side, deed
            assert far[side] < (0.65 if limb == "foot" else 0.1), deed
            feet += limb == "foot"
    assert feet >= 6


def test_feet_stand_still_where_somebody_stands(court: Court) -> None:
    body = court.takes[0].bodies["O"]
    for t in np.arange(0.5, 6, 0.25):
        for side in ("left", "right"):
            assert np.linalg.norm(body.sole(side, t) - body.sole(side, 0.5)) < 0.05


# -- what is seen ----------------------------------------------------------------------------------


class Eyes:
    """A still camera as the tables tell it."""

    def __init__(self, tables: Tables, uid: str) -> None:
        camera = tables["cameras"].row(by_predicate=pl.col("recording_id") == uid, named=True)
        pose = tables["camera_poses"].row(by_predicate=pl.col("recording_id") == uid, named=True)
        self.turn = Rotation.from_quat([pose[f"q{a}"] for a in "xyzw"])
        self.at = np.array([pose[f"t{a}"] for a in "xyz"])
        self.focal, self.size = camera["fx_px"], (camera["width_px"], camera["height_px"])
        self.centre = np.array([camera["cx_px"], camera["cy_px"]])
        assert camera["distortion"] == [0.0] * 4

    def local(self, point: np.ndarray) -> np.ndarray:
        return self.turn.inv().apply(point - self.at)

    def pixel(self, point: np.ndarray, width: int) -> np.ndarray:
        """Where a point of the capture's world is in a picture so wide."""
        x, y, z = self.local(point)
        away = np.hypot(x, y)
        pixel = self.centre + self.focal * np.arctan2(away, z) * np.array([x, y]) / away
        return (pixel + 0.5) * width / self.size[0] - 0.5


def heads(tables: Tables, name: str) -> pl.DataFrame:
    """Places of the wearer's device."""
    mine = pl.col("recording_id") == f"{name}|aria01"
    return tables["camera_poses"].filter(mine & (pl.col("of") == "device")).sort("t_s")


def head_at(poses: pl.DataFrame, t_s: float) -> np.ndarray:
    row = poses.row(int((poses["t_s"] - t_s).abs().arg_min() or 0), named=True)
    return np.array([row["tx"], row["ty"], row["tz"]])


def turn_deg(eyes: Eyes, first: np.ndarray, last: np.ndarray) -> float | None:
    """How a camera sees a way along the ground: 0 away from it, 90 to the right."""
    sight, way = (first - eyes.at)[:2], (last - first)[:2]
    if np.hypot(*way) < 0.1:
        return None
    along, aside = sight @ way, sight[1] * way[0] - sight[0] * way[1]
    return float(np.degrees(np.arctan2(aside, along)))


def least_gap(turns: list[float]) -> float:
    """Degrees between the two views that are most alike."""
    ring = sorted(turns)
    return min(b - a for a, b in pairwise([*ring, ring[0] + 360]))


def test_a_way_across_looks_different_in_each_view_and_a_jump_alike(
    court: Court, tables: Tables
) -> None:
    gaps, jumps = [], 0
    for name, take in named(court).items():
        poses = heads(tables, name)
        for deed in (d for d in take.deeds if d.direction):
            span, turns = (deed.start_s, deed.end_s), []
            for camera in CAMERAS:
                eyes = Eyes(tables, f"{name}|{camera}")
                found = turn_deg(eyes, *(head_at(poses, t) for t in span))
                told = take.seen_turn_deg(camera, *span)
                if deed.direction == "up":
                    assert (found, told) == (None, None)
                    continue
                assert found is not None and told is not None
                assert abs((found - told + 180) % 360 - 180) < 5, (deed, camera)
                turns.append(found)
            if turns:
                gaps.append(least_gap(turns))
            else:
                jumps += 1
    assert jumps == 6
    # In the middle each view tells it by itself; at the court's end two are nearly alike.
    assert sum(gap > 60 for gap in gaps) >= 10
    assert sum(gap < 50 for gap in gaps) >= 6


def decoded(path: Path, times: list[float]) -> list[np.ndarray]:
    wanted = [round(t * 30) for t in times]
    with av.open(str(path)) as container:
        frames = [f.to_ndarray(format="rgb24") for f in container.decode(video=0)]
    return [frames[min(n, len(frames) - 1)] for n in wanted]


def near(picture: np.ndarray, pixel: np.ndarray, colour: tuple, reach: int, far: int = 70) -> bool:
    """Whether a colour is seen about a pixel."""
    x, y = (round(float(v)) for v in pixel)
    patch = picture[max(y - reach, 0) : y + reach + 1, max(x - reach, 0) : x + reach + 1]
    return bool((np.abs(patch.astype(int) - colour).sum(-1) < far).any())


@pytest.fixture(scope="module")
def seen(films: Path, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    return _read(films, tmp_path_factory.mktemp("seen"), "cameras", "camera_poses")


def test_the_wearer_is_in_every_view_where_the_calibration_says(
    filmed: Court, films: Path, seen: Tables
) -> None:
    for name, take in named(filmed).items():
        poses = heads(seen, name)
        times = [float(t) for t in np.arange(0.6, take.duration_s - 0.5, 0.6)]
        for camera in CAMERAS:
            eyes = Eyes(seen, f"{name}|{camera}")
            pictures = decoded(films / f"takes/{name}/frame_aligned_videos/{camera}.mp4", times)
            hits = []
            for t, picture in zip(times, pictures, strict=True):
                # From the glasses down to the chest.
                chest = head_at(poses, take.picture_time(t)) - (0, 0, 0.42)
                pixel = eyes.pixel(chest, picture.shape[1])
                hits.append(near(picture, pixel, take.player.shirt, 3))
            # The partner, the arms and the bench stand before the wearer at times.
            assert np.mean(hits) > 0.75, (name, camera, hits)


def test_joints_are_where_their_colours_are() -> None:
    """Ankles by the poses' own pinhole cameras: in the fisheye's picture the shoe is there."""
    whole = plan_court(CourtSpec())
    posed = replace(whole, takes=tuple(t for t in whole.takes if t.take_id == "course 2"))
    (session,) = sessions_of(posed)
    joints, cameras = body_annotation(session), camera_annotation(session)
    take, hits = posed.takes[0], []
    for frame, ((one,), t) in zip(
        joints, ((v, int(k) / 30) for k, v in joints.items()), strict=True
    ):
        assert len(one["annotation3D"]) == 17, frame
        for camera in CAMERAS:
            said = cameras[camera]
            inner, outer = (np.array(said[f"camera_{k}trinsics"]) for k in ("in", "ex"))
            for side in ("left", "right"):
                flat = one["annotation2D"][camera].get(f"{side}-ankle")
                if flat is None:
                    continue
                point = [one["annotation3D"][f"{side}-ankle"][a] for a in "xyz"]
                u, v, w = inner @ (outer @ [*point, 1.0])
                assert (flat["x"], flat["y"]) == pytest.approx((u / w, v / w), abs=0.2)
                lens = take.camera(camera)
                pixel = lens.project(outer @ [*point, 1.0])
                picture = take.picture(camera, t).rgb
                hits.append(near(picture, pixel, SHOES[side], 3, far=110))
    assert len(hits) > 60
    assert np.mean(hits) > 0.7


def solve_foot(pictures: list[np.ndarray], width: int) -> str | None:
    """Which shoe is nearest to the ball in the wearer's pictures, by colour."""
    gap = {"left": [], "right": []}
    for picture in pictures:
        found = {}
        for what, colour in {"ball": BALL, **SHOES}.items():
            unlike = np.abs(picture.astype(int) - colour).sum(-1)
            found[what] = np.argwhere(unlike < 150)
        if len(found["ball"]) < 6:
            continue
        for side, gaps in gap.items():
            if len(found[side]) >= 4:
                ways = found[side][:, None] - found["ball"][None, ::3]
                gaps.append(float(np.hypot(ways[..., 0], ways[..., 1]).min()))
            else:
                gaps.append(float(width))
    told = {side: min(gaps, default=float(width)) for side, gaps in gap.items()}
    return None if told["left"] == told["right"] else min(told, key=lambda s: told[s])


def test_the_foot_can_be_told_from_the_wearers_pixels(filmed: Court, films: Path) -> None:
    right, asked = 0, list[Deed]()
    for name, take in named(filmed).items():
        for deed in take.deeds:
            if deed.actor != "C" or not deed.part.endswith("foot") or deed.thing != "ball":
                continue
            times = [take.picture_time(deed.contact_s)]
            path = films / f"takes/{name}/frame_aligned_videos/aria01_214-1.mp4"
            pictures = decoded(path, times)
            asked.append(deed)
            right += solve_foot(pictures, pictures[0].shape[1]) == deed.part.split()[0]
    assert len(asked) >= 5
    assert right >= 0.95 * len(asked)


def test_whether_it_is_a_goal_is_seen_in_the_last_picture() -> None:
    """The ball's colour in the view that shows most of it, and where its ray meets the ground."""
    told = {}
    for take in plan_court(CourtSpec()).takes:
        if take.level is None or take.dark:
            continue
        spots = {}
        for name in CAMERAS:
            picture = take.picture(name, take.duration_s).rgb
            spots[name] = np.argwhere(np.abs(picture.astype(int) - BALL).sum(-1) < 90)
        name = max(spots, key=lambda one: len(spots[one]))
        assert len(spots[name]) > 8
        pose = take.fixed[name]
        ray = pose.rotation @ take.camera(name).rays(spots[name].mean(0)[::-1])
        x, y, _ = pose.position - ray * (pose.position[2] - 0.12) / ray[2]
        told[take.take_id] = (bool(x > 3.5 and abs(y) < 1.2), take.goal)
    assert len(told) == 5
    assert all(seen == true for seen, true in told.values()), told


def test_in_the_dark_nothing_is_seen() -> None:
    whole = plan_court(CourtSpec(render="small"))
    dark, light = whole.takes[5], whole.takes[0]
    assert dark.dark
    t = dark.deeds[10].contact_s
    for camera in ("ego", *CAMERAS):
        assert dark.picture(camera, t).rgb.std() < 4 < 20 < light.picture(camera, t).rgb.std()


def test_in_rehearsals_each_thing_is_back_before_the_next_leaves_the_bench() -> None:
    rehearsed = plan_rehearsals(CourtSpec(render="none"))
    assert [tuple(s.thing for s in t.steps) for t in rehearsed.takes] == list(REHEARSED)
    assert {order[len(order) // 2] for order in REHEARSED} == {"green hurdle"}
    waiting = {prop.instance: bench_slot(n) for n, prop in enumerate(PROPS)}
    for take in rehearsed.takes:
        for step in take.steps:
            for name, at in waiting.items():
                track = take.props[name]
                assert track.key(step.start_s).at == track.key(step.end_s).at == at
                away = name == step.thing
                there = (*next(p.spot for p in PROPS if p.instance == name), 0.0)
                assert any(key.at == there and not key.holder for key in track.keys) == (
                    name in {s.thing for s in take.steps}
                )
                held = [k for k in track.keys if step.start_s <= k.t_s <= step.end_s and k.holder]
                assert len(held) == (2 if away else 0)


def test_a_club_has_other_levels_and_orders_than_the_court(court: Court) -> None:
    club = plan_club(CourtSpec(seed="club", render="none"))
    orders = [tuple(s.thing for s in take.steps) for take in club.takes if take.steps]
    assert orders == list(CLUB_ORDERS) and set(CLUB_ORDERS).isdisjoint(ORDERS)
    assert [take.level for take in club.takes if not take.steps] == [0, 0, 1, 2, 3, 3]
    assert not any(take.dark for take in club.takes)
    assert [t.take_id for t in club.takes] == [t.take_id for t in court.takes]
    keys = [{session.uid for session in sessions_of(one)} for one in (club, court)]
    assert keys[0].isdisjoint(keys[1])
