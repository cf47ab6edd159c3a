"""Body part action from narrations of hands: which hand does what in two videos (EgoExoBench A.3).

"We extract segments [...] where narrations explicitly reference body parts such as the left or right hand.
Each question is derived from a pair of videos that share at least one verb or object." The pair is an
egocentric and an exocentric segment of one scenario and split whose narrations name the hand that acts, and
that share a verb or noun class. Where a parse reads the narrations too, all of it must be done, by one
person, and the two readers may not disagree on the hand or on who acts.

A language model wrote the paper's questions. Here the statements are the two narrations, as they are or
with left and right exchanged: four combinations, of which one is true. They read alike, so that only the
videos tell which hand acts, and each false one contradicts the label of a hand.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import polars as pl

from assets.labels.narrated_verbs import READS as VERB_READS
from assets.labels.narrated_verbs import NarratedVerbs
from assets.questions.egoexobench.parts import (
    MOST_ASKED,
    PARTNER,
    SIDED,
    Deed,
    are_labelled,
    kind_of,
    questions_of,
)
from assets.questions.kit.builder import Tables
from assets.questions.kit.clips import clips
from assets.questions.kit.funnel import refuse
from assets.questions.kit.needs import BOTH_VIEWS, rows_where
from assets.questions.kit.recipe import RECORDING_COLUMNS, Clip, Recipe, Row, template
from expectations.schemas.labels import VOCABULARY

RECIPE = Recipe(
    "egoexobench",
    "body_part_action",
    1,
    template(__file__, "body_part_action_egoexolearn.j2"),
    name="body_part_action_egoexolearn",
)
_HANDS = ("left_hand", "right_hand")


def questions(tables: Tables, _reading: str) -> Iterator[Row]:
    """Questions about the fine segments of a scenario whose hands are narrated and labelled.

    Args:
        tables: Rows of `recordings`, `segments` and `labels` of the scenario.
    """
    rows = {row["recording_id"]: row for row in tables["recordings"].iter_rows(named=True)}
    marks: dict[str, set[str]] = defaultdict(set)
    of_source = _of_the_vocabulary(tables["labels"])
    for key, kind, class_id in of_source.select("segment_id", "kind", "class_id").iter_rows():
        marks[key].add(f"{kind} {class_id}")
    narrated = NarratedVerbs(tables["labels"])
    deeds: dict[str, list[Deed]] = {"ego": [], "exo": []}
    shown = clips(tables["segments"], tables["recordings"])
    for row in shown.iter_rows(named=True):
        key, words, recording = row["segment_id"], row["narration"] or "", rows[row["recording_id"]]
        kind = kind_of(words)
        if kind != "hands" or '"' in words or not are_labelled(words, kind, narrated.of(key)):
            refuse(SIDED, int(recording["view"] == "ego"))
            continue
        deeds[recording["view"]].append(
            Deed(
                key,
                words,
                kind,
                frozenset(marks[key]),
                Clip(recording, row["clip_start_s"], row["clip_end_s"]),
                (("segments", key), ("labels", key)),
            )
        )
    places = {uid: (row["take_id"], row["split"]) for uid, row in rows.items()}
    yield from questions_of(RECIPE, deeds["ego"], deeds["exo"], places)


def _of_the_vocabulary(labels: pl.DataFrame) -> pl.DataFrame:
    """Labels of the reader that knows the classes of the source's taxonomy."""
    return labels.filter(pl.col("reader") == VOCABULARY)


BUILDER = RECIPE.builder(
    questions,
    unit="scenario",
    reads={
        "recordings": (*RECORDING_COLUMNS, "take_id", "view", "scenario"),
        "segments": ("segment_id", "recording_id", "kind", "start_s", "end_s", "narration"),
        "labels": ("class_id", *VERB_READS),
    },
    needs=(
        BOTH_VIEWS,
        rows_where(
            "labels",
            ("reader", "body_part"),
            (pl.col("reader") == VOCABULARY) & pl.col("body_part").is_in(_HANDS),
            "no narration says which hand acts in words of the source's taxonomy",
        ),
    ),
    limits=(
        "an ego and an exo segment of one scenario and split whose narrations name the hand that acts and"
        " share a verb or a noun"
    ),
    paper=False,
    rules=(SIDED, MOST_ASKED, PARTNER),
)
