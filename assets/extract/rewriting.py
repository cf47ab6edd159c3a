"""What a reply is written like before it is read: one spelling for what means the same.

Names of options ("option_d", "Opción A", "frame B"), percentages, Chinese characters and persons with letters for
names are written in one way, and what a reply only says of other options it thought of is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assets.extract.lettered_persons import rename_persons
from assets.extract.traditional import is_chinese, simplify

# "My first choice is B": no place in the list.
_MY_FIRST = re.compile(r"\b[Mm]y first (choice|guess|pick|answer|option|idea)\b")
# A field of what else was thought of, and an aside about a first idea.
_OTHERS_FIELD = re.compile(
    r"^[^\w\n]*(?:\w+[ _])?(?:alternatives?|runners?[- _]?up|second[ _](?:best|choice|guess|option)|also considered|other (?:candidates?|options?))(?:[ _]\w+){0,2}[*_\"' ]*[:=][ \t]*\S[^\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_ASIDE_OF_FIRST = re.compile(
    r"\s*\((?:[^()\n]{0,20}\b)?(?:at first|first|initially|originally)\b[^()\n]{8,300}\)",
    re.IGNORECASE,
)
# Lines such as "Opción A: no".
_LISTED_ABROAD = re.compile(
    r"(?<![^\n])[-•* ]{0,4}(?:opción|opção|вариант|seçenek|đáp án)\s+(?=[A-J](?!\w))", re.IGNORECASE
)
_LETTER_ALONE = 5
_HYPHENATED = re.compile(r"\b([^\W\d_]{2,})-([^\W\d_]{2,})\b")
_OPTION_NAME = re.compile(r"\boption_([a-jA-J])\b")
# "75 %" and "75%".
_APART = re.compile(r"(?<=\d)\s+(?=%)")
# "Frame B" where options are frames, and "camera D" where their texts are letters: options.
_LETTERED_PICTURE = re.compile(
    r"\b(?:[Ff]rame|[Ii]mage|[Pp]icture|[Pp]hoto|[Pp]anel|[Ss]napshot)\s+(\(?[A-Z]\)?(?![\w'’]))"
)
_LETTERED_THING = re.compile(
    r"\b(?:[Cc]amera|[Vv]iew|[Pp]layer|[Pp]erson|[Rr]oom|[Ll]ane|[Dd]oor|[Pp]oint|[Rr]egion|[Bb]ox|[Tt]eam|[Gg]roup)\s+(\(?[A-Za-z]\)?(?![\w'’]))"
)


def rewritten(
    reply: str, letters: Sequence[str], texts: tuple[str, ...]
) -> tuple[str, tuple[str, ...]]:
    """Reply and options as the rules expect them to be written.

    Args:
        reply: A reply.
        letters: Letters of the options.
        texts: Texts of the options; empty where they have none.
    """
    if not reply.isascii() and "\n" in reply:
        reply = _LISTED_ABROAD.sub("option ", reply)
    if "_" in reply:
        reply = _OPTION_NAME.sub(lambda found: f"option {found[1].upper()}", reply)
    if "%" in reply:
        reply = _APART.sub("", reply)
        texts = tuple(_APART.sub("", one) for one in texts)
    if is_chinese(reply):
        reply, texts = simplify(reply), tuple(map(simplify, texts))
    reply = _without_others(reply)
    if "y first " in reply:
        reply = _MY_FIRST.sub(r"my initial \1", reply)
    if texts and "-" in reply:
        words = {word for one in texts for word in one.casefold().split()}
        reply = _HYPHENATED.sub(lambda found: _joined(found, words), reply)
    if not texts:
        return _LETTERED_PICTURE.sub(r"option \1", reply), texts
    reply, texts = rename_persons(reply, texts)
    if max(map(len, texts)) < _LETTER_ALONE and all(
        one.strip(" .").upper() == x for x, one in zip(letters, texts, strict=True)
    ):
        reply = _LETTERED_THING.sub(r"option \1", reply)
    return reply, texts


def _joined(match: re.Match[str], words: set[str]) -> str:
    """Two parts of a word as an option writes it: "grandmother" for "grand-mother"."""
    return match[1] + match[2] if (match[1] + match[2]).casefold() in words else match[0]


def _without_others(reply: str) -> str:
    """Reply without what it only says of other options it thought of."""
    if "\n" in reply:
        kept = _OTHERS_FIELD.sub("", reply)
        reply = kept if any(map(str.isalnum, kept)) else reply
    if "(" in reply:
        kept = _ASIDE_OF_FIRST.sub("", reply)
        reply = kept if any(map(str.isalnum, kept)) else reply
    return reply
