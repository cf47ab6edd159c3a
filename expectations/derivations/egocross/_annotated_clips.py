"""Clips whose pictures are annotated: which tools each shows, and whether all that is sent was looked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from expectations.derivations.boxes import SIDES, tool_name
from expectations.derivations.clips import check_length_among
from expectations.derivations.wording import options_said
from expectations.gates.base import CannotTell, Derived, Question, finite, span_of
from expectations.gates.statements import Each, Number, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import tokens

READS: Final[dict[str, tuple[str, ...]]] = {
    "recordings": ("recording_id", "source"),
    "boxes": (
        *("recording_id", "box_id", "source_frame", "class_name", "operator"),
        *("hand_owner", "hand_side", "method", *SIDES),
    ),
    "annotated_frames": ("recording_id", "what", "source_frame", "t_s"),
}
REFINED_READS: Final[dict[str, tuple[str, ...]]] = READS | {
    "taxonomies": ("source", "taxonomy", "label", "refined"),
}
SENT_EVERY_S: Final = 2.0
_COVERAGE: Final = 0.9
_SAME_S: Final = 1e-3
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Annotation:
    """How pictures of a source were annotated, and what questions call the things in them.

    Attributes:
        kind: What is boxed completely (`annotated_frames.what`).
        taxonomy: Vocabulary of its classes.
        noun: What questions call it, in the plural.
        step_s: Time from one picture to the next that somebody looks at, where further ones are annotated
            between; None where it is that of the nearest two.
    """

    kind: str = "tools"
    taxonomy: str = "tool"
    noun: str = "tools"
    step_s: float | None = None


_SURGERY: Final = Annotation()
_BENCH: Final = Annotation("objects", "object", "things", 1.0)


def is_of_bench(question: Question) -> bool:
    """Whether a question is about a workbench (ENIGMA-51), where interactions are points."""
    return "_enigma51" in question.recipe


def annotation_of(question: Question) -> Annotation:
    """How the pictures of a question were annotated."""
    return _BENCH if is_of_bench(question) else _SURGERY


def pictures_of(
    question: Question,
    given: EvidenceTables,
    notes: Derived,
    lengths_s: tuple[float, ...],
    *,
    hands: bool = False,
    role: str = "coverage",
    apart: bool = False,
) -> dict[int, float]:
    """Time of every annotated picture of the clip, by number; notes where too few are annotated.

    Args:
        question: The question.
        given: The tables.
        notes: Filled in.
        lengths_s: Lengths that the clip may have.
        hands: Whether hands must be boxed in a picture that counts, too.
        role: Role of the pictures in the evidence.
        apart: Whether only pictures count that lie whole steps after the start.

    Raises:
        CannotTell: No two pictures of the recording are annotated, or none of the clip.
    """
    uid, (start_s, end_s) = question.recording_id, span_of(question.query)
    looked = annotation_of(question)
    kinds = (looked.kind, "hands") if hands else (looked.kind,)
    check_length_among(notes, (start_s, end_s), lengths_s)
    rows = given.rows("annotated_frames", recording_id=uid)
    timed = [
        {r["source_frame"]: float(r["t_s"]) for r in rows if r["what"] == kind and finite(r["t_s"])}
        for kind in kinds
    ]
    known = {n: t for n, t in timed[0].items() if all(n in other for other in timed)}
    times = sorted(known.values())
    if len(times) < 2:
        raise CannotTell(f"nothing says in which pictures of {uid} all {kinds[0]} are boxed")
    period_s = looked.step_s or min(b - a for a, b in pairwise(times))
    shown = {n: t for n, t in known.items() if start_s - _SAME_S <= t < end_s - _SAME_S}
    periods = {n: (t - start_s + _SAME_S) / period_s for n, t in shown.items()}
    if not shown:
        raise CannotTell(f"no picture of the clip has all {kinds[0]} boxed")
    share = len(set(map(int, periods.values()))) * period_s / (end_s - start_s)
    if share < _COVERAGE - _SAME_S:
        why = f"{len(shown)} pictures of the clip are annotated, {share:.0%} of them"
        notes.refuse("consistent", "not_annotated", why, share, _COVERAGE)
    for at_s in sent_times(start_s, end_s):
        if all(abs(at_s - t) > _SAME_S for t in shown.values()):
            why = f"the picture at {at_s:g} s is sent and not annotated"
            notes.refuse("consistent", "not_annotated", why)
    if apart:
        near = 2 * _SAME_S / period_s
        shown = {n: t for n, t in shown.items() if periods[n] - int(periods[n]) <= near}
    keys = [f"{uid}/{kind}/{n}" for kind in kinds for n in shown]
    notes.rests_on(role, "annotated_frames", keys)
    return dict(sorted(shown.items(), key=lambda item: item[1]))


def sent_times(start_s: float, end_s: float) -> list[float]:
    """Times of the pictures that are sent of a clip at one every two seconds."""
    count = 0
    while start_s + count * SENT_EVERY_S < end_s - _SAME_S:
        count += 1
    return [start_s + i * SENT_EVERY_S for i in range(count)]


def sent_of(pictures: dict[int, float], start_s: float, end_s: float) -> set[int]:
    """Numbers of the pictures that are sent."""
    times = sent_times(start_s, end_s)
    return {n for n, t in pictures.items() if any(abs(t - at_s) <= _SAME_S for at_s in times)}


def boxes_of(uid: str, given: EvidenceTables) -> dict[int, list[Row]]:
    """Boxes of a recording by picture, without masks, which show what is boxed too."""
    found: dict[int, list[Row]] = {}
    for row in given.rows("boxes", recording_id=uid):
        if row["method"] != "mask":
            found.setdefault(row["source_frame"], []).append(row)
    return found


def is_tool(row: Row) -> bool:
    """Whether a box is a tool's: those of hands have an owner."""
    return row["hand_owner"] is None


def joined(name: str | None) -> str | None:
    """A name without blanks, marks and capitals: `specimen-bag` is `specimenbag`; None if nothing is left."""
    return "".join(tokens(name or "")) or None


class Counted:
    """Class that each class counts as, by the reviewed list of the source's dataset."""

    def __init__(self, given: EvidenceTables, taxonomy: str) -> None:
        rows = given.table("taxonomies").iter_rows(named=True)
        self._classes = {
            row["label"]: row["refined"]
            for row in rows
            if row["taxonomy"] == taxonomy and row["refined"] is not None
        }

    def name(self, class_name: str) -> str | None:
        """Name, joined, of what a class counts as."""
        return joined(self._classes.get(class_name, class_name))


def tools_offered(
    question: Question, given: EvidenceTables, notes: Derived, counted: Counted | None = None
) -> Iterator[tuple[str, str]]:
    """Letter and name, joined, of each option; notes those that are boxed nowhere in the source.

    Args:
        question: The question.
        given: The tables.
        notes: Filled in.
        counted: What classes count as; None where all count as themselves.
    """
    rows = given.table("boxes").iter_rows(named=True)
    named = joined if counted is None else counted.name
    known = {named(row["class_name"]) for row in rows if is_tool(row)}
    for letter, name in options_said(question, notes, joined, "tool"):
        if name in known:
            yield letter, name
            continue
        why = f"no {name} is boxed anywhere in the source"
        notes.refuse("consistent", "no_such_tool", f"option {letter}: {why}")
        notes.option(letter, None, why)


def tools_in_view(
    question: Question, given: EvidenceTables, pictures: dict[int, float]
) -> dict[str, list[Row]]:
    """Boxes of each tool, by the name, joined, of what its class counts as, in the pictures of a clip.

    Args:
        question: The question.
        given: The tables.
        pictures: Annotated pictures of the clip, by number (`pictures_of`).
    """
    found: dict[str, list[Row]] = {}
    boxes = boxes_of(question.recording_id, given)
    counted = Counted(given, annotation_of(question).taxonomy)
    for row in (row for n in pictures for row in boxes.get(n, []) if is_tool(row)):
        found.setdefault(counted.name(row["class_name"]) or "", []).append(row)
    return found


def rest_on_view(
    view: dict[str, list[Row]], pictures: dict[int, float], role: str, noun: str, notes: Derived
) -> tuple[str, ...]:
    """Note that evidence and explanation tell which tools are in view, and in how many pictures.

    Args:
        view: Boxes of each tool (`tools_in_view`).
        pictures: Annotated pictures of the clip, by number.
        role: Role of the boxes in the evidence, which names at least one of each tool.
        noun: What the explanation calls them.
        notes: Filled in; `pictures_of` has noted the pictures.

    Returns:
        Rows that say that the pictures are annotated, as `table:key`.
    """
    frames = [f"annotated_frames:{k}" for e in notes.evidence for k in sorted(e.keys)]
    groups = {tool: [str(row["box_id"]) for row in rows] for tool, rows in sorted(view.items())}
    for keys in groups.values():
        notes.rests_on(role, "boxes", keys, "one")
    counts = tuple(
        {
            "tool": tool_name(tool),
            "n": Number(len({row["source_frame"] for row in view[tool]}), 0.0),
        }
        for tool in groups
    )
    rows = (*frames, *(f"boxes:{key}" for keys in groups.values() for key in keys))
    cited = (
        frozenset(frames),
        *(frozenset(f"boxes:{key}" for key in keys) for keys in groups.values()),
    )
    form = f"In the {{n}} annotated pictures of the clip these {noun} are in view: {{tools}}."
    slots = {"n": Number(len(pictures), 0.0), "tools": Each("{tool} in {n}", counts)}
    notes.statements.append(Statement("tools in view", (form,), slots, rows, cited))
    return tuple(frames)
