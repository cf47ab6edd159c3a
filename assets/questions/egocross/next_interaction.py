"""Next interaction (EgoCross, Prediction): which thing a hand meets or leaves first after the clip, and how.

The first point of interaction after the clip is right, of either hand or of the one that the text names.
Clips last up to 28.1 s and end 1 s before it; the last frame sent every 2 s is the clip's last moment, and half
a second around the clip's end and around the point nothing else happens, so that what is next is neither shown
nor disputed. The other options are other interactions of the source, each offered about as often as it
is right; to touch a thing is not offered beside taking it. Where either hand is meant, no other option lets go
of what a hand has at the end of the clip: it may well be next, too. Chance is 25 %.

The reading `paper` asks in the words of the testbed, ends clips of 30 s or less where it happens, and draws
any other interactions by hash.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from assets.questions.egocross.action_localisation import APART_S, DISTRACTORS
from assets.questions.egocross.cells import Cell, span_before
from assets.questions.egocross.hand_actions import (
    BEGINS,
    DOES,
    NAMED,
    NEEDS,
    READS,
    VERBS,
    HandAction,
    hand_actions,
)
from assets.questions.egocross.labelled import by_weight
from assets.questions.kit import draw
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import Candidate, few
from assets.questions.kit.funnel import FEW_RULES, UNBUILT, refuse
from assets.questions.kit.recipe import RECORDING_COLUMNS, Clip, Option, Recipe, Row, template
from assets.questions.kit.wording import wording

RECIPE: Final = Recipe("egocross", "next_interaction", 1, template(__file__, "next_interaction.j2"))
RELEASED: Final = {
    of_hand: wording(__file__, "released/next_interaction.j2", block)
    for of_hand, block in ((False, "released_enigma51"), (True, "released_enigma51_hand"))
}
"""Words of the testbed, by whether they name a hand."""
CELL: Final = Cell(
    dataset="ENIGMA-51",
    shortest_s=8.0,
    longest_s=30.0,
    answer_type="kind of interaction and thing",
    program="first point of interaction after the clip, of either hand or of one",
    distractors="other interactions, each about as often as it is right; none lets go of what a hand has",
    coverage="all interactions of the recording are annotated, with hand and object",
)
AHEAD_S: Final = 1.0
QUIET_S: Final = 0.5
MOST: Final = 200
MOST_PER_ANSWER: Final = 15
PASSES: Final = 4
LONG_ENOUGH = "long_enough"
STARTED, FIRST = "interaction_in_clip", "one_interaction_is_next"
HANDS = "what_hands_have_is_known"
HAND_SIDES: Final = ("left", "right")


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a question is built from.

    Attributes:
        row: Its recording.
        clip: Start and end, seconds of the recording.
        hand: The hand it names; None for either.
        before: Last interaction of the clip.
        following: The interaction that is right.
        held: What hands have at the end of the clip; nothing where one hand is named.
    """

    row: Mapping[str, Any]
    clip: tuple[float, float]
    hand: str | None
    before: HandAction
    following: HandAction
    held: frozenset[str]


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions of a source.

    Args:
        tables: Rows of `recordings`, `segments` and `relations` of a whole source.
        reading: Under `paper`, end clips where the interaction happens and draw others by hash.
    """
    recipe = RECIPE.under(reading)
    found = hand_actions(tables)
    known = {_key(x): x for uid in sorted(found) for x in found[uid] if x.thing is not None}
    texts = {key: _shown(recipe, x) for key, x in sorted(known.items())}
    candidates = [*_candidates(recipe, tables, found)]
    passes = 1 if recipe.as_paper else PASSES
    drawn = partial(_drawn, recipe, candidates, texts)
    yield from draw.balanced_rows(drawn, texts.values(), passes)


def _candidates(
    recipe: Recipe, tables: Tables, found: Mapping[str, list[HandAction]]
) -> Iterator[Candidate[_Asked]]:
    for row in tables["recordings"].sort("recording_id").iter_rows(named=True):
        actions = found.get(row["recording_id"], [])
        for one in actions:
            clip = _clip_as_paper(one) if recipe.as_paper else _clip(one)
            if one.hand is None or one.thing is None:
                refuse(NAMED)
                continue
            if clip[1] - clip[0] < CELL.shortest_s:
                refuse(LONG_ENOUGH)
                continue
            for hand in (None, one.hand):
                mine = [x for x in actions if hand is None or x.hand in (hand, None)]
                held = frozenset() if hand else _held(actions, clip[1])
                before = next((x for x in reversed(mine) if clip[0] <= x.at_s < clip[1]), None)
                if before is None or before.hand is None or before.thing is None:
                    refuse(STARTED)
                elif any(x is not one and _disputes(x, one, clip, recipe.as_paper) for x in mine):
                    refuse(FIRST)
                elif held is None and not recipe.as_paper:
                    refuse(HANDS)
                else:
                    anchor = (one.segment_id, hand or "either")
                    identity, uid = recipe.id(row["source"], *anchor), row["recording_id"]
                    asked = _Asked(row, clip, hand, before, one, held or frozenset())
                    yield Candidate(identity, anchor, uid, one.at_s, _key(one), asked)


def _clip(one: HandAction) -> tuple[float, float]:
    """The clip that ends 1 s before it, just after a frame that is sent."""
    return span_before(round(one.at_s - AHEAD_S, 6), CELL.longest_s)


def _clip_as_paper(one: HandAction) -> tuple[float, float]:
    return max(0.0, round(one.at_s - CELL.longest_s, 6)), one.at_s


def _disputes(
    other: HandAction, one: HandAction, clip: tuple[float, float], as_paper: bool
) -> bool:
    """Whether another interaction may be taken for the next one."""
    if as_paper:
        return clip[1] <= other.at_s <= one.at_s
    return clip[1] - QUIET_S < other.at_s < one.at_s + QUIET_S


def _held(actions: list[HandAction], at_s: float) -> frozenset[str] | None:
    """Things that hands have at an instant: each hand what it met last, if it has not left it.

    Returns:
        None where that is not known: what a hand did since then is annotated without hand or thing.
    """
    found: dict[str, HandAction | None] = {}
    for one in (x for x in actions if x.at_s < at_s):
        known = one.hand is not None and one.thing is not None
        for hand in HAND_SIDES if one.hand is None else (one.hand,):
            found[hand] = one if known else None
    if None in found.values():
        return None
    return frozenset(x.thing for x in found.values() if x and x.thing and x.verb in BEGINS)


def _key(one: HandAction) -> str:
    return f"{one.verb} {one.thing}"


def _shown(recipe: Recipe, one: HandAction) -> str:
    return f"{VERBS[one.verb][0 if recipe.as_paper else 1]} the {one.thing}"


def _is_same_act(key: str, other: str) -> bool:
    """Whether both say that a hand meets one thing, or that it leaves it."""
    (verb, thing), (another, its) = key.split(" ", 1), other.split(" ", 1)
    return thing == its and (verb in BEGINS) == (another in BEGINS)


def _is_let_go(key: str, things: frozenset[str]) -> bool:
    """Whether it says that a hand leaves one of the things."""
    verb, thing = key.split(" ", 1)
    return verb not in BEGINS and thing in things


def _drawn(
    recipe: Recipe,
    candidates: list[Candidate[_Asked]],
    texts: Mapping[str, str],
    weights: Mapping[str, float],
) -> Iterator[Row]:
    yield from few(
        candidates,
        partial(_question, recipe, texts, weights),
        most=MOST,
        most_per_answer=MOST_PER_ANSWER,
        apart_s=APART_S,
        as_paper=recipe.as_paper,
    )


def _question(
    recipe: Recipe,
    texts: Mapping[str, str],
    weights: Mapping[str, float],
    asked: Candidate[_Asked],
) -> Row | None:
    content, one = asked.content, asked.content.following
    answer = _key(one)
    left = {key: text for key, text in texts.items() if key != answer}
    if not recipe.as_paper:
        left = {
            key: text
            for key, text in left.items()
            if not _is_same_act(key, answer) and not _is_let_go(key, content.held)
        }
    others = by_weight(asked.identity, left, weights)[:DISTRACTORS]
    if len(others) < DISTRACTORS:
        return None
    before = content.before
    rows = {
        role: [f"segments:{x.segment_id}", *(f"relations:{key}" for key in x.relations)]
        for role, x in (("before", before), ("next", one))
    }
    recipe = replace(recipe, released=RELEASED[content.hand is not None])
    return recipe.question(
        anchor=asked.anchor,
        text={
            "hand": content.hand,
            "before": before,
            "next": one,
            "does_before": DOES[before.verb],
            "does": DOES[one.verb],
            "end_s": content.clip[1] - content.clip[0],
        },
        answer=Option(texts[answer], answer),
        distractors=[Option(texts[key], key) for key in others],
        media=[Clip(content.row, *content.clip)],
        evidence=[
            ("segments", one.segment_id, "answer"),
            ("segments", before.segment_id, "before"),
            *(("relations", key, "context") for x in (before, one) for key in x.relations),
        ],
        steps=[rows["before"], rows["next"]],
        # Under either reading the clip ends where it happens, or before.
        answer_visible=False,
    )


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads={"recordings": (*RECORDING_COLUMNS, "source"), **READS},
    needs=NEEDS,
    limits=CELL.limits,
    rules=(NAMED, LONG_ENOUGH, STARTED, FIRST, HANDS, *FEW_RULES, UNBUILT),
)
