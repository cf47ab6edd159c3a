"""Action relation on asynchronous views: another recording that shows the action (EgoExoBench A.2).

"We begin with the 20 candidate videos included in the [association] benchmark. We first filter for
candidates that share at least one verb or noun with the query. Then [...] the three most similar
candidates (excluding the GT) are selected": similarity is that of the narrations' sentence vectors.
Query and right option are an association pair's, in both directions; fewer than three such
candidates make no question.

A candidate that may show the query's action in other words is not a distractor (see `narrated`), nor is
one whose clip shows a part of the right option's time.

The same action lasts about as long twice, so that lengths would tell the right clip. All clips of a
question are therefore cut to its shortest, around the middles of their segments; candidates that differ
more than twofold from the query or the right option in length make no distractors.

The paper states none of these exclusions and cuts nothing; it discards questions that "admit multiple
plausible answers" afterwards. The reading `paper` proposes its three nearest as they are, shows them as
annotated, and leaves the rest to the gates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from assets.pairs.choice import stable_hash
from assets.questions.egoexobench.narrated import READS as LABEL_READS
from assets.questions.egoexobench.narrated import Segment, narrated_segments
from assets.questions.kit.builder import Tables
from assets.questions.kit.clips import may_be_cut_alike, overlap
from assets.questions.kit.funnel import refuse
from assets.questions.kit.needs import pairs_with, rows_of
from assets.questions.kit.recipe import RECORDING_COLUMNS, Recipe, Row, template

RECIPE = Recipe(
    "egoexobench",
    "action_relation",
    2,
    template(__file__, "action_relation_egoexolearn.j2"),
    name="action_relation_egoexolearn",
)
DISTRACTORS = 3
CANDIDATES = 20
ASKED_SPLITS = ("val", "test")


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions from the association pairs of a pool that have 20 options.

    Segments that are too short to show, not narrated, not labelled or without a vector are neither
    asked nor options.

    Args:
        tables: Rows of `pairs`, `recordings`, `labels`, `sentence_vectors`, and of `segments` with
            all fine segments of the recordings (neighbours bound the clips).
        reading: Under `paper`, take the three nearest that share a verb or noun, also one that may
            show the query's action in other words, and show segments as annotated. Gates then
            refuse what has two right options.
    """
    recipe = RECIPE.under(reading)
    segments = {
        segment.segment_id: segment
        for segment in narrated_segments(tables, as_annotated=recipe.as_paper)
    }
    pairs = tables["pairs"].filter(
        pl.col("split").is_in(ASKED_SPLITS)
        & (pl.col("negative_segment_ids").list.len() >= CANDIDATES - 1)
    )
    refuse("asked_split_with_20_options", tables["pairs"].height - pairs.height)
    for pair in pairs.iter_rows(named=True):
        query = segments.get(pair["query_segment_id"])
        positive = segments.get(pair["positive_segment_id"])
        if query is None or positive is None:
            refuse("both_clips_shown_and_narrated")
            continue
        ids = pair["negative_segment_ids"][: CANDIDATES - 1]
        nearest = _nearest_first(query, [segments[i] for i in ids if i in segments])
        if not recipe.as_paper:
            nearest = _that_differ(query, positive, nearest)
        if len(nearest) >= DISTRACTORS:
            yield _question(recipe, query, positive, nearest[:DISTRACTORS], pair["split"])
        else:
            refuse("three_near_others")


def _question(
    recipe: Recipe, query: Segment, positive: Segment, distractors: Sequence[Segment], split: str
) -> Row:
    shown = (query, positive, *distractors)
    length_s = None if recipe.as_paper else min(segment.length_s for segment in shown)
    asked, answer, *others = (segment.option(length_s) for segment in shown)
    return recipe.question(
        anchor=(query.segment_id, str(positive.recording["recording_id"])),
        text={"query": query.narration},
        answer=answer,
        distractors=others,
        media=[asked.shown],
        evidence=[(table, key, "query") for table, key in asked.evidence],
        split=split,
    )


def _that_differ(query: Segment, positive: Segment, nearest: Sequence[Segment]) -> list[Segment]:
    """Candidates that show something else, at another time, and are about as long."""
    chosen: list[Segment] = []
    for candidate in nearest:
        if (
            not candidate.is_like(query)
            and not candidate.is_like(positive)
            and not overlap(candidate.clip, positive.clip)
            and may_be_cut_alike([s.length_s for s in (query, positive, *chosen, candidate)])
        ):
            chosen.append(candidate)
    return chosen


def _nearest_first(query: Segment, beside: Sequence[Segment]) -> list[Segment]:
    """Candidates that share a verb or noun with the query, the nearest in words first."""
    return sorted(
        (c for c in beside if c.shares_with(query)),
        key=lambda c: (
            -c.similarity(query),
            stable_hash("distractor", query.segment_id, c.segment_id),
        ),
    )


BUILDER = RECIPE.builder(
    questions,
    unit="pool",
    reads={
        "pairs": None,
        "segments": ("segment_id", "recording_id", "kind", "start_s", "end_s", "narration"),
        "recordings": RECORDING_COLUMNS,
        "labels": LABEL_READS,
        "sentence_vectors": ("recording_id", "sentence", "vector"),
    },
    needs=(
        *pairs_with(CANDIDATES - 1, ASKED_SPLITS),
        rows_of("sentence_vectors", "no sentence vectors to compare narrations by"),
    ),
    limits=(
        f"{DISTRACTORS} candidates that share a verb or noun with the query and cannot be taken for"
        " its action"
    ),
    rules=("asked_split_with_20_options", "both_clips_shown_and_narrated", "three_near_others"),
)
