"""Association questions in the form of EgoExoLearn's files, which its official code reads.

One object a split, `association_{val,test}_hard.json`: questions with 20 options by number. The paper's
easy form takes five of them; no file of it was released.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import polars as pl

FOLDER = "association_benchmark/annotations"
SPLITS = ("val", "test")
HARD = 20
# Types of questions in the official code: egocentric query, exocentric query.
_TYPES = {"ego2exo": 1, "exo2ego": 2}


def association_files(questions: pl.DataFrame, segments: pl.DataFrame) -> dict[str, str]:
    """Files by path, of the splits that hold a question.

    Args:
        questions: Rows of `questions`; those of association with 20 options are taken, by direction
            and id, options in the order they are shown in.
        segments: Rows of `segments` (segment_id, recording_id, start_s, end_s, narration): stretches
            are as annotated, as in the release, not as clips show them.

    Raises:
        KeyError: A question names a segment that is not given.
    """
    shown = {row["segment_id"]: _item(row) for row in segments.iter_rows(named=True)}
    files = {}
    for split in SPLITS:
        asked = questions.filter(
            pl.col("subtask").is_in([f"association_{d}_k{HARD}" for d in _TYPES])
            & (pl.col("split") == split)
        ).sort("subtask", "question_id")
        if asked.height:
            said = {str(i): _question(q, shown) for i, q in enumerate(asked.iter_rows(named=True))}
            text = json.dumps(said, ensure_ascii=False, indent=1)
            files[f"{FOLDER}/association_{split}_hard.json"] = f"{text}\n"
    return files


def _item(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "video_uid": row["recording_id"],
        "start_sec": row["start_s"],
        "end_sec": row["end_s"],
        "narration_en": row["narration"] or "",
    }


def _question(question: Mapping[str, Any], shown: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    (query,) = (m for m in question["media"] if m["role"] == "query")
    options = question["options"]
    return {
        "query": shown[query["segment_id"]],
        "choices": {str(i): shown[o["segment_id"]] for i, o in enumerate(options)},
        "answer": next(i for i, o in enumerate(options) if o["is_answer"]),
        "types": _TYPES[question["subtask"].removeprefix("association_").partition("_")[0]],
    }
