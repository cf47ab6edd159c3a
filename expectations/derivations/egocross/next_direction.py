"""Right option of next direction: the first direction that is labelled after the clip ends (C11)."""

from __future__ import annotations

from typing import Any, Final

from expectations.derivations.clips import check_length_between
from expectations.derivations.wording import options_said
from expectations.gates.base import (
    CannotTell,
    Derivation,
    Derived,
    Margin,
    Question,
    Sight,
    finite,
    overlap_s,
    span_of,
)
from expectations.gates.statements import Each, Name, Number, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import name_words

# Words of each label, as testbed and options write them.
_WORDS: Final = {
    "forward": ("forward",),
    "left": ("left",),
    "right": ("right",),
    "curveleft": ("curve", "left"),
    "curveright": ("curve", "right"),
    "leftright": ("left", "then", "right"),
}
_CLIP_S = (4.0, 15.0)
_AHEAD_S = 1.0
_ROUNDED_S = 0.05
_ROUNDING = 1e-6
# The last frames, one of which is sent at one frame every 2 s.
_LAST_S = 2.0
_ASKS = "In which direction does the person who wears the camera move next, after the end of this video?"
# As the released testbed asks.
_ASKS_AS_PAPER = "Based on the video segment, what is the next direction of movement?"


def _label(text: str | None) -> str | None:
    """Direction that a text or a value names; None unless it is one."""
    said = name_words(text or "")
    if (text or "") in _WORDS:
        return text
    return next((label for label, words in _WORDS.items() if words == said), None)


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    notes.check_option_count(question, 4)
    uid, clip = question.recording_id, span_of(question.query)
    check_length_between(notes, clip, *_CLIP_S)
    notes.asks.append(
        Statement("question", (_ASKS_AS_PAPER if question.as_paper else _ASKS,), {}, ())
    )
    directions = [
        row
        for row in given.rows("segments", recording_id=uid)
        if row["class_name"] in _WORDS and finite(row["start_s"], row["end_s"])
    ]
    directions.sort(key=lambda r: (r["start_s"], r["end_s"], r["segment_id"]))
    after = [r for r in directions if r["start_s"] >= clip[1] - _ROUNDING]
    before = [r for r in directions if clip[0] - _ROUNDING <= r["start_s"] < clip[1] - _ROUNDING]
    if not after:
        raise CannotTell(f"no direction is labelled in {uid} after {clip[1]:g} s")
    if not before:
        raise CannotTell(f"no direction of {uid} begins in the clip")
    following = after[0]
    _check_times(question, clip, following, directions, notes)
    together = {r["class_name"] for r in after if r["start_s"] <= following["start_s"] + _ROUNDING}
    for letter, label in options_said(question, notes, _label, "direction"):
        why = f"{following['class_name']} begins first, at {following['start_s']:g} s"
        notes.option(letter, label in together, why)
        _check_beginning(letter, label, following, question, notes)
    _note_wording(before, following, notes)


def _check_beginning(
    letter: str, label: str, following: dict[str, Any], question: Question, notes: Derived
) -> None:
    """Note another direction that begins as the right one does, or the other way round."""
    words, right = _WORDS[label], _WORDS[str(following["class_name"])]
    shared = min(len(words), len(right))
    if words != right and words[:shared] == right[:shared] and not question.as_paper:
        notes.refuse(
            "distractors",
            "begins_alike",
            f"option {letter}, {' '.join(words)}, and {' '.join(right)} begin alike",
        )


def _check_times(
    question: Question,
    clip: tuple[float, float],
    following: dict[str, Any],
    directions: list[dict[str, Any]],
    notes: Derived,
) -> None:
    begins = float(following["start_s"])
    notes.answer_visible = clip[1] > begins + _ROUNDING
    least = 0.0 if question.as_paper else _AHEAD_S
    what = "from the end of the clip to the next direction"
    ahead = round(begins - clip[1], 3)
    notes.margins.append(Margin("before_next", ahead, least, "s", what))
    if ahead > least + _ROUNDED_S:
        notes.refuse(
            "consistent",
            "next_is_far",
            f"the next direction begins {ahead:g} s after the clip, {least:g} s are asked",
            ahead,
            least,
        )
    last = (max(clip[0], clip[1] - _LAST_S), clip[1])
    notes.sights.append(Sight("query", (last,), 0.0, "what comes before the next direction"))
    own = (begins, float(following["end_s"]))
    for row in () if question.as_paper else directions:
        other = (float(row["start_s"]), float(row["end_s"]))
        if row["class_name"] != following["class_name"] and overlap_s(own, other) > _ROUNDING:
            notes.refuse(
                "consistent",
                "two_directions",
                f"{row['segment_id']} is labelled during {following['segment_id']}",
            )


def _note_wording(before: list[dict[str, Any]], following: dict[str, Any], notes: Derived) -> None:
    key = str(following["segment_id"])
    rows = tuple(f"segments:{r['segment_id']}" for r in before)
    notes.rests_on("answer", "segments", [key])
    notes.rests_on("context", "segments", [str(r["segment_id"]) for r in before])
    notes.statements += [
        Statement(
            "directions of the clip",
            ("Directions that begin in the clip, in seconds of the recording: {directions}.",),
            {"directions": Each("{name} from {start} s to {end} s", tuple(map(_slots, before)))},
            rows,
            cited=tuple(frozenset({row}) for row in rows),
        ),
        Statement(
            "next direction",
            ("The first direction that begins after it: {name} from {start} s to {end} s.",),
            _slots(following),
            (f"segments:{key}",),
        ),
    ]


def _slots(row: dict[str, Any]) -> dict[str, Any]:
    """Name and times of a direction, of the recording."""
    times = {name: Number(row[f"{name}_s"], _ROUNDED_S) for name in ("start", "end")}
    return {"name": Name((" ".join(_WORDS[row["class_name"]]),)), **times}


DERIVATION = Derivation(
    benchmark="egocross",
    subtasks=("next_direction",),
    reads={
        "recordings": ("recording_id", "source"),
        "segments": ("segment_id", "recording_id", "start_s", "end_s", "class_name"),
    },
    derive=_derive,
    recipes=("next_direction",),
    explained_in=("detailed_answer", "rationale"),
)
