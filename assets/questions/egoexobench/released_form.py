"""Questions in the form of EgoExoBench's released table, which VLMEvalKit's class reads.

Every medium is a list of pictures, the frames that a protocol of ours sends: the toolkit then chooses no
frames of its own. The official scorer takes `index` for a row's place, so that it must be 0, 1, 2 ... in
order. The class accepts no other table than the released one: a script beside the table gives it ours.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TABLE = "EgoExoBench_MCQ.tsv"
RUNNER = "run_vlmevalkit.py"
COLUMNS = (
    *("index", "video", "question", "options", "response_format", "medias", "answer"),
    "subtask_type",
    # Beside the official columns; the toolkit hands them on to its prediction files.
    *("benchmark", "source", "question_id", "prompt_hash"),
)
_RESPONSE = "Reply with the letter of the right option and nothing else."
_MARK = re.compile(r"<(image|video)>")


@dataclass(frozen=True, slots=True)
class WrittenMedium:
    """A medium of a question whose frames are files.

    Attributes:
        role: What it shows: `query`, `reference`, or `option_A` ..
        label: Its name in a prompt.
        paths: Pictures in time order, below the folder of media.
    """

    role: str
    label: str
    paths: tuple[str, ...]

    @property
    def mark(self) -> str:
        """What stands for it in a text."""
        return "<image>" if len(self.paths) == 1 else "<video>"

    def literal(self) -> dict[str, Any]:
        """How the table describes it. The toolkit shows an even number of frames of a video."""
        if len(self.paths) == 1:
            return {"type": "image", "image_paths": list(self.paths)}
        return {"type": "frames", "image_paths": list(self.paths), "nframes": len(self.paths)}


def question_table(
    questions: Iterable[tuple[Mapping[str, Any], Sequence[WrittenMedium], str]],
) -> str:
    """The table of questions.

    Args:
        questions: Rows of `questions`, each with its media in shown order and the hash of what a
            person would be shown.

    Returns:
        Values separated by tabs, as pandas reads and writes them.
    """
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS, delimiter="\t", lineterminator="\n")
    writer.writeheader()
    for index, (question, media, shown) in enumerate(questions):
        writer.writerow({"index": index, "prompt_hash": shown, **_row(question, media)})
    return text.getvalue()


def runner() -> str:
    """The script that asks the table's questions: VLMEvalKit's class accepts the released table alone."""
    return Path(__file__).with_name("run_vlmevalkit.txt").read_text(encoding="utf-8")


def _row(question: Mapping[str, Any], media: Sequence[WrittenMedium]) -> dict[str, Any]:
    of_option = {medium.role: medium for medium in media if medium.role.startswith("option_")}
    before = [medium for medium in media if medium.role not in of_option]
    lines, ordered = [], [*before]
    for option in question["options"]:
        medium = of_option.get(f"option_{option['letter']}")
        # The words of an option that is a clip are its narration, which would give it away.
        text = _plain(option["text"]) if medium is None else medium.mark
        lines.append(f"{option['letter']}. {text}")
        ordered += [] if medium is None else [medium]
    named = [f"{medium.label}: {medium.mark}" for medium in before]
    return {
        # The toolkit refuses a table of videos without this column, and looks at nothing in it.
        "video": question["question_id"],
        "question": "\n".join([*named, _plain(question["text"])]),
        "options": "\n".join(lines),
        "response_format": _RESPONSE,
        "medias": repr([medium.literal() for medium in ordered]),
        "answer": question["answer"] or "",
        "subtask_type": question["subtask"],
        **{name: question[name] for name in ("benchmark", "source", "question_id")},
    }


def _plain(text: str) -> str:
    """A text in one line, in which nothing is taken for a medium."""
    return _MARK.sub(r"(\1)", " ".join(text.split()))
