"""Right option of object relation: the query's moment; no other shows an object used in it (X4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from expectations.derivations import clock
from expectations.derivations.clips import check_views, in_recording, segments_in
from expectations.derivations.moments import explain_moment
from expectations.derivations.narrated_verbs import is_told_as_done, kinds_of_word
from expectations.derivations.reads import merge_reads
from expectations.gates.base import CannotTell, Derivation, Derived, Question, span_of
from expectations.gates.statements import Each, Name, Statement
from expectations.gates.tables import EvidenceTables
from expectations.gates.words import name_words

_OPTIONS = 4
_KINDS = ("action",)
# Kinds of verbs: who did this last to a thing has it in hand, or has it no more.
_HAS_IT = {"take", "hold"}
_HAS_IT_NO_MORE = {"put"}
# A clip may be cut to the length of the others, but not to less than this share.
_LEAST_SHARE = 0.5
Words = tuple[str, ...]

_TEXT = Statement(
    "question",
    (
        "Which candidate video most accurately matches the interacted object seen in the query"
        " video?",
    ),
    {},
    (),
)


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    if not question.recipe.startswith("object_relation"):
        raise CannotTell(f"recipe {question.recipe} is not known to this derivation")
    notes.asks.append(_TEXT)
    notes.check_option_count(question, _OPTIONS)
    query = question.query
    view = given.recording(str(query["recording_id"]))["view"]
    check_views(question, given, notes, view, "exo" if view == "ego" else "ego")
    clock.derive_by_clock(question, given, notes, _LEAST_SHARE)
    asked = _objects_shown(query, given)
    own = _objects_of(str(query["segment_id"]), given)
    if not own:
        raise CannotTell(f"segment {query['segment_id']} of the query names no object")
    notes.secrets += [" ".join(words) for words in sorted(own)]
    _judge_objects(question, asked, given, notes)
    _explain(question, given, notes)


def _judge_objects(
    question: Question, asked: set[Words], given: EvidenceTables, notes: Derived
) -> None:
    """A distractor that shows an object of the query is right too."""
    direct: dict[str, set[Words]] = {}
    for option in question.options:
        letter = str(option["letter"])
        shown = question.shown_of(letter)
        if shown is None:
            continue
        key = str(shown["segment_id"])
        direct[letter] = _objects_of(key, given, direct=True)
        if letter == question.answer:
            continue
        seen = _objects_of(key, given) if question.as_paper else _objects_shown(shown, given)
        if not seen:
            notes.option(letter, None, f"segment {key} names no object")
            continue
        # The paper compares what an action is done to, not where or what with.
        mine, theirs = (
            (_objects_of(str(question.query["segment_id"]), given, direct=True), direct[letter])
            if question.as_paper
            else (asked, seen)
        )
        both = sorted(" ".join(words) for words in mine & theirs)
        if both:
            notes.option(letter, True, f"it shows {', '.join(both)} of the query too")
        elif notes.right.get(letter) is not True:
            notes.option(letter, False, "it shows another time and other objects")
    if question.as_paper:
        return
    letters = sorted(direct)
    for i, one in enumerate(letters):
        for other in letters[i + 1 :]:
            both = sorted(" ".join(words) for words in direct[one] & direct[other])
            if both:
                notes.refuse(
                    "distractors",
                    "object_twice",
                    f"options {one} and {other} both show {', '.join(both)} and so rule each other"
                    " out",
                )


def _objects_shown(medium: Mapping[str, Any], given: EvidenceTables) -> set[Words]:
    """Objects used in a clip: by the wearer alone in a wearer's picture, by all in an observer's."""
    uid = str(medium["recording_id"])
    recording = given.recording(uid)
    whose = [uid]
    if recording["view"] == "exo":
        rows = given.rows("recordings", take_id=recording["take_id"])
        whose = [str(r["recording_id"]) for r in rows]
    found = _objects_and_held(str(medium["segment_id"]), given)
    for other in whose:
        span = in_recording(span_of(medium), uid, other, given)
        if span is not None:
            for key in segments_in(other, span, given, _KINDS):
                found |= _objects_and_held(key, given)
    return found


def _objects_and_held(segment_id: str, given: EvidenceTables) -> set[Words]:
    """Things of an action, and those its person took before and has not put away."""
    now = given.segment(segment_id)
    last: dict[Words, tuple[float, bool]] = {}
    for row in given.rows("segments", recording_id=now["recording_id"]):
        if row["kind"] not in _KINDS or row["start_s"] >= now["start_s"]:
            continue
        key = str(row["segment_id"])
        rows = given.rows("relations", segment_id=key)
        verbs = {str(r["object"]) for r in rows if r["relation"] == "verb"}
        kinds = set().union(*map(kinds_of_word, verbs)) if is_told_as_done(key, given) else set()
        if kinds & (_HAS_IT | _HAS_IT_NO_MORE):
            for thing in _objects_of(key, given, direct=True):
                moment = (float(row["start_s"]), bool(kinds & _HAS_IT))
                last[thing] = max(last.get(thing, moment), moment)
    return _objects_of(segment_id, given) | {thing for thing, (_, has) in last.items() if has}


def _objects_of(segment_id: str, given: EvidenceTables, *, direct: bool = False) -> set[Words]:
    """Names of the things of an action, or of those it is done to; hands left out."""
    return {
        name_words(str(row["object"]))
        for row in given.rows("relations", segment_id=segment_id)
        if row["relation"] != "verb"
        and row["role"] != "hand"
        and row["object"]
        and (not direct or row["role"] == "direct")
    }


def _explain(question: Question, given: EvidenceTables, notes: Derived) -> None:
    key = str(question.query["segment_id"])
    things = sorted(_objects_of(key, given))
    rows = given.rows("relations", segment_id=key)
    explain_moment(
        question,
        given,
        notes,
        "The other candidates show other times of {recording}, when other objects are used:"
        " {others}.",
    )
    notes.statements.append(
        Statement(
            "the objects of the query",
            ("What is used is: {objects}.",),
            {"objects": Each("{name}", tuple({"name": Name((" ".join(t),))} for t in things))},
            tuple(f"relations:{row['relation_id']}" for row in rows),
        )
    )


DERIVATION = Derivation(
    benchmark="egoexobench",
    subtasks=("object_relation",),
    reads=merge_reads(clock.READS, {"relations": ("relation", "object", "role")}),
    derive=_derive,
    recipes=("object_relation",),
    explained_in=("detailed_answer",),
)
