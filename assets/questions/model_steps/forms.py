"""What a model is asked, and how its reply becomes a value: a prompt, a reader and a JSON schema.

A reply is used as it came or not at all: nothing is repaired or guessed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from expectations.schemas.identity import canonical_json, digest
from resources.models.prompt import Clip, Request, TextWithClips

# Prompts are plain text: escaping would change what a model reads.
_PLAIN = jinja2.Environment(
    undefined=jinja2.StrictUndefined,
    autoescape=False,  # noqa: S701
    trim_blocks=True,
    lstrip_blocks=True,
)
_SHOWN_CHARS = 120
_FENCE = re.compile(r"```(?:json)?", re.IGNORECASE)
# "B", "B.", "(B)", "The answer is: B", "Answer: **B**", "B. She opens the door"; a sentence that begins
# with the article "A" names no letter.
_LETTER = re.compile(
    r"\s*(?:(?i:the )?(?i:(?:most likely )?(?:correct )?(?:answer|option))(?i: is)?)?[\s:*(\[\"']*"
    r"(?P<letter>[A-T])(?:[.:)\]*\"']|\s*$)"
)
_NUMBERED = re.compile(r"^\s*(?:[-*•]|\(?\d+[.):]|[A-Da-d][.):])\s*")
_QUOTES = "\"'“”‘’`*"


class Unsound(Exception):
    """A reply that no question can be made of.

    Attributes:
        rule: Short name of what it breaks.
        message: What was found, with the value.
    """

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message


def prompt(module_file: str, name: str) -> str:
    """Text of a prompt with its variables: a Jinja template in a folder beside a module.

    Args:
        module_file: `__file__` of the module.
        name: Its place beside the module, as `figures/figure_10.j2`.
    """
    return (Path(module_file).parent / name).read_text(encoding="utf-8")


@cache
def _compiled(text: str) -> jinja2.Template:
    return _PLAIN.from_string(text)


@dataclass(frozen=True, slots=True)
class Form:
    """One thing that a model is asked.

    Attributes:
        name: Name, with the benchmark's before it; its calls are kept under it.
        printed: Where the prompt is published; "own wording" where it is ours.
        version: Raised when the same text would be asked for differently.
        prompt: The prompt, a Jinja template; rendering it without a value it names is an error.
        read: Value that a reply's text stands for; raises `Unsound` where it stands for none.
        schema: JSON schema of that value (draft 2020-12).
        max_tokens: Longest reply.
        short_side_px: Frames that are shown with it are scaled down to this short side; None keeps the
            stored size.
        encoding: What these frames are handed over as (`rgb`, `jpeg-90`).
    """

    name: str
    printed: str
    version: int
    prompt: str
    read: Callable[[str], Any]
    schema: Mapping[str, Any]
    max_tokens: int = 512
    short_side_px: int | None = None
    encoding: str = "jpeg-90"

    def text(self, variables: Mapping[str, Any]) -> str:
        """The prompt about something."""
        return _compiled(self.prompt).render(**variables).strip()

    def request(self, variables: Mapping[str, Any], clips: tuple[Clip, ...] = ()) -> Request:
        """The prompt about something, with clips shown before it."""
        text = self.text(variables)
        if not clips:
            return text
        return TextWithClips(text, clips, self.short_side_px, self.encoding)

    @property
    def identity(self) -> str:
        """What decides its prompts and values beside what is asked about and the code that reads."""
        return digest(
            [self.name, str(self.version), self.prompt, canonical_json(dict(self.schema))]
        )

    def value(self, reply: str) -> Any:
        """Value of a reply.

        Raises:
            Unsound: The reply has none, or one that the schema refuses.
        """
        value = self.read(reply)
        # Imported here: `parallax status` reads the declarations alone.
        from jsonschema import Draft202012Validator
        from jsonschema.exceptions import best_match

        error = best_match(Draft202012Validator(dict(self.schema)).iter_errors(value))
        if error is not None:
            where = ".".join(str(part) for part in error.absolute_path)
            raise Unsound("schema", f"{where or 'the reply'}: {_short(error.message)}")
        return value


def json_object(reply: str) -> dict[str, Any]:
    """The first JSON object of a reply; marks of code around it and what follows it do not count.

    Raises:
        Unsound: There is none.
    """
    text = _FENCE.sub("", reply)
    start = text.find("{")
    if start < 0:
        raise Unsound("no_json", f"the reply holds no JSON object: {_short(reply)!r}")
    try:
        value, _ = json.JSONDecoder().raw_decode(text, start)
    except (json.JSONDecodeError, RecursionError) as error:
        raise Unsound("invalid_json", f"the reply's JSON cannot be read: {error}") from error
    return value


def lines(reply: str) -> list[str]:
    """Lines of a reply that hold words, without numbers, bullets and quotation marks around them."""
    found = (_NUMBERED.sub("", line).strip().strip(_QUOTES).strip() for line in reply.splitlines())
    return [line for line in found if line]


def one_line(reply: str) -> str:
    """The only line of a reply.

    Raises:
        Unsound: There is none, or more than one.
    """
    found = lines(reply)
    if len(found) != 1:
        raise Unsound("not_one_line", f"the reply has {len(found)} lines: {_short(reply)!r}")
    return found[0]


def true_or_false(reply: str) -> bool:
    """What a reply says first.

    Raises:
        Unsound: Neither true nor false.
    """
    first = re.match(
        r"[\s\"'*`.]*(?:the answer is)?[\s:\"'*`]*(true|false)\b", reply, re.IGNORECASE
    )
    if first is None:
        raise Unsound(
            "not_true_or_false", f"the reply is neither true nor false: {_short(reply)!r}"
        )
    return first[1].casefold() == "true"


def letter(reply: str) -> str:
    """Letter of the option that a reply names first.

    Raises:
        Unsound: It begins with no letter.
    """
    found = _LETTER.match(reply)
    if found is None:
        raise Unsound("no_letter", f"the reply names no option: {_short(reply)!r}")
    return found["letter"]


def four_options(value: Mapping[str, Any]) -> tuple[str, str, list[str]]:
    """Question, right option and the other three of an object in the form of `QUESTION_SCHEMA`.

    Raises:
        Unsound: Two options say the same.
    """
    options = {key: " ".join(text.split()) for key, text in value["Options"].items()}
    said = [" ".join(re.findall(r"\w+", text.casefold())) for text in options.values()]
    if len(set(said)) != len(said):
        raise Unsound("equal_options", f"two options say the same: {_short(' | '.join(said))}")
    right = options.pop(value["Answer"])
    return " ".join(value["Question"].split()), right, list(options.values())


_WORDS = {"type": "string", "pattern": r"\w", "maxLength": 600}
QUESTION_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "required": ["Question", "Options", "Answer"],
    "properties": {
        "Question": _WORDS,
        "Options": {
            "type": "object",
            "required": ["A", "B", "C", "D"],
            "additionalProperties": False,
            "properties": dict.fromkeys("ABCD", _WORDS),
        },
        "Answer": {"enum": ["A", "B", "C", "D"]},
    },
}
"""A question with four options and the letter of the right one, as Figures 10 and 15 ask for it."""


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN_CHARS else text[: _SHOWN_CHARS - 3] + "..."
