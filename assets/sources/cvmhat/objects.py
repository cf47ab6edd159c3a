"""Boxes of people in CVMHAT, and the pictures in which everybody was boxed."""

from __future__ import annotations

from typing import Final

import polars as pl

from assets.sources.cvmhat.files import HEIGHT_PX, WIDTH_PX, is_ego, take_of
from assets.sources.cvmhat.forms import Form, differing, forms_of
from assets.sources.cvmhat.recordings import WEARER
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.row_reader import RowReader
from expectations.schemas import TABLES

WHAT: Final = "people"
_TOLD: Final = 100
_CORNERS: Final = ("x_min", "y_min", "x_max", "y_max")


def read_objects(part: PartFiles) -> Rows:
    """Boxes of one recording, from the first of its forms that can be read.

    A person's id is that of the take: the same in both views. Boxes reach a little beyond the
    picture; they are cut at its edge, and the numbers of the source kept. A picture counts as
    annotated where each of its boxes could be used: absence is concluded from it.
    """
    assert part.recording is not None
    uid = str(part.recording["recording_id"])
    reader = RowReader("boxes")
    forms = list(forms_of(uid, part.files, reader))
    if not forms:
        return Rows({}, tuple(reader.refused))
    used, *others = forms
    for other in others:
        _compare(reader, uid, used, other)
    size = next((form.size for form in forms if form.size), (WIDTH_PX, HEIGHT_PX))
    rows, spoilt = _sound(reader, uid, _placed(used.rows, size))
    whole = [] if used.torn is None else sorted(used.frames - used.torn - spoilt)
    annotated = (
        {"source": part.source, "recording_id": uid, "what": WHAT, "source_frame": n}
        for n in whole
        if n >= 1
    )
    tables = {
        "boxes": _boxes(rows, part.source, uid, used.raw_form),
        "annotated_frames": TABLES["annotated_frames"].frame(annotated),
    }
    return Rows(tables, tuple(reader.refused))


def _compare(reader: RowReader, uid: str, used: Form, other: Form) -> None:
    count = differing(used, other)
    if count or other.rows.height != used.rows.height:
        reader.reject(
            other.place, None, "forms_differ", f"{count} of {other.rows.height} boxes",
            f"this form has other boxes than {used.place}, which is used",
            "nothing to do; ask the authors which form is right", uid,
        )  # fmt: skip


def _placed(rows: pl.DataFrame, size: tuple[int, int]) -> pl.DataFrame:
    """Corners over the picture's sides, cut at its edges."""
    width, height = size
    corners = (
        (pl.col(edge) / side).alias(name)
        for name, edge, side in zip(
            _CORNERS,
            ("left", "top", "right", "bottom"),
            (width, height, width, height),
            strict=True,
        )
    )
    placed = rows.with_columns(corners)
    return placed.with_columns(
        pl.any_horizontal(~pl.col(c).is_between(0, 1) for c in _CORNERS).alias("clipped"),
        *(pl.col(c).clip(0, 1) for c in _CORNERS),
    )


def _sound(reader: RowReader, uid: str, rows: pl.DataFrame) -> tuple[pl.DataFrame, frozenset[int]]:
    """Rows that can be boxes, and the pictures of those that cannot."""
    own = pl.lit(is_ego(uid))
    faults = {
        "frame_number": (
            pl.col("frame") < 1,
            "pictures are counted from 1",
            "correct the number of the picture",
        ),
        "person_number": (
            pl.col("person") < 0,
            "people are counted from 0",
            "correct the id of the person",
        ),
        "wearer_in_own_view": (
            own & (pl.col("person") == WEARER),
            "the wearer of the camera, id 0, is boxed in the camera's own picture",
            "correct the id of the person",
        ),
        "no_area": (
            ~((pl.col("x_max") > pl.col("x_min")) & (pl.col("y_max") > pl.col("y_min"))),
            "the box has no area inside the picture",
            "correct the numbers of the box",
        ),
        # One person is in one place: nothing tells which of the boxes is another person's.
        "person_twice": (
            pl.struct("frame", "person").is_duplicated(),
            "one person is boxed twice in one picture; neither box is used",
            "remove one of the boxes, or correct its id",
        ),
    }
    spoilt: set[int] = set()
    for rule, (wrong, message, remedy) in faults.items():
        bad = rows.filter(wrong)
        if bad.is_empty():
            continue
        spoilt |= set(bad["frame"])
        for row in bad.head(_TOLD).iter_rows(named=True):
            value = ", ".join(f"{row[e]:g}" for e in ("left", "top", "right", "bottom"))
            reader.reject(row["file"], row["row"], rule, value, message, remedy, uid)
        if bad.height > _TOLD:
            count = bad.height - _TOLD
            said = f"{count} more rows: {message}"
            reader.reject(bad["file"][0], None, rule, count, said, remedy, uid)
        rows = rows.filter(~wrong)
    return rows, frozenset(spoilt)


def _boxes(rows: pl.DataFrame, source: str, uid: str, form: str) -> pl.DataFrame:
    if form == "xywh_px":
        third, fourth = pl.col("right") - pl.col("left"), pl.col("bottom") - pl.col("top")
    else:
        third, fourth = pl.col("right"), pl.col("bottom")
    made = rows.select(
        pl.lit(source).alias("source"),
        pl.lit(uid).alias("recording_id"),
        pl.format("{}/{}", pl.lit(uid), "row").alias("box_id"),
        pl.col("frame").alias("source_frame"),
        pl.lit("person").alias("class_name"),
        pl.col("person").cast(pl.String).alias("track_id"),
        pl.format("{}/{}", pl.lit(take_of(uid)), "person").alias("person_id"),
        pl.lit("stored").alias("image_space"),
        *_CORNERS,
        pl.concat_list("left", "top", third, fourth).alias("raw"),
        pl.lit(form).alias("raw_form"),
        "clipped",
        pl.lit("manual").alias("method"),
        pl.col("file").alias("source_file"),
        pl.col("row").alias("source_key"),
    )
    return TABLES["boxes"].fit(made)
