"""What a rewording must keep of its template; each rule refuses one kind of change, by words alone.

The rules know closed lists of words: those for order, negation, numbers, and what is asked about. They refuse
some good rewordings, such as one that says "the final" where the template says nothing of the kind. What they
cannot see, as whether the sentence is good English, people judge.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping

from assets.questions.expansion.templates import SLOT, is_number, own_words, slots
from assets.questions.model_steps.forms import Unsound

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+(?:\.\d+)?")
_NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve half twice dozen both single"
).split()
_MARKUP = re.compile(r"[<>\[\]{}`*_#|\\^~@$%]|https?:|www\.|\n|[^\x20-\x7e]")
_INSTRUCTIONS = frozenset(
    "answer answers answering respond reply replies choose select pick ignore disregard option options"
    " letter letters please assistant prompt explain think note you your must correct justify return output"
    " instructions hint".split()
)
_EXAMPLES = re.compile(
    r"\b(?:such as|for (?:example|instance)|including|namely|e\.g\.|i\.e\.|like an?\b|or)\b|[(:;]"
)
_NEGATIONS = re.compile(
    r"\b(?:not|no|never|cannot|without|none|neither|nor|nothing|nowhere|except|excluding|excludes?|excluded"
    r"|absent|absence|missing|invisible|unseen|hidden|lacks?|lacking|fails?|unlike|avoids?|other than"
    r"|out of (?:view|sight))\b|\b[a-z]+n't\b"
)
_SENSES: Mapping[str, frozenset[str]] = {
    "after": frozenset(
        "after afterwards following follow follows followed next subsequent subsequently once later"
        " succeeds succeeding since".split()
    ),
    "before": frozenset(
        "before beforehand prior previous previously preceding precede precedes preceded earlier until ago".split()
    ),
    "first": frozenset("first earliest initial initially firstly".split()),
    "last": frozenset("last latest final finally lastly".split()),
    "longest": frozenset("longest most longer mostly mainly".split()),
    "shortest": frozenset("shortest least shorter briefest fewest rarely".split()),
    "begin": frozenset(
        "begin begins beginning began start starts starting started commence commences onset".split()
    ),
    "end": frozenset(
        "end ends ending ended over finish finishes finished stop stops stopped conclude concludes concluded"
        " completed".split()
    ),
    "left": frozenset({"left"}),
    "right": frozenset({"right"}),
    "all": frozenset("all every each always throughout entire".split()),
}
_THINGS: Mapping[str, frozenset[str]] = {
    "tool": frozenset("tool tools instrument instruments".split()),
    "thing": frozenset("thing things object objects item items".split()),
    "device": frozenset("device devices".split()),
    "component": frozenset("component components".split()),
    "kind": frozenset("kind kinds type types sort sorts".split()),
    "action": frozenset("action actions activity activities".split()),
    "interaction": frozenset("interact interacts interacting interaction interactions".split()),
    "animal": frozenset("animal animals creature".split()),
    "phase": frozenset("phase phases stage stages".split()),
    "operation": frozenset("operation procedure surgery".split()),
    "sport": frozenset("sport sports".split()),
    "sequence": frozenset("sequence sequences series".split()),
    "region": frozenset("region area".split()),
    "direction": frozenset("direction directions".split()),
    "person": frozenset("person wearer individual people".split()),
    "operator": frozenset("operator worker".split()),
    "surgeon": frozenset("surgeon doctor assistant".split()),
    "hand": frozenset("hand hands".split()),
    "colour": frozenset("colour color colours colors".split()),
    "reason": frozenset("reason purpose goal aim".split()),
    "state": frozenset("state states condition conditions".split()),
    "step": frozenset("step steps".split()),
    "cause": frozenset(
        "cause causes caused causing bring brings brought produce produces produced".split()
    ),
}
_WHEN = re.compile(
    r"(?:^|[.,] (?:and )?)when(?: in (?:this|the) \w+)? (?:does|do|did|is|was|are|were|will)\b"
    r"|\b(?:what|which) (?:time|moment|second|instant|point)\b"
)
_ANSWERS: Mapping[str, re.Pattern[str]] = {
    "a number": re.compile(
        r"\bhow many\b|\bwhat (?:is |was )?the (?:total |overall )?(?:number|count)\b|\bcount\b"
    ),
    "a time": _WHEN,
    "a duration": re.compile(r"\bhow (?:long|often|much|far|fast)\b"),
    "a place": re.compile(r"\bwhere\b|\b(?:what|which) (?:region|area|part|cell|section|corner)\b"),
    "a manner or reason": re.compile(r"\bhow (?!many|long|often|much|far|fast)\w+|\bwhy\b"),
    "a person": re.compile(r"(?:^|[.,] )who(?:m|se)?\b"),
    # An auxiliary verb at the beginning or after a comma, with no question word before it.
    "yes or no": re.compile(
        r"^(?:(?!\b(?:which|what|when|where|how|who|whose|whom|why)\b).)*?(?:^|[.,] )"
        r"(?:is|are|was|were|does|do|did|can|could|will|would|has|have)\b"
    ),
}
_THING = re.compile(r"\b(?:which|what)\b")


def check(template: str, wording: str, taken: Collection[str]) -> None:
    """Refuse a rewording that changes what a template asks.

    Args:
        template: Plain template.
        wording: The rewording, blanks evened out.
        taken: Other templates of the benchmark, with the rewordings that other templates have.

    Raises:
        Unsound: With the first rule that it breaks.
    """
    for rule in RULES:
        for message in RULES[rule](template, wording, taken):
            raise Unsound(rule, message)


def same_words(text: str) -> str:
    """A template as it is compared with others: words alone, whatever its slots are called."""
    return " ".join(re.findall(r"\w+|\{\}", SLOT.sub("{}", text).casefold()))


def _own(text: str) -> str:
    return own_words(text).casefold()


def _words(text: str) -> list[str]:
    return [word.removesuffix("'s") for word in _WORD.findall(_own(text))]


def _markup(_template: str, wording: str, _taken: Collection[str]) -> Iterator[str]:
    marks = _MARKUP.findall(SLOT.sub("", wording))
    if marks:
        yield f"a question is plain text, the rewording holds {marks[0]!r}"


def _slots(template: str, wording: str, _taken: Collection[str]) -> Iterator[str]:
    own, other = Counter(slots(template)), Counter(slots(wording))
    missing, added = own - other, other - own
    if missing:
        yield f"the rewording lacks {_listed(missing.elements())} of the template"
    if added:
        yield f"the template has no {_listed(added.elements())}"


def _slot_order(template: str, wording: str, _taken: Collection[str]) -> Iterator[str]:
    for kind, of_numbers in (("numbers", True), ("words", False)):
        own, other = (
            [s for s in slots(text) if is_number(s) is of_numbers] for text in (template, wording)
        )
        if own != other:
            yield f"slots of {kind} stand in the order {own} in the template, {other} in the rewording"


def _slots_apart(_template: str, wording: str, _taken: Collection[str]) -> Iterator[str]:
    if re.search(r"\}\W*\{", wording):
        yield "two slots stand side by side: where one ends cannot be told"
    if wording.startswith("{"):
        yield "a rewording that begins with a slot has no capital letter"


def _unit(template: str, wording: str, _taken: Collection[str]) -> Iterator[str]:
    own, other = _units(template), _units(wording)
    if own != other:
        yield f"numbers of the template have the units {own}, of the rewording {other}"


def _units(text: str) -> dict[str, list[str]]:
    """What follows each slot of a number: `s` for seconds."""
    units_of: dict[str, list[str]] = {}
    for slot in SLOT.finditer(text):
        if is_number(slot[1]):
            after = re.match(r" ?([a-z]*)", text[slot.end() :])
            units_of.setdefault(slot[1], []).append("" if after is None else after[1])
    return {name: sorted(units) for name, units in units_of.items()}


def _numbers(template: str, wording: str, _taken: Collection[str]) -> Iterator[str]:
    own, other = (
        sorted(w for w in _words(text) if w[0].isdigit() or w in _NUMBERS)
        for text in (template, wording)
    )
    if own != other:
        yield f"the template names the numbers {own}, the rewording {other}"


def _negation(template: str, wording: str, _taken: Collection[str]) -> Iterator[str]:
    own, other = (len(_NEGATIONS.findall(_own(text))) for text in (template, wording))
    if own != other:
        yield f"the template negates {own} times, the rewording {other} times"


def _order(template: str, wording: str, _taken: Collection[str]) -> Iterator[str]:
    yield from _groups(template, wording, _SENSES, "speaks of")


def _asks_about(template: str, wording: str, _taken: Collection[str]) -> Iterator[str]:
    yield from _groups(template, wording, _THINGS, "names")


def _groups(
    template: str, wording: str, groups: Mapping[str, frozenset[str]], verb: str
) -> Iterator[str]:
    own, other = (
        {name for name, words in groups.items() if words & {*_words(text)}}
        for text in (template, wording)
    )
    if own - other:
        yield f"the template {verb} {_listed(own - other)}, the rewording does not"
    if other - own:
        yield f"the rewording {verb} {_listed(other - own)}, the template does not"


def _answer_type(template: str, wording: str, _taken: Collection[str]) -> Iterator[str]:
    own, other = _answers(template), _answers(wording)
    if own != other:
        yield f"the template asks for {_listed(own)}, the rewording for {_listed(other) or 'nothing'}"


def _answers(text: str) -> set[str]:
    own = _own(text)
    kinds = {name for name, pattern in _ANSWERS.items() if pattern.search(own)}
    return kinds or ({"a thing"} if _THING.search(own) else set())


def _instructions(template: str, wording: str, _taken: Collection[str]) -> Iterator[str]:
    orders = (_INSTRUCTIONS & {*_words(wording)}) - {*_words(template)}
    if orders:
        yield f"a rewording asks and instructs nobody: it says {_listed(orders)}"


def _names_examples(template: str, wording: str, _taken: Collection[str]) -> Iterator[str]:
    own, other = (Counter(_EXAMPLES.findall(_own(text))) for text in (template, wording))
    if other - own:
        yield f"the rewording names examples or explains ({_listed((other - own).elements())}): they may be options"


def _one_question(template: str, wording: str, _taken: Collection[str]) -> Iterator[str]:
    if wording.count("?") != 1 or (template.endswith("?") and not wording.endswith("?")):
        yield "a rewording asks one question and ends where its template does"
    own, other = (len(re.findall(r"[.?!](?=\s|$)", text)) for text in (template, wording))
    if other > own:
        yield f"the template has {own} sentences, the rewording {other}"
    if not re.match(r"[A-Z]", wording):
        yield "a rewording begins with a capital letter"


def _length(template: str, wording: str, _taken: Collection[str]) -> Iterator[str]:
    own, other = len(_words(template)), len(_words(wording))
    if not own / 2 <= other <= 2 * own + 4:
        yield f"the template has {own} words, the rewording {other}"


def _repeats_template(template: str, wording: str, _taken: Collection[str]) -> Iterator[str]:
    if same_words(wording) == same_words(template):
        yield "the rewording says the template again"


def _of_another_template(_template: str, wording: str, taken: Collection[str]) -> Iterator[str]:
    if same_words(wording) in {same_words(text) for text in taken}:
        yield "another template of the benchmark asks in these words"


def _listed(names: Collection[str] | Iterator[str]) -> str:
    return ", ".join(sorted(names))


RULES: Mapping[str, Callable[[str, str, Collection[str]], Iterator[str]]] = {
    "markup": _markup,
    "slots": _slots,
    "slot_order": _slot_order,
    "slots_apart": _slots_apart,
    "unit": _unit,
    "numbers": _numbers,
    "negation": _negation,
    "order": _order,
    "answer_type": _answer_type,
    "asks_about": _asks_about,
    "instructions": _instructions,
    "names_examples": _names_examples,
    "one_question": _one_question,
    "length": _length,
    "repeats_template": _repeats_template,
    "of_another_template": _of_another_template,
}
"""What refuses a rewording, by rule and in order."""
