"""One world as a folder, as archives and on S3: equal tables, and moving it makes nothing anew."""

from __future__ import annotations

import shutil
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from assets.options import Options, silent
from assets.sources.layout import Layout, Part, Rows
from assets.sources.stage import may_show
from pipelines.cli.views import digest_lines
from pipelines.run.steps import Scope, steps
from resources.config import Settings, load_settings
from resources.store.locks import s3_client
from resources.worlds import HouseholdSpec, write_egoexolearn

CONFIG = """
store = "tables"
page = "page.html"
[sources.sample-house]
layout = "egoexolearn"
root = "{root}"
[benchmarks.egobridge]
sources = ["sample-house"]
[runs.image-similarity]
engine = "image_similarity"
protocol = "direct"
limit = 4
auto = true
"""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("world") / "raw"
    write_egoexolearn(HouseholdSpec(ego=2, exo=2, render="small"), root, workers=1)
    return root


@pytest.fixture
def root_of(
    world: Path,
    tmp_path: Path,
    s3_options: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[str], str]:
    """URL of the world in a form."""
    monkeypatch.setenv("PARALLAX_CACHE", str(tmp_path / "cache"))
    for name, value in s3_options.items():
        monkeypatch.setenv(name.upper(), value)

    def put(form: str) -> str:
        files = sorted(p for p in world.rglob("*") if p.is_file())
        if form == "folder":
            return str(world)
        if form == "s3":
            client = s3_client(s3_options)
            for path in files:
                client.put_file(str(path), f"parallax/{tmp_path.name}/{path.relative_to(world)}")
            return f"s3://parallax/{tmp_path.name}"
        if form == "s3.tar.gz":
            key = f"parallax/{tmp_path.name}-packed/world.tar.gz"
            s3_client(s3_options).put_file(put("tar.gz"), key)
            return f"s3://{key}"
        target = tmp_path / f"world.{form}"
        if form == "zip":
            with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
                for path in files:
                    archive.write(path, str(path.relative_to(world)))
        elif form == "tar.gz":
            # As `tar` is mostly called: everything in one folder.
            with tarfile.open(target, "w:gz", compresslevel=1) as archive:
                archive.add(world, "EgoExoLearn-v1")
        elif form == "parts":
            # As a dataset is fetched: a folder, with some of its folders still packed.
            target.mkdir()
            for folder in sorted(p for p in world.iterdir()):
                if folder.is_dir() and folder.name != "annotations":
                    with zipfile.ZipFile(target / f"{folder.name}.zip", "w") as archive:
                        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
                            archive.write(path, str(path.relative_to(world)))
                elif folder.is_dir():
                    shutil.copytree(folder, target / folder.name)
                else:
                    shutil.copy2(folder, target)
        return str(target)

    return put


def install(home: Path, root: str) -> Settings:
    home.mkdir(parents=True, exist_ok=True)
    (home / "parallax.toml").write_text(CONFIG.format(root=root))
    return load_settings(home / "parallax.toml")


def bring_up(settings: Settings) -> list[str]:
    """Make everything; what was computed, as stage and unit."""
    from assets.report.stage import page_is_fresh, write_page

    made = []
    for step in steps(settings, Scope()):
        for stage in step.stages:
            for report in stage.refresh(settings, step.partition, Options(), silent):
                made += [f"{report.stage} {unit}" for unit in report.computed]
    if not page_is_fresh(settings, "egobridge"):
        write_page(settings, "egobridge")
        made.append("page")
    return made


def digests(settings: Settings) -> list[str]:
    # An unknown loose file (an archive itself) is a row of `files`, and no part of the world.
    return [line for line in digest_lines(settings, "unit") if not line.endswith(".zip")]


@pytest.mark.slow
def test_one_world_in_all_forms(
    tmp_path: Path, root_of: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = install(tmp_path / "folder", root_of("folder"))
    assert len(bring_up(folder)) > 20
    expected = digests(folder)
    page = (tmp_path / "folder" / "page-benchmarks" / "egobridge.html").read_text()
    assert "data:image/jpeg" in page

    # Pixels too come out of an archive on S3.
    fresh = install(tmp_path / "fresh", root_of("s3.tar.gz"))
    bring_up(fresh)
    assert digests(fresh) == expected
    told = (tmp_path / "fresh" / "page-benchmarks" / "egobridge.html").read_text()
    assert told.count("data:image/jpeg") == page.count("data:image/jpeg")

    # The same source, moved: nothing is made again.
    for form in ("zip", "s3", "parts", "tar.gz", "folder"):
        moved = install(tmp_path / "folder", root_of(form))
        assert bring_up(moved) == [], form
    assert digests(moved) == expected

    # Of a dataset that may not be passed on, no frame is on the page.
    monkeypatch.setattr("assets.report.stage.may_show", lambda *_: False)
    assert bring_up(moved) == ["page"]
    told = (tmp_path / "folder" / "page-benchmarks" / "egobridge.html").read_text()
    assert "data:image/jpeg" not in told


@pytest.mark.parametrize(
    ("name", "layout", "flag", "expected"),
    [
        ("house", "egoexolearn", "", False),
        ("house", "adt", "", False),
        ("house", "easg", "", False),
        ("house", "egoexo4d", "", False),
        ("house", "videos", "", False),
        ("house", "cholectrack20", "", True),
        ("house", "pupil_invisible", "", True),
        ("house", "egoexolearn", "show_media = true", True),
        ("sample-house", "adt", "", True),
    ],
)
def test_whose_frames_a_page_may_show(tmp_path: Path, name, layout, flag, expected) -> None:
    (tmp_path / "parallax.toml").write_text(
        f'store = "t"\n[sources.{name}]\nlayout = "{layout}"\nroot = "x"\n{flag}\n'
    )
    assert may_show(load_settings(tmp_path / "parallax.toml"), name) is expected


@pytest.mark.parametrize(
    ("licence", "declared", "expected"),
    [
        ("CC BY 4.0", None, True),
        ("CC-BY-NC-SA-4.0", None, True),
        ("CC0", None, True),
        ("CC BY-NC-ND 4.0", None, False),
        ("Some licence, not CC BY", None, False),
        ("CC BY 4.0", "forbidden", False),
        ("Some licence", "allowed", True),
    ],
)
def test_what_a_licence_lets_be_passed_on(licence, declared, expected) -> None:
    parts = (Part("recordings", lambda _: Rows({}), ".+"),)
    layout = Layout("x", "X", licence, "verified", parts, redistribution=declared)
    assert layout.may_be_passed_on is expected
