"""Recordings of ExtremeSportFPV."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from assets.sources.extremesportfpv.files import LABEL_COLUMNS, LICENCE, SPORTS, VIDEO, video_uid
from assets.sources.layout import Medium, PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from assets.sources.recording_rows import recording_tables, video_media


def read_recordings(part: PartFiles) -> Rows:
    """Every video that is stored or annotated; its sport where the files agree on one."""
    reader = RowReader("recordings")
    media: dict[str, Medium] = {}
    sports: dict[str, dict[str, str]] = {}
    files: dict[str, str] = {}
    for file, uid, sport in _listed(part.files, reader):
        files.setdefault(uid, file)
        if sport is not None:
            sports.setdefault(uid, {}).setdefault(sport, file)
    for path, medium in sorted(part.media.items()):
        match = re.fullmatch(VIDEO, path)
        assert match is not None
        uid = match["uid"]
        if uid in media:
            reader.reject(
                path, None, "media_twice", media[uid].path,
                "another file holds the same video and is used", "keep one of the files", uid,
            )  # fmt: skip
            continue
        media[uid] = medium
        files.setdefault(uid, path)
        if match["sport"]:
            sports.setdefault(uid, {}).setdefault(_sport(match["sport"]), path)
    for uid, said in sorted(sports.items()):
        if len(said) > 1:
            reader.reject(
                min(said.values()), None, "contradicting_sport", ", ".join(sorted(said)),
                "the files name several sports of the video; none is kept",
                "correct the list or the folder", uid,
            )  # fmt: skip
    rows = []
    for uid, file in sorted(files.items()):
        said = sports.get(uid, {})
        sport = next(iter(said)) if len(said) == 1 else None
        rows.append(_recording(part.source, uid, file, sport, media.get(uid)))
    tables = recording_tables(rows, "alone", 0.0)
    return Rows(tables, tuple(reader.refused))


def _listed(files: Mapping[str, bytes], reader: RowReader) -> Iterator[tuple[str, str, str | None]]:
    """File, video and sport of the lists; rows of labels tell no sport."""
    for file, data in sorted(files.items()):
        if file == SPORTS:
            made = reader.csv(
                file, data, ("video_id", "sport"),
                lambda v: {"uid": video_uid(v), "sport": _sport(v["sport"]) or None},
            )  # fmt: skip
        else:
            # Faults of labels are reported by the part that reads them.
            untold = RowReader("recordings")
            made = untold.csv(
                file, data, LABEL_COLUMNS, lambda v: {"uid": video_uid(v), "sport": None}
            )
        for _, row in made:
            yield file, row["uid"], row["sport"]


def _sport(text: str) -> str:
    return re.sub(r"[_\s-]+", " ", text).strip().lower()


def _recording(source: str, uid: str, file: str, sport: str | None, medium: Medium | None) -> dict:
    return {
        "source": source,
        "recording_id": uid,
        "take_id": uid,
        "view": "ego",
        "scenario": sport,
        **video_media(medium),
        "licence": LICENCE,
        "source_file": file,
        "source_key": uid,
    }
