"""What benchmarks declare as data agrees with the code of their questions."""

from __future__ import annotations

import pytest

from assets.benchmarks import about, benchmark_folders, published_counts
from assets.questions.kit.builder import builders
from assets.sources.registry import layouts


def test_benchmarks_that_compare_sentences_say_so() -> None:
    """The stage of pairs comes before questions, and makes vectors where a benchmark says so."""
    reading = {b.benchmark for b in builders().values() if "sentence_vectors" in b.reads}
    declared = {f.name for f in benchmark_folders() if about(f.name).compares_sentences}
    assert declared == reading
    assert declared


def test_a_benchmark_without_a_folder_declares_nothing() -> None:
    assert not about("elsewhere").compares_sentences
    assert about("elsewhere").title == "elsewhere"


def test_where_a_benchmark_has_groups_every_subtask_is_in_one() -> None:
    grouped = 0
    for folder in benchmark_folders():
        groups = about(folder.name).groups
        named = [subtask for subtasks in groups.values() for subtask in subtasks]
        assert len(named) == len(set(named))
        built = {
            subtask
            for builder in builders().values()
            if builder.benchmark == folder.name
            for subtask in builder.subtasks
        }
        assert not groups or built <= set(named), folder.name
        grouped += bool(groups)
    assert grouped == 3


def test_the_domains_of_egocross_are_layouts_of_its_cells() -> None:
    domains = about("egocross").domains
    assert {one for named in domains.values() for one in named} == {
        layout for _, layout in published_counts("egocross")
    }
    assert {one for named in domains.values() for one in named} <= layouts().keys()


@pytest.mark.parametrize(
    "text",
    [
        'titel = "Tea"',
        "title = 3",
        'title = "Tea"\ncompares_sentences = "yes"',
        'title = "Tea"\ngroups = "all"',
        'title = "Tea"\n[groups]\nhot = "green"',
        'title = "Tea"\n[groups]\nhot = ["green", "hot"]',
        'title = "Tea"\n[groups]\nmicro = ["green", "black"]',
        'title = "Tea"\ndomains = "all"',
        'title = "Tea"\n[domains]\nhot = "green"',
        'title = "Tea"\n[domains]\nmacro_domains = ["green"]',
        'title = "Tea"\n[domains]\nhot = ["green"]\ncold = ["black", "green"]',
        'title = "Tea"\n[groups]\nhot = ["black"]\n[domains]\nhot = ["green"]',
    ],
)
def test_a_file_with_a_mistake_is_named(tmp_path, text):
    (tmp_path / "tea").mkdir()
    (tmp_path / "tea" / "benchmark.toml").write_text(text)
    with pytest.raises(ValueError, match=r"tea/benchmark\.toml"):
        about("tea", (tmp_path / "tea",))
