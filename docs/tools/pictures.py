"""Takes the README's pictures from the demo, in headless Chromium: `make pictures` after `make demo`.

The report's picture is the scores and the first question of one benchmark; the graph's is the groups of
assets as Dagster's UI shows them at first. Both are kept below `MOST_BYTES`, since every clone carries them.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image, ImageChops

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

REPOSITORY = Path(__file__).parents[2]
PICTURES = REPOSITORY / "docs" / "pictures"
MOST_BYTES = 150_000
COLOURS = (256, 128, 64, 32, 16)
BENCHMARK = "egocot"
WIDTH_PX = 1200
MOST_WIDTH_PX = 1400
CARD_PX = 620
"""Height at which a question's card is cut: below are replies and verdicts."""
GRAPH_PX = (2900, 2900)
"""Large enough for the whole graph, which is then cut out."""
MARGIN_PX = 24
DARKER = 4
GROUND = 235
SERVER_S = 120
SETTLE_MS = 6000
"""The graph is laid out and moves into view."""


class PictureError(RuntimeError):
    """A picture cannot be taken."""


@contextmanager
def browser() -> Iterator[Browser]:
    """Headless Chromium.

    Raises:
        PictureError: It is not installed.
    """
    path = shutil.which("chromium")
    if path is None:
        raise PictureError("no browser: install Debian's `chromium` (apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        started = driver.chromium.launch(executable_path=path, headless=True, args=flags)
        try:
            yield started
        finally:
            started.close()


def report_picture(page: Page, home: Path) -> Image.Image:
    """Scores and first question of a benchmark's report.

    Args:
        page: A page of the browser.
        home: Folder of the demo.

    Raises:
        PictureError: There is no report, or it has no scores or no question.
    """
    path = home / "data" / "page-benchmarks" / f"{BENCHMARK}.html"
    if not path.is_file():
        raise PictureError(f"no report at {path}: run `make demo` first")
    page.set_viewport_size({"width": WIDTH_PX, "height": 4000})
    page.goto(path.as_uri())
    parts = []
    for selector, most_px in (("#scores table", 4000), ("#questions details.card[open]", CARD_PX)):
        element = page.locator(selector).first
        if not element.count():
            raise PictureError(
                f"{path} has no {selector}: adapt docs/tools/pictures.py to the report"
            )
        part = Image.open(io.BytesIO(element.screenshot())).convert("RGB")
        parts.append(part.crop((0, 0, part.width, min(part.height, most_px))))
    return _stacked(parts)


def graph_picture(page: Page, home: Path) -> Image.Image:
    """The asset graph as Dagster's UI opens it.

    Args:
        page: A page of the browser.
        home: Folder of the demo.

    Raises:
        PictureError: Dagster's server does not start.
    """
    page.set_viewport_size({"width": GRAPH_PX[0], "height": GRAPH_PX[1]})
    with _dagster(home) as url:
        page.goto(f"{url}/asset-groups")
        page.locator("svg foreignObject").first.wait_for(timeout=60_000)
        page.get_by_text("fetching statuses").first.wait_for(state="hidden", timeout=60_000)
        page.wait_for_timeout(SETTLE_MS)
        whole = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        boxes = [node.bounding_box() for node in page.locator("svg foreignObject").all()]
    places = [box for box in boxes if box is not None and box["x"] >= 0 and box["y"] >= 0]
    if not places:
        raise PictureError("no node of the graph is found: adapt docs/tools/pictures.py to the UI")
    left, top = (min(box[side] for box in places) - MARGIN_PX for side in ("x", "y"))
    right = max(box["x"] + box["width"] for box in places) + MARGIN_PX
    bottom = max(box["y"] + box["height"] for box in places) + MARGIN_PX
    graph = whole.crop((round(left), round(top), round(right), round(bottom)))
    # Dagster's light grey lines would vanish when the picture is made smaller; its dotted ground may.
    darker = [255 if v >= GROUND else round(255 * (v / 255) ** DARKER) for v in range(256)]
    return narrowed(graph).point(darker * 3)


@contextmanager
def _dagster(home: Path) -> Iterator[str]:
    """Address of a Dagster UI on the demo; its instance is copied, so that nothing of it changes."""
    with socket.socket() as probe, tempfile.TemporaryDirectory() as copied:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        instance = Path(copied) / "instance"
        if (home / ".dagster").is_dir():
            shutil.copytree(home / ".dagster", instance, ignore=shutil.ignore_patterns("*.lock"))
        instance.mkdir(exist_ok=True)
        probe.close()
        log = Path(copied) / "log"
        with log.open("wb") as out:
            server = subprocess.Popen(
                [
                    str(Path(sys.executable).with_name("dagster-webserver")),
                    *("-m", "pipelines.definitions", "-h", "127.0.0.1", "-p", str(port)),
                ],
                cwd=REPOSITORY,
                env=os.environ
                | {
                    "PARALLAX_CONFIG": str(home / "parallax.toml"),
                    "DAGSTER_HOME": str(instance),
                    "DAGSTER_DISABLE_TELEMETRY": "1",
                },
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        try:
            url = f"http://127.0.0.1:{port}"
            _wait(f"{url}/server_info", server, log)
            yield url
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(server.pid, signal.SIGKILL)
                server.wait()


def _wait(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + SERVER_S
    while time.monotonic() < until and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):  # noqa: S310 - our own server
                return
        except OSError:
            time.sleep(0.3)
    raise PictureError(f"Dagster's server does not answer at {url}:\n{log.read_text()}")


def _stacked(parts: list[Image.Image]) -> Image.Image:
    width = max(part.width for part in parts) + 2 * MARGIN_PX
    height = sum(part.height + MARGIN_PX for part in parts) + MARGIN_PX
    whole = Image.new("RGB", (width, height), parts[0].getpixel((1, 1)))
    top = MARGIN_PX
    for part in parts:
        whole.paste(part, (MARGIN_PX, top))
        top += part.height + MARGIN_PX
    return whole


def trimmed(picture: Image.Image) -> Image.Image:
    """A picture without the rows and columns at its edges that are all of one colour, but a margin."""
    ground = Image.new(
        "RGB", picture.size, picture.getpixel((picture.width - 1, picture.height - 1))
    )
    box = ImageChops.difference(picture, ground).getbbox()
    if box is None:
        raise PictureError("the picture is empty")
    left, top, right, bottom = box
    return picture.crop(
        (
            max(left - MARGIN_PX, 0),
            max(top - MARGIN_PX, 0),
            min(right + MARGIN_PX, picture.width),
            min(bottom + MARGIN_PX, picture.height),
        )
    )


def narrowed(picture: Image.Image) -> Image.Image:
    """A picture of at most `MOST_WIDTH_PX` columns."""
    if picture.width <= MOST_WIDTH_PX:
        return picture
    height = round(picture.height * MOST_WIDTH_PX / picture.width)
    return picture.resize((MOST_WIDTH_PX, height), Image.Resampling.LANCZOS)


def small_png(picture: Image.Image) -> bytes:
    """A picture as PNG, in as many colours as its size allows.

    Raises:
        PictureError: It takes more than `MOST_BYTES` in any number of colours.
    """
    size = 0
    for colours in COLOURS:
        out = io.BytesIO()
        picture.quantize(colours, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
        size = out.tell()
        if size <= MOST_BYTES:
            return out.getvalue()
    raise PictureError(f"a picture of {size} bytes, more than {MOST_BYTES}: show less")


def main() -> int:
    """Take the pictures that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, default=REPOSITORY, help="folder of the demo")
    parser.add_argument("--only", choices=("report", "graph"), help="take only this one")
    arguments = parser.parse_args()
    takers = {"report": report_picture, "graph": graph_picture}
    try:
        with browser() as started:
            for name, take in takers.items():
                if arguments.only in (None, name):
                    png = small_png(
                        trimmed(narrowed(take(started.new_page(), arguments.home.resolve())))
                    )
                    (PICTURES / f"{name}.png").write_bytes(png)
                    print(f"{PICTURES / name}.png: {len(png) / 1000:.0f} kB")
    except PictureError as error:
        print(f"pictures: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
