"""Files of EgoExoBench: where they lie, and the rows of the question table."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from assets.sources.reading.row_reader import RowReader
from assets.sources.reading.values import Malformed

LICENCE = "unstated; media keep their datasets' licences"
QUESTIONS = r"(?:.*/)?EgoExoBench[^/]*\.tsv"
VIDEO = r".+\.(?:mp4|mov|avi|mkv|webm)"
PICTURE = r".+\.(?:jpg|jpeg|png|bmp)"
MEDIA = rf"(?i:{VIDEO}|{PICTURE})"
MARK = re.compile(r"<(?:image|video)>")

_COLUMNS = ("index", "question", "options", "medias", "answer")
_OPTION = re.compile(r"([A-Z])\s*[.:)]\s*")
_LITERAL_CHARS = 100_000
# Words for a view, in a part of a path and in a question's text.
_VIEWS_OF_PATHS = {
    "ego": re.compile(r"(?<![a-z])(?:ego\w*|fpv|aria\d*|hor)(?![a-z])"),
    "exo": re.compile(r"(?<![a-z])(?:exo\w*|tpv|cam\d+|gp\d+|top)(?![a-z])"),
}
_VIEWS_OF_TEXTS = {
    "ego": re.compile(r"\bego\w*|\bfirst.person"),
    "exo": re.compile(r"\bexo\w*|\bthird.person|\btop.view"),
}
_DATASET_NAMES = re.compile(r"(?i)ego-?exo-?(?:4d|learn|bench)")


@dataclass(frozen=True, slots=True)
class ReleasedMedium:
    """A medium that a question shows.

    Attributes:
        recording_id: Path of the video without its ending, or folder of the pictures.
        names: Names of the pictures in order; empty for a video.
        start_s: Where the clip begins; None for the whole video.
        end_s: Where it ends.
        path: Path of the video, or of the first picture.
        view: `ego` or `exo`; None where neither the path nor the question says it.
    """

    recording_id: str
    names: tuple[str, ...]
    start_s: float | None
    end_s: float | None
    path: str
    view: str | None


@dataclass(frozen=True, slots=True)
class ReleasedQuestion:
    """A row of the question table.

    Attributes:
        index: Number of the question, as text.
        text: Question, its marks replaced by the names of the media (`video 1`).
        options: Letter and text of each option, a mark where a medium is the option.
        answer: Letter of the right option; None where the file gives none.
        subtask: Type of question, where the file says it.
        media: Media in order, each with its role: `video 1`, or `option_0` where it is an option.
    """

    index: str
    text: str
    options: tuple[tuple[str, str], ...]
    answer: str | None
    subtask: str | None
    media: tuple[tuple[str, ReleasedMedium], ...]


def questions_in(
    reader: RowReader, file: str, data: bytes
) -> Iterator[tuple[int, ReleasedQuestion]]:
    """Questions of a table with the line each starts on; what cannot be read is refused."""

    def make(row: Mapping[str, str]) -> dict[str, Any]:
        return {"question": _question(row)}

    for line, row in reader.csv(file, data, _COLUMNS, make, delimiter="\t"):
        yield line, row["question"]


def _question(row: Mapping[str, str]) -> ReleasedQuestion:
    index = row["index"].strip()
    if not re.fullmatch(r"\d{1,9}", index):
        raise Malformed("index is not a whole number", index[:80])
    media = _media(row["medias"])
    question, lines = row["question"], _option_lines(row["options"])
    marks = len(MARK.findall(question + row["options"]))
    if marks != len(media):
        raise Malformed(f"the text has {marks} marks for {len(media)} media", marks)
    given = iter(media)
    shown: list[tuple[str, ReleasedMedium]] = []

    def called(mark: re.Match[str]) -> str:
        view = _last_view(question[: mark.start()], _VIEWS_OF_TEXTS)
        shown.append((f"video {len(shown) + 1}", _medium(next(given), view)))
        return shown[-1][0]

    text = MARK.sub(called, question)
    view = _last_view(question, _VIEWS_OF_TEXTS)
    for place, (_, option) in enumerate(lines):
        for nth, _ in enumerate(MARK.findall(option)):
            role = f"option_{place}" if nth == 0 else f"option_{place}_{nth + 1}"
            shown.append((role, _medium(next(given), view)))
    answer = row["answer"].strip()
    return ReleasedQuestion(
        str(int(index)),
        text,
        tuple(lines),
        answer or None,
        (row.get("subtask_type") or "").strip() or None,
        tuple(shown),
    )


def _option_lines(text: str) -> list[tuple[str, str]]:
    """Options by letter; a line without a letter goes on with the option before it."""
    found: list[tuple[str, str]] = []
    for line in text.strip().splitlines():
        match = _OPTION.match(line)
        if match is not None and match[1] == chr(ord("A") + len(found)):
            found.append((match[1], line[match.end() :].strip()))
        elif found:
            found[-1] = (found[-1][0], f"{found[-1][1]}\n{line}".strip())
        else:
            raise Malformed("options are not lettered in order", text[:80])
    return found


def _media(literal: str) -> list[dict[str, Any]]:
    """Media of a question from their Python literal, of which nothing is run."""
    if len(literal) > _LITERAL_CHARS:
        raise Malformed(f"medias are longer than {_LITERAL_CHARS} signs", len(literal))
    try:
        found = ast.literal_eval(literal.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise Malformed("medias are not a literal list", literal[:80]) from None
    if not isinstance(found, list) or not all(isinstance(medium, dict) for medium in found):
        raise Malformed("medias are not a list of objects", literal[:80])
    return found


def _medium(medium: Mapping[str, Any], view: str | None) -> ReleasedMedium:
    kind = medium.get("type")
    if kind == "video":
        path = _inside(medium.get("video_path"))
        start, end = _second(medium.get("video_start")), _second(medium.get("video_end"))
        if start is None or end is None:
            # The official code shows the whole video unless both ends are given.
            start = end = None
        elif not 0 <= start < end:
            raise Malformed("the clip ends before it starts", f"{start:g}-{end:g} s")
        return ReleasedMedium(
            str(PurePosixPath(path).with_suffix("")), (), start, end, path, _view(path) or view
        )
    if kind not in {"frames", "image"}:
        raise Malformed("a medium is neither video, frames nor image", str(kind)[:80])
    named = medium.get("image_paths")
    if not isinstance(named, list) or not named:
        raise Malformed("a medium names no pictures", str(named)[:80])
    paths = [PurePosixPath(_inside(path)) for path in (named[:1] if kind == "image" else named)]
    folders = {str(path.parent) for path in paths}
    if len(folders) > 1:
        raise Malformed("a medium's pictures lie in several folders", str(sorted(folders))[:80])
    names = tuple(path.name for path in paths)
    return ReleasedMedium(
        folders.pop(), names, None, None, str(paths[0]), _view(str(paths[0])) or view
    )


def _inside(path: object) -> str:
    """A path below the root."""
    if not isinstance(path, str) or not path.strip():
        raise Malformed("a medium names no file", str(path)[:80])
    parts = PurePosixPath(path).parts
    if PurePosixPath(path).is_absolute() or ".." in parts or "\\" in path:
        raise Malformed("a medium's path leaves the root", path[:80])
    return str(PurePosixPath(path))


def _second(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e7:
        raise Malformed("an end of a clip is not a time in seconds", str(value)[:80])
    return float(value)


def _view(path: str) -> str | None:
    """View by the path, read from its end; names of datasets hold both words and say nothing."""
    for part in reversed(_DATASET_NAMES.sub("", path.lower()).split("/")):
        found = _last_view(part, _VIEWS_OF_PATHS)
        if found is not None:
            return found
    return None


def _last_view(text: str, views: Mapping[str, re.Pattern[str]]) -> str | None:
    """View whose word comes last in a text."""
    text = text.lower()
    last = {
        view: max((match.start() for match in pattern.finditer(text)), default=-1)
        for view, pattern in views.items()
    }
    view = max(last, key=lambda name: last[name])
    return None if last[view] < 0 else view
