"""Right option of action relation: the query's moment by the take's clock, or its labels (X3)."""

from __future__ import annotations

from expectations.derivations import clock, labels
from expectations.derivations.clips import check_same_length, check_views
from expectations.derivations.narrations import quote, quotes_of_others, segments_of_others
from expectations.derivations.reads import merge_reads
from expectations.derivations.retellings import note_near_misses, note_retellings
from expectations.gates.base import CannotTell, Derivation, Derived, Question, span_of
from expectations.gates.statements import Exact, Number, Slot, Statement
from expectations.gates.tables import EvidenceTables

_OPTIONS = 4
# A clip may be cut to the length of the others, but not to less than this share.
_LEAST_SHARE = 0.5
# Explanations tell times with one decimal.
_ROUNDED_S = 0.05

_TEXT = Statement(
    "question",
    ("Which candidate video most accurately reflects the actions observed in the query video?",),
    {},
    (),
)


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    notes.asks.append(_TEXT)
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
        clock.derive_by_clock(question, given, notes, _LEAST_SHARE)
        _explain_by_clock(question, given, notes)
    elif question.recipe.startswith("action_relation_egoexolearn"):
        labels.derive_by_labels(question, given, notes, _LEAST_SHARE)
        if not question.as_paper:
            check_same_length(question, notes)
        note_near_misses(question, given, notes)
        note_retellings(question, given, notes)
        _explain_by_labels(question, given, notes)
    else:
        raise CannotTell(f"recipe {question.recipe} is not known to this derivation")


def _explain_by_labels(question: Question, given: EvidenceTables, notes: Derived) -> None:
    """An explanation quotes the query, the answer and the others, and says what they share."""
    shown = question.shown_of(question.answer) or {}
    # An explanation may not claim that an option shares something if it does not.
    apart = [str(f.message) for f in notes.findings if f.rule == "shares_nothing"]
    notes.statements += [
        Statement(
            "the query and its answer",
            (
                'The query video shows "{query}", and so does candidate video {answer}:'
                ' "{positive}".',
            ),
            {
                "query": quote(question.query, given),
                "answer": Exact(question.answer),
                "positive": quote(shown, given),
            },
            (f"segments:{question.query['segment_id']}", f"segments:{shown.get('segment_id')}"),
        ),
        Statement(
            "the other candidates",
            (
                "The other candidates are from the same recording and share a verb or a thing with"
                " it, but show something else: {others}.",
            ),
            {"others": quotes_of_others(question, given)},
            segments_of_others(question),
            untrue="; ".join(apart),
        ),
    ]


def _explain_by_clock(question: Question, given: EvidenceTables, notes: Derived) -> None:
    """An explanation tells both clips of the moment, and what the others show."""
    query, shown = question.query, question.shown_of(question.answer)
    if shown is None:
        return
    slots: dict[str, Slot] = {
        "query": quote(query, given),
        "query_recording": Exact(str(query["recording_id"])),
        "answer": Exact(question.answer),
        "answer_recording": Exact(str(shown["recording_id"])),
    }
    for name, medium in (("query", query), ("answer", shown)):
        start_s, end_s = span_of(medium)
        slots[f"{name}_start"] = Number(start_s, _ROUNDED_S)
        slots[f"{name}_end"] = Number(end_s, _ROUNDED_S)
    recording = str(shown["recording_id"])
    notes.statements += [
        Statement(
            "the moment of the query",
            (
                'The query video shows "{query}" from {query_start} s to {query_end} s of'
                " {query_recording}; on the take's clock this is the time of candidate video"
                " {answer}, from {answer_start} s to {answer_end} s of {answer_recording}.",
            ),
            slots,
            (
                f"segments:{query['segment_id']}",
                f"clocks:{query['recording_id']}",
                f"clocks:{recording}",
            ),
        ),
        Statement(
            "the other candidates",
            ("The other candidates show other times of {recording}: {others}.",),
            {"recording": Exact(recording), "others": quotes_of_others(question, given)},
            segments_of_others(question),
        ),
    ]


DERIVATION = Derivation(
    benchmark="egoexobench",
    subtasks=("action_relation",),
    reads=merge_reads(labels.READS, clock.READS, {"segments": ("actor_id",)}),
    derive=_derive,
    recipes=("action_relation_lemma", "action_relation_egoexolearn"),
    explained_in=("detailed_answer",),
)
