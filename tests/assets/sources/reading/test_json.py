"""One fault at a time in the list of recordings and the split lists."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

if TYPE_CHECKING:
    from conftest import Sample

META = "video_meta_downsampled.json"
SEMANTIC = "temporal_action_segmentation_benchmark/tas_annotation/semantic_en.json"
SPLITS = "temporal_action_segmentation_benchmark/tas_annotation/splits"
FINE = "annotations/fine_annotation_trainvaltest_en.csv"


def _items(sample: Sample, path: str = META) -> list[str]:
    """Items as they are written, so that one can be replaced by text that is not JSON."""
    return [json.dumps(item) for item in json.loads(sample.get(path))]


def _index(sample: Sample, uid: str) -> int:
    return next(n for n, text in enumerate(_items(sample)) if uid in text)


def _put(sample: Sample, items: list[str], path: str = META) -> None:
    sample.put(path, f"[{', '.join(items)}]".encode())


def _changed(text: str, **values: str) -> str:
    """An item with values replaced by raw JSON text."""
    item: dict[str, Any] = json.loads(text)
    parts = {key: json.dumps(value) for key, value in item.items()} | values
    return "{" + ", ".join(f'"{key}": {value}' for key, value in parts.items()) + "}"


ITEMS: dict[str, tuple[dict[str, str] | str, str, str]] = {
    # name: (values or the whole item, rule, value)
    "NaN": ({"fps": "NaN"}, "unreadable_row", "NaN"),
    "Infinity": ({"num_frames": "-Infinity"}, "unreadable_row", "-Infinity"),
    "overflow": ({"num_frames": "1e999"}, "unreadable_row", "inf"),
    "huge whole number": ({"num_frames": "9" * 300}, "unreadable_row", "9" * 200),
    "longer than Python reads": ({"width": "9" * 5000}, "unreadable_row", "9" * 40),
    "beyond 64 bits": ({"width": "99999999999999999999"}, "unreadable_row", "99999999999999999999"),
    "half a pixel": ({"height": "480.5"}, "unreadable_row", "480.5"),
    "no pixel": ({"height": "0"}, "range:height_px", "0"),
    "negative frames": ({"num_frames": "-5"}, "range:duration_s", "-0.2"),
    "rate of zero": ({"fps": "0"}, "unreadable_row", "0.0"),
    "true as a rate": ({"fps": "true"}, "unreadable_row", "True"),
    "null as a rate": ({"fps": "null"}, "unreadable_row", "None"),
    "list as a rate": ({"fps": "[25]"}, "unreadable_row", "[25]"),
    "number as id": ({"video_uid": "12.5"}, "unreadable_row", "12.5"),
    "list as id": ({"video_uid": "[]"}, "unreadable_row", "[]"),
    "view unknown": ({"view": '"drone"'}, "one_of:view", "drone"),
    "view in capitals": ({"view": '"Ego"'}, "one_of:view", "Ego"),
    "view a number": ({"view": "7"}, "unreadable_row", "7"),
    "view an object": ({"view": "{}"}, "unreadable_row", "{}"),
    "view absent": ({"view": "null"}, "required:view", "None"),
    "task a list": ({"task": '["task1"]'}, "unreadable_row", "['task1']"),
    "half a surrogate": ({"task": '"\\ud800"'}, "unreadable_row", "\\ud800"),
    "key given twice": (
        '{"video_uid": "a", "view": "ego", "view": "exo"}',
        "unreadable_row",
        "view",
    ),
    "text for an object": ('"bee912e4"', "unreadable_row", "bee912e4"),
    "null for an object": ("null", "unreadable_row", "None"),
}


@pytest.mark.parametrize("name", sorted(ITEMS))
def test_a_broken_recording_takes_only_its_own_rows_along(sample: Sample, name: str) -> None:
    change, rule, value = ITEMS[name]
    uid = sample.uid["exo"]
    items, at = _items(sample), _index(sample, uid)
    items[at] = change if isinstance(change, str) else _changed(items[at], **change)
    _put(sample, items)
    sample.ingest()
    mine = [(r["row"], r["rule"], r["value"]) for r in sample.quarantine() if r["file"] == META]
    # A reader tells the place in the list, a contract the row's key.
    row = str(at) if rule == "unreadable_row" else uid
    assert mine == [(row, rule, None if value == "None" else value)]
    # Everything that names the recording is told, row by row, and nothing else is lost.
    told = {(r["table"], r["rule"]) for r in sample.quarantine() if r["file"] != META}
    if rule == "unreadable_row":  # its video and who followed it
        more = {("recordings", "unknown_recording")}
    else:
        more = {("recordings", "demonstration_of_a_wearer")} if "view" in rule else set()
    assert (
        told
        == {
            ("segments", "reference:recording_id"),
            ("splits", "reference:recording_id"),
        }
        | more
    )
    for table in ("recordings", "segments", "splits", "gaze_samples", "taxonomies"):
        expected = sample.before[table]
        if "recording_id" in expected.columns:
            expected = expected.filter(pl.col("recording_id") != uid)
        assert sample.rows(table).equals(expected), table
    lost = sample.before["segments"].filter(pl.col("recording_id") == uid).height
    assert sum(r["table"] == "segments" for r in sample.quarantine()) == lost > 20


def test_a_recording_listed_twice_is_there_once(sample: Sample) -> None:
    items = _items(sample)
    at = _index(sample, sample.uid["exo"])
    _put(sample, [*items, _changed(items[at], view='"ego"')])
    key = str({"source": "it", "recording_id": sample.uid["exo"]})
    sample.check([("recordings", META, sample.uid["exo"], "unique_key", key)])


def test_unknown_keys_and_other_order_are_no_fault(sample: Sample) -> None:
    items = [
        json.dumps(dict(reversed([*json.loads(text).items(), ("new", None)])))
        for text in _items(sample)
    ]
    _put(sample, items)
    sample.check([])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[",
        b"{}",
        b"null",
        b"\xff\xfe[\x00]\x00",
        b"[\xe9]",
        b"\x00\x00\x00\x00",
        b"[" * 200_000,
        b'{"a":' * 100_000,
        b'[{"video_uid": "bee9',
    ],
    ids=range(10),
)
def test_a_list_that_cannot_be_read_is_one_refusal(sample: Sample, data: bytes) -> None:
    sample.put(META, data)
    # All recordings would go: they stay until a person says that they may.
    sample.ingest()
    assert sample.rows("recordings").equals(sample.before["recordings"])
    assert [r["rule"] for r in sample.quarantine()] == ["unreadable_file"]
    sample.ingest(allow_deletes=True)
    said = sample.quarantine()
    assert [(r["row"], r["rule"]) for r in said if r["file"] == META] == [(None, "unreadable_file")]
    assert {r["rule"] for r in said} == {
        "unreadable_file",
        "reference:recording_id",
        "reference:first_recording_id",
        "unknown_recording",
    }
    assert sample.rows("recordings").is_empty()
    assert sample.rows("taxonomies").equals(sample.before["taxonomies"])


def test_a_truncated_list(sample: Sample) -> None:
    sample.put(META, sample.get(META)[:-20])
    sample.ingest()
    (said,) = [r for r in sample.quarantine() if r["file"] == META]
    assert (said["rule"], said["row"]) == ("unreadable_file", None)


def test_a_list_that_is_absent(sample: Sample) -> None:
    (sample.root / META).unlink()
    sample.ingest()
    rules = sorted(r["rule"] for r in sample.quarantine() if r["file"] == META)
    assert rules == ["file_gone", "file_missing"]
    assert sample.rows("recordings").equals(sample.before["recordings"])
    sample.ingest(allow_deletes=True)
    assert [r["rule"] for r in sample.quarantine() if r["file"] == META] == ["file_missing"]
    assert sample.rows("recordings").is_empty()


def test_what_refers_to_recordings_comes_back_with_them(sample: Sample) -> None:
    """Split lists are units of their own: they too are made anew when a recording comes or goes."""
    whole = sample.get(META)
    items = _items(sample)
    del items[_index(sample, sample.uid["exo"])]
    _put(sample, items)
    sample.ingest()
    assert sample.rows("splits").height == sample.before["splits"].height - 1
    sample.put(META, whole)
    sample.check([])


# -- vocabularies ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("item", "value"),
    [
        ('{"key": "Rest", "value": "x"}', "x"),
        ('{"key": "Rest", "value": 3}', "3"),
        ('{"key": "Rest", "value": "٣"}', "٣"),
        ('{"key": "Rest", "value": "' + "9" * 30 + '"}', "9" * 30),
        ('{"key": 5, "value": "3"}', "5"),
        ('{"key": ["a"], "value": "3"}', "['a']"),
        ('{"value": "3"}', "None"),
        ("[]", "[]"),
    ],
)
def test_a_broken_class_takes_its_steps_along(sample: Sample, item: str, value: str) -> None:
    items = _items(sample, SEMANTIC)
    # A class that the household shows.
    class_id = sample.before["segments"]["class_id"].drop_nulls().to_list()[0]
    at = next(n for n, i in enumerate(items) if json.loads(i)["value"] == str(class_id))
    items[at] = item
    _put(sample, items, SEMANTIC)
    lost = pl.col("class_id") == class_id
    sample.ingest()
    said = sample.quarantine()
    named = [(r["table"], r["row"], r["value"]) for r in said if r["file"] == SEMANTIC]
    assert named == [("taxonomies", str(at), None if value == "None" else value)]
    steps = [r for r in said if r["file"] != SEMANTIC]
    assert {(r["table"], r["rule"], r["value"]) for r in steps} == {
        ("segments", "unreadable_row", str(class_id))
    }
    before = sample.before["segments"]
    assert sample.rows("segments").equals(before.filter(~lost.fill_null(False)))
    assert len(steps) == before.filter(lost).height
    kept = sample.before["taxonomies"].filter(~(lost & (pl.col("taxonomy") == "coarse")))
    assert sample.rows("taxonomies").equals(kept)


# -- split lists -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (b"nobody.txt", "nobody.txt"),
        (b"caf\xe9.txt", "caf\\udce9.txt"),
        (b"a\0b", "a\\0b"),
        (b"../bee9.txt", "../bee9.txt"),
        (b"bee912e4-ac78-11ee-819f-80615f12b59e.txt.txt", None),
    ],
)
def test_a_broken_line_of_a_split_list(sample: Sample, line: bytes, value: str | None) -> None:
    path = f"{SPLITS}/exo_test_annotations.bundle"
    lines = sample.get(path).split(b"\n")
    sample.put(path, b"\n".join([*lines, b"", line, b""]))
    shown = line.decode() if value is None else value
    sample.check([("splits", path, str(len(lines) + 2), "unreadable_row", shown)])


@pytest.mark.parametrize("change", [lambda d: d.replace(b"\n", b"\r\n"), lambda d: d + b"\n\n"])
def test_other_ways_to_write_a_split_list(sample: Sample, change: Any) -> None:
    path = f"{SPLITS}/exo_test_annotations.bundle"
    sample.put(path, change(sample.get(path)))
    sample.check([])


def test_a_listed_recording_that_does_not_exist(sample: Sample) -> None:
    path = f"{SPLITS}/exo_val_annotations.bundle"
    stranger = "00000000-56c4-11ee-88ee-80615f12b59e"
    sample.put(path, f"{stranger}.txt".encode())
    key = f"source=it split_set=segmentation_exo split=val recording_id={stranger}"
    sample.check([("splits", path, key, "reference:recording_id", stranger)])


def test_a_recording_in_two_splits_is_in_the_most_protected(sample: Sample) -> None:
    path = f"{SPLITS}/ego_val_annotations.bundle"
    uid = sample.uid["released"]
    sample.put(path, f"{uid}.txt".encode())
    sample.ingest()
    (said,) = sample.quarantine()
    assert (said["table"], said["file"], said["row"], said["rule"], said["value"]) == (
        "recordings",
        path,
        "1",
        "contradicting_split",
        "val, also test",
    )
    assert sample.rows("recordings").equals(sample.before["recordings"])
    assert sample.rows("splits").height == sample.before["splits"].height + 1
