"""How far "better than" makes an order: cycles, what lies below them, and what to leave out.

A pair lies on a cycle exactly when both its clips lie in one strongly connected component (here a
knot). To leave out every such pair would cost far more than the contradictions are worth (44 % of the
released training pairs), so that only as many are left out as are needed to undo the knots.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Order:
    """What the pairs of an action say together.

    Attributes:
        knot: Per clip the least clip of its knot, -1 where it is in none.
        below: Per clip whether it is worse than a clip of a knot it is not in, directly or not.
        on_cycle: Per pair whether it lies on a cycle.
        left_out: Per pair whether it is left out; without these no cycle is left.
    """

    knot: Ints
    below: Flags
    on_cycle: Flags
    left_out: Flags


def order_of(n: int, better: Ints, worse: Ints, agreement: NDArray[np.float64]) -> Order:
    """Order of clips.

    Pairs are left out knot by knot until none is left, those first that most other pairs speak
    against: of the clips compared with both ends, how many close a cycle with the pair, less how many
    confirm it. Of those, the ones fewest annotators agree on go. Pairs that are equal in both go
    together, so that nothing is decided by a name.

    Args:
        n: Number of clips.
        better: Better clip of each pair, in [0, n).
        worse: Worse clip of each pair; no pair is given twice.
        agreement: Share of the votes each pair has.
    """
    knot = knots(n, better, worse)
    inside = knot >= 0
    on_cycle = inside[better] & (knot[better] == knot[worse])
    left_out = np.zeros(better.size, dtype=np.bool_)
    rest = np.flatnonzero(on_cycle)
    while rest.size:
        left_out[rest[_most_contradicted(n, better, worse, agreement, knot, rest)]] = True
        rest = rest[~left_out[rest]]
        knot_now = knots(n, better[rest], worse[rest])
        same = (knot_now[better[rest]] >= 0) & (knot_now[better[rest]] == knot_now[worse[rest]])
        rest, knot = rest[same], knot_now
    first_knot = knots(n, better, worse)
    return Order(first_knot, _below(n, better, worse, first_knot), on_cycle, left_out)


def knots(n: int, better: Ints, worse: Ints) -> Ints:
    """Least member of each clip's knot (several clips that are each better than each other), or -1."""
    if not better.size:
        return np.full(n, -1, dtype=np.int64)
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    graph = csr_array((np.ones(better.size, dtype=np.int8), (better, worse)), shape=(n, n))
    count, of = connected_components(graph, directed=True, connection="strong")
    least = np.full(count, n, dtype=np.int64)
    np.minimum.at(least, of, np.arange(n))
    return np.where(np.bincount(of, minlength=count)[of] > 1, least[of], -1)


def _most_contradicted(
    n: int, better: Ints, worse: Ints, agreement: NDArray[np.float64], knot: Ints, rest: Ints
) -> Flags:
    """Which of the pairs `rest` go in this round: of each knot those that are contradicted most."""
    from scipy.sparse import csr_array

    b, w = better[rest], worse[rest]
    graph = csr_array((np.ones(rest.size, dtype=np.int64), (b, w)), shape=(n, n))
    two = csr_array(graph @ graph)
    against = _at(two, w, b) - _at(two, b, w)
    # Contradiction first, then least agreement, within each knot.
    group = knot[b]
    rows = np.lexsort((agreement[rest], -against, group))
    head = np.r_[True, group[rows][1:] != group[rows][:-1]]
    lead = rows[np.flatnonzero(head)[np.cumsum(head) - 1]]
    goes = np.zeros(rest.size, dtype=np.bool_)
    goes[rows] = (against[rows] == against[lead]) & (agreement[rest][rows] == agreement[rest][lead])
    return goes


def _at(matrix: csr_array, rows: Ints, columns: Ints) -> Ints:
    return np.asarray(matrix[rows, columns]).ravel().astype(np.int64)


def _below(n: int, better: Ints, worse: Ints, knot: Ints) -> Flags:
    """Clips that are worse than a clip of a knot and in none themselves, or below another knot."""
    below = np.zeros(n, dtype=np.bool_)
    # Out of a knot: to a clip of another or of none.
    leaves = (knot[better] >= 0) & (knot[better] != knot[worse])
    reached = np.unique(worse[leaves])
    while reached.size:
        below[reached] = True
        step = np.unique(worse[below[better]])
        reached = step[~below[step]]
    return below
