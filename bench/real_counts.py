"""Questions that every benchmark has from the released annotations at hand, beside the paper's counts.

The folder that `PARALLAX_SHARED` names holds excerpts of released datasets, without their videos: some files are
whole, some are cut, some are missing. Each dataset is read, its questions are built and judged as a run does, and each
recipe has a line with its candidates, the questions built and those that the gates publish. One more line says why the
other recipes have none. The counts show what the real files allow, and are held against no bound.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench import yields_egocot, yields_egoprox
from bench.measure import Figure, main, measure, unmeasured


@dataclass(frozen=True)
class Excerpt:
    """Released files of a dataset.

    Attributes:
        folder: Their folder, in `data` of the shared one.
        benchmarks: Benchmarks that draw on the dataset.
        base: Folder inside it at which the release begins.
        inside: Folder of the release that the files belong to, where they are those of one recording.
        archives: Archives that hold files of the release, unpacked where they lie.
        without: Long lists of recordings that are left out, so that counting takes minutes.
    """

    folder: str
    benchmarks: tuple[str, ...]
    base: str = "."
    inside: str = "."
    archives: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


EXCERPTS = {
    "adt": Excerpt("adt", ("egoprox",), inside="sequence"),
    "charades_ego": Excerpt(
        "charades-ego",
        ("egocot",),
        without=("CharadesEgo_v0_test.csv", "CharadesEgo_v0_train.csv"),
    ),
    "cvmhat": Excerpt(
        "cvmhat",
        ("egoexobench",),
        archives=("CVMHAT_dataset-anno/GT.zip", "CVMHAT_dataset-anno/GT_txt.zip"),
    ),
    "easg": Excerpt("ego4d-easg", ("egocot",)),
    "egoexo4d": Excerpt("ego-exo4d", ("egoexobench", "egoprox"), base="samples"),
    "egoexolearn": Excerpt("egoexolearn", ("egobridge", "egoexobench")),
    "egopet": Excerpt(
        "egopet",
        ("egocross",),
        without=(
            "csv/egopet_pretrain.csv",
            "csv/locomotion_prediction_train.csv",
            "csv/locomotion_prediction_train_25.csv",
            "csv/locomotion_prediction_val.csv",
        ),
    ),
    "egosurgery": Excerpt("egosurgery", ("egocross",), base="data"),
    "enigma51": Excerpt("enigma-51", ("egocross",)),
    "epic_kitchens": Excerpt("epic-kitchens", ("egocot",)),
    "hd_epic": Excerpt("hd-epic", ("egocot",)),
    "tf2023": Excerpt("tf2023", ("egoexobench",)),
}
"""Excerpts by layout."""
PROTOCOLS = {
    "egobridge": "direct",
    "egocot": "egocot_reasoning",
    "egocross": "egocross_close",
    "egoexobench": "egoexobench_direct",
    "egoprox": "egoprox_direct",
}
WHOLE = {"egocot": yields_egocot.PAPER, "egoprox": yields_egoprox.PAPER}
"""Questions of papers that say how many a subtask has, and not from which source; of EgoCoT-Bench the smallest numbers
of which all printed percentages are whole counts."""
CUT = ".EXCERPT10"
"""In the name of a file of which the first rows were kept; the release's file has none."""
SHARED = "PARALLAX_SHARED"


def place(excerpt: Excerpt, data: Path, root: Path) -> None:
    """Put released files where the release has them.

    Args:
        excerpt: The files.
        data: Folder of all excerpts.
        root: Folder to create.
    """
    home = data / excerpt.folder / excerpt.base
    for path in home.rglob("*"):
        name = path.relative_to(home).as_posix().replace(CUT, "")
        if path.is_file() and name not in excerpt.without:
            target = root / excerpt.inside / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    for name in excerpt.archives:
        with zipfile.ZipFile(home / name) as archive:
            archive.extractall((root / excerpt.inside / name).parent)


def configuration(layout: str, benchmarks: tuple[str, ...]) -> str:
    """`parallax.toml` that reads an excerpt and builds the benchmarks' questions from it."""
    lines = [
        'store = "tables"',
        "[sources.released]",
        f'layout = "{layout}"',
        'root = "raw"',
        "excerpt = true",
        'sentence_match = "none"',
        "[runs.random]",
        'engine = "random"',
        'protocol = "own"',
    ]
    for name in benchmarks:
        lines += [f"[benchmarks.{name}]", 'sources = ["released"]']
        lines += [f'protocol = "{PROTOCOLS[name]}"']
        if name == "egocross" and layout == "egosurgery":
            lines.append('extensions = ["next_phase_egosurgery"]')
    return "\n".join([*lines, ""])


def build(layout: str) -> list[dict]:
    """Counts of each recipe of the benchmarks that draw on a dataset."""
    from assets.options import Options, silent
    from assets.questions.gating import STAGE as GATES
    from assets.questions.stage import STAGE as QUESTIONS
    from pipelines.run.steps import Scope, source_waves
    from resources.config import load_settings

    excerpt = EXCERPTS[layout]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        place(excerpt, Path(os.environ[SHARED]) / "data", folder / "raw")
        config = folder / "parallax.toml"
        config.write_text(configuration(layout, excerpt.benchmarks), encoding="utf-8")
        settings = load_settings(config)
        for wave in source_waves(settings, Scope(benchmarks=excerpt.benchmarks)):
            for step in wave:
                for stage in step.stages:
                    stage.refresh(settings, step.partition, Options(), silent)
        for benchmark in excerpt.benchmarks:
            QUESTIONS.refresh(settings, benchmark, Options(), silent)
            GATES.refresh(settings, benchmark, Options(), silent)
        return list(_counts(settings, layout, excerpt.benchmarks))


def _counts(settings, layout: str, benchmarks: tuple[str, ...]) -> Iterator[dict]:
    """Candidates, questions built, questions published, the paper's count, and what keeps a recipe from more."""
    from assets.benchmarks import published_counts
    from assets.questions.kit.funnel import funnel_totals
    from assets.questions.stage import configured_builders
    from expectations.gates import published
    from expectations.schemas import TABLES
    from pipelines.cli.question_status import outcomes

    why = {(benchmark, recipe): text for benchmark, recipe, text in outcomes(settings, "released")}
    for benchmark in benchmarks:
        read = {
            name: settings.store.read(TABLES[name], benchmark)
            for name in ("question_funnels", "questions", "question_gates")
        }
        candidates: dict[str, int] = {}
        for row in funnel_totals(read["question_funnels"]).iter_rows(named=True):
            if row["step"] == 0:
                candidates[row["recipe"]] = candidates.get(row["recipe"], 0) + row["left"]
        kept = published(read["questions"], read["question_gates"])
        for recipe, builder in configured_builders(settings, benchmark).items():
            for subtask in builder.subtasks:
                built, passed = (
                    rows.filter(recipe=recipe, subtask=subtask).height
                    for rows in (read["questions"], kept)
                )
                yield {
                    "benchmark": benchmark,
                    "subtask": subtask,
                    "recipe": recipe,
                    "candidates": candidates.get(recipe, 0),
                    "built": built,
                    "published": passed,
                    "paper": published_counts(benchmark).get((subtask, layout)),
                    "why": why[benchmark, recipe],
                }


def _paper(row: dict) -> str:
    """The paper's count in words; empty where it gives none."""
    whole = WHOLE.get(row["benchmark"], {}).get(row["subtask"])
    if row["paper"] is not None:
        return f"the paper has {row['paper']:,}"
    return "" if whole is None else f"the paper has {whole:,} from all its sources"


def asked(counts: list[dict], layout: str) -> list[dict]:
    """One row per subtask that the paper takes from a dataset, or that has questions from it.

    Several recipes may ask one subtask, each of other datasets: that of the dataset at hand counts.
    """
    lists = {row["benchmark"] for row in counts if row["paper"] is not None}
    best: dict[tuple[str, str], dict] = {}
    for row in counts:
        if row["benchmark"] in lists and row["paper"] is None and not row["built"]:
            continue
        key = row["benchmark"], row["subtask"]
        best[key] = max(
            # Of equals the first: recipes of one dataset alone come after those of several.
            (*([best[key]] if key in best else []), row),
            key=lambda r: (r["built"], f"_{layout}@" in r["recipe"], r["candidates"]),
        )
    return list(best.values())


def figures() -> list[Figure]:
    """A line for each subtask with questions, and one of the other subtasks of a benchmark and dataset."""
    from assets.benchmarks import about

    out = []
    for layout, excerpt in EXCERPTS.items():
        if SHARED not in os.environ:
            out.append(unmeasured(f"questions from released {layout}", "", SHARED))
            continue
        rows = asked(measure(__file__, "counts", layout, repeats=1)["counts"], layout)
        for benchmark in excerpt.benchmarks:
            what = f"{about(benchmark).title} from released {layout}"
            none: dict[str, list[str]] = {}
            for row in (r for r in rows if r["benchmark"] == benchmark):
                subtask = row["subtask"].replace("_", " ")
                paper = _paper(row)
                if not row["built"]:
                    named = f"{subtask} ({paper})" if row["paper"] else subtask
                    none.setdefault(row["why"].removeprefix("no question: "), []).append(named)
                    continue
                measured = (
                    f"{row['candidates']:,} candidates, {row['built']:,} built,"
                    f" {row['published']:,} published"
                )
                if not row["published"]:
                    measured += f" ({row['why']})"
                out.append(Figure(f"{what}, {subtask}", measured, paper, True))
            if none:
                words = "; ".join(f"{', '.join(names)}: {why}" for why, names in none.items())
                out.append(Figure(f"{what}, subtasks without a question", words, "", True))
    return out


def counts(layout: str) -> dict:
    """What `build` returns, as the output of a process of its own."""
    return {"counts": build(layout)}


SIDES = {"counts": counts}

if __name__ == "__main__":
    sys.exit(main(__file__, figures, SIDES))
