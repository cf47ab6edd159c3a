"""A question under a protocol, as the request that is sent to a model.

The call key is a hash of the *recipe*: which frames of which content, how resized and encoded, the
rendered prompt, the sampling parameters, the model and its revision. Two runs that would send the
same thing share a key; a cache by position or by text alone would give another video's answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
from blake3 import blake3
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from assets.predictions.protocols import Protocol
from assets.predictions.sampling import choose_frames


@dataclass(frozen=True, slots=True)
class Clip:
    """Frames of one medium, as chosen.

    Attributes:
        role: `query`, or `option_A` ..
        recording_id: Recording.
        content: Identity of the recording's media files.
        start_s: Start of the clip in the recording.
        end_s: End of the clip.
        frames: `(part, source_pts, t_s)` per frame sent, in time order.
    """

    role: str
    recording_id: str
    content: str
    start_s: float
    end_s: float
    frames: tuple[tuple[int, int, float], ...]


@dataclass(frozen=True, slots=True)
class Request:
    """What a model is asked.

    Attributes:
        call_key: Hash of everything below that a model can see, and of the model (hex, 32 digits).
        question_id: Question.
        question_hash: Its content.
        source: Source the media belong to.
        prompt: Prompt as rendered.
        clips: Media in shown order; empty where the protocol sends none.
        media_recipe: The same as canonical JSON, with size and encoding.
        letters: Letters of the options, in shown order.
        option_texts: Their texts where the protocol lets the model read them, else empty.
        protocol: Protocol name and version.
        answer_by: `letter` or `option_likelihood`.
        likelihood: How an option's log-likelihood is reduced (`sum`, `mean`).
        short_side_px: Short side the frames are scaled down to; None keeps the stored size.
        encoding: What the frames are handed over as.
        temperature: 0 is greedy.
        max_tokens: Longest reply.
        model: Model and revision.
    """

    call_key: str
    question_id: str
    question_hash: str
    source: str
    prompt: str
    clips: tuple[Clip, ...]
    media_recipe: str
    letters: tuple[str, ...]
    option_texts: tuple[str, ...]
    protocol: str
    answer_by: str
    likelihood: str
    short_side_px: int | None
    encoding: str
    temperature: float
    max_tokens: int
    model: str


def canonical_json(value: object) -> str:
    """JSON with sorted keys, no blanks and no non-finite numbers: equal content, equal bytes."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


@cache
def _prompts() -> Environment:
    # Prompts are plain text, never markup: escaping would change what the model reads.
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "prompts"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701
    )


def render_prompt(question: Mapping[str, Any], protocol: Protocol, clips: Sequence[Clip]) -> str:
    """The protocol's template, filled for one question.

    Option texts reach the template only where the protocol lets the model read them.

    Raises:
        jinja2.UndefinedError: The template names something that is not there.
    """
    options = [
        {"letter": o["letter"], "text": o["text"]}
        if protocol.reads_option_text
        else {"letter": o["letter"]}
        for o in question["options"]
    ]
    rendered = (
        _prompts()
        .get_template(protocol.prompt)
        .render(
            question=question["text"],
            options=options,
            reads_option_text=protocol.reads_option_text,
            clips=[
                {
                    "label": clip.role.replace("_", " ").capitalize()
                    if clip.role == "query"
                    else "Option " + clip.role.removeprefix("option_"),
                    "n_frames": len(clip.frames),
                    "length_s": clip.end_s - clip.start_s,
                }
                for clip in clips
            ],
        )
    )
    return rendered.strip()


def build_request(
    question: Mapping[str, Any],
    protocol: Protocol,
    model: str,
    frames: Mapping[str, pl.DataFrame] | None = None,
) -> Request:
    """The request of one question.

    Args:
        question: Row of `questions` (nested lists as lists of dicts, as `iter_rows(named=True)`
            gives them).
        protocol: Protocol.
        model: Model and revision, as the engine states it.
        frames: Frames or ticks per recording id (see `choose_frames`); needed where the protocol
            sends media.

    Raises:
        NoFrameError: A clip holds no frame.
        ValueError: A clip is empty.
        KeyError: The frames of a recording were not given: broken machinery, not a bad question.
    """
    clips: list[Clip] = []
    if protocol.sampling is not None:
        for medium in question["media"]:
            chosen = choose_frames(
                (frames or {})[medium["recording_id"]],
                protocol.sampling,
                medium["start_s"],
                medium["end_s"],
            )
            stamps = chosen.select("part", "source_pts", "t_s").iter_rows()
            clips.append(
                Clip(
                    role=medium["role"],
                    recording_id=medium["recording_id"],
                    content=medium["content"],
                    start_s=medium["start_s"],
                    end_s=medium["end_s"],
                    frames=tuple((part, pts, t_s) for part, pts, t_s in stamps),
                )
            )
    recipe = {
        "source": question["source"],
        "media": [
            {
                "role": clip.role,
                "recording_id": clip.recording_id,
                "content": clip.content,
                # Stamps say which frames; their times follow from them and stay out of the key.
                "frames": [[part, pts] for part, pts, _ in clip.frames],
            }
            for clip in clips
        ],
        "crop": None,
        "overlay": None,
        "short_side_px": protocol.short_side_px if clips else None,
        "encoding": protocol.encoding if clips else None,
    }
    prompt = render_prompt(question, protocol, clips)
    letters = tuple(o["letter"] for o in question["options"])
    texts = tuple(o["text"] for o in question["options"]) if protocol.reads_option_text else ()
    key = canonical_json(
        {
            # The random baseline and the tie break read the question's hash, so it is an input too.
            "question_hash": question["question_hash"],
            "media": recipe,
            "prompt": prompt,
            "letters": letters,
            "option_texts": texts,
            "protocol": protocol.label,
            "answer_by": protocol.answer_by,
            "likelihood": protocol.likelihood,
            "sampling": {"temperature": protocol.temperature, "max_tokens": protocol.max_tokens},
            "model": model,
        }
    )
    return Request(
        call_key=blake3(key.encode()).hexdigest(length=16),
        question_id=question["question_id"],
        question_hash=question["question_hash"],
        source=question["source"],
        prompt=prompt,
        clips=tuple(clips),
        media_recipe=canonical_json(recipe),
        letters=letters,
        option_texts=texts,
        protocol=protocol.label,
        answer_by=protocol.answer_by,
        likelihood=protocol.likelihood,
        short_side_px=protocol.short_side_px,
        encoding=protocol.encoding,
        temperature=protocol.temperature,
        max_tokens=protocol.max_tokens,
        model=model,
    )
