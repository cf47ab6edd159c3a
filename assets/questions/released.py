"""Questions that a dataset released, asked as they stand: the rows of `imported_questions`.

Wording, order of the options and answer are the release's own; nothing is chosen here. An answer that is
not released is null: such a question is asked, and its replies are kept without a score. A question without
options is asked for words, under a protocol that asks for these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import PurePosixPath
from typing import Any

import polars as pl

from assets.questions.kit.builder import Builder, Tables
from assets.questions.kit.identity import LETTERS, question_hash, question_id
from assets.questions.kit.needs import rows_of
from expectations.schemas import TABLES
from expectations.schemas.core import Reads
from expectations.schemas.readings import RELEASED_RECIPE

_READS: Reads = {
    "imported_questions": (
        "source",
        "question_set",
        "released_id",
        "subtask",
        "split",
        "text",
        "options",
        "answer",
        "answer_text",
        "detailed_answer",
        "media",
    ),
    "recordings": (
        "recording_id",
        "split",
        "media",
        "media_hashes",
        "licence",
        "duration_s",
        "media_duration_s",
        "time_base",
    ),
    "images": ("recording_id", "source_frame", "path"),
}
_OPTION = re.compile(r"option_(\d+)")


def released_builder(benchmark: str) -> Builder:
    """Builder of a benchmark that asks what its sources released.

    Args:
        benchmark: Name of the benchmark, as configured.
    """
    return Builder(
        benchmark=benchmark,
        subtasks=(),
        recipe=RELEASED_RECIPE,
        unit="question_set",
        reads=_READS,
        make=partial(released_questions, benchmark=benchmark),
        needs=(rows_of("imported_questions", "the source holds no released questions"),),
        limits="none: every released question is asked",
    )


def released_questions(tables: Tables, *, benchmark: str) -> pl.DataFrame:
    """Rows of `questions` of one released set.

    Args:
        tables: Rows of `imported_questions` of the set, with `recordings` and `images` of its media.
        benchmark: Benchmark they belong to.
    """
    recordings = {row["recording_id"]: row for row in tables["recordings"].iter_rows(named=True)}
    pictures = _pictures(tables["images"])
    rows = (
        _question(asked, benchmark, recordings, pictures)
        for asked in tables["imported_questions"].iter_rows(named=True)
    )
    table = TABLES["questions"]
    return table.frame(rows).sort(table.key)


def _pictures(images: pl.DataFrame) -> dict[str, dict[str, int]]:
    """Place of each picture in its recording's order, by recording and file name."""
    ordered = images.sort("recording_id", "source_frame").group_by(
        "recording_id", maintain_order=True
    )
    return {
        str(uid): {PurePosixPath(path).name: place for place, path in enumerate(part["path"])}
        for (uid,), part in ordered
    }


def _question(
    asked: Mapping[str, Any],
    benchmark: str,
    recordings: Mapping[str, Mapping[str, Any]],
    pictures: Mapping[str, Mapping[str, int]],
) -> dict[str, Any]:
    """A row of `questions`; what a gate is to refuse is left as it was released."""
    source, subtask = asked["source"], asked["subtask"] or asked["question_set"]
    key = f"{asked['released_id']}/{asked['question_set']}"
    right = asked["answer"]
    # More options than letters: the gate says so of an option without one.
    letters = [LETTERS[i] if i < len(LETTERS) else None for i in range(len(asked["options"]))]
    options = [
        {
            "letter": letter,
            "text": text,
            "segment_id": None,
            "value": None,
            "is_answer": None if right is None else place in right,
        }
        for place, (letter, text) in enumerate(zip(letters, asked["options"], strict=True))
    ]
    media = [
        _medium(shown, recordings.get(shown["recording_id"]), pictures) for shown in asked["media"]
    ]
    shown = [recordings[m["recording_id"]] for m in media if m["recording_id"] in recordings]
    words = not any(str(medium["role"]).startswith("option_") for medium in media)
    answer = letters[right[0]] if right else None
    return {
        "benchmark": benchmark,
        "source": source,
        "pool": "",
        "subtask": subtask,
        "recipe": RELEASED_RECIPE,
        "question_id": question_id(
            benchmark, subtask, RELEASED_RECIPE, source, asked["question_set"], asked["released_id"]
        ),
        "question_hash": question_hash(asked["text"], options, media),
        "split": asked["split"] or next((r["split"] for r in shown), None),
        "recording_id": media[0]["recording_id"] if media else "",
        "text": asked["text"],
        "options": options,
        "media": media,
        "answer": answer,
        # Nobody guesses words.
        "chance": 1.0 / len(options) if options else 0.0,
        "media_present": bool(media) and all(medium["content"] for medium in media),
        "answer_text": asked["options"][right[0]] if right and words else asked["answer_text"],
        "detailed_answer": asked["detailed_answer"],
        "rationale": [],
        "evidence": [{"table": "imported_questions", "key": key, "role": "released"}],
        "licence": "; ".join(sorted({str(r["licence"]) for r in shown})),
    }


def _medium(
    shown: Mapping[str, Any],
    recording: Mapping[str, Any] | None,
    pictures: Mapping[str, Mapping[str, int]],
) -> dict[str, Any]:
    """An entry of `questions.media`: a clip, an instant, the whole recording, or pictures in order."""
    uid, start_s, end_s = shown["recording_id"], shown["start_s"], shown["end_s"]
    present = recording is not None and recording["media"] == "present"
    kind, sampling, times_s = "clip", None, []
    if recording is not None and recording["time_base"] == "index_only":
        # Pictures without times: all that are named are sent, and "seconds" are places in their order.
        places = pictures.get(uid, {})
        named = [places.get(PurePosixPath(path).name) for path in shown["paths"] or places]
        present = present and bool(named) and None not in named
        kind, sampling = "frames", "given"
        times_s = sorted(float(place) for place in named if place is not None)
        start_s, end_s = 0.0, float(max(len(places), len(named)))
    elif start_s is not None and start_s == end_s:
        kind = "image"
    elif start_s is None and recording is not None:
        length_s = recording["media_duration_s"] or recording["duration_s"]
        start_s, end_s = 0.0, length_s
    content = "+".join(recording["media_hashes"] or ()) if recording and present else ""
    return {
        "role": _role(shown["role"]),
        "recording_id": uid,
        "segment_id": None,
        "media_kind": kind,
        "start_s": start_s,
        "end_s": end_s,
        "sampling": sampling,
        "times_s": times_s,
        "overlays": [],
        "content": content,
    }


def _role(released: str) -> str:
    """Role of a medium: the name by which the question's text may call it (`video 1`), as one word."""
    numbered = _OPTION.fullmatch(released)
    if numbered is not None and int(numbered[1]) < len(LETTERS):
        return f"option_{LETTERS[int(numbered[1])]}"
    return re.sub(r"\W+", "_", released.strip())


def recordings_of_sets(asked: pl.DataFrame) -> Iterator[tuple[str, list[str]]]:
    """Released sets of questions, each with the recordings its media are of, ascending.

    Args:
        asked: Columns question_set and media of `imported_questions` of one source.
    """
    sets: dict[str, set[str]] = {}
    for name, media in asked.select("question_set", "media").iter_rows():
        shown = (medium["recording_id"] for medium in media)
        sets.setdefault(name, set()).update(uid for uid in shown if uid is not None)
    for name, recordings in sorted(sets.items()):
        yield name, sorted(recordings)
