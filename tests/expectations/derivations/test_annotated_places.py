"""Where things are by movements that annotators state, as the gates derive it."""

from __future__ import annotations

from typing import Any

import pytest

from expectations.derivations.thing_places import place_at
from expectations.gates import EvidenceTables
from expectations.schemas import TABLES

KEY = {"source": "s", "recording_id": "r"}
SPANS = {"g1": (2.0, 4.0), "g2": (6.0, 8.0), "g3": (12.0, 14.0)}


def tables(second: str = "put", **track: Any) -> EvidenceTables:
    """A cup is taken, put or put on, and a pan is washed; one movement of the cup is annotated."""
    done = {"g1": ("take", "cup"), "g2": (second, "cup"), "g3": ("wash", "pan")}
    rows = [
        KEY
        | {"segment_id": uid, "relation_id": f"{uid}|{joint}", "relation": joint}
        | {"subject": subject, "object": thing, "role": role}
        for uid, (verb, name) in done.items()
        for subject, joint, thing, role in (
            ("camera wearer", "verb", verb, None),
            (verb, "direct object", name, "direct"),
        )
    ]
    spans = [KEY | {"segment_id": u, "start_s": a, "end_s": b} for u, (a, b) in SPANS.items()]
    move = KEY | {"track_id": "t1", "name": "Cup", "moves": True, "start_s": 3.0, "end_s": 7.0}
    move |= {"start_place": "P01_fridge.001", "end_place": "P01_kitchen_table.002"} | track
    given = {"relations": rows, "segments": spans, "tracks": [move]}
    return EvidenceTables({name: TABLES[name].frame(rows) for name, rows in given.items()})


@pytest.mark.parametrize(
    ("t_s", "words"),
    [(2.0, ["at the fridge"]), (3.0, []), (7.9, []), (9.0, ["at the kitchen table"])],
)
@pytest.mark.parametrize("second", ["put", "put-on"])
def test_a_thing_is_where_its_movement_begins_and_ends(
    t_s: float, words: list[str], second: str
) -> None:
    assert [at.words for at in place_at("r", ("cup",), t_s, tables(second))] == words


@pytest.mark.parametrize(
    "track",
    [{"name": "mug"}, {"moves": False}, {"end_s": 8.6}, {"end_place": None}],
    ids=["another thing", "no movement", "0.6 s beside", "no fixture"],
)
def test_nothing_is_known_where_no_movement_fits(track: dict[str, Any]) -> None:
    assert place_at("r", ("cup",), 9.0, tables(**track)) == []
