"""An environment that looks as if it had vLLM: `worker.py` runs in it as it stands, on a toy model.

A prompt's tokens are its bytes. The reply counts pictures and frames and repeats the last word of the
prompt, and a token's log-probability is minus a hundredth of its number. A reply that is held to something
is that, and a schema with the word `refused` is not taken. `CRASH` in a prompt ends the
process; so does the file that `PARALLAX_TOY_LEFT` names, after as many replies as it says.
"""

from __future__ import annotations

import sys
from pathlib import Path

_VLLM = """
import os, subprocess, types
class SamplingParams:
    def __init__(self, **values):
        self.__dict__.update(values)
class _Tokenizer:
    def get_added_vocab(self):
        return {"<|im_end|>": 999}
    def encode(self, text, add_special_tokens=False):
        return list(text.encode())
def _logprob(token):
    return types.SimpleNamespace(logprob=-token / 100)
class _Engine:
    def __init__(self):
        self._waiting = []
    def add_request(self, name, request, params):
        if "refused" in str(getattr(params, "structured_outputs", None)):
            raise ValueError("this grammar is not supported")
        self._waiting.append((name, request, params))
    def has_unfinished_requests(self):
        return bool(self._waiting)
    def step(self):
        # The newest first: replies come out of order.
        name, request, params = self._waiting.pop()
        ids = request["prompt_token_ids"]
        text = bytes(ids).decode()
        # A person's doing, after so many replies: `PARALLAX_TOY_LEFT` names a file that counts down.
        left = os.environ.get("PARALLAX_TOY_LEFT")
        if left and os.path.exists(left):
            n = int(open(left).read())
            if n == 0:
                os.unlink(left)
                os.kill(os.getpid(), 9)
            open(left, "w").write(str(n - 1))
        if "CRASH" in text:
            print("the toy model ran out of memory", flush=True)
            os._exit(3)
        media = request["multi_modal_data"]
        frames = [(len(f), m["frames_indices"]) for f, m in media.get("video", [])]
        said = f"{len(media.get('image', []))} images {frames} {text.split()[-2]}"
        reason = "stop"
        if "THINK" in text:
            # Needs more tokens than an answer has.
            reason = "length" if params.max_tokens < 100 else "stop"
            said = "<think>hm" if reason == "length" else "<think>hm</think>B"
        if getattr(params, "structured_outputs", None):
            said = str(params.structured_outputs)
        wanted = getattr(params, "logprob_token_ids", None)
        out = types.SimpleNamespace(
            text=said, finish_reason=reason, token_ids=[1, 2],
            logprobs=[{t: _logprob(t) for t in wanted}] if wanted else None)
        prompt = None
        if getattr(params, "prompt_logprobs", None) is not None:
            prompt = [None] + [{t: _logprob(t)} for t in ids[1:]]
        return [types.SimpleNamespace(request_id=name, finished=True, outputs=[out],
                                      prompt_token_ids=ids, prompt_logprobs=prompt)]
class LLM:
    @classmethod
    def from_engine_args(cls, args):
        made = cls()
        made.llm_engine = _Engine()
        # vLLM computes in processes of its own, which do not end with the one that started them.
        subprocess.Popen(["sleep", "600"])
        return made
    def get_tokenizer(self):
        return _Tokenizer()
"""
_FILES = {
    "vllm/__init__.py": _VLLM,
    "vllm/sampling_params.py": (
        "def StructuredOutputsParams(*, json=None, choice=None):\n"
        "    if (json is None) == (choice is None):\n"
        "        raise ValueError('one kind of structured outputs')\n"
        "    return choice or json\n"
    ),
    "vllm/engine/__init__.py": "",
    "vllm/engine/arg_utils.py": (
        "class EngineArgs:\n"
        "    @staticmethod\n"
        "    def add_cli_args(parser):\n"
        "        parser.add_argument('--model')\n"
        "        parser.add_argument('--max-model-len', type=int)\n"
        "        return parser\n"
        "    @classmethod\n"
        "    def from_cli_args(cls, parsed):\n"
        "        return parsed\n"
    ),
    "vllm/utils/__init__.py": "",
    "vllm/utils/argparse_utils.py": (
        "from argparse import ArgumentParser as FlexibleArgumentParser\n"
    ),
    "transformers/__init__.py": (
        "class AutoProcessor:\n"
        "    @classmethod\n"
        "    def from_pretrained(cls, folder, **_):\n"
        "        return cls()\n"
        "    def apply_chat_template(self, chat, add_generation_prompt, tokenize):\n"
        "        return ' '.join(part.get('text', part['type']) for message in chat\n"
        "                        for part in message['content']) + ' assistant:'\n"
    ),
    "vllm-0.0.1.dist-info/METADATA": "Metadata-Version: 2.1\nName: vllm\nVersion: 0.0.1\n",
}


def make_environment(folder: Path) -> Path:
    """A program that stands for the Python of such an environment."""
    packages = folder / "packages"
    for name, text in _FILES.items():
        path = packages / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    python = folder / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{packages}" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    return python
