"""Right option of action relation: the query's moment by the take's clock, or its labels (X3)."""

from __future__ import annotations

from expectations.gates.base import (
    CannotTell,
    Derivation,
    Finding,
    Margin,
    Notes,
    Question,
    overlap_s,
    span_of,
)
from expectations.gates.by_labels import READS as LABEL_READS
from expectations.gates.by_labels import derive_by_labels, sets_of
from expectations.gates.given import Given
from expectations.gates.shown import (
    check_clip,
    check_one_recording,
    check_views,
    gap_s,
    in_recording,
    segments_in,
)
from expectations.gates.words import tokens

_KINDS = ("action",)
_OPTIONS = 4
# The right clip shares at least so much of the shorter one's time with the query.
_SAME_MOMENT = 0.5


def _derive(question: Question, given: Given, notes: Notes) -> None:
    if len(question.options) != _OPTIONS:
        notes.refuse(
            "well_formed",
            "option_count",
            f"{len(question.options)} options, 4 are asked",
            len(question.options),
            _OPTIONS,
        )
    view = given.recording(str(question.query["recording_id"]))["view"]
    check_views(question, given, notes, view, "exo" if view == "ego" else "ego")
    if question.recipe.startswith("action_relation_lemma"):
        _by_clock(question, given, notes)
    elif question.recipe.startswith("action_relation_egoexolearn"):
        derive_by_labels(question, given, notes)
        _near_misses(question, given, notes)
    else:
        raise CannotTell(f"recipe {question.recipe} is not known to this derivation")


def _by_clock(question: Question, given: Given, notes: Notes) -> None:
    query = question.query
    segment, asked_span = check_clip(query, given, notes)
    notes.secrets += [str(x) for x in (segment["narration"], segment["class_name"]) if x]
    check_one_recording(question, notes)
    moment = span_of(query)
    asked = _actions_shown(query, moment, given, of=str(segment["segment_id"]))
    answer = question.shown_of(question.answer)
    for letter in question.letters:
        shown = question.shown_of(letter)
        if shown is None:
            notes.option(letter, None, "it has no medium")
            continue
        try:
            _, span = check_clip(shown, given, notes)
            of, to = str(shown["recording_id"]), str(query["recording_id"])
            clip, done = (in_recording(s, of, to, given) for s in (span_of(shown), span))
        except CannotTell as silent:
            notes.option(letter, None, str(silent))
            continue
        if clip is None or done is None:
            notes.refuse("consistent", "another_take", f"option {letter} is of another take")
            notes.option(letter, False, "it shows another take")
            continue
        shared = overlap_s(clip, moment) / max(min(clip[1] - clip[0], moment[1] - moment[0]), 1e-9)
        if shared >= _SAME_MOMENT:
            notes.option(letter, True, f"it shows the query's time ({shared:.0%} shared)")
            continue
        if letter == question.answer:
            notes.option(letter, False, f"it shows another time ({shared:.0%} shared)")
            continue
        own = str(shown["segment_id"])
        same = asked.keys() & _actions_shown(shown, span_of(shown), given, of=own).keys()
        if same:
            notes.option(letter, True, f"it shows {asked[min(same)]} too, at another time")
        else:
            notes.option(letter, False, "it shows another time and another action")
        if answer is not None:
            # The pause between two actions may be seen in both clips.
            apart = min(gap_s(clip, asked_span), gap_s(done, moment))
            notes.margins.append(
                Margin(
                    "apart_from_query",
                    round(apart, 3),
                    0.0,
                    "s",
                    f"option {letter} to the query's time",
                )
            )


def _actions_shown(
    medium: dict, span: tuple[float, float], given: Given, of: str
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


def _near_misses(question: Question, given: Given, notes: Notes) -> None:
    """The paper keeps candidates that share a verb or noun with the query."""
    asked = sets_of(str(question.query["segment_id"]), given)
    for option in question.options:
        sets = sets_of(str(option["segment_id"]), given)
        if asked and sets and not (asked[0] & sets[0] or asked[1] & sets[1]):
            notes.findings.append(
                Finding(
                    "distractors",
                    "shares_nothing",
                    f"option {option['letter']} shares no verb or noun with the query",
                    "warn",
                )
            )


DERIVATION = Derivation(
    benchmark="egoexobench",
    subtasks=("action_relation",),
    reads={
        **LABEL_READS,
        "segments": (*LABEL_READS["segments"], "actor_id"),
        "clocks": ("recording_id", "take_id", "offset_s", "rate"),
        "relations": ("relation_id", "recording_id", "segment_id"),
    },
    derive=_derive,
)
