"""A baseline that really looks: which option's moving colours resemble the query's.

Per clip: each frame is compared with its neighbours in time, shifted back by the camera's motion (a
wearer's head turns); what differs from all of them is what moves on its own: hands and what they
hold. A histogram over the colours of that is the clip's signature. Options of a question come from
one recording and share its performer and place, so what all options have in common tells nothing:
their mean is subtracted before the comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from blake3 import blake3

from expectations.schemas.identity import canonical_json
from resources.models.base import Capabilities, Media, ask_each, best_letter, decode_clip
from resources.models.prompt import Clip, Prompt
from resources.models.reply import Reply

_HUE_BINS = 18
_SATURATION_BINS = 3
_VALUE_BINS = 3
_COLOURS = (_HUE_BINS * _SATURATION_BINS + 1) * _VALUE_BINS
# Differences below this come from the encoder and from shifts by part of a pixel (8-bit levels).
_NOISE_LEVELS = 25
# Greys have no hue to speak of: they are distinguished by brightness alone.
_LEAST_SATURATION = 0.15
# Frames compared with a frame: so many before and after it.
_NEIGHBOURS = 2


def hue_saturation(image: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Hue in [0, 1) and saturation in [0, 1] of RGB in [0, 255], each of shape [...]."""
    rgb = image.astype(np.float32) / 255
    high, low = rgb.max(axis=-1), rgb.min(axis=-1)
    spread = high - low
    safe = np.where(spread > 0, spread, 1)
    red, green, blue = rgb[..., 0], rgb[..., 1], rgb[..., 2]
    sector = np.where(
        high == red,
        ((green - blue) / safe) % 6,
        np.where(high == green, (blue - red) / safe + 2, (red - green) / safe + 4),
    )
    hue = np.where(spread > 0, sector / 6, 0) % 1
    saturation = np.where(high > 0, spread / np.where(high > 0, high, 1), 0)
    return hue, saturation


def colour_bins(images: np.ndarray) -> np.ndarray:
    """Bin of each pixel's colour: hue, saturation and brightness, or brightness of a grey.

    Args:
        images: uint8 [..., 3].

    Returns:
        int [...], in [0, 165).
    """
    hue, saturation = hue_saturation(images)
    value = images.max(axis=-1).astype(np.float32) / 255
    h, s, v = (
        np.minimum((part * n).astype(np.int64), n - 1)
        for part, n in ((hue, _HUE_BINS), (saturation, _SATURATION_BINS), (value, _VALUE_BINS))
    )
    coloured = (h * _SATURATION_BINS + s) * _VALUE_BINS + v
    grey = _HUE_BINS * _SATURATION_BINS * _VALUE_BINS + v
    return np.where(saturation >= _LEAST_SATURATION, coloured, grey)


def spectrum(brightness: np.ndarray) -> np.ndarray:
    """Spectrum of a frame's brightness, float [height, width], for `camera_shift`."""
    return np.fft.rfft2(brightness - brightness.mean())


def camera_shift(first: np.ndarray, second: np.ndarray, shape: tuple[int, int]) -> tuple[int, int]:
    """Rows and columns by which the second frame is moved to lie on the first (phase correlation).

    Args:
        first: Spectrum of a frame.
        second: The same of another frame.
        shape: Height and width of the frames.
    """
    cross = first * np.conj(second)
    peaks = np.fft.irfft2(cross / (np.abs(cross) + 1e-9), shape)
    row, column = np.unravel_index(int(np.argmax(peaks)), shape)
    height, width = shape
    down = int(row) if row <= height // 2 else int(row) - height
    right = int(column) if column <= width // 2 else int(column) - width
    # With less than half of the picture in common the peak is chance.
    overlap = (1 - abs(down) / height) * (1 - abs(right) / width)
    return (down, right) if overlap >= 0.5 else (0, 0)


def own_motion(stack: np.ndarray) -> np.ndarray:
    """What moves on its own: least difference to the neighbours, camera motion removed.

    Args:
        stack: RGB frames in time order, uint8 [frames, height, width, 3].

    Returns:
        float32 [frames, height, width] in 8-bit levels; 0 where no neighbour shows the place.
    """
    # Sums of three bytes are exact: written out, they cost a fraction of a mean over the last axis.
    red, green, blue = (stack[..., channel].astype(np.float64) for channel in range(3))
    grey = (red + green + blue) / 3
    n, height, width = grey.shape
    spectra = [spectrum(frame) for frame in grey]
    least = np.full(grey.shape, np.inf, dtype=np.float32)
    for i in range(n):
        for j in range(i + 1, min(n, i + 1 + _NEIGHBOURS)):
            down, right = camera_shift(spectra[i], spectra[j], (height, width))
            # The part of frame i that frame j shows too, and where it lies there.
            here = _overlap(height, down), _overlap(width, right)
            there = _overlap(height, -down), _overlap(width, -right)
            apart = np.abs(stack[i][here].astype(np.int16) - stack[j][there])
            difference = np.maximum(np.maximum(apart[..., 0], apart[..., 1]), apart[..., 2])
            least[i][here] = np.minimum(least[i][here], difference)
            least[j][there] = np.minimum(least[j][there], difference)
    return np.where(np.isfinite(least), least, 0)


def _overlap(length: int, shift: int) -> slice:
    return slice(max(0, shift), length + min(0, shift))


def clip_histogram(frames: Sequence[np.ndarray]) -> np.ndarray:
    """Colours of what moves in a clip.

    Args:
        frames: RGB, uint8 [height, width, 3], in time order, at least one, all of one size.

    Returns:
        float64 [165], summing to 1. Where nothing moves (a single frame), all pixels count.
    """
    stack = np.stack(frames)
    moving = own_motion(stack) > _NOISE_LEVELS
    if not moving.any():
        moving = np.ones_like(moving)
    counts = np.bincount(colour_bins(stack[moving]), minlength=_COLOURS)
    return counts / counts.sum()


def similarities(query: np.ndarray, options: np.ndarray) -> np.ndarray:
    """Cosine of query and each option, over square roots, after removing what options share.

    Args:
        query: Histogram, [bins].
        options: Histograms, [options, bins].

    Returns:
        float64 [options], in [-1, 1]; 0 where an option differs from the others in nothing.
    """
    common = np.sqrt(options).mean(axis=0)
    own = np.sqrt(options) - common
    asked = np.sqrt(query) - common
    norms = np.linalg.norm(own, axis=1) * np.linalg.norm(asked)
    return np.where(norms > 1e-12, own @ asked / np.where(norms > 1e-12, norms, 1), 0.0)


class ImageSimilarityEngine:
    """Answers with the option whose moving colours are nearest the query's."""

    capabilities = Capabilities(images=True, video=True)
    signature: Callable[[Sequence[np.ndarray]], np.ndarray] = staticmethod(clip_histogram)
    model = f"image-similarity@2 colours={_COLOURS} noise={_NOISE_LEVELS} neighbours={_NEIGHBOURS}"

    def __init__(self) -> None:
        # Clips recur as options of other questions (K = 5 and K = 20 share theirs); the key is
        # content, so a cached histogram can never be another video's.
        self._seen: dict[tuple[Clip, int | None], tuple[np.ndarray, bytes]] = {}

    def ask(self, batch: Sequence[Prompt], media: Media) -> list[Reply]:
        """One reply per prompt; every frame the protocol sends is decoded."""
        return ask_each(batch, lambda prompt: self._answer(prompt, media))

    def _answer(self, prompt: Prompt, media: Media) -> tuple[str, tuple[float, ...], str]:
        histograms: dict[str, np.ndarray] = {}
        sent = blake3()
        for clip in prompt.clips:
            histograms[clip.role], digest = self._look(clip, media, prompt.short_side_px)
            sent.update(digest)
        roles = [f"option_{letter}" for letter in prompt.choices]
        # Candidates that are compared with a reference have no other query.
        only_reference = "reference" in histograms and "query" not in histograms
        asked = "reference" if only_reference else "query"
        missing = [role for role in (asked, *roles) if role not in histograms]
        if missing:
            raise ValueError(
                f"the prompt sends no clip for {missing}: ask under a protocol with media, and give"
                " the run subtasks whose options are clips"
            )
        scores = similarities(histograms[asked], np.stack([histograms[role] for role in roles]))
        values = tuple(round(float(score), 6) for score in scores)
        text = canonical_json({"answer": best_letter(prompt, values)})
        return text, values, sent.hexdigest(length=16)

    def _look(
        self, clip: Clip, media: Media, short_side_px: int | None
    ) -> tuple[np.ndarray, bytes]:
        key = (replace(clip, role=""), short_side_px)
        if key not in self._seen:
            frames = decode_clip(clip, media, short_side_px)
            digest = blake3()
            for frame in frames:
                digest.update(np.ascontiguousarray(frame).tobytes())
            self._seen[key] = self.signature(frames), digest.digest()
        return self._seen[key]
