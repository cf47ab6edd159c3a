"""Cited evidence and right letters with weak reasons, as the page shows them."""

from __future__ import annotations

from typing import Any

from assets.report.reasons import METRICS, SHOWN, cited_rows, shown_reasons, weak_reasons
from assets.report.render import render_page
from expectations.schemas import TABLES
from tests.assets.report.page_reader import Page
from tests.assets.report.report_sample import SUBTASKS, model, questions


def judgement(question_id: str, mark: float | None, **changes: Any) -> dict[str, Any]:
    return {
        "question_id": question_id,
        "question_hash": "h",
        "subtask": "s",
        "run": "r",
        "sample": 0,
        "judge": "j",
        "kind": "reasoning",
        "mark": mark,
        "reason": "no evidence",
    } | changes


def answer(question_id: str, right: bool | None, **changes: Any) -> dict[str, Any]:
    return {"question_id": question_id, "question_hash": "h", "run": "r", "sample": None} | {
        "right": right,
        **changes,
    }


def weak(rows: list[dict[str, Any]], answers: list[dict[str, Any]]) -> list[tuple[str, float]]:
    columns = list(rows[0])
    found = weak_reasons(
        TABLES["judgements"].frame(rows).select(columns), TABLES["answers"].frame(answers)
    )
    return [(one.question_id, one.mark) for one in found]


def test_only_right_letters_with_a_mark_of_at_most_two_are_weak() -> None:
    marks = {"a": 2.0, "b": 2.5, "c": 0.0, "d": 1.0, "e": None, "f": 1.0, "g": 1.0}
    rows = [judgement(uid, mark) for uid, mark in marks.items()]
    rows.append(judgement("a", 1.0, sample=1))
    rows.append(judgement("h", 0.0, kind="open"))
    answers = [answer(uid, uid not in "df") for uid in marks]
    answers[-1]["question_hash"] = "another wording"
    answers += [answer("a", right=False, sample=1), answer("h", right=True)]
    assert weak(rows, answers) == [("c", 0.0), ("a", 2.0)]


def test_their_questions_stand_on_the_page_even_where_others_come_first() -> None:
    ids = questions().filter(subtask=SUBTASKS[0]).sort("question_hash")["question_id"].to_list()
    found = weak_reasons(
        TABLES["judgements"]
        .frame([judgement(ids[-1], 1.0, subtask=SUBTASKS[0])])
        .select(*judgement("", 0)),
        TABLES["answers"].frame([answer(ids[-1], right=True)]),
    )
    with_it = render_page(model(per_subtask=1, weak_reasons=found))
    assert f'id="question-{ids[-1]}"' in with_it
    assert f'href="#question-{ids[-1]}"' in with_it
    assert f'id="question-{ids[-1]}"' not in render_page(model(per_subtask=1))
    text = Page(with_it).text
    assert "1 of 1, the lowest marks first" in text and "no evidence" in text
    assert "Right letters with weak reasons" not in Page(render_page(model())).text


def test_no_more_are_listed_than_are_shown() -> None:
    rows = [judgement(f"q{i:02}", 1.0) for i in range(SHOWN + 5)]
    found = weak_reasons(
        TABLES["judgements"].frame(rows).select(list(rows[0])),
        TABLES["answers"].frame([answer(row["question_id"], right=True) for row in rows]),
    )
    assert len(found) == SHOWN + 5
    assert shown_reasons(found) == {f"q{i:02}" for i in range(SHOWN)}


def scores(
    run: str = "good", name: str = "micro", n: int = 7, **values: float | None
) -> list[dict[str, Any]]:
    return [
        {"benchmark": "b", "run": run, "slice": name, "metric": metric, "value": values.get(metric)}
        | {"low": None, "high": None, "n": n, "n_unread": 2, "n_clusters": 1}
        for metric in METRICS
    ]


def test_cited_evidence_stands_by_run_and_slice() -> None:
    table = TABLES["grounding_scores"].frame(
        [*scores(time_precision=0.625), *scores(name="left_out"), *scores("a run")]
    )
    rows = cited_rows(table, ("macro", "micro"))
    assert [(row.run, row.slice) for row in rows] == [("a run", "micro"), ("good", "micro")]
    page = Page(render_page(model(grounding_scores=table)))
    assert "good micro 62.5 % n 7, 2 unread no value n 7, 2 unread" in page.text
    assert "Cited evidence" not in Page(render_page(model())).text


def test_runs_that_cite_nothing_are_named_once() -> None:
    table = TABLES["grounding_scores"].frame([*scores("good"), *scores("letters", n=0)])
    assert {row.run for row in cited_rows(table, ("micro",))} == {"good"}
    assert (
        "No reply cites anything that can be checked: letters."
        in Page(render_page(model(grounding_scores=table))).text
    )
    alone = TABLES["grounding_scores"].frame(scores("letters", n=0))
    text = Page(render_page(model(grounding_scores=alone))).text
    assert (
        "No reply cites anything that can be checked: letters." in text
        and "time precision" not in text
    )


def test_names_from_data_are_escaped() -> None:
    table = TABLES["grounding_scores"].frame(scores('<script>alert("r")</script>'))
    found = weak_reasons(
        TABLES["judgements"]
        .frame([judgement("q", 0.0, reason="<img src=x>")])
        .select(*judgement("", 0)),
        TABLES["answers"].frame([answer("q", right=True)]),
    )
    html = render_page(model(grounding_scores=table, weak_reasons=found))
    assert "<script>alert" not in html and "<img src=x>" not in html
    assert "&lt;img src=x&gt;" in html
