"""Right option of object localisation: the cell of the centre of the box the text asks for (C2).

The box is found from the question's words alone (tool, operator, time); the evidence is then held
against it.
"""

from __future__ import annotations

import re
from typing import Any

from expectations.derivations import boxes
from expectations.derivations.boxes import grid_cell, operator_name, tool_name
from expectations.derivations.clips import check_length_among
from expectations.derivations.egocross._hand_places import derive_hand_place
from expectations.derivations.reads import merge_reads
from expectations.derivations.wording import options_said, time_asked
from expectations.gates.base import Derivation, Derived, Margin, Question, Sight, span_of
from expectations.gates.statements import Each, Meaning, Name, Number, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import CELLS, cell_of

_LINE_MARGIN = 0.03
# Lengths of clips in the released testbed.
_CLIP_S = (10.0, 15.0, 20.0, 30.0)
# Explanations tell times with two decimals and shares of the picture with three.
_ROUNDED_S = 0.005
_ROUNDED = 0.0005
# As the released testbed asks of EgoSurgery, where hands are boxed beside tools.
_OF_HAND = re.compile(
    r"when the operator's (left|right) hand was interacting with it \(around timestamp (\d+)s\)"
)
_ASKS_OF_HAND = (
    "Approximately in which region of the view was the '{tool}' located when the operator's {hand}"
    " hand was interacting with it (around timestamp {time}s) in the segment from {start}s to {end}s?"
)


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    if question.recipe.startswith("object_localisation_enigma51"):
        derive_hand_place(question, given, notes)
        return
    start, end = span_of(question.query)
    of_hand = _OF_HAND.search(question.text) if question.as_paper else None
    asked_s = (
        time_asked(question, notes, start, end) if of_hand is None else start + float(of_hand[2])
    )
    check_length_among(notes, (start, end), _CLIP_S)
    asked = boxes.boxes_asked(question, given, notes, asked_s)
    instants = tuple((row["t_s"], row["t_s"]) for row in asked)
    notes.sights.append(Sight("query", instants, boxes.NEAR_S, "the boxed frame"))
    least = 0.0 if question.as_paper else _LINE_MARGIN
    for row in asked:
        boxes.note_answer_box(row, notes)
        apart = min(abs(v - line) for v in boxes.centre(row) for line in (1 / 3, 2 / 3))
        notes.margins.append(
            Margin("grid_line", apart, least, "of the picture", "box centre to a line")
        )
    box = boxes.box_in_evidence(question, asked)
    frame = boxes.rest_on_frame(box, given, notes, "tools")
    _note_wording(box, frame, asked_s - start, notes)
    if of_hand is not None:
        _note_hand(box, of_hand[1], (asked_s - start, end - start), given, notes)
    cells = {grid_cell(row) for row in asked}
    measured = ", ".join(sorted(CELLS[3 * row + column] for row, column in cells))
    for letter, cell in options_said(question, notes, cell_of, "cell"):
        notes.option(letter, cell in cells, f"the box's centre lies in {measured}")


def _note_hand(
    box: dict[str, Any],
    side: str,
    times: tuple[float, float],
    given: EvidenceTables,
    notes: Derived,
) -> None:
    """The text names the hand at the tool: the wearer's that meets it, and nobody else's.

    Args:
        box: The box asked about.
        side: Hand that the text names.
        times: The instant and the end of the clip, in seconds of the clip.
        given: The tables.
        notes: Filled in; what the text must ask is replaced.
    """
    hands = [
        row
        for row in given.rows("boxes", recording_id=box["recording_id"])
        if row["source_frame"] == box["source_frame"] and row["hand_owner"] is not None
        if row["method"] != "mask" and _share_area(row, box)
    ]
    if [(row["hand_owner"], row["hand_side"]) for row in hands] != [("wearer", side)]:
        met = ", ".join(f"{row['hand_owner']} {row['hand_side']}" for row in hands) or "none"
        notes.refuse("consistent", "another_hand", f"hands at the box: {met}; the text says {side}")
    notes.rests_on("hand", "boxes", [str(row["box_id"]) for row in hands])
    slots = {
        "tool": tool_name(str(box["class_name"])),
        "hand": Name((side,)),
        "time": Number(times[0], _ROUNDED_S),
        "start": Number(0.0, _ROUNDED_S),
        "end": Number(times[1], _ROUNDED_S),
    }
    notes.asks[:] = [Statement("question", (_ASKS_OF_HAND,), slots, (f"boxes:{box['box_id']}",))]


def _share_area(one: dict[str, Any], other: dict[str, Any]) -> bool:
    if any(row[side] is None for row in (one, other) for side in boxes.SIDES):
        return False
    return all(
        max(one[f"{axis}_min"], other[f"{axis}_min"])
        < min(one[f"{axis}_max"], other[f"{axis}_max"])
        for axis in "xy"
    )


def _note_wording(
    box: dict[str, Any], frame: list[dict[str, Any]], at_s: float, notes: Derived
) -> None:
    """The text asks for the box; an explanation lists what is in view and derives the cell."""
    x_min, y_min, x_max, y_max = (float(box[side]) for side in boxes.SIDES)
    x, y = boxes.centre(box)
    row, column = grid_cell(box)
    key = f"boxes:{box['box_id']}"
    frame_key = f"annotated_frames:{box['recording_id']}/tools/{box['source_frame']}"
    classes = sorted({str(r["class_name"]) for r in frame})
    keys = {c: [f"boxes:{r['box_id']}" for r in frame if r["class_name"] == c] for c in classes}
    named = {
        "tool": tool_name(str(box["class_name"])),
        "operator": operator_name(box["operator"]),
    }
    time = Number(at_s, _ROUNDED_S)
    notes.asks.append(
        Statement(
            "question",
            (
                "Approximately in which region of the view was the '{tool}'[ (operated by"
                " {operator})] located around timestamp {time}s?",
            ),
            {**named, "time": time},
            (key,),
        )
    )
    notes.statements += [
        Statement(
            "instruments in view",
            ("At {time}s of the clip these instruments are in view: {instruments}.",),
            {
                "time": time,
                "instruments": Each("{name}", tuple({"name": tool_name(c)} for c in classes)),
            },
            (frame_key, *(f"boxes:{r['box_id']}" for r in frame)),
            cited=(frozenset({frame_key}), *(frozenset(keys[c]) for c in classes)),
        ),
        Statement(
            "box",
            (
                "The box of the '{tool}'[ operated by {operator}] starts at x={x}, y={y} and is"
                " {width} wide and {height} high, as shares of the picture.",
            ),
            {
                **named,
                "x": Number(x_min, _ROUNDED),
                "y": Number(y_min, _ROUNDED),
                "width": Number(x_max - x_min, _ROUNDED),
                "height": Number(y_max - y_min, _ROUNDED),
            },
            (key,),
        ),
        Statement(
            "cell",
            ("Its centre ({x}, {y}) lies in the '{cell}' region of the 3x3 grid.",),
            {
                "x": Number(x, _ROUNDED),
                "y": Number(y, _ROUNDED),
                "cell": Meaning((row, column), cell_of, CELLS[3 * row + column]),
            },
            (key,),
        ),
    ]


DERIVATION = Derivation(
    benchmark="egocross",
    subtasks=("object_localisation",),
    reads=merge_reads(
        boxes.READS,
        {
            "boxes": ("hand_side",),
            "segments": (
                *("segment_id", "recording_id", "kind", "is_point", "class_name", "start_s"),
            ),
            "relations": (
                *("relation_id", "recording_id", "segment_id", "object", "role", "hand_side"),
            ),
        },
    ),
    derive=_derive,
    recipes=("object_localisation", "object_localisation_enigma51"),
    explained_in=("detailed_answer", "rationale"),
)
