"""Questions that EgoProx's recipes build from generated recordings, and how many recordings the paper's count needs.

One line for each type and source of the paper (Table 4). The recordings are simulated, in the datasets' layouts and
without video: sequences of a flat in which somebody mostly walks and looks, and as many in which things are carried
about; takes of errands on a court; and takes of a session with keysteps. The paper has 386 and 342 questions about
intention, 187 and 191 about exploration, 422 and 693 about exploitation and 184 chains; it does not say how many of
a type come from which source, so that each source is held against the whole count.

Somebody who mostly walks and looks carries two things in a sequence: it gives next to no questions about
exploitation, whatever the rules, which keep two of three uses of things.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from bench.measure import Figure, main, measure
from bench.yields import in_words

PAPER = {
    "intention_approximate": 386,
    "intention_relative": 342,
    "exploration_approximate": 187,
    "exploration_relative": 191,
    "exploitation_approximate": 422,
    "exploitation_relative": 693,
    "chain_of_actions": 184,
}
"""Questions of the paper by type; its printed accuracies give these numbers."""
SOURCES = {
    "adt": ("sequences", 152, ("intention", "exploration", "exploitation")),
    "errands": ("takes", 5035, ("intention", "exploitation")),
    "session": ("takes", 5035, ("chain",)),
}
"""What a recording is called, how many the dataset has, and the categories that Table 4 takes from it."""
LAYOUTS = {"adt": "adt", "errands": "egoexo4d", "session": "egoexo4d"}


def _adt(folder: Path) -> list[float]:
    """Two sequences of somebody who mostly looks, and two of somebody who carries things about."""
    from resources.worlds.flat import FlatSpec, plan_flat
    from resources.worlds.flat.adt import write_adt

    looks = plan_flat(FlatSpec("adt", takes=2, render="none"))
    carries = plan_flat(FlatSpec("adt", takes=2, seed="errands", render="none", errands=10))
    renamed = [replace(take, take_id=f"{take.take_id}0") for take in carries.takes]
    flat = replace(looks, takes=(*looks.takes, *renamed))
    write_adt(flat, folder, workers=1)
    return [take.duration_s for take in flat.takes]


def _errands(folder: Path) -> list[float]:
    from resources.worlds.court.errands import plan_errands
    from resources.worlds.court.errands_egoexo4d import write_errands
    from resources.worlds.court.truth import CourtSpec

    court = plan_errands(CourtSpec(render="none"), takes=6, errands=12)
    write_errands(court, folder, workers=1)
    return [take.duration_s for take in court.takes]


def _session(folder: Path) -> list[float]:
    from resources.worlds.court.session import plan_session
    from resources.worlds.court.session_egoexo4d import write_training
    from resources.worlds.court.truth import CourtSpec

    court = plan_session(CourtSpec(render="none"))
    write_training(court, folder, workers=1)
    return [take.duration_s for take in court.takes]


WRITERS: dict[str, Callable[[Path], list[float]]] = {
    "adt": _adt,
    "errands": _errands,
    "session": _session,
}


def build(world: str) -> dict:
    """Lengths of generated recordings, and by type each rule with what it refuses and leaves."""
    from assets.keysteps.stage import ORDER, PLACES
    from assets.labels.stage import STAGE as LABELS
    from assets.navigation.stage import STAGE as NAVIGATION
    from assets.options import Options, silent
    from assets.questions.kit.funnel import funnel_totals
    from assets.questions.stage import STAGE as QUESTIONS
    from assets.scene_graphs.stage import STAGE as SCENE_GRAPHS
    from assets.sources.stage import STAGE as INGEST
    from expectations.schemas import TABLES
    from resources.config import load_settings

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lengths = WRITERS[world](folder / "raw")
        (folder / "parallax.toml").write_text(
            f'store = "tables"\n[sources.generated]\nlayout = "{LAYOUTS[world]}"\nroot = "raw"\n'
            '[benchmarks.egoprox]\nsources = ["generated"]\n',
            encoding="utf-8",
        )
        settings = load_settings(folder / "parallax.toml")
        more = {"adt": (NAVIGATION,), "errands": (), "session": (ORDER, PLACES)}[world]
        before = (LABELS,) if world == "errands" else ()
        for stage in (INGEST, *before, SCENE_GRAPHS, *more):
            stage.refresh(settings, "generated", Options(), silent)
        QUESTIONS.refresh(settings, "egoprox", Options(), silent)
        funnels = settings.store.read(TABLES["question_funnels"], "egoprox")
    rules_of: dict[str, list] = {}
    for row in funnel_totals(funnels).iter_rows(named=True):
        rules_of.setdefault(row["subtask"], []).append((row["rule"], row["refused"], row["left"]))
    return {"lengths": lengths, "subtasks": rules_of}


def figures() -> list[Figure]:
    """A line for each type and source."""
    out = []
    for world, (noun, released, categories) in SOURCES.items():
        built = measure(__file__, "build", world, repeats=1)
        lengths = built["lengths"]
        size = f"{len(lengths)} {noun} of {min(lengths):.0f} to {max(lengths):.0f} s"
        for subtask, paper in PAPER.items():
            if subtask.partition("_")[0] not in categories:
                continue
            steps = built["subtasks"].get(subtask, [("candidates", 0, 0)])
            left = steps[-1][-1]
            needed = math.ceil(paper * len(lengths) / left) if left else None
            words = "never reaches it" if needed is None else f"{needed:,} {noun} reach it"
            out.append(
                Figure(
                    f"EgoProx, {subtask.replace('_', ' ')} on {LAYOUTS[world]}",
                    f"{left:,} of {size}, so that {words}: {in_words(steps)}",
                    f"the paper's {paper} from at most the released {released:,} {noun}",
                    needed is not None and needed <= released,
                )
            )
    return out


SIDES = {f.__name__: f for f in (build,)}

if __name__ == "__main__":
    sys.exit(main(__file__, figures, SIDES))
