"""Skill of a source: one unit per action and mode, made from all its pairs."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from assets.labels.stage import STAGE as LABELS
from assets.skill.sets import MODES, Given, make_sets
from assets.sources.stage import STAGES as SOURCE_STAGES
from assets.translations.in_use import TRANSLATED, in_use, with_used
from assets.translations.stage import STAGE as TRANSLATIONS
from assets.unit_stage import UnitStage
from assets.upstream import Upstream, ledgers
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from resources.config import Settings
from resources.store.code_version import code_version
from resources.store.incremental import Output, Stage
from resources.store.tables import TableStore

STAGE = Stage(
    "skill",
    tuple(
        TABLES[name]
        for name in (
            "skill_triplets",
            "skill_chains",
            "skill_clips",
            "skill_transitivity",
            "skill_pairs",
        )
    ),
)
RELEASED_BY = "egoexolearn"
"""Layout whose released pairs `parity` keeps."""
SELF_ASSESSED = "self_assessed"
_LEDGERS = ledgers((*SOURCE_STAGES.values(), TRANSLATIONS, LABELS))
_RECORDING = (
    "recording_id",
    "take_id",
    "view",
    "split",
    "split_from",
    "scenario",
    "media_duration_s",
)
_SEGMENT = ("segment_id", "recording_id", "kind", "start_s", "end_s", "narration")
_LABEL = ("segment_id", "kind", "term")
_LEVEL = ("take_id", "scale", "level")
_LINK = ("take_id", "link", "other_take_id")
_REST = {
    "recordings": _RECORDING,
    "take_links": _LINK,
    "segments": _SEGMENT,
    "translations": TRANSLATED,
    "labels": _LABEL,
    "skill_levels": _LEVEL,
}


def wanted(settings: Settings, source: str) -> dict[str, str]:
    """Actions in each mode, and what their sets are made from."""
    before = Upstream(settings.store, source, _LEDGERS)
    skills = before.holding("skill_votes")
    if not skills:
        return {}
    given = [code_version(make_sets, with_used), *before.whole(_REST)]
    votes = TABLES["skill_votes"].content_columns
    modes = [m for m in MODES if m == "paper" or settings.sources[source].layout == RELEASED_BY]
    return {
        f"{action}/{mode}": digest([mode, skills[action].inputs("skill_votes", votes), *given])
        for action in sorted(skills)
        for mode in modes
    }


def _compute(settings: Settings, source: str, todo: list[str]) -> Iterator[Output]:
    votes = settings.store.read(TABLES["skill_votes"], source)
    rest = _rest(settings.store, source)
    for unit in todo:
        action, _, mode = unit.partition("/")
        mine = votes.filter(pl.col("action") == action).sort("pair_id")
        made = make_sets(Given(mine, **rest), "parity" if mode == "parity" else "paper")
        head = {"source": source, "set": unit, "mode": mode, "action": action}
        named = {k: pl.lit(v) for k, v in head.items()}
        yield Output([unit], {name: rows.with_columns(**named) for name, rows in made.items()})


def _rest(store: TableStore, source: str) -> dict[str, pl.DataFrame]:
    """What `Given` holds beside the votes."""
    tables = in_use(
        {name: store.read(TABLES[name], source, columns=read) for name, read in _REST.items()}
    )
    recordings, labels = tables["recordings"].sort("recording_id"), tables["labels"]
    told = (pl.col("kind") == "fine") & pl.col("narration").is_not_null()
    takes = recordings.select("take_id", "recording_id")
    return {
        "recordings": recordings,
        "segments": tables["segments"].filter(told).sort("segment_id"),
        "verbs": labels.filter(pl.col("kind") == "verb").select("segment_id", "term"),
        "links": tables["take_links"]
        .filter(pl.col("link") == "follows")
        .sort("take_id", "other_take_id"),
        "levels": tables["skill_levels"]
        .filter(pl.col("scale") == SELF_ASSESSED)
        .join(takes, on="take_id")
        .unique("recording_id", keep="none")
        .sort("recording_id"),
    }


_UNITS = UnitStage(STAGE, wanted, _compute)
bring_up = _UNITS.bring_up
is_fresh = _UNITS.is_fresh
