"""LEMMA as its authors' code reads it: every trap of the layout, and what a row becomes."""

from __future__ import annotations

import json
from collections.abc import Mapping

import polars as pl
import pytest

from assets.sources.layout import Medium, PartFiles, Rows
from assets.sources.lemma import LAYOUT
from assets.sources.lemma.files import vid_or_none
from assets.sources.lemma.hoi import Hoi, Thing, parse_hoi, words_of
from assets.sources.reading.values import Malformed
from expectations.contracts import check
from expectations.schemas import TABLES

INTERVALS = "annotations/new_annotations/per_act_intervals.json"
LENGTHS = "metadata/lengths.json"
GET = "Get [cup] from [kitchen table] using [hand]"
PUT = "Put [cup, plate] to [sink] using [left hand]"
TWO = {
    "28l-12-1-2": {
        "P1": [[GET, 0, 36, "make tea"], ["null$", 36, 60, ""], [PUT, 60, 61, "make tea,wash dishes"]],
        "P2": [["NULL", 0, 12, ""], ["Turn-on [stove] using [hand]", 12, 48, "make tea"]],
    },
    "26k-11-1-1": {"P1": [["Sit on [sofa]", 24, 96, "watch tv"]]},
}  # fmt: skip


def read(
    part: str,
    intervals: object = TWO,
    media: tuple[str, ...] = (),
    others: Mapping[str, object] | None = None,
) -> Rows:
    """What a part makes of an interval file, other files and media."""
    declared = LAYOUT.part(part)
    assert declared is not None
    files = {INTERVALS: intervals, **(others or {})}
    return declared.read(
        PartFiles(
            "it",
            {p: json.dumps(d).encode() for p, d in sorted(files.items()) if declared.claims(p)},
            {
                p: Medium(p, 1, f"hash of {p}", 2.5)
                for p in sorted(media)
                if declared.claims_medium(p)
            },
        )
    )


def by(rows: Rows, table: str, key: str) -> dict[str, dict]:
    return {row[key]: row for row in rows.tables[table].rows(named=True)}


def rules(rows: Rows) -> list[tuple[str | None, str]]:
    return [(one["row"], one["rule"]) for one in rows.refused]


# -- actions as written ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "verb", "things"),
    [
        (
            GET,
            "get",
            [
                ("direct object", "cup", "direct", None),
                ("from", "kitchen table", "source", None),
                ("using", "hand", "hand", None),
            ],
        ),
        (
            PUT,
            "put",
            [
                ("direct object", "cup", "direct", None),
                ("direct object", "plate", "direct", None),
                ("to", "sink", "target", None),
                ("using", "left hand", "hand", "left"),
            ],
        ),
        (
            "Pour from [bottle] into [cup(glass)] using [hand]",
            "pour",
            [
                ("from", "bottle", "source", None),
                ("into", "cup(glass)", "target", None),
                ("using", "hand", "hand", None),
            ],
        ),
        (
            "Cut [watermelon] on [cutting-board] using [knife]",
            "cut",
            [
                ("direct object", "watermelon", "direct", None),
                ("on", "cutting-board", "location", None),
                ("using", "knife", "tool", None),
            ],
        ),
        ("Turn-off [tv] using []", "turn-off", [("direct object", "tv", "direct", None)]),
        ("Stand-up", "stand-up", []),
        ("Work-on [__import__('os').system('x')]", "work-on", [
            ("direct object", "__import__('os').system('x')", "direct", None)]),
    ],
)  # fmt: skip
def test_templates_are_cut_at_their_brackets(text: str, verb: str, things: list[tuple]) -> None:
    assert parse_hoi(text) == Hoi(verb, tuple(Thing(*thing) for thing in things))


@pytest.mark.parametrize("text", ["Get [cup", "Get cup]", "Get [[cup]]", "[cup] get", "Get ]a["])
def test_brackets_that_do_not_pair_are_refused(text: str) -> None:
    with pytest.raises(Malformed):
        parse_hoi(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (GET, "Get cup from kitchen table using hand"),
        (PUT, "Put cup, plate to sink using left hand"),
        ("Turn-off [tv] using []", "Turn-off tv"),
        ("Stand-up", "Stand-up"),
        ("Sit on [sofa]", "Sit on sofa"),
    ],
)
def test_narration_is_the_action_without_brackets(text: str, words: str) -> None:
    assert words_of(text) == words


# -- segments and relations ------------------------------------------------------------------------


def test_frames_count_from_0_at_24_a_second_and_ends_are_not_included() -> None:
    rows = by(read("segments"), "segments", "segment_id")
    put = rows[f"28l-12-1-2|P1|60|61|{PUT}"]
    assert (put["start_s"], put["end_s"]) == (60 / 24, 61 / 24)
    assert rows[f"28l-12-1-2|P1|0|36|{GET}"]["start_s"] == 0.0


def test_actions_lie_on_the_actors_own_recording() -> None:
    rows = read("segments").tables["segments"]
    found = {(r["actor_id"], r["recording_id"], r["kind"]) for r in rows.rows(named=True)}
    assert found == {
        ("P1", "28l-12-1-2|fpv1", "action"),
        ("P2", "28l-12-1-2|fpv2", "action"),
        ("P1", "26k-11-1-1|fpv1", "action"),
    }


def test_null_actions_are_no_segments_and_no_refusals() -> None:
    rows = read("segments")
    assert rows.tables["segments"].height == 4
    assert rows.refused == ()


def test_relations_lead_from_actor_to_verb_to_things() -> None:
    rows = read("segments").tables["relations"]
    mine = rows.filter(pl.col("segment_id") == f"28l-12-1-2|P1|60|61|{PUT}")
    columns = ("subject", "relation", "object", "role", "hand_side", "actor_id")
    assert sorted(mine.select(columns).rows(), key=str) == sorted(
        [
            ("P1", "verb", "put", None, "left", "P1"),
            ("put", "direct object", "cup", "direct", "left", "P1"),
            ("put", "direct object", "plate", "direct", "left", "P1"),
            ("put", "to", "sink", "target", "left", "P1"),
            ("put", "using", "left hand", "hand", "left", "P1"),
        ],
        key=str,
    )


@pytest.mark.parametrize("table", ["segments", "relations"])
def test_rows_keep_their_contracts(table: str) -> None:
    checked = check(TABLES[table], read("segments").tables[table], {})
    assert not list(checked.refused)


@pytest.mark.parametrize(
    ("item", "row"),
    [
        (["Get [cup", 0, 5, "t"], "26k-11-1-1|P1|0|5|Get [cup"),
        (["Get [cup]", "x", 5, "t"], "26k-11-1-1|P1|0"),
        (["Get [cup]", 0.5, 5, "t"], "26k-11-1-1|P1|0"),
        (["Get [cup]", 5], "26k-11-1-1|P1|0"),
        ([7, 0, 5, "t"], "26k-11-1-1|P1|0"),
        (["Get [cup]", 0, 5, 3], "26k-11-1-1|P1|0"),
        ("Get [cup]", "26k-11-1-1|P1|0"),
    ],
)
def test_a_broken_interval_is_refused_and_its_neighbour_read(item: object, row: str) -> None:
    rows = read("segments", {"26k-11-1-1": {"P1": [item, [GET, 0, 24, "t"]]}})
    assert rules(rows) == [(row, "unreadable_row")]
    assert rows.tables["segments"]["class_name"].to_list() == [GET]


def test_an_interval_that_ends_where_it_starts_breaks_the_contract() -> None:
    rows = read("segments", {"26k-11-1-1": {"P1": [[GET, 24, 24, "t"], [GET, 30, 24, "t"]]}})
    refused = check(TABLES["segments"], rows.tables["segments"], {}).refused
    assert [one["rule"] for one in refused] == ["end_after_start"] * 2


@pytest.mark.parametrize(
    ("document", "row"),
    [
        ({"kitchen": {"P1": []}}, "kitchen"),
        ({"26k-11-1-1": [1]}, "26k-11-1-1"),
        ({"26k-11-1-1": {"P0": []}}, "26k-11-1-1|P0"),
        ({"26k-11-1-1": {"P1": {}}}, "26k-11-1-1|P1"),
        ({"26k-11-1-1": {"P1": []}, "26k_11_1_1": {"P1": []}}, "26k_11_1_1"),
    ],
)
def test_videos_and_agents_that_are_none_are_refused(document: object, row: str) -> None:
    assert rules(read("segments", document)) == [(row, "unreadable_row")]


def test_a_file_that_is_no_json_is_one_refusal() -> None:
    declared = LAYOUT.part("segments")
    assert declared is not None
    rows = declared.read(PartFiles("it", {INTERVALS: b"{"}))
    assert rules(rows) == [(None, "unreadable_file")]


def test_the_newer_file_goes_before_the_older() -> None:
    older = {"26k-11-1-1": {"P1": [["Sit", 0, 9, "old"]]}}
    rows = read("segments", others={"action_intervals_w_tasks.json": older})
    assert rows.tables["segments"].height == 4
    declared = LAYOUT.part("segments")
    assert declared is not None
    alone = {"action_intervals_w_tasks.json": json.dumps(older).encode()}
    assert declared.read(PartFiles("it", alone)).tables["segments"].height == 1


# -- recordings ------------------------------------------------------------------------------------


def test_one_recording_per_agent_and_the_room() -> None:
    rows = by(read("recordings"), "recordings", "recording_id")
    assert {uid: (r["take_id"], r["view"], r["person_id"]) for uid, r in rows.items()} == {
        "26k-11-1-1|fpv1": ("26k-11-1-1", "ego", "P1"),
        "26k-11-1-1|master": ("26k-11-1-1", "exo", None),
        "28l-12-1-2|fpv1": ("28l-12-1-2", "ego", "P1"),
        "28l-12-1-2|fpv2": ("28l-12-1-2", "ego", "P2"),
        "28l-12-1-2|master": ("28l-12-1-2", "exo", None),
    }
    assert {r["media"] for r in rows.values()} == {"missing"}


def test_several_tasks_are_joined_in_the_scenario() -> None:
    rows = by(read("recordings"), "recordings", "recording_id")
    assert {uid: r["scenario"] for uid, r in rows.items() if uid.startswith("28l")} == {
        "28l-12-1-2|fpv1": "make tea, wash dishes",
        "28l-12-1-2|fpv2": "make tea",
        "28l-12-1-2|master": "make tea, wash dishes",
    }


def test_views_count_the_same_frames() -> None:
    rows = read("recordings").tables["clocks"]
    assert rows.select("offset_s", "rate", "method").unique().rows() == [(0.0, 1.0, "same_index")]
    assert rows.height == 5


def test_lengths_are_frames_of_each_agent() -> None:
    lengths = {"28l-12-1-2": {"P1": 240, "P2": 48}, "29l-21-4-2": {"P1": 24}}
    rows = by(read("recordings", others={LENGTHS: lengths}), "recordings", "recording_id")
    assert [rows[f"28l-12-1-2|{v}"]["duration_s"] for v in ("fpv1", "fpv2", "master")] == [
        10,
        2,
        10,
    ]
    assert rows["29l-21-4-2|fpv1"]["declared_frames"] == 24
    assert rows["26k-11-1-1|fpv1"]["duration_s"] is None


@pytest.mark.parametrize("folder", ["videos/28l-12-1-2", "28l-12-1-2", "videos/28l_12_1_2"])
def test_videos_lie_under_either_root_and_spelling(folder: str) -> None:
    rows = by(read("recordings", media=(f"{folder}/fpv1.mp4",)), "recordings", "recording_id")
    row = rows["28l-12-1-2|fpv1"]
    assert (row["media"], row["media_kind"], row["time_base"]) == ("present", "video", "pts")
    assert (row["media_paths"], row["media_duration_s"]) == ([f"{folder}/fpv1.mp4"], 2.5)
    assert rows["28l-12-1-2|fpv2"]["media"] == "missing"


def test_pictures_count_from_1_and_frames_from_0() -> None:
    folder = "videos/28l-12-1-2/fpv1"
    paths = tuple(f"{folder}/img_{n:05d}.jpg" for n in (10, 1, 2, 49, 0))
    made = read("recordings", media=(*paths, f"{folder}/img_ori_00003.jpg"))
    images = made.tables["images"].sort("source_frame")
    assert images["source_frame"].to_list() == [0, 1, 9, 48]
    assert images["t_s"].to_list() == [0.0, 1 / 24, 9 / 24, 2.0]
    row = by(made, "recordings", "recording_id")["28l-12-1-2|fpv1"]
    assert (row["media_kind"], row["time_base"]) == ("image_sequence", "nominal_fps")
    assert row["media_paths"] == images["path"].to_list()


def test_a_video_goes_before_its_pictures() -> None:
    made = read("recordings", media=("28l-12-1-2/fpv1.mp4", "videos/28l-12-1-2/fpv1/img_00001.jpg"))
    assert [one["rule"] for one in made.refused] == ["recording_twice"]
    assert made.tables["images"].is_empty()


def test_media_that_no_annotation_names_are_refused() -> None:
    made = read("recordings", media=("videos/30l-12-2-1/fpv1.mp4", "videos/26k-11-1-1/fpv2.mp4"))
    assert [(one["rule"], one["value"]) for one in made.refused] == [
        ("unknown_recording", "30l-12-2-1|fpv1")
    ]
    # A second camera of a known video is a recording although nobody is told to wear it.
    assert "26k-11-1-1|fpv2" in by(made, "recordings", "recording_id")


def test_splits_are_of_every_view_and_all_goes_first() -> None:
    others = {
        "splits/all_train.json": ["28l-12-1-2"],
        "splits/all_test.json": ["26k-11-1-1", "nonsense"],
        "splits/other_val.json": ["28l-12-1-2"],
    }
    made = read("splits", others=others)
    found = {(r["split_set"], r["split"], r["recording_id"], r["position"])
             for r in made.tables["splits"].rows(named=True)}  # fmt: skip
    assert found >= {("all", "train", f"28l-12-1-2|{v}", 0) for v in ("fpv1", "fpv2", "master")}
    assert found >= {("other", "val", "28l-12-1-2|master", 0)}
    assert [(o["value"], o["rule"]) for o in made.refused] == [("nonsense", "unreadable_row")]
    rows = by(read("recordings", others=others), "recordings", "recording_id")
    assert rows["28l-12-1-2|fpv1"]["split"] == "train"
    assert rows["26k-11-1-1|master"]["split"] == "test"


@pytest.mark.parametrize(
    ("name", "taxonomy"),
    [
        ("actions", "verb"),
        ("all_acts", "verb"),
        ("objects", "object"),
        ("all_objs", "object"),
        ("tasks", "coarse"),
        ("hois", "action"),
    ],
)
def test_vocabularies_by_either_name(name: str, taxonomy: str) -> None:
    made = read("taxonomies", others={f"metadata/{name}.json": ["b", "a"]})
    rows = made.tables["taxonomies"].select("taxonomy", "class_id", "label").rows()
    assert rows == [(taxonomy, 0, "b"), (taxonomy, 1, "a")]


# -- real ------------------------------------------------------------------------------------------


def test_ids_of_a_real_question_file_name_videos(shared) -> None:
    questions = json.loads((shared / "data/lemma/EgoExoMem_qa_verified.json").read_text())
    named = {key.rpartition("_Q")[0] for key in questions}
    assert len(questions) == 1824
    assert len(named) == 265
    made = {vid_or_none(one) for one in named}
    assert None not in made
    assert len(made) == 265
    assert vid_or_none("29l_21_4_2") == "29l-21-4-2"
