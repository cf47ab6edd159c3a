"""Body part action from descriptions of moments: which hand or foot acts in two videos (EgoExoBench A.3).

The pair is a moment of one take in the wearer's view and a moment of another take of the scenario and split
in an observer's. Both descriptions are of the wearer (`C`), name the left or right of the same kind of body
part, and share a verb or an object: a lemma, as the narration was parsed. All that is described must be done
by the wearer, with the sides that are named. The ego view must show the action (`ego_visible`).

A clip reaches half-way to the descriptions before and after, at most 2 s to each side: descriptions are
moments without an end. The statements are made as for EgoExoLearn (`body_part_action_egoexolearn`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

import polars as pl

from assets.labels.narrated_verbs import READS as VERB_READS
from assets.labels.narrated_verbs import NarratedVerbs
from assets.questions.egoexobench.described import WEARER, described_moments
from assets.questions.egoexobench.parts import (
    MOST_ASKED,
    PARTNER,
    SHOWN,
    SIDED,
    Deed,
    are_labelled,
    kind_of,
    questions_of,
)
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import by_hash
from assets.questions.kit.funnel import refuse
from assets.questions.kit.needs import rows_where, take_with_both_views
from assets.questions.kit.recipe import RECORDING_COLUMNS, Clip, Recipe, Row, template
from assets.questions.kit.takes import SYNCHRONOUS, Camera, cameras, synchronous_clocks
from expectations.schemas.labels import OPEN

RECIPE = Recipe(
    "egoexobench",
    "body_part_action",
    1,
    template(__file__, "body_part_action_egoexo4d.j2"),
    name="body_part_action_egoexo4d",
)
_SUBJECT = re.compile(r"^C\b")


def questions(tables: Tables, _reading: str) -> Iterator[Row]:
    """Questions about the described moments of a scenario.

    Args:
        tables: Rows of `recordings`, `clocks`, `segments` and `labels` of the scenario's recordings.
    """
    clocks = synchronous_clocks(tables["clocks"])
    worn, fixed = (cameras(tables["recordings"], clocks, view) for view in ("ego", "exo"))
    observers: dict[str, list[Camera]] = defaultdict(list)
    for camera in fixed:
        observers[camera.row["take_id"]].append(camera)
    wearers = {camera.uid: camera for camera in worn}
    ego: list[Deed] = []
    exo: list[Deed] = []
    narrated = NarratedVerbs(tables["labels"])
    marks = marks_by_segment(tables["labels"])
    for row in described_moments(tables["segments"]).iter_rows(named=True):
        wearer = wearers.get(row["recording_id"])
        words = _SUBJECT.sub("The person", row["narration"].strip())
        kind = kind_of(words)
        if wearer is None or kind is None or '"' in words or row["actor_id"] != WEARER:
            refuse(SIDED)
            continue
        key = row["segment_id"]
        by_wearer = narrated.all_by_own_actor(key)
        if not by_wearer or not are_labelled(words, kind, narrated.of(key)):
            refuse(SIDED)
            continue
        span = tuple(wearer.clock.to_take(row[side]) for side in ("shown_from", "shown_to"))
        if row["ego_visible"]:
            ego.append(_deed(key, words, kind, marks.get(key, frozenset()), wearer, span))
        else:
            refuse(SHOWN)
        seen = [c for c in observers[wearer.row["take_id"]] if c.films(span)]  # type: ignore[arg-type]
        if seen:
            camera = by_hash(seen, "camera", key, key=lambda c: c.uid)[0]
            exo.append(_deed(key, words, kind, marks.get(key, frozenset()), camera, span))
    places = {
        uid: (take, split)
        for uid, take, split in tables["recordings"]
        .select("recording_id", "take_id", "split")
        .iter_rows()
    }
    yield from questions_of(RECIPE, ego, exo, places)


def _deed(
    key: str,
    words: str,
    kind: str,
    marks: frozenset[str],
    camera: Camera,
    span: tuple[float, ...],
) -> Deed:
    start_s, end_s = (camera.clock.from_take(t) for t in span)
    limit = camera.row["duration_s"] or end_s
    clip = Clip(camera.row, max(0.0, start_s), min(limit, end_s))
    return Deed(key, words, kind, marks, clip, (("segments", key), ("labels", key)))


def marks_by_segment(labels: pl.DataFrame) -> dict[str, frozenset[str]]:
    """What is done and with what, as verbs and nouns of parsed descriptions.

    Args:
        labels: Rows of `labels`: segment_id, reader, kind, lemma.
    """
    parsed = labels.filter(pl.col("reader") == OPEN).select(
        "segment_id", pl.concat_str("kind", "lemma", separator=" ").alias("mark")
    )
    found: dict[str, set[str]] = defaultdict(set)
    for segment_id, mark in parsed.iter_rows():
        found[segment_id].add(mark)
    return {segment_id: frozenset(marks) for segment_id, marks in found.items()}


BUILDER = RECIPE.builder(
    questions,
    unit="scenario",
    reads={
        "recordings": (*RECORDING_COLUMNS, "take_id", "view", "scenario"),
        "clocks": ("recording_id", "offset_s", "rate", "method"),
        "segments": (
            "segment_id",
            "recording_id",
            "kind",
            "start_s",
            "narration",
            "actor_id",
            "ego_visible",
        ),
        "labels": VERB_READS,
    },
    needs=(
        take_with_both_views(SYNCHRONOUS),
        rows_where("segments", ("kind",), pl.col("kind") == "atomic", "no description of a moment"),
        rows_where(
            "labels",
            ("reader",),
            pl.col("reader") == OPEN,
            "no description was parsed: install the extra `words`, or let `narrations` of the source be"
            " open or both",
        ),
    ),
    limits=(
        "two described moments of two takes of one scenario and split that name the left or right of one"
        " kind of body part and share a verb or an object"
    ),
    paper=False,
    rules=(SIDED, SHOWN, MOST_ASKED, PARTNER),
)
