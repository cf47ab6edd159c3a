"""A narration as words a parser of general English understands, each with its place in the narration.

Datasets write in styles of their own: `#C C stirs` (Ego4D), `person A washes the plate` (LEMMA),
`put down spoon` (EPIC-KITCHENS), `Opens the door.` (subject left out). A parser trained on newspapers
takes `C stirs` for a compound noun and `put` for a past tense. Here letters and names of people become
pronouns or plain nouns, and a subject that is left out is filled in; who is meant is kept beside.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from assets.labels.open.compounds import is_thing, join_names
from assets.labels.open.endings import base_of_ing, singular
from assets.labels.open.english import (
    BEFORE_GERUNDS,
    DETERMINERS,
    LISTS,
    NOT_A_VERB,
    NOT_BARE,
    ORDERS,
    PARTICLES,
    PEOPLE,
    STATES_OF_THINGS,
)
from assets.labels.open.hands import spell_out_hands
from assets.labels.open.omissions import with_omitted
from assets.labels.open.phrases import write_plainly
from assets.labels.open.tokens import WEARER, Token

_WORD = re.compile(
    r"\bP\d{1,2}\b|[^\W\d_]+(?:['’`][^\W\d_]+)*(?:-[^\W\d_]+(?:['’][^\W\d_]+)*)*|\d+(?:[.,/]\d+)*|[^\w\s]|_",
)
_NUMBERED = re.compile(r"P\d{1,2}")
_CLITIC = re.compile(r"(?i)(?<=[a-z])(n['’`]t|['’`](?:s|re|ll|ve|d|m))$")
_WEARER_NAMES = (
    ("camera", "wearer"),
    ("camera", "person"),
    ("camera", "man"),
    ("camera", "woman"),
    ("camera", "holder"),
    ("camera", "operator"),
    ("camera", "user"),
)
_WEARER_WORDS = frozenset(
    "camera-wearer camerawearer wearer cameraman camerawoman cameraperson".split()
)
_FEMALE = frozenset("woman women lady ladies girl girls".split())
_BEFORE_SUBJECT = frozenset([*",;.:()"]) | frozenset(
    "and but or then while whereas as when before after until so because if that where how".split()
)
_SPEAKER = frozenset("i you we me us".split())
# Things named after what is done with them: "cutting board" is not cutting.
_GERUND_THINGS = frozenset(
    "cutting chopping rolling drying mincing measuring frying baking sharpening pressing ironing "
    "mixing serving sewing climbing steering swimming shopping drilling grinding welding sanding cooking "
    "mincing soldering weighing carving bowling fishing sleeping marking chewing watering parking "
    "cleaning wrapping skirting knitting reading dining living changing cooling tracing masking scouring "
    "packing painting drawing pruning punching sifting charging tasting skipping plastering draining "
    "paving kneading recycling".split()
)
_THINGS_OF_GERUNDS = frozenset(
    "board boards bin bins pin pins rack racks knife knives cup cups spoon spoons pan pans tray trays machine "
    "machines stand stands bowl bowls wheel wheels table tables bag bags line stone pot pots mat mats "
    "powder liquid oil tool tools paper rod pad tape gum iron scale scales sheet area wall shoe shoes "
    "spatula spatulas shovel utensil ladle wine cream spray gear "
    "block blocks jug jugs utensil utensils book books blade blades gun guns brush brushes foam bottle basket hook "
    "frame chair equipment device kit cloth sponge detergent soda wire torch bit bits glove gloves ball "
    "harness hold holds cap pool pen pencil mitt surface slab can cans lot needle needles glasses room fluid fluids agent supplies product products cable cables stones lead slab slabs".split()
)
_MACHINES = frozenset("machine machines device tool tools equipment kit appliance".split())
_UP = frozenset("liquid bowl glove gloves brush sponge powder".split())
# Before these, "right" says how soon or how near, and is not a side: "right away", "right next to".
_AT_ONCE = frozenset(["away", "now", "then"])
# "Holds on to the rail"
_HOLDING_ON = frozenset("hold holds holding held hang hangs hanging hung cling clings".split())
_NEARBY = frozenset("next beside behind underneath beneath afterwards after".split())
_NAMES = frozenset(
    [
        ("bell", "pepper"),
        ("bell", "peppers"),
        ("wood", "ear"),
        ("light", "bulb"),
        ("light", "bulbs"),
    ]
    + [("clothes", thing) for thing in "peg pegs rack line hanger hangers pin pins basket".split()]
    + [
        ("remote", "control"),
        ("remote", "controller"),
        ("inner", "tube"),
        ("cling", "film"),
        ("sweet", "corn"),
        ("first", "aid"),
        ("running", "shoe"),
        ("running", "shoes"),
        ("hanging", "basket"),
        ("quick", "release"),
        ("free-throw", "line"),
    ]
    + [("flip", "flops"), ("push", "ups"), ("press", "ups"), ("sit", "ups"), ("pull", "ups")]
)
_PIECES = frozenset(
    "slices pieces strips chunks cubes flakes halves wedges shreds segments shavings leaves rings sprouts "
    "sections stems skins shells cores cloves stalks florets fillets crumbs seeds granules".split()
)
_RINGING = frozenset("phone telephone doorbell bell alarm timer mobile".split())
_SIZES = frozenset(
    "small large big little thin thick long short fine round flat equal even several few many more other "
    "rough green red white yellow black dry fresh raw new old bite".split()
)
_FRY = frozenset("fry fries fried frying".split())
_RUN_TOGETHER = frozenset("doesnt dont didnt isnt cant wont couldnt wouldnt".split())
_TYPOS = {
    "wit": "with",
    "whith": "with",
    "wth": "with",
    "wih": "with",
    "wiht": "with",
    "hte": "the",
    "teh": "the",
}


def prepare(narration: str, is_verb: Callable[[str], bool]) -> list[Token]:
    """Words of a narration as the parser is to read them.

    Args:
        narration: A narration as it was written.
        is_verb: Whether a word, in lower case, can be the base form of a verb.

    Returns:
        Words in order, with their places; subjects that are left out are filled in.
    """
    words = _without_emphasis(
        _with_whole_prepositions(_without_markers(write_plainly(_split(narration))), is_verb)
    )
    named = join_names(_people(words, is_verb), is_verb)
    return with_omitted(_with_pronouns(spell_out_hands(named)), is_verb)


def _split(narration: str) -> list[Token]:
    words: list[Token] = []
    for match in _WORD.finditer(narration):
        text, start = match.group(), match.start()
        if text == "/" and words and words[-1].text == "w" and words[-1].end == start:
            words.append(Token("with", words.pop().start, match.end()))
            continue
        if text.lower() == "cannot":
            words.append(Token(text[:3], start, start + 3))
            words.append(Token(text[3:], start + 3, match.end()))
            continue
        if text.lower() in _FRY and words and words[-1].text.lower() == "stir":
            stirred = words.pop()
            words.append(Token(f"{stirred.text}-{text}", stirred.start, match.end()))
            continue
        if text.lower() in _RUN_TOGETHER:
            words.append(Token(text[:-2], start, match.end() - 2))
            words.append(Token("n't", match.end() - 2, match.end()))
            continue
        clitic = _CLITIC.search(text)
        cut = clitic.start() if clitic else len(text)
        head = text[:cut]
        first, _, last = head.rpartition("-")
        if first and last.lower() in PARTICLES:
            # "put-down": verb and particle.
            words.append(Token(first, start, start + len(first)))
            words.append(Token(last, start + len(first) + 1, start + cut))
        elif head:
            words.append(Token(_TYPOS.get(head.lower(), head), start, start + cut))
        if clitic:
            words.append(
                Token(text[cut:].replace("’", "'").replace("`", "'"), start + cut, match.end())
            )
    return words


def _without_markers(words: list[Token]) -> list[Token]:
    """Leave out `#C`, `#O`, `#unsure` and underscores; they are annotators' marks and no words."""
    kept: list[Token] = []
    marker_end: int | None = None
    for word in words:
        if word.text == "#":
            marker_end = word.end
        elif word.start == marker_end:
            marker_end = None
        elif word.text == "/" and kept and kept[-1].text.isalpha():
            is_pair = kept[-1].text.lower() in ("he", "his", "him", "and")
            marker_end = word.end if is_pair else None
            if not is_pair:
                kept.append(word._replace(text="and"))
        elif word.text not in ("_", "[", "]") and not _is_stutter(kept, word):
            kept.append(word)
    return kept


def _with_whole_prepositions(words: list[Token], is_verb: Callable[[str], bool]) -> list[Token]:
    """Write "in to the sink" and "on to the table" with one preposition each."""
    written: list[Token] = []
    for at, word in enumerate(words):
        before = written[-1] if written else None
        after = words[at + 1].text.lower() if at + 1 < len(words) else "."
        if (
            before is not None
            and word.text.lower() == "to"
            and before.text.lower() in ("in", "on")
            and after.isalpha()
            and (after in DETERMINERS or not is_verb(after) or is_thing(after))
            and not (len(written) > 1 and written[-2].text.lower() in _HOLDING_ON)
        ):
            written[-1] = before._replace(text=f"{before.text.lower()}to", end=word.end)
        else:
            written.append(word)
    return written


def _without_emphasis(words: list[Token]) -> list[Token]:
    """Leave out "right away" and the right of "right next to": no side and no direction is meant."""
    lowered = [word.text.lower() for word in words]
    if "right" not in lowered:
        return words
    kept: list[Token] = []
    for at, word in enumerate(words):
        after = lowered[at + 1] if at + 1 < len(words) else "."
        before = lowered[at - 1] if at else "."
        if lowered[at] == "right" and after in _AT_ONCE | _NEARBY and not before.startswith("turn"):
            continue
        is_soon = lowered[at] in _AT_ONCE and before == "right"
        if not is_soon or (at > 1 and lowered[at - 2].startswith("turn")):
            kept.append(word)
    return kept


def _is_stutter(before: list[Token], word: Token) -> bool:
    """Whether an annotator wrote a word twice: "put down down can"."""
    lower = word.text.lower()
    return (
        bool(before)
        and before[-1].text.lower() == lower
        and before[-1].text != "A"  # the letter of "person A a cup"
        and (lower in PARTICLES or lower in ("the", "a", "and", "with", "left", "right"))
    )


def _people(words: list[Token], is_verb: Callable[[str], bool]) -> list[Token]:
    """Join the words of a name (`man X`, `camera wearer`) and say who is meant."""
    joined: list[Token] = []
    at = 0
    while at < len(words):
        word = words[at]
        lower = word.text.lower()
        after = words[at + 1] if at + 1 < len(words) else None
        pair = (lower, after.text.lower()) if after else None
        if pair in _WEARER_NAMES and after is not None:
            _drop_article(joined)
            joined.append(Token("C", word.start, after.end, WEARER))
            at += 2
        elif lower in _WEARER_WORDS:
            _drop_article(joined)
            joined.append(word._replace(text="C", person=WEARER))
            at += 1
        elif lower in PEOPLE and after is not None and _is_letter(after, words, at + 1):
            name = f"{lower} {after.text.lower()}"
            joined.append(Token(lower, word.start, after.end, name))
            at += 2
        elif _NUMBERED.fullmatch(word.text):
            joined.append(word._replace(text="person", person=lower))
            at += 1
        elif lower == "using" and (
            _is_fronted(words, at) or (after is not None and joined and _is_how(joined[-1], after))
        ):
            joined.append(word._replace(text="with"))
            at += 1
        elif lower == "c" and _is_wearer_letter(words, at):
            joined.append(word._replace(text="C", person=WEARER))
            at += 1
        elif after is not None and _is_in_pieces(words, at):
            joined.append(
                Token(word.text, word.start, after.end, tail=singular(after.text.lower()))
            )
            at += 2
        elif (
            lower == "washing"
            and [w.text.lower() for w in words[at + 1 : at + 2]] == ["up"]
            and (at + 2 < len(words) and words[at + 2].text.lower() in _UP)
        ):
            thing = words[at + 2]
            joined.append(Token(thing.text, word.start, thing.end, prefix="washing up"))
            at += 3
        elif (after is not None and (lower, after.text.lower()) in _NAMES) or (
            after is not None and _is_named_after(words, at, is_verb)
        ):
            joined.append(Token(after.text, word.start, after.end, prefix=lower))
            at += 2
        elif lower in _SPEAKER:
            joined.append(word._replace(person=WEARER))
            at += 1
        else:
            joined.append(word)
            at += 1
    return joined


def _is_how(before: Token, after: Token) -> bool:
    """Whether "using" says with what: "stirs using a spoon", and not "is using" or "without using"."""
    return before.text.lower() not in BEFORE_GERUNDS | {
        "without",
        "while",
        "by",
        "of",
        "are",
        "was",
        "were",
        "and",
        "from",
        "for",
        "then",
    } and not after.text.lower().endswith("ing")


def _is_in_pieces(words: list[Token], at: int) -> bool:
    """Whether a word and the next are a thing in pieces: the "carrot slices" of a list."""
    lower, after = words[at].text.lower(), words[at + 1].text.lower()
    before = words[at - 1].text.lower() if at else ""
    behind = words[at + 2].text.lower() if at + 2 < len(words) else "."
    return (
        after in _PIECES
        and (after != "rings" or lower not in _RINGING)
        and at > 0
        and lower.isalpha()
        and lower not in NOT_BARE | PEOPLE | _SIZES
        and (is_thing(lower) or not lower.endswith(("ed", "s", "ly", "ing", "er")))
        and before not in _BEFORE_SUBJECT - {",", "and", "or"}
        and (before in LISTS or before in DETERMINERS | {"of", "with"} or before.endswith("ed"))
        and behind in NOT_A_VERB
    )


def _is_fronted(words: list[Token], at: int) -> bool:
    """Whether "using" says with what the next verb is done: "Using a knife, cut the onion"."""
    before = words[at - 1].text.lower() if at else "."
    if before not in (".", ";", ",", "and", "then"):
        return False
    phrase = [word.text.lower() for word in words[at + 1 : at + 9]]
    if "," not in phrase[2:]:
        return False
    ahead = words[at + 2 + phrase.index(",", 2) : at + 3 + phrase.index(",", 2)]
    stops = {"to", ".", ";", "and"} & set(phrase[: phrase.index(",", 2)])
    follows = ORDERS | DETERMINERS | _SPEAKER | frozenset(["she", "he", "they", "c"])
    return bool(ahead) and not stops and ahead[0].text.lower() in follows


def _is_named_after(words: list[Token], at: int, is_verb: Callable[[str], bool]) -> bool:
    """Whether a word in -ing and the next name a thing: "cutting board", "the scraping blade"."""
    gerund, thing = words[at].text.lower(), words[at + 1].text.lower()
    if gerund == "washing":
        return thing in ("machine", "line", "powder", "liquid", "basket")
    before = words[at - 1].text.lower() if at else "."
    if thing not in _THINGS_OF_GERUNDS or not gerund.endswith("ing"):
        return False
    if not at or before in BEFORE_GERUNDS | {"while", "by", "before", "after", "when"}:
        return False  # "still cleaning knife"
    has_determiner = before in DETERMINERS and before != "that"
    if thing in _MACHINES and at > 1:
        # "The dough kneading machine"
        has_determiner = has_determiner or (
            words[at - 2].text.lower() in DETERMINERS and is_thing(before)
        )
    return gerund in _GERUND_THINGS or (
        has_determiner
        and gerund not in STATES_OF_THINGS
        and base_of_ing(gerund, is_verb) is not None
    )


def _drop_article(words: list[Token]) -> None:
    if words and words[-1].text.lower() in ("the", "a"):
        words.pop()


def _is_letter(word: Token, words: list[Token], at: int) -> bool:
    """Whether a word is the letter of a person's name: `man X`; `a` may also be an article."""
    text = word.text
    if len(text) != 1 or not (text.isalpha() or text.isdigit()):
        return False
    if text != "a":
        return text.isupper() or text.isdigit() or text != "i"
    # "person a washes": a verb follows; "gives the man a cup": a noun follows.
    after = words[at + 1].text.lower() if at + 1 < len(words) else "."
    return after in NOT_A_VERB or after.endswith("s")


def _is_wearer_letter(words: list[Token], at: int) -> bool:
    """Whether a lone c is the wearer and no vitamin, drive or step."""
    word = words[at]
    before = words[at - 1].text.lower() if at else ""
    if before in ("vitamin", "letter", "drive", "step", "part", "type", "usb", "grade", "section"):
        return False
    return word.text == "C" or at == 0


def _with_pronouns(words: list[Token]) -> list[Token]:
    """Write the wearer and lettered people as pronouns, in the case their place asks for."""
    written: list[Token] = []
    for at, word in enumerate(words):
        if word.person is None or word.text.lower() in _SPEAKER:
            written.append(word)
            continue
        if at and words[at - 1].person == word.person:
            continue  # "#C C stirs" says it twice
        after = words[at + 1].text.lower() if at + 1 < len(words) else "."
        before = words[at - 1].text.lower() if at else "."
        is_female = word.person == WEARER or word.text in _FEMALE
        if after == "'s":
            written.append(word._replace(text="Ann" if is_female else "John"))
            continue
        if before in ("the", "a", "another") and written:
            written.pop()
            before = words[at - 2].text.lower() if at > 1 else "."
        opens = before in _BEFORE_SUBJECT
        is_subject = opens and (
            after not in NOT_A_VERB or (after == "and" and before in (".", ";"))
        )
        # "Her" could also be the owner of what follows.
        # Before a verb or a noun, "her" could also be the owner of what follows.
        is_clear = is_female and after in NOT_A_VERB
        pronouns = ("she" if is_female else "he", "her" if is_clear else "him")
        written.append(word._replace(text=pronouns[0 if is_subject else 1]))
    return written
