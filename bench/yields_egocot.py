"""Questions that EgoCoT-Bench's recipes build from generated recordings, and how many the paper's counts need.

One line for each of the twelve subtasks: how many questions the recordings of each source give, and all together. The
sources are the paper's (3.2.1), simulated in their layouts and without video: Ego4D (with the graphs of EASG),
EPIC-KITCHENS with VISOR, HD-EPIC, Charades-Ego, MECCANO and own recordings. The paper has 3,172 questions about 351
videos; it does not say how many of them come from which source.

A simulated recording lasts about a minute and holds about twenty actions. A fifth of the paper's number of recordings is
generated, and how many the paper's count needs follows in proportion: questions are balanced within a source, which keeps
no smaller share of more recordings. The lines show whether a rule starves a subtask, not how many questions the real files
give; gates are not run.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.measure import Figure, main, measure

PAPER = {
    "active_object_grounding": 419,
    "hand_object_association": 114,
    "manipulation_state_perception": 213,
    "state_retrospection": 265,
    "location_visibility_retrospection": 496,
    "hand_object_temporal_retrospection": 32,
    "next_state_anticipation": 392,
    "next_action_anticipation": 198,
    "local_cause_outcome_inference": 360,
    "progress_reasoning": 233,
    "hand_object_grounded_cot": 238,
    "goal_oriented_object_tracking": 212,
}
"""Questions of the paper by subtask: its printed accuracies give these numbers."""
VIDEOS = 351
RECORDINGS = {
    "easg": 30,
    "epic_kitchens": 6,
    "hd_epic": 6,
    "charades_ego": 6,
    "meccano": 6,
    "own": 20,
}
"""Generated recordings by layout."""


def _flat(layout: str, takes: int, folder: Path) -> None:
    from resources.worlds.flat import FlatSpec
    from resources.worlds.flat.charades_ego import write_charades_ego
    from resources.worlds.flat.easg import write_easg
    from resources.worlds.flat.epic_kitchens import write_epic_kitchens
    from resources.worlds.flat.hd_epic import write_hd_epic
    from resources.worlds.flat.own import write_own

    writers: dict[str, Callable] = {
        "easg": write_easg,
        "epic_kitchens": write_epic_kitchens,
        "hd_epic": write_hd_epic,
        "charades_ego": write_charades_ego,
        "own": write_own,
    }
    kind = "lemma" if layout in ("charades_ego", "own") else "easg"
    writers[layout](FlatSpec(kind, takes=takes, seed=layout, render="none"), folder, workers=1)


def _meccano(takes: int, folder: Path) -> None:
    from resources.worlds.workbench import WorkbenchSpec, write_meccano

    write_meccano(WorkbenchSpec("toy", benches=takes, duration_s=60, render="none"), folder)


def build(layout: str) -> dict:
    """How many recordings there are of a layout, how long they are, and questions by subtask."""
    import polars as pl

    from assets.options import Options, silent
    from assets.questions.stage import STAGE as QUESTIONS
    from assets.scene_graphs.stage import STAGE as SCENE_GRAPHS
    from assets.sources.stage import STAGE as INGEST
    from expectations.schemas import TABLES
    from resources.config import load_settings

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        takes = RECORDINGS[layout]
        if layout == "meccano":
            _meccano(takes, folder / "raw")
        else:
            _flat(layout, takes, folder / "raw")
        (folder / "parallax.toml").write_text(
            f'store = "tables"\n[sources.generated]\nlayout = "{layout}"\nroot = "raw"\n'
            '[benchmarks.egocot]\nsources = ["generated"]\n',
            encoding="utf-8",
        )
        settings = load_settings(folder / "parallax.toml")
        for stage in (INGEST, SCENE_GRAPHS):
            stage.refresh(settings, "generated", Options(), silent)
        QUESTIONS.refresh(settings, "egocot", Options(), silent)
        recordings = settings.store.read(TABLES["recordings"], "generated")
        questions = settings.store.read(TABLES["questions"], "egocot")
    counts = dict(questions.group_by("subtask").len().iter_rows())
    ego = recordings.filter(pl.col("view") == "ego").height
    return {"recordings": ego, "subtasks": counts}


def figures() -> list[Figure]:
    """A line for each subtask, over all sources."""
    built = {layout: measure(__file__, "build", layout, repeats=1) for layout in RECORDINGS}
    recordings = sum(one["recordings"] for one in built.values())
    out = []
    for subtask, paper in PAPER.items():
        counts = {layout: one["subtasks"].get(subtask, 0) for layout, one in built.items()}
        total = sum(counts.values())
        parts = ", ".join(f"{layout} {n:,}" for layout, n in counts.items() if n)
        needed = math.ceil(paper * recordings / total) if total else None
        words = "never reaches it" if needed is None else f"{needed:,} recordings reach it"
        out.append(
            Figure(
                f"EgoCoT-Bench, {subtask.replace('_', ' ')}",
                f"{total:,} of {recordings:,} recordings, so that {words}: {parts or 'none'}",
                f"the paper's {paper} from at most its {VIDEOS} videos",
                needed is not None and needed <= VIDEOS,
            )
        )
    return out


SIDES = {f.__name__: f for f in (build,)}

if __name__ == "__main__":
    sys.exit(main(__file__, figures, SIDES))
