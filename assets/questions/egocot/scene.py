"""The scene graph of one recording, as questions walk it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

WEARER = "camera wearer"
# Relations that are something's condition, not something done with it.
CONDITIONS = ("has_state",)


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing the wearer does to one object.

    Attributes:
        does: Edge from the wearer to the action.
        action: Node of the action.
        acts_on: Edge from the action to the object.
        thing: Node of the object.
    """

    does: Mapping[str, Any]
    action: Mapping[str, Any]
    acts_on: Mapping[str, Any]
    thing: Mapping[str, Any]


class Scene:
    """Nodes and edges of one recording.

    Attributes:
        nodes: Nodes by id.
        edges: Edges whose ends are there, in time order.
        deeds: What the wearer does to objects, in time order.
    """

    def __init__(
        self, nodes: pl.DataFrame, edges: pl.DataFrame, roles: Collection[str] = ("direct",)
    ) -> None:
        """Index a recording's rows of `graph_nodes` and `graph_edges`; their order is free.

        `roles` are the parts that the object of a deed may play in its action.
        """
        self.nodes = {row["node_id"]: row for row in nodes.sort("node_id").iter_rows(named=True)}
        self.edges = [
            row
            for row in edges.sort("start_s", "end_s", "edge_id").iter_rows(named=True)
            if row["from_node"] in self.nodes and row["to_node"] in self.nodes
        ]
        self.deeds = list(self._deeds(roles))

    def kind(self, node_id: str) -> str:
        """Kind of a node."""
        return str(self.nodes[node_id]["kind"])

    def _deeds(self, roles: Collection[str]) -> Iterator[Deed]:
        """What the wearer does to objects of these roles, in time order."""
        doing = {
            edge["to_node"]: edge
            for edge in reversed(self.edges)
            if edge["relation"] == "does"
            and self.kind(edge["from_node"]) == "person"
            and str(self.nodes[edge["from_node"]]["name"]).casefold() == WEARER
        }
        for edge in self.edges:
            if (
                edge["relation"] == "acts_on"
                and edge["role"] in roles
                and edge["from_node"] in doing
                and self.kind(edge["to_node"]) == "object"
            ):
                action = self.nodes[edge["from_node"]]
                yield Deed(doing[edge["from_node"]], action, edge, self.nodes[edge["to_node"]])

    def hands(self, deed: Deed) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
        """Edges that say with which hand a deed is done, each with the hand's node."""
        found = []
        for edge in self.edges:
            of_action = edge["from_node"] == deed.action["node_id"] and edge["role"] == "hand"
            of_thing = (
                edge["relation"] == "holds"
                and edge["to_node"] == deed.thing["node_id"]
                and edge["segment_id"] == deed.acts_on["segment_id"]
            )
            end = edge["to_node"] if of_action else edge["from_node"]
            if (of_action or of_thing) and self.kind(end) == "hand":
                found.append((edge, self.nodes[end]))
        return found

    def used(self, start_s: float, end_s: float) -> set[str]:
        """Names of the objects with which anything is done in a span, ends included."""
        return {
            str(self.nodes[end]["name"])
            for edge in self.edges
            if edge["relation"] not in CONDITIONS
            and edge["start_s"] <= end_s
            and edge["end_s"] >= start_s
            for end in (edge["from_node"], edge["to_node"])
            if self.kind(end) == "object"
        }

    def present(self, start_s: float, end_s: float) -> list[Mapping[str, Any]]:
        """Objects that take part or are boxed in a span, ends included."""
        return [
            node
            for node in self.nodes.values()
            if node["kind"] == "object"
            and (
                any(s["start_s"] <= end_s and s["end_s"] >= start_s for s in node["spans"] or ())
                or any(start_s <= b["t_s"] <= end_s for b in node["boxes"] or ())
            )
        ]
