"""The page on which people reply: in a real browser, and back as replies of a run."""

from __future__ import annotations

import base64
import io
from pathlib import Path

import numpy as np
from PIL import Image

from pipelines.cli.reply_page import PageQuestion, Part, reply_page
from resources.models.engines.human import read_replies
from tests.browser import Watch, chromium

HOSTILE = '"><script>alert(1)</script>&amp; \\u003c "x"'


def picture() -> str:
    buffer = io.BytesIO()
    Image.fromarray(np.full((12, 16, 3), 90, np.uint8)).save(buffer, "JPEG")
    return "data:image/jpeg;base64," + base64.b64encode(buffer.getvalue()).decode()


def question(
    number: int, choices: tuple[str, ...] = ("A", "B"), text: str = "Which?"
) -> PageQuestion:
    parts = (Part(text="Video 1:"), Part(None, "Query", (picture(), picture())), Part(text=text))
    return PageQuestion(
        f"q{number}", f"hash{number}", "bench", "action_order", "", parts, choices, "CC BY"
    )


def questions() -> list[PageQuestion]:
    return [question(1), question(2, text=HOSTILE), question(3, ()), question(4)]


def test_replies_are_chosen_kept_saved_and_read_by_the_engine(tmp_path: Path) -> None:
    file = tmp_path / "anna.html"
    file.write_text(reply_page("anna", "anna.jsonl", questions()), encoding="utf-8")
    with chromium() as browser:
        page = browser.new_page()
        watch = Watch()
        watch.on(page)
        page.goto(file.as_uri())
        assert page.locator("#count").text_content() == "0 of 4 replied"
        page.locator("#q1").get_by_label("B", exact=True).check()
        page.locator("#q2").get_by_label("A", exact=True).check()
        page.locator("#q3 textarea").fill("  two\nlines ")
        page.reload()
        assert page.locator("#count").text_content() == "3 of 4 replied", "kept by the browser"
        assert page.locator("#q2 p.text").nth(1).text_content() == HOSTILE
        with page.expect_download() as saved:
            page.get_by_role("button", name="Save replies").click()
        assert saved.value.suggested_filename == "anna.jsonl"
        saved.value.save_as(tmp_path / "anna.jsonl")
        assert page.locator("img").evaluate_all("all => all.every(i => i.naturalWidth === 16)")
        page.close()
    assert watch.errors == []
    assert all(url.startswith(("file://", "blob:")) for url in watch.requests), watch.requests
    replies = read_replies(tmp_path / "anna.jsonl")
    assert [(r.question_id, r.prompt_hash, r.text) for r in replies] == [
        ("q1", "hash1", "B"),
        ("q2", "hash2", "A"),
        ("q3", "hash3", "two\nlines"),
    ]
