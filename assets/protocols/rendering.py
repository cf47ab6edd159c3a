"""A question under a protocol, as the prompt that a model is asked.

The call key is a hash of the *recipe*: which frames of which content, how resized and encoded, the
rendered prompt, the sampling parameters, the model and its revision. Two runs that would send the
same thing share a key; a cache by position or by text alone would give another video's answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
from blake3 import blake3
from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateNotFound

from assets.protocols.clips import build_clip
from assets.protocols.contexts import CONTEXT
from assets.protocols.declared import prompt_folders
from assets.protocols.variants import note_of, varied_clips, varied_question
from expectations.schemas.identity import canonical_json
from expectations.schemas.sampling import ShownFrames
from resources.config_keys import ConfigError
from resources.media.crops import rule_of_crop
from resources.models.prompt import Clip, Prompt
from resources.models.protocol import Protocol

# Numbers of the steps, before the directions.
_CHAIN = re.compile(r"\s*\[\s*\[([\d\s,]+)\]")


@cache
def _prompts(folders: tuple[Path, ...]) -> Environment:
    own = [folder / "prompts" for folder in folders]
    # Prompts are plain text, never markup: escaping would change what the model reads.
    return Environment(
        loader=FileSystemLoader([*own, *prompt_folders()]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701
    )


def reply_schema(protocol: Protocol) -> str:
    """JSON schema that replies are held to, as canonical JSON; empty where the protocol names none.

    Raises:
        ConfigError: The file is not there, or holds no JSON object.
    """
    name = protocol.json_schema
    if name is None:
        return ""
    prompts = _prompts(protocol.folders)
    try:
        assert prompts.loader is not None
        schema = json.loads(prompts.loader.get_source(prompts, name)[0])
    except TemplateNotFound:
        raise ConfigError(
            f"protocol {protocol.name}: json_schema {name!r} is not in any folder `prompts`; put it there"
        ) from None
    except json.JSONDecodeError as cause:
        raise ConfigError(
            f"protocol {protocol.name}: json_schema {name!r} is not JSON ({cause}); correct the file"
        ) from None
    if not isinstance(schema, dict):
        raise ConfigError(
            f"protocol {protocol.name}: json_schema {name!r} is not an object; write for example"
            ' `{"type": "object"}`'
        )
    return canonical_json(schema)


def options_are_words(question: Mapping[str, Any]) -> bool:
    """Whether the options are their texts, and not names of clips.

    An option in words has a text, stands for no segment, and no medium of the question shows it.
    The text of a clip is its narration: showing it gives the video away.
    """
    shown = {medium["role"] for medium in question["media"]}
    return all(
        option["text"]
        and option.get("segment_id") is None
        and f"option_{option['letter']}" not in shown
        for option in question["options"]
    )


def shown_texts(question: Mapping[str, Any], protocol: Protocol) -> tuple[str, ...]:
    """Texts of the options in shown order where the model reads them, else empty."""
    if protocol.reads_option_text or options_are_words(question):
        return tuple(option["text"] for option in question["options"])
    return ()


def render_prompt(
    question: Mapping[str, Any],
    protocol: Protocol,
    clips: Sequence[Clip],
    template: str | None = None,
) -> str:
    """A template of the protocol, filled for one question.

    Option texts reach the template only where the model may read them (`shown_texts`). A template
    sees `question`, `subtask`, `options` (letter, and text where it is read), `reads_option_text`,
    `letters`, `n_steps` (steps of the answer, where it is a chain of actions), `context` (see
    `assets.protocols.contexts`) and per clip `role`, `label`, `n_frames`, `length_s`, `times_s`, `sampling_fps`, `original_fps` and
    `presampled_fps`.

    Args:
        question: Row of `questions`.
        protocol: Protocol.
        clips: Media as they are sent.
        template: File below `prompts/`; None for the protocol's prompt.

    Raises:
        jinja2.UndefinedError: The template names something that is not there.
    """
    texts = shown_texts(question, protocol)
    letters = [option["letter"] for option in question["options"]]
    options = (
        [{"letter": x, "text": t} for x, t in zip(letters, texts, strict=True)]
        if texts
        else [{"letter": letter} for letter in letters]
    )
    rendered = (
        _prompts(protocol.folders)
        .get_template(template or protocol.prompt)
        .render(
            question=question["text"],
            subtask=question.get("subtask", ""),
            context=question.get(CONTEXT) or "",
            n_steps=_chain_length(question.get("answer_text") or ""),
            options=options,
            letters=letters,
            reads_option_text=bool(texts),
            clips=[
                {
                    "role": clip.role,
                    "label": clip.label,
                    "n_frames": len(clip.frames),
                    "length_s": clip.end_s - clip.start_s,
                    # A frame may be presented a hair before the start: that is no negative time.
                    "times_s": [max(0.0, t_s - clip.start_s) for _, _, t_s in clip.frames],
                    "sampling_fps": clip.sampling_fps,
                    "original_fps": clip.original_fps,
                    "presampled_fps": clip.presampled_fps,
                }
                for clip in clips
            ],
        )
    )
    return rendered.strip()


def _chain_length(answer: str) -> int:
    """Steps of a chain of actions as answers write it (`[[8, 7, 3], ["F", "A"]]`); 0 for other answers."""
    steps = _CHAIN.match(answer)
    return 0 if steps is None else steps[1].count(",") + 1


def build_prompt(
    question: Mapping[str, Any],
    protocol: Protocol,
    model: str,
    frames: Mapping[str, pl.DataFrame | ShownFrames] | None = None,
    views: Mapping[str, str] | None = None,
    letters: Collection[str] | None = None,
    sample: int = 0,
) -> Prompt:
    """The prompt of one question.

    Args:
        question: Row of `questions` (nested lists as lists of dicts, as `iter_rows(named=True)`
            gives them).
        protocol: Protocol.
        model: Model and revision, as the engine states it.
        frames: Frames or ticks per recording id (see `choose_frames`); needed where the protocol
            sends media.
        views: `ego` or `exo` per recording id; needed where the protocol crops, and for the variants
            `ego_only` and `exo_only`.
        letters: Only these options are offered; None offers all.
        sample: Number of the reply, where several are asked; each is a call of its own.

    Raises:
        NoFrameError: A clip holds no frame, a medium says something that cannot be sent, or a variant of
            the protocol has no meaning for the question.
        KeyError: Frames or view of a recording, or the context of the question, were not given: broken
            machinery, not a bad question.
    """
    if letters is not None:
        offered = [option for option in question["options"] if option["letter"] in letters]
        question = {**question, "options": offered}
    if protocol.contexts and CONTEXT not in question:
        raise KeyError(f"the context of question {question['question_id']} was not given")
    if protocol.variants:
        question = varied_question(question, protocol, views or {})
    clips: tuple[Clip, ...] = ()
    if protocol.sends_media:
        clips = tuple(
            build_clip(
                medium,
                protocol,
                (frames or {})[medium["recording_id"]],
                view=(views or {}).get(medium["recording_id"]),
            )
            for medium in question["media"]
        )
        clips = varied_clips(clips, question["question_id"], protocol)
    recipe = {
        "source": question["source"],
        "media": [clip.recipe() for clip in clips],
        "crop": rule_of_crop(protocol.crop),
        "short_side_px": protocol.short_side_px if clips else None,
        "encoding": protocol.encoding if clips else None,
    }
    prompt = render_prompt(question, protocol, clips)
    if note := note_of(protocol):
        prompt = f"{note}\n{prompt}"
    system = protocol.system_text
    if system is None:
        system = (
            render_prompt(question, protocol, clips, protocol.system) if protocol.system else ""
        )
    named_by = "text" if protocol.answer_by == "pair" else "letter"
    choices = tuple(option[named_by] for option in question["options"])
    texts = shown_texts(question, protocol)
    schema = reply_schema(protocol)
    chosen = {
        "json_schema": schema or None,
        "seed": protocol.seed,
        "reasoning_tokens": protocol.reasoning_tokens,
        "sample": sample or None,
    }
    key = canonical_json(
        {
            # The random baseline and the tie break read the question's hash, so it is an input too.
            "question_hash": question["question_hash"],
            "media": recipe,
            "prompt": prompt,
            "system": system,
            "letters": choices,
            "option_texts": texts,
            "protocol": protocol.label,
            "answer_by": protocol.answer_by,
            "likelihood": protocol.likelihood,
            "sampling": {
                "temperature": protocol.temperature,
                "max_tokens": protocol.max_tokens,
                # Named only where a run sets them: replies bought without them keep their keys.
                **{name: value for name, value in chosen.items() if value is not None},
            },
            "model": model,
        }
    )
    return Prompt(
        key=blake3(key.encode()).hexdigest(length=16),
        parts=(*clips, prompt),
        system=system,
        choices=choices,
        choice_texts=texts,
        likelihood=protocol.likelihood if protocol.answer_by == "option_likelihood" else None,
        seed=question["question_hash"],
        short_side_px=protocol.short_side_px,
        encoding=protocol.encoding,
        temperature=protocol.temperature,
        max_tokens=protocol.max_tokens,
        item=question["question_id"],
        asked_as=protocol.label,
        model=model,
        media_recipe=canonical_json(recipe),
        # Equal seeds would draw the same reply again.
        sampling_seed=None if protocol.seed is None else protocol.seed + sample,
        sample=sample,
        reasoning_tokens=protocol.reasoning_tokens,
        json_schema=schema,
    )
