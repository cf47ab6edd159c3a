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

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import polars as pl

from assets.pairs.choice import stable_hash
from assets.questions.egoexobench.acts import (
    KIND,
    SYNCHRONOUS,
    Act,
    Clock,
    acts_of_take,
    synchronous_clocks,
)
from assets.questions.egoexobench.relation import (
    BENCHMARK,
    MOST_RATIO,
    OPTIONS,
    SUBTASK,
    TEXT_FILE,
    candidates,
    overlap,
    relation_row,
)
from assets.questions.kit.builder import Builder, Tables
from assets.questions.kit.identity import question_id
from assets.questions.kit.needs import rows_where, take_with_both_views
from assets.questions.kit.rows import RECORDING_COLUMNS, Row, clip_medium, template
from expectations.schemas import TABLES
from expectations.schemas.readings import paper_recipe

RECIPE = "action_relation_lemma@1"
ANSWER_FILE = "action_relation_lemma_answer.j2"
_ANSWER = template("assets.questions.egoexobench", ANSWER_FILE)


def make_questions(tables: Tables, *, as_paper: bool = False) -> pl.DataFrame:
    """Questions of both directions about the actions of one take.

    Args:
        tables: Rows of `recordings`, `segments`, `relations` and `clocks` of the take's recordings.
        as_paper: Take any actions of other names at other times, and show them as annotated.

    Returns:
        Rows of `questions` in key order. Actions that cannot be asked about make none: too short,
        outside the other recording, done by two people at once, or with fewer than three
        distractors.
    """
    table = TABLES["questions"]
    clock_of = synchronous_clocks(tables["clocks"])
    recordings = {
        row["recording_id"]: row
        for row in tables["recordings"].iter_rows(named=True)
        if row["recording_id"] in clock_of
    }
    acts = acts_of_take(tables, clock_of, as_annotated=as_paper)
    kind = _PairAsPaper if as_paper else _Pair
    made: list[Row] = []
    for observer in sorted(uid for uid, row in recordings.items() if row["view"] == "exo"):
        for wearer in sorted(uid for uid, row in recordings.items() if row["view"] == "ego"):
            pair = kind(wearer, observer, recordings, clock_of, acts)
            made.extend(pair.questions())
    return table.frame(made).sort(table.key)


class _Pair:
    """A wearer's and an observer's recording of one take."""

    recipe = RECIPE

    def __init__(
        self,
        wearer: str,
        observer: str,
        recordings: Mapping[str, Mapping[str, Any]],
        clock_of: Mapping[str, Clock],
        acts: Sequence[Act],
    ) -> None:
        self.wearer, self.observer = recordings[wearer], recordings[observer]
        self.clock_of = clock_of
        self.acts = acts
        self.own = [
            act for act in acts if act.recording_id == wearer and act.clip and self._fits(act.clip)
        ]

    def questions(self) -> Iterator[Row]:
        for act in self.own:
            for direction in ("ego2exo", "exo2ego"):
                row = self._question(act, direction)
                if row is not None:
                    yield row

    def _fits(self, clip: tuple[float, float]) -> bool:
        """Whether the observer's camera runs all the while."""
        clock = self.clock_of[self.observer["recording_id"]]
        limit = self.observer["duration_s"]
        start_s, end_s = (clock.from_take(t) for t in clip)
        return start_s >= 0 and (limit is None or end_s <= limit)

    def _question(self, act: Act, direction: str) -> Row | None:
        distractors = self._distractors(act, direction)
        if distractors is None:
            return None
        asked, shown = (
            (self.wearer, self.observer) if direction == "ego2exo" else (self.observer, self.wearer)
        )
        identity = question_id(
            BENCHMARK,
            SUBTASK,
            self.recipe,
            str(self.observer["source"]),
            direction,
            act.segment_id,
            self.observer["recording_id"],
        )
        acts = {a.segment_id: a for a in (act, *distractors)}
        length_s = self._length_s(list(acts.values()))
        options = candidates(
            identity, {key: a.words for key, a in acts.items()}, answer=act.segment_id
        )
        media = [self._medium("query", asked, act, length_s)]
        media += [
            self._medium(f"option_{o['letter']}", shown, acts[o["segment_id"]], length_s)
            for o in options
        ]
        return relation_row(
            identity=identity,
            recipe=self.recipe,
            split=asked["split"],
            options=options,
            media=media,
            recordings=(asked, shown),
            detailed_answer=_explain(act, media, options),
            evidence=_evidence(media, acts, (asked, shown)),
        )

    def _seen(self, clip: tuple[float, float] | None) -> list[Act]:
        """What anybody does during a clip."""
        return [] if clip is None else [act for act in self.acts if act.meets(*clip)]

    def _length_s(self, acts: Sequence[Act]) -> float | None:
        """Seconds shown of each action."""
        return min(_length_s(a) for a in acts)

    def _ranked(self, act: Act) -> list[Act]:
        """Other moments of the person, by hash."""
        ranked = sorted(
            (stable_hash("distractor", act.segment_id, other.segment_id), other.segment_id, other)
            for other in self.own
            if other is not act
        )
        return [other for *_, other in ranked]

    def _distractors(self, act: Act, direction: str) -> list[Act] | None:
        """Three other moments of the person that show something else, or None."""
        at_once = self._seen(act.clip)
        if any(other.actor != act.actor and other.is_like(act) for other in at_once):
            return None
        # An observer's query also shows what others do meanwhile.
        asked = at_once if direction == "exo2ego" else [act]
        chosen: list[Act] = []
        for other in self._ranked(act):
            seen = self._seen(other.clip)
            if any(a.is_like(act) for a in seen):
                continue
            mine = [a for a in seen if a.actor == act.actor]
            if any(a.is_like(b) for a in mine for b in asked):
                continue
            if any(_overlap(other, a) or other.is_like(a) for a in (act, *chosen)):
                continue
            lengths = [_length_s(a) for a in (act, *chosen, other)]
            if max(lengths) > MOST_RATIO * min(lengths):
                continue
            chosen.append(other)
            if len(chosen) == OPTIONS - 1:
                return chosen
        return None

    def _medium(
        self, role: str, recording: Mapping[str, Any], act: Act, length_s: float | None
    ) -> Row:
        clock = self.clock_of[recording["recording_id"]]
        span = act.shown if length_s is None else act.cut(length_s)
        start_s, end_s = (clock.from_take(t) for t in span)
        return clip_medium(role, recording, start_s, end_s, segment_id=act.segment_id)


class _PairAsPaper(_Pair):
    """The same by what the paper says alone."""

    recipe = paper_recipe(RECIPE)

    def _length_s(self, acts: Sequence[Act]) -> float | None:  # noqa: ARG002
        return None

    def _distractors(self, act: Act, direction: str) -> list[Act] | None:  # noqa: ARG002
        chosen: list[Act] = []
        for other in self._ranked(act):
            apart = not any(_overlap(other, a) for a in (act, *chosen))
            if apart and other.words.casefold() != act.words.casefold():
                chosen.append(other)
            if len(chosen) == OPTIONS - 1:
                return chosen
        return None


def _length_s(act: Act) -> float:
    start_s, end_s = act.shown
    return end_s - start_s


def _overlap(one: Act, other: Act) -> bool:
    return overlap(one.shown, other.shown)


def _explain(act: Act, media: Sequence[Row], options: Sequence[Row]) -> str:
    (right,) = [o for o in options if o["is_answer"]]
    answer = next(m for m in media if m["role"] == f"option_{right['letter']}")
    return _ANSWER.render(
        narration=act.words,
        start_s=media[0]["start_s"],
        end_s=media[0]["end_s"],
        query=media[0]["recording_id"],
        answer=right["letter"],
        answer_start_s=answer["start_s"],
        answer_end_s=answer["end_s"],
        shown=answer["recording_id"],
        others=[o for o in options if not o["is_answer"]],
    )


def _evidence(
    media: Sequence[Row], acts: Mapping[str, Act], recordings: Sequence[Mapping[str, Any]]
) -> list[Row]:
    found = [
        {"table": "clocks", "key": r["recording_id"], "role": role}
        for r, role in zip(recordings, ("query", "option"), strict=True)
    ]
    for medium in media:
        act = acts[medium["segment_id"]]
        found.append({"table": "segments", "key": act.segment_id, "role": medium["role"]})
        found += [
            {"table": "relations", "key": key, "role": medium["role"]} for key in act.relations
        ]
    return found


BUILDER = Builder(
    benchmark=BENCHMARK,
    subtasks=(SUBTASK,),
    recipe=RECIPE,
    unit="take",
    reads={
        "recordings": (*RECORDING_COLUMNS, "take_id", "view"),
        "segments": (
            "segment_id",
            "recording_id",
            "kind",
            "actor_id",
            "is_point",
            "start_s",
            "end_s",
            "class_name",
            "narration",
        ),
        "relations": ("relation_id", "segment_id", "relation", "object", "role"),
        "clocks": ("recording_id", "offset_s", "rate", "method"),
    },
    make=make_questions,
    make_as_paper=partial(make_questions, as_paper=True),
    files=(TEXT_FILE, ANSWER_FILE),
    needs=(
        take_with_both_views(SYNCHRONOUS),
        rows_where(
            "segments",
            ("kind", "class_name"),
            (pl.col("kind") == KIND) & (pl.col("class_name").fill_null("") != ""),
            f"no segment of kind {KIND} has a class",
        ),
    ),
    limits=(
        f"an action that one person does, seen by both cameras, and {OPTIONS - 1} other actions of"
        f" that person in other words, none more than {MOST_RATIO:g} times as long as another"
    ),
)
