"""Protocols that are declared: the general ones and each benchmark's, and what a run asks under one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import polars as pl

from resources.models.protocol import Protocol, read_protocols
from resources.models.runs import RunConfig

_HERE = Path(__file__).parent


def default_protocols(folders: Iterable[Path] = ()) -> dict[str, Protocol]:
    """General protocols (`protocols.toml` beside this module) and those of every benchmark.

    Args:
        folders: Folders of plug-in benchmarks.

    Raises:
        ValueError: Two files declare a protocol of one name.
    """
    protocols: dict[str, Protocol] = {}
    for folder in (*_folders(), *folders):
        file = folder / "protocols.toml"
        if not file.is_file():
            continue
        for name, protocol in read_protocols(file.read_text(encoding="utf-8"), folder).items():
            if name in protocols:
                raise ValueError(f"{file}: protocol {name!r} is declared by another file too")
            protocols[name] = protocol
    return protocols


def prompt_folders() -> list[Path]:
    """Folders of prompt templates, in the order in which a template is looked for."""
    return [folder / "prompts" for folder in _folders() if (folder / "prompts").is_dir()]


def _folders() -> list[Path]:
    """This folder, then each benchmark's."""
    benchmarks = _HERE.parent / "questions"
    return [_HERE, *sorted(path for path in benchmarks.iterdir() if path.is_dir())]


def select_questions(questions: pl.DataFrame, run: RunConfig, protocol: Protocol) -> pl.DataFrame:
    """Questions the run asks.

    A question whose pixels are not here is not asked where the protocol sends media: it is a
    matter of the source, shown there, and no failure of the model. Under a limit the subtasks take
    turns (first of each, second of each ...), in order of question hash, so that the same questions
    are asked again after others have been added elsewhere.

    Args:
        questions: Rows of `questions`.
        run: Run.
        protocol: Its protocol.

    Returns:
        The rows, sorted by subtask and question id.
    """
    chosen = questions
    if run.subtasks:
        chosen = chosen.filter(pl.col("subtask").is_in(run.subtasks))
    if protocol.sends_media:
        chosen = chosen.filter("media_present")
    if protocol.max_options is not None:
        chosen = chosen.filter(pl.col("options").list.len() <= protocol.max_options)
    if run.limit is not None:
        turn = pl.col("question_hash").rank("ordinal").over("subtask").alias("_turn")
        chosen = (
            chosen.with_columns(turn)
            .sort("_turn", "subtask", "question_hash")
            .head(run.limit)
            .drop("_turn")
        )
    return chosen.sort("subtask", "question_id")
