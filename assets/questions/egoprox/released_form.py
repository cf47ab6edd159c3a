"""Questions in the form of EgoProx's released samples, which its inference scripts and evaluator read.

A sample is `{source, data, correct_option}` or, of a chain, `{source, data, correct_answer}`. `data` are the turns
of a chat; the inference script joins all pictures of the user's turn into one video before the text, and the
evaluator groups samples by `source` and compares `answer`, which the script adds, with what is correct. Both
leave other keys alone, so that a result file still says which question it replies to.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SAMPLES = "egoprox_test.json"
CHAIN = "Chain of Actions"
_GROUPS = ("intention", "exploration", "exploitation")
_MEASURES = {"relative": "Relative", "approximate": "Approx", "approx": "Approx"}


class UnknownGroupError(ValueError):
    """A question belongs to no group of the released evaluator."""


@dataclass(frozen=True, slots=True)
class AskedSample:
    """A question as a run asks it.

    Attributes:
        question: Row of `questions`.
        system: System prompt; empty for none.
        text: Text of the user's turn.
        pictures: Frames in time order, below the folder of images.
        prompt_hash: Hash of what a person would be shown.
    """

    question: Mapping[str, Any]
    system: str
    text: str
    pictures: Sequence[str]
    prompt_hash: str


def sample_file(samples: Iterable[AskedSample]) -> str:
    """The file of samples.

    Args:
        samples: Questions as they are asked.

    Raises:
        UnknownGroupError: The released evaluator knows no group of a question's subtask.
    """
    return json.dumps([_sample(one) for one in samples], ensure_ascii=False, indent=2) + "\n"


def group_of(subtask: str) -> str:
    """Name of a subtask's group in the released files: `Intention_Approx`, `Chain of Actions`.

    Raises:
        UnknownGroupError: There is none.
    """
    if subtask == "chain_of_actions":
        return CHAIN
    # What comes between names the kind of event, which the released groups do not tell apart.
    first, _, rest = subtask.partition("_")
    measure = _MEASURES.get(rest.rpartition("_")[2])
    if first not in _GROUPS or measure is None:
        raise UnknownGroupError(
            f"subtask {subtask} belongs to no group of EgoProx's evaluator; export another form"
        )
    return f"{first.capitalize()}_{measure}"


def _sample(one: AskedSample) -> dict[str, Any]:
    row = one.question
    pictures = [{"type": "image", "image": path} for path in one.pictures]
    user = {"role": "user", "content": [*pictures, {"type": "text", "text": one.text}]}
    system = {"role": "system", "content": [{"type": "text", "text": one.system}]}
    return {
        "source": group_of(row["subtask"]),
        "data": [system, user] if one.system else [user],
        **_correct(row),
        "benchmark": row["benchmark"],
        "question_id": row["question_id"],
        "prompt_hash": one.prompt_hash,
    }


def _correct(row: Mapping[str, Any]) -> dict[str, Any]:
    if row["answer_kind"] != "sequences":
        return {"correct_option": row["answer"]}
    chains = (json.loads(line) for line in row["answer_text"].splitlines())
    return {"correct_answer": [{"node": nodes, "edge": edges} for nodes, edges in chains]}
