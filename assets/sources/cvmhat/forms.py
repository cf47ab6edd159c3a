"""Boxes of a CVMHAT recording in each of the three forms they are released in.

A form is read into one frame of rows, so that what follows does not know which it was. The text
form states no picture without a person; the other two do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from assets.sources.cvmhat.files import FORMS
from assets.sources.reading.mat import cell_array
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, number, whole_number
from assets.sources.reading.wide_csv import wide_csv
from assets.sources.reading.xml import Element, xml_tree

_COLUMNS: Final = ("frame", "person", "x", "y", "w", "h", "r1", "r2", "r3", "r4")
_EDGES: Final = ("left", "top", "right", "bottom")
ROWS: Final = pl.Schema(
    {
        "file": pl.String(),
        "row": pl.String(),
        "frame": pl.Int64(),
        "person": pl.Int64(),
        **dict.fromkeys(_EDGES, pl.Float64()),
    }
)


@dataclass(frozen=True, slots=True)
class Form:
    """The boxes of one recording in one form.

    Attributes:
        name: `txt`, `xml` or `mat`.
        place: File or folder it is read from.
        rows: Boxes in the columns `ROWS`: edges in pixels, as the source has them.
        frames: Pictures that were annotated.
        torn: Pictures of which a box could not be read; None where it is not known which.
        size: Width and height of the pictures, where the form states them.
    """

    name: str
    place: str
    rows: pl.DataFrame
    frames: frozenset[int]
    torn: frozenset[int] | None
    size: tuple[int, int] | None = None

    @property
    def raw_form(self) -> str:
        """What the four numbers of a box are."""
        return "xywh_px" if self.name == "txt" else "xyxy_px"


def forms_of(uid: str, files: Mapping[str, bytes], reader: RowReader) -> Iterator[Form]:
    """Every form in which a recording's boxes lie here and that can be read, the one to use first.

    Text goes before XML and both before MATLAB: the readme of the release describes the first two,
    and in three recordings MATLAB has narrower boxes. Of one form in two places (unpacked beside
    its archive) the first is read.

    Args:
        uid: Recording.
        files: Its annotation files.
        reader: Takes what is wrong with the form that is used; of others only a form that cannot be
            read at all is reported.
    """
    used = False
    for name, pattern in FORMS.items():
        places: dict[str, dict[str, bytes]] = {}
        for path in sorted(files, key=lambda p: (p.count("/"), p)):
            if re.fullmatch(pattern, path):
                place = path.rpartition("/")[0] if name == "xml" else path
                places.setdefault(place, {})[path] = files[path]
        for place, held in places.items():
            own = RowReader(reader.table)
            try:
                form = _READERS[name](own, place, held, uid)
            except Malformed as error:
                reader.unreadable(place, error, uid)
                continue
            if not used:
                reader.refused.extend(own.refused)
            used = True
            yield form


# -- text ------------------------------------------------------------------------------------------


def _txt(reader: RowReader, place: str, files: Mapping[str, bytes], uid: str) -> Form:
    (data,) = files.values()
    lines = data.rstrip().split(b"\n")
    if lines == [b""]:
        raise Malformed("the file is empty")
    # The readme says blanks where the files have commas; and no number is quoted.
    text = data.rstrip().replace(b'"', b"'")
    if b"," not in lines[0]:
        text = re.sub(rb"[ \t]+", b",", text)
    before = len(reader.refused)
    read = wide_csv(
        reader, place, text,
        ints=("frame", "person"), floats=("x", "y", "w", "h"), texts=_COLUMNS[6:],
        recording_id=uid, header=_COLUMNS,
    )  # fmt: skip
    told = [one["row"] for one in reader.refused[before:]]
    first = [re.match(rb"\s*([0-9]{1,9})[\s,]", lines[int(at) - 1]) if at else None for at in told]
    torn = None if None in first else frozenset(int(m[1]) for m in first if m)
    rows = read.select(
        pl.lit(place).alias("file"),
        pl.format("{}/{}", "frame", "person").alias("row"),
        "frame",
        "person",
        pl.col("x").alias("left"),
        pl.col("y").alias("top"),
        (pl.col("x") + pl.col("w")).alias("right"),
        (pl.col("y") + pl.col("h")).alias("bottom"),
    )
    return Form("txt", place, rows, frozenset(rows["frame"]), torn)


# -- XML -------------------------------------------------------------------------------------------


def _xml(reader: RowReader, place: str, files: Mapping[str, bytes], uid: str) -> Form:
    rows: list[dict] = []
    frames: set[int] = set()
    torn: set[int] = set()
    sizes: set[tuple[int, int]] = set()
    for path, data in files.items():
        frame = int(path.rpartition("/")[2].removesuffix(".xml"))
        try:
            tree = xml_tree(data)
        except Malformed as error:
            reader.unreadable(path, error, uid)
            torn.add(frame)
            continue
        frames.add(frame)
        size = reader.make(path, "size", lambda t=tree: {"size": _size(t)}, uid)
        if size is not None and size["size"] is not None:
            sizes.add(size["size"])
        for at, item in enumerate(tree.all("object")):
            row = reader.make(path, f"object {at}", lambda i=item: _object(i), uid)
            if row is None:
                torn.add(frame)
                continue
            key = f"{frame}/{row['person']}"
            rows.append({"file": path, "row": key, "frame": frame, **row})
    if len(sizes) > 1:
        raise Malformed(f"the files state pictures of {len(sizes)} sizes", sorted(sizes))
    table = pl.DataFrame(rows, ROWS)
    return Form("xml", place, table, frozenset(frames), frozenset(torn), next(iter(sizes), None))


def _size(tree: Element) -> tuple[int, int] | None:
    """Width and height, if both are stated and none is 0, which stands for unknown."""
    size = tree.first("size")
    if size is None:
        return None
    width, height = (whole_number(size.said(side) or "0") for side in ("width", "height"))
    if width < 0 or height < 0:
        raise Malformed(f"a picture of {width} x {height}", f"{width} x {height}")
    return (width, height) if width and height else None


def _object(item: Element) -> dict:
    box = item.first("rectangle", "bndbox")
    if box is None:
        raise Malformed("the object has neither rectangle nor bndbox")
    names = ("xmin", "ymin", "xmax", "ymax")
    edges = [number(box.said(name)) for name in names]
    person = whole_number(item.said("name"))
    return {"person": person, **dict(zip(_EDGES, edges, strict=True))}


# -- MATLAB ----------------------------------------------------------------------------------------


def _mat(reader: RowReader, place: str, files: Mapping[str, bytes], uid: str) -> Form:
    (data,) = files.values()
    frames: list[int] = []
    blocks: list[np.ndarray] = []
    torn: set[int] = set()
    for at, cells in enumerate(cell_array(data, "objs_inter")):
        made = reader.make(place, at + 1, lambda c=cells: _picture(c), uid)
        if made is None:
            told = re.match(r"\d{1,9}", str(cells[0])) if cells else None
            torn.add(int(told[0]) if told else -1)
            continue
        frames.append(made["frame"])
        blocks.append(np.insert(made["boxes"], 0, made["frame"], axis=1))
    table = np.concatenate(blocks) if blocks else np.empty((0, 6))
    rows = pl.DataFrame(table, ["frame", *_EDGES, "person"], orient="row")
    rows = rows.with_columns(pl.col("frame", "person").cast(pl.Int64)).select(
        pl.lit(place).alias("file"),
        pl.format("{}/{}", "frame", "person").alias("row"),
        "frame",
        "person",
        *_EDGES,
    )
    known = None if -1 in torn else frozenset(torn)
    return Form("mat", place, rows, frozenset(frames), known)


def _picture(cells: Sequence[object]) -> dict:
    """One picture: the name of its file, and a row of four edges and an id for each person."""
    if len(cells) != 2:
        raise Malformed(f"a picture has {len(cells)} cells, not two", len(cells))
    name, boxes = cells
    match = re.fullmatch(r"(\d{1,9})\.\w+", name) if isinstance(name, str) else None
    if match is None:
        raise Malformed("the picture's name is not a number", name)
    if not isinstance(boxes, np.ndarray) or (boxes.size and boxes.shape[1] != 5):
        raise Malformed("boxes are not rows of five numbers", name)
    numbers = boxes.astype(np.float64).reshape(-1, 5)
    if not np.isfinite(numbers).all() or (numbers[:, 4] % 1).any():
        raise Malformed("a box holds no number, or a person's id is not whole", name)
    if np.abs(numbers).max(initial=0) > 1 << 31:
        raise Malformed("a number is too large", name)
    return {"frame": int(match[1]), "boxes": numbers}


_READERS: Final = {"txt": _txt, "xml": _xml, "mat": _mat}


def differing(used: Form, other: Form) -> int:
    """Boxes of a form that the one used has not."""
    what = ["frame", "person", *_EDGES]
    return other.rows.join(used.rows, on=what, how="anti").height
