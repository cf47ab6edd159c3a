"""Same moment by the take's clock: the right option shows the time of the query, filmed by another camera."""

from __future__ import annotations

from expectations.derivations.clips import (
    check_clip,
    check_one_recording,
    check_same_length,
    gap_s,
    in_recording,
    judge_options,
    rest_on_segments,
    segments_in,
)
from expectations.derivations.narrated_verbs import LABEL_COLUMNS, note_not_done
from expectations.derivations.narrations import check_option_texts
from expectations.gates.base import Derived, Margin, Question, overlap_s, span_of
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import tokens

SYNCHRONOUS = ("frame_aligned", "timesync", "same_index")
"""Methods of clocks that relate the times of two cameras exactly."""
READS: dict[str, tuple[str, ...]] = {
    "recordings": ("recording_id", "view", "take_id"),
    "segments": (
        "segment_id",
        "recording_id",
        "kind",
        "start_s",
        "end_s",
        "narration",
        "class_name",
    ),
    "relations": ("relation_id", "recording_id", "segment_id"),
    "clocks": ("recording_id", "take_id", "offset_s", "rate"),
    "labels": ("recording_id", *LABEL_COLUMNS),
}
_KINDS = ("action",)
# The right clip shares at least so much of the shorter one's time with the query.
_SAME_MOMENT = 0.5


def derive_by_clock(
    question: Question, given: EvidenceTables, notes: Derived, least: float
) -> None:
    """Fill the notes for a query clip and options that are clips of one take.

    Args:
        question: The question.
        given: The tables.
        notes: Filled in.
        least: Share of what a clip can show of its segment that it must show.

    Raises:
        CannotTell: The segment of the query is missing, or a recording has no clock.
    """
    query = question.query
    _rest_on_clocks(question, given, notes)
    check_option_texts(question, given, notes)
    segment, asked_span = check_clip(query, given, notes, least)
    notes.secrets += [str(x) for x in (segment["narration"], segment["class_name"]) if x]
    shown_segments = (str(medium["segment_id"]) for medium in question.media)
    note_not_done(dict.fromkeys(shown_segments), given, notes)
    check_one_recording(question, notes)
    if not question.as_paper:
        # The right clip lasts about as long as the query: if others do not, lengths tell it.
        check_same_length(question, notes)
    moment = span_of(query)
    asked = _actions_shown(query, moment, given, of=str(segment["segment_id"]))
    answer = question.shown_of(question.answer)

    def judge(letter: str, shown: dict, own: dict, span: tuple[float, float]) -> None:
        of, to = str(shown["recording_id"]), str(query["recording_id"])
        clip, done = (in_recording(s, of, to, given) for s in (span_of(shown), span))
        if clip is None or done is None:
            notes.refuse("consistent", "another_take", f"option {letter} is of another take")
            notes.option(letter, False, "it shows another take")
            return
        shared = overlap_s(clip, moment) / max(min(clip[1] - clip[0], moment[1] - moment[0]), 1e-9)
        if shared >= _SAME_MOMENT:
            notes.option(letter, True, f"it shows the query's time ({shared:.0%} shared)")
            return
        if letter == question.answer:
            notes.option(letter, False, f"it shows another time ({shared:.0%} shared)")
            return
        shows = _actions_shown(shown, span_of(shown), given, of=str(own["segment_id"]))
        same = asked.keys() & shows.keys()
        if same:
            notes.option(letter, True, f"it shows {asked[min(same)]} too, at another time")
        else:
            notes.option(letter, False, "it shows another time and another action")
        if answer is not None:
            # The pause between two actions may be seen in both clips.
            apart = min(gap_s(clip, asked_span), gap_s(done, moment))
            words = f"option {letter} to the query's time"
            notes.margins.append(Margin("apart_from_query", round(apart, 3), 0.0, "s", words))

    judge_options(question, given, notes, judge, least)


def _rest_on_clocks(question: Question, given: EvidenceTables, notes: Derived) -> None:
    rest_on_segments(question, notes, ("segments",))
    for medium in question.media:
        rows = given.rows("relations", segment_id=medium["segment_id"])
        notes.rests_on(str(medium["role"]), "relations", [r["relation_id"] for r in rows])
        role = "query" if medium["role"] == "query" else "option"
        notes.rests_on(role, "clocks", [str(medium["recording_id"])])


def _actions_shown(
    medium: dict, span: tuple[float, float], given: EvidenceTables, of: str
) -> dict[tuple[str, ...], str]:
    """Actions a clip shows, with their names: a wearer's camera its wearer's, an observer's all.

    The segment the clip stands for counts even where it is short.
    """
    recording = given.recording(str(medium["recording_id"]))
    uids = (
        [str(recording["recording_id"])]
        if recording["view"] == "ego"
        else [
            str(r["recording_id"]) for r in given.rows("recordings", take_id=recording["take_id"])
        ]
    )
    ids = [of]
    for uid in uids:
        there = in_recording(span, str(medium["recording_id"]), uid, given)
        if there is not None:
            ids += segments_in(uid, there, given, _KINDS)
    found: dict[tuple[str, ...], str] = {}
    for segment_id in ids:
        row = given.one("segments", segment_id=segment_id)
        if row is None:
            continue
        name = str(row["class_name"] or row["narration"] or "")
        words = tokens(name)
        if words and words[0] != "null":
            found.setdefault(words, name)
    return found
