"""Which demonstration stands beside a pair."""

from __future__ import annotations

import polars as pl
import pytest

from assets.skill.references import demonstrations, triplets

RECORDINGS = pl.DataFrame(
    [
        ("e1", "ego", "train", "task1"),
        ("e2", "ego", "train", "task2"),
        ("x1", "exo", "train", "task1"),
        ("x2", "exo", "train", "task2"),
        ("x3", "exo", "train", "task3"),
        ("x4", "exo", "test", "task1"),
    ],
    schema=["recording_id", "view", "split", "scenario"],
    orient="row",
)


def segments(*given: tuple[str, str, float]) -> pl.DataFrame:
    return pl.DataFrame(
        [(f"s{at}", uid, 0.0, length, text) for at, (uid, text, length) in enumerate(given)],
        schema={
            "segment_id": pl.String,
            "recording_id": pl.String,
            "start_s": pl.Float64,
            "end_s": pl.Float64,
            "narration": pl.String,
        },
        orient="row",
    )


def pair(better: str = "first", split: str | None = "train") -> pl.DataFrame:
    sides = {
        f"{side}_{part}": [value]
        for side, uid in (("first", "e1"), ("second", "e2"))
        for part, value in (
            ("clip_id", f"c{uid}"),
            ("recording_id", uid),
            ("start_s", 1.0),
            ("end_s", 2.0),
        )
    }
    return pl.DataFrame({"pair_id": ["p"], "better": [better], "split": [split], **sides})


def links(*given: tuple[str, str]) -> pl.DataFrame:
    return pl.DataFrame(
        list(given),
        schema={"take_id": pl.String, "other_take_id": pl.String},
        orient="row",
    )


def verbs(*terms: str) -> pl.DataFrame:
    """A verb of each segment, in order."""
    return pl.DataFrame(
        [(f"s{at}", term) for at, term in enumerate(terms)],
        schema={"segment_id": pl.String, "term": pl.String},
        orient="row",
    )


@pytest.mark.parametrize(
    ("action", "name", "text", "verb", "shows"),
    [
        ("06", "Peeling", "Peel the potato with the peeler.", "peel", True),
        ("06", "Peeling", "Take the peeler.", "take", False),
        ("13", "Cutting into chunks", "Put the onion on the cutting board", "put", False),
        ("13", "Cutting into chunks", "Cut the onion on the cutting board", "cut", True),
        ("13", "Cutting into chunks", "Cut the onion into thin strips", "cut", False),
        ("14", "Slicing into strips", "Cut the onion into thin strips", "cut", True),
        ("14", "Slicing into strips", "Fry the meat slices", "fry", False),
        ("14", "Slicing into strips", "Then slice the meat", "slice", True),
        ("14", "Slicing into strips", "Add the sliced meat to the pot", "sliced", False),
        ("14", "Slicing into strips", "Shred the carrot", "shred", True),
        ("18", "Egg cracking", "He cracks the egg on the bowl", "cracks", True),
        ("18", "Egg cracking", "Crack the nut", "crack", False),
        ("20", "Stir-fry", "Stir the soup in the pot", "stir", False),
        ("20", "Stir-fry", "Stir-fries the beef", "stir-fries", True),
        ("15", "Chopping", "Pick up the chopsticks", "pick up", False),
        ("98", "Whipping", "Whip the cream", "whip", True),
        ("98", "Whipping", "Add the whipped cream", "whipped", False),
        ("98", "Grating", "Add the grated cheese", "grated", False),
        ("98", "Shredding", "Shred the carrot", "shred", True),
        ("98", "Rolling", "Roll the dough", "roll", True),
        ("99", "Whisking", "Start whisking the eggs", "whisking", True),
        ("99", None, "Start whisking the eggs", "whisking", False),
    ],
)
def test_words_of_an_action(
    action: str, name: str | None, text: str, verb: str, shows: bool
) -> None:
    found = demonstrations(action, name, segments(("x1", text, 3.0)), verbs(verb), RECORDINGS)
    assert found["word"].to_list() == ([verb] if shows else [])


def test_wearers_and_moments_are_no_demonstrations() -> None:
    given = segments(("e1", "peel it", 3.0), ("x1", "peel it", 0.5), ("x1", "peel it", 1.0))
    found = demonstrations("06", "Peeling", given, verbs("peel", "peel", "peel"), RECORDINGS)
    assert found["segment_id"].to_list() == ["s2"]


@pytest.mark.parametrize(
    ("shown", "followed", "expected"),
    [
        (
            ("x1", "x2", "x3"),
            (("e1", "x3"), ("e2", "x3"), ("e1", "x1")),
            ("x3", "followed_by_both"),
        ),
        (("x1", "x2", "x3"), (("e2", "x3"),), ("x3", "followed_by_one")),
        (("x1", "x3"), (), ("x1", "same_scenario")),
        (("x3",), (("e1", "x1"),), ("x3", "same_action")),
        (("x4",), (("e1", "x4"),), None),
        ((), (), None),
    ],
)
def test_the_nearest_is_taken(
    shown: tuple[str, ...],
    followed: tuple[tuple[str, str], ...],
    expected: tuple[str, str] | None,
) -> None:
    found = demonstrations(
        "06",
        "Peeling",
        segments(*((uid, "peel it", 3.0) for uid in shown)),
        verbs(*("peel" for _ in shown)),
        RECORDINGS,
    )
    rows = triplets(pair(), found, RECORDINGS, links(*followed), same_split=True)
    assert rows.select("reference_recording_id", "rule").rows() == ([expected] if expected else [])


def test_sides_and_splits() -> None:
    given = segments(("x4", "peel it", 3.0))
    found = demonstrations("06", "Peeling", given, verbs("peel"), RECORDINGS)
    (row,) = triplets(pair("second", None), found, RECORDINGS, links(), same_split=False).rows(
        named=True
    )
    assert (row["better_clip_id"], row["worse_clip_id"]) == ("ce2", "ce1")
    assert (row["reference_segment_id"], row["reference_end_s"]) == ("s0", 3.0)
