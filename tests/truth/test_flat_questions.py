"""Questions about a simulated flat, held against what really happened in it.

The raw files are read and joined by the stages; what is right comes from the plan of the flat alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from assets.options import Options, silent
from assets.questions.egocot.active_object_grounding import BUILDER as ACTIVE_OBJECT
from assets.questions.egoexobench.action_relation_lemma import BUILDER as ACTION_RELATION
from assets.questions.egoprox.intention_relative import BUILDER as INTENTION
from assets.questions.kit.builder import Builder
from assets.scene_graphs.stage import STAGE as SCENE_GRAPHS
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from resources.config import Settings, load_settings
from resources.worlds.flat import Action, FlatSpec, Take, adt, easg, lemma, plan_flat

Rows = list[dict[str, Any]]
# What the words of a dataset call an action of the flat.
VERBS = {"get": "take"}


def tables_of(folder: Path, layout: str) -> Settings:
    config = folder / "parallax.toml"
    config.write_text(
        f'store = "tables"\n[sources.flat]\nlayout = "{layout}"\nroot = "raw"\n', encoding="utf-8"
    )
    settings = load_settings(config)
    for bring_up in (SOURCES.refresh, SCENE_GRAPHS.refresh):
        bring_up(settings, "flat", Options(), silent)
    return settings


def questions(settings: Settings, builder: Builder) -> Rows:
    """Questions of all units, as dicts."""
    given = {name: settings.store.read(TABLES[name], "flat") for name in builder.reads}
    unit = {"take": "take_id", "recording": "recording_id", "source": "source"}[builder.unit]
    made: Rows = []
    for _, members in given["recordings"].group_by(unit, maintain_order=True):
        ids = members["recording_id"].implode()
        part = {n: t.filter(pl.col("recording_id").is_in(ids)) for n, t in given.items()}
        made += builder.make(part).to_dicts()
    return made


def the_answer(question: dict[str, Any]) -> dict[str, Any]:
    return next(o for o in question["options"] if o["is_answer"])


def sent(medium: dict[str, Any], n: int = 8) -> list[float]:
    """Instants of the rule endpoints(n)."""
    start, end = medium["start_s"], medium["end_s"]
    return [start + i * (end - start) / (n - 1) for i in range(n)]


# -- EgoProx, intention ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def looked_for(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Take, str, dict[str, Any]]]:
    """Questions of two sequences, each with its take and the instance of its goal.

    Only every second sequence comes with its calibration: the other's is estimated.
    """
    folder = tmp_path_factory.mktemp("adt")
    flat = plan_flat(FlatSpec(kind="adt", takes=2, render="none"))
    adt.write_adt(flat, folder / "raw", workers=1)
    settings = tables_of(folder, "adt")
    facts = settings.store.read(TABLES["spatial_facts"], "flat")
    object_of = dict(facts.select("fact_id", "object_id").iter_rows())
    found = []
    for question in questions(settings, INTENTION):
        take = flat.take(question["recording_id"])
        (uid,) = {object_of[e["key"]] for e in question["evidence"]}
        (goal,) = [i for i in take.instances if str(adt.uid(take, i)) == uid]
        found.append((take, goal, question))
    return found


def test_the_goal_lies_where_the_answer_says(
    looked_for: list[tuple[Take, str, dict[str, Any]]],
) -> None:
    assert len({take.take_id for take, _, _ in looked_for}) == 2
    assert len(looked_for) >= 12
    for take, goal, question in looked_for:
        end = question["media"][0]["end_s"]
        bearing = take.bearing_deg("ego", take.thing_at(goal, end).centre, end)
        assert int(the_answer(question)["value"]) == round(bearing / 45) % 8, question["text"]


def test_the_goal_is_seen_before_and_not_at_the_end(
    looked_for: list[tuple[Take, str, dict[str, Any]]],
) -> None:
    for take, goal, question in looked_for:
        medium = question["media"][0]
        end = medium["end_s"]
        early = [t for t in sent(medium) if t <= end - 0.5]
        assert max(take.visible_share("ego", goal, t) for t in early) >= 0.1
        assert take.visible_share("ego", goal, end) < 0.1
        assert take.visible_share("ego", goal, end - 0.25) < 0.1


def test_the_goal_is_the_only_one_of_its_name_and_soon_looked_at_or_held(
    looked_for: list[tuple[Take, str, dict[str, Any]]],
) -> None:
    for take, goal, question in looked_for:
        named = question["text"].removesuffix("?").rpartition(" see the ")[2]
        # Instances are written as "RedCup_1".
        bearers = [i for i in take.instances if i.lower().split("_")[0] == named.replace(" ", "")]
        assert bearers == [goal], named
        after = [question["media"][0]["end_s"] + 1.0 + step / 10 for step in range(6)]
        touched = goal[0].isupper() and any(take.holder_of(goal, t)[0] for t in after)
        assert touched or any(looks_at(take, goal, t) for t in after), (named, after[0])


def looks_at(take: Take, goal: str, t_s: float) -> bool:
    """Whether the line from the wearer's eyes along the gaze passes within 10 cm of a thing."""
    eyes = take.camera_pose("ego", t_s).position
    ahead = np.asarray(take.gaze_target(t_s)[1]) - eyes
    along = eyes + np.linspace(0.0, 8.0, 800)[:, None] * (ahead / np.linalg.norm(ahead))
    box = take.thing_at(goal, t_s)
    return bool(((along >= box.lo - 0.1) & (along <= box.hi + 0.1)).all(axis=1).any())


# -- EgoExoBench, action relation --------------------------------------------------------------------


@pytest.fixture(scope="module")
def related(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Take, dict[str, Any]]]:
    """Questions of all takes of a flat, each with its take."""
    folder = tmp_path_factory.mktemp("lemma")
    spec = FlatSpec(kind="lemma", render="none")
    lemma.write_lemma(spec, folder / "raw", workers=1)
    takes = {lemma.video_id(t, i): t for i, t in enumerate(plan_flat(spec).takes)}
    made = questions(tables_of(folder, "lemma"), ACTION_RELATION)
    return [(takes[q["recording_id"].partition("|")[0]], q) for q in made]


def doing(take: Take, medium: dict[str, Any]) -> list[Action]:
    """Actions of which a clip shows the greater part."""
    start, end = medium["start_s"], medium["end_s"]
    return [
        a
        for a in take.actions
        if min(a.end_s, end) - max(a.start_s, start) > 0.5 * (a.end_s - a.start_s)
    ]


def act(take: Take, action: Action) -> tuple[str, str]:
    return action.verb, take.name_of(action.object)


def test_only_the_answer_shows_the_moment_and_the_action_of_the_query(
    related: list[tuple[Take, dict[str, Any]]],
) -> None:
    assert len(related) >= 100
    assert {q["recording_id"].partition("|")[2] for _, q in related} == {"fpv1", "fpv2", "master"}
    for take, question in related:
        query, *shown = question["media"]
        wearer = next(m["recording_id"] for m in question["media"] if "fpv" in m["recording_id"])
        person = f"P{wearer[-1]}"
        asked = {act(take, a) for a in doing(take, query) if a.actor == person}
        assert len(asked) == 1
        for medium in shown:
            right = medium["role"] == f"option_{question['answer']}"
            seen = {act(take, a) for a in doing(take, medium) if a.actor == person}
            assert (seen == asked) is right
            assert (medium["start_s"] == pytest.approx(query["start_s"])) is right
            if not right:
                assert not asked & {act(take, a) for a in doing(take, medium)}


# -- EgoCoT-Bench, active object grounding -----------------------------------------------------------


@pytest.fixture(scope="module")
def grounded(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Take, dict[str, Any]]]:
    """Questions of all takes of a flat, each with its take."""
    folder = tmp_path_factory.mktemp("easg")
    spec = FlatSpec(kind="easg", render="none")
    easg.write_easg(spec, folder / "raw", workers=1)
    takes = {easg.clip_uid(t): t for t in plan_flat(spec).takes}
    made = questions(tables_of(folder, "easg"), ACTIVE_OBJECT)
    return [(takes[q["recording_id"]], q) for q in made]


def used(take: Take, action: Action) -> set[str]:
    """Names of all things that take part in an action."""
    parts = (action.object, action.tool, action.source, action.target)
    return {take.name_of(part) for part in parts if part}


def test_the_answer_is_what_is_touched_then(grounded: list[tuple[Take, dict[str, Any]]]) -> None:
    assert len(grounded) >= 30
    for take, question in grounded:
        moment = question["media"][0]["end_s"]
        (now,) = [a for a in take.actions if a.start_s <= moment <= a.end_s]
        # Annotators mark the frame of the contact.
        assert moment == pytest.approx(now.contact_s, abs=1 / easg.FPS)
        assert the_answer(question)["text"] == take.name_of(now.object)
        assert VERBS.get(now.verb, now.verb) in question["detailed_answer"]
        hand = "both hands" if now.hand == "both" else f"the {now.hand} hand"
        assert hand in question["rationale"][0]["text"]


def test_the_other_options_are_things_of_the_take_left_alone_for_two_seconds(
    grounded: list[tuple[Take, dict[str, Any]]],
) -> None:
    for take, question in grounded:
        moment = question["media"][0]["end_s"]
        near = [a for a in take.actions if a.start_s <= moment + 2 and a.end_s >= moment - 2]
        busy = {name for action in near for name in used(take, action)}
        known = {name for action in take.actions for name in used(take, action)}
        others = {o["text"] for o in question["options"] if not o["is_answer"]}
        assert len(others) == 3
        assert others <= known
        assert not others & busy
