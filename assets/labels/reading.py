"""Which words of a narration are read as verbs and which as nouns.

Most words of the vocabularies can be both ("water", "cover", "scoop", "slice"): the words beside
them decide. Agreement with the released labels asks for three conventions:

- a participle before a noun counts as its verb ("chopped onion" is also *cut*);
- a phrase of several words counts when it is the whole noun phrase ("the dried tofu", not "sliced
  dried tofu" nor "test tube rack"); the nouns inside it count too (`nested`);
- words joined by a hyphen to the word before are not verbs ("stir-fry" is *stir* alone).
"""

from __future__ import annotations

from assets.labels.compounds import (
    handled,
    heads,
    longest_nouns,
    tail_entry,
    with_tails,
    without_use,
)
from assets.labels.hands import MASK, UNSIDED
from assets.labels.lexicon import LONGEST, Entry, Lexicon
from assets.labels.readings import Reading
from assets.labels.verb_rules import CLOSED, OBJECT_STARTS, Place, verb_rule
from assets.labels.words import (
    BE,
    CONJUNCTIONS,
    DETERMINERS,
    MODALS,
    PARTICLES,
    PREPOSITIONS,
    PRONOUNS,
    STOPS,
    Word,
)

# Nouns only with a determiner before: "the back", but "put it back".
_RARELY_NOUNS = frozenset("back can low lead left right rub see set short they unsure".split())
# Of these, the ones that are nouns where nothing follows for a verb to act on: "pick up can".
_ENDING_NOUNS = frozenset(["can", "lead"])
# Adjectives when a noun follows: "light soy sauce", "plastic glove".
_ADJECTIVES = frozenset(["light", "orange", "plastic"])
# A powder of something is read as that thing: "garlic powder".
_OF_SOMETHING = frozenset(["powder"])
_AFTER_NOUN = STOPS | PREPOSITIONS | PARTICLES | CONJUNCTIONS | {"$", ","}
_BEFORE_MODAL = PRONOUNS | BE | {MASK, UNSIDED, "^"}


def read(words: list[Word], lexicon: Lexicon) -> list[Reading]:
    """Verbs and nouns among the masked words of one narration, in order of place."""
    texts = [word.text for word in words]
    readings: list[Reading] = []
    silent: set[int] = set()  # words a phrase has used up for verbs
    mute: set[int] = set()  # words of a supplement phrase: not read again at all
    convention = lexicon.convention
    if convention.compound:
        readings, mute = longest_nouns(texts, lexicon)
    else:
        for i, text in enumerate(texts):
            if text in lexicon.noun_phrase_starts:
                _phrase(texts, i, lexicon, readings, silent, mute)
    opens, left_from = True, False  # no verb, and no "from", yet in this sentence
    for i, text in enumerate(texts):
        if text in STOPS:
            opens, left_from = True, False
        left_from = left_from or text == "from"
        if i in mute:
            continue
        before = texts[i - 1] if i else "^"
        after = texts[i + 1] if i + 1 < len(texts) else "$"
        noun = lexicon.nouns.get((text,))
        verb = lexicon.verbs.get((text,))
        phrase = _verb_phrase(texts, i, lexicon) if text in lexicon.verb_phrase_starts else None
        if verb is None and phrase is None and text in lexicon.verb_tails and not noun:
            apart = tail_entry(i, len(texts), texts, lexicon)  # "drag it through the milk"
            phrase = (apart, i) if apart else None
        # A phrase stands where its first word would: "turn on", though "turn" alone is not a class.
        verb, alone = (verb, True) if verb else (phrase[0] if phrase else None, False)
        rule = None
        if verb and i not in silent and not words[i].hyphened:
            near = tuple(texts[max(0, i - 2) : i + 3])
            listed = after in (",", "and", "or") and _acts(near[-1], lexicon)
            place = Place(text, before, after, noun is not None, opens, near, listed, left_from)
            rule = verb_rule(verb.form, place, lexicon)
        if verb and rule:
            opens = False
            if alone and verb.class_id is not None and not (phrase and convention.longest_verb):
                readings.append(Reading(i, i, "verb", verb, f"verb_{rule}"))
            if phrase:
                readings.append(Reading(i, phrase[1], "verb", phrase[0], "verb_phrase"))
        elif noun and noun.class_id is not None and _is_noun(text, before, after, lexicon):
            rule = "nested" if i in silent else "word"
            readings.append(Reading(i, i, "noun", noun, f"noun_{rule}"))
    if convention.hands_named:
        readings += handled(readings, texts, lexicon)
    readings.sort(key=lambda r: (r.first, r.last, r.kind))
    if convention.compound:
        readings = heads(readings)
    if convention.use_serves:
        readings = without_use(readings, texts)
    apart = convention.particle_apart or convention.preposition_apart
    return with_tails(readings, texts, lexicon) if apart else readings


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
    if after not in CLOSED and after in lexicon.noun_words and (after,) not in lexicon.verbs:
        return False
    if start == 0 or texts[start - 1] in CLOSED:
        return True
    verb = lexicon.verbs.get((texts[start - 1],))
    if verb is None or verb.form == "participle":
        return False
    return start < 2 or texts[start - 2] not in DETERMINERS


def _acts(text: str, lexicon: Lexicon) -> bool:
    """Whether a word can only be a verb: "peel, wash and slice"."""
    verb = lexicon.verbs.get((text,))
    return verb is not None and verb.form in ("base", "s") and (text,) not in lexicon.nouns


def _verb_phrase(texts: list[str], i: int, lexicon: Lexicon) -> tuple[Entry, int] | None:
    """The longest phrase of a verb class that starts at a word, and the index of its last word."""
    for length in range(min(LONGEST, len(texts) - i), 1, -1):
        entry = lexicon.verbs.get(tuple(texts[i : i + length]))
        if entry is not None and entry.class_id is not None:
            return entry, i + length - 1
    return None


def _is_noun(text: str, before: str, after: str, lexicon: Lexicon) -> bool:
    if text in _RARELY_NOUNS:
        if text in _ENDING_NOUNS and after in _AFTER_NOUN and before not in _BEFORE_MODAL:
            return True
        return before in DETERMINERS and text not in ("they", "unsure")
    if text in _ADJECTIVES and after not in CLOSED:
        return False
    if text in _OF_SOMETHING and before not in CLOSED and (before,) in lexicon.nouns:
        return False
    # "Plate it", "to shovel the rice": a verb the vocabulary lacks.
    verbal = before in CONJUNCTIONS or before in MODALS or before in STOPS or before in ("^", ",")
    return not (verbal and after in OBJECT_STARTS and after not in ("i", "you", MASK, UNSIDED))
