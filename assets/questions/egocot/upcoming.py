"""What comes next: what questions about the next action and about the next state have in common.

A clip ends `AHEAD_S` before the wearer's next action begins, and what is asked comes about within `HORIZON_S` after the
clip. The evidence path leads over the last two actions that the clip shows from start to end to the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from assets.questions.egocot.scene import NEAR_S, Action, Scene
from assets.questions.kit import draw
from assets.questions.kit.recipe import Clip, Option, Recipe, Row

DISTRACTORS = 3
AHEAD_S = 1.0
HORIZON_S = 5.0
# Times of distractors are not within the horizon by so much.
CLEAR_S = 0.5
# What comes next in the same words is not asked about again for so long.
APART_S = 8.0
LENGTHS_S = tuple(length_s for length_s, later_s in NEAR_S if not later_s)
ALONE, LONG_ENOUGH = "one_action_begins_next", "clip_is_long_enough"
# So long after the next action begins no other does.
_ALONE_S = 0.5
_PASSES = 5
# Of the options with one word at most this share is right.
_MOST_RIGHT = 1 / 3


def as_often_as_offered(
    recipe: Recipe,
    drawn: Callable[[Mapping[str, float]], Iterable[Row]],
    words: Iterable[str],
    word: Callable[[str], str],
    rule: str,
) -> list[Row]:
    """Questions of which each word (a verb, a state) is offered about as often as it is right.

    Args:
        recipe: Their recipe; read as the paper, it keeps all questions however often a word is right.
        drawn: Questions whose distractors are drawn with weights of words.
        words: The words.
        word: Word of an option's text.
        rule: Rule that refuses questions whose word is right too often.
    """
    rows = draw.balanced_rows(drawn, sorted(words), _PASSES, word)
    return rows if recipe.as_paper else draw.seldom_right(rows, word, _MOST_RIGHT, rule)


def begins_alone(scene: Scene, action: Action, end_s: float) -> bool:
    """Whether no other action begins from the end of the clip to half a second after the next one begins."""
    return scene.begins_alone(action, end_s, end_s + AHEAD_S + _ALONE_S)


def question(
    recipe: Recipe,
    scene: Scene,
    anchor: Sequence[str],
    clip: Clip,
    path: Sequence[Action],
    options: Sequence[Option],
    text: Row,
    states: Sequence[str] = (),
) -> Row:
    """A question about what comes next.

    Args:
        recipe: Its recipe.
        scene: Scene graph of the recording.
        anchor: Keys of the rows that it is about.
        clip: What is shown.
        path: Actions that the rationale names; the last one comes next.
        options: The right one first.
        text: Further values for the template.
        states: Edges to the states that the rationale names.
    """
    *before, action = path
    return recipe.question(
        anchor=anchor,
        text={
            "horizon_s": HORIZON_S,
            "ahead_s": action.acts_on["start_s"] - clip.end_s,
            "before": [scene.told(one, clip.start_s) for one in before],
            "next": scene.told(action, clip.start_s),
            **text,
        },
        answer=options[0],
        distractors=options[1:],
        media=[clip],
        evidence=[
            *(row for n, one in enumerate(path, 1) for row in scene.evidence(one, n)),
            *(("graph_edges", edge, "state") for edge in states),
        ],
        steps=[
            *(scene.step(one) for one in path),
            *([f"graph_edges:{edge}"] for edge in states),
            [f"{table}:{node}" for option in options for table, node in option.evidence],
        ],
    )
