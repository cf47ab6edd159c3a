"""Edited files ingested from every kind of root: the rows are those that the readers give."""

from __future__ import annotations

import io
import os
import random
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

from assets.sources.stage import ingest
from expectations.schemas import TABLES
from resources.roots.open import open_root
from resources.store.locks import s3_client
from resources.store.tables import TableStore
from tests.attack.attack import drawn
from tests.attack.reading import Reader
from tests.attack.worlds import World, world

FORMS = ("folder", "zip", "tar.gz", "zip in a folder", "s3", "tar.gz on s3")
WORLDS = ("charades_ego", "enigma51", "reviews", "egotaskqa")
ROUNDS = max(1, int(os.environ.get("PARALLAX_ATTACK", "0")) // 500)
"""Edits of each form and world; with all tests, one world of each form."""


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, World]:
    """A few worlds without media."""
    home = tmp_path_factory.mktemp("worlds")
    return {name: world(name, home) for name in WORLDS}


def packed(files: Mapping[str, bytes], form: str) -> bytes:
    """An archive of files."""
    out = io.BytesIO()
    if form == "zip":
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, data in files.items():
                archive.writestr(path, data)
    else:
        with tarfile.open(fileobj=out, mode="w:gz") as archive:
            for path, data in files.items():
                info = tarfile.TarInfo(path)
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def laid(files: Mapping[str, bytes], form: str, home: Path, options: dict[str, str]) -> str:
    """URL of a root that holds files in a form."""
    bucket = f"parallax/mutated-{home.name}"
    if form == "s3":
        for path, data in files.items():
            s3_client(options).pipe_file(f"{bucket}/{path}", data)
        return f"s3://{bucket}"
    if form == "tar.gz on s3":
        s3_client(options).pipe_file(f"{bucket}.tar.gz", packed(files, "tar.gz"))
        return f"s3://{bucket}.tar.gz"
    if form in ("zip", "tar.gz"):
        (home / f"root.{form}").write_bytes(packed(files, form))
        return str(home / f"root.{form}")
    if form == "zip in a folder":
        files = {"release.zip": packed(files, "zip")}
    for path, data in files.items():
        (home / "root" / path).parent.mkdir(parents=True, exist_ok=True)
        (home / "root" / path).write_bytes(data)
    return str(home / "root")


CASES = [
    (form, name)
    for at, form in enumerate(FORMS)
    for name in (WORLDS if ROUNDS > 1 else WORLDS[at % len(WORLDS) :][:1])
]


@pytest.mark.parametrize(("form", "name"), CASES)
def test_rows_of_an_edited_file_are_the_same_from_every_root(
    form: str, name: str, worlds, s3_options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARALLAX_CACHE", str(tmp_path / "cache"))
    for option, value in s3_options.items():
        monkeypatch.setenv(option.upper(), value)
    one: World = worlds[name]
    reader = Reader(one.layout, one.media)
    for at in range(ROUNDS):
        mutation = drawn(one, random.Random(f"{form} {name} {at}"))
        files = {**one.files, mutation.path: mutation.data}
        home = tmp_path / str(at)
        home.mkdir()
        store = TableStore(str(home / "store"))
        root = open_root(laid(files, form, home, s3_options), one.layout.knows)
        ingest(store, "it", one.layout, root)
        expected = reader.read(files)
        for table, rows in expected.tables.items():
            stored = store.read(TABLES[table]).sort(TABLES[table].key)
            assert_frame_equal(stored, rows.sort(TABLES[table].key))
        told = sorted(str((r["file"], r["rule"], r["row"])) for r in expected.refused)
        quarantine = store.read(TABLES["quarantine"]).iter_rows(named=True)
        said = sorted(str((r["file"], r["rule"], r["row"])) for r in quarantine)
        assert said == told, mutation
