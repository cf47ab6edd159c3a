"""Parity: equal to what the official evaluators gave, on every recorded case."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assets.scores.metrics import (
    UndefinedMetric,
    anticipation,
    association,
    planning,
    recall,
    segmentation,
    skill,
)
from assets.scores.metrics.captions.bleu import bleu
from assets.scores.metrics.captions.cider import cider
from assets.scores.metrics.captions.rouge import rouge_l
from assets.scores.metrics.captions.tokens import tokenized

NEAR = 1e-9


@pytest.fixture(scope="module")
def oracles(shared: Path) -> Path:
    return shared / "oracles"


def cases(path: Path) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert found
    return found


def near(one: Any, other: Any) -> bool:
    if isinstance(other, float) and math.isnan(other):
        return isinstance(one, float) and math.isnan(one)
    if isinstance(other, int | float):
        return abs(one - other) <= NEAR
    return one == other


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one.keys() == other.keys() and all(near(one[key], other[key]) for key in other)


def test_segmentation_of_one_video(oracles: Path) -> None:
    kinds = set()
    for case in cases(oracles / "tas/cases.jsonl"):
        if "gt_file_rle" in case:
            truth = segmentation.truth_of_file(case["gt_file_rle"], "parity")
        else:
            truth = case["gt_lines_rle"]
        try:
            found = segmentation.count_video(case["pred_rle"], truth, "parity")
        except UndefinedMetric as error:
            given: dict[str, Any] = {"error": error.official}
        else:
            given = {
                "correct": found.correct,
                "total": found.total,
                "edit": found.edit,
                "n_pred_seg": found.n_predicted,
                "n_gt_seg": found.n_true,
            } | {f"tp_fp_fn@{100 * at:.0f}": list(n) for at, n in found.matched.items()}
        assert same(given, case["out"]), case["id"]
        kinds.add(case["kind"])
    assert len(kinds) > 10


def test_segmentation_of_whole_runs(oracles: Path) -> None:
    runs = cases(oracles / "tas/dataset_runs.jsonl")
    truth = {
        video: segmentation.truth_of_file(labels, "parity")
        for run in runs
        if run["kind"] == "identity"
        for video, labels in run["pred_rle"].items()
    }
    for run in runs:
        pairs = [(labels, truth[video]) for video, labels in run["pred_rle"].items()]
        found = segmentation.score(pairs, "parity")
        printed = dict(part.split(": ") for part in run["stdout"].split(", "))
        assert near(found.edit, float(printed["Edit"]))
        assert f"{found.accuracy:.4f}" == printed["Acc"]
        assert f"{found.f1_avg:.4f}" == printed["F1@Avg"]
        assert f"{found.average:.4f}" == printed["Avg"]
        assert found.n_frames == run["frames"] - run["videos"]


def test_planning(oracles: Path) -> None:
    recorded = cases(oracles / "planning_ed/cases.jsonl")
    lists = json.loads((oracles / "planning_ed/full_lists.json").read_text(encoding="utf-8"))
    for case in [*recorded, *lists]:
        found = planning.score(case["samples"], case["labels"], "parity")
        assert same(found.official(), case["out"])
    for case in recorded:
        found = planning.score(case["samples"], case["labels"], "parity")
        assert near(found.ed[7], case["ed_at_8"])
        assert near(found.testing_score, case["testing_score_1_minus_AUED"])


def test_anticipation_with_ties_as_torch_breaks_them(oracles: Path) -> None:
    tied = 0
    for case in cases(oracles / "anticipation_recall/cases.jsonl"):
        for top in (None, case["top5_idx_torch"]):
            found = anticipation.score(case["scores"], case["labels"], "parity", top=top)
            assert same(found.official(), case["out"]), (case["id"], top)
        tied += case["ties"]
    assert tied


def test_anticipation_of_whole_splits(oracles: Path) -> None:
    folder = oracles / "anticipation_recall"
    seen = 0
    for split in json.loads((folder / "full.json").read_text(encoding="utf-8")):
        path = folder / f"full_{split['split']}_{split['kind']}.npz"
        if path.exists():
            with np.load(path) as arrays:
                found = anticipation.score(arrays["scores"], arrays["labels"], "parity")
            assert found.n == split["n"] and same(found.official(), split["out"])
            seen += 1
    assert seen


def test_epic_recall(oracles: Path) -> None:
    for case in cases(oracles / "epic_mt5r/cases.jsonl"):
        asked = (case["scores"], case["labels"], case["k"], case["classes"], "parity")
        try:
            given: Any = recall.mean_topk_recall(*asked)
        except UndefinedMetric as error:
            given = {"error": error.official}
        assert near(given, case["out"]), case["id"]


def test_association(oracles: Path) -> None:
    for case in cases(oracles / "association_mcq/cases.jsonl"):
        found = association.accuracy(case["preds"], case["labels"], case["types"], "parity")
        assert same(found, case["out"]), case["id"]


def test_skill(oracles: Path) -> None:
    for case in cases(oracles / "skill_pairs/cases.jsonl"):
        better, worse = case["score_better"], case["score_worse"]
        assert near(skill.pair_accuracy(better, worse, "parity"), case["out"]), case["id"]
        actions = [skill.action_of(pair[0]) for pair in case["pairs"]]
        assert near(skill.score(better, worse, actions, mode="parity").micro, case["out"])


def test_caption_tokens(oracles: Path) -> None:
    for case in cases(oracles / "caption/cases.jsonl"):
        texts, wanted = [*case["refs"], case["hyp"]], [*case["refs_tok"], *case["hyp_tok"]]
        assert [tokenized(text) for text in texts] == wanted, case["id"]


def test_caption_metrics(oracles: Path) -> None:
    corpora: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for case in cases(oracles / "caption/cases.jsonl"):
        corpora[case["corpus"]].append(case)
    recorded = json.loads((oracles / "caption/corpora.json").read_text(encoding="utf-8"))
    size = {corpus["corpus"]: corpus["n"] for corpus in recorded}
    for name, items in corpora.items():
        captions = [item["hyp_tok"][0] for item in items]
        references = [item["refs_tok"] for item in items]
        for item, values in zip(items, bleu(captions, references, "parity").items, strict=True):
            assert all(near(values[n], item["out"][f"Bleu_{n + 1}"]) for n in range(4))
        rouge = rouge_l(captions, references, "parity").items
        assert np.allclose(rouge, [item["out"]["ROUGE_L"] for item in items], rtol=0, atol=NEAR)
        # How rare words are depends on the whole corpus, of which a part may be kept back.
        if len(items) == size[name]:
            found = cider(captions, references, "parity").items
            assert np.allclose(found, [item["out"]["CIDEr"] for item in items], rtol=0, atol=NEAR)
