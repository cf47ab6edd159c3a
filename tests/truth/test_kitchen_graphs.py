"""Scene graphs of EPIC-KITCHENS, held against what the wearer truly did in the simulated kitchen."""

from __future__ import annotations

from pathlib import Path

from expectations.schemas import TABLES
from resources.worlds.flat import Action, FlatSpec, Take, plan_flat
from resources.worlds.flat.epic_kitchens import LATE, UNREADABLE, video_of, write_epic_kitchens
from tests.truth.egocot_flat import KINDS, LEAVES, true_state
from tests.truth.test_states import graphs_of

SPEC = FlatSpec("easg", takes=3, seed="kitchens", render="none")
WRITTEN = {"get": "take", "put": "put on", "pour": "pour into"}
"""What the dataset calls an action of the flat."""


def truly_done(take: Take) -> list[tuple[str, str, float, float]]:
    """Verb, thing, start and end of all that the wearer does, times as printed."""
    return sorted(
        (
            WRITTEN.get(a.verb, a.verb),
            take.name_of(a.object),
            _printed(a.start_s),
            _printed(a.end_s),
        )
        for a in take.actions
        if a.actor == "P1"
    )


def _printed(t_s: float) -> float:
    return int(t_s * 100 + 1e-6) / 100


def test_actions_states_and_causes_of_kitchens_are_the_true_ones(tmp_path: Path) -> None:
    """Precision and recall are 1: of actions with things and times, of states, and of what caused them."""
    write_epic_kitchens(SPEC, tmp_path / "raw", workers=1)
    store = graphs_of(tmp_path, "epic_kitchens").store
    nodes = store.read(TABLES["graph_nodes"], "flat")
    name = dict(nodes.select("node_id", "name").iter_rows())
    edges = store.read(TABLES["graph_edges"], "flat")
    coverage = store.read(TABLES["graph_coverage"], "flat")
    # Two rows of the first video are broken; what can be read of them is no action of the plan.
    broken = [edges["source_row"].str.contains(f"_{n}") for n in (UNREADABLE, LATE)]
    edges = edges.filter(~(broken[0] | broken[1]))
    by_id = {row["edge_id"]: row for row in edges.iter_rows(named=True)}
    for index, take in enumerate(plan_flat(SPEC, "easg").takes):
        mine = edges.filter(recording_id=video_of(index).video_id)
        acts = mine.filter(relation="acts_on", role="direct").to_dicts()
        in_graph = sorted(
            (name[e["from_node"]], name[e["to_node"]], round(e["start_s"], 2), round(e["end_s"], 2))
            for e in acts
        )
        assert in_graph == truly_done(take)
        (covered,) = coverage.filter(
            recording_id=video_of(index).video_id, kind="actions"
        ).to_dicts()
        spans = [span for _, _, *span in truly_done(take)]
        assert round(covered["start_s"], 2) == min(start_s for start_s, _ in spans)
        if index:  # what cannot be read stands in the first video
            assert covered["n"] == len(spans)
            assert round(covered["end_s"], 2) == max(end_s for _, end_s in spans)
        causes = mine.filter(relation="causes").to_dicts()
        # What is cut or washed has no opposite.
        causes = [cause for cause in causes if name[cause["to_node"]] in KINDS]
        assert len(causes) == sum(_changes(take, a) for a in take.actions if a.actor == "P1")
        for cause in causes:
            act, state = by_id[cause["caused_by"]], name[cause["to_node"]]
            thing = name[act["to_node"]]
            assert act["from_node"] == cause["from_node"]
            assert true_state(take, thing, KINDS[state], act["start_s"]) != state
            assert true_state(take, thing, KINDS[state], act["end_s"] + 0.01) == state


def _changes(take: Take, action: Action) -> bool:
    """Whether an action leaves its thing in another state than before."""
    if action.verb not in LEAVES:
        return False
    kind, state = LEAVES[action.verb]
    return true_state(take, take.name_of(action.object), kind, action.start_s) != state
