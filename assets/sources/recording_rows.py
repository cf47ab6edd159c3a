"""Rows that many layouts make alike: media of recordings, clocks, and pictures by number."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from assets.sources.layout import Medium
from assets.sources.reading.row_reader import RowReader
from expectations.schemas import TABLES
from expectations.schemas.identity import digest

# -- media -----------------------------------------------------------------------------------------


def videos_by_id(media: Mapping[str, Medium], pattern: str) -> dict[str, Medium]:
    """Videos by id; of two files of one video the one with the shorter path counts.

    Args:
        media: Media files by path.
        pattern: Paths of videos; the first group is the id.
    """
    found: dict[str, Medium] = {}
    for path in sorted(media, key=lambda p: (len(p), p)):
        match = re.fullmatch(pattern, path)
        if match is not None:
            found.setdefault(match[1], media[path])
    return found


def video_media(medium: Medium | None) -> dict:
    """Columns of `recordings` about the pixels of one that is a video; None where it is not here."""
    return {
        "media_kind": "video",
        "time_base": "pts",
        "media_duration_s": None if medium is None else medium.duration_s,
        "media": "missing" if medium is None else "present",
        "media_paths": [] if medium is None else [medium.path],
        "media_hashes": [] if medium is None else [medium.content],
    }


def picture_media(pictures: Mapping[int, Medium], time_base: str = "index_only") -> dict:
    """The same of one that is numbered pictures; unless they have a rate, they have an order alone."""
    shown = (f"{number}={pictures[number].content}" for number in sorted(pictures))
    return {
        "media_kind": "image_sequence",
        "time_base": time_base,
        "media": "present" if pictures else "missing",
        "media_paths": [],
        "media_hashes": [digest(shown)] if pictures else [],
    }


@dataclass(slots=True)
class Footage:
    """Pixels of a recording that is released as a video, and as the frames taken out of it.

    Where the video is here, stored frames are copies of its pictures and not listed; without it the
    frames are the recording.

    Attributes:
        video: The video.
        frames: Frames by number.
    """

    video: Medium | None = None
    frames: dict[int, Medium] = field(default_factory=dict)

    def add(self, medium: Medium, frame: int | None, reader: RowReader, recording_id: str) -> None:
        """Take a file; the second of one content is refused.

        Args:
            medium: The file.
            frame: Number of the frame it shows; None for the video.
            reader: Takes the refusal.
            recording_id: Whose pixels they are.
        """
        held = self.video if frame is None else self.frames.get(frame)
        if held is not None:
            reader.reject(
                medium.path, None, "media_twice", held.path, "another file holds the same and is used",
                "keep one of the files", recording_id,
            )  # fmt: skip
        elif frame is None:
            self.video = medium
        else:
            self.frames[frame] = medium

    @property
    def pictures(self) -> Mapping[int, Medium]:
        """Frames that are the recording; none where the video is here."""
        return {} if self.video is not None else self.frames

    @property
    def first_path(self) -> str:
        """A file that holds pixels; empty if none is here."""
        if self.video is not None:
            return self.video.path
        return min((medium.path for medium in self.frames.values()), default="")

    def columns(self) -> dict:
        """Columns of `recordings` about the pixels."""
        if not self.pictures:
            return video_media(self.video)
        shown = (self.frames[number] for number in sorted(self.frames))
        return {
            "media_kind": "image_sequence",
            "time_base": "nominal_fps",
            "media": "present",
            "media_paths": [],
            "media_hashes": [digest(f"{m.path}={m.content}" for m in shown)],
        }


# -- tables ----------------------------------------------------------------------------------------


def recording_tables(
    recordings: Sequence[dict],
    method: str,
    residual_ms: float | None = None,
    images: Iterable[dict] | None = None,
) -> dict[str, pl.DataFrame]:
    """Tables of recordings that are all placed alike on the clocks of their takes.

    Args:
        recordings: Rows of `recordings`.
        method: As of `clock_row`.
        residual_ms: As of `clock_row`.
        images: Rows of `images`; None where the layout has no pictures.
    """
    made = {
        "recordings": TABLES["recordings"].frame(recordings),
        "clocks": TABLES["clocks"].frame(clock_row(r, method, residual_ms) for r in recordings),
    }
    return made if images is None else {**made, "images": TABLES["images"].frame(images)}


# -- clocks and pictures ---------------------------------------------------------------------------


def clock_row(
    recording: Mapping[str, object], method: str, residual_ms: float | None = None
) -> dict:
    """Row of `clocks` of a recording whose time is its take's.

    Args:
        recording: Its row of `recordings`.
        method: `alone` where the take has no other recording, `same_index` where equal frame numbers
            are the same time.
        residual_ms: Stated or known error, milliseconds; None if unknown.
    """
    return {
        "source": recording["source"],
        "recording_id": recording["recording_id"],
        "take_id": recording["take_id"],
        "offset_s": 0.0,
        "rate": 1.0,
        "method": method,
        "residual_ms": residual_ms,
        "source_file": recording["source_file"],
    }


def image_rows(
    source: object,
    recording_id: object,
    pictures: Mapping[int, Medium],
    t_s: Callable[[int], float] | None = None,
) -> Iterator[dict]:
    """Rows of `images` by the source's own numbers, ascending.

    Args:
        source: Source.
        recording_id: Recording.
        pictures: Pictures by number.
        t_s: Time of a number in seconds; None where numbers have no rate.
    """
    for number in sorted(pictures):
        yield {
            "source": source,
            "recording_id": recording_id,
            "source_frame": number,
            "path": pictures[number].path,
            "content": pictures[number].content,
            "t_s": None if t_s is None else t_s(number),
        }
