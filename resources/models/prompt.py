"""What an engine is asked: instructions, texts and clips in order, and how it is to answer.

A prompt knows no questions. Whoever asks (a benchmark, a translation, a comparison of sentences, a
judge) turns its own matter into prompts and reads the replies by their keys.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from expectations.schemas.identity import canonical_json, digest
from resources.media.crops import Crop
from resources.media.overlays import Overlay

Likelihood = Literal["sum", "mean"]
NO_MEDIA_RECIPE = '{"media":[]}'
"""Recipe of a prompt that sends no media on behalf of no protocol."""


@dataclass(frozen=True, slots=True)
class Clip:
    """Frames of one medium, as chosen.

    Attributes:
        role: What it shows: `query`, `reference`, or `option_A` ..
        recording_id: Recording.
        content: Identity of the recording's media files.
        start_s: Start of the clip in the recording.
        end_s: End of the clip.
        frames: `(part, source_pts, t_s)` per frame sent, in time order.
        sampling: Rule the frames were chosen by; empty where it is not known.
        times_s: Instants the rule was given, if it takes any.
        overlays: Marks on each frame, one tuple per frame; empty where none is marked.
        sampling_fps: Rate of the frames sent; None for a single one.
        original_fps: Rate of the video they come from; None where too few frames tell.
        presampled_fps: Rate of the images a dataset ships in place of a video, else None.
        crops: Part of each frame that is sent, one per frame; empty where frames are sent whole.
    """

    role: str
    recording_id: str
    content: str
    start_s: float
    end_s: float
    frames: tuple[tuple[int, int, float], ...]
    sampling: str = ""
    times_s: tuple[float, ...] = ()
    overlays: tuple[tuple[Overlay, ...], ...] = ()
    sampling_fps: float | None = None
    original_fps: float | None = None
    presampled_fps: float | None = None
    crops: tuple[Crop, ...] = ()

    def recipe(self) -> dict[str, Any]:
        """What decides the pixels that are sent of it, for the recipe of a call."""
        return {
            "role": self.role,
            "recording_id": self.recording_id,
            "content": self.content,
            # Stamps say which frames; their times follow from them and stay out of the key.
            "frames": [[part, pts] for part, pts, _ in self.frames],
            "sampling": self.sampling,
            "times_s": self.times_s,
            "overlays": [[mark.recipe() for mark in marks] for marks in self.overlays],
            # Whole frames are announced by the protocol's crop, or by its absence here.
            **({"crops": [crop.recipe() for crop in self.crops]} if self.crops else {}),
        }

    @property
    def label(self) -> str:
        """Name of the clip in a prompt: `Query`, `Reference`, `Option A`."""
        if self.role.startswith("option_"):
            return "Option " + self.role.removeprefix("option_")
        return self.role.replace("_", " ").capitalize()


@dataclass(frozen=True, slots=True)
class TextWithClips:
    """A text and the clips that are shown before it.

    Attributes:
        text: The text.
        clips: The clips, in order.
        short_side_px: Their frames are scaled down to this short side; None keeps the stored size.
        encoding: What the frames are handed over as (`rgb`, `jpeg-90`).
    """

    text: str
    clips: tuple[Clip, ...] = ()
    short_side_px: int | None = None
    encoding: str = "rgb"

    @property
    def media(self) -> dict[str, Any]:
        """What decides the pixels that are sent; empty without clips."""
        if not self.clips:
            return {}
        return {
            "media": [clip.recipe() for clip in self.clips],
            "short_side_px": self.short_side_px,
            "encoding": self.encoding,
        }

    @property
    def item(self) -> str:
        """Item that it is kept as with its call."""
        return digest([self.text, *([canonical_json(self.media)] if self.clips else [])])


Request = str | TextWithClips
"""What a model is asked: a text, or one with clips."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What an engine must be able to do.

    Attributes:
        media: Take pictures or video.
        option_likelihood: Score given texts by their likelihood.
    """

    media: bool = False
    option_likelihood: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    """What an engine is asked.

    Attributes:
        key: Identity of the call: equal keys mean that the same model would be shown the same. It
            is made by whoever asks; a reply is bought once per key.
        parts: Texts and clips, in the order in which they are shown.
        system: System prompt; empty for none.
        choices: Names of the options to choose from, in shown order; empty where the answer is free.
        choice_texts: Texts of the options where the model reads them, else empty.
        likelihood: How the log-likelihood of an option's text is reduced, where options are scored
            by likelihood; None where the model writes its answer.
        seed: Decides between equal scores, and what a random engine answers.
        short_side_px: Frames are scaled down to this short side; None keeps the stored size.
        encoding: What frames are handed over as (`rgb`, `jpeg-90`).
        temperature: 0 is greedy.
        max_tokens: Longest reply.
        item: What the prompt is about, in the terms of whoever asks; recorded with the call.
        asked_as: Name and version of the way of asking (`direct/2`); recorded with the call.
        model: Model and revision the key was made for; recorded with the call.
        media_recipe: Recordings, frames, size and encoding of what is sent, as canonical JSON;
            recorded with the call.
        sampling_seed: Seed of an engine that samples; None leaves it to the engine.
        reasoning_tokens: Room for reasoning beside `max_tokens`; None leaves it to the engine.
        sample: Number of the reply, where several are asked of the same.
        json_schema: JSON schema that the reply is to keep, as canonical JSON; engines with the
            capability hold it to that. Empty for none.
    """

    key: str
    parts: tuple[str | Clip, ...]
    system: str = ""
    choices: tuple[str, ...] = ()
    choice_texts: tuple[str, ...] = ()
    likelihood: Likelihood | None = None
    seed: str = ""
    short_side_px: int | None = None
    encoding: str = "rgb"
    temperature: float = 0.0
    max_tokens: int = 16
    item: str = ""
    asked_as: str = ""
    model: str = ""
    media_recipe: str = NO_MEDIA_RECIPE
    sampling_seed: int | None = None
    reasoning_tokens: int | None = None
    sample: int = 0
    json_schema: str = ""

    @property
    def text(self) -> str:
        """The texts, without the system prompt; clips are left out."""
        return "\n\n".join(part for part in self.parts if isinstance(part, str))

    @property
    def clips(self) -> tuple[Clip, ...]:
        """The clips, in shown order."""
        return tuple(part for part in self.parts if isinstance(part, Clip))

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """The fields under the names they had until 0.1, for engines that are plug-ins."""
            if name == "answer_by":
                value = "letter" if self.likelihood is None else "option_likelihood"
            elif name in _FORMER_NAMES:
                value = getattr(self, _FORMER_NAMES[name])
            else:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            warnings.warn(
                f"`{name}` of a request is `{_FORMER_NAMES.get(name, 'likelihood')}` of a prompt"
                " now; the former name will go",
                DeprecationWarning,
                stacklevel=2,
            )
            return value


_FORMER_NAMES = {
    "call_key": "key",
    "prompt": "text",
    "letters": "choices",
    "option_texts": "choice_texts",
    "question_id": "item",
    "question_hash": "seed",
    "protocol": "asked_as",
}
