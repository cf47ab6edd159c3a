"""How far annotators agree beyond chance: Krippendorff's alpha, Cohen's kappa and multi-kappa, for nominal labels.

Counts are whole numbers and each coefficient is one quotient of them, so that it is the same in every process. The
tests compare them with NLTK's, which are kept out of here for what they get wrong and for their import, which takes
longer than all there is to compute:

- Its kappas divide by all items of a task, so that items which one of two annotators did not judge count as
  disagreement, or end in an error. Here they are computed on the items that all compared annotators judged.
- Where every judgement is the same, it returns 1. No coefficient is defined then, as chance agrees as often;
  here it is None with a reason.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

ONE_LABEL = "every judgement is the same, as it would be by chance"


class Judgement(NamedTuple):
    """What one annotator says of one item."""

    annotator: str
    item: str
    label: str


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of annotators on nominal labels.

    Attributes:
        n_annotators: Annotators with a judgement.
        n_items: Items that at least two judged.
        alpha: Krippendorff's alpha over these items.
        alpha_low: Lower end of its 95 % interval.
        alpha_high: Upper end.
        kappa: Mean of Cohen's kappa over pairs of annotators, each over the items that both judged.
        multi_kappa: Kappa of several annotators (Davies and Fleiss) over the items that all judged.
        agreement_reason: Why a coefficient or the interval is None; None where none is.
    """

    n_annotators: int
    n_items: int
    alpha: float | None = None
    alpha_low: float | None = None
    alpha_high: float | None = None
    kappa: float | None = None
    multi_kappa: float | None = None
    agreement_reason: str | None = None

    def columns(self) -> dict[str, Any]:
        """Values by column of a table."""
        return asdict(self)


def agreement(
    judgements: Iterable[Judgement], clusters: Mapping[str, Sequence[str]], level: float = 0.95
) -> Agreement:
    """Agreement of annotators.

    The interval is a jackknife: each cluster is left out in turn with all its items, and Student's t on one
    degree of freedom less than there are clusters gives the ends. An item may be of two clusters, as a pair of
    clips is of two recordings.

    Args:
        judgements: At most one of each annotator on each item.
        clusters: Clusters of each item.
        level: Coverage of the interval.

    Raises:
        ValueError: An annotator judges an item twice.
    """
    rows = sorted(set(judgements))
    by_item: dict[str, dict[str, str]] = defaultdict(dict)
    for annotator, item, label in rows:
        if annotator in by_item[item]:
            raise ValueError(
                f"annotator {annotator!r} judges item {item!r} as {by_item[item][annotator]!r} and as"
                f" {label!r}: keep one of the two"
            )
        by_item[item][annotator] = label
    annotators = sorted({row.annotator for row in rows})
    shared = {item: labels for item, labels in by_item.items() if len(labels) > 1}
    summary = Agreement(len(annotators), len(shared))
    if len(annotators) < 2:
        who = "only one annotator" if annotators else "no annotator"
        return _without(summary, f"{who} judged anything")
    if not shared:
        return _without(summary, "no item was judged by two annotators")
    alpha = _alpha(*_counts(shared.values()))
    if alpha is None:
        return _without(summary, ONE_LABEL)
    low, high, no_interval = _interval(alpha, shared, clusters, level)
    kappa, no_kappa = _mean_kappa(shared, annotators)
    multi, no_multi = _multi_kappa(shared, annotators)
    reasons = [why for why in (no_interval, no_kappa, no_multi) if why]
    return Agreement(
        summary.n_annotators,
        summary.n_items,
        alpha,
        low,
        high,
        kappa,
        multi,
        "; ".join(reasons) or None,
    )


Items = Mapping[str, Mapping[str, str]]


def _without(summary: Agreement, reason: str) -> Agreement:
    return Agreement(summary.n_annotators, summary.n_items, agreement_reason=reason)


def _labels(items: Items) -> set[str]:
    return {label for labels in items.values() for label in labels.values()}


def _mean_kappa(items: Items, annotators: Sequence[str]) -> tuple[float | None, str | None]:
    kappas = []
    for pair in combinations(annotators, 2):
        both = _judged_by(pair, items)
        if len(_labels(both)) > 1:
            kappas.append(_kappa(both, pair))
    if kappas:
        return math.fsum(kappas) / len(kappas), None
    return None, "kappa: every two annotators give one label alone to the items they share"


def _multi_kappa(items: Items, annotators: Sequence[str]) -> tuple[float | None, str | None]:
    whole = _judged_by(annotators, items)
    if not whole:
        return None, f"multi-kappa: no item was judged by all {len(annotators)} annotators"
    if len(_labels(whole)) == 1:
        return None, f"multi-kappa: on the items that all judged, {ONE_LABEL}"
    return _kappa(whole, annotators), None


def _kappa(items: Items, annotators: Sequence[str]) -> float:
    """Kappa of annotators who all judged every item, and not all alike.

    Of two it is Cohen's. Of more it is that of Davies and Fleiss (1982), whose observed and expected agreement are
    means over all pairs of annotators.
    """
    n, pairs = len(items), list(combinations(annotators, 2))
    label_counts = {name: Counter(labels[name] for labels in items.values()) for name in annotators}
    agreed = sum(labels[a] == labels[b] for a, b in pairs for labels in items.values())
    # Of n * n ways to pair a label of one annotator with one of the other.
    by_chance = sum(
        label_counts[a][label] * label_counts[b][label]
        for a, b in pairs
        for label in label_counts[a]
    )
    return (n * agreed - by_chance) / (len(pairs) * n * n - by_chance)


def _judged_by(annotators: Sequence[str], items: Items) -> dict[str, dict[str, str]]:
    """Items that all of some annotators judged, with their judgements alone."""
    return {
        item: {name: labels[name] for name in annotators}
        for item, labels in items.items()
        if all(name in labels for name in annotators)
    }


def _interval(
    alpha: float, items: Items, clusters: Mapping[str, Sequence[str]], level: float
) -> tuple[float | None, float | None, str | None]:
    """Ends of the interval of alpha, and why there are none."""
    by_cluster: dict[str, list[Mapping[str, str]]] = defaultdict(list)
    for item, labels in items.items():
        for cluster in dict.fromkeys(clusters[item]):
            by_cluster[cluster].append(labels)
    count = len(by_cluster)
    if count < 2:
        return None, None, "interval: one recording cannot show how much recordings differ"
    disagreement, totals = _counts(items.values())
    left: list[float] = []
    for _, inside in sorted(by_cluster.items()):
        less, fewer = _counts(inside)
        value = _alpha(disagreement - less, totals - fewer)
        if value is None:
            return None, None, "interval: without one of the recordings every judgement is the same"
        left.append(value)
    ends = jackknife(alpha, left, level)
    return (None, None, "interval: recordings do not differ") if ends is None else (*ends, None)


def jackknife(
    value: float, left: Sequence[float], level: float = 0.95
) -> tuple[float, float] | None:
    """Interval of a coefficient from -1 to 1, by leaving each cluster out in turn.

    Student's t on one degree of freedom less than there are clusters gives the ends.

    Args:
        value: The coefficient over all items.
        left: The coefficient without each cluster, [clusters], at least two.
        level: Coverage.

    Returns:
        Lower and upper end; None where the clusters do not differ.
    """
    values = np.array(left)
    count = len(values)
    variance = (count - 1) / count * float(((values - values.mean()) ** 2).sum())
    if variance < 1e-18:
        return None
    from scipy.special import stdtrit  # takes a tenth of a second to import

    half = float(stdtrit(count - 1, 0.5 + level / 2)) * math.sqrt(variance)
    return max(-1.0, value - half), min(1.0, value + half)


def _counts(items: Iterable[Mapping[str, str]]) -> tuple[float, Counter[str]]:
    """Observed disagreement of items, weighted as alpha does, and how often each label is given."""
    disagreements, totals = [], Counter[str]()
    for labels in items:
        counts = Counter(labels.values())
        n = counts.total()
        disagreements.append((n * n - sum(k * k for k in counts.values())) / (n - 1))
        totals += counts
    return math.fsum(disagreements), totals


def _alpha(disagreement: float, totals: Counter[str]) -> float | None:
    """Nominal alpha of counts; None where one label or none is left."""
    n = totals.total()
    expected = n * n - sum(k * k for k in totals.values())
    return 1 - (n - 1) * disagreement / expected if expected else None
