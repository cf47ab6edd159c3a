"""What vLLM makes of the times in a request: run by the Python of an environment that has vLLM.

Reads a JSON list of `{"model": folder, "url": video URL, "video": media_io_kwargs of a video}` from the
standard input, takes each through vLLM's own reader of videos and the model's own processor, and
prints for each `{"second_per_grid_ts": ..., "prompt": text with the video's tokens}`.
"""

# vLLM is not installed where this project is checked.
# pyright: reportMissingImports=false
from __future__ import annotations

import json
import sys


def probe(folder: str, url: str, kwargs: dict) -> dict:
    """The temporal grid and the text of a prompt that shows one video."""
    from vllm.config import ModelConfig
    from vllm.multimodal import MULTIMODAL_REGISTRY
    from vllm.multimodal.media import ImageMediaIO, VideoMediaIO
    from vllm.multimodal.processing.context import TimingContext
    from vllm.multimodal.processing.inputs import ProcessorInputs

    kind, data = url.removeprefix("data:").split(";base64,", 1)
    merged = VideoMediaIO.merge_kwargs({}, kwargs)
    video = VideoMediaIO(ImageMediaIO(), **merged).load_base64(kind, data)
    model = ModelConfig(model=folder, dtype="float32", max_model_len=4096)
    processor = MULTIMODAL_REGISTRY.create_processor(model)
    tokenizer = processor.info.get_tokenizer()
    ids = tokenizer.encode("<|vision_start|><|video_pad|><|vision_end|>Which?")
    items = processor.info.parse_mm_data({"video": [getattr(video, "media", video)]})
    made = processor.apply(
        ProcessorInputs(prompt=ids, mm_data_items=items), TimingContext(enabled=False)
    )
    grid = made["mm_kwargs"].get_data().get("second_per_grid_ts")
    return {
        "second_per_grid_ts": None if grid is None else [float(each) for each in grid],
        "prompt": tokenizer.decode(made["prompt_token_ids"]),
    }


def main() -> None:
    """Probe everything that is asked."""
    asked = json.load(sys.stdin)
    print(json.dumps([probe(one["model"], one["url"], one["video"]) for one in asked]))


if __name__ == "__main__":
    main()
