"""Which questions a protocol can ask, as it asks them, and what these show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from assets.protocols.contexts import add_contexts, read_contexts
from assets.protocols.variants import Varied, vary_questions
from assets.sources.stage import root_of
from expectations.schemas import TABLES
from expectations.schemas.core import Reads
from expectations.schemas.sampling import ShownFrames, frames_in_order
from resources.config import Settings
from resources.media.frame_cache import with_frame_cache
from resources.media.reader import MediaReader
from resources.media.stills import Media
from resources.models.protocol import Protocol

FRAME = ("recording_id", "grid", "t_s", "part", "source_frame", "source_pts")
GAZE = ("gaze_x", "gaze_y")
SHOWN_READS: Reads = {
    "recordings": ("recording_id", "take_id", "view", "scenario", "media_paths", "time_base"),
    "images": ("recording_id", "source_frame", "path"),
    "frames": (*FRAME, "residual_ms", *GAZE),
}
"""Tables and columns that are read to ask questions."""


def suitable(
    questions: pl.DataFrame, protocol: Protocol, most_options: int | None = None
) -> pl.DataFrame:
    """Questions that a protocol can ask.

    A question whose pixels are not here is not asked where the protocol sends media: it is a
    matter of the source, shown there, and no failure of the model. Nor is a question without options
    where the protocol wants a choice, one with options where it wants words, or one of another subtask
    than the protocol is written for.

    Args:
        questions: Rows of `questions`.
        protocol: Protocol.
        most_options: Options that are offered at most of each; None offers all.
    """
    n_options = pl.col("options").list.len()
    is_open = n_options == 0
    chosen = questions.filter(is_open if protocol.answer_by == "words" else ~is_open)
    if protocol.subtasks:
        chosen = chosen.filter(pl.col("subtask").is_in(protocol.subtasks))
    if protocol.sends_media:
        chosen = chosen.filter("media_present")
    if protocol.max_options is not None:
        offered = n_options if most_options is None else n_options.clip(upper_bound=most_options)
        chosen = chosen.filter(offered <= protocol.max_options)
    return chosen


Known = Mapping[str, Mapping[str, tuple[str, str, str]]]
"""Take, view and scenario of recordings, by source and recording id."""


def known_recordings(settings: Settings, benchmark: str, protocol: Protocol) -> Known:
    """What `vary_asked` has to know of a benchmark's recordings; empty where nothing depends on them."""
    if not protocol.variants and not protocol.contexts:
        return {}
    columns = ("recording_id", "take_id", "view", "scenario")
    return {
        source: {
            uid: (take, view, scenario or "")
            for uid, take, view, scenario in settings.store.read(
                TABLES["recordings"], source, columns=columns
            ).iter_rows()
        }
        for source in settings.sources_of(benchmark)
    }


def vary_asked(
    settings: Settings, questions: pl.DataFrame, protocol: Protocol, known: Known
) -> Varied:
    """Questions as a protocol asks them: with what its variants and contexts change and leave out.

    Args:
        settings: Configuration.
        questions: Rows of `questions` that the protocol can ask.
        protocol: Protocol.
        known: What is known of the recordings (`known_recordings`).
    """
    places = {s: {uid: (r[0], r[1]) for uid, r in uids.items()} for s, uids in known.items()}
    varied = vary_questions(questions, protocol, places)
    asked, reasons = varied.asked, dict(varied.reasons)
    if protocol.contexts:
        names = {
            (source, uid): (settings.sources[source].layout, scenario)
            for source, uids in known.items()
            for uid, (_, _, scenario) in uids.items()
        }
        asked, unknown = add_contexts(asked, read_contexts(protocol), names)
        reasons |= dict.fromkeys(unknown, f"{protocol.contexts} has no text for its domain")
    return Varied(asked, reasons)


def in_order_of_media(questions: pl.DataFrame) -> pl.DataFrame:
    """Questions about one recording side by side, by the end of what they show first.

    Frames are then read in one pass, and each question is ready when the pass has come to its end.
    """
    shown = pl.col("media").list.first().struct
    return questions.sort(
        shown.field("recording_id"), shown.field("end_s"), "question_id", nulls_last=True
    )


@dataclass(frozen=True, slots=True)
class Shown:
    """What questions of one source show.

    Attributes:
        recordings: Recordings that they name.
        images: Rows of `images` of these.
        frames: Frames by recording; empty where the protocol sends no media.
        views: `ego` or `exo` by recording.
    """

    recordings: pl.DataFrame
    images: pl.DataFrame
    frames: dict[str, ShownFrames]
    views: dict[str, str]

    def media(self, settings: Settings, source: str) -> Media:
        """Decodes frames of these recordings, through the cache of frames."""
        return _decoding(settings, source, self.recordings, self.images)


def media_of(settings: Settings, source: str, recordings: pl.DataFrame) -> Media:
    """Decodes frames of some recordings, through the cache of frames.

    Args:
        settings: Configuration.
        source: Source.
        recordings: Rows with the column `recording_id`.
    """
    ids = recordings["recording_id"].unique().sort().to_list()
    read = settings.store.read
    known, images = (
        read(TABLES[name], source, ids, columns=SHOWN_READS[name])
        for name in ("recordings", "images")
    )
    return _decoding(settings, source, known, images)


def _decoding(
    settings: Settings, source: str, recordings: pl.DataFrame, images: pl.DataFrame
) -> Media:
    root = root_of(settings, source)
    return with_frame_cache(MediaReader.of(root, recordings, images))


def shown_by(settings: Settings, protocol: Protocol, source: str, questions: pl.DataFrame) -> Shown:
    """Read what questions of a source show under a protocol."""
    ids = sorted({m["recording_id"] for media in questions["media"] for m in media})
    recordings, images = (
        settings.store.read(TABLES[name], source, ids, columns=SHOWN_READS[name])
        for name in ("recordings", "images")
    )
    frames = _frames(settings, protocol, source, ids, recordings, images)
    views = dict(recordings.select("recording_id", "view").iter_rows())
    return Shown(recordings, images, frames, views)


def _frames(
    settings: Settings,
    protocol: Protocol,
    source: str,
    ids: Sequence[str],
    recordings: pl.DataFrame,
    images: pl.DataFrame,
) -> dict[str, ShownFrames]:
    """Frames of each recording; pictures without times are frames by their place."""
    if not protocol.sends_media:
        return {}
    columns = (*FRAME, "residual_ms", *(GAZE if protocol.crop == "gaze" else ()))
    rows = settings.store.read(TABLES["frames"], source, ids, columns=columns)
    empty = TABLES["frames"].empty()
    frames = {str(k[0]): v for k, v in rows.partition_by("recording_id", as_dict=True).items()}
    ordered = recordings.filter(pl.col("time_base") == "index_only")["recording_id"]
    pictures = images.filter(pl.col("recording_id").is_in(ordered.to_list()))
    for (uid,), part in pictures.partition_by("recording_id", as_dict=True).items():
        frames[str(uid)] = frames_in_order(part)
    return {uid: ShownFrames(frames.get(uid, empty)) for uid in ids}


def by_source(questions: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """Sources in order of name, each with its questions."""
    for source in questions["source"].unique().sort():
        yield source, questions.filter(pl.col("source") == source)


def frame_sizes(
    settings: Settings, questions: pl.DataFrame
) -> dict[tuple[str, int], tuple[int, int]]:
    """Width and height of the frames of the recordings that questions name, upright, by recording and part.

    As their streams have them, else as the dataset states them; recordings of neither kind are left out.
    """
    sizes: dict[tuple[str, int], tuple[int, int]] = {}
    for source, mine in by_source(questions):
        ids = sorted({m["recording_id"] for media in mine["media"] for m in media})
        sides = ("width_px", "height_px")
        stated = settings.store.read(
            TABLES["recordings"], source, ids, columns=("recording_id", *sides, "media_hashes")
        )
        for uid, width, height, parts in stated.iter_rows():
            if width and height:
                sizes |= dict.fromkeys(
                    ((uid, part) for part in range(max(1, len(parts or ())))), (width, height)
                )
        streams = settings.store.read(
            TABLES["streams"], source, ids, columns=("recording_id", "part", *sides, "rotation_deg")
        )
        for uid, part, width, height, turn in streams.iter_rows():
            sizes[uid, part] = (height, width) if turn in (90, 270) else (width, height)
    return sizes
