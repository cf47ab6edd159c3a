"""Performances done twice, in EgoMe's and Charades-Ego's layouts: what is read against what was done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from assets.sources.charades_ego import LAYOUT as CHARADES
from assets.sources.egome import LAYOUT as EGOME
from assets.sources.layout import Layout
from resources.worlds.flat import FlatSpec, charades_ego, egome
from resources.worlds.flat.charades_ego import write_charades_ego
from resources.worlds.flat.egome import write_egome
from resources.worlds.flat.episodes import episodes
from tests.assets.sources.reading_parts import Read, medium, read_parts

SPEC = FlatSpec("lemma", takes=3, seed="twice", render="none")


def read(write: Callable, layout: Layout, folder: Path, videos: dict[str, float]) -> Read:
    write(SPEC, folder)
    files = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    return read_parts(layout, files, [medium(path, length) for path, length in videos.items()])


@pytest.fixture(scope="module")
def imitated(tmp_path_factory: pytest.TempPathFactory) -> Read:
    videos = {
        f"Video/{uid}.mp4": egome.length_s(at, shown)
        for at, episode in enumerate(episodes(SPEC, unfaithful=True))
        for uid, shown in egome.names(episode, at).items()
    }
    return read(write_egome, EGOME, tmp_path_factory.mktemp("egome"), videos)


@pytest.fixture(scope="module")
def acted(tmp_path_factory: pytest.TempPathFactory) -> Read:
    videos = {}
    for at, episode in enumerate(episodes(SPEC, unfaithful=False)):
        uid = charades_ego.video_id(SPEC, at)
        for name, shown in ((uid, episode.exo), (f"{uid}EGO", episode.ego)):
            path = f"CharadesEgo/CharadesEgo_v1_480/{name}.mp4"
            videos[path] = charades_ego.length_s(shown)
    return read(write_charades_ego, CHARADES, tmp_path_factory.mktemp("charades"), videos)


def test_steps_of_egome_are_what_the_performers_did(imitated: Read) -> None:
    said = {
        (uid, action.verb, round(action.start_s, 2), round(action.end_s, 2))
        for at, episode in enumerate(episodes(SPEC, unfaithful=True))
        for uid, shown in egome.names(episode, at).items()
        for action in shown.actions
    }
    fine = imitated.rows("segments").filter(pl.col("kind") == "fine")
    found = {
        (uid, next(v for v in VERBS if text.lower().startswith(v)), start, end)
        for uid, text, start, end in fine.select(
            "recording_id", "narration", "start_s", "end_s"
        ).iter_rows()
    }
    assert found == said and len(fine) == len(said)
    assert imitated.rules() == Counter(egome.REFUSED)


VERBS = ("get", "put", "open", "close", "turn on", "turn off", "cut", "pour", "wash", "wipe")


def test_imitations_are_tied_to_what_they_imitate(imitated: Read) -> None:
    links = imitated.rows("take_links")
    assert links.height == 3 and set(links["link"]) == {"imitates"}
    assert sorted(links["faithful"]) == [False, True, True]
    wrong = links.filter(~pl.col("faithful")).row(0, named=True)
    assert "FALSE" in wrong["take_id"]
    tasks = dict(imitated.rows("recordings").select("recording_id", "scenario").iter_rows())
    assert tasks[wrong["take_id"]] != tasks[wrong["other_take_id"]]
    assert all(
        tasks[a] == tasks[b]
        for a, b, ok in links.select("take_id", "other_take_id", "faithful").iter_rows()
        if ok
    )


def test_gaze_of_egome_lies_where_the_wearer_looked(imitated: Read) -> None:
    samples = imitated.rows("gaze_samples")
    for at, episode in enumerate(episodes(SPEC, unfaithful=True)):
        for uid, shown in egome.names(episode, at).items():
            mine = samples.filter(pl.col("recording_id") == uid)
            assert mine.height == int(egome.length_s(at, shown) * egome.GAZE_HZ)
            lost = mine.filter(pl.col("validity") == "flagged")
            assert lost.height == mine.height // egome.LOST and lost["x"].null_count() == len(lost)
            for t_s, x, y in (
                mine.filter(pl.col("x").is_not_null())[::200].select("t_s", "x", "y").iter_rows()
            ):
                # The truth anew: the thing handled, through the camera at that time.
                camera = shown.take.camera(shown.camera)
                pose = shown.take.camera_pose(shown.camera, t_s)
                point = np.asarray(shown.take.gaze_target(t_s, "P1")[1])
                u, v = camera.project(pose.to_local(point))
                assert abs(x - u / camera.width_px) < 1e-4
                assert abs(y - v / camera.height_px) < 1e-4


def test_charades_actions_are_what_the_performers_did(acted: Read) -> None:
    made = episodes(SPEC, unfaithful=False)
    names = dict(acted.rows("taxonomies").select("class_id", "label").iter_rows())
    segments = acted.rows("segments").filter(pl.col("kind") == "action")
    for at, episode in enumerate(made):
        uid = charades_ego.video_id(SPEC, at)
        for name, shown in ((uid, episode.exo), (f"{uid}EGO", episode.ego)):
            mine = segments.filter(pl.col("recording_id") == name)
            done = {
                (f"{a.verb} the {shown.take.name_of(a.object)}".capitalize(), round(a.start_s, 2))
                for a in shown.actions
            }
            found = {(names[c], s) for c, s in mine.select("class_id", "start_s").iter_rows()}
            assert found - done == (
                {(names[0], round(charades_ego.length_s(shown) - 2, 2))}
                if (at, name) == (0, uid)
                else set()
            )
            assert done <= found
    cut = segments.filter(pl.col("stated_end_s").is_not_null())
    assert cut.height == 1 and cut["stated_end_s"][0] - cut["end_s"][0] == pytest.approx(
        1, abs=0.02
    )
    assert acted.rules() == Counter(charades_ego.REFUSED)


def test_charades_pairs_views_and_splits(acted: Read) -> None:
    recordings = acted.rows("recordings")
    assert recordings.height == 6
    assert dict(recordings["split"].value_counts().iter_rows()) == {"train": 4, "test": 2}
    links = acted.rows("take_links")
    assert {
        a.removesuffix("EGO") == b for a, b in links.select("take_id", "other_take_id").iter_rows()
    } == {True}
    assert links.height == 3 and set(links["link"]) == {"re_enacts"}
    views = dict(recordings.select("recording_id", "view").iter_rows())
    assert {uid.endswith("EGO") == (view == "ego") for uid, view in views.items()} == {True}
    assert recordings["duration_s"].null_count() == 1


def test_what_cannot_be_performed_is_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="kind='adt'"):
        write_egome(FlatSpec("adt", takes=1), tmp_path)


def test_tasks_are_performed_again_where_more_episodes_are_asked_for() -> None:
    made = episodes(FlatSpec("lemma", takes=7, render="none"), unfaithful=True)
    tasks = [episode.exo.take.task for episode in made]
    assert tasks[:3] * 2 + tasks[:1] == tasks and len(set(tasks)) == 3
    assert len({episode.exo.index for episode in made}) == 7
    alike = [episode.ego.take.task == episode.exo.take.task for episode in made]
    assert alike == [episode.faithful for episode in made] == [True] * 6 + [False]
