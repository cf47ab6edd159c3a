"""Captions: tokens, the COCO tools on random corpora, both readings."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.scores.metrics import UndefinedMetric
from assets.scores.metrics.captions.bleu import bleu
from assets.scores.metrics.captions.cider import cider
from assets.scores.metrics.captions.rouge import common_subsequence, rouge_l
from assets.scores.metrics.captions.scoring import score
from assets.scores.metrics.captions.tokens import tokenized, tokenized_all
from resources.meteor import Meteor
from tests.conftest import missing

# What the Java tokenizer gave, asked once.
TOKENS = {
    "The chef's knife isn't sharp, cannot cut!": "the chef 's knife is n't sharp can not cut",
    "add 1/2 tsp. of salt (a lot) to 3.5cm pieces...": "add 1/2 tsp of salt -lrb- a lot -rrb- to 3.5 cm pieces",
    "Wait!!! What?! ????meat": "wait !!! what ?! ???? meat",
    "stir-fry 10-15 minutes, 50% at 100°C": "stir-fry 10-15 minutes 50 % at 100 ° c",
    "Take A. Use no. 2 etc. Dr. Smith e.g. this": "take a. use no. 2 etc. dr. smith e.g. this",
    "put it in plate No. One bowl.Then stop": "put it in plate no one bowl.then stop",
    "don’t “quote” it’s ①": "do n't quote it 's ①",
    "1 1/2 cups and ½ cup": "1\u00a01/2 cups and 1/2 cup",
    "#C C picks and/or he/she drops": "#c c picks and/or he/she drops",
    "it’ll, we've, I'M; 'em rock'n'roll": "it 'll we 've i 'm 'em rock 'n' roll",
    "left  hand\tand — right": "left hand and right",
    "热锅，加 oil 👍 《x》": "热锅 ， 加 oil x",
    "see www.foo.com, a@b.org a_b-c <b>text</b>": "see www.foo.com a@b.org a_b-c <b> text </b>",
    "gonna lemme 'tis 5'10 C++ $5 £6": "gon na lem me 't is 5 '10 c++ $ 5 # 6",
    "hand it to A. Mr. Brown or B. Mrs. Brown": "hand it to a mr. brown or b. mrs. brown",
    "C# in a C+ D++": "c# in a c + d + +",
    "“put it ‘here.’” “”": "put it here ''' ``''",
    "don`t, can‘t": "do n`t ca n`t",
    "cut\u200bting soft\u00adly": "cut ting softly",
    "1\\/2 or 1\u20442 cup \\/ x": "1\\/2 or 1\u20442 cup \\ / x",
    "an e\u0301clair": "an e\u0301clair",
    "": "",
    " .,;:'\"`-- ": "",
}
WORDS = "the cat sat on a mat g\u00a0h".split(" ")
SENTENCE = st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join)
CORPUS = st.lists(
    st.tuples(SENTENCE, st.lists(SENTENCE, min_size=1, max_size=3)), min_size=1, max_size=5
)


@pytest.mark.parametrize(("caption", "wanted"), TOKENS.items())
def test_tokens(caption: str, wanted: str) -> None:
    assert tokenized(caption) == wanted


def test_the_next_line_is_read_on_into() -> None:
    captions = ["give it to person A.", "The bowl falls."]
    assert tokenized_all(captions) == ["give it to person a.", "the bowl falls"]
    assert tokenized_all(captions, "parity") == ["give it to person a", "the bowl falls"]


def test_a_break_within_a_caption_makes_two_lines() -> None:
    captions = ["take\u2028it", "cut it\r", "wash\r\nit", "stir", "a\nb"]
    assert tokenized_all(captions) == ["take it", "cut it", "wash it", "stir", "a b"]
    # What the Java tokenizer gave: the later ones are handed to the wrong captions.
    assert tokenized_all(captions, "parity") == ["take", "it", "cut it", "wash", "it"]


@given(st.text(max_size=60))
def test_any_text_has_tokens(text: str) -> None:
    for token in tokenized(text).split(" "):
        assert token == token.strip(" \n")


def coco() -> tuple:
    try:
        from pycocoevalcap.bleu.bleu import Bleu
        from pycocoevalcap.cider.cider import Cider
        from pycocoevalcap.rouge.rouge import Rouge
    except ImportError:
        missing("the COCO caption tools", 'pip install "parallax[captions]"')
    return Bleu(4), Cider(), Rouge()


def test_equal_to_the_coco_tools_on_random_corpora() -> None:
    rng = random.Random(5)
    for _ in range(150):
        n = rng.randint(1, 6)
        captions = [" ".join(rng.choices(WORDS, k=rng.randint(0, 8))) for _ in range(n)]
        references = [
            [" ".join(rng.choices(WORDS, k=rng.randint(0, 8))) for _ in range(rng.randint(1, 4))]
            for _ in range(n)
        ]
        their_bleu, their_cider, their_rouge = coco()
        gts, res = dict(enumerate(references)), {i: [text] for i, text in enumerate(captions)}
        corpus, items = their_bleu.compute_score(gts, res, verbose=0)
        ours = bleu(captions, references, "parity")
        assert np.allclose(ours.corpus or (), corpus, rtol=0, atol=1e-12)
        assert np.allclose(ours.items, np.array(items).T, rtol=0, atol=1e-12)
        corpus, items = their_rouge.compute_score(gts, res)
        assert np.allclose(rouge_l(captions, references, "parity").items, items, rtol=0, atol=1e-12)
        if not any(text.split() for given in references for text in given):
            with pytest.raises(UndefinedMetric):
                cider(captions, references, "parity")
            continue
        corpus, items = their_cider.compute_score(gts, res)
        found = cider(captions, references, "parity")
        assert found.corpus == pytest.approx(corpus, abs=1e-9)
        assert np.allclose(found.items, items, rtol=0, atol=1e-9)


@given(CORPUS)
def test_paper_stays_in_its_range(corpus: list[tuple[str, list[str]]]) -> None:
    captions, references = [text for text, _ in corpus], [given for _, given in corpus]
    found = bleu(captions, references)
    assert found.corpus is not None and all(0 <= value <= 1 for value in found.corpus)
    assert (found.items >= 0).all() and (found.items <= 1).all()
    assert 0 <= (rouge_l(captions, references).corpus or 0) <= 1
    weighed = cider(captions, references)
    assert (weighed.corpus is None) == (len(captions) < 2)


@given(st.lists(st.sampled_from("abc"), max_size=8), st.lists(st.sampled_from("abc"), max_size=8))
def test_common_subsequence(one: list[str], other: list[str]) -> None:
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            table[i + 1][j + 1] = (
                table[i][j] + 1 if a == b else max(table[i][j + 1], table[i + 1][j])
            )
    assert common_subsequence(one, other) == table[-1][-1]


def test_what_the_constants_of_the_tools_do() -> None:
    # Two of two words, no pair of three words in a row.
    paper, parity = (bleu(["a b"], [["a b"]], mode) for mode in ("paper", "parity"))
    assert paper.corpus == (1.0, 1.0, 0.0, 0.0)
    assert parity.corpus is not None and 0 < parity.corpus[3] < 0.1 and parity.corpus[0] < 1
    assert bleu(["", "a"], [["b"], ["a"]]).corpus == pytest.approx((math.exp(-1), 0, 0, 0))


def test_nothing_to_score() -> None:
    assert bleu([], []).corpus is None and rouge_l([], []).corpus is None
    assert cider([], []).corpus is None and cider(["a"], [["a"]]).corpus is None
    assert cider(["a"], [["a"]], "parity").corpus == 0.0
    with pytest.raises(UndefinedMetric, match="max"):
        cider([], [], "parity")
    assert rouge_l([""], [[""]]).corpus == 0.0
    # An empty word matches an empty word.
    assert rouge_l([""], [[""]], "parity").corpus == pytest.approx(1.0)
    assert math.isnan(rouge_l([], [], "parity").corpus or 0.0)
    for function in (bleu, cider, rouge_l):
        with pytest.raises(UndefinedMetric, match="item 0"):
            function(["a"], [[]])
        with pytest.raises(ValueError, match="1 captions"):
            function(["a"], [])


def test_all_at_once() -> None:
    captions, references = (
        ["Cut the carrot.", "Wash it!"],
        [["cut the carrot"], ["rinse it", "wash it"]],
    )
    found = score(captions, references, meteor=lambda caps, refs: float(len(caps)))
    assert found.n == 2 and found.values["ROUGE_L"] == 1.0 and found.values["METEOR"] == 2.0
    assert found.values["Bleu_2"] == 1.0 and found.values["CIDEr"] == pytest.approx(6.25, abs=1.3)
    assert "METEOR" not in score(captions, references).values


@pytest.mark.parametrize(
    ("given", "wanted"),
    [(0.25, 0.25), (None, None), (Meteor(0.25, (0.25,)), 0.25), (Meteor(None, ()), None)],
)
def test_meteor_as_a_value_or_as_its_result(given: float | Meteor | None, wanted: float) -> None:
    found = score(["cut it"], [["cut it"]], meteor=lambda _captions, _references: given)
    assert found.values["METEOR"] == wanted
