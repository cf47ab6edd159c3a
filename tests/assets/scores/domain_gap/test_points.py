"""Questions as points: which are drawn, where like ones lie, and what a picture says of its vectors."""

from __future__ import annotations

import numpy as np
import pytest

from assets.scores.domain_gap.plots import point_plots
from assets.scores.domain_gap.points import (
    COLOURS,
    FEWEST,
    MOST,
    WORDS,
    colour_vectors,
    domain_points,
    drawn,
    said_of,
    word_vectors,
)
from expectations.schemas import TABLES
from expectations.schemas.identity import stable_hash

SURGERY = [f"Which tool does the surgeon's left hand use in step {n}?" for n in range(10)]
DAILY = [f"What is C cooking for the family in kitchen {n}?" for n in range(10)]
DOMAINS = {**{f"s{n}": "surgery" for n in range(10)}, **{f"d{n}": "egoschema" for n in range(10)}}


def test_of_a_large_domain_those_of_lowest_hash_are_drawn() -> None:
    domains = {**{f"q{n}": "surgery" for n in range(MOST + 20)}, "x": "animals"}
    chosen = drawn(domains)
    assert len(chosen) == MOST + 1 and "x" in chosen
    left = {uid for uid in domains if uid not in chosen}
    assert min(map(stable_hash, left)) >= max(stable_hash(uid) for uid in chosen if uid != "x")


def test_what_a_question_says_does_not_tell_the_answer() -> None:
    row = {"text": "Which?", "options": [{"text": "scissors"}, {"text": "forceps"}, {"text": None}]}
    assert said_of(row) == "Which?\n\nforceps\nscissors"


def test_questions_of_a_domain_lie_together() -> None:
    vectors = dict(zip(DOMAINS, word_vectors([*SURGERY, *DAILY]), strict=True))
    found = domain_points("egocross", "text", WORDS, vectors, DOMAINS)
    assert TABLES["domain_points"].frame(found.to_dicts()).equals(found)
    assert found.equals(domain_points("egocross", "text", WORDS, vectors, DOMAINS))
    at = {
        domain: found.filter(domain=domain).select("x", "y").to_numpy()
        for domain in ("surgery", "egoschema")
    }
    # Every point is nearer the middle of its own domain.
    middle = {domain: points.mean(axis=0) for domain, points in at.items()}
    for domain, points in at.items():
        other = next(name for name in middle if name != domain)
        near, far = (np.linalg.norm(points - middle[name], axis=1) for name in (domain, other))
        assert (near < far).all()


def test_colours_tell_rooms_apart() -> None:
    red, blue = (np.full((8, 8, 3), colour, np.uint8) for colour in ((200, 20, 20), (20, 20, 200)))
    one, same, other = colour_vectors([red, red, blue])
    assert np.array_equal(one, same)
    assert np.abs(one - other).sum() > 0.5


def test_a_few_questions_make_no_picture() -> None:
    vectors = {f"s{n}": np.eye(FEWEST)[n] for n in range(FEWEST - 1)}
    assert domain_points("b", "text", WORDS, vectors, DOMAINS).is_empty()


def test_a_picture_names_what_made_its_vectors_and_its_domains() -> None:
    vectors = {uid: np.eye(20)[n] for n, uid in enumerate(DOMAINS)}
    points = domain_points("egocross", "image", COLOURS, vectors, DOMAINS)
    (plot,) = point_plots(points)
    assert plot.title == f"What clips show, by domain ({COLOURS})" and "stand-in" in plot.title
    assert plot.svg.count("<circle") == 20 + 2
    assert "surgery (10)" in plot.svg and "egoschema (10)" in plot.svg
    assert point_plots(points.clear()) == []


def test_names_from_data_are_no_marks_of_the_picture() -> None:
    domains = dict.fromkeys(DOMAINS, "<script>")
    vectors = {uid: np.eye(20)[n] for n, uid in enumerate(DOMAINS)}
    (plot,) = point_plots(domain_points("b", "text", WORDS, vectors, domains))
    assert "<script>" not in plot.svg


def test_without_scikit_learn_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sklearn.manifold", None)
    vectors = {uid: np.eye(20)[n] for n, uid in enumerate(DOMAINS)}
    with pytest.raises(RuntimeError, match="install the extra `sentences`"):
        domain_points("b", "text", WORDS, vectors, DOMAINS)
