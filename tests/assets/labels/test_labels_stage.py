"""The labels stage with both readers, on a store of two narrated recordings."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from assets.dagster.numbers import numbers
from assets.labels import kept_readings, readers
from assets.labels import stage as labels_stage
from assets.labels.open.model import ParserUnavailableError, parser_version
from assets.labels.stage import STAGE as LABELS
from assets.options import Options, silent
from assets.pairs.stage import VECTORS
from assets.reviews.stage import STAGE as REVIEWS
from assets.scene_graphs.stage import STAGE as SCENE_GRAPHS
from assets.sources.reviews.standing import item_hash
from assets.sources.stage import STAGE as SOURCES
from assets.stage import Inputs
from assets.translations.stage import STAGE as TRANSLATIONS
from expectations.schemas import TABLES
from resources.config import Settings, load_settings
from resources.store.incremental import Report

UID = "0b1f6a2c-1111-11ee-88ee-80615f12b59e"
OTHER = "0b1f6a2c-2222-11ee-88ee-80615f12b59e"
TAKES = "The right hand takes the cup."
CUTS = "The left hand passes the cup taken by the right hand."
NARRATIONS = ((UID, "a1", TAKES), (OTHER, "b1", TAKES), (OTHER, "b2", CUTS))
Write = Callable[..., Settings]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes two narrated recordings and their configuration, and reads them in."""

    def written(
        config: str = "", narrations: tuple = NARRATIONS, verbs: tuple[str, ...] = ("take", "pass")
    ) -> Settings:
        root = tmp_path / "raw"
        lists = root / "association_benchmark" / "annotations"
        lists.mkdir(parents=True, exist_ok=True)
        (root / "annotations").mkdir(exist_ok=True)
        text = io.StringIO(newline="")
        out = csv.writer(text)
        out.writerow(
            ("annotation_id", "start_sec", "end_sec", "narration_ch", "narration_en", "verb",
             "noun", "scenario", "video_uid")
        )  # fmt: skip
        for at, (uid, key, narration) in enumerate(narrations):
            out.writerow((key, at, at + 0.5, "", narration, "[0]", "[0]", "kitchen", uid))
        (lists / "exo_train.csv").write_text(text.getvalue(), encoding="utf-8")
        meta = [
            {"video_uid": uid, "num_frames": 250.0, "fps": 25.0, "width": 64.0, "height": 48.0,
             "view": "exo", "scene": "kitchen", "task": "t"}
            for uid in (UID, OTHER)
        ]  # fmt: skip
        (root / "video_meta_downsampled.json").write_text(json.dumps(meta))
        for kind, groups in (("verb", verbs), ("noun", ("cup", "bowl") if verbs else ())):
            file = root / "annotations" / f"narration_{kind}_taxonomy.csv"
            rows = "".join(f"{group},\"['{group}']\"\n" for group in groups)
            file.write_text("label,group\n" + rows)
        (tmp_path / "parallax.toml").write_text(
            'store = "tables"\n[sources.house]\nlayout = "egoexolearn"\nroot = "raw"\n' + config
        )
        settings = load_settings(tmp_path / "parallax.toml")
        for stage in (SOURCES, TRANSLATIONS):
            stage.refresh(settings, "house", Options(allow_deletes=True), silent)
        return settings

    return written


def refresh(settings: Settings) -> Report:
    (report,) = LABELS.refresh(settings, "house", Options(), silent)
    return report


def rows(settings: Settings) -> pl.DataFrame:
    table = TABLES["labels"]
    return settings.store.read(table, "house").sort(table.key, nulls_last=True)


def not_installed(_parser: str) -> str:
    raise ParserUnavailableError("spaCy is not installed: install the extra `words`")


def test_both_readers_and_then_one(write: Write) -> None:
    settings = write('narrations = "both"\n')
    report = refresh(settings)
    assert (sorted(report.computed), report.refused) == ([UID, OTHER], 0)
    both = rows(settings)
    by_parse, classed = both.filter(reader="open"), both.filter(reader="vocabulary")
    assert by_parse.filter(kind="verb")["lemma"].to_list() == ["take", "take", "pass", "take"]
    assert by_parse["class_id"].null_count() == by_parse.height
    assert (by_parse["class_label"] == by_parse["lemma"]).all()
    # A hand that takes and a hand that passes: the vocabulary's reader carries the first on.
    against = by_parse.drop_nulls("contradicts").select("segment_id", "term", "contradicts")
    assert against.rows() == [("fine:b2", "taken", "hand")]
    counted = numbers("labels", both.lazy())
    assert counted["narrations parsed"] == 3
    assert counted["narrations read differently"] == 1
    # The vocabulary's rows do not depend on the other reader.
    alone = write()
    assert refresh(alone).computed
    assert rows(alone).equals(classed)
    assert numbers("labels", classed.lazy()) == {}


def test_each_sentence_is_read_once_and_a_new_parser_reads_anew(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    reader = kept_readings.read_in_workers

    def spy(narrations: list[str], parser: str):
        read.extend(narrations)
        return reader(narrations, parser)

    monkeypatch.setattr(kept_readings, "read_in_workers", spy)
    config = 'narrations = "open"\n'
    refresh(write(config))
    assert sorted(read) == sorted({TAKES, CUTS})
    read.clear()
    changed = write(config, (*NARRATIONS[:2], (OTHER, "b2", "The lid opens.")))
    assert refresh(changed).computed == [OTHER]
    assert read == ["The lid opens."]
    read.clear()
    assert refresh(write(config)).computed == [OTHER]
    assert read == []
    assert refresh(write(config)).computed == []
    newer = f"{parser_version()} newer"
    for module in (readers, labels_stage):
        monkeypatch.setattr(module, "parser_version", lambda parser: newer)
    assert sorted(refresh(write(config)).computed) == [UID, OTHER]
    assert sorted(read) == sorted({TAKES, CUTS})


def test_what_cannot_be_parsed_is_said(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "parser_version", not_installed)
    report = refresh(write())
    assert report.note == ""
    classed = rows(write())
    with pytest.raises(ParserUnavailableError, match="or set narrations of source house to vocab"):
        refresh(write('narrations = "both"\n'))
    without = refresh(write(verbs=()))
    assert "narrations of house are not parsed" in without.note
    assert without.note in without.sentence()
    assert refresh(write('narrations = "vocabulary"\n', verbs=())).note == ""
    assert refresh(write()).computed
    assert rows(write()).equals(classed)


def test_a_source_without_a_vocabulary_makes_no_pairs(write: Write) -> None:
    settings = write(verbs=())
    report = refresh(settings)
    assert report.note == ""
    labels = rows(settings)
    assert labels["reader"].unique().to_list() == ["open"]
    # Sentences are compared for pairs, and pairs need classes.
    assert VECTORS.units is not None
    assert list(VECTORS.units(Inputs(settings, VECTORS, "house"))) == []


PEOPLE = 'reviews = ["people"]\n[sources.people]\nlayout = "reviews"\nroot = "people"\n'


def test_a_correction_of_a_parsed_narration_is_in_labels_and_graph_after_a_rerun(
    write: Write, tmp_path: Path
) -> None:
    people = tmp_path / "people"
    people.mkdir()
    (people / "notes.txt").write_text("decisions lie here")
    settings = write(PEOPLE, verbs=())

    def up() -> list[tuple[str, str]]:
        SOURCES.refresh(settings, "people", Options(), silent)
        for stage in (LABELS, SCENE_GRAPHS, REVIEWS):
            stage.refresh(settings, "house", Options(), silent)
        verbs = rows(settings).filter(kind="verb", recording_id=OTHER)
        return verbs.select("lemma", "rule").rows()

    def done() -> set[tuple[str | None, str]]:
        edges = settings.store.read(TABLES["graph_edges"], "house").filter(relation="does")
        return set(edges.select("segment_id", "source_table").iter_rows())

    assert [lemma for lemma, _ in up()] == ["take", "pass", "take"]
    assert done() == {(f"fine:{key}", "labels") for key in ("a1", "b1", "b2")}
    value = json.dumps([{"kind": "verb", "lemma": "hand over", "status": "attempted"}])
    fields = {"source": "house", "item_kind": "label", "item_id": "fine:b2", "verdict": "correct",
              "item_hash": item_hash("label", CUTS), "value": value, "reviewer": "ann", "round": 1}  # fmt: skip
    pl.DataFrame([fields]).write_csv(people / "one.csv")
    assert up() == [("take", "open;ROOT"), ("hand over", "reviewed:ann")]
    # What was only attempted is nothing that is done.
    assert done() == {("fine:a1", "labels"), ("fine:b1", "labels")}
    (state,) = settings.store.read(TABLES["review_states"], "house")["state"]
    assert state == "standing"
