"""Who compares the sentences of a source, as configured: vectors, a language model, or nobody."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from assets.pairs.sentence_match import (
    MODEL_MAX_TOKENS,
    MODEL_VERSION,
    SYSTEM,
    Compare,
    by_answers,
    by_vectors,
    not_compared,
    questions,
    yes_or_no,
)
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from resources.config import BY_EMBEDDING, NOT_MATCHED, Settings
from resources.models.calls.calls import TextModel
from resources.models.costs.costs import refresh_costs
from resources.models.runs import RunConfig
from resources.store.incremental import Progress

PURPOSE = "sentence_match"


def compared_by(settings: Settings, source: str) -> str:
    """What decides how sentences of a source compare, beside the sentences."""
    configured = settings.sources[source]
    model = text_model(settings, source)
    if model is not None:
        return f"{configured.sentence_match} {model.identity}"
    threshold = configured.sentence_threshold if configured.sentence_match == BY_EMBEDDING else ""
    return f"{configured.sentence_match} {threshold}"


def text_model(settings: Settings, source: str, retry_errors: bool = False) -> TextModel | None:
    """The language model that is asked; None where vectors or nobody compares."""
    name = settings.sources[source].sentence_match
    if name in (BY_EMBEDDING, NOT_MATCHED):
        return None
    run = settings.text_models[name]
    return TextModel(
        settings.store, PURPOSE, run, MODEL_VERSION, SYSTEM, MODEL_MAX_TOKENS, retry_errors
    )


def item_of(question: str) -> str:
    """Item that a question is kept as with its call."""
    return digest([question])


class Judge:
    """Compares the sentences of pools, one after the other.

    Args:
        settings: Configuration.
        source: Source.
        may_ask: Whether a model may be asked; else only its known replies are used.
        told: Told of each request.
        retry_errors: Whether questions are asked again that failed too often.

    Attributes:
        open: Whether the last pool has answers that may still come.
    """

    def __init__(
        self,
        settings: Settings,
        source: str,
        may_ask: Callable[[RunConfig], bool],
        told: Progress,
        retry_errors: bool = False,
    ) -> None:
        self._settings, self._source = settings, source
        self._model = text_model(settings, source, retry_errors)
        self._may_ask, self._told = may_ask, told
        self.open = False

    def of(self, recordings: Sequence[str]) -> Compare:
        """Comparison of sentences of these recordings."""
        self.open = False
        if self._model is not None:
            return self._asked
        configured = self._settings.sources[self._source]
        if configured.sentence_match == NOT_MATCHED:
            return not_compared
        vectors = self._settings.store.read(
            TABLES["sentence_vectors"], self._source, list(recordings)
        )
        return by_vectors(vectors, configured.sentence_threshold)

    def record_costs(self) -> None:
        """Sum up what all calls of the model cost, those for other sources included."""
        if self._model is not None:
            refresh_costs(self._settings.store, self._model.partition, self._model.run)

    def _asked(self, pairs: pl.DataFrame) -> pl.DataFrame:
        model = self._model
        assert model is not None
        asked = {item_of(question): question for question in questions(pairs)}
        # An empty pool opens no engine.
        replies = (
            model.ask(asked, buy=self._may_ask(model.run), progress=self._told) if asked else {}
        )
        self.open = any(not reply.settled for reply in replies.values())
        said = {
            question: yes_or_no(replies[key].text or "") if replies[key].status == "ok" else None
            for key, question in asked.items()
        }
        return by_answers(said, f"{model.run.name} {model.engine.model}")(pairs)
