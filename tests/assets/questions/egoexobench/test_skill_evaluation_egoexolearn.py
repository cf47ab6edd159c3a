"""Skill evaluation from pairwise votes: chains of clips written out."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import polars as pl
import pytest

from assets.labels.narrated_verbs import NarratedVerbs
from assets.questions.egoexobench.skill_evaluation_egoexolearn import BUILDER, is_done
from expectations.schemas import TABLES
from expectations.schemas.readings import PAPER
from tests.labelled import labels_of

SET = "06/paper"


def world(
    *chains: str, compared: str = "abcd", closed: bool = True, **chain: Any
) -> dict[str, pl.DataFrame]:
    """Chains of clips named by letters, of which those in `compared` were all compared, in this order."""
    common = {"source": "s", "set": SET, "mode": "paper", "action": "06"}
    pairs, triplets = [], []
    for better, worse in combinations(compared, 2):
        row: dict[str, Any] = {**common, "action_name": "Peeling", "pair_id": f"{better} {worse}"}
        row |= {"better": "first", "state": "kept", "on_cycle": False}
        for side, x in (("first", better), ("second", worse)):
            start = 10.0 * ord(x)
            row |= {f"{side}_clip_id": x, f"{side}_recording_id": f"ego {x}"}
            row |= {f"{side}_start_s": start, f"{side}_end_s": start + 4.0}
        pairs.append(row)
        triplets.append(
            {
                **common,
                "pair_id": row["pair_id"],
                "word": "peel",
                "reference_segment_id": "r",
                "reference_recording_id": "exo",
                "reference_start_s": 1.0,
                "reference_end_s": 5.0,
            }
        )
    uids = [f"ego {x}" for x in sorted({*compared, *"".join(chains)})] + ["exo"]
    recordings = [
        {"source": "s", "recording_id": uid, "view": uid[:3], "split": "val", "licence": "free"}
        for uid in uids
    ]
    return {
        "recordings": TABLES["recordings"].frame(recordings),
        "segments": TABLES["segments"].frame(
            [{"source": "s", "segment_id": "r", "recording_id": "exo", "narration": "Peel it"}]
        ),
        "labels": TABLES["labels"].empty(),
        "skill_pairs": TABLES["skill_pairs"].frame(pairs),
        "skill_triplets": TABLES["skill_triplets"].frame(triplets),
        "skill_chains": TABLES["skill_chains"].frame(
            {
                **common,
                "chain_id": clips,
                "length": len(clips),
                "closed": closed,
                "clip_ids": list(clips),
                "n_recordings": len(clips),
                **chain,
            }
            for clips in chains
        ),
    }


def right(given: dict[str, pl.DataFrame], reading: str = "strict") -> dict[str, list[str]]:
    """Recordings that are right, by what is asked for."""
    found: dict[str, list[str]] = {"best": [], "worst": []}
    for row in BUILDER.under(reading).make(given).iter_rows(named=True):
        (shown,) = (m for m in row["media"] if m["role"] == f"option_{row['answer']}")
        found["best" if " best " in row["text"] else "worst"].append(shown["recording_id"])
    return {kind: sorted(uids) for kind, uids in found.items()}


def test_the_ends_of_a_chain_are_the_best_and_the_worst() -> None:
    given = world("abcd")
    assert right(given) == {"best": ["ego a"], "worst": ["ego d"]}
    for row in BUILDER.make(given).iter_rows(named=True):
        reference, *candidates = row["media"]
        assert (reference["role"], reference["recording_id"], reference["segment_id"]) == (
            "reference",
            "exo",
            "r",
        )
        assert {m["recording_id"] for m in candidates} == {f"ego {x}" for x in "abcd"}
        of_pairs = [e for e in row["evidence"] if e["table"] == "skill_pairs"]
        assert len({e["key"] for e in of_pairs}) == 6
        assert len(of_pairs) == 12
        letters = {m["recording_id"][-1]: m["role"][-1] for m in candidates}
        order = ", ".join(letters[x] for x in "abcd")
        assert f"judged their order to be {order}, best first" in row["detailed_answer"]


def test_a_clip_is_asked_about_once_as_the_best_and_once_as_the_worst() -> None:
    given = world("abcd", "abce", "abde", "acde", "bcde", compared="abcde")
    assert right(given) == {"best": ["ego a", "ego b"], "worst": ["ego d", "ego e"]}


def test_chains_of_which_only_neighbours_were_compared_are_the_papers() -> None:
    given = world("abcd", closed=False)
    assert right(given) == {"best": [], "worst": []}
    assert right(given, PAPER) == {"best": ["ego a"], "worst": ["ego d"]}


@pytest.mark.parametrize(
    "chain",
    [{"length": 3}, {"n_recordings": 3}, {"mode": "parity"}],
    ids=["three clips", "three recordings", "as released"],
)
def test_other_chains_are_not_asked_about(chain: dict[str, Any]) -> None:
    assert right(world("abcd", **chain)) == {"best": [], "worst": []}


@pytest.mark.parametrize(
    ("narration", "word", "done"),
    [
        ("Cut the pepper into slices.", "cut", True),
        ("The right hand slices the meat.", "slices", True),
        ("Use the knife to chop it, then peeling follows.", "peeling", True),
        ("Pour the cut pepper into the pot and stir.", "cut", False),
        ("Hold a plate of tofu slices.", "slices", False),
        ("Stir-fry the meat.", "stir-fry", True),
    ],
)
def test_a_demonstration_shows_the_action_only_if_it_is_done(
    narration: str, word: str, done: bool
) -> None:
    assert is_done(narration, word) == done


@pytest.mark.parametrize(
    ("narration", "done"),
    [
        ("Peel the carrot.", True),
        ("The person does not peel the carrot.", False),
        ("She tries to peel the carrot.", False),
        ("He stops peeling the carrot.", False),
    ],
)
def test_labels_tell_a_demonstration_that_shows_nothing(narration: str, done: bool) -> None:
    """The word before the verb would take each of them for done."""
    labels = labels_of({"r": narration}, "exo")
    word = "peeling" if "peeling" in narration else "peel"
    assert is_done(narration, word)
    assert is_done(narration, word, NarratedVerbs(labels).of("r")) == done
    given = world("abcd") | {"labels": labels}
    given["skill_triplets"] = given["skill_triplets"].with_columns(word=pl.lit(word))
    assert bool(right(given)["best"]) == done


def test_without_a_demonstration_nothing_is_asked() -> None:
    given = world("abcd")
    assert right(given | {"skill_triplets": given["skill_triplets"].clear()}) == {
        "best": [],
        "worst": [],
    }
