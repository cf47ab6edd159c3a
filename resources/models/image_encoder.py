"""Image features of a model of pictures and texts in one folder, such as CLIP, through transformers, offline."""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from blake3 import blake3

from resources.models.base import EngineUnavailableError

_REMEDY = "name the folder of a model with its weights, and install the extra `local-vlm`"


def image_encoder_name(folder: Path) -> str:
    """Name of an encoder, with the hash of its files and the version of what runs it.

    Args:
        folder: Folder of the model.

    Raises:
        EngineUnavailableError: There is no model in it, or what runs it is not installed.
    """
    files = [p for p in sorted(folder.rglob("*")) if p.suffix in {".json", ".safetensors"}]
    if not any(path.name == "config.json" for path in files):
        raise EngineUnavailableError(f"image encoder: no config.json in {folder}: {_REMEDY}")
    hasher = blake3()
    for path in files:
        hasher.update(path.name.encode())
        hasher.update_mmap(path)
    try:
        runtime = f"transformers={importlib.metadata.version('transformers')}"
    except importlib.metadata.PackageNotFoundError as missing:
        raise EngineUnavailableError(f"image encoder: {missing} is missing: {_REMEDY}") from missing
    return f"{folder.name}@{hasher.hexdigest(length=8)} {runtime}"


class ImageEncoder:
    """Features of pictures; the model is loaded when it is opened.

    Args:
        folder: Folder of the model.

    Raises:
        EngineUnavailableError: As of `image_encoder_name`; or the model gives no features of images.
    """

    def __init__(self, folder: Path) -> None:
        self.name = image_encoder_name(folder)
        transformers = importlib.import_module("transformers")
        try:
            self._prepare = transformers.AutoImageProcessor.from_pretrained(
                folder, local_files_only=True
            )
            self._model = transformers.AutoModel.from_pretrained(
                folder, local_files_only=True, use_safetensors=True
            ).eval()
        except (OSError, ValueError) as error:
            raise EngineUnavailableError(
                f"image encoder: {folder} cannot be loaded ({error}): {_REMEDY}"
            ) from error
        if not hasattr(self._model, "get_image_features"):
            raise EngineUnavailableError(
                f"image encoder: {folder} holds a model without features of images: name a model like CLIP"
            )

    def encode(self, images: Sequence[np.ndarray]) -> np.ndarray:
        """Unit vectors of pictures, one at a time, so that a vector depends on its own picture alone.

        Args:
            images: RGB, uint8 [height, width, 3].

        Returns:
            float32 [images, features].
        """
        torch = importlib.import_module("torch")
        vectors = []
        with torch.inference_mode():
            for image in images:
                inputs: Any = self._prepare(images=[image], return_tensors="pt")
                output = self._model.get_image_features(**inputs)
                # A tensor in older versions, what holds the pooled features since.
                features = getattr(output, "pooler_output", output)[0]
                vectors.append((features / features.norm()).float().numpy())
        return np.stack(vectors)
