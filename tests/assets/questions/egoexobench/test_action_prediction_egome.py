"""Action prediction on EgoMe by hand: which steps are asked about, and which may be distractors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest

from assets.pairs.sentences import sentence_key
from assets.questions.egoexobench.action_prediction_egome import BUILDER
from expectations.schemas import TABLES

Row = dict[str, Any]
DONE = ("Open door", "Get cup", "Wash mug", "Fill jar", "Cut bread", "Eat apple", "Close lid")


def performed(name: str, steps: tuple[str, ...] = DONE, **of_ego: Any) -> dict[str, list[Row]]:
    """A demonstration and its imitation, steps of 2 s every 4 s."""
    ego, exo = f"{name}_ego", f"{name}_exo"
    common = {"source": "s", "split": "test", "scene": "kitchen", "scenario": "cook"}
    common |= {"media": "missing", "licence": "MIT", "duration_s": 60.0}
    recordings = [
        {**common, "recording_id": uid, "take_id": uid, "view": uid[-3:]} for uid in (ego, exo)
    ]
    recordings[0] |= of_ego
    segments = [
        {"source": "s", "segment_id": f"{name}.{i}", "recording_id": ego, "kind": "fine"}
        | {"start_s": 4.0 + 4.0 * i, "end_s": 6.0 + 4.0 * i, "narration": words}
        for i, words in enumerate(steps)
    ]
    link = {"source": "s", "take_id": ego, "link": "imitates", "other_take_id": exo}
    return {"recordings": recordings, "segments": segments, "take_links": [link]}


def made(
    *worlds: dict[str, list[Row]],
    alike: tuple[str, str] | None = None,
    labels: Sequence[Row] = (),
) -> dict[str, list[str]]:
    """Options by current step, the answer first."""
    tables = {n: [row for w in worlds for row in w[n]] for n in worlds[0]}
    sentences = list(dict.fromkeys(row["narration"] for row in tables["segments"]))
    at = {words: n for n, words in enumerate(sentences)}
    if alike is not None:
        at[alike[1]] = at[alike[0]]
    vectors = [
        {"source": "s", "recording_id": "r", "sentence": sentence_key(words), "model": "m"}
        | {"vector": [float(at[words] == i) for i in range(len(sentences))]}
        for words in sentences
    ]
    frames = {n: TABLES[n].frame(rows) for n, rows in tables.items()}
    frames["labels"] = TABLES["labels"].frame(labels)
    rows = BUILDER.make(frames | {"sentence_vectors": TABLES["sentence_vectors"].frame(vectors)})
    return {
        row["media"][0]["segment_id"]: [
            o["value"] for o in sorted(row["options"], key=lambda o: not o["is_answer"])
        ]
        for row in rows.to_dicts()
    }


def test_every_step_that_is_followed_by_another_is_asked_about() -> None:
    asked = made(performed("a"))
    assert asked.keys() == {f"a.{i}" for i in range(6)}
    for key, (answer, *others) in asked.items():
        i = int(key[-1])
        assert answer == f"a.{i + 1}"
        assert len({answer, *others}) == 4 and key not in others


def test_what_follows_such_a_step_elsewhere_comes_first() -> None:
    others = [
        performed(f"u{n}", ("Wash mug", last))
        for n, last in enumerate(("Dry mug", "Drop mug", "Fold towel"))
    ]
    (answer, *wrong) = made(performed("a"), *others)["a.2"]
    assert answer == "a.3" and set(wrong) == {"u0.1", "u1.1", "u2.1"}
    # Of another scene they count as plausible, and are none of the scene's steps.
    far = [{**w, "recordings": [r | {"scene": "lab"} for r in w["recordings"]]} for w in others]
    assert all(value.startswith("a.") for value in made(performed("a"), *far)["a.2"])


def test_what_may_be_taken_for_the_next_step_is_no_distractor() -> None:
    steps = ("Wash mug", "Fill jar", "Fill the jar", "Cut bread", "Eat apple", "Close lid")
    same = ("Fill jar", "Fill the jar")
    assert made(performed("a", steps), alike=same)["a.0"][0] == "a.1"
    assert "a.2" not in made(performed("a", steps), alike=same)["a.0"]
    # With one step less too few are left.
    assert "a.0" not in made(performed("a", steps[:-1]), alike=same)
    assert "a.0" in made(performed("a", steps[:-1]))


def test_a_step_that_is_done_twice_has_no_next() -> None:
    asked = made(performed("a", (*DONE[:5], "wash mug!", "Close lid")))
    assert not {"a.2", "a.5"} & asked.keys() and "a.1" in asked


@pytest.mark.parametrize(
    "said", [{"status": "attempted"}, {"status": "negated"}, {"actor_id": "man"}]
)
def test_what_its_wearer_did_not_do_is_neither_asked_about_nor_offered(said: Row) -> None:
    row = {"source": "s", "segment_id": "a.3", "recording_id": "a_ego", "reader": "open"}
    row |= {"clause": 0, "kind": "verb", "class_label": "fill", "lemma": "fill", "term": "fill"}
    row |= {"body_part": "none", "role": "action", "rule": "open;ROOT", "span_start": 0}
    row |= {"span_end": 4, "status": "done"}
    done, not_done = made(performed("a"), labels=[row]), made(performed("a"), labels=[row | said])
    assert done == made(performed("a"))
    assert done.keys() - not_done.keys() == {"a.2", "a.3"}
    assert any("a.3" in options for options in done.values())
    assert not any("a.3" in options for options in not_done.values())


@pytest.mark.parametrize("faithful", [True, False, None], ids=str)
def test_wrong_imitations_are_not_asked_about(faithful: bool | None) -> None:
    world = performed("a")
    world["take_links"][0]["faithful"] = faithful
    assert bool(made(world)) is (faithful is not False)


def test_without_the_demonstration_nothing_is_asked() -> None:
    world = performed("a")
    world["recordings"].pop()
    assert made(world) == {}


def test_order_of_rows_does_not_matter() -> None:
    world, other = performed("a"), performed("b", DONE[::-1])
    back = {n: rows[::-1] for n, rows in world.items()}
    assert made(world, other) == made(other, back)


def test_it_reads_no_more_than_it_says() -> None:
    for name, columns in BUILDER.reads.items():
        assert columns is not None
        assert set(columns) <= set(pl.Schema(TABLES[name].schema))
