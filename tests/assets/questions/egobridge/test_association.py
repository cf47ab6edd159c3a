"""Association questions from a small pool."""

from __future__ import annotations

from functools import partial

import polars as pl
import pytest

from assets.pairs.association import make_pairs
from assets.pairs.candidates import find_candidates
from assets.questions.egobridge.association import BUILDER, questions
from assets.questions.kit.funnel import counting
from assets.questions.kit.recipe import question_table
from expectations.schemas import TABLES

make_questions = BUILDER.make
make_all = partial(question_table, partial(questions, shared_queries=False))

World = dict[str, pl.DataFrame]
EGO, EXO = 21, 9  # segments per recording: 20 and 8 negatives


def segment(recording_id: str, i: int) -> dict[str, object]:
    return {
        "source": "s",
        "segment_id": f"{recording_id}.{i:02}",
        "recording_id": recording_id,
        "kind": "fine",
        "start_s": 10.0 * i,
        "end_s": 10.0 * i + 4.0,
        "narration": f"narrated {recording_id} {i}",
    }


def recording(recording_id: str, view: str, media: str = "present") -> dict[str, object]:
    return {
        "source": "s",
        "recording_id": recording_id,
        "view": view,
        "scenario": "task1",
        "scene": "kitchen",
        "split": "val",
        "media": media,
        "media_hashes": [f"hash1-{recording_id}", f"hash2-{recording_id}"],
        "licence": {"E": "MIT", "F": "MIT", "X": "CC-BY-4.0"}[recording_id],
    }


@pytest.fixture
def world() -> World:
    """Pairs, segments, recordings: two ego recordings of 21 segments, one exo of 9."""
    sizes = {"E": EGO, "F": EGO, "X": EXO}
    segments = TABLES["segments"].frame(segment(r, i) for r, n in sizes.items() for i in range(n))
    recordings = TABLES["recordings"].frame(
        [recording("E", "ego"), recording("F", "ego"), recording("X", "exo")]
    )
    labels = TABLES["labels"].frame(
        {
            "source": "s",
            "recording_id": row["recording_id"],
            "segment_id": row["segment_id"],
            "clause": 0,
            "kind": kind,
            # Segment i of every recording shows action i.
            "class_id": int(str(row["segment_id"])[2:]),
            "span_start": 0,
        }
        for row in segments.iter_rows(named=True)
        for kind in ("verb", "noun")
    )
    candidates = find_candidates(segments, labels, recordings)
    pairs = make_pairs(candidates, segments, labels, recordings)
    return {"pairs": pairs, "segments": segments, "recordings": recordings}


def test_twenty_options_need_nineteen_negatives_and_five_share_their_queries(world: World) -> None:
    made = make_questions(world)
    assert made.schema == TABLES["questions"].schema
    counts = dict(made["subtask"].value_counts().iter_rows())
    # Only the ego recordings have 19 negatives: queries are the 9 exo segments, answers in E and F.
    assert counts == {"association_exo2ego_k5": 18, "association_exo2ego_k20": 18}
    every = make_all(world)
    assert dict(every["subtask"].value_counts().iter_rows()) == counts | {
        "association_ego2exo_k5": 18
    }


def test_every_pair_that_is_not_asked_about_is_counted(world: World) -> None:
    # 9 exo segments have their positives in E and F, and 18 ego segments theirs in X, which has 8 others.
    assert world["pairs"].height == 36
    training = world["pairs"].head(1).with_columns(split=pl.lit("train"))
    with counting() as refused:
        make_questions(world | {"pairs": pl.concat([world["pairs"], training])})
    assert refused == {"enough_negatives": 2 * 18, "split_is_asked": 2}


def test_every_question_is_well_formed(world: World) -> None:
    made = make_all(world)
    assert made["question_id"].n_unique() == made["question_hash"].n_unique() == made.height
    for row in made.iter_rows(named=True):
        count = int(row["subtask"].rsplit("k", 1)[1])
        letters = "ABCDEFGHIJKLMNOPQRST"[:count]
        assert "".join(o["letter"] for o in row["options"]) == letters
        (answer,) = [o for o in row["options"] if o["is_answer"]]
        assert row["answer"] == answer["letter"]
        assert row["chance"] == 1 / count
        query, *shown = row["media"]
        assert query["role"] == "query"
        assert query["recording_id"] == row["recording_id"]
        assert [m["role"] for m in shown] == [f"option_{x}" for x in letters]
        assert [m["segment_id"] for m in shown] == [o["segment_id"] for o in row["options"]]
        assert len({m["recording_id"] for m in shown}) == 1
        # Segment i shows action i: the answer is the option of the query's action, and alone.
        assert [o["segment_id"][2:] == query["segment_id"][2:] for o in row["options"]] == [
            o["is_answer"] for o in row["options"]
        ]
        assert query["content"] == f"hash1-{row['recording_id']}+hash2-{row['recording_id']}"
        assert row["media_present"] is True
        assert row["licence"] == "CC-BY-4.0; MIT"
        assert row["pool"] == "task1/kitchen/val"
        assert "narrated" not in row["text"]
        assert answer["text"].startswith("narrated")
        assert f"{count} candidate clips A to {letters[-1]} " in row["text"]
        keys = {(e["table"], e["key"]) for e in row["evidence"]}
        assert keys == {(t, m["segment_id"]) for m in row["media"] for t in ("segments", "labels")}


def test_five_options_are_among_the_twenty(world: World) -> None:
    made = make_questions(world)
    by_query: dict[tuple[str, str], dict[int, set[str]]] = {}
    for row in made.iter_rows(named=True):
        key = (row["media"][0]["segment_id"], row["media"][1]["recording_id"])
        ids = {o["segment_id"] for o in row["options"]}
        by_query.setdefault(key, {})[len(ids)] = ids
    assert all(found[5] < found[20] for found in by_query.values())


def test_order_of_rows_does_not_matter(world: World) -> None:
    made = make_questions(world)
    turned = make_questions({name: table.reverse() for name, table in world.items()})
    assert made.equals(turned)


def test_answers_fall_on_all_letters(world: World) -> None:
    made = make_questions(world).filter(pl.col("subtask") == "association_exo2ego_k5")
    assert made["answer"].n_unique() == 5


def test_hash_follows_what_is_shown_and_id_does_not(world: World) -> None:
    recordings = world["recordings"]
    before = make_questions(world).filter(pl.col("recording_id") == "X")
    other_media = recordings.with_columns(
        media_hashes=pl.when(pl.col("recording_id") == "F")
        .then(pl.lit(["new"]))
        .otherwise("media_hashes")
    )
    after = make_questions(world | {"recordings": other_media})
    assert before["question_id"].to_list() == after["question_id"].to_list()
    touched = {
        row["question_id"]
        for row in before.iter_rows(named=True)
        if row["media"][1]["recording_id"] == "F"
    }
    changed = before["question_id"].filter(before["question_hash"] != after["question_hash"])
    assert set(changed) == touched != set()


def test_missing_media_are_told(world: World) -> None:
    gone = world["recordings"].with_columns(
        media=pl.when(pl.col("recording_id") == "F").then(pl.lit("missing")).otherwise("media"),
        licence=pl.lit("MIT"),
    )
    made = make_questions(world | {"recordings": gone})
    for row in made.iter_rows(named=True):
        has_f = row["media"][1]["recording_id"] == "F"
        assert row["media_present"] is not has_f
        assert [m["content"] == "" for m in row["media"]] == [False] + [has_f] * (
            len(row["media"]) - 1
        )
