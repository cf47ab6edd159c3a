"""What knows synonyms of the words of a source: classes of its vocabularies, and WordNet where it is configured."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from assets.words.matching import Synonyms, class_map
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from resources.config import Settings
from resources.wordnet import open_wordnet, wordnet_version

READS = {"taxonomies": ("taxonomy", "class_id", "label", "terms")}


def synonyms(settings: Settings, sources: Iterable[str]) -> dict[str, Synonyms]:
    """Synonyms of each source.

    Args:
        settings: Configuration with the store of their vocabularies.
        sources: Sources.
    """
    folder = settings.words.wordnet
    thesaurus = open_wordnet(Path(folder)) if folder else None
    return {
        source: Synonyms(class_map(_terms(settings, source)), thesaurus)
        for source in sorted(set(sources))
    }


def synonym_versions(settings: Settings, sources: Iterable[str]) -> dict[str, str]:
    """Digest of what knows synonyms of each source."""
    folder = settings.words.wordnet
    version = wordnet_version(Path(folder)) if folder else ""
    return {
        source: digest([repr(_terms(settings, source)), version]) for source in sorted(set(sources))
    }


def _terms(settings: Settings, source: str) -> dict[str, list[str]]:
    """Terms of each class of a source's vocabularies."""
    columns = READS["taxonomies"]
    rows = settings.store.read(TABLES["taxonomies"], source, columns=columns)
    return {
        f"{taxonomy} {class_id}": [label, *(terms or ())]
        for taxonomy, class_id, label, terms in rows.select(columns)
        .sort("taxonomy", "class_id")
        .iter_rows()
    }
