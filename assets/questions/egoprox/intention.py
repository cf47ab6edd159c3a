"""Goals out of view that the wearer turns to, as both intention subtasks ask about them (EgoProx 3.1, 4.1).

The event is the start of a fixation or contact on the goal. The clip ends 1 s before it; the goal
was in view earlier in the clip and is out of view at its end (4.1: "visible in some earlier frame
but not in the final observation").

The paper's head orientation is a planning question without any event (4.1): the goal was in view and
is not at the end. The reading `paper` asks 1 s after each time a goal left the view, whatever the
wearer looks at next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assets.questions.egoprox.goals import Goal, fact_at, goals, span_end
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import Apart
from assets.questions.kit.funnel import NEAR, refuse
from assets.questions.kit.recipe import Clip, Evidence, Recipe, Row

FRAMES = 8
AHEAD_S = 1.0
AFTER_S = 1.0
LONGEST_S = 8.0
SHORTEST_S = 4.0
UNSEEN_S = 0.5
EVENTS_APART_S = 1.0
KNOWN, CLEAR, LONG_ENOUGH, SEEN, HIDDEN = (
    "direction_known",
    "clear_of_borders",
    "clip_is_long_enough",
    "seen_earlier_in_the_clip",
    "out_of_view_and_of_the_hand",
)
RULES = (NEAR, KNOWN, CLEAR, LONG_ENOUGH, SEEN, HIDDEN)
"""Rules that both subtasks refuse candidates by, in order."""
LIMITS = (
    f"a goal with a name of its own, seen earlier in a clip of {SHORTEST_S:g} s or more and out"
    " of view at its end, whose direction is {:g} degrees from a border"
)


@dataclass(frozen=True, slots=True)
class Look:
    """A goal out of view that can be asked about.

    Attributes:
        recording: Row of `recordings`.
        goal: The goal.
        event: Fact that the wearer looks at it or touches it; under `paper`, that it was in view.
        bearing: Fact in which direction it lies at the clip's end.
        start_s: Start of the clip.
        text: Values for the templates.
        evidence: Rows a question rests on.
    """

    recording: Mapping[str, Any]
    goal: Goal
    event: Row
    bearing: Row
    start_s: float
    text: dict[str, Any]
    evidence: list[Evidence]

    @property
    def anchor(self) -> tuple[str, str, str]:
        """Keys of what a question about it is about."""
        uid = str(self.recording["recording_id"])
        return uid, self.goal.object_id, str(self.event["fact_id"])

    @property
    def media(self) -> list[Clip]:
        """What is shown."""
        return [Clip(self.recording, self.start_s, self.bearing["t_s"], sampling="endpoints")]

    def identity(self, recipe: Recipe) -> str:
        """Id of its question."""
        return recipe.id(str(self.recording["source"]), *self.anchor)


def looks(tables: Tables, is_clear: Callable[[Row], bool], *, as_paper: bool) -> Iterator[Look]:
    """Goals of one recording or several, each at instants at which it is out of view.

    An event makes none if its goal cannot be named alone, its bearing is not known or not clear, less
    than 4 s come before, or the goal was never in a frame sent, is in view at the end, or is in the hand.

    Args:
        tables: Rows of `recordings`, `spatial_facts` and `objects_3d`.
        is_clear: Whether a bearing is far enough from a border.
        as_paper: After each time a goal left the view, whatever follows.
    """
    for recording, goal in goals(tables):
        asked = Apart(EVENTS_APART_S)
        for event, at_s, end_s in _occasions(goal, as_paper=as_paper):
            if asked.is_near(goal.object_id, at_s):
                refuse(NEAR)
                continue
            bearing = fact_at(goal.bearings, end_s)
            if bearing is None or not is_clear(bearing):
                refuse(KNOWN if bearing is None else CLEAR)
                continue
            look = _look(recording, goal, event, bearing, as_paper=as_paper)
            if look is not None:
                asked.add(goal.object_id, at_s)
                yield look


def _occasions(goal: Goal, *, as_paper: bool) -> list[tuple[Row, float, float]]:
    """What a question starts from (an event, or a span in view), when that is, and the clip's end."""
    if as_paper:
        return [(span, span_end(span), span_end(span) + AFTER_S) for span in goal.visible]
    return [(event, event["t_s"], event["t_s"] - AHEAD_S) for event in goal.events]


def _look(
    recording: Mapping[str, Any], goal: Goal, event: Row, bearing: Row, *, as_paper: bool
) -> Look | None:
    """What is asked if the goal was seen in the clip before, and is out of view and of the hand."""
    end_s = float(bearing["t_s"])
    start_s = max(0.0, end_s - LONGEST_S)
    limit = recording["duration_s"]
    if end_s - start_s < SHORTEST_S or (limit is not None and end_s > limit):
        return refuse(LONG_ENOUGH)
    sent = [start_s + i * (end_s - start_s) / (FRAMES - 1) for i in range(FRAMES)]
    seen = goal.seen_at([t for t in sent if t <= end_s - UNSEEN_S])
    # The last sight counts for the explanation, also where no frame that is sent shows it.
    last = goal.last_seen(end_s)
    hidden = not goal.was_in_view(end_s - UNSEEN_S, end_s) and not goal.is_touched(end_s)
    if not seen or last is None:
        return refuse(SEEN)
    if not hidden:
        return refuse(HIDDEN)
    distance = fact_at(goal.distances, end_s)
    evidence = [] if as_paper else [(event, "event")]
    evidence += [(bearing, "answer"), *((s, "seen") for s in seen)]
    evidence += [] if last in seen else [(last, "seen")]
    evidence += [] if distance is None else [(distance, "distance")]
    text = {
        "goal": goal.name,
        "unseen_s": end_s - span_end(last),
        "bearing_deg": bearing["value"],
        "distance_m": None if distance is None else distance["value"],
        "ahead_s": event["t_s"] - end_s,
        "operator": event["operator"],
    }
    rows = [("spatial_facts", fact["fact_id"], role) for fact, role in evidence]
    return Look(recording, goal, event, bearing, start_s, text, rows)
