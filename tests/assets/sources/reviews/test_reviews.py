"""People's decisions as a source: both forms of files, and what decisions are worth."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import polars as pl
import pytest

from assets.sources.layout import PART_TABLES, Layout, Part, PartFiles, Rows
from assets.sources.registry import layouts
from assets.sources.reviews import LAYOUT
from assets.sources.reviews.forms import (
    QUEUE,
    guarded,
    label_studio_interface,
    queue_csv,
    queue_label_studio,
    unguarded,
)
from assets.sources.reviews.reviews import read_reviews
from assets.sources.reviews.standing import item_hash, standing
from expectations.contracts import check
from expectations.schemas import TABLES

TAKE = '[{"actor":null,"at":0,"class":"take","clause":0,"hand":"left","kind":"verb","role":null,"term":"takes"}]'
HOSTILE = (
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "  =1",
    "\uff1d1",
    "'quoted'",
    "''=1",
    "<script>alert(1)</script>",
    '"a",b\r\n;c',
    "左手拿杯子 \u202e x",
)


def item(**changes: Any) -> dict[str, Any]:
    base = {
        "source": "house",
        "item_kind": "label",
        "item_id": "fine:a",
        "item_hash": "h1",
        "why": "no_verb",
        "text": "Takes a cup.",
        "original": None,
        "shown": TAKE,
        "recording_id": "r",
        "start_s": 1.0,
        "end_s": 2.5,
    }
    return base | changes


def queue(*rows: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=QUEUE)


def filled(text: str, *decisions: dict[str, str]) -> bytes:
    """A queue's CSV after a person filled in its rows, in order."""
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, rows[0].keys())
    writer.writeheader()
    writer.writerows(
        row | said for row, said in zip(rows, [*decisions, *[{}] * len(rows)], strict=False)
    )
    return out.getvalue().encode()


def annotated(task: dict[str, Any], verdict: str, by: object = 7, **rest: Any) -> dict[str, Any]:
    """A task as Label Studio exports it, annotated."""
    value = rest.pop("value", None)
    regions = [("verdict", "choices", {"choices": [verdict]})]
    regions += [("value", "textarea", {"text": [value]})] if value is not None else []
    return {
        "id": 11,
        "data": task["data"],
        "annotations": [
            {
                "id": 101,
                "completed_by": by,
                "was_cancelled": False,
                "ground_truth": False,
                "created_at": "2026-11-01T10:00:00.000000Z",
                "updated_at": "2026-11-01T10:05:00.000000Z",
                "lead_time": 4.2,
                "result": [
                    {"id": "x", "from_name": name, "to_name": "text", "type": kind,
                     "origin": "manual", "value": held}
                    for name, kind, held in regions
                ],
            }
            | rest
        ],
        "drafts": [],
        "predictions": [],
    }  # fmt: skip


def read(**files: bytes) -> Rows:
    named = {name.replace("_", ".", 1): data for name, data in files.items()}
    return read_reviews(PartFiles("people", dict(sorted(named.items()))))


def decisions(rows: Rows) -> list[dict[str, Any]]:
    checked = check(TABLES["reviews"], rows.tables["reviews"])
    assert not checked.refused
    return checked.accepted.to_dicts()


# -- files -----------------------------------------------------------------------------------------


def test_a_filled_queue_comes_back_as_decisions() -> None:
    text = queue_csv(queue(item(), item(item_id="fine:b")), 3)
    said = {"verdict": "accept", "reviewer": "ann", "decided_at": "2026-11-02T09:00:00+02:00"}
    (row,) = decisions(read(q_csv=filled(text, said)))
    assert (row["source"], row["item_id"], row["item_hash"]) == ("house", "fine:a", "h1")
    assert (row["verdict"], row["reviewer"], row["round"]) == ("accept", "ann", 3)
    assert row["value"] == row["shown"] == TAKE
    assert row["decided_at"].startswith("2026-11-02T07:00:00")


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_executes_nowhere_and_comes_back(text: str) -> None:
    assert guarded(text)[0] not in "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"
    assert unguarded(guarded(text)) == text
    row = item(item_kind="translation", item_id=text, shown=json.dumps(text), text=text)
    form = queue_csv(queue(row))
    cells = next(csv.DictReader(io.StringIO(form, newline="")))
    assert not any(cell.lstrip(" ").startswith(("=", "+", "-", "@")) for cell in cells.values())
    (back,) = decisions(read(q_csv=filled(form, {"verdict": "accept", "reviewer": "ann"})))
    assert back["item_id"] == text.strip()
    # A translation is one text: blanks around it are not part of it.
    assert json.loads(back["value"]) == text.strip()
    tasks = queue_label_studio(queue(row))
    assert not set("<>&") & set(tasks)
    assert json.loads(tasks)[0]["data"]["item_id"] == text
    export = json.dumps([annotated(json.loads(tasks)[0], "accept")]).encode()
    (same,) = decisions(read(e_json=export))
    assert (same["item_id"], same["value"]) == (back["item_id"], back["value"])


def test_label_studio_export_in_both_its_forms() -> None:
    task = json.loads(queue_label_studio(queue(item()), 2))[0]
    value = '[{"kind": "verb", "class": "put", "hand": "both"}]'
    full = annotated(task, "correct", {"id": 4, "email": "bo@x.org"}, value=value)
    flat = {
        **task["data"], "id": 12, "verdict": "correct", "value": value, "annotator": 4,
        "annotation_id": 103, "created_at": "2026-11-01T10:00:00Z", "lead_time": 3.0,
        "updated_at": "2026-11-01T10:05:00Z",
    }  # fmt: skip
    one, two = decisions(
        read(a_json=json.dumps([full]).encode(), b_json=json.dumps([flat]).encode())
    )
    stated = [{"kind": "verb", "class": "put", "hand": "both", "actor": None, "term": None, "at": None,
               "clause": 0, "role": None}]  # fmt: skip
    assert json.loads(one["value"]) == json.loads(two["value"]) == stated
    assert (one["reviewer"], two["reviewer"]) == ("bo@x.org", "label-studio:4")
    assert one["round"] == two["round"] == 2
    assert one["decided_at"] == two["decided_at"]


def test_undecided_and_skipped_are_no_decisions() -> None:
    task = json.loads(queue_label_studio(queue(item())))[0]
    skipped = annotated(task, "accept", was_cancelled=True)
    rows = read(
        q_csv=queue_csv(queue(item())).encode(),
        a_json=json.dumps([skipped, {**task, "id": 3}, {**task, "annotations": []}]).encode(),
    )
    assert decisions(rows) == []
    assert not rows.refused


@pytest.mark.parametrize(
    "said", [{"reviewer": "ann"}, {"value": '[{"kind":"verb","class":"put"}]'}, {"value": ""}]
)
def test_a_row_that_was_touched_and_has_no_verdict_is_refused(said: dict[str, str]) -> None:
    text = queue_csv(queue(item(), item(item_id="fine:b")))
    rows = read(q_csv=filled(text, said, {"verdict": "reject", "reviewer": "ann"}))
    assert [row["item_id"] for row in decisions(rows)] == ["fine:b"]
    (refused,) = rows.refused
    assert (refused["rule"], refused["row"]) == ("verdict_missing", "2")
    assert "accept, reject or correct" in refused["remedy"]


def test_blanks_around_an_item_are_none_of_it() -> None:
    data = filled(
        queue_csv(queue(item())), {"verdict": "reject", "reviewer": "ann", "item_id": " fine:a "}
    )
    (row,) = decisions(read(q_csv=data))
    assert row["item_id"] == "fine:a"


def test_the_order_of_labels_says_nothing_where_each_has_its_place() -> None:
    def stated(*labels: dict[str, Any]) -> str:
        said = {"verdict": "correct", "reviewer": "ann", "value": json.dumps(labels)}
        (row,) = decisions(read(q_csv=filled(queue_csv(queue(item())), said)))
        return row["value"]

    verb, noun = {"kind": "verb", "class": "put"}, {"kind": "noun", "class": 3, "term": "cup"}
    other = {"kind": "verb", "class": 2, "hand": "left"}
    assert stated(verb, noun, other) == stated(other, noun, verb)
    # Of a term that stands there twice, the order tells which of them is meant.
    again = noun | {"hand": "left"}
    assert stated(noun, again) != stated(again, noun)


@pytest.mark.parametrize("mark", [";", "\t"])
def test_a_spreadsheet_may_save_other_marks_than_commas(mark: str) -> None:
    data = filled(queue_csv(queue(item())), {"verdict": "accept", "reviewer": "ann"})
    (expected,) = decisions(read(q_csv=data))
    out = io.StringIO(newline="")
    rows = csv.reader(io.StringIO(data.decode(), newline=""))
    csv.writer(out, delimiter=mark).writerows(rows)
    (row,) = decisions(read(q_csv=b"\xef\xbb\xbf" + out.getvalue().encode()))
    assert row == expected


def test_the_same_decision_in_two_files_counts_once() -> None:
    data = filled(queue_csv(queue(item())), {"verdict": "reject", "reviewer": "ann"})
    (row,) = decisions(read(a_csv=data, b_csv=data))
    assert row["source_file"] == "a.csv"


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"verdict": "accept", "value": '[{"kind":"noun","class":1}]'}, "say correct"),
        ({"verdict": "correct", "value": "takes"}, "not JSON"),
        ({"verdict": "correct", "value": '[{"kind":"adverb","class":1}]'}, "neither verb nor noun"),
        ({"verdict": "correct", "value": '[{"kind":"verb","class":1,"x":1}]'}, "no field x"),
        ({"verdict": "reject", "item_hash": " "}, "item_hash is empty"),
        ({"verdict": "correct", "item_kind": "pair", "value": "1"}, "accept or reject"),
        ({"verdict": "reject", "decided_at": "yesterday"}, "ISO 8601"),
        ({"verdict": "correct", "item_kind": "translation", "value": '"\\ud800"'}, "not Unicode"),
        ({"verdict": "correct", "value": "[" * 100_000}, "nested too deeply"),
        (
            {"verdict": "correct", "value": '[{"kind":"verb","class":1,"at":-1}]'},
            "at is not a number",
        ),
        ({"verdict": "correct", "value": '[{"kind":"verb","class":1,"clause":1e3}]'}, "clause"),
        ({"verdict": "correct", "value": '[{"kind":"verb","class":[1]}]'}, "neither a number"),
        ({"verdict": "correct", "value": '[{"kind":"verb","class":1,"hand":{}}]'}, "hand is not"),
        ({"verdict": "reject", "round": "two"}, "not a number"),
    ],
)
def test_what_cannot_be_a_decision_is_refused_alone(said: dict[str, str], message: str) -> None:
    text = queue_csv(queue(item(), item(item_id="fine:b")))
    good = {"verdict": "reject", "reviewer": "ann"}
    rows = read(q_csv=filled(text, {"reviewer": "ann"} | said, good))
    assert [row["item_id"] for row in decisions(rows)] == ["fine:b"]
    (refused,) = rows.refused
    assert message in refused["message"]
    assert refused["row"] == "2"


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ({"verdict": "perhaps", "reviewer": "ann"}, "one_of:verdict"),
        ({"verdict": "correct", "reviewer": "ann", "value": ""}, "correction_has_value"),
        ({"verdict": "reject", "reviewer": " "}, "required:reviewer"),
        ({"verdict": "reject", "reviewer": "ann", "round": "0"}, "range:round"),
        ({"verdict": "reject", "reviewer": "ann", "item_kind": "thing", "value": "1", "shown": ""},
         "one_of:item_kind"),
        ({"verdict": "accept", "reviewer": "ann", "item_kind": "question"},
         "question_has_benchmark"),
        ({"verdict": "reject", "reviewer": "ann", "item_kind": "skill"}, "one_of:item_kind"),
    ],
)  # fmt: skip
def test_contract_of_decisions(said: dict[str, str], rule: str) -> None:
    rows = read(q_csv=filled(queue_csv(queue(item())), said))
    (refused,) = check(TABLES["reviews"], rows.tables["reviews"]).refused
    assert refused["rule"] == rule


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[1]", b'{"a": 1}', b'[{"data": 3}]', b'[{"data": {}, "annotations": [{}]}]',
     b'[{"data": {}, "annotations": [{"result": [{"from_name": "verdict", "value": {"choices": [3]}}]}]}]',
     b"[" * 100_000],
)  # fmt: skip
def test_broken_exports_are_refused_and_stop_nothing(data: bytes) -> None:
    good = filled(queue_csv(queue(item())), {"verdict": "reject", "reviewer": "ann"})
    rows = read(a_json=data, b_csv=good)
    assert len(decisions(rows)) == 1
    assert rows.refused


def test_interface_offers_every_verdict_and_renders_no_markup() -> None:
    said = label_studio_interface("label")
    assert all(f'value="{verdict}"' in said for verdict in ("accept", "reject", "correct"))
    assert "HyperText" not in said


def test_layout_holds_decisions_alone() -> None:
    assert layouts()["reviews"] is LAYOUT
    assert PART_TABLES["reviews"] == ("reviews",)
    mixed = (Part("recordings", read_reviews, "a"), Part("reviews", read_reviews, "b"))
    with pytest.raises(ValueError, match="comes first"):
        Layout("mixed", "", "", "inferred", mixed)


# -- standing --------------------------------------------------------------------------------------


def decided(*rows: dict[str, Any]) -> pl.DataFrame:
    base = {"source": "house", "item_kind": "pair", "item_id": "p", "item_hash": "h1",
            "verdict": "accept", "reviewer": "ann", "round": 1, "decided_at": "2026-01-01",
            "source_file": "f", "source_key": "k"}  # fmt: skip
    return TABLES["reviews"].frame(
        base | row | {"decision_id": str(at)} for at, row in enumerate(rows)
    )


def items(**hashes: str) -> pl.DataFrame:
    rows = {"item_id": list(hashes), "item_hash": list(hashes.values())}
    return pl.DataFrame(rows, schema={"item_id": pl.String(), "item_hash": pl.String()})


NO, YES = {"verdict": "reject"}, {"verdict": "accept"}
BO = {"reviewer": "bo"}
LATER = {"decided_at": "2026-01-02"}


@pytest.mark.parametrize(
    ("said", "state", "verdict", "reviewer"),
    [
        ([YES], "standing", "accept", "ann"),
        ([YES, NO | LATER], "standing", "reject", "ann"),
        ([YES | {"round": 2}, NO | LATER], "standing", "accept", "ann"),
        ([YES, YES | BO], "standing", "accept", "ann, bo"),
        ([YES, NO | BO], "conflict", None, "ann, bo"),
        ([YES, NO | BO | LATER], "conflict", None, "ann, bo"),
        ([YES, NO | BO, NO | BO | {"round": 2}], "standing", "reject", "bo"),
        ([YES, NO], "conflict", None, "ann"),
        ([YES, NO | BO, YES | BO | LATER], "standing", "accept", "ann, bo"),
        ([YES | {"item_hash": "old"}], "stale", "accept", "ann"),
        ([YES, NO | {"item_hash": "old", "round": 9}], "standing", "accept", "ann"),
        ([YES | {"decided_at": None}, NO | LATER], "conflict", None, "ann"),
        ([NO | {"decided_at": None}, YES, NO | LATER], "standing", "reject", "ann"),
        ([YES | {"value": "[1]"}, {"verdict": "correct", "value": "[1]"} | BO], "standing",
         "correct", "ann, bo"),
        ([{"verdict": "correct", "value": "[2]"}, {"verdict": "correct", "value": "[1]"} | BO],
         "conflict", None, "ann, bo"),
    ],
)  # fmt: skip
def test_the_latest_decision_on_the_content_stands(
    said: list[dict[str, Any]], state: str, verdict: str | None, reviewer: str
) -> None:
    for order in (said, said[::-1]):
        (row,) = standing(decided(*order), items(p="h1", q="h1")).to_dicts()
        assert row["state"] == state
        if verdict != "correct":
            assert row["verdict"] == verdict
        assert row["reviewer"] == reviewer
        assert row["stale"] == (state == "stale")
        assert (row["value"] is None) or state != "conflict"


def test_a_decision_on_what_is_gone_is_kept_and_stale() -> None:
    (row,) = standing(decided(NO), items(q="h1")).to_dicts()
    assert (row["state"], row["stale"], row["verdict"]) == ("gone", True, "reject")


def test_no_decisions_no_rows() -> None:
    found = standing(TABLES["reviews"].empty(), items(p="h"))
    assert found.is_empty()
    assert found.columns[:5] == ["item_id", "verdict", "value", "reviewer", "stale"]


def test_hashes_keep_kinds_and_parts_apart() -> None:
    said = {item_hash("label", "a"), item_hash("pair", "a"), item_hash("label", "a", None),
            item_hash("label", None), item_hash("label", ""), item_hash("pair", "ab", "c"),
            item_hash("pair", "a", "bc")}  # fmt: skip
    assert len(said) == 7
