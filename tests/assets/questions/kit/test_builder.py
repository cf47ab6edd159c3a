"""Discovery of what the benchmark folders declare."""

from __future__ import annotations

from assets.questions.kit.builder import builders


def test_association_is_found() -> None:
    found = builders()["assets.questions.egobridge.association"]
    assert found.benchmark == "egobridge"
    assert set(found.subtasks) == {
        "association_ego2exo_k5",
        "association_ego2exo_k20",
        "association_exo2ego_k5",
        "association_exo2ego_k20",
    }
    assert found.unit == "pool"
    assert set(found.reads) == {"pairs", "segments", "recordings"}
