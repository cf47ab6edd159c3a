"""Candidates and pairs: the rules of each, and that recordings do not disturb one another."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets.pairs.association import make_pairs
from assets.pairs.candidates import count_candidates, find_candidates, option_segments
from expectations.schemas import TABLES
from expectations.schemas.pairs import POSITIVES_PER_QUERY

# recording -> (view, scenario, [(start_s, end_s, verbs, nouns)])
World = dict[str, tuple[str, str, list[tuple[float, float, set[int], set[int]]]]]
Tables = tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]


def tables(world: World) -> Tables:
    """Segments, labels, recordings of a world."""
    segments, labels, recordings = [], [], []
    for recording_id, (view, scenario, parts) in world.items():
        recordings.append(
            {
                "source": "s",
                "recording_id": recording_id,
                "view": view,
                "scenario": scenario,
                "scene": "kitchen",
                "split": "train",
                "source_file": "f",
                "source_key": recording_id,
            }
        )
        for i, (start, end, verbs, nouns) in enumerate(parts):
            segment_id = f"{recording_id}.{i}"
            segments.append(
                {
                    "source": "s",
                    "segment_id": segment_id,
                    "recording_id": recording_id,
                    "kind": "fine",
                    "start_s": start,
                    "end_s": end,
                }
            )
            labels += [
                {
                    "source": "s",
                    "recording_id": recording_id,
                    "segment_id": segment_id,
                    "clause": clause,
                    "kind": kind,
                    "class_id": class_id,
                    "span_start": class_id,
                }
                for kind, classes in (("verb", verbs), ("noun", nouns))
                for class_id in classes
                for clause in (0, 1)  # the same class twice is one member of the set
            ]
    return (
        TABLES["segments"].frame(segments),
        TABLES["labels"].frame(labels),
        TABLES["recordings"].frame(recordings),
    )


def run(
    world: World, positives: int = POSITIVES_PER_QUERY, keep_share: float = 1.0
) -> tuple[pl.DataFrame, pl.DataFrame]:
    given = tables(world)
    candidates = find_candidates(*given, positives=positives, keep_share=keep_share)
    return candidates, make_pairs(candidates, *given, positives=positives)


def lengthy(first: tuple[set[int], set[int]], others: int, at: float = 0.0) -> list:
    """A segment with the given sets and `others` more, each with a set of its own."""
    parts = [(at, at + 2.0, *first)]
    return parts + [
        (at + 3.0 * i, at + 3.0 * i + 2.0, {100 + i}, {1}) for i in range(1, others + 1)
    ]


def test_what_was_not_done_is_no_option() -> None:
    segments, labels, recordings = tables({"E": ("ego", "t", lengthy(({1}, {2}), 3))})
    said = labels.head(1).with_columns(
        kind=pl.lit("verb"), class_id=pl.lit(None, pl.Int64), reader=pl.lit("open")
    )
    shown = {
        status: option_segments(
            segments, pl.concat([labels, said.with_columns(status=pl.lit(status))]), recordings
        )
        for status in ("done", "attempted", "negated", "stopped", "about_to")
    }
    assert shown["done"].equals(option_segments(segments, labels, recordings))
    assert shown["done"]["segment_id"].to_list() == ["E.0", "E.1", "E.2", "E.3"]
    for status, options in shown.items():
        assert status == "done" or options["segment_id"].to_list() == ["E.1", "E.2", "E.3"]


@pytest.mark.parametrize(
    ("others", "stage", "pairs", "negatives"),
    [
        (3, "sentence", 0, 0),
        (4, "negatives_5", 2, 4),
        (18, "negatives_5", 2, 18),
        (25, "negatives_20", 2, 19),
    ],
)
def test_funnel(others: int, stage: str, pairs: int, negatives: int) -> None:
    parts = lengthy(({1}, {2}), others)
    # The exo recording's others differ from the ego's: only the first segments match.
    exo = [parts[0], *((s, e, v, {9}) for s, e, v, _ in parts[1:])]
    candidates, made = run({"E": ("ego", "t", parts), "X": ("exo", "t", exo)})
    assert candidates.select("ego_segment_id", "exo_segment_id", "stage").rows() == [
        ("E.0", "X.0", stage)
    ]
    assert candidates.select("ego_negatives", "exo_negatives").row(0) == (others, others)
    assert sorted(made["direction"]) == (["ego2exo", "exo2ego"] if pairs else [])
    for row in made.iter_rows(named=True):
        assert len(row["negative_segment_ids"]) == negatives
        answer = "X." if row["direction"] == "ego2exo" else "E."
        assert all(n.startswith(answer) for n in row["negative_segment_ids"])
        assert row["positive_segment_id"] == f"{answer}0"
        assert row["split"] == "train"


@pytest.mark.parametrize(
    ("name", "exo", "found"),
    [
        ("same sets", (0.0, 2.0, {1, 2}, {3}), 1),
        ("verbs differ", (0.0, 2.0, {1}, {3}), 0),
        ("nouns differ", (0.0, 2.0, {1, 2}, {3, 4}), 0),
        ("verb and noun sets swapped", (0.0, 2.0, {3}, {1, 2}), 0),
        ("too short to show", (0.0, 0.4, {1, 2}, {3}), 0),
        ("just long enough", (0.0, 0.5, {1, 2}, {3}), 1),
    ],
)
def test_what_is_a_candidate(name: str, exo: tuple, found: int) -> None:
    world: World = {
        "E": ("ego", "t", [(0.0, 2.0, {1, 2}, {3})]),
        "X": ("exo", "t", [exo]),
    }
    assert run(world)[0].height == found, name


@pytest.mark.parametrize(("verbs", "nouns"), [(set(), {1}), ({1}, set()), (set(), set())])
def test_empty_sets_do_not_match(verbs: set[int], nouns: set[int]) -> None:
    part = [(0.0, 2.0, verbs, nouns)]
    assert run({"E": ("ego", "t", part), "X": ("exo", "t", part)})[0].is_empty()


def test_pools_and_views_are_kept_apart() -> None:
    part = [(0.0, 2.0, {1}, {2})]
    world: World = {
        "E": ("ego", "t", part),
        "E2": ("ego", "t", part),
        "X": ("exo", "other", part),
    }
    assert run(world)[0].is_empty()


def test_one_positive_per_query_and_recording() -> None:
    part = (0.0, 2.0, {1}, {2})
    others = [(3.0 * i, 3.0 * i + 2, {100 + i}, {1}) for i in range(2, 7)]
    world: World = {
        "E": ("ego", "t", [part, *others]),
        "X": ("exo", "t", [part, (3.0, 5.0, {1}, {2}), *((s, e, v, {9}) for s, e, v, _ in others)]),
        "Y": ("exo", "t", [part, *((s, e, v, {8}) for s, e, v, _ in others)]),
    }
    candidates, pairs = run(world)
    assert candidates.height == 3
    ego2exo = pairs.filter(pl.col("direction") == "ego2exo")
    assert ego2exo["positive_recording_id"].to_list().count("X") == 1
    assert ego2exo["positive_recording_id"].to_list().count("Y") == 1
    assert pairs.filter(pl.col("direction") == "exo2ego").height == 3


def test_negatives_do_not_overlap_nor_repeat_a_set_while_others_are_left() -> None:
    part = (10.0, 12.0, {1}, {2})
    exo = [
        part,
        (11.5, 13.0, {50}, {1}),  # overlaps the positive
        (12.0, 13.0, {51}, {1}),  # touches it: no overlap
        (20.0, 22.0, {1}, {2}),  # the query's own set
        (23.0, 23.3, {52}, {1}),  # too short
        *((30.0 + i, 30.9 + i, {60}, {1}) for i in range(6)),  # one set, six times
        (40.0, 42.0, {61}, {1}),
        (43.0, 45.0, {62}, {1}),
        (46.0, 48.0, set(), set()),  # nothing says that it differs
    ]
    world: World = {"E": ("ego", "t", [part]), "X": ("exo", "t", exo)}
    candidates, pairs = run(world)
    counts = dict(candidates.select("exo_segment_id", "exo_negatives").iter_rows())
    assert counts == {"X.0": 9, "X.3": 10}
    pair = pairs.row(0, named=True)
    negatives = pair["negative_segment_ids"]
    sets = {"X.2": 51, "X.11": 61, "X.12": 62} | {f"X.{i}": 60 for i in range(5, 11)}
    if pair["positive_segment_id"] == "X.3":  # the other segment of the same set was chosen
        sets["X.1"] = 50
    assert set(negatives) == set(sets)
    distinct = len(set(sets.values()))
    assert len({sets[n] for n in negatives[:distinct]}) == distinct


def crowd(ego: int, exo: int) -> World:
    """Recordings that all show the same action, and four others to choose negatives from."""
    parts = lengthy(({1}, {2}), 4)
    exo_parts = [parts[0], *((s, e, v, {9}) for s, e, v, _ in parts[1:])]
    world: World = {f"E{i:03d}": ("ego", "t", parts) for i in range(ego)}
    return world | {f"X{i:03d}": ("exo", "t", exo_parts) for i in range(exo)}


@pytest.mark.parametrize(("ego", "exo", "positives"), [(40, 20, 3), (20, 40, 1), (5, 2, 3)])
def test_a_query_has_so_many_positives_and_no_more(ego: int, exo: int, positives: int) -> None:
    candidates, pairs = run(crowd(ego, exo), positives=positives)
    there = {"ego2exo": exo, "exo2ego": ego}
    per_query = pairs.group_by("direction", "query_segment_id").agg(
        n=pl.len(), recordings=pl.col("positive_recording_id").n_unique()
    )
    assert per_query.height == ego + exo
    for direction, _, n, recordings in per_query.iter_rows():
        assert n == recordings == min(positives, there[direction])
    # Each of the two directions adds its own, and some are both's.
    assert candidates.height <= positives * (ego + exo)
    counts = count_candidates(candidates, *tables(crowd(ego, exo)))
    other = counts.filter(stage="scenario")["n"].sum()
    assert counts["n"].sum() - other == ego * exo
    over = counts.filter(stage="over_cap")["n"].sum()
    assert over == ego * exo - candidates.height


def test_the_default_leaves_pools_of_three_whole() -> None:
    assert run(crowd(3, 3))[0].height == 9


def test_positives_fall_on_all_recordings() -> None:
    """No recording is the answer of most queries, and none of none."""
    _, pairs = run(crowd(60, 30), positives=3)
    asked = pairs.filter(direction="ego2exo").group_by("positive_recording_id").len()["len"]
    assert asked.len() >= 28  # 60 x 3 over 30: a recording is missed once in hundreds
    assert asked.max() <= 5 * 60 * 3 / 30  # type: ignore[operator]


@pytest.mark.parametrize("joins", ["E060", "X040"])
def test_a_recording_that_joins_moves_few_choices(joins: str) -> None:
    """The newcomer takes what falls on it; nothing else is chosen that was not before."""
    world = crowd(61, 41)
    _, after = run(world, positives=2)
    left = {"E060", "X040"} - {joins}
    _, before = run({k: v for k, v in world.items() if k != joins}, positives=2)
    key = ["pair_id", "direction"]
    new = after.join(before, on=key, how="anti")
    mine = (pl.col("query_recording_id") == joins) | (pl.col("positive_recording_id") == joins)
    assert new.filter(~mine).is_empty()
    assert left <= set(after["query_recording_id"])
    kept = after.join(before, on=key, how="semi")
    assert kept.equals(before.join(kept, on=key, how="semi"))
    # It answers about as many queries as another does: 2 x 61 / 41 or 2 x 41 / 61, ring gaps apart.
    assert before.height - kept.height <= 12


def test_no_positives_is_refused() -> None:
    with pytest.raises(ValueError, match="below 1"):
        run(crowd(1, 1), positives=0)


# Few classes and many segments, so that most worlds have pairs.
_PARTS = st.lists(
    st.tuples(
        st.integers(0, 300),
        st.sampled_from([0.3, 1.0, 3.0, 3.0]),
        st.sets(st.integers(0, 2), min_size=1, max_size=2),
        st.sets(st.integers(0, 1), max_size=1),
    ).map(lambda t: (float(t[0]), t[0] + t[1], t[2], t[3])),
    min_size=6,
    max_size=24,
)
_RECORDING = st.tuples(st.sampled_from(["ego", "exo"]), st.sampled_from(["t", "t", "u"]), _PARTS)
worlds = st.fixed_dictionaries(dict.fromkeys("ABCDEF", _RECORDING))


@settings(max_examples=60, deadline=None)
@given(worlds, st.data())
def test_removing_a_recording_changes_no_other_row(world: World, data: st.DataObject) -> None:
    """Below the cap: six recordings have at most five of the other view."""
    gone = data.draw(st.sampled_from(sorted(world)))
    candidates, pairs = run(world, positives=5)
    fewer_candidates, fewer_pairs = run({k: v for k, v in world.items() if k != gone}, positives=5)
    untouched = pairs.filter(
        (pl.col("query_recording_id") != gone) & (pl.col("positive_recording_id") != gone)
    )
    assert untouched.equals(fewer_pairs)
    kept = candidates.filter(
        (pl.col("ego_recording_id") != gone) & (pl.col("exo_recording_id") != gone)
    )
    assert kept.equals(fewer_candidates)


@settings(max_examples=60, deadline=None)
@given(worlds)
def test_no_negative_shares_the_querys_set_or_the_positives_time(world: World) -> None:
    sets = {
        f"{r}.{i}": (frozenset(v), frozenset(n))
        for r, (_, _, parts) in world.items()
        for i, (_, _, v, n) in enumerate(parts)
    }
    times = {
        f"{r}.{i}": (s, e)
        for r, (_, _, parts) in world.items()
        for i, (s, e, _, _) in enumerate(parts)
    }
    _, pairs = run(world)
    for row in pairs.iter_rows(named=True):
        start, end = times[row["positive_segment_id"]]
        for s, e in (times[n] for n in row["negative_segment_ids"]):
            assert e <= start or s >= end
        query = sets[row["query_segment_id"]]
        assert sets[row["positive_segment_id"]] == query
        negatives = row["negative_segment_ids"]
        assert all(sets[n] != query for n in negatives)
        assert len(set(negatives)) == len(negatives) >= 4


@settings(max_examples=40, deadline=None)
@given(worlds, st.integers(0, 1000))
def test_order_of_rows_does_not_matter(world: World, seed: int) -> None:
    segments, labels, recordings = (
        t.sample(fraction=1.0, shuffle=True, seed=seed) for t in tables(world)
    )
    candidates, pairs = run(world)
    again = find_candidates(segments, labels, recordings)
    assert candidates.equals(again)
    shuffled = again.sample(fraction=1.0, shuffle=True, seed=seed)
    assert pairs.equals(make_pairs(shuffled, segments, labels, recordings))


def test_thinning_keeps_a_stable_share() -> None:
    part = (0.0, 2.0, {1}, {2})
    world: World = {f"E{i}": ("ego", "t", [part]) for i in range(30)}
    world |= {f"X{i}": ("exo", "t", [part]) for i in range(30)}
    half = set(run(world, positives=30, keep_share=0.5)[0]["pair_id"])
    quarter = set(run(world, positives=30, keep_share=0.25)[0]["pair_id"])
    assert 380 < len(half) < 520
    assert quarter < half
    less = {k: v for k, v in world.items() if k != "E3"}
    fewer = set(run(less, positives=30, keep_share=0.5)[0]["pair_id"])
    assert fewer < half


def test_tables_keep_their_schema_when_empty() -> None:
    candidates, pairs = run({"E": ("ego", "t", []), "X": ("exo", "t", [])})
    assert candidates.schema == TABLES["candidates"].schema
    assert pairs.schema == TABLES["pairs"].schema
