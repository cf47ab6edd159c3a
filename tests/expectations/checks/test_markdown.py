"""Markdown of checks: text of data stays text, plots are pictures without a life of their own."""

from __future__ import annotations

import base64
import re
from xml.etree import ElementTree as ET

import pytest

from expectations.checks.drawing import histogram, stacked
from expectations.checks.markdown import cell, picture, table

HOSTILE = (
    "<script>alert(1)</script> ![x](http://e/x.png) [y](javascript:z) | `q` **b** _i_ \\| a\nb"
)
SVG = "{http://www.w3.org/2000/svg}"


def _drawing(said: str) -> ET.Element:
    found = re.fullmatch(r"!\[[^\]]*\]\(data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)\)", said)
    assert found is not None, said[:80]
    return ET.fromstring(base64.b64decode(found[1]))


def test_text_of_data_has_no_markup() -> None:
    said = table(("a", HOSTILE), [{"a": HOSTILE}, {"a": 0.123456, HOSTILE: None}])
    lines = said.split("\n")
    assert len(lines) == 4
    # Three borders a line: no bar of the data is one.
    assert {line.count("|") for line in lines} == {3}
    assert not re.search(r"[<>\[\]`*_!\\]", said.replace("|---|---|", ""))
    assert "javascript:" not in said
    assert lines[3] == "| 0.1235 |  |"


def test_long_texts_and_tables_are_cut_and_say_so() -> None:
    assert cell("x" * 500, 20) == "x" * 19 + "…"
    said = table(("n",), [{"n": i} for i in range(30)], most=5)
    assert said.endswith("25 more are not shown.")
    assert said.count("\n") == 8
    assert table(("n",), []) == "none"


def test_histogram_draws_counts_and_limits() -> None:
    drawing = _drawing(
        picture("residual", histogram("residual", [0.0, 1.0, 2.0, 4.0], [2, 8, 0], (None, 2.0)))
    )
    bars = [float(r.attrib["height"]) for r in drawing.findall(f"{SVG}rect")[1:]]
    assert bars == [27.5, 110.0, 0.0]
    lines = [p.attrib["d"] for p in drawing.findall(f"{SVG}path")]
    assert lines[0].startswith("M210.0 ")
    with pytest.raises(ValueError, match="3 borders for 3 counts"):
        histogram("x", [0.0, 1.0, 2.0], [1, 2, 3])


def test_stacked_bars_show_every_verdict() -> None:
    drawing = _drawing(
        picture("[x]", stacked([("<b>leak", {"pass": 30, "refuse": 10}), ("margin", {})], "a<b"))
    )
    widths = [r.attrib["width"] for r in drawing.findall(f"{SVG}rect")]
    # Background, then the bars of the first row: 320 for the longest row of 40.
    assert widths[1:3] == ["240.0", "80.0"]
    assert "<b>leak" in [t.text for t in drawing.findall(f"{SVG}text")]
    assert not drawing.findall(f".//{SVG}script")
