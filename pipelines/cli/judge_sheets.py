"""Sheets of answers for people to mark, which a judge with engine `human` reads once they are filled in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from assets.predictions.judging.cases import Case, decide, prompt_of
from assets.predictions.judging.stage import cases_to_judge
from pipelines.cli.reply_sheets import written_csv
from resources.config import Settings
from resources.models.engines.given_replies import PROMPT, shown_hash
from resources.models.engines.human import REPLY
from resources.models.prompt import Prompt

COLUMNS = (PROMPT, "benchmark", "subtask", "question", "reference", "answer", REPLY)


def judge_rows(
    settings: Settings,
    run: str,
    judge: str,
    benchmarks: Sequence[str],
    per_subtask: int | None = None,
) -> Iterator[dict[str, str]]:
    """Rows of a sheet: every answer that the judge is asked about, with an empty mark.

    What is asked alike stands there once. The model behind an answer, its letter and the marks of others are not shown.

    Args:
        settings: Configuration.
        run: Run whose answers are judged.
        judge: Judge that people are.
        benchmarks: Benchmarks that name the judge.
        per_subtask: At most so many answers of a subtask, those of lowest hash; None for all.
    """
    mode: Any = settings.judges[judge].mode
    for benchmark in benchmarks:
        key = f"{benchmark}.{run}"
        if key not in settings.evaluations():
            continue
        asked: dict[str, tuple[str, Case]] = {}
        for answer, case in cases_to_judge(settings, key):
            if decide(case, mode) is None:
                prompt = Prompt(key="", parts=(prompt_of(case, mode),))
                asked.setdefault(shown_hash(prompt), (answer["subtask"], case))
        drawn: dict[str, int] = {}
        for shown, (subtask, case) in sorted(asked.items()):
            drawn[subtask] = drawn.get(subtask, 0) + 1
            if per_subtask is None or drawn[subtask] <= per_subtask:
                yield {
                    PROMPT: shown,
                    "benchmark": benchmark,
                    "subtask": subtask,
                    "question": case.question,
                    "reference": case.reference,
                    "answer": case.given,
                    REPLY: "",
                }


def judge_sheet_csv(rows: Iterable[Mapping[str, str]]) -> str:
    """A sheet as CSV."""
    return written_csv(COLUMNS, rows)
