"""Action sequence identification (EgoCross, Identification): which three actions a clip shows, in order.

The labels of the three actions that fill the clip are right, in the order in which they begin. A frame sent
every 2 s is in the middle half of each, where it looks like nothing else; no other action is labelled meanwhile,
and each differs from the one before so that a viewer notices the change. The other options are sequences that
are performed elsewhere in the same sport, each offered about as often as it is right; none looks like the right
one throughout, and they share actions with it and with each other. Chance is 25 %.

The reading `paper` asks in the words of the testbed about any three actions that follow each other, and draws
options as the testbed has them: at each place another label of the same kind, by hash.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, pairwise, product
from typing import Any, Final

import polars as pl

from assets.pairs.choice import number_of
from assets.questions.egocross.action_localisation import (
    APART_S,
    DISTRACTORS,
    KIND,
    NAMES,
    NEEDS,
)
from assets.questions.egocross.cells import EVERY_S, Cell, length_s
from assets.questions.egocross.labelled import (
    KINDS,
    READS,
    Labelled,
    are_alike,
    by_weight,
    labelled_segments,
)
from assets.questions.kit import draw
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import Candidate, by_hash, few
from assets.questions.kit.funnel import FEW_RULES, UNBUILT, refuse
from assets.questions.kit.recipe import RECORDING_COLUMNS, Clip, Option, Recipe, Row, template
from assets.questions.kit.wording import wording

RECIPE: Final = Recipe(
    "egocross",
    "action_sequence_identification",
    1,
    template(__file__, "action_sequence_identification.j2"),
    released=wording(
        __file__, "released/action_sequence_identification.j2", "released_extremesportfpv"
    ),
)
CELL: Final = Cell(
    dataset="ExtremeSportFPV",
    shortest_s=4.0,
    longest_s=15.0,
    answer_type="three actions in order",
    program="labels of the three actions that the clip shows",
    distractors="sequences of the same sport, each about as often as it is right",
    coverage="all actions of the recording are labelled",
)
LENGTH: Final = 3
ASIDE: Final = 0.25
ASIDE_S: Final = 0.2
"""How much of an action at either end may look like what is before or after it: share and least seconds."""
AMONG: Final = 10
"""Of so many sequences, the first by weight, three are chosen that share actions."""
SHOWN_S: Final = 1.0
GAP_S: Final = 2.0
MOST: Final = 200
MOST_PER_ANSWER: Final = 10
PASSES: Final = 4
FOLLOW, CHANGE, FITS = "follow_each_other", "each_differs_from_the_last", "clip_shows_each"


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a question is built from: the clip, and its three actions."""

    row: Mapping[str, Any]
    clip: tuple[float, float]
    shown: tuple[Labelled, ...]

    @property
    def sequence(self) -> tuple[str, ...]:
        """Labels of the actions, in order."""
        return tuple(one.label for one in self.shown)


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions of a source.

    Args:
        tables: Rows of `recordings` and `segments` of a whole source.
        reading: Under `paper`, ask about any three actions, and draw labels of the same kinds by hash.
    """
    recipe = RECIPE.under(reading)
    candidates = [*_candidates(recipe, tables)]
    texts = {_shown(recipe, c.content.sequence) for c in candidates}
    passes = 1 if recipe.as_paper else PASSES
    yield from draw.balanced_rows(partial(_drawn, recipe, candidates), sorted(texts), passes)


def _candidates(recipe: Recipe, tables: Tables) -> Iterator[Candidate[_Asked]]:
    of_actions = tables["segments"].filter(pl.col("kind") == KIND)
    every = {str(x): str(x) for x in of_actions["class_name"].drop_nulls()} | NAMES
    labelled = labelled_segments({"segments": of_actions}, every)
    for row in tables["recordings"].sort("recording_id").iter_rows(named=True):
        actions = labelled.get(row["recording_id"], [])
        for at in range(len(actions) - LENGTH + 1):
            three = tuple(actions[at : at + LENGTH])
            clip = _clip_as_paper(three) if recipe.as_paper else _clip(three)
            known_s = length_s(row)
            if not _follow(three, actions, recipe.as_paper):
                refuse(FOLLOW)
            elif not recipe.as_paper and any(
                are_alike(a.label, b.label) for a, b in pairwise(three)
            ):
                refuse(CHANGE)
            elif clip is None or (known_s is not None and clip[1] > known_s):
                refuse(FITS)
            else:
                asked = _Asked(row, clip, three)
                anchor = tuple(one.segment_id for one in three)
                identity = recipe.id(row["source"], *anchor)
                uid = row["recording_id"]
                yield Candidate(identity, anchor, uid, three[0].start_s, asked.sequence, asked)


def _follow(three: Sequence[Labelled], actions: Sequence[Labelled], as_paper: bool) -> bool:
    """Whether labels of sports follow each other soon, and nothing else is labelled meanwhile."""
    span = (three[0].start_s, three[-1].end_s)
    gaps = [b.start_s - a.end_s for a, b in pairwise(three)]
    others = [x for x in actions if x.overlaps(span)]
    known = all(one.label in NAMES for one in three)
    return known and (as_paper or (min(gaps) >= 0 and max(gaps) <= GAP_S and len(others) == LENGTH))


def _clip(three: Sequence[Labelled]) -> tuple[float, float] | None:
    """The clip that ends with the last, and shows each on a frame sent; None if there is none."""
    first, end_s = three[0], three[-1].end_s
    for tenths in range(math.floor(10 * (first.end_s - first.start_s - SHOWN_S)) + 1):
        start_s = round(first.start_s + tenths / 10, 6)
        if CELL.shortest_s <= end_s - start_s <= CELL.longest_s and all(
            _is_sent(one, start_s, max(ASIDE_S, ASIDE * (one.end_s - one.start_s))) for one in three
        ):
            return start_s, end_s
    return None


def _is_sent(one: Labelled, start_s: float, inside_s: float) -> bool:
    """Whether a frame sent every 2 s lies so far inside an action; the first frame may be its start."""
    frame = max(0, math.ceil((one.start_s + inside_s - start_s) / EVERY_S))
    return start_s + frame * EVERY_S <= one.end_s - inside_s


def _clip_as_paper(three: Sequence[Labelled]) -> tuple[float, float] | None:
    """As in the testbed, the last 15 s until the last ends, or all three where they last longer."""
    end_s = max(one.end_s for one in three)
    start_s = max(0.0, round(min(three[0].start_s, end_s - CELL.longest_s), 6))
    return (start_s, end_s) if all(_is_sent(one, start_s, 0.0) for one in three) else None


def _shown(recipe: Recipe, sequence: Sequence[str]) -> str:
    names = (x.capitalize() if recipe.as_paper else NAMES[x] for x in sequence)
    return " → ".join(names)


def _drawn(
    recipe: Recipe, candidates: list[Candidate[_Asked]], weights: Mapping[str, float]
) -> Iterator[Row]:
    elsewhere: dict[str | None, set[tuple[str, ...]]] = {}
    for one in candidates:
        elsewhere.setdefault(one.content.row["scenario"], set()).add(one.content.sequence)
    yield from few(
        candidates,
        partial(_question, recipe, elsewhere, weights),
        most=MOST,
        most_per_answer=MOST_PER_ANSWER,
        apart_s=APART_S,
        as_paper=recipe.as_paper,
    )


def _beside(
    identity: str,
    answer: tuple[str, ...],
    possible: Mapping[str, tuple[str, ...]],
    others: Sequence[str],
) -> Sequence[str]:
    """Three of the first sequences that share actions with the right one, and with each other.

    One action that a frame shows then does not tell the sequence. Of half the questions, by hash, the right one
    shares less than another does, and else at most as much: that it shares most tells nothing either.
    """
    less = number_of(f"shares {identity}") % 2
    options = [answer, *(possible[key] for key in others[:AMONG])]
    shared = [[_shared(one, other) for other in options] for one in options]
    places = [[a == b for a, b in zip(answer, other, strict=True)] for other in options]

    def rank(three: tuple[int, ...]) -> tuple[bool, int, int]:
        beside = [sum(shared[x][y] for y in (0, *three) if x != y) for x in three]
        most = sum(shared[0][x] for x in three) + less > max(beside)
        return most, -sum(map(any, zip(*(places[x] for x in three), strict=True))), sum(three)

    threes = combinations(range(1, len(options)), DISTRACTORS)
    return [others[at - 1] for at in min(threes, key=rank, default=())]


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """At how many places two sequences have the same action."""
    return sum(a == b for a, b in zip(one, other, strict=True))


def _question(
    recipe: Recipe,
    elsewhere: Mapping[str | None, set[tuple[str, ...]]],
    weights: Mapping[str, float],
    asked: Candidate[_Asked],
) -> Row | None:
    content, answer = asked.content, asked.content.sequence
    if recipe.as_paper:
        kinds = [next(kind for kind in KINDS if label in kind) for label in answer]
        possible = {" ".join(x): x for x in product(*kinds) if x != answer}
        others = by_hash(possible, asked.identity, "distractor")
    else:
        possible = {" ".join(x): x for x in elsewhere[content.row["scenario"]]}
        texts = {
            key: _shown(recipe, x)
            for key, x in possible.items()
            if not all(are_alike(a, b) for a, b in zip(x, answer, strict=True))
        }
        others = _beside(
            asked.identity, answer, possible, by_weight(asked.identity, texts, weights)
        )
    if len(others) < DISTRACTORS:
        return None
    start_s = content.clip[0]
    rows = [f"segments:{one.segment_id}" for one in content.shown]
    return recipe.question(
        anchor=asked.anchor,
        text={
            "shown": content.shown,
            "start_s": math.floor(content.shown[0].start_s - start_s),
            "end_s": math.ceil(content.clip[1] - start_s),
        },
        answer=Option(_shown(recipe, answer), " ".join(answer)),
        distractors=[Option(_shown(recipe, possible[x]), x) for x in others[:DISTRACTORS]],
        media=[Clip(content.row, *content.clip)],
        evidence=[
            *(("segments", one.segment_id, "before") for one in content.shown[:-1]),
            ("segments", content.shown[-1].segment_id, "answer"),
        ],
        steps=[[row] for row in rows],
    )


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads={
        "recordings": (*RECORDING_COLUMNS, "source", "media_duration_s", "scenario"),
        "segments": (*READS, "kind"),
    },
    needs=NEEDS,
    limits=CELL.limits,
    rules=(FOLLOW, CHANGE, FITS, *FEW_RULES, UNBUILT),
)
