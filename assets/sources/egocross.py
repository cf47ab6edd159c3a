"""The EgoCross testbed: 957 released questions on pictures sampled from five datasets.

Each question has a folder of pictures of its own, which is a recording here: its pictures have an
order and no clock (0.5 a second for most, other rates for some). The paths stand in the file as of
the root of the authors' machine. The testbed holds no answers. One dataset's name is misspelt in it
and kept so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assets.sources.guard import Guard
from assets.sources.layout import Layout, Part, PartFiles, Rows
from assets.sources.reading import Malformed, number
from assets.sources.released import check_options, lettered_options, question_row
from expectations.schemas import TABLES
from expectations.schemas.identity import digest

LICENCE = "unstated; pictures keep their datasets' licences"
QUESTIONS = r"(?:.*/)?egocross_testbed_imgs\.json"
PICTURE = r"(?:.*/)?egocross_testbed/(?P<clip>[^/]+/generated/[^/]+/frames/[^/]+)/(?P<name>[^/]+\.(?:jpg|png))"
_LETTERED = re.compile(r"([A-Z]): ?(.+)", re.DOTALL)


def read_recordings(part: PartFiles) -> Rows:
    """One recording per question's folder of pictures; pictures that are not here are counted."""
    guard = Guard("recordings")
    here: dict[str, dict[str, str]] = {}
    for path in sorted(part.media):
        match = re.fullmatch(PICTURE, path)
        assert match is not None
        here.setdefault(_clip_id(match["clip"]), {})[match["name"]] = path
    # What cannot be read is told by the part that reads the questions.
    asked = {
        row["clip"]: row
        for file, data in part.files.items()
        for row in _clips(Guard(""), file, data)
    }
    rows, images = [], []
    for clip in sorted(here.keys() | asked.keys()):
        found, said = here.get(clip, {}), asked.get(clip)
        names = list(found) if said is None else [n for n in said["names"] if n in found]
        if said is not None and found and len(names) < len(said["names"]):
            guard.refuse(
                said["file"],
                said["key"],
                "picture_missing",
                next(n for n in said["names"] if n not in found),
                f"{len(said['names']) - len(names)} of {len(said['names'])} pictures are not here",
                "fetch the whole folder of pictures",
                clip,
            )
        media = [part.media[found[name]] for name in names]
        row = _recording(part.source, clip, said, [m.content for m in media])
        rows.append({"source_file": said["file"] if said else media[0].path, **row})
        images += [
            {
                "source": part.source,
                "recording_id": clip,
                "source_frame": _number_of(name),
                "path": medium.path,
                "content": medium.content,
            }
            for name, medium in zip(names, media, strict=True)
        ]
    tables = {
        "recordings": TABLES["recordings"].frame(rows),
        "images": TABLES["images"].frame(images),
    }
    return Rows(tables, tuple(guard.refused))


def read_questions(part: PartFiles) -> Rows:
    """Questions of the testbed; answers are not part of it."""
    guard = Guard("imported_questions")
    rows: list[dict] = []
    for file, data in part.files.items():

        def make(item: object, file: str = file) -> dict:
            return _question(part.source, file, item)

        rows += [row for _, row in guard.json(file, data, make)]
    return Rows(
        {"imported_questions": TABLES["imported_questions"].frame(rows)}, tuple(guard.refused)
    )


def _clips(guard: Guard, file: str, data: bytes) -> Iterator[dict]:
    def make(item: object) -> dict:
        clip, names = _pictures(item)
        return {"clip": clip, "names": names, "key": _key(item), "file": file}

    for _, row in guard.json(file, data, make):
        yield row


def _key(item: object) -> str:
    value = item.get("id") if isinstance(item, dict) else None
    if isinstance(value, bool) or not isinstance(value, int):
        raise Malformed("the question has no number", str(value))
    return str(value)


def _pictures(item: object) -> tuple[str, list[str]]:
    """Recording of a question, and the names of its pictures in order."""
    paths = item.get("video_path") if isinstance(item, dict) else None
    if not isinstance(paths, list) or not paths:
        raise Malformed("the question names no pictures", str(paths)[:80])
    found = [re.fullmatch(PICTURE, str(path)) for path in paths]
    if None in found:
        raise Malformed("a picture's path is not of the testbed", str(paths[found.index(None)]))
    clips = {match["clip"] for match in found if match}
    if len(clips) > 1:
        raise Malformed("a question's pictures lie in several folders", str(sorted(clips))[:80])
    return _clip_id(clips.pop()), [match["name"] for match in found if match]


def _clip_id(folder: str) -> str:
    dataset, _, video, _, clip = folder.split("/")
    return f"{dataset}/{video}/{clip}"


def _number_of(name: str) -> int:
    """`frame_00003.jpg` is 3; `04_1_640.jpg`, of one session of an operation, is 640."""
    digits = re.findall(r"\d+", name.rpartition(".")[0])
    return int(digits[-1])


def _recording(source: str, clip: str, said: dict | None, contents: list[str]) -> dict:
    dataset, video, _ = clip.split("/")
    return {
        "source": source,
        "recording_id": clip,
        "take_id": f"{dataset}/{video}",
        "view": "ego",
        "scenario": dataset,
        "split": "test",
        "media_kind": "image_sequence",
        "time_base": "index_only",
        "declared_frames": len(said["names"]) if said else None,
        "media": "present" if contents else "missing",
        "media_paths": [],
        "media_hashes": [digest(contents)] if contents else [],
        "licence": LICENCE,
        "source_key": said["key"] if said else clip,
    }


def _question(source: str, file: str, item: object) -> dict:
    key = _key(item)
    assert isinstance(item, dict)
    clip, names = _pictures(item)
    return question_row(
        source,
        file,
        "egocross_testbed",
        key,
        text=item.get("question_text"),
        options=_options(item.get("options")),
        media=[{"role": "query", "recording_id": clip, "paths": names}],
        subtask=str(item.get("question_type")),
        domain=str(item.get("dataset")),
        split="test",
        fps=number(item.get("original_video_fps")),
    )


def _options(said: object) -> list[str]:
    """Options without their letters, which must be A, B, C, ... in order."""
    found = [_LETTERED.fullmatch(option) for option in check_options(said)]
    if None in found:
        raise Malformed("options are not lettered in order", str(said)[:80])
    return lettered_options([(match[1], match[2]) for match in found if match], said)


LAYOUT = Layout(
    name="egocross_testbed",
    title="EgoCross testbed",
    licence=LICENCE,
    certainty="verified",
    parts=(
        Part("recordings", read_recordings, QUESTIONS, PICTURE),
        Part("questions", read_questions, QUESTIONS),
    ),
)
