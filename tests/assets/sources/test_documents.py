"""Documents: files that several parts read are parsed once per ingest, and refused once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from assets.sources.documents import Document, Documents
from assets.sources.layout import Layout, Part, PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.recording_rows import recording_tables, video_media
from assets.sources.registry import layouts
from assets.sources.stage import ingest
from expectations.schemas import TABLES
from resources.roots.open import open_root
from resources.store.tables import TableStore

parsed: list[tuple[str, ...]] = []


def _parse(files: Mapping[str, bytes], reader: RowReader) -> Mapping[str, str]:
    parsed.append(tuple(files))
    names: dict[str, str] = {}
    for path, data in files.items():
        for name, split in json.loads(data).items():
            if split in ("train", "test"):
                names[name] = split
            else:
                reader.reject(path, name, "unknown_split", split, "not a split", "correct it", name)
    return names


LIST = Document("splits", r"list\.json", _parse)


def _read_recordings(part: PartFiles) -> Rows:
    rows = [
        {
            "source": part.source,
            "recording_id": name,
            "take_id": name,
            "view": "ego",
            **video_media(None),
            "licence": "mine",
            "source_file": "list.json",
            "source_key": name,
        }
        for name in part.document(LIST)
    ]
    return Rows(recording_tables(rows, "alone"))


def _read_splits(part: PartFiles) -> Rows:
    reader = RowReader("splits")
    rows = [
        {
            "source": part.source,
            "split_set": "release",
            "recording_id": name,
            "split": split,
            "position": at,
            "source_file": "list.json",
        }
        for at, (name, split) in enumerate(part.document(LIST, reader).items())
    ]
    return Rows({"splits": TABLES["splits"].frame(rows)}, tuple(reader.refused))


LAYOUT = Layout(
    "listed",
    "Listed",
    "mine",
    "verified",
    parts=(
        Part("recordings", _read_recordings, r"list\.json"),
        Part("splits", _read_splits, r"list\.json"),
    ),
)


def test_a_document_is_parsed_once_for_all_parts_and_refused_once(tmp_path: Path) -> None:
    parsed.clear()
    (tmp_path / "raw").mkdir()
    file = tmp_path / "raw/list.json"
    file.write_text(json.dumps({"a": "train", "b": "test", "c": "both"}))
    store = TableStore(str(tmp_path / "tables"))
    root = open_root(str(tmp_path / "raw"))
    ingest(store, "it", LAYOUT, root)
    assert parsed == [("list.json",)]
    assert sorted(store.read(TABLES["splits"])["split"]) == ["test", "train"]
    refused = store.read(TABLES["quarantine"]).select("table", "row", "rule", "value").rows()
    assert refused == [("splits", "c", "unknown_split", "both")]
    # The next ingest sees the file as it is then.
    file.write_text(json.dumps({"a": "train", "b": "test", "d": "test"}))
    ingest(store, "it", LAYOUT, root)
    assert len(parsed) == 2
    assert sorted(store.read(TABLES["recordings"])["recording_id"]) == ["a", "b", "d"]
    assert store.read(TABLES["quarantine"]).is_empty()
    ingest(store, "it", LAYOUT, root)
    assert len(parsed) == 2


def test_other_files_are_another_value() -> None:
    parsed.clear()
    documents = Documents()
    first = documents.parsed(LIST, {"list.json": b"{}", "other.json": b"no JSON"})
    assert first == ({}, ())
    assert documents.parsed(LIST, {"list.json": b"{}"}) == first
    assert documents.parsed(LIST, {}) == ({}, ())
    assert parsed == [("list.json",), ()]


CONVERTED = ("charades_ego", "easg", "egoexo4d", "egome", "epic_kitchens", "lemma", "tf2023")


@pytest.mark.parametrize("name", CONVERTED)
def test_one_part_records_what_is_wrong_with_a_document(name: str) -> None:
    """Without a file, or with a broken one, no refusal of a document is recorded by two parts."""
    files = {
        "charades_ego": "CharadesEgo_v1_train.csv",
        "easg": "ALL_GRAPHS_FOR_DOWNSTREAM.json",
        "egoexo4d": "takes.json",
        "egome": "Annotation/train.json",
        "epic_kitchens": "EPIC_100_train.csv",
        "lemma": "annotations/new_annotations/per_act_intervals.json",
        "tf2023": "TF2023train.json",
    }
    path = files[name]
    for data in (b"", b"{", b"a,b\n1,2\n"):
        recorded = [
            (one.table, one.file, one.rule)
            for part in layouts()[name].parts
            if part.claims(path) and not part.per_recording
            for one in part.read(PartFiles("it", {path: data})).refused
            if one.rule == "unreadable_file"
        ]
        assert recorded, data
        assert len(recorded) == len(set(recorded)), recorded
