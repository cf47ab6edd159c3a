"""Released labels and lists: read as they stand, in their order; bad rows refused with a reason."""

from __future__ import annotations

import json

import pytest

from assets.sources.egoexolearn.released_frames import read_frames
from assets.sources.egoexolearn.released_lists import read_lists
from assets.sources.layout import PartFiles, Rows

U = [f"bee9{n:04x}-ac78-11ee-819f-80615f12b59e" for n in range(4)]
TAS = "temporal_action_segmentation_benchmark/tas_annotation"
SEMANTIC = f"{TAS}/semantic_en.json"
AHEAD = "action_anticipation_planning_benchmark"
PLANNING = f"{AHEAD}/planning_annotation/annotation"
CLOSED = f"{AHEAD}/anticpation_annotation"
TABLE = f"{CLOSED}/balanced_full_annotation"
NAMES = json.dumps([{"key": f"class {n}", "value": str(n)} for n in range(1, 28)]).encode()
HEADER = "video_id,annotation_id,start_sec,end_sec,verb,noun,scenario\n"


def frames(data: bytes, names: bytes = NAMES) -> Rows:
    path = f"{TAS}/gts_fps25/{U[0]}.txt"
    given = PartFiles("s", {path: data, SEMANTIC: names}, recording={"recording_id": U[0]})
    return read_frames(given)


def lists(files: dict[str, str]) -> Rows:
    return read_lists(
        PartFiles("s", {p: t.encode() for p, t in sorted(files.items())} | {SEMANTIC: NAMES})
    )


def of(made: Rows, *columns: str) -> list[tuple]:
    return made.tables["released_rows"].select(columns).rows()


@pytest.mark.parametrize("text", [b"0\r\n0\r\n7\r\n0", b"0\n0\n7\n0\n", b"0\r\n0\r\n7\r\n0\r\n"])
def test_frames_are_runs_whatever_ends_the_lines(text: bytes) -> None:
    made = frames(text)
    (row,) = made.tables["released_frames"].to_dicts()
    assert [(r["class_id"], r["n"]) for r in row["runs"]] == [(0, 2), (7, 1), (0, 1)]
    assert (row["recording_id"], row["source_file"]) == (U[0], f"{TAS}/gts_fps25/{U[0]}.txt")
    assert made.refused == ()


@pytest.mark.parametrize(
    ("text", "line", "value"),
    [
        (b"0\n0\nx\n0", "3", "x"),
        (b"0\n28\n28", "2", "28"),
        (b"0\n\n1", "2", ""),
        (b"-1", "1", "-1"),
        ("0\n\u0663".encode(), "2", "\u0663"),
        (b"0\n\xff", "2", None),
    ],
)
def test_a_line_that_is_no_class_refuses_the_file(text: bytes, line: str, value: str) -> None:
    made = frames(text)
    assert made.tables["released_frames"].is_empty()
    (one,) = made.refused
    assert (one["row"], one["rule"], one["recording_id"]) == (line, "unreadable_row", U[0])
    assert value is None or one["value"] == value
    assert "no label of the file is used" in one["message"]
    assert one["remedy"]


def test_an_empty_file_of_frames_is_refused() -> None:
    for text in (b"", b"\n"):
        made = frames(text)
        assert made.tables["released_frames"].is_empty()
        assert [r["rule"] for r in made.refused] == ["unreadable_file"]


def test_without_class_names_any_number_is_a_class() -> None:
    (row,) = frames(b"99", b"[]").tables["released_frames"].to_dicts()
    assert row["runs"] == [{"class_id": 99, "n": 1}]


def plan(uid: str, until: str, *steps: int) -> str:
    return f"{uid}|{until}|{list(steps)}"


EIGHT = (0, 26, 2, 3, 4, 5, 6, 7)


def test_plans_keep_their_order_and_their_writing() -> None:
    rows = [plan(U[2], "52", *EIGHT), plan(U[0], "11.0", *EIGHT), plan(U[2], "52", *EIGHT)]
    made = lists({f"{PLANNING}/val_exo_anno_list.txt": "\n".join(rows)})
    found = of(made, "released_list", "position", "recording_id", "seen_until_s", "text")
    assert found == [
        ("planning/exo/val", 1, U[2], 52.0, rows[0]),
        ("planning/exo/val", 2, U[0], 11.0, rows[1]),
        ("planning/exo/val", 3, U[2], 52.0, rows[2]),
    ]
    # Lists count classes from 0, the source from 1.
    assert of(made, "classes")[0] == ([1, 27, 3, 4, 5, 6, 7, 8],)


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (f"{U[1]}|1.5", "line is not"),
        (f"{U[1]}|x|[0]", "not a number"),
        (f"{U[1]}|-2|{list(EIGHT)}", "before the video"),
        (f"{U[1]}|2|{list(EIGHT[:7])}", "7 classes; a plan has 8"),
        (f"{U[1]}|2|{[*EIGHT[:7], 27]}", "class 27 is not one of the 27"),
        (f"{U[1]}|2|__import__('os')", "not a list of whole numbers"),
    ],
)
def test_a_bad_plan_is_refused_alone(bad: str, said: str) -> None:
    path = f"{PLANNING}/test_ego_gaze_anno_list.txt"
    made = lists({path: "\n".join([plan(U[0], "1", *EIGHT), bad, plan(U[3], "2", *EIGHT)])})
    assert of(made, "list", "split", "position") == [
        ("ego_gaze", "test", 1),
        ("ego_gaze", "test", 3),
    ]
    (one,) = made.refused
    assert (one["file"], one["row"]) == (path, "2")
    assert said in one["message"]


def test_a_plan_without_a_recording_is_refused_by_another_part() -> None:
    made = lists({f"{PLANNING}/val_ego_anno_list.txt": f"nobody|1|{list(EIGHT)}"})
    assert of(made, "text") == []
    assert made.refused == ()


def test_without_class_names_plans_are_refused_with_the_file_that_is_missing() -> None:
    path = f"{PLANNING}/val_ego_anno_list.txt"
    made = read_lists(PartFiles("s", {path: plan(U[0], "1", *EIGHT).encode()}))
    assert of(made, "text") == []
    assert [(r["rule"], SEMANTIC in r["remedy"]) for r in made.refused] == [("file_missing", True)]


def test_lists_for_training_on_both_views_are_lists_of_their_own() -> None:
    row = plan(U[0], "1", *EIGHT)
    made = lists(
        {
            f"{PLANNING}/cotrain_ego_gaze_exo_anno_list.txt": f"{row}\nnobody|1|[1]",
            f"{CLOSED}/noun_gazed/list_egoexo_cotraining.txt": f"{U[1]}|1.5|2|[0, 1]",
            f"{TABLE}/valid_nouns.txt": "9\n4",
        }
    )
    assert sorted(of(made, "released_list", "text")) == [
        ("anticipation/cotraining_noun_gazed/train", f"{U[1]}|1.5|2|[0, 1]"),
        ("planning/cotrain_ego_gaze_exo/train", row),
    ]
    assert [r["row"] for r in made.refused] == ["2"]


def test_tables_of_anticipation_keep_order_and_writing() -> None:
    rows = [
        f'{U[1]},b,70.30000000000001,75.0,"[9, 4]",[],kitchen\n',
        f'{U[0]},c,0.0,20.0,[4],"[1, 2]",lab\n',
        f"{U[1]},a,1.5,2.0,[],[2],kitchen\n",
    ]
    path = f"{TABLE}/ego_val_valid.csv"
    made = lists({path: HEADER + "".join(rows), f"{TABLE}/valid_verbs.txt": "4\n9"})
    assert of(made, "released_list", "position", "source_key", "verbs", "nouns", "text") == [
        ("anticipation/ego/val", 2, "b", [9, 4], [], rows[0].strip()),
        ("anticipation/ego/val", 3, "c", [4], [1, 2], rows[1].strip()),
        ("anticipation/ego/val", 4, "a", [], [2], rows[2].strip()),
    ]
    assert of(made, "target_start_s", "target_end_s")[0] == (70.30000000000001, 75.0)


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (f"{U[0]},a,1,2,[4],[],kitchen", "listed twice"),
        (f"{U[0]},b,2,1,[4],[],kitchen", "before it starts"),
        (f"{U[0]},b,1,2,[5],[],kitchen", "verb 5 is not in valid_verbs.txt"),
        (f"{U[0]},b,1,2,4,[],kitchen", "not a list"),
        ("nobody,b,1,2,[4],[],kitchen", "not a UUID"),
        (f"{U[0]},,1,2,[4],[],kitchen", "annotation_id is empty"),
    ],
)
def test_a_bad_row_of_a_table_is_refused_alone(bad: str, said: str) -> None:
    path = f"{TABLE}/exo_test_valid.csv"
    good = f"{U[0]},a,1,2,[4],[],kitchen"
    made = lists({path: f"{HEADER}{good}\n{bad}\n", f"{TABLE}/valid_verbs.txt": "4"})
    assert of(made, "source_key") == [("a",)]
    (one,) = made.refused
    assert (one["file"], one["row"]) == (path, "3")
    assert said in one["message"]


def test_lists_of_skill_and_of_association_keep_their_order() -> None:
    pairs = [f"13_{U[n]}_1_9 13_{U[0]}_{n}_8" for n in (3, 1, 2)]
    made = lists(
        {
            "skill_benchmark/annotations/skill_val.txt": "\n".join([*pairs, "odd"]),
            "association_benchmark/annotations/ego_train.csv": "annotation_id,video_uid\n"
            + "".join(f"{key},{U[n]}\n" for key, n in (("x", 2), ("y", 0), ("z", 2))),
        }
    )
    found = of(made, "released_list", "recording_id", "source_key", "text")
    assert found == [
        ("association/ego/train", U[2], "x", None),
        ("association/ego/train", U[0], "y", None),
        ("association/ego/train", U[2], "z", None),
        *(("skill/pairs/val", U[n], p, p) for n, p in zip((3, 1, 2), pairs, strict=True)),
    ]
    # Bad pairs are refused by the part that reads votes.
    assert made.refused == ()
