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

The options' `text` is the narration, for protocols that read text in place of video; the question
never holds one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from assets.pairs.choice import stable_hash
from assets.questions.builder import Builder, Tables
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
from assets.questions.identity import question_id
from assets.questions.needs import rows_where, take_with_both_views
from assets.questions.rows import RECORDING_COLUMNS, Row, clip_medium, template
from expectations.schemas import TABLES

RECIPE = "action_relation_lemma@1"
ANSWER_FILE = "action_relation_lemma_answer.j2"
_ANSWER = template("assets.questions.egoexobench", ANSWER_FILE)


def make_questions(tables: Tables) -> pl.DataFrame:
    """Questions of both directions about the actions of one take.

    Args:
        tables: Rows of `recordings`, `segments`, `relations` and `clocks` of the take's recordings.

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
    acts = acts_of_take(tables, clock_of)
    made: list[Row] = []
    for observer in sorted(uid for uid, row in recordings.items() if row["view"] == "exo"):
        for wearer in sorted(uid for uid, row in recordings.items() if row["view"] == "ego"):
            pair = _Pair(wearer, observer, recordings, clock_of, acts)
            made.extend(pair.questions())
    return table.frame(made).sort(table.key)


class _Pair:
    """A wearer's and an observer's recording of one take."""

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
        at_once = self._seen(act.clip)
        if any(other.actor != act.actor and other.is_like(act) for other in at_once):
            return None
        distractors = self._distractors(act, at_once if direction == "exo2ego" else [act])
        if distractors is None:
            return None
        asked, shown = (
            (self.wearer, self.observer) if direction == "ego2exo" else (self.observer, self.wearer)
        )
        identity = question_id(
            BENCHMARK,
            SUBTASK,
            RECIPE,
            str(self.observer["source"]),
            direction,
            act.segment_id,
            self.observer["recording_id"],
        )
        acts = {a.segment_id: a for a in (act, *distractors)}
        length_s = min(_length_s(a) for a in acts.values())
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
            recipe=RECIPE,
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

    def _distractors(self, act: Act, asked: Sequence[Act]) -> list[Act] | None:
        """Three other moments of the person, or None.

        Args:
            act: The action asked about.
            asked: All that the query shows: the action, and in an observer's view what others do
                meanwhile.
        """
        ranked = sorted(
            (stable_hash("distractor", act.segment_id, other.segment_id), other.segment_id, other)
            for other in self.own
            if other is not act
        )
        chosen: list[Act] = []
        for *_, other in ranked:
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

    def _medium(self, role: str, recording: Mapping[str, Any], act: Act, length_s: float) -> Row:
        clock = self.clock_of[recording["recording_id"]]
        start_s, end_s = (clock.from_take(t) for t in act.cut(length_s))
        return clip_medium(role, recording, start_s, end_s, segment_id=act.segment_id)


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
