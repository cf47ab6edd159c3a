"""Sets of one action: what becomes of a pair, from cases by hand."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pytest

from assets.skill.sets import EvidenceTables, Mode, make_sets
from expectations.schemas import TABLES

SPLIT = {"a": "train", "b": "train", "c": "train", "d": "test", "e": None}
Vote = tuple[str, str, Sequence[str] | None, tuple[str, ...]]


def given(
    *pairs: Vote, durations: dict[str, float] | None = None, hashed: str | None = None
) -> EvidenceTables:
    """Pairs of clips named by their recordings: first, second, votes, lists."""
    votes = TABLES["skill_votes"].frame(
        {
            "action": "06",
            "action_name": "Peeling",
            "pair_id": f"{first} {second}",
            **{
                f"{side}_{part}": value
                for side, uid in (("first", first), ("second", second))
                for part, value in (
                    ("clip_id", f"06_{uid}"),
                    ("recording_id", uid),
                    ("start_s", 1.0),
                    ("end_s", 9.0),
                )
            },
            "votes": None
            if said is None
            else [{"annotator": str(i), "better": side} for i, side in enumerate(said)],
            "stated_better": "first" if lists else None,
            "splits": list(lists),
        }
        for first, second, said, lists in pairs
    )
    recordings = TABLES["recordings"].frame(
        {
            "recording_id": uid,
            "view": "ego",
            "split": split,
            "split_from": "hashed" if uid == hashed else "published",
            "media_duration_s": (durations or {}).get(uid),
        }
        for uid, split in SPLIT.items()
    )
    nothing = TABLES["segments"].empty()
    links = pl.DataFrame(schema={"take_id": pl.String, "other_take_id": pl.String})
    levels = pl.DataFrame(schema={"recording_id": pl.String, "level": pl.Int64})
    verbs = TABLES["labels"].empty()
    return EvidenceTables(votes, recordings, nothing, verbs, links, levels)


ALL, MOST, HALF = (
    ("first",) * 4,
    ("first",) * 3 + ("second",),
    ("first", "first", "second", "second"),
)


@pytest.mark.parametrize(
    ("pairs", "states"),
    [
        ((("a", "b", ALL, ()), ("b", "c", MOST, ())), ["kept", "kept"]),
        ((("a", "b", HALF, ()),), ["undecided"]),
        ((("a", "d", ALL, ()),), ["shared_between_splits"]),
        ((("a", "e", ALL, ()),), ["without_split"]),
        # A circle of three with equal votes goes whole; with one weaker vote, that goes.
        ((("a", "b", ALL, ()), ("b", "c", ALL, ()), ("c", "a", ALL, ())), ["in_cycle"] * 3),
        (
            (("a", "b", ALL, ()), ("b", "c", MOST, ()), ("c", "a", ALL, ())),
            ["kept", "in_cycle", "kept"],
        ),
        # A circle through another split is a contradiction too.
        (
            (("a", "b", ALL, ()), ("b", "d", MOST, ()), ("d", "a", ALL, ())),
            ["kept", "in_cycle", "shared_between_splits"],
        ),
        # A list with a pair in both orders: a circle of two.
        ((("a", "b", None, ("train",)), ("b", "a", None, ("train",))), ["in_cycle"] * 2),
        # Votes decide both orders alike: once is enough.
        (
            (("a", "b", ALL, ("train",)), ("b", "a", ("second",) * 4, ("train",))),
            ["kept", "repeated"],
        ),
        # An undecided pair closes no circle.
        ((("a", "b", ALL, ()), ("b", "c", ALL, ()), ("c", "a", HALF, ())), ["kept", "kept", "undecided"]),
    ],
)  # fmt: skip
def test_what_becomes_of_a_pair(pairs: tuple[Vote, ...], states: list[str]) -> None:
    made = make_sets(given(*pairs), "paper")["skill_pairs"]
    assert dict(made.select("pair_id", "state").rows()) == {
        f"{a} {b}": state for (a, b, *_), state in zip(pairs, states, strict=True)
    }


def test_clips_outside_their_video() -> None:
    pair: Vote = ("a", "b", ALL, ("train",))
    made = make_sets(given(pair, durations={"b": 8.6}), "paper")["skill_pairs"]
    assert made["state"].to_list() == ["kept"]
    made = make_sets(given(pair, durations={"b": 8.4}), "paper")["skill_pairs"]
    assert made["state"].to_list() == ["outside_recording"]
    made = make_sets(given(pair, durations={"b": 8.4}), "parity")["skill_pairs"]
    assert made["state"].to_list() == ["kept"]


def test_a_clip_that_does_not_exist_speaks_against_no_pair_of_others() -> None:
    """Without the clip behind the end of c there is no circle, though a pair with it closes one."""
    circle: tuple[Vote, ...] = (("a", "b", ALL, ()), ("b", "c", ALL, ()), ("c", "a", ALL, ()))
    made = make_sets(given(*circle, durations={"c": 8.4}), "paper")
    assert made["skill_pairs"]["state"].to_list() == ["kept"] + ["outside_recording"] * 2
    report = made["skill_transitivity"].row(0, named=True)
    assert (report["n_decided"], report["n_clips"], report["n_in_cycle"]) == (3, 2, 0)


def test_parity_keeps_the_lists_whole_and_reports_each() -> None:
    pairs: tuple[Vote, ...] = (
        ("a", "b", None, ("train",)),
        ("b", "c", None, ("train",)),
        ("c", "a", None, ("val",)),
        ("a", "d", None, ("train", "val")),
        ("b", "d", ALL, ()),
    )
    made = make_sets(given(*pairs), "parity")
    rows = {r["pair_id"]: r for r in made["skill_pairs"].rows(named=True)}
    assert {key: row["state"] for key, row in rows.items()} == dict.fromkeys(
        ("a b", "b c", "c a", "a d"), "kept"
    )
    assert {key: row["split"] for key, row in rows.items()} == {
        "a b": "train",
        "b c": "train",
        "c a": "val",
        "a d": "train+val",
    }
    assert rows["a b"]["on_cycle"]
    assert not rows["a d"]["on_cycle"]
    report = {r["split"]: r for r in made["skill_transitivity"].rows(named=True)}
    assert {s: r["n_pairs"] for s, r in report.items()} == {"all": 4, "train": 3, "val": 2}
    assert {s: r["n_clips_in_cycle"] for s, r in report.items()} == {"all": 3, "train": 0, "val": 0}
    assert report["all"]["n_clips_below_cycle"] == 1
    assert report["all"]["n_shared"] == 1
    unlisted = make_sets(given(*pairs, hashed="d"), "parity")
    assert unlisted["skill_transitivity"].filter(pl.col("split") == "all")["n_shared"].item() == 0
    assert unlisted["skill_pairs"].equals(made["skill_pairs"])
    clips = made["skill_clips"].filter(pl.col("split") == "all")
    assert dict(clips.select("clip_id", "cycle").rows()) == {
        "06_a": "06_a",
        "06_b": "06_a",
        "06_c": "06_a",
        "06_d": None,
    }


@pytest.mark.parametrize("mode", ["paper", "parity"])
def test_an_action_without_a_pair(mode: Mode) -> None:
    made = make_sets(given(), mode)
    assert all(rows.is_empty() for rows in made.values())


def test_chains_stay_in_their_split() -> None:
    pairs: tuple[Vote, ...] = (("a", "b", ALL, ()), ("b", "c", ALL, ()), ("c", "d", ALL, ()))
    (chain,) = make_sets(given(*pairs), "paper")["skill_chains"].rows(named=True)
    assert (chain["clip_ids"], chain["closed"], chain["split"]) == (
        ["06_a", "06_b", "06_c"],
        False,
        "train",
    )
    (closed,) = make_sets(given(*pairs, ("a", "c", ALL, ())), "paper")["skill_chains"].rows(
        named=True
    )
    assert closed["closed"]


def test_agreement_of_voters() -> None:
    agreed, parted = ("first",) * 4, ("second",) * 3 + ("first",)
    made = make_sets(
        given(("a", "b", agreed, ()), ("b", "c", agreed, ()), ("a", "c", parted, ())), "paper"
    )
    report = made["skill_transitivity"].filter(pl.col("split") == "all").row(0, named=True)
    assert (report["n_annotators"], report["n_items"]) == (4, 3)
    # Nine of twelve votes for the lesser clip, three for the other, of which one pair is at odds: of its
    # 12 ordered pairs of votes 6 differ, over three.
    disagreement = 6 / 3 / 12
    assert report["alpha"] == pytest.approx(1 - disagreement / (2 * 9 * 3 / (12 * 11)))
    silent = make_sets(given(("a", "b", None, ("train",))), "parity")["skill_transitivity"]
    assert silent["agreement_reason"].to_list()[0] == "no annotator judged anything"


def test_agreement_does_not_depend_on_which_clip_is_named_first() -> None:
    """Lists name the better clip first; that everybody votes "first" is no agreement by chance."""
    votes = {"a b": MOST, "b c": MOST, "a c": ALL, "b d": ALL}
    turned = {"first": "second", "second": "first"}
    listed: list[Vote] = [(*key.split(), said, ()) for key, said in votes.items()]  # type: ignore[misc]
    mixed: list[Vote] = [
        (second, first, [turned[vote] for vote in said or ()], lists) if number % 2 else pair
        for number, pair in enumerate(listed)
        for first, second, said, lists in [pair]
    ]
    alphas = [
        make_sets(given(*pairs), "paper")["skill_transitivity"]["alpha"][0]
        for pairs in (listed, mixed)
    ]
    assert alphas[0] is not None
    assert alphas[0] == alphas[1]
