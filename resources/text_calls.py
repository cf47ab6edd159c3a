"""Texts asked of a model on behalf of any stage, each bought once.

Calls go into the append-only table `calls`, in a partition of their own per purpose and run. A good
reply to a request is never bought again; a request that failed is asked again by later runs, a few
times. Text alone is sent; stages that show pixels are the predictions' own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Literal

from blake3 import blake3

from assets.predictions.protocols import Protocol, RunConfig
from assets.predictions.replies import call_row
from assets.predictions.requests import Request, canonical_json
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from resources.engines import Engine, open_engine
from resources.tables import TableStore

CALLS = TABLES["calls"]
ATTEMPTS = 3
# What a process that dies has to pay again at most.
_BATCH = 32
_NO_MEDIA_RECIPE = canonical_json({"media": []})

Progress = Callable[[int, int, str], None]


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
    """

    def __init__(
        self,
        store: TableStore,
        purpose: str,
        run: RunConfig,
        version: int = 1,
        system: str = "",
        max_tokens: int = 256,
    ) -> None:
        self._store = store
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
        known = self._known({request.call_key for request in requests.values()})
        # Items with one prompt share a call.
        todo = {
            request.call_key: request
            for request in requests.values()
            if request.call_key not in known or not known[request.call_key][0].settled
        }
        if buy:
            self._buy(list(todo.values()), known, progress)
        none = TextReply("not_asked")
        return {
            item: known[request.call_key][0] if request.call_key in known else none
            for item, request in requests.items()
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

    def _known(self, keys: Iterable[str]) -> dict[str, tuple[TextReply, int]]:
        """Replies there are, with the next attempt's number, by call key."""
        wanted = set(keys)
        columns = ("call_key", "attempt", "status", "reply", "error", "finish_reason")
        rows = self._store.read(CALLS, self.partition, columns=columns)
        known: dict[str, tuple[TextReply, int]] = {}
        for row in rows.sort("call_key", "attempt").iter_rows(named=True):
            key = row["call_key"]
            if key not in wanted or (key in known and known[key][0].status == "ok"):
                continue
            known[key] = self._judged(row, row["attempt"] + 1)
        return known

    @staticmethod
    def _judged(row: Mapping[str, object], attempts: int) -> tuple[TextReply, int]:
        good = row["status"] == "ok"
        return (
            TextReply(
                status="ok" if good else "error",
                text=row["reply"],  # type: ignore[arg-type]
                error=row["error"],  # type: ignore[arg-type]
                finish_reason=row["finish_reason"],  # type: ignore[arg-type]
                call_key=str(row["call_key"]),
                settled=good or attempts >= ATTEMPTS,
            ),
            attempts,
        )

    def _buy(
        self,
        requests: list[Request],
        known: dict[str, tuple[TextReply, int]],
        progress: Progress | None,
    ) -> None:
        for at in range(0, len(requests), _BATCH):
            batch = requests[at : at + _BATCH]
            rows = []
            for request, reply in zip(batch, self.engine.ask(batch, _no_media), strict=True):
                now = datetime.now(UTC).isoformat(timespec="milliseconds")
                attempt = known[request.call_key][1] if request.call_key in known else 0
                row = call_row(self.purpose, self.run.name, request, reply, attempt, now)
                rows.append(row)
                known[request.call_key] = self._judged(row, attempt + 1)
            self._store.append(CALLS, self.partition, CALLS.frame(rows))
            if progress is not None:
                progress(at + len(batch), len(requests), batch[-1].question_id)


def _no_media(recording_id: str, part: int, stamps: list[int]) -> list:
    raise AssertionError(f"texts show no frames, yet {stamps} of {recording_id}/{part} are asked")
