"""Recordings of TF2023: of each scene the third-person camera's and one for each wearer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from assets.sources.layout import Medium, PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.recording_rows import image_rows, picture_media, recording_tables
from assets.sources.tf2023.files import (
    EXO,
    ITEMS,
    LICENCE,
    PICTURES,
    Item,
    person_of,
    recording_of,
)

_SHOWN = 5
Key = tuple[str, str]
"""Scene and camera."""


def read_recordings(part: PartFiles) -> Rows:
    """Recordings that a list or a picture names, their pictures and clocks.

    Nothing states a rate: pictures have an order, and those of a scene with the same number are the
    same instant (clocks `same_index`, without a residual: seconds mean nothing here).
    """
    reader = RowReader("recordings")
    listed: dict[Key, list[Item]] = {}
    # Items that cannot be read are reported by the part that keeps them.
    for item in part.document(ITEMS):
        for camera in (EXO, item.camera):
            listed.setdefault((item.scene, camera), []).append(item)
    pictures = _pictures(part.media)
    scenes = {scene for scene, _ in (*listed, *pictures)}
    keys = sorted({*listed, *pictures, *((scene, EXO) for scene in scenes)})
    recordings: list[dict] = []
    images: list[dict] = []
    for key in keys:
        shown, items = pictures.get(key, {}), listed.get(key, [])
        row = _recording(part.source, key, items, shown)
        recordings.append(row)
        images.extend(image_rows(row["source"], row["recording_id"], shown))
        lost = sorted({i.frame for i in items} - shown.keys()) if shown else []
        if lost:
            more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
            reader.reject(
                items[0].file, None, "listed_without_picture",
                ", ".join(map(str, lost[:_SHOWN])) + more,
                f"{len(lost)} listed pictures are absent", "restore the pictures",
                row["recording_id"],
            )  # fmt: skip
    tables = recording_tables(recordings, "same_index", images=images)
    return Rows(tables, tuple(reader.refused))


def _pictures(media: Mapping[str, Medium]) -> dict[Key, dict[int, Medium]]:
    """Pictures by camera and number: of two with one number that in the better place."""
    places = [re.compile(pattern) for pattern in PICTURES]
    found: list[tuple[int, str, Key, int]] = []
    for path in media:
        for rank, pattern in enumerate(places):
            if match := pattern.fullmatch(path):
                camera = match.groupdict().get("camera") or EXO
                number = int(match["frame"].partition(".")[0])
                found.append((rank, path, (match["scene"], camera), number))
                break
    pictures: dict[Key, dict[int, Medium]] = {}
    for _, path, key, number in sorted(found):
        pictures.setdefault(key, {}).setdefault(number, media[path])
    return pictures


def _recording(
    source: str, key: Key, items: Sequence[Item], pictures: Mapping[int, Medium]
) -> dict:
    scene, camera = key
    splits = {item.split for item in items}
    place = items[0].file if items else min((p.path for p in pictures.values()), default=scene)
    return {
        "source": source,
        "recording_id": recording_of(scene, camera),
        "take_id": scene,
        "view": "exo" if camera == EXO else "ego",
        "person_id": None if camera == EXO else person_of(scene, camera),
        # A scene in both lists is in the one that is to be kept from training.
        "split": "test" if "test" in splits else next(iter(splits), None),
        **picture_media(pictures),
        "licence": LICENCE,
        "source_file": place,
        "source_key": f"{scene}/{camera}",
    }
