"""Captions with references by both rules, in both modes."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest

from assets.task_sets.captioning import TASK_SET, TRAINING_CUT
from tests.assets.task_sets.clip_tables import Clip, tables


def items(clips: list[Clip], mode: str = "paper", pairs=()) -> dict[str, dict]:
    made = TASK_SET.make(tables(TASK_SET, clips, pairs), mode)  # type: ignore[arg-type]
    assert made.classes.is_empty()
    return {row["item_id"]: row for row in made.items.rows(named=True)}


def given(row: dict) -> list[str]:
    return [reference["segment_id"] for reference in row["references"]]


EXO = [Clip(f"xt{n}", f"they do {n}") for n in range(6)] + [Clip("xs0", "they test")]


def test_references_are_two_of_the_split_with_their_words() -> None:
    rows = items([*EXO, Clip("et0", "I do"), Clip("es0", "I test"), Clip("ev0", "I try")])
    train = rows["random:s7"]
    assert (train["list"], train["split"], train["text"]) == ("ego_random", "train", "I do")
    assert len(set(given(train))) == 2
    for reference in train["references"]:
        at = int(reference["segment_id"][1:])
        assert reference["text"] == f"they do {at}"
        assert (reference["recording_id"], reference["start_s"]) == (f"xt{at}", float(at))
    assert given(rows["random:s8"]) == ["s6"]
    assert given(rows["random:s9"]) == []
    assert sum(r["list"] == "exo" for r in rows.values()) == len(EXO)


def test_partners_are_chosen_by_association() -> None:
    clips = [*EXO, Clip("et0", "I do"), Clip("et1", "I do not")]
    held = [("s7", f"s{n}") for n in (1, 3, 5, 6)]
    rows = items(clips, pairs=[*held, *held])
    chosen = given(rows["association:s7"])
    assert len(set(chosen)) == 2
    assert set(chosen) <= {"s1", "s3", "s5"}
    assert given(rows["association:s8"]) == []
    assert given(rows["random:s7"]) == given(items(clips)["random:s7"])


def test_in_parity_a_hashed_split_makes_no_partners() -> None:
    """Which were not pairs when the release was made of them."""
    exo = Clip("xt0", "they do", stated="train")
    clips = [exo, *(Clip(uid, "I do", stated="train") for uid in ("et0", "et0h"))]
    for mode, partners in (("paper", ["s0"]), ("parity", [])):
        rows = items(clips, mode, pairs=[("s1", "s0"), ("s2", "s0")])
        assert given(rows["association:s1"]) == ["s0"]
        assert given(rows["association:s2"]) == partners


def test_random_references_are_spread_and_independent() -> None:
    exo = [Clip(f"xt{n}", "they") for n in range(40)]
    rows = items([*exo, *(Clip(f"et{n}", "I") for n in range(600))])
    drawn = [given(r) for r in rows.values() if r["list"] == "ego_random"]
    assert len(drawn) == 600
    assert all(len(set(d)) == 2 for d in drawn)
    assert len({d[0] for d in drawn}) > 25
    # On rings of their own: the second is not a function of the first.
    follows: dict[str, Counter[str]] = {}
    for first, second in drawn:
        follows.setdefault(first, Counter())[second] += 1
    assert max(len(c) for c in follows.values()) > 10


def test_one_more_reference_moves_only_what_falls_to_it() -> None:
    exo = [Clip(f"xt{n}", "they") for n in range(30)]
    ego = [Clip(f"et{n}", "I") for n in range(200)]
    before = items([*ego, *exo])
    after = items([*ego, *exo, Clip("xt99", "they too")])
    new = f"s{len(ego) + len(exo)}"
    moved = [
        key
        for key, row in before.items()
        if row["list"] == "ego_random" and given(row) != given(after[key])
    ]
    assert moved
    assert all(new in given(after[key]) for key in moved)


def test_training_is_cut_and_the_cut_stands() -> None:
    ego = [Clip("et0", "I") for _ in range(TRAINING_CUT + 300)]
    val = [Clip("ev0", "I") for _ in range(TRAINING_CUT + 100)]
    rows = items([*ego, *val])
    kept = Counter(r["split"] for r in rows.values() if r["list"] == "ego_random")
    assert kept == {"train": TRAINING_CUT, "val": TRAINING_CUT + 100}
    fewer = items([*ego[:-10], *val])
    lost = {k for k, r in rows.items() if r["split"] == "train"} - fewer.keys()
    assert len([k for k in lost if k.startswith("random")]) <= 10


@pytest.mark.parametrize(
    ("clip", "paper", "parity"),
    [
        (Clip("es0", "I", stated="train"), "test", "train"),
        (Clip("et0", "I", stated="test"), "train", "test"),
        (Clip("e-0", "I", stated="val"), None, "val"),
        (Clip("et0", "I"), "train", None),
        (Clip("es0", None, stated="test"), None, "test"),
        (Clip("et0", None, stated="train"), None, None),
    ],
)
def test_split_and_words_by_mode(clip: Clip, paper: str | None, parity: str | None) -> None:
    for mode, split in (("paper", paper), ("parity", parity)):
        found = [r["split"] for r in items([clip], mode).values() if r["list"] == "ego_random"]
        assert found == ([split] if split else []), mode


def test_positions_count_within_list_and_split() -> None:
    clips = [Clip("et0", "a"), Clip("et0", "b"), Clip("ev0", "c"), Clip("xt0", "d")]
    rows = TASK_SET.make(tables(TASK_SET, clips), "paper").items
    for _, group in rows.group_by("list", "split"):
        assert group["position"].sort().to_list() == list(range(group.height))
    assert rows.filter(pl.col("list") == "ego_association")["references"].list.len().sum() == 0
