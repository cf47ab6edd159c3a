"""What gates may look at: the tables of the question's unit, its frames, the protocols' rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from expectations.gates.base import CannotTell, Checked, Derivation, Guesses, NotAsked
from expectations.schemas.sampling import NoFrameError, SamplingRule, ShownFrames

Row = dict[str, Any]
# Which columns make an evidence key of a table, joined by "/".
EVIDENCE_KEYS: Mapping[str, tuple[str, ...]] = {
    "segments": ("segment_id",),
    "labels": ("segment_id",),
    "boxes": ("box_id",),
    "relations": ("relation_id",),
    "graph_edges": ("edge_id",),
    "graph_nodes": ("node_id",),
    "spatial_facts": ("fact_id",),
    "objects_3d": ("object_id", "pose"),
    "paths": ("path_id",),
    "annotated_frames": ("recording_id", "what", "source_frame"),
    "recordings": ("recording_id",),
    "review_states": ("item_id", "item_kind"),
    "skill_levels": ("take_id", "scale"),
    "skill_pairs": ("set", "pair_id"),
    "cameras": ("recording_id", "sensor"),
    "clocks": ("recording_id",),
    "pairs": ("pair_id",),
    "candidates": ("pair_id",),
    "imported_questions": ("released_id", "question_set"),
    "wordings": ("wording_id",),
    "listed_people": ("recording_id", "source_frame", "ego_recording_id"),
}
_NUMBERS = frozenset(("pose", "source_frame"))


class EvidenceTables:
    """Tables of a unit, indexed as they are asked for.

    Args:
        tables: Rows of each table for the unit's recordings; a table that is absent was not read,
            one without rows has none.
        frames: Rows of `frames` per recording id; a recording that is absent has no frames here.
        protocols: Sampling rule per protocol label, as protocols write it; None sends no media.
        guesses: What models answered that are shown less, by gate and question hash; a gate for which
            no model is configured is absent.
        derivations: Derivations by benchmark and subtask; the built-in ones if None.
        reviews: Rows of `question_reviews` by question id.
        checked: What a language model said, by question hash.
        accepted_only: Whether a question that people did not accept is refused. Its row of `reviews` then names in
            `flow` and `waits` where a review in steps stands.
    """

    def __init__(
        self,
        tables: Mapping[str, pl.DataFrame],
        frames: Mapping[str, pl.DataFrame | ShownFrames] | None = None,
        protocols: Mapping[str, str | None] | None = None,
        guesses: Mapping[str, Mapping[str, Guesses | NotAsked]] | None = None,
        derivations: Mapping[tuple[str, str], Derivation] | None = None,
        reviews: Mapping[str, Row] | None = None,
        checked: Mapping[str, Checked] | None = None,
        *,
        accepted_only: bool = False,
    ) -> None:
        self.tables = dict(tables)
        self.frames = {uid: ShownFrames.of(rows) for uid, rows in (frames or {}).items()}
        self.protocols = dict(protocols or {})
        self.guesses = dict(guesses or {})
        self.derivations = derivations
        self.reviews = dict(reviews or {})
        self.checked = dict(checked or {})
        self.accepted_only = accepted_only
        self._grouped: dict[tuple[str, tuple[str, ...]], dict[tuple[Any, ...], pl.DataFrame]] = {}
        self._rows: dict[tuple[str, tuple[str, ...]], dict[tuple[Any, ...], list[Row]]] = {}
        self._chosen: dict[tuple[Any, ...], list[float] | None] = {}
        self.memo: dict[Any, Any] = {}  # what a derivation measured once per recording

    def has(self, table: str) -> bool:
        """Whether a table was given, with or without rows."""
        return table in self.tables

    def table(self, name: str) -> pl.DataFrame:
        """A table.

        Raises:
            CannotTell: It was not given.
        """
        if name not in self.tables:
            raise CannotTell(f"table {name} was not given")
        return self.tables[name]

    def part(self, table: str, **where: Any) -> pl.DataFrame:
        """Rows of a table with these values; grouped once per set of columns."""
        columns = tuple(sorted(where))
        groups = self._grouped.get((table, columns))
        if groups is None:
            groups = self.table(table).partition_by(columns, as_dict=True, maintain_order=True)
            self._grouped[table, columns] = groups
        return groups.get(tuple(where[c] for c in columns), self.tables[table].clear())

    def rows(self, table: str, **where: Any) -> list[Row]:
        """The same as dicts."""
        columns = tuple(where) if len(where) == 1 else tuple(sorted(where))
        index = self._rows.get((table, columns))
        if index is None:
            index = {}
            for row in self.table(table).iter_rows(named=True):
                index.setdefault(tuple(row[c] for c in columns), []).append(row)
            self._rows[table, columns] = index
        return index.get(tuple(where[c] for c in columns), [])

    def one(self, table: str, **where: Any) -> Row | None:
        """First row of a table with these values."""
        found = self.rows(table, **where)
        return found[0] if found else None

    def recording(self, recording_id: str) -> Row:
        """Row of `recordings`.

        Raises:
            CannotTell: The recording is not there.
        """
        found = self.one("recordings", recording_id=recording_id)
        if found is None:
            raise CannotTell(f"recording {recording_id} is not in recordings")
        return found

    def segment(self, segment_id: str | None) -> Row:
        """Row of `segments`.

        Raises:
            CannotTell: The segment is not there.
        """
        found = None if segment_id is None else self.one("segments", segment_id=segment_id)
        if found is None:
            raise CannotTell(f"segment {segment_id} is not in segments")
        return found

    def evidence_rows(self, table: str, key: str | None) -> list[Row] | None:
        """Rows an evidence key names; None where the table or its key is not known here."""
        known = ("evidence", table, key)
        if known not in self.memo:
            self.memo[known] = self._evidence_rows(table, key)
        return self.memo[known]

    def _evidence_rows(self, table: str, key: str | None) -> list[Row] | None:
        columns = EVIDENCE_KEYS.get(table)
        if columns is None or not self.has(table):
            return None
        if key is None:
            return []
        # Only the first part may hold a slash itself.
        parts = key.rsplit("/", len(columns) - 1)
        if len(parts) != len(columns):
            return []
        where: dict[str, Any] = dict(zip(columns, parts, strict=True))
        for column in _NUMBERS & where.keys():
            if not where[column].isdecimal():
                return []
            where[column] = int(where[column])
        return self.rows(table, **where)

    def take_time(self, recording_id: str) -> tuple[str, float, float]:
        """Take, offset and rate: `t_take = offset + rate * t_s`.

        Raises:
            CannotTell: The recording has no clock.
        """
        clock = self.one("clocks", recording_id=recording_id)
        if clock is None or not clock["rate"]:
            raise CannotTell(f"recording {recording_id} has no clock: its take time is not known")
        return str(clock["take_id"]), float(clock["offset_s"]), float(clock["rate"])

    def sent(
        self,
        recording_id: str,
        rule: str,
        start_s: float,
        end_s: float,
        given_s: Sequence[float] = (),
    ) -> list[float] | None:
        """Times of the frames a rule sends of a clip; None where the clip holds no frame.

        Raises:
            CannotTell: The recording's frames are not here.
            ValueError: The rule is unknown, or has no times inside the clip.
        """
        key = (recording_id, rule, start_s, end_s, tuple(given_s))
        if key not in self._chosen:
            shown = self.frames.get(recording_id)
            if shown is None or shown.frames.is_empty():
                raise CannotTell(f"frames of {recording_id} are not here")
            try:
                chosen = shown.choose(SamplingRule.parse(rule), start_s, end_s, given_s)
                self._chosen[key] = list(chosen.t_s)
            except NoFrameError:
                self._chosen[key] = None
        return self._chosen[key]
