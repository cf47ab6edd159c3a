"""How many tokens a call will read and write, judged before it is made.

From past calls of the same model under the same protocol where there are any; else from the length of the
texts, and from what pictures turned out to cost in the calls made since.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass

import polars as pl

from resources.models.costs.prices import Usage
from resources.models.prompt import Prompt
from resources.models.reply import Reply

# Bytes of UTF-8 per token: about four in English, and one character of three bytes in Chinese.
_BYTES_PER_TOKEN = 4
_FEWEST_BYTES_PER_TOKEN = 2
# A chat template puts some tokens around each message.
_TEMPLATE_TOKENS = 16
# A picture of the usual size, until the first reply shows what it costs.
_PICTURE_TOKENS = 800
# Side of the square of pixels that is one token to Qwen2-VL, Qwen2.5-VL and InternVL; of other models it is near.
_TOKEN_PX = 28
_MOST_PICTURE_TOKENS = 2_000
# Prompts of one protocol differ: how much longer than the longest so far the next may be.
_MARGIN = 1.25


@dataclass(frozen=True, slots=True)
class Past:
    """Means of past calls, of one model under one protocol.

    Attributes:
        n: Calls.
        prompt: Mean of tokens read; None where no call counted any.
        most_prompt: Most tokens read by one.
        completion: Mean of tokens written.
        seconds: Mean of the time.
    """

    n: int
    prompt: float | None
    most_prompt: int | None
    completion: float | None
    seconds: float | None

    @classmethod
    def of(cls, calls: pl.DataFrame) -> Past:
        """Means of rows with `prompt_tokens`, `completion_tokens` and `seconds`."""
        if calls.is_empty():
            return cls(0, None, None, None, None)
        row = calls.select(
            prompt=pl.col("prompt_tokens").mean(),
            most=pl.col("prompt_tokens").max(),
            completion=pl.col("completion_tokens").mean(),
            seconds=pl.col("seconds").mean(),
        ).row(0)
        return cls(calls.height, *row)


NO_PAST = Past(0, None, None, None, None)


class TokenForecast:
    """Tokens of the next calls of one model under one protocol; threads share it.

    Args:
        past: Past calls of both.
    """

    def __init__(self, past: Past = NO_PAST) -> None:
        self.past = past
        self._lock = threading.Lock()
        self._n = 0
        self._completions = 0
        self._picture_tokens = 0.0
        self._n_pictures = 0
        self._most_per_picture = 0.0
        self._most_per_byte = 0.0

    @property
    def knows_tokens(self) -> bool:
        """Whether any call has shown how many tokens a prompt has."""
        return self._n > 0 or self.past.most_prompt is not None

    def expected(self, prompt: Prompt) -> Usage:
        """The likely number of tokens."""
        return Usage(self._expected_prompt(prompt), self._expected_completion(prompt))

    def most(self, prompt: Prompt, room: int = 0) -> Usage:
        """The most tokens that a call may be billed.

        Args:
            prompt: Prompt.
            room: Tokens that the model may spend on reasoning, beside those of its answer.
        """
        n_bytes, n_pictures = _size(prompt)
        per_picture = self._most_per_picture * _MARGIN if self._n else _MOST_PICTURE_TOKENS
        per_byte = self._most_per_byte * _MARGIN or 1 / _FEWEST_BYTES_PER_TOKEN
        read = math.ceil(n_bytes * per_byte + n_pictures * per_picture) + _TEMPLATE_TOKENS
        if not self._n and self.past.most_prompt is not None:
            read = math.ceil(self.past.most_prompt * _MARGIN)
        return Usage(read, prompt.max_tokens + room)

    def learn(self, prompt: Prompt, reply: Reply) -> None:
        """Take note of what a call turned out to need, where the engine counted it."""
        if reply.status != "ok" or reply.prompt_tokens is None:
            return
        n_bytes, n_pictures = _size(prompt)
        text = _text_tokens(n_bytes)
        with self._lock:
            self._n += 1
            self._completions += reply.completion_tokens or 0
            if n_pictures:
                pictures = max(0, reply.prompt_tokens - text)
                self._picture_tokens += pictures
                self._n_pictures += n_pictures
                self._most_per_picture = max(self._most_per_picture, pictures / n_pictures)
            else:
                tokens = max(0, reply.prompt_tokens - _TEMPLATE_TOKENS)
                self._most_per_byte = max(self._most_per_byte, tokens / max(1, n_bytes))

    def _expected_prompt(self, prompt: Prompt) -> int:
        if not self._n and self.past.prompt is not None:
            return round(self.past.prompt)
        n_bytes, n_pictures = _size(prompt)
        mean = self._picture_tokens / self._n_pictures if self._n_pictures else _PICTURE_TOKENS
        return _text_tokens(n_bytes) + round(n_pictures * mean)

    def _expected_completion(self, prompt: Prompt) -> int:
        if self._n:
            return round(self._completions / self._n)
        if self.past.completion is not None:
            return round(self.past.completion)
        return prompt.max_tokens


def text_tokens(text: str) -> int:
    """Tokens of a text, roughly."""
    return math.ceil(len(text.encode("utf-8", "replace")) / _BYTES_PER_TOKEN)


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
    return math.ceil(n_bytes / _BYTES_PER_TOKEN) + _TEMPLATE_TOKENS


def _size(prompt: Prompt) -> tuple[int, int]:
    """Bytes of the texts of a prompt, and pictures it shows."""
    n_bytes = len(prompt.text.encode("utf-8", "replace")) + len(
        prompt.system.encode("utf-8", "replace")
    )
    return n_bytes, sum(len(clip.frames) for clip in prompt.clips)
