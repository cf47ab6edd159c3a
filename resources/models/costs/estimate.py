"""What model calls would cost, judged by past calls of the same model, else by the texts to be sent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from expectations.schemas import TABLES
from resources.models.costs.forecast import picture_tokens, text_tokens
from resources.models.costs.prices import Usage
from resources.models.costs.tokenizer_files import text_counter
from resources.models.prompt import Clip, Prompt
from resources.models.runs import RunConfig
from resources.store.tables import TableStore

FrameSizes = Mapping[tuple[str, int], tuple[int, int]]
"""Width and height of the frames of a recording's part, upright, in pixels."""
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
        most_completion_tokens: Tokens that the replies may have at most, without reasoning.
        frame_tokens: Tokens of the frames by their size; null where nobody looked at it.
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
        keys: set[str] = set()
        items: set[str] = set()
        n_due = n_frames = tokens = most = frame_tokens = 0
        for prompt in prompts:
            if prompt.key in keys:
                continue
            keys.add(prompt.key)
            if not is_due(prompt.key):
                continue
            n_due += 1
            items.add(prompt.item)
            n_frames += sum(len(clip.frames) for clip in prompt.clips)
            if sizes is not None:
                for clip in prompt.clips:
                    frame_tokens += _frame_tokens(clip, prompt.short_side_px, sizes)
            tokens += count(f"{prompt.system}\n{prompt.text}" if prompt.system else prompt.text)
            most += prompt.max_tokens
        return cls(
            purpose,
            run,
            model,
            asked_as,
            n_due,
            len(keys) - n_due,
            len(items),
            n_frames,
            tokens,
            counter is not None,
            most,
            frame_tokens if sizes is not None or not n_frames else None,
        )


def _frame_tokens(clip: Clip, short_side_px: int | None, sizes: FrameSizes) -> int:
    total = 0
    for at, (part, _, _) in enumerate(clip.frames):
        size = sizes.get((clip.recording_id, part))
        if size is not None and clip.crops:
            left, top, right, bottom = clip.crops[at].box_px(*size)
            size = right - left, bottom - top
        total += picture_tokens(size, short_side_px)
    return total


@dataclass(frozen=True, slots=True)
class Estimate:
    """Rough cost of some calls.

    Attributes:
        n_past: Calls that the means are taken from; 0 where there are none, and texts were counted: then
            frames have the tokens that their size suggests, and replies are as long as they may be.
        same_protocol: Whether these were made under the same protocol; else under any.
        prompt_tokens: Tokens read; null where no past call counted any.
        completion_tokens: Tokens written; null likewise.
        seconds: Time, with as many calls at once as the run allows; null without past calls.
        dollars: Price; null where the run states none, or no tokens are known.
        lacks_frames: Whether the tokens of frames are missing, since nobody looked at their size.
    """

    n_past: int
    same_protocol: bool
    prompt_tokens: float | None
    completion_tokens: float | None
    seconds: float | None
    dollars: float | None
    lacks_frames: bool = False


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
    """Cost of calls by the means of past ones, of the same protocol where there are any.

    Args:
        planned: The calls.
        past: Good calls of the same model, as `past_calls` reads them.

    Returns:
        None where nothing was asked of the model before, and nobody counted its texts.
    """
    alike = past.filter(pl.col("protocol") == planned.asked_as)
    rows = past if alike.is_empty() else alike
    n, run = planned.n_asked, planned.run
    if rows.is_empty():
        if planned.text_tokens is None:
            return None
        read = planned.text_tokens + (planned.frame_tokens or 0)
        written = planned.most_completion_tokens
        lacks = bool(planned.n_frames) and planned.frame_tokens is None
        return Estimate(0, False, read, written, None, _dollars(run, read, written), lacks)
    means = rows.select(pl.col("prompt_tokens", "completion_tokens", "seconds").mean())
    read, written, seconds = (None if mean is None else n * mean for mean in means.row(0))
    return Estimate(
        n_past=rows.height,
        same_protocol=not alike.is_empty(),
        prompt_tokens=read,
        completion_tokens=written,
        seconds=(seconds or 0.0) / run.concurrency,
        dollars=_dollars(run, read, written),
    )


def _dollars(run: RunConfig, read: float | None, written: float | None) -> float | None:
    if run.prices is None or read is None or written is None:
        return None
    return run.prices.dollars(Usage(round(read), round(written)))
