"""What the documentation site adds to `docs/`: pages made from the README and from the code.

MkDocs calls these functions while it builds. Pages that are long and follow from declarations are made
here and not committed: the stages, the diagram of the tables, and the README files of datasets and
benchmarks.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.structure.files import File, Files

REPOSITORY = Path(__file__).parents[2]
sys.path.insert(0, str(REPOSITORY))

_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
_FENCE = re.compile(r"^```(\w+) (\S+)$", re.MULTILINE)
# Folders whose README files are pages, and where in the site.
_READMES = {"assets/sources": "datasets", "assets/questions": "benchmarks"}
_DIAGRAM = """# Tables and their references

Each box is a table: its key in bold, then the columns that refer to other tables. A box leads to the
[table's description](tables.md). Tables of one stage stand together, in the order of the data.

<div style="overflow-x: auto">
{svg}
</div>
"""


def readmes() -> dict[str, str]:
    """Pages made of README files: address in the site by path in the repository."""
    pages = {"README.md": "index.md"}
    for folder, place in _READMES.items():
        for path in sorted((REPOSITORY / folder).glob("*/README.md")):
            name = path.relative_to(REPOSITORY).as_posix()
            pages[name] = f"{place}/{path.parent.name}.md"
    return pages


def generated() -> dict[str, str]:
    """Pages made from code, by address."""
    from expectations.schemas import TABLES
    from expectations.schemas.diagram import diagram
    from pipelines.checks import QUALITY
    from pipelines.definitions import PAGE, STAGES
    from pipelines.stage_pages import index, page

    stages = (*STAGES, PAGE)
    pages = {f"stages/{s.name}.md": page(s, stages, QUALITY, "../tables.md") for s in stages}
    pages["stages/index.md"] = index(stages)
    pages["diagram.md"] = _DIAGRAM.format(svg=diagram(TABLES.values(), "tables.html#{name}"))
    return pages


def relinked(text: str, path: str, address: str, places: dict[str, str]) -> str:
    """A page with its links to files of the repository turned into links to pages of the site.

    Links to files that are not pages become plain text, as the site does not hold them.

    Args:
        text: Markdown.
        path: Its path in the repository.
        address: Its address in the site.
        places: Addresses in the site by path in the repository.
    """

    def new_link(match: re.Match[str]) -> str:
        shown, link, anchor = match.groups(default="")
        if "://" in link or link.startswith("mailto:"):
            return match[0]
        target = os.path.normpath(PurePosixPath(path).parent / link)
        if target in places:
            place = os.path.relpath(places[target], PurePosixPath(address).parent)
            return f"[{shown}]({place}{anchor})"
        # A link that leads nowhere stays, for the build to refuse it.
        return shown if (REPOSITORY / target).exists() else match[0]

    return _LINK.sub(new_link, text)


def listed(nav: list[Any]) -> Iterator[str]:
    """Addresses of the pages in a navigation."""
    for entry in nav:
        if isinstance(entry, str):
            yield entry
        else:
            for below in entry.values():
                yield from listed(below if isinstance(below, list) else [below])


def completed(nav: list[Any], addresses: Iterable[str]) -> list[Any]:
    """A navigation with the pages that it does not list: by folder, else under `More`.

    Args:
        nav: Entries as `mkdocs.yml` lists them.
        addresses: Addresses of all pages.
    """
    sections: dict[str, list[str]] = {}
    known = set(listed(nav))
    for address in addresses:
        if address not in known:
            folder = address.rpartition("/")[0]
            sections.setdefault(folder.capitalize() or "More", []).append(address)
    # A folder's own page comes first; the others stay in order, as stages are in that of the data.
    return nav + [
        {title: sorted(pages, key=lambda page: not page.endswith("/index.md"))}
        for title, pages in sections.items()
    ]


def on_files(files: Files, *, config: Any) -> Files:
    """Add the pages that are not in `docs/`, and put every page into the navigation."""
    pages = readmes()
    places = {f"docs/{file.src_uri}": file.src_uri for file in files} | pages
    for path, address in pages.items():
        text = relinked((REPOSITORY / path).read_text(encoding="utf-8"), path, address, places)
        files.append(File.generated(config, address, content=text))
    for address, text in generated().items():
        files.append(File.generated(config, address, content=text))
    addresses = [file.src_uri for file in files.documentation_pages()]
    config["nav"] = completed(config["nav"], addresses)
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Names of files that a page shows stand above their blocks: ```` ```toml parallax.toml ````."""
    return _FENCE.sub(r'```\1 title="\2"', markdown)
