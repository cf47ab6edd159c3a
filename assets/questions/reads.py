"""Which earlier tables question stages read, over all benchmarks."""

from __future__ import annotations

from assets.questions.kit.builder import builders
from assets.translations.in_use import with_translations
from expectations.gates import reads_of


def all_reads() -> set[str]:
    """Tables that some builder or gate reads, `translations` where it reads narrations."""
    found = {"frames"}
    for builder in builders().values():
        for reads in (builder.reads, reads_of(builder.benchmark)):
            found |= with_translations(reads).keys()
    return found
