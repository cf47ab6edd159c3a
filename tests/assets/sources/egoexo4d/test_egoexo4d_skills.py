"""Proficiency of Ego-Exo4D: the documentation's record on the real list of takes, and what is wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.sources.egoexo4d import LAYOUT
from assets.sources.layout import PartFiles, Rows

DATA = "data/ego-exo4d"
FILE = "annotations/proficiency_demonstrator_{}.json"


@pytest.fixture
def documented(shared: Path) -> dict[str, Any]:
    """The record of the documentation; what stands around it there is no JSON."""
    text = (shared / DATA / "doc_examples/proficiency_estimation_1.jsonc.txt").read_text()
    found = re.search(r"\{.*\}(?=,)", text, re.DOTALL)
    assert found is not None
    return json.loads(found[0])


@pytest.fixture
def takes(shared: Path) -> list[dict[str, Any]]:
    return json.loads((shared / DATA / "samples/takes.json").read_text())


def read(takes: list[dict[str, Any]], **files: object) -> Rows:
    """What the part makes of proficiency files by split."""
    part = LAYOUT.part("skills")
    assert part is not None
    given = {"takes.json": json.dumps(takes).encode()} | {
        FILE.format(split): one if isinstance(one, bytes) else json.dumps(one).encode()
        for split, one in files.items()
    }
    assert all(part.claims(path) for path in given)
    return part.read(PartFiles("it", dict(sorted(given.items()))))


def levels(rows: Rows) -> list[tuple]:
    return rows.tables["skill_levels"].select("take_id", "level", "label", "split").rows()


def rules(rows: Rows) -> list[tuple[str, str]]:
    return [(r["rule"], r["value"]) for r in rows.refused]


@pytest.mark.parametrize("wrapped", [False, True])
def test_the_documented_record_of_a_real_take(
    documented: dict, takes: list[dict], wrapped: bool
) -> None:
    # The take of the example is not the one whose record is at hand.
    mine = takes[0] | {"take_uid": documented["take_uid"], "take_name": "uniandes_bouldering_028_7"}
    listed = [documented]
    made = read([mine], val={"annotations": listed} if wrapped else listed)
    assert made.refused == ()
    row = made.tables["skill_levels"].row(0, named=True)
    assert row == {
        "source": "it",
        "take_id": "uniandes_bouldering_028_7",
        "actor_id": str(takes[0]["participant_uid"]),
        "scale": "demonstrator proficiency",
        "task": "LosAndes_V2_R1",
        "level": 1,
        "label": "Early Expert",
        "split": "val",
        "source_file": "annotations/proficiency_demonstrator_val.json",
        "source_key": "000a19fe-776e-4c88-b0c3-2fad016a6025",
    }


def records(takes: list[dict], *labels: object) -> tuple[list[dict], list[dict]]:
    """As many takes as labels, and their records."""
    mine = [
        takes[0] | {"take_uid": f"uid{n}", "take_name": f"take_{n}", "participant_uid": n}
        for n in range(len(labels))
    ]
    said = [
        {"take_uid": f"uid{n}", "task_name": "t", "proficiency_score": label}
        for n, label in enumerate(labels)
    ]
    return mine, said


def test_four_levels_in_order(takes: list[dict]) -> None:
    names = ("Novice", "Early Expert", "Intermediate Expert", "Late Expert")
    mine, said = records(takes, *names)
    made = read(mine, train=said[:2], val=said[2:])
    assert levels(made) == [
        ("take_0", 0, "Novice", "train"),
        ("take_1", 1, "Early Expert", "train"),
        ("take_2", 2, "Intermediate Expert", "val"),
        ("take_3", 3, "Late Expert", "val"),
    ]
    assert made.refused == ()


@pytest.mark.parametrize("label", ["Expert", "", None, 3, "novice"])
def test_a_level_without_a_known_name(takes: list[dict], label: object) -> None:
    mine, said = records(takes, "Novice", label)
    made = read(mine, train=said)
    assert [row[0] for row in levels(made)] == ["take_0"]
    assert [rule for rule, _ in rules(made)] == ["unreadable_row"]


def test_a_take_told_twice(takes: list[dict]) -> None:
    mine, said = records(takes, "Novice", "Late Expert")
    other = said[1] | {"proficiency_score": "Novice"}
    made = read(mine, train=said, val=[said[0], other])
    assert levels(made) == [("take_0", 0, "Novice", "train")]
    assert rules(made) == [("take_twice", "Novice"), ("contradicting_level", "Novice")]


def test_takes_that_are_not_here_and_records_that_are_none(takes: list[dict]) -> None:
    mine, said = records(takes, "Novice", "Novice")
    made = read(mine[:1], train=[*said, "take_1", {"proficiency_score": "Novice"}])
    assert levels(made) == [("take_0", 0, "Novice", "train")]
    assert [rule for rule, _ in rules(made)] == ["unknown_take", "unreadable_row", "unreadable_row"]


def test_a_performer_without_a_number(takes: list[dict]) -> None:
    mine, said = records(takes, "Novice", "Novice")
    for take in mine:
        del take["participant_uid"]
    said[0] |= {"university_id": "ego4d-unc", "origin_participant_id": "30"}
    made = read(mine, train=said)
    assert made.tables["skill_levels"]["actor_id"].to_list() == ["ego4d-unc/30"]
    assert [rule for rule, _ in rules(made)] == ["unknown_performer"]


@pytest.mark.parametrize("data", [b"{", b'"list"', b'{"annotations": {}}'])
def test_a_file_that_is_no_list(takes: list[dict], data: bytes) -> None:
    mine, said = records(takes, "Novice")
    made = read(mine, train=data, val=said)
    assert len(levels(made)) == 1
    assert [r["rule"] for r in made.refused] == ["unreadable_file"]


def test_the_published_test_list_gives_no_levels(shared: Path) -> None:
    listed = json.loads((shared / DATA / "demonstrator_proficiency_test_v2.json").read_text())
    assert all(isinstance(name, str) for name in listed)
    assert not LAYOUT.knows("annotations/demonstrator_proficiency_test_v2.json")
    assert not LAYOUT.knows("annotations/proficiency_demonstration_val.json")


def test_frames_are_polars(takes: list[dict]) -> None:
    made = read(records(takes, "Novice")[0])
    assert made.tables["skill_levels"].schema["level"] == pl.Int64
