"""The five stages of association: a pool made by hand whose every pair has a known fate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
import pytest

from assets.pairs.association import make_pairs
from assets.pairs.candidates import chosen, count_candidates, find_candidates
from assets.pairs.sentence_match import (
    by_answers,
    by_vectors,
    not_compared,
    question_of,
    questions,
    yes_or_no,
)
from assets.pairs.sentences import sentence_key
from assets.pairs.verification import pair_hashes, review_queue, told_pairs
from expectations.schemas import TABLES

# Sentences with the cosine that their vectors have with the query's.
COSINES = {
    "Add the salt to the pot.": 1.0,
    "Put a little salt into the pot.": 0.8,
    "Put the sugar into the pot.": 0.6,
    "Lay the pot on the stove.": 0.75,
}
QUERY, ALIKE, OTHER, EDGE = COSINES
SALT = ({1}, {2})


def segment(uid: str, number: int, said: str | None, sets: tuple[set[int], set[int]]) -> dict:
    return {"uid": uid, "number": number, "said": said, "sets": sets}


def tables(recordings: Mapping[str, tuple[str, str]], parts: list[dict]) -> list[pl.DataFrame]:
    """Segments, labels, recordings; a recording is a view and a scenario."""
    segments, labels = [], []
    for part in parts:
        key = f"{part['uid']}.{part['number']}"
        start = 3.0 * part["number"]
        about = {"source": "s", "recording_id": part["uid"], "segment_id": key}
        segments.append(
            {
                **about,
                "kind": "fine",
                "start_s": start,
                "end_s": start + 2,
                "narration": part["said"],
            }
        )
        labels += [
            {**about, "clause": 0, "kind": kind, "class_id": one, "span_start": one}
            for kind, classes in zip(("verb", "noun"), part["sets"], strict=True)
            for one in classes
        ]
    rows = [
        {
            "source": "s",
            "recording_id": uid,
            "view": view,
            "scenario": scenario,
            "scene": "kitchen",
            "split": "test",
        }
        for uid, (view, scenario) in recordings.items()
    ]
    return [
        TABLES["segments"].frame(segments),
        TABLES["labels"].frame(labels),
        TABLES["recordings"].frame(rows),
    ]


def beside(uid: str, count: int) -> list[dict]:
    """Segments that lie beside, with sets nobody else has."""
    salt = sum(map(ord, uid))
    return [segment(uid, 10 + i, f"{uid} {i}", ({1000 * salt + i}, {3})) for i in range(count)]


def vectors(cosines: Mapping[str, float] = COSINES) -> pl.DataFrame:
    """Vectors in a plane at these cosines to the first axis."""
    return TABLES["sentence_vectors"].frame(
        {
            "source": "s",
            "recording_id": "any",
            "sentence": sentence_key(text),
            "model": "by hand",
            "vector": np.array([c, np.sqrt(1 - c * c)], np.float32).tolist(),
        }
        for text, c in cosines.items()
    )


# One wearer who adds salt, and demonstrations each of which ends at another stage.
POOL = {
    "E": ("ego", "soup"),
    "Xfar": ("exo", "cake"),  # another scenario: never paired
    "Xsets": ("exo", "soup"),  # other nouns
    "Xsaid": ("exo", "soup"),  # other words: sugar
    "Xfew": ("exo", "soup"),  # three segments beside it
    "Xfive": ("exo", "soup"),
    "Xtwenty": ("exo", "soup"),
    "Xright": ("exo", "soup"),  # a person says yes
    "Xwrong": ("exo", "soup"),  # a person says no
}
PARTS = [
    segment("E", 0, QUERY, SALT),
    segment("Xfar", 0, QUERY, SALT),
    segment("Xsets", 0, QUERY, ({1}, {2, 4})),
    segment("Xsaid", 0, OTHER, SALT),
    *(segment(uid, 0, ALIKE, SALT) for uid in ("Xfew", "Xfive", "Xtwenty", "Xright", "Xwrong")),
    *beside("Xfew", 3),
    *beside("Xfive", 4),
    *(one for uid in ("Xtwenty", "Xright", "Xwrong") for one in beside(uid, 19)),
]


def decided(found: pl.DataFrame, segments: pl.DataFrame, said: Mapping[str, str]) -> pl.DataFrame:
    """Decisions on the pairs with these exo segments."""
    told = told_pairs(found, segments)
    told = told.with_columns(pair_hashes(told))
    rows: list[dict[str, Any]] = []
    for row in told.iter_rows(named=True):
        verdict = said.get(row["exo_segment_id"])
        if verdict:
            rows.append(
                {
                    "source": "s",
                    "decision_id": f"d{len(rows)}",
                    "item_kind": "pair",
                    "item_id": row["pair_id"],
                    "item_hash": row["item_hash"],
                    "verdict": verdict,
                    "reviewer": "anna",
                    "round": 1,
                }
            )
    return TABLES["reviews"].frame(rows)


def stages(found: pl.DataFrame) -> dict[str, str]:
    return dict(found.select("exo_segment_id", "stage").iter_rows())


def test_each_pair_keeps_the_stage_it_reached() -> None:
    given = tables(POOL, PARTS)
    compare = by_vectors(vectors())
    first = find_candidates(*given, positives=9, compare=compare)
    verdicts = {"Xright.0": "accept", "Xwrong.0": "reject", "Xfive.0": "accept"}
    said = decided(first, given[0], verdicts)
    found = find_candidates(*given, positives=9, compare=compare, decisions=said)
    assert stages(found) == {
        "Xsaid.0": "sets",
        "Xfew.0": "sentence",
        "Xfive.0": "negatives_5",
        "Xtwenty.0": "negatives_20",
        "Xright.0": "verified",
        "Xwrong.0": "rejected",
    }
    told = {r["exo_segment_id"]: r for r in found.iter_rows(named=True)}
    assert told["Xsaid.0"]["sentence_similarity"] == pytest.approx(0.6, abs=1e-3)
    assert told["Xfive.0"]["sentence_similarity"] == pytest.approx(0.8, abs=1e-3)
    assert {r["matched_by"] for r in told.values()} == {"by hand"}
    assert {k: r["verdict"] for k, r in told.items() if r["verdict"]} == verdicts

    counts = count_candidates(found, *given).select("pool", "stage", "n").rows()
    soup = {stage: n for pool, stage, n in counts if pool.startswith("soup/")}
    # One wearer's segment against all others of the pool.
    of_pool = sum(p["uid"] not in ("E", "Xfar") for p in PARTS)
    assert soup.pop("scenario") == of_pool - 6
    assert set(soup.values()) == {1}
    assert set(soup) == {*stages(found).values()}
    assert not [stage for pool, stage, _ in counts if pool.startswith("cake/")]

    pairs = make_pairs(found, *given, positives=9)
    answers = pairs.filter(direction="ego2exo")["positive_segment_id"]
    assert sorted(answers) == ["Xfive.0", "Xright.0", "Xtwenty.0"]
    only = make_pairs(found, *given, positives=9, verified_only=True)
    assert sorted(only.filter(direction="ego2exo")["positive_segment_id"]) == [
        "Xfive.0",
        "Xright.0",
    ]


def test_a_refused_positive_leaves_its_place_to_another_of_its_recording() -> None:
    pool = {"E": ("ego", "soup"), "X": ("exo", "soup")}
    parts = [
        segment("E", 0, QUERY, SALT),
        *(segment("X", i, ALIKE, SALT) for i in (0, 1)),
        *beside("X", 19),
    ]
    given = tables(pool, parts)
    before = find_candidates(*given)
    (was,) = chosen(before, "ego2exo")["exo_segment_id"]
    said = decided(before, given[0], {was: "reject"})
    after = find_candidates(*given, decisions=said)
    (now,) = chosen(after, "ego2exo")["exo_segment_id"]
    assert {was, now} == {"X.0", "X.1"}
    assert stages(after) == {was: "rejected", now: "negatives_20"}


@pytest.mark.parametrize("moved", ["narration", "start_s"])
def test_a_decision_on_other_content_does_not_count(moved: str) -> None:
    given = tables(POOL, PARTS)
    before = find_candidates(*given, positives=9)
    said = decided(before, given[0], {"Xwrong.0": "reject"})
    at = pl.col("segment_id") == "Xwrong.0"
    other = pl.lit(EDGE) if moved == "narration" else pl.col("start_s") + 0.5
    given[0] = given[0].with_columns(pl.when(at).then(other).otherwise(pl.col(moved)).alias(moved))
    after = find_candidates(*given, positives=9, decisions=said)
    assert stages(after)["Xwrong.0"] == "negatives_20"
    assert after["verdict"].is_null().all()


def test_false_friends_pass_by_their_words_and_fall_to_a_person() -> None:
    """One word, two things: a bell pepper and ground pepper. No sentence tells them apart."""
    pool = {"E": ("ego", "soup"), "X": ("exo", "soup")}
    parts = [
        segment("E", 0, "Add the pepper to the pan.", SALT),
        segment("X", 0, "add the pepper to the pan. ", SALT),
        *beside("X", 19),
    ]
    given = tables(pool, parts)
    before = find_candidates(*given, compare=by_vectors(vectors()))
    assert stages(before) == {"X.0": "negatives_20"}
    assert before["sentence_similarity"].to_list() == [1.0]
    said = decided(before, given[0], {"X.0": "reject"})
    after = find_candidates(*given, compare=by_vectors(vectors()), decisions=said)
    assert stages(after) == {"X.0": "rejected"}
    assert make_pairs(after, *given).is_empty()


@pytest.mark.parametrize(
    ("ego", "exo", "threshold", "similarity", "match"),
    [
        (QUERY, ALIKE, 0.75, 0.8, True),
        (QUERY, EDGE, 0.75, 0.75, True),
        (QUERY, EDGE, 0.76, 0.75, False),
        (QUERY, OTHER, 0.75, 0.6, False),
        (QUERY, OTHER, 0.5, 0.6, True),
        (QUERY, f" {QUERY.upper()}", 0.75, 1.0, True),
        ("unknown", "Unknown", 0.75, 1.0, True),
        ("unknown", QUERY, 0.0, None, False),
        (None, QUERY, 0.0, None, False),
        (None, None, 0.0, None, False),
        ("", "", 0.0, None, False),
    ],
)
def test_what_vectors_match(
    ego: str | None, exo: str | None, threshold: float, similarity: float | None, match: bool
) -> None:
    pairs = pl.DataFrame({"ego_narration": [ego], "exo_narration": [exo]}, schema=_SAID)
    (found,) = by_vectors(vectors(), threshold)(pairs).to_dicts()
    assert found["sentence_match"] is match
    assert found["sentence_similarity"] == pytest.approx(similarity, abs=1e-4)
    assert found["matched_by"] == (None if similarity is None else "by hand")


_SAID = pl.Schema({"ego_narration": pl.String(), "exo_narration": pl.String()})


def test_a_model_is_asked_once_about_two_sentences_and_never_about_equal_ones() -> None:
    pairs = pl.DataFrame(
        {
            "ego_narration": [QUERY, ALIKE, QUERY, QUERY, None, OTHER],
            "exo_narration": [ALIKE, QUERY, OTHER, QUERY.lower(), QUERY, EDGE],
        },
        schema=_SAID,
    )
    asked = questions(pairs)
    assert len(asked) == 3
    assert all("same activity" in q for q in asked)
    said = {question_of(QUERY, ALIKE): True, question_of(QUERY, OTHER): False}
    found = by_answers(said, "judge 1")(pairs)
    assert found["sentence_match"].to_list() == [True, True, False, True, False, False]
    # Nothing was answered on the last two.
    assert found["matched_by"].to_list() == [*["judge 1"] * 4, None, None]


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("yes", True),
        (" Yes.", True),
        ("**No**, the first adds salt.", False),
        ("'no'", False),
        ("Yesterday", None),
        ("They do.", None),
        ("", None),
    ],
)
def test_what_a_model_said(reply: str, said: bool | None) -> None:
    assert yes_or_no(reply) is said


@pytest.mark.parametrize("compare", [not_compared, by_vectors(vectors()), by_answers({}, "m")])
def test_comparisons_of_nothing(compare: Any) -> None:
    found = compare(pl.DataFrame(schema=_SAID))
    assert found.is_empty()
    assert found.columns == ["sentence_similarity", "sentence_match", "matched_by"]


def test_the_queue_holds_what_questions_are_made_of_the_doubtful_first() -> None:
    given = tables(POOL, PARTS)
    compare = by_vectors(vectors())
    first = find_candidates(*given, positives=9, compare=compare)
    said = decided(first, given[0], {"Xright.0": "accept", "Xwrong.0": "reject"})
    found = find_candidates(*given, positives=9, compare=compare, decisions=said)
    ids = dict(found.select("exo_segment_id", "pair_id").iter_rows())
    queue = review_queue(found, given[0])
    assert set(queue["item_id"]) == {ids["Xfive.0"], ids["Xtwenty.0"]}
    assert set(queue["item_kind"]) == {"pair"}
    assert set(queue["text"]) == {QUERY}
    assert all(o.startswith(f"{ALIKE} | X") for o in queue["original"])
    # What goes out is what decisions are held against.
    again = review_queue(found, given[0], again=True)
    hashes = dict(again.select("item_id", "item_hash").iter_rows())
    assert (
        hashes[ids["Xright.0"]]
        == dict(said.select("item_id", "item_hash").iter_rows())[ids["Xright.0"]]
    )
