"""Action relation on synchronous views: the same moment seen by the other camera (EgoExoBench A.2).

The query is a clip of one person's action. The options are four clips of one recording of the other
view of the same take: the right one lies at the same time on the take's clock, the distractors at
times when that person does something else. The paper does not fix who asks whom ("a corresponding
clip from another viewpoint"), so both directions are asked.

An observer's camera shows everybody. A distractor therefore must not show the query's action done
by anyone, and a moment at which two people do the same thing is not asked about.

The right clip lasts as long as the query, so that lengths would tell it. All clips of a question
are therefore cut to its shortest, around the middles of their actions; actions that differ more
than twofold in length do not meet in a question, so that at least half of each clip stays.

The paper says none of this: distractors are "different temporal segments of the same video,
corresponding to different actions". The reading `paper` takes any segments of other names, shows
every clip as long as its action, and leaves what others do at that time to the gates.

The options' `text` is the narration, for protocols that read text in place of video; the question
never holds one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from assets.pairs.choice import stable_hash
from assets.questions.egoexobench.acts import (
    KIND,
    SYNCHRONOUS,
    Act,
    Clock,
    acts_of_take,
    synchronous_clocks,
)
from assets.questions.egoexobench.shared import MOST_RATIO, OPTIONS, may_be_cut_alike, overlap
from assets.questions.kit.builder import Tables
from assets.questions.kit.needs import rows_where, take_with_both_views
from assets.questions.kit.recipe import RECORDING_COLUMNS, Clip, Option, Recipe, Row, template

RECIPE = Recipe(
    "egoexobench",
    "action_relation",
    1,
    template(__file__, "action_relation_lemma.j2"),
    name="action_relation_lemma",
)


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions of both directions about the actions of one take.

    Actions that cannot be asked about make none: too short, outside the other recording, done by
    two people at once, or with fewer than three distractors.

    Args:
        tables: Rows of `recordings`, `segments`, `relations` and `clocks` of the take's recordings.
        reading: Under `paper`, take any actions of other names at other times, and show them as
            annotated.
    """
    recipe = RECIPE.under(reading)
    clocks = synchronous_clocks(tables["clocks"])
    acts = acts_of_take(tables, clocks, as_annotated=recipe.as_paper)
    cameras: dict[str, list[_Camera]] = {"ego": [], "exo": []}
    for row in tables["recordings"].sort("recording_id").iter_rows(named=True):
        if row["recording_id"] in clocks and row["view"] in cameras:
            cameras[row["view"]].append(_Camera(row, clocks[row["recording_id"]]))
    for observer in cameras["exo"]:
        for wearer in cameras["ego"]:
            own = [a for a in acts if a.recording_id == wearer.uid and observer.films(a)]
            for act in own:
                for direction, asked, shown in (
                    ("ego2exo", wearer, observer),
                    ("exo2ego", observer, wearer),
                ):
                    # An observer's camera also shows what others do meanwhile.
                    chosen = (
                        _of_other_names(act, own)
                        if recipe.as_paper
                        else _distractors(act, own, acts, seen_by_all=asked is observer)
                    )
                    if len(chosen) == OPTIONS - 1:
                        anchor = (direction, act.segment_id, observer.uid)
                        yield _question(recipe, anchor, asked, shown, act, chosen)


@dataclass(frozen=True, slots=True)
class _Camera:
    """A recording of the take and its clock."""

    row: Mapping[str, Any]
    clock: Clock

    @property
    def uid(self) -> str:
        return str(self.row["recording_id"])

    def films(self, act: Act) -> bool:
        """Whether an action can be shown and the camera runs all the while."""
        if not act.clip:
            return False
        limit = self.row["duration_s"]
        start_s, end_s = (self.clock.from_take(t) for t in act.clip)
        return start_s >= 0 and (limit is None or end_s <= limit)

    def clip(self, act: Act, length_s: float | None) -> Clip:
        """The action as this camera filmed it, cut to a length."""
        span = act.shown if length_s is None else act.cut(length_s)
        start_s, end_s = (self.clock.from_take(t) for t in span)
        return Clip(self.row, start_s, end_s, act.segment_id)


def _question(
    recipe: Recipe,
    anchor: tuple[str, ...],
    asked: _Camera,
    shown: _Camera,
    act: Act,
    distractors: Sequence[Act],
) -> Row:
    length_s = None if recipe.as_paper else min(_length_s(a) for a in (act, *distractors))
    query = asked.clip(act, length_s)
    answer, *others = (
        Option(
            a.words,
            clip=shown.clip(a, length_s),
            evidence=(("segments", a.segment_id), *(("relations", key) for key in a.relations)),
        )
        for a in (act, *distractors)
    )
    return recipe.question(
        anchor=anchor,
        text={"narration": act.words, "query": query, "shown": answer.shown},
        answer=answer,
        distractors=others,
        media=[query],
        evidence=[
            ("clocks", asked.uid, "query"),
            ("clocks", shown.uid, "option"),
            *((table, key, "query") for table, key in answer.evidence),
        ],
    )


def _distractors(
    act: Act, own: Sequence[Act], everybody: Sequence[Act], *, seen_by_all: bool
) -> list[Act]:
    """Up to three other moments of the person that show something else, by hash.

    Args:
        act: Action asked about.
        own: Actions of the same person that both cameras show.
        everybody: Actions of all people of the take.
        seen_by_all: Whether the query shows what others do meanwhile too.
    """
    at_once = _during(act, everybody)
    if any(other.actor != act.actor and other.is_like(act) for other in at_once):
        return []
    asked = at_once if seen_by_all else [act]
    chosen: list[Act] = []
    for other in _ranked(act, own):
        seen = _during(other, everybody)
        mine = [a for a in seen if a.actor == act.actor]
        if (
            not any(a.is_like(act) for a in seen)
            and not any(a.is_like(b) for a in mine for b in asked)
            and not any(_overlap(other, a) or other.is_like(a) for a in (act, *chosen))
            and may_be_cut_alike([_length_s(a) for a in (act, *chosen, other)])
        ):
            chosen.append(other)
    return chosen[: OPTIONS - 1]


def _of_other_names(act: Act, own: Sequence[Act]) -> list[Act]:
    """Up to three other moments of the person with other names, by hash."""
    chosen: list[Act] = []
    for other in _ranked(act, own):
        apart = not any(_overlap(other, a) for a in (act, *chosen))
        if apart and other.words.casefold() != act.words.casefold():
            chosen.append(other)
    return chosen[: OPTIONS - 1]


def _ranked(act: Act, own: Sequence[Act]) -> list[Act]:
    """Other moments of the person, by hash."""
    return sorted(
        (other for other in own if other is not act),
        key=lambda o: (stable_hash("distractor", act.segment_id, o.segment_id), o.segment_id),
    )


def _during(act: Act, everybody: Sequence[Act]) -> list[Act]:
    """What anybody does during the clip of an action."""
    return [other for other in everybody if other.meets(*act.shown)]


def _length_s(act: Act) -> float:
    start_s, end_s = act.shown
    return end_s - start_s


def _overlap(one: Act, other: Act) -> bool:
    return overlap(one.shown, other.shown)


BUILDER = RECIPE.builder(
    questions,
    unit="take",
    reads={
        "recordings": (*RECORDING_COLUMNS, "take_id", "view"),
        "segments": (
            "segment_id",
            "recording_id",
            "kind",
            "actor_id",
            "is_point",
            "start_s",
            "end_s",
            "class_name",
            "narration",
        ),
        "relations": ("relation_id", "segment_id", "relation", "object", "role"),
        "clocks": ("recording_id", "offset_s", "rate", "method"),
    },
    needs=(
        take_with_both_views(SYNCHRONOUS),
        rows_where(
            "segments",
            ("kind", "class_name"),
            (pl.col("kind") == KIND) & (pl.col("class_name").fill_null("") != ""),
            f"no segment of kind {KIND} has a class",
        ),
    ),
    limits=(
        f"an action that one person does, seen by both cameras, and {OPTIONS - 1} other actions of"
        f" that person in other words, none more than {MOST_RATIO:g} times as long as another"
    ),
)
