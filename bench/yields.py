"""Questions that EgoExoBench's recipes build from generated releases, beside the paper's count.

One line for each subtask and source of the paper (Figure 6): the candidates, how many each rule leaves, the
questions built, and how many of a sample of these the gates publish. The releases are the simulated worlds in
the datasets' layouts, without video, with no more recordings than the dataset has; most have far fewer, since
a simulated recording is short but dense. They show whether a rule starves a recipe, not how many questions the
real files give. Gates that look at frames or ask a model judge nothing here.

Skill evaluation on EgoExoLearn is built from the released pairs, in the folder that `PARALLAX_SHARED` names: an
order needs four clips that were all compared with each other and never held equal, and a simulated household,
whose performers have four levels of skill, has far fewer such orders than the release.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from bench.measure import Figure, main, measure, unmeasured

COURTS, KITCHENS = 40, 60
JUDGED = 100
"""Of a recipe's questions so many are judged, those of lowest id, which is a hash: all would take hours."""
RELEASED = {
    "egoexolearn": "released: 747 videos",
    "egoexo4d": "released: 5,035 takes",
    "cvmhat": "released: 16 takes",
    "tf2023": "released: 35 scenes",
    "egome": "released: 7,902 pairs",
}
"""How large each dataset is, where a file that was read says so."""
OF_RELEASED = ("skill_evaluation", "egoexolearn")
"""Built from released pairs: a simulated household is compared too thinly for so many orders of four clips."""


def _lemma(folder: Path) -> str:
    """Takes of one person and of two, of one task and of two; tasks of two are performed alone, too."""
    from resources.worlds.flat import FlatSpec, plan_flat
    from resources.worlds.flat.lemma import write_lemma

    flat = plan_flat(FlatSpec("lemma", takes=240, render="none"))
    takes = []
    for n, take in enumerate(flat.takes):
        acting = take.agents[0].person_id
        alone = replace(
            take,
            agents=take.agents[:1],
            actions=tuple(a for a in take.actions if a.actor == acting),
            cameras={name: c for name, c in take.cameras.items() if name != "ego2"},
        )
        takes.append(take if n // 6 % 2 else alone)
    # Tasks repeat after six takes and splits after three: rounds begin with different tasks.
    turned = (takes[n : n + 6] for n in range(0, len(takes), 6))
    takes = [t for n, one in enumerate(turned) for t in (*one[n % 3 :], *one[: n % 3])]
    write_lemma(replace(flat, takes=tuple(takes)), folder)
    return f"{len(takes)} activities"


def _egoexolearn(folder: Path) -> str:
    from resources.worlds import HouseholdSpec, plan, write_egoexolearn

    spec = HouseholdSpec(ego=132, exo=99, render="none")
    write_egoexolearn(plan(spec), folder)
    return f"{spec.ego + spec.exo} videos"


def _egoexo4d(folder: Path) -> str:
    """Courts, each with players of its own, and kitchens of which only the takes are listed."""
    from resources.worlds.court.egoexo4d import sessions_of as on_court
    from resources.worlds.court.egoexo4d import write_sessions
    from resources.worlds.court.plan import plan_court
    from resources.worlds.court.truth import CourtSpec
    from resources.worlds.flat import FlatSpec, plan_flat
    from resources.worlds.flat.egoexo4d import sessions_of as in_kitchen

    def elsewhere(session, place: str, n: int):
        capture = session.capture
        capture = replace(
            capture, name=f"{place}{n}_{capture.name}", setting=capture.setting + 10 * n
        )
        return replace(
            session,
            capture=capture,
            participant=session.participant + 100 * n,
            key=session.key + 1_000_000 * n,
        )

    courts = [
        elsewhere(session, "court", n)
        for n in range(COURTS)
        for session in on_court(plan_court(CourtSpec(seed=f"court {n}", render="none")))
    ]
    kitchens = [
        elsewhere(session, "kitchen", n)
        for n in range(KITCHENS)
        for session in in_kitchen(plan_flat(FlatSpec("egoexo4d", 4, f"kitchen {n}", "none")))
    ]
    people = sorted({session.participant for session in courts + kitchens})
    write_sessions(courts, people, folder, listed=kitchens)
    return f"{len(courts) + len(kitchens)} takes"


def _cvmhat(folder: Path) -> str:
    from resources.worlds.square import SquareSpec, write_cvmhat

    spec = SquareSpec("cvmhat", takes=16, frames=600, render="none")
    write_cvmhat(spec, folder)
    return f"{spec.takes} takes of {spec.frames} pictures"


def _tf2023(folder: Path) -> str:
    from resources.worlds.square import SquareSpec, write_tf2023

    spec = SquareSpec("tf2023", takes=35, frames=160, render="none")
    write_tf2023(spec, folder)
    return f"{spec.takes} scenes, each with two wearers"


def _egome(folder: Path) -> str:
    from resources.worlds.flat import FlatSpec
    from resources.worlds.flat.egome import write_egome

    spec = FlatSpec("lemma", takes=90, seed="egome", render="none")
    write_egome(spec, folder)
    return f"{spec.takes} pairs of videos"


WRITERS: dict[str, Callable[[Path], str]] = {
    "lemma": _lemma,
    "egoexolearn": _egoexolearn,
    "egoexo4d": _egoexo4d,
    "cvmhat": _cvmhat,
    "tf2023": _tf2023,
    "egome": _egome,
}


def build(layout: str) -> dict:
    """Size of a generated release, and the steps of the funnels of what the paper takes from it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        size = WRITERS[layout](folder / "raw")
        return {"size": size, "subtasks": _funnels(folder, layout, folder / "raw")}


def released_pairs() -> dict:
    """The same of the released pairs of EgoExoLearn's skill benchmark."""
    with tempfile.TemporaryDirectory() as name:
        raw = Path(os.environ["PARALLAX_SHARED"]) / "data" / "egoexolearn"
        return {"size": "the released lists", "subtasks": _funnels(Path(name), "egoexolearn", raw)}


def _funnels(folder: Path, layout: str, raw: Path) -> dict[str, dict]:
    """By subtask: each rule with what it refuses and leaves; questions judged, and those published of them."""
    from assets.labels.stage import STAGE as LABELS
    from assets.options import Options, silent
    from assets.pairs.stage import STAGE as PAIRS
    from assets.pairs.stage import VECTORS
    from assets.questions.gating import STAGE as GATES
    from assets.questions.kit.funnel import funnel_totals
    from assets.questions.stage import STAGE as QUESTIONS
    from assets.skill.stage import STAGE as SKILL
    from assets.sources.stage import STAGE as SOURCES
    from expectations.gates import published
    from expectations.schemas import TABLES
    from resources.config import load_settings

    config = folder / "parallax.toml"
    # Pairs of sentences are not compared: only how near they are counts here.
    config.write_text(
        f'store = "tables"\n[sources.generated]\nlayout = "{layout}"\nroot = "{raw}"\n'
        'sentence_match = "none"\n[benchmarks.egoexobench]\nsources = ["generated"]\n',
        encoding="utf-8",
    )
    settings = load_settings(config)
    compared = (VECTORS,) if layout in ("egoexolearn", "egome") else ()
    judged = (PAIRS, SKILL) if layout == "egoexolearn" else ()
    for stage in (SOURCES, LABELS, *compared, *judged):
        stage.refresh(settings, "generated", Options(), silent)
    QUESTIONS.refresh(settings, "egoexobench", Options(), silent)
    funnels = settings.store.read(TABLES["question_funnels"], "egoexobench")
    questions = settings.store.read(TABLES["questions"], "egoexobench")
    judged = questions.sort("question_id").group_by("recipe").head(JUDGED)
    # The others go, so that the gates judge these as they judge any.
    settings.store.replace(TABLES["questions"], "egoexobench", {*questions["pool"]}, judged)
    GATES.refresh(settings, "egoexobench", Options(), silent)
    kept = published(judged, settings.store.read(TABLES["question_gates"], "egoexobench"))
    found: dict[str, dict] = {}
    for row in funnel_totals(funnels).iter_rows(named=True):
        if row["published"] is not None:
            one = found.setdefault(row["subtask"], {"steps": []})
            one["steps"].append((row["rule"], row["refused"], row["left"]))
    for subtask, one in found.items():
        one["judged"], one["kept"] = (
            rows.filter(subtask=subtask).height for rows in (judged, kept)
        )
    return found


def in_words(steps: list) -> str:
    """A funnel: all candidates, then each rule that refuses any and what it leaves."""
    (first, _, candidates), *rules = steps
    words = [f"{candidates:,} {first}"]
    words += [f"{rule.replace('_', ' ')} {left:,}" for rule, refused, left in rules if refused]
    return "; ".join(words)


def figures() -> list[Figure]:
    """A line for each subtask and source of Figure 6."""
    from assets.benchmarks import published_counts

    built = {layout: measure(__file__, "build", layout, repeats=1) for layout in WRITERS}
    real = None
    if "PARALLAX_SHARED" in os.environ:
        real = measure(__file__, "released_pairs", repeats=1)
    out = []
    for (subtask, layout), paper in published_counts("egoexobench").items():
        wanted = f">= {paper}, as the paper"
        is_real = (subtask, layout) == OF_RELEASED
        what = f"EgoExoBench, {subtask.replace('_', ' ')} on {layout}"
        one = real if is_real else built[layout]
        if one is None:
            out.append(unmeasured(what, wanted, "PARALLAX_SHARED"))
            continue
        none = {"steps": [("candidates", 0, 0)], "judged": 0, "kept": 0}
        counts = one["subtasks"].get(subtask, none)
        steps, judged, kept = counts["steps"], counts["judged"], counts["kept"]
        left = steps[-1][-1]
        # Of those that were not judged, as many are published as of those that were.
        published = left * kept // judged if judged else 0
        released = f" ({RELEASED[layout]})" if layout in RELEASED else ""
        measured = f"{left:,} of {one['size']}{released}: {in_words(steps)};"
        measured += f" gates {kept:,} of {judged:,} judged"
        out.append(Figure(what, measured, wanted, published >= paper))
    return out


SIDES = {f.__name__: f for f in (build, released_pairs)}

if __name__ == "__main__":
    sys.exit(main(__file__, figures, SIDES))
