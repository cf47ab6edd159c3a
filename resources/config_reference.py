"""The configuration's declarations as a page of documentation, and as a JSON schema for editors."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from resources.config import NAMED_TABLES, FileConfig, TranslationConfig, WordsConfig
from resources.config_keys import PRICE_NAMES, DeclaredKey, declared_keys, toml_value

SCHEMA_FILE = "parallax.schema.json"
_NAMES = r"^[A-Za-z0-9][A-Za-z0-9_-]*$"
_HEAD = f"""# Configuration

Made from the declarations in the code by `make docs`. Parallax reads `parallax.toml`, or the file that the
environment variable `PARALLAX_CONFIG` names; `parallax init` writes one for what you have. Relative paths
start from the folder of the file. Names of tables consist of letters, digits, `-` and `_`. A key that is not
listed here is refused.

Editors that know JSON schemas for TOML complete and check the file by [{SCHEMA_FILE}]({SCHEMA_FILE})
if its first line is `#:schema` followed by the path of the schema.
"""
_TYPES = {
    "text": "text",
    "yes_no": "true or false",
    "whole": "whole number",
    "number": "number",
    "texts": "list of texts",
    "price": "number, or table of numbers",
}


@dataclass(frozen=True, slots=True)
class Section:
    """A table of the configuration file.

    Attributes:
        name: Name of the table; empty for the top of the file.
        title: Header of the table, as the file writes it.
        about: What the table is for, in one or two sentences.
        keys: Its keys.
        named: Whether there may be several, each with a name.
    """

    name: str
    title: str
    about: str
    keys: tuple[DeclaredKey, ...]
    named: bool = False


_ABOUT = {
    "sources": "A source is a named root that holds one dataset in its layout.",
    "benchmarks": (
        "A benchmark carries the name of its folder in `assets/questions`, or of a plug-in, and draws"
        " its questions from sources; one of released questions has any name."
    ),
    "runs": "A run is a model with its settings, asked under a protocol.",
    "text_models": (
        "A text model translates or compares sentences and answers no benchmark; runs may be named in"
        " its place."
    ),
    "judges": (
        "A judge is a text model that decides whether an answer in words is right, and how good a"
        " reasoning is; benchmarks name theirs (docs/judges.md)."
    ),
    "protocols": (
        "A protocol decides what is sent of a question and how it is asked. Those of `protocols.toml`"
        " in the code are there without being written here; this table defines or derives further ones."
    ),
}


def sections() -> tuple[Section, ...]:
    """All tables of the file, in the order of the reference."""
    named = (
        Section(name, f"[{name}.<name>]", _ABOUT[name], keys(), named=True)
        for name, keys in NAMED_TABLES.items()
    )
    return (
        Section(
            "",
            "Top of the file",
            "These keys stand before the first table.",
            declared_keys(FileConfig),
        ),
        *named,
        Section(
            "translation",
            "[translation]",
            "Who translates narrations that were written in another language.",
            declared_keys(TranslationConfig),
        ),
        Section(
            "words",
            "[words]",
            "What knows words that mean the same, for comparing answers in words.",
            declared_keys(WordsConfig),
        ),
    )


def document() -> str:
    """Markdown of every key: type, default, unit, meaning and example."""
    lines = [_HEAD]
    for section in sections():
        title = f"`{section.title}`" if section.name else section.title
        lines += [f"## {title}", "", section.about, ""]
        lines += [
            "| key | type | default | unit | meaning | example |",
            "|---|---|---|---|---|---|",
        ]
        lines += [_row(key) for key in section.keys]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def schema() -> dict[str, Any]:
    """JSON schema (draft 7) of the file."""
    properties: dict[str, Any] = {}
    for section in sections():
        table = _table_schema(section.keys)
        if not section.name:
            properties |= table["properties"]
        elif section.named:
            properties[section.name] = {
                "type": "object",
                "description": section.about,
                "patternProperties": {_NAMES: table},
                "additionalProperties": False,
            }
        else:
            properties[section.name] = {"description": section.about, **table}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Parallax configuration",
        "type": "object",
        "properties": properties,
        "required": [key.name for key in declared_keys(FileConfig) if key.required],
        "additionalProperties": False,
    }


def schema_text() -> str:
    """The schema as it is committed."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def _row(key: DeclaredKey) -> str:
    example = f"`{key.name} = {toml_value(key.key.example)}`"
    cells = [f"`{key.name}`", _TYPES[key.kind], _default(key), key.key.unit, _meaning(key), example]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _default(key: DeclaredKey) -> str:
    if key.required:
        return "**required**"
    return key.key.default or f"`{toml_value(key.default)}`"


def _meaning(key: DeclaredKey) -> str:
    bounds = "; ".join(_bounds(key))
    meaning = f"{key.key.about} ({bounds})" if bounds else key.key.about
    engines = ", ".join(f"`{name}`" for name in key.key.engines)
    return f"{meaning} Engines: {engines}." if engines else meaning


def _bounds(key: DeclaredKey) -> Iterator[str]:
    declared = key.key
    if declared.one_of:
        yield "one of " + ", ".join(f"`{value}`" for value in declared.one_of)
    for sign, bound in ((">", declared.above), ("≥", declared.low), ("≤", declared.high)):
        if bound is not None:
            yield f"{sign} {bound:,.15g}"


def _table_schema(keys: Sequence[DeclaredKey]) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "type": "object",
        "properties": {key.name: _key_schema(key) for key in keys},
        "additionalProperties": False,
    }
    required = [key.name for key in keys if key.required]
    return {**entry, "required": required} if required else entry


def _key_schema(key: DeclaredKey) -> dict[str, Any]:
    declared = key.key
    entry: dict[str, Any] = {"description": declared.about}
    if key.kind == "texts":
        entry |= {"type": "array", "items": {"type": "string"}, "uniqueItems": True}
    elif key.kind == "price":
        price = {"type": "number", "minimum": 0}
        table = {
            "type": "object",
            "properties": dict.fromkeys(PRICE_NAMES, price),
            "required": list(PRICE_NAMES[:2]),
            "additionalProperties": False,
        }
        entry["oneOf"] = [price, table]
    else:
        types = {"text": "string", "yes_no": "boolean", "whole": "integer", "number": "number"}
        entry["type"] = types[key.kind]
    if declared.one_of:
        entry["enum"] = list(declared.one_of)
    if declared.pattern:
        # Expressions of JSON schemas match anywhere, and know no flags inside.
        entry["pattern"] = f"^(?:{declared.pattern.removeprefix('(?s)')})$"
    for name, bound in (
        ("minimum", declared.low),
        ("maximum", declared.high),
        ("exclusiveMinimum", declared.above),
    ):
        if bound is not None:
            entry[name] = bound
    if not key.required and not declared.default and key.default is not None:
        default = key.default
        entry["default"] = list(default) if isinstance(default, tuple) else default
    entry["examples"] = [declared.example]
    return entry
