"""Charades-Ego: traps on made-up lists, and the released lists against a reader of their own."""

from __future__ import annotations

import csv
from hashlib import sha256
from pathlib import Path

import pytest

from assets.sources.charades_ego import LAYOUT
from assets.sources.layout import Medium, Rows
from tests.assets.sources.reading_parts import parts_of, sound

HEAD = "id,subject,scene,quality,relevance,verified,script,objects,descriptions,actions,length"
V1 = f"{HEAD},egocentric,charades_video"
ASKED = 10


def read(files: dict[str, bytes], media: tuple[Medium, ...] = ()) -> dict[str, Rows]:
    return parts_of(LAYOUT, files, media)


def lines(head: str, *rows: str) -> bytes:
    return "\r\n".join((head, *rows, "")).encode()


def test_a_pair_is_two_takes_tied_by_re_enactment_and_view_is_what_version_1_says():
    files = {
        "CharadesEgo/CharadesEgo_v1_train.csv": lines(
            V1,
            "AAAAA,S1,Kitchen,6,7,Yes,x,cup,One.;Two.,c001 0 5;c001 2.5 9.75,10,No,",
            "BBBBBEGO,S1,Kitchen,6,7,Yes,x,cup,One.,,12.5,Yes,AAAAA",
        ),
        # The same videos again, one view alone.
        "CharadesEgo/CharadesEgo_v1_train_only1st.csv": lines(
            V1, "BBBBBEGO,S1,Kitchen,6,7,Yes,x,cup,One.,,12.5,Yes,AAAAA"
        ),
    }
    media = (Medium("CharadesEgo_v1_480/AAAAA.mp4", 5, "h", 10.04),)
    rows = read(files, media)
    recordings = rows["recordings"].tables["recordings"]
    assert recordings.select("recording_id", "take_id", "view", "media", "split").rows() == [
        ("AAAAA", "AAAAA", "exo", "present", "train"),
        ("BBBBBEGO", "BBBBBEGO", "ego", "missing", "train"),
    ]
    links = rows["recordings"].tables["take_links"]
    assert links.select("take_id", "link", "other_take_id").rows() == [
        ("BBBBBEGO", "re_enacts", "AAAAA")
    ]
    segments = rows["segments"].tables["segments"]
    assert segments.select("segment_id", "kind", "start_s", "end_s", "class_id").rows() == [
        ("AAAAA/c001/0-5", "action", 0.0, 5.0, 1),
        ("AAAAA/c001/2.5-9.75", "action", 2.5, 9.75, 1),
        ("AAAAA/description/0", "scene", 0.0, 10.0, None),
        ("AAAAA/description/1", "scene", 0.0, 10.0, None),
        ("BBBBBEGO/description/0", "scene", 0.0, 12.5, None),
    ]
    assert not rows["recordings"].refused
    assert not rows["segments"].refused


def test_an_action_is_cut_to_its_video_and_refused_where_nothing_is_left():
    said = "c001 3 12;c002 11 12;c003 5 5;c004 7;c004 1 2"
    files = {"CharadesEgo_v0_train.csv": lines(HEAD, f"AAAAA,,,,,,,,,{said},10")}
    rows = read(files)["segments"]
    assert rows.tables["segments"].select("class_id", "end_s", "stated_end_s").rows() == [
        (1, 10.0, 12.0),
        (4, 2.0, None),
    ]
    assert [r["value"] for r in rows.refused] == ["c002 11 12", "c003 5 5", "c004 7"]
    assert {r["recording_id"] for r in rows.refused} == {"AAAAA"}


def test_a_video_in_two_splits_keeps_the_first_and_says_so():
    row = "AAAAA,,,,,,,,,,10"
    files = {f"CharadesEgo_v0_{s}.csv": lines(HEAD, row) for s in ("train", "test")}
    rows = read(files)["recordings"]
    assert rows.tables["recordings"]["split"].to_list() == ["test"]
    (told,) = rows.refused
    assert (told["rule"], told["recording_id"]) == ("contradicting_split", "AAAAA")


@pytest.mark.parametrize("row", ["../x,,,,,,,,,,10", "AAAAA,,,,,,,,,,0", "AAAAA,,,,,,,,,,long"])
def test_a_row_that_is_no_video_is_refused(row):
    rows = read({"CharadesEgo_v0_train.csv": lines(HEAD, row, "BBBBB,,,,,,,,,,1")})["recordings"]
    assert rows.tables["recordings"]["recording_id"].to_list() == ["BBBBB"]
    assert len(rows.refused) == 1


def test_classes():
    rows = read({"Charades_v1_classes.txt": b"c000 Holding some clothes\nc01 Broken\n"})
    taxonomies = rows["taxonomies"]
    assert taxonomies.tables["taxonomies"].select("class_id", "label").rows() == [
        (0, "Holding some clothes")
    ]
    assert [r["value"] for r in taxonomies.refused] == ["c01 Broken"]


def test_the_released_lists(shared: Path):
    root = shared / "data/charades-ego"
    rows = read({p.name: p.read_bytes() for p in root.iterdir()})
    sound(rows)
    recordings = rows["recordings"].tables["recordings"]
    assert recordings.height == 9597 + 2043 + 103
    assert dict(recordings.group_by("view").len().rows()) == {"exo": 9597 + 2043, "ego": 103}
    assert rows["recordings"].tables["take_links"].height == 103
    assert rows["taxonomies"].tables["taxonomies"].height == 157
    assert len(rows["segments"].refused) == 7
    segments = rows["segments"].tables["segments"]
    for name in ("train", "test", "egocentric_test"):
        with (root / f"CharadesEgo_v0_{name}.csv").open(newline="") as file:
            raw = {row["id"]: row for row in csv.DictReader(file)}
        chosen = sorted(raw, key=lambda uid: sha256(uid.encode()).digest())[:ASKED]
        mine = segments.filter(kind="action").filter(
            segments.filter(kind="action")["recording_id"].is_in(chosen)
        )
        made = sorted(mine.select("recording_id", "class_id", "start_s", "end_s").rows())
        expected = sorted(
            (uid, int(cls[1:]), float(start), min(float(end), float(raw[uid]["length"])))
            for uid in chosen
            for cls, start, end in (a.split() for a in raw[uid]["actions"].split(";") if a)
        )
        assert made == expected
        assert any(expected)
