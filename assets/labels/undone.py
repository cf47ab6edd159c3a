"""Actions that a narration says were not done: negated, only attempted, stopped, or still to come."""

from __future__ import annotations

import polars as pl

from expectations.schemas.labels import DONE


class UndoneActions:
    """Verbs of narrations that were parsed, by whether they were done.

    Args:
        labels: Rows of `labels`: segment_id, kind, lemma, status. Rows without a status say nothing.
    """

    def __init__(self, labels: pl.DataFrame) -> None:
        verbs = labels.filter((pl.col("kind") == "verb") & pl.col("status").is_not_null())
        self._done: dict[str, set[str]] = {}
        self._undone: dict[str, set[str]] = {}
        for segment, lemma, status in verbs.select("segment_id", "lemma", "status").iter_rows():
            known = self._done if status == DONE else self._undone
            known.setdefault(segment, set()).add(lemma)

    def has(self, segment_id: str, verb: str) -> bool:
        """Whether a segment's narration says of a verb that it was not done.

        Args:
            segment_id: The segment.
            verb: Base form, with its particle. One that the narration words differently was not done
                if nothing in the narration was.
        """
        done, undone = self._done.get(segment_id, set()), self._undone.get(segment_id, set())
        return verb not in done and (verb in undone or (bool(undone) and not done))
