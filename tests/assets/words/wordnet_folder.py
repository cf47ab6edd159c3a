"""Writes a small folder in WordNet's own file format: synsets that a test states."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

LETTERS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
HEADER = "  1 Synsets of a test, in the file format of WordNet.\n"


@dataclass(frozen=True)
class Synset:
    """A synset.

    Attributes:
        pos: Part of speech, as file names have it.
        words: Its words, blanks as underscores.
        antonyms: Places of other synsets whose first word is the opposite of this one's first.
        broader: Places of its hypernyms.
    """

    pos: str
    words: Sequence[str]
    antonyms: Sequence[int] = field(default_factory=tuple)
    broader: Sequence[int] = field(default_factory=tuple)


def write_wordnet(
    folder: Path, synsets: Sequence[Synset], exceptions: dict[str, dict[str, str]] | None = None
) -> Path:
    """Write a folder; the senses of a word are in the order of the synsets.

    Args:
        folder: Empty or absent.
        synsets: All of them.
        exceptions: Base form by irregular form, by part of speech.
    """
    folder.mkdir(parents=True, exist_ok=True)
    places = _places(synsets)
    for pos, letter in LETTERS.items():
        lines = [
            line
            for synset, line in zip(synsets, _lines(synsets, places), strict=True)
            if synset.pos == pos
        ]
        (folder / f"data.{pos}").write_text(HEADER + "".join(lines), encoding="utf-8")
        senses: dict[str, list[int]] = defaultdict(list)
        for at, synset in enumerate(synsets):
            for word in synset.words if synset.pos == pos else ():
                senses[word.lower()].append(places[at])
        index = "".join(
            f"{word} {letter} {len(found)} 0 {len(found)} 0 "
            + " ".join(f"{place:08d}" for place in found)
            + "  \n"
            for word, found in sorted(senses.items())
        )
        (folder / f"index.{pos}").write_text(HEADER + index, encoding="utf-8")
        irregular = (exceptions or {}).get(pos, {})
        text = "".join(f"{form} {base}\n" for form, base in sorted(irregular.items()))
        (folder / f"{pos}.exc").write_text(text, encoding="utf-8")
    return folder


def _places(synsets: Sequence[Synset]) -> list[int]:
    """Byte at which the line of each synset begins in its file."""
    ends = dict.fromkeys(LETTERS, len(HEADER))
    places = []
    for synset, line in zip(synsets, _lines(synsets, [0] * len(synsets)), strict=True):
        places.append(ends[synset.pos])
        ends[synset.pos] += len(line.encode())
    return places


def _lines(synsets: Sequence[Synset], places: Sequence[int]) -> list[str]:
    lines = []
    for at, synset in enumerate(synsets):
        letter = LETTERS[synset.pos]
        words = " ".join(f"{word} 0" for word in synset.words)
        pointers = [f"! {places[to]:08d} {letter} 0101" for to in synset.antonyms]
        pointers += [f"@ {places[to]:08d} {letter} 0000" for to in synset.broader]
        frames = " 01 + 02 00" if synset.pos == "verb" else ""
        counted = " ".join([f"{len(pointers):03d}", *pointers])
        lines.append(
            f"{places[at]:08d} 03 {letter} {len(synset.words):02x} {words} {counted}{frames} | a synset of a test  \n"
        )
    return lines
