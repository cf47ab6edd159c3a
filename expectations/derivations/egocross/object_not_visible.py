"""Right option of object not visible: the tool that no annotated picture of the clip shows (C2)."""

from __future__ import annotations

from expectations.derivations.boxes import tool_name
from expectations.derivations.egocross._annotated_clips import (
    REFINED_READS,
    Counted,
    annotation_of,
    is_of_bench,
    pictures_of,
    rest_on_view,
    sent_of,
    tools_in_view,
    tools_offered,
)
from expectations.gates.base import Derivation, Derived, Margin, Question, Sight, span_of
from expectations.gates.statements import Name, Number, Statement
from expectations.gates.tables import EvidenceTables

_CLIP_S = (10.0, 20.0, 60.0)
_BENCH_CLIP_S = (10.0,)
_LEAST_SENT = 2
_SEEN_S = 0.01
_ASKS = "Which of these {things} is not in view at any time in this video?"
# As the released testbed asks, of CholecTrack20 and of EgoSurgery.
_ASKS_AS_PAPER = (
    "Which surgical instrument is NOT visible in the video segment from {start}s to {end}s?",
    "Which of the following objects was NOT visible in the video segment from {start}s to {end}s?",
)
_ASKS_OF_BENCH = (
    "Which of the following objects (using refined categories like 'button' for all buttons) was NOT"
    " visible in the video segment from {start}s to {end}s?",
)


def _derive(question: Question, given: EvidenceTables, notes: Derived) -> None:
    notes.check_option_count(question, 4)
    start_s, end_s = span_of(question.query)
    looked, of_bench = annotation_of(question), is_of_bench(question)
    lengths_s = _BENCH_CLIP_S if of_bench else _CLIP_S
    pictures = pictures_of(question, given, notes, lengths_s, role="answer")
    view = tools_in_view(question, given, pictures)
    sent = sent_of(pictures, start_s, end_s)
    absent = []
    for letter, name in tools_offered(question, given, notes, Counted(given, looked.taxonomy)):
        shown = sorted({row["source_frame"] for row in view.get(name, [])})
        why = f"the {name} is in view in {len(shown)} of {len(pictures)} pictures"
        notes.option(letter, not shown, why)
        if not shown:
            absent.append(name)
            continue
        at = tuple((pictures[n], pictures[n]) for n in shown)
        notes.sights.append(Sight("query", at, _SEEN_S, f"the {name}"))
        if not question.as_paper:
            seen = len(sent.intersection(shown))
            what = f"the {name} of option {letter}"
            notes.margins.append(Margin("pictures_sent", seen, _LEAST_SENT, "pictures", what))
    frames = rest_on_view(view, pictures, "context", looked.noun, notes)
    span = {"start": Number(0.0, _SEEN_S), "end": Number(end_s - start_s, _SEEN_S)}
    released = _ASKS_OF_BENCH if of_bench else _ASKS_AS_PAPER
    ours = {"things": Name((looked.noun,))}
    asks = (released, span) if question.as_paper else ((_ASKS,), ours)
    notes.asks.append(Statement("question", *asks, frames))
    for name in absent:
        said = ("No such picture shows the {tool}.",)
        notes.statements.append(Statement("absent", said, {"tool": tool_name(name)}, frames))


DERIVATION = Derivation(
    benchmark="egocross",
    subtasks=("object_not_visible",),
    reads=REFINED_READS,
    derive=_derive,
    recipes=("object_not_visible", "object_not_visible_enigma51"),
    explained_in=("detailed_answer", "rationale"),
)
