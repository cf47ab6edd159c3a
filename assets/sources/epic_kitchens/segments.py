"""Actions of EPIC-KITCHENS-100 and sounds of EPIC-SOUNDS, read by column.

Times are the timestamps. The released frame numbers count pictures extracted at 60 per second (or 50,
for the extension) whatever the video's own rate; they only have to agree with the timestamps.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import polars as pl

from assets.sources.epic_kitchens.files import (
    ACTIONS,
    SOUNDS,
    Listing,
    frame_base,
    in_order,
    noun_words,
    verb_words,
    video_id,
)
from assets.sources.epic_kitchens.recordings import INFO, MAIN_SPLITS
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import REMEDY_ROW, RowReader
from assets.sources.reading.text_columns import TextColumns, clock_s, text_columns
from assets.sources.reading.values import Malformed, int_list, string_list, whole_number
from expectations.schemas import TABLES

WEARER = "Camera wearer"
SOUND_KEY = "sound|"
"""Sounds and narrations are numbered alike (`P01_01_0`): sounds get a prefix."""

TOLERANCE_S = 0.5
"""How far behind its video's end a row may reach to be cut."""

FRAMES_OFF = 1
"""Frames a frame number may be off: printed timestamps were rounded after frames were counted."""

_PRECISION_S = {"action": 0.01, "sound": 0.001}
_TIMES = ("video_id", "start_timestamp", "stop_timestamp")
_ACTION = ("narration_id", *_TIMES, "start_frame", "stop_frame")
_LABELS = ("narration", "verb", "verb_class", "noun", "all_nouns", "all_noun_classes")
_SOUND = ("annotation_id", *_TIMES)
_SOUND_LABELS = ("description", "class", "class_id")
_SCHEMA = dict(TABLES["segments"].schema)

_SAID = (
    "narration", "class_name", "class_id", "verb", "noun", "released_verbs", "released_nouns",
)  # fmt: skip
"""Columns that rows of one segment must agree in, where both have them."""

_NOUNS = {"verb": pl.String(), "noun": pl.String(), "others": pl.List(pl.String())}


def read_segments(part: PartFiles) -> Rows:
    """Actions, sounds, and the relations that the actions' verbs and nouns make."""
    reader = RowReader("segments")
    splits = part.document(MAIN_SPLITS)
    actions = [
        made
        for path, one in in_order(part.files, ACTIONS)
        if (made := _actions(part, path, one, splits, reader)) is not None
    ]
    sounds = [
        made
        for path, one in in_order(part.files, SOUNDS)
        if (made := _sounds(part, path, one, reader)) is not None
    ]
    told = _cut(_once([*actions, *sounds], reader), part.document(INFO))
    segments = told.select(_SCHEMA.keys())
    return Rows({"segments": segments, "relations": _relations(told)}, tuple(reader.refused))


def _once(frames: Sequence[pl.DataFrame], reader: RowReader) -> pl.DataFrame:
    """Rows of all lists, each segment once: of two lists the first counts."""
    empty = pl.DataFrame(schema={**_SCHEMA, **_NOUNS})
    every = pl.concat([empty, *frames])
    first = pl.col("segment_id").is_first_distinct()
    kept, again = every.filter(first), every.filter(~first)
    both = again.join(kept, on="segment_id", how="left", suffix="_kept", maintain_order="left")

    def differ(names: Sequence[str]) -> pl.Expr:
        return pl.any_horizontal(pl.col(n) != pl.col(f"{n}_kept") for n in names).fill_null(False)

    # A list without labels says nothing of them.
    moved, labelled = differ(("recording_id", "start_s", "end_s")), differ(_SAID)
    for row in both.filter(labelled & ~moved).iter_rows(named=True):
        name = next(
            n
            for n in _SAID
            if None not in (row[n], row[f"{n}_kept"]) and row[n] != row[f"{n}_kept"]
        )
        reader.reject(
            row["source_file"], row["source_key"], "contradicting_rows", row[name],
            f"{row['source_file_kept']} has {row[f'{name}_kept']!r} for {name} of the segment; that is"
            " used",
            "decide which file is right and correct the other", row["recording_id"],
        )  # fmt: skip
    for row in both.filter(moved).iter_rows(named=True):
        reader.reject(
            row["source_file"], row["source_key"], "contradicting_rows",
            f"{row['start_s']:g}-{row['end_s']:g} s",
            f"{row['source_file_kept']} has the segment from {row['start_s_kept']:g} s to"
            f" {row['end_s_kept']:g} s; that is used",
            "decide which file is right and correct the other", row["recording_id"],
        )  # fmt: skip
    return kept


def _cut(told: pl.DataFrame, info: Mapping[str, Mapping[str, object]]) -> pl.DataFrame:
    """Ends that lie a little behind the stated end of the video are cut to it, and say so.

    Players round; what reaches further is judged by what the video itself says of its length.
    """
    lengths = pl.DataFrame(
        {"recording_id": list(info), "length_s": [one["duration_s"] for one in info.values()]},
        schema={"recording_id": pl.String(), "length_s": pl.Float64()},
    )
    joined = told.join(lengths, on="recording_id", how="left", maintain_order="left")
    end, length = pl.col("end_s"), pl.col("length_s")
    over = (
        (end > length) & (end <= length + TOLERANCE_S) & (pl.col("start_s") < length)
    ).fill_null(False)
    return joined.with_columns(
        pl.when(over).then(length).otherwise(end).alias("end_s"),
        pl.when(over).then(end).alias("stated_end_s"),
    ).drop("length_s")


def _actions(
    part: PartFiles, path: str, one: Listing, splits: Mapping[str, str], reader: RowReader
) -> pl.DataFrame | None:
    needed = (*_ACTION, *(_LABELS if one.labelled else ()))
    columns = text_columns(reader, path, part.files[path], needed)
    if columns is None:
        return None
    count = len(columns)
    made = _timed(columns, "narration_id")
    _judge_frames(columns, made, reader)
    nothing: list[None] = [None] * count
    labels: dict[str, list] = dict.fromkeys(("narration", "class_name", *_NOUNS), nothing)
    verbs: list = nothing
    nouns: list = nothing
    if one.labelled:
        verb, noun = columns.read("verb", canonical_word), columns.read("noun", canonical_word)
        verbs = [None if c is None else [c] for c in columns.read("verb_class", whole_number)]
        nouns = columns.read("all_noun_classes", int_list)
        names = columns.read("all_nouns", string_list)
        for at, (told, ids) in enumerate(zip(names, nouns, strict=True)):
            if told is not None and ids is not None and len(told) != len(ids):
                columns.fault(at, "all_nouns and all_noun_classes differ in length", len(ids))
        spoken = [None if n is None else noun_words(n) for n in noun]
        labels = {
            "narration": columns.read("narration", canonical_word),
            "class_name": [
                f"{verb_words(v or '')} {n or ''}" for v, n in zip(verb, spoken, strict=True)
            ],
            "verb": verb,
            "noun": spoken,
            "others": [
                [w for w in dict.fromkeys(map(noun_words, told or [])) if w != n]
                for told, n in zip(names, spoken, strict=True)
            ],
        }
    videos = made["recording_id"]
    columns.reject(reader, videos)
    return _framed(
        columns,
        {
            **made,
            **labels,
            "source": [part.source] * count,
            "kind": ["action"] * count,
            "precision_s": [_PRECISION_S["action"]] * count,
            "split": [splits.get(v, one.split) if v else None for v in videos],
            "released_verbs": verbs,
            "released_nouns": nouns,
            "source_key": columns.texts["narration_id"],
        },
    )


def _timed(columns: TextColumns, key: str) -> dict[str, list]:
    """Id, video and times of each row."""
    ids = columns.read(key, canonical_word)
    videos = columns.read("video_id", video_id)
    starts = columns.read("start_timestamp", clock_s)
    ends = columns.read("stop_timestamp", clock_s)
    for at, (uid, video) in enumerate(zip(ids, videos, strict=True)):
        if uid is not None and video is not None and not uid.startswith(f"{video}_"):
            columns.fault(at, f"{key} is of another video than {video}", uid)
    return {"segment_id": ids, "recording_id": videos, "start_s": starts, "end_s": ends}


def _judge_frames(columns: TextColumns, made: Mapping[str, list], reader: RowReader) -> None:
    """Tell rows whose frame numbers are those of other times; the times are used."""
    for side in ("start", "stop"):
        frames = columns.read(f"{side}_frame", whole_number)
        times = made["start_s" if side == "start" else "end_s"]
        for at, (frame, t, video) in enumerate(
            zip(frames, times, made["recording_id"], strict=True)
        ):
            if frame is None or t is None or video is None:
                continue
            # Times are whole hundredths: a little is added for products such as 0.29 * 50.
            counted = max(1, math.floor(t * frame_base(video) + 1e-6))
            if abs(frame - counted) > FRAMES_OFF:
                reader.reject(
                    columns.file, columns.rows[at], "frame_contradicts_time", frame,
                    f"{side}_frame is {frame}, at {t:g} s it is {counted} of {frame_base(video)} per"
                    " second; the time is used",
                    REMEDY_ROW, video,
                )  # fmt: skip


def _framed(columns: TextColumns, made: Mapping[str, list]) -> pl.DataFrame:
    schema = {**_SCHEMA, **_NOUNS}
    nothing: list[None] = [None] * len(columns)
    filled = {name: made.get(name, nothing) for name in schema}
    filled["source_file"] = [columns.file] * len(columns)
    return columns.sound(filled, schema)


def canonical_word(text: str) -> str:
    """Text that is not empty.

    Raises:
        Malformed: Nothing but blanks.
    """
    if not text.strip():
        raise Malformed("is empty")
    return text.strip()


def _relations(told: pl.DataFrame) -> pl.DataFrame:
    """The wearer does the verb to the noun; further nouns take part in a way that is not said."""
    # The contract refuses a span without a length: nothing may refer to it.
    rows = told.filter(pl.col("verb").is_not_null() & (pl.col("end_s") > pl.col("start_s")))
    key, verb = pl.col("segment_id"), pl.col("verb")
    others = rows.select("source", "recording_id", "segment_id", "verb", "others", "source_file")
    others = others.explode("others", empty_as_null=True).filter(pl.col("others").is_not_null())
    no_role = pl.lit(None, pl.String())

    def made(
        frame: pl.DataFrame,
        uid: pl.Expr,
        subject: pl.Expr,
        relation: str,
        thing: pl.Expr,
        role: pl.Expr,
    ) -> pl.DataFrame:
        return frame.select(
            "source",
            "recording_id",
            uid.alias("relation_id"),
            "segment_id",
            subject.alias("subject"),
            pl.lit(relation).alias("relation"),
            thing.alias("object"),
            role.alias("role"),
            pl.lit(None, pl.String()).alias("hand_side"),
            pl.lit(None, pl.String()).alias("actor_id"),
            "source_file",
            uid.alias("source_key"),
        ).select(TABLES["relations"].schema.keys())

    return pl.concat(
        [
            made(rows, key + "|verb", pl.lit(WEARER), "verb", verb, no_role),
            made(
                rows, key + "|noun", verb, "direct object", pl.col("noun"), pl.lit("direct")
            ),
            made(
                others, key + "|also|" + pl.col("others"), verb, "other object",
                pl.col("others"), pl.lit("other"),
            ),
        ]
    ).sort("segment_id", "relation_id")  # fmt: skip


def _sounds(part: PartFiles, path: str, one: Listing, reader: RowReader) -> pl.DataFrame | None:
    needed = (*_SOUND, *(_SOUND_LABELS if one.labelled else ()))
    columns = text_columns(reader, path, part.files[path], needed)
    if columns is None:
        return None
    count = len(columns)
    made = _timed(columns, "annotation_id")
    labels: dict[str, list] = {}
    if one.labelled:
        labels = {
            "narration": [text.strip() or None for text in columns.texts["description"]],
            "class_name": columns.read("class", canonical_word),
            "class_id": columns.read("class_id", whole_number),
        }
    columns.reject(reader, made["recording_id"])
    ids = made.pop("segment_id")
    return _framed(
        columns,
        {
            **made,
            **labels,
            "segment_id": [None if uid is None else f"{SOUND_KEY}{uid}" for uid in ids],
            "source": [part.source] * count,
            "kind": ["sound"] * count,
            "precision_s": [_PRECISION_S["sound"]] * count,
            "split": [one.split] * count,
            "source_key": columns.texts["annotation_id"],
        },
    )
