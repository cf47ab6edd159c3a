"""A prompt as the messages of a chat: texts and clips in their order.

How a clip is written is a function of its frames (`ClipContent`): as pictures, as one video, or as an engine
of its own needs it.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from typing import Any

from blake3 import blake3

from resources.models.base import Media, decode_clip, to_jpeg
from resources.models.prompt import Clip, Prompt
from resources.models.reply import ClipForm, clip_form

ClipContent = Callable[[Clip, Sequence[bytes]], list[dict[str, Any]]]
"""Parts of a message that show a clip, of its frames as JPEG in time order."""


def as_pictures(_clip: Clip, frames: Sequence[bytes]) -> list[dict[str, Any]]:
    """A clip as one picture per frame."""
    return [
        {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{_base64(frame)}"}}
        for frame in frames
    ]


def as_video(_clip: Clip, frames: Sequence[bytes]) -> list[dict[str, Any]]:
    """A clip as one video: the frames themselves, as vLLM takes them, and no new encoding of them.

    https://docs.vllm.ai/en/latest/features/multimodal_inputs.html
    """
    url = "data:video/jpeg;base64," + ",".join(map(_base64, frames))
    return [{"type": "video_url", "video_url": {"url": url}}]


def chat_messages(
    prompt: Prompt, media: Media, clip_content: ClipContent = as_pictures
) -> tuple[list[dict[str, Any]], str | None]:
    """Messages of a prompt, and the hash of the pictures sent.

    A single clip carries no name: there is nothing to tell it from.

    Args:
        prompt: Prompt.
        media: Decodes frames.
        clip_content: Writes a clip.

    Returns:
        Messages, and a hash of 32 hexadecimal digits; None where no picture is sent.
    """
    sent = blake3()
    content: list[dict[str, Any]] = []
    for part in prompt.parts:
        if isinstance(part, str):
            content.append({"type": "text", "text": part})
            continue
        images = decode_clip(part, media, prompt.short_side_px)
        frames = [to_jpeg(image, prompt.encoding) for image in images]
        for frame in frames:
            sent.update(frame)
        if len(prompt.clips) > 1:
            content.append({"type": "text", "text": f"{part.label}:"})
        content += clip_content(part, frames)
    # Servers of text models take plain text only.
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": content if prompt.clips else prompt.text}
    ]
    if prompt.system:
        messages.insert(0, {"role": "system", "content": prompt.system})
    return messages, sent.hexdigest(length=16) if prompt.clips else None


def form_sent(messages: Sequence[dict[str, Any]]) -> ClipForm | None:
    """What the clips of messages are sent as."""
    contents = [message["content"] for message in messages]
    kinds = [part["type"] for parts in contents if isinstance(parts, list) for part in parts]
    return clip_form(kinds.count("image_url"), kinds.count("video_url"))


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
