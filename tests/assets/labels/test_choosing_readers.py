"""Who reads the narrations of a source, and that the table has room for all that readers write."""

from __future__ import annotations

import pytest

from assets.labels.open.body_parts import PARTS
from assets.labels.open.model import DEFAULT_MODEL
from assets.labels.open.people import NOBODY
from assets.labels.readers import NOT_INSTALLED, Readers, choose_readers
from expectations.schemas import labels as schema


@pytest.mark.parametrize(
    ("chosen", "classes_verbs", "installed", "expected"),
    [
        # Nothing configured: the vocabulary, and a parse where there are no verb classes.
        ("", True, "v1", Readers(True, "")),
        ("", True, None, Readers(True, "")),
        ("", False, "v1", Readers(True, "v1")),
        ("", False, None, Readers(True, NOT_INSTALLED)),
        ("vocabulary", False, "v1", Readers(True, "")),
        ("vocabulary", True, "v1", Readers(True, "")),
        ("both", True, "v1", Readers(True, "v1")),
        ("open", True, "v1", Readers(False, "v1")),
        ("open", False, "v1", Readers(False, "v1")),
    ],
)
def test_readers(
    chosen: str, classes_verbs: bool, installed: str | None, expected: Readers
) -> None:
    assert choose_readers(chosen, classes_verbs, installed) == expected


def test_a_parser_that_is_not_installed_reads_nothing() -> None:
    assert not choose_readers("", False, None).is_open
    assert choose_readers("", False, "v1").is_open


def test_the_configured_default_is_the_readers_own() -> None:
    assert schema.PARSER == DEFAULT_MODEL
    assert schema.NOBODY == NOBODY


def test_the_table_has_a_name_for_every_part_of_the_body() -> None:
    bare = {part for part in PARTS.values() if part not in ("hand", "foot")}
    sided = {f"{side}_{part}" for side in ("left", "right", "unspecified") for part in ("hand", "foot")}  # fmt: skip
    assert set(schema.BODY_PARTS) == bare | sided | {"both_hands", "feet", "none"}
