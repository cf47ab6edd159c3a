"""Right option of action relation: the query's moment by the take's clock, or its labels (X3)."""

from __future__ import annotations

from expectations.derivations import clock, labels
from expectations.derivations.clips import check_same_length, check_views
from expectations.derivations.moments import explain_moment
from expectations.derivations.narrations import quote, quotes_of_others, segments_of_others
from expectations.derivations.reads import merge_reads
from expectations.derivations.retellings import note_near_misses, note_retellings
from expectations.gates.base import CannotTell, Derivation, Derived, Question
from expectations.gates.statements import Exact, Statement
from expectations.gates.tables import EvidenceTables

_OPTIONS = 4
# A clip may be cut to the length of the others, but not to less than this share.
_LEAST_SHARE = 0.5

_TEXT = Statement(
    "question",
    ("Which candidate video most accurately reflects the actions observed in the query video?",),
    {},
    (),
)


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    notes.asks.append(_TEXT)
    notes.check_option_count(question, _OPTIONS)
    view = given.recording(str(question.query["recording_id"]))["view"]
    check_views(question, given, notes, view, "exo" if view == "ego" else "ego")
    if question.recipe.startswith("action_relation_lemma"):
        clock.derive_by_clock(question, given, notes, _LEAST_SHARE)
        explain_moment(
            question,
            given,
            notes,
            "The other candidates show other times of {recording}: {others}.",
        )
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


DERIVATION = Derivation(
    benchmark="egoexobench",
    subtasks=("action_relation",),
    reads=merge_reads(labels.READS, clock.READS, {"segments": ("actor_id",)}),
    derive=_derive,
    recipes=("action_relation_lemma", "action_relation_egoexolearn"),
    explained_in=("detailed_answer",),
)
