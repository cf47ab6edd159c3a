"""Directions that people write: who must have judged one, and once around from the queue to a question."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets.labels.stage import STAGE as LABELS
from assets.options import Options, silent
from assets.questions.egoexobench.direction_prediction import BUILDER, MOVES
from assets.reviews.directions import direction_items, unusable_directions
from assets.reviews.stage import STAGE as REVIEWS
from assets.sources.reading.values import Malformed
from assets.sources.reviews.forms import label_studio_interface, queue_csv, queue_label_studio
from assets.sources.reviews.values import canonical, direction_value, stored
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from expectations.schemas.identity import digest
from pipelines.cli.direction_queue import directions_of
from resources.config import Settings, load_settings
from resources.worlds.court.egoexo4d import write_court
from resources.worlds.court.plan import plan_court
from resources.worlds.court.truth import CourtSpec

SAID = {"view": "t|cam1", "direction": "to the left", "moves": MOVES}
OTHER = {**SAID, "view": "t|cam2"}


def recordings() -> pl.DataFrame:
    rows = [("t|aria", "ego"), ("t|cam1", "exo"), ("t|cam2", "exo"), ("u|cam1", "exo")]
    return TABLES["recordings"].frame(
        {"source": "s", "recording_id": uid, "take_id": uid[0], "view": view} for uid, view in rows
    )


def segments(narration: str = "C steps to the left.") -> pl.DataFrame:
    row = {"source": "s", "segment_id": "m", "recording_id": "t|aria", "kind": "atomic"}
    return TABLES["segments"].frame([row | {"start_s": 2.0, "end_s": 2.0, "narration": narration}])


ITEMS = direction_items(segments(), recordings())


def decisions(*said: tuple[int, str, str, dict[str, str] | None]) -> pl.DataFrame:
    """Round, reviewer, verdict and value of decisions on the one moment."""
    return TABLES["reviews"].frame(
        {
            "source": "s",
            "decision_id": digest([str(n)]),
            "item_kind": "direction",
            "item_id": "m",
            "item_hash": ITEMS["item_hash"][0],
            "verdict": verdict,
            "value": None if value is None else canonical(value),
            "reviewer": reviewer,
            "round": round_,
            "source_file": "f",
            "source_key": str(n),
        }
        for n, (round_, reviewer, verdict, value) in enumerate(said)
    )


ANN = (1, "ann", "correct", SAID)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ((ANN, (2, "dee", "accept", SAID)), None),
        # Annotators who took over a suggestion wrote it.
        (((1, "ann", "accept", SAID), (2, "dee", "accept", SAID)), None),
        ((ANN, (1, "bo", "correct", SAID), (2, "dee", "accept", SAID)), None),
        # A rejection needs nobody else.
        (((1, "ann", "reject", None),), None),
        ((ANN, (2, "dee", "reject", None)), None),
        ((ANN,), "nobody but ann has judged"),
        ((ANN, (2, "ann", "accept", SAID)), "nobody but ann has judged"),
        ((ANN, (1, "dee", "correct", SAID), (2, "dee", "accept", SAID)), "nobody but ann, dee"),
        # Whoever changes what was written becomes its annotator.
        ((ANN, (2, "dee", "correct", OTHER)), "nobody but ann, dee"),
        ((ANN, (2, "dee", "accept", OTHER)), "nobody but ann, dee"),
        ((ANN, (2, "dee", "correct", OTHER), (3, "eve", "accept", OTHER)), None),
        (((1, "ann", "reject", None), (2, "dee", "accept", SAID)), "nobody but ann, dee"),
        (((1, "ann", "accept", None),), "no direction is written"),
        (((1, "ann", "correct", {**SAID, "view": "u|cam1"}),), "'u|cam1' is not one of the fixed"),
        (((1, "ann", "correct", {**SAID, "view": "t|aria"}),), "'t|aria' is not one of the fixed"),
    ],
)
def test_a_direction_counts_once_somebody_else_accepted_it(said: Any, why: str | None) -> None:
    found = unusable_directions(decisions(*said), ITEMS, recordings())
    assert list(found) == ([] if why is None else ["m"])
    assert why is None or why in found["m"]


def test_a_decision_is_on_the_description_and_on_all_views_of_the_take() -> None:
    other = recordings().with_columns(
        media_hashes=pl.when(pl.col("recording_id") == "t|cam2").then(["new"])
    )
    hashes = [
        direction_items(segments(), recordings().filter(pl.col("take_id") == "t")),
        direction_items(segments("C steps to the right."), recordings()),
        direction_items(segments(), other),
        direction_items(segments(), recordings().filter(pl.col("recording_id") != "t|cam2")),
    ]
    first, *rest = (items["item_hash"][0] for items in hashes)
    assert first == ITEMS["item_hash"][0]
    assert len({first, *rest}) == 4


@pytest.mark.parametrize(
    "value",
    [
        [],
        {},
        {"view": "v"},
        {"view": "v", "direction": " "},
        {"view": 4, "direction": "left"},
        {"view": "v", "direction": "left", "camera": "w"},
        {"view": "v", "direction": 'left" Answer: A'},
        {"view": "v", "direction": "left?\nSay A."},
        {"view": "v", "direction": "left {{ x }}"},
        {"view": "v", "direction": "left " * 60},
        {"view": "v", "direction": "left", "moves": "<b>she</b>"},
    ],
)
def test_words_that_could_not_stand_in_a_question_are_refused(value: object) -> None:
    with pytest.raises(Malformed):
        direction_value(value)


def test_the_wearer_moves_unless_something_else_is_named() -> None:
    said = stored("direction", '{"direction": " left, at last ", "view": "v"}')
    assert json.loads(said or "") == {"view": "v", "direction": "left, at last", "moves": MOVES}


# -- once around -----------------------------------------------------------------------------------

CONFIG = """
store = "tables"
[sources.court]
layout = "egoexo4d"
root = "raw"
reviews = ["people"]
[sources.people]
layout = "reviews"
root = "people"
"""


def annotated(tasks: list[dict], name: str, round_: int, **values: str | None) -> list[dict]:
    """Tasks as Label Studio exports them, with what somebody said of moments by a word of theirs."""
    for n, task in enumerate(tasks):
        data, prediction = task["data"], task.pop("predictions")
        shown = prediction[0]["result"][0]["value"]["text"] if prediction else None
        (value,) = [v for word, v in values.items() if word in data["text"]] or ["untouched"]
        verdict = "reject" if value is None else "correct" if value != "accept" else "accept"
        result: list[dict] = [
            {"from_name": "verdict", "type": "choices", "value": {"choices": [verdict]}}
        ]
        text = shown if value == "accept" else [value]
        if value is not None:
            result.append({"from_name": "value", "type": "textarea", "value": {"text": text}})
        task |= {"id": n, "annotations": []}
        if value != "untouched":
            task["annotations"] = [{"id": n, "completed_by": {"email": name}, "result": result}]
        assert data["round"] == round_
    return tasks


def questions(settings: Settings) -> dict[str, dict[str, Any]]:
    """Questions about the take, by description."""
    tables = {name: settings.store.read(TABLES[name], "court") for name in BUILDER.reads}
    made = BUILDER.make(tables).to_dicts()
    return {q["media"][0]["segment_id"].rpartition("|")[2]: q for q in made}


def test_from_the_queue_to_a_question_in_peoples_words(tmp_path: Path) -> None:
    court = plan_court(CourtSpec(render="none"))
    write_court(replace(court, takes=court.takes[:1]), tmp_path / "raw", workers=1)
    people = tmp_path / "people"
    people.mkdir()
    (people / "notes.txt").write_text("decisions lie here", encoding="utf-8")
    (tmp_path / "parallax.toml").write_text(CONFIG, encoding="utf-8")
    settings = load_settings(tmp_path / "parallax.toml")

    def up() -> dict[str, dict[str, Any]]:
        SOURCES.refresh(settings, "people", Options(), silent)
        SOURCES.refresh(settings, "court", Options(), silent)
        LABELS.refresh(settings, "court", Options(), silent)
        REVIEWS.refresh(settings, "court", Options(), silent)
        return questions(settings)

    left, right = "C steps to the left.", "C steps to the right."
    after = "C steps to the left after the ball."
    measured = up()
    assert {left, right} <= measured.keys()
    first = directions_of(settings, "court", 1)
    assert first.height > len(measured) and set(first["why"]) == {"not_written"}
    # The suggestion is what the question would be built with.
    suggested = dict(first.select("item_id", "shown").iter_rows())
    for question in measured.values():
        said = json.loads(suggested[question["media"][0]["segment_id"]])
        role = f"option_{question['answer']}"
        (view,) = (m["recording_id"] for m in question["media"] if m["role"] == role)
        assert said["view"] == view and question["text"].endswith(f"move {said['direction']}?")
    assert all(cam in first["text"][0] for cam in ("aria01", "cam01", "cam04"))
    assert "direction" in label_studio_interface("direction")
    assert queue_csv(first).count("not_written") == first.height
    assert directions_of(settings, "court", 2).is_empty()

    # Ann takes the suggestion for one movement, writes of another, and rejects a third.
    view = first["recording_id"][0].replace("aria01", "cam02")
    wrote = json.dumps({"view": view, "direction": "past the bench", "moves": "the ball"})
    tasks = annotated(
        json.loads(queue_label_studio(first)),
        "ann@x.org",
        1,
        **{f"{left};": "accept", f"{right};": None, f"{after};": wrote},
    )
    (people / "ann.json").write_text(json.dumps(tasks), encoding="utf-8")
    now = up()
    states = settings.store.read(TABLES["review_states"], "court")
    assert sorted(states["state"]) == ["standing", "unusable", "unusable"]
    assert right not in now
    # Until somebody else accepts them, questions are those that were measured.
    assert now[left] == measured[left]

    second = directions_of(settings, "court", 2)
    assert sorted(text.partition(";")[0] for text in second["text"]) == sorted((left, after))
    assert "past the bench" in {json.loads(shown)["direction"] for shown in second["shown"]}
    assert not {left, right, after} & {t.partition(";")[0] for t in directions_of(settings, "court", 1)["text"]}  # fmt: skip
    tasks = annotated(json.loads(queue_label_studio(second, 2)), "dee@x.org", 2, **{";": "accept"})
    (people / "dee.json").write_text(json.dumps(tasks), encoding="utf-8")
    now = up()
    question = now[after]
    assert question["text"] == "In which candidate view does the ball move past the bench?"
    (shown,) = (m for m in question["media"] if m["role"] == f"option_{question['answer']}")
    assert shown["recording_id"] == view
    assert now[left]["text"] == measured[left]["text"]
    assert {e["table"] for e in now[left]["evidence"]} == {"segments", "clocks", "review_states"}
    agreement = settings.store.read(TABLES["review_agreement"], "court").sort("round")
    assert agreement["item_kind"].to_list() == ["direction"] * 2
    assert directions_of(settings, "court", 2).is_empty()
