"""What benchmarks declare as data agrees with the code of their questions."""

from __future__ import annotations

from assets.benchmarks import benchmark_folders, compares_sentences
from assets.questions.kit.builder import builders


def test_benchmarks_that_compare_sentences_say_so() -> None:
    """The stage of pairs comes before questions, and makes vectors where a benchmark says so."""
    reading = {b.benchmark for b in builders().values() if "sentence_vectors" in b.reads}
    declared = {f.name for f in benchmark_folders() if compares_sentences(f.name)}
    assert declared == reading
    assert declared


def test_a_benchmark_without_a_folder_declares_nothing() -> None:
    assert not compares_sentences("elsewhere")
