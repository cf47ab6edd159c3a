"""Image features of a small model like CLIP, made here with random weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from resources.models.base import EngineUnavailableError
from resources.models.image_encoder import ImageEncoder, image_encoder_name


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of a few thousand weights."""
    torch = pytest.importorskip("torch")
    from transformers import CLIPConfig, CLIPImageProcessor, CLIPModel

    torch.manual_seed(0)
    layers = {
        "hidden_size": 8,
        "intermediate_size": 8,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
    }
    config = CLIPConfig(
        text_config={**layers, "vocab_size": 16, "max_position_embeddings": 8},
        vision_config={**layers, "image_size": 16, "patch_size": 8},
        projection_dim=4,
    )
    base = tmp_path_factory.mktemp("models") / "small-clip"
    CLIPModel(config).save_pretrained(base)
    CLIPImageProcessor(
        size={"shortest_edge": 16}, crop_size={"height": 16, "width": 16}
    ).save_pretrained(base)
    return base


def test_a_picture_has_a_unit_vector_of_its_own(folder: Path) -> None:
    chance = np.random.default_rng(0)
    images = [chance.integers(0, 256, (20, 30, 3), dtype=np.uint8) for _ in range(3)]
    encoder = ImageEncoder(folder)
    found = encoder.encode(images)
    assert (found.shape, found.dtype) == ((3, 4), np.float32)
    assert np.linalg.norm(found, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert np.abs(found[0] - found[1]).max() > 1e-4
    assert np.array_equal(encoder.encode(images[1:2])[0], found[1])
    assert encoder.name == image_encoder_name(folder)
    assert encoder.name.startswith("small-clip@")


def test_a_folder_without_such_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailableError, match="no config"):
        image_encoder_name(tmp_path)
