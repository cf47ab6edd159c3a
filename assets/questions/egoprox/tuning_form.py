"""Questions as instruction-tuning sets in the form that LLaMA-Factory reads (EgoProx 5.3 and E).

A set is a JSON list of chats with the frames of each: `messages` with roles and contents, in which
`<video>` stands for the frames, and `videos`, a list of frames for each mark. `dataset_info.json`
names the sets. `lora.json` holds the settings of the paper's Section E.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assets.pairs.choice import stable_hash
from assets.questions.egoprox.released_form import AskedSample

INFO = "dataset_info.json"
SETTINGS = "lora.json"
MOST = {"category": 800, "source": 1200}
"""Questions in a set, by what a set is made of (E)."""
_MARK = re.compile(r"<(video|image|audio)>")
_LORA: Mapping[str, Any] = {
    "model_name_or_path": "Qwen/Qwen2.5-VL-7B-Instruct",
    "stage": "sft",
    "do_train": True,
    "finetuning_type": "lora",
    "lora_rank": 8,
    "lora_target": "all",
    "freeze_vision_tower": True,
    "freeze_multi_modal_projector": True,
    "flash_attn": "auto",
    "bf16": True,
    "optim": "adamw_torch",
    "learning_rate": 5.0e-5,
    "lr_scheduler_type": "cosine",
    "warmup_ratio": 0.0,
    "num_train_epochs": 3.0,
    "max_grad_norm": 1.0,
    "per_device_train_batch_size": 2,
    "gradient_accumulation_steps": 8,
}


def set_name(row: Mapping[str, Any], by: str) -> str:
    """Set that a question belongs to: `egoprox_intention`, `egoprox_adt`.

    Args:
        row: Row of `questions`.
        by: `category` or `source`.
    """
    group = row["source"] if by == "source" else row["subtask"].partition("_")[0]
    return f"{row['benchmark']}_{group}"


def drawn_questions(
    rows: Iterable[Mapping[str, Any]], by: str, most: int
) -> dict[str, list[Mapping[str, Any]]]:
    """Questions of each set, the same again after others have been added elsewhere.

    The subtasks of a set take turns, so that each has the same share as far as it has questions.

    Args:
        rows: Rows of `questions`.
        by: `category` or `source`.
        most: Most questions in a set.
    """
    groups: dict[str, dict[str, list[Mapping[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        groups[set_name(row, by)][row["subtask"]].append(row)
    return {name: _take_turns(groups[name], most) for name in sorted(groups)}


def _take_turns(
    by_subtask: Mapping[str, list[Mapping[str, Any]]], most: int
) -> list[Mapping[str, Any]]:
    turns = []
    for subtask, rows in by_subtask.items():
        ordered = sorted(rows, key=lambda row: stable_hash("tuning", row["question_id"]))
        turns += [(turn, subtask, row) for turn, row in enumerate(ordered)]
    turns.sort(key=lambda turn: turn[:2])
    return [row for _, _, row in turns[:most]]


def tuning_files(sets: Mapping[str, Sequence[AskedSample]], *, reasons: bool) -> dict[str, str]:
    """The files of the sets, by name.

    Args:
        sets: Questions as they are asked, by set.
        reasons: Whether a reply explains its answer first.
    """
    files = {f"{name}.json": _json([_chat(s, reasons) for s in sets[name]]) for name in sets}
    info = {
        name: {
            "file_name": f"{name}.json",
            "formatting": "sharegpt",
            "columns": {"messages": "messages", "videos": "videos"},
            "tags": {
                "role_tag": "role",
                "content_tag": "content",
                "user_tag": "user",
                "assistant_tag": "assistant",
                "system_tag": "system",
            },
        }
        for name in sets
    }
    settings = {**_LORA, "dataset_dir": ".", "media_dir": ".", "dataset": ",".join(sets)}
    return {**files, INFO: _json(info), SETTINGS: _json(settings)}


def _chat(sample: AskedSample, reasons: bool) -> dict[str, Any]:
    row = sample.question
    turns = [("user", f"<video>{_unmarked(sample.text)}"), ("assistant", reply_of(row, reasons))]
    if sample.system:
        turns.insert(0, ("system", _unmarked(sample.system)))
    return {
        "messages": [{"role": role, "content": text} for role, text in turns],
        "videos": [list(sample.pictures)],
        # Not read by the trainer.
        "question_id": row["question_id"],
        "recording_id": row["recording_id"],
    }


def reply_of(row: Mapping[str, Any], reasons: bool) -> str:
    """The right reply in the form that the paper's prompts ask for (Section H).

    Args:
        row: Row of `questions`.
        reasons: Whether the explanation comes first.
    """
    if row["answer_kind"] == "sequences":
        answer = row["answer_text"].splitlines()[0]
    else:
        answer = f"<{row['answer']}>"
    if not reasons:
        return answer
    said = answer if row["answer_kind"] == "sequences" else f"The correct answer is {answer}"
    return f"{_unmarked(row['detailed_answer'])}\n{said}"


def _unmarked(text: str) -> str:
    """A text in which nothing is taken for a medium."""
    return _MARK.sub(r"(\1)", text)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
