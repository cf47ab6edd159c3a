"""Tiny checkpoints of real families, with random weights, made by code: what they reply means nothing.

Each has what a released checkpoint has: weights, configuration, tokenizer, chat template, processors
of pictures and of video. The Qwen ones are of a shape that vLLM accepts as well.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

END, PAD, START = "<|im_end|>", "<|endoftext|>", "<|im_start|>"
CONTEXT_TOKENS = 8192
# vLLM has kernels for heads of this width.
_HEAD, _HEADS, _LAYERS, _VISION = 64, 2, 2, 32
_INTERNVL_TOKENS = {
    "start_image_token": "<img>",
    "end_image_token": "</img>",
    "context_image_token": "<IMG_CONTEXT>",
    "video_token": "<video>",
}


@dataclass(frozen=True)
class Family:
    """A family of models.

    Attributes:
        name: Name of the family.
        image: What stands for an image in the prompt.
        video: What stands for a video.
        special: Special tokens of the tokenizer.
        make: Model and processor of the pictures, given the tokenizer.
        video_processor: Configuration of its video processor.
    """

    name: str
    image: str
    video: str
    special: tuple[str, ...]
    make: Callable[[Any], tuple[Any, Any]]
    video_processor: dict[str, Any]


def tokenizer_of(family: Family) -> Any:
    """A tokenizer of single bytes with the special tokens of a family."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    raw = Tokenizer(models.BPE(vocab={c: i for i, c in enumerate(letters)}, merges=[]))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    raw.decoder = decoders.ByteLevel()
    # InternVL's processor looks its tokens up by name.
    named: dict[str, Any] = (
        {"extra_special_tokens": {"turn_token": START, **_INTERNVL_TOKENS}}
        if family.name == "internvl"
        else {"additional_special_tokens": [START, *family.special]}
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=raw, eos_token=END, pad_token=PAD, padding_side="left", **named
    )


def template_of(family: Family) -> str:
    """A chat template in ChatML."""
    return (
        "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
        "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
        "{% for part in message['content'] %}{% if part['type'] == 'image' %}" + family.image + ""
        "{% elif part['type'] == 'video' %}" + family.video + ""
        "{% else %}{{ part['text'] }}{% endif %}{% endfor %}{% endif %}"
        "<|im_end|>\n{% endfor %}"
        "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    )


def make_checkpoint(family: Family, folder: Path) -> Path:
    """Write a checkpoint into a folder."""
    import torch

    torch.manual_seed(7)
    tokenizer = tokenizer_of(family)
    model, processor = family.make(tokenizer)
    processor.chat_template = template_of(family)
    folder.mkdir(parents=True)
    model.save_pretrained(str(folder))
    processor.save_pretrained(str(folder))
    # Video processors cannot be made without torchvision, but their configuration can be written.
    (folder / "video_preprocessor_config.json").write_text(json.dumps(family.video_processor))
    return folder


def _text(tokenizer: Any, **changes: Any) -> dict[str, Any]:
    return {
        "vocab_size": len(tokenizer),
        "hidden_size": _HEAD * _HEADS,
        "intermediate_size": 2 * _HEAD,
        "num_hidden_layers": _LAYERS,
        "num_attention_heads": _HEADS,
        "num_key_value_heads": 1,
        "max_position_embeddings": CONTEXT_TOKENS,
        "bos_token_id": None,
        "eos_token_id": tokenizer.convert_tokens_to_ids(END),
        "pad_token_id": tokenizer.convert_tokens_to_ids(PAD),
    } | changes


def _qwen_tokens(tokenizer: Any) -> dict[str, int]:
    names = {
        "image_token_id": "<|image_pad|>",
        "video_token_id": "<|video_pad|>",
        "vision_start_token_id": "<|vision_start|>",
        "vision_end_token_id": "<|vision_end|>",
    }
    return {name: tokenizer.convert_tokens_to_ids(token) for name, token in names.items()}


def _qwen_images(patch_px: int) -> Any:
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    side = 2 * patch_px
    return Qwen2VLImageProcessorPil(
        patch_size=patch_px,
        merge_size=2,
        temporal_patch_size=2,
        min_pixels=side**2,
        max_pixels=6 * side**2,
    )


def _rope(sections: list[int], **changes: Any) -> dict[str, Any]:
    return {"rope_type": "default", "rope_theta": 10_000.0, "mrope_section": sections} | changes


def _qwen2_vl(tokenizer: Any) -> tuple[Any, Any]:
    from transformers import Qwen2VLConfig, Qwen2VLForConditionalGeneration, Qwen2VLProcessor

    from resources.models.engines.transformers_files import without_video

    config = Qwen2VLConfig(
        text_config=_text(tokenizer, rope_parameters=_rope([8, 12, 12])),
        vision_config={
            "depth": _LAYERS,
            "embed_dim": _VISION,
            "hidden_size": _HEAD * _HEADS,
            "num_heads": 2,
            "mlp_ratio": 2,
        },
        tie_word_embeddings=True,
        **_qwen_tokens(tokenizer),
    )
    processor = without_video(Qwen2VLProcessor)(_qwen_images(14), tokenizer)
    return Qwen2VLForConditionalGeneration(config), processor


def _qwen2_5_vl(tokenizer: Any) -> tuple[Any, Any]:
    from transformers import (
        Qwen2_5_VLConfig,
        Qwen2_5_VLForConditionalGeneration,
        Qwen2_5_VLProcessor,
    )

    from resources.models.engines.transformers_files import without_video

    config = Qwen2_5_VLConfig(
        text_config=_text(tokenizer, rope_parameters=_rope([8, 12, 12])),
        vision_config={
            "depth": _LAYERS,
            "hidden_size": 2 * _HEAD,
            "intermediate_size": 2 * _HEAD,
            "num_heads": 2,
            "out_hidden_size": _HEAD * _HEADS,
            "window_size": 56,
            "fullatt_block_indexes": [_LAYERS - 1],
            "tokens_per_second": 2,
        },
        tie_word_embeddings=True,
        **_qwen_tokens(tokenizer),
    )
    processor = without_video(Qwen2_5_VLProcessor)(_qwen_images(14), tokenizer)
    return Qwen2_5_VLForConditionalGeneration(config), processor


def _qwen3_vl(tokenizer: Any) -> tuple[Any, Any]:
    from transformers import Qwen3VLConfig, Qwen3VLForConditionalGeneration, Qwen3VLProcessor

    from resources.models.engines.transformers_files import without_video

    config = Qwen3VLConfig(
        text_config=_text(
            tokenizer,
            head_dim=_HEAD,
            rope_parameters=_rope([12, 10, 10], mrope_interleaved=True),
        ),
        vision_config={
            "depth": _LAYERS,
            "hidden_size": 2 * _HEAD,
            "intermediate_size": 2 * _HEAD,
            "num_heads": 2,
            "out_hidden_size": _HEAD * _HEADS,
            "num_position_embeddings": 64,
            "deepstack_visual_indexes": [0],
        },
        tie_word_embeddings=True,
        **_qwen_tokens(tokenizer),
    )
    processor = without_video(Qwen3VLProcessor)(_qwen_images(16), tokenizer)
    return Qwen3VLForConditionalGeneration(config), processor


def _internvl(tokenizer: Any) -> tuple[Any, Any]:
    from transformers import InternVLConfig, InternVLForConditionalGeneration, InternVLProcessor
    from transformers.models.got_ocr2.image_processing_pil_got_ocr2 import GotOcr2ImageProcessorPil

    from resources.models.engines.transformers_files import without_video

    config = InternVLConfig(
        text_config={"model_type": "qwen2", **_text(tokenizer)},
        vision_config={
            "hidden_size": _VISION,
            "intermediate_size": _VISION,
            "num_hidden_layers": _LAYERS,
            "num_attention_heads": 2,
            "image_size": [28, 28],
            "patch_size": [7, 7],
        },
        image_token_id=tokenizer.convert_tokens_to_ids("<IMG_CONTEXT>"),
        image_seq_length=4,
    )
    images = GotOcr2ImageProcessorPil(
        size={"height": 28, "width": 28}, crop_to_patches=True, min_patches=1, max_patches=4
    )
    processor = without_video(InternVLProcessor)(images, tokenizer, image_seq_length=4)
    return InternVLForConditionalGeneration(config), processor


def _llava_onevision(tokenizer: Any) -> tuple[Any, Any]:
    from transformers import (
        LlavaOnevisionConfig,
        LlavaOnevisionForConditionalGeneration,
        LlavaOnevisionProcessor,
    )
    from transformers.models.llava_onevision.image_processing_pil_llava_onevision import (
        LlavaOnevisionImageProcessorPil,
    )

    from resources.models.engines.transformers_files import without_video

    pinpoints = [[28, 28], [28, 56], [56, 28], [56, 56]]
    config = LlavaOnevisionConfig(
        text_config={"model_type": "qwen2", **_text(tokenizer)},
        vision_config={
            "model_type": "siglip_vision_model",
            "hidden_size": _VISION,
            "intermediate_size": _VISION,
            "num_hidden_layers": _LAYERS,
            "num_attention_heads": 2,
            "image_size": 28,
            "patch_size": 14,
            "vision_use_head": False,
        },
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        video_token_index=tokenizer.convert_tokens_to_ids("<video>"),
        image_grid_pinpoints=pinpoints,
        vision_feature_select_strategy="full",
        vision_feature_layer=-1,
    )
    images = LlavaOnevisionImageProcessorPil(
        size={"height": 28, "width": 28}, image_grid_pinpoints=pinpoints
    )
    processor = without_video(LlavaOnevisionProcessor)(
        images, tokenizer, num_image_tokens=4, vision_feature_select_strategy="full"
    )
    return LlavaOnevisionForConditionalGeneration(config), processor


_QWEN_SPECIAL = ("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>")
_QWEN_IMAGE = "<|vision_start|><|image_pad|><|vision_end|>"
_QWEN_VIDEO = "<|vision_start|><|video_pad|><|vision_end|>"


def _qwen_video(kind: str, patch_px: int) -> dict[str, Any]:
    side = 2 * patch_px
    return {
        "video_processor_type": kind,
        "patch_size": patch_px,
        "merge_size": 2,
        "temporal_patch_size": 2,
        # Qwen3 bounds the pixels of a whole video, the others those of a frame.
        "size": {
            "shortest_edge": side**2,
            "longest_edge": 6 * side**2 * (16 if patch_px == 16 else 1),
        },
        "do_sample_frames": False,
    }


def _qwen(name: str, make: Callable[[Any], tuple[Any, Any]], kind: str, patch_px: int) -> Family:
    video = _qwen_video(kind, patch_px)
    return Family(name, _QWEN_IMAGE, _QWEN_VIDEO, _QWEN_SPECIAL, make, video)


FAMILIES = {
    family.name: family
    for family in (
        _qwen("qwen2_vl", _qwen2_vl, "Qwen2VLVideoProcessor", 14),
        _qwen("qwen2_5_vl", _qwen2_5_vl, "Qwen2VLVideoProcessor", 14),
        _qwen("qwen3_vl", _qwen3_vl, "Qwen3VLVideoProcessor", 16),
        Family(
            "internvl",
            "<IMG_CONTEXT>\n",
            "<video>\n",
            tuple(_INTERNVL_TOKENS.values()),
            _internvl,
            {"video_processor_type": "InternVLVideoProcessor", "size": {"height": 28, "width": 28}},
        ),
        Family(
            "llava_onevision",
            "<image>\n",
            "<video>\n",
            ("<image>", "<video>"),
            _llava_onevision,
            {
                "video_processor_type": "LlavaOnevisionVideoProcessor",
                "size": {"height": 28, "width": 28},
            },
        ),
    )
}
