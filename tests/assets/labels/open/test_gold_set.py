"""The gold narrations follow their guidelines, and every excerpt still holds what was annotated."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from tests.assets.labels.open.gold_set import GOLD, STYLES, hash_narration, read_gold

ROLES = {"direct", "recipient", "tool", "source", "target", "location"}
STATUS = {"done", "attempted", "negated", "stopped", "about_to"}
PARTS = {
    "left_hand",
    "right_hand",
    "both_hands",
    "unspecified_hand",
    "left_foot",
    "right_foot",
    "feet",
}
PARTS |= {"unspecified_foot", "leg", "arm", "head", "torso", "none"}
DIRECTIONS = {
    "left",
    "right",
    "up",
    "down",
    "forward",
    "backward",
    "back",
    "away",
    "towards",
    "around",
    "in",
    "out",
}
DIRECTIONS |= {
    "clockwise",
    "anticlockwise",
    "over",
    "across",
    "through",
    "together",
    "apart",
    "aside",
    None,
}


def test_every_event_uses_the_values_of_the_guidelines() -> None:
    """Verb, status, body part, direction, roles and counts."""
    for row in (
        json.loads(line)
        for path in GOLD.glob("*.jsonl")
        for line in path.read_text("utf-8").splitlines()
    ):
        for event in row["events"]:
            assert set(event) == {"verb", "actor", "status", "body_part", "direction", "objects"}, (
                row["id"]
            )
            assert event["verb"], row["id"]
            assert event["verb"] == event["verb"].lower(), row["id"]
            assert event["status"] in STATUS, row["id"]
            assert event["body_part"] in PARTS, row["id"]
            assert event["direction"] in DIRECTIONS, row["id"]
            for thing in event["objects"]:
                assert set(thing) == {"noun", "role", "count"}, row["id"]
                assert thing["noun"], row["id"]
                assert thing["role"] in ROLES, row["id"]
                assert thing["count"] is None or thing["count"] > 0, row["id"]


def test_all_excerpts_are_found_and_no_narration_comes_twice(shared: Path) -> None:
    """At least 800 narrations, about 100 or more per style, parted by their hashes."""
    rows = read_gold(shared / "data")
    assert len(rows) >= 800
    assert min(Counter(row["style"] for row in rows).values()) >= 100
    assert {path.stem for path in GOLD.glob("*.jsonl")} == set(STYLES)
    assert (
        len({row["narration"].lower() for row in rows})
        == len({row["id"] for row in rows})
        == len(rows)
    )
    for row in rows:
        if row.get("round") == 8:
            assert row["part"] == "held_out_3", row["id"]
            continue
        odd = int(hash_narration(row["narration"]), 16) % 2
        kept_back = {None: "held_out", 7: "held_out_2"}.get(row.get("round"), "build")
        assert row["part"] == (kept_back if odd else "build"), row["id"]
