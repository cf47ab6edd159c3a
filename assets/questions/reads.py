"""Which earlier tables question stages read, over all benchmarks."""

from __future__ import annotations

from assets.questions.builder import builders
from expectations.gates import reads_of


def all_reads() -> set[str]:
    """Tables that some builder or gate reads."""
    found = {"frames"}
    for builder in builders().values():
        found |= builder.reads.keys() | reads_of(builder.benchmark).keys()
    return found
