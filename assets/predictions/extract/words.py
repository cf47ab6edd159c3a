"""Whether a reply in words says the released answer, for questions without options.

EgoTaskQA counts an answer as right if it is the released one; nothing more is read into it. Case,
punctuation, odd blanks, articles and a leading "Answer:" make no difference.
"""

from __future__ import annotations

import re
import unicodedata

from assets.predictions.extract.letters import Reading

_LEAD = re.compile(r"^\s*(?:the\s+)?(?:final\s+)?answer\s*(?:is\b|:)", re.IGNORECASE)
_ARTICLES = frozenset({"a", "an", "the"})
# An answer is a word or a few; what is longer is no answer in as few words as possible.
_LONGEST_CHARS = 2_000


def read_words(reply: str, *, truncated: bool = False) -> Reading:
    """What can be done with a reply in words; there is no letter to read.

    Args:
        reply: Reply as it came.
        truncated: Whether it was cut off.
    """
    if not plain_words(reply):
        return Reading(None, "truncated" if truncated else "empty", "no_words")
    return Reading(None, "truncated" if truncated else "parsed", "words")


def says(reply: str, answer: str) -> bool:
    """Whether a reply consists of the same words as an answer."""
    return plain_words(reply) == plain_words(answer)


def plain_words(text: str) -> list[str]:
    """Words of a text without case, punctuation and articles."""
    folded = unicodedata.normalize("NFKC", _LEAD.sub("", text[:_LONGEST_CHARS])).casefold()
    return [word for word in re.findall(r"\w+", folded) if word not in _ARTICLES]
