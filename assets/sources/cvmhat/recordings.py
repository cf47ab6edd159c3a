"""Recordings of CVMHAT: of each take the wearer's own (`_hor`) and that from above (`_top`)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from assets.sources.cvmhat.files import (
    LICENCE,
    PICTURE,
    by_recording,
    is_ego,
    numbers_told,
    take_of,
)
from assets.sources.cvmhat.forms import Form, forms_of
from assets.sources.layout import Medium, PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.recording_rows import image_rows, picture_media, recording_tables

WEARER = 0
"""Id of the wearer: boxed from above alone."""


def person_of(uid: str, person: object) -> str:
    """Id of a person, the same in both views of a take and in no other take."""
    return f"{take_of(uid)}/{person}"


def read_recordings(part: PartFiles) -> Rows:
    """Recordings that have annotations or pictures, their pictures and clocks.

    Nothing states when a picture was taken: pictures are ordered by number, and those of a take
    with the same number belong together (clocks `same_index`, without a residual: seconds mean
    nothing here).
    """
    reader = RowReader("recordings")
    annotated = by_recording(part.files)
    pictures = _pictures(part.media)
    recordings: list[dict] = []
    images: list[dict] = []
    for uid in sorted({*annotated, *pictures}):
        files, shown = annotated.get(uid, {}), pictures.get(uid, {})
        form = None
        if shown or any(path.endswith(".xml") for path in files):
            # What is wrong with annotations is reported by the part that makes boxes of them.
            form = next(forms_of(uid, files, RowReader("boxes")), None)
        recordings.append(_recording(part.source, uid, files, shown, form))
        images += image_rows(part.source, uid, shown)
        lost = form.frames - shown.keys() if form is not None and shown else ()
        if form is not None and lost:
            reader.reject(
                form.place, None, "annotated_without_picture", numbers_told(lost),
                f"{len(lost)} annotated pictures are absent; their boxes are kept, unseen",
                "restore the pictures", uid,
            )  # fmt: skip
    tables = recording_tables(recordings, "same_index", images=images)
    return Rows(tables, tuple(reader.refused))


def _pictures(media: Mapping[str, Medium]) -> dict[str, dict[int, Medium]]:
    """Pictures by recording and number; of two with one number the first by path."""
    picture = re.compile(PICTURE)
    found: dict[str, dict[int, Medium]] = {}
    for path in sorted(media):
        if match := picture.fullmatch(path):
            found.setdefault(match[1], {}).setdefault(int(match[2]), media[path])
    return found


def _recording(
    source: str,
    uid: str,
    files: Mapping[str, bytes],
    pictures: Mapping[int, Medium],
    form: Form | None,
) -> dict:
    width, height = (None, None) if form is None or form.size is None else form.size
    place = min(files, default="") or min(picture.path for picture in pictures.values())
    return {
        "source": source,
        "recording_id": uid,
        "take_id": take_of(uid),
        "view": "ego" if is_ego(uid) else "exo",
        "device": "gopro" if is_ego(uid) else "drone",
        "scenario": "people walking",
        "scene": _place(uid),
        "environment_id": _place(uid),
        "person_id": person_of(uid, WEARER) if is_ego(uid) else None,
        **picture_media(pictures),
        "width_px": width,
        "height_px": height,
        "licence": LICENCE,
        "source_file": place,
        "source_key": uid,
    }


def _place(uid: str) -> str | None:
    """Place told by a name such as `V0-S_canteen_1-G_3_hor`; a number behind it counts shots."""
    match = re.search(r"-S_(.+?)(?:_\d+)?-G_", uid)
    return None if match is None else match[1]
