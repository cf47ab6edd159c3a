"""Texts asked of a model on behalf of any stage, each bought once; some show clips.

Calls go into the append-only table `calls`, in a partition of their own per purpose and run (see
`call_log`). Questions of a benchmark are asked by the predictions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from blake3 import blake3

from expectations.schemas.identity import canonical_json, digest
from resources.media.stills import Media
from resources.models import Engine, open_engine
from resources.models.calls.call_log import CallLog, KnownCall, Progress, no_media
from resources.models.costs.estimate import PlannedCalls
from resources.models.prompt import NO_MEDIA_RECIPE, Prompt, Request, TextWithClips
from resources.models.runs import RunConfig
from resources.store.tables import TableStore

_READ = ("question_id", "protocol", "model", "reply", "error", "finish_reason")


@dataclass(frozen=True, slots=True)
class TextReply:
    """What is known of a prompt.

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
        retry_errors: Whether prompts are asked again that failed too often.
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
        self._asked_as = f"{purpose}/{version}"
        self._max_tokens = max_tokens
        self._log = CallLog(
            store, self.partition, self.purpose, run, lambda: self.engine, _READ, retry_errors
        )

    @property
    def partition(self) -> str:
        """Partition of `calls`."""
        return f"{self.purpose}.{self.run.name}"

    @cached_property
    def engine(self) -> Engine:
        """The engine; weights are loaded and servers asked at the first prompt only."""
        return open_engine(self.run)

    @property
    def identity(self) -> str:
        """What decides its replies beside the text."""
        room = self.run.reasoning_tokens
        named = () if room is None else (f"reasoning_tokens={room}",)
        return digest([self._asked_as, self.system, self.engine.model, *named])

    def ask(
        self,
        texts: Mapping[str, Request],
        *,
        buy: bool,
        progress: Progress | None = None,
        media: Callable[[], Media] | None = None,
    ) -> dict[str, TextReply]:
        """Replies to texts.

        Args:
            texts: Text to ask by item; the item is recorded with the call.
            buy: Whether what has no reply yet may be asked; else only known replies are given.
            progress: Called with prompts done, prompts to do, and the last item.
            media: Opens what decodes frames; called only where a text that shows clips is asked.

        Returns:
            Reply by item.

        Raises:
            EngineUnavailableError: The model cannot be asked at all.
        """
        prompts = {item: self._prompt(item, text) for item, text in texts.items()}
        opened = no_media
        if media is not None and buy and any(prompt.clips for prompt in prompts.values()):
            self._log.known()
            # Videos may be out of reach where every reply is there.
            if any(self._log.is_due(p.key) for p in prompts.values() if p.clips):
                opened = media()
        known = self._log.ask(list(prompts.values()), opened, buy=buy, progress=progress)
        return {
            item: self._reply(prompt.key, known.get(prompt.key)) for item, prompt in prompts.items()
        }

    def planned(self, purpose: str, texts: Mapping[str, str]) -> PlannedCalls:
        """Calls that asking texts would make.

        Args:
            purpose: What asks, for people.
            texts: Text to ask by item.
        """
        self._log.known()
        prompts = (self._prompt(item, text) for item, text in texts.items())
        model, is_due = self.engine.model, self._log.is_due
        return PlannedCalls.of(purpose, self.run, model, self._asked_as, prompts, is_due)

    def failed_items(self, *, due: bool = False) -> set[str]:
        """Items whose last call failed, as the model is asked now.

        Args:
            due: Only those that this run would ask again.
        """
        return {row["question_id"] for row in self._log.failed(self._asked_as, due=due)}

    def _prompt(self, item: str, request: Request) -> Prompt:
        shown = TextWithClips(request) if isinstance(request, str) else request
        text, media = shown.text, shown.media
        prompt = Prompt(
            key="",
            parts=(*shown.clips, text),
            short_side_px=shown.short_side_px,
            encoding=shown.encoding,
            media_recipe=canonical_json(media) if media else NO_MEDIA_RECIPE,
            system=self.system,
            seed=digest([text]),
            max_tokens=self._max_tokens,
            item=item,
            asked_as=self._asked_as,
            model=self.engine.model,
            reasoning_tokens=self.run.reasoning_tokens,
        )
        sampling = {"temperature": prompt.temperature, "max_tokens": prompt.max_tokens}
        if prompt.reasoning_tokens is not None:
            sampling["reasoning_tokens"] = prompt.reasoning_tokens
        recipe = canonical_json(
            {
                "prompt": text,
                "system": prompt.system,
                "protocol": prompt.asked_as,
                "sampling": sampling,
                "model": prompt.model,
                # Texts alone keep the keys under which they were asked before.
                **({"shown": media} if media else {}),
            }
        )
        return replace(prompt, key=blake3(recipe.encode()).hexdigest(length=16))

    def _reply(self, key: str, known: KnownCall | None) -> TextReply:
        if known is None:
            return TextReply("not_asked")
        return TextReply(
            status="ok" if known.is_answered else "error",
            text=known.row["reply"],
            error=known.row["error"],
            finish_reason=known.row["finish_reason"],
            call_key=key,
            settled=self._log.is_settled(key),
        )
