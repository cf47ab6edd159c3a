"""Right time of an action that the text tells by operator, tool, verb and target (C2): CholecTrack20's pictures."""

from __future__ import annotations

import re
from typing import Any, Final

from expectations.derivations.boxes import operator_words, tool_name
from expectations.derivations.clips import check_length_between
from expectations.derivations.egocross._annotated_clips import joined
from expectations.derivations.wording import options_said
from expectations.gates.base import CannotTell, Derived, Margin, Question, Sight, finite, span_of
from expectations.gates.statements import Name, Number, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import tokens

_OURS = re.compile(
    r"does the (?P<hand>.+?) begin to use the (?P<tool>.+?) to (?P<verb>\w+) the (?P<target>[^?]+)\?"
)
_THEIRS = re.compile(
    r"does the (?P<hand>.+?) first start (?P<verb>\w+) (?P<target>.+) using (?P<tool>[^?]+)\?"
)
_ASKS: Final = (
    "At what time in this video does the {hand} begin to use the {tool} to {verb} the {target}?"
)
_ASKS_AS_PAPER: Final = (
    "In this video segment, approximately at what timestamp does the {hand} first start {act}"
    " using {tool}?"
)
_TIME = re.compile(r"(\d+(?:\.\d+)?) ?s?")
_CLIP_S, _STEP_S, _SENT_S, _SAME_S, _ROUNDED_S = 20.0, 1.0, 2.0, 1e-3, 0.06
Row = dict[str, Any]


def derive_surgical_action(question: Question, given: EvidenceTables, notes: Derived) -> None:
    """Note in which picture of the clip the action begins that the text tells.

    Args:
        question: The question.
        given: The tables.
        notes: Filled in.

    Raises:
        CannotTell: The text tells no action, or none such begins in the clip.
    """
    notes.check_option_count(question, 4)
    uid, clip = question.recording_id, span_of(question.query)
    check_length_between(notes, clip, _CLIP_S, _CLIP_S)
    match = (_THEIRS if question.as_paper else _OURS).search(question.text)
    if match is None:
        raise CannotTell("the text names no hand, tool, verb and target")
    rows = sorted(
        (row for row in given.rows("segments", recording_id=uid) if _is_told(row, match)),
        key=lambda row: (row["start_s"], row["segment_id"]),
    )
    named = [row for row in rows if row["actor_id"] is not None]
    begun = [row for row in named if clip[0] - _SAME_S <= row["start_s"] < clip[1] - _SAME_S]
    if not begun:
        raise CannotTell(f"no such action of {uid} begins in the clip")
    one = begun[0]
    start_s = float(one["start_s"])
    until_s = start_s if question.as_paper else clip[1]
    for row in rows:
        if (
            row is not one
            and row["start_s"] < until_s - _SAME_S
            and row["end_s"] > clip[0] + _SAME_S
        ):
            why = f"{row['segment_id']} may be told in the same words"
            notes.refuse("consistent", "begins_twice", why)
    frames = _looked(
        uid, given, notes, clip[0], start_s if question.as_paper else clip[1] - _STEP_S
    )
    keys = [f"{uid}/tools/{n}" for t, n in frames.items() if t <= start_s + _SAME_S]
    seen = (start_s, min(float(one["end_s"]) - _SAME_S, start_s + _SENT_S - _SAME_S))
    if not question.as_paper:
        # The picture sent before does not show it, and this one does.
        seen = (start_s, start_s)
    notes.sights.append(Sight("query", (seen,), 0.01, "the first picture of the action"))
    at_s = start_s - clip[0]
    least = 0.0 if question.as_paper else _SENT_S
    for letter, option_s in options_said(question, notes, _time, "time"):
        apart = abs(option_s - at_s)
        notes.option(letter, apart <= _ROUNDED_S, f"it begins at {at_s:g} s of the clip")
        if option_s > _CLIP_S + _ROUNDED_S:
            why = f"option {letter} is {option_s:g} s of a clip of {_CLIP_S:g} s"
            notes.refuse("consistent", "time_outside_clip", why)
        if apart > _ROUNDED_S:
            what = f"option {letter} to the start of the action"
            notes.margins.append(Margin("times_apart", apart, least, "s", what))
    notes.rests_on("answer", "segments", [str(one["segment_id"])])
    notes.rests_on("coverage", "annotated_frames", keys)
    _note_wording(question, one, at_s, clip[0], keys, notes)


def _time(text: str | None) -> float | None:
    match = _TIME.fullmatch((text or "").strip())
    return None if match is None else float(match[1])


def _is_told(row: Row, said: re.Match[str]) -> bool:
    """Whether an action may be the one of the text: nobody may be anybody."""
    parts = str(row["class_name"]).split(",")
    if row["kind"] != "interaction" or len(parts) != 3 or not finite(row["start_s"], row["end_s"]):
        return False
    tool, verb, target = parts
    hand = tuple(word for word in tokens(said["hand"]) if word != "the")
    same = joined(tool) == joined(said["tool"]) and verb == said["verb"]
    whose = row["actor_id"] is None or operator_words(str(row["actor_id"])) == hand
    return same and tokens(target.replace("_", " ")) == tokens(said["target"]) and whose


def _looked(
    uid: str, given: EvidenceTables, notes: Derived, first_s: float, last_s: float
) -> dict[float, int]:
    """Annotated pictures from one time to another, by time; notes those that nobody annotated."""
    known = {
        float(row["t_s"]): row["source_frame"]
        for row in given.rows("annotated_frames", recording_id=uid)
        if row["what"] == "tools" and finite(row["t_s"])
    }
    frames: dict[float, int] = {}
    for step in range(round((last_s - first_s) / _STEP_S) + 1):
        at_s = first_s + step * _STEP_S
        near = [t for t in known if abs(t - at_s) <= _SAME_S]
        if near:
            frames[near[0]] = known[near[0]]
        else:
            notes.refuse(
                "consistent", "not_annotated", f"the picture at {at_s:g} s is not annotated"
            )
    return frames


def _note_wording(
    question: Question, one: Row, at_s: float, clip_s: float, keys: list[str], notes: Derived
) -> None:
    tool, verb, target = str(one["class_name"]).split(",")
    segment = f"segments:{one['segment_id']}"
    frames = [f"annotated_frames:{key}" for key in keys]
    slots = {
        "hand": Name((str(one["actor_id"]),), operator_words),
        "tool": tool_name(tool),
        "verb": Name((verb.replace("_", " "),)),
        "target": Name((target.replace("_", " "),)),
    }
    # Nothing stands between verb and target in the testbed's words.
    act = {**slots, "act": Name((f"{verb} {target}".replace("_", " "),))}
    asks = (_ASKS_AS_PAPER, act) if question.as_paper else (_ASKS, slots)
    notes.asks.append(Statement("question", (asks[0],), asks[1], (segment,)))
    notes.statements += [
        Statement(
            "action",
            (
                "At {start} s of the recording the {hand} uses the {tool} to {verb} the {target}, and in no"
                " earlier picture of the clip; all {n} pictures up to then, one a second, are annotated.",
            ),
            {**slots, "n": Number(len(keys), 0.0), "start": Number(one["start_s"], _ROUNDED_S)},
            (segment, *frames),
            cited=(frozenset({segment}), frozenset(frames)),
        ),
        Statement(
            "time",
            ("The clip begins at {clip} s, so that it is {at} s after the start of the clip.",),
            {"clip": Number(clip_s, _ROUNDED_S), "at": Number(at_s, _ROUNDED_S)},
            (segment,),
        ),
    ]
