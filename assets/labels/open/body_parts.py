"""Parts of the body in a parsed narration, and their sides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assets.labels.open.tree import Node

# Word, in the singular, to the part that `labels.body_part` names.
PARTS: Mapping[str, str] = {
    **dict.fromkeys(
        "hand finger forefinger fingertip thumb palm fist wrist knuckle fingernail".split(), "hand"
    ),
    **dict.fromkeys("foot toe heel ankle sole instep".split(), "foot"),
    **dict.fromkeys("leg knee thigh shin calf".split(), "leg"),
    **dict.fromkeys("arm elbow forearm".split(), "arm"),
    **dict.fromkeys(
        "head face chin forehead hair neck nose mouth ear cheek eye lip tooth tongue".split(),
        "head",
    ),
    **dict.fromkeys("torso body waist hip lap chest back stomach belly shoulder".split(), "torso"),
}
_PAIRED = frozenset(["hand", "foot"])
_PLURAL = {"hand": "both_hands", "foot": "feet"}
_BOTH = frozenset(["both", "two"])
_OWNERS = frozenset("my your his her their its our the both two one a each other".split())
_NAMED_FINGERS = frozenset("left right index middle ring pinky baby pointer".split())
_THINGS_BEFORE = frozenset("table chair bed pan clock door chicken lamb".split())


def body_part(noun: Node, last_side: str | None = None) -> str | None:
    """Part of the body that a noun names, with its side where it has one.

    Args:
        noun: A noun of a parsed narration.
        last_side: Side named last in the narration, for "the other hand".

    Returns:
        For example `left_hand`, `both_hands`, `unspecified_hand`, `right_foot`, `head`; None where the
        noun names no part of a body: "the back of the chair", "chicken legs".
    """
    lemma = noun.lemma_.lower()
    if lemma in ("left", "right", "other") and _stands_for_hand(noun):
        opposite = {"left": "right", "right": "left"}.get(last_side or "", "unspecified")
        return f"{opposite if lemma == 'other' else lemma}_hand"
    part = PARTS.get(lemma) or PARTS.get(noun.text.lower())
    if part is None or not _is_of_a_body(noun):
        return None
    if part == "foot" and any(
        PARTS.get(inner.lemma_.lower()) == "hand" for inner in _of_what(noun)
    ):
        part = "hand"  # "the heel of her left hand"
    if part not in _PAIRED:
        return part
    side = side_of(noun, last_side)
    for inner in _of_what(noun):
        # "The fingers of the left hand", "the thumb and forefinger of the right hand".
        side = side or side_of(inner, last_side)
    if side is not None:
        return _PLURAL[part] if side == "both" else f"{side}_{part}"
    is_plural = noun.tag_ in ("NNS", "NNPS") or noun.text.lower() in ("hands", "feet")
    of_one = any(
        inner.tag_ == "NN" and PARTS.get(inner.lemma_) == "hand" for inner in _of_what(noun)
    )
    is_plural = is_plural and not of_one  # "the fingers of the other hand"
    words = {child.text.lower() for child in noun.children}
    several = words & _BOTH or ("each" in words and "other" not in words)
    if several or (is_plural and (part == "hand" or lemma in _PAIRED)):
        return _PLURAL[part]
    return f"unspecified_{part}"


def _stands_for_hand(word: Node) -> bool:
    """Whether "the left" is the left hand: a hand is named before, and no noun follows."""
    doc = word.doc
    return (
        word.dep_ in ("nsubj", "pobj")
        and word.i > 0
        and doc[word.i - 1].text.lower() in ("the", "his", "her", "my", "your", "their")
        and not (word.dep_ == "pobj" and word.head.text.lower() in ("to", "on", "at", "from", "in"))
        and any(token.lemma_ == "hand" for token in doc[: word.i])
    )


def side_of(noun: Node, last_side: str | None) -> str | None:
    """`left`, `right` or, for both, `both` as the words before a noun say; None where they do not."""
    words = [child.text.lower() for child in noun.subtree if child.i < noun.i]
    left, right = "left" in words, "right" in words
    if left and right:
        return None if "or" in words else "both"
    if left or right:
        return "left" if left else "right"
    if {"other", "opposite"} & set(words) and last_side is not None:
        return {"left": "right", "right": "left"}[last_side]
    if "same" in words:
        return last_side
    return None


def _of_what(noun: Node) -> list[Node]:
    """Words behind "of", of a noun and of those listed with it."""
    listed = [noun, *(child for child in noun.children if child.dep_ == "conj")]
    return [
        inner
        for each in listed
        for prep in each.children
        if prep.dep_ == "prep"
        and (prep.text.lower() == "of" or (prep.text.lower() == "on" and each.lemma_ != "hand"))
        for inner in prep.children
        if prep.text.lower() == "of" or PARTS.get(inner.lemma_.lower()) == "hand"
    ]


def _is_of_a_body(noun: Node) -> bool:
    """Whether a word such as back, leg or head is meant of a person and not of a thing."""
    words = {child.text.lower() for child in noun.children}
    compounds = {
        child.lemma_.lower() for child in noun.children if child.dep_ in ("compound", "nmod")
    }
    after = noun.doc[noun.i + 1] if noun.i + 1 < len(noun.doc) else None
    if (
        after is not None
        and after.tag_ in ("NN", "NNS")
        and noun.tag_ == "NN"
        and after.head.i != noun.i
        and noun.dep_ == "compound"
    ):
        return False
    if compounds & _THINGS_BEFORE or any(
        child.tag_ in ("NN", "NNP")
        and child.dep_ in ("compound", "nmod")
        and child.lemma_.lower() not in PARTS
        and child.text.lower() not in _NAMED_FINGERS
        for child in noun.children
    ):
        return False
    of = [
        grandchild.lemma_.lower()
        for child in noun.children
        if child.dep_ == "prep" and child.text.lower() == "of"
        for grandchild in child.children
    ]
    lemma = noun.lemma_.lower()
    if of and lemma in (
        "back",
        "head",
        "face",
        "neck",
        "mouth",
        "body",
        "foot",
        "leg",
        "arm",
        "eye",
    ):
        # "the back of the chair", but "the back of his hand", "the head of the man".
        return any(word in PARTS or word in ("man", "woman", "person", "she", "he") for word in of)
    if lemma in ("back", "body", "palm", "sole", "calf", "eye", "mouth"):
        return bool(words & _OWNERS - {"a", "one", "two"})
    return True


class Sides:
    """The side named last, for "the other hand"."""

    def __init__(self) -> None:
        self.last: str | None = None

    def part(self, noun: Node) -> str | None:
        """Part that a noun names, as `body_part` gives it; its side is kept for "the other"."""
        part = body_part(noun, self.last)
        if part is not None and part.startswith(("left_", "right_")):
            self.last = part.partition("_")[0]
        return part


def together(first: str | None, second: str | None) -> str | None:
    """Parts that act together: the left and the right hand are both hands."""
    pair = {first, second}
    hands = {"left_hand", "right_hand", "both_hands", "unspecified_hand"}
    if pair == {"left_hand", "right_hand"} or ("both_hands" in pair and pair <= hands):
        return "both_hands"
    if first is not None and second is not None and first.startswith("unspecified"):
        return second
    if first == "torso" and second is not None:
        return second  # "on her lap with both hands"
    return "feet" if pair == {"left_foot", "right_foot"} else first or second
