"""What model calls would cost, judged by past calls of the same model, else by the texts to be sent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import polars as pl

from expectations.schemas import TABLES
from resources.models.costs.forecast import (
    TEMPLATE_TOKENS,
    TokenForecast,
    n_frames,
    n_requests,
    picture_tokens,
    text_tokens,
)
from resources.models.costs.prices import Usage
from resources.models.costs.tokenizer_files import merged_frames, text_counter
from resources.models.engines.clip_videos import video_timing
from resources.models.prompt import Prompt
from resources.models.runs import RunConfig
from resources.store.tables import TableStore

FrameSizes = Mapping[tuple[str, int], tuple[int, int]]
"""Width and height of the frames of a recording's part, upright, in pixels."""
_MINUTE_S = 60.0
_READ = (
    "model",
    "protocol",
    "status",
    "prompt",
    "media_recipe",
    "prompt_tokens",
    "completion_tokens",
    "n_requests",
    "seconds",
)
# The frames of each clip in a recipe, which is canonical JSON.
_FRAMES = r'"frames":\[(?:\[-?\d+,-?\d+\],?)*\]'
_FRAME = r"\[-?\d+,"


@dataclass(frozen=True, slots=True)
class PlannedCalls:
    """Calls that an update would make.

    Attributes:
        purpose: What asks: an evaluation, a gate, a stage of a source.
        run: Run or text model that is asked.
        model: Model and revision.
        asked_as: Protocol and version.
        n_asked: Prompts without a reply.
        n_from_log: Prompts that a stored reply answers.
        n_items: Questions (or texts) that the calls are about.
        n_frames: Frames that they show.
        text_tokens: Tokens of the texts that they send; null where nobody counted.
        by_tokenizer: Whether these were counted by the model's own tokenizer, not by length.
        most_completion_tokens: Tokens that the replies may have at most; of reasoning, as many as the run
            states.
        frame_tokens: Tokens of the frames by their size; null where nobody looked at it.
        text_bytes: Bytes of the texts that they send.
        n_requests: Requests that they take: a server that scores options is asked for each.
        n_frames_sent: Frames that these requests send.
        dearest: The most that one of them may cost, in dollars; null where the run states no price.
    """

    purpose: str
    run: RunConfig
    model: str
    asked_as: str
    n_asked: int
    n_from_log: int = 0
    n_items: int = 0
    n_frames: int = 0
    text_tokens: int | None = None
    by_tokenizer: bool = False
    most_completion_tokens: int = 0
    frame_tokens: int | None = None
    text_bytes: int = 0
    n_requests: int = 0
    n_frames_sent: int = 0
    dearest: float | None = None

    @classmethod
    def of(
        cls,
        purpose: str,
        run: RunConfig,
        model: str,
        asked_as: str,
        prompts: Iterable[Prompt],
        is_due: Callable[[str], bool],
        sizes: FrameSizes | None = None,
    ) -> PlannedCalls:
        """The calls that some prompts need.

        Args:
            purpose: What asks.
            run: Run or text model.
            model: Model and revision.
            asked_as: Protocol and version.
            prompts: Prompts; those with one key are one call.
            is_due: Whether the call with a key would be made.
            sizes: Size of the frames that prompts show, where it is stated; None if nobody looked.
        """
        counter = text_counter(run.model)
        count = counter or text_tokens
        merged = merged_frames(run.model) if run.sends_videos else 1
        worst = TokenForecast(max_frame_tokens=run.max_frame_tokens)
        keys: set[str] = set()
        items: set[str] = set()
        total = _Sums()
        dearest = 0.0
        for prompt in prompts:
            if prompt.key in keys:
                continue
            keys.add(prompt.key)
            if not is_due(prompt.key):
                continue
            items.add(prompt.item)
            total.add(prompt, n_requests(prompt) if run.addresses else 1, count)
            if sizes is not None:
                of_frames = _frame_tokens(prompt, sizes, merged)
                total.frame_tokens += of_frames * (n_requests(prompt) if run.addresses else 1)
            if run.prices is not None:
                most = worst.most(prompt, prompt.reasoning_tokens or 0)
                dearest = max(dearest, run.prices.dollars(most))
        return cls(
            purpose,
            run,
            model,
            asked_as,
            total.calls,
            len(keys) - total.calls,
            len(items),
            total.frames,
            total.text_tokens,
            counter is not None,
            total.completion_tokens,
            total.frame_tokens if sizes is not None or not total.frames else None,
            total.text_bytes,
            total.requests,
            total.frames_sent,
            None if run.prices is None else dearest,
        )


@dataclass(slots=True)
class _Sums:
    """What calls send in all."""

    calls: int = 0
    requests: int = 0
    frames: int = 0
    frames_sent: int = 0
    frame_tokens: int = 0
    text_tokens: int = 0
    text_bytes: int = 0
    completion_tokens: int = 0

    def add(self, prompt: Prompt, requests: int, count: Callable[[str], int]) -> None:
        text = f"{prompt.system}\n{prompt.text}" if prompt.system else prompt.text
        scored = "" if prompt.likelihood is None else "\n".join(prompt.choice_texts)
        self.calls += 1
        self.requests += requests
        self.frames += n_frames(prompt)
        self.frames_sent += requests * n_frames(prompt)
        self.text_tokens += requests * count(text) + (count(scored) if requests > 1 else 0)
        self.text_bytes += requests * len(text.encode("utf-8", "replace"))
        if prompt.likelihood is None:
            self.completion_tokens += prompt.max_tokens + (prompt.reasoning_tokens or 0)
        else:
            self.completion_tokens += requests if requests > 1 else count(scored)


def _frame_tokens(prompt: Prompt, sizes: FrameSizes, merged: int) -> int:
    """Tokens of the frames of a prompt by their size.

    Args:
        prompt: Prompt.
        sizes: Sizes of frames.
        merged: Frames of a video that the model reads as one.
    """
    total = 0
    as_video = merged > 1 and video_timing(prompt) is not None
    for clip in prompt.clips:
        found: list[int] = []
        for at, (part, _, _) in enumerate(clip.frames):
            size = sizes.get((clip.recording_id, part))
            if size is not None and clip.crops:
                left, top, right, bottom = clip.crops[at].box_px(*size)
                size = right - left, bottom - top
            found.append(picture_tokens(size, prompt.short_side_px))
        # Frames of one video are of one size; an odd one out is read with a copy of itself.
        total += sum(found[::merged] if as_video else found)
    return total


Basis = Literal["this protocol", "other protocols", "size", "unknown", "none"]
"""What tokens of frames are judged by; `none` where there are no frames."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Rough cost of some calls: their own texts and frames, at what such things needed in past calls.

    Attributes:
        n_past: Past calls that numbers are taken from; 0 where texts are counted and frames are judged by
            their size.
        same_protocol: Whether past calls were made under the same protocol. Else replies are as long as they
            may be, since those of other protocols say nothing about them.
        prompt_tokens: Tokens read; null where nobody can tell.
        completion_tokens: Tokens written; null likewise.
        seconds: Time, with as many calls at once as the run allows and no more per minute; null where nobody
            can tell.
        dollars: Price; null where the run states none, or no tokens are known.
        frames_by: What the tokens of frames are judged by; where it is `unknown` they are left out.
        seconds_at_least: Whether the time is only what the limits per minute require.
    """

    n_past: int
    same_protocol: bool
    prompt_tokens: float | None
    completion_tokens: float | None
    seconds: float | None
    dollars: float | None
    frames_by: Basis = "none"
    seconds_at_least: bool = False

    @property
    def lacks_frames(self) -> bool:
        """Whether the tokens of frames are missing, since nobody looked at their size."""
        return self.frames_by == "unknown"


def past_calls(store: TableStore, model: str) -> pl.DataFrame:
    """Good calls of a model, whatever asked them.

    Returns:
        Columns `protocol`, `n_bytes` (of the texts sent), `n_frames` (that were shown), `prompt_tokens`,
        `completion_tokens`, `n_requests` (that these were read in, each with all texts and frames) and
        `seconds`.
    """
    rows = store.scan(TABLES["calls"], columns=_READ)
    good = rows.filter((pl.col("model") == model) & (pl.col("status") == "ok"))
    shown = pl.col("media_recipe").str.extract_all(_FRAMES).list.join("")
    return good.select(
        "protocol",
        pl.col("prompt").str.len_bytes().cast(pl.Int64).alias("n_bytes"),
        shown.str.count_matches(_FRAME).cast(pl.Int64).alias("n_frames"),
        "prompt_tokens",
        "completion_tokens",
        pl.col("n_requests").fill_null(1),
        "seconds",
    ).collect()


def estimate(planned: PlannedCalls, past: pl.DataFrame) -> Estimate | None:
    """Cost of calls, by their own texts and frames and by what past calls of the model needed for such.

    Past calls tell the tokens of a frame and of a byte of text, those of the same protocol before others; how many
    of these are sent is known of the calls themselves. How long replies are, and how long they take, only calls
    under the same protocol tell.

    Args:
        planned: The calls.
        past: Good calls of the same model, as `past_calls` reads them.

    Returns:
        None where nothing was asked of the model under this protocol, and nobody counted its texts.
    """
    counted = past.filter(pl.col("prompt_tokens").is_not_null())
    alike = past.filter(pl.col("protocol") == planned.asked_as)
    if planned.text_tokens is None:
        if alike.is_empty():
            return None
        read, written = (_mean(alike, name) for name in ("prompt_tokens", "completion_tokens"))
        n = planned.n_asked
        read, written = (None if mean is None else n * mean for mean in (read, written))
        return _estimate(planned, alike, alike.height, read, written, "none")
    shown = counted.filter(pl.col("n_frames") > 0)
    of_frames, frames_by = _rows_of(shown, planned)
    if not planned.n_frames:
        frames_by: Basis = "none"
    elif of_frames.is_empty():
        frames_by = "unknown" if planned.frame_tokens is None else "size"
    n_past = alike.height
    if planned.n_frames:
        per_byte = planned.text_tokens / max(1, planned.text_bytes)
        read = planned.text_tokens + planned.n_requests * TEMPLATE_TOKENS
        if of_frames.is_empty():
            read = planned.text_tokens + (planned.frame_tokens or 0)
        else:
            read += planned.n_frames_sent * _tokens_per_frame(of_frames, per_byte)
            n_past = of_frames.height
    else:
        of_texts, _ = _rows_of(counted.filter(pl.col("n_frames") == 0), planned)
        read = float(planned.text_tokens)
        if not of_texts.is_empty():
            read = planned.text_bytes * _tokens_per_byte(of_texts)
            n_past = of_texts.height
    mean = _mean(alike, "completion_tokens")
    written = planned.most_completion_tokens if mean is None else planned.n_asked * mean
    return _estimate(planned, alike, n_past, read, written, frames_by)


def _estimate(
    planned: PlannedCalls,
    alike: pl.DataFrame,
    n_past: int,
    read: float | None,
    written: float | None,
    frames_by: Basis,
) -> Estimate:
    run = planned.run
    mean_s = _mean(alike, "seconds")
    at_once = None if mean_s is None else planned.n_asked * mean_s / run.calls_at_once
    limits = _limits_s(planned, read, written)
    times = [seconds for seconds in (at_once, limits) if seconds is not None]
    return Estimate(
        n_past,
        not alike.is_empty(),
        read,
        written,
        max(times, default=None),
        _dollars(run, read, written),
        frames_by,
        at_once is None,
    )


def _limits_s(planned: PlannedCalls, read: float | None, written: float | None) -> float | None:
    """Seconds that the limits per minute of a run require; None without limits."""
    run = planned.run
    times: list[float] = []
    if run.requests_per_minute is not None:
        requests = planned.n_requests or planned.n_asked
        times.append(requests * _MINUTE_S / run.requests_per_minute)
    if run.tokens_per_minute is not None and read is not None:
        times.append((read + (written or 0.0)) * _MINUTE_S / run.tokens_per_minute)
    return max(times, default=None)


def _rows_of(rows: pl.DataFrame, planned: PlannedCalls) -> tuple[pl.DataFrame, Basis]:
    """Past calls of the same protocol, else those of others."""
    alike = rows.filter(pl.col("protocol") == planned.asked_as)
    return (rows, "other protocols") if alike.is_empty() else (alike, "this protocol")


def _tokens_per_frame(rows: pl.DataFrame, per_byte: float) -> float:
    """Mean of the tokens of a frame, where a byte of text has so many."""
    of_text = pl.col("n_bytes") * per_byte + TEMPLATE_TOKENS
    of_frames = (pl.col("prompt_tokens") / pl.col("n_requests") - of_text).clip(lower_bound=0.0)
    tokens, frames = rows.select(of_frames.sum(), pl.col("n_frames").sum()).row(0)
    return tokens / frames


def _tokens_per_byte(rows: pl.DataFrame) -> float:
    tokens = pl.col("prompt_tokens") / pl.col("n_requests")
    total, n_bytes = rows.select(tokens.sum(), pl.col("n_bytes").sum()).row(0)
    return total / max(1, n_bytes)


def _mean(rows: pl.DataFrame, name: str) -> float | None:
    return rows.select(pl.col(name).cast(pl.Float64).mean()).item()


def _dollars(run: RunConfig, read: float | None, written: float | None) -> float | None:
    if run.prices is None or read is None or written is None:
        return None
    return run.prices.dollars(Usage(round(read), round(written)))
