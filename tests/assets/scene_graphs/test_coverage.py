"""What was annotated of a recording: spans by hand."""

from __future__ import annotations

from typing import Any

import pytest

from assets.scene_graphs.coverage import coverage
from expectations.contracts import check
from expectations.schemas import TABLES


def node(kind: str, table: str, row: str, *spans: tuple[float, float]) -> dict[str, Any]:
    return {
        "kind": kind,
        "source_table": table,
        "source_row": row,
        "spans": [{"start_s": a, "end_s": b} for a, b in spans],
    }


def covered(
    nodes: list[dict[str, Any]], frames: list[tuple[str, int, float | None]] | None = None
) -> list[tuple[Any, ...]]:
    annotated = [
        {"source": "s", "recording_id": "r", "what": what, "source_frame": frame, "t_s": t_s}
        for what, frame, t_s in frames or []
    ]
    rows = coverage("s", "r", nodes, TABLES["annotated_frames"].frame(annotated))
    frame = TABLES["graph_coverage"].frame(rows)
    assert not check(TABLES["graph_coverage"], frame).refused
    columns = ("kind", "start_s", "end_s", "n", "source_table", "first_row", "last_row")
    return frame.select(columns).rows()


def test_actions_are_covered_from_the_first_to_the_last_that_ends() -> None:
    nodes = [
        node("action", "relations", "late", (6.0, 7.0)),
        node("action", "relations", "long", (3.0, 9.0)),
        node("action", "relations", "first", (2.0, 2.5)),
        # Things and states are no actions.
        node("object", "relations", "cup", (0.0, 20.0)),
        node("state", "object_states", "open", (0.0, 30.0)),
    ]
    assert covered(nodes) == [("actions", 2.0, 9.0, 3, "relations", "first", "long")]


def test_without_actions_and_frames_nothing_is_covered() -> None:
    assert covered([]) == []
    assert covered([node("object", "boxes", "cup")], [("tools", 3, None)]) == []


def test_frames_are_runs_that_end_where_a_gap_is_unusually_long() -> None:
    frames = [("tools", n, n / 2) for n in (0, 1, 2, 3, 10, 11, 12)]
    # In one frame several kinds of things may be boxed completely.
    assert covered([], [*frames[::-1], ("hands", 2, 1.0)]) == [
        ("boxes", 0.0, 1.5, 4, "annotated_frames", "r/tools/0", "r/tools/3"),
        ("boxes", 5.0, 6.0, 3, "annotated_frames", "r/tools/10", "r/tools/12"),
    ]


def test_of_two_frames_each_stands_for_itself() -> None:
    assert covered([], [("tools", 3, 1.0), ("tools", 9, 4.0)]) == [
        ("boxes", 1.0, 1.0, 1, "annotated_frames", "r/tools/3", "r/tools/3"),
        ("boxes", 4.0, 4.0, 1, "annotated_frames", "r/tools/9", "r/tools/9"),
    ]


@pytest.mark.parametrize("later_s", [2.5, 3.0])
def test_a_gap_of_two_and_a_half_steps_is_the_longest(later_s: float) -> None:
    frames = [("tools", n, float(n)) for n in range(4)] + [("tools", 9, 3.0 + later_s)]
    assert len(covered([], frames)) == (1 if later_s == 2.5 else 2)
