"""Action relation on synchronous views: the same moment seen by the other camera (EgoExoBench A.2).

The query is a clip of one person's action. The options are four clips of one recording of the other
view of the same take: the right one lies at the same time on the take's clock, the distractors at
times when that person does something else. The paper does not fix who asks whom ("a corresponding
clip from another viewpoint"), so both directions are asked.

An observer's camera shows everybody. A distractor therefore must not show the query's action done
by anyone, and a moment at which two people do the same thing is not asked about.

The right clip lasts as long as the query, so that lengths would tell it. All clips of a question
are therefore cut to its shortest, around the middles of their actions; actions that differ more
than twofold in length do not meet in a question, so that at least half of each clip stays.

The paper says none of this: distractors are "different temporal segments of the same video,
corresponding to different actions". The reading `paper` takes any segments of other names, shows
every clip as long as its action, and leaves what others do at that time to the gates.

The options' `text` is the narration, for protocols that read text in place of video; the question
never holds one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from assets.questions.egoexobench.acts import NAMED_ACTIONS, Act, acts_of_take
from assets.questions.egoexobench.moments import (
    DISTRACTORS,
    READS,
    distractors_as_paper,
    moment_question,
    other_moments,
)
from assets.questions.kit.builder import Tables
from assets.questions.kit.clips import MOST_RATIO, may_be_cut_alike
from assets.questions.kit.funnel import refuse
from assets.questions.kit.needs import take_with_both_views
from assets.questions.kit.recipe import Recipe, Row, template
from assets.questions.kit.takes import SYNCHRONOUS, cameras, synchronous_clocks

RECIPE = Recipe(
    "egoexobench",
    "action_relation",
    1,
    template(__file__, "action_relation_lemma.j2"),
    name="action_relation_lemma",
)


def questions(tables: Tables, reading: str) -> Iterator[Row]:
    """Questions of both directions about the actions of one take.

    Actions that cannot be asked about make none: too short, outside the other recording, done by
    two people at once, or with fewer than three distractors.

    Args:
        tables: Rows of `recordings`, `segments`, `relations`, `labels` and `clocks` of the take's recordings.
        reading: Under `paper`, take any actions of other names at other times, and show them as
            annotated.
    """
    recipe = RECIPE.under(reading)
    clocks = synchronous_clocks(tables["clocks"])
    acts = acts_of_take(tables, clocks, as_annotated=recipe.as_paper)
    exo, ego = (cameras(tables["recordings"], clocks, view) for view in ("exo", "ego"))
    for observer, wearer in product(exo, ego):
        mine = [act for act in acts if act.recording_id == wearer.uid]
        own = [act for act in mine if act.clip is not None and observer.films(act.clip)]
        directions = (("ego2exo", wearer, observer), ("exo2ego", observer, wearer))
        refuse("seen_by_both_cameras", len(directions) * (len(mine) - len(own)))
        for act, (direction, asked, shown) in product(own, directions):
            # An observer's camera also shows what others do meanwhile.
            chosen = (
                distractors_as_paper(
                    act,
                    own,
                    differs=lambda other, act=act: other.words.casefold() != act.words.casefold(),
                )
                if recipe.as_paper
                else _distractors(act, own, acts, seen_by_all=asked is observer)
            )
            if len(chosen) == DISTRACTORS:
                anchor = (direction, act.segment_id, observer.uid)
                yield moment_question(recipe, anchor, asked, shown, act, chosen)
            else:
                refuse("three_other_actions")


def _distractors(
    act: Act, own: Sequence[Act], everybody: Sequence[Act], *, seen_by_all: bool
) -> list[Act]:
    """Up to three other moments of the person that show something else, by hash.

    Args:
        act: Action asked about.
        own: Actions of the same person that both cameras show.
        everybody: Actions of all people of the take.
        seen_by_all: Whether the query shows what others do meanwhile too.
    """
    at_once = act.meanwhile(everybody)
    if any(other.actor != act.actor and other.is_like(act) for other in at_once):
        return []
    asked = at_once if seen_by_all else [act]
    chosen: list[Act] = []
    for other in other_moments(act, own):
        seen = other.meanwhile(everybody)
        mine = [a for a in seen if a.actor == act.actor]
        if (
            not any(a.is_like(act) for a in seen)
            and not any(a.is_like(b) for a in mine for b in asked)
            and not any(other.shows_time_of(a) or other.is_like(a) for a in (act, *chosen))
            and may_be_cut_alike(a.length_s for a in (act, *chosen, other))
        ):
            chosen.append(other)
    return chosen[:DISTRACTORS]


BUILDER = RECIPE.builder(
    questions,
    unit="take",
    reads=READS,
    needs=(take_with_both_views(SYNCHRONOUS), NAMED_ACTIONS),
    limits=(
        f"an action that one person does, seen by both cameras, and {DISTRACTORS} other actions of"
        f" that person in other words, none more than {MOST_RATIO:g} times as long as another"
    ),
    rules=("seen_by_both_cameras", "three_other_actions"),
)
