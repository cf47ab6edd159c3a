"""Right cell of a thing at the instant at which a hand meets it (C2): ENIGMA-51's points and boxes."""

from __future__ import annotations

import re
from typing import Any, Final

from expectations.derivations import boxes
from expectations.derivations.boxes import grid_cell
from expectations.derivations.clips import check_length_among
from expectations.derivations.wording import options_said
from expectations.gates.base import CannotTell, Derived, Margin, Question, Sight, finite, span_of
from expectations.gates.statements import Meaning, Name, Number, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import CELLS, cell_of

# Kind of interaction by the words for it: ours, and those of the released testbed.
_OURS: Final = {"begins to touch": "first_contact", "takes": "take"}
_RELEASED: Final = {"contact": "first_contact", "take": "take"}
_WORDS: Final = {kind: word for word, kind in _OURS.items()}
_ASKED = re.compile(
    r"At (?P<at>\d+\.\d+) s of this video, the operator's (?P<hand>left|right) hand"
    rf" (?P<does>{'|'.join(_OURS)}) the (?P<thing>[^.]+)\."
)
_ASKED_AS_PAPER = re.compile(
    r"was the (?P<thing>.+) located when the operator's (?P<hand>left|right) hand was in"
    r" (?P<does>\w+) with it around timestamp (?P<at>\d+\.\d+)s"
)
_ASKS = (
    "At {at} s of this video, the operator's {hand} hand {does} the {object}. In which region of the"
    " view is the middle of the {again} then?"
)
_ASKS_AS_PAPER = (
    "Approximately in which region of the view was the {object} located when the operator's {hand}"
    " hand was in {does} with it around timestamp {at}s (within segment {start}s-{end}s)?"
)
_CLIP_S = (10.0, 15.0, 20.0, 30.0)
_LINE_MARGIN = 0.03
_SAME_S = 0.02
_ROUNDED_S, _ROUNDED = 0.005, 0.0005
Row = dict[str, Any]


def _spoken(name: object) -> str:
    return str(name).replace("_", " ")


def derive_hand_place(question: Question, given: EvidenceTables, notes: Derived) -> None:
    """Note the cell of the thing that the hand meets at the time of the text.

    Args:
        question: The question.
        given: The tables.
        notes: Filled in.

    Raises:
        CannotTell: The text names no such interaction, or the thing is not boxed then.
    """
    notes.check_option_count(question, 4)
    start, end = span_of(question.query)
    check_length_among(notes, (start, end), _CLIP_S)
    said = (_ASKED_AS_PAPER if question.as_paper else _ASKED).search(question.text)
    if said is None:
        raise CannotTell("the text names no thing, hand, interaction and time")
    thing, hand, does, at = (said[name] for name in ("thing", "hand", "does", "at"))
    kind = (_RELEASED if question.as_paper else _OURS).get(does)
    asked_s = start + float(at)
    if not start <= asked_s < end:
        why = f"the text asks about {at} s of a clip of {end - start:g} s"
        notes.refuse("consistent", "time_outside_clip", why)
    point, relations = _point(question.recording_id, (str(kind), hand, thing, asked_s), given)
    named = [
        row
        for row in given.rows("boxes", recording_id=question.recording_id)
        if _spoken(row["class_name"]) == thing
        and row["hand_owner"] is None
        and row["method"] != "mask"
        and finite(row["t_s"], *(row[side] for side in boxes.SIDES))
        and abs(row["t_s"] - point["start_s"]) <= _SAME_S
    ]
    if not named:
        raise CannotTell(f"the {thing} is not boxed at {asked_s:g} s")
    if len(named) > 1:
        why = f"{len(named)} boxes of the {thing} are annotated at {asked_s:g} s"
        notes.refuse("consistent", "boxed_twice", why)
    box = named[0]
    boxes.note_answer_box(box, notes)
    boxes.rest_on_frame(box, given, notes, "objects")
    notes.rests_on("event", "segments", [str(point["segment_id"])])
    notes.rests_on("event", "relations", relations)
    instants = ((box["t_s"], box["t_s"]),)
    notes.sights.append(Sight("query", instants, boxes.NEAR_S, f"the hand and the {thing}"))
    least = 0.0 if question.as_paper else _LINE_MARGIN
    apart = min(abs(v - line) for v in boxes.centre(box) for line in (1 / 3, 2 / 3))
    notes.margins.append(
        Margin("grid_line", apart, least, "of the picture", "box centre to a line")
    )
    cells = {grid_cell(row) for row in named}
    measured = ", ".join(sorted(CELLS[3 * row + column] for row, column in cells))
    for letter, cell in options_said(question, notes, cell_of, "cell"):
        notes.option(letter, cell in cells, f"the box's centre lies in {measured}")
    acted = (f"segments:{point['segment_id']}", *(f"relations:{key}" for key in relations))
    slots = {
        "object": Name((thing,)),
        "hand": Name((hand,)),
        "at": Number(float(point["start_s"]) - start, _ROUNDED_S),
    }
    span = {"start": Number(0.0, _ROUNDED_S), "end": Number(end - start, _ROUNDED_S)}
    again = {"again": slots["object"]}
    asks = (_ASKS_AS_PAPER, span) if question.as_paper else (_ASKS, again)
    notes.asks.append(
        Statement("question", (asks[0],), {**slots, **asks[1], "does": Name((does,))}, acted)
    )
    form = "At {at} s of the clip, the operator's {hand} hand {does} the {object}."
    verb = {"does": Name((_WORDS[str(kind)],))}
    cited = tuple(frozenset({key}) for key in acted)
    notes.statements.append(Statement("interaction", (form,), {**slots, **verb}, acted, cited))
    _note_cell(box, slots["object"], notes)


def _point(
    uid: str, asked: tuple[str, str, str, float], given: EvidenceTables
) -> tuple[Row, list[str]]:
    """The interaction of a kind, hand, thing and time, and the rows that name hand and thing."""
    kind, hand, thing, asked_s = asked
    told: dict[str, list[Row]] = {}
    for relation in given.rows("relations", recording_id=uid):
        told.setdefault(relation["segment_id"], []).append(relation)
    for row in given.rows("segments", recording_id=uid):
        own = told.get(row["segment_id"], [])
        hands = {r["hand_side"] for r in own} - {None}
        things = {_spoken(r["object"]) for r in own if r["role"] == "direct"}
        right = row["kind"] == "interaction" and row["is_point"] and row["class_name"] == kind
        named = hands == {hand} and things == {thing}
        if right and named and finite(row["start_s"]) and abs(row["start_s"] - asked_s) <= _SAME_S:
            return row, [str(r["relation_id"]) for r in own]
    raise CannotTell(f"the {hand} hand does not meet the {thing} so at {asked_s:g} s")


def _note_cell(box: Row, thing: Name, notes: Derived) -> None:
    key = f"boxes:{box['box_id']}"
    x_min, y_min, x_max, y_max = (float(box[side]) for side in boxes.SIDES)
    x, y = boxes.centre(box)
    row, column = grid_cell(box)
    sizes = {"x": x_min, "y": y_min, "width": x_max - x_min, "height": y_max - y_min}
    form = (
        "The box of the {object} starts at x={x}, y={y} and is {width} wide and {height} high, as"
        " shares of the picture."
    )
    slots = {name: Number(value, _ROUNDED) for name, value in sizes.items()}
    notes.statements.append(Statement("box", (form,), {"object": thing, **slots}, (key,)))
    form = "Its centre ({x}, {y}) lies in the '{cell}' region of the 3x3 grid."
    centre = {"x": Number(x, _ROUNDED), "y": Number(y, _ROUNDED)}
    cell = {"cell": Meaning((row, column), cell_of, CELLS[3 * row + column])}
    notes.statements.append(Statement("cell", (form,), {**centre, **cell}, (key,)))
