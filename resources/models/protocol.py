"""Protocols: what is sent of a question and how it is asked, as data."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from expectations.schemas.sampling import SamplingRule
from resources.config_keys import DeclaredKey, Key, check_fields, declared_keys, toml_value
from resources.media.crops import KINDS, CropKind
from resources.models.prompt import Likelihood, Needs
from resources.models.runs import MAX_TOKENS, RunConfig

AnswerBy = Literal["letter", "option_likelihood", "words"]


@dataclass(frozen=True, slots=True)
class Protocol:
    """Prompt and inputs of a run.

    What a protocol declares is described at its keys. `system_text`, `seed` and `reasoning_tokens` come
    from the run: a system prompt as it stands in place of the template, the seed and the room for
    reasoning; None leaves things to protocol and engine. `folders` declare the protocol: prompts are
    looked for in their `prompts/` first.
    """

    name: str
    version: Annotated[
        int,
        Key(
            "Part of the protocol's label; count it up when a model would see something else.",
            example=2,
            low=1,
            default="1",
        ),
    ]
    about: Annotated[
        str,
        Key(
            "One sentence for readers of the report.",
            example="With room for long reasoning.",
            default="names the extended protocol and what differs",
        ),
    ]
    prompt: Annotated[
        str,
        Key(
            "Template of the prompt, a file in `prompts/` beside this file or a built-in one.",
            example="letter.j2",
            default="needed, unless `extends` is set",
        ),
    ]
    answer_by: Annotated[
        AnswerBy,
        Key(
            "Whether the model names a letter, each option's text is scored by its likelihood, or the model"
            " answers in words: then only questions without options are asked, else only those with.",
            example="letter",
            one_of=("letter", "option_likelihood", "words"),
            default='`"letter"`',
        ),
    ]
    reads_option_text: Annotated[
        bool,
        Key(
            "Whether the model also reads the narrations of options that are clips, which gives the"
            " video away; options in words are always shown.",
            example=False,
            default="`false`",
        ),
    ]
    system: Annotated[
        str | None,
        Key(
            'Template of the system prompt, found as `prompt` is; `"none"` sends none.',
            example="egoprox_system.j2",
            default="none",
        ),
    ] = None
    sampling: Annotated[
        SamplingRule | None,
        Key(
            "Frames per clip where a question names no rule of its own: `midpoints(n)`,"
            ' `endpoints(n)`, `every(seconds)` or `given`; `"none"` sends no media.',
            example="midpoints(8)",
            default="no media",
            kind="text",
        ),
    ] = None
    short_side_px: Annotated[
        int | None,
        Key(
            "Frames are scaled down to this short side.",
            example=448,
            unit="px",
            low=1,
            default="the stored size",
        ),
    ] = None
    encoding: Annotated[
        str,
        Key(
            "How frames are handed over: `rgb`, or `jpeg-1` to `jpeg-95`.",
            example="jpeg-90",
            pattern=r"rgb|jpeg-(?:[1-9]|[1-8][0-9]|9[0-5])",
            shape="`rgb` or `jpeg-1` to `jpeg-95`",
        ),
    ] = "rgb"
    likelihood: Annotated[
        Likelihood,
        Key(
            "Log-likelihood of an option's text as the sum over its tokens, which prefers short"
            " options, or as their mean.",
            example="sum",
            one_of=("sum", "mean"),
        ),
    ] = "mean"
    max_options: Annotated[
        int | None,
        Key(
            "Questions with more options are not asked.",
            example=5,
            unit="options",
            low=1,
            default="all questions",
        ),
    ] = None
    temperature: Annotated[
        float, Key("Sampling temperature; 0 is greedy.", example=0.7, low=0, high=2)
    ] = 0.0
    max_tokens: Annotated[
        int,
        Key("Longest reply.", example=1024, unit="tokens", low=1, high=MAX_TOKENS),
    ] = 16
    crop: Annotated[
        CropKind,
        Key(
            "Part of egocentric frames that is sent: whole frames, their middle, or around the gaze.",
            example="gaze",
            one_of=KINDS,
        ),
    ] = "full"
    system_text: str | None = None
    seed: int | None = None
    reasoning_tokens: int | None = None
    # Where a file lies is no part of what a model sees.
    folders: tuple[Path, ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        check_fields(self, f"protocol {self.name}")
        if self.answer_by == "option_likelihood" and not self.reads_option_text:
            raise ValueError(
                f"protocol {self.name}: option likelihood reads the options' texts; set"
                " `reads_option_text = true`"
            )
        if self.crop != "full" and self.sampling is None:
            raise ValueError(
                f"protocol {self.name}: crop {self.crop!r} without media to crop; set `sampling`, or"
                " remove `crop`"
            )

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


EXTENDS = DeclaredKey(
    "extends",
    "text",
    Key(
        "Protocol whose keys apply where this table sets none.",
        example="egoprox_cot",
        default="none",
    ),
    required=False,
)
# What a protocol of the configuration is where neither it nor what it extends says so.
_PLAIN = {"version": 1, "answer_by": "letter", "reads_option_text": False}
_NONE = "none"


def protocol_keys() -> tuple[DeclaredKey, ...]:
    """Keys of a protocol in the configuration, where none is required by itself."""
    return (EXTENDS, *(replace(key, required=False) for key in declared_keys(Protocol)))


def read_protocols(text: str, folder: Path | None = None) -> dict[str, Protocol]:
    """Protocols of a TOML text, one table per protocol.

    Args:
        text: Content of a `protocols.toml`.
        folder: Folder it lies in.

    Raises:
        TypeError: A protocol has an unknown key, or lacks one.
        ValueError: A value breaks a protocol's rules.
    """
    folders = () if folder is None else (folder,)
    return {
        name: Protocol(name=name, folders=folders, **_parsed(name, table))
        for name, table in tomllib.loads(text).items()
    }


def configured_protocol(
    name: str, table: Mapping[str, Any], home: Path, base: Protocol | None = None
) -> Protocol:
    """A protocol that the configuration defines.

    Args:
        name: Name.
        table: Its keys, without `extends`.
        home: Folder of the configuration; templates are looked for in its `prompts/` first.
        base: Protocol it extends.

    Raises:
        ValueError: It extends nothing and names no prompt, or a value breaks a protocol's rules.
    """
    values = _parsed(name, table)
    if base is None:
        if "prompt" not in values:
            raise ValueError(
                f"protocol {name}: prompt is missing; name a template, or a protocol to extend by"
                " `extends`"
            )
        return Protocol(
            name=name, folders=(home,), **{**_PLAIN, "about": "From the configuration.", **values}
        )
    changes = ", ".join(
        f"{key} = {toml_value(value)}" for key, value in table.items() if key != "about"
    )
    about = f"As `{base.name}`" + (f", with {changes}." if changes else ".")
    own = {"version": 1, "about": about, **values}
    return replace(base, name=name, folders=(home, *base.folders), **own)


def with_run(protocol: Protocol, run: RunConfig) -> Protocol:
    """A protocol with what a run sets in its place."""
    return replace(
        protocol,
        # Of one type, whatever the file writes: 0 and 0.0 are one call.
        temperature=protocol.temperature if run.temperature is None else float(run.temperature),
        max_tokens=protocol.max_tokens if run.max_tokens is None else run.max_tokens,
        system_text=run.system_prompt,
        seed=run.seed,
        reasoning_tokens=run.reasoning_tokens,
    )


def _parsed(name: str, table: Mapping[str, Any]) -> dict[str, Any]:
    values = dict(table)
    if "sampling" in values:
        rule = values["sampling"]
        try:
            values["sampling"] = None if rule == _NONE else SamplingRule.parse(rule)
        except ValueError as error:
            raise ValueError(
                f'protocol {name}: {error}; write for example `sampling = "midpoints(8)"`'
            ) from error
    if values.get("system") == _NONE:
        values["system"] = None
    if type(values.get("temperature")) is int:
        values["temperature"] = float(values["temperature"])
    return values
