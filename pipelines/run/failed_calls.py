"""Model calls that failed and are still without a reply, over all stages that ask models; replies that no reader could read."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import polars as pl

from assets.pairs.stage import failed_comparisons
from assets.predictions.judging.stage import failed_judgements
from assets.predictions.stage import failed_calls, unread_replies
from assets.questions.expansion.stage import failed_rewordings
from assets.questions.gating import failed_guesses, failed_model_verdicts
from assets.questions.stage import failed_writing
from assets.scores.parity.stage import failed_readings
from assets.translations.stage import failed_translations
from expectations.schemas import TABLES
from resources.config import Settings


def failed_call_lines(settings: Settings, partitions: Collection[str]) -> Iterator[str]:
    """One sentence for each partition in which calls failed, or replies could not be read.

    Args:
        settings: Configuration.
        partitions: Sources, benchmarks and evaluations that were updated.

    Yields:
        Sentences for people, in the order of the data.
    """
    updated = set(partitions)
    for source in sorted(updated & settings.sources.keys()):
        n = failed_translations(settings, source)
        if n:
            yield f"translations of {source}: {n} texts have none, since calls failed"
        n = failed_comparisons(settings, source)
        if n:
            yield f"pairs of {source}: {n} comparisons have no answer, since calls failed"
    for benchmark in sorted(updated & settings.benchmarks.keys()):
        n = failed_rewordings(settings, benchmark)
        if n:
            yield f"rewordings of {benchmark}: {n} templates have none, since calls failed"
        n = failed_writing(settings, benchmark)
        if n:
            yield f"questions of {benchmark}: {n} are not written, since calls failed"
        for gate, n in failed_guesses(settings, benchmark).items():
            yield f"gate {gate} of {benchmark}: {n} questions are not judged, since calls failed"
        n = failed_model_verdicts(settings, benchmark)
        if n:
            yield f"gates of {benchmark}: {n} questions lack a model's verdict, since calls failed"
    for key in settings.evaluations():
        if key not in updated:
            continue
        n = failed_readings(settings, key)
        if n:
            yield f"{key}: {n} replies have no reading by a model, since calls failed"
        n = failed_judgements(settings, key)
        if n:
            yield f"judges of {key}: {n} answers are not judged, since calls failed"
        if not _has_errors(settings, key):
            continue
        failed = failed_calls(settings, key)
        if failed is not None:
            yield f"{key}: {failed.sentence()}"
        n = unread_replies(settings, key)
        if n:
            yield (
                f"{key}: replies that cannot be read and are in no score: {n}; a reader fails on them, and"
                " their rows in `quarantine` (rule `reader_error`) name the fault: report it"
            )


def _has_errors(settings: Settings, key: str) -> bool:
    errors = settings.store.scan(TABLES["scores"], key, columns=("n_errors",))
    return bool(errors.select((pl.col("n_errors") > 0).any()).collect().item())
