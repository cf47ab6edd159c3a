"""Right option of object localisation: the cell of the centre of the box the text asks for (C2).

The box is found from the question's words alone (tool, operator, time); the evidence is then held
against it.
"""

from __future__ import annotations

import re
from typing import Any

from expectations.derivations.wording import options_said, time_asked
from expectations.gates.base import (
    AnswerBox,
    CannotTell,
    Derivation,
    Derived,
    Margin,
    Question,
    Sight,
    finite,
    span_of,
)
from expectations.gates.statements import Each, Meaning, Name, Number, Slot, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import CELLS, cell_of, tokens

_TOLERANCE_S = 0.5
_LINE_MARGIN = 0.03
# Lengths of clips in the released testbed.
_CLIP_S = (10.0, 15.0, 20.0, 30.0)
_CLIP_TOLERANCE_S = 0.05
_OPERATORS = {
    "mslh": ("main", "surgeon", "left", "hand"),
    "msrh": ("main", "surgeon", "right", "hand"),
    "asrh": ("assistant", "surgeon", "right", "hand"),
    "aslh": ("assistant", "surgeon", "left", "hand"),
}
_PARTS = ("x_min", "y_min", "x_max", "y_max")
# Explanations tell times with two decimals and shares of the picture with three.
_ROUNDED_S = 0.005
_ROUNDED = 0.0005
_NOBODY = "unknown operator"


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    query = question.query
    recording = str(query["recording_id"])
    start, end = span_of(query)
    asked = time_asked(question, notes, start, end)
    if min(abs(end - start - length) for length in _CLIP_S) > _CLIP_TOLERANCE_S:
        notes.refuse(
            "consistent",
            "clip_length",
            f"the clip lasts {end - start:.2f} s, not 10, 15, 20 or 30 s",
            end - start,
        )
    boxes = [r for r in given.rows("boxes", recording_id=recording) if finite(r["t_s"])]
    named = _named(question.text, boxes)
    if not named:
        notes.refuse("consistent", "text_names_no_box", "the text names nothing that is boxed")
        raise CannotTell("the text names nothing that is boxed in this recording")
    then = min((abs(r["t_s"] - asked) for r in named), default=None)
    _check_evidence(question, given, notes, named, asked)
    if then is None or then > _TOLERANCE_S:
        notes.refuse(
            "consistent",
            "nothing_boxed_then",
            f"what the text names is boxed {then or 0:.2f} s from the time it asks about",
            then,
            _TOLERANCE_S,
        )
        raise CannotTell("what the text asks about is not boxed at the time it asks about")
    there = [r for r in named if abs(abs(r["t_s"] - asked) - then) < 1e-6]
    if any(r[c] is None for r in there for c in _PARTS):
        raise CannotTell("the box has no place in the upright picture")
    cells = {_cell(r): r for r in there}
    notes.sights.append(
        Sight("query", tuple((r["t_s"], r["t_s"]) for r in there), _TOLERANCE_S, "the boxed frame")
    )
    least = 0.0 if question.as_paper else _LINE_MARGIN
    for row in there:
        box = tuple(float(row[c]) for c in _PARTS)
        notes.answer_boxes.append(AnswerBox(recording, row["t_s"], box))  # type: ignore[arg-type]
        apart = min(abs(v - line) for v in _centre(row) for line in (1 / 3, 2 / 3))
        notes.margins.append(
            Margin("grid_line", apart, least, "of the picture", "box centre to a line")
        )
    asked_box = _asked_box(question, there)
    notes.asks.append(_text(asked_box, asked - start))
    frame = _rest_on(asked_box, given, notes)
    _explain(asked_box, frame, asked - start, notes)
    measured = ", ".join(sorted(CELLS[3 * r + c] for r, c in cells))
    for letter, said in options_said(question, notes, cell_of, "cell"):
        notes.option(letter, said in cells, f"the box's centre lies in {measured}")


def _asked_box(question: Question, there: list[dict[str, Any]]) -> dict[str, Any]:
    """The box asked about; of several that the text may mean, the one the evidence names."""
    answers = {e["key"] for e in question.evidence if e["role"] == "answer"}
    return next((r for r in there if r["box_id"] in answers), there[0])


def _rest_on(box: dict[str, Any], given: EvidenceTables, notes: Derived) -> list[dict[str, Any]]:
    """Note the evidence: the box, the others of its frame, and that all of these are annotated.

    Returns:
        All boxes of the frame.
    """
    recording, frame = box["recording_id"], box["source_frame"]
    together = [
        r for r in given.rows("boxes", recording_id=recording) if r["source_frame"] == frame
    ]
    notes.rests_on("answer", "boxes", [box["box_id"]])
    others = [r["box_id"] for r in together if r["box_id"] != box["box_id"]]
    notes.rests_on("context", "boxes", others)
    notes.rests_on("coverage", "annotated_frames", [f"{recording}/tools/{frame}"])
    return together


def _explain(box: dict[str, Any], frame: list[dict[str, Any]], at_s: float, notes: Derived) -> None:
    """An explanation lists what is in view, tells the box, and derives the cell from its centre."""
    x_min, y_min, x_max, y_max = (float(box[c]) for c in _PARTS)
    x, y = _centre(box)
    row, column = _cell(box)
    key = f"boxes:{box['box_id']}"
    frame_key = f"annotated_frames:{box['recording_id']}/tools/{box['source_frame']}"
    numbers: dict[str, Slot] = {
        "x": Number(x_min, _ROUNDED),
        "y": Number(y_min, _ROUNDED),
        "width": Number(x_max - x_min, _ROUNDED),
        "height": Number(y_max - y_min, _ROUNDED),
    }
    classes = sorted({str(r["class_name"]) for r in frame})
    notes.statements += [
        Statement(
            "instruments in view",
            ("At {time}s of the clip these instruments are in view: {instruments}.",),
            {
                "time": Number(at_s, _ROUNDED_S),
                "instruments": Each("{name}", tuple({"name": _tool(c)} for c in classes)),
            },
            (frame_key, *(f"boxes:{r['box_id']}" for r in frame)),
            cited=(
                frozenset({frame_key}),
                *(
                    frozenset(f"boxes:{r['box_id']}" for r in frame if r["class_name"] == c)
                    for c in classes
                ),
            ),
        ),
        Statement(
            "box",
            (
                "The box of the '{tool}'[ operated by {operator}] starts at x={x}, y={y} and is"
                " {width} wide and {height} high, as shares of the picture.",
            ),
            {
                "tool": _tool(str(box["class_name"])),
                "operator": Name((str(box["operator"] or _NOBODY),), _hand),
                **numbers,
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


def _text(box: dict[str, Any], at_s: float) -> Statement:
    return Statement(
        "question",
        (
            "Approximately in which region of the view was the '{tool}'[ (operated by {operator})]"
            " located around timestamp {time}s?",
        ),
        {
            "tool": _tool(str(box["class_name"])),
            "operator": Name((str(box["operator"] or _NOBODY),), _hand),
            "time": Number(at_s, _ROUNDED_S),
        },
        (f"boxes:{box['box_id']}",),
    )


def _tool(name: str) -> Name:
    """A tool's name, joined or apart: `specimenbag` is the specimen-bag."""
    return Name((name,), lambda text: ("".join(tokens(text)),))


def _named(text: str, boxes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Boxes of what the text names: its class, and its operator where one is named."""
    words = tokens(text)
    classes = {r["class_name"] for r in boxes if _stands_in(words, tokens(str(r["class_name"])))}
    operators = {
        r["operator"] for r in boxes if r["operator"] and _stands_in(words, _hand(r["operator"]))
    }
    return [
        r
        for r in boxes
        # A box without an operator may be anybody's.
        if r["class_name"] in classes and (not operators or r["operator"] in (*operators, None))
    ]


def _hand(operator: str) -> tuple[str, ...]:
    name = tokens(re.sub(r"\(.*?\)", " ", operator))
    return _OPERATORS.get("".join(name), name)


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


def _check_evidence(
    question: Question,
    given: EvidenceTables,
    notes: Derived,
    named: list[dict[str, Any]],
    asked: float,
) -> None:
    rows = [e for e in question.evidence if e["table"] == "boxes"]
    answers = [e["key"] for e in rows if e["role"] == "answer"]
    keys = answers or [e["key"] for e in rows]
    if not keys:
        notes.refuse("consistent", "no_box_in_evidence", "the evidence names no box")
    known = {r["box_id"] for r in named}
    for key in keys:
        row = given.one("boxes", box_id=key)
        if row is None or row["recording_id"] != question.query["recording_id"]:
            continue  # said by other rules
        if key not in known:
            notes.refuse(
                "consistent",
                "evidence_of_another_object",
                f"box {key} is a {row['class_name']} of {row['operator']}, which the text does not"
                " ask about",
            )
        elif not finite(row["t_s"]) or abs(row["t_s"] - asked) > _TOLERANCE_S:
            notes.refuse(
                "consistent",
                "shifted_time",
                f"box {key} is of {row['t_s']} s, the text asks about {asked:.2f} s",
                None if row["t_s"] is None else abs(row["t_s"] - asked),
                _TOLERANCE_S,
            )


def _centre(row: dict[str, Any]) -> tuple[float, float]:
    return (row["x_min"] + row["x_max"]) / 2, (row["y_min"] + row["y_max"]) / 2


def _cell(row: dict[str, Any]) -> tuple[int, int]:
    x, y = _centre(row)
    return min(int(3 * y), 2), min(int(3 * x), 2)


DERIVATION = Derivation(
    benchmark="egocross",
    subtasks=("object_localisation",),
    reads={
        "boxes": (
            "box_id",
            "recording_id",
            "source_frame",
            "t_s",
            "class_name",
            "operator",
            *_PARTS,
        ),
        "annotated_frames": ("recording_id", "what", "source_frame"),
        "segments": ("segment_id", "recording_id"),
        "relations": ("relation_id", "recording_id"),
    },
    derive=_derive,
    recipes=("object_localisation",),
    explained_in=("detailed_answer", "rationale"),
)
