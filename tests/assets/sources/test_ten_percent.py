"""A source with a tenth of its rows broken ends with nine tenths: every good row is kept."""

from __future__ import annotations

import gzip
import io
import json
import random
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

from resources.worlds import HouseholdSpec, write_egoexolearn

if TYPE_CHECKING:
    from conftest import Source

META = "video_meta_downsampled.json"
FINE = "annotations/fine_annotation_trainvaltest_en.csv"
VERBS = "annotations/narration_verb_taxonomy.csv"
COARSE = "annotations/coarse_annotations.tar.gz"
SEEDS = (1, 2, 3)


@pytest.fixture(scope="module")
def annotations(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("annotations")
    write_egoexolearn(HouseholdSpec(ego=36, exo=24, render="none"), root)
    return root


@pytest.fixture
def pair(
    annotations: Path, source_of: Callable[..., Source], tmp_path: Path
) -> tuple[Source, Path]:
    """The whole source, ingested, and a copy of its root to break."""
    whole = source_of("egoexolearn", annotations)
    whole.ingest()
    assert whole.quarantine() == []
    copy = tmp_path / "copy"
    for path in annotations.rglob("*"):
        if path.is_file():
            target = copy / path.relative_to(annotations)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    return whole, copy


def _break_line(line: bytes, chance: random.Random) -> bytes:
    first, rest = line.split(b",", 1)
    return chance.choice(
        [
            line + b",one,more",
            first,
            first + b',"' + rest.replace(b'"', b""),
            b"x" + line,
            first + b"\xff" + b"," + rest,
            first + b"\0," + rest,
            b'"' + line.replace(b'"', b"") + b'"tail',
        ]
    )


def _tenth(count: int, chance: random.Random) -> set[int]:
    return set(chance.sample(range(count), count // 10))


@pytest.mark.parametrize("seed", SEEDS)
def test_lines_of_csv_files(pair: tuple[Source, Path], seed: int, tmp_path: Path) -> None:
    whole, copy = pair
    chance = random.Random(seed)
    lines = (copy / FINE).read_bytes().rstrip(b"\n").split(b"\n")
    bad = {n + 1 for n in _tenth(len(lines) - 1, chance)}
    lost = {f"fine:{lines[n].split(b',')[1].decode()}" for n in bad}
    made = [_break_line(line, chance) if n in bad else line for n, line in enumerate(lines)]
    (copy / FINE).write_bytes(b"\n".join(made) + b"\n")
    broken = type(whole)("egoexolearn", copy, tmp_path / "broken")
    broken.ingest()
    expected = whole.rows("segments").filter(~pl.col("segment_id").is_in(list(lost)))
    assert broken.rows("segments").equals(expected)
    fine = expected.filter(pl.col("kind") == "fine").height
    assert fine == len(lines) - 1 - len(bad) >= 0.9 * (len(lines) - 1)
    said = {int(r["row"]) for r in broken.quarantine()}
    assert said == {n + 1 for n in bad}
    for table in ("recordings", "taxonomies", "splits"):
        assert broken.rows(table).equals(whole.rows(table)), table


@pytest.mark.parametrize("seed", SEEDS)
def test_items_of_lists(pair: tuple[Source, Path], seed: int, tmp_path: Path) -> None:
    whole, copy = pair
    chance = random.Random(seed)
    items = json.loads((copy / META).read_text())
    bad = _tenth(len(items), chance)
    gone = {items[n]["video_uid"] for n in bad}
    faults = ['{"a": 1, "a": 2}', "null", "NaN", "[]", '"x"', '{"video_uid": "\\udc00"}']
    texts = [chance.choice(faults) if n in bad else json.dumps(i) for n, i in enumerate(items)]
    (copy / META).write_text(f"[{','.join(texts)}]")
    broken = type(whole)("egoexolearn", copy, tmp_path / "broken")
    broken.ingest()
    for table in ("recordings", "segments", "splits"):
        kept = whole.rows(table).filter(~pl.col("recording_id").is_in(list(gone)))
        assert broken.rows(table).equals(kept), table
    assert broken.rows("recordings").height == 54


@pytest.mark.parametrize("seed", SEEDS)
def test_items_in_an_archive(pair: tuple[Source, Path], seed: int, tmp_path: Path) -> None:
    whole, copy = pair
    chance = random.Random(seed)
    with tarfile.open(copy / COARSE) as archive:
        members = {m.name: json.load(archive.extractfile(m) or io.BytesIO()) for m in archive}
    places = [(name, n) for name in sorted(members) for n in range(len(members[name]))]
    bad = [places[n] for n in sorted(_tenth(len(places), chance))]
    lost = {f"coarse:{Path(name).stem}:{members[name][n]['id']}" for name, n in bad}
    for name, n in bad:
        key = chance.choice(["start", "end", "attribute", "id"])
        members[name][n][key] = chance.choice([None, [], {}, True, "", float("nan"), 10**400])
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as archive:
        for name, items in members.items():
            info = tarfile.TarInfo(name)
            data = json.dumps(items).encode()
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    (copy / COARSE).write_bytes(gzip.compress(raw.getvalue()))
    broken = type(whole)("egoexolearn", copy, tmp_path / "broken")
    broken.ingest()
    kept = whole.rows("segments").filter(~pl.col("segment_id").is_in(list(lost)))
    assert broken.rows("segments").equals(kept)
    assert len(broken.quarantine()) == len(bad) > 20
