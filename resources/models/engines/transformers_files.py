"""A transformers model's files: where they lie, what they are, and how its processor is loaded."""

from __future__ import annotations

import importlib.metadata
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from blake3 import blake3

from resources.models.base import EngineUnavailableError

_REMEDY = "install the extra `local-vlm` (torch, transformers)"
# Weight files are distinguished by size and both ends: tens of gigabytes are not read for a name.
_END_BYTES = 1 << 20
_SMALL_BYTES = 32 << 20


def find_model(name: str) -> Path:
    """Folder of a model: a path, or a name in the local cache of the Hugging Face hub.

    Raises:
        EngineUnavailableError: It is neither; nothing is downloaded.
    """
    if not name:
        raise EngineUnavailableError(
            "transformers_vlm: the run names no model; set `model` to a folder or a cached name"
        )
    folder = Path(name).expanduser()
    if not folder.is_dir():
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

        try:
            folder = Path(snapshot_download(name, local_files_only=True))
        except (LocalEntryNotFoundError, HFValidationError) as missing:
            raise EngineUnavailableError(
                f"transformers_vlm: {name!r} is not a folder and not in the local cache; fetch it"
                f" first (`hf download {name}`) or correct the run's `model`"
            ) from missing
    if not (folder / "config.json").is_file() or not any(folder.glob("*.safetensors")):
        raise EngineUnavailableError(
            f"transformers_vlm: {folder} lacks config.json or *.safetensors; weights in other"
            " formats are not opened"
        )
    return folder


def digest_of(folder: Path) -> str:
    """Digest of a model's files: small ones whole, large ones by size and both ends."""
    return digest_of_files(
        p for p in folder.iterdir() if p.is_file() and not p.name.startswith(".")
    )


def digest_of_files(paths: Iterable[Path]) -> str:
    """Digest of files by name and content, in order of their paths; large ones as in `digest_of`."""
    digest = blake3()
    for path in sorted(paths):
        size = path.stat().st_size
        digest.update(f"{path.name}\0{size}\0".encode())
        with path.open("rb") as file:
            if size <= _SMALL_BYTES:
                digest.update(file.read())
                continue
            digest.update(file.read(_END_BYTES))
            file.seek(-_END_BYTES, os.SEEK_END)
            digest.update(file.read(_END_BYTES))
    return digest.hexdigest(length=8)


def runtime() -> str:
    """Versions of what computes, read without importing it.

    Raises:
        EngineUnavailableError: torch or transformers are not installed.
    """
    try:
        versions = [f"{p}={importlib.metadata.version(p)}" for p in ("transformers", "torch")]
    except importlib.metadata.PackageNotFoundError as missing:
        raise EngineUnavailableError(f"transformers_vlm: {missing} is missing: {_REMEDY}") from None
    return " ".join(versions)


def torchvision_version() -> str:
    """Version of torchvision, which transformers prepares videos with.

    Raises:
        EngineUnavailableError: It is not installed.
    """
    try:
        return f"torchvision={importlib.metadata.version('torchvision')}"
    except importlib.metadata.PackageNotFoundError:
        raise EngineUnavailableError(
            "transformers_vlm: `video = true` needs torchvision; install the version that fits your"
            " torch, or leave `video` out to send frames as images"
        ) from None


def load_processor(folder: Path, safe: Mapping[str, Any], video: bool = False) -> Any:
    """A model's processor.

    Video processors need torchvision, and without it the automatic loader hands back a bare
    tokenizer; where frames go in as pictures, the processor is loaded without that part.

    Args:
        folder: Folder of the model.
        safe: Arguments of every loader.
        video: Whether videos are prepared too.

    Raises:
        ValueError: The model has no processor class, no picture processor, or no chat template; or no
            video processor where one is needed.
    """
    from transformers import AutoConfig, AutoImageProcessor, AutoProcessor
    from transformers.models.auto.processing_auto import (
        PROCESSOR_MAPPING,
        processor_class_from_name,
    )

    config = AutoConfig.from_pretrained(str(folder), **safe)
    names = [_said(folder / f"{stem}_config.json") for stem in ("processor", "preprocessor")]
    name = next(filter(None, names), None)
    found: Any = processor_class_from_name(name) if name else None
    if found is None and type(config) in PROCESSOR_MAPPING:
        found = PROCESSOR_MAPPING[type(config)]
    if found is None or video:
        processor: Any = AutoProcessor.from_pretrained(str(folder), **safe)
    else:
        processor = without_video(found).from_pretrained(str(folder), **safe)
    if not hasattr(processor, "image_processor") or not hasattr(processor, "tokenizer"):
        raise ValueError(f"{type(processor).__name__} takes no pictures")
    if video and not hasattr(processor, "video_processor"):
        raise ValueError(f"{type(processor).__name__} takes no video; leave `video` out")
    if found is not None:
        processor.image_processor = AutoImageProcessor.from_pretrained(
            str(folder), backend="pil", **safe
        )
    if not processor.chat_template and not processor.tokenizer.chat_template:
        raise ValueError("the model has no chat template")
    processor.tokenizer.padding_side = "left"
    if processor.tokenizer.pad_token is None:
        processor.tokenizer.pad_token = processor.tokenizer.eos_token
    return processor


def _said(path: Path) -> str | None:
    if not path.is_file():
        return None
    return json.loads(path.read_text(encoding="utf-8")).get("processor_class")


def without_video(found: Any) -> Any:
    """A processor class without its part for videos; the class itself where it cannot go."""
    parts = list(found.get_attributes())
    kept = [part for part in parts if "video" not in part]
    # Parts are handed over by position: only a tail can be left out.
    if parts[: len(kept)] != kept:
        return found
    return type(found.__name__, (found,), {"get_attributes": classmethod(lambda _cls: kept)})
