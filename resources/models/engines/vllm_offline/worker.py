"""Asks vLLM for replies: a script for the Python of an environment in which vLLM is installed.

It imports nothing of this project, and runs as long as its standard input is open. Each line of that
input names a folder with `prompts.jsonl` and the frames that it names; replies are appended to
`replies.jsonl` there as they come, one line per prompt and in any order. Where Dagster started it, and
`dagster-pipes` is installed beside vLLM, it reports through Dagster Pipes.

A prompt is an object with `key`, `messages`, `max_tokens`, `temperature`, `seed`, `letters`,
`letters_only`, `json_schema` and `texts`. Contents of a message are `{"text"}`, `{"image": file}` and `{"video":
[files], "metadata": {...}}`. With `texts`, each text is scored by its likelihood after the prompt; else
a reply is written, and held to the letters or to the schema. Where vLLM refuses the schema the reply is
written without it, and has it in `asked_without`.
"""

# vLLM is not installed where this project is checked.
# pyright: reportMissingImports=false
from __future__ import annotations

import argparse
import contextlib
import json
import os
import shlex
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Model:
    """A model in vLLM, with its chat template.

    Args:
        folder: Folder of the model, or its name.
        options: Further options as `vllm serve` takes them.
        is_code_trusted: Whether code beside the weights may run.
    """

    def __init__(self, folder: str, options: list[str], is_code_trusted: bool) -> None:
        from transformers import AutoProcessor
        from vllm import LLM
        from vllm.engine.arg_utils import EngineArgs
        from vllm.utils.argparse_utils import FlexibleArgumentParser

        parser = EngineArgs.add_cli_args(FlexibleArgumentParser())
        trust = ["--trust-remote-code"] if is_code_trusted else []
        parsed = parser.parse_args(["--model", folder, *trust, *options])
        self._llm = LLM.from_engine_args(EngineArgs.from_cli_args(parsed))
        self._tokenizer = self._llm.get_tokenizer()
        self._processor = AutoProcessor.from_pretrained(
            folder, local_files_only=True, trust_remote_code=is_code_trusted
        )
        self._markers = sorted(set(self._tokenizer.get_added_vocab()))

    def replies(self, prompts: list[dict[str, Any]], folder: Path) -> Iterator[dict[str, Any]]:
        """Replies as they come; a prompt that fails is a reply with an error."""
        pending: dict[str, _Asked] = {}
        for number, prompt in enumerate(prompts):
            began = time.perf_counter()
            one = _Asked(prompt, began)
            try:
                self._submit(one, str(number), folder, pending)
            except Exception as cause:  # noqa: BLE001 - a fault of one prompt is its row
                yield one.failed(cause)
        engine = self._llm.llm_engine
        while engine.has_unfinished_requests():
            for output in engine.step():
                if not output.finished:
                    continue
                one = pending.pop(output.request_id, None)
                if one is None:
                    continue
                try:
                    reply = one.take(output)
                except Exception as cause:  # noqa: BLE001 - a fault of one prompt is its row
                    reply = one.failed(cause)
                if reply is not None:
                    yield reply

    def _submit(self, one: _Asked, number: str, folder: Path, asked: dict[str, _Asked]) -> None:
        from vllm import SamplingParams
        from vllm.sampling_params import StructuredOutputsParams

        prompt = one.prompt
        text, media = self._inputs(prompt["messages"], folder)
        ids = self._tokenizer.encode(text, add_special_tokens=False)
        one.opens_reasoning = text.rstrip().endswith("<think>")
        add = self._llm.llm_engine.add_request
        if prompt["texts"] is not None:
            one.options = [
                self._tokenizer.encode(text, add_special_tokens=False) for text in prompt["texts"]
            ]
            params = SamplingParams(max_tokens=1, temperature=0.0, prompt_logprobs=0)
            for at, option in enumerate(one.options):
                asked[f"{number}.{at}"] = one
                request = {"prompt_token_ids": [*ids, *option], "multi_modal_data": media}
                add(f"{number}.{at}", request, params)
            return
        letters = {
            letter: self._tokenizer.encode(letter, add_special_tokens=False)
            for letter in prompt["letters"]
        }
        if letters and all(len(tokens) == 1 for tokens in letters.values()):
            one.letters = [tokens[0] for tokens in letters.values()]

        def params(**held_to: Any) -> Any:
            # Drawn from the whole distribution: what a model ships for sampling is left out.
            return SamplingParams(
                max_tokens=prompt["max_tokens"],
                temperature=prompt["temperature"],
                top_p=1.0,
                top_k=0,
                seed=prompt["seed"],
                logprobs=len(one.letters) if one.letters else None,
                logprob_token_ids=one.letters,
                structured_outputs=StructuredOutputsParams(**held_to) if held_to else None,
            )

        asked[number] = one
        request = {"prompt_token_ids": ids, "multi_modal_data": media}
        if prompt["json_schema"]:
            try:
                add(number, request, params(json=prompt["json_schema"]))
            except ValueError:
                # Where it is not the schema that is refused, this raises as well.
                add(number, request, params())
                one.asked_without = ["json_schema"]
        elif prompt["letters_only"]:
            add(number, request, params(choice=prompt["letters"]))
        else:
            add(number, request, params())

    def _inputs(
        self, messages: list[dict[str, Any]], folder: Path
    ) -> tuple[str, dict[str, list[Any]]]:
        """A chat in the model's turn format with a mark per medium, and the media."""
        import numpy as np
        from PIL import Image

        def picture(name: str) -> Any:
            with Image.open(folder / name) as image:
                return image.convert("RGB")

        media: dict[str, list[Any]] = {}
        chat: list[dict[str, Any]] = []
        for message in messages:
            content: list[dict[str, Any]] = []
            for part in message["content"]:
                if "text" in part:
                    found = next((m for m in self._markers if m in part["text"]), None)
                    if found is not None:
                        raise ValueError(f"the text holds {found!r}, a marker of the model")
                    content.append({"type": "text", "text": part["text"]})
                elif "image" in part:
                    media.setdefault("image", []).append(picture(part["image"]))
                    content.append({"type": "image"})
                else:
                    frames = np.stack([np.asarray(picture(name)) for name in part["video"]])
                    metadata = {"do_sample_frames": False, **part["metadata"]}
                    media.setdefault("video", []).append((frames, metadata))
                    content.append({"type": "video"})
            chat.append({"role": message["role"], "content": content})
        text = self._processor.apply_chat_template(chat, add_generation_prompt=True, tokenize=False)
        return text, media


class _Asked:
    """A prompt that was handed to vLLM."""

    def __init__(self, prompt: dict[str, Any], began: float) -> None:
        self.prompt = prompt
        self.began = began
        self.options: list[list[int]] | None = None
        self.letters: list[int] | None = None
        # Some turn formats begin the reasoning themselves.
        self.opens_reasoning = False
        self.asked_without: list[str] = []
        self._sums: dict[int, float] = {}
        self._is_failed = False

    def take(self, output: Any) -> dict[str, Any] | None:
        """The reply, if it is whole with this output."""
        if self._is_failed:
            return None
        if self.options is not None:
            return self._take_option(output, int(output.request_id.rpartition(".")[2]))
        written = output.outputs[0]
        letters = None
        if self.letters is not None and written.logprobs:
            first = written.logprobs[0]
            letters = [float(first[token].logprob) for token in self.letters]
        return self._row(
            output,
            text=written.text,
            finish_reason=written.finish_reason,
            completion_tokens=len(written.token_ids),
            letters=letters,
            opens_reasoning=self.opens_reasoning,
            asked_without=self.asked_without,
        )

    def _take_option(self, output: Any, at: int) -> dict[str, Any] | None:
        assert self.options is not None
        tokens = self.options[at]
        steps = output.prompt_logprobs[len(output.prompt_logprobs) - len(tokens) :]
        self._sums[at] = sum(
            float(step[token].logprob) for step, token in zip(steps, tokens, strict=True)
        )
        if len(self._sums) < len(self.options):
            return None
        return self._row(
            output,
            n_prompt=len(output.prompt_token_ids) - len(tokens),
            sums=[self._sums[i] for i in range(len(self.options))],
            lengths=[len(option) for option in self.options],
        )

    def _row(self, output: Any, n_prompt: int | None = None, **values: Any) -> dict[str, Any]:
        return {
            "key": self.prompt["key"],
            "prompt_tokens": len(output.prompt_token_ids) if n_prompt is None else n_prompt,
            "seconds": time.perf_counter() - self.began,
            **values,
        }

    def failed(self, cause: Exception) -> dict[str, Any]:
        """The reply of a prompt that raised."""
        self._is_failed = True
        return {"key": self.prompt["key"], "error": f"{type(cause).__name__}: {cause}"}


@contextlib.contextmanager
def reports() -> Iterator[Any]:
    """Where progress is reported: a Pipes context, or None."""
    if "DAGSTER_PIPES_CONTEXT" not in os.environ:
        yield None
        return
    try:
        from dagster_pipes import open_dagster_pipes
    except ImportError:
        print("dagster-pipes is not installed here: nothing is reported", file=sys.stderr)
        yield None
        return
    with open_dagster_pipes() as pipes:
        yield pipes


def main() -> None:
    """Read folders from the standard input until it ends."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--model", required=True)
    arguments.add_argument("--options", default="")
    arguments.add_argument("--trust-remote-code", action="store_true")
    options = arguments.parse_args()
    with reports() as pipes:
        model = Model(options.model, shlex.split(options.options), options.trust_remote_code)
        if pipes is not None:
            pipes.log.info(f"vLLM has loaded {options.model}")
        total = 0
        for line in sys.stdin:
            folder = Path(line.rstrip("\n"))
            lines = (folder / "prompts.jsonl").read_text(encoding="utf-8").splitlines()
            prompts = [json.loads(one) for one in lines]
            with (folder / "replies.jsonl").open("a", encoding="utf-8") as out:
                for reply in model.replies(prompts, folder):
                    out.write(json.dumps(reply) + "\n")
                    out.flush()
                    total += 1
            if pipes is not None:
                pipes.log.info(f"vLLM has given {total} replies")


if __name__ == "__main__":
    main()
