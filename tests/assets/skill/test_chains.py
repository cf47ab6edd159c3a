"""Chains against all orders of all clips."""

from __future__ import annotations

import itertools
import random

import numpy as np
import polars as pl
import pytest

from assets.skill.chains import PER_CLIP, chosen_chains, find_chains

Edges = list[tuple[int, int]]


def arrays(edges: Edges) -> tuple[np.ndarray, np.ndarray]:
    better, worse = (np.array([e[i] for e in edges], dtype=np.int64) for i in (0, 1))
    return better, worse


@pytest.mark.parametrize("seed", range(8))
def test_against_all_orders(seed: int) -> None:
    dice = random.Random(seed)
    n = 7
    edges = [e for e in itertools.permutations(range(n), 2) if dice.random() < 0.1 + seed * 0.08]
    held = set(edges)
    found = find_chains(n, *arrays(edges))
    for length in (3, 4):
        chains = {
            clips
            for clips in itertools.permutations(range(n), length)
            if all(pair in held for pair in itertools.pairwise(clips))
        }
        closed = {
            clips
            for clips in chains
            if all(
                (a, b) in held and (b, a) not in held for a, b in itertools.combinations(clips, 2)
            )
        }
        mine = [tuple(map(int, row)) for row in found[length].clips]
        assert len(mine) == len(set(mine))
        assert set(mine) == chains
        assert {c for c, full in zip(mine, found[length].closed, strict=True) if full} == closed


def test_chains_are_chosen_by_what_they_hold() -> None:
    n = 30
    names = [f"clip{at:02}" for at in range(n)]
    edges = list(itertools.combinations(range(n), 2))
    known = {name: f"r{at % 3}" for at, name in enumerate(names)}
    rows = chosen_chains(pl.Series(names), known, find_chains(n, *arrays(edges)))
    per = rows.group_by(pl.col("clip_ids").list.first(), "length").len()
    assert per["len"].max() == PER_CLIP
    assert rows["closed"].all()
    assert rows["clip_ids"].list.len().to_list() == rows["length"].to_list()
    for row in rows.head(50).rows(named=True):
        assert row["recording_ids"] == [known[c] for c in row["clip_ids"]]
        assert row["n_recordings"] == len(set(row["recording_ids"]))
    # Without the best clip the chains of all others are chosen as before.
    fewer = [(a - 1, b - 1) for a, b in edges if a]
    again = chosen_chains(pl.Series(names[1:]), known, find_chains(n - 1, *arrays(fewer)))
    assert again.rows() == rows.filter(pl.col("clip_ids").list.first() != names[0]).rows()


def test_nothing_to_chain() -> None:
    found = find_chains(2, *arrays([(0, 1)]))
    assert chosen_chains(pl.Series(["a", "b"]), {"a": "r", "b": "r"}, found).is_empty()
    assert find_chains(0, *arrays([]))[4].clips.shape == (0, 4)
