"""Tables of a source like ENIGMA-51 put down by hand: which hand meets or leaves which thing, and when."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from expectations.schemas import TABLES
from tests.assets.questions.egocross.animals import Row, Tables, recording, segment
from tests.assets.questions.egocross.surgeries import box

Point = tuple[str, str | None, str | None, float]
Seen = Mapping[str, Iterable[float]]
FPS = 30
REFINED = {
    "left_red_button": "button",
    "right_red_button": "button",
    "low_voltage_board": "board",
    "high_voltage_board": "board",
}


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


def repairs(
    seen: Mapping[str, Seen],
    length: int = 10,
    points: Mapping[str, list[Point]] | None = None,
    annotated: Mapping[str, Iterable[float]] | None = None,
    refined: Mapping[str, str] = REFINED,
) -> Tables:
    """Recordings in which things are boxed at some instants, and what they count as.

    Args:
        seen: Instants at which each class is boxed, by recording.
        length: Length of each recording, in seconds.
        points: What hands do, by recording.
        annotated: Instants at which everything is boxed, where these are not all whole seconds.
        refined: What classes count as.
    """
    boxes = [
        box(
            uid,
            0,
            name,
            None,
            box_id=f"{uid}/{t:g}/{name}",
            source_frame=round(FPS * t),
            t_s=float(t),
        )
        for uid, things in seen.items()
        for name, times in things.items()
        for t in times
    ]
    frames = [
        {"source": "s", "recording_id": uid, "what": "objects", "source_frame": round(FPS * t),
         "t_s": float(t)}
        for uid in seen
        for t in (annotated or {}).get(uid, range(length))
    ]  # fmt: skip
    names = sorted({name for things in seen.values() for name in things} | refined.keys())
    classes = [
        {"source": "s", "taxonomy": "object", "class_id": n, "label": name, "terms": [name],
         "refined": refined.get(name, name), "source_file": "f"}
        for n, name in enumerate(names, 1)
    ]  # fmt: skip
    given = benches({uid: (points or {}).get(uid, []) for uid in seen}, float(length))
    stated = given["recordings"].with_columns(media_duration_s=float(length))
    return given | {
        "recordings": stated,
        "images": TABLES["images"].frame([]),
        "boxes": TABLES["boxes"].frame(boxes),
        "annotated_frames": TABLES["annotated_frames"].frame(frames),
        "taxonomies": TABLES["taxonomies"].frame(classes),
    }
