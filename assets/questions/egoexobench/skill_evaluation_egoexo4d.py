"""Skill evaluation by levels of proficiency: who performs a task best or worst (EgoExoBench A.4).

"We select Late Expert videos as references and sample candidates with varying proficiency levels from the
same activity." The reference and the candidates are takes of one task by five different people, the
reference seen in one view and the candidates in the other; both directions are asked. Exactly one
candidate has the highest level (of "best") or the lowest (of "worst"): with two, either would be right.

Every take is asked about at most once as the best and once as the worst per direction, and who else is
shown is chosen by hash, so that the number of questions grows with the takes and not with their fourth
power. Videos are shown whole: how long somebody takes is part of the skill. Videos in which the action is
hard to see, which the authors excluded by hand, are not excluded: their list is not released.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import by_hash
from assets.questions.kit.funnel import refuse
from assets.questions.kit.needs import BOTH_VIEWS, rows_where
from assets.questions.kit.recipe import RECORDING_COLUMNS, Clip, Option, Recipe, Row, template

RECIPE = Recipe(
    "egoexobench",
    "skill_evaluation",
    1,
    template(__file__, "skill_evaluation_egoexo4d.j2"),
    name="skill_evaluation_egoexo4d",
)
REFERENCE_LABEL = "Late Expert"
DISTRACTORS = 3
_VIEWS = ("exo", "ego")


@dataclass(frozen=True, slots=True)
class Performance:
    """A take whose performer's proficiency is known.

    Attributes:
        source: Source.
        take_id: The take.
        person: Who performs.
        level: Level, 0 is the lowest.
        label: Its name.
        scale: Scale of the level.
        task: Task performed.
        recordings: Recordings by view, by id; those of unknown length are left out.
    """

    source: str
    take_id: str
    person: str
    level: int
    label: str
    scale: str
    task: str
    recordings: dict[str, list[dict[str, Any]]]

    def shown(self, view: str, *seed: str) -> tuple[Clip, tuple[tuple[str, str], ...]]:
        """The whole of a recording of a view, and the rows it rests on.

        An Aria is the wearer's camera where there are several; a fixed camera is chosen by hash.
        """
        cameras = by_hash(self.recordings[view], *seed, key=lambda row: str(row["recording_id"]))
        row = min(cameras, key=lambda row: view == "ego" and row["device"] != "aria")
        rows = (
            ("recordings", str(row["recording_id"])),
            ("skill_levels", f"{self.take_id}/{self.scale}"),
        )
        return Clip(row, 0.0, float(row["duration_s"])), rows


def questions(tables: Tables, _reading: str) -> Iterator[Row]:
    """Questions about the takes of each task of a scenario.

    Args:
        tables: Rows of `recordings` of the scenario and of `skill_levels`.
    """
    for group in _groups(tables):
        for asked, (reference_view, view) in (
            (kind, direction) for kind in ("best", "worst") for direction in (_VIEWS, _VIEWS[::-1])
        ):
            for one in group:
                anchor = (asked, view, one.take_id)
                seed = RECIPE.id(one.source, *anchor)
                chosen = _chosen(one, group, asked, seed, reference_view, view)
                if chosen is not None:
                    yield _question(asked, one, *chosen, reference_view, view, anchor)


def _chosen(
    one: Performance,
    group: Sequence[Performance],
    asked: str,
    seed: str,
    reference_view: str,
    view: str,
) -> tuple[Performance, list[Performance]] | None:
    """Reference and three others of four further people, the others all worse or all better; by hash."""
    if not one.recordings[view]:
        refuse("filmed_from_that_view")
        return None
    ordered = by_hash(group, seed, key=lambda p: p.take_id)
    sign = 1 if asked == "best" else -1
    lesser = [p for p in ordered if sign * (one.level - p.level) >= 1 and p.recordings[view]]
    for reference in ordered:
        if reference.label != REFERENCE_LABEL or not reference.recordings[reference_view]:
            continue
        if reference.person == one.person:
            continue
        others: list[Performance] = []
        for p in lesser:
            if p.person not in {one.person, reference.person, *(o.person for o in others)}:
                others.append(p)
        if len(others) >= DISTRACTORS:
            return reference, others[:DISTRACTORS]
    refuse("reference_and_three_others")
    return None


def _question(
    asked: str,
    one: Performance,
    reference: Performance,
    others: Sequence[Performance],
    reference_view: str,
    view: str,
    anchor: tuple[str, ...],
) -> Row:
    seed = RECIPE.id(one.source, *anchor)
    clip, rows = reference.shown(reference_view, seed)
    answer, *distractors = (
        Option(p.task, clip=shown, evidence=evidence)
        for p in (one, *others)
        for shown, evidence in (p.shown(view, seed),)
    )
    options = (answer, *distractors)
    letters = RECIPE.letters(seed, options)
    labels = {letters[o.key]: p.label for o, p in zip(options, (one, *others), strict=True)}
    return RECIPE.question(
        anchor=anchor,
        text={"asked": asked, "label": reference.label, "labels": sorted(labels.items())},
        answer=answer,
        distractors=distractors,
        media=[clip],
        roles=["reference"],
        evidence=[(table, key, "reference") for table, key in rows],
    )


def _groups(tables: Tables) -> Iterator[list[Performance]]:
    """Performances of one task, scale and split, by take."""
    takes: dict[str, dict[str, list[dict[str, Any]]]] = defaultdict(lambda: {"ego": [], "exo": []})
    splits: dict[str, str | None] = {}
    for row in tables["recordings"].sort("recording_id").iter_rows(named=True):
        splits[row["take_id"]] = row["split"]
        if row["duration_s"] and row["view"] in _VIEWS:
            takes[row["take_id"]][row["view"]].append(row)
    levels = (
        tables["skill_levels"]
        .filter(pl.col("task").is_not_null() & pl.col("take_id").is_in(list(takes)))
        # A take with two performers has two levels: nobody could tell whose is meant.
        .unique(["take_id", "scale"], keep="none")
        .sort("take_id", "scale")
    )
    groups: dict[tuple[str, ...], list[Performance]] = defaultdict(list)
    for row in levels.iter_rows(named=True):
        take = row["take_id"]
        groups[row["task"], row["scale"], splits[take] or ""].append(
            Performance(
                row["source"],
                take,
                row["actor_id"],
                row["level"],
                row["label"],
                row["scale"],
                row["task"],
                takes[take],
            )
        )
    yield from groups.values()


BUILDER = RECIPE.builder(
    questions,
    unit="scenario",
    reads={
        "recordings": (*RECORDING_COLUMNS, "take_id", "view", "device", "scenario"),
        "skill_levels": ("take_id", "actor_id", "scale", "task", "level", "label"),
    },
    needs=(
        BOTH_VIEWS,
        rows_where(
            "skill_levels",
            ("label", "task"),
            (pl.col("label") == REFERENCE_LABEL) & pl.col("task").is_not_null(),
            f"no take of a named task whose performer is rated {REFERENCE_LABEL}",
        ),
    ),
    limits=(
        f"a {REFERENCE_LABEL}'s take of a task as reference, and takes of that task by four other people"
        " of the same split, one of whom has a higher or a lower level than the three others"
    ),
    paper=False,
    rules=("filmed_from_that_view", "reference_and_three_others"),
)
