"""Questions as points: what they say and show, drawn so that like questions lie together (EgoCross, Figure 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from expectations.schemas.domain_gap import DOMAIN_POINTS
from expectations.schemas.identity import stable_hash
from resources.errors import ExpectedError
from resources.models.engines.pixel_statistics import picture_statistics

MOST = 100
"""Questions of a domain that are drawn, those of lowest hash."""
FEWEST = 8
"""Fewer points make no picture."""
PERPLEXITY = 30.0
WORDS = "stand-in: counts of words (tf-idf), no sentence encoder"
COLOURS = "stand-in: statistics of colours and gradients, no image encoder"
# The last bits of a place depend on the machine.
_DECIMALS = 4
_WORD = r"\w+"


class PictureUnavailable(ExpectedError, RuntimeError):
    """What draws the points is not installed."""


def drawn(domains: Mapping[str, str]) -> list[str]:
    """Questions to draw: of each domain at most `MOST`.

    Args:
        domains: Domain of each question, by its id.

    Returns:
        Ids, ascending.
    """
    by_domain: dict[str, list[str]] = {}
    for uid, domain in domains.items():
        by_domain.setdefault(domain, []).append(uid)
    chosen = (
        sorted(ids, key=lambda uid: (stable_hash(uid), uid))[:MOST] for ids in by_domain.values()
    )
    return sorted(uid for ids in chosen for uid in ids)


def said_of(question: Mapping[str, object]) -> str:
    """What a question says: its text, then its options in alphabetical order, which gives no answer away."""
    options = question["options"]
    assert isinstance(options, list)
    return "\n".join(
        [str(question["text"]), *sorted(str(option["text"] or "") for option in options)]
    )


def word_vectors(texts: Sequence[str]) -> np.ndarray:
    """Vectors of texts by their words, where no encoder of sentences is installed.

    Returns:
        float64 [texts, words].
    """
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
    except ModuleNotFoundError as missing:
        raise _missing() from missing
    return np.asarray(TfidfVectorizer(token_pattern=_WORD).fit_transform(texts).todense())


def colour_vectors(images: Sequence[np.ndarray]) -> np.ndarray:
    """Vectors of pictures by their colours and gradients, where no encoder is configured.

    Args:
        images: RGB, uint8 [height, width, 3].

    Returns:
        float64 [images, 189].
    """
    return np.stack([picture_statistics([image]) for image in images])


def places(vectors: np.ndarray) -> np.ndarray:
    """Places of vectors by t-SNE (van der Maaten and Hinton 2008), from their principal components.

    Args:
        vectors: float [n, features], n at least `FEWEST`.

    Returns:
        float64 [n, 2], the same for the same vectors.
    """
    try:
        from sklearn.manifold import TSNE
    except ModuleNotFoundError as missing:
        raise _missing() from missing
    settings = {"perplexity": min(PERPLEXITY, (len(vectors) - 1) / 3), "random_state": 0}
    positions = TSNE(
        n_components=2, init="pca", method="exact", n_jobs=1, **settings
    ).fit_transform(np.asarray(vectors, dtype=np.float64))
    return np.round(positions.astype(np.float64), _DECIMALS)


def domain_points(
    benchmark: str,
    kind: str,
    encoder: str,
    vectors: Mapping[str, np.ndarray],
    domains: Mapping[str, str],
) -> pl.DataFrame:
    """Rows of `domain_points` of one kind; none of fewer than `FEWEST` questions.

    Args:
        benchmark: Benchmark.
        kind: `text` or `image`.
        encoder: What made the vectors.
        vectors: Vector of each question, by its id.
        domains: Domain of each question.
    """
    ids = sorted(vectors)
    if len(ids) < FEWEST:
        return DOMAIN_POINTS.empty()
    positions = places(np.stack([vectors[uid] for uid in ids]))
    rows = (
        {
            "benchmark": benchmark,
            "kind": kind,
            "question_id": uid,
            "domain": domains[uid],
            "x": float(x),
            "y": float(y),
            "encoder": encoder,
        }
        for uid, (x, y) in zip(ids, positions, strict=True)
    )
    return DOMAIN_POINTS.frame(rows).sort(DOMAIN_POINTS.key)


def _missing() -> PictureUnavailable:
    return PictureUnavailable(
        "drawing questions as points needs scikit-learn; install the extra `sentences`, or remove"
        " `daily_life` from the benchmark"
    )
