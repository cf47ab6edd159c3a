"""Object relation: the other camera's clip in which the query's object is used (EgoExoBench A.2).

The query is a clip of one person's action. The right option shows the same moment by the other camera of
the take; the distractors show other times of that recording, at which the same person uses other objects.
The question names no object, and both directions are asked.

"Different objects" means no common object in any part of the action (what is taken, where from, what with);
hands do not count, but what the person has taken and not yet put away does: who turns on the tap with the
kettle in the other hand shows the kettle. An observer's camera shows everybody: no distractor shows an object of the query in
anybody's hands, and where the observer asks, everybody's objects at that moment count as the query's. No
two options have the same direct object, since they would rule each other out. Clips are cut to the
shortest, as in action relation: the right clip would otherwise last as long as the query.

The paper says "different time segments where the person interacts with different objects" and nothing
else: the reading `paper` takes any actions with another direct object and shows them as annotated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import polars as pl

from assets.questions.egoexobench.acts import NAMED_ACTIONS, Act, acts_of_take
from assets.questions.egoexobench.moments import (
    DISTRACTORS,
    READS,
    distractors_as_paper,
    moment_question,
    other_moments,
)
from assets.questions.kit.builder import Tables
from assets.questions.kit.clips import MOST_RATIO, may_be_cut_alike
from assets.questions.kit.funnel import refuse
from assets.questions.kit.needs import rows_where, take_with_both_views
from assets.questions.kit.recipe import Recipe, Row, template
from assets.questions.kit.takes import SYNCHRONOUS, cameras, synchronous_clocks

RECIPE = Recipe("egoexobench", "object_relation", 1, template(__file__, "object_relation.j2"))


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions of both directions about the objects that people of one take use.

    Args:
        tables: Rows of `recordings`, `segments`, `relations`, `labels` and `clocks` of the take's recordings.
        reading: Under `paper`, take any actions on another direct object at other times, and show
            them as annotated.
    """
    recipe = RECIPE.under(reading)
    clocks = synchronous_clocks(tables["clocks"])
    acts = acts_of_take(tables, clocks, as_annotated=recipe.as_paper)
    in_sight = _in_sight(acts)
    exo, ego = (cameras(tables["recordings"], clocks, view) for view in ("exo", "ego"))
    for observer, wearer in product(exo, ego):
        mine = [act for act in acts if act.recording_id == wearer.uid]
        using = [act for act in mine if act.things]
        own = [act for act in using if act.clip is not None and observer.films(act.clip)]
        directions = (("ego2exo", wearer, observer), ("exo2ego", observer, wearer))
        refuse("uses_an_object", len(directions) * (len(mine) - len(using)))
        refuse("seen_by_both_cameras", len(directions) * (len(using) - len(own)))
        for act, (direction, asked, shown) in product(own, directions):
            chosen = (
                distractors_as_paper(
                    act, own, differs=lambda other, act=act: not other.things & act.things
                )
                if recipe.as_paper
                else _distractors(act, own, acts, in_sight, observer_asks=asked is observer)
            )
            if len(chosen) == DISTRACTORS:
                anchor = (direction, act.segment_id, observer.uid)
                text = {"objects": sorted(act.objects)}
                yield moment_question(recipe, anchor, asked, shown, act, chosen, text)
            else:
                refuse("three_other_objects")


def _in_sight(acts: Sequence[Act]) -> dict[str, frozenset[str]]:
    """Objects of each action with those its person has in hand meanwhile, by segment."""
    in_hand: dict[str, set[str]] = {}
    found: dict[str, frozenset[str]] = {}
    for act in acts:  # in time order
        in_own_hand = in_hand.setdefault(act.actor, set())
        found[act.segment_id] = act.objects | in_own_hand
        if act.does("take", "hold"):
            in_own_hand |= act.things
        elif act.does("put"):
            in_own_hand -= act.things
    return found


def _distractors(
    act: Act,
    own: Sequence[Act],
    everybody: Sequence[Act],
    in_sight: Mapping[str, frozenset[str]],
    *,
    observer_asks: bool,
) -> list[Act]:
    """Up to three other moments of the person at which none of the query's objects is used, by hash.

    Args:
        act: Action asked about.
        own: Actions of the same person that both cameras show.
        everybody: Actions of all people of the take.
        in_sight: Objects that each action shows, by segment.
        observer_asks: Whether the query shows what others do meanwhile too.
    """
    asked = _objects(act, everybody, in_sight, of_all=observer_asks)
    chosen: list[Act] = []
    for other in other_moments(act, own):
        seen = _objects(other, everybody, in_sight, of_all=not observer_asks)
        if (
            not asked & seen
            and not any(other.shows_time_of(a) or other.things & a.things for a in (act, *chosen))
            and may_be_cut_alike(a.length_s for a in (act, *chosen, other))
        ):
            chosen.append(other)
    return chosen[:DISTRACTORS]


def _objects(
    act: Act,
    everybody: Sequence[Act],
    in_sight: Mapping[str, frozenset[str]],
    *,
    of_all: bool,
) -> frozenset[str]:
    """Objects seen during an action's clip: of its person, or of all."""
    meanwhile = (other for other in act.meanwhile(everybody) if of_all or other.actor == act.actor)
    return in_sight[act.segment_id].union(*(in_sight[other.segment_id] for other in meanwhile))


BUILDER = RECIPE.builder(
    questions,
    unit="take",
    reads=READS,
    needs=(
        take_with_both_views(SYNCHRONOUS),
        NAMED_ACTIONS,
        rows_where(
            "relations",
            ("role",),
            pl.col("role") == "direct",
            "no relation names a direct object",
        ),
    ),
    limits=(
        f"an action with an object, seen by both cameras, and {DISTRACTORS} other actions of that"
        f" person with none of its objects, none more than {MOST_RATIO:g} times as long as another"
    ),
    rules=("uses_an_object", "seen_by_both_cameras", "three_other_objects"),
    one_frame=True,
)
