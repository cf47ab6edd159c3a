"""Tables of a source like ENIGMA-51 put down by hand: which hand meets or leaves which thing, and when."""

from __future__ import annotations

from expectations.schemas import TABLES
from tests.assets.questions.egocross.animals import Row, Tables, recording, segment

Point = tuple[str, str | None, str | None, float]


def point_rows(recorded: str, points: list[Point]) -> tuple[list[Row], list[Row]]:
    """Rows of `segments` and `relations`; a hand or thing that is None is in no row."""
    segments, relations = [], []
    for verb, hand, thing, at in points:
        row = segment(recorded, verb, at, at) | {"is_point": True}
        row["segment_id"] = uid = f"{recorded}/{verb}/{hand}/{thing}/{at:g}"
        segments.append(row)
        fixed = {
            "source": "s", "recording_id": recorded, "segment_id": uid, "hand_side": hand,
            "source_file": "f", "source_key": "k",
        }  # fmt: skip
        if hand is not None:
            relations.append(
                fixed | {"relation_id": f"{uid}/verb", "relation": "verb", "object": verb}
            )
        if thing is not None:
            direct = {"relation": "direct object", "object": thing, "role": "direct"}
            relations.append(fixed | direct | {"relation_id": f"{uid}/direct object"})
    return segments, relations


def benches(points: dict[str, list[Point]], length: float | None = 40.0) -> Tables:
    """Recordings with their points."""
    rows = [point_rows(uid, own) for uid, own in points.items()]
    return {
        "recordings": TABLES["recordings"].frame(
            [recording(uid, duration_s=length) for uid in points]
        ),
        "segments": TABLES["segments"].frame([s for own, _ in rows for s in own]),
        "relations": TABLES["relations"].frame([r for _, own in rows for r in own]),
    }
