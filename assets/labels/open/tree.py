"""A dependency parse in plain Python: words with a tag, a lemma, a head and children.

Rules look at each word dozens of times. spaCy makes a new object whenever a word of its parse is looked at, and looks up
every string by its hash; these words are made once. They have the names that spaCy gives to the same things, and a
word whose head is set anew moves among the children at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any


class Node:
    """A word of a parse.

    Args:
        doc: The parse that it belongs to.
        at: Its number there.
        text: The word.
        tag: Tag of the Penn Treebank.
        dep: What it is for its head.
        pos: Part of speech.
        lemma: Base form.

    Attributes:
        doc: The parse that it belongs to.
        i: Its number there.
        text: The word.
        tag_: Tag of the Penn Treebank.
        dep_: What it is for its head.
        pos_: Part of speech.
        lemma_: Base form.
        above: The word above, to be read; `head` sets it.
        children: Words whose head it is, in order.
    """

    __slots__ = ("above", "children", "dep_", "doc", "i", "lemma_", "pos_", "tag_", "text")

    def __init__(
        self, doc: Doc, at: int, text: str, tag: str, dep: str, pos: str, lemma: str
    ) -> None:
        self.doc, self.i, self.text = doc, at, text
        self.tag_, self.dep_, self.pos_, self.lemma_ = tag, dep, pos, lemma
        self.children: tuple[Node, ...] = ()
        self.above = self

    @property
    def head(self) -> Node:
        """The word above; the word itself at a root."""
        return self.above

    @head.setter
    def head(self, head: Node) -> None:
        if head is self.above:
            return
        if self.above is not self:
            self.above.children = tuple(c for c in self.above.children if c is not self)
        self.above = head
        if head is not self:
            head.children = tuple(sorted((*head.children, self), key=_number))

    def adopt(self, children: Sequence[Node]) -> None:
        """Become the head of roots, which come in order; nothing else may hang on this word yet."""
        self.children = tuple(children)
        for child in children:
            child.above = self

    @property
    def ancestors(self) -> Iterator[Node]:
        """Words above, the nearest first; no more than the parse has words, should heads form a ring."""
        node = self
        for _ in self.doc:
            if node.above is node:
                return
            node = node.above
            yield node

    @property
    def subtree(self) -> Iterator[Node]:
        """The word and all words below it, in order where no branches cross; each once, should heads form a ring."""
        return _in_order(self, {self.i})

    @property
    def left_edge(self) -> Node:
        """First of the word and all words below it."""
        return min(self._below(), key=_number)

    @property
    def right_edge(self) -> Node:
        """Last of the word and all words below it."""
        return max(self._below(), key=_number)

    def nbor(self, by: int = 1) -> Node:
        """The word so many places on.

        Raises:
            IndexError: There is none.
        """
        at = self.i + by
        if at < 0:
            raise IndexError(f"there is no word {at}")
        return self.doc[at]

    def _below(self) -> list[Node]:
        subtree: list[Node] = [self]
        seen = {self.i}
        for node in subtree:  # it grows
            for child in node.children:
                if child.i not in seen:
                    seen.add(child.i)
                    subtree.append(child)
        return subtree

    def __repr__(self) -> str:
        return f"{self.text}/{self.tag_}/{self.dep_}"


class Doc(list[Node]):
    """The words of a parse, in order.

    Attributes:
        user_data: What rules note about the parse.
    """

    def __init__(self) -> None:
        super().__init__()
        self.user_data: dict[str, Any] = {}


def cut_rings(doc: Doc) -> None:
    """Make a root of the first word of each ring that moved heads formed, so that every way up ends.

    Args:
        doc: The parse.
    """
    safe: set[int] = set()
    for node in doc:
        way = {node.i}
        above = node
        while above.i not in safe and above.head is not above:
            above = above.head
            if above.i in way:
                above.head = above
                break
            way.add(above.i)
        safe |= way


def _in_order(node: Node, seen: set[int]) -> Iterator[Node]:
    below = [child for child in node.children if child.i not in seen]
    seen.update(child.i for child in below)
    for child in below:
        if child.i < node.i:
            yield from _in_order(child, seen)
    yield node
    for child in below:
        if child.i > node.i:
            yield from _in_order(child, seen)


def _number(node: Node) -> int:
    return node.i
