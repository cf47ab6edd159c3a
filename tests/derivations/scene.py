"""Tables of a scene graph written by hand: who does what to which thing, with which hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tests.derivations.world import Row, recording


@dataclass(frozen=True)
class Act:
    """An action of the wearer, whose rows are named after its verb.

    Attributes:
        verb: What is done; no two actions of a recording share it.
        thing: Direct object.
        start_s: Start.
        end_s: End.
        hand: Hand it is done with.
        tool: Tool, if there is one.
    """

    verb: str
    thing: str
    start_s: float
    end_s: float
    hand: str = "left hand"
    tool: str | None = None


def scene_tables(
    acts: Sequence[Act], uids: Iterable[str] = ("C1", "C2"), length_s: float = 20.0
) -> dict[str, list[Row]]:
    """Rows of `recordings`, `segments`, `relations`, `boxes` and the graph of recordings that are alike.

    The box of a thing and that of the hand are drawn half a second after an action's start.
    """
    tables: dict[str, list[Row]] = {
        n: [] for n in "recordings segments relations boxes graph_nodes graph_edges".split()
    }
    for uid in uids:
        tables["recordings"].append(recording(uid, "ego", length_s))
        for act in acts:
            _add(tables, uid, act)
    return tables


def _add(tables: dict[str, list[Row]], uid: str, act: Act) -> None:
    key = f"{uid}/{act.verb}"
    row = {"source": "s", "recording_id": uid, "segment_id": key}
    span = {"start_s": act.start_s, "end_s": act.end_s}
    tables["segments"].append({**row, "kind": "interaction", **span})
    objects = [(act.thing, "direct object", "direct", "object")]
    objects += [(act.tool, "with", "tool", "object")] if act.tool else []
    objects += [(act.hand, "with", "hand", "hand")]
    action = f"{uid}/action/{act.verb}"
    tables["relations"].append(
        {
            **row,
            "relation_id": f"{key}/verb",
            "subject": "Camera wearer",
            "relation": "verb",
            "object": act.verb,
            "role": None,
        }
    )
    nodes = [(action, "action", act.verb)]
    edges: list[tuple[str, str, str, str | None, str]] = [
        ("does", f"{uid}/person/camera wearer", action, None, f"{key}/verb")
    ]
    for name, relation, role, kind in objects:
        relation_id, node = f"{key}/{name}", f"{uid}/{kind}/{name}"
        tables["relations"].append(
            {
                **row,
                "relation_id": relation_id,
                "subject": act.verb,
                "relation": relation,
                "object": name,
                "role": role,
            }
        )
        nodes.append((node, kind, name))
        link = relation if kind == "hand" else "acts_on"
        edges.append((link, action, node, role, relation_id))
    for node, kind, name in nodes:
        if node not in {n["node_id"] for n in tables["graph_nodes"]}:
            more = {"node_id": node, "kind": kind, "name": name}
            tables["graph_nodes"].append({"source": "s", "recording_id": uid, **more})
    for relation, tail, head, role, source_row in edges:
        tables["graph_edges"].append(
            {
                **row,
                "edge_id": f"{key}/{relation}/{head.rpartition('/')[2]}",
                "from_node": tail,
                "relation": relation,
                "to_node": head,
                **span,
                "role": role,
                "source_row": source_row,
            }
        )
    for name, x in ((act.thing, 0.4), (act.hand, 0.3)):
        tables["boxes"].append(
            {
                **row,
                "box_id": f"{key}/box" if name == act.thing else f"{key}/box/hand",
                "moment": "contact",
                "t_s": act.start_s + 0.5,
                "class_name": name,
                "x_min": x,
                "y_min": 0.4,
                "x_max": x + 0.2,
                "y_max": 0.6,
            }
        )


def takes_part(
    tables: dict[str, list[Row]],
    like: str,
    segment: str,
    name: str,
    relation: str,
    role: str | None,
) -> Row:
    """Add a row of `relations`: a thing takes part in an action.

    Args:
        tables: The tables.
        like: Id of a relation whose other values it has.
        segment: Segment of the action.
        name: The thing.
        relation: How it takes part.
        role: Its role.
    """
    row = next(r for r in tables["relations"] if r["relation_id"] == like)
    more = {"relation_id": f"{segment}/{relation}/{name}", "segment_id": segment}
    more |= {"object": name, "relation": relation, "role": role}
    tables["relations"].append({**row, **more})
    return tables["relations"][-1]


def does(verb: str) -> str:
    """A verb of these acts as texts say it of the camera wearer."""
    return {"wash": "washes", "switch on": "switches on"}.get(verb, f"{verb}s")


def rationale(*steps: tuple[str, list[str]]) -> list[Row]:
    """Numbered steps of a rationale from their texts and the rows they cite."""
    return [
        {"step": number, "text": text, "evidence": keys}
        for number, (text, keys) in enumerate(steps, 1)
    ]


def evidence(*rows: tuple[str, str, str]) -> list[Row]:
    """Rows of a question's evidence from table, key and role."""
    return [{"table": table, "key": key, "role": role} for table, key, role in rows]


def add_state(
    tables: dict[str, list[Row]], thing: str, state: str, span: tuple[float, float]
) -> None:
    """Add to each recording a thing's state over a span, as edge and node of the graph."""
    for uid in [row["recording_id"] for row in tables["recordings"]]:
        node = f"{uid}/state/{state}"
        row = {"source": "s", "recording_id": uid}
        if node not in {n["node_id"] for n in tables["graph_nodes"]}:
            tables["graph_nodes"].append({**row, "node_id": node, "kind": "state", "name": state})
        tables["graph_edges"].append(
            {
                **row,
                "edge_id": f"{uid}/{thing}/has_state/{state}",
                "from_node": f"{uid}/object/{thing}",
                "relation": "has_state",
                "to_node": node,
                "start_s": span[0],
                "end_s": span[1],
                "source_row": f"{uid}/{thing}/{state}",
            }
        )


def annotate_state(
    tables: dict[str, list[Row]],
    thing: str,
    attribute: str,
    value: str,
    span: tuple[float, float],
) -> None:
    """Add to each recording an annotated state of a thing over a span, with its edge in the graph."""
    for uid in [row["recording_id"] for row in tables["recordings"]]:
        tables.setdefault("object_states", []).append(
            {
                "source": "s",
                "recording_id": uid,
                "state_id": f"{uid}/{thing}/{value}",
                "segment_id": None,
                "moment": None,
                "start_s": span[0],
                "end_s": span[1],
                "object": thing,
                "attribute": attribute,
                "value": value,
            }
        )
    add_state(tables, thing, value, span)


def add_cause(
    tables: dict[str, list[Row]], verb: str, thing: str, value: str, span: tuple[float, float]
) -> None:
    """Say in the graph of each recording that an action on a thing put it into a state over a span."""
    for uid in [row["recording_id"] for row in tables["recordings"]]:
        tables["graph_edges"].append(
            {
                "source": "s",
                "recording_id": uid,
                "segment_id": f"{uid}/{verb}",
                "edge_id": f"{uid}/{verb}/causes/{value}",
                "from_node": f"{uid}/action/{verb}",
                "relation": "causes",
                "to_node": f"{uid}/state/{value}",
                "start_s": span[0],
                "end_s": span[1],
                "caused_by": f"{uid}/{verb}/acts_on/{thing}",
                "source_row": f"{uid}/{thing}/{value}",
            }
        )


def add_place(
    tables: dict[str, list[Row]],
    verb: str,
    thing: str,
    at: tuple[str, str, str],
    span: tuple[float, float],
) -> None:
    """Add to each recording where a thing is by an action on it: relation, node and edge of the graph.

    Args:
        tables: The tables.
        verb: The action.
        thing: Its direct object.
        at: Word that joins the place to the verb, the place, and how the thing is to it.
        span: Since when and until when it is there.
    """
    relation, place, preposition = at
    for uid in [row["recording_id"] for row in tables["recordings"]]:
        segment, node = f"{uid}/{verb}", f"{uid}/object/{place}"
        takes_part(tables, f"{segment}/verb", segment, place, relation, "location")
        tables["relations"][-1]["subject"] = verb
        row = {"source": "s", "recording_id": uid}
        if node not in {n["node_id"] for n in tables["graph_nodes"]}:
            tables["graph_nodes"].append({**row, "node_id": node, "kind": "object", "name": place})
        tables["graph_edges"].append(
            {
                **row,
                "segment_id": segment,
                "edge_id": f"{uid}/{thing}/located/{place}",
                "from_node": f"{uid}/object/{thing}",
                "relation": "located",
                "to_node": node,
                "start_s": span[0],
                "end_s": span[1],
                "preposition": preposition,
                "source_row": f"{segment}/{relation}/{place}",
            }
        )
