"""Case of letters, as patterns without case see it."""

from __future__ import annotations

# Characters that a pattern without case takes for others, beside those that differ in case.
_SAME_CHARACTERS = (("İ", "i"), ("ı", "i"), ("ſ", "s"))


def fold(text: str) -> str:
    """Text, character by character, as a pattern without case compares it: in lower case."""
    if not text.isascii():
        for odd, same in _SAME_CHARACTERS:
            text = text.replace(odd, same)
    return text.lower()
