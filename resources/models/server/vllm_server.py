"""A vLLM server: what it takes beyond OpenAI's chat completions.

- A clip goes as one video of our own JPEGs, with the time of every frame (`media_io_kwargs`), so that
  the model's temporal grid is ours. These arguments hold for a whole request: a prompt with several
  clips sends videos only where all have the same times, and else single images. `clips_sent_as` of
  the call says which, and `bytes_hash` tells the two apart. Servers take the arguments only when started with
  `--trust-request-mm-kwargs`.
- The log-probability of exactly the letters (`logprob_token_ids`), however many there are.
- The log-likelihood of an option's text, as the continuation of the assistant's turn
  (`prompt_logprobs`).
- Replies held to the letters (`structured_outputs`).

Field names: https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html
"""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from expectations.schemas.identity import canonical_json, digest
from resources.models.base import (
    Capabilities,
    EngineUnavailableError,
    PreparedPrompt,
    likelihood_reply,
    scored_texts,
)
from resources.models.costs.prices import Usage
from resources.models.engines.clip_videos import video_timing
from resources.models.prompt import Prompt
from resources.models.reply import Reply
from resources.models.runs import RunConfig
from resources.models.server.chat_message import ClipContent, as_pictures, as_video
from resources.models.server.openai_server import OpenAIServerEngine, Patience, usage_of

if TYPE_CHECKING:
    from resources.models.server.bounded_http import Answer

_TRUST = "--trust-request-mm-kwargs"
_TOKENIZE_S = 30.0
# While a server cannot say, it is asked again no sooner than after so long.
_TOKENIZE_AGAIN_S = 30.0
# Statuses of a server that does not tokenise at all; after others it may do so later.
_TOKENIZE_NEVER = frozenset({400, 404, 405, 422, 501})


class _UntoldError(Exception):
    """A server does not say what the token of a letter is.

    Attributes:
        may_say_later: Whether it is worth asking again.
    """

    def __init__(self, *, may_say_later: bool) -> None:
        super().__init__()
        self.may_say_later = may_say_later


class VLLMServerEngine(OpenAIServerEngine):
    """A model behind a vLLM server.

    Args:
        run: Run as for `openai_server`; `letters_only` is read too.
        patience: How long the server is waited for.

    Raises:
        EngineUnavailableError: The run names no address or no model, or the client is not installed.
    """

    def __init__(self, run: RunConfig, patience: Patience | None = None) -> None:
        if not run.addresses:
            raise EngineUnavailableError(
                f"run {run.name}: engine vllm needs base_url, the address of a server, or python, that of"
                " an environment in which vLLM is installed"
            )
        super().__init__(run, patience)
        self.model += " video=timed"
        if run.letters_only:
            self.model += " letters only"
        self.capabilities = Capabilities(
            images=True, video=True, option_likelihood=True, json_schema=True
        )
        self._token_of: dict[str, int | None] = {}
        self._token_lock = threading.Lock()
        # Monotonic time before which no server is asked for tokens.
        self._tokens_from = 0.0

    def clip_content(self, prompt: Prompt) -> ClipContent:
        """Clips as videos where one description of time fits all of them."""
        return as_pictures if video_timing(prompt) is None else as_video

    def request_extras(self, prompt: Prompt) -> dict[str, Any]:
        """Times of the frames, tokens of the letters, and what the reply is held to."""
        extras: dict[str, Any] = {}
        times = video_timing(prompt)
        if times is not None:
            # All frames are kept: vLLM's default is the first 32.
            video = {**times.metadata(), "num_frames": -1, "do_sample_frames": False}
            extras["media_io_kwargs"] = {"video": video}
        if prompt.choices and prompt.likelihood is None:
            tokens = [self._token(letter) for letter in prompt.choices]
            if None not in tokens:
                extras["logprob_token_ids"] = tokens
            if self._run.letters_only:
                extras["structured_outputs"] = {"choice": list(prompt.choices)}
        return extras

    def asks_schema(self, letter: Any) -> bool:
        """Whether a reply is to be held to the schema of its prompt: one that is held to letters is not."""
        return super().asks_schema(letter) and "structured_outputs" not in letter.extras

    def refuses_all(self, said: str) -> bool:
        """Whether the server was started without what every request needs."""
        return _TRUST in said

    def _letter(self, ready: PreparedPrompt) -> Any:
        letter = super()._letter(ready)
        form = letter.extras.get("media_io_kwargs")
        if form is not None and letter.bytes_hash is not None:
            # The same pictures at other times, or as single images, are not the same input.
            letter.bytes_hash = digest([letter.bytes_hash, canonical_json(form)])
        return letter

    def _body(self, letter: Any) -> dict[str, Any]:
        body = super()._body(letter)
        if letter.prompt.likelihood is not None:
            # The prompt is scored, and nothing is written; one token is the least.
            body[letter.length_field] = 1
            body |= {"temperature": 0.0}
            for name in ("logprobs", "top_logprobs"):
                body.pop(name, None)
        elif "logprob_token_ids" in letter.extras and "logprobs" not in body:
            # A server that knows no log-probabilities, or a reply too long for them.
            body["extra_body"] = {
                k: v for k, v in letter.extras.items() if k != "logprob_token_ids"
            }
        return body

    def _exchange(self, letter: Any) -> Answer:
        if letter.prompt.likelihood is None:
            return super()._exchange(letter)
        texts = scored_texts(letter.prompt)
        answer: Answer | None = None
        # Part 0 is the prompt alone; what was had before a failure is not asked again.
        for at in range(len(texts) + 1):
            if at in letter.parts:
                continue
            part = copy.copy(letter)
            part.extras = {**letter.extras, "return_token_ids": True}
            if at:
                turn = {"role": "assistant", "content": texts[at - 1]}
                part.messages = [*letter.messages, turn]
                part.extras |= {
                    "prompt_logprobs": 0,
                    "add_generation_prompt": False,
                    "continue_final_message": True,
                }
            answer = super()._exchange(part)
            letter.parts[at] = answer.document
        if answer is None:
            raise ValueError("a scored prompt was asked twice")
        return answer

    def _reply(self, letter: Any, answer: Answer, seconds: float) -> Reply:
        if letter.prompt.likelihood is None:
            return super()._reply(letter, answer, seconds)
        n_options = len(letter.prompt.choice_texts)
        base = _token_ids(letter.parts[0])
        scored = [_sum_after(base, letter.parts[at + 1]) for at in range(n_options)]
        sums = [round(total, 4) for total, _ in scored]
        lengths = [length for _, length in scored]
        text, scores = likelihood_reply(letter.prompt, sums, lengths)
        sent = self._usages(letter)
        return Reply(
            letter.prompt.key,
            "ok",
            text,
            option_scores=scores,
            bytes_hash=letter.bytes_hash,
            seconds=seconds,
            finish_reason="stop",
            prompt_tokens=sum(usage.prompt for usage in sent),
            completion_tokens=sum(usage.completion for usage in sent),
            cached_tokens=sum(usage.cached for usage in sent) or None,
            lost=tuple(letter.lost),
            n_requests=len(sent),
        )

    def billed(self, letter: Any) -> Sequence[Usage]:
        """Tokens of what a prompt was sent for so far: of texts that are scored, each answer counts."""
        return [*super().billed(letter), *self._usages(letter)]

    def _usages(self, letter: Any) -> list[Usage]:
        """Tokens of the answers to the parts of a prompt: as the server counts them, else as it lists them."""
        found: list[Usage] = []
        for _, body in sorted(letter.parts.items()):
            usage = usage_of(body)
            if usage is None:
                ids = body.get("prompt_token_ids") if isinstance(body, dict) else None
                expected = self._forecast.expected_of_request(letter.prompt)
                # One token is written, and not read.
                usage = Usage(len(ids) if isinstance(ids, list) else expected.prompt, 1)
            found.append(usage)
        return found

    def _is_cut_in_reasoning(self, letter: Any, body: Any) -> bool:
        # Scored texts are not written, so that no reasoning is cut.
        return letter.prompt.likelihood is None and super()._is_cut_in_reasoning(letter, body)

    def _token(self, letter: str) -> int | None:
        """Token of a letter; None where it is not one token, or no server says it now."""
        with self._token_lock:
            if letter in self._token_of:
                return self._token_of[letter]
            if time.monotonic() < self._tokens_from:
                return None
            may_say_later = False
            for address in self._run.addresses:
                try:
                    token = self._asked_token(address, letter)
                except _UntoldError as untold:
                    # The letters are then read out of the twenty likeliest tokens.
                    may_say_later = may_say_later or untold.may_say_later
                    continue
                self._token_of[letter] = token
                return token
            if may_say_later:
                self._tokens_from = time.monotonic() + _TOKENIZE_AGAIN_S
            else:
                self._token_of[letter] = None
            return None

    def _asked_token(self, address: str, letter: str) -> int | None:
        """Token of a letter as one server tells it; None where it is not one token.

        Raises:
            _UntoldError: It does not say.
        """
        import openai

        url = urlsplit(address)
        place = url.path.rstrip("/").removesuffix("/v1")
        root = url._replace(path=f"{place}/").geturl()
        request = {"model": self._run.model, "prompt": letter, "add_special_tokens": False}
        try:
            answer: Any = (
                self._clients[address]
                .with_options(base_url=root, timeout=_TOKENIZE_S)
                .post("tokenize", cast_to=object, body=request)
            )
        except openai.APIStatusError as refused:
            raise _UntoldError(may_say_later=refused.status_code not in _TOKENIZE_NEVER) from None
        except openai.OpenAIError:
            raise _UntoldError(may_say_later=True) from None
        tokens = answer.get("tokens") if isinstance(answer, dict) else None
        if not isinstance(tokens, list) or not all(type(token) is int for token in tokens):
            raise _UntoldError(may_say_later=False)
        return tokens[0] if len(tokens) == 1 else None


def _token_ids(body: Any) -> list[int]:
    """Token ids of the prompt that a server read.

    Raises:
        ValueError: It does not tell them.
    """
    ids = body.get("prompt_token_ids") if isinstance(body, dict) else None
    if not isinstance(ids, list) or not ids:
        raise ValueError(
            "the server tells no token ids of the prompt; texts are scored by vLLM alone"
        )
    return ids


def _sum_after(base: list[int], body: Any) -> tuple[float, int]:
    """Summed log-likelihood of the tokens after a prompt, and their number.

    Raises:
        ValueError: The server does not tell it, or the tokens of the prompt changed where the text
            begins.
    """
    ids = _token_ids(body)
    steps = body.get("prompt_logprobs")
    if ids[: len(base)] != base or len(ids) == len(base):
        raise ValueError("the tokens of the option's text run into those of the prompt")
    if not isinstance(steps, list) or len(steps) != len(ids):
        raise ValueError("the server tells no log-likelihood of the prompt")
    more = range(len(base), len(ids))
    try:
        return sum(float(steps[at][str(ids[at])]["logprob"]) for at in more), len(more)
    except (KeyError, TypeError) as error:
        raise ValueError("the server's log-likelihoods of the prompt cannot be read") from error
