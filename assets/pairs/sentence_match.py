"""Do two narrations with the same verbs and nouns tell of the same activity (EgoBridge B6, stage 3)?

"We ask the LLM [...] to determine whether each ego-exo caption pair obtained in stage 2 describes the
same activity at sentence-level." By default the vectors of the narrations decide: their cosine is at
least a threshold. A configured language model decides in their place where one is named.

The threshold: of 168 pairs of narrations read by hand, drawn over all similarities from those of
exo_train.csv (EgoExoLearn) whose parsed sets are equal, 72 % (weighted) tell of the same thing done;
most others differ in a word that no class holds ("salt", "sugar"). At 0.75 of the pairs kept 91 % are
right and of the right ones 94 % are kept; 0.70 keeps 98 % at 85 %, 0.80 keeps 87 % at 95 %. The area
under the curve is 0.94. Where each class is first named by one word it is 0.59: what differs is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import polars as pl

from assets.pairs.sentences import sentence_key
from expectations.schemas.pairs import SENTENCE_THRESHOLD

# The last bits of a vector depend on the machine.
DECIMALS = 4
SENTENCE_COLUMNS = pl.Schema(
    {
        "sentence_similarity": pl.Float64(),
        "sentence_match": pl.Boolean(),
        "matched_by": pl.String(),
    }
)
Compare = Callable[[pl.DataFrame], pl.DataFrame]
"""Columns `SENTENCE_COLUMNS` for pairs with `ego_` and `exo_` `narration` and `recording_id`, in order."""

MODEL_VERSION = 1
MODEL_MAX_TOKENS = 8
SYSTEM = (
    "You compare two sentences. Each describes what a person does with their hands in a video."
    " Decide whether both describe the same activity: the same thing done to the same objects. Which"
    " hand does it, how much is used, how it is worded, and who is addressed do not matter. Reply with"
    " yes or no alone."
)


def not_compared(pairs: pl.DataFrame) -> pl.DataFrame:
    """Every pair passes: no sentence is compared."""
    return pairs.with_columns(
        pl.lit(None, pl.Float64).alias("sentence_similarity"),
        pl.lit(True).alias("sentence_match"),
        pl.lit(None, pl.String).alias("matched_by"),
    ).select(SENTENCE_COLUMNS.names())


def by_vectors(vectors: pl.DataFrame, threshold: float = SENTENCE_THRESHOLD) -> Compare:
    """Compares by the cosine of the narrations' vectors.

    Args:
        vectors: Rows of `sentence_vectors` of the pairs' recordings.
        threshold: Least cosine of a match.

    Returns:
        A comparison. Narrations that are equal but for case match without vectors; where one is
        missing, or has no vector, nothing says that the two match.
    """
    unique = vectors.unique("sentence", maintain_order=True)
    row_of = {key: row for row, key in enumerate(unique["sentence"])}
    flat = unique["vector"].explode(empty_as_null=False).to_numpy()
    matrix = flat.reshape(len(row_of), -1) if row_of else np.zeros((0, 1), np.float32)
    model = unique["model"][0] if row_of else None

    def compare(pairs: pl.DataFrame) -> pl.DataFrame:
        ego, exo = (_rows(pairs[f"{view}_narration"], row_of) for view in ("ego", "exo"))
        told = (ego >= 0) & (exo >= 0)
        cosine = np.full(len(pairs), np.nan)
        cosine[told] = np.einsum("ij,ij->i", matrix[ego[told]], matrix[exo[told]])
        measured = pl.Series(cosine, dtype=pl.Float64).fill_nan(None).clip(-1, 1).round(DECIMALS)
        similarity = pl.col("sentence_similarity")
        return (
            pairs.with_columns(measured.alias("measured"))
            .with_columns(sentence_similarity=pl.when(_equal()).then(1.0).otherwise("measured"))
            .with_columns(
                sentence_match=(similarity >= threshold).fill_null(False),
                matched_by=pl.when(similarity.is_not_null()).then(pl.lit(model, pl.String)),
            )
            .select(SENTENCE_COLUMNS.names())
            .cast(SENTENCE_COLUMNS)
        )

    return compare


def question_of(ego: str, exo: str) -> str:
    """What a language model is asked about two narrations; the same for both orders."""
    first, second = sorted((ego.strip(), exo.strip()))
    return f"First: {first}\nSecond: {second}\nDo both describe the same activity?"


def questions(pairs: pl.DataFrame) -> list[str]:
    """Questions of all pairs whose narrations differ, each once, ascending."""
    told = pairs.filter(_told() & ~_equal()).select("ego_narration", "exo_narration").unique()
    return sorted({question_of(*row) for row in told.iter_rows()})


def by_answers(said: Mapping[str, bool | None], model: str) -> Compare:
    """Compares by what a language model answered.

    Args:
        said: Answer by question; None or absent where there is none, which is not a match.
        model: Who answered.
    """

    def compare(pairs: pl.DataFrame) -> pl.DataFrame:
        answers = [
            said.get(question_of(ego, exo)) if ego and exo else None
            for ego, exo in pairs.select("ego_narration", "exo_narration").iter_rows()
        ]
        told = pairs.with_columns(pl.Series("answer", answers, dtype=pl.Boolean))
        known = _equal() | pl.col("answer").is_not_null()
        return told.with_columns(
            pl.lit(None, pl.Float64).alias("sentence_similarity"),
            (_equal() | pl.col("answer").fill_null(False)).alias("sentence_match"),
            pl.when(known).then(pl.lit(model)).alias("matched_by"),
        ).select(SENTENCE_COLUMNS.names())

    return compare


def yes_or_no(reply: str) -> bool | None:
    """What a reply says first; None if neither."""
    first = reply.strip().strip("\"'*.`").split(maxsplit=1)
    word = first[0].strip(".,:;!\"'*`").casefold() if first else ""
    return {"yes": True, "no": False}.get(word)


def _equal() -> pl.Expr:
    ego, exo = (
        pl.col(f"{view}_narration").str.strip_chars().str.to_lowercase() for view in ("ego", "exo")
    )
    return ((ego == exo) & (ego != "")).fill_null(False)


def _told() -> pl.Expr:
    return pl.all_horizontal(
        pl.col(f"{view}_narration").fill_null("").str.strip_chars() != "" for view in ("ego", "exo")
    )


def _rows(narrations: pl.Series, row_of: Mapping[str, int]) -> np.ndarray:
    """Row of each narration's vector; -1 where there is none."""
    known = {text: row_of.get(sentence_key(text), -1) for text in narrations.drop_nulls().unique()}
    return np.array([known.get(text, -1) for text in narrations], dtype=np.int64)
