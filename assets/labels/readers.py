"""Which readers read the narrations of a source: the one with its vocabulary, the open one, or both."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from assets.labels.open.model import ParserUnavailableError, parser_version
from assets.stage import Inputs
from expectations.schemas import TABLES
from expectations.schemas.labels import BOTH, OPEN, VOCABULARY

NOT_INSTALLED = "not installed"


class Readers(NamedTuple):
    """How a source's narrations are read.

    Attributes:
        vocabulary: Whether its vocabulary's reader reads them.
        parser: Package and version of the parser that the open reader uses; `NOT_INSTALLED` where it
            would read them if it were; empty where it is not asked.
    """

    vocabulary: bool
    parser: str

    @property
    def is_open(self) -> bool:
        """Whether the open reader reads them."""
        return self.parser not in ("", NOT_INSTALLED)


def choose_readers(chosen: str, classes_verbs: bool, parser: str | None) -> Readers:
    """Readers of a source.

    Where nothing is configured, the vocabulary decides, and the open reader reads sources whose
    taxonomies name no verbs.

    Args:
        chosen: `vocabulary`, `open` or `both`; empty where nothing is configured.
        classes_verbs: Whether the source has a taxonomy of verbs.
        parser: Version of the installed parser; None if there is none.
    """
    asked = chosen in (OPEN, BOTH) or not (chosen or classes_verbs)
    return Readers(chosen != OPEN, (parser or NOT_INSTALLED) if asked else "")


def readers_of(inputs: Inputs) -> Readers:
    """Readers of the source that is the partition.

    Raises:
        ParserUnavailableError: The configuration asks for the open reader, and it is not installed.
    """
    source = inputs.settings.sources[inputs.partition]
    classes_verbs = "verb" in inputs.units_with_rows("taxonomies")
    readers = choose_readers(source.narrations, classes_verbs, None)
    if not readers.parser or not _is_narrated(inputs):
        return readers._replace(parser="")
    try:
        return readers._replace(parser=parser_version(source.parser))
    except ParserUnavailableError as missing:
        if not source.narrations:
            return readers
        raise ParserUnavailableError(
            f"{missing}, or set narrations of source {source.name} to {VOCABULARY}"
        ) from missing


def note(inputs: Inputs) -> str:
    """What people should know about narrations that are not parsed; empty where none is left out."""
    if readers_of(inputs).parser != NOT_INSTALLED:
        return ""
    source = inputs.settings.sources[inputs.partition]
    return (
        f"narrations of {source.name} are not parsed, because it has no taxonomy of verbs and spaCy with"
        f" its model {source.parser} is not installed: install the extra `words`, or set narrations of"
        f" source {source.name} to {VOCABULARY}"
    )


def _is_narrated(inputs: Inputs) -> bool:
    """Whether any segment has a narration, as given or translated."""
    if inputs.units_with_rows("translations"):
        return True
    rows = inputs.store.scan(TABLES["segments"], inputs.partition, columns=("narration",))
    return bool(rows.select(pl.col("narration").is_not_null().any()).collect().item())
