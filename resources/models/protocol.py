"""Protocols: what is sent of a question and how it is asked, as data."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from expectations.schemas.sampling import SamplingRule
from resources.config_keys import DeclaredKey, Key, check_fields, declared_keys, toml_value
from resources.media.crops import KINDS, CropKind
from resources.models.prompt import Likelihood, Needs
from resources.models.runs import MAX_TOKENS, RunConfig

AnswerBy = Literal["letter", "option_likelihood", "pair", "words"]
WITHOUT_MEDIA = frozenset({"blind", "options_only"})
"""Variants that send no media."""
VARIANTS = (
    "blind",
    "options_only",
    "question_removed",
    "query_removed",
    "no_reference",
    "ego_only",
    "exo_only",
    "swapped_video",
    "single_frame",
    "shuffled_frames",
)
"""Names of the variants of a protocol; what each does is described in `assets/protocols/variants.toml`."""
_OF_MEDIA = frozenset(VARIANTS) - {"options_only", "question_removed"}
_ABOUT_VARIANTS = (
    "What is left out or put in another order, to see what a model needs: any of"
    f" {', '.join(f'`{name}`' for name in VARIANTS)}. A run writes it shorter, as"
    ' `protocol = "own+single_frame"`.'
)
_ONE_OF = (
    {"blind", "options_only"},
    {"options_only", "question_removed"},
    {"ego_only", "exo_only"},
    {"single_frame", "shuffled_frames"},
)


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
            "Whether the model names a letter, each option's text is scored by its likelihood, the model names"
            " the option itself (`pair`: two videos, which the prompt need not list), or it answers in words:"
            " then only questions without options are asked, else only those with.",
            example="letter",
            one_of=("letter", "option_likelihood", "pair", "words"),
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
    json_schema: Annotated[
        str | None,
        Key(
            "File with a JSON schema, found as `prompt` is, that replies keep where the engine can hold them"
            " to one (`openai_server`, `vllm`); other engines are asked without, and the calls say so.",
            example="answer.schema.json",
            default="none",
        ),
    ] = None
    crop: Annotated[
        CropKind,
        Key(
            "Part of egocentric frames that is sent: whole frames, their middle, or around the gaze.",
            example="gaze",
            one_of=KINDS,
        ),
    ] = "full"
    contexts: Annotated[
        str | None,
        Key(
            "File of texts by the layout of a question's source, found as `prompt` is; the template sees the"
            " one of the question as `context`.",
            example="egocross_domains.toml",
            default="none",
        ),
    ] = None
    subtasks: Annotated[
        tuple[str, ...],
        Key(
            "Subtasks that its prompt is written for; no other question is asked under it.",
            example=["action_prediction", "skill_evaluation"],
            default="all subtasks",
        ),
    ] = ()
    variants: Annotated[
        tuple[str, ...],
        Key(
            _ABOUT_VARIANTS,
            example=["single_frame"],
            default="nothing is left out",
        ),
    ] = ()
    # It changes nothing that a model sees, so it is not part of what requests are made from.
    asks_reasoning: Annotated[
        bool,
        Key(
            "Whether replies hold the steps of a reasoning beside the letter, for judges to mark.",
            example=True,
        ),
    ] = field(default=False, repr=False)
    system_text: str | None = None
    seed: int | None = None
    reasoning_tokens: int | None = None
    # Label without the variants that a run added: what the gates judge questions under.
    plain_label: str = ""
    # Where a file lies is not part of what a model sees.
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
        self._check_variants()

    def _check_variants(self) -> None:
        chosen = set(self.variants)
        unknown = sorted(chosen - set(VARIANTS))
        if unknown:
            raise ValueError(
                f"protocol {self.name}: unknown variant {unknown[0]!r}; use any of {', '.join(VARIANTS)}"
            )
        if chosen & _OF_MEDIA and self.sampling is None:
            raise ValueError(
                f"protocol {self.name}: variant {min(chosen & _OF_MEDIA)!r} leaves out or changes media,"
                " and the protocol sends none; use it with a protocol that sets `sampling`"
            )
        without, of_clips = chosen & WITHOUT_MEDIA, chosen & (_OF_MEDIA - WITHOUT_MEDIA)
        if without and of_clips:
            raise ValueError(
                f"protocol {self.name}: variant {min(without)!r} sends no media, so that"
                f" {min(of_clips)!r} would change nothing; leave one of them out"
            )
        for pair in _ONE_OF:
            if pair <= chosen:
                first, second = sorted(pair)
                raise ValueError(
                    f"protocol {self.name}: variants {first!r} and {second!r} cannot be combined; leave"
                    " one of them out"
                )

    @property
    def label(self) -> str:
        """Name and version, as calls record it."""
        return f"{self.name}/{self.version}"

    @property
    def sends_media(self) -> bool:
        """Whether any pixels are sent."""
        return self.sampling is not None and not WITHOUT_MEDIA & set(self.variants)

    @property
    def judged_as(self) -> str:
        """Label under which gates judge what it asks: that of the protocol it is a variant of.

        A variant asks the questions of its protocol, so that both can be compared.
        """
        return self.plain_label or self.label

    def with_variants(self, names: Sequence[str]) -> Protocol:
        """This protocol with further variants, named `protocol+variant`.

        Raises:
            ValueError: A variant is unknown, or does not go with the protocol or the other variants.
        """
        return replace(
            self,
            name="+".join((self.name, *names)),
            about=f"As `{self.name}`, as {', '.join(f'`{name}`' for name in names)}.",
            variants=(*self.variants, *names),
            plain_label=self.judged_as,
        )

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
    """Protocols of a TOML text, one table per protocol; one may extend another above it.

    Args:
        text: Content of a `protocols.toml`.
        folder: Folder it lies in.

    Raises:
        TypeError: A protocol has an unknown key, or lacks one.
        ValueError: A value breaks a protocol's rules.
    """
    folders = () if folder is None else (folder,)
    protocols: dict[str, Protocol] = {}
    for name, table in tomllib.loads(text).items():
        own = {key: value for key, value in table.items() if key != "extends"}
        values = {"name": name, "folders": folders, **_parsed(name, own)}
        if "extends" not in table:
            protocols[name] = Protocol(**values)
        elif table["extends"] in protocols:
            protocols[name] = replace(protocols[table["extends"]], plain_label="", **values)
        else:
            raise ValueError(
                f"protocol {name} extends {table['extends']!r}, which does not stand above it in the"
                " same file; move it there"
            )
    return protocols


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
    own = {"version": 1, "about": about, "plain_label": "", **values}
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
    for key in ("subtasks", "variants"):
        if key in values:
            values[key] = tuple(values[key])
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
