"""Texts asked of a model on behalf of any stage, each bought once.

Calls go into the append-only table `calls`, in a partition of their own per purpose and run (see
`call_log`). Text alone is sent; stages that show pixels are the predictions' own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from blake3 import blake3

from assets.predictions.protocols import Protocol, RunConfig
from assets.predictions.requests import Request, canonical_json
from expectations.schemas.identity import digest
from resources.models import Engine, open_engine
from resources.models.call_log import CallLog, Progress
from resources.store.tables import TableStore

_NO_MEDIA_RECIPE = canonical_json({"media": []})
_READ = ("question_id", "protocol", "model", "reply", "error", "finish_reason")


@dataclass(frozen=True, slots=True)
class TextReply:
    """What is known of a request.

    Attributes:
        status: `ok`; `error` of the last attempt; `not_asked`.
        text: Reply as it came.
        error: What went wrong in the last attempt.
        finish_reason: Why the model stopped, where it says.
        call_key: Key in `calls`; None where nothing was asked.
        settled: Whether asking again is not worth it: a good reply, or enough bad ones.
    """

    status: Literal["ok", "error", "not_asked"]
    text: str | None = None
    error: str | None = None
    finish_reason: str | None = None
    call_key: str | None = None
    settled: bool = False


class TextModel:
    """A configured model, asked for texts.

    Args:
        store: Table store.
        purpose: What is asked for; part of the calls' partition.
        run: Model as configured.
        version: Counts up when the same text would be asked for differently.
        system: System prompt; empty for none.
        max_tokens: Longest reply.
        retry_errors: Whether requests are asked again that failed too often.
    """

    def __init__(
        self,
        store: TableStore,
        purpose: str,
        run: RunConfig,
        version: int = 1,
        system: str = "",
        max_tokens: int = 256,
        retry_errors: bool = False,
    ) -> None:
        self.run = run
        self.system = system
        # No benchmark's name holds a dot: its calls lie elsewhere.
        self.purpose = f"texts.{purpose}"
        self._protocol = Protocol(
            name=purpose,
            version=version,
            about="",
            prompt="",
            answer_by="letter",
            reads_option_text=False,
            max_tokens=max_tokens,
        )
        self._log = CallLog(
            store, self.partition, self.purpose, run, lambda: self.engine, _READ, retry_errors
        )

    @property
    def partition(self) -> str:
        """Partition of `calls`."""
        return f"{self.purpose}.{self.run.name}"

    @cached_property
    def engine(self) -> Engine:
        """The engine; weights are loaded and servers asked at the first request only."""
        return open_engine(self.run, self._protocol)

    @property
    def identity(self) -> str:
        """What decides its replies beside the prompt."""
        return digest([self._protocol.label, self.system, self.engine.model])

    def ask(
        self, prompts: Mapping[str, str], *, buy: bool = True, progress: Progress | None = None
    ) -> dict[str, TextReply]:
        """Replies to prompts.

        Args:
            prompts: Prompt by item; the item is kept with the call.
            buy: Whether what has no reply yet may be asked; else only known replies are given.
            progress: Told (requests done, requests to do, item).

        Returns:
            Reply by item.

        Raises:
            EngineUnavailableError: The model cannot be asked at all.
        """
        requests = {item: self._request(item, prompt) for item, prompt in prompts.items()}
        if buy:
            self._log.buy(list(requests.values()), _no_media, progress)
        else:
            self._log.known()
        return {item: self._reply(request.call_key) for item, request in requests.items()}

    def failed_items(self, *, due: bool = False) -> set[str]:
        """Items whose last call failed, as the model is asked now.

        Args:
            due: Only those that this run would ask again.
        """
        failed = [
            call.row
            for key, call in self._log.known().items()
            if not call.is_answered and (not due or self._log.is_due(key))
        ]
        # Without a failure no engine is opened.
        label = self._protocol.label
        return {
            row["question_id"]
            for row in failed
            if row["protocol"] == label and row["model"] == self.engine.model
        }

    def _request(self, item: str, prompt: str) -> Request:
        said = digest([prompt])
        protocol = self._protocol
        key = canonical_json(
            {
                "prompt": prompt,
                "system": self.system,
                "protocol": protocol.label,
                "sampling": {
                    "temperature": protocol.temperature,
                    "max_tokens": protocol.max_tokens,
                },
                "model": self.engine.model,
            }
        )
        return Request(
            call_key=blake3(key.encode()).hexdigest(length=16),
            question_id=item,
            question_hash=said,
            source="",
            prompt=prompt,
            clips=(),
            media_recipe=_NO_MEDIA_RECIPE,
            letters=(),
            option_texts=(),
            protocol=protocol.label,
            answer_by=protocol.answer_by,
            likelihood=protocol.likelihood,
            short_side_px=None,
            encoding=protocol.encoding,
            temperature=protocol.temperature,
            max_tokens=protocol.max_tokens,
            model=self.engine.model,
            system=self.system,
        )

    def _reply(self, call_key: str) -> TextReply:
        known = self._log.get(call_key)
        if known is None:
            return TextReply("not_asked")
        return TextReply(
            status="ok" if known.is_answered else "error",
            text=known.row["reply"],
            error=known.row["error"],
            finish_reason=known.row["finish_reason"],
            call_key=call_key,
            settled=self._log.is_settled(call_key),
        )


def _no_media(recording_id: str, part: int, stamps: list[int]) -> list:
    raise AssertionError(f"texts show no frames, yet {stamps} of {recording_id}/{part} are asked")
