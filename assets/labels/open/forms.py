"""Part of speech and lemma of words, asked of a model once per word, tag and dependency.

A spaCy model gives both by rules that look at one word at a time (its rules for two words are spellings
such as `gon na`, which narrations do not have). Matching them on every word takes a quarter of the time
of a parse; narrations repeat their words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assets.labels.open.endings import singular
from assets.labels.open.english import PLURAL_ONLY
from assets.labels.open.tokens import Token as Words
from assets.labels.open.tree import Doc, Node

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc as SpacyDoc
    from spacy.tokens import Token

RULES = ("attribute_ruler", "lemmatizer")
"""Components of a model that this replaces; they are loaded and left out of its pipeline."""
_EYES = frozenset("sun reading safety eye swimming".split())
_NOUN_TAGS = frozenset(["NN", "NNS", "NNP", "NNPS"])
_SINGULAR_IN_S = frozenset(
    "lens canvas gas news series atlas thermos pancreas asparagus bus".split()
)
_ENDINGS = {"VBZ": "es", "VBG": "ing", "VBD": "ed", "VBN": "ed"}


class Forms:
    """Parts of speech and lemmas of one model, kept for as long as this lives.

    Args:
        language: The model, with its `RULES` loaded.
    """

    def __init__(self, language: Language) -> None:
        self._vocab = language.vocab
        self._rules = [language.get_pipe(name) for name in RULES]
        self._verbs = base_forms(language, "verb")
        self._nouns = base_forms(language, "noun")
        self._known: dict[tuple[int, int, int], tuple[str, str, str, str]] = {}

    def tree(self, doc: SpacyDoc, tokens: Sequence[Words]) -> Doc:
        """The parse of a tagged text in plain Python, with part of speech and lemma of each word.

        Args:
            doc: The text, tagged and parsed.
            tokens: Its words.
        """
        known = self._known
        tree = Doc()
        rows = doc.to_array(["ORTH", "TAG", "DEP", "HEAD"]).astype("int64").tolist()
        for at, (word, (orth, tag, dep, _)) in enumerate(zip(tokens, rows, strict=True)):
            key = (orth, tag, dep)
            form = known.get(key)
            if form is None:
                form = known[key] = self._form(doc[at])
            tree.append(Node(tree, at, word.text, *form))
        below: dict[int, list[Node]] = {}
        for node, row in zip(tree, rows, strict=True):
            if row[3]:
                below.setdefault(node.i + row[3], []).append(node)
        for at, children in below.items():
            tree[at].adopt(children)
        return tree

    def _form(self, token: Token) -> tuple[str, str, str, str]:
        from spacy.tokens import Doc as SpacyDoc

        # "Stir-frying" is a form of frying.
        first, hyphen, last = token.text.rpartition("-") if token.tag_[:1] == "V" else ("", "", "")
        alone = SpacyDoc(self._vocab, words=[last or token.text])
        alone[0].tag, alone[0].dep = token.tag, token.dep
        for rule in self._rules:
            alone = rule(alone)
        written = token.text.lower()
        if token.tag_ in ("VBD", "VBN") and written in self._verbs and written.endswith("ed"):
            alone[0].lemma_ = written  # "shred" is not a past tense
        if token.tag_ in _NOUN_TAGS and token.text.islower():
            alone[0].lemma_ = _singular(written, token.tag_, alone[0].lemma_, self._nouns)
        if written == "putting":
            alone[0].lemma_ = "put"
        base = _base_with_e(token.text.lower(), token.tag_, self._verbs)
        if base is not None:
            alone[0].lemma_ = base
        if first and last:
            alone[0].lemma_ = f"{first.lower()}{hyphen}{alone[0].lemma_}"
        return token.tag_, token.dep_, alone[0].pos_, alone[0].lemma_


def call_by_name(doc: Doc, tokens: Sequence[Words]) -> None:
    """Give things that were parsed under a plainer word their own lemma, in place.

    Args:
        doc: A parse with its lemmas.
        tokens: The words that were parsed.
    """
    names = doc.user_data["names"] = {}
    tails = doc.user_data["tails"] = set()
    for node, token in zip(doc, tokens, strict=True):
        if token.tail:
            tails.add(node.i)
        if token.name:
            names[node.i] = token.name
            is_plural = node.text.endswith("s")
            one = singular(token.name) if is_plural else token.name
            stays = token.name in PLURAL_ONLY and (
                token.name != "glasses" or token.prefix in _EYES or not token.prefix
            )
            node.lemma_ = token.name if stays else one
            node.tag_, node.pos_ = "NNS" if is_plural else "NN", "NOUN"


def written(node: Node) -> str:
    """The word of the narration that a word of the parse stands for, lower case."""
    return node.doc.user_data["names"].get(node.i) or node.text.lower()


def is_joined(node: Node) -> bool:
    """Whether a word of the parse stands for a name of several nouns."""
    return node.i in node.doc.user_data["names"]


def base_forms(language: Language, kind: str) -> frozenset[str]:
    """Base forms of verbs or adjectives that a model's lemmatizer knows.

    Args:
        language: The model.
        kind: `verb` or `adj`.
    """
    lemmatizer: Any = language.get_pipe("lemmatizer")
    return frozenset(lemmatizer.lookups.get_table("lemma_index")[kind])


def _singular(word: str, tag: str, lemma: str, nouns: frozenset[str]) -> str:
    """Singular of a noun, where the lemmatizer takes a name for one or has a rarer noun in mind.

    "Plates" may come out tagged as a name, and "vases" as several of a vas.
    """
    if not word.endswith("s") or word in PLURAL_ONLY:
        return lemma
    if word.endswith("ss") or word in _SINGULAR_IN_S:
        return word
    if tag != "NNS" and word.endswith(("us", "is")):
        return word
    if tag == "NNS" and not (lemma.endswith(("y", "x")) or word == f"{lemma}es"):
        return lemma
    if tag != "NNS" and word.endswith("ves") and singular(word) in nouns:
        return singular(word)
    if word[:-1] in nouns and not word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-1]
    one = f"{word[:-3]}y" if word.endswith("ies") else singular(word)
    return one if tag != "NNS" and one in nouns else lemma


def _base_with_e(word: str, tag: str, verbs: frozenset[str]) -> str | None:
    """The scrape of "scrapes" and "scraping", where the lemmatizer prefers scrap.

    A short verb doubles its last letter (scrapped, scrapping) and takes -s alone (scraps).
    """
    ending = _ENDINGS.get(tag)
    if ending is None or not word.endswith(ending):
        return None
    stem = word.removesuffix(ending)
    is_short = re.fullmatch(r"[^aeiou]*[aeiou][^aeiouwxys]", stem) is not None
    return f"{stem}e" if is_short and stem in verbs and f"{stem}e" in verbs else None
