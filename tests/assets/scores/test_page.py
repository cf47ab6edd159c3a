"""The static page: complete, self-contained, and deaf to what data would like it to be."""

from __future__ import annotations

import io
from html.parser import HTMLParser
from typing import Any

import polars as pl
import pytest
from PIL import Image

from assets.scores.page import Medium, PageModel, jpeg_uri, render_page
from assets.scores.page_model import (
    build_page_model,
    clips_of,
    funnel,
    refusals,
    shown_questions,
)
from assets.scores.table import score
from expectations.schemas import TABLES

HOSTILE = (
    """<script>alert("x")</script>'"><img src=http://evil.example/a.png onerror=alert(1)>"""
    "{{ 7*7 }}&amp;</style>"
)
VOID = {"meta", "img", "br", "link", "input", "hr"}
# SVG shapes are written as self-closing.
SVG_VOID = {"path", "rect", "circle"}


class Page(HTMLParser):
    """Elements, text and attributes of a page; fails on tags that do not nest."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == [], f"not closed: {self._open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        assert tag in SVG_VOID | VOID

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"</{tag}> closes nothing"
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self._open or self._open[-1] != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    def count(self, tag: str, **attributes: str) -> int:
        return sum(
            t == tag and all((a.get(k.rstrip("_")) or "") == v for k, v in attributes.items())
            for t, a in self.tags
        )


def jpeg(level: int = 90) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (8, 6), (level, 20, 30)).save(out, "JPEG")
    return out.getvalue()


def model(word: str = "", **changes: Any) -> PageModel:
    """A small benchmark; `word` is put into every text that comes from data."""
    letters = "ABC"
    questions = TABLES["questions"].frame(
        {
            "benchmark": "b",
            "source": "src" + word,
            "pool": "p" + word,
            "subtask": subtask + word,
            "recipe": "r" + word,
            "question_id": f"id-{subtask}{i}" + word,
            "question_hash": f"{i}{subtask}" + word,
            "split": "val" + word,
            "recording_id": f"rec{i}" + word,
            "text": "Which clip?" + word,
            "options": [
                {
                    "letter": x,
                    "text": f"text {x}" + word,
                    "segment_id": x + word,
                    "is_answer": x == "B",
                }
                for x in letters
            ],
            "media": [
                {
                    "role": role,
                    "recording_id": f"rec{i}" + word,
                    "segment_id": f"seg-{role}" + word,
                    "media_kind": "clip",
                    "start_s": float(k),
                    "end_s": k + 0.5,
                    "content": "c0ffee" + word,
                }
                for k, role in enumerate(("query", *(f"option_{x}" for x in letters)))
            ],
            "answer": "B",
            "chance": 1 / 3,
            "media_present": i != 1,
            "evidence": [{"table": "pairs" + word, "key": "pair7" + word, "role": "pair" + word}],
            "licence": "CC BY" + word,
        }
        for subtask in ("k3", "k4")
        for i in range(4)
    )
    said = {"good": "Answer: B", "lost": "I cannot determine it."}
    calls, answers = [], []
    for q in questions.iter_rows(named=True):
        for run, reply in said.items():
            right = run == "good"
            key = {"benchmark": "b", "run": run + word, "question_id": q["question_id"]}
            key |= {"question_hash": q["question_hash"], "attempt": 0}
            key |= {"call_key": f"key-{run}-{q['question_id']}"}
            calls.append(
                key
                | {
                    "protocol": "direct/1" + word,
                    "model": "model@7" + word,
                    "prompt": "?" + word,
                    "media_recipe": "{}",
                    "reply": reply + word,
                    "status": "ok",
                    "asked_at": "2026-01-01T00:00:00Z",
                    "seconds": 0.1,
                }
            )
            answers.append(
                key
                | {
                    "subtask": q["subtask"],
                    "recording_id": q["recording_id"],
                    "letter": "B" if right else None,
                    "status": "parsed" if right else "refused",
                    "rule": "answer_is" + word,
                    "right": right,
                    "chance": 1 / 3,
                }
            )
    stages = ["not_chosen", "sets", "negatives_5", "negatives_5", "negatives_20"]
    given: dict[str, Any] = {
        "title": "Parallax" + word,
        "benchmark": "b",
        "questions": questions,
        "calls": TABLES["calls"].frame(calls),
        "answers": TABLES["answers"].frame(answers),
        "scores": score(TABLES["answers"].frame(answers)),
        "candidates": candidates(stages, "src" + word),
        "quarantine": quarantine(word),
        "recordings": pl.DataFrame(
            {
                "source": ["src" + word] * 3,
                "media": ["present", "present", "missing"],
                "licence": ["CC BY" + word] * 3,
            }
        ),
        "source_status": {"src" + word: "listed" + word, "gone": "absent"},
        "frames": {("rec0" + word, 0.0, 0.5): [jpeg(), jpeg(40)]},
        "protocol_notes": {"direct/1" + word: "Eight frames." + word},
        "state": "5f4f" + word,
        "is_sample": True,
        "per_subtask": 2,
    }
    return build_page_model(**(given | changes))


def candidates(stages: list[str], source: str) -> pl.DataFrame:
    return TABLES["candidates"].frame(
        {"source": source, "pair_id": str(i), "stage": stage} for i, stage in enumerate(stages)
    )


def quarantine(word: str) -> pl.DataFrame:
    return TABLES["quarantine"].frame(
        {
            "source": "src" + word,
            "stage": "sources" + word,
            "unit": "u",
            "refusal": str(i),
            "file": f"fine_{i}.csv" + word,
            "row": "12" + word,
            "rule": rule + word,
            "value": "-3.2" + word,
            "message": "segment ends before its start" + word,
            "remedy": "correct the times" + word,
        }
        for i, rule in enumerate(["end_after_start", "reference", "end_after_start"])
    )


def test_page_says_it_all() -> None:
    page = Page(render_page(model()))
    for said in (
        "These scores test the machine, not the models",
        "8 questions, 6 with all their media here",
        "100.0",
        "4 unparsed",
        "8 unparsed",
        "chance 33.3",
        "n 8 from 4 recordings",
        "refused",
        "segment ends before its start",
        "fine_0.csv · 12 · -3.2",
        "correct the times",
        "I cannot determine it.",
        "✓ right option",
        "id-k30",
        "seg-option_C",
        "c0ffee",
        "pairs pair7",
        "key-good-id-k30",
        "model@7",
        "Eight frames.",
        "absent",
    ):
        assert said in page.text, said


def test_page_needs_nothing_from_outside() -> None:
    html = render_page(model())
    page = Page(html)
    assert page.count("script") == page.count("link") == page.count("iframe") == 0
    sources = [a["src"] or "" for t, a in page.tags if t == "img"]
    assert len(sources) == 4
    assert all(s.startswith("data:image/jpeg;base64,") for s in sources)
    assert all((a.get("href") or "#").startswith("#") for _, a in page.tags)
    for word in ("http://", "https://", "url(", "@import"):
        assert word not in html


def test_hostile_text_stays_text_in_every_field() -> None:
    tame, hostile = Page(render_page(model())), Page(render_page(model(HOSTILE)))
    # Not one element, attribute or style more than the tame page has.
    assert [t for t, _ in hostile.tags] == [t for t, _ in tame.tags]
    assert [sorted(a) for _, a in hostile.tags] == [sorted(a) for _, a in tame.tags]
    assert "49" not in hostile.text.replace("5f4f", "")
    flat = " ".join(HOSTILE.split())
    for field in (
        "Parallax",
        "5f4f",
        "good",
        "lost",
        "direct/1",
        "Eight frames.",
        "model@7",
        "src",
        "listed",
        "CC BY",
        "sources",
        "end_after_start",
        "fine_0.csv",
        "12",
        "-3.2",
        "segment ends before its start",
        "correct the times",
        "k3",
        "Which clip?",
        "text C",
        "rec0",
        "seg-query",
        "c0ffee",
        "val",
        "pairs",
        "pair7",
        "pair",
        "answer_is",
        "Answer: B",
        "I cannot determine it.",
        "id-k30",
        "0k3",
        "key-good-id-k30",
    ):
        shown = {field + flat, field + flat.replace("_", " ")}
        assert any(s in hostile.text for s in shown), field


def test_same_model_same_page() -> None:
    assert render_page(model()) == render_page(model())


def test_empty_benchmark_has_a_page() -> None:
    names = ("questions", "calls", "answers", "scores", "candidates", "quarantine", "recordings")
    empty = {name: TABLES[name].empty() for name in names}
    page = Page(render_page(model(**empty, source_status={}, is_sample=False)))
    for said in (
        "No run has been scored yet",
        "No pairs have been searched",
        "Nothing was refused",
        "There are no questions yet",
        "No source is configured",
    ):
        assert said in page.text
    assert "test the machine" not in page.text


def test_intervals_are_drawn_and_told() -> None:
    html = render_page(model())
    page = Page(html)
    labels = [a["aria-label"] or "" for t, a in page.tags if t == "svg" and "aria-label" in a]
    assert len(labels) == 2 * 4
    # All four of four recordings right: Wilson with n = 4 and t of 3 degrees of freedom (3.182),
    # low end 4 / (4 + 3.182 ** 2) = 28.3 %.
    assert any("100.0 percent, 95 percent interval 28.3 to 100.0, chance 33.3" in x for x in labels)


def test_single_recording_has_no_whisker() -> None:
    one = TABLES["scores"].frame(
        [
            {
                "benchmark": "b",
                "run": "good",
                "slice": "k3",
                "metric": "accuracy",
                "value": 0.5,
                "n": 2,
                "n_unparsed": 0,
                "n_clusters": 1,
                "chance": 0.2,
            }
        ]
    )
    page = Page(render_page(model(scores=one)))
    assert "no interval: 1 recording" in page.text
    assert page.count("path", class_="whisker") == 0
    assert "not asked" in page.text


@pytest.mark.parametrize("junk", [b"", b"<svg onload=alert(1)>", b"\x89PNG\r\n"])
def test_only_jpeg_becomes_an_image(junk: bytes) -> None:
    with pytest.raises(ValueError, match="does not start like a JPEG"):
        jpeg_uri(junk)


def test_funnel_counts_who_reached_a_stage() -> None:
    stages = ["not_chosen"] * 5 + ["sets"] * 4 + ["negatives_5"] * 3 + ["negatives_20"] * 2
    steps = [(s.stage, s.n) for s in funnel(candidates(stages, "src"))]
    assert steps == [("candidates", 14), ("sets", 9), ("negatives_5", 5), ("negatives_20", 2)]


def test_refusals_are_counted_by_rule() -> None:
    found = [(r.rule, r.n, r.where) for r in refusals(quarantine(""))]
    assert found == [
        ("end_after_start", 2, "fine_0.csv · 12 · -3.2"),
        ("reference", 1, "fine_1.csv · 12 · -3.2"),
    ]


def test_browser_prefers_questions_with_pixels_and_ignores_row_order() -> None:
    rows = [
        {
            "benchmark": "b",
            "source": "s",
            "subtask": "k",
            "question_id": str(i),
            "question_hash": h,
            "media_present": h != "a",
            "media": [{"recording_id": h, "start_s": 0.0, "end_s": 1.0}],
        }
        for i, h in enumerate("dacb")
    ]
    frame = TABLES["questions"].frame(rows)
    for questions in (frame, frame.reverse()):
        shown = shown_questions(questions, per_subtask=2)
        assert shown["question_hash"].to_list() == ["b", "c"]
        assert clips_of(shown) == [("s", ("b", 0.0, 1.0)), ("s", ("c", 0.0, 1.0))]
    assert clips_of(shown_questions(frame, 4)) == [("s", (h, 0.0, 1.0)) for h in "bcd"]


def test_clip_without_frames_is_shown_by_its_times() -> None:
    page = Page(render_page(model()))
    assert "No frames here: 1.00–1.50 s of rec0" in page.text
    assert Medium("r", "s", 0.0, 1.0, "c").jpegs == ()
