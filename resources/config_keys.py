"""Keys of the configuration as declarations: type, bounds, unit, example and one plain sentence.

A table of `parallax.toml` is a dataclass. Each field that a person may set carries a `Key` in its
annotation; its default is that of the field. Reading, the reference in `docs/configuration.md` and the
JSON schema for editors all follow from these declarations.
"""

from __future__ import annotations

import json
import math
import re
import types
import typing
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import Any, Literal

from resources.errors import ExpectedError, suggestion
from resources.texts import printable

Kind = Literal["text", "yes_no", "whole", "number", "texts", "price"]
_KINDS: dict[Any, Kind] = {str: "text", bool: "yes_no", int: "whole", float: "number"}
PRICE_NAMES = ("prompt", "completion", "cached")
"""What a price may be stated for: tokens read, tokens written, tokens read from a server's cache."""
_LONGEST_SHOWN = 80


class ConfigError(ExpectedError, ValueError):
    """The configuration cannot be used; the message names file, key, value, rule and remedy."""


@dataclass(frozen=True, slots=True)
class Key:
    """What is declared of a key beside its type and default.

    Attributes:
        about: What it does, in one sentence for the reference.
        example: Value for the reference.
        unit: Unit of a number, or what is counted.
        low: Least value.
        high: Greatest value.
        above: Bound that a value must exceed.
        one_of: The only values of a text.
        pattern: Regular expression that a whole text matches.
        shape: What `pattern` demands, in words that follow "is not".
        default: What an absent key means, where the field's default does not say it.
        kind: Type in the file where it differs from the field's.
        secret: Whether a wrong value may be a secret, so that messages do not repeat it.
        engines: Of a run's settings: the built-in engines that use it, an engine of two ways as `vllm`
            or `vllm with python`; empty for all. Those of plug-ins may use any.
    """

    about: str
    example: Any
    unit: str = ""
    low: float | None = None
    high: float | None = None
    above: float | None = None
    one_of: tuple[str, ...] = ()
    pattern: str = ""
    shape: str = ""
    default: str = ""
    kind: Kind | None = None
    secret: bool = False
    engines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DeclaredKey:
    """A key with all that is declared of it.

    Attributes:
        name: Name in the file.
        kind: Type in the file.
        key: Further declarations.
        required: Whether it must be set.
        default: Value of an absent key that is not required.
    """

    name: str
    kind: Kind
    key: Key
    required: bool
    default: Any = None

    @property
    def accepts(self) -> str:
        """Which values are valid, in words."""
        key = self.key
        if key.shape:
            return key.shape
        if key.one_of:
            return f"one of {listed(key.one_of)}"
        words = {
            "text": "a text in quotes",
            "yes_no": "true or false",
            "whole": "a whole number",
            "number": "a number",
            "texts": "a list of different texts in quotes",
            "price": "a number of at least 0, or a table `{ prompt = ..., completion = ... }` of such"
            " numbers (`cached` may be a third)",
        }[self.kind]
        if key.above is not None:
            words += f" above {key.above:g}"
        if key.low is not None and key.high is not None:
            return f"{words} from {key.low:g} to {key.high:g}"
        if key.low is not None:
            return f"{words} of at least {key.low:g}"
        return words if key.high is None else f"{words} of at most {key.high:g}"

    @property
    def remedy(self) -> str:
        """How a wrong or missing value is corrected."""
        example = f"write for example `{self.name} = {toml_value(self.key.example)}`"
        return example if self.required else f"{example}, or leave it out"

    def is_default(self, value: Any) -> bool:
        """Whether a value is that of an absent key, and of its type (0 is not false)."""
        return type(value) is type(self.default) and value == self.default

    def is_valid(self, value: Any) -> bool:
        """Whether a value as TOML gives it is valid."""
        key = self.key
        if self.kind == "texts":
            texts = list(value) if isinstance(value, list | tuple) else None
            return texts is not None and _are_different_texts(texts)
        if self.kind == "text":
            known = not key.one_of or value in key.one_of
            return (
                isinstance(value, str)
                and known
                and (not key.pattern or re.fullmatch(key.pattern, value) is not None)
            )
        if self.kind == "yes_no":
            return type(value) is bool
        if self.kind == "price":
            return is_price(value)
        if type(value) is not int and (self.kind == "whole" or type(value) is not float):
            return False
        return (
            math.isfinite(value)
            and (key.low is None or value >= key.low)
            and (key.high is None or value <= key.high)
            and (key.above is None or value > key.above)
        )


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with one key of a table.

    Attributes:
        name: Name of the key.
        rule: The value, where it may be shown, and the rule it breaks.
        remedy: What to write.
    """

    name: str
    rule: str
    remedy: str


@cache
def declared_keys(table: type) -> tuple[DeclaredKey, ...]:
    """Keys that a dataclass declares, in the order of its fields.

    Args:
        table: Dataclass; fields whose annotation holds no `Key` cannot be set in the file.

    Raises:
        TypeError: A field has a type that the file cannot hold, and its `Key` names no kind.
    """
    hints = typing.get_type_hints(table, include_extras=True)
    declared: list[DeclaredKey] = []
    for field in fields(table):
        hint = hints[field.name]
        declarations = [
            extra for extra in getattr(hint, "__metadata__", ()) if isinstance(extra, Key)
        ]
        if not declarations:
            continue
        required = field.default is MISSING and field.default_factory is MISSING
        default = None if required else field.default
        kind = declarations[0].kind or _kind(table, field.name, hint.__origin__)
        declared.append(DeclaredKey(field.name, kind, declarations[0], required, default))
    return tuple(declared)


def table_faults(keys: Collection[DeclaredKey], table: Mapping[str, Any]) -> Iterator[Fault]:
    """What is wrong with a table: unknown keys first, then missing and wrong ones.

    Args:
        keys: Keys of the table.
        table: Values by name, as TOML gives them.
    """
    known = [key.name for key in keys]
    for name in table:
        if name not in known:
            # The value is not shown: it may be a key that somebody put into the file.
            yield Fault(name, "is not a known key", suggestion(name, known))
    for key in keys:
        if key.name in table:
            value = table[key.name]
            if not key.is_valid(value):
                shown = "has a value that" if key.key.secret else f"= {toml_value(value)}"
                yield Fault(key.name, f"{shown} is not {key.accepts}", key.remedy)
        elif key.required:
            yield Fault(key.name, "is missing", key.remedy)


def check_fields(instance: Any, who: str) -> None:
    """Check the values of a dataclass instance against its declarations.

    Args:
        instance: Instance; fields that hold their default are valid.
        who: What the message calls it.

    Raises:
        ValueError: A value breaks a declared rule; the message is one sentence.
    """
    keys = [k for k in declared_keys(type(instance)) if k.key.kind is None]
    values = {key.name: getattr(instance, key.name) for key in keys}
    set_values = {
        k.name: values[k.name] for k in keys if k.required or not k.is_default(values[k.name])
    }
    for fault in table_faults(keys, set_values):
        raise ValueError(f"{who}: {fault.name} {fault.rule}; {fault.remedy}")


def listed(names: Collection[str]) -> str:
    """Names in backticks, separated by commas."""
    return ", ".join(f"`{printable(name)}`" for name in names)


def in_words(names: Sequence[str]) -> str:
    """Names in a sentence: `a`, `a and b`, `a, b and c`.

    Raises:
        ValueError: There are none.
    """
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def toml_value(value: Any) -> str:
    """A value as one would write it in TOML, on one line and not longer than a message can bear."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _bounded(toml_text(value))
    if isinstance(value, Mapping):
        if not all(type(one) in (int, float) for one in value.values()):
            return "{ ... }"
        pairs = (f"{name} = {one}" for name, one in value.items())
        return _bounded(f"{{ {', '.join(pairs)} }}")
    if isinstance(value, list | tuple):
        return _bounded(f"[{', '.join(map(toml_value, value))}]")
    return _bounded(str(value))


def toml_text(text: str) -> str:
    """A text as TOML writes it in one line, whatever its characters.

    Args:
        text: Any Unicode text; TOML holds no halves of surrogate pairs.
    """
    # TOML's escapes are those of JSON, and a long form for what lies beyond four digits.
    return "".join(
        c if c.isprintable() else f"\\u{ord(c):04x}" if ord(c) < 2**16 else f"\\U{ord(c):08x}"
        for c in json.dumps(text, ensure_ascii=False)
    )


def _bounded(text: str) -> str:
    text = printable(text)
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "..."


def is_price(value: Any) -> bool:
    """Whether a value as TOML gives it states prices: a number, or a table of them by name."""
    if isinstance(value, Mapping):
        return set(PRICE_NAMES[:2]) <= value.keys() <= set(PRICE_NAMES) and all(
            not isinstance(price, Mapping) and is_price(price) for price in value.values()
        )
    return type(value) in (int, float) and 0 <= value < math.inf


def _are_different_texts(values: list[Any]) -> bool:
    return all(isinstance(value, str) for value in values) and len(set(values)) == len(values)


def _kind(table: type, name: str, hint: Any) -> Kind:
    if isinstance(hint, types.UnionType):
        (hint,) = (one for one in hint.__args__ if one is not types.NoneType)
    if typing.get_origin(hint) is tuple:
        return "texts"
    if typing.get_origin(hint) is Literal:
        return "text"
    if hint not in _KINDS:
        raise TypeError(f"{table.__name__}.{name}: no key of the configuration has type {hint}")
    return _KINDS[hint]
