"""Same action by labels: two segments show it if their verb sets and noun sets are equal (B6)."""

from __future__ import annotations

from expectations.derivations.clips import (
    LEAST_SHARE,
    check_clip,
    check_one_recording,
    gap_s,
    judge_options,
    rest_on_segments,
    segments_in,
)
from expectations.derivations.narrated_verbs import LABEL_COLUMNS, undone
from expectations.derivations.narrations import check_option_texts
from expectations.gates.base import CannotTell, Derived, Margin, Question, span_of
from expectations.gates.tables import EvidenceTables

Sets = tuple[frozenset[int], frozenset[int]]
READS: dict[str, tuple[str, ...]] = {
    "recordings": ("recording_id", "view", "scenario", "take_id"),
    "segments": (
        "segment_id",
        "recording_id",
        "kind",
        "start_s",
        "end_s",
        "narration",
        "class_name",
    ),
    "labels": (
        "segment_id",
        "recording_id",
        "kind",
        "class_id",
        "class_label",
        "term",
        *(name for name in LABEL_COLUMNS if name not in ("segment_id", "kind", "class_label")),
    ),
}
KINDS = ("fine",)


def sets_of(segment_id: str, given: EvidenceTables) -> Sets | None:
    """Verb and noun classes of a segment; None where it has none, or where some action was not done.

    "Does not open the box" has the classes of opening a box and shows something else.
    """
    rows = [r for r in given.rows("labels", segment_id=segment_id) if r["class_id"] is not None]
    if not rows or undone(segment_id, given):
        return None
    verbs = frozenset(int(r["class_id"]) for r in rows if r["kind"] == "verb")
    nouns = frozenset(int(r["class_id"]) for r in rows if r["kind"] == "noun")
    return verbs, nouns


def derive_by_labels(
    question: Question, given: EvidenceTables, notes: Derived, least: float = LEAST_SHARE
) -> None:
    """Fill the notes for a query clip and options that are clips of labelled segments.

    Args:
        question: The question.
        given: The tables.
        notes: Filled in.
        least: Share of what a clip can show of its segment that it must show.

    Raises:
        CannotTell: A segment of the query is missing or has no labels.
    """
    query = question.query
    rest_on_segments(question, notes, ("segments", "labels"))
    check_option_texts(question, given, notes)
    segment, _ = check_clip(query, given, notes, least)
    asked = sets_of(str(segment["segment_id"]), given)
    _note_secrets(str(segment["segment_id"]), segment, given, notes)
    check_one_recording(question, notes)
    _check_place(question, given, notes)
    if asked is None or not asked[0] or not asked[1]:
        raise CannotTell(f"segment {segment['segment_id']} of the query lacks verbs or nouns")
    beside = _sets_shown(str(query["recording_id"]), span_of(query), given)
    answer = question.shown_of(question.answer)

    def judge(letter: str, shown: dict, own: dict, done: tuple[float, float]) -> None:
        _judge(letter, shown, str(own["segment_id"]), asked, beside, question, given, notes)
        _note_margin(letter, shown, done, answer, given, notes)

    judge_options(question, given, notes, judge, least)


def _judge(
    letter: str,
    shown: dict,
    segment_id: str,
    asked: Sets,
    beside: dict[Sets, str],
    question: Question,
    given: EvidenceTables,
    notes: Derived,
) -> None:
    sets = sets_of(segment_id, given)
    if letter == question.answer and undone(segment_id, given):
        notes.option(letter, False, f"{segment_id} is said not to show its action done")
    elif sets is None:
        notes.option(letter, None, f"segment {segment_id} has no labels of what is done")
    elif sets == asked:
        notes.option(letter, True, f"{segment_id} has the query's verbs and nouns")
    elif letter == question.answer:
        notes.option(letter, False, f"{segment_id} has other verbs or nouns than the query")
    else:
        also = _sets_shown(str(shown["recording_id"]), span_of(shown), given)
        if asked in also:
            notes.option(letter, True, f"its clip also shows {also[asked]}, the query's action")
        elif sets in beside:
            notes.option(letter, True, f"the query also shows {beside[sets]}, the option's action")
        else:
            notes.option(letter, False, f"{segment_id} has other verbs or nouns than the query")


def _note_margin(
    letter: str,
    shown: dict,
    done: tuple[float, float],
    answer: dict | None,
    given: EvidenceTables,
    notes: Derived,
) -> None:
    """A distractor shows nothing of the answer's action, nor the answer of the distractor's.

    The pause between two actions may be seen in both clips.
    """
    if answer is None or shown is answer or shown["recording_id"] != answer["recording_id"]:
        return
    right = given.one("segments", segment_id=answer["segment_id"])
    if right is None or right["recording_id"] != answer["recording_id"]:
        return
    apart = min(
        gap_s(span_of(shown), (right["start_s"], right["end_s"])), gap_s(done, span_of(answer))
    )
    words = f"option {letter} to the answer's action"
    notes.margins.append(Margin("apart_from_answer", round(apart, 3), 0.0, "s", words))


def _sets_shown(
    recording_id: str, span: tuple[float, float], given: EvidenceTables
) -> dict[Sets, str]:
    memo = given.memo.setdefault("sets_shown", {})
    key = (recording_id, *span)
    if key not in memo:
        found: dict[Sets, str] = {}
        for segment_id in segments_in(recording_id, span, given, KINDS):
            sets = sets_of(segment_id, given)
            if sets is not None:
                found.setdefault(sets, segment_id)
        memo[key] = found
    return memo[key]


def _note_secrets(segment_id: str, segment: dict, given: EvidenceTables, notes: Derived) -> None:
    for phrase in (segment["narration"], segment["class_name"]):
        if phrase:
            notes.secrets.append(str(phrase))
    for row in given.rows("labels", segment_id=segment_id):
        if row["kind"] == "noun" and row["class_id"] is not None:
            notes.secrets += [str(row[c]) for c in ("term", "class_label") if row[c]]


def _check_place(question: Question, given: EvidenceTables, notes: Derived) -> None:
    """Ego and exo of one scenario (B6, stage 1)."""
    of_query = given.recording(str(question.query["recording_id"]))["scenario"]
    for medium in question.media:
        scenario = given.recording(str(medium["recording_id"]))["scenario"]
        if scenario != of_query:
            notes.refuse(
                "consistent",
                "another_scenario",
                f"{medium['role']} is of scenario {scenario}, the query of {of_query}",
            )
