"""A scene graph over time as a picture: a lane for each hand and each thing, with what is done and what is so.

The upper part of a lane shows actions, the strips below it the states of a thing and where it is. A line leads from
an action to the state that it causes. Where no action was annotated, before the first and after the last, the ground is
grey: there it means nothing that nothing is shown. A line on top tells in which frames things of a kind are boxed completely.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from assets.scene_graphs.coverage import ACTIONS
from assets.sources.wearer import WEARER
from expectations.checks.drawing import drawing, text_mark
from expectations.checks.markdown import picture

LEFT, PLOT, TOP = 130.0, 570.0, 22.0
"""Where lanes begin, how long they are, and where the first begins (px)."""
MOST_LANES = 12
FUNCTIONS: Mapping[str, str] = {
    "target": "#15697a",
    "tool": "#b4560f",
    "container": "#6a4c93",
    "other role": "#7a8690",
}
"""Colour of an action in a thing's lane by what the thing is used for."""
_HAND, _STATE, _PLACE, _CLIP, _CITED = "#2c7a3f", "#e3ddc8", "#d3dfe8", "#eef4f5", "#a8322a"
_UNCOVERED, _BOXED = "#d9dadb", "#c08a2b"
_BAR_Y, _BAR_H, _STATE_Y, _STATE_H = 3.0, 13.0, 18.0, 12.0
_PER_LETTER = 5.6
_PART_S = 40.0
_STEPS_S = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0)
_MOST_TICKS = 12

GRAPH = ("graph_nodes", "graph_edges", "graph_coverage")
"""Tables of a picture."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown of a recording.

    Attributes:
        start_s: Start of the picture (s in the recording).
        end_s: End of the picture.
        what: What it shows, for readers who cannot see it.
        zero_s: Time from which the axis counts.
        clip: Start and end of a question's clip.
        moment_s: Moment that a question asks about.
        cited: Ids of the edges that a question names as evidence.
    """

    start_s: float
    end_s: float
    what: str
    zero_s: float = 0.0
    clip: tuple[float, float] | None = None
    moment_s: float | None = None
    cited: Collection[str] = field(default_factory=frozenset)

    def x(self, t_s: float) -> float:
        """Place of a time (px), inside the lanes."""
        share = (t_s - self.start_s) / max(self.end_s - self.start_s, 1e-9)
        return LEFT + PLOT * min(1.0, max(0.0, share))

    def holds(self, row: Row) -> bool:
        """Whether a span lies at least partly in the picture."""
        return row["start_s"] <= self.end_s and row["end_s"] >= self.start_s


@dataclass(frozen=True, slots=True)
class _Bar:
    edge: str
    start_s: float
    end_s: float
    text: str
    colour: str


@dataclass(slots=True)
class _Lane:
    name: str = ""
    is_hand: bool = False
    of_others: bool = False
    actions: list[_Bar] = field(default_factory=list)
    states: list[_Bar] = field(default_factory=list)

    @property
    def begin(self) -> tuple[float, str]:
        """When something is first done in it, and its name."""
        return min(bar.start_s for bar in self.actions or self.states), self.name

    @property
    def strips(self) -> list[list[_Bar]]:
        """States and places that hold at once, each in a strip of its own."""
        strips: list[list[_Bar]] = []
        for bar in self.states:
            free = (strip for strip in strips if strip[-1].end_s <= bar.start_s)
            strip = next(free, None)
            if strip is None:
                strips.append(strip := [])
            strip.append(bar)
        return strips

    @property
    def height(self) -> float:
        """Height (px)."""
        return _STATE_Y + _STATE_H * len(self.strips) + 2


def timeline(
    nodes: Iterable[Row], edges: Iterable[Row], coverage: Iterable[Row], shown: Shown
) -> str | None:
    """The picture as SVG text, or None where nothing is done in the span that is shown.

    Args:
        nodes: Rows of `graph_nodes` of one recording.
        edges: Its rows of `graph_edges`.
        coverage: Its rows of `graph_coverage`.
        shown: What is shown.
    """
    covered = list(coverage)
    known = {row["node_id"]: row for row in nodes}
    lane_of = _things(known)
    kept = [e for e in edges if e["from_node"] in known and e["to_node"] in known]
    kept.sort(key=lambda e: (e["start_s"], e["end_s"], e["edge_id"]))
    lanes = _lanes(known, lane_of, kept, shown)
    acting = {key: lane for key, lane in lanes.items() if lane.actions or _is_cited(lane, shown)}
    if not acting:
        return None
    ordered = sorted(acting, key=lambda key: _importance(acting[key], shown))
    chosen = set(ordered[:MOST_LANES])
    inner = [(key, lane) for key, lane in acting.items() if key in chosen]
    inner.sort(key=lambda item: (not item[1].is_hand, item[1].of_others, item[1].begin))
    drawn = dict(inner)
    tops, height = {}, TOP
    for key, lane in inner:
        tops[key] = height
        height += lane.height
    marks = [
        *_ground(height, covered, shown),
        *(mark for key, lane in inner for mark in _bars(lane, tops[key], shown)),
        *_causes(drawn, tops, known, lane_of, kept, shown),
        *_moment(height, shown),
        *_legend(height, drawn, covered, len(acting) - len(drawn), shown),
    ]
    return drawing(shown.what, LEFT + PLOT, height + 44, marks)


def busiest_timeline(scan: Callable[[str], pl.LazyFrame]) -> dict[str, str]:
    """The first part of the recording in which most is done, as Markdown by title.

    Args:
        scan: Gives the rows of a table, lazily.
    """
    acts = scan("graph_edges").filter(relation="acts_on")
    counts = acts.group_by("recording_id").agg(pl.len(), pl.col("start_s").min())
    busiest = counts.sort(["len", "recording_id"], descending=[True, False]).head(1).collect()
    if busiest.is_empty():
        return {}
    uid, _, start_s = busiest.row(0)
    nodes, edges, coverage = (
        scan(table).filter(recording_id=uid).collect().to_dicts() for table in GRAPH
    )
    title = f"the first {_PART_S:g} s in which something is done, recording {uid}"
    svg = timeline(nodes, edges, coverage, Shown(start_s, start_s + _PART_S, title))
    return {} if svg is None else {"scene graph over time": picture(title, svg)}


# -- lanes -----------------------------------------------------------------------------------------


def _things(nodes: Mapping[str, Row]) -> dict[str, str]:
    """Node that stands for each node: a name is the only instance of that name, where there is one."""
    instances: dict[str, list[str]] = defaultdict(list)
    for key, row in nodes.items():
        if row["kind"] == "object" and row["instance"] is not None:
            instances[row["name"]].append(key)
    return {
        key: instances[row["name"]][0]
        if row["kind"] == "object" and row["instance"] is None and len(instances[row["name"]]) == 1
        else key
        for key, row in nodes.items()
    }


def _lanes(
    nodes: Mapping[str, Row], lane_of: Mapping[str, str], edges: Sequence[Row], shown: Shown
) -> dict[str, _Lane]:
    """Lanes of hands, told apart by who acts, and of things."""
    does = [e for e in edges if e["relation"] == "does"]
    actors = {e["to_node"]: nodes[e["from_node"]]["name"] for e in does}
    in_segment = {e["segment_id"]: nodes[e["from_node"]]["name"] for e in does}
    lanes: dict[str, _Lane] = defaultdict(_Lane)
    for edge in edges:
        if not shown.holds(edge):
            continue
        start, end = nodes[edge["from_node"]], nodes[edge["to_node"]]
        if edge["relation"] == "has_state" and start["kind"] == "object":
            lane = lanes[lane_of[edge["from_node"]]]
            lane.name = start["name"]
            lane.states.append(_bar(edge, end["name"], _STATE))
        elif edge["relation"] == "located" and start["kind"] == "object":
            lane = lanes[lane_of[edge["from_node"]]]
            lane.name = start["name"]
            place = f"{edge['preposition']} the {end['name']}"
            lane.states.append(_bar(edge, place, _PLACE))
        elif edge["relation"] == "holds" and start["kind"] == "hand":
            actor = in_segment.get(edge["segment_id"], WEARER)
            lane = lanes[f"{actor}|{edge['from_node']}"]
            lane.name, lane.is_hand = _of(actor, start["name"]), True
            lane.of_others = actor != WEARER
            lane.actions.append(_bar(edge, end["name"], _HAND))
        elif start["kind"] == "action" and end["kind"] == "object":
            done = _of(actors.get(edge["from_node"], WEARER), start["name"])
            lane = lanes[lane_of[edge["to_node"]]]
            lane.name = end["name"]
            colour = FUNCTIONS[edge["function"] or "other role"]
            lane.actions.append(_bar(edge, done, colour))
    return lanes


def _of(actor: str, name: str) -> str:
    return name if actor == WEARER else f"{actor}: {name}"


def _bar(edge: Row, text: str, colour: str) -> _Bar:
    return _Bar(edge["edge_id"], edge["start_s"], edge["end_s"], text, colour)


def _is_cited(lane: _Lane, shown: Shown) -> bool:
    return any(bar.edge in shown.cited for bar in (*lane.actions, *lane.states))


def _importance(lane: _Lane, shown: Shown) -> tuple[bool, bool, int, tuple[float, str]]:
    return not _is_cited(lane, shown), not lane.is_hand, -len(lane.actions), lane.begin


# -- marks -----------------------------------------------------------------------------------------


def _ground(height: float, covered: Sequence[Row], shown: Shown) -> Iterator[str]:
    """The clip as a shaded part, what no action covers, where things are boxed, the axis, and a line at each tick."""
    if shown.clip is not None:
        x0, x1 = map(shown.x, shown.clip)
        yield _rectangle(x0, TOP - 4, x1 - x0, height - TOP + 4, _CLIP)
        yield text_mark((x0 + x1) / 2, 6, "clip", "middle", 10, "#5c666b")
    for start_s, end_s in _uncovered(covered, shown):
        x0, x1 = shown.x(start_s), shown.x(end_s)
        yield _rectangle(x0, TOP - 4, x1 - x0, height - TOP + 4, _UNCOVERED)
    for row in _boxed(covered, shown):
        x0, x1 = shown.x(row["start_s"]), shown.x(row["end_s"])
        yield _rectangle(x0, TOP - 6, max(x1 - x0, 1.5), 2, _BOXED)
    length = shown.end_s - shown.start_s
    step = next((s for s in _STEPS_S if length / s <= _MOST_TICKS), length)
    first = int((shown.start_s - shown.zero_s) // step)
    for number in range(first, first + _MOST_TICKS + 3):
        at_s = number * step
        if shown.start_s <= at_s + shown.zero_s <= shown.end_s:
            x = shown.x(at_s + shown.zero_s)
            yield f'<path d="M{x:.1f} {TOP - 4}V{height}" stroke="#d5d8da" stroke-width="0.7"/>'
            yield text_mark(x, 16, f"{at_s:g} s", "middle", 9, "#5c666b")


def _uncovered(covered: Sequence[Row], shown: Shown) -> list[tuple[float, float]]:
    """Parts of the picture in which no action was annotated."""
    free = [(shown.start_s, shown.end_s)]
    for row in covered:
        if row["kind"] == ACTIONS:
            sides = [((a, min(b, row["start_s"])), (max(a, row["end_s"]), b)) for a, b in free]
            free = [(a, b) for pair in sides for a, b in pair if a < b]
    return free


def _boxed(covered: Sequence[Row], shown: Shown) -> list[Row]:
    return [row for row in covered if row["kind"] != ACTIONS and shown.holds(row)]


def _bars(lane: _Lane, y: float, shown: Shown) -> Iterator[str]:
    below = y + lane.height
    yield f'<path d="M0 {below:.1f}H{LEFT + PLOT}" stroke="#dfdcd2" stroke-width="0.7"/>'
    yield text_mark(LEFT - 8, y + 13, _cut(lane.name, LEFT - 12), "end")
    for number, strip in enumerate(lane.strips):
        for bar in strip:
            yield from _labelled(bar, y + _STATE_Y + number * _STATE_H, _STATE_H - 1, "#333", shown)
    for bar in lane.actions:
        yield from _labelled(bar, y + _BAR_Y, _BAR_H, "#fff", shown)


def _labelled(bar: _Bar, y: float, high: float, ink: str, shown: Shown) -> Iterator[str]:
    x0, x1 = shown.x(bar.start_s), shown.x(bar.end_s)
    wide = max(x1 - x0, 1.5)
    yield _rectangle(x0, y, wide, high, bar.colour, _CITED if bar.edge in shown.cited else "#fff")
    text = _cut(bar.text, wide - 6)
    if text:
        yield text_mark(x0 + 3, y + high - 3, text, size=min(10, int(high) - 2), colour=ink)


def _causes(
    lanes: Mapping[str, _Lane],
    tops: Mapping[str, float],
    nodes: Mapping[str, Row],
    lane_of: Mapping[str, str],
    edges: Sequence[Row],
    shown: Shown,
) -> Iterator[str]:
    """From each action to the state that it causes: a line down to where the state begins."""
    thing = {e["edge_id"]: lane_of[e["to_node"]] for e in edges}
    for edge in edges:
        key = thing.get(edge["caused_by"]) if edge["relation"] == "causes" else None
        if key is None or key not in tops or not shown.start_s <= edge["end_s"] <= shown.end_s:
            continue
        state = (nodes[edge["to_node"]]["name"], edge["end_s"])
        strips = lanes[key].strips
        number = next(
            (n for n, strip in enumerate(strips) if state in [(b.text, b.start_s) for b in strip]),
            0,
        )
        x, y = shown.x(edge["end_s"]), tops[key]
        yield (
            f'<path d="M{x:.1f} {y + _BAR_Y:.1f}V{y + _STATE_Y + number * _STATE_H + 3:.1f}'
            'l-2.5 -4h5l-2.5 4" fill="#1c2327" stroke="#1c2327" stroke-width="1.2"/>'
        )


def _moment(height: float, shown: Shown) -> Iterator[str]:
    if shown.moment_s is not None and shown.start_s <= shown.moment_s <= shown.end_s:
        x = shown.x(shown.moment_s)
        yield (
            f'<path d="M{x:.1f} {TOP - 4}V{height}" stroke="{_CITED}" stroke-width="1.5"'
            ' stroke-dasharray="4 3"/>'
        )


def _legend(
    height: float, lanes: Mapping[str, _Lane], covered: Sequence[Row], more: int, shown: Shown
) -> Iterator[str]:
    used = {bar.colour for lane in lanes.values() for bar in (*lane.actions, *lane.states)}
    parts = [(name, colour) for name, colour in FUNCTIONS.items() if colour in used]
    parts += [("acted on by the hand", _HAND)] if _HAND in used else []
    parts += [("state", _STATE)] if _STATE in used else []
    parts += [("place", _PLACE)] if _PLACE in used else []
    parts += [("no action annotated", _UNCOVERED)] if _uncovered(covered, shown) else []
    parts += [("boxed completely", _BOXED)] if _boxed(covered, shown) else []
    x, y = LEFT, height + 14
    for name, colour in parts:
        yield _rectangle(x, y, 10, 10, colour) + text_mark(x + 14, y + 9, name)
        x += 26 + 6.5 * len(name)
    notes = ["▼ causes"]
    notes += ["red border: evidence"] if shown.cited else []
    notes += ["red line: moment asked about"] if shown.moment_s is not None else []
    notes += [f"{more} more lanes are not shown"] if more else []
    yield text_mark(LEFT, y + 26, " · ".join(notes), size=10)


def _rectangle(
    x: float, y: float, wide: float, high: float, colour: str, border: str | None = None
) -> str:
    line = (
        ""
        if border is None
        else f' stroke="{border}" stroke-width="{1.6 if border == _CITED else 0.6}"'
    )
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}"'
        f' fill="{colour}"{line}/>'
    )


def _cut(text: str, wide: float) -> str:
    """A text that fits into so many pixels; empty where not even three letters do."""
    most = int(wide / _PER_LETTER)
    if len(text) <= most:
        return text
    return f"{text[: most - 1]}…" if most >= 4 else ""
