"""Action order: two successive actions of one person, one seen by each camera (EgoExoBench A.4).

"Two temporally continuous action clips [...]: one from the exocentric view and the other from the
corresponding egocentric view". The four statements are fixed: either video comes before the other, or
is a part of it. The recipe never makes a part, as the paper never does, so that two options are never
right: effective chance is 50 %, not 25 %.

The order must follow from what is done. The paper asks a language model whether "one action must precede
the other". Here the source itself is asked: the second action takes up what the first is done to, and a
pair of these verbs with the thing in these parts occurs at least five times in a row, and never in the
other order (see `order`).

The pause between the actions lasts at most 2 s, and clips meet in its middle at most. They are cut to the
shorter: lengths tell nothing. What another person does at both times would be in no order: such pairs are
not asked about. Which clip is video 1 is chosen by hash; each view shows the earlier action once.

The reading `paper` asks about all such pairs, as annotated: the language model's filter is what it lacks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import polars as pl

from assets.pairs.choice import stable_hash
from assets.questions.egoexobench.acts import NAMED_ACTIONS, Act, acts_of_take
from assets.questions.egoexobench.moments import READS
from assets.questions.egoexobench.order import (
    LEAST_SUPPORT,
    Pattern,
    counted,
    has_reason,
    is_settled,
    pattern,
    sequences,
)
from assets.questions.kit.builder import Tables
from assets.questions.kit.clips import Span, cut, may_be_cut_alike
from assets.questions.kit.funnel import refuse
from assets.questions.kit.needs import rows_where, take_with_both_views
from assets.questions.kit.recipe import (
    Clip,
    Option,
    Recipe,
    Row,
    template,
)
from assets.questions.kit.takes import SYNCHRONOUS, Camera, cameras, synchronous_clocks

RECIPE = Recipe("egoexobench", "action_order", 1, template(__file__, "action_order.j2"))
LONGEST_PAUSE_S = 2.0
_ORDERS = ("ego", "exo")
"""View that shows the earlier action."""
STATEMENTS = {
    "1 before 2": "Actions in Video 1 occur before actions in Video 2",
    "2 before 1": "Actions in Video 2 occur before actions in Video 1",
    "1 in 2": "Actions in Video 1 are part of the sequence of actions in Video 2",
    "2 in 1": "Actions in Video 2 are part of the sequence of actions in Video 1",
}


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Two questions about each pair of successive actions whose order is settled.

    Args:
        tables: Rows of `recordings`, `segments`, `relations`, `labels` and `clocks` of a whole source.
        reading: Under `paper`, ask about all pairs.
    """
    recipe = RECIPE.under(reading)
    clocks = synchronous_clocks(tables["clocks"])
    acts = acts_of_take(tables, clocks, as_annotated=recipe.as_paper)
    of_recordings = sequences(acts)
    counts = counted(of_recordings)
    exo, ego = (cameras(tables["recordings"], clocks, view) for view in ("exo", "ego"))
    for wearer in ego:
        take = wearer.row["take_id"]
        beside = [
            uid for uid in (c.uid for c in ego if c.row["take_id"] == take) if uid != wearer.uid
        ]
        others = [act for uid in beside for act in of_recordings.get(uid, ())]
        observers = [camera for camera in exo if camera.row["take_id"] == take]
        for first, second in pairwise(of_recordings.get(wearer.uid, ())):
            spans = _spans(first, second, as_annotated=recipe.as_paper)
            found = pattern(first, second)
            if spans is None:
                refuse("shown_one_after_the_other", len(_ORDERS) * len(observers))
                continue
            broken = (
                None if recipe.as_paper else _broken_rule((first, second), spans, counts, others)
            )
            if broken is not None:
                refuse(broken, len(_ORDERS) * len(observers))
                continue
            support = 0 if found is None else counts[found]
            for observer in observers:
                for shown_by in ((wearer, observer), (observer, wearer)):
                    if all(c.films(s) for c, s in zip(shown_by, spans, strict=True)):
                        yield _question(recipe, (first, second), spans, shown_by, support)
                    else:
                        refuse("filmed_by_both_cameras")


def _broken_rule(
    acts: tuple[Act, Act],
    spans: Sequence[Span],
    counts: Mapping[Pattern, int],
    others: Sequence[Act],
) -> str | None:
    """First rule that two actions of one person break; None if their order is settled."""
    first, second = acts
    found = pattern(first, second)
    if found is None or not has_reason(first, second):
        return "takes_up_the_same_thing"
    if first.is_like(second):
        return "different_actions"
    if not is_settled(found, counts):
        return "order_settled_in_the_source"
    if any(other.meets(*spans[0]) and other.meets(*spans[1]) for other in others):
        return "nobody_else_at_both_times"
    return None


def _question(
    recipe: Recipe,
    acts: Sequence[Act],
    spans: Sequence[Span],
    shown_by: Sequence[Camera],
    support: int,
) -> Row:
    """A question about two actions, the earlier first; each is shown by a camera of its own."""
    anchor = (*(a.segment_id for a in acts), *(c.uid for c in shown_by))
    identity = recipe.id(str(shown_by[0].row["source"]), *anchor)
    swapped = int(stable_hash("video", identity)[:2], 16) % 2 == 1
    clips: list[Clip] = [
        # Actions are annotated on the wearer's recording: an observer's clip stands for no segment.
        replace(clip, segment_id=None) if act.recording_id != camera.uid else clip
        for camera, span, act in zip(shown_by, spans, acts, strict=True)
        for clip in (camera.clip(span, act.segment_id),)
    ]
    place = (1, 0) if swapped else (0, 1)
    right = "2 before 1" if swapped else "1 before 2"
    options = {value: Option(text, value) for value, text in STATEMENTS.items()}
    answer = options.pop(right)
    roles = ("video_1", "video_2")
    evidence: list[tuple[str, str, str]] = []
    for role, i in zip(roles, place, strict=True):
        evidence.append(("segments", acts[i].segment_id, role))
        evidence += [("relations", key, "answer") for key in acts[i].relations]
        evidence.append(("clocks", shown_by[i].uid, role))
    text: dict[str, Any] = {
        "earlier": acts[0],
        "later": acts[1],
        "first": 2 if swapped else 1,
        "second": 1 if swapped else 2,
        "gap_s": acts[1].start_s - acts[0].end_s,
        "support": support,
        "settled": not recipe.as_paper,
    }
    return recipe.question(
        anchor=anchor,
        text=text,
        answer=answer,
        distractors=options.values(),
        media=[clips[i] for i in place],
        roles=roles,
        evidence=evidence,
    )


def _spans(first: Act, second: Act, *, as_annotated: bool) -> tuple[Span, Span] | None:
    """What is shown of two actions on the take's clock; None if they cannot be shown apart."""
    pause_s = second.start_s - first.end_s
    if first.clip is None or second.clip is None or not 0.0 <= pause_s <= LONGEST_PAUSE_S:
        return None
    middle_s = (first.end_s + second.start_s) / 2
    one = (first.clip[0], min(first.clip[1], middle_s))
    other = (max(second.clip[0], middle_s), second.clip[1])
    if as_annotated:
        return one, other
    lengths = (one[1] - one[0], other[1] - other[0])
    if not may_be_cut_alike(lengths):
        return None
    length_s = min(lengths)
    return (
        cut(one, (first.start_s + first.end_s) / 2, length_s),
        cut(other, (second.start_s + second.end_s) / 2, length_s),
    )


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads=READS,
    needs=(
        take_with_both_views(SYNCHRONOUS),
        NAMED_ACTIONS,
        rows_where(
            "relations",
            ("relation",),
            pl.col("relation") == "verb",
            "no relation names a verb",
        ),
    ),
    limits=(
        f"two actions of one person with a pause of at most {LONGEST_PAUSE_S:g} s that share a thing,"
        f" in an order that the source holds {LEAST_SUPPORT} times and never reversed"
    ),
    rules=(
        "shown_one_after_the_other",
        "takes_up_the_same_thing",
        "different_actions",
        "order_settled_in_the_source",
        "nobody_else_at_both_times",
        "filmed_by_both_cameras",
    ),
)
