"""Options that stand for nodes of a scene graph."""

from __future__ import annotations

from typing import Any

from expectations.gates.base import Derived, Question
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import name_words


def check_node(
    question: Question, option: dict[str, Any], given: EvidenceTables, notes: Derived
) -> None:
    """Refuse an option whose node has another name than the option, or is of another recording.

    Args:
        question: The question.
        option: One of its options; `value` is the id of the node.
        given: The tables.
        notes: Filled in.
    """
    if not given.has("graph_nodes"):
        return
    letter = option["letter"]
    node = given.one("graph_nodes", node_id=option["value"])
    if node is None:
        notes.refuse(
            "well_formed", "value_missing", f"option {letter} means {option['value']}, no node"
        )
    elif name_words(str(node["name"])) != name_words(str(option["text"] or "")):
        notes.refuse(
            "consistent",
            "value_differs_from_text",
            f"option {letter} reads {option['text']!r}, its node is {node['name']!r}",
        )
    elif node["recording_id"] != question.query["recording_id"]:
        notes.refuse(
            "consistent",
            "evidence_of_another_recording",
            f"option {letter} is a node of {node['recording_id']}",
        )
