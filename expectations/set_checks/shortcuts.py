"""Shortcuts that a few features of the options give away: one option unlike the others, and kinds.

A feature singles out some of a question's options. If the right one is among them more often or less
often than their number says, the feature tells something that nobody needs to see the video for. Many
features are tried, so each p is multiplied by the number of different ones (Bonferroni).
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cache

import numpy as np

from expectations.set_checks.option_kinds import option_kind
from expectations.set_checks.outcomes import (
    LEAST_QUESTIONS,
    REFUSE_P,
    REFUSE_RATIO,
    WARN_P,
    WARN_RATIO,
    Outcome,
    by_lead,
    too_few,
)
from expectations.set_checks.rows import Asked
from expectations.set_checks.tails import at_least, binomial_probabilities

# Positions of the options a feature singles out, by the position of the question in the set.
Singled = dict[int, tuple[int, ...]]
Value = Hashable
# An option that is right less than half as often as chance says can be left out.
EXCLUDED_RATIO = 0.5
SELDOM_RATIO = 0.8
# Clips whose lengths differ by less look and last alike.
SAME_LENGTH_S = 0.05

_WORD = re.compile(r"[^\W\d_]+|\d+")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@cache
def words_of(text: str) -> tuple[str, ...]:
    """Words and numbers of a text, lower case."""
    return tuple(_WORD.findall(text.casefold()))


@cache
def numbers_of(text: str) -> tuple[float, ...]:
    """Numbers in a text."""
    return tuple(float(number) for number in _NUMBER.findall(text))


@cache
def surface(text: str) -> dict[str, Value]:
    """What can be seen of a text without understanding it, by the name of the feature."""
    words, numbers = words_of(text), numbers_of(text)
    whole = numbers[0] if len(numbers) == 1 and numbers[0].is_integer() else None
    return {
        "length": len(text.strip()),
        "number of words": len(words),
        "first word": words[0] if words else "",
        "last word": words[-1] if words else "",
        "a repeated word": len(set(words)) < len(words),
        "format": re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "0", text.strip())),
        "capital letter": text.strip()[:1].isupper(),
        "parity": None if whole is None else whole % 2,
    }


def option_features(row: Asked) -> dict[str, list[Value]]:
    """Surface features of a question's options, each as one value per option in shown order."""
    if not row.in_words:
        found: dict[str, list[Value]] = {"recording": [*row.option_recordings]}
        if None not in row.option_lengths_s:
            lengths = np.array(row.option_lengths_s, dtype=np.float64)
            if np.isfinite(lengths).all():
                found["length of the clip"] = [*np.round(lengths / SAME_LENGTH_S)]
        # Media stand in the order of their roles, options in the order of their letters.
        letters = [role[-1] for role in row.option_roles]
        if sorted(letters) != sorted(row.letters):
            return {}
        at = [letters.index(letter) for letter in row.letters]
        return {name: [values[i] for i in at] for name, values in found.items()}
    texts = [text or "" for text in row.texts]
    looks = [surface(text) for text in texts]
    features = {name: [look[name] for look in looks] for name in looks[0]} if looks else {}
    sets = [set(words_of(text)) for text in texts]
    asked = set(words_of(row.read_text))
    features["words of other options"] = [
        any(own & other for j, other in enumerate(sets) if j != i) for i, own in enumerate(sets)
    ]
    features["words of the question"] = [bool(own & asked) for own in sets]
    return features


def odd_one(values: Sequence[Value]) -> int | None:
    """Position of the one value unlike all others, which are alike; None where there is none."""
    if len(values) < 3:
        return None
    counts = Counter(values)
    if len(counts) != 2:
        return None
    (_, most), (rare, few) = counts.most_common()
    return values.index(rare) if few == 1 and most > 1 else None


def odd_one_out(rows: Sequence[Asked]) -> Outcome:
    """Whether the one option that differs from all others in a surface feature tells the answer.

    Features: length, number of words, first and last word, repeated words, format, capital letter,
    parity of a number, words shared with other options or the question; of clips their length and
    recording.
    """
    singled: dict[str, Singled] = defaultdict(dict)
    for i, row in enumerate(rows):
        for name, values in option_features(row).items():
            odd = odd_one(values)
            if odd is not None:
                singled[name][i] = (odd,)
    return judge_singled(rows, singled, "the option unlike the others in {}")


def option_kinds(rows: Sequence[Asked]) -> Outcome:
    """Whether options of a kind are right far more or far less often than chance says.

    Kinds: the same text, the same last word, and furniture, containers, tools, food by name.
    """
    if rows and not any(row.in_words for row in rows):
        return Outcome("pass", None, None, "options are clips: they name nothing")
    singled: dict[str, Singled] = defaultdict(dict)
    for i, row in enumerate(rows):
        if not row.in_words:
            continue
        kinds: dict[str, list[int]] = defaultdict(list)
        for j, text in enumerate(row.read_texts):
            for name in _kinds_of(text):
                kinds[name].append(j)
        for name, positions in kinds.items():
            if len(positions) < len(row.letters):
                singled[name][i] = tuple(positions)
    return judge_singled(rows, singled, "an option of kind {}")


@cache
def _kinds_of(text: str) -> tuple[str, ...]:
    words, kind = words_of(text), option_kind(text)
    found = [repr(text)]
    found += [f"'… {words[-1]}'"] if len(words) > 1 else []
    found += [kind] if kind else []
    return tuple(found)


def judge_singled(rows: Sequence[Asked], singled: Mapping[str, Singled], what: str) -> Outcome:
    """The feature whose options are right most unlike chance.

    Args:
        rows: Questions of the set.
        singled: Options each feature singles out.
        what: What an option that is singled out is, with a place for the feature's name.
    """
    different: dict[frozenset[tuple[int, tuple[int, ...]]], str] = {}
    for name, options in singled.items():
        if len(options) >= LEAST_QUESTIONS:
            different.setdefault(frozenset(options.items()), name)
    if not different:
        if len(rows) < LEAST_QUESTIONS:
            return too_few(rows, f"{LEAST_QUESTIONS} questions")
        return Outcome("pass", None, None, "no feature singles out options of enough questions")
    found = [
        _judge(rows, singled[name], what.format(name), len(different))
        for name in different.values()
    ]
    order = {"refuse": 0, "warn": 1, "pass": 2}
    return min(found, key=lambda out: (order[out.verdict], out.p, out.message))


def _judge(rows: Sequence[Asked], options: Singled, what: str, tried: int) -> Outcome:
    """Whether those who pick the options singled out, or leave them out, do better than chance."""
    hits = 0
    picked: list[float] = []
    left: list[float] = []
    expected: list[float] = []
    chance = 0.0
    for i, positions in options.items():
        row, n = rows[i], len(rows[i].letters)
        hit = row.right.index(True) in positions if True in row.right else False
        hits += hit
        picked.append(hit / len(positions))
        left.append((not hit) / (n - len(positions)))
        expected.append(len(positions) / n)
        chance += 1 / n
    n = len(expected)
    chance /= n
    below, above = _tails(hits, expected)
    more = above < below
    p = min(1.0, 2 * min(below, above) * tried)
    accuracies = np.array(picked if more else left)
    accuracy = float(accuracies.mean())
    ratio = hits / sum(expected)
    verdict = by_lead(accuracy, chance, p)
    if p < REFUSE_P and (ratio <= EXCLUDED_RATIO or ratio >= REFUSE_RATIO):
        verdict = "refuse"
    elif verdict == "pass" and p < WARN_P and (ratio <= SELDOM_RATIO or ratio >= WARN_RATIO):
        verdict = "warn"
    words = (
        f"{what} is right in {hits} of {n}, {sum(expected):.1f} by chance (p = {p:.2g} after"
        f" {tried} features): who {'picks' if more else 'leaves out'} such options is right in"
        f" {accuracy:.0%}, chance {chance:.0%}"
    )
    return Outcome(
        verdict,
        accuracy,
        WARN_RATIO * chance,
        words,
        p,
        accuracy - chance,
        float(accuracies.std()) / math.sqrt(n),
        n / len(rows),
    )


def _tails(hits: int, chances: Sequence[float]) -> tuple[float, float]:
    """Probability of at most and of at least so many hits, each by its own chance."""
    pmf = np.ones(1)
    for chance, n in sorted(Counter(chances).items()):
        pmf = np.convolve(pmf, binomial_probabilities(n, chance))
    return float(pmf[: hits + 1].sum()), float(pmf[hits:].sum())


# -- a guesser that learns ---------------------------------------------------------------------------

_FOLDS = 10
# So many questions show a lead of two points; of more, those of lowest hash are judged.
_MOST = 4000
_RIDGE = 1.0
_STEPS = 12
_SMOOTHING = 1.0


def learned(rows: Sequence[Asked]) -> Outcome:
    """How often a guesser is right that learns from other recordings what right options look like.

    It weighs surface features of the options (a conditional logit with a ridge), and how often an
    option's text and kind are right elsewhere, never to their disadvantage: where each text is right
    equally often, the right one is right less often elsewhere, which no guesser knows without the
    answer. Each recording is judged by what was learned from others; the interval and the test are
    clustered by recording.
    """
    asked = [row for row in rows if True in row.right and len(row.letters) > 1]
    if len(asked) > _MOST:
        asked = sorted(asked, key=lambda row: (row.question_hash, row.question_id))[:_MOST]
    if len(asked) < LEAST_QUESTIONS:
        return too_few(asked, f"{LEAST_QUESTIONS} questions")
    names, groups = np.unique([row.recording_id for row in asked], return_inverse=True)
    if len(names) < 2:
        return Outcome("unknown", None, None, "all questions are of one recording")
    folds = groups if len(names) <= _FOLDS else groups % _FOLDS
    data = _Options.of(asked, groups)
    if not data.tell:
        return Outcome("pass", None, None, "options do not differ in any feature")
    chances = np.array([1 / len(row.letters) for row in asked])
    scores = np.empty(len(data.question))
    for fold in np.unique(folds):
        held = folds[data.question] == fold
        features = data.features(held)
        weights = _fit_upward(
            features[~held], data.question[~held], data.right[~held], data.n_terms
        )
        scores[held] = features[held] @ weights
    hits = data.accuracy(scores)
    return _by_clusters(hits, chances, groups)


def _by_clusters(hits: np.ndarray, chances: np.ndarray, groups: np.ndarray) -> Outcome:
    """Verdict on accuracies per question, with a test and an interval clustered by recording."""
    from scipy.special import stdtr, stdtrit

    n, count = len(hits), int(groups.max()) + 1
    accuracy, chance = float(hits.mean()), float(chances.mean())
    gain = accuracy - chance
    sums = np.bincount(groups, weights=hits - chances - gain, minlength=count)
    error = float(np.sqrt(count / (count - 1) * (sums**2).sum())) / n
    reach = float(stdtrit(count - 1, 0.975)) * error
    clustered = float(stdtr(count - 1, -gain / error)) if error > 0 else float(gain <= 0)
    # With few recordings the one test is not to be trusted, with many the other.
    p = max(clustered, at_least(round(hits.sum()), n, chance))
    words = (
        f"a guesser that learns from other recordings is right in {accuracy:.0%} of {n}"
        f" ({max(0.0, accuracy - reach):.0%} to {min(1.0, accuracy + reach):.0%}, clustered by"
        f" {count} recordings; chance {chance:.0%}, p = {p:.2g})"
    )
    error = max(error, float(hits.std()) / math.sqrt(n))
    return Outcome(
        by_lead(accuracy, chance, p), accuracy, WARN_RATIO * chance, words, p, gain, error
    )


class _Options:
    """Options of all questions, one after the other, with what is known of each.

    Attributes:
        question: int [m], question of each option.
        right: bool [m].
    """

    def __init__(
        self,
        question: np.ndarray,
        right: np.ndarray,
        fixed: np.ndarray,
        terms: Sequence[tuple[np.ndarray, np.ndarray]],
    ) -> None:
        self.question, self.right = question, right
        self._fixed, self._terms = fixed, terms

    @classmethod
    def of(cls, rows: Sequence[Asked], groups: np.ndarray) -> _Options:
        question = np.repeat(np.arange(len(rows)), [len(row.letters) for row in rows])
        right = np.array([is_answer for row in rows for is_answer in row.right], dtype=bool)
        fixed = np.concatenate([_fixed_features(row) for row in rows])
        spread = fixed.std(axis=0)
        fixed = fixed[:, spread > 0]
        texts = [text for row in rows for text in (row.read_texts if row.in_words else row.letters)]
        in_words = np.repeat([row.in_words for row in rows], [len(row.letters) for row in rows])
        terms = []
        for read in (
            (str, _last_word, lambda text: option_kind(text) or "") if in_words.any() else ()
        ):
            _, term = np.unique([read(text) for text in texts], return_inverse=True)
            term = np.where(in_words, term, -1)
            recording = groups[question]
            _, pair = np.unique(term * (groups.max() + 1) + recording, return_inverse=True)
            terms.append((term, pair))
        return cls(question, right, fixed, terms)

    @property
    def n_terms(self) -> int:
        """How many of the features, the last ones, say how often a text is right elsewhere."""
        return len(self._terms)

    @property
    def tell(self) -> bool:
        """Whether there is any feature in which options of a question differ."""
        return self._fixed.shape[1] > 0 or len(self._terms) > 0

    def features(self, held: np.ndarray) -> np.ndarray:
        """Features [m, d], where what texts tell is learned without the options held back.

        For options that are learned from it is measured without those of their own recording.
        """
        columns = [self._fixed]
        for term, pair in self._terms:
            known = ~held & (term >= 0)
            counts = []
            for chosen in (known & self.right, known & ~self.right):
                every = np.bincount(term[chosen], minlength=int(term.max()) + 1)
                own = np.bincount(pair[chosen], minlength=int(pair.max()) + 1)
                # Options held back are of no recording that was counted: their own count is 0.
                counts.append(every[term] - own[pair] + _SMOOTHING)
            column = np.where(term >= 0, np.log(counts[0] / counts[1]), 0.0)
            columns.append(self._centred(column)[:, None])
        return np.concatenate(columns, axis=1)

    def accuracy(self, scores: np.ndarray) -> np.ndarray:
        """Per question, how probably the option of highest score is right; ties share."""
        best = np.full(int(self.question.max()) + 1, -np.inf)
        np.maximum.at(best, self.question, scores)
        top = scores >= best[self.question] - 1e-9
        return np.bincount(self.question, weights=top & self.right) / np.bincount(
            self.question, weights=top
        )

    def _centred(self, column: np.ndarray) -> np.ndarray:
        sizes = np.bincount(self.question)
        return column - (np.bincount(self.question, weights=column) / sizes)[self.question]


@cache
def _last_word(text: str) -> str:
    return next(reversed(words_of(text)), "")


_ODD = (
    "length",
    "number of words",
    "first word",
    "last word",
    "a repeated word",
    "format",
    "capital letter",
    "parity",
    "words of other options",
    "words of the question",
    "recording",
    "length of the clip",
)


def _fixed_features(row: Asked) -> np.ndarray:
    """Features [k, d] of a question's options that depend on this question alone."""
    k = len(row.letters)
    features = option_features(row)
    columns = [np.zeros(k) for _ in _ODD]
    for column, name in zip(columns, _ODD, strict=True):
        odd = odd_one(features[name]) if name in features else None
        if odd is not None:
            column[odd] = 1.0
    columns += [*_sizes(row, features), *_overlaps(row), *_numbers(row), _nearness(row)]
    table = np.stack(columns, axis=1)
    return table - table.mean(axis=0)


def _sizes(row: Asked, features: Mapping[str, Sequence[Value]]) -> Iterator[np.ndarray]:
    """Length, standardised, and whether it is the longest or the shortest."""
    name = "length" if row.in_words else "length of the clip"
    sizes = np.array(features.get(name, [0] * len(row.letters)), dtype=np.float64)
    yield _standard(sizes)
    for end in (sizes.max(), sizes.min()):
        at = sizes == end
        yield at * (at.sum() == 1)


def _overlaps(row: Asked) -> Iterator[np.ndarray]:
    """Words shared with the other options, and with the question."""
    if not row.in_words:
        yield from (np.zeros(len(row.letters)), np.zeros(len(row.letters)))
        return
    sets = [set(words_of(text)) for text in row.read_texts]
    asked = set(words_of(row.read_text))
    shared = [
        sum(len(own & o) / max(len(own | o), 1) for j, o in enumerate(sets) if j != i)
        for i, own in enumerate(sets)
    ]
    yield _standard(np.array(shared))
    yield _standard(np.array([float(len(own & asked)) for own in sets]))


def _numbers(row: Asked) -> Iterator[np.ndarray]:
    """Whether an option holds the least or the greatest number of a question in numbers."""
    found = [numbers_of(text) for text in row.read_texts] if row.in_words else []
    if not found or any(len(numbers) != 1 for numbers in found):
        yield from (np.zeros(len(row.letters)), np.zeros(len(row.letters)))
        return
    values = np.array([numbers[0] for numbers in found])
    yield (values == values.min()).astype(np.float64)
    yield (values == values.max()).astype(np.float64)


def _nearness(row: Asked) -> np.ndarray:
    """How near each clip's length is to the query's."""
    none = np.zeros(len(row.letters))
    letters = [role[-1] for role in row.option_roles]
    if row.query_length_s is None or None in row.option_lengths_s or not letters:
        return none
    if sorted(letters) != sorted(row.letters):
        return none
    lengths = np.array(
        [row.option_lengths_s[letters.index(x)] for x in row.letters], dtype=np.float64
    )
    away = -np.abs(lengths - row.query_length_s)
    return _standard(away) if np.isfinite(away).all() else none


def _standard(values: np.ndarray) -> np.ndarray:
    spread = values.std()
    return (values - values.mean()) / spread if spread > 1e-9 else np.zeros(len(values))


def _fit_upward(
    features: np.ndarray, question: np.ndarray, right: np.ndarray, last: int
) -> np.ndarray:
    """As `_fit`, but the `last` features may only speak for an option: else they are left out."""
    weights = _fit(features, question, right)
    against = np.flatnonzero(weights < 0)
    against = against[against >= len(weights) - last]
    if not len(against):
        return weights
    kept = np.delete(np.arange(len(weights)), against)
    found = np.zeros(len(weights))
    found[kept] = _fit_upward(features[:, kept], question, right, last - len(against))
    return found


def _fit(features: np.ndarray, question: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Weights of a conditional logit with a ridge, by Newton's method."""
    _, at = np.unique(question, return_inverse=True)
    weights = np.zeros(features.shape[1])
    for _ in range(_STEPS):
        odds = np.exp(np.clip(features @ weights, -30, 30))
        share = odds / np.bincount(at, weights=odds)[at]
        gradient = features.T @ (right - share) - _RIDGE * weights
        mean = np.zeros((int(at.max()) + 1, features.shape[1]))
        np.add.at(mean, at, features * share[:, None])
        curve = (features * share[:, None]).T @ features - mean.T @ mean
        step = np.linalg.solve(curve + _RIDGE * np.eye(len(weights)), gradient)
        weights += step
        if np.abs(step).max(initial=0.0) < 1e-6:
            break
    return weights
