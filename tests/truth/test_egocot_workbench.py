"""MECCANO's scene graphs and EgoCoT's questions about them, held against what was truly done at the workbench."""

from __future__ import annotations

import pytest

from assets.questions.egocot.active_object_grounding import BUILDER as ACTIVE
from assets.questions.egocot.hand_object_temporal_retrospection import BUILDER as ORDER
from assets.questions.egocot.local_cause_outcome_inference import BUILDER as CAUSE
from assets.questions.kit.builder import Builder
from expectations.schemas import TABLES
from resources.config import Settings
from resources.worlds.workbench import Bench, WorkbenchSpec, plan_workbench, write_meccano
from resources.worlds.workbench.meccano import uid
from tests.truth.egocot_flat import refusals
from tests.truth.solvers.exam import Question
from tests.truth.test_states import graphs_of

SPEC = WorkbenchSpec("toy", benches=2, duration_s=60, render="none")
GRASP_S = 0.5
"""So long a part is taken, and put."""
FRAME_S = 1 / 12


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder = tmp_path_factory.mktemp("benches")
    write_meccano(SPEC, folder / "raw")
    return graphs_of(folder, "meccano")


@pytest.fixture(scope="module")
def benches() -> dict[str, Bench]:
    return {uid(bench): bench for bench in plan_workbench(SPEC).benches}


def asked(settings: Settings, builder: Builder) -> list[Question]:
    tables = {name: settings.store.read(TABLES[name], "flat") for name in builder.reads}
    if builder.unit == "source":
        return builder.make(tables).to_dicts()
    return [
        question
        for recording in tables["recordings"]["recording_id"]
        for question in builder.make(
            {name: rows.filter(recording_id=recording) for name, rows in tables.items()}
        ).to_dicts()
    ]


def shown(name: str) -> str:
    return name.replace("_", " ")


def done(bench: Bench) -> list[tuple[str, float, float]]:
    """Thing, start and end of all that hands do, by the plan: a part is taken at first and put at last."""
    found = []
    for act in bench.acts:
        spans = [(act.start_s, act.start_s + GRASP_S), (act.end_s - GRASP_S, act.end_s)]
        if act.doing == "press":
            spans = [(act.start_s, act.end_s)]
        found += [(shown(act.thing), *span) for span in spans]
    return sorted(found)


def test_the_graph_has_each_action_on_each_thing_and_no_other(
    settings: Settings, benches: dict[str, Bench]
) -> None:
    """Precision and recall are 1; times are those of frames."""
    nodes = settings.store.read(TABLES["graph_nodes"], "flat")
    edges = settings.store.read(TABLES["graph_edges"], "flat").filter(relation="acts_on")
    named = edges.join(nodes.select("node_id", "name"), left_on="to_node", right_on="node_id")
    assert set(named["role"]) == {"direct"}
    for recording, bench in benches.items():
        mine = named.filter(recording_id=recording).select("name", "start_s", "end_s")
        true, in_graph = done(bench), sorted(mine.rows())
        assert [row[0] for row in in_graph] == [row[0] for row in true]
        for one, two in zip(in_graph, true, strict=True):
            assert one[1:] == pytest.approx(two[1:], abs=FRAME_S)


def test_the_active_object_is_what_a_hand_truly_touches(
    settings: Settings, benches: dict[str, Bench]
) -> None:
    questions = asked(settings, ACTIVE)
    assert len(questions) >= 15
    for q in questions:
        bench, at_s = benches[q["recording_id"]], q["media"][0]["end_s"]
        touched = {
            shown(act.thing)
            for hand in ("left", "right")
            if (act := bench.touching(hand, at_s)) is not None
        }
        assert [o["text"] for o in q["options"] if o["text"] in touched] == [q["answer_text"]]


def test_the_order_is_that_in_which_things_are_truly_first_acted_on(
    settings: Settings, benches: dict[str, Bench]
) -> None:
    questions = asked(settings, ORDER)
    assert len(questions) >= 6
    for q in questions:
        clip = q["media"][0]
        first: dict[str, float] = {}
        for thing, start_s, _ in sorted(done(benches[q["recording_id"]]), key=lambda row: row[1]):
            if clip["start_s"] - FRAME_S <= start_s <= clip["end_s"]:
                first.setdefault(thing, start_s)
        order = q["answer_text"].removeprefix("the ").split(", then the ")
        assert order == sorted(order, key=first.__getitem__)


def test_gates_pass_what_is_true(settings: Settings) -> None:
    """Steps whose relations say what is done are actions to the gates, too."""
    for builder in (ACTIVE, ORDER, CAUSE):
        questions = asked(settings, builder)
        assert questions
        found = refusals(settings, questions)
        assert found.is_empty(), found.select("rule", "message").rows()
