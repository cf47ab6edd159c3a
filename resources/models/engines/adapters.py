"""LoRA adapters beside a transformers model: found, named by content, and put into the model."""

from __future__ import annotations

import importlib.metadata
import json
import warnings
from pathlib import Path
from typing import Any

from resources.models.base import EngineUnavailableError
from resources.models.engines.transformers_files import digest_of_files

_CONFIG, _WEIGHTS = "adapter_config.json", "adapter_model.safetensors"


def find_adapter(folder: str) -> Path:
    """Folder of an adapter.

    Raises:
        EngineUnavailableError: It is not there, holds no safetensors, is not a LoRA, or PEFT is not
            installed.
    """
    path = Path(folder).expanduser()
    absent = [name for name in (_CONFIG, _WEIGHTS) if not (path / name).is_file()]
    if absent:
        raise EngineUnavailableError(
            f"adapter {path} lacks {' and '.join(absent)}: name a folder that PEFT wrote (weights in"
            " other formats than safetensors are not opened)"
        )
    try:
        kind = json.loads((path / _CONFIG).read_text(encoding="utf-8")).get("peft_type")
    except (ValueError, AttributeError) as error:
        raise EngineUnavailableError(
            f"adapter {path}: {_CONFIG} is not a JSON object; save the adapter again"
        ) from error
    if kind != "LORA":
        raise EngineUnavailableError(
            f"adapter {path}: peft_type {kind!r} is not LORA; merge it into the weights yourself"
        )
    return path


def adapter_label(folder: Path, merge: bool) -> str:
    """Name and content of an adapter, how it is computed, and by which version of PEFT.

    Raises:
        EngineUnavailableError: PEFT is not installed.
    """
    try:
        version = importlib.metadata.version("peft")
    except importlib.metadata.PackageNotFoundError:
        raise EngineUnavailableError(
            f"adapter {folder}: peft is missing: install the extra `local-vlm`"
        ) from None
    content = digest_of_files([folder / _CONFIG, folder / _WEIGHTS])
    return f"adapter={folder.name}@{content} {'merged' if merge else 'active'} peft={version}"


def with_adapter(model: Any, folder: Path, merge: bool) -> Any:
    """A model with an adapter in it.

    Args:
        model: The model; it is changed.
        folder: Folder of the adapter.
        merge: Whether it is added into the weights.

    Raises:
        ValueError: The adapter is for another model.
    """
    from peft import PeftModel

    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        wrapped = PeftModel.from_pretrained(model, str(folder), is_trainable=False)
    # PEFT draws what it does not find at random.
    missing_keys = [str(w.message) for w in found if "adapter keys" in str(w.message)]
    if missing_keys:
        raise ValueError(f"adapter {folder} is for another model: {missing_keys[0][:200]}")
    return wrapped.merge_and_unload() if merge else wrapped.get_base_model()
