"""How many tokens a call will read and write, judged before it is made.

From past calls of the same model under the same protocol, and from the calls made since: how many tokens a byte
of text and a frame needed. Numbers of texts and frames are always those of the prompt at hand.

The most that a call may read follows from what is stated: `max_frame_tokens` for each frame, one token for each
byte of text, and a few that the turn format puts around a message. Where a call turned out to need more than that, a
quarter more than the dearest counts.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, replace

import polars as pl

from resources.models.costs.prices import Usage
from resources.models.prompt import Prompt
from resources.models.reply import Reply
from resources.models.runs import FRAME_TOKENS

# Bytes of UTF-8 per token: about four in English, and one character of three bytes in Chinese.
_BYTES_PER_TOKEN = 4
_MOST_BYTES_PER_TOKEN = 8
# Tokenizers fall back to single bytes, and never need more than one token for each.
_MOST_TOKENS_PER_BYTE = 1
TEMPLATE_TOKENS = 16
"""Tokens that a chat template puts around a message, roughly."""
_MOST_TEMPLATE_TOKENS = 64
# The name of a clip, where several are shown.
_MOST_LABEL_TOKENS = 16
# A picture of the usual size, until the first reply shows what it costs.
_PICTURE_TOKENS = 800
# Side of the square of pixels that is one token to Qwen2-VL, Qwen2.5-VL and InternVL; of other models it is near.
_TOKEN_PX = 28
# What is beyond the stated worst differs too: how much more than the dearest so far the next may need.
_MARGIN = 1.25


@dataclass(frozen=True, slots=True)
class Past:
    """What past calls needed, of one model under one protocol; those whose tokens nobody counted are left out.

    Attributes:
        n: Calls.
        completion_tokens: Tokens written by all of them.
        n_frames: Frames that they showed.
        frame_tokens: Tokens of these frames: those read, without those of the texts beside them.
        most_per_frame: Most tokens of a frame, as the mean of one call.
        n_bytes: Bytes of the texts of calls without frames.
        byte_tokens: Tokens of these texts.
        most_per_byte: Most tokens of a byte, as the mean of one call.
        seconds: Mean of the time; None without calls.
        n_requests: Requests that the calls took.
    """

    n: int = 0
    completion_tokens: int = 0
    n_frames: int = 0
    frame_tokens: float = 0.0
    most_per_frame: float = 0.0
    n_bytes: int = 0
    byte_tokens: float = 0.0
    most_per_byte: float = 0.0
    seconds: float | None = None
    n_requests: int = 0

    @classmethod
    def of(cls, calls: pl.DataFrame) -> Past:
        """What rows show that have the columns of `past_calls`."""
        past = cls()
        names = ("n_bytes", "n_frames", "prompt_tokens", "completion_tokens", "n_requests")
        if calls.is_empty():
            return past
        for n_bytes, n_shown, read, written, requests in calls.select(names).iter_rows():
            if read is not None:
                past = past.with_call(n_bytes, n_shown, read, written or 0, requests)
        return replace(past, seconds=calls["seconds"].mean())

    def with_call(
        self, n_bytes: int, n_frames: int, read: int, written: int, n_requests: int = 1
    ) -> Past:
        """The same, with one more call.

        Args:
            n_bytes: Bytes of its texts.
            n_frames: Frames that it shows.
            read: Tokens read in all its requests.
            written: Tokens written in all its requests.
            n_requests: Requests that it took, each with all texts and frames.
        """
        more = replace(
            self,
            n=self.n + 1,
            completion_tokens=self.completion_tokens + written,
            n_requests=self.n_requests + n_requests,
        )
        once = read / n_requests
        above = max(0.0, once - _MOST_TEMPLATE_TOKENS)
        if n_frames:
            of_frames = max(0.0, above - n_bytes / _MOST_BYTES_PER_TOKEN)
            return replace(
                more,
                n_frames=self.n_frames + n_frames,
                frame_tokens=self.frame_tokens + max(0.0, once - _text_tokens(n_bytes)),
                most_per_frame=max(self.most_per_frame, of_frames / n_frames),
            )
        return replace(
            more,
            n_bytes=self.n_bytes + n_bytes,
            byte_tokens=self.byte_tokens + once,
            most_per_byte=max(self.most_per_byte, above / max(1, n_bytes)),
        )


NO_PAST = Past()


class TokenForecast:
    """Tokens of the next calls of one model under one protocol; threads share it.

    Args:
        past: Past calls of both.
        max_frame_tokens: Most tokens that a frame is said to need.
    """

    def __init__(self, past: Past = NO_PAST, max_frame_tokens: int = FRAME_TOKENS) -> None:
        self._known = past
        self._max_frame_tokens = max_frame_tokens
        self._lock = threading.Lock()

    def knows(self, prompt: Prompt) -> bool:
        """Whether any call has shown how many tokens a prompt of this kind has: with frames, or of texts alone."""
        known = self._known
        return known.n_frames > 0 if n_frames(prompt) else known.n > 0

    def expected(self, prompt: Prompt) -> Usage:
        """The likely number of tokens of a call."""
        one, n = self._expected_once(prompt), n_requests(prompt)
        if self._known.n and self._known.n_requests == self._known.n:
            # The engine scores texts without sending each, or counts the prompt once.
            n = 1
        return Usage(
            round(n * one.prompt + _scored_bytes(prompt) / _BYTES_PER_TOKEN), one.completion
        )

    def expected_of_request(self, prompt: Prompt) -> Usage:
        """The likely number of tokens of one of the requests that a call takes."""
        one = self._expected_once(prompt)
        return one if prompt.likelihood is None else replace(one, completion=1)

    def most_per_frame(self) -> int:
        """The most tokens that a frame may need: as stated, or a quarter more than the dearest that needed more."""
        return math.ceil(_most(self._max_frame_tokens, self._known.most_per_frame))

    def most(self, prompt: Prompt, room: int = 0) -> Usage:
        """The most tokens that a call may be billed.

        Args:
            prompt: Prompt.
            room: Tokens that the model may spend on reasoning, beside those of its answer.
        """
        n = n_requests(prompt)
        per_byte = _most(_MOST_TOKENS_PER_BYTE, self._known.most_per_byte)
        around = _MOST_TEMPLATE_TOKENS + _MOST_LABEL_TOKENS * len(prompt.clips)
        # Some servers count the schema of a reply.
        around += _utf8(prompt.json_schema)
        once = n_frames(prompt) * self.most_per_frame() + _n_bytes(prompt) * per_byte + around
        read = n * once + _scored_bytes(prompt) * per_byte
        written = prompt.max_tokens + room
        if prompt.likelihood is not None:
            # Engines count a token for each request, or those of the texts that they score.
            written = max(n, _scored_bytes(prompt))
        return Usage(math.ceil(read), written)

    def learn(self, prompt: Prompt, reply: Reply) -> None:
        """Take note of what a call turned out to need, where the engine counted it."""
        if reply.status != "ok" or reply.prompt_tokens is None:
            return
        read, written = reply.prompt_tokens, reply.completion_tokens or 0
        shown = _n_bytes(prompt), n_frames(prompt)
        with self._lock:
            self._known = self._known.with_call(*shown, read, written, reply.n_requests)

    def _expected_once(self, prompt: Prompt) -> Usage:
        known, n_bytes, n_shown = self._known, _n_bytes(prompt), n_frames(prompt)
        mean = known.frame_tokens / known.n_frames if known.n_frames else _PICTURE_TOKENS
        read = _text_tokens(n_bytes) + n_shown * mean
        if not n_shown and known.n_bytes:
            read = n_bytes * known.byte_tokens / known.n_bytes
        written = prompt.max_tokens if not known.n else known.completion_tokens / known.n
        return Usage(round(read), round(written))


def _most(stated: float, dearest: float) -> float:
    """What the next may need: as stated, unless something needed more."""
    return stated if dearest <= stated else dearest * _MARGIN


def n_requests(prompt: Prompt) -> int:
    """Requests that a call takes at most: texts are scored one by one, after the prompt alone."""
    return 1 if prompt.likelihood is None else 1 + len(prompt.choice_texts)


def n_frames(prompt: Prompt) -> int:
    """Frames that a prompt shows."""
    return sum(len(clip.frames) for clip in prompt.clips)


def text_tokens(text: str) -> int:
    """Tokens of a text, roughly."""
    return math.ceil(_utf8(text) / _BYTES_PER_TOKEN)


def picture_tokens(size: tuple[int, int] | None, short_side_px: int | None) -> int:
    """Tokens of a frame, roughly, by its size.

    Args:
        size: Width and height of the part that is sent, in stored pixels; None where nobody states them.
        short_side_px: Short side that frames are scaled down to; None keeps their size.
    """
    if size is None:
        return _PICTURE_TOKENS
    factor = 1.0 if short_side_px is None else min(1.0, short_side_px / min(size))
    width, height = (math.ceil(side * factor / _TOKEN_PX) for side in size)
    return width * height


def _text_tokens(n_bytes: int) -> int:
    return math.ceil(n_bytes / _BYTES_PER_TOKEN) + TEMPLATE_TOKENS


def _n_bytes(prompt: Prompt) -> int:
    """Bytes of the texts that each request sends, without the options that are scored one by one."""
    return _utf8(prompt.text) + _utf8(prompt.system)


def _scored_bytes(prompt: Prompt) -> int:
    return 0 if prompt.likelihood is None else sum(map(_utf8, prompt.choice_texts))


def _utf8(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
