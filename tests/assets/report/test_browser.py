"""The pages in a real browser: filters, layers, replies, no network, hostile text, small screens."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from assets.report.parts import FrontEntry
from assets.report.render import render_front, render_page
from tests.assets.report.report_sample import HOSTILE, model, strips_everywhere, suite_links
from tests.browser import Watch, chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

CARDS = "details.card:not([hidden])"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Front page and two benchmarks' pages as they lie on disk; the second one's data is hostile."""
    base = tmp_path_factory.mktemp("site")
    (base / "pages").mkdir()
    tame, hostile = model(suites=suite_links()), model(HOSTILE, others=["b"])
    (base / "page-checks").mkdir()
    for name, pages in suite_links().items():
        for suite in pages:
            page = base / "page-checks" / f"{suite.table}.{name}.html"
            page.write_text(f"<title>Expectations of {suite.table}: {name}</title>")
    (base / "pages/b.html").write_text(render_page(tame, "page.html"), encoding="utf-8")
    (base / "pages/c.html").write_text(render_page(hostile, "page.html"), encoding="utf-8")
    entries = [
        FrontEntry("b", "Bench", 8, 3, ("k3", "k4"), tame.runs, is_sample=True, written=True)
    ]
    tall = model(strips=strips_everywhere(), per_subtask=4)
    (base / "pages/tall.html").write_text(render_page(tall, "page.html"), encoding="utf-8")
    (base / "page.html").write_text(render_front("Parallax", "pages", entries), encoding="utf-8")
    return base


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    opened = browser.new_page(viewport={"width": 1200, "height": 900})
    watch = Watch()
    watch.on(opened)
    yield opened
    opened.close()
    assert watch.errors == []
    assert all(url.startswith("file://") for url in watch.requests), watch.requests


def _texts(cards: Locator) -> list[str]:
    return [card.locator(".line").text_content() or "" for card in cards.all()]


def test_the_front_page_leads_to_the_questions_of_a_subtask(page: Page, site: Path) -> None:
    page.goto((site / "page.html").as_uri())
    page.get_by_role("link", name="k4").click()
    page.wait_for_url("**/pages/b.html#subtask=k4")
    assert page.locator("select[name=subtask]").input_value() == "k4"
    assert page.locator("#count").text_content() == "2 of 5 shown"
    assert all("k4" in text for text in _texts(page.locator(CARDS)))
    page.get_by_role("link", name="All benchmarks").click()
    page.wait_for_url("**/page.html")


@pytest.mark.parametrize(
    ("section", "table", "name"), [("funnel", "questions", "b"), ("sources", "frames", "src")]
)
def test_a_link_to_a_suite_opens_its_page(
    page: Page, site: Path, section: str, table: str, name: str
) -> None:
    page.goto((site / "pages/b.html").as_uri())
    page.locator(f"#{section}").get_by_role("link", name=table, exact=True).click()
    page.wait_for_url(f"**/page-checks/{table}.{name}.html")
    assert page.title() == f"Expectations of {table}: {name}"


@pytest.mark.parametrize(
    ("chosen", "shown"),
    [
        ({}, 5),
        ({"subtask": "k3"}, 3),
        ({"state": "refused"}, 1),
        ({"state": "published"}, 2),
        ({"state": "not judged"}, 2),
        ({"run": "good", "outcome": "right"}, 5),
        ({"run": "good", "outcome": "unparsed"}, 0),
        ({"run": "lost", "outcome": "unparsed", "subtask": "k4"}, 2),
        ({"outcome": "wrong"}, 0),
    ],
)
def test_filters_narrow_what_is_shown(
    page: Page, site: Path, chosen: dict[str, str], shown: int
) -> None:
    page.goto((site / "pages/b.html").as_uri())
    for name, value in chosen.items():
        page.locator(f"select[name={name}]").select_option(value)
    assert page.locator(CARDS).count() == shown
    assert page.locator("#count").text_content() == f"{shown} of 5 shown"
    page.get_by_role("button", name="Clear").click()
    page.wait_for_function("document.getElementById('count').textContent == '5 of 5 shown'")


def test_text_is_searched(page: Page, site: Path) -> None:
    page.goto((site / "pages/b.html").as_uri())
    page.locator("input[name=text]").fill("WHICH clip, k3 0")
    assert _texts(page.locator(CARDS)) == ["Which clip, k3 0?"]


def test_a_question_opens_and_tells_all(page: Page, site: Path) -> None:
    page.goto((site / "pages/b.html").as_uri())
    card = page.locator("details.card", has_text="Which clip, k3 0?")
    assert not card.locator(".options").is_visible()
    card.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert card.locator(".options").is_visible()
    assert card.get_by_text("I cannot determine it.").is_visible()
    assert card.get_by_text("3.25 degrees to the border").first.is_visible()
    assert card.get_by_text("Both show a lid.").is_visible()
    card.get_by_text("Evidence and lineage (1 rows)").click()
    assert card.get_by_text("file.csv").first.is_visible()
    assert card.get_by_text("key-lost-id-k30").is_visible()


def test_layers_over_the_frames_are_switched(page: Page, site: Path) -> None:
    page.goto((site / "pages/b.html").as_uri())
    frame = page.locator("details.card[open] .frame").first
    frame.scroll_into_view_if_needed()
    picture = page.locator("details.card[open] img").first
    # Pictures are loaded when they come into view.
    assert picture.evaluate("img => img.decode().then(() => img.naturalWidth)") == 160
    seen = {name: frame.locator(f".layer.{name}") for name in ("gaze", "sent", "annotated")}
    assert {n: layer.is_visible() for n, layer in seen.items()} == {
        "gaze": True,
        "sent": True,
        "annotated": False,
    }
    for name, layer in seen.items():
        before = layer.is_visible()
        page.locator(f"input[name={name}]").click()
        assert layer.is_visible() is not before, name
    narrow = frame.bounding_box()
    page.locator("input[name=large]").check()
    wide = frame.bounding_box()
    assert narrow and wide and wide["width"] > 1.5 * narrow["width"]


def test_a_drawing_lies_on_its_picture(page: Page, site: Path) -> None:
    """The box from 10 to 40 % of the width is where the browser puts it, not where the file says."""
    page.goto((site / "pages/b.html").as_uri())
    frame = page.locator("details.card[open] .frame").first
    frame.scroll_into_view_if_needed()
    picture, box = frame.locator("img").bounding_box(), frame.locator(".sent rect").bounding_box()
    assert picture and box
    line = 2.0
    assert (box["x"] - picture["x"]) / picture["width"] == pytest.approx(
        0.1, abs=line / picture["width"]
    )
    assert box["height"] / picture["height"] == pytest.approx(0.4, abs=2 * line / picture["height"])


def test_hostile_data_does_nothing(page: Page, site: Path) -> None:
    """No script of the data runs, no picture of it is asked for, and its names still filter."""
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog opened: {dialog.message}"))
    page.goto((site / "pages/c.html").as_uri())
    closed = page.locator("details.card:not([open]) > summary")
    while closed.count():
        closed.first.click()
    assert page.locator("#count").text_content() == "5 of 5 shown"
    page.locator("select[name=run]").select_option(index=2)
    page.locator("select[name=outcome]").select_option("unparsed")
    assert page.locator(CARDS).count() == 5
    page.locator("select[name=subtask]").select_option(index=1)
    assert page.locator(CARDS).count() == 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_it_without_sideways_scrolling(
    browser: Browser, site: Path, scheme: str
) -> None:
    phone = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme=scheme)  # type: ignore[arg-type]
    phone.goto((site / "pages/b.html").as_uri())
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    paper, ink = phone.evaluate(
        "(s => [s.backgroundColor, s.color])(getComputedStyle(document.body))"
    )
    lightness = [sum(int(x) for x in c[4:-1].split(",")) for c in (paper, ink)]
    assert (lightness[0] < lightness[1]) == (scheme == "dark")
    phone.close()


def _top(page: Page, selector: str) -> float:
    """Where an element stands once the page has stopped scrolling, in pixels from the window's top."""
    page.wait_for_function(
        """selector => {
            const top = document.querySelector(selector).getBoundingClientRect().top;
            const still = window.lastTop === top ? (window.stillFor ?? 0) + 1 : 0;
            [window.lastTop, window.stillFor] = [top, still];
            return still > 3;
        }""",
        arg=selector,
        polling=60,
    )
    return page.evaluate("s => document.querySelector(s).getBoundingClientRect().top", selector)


@pytest.mark.parametrize("way", ["click", "address"])
@pytest.mark.parametrize("width", [1200, 390])
def test_links_to_sections_land_where_they_point(
    page: Page, site: Path, way: str, width: int
) -> None:
    """Pictures on the way are loaded only when they come into view: their places are kept."""
    page.set_viewport_size({"width": width, "height": 600})
    url = (site / "pages/tall.html").as_uri()
    if way == "click":
        page.goto(url)
        page.get_by_role("link", name="Sources").click()
    else:
        page.goto(f"{url}#sources")
    assert abs(_top(page, "#sources")) <= 6
    assert page.evaluate("scrollY") > 1500
    assert page.evaluate("[...document.images].some(i => i.loading === 'lazy' && i.complete)")


def test_a_link_to_a_question_opens_and_shows_it(page: Page, site: Path) -> None:
    url = (site / "pages/tall.html").as_uri()
    page.goto(f"{url}#question-id-k42")
    card = page.locator("#question-id-k42")
    filters = page.locator("#filters").bounding_box()
    assert filters
    assert 0 <= _top(page, "#question-id-k42") - filters["height"] <= 30
    assert card.locator(".ask").is_visible()
    # A filter that hides the next one gives way; the link of a card is the address to pass on.
    page.locator("select[name=subtask]").select_option("k4")
    page.evaluate("location.hash = '#question-id-k31'")
    other = page.locator("#question-id-k31")
    other.locator(".permalink").wait_for()
    assert page.locator("select[name=subtask]").input_value() == ""
    other.locator(".permalink").click()
    assert page.url == f"{url}#question-id-k31"
    assert not page.locator("#absent").is_visible()


def test_a_link_to_a_question_that_is_not_shown_says_so(page: Page, site: Path) -> None:
    page.goto((site / "pages/b.html").as_uri() + "#question-%3Cimg%20src%3Dx%3E%zz")
    absent = page.locator("#absent")
    absent.wait_for()
    assert "<img" not in absent.inner_html() and "is not on this page" in absent.inner_text()
    page.evaluate("location.hash = '#question-none'")
    page.wait_for_function("document.querySelector('#absent code').textContent === 'none'")
    page.evaluate("location.hash = '#question-id-k30'")
    absent.wait_for(state="hidden")


def test_a_phone_shows_that_a_table_goes_on(page: Page, site: Path) -> None:
    """A shadow where the table is cut, gone where it ends, and a line that says so."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto((site / "pages/b.html").as_uri())
    box = page.locator("#scores .scroll")
    box.scroll_into_view_if_needed()
    hint = "s => getComputedStyle(document.querySelector(s), '::before').content"
    assert "Scroll sideways" in page.evaluate(hint, "#scores .scroll")

    def edge() -> int:
        """Lightness of the window where the right edge of the table's head row is cut."""
        whole = Image.open(io.BytesIO(box.screenshot())).convert("L")
        return min(whole.getpixel((whole.width - 2, y)) for y in range(2, 12))  # type: ignore[type-var]

    cut = edge()
    box.evaluate("box => box.scrollTo({left: box.scrollWidth, behavior: 'instant'})")
    page.wait_for_function("document.querySelector('#scores .scroll').scrollLeft > 50")
    assert edge() - cut > 30
    page.set_viewport_size({"width": 1600, "height": 844})
    page.wait_for_function("!document.querySelector('#scores .scroll.wide')")
    assert page.evaluate(hint, "#scores .scroll") == "none"


@pytest.mark.parametrize(("letter", "holds"), [("right", True), ("other", False)])
def test_the_plan_draws_the_goal_in_the_right_option_alone(
    page: Page, site: Path, letter: str, holds: bool
) -> None:
    """The browser's own geometry: the middle of the goal lies in the sector of the right option."""
    page.goto((site / "pages/b.html").as_uri() + "#question-id-k32")
    plan = page.locator("#question-id-k32 .plan > svg")
    plan.scroll_into_view_if_needed()
    inside = """(svg, kind) => {
        const box = svg.querySelector('.goal').getBBox();
        const point = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2);
        return [...svg.querySelectorAll(kind)].map(path => path.isPointInFill(point));
    }"""
    found = plan.evaluate(inside, ".sector" if letter == "right" else ".other")
    assert found == ([True] if holds else [False, False])
    assert page.locator("#question-id-k32 .plan .legend li").count() == 9
