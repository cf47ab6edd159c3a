"""Question files of EgoCross's and EgoSchema's form: what is read against what was asked."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from assets.sources.egocross import LAYOUT as EGOCROSS
from assets.sources.egoschema import LAYOUT as EGOSCHEMA
from resources.worlds.animal import egocross_testbed as egocross
from resources.worlds.animal.egocross_testbed import write_egocross_testbed
from resources.worlds.animal.truth import AnimalSpec
from resources.worlds.flat import FlatSpec, egoschema
from resources.worlds.flat.egoschema import write_egoschema
from tests.assets.sources.reading_parts import medium, read_parts

PATH = AnimalSpec(clips=3, seed="asked", render="small")
FLAT = FlatSpec("lemma", takes=4, seed="asked", render="none")


@pytest.fixture(scope="module")
def testbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("testbed")
    write_egocross_testbed(PATH, folder, workers=1)
    return folder


def test_the_testbed_is_read_as_it_was_asked(testbed: Path) -> None:
    pictures = sorted(str(p.relative_to(testbed)) for p in testbed.rglob("*.jpg"))
    files = {egocross.LIST: (testbed / egocross.LIST).read_bytes()}
    read = read_parts(EGOCROSS, files, [medium(path) for path in pictures])
    questions = egocross.asked(PATH)
    rows = read.rows("imported_questions").sort("source_key").rows(named=True)
    by_number = {int(row["released_id"]): row for row in rows}
    assert set(by_number) == set(range(1, len(questions) + 1))
    for number, one in enumerate(questions, 1):
        row = by_number[number]
        assert (row["text"], tuple(row["options"]), row["answer"]) == (one.text, one.options, None)
        assert (row["subtask"], row["domain"]) == (one.kind, one.dataset)
        assert len(row["media"][0]["paths"]) == len(one.times)
    # Sorted options give nothing away of the directions, and are told.
    assert {r["options_sorted"] for r in rows if r["subtask"].startswith("next")} == {True}
    assert read.rules() == Counter(egocross.REFUSED)
    assert read.rows("images").height == len(pictures) == sum(len(q.times) for q in questions) - 1
    assert set(read.rows("recordings")["time_base"]) == {"index_only"}


def test_pictures_show_what_is_asked_about(testbed: Path) -> None:
    last = [
        (q.options[q.right], np.asarray(Image.open(testbed / q.folder / "frame_00002.jpg")))
        for q in egocross.asked(PATH)
        if q.kind == "animal identification"
    ]
    assert len({name for name, _ in last}) == 3
    assert all(picture.shape == (52, 88, 3) and picture.std() > 5 for _, picture in last)
    assert np.abs(last[0][1].astype(int) - last[1][1]).mean() > 5


def test_egoschema_is_read_as_it_was_asked(tmp_path: Path) -> None:
    write_egoschema(FLAT, tmp_path)
    files = {path.name: path.read_bytes() for path in tmp_path.glob("*.json")}
    questions = egoschema.asked(FLAT)
    media = [medium(f"videos/{one.uid}.mp4", one.duration_s) for one in questions]
    read = read_parts(EGOSCHEMA, files, media)
    rows = {row["released_id"]: row for row in read.rows("imported_questions").rows(named=True)}
    assert rows.keys() == {one.uid for one in questions}
    for one in questions:
        row = rows[one.uid]
        assert tuple(row["options"]) == one.options
        assert row["answer"] == ([one.right] if one.public else None)
        assert one.take.task in one.options[one.right]
    clocks = dict(read.rows("clocks").select("recording_id", "offset_s").iter_rows())
    assert clocks == {one.uid: one.start_s for one in questions}
    assert read.rules() == Counter(egoschema.REFUSED)
