"""Parts of speech and lemmas that are looked up once are those that the model's own rules give."""

from __future__ import annotations

import spacy
from spacy.tokens import Doc

from assets.labels.open.model import DEFAULT_MODEL, parse

NARRATIONS = (
    "C picks up the knives and slices the tomatoes while the other man washes two dishes.",
    "She has been cutting the onion that they bought, and it was lying there.",
    "I don't open the door because he's holding it; I'll try again later.",
    "person A gives person B the scissors, which were on the table",
)


def test_words_have_the_forms_that_the_whole_pipeline_gives() -> None:
    whole = spacy.load(DEFAULT_MODEL, exclude=["ner", "senter"])
    for piece in parse(NARRATIONS):
        words = [token.text for token in piece.doc]
        alone = whole(Doc(whole.vocab, words=words))
        assert [(t.pos_, t.lemma_) for t in piece.doc] == [(t.pos_, t.lemma_) for t in alone]


def test_short_verbs_keep_the_e_that_tells_them_apart() -> None:
    lemmas = {
        token.text: token.lemma_
        for piece in parse(
            ["She scrapes the pan and stares at it.", "He is scraping it, then stir-frying rice."]
        )
        for token in piece.doc
    }
    assert [lemmas[word] for word in ("scrapes", "stares", "scraping", "stir-frying")] == [
        "scrape",
        "stare",
        "scrape",
        "stir-fry",
    ]


def test_doubled_letters_belong_to_the_verb_without_an_e() -> None:
    (piece,) = parse(["She taps the card and he is tapping it."])
    assert [t.lemma_ for t in piece.doc if t.text.startswith("tap")] == ["tap", "tap"]
