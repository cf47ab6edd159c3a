"""ExtremeSportFPV: videos from cameras on skiers, riders and runners, with labelled actions.

No file of the dataset is public. The layout is assumed, from the questions EgoCross made of it:
videos `VIDnnn`, labels such as `curveleft` or `jump`, five sports.

- `videos/VIDnnn.mp4`, or `videos/<sport>/VIDnnn.mp4`;
- optionally `annotations.csv` with `video_id,start_sec,end_sec,label`;
- optionally `sports.csv` with `video_id,sport`.

The sport is the recording's `scenario`. Labels are actions: those that tell where the wearer moves
carry the flag `direction` in `taxonomies`, tricks carry `special`; numbers of classes are ours,
since nothing numbers them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from assets.sources.guard import Guard
from assets.sources.layout import Layout, Medium, Part, PartFiles, Rows
from assets.sources.reading import Malformed, number
from assets.sources.recording_rows import recording_tables, video_media
from expectations.schemas import TABLES

LICENCE: Final = "unknown"
ACTIONS: Final[tuple[tuple[str, str, str | None], ...]] = (
    ("forward", "forward", "direction"),
    ("left", "left", "direction"),
    ("right", "right", "direction"),
    ("curveleft", "curve left", "direction"),
    ("curveright", "curve right", "direction"),
    ("leftright", "left then right", "direction"),
    ("bumpyforward", "bumpy forward", None),
    ("walk", "walk", None),
    ("run", "run", None),
    ("slidestop", "slide stop", None),
    ("lift", "lift", None),
    ("jump", "jump", "special"),
    ("fly", "fly", "special"),
    ("spin", "spin", "special"),
    ("climb", "climb", "special"),
    ("flip", "flip", "special"),
    ("vault", "vault", "special"),
    ("roll", "roll", "special"),
)
"""Label, its words in questions, and which questions ask for it (options of EgoCross)."""

_NUMBER: Final = {label: at for at, (label, _, _) in enumerate(ACTIONS)}
_VIDEO: Final = r"videos/(?:(?P<sport>[^/]+)/)?(?P<uid>VID\d{3,})\.(?:mp4|avi)"
_LABELS: Final = "annotations.csv"
_SPORTS: Final = "sports.csv"
_LABEL_COLUMNS: Final = ("video_id", "start_sec", "end_sec", "label")


def read_recordings(part: PartFiles) -> Rows:
    """Every video that is stored or annotated; its sport where the files agree on one."""
    guard = Guard("recordings")
    media: dict[str, Medium] = {}
    sports: dict[str, dict[str, str]] = {}
    files: dict[str, str] = {}
    for file, uid, sport in _listed(part.files, guard):
        files.setdefault(uid, file)
        if sport is not None:
            sports.setdefault(uid, {}).setdefault(sport, file)
    for path, medium in sorted(part.media.items()):
        match = re.fullmatch(_VIDEO, path)
        assert match is not None
        uid = match["uid"]
        if uid in media:
            guard.refuse(
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
            guard.refuse(
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
    return Rows(tables, tuple(guard.refused))


def _listed(files: Mapping[str, bytes], guard: Guard) -> Iterator[tuple[str, str, str | None]]:
    """File, video and sport of the lists; rows of labels tell no sport."""
    for file, data in sorted(files.items()):
        if file == _SPORTS:
            made = guard.csv(
                file, data, ("video_id", "sport"),
                lambda v: {"uid": _uid(v), "sport": _sport(v["sport"]) or None},
            )  # fmt: skip
        else:
            # Labels are told by the part that reads them.
            untold = Guard("recordings")
            made = untold.csv(file, data, _LABEL_COLUMNS, lambda v: {"uid": _uid(v), "sport": None})
        for _, row in made:
            yield file, row["uid"], row["sport"]


def _uid(values: Mapping[str, str]) -> str:
    name = values["video_id"].strip()
    if re.fullmatch(r"VID\d{3,}", name) is None:
        raise Malformed("videos are named VIDnnn", name)
    return name


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


def read_segments(part: PartFiles) -> Rows:
    """Labelled actions."""
    guard = Guard("segments")
    rows = []
    for file, data in sorted(part.files.items()):
        for _, row in guard.csv(file, data, _LABEL_COLUMNS, _action, _named):
            rows.append({"source": part.source, "source_file": file, **row})
    return Rows({"segments": TABLES["segments"].frame(rows)}, tuple(guard.refused))


def _named(values: Mapping[str, str]) -> str | None:
    return values["video_id"].strip() or None


def _action(values: Mapping[str, str]) -> dict:
    uid = _uid(values)
    label = re.sub(r"[_\s-]+", "", values["label"]).lower()
    if not label:
        raise Malformed("the action has no label", values["label"])
    start, end = values["start_sec"].strip(), values["end_sec"].strip()
    key = f"{uid}/{start}-{end}/{label}"
    return {
        "segment_id": key,
        "recording_id": uid,
        "kind": "action",
        "start_s": number(start),
        "end_s": number(end),
        "class_id": _NUMBER.get(label),
        "class_name": label,
        "source_key": key,
    }


def read_taxonomies(part: PartFiles) -> Rows:
    """Known actions, numbered by us (see `ACTIONS`)."""
    rows = [
        {
            "source": part.source,
            "taxonomy": "action",
            "class_id": at,
            "label": label,
            "terms": [words],
            "flags": [flag] if flag else [],
            "source_file": file,
        }
        for file in sorted(part.files)
        for at, (label, words, flag) in enumerate(ACTIONS)
    ]
    return Rows({"taxonomies": TABLES["taxonomies"].frame(rows)})


LAYOUT = Layout(
    name="extremesportfpv",
    title="ExtremeSportFPV (layout assumed)",
    licence=LICENCE,
    certainty="inferred",
    assumed="all of it: no file of the dataset is public",
    parts=(
        Part(
            "recordings",
            read_recordings,
            rf"{re.escape(_LABELS)}|{re.escape(_SPORTS)}",
            _VIDEO,
        ),
        Part("segments", read_segments, re.escape(_LABELS)),
        Part("taxonomies", read_taxonomies, re.escape(_LABELS)),
    ),
)
