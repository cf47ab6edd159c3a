"""What a protocol tells a model of the domain a question comes from.

A file of contexts lies among the prompts: one table per domain, with `text` and, as `of`, the layouts of
sources and the datasets that belong to it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping

import polars as pl

from assets.protocols.declared import prompt_folders
from resources.models.protocol import Protocol

CONTEXT = "context"
"""Column of questions: the text of their domain."""


def read_contexts(protocol: Protocol) -> dict[str, str]:
    """Texts by layout and dataset, as the protocol's file of contexts declares them; empty without one.

    Raises:
        FileNotFoundError: No folder of prompts holds the file.
    """
    if protocol.contexts is None:
        return {}
    own = [folder / "prompts" for folder in protocol.folders]
    for folder in (*own, *prompt_folders()):
        file = folder / protocol.contexts
        if file.is_file():
            tables = tomllib.loads(file.read_text(encoding="utf-8")).values()
            return {name: table["text"] for table in tables for name in table["of"]}
    raise FileNotFoundError(
        f"protocol {protocol.name}: no folder of prompts holds {protocol.contexts}; correct `contexts`"
    )


def add_contexts(
    questions: pl.DataFrame,
    contexts: Mapping[str, str],
    names: Mapping[tuple[str, str], Collection[str]],
) -> tuple[pl.DataFrame, list[str]]:
    """Questions with the text of their domain in a column `context`.

    Args:
        questions: Rows of `questions`.
        contexts: Texts by layout and dataset.
        names: Layout and dataset of recordings, by source and recording id.

    Returns:
        The questions of which the domain is known, and the ids of the others.
    """
    texts = [
        next((contexts[n] for n in names.get((source, uid), ()) if n in contexts), None)
        for source, uid in questions.select("source", "recording_id").iter_rows()
    ]
    with_texts = questions.with_columns(pl.Series(CONTEXT, texts, pl.String))
    unknown = with_texts.filter(pl.col(CONTEXT).is_null())["question_id"].to_list()
    return with_texts.filter(pl.col(CONTEXT).is_not_null()), unknown
