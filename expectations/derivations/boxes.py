"""Boxes that a text names: which ones they are, where they lie, and the frame they are drawn in."""

from __future__ import annotations

import re
from typing import Any

from expectations.gates.base import AnswerBox, CannotTell, Derived, Question, finite
from expectations.gates.statements import Box, Name
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import name_words, tokens

SIDES = ("x_min", "y_min", "x_max", "y_max")
READS: dict[str, tuple[str, ...]] = {
    "boxes": (
        "box_id",
        "recording_id",
        "source_frame",
        "t_s",
        "class_name",
        "operator",
        "hand_owner",
        "method",
        *SIDES,
    ),
    "annotated_frames": ("recording_id", "what", "source_frame"),
}
# Further than this from the time asked about, a box says nothing of it.
NEAR_S = 0.5
NOBODY = "unknown operator"
_OPERATORS = {
    "mslh": ("main", "surgeon", "left", "hand"),
    "msrh": ("main", "surgeon", "right", "hand"),
    "asrh": ("assistant", "surgeon", "right", "hand"),
    "aslh": ("assistant", "surgeon", "left", "hand"),
}


def boxes_asked(
    question: Question, given: EvidenceTables, notes: Derived, asked_s: float
) -> list[dict[str, Any]]:
    """Return the boxes of what a text names, at the time it asks about; usually one.

    They are found from the text alone. Boxes in the evidence that are others, or of another time,
    are noted.

    Args:
        question: The question.
        given: The tables.
        notes: Filled in.
        asked_s: Time asked about, in seconds of the query's recording.

    Raises:
        CannotTell: The text names nothing that is boxed then, or a box has no sides.
    """
    recording = str(question.query["recording_id"])
    boxes = [r for r in given.rows("boxes", recording_id=recording) if finite(r["t_s"])]
    named = boxes_named(question.text, boxes)
    if not named:
        notes.refuse("consistent", "text_names_no_box", "the text names nothing that is boxed")
        raise CannotTell("the text names nothing that is boxed in this recording")
    _check_evidence(question, given, notes, named, asked_s)
    away_s = min(abs(r["t_s"] - asked_s) for r in named)
    if away_s > NEAR_S:
        notes.refuse(
            "consistent",
            "nothing_boxed_then",
            f"what the text names is boxed {away_s:.2f} s from the time it asks about",
            away_s,
            NEAR_S,
        )
        raise CannotTell("what the text asks about is not boxed at the time it asks about")
    nearest = [r for r in named if abs(abs(r["t_s"] - asked_s) - away_s) < 1e-6]
    if any(r[side] is None for r in nearest for side in SIDES):
        raise CannotTell("the box has no place in the upright picture")
    return nearest


def box_in_evidence(question: Question, boxes: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the box asked about: of several that a text may mean, the one the evidence names.

    Args:
        question: The question.
        boxes: Boxes the text may mean; at least one.
    """
    answers = {e["key"] for e in question.evidence if e["role"] == "answer"}
    return next((r for r in boxes if r["box_id"] in answers), boxes[0])


def rest_on_frame(
    box: dict[str, Any], given: EvidenceTables, notes: Derived, what: str
) -> list[dict[str, Any]]:
    """Note the evidence: the box, the others of its frame, and that all of these are annotated.

    Args:
        box: The box asked about.
        given: The tables.
        notes: Filled in.
        what: What all is annotated of in the frame, as `tools` (`annotated_frames.what`).

    Returns:
        All boxes of tools in the frame.
    """
    recording, frame = box["recording_id"], box["source_frame"]
    together = [
        r
        for r in given.rows("boxes", recording_id=recording)
        # Hands are not tools, and masks show tools that are boxed too.
        if r["source_frame"] == frame and r["hand_owner"] is None and r["method"] != "mask"
    ]
    others = [r["box_id"] for r in together if r["box_id"] != box["box_id"]]
    notes.rests_on("answer", "boxes", [box["box_id"]])
    notes.rests_on("context", "boxes", others)
    notes.rests_on("coverage", "annotated_frames", [f"{recording}/{what}/{frame}"])
    return together


def boxes_named(text: str, boxes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the boxes of what a text names: its class, and its operator where one is named.

    Args:
        text: Text of a question.
        boxes: Rows of `boxes`.
    """
    words = tokens(text)
    classes = {r["class_name"] for r in boxes if _stands_in(words, tokens(str(r["class_name"])))}
    operators = {
        r["operator"]
        for r in boxes
        if r["operator"] and _stands_in(words, operator_words(r["operator"]))
    }
    return [
        r
        for r in boxes
        # A box without an operator may be anybody's.
        if r["class_name"] in classes and (not operators or r["operator"] in (*operators, None))
    ]


def tool_name(class_name: str) -> Name:
    """Return the name of a tool, joined or apart: `specimenbag` is the specimen-bag.

    Args:
        class_name: Class of a box.
    """
    return Name((class_name,), lambda text: ("".join(tokens(text)),))


def operator_name(operator: str | None) -> Name:
    """Return the name of who holds a tool: `MSLH` is the main surgeon's left hand.

    Args:
        operator: Operator of a box; None where the source does not name any.
    """
    return Name((str(operator or NOBODY),), operator_words)


def operator_words(operator: str) -> tuple[str, ...]:
    """Return the words of an operator's name, abbreviations spelled out.

    Args:
        operator: Operator of a box, or a text that names one.
    """
    name = tokens(re.sub(r"\(.*?\)", " ", operator))
    return _OPERATORS.get("".join(name), name)


def centre(row: dict[str, Any]) -> tuple[float, float]:
    """Return x and y of a box's centre, as shares of the picture.

    Args:
        row: Row of `boxes`.
    """
    return (row["x_min"] + row["x_max"]) / 2, (row["y_min"] + row["y_max"]) / 2


def grid_cell(row: dict[str, Any]) -> tuple[int, int]:
    """Return row and column (0 to 2) of the cell of the 3 x 3 grid that a box's centre lies in.

    Args:
        row: Row of `boxes`.
    """
    x, y = centre(row)
    return min(int(3 * y), 2), min(int(3 * x), 2)


def note_answer_box(row: dict[str, Any], notes: Derived) -> None:
    """Note that a drawing at a box would tell the answer.

    Args:
        row: Row of `boxes`, with finite sides.
        notes: Filled in.
    """
    x_min, y_min, x_max, y_max = (float(row[side]) for side in SIDES)
    box = (x_min, y_min, x_max, y_max)
    notes.answer_boxes.append(AnswerBox(str(row["recording_id"]), row["t_s"], box))


def boxes_near(
    name: str, recording: str, at_s: float, within_s: float, given: EvidenceTables
) -> list[dict[str, Any]]:
    """Return the boxes of a thing near a time.

    Args:
        name: Name of the thing.
        recording: Id of the recording.
        at_s: Seconds in the recording.
        within_s: Largest distance in time.
        given: The tables.
    """
    return [
        r
        for r in given.rows("boxes", recording_id=recording)
        if finite(r["t_s"], *(r[side] for side in SIDES))
        and abs(r["t_s"] - at_s) <= within_s
        and name_words(str(r["class_name"])) == name_words(name)
    ]


def boxes_drawn_for(
    action: dict[str, Any], name: str, given: EvidenceTables
) -> list[dict[str, Any]]:
    """Return the boxes of a thing that were drawn for an action.

    Args:
        action: Row of `segments`.
        name: Name of the thing.
        given: The tables.
    """
    return [
        r
        for r in given.rows("boxes", segment_id=action["segment_id"])
        if finite(*(r[side] for side in SIDES))
        and name_words(str(r["class_name"])) == name_words(name)
    ]


def place_in_words(rows: list[dict[str, Any]], within: float) -> Box:
    """Return what may stand where a text tells the place of a thing in the picture.

    Args:
        rows: Rows of `boxes` that show the thing then.
        within: Largest difference of a side, since texts are rounded.
    """
    return Box(tuple(tuple(float(r[side]) for side in SIDES) for r in rows), within)


def _check_evidence(
    question: Question,
    given: EvidenceTables,
    notes: Derived,
    named: list[dict[str, Any]],
    asked_s: float,
) -> None:
    """Note boxes in the evidence that are of something else than the text names, or of another time."""
    rows = [e for e in question.evidence if e["table"] == "boxes"]
    answers = [e["key"] for e in rows if e["role"] == "answer"]
    keys = answers or [e["key"] for e in rows]
    if not keys:
        notes.refuse("consistent", "no_box_in_evidence", "the evidence names no box")
    known = {r["box_id"] for r in named}
    for key in keys:
        row = given.one("boxes", box_id=key)
        if row is None or row["recording_id"] != question.query["recording_id"]:
            continue  # refused by other rules
        if key not in known:
            notes.refuse(
                "consistent",
                "evidence_of_another_object",
                f"box {key} is a {row['class_name']} of {row['operator']}, which the text does not"
                " ask about",
            )
        elif not finite(row["t_s"]) or abs(row["t_s"] - asked_s) > NEAR_S:
            notes.refuse(
                "consistent",
                "shifted_time",
                f"box {key} is of {row['t_s']} s, the text asks about {asked_s:.2f} s",
                None if row["t_s"] is None else abs(row["t_s"] - asked_s),
                NEAR_S,
            )


def _stands_in(words: tuple[str, ...], name: tuple[str, ...]) -> bool:
    """Whether a name stands in the words, joined or apart, with or without `surgeon`."""
    name = tuple(w for w in name if w != "surgeon")
    words = tuple(w for w in words if w != "surgeon")
    joined = "".join(name)
    return bool(joined) and any(
        "".join(words[i : i + n]) == joined
        for n in range(1, len(name) + 3)
        for i in range(len(words) - n + 1)
    )
