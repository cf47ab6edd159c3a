"""Two stages of one folder, one after the other, as a run does."""

from __future__ import annotations

from assets.options import Options, Tell
from assets.pairs.stage import STAGE as PAIRS
from assets.pairs.stage import VECTORS
from assets.questions.gating import STAGE as GATES
from assets.questions.stage import STAGE as QUESTIONS
from resources.config import Settings
from resources.store.incremental import Report


def refresh_pairs(settings: Settings, source: str, options: Options, tell: Tell) -> list[Report]:
    """Update the vectors of sentences, then the pairs."""
    return [
        *VECTORS.refresh(settings, source, options, tell),
        *PAIRS.refresh(settings, source, options, tell),
    ]


def refresh_questions(
    settings: Settings, benchmark: str, options: Options, tell: Tell
) -> list[Report]:
    """Update the questions, then their verdicts."""
    return [
        *QUESTIONS.refresh(settings, benchmark, options, tell),
        *GATES.refresh(settings, benchmark, options, tell),
    ]


def pairs_are_fresh(settings: Settings, source: str, options: Options) -> bool:
    """Whether neither a vector nor a pair is to be computed."""
    return all(stage.is_fresh(settings, source, options) for stage in (VECTORS, PAIRS))
