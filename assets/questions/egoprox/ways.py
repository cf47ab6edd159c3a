"""Ways to goals out of view, as both exploration subtasks ask about them (EgoProx 3.1, 4.1).

A goal was in view earlier in the clip and is not in the last frame. The way to it is planned among the
boxes of all other things (`paths`). Walls may have no boxes, so a way is only asked about if it lies
where the wearer saw that nothing bars it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assets.questions.egoprox.goals import NEEDS as GOAL_NEEDS
from assets.questions.egoprox.goals import READS as GOAL_READS
from assets.questions.egoprox.goals import Goal, fact_at, goals, span_end
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import Candidate, few
from assets.questions.kit.funnel import FEW_RULES, refuse
from assets.questions.kit.needs import rows_of
from assets.questions.kit.recipe import Clip, Evidence, Recipe, Row

READS = {
    **GOAL_READS,
    "paths": (
        "recording_id",
        "path_id",
        "object_id",
        "t_s",
        "camera",
        "heading_deg",
        "start_offset_m",
        "waypoints",
        "length_m",
        "seen_share",
    ),
}
NEEDS = (
    *GOAL_NEEDS,
    rows_of("paths", "no ways are planned: the extra `space` is not installed, or no box stands"),
)
FRAMES = 8
LONGEST_S = 8.0
SHORTEST_S = 4.0
UNSEEN_S = 0.5
SEEN_SHARE = 0.95
FIRST_LEG_M = 0.5
BESIDE_M = 0.3
SHORTEST_WAY_M = 1.0
REACH_M = 1.5
"""A goal that is nearer to the camera is reached from where one stands, whatever way is planned round a table."""
APART_S = 4.0
MOST = 12
MOST_PER_ANSWER = 2
_OUT_OF_VIEW, _SEEN, _CLEAR = "goal_seen_and_out_of_view", "way_was_seen", "answer_is_clear"
RULES = (_OUT_OF_VIEW, _SEEN, _CLEAR, *FEW_RULES)
"""Rules by which `asked` refuses ways, in order."""
LIMITS = (
    f"a goal with a name of its own, seen earlier in a clip of {SHORTEST_S:g} s or more and out of view at"
    f" its end, with a way of {SHORTEST_WAY_M:g} m or more of which {100 * SEEN_SHARE:g} % was seen,"
    f" {REACH_M:g} m or more from the camera"
)


@dataclass(frozen=True, slots=True)
class Way:
    """A way that can be asked about.

    Attributes:
        recording: Row of `recordings`.
        goal: Where it leads.
        path: Row of `paths`.
        turn_deg: From the camera's axis to the first bend, or the end, right positive.
        distance_m: From the camera to there.
        start_s: Start of the clip, which ends at the path's instant.
        seen: Facts that frames of the clip show the goal, then the last fact that it was in view.
    """

    recording: Mapping[str, Any]
    goal: Goal
    path: Row
    turn_deg: float
    distance_m: float
    start_s: float
    seen: tuple[Row, ...]

    @property
    def anchor(self) -> tuple[str, str]:
        """Keys of what a question about it is about."""
        return str(self.recording["recording_id"]), str(self.path["path_id"])

    @property
    def text(self) -> dict[str, Any]:
        """Values for the templates."""
        return {
            "goal": self.goal.name,
            "unseen_s": self.path["t_s"] - max(span_end(span) for span in self.seen),
            "bends": len(self.path["waypoints"]) - 2,
            "length_m": self.path["length_m"],
            "turn_deg": self.turn_deg,
            "distance_m": self.distance_m,
        }

    @property
    def clip(self) -> Clip:
        """What is shown."""
        return Clip(self.recording, self.start_s, self.path["t_s"], sampling="endpoints")

    @property
    def evidence(self) -> list[Evidence]:
        """Rows it rests on."""
        spans = {span["fact_id"]: span for span in self.seen}
        return [
            ("paths", self.path["path_id"], "answer"),
            *(("spatial_facts", fact_id, "seen") for fact_id in spans),
        ]


def ways(tables: Tables, *, as_paper: bool) -> Iterator[Way]:
    """Ways to the goals of one recording or several, each at an instant at which its goal is out of view.

    Args:
        tables: Rows of `recordings`, `spatial_facts`, `objects_3d` and `paths`.
        as_paper: Also those of which too little was seen, and short ones.
    """
    planned: dict[tuple[str, str], list[Row]] = {}
    for path in tables["paths"].sort("t_s", "path_id").iter_rows(named=True):
        planned.setdefault((path["recording_id"], path["object_id"]), []).append(path)
    for recording, goal in goals(tables):
        for path in planned.get((recording["recording_id"], goal.object_id), ()):
            way = _way(recording, goal, path)
            if way is None:
                refuse(_OUT_OF_VIEW)
            elif not as_paper and not _is_plain(way):
                refuse(_SEEN)
            else:
                yield way


def asked(
    tables: Tables,
    recipe: Recipe,
    answer: Callable[[Way], Hashable | None],
) -> Iterator[tuple[str, list[Way]]]:
    """The ways of each recording that are asked about, in the order of their questions' ids.

    At most two have one answer, so that the answers are about equally frequent, though what is out of
    view is mostly behind.

    Args:
        tables: Rows of `recordings`, `spatial_facts`, `objects_3d` and `paths`.
        recipe: Recipe of the questions.
        answer: What is right; None if nothing is asked.

    Yields:
        Recording and its ways.
    """
    of_recording: dict[str, list[Way]] = {}
    for way in ways(tables, as_paper=recipe.as_paper):
        if answer(way) is None:
            refuse(_CLEAR)
        else:
            of_recording.setdefault(way.anchor[0], []).append(way)
    for uid, found in sorted(of_recording.items()):
        candidates = [
            Candidate(
                recipe.id(str(way.recording["source"]), *way.anchor),
                way.anchor,
                way.goal.object_id,
                way.path["t_s"],
                answer(way),
                way,
            )
            for way in found
        ]
        kept = few(
            candidates,
            lambda candidate: {"way": candidate.content},
            most=len(candidates) if recipe.as_paper else MOST,
            most_per_answer=len(candidates) if recipe.as_paper else MOST_PER_ANSWER,
            apart_s=0.0 if recipe.as_paper else APART_S,
        )
        yield uid, [row["way"] for row in kept]


def _way(recording: Mapping[str, Any], goal: Goal, path: Row) -> Way | None:
    """The way of a path if the goal was seen in the clip before, and is out of view and of the hand."""
    end_s, limit = float(path["t_s"]), recording["duration_s"]
    start_s = max(0.0, end_s - LONGEST_S)
    if end_s - start_s < SHORTEST_S or (limit is not None and end_s > limit):
        return None
    sent = [start_s + i * (end_s - start_s) / (FRAMES - 1) for i in range(FRAMES)]
    seen, last = goal.seen_at([t for t in sent if t <= end_s - UNSEEN_S]), goal.last_seen(end_s)
    hidden = not goal.was_in_view(end_s - UNSEEN_S, end_s) and not goal.is_touched(end_s)
    if not seen or last is None or not hidden:
        return None
    camera, bend = path["camera"], path["waypoints"][1]
    east, north = bend["x_m"] - camera["x_m"], bend["y_m"] - camera["y_m"]
    turn = path["heading_deg"] - math.degrees(math.atan2(north, east))
    turn = 180.0 - (180.0 - turn) % 360.0
    distance = math.hypot(east, north)
    return Way(recording, goal, path, turn, distance, start_s, (*seen, last))


def _is_plain(way: Way) -> bool:
    """Whether its first leg is long enough to have a direction, its goal is out of reach, and nothing unseen bars it."""
    path = way.path
    distance = fact_at(way.goal.distances, path["t_s"])
    return (
        distance is not None
        and distance["value"] >= REACH_M
        and path["seen_share"] >= SEEN_SHARE
        and path["start_offset_m"] <= BESIDE_M
        and way.distance_m >= FIRST_LEG_M
        and path["length_m"] >= SHORTEST_WAY_M
    )
