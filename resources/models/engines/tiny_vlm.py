"""A vision-language model of a hundred thousand random weights: it tests the path, nothing else.

It is a real Qwen2.5-VL with a byte tokenizer, a chat template and a picture processor, made by code
from hashes. What it replies means nothing, and its label says so; what it proves is that frames,
marks, prompts, batches and likelihoods go through transformers as they would for a real model.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from blake3 import blake3

from resources.models.engines.transformers_files import runtime, without_video
from resources.models.engines.transformers_vlm import Setup, TransformersVLM
from resources.roots.cache import cache_folder

_WIDTH, _LAYERS, _HEADS = 32, 2, 2
_CONTEXT_TOKENS = 32_768
_PATCH_PX, _MERGE = 14, 2
# A frame becomes at most 3 x 2 tokens.
_MOST_PIXELS = 6 * (_PATCH_PX * _MERGE) ** 2
_END, _PAD = "<|im_end|>", "<|endoftext|>"
_START, _SEE, _SEEN, _IMAGE, _VIDEO = (
    "<|im_start|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|image_pad|>",
    "<|video_pad|>",
)
_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% for part in message['content'] %}{% if part['type'] == 'image' %}"
    "<|vision_start|><|image_pad|><|vision_end|>{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
_RECIPE = json.dumps(
    [3, _WIDTH, _LAYERS, _HEADS, _CONTEXT_TOKENS, _PATCH_PX, _MERGE, _MOST_PIXELS, _TEMPLATE]
)
DIGEST = blake3(_RECIPE.encode()).hexdigest(length=8)


class TinyVLM(TransformersVLM):
    """The path test's model, made at the first request.

    Args:
        batch: Requests computed together.
        cache: Folder it is kept below; None for that of copies (`PARALLAX_CACHE`).

    Raises:
        EngineUnavailableError: torch or transformers are not installed.
    """

    def __init__(self, batch: int = 4, cache: Path | None = None) -> None:
        versions = runtime()
        self._folder = (cache or cache_folder()) / f"tiny-vlm-{DIGEST}"
        self._trust = False
        self._batch = batch
        self._setup = Setup()
        self._adapter = None
        self.model = f"tiny-vlm@{DIGEST} random weights: path test {versions} turn=1"
        self._model: Any = None
        self._processor: Any = None
        self._reasons = False

    def _load(self) -> None:
        if not (self._folder / "config.json").is_file():
            make_tiny_vlm(self._folder)
        super()._load()


def make_tiny_vlm(folder: Path) -> Path:
    """Write the model below a folder, whole or not at all.

    Args:
        folder: Folder to be made; one that is there already stays.
    """
    from transformers import Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration

    processor = _processor()
    tokenizer = processor.tokenizer
    token = {text: tokenizer.convert_tokens_to_ids(text) for text in (_END, _PAD, _IMAGE, _VIDEO)}
    text: dict[str, Any] = {
        "vocab_size": len(tokenizer),
        "hidden_size": _WIDTH,
        "intermediate_size": 2 * _WIDTH,
        "num_hidden_layers": _LAYERS,
        "num_attention_heads": _HEADS,
        "num_key_value_heads": 1,
        "max_position_embeddings": _CONTEXT_TOKENS,
        "rope_parameters": {
            "rope_type": "default",
            "rope_theta": 10_000.0,
            # Halves of a head's width, shared out over time, rows and columns.
            "mrope_section": [2, 3, 3],
        },
        "bos_token_id": None,
        "eos_token_id": token[_END],
        "pad_token_id": token[_PAD],
    }
    vision: dict[str, Any] = {
        "depth": _LAYERS,
        "hidden_size": _WIDTH,
        "intermediate_size": 2 * _WIDTH,
        "num_heads": _HEADS,
        "out_hidden_size": _WIDTH,
        "patch_size": _PATCH_PX,
        "spatial_merge_size": _MERGE,
        "window_size": 4 * _PATCH_PX,
        "fullatt_block_indexes": [_LAYERS - 1],
    }
    config = Qwen2_5_VLConfig(
        text_config=text,
        vision_config=vision,
        image_token_id=token[_IMAGE],
        video_token_id=token[_VIDEO],
        vision_start_token_id=tokenizer.convert_tokens_to_ids(_SEE),
        vision_end_token_id=tokenizer.convert_tokens_to_ids(_SEEN),
        tie_word_embeddings=True,
    )
    model = Qwen2_5_VLForConditionalGeneration(config)
    _fill(model)
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        model.save_pretrained(str(made))
        processor.save_pretrained(str(made))
        made.chmod(0o755)
        try:
            made.rename(folder)
        except OSError:
            # Another process was faster: it made the same.
            if not (folder / "config.json").is_file():
                raise
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return folder


def _fill(model: Any) -> None:
    """Weights from hashes of their names: the same everywhere, whatever torch draws."""
    import torch

    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.ndim < 2:
                weight.fill_(1.0 if "norm" in name or "ln_q" in name else 0.0)
                continue
            drawn = np.frombuffer(
                blake3(f"{_RECIPE}/{name}".encode()).digest(length=4 * weight.numel()), "<u4"
            )
            fan_in = weight.numel() / weight.shape[0]
            values = (drawn / 2**32 - 0.5) * (2 * (3 / fan_in) ** 0.5)
            weight.copy_(torch.from_numpy(values.astype(np.float32)).reshape(weight.shape))


def _processor() -> Any:
    """Picture processor and a tokenizer of single bytes."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, Qwen2_5_VLProcessor
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    raw = Tokenizer(models.BPE(vocab={c: i for i, c in enumerate(letters)}, merges=[]))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    raw.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=raw,
        eos_token=_END,
        pad_token=_PAD,
        additional_special_tokens=[_START, _SEE, _SEEN, _IMAGE, _VIDEO],
        padding_side="left",
    )
    images = Qwen2VLImageProcessorPil(
        patch_size=_PATCH_PX,
        merge_size=_MERGE,
        temporal_patch_size=2,
        min_pixels=(_PATCH_PX * _MERGE) ** 2,
        max_pixels=_MOST_PIXELS,
    )
    return without_video(Qwen2_5_VLProcessor)(
        image_processor=images, tokenizer=tokenizer, chat_template=_TEMPLATE
    )
