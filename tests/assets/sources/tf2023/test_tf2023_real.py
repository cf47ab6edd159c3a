"""TF2023's released lists, against the same files read by other means."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from assets.sources.layout import PartFiles, Rows
from assets.sources.tf2023 import LAYOUT
from expectations.contracts import check
from expectations.schemas import TABLES

Items = dict[str, list[list[str]]]


@pytest.fixture(scope="module")
def root(shared: Path) -> Path:
    return shared / "data/tf2023"


@pytest.fixture(scope="module")
def items(root: Path) -> Items:
    return {s: json.loads((root / f"TF2023{s}.json").read_text()) for s in ("train", "eval")}


@pytest.fixture(scope="module")
def made(root: Path) -> dict[str, Rows]:
    files = {f"TF2023{s}.json": (root / f"TF2023{s}.json").read_bytes() for s in ("train", "eval")}
    began = time.process_time()
    rows = {
        part.name: part.read(PartFiles("real", files))
        for part in LAYOUT.parts
        if all(part.claims(path) for path in files)
    }
    assert time.process_time() - began < 12
    assert rows.keys() == {"recordings", "people", "splits"}
    return rows


@pytest.fixture(scope="module")
def people(made: dict[str, Rows]) -> pl.DataFrame:
    return made["people"].tables["listed_people"]


def test_every_item_is_a_row(people: pl.DataFrame, made: dict[str, Rows]) -> None:
    assert made["people"].refused == ()
    assert Counter(people["split"]) == {"train": 47_335, "test": 21_689}
    assert check(TABLES["listed_people"], people).refused == []


def test_pairs_that_lack_their_wearer(people: pl.DataFrame) -> None:
    lacking = people.filter(~pl.col("people").list.contains(pl.col("wearer_id")))
    assert lacking.height == 1_039
    # Four people of whom one is the wearer: what a question needs.
    fit = people.filter(
        pl.col("people").list.contains(pl.col("wearer_id")) & (pl.col("people").list.len() >= 4)
    )
    assert fit.height > 60_000


def test_ten_items_of_each_list(people: pl.DataFrame, items: Items) -> None:
    for name, listed in items.items():
        asked = sorted(
            listed, key=lambda item: hashlib.sha256(" ".join(item).encode()).hexdigest()
        )[:10]
        keys = [f"{i[0]}/{i[1][:5]}/{i[3]}" for i in asked]
        rows = people.filter(pl.col("source_key").is_in(keys)).to_dicts()
        keyed = {r["source_key"]: r for r in rows}
        for scene, file, camera, worn, ids in asked:
            row = keyed[f"{scene}/{file[:5]}/{worn}"]
            assert row["recording_id"] == f"{scene}_{camera}"
            assert row["ego_recording_id"] == f"{scene}_{worn}"
            assert (row["source_frame"], row["raw"]) == (int(file[:5]), ids)
            assert row["people"] == [f"{scene}/{one}" for one in ids]
            assert row["wearer_id"] == f"{scene}/{worn}"
            assert row["source_file"] == f"TF2023{name}.json"


def test_recordings_and_splits(made: dict[str, Rows], items: Items) -> None:
    table = made["recordings"].tables["recordings"]
    expected = {
        f"{i[0]}_{camera}" for listed in items.values() for i in listed for camera in i[2:4]
    }
    assert set(table["recording_id"]) == expected and len(expected) == 105
    assert dict(table.group_by("view").len().rows()) == {"exo": 35, "ego": 70}
    worn = table.filter(pl.col("view") == "ego")
    assert (worn["person_id"] == worn["recording_id"].str.replace("_", "/")).all()
    splits = made["splits"].tables["splits"]
    assert Counter(splits["split"]) == {"train": 69, "test": 36}
    assert dict(splits.select("recording_id", "split").rows()) == dict(
        table.select("recording_id", "split").rows()
    )
    first = splits.filter(pl.col("recording_id") == "10_2")["position"].item()
    assert items["train"][first][0] == "10" and items["train"][first][3] == "2"
    assert all(i[0] != "10" or i[3] != "2" for i in items["train"][:first])
