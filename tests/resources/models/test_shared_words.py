"""The baseline that reads the wording alone."""

from __future__ import annotations

import json
import math

import pytest

from assets.protocols.declared import default_protocols
from resources.models import open_engine
from resources.models.engines.shared_words import shared_share
from resources.models.runs import RunConfig
from tests.resources.models.test_engines import no_media, request

ASKED = "in which direction must they turn to look at the front door lamp?"
OPTIONS = ("back-right", "front", "front-left", "left")


@pytest.mark.parametrize(
    ("option", "share"),
    [("front", 1.0), ("front-left", 0.5), ("left", 0.0), ("FRONT", 1.0), ("", 0.0), ("doors", 0.0)],
)
def test_whole_words_count_whatever_their_case(option: str, share: float) -> None:
    assert shared_share(option, ASKED) == share


def test_it_prefers_the_option_that_the_question_repeats() -> None:
    run = RunConfig("r", "shared_words", "option_text")
    engine = open_engine(run, default_protocols()["option_text"].needs)
    assert not engine.capabilities.path_test, "its verdicts refuse"
    one = request("one", "ABCD", parts=(ASKED,), choice_texts=OPTIONS)
    two = request("two", "ABCD", parts=("where is the lamp?",), choice_texts=OPTIONS)
    told, silent = engine.ask([one, two], no_media)
    assert json.loads(told.text)["answer"] == "B"
    # Shares 0, 1, 1/2 and 0, each with a hundredth on top.
    by_hand = [0.01 / 1.54, 1.01 / 1.54, 0.51 / 1.54, 0.01 / 1.54]
    assert [math.exp(score) for score in told.option_scores] == pytest.approx(by_hand, abs=1e-5)
    alike = [math.exp(score) for score in silent.option_scores]
    assert alike == pytest.approx([0.25] * 4, abs=1e-5), "nothing repeated, nothing preferred"
    assert [r.status for r in (told, silent)] == ["ok", "ok"]


def test_it_takes_no_media() -> None:
    run = RunConfig("r", "shared_words", "direct")
    with pytest.raises(ValueError, match="takes no media"):
        open_engine(run, default_protocols()["direct"].needs)
