"""A shortcut test: which option's pictures have colours and edges like the query's, whatever happens in them.

Questions whose right option was filmed in the query's room can be answered so without a look at what is done:
the walls, the furniture and the light are enough. Who builds such questions keeps the right option in another
place (task relation of EgoExoBench); this engine tells whether that worked.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from resources.models.engines.image_similarity import ImageSimilarityEngine, colour_bins

_COLOURS = 165
_DIRECTIONS = 8
_STRENGTHS = (8.0, 24.0, 64.0)
"""Least gradients of edges, in 8-bit levels per pixel: of weak, middling and strong ones."""


def picture_statistics(frames: Sequence[np.ndarray]) -> np.ndarray:
    """Colours and gradients of whole pictures, averaged over a clip.

    Args:
        frames: RGB, uint8 [height, width, 3], at least one.

    Returns:
        float64 [165 + 8 * 3], summing to 1: half of it the histogram of colours, half that of gradients by
        direction and strength (of the colours alone where there is no gradient).
    """
    return np.mean([_statistics(frame) for frame in frames], axis=0)


def _statistics(frame: np.ndarray) -> np.ndarray:
    colours = np.bincount(colour_bins(frame).ravel(), minlength=_COLOURS).astype(np.float64)
    grey = frame.astype(np.float64).mean(axis=-1)
    down, right = np.gradient(grey)
    strength = np.digitize(np.hypot(down, right), _STRENGTHS)
    direction = np.floor(np.arctan2(down, right) % np.pi / np.pi * _DIRECTIONS).astype(np.int64)
    is_edge = strength > 0
    places = np.minimum(direction, _DIRECTIONS - 1) * len(_STRENGTHS) + strength - 1
    size = _DIRECTIONS * len(_STRENGTHS)
    edges = np.bincount(places[is_edge], minlength=size).astype(np.float64)
    parts = np.concatenate([colours / colours.sum(), edges / max(edges.sum(), 1.0)])
    return parts / parts.sum()


class PixelStatisticsEngine(ImageSimilarityEngine):
    """Answers with the option whose pictures are nearest the query's in colours and gradients."""

    signature = staticmethod(picture_statistics)
    model = f"pixel-statistics@1 colours={_COLOURS} directions={_DIRECTIONS} strengths={_STRENGTHS}"
