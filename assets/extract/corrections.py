"""What a reply says after it takes something back, and what prose behind an answer in a field or a tag makes of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assets.extract.commitments import committed
from assets.extract.declarations import (
    as_letter,
    last_declaration,
    letters_in,
    mentions,
    ruled_out_in,
)
from assets.extract.doubts import (
    ASIDE,
    CHECKS,
    CONTRAST,
    CORRECTION,
    OUTRIGHT,
    SECOND_LOOK,
    TAKEN_BACK,
    is_unfinished,
    stops_short,
)
from assets.extract.labels import LABEL_START, read_label
from assets.extract.letter_readings import TOKEN, Reading, bare_letter, declared
from assets.extract.open_ends import open_end
from assets.extract.option_mentions import mark_mentions
from assets.extract.option_texts import mark_texts, named_alone, normal

_TOKEN_THEN = re.compile(r"[\uE000-\uE019](?=\s+(?:then|it is|after all)\b)")
# "No. A stapler? One ...": what is asked about is no answer.
_TOKEN_FIRST = re.compile(r"[\uE000-\uE019](?!\s*\?)")
# "Cに訂正します"
_TURNED_INTO = re.compile(
    r"(?<![A-Za-z])([A-Z\uE000-\uE019])[)\"']*\s*(?:の[^.,。、]{1,10})?(?:に|へ|로|으로)\s*$"
)
# "Let me reconsider D": what is looked at once more, and not the answer.
_LOOKS_AGAIN = re.compile(r"\b(?:let me|let's) re-?\w+$", re.IGNORECASE)
# What stands before an answer that is given first and explained afterwards.
_HEADED = re.compile(
    r"\W*(?:[\w' ]{0,40}(?:answer|option|choice|prediction)[\w' ]{0,12}\W*)?$", re.IGNORECASE
)
# "I withdraw B and won't pick anything else."
_WITHDRAWS = re.compile(r"\b(?:withdraw|retract|disregard|forget|ignore)\W*$", re.IGNORECASE)
_WHAT_IS_WITHDRAWN = re.compile(
    r"(?:(?:my|the|that|this) )?(?:(?:answer|option|choice) )?[(\"']?[A-Z\uE000-\uE019](?![\w'])[)\"']?"
)
# What may stand before a letter that is all that follows: "no, la D".
_ARTICLES = re.compile(
    r"^(?:(?:(?:il )?(?:s'agit de|es|c'est|é|è|it's|it is|es ist) )?(?:doch|lieber|mejor|plutôt|mieux|l'|la|el|le|il|a|o|die|das|der|the|option|opción|opção|opzione|(?:my )?answer(?: to)?|ответ(?: на)?|на|odpowiedź(?: na)?|svaret(?: till| til)?|video|选项|选|是|应该是)\s*)+(?=\W*[A-Z]\b)",
    re.IGNORECASE,
)
# Words of correction that are looked at, the last ones: a reply with more is not one train of thought.
_MARKERS = 6


def corrected(
    text: str, marked: str, letters: Sequence[str], texts: Sequence[str]
) -> Reading | None:
    """What a reply says after it takes something back.

    What follows the last word of correction counts if it commits to an option. If it does not but names
    one other option alone after an outright retraction, that one counts; if it rules out what was said
    before, or names several, nothing does.
    """
    markers = CORRECTION.matches(marked)[-_MARKERS:]
    if not markers:
        return None
    cut = stops_short(text)
    for marker in reversed(markers):
        head, tail = marked[: marker.start()], marked[marker.end() :].strip(" ,.:;!-–—\n")
        if _WITHDRAWS.search(marker[0]) and (what := _WHAT_IS_WITHDRAWN.match(tail)) is not None:
            tail = tail[what.end() :].strip(" ,.:;!-–—\n")
        figure = _figure(head, tail, letters, texts)
        if figure is not None:
            return Reading(figure, "parsed", "corrected_text_alone")
        if not (letters_in(head, letters) or TOKEN.search(head)):
            break
        if into := _TURNED_INTO.search(head):
            return Reading(as_letter(into[1]), "parsed", "corrected_into")
        if not tail:
            continue
        bare = _ARTICLES.sub("", tail)
        letter = bare_letter(bare, letters) or declared(tail, letters)
        token = _TOKEN_THEN.search(tail) or _TOKEN_FIRST.match(tail)
        taken = _last_named(head, letters)
        if token is not None and as_letter(token[0]) == taken and len(set(TOKEN.findall(tail))) > 1:
            token = None  # "The green one. Scratch that, green goes to the side, and ..."
        if letter is None and token is not None:
            letter = Reading(as_letter(token[0]), "parsed", "text")
        looks = _LOOKS_AGAIN.search(marker[0]) is not None
        start = None if looks else LABEL_START.match(bare)
        if letter is None and start is not None and start[1].upper() in letters:
            letter = read_label(bare, letters, ())
        if letter is None and not cut and not CHECKS.found_in(tail):
            letter = commitment(tail, letters, texts)
            if letter is not None and taken == letter.letter != _last_named(tail, letters):
                # "Player C. Sorry, player C is the next one; the pass goes to player B."
                letter = None
        if letter is None and not cut and texts:
            letter = _counted(tail, letters, texts)
        if letter is not None:
            return Reading(letter.letter, letter.status, f"corrected_{letter.rule}")
        ruled_out = ruled_out_in(tail, letters)
        if TAKEN_BACK.match(marker[0].strip(" .!?;…-–—\n")) or ruled_out:
            named = set(mentions(tail, letters)) | {as_letter(t) for t in TOKEN.findall(tail)}
            named -= ruled_out
            if len(named) > 1:
                named.discard(taken)
            if len(named) == 1 and not cut and not CHECKS.found_in(tail):
                return Reading(named.pop(), "parsed", "corrected_only_mention")
            if named or ruled_out:
                whole = None if cut else commitment(text, letters, texts)
                settled = (
                    whole is not None and whole.rule == "stance_chosen" and whole.letter in named
                )
                return (
                    whole
                    if settled
                    else Reading(None, "truncated" if cut else "ambiguous", "taken_back")
                )
    return _left_open(marked, markers, letters, cut=cut) or _doubted_in_words(
        marked, markers[-1], letters, texts
    )


def _last_named(text: str, letters: Sequence[str]) -> str:
    """Letter of the option that a text names last; empty if it names none."""
    found = _NAMED.findall(text)
    return next((one for one in map(as_letter, reversed(found)) if one in letters), "")


_NAMED = re.compile(r"[\uE000-\uE019]|(?<![A-Za-z0-9'])[A-Z](?![A-Za-z0-9'])")
_CLAUSE_END = re.compile(r"[.!?;,:\n]|\s[-–—(]")


def _figure(head: str, tail: str, letters: Sequence[str], texts: Sequence[str]) -> str | None:
    """Option that a correction goes on to, where the options are figures or numbers ("2... no, 3", "once... no, twice")."""
    if not texts or not all(_COUNT.fullmatch(one.strip(" .")) for one in texts):
        return None
    before = _CLAUSE_END.split(head.rstrip(" .,;:…!?-–—\n"))[-1].split()
    # "4 cups": the figure, and what it counts.
    after = _CLAUSE_END.split(tail)[0].split()
    if not before or not after or len(after) > _FEW_WORDS or not _COUNT.fullmatch(before[-1]):
        return None
    reading = named_alone(_times(after[0]), letters, texts)
    return reading.letter if reading is not None and reading.rule == "text_alone" else None


_FEW_WORDS = 3


def _counted(tail: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """Option whose number is what the last clause of a correction comes to, where each option has a number of its own."""
    numbers = [_NUMBER.findall(normal(one)) for one in texts]
    values = [one[0] for one in numbers if len(one) == 1]
    if len(values) < len(texts) or len(set(values)) < len(values):
        return None
    tail = _THEN_AT_END.sub("", tail)
    clauses = [one for one in _CLAUSES.split(tail) if any(map(str.isalnum, one))]
    for clause in clauses[-1:] + clauses[:1]:
        found = _COMES_TO.fullmatch(normal(clause.rpartition("=")[2]).strip(" .!"))
        if found is not None and found["number"] in values:
            return Reading(letters[values.index(found["number"])], "parsed", "counted")
    return None


_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_THEN_AT_END = re.compile(
    r",?\s+(?:then|after all|in total|in all|altogether)(?=[.!]?\s*$)", re.IGNORECASE
)
_CLAUSES = re.compile(r"[.;!?:\n]\s|,\s|\s[-–—]\s|[。，；]")
# "It's two", "there are three of them", once words for numbers are figures.
_COMES_TO = re.compile(
    r"(?:(?:so|and|then|thus|hence|now|which|in fact|with it|with that|that way) )*(?:it's|it is|they are|they're|that's|that is|this is|we have|we get|we are at|(?:that|this|which) makes(?: it)?|makes(?: it)?|make(?: it)?|gives|(?:the )?(?:total|count|number|sum|answer) (?:is|becomes)"
    r"|there (?:are|is|were|was)|i count|i get|i see|i have|in total|altogether|all in all)?(?: (?:only|just|exactly|really|actually|in fact|a total of))* ?(?P<number>\d+(?:\.\d+)?)(?: (?!or\b|and\b|not\b)[a-z]+){0,3}"
)


# How often something happens, as an option: "3", "two", "twice", "3 times".
_COUNT = re.compile(
    r"(?:\d{1,3}|zero|one|two|three|four|five|six|seven|eight|nine|ten|once|twice)(?: times?)?",
    re.IGNORECASE,
)


def _times(text: str) -> str:
    return {"once": "1", "twice": "2", "thrice": "3"}.get(text.strip().lower(), text)


_OPENS = re.compile(r"(?:^|[.!?;:,…—–\n-])\s*$")


def _opens_clause(head: str, marker: re.Match[str]) -> bool:
    """Whether a word of correction opens a clause, behind what stands before it."""
    return _OPENS.search(head) is not None or marker[0][0] in ".!?;…\n"


def _left_open(
    marked: str, markers: Sequence[re.Match[str]], letters: Sequence[str], *, cut: bool
) -> Reading | None:
    """Whether an outright retraction, or a doubt that names another option, is left standing.

    What stood before it is then no answer, and nothing behind it was read as one.
    """
    for marker in reversed(markers):
        head, tail = marked[: marker.start()], marked[marker.end() :]
        before = letters_in(head, letters) | {as_letter(t) for t in TOKEN.findall(head)}
        if not before:
            break
        named = set(mentions(tail, letters)) | {as_letter(t) for t in TOKEN.findall(tail)}
        last = last_declaration(head)
        kept = last.letter if last is not None else head.strip()[:1]
        outright = bool(OUTRIGHT.match(marked, marker.start()))
        doubted = _opens_clause(head, marker) and (cut or bool(named - before))
        if (outright and kept not in named) or doubted:
            return Reading(None, "truncated" if cut else "ambiguous", "taken_back")
    return None


def _doubted_in_words(
    marked: str, marker: re.Match[str], letters: Sequence[str], texts: Sequence[str]
) -> Reading | None:
    """Whether what follows the last word of correction names no option, and has words of another one than the one before."""
    head, tail = marked[: marker.start()], marked[marker.end() :]
    kept = _last_named(head, letters)
    if not texts or not kept or not _opens_clause(head, marker):
        return None
    if letters_in(tail, letters) or TOKEN.search(tail):
        return None
    behind = set(_LONG_WORD.findall(tail.lower()))
    own = [set(_LONG_WORD.findall(one.lower())) for one in texts]
    named = {
        letter
        for letter, words in zip(letters, own, strict=True)
        if any(word in behind and sum(word in others for others in own) == 1 for word in words)
    }
    return Reading(None, "ambiguous", "doubted_in_words") if named - {kept} else None


_LONG_WORD = re.compile(r"[^\W\d_]{4,}")


def withdrawn_at_a_cut(text: str) -> Reading | None:
    """A declaration within reasoning that turns against it and stops within a sentence."""
    if not is_unfinished(text) or (found := last_declaration(text)) is None:
        return None
    head, tail = text[: found.start], text[found.start :]
    first = not re.search(r"[.!?\n]\s", head.strip()) and not found.hedged and _HEADED.match(head)
    turned = CONTRAST.found_in(tail)
    first = first and not SECOND_LOOK.found_in(tail)
    if not turned or first or not re.search(r"[.!?;\n]", tail):
        return None
    return Reading(None, "truncated", "withdrawn_at_a_cut")


def commitment(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """The option that a part of a reply chooses or names alone."""
    found = committed(mark_mentions(text, letters, texts), letters)
    chosen = (
        found is not None
        and found.letter is not None
        and found.rule in ("stance_chosen", "stance_stated", "stance_alone")
    )
    return Reading(found.letter, "parsed", found.rule) if chosen and found is not None else None


# A tag behind the answer: its name says what it holds.
_TAG = re.compile(r"<(/?)([A-Za-z]\w{1,20})>")


def _name(tag: re.Match[str]) -> str:
    return " " if tag[1] else f" {tag[2].replace('_', ' ')}: "


def after_answer(
    letter: str | None, tail: str, letters: Sequence[str], texts: Sequence[str]
) -> Reading | None:
    """What prose behind an answer in a field or a tag makes of it; None where it lets it stand.

    Prose that corrects it counts; prose that chooses another option without a word of correction leaves two answers.
    """
    if not any(c.isalpha() for c in tail):
        return None
    tail = ASIDE.sub(" ", _TAG.sub(_name, tail)).strip() or tail
    text = f"({letter or letters[0]}) {tail}"
    if open_end(tail, letters, texts) is not None and letters_in(tail, letters):
        return Reading(None, "ambiguous", "left_open")
    later = corrected(text, mark_texts(text, letters, texts), letters, texts)
    if letter is None:
        # "{"answer": null} That is left over from before the frames had loaded: D."
        return later or declared(tail, letters)
    if later is not None:
        return later
    said = declared(tail, letters) or commitment(tail, letters, texts)
    if said is None or said.letter in (None, letter):
        return None
    return Reading(None, "ambiguous", "contradicted")
