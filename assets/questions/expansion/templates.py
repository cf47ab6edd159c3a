"""Plain templates of recipes: the block `question` of each recipe's file, with its slots in braces.

A block with conditions (`{% if hand %}'s {{ hand }} hand{% endif %}`) is several templates, one for each way
they can turn out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jinja2
from jinja2 import nodes

from expectations.schemas.identity import stable_hash

SLOT = re.compile(r"\{([a-z_]+)\}")
_SYNTAX = jinja2.Environment(autoescape=False, trim_blocks=True, lstrip_blocks=True)  # noqa: S701
_NUMBER = r"\d+(?:\.\d+)?"


@dataclass(frozen=True, slots=True)
class Template:
    """A plain template.

    Attributes:
        text: Its words, with slots in braces: `At what time does '{action}' begin?`.
        recipes: Recipes that ask in it, without versions, ascending.
    """

    text: str
    recipes: tuple[str, ...]

    def id(self, benchmark: str) -> str:
        """Hash of benchmark and text."""
        return stable_hash("template", benchmark, self.text)


def slots(text: str) -> list[str]:
    """Names of the slots of a template or rewording, in order; one that stands twice is named twice."""
    return SLOT.findall(text)


def own_words(text: str) -> str:
    """Words of a template or rewording apart from its slots, for each of which a sign of omission stands."""
    return SLOT.sub(" \N{HORIZONTAL ELLIPSIS} ", text)


def is_number(slot: str) -> bool:
    """Whether a slot holds a number: a time (`at_s`) or a count (`n_kinds`)."""
    return slot.endswith("_s") or slot.startswith("n_")


def filled(text: str, values: Mapping[str, str]) -> str:
    """A template or rewording with values in its slots.

    Raises:
        KeyError: A slot has no value.
    """
    return SLOT.sub(lambda slot: values[slot[1]], text)


def read(template: str, question: str) -> dict[str, str] | None:
    """Value of each slot of a template in a question; None for a question in other words.

    A question that can be divided among the slots in several ways is not read either.
    """
    ways = [re.fullmatch(_pattern(template, repeat), question) for repeat in ("+?", "+")]
    values = [way.groupdict() for way in ways if way is not None]
    return values[0] if len(values) == 2 and values[0] == values[1] else None


@cache
def _pattern(template: str, repeat: str) -> str:
    known: set[str] = set()
    pattern = ""
    for place, part in enumerate(SLOT.split(template)):
        if place % 2 == 0:
            pattern += re.escape(part)
        elif part in known:
            pattern += f"(?P={part})"
        else:
            known.add(part)
            pattern += f"(?P<{part}>{_NUMBER if is_number(part) else '[^?{}]' + repeat})"
    return pattern


def templates(files: Mapping[str, Path]) -> tuple[Template, ...]:
    """Plain templates of recipes, by text; recipes that ask in the same words share one.

    Args:
        files: Template file of each recipe.

    Raises:
        ValueError: A block holds something else than text, slots and conditions.
    """
    recipes: dict[str, list[str]] = {}
    for recipe, path in sorted(files.items()):
        for text in plain_texts(path):
            recipes.setdefault(text, []).append(recipe)
    return tuple(Template(text, tuple(of)) for text, of in sorted(recipes.items()))


def plain_texts(path: Path) -> tuple[str, ...]:
    """Texts of the block `question` of a recipe's file, one for each way its conditions can turn out.

    Raises:
        ValueError: The block holds something else than text, slots and conditions.
    """
    return _plain_texts(path.name, path.read_text(encoding="utf-8"))


@cache
def _plain_texts(name: str, source: str) -> tuple[str, ...]:
    blocks = [b for b in _SYNTAX.parse(source).find_all(nodes.Block) if b.name == "question"]
    texts = [text for block in blocks for text in _ways(name, block.body)]
    return tuple(dict.fromkeys(" ".join(text.split()) for text in texts))


def _ways(name: str, body: Iterable[nodes.Node]) -> list[str]:
    texts = [""]
    for node in body:
        if isinstance(node, nodes.If) and not node.elif_:
            ways = [*_ways(name, node.body), *_ways(name, node.else_)]
        elif isinstance(node, nodes.Output):
            ways = ["".join(_part(name, item) for item in node.nodes)]
        else:
            raise ValueError(
                f"{name}: the block question holds {type(node).__name__}; its templates have text, slots"
                " and conditions alone"
            )
        texts = [text + way for text in texts for way in ways]
    return texts


def _part(name: str, item: nodes.Node) -> str:
    if isinstance(item, nodes.TemplateData):
        return item.data
    if isinstance(item, nodes.Filter) and item.name == "format" and len(item.args) == 1:
        item = item.args[0]
    if isinstance(item, nodes.Name):
        return f"{{{item.name}}}"
    if isinstance(item, nodes.Getattr):
        return f"{{{item.attr}}}"
    raise ValueError(
        f"{name}: the block question prints {type(item).__name__}; its slots are names"
    )
