"""What a model's small files say of its tokens, where they are on this machine."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

_TOKENIZER = "tokenizer.json"
_VIDEO_FILES = ("video_preprocessor_config.json", "preprocessor_config.json")


def text_counter(model: str) -> Callable[[str], int] | None:
    """Counts the tokens of a text as a model does; None where its tokenizer is not on this machine.

    Nothing is downloaded, and no code of the model runs.

    Args:
        model: Folder of a model, or its name in the local cache of the Hugging Face hub: also that of a
            model that a server serves.
    """
    path = _file_of(model, _TOKENIZER)
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


def merged_frames(model: str) -> int:
    """Frames of a video that a model reads as one, as Qwen's do two; 1 where no file on this machine says so.

    Args:
        model: As for `text_counter`.
    """
    for name in _VIDEO_FILES:
        path = _file_of(model, name)
        if path is None:
            continue
        try:
            configuration = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        merged = (
            configuration.get("temporal_patch_size") if isinstance(configuration, dict) else None
        )
        if type(merged) is int and merged > 0:
            return merged
    return 1


def _file_of(model: str, name: str) -> Path | None:
    if not model:
        return None
    here = Path(model).expanduser() / name
    if here.is_file():
        return here
    try:
        from huggingface_hub import try_to_load_from_cache
        from huggingface_hub.errors import HFValidationError
    except ImportError:
        return None
    try:
        cached = try_to_load_from_cache(model, name)
    except HFValidationError:
        return None
    return Path(cached) if isinstance(cached, str) else None
