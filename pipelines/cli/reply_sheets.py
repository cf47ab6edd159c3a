"""Sheets of questions for people to reply to, which engine `human` reads once they are filled in."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from assets.options import Options
from assets.predictions.stage import Evaluation, prompts_of
from assets.sources.reviews.forms import guarded
from resources.config import Settings
from resources.models.engines.given_replies import PROMPT, QUESTION, shown_hash
from resources.models.engines.human import REPLY
from resources.models.prompt import Prompt
from resources.models.runs import RunConfig

COLUMNS = (QUESTION, PROMPT, "benchmark", "subtask", "shown", "clips", "letters", REPLY)


def sheet_rows(settings: Settings, run: str, benchmarks: Sequence[str]) -> Iterator[dict[str, str]]:
    """Rows of a sheet: every question as the run asks it, with an empty reply.

    Args:
        settings: Configuration.
        run: Run whose questions, protocol and limit count; its own engine is not opened.
        benchmarks: Benchmarks to ask about.
    """
    settings = engineless(settings, run)
    for benchmark in benchmarks:
        evaluation = Evaluation(settings, f"{benchmark}.{run}")
        questions = evaluation.questions(Options())
        subtasks: Mapping[str, str] = dict(questions.select("question_id", "subtask").iter_rows())
        for prompt in prompts_of(evaluation, questions):
            yield {
                QUESTION: prompt.item,
                PROMPT: shown_hash(prompt),
                "benchmark": benchmark,
                "subtask": subtasks[prompt.item],
                "shown": f"{prompt.system}\n\n{prompt.text}".strip(),
                "clips": "; ".join(_clips(prompt)),
                "letters": " ".join(prompt.choices),
                REPLY: "",
            }


def engineless(settings: Settings, run: str) -> Settings:
    """Configuration in which a run asks the same without its engine.

    Any engine asks the same questions; the random one needs no weights, server or file of replies.
    """
    configured = settings.runs[run]
    blank = RunConfig(
        run,
        "random",
        configured.protocol,
        limit=configured.limit,
        subtasks=configured.subtasks,
        benchmarks=configured.benchmarks,
        system_prompt=configured.system_prompt,
    )
    return replace(settings, runs={**settings.runs, run: blank})


def sheet_csv(rows: Iterable[Mapping[str, str]]) -> str:
    """A sheet as CSV."""
    return written_csv(COLUMNS, rows)


def written_csv(columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> str:
    """Rows as CSV; a text that a spreadsheet would take for a formula is set off."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([guarded(row.get(name, "")) for name in columns])
    return text.getvalue()


def sheet_json_lines(rows: Iterable[Mapping[str, str]]) -> str:
    """A sheet as JSON lines."""
    return "".join(json.dumps(dict(row), ensure_ascii=False) + "\n" for row in rows)


def _clips(prompt: Prompt) -> Iterator[str]:
    for clip in prompt.clips:
        yield f"{clip.label}: {clip.recording_id} {clip.start_s:.2f}-{clip.end_s:.2f} s"
