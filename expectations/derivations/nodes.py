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
    check_named_node(question, option, option["value"], str(option["text"] or ""), given, notes)


def check_named_node(
    question: Question,
    option: dict[str, Any],
    node_id: str | None,
    name: str,
    given: EvidenceTables,
    notes: Derived,
) -> None:
    """Refuse an option whose node has another name than it says, or is of another recording.

    Args:
        question: The question.
        option: One of its options.
        node_id: Id of the node that its value names.
        name: Name of a thing in the option's text.
        given: The tables.
        notes: Filled in.
    """
    if not given.has("graph_nodes"):
        return
    letter = option["letter"]
    node = given.one("graph_nodes", node_id=node_id)
    if node is None:
        notes.refuse("well_formed", "value_missing", f"option {letter} means {node_id}, no node")
    elif name_words(str(node["name"])) != name_words(name):
        notes.refuse(
            "consistent",
            "value_differs_from_text",
            f"option {letter} reads {name!r}, its node is {node['name']!r}",
        )
    elif node["recording_id"] != question.query["recording_id"]:
        notes.refuse(
            "consistent",
            "evidence_of_another_recording",
            f"option {letter} is a node of {node['recording_id']}",
        )
