"""What narrations say of the left and the right of the body, and the same with the sides exchanged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from assets.labels.narrated_verbs import Verb
from assets.questions.kit.choice import by_hash
from assets.questions.kit.funnel import refuse
from assets.questions.kit.recipe import Clip, Option, Recipe, Row
from expectations.word_kinds import NOUN, words_of

KINDS = {"hands": "hand", "feet": "foot"}
"""Parts of the body by what a question calls them: kinds of nouns (`expectations.word_kinds`)."""
_BODY = {
    "left_hand": ("hands", "left"),
    "right_hand": ("hands", "right"),
    "arm": ("hands", None),
    "left_foot": ("feet", "left"),
    "right_foot": ("feet", "right"),
    "leg": ("feet", None),
}
"""What a question calls a part that a label names, and its side if the label tells."""
_SIDE = re.compile(r"\b(?:left|right)\b", re.IGNORECASE)
_OTHER = {"left": "right", "right": "left", "Left": "Right", "Right": "Left"}
SIDED, SHOWN = "names_the_side_of_one_kind_of_part", "shown_by_the_wearer"
MOST_ASKED, PARTNER = "few_of_one_recording", "partner_in_another_take"
"""Rules of the funnel; candidates are what wearers do."""
MOST_PER_RECORDING = 4
"""Questions of one egocentric recording."""


@dataclass(frozen=True, slots=True)
class Deed:
    """Something done with a side of the body, as narrated.

    Attributes:
        segment_id: Its segment.
        words: The narration.
        kind: Kind of body part it names, a key of `KINDS`.
        marks: What it may share with another: verbs and objects.
        clip: What shows it.
        evidence: Rows it rests on, by table and key.
    """

    segment_id: str
    words: str
    kind: str
    marks: frozenset[str]
    clip: Clip
    evidence: tuple[tuple[str, str], ...]


def kind_of(words: str) -> str | None:
    """Kind of body part that a narration tells left from right of; None if it does so of no or two kinds.

    Every "left" and "right" must belong to a part of the body ("the mouse on the left" does not). Where
    both sides are named, the same may not be said of both: the sides exchanged would be no other statement.
    """
    named = [side.lower() for side in _sided().findall(words)]
    if not named or len(named) != len(_SIDE.findall(words)):
        return None
    if len({*named}) > 1 and _alike().search(words):
        return None
    found = {kind for kind in KINDS if _sided(kind).search(words)}
    return found.pop() if len(found) == 1 else None


def are_labelled(words: str, kind: str, verbs: Sequence[Verb]) -> bool:
    """Whether the labels of a narration say that the sides it names act, and that all of it is done.

    Text alone does not tell: who "fails to reach the cup with the left hand" has not reached it, and
    "puts the cup to the left" names no hand.

    Args:
        words: The narration.
        kind: Kind of body part, as `kind_of` names it.
        verbs: Its verbs.
    """
    parts = {_BODY[verb.body_part] for verb in verbs if verb.body_part in _BODY}
    told = {side for _, side in parts if side is not None}
    named = set(sides(words).split("-"))
    return (
        {found for found, _ in parts} == {kind}
        # Of arms and legs the label tells no side.
        and (told == named or (told < named and any(side is None for _, side in parts)))
        and len({verb.actor_id for verb in verbs}) == 1
        and all(verb.is_done and verb.direction not in ("left", "right") for verb in verbs)
        and not any({"hand", "actor"} & verb.contradicts for verb in verbs)
    )


def exchanged(words: str) -> str:
    """A narration with left and right of the body exchanged."""
    return _sided().sub(lambda side: _OTHER.get(side[0], _OTHER[side[0].lower()]), words)


def sides(words: str) -> str:
    """Sides a narration names, in its order: `left-right`."""
    return "-".join(side.lower() for side in _sided().findall(words))


def names_a_part(words: str) -> bool:
    """Whether a text names a part of the body of any kind, with or without its side."""
    return re.search(rf"\b(?:{_forms(*KINDS)})\b", words, re.IGNORECASE) is not None


@cache
def _sided(*kinds: str) -> re.Pattern[str]:
    """A side before a part of the body of some kinds, or of any: "left hand", "right gloved hand"."""
    word = (
        r"(?!(?:of|to|and|or|with|by|in|on|at|the|an?|his|her|its|my|your|their|left|right)\b)\w+"
    )
    return re.compile(
        rf"\b(left|right)(?=(?:[ -]{word}){{0,2}}?[ -](?:{_forms(*(kinds or KINDS))})\b)",
        re.IGNORECASE,
    )


@cache
def _alike() -> re.Pattern[str]:
    """Words that, with left and right named, may say the same of both."""
    return re.compile(
        r"\b(?:both|each|either|together)\b"
        rf"|\b(?:{_forms(*KINDS)}) and (?:(?:the|your|my|his|her) )?(?:left|right)\b",
        re.IGNORECASE,
    )


def _forms(*kinds: str) -> str:
    """Singular and plural of parts of the body, as alternatives of a pattern."""
    words = sorted(words_of(NOUN, *(KINDS[kind] for kind in kinds)))
    return "|".join([*(f"{word}s?" for word in words), *(["feet"] if "feet" in kinds else [])])


def questions_of(
    recipe: Recipe, ego: Sequence[Deed], exo: Sequence[Deed], split_of: dict[str, Any]
) -> Iterator[Row]:
    """Questions that pair what a wearer does with what an observer sees somebody else do.

    Each egocentric deed is paired with one exocentric deed of another take, of its split and kind of
    body part, with which it shares a verb or an object; by hash. Not more than `MOST_PER_RECORDING` per
    egocentric recording.

    Args:
        recipe: The recipe.
        ego: Deeds that egocentric clips show.
        exo: Deeds that exocentric clips show.
        split_of: Take and split by recording.
    """
    counts: dict[str, int] = {}
    for one in by_hash(ego, "deed", key=lambda d: d.segment_id):
        uid = str(one.clip.recording["recording_id"])
        if counts.get(uid, 0) == MOST_PER_RECORDING:
            refuse(MOST_ASKED)
            continue
        take, split = split_of[uid]
        partners = (
            other
            for other in exo
            if other.kind == one.kind
            and other.marks & one.marks
            and split_of[str(other.clip.recording["recording_id"])][0] != take
            and split_of[str(other.clip.recording["recording_id"])][1] == split
        )
        ranked = by_hash(partners, "partner", one.segment_id, key=_key)
        if ranked:
            counts[uid] = counts.get(uid, 0) + 1
            yield _question(recipe, one, ranked[0])
        else:
            refuse(PARTNER)


def _key(deed: Deed) -> str:
    return f"{deed.clip.recording['recording_id']} {deed.segment_id}"


def _question(recipe: Recipe, one: Deed, other: Deed) -> Row:
    anchor = (one.segment_id, other.segment_id)
    seed = recipe.id(str(one.clip.recording["source"]), *anchor)
    first, second = by_hash((one, other), seed, "video", key=_key)
    made = []
    for a, b in (
        (first.words, second.words),
        (exchanged(first.words), second.words),
        (first.words, exchanged(second.words)),
        (exchanged(first.words), exchanged(second.words)),
    ):
        made.append(
            Option(
                f'Video 1: "{a}" Video 2: "{b}"',
                value=f"{sides(a)}|{sides(b)}",
                evidence=(("segments", first.segment_id), ("segments", second.segment_id)),
            )
        )
    answer, *others = made
    return recipe.question(
        anchor=anchor,
        text={"kind": one.kind, "first": first.words, "second": second.words},
        answer=answer,
        distractors=others,
        media=[first.clip, second.clip],
        roles=["video_1", "video_2"],
        evidence=[
            (table, key, f"video_{n}")
            for n, deed in enumerate((first, second), 1)
            for table, key in deed.evidence
        ],
    )
