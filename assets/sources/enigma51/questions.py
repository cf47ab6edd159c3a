"""Questions that a third party made of ENIGMA-51: which object was used with a pictured one.

The file is a table by column: `{column: {row: value}}`. Query and options are `{name: [[frame, [x1, y1,
x2, y2]]]}`, shares of the picture; they may reach a little beyond it. Options are numbered "1" to
"5", and the right one is given by that number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from assets.sources.enigma51.files import FPS, Shot, frame_number, video_id
from assets.sources.enigma51.master import box_of
from assets.sources.imported_questions import check_options, question_row
from assets.sources.layout import PartFiles, Rows
from assets.sources.reading.json import document_of, member_of
from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed, whole_number
from expectations.schemas import TABLES

QUESTION_SET: Final = "Q5_ENIGMA_TEST"
_COLUMNS: Final = ("id", "video_id", "question", "question_image", "answers", "correct")


@dataclass(frozen=True, slots=True)
class Pictured:
    """An object shown by a question: its box in a frame, corners in shares of the picture."""

    released_id: str
    name: str
    shot: Shot
    box: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Question:
    """A question as it stands."""

    released_id: str
    video: str
    text: object
    asked: str
    options: tuple[str, ...]
    answer: int
    pictured: tuple[Pictured, ...]


def read_questions(part: PartFiles) -> Rows:
    """Questions with the names of objects as options.

    The medium is the whole video, then an instant for each box that stands for `[VQ]` in the text;
    `source_key` names the object asked about, the boxes are in `boxes`.
    """
    reader = RowReader("imported_questions")
    rows: dict[str, dict] = {}
    for path, data in sorted(part.files.items()):
        for one in _questions(path, data, reader):
            row = reader.make(path, one.released_id, lambda o=one, p=path: _row(part.source, p, o))
            if row is not None and one.released_id in rows:
                reader.reject(
                    path, one.released_id, "question_twice", one.released_id,
                    "two questions have one id; the first counts", "give each an id of its own",
                    one.video,
                )  # fmt: skip
            elif row is not None:
                rows[one.released_id] = row
    table = TABLES["imported_questions"].frame(rows.values())
    return Rows({"imported_questions": table}, tuple(reader.refused))


def read_pictured(path: str, data: bytes) -> Iterator[Pictured]:
    """All boxes of a file; what cannot be read is reported by the part that reads questions."""
    for one in _questions(path, data, RowReader("")):
        yield from one.pictured


def _row(source: str, path: str, one: _Question) -> dict:
    shown = [p for p in one.pictured if p.name == one.asked]
    instants = [
        {"role": "reference", "recording_id": one.video, "start_s": p.shot.t_s, "end_s": p.shot.t_s}
        for p in shown
    ]
    return question_row(
        source,
        path,
        QUESTION_SET,
        one.released_id,
        text=one.text,
        options=check_options(list(one.options)),
        media=[{"role": "query", "recording_id": one.video}, *instants],
        answer=one.answer,
        subtask="Q5",
        domain="ENIGMA",
        split="test",
        answer_text=one.options[one.answer],
        fps=float(FPS),
        source_key=f"{one.released_id}#{one.asked}",
    )


def _questions(path: str, data: bytes, reader: RowReader) -> Iterator[_Question]:
    try:
        document = document_of(data)
        columns = document if isinstance(document, dict) else {}
        absent = [n for n in _COLUMNS if not isinstance(columns.get(n), dict)]
        if absent:
            raise Malformed(f"the document has no columns {absent}", ", ".join(absent))
        member_of(columns, "id", dict)
    except Malformed as error:
        reader.unreadable(path, error)
        return
    # Rows are named by the file: its id column is the order that lasts.
    for at in columns["id"]:
        values = {name: columns[name].get(at) for name in _COLUMNS}
        row = reader.make(path, at, lambda v=values: {"question": _question(v)})
        if row is not None:
            yield row["question"]


def _question(values: Mapping[str, Any]) -> _Question:
    uid = values["id"]
    if not isinstance(uid, str) or not uid:
        raise Malformed("the question has no id", str(uid)[:80])
    video = video_id(values["video_id"])
    asked, pictured = _object(uid, video, values["question_image"])
    listed = values["answers"]
    if not isinstance(listed, dict) or set(listed) != {str(n + 1) for n in range(len(listed))}:
        raise Malformed("options are not numbered from 1", str(listed)[:80])
    options = []
    for n in range(len(listed)):
        name, boxes = _object(uid, video, listed[str(n + 1)])
        options.append(name)
        pictured += boxes
    if asked in options or len(set(options)) < len(options):
        raise Malformed("an object is an option twice, or is the one asked about", str(options))
    answer = whole_number(values["correct"]) - 1
    if not 0 <= answer < len(options):
        raise Malformed(f"the answer is not one of {len(options)} options", values["correct"])
    return _Question(uid, video, values["question"], asked, tuple(options), answer, tuple(pictured))


def _object(uid: str, video: str, value: object) -> tuple[str, list[Pictured]]:
    """Name of an object and its boxes."""
    if not isinstance(value, dict) or len(value) != 1:
        raise Malformed("an object is not given as one name with boxes", str(value)[:80])
    name, listed = next(iter(value.items()))
    if not isinstance(listed, list):
        raise Malformed("boxes are not a list", str(listed)[:80])
    made = []
    for item in listed:
        if not isinstance(item, list) or len(item) != 2:
            raise Malformed("a box is not given as frame and corners", str(item)[:80])
        made.append(Pictured(uid, name, Shot(video, frame_number(item[0])), box_of(item[1])))
    return name, made
