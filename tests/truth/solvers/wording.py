"""What gates say against the wording of questions that builders make."""

from __future__ import annotations

import polars as pl

from expectations.schemas import TABLES
from resources.config import Settings

# Rules that refuse what a builder wrote otherwise than its derivation expects.
WORDING = ("text", "option_text", "question_hash", "evidence_role", "evidence_left_out")


def written_otherwise(settings: Settings, benchmark: str, recipe: str) -> list[str]:
    """Messages of gates about the wording of a recipe's questions, of which there must be some."""
    questions = settings.store.read(TABLES["questions"], benchmark)
    questions = questions.filter(pl.col("recipe").str.starts_with(f"{recipe}@"))
    assert questions.height >= 3
    refused = settings.store.read(TABLES["question_gates"], benchmark).filter(
        (pl.col("verdict") == "refuse")
        & ((pl.col("gate") == "explanation") | pl.col("rule").is_in(WORDING))
    )
    return refused.join(questions, on="question_id", how="semi")["message"].to_list()
