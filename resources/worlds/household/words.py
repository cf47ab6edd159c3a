"""Vocabulary of the simulated household: verbs, nouns, their taxonomies, and coarse classes.

The files written from it have the form of EgoExoLearn's `narration_{verb,noun}_taxonomy.csv`
(`label,group`; class id = row index from 0; group = the printed list of terms) and of its
`semantic_en.json`. The words are the household's own.
"""

from __future__ import annotations

from typing import Final

# Class key -> phrases that name it. The first word of a phrase is the one that inflects.
_VERB_PHRASES: Final[dict[str, tuple[str, ...]]] = {
    "add": ("add", "sprinkle"),
    "close": ("close", "shut"),
    "crack": ("crack", "break"),
    "cut": ("cut", "slice", "chop"),
    "dip": ("dip", "soak"),
    "fold": ("fold",),
    "hold": ("hold", "grip"),
    "insert": ("insert",),
    "mix": ("mix", "blend"),
    "move": ("move", "push"),
    "open": ("open",),
    "pass": ("pass",),
    "peel": ("peel", "skin"),
    "pour": ("pour",),
    "press": ("press",),
    "put": ("put", "place", "lay"),
    "remove": ("remove", "detach"),
    "rotate": ("rotate", "twist", "spin"),
    "scoop": ("scoop", "ladle"),
    "shake": ("shake", "swirl"),
    "show": ("show", "display"),
    "squeeze": ("squeeze",),
    "stir": ("stir",),
    "take": ("take", "pick up", "grab"),
    "throw": ("throw away", "discard"),
    "touch": ("touch", "tap"),
    "turn_off": ("turn off", "switch off"),
    "turn_on": ("turn on", "switch on"),
    "wash": ("wash", "rinse"),
    "weigh": ("weigh",),
    "wipe": ("wipe", "clean"),
    "write": ("write on", "mark"),
}

_NOUN_TERMS: Final[dict[str, tuple[str, ...]]] = {
    "beaker": ("beaker",),
    "bottle": ("bottle", "flask"),
    "bowl": ("bowl", "basin"),
    "bread": ("bread", "loaf"),
    "carrot": ("carrot",),
    "centrifuge": ("centrifuge",),
    "cheese": ("cheese",),
    "cloth": ("cloth", "rag"),
    "cucumber": ("cucumber",),
    "cup": ("cup", "mug"),
    "cutting_board": ("cutting board", "chopping board"),
    "dish": ("petri dish", "dish"),
    "egg": ("egg",),
    "faucet": ("faucet",),
    "glove": ("glove",),
    "knife": ("knife", "kitchen knife"),
    "lemon": ("lemon",),
    "lettuce": ("lettuce",),
    "lid": ("lid",),
    "marker": ("marker pen", "marker"),
    "meat": ("meat", "pork"),
    "milk": ("milk",),
    "oil": ("oil", "cooking oil"),
    "onion": ("onion",),
    "pan": ("pan", "frying pan"),
    "peeler": ("peeler",),
    "pepper": ("pepper",),
    "pipette": ("pipette",),
    "plate": ("plate", "platter"),
    "pot": ("pot", "saucepan"),
    "potato": ("potato",),
    "powder": ("powder",),
    "rack": ("rack", "stand"),
    "salt": ("salt",),
    "sauce": ("sauce", "soy sauce"),
    "scale": ("scale", "balance"),
    "sink": ("sink",),
    "spatula": ("spatula", "turner"),
    "spoon": ("spoon",),
    "stove": ("stove", "cooker"),
    "sugar": ("sugar",),
    "table": ("table", "counter"),
    "tablet": ("tablet",),
    "tip": ("tip",),
    "tofu": ("tofu", "bean curd"),
    "tomato": ("tomato",),
    "tube": ("test tube", "tube"),
    "water": ("water",),
    "whisk": ("whisk", "beater"),
    "sponge": ("sponge",),
}

VERBS: Final[tuple[str, ...]] = tuple(_VERB_PHRASES)
NOUNS: Final[tuple[str, ...]] = tuple(_NOUN_TERMS)
VERB_ID: Final[dict[str, int]] = {key: i for i, key in enumerate(VERBS)}
NOUN_ID: Final[dict[str, int]] = {key: i for i, key in enumerate(NOUNS)}
COARSE: Final[tuple[str, ...]] = (
    "Gather things", "Wash vegetables", "Peel vegetables", "Cut tomato", "Cut onion",
    "Cut root vegetable", "Cut cucumber", "Cut meat", "Cut tofu", "Cut bread",
    "Beat egg", "Mix batter", "Heat pan", "Boil water", "Fry", "Simmer", "Season",
    "Dress salad", "Plate up", "Tidy up", "Prepare tubes", "Measure", "Dispense",
    "Spin", "Label", "Mop up a spill",
)  # fmt: skip
COARSE_ID: Final[dict[str, int]] = {name: i + 1 for i, name in enumerate(COARSE)}

_DOUBLING: Final[frozenset[str]] = frozenset(
    {"cut", "chop", "dip", "put", "stir", "spin", "grip", "grab", "shut", "skin", "tap"}
)
_PAST: Final[dict[str, str]] = {
    "break": "broken", "cut": "cut", "hold": "held", "put": "put", "lay": "laid", "shut": "shut",
    "spin": "spun", "take": "taken", "throw": "thrown", "write": "written", "show": "shown",
    "shake": "shaken",
}  # fmt: skip


def third(phrase: str) -> str:
    """Third person of a verb phrase: `pick up` -> `picks up`."""
    word, _, rest = phrase.partition(" ")
    es = word.endswith(("s", "sh", "ch", "x", "o"))
    word += "es" if es else "s"
    return f"{word} {rest}".strip()


def gerund(phrase: str) -> str:
    """Present participle of a verb phrase: `slice` -> `slicing`."""
    word, _, rest = phrase.partition(" ")
    stem = word + word[-1] if word in _DOUBLING else word
    if word.endswith("e") and not word.endswith("ee"):
        stem = word[:-1]
    return f"{stem}ing {rest}".strip()


def participle(phrase: str) -> str:
    """Past participle of a verb phrase: `pick up` -> `picked up`."""
    word, _, rest = phrase.partition(" ")
    if word in _PAST:
        past = _PAST[word]
    elif word.endswith("e"):
        past = word + "d"
    else:
        past = (word + word[-1] if word in _DOUBLING else word) + "ed"
    return f"{past} {rest}".strip()


def plural(term: str) -> str:
    """Plural of a noun term: `knife` -> `knives`."""
    if term.endswith("fe"):
        return term[:-2] + "ves"
    if term.endswith("loaf"):
        return term[:-1] + "ves"
    if term.endswith(("s", "sh", "ch", "x", "tato", "mato")):
        return term + "es"
    return term + "s"


def verb_phrases(key: str) -> tuple[str, ...]:
    """Base forms that name a verb class."""
    return _VERB_PHRASES[key]


def noun_terms(key: str) -> tuple[str, ...]:
    """Singular terms that name a noun class."""
    return _NOUN_TERMS[key]


def verb_forms(key: str) -> list[str]:
    """All inflected phrases of a verb class, in the order of its phrases, without repeats."""
    forms = [f(p) for p in _VERB_PHRASES[key] for f in (str, third, gerund, participle)]
    return list(dict.fromkeys(forms))


def verb_group(key: str) -> list[str]:
    """Terms of a verb class as the release lists them: base and third person, sorted.

    The first word of a phrase that means the same alone (`pick`, `throw`) is listed too.
    """
    phrases = list(_VERB_PHRASES[key])
    phrases += [p.split()[0] for p in phrases if " " in p and not key.startswith("turn_")]
    return sorted({f(p) for p in phrases for f in (str, third)})


def noun_group(key: str) -> list[str]:
    """All singular and plural terms of a noun class."""
    return list(dict.fromkeys(f(t) for t in _NOUN_TERMS[key] for f in (str, plural)))


def class_label(key: str, phrases: tuple[str, ...]) -> str:
    """Label in the release's manner: `cut_(slice,_chop)`."""
    others = [p.replace(" ", "-") for p in phrases if p.replace(" ", "_") != key]
    plain = key.replace("_", "-")
    return f"{plain}_({',_'.join(others)})" if others else plain


def taxonomy_rows(kind: str) -> list[tuple[str, str]]:
    """Rows `label, group` of a taxonomy file, class id = position.

    Args:
        kind: `verb` or `noun`.

    Raises:
        ValueError: another kind.
    """
    if kind == "verb":
        return [(class_label(k, _VERB_PHRASES[k]), repr(verb_group(k))) for k in VERBS]
    if kind == "noun":
        return [(class_label(k, _NOUN_TERMS[k]), repr(noun_group(k))) for k in NOUNS]
    raise ValueError(f"taxonomy kind {kind!r} is neither 'verb' nor 'noun'")
