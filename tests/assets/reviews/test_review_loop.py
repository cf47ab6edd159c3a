"""Once around: what is doubtful goes out, decisions come in, and only what they judge moves."""

from __future__ import annotations

import csv
import importlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

import assets.stage
from assets.labels.stage import STAGE as LABELS
from assets.options import Options, silent
from assets.reviews.stage import STAGE as REVIEWS
from assets.reviews.stage import queue
from assets.sources.reviews.forms import queue_csv, queue_label_studio
from assets.sources.reviews.standing import item_hash
from assets.sources.stage import STAGE as SOURCES
from assets.translations.stage import STAGE as TRANSLATIONS
from expectations.checks.results import review_check, translation_check
from expectations.schemas import TABLES
from pipelines.cli import app
from resources.config import ConfigError, Settings, load_settings
from resources.store.ledger import read_ledger
from resources.worlds import HouseholdSpec, write_egoexolearn

CONFIG = """
store = "tables"
[sources.house]
layout = "egoexolearn"
root = "raw"
reviews = ["people"]
[sources.people]
layout = "reviews"
root = "people"
"""
FINE = "annotations/fine_annotation_trainvaltest_en.csv"
STAGES = (TRANSLATIONS.refresh, LABELS.refresh, REVIEWS.refresh)


class House:
    """A household's annotations, people's decisions on them, and what was made of both."""

    def __init__(self, base: Path) -> None:
        self.base = base
        (base / "people").mkdir()
        (base / "people" / "notes.txt").write_text("decisions lie here")
        (base / "parallax.toml").write_text(CONFIG)
        write_egoexolearn(HouseholdSpec(ego=1, exo=1, render="none"), base / "raw")

    @property
    def settings(self) -> Settings:
        return load_settings(self.base / "parallax.toml")

    def up(self) -> list[str]:
        """Bring everything up to date; recordings whose labels changed."""
        SOURCES.refresh(self.settings, "people", Options(), silent)
        SOURCES.refresh(self.settings, "house", Options(), silent)
        reports = [stage(self.settings, "house", Options(), silent)[0] for stage in STAGES]
        return reports[1].changed

    def fine(self) -> list[dict[str, str]]:
        with (self.base / "raw" / FINE).open(encoding="utf-8", newline="") as handle:
            return list(csv.DictReader(handle))

    def narrate(self, key: str, text: str) -> None:
        """Edit a narration in the annotation file."""
        rows = [row | ({"narration_en": text} if row["annotation_id"] == key else {})
                for row in self.fine()]  # fmt: skip
        self.write(rows)

    def write(self, rows: list[dict[str, str]]) -> None:
        out = io.StringIO(newline="")
        writer: Any = csv.DictWriter(out, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
        (self.base / "raw" / FINE).write_text(out.getvalue(), encoding="utf-8")

    def decide(self, name: str, *decisions: dict[str, str]) -> None:
        """Lay a file of decisions under the reviews' root."""
        fields = ("source", "item_kind", "item_id", "item_hash", "verdict", "value", "shown",
                  "reviewer", "round", "decided_at")  # fmt: skip
        out = io.StringIO(newline="")
        writer: Any = csv.DictWriter(out, fields, restval="")
        writer.writeheader()
        base = {"source": "house", "item_kind": "label", "reviewer": "ann", "round": "1"}
        writer.writerows([base | decision for decision in decisions])
        (self.base / "people" / name).write_text(out.getvalue(), encoding="utf-8")

    def labels(self, key: str) -> list[dict[str, Any]]:
        rows = self.settings.store.read(TABLES["labels"], "house")
        return rows.filter(pl.col("segment_id") == f"fine:{key}").to_dicts()

    def states(self) -> dict[str, dict[str, Any]]:
        rows = self.settings.store.read(TABLES["review_states"], "house")
        return {row["item_id"].removeprefix("fine:"): row for row in rows.to_dicts()}

    def changes(self) -> list[dict[str, Any]]:
        return self.settings.store.read(TABLES["review_changes"], "house").sort(
            "item_kind", "round", "reviewer"
        ).to_dicts()  # fmt: skip

    def about(self, key: str) -> dict[str, str]:
        """What a decision on a segment's labels names."""
        text = next(row["narration_en"] for row in self.fine() if row["annotation_id"] == key)
        return {"item_id": f"fine:{key}", "item_hash": item_hash("label", text)}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> House:
    house = House(tmp_path_factory.mktemp("house"))
    house.up()
    return house


@pytest.fixture
def house(made: House, tmp_path: Path) -> House:
    """A copy of the house, brought up to date."""
    import shutil

    base = tmp_path / "house"
    shutil.copytree(made.base, base)
    copy = House.__new__(House)
    copy.base = base
    return copy


def verbs(labels: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [(r["term"], r["body_part"], r["rule"]) for r in labels if r["kind"] == "verb"]


TAKE = '[{"kind": "verb", "class": "take", "hand": "left"}, {"kind": "noun", "class": "cup"}]'


def test_once_around_and_only_what_was_judged_moves(house: House) -> None:
    first = house.fine()[0]
    key, uid = first["annotation_id"], first["video_uid"]
    house.narrate(key, "Something with the cup.")
    assert house.up() == [uid]
    (doubt,) = queue(house.settings, "house", "labels").to_dicts()
    assert doubt["item_id"] == f"fine:{key}"
    assert doubt["why"].startswith("no_verb")
    shown = json.loads(doubt["shown"])
    assert [(one["kind"], one["term"]) for one in shown] == [("noun", "cup")]
    before = read_ledger(house.settings.store, LABELS.name, "house")
    # A person fills in the queue and lays it under the root.
    rows = list(csv.DictReader(io.StringIO(queue_csv(pl.DataFrame([doubt]))), strict=True))
    house.decide("round1.csv", {k: rows[0][k] for k in ("item_id", "item_hash", "shown")}
                 | {"verdict": "correct", "value": TAKE})  # fmt: skip
    assert house.up() == [uid]
    after = read_ledger(house.settings.store, LABELS.name, "house")
    assert {u for u in after if after[u] != before[u]} == {uid}
    assert verbs(house.labels(key)) == [("take", "left_hand", "reviewed:ann")]
    (noun,) = [row for row in house.labels(key) if row["kind"] == "noun"]
    assert (noun["term"], noun["class_label"]) == ("cup", shown[0]["class"])
    assert queue(house.settings, "house", "labels").is_empty()
    (change,) = house.changes()
    assert {k: change[k] for k in ("round", "reviewer", "items", "corrected", "changed", "standing")} == {
        "round": 1, "reviewer": "ann", "items": 1, "corrected": 1, "changed": 1, "standing": 1,
    }  # fmt: skip
    assert house.up() == []
    # The narration is edited: the decision is stale, shown, and not followed.
    house.narrate(key, "Something with the bowl.")
    assert house.up() == [uid]
    assert all("reviewed" not in row["rule"] for row in house.labels(key))
    assert house.states()[key]["state"] == "stale"
    assert house.states()[key]["stale"]
    assert house.changes()[0]["stale"] == 1
    (doubt,) = queue(house.settings, "house", "labels").to_dicts()
    assert doubt["why"].split()[0] == "stale"
    # And back: the same decision counts again.
    house.narrate(key, "Something with the cup.")
    house.up()
    assert verbs(house.labels(key)) == [("take", "left_hand", "reviewed:ann")]
    assert house.states()[key]["state"] == "standing"


def test_label_studio_goes_round_too(house: House) -> None:
    key = house.fine()[0]["annotation_id"]
    house.narrate(key, '<img src=x onerror="alert(1)"> =1+1')
    house.up()
    tasks = json.loads(queue_label_studio(queue(house.settings, "house", "labels")))
    task = next(t for t in tasks if t["data"]["item_id"] == f"fine:{key}")
    result = [
        {"from_name": "verdict", "to_name": "text", "type": "choices",
         "value": {"choices": ["correct"]}},
        {"from_name": "value", "to_name": "text", "type": "textarea", "value": {"text": [TAKE]}},
    ]  # fmt: skip
    done = {"id": 5, "completed_by": {"id": 1, "email": "bo@x.org"}, "was_cancelled": False,
            "updated_at": "2026-11-01T00:00:00Z", "result": result}  # fmt: skip
    export = [{"id": 1, "data": task["data"], "annotations": [done]}]
    (house.base / "people" / "export.json").write_text(json.dumps(export))
    house.up()
    assert verbs(house.labels(key)) == [("take", "left_hand", "reviewed:bo@x.org")]


def test_reviewers_who_disagree_are_shown_and_neither_is_followed(house: House) -> None:
    key = house.fine()[1]["annotation_id"]
    parsed = house.labels(key)
    correct = {"verdict": "correct", "value": TAKE}
    house.decide("a.csv", house.about(key) | correct)
    house.decide("b.csv", house.about(key) | {"verdict": "reject", "reviewer": "bo"})
    house.up()
    assert house.labels(key) == parsed
    state = house.states()[key]
    assert (state["state"], state["verdict"], state["reviewer"]) == ("conflict", None, "ann, bo")
    assert [row["conflicts"] for row in house.changes()] == [1, 1]
    doubt = queue(house.settings, "house", "labels").filter(pl.col("item_id") == f"fine:{key}")
    assert doubt["why"][0].startswith("conflict")
    result = review_check(house.settings, "house")
    assert not result.passed
    assert "1 conflict" in str(result.description)
    # A later round decides.
    house.decide("c.csv", house.about(key) | correct | {"reviewer": "cy", "round": "2"})
    house.up()
    assert verbs(house.labels(key)) == [("take", "left_hand", "reviewed:cy")]
    assert [row["superseded"] for row in house.changes()] == [1, 1, 0]
    assert review_check(house.settings, "house").passed


def test_nothing_is_lost_of_decisions_that_fit_nothing(house: House) -> None:
    one, two, three = (row["annotation_id"] for row in house.fine()[:3])
    kept = house.labels(two)
    house.decide(
        "odd.csv",
        {"item_id": "fine:never", "item_hash": "x", "verdict": "reject"},
        house.about(one) | {"verdict": "reject"},
        house.about(two) | {"verdict": "correct", "value": '[{"kind": "verb", "class": 9999}]'},
        house.about(three) | {"verdict": "reject", "source": "elsewhere"},
    )
    house.up()
    states = house.states()
    assert states["never"]["state"] == "gone"
    assert states[one]["state"] == "standing"
    assert house.labels(one) == []
    assert states[two]["state"] == "unusable"
    assert "9999" in states[two]["message"]
    assert house.labels(two) == kept
    assert three not in states
    refused = house.settings.store.read(TABLES["quarantine"]).filter(pl.col("stage") == "labels")
    assert refused["rule"].to_list() == ["review_unusable"]
    # The judged segment leaves the annotations: its decision stays, and is said to be about nothing.
    rows = [row for row in house.fine() if row["annotation_id"] != one]
    house.write(rows)
    house.up()
    assert house.states()[one]["state"] == "gone"
    assert house.settings.store.read(TABLES["reviews"], "people").height == 4


def test_accepting_keeps_what_was_shown(house: House) -> None:
    key = house.fine()[0]["annotation_id"]
    parsed = house.labels(key)
    house.decide("a.csv", house.about(key) | {"verdict": "accept", "shown": TAKE})
    other = house.fine()[1]["annotation_id"]
    plain = house.labels(other)
    house.decide("b.csv", house.about(other) | {"verdict": "accept"})
    house.up()
    assert verbs(house.labels(key)) == [("take", "left_hand", "reviewed:ann")]
    assert house.labels(key) != parsed
    assert house.labels(other) == plain


def test_what_is_shown_states_the_labels_again(house: House) -> None:
    """Accepting every segment changes no label but its rule."""
    from assets.labels.corrections import Classes, shown_labels
    from assets.sources.reviews.values import canonical

    store = house.settings.store
    before = store.read(TABLES["labels"], "house").sort(TABLES["labels"].key)
    classes = Classes.of(store.read(TABLES["taxonomies"], "house"))
    said = []
    for (segment,), rows in before.group_by("segment_id", maintain_order=True):
        key = str(segment).removeprefix("fine:")
        if str(segment).startswith("fine:"):
            shown = canonical(shown_labels(rows.iter_rows(named=True), classes))
            said.append(house.about(key) | {"verdict": "accept", "shown": shown})
    house.decide("all.csv", *said)
    house.up()
    after = store.read(TABLES["labels"], "house").sort(TABLES["labels"].key)
    fine = pl.col("segment_id").str.starts_with("fine:")
    columns = [name for name in before.columns if name != "rule"]
    assert after.filter(fine).select(columns).equals(before.filter(fine).select(columns))
    assert after.filter(fine)["rule"].unique().to_list() == ["reviewed:ann"]


def test_a_corrected_translation_moves_its_labels(house: House) -> None:
    first = house.fine()[0]
    lists = house.base / "raw" / "association_benchmark" / "annotations"
    lists.mkdir(parents=True)
    (lists / "ego_train.csv").write_text(
        "annotation_id,start_sec,end_sec,narration_ch,narration_en,verb,noun,scenario,video_uid\n"
        f"{first['annotation_id']},{first['start_sec']},{first['end_sec']},右手拿起杯子,"
        f"{first['narration_en']},[0],[0],kitchen,{first['video_uid']}\n",
        encoding="utf-8",
    )
    house.narrate(first["annotation_id"], "Left hand takes the cup.")
    path = lists / "ego_train.csv"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(first["narration_en"], "Left hand takes the cup."), "utf-8")
    house.up()
    (doubt,) = queue(house.settings, "house", "translations").to_dicts()
    assert doubt["why"] == "given_hand_lost"
    labels = queue(house.settings, "house", "labels")
    assert "translation:given_hand_lost" in labels["why"].to_list()
    assert "1 used texts fail the check" in str(
        translation_check(house.settings, "house").description
    )
    house.decide(
        "t.csv",
        {k: doubt[k] for k in ("item_id", "item_hash", "item_kind")}
        | {"verdict": "correct", "value": "The right hand takes the cup."},
    )
    house.up()
    assert {row["body_part"] for row in house.labels(first["annotation_id"])} == {"right_hand"}
    assert queue(house.settings, "house", "translations").is_empty()
    assert house.states()[first["annotation_id"]]["item_kind"] == "translation"
    labels = queue(house.settings, "house", "labels")
    assert not any("translation:" in why for why in labels["why"])
    # Other Chinese: the correction is stale, the labels are those of what is given.
    path.write_text(path.read_text(encoding="utf-8").replace("右手", "左手"), encoding="utf-8")
    house.up()
    assert {row["body_part"] for row in house.labels(first["annotation_id"])} == {"left_hand"}
    assert house.states()[first["annotation_id"]]["state"] == "stale"


def test_commands_write_queues_and_tell_how_decisions_stand(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARALLAX_CONFIG", str(house.base / "parallax.toml"))
    run: Callable[..., Any] = CliRunner().invoke
    key = house.fine()[0]["annotation_id"]
    house.narrate(key, "=HYPERLINK(evil)")
    house.decide("a.csv", {"item_id": "fine:never\x1b[31m", "item_hash": "x", "verdict": "reject"},
                 house.about(key) | {"source": "unknown", "verdict": "reject"})  # fmt: skip
    house.up()
    out = tmp_path / "queue.csv"
    said = run(app, ["review", "queue", "house", "--out", str(out), "--round", "2"])
    assert said.exit_code == 0, said.output
    assert "1 labels of house" in said.output
    assert out.read_bytes().startswith(b"\xef\xbb\xbfsource,")
    with out.open(encoding="utf-8-sig", newline="") as handle:
        (row,) = csv.DictReader(handle)
    assert (row["text"], row["round"]) == ("'=HYPERLINK(evil)", "2")
    again = run(app, ["review", "queue", "house", "--out", str(out)])
    assert again.exit_code == 1
    told = run(app, ["review", "status"])
    assert "1 items judged" in told.output
    assert "gone label fine:never" in told.output
    assert "\x1b[31m" not in told.output
    assert "1 decisions in people are on unknown" in told.output
    assert "to decide: 1 labels, 0 translations, " in told.output
    status = run(app, ["status"])
    assert "2 decisions on house, unknown" in status.output
    assert "reviews: 1 gone" in status.output
    for words in (["house", "--what", "moods"], ["nowhere"], ["house", "--format", "xls"]):
        bad = run(app, ["review", "queue", *words, "--out", str(tmp_path / "no.csv")])
        assert bad.exit_code == 1
    assert not (tmp_path / "no.csv").exists()
    assert "<Choices" in run(app, ["review", "interface"]).output


@pytest.mark.parametrize("reviews", ['["nobody"]', '["house"]'])
def test_reviews_must_be_sources_of_decisions(tmp_path: Path, reviews: str) -> None:
    path = tmp_path / "parallax.toml"
    path.write_text(CONFIG.replace('["people"]', reviews))
    with pytest.raises(ConfigError, match="is not another source that holds reviews"):
        load_settings(path)


def test_what_was_changed_follows_what_was_shown(house: House) -> None:
    key = house.fine()[0]["annotation_id"]
    value = '[{"kind": "verb", "class": 0}]'
    said = house.about(key) | {"verdict": "correct", "value": value}
    house.decide("a.csv", said | {"shown": value})
    house.up()
    assert [row["changed"] for row in house.changes()] == [0]
    # The decision is the same one: what its reviewer was shown is not part of its id.
    house.decide("a.csv", said | {"shown": "[]"})
    house.up()
    assert [row["changed"] for row in house.changes()] == [1]


@pytest.mark.parametrize(
    ("stage", "names"),
    [
        ("labels", {"standing", "label_items"}),
        ("reviews", {"standing", "item_hash", "label_items", "automatic_texts"}),
    ],
)
def test_what_decides_what_holds_is_part_of_the_version(
    house: House, monkeypatch: pytest.MonkeyPatch, stage: str, names: set[str]
) -> None:
    house.decide("a.csv", house.about(house.fine()[0]["annotation_id"]) | {"verdict": "reject"})
    house.up()
    counted: set[str] = set()

    def version(*functions: Callable[..., Any]) -> str:
        counted.update(function.__name__ for function in functions)
        return "v"

    module = importlib.import_module(f"assets.{stage}.stage")
    monkeypatch.setattr(assets.stage, "code_version", version)
    module.STAGE.input_hashes(house.settings, "house")
    assert names <= counted
