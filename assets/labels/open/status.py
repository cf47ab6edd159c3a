"""How far an action came, by negations and by the verbs above it.

"Tries", "stops", "is about to" name no action of their own: they say of the verb below how far it came,
and what they say holds for the verbs listed under it, but not for the next clause.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assets.labels.open.english import CAUSING, USING
from assets.labels.open.misread import has_article

if TYPE_CHECKING:
    from assets.labels.open.tree import Node

DONE, ATTEMPTED, NEGATED, STOPPED, ABOUT_TO = "done", "attempted", "negated", "stopped", "about_to"
# Verbs that say how far the action of the verb below them came, and name no action of their own.
_STATUS_VERBS = {
    **dict.fromkeys("try attempt struggle fail strive manage".split(), ATTEMPTED),
    **dict.fromkeys("stop cease quit pause".split(), STOPPED),
    **dict.fromkeys("want prepare intend plan need hesitate decide hope".split(), ABOUT_TO),
    **dict.fromkeys("start begin continue keep proceed finish resume happen let".split(), DONE),
}
_STATUS_VERBS.update(
    manage=DONE, pretend=NEGATED, refuse=NEGATED, avoid=NEGATED, give=STOPPED, end=DONE, go=ABOUT_TO
)
NO_ACTIONS = frozenset(
    "try attempt fail manage begin continue seem appear want need decide have contain belong know think "
    "believe realise realize remember mean forget".split()
)
_WITH_TO = frozenset("attempt try struggle fail manage start begin".split())
_TAKE_A_GERUND_ALONE = frozenset("keep need".split())
_ABOUT = frozenset("about ready going set".split())
_NOT = frozenset("not n't never no neither".split())
_MODALS = frozenset("will would can could should shall may might must 'll 'd".split())
_REFUSE = frozenset("refuse avoid forget prevent".split())
_CAUSING_VERBS = dict.fromkeys(CAUSING, DONE)


def status_of_below(node: Node) -> str | None:
    """Status that a verb gives to the action below it; None where it gives none."""
    return _STATUS_VERBS.get(node.lemma_.lower())


def action_below(node: Node) -> Node | None:
    """The verb that a verb of status speaks of."""
    lemma = node.lemma_.lower()
    if lemma in ("give", "end") and not any(
        c.text.lower() == "up" and c.dep_ in ("prt", "advmod", "prep") for c in node.children
    ):
        return None
    if lemma == "go" and node.tag_ != "VBG":
        return None
    for child in node.children:
        if child.dep_ in ("xcomp", "ccomp") and child.tag_.startswith("VB") and child.i > node.i:
            return child
        if child.dep_ in ("acl", "relcl", "advcl") and is_purpose(child) and lemma in _WITH_TO:
            return child
        if child.dep_ == "advcl" and child.tag_ in ("VBG", "VB") and child.i > node.i:
            if node.lemma_ in _TAKE_A_GERUND_ALONE and any(
                c.dep_ == "mark" for c in child.children
            ):
                continue
            return child if not any(c.dep_ == "dobj" for c in node.children) else None
        if child.dep_ == "dobj" and child.tag_ == "VBG" and not has_article(child):
            return child
        if child.dep_ == "prep" and child.text.lower() in ("with", "from", "on"):
            below = next((c for c in child.children if c.dep_ == "pcomp"), None)
            if below is not None:
                return below
    return None


def status_of(verb: Node) -> str:
    """How far the action came, by negations and by the verbs above it."""
    if any(
        child.dep_ == "neg" or child.text.lower() in _NOT
        for child in verb.children
        if child.i < verb.i
    ):
        return NEGATED
    if any(child.text.lower() in ("almost", "nearly") for child in verb.children):
        return NEGATED
    if verb.dep_ == "pcomp" and (
        verb.head.text.lower() == "without"
        or (verb.head.i > 0 and verb.head.nbor(-1).text.lower() == "instead")
    ):
        return NEGATED
    node, above = verb, verb.head
    if verb.dep_ in ("relcl", "acl") and is_purpose(verb):
        user = clause_above(verb)
        return DONE if user.lemma_.lower() in USING else ABOUT_TO
    while above.i != node.i and node.dep_ in (
        "xcomp",
        "ccomp",
        "dobj",
        "advcl",
        "pcomp",
        "prep",
        "conj",
        "acomp",
        "acl",
        "relcl",
    ):
        lemma = above.lemma_.lower()
        if node.dep_ in ("relcl", "acl") and node.tag_ in ("VBZ", "VBD", "VBP", "VBN"):
            break  # "to pick up the pen that fell" says no more of the fall
        if node.dep_ == "conj":
            shared = not any(c.dep_ in ("nsubj", "aux") for c in node.children)
            if not shared or node.tag_ != above.tag_:
                break
        elif above.text.lower() == "going" and any(c.dep_ == "aux" for c in above.children):
            return ABOUT_TO
        elif action_below(above) is not None and lemma in _STATUS_VERBS and _leads_to(above, node):
            negated = any(c.dep_ == "neg" for c in above.children) or (
                above.dep_ == "pcomp" and above.head.text.lower() == "without"
            )
            status = _STATUS_VERBS[lemma]
            if negated:
                return DONE if status == STOPPED else NEGATED
            if status != DONE:
                return status
        elif lemma in _REFUSE and node.dep_ in ("xcomp", "dobj", "pcomp", "prep"):
            return NEGATED
        elif above.text.lower() in _ABOUT and (
            above.pos_ == "ADJ" or above.text.lower() == "going"
        ):
            return ABOUT_TO
        elif lemma in USING and node.dep_ in ("xcomp", "advcl"):
            pass  # "uses a screwdriver to tighten the screw" is how, not what for
        elif is_purpose(node) and (
            node.dep_ == "advcl"
            or (node.dep_ == "xcomp" and lemma not in _STATUS_VERBS | _CAUSING_VERBS)
        ):
            return ABOUT_TO
        elif node.dep_ in ("advcl", "ccomp"):
            break
        elif node.dep_ == "xcomp" and any(c.dep_ == "neg" for c in above.children):
            return NEGATED
        node, above = above, above.head
    if any(child.dep_ == "neg" for child in verb.children):
        return NEGATED
    aux = {child.text.lower() for child in verb.children if child.dep_ == "aux"}
    return ABOUT_TO if aux & _MODALS else DONE


def _leads_to(above: Node, node: Node) -> bool:
    below = action_below(above)
    return below is not None and (
        below.i == node.i or below.head.i == node.i or node in below.subtree
    )


def clause_above(verb: Node) -> Node:
    """The verb above; that of the noun which an infinitive hangs on: "uses a key to open the box"."""
    above = verb.head
    while verb.dep_ in ("relcl", "acl") and above.dep_ == "conj" and is_purpose(verb):
        above = above.head  # "uses a fork and a knife to cut the meat"
    if verb.dep_ in ("relcl", "acl") and is_purpose(verb) and above.dep_ in ("dobj", "pobj"):
        above = above.head
        while above.dep_ in ("prep", "dative"):
            above = above.head
    return above


def is_purpose(node: Node) -> bool:
    """Whether a clause says what for: "picks the knife to cut the onion"."""
    return node.tag_ == "VB" and any(
        child.dep_ == "aux" and child.text.lower() == "to" for child in node.children
    )
