"""Wordings of released questions: templates that are rendered from slots and parsed back into them.

A released wording is a block of a template that holds text and slots alone:

- `{{ "%.2f" | format(start_s) }}`: a number with this many decimals;
- `{{ at_s }}`, where the name ends in `_s`: a number as Python prints it, `5` or `10.5`;
- `{{ n_kinds }}`, where the name starts with `n_`: a whole number;
- `{{ verb }}` and others of `ONE_WORD`: one word;
- any other name: one or several words of letters and hyphens.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import jinja2
from jinja2 import nodes

Value = str | int | float
ONE_WORD: Final = frozenset({"verb", "hand", "ordinal", "animal"})
_WORD: Final = "[A-Za-z-]+"
_DECIMALS = re.compile(r"%\.(\d)f")
_SYNTAX = jinja2.Environment(autoescape=False, trim_blocks=True, lstrip_blocks=True)  # noqa: S701


@dataclass(frozen=True, slots=True)
class _Slot:
    """A place for a value.

    Attributes:
        name: Name of the value.
        decimals: Decimals of a number; None for a value that is printed as it is.
    """

    name: str
    decimals: int | None = None

    def pattern(self, repeat: str) -> str:
        """Regular expression of its texts; words are repeated greedily (`*`) or not (`*?`)."""
        if self.decimals is not None:
            return rf"\d+\.\d{{{self.decimals}}}" if self.decimals else r"\d+"
        if self.name.endswith("_s"):
            return r"\d+(?:\.\d+)?"
        if self.name.startswith("n_"):
            return r"\d+"
        return _WORD if self.name in ONE_WORD else rf"{_WORD}(?: {_WORD}){repeat}"

    def parse(self, text: str) -> Value:
        """The value of a text that fits the pattern."""
        if self.decimals is not None or self.name.endswith("_s"):
            return float(text) if "." in text else int(text)
        return int(text) if self.name.startswith("n_") else text

    def render(self, value: Value) -> str:
        """The text of a value."""
        return str(value) if self.decimals is None else f"%.{self.decimals}f" % value


@dataclass(frozen=True, slots=True)
class Wording:
    """A wording with slots.

    Attributes:
        name: Block of the template it is.
        parts: Texts and slots in order.
    """

    name: str
    parts: tuple[str | _Slot, ...]

    @property
    def slots(self) -> tuple[str, ...]:
        """Names of its slots, in order."""
        return tuple(part.name for part in self.parts if isinstance(part, _Slot))

    def parse(self, text: str) -> dict[str, Value] | None:
        """Value of each slot; None for a text of another wording.

        Raises:
            ValueError: The text can be divided among the slots in several ways.
        """
        short, long = (re.fullmatch(self._pattern(repeat), text) for repeat in ("*?", "*"))
        if short is None or long is None:
            return None
        if short.groupdict() != long.groupdict():
            raise ValueError(
                f"{text!r} fits {self.name} in several ways: {short.groupdict()} and"
                f" {long.groupdict()}; make one of the slots a single word"
            )
        read = {part.name: part for part in self.parts if isinstance(part, _Slot)}
        return {name: read[name].parse(said) for name, said in short.groupdict().items()}

    def render(self, values: Mapping[str, Value]) -> str:
        """The text with these values in its slots.

        Raises:
            KeyError: A slot has no value.
        """
        return "".join(
            part.render(values[part.name]) if isinstance(part, _Slot) else part
            for part in self.parts
        )

    def _pattern(self, repeat: str) -> str:
        known: set[str] = set()
        pattern = ""
        for part in self.parts:
            if isinstance(part, str):
                pattern += re.escape(part)
            elif part.name in known:
                pattern += f"(?P={part.name})"
            else:
                known.add(part.name)
                pattern += f"(?P<{part.name}>{part.pattern(repeat)})"
        return pattern


def wordings(path: Path, prefix: str) -> tuple[Wording, ...]:
    """Wordings of a template: its blocks whose name starts with a prefix, in order.

    Args:
        path: The template.
        prefix: Start of the names, as `released_` or `option_`.

    Raises:
        ValueError: A block holds something else than text and slots.
    """
    tree = _SYNTAX.parse(path.read_text(encoding="utf-8"))
    blocks = (block for block in tree.find_all(nodes.Block) if block.name.startswith(prefix))
    return tuple(_wording(path, block) for block in blocks)


def wording(module_file: str, name: str, block: str) -> Wording:
    """One wording of a template that lies beside a module.

    Args:
        module_file: `__file__` of the module.
        name: Path of the template from the module's folder; written out, so that the code version covers
            its content.
        block: Name of the block that is the wording.

    Raises:
        ValueError: The template has no such block, or the block holds something else than text and slots.
    """
    path = Path(module_file).parent / name
    found = [one for one in wordings(path, block) if one.name == block]
    if not found:
        raise ValueError(f"{name} has no block {block}; add it, or name one of its blocks")
    return found[0]


def _wording(path: Path, block: nodes.Block) -> Wording:
    parts: list[str | _Slot] = []
    for node in block.body:
        for item in node.nodes if isinstance(node, nodes.Output) else [node]:
            part = _part(item)
            if part is None:
                raise ValueError(
                    f"{path.name}: block {block.name} holds {type(item).__name__}; a released wording"
                    " holds text and slots alone"
                )
            parts.append(part)
    # As `Recipe` renders a block: without the lines' ends around it.
    if parts and isinstance(parts[0], str):
        parts[0] = parts[0].lstrip()
    if parts and isinstance(parts[-1], str):
        parts[-1] = parts[-1].rstrip()
    return Wording(block.name, tuple(part for part in parts if part != ""))


def _part(item: Any) -> str | _Slot | None:
    if isinstance(item, nodes.TemplateData):
        return item.data
    if isinstance(item, nodes.Name):
        return _Slot(item.name)
    if isinstance(item, nodes.Filter) and item.name == "format":
        (form, values) = item.node, item.args
        match = _DECIMALS.fullmatch(form.value) if isinstance(form, nodes.Const) else None
        if match and len(values) == 1 and isinstance(values[0], nodes.Name):
            return _Slot(values[0].name, int(match[1]))
    return None
