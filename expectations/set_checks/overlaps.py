"""What overlapping splits and cycles mean: a fault of ours, or a trait of what was released."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

OURS = "/paper"
"""Sets of this ending, and those of `ALSO`, go by one decision per recording and share nothing."""
ALSO = ("recordings", "association")


@dataclass(frozen=True, slots=True)
class Leakage:
    """What was found.

    Attributes:
        passed: Whether no two splits share anything.
        is_error: Whether two of our own do.
        said: A sentence.
        rows: Overlaps, our own first, then by share.
    """

    passed: bool
    is_error: bool
    said: str
    rows: pl.DataFrame


def judge_overlaps(rows: pl.DataFrame) -> Leakage:
    """Judge the rows of `split_overlaps`."""
    ours = pl.all_horizontal(
        pl.col(name).str.ends_with(OURS) | pl.col(name).is_in(ALSO) for name in ("set", "other_set")
    )
    marked = rows.with_columns(ours=ours).sort(
        ["ours", "share", "n", "set", "split", "other_set", "other_split"],
        descending=[True, True, True, False, False, False, False],
    )
    wrong = int(marked["ours"].sum())
    within = marked.filter(pl.col("set") == pl.col("other_set"))
    said = "no two splits share anything"
    if rows.height:
        said = (
            f"{rows.height} pairs of splits share something, {within.height} of them within one set;"
            f" {wrong} among the sets that must not"
        )
    return Leakage(rows.is_empty(), wrong > 0, said, marked)


def judge_orders(rows: pl.DataFrame) -> tuple[bool, str]:
    """Judge the rows of `skill_transitivity`: whether every order is one, and a sentence."""
    whole = rows.filter(pl.col("split") == "all")
    parts = []
    for mode in sorted(whole["mode"].unique()):
        held = whole.filter(pl.col("mode") == mode).sum().row(0, named=True)
        bad = held["n_clips_in_cycle"] + held["n_clips_below_cycle"]
        out = held["n_in_cycle"] if mode == "paper" else 0
        parts.append(
            f"{mode}: {bad} of {held['n_clips']} clips lie in or below a cycle,"
            f" {out} of {held['n_decided']} pairs are left out for it"
        )
    return not whole["n_clips_in_cycle"].sum(), "; ".join(parts) or "nothing was compared"
