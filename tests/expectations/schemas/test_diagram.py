"""The diagram of the tables is what the declarations say."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import polars as pl

from expectations.schemas import TABLES
from expectations.schemas.core import Column, Table
from expectations.schemas.diagram import diagram, references

SVG = "{http://www.w3.org/2000/svg}"
TEXT = pl.String()
PEOPLE = Table(
    "people", "a", "person <p>", (Column("source", TEXT, "x"), Column("person", TEXT, "x")),
    key=("source", "person"), unit="person",
)  # fmt: skip
PETS = Table(
    "pets", "b", "pet",
    (Column("pet", TEXT, "x"), Column("owner", TEXT, "x", refers_to="people.person")),
    key=("pet",), unit="pet",
)  # fmt: skip


def test_every_table_is_a_box_with_its_key() -> None:
    root = ET.fromstring(diagram(TABLES.values()))
    names = [e.text for e in root.iter(f"{SVG}text") if e.get("class") == "name"]
    assert sorted(map(str, names)) == sorted(TABLES)
    keys = [e.text for e in root.iter(f"{SVG}text") if e.get("class") == "key"]
    assert len(keys) == sum(len(table.key) for table in TABLES.values())


def test_no_two_boxes_overlap() -> None:
    root = ET.fromstring(diagram(TABLES.values()))
    boxes = [
        tuple(int(e.get(side, "")) for side in ("x", "y", "width", "height"))
        for e in root.iter(f"{SVG}rect")
        if e.get("class") == "box"
    ]
    for i, (x, y, width, height) in enumerate(boxes):
        for left, top, wide, high in boxes[i + 1 :]:
            apart = x + width <= left or left + wide <= x or y + height <= top or top + high <= y
            assert apart


def test_declared_references_are_lines_and_boxes_are_links() -> None:
    svg = diagram([PEOPLE, PETS], "tables.html#{name}")
    assert "pets.owner in people.person" in svg
    assert svg.count('<path class="line"') == 1
    assert re.findall(r'<a href="([^"]+)">', svg) == ["tables.html#people", "tables.html#pets"]
    assert "person &lt;p&gt;" in svg


def test_shared_keys_refer_to_the_table_that_they_identify() -> None:
    tables = TABLES.values()
    assert references(TABLES["labels"], tables)["segment_id"] == ("segments", "segment_id")
    assert references(TABLES["frames"], tables)["recording_id"] == ("recordings", "recording_id")
    assert "recording_id" not in references(TABLES["recordings"], tables)
