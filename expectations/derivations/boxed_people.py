"""Boxes drawn around people in pictures without times: which pictures, whose boxes, how large and how apart.

Who is meant is read off the drawn boxes and the rows of `boxes`, not off the evidence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from expectations.derivations.clips import check_one_recording
from expectations.gates.base import CannotTell, Derived, Margin, Question, Sight, finite
from expectations.gates.statements import Each, Exact, Number, Slot, Statement
from expectations.gates.tables import EvidenceTables

READS: dict[str, tuple[str, ...]] = {
    "recordings": ("recording_id", "view", "take_id", "person_id", "time_base"),
    "clocks": ("recording_id", "take_id", "method"),
    "images": ("recording_id", "source_frame"),
    "boxes": (
        "box_id",
        "recording_id",
        "source_frame",
        "t_s",
        "person_id",
        "x_min",
        "y_min",
        "x_max",
        "y_max",
    ),
    "listed_people": (
        "recording_id",
        "source_frame",
        "ego_recording_id",
        "wearer_id",
        "people",
    ),
}
OPTIONS = 4
PICTURES = 8
LEAST_HEIGHT = 0.04
LEAST_CLEAR = 0.5
_SIDES = ("x_min", "y_min", "x_max", "y_max")
# Boxes are stored as 32-bit numbers.
_SAME_BOX = 1e-5
_SAME_PLACE = 1e-6

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Shown:
    """What a medium shows.

    Attributes:
        recording: Recording.
        numbers: Numbers of the pictures sent, in shown order.
        person: Person whose box is drawn on each; None where nobody's is.
        boxes: Row of the person's box in each picture.
    """

    recording: str
    numbers: tuple[int, ...]
    person: str | None
    boxes: tuple[Row, ...] = ()


@dataclass(frozen=True, slots=True)
class Style:
    """How the boxes of a subtask are drawn.

    Attributes:
        colour: Colour.
        width: Width of the line over the picture's height.
    """

    colour: str
    width: float


def numbers_in_order(recording: str, given: EvidenceTables) -> list[int]:
    """Numbers of a recording's pictures; where none is here, those that annotations name.

    Args:
        recording: Recording.
        given: The tables.
    """
    key = ("numbers_in_order", recording)
    if key not in given.memo:
        found = {r["source_frame"] for r in given.rows("images", recording_id=recording)}
        if not found:
            found = _annotated(recording, given)
        if not found:
            # Its pictures are taken to be as many as those of the camera it is listed with.
            partners = {
                r["recording_id"] for r in given.rows("listed_people", ego_recording_id=recording)
            }
            for partner in partners:
                found |= set(numbers_in_order(str(partner), given))
        given.memo[key] = sorted(n for n in found if n is not None)
    return given.memo[key]


def _annotated(recording: str, given: EvidenceTables) -> set[int]:
    tables = ("boxes", "listed_people")
    rows = (row for name in tables for row in given.rows(name, recording_id=recording))
    return {
        row["source_frame"]
        for row in rows
        if "box_id" not in row or (row["person_id"] is not None and finite(row["x_min"]))
    }


def read_medium(
    medium: Row, given: EvidenceTables, notes: Derived, style: Style | None, count: int
) -> Shown:
    """Read the pictures of a medium and whose box is drawn on them; note what is wrong with either.

    Args:
        medium: The medium.
        given: The tables.
        notes: Filled in.
        style: How boxes are drawn; None where none may be.
        count: Pictures that are to be sent.

    Raises:
        CannotTell: It sends no pictures that are here, or its boxes are nobody's.
    """
    role, recording = str(medium["role"]), str(medium["recording_id"])
    if given.recording(recording)["time_base"] != "index_only":
        raise CannotTell(f"{role} is of {recording}, whose pictures have times")
    known = numbers_in_order(recording, given)
    times = [t for t in medium["times_s"] or () if finite(t)]
    places = [round(t) for t in times]
    kind = "image" if count == 1 else "frames"
    if medium["media_kind"] != kind or medium["sampling"] != "given":
        notes.refuse(
            "consistent",
            "media_kind",
            f"{role} is a {medium['media_kind']} under {medium['sampling']}; pictures without times"
            " are given one by one",
        )
    if len(times) != count:
        notes.refuse(
            "consistent",
            "picture_count",
            f"{role} sends {len(times)} pictures, {count} are asked",
            len(times),
            count,
        )
    if not places or any(
        abs(t - p) > _SAME_PLACE or not 0 <= p < len(known)
        for t, p in zip(times, places, strict=True)
    ):
        notes.refuse(
            "consistent",
            "no_picture",
            f"{role} sends places {times}, {recording} has {len(known)} pictures",
        )
        raise CannotTell(f"{role} sends pictures that are not there")
    if [medium["start_s"], medium["end_s"]] != [times[0], times[-1]]:
        notes.refuse(
            "consistent",
            "clip_length",
            f"{role} lasts {medium['start_s']}..{medium['end_s']}, its pictures {times[0]:g}.."
            f"{times[-1]:g}",
        )
    if medium["segment_id"] is not None:
        notes.refuse(
            "consistent", "medium_segment", f"{role} stands for segment {medium['segment_id']}"
        )
    numbers = tuple(known[p] for p in places)
    notes.sights.append(
        Sight(role, tuple((t, t) for t in times), 0.0, f"pictures {numbers} of {recording}")
    )
    person, boxes = _person_drawn(medium, numbers, given, notes, style)
    return Shown(recording, numbers, person, boxes)


def _person_drawn(
    medium: Row,
    numbers: Sequence[int],
    given: EvidenceTables,
    notes: Derived,
    style: Style | None,
) -> tuple[str | None, tuple[Row, ...]]:
    role, drawn = str(medium["role"]), list(medium["overlays"] or ())
    if style is None:
        if drawn:
            notes.refuse("consistent", "drawn_on", f"{role} draws a box, and nobody is meant by it")
        return None, ()
    places = [float(t) for t in medium["times_s"]]
    if [overlay["t_s"] for overlay in drawn] != places:
        notes.refuse(
            "consistent",
            "picture_without_box",
            f"{role} draws boxes at {[o['t_s'] for o in drawn]}, its pictures are {places}",
        )
        raise CannotTell(f"{role} does not draw one box on each picture")
    found: list[Row] = []
    for overlay, number in zip(drawn, numbers, strict=True):
        if (
            overlay["colour"] != style.colour
            or not finite(overlay["width"])
            or abs(overlay["width"] - style.width) > _SAME_PLACE
            or overlay["label"]
        ):
            notes.refuse(
                "consistent",
                "drawn_otherwise",
                f"{role} draws a box in {overlay['colour']}, {overlay['width']} wide, labelled"
                f" {overlay['label']!r}; {style.colour}, {style.width:.4g} wide, without a label is"
                " asked",
            )
        row = _box_of(overlay, str(medium["recording_id"]), number, given)
        if row is None:
            notes.refuse(
                "consistent",
                "mark_without_evidence",
                f"{role} draws {[overlay[s] for s in _SIDES]} on picture {number}, which is nobody's"
                " box there",
            )
            raise CannotTell(f"{role} draws a box that is nobody's")
        found.append(row)
    people = {str(row["person_id"]) for row in found}
    if len(people) > 1:
        notes.refuse(
            "consistent", "mark_changes_person", f"{role} draws the boxes of {sorted(people)}"
        )
        raise CannotTell(f"{role} draws the boxes of several people")
    return people.pop(), tuple(found)


def _box_of(overlay: Row, recording: str, number: int, given: EvidenceTables) -> Row | None:
    for row in people_boxed(recording, number, given).values():
        if all(
            finite(overlay[s], row[s]) and abs(overlay[s] - row[s]) <= _SAME_BOX for s in _SIDES
        ):
            return row
    return None


def people_boxed(recording: str, number: int, given: EvidenceTables) -> dict[str, Row]:
    """Rows of `boxes` of the people in a picture, by person.

    Args:
        recording: Recording.
        number: Number of the picture.
        given: The tables.
    """
    rows = given.rows("boxes", recording_id=recording, source_frame=number)
    return {
        str(r["person_id"]): r
        for r in rows
        if r["person_id"] is not None and finite(*(r[s] for s in _SIDES))
    }


def check_same_pictures(
    query: Shown, options: Mapping[str, Shown], given: EvidenceTables, notes: Derived
) -> int:
    """Note options that do not show the pictures of the query's numbers, or are of another take.

    Args:
        query: What the query shows.
        options: What each option shows, by letter.
        given: The tables.
        notes: Filled in.

    Returns:
        Number of the picture asked about: the one after the middle.
    """
    steps = {b - a for a, b in zip(query.numbers, query.numbers[1:], strict=False)}
    if len(steps) > 1 or min(steps, default=1) < 1:
        notes.refuse(
            "consistent",
            "gap_in_pictures",
            f"pictures {list(query.numbers)} do not follow each other without a gap",
        )
    moment = query.numbers[len(query.numbers) // 2]
    take, method = _clock(query.recording, given)
    for letter, shown in options.items():
        wanted = query.numbers if len(shown.numbers) > 1 else (moment,)
        if shown.numbers != wanted:
            notes.refuse(
                "consistent",
                "shifted_time",
                f"option {letter} shows pictures {list(shown.numbers)}, the query {list(wanted)}",
            )
        other = _clock(shown.recording, given)
        if other != (take, method) or method != "same_index":
            notes.refuse(
                "consistent",
                "another_take",
                f"option {letter} is of take {other[0]} ({other[1]}), the query of {take} ({method});"
                " equal numbers are not the same instant",
            )
    return moment


def _clock(recording: str, given: EvidenceTables) -> tuple[str, str]:
    row = given.one("clocks", recording_id=recording)
    if row is None:
        raise CannotTell(f"recording {recording} has no clock")
    return str(row["take_id"]), str(row["method"])


def read_options(
    question: Question, given: EvidenceTables, notes: Derived, style: Style
) -> dict[str, Shown]:
    """Read the options, and note their form and what they rest on.

    Args:
        question: The question.
        given: The tables.
        notes: Filled in.
        style: How boxes are drawn.

    Raises:
        CannotTell: One of them shows nobody.
    """
    notes.check_option_count(question, OPTIONS)
    check_one_recording(question, notes)
    texts = {str(option["text"]) for option in question.options}
    if texts != {"the person in the box"}:
        notes.refuse(
            "consistent",
            "option_text",
            f"options read {sorted(texts)}; nothing may be written of the people",
        )
    for option in question.options:
        if option["segment_id"] is not None:
            notes.refuse(
                "consistent",
                "option_segment",
                f"option {option['letter']} stands for segment {option['segment_id']}",
            )
    count = 1 if question.as_paper else PICTURES
    found: dict[str, Shown] = {}
    for letter in question.letters:
        medium = question.shown_of(letter)
        if medium is None:
            raise CannotTell(f"option {letter} has no medium")
        found[letter] = shown = read_medium(medium, given, notes, style, count)
        role = f"option_{letter}"
        notes.rests_on(role, "boxes", [str(row["box_id"]) for row in shown.boxes])
    _check_twice(found, notes)
    return found


def _check_twice(options: Mapping[str, Shown], notes: Derived) -> None:
    letters: dict[str | None, str] = {}
    for letter, shown in options.items():
        if shown.person in letters:
            notes.refuse(
                "consistent",
                "person_twice",
                f"options {letters[shown.person]} and {letter} are both {shown.person}",
            )
        letters[shown.person] = letter


def rest_on_clocks(query: Shown, options: Mapping[str, Shown], notes: Derived) -> None:
    """Note that the evidence names the clocks by which equal numbers are the same instant."""
    notes.rests_on("query", "clocks", [query.recording])
    notes.rests_on("option", "clocks", sorted({shown.recording for shown in options.values()}))


def measure(shown: Sequence[Shown], notes: Derived) -> None:
    """Note the least height of the drawn boxes.

    Args:
        shown: Media on which boxes are drawn.
        notes: Filled in.
    """
    heights = [row["y_max"] - row["y_min"] for one in shown for row in one.boxes]
    notes.margins.append(
        Margin("box_height", min(heights), LEAST_HEIGHT, "of the picture", "least height of a box")
    )


def measure_apart(options: Mapping[str, Shown], notes: Derived, least: float = LEAST_CLEAR) -> None:
    """Note how much of a candidate's box at least lies outside each other candidate's.

    Args:
        options: What each option shows.
        notes: Filled in.
        least: How much must lie outside.
    """
    clear = min(
        (
            1 - shared_area(a, b)
            for letter, one in options.items()
            for other, two in options.items()
            if letter < other
            for a, b in zip(one.boxes, two.boxes, strict=False)
        ),
        default=1.0,
    )
    notes.margins.append(
        Margin("boxes_apart", clear, least, "of a box", "what lies outside another candidate's box")
    )


def shared_area(a: Row, b: Row) -> float:
    """Area that two boxes share, over that of the smaller."""
    wide = min(a["x_max"], b["x_max"]) - max(a["x_min"], b["x_min"])
    high = min(a["y_max"], b["y_max"]) - max(a["y_min"], b["y_min"])
    smaller = min((r["x_max"] - r["x_min"]) * (r["y_max"] - r["y_min"]) for r in (a, b))
    return max(0.0, wide) * max(0.0, high) / smaller


# -- explanations ----------------------------------------------------------------------------------


def pictures(name: str, shown: Shown) -> tuple[str, dict[str, Slot]]:
    """Form and slots of "picture 4" or "pictures 1 to 8".

    Args:
        name: What the slots begin with.
        shown: The pictures.
    """
    first, last = shown.numbers[0], shown.numbers[-1]
    slots: dict[str, Slot] = {f"{name}_first": Number(first, 0.0)}
    if first == last:
        return f"picture {{{name}_first}}", slots
    slots[f"{name}_last"] = Number(last, 0.0)
    return f"pictures {{{name}_first}} to {{{name}_last}}", slots


def others_statement(question: Question, options: Mapping[str, Shown]) -> Statement:
    """What an explanation says of the options that are not the answer.

    Args:
        question: The question.
        options: What each option shows.
    """
    items = tuple(
        {"letter": Exact(letter), "person": Exact(str(shown.person))}
        for letter, shown in options.items()
        if letter != question.answer
    )
    rows = tuple(
        f"boxes:{row['box_id']}"
        for letter, shown in options.items()
        if letter != question.answer
        for row in shown.boxes
    )
    return Statement(
        "other candidates",
        ("The boxes in the other candidates are around other people: {others}.",),
        {"others": Each("{letter} {person}", items)},
        rows,
    )
