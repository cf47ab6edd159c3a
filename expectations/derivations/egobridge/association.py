"""Right option of cross-view association: the clip with the query's verb and noun sets (B6)."""

from __future__ import annotations

import re

from expectations.derivations.clips import check_views
from expectations.derivations.labels import READS, derive_by_labels
from expectations.gates.base import CannotTell, Derivation, Derived, Question
from expectations.gates.statements import Choice, Exact, Number, Statement
from expectations.gates.tables import EvidenceTables

_NAME = re.compile(r"association_(ego|exo)2(ego|exo)_k(\d+)")
_VIEWS = {"ego": "the camera wearer's own view", "exo": "an outside observer's view"}
_SUBTASKS = tuple(f"association_{d}_k{n}" for d in ("ego2exo", "exo2ego") for n in (5, 20))


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    named = _NAME.fullmatch(question.subtask)
    if named is None:
        raise CannotTell(f"subtask {question.subtask} names no direction and count")
    query, option, count = named.groups()
    if len(question.options) != int(count):
        notes.refuse(
            "well_formed",
            "option_count",
            f"{len(question.options)} options, the subtask says {count}",
            len(question.options),
            int(count),
        )
    check_views(question, given, notes, query, option)
    known = tuple(_VIEWS.values())
    notes.asks.append(
        Statement(
            "question",
            (
                "The query clip shows an action from {query_view}. Each of the {count} candidate"
                " clips {first} to {last} is filmed from {option_view}. Which candidate clip shows"
                " the same action as the query clip?",
            ),
            {
                "query_view": Choice((_VIEWS[query],), known),
                "option_view": Choice((_VIEWS[option],), known),
                "count": Number(int(count), 0.0),
                "first": Exact(question.letters[0]),
                "last": Exact(question.letters[-1]),
            },
            (),
        )
    )
    derive_by_labels(question, given, notes)


DERIVATION = Derivation(
    benchmark="egobridge",
    subtasks=_SUBTASKS,
    reads=READS,
    derive=_derive,
    recipes=("association",),
)
