"""Right option of active object grounding: the direct object of what is done at the moment (T3)."""

from __future__ import annotations

from typing import Any

from expectations.gates.asked import SAID_S, asks_last, time_asked
from expectations.gates.base import (
    AnswerBox,
    CannotTell,
    Derivation,
    Margin,
    Notes,
    Question,
    Sight,
    finite,
    span_of,
)
from expectations.gates.given import Given
from expectations.gates.words import name_words

_NEAR_S = 0.5
# Another option's object acted on so near the moment makes the answer a matter of taste.
_LEAST_APART_S = 0.2
_KINDS = ("interaction", "action")
# Parts an object plays while it is touched; what something is put on or into is not acted on.
_TOUCHED = ("direct", "tool")


def _derive(question: Question, given: Given, notes: Notes) -> None:
    query = question.query
    recording = str(query["recording_id"])
    start, end = span_of(query)
    moment = _moment(question, notes, start, end)
    deeds = [
        r
        for r in given.rows("segments", recording_id=recording)
        if r["kind"] in _KINDS and finite(r["start_s"], r["end_s"])
    ]
    now = [d for d in deeds if d["start_s"] <= moment <= d["end_s"]]
    if not now:
        notes.refuse("consistent", "nothing_done_then", f"nothing is annotated at {moment:.2f} s")
        raise CannotTell(f"no action is annotated at {moment:.2f} s of {recording}")
    _check_evidence(question, given, notes, moment)
    direct = {w for d in now for w in _objects(d, given, ("direct",))}
    if not direct:
        raise CannotTell("what is done at the moment has no direct object")
    touched = {w for d in now for w in _objects(d, given, _TOUCHED)}
    for option in question.options:
        letter, name = str(option["letter"]), name_words(str(option["text"] or ""))
        _check_value(question, option, given, notes)
        if name in direct:
            notes.option(letter, True, "it is the direct object at the moment")
        elif letter != question.answer and name in touched:
            notes.option(letter, True, "it is in use as a tool at the moment")
        else:
            notes.option(letter, False, "it is not what is acted on at the moment")
        if letter != question.answer:
            _note_margin(letter, name, deeds, moment, given, notes)
    _note_sight(now, question, given, notes, moment, (start, end))


def _moment(question: Question, notes: Notes, start: float, end: float) -> float:
    """Recording time asked about: seconds of the clip, or its last moment."""
    said = time_asked(question, notes, start, end)
    last = asks_last(question.text)
    if last and abs(said - end) > SAID_S:
        notes.refuse(
            "consistent",
            "time_differs",
            f"the text says {said - start:.2f} s is the last moment of a clip of"
            f" {end - start:.2f} s",
            abs(said - end),
            SAID_S,
        )
    # The clip's end is exact, the text is rounded.
    return end if last else said


def _objects(deed: dict[str, Any], given: Given, roles: tuple[str, ...]) -> set[tuple[str, ...]]:
    found = set()
    for row in given.rows("relations", segment_id=deed["segment_id"]):
        role = row["role"] or ("direct" if row["relation"] in ("direct object", "dobj") else None)
        if role in roles and row["object"]:
            found.add(name_words(str(row["object"])))
    return found


def _check_evidence(question: Question, given: Given, notes: Notes, moment: float) -> None:
    shown = question.query["recording_id"]
    for table, start, end in (
        ("graph_edges", "start_s", "end_s"),
        ("segments", "start_s", "end_s"),
    ):
        if not given.has(table):
            continue
        for key in question.keys_of(table):
            for row in given.evidence_rows(table, key) or ():
                if row["recording_id"] != shown:
                    continue  # said by another rule
                if not row[start] - SAID_S <= moment <= row[end] + SAID_S:
                    notes.refuse(
                        "consistent",
                        "shifted_time",
                        f"{table}:{key} holds {row[start]:.2f}..{row[end]:.2f} s, the question asks"
                        f" about {moment:.2f} s",
                    )
    for key in question.keys_of("boxes"):
        for row in given.rows("boxes", box_id=key):
            t = row["t_s"]
            if row["recording_id"] == shown and finite(t) and abs(t - moment) > _NEAR_S:
                notes.refuse(
                    "consistent",
                    "shifted_time",
                    f"boxes:{key} is of {t:.2f} s, the question asks about {moment:.2f} s",
                    abs(t - moment),
                    _NEAR_S,
                )


def _check_value(question: Question, option: dict[str, Any], given: Given, notes: Notes) -> None:
    """The node an option stands for has the option's name and is of the recording shown."""
    if option["value"] is None or not given.has("graph_nodes"):
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


def _note_margin(
    letter: str,
    name: tuple[str, ...],
    deeds: list[dict[str, Any]],
    moment: float,
    given: Given,
    notes: Notes,
) -> None:
    apart = [
        max(d["start_s"] - moment, moment - d["end_s"])
        for d in deeds
        if not d["start_s"] <= moment <= d["end_s"] and name in _objects(d, given, _TOUCHED)
    ]
    if apart:
        notes.margins.append(
            Margin("left_alone", min(apart), _LEAST_APART_S, "s", f"option {letter} is left alone")
        )


def _note_sight(
    now: list[dict[str, Any]],
    question: Question,
    given: Given,
    notes: Notes,
    moment: float,
    clip: tuple[float, float],
) -> None:
    spans = tuple(
        (
            max(d["start_s"], moment - _NEAR_S, clip[0]),
            min(d["end_s"], moment + _NEAR_S, clip[1]),
        )
        for d in now
    )
    notes.sights.append(
        Sight("query", tuple(s for s in spans if s[1] >= s[0]), 0.0, "the action at the moment")
    )
    answer = name_words(str((question.answer_option or {}).get("text") or ""))
    for deed in now:
        for box in given.rows("boxes", segment_id=deed["segment_id"]):
            x_min, y_min, x_max, y_max = (box[c] for c in ("x_min", "y_min", "x_max", "y_max"))
            if finite(x_min, y_min, x_max, y_max) and name_words(str(box["class_name"])) == answer:
                drawn = (x_min, y_min, x_max, y_max)
                notes.answer_boxes.append(AnswerBox(str(box["recording_id"]), box["t_s"], drawn))


DERIVATION = Derivation(
    benchmark="egocot",
    subtasks=("active_object_grounding",),
    reads={
        "segments": ("segment_id", "recording_id", "kind", "start_s", "end_s"),
        "relations": ("relation_id", "recording_id", "segment_id", "relation", "object", "role"),
        "boxes": (
            "box_id",
            "recording_id",
            "segment_id",
            "t_s",
            "class_name",
            "x_min",
            "y_min",
            "x_max",
            "y_max",
        ),
        "graph_nodes": ("node_id", "recording_id", "name"),
        "graph_edges": ("edge_id", "recording_id", "start_s", "end_s"),
    },
    derive=_derive,
)
