"""The tokenizer of a model, where its file is on this machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

_FILE = "tokenizer.json"


def text_counter(model: str) -> Callable[[str], int] | None:
    """Counts the tokens of a text as a model does; None where its tokenizer is not on this machine.

    Nothing is downloaded, and no code of the model runs.

    Args:
        model: Folder of a model, or its name in the local cache of the Hugging Face hub: also that of a
            model that a server serves.
    """
    path = _tokenizer_file(model)
    if path is None:
        return None
    try:
        from tokenizers import Tokenizer
    except ImportError:
        return None
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception:  # noqa: BLE001 - the library raises nothing more precise for a damaged file
        return None
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def _tokenizer_file(model: str) -> Path | None:
    if not model:
        return None
    here = Path(model).expanduser() / _FILE
    if here.is_file():
        return here
    try:
        from huggingface_hub import try_to_load_from_cache
        from huggingface_hub.errors import HFValidationError
    except ImportError:
        return None
    try:
        cached = try_to_load_from_cache(model, _FILE)
    except HFValidationError:
        return None
    return Path(cached) if isinstance(cached, str) else None
