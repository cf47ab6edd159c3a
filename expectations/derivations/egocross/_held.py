"""Which tool a hand uses in a picture: by operators of boxes, and by boxes of hands."""

from __future__ import annotations

from typing import Any, NamedTuple

from expectations.derivations.boxes import operator_words
from expectations.derivations.egocross._annotated_clips import is_tool, joined
from expectations.gates.words import tokens

Row = dict[str, Any]


class Held(NamedTuple):
    """A tool that a hand uses in a picture.

    Attributes:
        tool: Name, joined, of what its class counts as.
        sure: Whether it is beyond doubt.
        boxes: Boxes that show it.
        told: Rows of the points around the picture, as `table:key`.
    """

    tool: str
    sure: bool
    boxes: tuple[str, ...]
    told: tuple[str, ...] = ()


def operated(rows: list[Row], hand: str) -> list[Held]:
    """Tools of an operator; a tool of nobody may be anybody's."""
    operator_asked = tuple(t for t in tokens(hand) if t != "the")
    tools: list[Held] = []
    for row in filter(is_tool, rows):
        operator = row["operator"]
        if operator is None or operator_words(str(operator)) == operator_asked:
            tool = joined(row["class_name"]) or ""
            tools.append(Held(tool, operator is not None, (str(row["box_id"]),)))
    return tools


def met(rows: list[Row], side: str) -> list[Held]:
    """Tools whose box meets that of a hand of the wearer; certain if neither meets anything else."""
    hands = [row for row in rows if not is_tool(row)]
    tools = [row for row in rows if is_tool(row)]
    mine = [h for h in hands if (h["hand_owner"], h["hand_side"]) == ("wearer", side)]
    met_tools: list[Held] = []
    for hand in mine:
        near = [tool for tool in tools if _overlap(hand, tool) > 0]
        for tool in near:
            others = [h for h in hands if _overlap(h, tool) > 0]
            sure = len(near) == len(others) == len(mine) == 1
            keys = (str(tool["box_id"]), str(hand["box_id"]))
            met_tools.append(Held(joined(tool["class_name"]) or "", sure, keys))
    return met_tools


def _overlap(a: Row, b: Row) -> float:
    """Area that two boxes share, as a share of the picture; 0 where one has no place."""
    if a["x_min"] is None or b["x_min"] is None:
        return 0.0
    across = min(a["x_max"], b["x_max"]) - max(a["x_min"], b["x_min"])
    down = min(a["y_max"], b["y_max"]) - max(a["y_min"], b["y_min"])
    return max(0.0, across) * max(0.0, down)
