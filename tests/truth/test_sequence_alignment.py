"""Sequence alignment against the plan of the court, where things are set up in an order of their own."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from assets.options import Options, silent
from assets.questions.egoexobench.sequence_alignment import BUILDER
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from resources.config import load_settings
from resources.worlds.court.course import ORDERS
from resources.worlds.court.egoexo4d import sessions_of, take_of, write_court
from resources.worlds.court.plan import plan_court
from resources.worlds.court.truth import CourtSpec

COURT = plan_court(CourtSpec(render="none"))
PLACED = {s.name: [step.thing for step in take_of(s).steps] for s in sessions_of(COURT)}


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> list[dict]:
    folder: Path = tmp_path_factory.mktemp("court")
    write_court(COURT, folder / "raw", workers=1)
    config = folder / "parallax.toml"
    config.write_text(
        'store = "tables"\n[sources.court]\nlayout = "egoexo4d"\nroot = "raw"\n', encoding="utf-8"
    )
    settings = load_settings(config)
    SOURCES.refresh(settings, "court", Options(), silent)
    given = {name: settings.store.read(TABLES[name], "court") for name in BUILDER.reads}
    return BUILDER.make(given).to_dicts()


def test_exactly_the_answer_is_true_of_what_was_placed(questions: list[dict]) -> None:
    assert sorted(steps for steps in PLACED.values() if steps) == sorted(map(list, ORDERS))
    for q in questions:
        shown = [PLACED[m["recording_id"].partition("|")[0]] for m in q["media"]]
        right = [o["letter"] for o in q["options"] if _is_true(o["text"], shown)]
        assert right == [q["answer"]]


def _is_true(text: str, shown: list[list[str]]) -> bool:
    first, second = (shown[int(n) - 1] for n in re.findall(r"Video ([12])", text))
    things = re.findall(r'"Place the ([\w ]+)"', text)
    if "includes" in text:
        return things[0] in first and things[0] not in second
    return first.index(things[0]) < first.index(things[1]) and second.index(
        things[0]
    ) > second.index(things[1])


def test_the_swapped_the_left_out_and_the_extra_step_are_asked_about(questions: list[dict]) -> None:
    told = Counter(
        thing for q in questions for thing in re.findall(r'"Place the ([\w ]+)"', q["answer_text"])
    )
    assert {"red cone", "blue cone", "green hurdle", "purple flag"} <= told.keys()
    assert {q["options"][0]["value"].partition(":")[0] for q in questions} == {"order", "presence"}
