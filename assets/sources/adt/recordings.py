"""Recordings of Aria Digital Twin."""

from __future__ import annotations

import re
from collections.abc import Mapping

from assets.sources.adt.files import LICENCE, PREVIEW
from assets.sources.layout import Medium, PartFiles, Rows
from assets.sources.reading.json import document_of
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, text_or_none
from assets.sources.recording_rows import clock_row, video_media
from expectations.schemas import TABLES

CORRUPT = (
    "Apartment_release_multiuser_party_seq145",
    "Apartment_release_multiuser_clean_seq115",
    "Apartment_release_clean_seq139",
    "Apartment_release_multiskeleton_party_seq112",
    "Apartment_release_multiskeleton_party_seq109",
)
"""Sequences whose inertial data is corrupt, as the dataset's own reader names them."""


def read_recordings(part: PartFiles) -> Rows:
    """One recording per sequence folder."""
    reader = RowReader("recordings")
    rows: list[dict] = []
    for path, data in part.files.items():
        folder, _, name = path.rpartition("/")
        if name != "metadata.json" or "/" in folder:
            if name == "gt-metadata.json" or "/" in folder:
                reader.reject(
                    path, None, "old_version", name,
                    "the sequence lies as version 1 of the dataset does",
                    "download version 2.0 of the sequence",
                )  # fmt: skip
            continue
        if any(folder == bad or folder.startswith(f"{bad}_") for bad in CORRUPT):
            reader.reject(
                path, None, "known_corrupt", folder,
                "the dataset's makers list this sequence as corrupt (inertial data)",
                "leave the sequence out",
            )  # fmt: skip
            continue
        media = _preview(folder, part.media)
        try:
            rows.append({**_recording(part.source, folder, data, media), "source_file": path})
        except Malformed as error:
            reader.unreadable(path, error, folder)
            continue
        if media is None:
            reader.reject(
                f"{folder}/video.vrs", None, "pixels_not_read", "preview_rgb.mp4 is absent",
                "vrs files are not read: the recording has annotations and no pixels",
                f"export the upright RGB stream to {folder}/preview_rgb.mp4",
                folder,
            )  # fmt: skip
    table = TABLES["recordings"].frame(rows)
    clocks = TABLES["clocks"].frame(
        clock_row(row, "alone") for row in rows if row["take_id"] == row["recording_id"]
    )
    return Rows({"recordings": table, "clocks": clocks}, tuple(reader.refused))


def _preview(folder: str, media: Mapping[str, Medium]) -> Medium | None:
    found = [m for p, m in media.items() if (f := re.fullmatch(PREVIEW, p)) and f[1] == folder]
    return min(found, key=lambda m: (len(m.path), m.path), default=None)


def _recording(source: str, folder: str, data: bytes, media: Medium | None) -> dict:
    said = document_of(data)
    if not isinstance(said, dict):
        raise Malformed("metadata is not an object", type(said).__name__)
    version = text_or_none(said.get("dataset_version"), "dataset_version")
    if version is None or not version.startswith("2"):
        raise Malformed(f"dataset_version {version!r} is not 2: columns differ", version)
    place = text_or_none(said.get("scene"), "scene")
    activity = re.match(r"[A-Za-z]+_release_(.+?)_seq\d", folder)
    # Two people recorded together: the folder that sorts first names the take. What joins their
    # clocks (timecode) lies in the vrs files: no row of `clocks` until they can be read.
    other = text_or_none(said.get("concurrent_sequence"), "concurrent_sequence")
    return {
        "source": source,
        "recording_id": folder,
        "take_id": min(folder, other) if other else folder,
        "view": "ego",
        "device": "aria",
        "scenario": activity[1].replace("_", " ") if activity else None,
        "scene": place.lower() if place else None,
        "environment_id": place,
        **video_media(media),
        "licence": LICENCE,
        "source_key": folder,
    }
