"""Chain of actions: which keysteps come next in which order, and in which direction each lies (EgoProx 3.1).

The clip ends with a keystep; the next three, four or five are the chain. "Dense regions of keysteps" (4.1) are
at least two more than the chain in 60 s. Ten candidates: the chain, and keysteps of the same task that the
wearer does not do any more, so that no other choice reaches the goal. Several orders may be valid, as the
takes of the task show (`step_order`); a chain with more than three is not asked.

The direction of a move is that of the displacement from one place to the next (C.2: "the spatial relationships
among the ordered combinations"), on the ground, from the camera's forward axis in the last frame. The paper
takes that frame's image plane as the reference, and also speaks of front and back, which an image plane
does not have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl

from assets.keysteps.order import (
    Observed,
    OrderUnknownError,
    TooManyOrdersError,
    valid_orders,
)
from assets.keysteps.places import is_edge
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import by_hash
from assets.questions.kit.directions import LETTERS, NAMES, RING
from assets.questions.kit.funnel import refuse
from assets.questions.kit.needs import EGO, rows_of, rows_where
from assets.questions.kit.recipe import (
    RECORDING_COLUMNS,
    Clip,
    Recipe,
    Row,
    ValidSequence,
    template,
)
from assets.scene_graphs.directions import direction
from assets.scene_graphs.rotation import Pose
from assets.scene_graphs.tracks import body_of

RECIPE = Recipe("egoprox", "chain_of_actions", 1, template(__file__, "chain_of_actions.j2"))
LENGTHS = (3, 4, 5)
CANDIDATES = 10
SHORTEST_S, LONGEST_S = 10.0, 30.0
DENSE_S, MORE_STEPS = 60.0, 2
MARGIN_DEG = 7.5
MOST_SPREAD_M = 0.5


@dataclass(frozen=True, slots=True)
class _Move:
    """From one keystep's place to another's, as seen in the last frame."""

    first: str
    second: str
    length_m: float
    bearing_deg: float
    sector: int

    @property
    def name(self) -> str:
        """Direction in words."""
        return NAMES[self.sector]


class _Unusable(Exception):
    """A chain cannot be asked about; the message is the rule it breaks."""


def questions(tables: Tables, _reading: str) -> Iterator[Row]:
    """Questions about the takes of a task, at most one after each keystep.

    Args:
        tables: Rows of `recordings`, `segments`, `camera_poses`, `calibrations` and `step_places` of the
            task's recordings, and of `step_order`.
    """
    steps = tables["segments"].filter(
        (pl.col("kind") == "keystep") & pl.col("class_id").is_not_null()
    )
    places = {row["segment_id"]: row for row in tables["step_places"].to_dicts()}
    for recording in tables["recordings"].filter(pl.col("view") == "ego").to_dicts():
        own = steps.filter(pl.col("recording_id") == recording["recording_id"])
        if own.is_empty():
            continue
        task = tables["step_order"].filter(pl.col("scenario") == recording["scenario"])
        take = _Take(recording, own.sort("start_s", "segment_id").to_dicts(), places, task, tables)
        for at in range(len(take.steps)):
            row = take.question(at)
            if row is not None:
                yield row


class _Take:
    """A take with its keysteps in order, and what is known of its task."""

    def __init__(
        self,
        recording: Row,
        steps: list[Row],
        places: Mapping[str, Row],
        task: pl.DataFrame,
        tables: Tables,
    ) -> None:
        self.recording, self.steps, self.places = recording, steps, places
        self.names = {int(step["class_id"]): step["class_name"] for step in steps}
        self.observed: dict[tuple[int, int], Observed] = {}
        for row in task.to_dicts():
            first, second = row["first_id"], row["second_id"]
            self.observed[first, second] = Observed(row["support"], row["exceptions"])
            self.names |= {first: row["first_name"], second: row["second_name"]}
        mine = pl.col("recording_id") == recording["recording_id"]
        self.body = body_of(tables["camera_poses"].filter(mine))
        self.mounts = tables["calibrations"].filter(mine)

    def question(self, at: int) -> Row | None:
        """The question whose clip ends with a keystep; None if no chain can be asked about."""
        end_s = float(self.steps[at]["end_s"])
        anchor = (str(self.recording["recording_id"]), str(self.steps[at]["segment_id"]))
        seed = RECIPE.id(str(self.recording["source"]), *anchor)
        rules = []
        for length in by_hash(LENGTHS, seed, "length", key=str):
            try:
                return self._chain(anchor, at, length, end_s)
            except _Unusable as unusable:
                rules.append(str(unusable))
        refuse(max(rules, key=RULES.index))
        return None

    def _chain(self, anchor: tuple[str, str], at: int, length: int, end_s: float) -> Row:
        later = [step for step in self.steps if step["start_s"] >= end_s]
        chain = later[:length]
        start_s = max(0.0, end_s - LONGEST_S)
        if (
            len(chain) < length
            or end_s - start_s < SHORTEST_S
            or len(later) + at + 1 < len(self.steps)
        ):
            raise _Unusable("enough_before_and_after")
        since = chain[-1]["end_s"] - DENSE_S
        dense = [
            s for s in self.steps if since <= s["start_s"] and s["end_s"] <= chain[-1]["end_s"]
        ]
        ids = [int(step["class_id"]) for step in chain]
        if len(dense) < length + MORE_STEPS or not self._only_once(ids):
            raise _Unusable("dense_and_not_repeated")
        candidates = self._candidates(ids, {int(s["class_id"]) for s in later}, anchor)
        orders = self._orders(ids)
        moves = self._moves(chain, orders, end_s)
        values = {str(number): " ".join(self.names[number].split()) for number in candidates}
        valid = [
            ValidSequence(
                tuple(map(str, order)),
                tuple(LETTERS[moves[pair].sector] for pair in pairwise(order)),
            )
            for order in orders
        ]
        return RECIPE.sequence_question(
            anchor=anchor,
            text={"goal": self.recording["scenario"], "ways": [*moves.values()]},
            candidates=values,
            valid=valid,
            moves=RING,
            media=[Clip(self.recording, start_s, end_s, sampling="endpoints")],
            evidence=[
                ("segments", str(self.steps[at]["segment_id"]), "done"),
                *(("segments", str(step["segment_id"]), "answer") for step in chain),
            ],
        )

    def _only_once(self, ids: Sequence[int]) -> bool:
        done = [int(step["class_id"]) for step in self.steps]
        return all(done.count(number) == 1 for number in ids)

    def _candidates(
        self, ids: Sequence[int], later: set[int], anchor: tuple[str, str]
    ) -> list[int]:
        """The chain, then what was done before, then other keysteps of the task: ten in all."""
        before = {int(step["class_id"]) for step in self.steps} - later
        others = [
            *by_hash(sorted(before), *anchor, key=str),
            *by_hash(sorted({*self.names} - before - later), *anchor, key=str),
        ]
        texts = {" ".join(self.names[number].casefold().split()) for number in ids}
        chosen = list(ids)
        for number in others:
            text = " ".join((self.names[number] or "").casefold().split())
            if text and text not in texts and len(chosen) < CANDIDATES:
                chosen.append(number)
                texts.add(text)
        if len(chosen) < CANDIDATES:
            raise _Unusable("ten_candidates")
        return chosen

    def _orders(self, ids: Sequence[int]) -> list[tuple[int, ...]]:
        """Valid orders, the one that was done first."""
        try:
            orders = valid_orders(ids, self.observed)
        except OrderUnknownError:
            raise _Unusable("order_known") from None
        except TooManyOrdersError:
            raise _Unusable("at_most_three_orders") from None
        return sorted(orders, key=lambda order: (order != tuple(ids), order))

    def _moves(
        self, chain: Sequence[Row], orders: Sequence[tuple[int, ...]], end_s: float
    ) -> dict[tuple[int, int], _Move]:
        """Moves of all orders."""
        known = [self.places.get(step["segment_id"]) for step in chain]
        camera = self._camera(end_s)
        if camera is None or any(p is None or p["spread_m"] > MOST_SPREAD_M for p in known):
            raise _Unusable("places_known")
        at = {
            int(step["class_id"]): np.array([place["x_m"], place["y_m"], place["z_m"]])
            for step, place in zip(chain, known, strict=True)
            if place is not None
        }
        moves: dict[tuple[int, int], _Move] = {}
        for first, second in dict.fromkeys(pair for order in orders for pair in pairwise(order)):
            one, other = at[first], at[second]
            if not is_edge((one[0], one[1]), (other[0], other[1])):
                raise _Unusable("places_apart")
            seen = direction(Pose(one, camera.q), other)
            if seen is None or seen.margin_deg < MARGIN_DEG:
                raise _Unusable("directions_clear")
            length_m = float(np.linalg.norm((other - one)[:2]))
            moves[first, second] = _Move(
                str(first), str(second), length_m, seen.bearing_deg, seen.sector
            )
        return moves

    def _camera(self, t_s: float) -> Pose | None:
        if self.body is None or self.mounts.is_empty():
            return None
        seen = self.body.camera_at(t_s, Pose.of_row(self.mounts.row(0, named=True)))
        return None if seen is None else seen[0]


RULES = (
    "enough_before_and_after",
    "dense_and_not_repeated",
    "ten_candidates",
    "order_known",
    "at_most_three_orders",
    "places_known",
    "places_apart",
    "directions_clear",
)
BUILDER = RECIPE.builder(
    questions,
    unit="scenario",
    reads={
        "recordings": (*RECORDING_COLUMNS, "view", "scenario"),
        "segments": (
            "segment_id",
            "recording_id",
            "kind",
            "start_s",
            "end_s",
            "class_id",
            "class_name",
        ),
        "camera_poses": None,
        "calibrations": None,
        "step_order": None,
        "step_places": None,
    },
    needs=(
        EGO,
        rows_where("segments", ("kind",), pl.col("kind") == "keystep", "no keysteps are annotated"),
        rows_of("step_places", "where keysteps are done is not known: no hands in 3D"),
        rows_of("camera_poses", "no poses of the camera or device"),
        rows_of("calibrations", "nothing says where the camera sits in the device"),
    ),
    limits="three keysteps or more after 10 s, in at most three valid orders that takes show, at places 0.3 m apart",
    rules=RULES,
    paper=False,
)
