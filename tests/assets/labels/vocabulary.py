"""A small vocabulary in the form of EgoExoLearn's."""

from __future__ import annotations

import polars as pl

from assets.labels.lexicon import make_lexicon
from expectations.schemas import TABLES

VERBS = {
    "cut": ["chop", "cut", "cuts", "slice", "mince"],
    "hold": ["grip", "hold"],
    "take": ["pick", "take", "take out", "lift"],
    "put": ["add", "leave", "place", "put", "set"],
    "pour": ["empty", "pour"],
    "mix": ["mix", "stir", "stirs"],
    "fry": ["fry"],
    "use": ["use"],
    "give": ["give", "hand", "hands"],
    "cover": ["cover"],
    "scoop": ["scoop"],
    "water": ["water"],
    "open": ["open"],
    "turn": ["turn"],
    "turn_on": ["turn on"],
    "wash": ["rinse", "wash"],
    "press": ["press"],
    "peel": ["peel", "skin"],
    "break": ["break", "crack"],
    "point": ["point"],
    "move": ["move", "pass"],
    "throw": ["dispose", "throw"],
}
NOUNS = {
    "pot": ["pot"],
    "pot_(planter)": ["flower pot", "pot"],
    "onion": ["onion"],
    "tofu": ["tofu"],
    "tofu skin": ["dry tofu"],
    "knife": ["knife"],
    "bowl": ["bowl"],
    "plate": ["plate"],
    "spoon": ["spoon"],
    "water": ["water"],
    "lid": ["cover", "lid"],
    "scoop": ["scoop"],
    "hand": ["finger", "hand"],
    "handle": ["handle"],
    "chopping_board": ["chopping_board", "cutting board"],
    "wood": ["board", "wood"],
    "plant": ["plant"],
    "container": ["container"],
    "peel": ["peel"],
    "egg": ["egg"],
    "salt": ["salt"],
    "back": ["back"],
    "oil": ["oil"],
    "powder": ["powder"],
    "pepper": ["pepper"],
    "spatula": ["spatula"],
    "glove": ["glove"],
}


def taxonomies() -> pl.DataFrame:
    return TABLES["taxonomies"].frame(
        {
            "source": "s",
            "taxonomy": kind,
            "class_id": i,
            "label": label,
            "terms": terms,
            "source_file": "f",
        }
        for kind, classes in (("verb", VERBS), ("noun", NOUNS))
        for i, (label, terms) in enumerate(classes.items())
    )


SUPPLEMENT = pl.DataFrame(
    [
        ("noun", "later use", "", "adverbial"),
        ("noun", "dried tofu", "tofu skin", "other form"),
        ("noun", "tablet", "no such class here", "generic row"),
    ],
    schema=dict.fromkeys(("kind", "term", "class_label", "note"), pl.String),
    orient="row",
)
LEXICON = make_lexicon(taxonomies(), SUPPLEMENT)
