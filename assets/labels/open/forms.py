"""Part of speech and lemma of words, asked of a model once per word, tag and dependency.

A spaCy model gives both by rules that look at one word at a time (its rules for two words are spellings
such as `gon na`, which narrations do not have). Matching them on every word takes a quarter of the time
of a parse; narrations repeat their words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

RULES = ("attribute_ruler", "lemmatizer")
"""Components of a model that this replaces; they are loaded and left out of its pipeline."""


class Forms:
    """Parts of speech and lemmas of one model, kept for as long as this lives.

    Args:
        language: The model, with its `RULES` loaded.
    """

    def __init__(self, language: Language) -> None:
        self._vocab = language.vocab
        self._rules = [language.get_pipe(name) for name in RULES]
        self._known: dict[tuple[int, int, int], tuple[int, int]] = {}

    def add_to(self, doc: Doc) -> None:
        """Set part of speech and lemma of each word of a tagged and parsed text, in place."""
        known = self._known
        for token in doc:
            key = (token.orth, token.tag, token.dep)
            form = known.get(key)
            if form is None:
                form = known[key] = self._form(token)
            token.pos, token.lemma = form

    def _form(self, token: Token) -> tuple[int, int]:
        from spacy.tokens import Doc

        alone = Doc(self._vocab, words=[token.text])
        alone[0].tag, alone[0].dep = token.tag, token.dep
        for rule in self._rules:
            alone = rule(alone)
        return alone[0].pos, alone[0].lemma
