"""Penn Treebank tokens of captions, as the COCO caption tools' Java tokenizer gives them.

EgoBridge Tab. 11 scores captions with those tools: lower case, contractions split, punctuation dropped.
The rules here were found by asking the tokenizer (Stanford's PTBTokenizer of CoreNLP 3.4.1,
`-preserveLines -lowerCase`) what it does. Of the rules that fit at a place the longest match wins and
of equals the first, as there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from expectations.schemas.metrics import Mode, check_mode

# The tools drop what is on their list after lower-casing, where brackets are in capitals: so brackets
# stay, as `-lrb-`.
PUNCTUATION = frozenset(("''", "'", "``", "`", ".", "?", "!", ",", ":", "-", "--", "...", ";"))

_ABBREVIATIONS = (
    "adj adm adv al ala alex apr ariz assn assoc asst aug ave bhd bldg blvd bros calif capt cf cie cmdr "
    "co col colo conn corp cos cpl ct dak dec dept det dr drs elec esq est etc ext feb fla fri ft ga "
    "gen gov govs hon inc ind insp intl jan jos jr jul jun kan ky lieut lt ltd maj mar md messrs mfg "
    "mich minn mlle mme mo mon mont mr mrs ms mt natl neb nev nov oct okla penn ph plc pres prof profs "
    "pty pvt rd rep reps rev rt sen sens sep sept seq sgt spc sq sr st ste supt sys tel tenn thu thurs "
    "treas tue tues univ va vs vt wed wis wm wyo"
).split()
# Words in their own right unless they begin with a capital.
_NAMES = "Ark Az Del Ill La Mass Miss Ore Pa Tex Wash".split()
_BEFORE_NUMBER = "art ca fig figs no nos op pp prop".split()
# The full stop of an initial ends a sentence before these.
_STARTERS = (
    "A About According Additionally After An As At But Earlier He Her Here However If In It Last Many "
    r"More Mr\. Ms\. Now Once One Other Our She Since So Some Such That The Their Then There These They This We "
    "What When While Yet You"
).split()
_FILES = (
    "bat bmp c class cgi cpp dll doc docx exe gif gz h htm html jar java jpeg jpg mov mp3 pdf php pl "
    "png ppt ps py sql tar txt wav xml zip"
).split()


def _any(words: Iterable[str]) -> str:
    return "(?:" + "|".join(sorted(words, key=len, reverse=True)) + ")"


# Marks that are tokens of their own, as ranges; what is neither here nor in a rule is dropped.
_MARKS = (
    "!#$%&*+,\\-./:;<=>?@\\\\^_|~\u00a1\u00a5-\u00a9\u00ac\u00ae-\u00b4\u00b6-\u00b9\u00bf\u00d7\u00f7"
    "\u02c2-\u036f\u2016\u2017\u201a\u201e-\u2023\u2030-\u2038\u203b\u203e-\u2042\u2044\u2070-\u208e\u20a4"
    "\u2100-\u2129\u212e\u213a-\u214f\u2155-\u215e\u2190-\u24f4\u2500-\u277f\u2789\u2793-\u2bff\u3001"
    "\u3002\u3012\u30fb\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\uffe0\uffe1\uffe5\uffe6"
)
_AP = "['\u2019\u0092]"
# Python counts superscripts, fractions and circled numbers as part of words.
_NO = r"\W_\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u209c\u2150-\u218b\u2460-\u24ff\u2776-\u2793"
# Marks that join the letter before them, which Python counts as part of no word.
_JOINED = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0615-\u061a\u064b-\u065e"
    "\u0670\u06d6-\u06dc\u0900-\u0903\u093c\u093e-\u094e\u0951-\u0955\u0962\u0963\u0e31\u0e34-\u0e3a"
    "\u0e47-\u0e4e"
)
_L = rf"(?:[^{_NO}\d]|[{_JOINED}])"
_LD = rf"(?:[^{_NO}]|[{_JOINED}])"
_A = "[A-Za-z0-9]"
_WORD = rf"{_L}{_LD}*(?:[.!?]{_L}{_LD}*)*"
_SUFFIX = rf"{_AP}(?i:s|m|d|re|ve|ll)(?!{_L})"
_NOT = rf"n['`\u0091\u0092\u2018\u2019\u201b]t(?!{_LD})"
_NAME = "[A-Za-z][A-Za-z0-9_:.-]*"
_ENTITIES = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": "''", "&nbsp;": "", "&apos;": "'"}
_VULGAR = {"½": "1/2", "¼": "1/4", "¾": "3/4", "⅓": "1/3", "⅔": "2/3"}
_WRITTEN = {
    "(": "-lrb-", ")": "-rrb-", "[": "-lsb-", "]": "-rsb-", "{": "-lcb-", "}": "-rcb-",
    "¢": "cents", "£": "#", "¤": "$", "€": "$", "\u20a0": "$", "\u0080": "$",
}  # fmt: skip
# Quotation marks as the tools write them; those they leave as they are stand for themselves.
_QUOTED = {
    **dict.fromkeys("`\u0091\u2018\u201b\u2039", "`"),
    **dict.fromkeys("\u0092\u2019\u203a", "'"),
    **dict.fromkeys("\u0093\u201c\u00ab", "``"),
    **dict.fromkeys("\u0094\u201d\u00bb", "''"),
    **dict.fromkeys("\u201a\u201e\u201f"),
}

_Write = Callable[[str], str]


def _brackets(text: str) -> str:
    return "".join(_WRITTEN.get(letter, letter) for letter in text)


def _parentheses(text: str) -> str:
    return text.replace("(", "-lrb-").replace(")", "-rrb-")


def _quotes(text: str) -> str:
    return "".join(_QUOTED[letter] or letter for letter in text)


def _hard_blanks(text: str) -> str:
    return text.replace(" ", "\u00a0")


def _nothing(_: str) -> str:
    return ""


def _straight(text: str) -> str:
    return "".join(_QUOTED.get(letter) or letter for letter in text)


# A group, where there is one, is the token; what follows it is context, and counts for the length.
_RULES: tuple[tuple[re.Pattern[str], _Write | None], ...] = tuple(
    (re.compile(pattern), write)
    for pattern, write in (
        # Contractions: the word before, and the rest.
        (rf"({_LD}+(?:-{_LD}+)*){_SUFFIX}", None),
        (rf"(?i:({_LD}+?){_NOT})", None),
        (rf"(?i:{_NOT})", _straight),
        (_SUFFIX, _straight),
        (rf"(?i:(can)not|(gon)na|(got)ta|(wan)na|(lem)me|(gim)me)(?!{_LD})", None),
        (rf"(?i:({_AP}t)(?:is|was))", None),
        (rf"(?i:{_AP}(?:em|cause|til))", None),
        (rf"{_AP}[nN](?:{_AP}|(?!{_LD}))", None),
        (rf"{_AP}\d\ds?(?!{_LD})", None),
        (rf"[dDoOlL]{_AP}{_L}{_L}+|(?i:qu){_AP}{_L}{_LD}*", None),
        (rf"[lLjJyYdD]{_AP}(?={_L})|(?i:ol){_AP}(?!{_LD})", None),
        (
            rf"(?i:c{_AP}mon|e{_AP}er|ne{_AP}er|o{_AP}er|s{_AP}mores|ma{_AP}ams?|hallowe{_AP}en|"
            rf"g{_AP}day)(?!{_LD})",
            None,
        ),
        # Words, alone and joined.
        (_WORD, None),
        (rf"\d+{_L}{_LD}*", None),
        (rf"{_LD}+(?:[-_]{_LD}+)+", None),
        (rf"{_A}[A-Za-z0-9.,]*(?:-{_A}+)+", None),
        (r"[A-Z]\.-[A-Z]\.", None),
        (rf"{_A}+(?:-[A-Za-z]+){{0,2}}(?:/{_A}+(?:-[A-Za-z]+){{0,2}}){{1,2}}", None),
        (r"[cC]\+\+|[cCfF]#", None),
        (r"[A-Z]+(?:(?:[+&]|&amp;)[A-Z]+)+", lambda text: text.replace("&amp;", "&")),
        # Full stops that belong to the word.
        (rf"(?:{_L}\.)+{_L}\.|[pP][hH]\.[dD]\.", None),
        (rf"{_L}\.(?!\s+(?:{_any(_STARTERS)}(?:\s|$)|</?[A-Za-z]))", None),
        (rf"(?i:{_any(_ABBREVIATIONS)})\.", None),
        (rf"{_any([*_NAMES, *(name.upper() for name in _NAMES)])}\.", None),
        (rf"((?i:{_any(_BEFORE_NUMBER)})\.)\s?\d", None),
        (rf"({_LD}+(?:-{_LD}+)*\.)[,;:]", None),
        # Numbers.
        (r"[+-]?(?:[.:,]?\d+)(?:[.:,]\d+)*", None),
        (r"(?:\d{1,4}[- \u00a0])?\d{1,4}(?:\\?/|\u2044)\d{1,4}", _hard_blanks),
        ("[½¼¾⅓⅔]", _VULGAR.__getitem__),
        (r"\d{1,2}[-/]\d{1,2}[-/]\d{2,4}", None),
        (
            r"(?:\(\d{2,3}\)[ \u00a0]?|(?:\+\+?)?(?:\d{2,4}[- \u00a0])?\d{2,4}[- /\u00a0])"
            r"\d{3,4}[- \u00a0]?\d{3,5}",
            lambda text: _hard_blanks(_brackets(text)),
        ),
        (r"[A-Z]{1,2}\$", None),
        # Addresses, files, tags.
        (r"https?://[^\s\"<>|()]*[^\s\"<>|.!?(){},-]", None),
        (
            rf"(?:www\.(?:[^\s\"<>|.!?(){{}},]+\.)+[A-Za-z]{{2,4}}|{_A}[^\s\"`'<>|.!?(){{}},\-_$]*\.(?:[^\s\"`'<>|.!?(){{}},\-_$]+\.)*"
            r"(?:com|net|org|edu))(?:/[^\s\"<>|()]+[^\s\"<>|.!?(){},-])?",
            None,
        ),
        (
            rf"{_A}[^\s\"<>|(){{}}]*@(?:[^\s\"<>|(){{}}.]+\.)*[^\s\"<>|(){{}}.]+|[@#]{_L}[A-Za-z0-9_]*",
            None,
        ),
        (rf"{_LD}+(?:\.{_LD}+)*\.(?i:{_any(_FILES)})(?=[\s.?!,]|$)", None),
        (
            rf"<(?:[!?][A-Za-z-][^>]*|{_NAME}(?: +{_NAME}(?: *= *(?:'[^']*'|\"[^\"]*\"|{_NAME}))?)* */?|/{_NAME}) *>",
            _hard_blanks,
        ),
        (_any(_ENTITIES), _ENTITIES.__getitem__),
        # Marks in a row.
        (r"[<>]?[:;=][-o*']?[()DPdpO\\{@|\[\]](?![A-Za-z])", _parentheses),
        (r"\^_\^", None),
        (r"-(?i:[lr][rcs]b)-", None),
        (r"[?!]+|\*+|_+|#+|<<|>>|\\\*|(?:PRP|WP)\$", None),
        (r"-{5,}", None),
        (r"-{2,4}|[\u2013-\u2015\u0096\u0097]|\.{3,}|\. \. \.|\u2026", _nothing),
        ("[\"']", _nothing),
        # Two of them are one token, which is on no list of punctuation.
        (f"[{''.join(_QUOTED)}]{{1,2}}", _quotes),
        (r"[(){}\[\]\u00a2\u00a3\u00a4\u20ac\u20a0\u0080]", _brackets),
        (rf"[{_MARKS}]", None),
    )
)
_SOFT = "\u00ad"
_BREAK = re.compile("\r\n|[\n\x0b\x0c\r\u2028\u2029]")
_ODD = re.compile("[^\x20-\x7e]")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_PLAIN = re.compile(r"[A-Za-z]{2,}(?= |$)")
_APART = frozenset(("cannot", "gonna", "gotta", "wanna", "lemme", "gimme"))


def tokenized(caption: str, following: str = "") -> str:
    """Tokens of a caption without punctuation, with a blank between: what the metrics take.

    A token may hold a no-break space, as in `1 1/2`.

    Args:
        caption: Text; a line break is a blank.
        following: The next line of the file, which the Java tokenizer reads on into: it decides
            whether the caption ends with an initial or the like.
    """
    line = caption.replace("\n", " ")
    tokens = _tokens(line, f"{line}\n{following}" if following else line)
    return " ".join(token for token in tokens if token and token not in PUNCTUATION)


def tokenized_all(captions: Sequence[str], mode: Mode = "paper") -> list[str]:
    """Tokens of captions.

    In `parity` they are read as lines of one file, as there: the next decides with how one ends, and a
    caption with a break that is not a line feed is two lines, of which the second is taken for the next
    caption, and so on.
    """
    if not check_mode(mode):
        return [tokenized(one) for one in captions]
    lines = _BREAK.split("\n".join(one.replace("\n", " ") for one in captions))
    after = [*lines[1:], ""]
    return [tokenized(one, other) for one, other in zip(lines, after, strict=True)][: len(captions)]


def _tokens(line: str, text: str) -> Iterator[str]:
    """Tokens of a line, which begins the text."""
    if _ODD.search(text):
        line, text = (_ASTRAL.sub(" ", given).replace(_SOFT, "") for given in (line, text))
    at, end = 0, len(line)
    while at < end:
        plain = _PLAIN.match(text, at)
        if plain is not None and plain[0].lower() not in _APART:
            yield plain[0].lower()
            at = plain.end() + 1
            continue
        if text[at].isspace():
            at += 1
            continue
        longest, stop, token = 0, at + 1, ""
        for pattern, write in _RULES:
            found = pattern.match(text, at)
            if found is None or found.end() - at <= longest:
                continue
            longest = found.end() - at
            shown = next(filter(None, found.groups()), found[0])
            stop = at + len(shown)
            token = write(shown) if write is not None else shown
        at = stop
        yield token.lower()
