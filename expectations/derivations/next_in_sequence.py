"""What comes next in a wearer's sequence: the wording that is asked, and how much the query may show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from expectations.gates.base import Derived, Margin, Question, Sight, overlap_s, span_of
from expectations.gates.statements import Statement
from expectations.gates.tables import EvidenceTables

ASK = Statement(
    "question",
    (
        "Which option most accurately matches the next action expected to occur in the egocentric"
        " video, according to the sequence established by the exocentric video?",
    ),
    {},
    (),
)
ROUNDING = 1e-6
_AHEAD_S = 1.0
_SHORTEST_S = 2.0
_LONGEST_S = 8.0
_SEEN_S = 0.5


def check_query_before_next(
    question: Question,
    current: Mapping[str, Any],
    following: Mapping[str, Any],
    given: EvidenceTables,
    notes: Derived,
) -> None:
    """Note a query that is not a wearer's, shows too little of what is done, or anything of what is next.

    As in the paper, a query may have any length and end where the next begins.

    Args:
        question: The question.
        current: Segment that the query shows.
        following: Segment that comes next in the same recording.
        given: The tables.
        notes: Filled in.
    """
    start, end = span_of(question.query)
    view = given.recording(str(question.query["recording_id"]))["view"]
    if view != "ego":
        notes.refuse("consistent", "swapped_view", f"the query is {view}, not ego")
    ahead_s = float(following["start_s"]) - end
    least_s = 0.0 if question.as_paper else _AHEAD_S
    what = "from the end of the query to what comes next"
    notes.margins.append(Margin("before_next", round(ahead_s, 3), least_s, "s", what))
    done = (float(current["start_s"]), float(current["end_s"]))
    seen = overlap_s((start, end), done)
    if seen < _SEEN_S - ROUNDING:
        notes.refuse(
            "consistent",
            "shifted_time",
            f"the query shows {seen:.2f} s of {current['segment_id']}, at least {_SEEN_S:g} s are"
            " asked",
            seen,
            _SEEN_S,
        )
    long_enough = _SHORTEST_S - ROUNDING <= end - start <= _LONGEST_S + ROUNDING
    if not question.as_paper and not long_enough:
        notes.refuse(
            "consistent",
            "clip_length",
            f"the query lasts {end - start:.2f} s, {_SHORTEST_S:g} to {_LONGEST_S:g} s are asked",
            end - start,
        )
    spans = ((max(start, done[0]), min(end, done[1])),) if seen else ()
    notes.sights.append(Sight("query", spans, 0.0, f"segment {current['segment_id']}"))
