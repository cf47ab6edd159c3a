"""Which text of a narration is used, and what every one of them says about itself."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest

from assets.translations.rows import Attempt, Translator, automatic_texts, translation_rows
from expectations.contracts import check
from expectations.schemas import TABLES

ORIGINAL = "右手拿起杯子"
GIVEN = "The right hand picks up the cup."
GOOD = "The right hand takes the cup."
BETTER = "The right hand lifts the cup."
BAD = "The left hand takes the cup."


def segments(given: str | None = GIVEN, original: str | None = ORIGINAL) -> pl.DataFrame:
    return TABLES["segments"].frame(
        [
            {
                "source": "s",
                "recording_id": "r",
                "segment_id": "a",
                "narration": given,
                "narration_original": original,
            }
        ]
    )


def said(name: str, reply: str | None, status: str = "ok", **rest: Any) -> Translator:
    attempt = Attempt(status, reply, rest.get("error"), rest.get("finish_reason"), f"key-{name}")
    return Translator(name, f"{name}@1", {ORIGINAL: attempt})


def rows(*args: Any, **kwargs: Any) -> dict[str, dict[str, Any]]:
    made = translation_rows(*args, **kwargs)
    assert not check(TABLES["translations"], made).refused
    assert made["used"].sum() <= 1
    return {row["origin"]: row for row in made.iter_rows(named=True)}


def used(found: dict[str, dict[str, Any]]) -> str | None:
    return next((origin for origin, row in found.items() if row["used"]), None)


def test_without_a_model_what_is_given_is_used() -> None:
    found = rows(segments())
    assert used(found) == "given"
    assert found["given"]["status"] == "given"
    assert found["given"]["rule"] is None
    assert rows(segments(original=None)) == {}


def test_without_a_model_and_without_english_there_is_no_text() -> None:
    found = rows(segments(given=None))
    assert used(found) is None
    assert found["given"]["status"] == "no_model"
    assert found["given"]["text"] is None


@pytest.mark.parametrize(
    ("first", "second", "use", "statuses"),
    [
        (said("m", GOOD), None, "engine", {"engine": "translated", "given": "given"}),
        (said("m", f'"{GOOD}"'), None, "engine", {"engine": "translated"}),
        (said("m", BAD), said("n", GOOD), "second", {"engine": "failed_check", "second": "translated"}),
        (said("m", BAD), said("n", BAD), "given", {"second": "failed_check"}),
        (said("m", None, "error", error="busy"), said("n", GOOD), "second", {"engine": "error"}),
        (said("m", None, "not_asked"), None, "given", {"engine": "not_asked"}),
        (said("m", GOOD, finish_reason="length"), None, "given", {"engine": "failed_check"}),
    ],
)  # fmt: skip
def test_the_first_that_passes_is_used_and_all_are_kept(
    first: Translator, second: Translator | None, use: str, statuses: dict[str, str]
) -> None:
    found = rows(segments(), first, second)
    assert used(found) == use
    for origin, status in statuses.items():
        assert found[origin]["status"] == status
    if second is not None:
        assert {"given", "engine", "second"} == set(found)
    assert found["engine"]["call_key"] == "key-m"


def test_the_rule_that_failed_is_told() -> None:
    found = rows(segments(), said("m", BAD), said("n", "杯子"))
    assert found["engine"]["rule"] == "hand_lost"
    assert found["second"]["rule"] == "untranslated"
    (item,) = automatic_texts(translation_rows(segments(), said("m", BAD))).to_dicts()
    assert (item["text"], item["rule"]) == (GIVEN, "engine_hand_lost")


def decision(verdict: str, value: str | None = None) -> dict[str, dict[str, Any]]:
    stored = None if value is None else json.dumps(value)
    return {"a": {"verdict": verdict, "value": stored, "reviewer": "ann"}}


def test_a_correction_is_used_before_all_and_voids_no_hash() -> None:
    before = translation_rows(segments(), said("m", GOOD))
    after = translation_rows(segments(), said("m", GOOD), None, decision("correct", BETTER))
    found = {row["origin"]: row for row in after.iter_rows(named=True)}
    assert used(found) == "review"
    assert found["review"]["text"] == BETTER
    assert found["review"]["message"] == "reviewed:ann"
    hashes = [automatic_texts(made)["item_hash"].to_list() for made in (before, after)]
    assert hashes[0] == hashes[1]


def test_a_rejected_text_gives_way_to_the_next() -> None:
    assert used(rows(segments(), said("m", GOOD), None, decision("reject"))) == "given"
    assert used(rows(segments(), None, None, decision("reject"))) is None
    assert used(rows(segments(), said("m", GIVEN), None, decision("reject"))) is None


def test_accepting_changes_nothing() -> None:
    plain = translation_rows(segments(), said("m", GOOD))
    accepted = translation_rows(segments(), said("m", GOOD), None, decision("accept", GOOD))
    assert plain.equals(accepted)
    other = translation_rows(segments(), said("m", GOOD), None, decision("accept", BETTER))
    assert plain.equals(other)
    nothing = translation_rows(segments(given=None), None, None, decision("accept", BETTER))
    assert nothing.filter("used")["text"].to_list() == [BETTER]


@pytest.mark.parametrize(
    ("original", "is_other"),
    [
        ("#C C picks up the cup #unsure", False),
        (
            "C puts the cr\u00e8me br\u00fbl\u00e9e at 200\u2109 \u2014 5 \u00b5l, n\u00ba 2 \u2026",
            False,
        ),
        ("\uff23 \uff50\uff49\uff43\uff4b\uff53", False),
        ("12 !?", False),
        ("", False),
        (None, False),
        (ORIGINAL, True),
        ("C picks \u676f", True),
        ("\u0431\u0435\u0440\u0435\u0442", True),
        ("\u304b\u306a", True),
        ("\u0623\u062e\u0630", True),
        ("\ucef5", True),
    ],
)
def test_only_other_scripts_are_translated(original: str | None, is_other: bool) -> None:
    assert translation_rows(segments(original=original)).height == is_other
