"""Action relation on synchronous views, from a take small enough to work out by hand."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from assets.questions.egoexobench.action_relation_lemma import BUILDER
from expectations.schemas import TABLES

make_questions = BUILDER.make

Rows = list[dict[str, Any]]

# What the wearer does: verb, thing, start and end in seconds of the wearer's recording.
ACTS = (
    ("get", "cup", 0.0, 4.0),
    ("fill", "cup", 10.0, 14.0),
    ("cut", "apple", 20.0, 24.0),
    ("wash", "plate", 30.0, 34.0),
)


def recording(uid: str, view: str, **more: Any) -> dict[str, Any]:
    return {
        "source": "s",
        "recording_id": uid,
        "take_id": "v",
        "view": view,
        "media": "present",
        "media_hashes": [f"hash-{uid}"],
        "duration_s": 60.0,
        "licence": "free",
        **more,
    }


def clock(uid: str, offset_s: float = 0.0, method: str = "same_index") -> dict[str, Any]:
    return {
        "source": "s",
        "recording_id": uid,
        "take_id": "v",
        "offset_s": offset_s,
        "rate": 1.0,
        "method": method,
    }


def act(i: int, verb: str, thing: str, start_s: float, end_s: float, actor: str = "P1") -> Rows:
    """A segment and its two relations."""
    uid = {"P1": "v|fpv1", "P2": "v|fpv2"}[actor]
    key = f"{actor}.{i}"
    return [
        {
            "source": "s",
            "segment_id": key,
            "recording_id": uid,
            "kind": "action",
            "actor_id": actor,
            "start_s": start_s,
            "end_s": end_s,
            "class_name": f"{verb} [{thing}]",
            "narration": f"{verb} {thing}",
        },
        *(
            {
                "source": "s",
                "recording_id": uid,
                "relation_id": f"{key}.{name}",
                "segment_id": key,
                "subject": subject,
                "relation": name,
                "object": thing_or_verb,
                "role": role,
            }
            for name, subject, thing_or_verb, role in (
                ("verb", actor, verb, None),
                ("direct object", verb, thing, "direct"),
            )
        ),
    ]


def take(
    acts: Rows, recordings: Rows | None = None, clocks: Rows | None = None
) -> dict[str, pl.DataFrame]:
    recordings = recordings or [recording("v|fpv1", "ego"), recording("v|master", "exo")]
    clocks = clocks or [clock(str(r["recording_id"])) for r in recordings]
    return {
        "recordings": TABLES["recordings"].frame(recordings),
        "segments": TABLES["segments"].frame(r for r in acts if "kind" in r),
        "relations": TABLES["relations"].frame(r for r in acts if "relation" in r),
        "labels": TABLES["labels"].empty(),
        "clocks": TABLES["clocks"].frame(clocks),
    }


def one_person(*more: Rows) -> Rows:
    acts = [row for i, a in enumerate(ACTS) for row in act(i, *a)]
    return [*acts, *(row for rows in more for row in rows)]


def asked(made: pl.DataFrame, direction: str) -> set[str]:
    """Segments asked about in a direction."""
    query = {"ego2exo": "fpv", "exo2ego": "master"}[direction]
    return {
        row["media"][0]["segment_id"]
        for row in made.iter_rows(named=True)
        if query in row["recording_id"]
    }


def test_the_same_moment_in_the_other_view_is_right() -> None:
    made = make_questions(take(one_person()))
    assert made.schema == TABLES["questions"].schema
    assert made.height == 8  # four actions, both directions
    for row in made.iter_rows(named=True):
        query, *shown = row["media"]
        exo_asks = query["recording_id"] == "v|master"
        other = "v|fpv1" if exo_asks else "v|master"
        assert {m["recording_id"] for m in shown} == {other}
        assert [m["role"] for m in shown] == [f"option_{x}" for x in "ABCD"]
        assert [o["letter"] for o in row["options"]] == list("ABCD")
        # Clocks agree, so that the right clip has the query's own times, and it alone.
        same_time = [
            (m["start_s"], m["end_s"]) == (query["start_s"], query["end_s"]) for m in shown
        ]
        assert same_time == [o["is_answer"] for o in row["options"]]
        assert sum(same_time) == 1
        assert row["answer"] == "ABCD"[same_time.index(True)]
        assert {o["text"] for o in row["options"]} == {
            "get the cup",
            "fill the cup",
            "cut the apple",
            "wash the plate",
        }
        assert row["text"] == (
            "Which candidate video most accurately reflects the actions observed in the query"
            " video?"
        )
        assert (row["chance"], row["media_present"], row["licence"]) == (0.25, True, "free")
        keys = {(e["table"], e["key"]) for e in row["evidence"]}
        assert keys == {
            ("clocks", "v|fpv1"),
            ("clocks", "v|master"),
            *(("segments", f"P1.{i}") for i in range(4)),
            *(("relations", f"P1.{i}.{r}") for i in range(4) for r in ("verb", "direct object")),
        }
    assert made["question_id"].n_unique() == made["question_hash"].n_unique() == 8


def test_times_go_through_both_clocks() -> None:
    recordings = [recording("v|fpv1", "ego"), recording("v|master", "exo")]
    # The wearer's camera starts 7 s into the take, the observer's 2 s into it.
    clocks = [clock("v|fpv1", 7.0), clock("v|master", 2.0)]
    made = make_questions(take(one_person(), recordings, clocks))
    row = made.filter(pl.col("recording_id") == "v|fpv1").row(0, named=True)
    query = row["media"][0]
    right = next(m for m in row["media"] if m["role"] == f"option_{row['answer']}")
    assert right["start_s"] == query["start_s"] + 5.0
    assert right["end_s"] == query["end_s"] + 5.0


def test_short_actions_are_padded_inside_the_gap_and_shorter_ones_refused() -> None:
    more = [act(7, "open", "door", 40.0, 41.0), act(8, "close", "lid", 45.0, 45.4)]
    made = make_questions(take(one_person(*more)))
    assert "P1.8" not in asked(made, "ego2exo") | asked(made, "exo2ego")
    clips = {m["segment_id"]: m for media in made["media"] for m in media}
    assert (clips["P1.7"]["start_s"], clips["P1.7"]["end_s"]) == (39.5, 41.5)
    assert "P1.8" not in clips


@pytest.mark.parametrize(
    ("method", "n"), [("frame_aligned", 8), ("timesync", 8), ("linear", 0), ("alone", 0)]
)
def test_views_that_are_not_synchronous_make_none(method: str, n: int) -> None:
    clocks = [clock("v|fpv1"), clock("v|master", method=method)]
    assert make_questions(take(one_person(), clocks=clocks)).height == n


def test_the_other_camera_must_run_all_the_while() -> None:
    recordings = [recording("v|fpv1", "ego"), recording("v|master", "exo", duration_s=33.0)]
    # The fourth action ends at 34 s: three are left, too few for four options.
    assert make_questions(take(one_person(), recordings)).is_empty()
    more = one_person(act(4, "open", "door", 25.0, 28.0))
    made = make_questions(take(more, recordings))
    assert asked(made, "ego2exo") == {"P1.0", "P1.1", "P1.2", "P1.4"}


def lengths_of(row: dict[str, Any]) -> dict[str, float]:
    return {m["role"]: round(m["end_s"] - m["start_s"], 9) for m in row["media"]}


def test_lengths_do_not_tell_the_answer() -> None:
    """All clips of a question last as long as its shortest, whichever that is."""
    spans = {"cut": (20.0, 25.0), "wash": (30.0, 33.0)}
    acts = [
        row
        for i, (verb, thing, *span) in enumerate(ACTS)
        for row in act(i, verb, thing, *spans.get(verb, span))
    ]
    made = make_questions(take(acts))
    assert made.height == 8
    for row in made.iter_rows(named=True):
        assert set(lengths_of(row).values()) == {3.0}
    # Cut around the middle of the action: 20 to 25 s becomes 21 to 24 s.
    clips = {m["segment_id"]: (m["start_s"], m["end_s"]) for media in made["media"] for m in media}
    assert (clips["P1.2"], clips["P1.3"]) == ((21.0, 24.0), (30.0, 33.0))


def test_a_cut_clip_keeps_a_padded_action_whole() -> None:
    """An action of 1 s with room on one side only has the clip 39 to 41 s; cut, it stays in it."""
    beside = [act(7, "open", "door", 39.0, 40.0), act(8, "close", "lid", 35.0, 39.0)]
    # 1.2 s without room on either side: the shortest clip wherever it is shown.
    tight = [act(9, "get", "jar", 46.0, 50.0), act(10, "wipe", "table", 50.0, 51.2)]
    tight.append(act(11, "fill", "pan", 51.2, 55.2))
    short = [act(12, "shake", "rug", 55.2, 57.2), act(13, "fold", "towel", 57.2, 59.2)]
    made = make_questions(take(one_person(*beside, *tight, *short)))
    rows = [{m["segment_id"]: m for m in row["media"]} for row in made.iter_rows(named=True)]
    both = [row["P1.7"] for row in rows if {"P1.7", "P1.10"} <= row.keys()]
    assert both
    for medium in both:
        assert medium["start_s"] == pytest.approx(39.0)
        assert medium["end_s"] == pytest.approx(40.2)


def test_actions_that_differ_more_than_twofold_in_length_do_not_meet() -> None:
    acts = one_person(act(4, "knead", "dough", 36.0, 44.1), act(5, "open", "door", 50.0, 58.0))
    made = make_questions(take(acts))
    met = [{o["segment_id"] for o in row["options"]} for row in made.iter_rows(named=True)]
    assert any("P1.5" in ids for ids in met)  # 8 s beside 4 s
    assert not any("P1.4" in ids for ids in met)  # 8.1 s beside 4 s


def test_three_distractors_are_needed() -> None:
    acts = [row for i, a in enumerate(ACTS[:3]) for row in act(i, *a)]
    assert make_questions(take(acts)).is_empty()


def test_the_same_action_at_another_time_is_no_distractor() -> None:
    """Neither in the same words nor with another place named: the thing and the verb are the same."""
    more = act(4, "wash", "plate", 40.0, 44.0)
    more[0] |= {"class_name": "wash [plate] in [sink]", "narration": "wash plate in sink"}
    made = make_questions(take(one_person(more)))
    assert asked(made, "ego2exo") == {f"P1.{i}" for i in range(5)}
    for row in made.iter_rows(named=True):
        ids = {o["segment_id"] for o in row["options"]}
        assert not {"P1.3", "P1.4"} <= ids


def test_overlapping_segments_do_not_meet_in_one_question() -> None:
    made = make_questions(take(one_person(act(4, "hold", "towel", 31.0, 36.0))))
    assert not made.is_empty()
    for row in made.iter_rows(named=True):
        assert not {"P1.3", "P1.4"} <= {o["segment_id"] for o in row["options"]}


TWO = [recording("v|fpv1", "ego"), recording("v|fpv2", "ego"), recording("v|master", "exo")]


def test_a_moment_at_which_two_do_the_same_is_not_asked_about() -> None:
    acts = one_person(
        act(4, "open", "door", 40.0, 44.0), act(0, "cut", "apple", 22.0, 26.0, actor="P2")
    )
    made = make_questions(take(acts, TWO))
    assert asked(made, "ego2exo") == {"P1.0", "P1.1", "P1.3", "P1.4"}


def test_a_clip_in_which_another_person_does_the_querys_action_is_no_distractor() -> None:
    # While the wearer washes a plate, the other one gets a cup, which the wearer did at 0 s.
    acts = one_person(
        act(4, "open", "door", 40.0, 44.0), act(0, "get", "cup", 31.0, 33.0, actor="P2")
    )
    made = make_questions(take(acts, TWO))
    of_cup = [
        {o["segment_id"] for o in row["options"]}
        for row in made.iter_rows(named=True)
        if row["media"][0]["segment_id"] == "P1.0"
    ]
    assert of_cup == [{"P1.0", "P1.1", "P1.2", "P1.4"}] * 2
    # Seen from outside, 30 to 34 s shows the cup being got as well: the wearer's own clip of that
    # is not a wrong answer then. Seen by the wearer it is.
    of_plate = {
        row["recording_id"]: {o["segment_id"] for o in row["options"]}
        for row in made.iter_rows(named=True)
        if row["media"][0]["segment_id"] == "P1.3"
    }
    assert of_plate["v|master"] == {"P1.1", "P1.2", "P1.3", "P1.4"}


def test_each_wearer_is_asked_with_clips_of_their_own() -> None:
    theirs = [row for i, a in enumerate(ACTS) for row in act(i, a[0], "pan", *a[2:], actor="P2")]
    made = make_questions(take([*one_person(), *theirs], TWO))
    assert made.height == 16
    for row in made.iter_rows(named=True):
        assert len({o["segment_id"][:2] for o in row["options"]}) == 1


@pytest.mark.parametrize(
    "change",
    [{"kind": "fine"}, {"class_name": None}, {"class_name": " "}, {"is_point": True}],
    ids=str,
)
def test_what_is_no_named_action_is_left_out(change: dict[str, Any]) -> None:
    bad = act(4, "open", "door", 40.0, 44.0)
    bad[0] |= change
    assert make_questions(take(one_person(bad))).equals(make_questions(take(one_person())))


def test_relations_may_be_missing() -> None:
    tables = take(one_person())
    tables["relations"] = tables["relations"].clear()
    assert make_questions(tables).height == 8


def test_order_of_rows_does_not_matter() -> None:
    more = [act(i, f"verb{i}", f"thing{i}", 35.0 + 3 * i, 37.0 + 3 * i) for i in range(4, 8)]
    tables = take(one_person(*more))
    made = make_questions(tables)
    assert made.height == 16
    assert made.equals(make_questions({n: t.reverse() for n, t in tables.items()}))
    assert made.equals(
        make_questions({n: t.sample(fraction=1, shuffle=True, seed=3) for n, t in tables.items()})
    )


def test_a_second_camera_adds_questions_and_changes_none() -> None:
    before = make_questions(take(one_person()))
    after = make_questions(
        take(
            one_person(),
            [recording("v|fpv1", "ego"), recording("v|master", "exo"), recording("v|tv", "exo")],
        )
    )
    assert after.height == 16
    assert after.filter(pl.col("question_id").is_in(before["question_id"].implode())).equals(before)


def test_missing_pixels_are_told() -> None:
    recordings = [recording("v|fpv1", "ego"), recording("v|master", "exo", media="missing")]
    made = make_questions(take(one_person(), recordings))
    assert made.height == 8
    assert not made["media_present"].any()


def test_it_reads_no_more_than_it_says() -> None:
    tables = take(one_person())
    told = {
        name: TABLES[name].frame(tables[name].select("source", *columns).to_dicts())
        for name, columns in BUILDER.reads.items()
        if columns is not None
    }
    assert make_questions(told).equals(make_questions(tables))
