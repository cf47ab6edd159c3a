"""Metrics against the official code, same inputs, one core, in one process each way.

Segmentation and planning are cut out of a checkout of the released repository, which
`PARALLAX_EGOEXOLEARN_CODE` names, and run unchanged; CIDEr is that of `pycocoevalcap`. What cannot be
measured says what it lacks. Inputs are made here: 57 videos of 20,000 frames with 1 % of frames wrong,
1,153 plans with five samples, 3,000 captions.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.measure import Figure, cpu_s, main, measure, unmeasured

CODE = "PARALLAX_EGOEXOLEARN_CODE"
SEGMENTATION = "temporal_action_segmentation_benchmark/egolearner_eval.py"
PLANNING = "action_anticipation_planning_benchmark/planning_main.py"
VIDEOS, FRAMES, SEGMENTS, CLASSES = 57, 20_000, 40, 28
PLANS, SAMPLES, STEPS, CAPTIONS = 1_153, 5, 8, 3_000
OVERLAPS = (0.1, 0.25, 0.5)


def cut(path: Path, names: tuple[str, ...], given: dict[str, Any]) -> dict[str, Any]:
    """The named functions of a file, run in a module of their own that holds what is given."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tree.body = [
        part for part in tree.body if isinstance(part, ast.FunctionDef) and part.name in names
    ]
    # The functions of the checkout its user names are what is measured.
    exec(compile(tree, str(path), "exec"), given)  # noqa: S102
    return given


def videos() -> list[tuple[str, str]]:
    """Files of predicted and true labels, as the released script reads them."""
    import numpy as np

    rng, out = np.random.default_rng(0), []
    for _ in range(VIDEOS):
        ends = np.sort(rng.choice(np.arange(50, FRAMES - 50), SEGMENTS - 1, replace=False))
        lengths = np.diff([0, *ends, FRAMES])
        truth = np.repeat(rng.integers(0, CLASSES, SEGMENTS), lengths)
        noise = rng.random(FRAMES) < 0.01
        predicted = np.where(noise, rng.integers(0, CLASSES, FRAMES), truth)
        words = [[str(n) for n in labels.tolist()] for labels in (predicted, truth)]
        out.append(("### Frame level recognition: ###\n" + " ".join(words[0]), "\n".join(words[1])))
    return out


def plans() -> tuple[Any, Any]:
    """Sampled and true next actions."""
    import numpy as np

    rng = np.random.default_rng(1)
    truth = rng.integers(0, 27, (PLANS, STEPS))
    samples = np.repeat(truth[:, None], SAMPLES, axis=1)
    wrong = rng.random(samples.shape) < 0.3
    return np.where(wrong, rng.integers(0, 27, samples.shape), samples), truth


def captions() -> tuple[list[str], list[list[str]]]:
    """Captions and one reference each, of twelve words."""
    import numpy as np

    rng = np.random.default_rng(2)
    words = np.minimum(rng.zipf(1.4, (CAPTIONS, 12)), 2000)
    changed = np.where(
        rng.random(words.shape) < 0.3, np.minimum(rng.zipf(1.4, words.shape), 2000), words
    )
    lines = [
        [" ".join(f"w{n}" for n in row) for row in table.tolist()] for table in (changed, words)
    ]
    return lines[0], [[line] for line in lines[1]]


def _timed(work: Callable[[], list[float]], times: int = 1) -> dict:
    """CPU seconds of one call, on both sides after a first that loads and reserves what it needs.

    What takes milliseconds is called often.
    """
    values = work()
    began = cpu_s()
    for _ in range(times):
        values = work()
    return {"cpu_s": (cpu_s() - began) / times, "values": values}


def ours_segmentation() -> dict:
    """Through `assets.scores.metrics.segmentation`."""
    from assets.scores.metrics.segmentation import prediction_of_file, score, truth_of_file

    given = videos()

    def work() -> list[float]:
        pairs = ((prediction_of_file(p), truth_of_file(y, "parity")) for p, y in given)
        found = score(pairs, "parity")
        assert found.accuracy is not None
        assert found.edit is not None
        return [found.accuracy, found.edit, *(value or 0.0 for value in found.f1.values())]

    return _timed(work)


def official_segmentation() -> dict:
    """The released functions, called as the released script calls them."""
    import numpy as np

    names = ("get_labels_start_end_time", "levenstein", "edit_score", "f_score")
    code = cut(Path(os.environ[CODE]) / SEGMENTATION, names, {"np": np})
    given = videos()

    def work() -> list[float]:
        correct, total, edit = 0, 0, 0.0
        counts = np.zeros((len(OVERLAPS), 3))
        for prediction, true_file in given:
            predicted = prediction.split("\n")[1].split()
            truth = true_file.split("\n")[:-1]
            for i in range(len(truth)):
                total += 1
                if truth[i] == predicted[i]:
                    correct += 1
            edit += code["edit_score"](predicted, truth)
            for s, overlap in enumerate(OVERLAPS):
                counts[s] += code["f_score"](predicted, truth, overlap)
        f1 = [200 * tp / (2 * tp + fp + fn) for tp, fp, fn in counts.tolist()]
        return [100 * correct / total, edit / len(given), *f1]

    return _timed(work)


def ours_planning() -> dict:
    """Through `assets.scores.metrics.planning`."""
    from assets.scores.metrics.planning import score

    samples, truth = plans()

    def work() -> list[float]:
        found = score(samples, truth, "parity").official()
        return [found[name] or 0.0 for name in sorted(found)]

    return _timed(work, 20)


def official_planning() -> dict:
    """The released functions; two calls that numpy 2 no longer knows are given back to it."""
    import types

    import editdistance
    import numpy as np
    import torch

    def shown(value: Any) -> float:
        return float(np.asarray(value).reshape(-1)[0])

    kept = types.SimpleNamespace(**{name: getattr(np, name) for name in ("mean", "vstack")})
    kept.trapz = np.trapezoid
    given = {"np": kept, "editdistance": editdistance, "float": shown}
    code = cut(Path(os.environ[CODE]) / PLANNING, ("edit_distance", "AUED"), given)
    samples, truth = plans()
    there = torch.from_numpy(samples.transpose(0, 2, 1).copy()), torch.from_numpy(truth)

    def work() -> list[float]:
        found = code["AUED"](*there)
        return [found[name] for name in sorted(found)]

    return _timed(work, 20)


def ours_cider() -> dict:
    """Through `assets.scores.metrics.captions.cider`."""
    from assets.scores.metrics.captions.cider import cider

    guessed, true = captions()
    return _timed(lambda: [cider(guessed, true, "parity").corpus or 0.0], 5)


def official_cider() -> dict:
    """Through `pycocoevalcap`."""
    from pycocoevalcap.cider.cider import Cider

    guessed, true = captions()
    gts, res = dict(enumerate(true)), {i: [text] for i, text in enumerate(guessed)}
    return _timed(lambda: [float(Cider().compute_score(gts, res)[0])], 5)


@dataclass(frozen=True)
class Row:
    """A comparison.

    Attributes:
        what: What both sides compute, of what.
        name: Its sides are `ours_<name>` and `official_<name>`.
        times: How many times less CPU is asked for.
        modules: What the official side imports.
        file: Official file in the checkout, where it is of one.
    """

    what: str
    name: str
    times: int
    modules: tuple[str, ...]
    file: str | None = None


ROWS = (
    Row(
        f"segmentation metrics of {VIDEOS} videos, {VIDEOS * FRAMES / 1e6:.2f} million frames, 1 % wrong",
        "segmentation",
        50,
        (),
        SEGMENTATION,
    ),
    Row(
        f"edit distance of {PLANS:,} plans, {SAMPLES} samples of {STEPS}",
        "planning",
        50,
        ("editdistance", "torch"),
        PLANNING,
    ),
    Row(f"CIDEr of {CAPTIONS:,} captions", "cider", 8, ("pycocoevalcap",)),
)


def absent(row: Row) -> str | None:
    """What the official side lacks."""
    lost = [module for module in row.modules if importlib.util.find_spec(module) is None]
    if lost:
        return f"{lost[0]} is not installed"
    if row.file is None:
        return None
    if not os.environ.get(CODE):
        return f"set {CODE} to a checkout of OpenGVLab/EgoExoLearn"
    path = Path(os.environ[CODE]) / row.file
    return None if path.is_file() else f"{path}, which {CODE} names, is not a file"


def figures() -> list[Figure]:
    """All figures."""
    out = []
    for row in ROWS:
        what, wanted = (
            f"{row.what}, against the official code",
            f">= {row.times} times, equal to 1e-9",
        )
        lacks = absent(row)
        if lacks is not None:
            out.append(unmeasured(what, wanted, lacks))
            continue
        mine = measure(__file__, f"ours_{row.name}")
        theirs = measure(__file__, f"official_{row.name}")
        ratio = theirs["cpu_s"] / mine["cpu_s"]
        pairs = zip(mine["values"], theirs["values"], strict=True)
        apart = max(abs(one - other) for one, other in pairs)
        said = (
            f"{ratio:.0f} times less CPU ({mine['cpu_s']:.3f} against {theirs['cpu_s']:.2f} CPU-s),"
            f" largest difference {apart:.0e}"
        )
        out.append(Figure(what, said, wanted, ratio >= row.times and apart <= 1e-9))
    return out


SIDES = {
    side.__name__: side
    for side in (
        ours_segmentation,
        official_segmentation,
        ours_planning,
        official_planning,
        ours_cider,
        official_cider,
    )
}

if __name__ == "__main__":
    sys.exit(main(__file__, figures, SIDES))
