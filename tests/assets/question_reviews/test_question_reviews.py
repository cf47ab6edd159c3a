"""Decisions of people on questions: out as tasks, in from files, and what follows from them."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import polars as pl
import pytest

from assets.question_reviews.outcomes import ITEM_COLUMNS, question_outcomes, question_version
from assets.question_reviews.queue import question_queue, undecided
from assets.question_reviews.sample import sample_per_group, sample_per_subtask
from assets.sources.layout import PartFiles
from assets.sources.reviews.forms import (
    label_studio_interface,
    queue_csv,
    queue_label_studio,
)
from assets.sources.reviews.reviews import read_reviews
from expectations.contracts import check
from expectations.gates import EvidenceTables
from expectations.gates.base import Derived, Question
from expectations.gates.reviewed import GATE
from expectations.schemas import TABLES

OPTIONS = [
    {"letter": "A", "text": "=pour <b>", "segment_id": None, "value": "a", "is_answer": True},
    {"letter": "B", "text": "cut", "segment_id": None, "value": "b", "is_answer": False},
]
MEDIUM = {
    "role": "query",
    "recording_id": "r1",
    "start_s": 1.0,
    "end_s": 3.5,
    "overlays": [{"kind": "box", "label": "P1", "colour": "red"}],
}


def question(key: str, **changes: Any) -> dict[str, Any]:
    return {
        "benchmark": "bench",
        "source": "house",
        "pool": "house/recipe@1/take",
        "subtask": "order",
        "recipe": "recipe@1",
        "question_id": key,
        "question_hash": f"{key} as shown",
        "recording_id": f"r{int(key[1:]) % 4}",
        "text": "Which comes next?",
        "options": OPTIONS,
        "media": [MEDIUM],
        "answer": "A",
        "detailed_answer": "The tap was opened.",
        "rationale": [],
        "evidence": [],
        "media_present": True,
        "chance": 0.5,
    } | changes


def questions(*rows: dict[str, Any]) -> pl.DataFrame:
    return TABLES["questions"].frame(rows)


def queue(*rows: dict[str, Any], **frames: list[str]) -> pl.DataFrame:
    return question_queue(questions(*rows), TABLES["question_reviews"].empty(), frames)


def read(text: str | bytes, name: str = "round-1.csv") -> tuple[pl.DataFrame, list[str]]:
    data = text.encode() if isinstance(text, str) else text
    found = read_reviews(PartFiles("people", {name: data}))
    return found.tables["reviews"], [refusal.message for refusal in found.refused]


def decided(text: str, *decisions: dict[str, str]) -> str:
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, rows[0].keys())
    writer.writeheader()
    writer.writerows(row | said for row, said in zip(rows, decisions, strict=True))
    return out.getvalue()


ACCEPT = {"verdict": "accept", "reviewer": "ann"}
REJECT = {"verdict": "reject", "reviewer": "ann", "note": "two options are right"}


def outcomes(reviews: pl.DataFrame, *now: dict[str, Any]) -> dict[str, pl.DataFrame]:
    found = question_outcomes("bench", "house", reviews, questions(*now).select(ITEM_COLUMNS))
    assert {name: rows.schema for name, rows in found.items()} == {
        name: TABLES[name].schema for name in found
    }
    return found


def reviews_of(*said: tuple[str, str, str], round_: int = 1) -> pl.DataFrame:
    """Decisions by key of the question, reviewer and verdict."""
    texts = []
    for key, reviewer, verdict in said:
        note = "wrong" if verdict == "reject" else ""
        row = {"verdict": verdict, "reviewer": reviewer, "note": note}
        texts.append(read(decided(queue_csv(queue(question(key)), round_), row))[0])
    return pl.concat(texts)


def test_a_queue_comes_back_with_the_reasons_from_a_file_a_person_writes() -> None:
    text = queue_csv(queue(question("q1"), question("q2"), question("q3")), 2)
    rows, refused = read(decided(text, ACCEPT, REJECT, {}))
    assert refused == []
    kept = rows.select("benchmark", "item_kind", "item_id", "verdict", "note", "round").rows()
    assert kept == [
        ("bench", "question", "q1", "accept", None, 2),
        ("bench", "question", "q2", "reject", "two options are right", 2),
    ]
    assert rows["item_hash"][0] == question_version("q1 as shown", "A", None)
    assert rows["value"].is_null().all() and rows["shown"].is_null().all()


def test_tasks_name_clips_options_and_frames_and_an_export_comes_back() -> None:
    tasks = json.loads(queue_label_studio(queue(question("q1"), q1=["/a/0.jpg", "/a/1.jpg"])))
    (task,) = tasks
    data = task["data"]
    assert data["frames"] == ["/a/0.jpg", "/a/1.jpg"]
    assert data["text"] == "Which comes next?\nA. =pour <b>\nB. cut"
    assert data["clips"] == "query: r1 1.00 to 3.50 s (marked: red P1)"
    assert (data["answer"], data["explanation"]) == ("A", "The tap was opened.")
    assert task["predictions"] == [], "no verdict is suggested"
    named = set(data) | {"round"}
    interface = label_studio_interface("question")
    for control in ("$frames", "$clips", "$text", "$answer", "$explanation"):
        assert control in interface and control[1:] in named
    assert "correct" not in interface
    result = [
        {"from_name": "verdict", "value": {"choices": ["reject"]}},
        {"from_name": "note", "value": {"text": ["the mark hides the hand"]}},
    ]
    annotation = {"id": 4, "completed_by": {"email": "bob@example.org"}, "result": result}
    export = json.dumps([{"id": 1, "data": data, "annotations": [annotation]}])
    rows, refused = read(export, "export.json")
    assert refused == []
    (row,) = rows.to_dicts()
    assert (row["item_id"], row["verdict"], row["note"], row["reviewer"]) == (
        "q1",
        "reject",
        "the mark hides the hand",
        "bob@example.org",
    )
    minimal = {**data, "id": 1, "annotation_id": 4, "annotator": 7, "verdict": "accept"}
    assert read(json.dumps([minimal]), "min.json")[0]["verdict"].to_list() == ["accept"]


@pytest.mark.parametrize(
    ("said", "part"),
    [
        ({"verdict": "correct", "reviewer": "ann"}, "nothing in a question can be corrected"),
        ({**ACCEPT, "item_id": " "}, "item_id is empty"),
        ({**ACCEPT, "item_hash": ""}, "item_hash is empty"),
    ],
)
def test_what_cannot_be_decided_is_refused(said: dict[str, str], part: str) -> None:
    rows, refused = read(decided(queue_csv(queue(question("q1"))), said))
    assert rows.is_empty() and part in refused[0]


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ({**ACCEPT, "benchmark": ""}, "question_has_benchmark"),
        ({**REJECT, "note": " "}, "rejection_has_reason"),
    ],
)
def test_contract_of_decisions_on_questions(said: dict[str, str], rule: str) -> None:
    rows, _ = read(decided(queue_csv(queue(question("q1"))), said))
    judged = check(TABLES["reviews"], rows)
    assert [refusal["rule"] for refusal in judged.refused] == [rule]


def test_a_decision_is_stale_when_text_or_answer_move_and_gone_with_its_question() -> None:
    rows = reviews_of(("q1", "ann", "reject"))
    now = {
        "standing": [question("q1")],
        "stale": [question("q1", question_hash="worded otherwise")],
        "gone": [question("q2")],
    }
    for state, there in now.items():
        (row,) = outcomes(rows, *there)["question_reviews"].to_dicts()
        assert (row["state"], row["reason"]) == (state, "wrong")
        assert row["item_hash"] == question_version("q1 as shown", "A", None)
    (row,) = outcomes(rows, question("q1", answer="B"))["question_reviews"].to_dicts()
    assert row["state"] == "stale", "another option is right now"


def test_rounds_count_by_subtask_and_reviewers_who_disagree_settle_nothing() -> None:
    said = [("q1", "ann", "accept"), ("q1", "bob", "reject"), ("q2", "ann", "reject")]
    found = outcomes(reviews_of(*said), question("q1"), question("q2", subtask="relation"))
    states = found["question_reviews"].select("question_id", "state", "verdict", "reviewer").rows()
    assert states == [("q1", "conflict", None, "ann, bob"), ("q2", "standing", "reject", "ann")]
    counts = ("subtask", "reviewer", "questions", "accepted", "rejected", "conflicts", "standing")
    assert found["question_review_rounds"].select(counts).rows() == [
        ("order", "ann", 1, 1, 0, 1, 0),
        ("order", "bob", 1, 0, 1, 1, 0),
        ("relation", "ann", 1, 0, 1, 0, 1),
    ]
    later = pl.concat([reviews_of(*said), reviews_of(("q1", "eve", "accept"), round_=2)])
    settled = outcomes(later, question("q1"), question("q2"))["question_reviews"]
    assert settled.filter(question_id="q1")["state"].to_list() == ["standing"]


def test_agreement_of_reviewers_is_that_of_labels() -> None:
    verdicts = {"ann": "arraarara", "bob": "arraararr"}
    names = {"a": "accept", "r": "reject"}
    said = [
        (f"q{n}", who, names[letter])
        for who, letters in verdicts.items()
        for n, letter in enumerate(letters)
    ]
    now = [question(f"q{n}") for n in range(9)]
    (row,) = outcomes(reviews_of(*said), *now)["question_review_agreement"].to_dicts()
    chance = (5 * 4 + 4 * 5) / 81
    assert (row["subtask"], row["n_items"]) == ("order", 9)
    assert row["kappa"] == pytest.approx((8 / 9 - chance) / (1 - chance))
    assert row["same_outcome"] == pytest.approx(8 / 9)


def verdict(row: dict[str, Any], *decisions: tuple[str, str, str]) -> tuple[str, str, str]:
    """Verdict, rule and message of the gate on a question after decisions on it as `question` gives it."""
    said = outcomes(reviews_of(*decisions), row)["question_reviews"] if decisions else None
    by_id = {} if said is None else {one["question_id"]: one for one in said.to_dicts()}
    given = EvidenceTables({}, reviews=by_id)
    (finding,) = GATE.judge(Question(row), given, Derived())
    return finding.verdict, finding.rule, finding.message


def test_the_gate_refuses_what_a_person_rejected_and_nothing_else() -> None:
    row = question("q1")
    assert verdict(row, ("q1", "ann", "reject")) == (
        "refuse",
        "rejected",
        "rejected by ann: wrong",
    )
    assert verdict(row, ("q1", "ann", "accept"))[:2] == ("pass", "accepted")
    assert verdict(row)[:2] == ("unknown", "not_reviewed")
    assert verdict(row, ("q2", "ann", "reject"))[:2] == ("unknown", "not_reviewed")
    both = (("q1", "ann", "accept"), ("q1", "bob", "reject"))
    assert verdict(row, *both)[:2] == ("warn", "conflict")
    moved = question("q1", question_hash="worded otherwise")
    assert verdict(moved, ("q1", "ann", "reject"))[:2] == ("unknown", "stale")
    assert not GATE.mandatory, "a question that nobody has looked at may be published"


def test_with_accepted_only_the_gate_refuses_what_people_did_not_accept() -> None:
    row = question("q1")

    def said(*decisions: tuple[str, str, str], of: dict[str, Any] = row, **flow: str) -> str:
        found = outcomes(reviews_of(*decisions), of)["question_reviews"] if decisions else None
        rows = () if found is None else found.to_dicts()
        reviews = {one["question_id"]: one | flow for one in rows}
        given = EvidenceTables({}, reviews=reviews, accepted_only=True)
        (finding,) = GATE.judge(Question(of), given, Derived())
        assert (finding.verdict, finding.rule) in (("pass", "accepted"), ("refuse", "not_accepted"))
        return finding.message.removeprefix("only accepted questions are published: ")

    assert said() == "no person has judged this one"
    assert said(("q1", "ann", "accept")) == "people accepted the question"
    assert said(("q1", "ann", "reject")) == "ann rejected it"
    assert said(("q1", "ann", "accept"), ("q1", "bob", "reject")) == "ann, bob disagree"
    moved = question("q1", question_hash="worded otherwise")
    assert said(("q1", "ann", "accept"), of=moved) == "ann judged another version"
    # Where it is reviewed in steps, one acceptance is not yet the end.
    one = ("q1", "ann", "accept")
    assert said(one, flow="screening", waits="1 of 4 have screened it") == "1 of 4 have screened it"
    assert said(one, flow="accepted", waits="all judges agree") == "people accepted the question"


def test_decided_questions_leave_the_queue_and_stale_ones_return() -> None:
    rows = [question("q1"), question("q2"), question("q3")]
    said = reviews_of(("q1", "ann", "accept"), ("q2", "ann", "accept"))
    moved = [rows[0], question("q2", question_hash="worded otherwise"), rows[2]]
    states = outcomes(said, *moved)["question_reviews"]
    left = undecided(questions(*moved), states)
    shown = question_queue(left, states, {})
    assert shown.select("item_id", "why").rows() == [("q2", "stale"), ("q3", "sample")]


def test_a_sample_depends_on_content_alone_and_keeps_what_it_drew() -> None:
    rows = [question(f"q{n}", subtask="ab"[n % 2]) for n in range(40)]
    drawn = sample_per_subtask(questions(*rows), 5, "review")
    assert drawn["subtask"].value_counts().sort("subtask").rows() == [("a", 5), ("b", 5)]
    again = sample_per_subtask(questions(*reversed(rows)), 5, "review")
    assert again["question_id"].to_list() == drawn["question_id"].to_list()
    fewer = sample_per_subtask(questions(*rows[:-2]), 5, "review")
    assert len(set(fewer["question_id"]) - set(drawn["question_id"])) <= 2
    other = sample_per_subtask(questions(*rows), 5, "human")
    assert set(other["question_id"]) != set(drawn["question_id"])


CHAIN = {
    "subtask": "chain_of_actions",
    "answer_kind": "sequences",
    "options": [],
    "answer": None,
    "answer_text": '[[2, 1, 3], ["F", "A"]]\n[[1, 2, 3], ["G", "A"]]',
    "candidates": [
        {"number": n, "text": text, "value": str(n)}
        for n, text in enumerate(("Fill the bottles", "Sign the sheet", "Fold the bibs"), 1)
    ],
}


def test_every_valid_answer_of_a_chain_is_shown_in_words() -> None:
    rows = questions(question("q1", **CHAIN))
    none = TABLES["question_reviews"].empty()
    (task,) = question_queue(rows, none, {}, {"F": "front-left", "A": "right"}).to_dicts()
    assert task["answer"].splitlines() == [
        "1. Sign the sheet - (front-left) Fill the bottles - (right) Fold the bibs",
        "2. Fill the bottles - (G) Sign the sheet - (right) Fold the bibs",
    ]


def test_all_chains_are_drawn_where_the_rest_is_sampled() -> None:
    chains = [question(f"q{n}", **CHAIN) for n in range(30)]
    rows = questions(*chains, *(question(f"q{n}") for n in range(30, 60)))
    drawn = sample_per_subtask(rows, 5, "review", ("sequences",))
    assert dict(drawn["subtask"].value_counts().iter_rows()) == {"chain_of_actions": 30, "order": 5}
    assert (
        sample_per_subtask(rows, 5, "review")["subtask"].to_list()
        == ["chain_of_actions"] * 5 + ["order"] * 5
    )
    # What is sampled of the others does not depend on it.
    assert drawn.tail(5).equals(sample_per_subtask(rows, 5, "review").tail(5))


def test_a_group_is_spread_over_its_subtasks() -> None:
    counts = {"near": 40, "far": 10, "other": 40}
    keys = iter(range(90))
    rows = questions(
        *(question(f"q{next(keys)}", subtask=name) for name, n in counts.items() for _ in range(n))
    )
    groups = {"both": ("near", "far")}

    def drawn(count: int) -> dict[str, int]:
        found = sample_per_group(rows, count, "reply", groups)
        assert found.columns == rows.columns
        return dict(found["subtask"].value_counts().iter_rows())

    assert drawn(16) == {"far": 8, "near": 8, "other": 16}
    # A subtask that has too few leaves its share to the others.
    assert drawn(30) == {"far": 10, "near": 20, "other": 30}
    assert drawn(99) == counts
    few = sample_per_group(rows, 16, "reply", groups)
    assert set(few["question_id"]) <= set(
        sample_per_group(rows, 30, "reply", groups)["question_id"]
    )
