"""Links from the report to pages about expectation suites: those that exist, with their results as text."""

from __future__ import annotations

from pathlib import Path

from assets.report.parts import SuitePage
from assets.report.render import render_page
from assets.report.suites import suite_file, summary_tag, written_suites
from tests.assets.report.report_sample import HOSTILE, model, suite_links
from tests.assets.report.test_report import Page


def _write(report: Path, table: str, partition: str, head: str = "") -> None:
    file = suite_file(report, table, partition)
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"<html><head>{head}</head></html>", encoding="utf-8")


def _links(page: Page) -> list[str]:
    return [a["href"] or "" for t, a in page.tags if t == "a" and "-checks/" in (a["href"] or "")]


def test_only_pages_that_exist_are_linked_from_where_a_benchmarks_page_lies(tmp_path: Path) -> None:
    report = tmp_path / "my report #1.html"
    assert written_suites(report, "house") == ()
    _write(report, "labels", "house", summary_tag("8 of 9 expectations hold; not: share_of_verbs"))
    _write(report, "frames", "house", summary_tag("5 of 5 expectations hold"))
    _write(report, "frames", "green house")
    frames, labels = written_suites(report, "house")
    assert frames == SuitePage(
        "frames", "../my%20report%20%231-checks/frames.house.html", "5 of 5 expectations hold"
    )
    assert labels.summary.endswith("not: share_of_verbs")
    # A page of an earlier version states no result, and a name with a blank is nobody else's.
    assert written_suites(report, "green house") == (
        SuitePage("frames", "../my%20report%20%231-checks/frames.green_house.html", ""),
    )
    assert written_suites(report, "hous") == ()


def test_a_result_survives_the_way_through_its_page(tmp_path: Path) -> None:
    report = tmp_path / "page.html"
    _write(report, "questions", "b", summary_tag(HOSTILE))
    (found,) = written_suites(report, "b")
    assert found.summary == HOSTILE


def test_a_source_and_its_benchmark_lead_to_their_suites() -> None:
    page = Page(render_page(model(suites=suite_links())))
    assert _links(page) == [
        "../page-checks/questions.b.html",
        "../page-checks/frames.src.html",
        "../page-checks/labels.src.html",
    ]
    for text in (
        "Expectation suites",
        "questions 7 of 7 expectations hold",
        "not: gaze_in_picture",
    ):
        assert text in page.text


def test_a_report_without_judged_suites_says_nothing_of_them() -> None:
    page = Page(render_page(model()))
    assert _links(page) == [] and "xpectation suite" not in page.text


def test_hostile_results_stay_text() -> None:
    tame = Page(render_page(model(suites=suite_links())))
    hostile = Page(render_page(model(suites=suite_links(HOSTILE))))
    assert [(t, sorted(a)) for t, a in hostile.tags] == [(t, sorted(a)) for t, a in tame.tags]
    assert "7 of 7 expectations hold" + " ".join(HOSTILE.split()) in hostile.text
