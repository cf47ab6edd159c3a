"""What the last sentence of a reply comes to, where nothing else in the reply decides.

An account names several options on its way, and its last sentence names one: "Thus the cyclist turns right",
"The robot rolls out through Door B". It counts where it draws a conclusion or says little else, and neither
denies, doubts, asks nor supposes anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assets.extract.declarations import letters_in
from assets.extract.doubts import CORRECTION, OFFER, breaks_off
from assets.extract.option_mentions import ONE_OPTION, mark_mentions, option_of
from assets.extract.option_texts import named_alone
from assets.extract.stances import stances_in

# An end of a sentence; "9 a.m." and "No. 3" end none.
_SENTENCE = re.compile(r"(?<=[.!?])[\"')\]*]*\s+(?=[\"'(*]*[^\s\da-z])|\n+|(?<=[。！？])")
_TOKEN = re.compile(ONE_OPTION)
_WORD = re.compile(r"[^\W\d_]+")
_CONCLUDES = re.compile(
    r"\b(?:so|thus|therefore|hence|consequently|accordingly|that means|this means|which means|that being so|that makes|in the end|at the end|all things considered|everything considered|taken together|all lead to|all point to|all in all|"
    r"overall|finally|on balance|in conclusion|in summary|to sum up|i conclude|i'd (?:say|pick|go)|i would (?:say|pick|go|place)|"
    r"the (?:\w+est|most|best|only|closest|one|answer|choice|winner|remaining|correct|right) \w+|donc|ainsi|en conclusion|por (?:lo )?tanto|así que|en conclusión|also|daher|somit|folglich|demnach|quindi|dunque|perciò|portanto|logo|assim|dus|daarom|därför|derfor|więc|zatem|"
    r"следовательно|значит|поэтому|итак|то есть|jadi|demikian|dolayısıyla|vậy|do đó)\b"
    r"|所以|因此|综上|综合|总之|可见|最后|最终|结论|したがって|よって|つまり|結局|結論|따라서|그러므로|결국|결론|ดังนั้น|لذلك|لذا|इसलिए",
    re.IGNORECASE,
)
OPEN = re.compile(
    r"\b(?:not|no|nor|never|neither|cannot|without|either|or|both|if|unless|whether|could|might|may|maybe|perhaps|possibly|would|should|although|though|while|whereas|instead|rather|than|but|except|unclear|unsure|"
    r"unlikely|first|initially|before|until|after|also|too|still|again|another|same|"
    r"pas|ne|ni|ou|peut|nicht|kein\w*|oder|vielleicht|könnte|ni|podría|quizás?|non|o|forse|não|ou|talvez|niet|geen|misschien|inte|eller|kanske|ikke|nie|lub|albo|może|не|нет|или|может|bukan|tidak|atau|mungkin|değil|veya|belki|không|hoặc)\b|n't\b|\?|[吗呢]|不|没|无法|或|可能|ない|ません|か[。.]|かも|않|아니|없|또는",
    re.IGNORECASE,
)
"""What keeps a sentence from being an answer: it denies, doubts, asks or supposes something."""
# An item such as "Left hand: bipolar".
_ITEM = re.compile(r"[^:\n]{1,30}:\s[^:\n]{1,60}")
_KEPT = frozenset(["mentioned", "stated", "chosen", "alone"])
_FEW_WORDS = 4
_LONGEST = 300


# "So that leaves the red button", "the red button is all that is left".
_LEFT_OVER = re.compile(
    r"\b(?:leaves|leaving)(?: us| me)?(?: with)?(?: only| just)? (?P<left>[^.!?,;\n]{3,100})[.!]?$"
    r"|\b(?:all that|what|the only (?:one|thing|option|choice)(?: that)?)(?: is|'s)? (?:left(?: over)?|remains|remaining) is (?P<rest>[^.!?,;\n]{3,100})[.!]?$"
    r"|\b(?:so|hence|thus|therefore),? (?:it|this|that) (?:is|was|must be) (?P<so>[^.!?,;\n]{3,80})[.!]?$"
    r"|(?:^|[,;]|\b(?:so|thus|hence|then|therefore|only|just))\s*(?P<one>[^.!?,;\n]{3,80}?) (?:is|are) (?:(?:all|the only one|the one|what) (?:that )?(?:is )?)?(?:left(?: over)?|remaining|remains)[.!]?$",
    re.IGNORECASE,
)
_REMAINING = re.compile(
    r"\b(?:so|hence|thus|therefore|leaves|answer|it's|it is|choose|pick)\b[^.!?]{0,30}\bthe (?:remaining|one remaining|missing|only other|other|last) (?:one|option|frame|image|clip|video|candidate)(?: left)?[.!]?$",
    re.IGNORECASE,
)


def _sentences(text: str) -> list[str]:
    return [one for one in _SENTENCE.split(text) if one.strip()]


def left_over(text: str, letters: Sequence[str], texts: Sequence[str]) -> str | None:
    """Letter of the option that the last sentence calls the one that is left, by words of its text; None where it does not."""
    sentences = _sentences(text.strip())
    if not sentences:
        return None
    if _REMAINING.search(sentences[-1]) is not None:
        # "Frames A, B and D show the same floor. So it's the remaining one."
        left = set(letters) - letters_in(text, letters)
        return left.pop() if len(left) == 1 and len(letters) > 2 else None
    found = _LEFT_OVER.search(sentences[-1]) if texts else None
    if found is None or letters_in(found[0], letters):
        return None
    words = next(filter(None, found.groups()))
    named = None if OPEN.search(words) else named_alone(words, letters, texts)
    return None if named is None else named.letter


def last_words(text: str, letters: Sequence[str], texts: Sequence[str]) -> str | None:
    """Letter of the only option that the last sentence names and leaves standing; None where there is none.

    Args:
        text: A reply without its wrapping.
        letters: Letters of the options.
        texts: Texts of the options; empty where they have none.
    """
    body = OFFER.sub("", text).strip()
    sentences = _sentences(body)
    if len(sentences) < 2 or breaks_off(body) or len(sentences[-1]) > _LONGEST:
        return None
    marked = mark_mentions(sentences[-1], letters, texts)
    named = {option_of(token) for token in _TOKEN.findall(marked)}
    rest = _TOKEN.sub(" ", marked)
    if not named and texts:
        # A last sentence such as "Landed: four" names it in other words.
        option = named_alone(sentences[-1].rpartition(":")[2], letters, texts)
        return option.letter if option is not None and option.rule == "text_alone" else None
    if len(named) != 1 or OPEN.search(rest) or CORRECTION.found_in(rest):
        return None
    letter = named.pop()
    words = len(_WORD.findall(rest))
    if not words or sum(_ITEM.fullmatch(one.strip()) is not None for one in sentences) > 1:
        return None  # the last item of a list
    if any(one.kind not in _KEPT for one in stances_in(marked)):
        return None
    little = words <= _FEW_WORDS
    return letter if letter in letters and (little or _CONCLUDES.search(rest)) else None
