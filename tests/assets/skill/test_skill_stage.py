"""Skill, captions, recognition and leakage of a household and of the released list, end to end."""

from __future__ import annotations

import graphlib
import itertools
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

from assets.labels.stage import STAGE as LABELS
from assets.leakage.stage import STAGE as SPLIT_OVERLAPS
from assets.options import Options, silent
from assets.skill.stage import STAGE as SKILL
from assets.sources.stage import STAGE as SOURCES
from assets.task_sets.stage import STAGE as TASK_SETS
from expectations.checks.results import leakage_check, order_check
from expectations.schemas import TABLES
from resources.config import Settings, SourceConfig
from resources.store.tables import TableStore
from resources.worlds import HouseholdSpec, World, plan, write_egoexolearn
from resources.worlds.household.skills import (
    Comparison,
    comparisons,
    list_of,
    participant,
    self_level,
)

DEMO = {"06": "peel", "13": "cut", "18": "crack", "20": "stir"}


@dataclass
class Home:
    settings: Settings
    world: World
    told: list[Comparison]

    def rows(self, table: str) -> pl.DataFrame:
        return self.settings.store.read(TABLES[table])


def settings_of(root: Path, home: Path) -> Settings:
    store = TableStore(str(home / "store"))
    source = {"it": SourceConfig("it", "egoexolearn", str(root))}
    return Settings(home, store, home / "page.html", source)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    folder = tmp_path_factory.mktemp("skill")
    world = plan(HouseholdSpec(render="none"))
    write_egoexolearn(world, folder / "raw")
    settings = settings_of(folder / "raw", folder)
    for step in (
        SOURCES.refresh,
        LABELS.refresh,
        TASK_SETS.refresh,
        SKILL.refresh,
        SPLIT_OVERLAPS.refresh,
    ):
        step(settings, "it", Options(), silent)
    return Home(settings, world, comparisons(world))


def key(pair: Comparison) -> frozenset[str]:
    return frozenset((pair.left.token, pair.right.token))


def outcome(pair: Comparison) -> str | None:
    """Better clip by the simulation's votes."""
    return {"left": pair.left.token, "right": pair.right.token}.get(pair.outcome or "")


def test_nothing_of_it_is_refused(home: Home) -> None:
    refused = home.rows("quarantine").filter(
        pl.col("table").str.contains("skill|take_links|split_overlaps|task_sets|set_classes")
    )
    assert refused.is_empty()
    assert SKILL.is_fresh(home.settings, "it", Options())


def test_votes_become_pairs(home: Home) -> None:
    """The outcome of each pair is that of the votes the annotators of the household gave."""
    rows = home.rows("skill_pairs").filter(pl.col("mode") == "paper").rows(named=True)
    found = {frozenset((r["first_clip_id"], r["second_clip_id"])): r for r in rows}
    written = [c for c in home.told if c.left.action != "20" or c.outcome]
    assert len(found) == len(rows) == len(written)
    kinds: Counter[str] = Counter()
    for pair in written:
        row = found[key(pair)]
        better = None if row["better"] is None else row[f"{row['better']}_clip_id"]
        assert better == outcome(pair)
        assert (row["state"] == "undecided") == (pair.outcome is None)
        splits = {pair.left.recording.split, pair.right.recording.split}
        if row["state"] in ("kept", "shared_between_splits"):
            assert (row["state"] == "kept") == (len(splits) == 1)
        assert row["n_votes"] == (None if pair.left.action == "20" else len(pair.votes))
        levels = [self_level(c.recording) for c in (pair.left, pair.right)]
        assert sorted((row["first_self_level"], row["second_self_level"])) == sorted(levels)
        kinds[row["state"]] += 1
    assert set(kinds) == {"kept", "undecided", "in_cycle", "shared_between_splits"}


def test_parity_is_the_lists(home: Home) -> None:
    rows = home.rows("skill_pairs").filter(pl.col("mode") == "parity")
    for split in ("train", "val"):
        path = home.settings.home / f"raw/skill_benchmark/annotations/skill_{split}.txt"
        mine = rows.filter(pl.col("split") == split)
        assert sorted(mine["pair_id"]) == sorted(path.read_text().splitlines())
        assert set(mine["better"]) == {"first"}
    seed = home.world.spec.seed
    lists = Counter(list_of(c, seed) for c in home.told if c.outcome)
    assert dict(rows.group_by("split").len().rows()) == dict(lists)


def test_the_circle_is_found_and_undone(home: Home) -> None:
    circle = [c for c in home.told if c.circle]
    assert len(circle) == 3
    rows = home.rows("skill_pairs").filter((pl.col("action") == "13") & (pl.col("mode") == "paper"))
    found = {frozenset((r["first_clip_id"], r["second_clip_id"])): r for r in rows.rows(named=True)}
    assert all(found[key(c)]["on_cycle"] for c in circle)
    assert any(found[key(c)]["state"] == "in_cycle" for c in circle)
    kept = [r for r in rows.rows(named=True) if r["state"] == "kept"]
    above = defaultdict(set)
    for row in kept:
        sides = (row["first_clip_id"], row["second_clip_id"])
        above[sides[row["better"] == "first"]].add(sides[row["better"] != "first"])
    assert len(list(graphlib.TopologicalSorter(above).static_order())) >= len(above)


def test_chains_hold_in_the_votes(home: Home) -> None:
    better = {(o, *(key(c) - {o})) for c in home.told if (o := outcome(c))}
    chains = home.rows("skill_chains").rows(named=True)
    assert {c["length"] for c in chains} == {3, 4}
    for chain in chains:
        clips = chain["clip_ids"]
        assert all(pair in better for pair in itertools.pairwise(clips))
        if chain["closed"]:
            assert all(pair in better for pair in itertools.combinations(clips, 2))


def test_triplets_show_the_action_where_the_wearers_looked(home: Home) -> None:
    rows = home.rows("skill_triplets").filter(pl.col("mode") == "paper").rows(named=True)
    shown = {
        f"fine:{f.annotation_id}": (rec, f)
        for rec in home.world.recordings
        if rec.view == "exo"
        for f in rec.fine
    }
    rules = set()
    for row in rows:
        rec, fine = shown[row["reference_segment_id"]]
        assert DEMO[row["action"]] in fine.action.verbs
        assert rec.split == row["split"]
        follow = [
            rec.uid in home.world.follows[row[f"{side}_recording_id"]]
            for side in ("better", "worse")
        ]
        rules.add(row["rule"])
        assert all(follow) == (row["rule"] == "followed_by_both")
    assert "followed_by_both" in rules
    kept = home.rows("skill_pairs").filter(
        (pl.col("mode") == "paper") & (pl.col("state") == "kept")
    )
    assert {r["pair_id"] for r in rows} <= set(kept["pair_id"])


def test_sessions_are_those_of_the_household(home: Home) -> None:
    links = home.rows("take_links")
    told = {(uid, other) for uid, others in home.world.follows.items() for other in others}
    assert set(links.select("take_id", "other_take_id").rows()) == told
    assert max(Counter(uid for uid, _ in told).values()) > 1
    people = dict(home.rows("recordings").select("recording_id", "person_id").rows())
    assert people == {r.uid: participant(r) for r in home.world.recordings}


def test_leaks_of_the_lists_are_rows_and_ours_are_none(home: Home) -> None:
    rows = home.rows("split_overlaps")
    held: dict[str, dict[str, set[str]]] = {"recording": {}, "segment": {}}
    for split in ("train", "val"):
        path = home.settings.home / f"raw/skill_benchmark/annotations/skill_{split}.txt"
        tokens = path.read_text().split()
        held["segment"][split] = set(tokens)
        held["recording"][split] = {token.split("_")[1] for token in tokens}
    own = rows.filter((pl.col("set") == "skill/released") & (pl.col("other_set") == pl.col("set")))
    found = {r["unit"]: r for r in own.rows(named=True)}
    assert set(found) == {"recording", "segment"}
    for unit, row in found.items():
        both = held[unit]["train"] & held[unit]["val"]
        assert (row["split"], row["other_split"], row["n"]) == ("train", "val", len(both))
        assert row["examples"] == sorted(both)[:5]
        assert row["share"] == len(both) / min(len(s) for s in held[unit].values())
    mine = pl.all_horizontal(
        pl.col(c).str.ends_with("/paper") | pl.col(c).is_in(["recordings", "association"])
        for c in ("set", "other_set")
    )
    assert rows.filter(mine).is_empty()
    check = leakage_check(home.settings, "it")
    assert (check.passed, check.severity.value) == (False, "WARN")


def test_the_circle_is_told(home: Home) -> None:
    check = order_check(home.settings, "it")
    assert (check.passed, check.severity.value) == (False, "WARN")
    paper = home.rows("skill_pairs").filter(pl.col("mode") == "paper")
    out = paper.filter(pl.col("state") == "in_cycle").height
    assert f"{out} of {paper['better'].count()} pairs are left out" in str(check.description)


def test_a_changed_vote_moves_its_action_alone(home: Home) -> None:
    """Last of all: it changes the household's files."""
    path = home.settings.home / "raw/skill_benchmark/annotations/skill_votes.csv"
    lines = path.read_text().splitlines(keepends=True)
    # A vote of two against two that turns decides the pair.
    pair = next(
        c
        for c in home.told
        if c.left.action == "13" and sorted(s for _, s in c.votes) == ["left"] * 2 + ["right"] * 2
    )
    annotator = next(who for who, side in pair.votes if side == "right")
    old = f"{pair.left.token} {pair.right.token},{annotator},right\n"
    lines[lines.index(old)] = old.replace(",right\n", ",left\n")
    path.write_text("".join(lines))
    SOURCES.refresh(home.settings, "it", Options(), silent)
    assert not SKILL.is_fresh(home.settings, "it", Options())
    (report,) = SKILL.refresh(home.settings, "it", Options(), silent)
    assert report.computed == ["13/paper", "13/parity"]
    assert report.changed == ["13/paper"]
    rows = home.rows("skill_pairs").filter(pl.col("mode") == "paper").rows(named=True)
    (row,) = (r for r in rows if frozenset((r["first_clip_id"], r["second_clip_id"])) == key(pair))
    assert row[f"{row['better']}_clip_id"] == pair.left.token
    assert (row["n_agree"], row["state"] == "undecided") == (3, False)
