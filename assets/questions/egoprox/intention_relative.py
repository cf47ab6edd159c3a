"""Intention, head, relative: in which direction the person must turn to see the goal (EgoProx 3.1).

The event is the start of a fixation or contact on the goal. The clip ends 1 s before it; the goal
was in view earlier in the clip and is out of view at its end (4.1: "visible in some earlier frame
but not in the final observation"). The answer is the sector of the goal's bearing on the ground
plane, from the camera's position and forward axis in the last frame.

The direction is seen from above, as the paper's is: a goal that lies ahead below the picture is "front",
though no turn of the head to a side shows it. The options alone tell nothing of the answer
(`directions.option_sectors`), so that `chance` is one in five.

The paper's head orientation is a planning question without any event (4.1): the goal was in view and
is not at the end. The reading `paper` asks 1 s after each time a goal left the view, whatever the
wearer looks at next, and keeps no margin to a sector's border.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assets.questions.egoprox.goals import NEEDS, READS, Goal, fact_at, goals, span_end
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import Apart
from assets.questions.kit.directions import NAMES, option_sectors
from assets.questions.kit.recipe import Clip, Option, Recipe, Row, template

RECIPE = Recipe("egoprox", "intention_relative", 2, template(__file__, "intention_relative.j2"))
FRAMES = 8
AHEAD_S = 1.0
AFTER_S = 1.0
LONGEST_S = 8.0
SHORTEST_S = 4.0
UNSEEN_S = 0.5
MARGIN_DEG = 7.5
EVENTS_APART_S = 1.0


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions about the goals of one recording or several.

    An event makes none if its goal cannot be named alone, its bearing is not known or lies within
    7.5 degrees of a sector's border, less than 4 s come before, or the goal was never in a frame
    sent, is in view at the end, or is in the hand.

    Args:
        tables: Rows of `recordings`, `spatial_facts` and `objects_3d`.
        reading: Under `paper`, ask after each time a goal left the view, whatever follows, without
            a margin.
    """
    recipe = RECIPE.under(reading)
    for recording, goal in goals(tables):
        asked = Apart(EVENTS_APART_S)
        for fact, at_s, end_s in _occasions(goal, as_paper=recipe.as_paper):
            if not asked.is_near(goal.object_id, at_s):
                row = _question(recipe, recording, goal, fact, end_s)
                if row is not None:
                    asked.add(goal.object_id, at_s)
                    yield row


def _occasions(goal: Goal, *, as_paper: bool) -> list[tuple[Row, float, float]]:
    """What a question starts from (an event, or a span in view), when that is, and the clip's end."""
    if as_paper:
        return [(span, span_end(span), span_end(span) + AFTER_S) for span in goal.visible]
    return [(event, event["t_s"], event["t_s"] - AHEAD_S) for event in goal.events]


def _question(
    recipe: Recipe, recording: Mapping[str, Any], goal: Goal, event: Row, end_s: float
) -> Row | None:
    bearing = fact_at(goal.bearings, end_s)
    least_deg = 0.0 if recipe.as_paper else MARGIN_DEG
    if bearing is None or (bearing["margin_deg"] or 0.0) < least_deg:
        return None
    end_s = float(bearing["t_s"])
    start_s = max(0.0, end_s - LONGEST_S)
    limit = recording["duration_s"]
    if end_s - start_s < SHORTEST_S or (limit is not None and end_s > limit):
        return None
    sent = [start_s + i * (end_s - start_s) / (FRAMES - 1) for i in range(FRAMES)]
    seen = goal.seen_at([t for t in sent if t <= end_s - UNSEEN_S])
    # The last sight counts for the explanation, also where no frame that is sent shows it.
    last = goal.last_seen(end_s)
    hidden = not goal.was_in_view(end_s - UNSEEN_S, end_s) and not goal.is_touched(end_s)
    if not seen or last is None or not hidden:
        return None
    distance = fact_at(goal.distances, end_s)
    evidence = [] if recipe.as_paper else [(event, "event")]
    evidence += [(bearing, "answer"), *((s, "seen") for s in seen)]
    evidence += [] if last in seen else [(last, "seen")]
    evidence += [] if distance is None else [(distance, "distance")]
    anchor = (str(recording["recording_id"]), goal.object_id, str(event["fact_id"]))
    sector = int(bearing["sector"])
    sectors = option_sectors(sector, recipe.id(str(recording["source"]), *anchor))
    return recipe.question(
        anchor=anchor,
        text={
            "goal": goal.name,
            "unseen_s": end_s - span_end(last),
            "bearing_deg": bearing["value"],
            "distance_m": None if distance is None else distance["value"],
            "ahead_s": event["t_s"] - end_s,
            "operator": event["operator"],
        },
        answer=Option(NAMES[sector], str(sector)),
        distractors=[Option(NAMES[s], str(s)) for s in sectors if s != sector],
        media=[Clip(recording, start_s, end_s, sampling="endpoints")],
        evidence=[("spatial_facts", fact["fact_id"], role) for fact, role in evidence],
    )


BUILDER = RECIPE.builder(
    questions,
    unit="recording",
    reads=READS,
    needs=NEEDS,
    limits=(
        f"a goal with a name of its own, seen earlier in a clip of {SHORTEST_S:g} s or more and out"
        f" of view at its end, whose direction is {MARGIN_DEG:g} degrees from a border"
    ),
)
