"""A room in which nobody annotated things: narrations and the wearer's hands tell where the kettle is."""

from __future__ import annotations

from collections.abc import Callable

from tests.derivations.world import Row, World

Point = tuple[float, float, float]
AWAY: Point = (0.0, 2.0, 1.0)
"""Where hands are that do nothing."""


def narrate(w: World, told: list[tuple[float, str, str]], hand: Callable[[float], Point]) -> World:
    """Take annotated objects out of a small world, and let narrations and a hand tell of its kettle.

    Args:
        w: World about the object `k`, a kettle.
        told: Time, verb in its base form and sentence of each narration.
        hand: Where the right hand is at a time; the left one does nothing.
    """
    for name in ("objects_3d", "boxes"):
        w.tables[name] = []
    for name in ("segments", "labels", "hand_joints"):
        w.tables[name] = []
    w.tables["spatial_facts"] = [r for r in w.tables["spatial_facts"] if r["object_id"] == "k"]
    for row in w.tables["spatial_facts"]:
        row["object_id"] = "kettle"
    for uid, times in w.frame_times.items():
        for t_s, verb, text in told:
            add_narration(w, uid, t_s, verb, text)
        for sample, t_s in enumerate(times):
            for side, (x, y, z) in (("right", hand(t_s)), ("left", AWAY)):
                joint = {"sample": sample, "hand_side": side, "joint": "wrist", "t_s": t_s}
                at = {"x": x, "y": y, "z": z, "world_frame_id": "w"}
                w.tables["hand_joints"].append({"source": "s", "recording_id": uid, **joint, **at})
    return w


def add_narration(w: World, uid: str, t_s: float, verb: str, text: str) -> None:
    """Add a narration with the verb that was read in it."""
    key = {"source": "s", "recording_id": uid, "segment_id": f"{uid}/{t_s:g}"}
    said = {"kind": "atomic", "is_point": True, "start_s": t_s, "end_s": t_s}
    w.tables["segments"].append({**key, **said, "narration": text, "actor_id": "C"})
    word = text.split()[1]
    span = {"span_start": text.index(word), "span_end": text.index(word) + len(word)}
    read = {"reader": "open", "clause": 0, "kind": "verb", "class_label": verb, "lemma": verb}
    more = {"term": word, "status": "done", "body_part": "right_hand", "rule": "open"}
    w.tables["labels"].append({**key, **read, **span, **more})


def row_at(w: World, table: str, t_s: float) -> Row:
    """Row of the first recording's narration at a time."""
    return w.row(table, segment_id=f"ADT1/{t_s:g}")


def retell(w: World, t_s: float, old: str, new: str) -> None:
    """Change words of a narration; they must stand there."""
    row = row_at(w, "segments", t_s)
    assert old in row["narration"]
    row["narration"] = row["narration"].replace(old, new)


def move_hand(w: World, start_s: float, end_s: float, to: Callable[[float], Point]) -> None:
    """Put the right hand elsewhere for some time."""
    for row in w.tables["hand_joints"]:
        if row["hand_side"] == "right" and start_s <= row["t_s"] <= end_s:
            row.update(zip("xyz", to(row["t_s"]), strict=True))
