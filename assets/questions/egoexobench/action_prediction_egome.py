"""Action prediction on EgoMe: what the wearer does next, beside the demonstration being imitated (A.4).

The query is the wearer's clip up to 1 s before the next step begins. The reference is the whole recording of
the demonstration that the wearer watched before and imitates faithfully.

DeepSeek-V3 writes the paper's distractors (Figure 13; `action_prediction_steps`). Here they are steps of
other moments in the same scene and split: those that most often follow a step like the current one, by the
likeness of sentences, then those most like the current step, ties by hash. None may be taken for the next
step, the current one or another option. Steps that `labels` say were not done to the end, or by somebody
else, are neither asked about nor offered. Only samples "where the current action appears uniquely in the
sequence" are asked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

import polars as pl

from assets.labels.narrated_verbs import READS as VERB_READS
from assets.labels.narrated_verbs import NarratedVerbs
from assets.questions.egoexobench.imitations import (
    KIND,
    Imitation,
    Plausibility,
    Step,
    imitations,
)
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import by_hash
from assets.questions.kit.clips import Span
from assets.questions.kit.funnel import refuse
from assets.questions.kit.needs import BOTH_VIEWS, rows_where
from assets.questions.kit.recipe import RECORDING_COLUMNS, Clip, Option, Recipe, Row, template

RECIPE = Recipe(
    "egoexobench",
    "action_prediction",
    1,
    template(__file__, "action_prediction_egome.j2"),
    name="action_prediction_egome",
)
DISTRACTORS = 3
AHEAD_S = 1.0
LONGEST_S = 8.0
SHORTEST_S = 2.0
# So much of the current step must be seen.
SEEN_S = 0.5


def questions(tables: Tables, _reading: str) -> Iterator[Row]:
    """Questions about each step that is done once and followed by another.

    Args:
        tables: Rows of `recordings`, `segments`, `labels`, `take_links` and `sentence_vectors` of a whole
            source.
    """
    found = imitations(tables)
    narrated = NarratedVerbs(tables["labels"])

    def is_done(step: Step) -> bool:
        key = step.segment_id
        return narrated.all_done(key) and narrated.all_by_own_actor(key)

    plausible = Plausibility(found, tables["sentence_vectors"])
    of_group: dict[tuple[str | None, str | None], list[Step]] = defaultdict(list)
    for one in found:
        known = (s for s in one.steps if '"' not in s.words and plausible.knows(s) and is_done(s))
        of_group[one.group] += known
    for one in found:
        for current, following in pairwise(one.steps):
            span = _span(current, following, one)
            if span is None:
                refuse("seen_before_the_next_action")
                continue
            if not (is_done(current) and is_done(following)):
                refuse("narrated_as_done")
                continue
            if '"' in current.words + following.words or not (
                plausible.knows(current) and plausible.knows(following)
            ):
                refuse("compared_by_sentence")
                continue
            if sum(step.bare == current.bare for step in one.steps) > 1:
                refuse("done_once")
                continue
            chosen = _distractors((current, following), of_group[one.group], one, plausible)
            if len(chosen) < DISTRACTORS:
                refuse("three_other_actions")
                continue
            yield _question(one, span, (current, following), chosen)


def _question(
    one: Imitation, span: Span, steps: tuple[Step, Step], distractors: Sequence[Step]
) -> Row:
    current, following = steps
    answer, *others = (
        Option(s.words, s.segment_id, evidence=(("segments", s.segment_id),))
        for s in (following, *distractors)
    )
    watched = one.watched
    length_s = float(watched["duration_s"] or watched["media_duration_s"] or 0.0)
    return RECIPE.question(
        anchor=(current.segment_id,),
        text={
            "current": current.words,
            "ahead_s": following.start_s - span[1],
            "reference": watched["recording_id"],
            "written": False,
        },
        answer=answer,
        distractors=others,
        media=[Clip(one.row, *span, current.segment_id), Clip(watched, 0.0, length_s)],
        evidence=[
            ("segments", current.segment_id, "query"),
            ("segments", following.segment_id, "answer"),
            ("recordings", watched["recording_id"], "reference"),
        ],
    )


def _span(current: Step, following: Step, one: Imitation) -> Span | None:
    """What is shown before the next step; None if too little of the current one is."""
    end_s = following.start_s - AHEAD_S
    start_s = max(0.0, end_s - LONGEST_S)
    seen_s = min(end_s, current.end_s) - max(start_s, current.start_s)
    watched_s = one.watched["duration_s"] or one.watched["media_duration_s"] or 0.0
    length_s = one.row["duration_s"]
    if (
        end_s - start_s < SHORTEST_S
        or seen_s < SEEN_S
        or watched_s <= end_s - start_s
        or (length_s is not None and end_s > length_s)
    ):
        return None
    return start_s, end_s


def _distractors(
    steps: tuple[Step, Step], pool: Sequence[Step], one: Imitation, plausible: Plausibility
) -> list[Step]:
    """Up to three steps of the scene, the most plausible first; one segment per sentence."""
    current, _ = steps
    seed = (one.row["recording_id"], current.segment_id)
    ranked = by_hash(pool, "distractor", *seed, key=lambda step: step.segment_id)
    first = {step.bare: step for step in reversed(ranked)}
    ranked = [step for step in ranked if first[step.bare] is step]
    counts = plausible.counts(current, ranked, one.row["split"])
    cosines = plausible.similarity(current, ranked)
    order = sorted(range(len(ranked)), key=lambda i: (-counts[i], -cosines[i]))
    chosen: list[Step] = []
    for i in order:
        if len(chosen) == DISTRACTORS:
            break
        if not any(plausible.alike(ranked[i], other) for other in (*steps, *chosen)):
            chosen.append(ranked[i])
    return chosen


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads={
        "recordings": (
            *RECORDING_COLUMNS,
            "take_id",
            "view",
            "scenario",
            "scene",
            "media_duration_s",
        ),
        "segments": ("segment_id", "recording_id", "kind", "start_s", "end_s", "narration"),
        "labels": VERB_READS,
        "sentence_vectors": ("recording_id", "sentence", "vector"),
        "take_links": ("take_id", "link", "other_take_id", "faithful"),
    },
    needs=(
        BOTH_VIEWS,
        rows_where(
            "take_links",
            ("link", "faithful"),
            (pl.col("link") == "imitates") & pl.col("faithful").fill_null(True),
            "no take imitates another",
        ),
        rows_where("segments", ("kind",), pl.col("kind") == KIND, "no segment of kind fine"),
    ),
    limits=(
        "a step that its wearer does once, another after it, a demonstration longer than the clip, and"
        " three steps of the same scene and split that cannot be taken for one of the two"
    ),
    rules=(
        "seen_before_the_next_action",
        "narrated_as_done",
        "compared_by_sentence",
        "done_once",
        "three_other_actions",
    ),
    paper=False,
)
