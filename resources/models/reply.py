"""What comes back from a model, and the row of `calls` it becomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from assets.predictions.requests import Request


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply to one request.

    Attributes:
        call_key: Key of the request it answers.
        status: `ok`, or `error` where the engine failed on this request.
        text: Reply as it came; None on error.
        option_scores: Score per option in shown order, higher is better, where there are any.
        error: What went wrong; None if ok.
        bytes_hash: Hash of the bytes really sent; None if no media were.
        seconds: Wall time.
        finish_reason: Why the model stopped (`stop`, `length`), where the engine says.
        prompt_tokens: Tokens read, where the engine counts them.
        completion_tokens: Tokens written.
        cut_bytes: Bytes of the text that were left out since it was too long (at least so many,
            where its end was not waited for); None if it is whole.
        server_failed: Whether an error may be the server's and not this request's: another request
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

    def __post_init__(self) -> None:
        if (self.status == "error") != (self.error is not None) or (
            self.status == "error" and self.text is not None
        ):
            raise ValueError(f"reply {self.call_key}: an error has a message and no text")

    @classmethod
    def failed(cls, request: Request, cause: BaseException, seconds: float = 0.0) -> Reply:
        """The reply of a request that raised: named by its exception, never a wrong answer."""
        message = f"{type(cause).__name__}: {cause}"
        return cls(request.call_key, "error", None, error=message, seconds=seconds)


def call_row(
    benchmark: str, run: str, request: Request, reply: Reply, attempt: int, asked_at: str
) -> dict[str, Any]:
    """Row of `calls`.

    Args:
        benchmark: Benchmark of the question.
        run: Run that asked.
        request: What was asked.
        reply: What came back.
        attempt: 0 for the first, counting up when the same call is asked again.
        asked_at: UTC time of the call, ISO 8601.

    Raises:
        ValueError: The reply answers another request.
    """
    if reply.call_key != request.call_key:
        raise ValueError(f"reply to {reply.call_key} is not the reply to {request.call_key}")
    return {
        "benchmark": benchmark,
        "run": run,
        "call_key": request.call_key,
        "attempt": attempt,
        "question_id": request.question_id,
        "question_hash": request.question_hash,
        "protocol": request.protocol,
        "model": request.model,
        "prompt": f"{request.system}\n\n{request.prompt}" if request.system else request.prompt,
        "media_recipe": request.media_recipe,
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
    }


UNASKED = "unasked-"
"""Start of the call keys of questions that could not be turned into a request."""


def unasked_row(
    benchmark: str,
    run: str,
    question: dict[str, Any],
    protocol: str,
    model: str,
    cause: Exception,
    asked_at: str,
) -> dict[str, Any]:
    """Row of `calls` for a question that could not be turned into a request (no frame in a clip).

    Its key is the question's hash, since there is no recipe. It is an error, counted as such, and is
    asked again only when the question changes.
    """
    return {
        "benchmark": benchmark,
        "run": run,
        "call_key": UNASKED + question["question_hash"],
        "attempt": 0,
        "question_id": question["question_id"],
        "question_hash": question["question_hash"],
        "protocol": protocol,
        "model": model,
        "prompt": "",
        "media_recipe": "{}",
        "bytes_hash": None,
        "reply": None,
        "option_scores": None,
        "status": "error",
        "error": f"{type(cause).__name__}: {cause}",
        "finish_reason": None,
        "prompt_tokens": None,
        "completion_tokens": None,
        "asked_at": asked_at,
        "seconds": 0.0,
        "reply_cut_bytes": None,
        "failures": 1,
    }
