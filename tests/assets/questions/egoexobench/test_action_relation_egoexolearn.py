"""Action relation from association pairs: one pair whose candidates are written out."""

from __future__ import annotations

import math
from typing import Any

import polars as pl
import pytest

from assets.pairs.sentences import sentence_key
from assets.questions.egoexobench.action_relation_egoexolearn import BUILDER
from expectations.schemas import TABLES

make_questions = BUILDER.make

Rows = list[dict[str, Any]]

TAKE, CUT, WASH, PUT, PASS, ON, OFF, PRESS = 1, 2, 3, 4, 5, 6, 7, 8
LABELS = {TAKE: "take_(pick,_grab)", CUT: "cut_(slice)", PUT: "put_(place)", PASS: "pass"}
LABELS |= {ON: "turn_on_(switch_on,_start)", OFF: "turn-off_(switch-off)", PRESS: "press"}
CUP, PAN, KNIFE, APPLE, PEAR = 11, 12, 13, 14, 15

# Candidate: narration, verbs, nouns, angle in degrees between its vector and the query's.
QUERY = ("take the cup", {TAKE}, {CUP}, 0.0)
POSITIVE = ("grab the cup", {TAKE}, {CUP}, 5.0)
NEAR: dict[str, tuple[str, set[int], set[int], float]] = {
    "n01": ("wash the cup", {WASH}, {CUP}, 40.0),
    "n02": ("take the pan", {TAKE}, {PAN}, 30.0),
    "n03": ("take the knife", {TAKE}, {KNIFE}, 35.0),
    "n04": ("cut with the cup", {CUT}, {CUP}, 60.0),
}
UNRELATED = ("cut the apple", {CUT}, {APPLE}, 10.0)


def world(
    candidates: dict[str, tuple[str, set[int], set[int], float]] | None = None,
    *,
    n: int = 19,
    split: str = "val",
    query: tuple[str, set[int], set[int], float] = QUERY,
) -> dict[str, pl.DataFrame]:
    """A pair in the direction ego to exo with n negatives, those not named being unrelated."""
    near = candidates if candidates is not None else NEAR
    fill = {f"u{i:02}": UNRELATED for i in range(n - len(near))}
    exo = {"p": POSITIVE, **near, **fill}
    segments, labels, vectors = [], [], {}
    for uid, told in (("E", {"q": query}), ("X", exo)):
        for i, (key, (text, verbs, nouns, angle)) in enumerate(told.items()):
            segments.append(
                {
                    "source": "s",
                    "segment_id": key,
                    "recording_id": uid,
                    "kind": "fine",
                    "start_s": 10.0 * i,
                    "end_s": 10.0 * i + 4.0,
                    "narration": text,
                }
            )
            labels += [
                {
                    "source": "s",
                    "recording_id": uid,
                    "segment_id": key,
                    "clause": 0,
                    "kind": kind,
                    "class_id": class_id,
                    "class_label": LABELS.get(class_id, f"class {class_id}"),
                    "span_start": 0,
                }
                for kind, classes in (("verb", verbs), ("noun", nouns))
                for class_id in classes
            ]
            turn = math.radians(angle)
            vectors[uid, text] = [math.cos(turn), math.sin(turn)]
    return {
        "pairs": TABLES["pairs"].frame(
            [
                {
                    "source": "s",
                    "pool": "task/kitchen/val",
                    "pair_id": "pair",
                    "direction": "ego2exo",
                    "split": split,
                    "query_segment_id": "q",
                    "query_recording_id": "E",
                    "positive_segment_id": "p",
                    "positive_recording_id": "X",
                    "negative_segment_ids": [*fill, *near],
                }
            ]
        ),
        "segments": TABLES["segments"].frame(segments),
        "labels": TABLES["labels"].frame(labels),
        "recordings": TABLES["recordings"].frame(
            {
                "source": "s",
                "recording_id": uid,
                "view": view,
                "split": split,
                "media": "present",
                "media_hashes": [f"hash-{uid}"],
                "licence": "free",
            }
            for uid, view in (("E", "ego"), ("X", "exo"))
        ),
        "sentence_vectors": TABLES["sentence_vectors"].frame(
            {
                "source": "s",
                "recording_id": uid,
                "sentence": sentence_key(text),
                "model": "by hand",
                "vector": vector,
            }
            for (uid, text), vector in vectors.items()
        ),
    }


def options(made: pl.DataFrame) -> set[str]:
    (row,) = made.to_dicts()
    return {o["segment_id"] for o in row["options"]}


def test_the_three_nearest_that_share_a_verb_or_noun_are_the_distractors() -> None:
    made = make_questions(world())
    assert made.schema == TABLES["questions"].schema
    (row,) = made.to_dicts()
    # n04 shares the cup but is farther in words; the unrelated are nearest and share nothing.
    assert options(made) == {"p", "n01", "n02", "n03"}
    (answer,) = [o for o in row["options"] if o["is_answer"]]
    assert (answer["segment_id"], answer["letter"]) == ("p", row["answer"])
    query, *shown = row["media"]
    assert (query["segment_id"], query["recording_id"]) == ("q", "E")
    assert [m["segment_id"] for m in shown] == [o["segment_id"] for o in row["options"]]
    assert {m["recording_id"] for m in shown} == {"X"}
    right = next(m for m in shown if m["segment_id"] == "p")
    assert (right["start_s"], right["end_s"]) == (0.0, 4.0)
    assert (row["split"], row["recording_id"], row["chance"]) == ("val", "E", 0.25)
    assert row["text"].startswith("Which candidate video most accurately reflects the actions")
    keys = {(e["table"], e["key"]) for e in row["evidence"]}
    assert keys == {(t, k) for t in ("segments", "labels") for k in ("q", "p", "n01", "n02", "n03")}
    assert '"take the cup"' in row["detailed_answer"]
    assert "take the cup" not in row["text"]


REPLACED = {
    "the same sets in other words": ("pick the cup up", {TAKE}, {CUP}, 20.0),
    "more of the same": ("take the cup from the pan", {TAKE}, {CUP, PAN}, 20.0),
    "the query's action and another": ("wash and take the cup", {TAKE, WASH}, {CUP}, 20.0),
    "less of the same": ("take it", {TAKE}, set(), 20.0),
    "the query's words": ("Take the cup", {WASH}, {CUP}, 20.0),
    "the answer's words": ("grab the cup", {WASH}, {CUP}, 20.0),
}


@pytest.mark.parametrize("candidate", REPLACED.values(), ids=REPLACED.keys())
def test_what_may_show_the_same_action_is_no_distractor(
    candidate: tuple[str, set[int], set[int], float],
) -> None:
    assert options(make_questions(world(NEAR | {"n01": candidate}))) == {"p", "n02", "n03", "n04"}


# Who takes a cup may pass it and put it down in the same movement.
CARRIED = {
    "put down somewhere": ("put the cup on the pan", {PUT}, {CUP, PAN}, 20.0),
    "passed and put down": ("pass the cup and put it in the pan", {PASS, PUT}, {CUP, PAN}, 20.0),
}
CERTAIN = {
    "worked on besides": ("wash the cup and put it in the pan", {WASH, PUT}, {CUP, PAN}, 20.0),
    "brought where it was taken": ("put the cup", {PUT}, {CUP}, 20.0),
    "another thing": ("take the pear", {TAKE}, {PEAR}, 20.0),
}


@pytest.mark.parametrize("candidate", CARRIED.values(), ids=CARRIED.keys())
def test_another_stage_of_carrying_the_thing_is_no_distractor(
    candidate: tuple[str, set[int], set[int], float],
) -> None:
    assert options(make_questions(world(NEAR | {"n01": candidate}))) == {"p", "n02", "n03", "n04"}


@pytest.mark.parametrize("candidate", CERTAIN.values(), ids=CERTAIN.keys())
def test_other_work_another_way_or_another_thing_is_a_distractor(
    candidate: tuple[str, set[int], set[int], float],
) -> None:
    assert "n01" in options(make_questions(world(NEAR | {"n01": candidate})))


@pytest.mark.parametrize(
    ("verb", "asked"),
    [(PRESS, False), (ON, True), (WASH, True)],
    ids=["the press that does it", "the other way", "other work"],
)
def test_what_turns_a_thing_off_is_no_distractor(verb: int, asked: bool) -> None:
    near = NEAR | {
        "n01": ("do it to the cup", {verb}, {CUP}, 20.0),
        "n02": ("turn off the pan", {OFF}, {PAN}, 30.0),
        "n03": ("turn off the knife", {OFF}, {KNIFE}, 35.0),
    }
    made = options(make_questions(world(near, query=("turn off the cup", {OFF}, {CUP}, 0.0))))
    assert made == {"p", "n02", "n03", "n01" if asked else "n04"}


def told(tables: dict[str, pl.DataFrame], segment_id: str, **verb: Any) -> dict[str, pl.DataFrame]:
    """The same with what a parse reads in a segment's narration."""
    labels = tables["labels"]
    row = {"source": "s", "segment_id": segment_id, "reader": "open", "clause": 0, "kind": "verb"}
    row |= {"class_label": "?", "span_start": 0, "span_end": 4, "status": "done"} | verb
    spans = labels.with_columns(span_end=pl.lit(4, pl.Int32()))
    return tables | {"labels": pl.concat([spans, TABLES["labels"].frame([row])])}


def test_what_the_narration_says_was_not_done_is_no_distractor() -> None:
    assert "n01" in options(make_questions(told(world(), "n01", lemma="wash")))
    for status in ("negated", "attempted", "stopped", "about_to"):
        made = make_questions(told(world(), "n01", lemma="wash", status=status))
        assert options(made) == {"p", "n02", "n03", "n04"}


def test_the_lemma_tells_switching_where_the_class_says_turning() -> None:
    """ "Turn the pan on" is of the class of spinning: what presses it may be the same."""
    spin = ("turn the cup off", {WASH}, {CUP}, 0.0)
    near = NEAR | {"n01": ("press the cup", {PRESS}, {CUP}, 20.0)}
    near |= {"n02": ("spin the pan", {WASH}, {PAN}, 30.0)}
    near |= {"n03": ("spin the knife", {WASH}, {KNIFE}, 35.0)}
    assert "n01" in options(make_questions(world(near, query=spin)))
    made = make_questions(told(world(near, query=spin), "q", lemma="turn off"))
    assert options(made) == {"p", "n02", "n03", "n04"}


def test_fewer_than_three_make_no_question() -> None:
    few = {k: NEAR[k] for k in ("n01", "n02")}
    assert make_questions(world(few)).is_empty()


def test_more_of_another_kind_is_a_distractor() -> None:
    other = ("take and wash the pan", {TAKE, WASH}, {PAN}, 20.0)
    assert "n01" in options(make_questions(world(NEAR | {"n01": other})))


@pytest.mark.parametrize(
    ("n", "split", "made"), [(18, "val", 0), (19, "test", 1), (19, "train", 0)]
)
def test_pairs_of_twenty_options_outside_training_are_asked(n: int, split: str, made: int) -> None:
    assert make_questions(world(n=n, split=split)).height == made


@pytest.mark.parametrize("table", ["labels", "sentence_vectors"])
def test_without_labels_or_vectors_nothing_is_asked(table: str) -> None:
    tables = world()
    tables[table] = tables[table].clear()
    assert make_questions(tables).is_empty()


def test_a_candidate_too_short_to_show_is_passed_over() -> None:
    tables = world()
    tables["segments"] = tables["segments"].with_columns(
        end_s=pl.when(pl.col("segment_id") == "n01")
        .then(pl.col("start_s") + 0.4)
        .otherwise("end_s")
    )
    assert options(make_questions(tables)) == {"p", "n02", "n03", "n04"}


def lasting(tables: dict[str, pl.DataFrame], **lengths: float) -> dict[str, pl.DataFrame]:
    """The same with segments of other lengths, around the same middles."""
    length = pl.col("segment_id").replace_strict(lengths, default=4.0)
    middle = (pl.col("start_s") + pl.col("end_s")) / 2
    segments = tables["segments"].with_columns(
        start_s=middle - length / 2, end_s=middle + length / 2
    )
    return tables | {"segments": segments}


def test_clips_of_a_question_last_alike_around_their_middles() -> None:
    """The query's action lasts 4 s twice; who looked for that length would find the answer."""
    plain = {m["segment_id"]: m for m in make_questions(world()).to_dicts()[0]["media"]}
    (row,) = make_questions(lasting(world(), n01=2.4, n02=3.1, n03=4.6)).to_dicts()
    assert {round(m["end_s"] - m["start_s"], 6) for m in row["media"]} == {2.4}
    for m in row["media"]:
        before = plain[m["segment_id"]]
        assert m["start_s"] + m["end_s"] == pytest.approx(before["start_s"] + before["end_s"])


def test_what_lasts_more_than_twice_as_long_is_passed_over() -> None:
    tables = lasting(world(), n01=9.0, n02=7.9)
    assert options(make_questions(tables)) == {"p", "n02", "n03", "n04"}
    assert make_questions(lasting(world(), n01=9.0, n02=8.1)).is_empty()


def test_a_candidate_that_overlaps_the_answer_in_time_is_passed_over() -> None:
    tables = world()
    tables["segments"] = tables["segments"].with_columns(
        start_s=pl.when(pl.col("segment_id") == "n01").then(3.9).otherwise("start_s"),
        end_s=pl.when(pl.col("segment_id") == "n01").then(8.0).otherwise("end_s"),
    )
    assert options(make_questions(tables)) == {"p", "n02", "n03", "n04"}


def test_equally_near_ones_are_chosen_by_hash() -> None:
    level = {k: (*v[:3], 30.0) for k, v in NEAR.items()}
    made = make_questions(world(level))
    again = make_questions({n: t.reverse() for n, t in world(level).items()})
    assert len(options(made)) == 4
    assert made.equals(again)


def test_noise_in_the_last_bits_changes_nothing() -> None:
    level = {k: (*v[:3], 30.0) for k, v in NEAR.items()}
    made = make_questions(world(level))
    for key in NEAR:
        noisy = level | {key: (*level[key][:3], 30.0 + 1e-5)}
        assert make_questions(world(noisy)).equals(made)


def test_order_of_rows_does_not_matter() -> None:
    tables = world()
    shuffled = {n: t.sample(fraction=1, shuffle=True, seed=5) for n, t in tables.items()}
    assert make_questions(tables).equals(make_questions(shuffled))


def test_a_new_recording_changes_no_question() -> None:
    one = world()
    other = {
        name: table.with_columns(
            pl.col(c).replace({"E": "F", "X": "Y", "pair": "pair2"})
            for c in ("recording_id", "query_recording_id", "positive_recording_id", "pair_id")
            if c in table.columns
        )
        for name, table in world().items()
    }
    ids = {"q", "p", *NEAR, *(f"u{i:02}" for i in range(15))}
    renamed = {old: f"{old}'" for old in ids}
    for name, table in other.items():
        other[name] = table.with_columns(
            *(
                pl.col(c).replace(renamed)
                for c in ("segment_id", "query_segment_id", "positive_segment_id")
                if c in table.columns
            ),
            *(
                pl.col(c).list.eval(pl.element().replace(renamed))
                for c in ("negative_segment_ids",)
                if c in table.columns
            ),
        )
    both = make_questions({n: pl.concat([one[n], other[n]]) for n in one})
    assert both.height == 2
    assert both.filter(pl.col("recording_id") == "E").equals(make_questions(one))


def test_it_reads_no_more_than_it_says() -> None:
    given = world()
    told = {
        name: given[name]
        if columns is None
        else TABLES[name].frame(given[name].select("source", *columns).to_dicts())
        for name, columns in BUILDER.reads.items()
    }
    assert make_questions(told).equals(make_questions(given))
