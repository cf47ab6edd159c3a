"""A real browser for tests: Debian's Chromium, headless, driven by Playwright."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.conftest import missing

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

# Nothing but the test asks the network for anything.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """A running browser; a machine without one skips, or fails where nothing may be skipped."""
    path = shutil.which("chromium")
    if path is None:
        missing("no browser", "install Debian's `chromium` (apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, headless=True, args=[*FLAGS])
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Watch:
    """What a page did that nobody asked for.

    Attributes:
        errors: Errors on the console, of scripts and of the page's policy.
        requests: Addresses asked for, data URIs left out.
    """

    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def on(self, page: Page) -> None:
        """Listen to a page."""
        page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on(
            "request",
            lambda r: None if r.url.startswith("data:") else self.requests.append(r.url),
        )
