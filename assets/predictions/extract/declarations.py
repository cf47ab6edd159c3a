"""Letters a text declares, mentions or rules out.

A declaration says which option it is ("the answer is D", "so D", "D is right"); a mention only
names one ("video D shows"). The indefinite article, the pronoun and small-letter words are neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

# A letter as a word of its own: "(D)", "[d]", "D." but not the D of "D's" or "Diced".
_AFTER = r"(?![A-Za-z0-9]|'[A-Za-z])"
_BEFORE = r"(?<![A-Za-z0-9'])"
_L = r"(?:[(\[{<\"']\s*)*(?P<letter>[A-Za-z])" + _AFTER
_NOUN = r"(?:answer|option|choice|prediction|selection|response|letter|clip|video|candidate|action)"
_FILLER = (
    r"(?:(?:the|definitely|clearly|likely|probably|most likely|indeed|either|correct|best|right"
    r"|option|choice|letter|answer|video|clip|candidate|action)\s+)*"
)
_IS = (
    r"(?:is|would be|should be|must be|has to be|seems to be|appears to be|could be|might be"
    r"|may be)"
)
_CLAUSE_ENDS = (
    r"(?=\s*(?:[.,;:!?)\]}>\"'\n]|$"
    r"|(?:because|since|as|which|with|for|although|though|but|and|or|rather|over)\b))"
)

# Each declares the letter it captures. "answer", "prediction" and their kin declare with any link;
# "option", "video" only with a colon or a verb, since reasoning mentions "option B" in passing.
_DECLARATIONS: tuple[tuple[str, str], ...] = (
    ("boxed", r"\\boxed\s*\{\s*(?:\\text\s*\{\s*)?" + _L),
    ("tag", r"<answer>\s*" + _L + r"\s*[.)]?\s*</answer>"),
    (
        "answer_is",
        r"\b(?:answer|prediction|selection"
        r"|(?:final|best|correct|right|my)\s+(?:option|choice|letter|response|match))\b[\"']?"
        r"(?:\s+to\s+(?:the|this)\s+question)?"
        rf"\s*(?:{_IS}|[:=]|-|–|—|->)?\s*:?\s*[\"']?{_FILLER}" + _L,
    ),
    (
        "option_colon",
        r"(?:^|\n|[.!]\s)\s*(?:final|selected|chosen|option|choice|verdict|conclusion)\s*[:=]\s*"
        + _L,
    ),
    (
        "choose",
        r"\b(?:choose|chose|select|selected|pick|picked|go(?:ing)? with|went with"
        r"|opt(?:ing)? for|settle on|vote for)\s+" + _FILLER + _L,
    ),
    (
        "so",
        r"\b(?:so|therefore|thus|hence|consequently|it is|it's|must be|conclude(?: that)?|i think"
        r"|i believe|i guess|i'd say|best matche[sd]|lean(?:ing)? towards?)\b"
        rf"[\s,:]*(?:it(?:'s| is| must be| has to be)\s+)?{_FILLER}" + _L + _CLAUSE_ENDS,
    ),
    (
        "is_right",
        rf"(?:\b{_NOUN}\s+)?{_BEFORE}" + _L + r"\s*[)\]}>\"']*\s+"
        r"(?:(?:matches|fits)(?: the query)? best\b"
        rf"|{_IS}\s+(?:clearly |definitely |therefore |thus |indeed )*(?:the\s+)?(?:only\s+)?"
        r"(?:correct|right|true|best|answer|one that (?:fits|matches))\b)",
    ),
    (
        "but",
        r"\b(?:not|isn't|rather than|instead of)\s+" + _FILLER
        + r"[(\"']*[A-Za-z][)\"']*\s*,?\s+but\s+(?:rather\s+)?" + _FILLER + _L,
    ),
    ("chinese", r"(?:答案|选项|选择|应选|故选|选)\s*(?:应该)?(?:是|为)?\s*[::]?\s*" + _L),
)  # fmt: skip
_PATTERNS = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _DECLARATIONS)
# "B or C", "B/C", "B, C" after a declaration: it declares both, that is neither.
_ALSO = re.compile(
    r"[)\]}>\"'.]*\s*(?:,\s*(?:and|or)?|/|&|\band\b|\bor\b)\s*(?:option\s+)?[(\[\"']*"
    r"(?P<letter>[A-Z])" + _AFTER + r"(?!\s+[a-z])"
)
_NEGATED_BEFORE = re.compile(
    r"(?:\b(?:not|neither|nor|rule[sd]? out|ruling out|exclud\w+|eliminat\w+|rather than"
    r"|instead of|isn't)|n't)\s+(?:(?:the|option|choice|answer|video|clip|action)\s+)*[(\[\"']*$",
    re.IGNORECASE,
)
_WRONG = r"(?:wrong|incorrect|false|not\b|impossible|ruled|excluded|eliminated|out\b|unlikely)"
_RULED_OUT = r"can(?:'t|not| not)\b|can be (?:ruled|excluded|eliminated|discarded)\b"
_NEGATED_AFTER = re.compile(
    r"^[)\]\"']*\s*(?:(?:is|are|was|looks?|seems?)\s+(?:clearly |definitely |also |probably )?"
    rf"(?:{_WRONG}|close\b)|{_RULED_OUT}|does(?:n't| not)\b|isn't\b)"
    # "A and B are wrong" rules out both; "B, A is wrong" only the second.
    r"|^[)\]\"']*(?:\s*(?:,|and|or|nor|&)\s*[(\[\"']*[A-Z][)\]\"']*)+\s+(?:both |all )?"
    rf"(?:(?:are|were|look|seem)\s+(?:clearly |definitely |also |both |all )?{_WRONG}"
    rf"|{_RULED_OUT}|do(?:n't| not)\b)",
    re.IGNORECASE,
)
_MENTION = re.compile(
    rf"{_BEFORE}(?P<letter>[A-Z]){_AFTER}|\((?P<small>[a-z])\)"
    rf"|\b(?:option|choice|answer)\s+(?P<named>[a-z]){_AFTER}"
)
# "A person" is an article and "I see" a pronoun, unless something named it a letter or a verb
# that letters take follows.
_ARTICLE_AFTER = re.compile(
    r"^ +(?!(?:is|was|and|or|because|since|seems|looks|shows|matches|fits|although|but|as|with)\b)"
    r"\w",
    re.IGNORECASE,
)
_PRONOUN_AFTER = re.compile(r"^ +\w|^,? +\w+ly\b", re.IGNORECASE)
_NAMED_BEFORE = re.compile(rf"\b{_NOUN}\s+[(\[\"']*$", re.IGNORECASE)
# "whether it is A or B", "if the answer is A": supposed, not said.
_SUPPOSED_BEFORE = re.compile(
    r"\b(?:whether|if|unless|suppose|supposing|assuming)(?:\s+that)?"
    r"(?:\s+(?:the|my|best|correct|right|final))*\s*$",
    re.IGNORECASE,
)
# What stands before a letter is judged by so many characters: enough for the words above.
_REACH = 80


@dataclass(frozen=True, slots=True)
class Declaration:
    """What the last declaration says.

    Attributes:
        letter: Letter declared, upper case; it need not be one of the question's.
        also: Second letter of the same declaration ("B or C"), if any.
        pattern: Name of the pattern.
    """

    letter: str
    also: str | None
    pattern: str


def is_word(text: str, start: int, end: int) -> bool:
    """Whether the letter at [start, end) is an article, a pronoun or a small-letter word."""
    letter, after = text[start:end], text[end : end + _REACH]
    if _NAMED_BEFORE.search(_before(text, start)):
        return letter in "ai" and bool(re.match(r"\s+\w", after))
    if letter in "Aa":
        return bool(_ARTICLE_AFTER.search(after))
    if letter in "Ii":
        return bool(_PRONOUN_AFTER.search(after))
    return False


def ruled_out_after(text: str, end: int) -> bool:
    """Whether what follows the letter that ends at `end` rules it out ("is wrong")."""
    return bool(_NEGATED_AFTER.search(text[end : end + 2 * _REACH]))


def ruled_out_before(text: str, start: int) -> bool:
    """Whether what stands before `start` rules out what follows ("not", "rather than")."""
    return bool(_NEGATED_BEFORE.search(_before(text, start)))


def last_declaration(text: str) -> Declaration | None:
    """The last declaration of a text, supposed and negated ones left out."""
    found: list[tuple[int, str, str, str]] = []
    for name, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            start, end = match.span("letter")
            letter = match["letter"]
            if is_word(text, start, end) or ruled_out_after(text, end):
                continue
            # A small letter is only a letter where nothing reads on: "the answer is d.".
            if letter.islower() and re.match(r"[)\]\"']*\s*\w", text[end : end + _REACH]):
                continue
            if _SUPPOSED_BEFORE.search(_before(text, match.start())):
                continue
            if name == "is_right" and ruled_out_before(text, start):
                continue
            also = _ALSO.match(text, end)
            second = also["letter"] if also and not ruled_out_after(text, also.end()) else ""
            found.append((start, letter.upper(), name, second))
    if not found:
        return None
    _, letter, name, second = max(found)
    return Declaration(letter, second if second and second != letter else None, name)


def mentions(text: str, letters: Sequence[str]) -> Iterator[str]:
    """Letters of the question that the text names and does not rule out, in order."""
    for match in _MENTION.finditer(text):
        group = match.lastgroup or "letter"
        start, end = match.span(group)
        letter = match[group].upper()
        if letter not in letters or is_word(text, start, end):
            continue
        if ruled_out_before(text, start) or ruled_out_after(text, end):
            continue
        yield letter


def _before(text: str, start: int) -> str:
    return text[max(0, start - _REACH) : start]
