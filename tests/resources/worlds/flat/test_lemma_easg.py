"""The flat written as LEMMA and as Ego-EASG: equal bytes, and what readers find is what happened."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from assets.sources import easg as easg_layout
from assets.sources import lemma as lemma_layout
from assets.sources.layout import Layout, Medium, PartFiles
from resources.worlds.flat import FlatSpec, plan_flat
from resources.worlds.flat.easg import clip_start, clip_uid, write_easg
from resources.worlds.flat.lemma import video_id, write_lemma

LEMMA = FlatSpec("lemma", render="none")
EASG = FlatSpec("easg", render="none")


def content(folder: Path) -> dict[str, str]:
    return {
        p.relative_to(folder).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest()
        for p in sorted(folder.rglob("*"))
        if p.is_file()
    }


def tables(layout: Layout, folder: Path) -> dict[str, pl.DataFrame]:
    paths = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
    out: dict[str, pl.DataFrame] = {}
    for part in layout.parts:
        files = {n: p.read_bytes() for n, p in sorted(paths.items()) if part.claims(n)}
        media = {n: Medium(n, 1, n) for n in sorted(paths) if part.claims_medium(n)}
        made = part.read(PartFiles("it", files, media))
        assert [one["rule"] for one in made.refused] in ([], ["empty_graph"])
        out |= made.tables
    return out


@pytest.mark.parametrize("kind", ["lemma", "easg"])
def test_equal_specs_give_equal_bytes_in_every_process(tmp_path: Path, kind: str) -> None:
    code = (
        "import sys; from pathlib import Path; from resources.worlds.flat import FlatSpec;"
        f"from resources.worlds.flat.{kind} import write_{kind} as write;"
        f"write(FlatSpec({kind!r}, takes=2, render='small'), Path(sys.argv[1]), workers=1)"
    )
    for seed in ("0", "1"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", code, str(tmp_path / seed)], check=True, env=env)
    first = content(tmp_path / "0")
    assert first == content(tmp_path / "1")
    assert sum(name.endswith(".mp4") for name in first) == (5 if kind == "lemma" else 2)


@pytest.mark.parametrize("write", [write_lemma, write_easg])
def test_another_kind_of_flat_is_refused(tmp_path: Path, write) -> None:
    with pytest.raises(ValueError, match="kind="):
        write(FlatSpec("adt", takes=1), tmp_path)


def test_lemma_segments_are_the_actions(tmp_path: Path) -> None:
    write_lemma(LEMMA, tmp_path)
    rows = tables(lemma_layout.LAYOUT, tmp_path)["segments"]
    found = {
        (r["recording_id"], r["actor_id"], round(r["start_s"] * 24), round(r["end_s"] * 24))
        for r in rows.rows(named=True)
    }
    assert found == {
        (
            f"{video_id(take, n)}|fpv{a.actor[1]}",
            a.actor,
            round(a.start_s * 24),
            round(a.end_s * 24),
        )
        for n, take in enumerate(plan_flat(LEMMA).takes)
        for a in take.actions
    }
    people = {len(take.agents) for take in plan_flat(LEMMA).takes}
    assert people == {1, 2}


def test_lemma_holds_the_traps_of_the_release(tmp_path: Path) -> None:
    write_lemma(LEMMA, tmp_path)
    path = tmp_path / "annotations/new_annotations/per_act_intervals.json"
    held = [i for video in json.loads(path.read_text()).values() for p in video.values() for i in p]
    assert any(name == "null$" for name, *_ in held)
    assert any("," in task for *_, task in held)


def test_easg_segments_are_the_actions(tmp_path: Path) -> None:
    write_easg(EASG, tmp_path)
    made = tables(easg_layout.LAYOUT, tmp_path)
    segments = made["segments"].rows(named=True)
    found = {(r["segment_id"], round(r["start_s"] * 30), round(r["end_s"] * 30)) for r in segments}
    takes = plan_flat(EASG).takes
    assert found == {
        (
            f"{clip_uid(take)}_{round(a.contact_s * 30):06d}",
            round(a.start_s * 30),
            round(a.end_s * 30),
        )
        for take in takes
        for a in take.actions
    }
    starts = {r["recording_id"]: round(r["offset_s"] * 30) for r in made["clocks"].rows(named=True)}
    assert starts == {clip_uid(take): clip_start(n) for n, take in enumerate(takes)}
    assert len(set(starts.values())) > 3


def test_easg_boxes_lie_where_things_are_seen(tmp_path: Path) -> None:
    spec = FlatSpec("easg", takes=2, render="none")
    write_easg(spec, tmp_path)
    rows = tables(easg_layout.LAYOUT, tmp_path)["boxes"]
    for take in plan_flat(spec).takes:
        half = take.camera("ego").width_px / 2
        mine = rows.filter(
            (pl.col("recording_id") == clip_uid(take)) & (pl.col("moment") == "contact")
        )
        for action in take.actions:
            at_s = take.picture_time(round(action.contact_s * 30) / 30)
            seen = take.sights("ego", at_s).get(action.object)
            uid = f"{clip_uid(take)}_{round(action.contact_s * 30):06d}"
            boxes = mine.filter(
                (pl.col("segment_id") == uid)
                & (pl.col("class_name") == take.name_of(action.object))
            )
            if seen is None or seen.pixels < 6:
                assert boxes.is_empty()
                continue
            (box,) = boxes.rows(named=True)
            assert abs((box["x_min"] + box["x_max"]) * half - (seen.x_min + seen.x_max) / 2) < 2
            assert abs((box["y_min"] + box["y_max"]) * half - (seen.y_min + seen.y_max) / 2) < 2
    assert rows["clipped"].any()
    assert {"left hand", "right hand", "both hands"} <= set(rows["class_name"])
