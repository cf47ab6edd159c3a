"""From the terms of a taxonomy (and its supplement) to what each surface form names.

A term that several classes list names the *last* of them ("pot" is 390, not 389), as in the
released annotation, whose every ambiguous term follows that rule.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import polars as pl

from assets.labels.conventions import HEAD_MODIFIER, KIND, Convention, choose, notations
from assets.labels.words import TAIL_WORDS, plurals, term_words, verb_forms

LONGEST = 4
_MEANT = "object"


@dataclass(frozen=True, slots=True)
class Entry:
    """What a surface form names.

    Attributes:
        class_id: Class, or None for words that name none (a supplement's exception).
        label: Its label.
        form: `base`, `s`, `ing`, `participle` of a verb; `noun` of a noun.
        origin: `taxonomy` or `supplement`.
        classes: How many classes list the form.
    """

    class_id: int | None
    label: str
    form: str
    origin: str = "taxonomy"
    classes: int = 1


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Surface forms (as tuples of words) of verbs and nouns.

    Attributes:
        verbs: Entry of each form of a verb, of one word or several.
        nouns: Entry of each form of a noun.
        noun_words: Nouns of one word.
        noun_phrase_starts: First words of the nouns of several.
        verb_phrase_starts: First words of the verbs of several.
        verb_tails: What may go with a form of a verb behind its object: words and the entry.
        verb_objects: What a form of a verb names with a noun of this class for its object.
        meant: What is meant by a noun of this class (second) as object of a verb of this class.
        convention: Choices that the vocabulary follows.
    """

    verbs: dict[tuple[str, ...], Entry]
    nouns: dict[tuple[str, ...], Entry]
    noun_words: frozenset[str]
    noun_phrase_starts: frozenset[str]
    verb_phrase_starts: frozenset[str]
    verb_tails: dict[str, dict[tuple[str, ...], Entry]]
    verb_objects: dict[str, dict[int, Entry]]
    meant: dict[tuple[int, int], Entry]
    convention: Convention


def with_nouns(taxonomies: pl.DataFrame) -> pl.DataFrame:
    """Rows of one source's `taxonomies`; where it has no nouns, its objects take their place."""
    if taxonomies["taxonomy"].eq("noun").any():
        return taxonomies
    return taxonomies.with_columns(pl.col("taxonomy").replace({"object": "noun"}))


def make_lexicon(taxonomies: pl.DataFrame, supplement: pl.DataFrame) -> Lexicon:
    """Lexicon of the `verb` and `noun` taxonomies of one source.

    Where a source has no nouns, its `object` taxonomy takes their place.

    Args:
        taxonomies: Rows of `taxonomies`.
        supplement: Columns `kind`, `term`, `class_label`, `note`. A row overrides the taxonomy for
            its term; an empty `class_label` says that the words name no class. Kind `object` says
            what a noun means as object of a verb, kind `convention` is read by `conventions`.

    Raises:
        ValueError: A supplement row has an unknown kind. Rows whose class the taxonomy lacks are
            left out: the supplement is generic, the taxonomies differ.
    """
    unknown = set(supplement["kind"].unique()) - {"verb", "noun", _MEANT, KIND}
    if unknown:
        raise ValueError(
            f"supplement: kind {sorted(unknown)} is not one of verb, noun, {_MEANT}, {KIND}; correct the file"
        )
    taxonomies = with_nouns(taxonomies)
    notation = notations(_terms(taxonomies))
    declared = supplement.filter(pl.col("kind") == KIND).select("term", "class_label")
    convention = choose(notation, declared.rows())
    verbs = _entries(taxonomies, supplement, "verb", notation)
    nouns = _entries(taxonomies, supplement, "noun", notation)
    tails: dict[str, dict[tuple[str, ...], Entry]] = {}
    objects: dict[str, dict[int, Entry]] = {}
    for key, entry in [(k, e) for k, e in verbs.items() if len(k) > 1]:
        thing = nouns.get(key[1:])
        if entry.class_id is not None and TAIL_WORDS.issuperset(key[1:]):
            tails.setdefault(key[0], {})[key[1:]] = entry
        elif entry.origin == "supplement" and thing is not None and thing.class_id is not None:
            objects.setdefault(key[0], {})[thing.class_id] = entry
            del verbs[key]  # "open water" is not a phrase: "open water bottle"
    return Lexicon(
        verbs=verbs,
        nouns=nouns,
        noun_words=frozenset(key[0] for key, e in nouns.items() if len(key) == 1 and e.label),
        noun_phrase_starts=frozenset(key[0] for key in nouns if len(key) > 1),
        verb_phrase_starts=frozenset(key[0] for key in verbs if len(key) > 1),
        verb_tails=tails,
        verb_objects=objects if convention.object_tells else {},
        meant=_meant(supplement, verbs, nouns) if convention.object_tells else {},
        convention=convention,
    )


def _meant(
    supplement: pl.DataFrame,
    verbs: dict[tuple[str, ...], Entry],
    nouns: dict[tuple[str, ...], Entry],
) -> dict[tuple[int, int], Entry]:
    """What nouns mean as objects: "turn-on water" is to turn on the tap."""
    found: dict[tuple[int, int], Entry] = {}
    rows = supplement.filter(pl.col("kind") == _MEANT).select("term", "class_label")
    for term, label in rows.iter_rows():
        said, _, thing = term.partition(" ")
        verb, noun = verbs.get(term_words(said)), nouns.get(term_words(thing))
        entry = next((e for e in nouns.values() if e.label == label), None)
        if verb and noun and entry and verb.class_id is not None and noun.class_id is not None:
            found[verb.class_id, noun.class_id] = replace(entry, origin="supplement", classes=1)
    return found


def _terms(taxonomies: pl.DataFrame) -> list[tuple[str, str]]:
    kinds = taxonomies.filter(pl.col("taxonomy").is_in(["verb", "noun"]))
    return [
        (kind, term)
        for kind, terms in kinds.select("taxonomy", "terms").iter_rows()
        for term in terms or ()
    ]


@dataclass(frozen=True, slots=True)
class _Term:
    """A term of one class, before its forms are made."""

    words: tuple[str, ...]
    class_id: int | None
    label: str
    origin: str


def _entries(
    taxonomies: pl.DataFrame, supplement: pl.DataFrame, kind: str, notation: frozenset[str]
) -> dict[tuple[str, ...], Entry]:
    classes = (
        taxonomies.filter(pl.col("taxonomy") == kind)
        .sort("class_id")
        .select("class_id", "label", "terms")
        .rows()
    )
    head_first = kind == "noun" and HEAD_MODIFIER in notation
    listed = [
        _Term(words, class_id, label, "taxonomy")
        for class_id, label, terms in classes
        for term in (terms or [label])
        for words in _spoken(term, head_first)
    ]
    ids: dict[str, int] = {}
    for class_id, label, _ in classes:
        ids[label] = class_id
        ids.setdefault(label.split("_(")[0], class_id)
    rows = supplement.filter(pl.col("kind") == kind).select(
        "term", pl.col("class_label").fill_null("")
    )
    own = [
        _Term(term_words(term), ids.get(label), label, "supplement")
        for term, label in sorted(rows.iter_rows())
        if not label or label in ids
    ]
    entries: dict[tuple[str, ...], Entry] = {}
    for terms in (listed, own):  # the supplement overrides
        made = [(form, t) for t in terms if t.words for form in _surfaces(t.words, kind)]
        entries |= _last_wins(made)
        if kind == "noun":  # a term as written ("glasses") overrides a plural made of another
            entries |= _last_wins([((t.words, "noun"), t) for t in terms if t.words])
    return entries


def _spoken(term: str, head_first: bool) -> list[tuple[str, ...]]:
    """A term as people say it: `end:green:onion` is a green onion end and an end of green onion."""
    if not head_first or ":" not in term:
        return [term_words(term)]
    head, _, modifiers = term.partition(":")
    said, of = term_words(head), term_words(modifiers)
    return [(*of, *said), (*said, "of", *of)]


def _last_wins(
    made: Iterable[tuple[tuple[tuple[str, ...], str], _Term]],
) -> dict[tuple[str, ...], Entry]:
    seen: dict[tuple[str, ...], set[int | None]] = {}
    entries: dict[tuple[str, ...], Entry] = {}
    for (words, kind), term in made:
        seen.setdefault(words, set()).add(term.class_id)
        known = entries.get(words)
        # "cuts" is the s-form of "cut" even where the class also lists it as a term of its own.
        listed_form = known is not None and known.class_id == term.class_id and kind == "base"
        form = known.form if known is not None and listed_form else kind
        entries[words] = Entry(term.class_id, term.label, form, term.origin, len(seen[words]))
    return entries


def _surfaces(words: tuple[str, ...], kind: str) -> list[tuple[tuple[str, ...], str]]:
    """Forms of a term: a verb's first word is inflected, a noun's last."""
    if kind == "verb":
        return [((form, *words[1:]), name) for form, name in verb_forms(words[0]).items()]
    return [((*words[:-1], form), "noun") for form in sorted(plurals(words[-1]))]
