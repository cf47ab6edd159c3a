"""Action prediction on LEMMA: what the wearer does next, with another performance to learn from (A.4).

The query is the wearer's clip up to 1 s before the next action begins. The reference is "a longer
exocentric demonstration": the room's camera of *another* take of the same single task, in which somebody
does the same two actions in a row. The take's own room camera would show the answer.

Options are actions in words: the next one and three of the "ten actions surrounding the current action
in the egocentric sequence, excluding the true next action". The paper lets a language model name the three
most plausible; here they are those whose verbs most often follow the current action's verbs in the source,
ties by hash. Only samples "where the current action appears uniquely in the sequence" are asked, and no
option may be taken for another or for the current action.

The reading `paper` takes any other take of the task as reference, shows the current action as
annotated, and compares options by their words alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from assets.questions.egoexobench.acts import NAMED_ACTIONS, READS, Act, acts_of_take
from assets.questions.egoexobench.order import sequences
from assets.questions.kit.builder import Tables
from assets.questions.kit.choice import by_hash
from assets.questions.kit.clips import Span
from assets.questions.kit.funnel import refuse
from assets.questions.kit.needs import take_with_both_views
from assets.questions.kit.recipe import RECORDING_COLUMNS, Clip, Option, Recipe, Row, template
from assets.questions.kit.takes import SYNCHRONOUS, Camera, cameras, synchronous_clocks

RECIPE = Recipe(
    "egoexobench",
    "action_prediction",
    1,
    template(__file__, "action_prediction_lemma.j2"),
    name="action_prediction_lemma",
)
DISTRACTORS = 3
AROUND = 5
AHEAD_S = 1.0
LONGEST_S = 8.0
SHORTEST_S = 2.0
# So much of the current action must be seen.
SEEN_S = 0.5
_JOINT = ", "

Followed = Counter[tuple[frozenset[str], frozenset[str]]]


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions about each action that is done once and followed by another.

    Args:
        tables: Rows of `recordings`, `segments`, `relations`, `labels` and `clocks` of a whole source.
        reading: Under `paper`, take any reference of the task and show the current action alone.
    """
    recipe = RECIPE.under(reading)
    clocks = synchronous_clocks(tables["clocks"])
    of_recordings = sequences(acts_of_take(tables, clocks))
    followed = _followed(of_recordings.values())
    exo, ego = (cameras(tables["recordings"], clocks, view) for view in ("exo", "ego"))
    done_in: dict[str, list[Sequence[Act]]] = {}
    for wearer in ego:
        done_in.setdefault(_take(wearer), []).append(of_recordings.get(wearer.uid, []))
    for wearer in ego:
        own = of_recordings.get(wearer.uid, [])
        beside = [camera for camera in exo if _shows_task_of(camera, wearer)]
        for i, (current, following) in enumerate(pairwise(own)):
            span = _span(current, following, wearer, as_annotated=recipe.as_paper)
            if span is None:
                refuse("seen_before_the_next_action")
                continue
            if not (current.done and following.done):
                refuse("narrated_as_done")
                continue
            if _is_repeated(current, own):
                refuse("done_once")
                continue
            references = {
                camera.uid: camera
                for camera in beside
                if recipe.as_paper or _holds(current, following, done_in[_take(camera)])
            }
            around = [*own[max(0, i - AROUND) : i], *own[i + 2 : i + 2 + AROUND]]
            around = [act for act in around if act.done]
            chosen = _distractors(current, following, around, followed, by_words=recipe.as_paper)
            if not references:
                refuse("same_order_in_another_take")
            elif len(chosen) < DISTRACTORS:
                refuse("three_other_actions")
            else:
                nearest = references[by_hash(references, "reference", current.segment_id)[0]]
                clip = wearer.clip(span, current.segment_id)
                ahead_s = following.start_s - span[1]
                yield _question(recipe, clip, ahead_s, (current, following), chosen, nearest)


def _question(
    recipe: Recipe,
    clip: Clip,
    ahead_s: float,
    acts: tuple[Act, Act],
    distractors: Sequence[Act],
    beside: Camera,
) -> Row:
    current, following = acts
    answer, *others = (
        Option(a.words, a.segment_id, evidence=(("segments", a.segment_id),))
        for a in (following, *distractors)
    )
    return recipe.question(
        anchor=(current.segment_id,),
        text={
            "current": current.words,
            "ahead_s": ahead_s,
            "reference": beside.uid,
            "task": beside.row["scenario"],
            "as_paper": recipe.as_paper,
        },
        answer=answer,
        distractors=others,
        media=[clip, Clip(beside.row, 0.0, _length_s(beside))],
        evidence=[
            ("segments", current.segment_id, "query"),
            ("segments", following.segment_id, "answer"),
            ("recordings", beside.uid, "reference"),
        ],
    )


def _followed(of_recordings: Iterable[Sequence[Act]]) -> Followed:
    """How often an action with some verbs comes right after one with others, by one person."""
    return Counter(
        (first.verbs, second.verbs) for own in of_recordings for first, second in pairwise(own)
    )


def _span(current: Act, following: Act, wearer: Camera, *, as_annotated: bool) -> Span | None:
    """What is shown before the next action; None if too little of the current one is."""
    end_s = current.end_s if as_annotated else following.start_s - AHEAD_S
    first_s = wearer.clock.to_take(0.0)
    start_s = current.start_s if as_annotated else max(first_s, end_s - LONGEST_S)
    too_short = end_s - start_s < (SEEN_S if as_annotated else SHORTEST_S)
    seen_s = min(end_s, current.end_s) - max(start_s, current.start_s)
    span = (start_s, end_s)
    if too_short or seen_s < SEEN_S or end_s > following.start_s or not wearer.films(span):
        return None
    return span


def _is_repeated(current: Act, own: Sequence[Act]) -> bool:
    """Whether the person does it again, so that it has several next actions."""
    words = current.words.casefold()
    return any(act is not current and act.words.casefold() == words for act in own)


def _take(camera: Camera) -> str:
    return str(camera.row["take_id"])


def _length_s(camera: Camera) -> float:
    return float(camera.row["duration_s"] or camera.row["media_duration_s"] or 0.0)


def _shows_task_of(camera: Camera, wearer: Camera) -> bool:
    """Whether a room's camera shows another performance of the wearer's single task, in its split."""
    task, other = (c.row["scenario"] or "" for c in (wearer, camera))
    return (
        _take(camera) != _take(wearer)
        and bool(task)
        and _JOINT not in task
        and task == other
        and camera.row["split"] == wearer.row["split"]
        and _length_s(camera) > LONGEST_S
    )


def _holds(current: Act, following: Act, of_people: Iterable[Sequence[Act]]) -> bool:
    """Whether somebody does the two actions in a row."""
    return any(
        first.is_like(current) and second.is_like(following)
        for own in of_people
        for first, second in pairwise(own)
    )


def _distractors(
    current: Act,
    following: Act,
    around: Sequence[Act],
    followed: Followed,
    *,
    by_words: bool,
) -> list[Act]:
    """Up to three actions around the current one, those that most often follow such an action first."""
    ranked = by_hash(around, "distractor", current.segment_id, key=lambda act: act.segment_id)
    ranked.sort(key=lambda act: -followed[current.verbs, act.verbs])
    chosen: list[Act] = []
    for act in ranked:
        if not any(
            may_be_taken_for(act, other, by_words=by_words)
            for other in (current, following, *chosen)
        ):
            chosen.append(act)
    return chosen[:DISTRACTORS]


def may_be_taken_for(one: Act, other: Act, *, by_words: bool) -> bool:
    """Whether two actions may be taken for the same.

    Args:
        one: An action.
        other: Another.
        by_words: Whether only equal words count.
    """
    same = one.words.casefold() == other.words.casefold()
    return same if by_words else one.is_like(other)


BUILDER = RECIPE.builder(
    questions,
    unit="source",
    reads={
        **READS,
        "recordings": (*RECORDING_COLUMNS, "take_id", "view", "scenario", "media_duration_s"),
        "clocks": ("recording_id", "offset_s", "rate", "method"),
    },
    needs=(take_with_both_views(SYNCHRONOUS), NAMED_ACTIONS),
    limits=(
        "an action that its person does once, another right after it, three others among the ten"
        " around it, and an observer's recording of another take of the same single task, with the"
        " same two actions in a row"
    ),
    rules=(
        "seen_before_the_next_action",
        "narrated_as_done",
        "done_once",
        "same_order_in_another_take",
        "three_other_actions",
    ),
)
