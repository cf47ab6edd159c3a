"""Whether two wordings name the same, step by step from the strictest to the loosest.

| step | both are | example |
|---|---|---|
| `equal` | the same text | |
| `normalised` | the same words without case, punctuation and articles | "The pot." - "a pot" |
| `number` | the same numbers, written differently | "two" - "2", "1.0" - "1" |
| `unit` | the same amounts in different units or spellings | "2 minutes" - "120 s" |
| `stem` | forms of the same words | "knives" - "knife", "opened" - "opening" |
| `class_map` | terms of one class of a vocabulary, and of no second class | "cupboard" - "kitchen cabinet" |
| `synset` | first senses in one synset of WordNet | "sofa" - "couch" |

A wrong match is worse than a missed one. Words are compared in order, one word or term against one, with
nothing left over. Numbers, negation, sides, directions and particles never match by a loose step, and neither
do opposites. A kind is not a synonym of what it is a kind of: WordNet's broader and narrower terms are not
looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from assets.words.inflection import same_word
from assets.words.quantities import Part, Quantity, parts, tokens

Step = Literal["equal", "normalised", "number", "unit", "stem", "class_map", "synset"]
STEPS: tuple[Step, ...] = (
    "equal",
    "normalised",
    "number",
    "unit",
    "stem",
    "class_map",
    "synset",
)
"""Steps from the strictest to the loosest."""
EXACT: frozenset[Step] = frozenset({"equal", "normalised"})
"""Steps that change no word."""
LONGEST_CHARS = 2_000
"""Longer texts are compared as they stand."""
_MOST_PARTS = 24
# Most words of a term ("extra virgin olive oil").
_LONGEST_TERM = 4

FIXED_WORDS = frozenset(
    "no not never none nothing nobody without neither nor cannot yes"
    " left right up down on off in out into onto over under above below top bottom front back behind"
    " forward forwards backward backwards toward towards away before after inside outside near far"
    " clockwise counterclockwise anticlockwise north south east west"
    " all some any both each every most more less least few fewer many much only same different other"
    " he she his her him hers i my me you your they their them it its we our us"
    " first last next previous".split()
)
"""Words that match themselves alone: each turns a sentence round, or into another one."""
_OPPOSITES = frozenset(
    frozenset(pair.split("-"))
    for pair in (
        "open-close open-shut push-pull hot-cold warm-cool full-empty fill-empty clean-dirty wet-dry raw-cooked"
        " take-put give-take insert-remove add-remove lift-lower raise-lower start-stop begin-end start-finish"
        " enter-leave enter-exit increase-decrease big-small large-small long-short tall-short high-low light-dark"
        " light-heavy thick-thin hard-soft tight-loose tighten-loosen attach-detach connect-disconnect"
        " pick-drop give-receive buy-sell throw-catch wake-sleep sit-stand male-female man-woman boy-girl"
        " husband-wife ego-exo"
    ).split()
)  # fmt: skip
_NEGATING = ("un", "in", "im", "dis", "non", "ir", "mis", "de")


class Thesaurus(Protocol):
    """What knows synonyms: WordNet, where a folder of it is configured (`resources.wordnet`)."""

    def same_sense(self, first: str, second: str) -> bool:
        """Whether two lower-case terms mean the same and are not opposites."""
        ...


@dataclass(frozen=True, slots=True)
class Synonyms:
    """What knows synonyms; with neither, matching ends at stems.

    Attributes:
        classes: Class of each lower-case term that names one class alone (see `class_map`).
        thesaurus: WordNet; None where none is configured.
    """

    classes: Mapping[str, str] = field(default_factory=dict)
    thesaurus: Thesaurus | None = None


NO_SYNONYMS = Synonyms()


@dataclass(frozen=True, slots=True)
class Match:
    """A match of a text with one of several.

    Attributes:
        index: Which of them; None for no match.
        step: Step that found it; None for no match.
        ambiguous: Indices of all that match, where more than one does; then none is chosen.
    """

    index: int | None = None
    step: Step | None = None
    ambiguous: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class NameMatch:
    """A name of one vocabulary with the name of another that means the same.

    Attributes:
        first: Name in the first vocabulary.
        second: Name in the second; None where there is none, or more than one.
        step: Step that found it.
        ambiguous: Names that match, where more than one does.
    """

    first: str
    second: str | None
    step: Step | None
    ambiguous: tuple[str, ...] = ()


def match_texts(given: str, truth: str, synonyms: Synonyms = NO_SYNONYMS) -> Step | None:
    """Strictest step at which two texts match.

    The step of a text is the loosest that any of its words needs. Order does not matter: both texts are
    treated alike.

    Args:
        given: One text, for example the answer of a model.
        truth: The other, for example the true answer.
        synonyms: What knows synonyms.

    Returns:
        None where they do not match, and where one of them has no word.
    """
    given, truth = given.strip(), truth.strip()
    if not given or not truth:
        return None
    if given == truth:
        return "equal"
    if max(len(given), len(truth)) > LONGEST_CHARS:
        return None
    one, two = tokens(given), tokens(truth)
    if not one or not two:
        return None
    if one == two:
        return "normalised"
    first, second = parts(one), parts(two)
    if max(len(first), len(second)) > _MOST_PARTS:
        return None
    loosest = _aligned(first, second, synonyms)
    if loosest is None:
        return None
    # All words are the same, and the texts are not: numbers are written differently.
    return "number" if loosest == "normalised" else loosest


def match_among(given: str, options: Sequence[str], synonyms: Synonyms = NO_SYNONYMS) -> Match:
    """The one option that a text names.

    An option that is the text, word for word, is it. By any looser step exactly one option may match: two that
    do are ambiguous and none is chosen.

    Args:
        given: Text.
        options: Options of one question.
        synonyms: What knows synonyms.
    """
    steps: dict[int, Step] = {}
    for index, option in enumerate(options):
        step = match_texts(given, option, synonyms)
        if step is not None:
            steps[index] = step
    equal = [index for index, step in steps.items() if step == "equal"]
    exact = [index for index, step in steps.items() if step in EXACT]
    chosen = equal or exact or list(steps)
    if len(chosen) == 1:
        return Match(chosen[0], steps[chosen[0]])
    return Match(ambiguous=tuple(chosen))


def match_names(
    first: Sequence[str], second: Sequence[str], synonyms: Synonyms = NO_SYNONYMS
) -> list[NameMatch]:
    """Names of one vocabulary with those of another that mean the same: objects across sources.

    A name that matches two, and two names that match one, are ambiguous on the looser side: the match by the
    strictest step holds if it is the only one of its step, and no name is matched twice.

    Args:
        first: Different names.
        second: Different names.
        synonyms: What knows synonyms.

    Returns:
        One entry per name of `first`, in its order.
    """
    found: dict[str, list[tuple[int, str]]] = {name: [] for name in first}
    taken: dict[str, list[tuple[int, str]]] = {name: [] for name in second}
    for one in first:
        for two in second:
            step = match_texts(one, two, synonyms)
            if step is not None:
                found[one].append((STEPS.index(step), two))
                taken[two].append((STEPS.index(step), one))
    rows = []
    for one, matches in found.items():
        best = _strictest(matches)
        if len(best) == 1 and _strictest(taken[best[0]]) == [one]:
            step = STEPS[min(place for place, _ in matches)]
            rows.append(NameMatch(one, best[0], step))
        else:
            rows.append(NameMatch(one, None, None, tuple(best)))
    return rows


def class_map(terms: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Class of each term that names one class alone, for `Synonyms.classes`.

    Args:
        terms: Terms of each class, its label among them.
    """
    owners: dict[str, set[str]] = {}
    for name, spelled in terms.items():
        for term in spelled:
            owners.setdefault(" ".join(tokens(term)), set()).add(name)
    return {term: min(names) for term, names in owners.items() if term and len(names) == 1}


def _strictest(matches: Sequence[tuple[int, str]]) -> list[str]:
    least = min((place for place, _ in matches), default=None)
    return [name for place, name in matches if place == least]


def _aligned(first: Sequence[Part], second: Sequence[Part], synonyms: Synonyms) -> Step | None:
    """Loosest step of the best way to pair two texts from end to end."""
    longest = _LONGEST_TERM if synonyms.classes or synonyms.thesaurus else 1
    worst = len(STEPS)
    # best[i][j]: loosest step needed for the first i and j parts.
    best = [[worst] * (len(second) + 1) for _ in range(len(first) + 1)]
    best[0][0] = 0
    for i in range(len(first)):
        for j in range(len(second)):
            so_far = best[i][j]
            if so_far == worst:
                continue
            for m in range(1, min(longest, len(first) - i) + 1):
                for n in range(1, min(longest, len(second) - j) + 1):
                    if best[i + m][j + n] <= so_far:
                        continue
                    step = _paired(first[i : i + m], second[j : j + n], synonyms)
                    if step is not None:
                        place = max(so_far, STEPS.index(step))
                        best[i + m][j + n] = min(best[i + m][j + n], place)
    found = best[-1][-1]
    return None if found == worst else STEPS[found]


def _paired(first: Sequence[Part], second: Sequence[Part], synonyms: Synonyms) -> Step | None:
    """Step at which a term matches a term."""
    if len(first) == len(second) == 1:
        one, two = first[0], second[0]
        if isinstance(one, Quantity) and isinstance(two, Quantity):
            return _amounts(one, two)
        if one == two:
            return "normalised"
        if isinstance(one, Quantity) or isinstance(two, Quantity):
            return None
        if one in FIXED_WORDS or two in FIXED_WORDS:
            return None
        if same_word(one, two):
            return "stem"
    if not synonyms.classes and synonyms.thesaurus is None:
        return None
    terms = [[word for word in term if isinstance(word, str)] for term in (first, second)]
    if len(terms[0]) < len(first) or len(terms[1]) < len(second) or _opposed(*terms):
        return None
    one, two = (" ".join(term) for term in terms)
    if one in synonyms.classes and synonyms.classes[one] == synonyms.classes.get(two):
        return "class_map"
    if synonyms.thesaurus is not None and synonyms.thesaurus.same_sense(one, two):
        return "synset"
    return None


def _amounts(first: Quantity, second: Quantity) -> Step | None:
    if not first.equals(second):
        return None
    return "normalised" if first.unit == second.unit else "unit"


def _opposed(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether two terms differ in a word that turns the meaning round."""
    if FIXED_WORDS.intersection(first) != FIXED_WORDS.intersection(second):
        return True
    if any(word[0].isdigit() for word in (*first, *second)):
        return True
    return any(_are_opposites(one, two) for one in first for two in second)


def _are_opposites(first: str, second: str) -> bool:
    if first == second:
        return False
    short, long = sorted((first, second), key=len)
    if any(
        long.startswith(prefix) and same_word(long[len(prefix) :], short) for prefix in _NEGATING
    ):
        return True
    return any(
        same_word(first, one) and same_word(second, two)
        for pair in _OPPOSITES
        for one, two in (tuple(pair), tuple(pair)[::-1])
    )
