"""A narration as words a parser of general English understands, each with its place in the narration.

Datasets write in styles of their own: `#C C stirs` (Ego4D), `person A washes the plate` (LEMMA),
`put down spoon` (EPIC-KITCHENS), `Opens the door.` (subject left out). A parser trained on newspapers
takes `C stirs` for a compound noun and `put` for a past tense. Here letters and names of people become
pronouns or plain nouns, and a subject that is left out is filled in; who is meant is kept beside.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

from assets.labels.open.english import singular

SAME = "="
"""Stands for whoever acted before; of a subject that a list of verbs leaves out."""
WEARER = ""
"""Name of the person whose action a segment describes: the wearer, or who is filmed."""

_WORD = re.compile(
    r"\bP\d{1,2}\b|[^\W\d_]+(?:['’`][^\W\d_]+)*(?:-[^\W\d_]+(?:['’][^\W\d_]+)*)*|\d+(?:[.,/]\d+)*|[^\w\s]|_",
)
_NUMBERED = re.compile(r"P\d{1,2}")
_CLITIC = re.compile(r"(?i)(?<=[a-z])(n['’`]t|['’`](?:s|re|ll|ve|d|m))$")
_PERSON = frozenset(
    "person people man men woman women lady ladies boy boys girl girls child children kid kids baby "
    "friend friends partner partners guy guys player players teammate opponent teacher instructor "
    "coach student students doctor surgeon nurse assistant chef cook customer worker colleague "
    "someone somebody participant individual human daughter son wife husband mother father mum mom dad "
    "son grandson nephew niece brother sister neighbour neighbor driver cyclist waiter waitress dealer guard nurse butcher baker "
    "barber referee passenger pedestrian climber runner guest visitor owner farmer mechanic carpenter "
    "painter gardener dentist patient mate roommate housemate grandmother grandfather uncle aunt cousin "
    "toddler teenager adult actor actress technician operator scientist researcher demonstrator "
    "clerk cashier flatmate bartender seller shopkeeper vendor trainer musician singer dancer host "
    "classmate officer soldier policeman receptionist librarian pharmacist pianist goalkeeper captain "
    "manager boss supervisor examiner trainee swimmer biker rider guitarist".split()
)
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
_DETERMINERS = frozenset(
    "a an the this that these those my your his her its their our each every some any no another one "
    "two three four five six seven eight nine ten several both all other".split()
)
_BEFORE_SUBJECT = frozenset([*",;.:()"]) | frozenset(
    "and but or then while whereas as when before after until so because if that where how".split()
)
_SPEAKER = frozenset("i you we me us".split())
_LISTS = frozenset(["and", ",", "&", "then"])
_NOT_A_VERB = frozenset(
    "and or but , . ; : ! ? with to of in on into onto at from for by who which 's ’s".split()
)
_PARTICLES = frozenset(
    "up down out off on in over away back together apart aside around along".split()
)
# Verbs of handling that open a further order in telegraph style: "take milk and close fridge". Words that are
# as often nouns (fork, drink, water, sponge) are not among them.
_ORDERS = frozenset(
    "add adjust apply arrange assemble attach bend bring carry check chop clean clear close collect "
    "connect cover crack crush cut detach discard dip drain drop dry empty examine fetch fill find fit "
    "fix flip fold gather get give grab hang hold insert inspect install keep knead lay leave lift "
    "loosen look lower measure mix move open pass peel pick place pour prepare press pull push put "
    "raise reach remove rinse roll rotate rub scoop scrape screw scrub search separate serve set shake "
    "shut slice slide sort spread sprinkle squeeze stir take taste throw tie tighten tilt toss touch "
    "transfer turn twist uncover unscrew unwrap use walk wash wipe wrap jump land squat stand sit bend lean "
    "step run kneel crawl wait switch weigh catch untie unlock fry bake grate mash grind saute scoop sip eat "
    "chew swallow stir-fry unfold unroll unplug plug rewind tear lock loosen tap knock pinch spray "
    "continue begin start keep finish try attempt stop test rest saute skim flick erase simmer assemble "
    "inflate zip unzip button fasten unfasten pack unpack load unload replace swap stretch breathe write "
    "read draw knit sew braid paint erase staple punch type swipe scroll click enter exit check vacuum mop "
    "dismantle align hammer sweep feed water dress buy pay ride drive climb".split()
)
# Things named after what is done with them: "cutting board" is no cutting.
_GERUND_THINGS = frozenset(
    "cutting chopping rolling drying mincing measuring frying baking sharpening pressing ironing "
    "mixing serving sewing climbing steering swimming shopping drilling grinding welding sanding cooking "
    "mincing soldering weighing carving bowling fishing sleeping marking chewing watering parking "
    "cleaning wrapping skirting knitting reading dining living changing".split()
)
_THINGS_OF_GERUNDS = frozenset(
    "board boards pin pins rack racks knife knives cup cups spoon spoons pan pans tray trays machine "
    "machines stand stands bowl bowls wheel wheels table tables bag bags line stone pot pots mat mats "
    "powder liquid oil tool tools paper rod pad tape gum iron scale scales sheet area wall shoe shoes "
    "harness hold holds cap pool pen pencil mitt surface slab can cans lot needle needles glasses room fluid fluids agent supplies product products".split()
)
_NAMES = frozenset(
    [
        ("bell", "pepper"),
        ("bell", "peppers"),
        ("wood", "ear"),
        ("light", "bulb"),
        ("light", "bulbs"),
    ]
    + [("clothes", thing) for thing in "peg pegs rack line hanger hangers pin pins basket".split()]
    + [("flip", "flops"), ("push", "ups"), ("press", "ups"), ("sit", "ups"), ("pull", "ups")]
)
_PIECES = frozenset(
    "slices pieces strips chunks cubes flakes halves wedges shreds segments shavings leaves rings sprouts "
    "stems skins shells cores".split()
)
_SIZES = frozenset(
    "small large big little thin thick long short fine round flat equal even several few many more other "
    "rough green red white yellow black dry fresh raw new old bite".split()
)
_PAST = frozenset(
    "took put gave got went made left came held brought bought threw cut broke ate drank wrote drew drove "
    "poured swept shook hung kept laid lit sat stood woke found saw read".split()
)
_OPENERS = frozenset("then next finally now still and but so , also again".split())
_ANIMALS = frozenset("cat dog fish duck horse bird cow goat monkey".split())
_AUXILIARIES = frozenset("ca can could do did wo would".split())
_RUN_TOGETHER = frozenset("doesnt dont didnt isnt cant wont couldnt wouldnt".split())
# After "and", these begin a clause even without an object; other words in -s may be things.
_ACTING_ALONE = frozenset(
    "leaves drinks dances sings laughs smiles walks runs sits stands looks turns goes comes stops waves jumps "
    "sneezes coughs eats kneels squats bends exits trips falls steps talks lands waits works bows crouches "
    "leans spins slips hops crawls climbs swims skips rides dives breathes yawns cries shouts nods winks "
    "plays sleeps awakens reaches enters rests watches motions gestures".split()
)
# Verbs whose form in -s is no thing in the plural: after "and" they begin a clause whatever follows.
_NEVER_THINGS = frozenset(
    "add adjust apply arrange assemble attach awaken bring carry chop clean close collect connect crush "
    "detach discard dip dry empty enter examine fetch fill fix flip fold gather get give grab hang hold "
    "insert inspect install keep knead lay lie lift loosen lower mix move open peel pick pour prepare pull "
    "push put raise reach remove rinse rotate rub scrape scrub separate serve shake shut sort spread "
    "sprinkle squeeze stir straighten take throw tidy tie tighten tilt toss transfer twist unfold unlock "
    "unplug unscrew unwrap wake wash wipe".split()
)
_ENDS = frozenset(["bottom", "top", "side", "end"])
_CONNECTING = frozenset(
    "if whether how where why when while until till because once that ready not n't".split()
)
_TYPOS = {"wit": "with", "whith": "with", "wth": "with", "wih": "with", "hte": "the", "teh": "the"}
_BEFORE_GERUNDS = frozenset("is continue keep start stop finish begin still".split())
_BEFORE_BARE_NOUNS = frozenset(
    "in on into onto from with at under over inside behind of off against near beside".split()
)
_NOT_BARE = (
    _DETERMINERS
    | _PARTICLES
    | _NOT_A_VERB
    | frozenset(
        "it them him me us you she he they what something everything anything nothing then again "
        "together apart both left right front top half so that more less as clockwise anticlockwise "
        "further slowly carefully forward backward forwards backwards towards toward under inside "
        "between through against behind near across below above beside within without".split()
    )
)
_AFTER_IMPERATIVE = _DETERMINERS | frozenset(
    "of in on into onto from with for at by under over inside through along against behind around "
    "towards toward up down out off away back together apart aside it them him me us to left right "
    "forward backward and then again".split()
)


class Token(NamedTuple):
    """A word handed to the parser.

    Attributes:
        text: What the parser reads.
        start: First character of the narration it stands for.
        end: Character after it; equal to `start` for a word that the narration leaves out.
        person: Who is meant: `WEARER`, a name such as `man x`, or None where this is no person.
        gerund: Word that belongs to a thing's name and would be taken for a verb: `cutting` of a board.
        tail: The same at the end of a name, in the singular: the `slice` of carrot slices.
    """

    text: str
    start: int
    end: int
    person: str | None = None
    gerund: str = ""
    tail: str = ""


def person_noun(word: str) -> bool:
    """Whether a word names a person by kind: man, player, someone."""
    return word in _PERSON


def prepare(narration: str, is_verb: Callable[[str], bool]) -> list[Token]:
    """Words of a narration as the parser is to read them.

    Args:
        narration: A narration as it was written.
        is_verb: Whether a word, in lower case, can be the base form of a verb.

    Returns:
        Words in order, with their places; subjects that are left out are filled in.
    """
    words = _without_markers(_split(narration))
    people = _people(words)
    return _with_subjects(_with_pronouns(people), is_verb)


def _split(narration: str) -> list[Token]:
    words: list[Token] = []
    for match in _WORD.finditer(narration):
        text, start = match.group(), match.start()
        if text.lower() == "cannot":
            words.append(Token(text[:3], start, start + 3))
            words.append(Token(text[3:], start + 3, match.end()))
            continue
        if text.lower() in _RUN_TOGETHER:
            words.append(Token(text[:-2], start, match.end() - 2))
            words.append(Token("n't", match.end() - 2, match.end()))
            continue
        clitic = _CLITIC.search(text)
        cut = clitic.start() if clitic else len(text)
        head = text[:cut]
        first, _, last = head.rpartition("-")
        if first and last.lower() in _PARTICLES:
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
        elif word.text not in ("_", "[", "]") and not _is_stutter(kept, word):
            kept.append(word)
    return kept


def _is_stutter(before: list[Token], word: Token) -> bool:
    """Whether an annotator wrote a word twice: "put down down can"."""
    lower = word.text.lower()
    return (
        bool(before)
        and before[-1].text.lower() == lower
        and before[-1].text != "A"  # the letter of "person A a cup"
        and (lower in _PARTICLES or lower in ("the", "a", "and", "with"))
    )


def _people(words: list[Token]) -> list[Token]:
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
        elif lower in _PERSON and after is not None and _is_letter(after, words, at + 1):
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
        elif (after is not None and (lower, after.text.lower()) in _NAMES) or (
            after is not None and _is_named_after(lower, after.text.lower())
        ):
            joined.append(Token(after.text, word.start, after.end, gerund=lower))
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
    return before.text.lower() not in _BEFORE_GERUNDS | {
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
        and at > 0
        and lower.isalpha()
        and lower not in _NOT_BARE | _PERSON | _SIZES
        and not lower.endswith(("ed", "s", "ly", "ing", "er"))
        and before not in _BEFORE_SUBJECT - {",", "and", "or"}
        and (before in _LISTS or before in _DETERMINERS | {"of", "with"} or before.endswith("ed"))
        and behind in _NOT_A_VERB
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
    return bool(ahead) and not stops and ahead[0].text.lower() in _ORDERS | _DETERMINERS | _SPEAKER


def _is_named_after(gerund: str, thing: str) -> bool:
    if gerund == "washing":
        return thing in ("machine", "line", "powder", "liquid")
    return gerund in _GERUND_THINGS and thing in _THINGS_OF_GERUNDS


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
    return after in _NOT_A_VERB or after.endswith("s")


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
            after not in _NOT_A_VERB or (after == "and" and before in (".", ";"))
        )
        # "Her" could also be the owner of what follows.
        # Before a verb or a noun, "her" could also be the owner of what follows.
        is_clear = is_female and after in _NOT_A_VERB
        pronouns = ("she" if is_female else "he", "her" if is_clear else "him")
        written.append(word._replace(text=pronouns[0 if is_subject else 1]))
    return written


def _with_subjects(words: list[Token], is_verb: Callable[[str], bool]) -> list[Token]:
    """Fill in the subject of sentences that open with their verb, and the articles of telegraph style."""
    filled: list[Token] = []
    opens, orders, is_terse, began = True, False, False, False
    for at, word in enumerate(words):
        lower = word.text.lower()
        if lower in (".", ";", "!", "?", ":"):
            opens, orders, is_terse = True, False, False
            began = began or at > 0
        elif opens:
            subject = _missing_subject(words, at, is_verb)
            if subject is not None and began and subject[0][0] == "she":
                subject = [("she", SAME), *subject[1:]]
            if subject is not None:
                orders, is_terse = (
                    subject[0][0] == "you",
                    len(subject) == 2 or subject[0][0] == "you",
                )
                filled += [Token(text, word.start, word.start, person) for text, person in subject]
                word = word._replace(text=lower)
            opens = lower in _OPENERS or (
                lower.endswith("ly") and _is_verb_next(words, at, is_verb)
            )
        elif _lacks_owner(words, at):
            filled.append(Token("the", word.start, word.start))
        elif _holds_meanwhile(filled, words, at, is_verb):
            filled.append(Token("is", word.start, word.start))
        elif _takes_turns(words, at):
            filled.append(Token("you", word.start, word.start, SAME))
            filled.append(Token("use", word.start, word.start))
        elif orders and words[at - 1].text.lower() in _LISTS and lower.replace("-", "").isalpha():
            inserted = _in_a_list_of_orders(words, at, is_verb)
            if inserted is not None:
                filled.append(inserted)
        elif _lacks_subject(words, at, is_verb):
            filled.append(Token("she", word.start, word.start, SAME))
        elif _goes_on(words, at, is_verb):
            filled.append(Token("I", word.start, word.start, SAME))
        elif _is_fragment(words, at, is_verb):
            filled.append(Token("is", word.start, word.start))
        elif is_terse and filled and _lacks_article(filled, words, at, is_verb):
            filled.append(Token("the", word.start, word.start))
        filled.append(word)
    return filled


def _lacks_subject(words: list[Token], at: int, is_verb: Callable[[str], bool]) -> bool:
    """Whether a third person behind "and" opens a clause and would be taken for a thing: "and empties the can"."""
    lower = words[at].text.lower()
    if at == 0 or words[at].person is not None or not lower.endswith("s"):
        return False
    before = words[at - 1].text.lower()
    if before not in ("and", ",", "then", "almost", "but") or not any(
        map(is_verb, bases_of_s(lower))
    ):
        return False
    after = words[at + 1].text.lower() if at + 1 < len(words) else "."
    if after in _DETERMINERS or after in ("it", "them", "him", "me", "something"):
        return True
    if any(base in _NEVER_THINGS for base in bases_of_s(lower)):
        return True
    if after.isalpha() and after not in _NOT_BARE and any(b in _ORDERS for b in bases_of_s(lower)):
        return True  # "grabs phone": no thing in the plural stands before another
    return lower in _ACTING_ALONE and (after in _NOT_A_VERB or after in _AFTER_IMPERATIVE)


def _is_verb_next(words: list[Token], at: int, is_verb: Callable[[str], bool]) -> bool:
    """Whether a verb follows an adverb that opens a sentence: "Slowly stir the soup"."""
    return at + 1 < len(words) and all(map(is_verb, words[at + 1].text.lower().split("-")))


def _lacks_owner(words: list[Token], at: int) -> bool:
    """Whether a hand begins a clause without an article: "stirs, left hand holding the pot"."""
    here = [word.text.lower() for word in words[at - 1 : at + 2]]
    return (
        len(here) == 3
        and here[0] in (",", "and", "while")
        and here[1] in ("left", "right")
        and here[2] in ("hand", "foot")
        and at + 2 < len(words)
        and words[at + 2].text.lower().endswith(("ing", "s"))
    )


def _holds_meanwhile(
    before: list[Token], words: list[Token], at: int, is_verb: Callable[[str], bool]
) -> bool:
    lower = words[at].text.lower()
    has_article = (
        len(before) > 2 and before[-3].text == "the" and before[-3].start == before[-3].end
    )
    return (
        has_article
        and before[-2].text.lower() in ("left", "right")
        and lower.endswith("ing")
        and bool(base_of_ing(lower, is_verb))
    )


def _takes_turns(words: list[Token], at: int) -> bool:
    """Whether a hand begins what a second hand is used for: "uses one to hold it and your right hand to stir"."""
    here = [word.text.lower() for word in words[at - 1 : at + 4]]
    if at < 4 or len(here) < 5 or here[0] not in ("and", ",", "while"):
        return False
    return (
        here[1] in _DETERMINERS
        and here[2] in ("left", "right", "other")
        and here[3:] == ["hand", "to"]
        and any(word.text.lower() in ("use", "uses", "using") for word in words[:at])
    )


def _goes_on(words: list[Token], at: int, is_verb: Callable[[str], bool]) -> bool:
    """Whether a base form goes on with what a first person does: "I vacuum the stairs and dust the shelf"."""
    lower = words[at].text.lower()
    before = words[at - 1].text.lower()
    if before not in ("and", ",", "then") or at + 1 == len(words) or not is_verb(lower):
        return False
    after = words[at + 1].text.lower()
    has_object = after in _DETERMINERS or after in ("it", "them")
    if not has_object and not (lower in _ORDERS and after.isalpha() and after not in _NOT_BARE):
        return False
    earlier = [word.text.lower() for word in words[max(0, at - 40) : at]]
    while "." in earlier:
        del earlier[: earlier.index(".") + 1]
    infinitive = any(
        word == "to" and is_verb(verb) and verb not in _ENDS for word, verb in pairwise(earlier)
    )
    return bool({"i", "we"} & set(earlier)) and not infinitive and lower not in _NOT_BARE


def _is_fragment(words: list[Token], at: int, is_verb: Callable[[str], bool]) -> bool:
    """Whether a sentence is a person and a participle: "Person sweeping floor"."""
    opens = at == 1 or (at > 1 and words[at - 2].text in (".", ";"))
    lower = words[at].text.lower()
    is_person = words[at - 1].person is None and words[at - 1].text.lower() in _PERSON
    return opens and is_person and lower.endswith("ing") and bool(base_of_ing(lower, is_verb))


def _lacks_article(
    before: list[Token], words: list[Token], at: int, is_verb: Callable[[str], bool]
) -> bool:
    """Whether a bare noun begins behind a verb, its particle or a preposition."""
    word = words[at]
    lower, last = word.text.lower(), before[-1].text.lower()
    if word.person is not None or not lower.replace("-", "").isalpha():
        return False
    if lower in _NOT_BARE or lower in _CONNECTING:
        return False
    if (
        lower.endswith(("ing", "ly"))
        and len(lower) > 4
        and (lower.endswith("ly") or base_of_ing(lower, is_verb))
    ):
        return False
    follows_gerund = (
        last.endswith("ing")
        and base_of_ing(last, is_verb)
        and len(before) > 1
        and before[-2].text.lower() in _BEFORE_GERUNDS
    )
    if last == "to":
        return lower not in _ORDERS and (
            at + 1 == len(words)
            or words[at + 1].text.lower() in (_NOT_BARE - _DETERMINERS) | {"using"}
        )
    follows_verb = (
        len(before) > 1 and before[-2].start == before[-2].end and before[-2].text == "you"
    )
    follows_particle = (
        last in _PARTICLES
        and len(before) > 2
        and before[-3].text == "you"
        and before[-3].start == before[-3].end
    )
    follows_infinitive = len(before) > 1 and before[-2].text.lower() == "to" and is_verb(last)
    if follows_infinitive and last in _ORDERS:
        return True
    return follows_verb or follows_gerund or follows_particle or last in _BEFORE_BARE_NOUNS


def _in_a_list_of_orders(
    words: list[Token], at: int, is_verb: Callable[[str], bool]
) -> Token | None:
    """What telegraph style leaves out behind a comma or an `and`: the subject of a verb, or an article."""
    word = words[at]
    lower = word.text.lower()
    after = words[at + 1].text.lower() if at + 1 < len(words) else "."
    if lower in _DETERMINERS or lower in _NOT_A_VERB or word.person is not None:
        return None
    if at > 2 and words[at - 3].text.lower() == "to" and lower in _ORDERS:
        return None  # "to flip and stir the egg" is one purpose
    has_article = after in _DETERMINERS or after in ("it", "them")
    if lower in _ORDERS or (has_article and is_verb(lower)):
        return Token("you", word.start, word.start, WEARER)
    if lower in ("then", "also", "again") or lower.endswith(("ing", "ly")):
        return None
    if lower.endswith("ed") and len(lower) > 4:
        return None
    # "Put knife and fork in sink": a fork and no forking.
    return None if lower in _NOT_BARE else Token("the", word.start, word.start)


def _missing_subject(
    words: list[Token], at: int, is_verb: Callable[[str], bool]
) -> list[tuple[str, str | None]] | None:
    """Words to put before a sentence that opens with a verb; None where it has a subject."""
    first = words[at]
    lower = first.text.lower()
    if first.person is not None or lower in _DETERMINERS or lower in _PERSON:
        return None
    rest = [word.text.lower() for word in words[at + 1 : at + 3]]
    after = rest[0] if rest else "."
    if lower in _AUXILIARIES and after in ("n't", "not"):
        return [("you", WEARER)]
    if lower == "having":
        return None  # "Having rinsed the rice, ..."
    if lower.endswith("ing") and len(lower) > 4 and base_of_ing(lower, is_verb):
        return [("she", WEARER), ("is", None)]
    if lower in _ANIMALS and after not in _AFTER_IMPERATIVE:
        return None
    if all(is_verb(part) for part in lower.split("-")):
        # "Water boils." is a sentence of noun and verb, "water plants" an order in telegraph style.
        has_verb_after = after not in _AFTER_IMPERATIVE and any(
            is_verb(base) for base in bases_of_s(after)
        )
        is_sentence = (
            has_verb_after
            and rest[1:] != []
            and (first.text[0].isupper() or rest[1] in _DETERMINERS | {"it", "them"})
        )
        return None if is_sentence else [("you", WEARER)]
    if (
        lower.endswith("ed")
        and len(lower) > 4
        and at + 1 < len(words)
        and after not in ("by", "and")
    ):
        stem = lower[:-2]
        doubled = stem[:-1] if len(stem) > 2 and stem[-1] == stem[-2] else stem
        if any(is_verb(base) for base in (stem, f"{stem}e", doubled, f"{stem[:-1]}y")):
            return [("she", WEARER)]
    if lower in _PAST and after in _AFTER_IMPERATIVE:
        return [("she", WEARER)]
    if lower.endswith("s") and any(is_verb(base) for base in bases_of_s(lower)):
        return [("she", WEARER)] if after in _AFTER_IMPERATIVE or not rest else None
    return None


def base_of_ing(word: str, is_verb: Callable[[str], bool]) -> str | None:
    """Base form of the verb that a word in -ing belongs to; None where there is none."""
    stem = word[:-3]
    doubled = stem[:-1] if len(stem) > 2 and stem[-1] == stem[-2] else stem
    return next((base for base in (stem, f"{stem}e", doubled) if is_verb(base)), None)


def bases_of_s(word: str) -> list[str]:
    """Base forms that a third person singular may belong to."""
    if not word.endswith("s") or word.endswith("ss"):
        return []
    bases = [word[:-1]]
    if word.endswith("es"):
        bases.append(word[:-2])
    if word.endswith("ies"):
        bases.append(f"{word[:-3]}y")
    return bases
