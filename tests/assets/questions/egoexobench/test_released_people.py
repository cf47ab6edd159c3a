"""Questions about people from the released annotations: CVMHAT's boxes, TF2023's lists."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import polars as pl
import pytest

from assets.questions.egoexobench.boxed_people import DISTRACTORS, LEAST_HEIGHT, MOST
from assets.questions.egoexobench.egocentric_wearer_identification import BUILDER as WEARER
from assets.questions.egoexobench.person_relation import BUILDER as PERSON
from assets.sources.cvmhat import LAYOUT as CVMHAT
from assets.sources.layout import PartFiles
from assets.sources.tf2023 import LAYOUT as TF2023
from expectations.gates import EvidenceTables, judge, published
from expectations.schemas import TABLES

TAKE = "V0-S_canteen_0-G_1"
# The paper's Figure 6.
ASKED_IN_PAPER = 534
Tables = dict[str, pl.DataFrame]


@pytest.fixture(scope="module")
def canteen(shared: Path) -> Tables:
    """The first released take of CVMHAT, without pictures."""
    files = {}
    with zipfile.ZipFile(shared / "data/cvmhat/CVMHAT_dataset-anno/GT_txt.zip") as archive:
        for view in ("hor", "top"):
            name = f"GT_txt/{TAKE}_{view}.txt"
            files[name] = archive.read(name)
    part = CVMHAT.part("recordings")
    assert part is not None
    tables = dict(part.read(PartFiles("real", files, {}, None)).tables)
    boxes = CVMHAT.part("objects")
    assert boxes is not None
    found = [
        boxes.read(PartFiles("real", {name: data}, {}, {"recording_id": Path(name).stem}))
        for name, data in files.items()
    ]
    tables["boxes"] = pl.concat([rows.tables["boxes"] for rows in found])
    tables["listed_people"] = TABLES["listed_people"].empty()
    return tables


def test_released_boxes_make_questions_that_the_gates_publish(canteen: Tables) -> None:
    made = PERSON.make({name: canteen[name] for name in PERSON.reads})
    assert made.height == MOST
    assert made["media_present"].any() is False
    some = made.head(8).with_columns(pool=pl.lit("real/") + pl.col("recipe") + "/take")
    verdicts = judge(some, EvidenceTables(canteen, protocols={"direct": "midpoints(8)"}))
    refused = verdicts.filter(pl.col("verdict") == "refuse")
    assert refused.select("gate", "rule", "message").rows() == []
    assert published(some, verdicts).height == some.height


def test_released_lists_name_the_wearer_as_counted_by_hand(shared: Path) -> None:
    """Of the pairs with four people or more, all of the second list and most of the first can be asked about."""
    counts = {}
    for name in ("train", "eval"):
        pairs = json.loads((shared / f"data/tf2023/TF2023{name}.json").read_bytes())
        enough = [pair for pair in pairs if len(pair[4]) > DISTRACTORS]
        counts[name] = (len(enough), sum(pair[3] not in pair[4] for pair in enough))
    assert counts == {"train": (43982, 326), "eval": (18574, 0)}


def test_as_many_scenes_as_released_make_as_many_questions_as_the_paper_has(shared: Path) -> None:
    """The released second list; its people get boxes side by side, since no outline is released with it."""
    path = "TF2023eval.json"
    files = {path: (shared / "data/tf2023" / path).read_bytes()}
    tables: Tables = {}
    for name in ("recordings", "people"):
        part = TF2023.part(name)
        assert part is not None
        tables |= part.read(PartFiles("real", files, {}, None)).tables
    tables["boxes"] = _side_by_side(tables["listed_people"])
    tables["images"] = TABLES["images"].empty()
    count = 0
    for _, members in tables["recordings"].group_by("take_id", maintain_order=True):
        ids = members["recording_id"].implode()
        read = {n: tables[n].filter(pl.col("recording_id").is_in(ids)) for n in WEARER.reads}
        count += WEARER.make(read).height
    assert count >= ASKED_IN_PAPER


def _side_by_side(listed: pl.DataFrame) -> pl.DataFrame:
    """A box of everybody who is listed, in the order of the list."""
    key = ["source", "recording_id", "source_frame"]
    people = listed.unique(key, maintain_order=True).select(*key, person_id="people")
    place = pl.int_range(pl.len()).over(key) * 0.15
    rows = people.explode("person_id").with_columns(
        box_id=pl.format("{}/{}/{}", "recording_id", "source_frame", "person_id"),
        class_name=pl.lit("person"),
        image_space=pl.lit("stored"),
        x_min=place + 0.02,
        x_max=place + 0.12,
        y_min=pl.lit(0.4),
        y_max=pl.lit(0.4 + 5 * LEAST_HEIGHT),
        clipped=pl.lit(value=False),
        raw=pl.lit([], dtype=pl.List(pl.Float64)),
        raw_form=pl.lit("polygon_px"),
        method=pl.lit("mask"),
        source_file=pl.lit(""),
        source_key=pl.lit(""),
    )
    return TABLES["boxes"].fit(rows)
