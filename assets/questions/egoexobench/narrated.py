"""Narrated segments that can be shown and compared: whether one may be another in other words.

A candidate that may show the query's action in other words is not a distractor: one's two sets of verbs
and nouns may not lie inside the other's ("take the cup", "take the cup from the table"). Nor do two
differ for certain that carry one thing: who passes the plate puts it on the table next, and which of
these is narrated is the narrator's choice. Only taking from a place and bringing to it are told apart.
Nor do two that operate one switch: by a press the stove is turned off; only on and off are told apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assets.labels.narrated_verbs import READS as VERB_READS
from assets.labels.narrated_verbs import NarratedVerbs
from assets.pairs.sentences import sentence_key
from assets.questions.kit.builder import Tables
from assets.questions.kit.clips import Span, clips, cut
from assets.questions.kit.recipe import Clip, Option

# Similarities are compared so far: the last bits of a vector depend on the machine.
DECIMALS = 4
# Kinds of verbs for taking a thing somewhere, and for operating a thing by its switch.
_CARRY = frozenset({"take", "put", "bring", "move"})
_SWITCH = frozenset({"press", "switch_on", "switch_off"})
READS = tuple(dict.fromkeys(("segment_id", "kind", "class_id", *VERB_READS)))
"""Columns of `labels` that `narrated_segments` takes."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment that can be shown and compared.

    Attributes:
        segment_id: Its id.
        recording: Row of `recordings` it lies in.
        narration: What it says.
        clip: Start and end of the clip.
        middle_s: Middle of what the segment names.
        verbs: Verb classes.
        nouns: Noun classes.
        verb_kinds: Kinds of each verb (`expectations.word_kinds`).
        vector: Unit vector of the narration.
    """

    segment_id: str
    recording: Mapping[str, Any]
    narration: str
    clip: Span
    middle_s: float
    verbs: frozenset[int]
    nouns: frozenset[int]
    verb_kinds: tuple[frozenset[str], ...]
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
        both = (self.verb_kinds, other.verb_kinds)
        if not all(verbs and all(kinds & _CARRY for kinds in verbs) for verbs in both):
            return False
        away = [all("take" in kinds for kinds in verbs) for verbs in both]
        return self.nouns != other.nouns or away[0] == away[1]

    def _switches_like(self, other: Segment) -> bool:
        """Whether both may operate one switch; not if one turns on and the other off."""
        both = (self.verb_kinds, other.verb_kinds)
        if not all(verbs and all(kinds & _SWITCH for kinds in verbs) for verbs in both):
            return False
        kinds = frozenset[str]().union(*self.verb_kinds, *other.verb_kinds)
        return not kinds >= {"switch_on", "switch_off"}

    @property
    def length_s(self) -> float:
        """Length of the clip."""
        return self.clip[1] - self.clip[0]

    def similarity(self, other: Segment) -> float:
        """Cosine of the narrations' vectors."""
        return round(float(self.vector @ other.vector), DECIMALS)

    def option(self, length_s: float | None) -> Option:
        """The segment as an option, its clip cut to a length around the segment's middle."""
        span = self.clip if length_s is None else cut(self.clip, self.middle_s, length_s)
        return Option(
            self.narration,
            clip=Clip(self.recording, *span, segment_id=self.segment_id),
            evidence=(("segments", self.segment_id), ("labels", self.segment_id)),
        )


def narrated_segments(tables: Tables, *, as_annotated: bool = False) -> Iterator[Segment]:
    """Segments of `segments` that are long enough to show, narrated, labelled and have a vector.

    What a narration says was not done, or not to the end, is left out: its classes say it was.

    Args:
        tables: Rows of `recordings`, `segments`, `labels` and `sentence_vectors`.
        as_annotated: Show each segment from its start to its end.
    """
    recordings = {row["recording_id"]: row for row in tables["recordings"].iter_rows(named=True)}
    vectors = {
        (uid, key): np.asarray(vector, dtype=np.float64)
        for uid, key, vector in tables["sentence_vectors"]
        .select("recording_id", "sentence", "vector")
        .iter_rows()
    }
    times = tables["segments"].select("segment_id", (pl.col("start_s") + pl.col("end_s")) / 2)
    middles = dict(times.iter_rows())
    classes: dict[str, dict[str, set[int]]] = {}
    classed = tables["labels"].drop_nulls("class_id")
    for segment_id, kind, class_id in classed.select("segment_id", "kind", "class_id").iter_rows():
        classes.setdefault(segment_id, {"verb": set(), "noun": set()})[kind].add(class_id)
    verbs = NarratedVerbs(tables["labels"])
    shown = clips(tables["segments"], tables["recordings"], as_annotated=as_annotated)
    for row in shown.iter_rows(named=True):
        uid, segment_id, narration = row["recording_id"], row["segment_id"], row["narration"] or ""
        vector = vectors.get((uid, sentence_key(narration)))
        found = classes.get(segment_id)
        if vector is not None and found is not None and verbs.all_done(segment_id):
            yield Segment(
                segment_id,
                recordings[uid],
                narration,
                (row["clip_start_s"], row["clip_end_s"]),
                middles[segment_id],
                frozenset(found["verb"]),
                frozenset(found["noun"]),
                tuple(verb.kinds for verb in verbs.of(segment_id)),
                vector,
            )


def _nested(one: frozenset[int], other: frozenset[int]) -> bool:
    return one <= other or other <= one
