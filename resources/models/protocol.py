"""Protocols: what is sent of a question and how it is asked, as data."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from expectations.schemas.sampling import SamplingRule
from resources.media.crops import KINDS, CropKind
from resources.models.prompt import Likelihood, Needs

AnswerBy = Literal["letter", "option_likelihood"]
_ENCODING = re.compile(r"rgb|jpeg-(?:[1-9]|[1-8][0-9]|9[0-5])")


@dataclass(frozen=True, slots=True)
class Protocol:
    """Prompt and inputs of a run.

    Attributes:
        name: Name; `name/version` is what calls record.
        version: Counts up when a model would see something else.
        about: One sentence for readers of the report.
        prompt: Template under `prompts/`.
        answer_by: The model names a letter, or each option's text is scored by likelihood.
        reads_option_text: Whether the model reads the texts of options that are clips too: they
            are narrations, and showing them gives the video away. Options in words are a property
            of the question and always shown.
        system: Template of the system prompt under `prompts/`; None for none.
        sampling: Frames per clip, where a medium names no rule of its own; None sends no media.
        short_side_px: Frames are scaled down to this short side; None keeps the stored size.
        encoding: What the engine gets (`rgb`, `jpeg-90`).
        likelihood: Log-likelihood of an option's text as the sum over its tokens, or as their mean:
            the sum prefers short options.
        max_options: Questions with more options are not asked.
        temperature: 0 is greedy.
        max_tokens: Longest reply.
        crop: Part of egocentric frames that is sent (see `crops`): `full`, `centre` or `gaze`.
        folder: Folder that declares it; prompts are looked for in its `prompts/` first.
    """

    name: str
    version: int
    about: str
    prompt: str
    answer_by: AnswerBy
    reads_option_text: bool
    system: str | None = None
    sampling: SamplingRule | None = None
    short_side_px: int | None = None
    encoding: str = "rgb"
    likelihood: Likelihood = "mean"
    max_options: int | None = None
    temperature: float = 0.0
    max_tokens: int = 16
    crop: CropKind = "full"
    # Where a file lies is no part of what a model sees.
    folder: Path | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.answer_by not in ("letter", "option_likelihood"):
            raise ValueError(f"protocol {self.name}: answer_by {self.answer_by!r} is not known")
        if self.answer_by == "option_likelihood" and not self.reads_option_text:
            raise ValueError(f"protocol {self.name}: option likelihood reads the options' texts")
        if self.likelihood not in ("sum", "mean"):
            raise ValueError(f"protocol {self.name}: likelihood {self.likelihood!r} is not known")
        if not _ENCODING.fullmatch(self.encoding):
            raise ValueError(
                f"protocol {self.name}: encoding {self.encoding!r} is not `rgb` or `jpeg-1`.."
            )
        if self.crop not in KINDS:
            raise ValueError(f"protocol {self.name}: crop {self.crop!r} is not one of {KINDS}")
        if self.crop != "full" and self.sampling is None:
            raise ValueError(f"protocol {self.name}: crop {self.crop!r} without media to crop")
        if self.temperature < 0 or self.max_tokens < 1 or self.version < 1:
            raise ValueError(f"protocol {self.name}: temperature, max_tokens or version too low")

    @property
    def label(self) -> str:
        """Name and version, as calls record it."""
        return f"{self.name}/{self.version}"

    @property
    def sends_media(self) -> bool:
        """Whether any pixels are sent."""
        return self.sampling is not None

    @property
    def needs(self) -> Needs:
        """What an engine must be able to do to be asked under it."""
        return Needs(self.sends_media, self.answer_by == "option_likelihood")


def read_protocols(text: str, folder: Path | None = None) -> dict[str, Protocol]:
    """Protocols of a TOML text, one table per protocol.

    Args:
        text: Content of a `protocols.toml`.
        folder: Folder it lies in.

    Raises:
        TypeError: A protocol has an unknown key, or lacks one.
        ValueError: A value breaks a protocol's rules.
    """
    protocols: dict[str, Protocol] = {}
    for name, table in tomllib.loads(text).items():
        fields: dict[str, Any] = dict(table)
        if "sampling" in fields:
            fields["sampling"] = SamplingRule.parse(fields["sampling"])
        protocols[name] = Protocol(name=name, folder=folder, **fields)
    return protocols
