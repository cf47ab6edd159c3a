"""What comes back from a model, and the row of `calls` it becomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from resources.models.costs.prices import Usage
from resources.models.prompt import Prompt

ClipForm = Literal["images", "videos", "both"]
"""What the clips of a prompt are sent as."""


def clip_form(n_images: int, n_videos: int) -> ClipForm | None:
    """What clips were sent as; None where none were.

    Args:
        n_images: Single images sent.
        n_videos: Videos sent.
    """
    if n_images and n_videos:
        return "both"
    if n_videos:
        return "videos"
    return "images" if n_images else None


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply to one prompt.

    Attributes:
        call_key: Key of the prompt it answers.
        status: `ok`, or `error` where the engine failed on this prompt.
        text: Reply as it came; None on error.
        option_scores: Score per option in shown order, higher is better, where there are any.
        error: What went wrong; None if ok.
        bytes_hash: Hash of the bytes really sent; None if no media were.
        seconds: Wall time.
        finish_reason: Why the model stopped (`stop`, `length`), where the engine says.
        prompt_tokens: Tokens read, where the engine counts them.
        completion_tokens: Tokens written.
        cached_tokens: Of the tokens read, those that a server took from its cache, where it says.
        n_requests: Requests that these tokens were read in: several where an engine scores texts one by
            one, each with all frames.
        lost: Tokens of attempts at the same call that gave no reply although the model worked, and
            are billed all the same; estimated where the server did not count them.
        cut_bytes: Bytes of the text that were left out since it was too long (at least so many,
            where its end was not waited for); None if it is whole.
        clips_sent_as: Whether clips were sent as single images, as videos, or some as each; None
            where none were, or the engine does not say.
        asked_without: Settings of the prompt (`temperature`, `json_schema`) that were not sent, since
            the server refuses them or the engine cannot keep to them.
        server_failed: Whether an error may be the server's and not this prompt's: another prompt
            would have failed as well.
    """

    call_key: str
    status: Literal["ok", "error"]
    text: str | None
    option_scores: tuple[float, ...] | None = None
    error: str | None = None
    bytes_hash: str | None = None
    seconds: float = 0.0
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cut_bytes: int | None = None
    server_failed: bool = False
    cached_tokens: int | None = None
    lost: tuple[Usage, ...] = ()
    clips_sent_as: ClipForm | None = None
    asked_without: tuple[str, ...] = ()
    n_requests: int = 1

    def __post_init__(self) -> None:
        if (self.status == "error") != (self.error is not None) or (
            self.status == "error" and self.text is not None
        ):
            raise ValueError(f"reply {self.call_key}: an error has a message and no text")

    @classmethod
    def failed(cls, prompt: Prompt, cause: BaseException, seconds: float = 0.0) -> Reply:
        """The reply to a prompt that raised: named by its exception, never a wrong answer."""
        message = f"{type(cause).__name__}: {cause}"
        return cls(prompt.key, "error", None, error=message, seconds=seconds)


def call_row(
    purpose: str, run: str, prompt: Prompt, reply: Reply, attempt: int, asked_at: str
) -> dict[str, Any]:
    """Row of `calls`.

    Args:
        purpose: Benchmark, or what else is asked for.
        run: Run that asked.
        prompt: What was asked.
        reply: What came back.
        attempt: 0 for the first, counting up when the same call is asked again.
        asked_at: UTC time of the call, ISO 8601.

    Raises:
        ValueError: The reply answers another prompt.
    """
    if reply.call_key != prompt.key:
        raise ValueError(f"reply to {reply.call_key} is not the reply to {prompt.key}")
    return {
        "benchmark": purpose,
        "run": run,
        "call_key": prompt.key,
        "attempt": attempt,
        "question_id": prompt.item,
        "question_hash": prompt.seed,
        "protocol": prompt.asked_as,
        "model": prompt.model,
        "prompt": f"{prompt.system}\n\n{prompt.text}" if prompt.system else prompt.text,
        "media_recipe": prompt.media_recipe,
        "bytes_hash": reply.bytes_hash,
        "reply": reply.text,
        "option_scores": None if reply.option_scores is None else list(reply.option_scores),
        "status": reply.status,
        "error": reply.error,
        "finish_reason": reply.finish_reason,
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "asked_at": asked_at,
        "seconds": reply.seconds,
        "reply_cut_bytes": reply.cut_bytes,
        "failures": None if reply.status == "ok" else 1,
        # What it cost is known to the log that asked.
        "cached_tokens": reply.cached_tokens,
        "dollars": None,
        "estimated_prompt_tokens": None,
        "estimated_completion_tokens": None,
        "estimated_seconds": None,
        "clips_sent_as": reply.clips_sent_as,
        "asked_without": list(reply.asked_without),
        "n_requests": reply.n_requests,
    }


UNASKED = "unasked-"
"""Start of the call keys of what could not be turned into a prompt."""


def unasked_prompt(item: str, seed: str, asked_as: str, model: str) -> Prompt:
    """Stands for a prompt that cannot be made (no frame in a clip): keyed by its seed alone."""
    return Prompt(
        UNASKED + seed,
        (),
        seed=seed,
        item=item,
        asked_as=asked_as,
        model=model,
        media_recipe="{}",
    )
