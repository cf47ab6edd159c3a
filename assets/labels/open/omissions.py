"""Words that a narration leaves out and a parser needs: subjects, articles, a verb said once for two hands.

Telegraph style ("put down spoon") and diaries ("opens the door, takes a cup") leave out who acts; a parser
then takes the verb for a noun. A word that is filled in stands at no place: it starts where it ends.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from assets.labels.open.compounds import is_thing
from assets.labels.open.endings import base_of_ing, bases_of_s
from assets.labels.open.english import (
    BEFORE_GERUNDS,
    DETERMINERS,
    LISTS,
    NOT_A_VERB,
    NOT_BARE,
    ORDERS,
    PARTICLES,
    PAST,
    PAST_ALONE,
    PEOPLE,
)
from assets.labels.open.tokens import SAME, WEARER, Token

_OF_STATUS = tuple(
    "start begin stop keep continu finish try attempt pause quit avoid before after by without".split()
)
_AWAY = frozenset("up off out away down".split())
_COLOURS = frozenset("red blue green black white yellow orange brown pink grey gray purple".split())
_OPENERS = frozenset("then next finally now still and but so , also again".split())
_ANIMALS = frozenset("cat dog fish duck horse bird cow goat monkey".split())
_AUXILIARIES = frozenset("ca can could do did wo would".split())
# After "and", these begin a clause even without an object; other words in -s may be things.
_ACTING_ALONE = frozenset(
    "leaves drinks dances sings laughs smiles walks runs sits stands looks turns goes comes stops waves jumps "
    "sneezes coughs eats kneels squats bends exits trips falls steps talks lands waits works bows crouches "
    "leans spins slips hops crawls climbs swims skips rides dives breathes yawns cries shouts nods winks "
    "plays sleeps awakens reaches enters rests watches motions gestures shoots points glances gazes peeks leaps kneels "
    "cheers naps meows barks purrs growls feints applauds grins giggles chuckles sighs hums whistles snores stumbles limps "
    "tiptoes strolls jogs sprints paddles twirls pirouettes curtsies shivers trembles blinks frowns shrugs stares yells screams "
    "sobs weeps prays meditates celebrates hikes surfs sways wobbles hovers hesitates listens chats argues speaks apologises "
    "apologizes departs arrives retreats vanishes disappears collapses relaxes reclines vomits burps gasps gulps rebounds".split()
)
# Verbs whose form in -s is not a thing in the plural: after "and" they begin a clause whatever follows.
_NEVER_THINGS = frozenset(
    "add adjust apply arrange assemble attach awaken bring carry chop clean close collect connect crush "
    "detach discard dip dry empty enter examine fetch fill fix flip fold gather get give grab hang hold "
    "insert inspect install keep knead lay lie lift loosen lower mix move open peel pick pour prepare pull "
    "push put raise reach remove rinse rotate rub scrape scrub separate serve shake shut sort spread "
    "sprinkle squeeze stir straighten take throw tidy tie tighten tilt toss transfer twist unfold unlock "
    "unplug unscrew unwrap wake wash wipe "
    "aim align bake balance beat bend bite bind blend boil bounce breathe buckle bury buy cart catch chase chew choose "
    "circle climb clutch collapse compress crack crawl crease cross crouch crumple dab deal dig dismantle distribute "
    "divide dodge drag dribble drive dump eat erase exchange exhale expand extend fasten feed feel finish flatten flex "
    "flick fling flush force gaze glance glide grate greet grind grip grope guide hit hop hug hurry inflate inhale inject "
    "jerk jog join juggle jump keel kick kiss kneel knit knock lather laugh lead lean leap lick listen load loop march mash "
    "massage measure melt mince moisten mow munch nod nudge obtain operate pass pat pause peek pet pinch pivot poke polish "
    "pound press prod punch quit react read rearrange recline refill relax release repeat replace reposition rest retract "
    "return reverse ride roam roast rub rummage run rush scan scatter scratch scroll seal season secure select sell send set "
    "sew shave shift shoot shove shrug sift signal sip skim slam slap slide slip slot smash smear smell smile smooth "
    "smoothen snap sniff soak spin spit splash split squat squint stab stare stitch stoop stretch strike strip stroke strum "
    "stuff stumble submerge suck swallow swap sway swing swipe switch swivel tear tease text thrust tickle touch trim trot "
    "tuck tug turn type unbutton unbuckle uncap unclip uncork uncover undo undress unfasten unhook unload unpack unroll "
    "untie unwind unzip use vacuum wade walk wave weave weigh whip whirl whisk whisper wiggle wrap wring write yank yawn "
    "yell zip zoom".split()
)
_RESTING = frozenset(
    "park queue sit stand walk run lie land step wait lean jump rest climb".split()
)
_ENDS = frozenset(["bottom", "top", "side", "end"])
_CONNECTING = frozenset(
    "if whether how where why when while until till because once that ready not n't".split()
)
_BEFORE_BARE_NOUNS = frozenset(
    "in on into onto from with at under over inside behind of off against near beside".split()
)
_LIMBS = frozenset("hands arms legs feet fingers eyes palms knees shoulders head".split())
_COOKING = frozenset(
    "fry stir-fry cook steam drain marinate drink eat taste distribute blanch thaw boil simmer soak cool bake roast brown ferment soften".split()
)
# Verbs by their form; in a list, before its end or a place, they are what is listed.
_MATTER = frozenset(["water", "oil", "pepper", "butter", "salt", "flour"])
_AFTER_IMPERATIVE = DETERMINERS | frozenset(
    "of in on into onto from with for at by under over inside through along against behind around "
    "towards toward up down out off away back together apart aside it them him me us to left right "
    "forward backward and then again".split()
)


def with_omitted(words: list[Token], is_verb: Callable[[str], bool]) -> list[Token]:
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
        elif not orders and _follows_a_phrase(words, at, is_verb):
            orders = is_terse = True
            filled.append(Token("you", word.start, word.start, WEARER))
        elif _lacks_owner(words, at):
            filled.append(Token("the", word.start, word.start))
        elif _holds_meanwhile(filled, words, at, is_verb):
            filled.append(Token("is", word.start, word.start))
        elif _takes_turns(words, at):
            filled.append(Token("you", word.start, word.start, SAME))
            filled.append(Token("use", word.start, word.start))
        elif orders and words[at - 1].text.lower() in LISTS and lower.replace("-", "").isalpha():
            inserted = _in_a_list_of_orders(words, at, is_verb)
            if inserted is not None:
                filled.append(inserted)
        elif _lacks_subject(words, at, is_verb):
            filled.append(Token("she", word.start, word.start, SAME))
        elif _goes_on(words, at, is_verb):
            filled.append(Token("I", word.start, word.start, SAME))
        elif _wears_a_colour(words, at):
            filled.append(Token("clothes", word.start, word.start))
        elif _is_listed_gerund(words, at, is_verb) or _lacks_to(words, at):
            filler = "is" if lower.endswith("ing") else "to"
            filled.append(Token(filler, word.start, word.start))
        elif _is_fragment(words, at, is_verb):
            is_terse = True
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
    if before == "," and _resumes(words, at):
        return False
    if before not in ("and", ",", "then", "almost", "but") or not any(
        map(is_verb, bases_of_s(lower))
    ):
        return False
    after = words[at + 1].text.lower() if at + 1 < len(words) else "."
    if after in DETERMINERS or after in ("it", "them", "him", "me", "something"):
        return True
    if any(base in _NEVER_THINGS for base in bases_of_s(lower)):
        return True
    behind = words[at + 2].text.lower() if at + 2 < len(words) else "."
    if after in _AWAY | {"on", "in"} and behind in DETERMINERS | {"it", "them"} and before != ",":
        return True  # "and kicks off the shoes"
    if after.isalpha() and after not in NOT_BARE and any(b in ORDERS for b in bases_of_s(lower)):
        return True  # "grabs phone": no thing in the plural stands before another
    ahead = [word.text.lower() for word in words[at + 2 : at + 5]]
    if before == "and" and after == "with" and {"hand", "hands"} & set(ahead):
        # "Holds the cloth with the left hand and irons with the right hand"
        return any(word.text.lower() in ("hand", "hands") for word in words[:at])
    return lower in _ACTING_ALONE and (after in NOT_A_VERB or after in _AFTER_IMPERATIVE)


def _resumes(words: list[Token], at: int) -> bool:
    """Whether a clause about the hand that acts ends here: "The right hand, holding tweezers, moves the slide"."""
    commas = [place for place in range(at - 2, -1, -1) if words[place].text == ","]
    if not commas or words[commas[0] - 1].text.lower() not in _LIMBS | {"hand", "palm", "foot"}:
        return False
    between = words[commas[0] + 1].text.lower()
    first = commas[0]
    while first > 0 and words[first - 1].text not in (".", ";", ":"):
        first -= 1
    opens = first + 6 > commas[0] and words[first].text.lower() in DETERMINERS | {"c", "both"}
    return opens and (between.endswith("ing") or between in ("which", "that", "now", "still"))


def _follows_a_phrase(words: list[Token], at: int, is_verb: Callable[[str], bool]) -> bool:
    """Whether an order follows a phrase with its comma: "With one hand on the lid, unscrew the cap"."""
    lower = words[at].text.lower()
    if words[at - 1].text != "," or not (lower in ORDERS or is_verb(lower)) or lower.endswith("s"):
        return False
    after = words[at + 1].text.lower() if at + 1 < len(words) else "."
    if after not in DETERMINERS | {"it", "them"} | PARTICLES:
        return False
    first = at - 1
    while first > 0 and words[first - 1].text not in (".", ";", ":"):
        first -= 1
    phrase = words[first : at - 1]
    if not phrase or phrase[0].text.lower() not in ("with", "using", "in", "on", "from"):
        return False
    # Another comma may belong to a list; a verb before this one has a subject of its own.
    return not any(word.text == "," or word.person is not None for word in phrase)


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
        here[1] in DETERMINERS
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
    has_object = after in DETERMINERS or after in ("it", "them")
    behind = words[at + 2].text.lower() if at + 2 < len(words) else "."
    if lower in ORDERS and after in _AWAY and behind in DETERMINERS:
        return True  # "and skim off the foam"
    has_object = has_object or (
        lower in ORDERS and after in PARTICLES | {"into", "onto"} and behind in DETERMINERS
    )
    if lower in _RESTING and after in _BEFORE_BARE_NOUNS:
        has_object = True  # "and park behind the bakery"
    if not has_object and not (lower in ORDERS and after.isalpha() and after not in NOT_BARE):
        return False
    earlier = [word.text.lower() for word in words[max(0, at - 40) : at]]
    while "." in earlier:
        del earlier[: earlier.index(".") + 1]
    infinitive = any(
        word == "to" and is_verb(verb) and verb not in _ENDS for word, verb in pairwise(earlier)
    )
    return bool({"i", "we"} & set(earlier)) and not infinitive and lower not in NOT_BARE


def _is_listed_gerund(words: list[Token], at: int, is_verb: Callable[[str], bool]) -> bool:
    """Whether a word in -ing goes on with a list and would be taken for a noun: "eating and drinking coffee"."""
    lower = words[at].text.lower()
    if at < 3 or words[at - 1].text.lower() != "and" or not lower.endswith("ing"):
        return False
    after = words[at + 1].text.lower() if at + 1 < len(words) else "."
    if (
        not after.isalpha()
        or after in NOT_BARE
        or words[at].prefix
        or not base_of_ing(lower, is_verb)
    ):
        return False
    earlier = [word.text.lower() for word in words[max(0, at - 12) : at - 1]]
    if any(word.startswith(_OF_STATUS) for word in earlier) or "." in earlier:
        return False
    return any(
        word.endswith("ing") and len(word) > 4 and base_of_ing(word, is_verb) for word in earlier
    ) and bool({"is", "are", "was", "were"} & set(earlier))


def _wears_a_colour(words: list[Token], at: int) -> bool:
    """Whether a person is named by a colour and the verb follows: "the player in red catches the ball"."""
    return (
        at > 2
        and words[at - 1].text.lower() in _COLOURS
        and words[at - 2].text.lower() == "in"
        and words[at - 3].text.lower() in PEOPLE
        and (words[at].text.lower().endswith("s") or words[at].text.lower() in NOT_BARE)
    )


def _lacks_to(words: list[Token], at: int) -> bool:
    """Whether an order goes on with a bare verb: "continue pour water"."""
    opens = at == 1 or words[at - 2].text.lower() in (".", ",", "and", ";")
    return opens and words[at - 1].text.lower() == "continue" and words[at].text.lower() in ORDERS


def _is_fragment(words: list[Token], at: int, is_verb: Callable[[str], bool]) -> bool:
    """Whether a sentence is a person and a participle: "Person sweeping floor"."""
    opens = at == 1 or (at > 1 and words[at - 2].text in (".", ";"))
    lower = words[at].text.lower()
    is_person = words[at - 1].person is None and words[at - 1].text.lower() in PEOPLE
    return opens and is_person and lower.endswith("ing") and bool(base_of_ing(lower, is_verb))


def _lacks_article(
    before: list[Token], words: list[Token], at: int, is_verb: Callable[[str], bool]
) -> bool:
    """Whether a bare noun begins behind a verb, its particle or a preposition."""
    word = words[at]
    lower, last = word.text.lower(), before[-1].text.lower()
    if word.person is not None or not lower.replace("-", "").isalpha():
        return False
    behind = words[at + 1].text.lower() if at + 1 < len(words) else "."
    if last == "to" and lower in ("left", "right") and behind.isalpha() and behind not in NOT_BARE:
        return True  # "moves pan to left hob"
    if lower in NOT_BARE or lower in _CONNECTING:
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
        and before[-2].text.lower() in BEFORE_GERUNDS
    )
    after = words[at + 1].text.lower() if at + 1 < len(words) else "."
    means = all(map(is_verb, lower.split("-"))) and not is_thing(lower)
    is_brought = any(w.text.lower().startswith("bring") for w in words[max(0, at - 5) : at])
    if (
        last == "to"
        and means
        and not is_brought
        and (after in PARTICLES | {"it", "them"} or lower in _COOKING)
    ):
        return False  # "uses a straw to suck up", "puts it into the pan to fry"
    if last == "to":
        return lower not in ORDERS and (
            at + 1 == len(words)
            or words[at + 1].text.lower() in (NOT_BARE - DETERMINERS) | {"using"}
        )
    follows_verb = (
        len(before) > 1 and before[-2].start == before[-2].end and before[-2].text == "you"
    )
    follows_particle = (
        last in PARTICLES
        and len(before) > 2
        and before[-3].text == "you"
        and before[-3].start == before[-3].end
    )
    follows_infinitive = len(before) > 1 and before[-2].text.lower() == "to" and is_verb(last)
    if follows_infinitive and last in ORDERS:
        return True
    return follows_verb or follows_gerund or follows_particle or last in _BEFORE_BARE_NOUNS


def _in_a_list_of_orders(
    words: list[Token], at: int, is_verb: Callable[[str], bool]
) -> Token | None:
    """What telegraph style leaves out behind a comma or an `and`: the subject of a verb, or an article."""
    word = words[at]
    lower = word.text.lower()
    after = words[at + 1].text.lower() if at + 1 < len(words) else "."
    if lower in DETERMINERS or lower in NOT_A_VERB or word.person is not None:
        return None
    if at > 2 and words[at - 3].text.lower() == "to" and lower in ORDERS:
        return None  # "to flip and stir the egg" is one purpose
    has_article = after in DETERMINERS - {"that"} or after in ("it", "them")
    is_water = lower == "water" and is_thing(after) and after != "plant"
    if is_water or (lower in _MATTER and after in NOT_A_VERB | {"until"}):
        return Token("the", word.start, word.start)
    if is_verb(lower) and after == "from" and not (is_thing(lower) or lower.endswith("s")):
        return Token("you", word.start, word.start, WEARER)
    behind = words[at + 2].text.lower() if at + 2 < len(words) else "."
    # "Break up the lumps"
    has_article = has_article or (after in _AWAY and behind in DETERMINERS)
    # "Pour tea into it and drink": what follows a pronoun is not a second thing.
    ends = after in (".", ";") and words[at - 2].text.lower() in ("it", "them")
    # What stands before a pronoun is no thing: "zest the lemon, juice it".
    is_order = lower in ORDERS or after in ("it", "them")
    if is_order or ((has_article or ends) and is_verb(lower)):
        return Token("you", word.start, word.start, WEARER)
    if lower in ("then", "also", "again") or lower.endswith(("ing", "ly")):
        return None
    if lower.endswith("ed") and len(lower) > 4:
        return None
    # "Put knife and fork in sink": a fork and no forking.
    return None if lower in NOT_BARE else Token("the", word.start, word.start)


def _missing_subject(
    words: list[Token], at: int, is_verb: Callable[[str], bool]
) -> list[tuple[str, str | None]] | None:
    """Words to put before a sentence that opens with a verb; None where it has a subject."""
    first = words[at]
    lower = first.text.lower()
    if first.person is not None or lower in DETERMINERS or lower in PEOPLE:
        return None
    if lower in ("left", "right") and words[at + 1 : at + 2] and words[at + 1].text == "hand":
        return None  # "right hand on the wheel"
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
    if lower in PAST_ALONE and after in _AFTER_IMPERATIVE:
        return [("she", WEARER)]
    if all(is_verb(part) for part in lower.split("-")):
        # "Water boils." is a sentence of noun and verb, "water plants" an order in telegraph style.
        has_verb_after = after not in _AFTER_IMPERATIVE | _LIMBS and any(
            is_verb(base) for base in bases_of_s(after)
        )
        is_sentence = (
            has_verb_after
            and rest[1:] != []
            and (first.text[0].isupper() or rest[1] in DETERMINERS | {"it", "them"})
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
    if lower in PAST and after in _AFTER_IMPERATIVE:
        return [("she", WEARER)]
    if lower.endswith("s") and any(is_verb(base) for base in bases_of_s(lower)):
        return [("she", WEARER)] if after in _AFTER_IMPERATIVE or not rest else None
    return None
