"""Files of TF2023: where they lie, and the released lists of picture pairs.

An item of a list is `["10", "00001.jpg", "T", "1", "2351"]`: scene, picture, the third-person
camera (always T), the first-person camera, and everybody in the picture of T, a digit each.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from assets.sources.documents import Document
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed

LICENCE: Final = "unknown"
EXO: Final = "T"
SPLITS: Final = {"train": "train", "eval": "test"}
"""Lists by the word in their name; the readme calls the second one the testing split."""

_ABOVE: Final = r"(?:.+/)?"
LIST: Final = rf"{_ABOVE}TF2023(train|eval)\.json"
POLYGONS: Final = rf"{_ABOVE}(?P<recording_scene>\d+)/Segmentation/(?P<recording_camera>{EXO})/(?P<frame>\d+)\.json"
_FRAME: Final = r"\d{1,9}\.(?:jpg|png)"
PICTURES: Final = (
    rf"{_ABOVE}(?P<scene>\d+)/frame/(?P<camera>{EXO}|[1-9])/(?P<frame>{_FRAME})",
    rf"{_ABOVE}(?P<scene>\d+)/Segmentation/(?P<camera>{EXO})/(?P<frame>{_FRAME})",
    rf"{_ABOVE}(?P<scene>\d+)/Segmentation/(?P<frame>{_FRAME})",
)
"""Places of pictures, the one to use first; the last two are the third-person camera's."""
PICTURE: Final = "|".join(re.sub(r"\?P<\w+>", "?:", pattern) for pattern in PICTURES)

_ITEM: Final = re.compile(r"(\d{1,6})\n(\d{1,9})\.jpg\nT\n([1-9])\n([1-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a list.

    Attributes:
        file: The list.
        at: Index in it.
        scene: Number of the scene.
        frame: Number of the picture, in both recordings.
        camera: First-person camera, named like the person who wears it.
        people: Ids of everybody in the third-person picture, as they stand.
    """

    file: str
    at: int
    scene: str
    frame: int
    camera: str
    people: str

    @property
    def split(self) -> str:
        """Split of the list it stands in."""
        match = re.fullmatch(LIST, self.file)
        if match is None:
            raise ValueError(f"{self.file} is not a list of this dataset")
        return SPLITS[match[1]]


def recording_of(scene: str, camera: str) -> str:
    """Recording of a camera in a scene."""
    return f"{scene}_{camera}"


def person_of(scene: str, person: str) -> str:
    """A person of a scene: who has one number in two scenes is not one person."""
    return f"{scene}/{person}"


def _parse_items(files: Mapping[str, bytes], reader: RowReader) -> Sequence[Item]:
    """Items of all lists, in their order; a pair that is listed again counts once.

    A pair listed again, and lists that say two things of one picture, are refused.
    """
    found: dict[tuple[str, int, str], Item] = {}
    shown: dict[tuple[str, int], Item] = {}
    for path, data in files.items():
        for at, made in reader.json(path, data, lambda item: {"item": _item(item)}):
            scene, frame, camera, people = made["item"]
            item = Item(path, at, scene, frame, camera, people)
            key = (scene, frame)
            if (*key, camera) in found:
                reader.reject(
                    path, at, "pair_twice", f"{scene}/{frame}/{camera}",
                    "the pair is listed before", "remove one of the items",
                    recording_of(scene, EXO),
                )  # fmt: skip
                continue
            other = shown.setdefault(key, item)
            if sorted(other.people) != sorted(people):
                reader.reject(
                    path, at, "lists_disagree", people,
                    f"item {other.at} of {other.file} lists {other.people} in the same picture",
                    "correct one of the items", recording_of(scene, EXO),
                )  # fmt: skip
                continue
            found[*key, camera] = item
    return list(found.values())


def _item(item: object) -> tuple[str, int, str, str]:
    if not isinstance(item, list) or len(item) != 5 or not all(isinstance(v, str) for v in item):
        raise Malformed("the item is not a list of five texts", item)
    match = _ITEM.fullmatch("\n".join(item))
    if match is None:
        raise Malformed("the item is not scene, picture, T, camera and people", item)
    scene, frame, camera, people = match.groups()
    if len(set(people)) < len(people):
        raise Malformed("a person is listed twice", people)
    return scene, int(frame), camera, people


ITEMS = Document("listed_people", LIST, _parse_items)
"""Items of all lists; `people` records what is wrong with the lists."""
