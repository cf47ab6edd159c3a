"""WordNet's synsets out of a folder in its own file format, read through NLTK.

Debian's package `wordnet-base` installs such a folder (/usr/share/wordnet): `index.*`, `data.*` and `*.exc` of
nouns, verbs, adjectives and adverbs. NLTK expects files beside them that synonyms do not need, and that the
package does not have: `lexnames`, whose names are replaced by numbers, and `index.sense`, which is not read.
"""

from __future__ import annotations

import io
import warnings
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from resources.errors import ExpectedError

PARTS_OF_SPEECH = ("noun", "verb", "adj", "adv")
FILES = tuple(f"{kind}.{pos}" for kind in ("index", "data") for pos in PARTS_OF_SPEECH) + tuple(
    f"{pos}.exc" for pos in PARTS_OF_SPEECH
)
"""Files that a folder of WordNet must have."""
REMEDY = "install Debian's package `wordnet-base` and name /usr/share/wordnet, or leave the key out"
_LEXICOGRAPHER_FILES = 45
_TAGS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}


class WordNetUnavailable(ExpectedError, ValueError):
    """A folder is not one of WordNet; the message says what is missing."""


class WordNet:
    """Synonyms by WordNet.

    Two terms mean the same if their first, most frequent sense is one synset in some part of speech. Further
    senses do not count: by these, a cup is a prize and a pan a critique. Nor do broader and narrower terms.
    """

    def __init__(self, folder: Path) -> None:
        check_folder(folder)
        self._folder = folder

    @cached_property
    def _reader(self) -> Any:
        return _reader(self._folder)

    def same_sense(self, first: str, second: str) -> bool:
        """Whether the first senses of two lower-case terms are one synset, and no sense opposes them."""
        shared = self._senses(first) & self._senses(second)
        return bool(shared) and not self._are_antonyms(first, second)

    @lru_cache(16_384)  # noqa: B019 - there is one instance per folder
    def _senses(self, term: str) -> frozenset[tuple[str, int]]:
        """First synset of a term in each part of speech, by part of speech and offset."""
        found = set()
        for tag in _TAGS.values():
            for form in self._forms(term, tag):
                synsets = self._reader.synsets(form, tag, check_exceptions=False)
                if synsets:
                    found.add((tag, synsets[0].offset()))
                    break
        return frozenset(found)

    def _forms(self, term: str, tag: str) -> list[str]:
        """The term as WordNet lists it, else its base form; of "turned on" that of the first word."""
        words = term.split()
        whole = "_".join(words)
        known = self._reader._lemma_pos_offset_map  # noqa: SLF001 - what `synsets` looks up
        if known.get(whole, {}).get(tag):
            return [whole]
        base = self._reader.morphy(whole, tag) if whole else None
        if base is None and tag == "v" and len(words) > 1:
            first = self._reader.morphy(words[0], tag)
            base = first and "_".join([first, *words[1:]])
        return [base] if base else []

    def _are_antonyms(self, first: str, second: str) -> bool:
        names = {form for tag in _TAGS.values() for form in self._forms(second, tag)}
        return any(
            antonym.name().lower() in names
            for tag in _TAGS.values()
            for form in self._forms(first, tag)
            for synset in self._reader.synsets(form, tag, check_exceptions=False)
            for lemma in synset.lemmas()
            for antonym in lemma.antonyms()
        )


def check_folder(folder: Path) -> None:
    """Check that a folder has the files of WordNet.

    Raises:
        WordNetUnavailable: One is missing.
    """
    missing = missing_file(folder)
    if missing is not None:
        raise WordNetUnavailable(
            f"{folder} is not a folder of WordNet, as it has no file {missing}; {REMEDY}"
        )


def missing_file(folder: Path) -> str | None:
    """First file of WordNet that a folder lacks; None where it has all."""
    return next((name for name in FILES if not (folder / name).is_file()), None)


def open_wordnet(folder: Path) -> WordNet:
    """WordNet of a folder, read when the first term is looked up, and again only when its files change.

    Raises:
        WordNetUnavailable: The folder is not one of WordNet.
    """
    return _open(folder, wordnet_version(folder))


@lru_cache(2)
def _open(folder: Path, _version: str) -> WordNet:
    return WordNet(folder)


def wordnet_version(folder: Path) -> str:
    """Digest of a folder's files: what matches by synsets depends on.

    Raises:
        WordNetUnavailable: The folder is not one of WordNet.
    """
    check_folder(folder)
    stamps = tuple(
        (path.stat().st_size, path.stat().st_mtime_ns) for path in map(folder.joinpath, FILES)
    )
    return _digest(folder, stamps)


@lru_cache(8)
def _digest(folder: Path, _stamps: tuple[tuple[int, int], ...]) -> str:
    from blake3 import blake3

    hashed = blake3()
    for name in FILES:
        hashed.update(name.encode())
        hashed.update((folder / name).read_bytes())
    return hashed.hexdigest(length=16)


def _reader(folder: Path) -> Any:
    # Two seconds, of which the first are those of NLTK's own imports.
    import nltk.data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class Reader(WordNetCorpusReader):
        """Reads what synonyms need, without the files that they do not."""

        def open(self, file: str) -> Any:
            if file == "lexnames":
                return io.StringIO(
                    "".join(f"{n:02d}\t{n:02d}\t0\n" for n in range(_LEXICOGRAPHER_FILES))
                )
            return super().open(file)

        def map_wn(self, version: str = "wordnet") -> None:
            """Numbers of other versions, which other languages need."""

    # NLTK opens files in registered folders alone.
    place = str(folder.resolve())
    if place not in nltk.data.path:
        nltk.data.path.append(place)
    with warnings.catch_warnings():
        # "The multilingual functions are not available": they are not used.
        warnings.simplefilter("ignore")
        return Reader(place, None)
