"""The one interface of all models: prompts in, replies out.

If one prompt fails, the engine returns an error reply and continues. Broken machinery (weights
that are not installed, a server that does not answer) raises `EngineUnavailableError` once.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol as Interface
from typing import TypeVar, runtime_checkable

import numpy as np
from blake3 import blake3

from expectations.schemas.identity import canonical_json
from resources.errors import ExpectedError
from resources.media.overlays import draw_overlays
from resources.media.stills import Media, Still, read_stills
from resources.models.prompt import Clip, Prompt
from resources.models.reply import Reply
from resources.roots.base import RootError

# Quality at which an engine sends JPEG where the protocol does not say.
JPEG_QUALITY = 90

REASONING_TOKENS = 8192
"""Room for the reasoning of a model that is seen to reason, where the run names none."""

Prepared = TypeVar("Prepared")


class EngineUnavailableError(ExpectedError, RuntimeError):
    """The engine cannot answer anything: the message says what is missing and how to get it."""


class UnsuitableEngineError(EngineUnavailableError, ValueError):
    """The engine cannot do what the protocol needs."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an engine can do.

    Attributes:
        images: Takes images.
        video: Takes video.
        option_likelihood: Scores the options' texts by log-likelihood.
        json_schema: Keeps a reply inside a JSON schema.
        path_test: Too weak to measure anything: its replies prove that the path works.
        ignores_media: Looks at nothing it is sent, so that no frame is read for it.
    """

    images: bool = False
    video: bool = False
    option_likelihood: bool = False
    json_schema: bool = False
    path_test: bool = False
    ignores_media: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class PreparedPrompt:
    """A prompt that can be asked at once.

    Attributes:
        prompt: The prompt.
        media: Media that have its frames in memory, as it sends them; `message_parts` and
            `decode_clip` find them there. A frame that could not be read ahead is read again, and
            raises where it is asked for.
    """

    prompt: Prompt
    media: Media


class Engine(Interface):
    """A model behind the one interface.

    An engine that sends prompts one by one has a method `stream` as well (`StreamingEngine`); any
    other is asked for a few replies at a time.
    """

    @property
    def capabilities(self) -> Capabilities:
        """What the engine can do."""
        ...

    @property
    def model(self) -> str:
        """Model and revision: whatever changes a reply changes this text."""
        ...

    def ask(self, batch: Sequence[Prompt], media: Media) -> list[Reply]:
        """One reply per prompt, in order.

        Args:
            batch: Prompts; their media are of one source.
            media: Decodes frames of a recording of that source.

        Raises:
            EngineUnavailableError: Nothing can be asked at all.
        """
        ...


@runtime_checkable
class StreamingEngine(Engine, Interface):
    """An engine that takes prompts when it has room for them, and knows when each reply is there."""

    def stream(self, prompts: Iterator[PreparedPrompt]) -> Iterator[Sequence[Reply]]:
        """Replies in groups, as they arrive and in any order; one per prompt taken.

        Args:
            prompts: Prompts in the order they are to be asked. Taking one waits until it is ready;
                several threads may take them. Each prompt taken should be sent without delay, and
                none while the caller holds a group of replies: what is under way is what a kill
                loses.

        Raises:
            EngineUnavailableError: The model cannot be asked, or cannot any more; replies it gave
                before have been yielded.
        """
        ...


def ask_each(
    batch: Sequence[Prompt],
    answer: Callable[[Prompt], tuple[str, tuple[float, ...] | None, str | None]],
) -> list[Reply]:
    """Asks one by one; an exception becomes that prompt's error.

    Args:
        batch: Prompts.
        answer: Text, option scores and hash of the bytes sent, for one prompt.
    """
    replies: list[Reply] = []
    for prompt in batch:
        began = time.perf_counter()
        try:
            text, scores, bytes_hash = answer(prompt)
        except (EngineUnavailableError, RootError):
            raise
        except Exception as cause:  # noqa: BLE001 - a fault of one prompt is its row
            replies.append(Reply.failed(prompt, cause, time.perf_counter() - began))
            continue
        replies.append(
            Reply(
                prompt.key,
                "ok",
                text,
                option_scores=scores,
                bytes_hash=bytes_hash,
                seconds=time.perf_counter() - began,
            )
        )
    return replies


def prepare(
    batch: Sequence[Prompt], make: Callable[[Prompt, dict[Clip, list[np.ndarray]]], Prepared]
) -> tuple[list[Prepared], dict[str, Reply]]:
    """What an engine is to be given of each prompt, before it is asked anything.

    Args:
        batch: Prompts.
        make: What is sent of a prompt; it is given the clips decoded for the batch so far.

    Returns:
        What was made, in order, and by call key the errors of prompts whose frames cannot be had.
    """
    made: list[Prepared] = []
    failed: dict[str, Reply] = {}
    decoded: dict[Clip, list[np.ndarray]] = {}
    for prompt in batch:
        began = time.perf_counter()
        try:
            made.append(make(prompt, decoded))
        except (EngineUnavailableError, RootError):
            raise
        except Exception as cause:  # noqa: BLE001 - a fault of one prompt is its row
            failed[prompt.key] = Reply.failed(prompt, cause, time.perf_counter() - began)
    return made, failed


def is_open_reasoning(text: str) -> bool:
    """Whether a text ends inside the reasoning that it began."""
    return "<think>" in text and "</think>" not in text


def is_cut_in_reasoning(
    prompt: Prompt, text: str, finish_reason: str | None, *, opens_reasoning: bool
) -> bool:
    """Whether a model without room for reasoning spent all its tokens on it.

    Args:
        prompt: Prompt.
        text: What the model wrote.
        finish_reason: Why it stopped.
        opens_reasoning: Whether the turn format begins the reasoning itself.
    """
    if prompt.reasoning_tokens is not None or finish_reason != "length":
        return False
    return is_open_reasoning(("<think>" if opens_reasoning else "") + text)


def scored_texts(prompt: Prompt) -> list[str]:
    """Texts of the options, for an engine that scores them by likelihood.

    Raises:
        ValueError: An option has no text.
    """
    texts = [text.strip() for text in prompt.choice_texts]
    if not texts or not all(texts):
        raise ValueError(
            "an option has no text to score: ask under a protocol with letters or media"
        )
    return texts


def likelihood_reply(
    prompt: Prompt, sums: Sequence[float], lengths: Sequence[int]
) -> tuple[str, tuple[float, ...]]:
    """Reply and option scores of an engine that scores option texts.

    The reply holds sums and token counts, so that the other reduction can be had without asking
    again.

    Args:
        prompt: Prompt; its `likelihood` says what options are chosen by.
        sums: Summed log-likelihood of each option's tokens.
        lengths: Number of its tokens.
    """
    means = [total / length for total, length in zip(sums, lengths, strict=True)]
    scores = tuple(sums if prompt.likelihood == "sum" else means)
    said = {
        "answer": best_letter(prompt, scores),
        "log_likelihood": [round(value, 4) for value in sums],
        "tokens": list(lengths),
    }
    return canonical_json(said), scores


def best_letter(prompt: Prompt, scores: Sequence[float]) -> str:
    """Letter of the highest score.

    Equal scores are decided by the lowest hash of seed and letter: always taking the first
    would favour a position, and naming none would put a baseline below chance.

    Raises:
        ValueError: The scores do not fit the options, or one is not finite.
    """
    if len(scores) != len(prompt.choices) or not np.isfinite(scores).all():
        raise ValueError(
            f"{len(scores)} scores for {len(prompt.choices)} options, or one not finite: {scores}"
        )
    best = max(scores)
    tied = [letter for letter, score in zip(prompt.choices, scores, strict=True) if score == best]
    return min(tied, key=lambda letter: blake3(f"{prompt.seed}/{letter}".encode()).digest())


def stills_of_clip(clip: Clip, short_side_px: int | None) -> tuple[Still, ...]:
    """The stills of a clip, one per frame in time order.

    Args:
        clip: Clip.
        short_side_px: Short side the protocol scales frames down to; None keeps their size.
    """
    # Crops go with frames: where one is sent twice, both are cut alike.
    crops = (
        {frame[:2]: crop for frame, crop in zip(clip.frames, clip.crops, strict=True)}
        if clip.crops
        else {}
    )
    return tuple(
        Still(clip.recording_id, clip.content, part, pts, crops.get((part, pts)), short_side_px)
        for part, pts, _ in clip.frames
    )


def stills_of(prompt: Prompt) -> tuple[Still, ...]:
    """The stills of all clips of a prompt, in shown order."""
    return tuple(
        still for clip in prompt.clips for still in stills_of_clip(clip, prompt.short_side_px)
    )


def decode_clip(clip: Clip, media: Media, short_side_px: int | None) -> list[np.ndarray]:
    """Frames of a clip in time order: cropped, scaled down to the protocol's short side, marked.

    They may be shared with other prompts: who changes one changes a copy.

    Raises:
        ValueError: The reader gave another number of frames than was asked for.
    """
    stills = stills_of_clip(clip, short_side_px)
    found = dict(read_stills(media, stills))
    frames = [found[still] for still in stills]
    if not clip.overlays:
        return frames
    return [draw_overlays(f, marks) for f, marks in zip(frames, clip.overlays, strict=True)]


def message_parts(
    prompt: Prompt, media: Media, decoded: dict[Clip, list[np.ndarray]] | None = None
) -> list[str | np.ndarray]:
    """What a vision-language model is shown, in order: texts, and frames of clips under their names.

    A single clip carries no name: there is nothing to tell it from.

    Args:
        prompt: Prompt.
        media: Decodes frames.
        decoded: Clips decoded before, read and added to; clips recur in prompts of a batch.
    """
    known = {} if decoded is None else decoded
    parts: list[str | np.ndarray] = []
    for part in prompt.parts:
        if isinstance(part, str):
            parts.append(part)
            continue
        if part not in known:
            known[part] = decode_clip(part, media, prompt.short_side_px)
        if len(prompt.clips) > 1:
            parts.append(f"{part.label}:")
        parts.extend(known[part])
    return parts


def to_jpeg(image: np.ndarray, encoding: str) -> bytes:
    """JPEG of a frame at the quality the protocol's encoding names; 90 where it names none."""
    from PIL import Image

    quality = int(encoding.removeprefix("jpeg-")) if encoding.startswith("jpeg-") else JPEG_QUALITY
    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, "JPEG", quality=quality)
    return buffer.getvalue()
