"""Questions on several takes of a flat that share things, order and steps, held against its plan.

What is right comes from the plan alone; the raw files of one flat of twelve takes are read once.
"""

from __future__ import annotations

from typing import Any

import pytest

from assets.questions.egoexobench.action_order import BUILDER as ACTION_ORDER
from assets.questions.egoexobench.action_prediction_lemma import BUILDER as ACTION_PREDICTION
from assets.questions.egoexobench.object_relation import BUILDER as OBJECT_RELATION
from resources.config import Settings
from resources.worlds.flat import Action, FlatSpec, Take, lemma, plan_flat
from tests.truth.test_flat_questions import act, questions, tables_of, the_answer

Row = dict[str, Any]
FLAT = FlatSpec(kind="lemma", takes=12, render="none")
TAKES = {lemma.video_id(take, i): take for i, take in enumerate(plan_flat(FLAT).takes)}
# LEMMA's takes, and EgoExoBench's questions about order and the next action in them (Figure 6).
OF_LEMMA, OF_ORDER, OF_PREDICTION = 324, 782, 420


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder = tmp_path_factory.mktemp("takes")
    lemma.write_lemma(FLAT, folder / "raw", workers=1)
    return tables_of(folder, "lemma")


def take_of(recording_id: str) -> Take:
    return TAKES[recording_id.partition("|")[0]]


def touched(flat: Take, action: Action) -> set[str]:
    parts = (action.object, action.source, action.target, action.tool)
    written = lemma.hoi(flat, action)
    return {name for p in parts if p and (name := flat.name_of(p)) in written}


def test_only_the_answer_shows_an_object_of_the_query_in_the_flat(settings: Settings) -> None:
    rows = questions(settings, OBJECT_RELATION)
    assert len(rows) >= 50
    for row in rows:
        flat = take_of(row["recording_id"])
        (wearer,) = {m["recording_id"][-1] for m in row["media"]} & {"1", "2"}

        def seen(medium: Row, flat: Take = flat, wearer: str = wearer) -> set[str]:
            start, end = medium["start_s"], medium["end_s"]
            alone = not medium["recording_id"].endswith("master")
            found = [
                touched(flat, a)
                for a in flat.actions
                if (a.actor == f"P{wearer}" or not alone)
                and min(a.end_s, end) - max(a.start_s, start) > 0.05
            ]
            return set().union(*found)

        query, *shown = row["media"]
        for medium in shown:
            right = medium["role"] == f"option_{row['answer']}"
            assert bool(seen(query) & seen(medium)) is right


def test_the_order_is_that_of_the_plan_and_there_are_as_many_as_in_the_paper(
    settings: Settings,
) -> None:
    """At this rate LEMMA's takes give more questions than the paper has."""
    rows = questions(settings, ACTION_ORDER)
    assert len(rows) / FLAT.takes * OF_LEMMA >= OF_ORDER
    for row in rows:
        flat = take_of(row["recording_id"])
        (wearer,) = {m["recording_id"][-1] for m in row["media"]} & {"1", "2"}
        own = [a for a in flat.actions if a.actor == f"P{wearer}"]
        shown = [
            max(own, key=lambda a, m=m: min(a.end_s, m["end_s"]) - max(a.start_s, m["start_s"]))
            for m in row["media"]
        ]
        right = "1 before 2" if shown[0].start_s < shown[1].start_s else "2 before 1"
        assert the_answer(row)["value"] == right
        earlier, later = sorted(shown, key=lambda a: a.start_s)
        assert own.index(later) == own.index(earlier) + 1
        later_parts = {later.object, later.tool, later.source, later.target}
        assert earlier.object in later_parts


def test_what_comes_next_is_in_the_plan_and_in_another_take(settings: Settings) -> None:
    """At this rate LEMMA's takes give more questions than the paper has."""
    rows = questions(settings, ACTION_PREDICTION)
    assert len(rows) / FLAT.takes * OF_LEMMA >= OF_PREDICTION
    for row in rows:
        query, reference = row["media"]
        vid, _, camera = query["recording_id"].partition("|")
        flat, other = TAKES[vid], take_of(reference["recording_id"])
        own = [a for a in flat.actions if a.actor == f"P{camera[-1]}"]
        following = min((a for a in own if a.start_s > query["end_s"]), key=lambda a: a.start_s)
        assert following.start_s - query["end_s"] >= 0.95
        texts = {o["text"]: o["is_answer"] for o in row["options"]}
        thing = flat.name_of(following.object)
        assert [thing in text for text, right in texts.items() if right] == [True]
        assert other is not flat
        assert other.task == flat.task
        assert act(flat, following) in {act(other, a) for a in other.actions}
