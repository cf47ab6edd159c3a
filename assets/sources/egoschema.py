"""EgoSchema: five-option questions on three-minute clips of Ego4D, as released.

One clip per question, named by the question's id. Where a clip lies in its Ego4D video is a file of
its own; answers are public for 500 of 5,031 questions. The names of a question's options are
`option 0` to `option 4`, with a blank.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from assets.sources.guard import Guard
from assets.sources.layout import Layout, Medium, Part, PartFiles, Rows
from assets.sources.reading import Malformed, number, whole_number
from assets.sources.recording_rows import video_media, videos_by_id
from assets.sources.released import check_options, question_row
from expectations.schemas import TABLES

LICENCE = "Ego4D licence agreement"
QUESTIONS = r"(?:.*/)?questions\.json"
ANSWERS = r"(?:.*/)?subset_answers\.json"
PLACES = r"(?:.*/)?uid_to_ego4d\.json"
CLIP = r"(?:.*/)?videos/([^/]+)\.mp4"
_OPTION = re.compile(r"option (\d+)")


def read_recordings(part: PartFiles) -> Rows:
    """Clips that a file names or that are here, and where they lie in their Ego4D videos."""
    guard = Guard("recordings")
    places = _places(part, guard)
    clips = videos_by_id(part.media, CLIP)
    named = _file(part, QUESTIONS)
    asked = {} if named is None else dict.fromkeys(_ids(guard, named, part.files[named]), named)
    rows, clocks = [], []
    for uid in sorted(places.keys() | clips.keys() | asked.keys()):
        place, medium = places.get(uid), clips.get(uid)
        file = place["file"] if place else asked.get(uid, medium.path if medium else "")
        rows.append(_recording(part.source, uid, place, medium, file))
        if place is not None:
            clocks.append(
                {
                    "source": part.source,
                    "recording_id": uid,
                    "take_id": place["video"],
                    "offset_s": place["start_s"],
                    "rate": 1.0,
                    "method": "linear",
                    "source_file": file,
                }
            )
    tables = {
        "recordings": TABLES["recordings"].frame(rows),
        "clocks": TABLES["clocks"].frame(clocks),
    }
    return Rows(tables, tuple(guard.refused))


def read_questions(part: PartFiles) -> Rows:
    """Questions with their answers, where these are public."""
    guard = Guard("imported_questions")
    answers = {}
    if (file := _file(part, ANSWERS)) is not None:
        answers = {
            row["uid"]: row["at"] for row in guard.json_object(file, part.files[file], _answer)
        }
    rows: list[dict] = []
    if (file := _file(part, QUESTIONS)) is not None:

        def make(item: object) -> dict:
            return _question(part.source, file, item, answers)

        rows = [row for _, row in guard.json(file, part.files[file], make)]
    asked = {row["released_id"] for row in rows}
    if unasked := sorted(answers.keys() - asked):
        guard.refuse(
            _file(part, ANSWERS) or "",
            None,
            "answer_without_question",
            ", ".join(unasked[:3]),
            f"{len(unasked)} answers belong to no question that is here",
            "fetch questions.json beside the answers",
        )
    return Rows(
        {"imported_questions": TABLES["imported_questions"].frame(rows)}, tuple(guard.refused)
    )


def _file(part: PartFiles, pattern: str) -> str | None:
    return next((path for path in part.files if re.fullmatch(pattern, path)), None)


def _ids(guard: Guard, file: str, data: bytes) -> list[str]:
    # What cannot be read is told by the part that reads the questions.
    quiet = Guard(guard.table)
    return [row["uid"] for _, row in quiet.json(file, data, lambda item: {"uid": _uid(item)})]


def _uid(item: object) -> str:
    uid = item.get("q_uid") if isinstance(item, dict) else None
    if not isinstance(uid, str) or not uid:
        raise Malformed("the question has no q_uid", str(item)[:80])
    return uid


def _places(part: PartFiles, guard: Guard) -> dict[str, dict[str, Any]]:
    file = _file(part, PLACES)
    if file is None:
        return {}

    def make(uid: str, item: Any) -> dict:
        if not isinstance(item, dict) or not isinstance(item.get("video_uid"), str):
            raise Malformed("the clip names no Ego4D video", str(item)[:80])
        start, end = number(item.get("starting_sec")), number(item.get("ending_sec"))
        if not 0 <= start < end:
            raise Malformed("the clip ends before it starts", f"{start:g}-{end:g} s")
        return {
            "uid": uid,
            "video": item["video_uid"],
            "start_s": start,
            "end_s": end,
            "file": file,
        }

    return {row["uid"]: row for row in guard.json_object(file, part.files[file], make)}


def _recording(
    source: str, uid: str, place: Mapping[str, Any] | None, medium: Medium | None, file: str
) -> dict:
    return {
        "source": source,
        "recording_id": uid,
        # A clip whose place is unknown is a take of its own.
        "take_id": place["video"] if place else uid,
        "view": "ego",
        **video_media(medium),
        "duration_s": place["end_s"] - place["start_s"] if place else None,
        "licence": LICENCE,
        "source_file": file,
        "source_key": uid,
    }


def _answer(uid: str, item: Any) -> dict:
    return {"uid": uid, "at": whole_number(item)}


def _question(source: str, file: str, item: object, answers: Mapping[str, int]) -> dict:
    uid = _uid(item)
    assert isinstance(item, dict)
    numbered = sorted(
        (int(match[1]), text) for name, text in item.items() if (match := _OPTION.fullmatch(name))
    )
    if [at for at, _ in numbered] != list(range(len(numbered))):
        raise Malformed("options are not numbered from 0", str([at for at, _ in numbered]))
    options = check_options([text for _, text in numbered])
    return question_row(
        source,
        file,
        "egoschema",
        uid,
        text=item.get("question"),
        options=options,
        answer=answers.get(uid),
        media=[{"role": "query", "recording_id": uid}],
    )


LAYOUT = Layout(
    name="egoschema",
    title="EgoSchema",
    licence=LICENCE,
    certainty="documented",
    parts=(
        Part("recordings", read_recordings, f"{QUESTIONS}|{PLACES}", CLIP),
        Part("questions", read_questions, f"{QUESTIONS}|{ANSWERS}"),
    ),
)
