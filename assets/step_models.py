"""A configured model, asked in several forms on behalf of a stage; replies are kept and bought once.

A form may show clips beside its text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

from assets.options import Options, Tell
from resources.config import Settings
from resources.media.stills import Media
from resources.models.calls.calls import TextModel, TextReply
from resources.models.costs.costs import refresh_costs
from resources.models.prompt import Request, TextWithClips
from resources.models.runs import RunConfig


class Asked(Protocol):
    """What a model is asked for: its calls are kept under `name` and `version`."""

    @property
    def name(self) -> str:
        """Name, one per kind of prompt."""
        ...

    @property
    def version(self) -> int:
        """Raised when the same text would be asked for differently."""
        ...

    @property
    def max_tokens(self) -> int:
        """Longest reply."""
        ...


class StepModel:
    """A configured model that is asked in several forms.

    Args:
        settings: Configuration.
        name: Name of a run or text model.
        options: A person's choices; None to ask nobody and use known replies.
        tell: Told of each request.
        work: What is done, for people.

    Attributes:
        run: The model as configured.
    """

    def __init__(
        self,
        settings: Settings,
        name: str,
        options: Options | None = None,
        tell: Tell | None = None,
        work: str = "",
    ) -> None:
        self.run: RunConfig = settings.text_models[name]
        self._settings, self._options = settings, options
        self._progress = None if tell is None else tell(work)
        self._models: dict[str, TextModel] = {}

    def label(self, form: Asked) -> str:
        """The model as tables name it."""
        return f"{self.run.name} {self._model(form).engine.model}"

    def identity(self, form: Asked) -> str:
        """What decides its replies beside the texts."""
        return self._model(form).identity

    def takes_pictures(self, form: Asked) -> bool:
        """Whether it can be shown clips."""
        return self._model(form).engine.capabilities.images

    def ask(
        self,
        form: Asked,
        requests: Sequence[Request],
        media: Callable[[], Media] | None = None,
    ) -> Mapping[Request, TextReply]:
        """Replies by request; what was not asked before is asked now, if it may be.

        Args:
            form: What is asked.
            requests: Texts, some with clips.
            media: Opens what decodes the clips' frames.
        """
        if not requests:
            return {}  # opens no engine
        buy = self._options is not None and self._options.may_ask(self.run)
        items = {_item(request): request for request in requests}
        model = self._model(form)
        known = model.ask(items, buy=buy, progress=self._progress, media=media)
        return {request: known[item] for item, request in items.items()}

    def failed_calls(self, forms: Iterable[Asked], *, due: bool = False) -> int:
        """How many calls failed and are without a reply.

        Args:
            forms: What was asked.
            due: Only those that this run would ask again.
        """
        return sum(len(self._model(form).failed_items(due=due)) for form in forms)

    def record_costs(self) -> None:
        """Sum up what all calls in the forms that were asked cost."""
        for model in self._models.values():
            refresh_costs(self._settings.store, model.partition, self.run)

    def _model(self, form: Asked) -> TextModel:
        if form.name not in self._models:
            retry = self._options is not None and self._options.retry_errors
            self._models[form.name] = TextModel(
                self._settings.store,
                form.name,
                self.run,
                form.version,
                max_tokens=form.max_tokens,
                retry_errors=retry,
            )
        return self._models[form.name]


def _item(request: Request) -> str:
    return (TextWithClips(request) if isinstance(request, str) else request).item
