"""Queues of doubtful items for people: our CSV form, and Label Studio's tasks.

Text from data goes out as text. A cell that a spreadsheet would take for a formula gets an apostrophe
in front (https://owasp.org/www-community/attacks/CSV_Injection), which reading takes off again. JSON
holds no `<`, `>` or `&` as such, so that it can stand in a page.
"""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

import polars as pl

from assets.sources.reviews.values import written
from expectations.schemas.reviews import OF_BENCHMARKS, QUESTION, VERDICTS

QUEUE = pl.Schema(
    {
        "source": pl.String(),
        "item_kind": pl.String(),
        "item_id": pl.String(),
        "item_hash": pl.String(),
        "why": pl.String(),
        "text": pl.String(),
        "original": pl.String(),
        "shown": pl.String(),
        "other_reading": pl.String(),
        "recording_id": pl.String(),
        "start_s": pl.Float64(),
        "end_s": pl.Float64(),
    }
)
"""A queue: items, why each is doubtful, and what a reviewer is shown (`shown` as stored JSON).

`other_reading` is what a second reader of the same narration says, as JSON, where the two contradict each
other."""
QUESTION_QUEUE = pl.Schema(
    {
        "source": pl.String(),
        "item_kind": pl.String(),
        "benchmark": pl.String(),
        "item_id": pl.String(),
        "item_hash": pl.String(),
        "subtask": pl.String(),
        "why": pl.String(),
        "text": pl.String(),
        "answer": pl.String(),
        "explanation": pl.String(),
        "clips": pl.String(),
        "frames": pl.List(pl.String()),
    }
)
"""A queue of questions, or of rewordings with sampled questions: what a model is asked, which option is right
and why, and what is shown.

`frames` are the pictures of the clips in shown order, as Label Studio finds them; empty where none were
written."""
DECISION = ("round", "verdict", "value", "reviewer", "decided_at", "note")
"""What a reviewer fills in, beside the queue's columns."""
_FORMULA = re.compile(r"'|\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")


def guarded(cell: str) -> str:
    """A cell that no spreadsheet executes; `unguarded` gives the text back."""
    return f"'{cell}" if _FORMULA.match(cell) else cell


def unguarded(cell: str) -> str:
    """The text of a cell written by `guarded`, or by hand."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell[1:]) else cell


def queue_csv(queue: pl.DataFrame, round_: int = 1) -> str:
    """A queue as CSV, to be filled in and laid under a root of layout `reviews`.

    Args:
        queue: Columns of `QUEUE`, or of `QUESTION_QUEUE`.
        round_: Annotation round the decisions will belong to.

    Returns:
        One row per item; `verdict`, `reviewer` and `decided_at` are empty, `value` holds what is
        shown, ready to be corrected. Questions have no `value`: they are accepted or rejected.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    filled_in = [name for name in DECISION if name != "value" or "shown" in queue.columns]
    writer.writerow([*queue.columns, *filled_in])
    for row in _readable(queue):
        decision = {"round": str(round_), "value": row.get("shown", "")}
        cells = [*map(_cell, row.values()), *(decision.get(name, "") for name in filled_in)]
        writer.writerow([guarded(cell) for cell in cells])
    return out.getvalue()


def queue_label_studio(queue: pl.DataFrame, round_: int = 1) -> str:
    """A queue as Label Studio's JSON tasks (https://labelstud.io/guide/task_format).

    Args:
        queue: Columns of `QUEUE`, or of `QUESTION_QUEUE`.
        round_: Annotation round the decisions will belong to.

    Returns:
        JSON list of tasks for a project with the interface of `label_studio_interface`; what is
        shown stands in the answer's field already, as a prediction.
    """
    tasks = []
    for row in _readable(queue):
        tasks.append(
            {
                "data": {**row, "round": round_},
                "predictions": [
                    {
                        "model_version": "parallax",
                        "result": [
                            {
                                "id": "shown",
                                "from_name": "value",
                                "to_name": "text",
                                "type": "textarea",
                                "value": {"text": [row["shown"]]},
                            }
                        ],
                    }
                ]
                if row.get("shown")
                else [],
            }
        )
    return json.dumps(tasks, ensure_ascii=True, indent=1).translate(_NO_MARKUP) + "\n"


# Only inside strings do these occur in JSON, where they may be written so.
_NO_MARKUP = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def label_studio_interface(item_kind: str) -> str:
    """Labeling interface of a Label Studio project for queues of a kind; nothing renders as markup."""
    if item_kind in OF_BENCHMARKS:
        question = {QUESTION: "question: may it be published?"}.get(
            item_kind, "rewording: does it ask the same as the template, in good English?"
        )
        return _QUESTION_INTERFACE.replace("ASKED", question)
    choices = "".join(f'\n    <Choice value="{verdict}"/>' for verdict in VERDICTS)
    other = (
        '\n  <Text name="other_reading" value="$other_reading"/>' if item_kind == "label" else ""
    )
    pictures = '\n  <Image name="frames" valueList="$frames"/>' if item_kind == "direction" else ""
    return f"""<View>
  <Header value="{item_kind}: is this right?"/>{pictures}
  <Text name="why" value="$why"/>
  <Text name="original" value="$original"/>
  <Text name="text" value="$text"/>{other}
  <Choices name="verdict" toName="text" choice="single-radio" required="true">{choices}
  </Choices>
  <TextArea name="value" toName="text" rows="4" editable="true" maxSubmissions="1"/>
  <TextArea name="note" toName="text" rows="1" maxSubmissions="1" placeholder="remark"/>
</View>
"""


# A question is accepted or rejected; the verdict is not filled in, so that nobody agrees by default.
_QUESTION_INTERFACE = """<View>
  <Header value="ASKED"/>
  <Image name="frames" valueList="$frames"/>
  <Text name="clips" value="$clips"/>
  <Text name="text" value="$text"/>
  <Text name="answer" value="$answer"/>
  <Text name="explanation" value="$explanation"/>
  <Choices name="verdict" toName="text" choice="single-radio" required="true">
    <Choice value="accept"/>
    <Choice value="reject"/>
  </Choices>
  <TextArea name="note" toName="text" rows="2" maxSubmissions="1" placeholder="what is wrong with it"/>
</View>
"""


def _readable(queue: pl.DataFrame) -> list[dict[str, Any]]:
    """Rows as text and lists of texts, in the order given; what is null is empty."""
    rows = []
    for row in queue.to_dicts():
        if "shown" in row:
            row["shown"] = written(row["item_kind"], row["shown"])
        rows.append({name: _text(cell) for name, cell in row.items()})
    return rows


def _text(cell: object) -> Any:
    if isinstance(cell, float):
        return f"{cell:.3f}"
    return cell if isinstance(cell, list) else "" if cell is None else str(cell)


def _cell(value: str | list[str]) -> str:
    return value if isinstance(value, str) else " ".join(value)
