"""Task relation on the sample household, held against its plan."""

from __future__ import annotations

from assets.questions.egoexobench.task_relation import BUILDER
from expectations.schemas import TABLES
from resources.worlds import HouseholdSpec, plan
from tests.assets.questions.egoexobench.test_task_relation import recording


def test_the_household_agrees() -> None:
    """Recordings of one task share most of what is done in them, and in the plan more than others."""
    house = {r.uid: r for r in plan(HouseholdSpec(ego=10, exo=8, render="none")).recordings}
    rows = [
        recording(
            r.take_id,
            r.view,
            r.task,
            r.home,
            recording_id=r.uid,
            split=r.split,
            scene=r.scene,
            duration_s=r.duration_s,
        )
        for r in house.values()
    ]
    found = BUILDER.make({"recordings": TABLES["recordings"].frame(rows)}).to_dicts()
    assert len(found) >= 8
    for row in found:
        uids = {m["role"]: m["recording_id"] for m in row["media"]}
        asked = house[uids.pop("query")]
        steps = {s.name for s in asked.coarse}
        alike = {role: len(steps & {s.name for s in house[u].coarse}) for role, u in uids.items()}
        right = f"option_{row['answer']}"
        assert all(n < alike[right] for role, n in alike.items() if role != right)
        assert house[uids[right]].home != asked.home
        assert {house[u].view for u in uids.values()}.isdisjoint({asked.view})
