"""Texts as words, numbers and quantities with a unit, so that "two minutes" and "120 s" compare as values."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from assets.words.numerals import figures

ARTICLES = frozenset({"a", "an", "the"})
_PLAIN = str.maketrans({"−": "-", "–": "-", "‐": "-", "‑": "-", "’": "'", "_": " "})
# A figure with its sign and decimals, then an ordinal's ending; or a word with an apostrophe inside.
_TOKEN = re.compile(
    r"(?<![\w.])[-+]?\d+(?:[.,:/]\d+)*(?:(?:st|nd|rd|th)\b)?|[^\W\d_]+(?:'[^\W\d_]+)*(?!\w)|\w+|[%°]"
)
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_FIGURE = re.compile(r"[-+]?\d+(?:\.\d+|/\d+)?")
_ORDINALS = {
    word: f"{n}{ending}"
    for n, (word, ending) in enumerate(
        zip(
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(),
            ["st", "nd", "rd", *["th"] * 9],
            strict=True,
        ),
        start=1,
    )
}


def _units() -> dict[str, tuple[str, Fraction]]:
    """Dimension and factor of each spelling of a unit.

    Left out because they are ambiguous: `m` (metres or minutes), `in`, `t`, `c` and `f` alone.
    """
    spelled: dict[tuple[str, Fraction], str] = {
        ("time", Fraction(1, 1000)): "ms millisecond milliseconds",
        ("time", Fraction(1)): "s sec secs second seconds",
        ("time", Fraction(60)): "min mins minute minutes",
        ("time", Fraction(3600)): "h hr hrs hour hours",
        ("length", Fraction(1)): "mm millimeter millimeters millimetre millimetres",
        ("length", Fraction(10)): "cm centimeter centimeters centimetre centimetres",
        ("length", Fraction(1000)): "meter meters metre metres",
        ("length", Fraction(1_000_000)): "km kilometer kilometers kilometre kilometres",
        ("length", Fraction(254, 10)): "inch inches",
        ("length", Fraction(3048, 10)): "ft foot feet",
        ("mass", Fraction(1, 1000)): "mg milligram milligrams",
        ("mass", Fraction(1)): "g gram grams gramme grammes",
        ("mass", Fraction(1000)): "kg kilo kilos kilogram kilograms",
        ("ounce", Fraction(1)): "oz ounce ounces",
        ("pound", Fraction(1)): "lb lbs pound pounds",
        ("volume", Fraction(1)): "ml milliliter milliliters millilitre millilitres",
        ("volume", Fraction(10)): "cl centiliter centiliters centilitre centilitres",
        ("volume", Fraction(100)): "dl deciliter deciliters decilitre decilitres",
        ("volume", Fraction(1000)): "l liter liters litre litres",
        ("teaspoon", Fraction(1)): "tsp tsps teaspoon teaspoons",
        ("tablespoon", Fraction(1)): "tbsp tbsps tablespoon tablespoons",
        ("percent", Fraction(1)): "% percent",
        ("degree", Fraction(1)): "° degree degrees",
    }
    return {word: unit for unit, words in spelled.items() for word in words.split()}


UNITS: Mapping[str, tuple[str, Fraction]] = _units()
"""Dimension and factor of each spelling of a unit; of one dimension the factors are to the same base."""
_SCALES = {"c": "celsius", "celsius": "celsius", "f": "fahrenheit", "fahrenheit": "fahrenheit"}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, with its unit where one follows.

    Attributes:
        value: In the base unit of the dimension.
        dimension: `time`, `length` ...; empty for a bare number.
        unit: Unit as written; empty for a bare number.
    """

    value: Fraction
    dimension: str = ""
    unit: str = ""

    def equals(self, other: Quantity) -> bool:
        """Whether both are the same amount of the same dimension."""
        return (self.value, self.dimension) == (other.value, other.dimension)


Part = str | Quantity


def tokens(text: str) -> list[str]:
    """Words and figures of a text without case, punctuation and articles.

    A figure keeps its sign, decimals and per cent: "-2" is not "2", and "3.5" is not "3 5".
    """
    folded = unicodedata.normalize("NFKC", text).translate(_PLAIN).casefold()
    return [word for word in _TOKEN.findall(folded) if word not in ARTICLES]


def parts(words: Sequence[str]) -> list[Part]:
    """Words of a text, with numbers and quantities as values.

    Args:
        words: Result of `tokens`.
    """
    # Numbers in words may take two tokens ("twenty five").
    spelled: list[str] = _TOKEN.findall(figures(" ".join(words)))
    found: list[Part] = []
    at = 0
    while at < len(spelled):
        value = _number(spelled[at])
        if value is None:
            word = spelled[at]
            found.append(_ORDINALS.get(word, word))
            at += 1
            continue
        quantity, used = _quantity(value, spelled[at + 1 : at + 3])
        found.append(quantity)
        at += 1 + used
    return found


def _number(word: str) -> Fraction | None:
    """Value of a figure; None for words and for figures that can be read in two ways (`1,5`, `3:30`)."""
    if _THOUSANDS.fullmatch(word):
        word = word.replace(",", "")
    if not _FIGURE.fullmatch(word):
        return None
    numerator, _, denominator = word.partition("/")
    if denominator:
        return Fraction(int(numerator), int(denominator)) if int(denominator) else None
    return Fraction(word)


def _quantity(value: Fraction, behind: Sequence[str]) -> tuple[Quantity, int]:
    """A number with the unit that follows it, and how many words the unit takes."""
    if not behind or behind[0] not in UNITS:
        return Quantity(value), 0
    dimension, factor = UNITS[behind[0]]
    if dimension == "degree" and len(behind) > 1 and behind[1] in _SCALES:
        return Quantity(value, _SCALES[behind[1]], " ".join(behind[:2])), 2
    return Quantity(value * factor, dimension, behind[0]), 1
