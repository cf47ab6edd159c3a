"""Lists whose order decides released sets: order kept, bad lines refused, one and all."""

from __future__ import annotations

import io
import json
import tarfile

from assets.sources.egoexolearn.segments import read_segments
from assets.sources.egoexolearn.splits import read_splits
from assets.sources.egoexolearn.taxonomies import read_taxonomies
from assets.sources.layout import PartFiles

U = [f"bee9{n:04x}-ac78-11ee-819f-80615f12b59e" for n in range(5)]
PLANNING = "action_anticipation_planning_benchmark/planning_annotation"
CLOSED = "action_anticipation_planning_benchmark/anticpation_annotation/balanced_full_annotation/"
TAS = "temporal_action_segmentation_benchmark/tas_annotation"


def order(files: dict[str, str], split_set: str) -> list[int]:
    made = read_splits(PartFiles("s", {p: t.encode() for p, t in sorted(files.items())}))
    mine = made.tables["splits"].to_dicts()
    mine = [r for r in mine if r["split_set"] == split_set]
    assert [r["position"] for r in mine] == list(range(len(mine)))
    return [U.index(r["recording_id"]) for r in mine]


def test_recordings_are_in_the_order_of_the_planning_list_then_of_the_bundle() -> None:
    files = {
        f"{PLANNING}/annotation/train_ego_anno_list.txt": "\n".join(
            f"{U[n]}|1.5|[1, 2]" for n in (3, 3, 1)
        ),
        f"{PLANNING}/splits/ego_train_annotations.bundle": "\n".join(
            f"{U[n]}.txt" for n in (0, 1, 2, 3)
        ),
        f"{TAS}/splits/ego_train_annotations.bundle": f"{U[4]}.txt",
    }
    assert order(files, "planning_ego") == [3, 1, 0, 2]
    assert order(files, "segmentation_ego") == [4]
    assert order(files, "planning_ego_gaze") == []


def test_bad_lines_are_refused_alone() -> None:
    path = f"{PLANNING}/annotation/val_ego_gaze_anno_list.txt"
    made = read_splits(PartFiles("s", {path: f"{U[1]}|2|[]\nnobody|1|[]\n{U[0]}|2|[]".encode()}))
    assert made.tables["splits"]["recording_id"].to_list() == [U[1], U[0]]
    assert [(r["file"], r["row"]) for r in made.refused] == [(path, "2")]


def test_recordings_are_in_the_order_of_the_association_list() -> None:
    rows = "".join(f"a{at},{U[n]}\n" for at, n in enumerate((2, 2, 0, 2, 1)))
    path = "association_benchmark/annotations/exo_train.csv"
    files = {path: f"annotation_id,video_uid\n{rows}no-uid,nobody\n"}
    assert order(files, "association_exo") == [2, 0, 1]


def test_closed_sets_keep_the_order_of_their_files() -> None:
    taxonomy = "label,group\n" + "".join(f"v{n},['v{n}']\n" for n in range(4))
    files = {
        "annotations/narration_verb_taxonomy.csv": taxonomy.encode(),
        f"{CLOSED}valid_verbs.txt": b"3\n0\nx\n3\n1",
        f"{CLOSED}valid_nouns.txt": b"0",
    }
    made = read_taxonomies(PartFiles("s", files))
    assert made.tables["taxonomies"]["closed_position"].to_list() == [1, 2, None, 0]
    # One that is not a number, and one that is there twice.
    assert [(r["file"], r["row"]) for r in made.refused] == [
        (f"{CLOSED}valid_verbs.txt", "3"),
        (f"{CLOSED}valid_verbs.txt", "4"),
    ]


def test_rows_know_their_place_in_the_list_of_their_recording() -> None:
    path = "association_benchmark/annotations/exo_train.csv"
    header = "annotation_id,start_sec,end_sec,narration_en,verb,noun,video_uid\n"
    rows = [("b", 0), ("a", 1), ("c", 0)]
    text = header + "".join(f"{key},1,2,cut,[1],[],{U[n]}\n" for key, n in rows)
    fine = "annotations/fine_annotation_trainval_en.csv"
    again = "video_uid,annotation_id,subset,view,scene,start_sec,end_sec,narration_en\n" + "".join(
        f"{U[0]},{key},train,exo,kitchen,1,2,cut\n" for key in ("x", "c", "b")
    )
    made = read_segments(PartFiles("s", {fine: again.encode(), path: text.encode()}))
    found = made.tables["segments"].select("source_key", "list_position").rows()
    assert sorted(found) == [("a", 0), ("b", 0), ("c", 2), ("x", None)]
    assert made.refused == ()


def test_steps_without_a_length_are_points() -> None:

    items = [
        {"id": "p", "start": 3, "end": 3, "attribute": "1"},
        {"id": "s", "start": 1, "end": 2, "attribute": "1"},
    ]
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as tar:
        content = json.dumps(items).encode()
        info = tarfile.TarInfo(f"l1/{U[0]}.json")
        info.size = len(content)
        tar.addfile(info, io.BytesIO(content))
    files = {
        "annotations/coarse_annotations.tar.gz": raw.getvalue(),
        f"{TAS}/semantic_en.json": json.dumps([{"key": "cut", "value": "1"}]).encode(),
    }
    made = read_segments(PartFiles("s", files)).tables["segments"]
    assert made.select("source_key", "is_point", "list_position").rows() == [
        ("p", True, 0),
        ("s", None, 1),
    ]
