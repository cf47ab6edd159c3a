"""Action relation on asynchronous views: another recording that shows the action (EgoExoBench A.2).

"We begin with the 20 candidate videos included in the [association] benchmark. We first filter for
candidates that share at least one verb or noun with the query. Then [...] the three most similar
candidates (excluding the GT) are selected": similarity is that of the narrations' sentence vectors.
Query and right option are an association pair's, in both directions; fewer than three such
candidates make no question.

A candidate that may show the query's action in other words is no distractor: the pair's negatives
differ from the query in their sets of verbs and nouns, and here one's two sets may not lie inside
the other's either ("take the cup", "take the cup from the table"). Nor do two differ for certain
that carry one thing: who passes the plate puts it on the table next, and which of these is told is
the narrator's choice. Only taking from a place and bringing to it are told apart. Nor do two that
operate one switch: by a press the stove is turned off; only on and off are told apart. Nor is a
candidate a distractor whose clip shows a part of the right option's time.

The same action lasts about as long twice, so that lengths would tell the right clip. All clips of a
question are therefore cut to its shortest, around the middles of their segments; candidates that differ
more than twofold from the query or the right option in length make no distractors.

The paper states none of these exclusions and cuts nothing; it discards questions that "admit multiple
plausible answers" afterwards. The reading `paper` proposes its three nearest as they are, shows them as
annotated, and leaves the rest to the gates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from assets.pairs.choice import stable_hash
from assets.pairs.sentences import sentence_key
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
from assets.questions.kit.clips import clips
from assets.questions.kit.identity import question_id
from assets.questions.kit.needs import pairs_with, rows_of
from assets.questions.kit.rows import RECORDING_COLUMNS, Row, clip_medium, template
from expectations.schemas import TABLES
from expectations.schemas.readings import paper_recipe

RECIPE = "action_relation_egoexolearn@2"
ANSWER_FILE = "action_relation_egoexolearn_answer.j2"
CANDIDATES = 20
ASKED_SPLITS = ("val", "test")
# Similarities are compared so far: the last bits of a vector depend on the machine.
DECIMALS = 4
# Words of verb classes for taking a thing somewhere: away from where it is, and to another place.
_AWAY = frozenset({"take", "pick", "grab", "remove", "detach", "lift"})
_THERE = frozenset(
    {"put", "place", "lay", "add", "insert", "pour", "scoop", "throw", "drop", "give", "serve"}
)
_CARRY = _AWAY | _THERE | {"move", "pass", "transfer", "carry", "push", "pull"}
# Words of verb classes for operating a thing by its switch.
_SWITCH = frozenset({"press", "touch", "switch"})
_ANSWER = template("assets.questions.egoexobench", ANSWER_FILE)


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment that can be shown and compared.

    Attributes:
        segment_id: Its id.
        recording_id: Its recording.
        narration: What it says.
        clip: Start and end of the clip.
        middle_s: Middle of what the segment names.
        verbs: Verb classes.
        nouns: Noun classes.
        verb_words: Words of the label of each verb class.
        vector: Unit vector of the narration.
    """

    segment_id: str
    recording_id: str
    narration: str
    clip: tuple[float, float]
    middle_s: float
    verbs: frozenset[int]
    nouns: frozenset[int]
    verb_words: tuple[frozenset[str], ...]
    vector: np.ndarray

    def shares_with(self, other: Segment) -> bool:
        """Whether both have a verb or a noun in common."""
        return bool(self.verbs & other.verbs or self.nouns & other.nouns)

    def is_like(self, other: Segment) -> bool:
        """Whether one may be the other in more or other words."""
        if self.narration.casefold() == other.narration.casefold():
            return True
        if not _nested(self.nouns, other.nouns):
            return False
        return (
            _nested(self.verbs, other.verbs)
            or self._carries_like(other)
            or self._switches_like(other)
        )

    def _carries_like(self, other: Segment) -> bool:
        """Whether both may be stages of carrying one thing; not if it goes away and back."""
        both = (self.verb_words, other.verb_words)
        if not all(verbs and all(words & _CARRY for words in verbs) for verbs in both):
            return False
        away = [all(words & _AWAY for words in verbs) for verbs in both]
        return self.nouns != other.nouns or away[0] == away[1]

    def _switches_like(self, other: Segment) -> bool:
        """Whether both may operate one switch; not if one turns on and the other off."""
        both = (self.verb_words, other.verb_words)
        if not all(verbs and all(words & _SWITCH for words in verbs) for verbs in both):
            return False
        said = frozenset[str]().union(*self.verb_words, *other.verb_words)
        return not said >= {"on", "off"}

    @property
    def length_s(self) -> float:
        """Length of the clip."""
        return self.clip[1] - self.clip[0]

    def cut(self, length_s: float) -> tuple[float, float]:
        """Start and end of a part of the clip, around the segment's middle as far as the clip goes."""
        start_s = max(self.clip[0], min(self.middle_s - length_s / 2, self.clip[1] - length_s))
        return start_s, start_s + length_s

    def similarity(self, other: Segment) -> float:
        """Cosine of the narrations' vectors."""
        return round(float(self.vector @ other.vector), DECIMALS)


def make_questions(tables: Tables, *, as_paper: bool = False) -> pl.DataFrame:
    """Questions from the association pairs of a pool that have 20 options.

    Args:
        tables: Rows of `pairs`, `recordings`, `labels`, `sentence_vectors`, and of `segments` with
            all fine segments of the recordings (neighbours bound the clips).
        as_paper: Take the three nearest that share a verb or noun, also one that may show the
            query's action in other words, and show segments as annotated. Gates then refuse what
            has two right options.

    Returns:
        Rows of `questions` in key order. Segments that are too short to show, not narrated, not
        labelled or without a vector are neither asked nor options.
    """
    table = TABLES["questions"]
    recordings = {row["recording_id"]: row for row in tables["recordings"].iter_rows(named=True)}
    segments = {segment.segment_id: segment for segment in _segments(tables, as_paper)}
    asked = tables["pairs"].filter(
        pl.col("split").is_in(ASKED_SPLITS)
        & (pl.col("negative_segment_ids").list.len() >= CANDIDATES - 1)
    )
    rows = (_question(pair, segments, recordings, as_paper) for pair in asked.iter_rows(named=True))
    return table.frame(row for row in rows if row is not None).sort(table.key)


def _segments(tables: Tables, as_annotated: bool) -> Iterator[Segment]:
    vectors = {
        (uid, key): np.asarray(vector, dtype=np.float64)
        for uid, key, vector in tables["sentence_vectors"]
        .select("recording_id", "sentence", "vector")
        .iter_rows()
    }
    times = tables["segments"].select("segment_id", (pl.col("start_s") + pl.col("end_s")) / 2)
    middles = dict(times.iter_rows())
    classes: dict[str, dict[str, dict[int, str]]] = {}
    for segment_id, kind, class_id, label in (
        tables["labels"].select("segment_id", "kind", "class_id", "class_label").iter_rows()
    ):
        said = classes.setdefault(segment_id, {"verb": {}, "noun": {}})
        said[kind][class_id] = label or ""
    shown = clips(tables["segments"], tables["recordings"], as_annotated=as_annotated)
    for row in shown.iter_rows(named=True):
        uid, segment_id, narration = row["recording_id"], row["segment_id"], row["narration"] or ""
        vector = vectors.get((uid, sentence_key(narration)))
        said = classes.get(segment_id)
        if vector is not None and said is not None:
            yield Segment(
                segment_id,
                uid,
                narration,
                (row["clip_start_s"], row["clip_end_s"]),
                middles[segment_id],
                frozenset(said["verb"]),
                frozenset(said["noun"]),
                tuple(_words(label) for label in said["verb"].values()),
                vector,
            )


def _question(
    pair: Mapping[str, Any],
    segments: Mapping[str, Segment],
    recordings: Mapping[str, Mapping[str, Any]],
    as_paper: bool,
) -> Row | None:
    query = segments.get(pair["query_segment_id"])
    positive = segments.get(pair["positive_segment_id"])
    if query is None or positive is None:
        return None
    ids = pair["negative_segment_ids"][: CANDIDATES - 1]
    beside = [segments[i] for i in ids if i in segments]
    distractors = _as_in_paper(query, beside) if as_paper else _that_differ(query, positive, beside)
    if distractors is None:
        return None
    recipe = paper_recipe(RECIPE) if as_paper else RECIPE
    identity = question_id(
        BENCHMARK,
        SUBTASK,
        recipe,
        str(pair["source"]),
        query.segment_id,
        positive.recording_id,
    )
    shown = {s.segment_id: s for s in (positive, *distractors)}
    options = candidates(
        identity, {key: s.narration for key, s in shown.items()}, answer=positive.segment_id
    )
    length_s = None if as_paper else min(s.length_s for s in (query, *shown.values()))
    media = [_medium("query", query, recordings, length_s)]
    media += [
        _medium(f"option_{o['letter']}", shown[o["segment_id"]], recordings, length_s)
        for o in options
    ]
    (right,) = [o["letter"] for o in options if o["is_answer"]]
    return relation_row(
        identity=identity,
        recipe=recipe,
        split=pair["split"],
        options=options,
        media=media,
        recordings=(recordings[query.recording_id], recordings[positive.recording_id]),
        detailed_answer=_ANSWER.render(
            query=query.narration,
            positive=positive.narration,
            answer=right,
            others=[o for o in options if not o["is_answer"]],
        ),
        evidence=[
            {"table": name, "key": medium["segment_id"], "role": medium["role"]}
            for medium in media
            for name in ("segments", "labels")
        ],
    )


def _that_differ(
    query: Segment, positive: Segment, beside: Sequence[Segment]
) -> list[Segment] | None:
    """The three nearest that share a verb or noun, show something else and are about as long."""
    chosen: list[Segment] = []
    if not _as_long([query, positive]):
        return None
    for candidate in _nearest_first(query, beside):
        if (
            len(chosen) < OPTIONS - 1
            and not candidate.is_like(query)
            and not candidate.is_like(positive)
            and not overlap(candidate.clip, positive.clip)
            and _as_long([query, positive, *chosen, candidate])
        ):
            chosen.append(candidate)
    return chosen if len(chosen) == OPTIONS - 1 else None


def _as_in_paper(query: Segment, beside: Sequence[Segment]) -> list[Segment] | None:
    """The three nearest that share a verb or noun."""
    chosen = _nearest_first(query, beside)[: OPTIONS - 1]
    return chosen if len(chosen) == OPTIONS - 1 else None


def _nearest_first(query: Segment, beside: Sequence[Segment]) -> list[Segment]:
    """Candidates that share a verb or noun with the query, the nearest in words first."""
    return sorted(
        (c for c in beside if c.shares_with(query)),
        key=lambda c: (
            -c.similarity(query),
            stable_hash("distractor", query.segment_id, c.segment_id),
        ),
    )


def _as_long(segments: Sequence[Segment]) -> bool:
    """Whether the clips can be cut to one length so that at least half of each stays."""
    lengths = [segment.length_s for segment in segments]
    return max(lengths) <= MOST_RATIO * min(lengths)


def _words(label: str) -> frozenset[str]:
    """Words of a class's label: take, pick, grab of `take_(pick-up,_grab)`."""
    return frozenset(re.findall(r"[a-z]+", label.casefold()))


def _nested(one: frozenset[int], other: frozenset[int]) -> bool:
    return one <= other or other <= one


def _medium(
    role: str,
    segment: Segment,
    recordings: Mapping[str, Mapping[str, Any]],
    length_s: float | None,
) -> Row:
    recording = recordings[segment.recording_id]
    span = segment.clip if length_s is None else segment.cut(length_s)
    return clip_medium(role, recording, *span, segment_id=segment.segment_id)


BUILDER = Builder(
    benchmark=BENCHMARK,
    subtasks=(SUBTASK,),
    recipe=RECIPE,
    unit="pool",
    reads={
        "pairs": None,
        "segments": ("segment_id", "recording_id", "kind", "start_s", "end_s", "narration"),
        "recordings": RECORDING_COLUMNS,
        "labels": ("segment_id", "kind", "class_id", "class_label"),
        "sentence_vectors": ("recording_id", "sentence", "vector"),
    },
    make=make_questions,
    make_as_paper=partial(make_questions, as_paper=True),
    files=(TEXT_FILE, ANSWER_FILE),
    needs=(
        *pairs_with(CANDIDATES - 1, ASKED_SPLITS),
        rows_of("sentence_vectors", "no sentence vectors to compare narrations by"),
    ),
    limits=(
        f"{OPTIONS - 1} candidates that share a verb or noun with the query and cannot be taken for"
        " its action"
    ),
)
