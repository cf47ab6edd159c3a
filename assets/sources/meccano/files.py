"""Files of MECCANO: where they lie, how videos and frames are named, and COCO files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from assets.sources.reading.json import empty_lists, json_tree, members_of
from assets.sources.reading.values import Malformed, text_or_none, whole_number

LICENCE: Final = "unstated"
FPS: Final = 12
SIZE_PX: Final = (1920, 1080)
SPLITS: Final = ("train", "val", "test")
PUBLISHED: Final = {
    "train": ("0001", "0002", "0003", "0004", "0005", "0006", "0013", "0014", "0015", "0016", "0018"),
    "val": ("0007", "0017"),
    "test": ("0008", "0009", "0010", "0011", "0012", "0019", "0020"),
}  # fmt: skip
"""Split of the release, as its loaders have it."""

_FOLDER: Final = r"(?:Train|Val|Test)"
ACTIONS: Final = r"(?:.+/)?MECCANO_(?:train|val|test)_actions\.csv"
VERBS: Final = r"(?:.+/)?MECCANO_verb_annotations_(?:train|val|test)\.csv"
COCO: Final = (
    r"(?:.+/)?MECCANO_(?:active_object|NAO)_bounding_box_annotations/"
    r"(?:.+/)?instances_meccano_(?:train|val|test)\.json"
)
HANDS: Final = rf"(?:.+/)?MECCANO_hands_bounding_box_annotations/{_FOLDER}/[0-9]{{1,4}}\.csv"
GAZE: Final = rf"(?:.+/)?MECCANO_Gaze_data/{_FOLDER}/(?P<recording>[0-9]{{4}})_gaze-data\.csv"
ANY_GAZE: Final = GAZE.replace("?P<recording>", "")
VIDEO: Final = r"(?:.+/)?MECCANO_RGB_Videos/(?P<video>[0-9]{4})\.mp4"
FRAME: Final = (
    r"(?:.+/)?(?:MECCANO_RGB_frames|frames)/(?P<of>[0-9]{4})/(?P<number>[0-9]{5})\.(?:jpg|png)"
)
_VIDEO_ID = re.compile(r"\s*([0-9]{1,4})\s*")
_FRAME_NAME = re.compile(r"\s*([0-9]{1,9})\.(?:jpg|jpeg|png)\s*")
_COCO_NAME = re.compile(r"(?:.*/)?([0-9]{1,4})_([0-9]{1,9})\.(?:jpg|jpeg|png)")


def video_id(text: object) -> str:
    """Id of a video, four digits, however many its writer kept.

    Raises:
        Malformed: No number of at most four digits, or 0.
    """
    match = _VIDEO_ID.fullmatch(str(text))
    if match is None or int(match[1]) < 1:
        raise Malformed("ids of videos have up to four digits", text)
    return f"{int(match[1]):04d}"


def frame_number(name: object) -> int:
    """Number of a frame by the name of its picture, `00010.jpg`.

    Raises:
        Malformed: Another name, or number 0.
    """
    match = _FRAME_NAME.fullmatch(name) if isinstance(name, str) else None
    if match is None or int(match[1]) < 1:
        raise Malformed("frames are named as pictures, from 00001.jpg", name)
    return int(match[1])


def time_of(frame: int) -> float:
    """Time of a frame from the video's start: the first is number 1."""
    return (frame - 1) / FPS


def split_of(path: str) -> str:
    """Split a file is of, by its name or its folder."""
    return re.findall(r"(?i)(?<![a-z])(train|val|test)(?![a-z])", path)[-1].lower()


def published_split(uid: str) -> str | None:
    """Split of a video as the release's loaders have it."""
    return next((split for split, videos in PUBLISHED.items() if uid in videos), None)


# -- COCO ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture a COCO file lists: its video, its number, its size in pixels."""

    video: str
    frame: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Document:
    """A COCO file: pictures by id, faults of others, annotations as they stand, names of classes."""

    pictures: Mapping[int, Picture]
    faults: tuple[tuple[str, Malformed], ...]
    items: tuple[object, ...]
    classes: Mapping[int, str]


def is_next(path: str) -> bool:
    """Whether a COCO file boxes the objects that will be touched next."""
    return "MECCANO_NAO_bounding_box_annotations/" in path


def read_document(data: bytes) -> Document:
    """A COCO file.

    Raises:
        Malformed: No JSON, or one of its lists is absent.
    """
    tree = json_tree(data)
    listed = {
        name: tree.get(name) if isinstance(tree, dict) else None
        for name in ("images", "annotations", "categories")
    }
    absent = [name for name, items in listed.items() if not isinstance(items, list)]
    if absent:
        raise Malformed(f"the document holds no lists {absent}", ", ".join(absent))
    pictures: dict[int, Picture] = {}
    faults = empty_lists(listed)
    seen: set[tuple[str, int]] = set()
    for at, item in enumerate(listed["images"] or ()):
        try:
            held = members_of(item)
            uid = whole_number(held.get("id"))
            made = _picture(held)
            if uid in pictures or (made.video, made.frame) in seen:
                raise Malformed("the same picture is listed twice", held.get("file_name"))
            pictures[uid] = made
            seen.add((made.video, made.frame))
        except Malformed as error:
            faults.append((f"images[{at}]", error))
    classes = {}
    for item in listed["categories"] or ():
        held = members_of(item)
        name = text_or_none(held.get("name"), "name")
        if name is None:
            raise Malformed("a category has no name", held.get("id"))
        classes[whole_number(held.get("id"))] = name
    return Document(pictures, tuple(faults), tuple(listed["annotations"] or ()), classes)


def _picture(held: Mapping[str, Any]) -> Picture:
    name = held.get("file_name")
    match = _COCO_NAME.fullmatch(name) if isinstance(name, str) else None
    if match is None or int(match[2]) < 1:
        raise Malformed("pictures are named <video>_<number from 1>.jpg", name)
    width, height = (whole_number(held.get(side)) for side in ("width", "height"))
    if width < 1 or height < 1:
        raise Malformed("the picture has no size", f"{width} x {height}")
    return Picture(video_id(match[1]), int(match[2]), width, height)
