"""The reference of the configuration: as committed, complete, and of one mind with the reader."""

from __future__ import annotations

import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from resources.config import (
    BenchmarkConfig,
    FileConfig,
    JudgeConfig,
    SourceConfig,
    TranslationConfig,
    judge_keys,
)
from resources.config_keys import declared_keys
from resources.config_reference import SCHEMA_FILE, document, schema, schema_text, sections
from resources.models.runs import RunConfig

HOME = Path(__file__).parents[2]
KEYS = [(section.title, key) for section in sections() for key in section.keys]


@pytest.mark.parametrize(
    ("name", "made"), [("configuration.md", document), (SCHEMA_FILE, schema_text)]
)
def test_the_committed_reference_is_what_the_code_declares(name: str, made: Any) -> None:
    committed = (HOME / "docs" / name).read_text(encoding="utf-8")
    assert committed == made(), "run `make docs`"


def test_every_setting_is_declared() -> None:
    for table in (FileConfig, SourceConfig, BenchmarkConfig, RunConfig, TranslationConfig):
        settings = {field.name for field in fields(table)} - {"name"}
        assert {key.name for key in declared_keys(table)} == settings
    assert {key.name for key in declared_keys(JudgeConfig)} == {"mode"}
    assert {"engine", "auto", "mode"} < {key.name for key in judge_keys()}


def test_every_key_has_a_sentence_a_valid_example_and_a_default() -> None:
    for title, key in KEYS:
        assert key.key.about.endswith("."), (title, key.name)
        assert key.is_valid(key.key.example), (title, key.name)
        has_default = key.key.default or key.default is not None
        assert key.required or has_default, (title, key.name)


@pytest.mark.parametrize("name", ["parallax.toml", "demo-all.toml"])
def test_the_schema_accepts_the_configurations_of_the_demonstrations(name: str) -> None:
    jsonschema.Draft7Validator.check_schema(schema())
    jsonschema.validate(tomllib.loads((HOME / name).read_text(encoding="utf-8")), schema())


@pytest.mark.parametrize(
    "table",
    [
        {"limit": 0},
        {"limit": 1.5},
        {"auto": "yes"},
        {"temperature": 3},
        {"api_key_env": "sk-1"},
        {"subtasks": ["a", "a"]},
        {"temprature": 1},
    ],
)
def test_the_schema_rejects_what_the_reader_rejects(table: dict[str, Any]) -> None:
    run = {"engine": "random", "protocol": "own"}
    good = {"store": "x", "runs": {"r": run}}
    jsonschema.validate(good, schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**good, "runs": {"r": {**run, **table}}}, schema())
    assert not all(
        any(key.name == name and key.is_valid(value) for key in declared_keys(RunConfig))
        for name, value in table.items()
    )
