"""Which option the sentences of a reply choose, once lists, fields and verdicts of single options are read."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assets.extract.commitments import committed
from assets.extract.corrections import corrected, withdrawn_at_a_cut
from assets.extract.declarations import (
    as_letter,
    last_declaration,
    letters_in,
    mentions,
    ruled_out_after,
    ruled_out_before,
)
from assets.extract.declining import option_that_declines, refusal
from assets.extract.doubts import (
    ASIDE,
    CONTRAST,
    CORRECTION,
    OFFER,
    breaks_off,
    is_unfinished,
    stops_short,
)
from assets.extract.guarded import Guarded
from assets.extract.labels import opening_label
from assets.extract.last_words import left_over
from assets.extract.letter_readings import TOKEN, Reading, declared, from_verdict
from assets.extract.open_ends import open_end
from assets.extract.option_contents import described
from assets.extract.option_mentions import ONE_OPTION, mark_mentions, option_of
from assets.extract.option_texts import (
    chosen_by_place,
    mark_texts,
    named_alone,
    named_as_total,
    named_by_clock,
    named_by_direction,
    named_by_numbers,
    named_in_sentence,
    named_inflected,
    named_inside,
)
from assets.extract.option_words_abroad import named_abroad
from assets.extract.refusals import is_refusal
from assets.extract.stances import Stance, is_narrated, letters_of, stances_in
from assets.extract.verdicts import read_verdicts

_OPTION = re.compile(ONE_OPTION)
_LAST_TEXT = re.compile(
    r"\b(?:is|was|be|are|'s)\s+(?:in fact |really |probably |clearly |indeed )?(?P<text>[\uE000-\uE019])\W*$"
)
_SECOND_SENTENCE = re.compile(r"[.!?]\s+[A-Z\u3040-\u9fff\uac00-\ud7af]")
_LATTER = Guarded(
    r"\b(?:the )?(?:latter|(?P<former>former))\b|[后後]者|(?P<before>前者)|후자|(?P<earlier>전자)"
)
_TOO = Guarded(
    r"\b(?:too|as well)(?=\s*(?:[.,;!]|$))|\balso (?:fits|correct|right|matches|likely)\b|\bso (?:is|does)\b|也|も|도",
    re.IGNORECASE,
)
_OR = Guarded(r"\b(?:or|alternatively)\b|或者|または|또는", re.IGNORECASE)


def read_prose(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """The option that the sentences of a reply choose, or why they choose none; asides and offers are left out."""
    text = ASIDE.sub(" ", text).strip() or text
    text = OFFER.sub("", text).strip() or text
    undecided = open_end(text, letters, texts)
    if undecided is not None:
        return undecided
    kept = _KEEPS_FIRST.search(text)
    first = None if kept is None else declared(text[: kept.start()].split(".")[0], letters)
    if first is not None and first.letter is not None:
        return Reading(first.letter, "parsed", "keeps_first")
    last = _LAST_LEANING.search(text)
    if last is not None and last["letter"] in letters:
        return Reading(last["letter"], "parsed", "leaning_last")
    return _upheld(_found_in(text, letters, texts), text, letters, texts)


# "So I stand by my first choice."
_KEEPS_FIRST = Guarded(
    r"\b(?:stand by|stick (?:with|to)|keep|stay with|remain with|confirms?) my (?:first|initial|original|earlier) (?:choice|answer|guess|pick|idea|thought)\b[^.!?\n]{0,20}[.!]?\s*$",
    re.IGNORECASE,
)
# "B is possible as well, but I'd lean towards A.", at the end.
_LAST_LEANING = Guarded(
    r"(?:\bbut|\byet|\bthough|\baber|\bно|\bpero|\bmais|\bmas|\bma|\bmaar)(?: still|,)? (?:(?:i'd|i would|i|on balance i'd) (?:rather |still )?(?:lean (?:more )?(?:to(?:wards?)?|toward) |go (?:with|for) )"
    r"|(?:скорее всего|вероятнее всего|más bien|plutôt|eher|wahrscheinlich|piuttosto|mais provável|waarschijnlijk)(?: это)? )(?:option )?\(?(?P<letter>[A-Z])\)?(?=\W*$|[:,;] )",
    re.IGNORECASE,
)
_DIALOGUE = re.compile(r"^\s*Q\s*[:.]", re.MULTILINE)
_MAY_FAIL = re.compile(
    r"\b(?:not|no|nor|or|and|both|if|whether|doubt|least|worst|less|let|look\w*|start\w*|consider|check\w*|about|include\w*|mean|suppos\w+|assum\w+|would|were|too|also|but|said|says?|thinks?|chose|suggests?|wrong|incorrect|need|tempt\w+|unlikely|rule[sd]?|ruling|exclud\w*"
    r"|o|y|ou|et|oder|und|ni|como|nicht|pas|falsch|fausse|incorrect\w*|si|wäre|descart\w+|exclus|scheidet)\b|n't\b|[?/&、,]|[^\x00-\x7f]",
    re.IGNORECASE,
)


def _upheld(
    found: Reading | None, text: str, letters: Sequence[str], texts: Sequence[str]
) -> Reading | None:
    """A letter, unless the statements that name its option ask, suppose or deny it, or name another one with it."""
    if found is None or found.letter is None:
        return found
    if found.rule != "is_right" and "," not in text and not _MAY_FAIL.search(text):
        return found
    if found.rule.startswith(
        (
            "corrected_",
            "latter",
            "first_ranked",
            "stance_left",
            "stance_elimination",
            "stance_other_of_two",
        )
    ) or found.rule.endswith("_left"):
        return found
    marked = mark_mentions(text, letters, texts)
    stances = stances_in(marked)
    own = [one for one in stances if found.letter in one.options]
    if not own:
        return found
    last_own = own[-1]
    if (
        last_own.ends
        and last_own.concludes
        and last_own.kind == "chosen"
        and last_own.options == (found.letter,)
    ):
        return found  # "..., the answer is B.", at the end
    denied = all(one.kind in ("ruled_out", "supposed", "asked") for one in own)
    together = all(len(one.options) > 1 and one.kind != "ruled_out" for one in own)
    # "It could be A. It could also be B."
    rivals = letters_of(stances, "leaning") - {found.letter} - letters_of(stances, "ruled_out")
    equal = bool(rivals) and all(one.kind in ("leaning", "mentioned") for one in own)
    # "A is correct, and B is correct too."
    unturned = found.rule == "is_right" and not CONTRAST.found_in(text)
    stated = found.rule != "label" and (unturned or _TOO.found_in(text))
    common = committed(marked, letters) if stated else None
    equal = equal or (common is not None and common.rule == "stance_several")
    # "So A. ... However, A isn't right. He drops it."
    dialogue = _DIALOGUE.search(text) is not None  # its "A:" stands for "answer"
    dropped = last_own.kind == "ruled_out" and own[0].kind in ("chosen", "stated")
    overtaken = (dropped and stances[-1] is not last_own) or (
        not dialogue and _overtaken(found.letter, stances)
    )
    if denied or overtaken:
        # The caption says that it is C, which misleads: the bowl points to A.
        instead = committed(marked, letters)
        if (
            instead is not None
            and instead.letter not in (None, found.letter)
            and instead.rule in ("stance_chosen", "stance_stated", "stance_alone")
        ):
            return Reading(instead.letter, "parsed", f"{instead.rule}_instead")
    if denied or together or equal or overtaken:
        return Reading(None, "ambiguous", f"{found.rule}_not_upheld")
    return found


def _overtaken(letter: str, stances: Sequence[Stance]) -> bool:
    """Whether the last choice of the reply is another option, concluded or corrected to ("B. Moment, ... damit ist C richtig")."""
    last = next((one for one in reversed(stances) if one.kind == "chosen"), None)
    if last is None or letter in last.options:
        return False
    kept = any(one.kind == "chosen" for one in stances if letter in one.options)
    if not (last.concludes or last.corrects or (last.ends and not kept)):
        return False
    later = stances[stances.index(last) + 1 :]
    return not any(
        (letter in one.options and one.kind != "ruled_out") or set(one.options) & set(last.options)
        for one in later
    )


def _found_in(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    marked = mark_texts(text, letters, texts)
    return (
        corrected(text, marked, letters, texts)
        or withdrawn_at_a_cut(text)
        or (withdrawn_at_a_cut(marked) if marked != text else None)
        or _unless_or(_agreeing(declared(text, letters), marked), text, letters, texts)
        or from_verdict(chosen_by_place(text, letters))
        or _latter(marked, letters)
        or opening_label(text, letters, texts)
        or _opening_text(marked)
        or (_declared_text(marked, letters) if marked != text else None)
        or _quoted(text, letters, texts)
        or _by_stance(text, letters, texts)
        or option_that_declines(text, letters, texts)
        or refusal(text, letters, texts)
        or _weak(text, marked, letters, texts)
    )


# "I settle on 'coils'."
_QUOTED = Guarded(
    r"\b(?:settle on|go(?:ing)? (?:with|for)|choose|pick|select|opt for|answer is|answer with)\s+[\"'](?P<text>[^\"'\n]{2,60})[\"'](?=\W*(?:$|[.,;]|because|since|as\b))",
    re.IGNORECASE,
)


def _quoted(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """The option that a reply chooses by words of its text in quotation marks."""
    found = _QUOTED.matches(text) if texts else []
    if not found or ruled_out_before(text, found[-1].start()):
        return None
    return from_verdict(named_alone(found[-1]["text"], letters, texts))


def _by_stance(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """What the statements of a reply come to, however they name the options; a reply that breaks off has not come to it."""
    if breaks_off(text) or (is_unfinished(text) and CONTRAST.found_in(text)):
        return None
    marked = mark_mentions(text, letters, texts)
    if "<" in marked or ">" in marked or "%" in marked:
        ranked = read_verdicts(_OPTION.sub(lambda found: option_of(found[0]), marked), letters)
        if ranked is not None:
            return from_verdict(ranked)
    found = committed(marked, letters)
    declines = found is not None and found.rule == "stance_elimination" and is_refusal(text)
    return (
        None
        if found is None or found.letter is None or declines
        else Reading(found.letter, "parsed", found.rule)
    )


def _latter(marked: str, letters: Sequence[str]) -> Reading | None:
    """The latter of two, or the former ("Between A and B, I take the latter"), where exactly two options stand before."""
    match = _LATTER.search(marked)
    if match is None:
        return None
    head = marked[: match.start()]
    head = head[head.lower().rfind("between ") :] if "between " in head.lower() else head
    named = list(
        dict.fromkeys(
            [as_letter(token) for token in TOKEN.findall(head)] or list(mentions(head, letters))
        )
    )
    if len(named) != 2 or ruled_out_after(marked, match.end()):
        return None
    return Reading(
        named[0 if match["former"] or match["before"] or match["earlier"] else 1],
        "parsed",
        "latter",
    )


def _weak(text: str, marked: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """What is only named or left over; a text that stops within a sentence had not come to its end."""
    ended = _SECOND_SENTENCE.search(text)
    doubted = stops_short(text) and CONTRAST.found_in(text)
    if doubted or (is_unfinished(text) and (breaks_off(text) or ended)):
        return Reading(None, "truncated", "cut_off")
    left = left_over(text, letters, texts)
    if left is not None:
        return Reading(left, "parsed", "left_over")
    total = None if letters_in(text, letters) else named_as_total(text, letters, texts)
    return (
        from_verdict(total)
        or _option_text(text, letters, texts)
        or _by_words(text, letters, texts)
        or _mention(text, marked, letters)
    )


def _declared_text(marked: str, letters: Sequence[str]) -> Reading | None:
    """The last declaration of an option by its text."""
    found = declared(marked, letters)
    if found is not None and found.rule == "last_sentence" and _listed(marked):
        found = None
    if (
        found is not None
        and found.status == "ambiguous"
        and {as_letter(token) for token in TOKEN.findall(marked)} == set(letters)
        and is_refusal(marked)
    ):
        return None  # "I cannot tell whether it is a dog, a cat or a rabbit."
    last = None if found is None else last_declaration(marked)
    if last is not None and is_narrated(marked[: last.start]):
        found = None
    if found is None:
        text = _LAST_TEXT.search(marked)
        if text is not None:
            found = Reading(as_letter(text["text"]), "parsed", "is_text")
    return None if found is None else Reading(found.letter, found.status, f"text_{found.rule}")


# "Lane 3, touching the wall ahead of the swimmer in lane 4."
_OPENS_WITH_TEXT = re.compile(
    r"^\W{0,3}(?:(?:in|on|at|with|by|to) )?(?:the |an? )?(?P<text>[\uE000-\uE019])[\"'*)]{0,3}\s*(?:,|\s[-–—])\s+(?:\w+ing|which|because|since|as|where|ahead|right|just|with|who)\b[^\n]*$"
)
_SENTENCE_ENDS = re.compile(r"[.!?](?=\s|$)")


def _opening_text(marked: str) -> Reading | None:
    """The option whose text opens a reply of one sentence that then describes it."""
    option = _OPENS_WITH_TEXT.match(marked)
    if option is None or CORRECTION.found_in(marked) or CONTRAST.found_in(marked):
        return None
    one_sentence = len(_SENTENCE_ENDS.findall(marked.strip())) <= 1
    return Reading(as_letter(option["text"]), "parsed", "opening_text") if one_sentence else None


def _listed(marked: str) -> bool:
    """Whether other options are named in the same way, each in a clause of its own or one by one."""
    tokens = TOKEN.findall(marked)
    alike = re.findall(r"(?:^|[:：.\n])\s*(?:[-•\d.)]+\s*)?([\uE000-\uE019])(?!\s*[?!])", marked)
    return len(set(alike)) > 1 or (len(set(tokens)) > 2 and marked.rstrip()[-1] not in ".!)\"'")


# A letter, and an option's text right behind it.
_TEXT_BEHIND = re.compile(
    r"(?<![A-Za-z0-9])([A-Z])\)?\s?[,:.(–—-]\s*(?:the\s+|i\.e\.,?\s+|that is,?\s+|namely\s+)?(?P<text>[\uE000-\uE019])(?=\W*(?:[.\n]|$))"
)


def _agreeing(found: Reading | None, marked: str) -> Reading | None:
    """A declared letter, unless the text of another option stands right behind it."""
    if found is None or found.letter is None:
        return found
    behind = next((one for one in _TEXT_BEHIND.finditer(marked) if one[1] == found.letter), None)
    if behind is not None and as_letter(behind["text"]) != found.letter:
        return Reading(None, "ambiguous", "letter_and_text_differ")
    return found


_OR_ELSE = re.compile(
    rf"(?:^|[.!?;,]\s*|\s)(?:or|alternatively|或者|または|또는)(?: maybe| perhaps| possibly| even| else| it (?:could|might|may) be| is it)*,?\s*(?P<other>{ONE_OPTION})\W*$",
    re.IGNORECASE,
)


# "It's B, and not A, C or D."
_NOR = re.compile(r"\b(?:not|neither|nor|than|instead of)\b[^.;!?]*$", re.IGNORECASE)


def _unless_or(
    found: Reading | None, text: str, letters: Sequence[str], texts: Sequence[str]
) -> Reading | None:
    """A declared letter, unless the reply ends with another one that it might be ("It's A. Or maybe B.")."""
    if found is None or found.letter is None:
        return found
    other = (
        _OR_ELSE.search(mark_mentions(text[-80:], letters, texts))
        if _OR.found_in(text[-80:])
        else None
    )
    if (
        other is not None
        and option_of(other["other"]) != found.letter
        and not _NOR.search(text[-80:])
    ):
        return Reading(None, "ambiguous", f"{found.rule}_or")
    return found


# "The bottle (C) is never touched.": the answer to a question for what does not happen, and all that the reply says.
_NEVER = re.compile(
    rf"[^.!?\n{ONE_OPTION[1:-1]}]{{0,60}}{ONE_OPTION}\W{{0,3}}(?:is|are|was|were|has been|gets|got)? ?never (?:been )?(?!the\b|an?\b|correct|right|true|mentioned|an? option)\w+[^.!?\n{ONE_OPTION[1:-1]}]{{0,60}}[.!]?"
)


def _mention(text: str, marked: str, letters: Sequence[str]) -> Reading | None:
    """The only letter that is mentioned and not ruled out, where no other option's text stands."""
    found: set[str] = set()
    for letter in mentions(text, letters):
        found.add(letter)
        if len(found) > 1:
            return Reading(None, "ambiguous", "several_mentions")
    texts = {as_letter(token) for token in TOKEN.findall(marked)}
    lettered = mark_mentions(text, letters, ())
    stances = stances_in(lettered)
    if len(found) == 1 and _NEVER.fullmatch(lettered) and texts <= found:
        return Reading(found.pop(), "parsed", "only_never")
    if len(found) == 1 and not _is_single(found, stances, turns=_TURNS.search(text) is not None):
        return Reading(None, "ambiguous", "several_mentions")
    if len(found) == 1 and texts <= found:
        return Reading(found.pop(), "parsed", "only_mention")
    return Reading(None, "ambiguous", "several_mentions") if found else None


# Words behind which a first idea is dropped.
_TURNS = re.compile(
    r"\b(?:but|however|yet|aber|jedoch|mais|pero|però|mas|maar|но|men|ale)\b|但|不过|然而|しかし|ただし|が,|하지만|그러나|지만",
    re.IGNORECASE,
)


def _is_single(found: set[str], stances: Sequence[Stance], *, turns: bool) -> bool:
    """Whether a reply names this option as one that may be it, and no other one so."""
    out = letters_of(stances, "ruled_out")
    if {letter for one in stances for letter in one.options} == found:
        weak = ("ruled_out", "supposed", "withdrawn") if turns else ("ruled_out", "supposed")
        return any(one.kind not in weak for one in stances) and not out
    if turns and not found - letters_of(stances, "leaning", "withdrawn", "supposed"):
        return False  # "This would suggest C. However, the camera faces the wearer."
    standing = letters_of(stances, "chosen", "stated", "alone", "leaning")
    together = any(
        len(one.options) > 1 and found & set(one.options) and one.kind != "ruled_out"
        for one in stances
    )
    named = standing | letters_of(stances, "mentioned")
    return not together and found <= named - out and not standing - out - found


def _option_text(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """The full text of exactly one option, where no other letter is mentioned."""
    found = named_inside(text, letters, texts)
    if found is None or found.letter is None:
        return from_verdict(found)
    if not set(mentions(text, letters)) <= {found.letter}:
        return Reading(None, "ambiguous", "text_and_letter_differ")
    return from_verdict(found)


def _by_words(text: str, letters: Sequence[str], texts: Sequence[str]) -> Reading | None:
    """An option by other forms of its words, where no letter is named and nothing is taken back."""
    if not texts or letters_in(text, letters) or CORRECTION.found_in(text) or is_unfinished(text):
        return None
    return from_verdict(
        named_inflected(text, letters, texts)
        or named_by_numbers(text, letters, texts)
        or named_by_clock(text, letters, texts)
        or named_by_direction(text, letters, texts)
        or named_in_sentence(text, letters, texts)
        or described(text, letters, texts)
        or named_abroad(text, letters, texts)
    )
