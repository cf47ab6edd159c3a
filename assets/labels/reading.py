"""Which words of a narration are read as verbs and which as nouns.

Most words of the vocabularies can be both ("water", "cover", "scoop", "slice"): the words beside
them decide. Agreement with the released labels asks for three conventions:

- a participle before a noun counts as its verb ("chopped onion" is also *cut*);
- a phrase of several words counts when it is the whole noun phrase ("the dried tofu", not "sliced
  dried tofu" nor "test tube rack"); the nouns inside it count too (`nested`);
- words joined by a hyphen to the word before are no verbs ("stir-fry" is *stir* alone).
"""

from __future__ import annotations

from dataclasses import dataclass

from assets.labels.hands import MASK, UNSIDED
from assets.labels.lexicon import LONGEST, Entry, Lexicon
from assets.labels.words import (
    ADVERBS,
    BE,
    CONJUNCTIONS,
    DETERMINERS,
    MODALS,
    PARTICLES,
    PREPOSITIONS,
    PRONOUNS,
    STOPS,
    Word,
    same_participle,
)

# Nouns only with a determiner before: "the back", but "put it back".
_RARELY_NOUNS = frozenset("back can low lead left right rub see set short they unsure".split())
# Adjectives when a noun follows: "light soy sauce", "plastic glove".
_ADJECTIVES = frozenset(["light", "orange", "plastic"])
# Nouns that may stand bare after the preposition "to": "add it to water".
_MASS = frozenset(["glue", "paint", "sand", "tape", "water"])
# "Use the right hand" is labelled *operate* in the release, "use both hands" is not.
_USE = frozenset(["use", "uses"])
# A powder of something is read as that thing: "garlic powder".
_OF_SOMETHING = frozenset(["powder"])
_CLOSED = (
    DETERMINERS | PREPOSITIONS | PRONOUNS | BE | MODALS | PARTICLES | CONJUNCTIONS | STOPS | ADVERBS
) | {",", MASK, UNSIDED, "^", "$", "not", "if", "have", "has", "had", "there"}
_OBJECT_STARTS = (DETERMINERS | PRONOUNS | {MASK, UNSIDED}) - {"that", "who", "which"}
_ASKS_VERB = frozenset("continue continues keep help helps go start starts begin begins".split())


@dataclass(frozen=True, slots=True)
class Reading:
    """A word or phrase read as verb or noun of a class.

    Attributes:
        first: Index of its first word.
        last: Index of its last word.
        kind: `verb` or `noun`.
        entry: What it names.
        rule: Rule that read it.
    """

    first: int
    last: int
    kind: str
    entry: Entry
    rule: str


def read(words: list[Word], lexicon: Lexicon) -> list[Reading]:
    """Verbs and nouns among the masked words of one narration, in order of place."""
    texts = [word.text for word in words]
    readings: list[Reading] = []
    silent: set[int] = set()  # words a phrase has used up for verbs
    mute: set[int] = set()  # words of a supplement phrase: not read again at all
    for i, text in enumerate(texts):
        if text in lexicon.noun_phrase_starts:
            _phrase(texts, i, lexicon, readings, silent, mute)
    for i, text in enumerate(texts):
        if i in mute:
            continue
        before = texts[i - 1] if i else "^"
        after = texts[i + 1] if i + 1 < len(texts) else "$"
        noun = lexicon.nouns.get((text,))
        verb = lexicon.verbs.get((text,))
        phrase = _verb_phrase(texts, i, lexicon) if text in lexicon.verb_phrase_starts else None
        # A phrase stands where its first word would: "turn on", though "turn" alone is no class.
        verb, alone = (verb, True) if verb else (phrase[0] if phrase else None, False)
        rule = None
        if verb and i not in silent and not words[i].hyphened:
            rule = _verb_rule(verb.form, _Place(text, before, after, noun is not None), lexicon)
        if verb and rule:
            if alone and verb.class_id is not None:
                readings.append(Reading(i, i, "verb", verb, f"verb_{rule}"))
            if phrase:
                readings.append(Reading(i, phrase[1], "verb", phrase[0], "verb_phrase"))
        elif noun and noun.class_id is not None and _is_noun(text, before, after, lexicon):
            rule = "nested" if i in silent else "word"
            readings.append(Reading(i, i, "noun", noun, f"noun_{rule}"))
    readings.sort(key=lambda r: (r.first, r.last, r.kind))
    return readings


def _phrase(
    texts: list[str],
    i: int,
    lexicon: Lexicon,
    readings: list[Reading],
    silent: set[int],
    mute: set[int],
) -> None:
    for length in range(min(LONGEST, len(texts) - i), 1, -1):
        entry = lexicon.nouns.get(tuple(texts[i : i + length]))
        if entry is None:
            continue
        span = range(i, i + length)
        if silent.intersection(span):
            return
        silent.update(span)
        if entry.class_id is None:
            mute.update(span)
        elif _whole(texts, i, i + length, lexicon):
            readings.append(Reading(i, i + length - 1, "noun", entry, "noun_phrase"))
        return


def _whole(texts: list[str], start: int, end: int, lexicon: Lexicon) -> bool:
    """Whether a phrase is a whole noun phrase: no modifier before, no head noun after."""
    after = texts[end] if end < len(texts) else "$"
    if after not in _CLOSED and after in lexicon.noun_words and (after,) not in lexicon.verbs:
        return False
    if start == 0 or texts[start - 1] in _CLOSED:
        return True
    verb = lexicon.verbs.get((texts[start - 1],))
    if verb is None or verb.form == "participle":
        return False
    return start < 2 or texts[start - 2] not in DETERMINERS


def _verb_phrase(texts: list[str], i: int, lexicon: Lexicon) -> tuple[Entry, int] | None:
    """The longest phrase of a verb class that starts at a word, and the index of its last word."""
    for length in range(min(LONGEST, len(texts) - i), 1, -1):
        entry = lexicon.verbs.get(tuple(texts[i : i + length]))
        if entry is not None and entry.class_id is not None:
            return entry, i + length - 1
    return None


@dataclass(frozen=True, slots=True)
class _Place:
    """A word that could be a verb, and the words beside it."""

    text: str
    before: str
    after: str
    also_noun: bool

    @property
    def takes_object(self) -> bool:
        return self.after in _OBJECT_STARTS or self.after in PARTICLES


def _verb_rule(form: str, place: _Place, lexicon: Lexicon) -> str | None:
    """Name of the rule by which a word is a verb here, or None."""
    if place.text in _USE and place.after == UNSIDED:
        return None
    if form == "participle":
        return "participle" if not place.also_noun or place.before in BE else None
    if form == "ing":
        return _gerund(place)
    if same_participle(place.text):
        return _finite(form, place, lexicon) or _same_participle(place)
    return _finite(form, place, lexicon)


def _gerund(place: _Place) -> str | None:
    modifies = place.before in DETERMINERS and place.after not in _CLOSED  # "the frying spoon"
    if modifies or (place.also_noun and not place.takes_object):
        return None
    return "gerund"


def _same_participle(place: _Place) -> str | None:
    """As in "the cut onions" and "neatly cut onions", but not in "a cut on the onion"."""
    if place.before in BE:
        return "participle"
    if place.before in PREPOSITIONS or place.before in MODALS or place.before in CONJUNCTIONS:
        return None
    if place.before in DETERMINERS:
        return None if place.after in _CLOSED else "participle"
    return None if place.after in PREPOSITIONS else "participle"


def _finite(form: str, place: _Place, lexicon: Lexicon) -> str | None:
    """A base or s-form: what stands before decides, then what follows."""
    before, after = place.before, place.after
    if before in (MASK, UNSIDED) or before in PRONOUNS or before in _ASKS_VERB:
        return "finite"
    if before in BE or before in PREPOSITIONS or before in DETERMINERS:
        return None
    if before == "^" or before in STOPS or before in ADVERBS or before.endswith("ly"):
        ends = place.also_noun and (after in STOPS or after in BE or after in ("$", ","))
        return None if ends else "imperative"
    if before == "to" and place.text not in _MASS:
        return "infinitive"
    if before in MODALS or before in CONJUNCTIONS or before == ",":
        return _coordinate(form, place, lexicon)
    follows_verb = form == "s" or (before,) in lexicon.verbs  # "the man cuts the", "stir fry the"
    return "finite" if follows_verb and place.takes_object else None


def _coordinate(form: str, place: _Place, lexicon: Lexicon) -> str | None:
    if place.takes_object or not (place.also_noun or form == "s"):
        return "coordinate"
    listed = place.before in (",", "and", "or")  # "oil, salt and cover"
    return "coordinate" if place.after in lexicon.noun_words and not listed else None


def _is_noun(text: str, before: str, after: str, lexicon: Lexicon) -> bool:
    if text in _RARELY_NOUNS:
        return before in DETERMINERS and text not in ("they", "unsure")
    if text in _ADJECTIVES and after not in _CLOSED:
        return False
    if text in _OF_SOMETHING and before not in _CLOSED and (before,) in lexicon.nouns:
        return False
    # "plate it": a verb the vocabulary lacks.
    verbal = before in CONJUNCTIONS or before in MODALS or before in STOPS or before in ("^", ",")
    return not (verbal and after in PRONOUNS and after not in ("which", "who", "i", "you"))
