"""Files of CholecTrack20: where they lie, and what an annotation file holds.

Known from the code of the release (evaluation, conversion, loader), its figure and third-party
parsers; the names the README gives (`category`, `intraoperative_track_id`, boxes in pixels) are
others than those of the files. Frame numbers count from 1 at 25 a second. A missing id is negative.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from assets.sources.layout import PartFiles
from assets.sources.reading.json import json_tree, sound
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, text_or_none, whole_number

LICENCE: Final = "CC-BY-NC-SA-4.0"
FPS: Final = 25
STEP: Final = 25
"""Frames from one annotated frame to the next: the videos are annotated once a second."""
SPLITS: Final = {"Training": "train", "Validation": "val", "Testing": "test"}
QUARANTINED: Final = {
    30: "the annotations of VID30 are unknown: those released as VID31's describe it",
    31: "the annotations released as VID31's describe VID30",
}
"""What the maintainers say of two videos (issue 10 of their repository)."""

_FOLDER = r"(?:CholecTrack20/)?(?:Training|Validation|Testing)"
_NAME = r"/(?:VID|vid)(?P=number)(?:_repaired)?\.json"
ANY_ANNOTATIONS: Final = rf"{_FOLDER}/VID(?P<number>\d{{2,3}}){_NAME}"
ANNOTATIONS: Final = rf"{_FOLDER}/(?P<recording>VID(?P<number>(?!3[01]/)\d{{2,3}})){_NAME}"
"""The same without the two videos whose annotations are not theirs."""
PICTURE: Final = rf"({_FOLDER}/VID\d{{2,3}})/Frames/(\d{{6}})\.png"
VIDEO: Final = rf"(?P<folder>{_FOLDER}/VID(?P<video>\d{{2,3}}))/VID(?P=video)\.mp4"

_LISTS: Final = {
    "tool": ("tools", "tool", "instruments", "instrument"),
    "operator": ("operators", "operator"),
    "phase": ("phases", "phase"),
    "verb": ("verbs", "verb"),
    "target": ("targets", "target"),
}
_KNOWN: Final[dict[str, tuple[str, ...]]] = {
    "tool": ("grasper", "bipolar", "hook", "scissors", "clipper", "irrigator", "specimenbag"),
    "phase": (
        "preparation",
        "calotTriangleDissection",
        "clippingAndCutting",
        "gallbladderDissection",
        "gallbladderPackaging",
        "cleaningAndCoagulation",
        "gallbladderRetraction",
    ),
}
"""Classes of files that do not list them (the release's figure)."""


@dataclass(frozen=True, slots=True)
class Frame:
    """An annotated frame.

    Attributes:
        number: The source's own number, from 1.
        items: Its annotations as they stand in the file, each to be read by itself.
    """

    number: int
    items: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """An annotation file.

    Attributes:
        file: Its path.
        video: What it says about the video.
        classes: Labels by class number, by vocabulary.
        frames: Annotated frames that can be read, ascending by number.
        faults: Frames and classes that cannot, and what is empty: key and what is wrong.
    """

    file: str
    video: Mapping[str, Any]
    classes: Mapping[str, Mapping[int, str]]
    frames: tuple[Frame, ...]
    faults: tuple[tuple[str, Malformed], ...]


def time_of(number: int) -> float:
    """Time of a frame from the start of its video, in seconds."""
    return (number - 1) / FPS


def chosen(paths: Iterable[str]) -> list[str]:
    """Annotation files of one video, the one to use first: as released before a repaired copy."""
    return sorted(paths, key=lambda p: ("_repaired" in p, "/vid" in p, p))


def opened(part: PartFiles, reader: RowReader) -> Document | None:
    """The annotations of the recording whose files these are; None where they cannot be read."""
    assert part.recording is not None
    uid = str(part.recording["recording_id"])
    file = chosen(part.files)[0]
    try:
        return read_document(file, part.files[file], uid)
    except Malformed as error:
        reader.unreadable(file, error, uid)
        return None


def read_document(file: str, data: bytes, uid: str) -> Document:
    """An annotation file.

    Args:
        file: Path.
        data: Content.
        uid: Recording whose folder holds it.

    Raises:
        Malformed: No JSON, no object of annotations, or a file that names another video.
    """
    tree = json_tree(data)
    annotations = tree.get("annotations") if isinstance(tree, dict) else sound(tree)
    if not isinstance(tree, dict) or not isinstance(annotations, dict):
        found = type(sound(annotations)).__name__
        raise Malformed("the document holds no object `annotations`", found)
    video = sound(tree.get("video") or {})
    if not isinstance(video, dict):
        raise Malformed("`video` is not an object", video)
    # The code of the release says `name`, its figure `seq`.
    named = text_or_none(video.get("name") or video.get("seq"), "name")
    if named is not None and _digits(named) != _digits(uid):
        raise Malformed(f"the file lies in the folder of {uid} and describes {named}", named)
    frames, faults = _frames(annotations)
    if not annotations:
        faults = (("annotations", Malformed("the object `annotations` is empty")),)
    if tree.get("video") == {}:
        faults = (*faults, ("video", Malformed("the object `video` is empty")))
    classes, torn = _classes(sound(tree.get("categories") or {}))
    return Document(file, video, classes, frames, (*faults, *torn))


def _frames(
    given: Mapping[str, object],
) -> tuple[tuple[Frame, ...], tuple[tuple[str, Malformed], ...]]:
    frames: dict[int, Frame] = {}
    faults: list[tuple[str, Malformed]] = []
    for key, items in given.items():
        number = int(key) if re.fullmatch(r"[0-9]{1,9}", key) else 0
        if number < 1:
            faults.append((key, Malformed("frame numbers are whole and count from 1", key)))
        elif number in frames:
            faults.append((key, Malformed("the same frame is given twice", key)))
        elif not isinstance(items, list):
            faults.append((key, Malformed("annotations of a frame are not a list", key)))
        else:
            frames[number] = Frame(number, tuple(items))
    return tuple(frames[n] for n in sorted(frames)), tuple(faults)


def _classes(
    given: object,
) -> tuple[dict[str, dict[int, str]], tuple[tuple[str, Malformed], ...]]:
    if not isinstance(given, dict):
        raise Malformed("`categories` is not an object", given)
    found: dict[str, dict[int, str]] = {}
    faults: list[tuple[str, Malformed]] = []
    for kind, names in _LISTS.items():
        listed = next((given[name] for name in names if name in given), None)
        if listed is None:
            found[kind] = dict(enumerate(_KNOWN.get(kind, ())))
            continue
        if not isinstance(listed, list):
            raise Malformed(f"the classes of {kind} are not a list", listed)
        found[kind] = {}
        for entry in listed:
            if not isinstance(entry, dict):
                raise Malformed(f"a class of {kind} is not an object", entry)
            label = text_or_none(entry.get("name"), "name")
            if label is None:
                continue
            number = whole_number(entry.get("id"))
            if found[kind].setdefault(number, label) != label:
                said = (
                    f"class {number} of {kind} is called {found[kind][number]} before; that holds"
                )
                faults.append((f"categories/{kind}/{number}", Malformed(said, label)))
    return found, tuple(faults)


def _digits(name: str) -> int:
    found = re.findall(r"\d+", name)
    return int(found[-1]) if found else -1


# -- one annotation --------------------------------------------------------------------------------


def number_of(item: Mapping[str, Any], name: str) -> int | None:
    """A class or track number; None where it is absent or negative, which stands for unknown."""
    value = item.get(name)
    if value is None:
        return None
    made = whole_number(value)
    return None if made < 0 else made


def label_of(document: Document, kind: str, item: Mapping[str, Any], name: str) -> str | None:
    """Label of a class an annotation names; None where it names none.

    Raises:
        Malformed: A number the file's own list does not hold.
    """
    number = number_of(item, name)
    if number is None:
        return None
    if number not in document.classes[kind]:
        raise Malformed(f"{name} {number} is in no list of the file", number)
    label = document.classes[kind][number]
    return None if re.fullmatch(r"(?i)null(?:[_ -].*)?|none", label) else label


def operator_of(document: Document, item: Mapping[str, Any]) -> str | None:
    """Who operates the tool, by the short name in brackets (MSLH); None where nobody is named."""
    label = label_of(document, "operator", item, "operator")
    if label is None:
        return None
    short = re.search(r"\(([A-Za-z]+)\)", label)
    made = short[1] if short else label
    return None if made.lower() == "null" else made


def tool_of(document: Document, item: Mapping[str, Any]) -> str:
    """Class of the tool.

    Raises:
        Malformed: None is named.
    """
    tool = label_of(document, "tool", item, "instrument")
    if tool is None:
        raise Malformed("the annotation names no tool", item.get("instrument"))
    return tool
