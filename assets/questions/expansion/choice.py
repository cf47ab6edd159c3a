"""Questions in accepted rewordings: which one each question is asked in, and the text it makes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from assets.questions.expansion.templates import filled, own_words, read
from assets.questions.kit.identity import question_hash
from assets.questions.kit.recipe import Row
from expectations.gates.words import holds
from expectations.schemas import TABLES
from expectations.schemas.identity import stable_hash
from expectations.schemas.readings import bare_recipe, is_paper_recipe

ROLE = "wording"
"""Role under which a question's evidence names its rewording."""


@dataclass(frozen=True, slots=True)
class Rewording:
    """An accepted rewording.

    Attributes:
        wording_id: Its id.
        template: Plain template.
        wording: The template in other words.
    """

    wording_id: str
    template: str
    wording: str

    def names_option(self, row: Mapping[str, Any]) -> bool:
        """Whether its own words name an option of a question, so that it might tell the answer."""
        own = own_words(self.wording)
        return any(holds(own, str(option["text"] or "")) for option in row["options"])


def accepted(
    wordings: pl.DataFrame, reviews: pl.DataFrame, recipe: str, domain: str
) -> pl.DataFrame:
    """Rewordings in which questions of a recipe are asked in a domain.

    Args:
        wordings: Rows of `wordings`.
        reviews: Rows of `wording_reviews`.
        recipe: Recipe with its version.
        domain: Domain of the source.

    Returns:
        Rows of `wordings`: usable ones that people accepted on the domain's sample. None under the paper's
        reading, which asks in released words.
    """
    if is_paper_recipe(recipe):
        return wordings.clear()
    good = reviews.filter(domain=domain, state="standing", verdict="accept")
    usable = wordings.filter(
        (pl.col("status") == "usable") & pl.col("recipes").list.contains(bare_recipe(recipe))
    )
    return usable.join(good, on="wording_id", how="semi").sort("wording_id")


def rewordings(rows: pl.DataFrame) -> list[Rewording]:
    """Rewordings as rows of `wordings` hold them."""
    return [Rewording(*row) for row in rows.select("wording_id", "template", "wording").iter_rows()]


def expanded(questions: pl.DataFrame, known: Sequence[Rewording]) -> pl.DataFrame:
    """Questions in the words chosen for each.

    Args:
        questions: Rows of `questions` in plain words.
        known: Accepted rewordings of their recipe.
    """
    rows = [in_chosen_words(row, known) for row in questions.iter_rows(named=True)]
    return TABLES["questions"].frame(rows)


def in_chosen_words(row: Row, known: Sequence[Rewording]) -> Row:
    """A question in the words with the lowest hash among those of its template, the plain ones included.

    A rewording that is accepted later therefore moves only the questions that choose it; one that is
    withdrawn moves only those that had it.
    """
    fitting = fitting_rewordings(row["text"], known)
    ways: list[tuple[str, Rewording | None]] = [(_turn(row, "plain"), None)]
    ways += [(_turn(row, one.wording_id), one) for one in fitting if not one.names_option(row)]
    chosen = min(ways, key=lambda way: way[0])[1]
    return row if chosen is None else in_words(row, chosen)


def fitting_rewordings(text: str, known: Iterable[Rewording]) -> list[Rewording]:
    """Rewordings of the template that a plain question is asked in; none where several templates fit."""
    listed = list(known)
    fits = {one.template for one in listed if read(one.template, text) is not None}
    return [one for one in listed if one.template in fits] if len(fits) == 1 else []


def in_words(row: Row, rewording: Rewording) -> Row:
    """A plain question in a rewording, which its evidence names; its id stays.

    Raises:
        ValueError: The question is not in the rewording's template.
    """
    values = read(rewording.template, row["text"])
    if values is None:
        raise ValueError(f"{row['text']!r} is not asked in the template {rewording.template!r}")
    text = filled(rewording.wording, values)
    named = {"table": "wordings", "key": rewording.wording_id, "role": ROLE}
    return {
        **row,
        "text": text,
        "question_hash": question_hash(text, row["options"], row["media"]),
        "evidence": [*row["evidence"], named],
    }


def _turn(row: Mapping[str, Any], words: str) -> str:
    return stable_hash("wording", row["question_id"], words)
