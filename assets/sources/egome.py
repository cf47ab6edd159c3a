"""EgoMe: a person watches a demonstration (exo) and imitates it later (ego).

Both recordings come from the same glasses, on clocks that have nothing in common; what ties them is
the stem of their names. They are takes of their own here, the second imitates the first. No raw file
was seen: the layout is that of projects that read the release. Traps: keys of the annotation end in
`.mp4`; the list of all repeats the lists of the splits; descriptions begin with a letter and a colon;
a coarse description has no times and means the whole video; steps without a description; imitations
that are wrong on purpose; gaze in pixels with -1 where there is none, columns in any order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from assets.sources.guard import Guard
from assets.sources.json_reading import document_of, member_of
from assets.sources.layout import Layout, Medium, Part, PartFiles, Rows
from assets.sources.reading import Malformed, number, refusal, text_or_none, whole_number
from assets.sources.recording_rows import video_media, videos_by_id
from assets.sources.wide_csv import LINE, wide_csv
from expectations.schemas import TABLES

LICENCE = "gated, academic use"
ANNOTATIONS = r"(?:.*/)?Annotation/(?:train|val|test|total)\.json"
GAZE = r"(?:.*/)?Gaze_IMU/(?P<recording>[^/]+_(?:ego|exo))\.csv"
VIDEO = r"(?:.*/)?Video/(?P<uid>[^/]+_(?:ego|exo))\.mp4"
WIDTH_PX, HEIGHT_PX = 1280, 960
_LEVEL = re.compile(r"^[A-Z]:\s*")
_PERSON = re.compile(r"_(User\d+)_")
_VIEWS = {"Ego": "ego", "Exo": "exo"}
_SPLITS = ("train", "val", "test")
_TIME, _X, _Y = "Video Time[HH:mm:ss.ms]", "Gaze Point X[px]", "Gaze Point Y[px]"


def read_recordings(part: PartFiles) -> Rows:
    """Annotated videos and those that are only here; each imitation is tied to what it imitates."""
    guard = Guard("recordings")
    media = videos_by_id(part.media, VIDEO)
    entries = _entries(part, guard)
    rows, links = [], []
    for uid in sorted(entries.keys() | media.keys()):
        file, entry = entries.get(uid, ("", {}))
        medium = media.get(uid)
        row = guard.make(
            file, uid, lambda u=uid, f=file, e=entry, m=medium: _recording(part.source, u, f, e, m)
        )
        if row is None:
            continue
        rows.append(row)
        other = uid.removesuffix("_ego") + "_exo"
        if row["view"] == "ego" and other in entries.keys() | media.keys():
            links.append(
                {
                    "source": part.source,
                    "take_id": uid,
                    "link": "imitates",
                    "other_take_id": other,
                    "faithful": entry.get("Video type"),
                    "source_file": row["source_file"],
                }
            )
    tables = {
        "recordings": TABLES["recordings"].frame(rows),
        "take_links": TABLES["take_links"].frame(links),
    }
    return Rows(tables, tuple(guard.refused))


def read_segments(part: PartFiles) -> Rows:
    """Steps, and the whole video with its coarse description."""
    guard = Guard("segments")
    rows = []
    # What cannot be read of an entry is told by the part that reads recordings.
    for uid, (file, entry) in _entries(part, Guard("")).items():
        base = {"source": part.source, "recording_id": uid, "split": entry.get("Split")}
        base["source_file"] = file
        rows += [{**base, **made} for made in _segments(guard, file, uid, entry)]
    return Rows({"segments": TABLES["segments"].frame(rows)}, tuple(guard.refused))


def read_sensors(part: PartFiles) -> Rows:
    """Gaze in the picture, by the video's time (125 samples a second)."""
    assert part.recording is not None
    uid = str(part.recording["recording_id"])
    guard = Guard("gaze_samples")
    frames = []
    for file, data in part.files.items():
        try:
            read = wide_csv(guard, file, data, floats=(_X, _Y), texts=(_TIME,), recording_id=uid)
        except Malformed as error:
            guard.unreadable(file, error, uid)
            continue
        timed = read.with_columns(t_s=_seconds(pl.col(_TIME)))
        guard.refused += [
            refusal(
                file,
                row[LINE],
                "unreadable_row",
                row[_TIME],
                "the sample has no video time",
                "correct the row",
                table="gaze_samples",
                recording_id=uid,
            )
            for row in timed.filter(pl.col("t_s").is_null()).head(20).iter_rows(named=True)
        ]
        frames.append(_samples(part.source, uid, timed.filter(pl.col("t_s").is_not_null())))
    table = TABLES["gaze_samples"]
    return Rows({"gaze_samples": pl.concat([table.empty(), *frames])}, tuple(guard.refused))


def _entries(part: PartFiles, guard: Guard) -> dict[str, tuple[str, dict[str, Any]]]:
    """Entries by recording, those of the split lists before those of the list of all."""
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for file in sorted(part.files, key=lambda path: (path.endswith("total.json"), path)):
        for uid, entry in _file(guard, file, part.files[file]):
            first = found.setdefault(uid, (file, entry))
            if first[1] != entry:
                guard.refuse(
                    file,
                    uid,
                    "contradicting_entry",
                    str(entry)[:80],
                    f"{first[0]} says something else of the video, which is used",
                    "restore both files from one release",
                    uid,
                )
    return found


def _file(guard: Guard, file: str, data: bytes) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        entries = member_of(document_of(data), "annotations", dict)
    except Malformed as error:
        guard.unreadable(file, error)
        return
    for name, entry in entries.items():
        made = guard.make(file, name, lambda n=name, e=entry: _entry(n, e))
        if made is not None:
            yield made["uid"], made["entry"]


def _entry(name: str, entry: Any) -> dict:
    if not re.fullmatch(r"[^/]+_(ego|exo)\.mp4", name) or not isinstance(entry, dict):
        raise Malformed("the entry is of no video", name)
    uid = name.removesuffix(".mp4")
    view = _VIEWS.get(str(entry.get("View")))
    if view != uid[-3:]:
        raise Malformed("the entry's view is not that of its name", str(entry.get("View")))
    if entry.get("Split") not in (*_SPLITS, None):
        raise Malformed("the entry's split is unknown", str(entry.get("Split")))
    if number(entry.get("Duration")) <= 0:
        raise Malformed("the video has no length", str(entry.get("Duration")))
    if not isinstance(entry.get("Video type"), bool | None):
        raise Malformed("whether the imitation is right is no truth value", entry["Video type"])
    return {"uid": uid, "entry": entry}


def _recording(
    source: str, uid: str, file: str, entry: Mapping[str, Any], medium: Medium | None
) -> dict:
    person = _PERSON.search(uid)
    return {
        "source": source,
        "recording_id": uid,
        "take_id": uid,
        "view": uid[-3:],
        "scenario": text_or_none(entry.get("Action"), "Action"),
        "scene": text_or_none(entry.get("Scene"), "Scene"),
        "person_id": person[1] if person and uid.endswith("_ego") else None,
        "split": entry.get("Split"),
        **video_media(medium),
        "duration_s": number(entry["Duration"]) if entry else None,
        "width_px": WIDTH_PX,
        "height_px": HEIGHT_PX,
        "licence": LICENCE,
        "source_file": file or (medium.path if medium else ""),
        "source_key": uid,
    }


def _segments(guard: Guard, file: str, uid: str, entry: Mapping[str, Any]) -> Iterator[dict]:
    coarse = entry.get("Coarse-level")
    if isinstance(coarse, str) and _plain(coarse):
        yield {
            "segment_id": f"{uid}/coarse",
            "kind": "coarse",
            "start_s": 0.0,
            "end_s": number(entry["Duration"]),
            **_texts(coarse),
            "source_key": f"{uid}/coarse",
        }
    steps = entry.get("Fine-level")
    for step in steps if isinstance(steps, list) else []:
        made = guard.make(file, uid, lambda s=step: _step(uid, s), uid)
        if made:
            yield made


def _step(uid: str, step: Any) -> dict:
    """A step; nothing where it has no description, as some have not."""
    if not isinstance(step, dict):
        raise Malformed("the step is no object", str(step)[:80])
    # The release spells it so.
    text = text_or_none(step.get("Step discription"), "Step discription")
    if text is None or not _plain(text):
        return {}
    times = step.get("Step timestamp")
    if not isinstance(times, list) or len(times) != 2:
        raise Malformed("the step has no two times", str(times))
    order = whole_number(step.get("Step order"))
    start, end = number(times[0]), number(times[1])
    return {
        "segment_id": f"{uid}/{order}@{start:g}",
        "kind": "fine",
        "start_s": start,
        "end_s": end,
        "step_order": order,
        **_texts(text),
        "source_key": f"{uid}/{order}",
    }


def _plain(text: str) -> str:
    return _LEVEL.sub("", text).strip()


def _texts(text: str) -> dict[str, str]:
    return {"narration": _plain(text), "narration_original": text}


def _seconds(stamp: pl.Expr) -> pl.Expr:
    """Seconds of `00:01:02.345`, null where it is none."""
    pieces = stamp.str.extract_groups(r"^(\d+):([0-5]?\d):([0-5]?\d(?:\.\d+)?)$").struct
    hours, minutes, seconds = (pieces.field(n).cast(pl.Float64, strict=False) for n in "123")
    return hours * 3600 + minutes * 60 + seconds


def _samples(source: str, uid: str, read: pl.DataFrame) -> pl.DataFrame:
    none = (pl.col(_X) == -1) | (pl.col(_Y) == -1)
    x, y = pl.col(_X) / WIDTH_PX, pl.col(_Y) / HEIGHT_PX
    outside = ~(x.is_between(0, 1) & y.is_between(0, 1))
    made = read.select(
        source=pl.lit(source),
        recording_id=pl.lit(uid),
        sample=pl.col(LINE) - 2,
        t_s=pl.col("t_s"),
        x=pl.when(~none).then(x),
        y=pl.when(~none).then(y),
        validity=pl.when(none)
        .then(pl.lit("flagged"))
        .when(outside)
        .then(pl.lit("outside"))
        .otherwise(pl.lit("valid")),
    )
    return TABLES["gaze_samples"].fit(made)


LAYOUT = Layout(
    name="egome",
    title="EgoMe",
    licence=LICENCE,
    certainty="inferred",
    assumed=(
        "all of it: no file of the release was seen, and names and forms are those that "
        "projects reading it use"
    ),
    parts=(
        Part("recordings", read_recordings, ANNOTATIONS, VIDEO),
        Part("segments", read_segments, ANNOTATIONS),
        Part("sensors", read_sensors, GAZE),
    ),
)
