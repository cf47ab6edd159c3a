"""The picture of a scene graph over time: where marks lie, what is left out, and that data stays text."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from assets.scene_graphs.coverage import coverage
from assets.scene_graphs.graph import make_graph
from assets.scene_graphs.stage import STAGE, load_rules
from assets.scene_graphs.timeline import (
    FUNCTIONS,
    LEFT,
    MOST_LANES,
    PLOT,
    Shown,
    busiest_timeline,
    timeline,
)
from expectations.schemas import TABLES
from tests.assets.report.report_sample import HOSTILE

KEY = {"source": "it", "recording_id": "r"}
SVG = "{http://www.w3.org/2000/svg}"
Rows = list[dict[str, Any]]
# When, what with which hand to which thing, and with which tool.
ACTS = [
    (2.0, 4.0, "take", "left", "knife", None),
    (5.0, 7.0, "cut", "left", "bread", "knife"),
    (12.0, 13.0, "open", "right", "jar", None),
]


def graph_of(
    acts: Sequence[tuple[float, float, str, str, str, str | None]],
) -> tuple[Rows, Rows, Rows]:
    """Nodes, edges and coverage of what the wearer does, as the stage makes them."""
    segments, relations = [], []
    for n, (start, end, verb, side, thing, tool) in enumerate(acts):
        key = KEY | {"segment_id": f"g{n}"}
        segments.append(key | {"kind": "interaction", "start_s": start, "end_s": end})
        rows = [("wearer", "verb", verb, None), (verb, "direct object", thing, "direct")]
        rows += [(verb, "with", f"{side} hand", "hand")]
        rows += [(verb, "with", tool, "tool")] if tool else []
        relations += [
            key
            | {"relation_id": f"g{n}|{i}", "hand_side": side, "role": role}
            | {"subject": subject, "relation": joint, "object": name}
            for i, (subject, joint, name, role) in enumerate(rows)
        ]
    given = {"recordings": [KEY | {"duration_s": 60.0}], "segments": segments}
    given |= {"relations": relations}
    names = ("recordings", "segments", "relations", "labels", "boxes", "object_states", "tracks")
    tables = {name: TABLES[name].frame(given.get(name, [])) for name in names}
    made = make_graph("it", "r", tables, load_rules())
    frames = (
        TABLES[name].frame(rows)
        for name, rows in {"graph_nodes": made.nodes, "graph_edges": made.edges}.items()
    )
    nodes, edges = (frame.to_dicts() for frame in frames)
    return nodes, edges, coverage("it", "r", nodes, TABLES["annotated_frames"].empty())


def drawn(acts: list[Any] = ACTS, **shown: Any) -> ET.Element:
    """The picture of the first ten seconds, as a tree: it is well formed."""
    svg = timeline(*graph_of(acts), Shown(0.0, 10.0, "ten seconds", **shown))
    assert svg is not None
    return ET.fromstring(svg)


def texts(svg: ET.Element) -> list[str]:
    return [one.text or "" for one in svg.iter(f"{SVG}text")]


def rectangles(svg: ET.Element, colour: str) -> list[tuple[float, float]]:
    """Left and right edge of the bars of a colour, without the square of the legend."""
    found = [
        (float(r.attrib["x"]), float(r.attrib["width"]))
        for r in svg.iter(f"{SVG}rect")
        if r.attrib["fill"] == colour and r.attrib["width"] != "10.0"
    ]
    return [(x, x + wide) for x, wide in found]


def at(t_s: float) -> float:
    return LEFT + PLOT * t_s / 10


def test_bars_lie_where_actions_do_in_the_colour_of_what_a_thing_is_used_for() -> None:
    svg = drawn()
    target, tool = (rectangles(svg, FUNCTIONS[name]) for name in ("target", "tool"))
    assert sorted(target) == [(pytest.approx(at(2)), pytest.approx(at(4))),
                              (pytest.approx(at(5)), pytest.approx(at(7)))]  # fmt: skip
    assert tool == [(pytest.approx(at(5)), pytest.approx(at(7)))]
    # A lane for the hand, the knife and the bread, in the order in which something is done.
    lanes = [t.text for t in svg.iter(f"{SVG}text") if t.attrib["text-anchor"] == "end"]
    assert lanes == ["left hand", "knife", "bread"]
    assert "jar" not in lanes
    assert {"take", "cut", "held"} <= set(texts(svg))


def test_states_last_to_the_edge_and_a_line_leads_to_them_from_their_cause() -> None:
    svg = drawn()
    assert sorted(rectangles(svg, "#e3ddc8")) == [
        (pytest.approx(at(4)), pytest.approx(at(10))),
        (pytest.approx(at(7)), pytest.approx(at(10))),
    ]
    arrows = [
        path.attrib["d"] for path in svg.iter(f"{SVG}path") if path.attrib.get("fill") == "#1c2327"
    ]
    assert [float(re.split("[M ]", d)[1]) for d in arrows] == [
        pytest.approx(at(4)),
        pytest.approx(at(7)),
    ]


def test_the_clip_and_the_moment_are_marked_and_seconds_count_from_the_clip() -> None:
    svg = drawn(zero_s=1.0, clip=(1.0, 8.0), moment_s=6.0)
    assert rectangles(svg, "#eef4f5") == [(pytest.approx(at(1)), pytest.approx(at(8)))]
    (moment,) = (p for p in svg.iter(f"{SVG}path") if p.attrib.get("stroke-dasharray"))
    assert moment.attrib["d"].startswith(f"M{at(6):.1f} ")
    ticks = {
        t.text: float(t.attrib["x"]) for t in svg.iter(f"{SVG}text") if str(t.text).endswith(" s")
    }
    assert ticks["0 s"] == pytest.approx(at(1))
    assert ticks["7 s"] == pytest.approx(at(8))
    assert not [p for p in drawn().iter(f"{SVG}path") if p.attrib.get("stroke-dasharray")]


def test_ground_is_grey_where_no_action_was_annotated() -> None:
    assert rectangles(drawn(), "#d9dadb") == [(pytest.approx(at(0)), pytest.approx(at(2)))]
    both = drawn(ACTS[:2])
    assert rectangles(both, "#d9dadb") == [
        (pytest.approx(at(0)), pytest.approx(at(2))),
        (pytest.approx(at(7)), pytest.approx(at(10))),
    ]
    assert "no action annotated" in texts(both)
    longer = [(0.0, 11.0, "hold", "left", "cup", None)]
    assert "no action annotated" not in texts(drawn(longer))


def test_a_line_on_top_tells_where_things_are_boxed_completely() -> None:
    nodes, edges, covered = graph_of(ACTS)
    boxed = [{**covered[0], "kind": "boxes", "start_s": a, "end_s": b} for a, b in ((1.0, 6.0), (20.0, 30.0))]  # fmt: skip
    svg = timeline(nodes, edges, [*covered, *boxed], Shown(0.0, 10.0, "boxed"))
    assert svg is not None
    tree = ET.fromstring(svg)
    assert rectangles(tree, "#c08a2b") == [(pytest.approx(at(1)), pytest.approx(at(6)))]
    assert "boxed completely" in texts(tree)


def test_evidence_has_a_border_of_its_own() -> None:
    nodes, edges, covered = graph_of(ACTS)
    (cut,) = (e for e in edges if e["relation"] == "acts_on" and e["function"] == "tool")
    svg = timeline(nodes, edges, covered, Shown(0.0, 10.0, "cited", cited={cut["edge_id"]}))
    assert svg is not None
    cited = [
        r for r in ET.fromstring(svg).iter(f"{SVG}rect")
        if r.attrib.get("stroke") == "#a8322a"
    ]  # fmt: skip
    assert [r.attrib["fill"] for r in cited] == [FUNCTIONS["tool"]]


def test_text_of_data_stays_text() -> None:
    hostile = f"{HOSTILE}\x00\x0b\ufffe"
    svg = timeline(
        *graph_of([(1.0, 9.0, hostile, "left", hostile, None)]), Shown(0.0, 10.0, hostile)
    )
    assert svg is not None
    tree = ET.fromstring(svg.encode())
    tags = {element.tag.removeprefix(SVG) for element in tree.iter()}
    assert tags == {"svg", "title", "rect", "path", "text"}
    assert not [name for element in tree.iter() for name in element.attrib if name.startswith("on")]
    assert "<script" not in svg
    assert "href" not in svg


def test_a_busy_graph_stays_small() -> None:
    acts = [(n / 10, n / 10 + 0.4, "take", "left", f"thing {n}", None) for n in range(60)]
    svg = timeline(*graph_of(acts), Shown(0.0, 10.0, "busy"))
    assert svg is not None
    assert len(svg) < 60_000
    tree = ET.fromstring(svg)
    lanes = [t for t in tree.iter(f"{SVG}text") if t.attrib["text-anchor"] == "end"]
    assert len(lanes) == MOST_LANES
    assert any(f"{61 - MOST_LANES} more lanes are not shown" in text for text in texts(tree))


def test_nothing_done_is_nothing_drawn() -> None:
    assert timeline(*graph_of(ACTS), Shown(30.0, 40.0, "later")) is None
    assert timeline([], [], [], Shown(0.0, 10.0, "empty")) is None


def test_dagster_shows_the_recording_in_which_most_is_done() -> None:
    assert STAGE.drawings["graph_edges"] is busiest_timeline
    nodes, edges, covered = graph_of(ACTS)
    more = [row | {"recording_id": "q"} for row in edges if row["relation"] != "acts_on"]
    tables = {
        "graph_nodes": TABLES["graph_nodes"].frame(nodes),
        "graph_edges": TABLES["graph_edges"].frame([*edges, *more]),
        "graph_coverage": TABLES["graph_coverage"].frame(covered),
    }
    (markdown,) = busiest_timeline(lambda name: tables[name].lazy()).values()
    svg = base64.b64decode(markdown.partition("base64,")[2].rstrip(")")).decode()
    assert "recording r" in svg
    assert {"knife", "bread", "jar"} <= set(texts(ET.fromstring(svg)))
    empty = {name: table.clear().lazy() for name, table in tables.items()}
    assert busiest_timeline(lambda name: empty[name]) == {}
