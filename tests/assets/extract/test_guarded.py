"""A guarded pattern finds what the pattern alone finds."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets import extract
from assets.extract.declarations import PATTERNS
from assets.extract.doubts import CORRECTION
from assets.extract.guarded import (
    Guarded,
    GuardedAlternatives,
    GuardedTable,
    fold_pattern,
    for_folded,
    split_alternatives,
)
from assets.words.case import fold

REPLIES = Path(__file__).parent / "replies"


def guarded_patterns() -> dict[str, Guarded]:
    found = {f"declarations.{name}": one for name, one in PATTERNS}
    for module in pkgutil.iter_modules(extract.__path__):
        loaded = importlib.import_module(f"{extract.__name__}.{module.name}")
        for name, value in vars(loaded).items():
            if isinstance(value, Guarded):
                found[f"{module.name}.{name}"] = value
    return found


def sentences() -> list[str]:
    texts: list[str] = []
    for path in sorted(REPLIES.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            texts.append(json.loads(line)["reply"][:600])
    return sorted({part for text in texts for part in (text, *text.split(". "))})[::9]


def test_no_match_is_lost_in_the_kept_replies() -> None:
    matched: set[str] = set()
    texts = sentences()
    patterns = guarded_patterns()
    for name, guarded in patterns.items():
        for text in texts:
            if not guarded.may_match(text):
                assert guarded.pattern.search(text) is None, (name, text)
            else:
                matched.add(name)
    assert len(texts) > 1_000
    assert len(matched) > 0.9 * len(patterns)


@pytest.mark.parametrize(
    ("pattern", "matching", "words", "parts"),
    [
        (r"\b(?:wait|hold on)\b", "so HOLD ON", {"wait", "hold"}, ()),
        (r"correct\w*", "Corrected", set(), ("correct",)),
        (r"\bso\s+(?:maybe )?it\b", "so it", {"so"}, ()),
        (r"(?:very )?likely", "unlikely", set(), ("likely",)),
        (r"(?<=a)b|c", "ab", set(), ("b", "c")),
        (r"no(?=\d)|n[.!]", "no1", set(), ("n!", "n.", "no")),
        (r"n't (?:sure|certain)\b", "isn't sure", {"certain", "sure"}, ()),
        (r"(?<!\w)rather(?![\w'])", "Rather.", {"rather"}, ()),
        (r"(?:a|be)\s*x{2}", "be xx", set(), ("x",)),
        (r"(?:ab){2,3}x?", "xabab", set(), ("ab",)),
        (r"错误|falsch\b", "错误", set(), ("falsch", "错误")),
    ],
)
def test_what_a_pattern_needs(
    pattern: str, matching: str, words: set[str], parts: tuple[str, ...]
) -> None:
    guarded = Guarded(pattern, re.IGNORECASE)
    assert guarded.needs is not None
    assert (guarded.needs.words, guarded.needs.parts) == (words, parts)
    assert guarded.search(matching) is not None
    assert guarded.search("xyz") is None


def test_a_pattern_that_needs_nothing_is_always_looked_for() -> None:
    for pattern in (r"\d+", r"a?", r"x|", r"[a-z]"):
        assert Guarded(pattern).needs is None
        assert Guarded(pattern).may_match("")


PIECES = ["a", "b", r"\b", "(?:ab|c)", "(?:a|b)?", r"\s+", " ", "[ab]", "c{1,2}", "$", "^", "(?=b)", "(?!a)", "d*", r"\w"]  # fmt: skip


@given(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join),
    st.text("aAbBcd \n", max_size=12),
)
@settings(max_examples=400)
def test_no_match_of_any_pattern_is_lost(pattern: str, text: str) -> None:
    guarded = Guarded(pattern, re.IGNORECASE | re.MULTILINE)
    assert (guarded.search(text) is None) == (guarded.pattern.search(text) is None)
    assert [one.span() for one in guarded.finditer(text)] == [
        one.span() for one in guarded.pattern.finditer(text)
    ]
    assert guarded.sub("-", text) == guarded.pattern.sub("-", text)
    assert guarded.found_in(text) == (guarded.pattern.search(text) is not None)
    assert [one.span() for one in guarded.matches(text)] == [
        one.span() for one in guarded.pattern.finditer(text)
    ]
    in_table = GuardedTable([("one", guarded)]).that_may_match(text)
    assert bool(list(in_table)) == guarded.may_match(text)


def test_folded_patterns_find_what_patterns_without_case_find() -> None:
    texts = sentences()[::7]
    patterns = guarded_patterns()
    for name, guarded in patterns.items():
        for text in texts:
            for form in (text, text.upper()):
                found = guarded.pattern.search(form) is not None
                assert guarded.found_in(form) == found, (name, form)
    assert len(texts) > 200


def test_folding_keeps_places() -> None:
    for text in ("İstanbul", "KIŞ", "ſo", "Straße", "ΣΑΣ", "A\ue003B"):
        assert len(fold(text)) == len(text)
    assert fold("Doğru İKİ ı") == "doğru iki i"
    assert fold_pattern(r"[A-Z]\W\uE000(?P<name>I)") == r"[a-z]\W\uE000(?P<name>i)"
    assert fold_pattern("(?-i:A)b") is None
    with pytest.raises(ValueError, match="have case"):
        for_folded("(?-i:A)b")


def test_alternatives_match_as_one_pattern() -> None:
    texts = sentences()[::2]
    matched = 0
    for text in texts:
        spans = [one.span() for one in CORRECTION.pattern.finditer(text)]
        assert [one.span() for one in CORRECTION.matches(text)] == spans, text
        assert CORRECTION.found_in(text) == bool(spans)
        matched += bool(spans)
    assert matched > 40


def test_of_alternatives_at_one_place_the_first_counts() -> None:
    for order, length in ((("ab", "abc"), 2), (("abc", "ab"), 3)):
        (found,) = GuardedAlternatives(order, re.IGNORECASE).matches("xABC")
        assert found.span() == (1, 1 + length)


def test_alternatives_are_split_at_bars_outside_brackets() -> None:
    assert split_alternatives(r"a(?:b|c)|[|)]\|d|e") == [r"a(?:b|c)", r"[|)]\|d", "e"]
