"""Steps of people who imitate a demonstration they watched, and how plausible one is after another.

Steps are narrated in free words. Two sentences are alike if the cosine of their vectors reaches the
threshold at which the narrations of pairs count as the same activity. A step is the more plausible after
another the more often a step alike to it follows one alike to the other, in any performance of the split.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from assets.pairs.sentence_match import DECIMALS
from assets.pairs.sentences import sentence_key
from assets.questions.kit.builder import Tables
from expectations.schemas.pairs import SENTENCE_THRESHOLD

KIND = "fine"


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a performance.

    Attributes:
        segment_id: Its segment.
        words: Its narration.
        start_s: Start on its recording.
        end_s: End.
    """

    segment_id: str
    words: str
    start_s: float
    end_s: float

    @property
    def bare(self) -> str:
        """Its words without case and punctuation."""
        return " ".join(re.findall(r"\w+", self.words.casefold()))


@dataclass(frozen=True)
class Imitation:
    """A wearer's recording, its steps in order, and the recording of what is imitated."""

    row: Mapping[str, Any]
    steps: Sequence[Step]
    watched: Mapping[str, Any]

    @property
    def group(self) -> tuple[str | None, str | None]:
        """Scene and split: where distractors come from."""
        return self.row["scene"], self.row["split"]


def imitations(tables: Tables) -> list[Imitation]:
    """Faithful imitations with steps, by recording; those whose demonstration is not here are left out.

    Args:
        tables: Rows of `recordings`, `segments` and `take_links` of a whole source.
    """
    recordings = tables["recordings"].sort("recording_id").to_dicts()
    of_take = {row["take_id"]: row for row in recordings}
    watched = {
        row["take_id"]: of_take[row["other_take_id"]]
        for row in tables["take_links"].iter_rows(named=True)
        if row["link"] == "imitates"
        and row["faithful"] is not False
        and row["other_take_id"] in of_take
    }
    steps = _steps(tables["segments"])
    return [
        Imitation(row, steps[row["recording_id"]], watched[row["take_id"]])
        for row in recordings
        if row["view"] == "ego"
        and row["take_id"] in watched
        and watched[row["take_id"]]["view"] == "exo"
        and row["recording_id"] in steps
    ]


def _steps(segments: pl.DataFrame) -> dict[str, list[Step]]:
    found: dict[str, list[Step]] = defaultdict(list)
    rows = segments.filter(
        (pl.col("kind") == KIND)
        & pl.col("narration").fill_null("").str.strip_chars().ne("")
        & (pl.col("end_s") > pl.col("start_s"))
    ).sort("recording_id", "start_s", "end_s", "segment_id")
    for row in rows.iter_rows(named=True):
        step = Step(row["segment_id"], row["narration"].strip(), row["start_s"], row["end_s"])
        found[row["recording_id"]].append(step)
    return found


class Plausibility:
    """How plausible steps are after others, by the vectors of their sentences.

    Args:
        of: Imitations of a source.
        vectors: Rows of `sentence_vectors`.
    """

    def __init__(self, of: Iterable[Imitation], vectors: pl.DataFrame) -> None:
        self._imitations = list(of)
        self._vectors = {
            key: np.asarray(vector, dtype=np.float32)
            for key, vector in vectors.unique("sentence", maintain_order=True)
            .select("sentence", "vector")
            .iter_rows()
        }

    def knows(self, step: Step) -> bool:
        """Whether the step's sentence has a vector."""
        return sentence_key(step.words) in self._vectors

    def similarity(self, one: Step, others: Sequence[Step]) -> np.ndarray:
        """Cosines of a step's sentence with others that all have vectors."""
        if not others:
            return np.zeros(0)
        matrix = np.stack([self._vector(step) for step in others])
        return np.round(matrix @ self._vector(one), DECIMALS)

    def alike(self, one: Step, other: Step) -> bool:
        """Whether two steps may be taken for one."""
        return one.bare == other.bare or bool(
            self.similarity(one, [other])[0] >= SENTENCE_THRESHOLD
        )

    def counts(self, current: Step, candidates: Sequence[Step], split: str | None) -> np.ndarray:
        """How often a step alike to each candidate follows one alike to the current step."""
        firsts, seconds = self._successive.get(split, ([], []))
        if not firsts or not candidates:
            return np.zeros(len(candidates), dtype=int)
        after = self.similarity(current, firsts) >= SENTENCE_THRESHOLD
        following = [step for step, is_after in zip(seconds, after, strict=True) if is_after]
        return np.array(
            [
                int((self.similarity(one, following) >= SENTENCE_THRESHOLD).sum())
                for one in candidates
            ]
        )

    @cached_property
    def _successive(self) -> dict[str | None, tuple[list[Step], list[Step]]]:
        found: dict[str | None, tuple[list[Step], list[Step]]] = {}
        for one in self._imitations:
            firsts, seconds = found.setdefault(one.row["split"], ([], []))
            for first, second in pairwise(one.steps):
                if self.knows(first) and self.knows(second):
                    firsts.append(first)
                    seconds.append(second)
        return found

    def _vector(self, step: Step) -> np.ndarray:
        return self._vectors[sentence_key(step.words)]
