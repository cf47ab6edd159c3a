"""Which stages a run looks at: everything, or what some evaluations read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assets.questions.gating import STAGE as GATES
from assets.questions.stage import STAGE as QUESTIONS
from assets.stage import Inputs, UndeclaredRead
from expectations.schemas import TABLES
from pipelines.run.steps import Scope, chosen_evaluations, left_alone, stages_read, steps
from resources.config import Settings, SourceConfig, load_settings
from resources.errors import ExpectedError

REPOSITORY = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def settings() -> Settings:
    return load_settings(REPOSITORY / "parallax.toml")


def looked_at(settings: Settings, scope: Scope) -> dict[str, list[str]]:
    return {step.partition: [s.name for s in step.stages] for step in steps(settings, scope)}


def test_one_evaluation_looks_at_what_it_reads_and_at_nothing_else(settings):
    assert looked_at(settings, Scope(benchmarks=("egoprox",), runs=("random",))) == {
        "sample-adt": [
            *("sources", "frames", "translations", "labels", "scene_graphs", "navigation"),
            *("step_order", "step_places"),
        ],
        "egoprox": ["questions", "question_gates", "question_reviews"],
        "egoprox.random": ["predictions", "scores", "parity_scores"],
    }


def test_with_only_what_evaluations_read_is_left_as_it_is(settings):
    chosen = looked_at(settings, Scope(runs=("image-similarity",), only=True))
    assert list(chosen) == ["egobridge.image-similarity", "egoexobench.image-similarity"]


def test_a_run_alone_is_updated_on_the_benchmarks_it_asks(settings):
    chosen = looked_at(settings, Scope(runs=("shared-words",)))
    assert list(chosen) == ["sample-adt", "egoprox", "egoprox.shared-words"]


def test_a_benchmark_alone_is_updated_with_all_its_runs(settings):
    chosen = looked_at(settings, Scope(benchmarks=("egobridge",)))
    assert list(chosen) == [
        "sample-egoexolearn",
        "egobridge",
        *(f"egobridge.{run}" for run in ("random", "image-similarity", "smollm2")),
    ]
    # Statistics, task sets and skill pairs lie behind nothing that its questions rest on.
    assert chosen["sample-egoexolearn"] == [
        "sources",
        "frames",
        "translations",
        "labels",
        "sentence_vectors",
        "pairs",
    ]


def test_without_a_choice_every_stage_of_every_partition_is_looked_at(settings):
    every = looked_at(settings, Scope())
    assert set(every) == {*settings.sources, *settings.benchmarks, *settings.evaluations()}
    assert left_alone(settings, list(steps(settings, Scope()))) == ""


def test_decisions_of_people_are_read_for_the_gates_that_follow_them(settings):
    people = SourceConfig("people", "reviews", "people")
    sources = {
        name: replace(source, reviews=("people",)) for name, source in settings.sources.items()
    }
    decided = replace(settings, sources={**sources, "people": people})
    assert stages_read(decided, ["egocross"])["people"] == {"sources"}
    assert "people" not in stages_read(settings, ["egocross"])
    assert stages_read(decided, ["egobridge"])["people"] == {"sources"}
    chosen = looked_at(decided, Scope(benchmarks=("egobridge",)))
    assert list(chosen)[:2] == ["people", "sample-egoexolearn"]


def test_what_a_narrowed_run_leaves_alone_is_counted(settings):
    chosen = list(steps(settings, Scope(benchmarks=("egoprox",), runs=("random",))))
    said = left_alone(settings, chosen)
    every = sum(len(step.stages) for step in steps(settings, Scope()))
    assert said.startswith(f"left alone: {every - 14} of {every} stages (4 of 5 sources, ")
    assert "4 of 5 benchmarks, 16 of 17 evaluations" in said


def test_a_source_and_a_benchmark_of_one_name_are_told_apart(settings):
    source = replace(settings.sources["sample-adt"], name="egoprox")
    benchmark = replace(settings.benchmarks["egoprox"], sources=("egoprox",))
    named_alike = replace(
        settings,
        sources={"egoprox": source},
        benchmarks={"egoprox": benchmark},
        runs={"random": settings.runs["random"]},
    )
    chosen = list(steps(named_alike, Scope(sources=("egoprox", "egoprox"))))
    assert [(step.kind, step.partition) for step in chosen] == [
        ("source", "egoprox"),
        ("benchmark", "egoprox"),
        ("evaluation", "egoprox.random"),
    ]
    narrowed = list(steps(named_alike, Scope(only=True)))
    assert left_alone(named_alike, narrowed).endswith("(1 of 1 sources, 1 of 1 benchmarks)")


@pytest.mark.parametrize(
    ("scope", "message"),
    [
        (Scope(sources=("nope",)), "no source 'nope'; known: "),
        (Scope(benchmarks=("nope",)), "no benchmark 'nope'; known: "),
        (Scope(runs=("nope",)), "no run 'nope'; known: "),
        (
            Scope(benchmarks=("egobridge",), runs=("shared-words",)),
            "benchmark 'egobridge' is not asked by the runs chosen",
        ),
        (
            Scope(benchmarks=("egobridge", "egoprox"), runs=("shared-words",)),
            "benchmark 'egobridge' is not asked by the runs chosen",
        ),
        (
            Scope(sources=("sample-adt",), benchmarks=("egobridge",)),
            r"benchmark 'egobridge' draws on \['sample-egoexolearn'\]",
        ),
        (
            Scope(sources=("sample-easg",), runs=("shared-words",)),
            r"run 'shared-words' asks none of the benchmarks chosen; it asks \['egoprox'\]",
        ),
    ],
)
def test_choices_that_leave_nothing_are_refused(scope, message, settings):
    with pytest.raises(ExpectedError, match=message):
        scope.check(settings)


def test_every_choice_that_is_accepted_has_evaluations(settings):
    for benchmark in settings.benchmarks:
        for run in settings.runs:
            scope = Scope(benchmarks=(benchmark,), runs=(run,))
            if f"{benchmark}.{run}" in settings.evaluations():
                scope.check(settings)
                assert chosen_evaluations(settings, scope) == [f"{benchmark}.{run}"]
            else:
                with pytest.raises(ExpectedError):
                    scope.check(settings)


@pytest.mark.parametrize("stage", [QUESTIONS, GATES], ids=lambda stage: stage.name)
def test_a_benchmark_cannot_read_what_a_narrowed_run_does_not_update(stage, settings):
    declared = stage.in_partition(settings, "egoprox").reads
    assert declared.keys() < stage.reads.keys()
    inputs = Inputs(settings, stage, "egoprox")
    for name in stage.reads.keys() - declared.keys():
        with pytest.raises(UndeclaredRead, match=name):
            inputs.store.read(TABLES[name], "sample-adt")
