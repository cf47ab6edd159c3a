"""Files of EgoSurgery: where they lie, how pictures are named, and what a COCO file holds.

Phase and tool files are known as released (collected by a third party); files of hands and of HTS
are known from papers only (four hand classes, masks): where they lie is assumed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from assets.sources.reading.json import empty_lists, json_tree, members_of, sound
from assets.sources.reading.values import Malformed, text_or_none, whole_number

LICENCE: Final = "CC-BY-NC-SA-4.0"
FPS: Final = 0.5
STEP_S: Final = 2.0
"""Time from one picture to the next. Files state no times: number n lies at 2 (n - 1) s, inferred
from the stated rate."""

PHASES: Final = (
    "disinfection",
    "design",
    "anesthesia",
    "incision",
    "dissection",
    "hemostasis",
    "irrigation",
    "closure",
    "dressing",
)
"""Phases in the order of the paper; files name them and number none."""
PHASE_SPLIT: Final = {
    "train": (1, 2, 3, 4, 8, 9, 11, 13, 14, 15, 17, 20, 21),
    "val": (5, 19),
    "test": (6, 7, 10, 12, 18),
}
"""Split of the phase paper, by video, as its authors state it (issue 3 of their repository)."""

_SPLIT = r"(?:train|val|test)"
PHASE: Final = r"(?:.+/)?egosurgery_phase/(?P<recording>\d{2}_\d+)\.csv"
ANY_PHASE: Final = PHASE.replace("?P<recording>", "")
"""The same for parts that read all sessions at once."""
TOOL: Final = rf"(?:.+/)?egosurgery_tool/instances_{_SPLIT}\.json"
HAND: Final = rf"(?:.+/)?egosurgery_(?:tool/hands_|hands?/instances_){_SPLIT}\.json"
HTS: Final = rf"(?:.+/)?egosurgery_hts/(?:tools?|hands?|hand_tools?)(?:_|/instances_){_SPLIT}\.json"
COCO: Final = f"{TOOL}|{HAND}|{HTS}"
LISTED: Final = rf"(?:.+/)?splits/ego_{_SPLIT}\.txt"
PICTURE: Final = rf"(?:.+/)?(?:{_SPLIT}/)?\d{{2}}/\d{{1,2}}_\d+_\d+\.(?:jpg|jpeg|png)"

_NAME = re.compile(r"(?P<video>\d{1,2})_(?P<session>\d{1,3})_(?P<number>\d{1,9})")


@dataclass(frozen=True, slots=True)
class Shot:
    """What the name of a picture says.

    Attributes:
        recording_id: Video and session: each session has numbers, hence a clock, of its own.
        number: Number of the picture in the session, from 1.
    """

    recording_id: str
    number: int

    @property
    def t_s(self) -> float:
        """Time from the session's start."""
        return (self.number - 1) * STEP_S


def shot_of(name: str) -> Shot:
    """A picture by its name (`09_1_0213`, with or without folder, ending and zeros).

    Raises:
        Malformed: Another name, number 0, or a folder of another video.
    """
    stem = name.rpartition("/")[2].partition(".")[0]
    match = _NAME.fullmatch(stem)
    if match is None or int(match["number"]) < 1:
        raise Malformed("pictures are named <video>_<session>_<number from 1>", name)
    folder = re.search(r"(?:^|/)(\d{1,2})/[^/]*$", name)
    if folder is not None and int(folder[1]) != int(match["video"]):
        raise Malformed(f"a picture of video {match['video']} in folder {folder[1]}", name)
    uid = f"{int(match['video']):02d}_{int(match['session'])}"
    return Shot(uid, int(match["number"]))


def video_of(recording_id: str) -> int:
    """Number of the video a session belongs to."""
    return int(recording_id.partition("_")[0])


def what_of(path: str) -> str:
    """What a COCO file annotates: `tools`, `hands`, or masks of HTS (`hts_tools`, ...).

    Masks are kept apart from boxes: both cover the same pictures, with other classes.
    """
    if re.fullmatch(HTS, path):
        kind = re.sub(r"(?:_|/instances_)(?:train|val|test)\.json$", "", path).rpartition("/")[2]
        return f"hts_{kind.rstrip('s')}s"
    return "tools" if re.fullmatch(TOOL, path) else "hands"


def split_of(path: str) -> str:
    """Split a file is named after."""
    return re.findall(_SPLIT, path.rpartition("/")[2])[-1]


# -- COCO ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture a COCO file lists; with no annotation it was looked at and holds nothing.

    Attributes:
        image_id: Its id, unique in its file only.
        shot: What its name says; `frame_id` of the file is another, running number.
        width: Width in pixels.
        height: Height.
    """

    image_id: int
    shot: Shot
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Document:
    """A COCO file.

    Attributes:
        file: Its path.
        pictures: Pictures that can be read, by id.
        faults: Pictures that cannot, and lists without items: key and what is wrong.
        items: Annotations as they stand, each to be read by itself.
        classes: Names by number, as the file numbers them (from 0).
    """

    file: str
    pictures: Mapping[int, Picture]
    faults: tuple[tuple[str, Malformed], ...]
    items: tuple[object, ...]
    classes: Mapping[int, str]


def read_document(file: str, data: bytes) -> Document:
    """A COCO file.

    Raises:
        Malformed: No JSON, or one of the lists `images`, `annotations`, `categories` is absent.
    """
    tree = json_tree(data)
    if not isinstance(tree, dict):
        raise Malformed("the document is not an object", type(sound(tree)).__name__)
    listed = {name: tree.get(name) for name in ("images", "annotations", "categories")}
    for name, items in listed.items():
        if not isinstance(items, list):
            raise Malformed(f"the document holds no list `{name}`", type(sound(items)).__name__)
    pictures: dict[int, Picture] = {}
    faults = empty_lists(listed)
    shots: set[Shot] = set()
    for at, item in enumerate(listed["images"] or ()):
        try:
            made = _picture(members_of(item))
            if made.image_id in pictures or made.shot in shots:
                raise Malformed("the same picture is listed twice", made.shot.number)
        except Malformed as error:
            faults.append((f"images[{at}]", error))
            continue
        pictures[made.image_id] = made
        shots.add(made.shot)
    classes: dict[int, str] = {}
    for at, (class_id, name) in enumerate(_classes(listed["categories"] or [])):
        if classes.setdefault(class_id, name) != name:
            error = Malformed(
                f"category {class_id} is {classes[class_id]!r} before; that is used", name
            )
            faults.append((f"categories[{at}]", error))
    return Document(file, pictures, tuple(faults), tuple(listed["annotations"] or ()), classes)


def _picture(item: Mapping[str, Any]) -> Picture:
    name = text_or_none(item.get("file_name"), "file_name")
    if name is None:
        raise Malformed("the picture has no file_name", item.get("id"))
    width, height = (whole_number(item.get(side)) for side in ("width", "height"))
    if width < 1 or height < 1:
        raise Malformed("the picture has no size", f"{width} x {height}")
    return Picture(whole_number(item.get("id")), shot_of(name), width, height)


def _classes(listed: list) -> Iterator[tuple[int, str]]:
    for entry in listed:
        made = members_of(entry)
        name = text_or_none(made.get("name"), "name")
        if name is None:
            raise Malformed("a category has no name", made.get("id"))
        yield whole_number(made.get("id")), name
