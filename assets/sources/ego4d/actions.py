"""Hands and objects of Ego4D (`fho_main.json`): actions with frames before, at and after the change.

About 2 GB: read video by video. `frames` is not in the published schema; its form (`frame_type`,
`boxes` of `object_type`, `structured_noun`, `bbox`) is that of code which reads the release.
`fho_hands_*.json` is left out: its hands are two numbers, the middle of a hand, and no boxes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assets.sources.easg.words import DIRECT, WEARER
from assets.sources.ego4d.files import FPS, uid_or_none
from assets.sources.ego4d.narrations import cut_text
from assets.sources.reading.row_reader import REMEDY_ROW, RowReader
from assets.sources.reading.values import Malformed, number, text_or_none, whole_number

_MOMENTS = {"pre_frame": "pre", "pnr_frame": "contact", "post_frame": "post"}
"""As with the graphs of EASG, the point of no return is the contact; other frames have no moment."""
_HANDS = {"left_hand": "left", "right_hand": "right"}
_CHANGED = "object_of_change"
_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Action:
    """A narrated action that counts.

    Attributes:
        uid: Id of the row.
        video: Video it lies in.
        start_s, end_s: Seconds of the video.
        said: The row as released.
        size_px: Width and height of the video, where told.
    """

    uid: str
    video: str
    start_s: float
    end_s: float
    said: Mapping[str, Any]
    size_px: tuple[int, int] | None


def actions_of(
    file: str, pieces: Callable[[], Iterable[bytes]], reader: RowReader, tell: RowReader
) -> Iterator[Action]:
    """Actions that count, in the order of the file.

    Args:
        file: Path, for the refusals.
        pieces: Gives the document from its beginning.
        reader: Takes what cannot be read.
        tell: Takes what the release itself rejects, row by row, so that it can be counted.
    """
    for held in reader.large_json(file, pieces(), ["videos"], lambda _, item: _video(item)):
        uid, size = held["uid"], held["size_px"]
        for interval in held["intervals"]:
            actions = interval.get("narrated_actions") if isinstance(interval, dict) else None
            if not isinstance(actions, list):
                reader.reject(file, uid, "unreadable_row", str(interval)[:80],
                             "row cannot be read: an interval has no list of actions",
                             REMEDY_ROW, uid)  # fmt: skip
                continue
            name = interval.get("clip_uid") or interval.get("clip_id")
            if interval.get("redacted") is True:
                tell.reject(file, f"{uid}/{name}", "redacted", len(actions),
                            "the pictures of the interval were blacked out",
                            "nothing to do: the release withholds them", uid)  # fmt: skip
                continue
            for at, said in enumerate(actions):
                key = f"{uid}/{name}/{at}"
                made = reader.make(
                    file, key, lambda s=said, u=uid, z=size: {"action": _action(u, z, s)}, uid
                )  # fmt: skip
                if made is not None and not _rejected(file, made["action"], tell):
                    yield made["action"]


def _video(item: Any) -> dict:
    if not isinstance(item, dict) or uid_or_none(item.get("video_uid")) is None:
        raise Malformed("a video has no id", str(item)[:80])
    intervals = item.get("annotated_intervals")
    if not isinstance(intervals, list):
        raise Malformed("a video has no list of intervals", item["video_uid"])
    meta = item.get("video_metadata")
    return {"uid": item["video_uid"], "intervals": intervals, "size_px": _size(meta)}


def _size(said: Any) -> tuple[int, int] | None:
    if not isinstance(said, dict) or said.get("width") is None or said.get("height") is None:
        return None
    size = whole_number(said["width"]), whole_number(said["height"])
    if min(size) <= 0:
        raise Malformed("a picture has no size", str(size))
    return size


def _action(video: str, size: tuple[int, int] | None, said: Any) -> Action:
    if not isinstance(said, dict):
        raise Malformed("an action is not an object", str(said)[:80])
    start, end = number(said.get("start_sec")), number(said.get("end_sec"))
    for name in ("is_rejected", "is_valid_action", "is_invalid_annotation"):
        if said.get(name) is not None and not isinstance(said[name], bool):
            raise Malformed(f"{name} is neither true nor false", said[name])
    text = text_or_none(said.get("narration_text"), "narration_text")
    own = text_or_none(said.get("uid"), "uid")
    # Some rows have no id of their own.
    key = own or f"{said.get('narration_annotation_uid')}/{start:.6f}-{end:.6f}/{text}"
    return Action(f"{video}/fho/{key}", video, start, end, said, size)


def _rejected(file: str, action: Action, tell: RowReader) -> bool:
    """Whether the release itself does not count an action; told by rule."""
    said = action.said
    if said.get("is_rejected"):
        rule, why = "rejected_action", str(said.get("reject_reason"))
    elif said.get("is_invalid_annotation"):
        rule, why = "invalid_annotation", "is_invalid_annotation"
    elif said.get("is_valid_action") is not True:
        rule, why = "no_valid_action", str(said.get("is_valid_action"))
    else:
        return False
    tell.reject(file, action.uid, rule, why, "the release's annotators do not count this action",
                "nothing to do: it is left out", action.video)  # fmt: skip
    return True


# -- rows ------------------------------------------------------------------------------------------


def segment_row(source: str, file: str, action: Action) -> dict:
    """Row of `segments`."""
    raw = text_or_none(action.said.get("narration_text"), "narration_text")
    actor, words = cut_text(raw or "")
    verb = _verb(action)
    return {
        "source": source,
        "segment_id": action.uid,
        "recording_id": action.video,
        "kind": "interaction",
        "actor_id": actor,
        "start_s": action.start_s,
        "end_s": action.end_s,
        "class_name": " ".join(w for w in (verb, changed_thing(action)) if w) or None,
        "narration": words,
        "narration_original": raw,
        "source_file": file,
        "source_key": action.uid,
    }


def relation_rows(source: str, file: str, action: Action) -> Iterator[dict]:
    """Wearer to verb, and verb to the thing that changes, as in the graphs of EASG."""
    verb, thing = _verb(action), changed_thing(action)
    if verb is None:
        return
    for subject, relation, target, role in (
        (WEARER, "verb", verb, None),
        (verb, DIRECT, thing, "direct"),
    ):
        if target is None:
            continue
        key = f"{action.uid}|{relation}|{target}"
        yield {
            "source": source,
            "recording_id": action.video,
            "relation_id": key,
            "segment_id": action.uid,
            "subject": subject,
            "relation": relation,
            "object": target,
            "role": role,
            "source_file": file,
            "source_key": key,
        }


def _verb(action: Action) -> str | None:
    said = action.said
    verb = said.get("structured_verb") or said.get("freeform_verb")
    return text_or_none(verb, "structured_verb")


def changed_thing(action: Action) -> str | None:
    """Noun of the thing that changes, as boxed at the point of no return."""
    for frame in _dicts(action.said.get("frames")):
        if frame.get("frame_type") == "pnr_frame":
            for box in _dicts(frame.get("boxes")):
                noun = box.get("structured_noun")
                if box.get("object_type") == _CHANGED and isinstance(noun, str) and noun:
                    return noun
    return None


def _dicts(said: Any) -> Iterator[Mapping[str, Any]]:
    """Objects of a list; what is not an object is reported with the boxes."""
    yield from (one for one in said if isinstance(one, dict)) if isinstance(said, list) else ()


def box_rows(source: str, file: str, action: Action, reader: RowReader) -> Iterator[dict]:
    """Rows of `boxes`: things and hands in the frames of an action."""
    frames = action.said.get("frames")
    if frames is None:
        return
    if not isinstance(frames, list):
        reader.reject(file, action.uid, "unreadable_row", str(frames)[:80],
                     "row cannot be read: frames are not a list", REMEDY_ROW, action.video)  # fmt: skip
        return
    count: dict[str, int] = {}
    for frame in frames:
        boxes = frame.get("boxes") if isinstance(frame, dict) else None
        if boxes is None and isinstance(frame, dict):
            continue
        if not isinstance(boxes, list):
            reader.reject(file, action.uid, "unreadable_row", str(frame)[:80],
                         "row cannot be read: a frame has no list of boxes",
                         REMEDY_ROW, action.video)  # fmt: skip
            continue
        for box in sorted(boxes, key=str):
            row = reader.make(
                file, f"{action.uid}|{frame.get('frame_type')}",
                lambda f=frame, b=box: _box(action, f, b), action.video,
            )  # fmt: skip
            if row is not None:
                at = count.get(row["box_id"], 0)
                count[row["box_id"]] = at + 1
                key = f"{row['box_id']}|{at}"
                yield {"source": source, **row, "box_id": key, "source_file": file,
                       "source_key": key}  # fmt: skip


def _box(action: Action, frame: Mapping[str, Any], box: Any) -> dict:
    if not isinstance(box, dict):
        raise Malformed("a box is not an object", str(box)[:80])
    kind = text_or_none(box.get("object_type"), "object_type")
    noun = text_or_none(box.get("structured_noun"), "structured_noun")
    moment = text_or_none(frame.get("frame_type"), "frame_type")
    if kind is None or moment is None:
        raise Malformed("a box does not say what it is, or of which frame", str(box)[:80])
    given = box.get("bbox")
    if not isinstance(given, dict):
        raise Malformed("bbox is not an object of x, y, width and height", str(given)[:80])
    numbers = [number(given.get(name)) for name in ("x", "y", "width", "height")]
    size = _size(frame) or action.size_px
    if size is None:
        raise Malformed("neither frame nor video tells the picture's size", str(box)[:80])
    at = whole_number(frame.get("frame_number"))
    instance = box.get("instance_number")
    name = noun or kind.replace("_", " ")
    return {
        "recording_id": action.video,
        "box_id": f"{action.uid}|{moment}|{kind}|{name}",
        "source_frame": at,
        "t_s": at / FPS,
        "segment_id": action.uid,
        "moment": _MOMENTS.get(moment),
        "class_name": name,
        "object_id": None if instance is None or noun is None else f"{noun}:{instance}",
        "hand_side": _HANDS.get(kind),
        "image_space": "stored",
        **_edges(numbers, size),
        "raw": numbers,
        "raw_form": "xywh_px",
        "method": "manual",
    }


def _edges(numbers: list[float], size: tuple[int, int]) -> dict:
    """Edges in shares of the picture, cut at its border."""
    left, top, width, height = numbers
    across, down = size
    whole = (left / across, top / down, (left + width) / across, (top + height) / down)
    inside = tuple(min(max(edge, 0.0), 1.0) for edge in whole)
    names = ("x_min", "y_min", "x_max", "y_max")
    clipped = any(abs(a - b) > _TOLERANCE for a, b in zip(whole, inside, strict=True))
    return {**dict(zip(names, inside, strict=True)), "clipped": clipped}
