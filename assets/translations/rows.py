"""Rows of `translations`: every English text of a narration, and which of them is used (EgoBridge B3).

A translation by the configured engine that passes the check is used; what fails goes to the second
engine; where that fails too, the English that the dataset gives is used. A reviewer's decision on the
text that would be used goes before all of these.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from assets.sources.reviews.standing import item_hash
from assets.translations.check import broken_rule, tidy
from expectations.schemas import TABLES

SYSTEM = (
    "You translate one sentence that describes what a person does with their hands in a video."
    " Translate it into one plain English sentence. Keep left hand, right hand and both hands"
    " exactly as stated, and name no hand where none is stated. Keep all numbers, tools and objects"
    " and their order. Reply with the translation alone."
)
VERSION = 1
# Signs that all scripts share (a micro sign, an angstrom) tell no language.
_OTHER_LETTER = r"[\p{L}--\p{Latin}--\p{Common}--\p{Inherited}]"


def in_another_script() -> pl.Expr:
    """Whether `narration_original` holds a letter of another script than Latin.

    Sources keep raw English there too (with its tags), and that is nothing to translate.
    """
    return pl.col("narration_original").str.contains(_OTHER_LETTER).fill_null(False)


@dataclass(frozen=True, slots=True)
class Attempt:
    """What a model made of one original.

    Attributes:
        status: `ok`, `error` or `not_asked`.
        text: Reply as it came.
        error: What went wrong.
        finish_reason: Why the model stopped, where it says.
        call_key: Call that holds the reply.
    """

    status: str
    text: str | None = None
    error: str | None = None
    finish_reason: str | None = None
    call_key: str | None = None


@dataclass(frozen=True, slots=True)
class Translator:
    """A configured model and what it made of originals it was given.

    Attributes:
        name: Name in the configuration.
        model: Model and revision.
        attempts: Attempt by original.
    """

    name: str
    model: str
    attempts: Mapping[str, Attempt]


def passes(original: str, attempt: Attempt) -> bool:
    """Whether an attempt is a translation that can be used."""
    if attempt.status != "ok" or attempt.text is None:
        return False
    return broken_rule(original, tidy(attempt.text), attempt.finish_reason) is None


def translation_rows(
    segments: pl.DataFrame,
    first: Translator | None = None,
    second: Translator | None = None,
    decisions: Mapping[str, Mapping[str, Any]] | None = None,
) -> pl.DataFrame:
    """Translations of segments whose narration was written in another script.

    Args:
        segments: Rows of `segments` (source, recording_id, segment_id, narration,
            narration_original).
        first: The configured engine, None without one.
        second: The engine for what fails the check.
        decisions: Standing decisions on translations by segment: `verdict`, `value`, `reviewer`
            (see `automatic_texts` for what they are about).

    Returns:
        Rows of `translations` in key order; one of a segment's rows at most is used.
    """
    table = TABLES["translations"]
    rows: list[dict[str, Any]] = []
    for segment in _told(segments):
        made = _texts(segment, first, second)
        rows += _decided(made, (decisions or {}).get(segment["segment_id"]))
    return table.frame(rows).sort(table.key)


def automatic_texts(translations: pl.DataFrame) -> pl.DataFrame:
    """What reviewers of translations judge: the text that is used unless they say otherwise.

    Args:
        translations: Rows of `translations`.

    Returns:
        `item_id` (segment), `item_hash`, `recording_id`, `original`, `text`, `rule` by segment.
    """
    rows = []
    own = translations.filter(pl.col("origin") != "review").sort("segment_id")
    for (segment,), group in own.group_by("segment_id", maintain_order=True):
        made = group.to_dicts()
        chosen = _automatic(made)
        text = None if chosen is None else chosen["text"]
        original = made[0]["original"]
        rows.append(
            {
                "item_id": segment,
                "item_hash": item_hash("translation", original, text),
                "recording_id": made[0]["recording_id"],
                "original": original,
                "text": text,
                "rule": _why(made, chosen),
            }
        )
    names = ("item_id", "item_hash", "recording_id", "original", "text", "rule")
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String()))


def _told(segments: pl.DataFrame) -> list[dict[str, Any]]:
    columns = ("source", "recording_id", "segment_id", "narration", "narration_original")
    told = segments.filter(in_another_script())
    return told.select(columns).sort("segment_id").to_dicts()


def _texts(
    segment: Mapping[str, Any], first: Translator | None, second: Translator | None
) -> list[dict[str, Any]]:
    """All texts of a segment, none of them marked as used."""
    original = segment["narration_original"]
    about = {name: segment[name] for name in ("source", "recording_id", "segment_id")}
    about |= {"original": original, "used": False}
    rows: list[dict[str, Any]] = []
    if segment["narration"]:
        rule = broken_rule(original, segment["narration"])
        rows.append({**about, "origin": "given", "text": segment["narration"], "status": "given",
                     "rule": rule})  # fmt: skip
    for origin, translator in (("engine", first), ("second", second)):
        attempt = None if translator is None else translator.attempts.get(original)
        if translator is None or attempt is None:
            continue
        row = {**about, "origin": origin, "engine": translator.name, "model": translator.model,
               "call_key": attempt.call_key, "message": attempt.error}  # fmt: skip
        if attempt.status == "ok":
            row["text"] = tidy(attempt.text or "")
            row["rule"] = broken_rule(original, row["text"], attempt.finish_reason)
            row["status"] = "failed_check" if row["rule"] else "translated"
        else:
            row["status"] = attempt.status
        rows.append(row)
    if not rows:
        rows.append({**about, "origin": "given", "status": "no_model"})
    return rows


_ORDER = ("engine", "second", "given")


def _automatic(rows: list[dict[str, Any]], without: str | None = None) -> dict[str, Any] | None:
    """The row that is used where nobody decided."""
    usable = {
        row["origin"]: row
        for row in rows
        if row["status"] in ("translated", "given") and row.get("text") != without
    }
    return next((usable[origin] for origin in _ORDER if origin in usable), None)


def _why(rows: list[dict[str, Any]], chosen: Mapping[str, Any] | None) -> str | None:
    """Why a segment's text is doubtful, None where it is not."""
    if chosen is None:
        last = rows[-1]
        return f"no_text_{last['rule'] or last['status']}"
    if chosen["origin"] == "given":
        # A model was asked and did not help: the first fault is the one to look at.
        failed = next((r for r in rows if r["status"] in ("failed_check", "error")), None)
        if failed is not None:
            return f"{failed['origin']}_{failed['rule'] or failed['status']}"
        return f"given_{chosen['rule']}" if chosen["rule"] else None
    return None


def _decided(
    rows: list[dict[str, Any]], decision: Mapping[str, Any] | None
) -> list[dict[str, Any]]:
    """Marks the row that is used; a reviewer's text becomes a row of its own."""
    chosen = _automatic(rows)
    if decision is not None and decision["verdict"] == "reject" and chosen is not None:
        chosen = _automatic(rows, without=chosen["text"])
    text = None if decision is None or decision["value"] is None else json.loads(decision["value"])
    verdict = None if decision is None else decision["verdict"]
    # Who accepts judged this very text (by its hash), whatever the file says it was.
    said = isinstance(text, str) and (
        verdict == "correct" or (verdict == "accept" and chosen is None)
    )
    if decision is not None and said and (chosen is None or text != chosen["text"]):
        known = ("source", "recording_id", "segment_id", "original")
        chosen = {
            **{name: rows[0][name] for name in known},
            "origin": "review",
            "text": text,
            "status": "reviewed",
            "rule": broken_rule(rows[0]["original"], text),
            "message": f"reviewed:{decision['reviewer']}",
            "used": False,
        }
        rows = [*rows, chosen]
    if chosen is not None:
        chosen["used"] = True
    return rows
