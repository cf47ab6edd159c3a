"""Tables of skill: who was judged better in pairs, and the order that follows."""

from __future__ import annotations

import polars as pl

from expectations.schemas.columns import (
    BOOL,
    FLOAT,
    INT,
    SOURCE,
    SOURCE_FILE,
    SOURCE_KEY,
    TEXT,
    agreement_columns,
)
from expectations.schemas.core import Column, Rule, Table

SIDES = ("first", "second")
STATES = (
    "kept", "undecided", "outside_recording", "repeated", "in_cycle", "shared_between_splits",
    "without_split",
)  # fmt: skip
REFERENCE_RULES = ("followed_by_both", "followed_by_one", "same_scenario", "same_action")

_ACTION = Column("action", TEXT, "Action, as the source numbers it (`06`).")
_NAME = Column("action_name", TEXT, "Its name, where one is known.", nullable=True)
_SET = Column("set", TEXT, "`action/mode`.")
_MODE = Column(
    "mode",
    TEXT,
    "`paper`: votes, cycles and splits judged; `parity`: the pairs as they are released.",
    one_of=("paper", "parity"),
)
_PAIR = Column(
    "pair_id", TEXT, "Both clips, as the source writes the pair; its order means nothing by itself."
)
_SPLIT = Column(
    "split",
    TEXT,
    "`paper`: of both recordings; `parity`: of the released list (`+` joins two).",
    nullable=True,
)


def _clip(side: str, meaning: str = "", *, refers: bool = False) -> tuple[Column, ...]:
    recordings = "recordings.recording_id" if refers else None
    said = meaning or f"The {side} clip: `action_recording_start_end`."
    return (
        Column(f"{side}_clip_id", TEXT, said),
        Column(f"{side}_recording_id", TEXT, "Its recording.", refers_to=recordings),
        Column(f"{side}_start_s", FLOAT, "Its start, from frames at 25 fps.", unit="s", low=0.0),
        Column(f"{side}_end_s", FLOAT, "Its end, from frames at 25 fps.", unit="s", low=0.0),
    )


def _clip_rules() -> tuple[Rule, ...]:
    ends = [
        Rule(
            f"{side}_end_after_start",
            pl.col(f"{side}_end_s") > pl.col(f"{side}_start_s"),
            f"the {side} clip ends at or before its start",
            "correct the frames of the clip",
        )
        for side in SIDES
    ]
    two = Rule(
        "two_clips",
        pl.col("first_clip_id") != pl.col("second_clip_id"),
        "a clip is compared with itself",
        "remove the pair",
    )
    return (two, *ends)


SKILL_VOTES = Table(
    name="skill_votes",
    stage="sources",
    row="pair of clips of one action, with each annotator's vote",
    key=("source", "pair_id"),
    unit="action",
    columns=(
        SOURCE,
        _ACTION,
        _NAME,
        _PAIR,
        *_clip("first", refers=True),
        *_clip("second", refers=True),
        Column(
            "votes",
            pl.List(pl.Struct({"annotator": pl.String(), "better": pl.String()})),
            "Better clip by annotator: first, second or neither; null where only the outcome is"
            " released.",
            nullable=True,
        ),
        Column(
            "stated_better",
            TEXT,
            "Better clip by the released list; null where no list holds the pair.",
            nullable=True,
            one_of=SIDES,
        ),
        Column("splits", pl.List(TEXT), "Splits whose released list holds the pair, ascending."),
        SOURCE_FILE,
        SOURCE_KEY,
    ),
    rules=(
        *_clip_rules(),
        Rule(
            "votes_name_a_clip",
            pl.col("votes").is_null()
            | pl.col("votes")
            .list.eval(pl.element().struct.field("better").is_in([*SIDES, "neither"]))
            .list.all(),
            "a vote is not one of first, second and neither",
            "write first, second or neither",
        ),
        Rule(
            "said_something",
            pl.col("votes").is_not_null() | pl.col("stated_better").is_not_null(),
            "neither votes nor an outcome are given",
            "give one of them, or remove the pair",
        ),
    ),
)

SKILL_PAIRS = Table(
    name="skill_pairs",
    stage="skill",
    row="compared pair of clips, with its outcome",
    key=("source", "set", "pair_id"),
    unit="set",
    columns=(
        SOURCE,
        _SET,
        _MODE,
        _ACTION,
        _NAME,
        _PAIR,
        *_clip("first"),
        *_clip("second"),
        Column(
            "better",
            TEXT,
            "Clip that shows more skill; null where the votes do not agree.",
            nullable=True,
            one_of=SIDES,
        ),
        Column(
            "state",
            TEXT,
            "Why the pair is in the set (`kept`) or not; the first of these that holds:"
            " undecided (too few consistent votes), outside_recording, repeated (the same clips and"
            " outcome came before), in_cycle (without it and others no cycle is left),"
            " shared_between_splits (its recordings lie in two), without_split (one lies in none).",
            one_of=STATES,
        ),
        _SPLIT,
        Column("n_votes", INT, "Annotators who judged; null: only the outcome is known.",
               nullable=True, low=0),
        Column("n_agree", INT, "Votes for the clip most votes are for.", nullable=True, low=0),
        Column("agreement", FLOAT, "Their share.", nullable=True, low=0.0, high=1.0),
        Column(
            "on_cycle",
            BOOL,
            "Whether the pair lies on a cycle (a better than b, b than c, c than a).",
        ),
        Column(
            "agrees_with_release",
            BOOL,
            "Whether the votes say what the released list says; null where one is missing.",
            nullable=True,
        ),
        Column("first_self_level", INT, "Level the performer of the first clip gave himself.",
               nullable=True, low=0),
        Column("second_self_level", INT, "The same of the second.", nullable=True, low=0),
        Column(
            "self_better",
            TEXT,
            "Who is better by self-assessment; null where one is missing.",
            nullable=True,
            one_of=(*SIDES, "equal"),
        ),
        Column(
            "self_agrees",
            BOOL,
            "Whether self-assessment ranks as the annotators do; null where it ranks nothing.",
            nullable=True,
        ),
    ),
)  # fmt: skip

SKILL_CLIPS = Table(
    name="skill_clips",
    stage="skill",
    row="compared clip, with its place in the order",
    key=("source", "set", "split", "clip_id"),
    unit="set",
    columns=(
        SOURCE,
        _SET,
        _MODE,
        _ACTION,
        Column(
            "split", TEXT, "List looked at alone (`parity`); `all` where all pairs are looked at."
        ),
        Column("clip_id", TEXT, "Clip."),
        Column("recording_id", TEXT, "Its recording."),
        Column("n_better", INT, "Decided pairs it wins.", low=0),
        Column("n_worse", INT, "Decided pairs it loses.", low=0),
        Column("cycle", TEXT, "Least clip of the cycles it is part of.", nullable=True),
        Column(
            "below_cycle", BOOL, "Whether it is worse than a clip of a cycle it is not part of."
        ),
    ),
)

SKILL_TRANSITIVITY = Table(
    name="skill_transitivity",
    stage="skill",
    row="action, with a measure of how consistently its pairs are ordered",
    key=("source", "set", "split"),
    unit="set",
    columns=(
        SOURCE,
        _SET,
        _MODE,
        _ACTION,
        _NAME,
        Column(
            "split", TEXT, "List looked at alone (`parity`); `all` where all pairs are looked at."
        ),
        Column("n_pairs", INT, "Pairs compared.", low=0),
        Column("n_decided", INT, "Pairs with a better clip.", low=0),
        Column("n_undecided", INT, "Pairs with too few consistent votes.", low=0),
        Column("n_kept", INT, "Pairs of the set.", low=0),
        Column("n_shared", INT, "Decided pairs whose recordings lie in two splits.", low=0),
        Column("n_clips", INT, "Clips of decided pairs.", low=0),
        Column("n_on_cycle", INT, "Decided pairs that lie on a cycle.", low=0),
        Column("n_in_cycle", INT, "Of these, pairs left out so that no cycle stays.", low=0),
        Column("n_knots", INT, "Groups of clips that are each better than each other.", low=0),
        Column("largest_knot", INT, "Clips of the largest.", low=0),
        Column("n_clips_in_cycle", INT, "Clips that are part of a cycle.", low=0),
        Column("n_clips_below_cycle", INT, "Clips below one, and not part of one.", low=0),
        Column("n_chains_3", INT, "a > b > c, of the decided pairs.", low=0),
        Column("n_closed_3", INT, "Of these, with a > c compared too.", low=0),
        Column("n_chains_4", INT, "a > b > c > d of four different clips.", low=0),
        Column("n_closed_4", INT, "Of these, with all six pairs compared, and no cycle.", low=0),
        Column("n_self_assessed", INT, "Decided pairs whose performers differ by themselves.",
               low=0),
        Column("n_self_disagree", INT, "Of these, where annotators say the opposite.", low=0),
        Column("n_self_equal", INT, "Decided pairs whose performers give one level.", low=0),
        *agreement_columns("Annotators"),
    ),
)  # fmt: skip

SKILL_CHAINS = Table(
    name="skill_chains",
    stage="skill",
    row="chain of clips of one action, each better than the next",
    key=("source", "set", "chain_id"),
    unit="set",
    columns=(
        SOURCE,
        _SET,
        _MODE,
        _ACTION,
        _SPLIT,
        Column("chain_id", TEXT, "Hash of its clips, in order."),
        Column("length", INT, "Clips.", low=3, high=4),
        Column("closed", BOOL, "Whether all its pairs were compared and say the same."),
        Column("clip_ids", pl.List(TEXT), "Clips, best first."),
        Column("recording_ids", pl.List(TEXT), "Their recordings."),
        Column("n_recordings", INT, "Different ones.", low=1),
    ),
)

SKILL_TRIPLETS = Table(
    name="skill_triplets",
    stage="skill",
    row="triplet: a kept pair and a reference demonstration of its action",
    key=("source", "set", "pair_id"),
    unit="set",
    columns=(
        SOURCE,
        _SET,
        _MODE,
        _ACTION,
        _NAME,
        _PAIR,
        _SPLIT,
        *_clip("better", "Clip that shows more skill."),
        *_clip("worse", "Clip that shows less skill."),
        Column("reference_segment_id", TEXT, "Segment of the demonstration."),
        Column("reference_recording_id", TEXT, "Its recording."),
        Column("reference_start_s", FLOAT, "Its start.", unit="s"),
        Column("reference_end_s", FLOAT, "Its end.", unit="s"),
        Column("word", TEXT, "Words of its narration that name the action."),
        Column(
            "rule",
            TEXT,
            "How near the demonstration is: followed by the wearers of both clips, of one, of the"
            " scenario of one, or of the action alone.",
            one_of=REFERENCE_RULES,
        ),
    ),
)  # fmt: skip

TABLES = (
    SKILL_VOTES,
    SKILL_PAIRS,
    SKILL_CLIPS,
    SKILL_TRANSITIVITY,
    SKILL_CHAINS,
    SKILL_TRIPLETS,
)
