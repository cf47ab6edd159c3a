"""Model engines: one interface, chosen by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.metadata import entry_points

from resources.config_keys import in_words
from resources.models.base import (
    Capabilities,
    Engine,
    EngineUnavailableError,
    Media,
    UnsuitableEngineError,
)
from resources.models.prompt import Needs, Prompt
from resources.models.runs import RunConfig, unused_settings

PLUG_INS = "parallax.engines"


def _random(run: RunConfig) -> Engine:
    from resources.models.engines.random_letter import RandomEngine

    return RandomEngine(run.name)


def _smollm2(run: RunConfig) -> Engine:
    from resources.models.engines.smollm2 import SmolLM2Engine

    return SmolLM2Engine()


def _shared_words(run: RunConfig) -> Engine:
    from resources.models.engines.shared_words import SharedWordsEngine

    return SharedWordsEngine()


def _image_similarity(run: RunConfig) -> Engine:
    from resources.models.engines.image_similarity import ImageSimilarityEngine

    return ImageSimilarityEngine()


def _pixel_statistics(_run: RunConfig) -> Engine:
    from resources.models.engines.pixel_statistics import PixelStatisticsEngine

    return PixelStatisticsEngine()


def _tiny_vlm(run: RunConfig) -> Engine:
    from resources.models.engines.tiny_vlm import TinyVLM

    return TinyVLM(batch=run.concurrency)


def _transformers_vlm(run: RunConfig) -> Engine:
    from resources.models.engines.transformers_vlm import Setup, TransformersVLM

    setup = Setup(
        run.dtype, run.device, run.adapter, run.merge_adapter, run.batch_tokens, run.video
    )
    return TransformersVLM(run.model, run.concurrency, run.trust_remote_code, setup)


def _openai_server(run: RunConfig) -> Engine:
    from resources.models.server.openai_server import OpenAIServerEngine

    return OpenAIServerEngine(run)


def _vllm(run: RunConfig) -> Engine:
    if run.python and run.addresses:
        raise EngineUnavailableError(
            f"run {run.name}: python and base_url are both set; keep python to load the model here, or"
            " base_url to ask a server"
        )
    if run.python:
        from resources.models.engines.vllm_offline.engine import VLLMOfflineEngine

        return VLLMOfflineEngine(run)
    from resources.models.server.vllm_server import VLLMServerEngine

    return VLLMServerEngine(run)


def _human(run: RunConfig) -> Engine:
    from resources.models.engines.human import HumanEngine

    return HumanEngine(run)


def _predictions(run: RunConfig) -> Engine:
    from resources.models.engines.predictions import PredictionsEngine

    return PredictionsEngine(run)


BUILT_IN: dict[str, Callable[[RunConfig], Engine]] = {
    "random": _random,
    "smollm2": _smollm2,
    "shared_words": _shared_words,
    "image_similarity": _image_similarity,
    "pixel_statistics": _pixel_statistics,
    "tiny-vlm": _tiny_vlm,
    "transformers_vlm": _transformers_vlm,
    "openai_server": _openai_server,
    "vllm": _vllm,
    "human": _human,
    "predictions": _predictions,
}

BASELINES: dict[str, str] = {
    "random": "guesses a letter",
    "shared_words": "counts shared words",
    "image_similarity": "compares colours",
    "pixel_statistics": "compares rooms by colours and edges",
    "smollm2": "reads words alone, too small to measure",
    "tiny-vlm": "random weights",
}
"""Engines that are not a model under test, each with what it does instead, for readers of scores."""

_WITHOUT_ACCELERATOR = BUILT_IN.keys() - {"transformers_vlm", "vllm"}


def may_need_accelerator(run: RunConfig) -> bool:
    """Whether a run's engine may fill an accelerator of this machine, so that one at a time is asked."""
    if run.engine == "transformers_vlm":
        return run.device != "cpu"
    if run.engine == "vllm":
        return bool(run.python)
    return run.engine not in _WITHOUT_ACCELERATOR


@contextmanager
def closed_after_use(engine: Engine) -> Iterator[Engine]:
    """An engine that gives back what it holds (a process, an accelerator) as soon as it is done with."""
    try:
        yield engine
    finally:
        _close(engine)


_OPENED: ContextVar[list[Engine] | None] = ContextVar("opened_engines", default=None)


@contextmanager
def engines_closed_after() -> Iterator[None]:
    """Close all engines that are opened inside, so that what comes next finds the accelerator free.

    Whoever holds one of them may go on asking: it loads its model again.
    """
    opened: list[Engine] = []
    outer = _OPENED.set(opened)
    try:
        yield
    finally:
        _OPENED.reset(outer)
        for engine in opened:
            _close(engine)


def _close(engine: Engine) -> None:
    close = getattr(engine, "close", None)
    if close is not None:
        close()


def open_engine(run: RunConfig, needs: Needs = Needs()) -> Engine:  # noqa: B008 - immutable
    """The engine of a run; models are loaded at the first prompt, not here.

    Args:
        run: Run; its `engine` is a built-in name or that of an entry point in the group
            `parallax.engines` (a callable from the run to an engine).
        needs: What it is asked to do; the default is to write texts.

    Raises:
        EngineUnavailableError: The engine is not known, or lacks what it needs.
        UnsuitableEngineError: The engine cannot do what is needed.
    """
    factory = BUILT_IN.get(run.engine)
    if factory is None:
        found = {point.name: point for point in entry_points(group=PLUG_INS)}
        if run.engine not in found:
            known = sorted({*BUILT_IN, *found})
            raise EngineUnavailableError(
                f"run {run.name}: engine {run.engine!r} is not one of {known}; install its plug-in"
                f" (entry point group {PLUG_INS}) or correct the run"
            )
        factory = found[run.engine].load()
    else:
        _check_settings(run)
    engine = factory(run)
    opened = _OPENED.get()
    if opened is not None:
        opened.append(engine)
    can = engine.capabilities
    if needs.option_likelihood and not can.option_likelihood:
        raise UnsuitableEngineError(
            f"run {run.name}: engine {run.engine} gives no option likelihood, which protocol "
            f"{run.protocol} scores options by: name another protocol or another engine"
        )
    if needs.media and not (can.images or can.video):
        raise UnsuitableEngineError(
            f"run {run.name}: engine {run.engine} takes no media, which protocol {run.protocol} sends: "
            "name another protocol or another engine"
        )
    return engine


def _check_settings(run: RunConfig) -> None:
    """Check that a built-in engine reads what its run sets.

    Raises:
        UnsuitableEngineError: It would ignore a setting.
    """
    unused = unused_settings(run)
    if unused:
        said = "; ".join(f"{name}, which is for {in_words(by)}" for name, by in unused.items())
        raise UnsuitableEngineError(
            f"run {run.name}: engine {run.way} does not read {said}: leave out what it does not read, or"
            " name another engine"
        )


__all__ = [
    "BASELINES",
    "BUILT_IN",
    "Capabilities",
    "Engine",
    "EngineUnavailableError",
    "Media",
    "Needs",
    "Prompt",
    "UnsuitableEngineError",
    "closed_after_use",
    "engines_closed_after",
    "may_need_accelerator",
    "open_engine",
]
