"""Who acts and who receives, as a narration names people; pronouns stand for who was named before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assets.labels.open.english import person_noun
from assets.labels.open.tokens import SAME, WEARER, Token

if TYPE_CHECKING:
    from assets.labels.open.tree import Doc, Node

NOBODY = "nobody"
"""Actor of what happens by itself: "the lid opens", "the water boils"."""
SOMEBODY = "person"
"""Somebody whom the narration names by a pronoun alone, and who is not the wearer."""
_MALE = frozenset("he him his himself".split())
_FEMALE = frozenset("she her hers herself".split())
_PLURAL = frozenset("they them their themselves".split())
_MEN = frozenset("man boy guy cameraman".split())
_WOMEN = frozenset("woman lady girl".split())


class People:
    """People of one narration.

    Args:
        doc: Its parse.
        tokens: The words that were parsed, with who each stands for.
    """

    def __init__(self, doc: Doc, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._named: dict[int, str] = {}
        # Who tells of himself does not call himself she.
        self._speaks = any(
            token.text.lower() in ("i", "we", "my", "our", "me", "us") for token in tokens
        )
        for node in doc:
            name = self._name(node)
            if name is not None:
                self._named[node.i] = name

    def who(self, node: Node) -> str | None:
        """Person that a word names: `WEARER`, a name; None where it names no person."""
        return self._named.get(node.i)

    def last_before(self, node: Node) -> str | None:
        """Person named right before a word: the man of "gives it to the man, who"; None without one."""
        return next(
            (
                self._named[at]
                for at in range(node.i - 1, max(node.i - 4, -1), -1)
                if at in self._named
            ),
            None,
        )

    def is_same(self, node: Node) -> bool:
        """Whether a word was filled in for whoever acted before."""
        return self._tokens[node.i].person == SAME

    def is_written(self, node: Node) -> bool:
        """Whether a word stands in the narration, and was not filled in for the parser."""
        return self._tokens[node.i].start < self._tokens[node.i].end

    def _name(self, node: Node) -> str | None:
        person = self._tokens[node.i].person
        if person == SAME:
            return None
        if person is not None:
            return person
        lower = node.text.lower()
        if lower == "another" and node.dep_ == "nsubj":
            return self._other_than_before(node)
        is_another = lower == "one" and any(c.text.lower() == "another" for c in node.children)
        if is_another and node.dep_ == "nsubj":
            return self._other_than_before(node)
        if person_noun(lower) and node.dep_ not in ("compound", "poss"):
            return described(node)
        if lower in _PLURAL and self._has_things_before(node):
            return None
        if lower in _MALE | _FEMALE | _PLURAL and node.pos_ == "PRON" and node.dep_ != "poss":
            return self._before(node, lower)
        return None

    def owner(self, node: Node) -> str | None:
        """Person named as the owner of a part: the surgeon of "the surgeon's right hand"; None where none is named."""
        return described(node) if person_noun(node.text.lower()) else None

    def _other_than_before(self, node: Node) -> str | None:
        """Who "another" is where a person was named: "one man sits and another stands"."""
        before = [name for at, name in self._named.items() if at < node.i and name]
        return f"other {_kind(before[-1])}" if before else None

    def _has_things_before(self, node: Node) -> bool:
        """Whether "them" may stand for things: several are named before, and no people are."""
        people = [at for at, name in self._named.items() if at < node.i and name != WEARER]
        is_subject = node.dep_ in ("nsubj", "nsubjpass")
        if is_subject and not any(t.tag_ in ("NNS", "NNPS") for t in node.doc[: node.i]):
            return False
        if any(node.doc[at].tag_ in ("NNS", "NNPS") for at in people):
            return False
        return node.dep_ not in ("nsubj", "nsubjpass") or not people

    def _before(self, node: Node, pronoun: str) -> str:
        """Person that a pronoun stands for: the last one named before that it fits, else the wearer."""
        is_subject = node.dep_ in ("nsubj", "nsubjpass")
        if not is_subject and not pronoun.endswith(("self", "selves")):
            # "She gives him the cup": whoever acts does not receive.
            acting = self._subject_above(node)
            others = [
                name
                for at, name in sorted(self._named.items())
                if at < node.i and name != acting and _fits(pronoun, name)
            ]
            if others:
                return others[-1]
            owner = self._owner_before(node, pronoun)
            if owner is not None:
                return owner
            is_wearer = acting != WEARER and any(name == WEARER for name in self._named.values())
            return WEARER if is_wearer and not self._speaks else SOMEBODY
        others = [
            name for at, name in sorted(self._named.items()) if at < node.i and name != WEARER
        ]
        fitting = [name for name in others if _fits(pronoun, name)]
        has_wearer = any(name == WEARER for at, name in self._named.items() if at < node.i)
        if not fitting:
            return WEARER if has_wearer and not self._speaks else SOMEBODY
        if is_subject and has_wearer and not self._speaks and not _is_only_fit(pronoun, fitting):
            return WEARER
        return fitting[-1]

    def _owner_before(self, node: Node, pronoun: str) -> str | None:
        """The baby of "wipes the baby's mouth and lifts her"."""
        for before in reversed(list(node.doc[: node.i])):
            lower = before.text.lower()
            if before.dep_ == "poss" and person_noun(lower) and _fits(pronoun, lower):
                return described(before)
        return None

    def _subject_above(self, node: Node) -> str | None:
        while node.head.i != node.i:
            node = node.head
            subject = next((c for c in node.children if c.dep_ == "nsubj"), None)
            if subject is not None and not self.is_same(subject):
                return self._named.get(subject.i)
        return WEARER


def described(node: Node) -> str:
    """Whom a noun names, with what tells one from another before it: `man`, `other man`, `bus driver`."""
    words = [
        "other" if child.text.lower() == "another" else child.text.lower()
        for child in node.children
        if child.i < node.i
        and (child.dep_ in ("amod", "compound") or child.text.lower() == "another")
        and child.text.isalpha()
        and child.tag_ not in ("VBG", "VBN")
        and not child.text.lower().endswith("ing")
        and child.text.lower() not in ("same", "one")
    ]
    if node.i + 1 < len(node.doc) and node.nbor().text.lower() == "else":
        words = ["other"]
    noun = node.lemma_.lower()
    return " ".join([*words, SOMEBODY if noun in ("someone", "somebody", "people") else noun])


def _fits(pronoun: str, name: str) -> bool:
    words = name.split()
    if not words:
        return True  # the wearer, of whom nothing is known
    noun = _kind(name)
    if pronoun in _MALE:
        return noun not in _WOMEN
    if pronoun in _FEMALE:
        return noun not in _MEN
    return True


def _kind(name: str) -> str:
    """The lady of "lady y", the man of "other man"."""
    words = name.split()
    return words[0] if len(words[-1]) == 1 else words[-1]


def _is_only_fit(pronoun: str, fitting: Sequence[str]) -> bool:
    """Whether a pronoun names the person's gender, which the wearer's is not known to be."""
    noun = _kind(fitting[-1]) if fitting else ""
    return (pronoun in _MALE and noun in _MEN) or (pronoun in _FEMALE and noun in _WOMEN)
