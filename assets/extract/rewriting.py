"""What a reply is written like before it is read: one spelling for what means the same.

Names of options ("option_d", "Opción A", "frame B"), percentages, Chinese characters and persons with letters for
names are written in one way, and what a reply only says of other options it thought of is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from assets.extract.lettered_persons import rename_persons
from assets.extract.traditional import is_chinese, simplify

# "My first choice is B": no place in the list.
_MY_FIRST = re.compile(r"\b[Mm]y first (choice|guess|pick|answer|option|idea)\b")
# A field of what else was thought of, and an aside about a first idea.
_OTHERS_FIELD = re.compile(
    r"^[^\w\n]*(?:\w+[ _])?(?:alternatives?|runners?[- _]?up|second[ _](?:best|choice|guess|option)|also considered|other (?:candidates?|options?))(?:[ _]\w+){0,2}[*_\"' ]*[:=][ \t]*\S[^\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
# "B", and a line below it that corrects it as one types: "*D", "^ wrong, it's D".
_TYPED = re.compile(
    r"^[^\w\n*(]*(?P<first>\(?[A-Z]\)?[.:]?)[ \t]*\n+[ \t]*(?:s/[A-Z]/(?=[A-Z]/)|\*(?=[A-Z]\b[^*\n]*(?:\n|$))|\^[ \t]*(?:wrong|no|nope|oops|sorry|not right)\b[,.:;]?)",
    re.MULTILINE,
)
_ASIDE_OF_FIRST = re.compile(
    r"\s*\((?:[^()\n]{0,20}\b)?(?:at first|first|initially|originally)\b[^()\n]{8,300}\)"
    r"|\s*\((?:was|were|formerly|previously|before|earlier|old|not to be confused with|instead of|changed from|there was)\b[^()\n]{1,200}\)"
    r"|\s*\((?:i|we) (?:did |had |also |briefly |even )*(?:weigh(?:ed)?|consider(?:ed)?|thought (?:of|about)|think (?:of|about)|toyed with|hesitated)\b[^()\n]{1,300}\)",
    re.IGNORECASE,
)
# "Why the other options are wrong:", and the list below it.
_OTHERS_BELOW = re.compile(
    r"\n[^\w\n]*(?:(?:(?:a |an |my |the |short |brief )*(?:explanations?|discussion|analysis|reasons?|notes?|remarks?|comments?)(?: (?:of|for|against|on|about|why))? |why (?:not )?)(?:i (?:rejected|excluded|ruled out) )?(?:any of |all )?(?:the )?(?:other|others|remaining|rest|incorrect|wrong|rejected)\b"
    r"|for completeness\b|(?:the )?(?:other|remaining|incorrect|wrong|rejected) (?:choices|options|answers|candidates|videos|clips|ones)\b)[^:\n]{0,50}:[*_ ]*\n(?:[ \t]*\n)?(?:[ \t]*(?:[-•*][ \t]*)?(?:\*\*)?\(?[A-J]\b[^\n]*(?:\n|$)|[ \t]*[-•*][ \t][^\n]*(?:\n|$))+",
    re.IGNORECASE,
)
# Lines such as "Opción A: no".
_LISTED_ABROAD = re.compile(
    r"(?<![^\n])[-•* ]{0,4}(?:opción|opção|вариант|seçenek|đáp án)\s+(?=[A-J](?!\w))", re.IGNORECASE
)
# Lines of a diff: "- answer: D" and "+ answer: A" below it.
_DIFF = re.compile(r"^-[ \t]*\S[^\n]*\n\+(?P<new>[ \t]*\S[^\n]*)$", re.MULTILINE)
# "One of the frames shows it": not how many there are.
_ONE_OF = re.compile(r"\b[Oo]ne of (?=(?:the|them|these|those|his|her|its|their)\b)")
# "Answer != B".
_NOT_EQUAL = re.compile(r"\b(?:[Aa]nswer|ans)\s*(?:!=|≠)\s*\(?([A-Z])(?!\w)\)?")
_LETTER_ALONE = 5
_HYPHENATED = re.compile(r"\b([^\W\d_]{2,})-([^\W\d_]{2,})\b")
_OPTION_NAME = re.compile(r"\boption_([a-jA-J])\b")
# The unit of "5 °C" is no option.
_DEGREES = re.compile(r"(?<=°)\s?[CF]\b")
# "75 %" and "75%".
_PERCENT = re.compile(r"(?<=[\w.])\s+(?:percent|per cent|pct)\b", re.IGNORECASE)
_APART = re.compile(r"(?<=\d)\s+(?=%)")
# "Frame B" where options are frames, and "camera D" where their texts are letters: options.
_LETTERED_PICTURE = re.compile(
    r"\b(?:[Ff]rame|[Ii]mage|[Pp]icture|[Pp]hoto|[Pp]anel|[Ss]napshot)\s+(\(?[A-Z]\)?(?![\w'’]))"
)
_LETTERED_THING = re.compile(
    r"\b(?:[Cc]amera|[Vv]iew|[Pp]layer|[Pp]erson|[Rr]oom|[Ll]ane|[Dd]oor|[Pp]oint|[Rr]egion|[Bb]ox|[Tt]eam|[Gg]roup|[Tt]rack|[Pp]ath|[Ll]ine|[Rr]oute|[Cc]up|[Bb]ottle|[Pp]late)\s+(\(?[A-Za-z]\)?(?![\w'’]))"
)


def rewritten(
    reply: str, letters: Sequence[str], texts: tuple[str, ...], *, cut: bool = False
) -> tuple[str, tuple[str, ...]]:
    """Reply and options as the rules expect them to be written.

    Args:
        reply: A reply.
        letters: Letters of the options.
        texts: Texts of the options; empty where they have none.
        cut: Whether the reply was cut off.
    """
    if not reply.isascii() and "\n" in reply:
        reply = _LISTED_ABROAD.sub("option ", reply)
    if "_" in reply:
        reply = _OPTION_NAME.sub(lambda found: f"option {found[1].upper()}", reply)
    if "%" in reply or any("%" in one for one in texts):
        reply = _APART.sub("", _PERCENT.sub("%", reply))
        texts = tuple(_APART.sub("", _PERCENT.sub("%", one)) for one in texts)
    if "°" in reply:
        reply = _DEGREES.sub(_unit, reply)
        texts = tuple(_DEGREES.sub(_unit, one) for one in texts)
    if is_chinese(reply):
        reply, texts = simplify(reply), tuple(map(simplify, texts))
    reply = _without_others(reply, cut=cut)
    if "\n" in reply:
        reply = _TYPED.sub(r"\g<first>\nCorrection: ", reply)
    if "\n+" in reply:
        reply = _DIFF.sub(r"\g<new>", reply)
    if "!=" in reply or "≠" in reply:
        reply = _NOT_EQUAL.sub(r"not \1", reply)
    if "ne of " in reply:
        reply = _ONE_OF.sub("some of ", reply)
    if "y first " in reply:
        reply = _MY_FIRST.sub(r"my initial \1", reply)
    if texts and "-" in reply:
        words = {word for one in texts for word in one.casefold().split()}
        reply = _HYPHENATED.sub(lambda found: _joined(found, words), reply)
    hyphenated_words = _joined_words(texts)
    lowered = reply.lower() if hyphenated_words else ""
    for joined, hyphenated in hyphenated_words.items():
        if joined in lowered:
            reply = re.sub(rf"\b{joined}(?=s?\b)", hyphenated, reply, flags=re.IGNORECASE)
    if not texts:
        return _LETTERED_PICTURE.sub(r"option \1", reply), texts
    reply, texts = rename_persons(reply, texts)
    if max(map(len, texts)) < _LETTER_ALONE and all(
        one.strip(" .").upper() == x for x, one in zip(letters, texts, strict=True)
    ):
        reply = _LETTERED_THING.sub(r"option \1", reply)
    return reply, texts


@lru_cache(1024)
def _joined_words(texts: tuple[str, ...]) -> dict[str, str]:
    """Hyphenated words of options by their letters: "push-up" by "pushup"."""
    return {
        found[1].lower() + found[2].lower(): found[0]
        for one in texts
        for found in _HYPHENATED.finditer(one)
    }


def _unit(match: re.Match[str]) -> str:
    return match[0].strip().lower()


def _joined(match: re.Match[str], words: set[str]) -> str:
    """Two parts of a word as an option writes it: "grandmother" for "grand-mother"."""
    return match[1] + match[2] if (match[1] + match[2]).casefold() in words else match[0]


def _without_others(reply: str, *, cut: bool) -> str:
    """Reply without what it only says of other options it thought of."""
    if "\n" in reply:
        kept = reply if cut else _OTHERS_BELOW.sub("\n", reply)
        reply = kept if any(map(str.isalnum, kept)) else reply
        kept = _OTHERS_FIELD.sub("", reply)
        reply = kept if any(map(str.isalnum, kept)) else reply
    if "(" in reply:
        kept = _ASIDE_OF_FIRST.sub("", reply)
        reply = kept if any(map(str.isalnum, kept)) else reply
    return reply
